"""Block-regularised m×2 cross-validation: its blocks, its overlaps, and its place in scikit-learn."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, check_cv, cross_val_score, cross_validate

from outperform.crossval.block_cv import MOST, ORDERS, BlockCV, orthogonal_array

MS = [*range(1, 13), 15]


def listed(cv: BlockCV, y: Any, groups: Any = None) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    return list(cv.split(y, y, groups))


def blocks_of(cv: BlockCV, y: Any, groups: Any = None, items: int | None = None) -> NDArray[np.int64]:
    """The block of each item, found from the splits: which halves it is in tells its row of the array."""
    X = y if items is None else np.zeros(items)
    inside = np.stack([np.isin(np.arange(len(X)), train) for train, _ in list(cv.split(X, y, groups))[::2]], axis=1)
    rows = orthogonal_array(cv.m)
    distinct = {tuple(row): k for k, row in enumerate(rows)}
    assert len(distinct) == len(rows), "too few repetitions to tell"
    return np.array([distinct[tuple(row)] for row in inside])


def spread(table: Any, block: NDArray[np.int64]) -> NDArray[np.float64]:
    """Largest minus smallest sum of the blocks, by column."""
    sums = np.zeros((int(block.max()) + 1, np.shape(table)[1]))
    np.add.at(sums, block, np.asarray(table, dtype=float))
    gap: NDArray[np.float64] = sums.max(axis=0) - sums.min(axis=0)
    return gap


@pytest.mark.parametrize("m", range(1, MOST + 1))
def test_the_array_has_strength_two(m: int) -> None:
    array = orthogonal_array(m)
    blocks = len(array)
    assert array.shape == (blocks, m)
    assert blocks == BlockCV(m).blocks == min(order for order in ORDERS if order > m)
    assert (array.sum(axis=0) == blocks // 2).all()
    signs = np.where(array, 1, -1)
    np.testing.assert_array_equal(signs.T @ signs, blocks * np.eye(m))


def test_three_repetitions_are_the_three_ways_of_pairing_four_blocks() -> None:
    pairs = {frozenset({frozenset(np.flatnonzero(c)), frozenset(np.flatnonzero(~c))}) for c in orthogonal_array(3).T}
    assert len(pairs) == 3
    assert [BlockCV(m).blocks for m in (1, 3, 4, 7, 8, 11, 12, 15)] == [4, 4, 8, 8, 12, 12, 16, 16]


@pytest.mark.parametrize("m", MS)
def test_without_remainders_everything_is_exact(m: int) -> None:
    cv = BlockCV(m, random_state=m)
    y = np.repeat(["a", "b", "c"], np.array([1, 2, 5]) * cv.blocks)
    halves = [np.isin(np.arange(len(y)), train) for train, _ in listed(cv, y)]
    for label in "abc":
        own = np.array(halves)[:, y == label].astype(int)
        shared = own @ own.T
        expected = np.full((2 * m, 2 * m), own.shape[1] // 4)
        for j in range(0, 2 * m, 2):
            expected[j : j + 2, j : j + 2] = np.eye(2) * own.shape[1] // 2
        np.testing.assert_array_equal(shared, expected)


@settings(max_examples=60)
@given(st.data())
def test_any_classes_are_dealt_evenly(data: st.DataObject) -> None:
    m = data.draw(st.sampled_from(MS))
    cv = BlockCV(m, random_state=data.draw(st.integers(0, 2**32)))
    sizes = data.draw(st.lists(st.integers(1, 40), min_size=2, max_size=50))
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    assume(len(y) >= cv.blocks)
    splits = listed(cv, y)
    assert len(splits) == cv.get_n_splits() == 2 * m
    tested = np.zeros(len(y), dtype=int)
    for (train, test), (other, rest) in zip(splits[::2], splits[1::2], strict=True):
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(y)))
        np.testing.assert_array_equal(train, rest)
        np.testing.assert_array_equal(test, other)
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()
        assert train.dtype.kind == "i"
        tested[test] += 1
        tested[rest] += 1
    assert (tested == m).all()
    give = max(1, 3 * cv.blocks / 16)  # one item a block too many, in a quarter of the blocks
    counts = np.array([np.bincount(y[train], minlength=len(sizes)) for train, _ in splits])
    assert (np.abs(counts - np.array(sizes) / 2) <= cv.blocks / 4).all()
    for i in range(0, len(splits), 2):
        for j in range(i + 2, len(splits)):
            shared = np.intersect1d(splits[i][0], splits[j][0])
            per_class = np.bincount(y[shared], minlength=len(sizes))
            assert (np.abs(per_class - np.array(sizes) / 4) <= give).all()
            assert abs(len(shared) - len(y) / 4) <= give


@settings(max_examples=40)
@given(st.sampled_from([3, 7, 11, 15]), st.lists(st.integers(1, 30), min_size=2, max_size=50), st.integers(0, 99))
def test_blocks_hold_equal_shares_of_each_class(m: int, sizes: list[int], seed: int) -> None:
    y = [f"class {k}" for k, size in enumerate(sizes) for _ in range(size)]
    cv = BlockCV(m, random_state=seed)
    assume(len(y) >= cv.blocks)
    block = blocks_of(cv, y)
    codes = np.unique(y, return_inverse=True)[1]
    assert spread(np.eye(len(sizes))[codes], block).max() <= 1
    assert np.ptp(np.bincount(block, minlength=cv.blocks)) <= 1


WAYS: dict[str, Any] = {
    "list": lambda y: y,
    "array": np.array,
    "objects": lambda y: np.array(y, dtype=object),
    "pandas": pd.Series,
    "categories": lambda y: pd.Series(y, dtype="category"),
    "column": lambda y: np.array(y)[:, None],
    "frame": lambda y: pd.DataFrame({"y": y}),
}


@pytest.mark.parametrize("way", WAYS)
def test_labels_of_any_kind_give_the_same_blocks(way: str) -> None:
    y = ["p", "q", "q", "r"] * 10
    expected = blocks_of(BlockCV(random_state=5), y)
    np.testing.assert_array_equal(blocks_of(BlockCV(random_state=5), WAYS[way](y)), expected)
    assert spread(pd.get_dummies(pd.Series(y)), expected).max() <= 1


def test_numbers_that_are_no_classes_and_sequences_get_equal_sizes() -> None:
    rng = np.random.default_rng(0)
    tags = [["O"] * int(k) for k in rng.integers(1, 9, 41)]
    same = [["O", "B"]] * 41
    expected = blocks_of(BlockCV(random_state=0), None, items=41)
    assert np.ptp(np.bincount(expected)) == 1
    ragged = np.array([*tags, None], dtype=object)[:-1]
    for y in (rng.normal(size=41), rng.normal(size=(41, 3)), tags, same, ragged, list(rng.normal(size=41))):
        np.testing.assert_array_equal(blocks_of(BlockCV(random_state=0), y, items=41), expected)
    whole = np.array([0.0, 1.0] * 20)
    assert spread(np.c_[whole, 1 - whole], blocks_of(BlockCV(), whole)).max() == 0


def test_a_rare_class_goes_to_different_blocks() -> None:
    y = np.array(["common"] * 50 + ["rare"] * 3)
    for seed in range(20):
        assert len(set(blocks_of(BlockCV(random_state=seed), y)[y == "rare"])) == 3


def units(n: int = 2000, kinds: int = 5) -> NDArray[np.int64]:
    """Entities of each type in sentences, of which some have many and most few."""
    rng = np.random.default_rng(1)
    return rng.poisson(np.geomspace(0.7, 0.03, kinds) * rng.gamma(1, 1, (n, 1)), (n, kinds))


@pytest.mark.parametrize("m", [3, 7, 11])
def test_units_are_balanced_far_better_than_by_chance(m: int) -> None:
    table = units()
    cv = BlockCV(m, units=table, random_state=0)
    block = blocks_of(cv, None, items=len(table))
    assert np.ptp(np.bincount(block)) <= 1
    rng = np.random.default_rng(2)
    chance = np.mean([spread(table, rng.permutation(len(table)) % cv.blocks).mean() for _ in range(20)])
    assert spread(table, block).mean() < chance / 10
    assert spread(table, block).max() <= 2


def test_units_of_any_kind_give_the_same_blocks() -> None:
    table = units(200, 3)
    expected = blocks_of(BlockCV(units=table, random_state=0), None, items=200)
    names = "abc"
    rows = [Counter({name: int(k) for name, k in zip(names, row, strict=True)}) for row in table]
    bare = [{name: k for name, k in row.items() if k} for row in rows]
    columns = dict(zip(names, table.T, strict=True))
    for way in (table.tolist(), rows, bare, columns, pd.DataFrame(columns), sparse.csr_array(table), tuple(rows)):
        got = blocks_of(BlockCV(units=way, random_state=0), None, items=200)
        assert spread(table, got).max() <= 1
        if way is not bare:  # there kinds come in another order
            np.testing.assert_array_equal(got, expected)
    one = blocks_of(BlockCV(units=table[:, 0], random_state=0), None, items=200)
    assert spread(table[:, :1], one).max() <= 1


def test_items_without_any_units_get_equal_sizes() -> None:
    assert np.ptp(np.bincount(blocks_of(BlockCV(units=[{}] * 10), None, items=10))) == 1
    assert np.ptp(np.bincount(blocks_of(BlockCV(units=np.zeros((10, 2))), None, items=10))) == 1
    groups = np.repeat(np.arange(5), 2)
    assert len(set(blocks_of(BlockCV(units=[{}] * 10), None, groups, items=10))) == 4


@pytest.mark.parametrize("kind", [int, bool, float, sparse.csr_array, pd.DataFrame, lambda y: 2 * y - 1])
def test_an_indicator_matrix_is_balanced_by_label(kind: Any) -> None:
    y = (np.random.default_rng(0).random((300, 6)) < [0.5, 0.4, 0.3, 0.2, 0.1, 0.05]).astype(int)
    given = y.astype(kind) if isinstance(kind, type) and kind in (int, bool, float) else kind(y)
    block = blocks_of(BlockCV(random_state=0), given, items=300)
    assert spread(y, block).max() <= 2
    assert np.ptp(np.bincount(block)) == 0


@settings(max_examples=40)
@given(st.sampled_from([3, 7]), st.integers(0, 10**6))
def test_groups_stay_whole_and_no_block_is_empty(m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cv = BlockCV(m, random_state=seed)
    own = rng.integers(cv.blocks, 40)
    groups = np.concatenate([np.arange(own), rng.choice(own, 100, p=rng.dirichlet(np.ones(own) / 2))])
    y = rng.integers(3, size=len(groups))
    block = blocks_of(cv, y, [f"g{k}" for k in groups])
    for k in range(own):
        assert len(set(block[groups == k])) == 1
    assert len(set(block)) == cv.blocks


def test_groups_are_balanced_better_than_by_chance() -> None:
    rng = np.random.default_rng(0)
    groups = rng.choice(60, 2000, p=rng.dirichlet(np.ones(60)))
    tilt = rng.dirichlet(np.ones(3), 60)
    y = np.array([rng.choice(3, p=tilt[k]) for k in groups])
    table = np.c_[np.ones(2000), np.eye(3)[y]]
    block = blocks_of(BlockCV(random_state=0), y, groups)
    chance = np.mean([spread(table, (rng.permutation(60) % 4)[groups]) for _ in range(20)], axis=0)
    assert (spread(table, block) < chance / 5).all()
    with_units = blocks_of(BlockCV(units=table[:, 1:], random_state=0), None, groups, items=2000)
    assert (spread(table, with_units) < chance / 5).all()


def test_many_numbers_and_groups_need_no_large_table() -> None:
    y = np.arange(6_000) // 2
    groups = np.arange(6_000) // 4
    assert np.ptp(np.bincount(blocks_of(BlockCV(random_state=0), y, groups))) == 0


def same(a: BlockCV, b: BlockCV) -> bool:
    y = np.arange(50) % 3
    pairs = zip(listed(a, y), listed(b, y), strict=True)
    return all(np.array_equal(s[0], t[0]) and np.array_equal(s[1], t[1]) for s, t in pairs)


def test_it_is_reproducible_and_can_be_copied() -> None:
    cv = BlockCV(5, units=np.arange(50) % 7, random_state=3)
    assert same(cv, cv)
    for copied in (copy.copy(cv), copy.deepcopy(cv), pickle.loads(pickle.dumps(cv)), clone(cv, safe=False)):
        assert same(cv, copied)
    for make in (np.random.RandomState, np.random.default_rng):
        assert same(BlockCV(random_state=make(1)), BlockCV(random_state=make(1)))
        state = BlockCV(random_state=make(1))
        assert not same(state, state)
    assert not same(BlockCV(), BlockCV())
    assert not same(BlockCV(random_state=0), BlockCV(random_state=1))


def test_it_says_what_it_is() -> None:
    assert repr(BlockCV(random_state=7)) == "BlockCV(m=3, random_state=7, units=None)"
    assert len(repr(BlockCV(units=np.ones((100, 9))))) < 100


X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)
GROUPS = np.repeat(np.arange(12), 5)
CV = BlockCV(random_state=0)


class Witness(BlockCV):
    """Remembers which groups it was given."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        SEEN.append(groups)
        return super().split(X, y, groups)


