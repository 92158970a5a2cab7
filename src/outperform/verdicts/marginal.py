"""The posterior of one number, a score or a difference of two scores, in any representation.

Summaries, verdicts, Bayes factors of a ROPE and forecasts use a `Marginal` and nothing else: its mean, sd, quantiles,
highest density interval and the probability of a region. `Sampled` answers from draws, also from those of an expansion;
`Continuous` from a density and a distribution function, which are series (`exact`) or in closed form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from outperform.base.lazy import remembered
from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import FEWEST, Interval, check_share, hdi, hdi_mid_error

__all__ = ["UNSEEN", "Continuous", "Marginal", "Sampled"]

HALVINGS = 60  # bisections, which narrow an interval of length 1 below rounding
UNSEEN = 3.0  # draws that are assumed where none was seen: more would be missed with a probability below 5%
AS_DRAWS = 1_000_000  # that a posterior without draws is worth, whose probabilities are right to about 1e-6
SHARES = (np.arange(2_000) + 0.5) / 2_000  # of quantiles that represent a posterior without draws


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
        """Monte-Carlo error of the mean; 0 if exact."""
        return 0.0

    @property
    def decisive(self) -> bool:
        """Whether it is known precisely enough for a verdict."""
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

    @abstractmethod
    def masses(self, edges: FloatArray) -> FloatArray:
        """Return the probabilities between neighbouring edges."""

    def mid_error(self, mass: float) -> float:  # noqa: ARG002 (an exact one has no error)
        """Return the Monte-Carlo error of the HDI's mid-point; 0 if exact."""
        return 0.0

    def counted(self, low: float, high: float) -> tuple[float, float]:
        """Return how many draws lie from `low` to `high`, and how many do not; without draws, of a million."""
        share = self.prob(low, high)
        inside, outside = self.worth * share, self.worth * (1 - share)
        return inside if inside > UNSEEN else 0.0, outside if outside > UNSEEN else 0.0

    @property
    def worth(self) -> float:
        """The number of draws that it is worth."""
        return AS_DRAWS

    @property
    def points(self) -> FloatArray:
        """Equally probable values that represent it."""
        return self.quantile(SHARES)

    def draws(self, n: int, rng: Generator) -> FloatArray:
        """Return n independent draws."""
        return self.quantile(rng.random(n))


@dataclass(frozen=True, eq=False)
class Sampled(Marginal):
    """Represented by draws, of which `effective` are independent: all of them unless they come from Markov chains."""

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

    @cached_property
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

    @remembered  # the same draws are judged by one ROPE after the other
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

    def counted(self, low: float, high: float) -> tuple[float, float]:
        """Return how many draws lie from `low` to `high`, and how many do not."""
        inside = int(np.count_nonzero((self.values >= low) & (self.values <= high)))
        return inside, len(self.values) - inside

    def masses(self, edges: FloatArray) -> FloatArray:
        """Return the shares of draws between neighbouring edges."""
        return np.asarray(np.histogram(self.values, edges)[0] / len(self.values))

    @property
    def worth(self) -> float:
        """The number of draws."""
        return len(self.values)

    @property
    def points(self) -> FloatArray:
        """The draws."""
        return self.values

    @remembered
    def mid_error(self, mass: float) -> float:
        """Return the spread of the HDI's mid-point over blocks of the draws."""
        return hdi_mid_error(self.values, mass)

    def draws(self, n: int, rng: Generator) -> FloatArray:
        """Return n of the draws, at random, with replacement."""
        return np.asarray(rng.choice(self.values, n))


class Continuous(Marginal):
    """Represented by its density and its distribution function."""

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
        """The end of the support at which the density is highest, where the HDI starts: 0 low, 1 high, or None."""
        return None

    def below(self, x: float) -> float:
        """Return the probability of less than x."""
        return float(self.cdf(x))

    def above(self, x: float) -> float:
        """Return the probability of more than x."""
        return float(self.sf(x))

    def masses(self, edges: FloatArray) -> FloatArray:
        """Return the probabilities between neighbouring edges."""
        return np.asarray(np.diff(self.cdf(edges)))

    def interval(self, mass: float = 0.95) -> Interval:
        """Return the equal-tailed interval."""
        return self._between([(1 - check_share(mass)) / 2, (1 + mass) / 2])

    def hdi(self, mass: float = 0.95) -> Interval:
        """Return the shortest interval: the densities at its ends are equal, unless it starts at an edge."""
        check_share(mass)
        if self.edge is not None:
            return self._between([0.0, mass] if self.edge == 0 else [1 - mass, 1.0])
        low, high = 0.0, 1 - mass
        for _ in range(HALVINGS):
            tail = (low + high) / 2
            left, right = self.pdf(self.quantile([tail, tail + mass]))
            low, high = (tail, high) if left < right else (low, tail)
        return self._between([(low + high) / 2, (low + high) / 2 + mass])

    def _between(self, tails: list[float]) -> Interval:
        low, high = self.quantile(tails)
        return float(low), float(high)
