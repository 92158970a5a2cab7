"""The task that was counted: one label per item, any number of labels per item, or chunks.

A task says which label each cell is about. Where an item has one label, a cell is about all labels. A task is one of
three types, so that no table can mix them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from outperform.data.labels import IntArray, Label
from outperform.data.relevance import Relevance

__all__ = ["Chunks", "LabelSets", "OneLabel", "Task", "no_column"]


def no_column() -> IntArray:
    """Return the column of a table that does not have it."""
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Task:
    """The label, or type of chunk, that each cell is about: a position in `groups`."""

    groups: tuple[Label, ...] = ()
    group: IntArray = field(default_factory=no_column)
    no_true_negatives: ClassVar[bool] = False

    @property
    def how(self) -> str:
        """How items were counted, for the signature; empty unless there is a choice."""
        return ""

    @property
    def sets(self) -> Relevance | None:
        """Which labels occur together on items; None where that is not known."""
        return None

    def regrouped(self, groups: tuple[Label, ...], group: IntArray) -> Task:
        """Return the task with other labels; which of them occur together is no longer known."""
        return LabelSets(groups, group) if groups else OneLabel()

    def only(self, cells: NDArray[np.bool_] | IntArray) -> Self:
        """Return the task of some of the cells."""
        return replace(self, group=self.group[cells]) if self.groups else self

    def select(self, order: Sequence[int]) -> Task:  # noqa: ARG002 (only label sets need it)
        """Return the task of some of the classifiers."""
        return self

    def without_sets(self) -> Task:
        """Return the task without the knowledge of which labels occur together."""
        return self

    def by_unit(self, unit: str) -> Task:  # noqa: ARG002 (only chunks need it)
        """Return the task with another name of the units that are resampled; only chunks have one."""
        return self

    def positives_only(self) -> Chunks:
        """Return the task without true negatives."""
        return Chunks(self.groups, self.group)


@dataclass(frozen=True, eq=False)
class OneLabel(Task):
    """Each item has one label."""

    groups: tuple[()] = field(default=(), init=False)
    group: IntArray = field(default_factory=no_column, init=False)


@dataclass(frozen=True, eq=False)
class LabelSets(Task):
    """Each item may have any number of labels; a table has two classes, False and True."""

    together: Relevance | None = None

    @property
    def sets(self) -> Relevance | None:
        """Which labels occur together on items; None where that is not known."""
        return self.together

    def select(self, order: Sequence[int]) -> Task:
        """Return the task of some of the classifiers."""
        return self if self.together is None else replace(self, together=self.together.select(order))

    def without_sets(self) -> Task:
        """Return the task without the knowledge of which labels occur together."""
        return self if self.together is None else replace(self, together=None)


@dataclass(frozen=True, eq=False)
class Chunks(Task):
    """Only what is there or was predicted is counted, so that there are no true negatives; types are optional.

    `counted` is the scheme and the mode of reading tags, `unit` what is resampled whole.
    """

    counted: str = ""
    unit: str = ""
    no_true_negatives: ClassVar[bool] = True

    @property
    def how(self) -> str:
        """How chunks were counted and what is resampled."""
        return f"{self.counted},{self.unit}" if self.counted else ""

    def regrouped(self, groups: tuple[Label, ...], group: IntArray) -> Task:
        """Return the task with other types."""
        return replace(self, groups=groups, group=group)

    def by_unit(self, unit: str) -> Task:
        """Return the task with another name of the units that are resampled; totals have none."""
        return replace(self, unit=unit) if self.unit else self

    def positives_only(self) -> Chunks:
        """Return the task itself."""
        return self