SEEN: list[Any] = []


@pytest.mark.parametrize("routing", [False, True])
def test_scikit_learn_takes_it(routing: bool) -> None:
    by_hand = [LogisticRegression().fit(X[s], Y[s]).score(X[t], Y[t]) for s, t in CV.split(X, Y)]
    with config_context(enable_metadata_routing=routing):
        assert check_cv(CV) is CV
        np.testing.assert_allclose(cross_validate(LogisticRegression(), X, Y, cv=CV)["test_score"], by_hand)
        np.testing.assert_allclose(cross_val_score(LogisticRegression(), X, Y, cv=CV), by_hand)
        search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=CV).fit(X, Y)
        assert search.n_splits_ == 6
        np.testing.assert_allclose(search.cv_results_["mean_test_score"][1], np.mean(by_hand))
        assert clone(search).cv.random_state == 0


@pytest.mark.parametrize("routing", [False, True])
def test_scikit_learn_hands_it_the_groups(routing: bool) -> None:
    cv = Witness(random_state=0)
    settings: dict[str, Any] = {"params": {"groups": GROUPS}} if routing else {"groups": GROUPS}
    SEEN.clear()
    with config_context(enable_metadata_routing=routing):
        cross_validate(DummyClassifier(), X, Y, cv=cv, **settings)
        cross_val_score(DummyClassifier(), X, Y, cv=cv, **settings)
        GridSearchCV(DummyClassifier(), {"strategy": ["prior"]}, cv=cv).fit(X, Y, groups=GROUPS)
    assert len(SEEN) == 3
    for groups in SEEN:
        np.testing.assert_array_equal(groups, GROUPS)
    for train, test in cv.split(X, Y, GROUPS):
        assert not set(GROUPS[train]) & set(GROUPS[test])


