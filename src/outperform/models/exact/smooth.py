"""A posterior known by its density: one Chebyshev series, or two that meet at 0.

A density with a kink at 0 is, on either side, a function of u from −1 to 1, where the number is ±((1 ± u)/2)⁴ times the
range: small powers of the number are larger ones of u, so that the kink does not slow the series down. The distribution
function is the integral of the series, and moments are sums of its values, both exact for the series.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import expit, logit

from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval, check_share
from outperform.verdicts.marginal import Continuous

__all__ = ["TERMS", "Mirrored", "Smooth", "Stretch", "interpolated", "nodes"]

TERMS = 128  # of a series
POWER = 4  # of the distance from a kink
TABLE = 257  # values by which quantiles and intervals are found
NEWTON_STEPS, CLOSE = 12, 1e-10
NARROWINGS, CANDIDATES = 6, 33  # of an interval that Newton's method does not find
SLIGHT = 0.01 / 2  # of the spread; a lean is compared with twice the error
INSIDE = 1 - 5e-3  # u next to a kink, where the density is taken; at 1 it would be rounding divided by 0


@dataclass(frozen=True)
class Stretch:
    """A range of numbers, as a function of u from −1 to 1."""

    low: float
    high: float
    kink: int = 0  # −1 at the lower end, 1 at the upper one, 0 none

    def number(self, u: FloatArray) -> FloatArray:
        """Return the numbers at u."""
        if not self.kink:
            return np.asarray((self.low + self.high) / 2 + (self.high - self.low) / 2 * u)
        away = (self.high - self.low) * ((1 - self.kink * u) / 2) ** POWER
        return np.asarray(self.low + away if self.kink < 0 else self.high - away)

    def slope(self, u: FloatArray) -> FloatArray:
        """Return the derivative of the number."""
        half = (self.high - self.low) / 2
        return np.asarray(half * POWER * ((1 - self.kink * u) / 2) ** (POWER - 1) if self.kink else half + 0 * u)

    def place(self, x: FloatArray) -> FloatArray:
        """Return u of numbers, of those outside the nearest."""
        share = np.minimum(np.maximum((x - self.low) / (self.high - self.low), 0.0), 1.0)
        if not self.kink:
            return np.asarray(2 * share - 1)
        away = 2 * (share if self.kink < 0 else 1 - share) ** (1 / POWER) - 1
        return np.asarray(-self.kink * away)


@dataclass(frozen=True, eq=False)
class Smooth(Continuous):
    """Represented by series of the density of a number, or of the log-odds of a number between 0 and 1.

    Attributes
    ----------
    stretches : tuple of Stretch
        One, or that below 0 and that above.
    values : array of shape (stretches, TERMS)
        Density times slope, at the nodes of each stretch.
    odds : bool
        Whether the density is that of log-odds.
    """

    stretches: tuple[Stretch, ...]
    values: FloatArray
    odds: bool = False

    @cached_property
    def mass(self) -> float:
        """Integral of the density, 1 but for the error of the approximation."""
        return float(self._masses.sum())

    def normalised(self) -> Smooth:
        """Return it with the mass 1."""
        return Smooth(self.stretches, self.values / self.mass, self.odds)

    def mirrored(self) -> Mirrored:
        """Return the posterior of minus the number."""
        return Mirrored(self)

    @cached_property
    def mean(self) -> float:
        """Expected value."""
        x, weight = self._points
        return float(weight @ x)

    @cached_property
    def sd(self) -> float:
        """Standard deviation."""
        x, weight = self._points
        return sqrt(float(weight @ (x - self.mean) ** 2))

    def pdf(self, x: Any) -> FloatArray:
        """Return the density."""
        x = np.asarray(x, dtype=np.float64)
        t = self._to_line(x)
        density = np.zeros(np.shape(x))
        for k, stretch in enumerate(self.stretches):
            inside = (t >= stretch.low) & (t <= stretch.high)
            u = stretch.place(t)
            if stretch.kink:
                u = stretch.kink * np.minimum(stretch.kink * u, INSIDE)
            density = np.where(inside, (_terms(u) @ self._series[k, 0]) / stretch.slope(u), density)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.maximum(density / (x * (1 - x)) if self.odds else density, 0.0)

    def cdf(self, x: Any) -> FloatArray:
        """Return the probability of at most x."""
        return self._below(self._to_line(np.asarray(x, dtype=np.float64)))

    def quantile(self, q: Any) -> FloatArray:
        """Return quantiles: from a table, then three steps of Newton's method between neighbours in the table."""
        q, (k, u, _, share) = np.asarray(q, dtype=np.float64), self._table
        place = np.minimum(np.maximum(np.searchsorted(share, q, side="right"), 1), len(u) - 1)
        part = k[place]
        low, high = np.where(k[place - 1] == part, u[place - 1], -1.0), u[place]
        at = low + (high - low) * (q - share[place - 1]) / np.maximum(share[place] - share[place - 1], 1e-300)
        at = np.minimum(np.maximum(at, low), high)
        for _ in range(3):
            slope, _, below = np.moveaxis(np.einsum("...t,...st->...s", _terms(at), self._series[part]), -1, 0)
            step = np.divide(self._starts[part] + below - q, slope, out=np.zeros_like(at), where=slope > 0)
            at = np.minimum(np.maximum(at - step, low), high)
        t = np.zeros(np.shape(q))
        for j, stretch in enumerate(self.stretches):
            t = np.where(part == j, stretch.number(at), t)
        return self._to_number(t)

    def mid_error(self, mass: float) -> float:  # noqa: ARG002 (the same for all)
        """Return what counts as the error of the HDI's mid-point: it leans by more than a hundredth of the spread."""
        return SLIGHT * self.sd

    def hdi(self, mass: float = 0.95) -> Interval:
        """Return the shortest interval: by the table, then by Newton's method until the densities are equal."""
        (k, u, x, share), mass = self._table, check_share(mass)
        starts = np.flatnonzero(share < 1 - mass)
        ends = np.searchsorted(share, share[starts] + mass)
        ends = np.minimum(ends, len(u) - 1)
        shortest = int(np.argmin(np.interp(share[starts] + mass, share, x) - x[starts]))
        first, last = int(starts[shortest]), int(ends[shortest])
        found = self._equal_ends(np.array([k[first], k[last]]), np.array([u[first], u[last]]), mass)
        near = share[max(first - 1, 0)], share[first + 1]
        return found or self._narrowed(near[0], min(near[1], 1 - mass), mass)

    def _equal_ends(self, part: Any, u: FloatArray, mass: float) -> Interval | None:
        """Return the interval of this mass whose densities are equal, from values near it; None if not found."""
        stretches, series = [self.stretches[j] for j in part], self._series[part]
        for _ in range(NEWTON_STEPS):
            g, rise, below = (_terms(u)[:, None] @ series.transpose(0, 2, 1))[:, 0].T
            if g.min() <= 0:
                return None
            level, tilt = np.array([_log_slope(s, x, self.odds) for s, x in zip(stretches, u, strict=True)]).T
            (a, b), (c, e) = (g * [-1, 1]).tolist(), ((rise / g - tilt) * [1, -1]).tolist()
            missing = mass - float((self._starts[part] + below) @ [-1.0, 1.0])
            excess = -float((np.log(g) - level) @ [1.0, -1.0])
            if not (determinant := a * e - b * c):
                return None
            step = np.array([missing * e - b * excess, a * excess - missing * c]) / determinant
            u = u + step
            if np.abs(u).max() > 1 or np.abs(step).max() > 0.5:
                return None
            if np.abs(step).max() < CLOSE:
                low, high = (self._to_number(s.number(x)) for s, x in zip(stretches, u, strict=True))
                return float(low), float(high)
        return None

    def _narrowed(self, first: float, last: float, mass: float) -> Interval:
        """Return the shortest interval whose lower tail is between two numbers, one of which may be the answer."""
        low, high, place = np.zeros(1), np.zeros(1), 0
        for _ in range(NARROWINGS):
            tails = np.linspace(first, last, CANDIDATES)
            low, high = self.quantile(tails), self.quantile(np.minimum(tails + mass, 1.0))
            place = int(np.argmin(high - low))
            first, last = tails[max(place - 1, 0)], tails[min(place + 1, CANDIDATES - 1)]
        return float(low[place]), float(high[place])

    @cached_property
    def _masses(self) -> FloatArray:
        return self.values @ _constants().weights

    @cached_property
    def _starts(self) -> FloatArray:
        """Distribution function where each stretch begins."""
        return np.append(0.0, np.cumsum(self._masses)[:-1])

    @cached_property
    def _series(self) -> FloatArray:
        """Coefficients of the density of u, its derivative and its integral, of shape (stretches, 3, TERMS)."""
        return np.asarray((_constants().transforms @ self.values.T).transpose(2, 0, 1))

    @cached_property
    def _points(self) -> tuple[FloatArray, FloatArray]:
        """Numbers and their weights, by which moments are sums."""
        t = np.concatenate([stretch.number(nodes(TERMS)) for stretch in self.stretches])
        return self._to_number(t), (self.values * _constants().weights).ravel()

    @cached_property
    def _table(self) -> tuple[Any, FloatArray, FloatArray, FloatArray]:
        """Stretch, u, number and distribution function, which never falls."""
        u, count = _constants().at, len(self.stretches)
        t = np.concatenate([stretch.number(u) for stretch in self.stretches])
        share = self._starts[:, None] + self._series[:, 2] @ _constants().terms.T
        rising = np.maximum.accumulate(np.minimum(np.maximum(share.ravel(), 0.0), 1.0))
        return np.repeat(np.arange(count), TABLE), np.tile(u, count), self._to_number(t), rising

    def _below(self, t: FloatArray) -> FloatArray:
        found = np.zeros(np.shape(t))
        for k, stretch in enumerate(self.stretches):
            below = self._starts[k] + _terms(stretch.place(t)) @ self._series[k, 2]
            found = np.where((t >= stretch.low) | (k == 0), below, found)
        return np.minimum(np.maximum(found, 0.0), 1.0)

    def _to_line(self, x: FloatArray) -> FloatArray:
        if not self.odds:
            return x
        with np.errstate(divide="ignore"):
            return np.asarray(logit(np.minimum(np.maximum(x, 0.0), 1.0)))

    def _to_number(self, t: FloatArray) -> FloatArray:
        return np.asarray(expit(t)) if self.odds else t


