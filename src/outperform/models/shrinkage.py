"""Shrinkage of the scores of many systems towards each other, by an amount that is learned.

The best of many systems is partly lucky, and some pair of many equal systems looks different. Both are corrected by a
population of systems: with x the means of the draws, S their covariance and P = I − 11ᵀ/K,

    P x | θ ~ N(P θ, C),    C = P S P,    θ_k ~ N(m, τ²),    m flat,    τ ~ half-Cauchy(s),    s² = tr(C)/(K − 1)

τ is drawn from its posterior on a grid, by the marginal likelihood of P x. Given τ all is normal, and Matheron's rule
turns each joint draw d into one of the posterior, which keeps the shape that the draws have:

    θ = d − C (C + τ² P)⁺ (P d + ε),    ε ~ τ P N(0, I)

If d is normal, the differences have exactly their posterior mean and covariance given τ. In the axes of C each
contrast is moved by the share λ/(λ + τ²).

The level, the mean of all systems, is unchanged. Its normal posterior would weight systems by their
precision; a proportion that is high by chance also has a small variance, so that would raise the level.

The draws must be those by the observed units alone. An allowance for others is no sampling error of the means: it would
make C too large and so the systems too similar. It is added after shrinkage.

C is estimated from finitely many items and draws. The eigenvalues of such a covariance are spread too far, which would
let the smallest ones prove that systems differ. They are shrunk to their mean as far as sampling explains their spread.

Systems with identical outputs count as one. Two systems are not shrunk: one difference does not say how similar
systems are.

A normal population does not allow for one system that is far ahead of many similar ones. So systems may stand alone:
each does with probability ω = 3/(K + 3), and is then neither shrunk nor part of the population. With x̄ the mean of the
others and s as above,

    x_k − x̄ ~ N(0, Var(d_k − d̄) + (5s)²)

Which systems stand alone is drawn with its posterior probability, among none, the one furthest from the
median of the others, that and the next one, and so on.

Assumptions: apart from these, systems are exchangeable, and their scores about normal around a common mean.

References
----------
Ledoit and Wolf, A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices, JMVA 88, 2004, §2.
Gelman, Hill and Yajima, Why We (Usually) Don't Have to Worry About Multiple Comparisons, JREE 5(2), 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray

__all__ = ["FEWEST_SYSTEMS", "Contrasts", "distinct", "drawn_together", "pulled"]

FEWEST_SYSTEMS = 3
NODES = 2_000  # of the grid of τ, each with the same prior probability
SCALE = 1.0  # of the prior of τ, in s; less improves P(best) in close tables, more improves power
FAR = 5.0  # standard deviation of the distance of a system that stands alone, in s
ODDS = 3.0  # prior odds to stand alone, times K; more improves power, less improves P(best) in close tables
MOST_ALONE = 10
TINY, ROUNDING = 1e-300, 1e-12


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Deviations of systems from their mean, along uncorrelated axes.

    Attributes
    ----------
    axes : array of shape (systems, systems − 1)
        Orthonormal, and orthogonal to the level.
    variance : array of shape (systems − 1,)
        Posterior variance along each axis.
    """

    axes: FloatArray
    variance: FloatArray

    @classmethod
    def of(cls, draws: FloatArray, units: float) -> Contrasts:
        """Estimate from joint draws of shape (draws, systems), based on `units` units."""
        from scipy.linalg import helmert

        # Orthonormal contrasts: K − 1 directions, all orthogonal to the mean of the systems.
        basis = helmert(draws.shape[1]).T
        off = (draws - draws.mean(axis=0)) @ basis
        values, axes = np.linalg.eigh(off.T @ off / len(off))
        return cls(basis @ axes, _regular(np.maximum(values, 0.0), 1 / (1 / units + 1 / len(draws))))

    @property
    def scale(self) -> float:
        """Typical standard deviation of a contrast."""
        return float(np.sqrt(self.variance.mean()))

    def draw_tau(self, mean: FloatArray, rng: Generator, draws: int) -> FloatArray:
        """Draw τ from its posterior, given the means of the systems."""
        log = self._log_likelihood(mean)
        # Nodes have equal prior probability, so cumulated likelihoods are the posterior by prior quantile.
        heap = np.concatenate([[0.0], np.cumsum(np.exp(log - log.max()))])
        quantile = np.interp(rng.random(draws) * heap[-1], heap, np.arange(NODES + 1) / NODES)
        found: FloatArray = SCALE * self.scale * np.tan(pi / 2 * np.minimum(quantile, 1 - 0.5 / NODES))
        return found

    def evidence(self, mean: FloatArray) -> float:
        """Return the log marginal density of the means of the systems, over τ."""
        log = self._log_likelihood(mean)
        return float(np.log(np.exp(log - log.max()).mean()) + log.max())

    def _log_likelihood(self, mean: FloatArray) -> FloatArray:
        """Return the log density of the means of the systems at each node of τ."""
        tau: FloatArray = SCALE * self.scale * np.tan(pi / 2 * (np.arange(NODES) + 0.5) / NODES)
        log: FloatArray = _log_normal(mean @ self.axes, self.variance + tau[:, None] ** 2).sum(axis=1)
        return log

    def shrink(self, draws: FloatArray, tau: FloatArray, rng: Generator) -> FloatArray:
        """Move each joint draw by Matheron's rule, with its own τ."""
        noise = tau[:, None] * rng.standard_normal(draws.shape)
        share = self.variance / (self.variance + tau[:, None] ** 2 + TINY)
        moved: FloatArray = draws - (share * ((draws + noise) @ self.axes)) @ self.axes.T
        return moved


