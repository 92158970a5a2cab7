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
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log
from typing import Self

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray, picked
from outperform.data.labels import IntArray
from outperform.models.rising import log_rising, trigamma

__all__ = ["Learned", "Shares", "learn", "standardised"]

TYPICAL_WEIGHT = log(2.0)  # centre of the prior of log W, at which the Beta is uniform for m = ½
STEEPEST, LEAST_LOG, MOST_LOG = 20.0, -12.0, 14.0  # bounds of logit m and log W, beyond which nothing changes
MOST_POINTS, FEWEST_POINTS, MOST_TERMS = 2_048, 128, 64_000  # points × classes, above which fewer points are used
FIRST_POINTS = 512  # tried first
FREEDOM = 6.0  # degrees of freedom of the multivariate t
ENOUGH = 0.5  # effective share of the points, below which the proposal is refitted
GOOD = 0.6  # above which few points suffice
ROUNDS, MOST_STEPS = 3, 60
FLATTEST = 0.05  # least curvature of a direction
LONGEST = 2.0  # longest Newton step
CONVERGED = 1e-7
LEAST_SPREAD = 1.0  # least divisor of a covariate (sizes and odds are logarithms)


@dataclass(frozen=True, eq=False)
class Learned:
    """The posterior of Beta weights, as weighted points: (α, β) of each distinct class at each point.

    Attributes
    ----------
    alpha, beta : arrays of shape (distinct classes, points)
        W m and W (1 − m); points are sorted by the mean of m over all classes.
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
        ends = np.cumsum(self.probability)
        point = np.searchsorted(ends, lots * ends[-1]).clip(max=len(ends) - 1)
        return picked(point, self.alpha)[self.place], picked(point, self.beta)[self.place]

    def borrowed(self, trials: FloatArray) -> float:
        """Return the share of the information about a class that comes from others: the mean of W_k/(W_k + t_k)."""
        weight = (self.alpha + self.beta)[self.place]
        return float((weight / (weight + trials[:, None])).mean(axis=0) @ self.probability)


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
        ones = np.ones(len(shares.trials))
        columns = np.stack([shares.successes, shares.trials, ones, *shares.covariates], axis=1)
        distinct, place, number = np.unique(columns, axis=0, return_inverse=True, return_counts=True)
        return cls(shares, distinct, number.astype(np.float64), place.ravel().astype(np.int64))

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which distinct classes have trials."""
        return self.columns[:, 1] > 0

    @property
    def mean(self) -> FloatArray:
        """The covariates of logit m, of shape (covariates, distinct classes)."""
        return self.columns[:, 2:].T

    @property
    def own(self) -> FloatArray:
        """Successes and failures that each class has of its own."""
        return np.array(self.shares.own) / max(len(self.shares.trials), 1)

    @property
    def guess(self) -> FloatArray:
        """The start of the search for the mode: all classes alike, at about their mean share."""
        successes, trials = self.shares.successes, self.shares.trials
        pooled = (successes.sum() + 0.5) / (trials.sum() + 1.0)
        share = float(np.clip(((successes + pooled) / (trials + 1.0)).mean(), 0.02, 0.98))
        at = np.zeros(len(self.mean) + 2)
        at[0], at[len(self.mean)] = log(share / (1 - share)), TYPICAL_WEIGHT
        return at

    def learned(self, points: FloatArray, probability: FloatArray) -> Learned:
        """Return the weights of all classes, also of those without trials, at points of the posterior."""
        alpha, beta = _weights(points[None], self.mean[None], self.own[None])[:, 0]
        order = np.argsort(self.number @ (alpha / (alpha + beta)), kind="stable")
        return Learned(alpha[:, order], beta[:, order], probability[order], self.place)


