"""Bayes factors for equality: Savage–Dickey at δ = 0, and the odds of the ROPE.

Savage–Dickey (SIGIR'16 §3.2.1): BF₀₁ = p(δ=0 | data) / p(δ=0). Above 3 is substantial evidence for
equality, below 1/3 against.

Under the binary uniform prior the *prior* density of δ(F1) at 0 is infinite (as μ → 0 both F1 vanish
together), so the papers' number exists only at a bandwidth. We use theirs, Scott's on 50,000 draws,
for the denominator. The numerator is finite, but a kernel estimate of it is meaningless if 0 lies in
the tail; so it is computed by drawing around δ = 0 and integrating one Beta variable out exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, pi, sqrt

import numpy as np

from outperform.data.contingency import FloatArray, combine
from outperform.measures.of_counts import MeasureFunction
from outperform.models.posterior import Segment
from outperform.verdicts.interval import Interval
from outperform.verdicts.marginal import UNSEEN, Marginal

__all__ = ["PRIOR_DRAWS", "BayesFactor", "conditional_density", "kernel_density", "rope_bayes_factor"]

BOUND = "Δ = 0 lies beyond all draws, so the Savage–Dickey factor is an upper bound."
PRIOR_DRAWS = 50_000  # as in the papers; the bandwidth, and so the number, depends on it
STEPS = 60


@dataclass(frozen=True)
class BayesFactor:
    """Evidence for equality over difference; None if undefined (no ROPE, improper prior).

    The bounds say whether a factor is an "upper" or a "lower" bound, because no draw lies beyond δ = 0, or within the
    ROPE, or outside it.
    """

    savage_dickey: float | None
    rope: float | None
    rope_bound: str | None = None
    savage_dickey_bound: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader."""
        return (BOUND,) if self.savage_dickey_bound else ()


def kernel_density(draws: FloatArray, at: float = 0.0, *, shrunken: bool = False) -> float | None:
    """Gaussian kernel estimate of a density at one point, Scott's bandwidth; None for constant draws.

    A kernel widens the density, which shows in the tails. With `shrunken`, the draws are first contracted by as much
    as the kernel will widen them (West 1993), so that a normal density is unchanged.
    """
    if len(draws) < 2 or not (spread := float(draws.std(ddof=1))) > 0:
        return None
    # Scott's rule for one dimension.
    bandwidth = spread * len(draws) ** -0.2
    if shrunken:
        middle = float(draws.mean())
        draws = middle + sqrt(1 - len(draws) ** -0.4) * (draws - middle)
    return float(np.exp(-0.5 * ((draws - at) / bandwidth) ** 2).mean() / (bandwidth * sqrt(2 * pi)))


def conditional_density(segment: Segment, measure: MeasureFunction, at: float = 0.0) -> tuple[float, float] | None:
    """Return the density of the difference at a point and its relative error; None if the method does not apply.

    Given all else, the difference is a monotone function g of one Beta variable φ, so its density
    at `at` is Beta(φ*)/|g'(φ*)| with g(φ*) = `at`; the weighted mean over the draws of all else is
    the density (Rao–Blackwell, with importance sampling for all else). Accurate in the far tail. If
    the density is infinite, the error is large.
    """
    if not _monotone(segment, measure):
        return None
    root, slope, reached = _solve(segment, measure, at)
    with np.errstate(divide="ignore"):
        log_density = _beta_log_pdf(root, segment.a, segment.b) - np.log(slope) + segment.log_weight
    log_density = np.where(reached, log_density, -np.inf)
    if not np.isfinite(largest := float(log_density.max())):
        return None
    relative = np.exp(log_density - largest)
    mean, error = float(relative.mean()), float(relative.std()) / sqrt(len(relative))
    return exp(largest) * mean, error / mean


def rope_bayes_factor(posterior: Marginal, prior: Marginal, rope: Interval | None) -> tuple[float | None, str | None]:
    """Return the posterior odds of δ in the ROPE over the prior odds, and whether that is an upper or a lower bound.

    It is a bound if no draw lies within (or outside) the ROPE. Three are then assumed: an event of probability above
    3/n is missed by n draws with a probability below 5%. A posterior without draws counts as a million of them.
    """
    if rope is None or rope[0] == rope[1]:
        return None, None
    (inside, outside), (before, beyond) = posterior.counted(*rope), prior.counted(*rope)
    factor = (inside or UNSEEN) / (outside or UNSEEN) / ((before or UNSEEN) / (beyond or UNSEEN))
    bound = "upper" if not inside or not beyond else "lower" if not outside or not before else None
    return factor, bound


def _difference(segment: Segment, measure: MeasureFunction, phi: FloatArray | float) -> FloatArray:
    """Return g(φ), the difference of the two scores at φ."""
    share = np.atleast_1d(phi)

    def between(low: FloatArray, high: FloatArray) -> FloatArray:
        return low + share.reshape(-1, *[1] * (low.ndim - 1)) * (high - low)

    scores = measure(combine(between, segment.start, segment.end))
    return scores[:, 0] - scores[:, 1]


def _monotone(segment: Segment, measure: MeasureFunction) -> bool:
    """Return whether g is monotone, in a sample of the draws."""
    # A sample of draws and nine values of φ: this guards against a misuse of the method, not every case.
    few = slice(0, 200)
    start, end = (combine(lambda x: x[few], c) for c in (segment.start, segment.end))
    part = replace(segment, start=start, end=end)
    steps = np.diff([_difference(part, measure, phi) for phi in np.linspace(0, 1, 9)], axis=0)
    return bool(((steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)).all())


def _solve(segment: Segment, measure: MeasureFunction, at: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return φ* with g(φ*) = at, |g'(φ*)|, and whether it exists, for all draws at once (Illinois method)."""
    low, high = np.zeros(len(segment.log_weight)), np.ones(len(segment.log_weight))
    g_low, g_high = (_difference(segment, measure, phi) - at for phi in (low, high))
    reached = (g_low < 0) != (g_high < 0)
    scale, root = float(np.abs(g_high - g_low).max()), low
    for _ in range(STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.where(reached, (low * g_high - high * g_low) / (g_high - g_low), 0.5)
        g = np.where(reached, _difference(segment, measure, root) - at, 0.0)
        if np.abs(g).max() < 1e-12 * scale:
            break
        same = (g < 0) == (g_high < 0)  # the root replaces the end on its own side; the value at the other is halved
        low, g_low = np.where(same, low, high), np.where(same, g_low / 2, g_high)
        high, g_high = root, g
    # g is smooth, so a one-sided difference at the ends of [0, 1] suffices.
    step = 1e-6
    up, down = np.minimum(root + step, 1.0), np.maximum(root - step, 0.0)
    slope = np.abs(_difference(segment, measure, up) - _difference(segment, measure, down)) / (up - down)
    return root, slope, reached


def _beta_log_pdf(x: FloatArray, a: float, b: float) -> FloatArray:
    from scipy.special import betaln, xlog1py, xlogy

    return np.asarray(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b), dtype=np.float64)
