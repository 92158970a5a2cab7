"""Weighted averages at the mean that the jackknife gives.

An average of scores weighted by the support of the classes, Σ s ψ / Σ s, rests on classes that have items, so it hardly
needs what these learn from each other. But a trend pulls each of them, and the pulls do not cancel. So the draws are
moved to another mean. The observed average will not do, because classes with few items bias it. An item adds to
Σ s ψ what is lost without it; the sum of that over all items, divided by Σ s, is the jackknife's estimate, which is
free of most of the bias. A class depends only on the numbers of its hits, misses and false alarms, so there are three
terms for each class:

    Σ_classes Σ_outcomes (items with the outcome) · (s ψ − s ψ with one of these items less) / Σ s

Without errors, or without hits, it is 1 or 0, and only the prior says how many there may be. So draws are moved by the
share x/(x + 2) of the way, with x hits and with x errors, and by 1.5 standard deviations at most.

One hit adds at most 2 to s ψ by F1, and less by recall. By F0.5 it may add 5, and by precision s, in a class that is
hardly ever predicted. There single items change the estimate so much that it varies more than the draws do, so the
draws stay where they are.

Assumptions: ψ is a function of one class. Of a unit with several outcomes in one class, one is taken away at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from outperform.data.contingency import Contingency, FloatArray
from outperform.data.labels import IntArray
from outperform.data.relevance import Relevance
from outperform.measures.of_counts import MeasureFunction
from outperform.models.shares import ALARM, HIT, MISS, Outcomes

__all__ = ["Jackknife"]

FURTHEST, OWN = 1.5, 2.0  # standard deviations; hits or errors with which half of the way is gone
TINY = 1e-300
MOST, LARGE = 2.0, 1e6  # what one hit may add to s ψ at most, and the support of the class by which that is seen
ONE_OF = np.eye(3)[..., None]  # hits, misses and false alarms


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Estimates of weighted averages, and how much of the way draws are moved there; arrays of shape (systems,)."""

    estimate: FloatArray
    way: FloatArray

    @classmethod
    def of(
        cls, measure: MeasureFunction, items: Relevance, codes: Sequence[IntArray], systems: Sequence[Outcomes]
    ) -> Self:
        """Compute them from the outcome of each row of the items, and the outcomes of each system."""
        found = [_of_one(measure, items, *each) for each in zip(codes, systems, strict=True)]
        return cls(*np.array(found).T)

    def moved(self, scores: FloatArray) -> FloatArray:
        """Return the scores, of shape (draws, systems), within their range; or contributions of classes to them."""
        total = np.asarray(scores if scores.ndim == 2 else scores.sum(axis=-1))
        most = FURTHEST * total.std(axis=0)
        by: FloatArray = self.way * np.clip(self.estimate - total.mean(axis=0), -most, most)
        if scores.ndim == 2:
            return np.clip(total + by, total.min(axis=0), total.max(axis=0))
        contributions: FloatArray = scores + by[:, None] / scores.shape[-1]
        return contributions


def _of_one(measure: MeasureFunction, items: Relevance, codes: IntArray, outcomes: Outcomes) -> tuple[float, float]:
    """Return the estimate for one system, and how much of the way its draws are moved there."""
    counts, split = outcomes.counts, outcomes.form.one[0]
    row, number = codes * items.classes + items.class_, items.number[items.kind]
    squares = np.bincount(row, number * items.times**2, counts.size).reshape(counts.shape)
    three, squares = (np.stack([x[list(kind)].sum(axis=0) for kind in (HIT, MISS, ALARM)]) for x in (counts, squares))
    # What goes with one item: a row may stand for several, and a weighted item for less than one.
    less = np.minimum(np.divide(squares, three, out=np.zeros_like(three), where=three > 0), three)
    lost = _weighed(measure, three[:, None], items.items) - _weighed(
        measure, three[:, None] - ONE_OF * less, items.items
    )
    added = np.divide(three, less, out=np.zeros_like(three), where=less > 0) * lost
    hits, errors = (float(counts[list(part)].sum()) for part in (split.yes, split.no))
    estimate = float(added.sum() / max(three[:2].sum(), TINY))
    lone = float(_weighed(measure, np.array([[1.0], [LARGE], [0.0]]), LARGE + 1)[0])
    if not (np.isfinite(estimate) and lone <= MOST):  # some class may have no score, as 0/0 may have none
        return 0.0, 0.0
    return estimate, hits / (hits + OWN) * errors / (errors + OWN)


def _weighed(measure: MeasureFunction, counts: FloatArray, items: float) -> FloatArray:
    """Return the score of each class times its support, from counts of shape (3, …, classes)."""
    hit, missed, alarm = (np.maximum(x, 0.0)[..., None] for x in counts)
    support = hit + missed
    # The weighted average of a single class is its score.
    score = measure(Contingency(hit, support, hit + alarm, np.full(hit.shape, items)))
    found: FloatArray = np.where(support > 0, score.reshape(support.shape), 0.0)[..., 0] * support[..., 0]
    return found
