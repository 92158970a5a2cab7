"""The verdict card: its facts are the result's, and every situation has its sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import outperform as op
from outperform.base.signature import Signature
from outperform.results import card_of
from outperform.results.card import basis, tally
from outperform.verdicts.outlook import Outlook, at_a_border

pytestmark = pytest.mark.usefixtures("few_draws")
NEWS = op.datasets.newsgroups()


def compared(a: str = "nb_mult", b: str = "svm_l2", class_: int = 5, rope: float | None = 0.02) -> op.Comparison:
    predictions = {name: NEWS.predictions[name] for name in (a, b)}
    r = op.compare(NEWS.truth, predictions, pos_label=class_, rope=rope, rng=0)
    assert isinstance(r, op.Comparison)
    return r


def test_facts_are_those_of_the_result() -> None:
    for rope in (None, 0.02, (-0.01, 0.03)):
        r = compared().with_rope(rope)
        card = card_of(r)
        assert (card.a, card.b, card.delta, card.rope, card.items) == (r.a, r.b, r.delta, r.rope, r.items)
        assert card.measure == "f1 of class 5"
        assert card.outcome == (r.decision.name if r.decision else "")
        assert f"P(nb_mult scores higher) = {100 * r.delta.p_greater:.1f}%" in card.sure
        if r.rope:
            assert f"P(within it) = {100 * r.rope.probability:.1f}%" in card.sure
    assert card_of(compared()).sure.startswith("Margin (ROPE) ±0.02: ")
    assert card.sure.startswith("Margin (ROPE) [-0.010, +0.030]: ")


def test_a_card_read_back_from_json_says_the_same() -> None:
    for rope in (None, 0.02, 0.2):
        r = compared(rope=rope)
        assert replace(card_of(op.Comparison.from_dict(r.to_dict())), basis="") == replace(card_of(r), basis="")


@pytest.mark.parametrize(
    ("rope", "verdict", "next_"),
    [
        (0.001, "nb_mult is better than svm_l2", "Use nb_mult."),
        (0.2, "nb_mult and svm_l2 are practically the same", "Choose by other reasons, such as cost or speed."),
        (
            0.02,
            "nb_mult is ahead, but perhaps by less than the margin; not settled",
            "About 15,000 more items like these would settle it",
        ),
        (0.06, "nb_mult and svm_l2 are probably practically the same; not settled", "more items like these would"),
        (None, "P(nb_mult scores higher) = 99.9%; no verdict without a margin (ROPE)", "Choose a margin: "),
    ],
)
def test_sentences(rope: float | None, verdict: str, next_: str) -> None:
    card = card_of(compared(rope=rope))
    assert card.verdict == verdict
    assert next_ in card.next
    assert card.headline.startswith(verdict)
    assert card.next.endswith(".")


def test_the_second_of_two_may_be_the_one_to_use() -> None:
    assert card_of(compared("svm_l2", "nb_mult", rope=0.001)).next == "Use nb_mult."


def test_a_class_is_named_only_where_the_measure_has_one() -> None:
    y, a, b = ["ham", "spam"] * 20, ["ham"] * 20 + ["spam"] * 20, ["spam", "spam", "ham", "spam"] * 10
    names = {
        measure: card_of(op.compare(y, {"a": a, "b": b}, measure=measure, pos_label="spam", rng=0)).measure
        for measure in ("f1", "accuracy", "mcc")
    }
    assert names == {"f1": "f1 of class spam", "accuracy": "accuracy", "mcc": "mcc"}
    scores = op.compare_scores({"a": [1, 0] * 20, "b": [1, 1] * 20}, measure="exact_match", rng=0)
    assert card_of(scores).measure == "exact_match"


def test_a_difference_at_the_border() -> None:
    r = compared(class_=14)
    r = r.with_rope(r.delta.mean)
    assert "unless the true difference lies at the border of the margin" in card_of(r).next
    beyond = replace(r, outlook=Outlook("decided", 0.8, None))
    assert card_of(beyond).next == (
        "Even ten million more items would hardly settle it: the difference lies close to a border of the margin. "
        "Choose another margin."
    )


@pytest.mark.parametrize(
    ("mean", "rope", "border"),
    [
        (0.02, (-0.01, 0.01), False),
        (0.01, (-0.01, 0.01), True),
        (-0.01, (-0.01, 0.01), True),
        (0.0, (-0.01, 0.01), False),
        (0.0, (0.0, 0.0), True),
        (0.0099999, (-0.01, 0.01), True),
        (-0.5, (-0.01, 0.01), False),
    ],
)
def test_borders(mean: float, rope: tuple[float, float], border: bool) -> None:
    assert at_a_border(mean, (mean - 0.03, mean + 0.03), rope, 1_000) == border


def test_withheld_verdicts_say_what_would_help() -> None:
    few = op.compare_scores({"a": np.arange(6.0), "b": np.arange(6.0) - 5}, rope=0.01, rng=0)
    assert card_of(few).next == (
        "Collect more: a verdict takes at least 10 independent items or clusters that the scores rest on; there are 6."
    )
    assert card_of(few).verdict.startswith("unresolved")
    draws = op.compare(
        NEWS.truth, {n: NEWS.predictions[n] for n in ("nb_bern", "svm_l2")}, pos_label=5, draws=9, rope=0.01
    )
    assert isinstance(draws, op.Comparison)
    assert card_of(draws).next.startswith("Make more draws: a verdict takes at least ")
    rows = op.compare(
        NEWS.truth, {n: NEWS.predictions[n] for n in ("nb_bern", "nb_mult")}, average="per_class", rope=0.05, fdr=1e-9
    )
    assert isinstance(rows, op.PerClass)
    withheld = [row for row in rows if row.withheld]
    assert withheld
    assert all("judged alone it has a verdict, which fdr withholds" in card_of(row).next for row in withheld)


def test_verdicts_are_counted() -> None:
    predictions = {name: NEWS.predictions[name] for name in ("nb_bern", "nb_mult")}
    rows = op.compare(NEWS.truth, predictions, average="per_class", rope=0.05, rng=0)
    assert isinstance(rows, op.PerClass)
    names = [row.decision.name for row in rows if row.decision]
    better, worse, leans = (names.count(name) for name in ("better", "worse", "slightly_worse"))
    assert tally(rows.rows, "classes") == (
        f"Of 20 classes, nb_bern against nb_mult: better in {better}, worse in {worse}; "
        f"{leans} unresolved ({leans} leaning towards nb_mult)."
    )
    assert rows.to_text().splitlines()[0] == tally(rows.rows, "classes")
    unjudged = rows.with_rope(None)
    ahead, behind = sum(row.leader is row.a for row in unjudged), sum(row.leader is row.b for row in unjudged)
    assert tally(unjudged.rows, "classes") == (
        f"Of 20 classes, nb_bern against nb_mult: ahead in {ahead}, behind in {behind}; {20 - ahead - behind} not "
        "distinguishable. No verdict without a margin (ROPE)."
    )
    assert tally([replace(row, evidence=None) for row in unjudged], "classes") == ""  # it is not known who leads


def test_an_answer_without_draws_says_so() -> None:
    predictions = {name: NEWS.predictions[name] for name in ("nb_mult", "svm_l2")}
    text = op.compare(NEWS.truth, predictions, pos_label=5, measure="recall", rope=0.02, rng=0).to_text()
    assert "7,532 items, paired model, light prior, without draws, outperform " in text
    assert "Monte-Carlo" not in text


def test_terms_are_spelled_out_once_in_every_text() -> None:
    text = compared().to_text()
    assert text.count("highest-density interval") == text.count("region of practical equivalence") == 1
    assert text.splitlines()[-3].startswith("7,532 items, paired model, light prior, without draws, outperform ")


def test_a_short_signature_has_what_there_is() -> None:
    signature = Signature.read("outperform:1|method:sign|prior:1 rope|draws:auto")
    assert basis(signature) == "method sign, 1 rope prior, outperform 1"


def test_where_no_number_of_items_would_help_the_card_says_what_does() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(300)
    truth = (rng.random(300) < p).astype(int)
    noisy = op.compare(truth, {"a": p, "b": p**1.2}, measure="ece", rope=0.01, draws=400, rng=0)
    assert card_of(noisy).next == "Compare by Brier score or log loss (--measure brier; in Python measure='brier')."
    constant = op.compare_scores({"a": np.full(12, 100.0), "b": np.full(12, 100.0)}, rope=1, draws=400, rng=0)
    assert card_of(constant).next == "Collect items on which the scores differ."
