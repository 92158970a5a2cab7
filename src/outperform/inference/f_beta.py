"""Posteriors of precision, recall and F_β in closed form (ACL'19 §2.1 and §2.3), as small frozen distributions.

With independent gammas TP ~ Γ(a), FP ~ Γ(b), FN ~ Γ(c) (counts + λ) and w = β²/(1+β²),

    F = TP / (TP + w·FN + (1−w)·FP)      precision w = 0, recall w = 1, F1 w = ½

If FP and FN have the same weight, or one of them none, their sum is one gamma of shape s, U = TP/(TP + Γ(s)) is
Beta(a, s), and F = U / (U + k(1−U)) with k = 1 (precision, recall) or ½ (F1, which is Eq. 7). So

    logit F = logit U − log k

a shifted log-odds of a Beta: its density is e^{aℓ}/(1+e^ℓ)^{a+s}/B(a, s), analytic and decaying exponentially on both
sides, for which the trapezoid rule in ℓ converges geometrically. For other β, given W = FN/(FN+FP) ~ Beta(c, b), F
has that form with k = wW + (1−w)(1−W), so it is a mixture over W, integrated by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, expm1, inf, log, log1p, sqrt
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv, betaln, expit, logit

from outperform.data.contingency import FloatArray
from outperform.verdicts.marginal import Continuous

__all__ = ["FBetaPosterior", "prob_greater"]

NEGLIGIBLE = 42.0  # e-folds below the peak, 6e-19
DEEPEST = 740.0  # e-folds between 1 and the smallest number
MOST_NODES = 20_000  # needed by shapes of 0.01, whose tails are long
STEP = 0.25  # of ℓ; the density is analytic in a strip of ±π, so the error is about exp(−2π²/0.25)
ONE = np.ones(1)
SIMPLE = {0.0: (ONE, np.zeros(1)), 1.0: (ONE, np.zeros(1)), 0.5: (ONE, np.log([0.5]))}  # by weight w: shares and log k


@dataclass(frozen=True)
class Odds:
    """The log-odds ℓ of Beta(a, b), whose density can be integrated by the trapezoid rule."""

    a: float
    b: float

    @property
    def mode(self) -> float:
        """The mode of the density."""
        return log(self.a / self.b)

    @property
    def spread(self) -> float:
        """The approximate standard deviation."""
        return sqrt(1 / self.a + 1 / self.b)

    def log_shape(self, at: FloatArray) -> FloatArray:
        """Return the log of the density relative to that at the mode, without cancellation for large counts."""
        a, b, away = self.a, self.b, at - self.mode
        if a > b:  # from the side of the smaller share, which is exact
            a, b, away = b, a, -away
        p = a / (a + b)
        if away.max(initial=0.0) < 700:
            return a * away - (a + b) * np.log1p(p * np.expm1(away))
        return a * away - (a + b) * np.logaddexp(log1p(-p), log(p) + away)

    @cached_property
    def log_peak(self) -> float:
        """The log of the density at the mode."""
        n = self.a + self.b
        return float(self.a * log(self.a / n) + self.b * log(self.b / n) - betaln(self.a, self.b))

    def nodes(self, depth: float = NEGLIGIBLE, step: float = STEP) -> FloatArray:
        """Return equally spaced points, out to where the density is `depth` e-folds below its peak."""
        step = min(step, self.spread / 2)  # the error is that of a normal density, exp(−2π²·4), or of a product of two
        n, p = self.a + self.b, self.a / (self.a + self.b)
        ends = []
        for side in (-1, 1):
            away = sqrt(2.1 * depth) * self.spread
            while self.a * side * away - n * _grown(p, side * away) > -depth:
                away *= 1.2
            ends.append(away)
        step = max(step, sum(ends) / MOST_NODES)
        return self.mode + step * np.arange(-ceil(ends[0] / step), ceil(ends[1] / step) + 1, dtype=np.float64)


def _grown(p: float, away: float) -> float:
    """Return log(1 − p + p·exp(away))."""
    return log1p(p * expm1(away)) if away < 700 else log(p) + away


@dataclass(frozen=True)
class FBetaPosterior(Continuous):
    """The posterior of F_β, precision or recall, given counts.

    Parameters
    ----------
    tp, fp, fn : float
        True positives, false positives, false negatives, each with the prior's λ added.
    beta : float
        0 for precision, 1 for F1, infinity for recall.

    Examples
    --------
    >>> import outperform as op
    >>> f1 = op.FBetaPosterior(tp=91, fp=11, fn=21, beta=1)
    >>> round(f1.mode, 3)
    0.854
    >>> low, high = f1.interval(0.95)
    >>> round(low, 3), round(high, 3)
    (0.795, 0.897)
    """

    tp: float
    fp: float
    fn: float
    beta: float = 1.0

    def __post_init__(self) -> None:
        """Validate the counts and β."""
        for name in ("tp", "fp", "fn"):
            value = getattr(self, name)
            if isinstance(value, str) or not 0 < value < inf:
                raise ValueError(
                    f"{name} is a finite number above 0 (counts and the prior's), got {getattr(self, name)!r}"
                )
        if not self.beta >= 0:
            raise ValueError(f"beta must be a number of at least 0, got {self.beta!r}")

    def pdf(self, x: Any) -> FloatArray:
        """Return the density."""
        return np.exp(self.logpdf(x))

    def logpdf(self, x: Any) -> FloatArray:
        """Return the log of the density; minus infinity outside 0 to 1."""
        x = np.asarray(x, dtype=np.float64)
        inside = (x > 0) & (x < 1)
        safe = np.where(inside, x, 0.5)
        density = self._log_density(np.log(safe) - np.log1p(-safe)) - np.log(safe) - np.log1p(-safe)
        return np.where(inside, density, -np.inf)

    def cdf(self, x: Any) -> FloatArray:
        """Return the probability of at most x."""
        with np.errstate(divide="ignore"):
            return self._below(logit(np.clip(np.asarray(x, dtype=np.float64), 0, 1)))

    def sf(self, x: Any) -> FloatArray:
        """Return the probability of more than x, exact in the tail."""
        with np.errstate(divide="ignore"):
            return self._above(logit(np.clip(np.asarray(x, dtype=np.float64), 0, 1)))

    def ppf(self, q: Any) -> FloatArray:
        """Return quantiles, under SciPy's name for them."""
        return self.quantile(q)

    def quantile(self, q: Any) -> FloatArray:
        """Return quantiles: exact for a single Beta, else by bisection."""
        q = np.asarray(q, dtype=np.float64)
        if len(self._mixture[0]) == 1:
            u: FloatArray = betaincinv(self.tp, self._rest, q)
            return np.asarray(u / (u + exp(self._mixture[1][0]) * (1 - u)))
        low, high = np.zeros(q.shape), np.ones(q.shape)
        for _ in range(60):
            middle = (low + high) / 2
            under = self.cdf(middle) < q
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return np.where(q <= 0, 0.0, np.where(q >= 1, 1.0, (low + high) / 2))

    @property
    def mean(self) -> float:
        """Expected value."""
        return self._expectation(lambda x: x)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        mean = self.mean
        return float(np.sqrt(self._expectation(lambda x: (x - mean) ** 2)))

    @property
    def mode(self) -> float:
        """The mode of the density; for λ = 1 that of precision and of recall is the observed score (Eqs 5, 6)."""
        if self.edge is not None:
            return float(self.edge)
        low, high = 0.0, 1.0
        for _ in range(100):  # ternary search: the density has one peak
            left, right = low + (high - low) / 3, high - (high - low) / 3
            if self.logpdf(left) < self.logpdf(right):
                low = left
            else:
                high = right
        return (low + high) / 2

    @property
    def _weight(self) -> float:
        return self.beta**2 / (1 + self.beta**2) if self.beta < 1e150 else 1.0

    @property
    def edge(self) -> int | None:
        """The end at which the density is infinite, or the heavier one of two: 0, 1 or None."""
        if self.tp >= 1 and self._rest >= 1:
            return None
        return 0 if self.tp < self._rest else 1

    @cached_property
    def _rest(self) -> float:
        """Shape of everything but the true positives."""
        return self.fp if self._weight == 0 else self.fn if self._weight == 1 else self.fp + self.fn

    @cached_property
    def _mixture(self) -> tuple[FloatArray, FloatArray]:
        """Shares of the mixture, and log k of each."""
        w = self._weight
        if w in SIMPLE:
            return SIMPLE[w]
        odds = Odds(self.fn, self.fp)
        at = odds.nodes()
        share = np.exp(odds.log_shape(at))
        of_fn = expit(at)
        shift, same = np.unique(np.log(w * of_fn + (1 - w) * (1 - of_fn)), return_inverse=True)  # merges ties far out
        return np.bincount(same, share / share.sum()).astype(np.float64), shift

    @cached_property
    def _odds(self) -> Odds:
        """Log-odds of true positives against the rest."""
        return Odds(self.tp, self._rest)

    @cached_property
    def _centre(self) -> float:
        """The log-odds of the centre, in one number."""
        share, shift = self._mixture
        return self._odds.mode - float(share @ shift)

    @property
    def _spread(self) -> float:
        return self._odds.spread

    def _log_density(self, at: Any) -> FloatArray:
        """Return the log density of the log-odds."""
        share, shift = self._mixture
        log_shape = self._odds.log_shape(np.asarray(at)[..., None] + shift)
        top: FloatArray = log_shape.max(axis=-1)
        return self._odds.log_peak + top + np.log(np.exp(log_shape - top[..., None]) @ share)

    def _below(self, at: Any) -> FloatArray:
        """Return the probability of smaller log-odds."""
        share, shift = self._mixture
        return np.asarray(betainc(self.tp, self._rest, expit(np.asarray(at)[..., None] + shift)) @ share)

    def _above(self, at: Any) -> FloatArray:
        """Return the probability of larger log-odds."""
        share, shift = self._mixture
        return np.asarray(betainc(self._rest, self.tp, expit(-np.asarray(at)[..., None] - shift)) @ share)

    def _expectation(self, function: Callable[[FloatArray], FloatArray]) -> float:
        share, shift = self._mixture
        at = self._odds.nodes()
        density = np.exp(self._odds.log_shape(at))
        return float(density @ function(expit(at[:, None] - shift)) @ share) / float(density.sum())


