"""Many draws of scores from few joint ones: a regression on parts of a draw whose distribution is known.

A joint draw of scores y is a function of weights of items, of standard normal numbers that choose what the classes have
learned, and of gammas of every class. With L the linear part of y in the items' weights, G that in the classes' gammas,
both sums over very many, and z the normal numbers,

    y = y₀ + βᵀ (L, G, z) + r

where y₀ and β are fitted by least squares and r is what is left. The distribution of (L, G, z) is known: z is normal,
and L and G have the covariance and the third cumulants of a sum of gammas (`expansion`). The shapes of the classes'
gammas depend on z. Each is less its shape there, so its variance and third cumulant are those of its mean shape.

So new draws are y₀ + βᵀ (L, G, z) with new L, G and z, and an r of one of the joint draws. Their Monte-Carlo error is
that of r alone: if (L, G, z) explains the share R² of the variance, n joint draws are as accurate as n/(1 − R²).

Assumptions: r does not depend on (L, G, z), nor G on z. The dependence of r in the mean is removed by the fit up to
curvature; G varies more with some z than with others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.models.expansion import TAIL, VIEWS, directions_of, fewness, skewed, spread_in_views
from outperform.models.shares import Gamma

__all__ = ["Known", "Regression", "Tallied", "known", "unexplained"]

ALLOWED = 0.024  # error of the ends of a 95% HDI, in standard deviations: the Monte-Carlo error of 12,500 draws
LEAST = 0.02  # variance of a direction that is worth a part, where that of every score is 1


@dataclass(frozen=True, eq=False)
class Known:
    """Parts of a draw whose distribution is known.

    Attributes
    ----------
    units : arrays of shape (…, directions)
        What an item of each kind, and one more of each gamma of the classes, add to uncorrelated directions of
        variance 1; those of items differ from those of gammas.
    number : array of shape (kinds,)
        Items of each kind.
    bends : two arrays of shape (directions, directions, directions)
        A sixth of the third cumulants, of items and of gammas.
    normals : int
        How many standard normal numbers there are besides.
    """

    units: list[FloatArray]
    number: FloatArray
    bends: list[FloatArray]
    normals: int

    def of(self, weights: FloatArray, normals: FloatArray, tallies: Sequence[Tallied]) -> FloatArray:
        """Return the parts of draws, (draws, parts), from weights and normal numbers with draws last, and gammas."""
        of_items = np.einsum("ur,ud->rd", self.units[0], weights) - (self.number @ self.units[0])[:, None]
        return np.concatenate([of_items, sum(tally.total for tally in tallies), normals]).T

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw the parts anew."""
        sizes = [len(bend) for bend in self.bends]
        *linear, others = np.split(rng.standard_normal((sum(sizes) + self.normals, draws)), np.cumsum(sizes))
        bent = [skewed(normal, bend) for normal, bend in zip(linear, self.bends, strict=True)]
        return np.concatenate([*bent, others]).T


def known(moves: Sequence[FloatArray], shapes: Sequence[FloatArray], normals: int) -> Known | None:
    """Return the parts for scores with derivatives by gammas; None if too few gammas matter.

    Parameters
    ----------
    moves : arrays of shape (…, scores)
        By one item of each kind, then by gammas of the classes.
    shapes : arrays of shape (…)
        The mean shape of each.
    normals : int
        How many standard normal numbers there are besides.
    """
    if not all(np.isfinite(part).all() for part in moves):
        return None
    groups = [moves[0], np.concatenate([part.reshape(-1, part.shape[-1]) for part in moves[1:]])]
    numbers = [shapes[0], np.concatenate([part.ravel() for part in shapes[1:]])]
    spreads = [spread_in_views(*group) for group in zip(groups, numbers, strict=True)]
    whole = directions_of(spreads[0] + spreads[1], LEAST)[0].T
    unit = np.concatenate([group @ whole for group in groups])
    if not unit.shape[1] or not TAIL * fewness((unit,), np.concatenate(numbers)) <= ALLOWED:
        return None
    units = [group @ directions_of(spread, LEAST)[0].T for group, spread in zip(groups, spreads, strict=True)]
    bends = [
        np.einsum("u,ui,uj,uk->ijk", number, unit, unit, unit, optimize=True) / 3
        for number, unit in zip(numbers, units, strict=True)
    ]
    ends = np.cumsum([part.size for part in shapes[1:-1]])
    by_gamma = [part.reshape(*x.shape, -1) for part, x in zip(np.split(units[1], ends), shapes[1:], strict=True)]
    return Known([units[0], *by_gamma], shapes[0], bends, normals)


class Tallied:
    """Gammas as they are drawn, whose known parts are added up."""

    def __init__(self, draw: Gamma, unit: FloatArray) -> None:
        """Take what one more of each gamma adds to the parts, of shape (calls, classes, parts)."""
        self._draw, self._unit, self.total = draw, iter(unit), np.zeros(1)

    def __call__(self, shapes: FloatArray) -> FloatArray:
        """Draw gammas of these shapes, classes × draws."""
        drawn = self._draw(shapes)
        self.total = self.total + np.einsum("ur,ud->rd", next(self._unit), drawn - shapes)
        return drawn


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
    share = (left.var(axis=0)[varies] / variance[varies]).max(initial=0.0)
    return float(share * len(parts) / max(len(parts) - parts.shape[1] - 1, 1))  # the fit makes less of what is left
