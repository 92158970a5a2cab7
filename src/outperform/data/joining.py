"""Joining of tables: more items, classifiers that were counted separately, folds.

Counts of parts of the data add up to the counts of the whole, for any split and order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from outperform.base.errors import check_apart, listing
from outperform.base.sentences import invalid
from outperform.data.cells import NOT_RUN, AnyCells, Cells, extended, recoded
from outperform.data.contingency import FloatArray
from outperform.data.diagnosis import spelt_alike
from outperform.data.labels import Label
from outperform.data.partition import Fold, Folds, Partition, places, union
from outperform.data.relevance import Relevance, joined
from outperform.data.task import LabelSets, no_column

__all__ = ["added", "by_fold", "side_by_side"]


def added(first: AnyCells, other: AnyCells) -> AnyCells:
    """Return the items of both tables; the classes are those of either."""
    other = _in_order(first, other)
    first, other = _counted_as(first, other), _counted_as(other, first)
    _check_alike(first, other)
    labels, groups = union(first.labels, other.labels, "labels"), union(first.groups, other.groups, "labels")
    one, two = (recoded(_with_groups(cells, groups), labels) for cells in (first, other))
    both = _stacked([one, two], _partition(one.partition, two.partition), _weighed(one, two))
    if isinstance(both.task, LabelSets):
        together = joined(*(_placed_sets(cells, groups) for cells in (first, other)))
        both = replace(both, task=replace(both.task, together=together))
    declared = first.declared and other.declared and first.labels == other.labels
    return replace(both, declared=declared, left_out=first.left_out + other.left_out).merged()


def side_by_side(tables: Sequence[AnyCells]) -> AnyCells:
    """Return classifiers that were counted separately as one unpaired table."""
    if not tables:
        raise ValueError("there are no counts; give those of at least one classifier")
    tables = [cells if cells.units is None else cells.together() for cells in tables]
    first = tables[0]
    names = [name for cells in tables for name in cells.classifiers]
    if len(set(names)) < len(names):
        raise ValueError(f"two classifiers have the same name: {listing(names)}")
    check_apart(names)
    for cells in tables[1:]:
        _check_same_classes(first, cells)
        _check_same_folds(first, cells)
        _check_counted_alike(first.counted, cells.counted)
        _check_both("by slices", bool(first.slices), bool(cells.slices))
    tables = [_as_items(cells.in_order_of(first)) for cells in tables]
    columns = np.split(np.arange(len(names)), np.cumsum([len(cells.classifiers) for cells in tables])[:-1])
    wide = []
    for cells, column in zip(tables, columns, strict=True):
        predictions = np.full((len(cells.n), len(names)), NOT_RUN)
        predictions[:, column] = cells.predictions
        wide.append(replace(cells, classifiers=tuple(names), predictions=predictions))
    return _stacked(wide, reduce(_partition, [cells.partition for cells in wide])).merged()


def by_fold(tables: Mapping[Fold, AnyCells]) -> AnyCells:
    """Return the counts of the folds of a cross-validation as one table."""
    if not tables:
        raise ValueError("there are no folds; give counts of at least one")
    first = next(iter(tables.values()))
    for (repetition, fold), cells in tables.items():
        where = f"repetition {repetition}, fold {fold} has the"
        if cells.classifiers != first.classifiers:
            raise ValueError(
                f"{where} classifiers {listing(cells.classifiers)} where the first has {listing(first.classifiers)}; "
                "every fold needs all of them"
            )
        if cells.classes != first.classes:
            found = f"{where} classes {listing(cells.classes, 6)} where the first has {listing(first.classes, 6)}"
            raise invalid("{found}; list all of them with {labels}", found=found)
    plain = [_as_items(cells.together()) for cells in tables.values()]
    for cells in plain[1:]:
        _check_counted_alike(plain[0].counted, cells.counted)
    code = np.repeat(np.arange(len(plain)), [len(cells.n) for cells in plain])
    return _stacked(plain, Folds(code, tuple(tables))).merged()


def _in_order(first: AnyCells, other: AnyCells) -> AnyCells:
    """Return the second table with its classifiers in the order of the first."""
    if first.classifiers == other.classifiers:
        return other
    if set(first.classifiers) != set(other.classifiers):
        raise ValueError(
            f"counts of {listing(first.classifiers)} and of {listing(other.classifiers)} do not add up; both must be "
            "of the same classifiers"
        )
    return other.select([other.classifiers.index(name) for name in first.classifiers])


def _counted_as(cells: AnyCells, other: AnyCells) -> AnyCells:
    """Return an empty table of undetermined kind as one of the other's kind."""
    if len(cells.n) or cells.how or cells.units is not None:
        return cells
    nothing = other.empty()
    labels, declared = (cells.labels, cells.declared) if cells.labels else (other.labels, other.declared)
    task = nothing.task.regrouped(cells.groups or other.groups, no_column())
    return replace(cells, labels=labels, declared=declared, task=task, partition=nothing.partition)