@dataclass(frozen=True, eq=False)
class Mirrored(Continuous):
    """The posterior of minus a number: the same numbers to the last bit, with the other sign."""

    original: Smooth

    def mirrored(self) -> Smooth:
        """Return the posterior of the number."""
        return self.original

    @property
    def mean(self) -> float:
        """Expected value."""
        return -self.original.mean

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return self.original.sd

    def pdf(self, x: Any) -> FloatArray:
        """Return the density."""
        return self.original.pdf(-np.asarray(x))

    def cdf(self, x: Any) -> FloatArray:
        """Return the probability of at most x."""
        return self.original.sf(-np.asarray(x))

    def sf(self, x: Any) -> FloatArray:
        """Return the probability of more than x."""
        return self.original.cdf(-np.asarray(x))

    def quantile(self, q: Any) -> FloatArray:
        """Return quantiles."""
        return -self.original.quantile(1 - np.asarray(q))

    def mid_error(self, mass: float) -> float:
        """Return what counts as the error of the HDI's mid-point."""
        return self.original.mid_error(mass)

    def hdi(self, mass: float = 0.95) -> Interval:
        """Return the shortest interval."""
        low, high = self.original.hdi(mass)
        return -high, -low


@lru_cache
def nodes(count: int) -> FloatArray:
    """Return Chebyshev nodes on [−1, 1], none at an end, in ascending order."""
    found = np.asarray(-np.cos(np.pi * (np.arange(count) + 0.5) / count))
    found.flags.writeable = False
    return found


