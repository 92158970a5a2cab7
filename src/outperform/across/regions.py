"""The answers of every method that compares scores: three probabilities, and more where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval

__all__ = ["Center", "Regions", "ScorePosterior", "largest"]


@dataclass(frozen=True)
class Regions:
    """Probabilities that the difference lies below, within and above a region; they sum to 1."""

    below: float
    within: float
    above: float
    error: float = 0.0  # Monte-Carlo error of the least certain of the three; 0 where they are exact

    @classmethod
    def of_draws(cls, where: NDArray[np.integer[Any]]) -> Regions:
        """Shares of draws, each of which is 0 (below), 1 (within) or 2 (above)."""
        n = len(where)
        below, within, above = (float(np.count_nonzero(where == k) / n) for k in range(3))
        return cls(below, within, above, max(sqrt(p * (1 - p) / n) for p in (below, within, above)))


@dataclass(frozen=True)
class Center:
    """The posterior of a mean difference; its sd is None where it has none."""

    mean: float
    sd: float | None
    hdi: Interval
    regions: Regions


class ScorePosterior(Protocol):
    """A posterior that gives the probabilities of regions."""

    @property
    def method(self) -> str:
        """Name of the method."""

    @property
    def settings(self) -> dict[str, object]:
        """Settings that change the numbers, for the signature."""

    def regions(self, rope: Interval | None) -> Regions:
        """How likely the answer is below, within or above. None is a region without width."""

    def center(self, rope: Interval | None, mass: float) -> Center | None:
        """The posterior of the mean difference, where there is one."""

    def next_data_set(self, rope: Interval | None) -> Regions | None:
        """How likely the next data set's difference lies below, within and above, where that is known."""


def largest(shares: FloatArray) -> Regions:
    """How often each of the three shares is the largest, from draws of shape (draws, 3)."""
    return Regions.of_draws(shares.argmax(axis=1))
