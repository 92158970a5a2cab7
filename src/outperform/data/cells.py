"""The table behind Counts: outcome cells and their operations.

A long table: (part, group, truth, one prediction per classifier) → n. The task says what a group is (`task`), the
partition what a part is (`partition`); either may be absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cmp_to_key
from itertools import product
from typing import Any, Self, TypeVar

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from outperform.base.limits import check_items, check_weights
from outperform.data.contingency import Contingency, FloatArray, added_up, combine
from outperform.data.keys import alike, row_keys
from outperform.data.labels import IntArray, Label, against_rest
from outperform.data.partition import Fold, Folds, Partition, Slices, Units, places
from outperform.data.relevance import Relevance
from outperform.data.task import Chunks, OneLabel, Task, no_column

__all__ = ["NOT_RUN", "AnyCells", "Cells", "Fold", "extended", "recoded"]

ROUNDING = 1e-9  # share of weighted items below which they differ from a whole number by rounding errors alone
NOT_RUN = -1
AnyCells = TypeVar("AnyCells", bound="Cells")  # functions of cells return the type that they are given, such as Counts


@dataclass(frozen=True, eq=False)
class Cells:
    """Outcome cells and the number of items in each; `Counts` documents the fields."""

    classifiers: tuple[str, ...]
    labels: tuple[Label, ...]
    truth: IntArray
    predictions: IntArray
    n: FloatArray
    task: Task = field(default_factory=OneLabel)
    partition: Partition | None = None
    declared: bool = True
    left_out: float = 0
    weighed: FloatArray | None = None  # of weighted rows: how many, and the sum of squared weights, of shape (2, cells)
    effect: float = 1.0  # design effect: weighted rows per effective item

    def __post_init__(self) -> None:
        """Check that numbers are within the limits and that the columns match each other."""
        (check_items if self.weighed is None else check_weights)(self.n)
        if (self.no_true_negatives or self.groups or self.units is not None) and len(self.labels) != 2:
            raise ValueError("labels must be two: absent and present")
        width = len(self.classifiers)
        if self.predictions.shape != (len(self.n), width):
            raise ValueError(f"predictions must have {width} columns and a row for each of {len(self.n)} cells")
        if len(self.n) and not NOT_RUN <= self.predictions.min() <= self.predictions.max() < len(self.labels):
            raise ValueError(f"predictions must hold positions from {NOT_RUN} to {len(self.labels) - 1}")
        self._check_codes("truth", self.truth, len(self.labels))
        if self.groups:
            self._check_codes("group", self.group, len(self.groups))
        if self.partition is not None:
            self._check_codes("partition", self.partition.code, self.partition.size)

    def _check_codes(self, column: str, code: IntArray, size: int) -> None:
        if len(code) != len(self.n) or (len(code) and not 0 <= code.min() <= code.max() < size):
            raise ValueError(f"{column} must hold a position among {size} for each of {len(self.n)} cells")

    @property
    def groups(self) -> tuple[Label, ...]:
        """All labels of a multi-label task, or all types of chunk."""
        return self.task.groups

    @property
    def group(self) -> IntArray:
        """The label that each cell is about, a position in `groups`."""
        return self.task.group

    @property
    def no_true_negatives(self) -> bool:
        """Whether only true or predicted positives are counted, as for chunks."""
        return self.task.no_true_negatives

    @property
    def counted(self) -> str:
        """How chunks were counted: scheme and mode; empty for other tasks."""
        return self.task.counted if isinstance(self.task, Chunks) else ""

    @property
    def unit(self) -> str:
        """The unit of resampling for chunks: chunk, sentence, document or given; empty for other tasks."""
        return self.task.unit if isinstance(self.task, Chunks) else ""

    @property
    def sets(self) -> Relevance | None:
        """Which labels occur together on items; None if unknown."""
        return self.task.sets

    @property
    def folds(self) -> tuple[Fold, ...]:
        """All (repetition, fold) of a cross-validation; empty without one."""
        return self.partition.names if isinstance(self.partition, Folds) else ()

    @property
    def slices(self) -> tuple[Label, ...]:
        """All slices of the items, each compared separately; empty without slices."""
        return self.partition.names if isinstance(self.partition, Slices) else ()

    @property
    def units(self) -> FloatArray | None:
        """Number of units of each kind, if whole units are resampled; None otherwise."""
        return self.partition.number if isinstance(self.partition, Units) else None

    @property
    def part(self) -> IntArray:
        """The part of the partition that each cell belongs to; empty without a partition."""
        return no_column() if self.partition is None else self.partition.code

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes that averages are taken over: the labels, or in a multi-label task the groups."""
        return self.groups or self.labels

    @property
    def many(self) -> bool:
        """Whether there are more than two classes, or the task is multi-label."""
        return bool(self.groups) or len(self.labels) > 2

    @property
    def by_item(self) -> bool:
        """Whether kinds of items are counted, for scores per item, and labels are not distinguished."""
        return self.units is not None and not self.groups and not self.no_true_negatives

    @property
    def how(self) -> str:
        """How chunks were counted and what is resampled, for the signature; empty for other tasks."""
        return self.task.how

    @property
    def items(self) -> float:
        """Number of items (a whole number unless weighted); for chunks, the number of true chunks."""
        if self.units is not None:
            total = float(self.units.sum())
        elif self.no_true_negatives:
            total = float(self.n[(self.truth == 1) & (self.predictions[:, 0] != NOT_RUN)].sum())
        else:
            total = float(self.n.sum()) / (len(self.groups) or 1)
        total /= len({repetition for repetition, _ in self.folds}) or 1  # every repetition tests all items
        return int(total) if total.is_integer() else total

    @property
    def number(self) -> FloatArray:
        """Number of items in each cell, or of units of each kind."""
        return self.n if self.units is None else self.units

    @property
    def paired(self) -> bool:
        """Whether every classifier was run on every item."""
        return bool((self.predictions != NOT_RUN).all())

    def empty(self) -> Self:
        """Return the same table without items; its posterior is the prior."""
        none = self._only(np.zeros(len(self.n), dtype=bool))
        kept = none.partition
        partition = replace(kept, number=kept.number[:0]) if isinstance(kept, Units) else kept
        return replace(none, partition=partition, task=none.task.without_sets(), declared=True)

    def worth(self) -> Self:
        """Return weights in a unit in which they add up to (Σw)²/Σw² items of equal weight (Kish 1965), per slice."""
        if self.weighed is None:
            return self
        part = self.part if self.slices else np.zeros(len(self.n), dtype=np.int64)
        total, rows, squares = added_up(part, np.vstack([self.n, self.weighed]), int(part.max(initial=0)) + 1)
        factor = np.divide(total, squares, where=squares > 0, out=np.ones(len(total)))
        n, weighed = self.n * factor[part], self.weighed * [np.ones(len(part)), factor[part] ** 2]
        whole = np.rint(n)
        n = np.where(np.abs(n - whole) < ROUNDING * n, whole, n)  # equal weights make whole items of any unit
        return replace(self, n=n, weighed=weighed, effect=float(rows.sum() / n.sum()) if len(n) else 1.0)

    def binary(self, positive: Label) -> Self:
        """Return one class against the rest; the positive class comes last."""
        if self.by_item:
            raise ValueError("counts by item do not distinguish labels; count labels to score one of them")
        if self.groups:
            about = self._only(self.group == self.groups.index(positive))
            task = self.task.regrouped((), no_column())
            return replace(about, task=task, labels=(f"not {positive}", positive)).merged()
        code = self.labels.index(positive)
        predictions = np.where(self.predictions == NOT_RUN, NOT_RUN, (self.predictions == code).astype(np.int64))
        truth = (self.truth == code).astype(np.int64)
        return replace(self, labels=against_rest(self.labels, positive), truth=truth, predictions=predictions).merged()

    def right_or_wrong(self) -> Self:
        """Return a table of two classes: every item is positive, and predicted by the classifiers that are right."""
        right = (self.predictions == self.truth[:, None]).astype(np.int64)
        predictions = np.where(self.predictions == NOT_RUN, NOT_RUN, right)
        truth = np.ones(len(self.n), dtype=np.int64)
        return replace(self, labels=(False, True), truth=truth, predictions=predictions).merged()

    def select(self, order: Sequence[int]) -> Self:
        """Return these classifiers, in this order, on the items that at least one of them was run on."""
        return self._selected(order, self.task.select(order))

    def _selected(self, order: Sequence[int], task: Task) -> Self:
        names, predictions = tuple(self.classifiers[k] for k in order), self.predictions[:, list(order)]
        chosen = replace(self, classifiers=names, predictions=predictions, task=task)
        chosen = chosen._only((chosen.predictions != NOT_RUN).any(axis=1))
        return (chosen.positives_only() if self.no_true_negatives else chosen).merged()

    def in_order_of(self, other: Self) -> Self:
        """Return the table with labels and groups in the order of another table."""
        group = places(self.groups, other.groups)[self.group]
        task = self.task if self.groups == other.groups else self.task.regrouped(other.groups, group)
        return replace(recoded(self, other.labels), task=task)

    def together(self, factor: float = 1.0) -> Self:
        """Return all folds, slices or units as one table; each item counts as `factor` items."""
        task = self.task.by_unit("chunk")
        task = task if factor == 1.0 else task.without_sets()
        return replace(self, n=factor * self.n, partition=None, task=task).merged()

    def fold(self, k: int) -> Self:
        """Return the counts of one fold or slice, by its position."""
        return self._only(self.part == k).together()

    def as_groups(self) -> Self:
        """Return slices of a binary task as the labels of a multi-label task."""
        return replace(self, task=self.task.regrouped(self.slices, self.part), partition=None).merged()

    def positives_only(self) -> Self:
        """Return only true or predicted positives of a binary task; true negatives are dropped."""
        kept = self._only((self.truth == 1) | (self.predictions == 1).any(axis=1))
        return replace(kept, task=kept.task.positives_only())

    def listed(self) -> Self:
        """Return a binary table with every possible cell, including those with no items."""
        if len(self.labels) > 2 or self.units is not None:
            return self
        # One row per set of classifiers that share items: what was not run stays so in every cell.
        runs = np.unique(self.predictions != NOT_RUN, axis=0)
        by_run = [product((0, 1), *((0, 1) if ran else (NOT_RUN,) for ran in run)) for run in runs]
        cells = np.array([cell for outcomes in by_run for cell in outcomes if 1 in cell or not self.no_true_negatives])
        labels = len(self.groups) or 1
        group = np.repeat(np.arange(labels), len(cells))
        cells = np.tile(cells, (labels, 1))
        task = replace(self.task, group=np.concatenate([self.group, group])) if self.groups else self.task
        every = extended(replace(self, weighed=None), cells, np.zeros(len(cells)), task)
        # The listed cells have n = 0, so adding up equal keys keeps the counts of those that occurred.
        _, first, cell = np.unique(every._keys(), return_index=True, return_inverse=True)
        return replace(every._only(first), n=np.bincount(cell, every.n).astype(np.float64))

    def resized(self, n: FloatArray) -> Self:
        """Return the table with these numbers of items per cell, or of units per kind; empty ones are dropped."""
        if self.units is None:
            return replace(self, n=n, task=self.task.without_sets(), weighed=None)._only(n > 0)
        kept = replace(self, n=self.n / self.units[self.part] * n[self.part])._only(n[self.part] > 0)
        return replace(kept, partition=Units((np.cumsum(n > 0) - 1)[kept.part], n[n > 0]))

    def untyped(self) -> Self:
        """Return the table with all labels or types merged into one."""
        return replace(self, task=self.task.regrouped(("all",), np.zeros(len(self.n), dtype=np.int64))).merged()

    def same_cells(self, other: Self) -> bool:
        """Return whether two tables agree in everything but the names of the classifiers."""
        return all(np.array_equal(x, y) for x, y in zip(self._columns(), other._columns(), strict=True))

    def canonical_order(self) -> list[int]:
        """Return an order of the classifiers that does not depend on the order in which they were given.

        Sorted by the outcomes of each classifier alone, then by name. Random streams follow this order, so that
        permuting the classifiers permutes the draws and changes nothing else.
        """

        def table(k: int) -> Any:
            return by_order(tuple(x.ravel() for x in self._selected([k], self.task)._columns()))

        by_order = cmp_to_key(_ordered)
        return sorted(range(len(self.classifiers)), key=lambda k: (table(k), self.classifiers[k]))

    def contingency(self, *, by_unit: bool = False) -> Contingency:
        """Return the observed contingency per classifier, of the positive (last) of two classes or of each of many.

        With `by_unit`, kinds of unit take the place of classes, and the total is the number of units of each kind.
        """
        if by_unit and self.units is not None:
            kinds = self._regrouped(self.part, len(self.units)).contingency()
            return replace(kinds, total=self.units[None]) if self.no_true_negatives else kinds
        classes, counted = len(self.classes), []
        for guess in np.ascontiguousarray(self.predictions.T):
            n = self.n * (guess != NOT_RUN)
            if self.groups:  # a label is a hit only where it is present
                true, guessed = n * (self.truth == 1), guess == 1
                parts = [(self.group, often) for often in (true * guessed, true, n * guessed, n)]
            else:
                said = np.maximum(guess, 0)  # where it was not run, n is 0
                parts = [(said, n * (guess == self.truth)), (self.truth, n), (said, n)]
            counted.append([np.bincount(codes, often, classes) for codes, often in parts])
        hit, support, predicted, *totals = np.array(counted, dtype=np.float64).transpose(1, 0, 2)
        if totals and not self.no_true_negatives:
            return Contingency(hit, support, predicted, totals[0])
        total = self.n @ (self.predictions != NOT_RUN).astype(np.float64)
        if self.many:  # without true negatives there is no total per type
            return Contingency(hit, support, predicted, total[:, None])
        return Contingency(hit[:, 1], support[:, 1], predicted[:, 1], total)

    def contingency_of_kinds(self) -> Contingency:
        """Return the contingency by kind of unit, of shape (kinds, classifiers) or (kinds, classifiers, classes)."""
        assert self.units is not None
        kinds, classes = len(self.units), len(self.groups) or 1
        # One code per (kind, class), so that a single contingency covers all kinds.
        codes = self.part * classes + (self.group if self.groups else 0)
        c = self._regrouped(codes, kinds * classes).contingency()
        shape = (len(self.classifiers), kinds, classes)

        def by_kind(x: FloatArray) -> FloatArray:
            moved = np.moveaxis(np.broadcast_to(x, c.hit.shape).reshape(shape), 1, 0)
            return moved if self.groups else moved[..., 0]

        return combine(by_kind, c)

    def _regrouped(self, codes: IntArray, size: int) -> Self:
        return replace(self, task=self.task.regrouped(tuple(range(size)), codes), partition=None)

    def _columns(self) -> tuple[NDArray[Any], ...]:
        units = self.n[:0] if self.units is None else self.units
        return units, self.part, self.group, self.truth, self.predictions, self.n

    def _only(self, chosen: NDArray[np.bool_] | IntArray) -> Self:
        """Return some of the cells."""
        if chosen.dtype == np.bool_ and chosen.all():
            return self
        return replace(
            self,
            truth=self.truth[chosen],
            predictions=self.predictions[chosen],
            n=self.n[chosen],
            task=self.task.only(chosen),
            partition=None if self.partition is None else self.partition.only(chosen),
            weighed=None if self.weighed is None else self.weighed[:, chosen],
        )

    def _keys(self, *columns: IntArray) -> IntArray:
        """Return a key per cell, equal where the columns, the group, the truth and the predictions are equal."""
        return row_keys(len(self.n), (*columns, self.group, self.truth, *self.predictions.T))[0]

    def merged(self) -> Self:
        """Return the table with equal cells merged and sorted, so that equal data give equal tables."""
        _, first, cell = np.unique(self._keys(self.part), return_index=True, return_inverse=True)
        n = added_up(cell, self.n, len(first))
        weighed = None if self.weighed is None else added_up(cell, self.weighed, len(first))
        merged = replace(self._only(first), n=n, weighed=weighed)
        merged = merged if (n > 0).all() else merged._only(n > 0)
        return merged if self.units is None else merged._merged_units(self.units)

    def _merged_units(self, units: FloatArray) -> Self:
        """Return the table with equal kinds of unit merged, compared by two random 64-bit sums over their cells."""
        per_unit = (self.n / units[self.part]).round().astype(np.uint64)
        key = np.unique(self._keys(), return_inverse=True)[1]
        # Two random 64-bit numbers per cell; wrap-around sums of them over a unit collide with probability 2^-128.
        lot = default_rng(0).integers(2**64, size=(key.max(initial=0) + 1, 2), dtype=np.uint64)
        mark = np.zeros((len(units), 2), dtype=np.uint64)
        np.add.at(mark, self.part, per_unit[:, None] * lot[key])
        first, kind = alike(mark)
        often: FloatArray = np.bincount(kind, units, len(first)).astype(np.float64)
        kept = self._only(np.isin(self.part, first))
        place = np.zeros(len(units), dtype=np.int64)
        place[first] = np.arange(len(first))
        part = place[kept.part]
        kept = replace(kept, n=kept.n / units[kept.part] * often[part], partition=Units(part, often))
        return kept._only(np.argsort(kept._keys(part), kind="stable"))


