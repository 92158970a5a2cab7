"""Edge cases of the Bayes test and of chunks: order, support, units, tails and messages."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import outperform as op
from outperform.inference.f_beta import FBetaPosterior, prob_greater
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
    tables = [op.Counts.from_chunks(GOLD, {n: t}) for n, t in (("a", A), ("b", B))]
    both = op.Counts.from_chunks(GOLD, {"a": A, "b": B}).select(order)
    first, second = (tables[k] for k in order)
    assert op.bayes_test(first, second, rng=0).hypotheses == op.bayes_test(both, rng=0).hypotheses


def test_one_fold_a_repetition_has_no_test_on_folds() -> None:
    folds = [(1, 1), (2, 1), (3, 1)]
    counts = op.Counts.from_totals({"a": [(10, 9, 8)] * 3, "b": [(10, 9, 7)] * 3}, folds=folds)
    assert op.bayes_test(counts, factor=0.5, rng=0).frequentist == {}


@pytest.mark.parametrize("k", [30, 100, 200])
def test_tails_of_opposite_skew(k: int) -> None:
    p = prob_greater(FBetaPosterior(1, k, 1, 0), FBetaPosterior(k, 1, 1, 0))
    assert p == pytest.approx(k * np.exp(special.betaln(k, k + 1)), rel=1e-9, abs=0)


def test_f_beta_of_tiny_shapes() -> None:
    assert 0 < FBetaPosterior(0.01, 0.01, 0.01, 2.0).mean < 1


@pytest.mark.parametrize("shapes", [(1e6, 1.0), (1e6, 0.5), (1.0, 1e6), (1e7, 3.0)])
def test_moments_of_lopsided_shapes(shapes: tuple[float, float]) -> None:
    posterior, theirs = FBetaPosterior(*shapes, 1.0, 0.0), stats.beta(*shapes)
    assert posterior.sd == pytest.approx(theirs.std(), rel=1e-10, abs=0)


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
    with pytest.raises(TypeError, match=r"bayes_test takes op\.Counts, got NoneType"):
        op.bayes_test(None)  # type: ignore[arg-type]
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


class Tagger:
    """A tagger that repeats the truth, and may add dates."""

    def __init__(self, dates: bool) -> None:
        self.dates = dates

    def fit(self, X: Any, y: Any) -> Tagger:
        return self

    def predict(self, X: Any) -> Any:
        return [["B-DATE" if self.dates and tag == "O" else tag for tag in tags] for tags in X]


def test_types_that_only_a_tagger_knows_are_refused_after_cross_validation_too() -> None:
    gold = [["B-PER", "O", "O", "B-LOC"]] * 40
    with pytest.raises(ValueError, match="classifier 'noisy' has chunks of type 'DATE', which the truth never has"):
        op.cross_validate({"good": Tagger(False), "noisy": Tagger(True)}, gold, gold, scheme="IOB2", rng=0)
    counts = op.cross_validate({"good": Tagger(False)}, gold, gold, scheme="IOB2", rng=0)
    assert counts.items == 80
    assert len(counts.folds) == 6


def test_mistakes_are_found_before_the_fits() -> None:
    gold = [["B-PER", "I-PER"], ["O"]] * 4
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"scheme": "IOB3"}, "unknown scheme 'IOB3'"),
        ({"scheme": "IOB2", "mode": "lax"}, "unknown mode 'lax'"),
        ({"scheme": "BMES"}, "'B-PER'|'I-PER'|not a tag of BMES"),
        ({}, "y looks like tags of sentences; say their scheme="),
    ]
    for settings, sentence in mistakes:

        class Never(Tagger):
            def fit(self, X: Any, y: Any) -> Tagger:
                raise AssertionError

        with pytest.raises(ValueError, match=sentence):
            op.cross_validate({"a": Never(False)}, gold, gold, rng=0, **settings)


@pytest.mark.parametrize("kind", [list, pd.Series, lambda rows: np.array([*rows, ["O"]], dtype=object)[:-1]])
def test_tags_in_any_container_are_no_label_sets(kind: Any) -> None:
    gold = kind([["B-PER", "I-PER", "O"], ["O", "B-LOC"]] * 5)
    with pytest.raises(ValueError, match="look like tags of sentences"):
        op.compare(gold, {"a": gold, "b": gold}, average="micro")


def test_untyped_tags_repeat_labels() -> None:
    words = [["B", "M", "E", "S", "S"]] * 10
    with pytest.raises(ValueError, match="in which a label comes twice; give each label once"):
        op.compare(words, {"a": words, "b": words}, average="micro")


def test_a_single_unit_gives_no_verdict_and_a_note() -> None:
    gold = [["B-PER"]] * 500 + [["O"]] * 499 + [["B-ORG"]]
    counts = op.Counts.from_chunks(gold, {"a": gold, "b": [["B-PER"]] * 499 + [["O"]] * 501})
    r = op.compare(counts, average="per_class", rope=0.01, rng=0, draws=500)["ORG"]
    assert r.decision is not None
    assert r.decision.name == "undecided"
    assert not r.meets("better")
    assert any(note.startswith("The scores rest on only 1 non-empty unit:") for note in r.notes)


def test_models_of_chunks_do_not_speak_of_units() -> None:
    a, b = [["B-PER"]] * 50, [["B-PER"]] * 40 + [["O"]] * 10
    counts = op.Counts.from_chunks([["B-PER"]] * 50, {"a": a, "b": b}, unit=[k // 25 for k in range(50)])
    r = op.compare(counts, model="paired", rng=0, draws=500)
    assert r.items == 50
    assert not any("units" in note for note in r.notes)
    assert "|chunks:IOBES,conlleval,chunk|" in r.signature


def test_one_split_is_a_hold_out_test() -> None:
    totals = {"a": [(10, 9, 8)], "b": [(10, 9, 7)]}
    folds = op.bayes_test(op.Counts.from_totals(totals, folds=[(1, 1)]), rng=0)
    plain = op.bayes_test(op.Counts.from_totals({name: rows[0] for name, rows in totals.items()}), rng=0)
    assert folds.hypotheses == plain.hypotheses


def test_strict_needs_its_scheme() -> None:
    with pytest.raises(ValueError, match='mode="strict" needs scheme='):
        op.Counts.from_chunks(GOLD, {"a": A}, mode="strict")


def test_totals_of_other_items_are_noted() -> None:
    r = op.bayes_test(op.Counts.from_totals({"a": (100, 90, 80), "b": (150, 90, 80)}), rng=0)
    assert any(
        note.startswith("They were not tested on the same items: 100 are there for one and 150") for note in r.notes
    )
