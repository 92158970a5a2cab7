"""The posterior of one number, a score or a difference of two scores, however it is known.

Everything that is judged asks a `Marginal` and nothing else: its mean, sd, quantiles, highest density interval and the
probability of a region. `Sampled` answers from draws, `Continuous` from a density and a distribution function, and
`Gridded` from a density on a grid.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.optimize import brentq
from scipy.special import expit, logit

from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import FEWEST, Interval, check_mass, hdi, hdi_mid_error

__all__ = ["Continuous", "Gridded", "Marginal", "Sampled"]

HALVINGS = 60  # which bring an interval of 1 below the rounding of its ends


class Marginal(ABC):
    """The posterior of one number."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Expected value."""

    @property
    @abstractmethod
    def sd(self) -> float:
        """Standard deviation."""

    @property
    def median(self) -> float:
        """The value with half of the probability on either side."""
        return float(self.quantile(0.5))

    @property
    def mc_error(self) -> float:
        """Monte-Carlo error of the mean; 0 where there is none."""
        return 0.0

    @property
    def decisive(self) -> bool:
        """Whether it is known well enough for a verdict."""
        return True

    @abstractmethod
    def quantile(self, q: Any) -> FloatArray:
        """Return the values below which the probability is q."""

    @abstractmethod
    def hdi(self, mass: float = 0.95) -> Interval:
        """Return the highest density interval: the shortest that holds `mass` of the probability."""

    @abstractmethod
    def below(self, x: float) -> float:
        """Return the probability of less than x."""

    @abstractmethod
    def above(self, x: float) -> float:
        """Return the probability of more than x."""

    def prob(self, low: float, high: float) -> float:
        """Return the probability of the region from `low` to `high`, both included."""
        return max(1.0 - self.below(low) - self.above(high), 0.0)

    def mid_error(self, mass: float) -> float:  # noqa: ARG002 (an exact one has no error)
        """Return the Monte-Carlo error of the HDI's mid-point; 0 where there is none."""
        return 0.0

    def draws(self, n: int, rng: Generator) -> FloatArray:
        """Return n independent draws."""
        return self.quantile(rng.random(n))


@dataclass(frozen=True, eq=False)
class Sampled(Marginal):
    """Known by draws, of which `effective` are independent: all of them unless they come from Markov chains."""

    values: FloatArray
    effective: float | None = None

    @cached_property
    def mean(self) -> float:
        """Mean of the draws."""
        return float(self.values.mean())

    @cached_property
    def sd(self) -> float:
        """Standard deviation of the draws."""
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else 0.0

    @property
    def median(self) -> float:
        """Median of the draws."""
        return float(np.median(self.values))

    @property
    def mc_error(self) -> float:
        """Standard error of the mean."""
        return self.sd / sqrt(self.effective or len(self.values))

    @property
    def decisive(self) -> bool:
        """Whether there are enough draws for a verdict."""
        return len(self.values) >= FEWEST

    def quantile(self, q: Any) -> FloatArray:
        """Return quantiles, linear between draws."""
        n = len(self.values)
        return np.asarray(np.interp(np.asarray(q) * (n - 1), np.arange(n), np.sort(self.values)))

    def hdi(self, mass: float = 0.95) -> Interval:
        """Return the shortest interval that holds `mass` of the draws."""
        return hdi(self.values, mass)

    def below(self, x: float) -> float:
        """Return the share of draws below x."""
        return float(np.count_nonzero(self.values < x) / len(self.values))

    def above(self, x: float) -> float:
        """Return the share of draws above x."""
        return float(np.count_nonzero(self.values > x) / len(self.values))

    def prob(self, low: float, high: float) -> float:
        """Return the share of draws from `low` to `high`, both included."""
        return float(((self.values >= low) & (self.values <= high)).mean())

    def mid_error(self, mass: float) -> float:
        """Return the spread of the HDI's mid-point over blocks of the draws."""
        return hdi_mid_error(self.values, mass)

    def draws(self, n: int, rng: Generator) -> FloatArray:
        """Return n of the draws, at random, with replacement."""
        return np.asarray(rng.choice(self.values, n))


