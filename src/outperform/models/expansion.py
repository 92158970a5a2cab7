"""Scores of many weighted units without a draw of every weight: an expansion in the units' influence.

Weights of units are gammas g_u of mean and variance n_u, as in `weights`. With φ_u the derivative of the scores by one
unit's weight, a vector with one number per system,

    s(g) = s(n) + L + R        L = Σ φ_u (g_u − n_u)

L is a sum over all units. Its covariance is Σ n φφᵀ and its third cumulants are 2 Σ n φφφ; its excess kurtosis is
6/n_eff, where n_eff = (Σ n φ²)²/Σ n φ⁴ units matter. R is smaller by the square root of n_eff. Where R is small, all
that it does to the distribution of L + R is to move each quantile by E[R | L], which is quadratic in L up to terms that
vanish faster. It is fitted to a few draws of all weights, for which R is known.

In units in which L has variance 1, with z standard normal, κ the third cumulants and β the coefficients of the fit,
draws of the scores are

    x_i = z_i + α_i + Σ_jk (κ_ijk/6 + β_ijk)(z_j z_k − δ_jk)

to second order (Cornish and Fisher). The expansion states its error: what is left of R after the fit, and the kurtosis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.random import Generator, SeedSequence

from outperform.data.contingency import FloatArray
from outperform.data.relevance import gammas_of_counts
from outperform.models.posterior import in_blocks
from outperform.models.weights import ItemWeights

__all__ = [
    "TAIL",
    "VIEWS",
    "Expansion",
    "directions",
    "directions_of",
    "expand",
    "fewness",
    "skewed",
    "spread_in_views",
]

TRIALS = (12, 24, 96, 384, 1_536, 6_144)  # draws of all weights by which R is known: more if these do not suffice
MOST_TRIALS, SPARED = 1_536, 4  # more trials than this replace so many times as many draws
VIEWS = {  # by number of scores: difference and mean of the first two, and a third one
    1: np.ones((1, 1)),
    2: np.array([[1.0, -1.0], [0.5, 0.5]]),
    3: np.array([[1.0, -1.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]),
}
CERTAIN = 0.01  # error of the ends of a 95% HDI, in standard deviations, with which an expansion is used
TAIL = 0.41  # what an excess kurtosis of 6 moves these ends by: (a³ − 3a)/4, with a = 1.96
END = 1.96  # of a 95% interval of a standard normal number
TWICE = 2.0  # standard errors of a fit that count as its error
HOPELESS = 6.0  # relative errors of the fit, by which the error expected of the last trials may be too large
SINGULAR = 1e-9  # of a variance that is 1 for each view: nothing is left in this direction


@dataclass(frozen=True, eq=False)
class Expansion:
    """Joint draws of scores, quadratic in standard normal numbers.

    Attributes
    ----------
    middle : array of shape (systems,)
        Scores at the middle of the weights.
    root : array of shape (systems, directions)
        What a unit in each direction adds to the scores.
    start : array of shape (directions,)
        α.
    bend : array of shape (directions, directions, directions)
        κ/6 + β.
    error : float
        About how far the ends of a 95% HDI may be off, in standard deviations.
    """

    middle: FloatArray
    root: FloatArray
    start: FloatArray
    bend: FloatArray
    error: float

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw scores, of shape (draws, systems)."""
        z = rng.standard_normal((len(self.start), draws))
        scores: FloatArray = self.middle + (self.root @ (skewed(z, self.bend) + self.start[:, None])).T
        return scores


