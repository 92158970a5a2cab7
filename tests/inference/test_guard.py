"""No verdict if the items alone contradict what classes learn from each other.

The world: 10 labels that both systems find about equally well, and 40 rare ones that neither finds, of which one system
raises false alarms. Both have F1 = 0 on the rare labels, so the observed macro F1 is the same; but a prior that draws
all labels to their pool believes in hits of the system that has no false alarms.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from sklearn.metrics import f1_score

import outperform as op
from outperform.data.contingency import FloatArray
from outperform.inference.delta_summary import shape_of
from outperform.measures.of_counts import Measure
from outperform.verdicts.decision import ItemsAlone

pytestmark = pytest.mark.usefixtures("few_draws")

ITEMS, COMMON, RARE = 600, 10, 40
ROPE = 0.01


@cache
def world(alarms: int) -> tuple[Any, Any, Any]:
    """Return indicator matrices of the truth and of two systems, the second with false alarms of rare labels."""
    rng = default_rng(1)
    truth = np.zeros((ITEMS, COMMON + RARE), dtype=bool)
    truth[:, :COMMON] = rng.random((ITEMS, COMMON)) < 0.1
    a, b = np.zeros_like(truth), np.zeros_like(truth)
    found = truth & (rng.random(truth.shape) < 0.8)
    for guess in (a, b):
        guess[:, :COMMON] = (found ^ (truth & (rng.random(truth.shape) < 0.02)))[:, :COMMON]
    for k in range(COMMON, COMMON + RARE):
        there, *false = np.split(rng.permutation(ITEMS), [3, 3 + alarms])
        truth[there, k], b[false[0], k] = True, True
    return truth, a, b


def counted(alarms: int = 12, names: str = "ab") -> op.Counts:
    truth, a, b = world(alarms)
    return op.Counts.from_label_sets(truth, dict(zip(names, (a, b), strict=True)))


@cache
def contradicted(rope: float | None = ROPE) -> op.Comparison:
    return op.compare(counted(), average="macro", model=op.Paired("pooled"), rope=rope, draws=2_000, rng=0)


def test_the_world_is_as_it_says() -> None:
    """By scikit-learn: equal scores, 0 on the rare labels; and the pooled prior alone would give ≫."""
    truth, a, b = world(12)
    scores = [f1_score(truth, guess, average=None, zero_division=0) for guess in (a, b)]
    assert abs(scores[0].mean() - scores[1].mean()) < ROPE / 5
    assert not scores[0][COMMON:].any()
    assert not scores[1][COMMON:].any()
    assert op.decide(contradicted().delta.hdi, (-ROPE, ROPE)) == "better"


def test_a_verdict_that_the_items_contradict_is_not_given() -> None:
    r = contradicted()
    assert r.decision is not None
    assert r.decision.name == "undecided"
    assert not any(map(r.meets, ("better", "not-worse", "equivalent")))
    assert sum(note.startswith("No verdict:") for note in r.notes) == 1
    assert r.outlook is None  # more of the same items would not bring one


def test_the_note_says_what_was_observed() -> None:
    r = contradicted()
    (note,) = (note for note in r.notes if note.startswith("No verdict:"))
    low, high = r.delta.hdi
    assert f"[{low:+.3f}, {high:+.3f}]" in note
    assert r.delta.observed is not None
    assert f"observed {r.delta.observed:+.3f}" in note


def test_nothing_can_be_told_whatever_the_rope() -> None:
    r = contradicted()
    assert r.evidence is not None
    assert shape_of(r.evidence, (0.95,)).few == {0.95: True}
    for rope in (0.0, 0.001, 0.05, (-0.02, 0.1)):
        other = r.with_rope(rope)
        assert other.decision is not None
        assert other.decision.name == "undecided"
    assert {decision.name for _, decision in r.evidence.by_margin(r.delta)} == {"undecided"}


def test_nothing_is_planned_with_a_pilot_that_has_no_verdict() -> None:
    """It was said that no more items are needed, although no ROPE gives the comparison a verdict."""
    with pytest.raises(ValueError, match="the pilot has no verdict, because its items alone contradict"):
        op.plan(counted(), rope=0.3, average="macro", prior="pooled", rng=0)
    with pytest.raises(ValueError, match="the pilot has no verdict, because its items alone contradict"):
        contradicted().with_rope(0.3).more_data()
    assert op.plan(counted(), rope=0.9, average="macro", prior="trend", rng=0).further == 0


def test_a_report_holds_each_hdi_against_the_items() -> None:
    """A reader may choose another interval level: the answer for all was that of 95%, whatever the comparison had."""
    r = op.compare(counted(1), average="macro", model=op.Paired("pooled"), rope=ROPE, draws=2_000, rng=0)
    assert r.evidence is not None
    masses = (0.8, 0.95, 0.999)
    expected = {mass: r.evidence.withheld(r.with_mass(mass).delta.hdi) for mass in masses}
    assert set(expected.values()) == {True, False}
    assert shape_of(r.evidence, masses).few == expected


def test_without_a_rope_there_is_no_note_of_a_verdict() -> None:
    assert not any(note.startswith("No verdict:") for note in contradicted(None).notes)


@pytest.mark.parametrize("rope", [None, ROPE])
def test_a_ranking_does_not_separate_them(rope: float | None) -> None:
    ranking = op.rank(counted(), average="macro", model=op.Paired("pooled"), rope=rope, draws=2_000, rng=0)
    (pair,) = ranking.pairs
    assert min(map(abs, pair.hdi)) > ROPE  # the draws alone would
    assert not pair.separated
    assert pair.decision is None or pair.decision.name == "undecided"
    assert ranking.bands == (("a", "b"),)
    assert sum("a and b" in note and "items alone" in note for note in ranking.notes) == 1


def test_the_default_prior_agrees_with_the_items() -> None:
    r = op.compare(counted(), average="macro", rope=ROPE, draws=2_000, rng=0)
    assert r.prior == "trend"
    assert r.evidence is not None
    alone = r.evidence.items_alone()
    assert alone is not None
    assert not alone.contradict(r.delta.hdi)
    assert not any(note.startswith("No verdict:") for note in r.notes)


def better(names: str = "ab") -> op.Counts:
    """Return counts of five similar classes, on which one system is correct in 90% and the other in 60%."""
    rng = default_rng(3)
    truth = rng.integers(5, size=800)
    guesses = (np.where(rng.random(800) < share, truth, rng.integers(5, size=800)) for share in (0.9, 0.6))
    return op.Counts.from_labels(truth, dict(zip(names, guesses, strict=True)))


@pytest.mark.parametrize("prior", ["pooled", "hierarchical", "trend"])
def test_a_verdict_that_the_items_share_is_kept(prior: str) -> None:
    r = op.compare(better(), average="macro", model=op.Paired(prior), rope=ROPE, draws=2_000, rng=0)
    assert r.decision is not None
    assert r.decision.name == "better"
    assert r.meets("better")
    assert r.evidence is not None
    assert shape_of(r.evidence, (0.95,)).few == {0.95: False}
    ranking = op.rank(better(), average="macro", model=op.Paired(prior), rope=ROPE, draws=2_000, rng=0)
    assert ranking.pairs[0].separated
    assert not any("items alone" in note for note in ranking.notes)


@pytest.mark.parametrize("prior", ["pooled", "trend"])
def test_identical_predictions_stay_equivalent(prior: str) -> None:
    """The observed difference is exactly 0, and no resample has another sign."""
    truth, a, _ = world(12)
    r = op.compare(truth, {"a": a, "b": a}, average="macro", model=op.Paired(prior), rope=0.2, draws=2_000, rng=0)
    assert r.decision is not None
    assert r.decision.name == "equivalent"
    assert not any(note.startswith("No verdict:") for note in r.notes)


def test_a_prior_without_learning_is_not_guarded() -> None:
    r = op.compare(counted(), average="macro", model=op.Paired("jeffreys"), rope=ROPE, draws=500, rng=0)
    assert r.evidence is not None
    assert r.evidence.items_alone() is None


def with_one_class_each() -> op.Counts:
    """Return counts of items of one class each: 10 common ones, and 30 that nobody finds but B raises."""
    rng = default_rng(2)
    size = np.repeat([0.09, 0.1 / 30], [10, 30])
    truth = rng.choice(40, 1_200, p=size / size.sum())
    right = (truth < 10) & (rng.random(1_200) < 0.8)
    said = {"a": rng.integers(10, size=1_200), "b": rng.integers(10, 40, size=1_200)}
    guesses = {name: np.where(right, truth, other) for name, other in said.items()}
    return op.Counts.from_labels(truth, guesses, labels=range(40))


def _f1(c: op.Contingency) -> FloatArray:
    return c.ratio(2 * c.hit, c.support + c.predicted)


def _weighted(c: op.Contingency) -> FloatArray:
    return c.ratio((c.support * _f1(c)).sum(axis=-1), c.support.sum(axis=-1))


def test_a_function_of_the_whole_table_that_averages_classes_is_an_average() -> None:
    """The default prior had given A a difference of +0.13 and ≫, where A scores 0.05 less."""
    own = Measure("own", _f1, multiclass=lambda c: _f1(c).mean(axis=-1))
    r = op.compare(with_one_class_each(), measure=own, rope=0.005, draws=2_000, rng=0)
    assert r.prior == "trend"
    average = op.compare(with_one_class_each(), average="macro", rope=0.005, draws=2_000, rng=0)
    assert r.delta.observed == pytest.approx(average.delta.observed)
    assert r.delta.observed is not None
    assert r.delta.observed < -0.04
    # Draws of an average are moved class by class, those of the whole table at once.
    assert abs(r.delta.mean - average.delta.mean) < average.delta.sd / 2


def test_a_function_of_the_whole_table_is_guarded_as_an_average_is() -> None:
    own = Measure("own", _f1, multiclass=_weighted)
    r = op.compare(with_one_class_each(), measure=own, rope=0.005, draws=2_000, rng=0)
    assert r.prior == "pooled"
    assert r.evidence is not None
    assert r.delta.observed is not None
    assert not r.delta.hdi[0] <= r.delta.observed <= r.delta.hdi[1]
    assert r.decision is not None
    assert r.decision.name == "undecided"
    assert sum(note.startswith("No verdict:") for note in r.notes) == 1


@pytest.mark.parametrize(
    ("observed", "mean", "interval", "contradict"),
    [
        (0.0, 0.0, (0.1, 0.2), True),  # observed outside
        (0.15, 0.14, (0.1, 0.2), False),
        (0.15, -0.01, (0.1, 0.2), True),  # the resamples have the opposite sign
        (-0.15, 0.01, (-0.2, -0.1), True),
        (-0.15, -0.3, (-0.2, -0.1), False),
        (0.05, -0.01, (-0.1, 0.2), False),  # an HDI that contains 0 has no sign
        (0.1, 0.1, (0.1, 0.2), False),  # on the border
        (0.0, 0.0, (0.0, 0.0), False),
    ],
)
def test_what_contradicts(observed: float, mean: float, interval: tuple[float, float], contradict: bool) -> None:
    alone = ItemsAlone(observed, mean, (mean - 0.1, mean + 0.1))
    assert alone.contradict(interval) is contradict
    mirrored = ItemsAlone(-observed, -mean, (-mean - 0.1, -mean + 0.1))
    assert mirrored.contradict((-interval[1], -interval[0])) is contradict