def drawn_together(draws: FloatArray, copies: NDArray[np.bool_], units: float, rng: Generator) -> FloatArray:
    """Shrink systems towards each other, as far as they are similar.

    Parameters
    ----------
    draws : array of shape (draws, systems)
        Joint draws of the scores by the observed units, without an allowance for others.
    copies : array of shape (systems, systems)
        Whether two systems have identical outputs; these keep their distance, and count as one.
    units : float
        Number of items or clusters that the draws are based on.
    rng : Generator
        Source of randomness.

    Returns
    -------
    array of shape (draws, systems)
        Within the range of the given draws.
    """
    first, group = np.unique(copies.argmax(axis=1), return_inverse=True)
    if len(first) < FEWEST_SYSTEMS:
        return draws
    scores = np.stack([draws[:, group == k].mean(axis=1) for k in range(len(first))], axis=1)
    pools, probability = _pools(scores, units)
    if pools[0].contrasts.scale <= ROUNDING * np.abs(draws).max():
        return draws
    chosen, moved = rng.choice(len(pools), len(draws), p=probability), np.zeros_like(scores)
    for number, pool in enumerate(pools):
        rows = np.flatnonzero(chosen == number)
        chosen_scores = scores[np.ix_(rows, pool.systems)]
        tau = pool.contrasts.draw_tau(scores[:, pool.systems].mean(axis=0), rng, len(rows))
        moved[np.ix_(rows, pool.systems)] = pool.contrasts.shrink(chosen_scores, tau, rng) - chosen_scores
    together: FloatArray = np.clip(draws + moved[:, group], draws.min(), draws.max())
    return together


@dataclass(frozen=True, eq=False)
class Pool:
    """Systems of one population, and their contrasts."""

    systems: NDArray[np.int64]
    contrasts: Contrasts


def _pools(draws: FloatArray, units: float) -> tuple[list[Pool], FloatArray]:
    """Return populations without ever more systems, the furthest first, and their probabilities."""
    systems, mean = np.arange(draws.shape[1]), draws.mean(axis=0)
    odds = ODDS / len(systems)
    pools, log, apart = [], [], 0.0
    for alone in range(min(MOST_ALONE, len(systems) - FEWEST_SYSTEMS) + 1):
        pools.append(Pool(systems, Contrasts.of(draws[:, systems], units)))
        log.append(alone * np.log(odds) + apart + pools[-1].contrasts.evidence(mean[systems]))
        furthest = systems[np.argmax(np.abs(mean[systems] - np.median(mean[systems])))]
        systems = systems[systems != furthest]
        off = draws[:, furthest] - draws[:, systems].mean(axis=1)
        spread = off.var() + (FAR * pools[0].contrasts.scale) ** 2
        longer = np.log1p(1 / len(systems)) / 2  # log length relative to a contrast of length 1
        apart += float(_log_normal(off.mean(), spread)) + longer
    weight = np.exp(np.array(log) - max(log))
    return pools, weight / weight.sum()


def _log_normal(x: FloatArray | np.float64, variance: FloatArray | np.float64) -> FloatArray:
    """Return the log density of a normal variable with mean 0."""
    density: FloatArray = -0.5 * (np.log(2 * pi * (variance + TINY)) + x**2 / (variance + TINY))
    return density


def distinct(copies: NDArray[np.bool_]) -> int:
    """Return the number of systems, counting identical ones once."""
    return len(np.unique(copies.argmax(axis=1)))


def pulled(before: FloatArray, after: FloatArray) -> float:
    """Return the mean share by which differences between the means of systems became smaller."""
    apart, together = (x.mean(axis=0) - x.mean() for x in (before, after))
    total = float(apart @ apart)
    return 1 - float(apart @ together) / total if total > 0 else 0.0


def _regular(values: FloatArray, units: float) -> FloatArray:
    """Return eigenvalues of a covariance, shrunk to their mean as far as sampling explains their spread."""
    mean = values.mean()
    spread = float(((values - mean) ** 2).sum())
    chance = float(values.sum() ** 2 + (values**2).sum()) / units
    weight = min(1.0, chance / spread) if spread > 0 else 1.0
    regular: FloatArray = (1 - weight) * values + weight * mean
    return regular
