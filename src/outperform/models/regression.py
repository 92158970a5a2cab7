"""Beta-binomial regression: a share in every class, about which the classes learn from each other.

Of t_k trials in class k, s_k are successes. With x_k the first covariate,

    s_k ~ Bin(t_k, p_k)    p_k ~ Beta(W_k m_k, W_k (1 − m_k))
    logit m_k = a + b x_k + …    log W_k = v + d x_k

m says how the share depends on the covariates, W how similar classes are around it: with a large W all are
alike, with W below 2 the share is near 0 in some classes and near 1 in others. The priors are weak and proper: a
standard logistic, v logistic around log 2, d standard normal, the slopes normal with the given scales.

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
from functools import lru_cache
from math import log

import numpy as np

from outperform.data.contingency import FloatArray, picked
from outperform.data.labels import IntArray

__all__ = ["Learned", "learn", "standardised"]

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
SHIFT = 6  # from where on the asymptotic series of the trigamma function is used
MOST_FACTORS = 32  # up to this many factors are multiplied instead of using log Γ; the product cannot overflow


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
class _Problem:
    """Distinct classes with trials, the number of each, and the prior.

    `mean` holds the covariates of logit m, of shape (covariates, classes), the constant first; those of log W are its
    first two rows.
    """

    successes: FloatArray
    failures: FloatArray
    number: FloatArray
    mean: FloatArray
    scales: FloatArray

    @property
    def size(self) -> int:
        """Number of parameters."""
        return len(self.mean) + 2

    def weights(self, at: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return α and β, of shape (classes, points), for these covariates at points of shape (points, size)."""
        from scipy.special import expit

        slopes = len(mean)
        share = expit(np.clip(mean.T @ at[:, :slopes].T, -STEEPEST, STEEPEST))
        weight = np.exp(np.clip(mean[:2].T @ at[:, slopes:].T, LEAST_LOG, MOST_LOG))
        return weight * share, weight * (1.0 - share)

    def log_density(self, at: FloatArray) -> FloatArray:
        """Return the log posterior density at points of shape (points, size), up to a constant."""
        alpha, beta = self.weights(at, self.mean)
        s, f = self.successes, self.failures
        like = _log_rising(alpha, s) + _log_rising(beta, f) - _log_rising(alpha + beta, s + f)
        a, v = at[:, 0], at[:, len(self.mean)] - TYPICAL_WEIGHT
        logistic = -a - 2 * np.logaddexp(0, -a) - v - 2 * np.logaddexp(0, -v)
        slopes, change = at[:, 1 : len(self.mean)] / self.scales, at[:, -1]
        density: FloatArray = self.number @ like + logistic - 0.5 * (slopes**2).sum(axis=1) - 0.5 * change**2
        return density

    def derivatives(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradient and the Hessian of the log density at one point."""
        from scipy.special import digamma

        slopes, (alpha, beta) = len(self.mean), (weight[:, 0] for weight in self.weights(at[None], self.mean))
        total, s, f = alpha + beta, self.successes, self.failures
        at_all = np.stack([total, total + s + f, alpha, alpha + s, beta, beta + f])
        one, two = digamma(at_all), _trigamma(at_all)
        first, second = one[0] - one[1], two[0] - two[1]
        by_alpha, by_beta = first + one[3] - one[2], first + one[5] - one[4]
        aa, bb = second + two[3] - two[2], second + two[5] - two[4]
        share = alpha / total
        turn = total * share * (1 - share)  # dα/d logit m = −dβ/d logit m
        by_mean, by_weight = (by_alpha - by_beta) * turn, by_alpha * alpha + by_beta * beta
        mm = (aa + bb - 2 * second) * turn**2 + by_mean * (1 - 2 * share)
        ww = aa * alpha**2 + 2 * second * alpha * beta + bb * beta**2 + by_weight
        mw = turn * (aa * alpha + second * (beta - alpha) - bb * beta) + by_mean
        x, z, n = self.mean, self.mean[:2], self.number
        gradient = np.concatenate([x @ (n * by_mean), z @ (n * by_weight)])
        cross = (x * (n * mw)) @ z.T
        hessian = np.empty((self.size, self.size))
        hessian[:slopes, :slopes], hessian[slopes:, slopes:] = (x * (n * mm)) @ x.T, (z * (n * ww)) @ z.T
        hessian[:slopes, slopes:], hessian[slopes:, :slopes] = cross, cross.T
        for k, middle in ((0, 0.0), (slopes, TYPICAL_WEIGHT)):
            bend = np.tanh((at[k] - middle) / 2)
            gradient[k] -= bend
            hessian[k, k] -= (1 - bend**2) / 2
        scale = np.concatenate([self.scales, [1.0]])
        normal = [*range(1, slopes), slopes + 1]
        gradient[normal] -= at[normal] / scale**2
        hessian[normal, normal] -= 1 / scale**2
        return gradient, hessian

    def mode(self, at: FloatArray) -> FloatArray:
        """Return the mode by Newton's method, with steps damped until the density increases."""
        best, damping = float(self.log_density(at[None])[0]), 1e-2
        for _ in range(MOST_STEPS):
            gradient, hessian = self.derivatives(at)
            curvature, axes = np.linalg.eigh(-hessian)
            while True:
                step = axes @ ((axes.T @ gradient) / (np.maximum(np.abs(curvature), 1e-3) + damping))
                step *= min(1.0, LONGEST / max(float(np.linalg.norm(step)), 1e-300))
                value = float(self.log_density((at + step)[None])[0])
                if value >= best or damping > 1e6:
                    break
                damping *= 10
            if value <= best + CONVERGED:
                return at + step if value > best else at
            at, best, damping = at + step, value, max(damping / 10, 1e-9)
        return at


def learn(
    successes: FloatArray,
    trials: FloatArray,
    covariates: Sequence[FloatArray],
    scales: Sequence[float],
    discount: float = 1.0,
) -> Learned:
    """Return the posterior of Beta weights, learned from all classes.

    Parameters
    ----------
    successes, trials : arrays of shape (classes,)
        The counts; trials may be 0.
    covariates : arrays of shape (classes,)
        Standardised; W depends on the first of them.
    scales : floats
        Prior standard deviations of the slopes.
    discount : float
        Divisor of the log likelihood, at least 1.
    """
    columns = np.stack([successes, trials, np.ones(len(trials)), *covariates], axis=1)
    distinct, place, number = np.unique(columns, axis=0, return_inverse=True, return_counts=True)
    seen = distinct[:, 1] > 0
    s, t, mean = distinct[seen, 0], distinct[seen, 1], distinct[:, 2:].T
    problem = _Problem(s, t - s, number[seen] / discount, mean[:, seen], np.asarray(scales, dtype=np.float64))
    points, probability = _points(problem, _guess(problem, successes, trials))
    alpha, beta = problem.weights(points, mean)
    order = np.argsort(number @ (alpha / (alpha + beta)), kind="stable")
    return Learned(alpha[:, order], beta[:, order], probability[order], place.ravel().astype(np.int64))


def standardised(x: FloatArray) -> FloatArray:
    """Return x with mean 0 and standard deviation 1, or less if all are similar, so that chance makes no trend."""
    off: FloatArray = (x - x.mean()) / max(float(x.std()), LEAST_SPREAD)
    return off


def _log_rising(base: FloatArray, steps: FloatArray) -> FloatArray:
    """Return log of base (base + 1) … (base + steps − 1), of shape (classes, points); a product if steps are few."""
    from scipy.special import gammaln

    if base.shape[1] == 1:
        alone: FloatArray = gammaln(base + steps[:, None]) - gammaln(base)
        return alone
    order = np.argsort(-steps, kind="stable")
    base, steps = base[order], steps[order]
    most = MOST_FACTORS if (steps == np.floor(steps)).all() else 0
    many = int(np.searchsorted(-steps, -most))  # classes with more steps than that
    factor, product = base[many:].copy(), np.ones_like(base[many:])
    for step in range(int(steps[many:].max(initial=0))):
        # Classes are sorted by decreasing steps, so those that need another factor come first.
        left = int(np.searchsorted(-steps, -step)) - many
        product[:left] *= factor[:left]
        factor[:left] += 1
    rising = np.empty_like(base)
    rising[order] = np.concatenate([gammaln(base[:many] + steps[:many, None]) - gammaln(base[:many]), np.log(product)])
    return rising


def _trigamma(x: FloatArray) -> FloatArray:
    """Return the trigamma function to ten digits: a tenth of the time of scipy's, which has to be right to the last."""
    shifted, rest = x + SHIFT, np.zeros_like(x)
    for step in range(SHIFT):
        rest += 1 / (x + step) ** 2  # ψ₁(x) = ψ₁(x + 1) + 1/x²
    y = 1 / shifted**2
    return rest + 1 / shifted + y / 2 + y / shifted * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))


