"""Weighted averages with the mean that the jackknife gives, and a spread that is not below its own.

An average of scores weighted by the support of the classes, θ = Σ s ψ / Σ s, rests on classes that have items, so it
hardly needs what these learn from each other. But a trend pulls each of them, and the pulls do not cancel. So the draws
are moved to another mean. The observed average will not do, because classes with few items bias it. An item adds to
Σ s ψ what is lost without it; the sum of that over all items, divided by Σ s, is the jackknife's estimate, which is
free of most of the bias. A class depends only on the numbers of its hits, misses and false alarms, so there are three
terms for each class:

    Σ_classes Σ_outcomes (items with the outcome) · (s ψ − s ψ with one of these items less) / Σ s

This estimate varies more than the mean of the draws does where single items change s ψ much. The jackknife also tells
its variance, the sum over all items of ((lost without the item) − θ · (its true classes))² / (Σ s)². Draws whose
standard deviation is less are spread to it, up to 1.5 times.

Without errors, or without hits, the estimate is 1 or 0, and only the prior says how many there may be. So draws are
moved and spread by the share x/(x + 2) of the way, with x hits and with x errors, and moved by 1.5 standard deviations
at most.

One hit adds at most 2 to s ψ by F1, 5 by F0.5, and less by recall. By precision it may add s, in a class that is
hardly ever predicted. The few predictions of such a class do not tell what it adds, so the draws stay as they are.

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
from outperform.models.shares import ALARM, HIT, KINDS, MISS, Outcomes

__all__ = ["Jackknife"]

FURTHEST, WIDEST, OWN = 1.5, 1.5, 2.0  # standard deviations, times; hits or errors with which half of the way is gone
TINY = 1e-300
MOST, LARGE = 5.0, 1e6  # what one hit may add to s ψ at most, and the support of the class by which that is seen
ONE_OF = np.eye(3)[..., None]  # hits, misses and false alarms
NO_PART = 3
PART = np.full(KINDS, NO_PART)  # which of these three an outcome is
for _part, _outcomes in enumerate((HIT, MISS, ALARM)):
    PART[list(_outcomes)] = _part


@dataclass(frozen=True, eq=False)
class Jackknife:
    """What draws of weighted averages are moved and spread to, and how much of the way; arrays of shape (systems,).

    Attributes
    ----------
    estimate, sd : array
        The estimates, and their standard deviations.
    way : array
        The share of the way.
    worst, best : array
        The averages of scores without a hit and without an error, within which draws stay.
    """

    estimate: FloatArray
    sd: FloatArray
    way: FloatArray
    worst: FloatArray
    best: FloatArray

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
        mean, sd = total.mean(axis=0), total.std(axis=0)
        by = self.way * np.clip(self.estimate - mean, -FURTHEST * sd, FURTHEST * sd)
        times = 1 + self.way * (np.clip(self.sd / np.maximum(sd, TINY), 1, WIDEST) - 1)
        if scores.ndim == 2:
            low, high = np.fmin(total.min(axis=0), self.worst), np.fmax(total.max(axis=0), self.best)
            whole: FloatArray = np.clip(mean + by + times * (total - mean), low, high)
            return whole
        middle = np.asarray(scores.mean(axis=0))
        contributions: FloatArray = (middle + by[:, None] / scores.shape[-1]) + times[:, None] * (scores - middle)
        return contributions


def _of_one(measure: MeasureFunction, items: Relevance, codes: IntArray, outcomes: Outcomes) -> tuple[float, ...]:
    """Return the figures of one system."""
    counts, split = outcomes.counts, outcomes.form.one[0]
    row, number = codes * items.classes + items.class_, items.number[items.kind]
    squares = np.bincount(row, number * items.times**2, counts.size).reshape(counts.shape)
    three, squares = (np.stack([x[list(kind)].sum(axis=0) for kind in (HIT, MISS, ALARM)]) for x in (counts, squares))
    # What goes with one item: a row may stand for several, and a weighted item for less than one.
    less = np.minimum(np.divide(squares, three, out=np.zeros_like(three), where=three > 0), three)
    whole = _weighed(measure, three[:, None], items.items)
    lost = whole - _weighed(measure, three[:, None] - ONE_OF * less, items.items)
    each = np.divide(lost, less, out=np.zeros_like(lost), where=less > 0)
    true = max(float(three[:2].sum()), TINY)
    estimate = float((three * each).sum() / true)
    lone, best, worst = _weighed(measure, np.array([[1, 1, 0], [LARGE, 0, 1], [0, 0, 1]])[..., None], LARGE + 1).ravel()
    if not (np.isfinite(estimate) and lone <= MOST):  # some class may have no score, as 0/0 may have none
        return 0.0, 0.0, 0.0, worst, best
    sd = _spread(items, PART[codes], np.vstack([each, np.zeros(items.classes)]), float(whole.sum()) / true) / true
    hits, errors = (float(counts[list(part)].sum()) for part in (split.yes, split.no))
    return estimate, sd, hits / (hits + OWN) * errors / (errors + OWN), worst, best


def _spread(items: Relevance, part: IntArray, each: FloatArray, average: float) -> float:
    """Return the standard deviation of the numerator of the average, given what one item of each part adds to it."""
    adds = items.times * (each[part, items.class_] - average * items.true)
    of_kind = np.bincount(items.kind, adds, len(items.number))
    stratum = np.zeros(len(items.number), dtype=np.int64) if items.stratum is None else items.stratum
    held = np.bincount(stratum, items.number)
    middle = np.bincount(stratum, items.number * of_kind) / np.maximum(held, TINY)
    unbiased = items.number * (held / np.maximum(held - 1, 1))[stratum]
    return float(np.sqrt(unbiased @ (of_kind - middle[stratum]) ** 2))


def _weighed(measure: MeasureFunction, counts: FloatArray, items: float) -> FloatArray:
    """Return the score of each class times its support, from counts of shape (3, …, classes)."""
    hit, missed, alarm = (np.maximum(x, 0.0)[..., None] for x in counts)
    support = hit + missed
    # The weighted average of a single class is its score.
    score = measure(Contingency(hit, support, hit + alarm, np.full(hit.shape, items)))
    found: FloatArray = np.where(support > 0, score.reshape(support.shape), 0.0)[..., 0] * support[..., 0]
    return found