class Continuous(Marginal):
    """Known by its density and its distribution function."""

    @abstractmethod
    def pdf(self, x: Any) -> FloatArray:
        """Return the density."""

    @abstractmethod
    def cdf(self, x: Any) -> FloatArray:
        """Return the probability of at most x."""

    def sf(self, x: Any) -> FloatArray:
        """Return the probability of more than x."""
        return 1.0 - self.cdf(x)

    @property
    def edge(self) -> int | None:
        """Where the density rises to an end of its support, which the HDI then starts from: 0 low, 1 high, or None."""
        return None

    def below(self, x: float) -> float:
        """Return the probability of less than x."""
        return float(self.cdf(x))

    def above(self, x: float) -> float:
        """Return the probability of more than x."""
        return float(self.sf(x))

    def interval(self, mass: float = 0.95) -> Interval:
        """Return the equal-tailed interval."""
        low, high = self.quantile([(1 - check_mass(mass)) / 2, (1 + mass) / 2])
        return float(low), float(high)

    def hdi(self, mass: float = 0.95) -> Interval:
        """Return the shortest interval: the densities at its ends are equal, unless it starts at an edge."""
        check_mass(mass)
        if self.edge is not None:
            ends = [0.0, mass] if self.edge == 0 else [1 - mass, 1.0]
            return self._between(ends)
        low, high = 0.0, 1 - mass
        for _ in range(HALVINGS):
            tail = (low + high) / 2
            left, right = self.pdf(self.quantile([tail, tail + mass]))
            low, high = (tail, high) if left < right else (low, tail)
        return self._between([(low + high) / 2, (low + high) / 2 + mass])

    def _between(self, tails: list[float]) -> Interval:
        low, high = self.quantile(tails)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class Gridded(Continuous):
    """Known by its density on a grid, for a number between two bounds.

    The grid is uniform in t, where x = low + (high − low)/(1 + e^(−t)): there a density that is infinite at a bound, or
    falls to 0 as a power, fades exponentially, so that sums over the grid converge geometrically.

    Attributes
    ----------
    at : array of shape (nodes,)
        Values of t, an equal step apart, out to where nothing is left.
    density : array of shape (nodes,)
        Density of t there.
    bounds : (float, float)
        What the number lies between.
    """

    at: FloatArray
    density: FloatArray
    bounds: Interval

    @cached_property
    def _step(self) -> float:
        return float(self.at[1] - self.at[0])

    @cached_property
    def _slope(self) -> FloatArray:
        """Derivative of the density of t, by five points, of error step⁴; it is 0 at the ends, as the density is."""
        f, slope = self.density, np.zeros(len(self.density))
        slope[2:-2] = (8 * (f[3:-1] - f[1:-3]) - (f[4:] - f[:-4])) / (12 * self._step)
        return slope

    @cached_property
    def _share(self) -> FloatArray:
        """Distribution function at the nodes: the trapezoid rule with its first correction, of error step⁴."""
        f, step = self.density, self._step
        sums = np.concatenate([[0.0], np.cumsum((f[1:] + f[:-1]) / 2)]) * step - self._slope * step**2 / 12
        return np.maximum.accumulate(np.clip(sums, 0.0, None))

    @cached_property
    def values(self) -> FloatArray:
        """The number at the nodes."""
        return self._to_number(self.at)

    @cached_property
    def mean(self) -> float:
        """Expected value."""
        return float(self.values @ self.density) * self._step

    @cached_property
    def sd(self) -> float:
        """Standard deviation."""
        return sqrt(float((self.values - self.mean) ** 2 @ self.density) * self._step)

    def pdf(self, x: Any) -> FloatArray:
        """Return the density."""
        return np.exp(self._log_pdf(self._to_line(np.asarray(x, dtype=np.float64))))

    def cdf(self, x: Any) -> FloatArray:
        """Return the probability of at most x."""
        t = self._to_line(np.asarray(x, dtype=np.float64))
        return np.clip(self._between_nodes(t, self._share, self.density), 0.0, 1.0)

    def quantile(self, q: Any) -> FloatArray:
        """Return quantiles."""
        return self._to_number(self._t_of(np.asarray(q, dtype=np.float64)))

    def hdi(self, mass: float = 0.95) -> Interval:
        """Return the shortest interval; where the density rises up to a bound, one that ends there."""
        check_mass(mass)

        def excess(tail: Any) -> Any:
            """Log density at the lower end over that at the upper end: 0 where the interval is shortest."""
            low, high = self._t_of(np.asarray(tail)), self._t_of(np.asarray(tail) + mass)
            return self._log_pdf(low) - self._log_pdf(high)

        tails = np.linspace(0.0, 1 - mass, 101)[1:-1]
        rising = np.flatnonzero(excess(tails) > 0)
        place = int(rising[0]) if len(rising) else len(tails)
        low, high = (0.0, *tails)[place], (*tails, 1 - mass)[place]
        inside = 0 < place < len(tails)
        tail = brentq(excess, low, high, xtol=1e-13) if inside else _bisected(excess, low, high)
        start, end = self.quantile([tail, tail + mass])
        return float(start), float(end)

    def _to_line(self, x: FloatArray) -> FloatArray:
        low, high = self.bounds
        with np.errstate(divide="ignore"):
            return np.clip(logit(np.clip((x - low) / (high - low), 0.0, 1.0)), self.at[0], self.at[-1])

    def _to_number(self, t: FloatArray) -> FloatArray:
        low, high = self.bounds
        return np.asarray(low + (high - low) * expit(t))

    def _log_pdf(self, t: FloatArray) -> FloatArray:
        """Log density of the number, at t."""
        low, high = self.bounds
        density = np.maximum(self._between_nodes(t, self.density, self._slope), 1e-300)
        return np.log(density) - log(high - low) + np.logaddexp(0, t) + np.logaddexp(0, -t)

    def _t_of(self, q: FloatArray) -> FloatArray:
        """Quantiles of t: linear between nodes, then three steps of Newton's method on the cubic there."""
        t = np.interp(q, self._share, self.at)
        for _ in range(3):
            slope = self._between_nodes(t, self.density, self._slope)
            error = self._between_nodes(t, self._share, self.density) - q
            t = np.clip(t - np.divide(error, slope, out=np.zeros_like(t), where=slope > 1e-12), self.at[0], self.at[-1])
        return np.asarray(t)

    def _between_nodes(self, t: FloatArray, value: FloatArray, slope: FloatArray) -> FloatArray:
        """Cubic between nodes with these values and derivatives (Hermite)."""
        k = np.clip(((t - self.at[0]) / self._step).astype(np.int64), 0, len(self.at) - 2)
        u = (t - self.at[k]) / self._step
        rest = 1 - u
        return np.asarray(
            rest**2 * ((1 + 2 * u) * value[k] + u * self._step * slope[k])
            + u**2 * ((3 - 2 * u) * value[k + 1] - rest * self._step * slope[k + 1])
        )


def _bisected(excess: Callable[[float], FloatArray], low: float, high: float) -> float:
    """The tail at which the excess changes its sign, next to an end at which it may not be finite."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) > 0 else (middle, high)
    return (low + high) / 2
