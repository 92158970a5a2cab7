"""The floor below which there is no verdict: the same for every model of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import outperform as op

TOO_FEW = "The scores rest on too few items for a verdict"
PRIORS = ["haldane", "jeffreys", "flat", "uniform", 0.01]


def judged(truth: Any, good: Any, bad: Any, **settings: Any) -> op.Comparison:
    r = op.compare(truth, {"good": good, "bad": bad}, rope=0.01, draws=1_000, rng=0, **settings)
    assert isinstance(r, op.Comparison)
    return r


def refused(r: op.Comparison) -> bool:
    """Return whether there is no verdict for lack of items, whatever the ROPE, and a note says so."""
    assert r.decision is not None
    said = any(note.startswith(TOO_FEW) for note in r.notes)
    if said:
        assert r.outlook is None
        assert {r.with_rope(rope).decision for rope in (0.001, 0.1, 0.9)} == {r.decision}
    assert said != r.decision.decided
    return said


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_nine_items_give_no_verdict_whatever_the_prior(prior: Any, model: str) -> None:
    for items, few in ((9, True), (10, False)):
        truth = np.arange(items) % 2
        r = judged(truth, truth, 1 - truth, measure="accuracy", prior=prior, model=model)
        assert refused(r) == few


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("measure", ["recall", "precision"])
def test_items_outside_of_a_denominator_do_not_count(prior: Any, measure: str) -> None:
    for positive, few in ((9, True), (10, False)):
        truth = (np.arange(200) < positive).astype(int)
        wrong = np.roll(truth, positive)
        assert refused(judged(truth, truth, wrong, measure=measure, prior=prior)) == few


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
@pytest.mark.parametrize("prior", [None, "haldane", "pooled", "hierarchical", "flat"])
def test_a_few_items_of_many_classes_give_no_verdict(average: str, prior: str | None) -> None:
    truth = np.arange(6) % 3
    assert refused(judged(truth, truth, (truth + 1) % 3, average=average, prior=prior))


def test_two_items_with_several_labels_give_no_verdict() -> None:
    truth = np.eye(2, dtype=int)
    for prior in (None, "haldane"):
        assert refused(judged(truth, truth, 1 - truth, average="macro", prior=prior))


def test_a_class_without_items_is_left_to_the_prior() -> None:
    truth = np.arange(400) % 4
    r = judged(truth, truth, (truth + 1) % 4, labels=range(5), average="macro", prior="flat")
    assert not refused(r)


def test_a_class_of_one_item_decides_no_average_without_a_prior() -> None:
    truth = np.append(np.arange(200) % 2, 2)
    r = judged(truth, truth, np.append(truth[:-1], 0), average="macro", prior="haldane")
    assert r.delta.hdi[0] > 0.01
    assert refused(r)


def test_totals_count_what_they_are_worth() -> None:
    for gold, few in ((4, True), (40, False)):
        totals = op.Counts.from_totals({"good": (gold, gold, gold), "bad": (gold, gold, 0)})
        assert refused(op.bayes_test(totals, rope=0.01, draws=1_000, rng=0)) == few


def test_folds_count_what_they_are_worth() -> None:
    folds = [(repetition, fold) for repetition in (1, 2, 3) for fold in (1, 2)]
    good, bad = [(4, 4, 4)] * 6, [(4, 4, 0)] * 6
    counts = op.Counts.from_totals({"good": good, "bad": bad}, folds=folds)
    for factor, few in ((0.1, True), (1.0, False)):
        assert refused(op.bayes_test(counts, factor=factor, rope=0.01, draws=1_000, rng=0)) == few


def test_a_ranking_of_a_few_items_distinguishes_nobody() -> None:
    truth = np.arange(8) % 2
    systems = {"good": truth, "bad": 1 - truth, "worst": 1 - truth}
    r = op.rank(truth, systems, measure="accuracy", prior="haldane", rope=0.01, rng=0)
    assert len(r.bands) == 1
    assert any(note.startswith(TOO_FEW) for note in r.notes)


def test_power_counts_no_verdict_that_would_not_be_given() -> None:
    truth = op.Scenario.from_scores(0.9, 0.3, prevalence=0.1, agreement=0.87)
    r = op.power(truth, [20], measure="recall", rope=0.02, studies=60, rng=0)
    assert r.points[0].reached == 0
