"""Counting: in parts that add up, by every engine, and in files that are validated."""

from __future__ import annotations

import copy
import json
import re
import resource
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from sklearn.metrics import f1_score

import outperform as op
from outperform.base.errors import DataError
from outperform.data import storing, tally
from outperform.data.storing import KEY, as_json
from outperform.data.tally import Tally, Tallying
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

SYSTEMS = ("a", "b")
TAGS = ("O", "B-PER", "I-PER", "B-LOC")
LABELS = ("x", "y", "z")


def same(one: Any, two: Any) -> bool:
    """Return whether two counts, tasks or partitions agree in every field, and in the types of labels."""
    if is_dataclass(one):
        return type(one) is type(two) and all(same(getattr(one, f.name), getattr(two, f.name)) for f in fields(one))
    if isinstance(one, tuple):
        return repr(one) == repr(two)
    return np.array_equal(one, two) and (one is None) == (two is None)


def by_system(columns: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(SYSTEMS, columns, strict=True))


def columns_of(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def of_labels(rows: Sequence[tuple[Any, ...]]) -> op.Counts:
    truth, *guesses = columns_of(rows)
    return op.Counts.from_labels(truth, by_system(guesses))


def of_slices(rows: Sequence[tuple[Any, ...]]) -> op.Counts:
    truth, *guesses, by = columns_of(rows)
    return op.Counts.from_labels(truth, by_system(guesses), by=by)


def of_two_slices(rows: Sequence[tuple[Any, ...]]) -> op.Counts:
    table = pa.table(dict(zip(("gold", *SYSTEMS, "day", "place"), columns_of(rows), strict=True)))
    return op.Counts.from_frame(table, truth="gold", predictions=SYSTEMS, by=["day", "place"])


def of_sets(rows: Sequence[tuple[Any, ...]], **settings: Any) -> op.Counts:
    truth, *guesses = columns_of(rows)
    return op.Counts.from_label_sets(truth, by_system(guesses), **settings)


def of_seen_sets(rows: Sequence[tuple[Any, ...]]) -> op.Counts:
    return of_sets(rows)


def of_listed_sets(rows: Sequence[tuple[Any, ...]]) -> op.Counts:
    return of_sets(rows, labels=LABELS)


def of_items(rows: Sequence[tuple[Any, ...]]) -> op.Counts:
    return of_sets(rows, labels=LABELS, by_item=True)


def of_chunks(rows: Sequence[tuple[Any, ...]], unit: str) -> op.Counts:
    truth, *guesses = columns_of(rows)
    return op.Counts.from_chunks(truth, by_system(guesses), types=["PER", "LOC"], unit=unit)


def of_sentences(rows: Sequence[tuple[Any, ...]]) -> op.Counts:
    return of_chunks(rows, "sentence")


def of_single_chunks(rows: Sequence[tuple[Any, ...]]) -> op.Counts:
    return of_chunks(rows, "chunk")


label = st.sampled_from(["spam", "ham", "eggs"])
label_set = st.sets(st.sampled_from(LABELS))
tags = st.lists(st.sampled_from(TAGS), min_size=3, max_size=3)
ROWS: dict[Callable[..., op.Counts], st.SearchStrategy[tuple[Any, ...]]] = {
    of_labels: st.tuples(label, label, label),
    of_slices: st.tuples(label, label, label, st.sampled_from([10, 2, -1])),
    of_two_slices: st.tuples(label, label, label, st.sampled_from([10, 2, -1]), st.sampled_from(["a", "a!"])),
    of_seen_sets: st.tuples(label_set, label_set, label_set),
    of_listed_sets: st.tuples(label_set, label_set, label_set),
    of_items: st.tuples(label_set, label_set, label_set),
    of_sentences: st.tuples(tags, tags, tags),
    of_single_chunks: st.tuples(tags, tags, tags),
}
# the truth of every part has to contain these
SOMETHING: dict[Callable[..., op.Counts], tuple[Any, ...]] = {
    of_seen_sets: (set(LABELS), set(), set()),
    of_listed_sets: ({"x"}, set(), {"y"}),
    of_items: ({"x"}, set(), {"y"}),
    of_sentences: (["B-PER", "I-PER", "O"], ["O", "O", "O"], ["B-PER", "O", "O"]),
    of_single_chunks: (["B-PER", "I-PER", "O"], ["O", "O", "O"], ["B-PER", "O", "O"]),
}


@pytest.mark.parametrize("counted", ROWS)
@settings(max_examples=20)
@given(data=st.data())
def test_parts_add_up_whatever_they_are_and_in_any_order(counted: Callable[..., op.Counts], data: Any) -> None:
    row = ROWS[counted]
    parts = data.draw(st.lists(st.lists(row, min_size=1, max_size=8), min_size=1, max_size=5))
    parts = [[*part, SOMETHING[counted]] if counted in SOMETHING else part for part in parts]
    whole = counted([row for part in parts for row in part])
    shuffled = data.draw(st.permutations([counted(part) for part in parts]))
    assert same(sum(shuffled), whole)
    nested = shuffled[0] + sum(shuffled[1:], start=op.Counts.zero(SYSTEMS))
    assert same(nested, whole)


@given(st.lists(st.lists(st.sampled_from("xyz"), min_size=1, max_size=4, unique=True), min_size=1, max_size=4))
def test_labels_that_a_part_has_not_seen(seen: list[list[str]]) -> None:
    parts = [[({name}, {name}, names[0:1]) for name in names] for names in seen]
    assert same(
        sum(map(of_sets, parts), start=op.Counts.zero(SYSTEMS)), of_sets([row for part in parts for row in part])
    )


@given(st.lists(st.tuples(label, label, label), min_size=1, max_size=12), st.integers(1, 12))
def test_updates_are_additions(rows: list[tuple[Any, ...]], size: int) -> None:
    growing = op.Counts.zero(SYSTEMS)
    for start in range(0, len(rows), size):
        truth, *guesses = columns_of(rows[start : start + size])
        growing = growing.update(truth, by_system(guesses))
    assert same(growing, of_labels(rows))


def test_an_update_knows_the_listed_labels_and_their_order() -> None:
    growing = op.Counts.zero(SYSTEMS, labels=["spam", "ham"]).update(["ham"], {"a": ["ham"], "b": ["spam"]})
    listed = op.Counts.from_labels(["ham"], {"a": ["ham"], "b": ["spam"]}, labels=["spam", "ham"])
    assert same(growing, listed)
    with pytest.raises(ValueError, match="holds 'eggs', which is not among the labels 'spam', 'ham'"):
        growing.update(["ham"], {"a": ["eggs"], "b": ["ham"]})


def test_an_update_leaves_what_it_is_made_of() -> None:
    before = of_labels([(1, 1, 0)])
    before.update([0], {"a": [0], "b": [1]})
    assert before.items == 1


@given(st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_totals_add_up_and_nothing_changes_nothing(right: list[int]) -> None:
    def totals(correct: int) -> op.Counts:
        return op.Counts.from_totals({"a": (50, 45, correct), "b": (50, 40, correct // 2)})

    whole = sum(map(totals, right), start=op.Counts.zero(SYSTEMS))
    sums = (50 * len(right), 45 * len(right), sum(right))
    assert same(
        whole,
        op.Counts.from_totals({"a": sums, "b": (sums[0], 40 * len(right), sum(correct // 2 for correct in right))}),
    )


def test_classifiers_in_another_order_are_the_same_classifiers() -> None:
    rows = [(1, 1, 0), (0, 1, 0), (1, 0, 1)]
    truth, a, b = columns_of(rows)
    assert same(of_labels(rows) + op.Counts.from_labels(truth, {"b": b, "a": a}), of_labels([*rows, *rows]))


@pytest.mark.parametrize(
    ("one", "two", "sentence"),
    [
        (of_labels([(0, 1, 1)]), op.Counts.from_labels([0], {"a": [1], "c": [1]}), "must be of the same classifiers"),
        (of_labels([(0, 1, 1)]), of_labels([("0", "1", "1")]), "are of different kinds: 0, 1 and '0', '1'"),
        (of_labels([(0, 1, 1)]), of_slices([(0, 1, 1, "de")]), "is by slices and the other is not"),
        (of_sets([({"x"}, {"x"}, set())]), of_labels([(0, 1, 1)]), "of label sets and the other is not"),
        (of_items([({"x"}, {"x"}, set())]), of_sets([({"x"}, {"x"}, set())]), "of label sets and the other is not"),
        (of_items([({"x"}, {"x"}, set())]), of_sets([({"x"}, {"x"}, set())], by_item=True), "numbers of labels"),
        (of_sentences([SOMETHING[of_sentences]]), of_single_chunks([SOMETHING[of_sentences]]), "resampled whole and"),
        (
            op.Counts.from_chunks([["B-X"]], {"a": [["B-X"]], "b": [["O"]]}),
            op.Counts.from_chunks([["B-X"]], {"a": [["B-X"]], "b": [["O"]]}, scheme="IOB2", mode="strict"),
            "counted in two ways, IOBES,conlleval,sentence and IOB2,strict,sentence",
        ),
    ],
)
def test_what_does_not_add_up(one: op.Counts, two: op.Counts, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        one + two
    with pytest.raises(ValueError, match=r"; \w+"):
        two + one


def test_only_counts_and_the_zero_of_sum_are_added() -> None:
    with pytest.raises(TypeError):
        1 + of_labels([(0, 1, 1)])


def test_slices_of_which_two_would_have_one_name() -> None:
    with pytest.raises(ValueError, match="two slices would both be called 'a, b, c'"):
        op.Counts.from_frame(
            pa.table({"gold": [0, 1], "a": [0, 1], "u": ["a, b", "a"], "v": ["c", "b, c"]}),
            truth="gold",
            predictions="a",
            by=["u", "v"],
        )


BOUNDS = {
    "all": {},
    "few combinations": {"DENSE": 3},
    "small blocks": {"BLOCK": 3},
    "small blocks, few combinations": {"BLOCK": 2, "DENSE": 0},
    "no span": {"SPAN": 0, "DENSE": 5},
    "no waiting": {"WAITING": 1, "BLOCK": 2},
}
WHOLE = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


@contextmanager
def patched(bounds: dict[str, int]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in bounds.items():
            patch.setattr(tally, name, value)
        yield


@st.composite
def whole_numbers(draw: Any, rows: int) -> Any:
    """Generate whole numbers of any width, in a small range or over all of it."""
    kind = np.iinfo(draw(st.sampled_from(WHOLE)))
    low, high = int(kind.min), int(kind.max)
    base = draw(st.sampled_from([low, high - 3, 0, (low + high) // 2]))
    near = st.integers(base, min(base + 3, high))
    some = draw(st.sampled_from([near, st.sampled_from([low, 0, 1, high])]))
    return np.array(draw(st.lists(some, min_size=rows, max_size=rows)), dtype=kind.dtype)


@st.composite
def tables(draw: Any) -> tuple[list[Any], Any]:
    """Generate columns of equal length and of any kind, and weights that add up exactly."""
    rows = draw(st.integers(0, 12))
    words = st.lists(st.sampled_from(["", "a", "b", "ä", "a\0"]), min_size=rows, max_size=rows)
    bools = st.lists(st.booleans(), min_size=rows, max_size=rows)
    column = st.one_of(
        whole_numbers(rows), bools.map(lambda x: np.array(x, dtype=bool)), words.map(lambda x: np.array(x, dtype="O"))
    )
    weight = st.integers(0, 64).map(lambda x: x / 16)
    weights = st.none() | st.lists(weight, min_size=rows, max_size=rows).map(lambda x: np.array(x, dtype=float))
    return draw(st.lists(column, min_size=1, max_size=5)), draw(weights)


def by_hand(columns: Sequence[Any], n: Any) -> dict[tuple[Any, ...], float]:
    often: Counter[tuple[Any, ...]] = Counter()
    keys = list(zip(*(column.tolist() for column in columns), strict=True))
    for key, size in zip(keys, [1.0] * len(keys) if n is None else n.tolist(), strict=True):
        often[key] += size
    return dict(often)


def as_dict(found: Tally) -> dict[tuple[Any, ...], float]:
    keys = [tuple(values[code] for values, code in zip(found.values, row, strict=True)) for row in found.codes.tolist()]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found.n.tolist(), strict=True))


@given(table=tables(), cuts=st.lists(st.integers(0, 12), max_size=4))
def test_tallies_and_blocks_are_what_counting_by_hand_gives(table: tuple[list[Any], Any], cuts: list[int]) -> None:
    columns, n = table
    expected = by_hand(columns, n)
    for name, bounds in BOUNDS.items():
        growing, joined = Tallying(len(columns)), Tallying(len(columns))
        with patched(bounds):
            assert as_dict(Tally.of(columns, n)) == expected, name
            for start, stop in pairwise([0, *sorted(cuts), None]):
                block, size = [column[start:stop] for column in columns], None if n is None else n[start:stop]
                growing.add([tally.CodedColumn.of(column) for column in block], size)
                joined.join(Tally.of(block, size))
            assert as_dict(growing.tally()) == as_dict(joined.tally()) == expected, name


def test_more_combinations_than_have_a_number() -> None:
    far = np.array([0, 2**20 - 1, 0, 5])
    columns = [far, far[::-1], far.astype(np.uint64) + np.uint64(2**63), -far]
    assert np.prod([float(np.ptp(column)) for column in columns]) > 2**63
    assert as_dict(Tally.of(columns)) == by_hand(columns, None)


def test_more_systems_than_an_array_has_axes() -> None:
    truth, rest = np.array([0, 1, 1, 0]), {f"s{k}": np.zeros(4, dtype=int) for k in range(70)}
    counts = op.Counts.from_labels(truth, {"a": truth, "b": 1 - truth} | rest)
    assert counts.predictions.shape == (2, 72)
    np.testing.assert_array_equal(counts.predictions[:, :3], [[0, 1, 0], [1, 0, 0]])
    columns = [np.arange(4) * 2**k for k in range(9)] + [*rest.values()]  # too many combinations for a dense array
    assert as_dict(Tally.of(columns)) == by_hand(columns, None)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.floats(0, 9, width=16)), min_size=1, max_size=9))
def test_weights_add_up(rows: list[tuple[int, int, float]]) -> None:
    truth, guess, weights = columns_of(rows)
    if not sum(weights):
        return
    counts = op.Counts.from_labels(truth, {"a": guess}, weights=weights)
    exact = sum(map(Fraction, weights))
    assert float(counts.n.sum()) == pytest.approx(float(exact), rel=1e-15)


ROW = SOMETHING[of_sentences]
KEPT = {
    "whole numbers": of_labels([(0, 1, 1), (1, 0, 1), (-5, 0, 0)]),
    "text": of_labels([("ä", "b", "b"), ("b", "'\"\n", "b")]),
    "truth values": of_labels([(True, False, True), (False, False, True)]),
    "two kinds": of_labels([(1, "b", "b"), ("b", 1, "b")]),
    "listed": op.Counts.from_labels(["b"], {"a": ["b"]}, labels=["c", "b", "a"]),
    "weights": op.Counts.from_labels([0, 1], {"a": [1, 1]}, weights=[0.1, 1 / 3]),
    "slices": of_slices([(0, 1, 1, "de"), (1, 1, 0, "en"), (1, 1, 1, "en")]),
    "rows left out": op.Counts.from_frame(
        pa.table({"gold": [0, 1, None], "a": [0, 1, 1]}), truth="gold", predictions="a", missing="drop"
    ),
    "test sets": op.Counts.from_test_sets({"a": ([0, 1], [0, 1]), "b": ([0, 1, 1], [1, 1, 0])}),
    "confusion": op.Counts.from_confusion({"a": [[5, 1], [2, 6]], "b": [[4, 2], [3, 5]]}),
    "label sets": of_listed_sets([({"x"}, {"x"}, set()), ({"y", "x"}, {"z"}, {"y"})]),
    "items": of_items([({"x"}, {"x"}, set()), ({"y", "x"}, {"z"}, {"y"}), (set(), set(), set())]),
    "sentences": of_sentences([ROW, (["B-LOC"], ["B-LOC"], ["O"]), (["O"], ["O"], ["O"])]),
    "chunks": of_single_chunks([ROW]),
    "chunks by fold": op.Counts.from_chunks(
        [["B-X"], ["B-X"]], {"a": [["B-X"], ["O"]], "b": [["O"], ["O"]]}, folds=[(1, 1), (1, 2)]
    ),
    "totals": op.Counts.from_totals({"a": (10, 9, 8), "b": (10, 8, 7)}),
    "totals by fold": op.Counts.from_totals(
        {"a": [(10, 9, 8), (9, 9, 9)], "b": [(10, 8, 7), (9, 8, 8)]}, folds=[(1, 1), (1, 2)]
    ),
    "folds": op.Counts.by_fold({(1, 1): of_labels([(0, 1, 1), (1, 1, 0)]), (1, 2): of_labels([(0, 0, 1), (1, 1, 1)])}),
    "nothing": op.Counts.zero(SYSTEMS),
    "nothing of listed labels": op.Counts.zero(SYSTEMS, labels=[1, 0]),
    "before any sentence": of_sentences([ROW]).empty(),
}


@pytest.mark.parametrize("ending", ["json", "json.gz", "parquet"])
@pytest.mark.parametrize("counts", KEPT.values(), ids=KEPT)
def test_what_was_saved_comes_back(counts: op.Counts, ending: str, tmp_path: Path) -> None:
    folder = tmp_path / "lang=en"  # not a column
    folder.mkdir()
    path = folder / f"counts.{ending}"
    counts.save(path)
    assert [file.name for file in folder.iterdir()] == [path.name]
    assert path.read_bytes().startswith({"json": b"{", "json.gz": b"\x1f\x8b", "parquet": b"PAR1"}[ending])
    assert storing.is_counts_file(path)
    assert same(op.Counts.load(path), counts)


def test_a_label_of_thousands_of_digits(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(as_json(of_labels([(0, 1, 1)])).replace('"labels": [0', f'"labels": [{"9" * 5000}'))
    with pytest.raises(DataError, match="cannot be counts: it holds a whole number of thousands of digits"):
        op.Counts.load(path)


def test_counts_that_are_compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts, path = of_labels([(0, 1, 1), (1, 1, 1)]), tmp_path / "counts.json.gz"
    with pytest.raises(DataError, match=r"Parquet is compressed already; let the name end in \.parquet"):
        counts.save(tmp_path / "counts.parquet.gz")
    counts.save(path)
    monkeypatch.setattr(storing, "MOST_BYTES", path.stat().st_size)
    with pytest.raises(DataError, match="unpacks to more than 0 MiB, which is too large for counts"):
        op.Counts.load(path)
    monkeypatch.undo()
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(DataError, match=r"counts\.json\.gz is a damaged gzip file"):
        op.Counts.load(path)


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_what_a_file_cannot_hold(ending: str, tmp_path: Path) -> None:
    counts = op.Counts.from_labels([(0, 1), (1, 0)], {"a": [(0, 1), (0, 1)]})
    with pytest.raises(DataError, match=r"the label \(0, 1\) is a tuple; to save it, make it a text or a number"):
        counts.save(tmp_path / f"counts.{ending}")
    assert not list(tmp_path.iterdir())


NAN, HUGE = float("nan"), 10**400
EVERYWHERE: tuple[Any, ...] = (
    None,
    1.5,
    NAN,
    HUGE,
    {},
    {"a": 1},
    [None],
    [[]],
    [[[1]]],
    [{}],
    [NAN],
    [float("inf")],
    "x",
)
WRONG: dict[str, tuple[Any, ...]] = {
    "kind": (*EVERYWHERE, 1, []),
    "schema_version": (*EVERYWHERE, 2, 0, -1, "1", []),
    "classifiers": (*EVERYWHERE, 1, [], ["a", "a"], ["a", 1], ["a"], ["a", "b", "c"]),
    "labels": (*EVERYWHERE, 1, [], [0], [0, 0], [1, True]),
    "truth": (*EVERYWHERE, 1, [], [-1], ["0"], [[0]], [True], [0.0], [9], [HUGE], [-HUGE]),
    "predictions": (*EVERYWHERE, 1, [], [0], [["0", "1"]], [[0]], [[0, 9]], [[0, -2]], [[0, True]], [[0, HUGE]]),
    "n": (*EVERYWHERE, 1, [], [-1], ["1"], [True], [HUGE], [1e300], [-HUGE]),
    "groups": (*EVERYWHERE, 1, ["x"], ["x", "x"]),
    "group": (*EVERYWHERE, 1, [0], [-1], [HUGE]),
    "open": (*EVERYWHERE, 0, 1, "true", []),
    "counted": (*EVERYWHERE[:-1], 1, True, []),
    "unit": (*EVERYWHERE[:-1], 1, True, []),
    "folds": (*EVERYWHERE, 1, [1], [[1]], [[1, 2, 3]], [["1", "2"]], [[1.0, 2]], [[True, 2]], [[1, 1]]),
    "units": (*EVERYWHERE[1:], 1, [], [0], [-1], [True], [HUGE], [1], ["1"]),
    "part": (*EVERYWHERE, 1, [0], [-1], [HUGE]),
    "slices": (*EVERYWHERE, 1, ["de"], ["de", "de"]),
    "declared": (*EVERYWHERE, 0, 1, "true", []),
    "left_out": (*(x for x in EVERYWHERE if x != 1.5), -1, True, [], [1], "1", 1e300, -HUGE),
    "sets": (*EVERYWHERE[1:], 1, [], [1], True, {"items": 1}, {"number": [1]}),
    "weighed": (*EVERYWHERE[1:], 1, [], [1], True, [[1], [1]], [[-1], [1]], [["1"], [1]]),
}


def stored(counts: op.Counts, path: Path) -> dict[str, Any]:
    counts.save(path)
    return dict(json.loads(path.read_text()))


def sentence_of(path: Path) -> str:
    """Return the message with which a file is rejected."""
    with pytest.raises(DataError) as refusal:
        op.Counts.load(path)
    sentence = str(refusal.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    assert refusal.value.__cause__ is None
    return sentence


def test_every_field_is_tried() -> None:
    assert {*WRONG} == {*json.loads(as_json(KEPT["slices"]))}


@pytest.mark.parametrize("field", WRONG)
@pytest.mark.parametrize("name", ["whole numbers", "slices", "label sets", "items", "sentences", "folds"])
def test_a_field_that_is_wrong(name: str, field: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    right = stored(KEPT[name], path)
    for wrong in WRONG[field]:
        if wrong == right[field] and type(wrong) is type(right[field]):
            continue
        path.write_text(json.dumps(right | {field: wrong}))
        sentence_of(path)


@pytest.mark.parametrize("field", [name for name in WRONG if name not in ("sets", "weighed")])  # older files lack them
def test_a_field_that_is_not_there_and_one_that_is_not_known(field: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    right = stored(KEPT["sentences"], path)
    fewer = copy.deepcopy(right)
    del fewer[field]
    path.write_text(json.dumps(fewer))
    sentence_of(path)
    path.write_text(json.dumps(right | {f"{field}s_": right[field]}))
    assert f"{field}s_" in sentence_of(path)


@pytest.mark.parametrize("column", ["truth", "n", "part", "group"])
@pytest.mark.parametrize("change", [lambda x: x[:-1], lambda x: x * 2, lambda x: [99, *x[1:]], lambda x: [-1, *x[1:]]])
def test_a_column_that_does_not_fit_the_others(column: str, change: Any, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    right = stored(KEPT["sentences"], path)
    wrong = change(right[column])
    path.write_text(json.dumps(right | {column: wrong}))
    if column == "n" and wrong[0] == 99:
        assert op.Counts.load(path).n.max() == 99
    else:
        sentence_of(path)


@pytest.mark.parametrize(
    ("fields_", "sentence"),
    [
        ({"slices": ["de", "en"], "units": [1.0, 1.0, 1.0], "part": [0] * 3}, "not of two of them"),
        ({"units": [1.0], "part": [0] * 3, "n": [1e60] * 3}, "at most 9007199254740992 where units are resampled"),
        ({"open": True, "labels": ["u", "v", "w"]}, "labels must be two"),
        ({"open": True, "labels": [0, 1], "truth": [0] * 3, "predictions": [[0, 0]] * 3}, "neither true nor predicted"),
    ],
)
def test_fields_that_do_not_go_together(fields_: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(stored(KEPT["whole numbers"], path) | fields_))
    assert sentence in sentence_of(path)


def test_other_files(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    deep = b"[" * 100_000
    for content in (
        b"",
        b"{",
        b"[]",
        b"null",
        b"1" * 5000,
        b'{"a": 1}',
        b"\xff\xfe\0",
        b"\0" * 64,
        deep,
        b'{"a":' + deep,
    ):
        path.write_bytes(content)
        sentence_of(path)
    other = tmp_path / "other.parquet"
    parquet.write_table(pa.table({"n": [1.0]}), other)
    assert "holds no counts" in sentence_of(other)
    for nothing in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(DataError, match=f"cannot read {nothing}: "):
            op.Counts.load(nothing)


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_files_that_were_cut_short(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"counts.{ending}"
    KEPT["sentences"].save(path)
    whole = path.read_bytes()
    for size in range(0, len(whole.rstrip()), max(len(whole) // 60, 1)):
        path.write_bytes(whole[:size])
        sentence_of(path)


def test_a_parquet_file_with_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    of_labels([(0, 1, 1), (1, 1, 1)]).save(path)
    path.write_bytes(path.read_bytes().replace(b"predictions_0", b"predictions\xe9\xe9"))
    sentence_of(path)


HEADS: tuple[dict[str, Any], ...] = (
    {"classifiers": 5}, {"classifiers": "ab"}, {"classifiers": {"a": 1}}, {"classifiers": ["a", "b", "c"]},
    {"classifiers": ["a"]}, {"schema_version": 2}, {"kind": "counts"}, {"labels": 3}, {"units": [HUGE]},
)  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_a_parquet_file_with_a_wrong_head(head: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    KEPT["sentences"].save(path)
    table = parquet.read_table(path, partitioning=None)
    right = json.loads(table.schema.metadata[KEY])
    parquet.write_table(table.replace_schema_metadata({KEY: json.dumps(right | head).encode()}), path)
    sentence_of(path)


@pytest.mark.parametrize(
    "column", [pa.array(["a", "b"]), pa.array([[1], [2]]), pa.array([1, 2], pa.timestamp("ns")), pa.array([None, 1])]
)
def test_a_parquet_file_with_a_wrong_column(column: Any, tmp_path: Path) -> None:
    path = tmp_path / "counts.parquet"
    of_labels([(0, 1, 1), (1, 1, 1)]).save(path)
    table = parquet.read_table(path)
    for place, name in enumerate(table.column_names):
        parquet.write_table(table.set_column(place, name, column), path)
        sentence_of(path)
        parquet.write_table(table.append_column(name, column), path)
        sentence_of(path)


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_when_the_disk_is_full_the_old_file_stays(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"counts.{ending}"
    old = of_labels([(0, 1, 1), (1, 1, 0)])
    old.save(path)
    rng = np.random.default_rng(0)
    many = op.Counts.from_labels(*_random_rows(rng))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, limits[1]))  # no file grows beyond this
    try:
        with pytest.raises(DataError, match=rf"cannot write '.*counts.{ending}': .*File too large"):
            many.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert same(op.Counts.load(path), old)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    many.save(path)
    assert same(op.Counts.load(path), many)


def _random_rows(rng: Any) -> tuple[Any, dict[str, Any]]:
    truth, a, b = rng.integers(0, 200, (3, 5000))
    return truth, {"a": a, "b": b}


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_of_many_writers_the_last_whole_file_stays(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"counts.{ending}"
    tables = [of_labels([(0, 1, 1)] * (k + 1) + [(1, 0, 1)] * (k % 7)) for k in range(24)]
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(table.save, path) for table in tables * 4]:
            done.result()
    assert any(same(op.Counts.load(path), table) for table in tables)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_draft_that_someone_else_laid_out_is_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "token_hex", lambda _: "guessed")
    theirs = tmp_path / "theirs"
    (tmp_path / ".outperform-guessed").symlink_to(theirs)
    with pytest.raises(DataError, match=r"cannot write '.*counts\.json': File exists"):
        of_labels([(0, 1, 1)]).save(tmp_path / "counts.json")
    assert not theirs.exists()
    assert (tmp_path / ".outperform-guessed").is_symlink()


def test_a_file_is_on_the_disk_before_it_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, synced = tmp_path / "counts.json", list[bool]()
    monkeypatch.setattr("os.fsync", lambda _: synced.append(path.exists()))
    of_labels([(0, 1, 1)]).save(path)
    assert synced == [False]


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    path = tmp_path / f"{'x' * 250}.json"
    of_labels([(0, 1, 1)]).save(path)
    assert same(op.Counts.load(path), of_labels([(0, 1, 1)]))
    with pytest.raises(DataError, match=r"cannot write '.*xx\.json': File name too long"):
        of_labels([(0, 1, 1)]).save(tmp_path / f"{'x' * 251}.json")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file or directory"):
        of_labels([(0, 1, 1)]).save(tmp_path / "no" / "counts.json")


def test_nothing_that_is_given_is_ever_unpickled() -> None:
    package = Path(op.__file__).parent
    loading = re.compile(r"(pickle|marshal|shelve|joblib)\.(load|open)|allow_pickle")
    found = {str(path.relative_to(package)) for path in package.rglob("*.py") if loading.search(path.read_text())}
    # An error of a worker is pickled before it is sent; nothing is read from a file.
    assert found == {str(Path("crossval", "fitting.py"))}


# the command

CSV = "gold,svm,nb,lang\n" + "\n".join(
    f"{gold},{svm},{nb},{lang}"
    for k, (gold, svm, nb) in enumerate([(1, 1, 0), (1, 1, 1), (0, 0, 0), (0, 1, 0), (1, 0, 1)] * 8)
    for lang in [("de", "en", "fr")[k % 3]]
)
NAMED = ("--truth", "gold", "--predictions", "svm", "nb")


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    path.write_text(CSV)
    return str(path)


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_counted_now_and_compared_later(table: str, tmp_path: Path, ending: str) -> None:
    path = str(tmp_path / f"counts.{ending}")
    made = run("count", table, *NAMED, "-o", path)
    assert (made.exit_code, made.stdout) == (0, "")
    assert made.stderr == f"wrote {path}: 40 items in 5 cells\n"
    later = run("compare", path, "--rope", "0.1", "--format", "json", "--seed", "3")
    at_once = run("compare", table, *NAMED, "--rope", "0.1", "--format", "json", "--seed", "3")
    assert later.exit_code == 0, later.output
    assert later.stdout == at_once.stdout


def test_counts_on_standard_output_are_a_file_of_counts(table: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(run("count", table, *NAMED).stdout)
    assert same(op.Counts.load(path), op.read_counts(table, truth="gold", predictions=["svm", "nb"]))


def test_counts_of_parts_are_compared_as_one(table: str, tmp_path: Path) -> None:
    header, *lines = CSV.splitlines()
    parts = []
    for k in range(3):
        part = tmp_path / f"part{k}.csv"
        part.write_text("\n".join([header, *lines[k::3]]))
        parts.append(str(tmp_path / f"part{k}.json"))
        assert run("count", str(part), *NAMED, "--output", parts[-1]).exit_code == 0
    together = run("compare", *parts, "--format", "json", "--seed", "3")
    assert together.exit_code == 0, together.output
    assert together.stdout == run("compare", table, *NAMED, "--format", "json", "--seed", "3").stdout


def test_slices_are_kept_in_the_file(table: str, tmp_path: Path) -> None:
    path = str(tmp_path / "counts.json")
    run("count", table, *NAMED, "--by", "lang", "-o", path)
    answer = json.loads(run("compare", path, "--format", "json", "--seed", "3").stdout)
    assert [row["slice"] for row in answer] == ["de", "en", "fr"]
    assert sum(row["items"] for row in answer) == 40
    assert answer == json.loads(run("compare", table, *NAMED, "--by", "lang", "--format", "json", "--seed", "3").stdout)


def test_rows_without_a_label(table: str, tmp_path: Path) -> None:
    gaps, path = tmp_path / "gaps.csv", str(tmp_path / "counts.json")
    gaps.write_text(f"{CSV}\n1,,1,de\n,0,0,en\n")
    assert "line 43: no value in column 'gold'" in refused("count", str(gaps), *NAMED)
    made = run("count", str(gaps), *NAMED, "--drop-missing", "-o", path)
    assert made.stderr == f"wrote {path}: 40 items in 5 cells, 2 rows left out\n"
    counts = op.read_counts(table, truth="gold", predictions=["svm", "nb"])
    assert same(op.Counts.load(path), replace(counts, left_out=2))
    assert "Dropped 2 rows with missing labels." in run("compare", path).stdout
    assert op.compare(replace(counts, left_out=1), rng=0).notes[0] == "Dropped 1 row with missing labels."


def test_labels_in_the_long_format(tmp_path: Path) -> None:
    truth = [{"art"}, {"law", "art"}, {"law"}, set(), {"art"}]
    a = [{"art"}, {"law"}, {"law"}, {"art"}, {"art", "law"}]
    b = [set(), {"art"}, {"law"}, set(), {"law"}]
    long, path = tmp_path / "long.csv", tmp_path / "counts.json"
    rows: list[list[Any]] = [
        [*(int(t in labels) for labels in sets), t] for sets in zip(truth, a, b, strict=True) for t in ("law", "art")
    ]
    long.write_text("\n".join(",".join(map(str, row)) for row in [["there", "a", "b", "topic"], *rows]))
    words = ("--truth", "there", "--predictions", "a", "b", "--by", "topic", "--multilabel")
    assert run("count", str(long), *words, "-o", str(path)).exit_code == 0
    sets = op.Counts.from_label_sets(truth, {"a": a, "b": b})
    assert same(
        op.Counts.load(path), replace(sets, task=sets.task.without_sets())
    )  # rows do not say which labels occur together
    later = run("compare", str(path), "--average", "macro", "--format", "json", "--seed", "3")
    assert (
        later.stdout
        == run("compare", str(long), *words, "--average", "macro", "--format", "json", "--seed", "3").stdout
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("count",), "name a file"),
        (("count", "{csv}", "--truth", "lang"), "nothing predicts lang; say which column to read with --predictions"),
        (
            ("count", "{csv}", "--truth", "silver", "--predictions", "nb"),
            "no column 'silver'; it has 'gold', 'svm', 'nb'",
        ),
        (("count", "{csv}", *NAMED, "--by", "day"), "no column 'day'"),
        (("count", "{csv}", *NAMED, "--multilabel"), "--multilabel goes with --by, the column of labels"),
        (("count", "{csv}", *NAMED, "--by", "lang", "--multilabel"), "has 13 rows where there are 14 items"),
        (("count", "{csv}", *NAMED, "-o", "{folder}/no/c.json"), "No such file or directory"),
        (("count", "{csv}", "--truth", "gold", "--predictions", "gold"), "both the truth and a prediction"),
        (("count", "{counts}", "--truth", "gold"), "--truth has no use for counts that were saved; leave it out"),
        (("compare", "{counts}", "--by", "lang"), "--by has no use for counts that were saved; leave it out"),
        (("compare", "{counts}", "--drop-missing"), "--drop-missing has no use for counts that were saved"),
        (("compare", "{counts}", "{other}"), "must be of the same classifiers"),
        (("compare", "{counts}", "{broken}"), "{broken} cannot be counts: "),
        (("compare", "{slices}", "--average", "per_class"), "slices take one average at a time"),
        (("compare", "{slices}", "{counts}"), "is by slices and the other is not"),
        (("rank", "{slices}"), "these counts are of 3 slices"),
    ],
)
def test_what_the_command_refuses(words: tuple[str, ...], sentence: str, table: str, tmp_path: Path) -> None:
    names = {"csv": table, "folder": str(tmp_path)}
    names |= {name: str(tmp_path / f"{name}.json") for name in ("counts", "other", "broken", "slices")}
    counts = op.read_counts(table, truth="gold", predictions=["svm", "nb"])
    counts.save(names["counts"])
    replace(counts, classifiers=("svm", "lr")).save(names["other"])
    op.read_counts(table, truth="gold", predictions=["svm", "nb"], by="lang").save(names["slices"])
    broken = Path(names["counts"]).read_text().replace('"truth": [0', '"truth": [7')
    Path(names["broken"]).write_text(broken)
    answer = refused(*(word.format(**names) for word in words))
    assert sentence.format(**names) in answer


def weighted(seed: int = 0, rows: int = 400) -> tuple[Any, dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    said = {name: np.where(rng.random(rows) < right, y, 1 - y) for name, right in (("a", 0.8), ("b", 0.75))}
    return y, said, rng.lognormal(0, 1, rows)


def test_weights_are_worth_as_many_items_as_kish_says() -> None:
    y, said, w = weighted()
    raw = op.Counts.from_labels(y, said, weights=w)
    worth = raw.worth()
    assert raw.items == pytest.approx(w.sum())
    assert worth.items == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert worth.effect == pytest.approx(len(w) * (w**2).sum() / w.sum() ** 2)
    np.testing.assert_allclose(worth.n / worth.n.sum(), raw.n / raw.n.sum())
    r = op.compare(raw, pos_label=1, rope=0.01, rng=0)
    assert r.a.observed == pytest.approx(f1_score(y, said["a"], sample_weight=w))
    (note,) = (note for note in r.notes if note.startswith("Weights differ"))
    said_effect = re.fullmatch(
        r"Weights differ: ([\d.]+) rows carry as much information as one item \(the design effect\)\. If the weights "
        r"are numbers of items, pass them as counts, not as weights\.",
        note,
    )
    assert said_effect is not None
    assert float(said_effect[1]) >= round(worth.effect, 2)


@pytest.mark.parametrize(("heavy", "times"), [(0.05, 20), (0.2, 5)])
def test_weights_that_go_with_disagreement_tell_less_than_kish_says(heavy: float, times: float) -> None:
    """Against the linearised variance Σ(w(d − d̄))²/(Σw)²; Kish alone is a third too narrow."""
    rng, n = np.random.default_rng(0), 2_000
    large = rng.random(n) < heavy
    y, w, right = rng.integers(0, 2, n), np.where(large, times, 1.0), np.where(large, 0.5, 0.98)
    a, b = (np.where(rng.random(n) < right, y, 1 - y) for _ in range(2))
    r = op.compare(op.Counts.from_labels(y, {"a": a, "b": b}, weights=w), measure="accuracy", rng=0)
    d = (a == y).astype(float) - (b == y)
    linear = np.sqrt(((w * (d - np.average(d, weights=w))) ** 2).sum()) / w.sum()
    assert r.delta.sd == pytest.approx(linear, rel=0.05)
    assert r.delta.observed == pytest.approx(np.average(d, weights=w))
    ranked = op.rank(op.Counts.from_labels(y, {"a": a, "b": b}, weights=w), measure="accuracy", rng=0)
    assert np.ptp(ranked.pairs[0].hdi) == pytest.approx(np.ptp(r.delta.hdi), rel=0.03)


def test_weights_that_have_nothing_to_do_with_outcomes_are_worth_what_kish_says() -> None:
    rng, n = np.random.default_rng(1), 20_000
    y, w = rng.integers(0, 2, n), rng.lognormal(0, 0.7, n)
    a, b = (np.where(rng.random(n) < 0.8, y, 1 - y) for _ in range(2))
    r = op.compare(op.Counts.from_labels(y, {"a": a, "b": b}, weights=w), measure="accuracy", rng=0)
    assert r.items == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=0.08)


@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
def test_only_how_weights_relate_matters(scale: float) -> None:
    y, said, w = weighted()
    once, again = (
        op.compare(op.Counts.from_labels(y, said, weights=weights), pos_label=1, rng=0) for weights in (w, scale * w)
    )
    assert again.delta.hdi == pytest.approx(once.delta.hdi, rel=1e-9)
    equal = op.compare(op.Counts.from_labels(y, said, weights=np.full(len(y), scale)), pos_label=1, rng=0)
    assert equal.delta.hdi == pytest.approx(op.compare(y, said, pos_label=1, rng=0).delta.hdi, rel=1e-9)
    assert not any("Weights" in note for note in equal.notes)


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 10.0, np.pi, 7e20])
@pytest.mark.parametrize("average", ["binary", "macro", "micro", "multiclass", "per_class"])
def test_equal_weights_are_none(weight: float, average: str) -> None:
    """Numbers to the last bit, and the classical tests, which are of whole items."""
    classes = 2 if average == "binary" else 4
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, 90)
    said = {name: np.where(rng.random(90) < 0.8, y, rng.integers(0, classes, 90)) for name in "ab"}
    asked: Any = {"average": average, "draws": 200, "rng": 0, "rope": 0.01}
    asked |= {"pos_label": 1} if average == "binary" else {"measure": "mcc"} if average == "multiclass" else {}
    plain, weighed = (
        op.compare(op.Counts.from_labels(y, said, weights=weights), **asked) for weights in (None, np.full(90, weight))
    )
    assert weighed.to_json() == plain.to_json()


def test_n_is_still_so_many_items() -> None:
    y, said, _ = weighted()
    twice = op.Counts.from_labels(y, said, n=np.full(len(y), 2))
    assert twice.worth() is twice
    assert op.compare(twice, pos_label=1, rng=0).items == 2 * len(y)


def test_weights_from_anywhere_are_worth_the_same(tmp_path: Path) -> None:
    y, said, w = weighted()
    frame = pd.DataFrame({"y": y, **said, "w": w})
    frame.to_csv(tmp_path / "w.csv", index=False)
    frame.to_parquet(tmp_path / "w.parquet")
    whole = op.Counts.from_labels(y, said, weights=w)
    asked: Any = {"truth": "y", "predictions": ["a", "b"], "weights": "w"}
    halves = [
        op.Counts.from_labels(y[k], {n: x[k] for n, x in said.items()}, weights=w[k])
        for k in (slice(0, 150), slice(150, None))
    ]
    whole.save(tmp_path / "counts.json")
    whole.save(tmp_path / "counts.parquet")
    found = {
        "pandas": op.Counts.from_frame(frame, **asked),
        "polars": op.Counts.from_frame(pl.DataFrame(frame), **asked),
        "arrow": op.Counts.from_frame(pa.table(frame), **asked),
        "text": op.read_counts(tmp_path / "w.csv", **asked),
        "parquet": op.read_counts(tmp_path / "w.parquet", **asked),
        "added": halves[0] + halves[1],
        "json": op.Counts.load(tmp_path / "counts.json"),
        "kept": op.Counts.load(tmp_path / "counts.parquet"),
    }
    for name, counts in found.items():
        assert counts.worth().items == pytest.approx(whole.worth().items, rel=1e-9), name
        assert counts.worth().effect == pytest.approx(whole.worth().effect, rel=1e-9), name
    plain = op.Counts.from_labels(y, said)
    mixed = (whole + plain).worth()  # items without weights have the weight 1
    assert mixed.items == pytest.approx((w.sum() + len(y)) ** 2 / ((w**2).sum() + len(y)))


def test_every_slice_is_worth_what_its_own_weights_say() -> None:
    y, said, w = weighted()
    by, heavy = np.arange(len(y)) < 40, np.where(np.arange(len(y)) < 40, 50.0, 1.0) * w
    worth = op.Counts.from_labels(y, said, weights=heavy, by=by).worth()
    for value in (True, False):
        weights = heavy[by == value]
        assert worth.slice(value).items == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


@pytest.mark.parametrize(("kind", "low", "high"), [(np.int8, -100, 100), (np.int16, -30_000, 30_000)])
def test_numbers_that_lie_farther_apart_than_their_bits_hold(kind: Any, low: int, high: int) -> None:
    """The range from lowest to highest exceeds an int8 or an int16, which NumPy 1 did not widen."""
    rng = np.random.default_rng(0)
    truth = rng.integers(low, high, 2_000)
    guess = np.where(rng.random(2_000) < 0.8, truth, rng.integers(low, high, 2_000))
    counts = op.Counts.from_labels(truth.astype(kind), {"a": guess.astype(kind)}, labels=range(low, high))
    assert counts.contingency().hit.sum() == (truth == guess).sum()