@dataclass(frozen=True, eq=False)
class _Problems:
    """Problems with as many distinct classes and covariates each, solved side by side: arrays of them are small.

    Distinct classes with trials, the number of each (discounted), of shape (problems, classes), and the prior. `mean`
    holds the covariates of logit m, of shape (problems, covariates, classes), the constant first; those of log W are
    its first two rows. What is computed of a problem does not depend on the others.
    """

    successes: FloatArray
    failures: FloatArray
    number: FloatArray
    mean: FloatArray
    scales: FloatArray  # of shape (problems, covariates − 1)
    own: FloatArray  # of shape (problems, 2)

    @classmethod
    def of(cls, parts: Sequence[_Distinct]) -> Self:
        """Stack problems of the same shape."""
        rows = [part.columns[part.seen] for part in parts]
        successes, trials = (np.stack([row[:, k] for row in rows]) for k in (0, 1))
        number = np.stack([part.number[part.seen] / part.shares.discount for part in parts])
        mean = np.stack([row[:, 2:].T for row in rows])
        scales = np.array([part.shares.scales for part in parts], dtype=np.float64)
        return cls(successes, trials - successes, number, mean, scales, np.stack([part.own for part in parts]))

    def __getitem__(self, which: IntArray) -> Self:
        """Return some of the problems."""
        return replace(self, **{name: array[which] for name, array in vars(self).items()})

    @property
    def slopes(self) -> int:
        """Number of covariates of logit m."""
        return int(self.mean.shape[1])

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.slopes + 2

    def log_density(self, at: FloatArray) -> FloatArray:
        """Return the log posterior density at points of shape (problems, points, size), up to a constant."""
        alpha, beta = _weights(at, self.mean, self.own)
        s, f = self.successes, self.failures
        like = log_rising(alpha, s) + log_rising(beta, f) - log_rising(alpha + beta, s + f)
        a, v = at[..., 0], at[..., self.slopes] - TYPICAL_WEIGHT
        logistic = -a - 2 * np.logaddexp(0, -a) - v - 2 * np.logaddexp(0, -v)
        slopes, change = at[..., 1 : self.slopes] / self.scales[:, None], at[..., -1]
        data = (self.number[:, None] @ like)[:, 0]
        density: FloatArray = data + logistic - 0.5 * (slopes**2).sum(axis=-1) - 0.5 * change**2
        return density

    def derivatives(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradients and the Hessians of the log densities at one point each, of shape (problems, size)."""
        from scipy.special import digamma

        slopes, s, f = self.slopes, self.successes, self.failures
        alpha, beta = _weights(at[:, None], self.mean, self.own)[..., 0]
        total = alpha + beta
        at_all = np.stack([total, total + s + f, alpha, alpha + s, beta, beta + f])
        one, two = digamma(at_all), trigamma(at_all)
        first, second = one[0] - one[1], two[0] - two[1]
        by_alpha, by_beta = first + one[3] - one[2], first + one[5] - one[4]
        aa, bb = second + two[3] - two[2], second + two[5] - two[4]
        alpha, beta = alpha - self.own[:, :1], beta - self.own[:, 1:]  # what depends on the parameters
        total = alpha + beta
        share = alpha / total
        turn = total * share * (1 - share)  # dα/d logit m = −dβ/d logit m
        by_mean, by_weight = (by_alpha - by_beta) * turn, by_alpha * alpha + by_beta * beta
        mm = (aa + bb - 2 * second) * turn**2 + by_mean * (1 - 2 * share)
        ww = aa * alpha**2 + 2 * second * alpha * beta + bb * beta**2 + by_weight
        mw = turn * (aa * alpha + second * (beta - alpha) - bb * beta) + by_mean
        x, z, n = self.mean, self.mean[:, :2], self.number
        gradient = np.concatenate([x @ (n * by_mean)[..., None], z @ (n * by_weight)[..., None]], axis=1)[..., 0]
        across, down = (y.transpose(0, 2, 1) for y in (x, z))
        hessian = np.empty((len(at), self.size, self.size))
        hessian[:, :slopes, :slopes] = (x * (n * mm)[:, None]) @ across
        hessian[:, slopes:, slopes:] = (z * (n * ww)[:, None]) @ down
        hessian[:, :slopes, slopes:] = cross = (x * (n * mw)[:, None]) @ down
        hessian[:, slopes:, :slopes] = cross.transpose(0, 2, 1)
        for k, middle in ((0, 0.0), (slopes, TYPICAL_WEIGHT)):
            bend = np.tanh((at[:, k] - middle) / 2)
            gradient[:, k] -= bend
            hessian[:, k, k] -= (1 - bend**2) / 2
        precision = np.concatenate([self.scales**-2, np.ones((len(at), 1))], axis=1)
        normal = [*range(1, slopes), slopes + 1]
        gradient[:, normal] -= at[:, normal] * precision
        hessian[:, normal, normal] -= precision
        return gradient, hessian

    def modes(self, start: FloatArray) -> FloatArray:
        """Return the modes by Newton's method, with steps damped until the density increases."""
        found, best = start.copy(), self.log_density(start[:, None])[:, 0]
        damping, left = np.full(len(start), 1e-2), np.arange(len(start))
        for _ in range(MOST_STEPS):
            steps, values, damped = self[left]._ascent(found[left], best[left], damping[left])
            higher, on = values > best[left], values > best[left] + CONVERGED
            found[left[higher]] += steps[higher]
            best[left[higher]] = values[higher]
            damping[left] = np.maximum(damped / 10, 1e-9)
            left = left[on]
            if not len(left):
                break
        return found

    def _ascent(self, at: FloatArray, best: FloatArray, damping: FloatArray) -> tuple[FloatArray, ...]:
        """Return a step of each problem, damped until it does not lower the density; the density there; the damping."""
        gradient, hessian = self.derivatives(at)
        curvature, axes = np.linalg.eigh(-hessian)
        slope = (axes.transpose(0, 2, 1) @ gradient[..., None])[..., 0]
        steps, values, left = np.empty_like(at), np.empty(len(at)), np.arange(len(at))
        while len(left):
            bent = np.maximum(np.abs(curvature[left]), 1e-3) + damping[left, None]
            step = (axes[left] @ (slope[left] / bent)[..., None])[..., 0]
            length = np.maximum(np.sqrt((step**2).sum(axis=1)), 1e-300)
            steps[left] = step * np.minimum(1.0, LONGEST / length)[:, None]
            values[left] = self[left].log_density((at[left] + steps[left])[:, None])[:, 0]
            left = left[~(values[left] >= best[left]) & (damping[left] <= 1e6)]
            damping[left] *= 10
        return steps, values, damping

    def points(self, guess: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """Return weighted points of each posterior: few if they fit well, else more, refitted to those that do not."""
        most = _most_points(self.number.shape[1])
        middle = self.modes(guess)
        curvature, axes = np.linalg.eigh(-self.derivatives(middle)[1])
        spread = (axes / np.maximum(curvature, FLATTEST)[:, None]) @ axes.transpose(0, 2, 1)
        root = np.linalg.cholesky(spread)  # eigenvectors have no unique sign
        found: dict[int, tuple[FloatArray, FloatArray]] = {}
        left = np.arange(len(guess))
        first = [(FIRST_POINTS, GOOD)] if most > FIRST_POINTS else []
        for number, enough in [*first, *[(most, ENOUGH)] * ROUNDS]:
            points, weight = self[left]._weighted(middle[left], root[left], number)
            found |= dict(zip(left.tolist(), zip(points, weight, strict=True), strict=True))
            bad = _effective(weight) <= enough
            left = left[bad]
            if not len(left):
                break
            if number == most:
                middle[left], root[left] = _refitted(points[bad], weight[bad])
        return [found[k] for k in range(len(guess))]

    def _weighted(self, middle: FloatArray, root: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
        """Return so many points of multivariate ts with these middles and roots of their scales, and their weights."""
        spread = _student(number, self.size)
        points = middle[:, None] + spread @ root.transpose(0, 2, 1)
        tails = (FREEDOM + self.size) / 2 * np.log1p((spread**2).sum(axis=1) / FREEDOM)
        log_weight = self.log_density(points) + tails
        weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
        return points, weight / weight.sum(axis=1, keepdims=True)


def learn(shares: Sequence[Shares]) -> list[Learned]:
    """Return the posterior of the Beta weights of each of several shares, each learned from all classes."""
    distinct = [_Distinct.of(share) for share in shares]
    alike: dict[tuple[int, int], list[int]] = {}
    for k, part in enumerate(distinct):
        alike.setdefault((int(part.seen.sum()), len(part.mean)), []).append(k)
    found: dict[int, Learned] = {}
    for (classes, _), places in alike.items():
        at_once = max(1, MOST_TERMS // (FIRST_POINTS * max(classes, 1)))
        for start in range(0, len(places), at_once):
            some = places[start : start + at_once]
            parts = [distinct[k] for k in some]
            points = _Problems.of(parts).points(np.stack([part.guess for part in parts]))
            found |= {k: part.learned(*at) for k, part, at in zip(some, parts, points, strict=True)}
    return [found[k] for k in range(len(shares))]


def _most_points(classes: int) -> int:
    """Return how many points are used at most for so many distinct classes."""
    return int(np.clip(MOST_TERMS // max(classes, 1), FEWEST_POINTS, MOST_POINTS)) // 2 * 2


def standardised(x: FloatArray) -> FloatArray:
    """Return x with mean 0 and standard deviation 1, or less if all are similar, so that chance makes no trend."""
    off: FloatArray = (x - x.mean()) / max(float(x.std()), LEAST_SPREAD)
    return off


def _weights(at: FloatArray, mean: FloatArray, own: FloatArray) -> FloatArray:
    """Return α and β, of shape (2, problems, classes, points), for these covariates at points of each problem."""
    from scipy.special import expit

    slopes, (covariates, at) = mean.shape[1], (x.transpose(0, 2, 1) for x in (mean, at))
    share = expit(np.clip(covariates @ at[:, :slopes], -STEEPEST, STEEPEST))
    weight = np.exp(np.clip(covariates[..., :2] @ at[:, slopes:], LEAST_LOG, MOST_LOG))
    return np.stack([weight * share, weight * (1.0 - share)]) + own.T[..., None, None]


def _refitted(points: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of weighted points of each problem, and a root of their covariance.

    It is slightly inflated, because a proposal should have the heavier tails.
    """
    middle = (weight[:, None] @ points)[:, 0]
    off = points - middle[:, None]
    covariance = (weight[..., None] * off).transpose(0, 2, 1) @ off
    return middle, np.asarray(np.linalg.cholesky(covariance * 1.1 + 1e-6 * np.eye(points.shape[-1])), np.float64)


def _effective(weight: FloatArray) -> FloatArray:
    """Return the effective share of weighted points of each problem."""
    return np.asarray(1 / (weight**2).sum(axis=1) / weight.shape[1])


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