def _check_alike(first: Cells, other: Cells) -> None:
    """Check that both tables were counted in the same way."""
    both = len(first.n) and len(other.n)
    for what, one, two in (
        ("by slices", bool(first.slices), bool(other.slices)),
        ("by folds", bool(first.folds), bool(other.folds)),
        ("of label sets", bool(first.groups), bool(other.groups)),
        ("by units that are resampled whole", first.units is not None, other.units is not None),
        ("as chunks", first.no_true_negatives, other.no_true_negatives),
    ):
        if both:
            _check_both(what, one, two)
    _check_counted_alike(first.how, other.how)
    if both and first.by_item and other.by_item and _labels_of_items(first) != _labels_of_items(other):
        raise invalid("items of two counts have different numbers of labels; list all of them with {labels}")


def _check_both(what: str, one: bool, two: bool) -> None:
    if one != two:
        raise ValueError(f"one of two counts is {what} and the other is not; count both alike")


def _labels_of_items(cells: Cells) -> float:
    """Return the number of labels if items are counted, which is the number of cells per item."""
    assert cells.units is not None
    return float(cells.n.sum() / cells.units.sum())


def _stacked(tables: Sequence[AnyCells], partition: Partition | None, weighed: FloatArray | None = None) -> AnyCells:
    """Return the cells of all tables, stacked; the other fields are those of the first."""
    first = tables[0]
    truth, predictions, n, group = (
        np.concatenate([getattr(cells, name) for cells in tables]) for name in ("truth", "predictions", "n", "group")
    )
    task = first.task.regrouped(first.groups, group)
    return replace(first, truth=truth, predictions=predictions, n=n, task=task, partition=partition, weighed=weighed)


def _as_items(cells: AnyCells) -> AnyCells:
    """Return weighted rows as items; the design effect of a joined table is unknown."""
    return replace(cells.worth(), weighed=None, effect=1.0)


def _with_groups(cells: AnyCells, groups: tuple[Label, ...]) -> AnyCells:
    """Return the cells with additional labels, which no item has and no classifier predicted."""
    if cells.groups == groups:
        return cells
    place = places(cells.groups, groups)
    group = place[cells.group]
    if cells.no_true_negatives or not len(cells.n):
        return replace(cells, task=cells.task.regrouped(groups, group))
    if cells.partition is not None:
        raise invalid("the labels of two counts by part differ; list all of them with {labels}")
    new = sorted({*range(len(groups))} - {*place.tolist()})
    task = cells.task.regrouped(groups, np.concatenate([group, np.array(new, dtype=np.int64)]))
    nobody = np.zeros((len(new), 1 + len(cells.classifiers)), dtype=np.int64)
    return extended(cells, nobody, np.full(len(new), float(cells.items)), task)


def _partition(one: Partition | None, two: Partition | None) -> Partition | None:
    """Return the partition of the cells of both."""
    return None if one is None or two is None else one.joined(two)


def _placed_sets(cells: Cells, groups: tuple[Label, ...]) -> Relevance | None:
    """Return which labels occur together on items, coded by `groups`; of an empty table, none do."""
    if not len(cells.n) and groups:
        none = no_column()
        said = np.zeros((0, len(cells.classifiers)), dtype=bool)
        return Relevance(len(groups), 0.0, np.zeros(0), none, none, none == 1, said, np.zeros(0))
    return None if cells.sets is None else cells.sets.placed(places(cells.groups, groups), len(groups))


def _weighed(one: Cells, two: Cells) -> FloatArray | None:
    """Return rows and squared weights of both tables; unweighted items have weight 1."""
    if one.weighed is None and two.weighed is None:
        return None
    sums = [np.stack([cells.n, cells.n]) if cells.weighed is None else cells.weighed for cells in (one, two)]
    return np.concatenate(sums, axis=1)


def _check_same_classes(first: Cells, other: Cells) -> None:
    if set(other.classes) != set(first.classes) or other.no_true_negatives != first.no_true_negatives:
        found = (
            f"the test sets of {first.classifiers[0]!r} and {other.classifiers[0]!r} have different classes "
            f"({listing(first.classes)} against {listing(other.classes)})"
        )
        alike = spelt_alike(other.classes, first.classes)
        raise invalid("{found}; {alike}list all of them with {labels}", found=found, alike=alike)


def _check_counted_alike(one: str, two: str) -> None:
    if one != two:
        raise ValueError(f"chunks were counted in two ways, {one} and {two}; count all of them alike")


def _check_same_folds(first: Cells, other: Cells) -> None:
    for one, two in ((first, other), (other, first)):
        missing = [fold for fold in one.folds if fold not in two.folds]
        if missing or (one.folds and one.folds != two.folds):
            where = listing([f"{r}.{k}" for r, k in missing], 3) if missing else "their order"
            raise ValueError(
                f"{two.classifiers[0]!r} and {one.classifiers[0]!r} differ in their folds ({where}); "
                "both need all of them, in one order"
            )
