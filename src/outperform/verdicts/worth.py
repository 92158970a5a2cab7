"""The worth of pairing: how many unpaired items are as informative as the paired ones.

Unpaired, the variance of δ is the sum of those of the two scores; paired, their covariance cancels. Variances
are inversely proportional to the number of items, so N paired items are worth N·(Var a + Var b)/Var δ.
"""

from __future__ import annotations

from dataclasses import dataclass

from outperform.data.contingency import FloatArray

__all__ = ["PairingWorth"]

NOTHING = 1e-24


@dataclass(frozen=True)
class PairingWorth:
    """How many times as many items an unpaired comparison would need, and how many that is."""

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
