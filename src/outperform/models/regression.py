"""Beta-binomial regression: a share in every class, about which the classes learn from each other.

Of t_k trials in class k, s_k are successes. With x_k the first covariate,

    s_k ~ Bin(t_k, p_k)    p_k ~ Beta(W_k m_k + o₁/M, W_k (1 − m_k) + o₀/M)
    logit m_k = a + b x_k + …    log W_k = v + d x_k

m says how the share depends on the covariates, W how similar classes are around it: with a large W all are
alike, with W below 2 the share is near 0 in some classes and near 1 in others. The priors are weak and proper: a
standard logistic, v logistic around log 2, d standard normal, the slopes normal with the given scales.

o₁ successes and o₀ failures, two at most, are what the M classes have of their own, in all. Without them, classes that
are all without a failure are best explained by shares of exactly 1 (W → 0), however few items they have.

p is integrated out, which leaves four to six parameters. Their posterior is represented around its mode (by Newton's
method with exact derivatives) by points of a low-discrepancy sequence, distributed as a multivariate t and weighted
by importance. So the same data give the same points, without random numbers.

Trials of different classes may be the same items: an error is a miss of one class and a false alarm of another.
`discount` is the factor by which this inflates the variance of the pooled share; the log likelihood is divided by
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log
from typing import Protocol, Self

import numpy as np

from outperform.base.cores import on_all_cores
from outperform.data.contingency import FloatArray, picked
from outperform.data.labels import IntArray
from outperform.models.modes import Problem, solved, weights

__all__ = ["Density", "Learned", "Shares", "chosen", "distinct", "learn", "points_around", "standardised"]

MOST_POINTS, FEWEST_POINTS, MOST_TERMS = 2_048, 128, 64_000  # points × classes, above which fewer points are used
FIRST_POINTS = 512  # tried first
FREEDOM = 6.0  # degrees of freedom of the multivariate t
ENOUGH = 0.5  # effective share of the points, below which the proposal is refitted
GOOD = 0.6  # above which few points suffice
ROUNDS = 3
THINNED = 4  # one point in so many is taken for means that need not be exact
FLATTEST = 0.05  # least curvature of a direction
LEAST_SPREAD = 1.0  # least divisor of a covariate (sizes and odds are logarithms)


class Density(Protocol):
    """A posterior of few parameters, learned from so many of each distinct class."""

    @property
    def number(self) -> FloatArray:
        """Classes of each kind."""

    def log_density(self, at: FloatArray) -> FloatArray:
        """Return the log density at points of shape (points, size), up to a constant."""


@dataclass(frozen=True, eq=False)
class Learned:
    """The posterior of Beta weights, as weighted points: (α, β) of each distinct class at each point.

    Attributes
    ----------
    alpha, beta : arrays of shape (distinct classes, points)
        W m and W (1 − m); points are sorted by the mean of m over all classes, or over all their items.
    probability : array of shape (points,)
        Importance weights; they add up to 1.
    place : array of shape (classes,)
        The distinct class of each class: classes with the same trials, successes and covariates are merged.
    """

    alpha: FloatArray
    beta: FloatArray
    probability: FloatArray
    place: IntArray

    def draw(self, lots: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return α and β, of shape (classes, draws), for uniform numbers `lots`; the mean share increases with them."""
        point = chosen(self.probability, lots)
        return picked(point, self.alpha)[self.place], picked(point, self.beta)[self.place]

    @cached_property
    def few(self) -> Learned:
        """The same with fewer points, which suffice for means over them."""
        part = slice(None, None, THINNED)
        chance = self.probability[part]
        alpha, beta = (np.ascontiguousarray(x[:, part]) for x in (self.alpha, self.beta))
        return Learned(alpha, beta, chance / chance.sum(), self.place)

    def averaged(self, table: FloatArray) -> FloatArray:
        """Return means over the points, of shape (classes,), of numbers of shape (distinct classes, points)."""
        mean: FloatArray = (table @ self.probability)[self.place]
        return mean

    def merged(self, values: FloatArray) -> FloatArray:
        """Return sums over the classes that are merged, of values of shape (classes, …)."""
        total = np.empty((len(self.alpha), *values.shape[1:]))
        for column in np.ndindex(values.shape[1:]):
            total[:, *column] = np.bincount(self.place, values[:, *column], len(total))
        return total

    def middle(self, counts: FloatArray) -> FloatArray:
        """Return about the mean share of each class, from its successes and failures, of shape (2, classes)."""
        return self.few.averaged(self.few._means(counts)[0])

    def moments(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of the share at each point, of shape (distinct classes, points).

        Counts of successes and failures have the shape (2, classes).
        """
        mean, total, _ = self._means(counts)
        total += 1
        variance = 1 - mean
        variance *= mean
        variance /= total
        return mean, variance

    def due_to_items(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the standard deviation of the share of each class that is due to the items: mean and mean square.

        It is to first order, but for n trials less by the factor n/(n + 1), as the variance of n trials alone is.
        """
        mean, total, (yes, no) = self.few._means(counts)
        square = ((1 - mean) ** 2 * yes + mean**2 * no) * ((yes + no) / (yes + no + 1)) / total**2
        return self.few.averaged(np.sqrt(square)), self.few.averaged(square)

    def _means(self, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the mean share, the trials with those of the prior, and the counts, by distinct class and point."""
        held = np.zeros((2, len(self.alpha), 1))
        held[:, self.place, 0] = counts  # the same in classes that are merged
        mean, total = self.alpha + held[0], self.alpha + self.beta
        total += held.sum(axis=0)
        mean /= total
        return mean, total, held

    def borrowed(self, trials: FloatArray) -> float:
        """Return the share of the information about a class that comes from others: the mean of W_k/(W_k + t_k)."""
        weight, alike = self.alpha + self.beta, np.bincount(self.place)
        each = np.zeros(len(weight))
        each[self.place] = trials  # the same in classes that are merged
        return float((alike / alike.sum()) @ (weight / (weight + each[:, None])) @ self.probability)


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares of all classes, of which the posterior is wanted.

    Attributes
    ----------
    successes, trials : arrays of shape (classes,)
        The counts; trials may be 0.
    covariates : arrays of shape (classes,)
        Standardised; W depends on the first of them.
    scales : floats
        Prior standard deviations of the slopes.
    discount : float
        Divisor of the log likelihood, at least 1.
    own : floats
        Successes and failures that all classes together have of their own.
    """

    successes: FloatArray
    trials: FloatArray
    covariates: Sequence[FloatArray]
    scales: Sequence[float]
    discount: float = 1.0
    own: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, eq=False)
class _Distinct:
    """Shares with alike classes merged: what is in each distinct class, how many there are of it, and their places."""

    shares: Shares
    columns: FloatArray  # successes, trials and covariates, the constant first, of shape (distinct classes, columns)
    number: FloatArray
    place: IntArray

    @classmethod
    def of(cls, shares: Shares) -> Self:
        """Merge classes with the same trials, successes and covariates."""
        return cls(
            shares, *distinct([shares.successes, shares.trials, np.ones(len(shares.trials)), *shares.covariates])
        )

    @cached_property
    def problem(self) -> Problem:
        """What the posterior is made of: the classes with trials; without any, a class that does not count."""
        seen = self.columns[:, 1] > 0
        number = self.number * seen / self.shares.discount
        seen[0] |= not seen.any()
        successes, trials = self.columns[seen, :2].T
        scales = np.array(self.shares.scales, dtype=np.float64)
        return Problem(successes, trials - successes, number[seen], self._mean[:, seen], scales, self._own)

    @property
    def _mean(self) -> FloatArray:
        """The covariates of logit m, of shape (covariates, distinct classes)."""
        return self.columns[:, 2:].T

    @property
    def _own(self) -> FloatArray:
        """Successes and failures that each class has of its own."""
        return np.array(self.shares.own) / max(len(self.shares.trials), 1)

    @property
    def guess(self) -> float:
        """Where the search for logit m starts: at the mean share of the classes."""
        successes, trials = self.shares.successes, self.shares.trials
        pooled = (successes.sum() + 0.5) / (trials.sum() + 1.0)
        share = float(np.clip(((successes + pooled) / (trials + 1.0)).mean(), 0.02, 0.98))
        return log(share / (1 - share))

    def learned(self, mode: FloatArray, hessian: FloatArray, importance: FloatArray | None) -> Learned:
        """Return the weights of all classes, also of those without trials, at points around the mode."""
        points, probability = points_around(self.problem, mode, hessian)
        alpha, beta = weights(points, self._mean, self._own)
        counted = np.bincount(self.place, importance, len(self.number))
        order = np.argsort(counted @ (alpha / (alpha + beta)), kind="stable")
        return Learned(alpha[:, order], beta[:, order], probability[order], self.place)


def distinct(columns: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the distinct rows of columns, (rows, columns), how many there are of each, and the place of each row."""
    table = np.stack(columns)
    order = np.lexsort(table[::-1])
    ordered = table[:, order]
    new = np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return ordered[:, new].T, np.bincount(place).astype(np.float64), place


def chosen(probability: FloatArray, lots: FloatArray) -> IntArray:
    """Return the points of these probabilities that uniform numbers choose, in their order."""
    ends = np.cumsum(probability)
    point: IntArray = np.searchsorted(ends, lots * ends[-1]).clip(max=len(ends) - 1)
    return point


def learn(shares: Sequence[Shares], importance: FloatArray | None = None) -> list[Learned]:
    """Return the posterior of the Beta weights of each of several shares, each learned from all classes.

    Points are sorted by a mean share, in which a class counts as its importance; as 1 without any.
    """
    merged = list(on_all_cores(_Distinct.of, shares))
    modes = solved([part.problem for part in merged], [part.guess for part in merged])

    def learned(k: int) -> Learned:
        return merged[k].learned(*modes[k], importance)

    return list(on_all_cores(learned, range(len(merged))))


def points_around(problem: Density, middle: FloatArray, hessian: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return weighted points of a posterior: few if they fit well, else more, and refitted."""
    most = _most_points(len(problem.number))
    curvature, axes = np.linalg.eigh(-hessian)
    spread = (axes / np.maximum(curvature, FLATTEST)) @ axes.T
    root = np.linalg.cholesky(spread)  # eigenvectors have no unique sign
    first = [(FIRST_POINTS, GOOD)] if most > FIRST_POINTS else []
    for number, enough in [*first, *[(most, ENOUGH)] * ROUNDS]:
        points, weight = _weighted(problem, middle, root, number)
        if 1 / (weight**2).sum() > enough * number:
            break
        middle, root = _refitted(points, weight)
    return points, weight


def _weighted(problem: Density, middle: FloatArray, root: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Return so many points of a multivariate t with this middle and root of its scale, and their weights."""
    spread = _student(number, len(middle))
    points = middle + spread @ root.T
    tails = (FREEDOM + len(middle)) / 2 * np.log1p((spread**2).sum(axis=1) / FREEDOM)
    log_weight = problem.log_density(points) + tails
    weight = np.exp(log_weight - log_weight.max())
    return points, weight / weight.sum()


def _refitted(points: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of weighted points, and a root of their covariance.

    It is slightly inflated, because a proposal should have the heavier tails.
    """
    middle = weight @ points
    off = points - middle
    covariance = (weight[:, None] * off).T @ off
    return middle, np.asarray(np.linalg.cholesky(covariance * 1.1 + 1e-6 * np.eye(len(middle))), np.float64)


def _most_points(classes: int) -> int:
    """Return how many points are used at most for so many distinct classes."""
    return int(np.clip(MOST_TERMS // max(classes, 1), FEWEST_POINTS, MOST_POINTS)) // 2 * 2


def standardised(x: FloatArray) -> FloatArray:
    """Return x with mean 0 and standard deviation 1, or less if all are similar, so that chance makes no trend."""
    off: FloatArray = (x - x.mean()) / max(float(x.std()), LEAST_SPREAD)
    return off


@lru_cache(maxsize=64)
def _student(points: int, size: int) -> FloatArray:
    """Return points of a multivariate t and their mirror images, by the recurrence of the generalised golden ratio."""
    from scipy.special import gammaincinv, ndtri

    ratio = 2.0
    for _ in range(100):  # the root of g^(d+1) = g + 1, for d = size + 1 coordinates
        ratio = (1 + ratio) ** (1 / (size + 2))
    even = (0.5 + np.outer(np.arange(1, points // 2 + 1), ratio ** -np.arange(1.0, size + 2))) % 1
    chi = gammaincinv(FREEDOM / 2, even[:, -1]) * 2 / FREEDOM
    half: FloatArray = ndtri(even[:, :-1]) / np.sqrt(chi)[:, None]
    return np.concatenate([half, -half])