def recoded(cells: AnyCells, labels: tuple[Label, ...]) -> AnyCells:
    """Return the table coded by these labels, which are its own in another order, or more."""
    code = np.append(places(cells.labels, labels), NOT_RUN)  # a code of −1 (not run) takes the last entry
    return replace(cells, labels=labels, truth=code[cells.truth], predictions=code[cells.predictions])


def extended(cells: AnyCells, outcomes: IntArray, n: FloatArray, task: Task) -> AnyCells:
    """Return the table with more cells: truth and predictions of each, their numbers, and the task of all cells."""
    truth = np.concatenate([cells.truth, outcomes[:, 0]])
    predictions = np.concatenate([cells.predictions, outcomes[:, 1:]])
    return replace(cells, truth=truth, predictions=predictions, n=np.concatenate([cells.n, n]), task=task)


def _ordered(first: Sequence[NDArray[Any]], other: Sequence[NDArray[Any]]) -> int:
    """Return -1, 0 or 1 as a list of columns comes before another, is equal to it, or comes after it."""
    for x, y in zip(first, other, strict=True):
        both = min(len(x), len(y))
        differ = np.flatnonzero(x[:both] != y[:both])
        if len(differ):
            return -1 if x[differ[0]] < y[differ[0]] else 1
        if len(x) != len(y):
            return -1 if len(x) < len(y) else 1
    return 0
