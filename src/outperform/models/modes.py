"""The posteriors of Beta-binomial regressions, and their modes, which are found side by side: each alone is small.

By Newton's method with exact derivatives, with steps damped until the density increases. The classes of all problems
are in one row, one problem after the other; what is computed of a problem does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray
from outperform.models.rising import digamma_trigamma, log_rising

__all__ = ["TYPICAL_WEIGHT", "Problem", "Problems", "solved", "weights"]

TYPICAL_WEIGHT = log(2.0)  # centre of the prior of log W, at which the Beta is uniform for m = ½
STEEPEST, LEAST_LOG, MOST_LOG = 20.0, -12.0, 14.0  # bounds of logit m and log W, beyond which nothing changes
WIDEST = 4  # covariates of a usual share; those that a share lacks are 0, so that its steps are the same in any company
MOST_CLASSES = 4_000  # solved at once
MOST_NUMBERS = 16_384  # classes × points at once, which fit into a cache
MOST_STEPS = 60
LONGEST = 2.0  # longest Newton step
CONVERGED = 1e-4  # of the log density: the next step would bring about its square
DAMPED = 0.1  # least damping of a second attempt
STARTS = (0.0, 2.0, 4.0, 6.0)  # of log W, relative to the typical one


@dataclass(frozen=True, eq=False)
class Problem:
    """Distinct classes with trials, the number of each (discounted), and the prior.

    `mean` holds the covariates of logit m, of shape (covariates, classes), the constant first; those of log W are its
    first two rows. A point has the covariates' coefficients of logit m, then those of log W.
    """

    successes: FloatArray
    failures: FloatArray
    number: FloatArray
    mean: FloatArray
    scales: FloatArray  # prior standard deviations of the slopes of logit m
    own: FloatArray  # successes and failures that each class has of its own

    def log_density(self, at: FloatArray) -> FloatArray:
        """Return the log posterior density at points of shape (points, size), up to a constant."""
        density, step = _log_prior(at, self.scales), max(1, MOST_NUMBERS // len(at))
        for start in range(0, len(self.number), step):
            part = slice(start, start + step)
            s, f = self.successes[part], self.failures[part]
            alpha, beta = weights(at, self.mean[:, part], self.own)
            like = log_rising(alpha, s)
            like += log_rising(beta, f)
            alpha += beta
            like -= log_rising(alpha, s + f)
            density += self.number[part] @ like
        return density


def weights(at: FloatArray, mean: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return α and β, each of shape (classes, points), for these covariates at points of shape (points, size)."""
    slopes, spread = at[:, : len(mean)].T, at[:, len(mean) :].T
    alpha, beta = _divided(mean.T @ slopes, mean[:2].T @ spread)
    alpha += own[0]
    beta += own[1]
    return alpha, beta