def prob_greater(x: FBetaPosterior, y: FBetaPosterior) -> float:
    """Return P(x > y) of two independent posteriors: the Bayes test's P(H0) and P(H1), exact in either tail (Eq. 32).

    The smaller of P(x > y) and P(y > x) is integrated, over the log-odds of the one with the narrower density.
    """
    if x._centre > y._centre:
        return 1.0 - prob_greater(y, x)
    if x._spread <= y._spread:
        return _integral(x, y._below, y)
    return _integral(y, x._above, x)


def _integral(narrow: FBetaPosterior, tail: Callable[[FloatArray], FloatArray], other: FBetaPosterior) -> float:
    """Return ∫ f(ℓ) tail(ℓ) dℓ, where the tail is small on the side of f and near 1 on the side of the other.

    If they are far apart, the integrand peaks between the two, which determines how far out f is integrated.
    """
    depth, step = NEGLIGIBLE + 20, STEP
    if abs(narrow._centre - other._centre) > 3 * other._spread:
        between = np.linspace(narrow._centre, other._centre, 13)
        with np.errstate(divide="ignore"):
            peak = (narrow._log_density(between) - narrow._odds.log_peak + np.log(tail(between))).max()
        depth = min(depth - float(peak), DEEPEST)
        bend = np.exp(-np.abs(between)).max() * (narrow.tp + narrow._rest + other.tp + other._rest)
        step = 0.7 / sqrt(float(bend))  # curvature of the log of the product, at most p(1 − p) times the counts
    at = narrow._odds.nodes(depth, step)
    density = np.exp(narrow._odds.log_shape(at))
    share, shift = narrow._mixture
    return float(density @ tail(at[:, None] - shift) @ share) / float(density.sum())
