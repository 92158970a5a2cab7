"""Ranks in joint draws against SciPy's, bands against their definition, and the classical tests of many systems."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import outperform as op
from outperform.inference.baselines import cochran_q, friedman, nemenyi
from outperform.verdicts import standings
from outperform.verdicts.standings import Places, bands, letters
from tests.later import later

contingency_tables = later("statsmodels.stats.contingency_tables")

# Few distinct scores, so that there are ties; among them both zeros, which are equal.
TIED = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([-1.0, -0.0, 0.0, 0.25, 0.5, 1.0]))
)


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """Generate which of up to eight systems are distinguishable: symmetric, none from itself."""
    size = draw(st.integers(1, 8))
    above = np.triu(draw(arrays(np.bool_, (size, size))), 1)
    return above | above.T


@given(TIED)
def test_ranks_are_scipys_of_negated_scores(scores: Any) -> None:
    np.testing.assert_array_equal(Places.of(scores).rank, stats.rankdata(-scores, axis=1))


@given(TIED)
def test_the_best_k_are_k(scores: Any) -> None:
    places, systems = Places.of(scores), scores.shape[1]
    for k in range(1, systems + 1):
        top = places.in_top[:, k - 1]
        assert top.sum() == pytest.approx(k, rel=1e-12, abs=1e-12)
        assert ((top >= 0) & (top <= 1)).all()
    assert places.in_top[:, 0].sum() == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(places.in_top[:, -1], 1.0, rtol=1e-12)


@given(TIED)
def test_who_ties_shares_the_places(scores: Any) -> None:
    """Compare with a plain loop over the draws: ties share their places equally."""
    systems = scores.shape[1]
    share = np.zeros((systems, systems))  # of system by place
    for row in scores:
        for k, score in enumerate(row):
            first, number = int((row > score).sum()), int((row == score).sum())
            share[k, first : first + number] += 1 / number / len(scores)
    top = np.cumsum(share, axis=1)
    for k in range(1, systems + 1):
        np.testing.assert_allclose(Places.of(scores).in_top[:, k - 1], top[:, k - 1], atol=1e-12)


@given(TIED, st.permutations(range(6)))
def test_places_follow_their_systems(scores: Any, lot: list[int]) -> None:
    order = [k for k in lot if k < scores.shape[1]]
    np.testing.assert_array_equal(Places.of(scores[:, order]).rank, Places.of(scores).rank[:, order])


def test_without_ties_the_probability_to_be_best_counts_the_draws_won() -> None:
    scores = np.random.default_rng(0).normal([0.0, 0.3, 0.1], 1.0, (5_000, 3))
    won = np.bincount(scores.argmax(axis=1), minlength=3) / len(scores)
    np.testing.assert_allclose(Places.of(scores).in_top[:, 0], won, rtol=1e-12)


@pytest.mark.parametrize("at_once", [1, 9, 30, 2_000])
def test_places_do_not_depend_on_how_many_draws_are_looked_at_together(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    scores = np.random.default_rng(1).integers(0, 3, (101, 3)).astype(np.float64)
    whole = Places.of(scores)
    monkeypatch.setattr(standings, "AT_ONCE", at_once)
    parts = Places.of(scores)
    np.testing.assert_array_equal(parts.better, whole.better)
    np.testing.assert_array_equal(parts.tied, whole.tied)


def test_an_interval_of_places_leaves_as_much_at_either_end() -> None:
    """Of 40 draws the first system is third in one, second in three and first in the rest."""
    scores = np.tile([3.0, 2.0, 1.0], (40, 1))
    scores[:3] = [2.0, 3.0, 1.0]
    scores[3] = [1.0, 3.0, 2.0]
    places = Places.of(scores)
    assert places.interval(0, 0.8) == (1.0, 1.0)  # the four others are a tenth, which is excluded
    assert places.interval(0, 0.85) == (1.0, 2.0)
    assert places.interval(0, 0.95) == (1.0, 2.0)
    assert places.interval(0, 0.96) == (1.0, 3.0)
    assert places.interval(1, 0.78) == (2.0, 2.0)
    assert places.interval(1, 0.81) == (1.0, 2.0)
    assert Places.of(np.ones((5, 3))).interval(2, 0.5) == (1.0, 3.0)


@given(graphs())
def test_two_systems_share_a_band_if_and_only_if_they_are_not_told_apart(separated: Any) -> None:
    found = [set(band) for band in bands(separated)]
    for i, j in combinations(range(len(separated)), 2):
        assert any({i, j} <= band for band in found) == (not separated[i, j])
    assert set().union(*found) == set(range(len(separated)))


@given(graphs())
def test_bands_are_as_large_as_can_be_and_none_lies_within_another(separated: Any) -> None:
    found = bands(separated)
    for band in found:
        others = set(range(len(separated))) - set(band)
        assert all(separated[k, list(band)].any() for k in others)
    assert not any(set(a) <= set(b) for a, b in combinations(found, 2))
    assert not any(set(b) <= set(a) for a, b in combinations(found, 2))


@given(graphs())
def test_bands_are_all_the_largest_groups(separated: Any) -> None:
    """Compare with all subsets: those of which no two are distinguishable, and that are not contained in another."""
    size = len(separated)
    groups = [
        frozenset(group)
        for length in range(1, size + 1)
        for group in combinations(range(size), length)
        if not separated[np.ix_(group, group)].any()
    ]
    largest = {group for group in groups if not any(group < other for other in groups)}
    found = bands(separated)
    assert {frozenset(band) for band in found} == largest
    assert len(found) == len(largest)


@given(graphs())
def test_bands_are_in_order(separated: Any) -> None:
    found = bands(separated)
    assert found == sorted(found)
    assert all(list(band) == sorted(set(band)) for band in found)
    assert all(type(k) is int for band in found for k in band)


@given(graphs())
def test_half_of_the_table_will_do(separated: Any) -> None:
    assert bands(np.triu(separated)) == bands(separated)


@pytest.mark.parametrize("size", [1, 2, 5, 30])
def test_nobody_is_told_apart(size: int) -> None:
    assert bands(np.zeros((size, size), dtype=bool)) == [tuple(range(size))]


@pytest.mark.parametrize("size", [1, 2, 5, 30])
def test_all_are_told_apart(size: int) -> None:
    assert bands(~np.eye(size, dtype=bool)) == [(k,) for k in range(size)]


def test_a_chain_has_a_band_for_each_link() -> None:
    """Neighbours are not distinguishable: the letters that tables of results print, a, ab, bc, c."""
    place = np.arange(4)
    assert bands(np.abs(place[:, None] - place) > 1) == [(0, 1), (1, 2), (2, 3)]


def test_a_wide_system_among_narrow_ones_is_in_several_bands() -> None:
    separated = np.ones((4, 4), dtype=bool) & ~np.eye(4, dtype=bool)
    separated[1] = separated[:, 1] = False
    assert bands(separated) == [(0, 1), (1, 2), (1, 3)]


def couples(number: int) -> Any:
    """Pairs of neighbours that are distinguishable only from each other: a band takes one of each."""
    couple = np.arange(2 * number) // 2
    return (couple[:, None] == couple) & ~np.eye(2 * number, dtype=bool)


def test_bands_that_are_too_many_are_runs_of_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(bands(couples(6))) == 2**6
    runs = [(0,), *((k, k + 1) for k in range(1, 13, 2)), (13,)]
    assert bands(couples(7)) == runs  # 2⁷ would be too many
    assert bands(np.triu(couples(7))) == bands(np.tril(couples(7)) | np.triu(couples(7))) == runs
    monkeypatch.setattr(standings, "MOST_BANDS", 8)
    assert len(bands(couples(3))) == 8
    far = couples(4)
    far[5:, 0] = far[0, 5:] = True
    assert bands(far) == [(0,), (1, 2), (3, 4), (5, 6), (7,)]


def test_runs_are_as_long_as_can_be_and_none_lies_within_another() -> None:
    apart = np.zeros((6, 6), dtype=bool)
    apart[0, 3] = apart[2, 5] = True  # half of the table suffices
    assert standings._runs(apart) == standings._runs(apart.T) == [(0, 1, 2), (1, 2, 3, 4), (3, 4, 5)]
    assert standings._runs(np.zeros((3, 3), dtype=bool)) == [(0, 1, 2)]


def test_bands_have_letters_as_far_as_these_go() -> None:
    groups = [(k, k + 1) for k in range(26)]
    assert [letters(groups, k) for k in (0, 1, 25, 26, 27)] == ["a", "ab", "yz", "z", ""]
    groups.append((26, 27))
    assert [letters(groups, k) for k in (0, 1, 26, 27)] == ["1", "1,2", "26,27", "27"]


def test_cochrans_q_is_statsmodels() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.integers(3, size=40)
        said = {f"s{k}": np.where(rng.random(40) < 0.1 * k, (truth + 1) % 3, truth) for k in range(2 + seed % 4)}
        right = np.stack([predicted == truth for predicted in said.values()], axis=1).astype(int)
        assert cochran_q(op.Counts.from_labels(truth, said)) == pytest.approx(
            contingency_tables.cochrans_q(right).pvalue, rel=1e-9
        )


def test_cochrans_q_of_two_is_mcnemars_without_correction() -> None:
    counts = op.Counts.from_labels([1] * 20, {"a": [1] * 12 + [0] * 8, "b": [1] * 5 + [0] * 14 + [1]}, labels=[0, 1])
    assert cochran_q(counts) == pytest.approx(stats.chi2.sf((7 - 1) ** 2 / (7 + 1), 1))


def test_cochrans_q_at_its_edges() -> None:
    assert cochran_q(op.Counts.from_labels([1, 0, 1], {name: [1, 0, 0] for name in "abc"})) == 1.0
    assert cochran_q(op.Counts.from_labels([1, 0], {"a": [1, 0], "b": [0, 0]}, weights=[1.5, 1])) is None
    assert cochran_q(op.Counts.from_test_sets({"a": ([1, 0], [1, 0]), "b": ([1, 0], [0, 0])}, labels=[0, 1])) is None


def test_friedman_is_scipys() -> None:
    for seed in range(5):
        scores = np.random.default_rng(seed).integers(0, 6, (15, 4)).astype(np.float64)
        assert friedman(scores) == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue, rel=1e-12)
    assert friedman(np.ones((5, 3))) == 1.0
    assert friedman(np.arange(6.0).reshape(3, 2)) is None


# Demšar (2006), Table 5(a): critical values for the two-tailed Nemenyi test, by the number of classifiers.
NEMENYI = {
    0.05: {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164},
    0.10: {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 6: 2.589, 7: 2.693, 8: 2.780, 9: 2.855, 10: 2.920},
}


@pytest.mark.parametrize(("p", "systems", "q"), [(p, k, q) for p, row in NEMENYI.items() for k, q in row.items()])
def test_nemenyi_has_the_published_critical_values(p: float, systems: int, q: float) -> None:
    """Return data sets on which the first is just above or below the second, so often that q is as in the table."""
    difference = 800
    items = round((difference / q) ** 2 * 6 / (systems * (systems + 1)) / 2) * 2
    scores = np.tile(np.arange(systems, 0, -1.0), (items, 1))
    scores[: (items - difference) // 2, :2] = scores[0, 1::-1]
    assert nemenyi(scores, 0, 1) == pytest.approx(p, abs=2e-4)
    assert nemenyi(scores, 1, 0) == nemenyi(scores, 0, 1)
