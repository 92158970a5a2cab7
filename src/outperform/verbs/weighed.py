"""Evidence from items that are weighed: the draws, the classical tests, and what a reader should know."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import SeedSequence

from outperform.baselines import item_tests, paired_bootstrap
from outperform.contingency import FloatArray
from outperform.items import Runs
from outperform.results import Evidence
from outperform.weighing import ItemQuestion, Weighing

__all__ = ["mirror", "weighed_evidence", "weighed_notes"]

FEW_UNITS = 50
ENOUGH_RUNS = 5  # degrees of freedom


def weighed_evidence(weighing: Weighing) -> Evidence:
    """Draw everything that a judgement needs."""
    items, question = weighing.items, weighing.question
    scores, variance = _draw(weighing)
    exchangeable = weighing.runs is None and not len(items.cluster) and items.interchangeable()
    if exchangeable:
        mirror(scores)
    return Evidence(
        question=replace(question, draws=len(scores)),
        model=weighing.model,
        names=(items.classifiers[0], items.classifiers[1]),
        items=items.items,
        observed=weighing.observed,
        scores=scores,
        prior_delta=None,
        density_at_zero=None,
        frequentist=_classical(weighing),
        notes=weighed_notes(weighing),
        exchangeable=exchangeable,
        grows=weighing.runs is None,
        variance=variance,
    )


def _draw(weighing: Weighing) -> tuple[FloatArray, dict[str, float] | None]:
    """Draws of the scores; with several runs also how much of the variance of δ comes from items and from runs."""
    scores, added = weighing.draw(), weighing.draw_runs()
    if added is None or weighing.runs is None:
        return scores, None
    from_items = float((scores[:, 0] - scores[:, 1]).var())
    return scores + added, {"items": from_items, "runs": float(weighing.runs.variance.sum())}


def _classical(weighing: Weighing) -> dict[str, float | None]:
    """Tests on items; none with several runs, of which they know nothing, nor of a function that is called anew."""
    question = weighing.question
    slow = isinstance(question, ItemQuestion) and question.measure.most_draws is not None
    if slow or weighing.runs is not None:
        return {}
    seed = SeedSequence(question.seed, spawn_key=(1,))
    tests = item_tests(weighing.items, question.measure.name)
    return tests | {"paired_bootstrap": paired_bootstrap(weighing.items, weighing.scorer, seed)}


def mirror(drawn: FloatArray) -> None:
    """Make the second half of the draws the mirror image of the first, in place."""
    half = len(drawn) // 2
    drawn[len(drawn) - half :] = drawn[:half, ::-1]
    if len(drawn) % 2:
        drawn[half] = drawn[half].mean(axis=0)


def weighed_notes(weighing: Weighing) -> tuple[str, ...]:
    """What is weighed, and where that is bold."""
    items, units = weighing.items, weighing.weights.units
    notes = []
    first, *others = items.outputs
    if others and all(np.array_equal(first, other) for other in others):
        notes.append(f"{' and '.join(items.classifiers)} put out the same on all {items.items:,} items.")
    if len(items.cluster):
        notes.append(f"{units:,} clusters are weighed, each whole; they hold {items.items:,} items.")
    if weighing.runs is not None:
        notes.append(_of_runs(weighing.runs))
    if units < FEW_UNITS:
        what = "clusters" if len(items.cluster) else "items"
        notes.append(f"{units} {what} are weighed as if what was not seen could not be: bold where they are so few.")
    return tuple(notes)


def _of_runs(runs: Runs) -> str:
    number = " and ".join(map(str, runs.number)) if len(runs.number) == 2 else f"{runs.number.sum()} in all"
    told = "" if runs.freedom >= ENOUGH_RUNS else ": so few runs tell little of how much others would differ"
    return f"Runs are drawn anew as well as items ({number}){told}."