def _divided(mean: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return W m and W (1 − m) for logit m and log W, which are overwritten."""
    odds = np.exp(np.clip(mean, -STEEPEST, STEEPEST, out=mean), out=mean)
    rest = np.exp(np.clip(weight, LEAST_LOG, MOST_LOG, out=weight), out=weight)
    rest /= 1 + odds
    odds *= rest
    return odds, rest


def _log_prior(at: FloatArray, scales: FloatArray) -> FloatArray:
    """Return the log prior density at points of shape (…, size), up to a constant."""
    width = scales.shape[-1] + 1
    a, v = at[..., 0], at[..., width] - TYPICAL_WEIGHT
    logistic = -a - 2 * np.logaddexp(0, -a) - v - 2 * np.logaddexp(0, -v)
    slopes, change = at[..., 1:width] / scales, at[..., -1]
    density: FloatArray = logistic - 0.5 * (slopes**2).sum(axis=-1) - 0.5 * change**2
    return density


@dataclass(frozen=True, eq=False)
class Problems:
    """Problems that are solved side by side, with as many covariates each."""

    parts: Sequence[Problem]

    @property
    def width(self) -> int:
        """Number of covariates of logit m."""
        return max(WIDEST, *(len(part.mean) for part in self.parts))

    @cached_property
    def _first(self) -> IntArray:
        """The place of the first class of each problem."""
        return np.cumsum([0, *(len(part.number) for part in self.parts[:-1])])

    @cached_property
    def _problem(self) -> IntArray:
        """The problem of each class."""
        return np.repeat(np.arange(len(self.parts)), [len(part.number) for part in self.parts])

    @cached_property
    def _rows(self) -> list[FloatArray]:
        """Successes, failures and number of each class."""
        parts = self.parts
        return [np.concatenate([getattr(x, name) for x in parts]) for name in ("successes", "failures", "number")]

    @cached_property
    def _mean(self) -> FloatArray:
        """The covariates, of shape (width, classes)."""
        missing = [np.zeros((self.width - len(part.mean), len(part.number))) for part in self.parts]
        columns = [np.concatenate([part.mean, none]) for part, none in zip(self.parts, missing, strict=True)]
        return np.concatenate(columns, axis=1)

    @cached_property
    def _scales(self) -> FloatArray:
        """Prior scales of the slopes, of shape (problems, width − 1)."""
        return np.array([[*part.scales, *[1.0] * (self.width - 1 - len(part.scales))] for part in self.parts])

    @cached_property
    def _own(self) -> FloatArray:
        """What each class has of its own, of shape (2, classes)."""
        return np.stack([part.own for part in self.parts])[self._problem].T

    def _weights(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the parts of α and β that depend on points, one for each problem."""
        here, width = at[self._problem].T, self.width
        mean = (self._mean * here[:width]).sum(axis=0)
        return _divided(mean, (self._mean[:2] * here[width:]).sum(axis=0))

    def log_density(self, at: FloatArray) -> FloatArray:
        """Return the log densities at one point each, of shape (problems, size)."""
        from scipy.special import gammaln

        (s, f, number), (alpha, beta) = self._rows, self._weights(at) + self._own
        before, after = np.stack([alpha, beta, alpha + beta]), np.stack([s, f, s + f])
        like = gammaln(before + after) - gammaln(before)
        data = np.add.reduceat(number * (like[0] + like[1] - like[2]), self._first)
        density: FloatArray = data + _log_prior(at, self._scales)
        return density

    def derivatives(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradients and the Hessians of the log densities at one point each, of shape (problems, size)."""
        by_one, by_two = self._by_logits(*self._weights(at))
        rows, kind = np.concatenate([self._mean, self._mean[:2]]), np.repeat([0, 1], [self.width, 2])
        i, j = np.triu_indices(len(rows))
        gradient, hessian = np.empty_like(at), np.empty((*at.shape, len(rows)))
        gradient[:] = np.add.reduceat(rows * by_one[kind], self._first, axis=1).T
        curved = np.add.reduceat(rows[i] * rows[j] * by_two[kind[i] + kind[j]], self._first, axis=1).T
        hessian[:, i, j] = hessian[:, j, i] = curved
        for k, middle in ((0, 0.0), (self.width, TYPICAL_WEIGHT)):
            bend = np.tanh((at[:, k] - middle) / 2)
            gradient[:, k] -= bend
            hessian[:, k, k] -= (1 - bend**2) / 2
        precision = np.concatenate([self._scales**-2, np.ones((len(at), 1))], axis=1)
        normal = [*range(1, self.width), len(rows) - 1]
        gradient[:, normal] -= at[:, normal] * precision
        hessian[:, normal, normal] -= precision
        return gradient, hessian

    def _by_logits(self, alpha: FloatArray, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return derivatives of all classes' log likelihoods by logit m and log W, and the second ones."""
        (s, f, number), own = self._rows, self._own
        total = alpha + beta
        at = np.stack([total, alpha, beta]) + np.stack([own.sum(axis=0), *own])
        before, after = digamma_trigamma(at), digamma_trigamma(at + np.stack([s + f, s, f]))
        (all_one, alpha_one, beta_one), (all_two, alpha_two, beta_two) = (
            x - y for x, y in zip(before, after, strict=True)
        )
        by_alpha, by_beta = all_one - alpha_one, all_one - beta_one
        share = alpha / total
        turn = total * share * (1 - share)  # dα/d logit m = −dβ/d logit m
        by_mean, by_weight = (by_alpha - by_beta) * turn, by_alpha * alpha + by_beta * beta
        aa, bb, ab = all_two - alpha_two, all_two - beta_two, all_two
        mm = (aa + bb - 2 * ab) * turn**2 + by_mean * (1 - 2 * share)
        mw = turn * (aa * alpha + ab * (beta - alpha) - bb * beta) + by_mean
        ww = aa * alpha**2 + 2 * ab * alpha * beta + bb * beta**2 + by_weight
        return number * np.stack([by_mean, by_weight]), number * np.stack([mm, mw, ww])

    def start(self, shares: Sequence[float]) -> FloatArray:
        """Return where to start: all classes alike, with these logit m, and the best of a few log W."""
        starts = np.zeros((len(STARTS), len(shares), self.width + 2))
        starts[..., 0], starts[..., self.width] = shares, TYPICAL_WEIGHT + np.array(STARTS)[:, None]
        best = np.argmax([self.log_density(start) for start in starts], axis=0)
        chosen: FloatArray = starts[best, np.arange(len(shares))]
        return chosen

    def modes(self, start: FloatArray) -> FloatArray:
        """Return the modes by Newton's method, with steps damped until the density increases."""
        found, best = start.copy(), self.log_density(start)
        damping, left = np.full(len(start), 1e-2), np.full(len(start), fill_value=True)
        for _ in range(MOST_STEPS):
            steps, values = self._ascent(found, best, damping, left)
            higher = left & (values > best)
            left &= values > best + CONVERGED
            found[higher] += steps[higher]
            best[higher] = values[higher]
            damping = np.maximum(damping / 10, 1e-9)
            if not left.any():
                break
        return found

    def _ascent(
        self, at: FloatArray, best: FloatArray, damping: FloatArray, left: NDArray[np.bool_]
    ) -> tuple[FloatArray, FloatArray]:
        """Return steps, and the densities after them: damped more until those that are left have no lower density."""
        gradient, hessian = self.derivatives(at)
        curvature, axes = np.linalg.eigh(-hessian)
        slope = (gradient[:, None] @ axes)[:, 0]
        while True:
            bent = np.maximum(np.abs(curvature), 1e-3) + damping[:, None]
            steps = (axes @ (slope / bent)[..., None])[..., 0]
            length = np.maximum(np.sqrt((steps**2).sum(axis=1)), 1e-300)
            steps *= np.minimum(1.0, LONGEST / length)[:, None]
            values = self.log_density(at + steps)
            worse = left & ~(values >= best) & (damping <= 1e6)
            if not worse.any():
                return steps, values
            damping[worse] = np.maximum(10 * damping[worse], DAMPED)


def solved(problems: Sequence[Problem], shares: Sequence[float]) -> list[tuple[FloatArray, FloatArray]]:
    """Return the modes of the posteriors, and the Hessians there, from guesses of logit m."""
    at_once = max(1, MOST_CLASSES // max(len(problem.number) for problem in problems))
    found = []
    for first in range(0, len(problems), at_once):
        some = Problems(problems[first : first + at_once])
        modes = some.modes(some.start(shares[first : first + at_once]))
        for part, mode, hessian in zip(some.parts, modes, some.derivatives(modes)[1], strict=True):
            real = np.r_[0 : len(part.mean), some.width : some.width + 2]
            found.append((mode[real], hessian[np.ix_(real, real)]))
    return found