def expand(
    score: Callable[[FloatArray], FloatArray],
    moves: FloatArray,
    weights: ItemWeights,
    seed: SeedSequence,
    draws: int = 0,
) -> Expansion | None:
    """Return the expansion of scores with derivatives of shape (units, systems); None if it is not good enough.

    `draws` are those of all weights that are made without an expansion.
    """
    number = weights.number
    inverse, root = directions(moves, number)
    unit = moves @ inverse.T
    few = TAIL * fewness((unit, moves, moves @ VIEWS[moves.shape[1]].T), number)
    if not unit.shape[1] or not few <= CERTAIN:
        return None
    middle = score(weights.rows(number[:, None].copy()))[0]
    seen = VIEWS[moves.shape[1]] @ root
    seen = seen[seen.any(axis=1)]
    seen /= np.linalg.norm(seen, axis=1, keepdims=True)

    def trial(rng: Generator, size: int) -> FloatArray:
        """Draw all weights: return L and R.

        A score does not depend on the unit of the weights. Scaled to their sum it is nearer to linear; a mean is.
        """
        drawn = gammas_of_counts(number, rng, size)
        drawn *= number.sum() / np.einsum("ud->d", drawn)  # of two columns, a quarter of the time of sum
        linear = np.einsum("ur,ud->rd", drawn, unit) - number @ unit
        return np.stack([linear, (score(weights.rows(drawn)) - middle) @ inverse.T - linear], axis=1)

    tried, stages = np.empty((0, 2, unit.shape[1])), [x for x in TRIALS if x <= max(MOST_TRIALS, draws // SPARED)]
    for trials, part in zip(stages, seed.spawn(len(stages)), strict=True):
        more = in_blocks(trial, len(number), draws=trials - len(tried), seed=part)
        tried = np.concatenate([tried, more])
        fit = _fitted(tried[:, 0], tried[:, 1], seen)
        least = few + fit.beyond
        if least + fit.uncertain <= CERTAIN:
            third = 2 * np.einsum("u,ui,uj,uk->ijk", number, unit, unit, unit)
            return Expansion(middle, root, fit.start, third / 6 + fit.bend, least + fit.uncertain)
        if not least + fit.uncertain * sqrt(trials / stages[-1]) <= (1 + HOPELESS / sqrt(trials)) * CERTAIN:
            return None
    return None


def skewed(normal: FloatArray, bend: FloatArray) -> FloatArray:
    """Return normal numbers of shape (directions, draws) with a quadratic part, which leaves their mean at 0."""
    square = normal[:, None] * normal - np.eye(len(normal))[..., None]
    bent: FloatArray = normal + np.einsum("ijk,jkr->ir", bend, square)
    return bent


def directions(moves: FloatArray, number: FloatArray, least: float = SINGULAR) -> tuple[FloatArray, FloatArray]:
    """Return what makes scores into uncorrelated directions of variance 1, and what makes these into scores."""
    return directions_of(spread_in_views(moves, number), least)


def spread_in_views(moves: FloatArray, number: FloatArray) -> FloatArray:
    """Return the covariance of a sum over units, of the difference and the mean of two scores, and of a third one.

    A difference may be tiny, and matters, so it is taken first.
    """
    seen = np.ascontiguousarray((moves @ VIEWS[moves.shape[1]].T).T)
    return np.array([[np.einsum("u,u->", x, y) for y in seen] for x in (number * each for each in seen)])


def directions_of(spread: FloatArray, least: float = SINGULAR) -> tuple[FloatArray, FloatArray]:
    """Return directions as `directions` does, from the covariance of the views.

    These are scaled to a variance of 1. Directions in which the variance is then less than the least are left out.
    """
    views, sd = VIEWS[len(spread)], np.sqrt(np.diag(spread))
    scale = np.where(sd > 0, sd, 1.0)
    variance, axes = np.linalg.eigh(spread / np.outer(scale, scale))
    kept = variance > least
    axes, length = axes[:, kept], np.sqrt(variance[kept])
    return (axes / length).T @ (views / scale[:, None]), np.linalg.inv(views) @ (scale[:, None] * axes * length)


def fewness(moves: Sequence[FloatArray], number: FloatArray) -> float:
    """Return 1/n_eff in the direction in which the fewest units matter, of arrays of shape (units, directions)."""
    found = [0.0]
    for column in (np.ascontiguousarray(column) for table in moves for column in table.T):
        square = column * column
        variance = number @ square
        found.append(number @ (square * square) / variance**2 if variance != 0 else 0.0)
    return float(np.max(found))


@dataclass(frozen=True, eq=False)
class _Fit:
    """R given L: α, β, and how far the ends of an HDI may be off because of these, and of what they leave out."""

    start: FloatArray
    bend: FloatArray
    uncertain: float
    beyond: float


def _fitted(linear: FloatArray, rest: FloatArray, seen: FloatArray) -> _Fit:
    """Fit the rest to products of the linear part, by least squares.

    The error is that of the fit where a view, a unit vector in the directions, is at the end of its 95% interval. The
    other directions are there as they always are, so a product of two is (a² − 1) times those of the vector.
    """
    trials, directions = linear.shape
    i, j = np.triu_indices(directions)
    terms = np.column_stack([np.ones(trials), linear[:, i] * linear[:, j] - (i == j)])
    fit, _, rank, _ = np.linalg.lstsq(terms, rest, rcond=None)
    left = (rest - terms @ fit) @ seen.T
    ends = np.column_stack([np.ones(len(seen)), (END**2 - 1) * seen[:, i] * seen[:, j]])
    leverage = np.einsum("vt,tu,vu->v", ends, np.linalg.pinv(terms.T @ terms), ends)
    bend = np.zeros((directions,) * 3)
    bend[:, i, j] = fit[1:].T
    off = np.sqrt((left**2).sum(axis=0) / (trials - rank) * leverage)
    return _Fit(fit[0], bend, TWICE * float(off.max()), float(((rest @ seen.T) ** 2).mean(axis=0).max()))
