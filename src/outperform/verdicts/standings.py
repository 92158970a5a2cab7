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

    @cached_property
    def in_top(self) -> FloatArray:
        """Probabilities of each system to be among the best 1, 2, …, of shape (systems, systems); they add up to k.

        A system that shares its place with others, t in all, is among the best k in as many of t cases as there are
        places left: its share grows by 1/t at each of t places.
        """
        draws, systems = self.better.shape
        first = (self.better + (systems + 1) * np.arange(systems)).astype(np.int64)
        share, size = (1 / self.tied).ravel(), systems * (systems + 1)
        begun = np.bincount(first.ravel(), share, size)
        ended = np.bincount((first + self.tied.astype(np.int64)).ravel(), share, size)
        grows = (begun - ended).reshape(systems, systems + 1).cumsum(axis=1)
        return np.asarray(np.clip(grows.cumsum(axis=1)[:, :systems] / draws, 0.0, 1.0))


def bands(separated: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the maximal groups of systems of which no two are distinguishable, in order of their first members.

    Two systems share a group if and only if they are not distinguishable, so a system may be in several. By
    insertion and absorption (Piepho 2004): a group that holds a distinguishable pair is split in two, each without
    one of the pair, and groups contained in others are dropped. There may be exponentially many. If there are too
    many to be useful, the groups are runs of neighbours instead, and two systems that are not distinguishable may share
    none.
    """
    groups = [(1 << len(separated)) - 1]  # a bit per member
    for i, j in zip(*map(np.ndarray.tolist, np.nonzero(np.triu(separated))), strict=True):
        both = 1 << i | 1 << j
        # A part of one group is in none of the others that are split: these have both members, as it had.
        whole = [group for group in groups if group & both != both]
        parts = [group & ~(1 << k) for group in groups if group & both == both for k in (i, j)]
        groups = whole + [part for part in parts if not any(part & group == part for group in whole)]
        if len(groups) > MOST_BANDS:
            return _runs(separated)
    return sorted(tuple(k for k in range(len(separated)) if group >> k & 1) for group in groups)


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