def test_scikit_learn_is_not_imported_for_it() -> None:
    code = "import sys, outperform.crossval.fitting; print({'sklearn', 'joblib'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


BAD: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"m": 0}, {}, "m must be a whole number from 1 to 31, got 0"),
    ({"m": 32}, {}, "m must be a whole number from 1 to 31, got 32"),
    ({"m": 2.5}, {}, "m must be a whole number from 1 to 31, got 2.5"),
    ({"m": True}, {}, "m must be a whole number from 1 to 31, got True"),
    ({"m": "3"}, {}, "m must be a whole number from 1 to 31, got '3'"),
    ({"random_state": "x"}, {}, "random_state must be None, a whole number from 0"),
    ({"random_state": -1}, {}, "random_state must be None, a whole number from 0"),
    ({}, {"X": [1, 2, 3]}, r"BlockCV\(m=3\) makes 4 blocks and needs at least 4 items, got 3; give more"),
    ({"m": 4}, {"X": range(7)}, "makes 8 blocks and needs at least 8 items, got 7; give more, or a smaller m"),
    ({}, {"groups": [1, 1, 2, 2, 3, 3]}, r"BlockCV\(m=3\) makes 4 blocks and needs at least 4 groups, got 3"),
    ({}, {"y": [1, 2]}, "y has 2 items but X has 6; give one for each item"),
    ({}, {"groups": [1, 2]}, "groups has 2 items but X has 6; give one for each item"),
    ({}, {"groups": [[1]] * 6}, "groups must hold one value for each item"),
    ({"units": [1, 2]}, {}, "units has 2 items but X has 6; give one row for each item"),
    ({"units": [{"a": 1}]}, {}, "units has 1 items but X has 6"),
    ({"units": [[1], [1, 2]]}, {}, "units must be a table of numbers with a row for each item"),
    ({"units": [{"a": 1}, 2]}, {}, "units must be a table of numbers with a row for each item"),
    ({"units": np.ones((6, 2, 2))}, {}, "units must be a table of numbers with a row for each item"),
    ({"units": [1, 2, 3, 4, 5, -1]}, {}, "units holds -1; give numbers of units, finite and not negative"),
    ({"units": [1, 2, 3, 4, 5, np.nan]}, {}, "units holds nan; give numbers of units, finite and not negative"),
]  # fmt: skip


@pytest.mark.parametrize(("own", "given", "sentence"), BAD)
def test_what_cannot_be_split_gets_one_sentence(own: dict[str, Any], given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        BlockCV(**own).split(**{"X": np.zeros((6, 2)), **given})


@pytest.mark.parametrize("X", [None, 5, "text"])
def test_what_has_no_items_is_refused(X: Any) -> None:
    with pytest.raises(TypeError, match="X must hold one entry for each item, got"):
        BlockCV().split(X)
