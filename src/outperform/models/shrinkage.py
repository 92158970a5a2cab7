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

A single normal population allows neither for one system that is far ahead of many similar ones nor for several that are
equally good, of which there are other kinds. So each draw has its own groups (`models/grouping.py`): systems are
shrunk towards the mean of their group, and a group is not shrunk towards others.

Assumptions: within its group a system is exchangeable, and its score about normal around the mean of the group.

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
from outperform.models.grouping import Groups

__all__ = ["FEWEST_SYSTEMS", "Contrasts", "distinct", "drawn_together", "pulled"]

FEWEST_SYSTEMS = 3
NODES = 2_000  # of the grid of τ, each with the same prior probability
SCALE = 1.0  # of the prior of τ, in s; less improves P(best) in close tables, more improves power
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
    def of(cls, covariance: FloatArray, units: float) -> Contrasts:
        """Take them from the covariance of the systems, estimated from so many units."""
        from scipy.linalg import helmert

        # Orthonormal contrasts: K − 1 directions, all orthogonal to the mean of the systems.
        basis = helmert(len(covariance)).T
        values, axes = np.linalg.eigh(basis.T @ covariance @ basis)
        return cls(basis @ axes, _regular(np.maximum(values, 0.0), units))

    @property
    def scale(self) -> float:
        """Typical standard deviation of a contrast."""
        return float(np.sqrt(self.variance.mean()))

    def draw_tau(self, mean: FloatArray, rng: Generator, draws: int) -> FloatArray:
        """Draw τ from its posterior, given the means of the systems."""
        tau: FloatArray = SCALE * self.scale * np.tan(pi / 2 * (np.arange(NODES) + 0.5) / NODES)
        variance = self.variance + tau[:, None] ** 2 + TINY
        log = -0.5 * (np.log(variance) + (mean @ self.axes) ** 2 / variance).sum(axis=1)
        # Nodes have equal prior probability, so cumulated likelihoods are the posterior by prior quantile.
        heap = np.concatenate([[0.0], np.cumsum(np.exp(log - log.max()))])
        quantile = np.interp(rng.random(draws) * heap[-1], heap, np.arange(NODES + 1) / NODES)
        found: FloatArray = SCALE * self.scale * np.tan(pi / 2 * np.minimum(quantile, 1 - 0.5 / NODES))
        return found

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
    order = np.argsort(scores.mean(axis=0), kind="stable")
    scores = scores[:, order]
    mean, covariance = scores.mean(axis=0), np.cov(scores.T, ddof=0)
    groups, moved = Groups(mean, covariance), np.zeros_like(scores)
    if groups.variance <= (ROUNDING * np.abs(draws).max()) ** 2:
        return draws
    for systems, rows in groups.draw(rng, len(draws)):
        contrasts = Contrasts.of(covariance[systems, systems], 1 / (1 / units + 1 / len(draws)))
        tau = contrasts.draw_tau(mean[systems], rng, len(rows))
        moved[rows, systems] = contrasts.shrink(scores[rows, systems], tau, rng) - scores[rows, systems]
    together: FloatArray = np.clip(draws + moved[:, np.argsort(order)][:, group], draws.min(), draws.max())
    return together


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
