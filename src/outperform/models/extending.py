"""Many draws of scores from few joint ones: a regression on parts of a draw whose distribution is known.

A joint draw of scores y is a function of weights of items, of standard normal numbers that choose what the classes have
learned, and of gammas of every class. With L the linear part of y in the items' weights, which is a sum over all items,
and z the normal numbers,

    y = y₀ + βᵀ (L, z) + r

where y₀ and β are fitted by least squares and r is what is left. The distribution of (L, z) is known: z is normal, and
L has the covariance and the third cumulants of a sum of gammas (`expansion`). So new draws are y₀ + βᵀ (L, z) with new
L and z, and an r of one of the joint draws. Their Monte-Carlo error is that of r alone: if (L, z) explains the share R²
of the variance, n joint draws are as accurate as n/(1 − R²).

Assumption: r does not depend on (L, z). Its dependence in the mean is removed by the fit up to curvature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.models.expansion import TAIL, VIEWS, directions, fewness, skewed

__all__ = ["Known", "Regression", "known", "unexplained"]

ALLOWED = 0.024  # error of the ends of a 95% HDI, in standard deviations: the Monte-Carlo error of 12,500 draws
LEAST = 0.02  # variance of a direction that is worth a part, where that of every score is 1


@dataclass(frozen=True, eq=False)
class Known:
    """Parts of a draw whose distribution is known.

    Attributes
    ----------
    unit : array of shape (kinds, directions)
        What an item of each kind adds to uncorrelated directions of variance 1.
    number : array of shape (kinds,)
        Items of each kind.
    bend : array of shape (directions, directions, directions)
        A sixth of the third cumulants.
    normals : int
        How many standard normal numbers there are besides.
    """

    unit: FloatArray
    number: FloatArray
    bend: FloatArray
    normals: int

    def of(self, weights: FloatArray, normals: FloatArray) -> FloatArray:
        """Return the parts of draws from weights and normal numbers, both with draws last: (draws, parts)."""
        linear = np.einsum("ur,ud->rd", self.unit, weights) - (self.number @ self.unit)[:, None]
        return np.concatenate([linear, normals]).T

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw the parts anew."""
        normal = rng.standard_normal((self.unit.shape[1] + self.normals, draws))
        linear, others = np.split(normal, [self.unit.shape[1]])
        return np.concatenate([skewed(linear, self.bend), others]).T


def known(moves: FloatArray, number: FloatArray, normals: int) -> Known | None:
    """Return the parts for scores with derivatives of shape (kinds, scores); None if too few items matter."""
    if not np.isfinite(moves).all():
        return None
    unit = moves @ directions(moves, number, LEAST)[0].T
    if not unit.shape[1] or not TAIL * fewness((unit,), number) <= ALLOWED:
        return None
    third = 2 * np.einsum("u,ui,uj,uk->ijk", number, unit, unit, unit, optimize=True)
    return Known(unit, number, third / 6, normals)


@dataclass(frozen=True, eq=False)
class Regression:
    """Scores regressed on the known parts of their draws.

    Attributes
    ----------
    mean : array of shape (scores,)
        Means of the scores.
    slopes : array of shape (parts, scores)
        What a unit of each part adds.
    left : array of shape (draws, scores)
        What is left of the joint draws.
    """

    mean: FloatArray
    slopes: FloatArray
    left: FloatArray

    @classmethod
    def of(cls, parts: FloatArray, scores: FloatArray) -> Regression:
        """Fit scores of shape (draws, scores) to parts of shape (draws, parts) by least squares."""
        terms = np.column_stack([np.ones(len(parts)), parts])
        fit = np.linalg.lstsq(terms.T @ terms, terms.T @ scores, rcond=None)[0]  # parts are nearly uncorrelated
        return cls(fit[0], fit[1:], scores - terms @ fit)

    def draw(self, known: Known, rng: Generator, draws: int) -> FloatArray:
        """Draw scores, of shape (draws, scores)."""
        which = rng.integers(len(self.left), size=draws)
        return self.mean + known.draw(rng, draws) @ self.slopes + self.left[which]


def unexplained(parts: FloatArray, scores: FloatArray) -> float:
    """Return the largest share of a variance that the known parts leave, of a score or the first two's difference."""
    views = VIEWS[scores.shape[1]]
    seen, left = (x @ np.vstack([np.eye(len(views)), views[:1]]).T for x in (scores, Regression.of(parts, scores).left))
    variance = seen.var(axis=0)
    varies = variance > 0
    return float((left.var(axis=0)[varies] / variance[varies]).max(initial=0.0))
