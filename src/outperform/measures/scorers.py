"""Scores as functions of the weights of rows, and their derivatives: means, and areas under curves.

A derivative by the weight of a row is the row's influence. It takes one pass over the sorted rows, as a score does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray

__all__ = [
    "Anything", "Area", "ColumnMeans", "Mixture", "Scorer", "Selected", "Source", "area_under_roc", "means",
    "precision_of_ranking", "side_by_side", "sums",
]  # fmt: skip

TINIEST = 1e-300
STRETCH = 32  # rows whose cumulative sums are computed at a time
FEW_DRAWS = 4  # for which that takes longer than it saves

Score: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Anything:
    """The score takes arrays of any library that NumPy's functions accept."""


@dataclass(frozen=True, eq=False)
class ColumnMeans:
    """Means of columns of shape (systems, rows)."""

    columns: FloatArray


@dataclass(frozen=True, eq=False)
class Area:
    """The area under a curve of one system: ROC, or precision and recall."""

    positive: NDArray[np.bool_]
    output: FloatArray
    roc: bool


@dataclass(frozen=True, eq=False)
class Mixture:
    """Several systems, each the mean of several scores."""

    systems: tuple[tuple[Source | None, ...], ...]


@dataclass(frozen=True, eq=False)
class Selected:
    """The scores of some of the rows."""

    rows: IntArray
    source: Source | None


Source: TypeAlias = Anything | ColumnMeans | Area | Mixture | Selected  # from which another library can compute scores


@dataclass(frozen=True, eq=False)
class Scorer:
    """A function from weights of rows to scores.

    Attributes
    ----------
    score : callable
        From weights of shape (rows, draws) to scores of shape (draws, systems), or (draws,) for one system.
    derivative : callable or None
        From weights of shape (rows,) to derivatives by them, of shape (systems, rows), or (rows,); None if unknown.
    source : Source or None
        What the scores are computed from, if another library can do it.
    """

    score: Score
    derivative: Score | None = None
    source: Source | None = None

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return the scores under weights of shape (rows, draws)."""
        return self.score(weights)

    def influence(self, weights: FloatArray) -> FloatArray:
        """Return the influence of each row, under weights of shape (rows,); the derivative must be known."""
        assert self.derivative is not None
        return self.derivative(weights)


def sums(columns: FloatArray, weights: FloatArray) -> FloatArray:
    """Return columns @ weights, computed row by row, so that a row does not depend on the others, to the last bit.

    Unlike BLAS, einsum starts no threads, of which there is one per core already.
    """
    return np.stack([np.einsum("i,ij->j", row, weights) for row in columns])


def means(columns: FloatArray) -> Scorer:
    """Return the scorer of weighted means of one column per system."""

    def score(weights: FloatArray) -> FloatArray:
        averages: FloatArray = sums(columns, weights).T / weights.sum(axis=0)[:, None]
        return averages

    def influence(weights: FloatArray) -> FloatArray:
        away: FloatArray = (columns - score(weights[:, None]).T) / weights.sum()
        return away

    return Scorer(score, influence, ColumnMeans(columns))


def side_by_side(systems: Sequence[Sequence[Scorer]]) -> Scorer:
    """Return the scorer of several systems, each the mean of several scores."""

    def score(weights: FloatArray) -> FloatArray:
        return np.stack([np.mean([part(weights) for part in system], axis=0) for system in systems], axis=1)

    def influence(weights: FloatArray) -> FloatArray:
        return np.stack([np.mean([part.influence(weights) for part in system], axis=0) for system in systems])

    return Scorer(score, influence, Mixture(tuple(tuple(part.source for part in system) for system in systems)))


def area_under_roc(positive: NDArray[np.bool_], output: FloatArray) -> Scorer:
    """Σ_j v_j (C[below] + C[up to]) / 2 over both sums, C the cumulative weight of the class with fewer items."""
    few = positive if 2 * positive.sum() <= len(positive) else ~positive
    smaller, larger = np.flatnonzero(few), np.flatnonzero(~few)
    smaller = smaller[np.argsort(output[smaller], kind="stable")]
    larger = larger[np.argsort(output[larger], kind="stable")]
    # Per item of the larger class, how many of the smaller score below it (low), and no higher than it (high).
    ordered, others = output[smaller], output[larger]
    high = np.searchsorted(ordered, others, side="right")
    ties = bool((ordered[high - 1] == others)[high > 0].any())
    low = np.searchsorted(ordered, others, side="left") if ties else high

    def score(weights: FloatArray) -> FloatArray:
        below, other = _cumulative(weights, smaller), _taken(weights, larger)
        beaten = np.einsum("ij,ij->j", _taken(below, high), other)
        if ties:
            beaten = (beaten + np.einsum("ij,ij->j", _taken(below, low), other)) / 2
        share: FloatArray = beaten / (below[-1] * np.einsum("ij->j", other))  # four times as fast as its sum over rows
        return share if few is not positive else 1 - share

    def influence(weights: FloatArray) -> FloatArray:
        """How far each item's share of beaten, or beating, items is from the mean, over the weight of its class."""
        below, other = _cumulative(weights[:, None], smaller)[:, 0], weights[larger]
        beats = (below[low] + below[high]) / 2
        beaten = sum(_counted_in(ends, other, len(smaller)) for ends in (low, high)) / 2
        area = float(beats @ other) / (below[-1] * other.sum())
        found = np.empty(len(weights))
        found[larger] = (beats / below[-1] - area) / other.sum()
        found[smaller] = (beaten / other.sum() - area) / below[-1]
        return found if few is not positive else -found

    return Scorer(score, influence, Area(positive, output, roc=True))


