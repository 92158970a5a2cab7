"""Scores of the folds of one data set: the Bayesian correlated t-test (Corani and Benavoli 2015).

Training sets overlap, so that the n differences are correlated: any two by ρ, which is taken as the share of items that
are tested in a fold (Nadeau and Bengio 2003). With the usual flat prior the mean difference is a Student's t with n − 1
degrees of freedom around the mean seen, of scale² = s²(1/n + ρ/(1 − ρ)), where s² is the variance seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from scipy.special import stdtr, stdtrit

from outperform.across.regions import Center, Regions
from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import ROUNDING, Interval

__all__ = ["CorrelatedT"]


@dataclass(frozen=True)
class CorrelatedT:
    """Student's t of the mean difference; a scale of 0 where all differences are the same."""

    mean: float
    scale: float
    freedom: int
    rho: float
    method: str = "correlated_t"

    @classmethod
    def of(cls, differences: FloatArray, rho: float, size: float) -> CorrelatedT:
        """The posterior from the differences of all folds; rounding errors of scores of this size are no spread."""
        n, mean = len(differences), float(differences.mean())
        sd = float(differences.std(ddof=1))
        if sd <= ROUNDING * size:
            return cls(mean, 0.0, n - 1, rho)
        return cls(mean, sd * sqrt(1 / n + rho / (1 - rho)), n - 1, rho)

    @property
    def settings(self) -> dict[str, object]:
        """The correlation."""
        return {"rho": f"{self.rho:g}"}

    def regions(self, rope: Interval | None) -> Regions:
        """Exact, in both tails."""
        low, high = rope or (0.0, 0.0)
        if self.scale == 0:
            slack = ROUNDING * max(abs(low), abs(high), abs(self.mean))  # on the border is within
            below, above = float(self.mean < low - slack), float(self.mean > high + slack)
            return Regions(below, 1 - below - above, above)
        below = float(stdtr(self.freedom, (low - self.mean) / self.scale))
        above = float(stdtr(self.freedom, (self.mean - high) / self.scale))
        return Regions(below, max(1 - below - above, 0.0) if rope else 0.0, above)

    def center(self, rope: Interval | None, mass: float) -> Center:
        """Mean, sd and HDI: symmetric, so that the HDI has equal tails. Two degrees of freedom have no sd."""
        reach = self.scale * float(stdtrit(self.freedom, (1 + mass) / 2))
        wide = self.freedom <= 2 and self.scale > 0
        sd = None if wide else self.scale * sqrt(self.freedom / (self.freedom - 2)) if self.scale else 0.0
        return Center(self.mean, sd, (self.mean - reach, self.mean + reach), self.regions(rope))

    def next_data_set(self, rope: Interval | None) -> Regions | None:  # noqa: ARG002
        """None: one data set tells nothing about others."""
        return None
