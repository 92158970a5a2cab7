"""The posterior of one score that is a ratio of sums of gammas, and of the difference of two independent ones.

See `quadrature` for the formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, log, log1p, sqrt

import numpy as np
from scipy.special import betaln, expit, log_expit

from outperform.data.contingency import FloatArray
from outperform.models.exact.ratio import Cells
from outperform.models.exact.rules import Rule, beta_rule, kappa_rule, log_odds_ends, log_odds_rule, merged_each
from outperform.models.exact.smooth import TERMS, Smooth, Stretch, nodes
from outperform.verdicts.interval import Interval

__all__ = ["AGREED", "DEPTH", "Apart", "OneScore", "close"]

CERTAIN = 3e-6  # by which a mass or a mean may be wrong
AGREED = 1e-5  # by which densities of two rules may differ, in units of the largest
DEPTH = 18.0  # e-folds below the peak where a density ends
SHIFTS, SHIFT_ERROR = 12, 1e-8  # most nodes of the shift of a score's log-odds, and the error of fewer
SHARES, KAPPAS = 10, 6  # nodes of the rules that are merged into these
CHECKED = (-2.0, -1.0, 0.0, 1.0, 2.0)  # sd from the mean
KINK = 12.0  # sum of shapes below which a kink is visible
APART_NODES, APART_STEP = 80, 0.4  # of the sum over two independent scores
TABLE = 600  # of the log densities in it


@dataclass(frozen=True, eq=False)
class OneScore:
    """The log-odds of a score: those of Beta(a, b) and a shift, whose distribution is given by values and weights."""

    a: float
    b: float
    values: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, cells: Cells) -> OneScore | None:
        """Return the score of one system; None if more than two kinds of cells add to its gain or its loss."""
        gain, loss = cells.gain[0] > 0, cells.loss[0] > 0
        if not (1 <= gain.sum() <= 2 and 1 <= loss.sum() <= 2):
            return None
        log_kappa, weights = kappa_rule(cells.parts)(KAPPAS) if cells.parts else (np.zeros(1), np.ones(1))
        kappa = np.where(cells.negative[:, None], np.exp(log_kappa), 1.0)
        above, above_weight = _log_mean(cells.alpha[gain], cells.gain[0][gain, None] * kappa[gain])
        below, below_weight = _log_mean(cells.alpha[loss], cells.loss[0][loss, None] * kappa[loss])
        shifts = above[:, None] - below
        weights = above_weight[:, None, None] * below_weight[:, None] * weights
        return cls(float(cells.alpha[gain].sum()), float(cells.alpha[loss].sum()), shifts.ravel(), weights.ravel())

    @property
    def shifts(self) -> Rule:
        """A few values of the shift, and their weights."""
        return self._rules[0]

    @cached_property
    def _rules(self) -> list[Rule]:
        """The shift by a few values, and by some more."""
        sizes = [self._count, self._count + 3] if self._count > 1 else [1]
        return merged_each(self.values, self.weights, sizes)

    @cached_property
    def _count(self) -> int:
        """How many values: the error of n falls as (c²/(1 + c²))ⁿ, c the spread of the shift over that of U."""
        middle = self.weights @ self.values
        c2 = float(self.weights @ (self.values - middle) ** 2) / self.spread**2
        return min(SHIFTS, 2 + int(-log(SHIFT_ERROR) / log1p(1 / c2))) if c2 > 1e-20 else 1

    @cached_property
    def mean(self) -> float:
        """Expected score."""
        at, weight = log_odds_rule(self.a, self.b)
        values, weights = self.shifts
        return float(weight @ expit(at[:, None] + values) @ weights)

    @property
    def middle(self) -> float:
        """Log-odds of the centre, roughly."""
        return log(self.a / self.b) + float(self.shifts[0] @ self.shifts[1])

    @property
    def spread(self) -> float:
        """Standard deviation of the log-odds, roughly."""
        return sqrt(1 / self.a + 1 / self.b)

    def density(self, at: FloatArray, shifts: Rule | None = None) -> FloatArray:
        """Return the density of the log-odds."""
        values, weights = shifts or self.shifts
        away = at[..., None] - values
        log_density = self.b * log_expit(-away)
        log_density += self.a * log_expit(away) - betaln(self.a, self.b)
        return np.asarray(np.exp(log_density, out=log_density) @ weights)

    @cached_property
    def ends(self) -> Interval:
        """Log-odds beyond which there is nothing, not even far out."""
        low, high = log_odds_ends(self.a, self.b, 3 * DEPTH)
        return low + float(self.shifts[0].min()), high + float(self.shifts[0].max())

    @cached_property
    def log_density(self) -> Callable[[FloatArray], FloatArray]:
        """Log of the density of the log-odds, by cubics through four neighbours in a table."""
        low, high = self.ends
        step = (high - low) / (TABLE - 1)
        table = np.log(np.maximum(self.density(np.linspace(low, high, TABLE)), np.finfo(float).tiny))

        def at(x: FloatArray) -> FloatArray:
            place = np.minimum(np.maximum((x - low) / step, 1.0), TABLE - 2.001)
            k = place.astype(np.int64)
            u = place - k
            outer = (u + 1) * table[k + 2] - (u - 2) * table[k - 1]
            return np.asarray(
                u * (u - 1) / 6 * outer + (u - 2) / 2 * ((u * u - 1) * table[k] - u * (u + 1) * table[k + 1])
            )

        return at

    def posterior(self) -> Smooth | None:
        """Return the posterior; None if it is not certain."""
        values = self.shifts[0]
        if self._count > 1:
            checked = self.middle + self.spread * np.array(CHECKED)
            few, more = self.density(checked), self.density(checked, self._rules[1])
            if np.abs(few - more).max() > AGREED * few.max():
                return None
        low, high = log_odds_ends(self.a, self.b, DEPTH)
        stretch = Stretch(low + float(values.min()), high + float(values.max()))
        u = nodes(TERMS)
        found = Smooth((stretch,), (self.density(stretch.number(u)) * stretch.slope(u))[None], odds=True)
        return found.normalised() if close(found.mass, 1.0) and close(found.mean, self.mean) else None


def _log_mean(alpha: FloatArray, units: FloatArray) -> Rule:
    """Return the log of a mean of units, of shape (cells, points), by random shares of one or two cells."""
    if len(alpha) == 1:
        return np.log(units), np.ones(1)
    share, weights = beta_rule(float(alpha[0]), float(alpha[1]), SHARES)
    return np.log(share[:, None] * units[0] + (1 - share[:, None]) * units[1]), weights


@dataclass(frozen=True, eq=False)
class Apart:
    """The density of the difference of two independent scores.

    With the second score (1 − d)s and the first (1 − d)s + d, s from 0 to 1 covers all that is possible at d > 0. The
    sum is the trapezoid rule in the log-odds of s.
    """

    first: OneScore
    second: OneScore

    @property
    def _both(self) -> tuple[OneScore, OneScore]:
        return self.first, self.second

    @property
    def singular(self) -> bool:
        """Whether it has a visible kink at 0: both densities end abruptly at 0, or both at 1."""
        return min(self.first.a + self.second.a, self.first.b + self.second.b) < KINK

    @property
    def infinite(self) -> bool:
        """Whether the peak at 0 is infinite: both densities are at 0, or both at 1."""
        return min(self.first.a + self.second.a, self.first.b + self.second.b) <= 1

    @property
    def powers(self) -> Interval:
        """Powers of 1 + d and of 1 − d by which it ends at −1 and at 1: one score is 0, the other 1."""
        return self.first.a + self.second.b - 1, self.first.b + self.second.a - 1

    def points(self, level: float) -> int:  # noqa: ARG002
        """Return the size of a sparse grid, of which there is none."""
        return 1

    @property
    def spread(self) -> float:
        """Standard deviation, roughly."""
        one, other = (score.spread * float(expit(score.middle) * expit(-score.middle)) for score in self._both)
        return float(np.hypot(one, other))

    def density(self, d: FloatArray, level: float, finer: float = 1.0) -> FloatArray:  # noqa: ARG002
        """Return the density at d."""
        found = np.empty(len(d))
        for below in (False, True):
            which = (d < 0) == below
            if which.any():
                pair = (self.second, self.first) if below else (self.first, self.second)
                found[which] = _apart(*pair, np.abs(d[which]), finer)
        return found


def _apart(first: OneScore, second: OneScore, d: FloatArray, finer: float) -> FloatArray:
    """Return the density of first − second at d > 0.

    With odds e^t of s, the odds of the first score are (e^t + d)/(1 − d) and those of the second (1 − d)/(e^−t + d).
    """
    rest = 1 - d
    with np.errstate(divide="ignore", invalid="ignore"):  # an end that d does not let the other score reach is not one
        ends = [
            (np.log(rest * exp(one) - d), other - np.log(rest - d * exp(other)))
            for one, other in zip(first.ends, second.ends, strict=True)
        ]
        low, high = np.fmax(*ends[0]), np.fmin(*ends[1])
        low, high = (np.where(low < high, end, 0.0) for end in (low, high))  # else so large a difference is impossible
    t = np.linspace(low, high, ceil(finer * max(APART_NODES, float((high - low).max()) / APART_STEP)), axis=1)
    d, log_rest = d[:, None], np.log(rest)[:, None]
    up, down = np.log(np.exp(t) + d), np.log(np.exp(-t) + d)
    log_terms = first.log_density(up - log_rest) + second.log_density(log_rest - down)
    log_terms -= 2 * log_expit(-t) + up + log_rest + t + down  # by t: the first score, and the second one's log-odds
    return np.asarray(np.exp(log_terms).sum(axis=1) * (t[:, 1] - t[:, 0]))


def close(one: float, other: float) -> bool:
    """Return whether two masses or means are equal but for an error that is allowed."""
    return abs(one - other) <= CERTAIN