def precision_of_ranking(positive: NDArray[np.bool_], output: FloatArray) -> Scorer:
    """Σ_i w_i P_i / Σ_i w_i over positive items, P_i the precision among all that score no less than item i."""
    positives, negatives = (
        rows[np.argsort(-output[rows], kind="stable")] for rows in map(np.flatnonzero, (positive, ~positive))
    )
    # Per positive item, how many positives and negatives score at least as high.
    hits, alarms = (np.searchsorted(-output[rows], -output[positives], side="right") for rows in (positives, negatives))

    def score(weights: FloatArray) -> FloatArray:
        hit, alarm = _cumulative(weights, positives), _cumulative(weights, negatives)
        found, all_ = _taken(hit, hits), _taken(alarm, alarms)
        all_ += found
        np.divide(found, np.maximum(all_, TINIEST, out=all_), out=found)
        area: FloatArray = np.einsum("ij,ij->j", found, _taken(weights, positives)) / hit[-1]
        return area

    def influence(weights: FloatArray) -> FloatArray:
        """P_i = h/(h + a): of an item, its own P and what its weight does to the P of all that score no higher."""
        hit, alarm = (_cumulative(weights[:, None], rows)[:, 0] for rows in (positives, negatives))
        h, a, w = hit[hits], alarm[alarms], weights[positives]
        precision, square = h / np.maximum(h + a, TINIEST), np.maximum(h + a, TINIEST) ** 2
        area = float(precision @ w) / hit[-1]
        found = np.empty(len(weights))
        found[positives] = (precision - area + _counted_in(hits, w * a / square, len(positives))) / hit[-1]
        found[negatives] = -_counted_in(alarms, w * h / square, len(negatives)) / hit[-1]
        return found

    return Scorer(score, influence, Area(positive, output, roc=False))


def _cumulative(weights: FloatArray, rows: IntArray) -> FloatArray:
    """Return cumulative sums of the weights of the rows, starting with 0.

    Of several draws within short stretches first, then over the stretches: `np.cumsum` would stop all other threads.
    """
    if weights.shape[1] <= FEW_DRAWS:
        cumulated = np.zeros((len(rows) + 1, weights.shape[1]))
        np.take(weights, rows, axis=0, out=cumulated[1:], mode="clip")
        return np.cumsum(cumulated, axis=0, out=cumulated)
    stretches = -(-(len(rows) + 1) // STRETCH)
    cumulated = np.zeros((stretches * STRETCH, weights.shape[1]))
    np.take(weights, rows, axis=0, out=cumulated[1 : len(rows) + 1], mode="clip")
    parts = cumulated.reshape(stretches, STRETCH, -1)
    for k in range(1, STRETCH):
        parts[:, k] += parts[:, k - 1]
    parts[1:] += np.cumsum(parts[:-1, -1], axis=0)[:, None]
    return cumulated[: len(rows) + 1]


def _taken(weights: FloatArray, rows: IntArray) -> FloatArray:
    """Return rows as `weights[rows]` would, which stops all other threads."""
    return np.take(weights, rows, axis=0, mode="clip")


def _counted_in(ends: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return for each place below `size` the sum of the values whose first `ends` places include it."""
    by_end = np.bincount(ends, values, size + 1).astype(np.float64)
    included: FloatArray = np.cumsum(by_end[::-1])[::-1][1:]
    return included
