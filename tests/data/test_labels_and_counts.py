"""Labels, their validation, and how rows become cells."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outperform as op
from outperform.data.labels import positive_label

Y, A, B = [1, 1, 0, 0, 1], [1, 0, 0, 1, 1], [1, 1, 0, 0, 0]


def cells(counts: op.Counts) -> dict[tuple[Any, ...], float]:
    rows = zip(counts.truth, counts.predictions, counts.n, strict=True)
    return {(counts.labels[t], *(counts.labels[q] for q in p)): n for t, p, n in rows}


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        np.array,
        lambda x: np.array(x, dtype=bool),
        lambda x: np.array(x, dtype=np.uint8),
        lambda x: np.array(x, dtype=float),
        lambda x: np.array(x, dtype=np.float16),
        lambda x: [float(v) for v in x],
        lambda x: np.array(x, dtype=object),
        pd.Series,
        lambda x: pd.Series(x, dtype="Int64"),
        lambda x: pd.Series(x).astype("category"),
        pl.Series,
        pa.array,
        lambda x: pa.chunked_array([x]),
    ],
)
def test_any_container_gives_the_same_counts(kind: Any) -> None:
    counts = op.Counts.from_labels(kind(Y), {"a": kind(A), "b": kind(B)})
    assert cells(counts) == {(0, 0, 0): 1, (0, 1, 0): 1, (1, 0, 1): 1, (1, 1, 0): 1, (1, 1, 1): 1}


@pytest.mark.parametrize(
    ("no", "yes"),
    [("ham", "spam"), (b"n", b"y"), ((0, 1), (1, 0)), (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)), (-7, 9)],
)
def test_any_label_type(no: Any, yes: Any) -> None:
    turn = {0: no, 1: yes}
    y, a = [turn[v] for v in Y], [turn[v] for v in A]
    counts = op.Counts.from_labels(y, {"a": a})
    assert cells(counts) == {(no, no): 1, (no, yes): 1, (yes, no): 1, (yes, yes): 2}
    assert op.estimate(y, a, pos_label=yes, rng=0).observed == op.estimate(Y, A, rng=0).observed


@given(st.lists(st.tuples(*[st.sampled_from("xyz")] * 3), min_size=1, max_size=40), st.randoms())
def test_order_of_the_rows_does_not_matter(rows: list[tuple[str, str, str]], random: Any) -> None:
    def count(rows: list[tuple[str, str, str]]) -> op.Counts:
        y, a, b = zip(*rows, strict=True)
        return op.Counts.from_labels(list(y), {"a": list(a), "b": list(b)}, labels=list("xyz"))

    shuffled = random.sample(rows, len(rows))
    assert count(rows).same_cells(count(shuffled))
    assert count(rows).items == len(rows)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=40))
def test_counted_rows_equal_rows(rows: list[tuple[int, int, int]]) -> None:
    def columns(rows: Any) -> tuple[Any, dict[str, Any]]:
        y, a, b = zip(*rows, strict=True)
        return list(y), {"a": list(a), "b": list(b)}

    tally = Counter(rows)
    y, p = columns(tally)
    assert op.Counts.from_labels(*columns(rows), labels=range(5)).same_cells(
        op.Counts.from_labels(y, p, labels=range(5), n=list(tally.values()))
    )


def test_binary_sets_one_class_against_the_rest() -> None:
    counts = op.Counts.from_labels(list("xxyyz"), {"a": list("xyyzz")}).binary("y")
    assert counts.labels == ("not y", "y")
    assert cells(counts) == {("not y", "not y"): 2, ("not y", "y"): 1, ("y", "not y"): 1, ("y", "y"): 1}
    assert op.Counts.from_labels(list("xy"), {"a": list("xx")}).binary("x").labels == ("y", "x")


def test_different_test_sets() -> None:
    counts = op.Counts.from_test_sets({"a": (Y, A), "b": (Y + Y, B + B)})
    assert not counts.paired
    assert counts.items == 15
    assert counts.contingency().total.tolist() == [5, 10]
    assert counts.select([1]).same_cells(op.Counts.from_labels(Y + Y, {"b": B + B}))
    with pytest.raises(ValueError, match=r"different classes \(0, 1 against 'n', 'y'\); list all of them"):
        op.Counts.from_test_sets({"a": (Y, A), "b": (list("ny"), list("yy"))})


def test_empty_counts_keep_the_question() -> None:
    counts = op.Counts.from_labels(Y, {"a": A, "b": B})
    assert counts.empty().items == 0
    assert counts.empty().labels == counts.labels


MISSING = "classifier 'b' has no label at position 1 \\(None or NaN\\); drop such items"


@pytest.mark.parametrize(
    "bad",
    [
        [1, None, 0, 0, 0],
        [1, float("nan"), 0, 0, 0],
        np.array([1, np.nan, 0, 0, 0]),
        pd.Series([1, None, 0, 0, 0], dtype="Int64"),
        pl.Series([1, None, 0, 0, 0]),
        ["1", float("nan"), "0", "0", "0"],
        np.ma.array([1, 1, 0, 0, 0], mask=[False, True, False, False, False]),
        np.array(["2020", "NaT", "2020", "2020", "2020"], dtype="datetime64[D]"),
    ],
)
def test_missing_labels_are_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match=MISSING):
        op.Counts.from_labels(Y, {"a": A, "b": bad})


@pytest.mark.parametrize(
    ("truth", "b", "sentence"),
    [
        (Y, [1, 1, 0, 0], "classifier 'b' has 4 items but truth has 5; give one for each item"),
        (
            Y,
            [0.1, 0.9, 0.2, 0.3, 1],
            r"classifier 'b' holds numbers such as 0\.1 where labels are expected; .*p >= 0\.5",
        ),
        (Y, [1, 1, 0, 0, 2], r"classifier 'b' predicts 2, which the truth never has \(0, 1\); correct it or, if it is"),
        (Y, [1, 1, -1, -1, 1], r"classifier 'b' predicts -1, .* \(0, 1\); write the two classes alike in both"),
        (
            Y,
            ["y", "y", "n", "n", "y"],
            r"classifier 'b' predicts 'n', .* \(0, 1\); write the two classes alike in both",
        ),
        (Y, ["1", "1", "0", "0", "1"], r"classifier 'b' predicts '0', which the truth never has \(0, 1\)"),
        ([1] * 5, [1] * 5, r"the truth has a single class \(1\); add items of the other, or list both"),
        (Y, np.zeros((5, 2)), r"classifier 'b' has shape \(5, 2\); give one label per item"),
    ],
)
def test_bad_labels_get_one_sentence(truth: Any, b: Any, sentence: str) -> None:
    a = [1] * 5 if truth == [1] * 5 else A
    with pytest.raises(ValueError, match=sentence) as caught:
        op.Counts.from_labels(truth, {"a": a, "b": b}).checked()
    assert "\n" not in str(caught.value)


def test_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="there are no items; give at least one label"):
        op.Counts.from_labels([], {"a": []})
    with pytest.raises(ValueError, match="there is no classifier"):
        op.Counts.from_labels(Y, {})


@pytest.mark.parametrize("bad", ["spam", {"x": 1}, {1, 0}, 3, None])
def test_what_is_no_sequence(bad: Any) -> None:
    with pytest.raises(TypeError, match="classifier 'a' must be a sequence of labels, got"):
        op.Counts.from_labels(Y, {"a": bad})


def test_predictions_need_names() -> None:
    with pytest.raises(
        TypeError, match=r"as in \{'svm': p1, 'nb': p2\}, or come .* as in compare\(y, p1, p2\), got list"
    ):
        op.Counts.from_labels(Y, [A, B])  # type: ignore[arg-type]


def test_names_that_read_the_same() -> None:
    with pytest.raises(ValueError, match="two classifiers have the same name: 1, '1'"):
        op.Counts.from_labels(Y, {1: A, "1": B})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="there is no classifier"):
        op.compare({}, {})
    for one, two in (("a", "a "), ("a b", "a  b"), ("é", "e\u0301"), ("a", "a\u200b"), ("a\nb", "a b")):
        with pytest.raises(ValueError, match=r"two systems have names that look the same, .*; rename one"):
            op.Counts.from_labels(Y, {one: A, two: B})
    with pytest.raises(ValueError, match="two systems have names that look the same, 'a' and 'a '"):
        op.compare_scores({"a": [0.1, 0.5], "a ": [0.2, 0.1]})
    apart = {"a": [[5, 1], [2, 7]]}, {"a ": [[5, 2], [1, 7]]}
    with pytest.raises(ValueError, match="two systems have names that look the same, 'a' and 'a '"):
        op.compare(op.Counts.side_by_side(*map(op.Counts.from_confusion, apart)))
    assert op.Counts.from_labels(Y, {"A": A, "a": B}).classifiers == ("A", "a")


def test_numbers_too_large_for_labels() -> None:
    with pytest.raises(ValueError, match=r"classifier 'a' holds numbers such as 1e\+300 where labels are expected"):
        op.Counts.from_labels([1, 0], {"a": [1e300, 0.0]})


def test_labels_that_differ_in_a_nul() -> None:
    assert op.Counts.from_labels(["a", "a\0"], {"p": ["a", "a"]}).labels == ("a", "a\0")


def test_numpy_labels_become_plain() -> None:
    r = op.compare(
        Y, {"a": A, "b": B}, labels=np.array([0, 1]), pos_label=np.int64(1), average="binary", rng=0, draws=9
    )
    assert op.Comparison.from_dict(json.loads(r.to_json())) == r
    classes = op.compare(Y, {"a": A, "b": B}, labels=np.array([0, 1]), average="per_class", rng=0, draws=9)
    assert [type(row.class_) for row in classes] == [int, int]


def test_long_labels_are_cut_in_messages() -> None:
    with pytest.raises(ValueError, match="classifier 'a' predicts 'xxx") as caught:
        op.Counts.from_labels([1, 0], {"a": ["x" * 10_000, 0]}).checked()
    assert len(str(caught.value)) < 300


BEYOND = 10**5000  # Python writes no whole number of so many digits as text


@pytest.mark.parametrize(
    ("compare", "what"),
    [
        (lambda: op.compare(Y, A, B, pos_label=BEYOND), "pos_label"),
        (lambda: op.estimate(Y, A, pos_label=-BEYOND), "pos_label"),
        (lambda: op.compare(Y, A, B, labels=[BEYOND]), "labels"),
        (lambda: op.compare([BEYOND, *Y[1:]], A, B), "truth"),
        (lambda: op.compare(Y, A, [*B[:-1], BEYOND]), "classifier 'B'"),
        (lambda: op.compare(Y, A, [*B[:-1], (BEYOND, "x")]), "classifier 'B'"),
        (lambda: op.compare([{BEYOND}, {1}], [{1}, {1}], [{1}, {1}], average="micro"), "truth"),
    ],
)
def test_labels_of_thousands_of_digits(compare: Any, what: str) -> None:
    with pytest.raises(ValueError, match="digits") as caught:
        compare()
    sentence = "holds a whole number of thousands of digits; shorten it, or put it in quotes if it is a name"
    assert str(caught.value) == f"{what} {sentence}"


def test_unhashable_labels() -> None:
    with pytest.raises(TypeError, match="classifier 'a' holds a list at position 1, not a label"):
        op.Counts.from_labels(Y, {"a": [1, [1], 0, 0, 1]})


def test_listed_labels_allow_what_is_missing_and_refuse_the_rest() -> None:
    assert op.Counts.from_labels([1, 1], {"a": [1, 2]}, labels=[0, 1, 2]).labels == (0, 1, 2)
    with pytest.raises(ValueError, match="classifier 'a' holds 3, which is not among the labels 0, 1"):
        op.Counts.from_labels([1, 1], {"a": [1, 3]}, labels=[0, 1])


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({"n": ["x", 2, 1, 1, 1]}, "n must be numbers, one for each row, got"),
        ({"n": np.ones(5) * 1j}, "n must be numbers, one for each row, got"),
        ({"weights": np.ones(5, dtype="m8[s]")}, "weights must be numbers, one for each row, got"),
        ({"n": [1, 2, -1, 1, 1]}, "n holds -1; counts are finite and not negative"),
        ({"n": [1, 2, 0.5, 1, 1]}, r"n holds 0\.5, which is not a whole number of items; .*weights="),
        ({"n": [1, 2]}, r"n has shape \(2,\); give one number for each of 5 rows"),
        ({"n": [0] * 5}, "n adds up to 0; there are no items"),
        ({"weights": [1, np.inf, 1, 1, 1]}, "weights holds inf; counts are finite"),
        ({"n": [1] * 5, "weights": [1] * 5}, "give n .* or weights .*, not both"),
    ],
)
def test_bad_sizes(given_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.Counts.from_labels(Y, {"a": A}, **given_)


def test_fractions_are_weights() -> None:
    assert op.Counts.from_labels(Y, {"a": A}, weights=[0.5] * 5).items == 2.5


@pytest.mark.parametrize(("labels", "positive"), [((0, 1), 1), ((False, True), True), ((-1, 1), 1)])
def test_one_is_positive_without_saying(labels: Any, positive: Any) -> None:
    assert positive_label(labels, None) == positive


def test_positive_label_is_asked_for() -> None:
    with pytest.raises(ValueError, match="the labels are 'ham', 'spam': say which is positive with pos_label"):
        positive_label(("ham", "spam"), None)
    with pytest.raises(ValueError, match="the labels are 1, 2: say which"):
        positive_label((1, 2), None)
    with pytest.raises(ValueError, match="pos_label 'eggs' is not a label; there are 'ham', 'spam'"):
        positive_label(("ham", "spam"), "eggs")
    with pytest.raises(ValueError, match=r"there are 3 classes .* set one against the rest with pos_label"):
        positive_label((0, 1, 2), None)
    odd: Any
    for odd in (pd.NA, np.array([1, 0]), np.eye(2), [1], float("nan")):
        with pytest.raises(ValueError, match=r"^pos_label .* is not a label; there are 0, 1$"):
            positive_label((0, 1), odd)


TWO: dict[str, Any] = {"a": [0, 1], "b": [1, 1]}
SETS = [{0}, {1}]
LISTED: dict[str, Any] = {
    "compare": lambda labels: op.compare([0, 1], TWO, labels=labels),
    "compare, label sets": lambda labels: op.compare(SETS, {"a": SETS, "b": SETS}, labels=labels, average="micro"),
    "estimate": lambda labels: op.estimate([0, 1], [0, 1], labels=labels),
    "rank": lambda labels: op.rank([0, 1], TWO, labels=labels),
    "from_labels": lambda labels: op.Counts.from_labels([0, 1], TWO, labels=labels),
    "from_frame": lambda labels: op.Counts.from_frame(pd.DataFrame(TWO), truth="a", predictions=["b"], labels=labels),
    "from_test_sets": lambda labels: op.Counts.from_test_sets({"a": ([0, 1], [0, 1])}, labels=labels),
    "from_confusion": lambda labels: op.Counts.from_confusion({"a": [[1, 2], [3, 4]]}, labels=labels),
    "from_label_sets": lambda labels: op.Counts.from_label_sets(SETS, {"a": SETS}, labels=labels),
    "zero": lambda labels: op.Counts.zero(["a"], labels=labels),
}


@pytest.mark.parametrize("call", LISTED.values(), ids=LISTED)
def test_labels_are_a_sequence_of_labels(call: Any) -> None:
    for labels in (5, 1.5, True, "ham", b"ham", object, np.array(5)):
        with pytest.raises(TypeError, match=r"labels must be a sequence of labels, as in \['ham', 'spam'\], got "):
            call(labels)
    with pytest.raises(TypeError, match=r"labels holds \[0, 1\], a list; a label is one value"):
        call([[0, 1]])
    call(iter([0, 1]))


def test_many_classifiers_do_not_overflow_the_key() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 500, 100)
    counts = op.Counts.from_labels(y, {str(k): y for k in range(60)})
    assert counts.items == 100
    assert len(counts.n) == len(np.unique(y))
