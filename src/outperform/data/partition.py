"""The partition of a table of counts: folds of a cross-validation, slices of the items, or kinds of unit.

A table has at most one partition, and a cell belongs to one part of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import listing
from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray, Label, sorted_labels

__all__ = ["Fold", "Folds", "Partition", "Slices", "Units", "places", "union"]

Fold: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Partition(ABC):
    """The part that each cell belongs to: `code` holds positions among the parts."""

    code: IntArray

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of parts."""

    @abstractmethod
    def joined(self, other: Self) -> Self:
        """Return the partition of the cells of both tables, those of `other` last."""

    def only(self, cells: NDArray[np.bool_] | IntArray) -> Self:
        """Return the partition of some of the cells."""
        return replace(self, code=self.code[cells])


@dataclass(frozen=True, eq=False)
class Named(Partition):
    """Parts that have names, by which those of two tables are matched."""

    names: tuple[Any, ...]
    what: ClassVar[str]

    @property
    def size(self) -> int:
        """Number of parts."""
        return len(self.names)

    def joined(self, other: Self) -> Self:
        """Return the parts of both; sorted, unless both have the same."""
        names = union(self.names, other.names, self.what)
        code = [places(partition.names, names)[partition.code] for partition in (self, other)]
        return replace(self, names=names, code=np.concatenate(code))


class Folds(Named):
    """Folds of a cross-validation, named (repetition, fold)."""

    what = "folds"


class Slices(Named):
    """Slices of the items, for example their languages, each of which is compared separately."""

    what = "slices"


@dataclass(frozen=True, eq=False)
class Units(Partition):
    """Kinds of unit that are resampled whole (items with label sets, sentences with chunks).

    `number` is the number of units of each kind; the cells' `n` adds up all units of the kind.
    """

    number: FloatArray

    @property
    def size(self) -> int:
        """Number of kinds."""
        return len(self.number)

    def joined(self, other: Self) -> Self:
        """Return the kinds of both; equal kinds are merged later."""
        code = np.concatenate([self.code, other.code + len(self.number)])
        return replace(self, code=code, number=np.concatenate([self.number, other.number]))


def union(first: Sequence[Label], other: Sequence[Label], what: str) -> tuple[Label, ...]:
    """Return all labels, sorted; in the given order if both have the same or one has none."""
    if first == other or not first or not other:
        return tuple(first or other)
    every = sorted_labels({*first, *other})
    kinds = {type(label) for label in first}, {type(label) for label in other}
    if kinds[0].isdisjoint(kinds[1]):
        raise ValueError(
            f"the {what} of two counts are of different kinds: {listing(first, 3)} and {listing(other, 3)}; bring both "
            "to one kind before counting"
        )
    return every


def places(known: Sequence[object], among: Sequence[object]) -> IntArray:
    """Return the position of each known value among others."""
    place = {value: k for k, value in enumerate(among)}
    return np.array([*map(place.__getitem__, known)], dtype=np.int64)
