"""What a review of the Bayes test and of chunks found: orders, supports, units, tails and sentences."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import outperform as op
from outperform.fscore import FScore, prob_greater
from tests.tables import pair

GOLD = [["B-PER", "O", "B-LOC"], ["O", "B-LOC", "I-LOC"], ["B-LOC", "I-LOC", "O"]] * 20
A = [["B-PER", "O", "O"], ["O", "O", "O"], ["B-LOC", "I-LOC", "O"]] * 20
B = [["O", "O", "B-LOC"], ["O", "B-LOC", "I-LOC"], ["B-LOC", "O", "O"]] * 19 + GOLD[:3]


def test_labels_in_another_order_are_the_same_labels() -> None:
    y, p, q = ["x"] * 30 + ["y"] * 10, ["x"] * 25 + ["y"] * 15, ["x"] * 32 + ["y"] * 8
    a = op.Counts.from_labels(y, {"p": p}, labels=["x", "y"])
    b = op.Counts.from_labels(y, {"q": q}, labels=["y", "x"])
    both = op.bayes_test(op.Counts.from_labels(y, {"p": p, "q": q}), pos_label="y", rng=0)
    assert op.bayes_test(a, b, pos_label="y", rng=0).hypotheses == both.hypotheses


def test_types_side_by_side_have_the_support_of_their_own() -> None:
    one, two = (op.Counts.from_chunks(GOLD, {n: t}, unit="chunk") for n, t in (("a", A), ("b", B)))
    r = op.compare(op.Counts.side_by_side(one, two), average="macro", rng=0, draws=200)
    together = op.Counts.from_chunks(GOLD, {"a": A, "b": B}, unit="chunk")
    s = op.compare(together, average="macro", model="unpaired", rng=0, draws=200)
    assert r.a.observed == pytest.approx(s.a.observed)
    assert r.b.observed == pytest.approx(s.b.observed)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_taggers_counted_one_by_one_by_sentence(order: list[int]) -> None:
    each = [op.Counts.from_chunks(GOLD, {n: t}) for n, t in (("a", A), ("b", B))]
    both = op.Counts.from_chunks(GOLD, {"a": A, "b": B}).select(order)
    first, second = (each[k] for k in order)
    assert op.bayes_test(first, second, rng=0).hypotheses == op.bayes_test(both, rng=0).hypotheses


def test_one_fold_a_repetition_has_no_test_on_folds() -> None:
    folds = [(1, 1), (2, 1), (3, 1)]
    counts = op.Counts.from_totals({"a": [(10, 9, 8)] * 3, "b": [(10, 9, 7)] * 3}, folds=folds)
    assert op.bayes_test(counts, factor=0.5, rng=0).frequentist == {}


@pytest.mark.parametrize("k", [30, 100, 200])
def test_tails_of_opposite_skew(k: int) -> None:
    p = prob_greater(FScore(1, k, 1, 0), FScore(k, 1, 1, 0))
    assert p == pytest.approx(k * np.exp(special.betaln(k, k + 1)), rel=1e-9, abs=0)


def test_f_beta_of_tiny_shapes() -> None:
    assert 0 < FScore(0.01, 0.01, 0.01, 2.0).mean < 1


@pytest.mark.parametrize("shapes", [(1e6, 1.0), (1e6, 0.5), (1.0, 1e6), (1e7, 3.0)])
def test_moments_of_lopsided_shapes(shapes: tuple[float, float]) -> None:
    own, theirs = FScore(*shapes, 1.0, 0.0), stats.beta(*shapes)
    assert own.sd == pytest.approx(theirs.std(), rel=1e-10, abs=0)


def test_folds_that_together_are_alike_are_exchangeable() -> None:
    one, two = pair((10, 3, 1, 2), (1, 1, 2, 9)), pair((10, 1, 3, 2), (1, 2, 1, 9))
    r = op.compare(op.Counts.by_fold({(1, 1): one, (1, 2): two}), rope=0.01, rng=0)
    assert r.delta.mean == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("types", [["PRE"], [], "PER"])
def test_types_that_nobody_has(types: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="types= "):
        op.Counts.from_chunks(GOLD, {"a": A}, types=types)


def test_types_of_untyped_chunks() -> None:
    with pytest.raises(ValueError, match="types= and typed=False exclude each other"):
        op.Counts.from_chunks(GOLD, {"a": A}, types=["PER"], typed=False)


def test_one_type_of_chunk() -> None:
    counts = op.Counts.from_chunks(GOLD, {"a": A, "b": B})
    assert op.compare(counts, pos_label="PER", rng=0, draws=200).a.observed == 1
    assert op.bayes_test(counts, pos_label="PER", rng=0).a.observed == 1


@pytest.mark.parametrize("totals", [("x", 1, 2), None])
def test_totals_that_are_no_numbers(totals: Any) -> None:
    with pytest.raises(ValueError, match="classifier 'a' has totals"):
        op.Counts.from_totals({"a": totals})


def test_ragged_totals() -> None:
    with pytest.raises(ValueError, match="classifier 'a' has totals"):
        op.Counts.from_totals({"a": [(10, 9, 8), (1, 2)]}, folds=[(1, 1), (1, 2)])


@pytest.mark.parametrize(
    ("folds", "sentence"),
    [([(1, 1), (1, 1)], "repetition 1, fold 1 comes twice"), ([1, 2], r"folds holds 1; give \(repetition, fold\)")],
)
def test_folds_that_are_none(folds: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.Counts.from_totals({"a": [(10, 9, 8)] * 2}, folds=folds)


def test_folds_may_be_an_array() -> None:
    folds: Any = np.array([(1, 1), (1, 2)])
    assert op.Counts.from_totals({"a": [(10, 9, 8)] * 2}, folds=folds).folds == ((1, 1), (1, 2))


def test_what_is_nothing_or_no_counts() -> None:
    with pytest.raises(ValueError, match="there are no folds"):
        op.Counts.by_fold({})
    with pytest.raises(ValueError, match="there are no counts"):
        op.Counts.side_by_side()
    with pytest.raises(TypeError, match=r"bayes_test takes op\.Counts, got list"):
        op.bayes_test([1, 0, 1], {"a": [1, 0, 1], "b": [1, 0, 0]})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"CrossValidated takes a model such as op\.Paired\(\)"):
        op.CrossValidated("paired")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match='unit must be "sentence", "chunk" or say'):
        op.Counts.from_chunks(GOLD, {"a": A}, unit=None)  # type: ignore[arg-type]


def test_a_bootstrap_of_units_stays_one_without_folds() -> None:
    counts = op.Counts.from_chunks(GOLD, {"a": A, "b": B})
    wrapped = op.compare(counts, model=op.CrossValidated(op.BayesianBootstrap()), rng=0, draws=500)
    plain = op.compare(counts, model=op.BayesianBootstrap(), rng=0, draws=500)
    assert wrapped.delta == plain.delta


def test_tags_are_no_label_sets() -> None:
    with pytest.raises(
        ValueError, match=r"look like tags of sentences; count their chunks with op\.Counts\.from_chunks"
    ):
        op.compare(GOLD, {"a": A, "b": B}, average="macro")


def test_the_signature_says_how_chunks_were_counted() -> None:
    counts = op.Counts.from_chunks(GOLD, {"a": A, "b": B})
    assert "|chunks:IOBES,conlleval,sentence|" in op.compare(counts, rng=0, draws=500).signature
    assert (
        "|chunks:" not in op.compare([1, 0, 1, 0], {"a": [1, 0, 1, 1], "b": [1, 1, 0, 0]}, rng=0, draws=500).signature
    )


def test_results_can_be_pickled() -> None:
    r = op.bayes_test(op.Counts.from_chunks(GOLD, {"a": A, "b": B}), rng=0, draws=500)
    assert pickle.loads(pickle.dumps(r)) == r