@lru_cache
def interpolated(count: int) -> tuple[FloatArray, FloatArray]:
    """Return the matrices that make values at `count` nodes into values at all nodes, and into coefficients."""
    transform = _transform(count)
    return chebyshev.chebvander(nodes(TERMS), count - 1) @ transform, transform


def _transform(count: int) -> FloatArray:
    matrix = 2 / count * chebyshev.chebvander(nodes(count), count - 1).T
    matrix[0] /= 2
    return np.asarray(matrix)


def _terms(u: Any) -> FloatArray:
    """Return all Chebyshev polynomials at u, on a last axis."""
    return np.asarray(np.cos(np.arccos(np.asarray(u))[..., None] * _constants().degrees))


def _log_slope(stretch: Stretch, u: float, odds: bool) -> tuple[float, float]:
    """Return the log of the derivative of the number by u, and its own derivative."""
    slope = float(stretch.slope(np.asarray(u)))
    bend = -stretch.kink * (POWER - 1) / (1 - stretch.kink * u) if stretch.kink else 0.0
    if not odds:
        return float(np.log(slope)), bend
    x = float(expit(stretch.number(np.asarray(u))))
    return float(np.log(slope * x * (1 - x))), bend + slope * (1 - 2 * x)


@dataclass(frozen=True, eq=False)
class _Constants:
    degrees: FloatArray
    weights: FloatArray  # of an integral over [−1, 1]
    transforms: FloatArray  # from values to coefficients of the function, its derivative and its integral
    at: FloatArray  # of a table
    terms: FloatArray


@lru_cache
def _constants() -> _Constants:
    degrees, plain = np.arange(TERMS, dtype=np.float64), _transform(TERMS)
    slope = np.vstack([chebyshev.chebder(plain), np.zeros((1, TERMS))])
    integral = chebyshev.chebint(plain, lbnd=-1)[:TERMS]  # the last term, of which there is no room, is negligible
    even = np.where(degrees % 2 == 0, 2 / (1 - np.where(degrees % 2 == 0, degrees, 0.0) ** 2), 0.0)
    at = np.linspace(-1, 1, TABLE)
    terms = np.asarray(np.cos(np.arccos(at)[:, None] * degrees))
    return _Constants(degrees, even @ plain, np.array([plain, slope, integral]), at, terms)
