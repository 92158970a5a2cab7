"""A summary of the posterior of δ that suffices to judge it by any ROPE without its draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval

if TYPE_CHECKING:
    from outperform.inference.evidence import PairEvidence

__all__ = ["LEVELS", "DeltaSummary", "shape_of"]

LEVELS = (1 - np.cos(np.linspace(0, np.pi, 513))) / 2  # the probability of any ROPE is accurate to 0.0005


@dataclass(frozen=True, eq=False)
class DeltaSummary:
    """Quantiles of δ, denser in the tails; its HDIs by mass; and what else the decision rule needs."""

    quantiles: FloatArray  # at the probabilities of `LEVELS`
    hdi: dict[float, tuple[float, float, float]]  # the ends, and the Monte-Carlo error of their mid-point
    few: dict[float, bool]  # by mass, whether too few units, or items that contradict the HDI, leave no verdict
    exchangeable: bool
    greater_is_better: bool
    most: float  # the largest end of a ROPE
    alone: dict[float, Interval] | None = None  # HDIs before shrinkage, which makes no two systems equivalent

    def below(self, values: FloatArray) -> FloatArray:
        """Return the posterior probability below each value, interpolated linearly between quantiles."""
        return np.interp(values, self.quantiles, LEVELS, 0, 1)


def shape_of(evidence: PairEvidence, masses: Sequence[float]) -> DeltaSummary:
    """Summarise the posterior of δ."""
    posterior, bounded = evidence.difference, evidence.question.bounded
    quantiles = posterior.quantile(LEVELS)
    return DeltaSummary(
        quantiles,
        {mass: (*posterior.hdi(mass), posterior.mid_error(mass)) for mass in masses},
        {mass: evidence.withheld(posterior.hdi(mass)) for mass in masses},
        evidence.exchangeable,
        evidence.question.measure.greater_is_better,
        1.0 if bounded else 2 * float(np.abs(quantiles[[0, -1]]).max()),
        _alone(evidence, masses),
    )


def _alone(evidence: PairEvidence, masses: Sequence[float]) -> dict[float, Interval] | None:
    """Return the HDIs of δ before the systems of a ranking were shrunk; None if they were not."""
    found = ((mass, evidence.wider_hdi(0, 1, mass)) for mass in masses)
    return {mass: interval for mass, interval in found if interval is not None} or None
