"""Ranks of many systems from joint draws of their scores: which is best, and which are not distinguishable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray

__all__ = ["Places", "bands", "letters"]

MOST_BANDS = 100
AT_ONCE = 2_000_000  # pairwise comparisons held in memory at a time


@dataclass(frozen=True, eq=False)
class Places:
    """The place of each system in each draw: how many are better, and how many are equal, itself included.

    Both arrays have the shape (draws, systems). Equal scores share their places.
    """

    better: FloatArray
    tied: FloatArray

    @classmethod
    def of(cls, scores: FloatArray) -> Places:
        """Rank joint draws of shape (draws, systems), of which the greatest is best."""
        draws, systems = scores.shape
        better, tied = np.empty(scores.shape), np.empty(scores.shape)
        # Draws per block: comparing all pairs takes systems² numbers per draw.
        step = max(1, AT_ONCE // systems**2)
        for start, end in pairwise([*range(0, draws, step), draws]):
            some = scores[start:end]
            better[start:end] = (some[:, None, :] > some[:, :, None]).sum(axis=2)
            tied[start:end] = (some[:, None, :] == some[:, :, None]).sum(axis=2)
        return cls(better, tied)

    @cached_property
    def rank(self) -> FloatArray:
        """Ranks, 1 for the best; ties have the mean of the ranks that they share."""
        return self.better + (self.tied + 1) / 2

    def interval(self, system: int, mass: float) -> tuple[float, float]:
        """Return an equal-tailed interval of the rank of a system; a tie may have any of the ranks that it shares."""
        better, tied = self.better[:, system], self.tied[:, system]
        low = np.quantile(better + 1, (1 - mass) / 2, method="inverted_cdf")
        high = np.quantile(better + tied, (1 + mass) / 2, method="inverted_cdf")
        return float(low), float(high)

    def in_top(self, k: int) -> FloatArray:
        """Return the probability of each system to be among the best k; they add up to k."""
        share: FloatArray = np.clip((k - self.better) / self.tied, 0.0, 1.0).mean(axis=0)
        return share


def bands(separated: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the maximal groups of systems of which no two are distinguishable, in order of their first members.

    Two systems share a group if and only if they are not distinguishable, so a system may be in several. By
    insertion and absorption (Piepho 2004): a group that holds a distinguishable pair is split in two, each without
    one of the pair, and groups contained in others are dropped. There may be exponentially many. If there are too
    many to be useful, the groups are runs of neighbours instead, and two systems that are not distinguishable may share
    none.
    """
    groups = [frozenset(range(len(separated)))]
    for i, j in zip(*np.nonzero(np.triu(separated)), strict=True):
        split = [part for g in groups for part in ((g - {i}, g - {j}) if {i, j} <= g else (g,))]
        split.sort(key=len, reverse=True)
        groups = []
        for part in split:
            if not any(part <= kept for kept in groups):
                groups.append(part)
        if len(groups) > MOST_BANDS:
            return _runs(separated)
    return sorted(tuple(sorted(int(k) for k in group)) for group in groups)


def _runs(separated: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the longest runs of neighbours of which no two are distinguishable."""
    apart = separated | separated.T
    runs: list[tuple[int, ...]] = []
    for start in range(len(apart)):
        end = start + 1
        while end < len(apart) and not apart[start:end, end].any():
            end += 1
        if not runs or end > runs[-1][-1] + 1:
            runs.append(tuple(range(start, end)))
    return runs


def letters(groups: Sequence[Sequence[int]], member: int) -> str:
    """Return the letters of the bands of one system: a, b, … z, then numbers."""
    places = [k for k, group in enumerate(groups) if member in group]
    if len(groups) <= 26:
        return "".join(chr(ord("a") + k) for k in places)
    return ",".join(str(k + 1) for k in places)
