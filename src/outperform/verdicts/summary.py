"""Summary of a posterior: mean, sd, median, highest density interval, probabilities, and the worth of pairing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval, holds
from outperform.verdicts.marginal import Marginal

__all__ = ["Delta", "PairingWorth", "Score", "summarise_delta", "summarise_score", "surprises"]

SLIGHT = 0.02  # of the width of an HDI: no table shows so little
NOTHING = 1e-24


@dataclass(frozen=True)
class Score:
    """The score of one classifier: as observed, and its posterior."""

    name: str
    observed: float | None  # None if undefined
    mean: float
    sd: float
    hdi: Interval


@dataclass(frozen=True)
class Delta:
    """The difference of two scores, first minus second: as observed, and its posterior."""

    observed: float | None
    mean: float
    sd: float
    median: float
    mc_error: float
    hdi: Interval
    mass: float
    p_less: float
    p_greater: float


def summarise_score(name: str, observed: float, posterior: Marginal, mass: float) -> Score:
    """Summarise the posterior of one classifier's score."""
    return Score(name, _defined(observed), posterior.mean, posterior.sd, posterior.hdi(mass))


def summarise_delta(observed: Sequence[float] | FloatArray, posterior: Marginal, mass: float) -> Delta:
    """Summarise the posterior of a difference of two scores."""
    first, second = map(_defined, observed)
    return Delta(
        observed=None if first is None or second is None else first - second,
        mean=posterior.mean,
        sd=posterior.sd,
        median=posterior.median,
        mc_error=posterior.mc_error,
        hdi=posterior.hdi(mass),
        mass=mass,
        p_less=posterior.below(0.0),
        p_greater=posterior.above(0.0),
    )


def surprises(parts: Sequence[Score | Delta], mass: float, *, weighed: bool = False) -> tuple[str, ...]:
    """Return a note if the observed value lies clearly outside of its HDI, because the prior outweighs the data.

    After a perfect score the HDI of F1 ends just below 1, which means nothing. Without a prior, if items are weighted
    at random, uneven weights bias the measure.
    """
    outside = [
        part.name if isinstance(part, Score) else "the difference"
        for part in parts
        if part.observed is not None and _beyond(part.hdi, part.observed)
    ]
    if not outside:
        return ()
    return (
        f"What was observed lies outside the {100 * mass:g}% HDI of {' and '.join(outside)}: "
        + ("uneven weights alone bias this measure." if weighed else "the prior outweighs the data there."),
    )


def _beyond(hdi: Interval, value: float) -> bool:
    low, high = hdi
    slight = SLIGHT * (high - low)
    return not holds((low - slight, high + slight), value)


def _defined(score: float) -> float | None:
    return float(score) if isfinite(score) else None


@dataclass(frozen=True)
class PairingWorth:
    """How many times as many items an unpaired comparison would need, and how many that is.

    Unpaired, the variance of δ is the sum of those of the two scores; paired, their covariance cancels. Variances
    are inversely proportional to the number of items, so N paired items are worth N·(Var a + Var b)/Var δ.
    """

    factor: float
    items: float

    @classmethod
    def of(cls, scores: FloatArray, items: float) -> PairingWorth | None:
        """Compute it from joint draws of two scores, of shape (draws, 2); None if there is nothing to compare."""
        return cls.of_variances(float(scores.var(axis=0).sum()), float((scores[:, 0] - scores[:, 1]).var()), items)

    @classmethod
    def of_variances(cls, apart: float, together: float, items: float) -> PairingWorth | None:
        """Compute it from the sum of the variances of the two scores, and the variance of their difference."""
        return cls(apart / together, items * apart / together) if together > NOTHING else None
