"""Confusion rates: how often items of one class are predicted as another, with uncertainty.

With n_jk the items of class j that were predicted as k, and w_jk the pseudo-items of the prior,

    θ_j ~ Dir(n_j + w_j)      P(predicted k | true j) ~ Beta(n_jk + w_jk, Σ_i≠k n_ji + w_ji)

for each classifier separately. What a prior learns from all classes is fixed at its mean. For two classifiers that were
run on the same items only those count for which one predicts k and the other does not: with u and v their weights, the
difference is positive with the probability that a Beta(u, v) variable exceeds ½.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import listing
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.models.eta import learn
from outperform.models.priors import Dirichlet, Pooled, Prior, WholePrior
from outperform.models.spread import pool

__all__ = ["RateDifferences", "Rates", "rate_differences", "rates"]

LEAST = 1e-9  # weight of a cell without items and without prior
NODES = 200  # of the quadrature for unpaired classifiers


@dataclass(frozen=True, eq=False)
class Rates:
    """P(predicted | true) of one classifier, rows are true classes: means and ends of equal-tailed intervals.

    Means are nan for a class without items and without prior.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class RateDifferences:
    """P(predicted | true) of one classifier minus that of another: means, and probabilities of being positive."""

    mean: FloatArray
    p_greater: FloatArray

    def told(self, mass: float = 0.95) -> NDArray[np.bool_]:
        """Return where an equal-tailed interval of the difference excludes 0."""
        return np.minimum(self.p_greater, 1 - self.p_greater) < (1 - mass) / 2


def rates(counts: Counts, name: str, prior: Prior, mass: float = 0.95) -> Rates:
    """Return the posterior of one classifier's confusion rates."""
    from scipy.special import betaincinv

    table = _one(counts, name)
    alpha = _items(table) + _pseudo_items(table, prior)
    hit, other = _shapes(alpha)
    low, high = (betaincinv(hit, other, tail).astype(np.float64) for tail in ((1 - mass) / 2, (1 + mass) / 2))
    mean = np.where(alpha.any(axis=1, keepdims=True), hit / (hit + other), np.nan)
    return Rates(mean, low, high)


def rate_differences(counts: Counts, a: str, b: str, prior: Prior) -> RateDifferences:
    """Return the posterior of the difference of two classifiers' confusion rates."""
    from scipy.special import betainc

    first, second = _one(counts, a), _one(counts, b)
    mean = rates(counts, a, prior).mean - rates(counts, b, prior).mean
    if not counts.select([counts.classifiers.index(name) for name in (a, b)]).paired:
        return RateDifferences(mean, _independent(first, second, prior))
    w, x = _pseudo_items(first, prior), _pseudo_items(second, prior)
    whole = np.maximum(w.sum(axis=1, keepdims=True), LEAST)
    both = _both(counts, a, b)
    u = _items(first) - both + w * (1 - x / whole)
    v = _items(second) - both + x * (1 - w / whole)
    return RateDifferences(mean, betainc(np.maximum(v, LEAST), np.maximum(u, LEAST), 0.5))


def _one(counts: Counts, name: str) -> Counts:
    """Return one classifier of a task in which every item has one label."""
    if name not in counts.classifiers:
        raise ValueError(f"no classifier {name!r}; there are {listing(counts.classifiers)}")
    if counts.groups or counts.no_true_negatives or counts.units is not None:
        raise ValueError(
            "a confusion matrix needs one true and one predicted class per item; "
            "take counts of one label, counts.binary(label)"
        )
    if counts.folds:
        raise ValueError("folds test the same items repeatedly; take the counts of one, counts.fold(0)")
    return counts.select([counts.classifiers.index(name)])


def _items(counts: Counts) -> FloatArray:
    """Return the confusion matrix."""
    size = len(counts.labels)
    cell = counts.truth * size + counts.predictions[:, 0]
    return np.bincount(cell, counts.n, size**2).reshape(size, size).astype(np.float64)


def _both(counts: Counts, a: str, b: str) -> FloatArray:
    """Return the number of items of each class that both classifiers predict as k."""
    first, second = (counts.predictions[:, counts.classifiers.index(name)] for name in (a, b))
    size = len(counts.labels)
    same = (first == second) & (first >= 0)
    cell = counts.truth[same] * size + first[same]
    return np.bincount(cell, counts.n[same], size**2).reshape(size, size).astype(np.float64)


def _pseudo_items(counts: Counts, prior: Prior) -> FloatArray:
    """Return the prior's weight of each cell."""
    size = len(counts.labels)
    if isinstance(prior, Dirichlet):
        return np.full((size, size), prior.cells)
    if isinstance(prior, WholePrior):  # a prior of scores, not of confusion rates
        prior = Pooled()
    if isinstance(prior, Pooled):
        learned = pool(counts, prior.strength)
        right = float(learned.kinds.alpha @ learned.right[:, 0]) / float(learned.kinds.alpha.sum())
        popular = learned.popularity
    else:
        hit = counts.predictions == counts.truth[:, None]
        right = float(learn(hit, counts.n, size, prior.weight, prior.eta).mean()[0])
        popular = np.ones(size)
    wrong = np.where(np.eye(size, dtype=bool), 0.0, popular)
    shares: FloatArray = right * np.eye(size) + (1 - right) * wrong / wrong.sum(axis=1, keepdims=True)
    return prior.weight * shares


def _shapes(alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the shapes of the Beta variable of each cell."""
    return np.maximum(alpha, LEAST), np.maximum(alpha.sum(axis=1, keepdims=True) - alpha, LEAST)


def _independent(first: Counts, second: Counts, prior: Prior) -> FloatArray:
    """Return P(X > Y) of two independent Beta variables per cell: P(Y < x) averaged over X."""
    from scipy.special import betainc, betaincinv

    alphas = (_items(counts) + _pseudo_items(counts, prior) for counts in (first, second))
    (a, b), (c, d) = (_shapes(alpha) for alpha in alphas)
    node, weight = np.polynomial.legendre.leggauss(NODES)
    x = betaincinv(a[..., None], b[..., None], (node + 1) / 2)
    average: FloatArray = betainc(c[..., None], d[..., None], x) @ (weight / 2)
    return average