def _guess(problem: _Problem, successes: FloatArray, trials: FloatArray) -> FloatArray:
    """Return the start of the search for the mode: all classes alike, at about their mean share."""
    pooled = (successes.sum() + 0.5) / (trials.sum() + 1.0)
    share = float(np.clip(((successes + pooled) / (trials + 1.0)).mean(), 0.02, 0.98))
    at = np.zeros(problem.size)
    at[0], at[len(problem.mean)] = log(share / (1 - share)), TYPICAL_WEIGHT
    return at


def _points(problem: _Problem, guess: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return weighted points of the posterior: few if they fit well, else more, refitted to those that fit badly."""
    most = int(np.clip(MOST_TERMS // max(len(problem.number), 1), FEWEST_POINTS, MOST_POINTS)) // 2 * 2
    middle = problem.mode(guess)
    curvature, axes = np.linalg.eigh(-problem.derivatives(middle)[1])
    root = np.linalg.cholesky((axes / np.maximum(curvature, FLATTEST)) @ axes.T)  # eigenvectors have no unique sign
    if most > FIRST_POINTS:
        points, weight = _weighted(problem, middle, root, FIRST_POINTS)
        if _effective(weight) > GOOD:
            return points, weight
    for left in reversed(range(ROUNDS)):
        points, weight = _weighted(problem, middle, root, most)
        if not left or _effective(weight) > ENOUGH:
            break
        middle = weight @ points
        off = points - middle
        # The weighted covariance, slightly inflated, because a proposal should have the heavier tails.
        root = np.linalg.cholesky((weight[:, None] * off).T @ off * 1.1 + 1e-6 * np.eye(problem.size))
    return points, weight


def _weighted(problem: _Problem, middle: FloatArray, root: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Return so many points of a multivariate t with this middle and root of its scale, and their weights."""
    spread = _student(number, problem.size)
    points = middle + spread @ root.T
    tails = (FREEDOM + problem.size) / 2 * np.log1p((spread**2).sum(axis=1) / FREEDOM)
    log_weight = problem.log_density(points) + tails
    weight = np.exp(log_weight - log_weight.max())
    return points, weight / weight.sum()


def _effective(weight: FloatArray) -> float:
    """Return the effective share of weighted points."""
    return 1 / float(weight @ weight) / len(weight)


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
