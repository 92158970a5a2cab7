"""Counts of parts of the data add up to the counts of all of it, whatever the parts and their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from outperform.base.errors import listing
from outperform.base.sentences import Sentence
from outperform.data.cells import NOT_RUN, Cells
from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray, Label, sorted_labels
from outperform.data.relevance import Relevance, joined

__all__ = ["added"]

C = TypeVar("C", bound=Cells)


def added(first: C, other: C) -> C:
    """Items of both; classes that only one of them has seen are classes of both."""
    other = _in_order(first, other)
    first, other = _counted_as(first, other), _counted_as(other, first)
    _check_alike(first, other)
    labels, groups, slices = (
        _union(getattr(first, name), getattr(other, name), what)
        for name, what in (("labels", "labels"), ("groups", "labels"), ("slices", "slices"))
    )
    folds = tuple(sorted({*first.folds, *other.folds}))
    each = []
    for own in (_with_groups(first, groups), _with_groups(other, groups)):
        code = np.append(_places(own.labels, labels), NOT_RUN)  # the last is found at −1
        coded = replace(own, labels=labels, truth=code[own.truth], predictions=code[own.predictions])
        known = own.slices or own.folds
        if known:
            place = _places(known, slices or folds)
            coded = replace(coded, part=place[own.part])
        each.append(coded)
    one, two = each
    units = None
    if one.units is not None and two.units is not None:
        units = np.concatenate([one.units, two.units])
        two = replace(two, part=two.part + len(one.units))
    truth, predictions, n, group, part = (
        np.concatenate([getattr(one, name), getattr(two, name)])
        for name in ("truth", "predictions", "n", "group", "part")
    )
    both = replace(one, truth=truth, predictions=predictions, n=n, group=group, part=part, units=units)
    declared = first.declared and other.declared and first.labels == other.labels
    left_out = first.left_out + other.left_out
    sets = joined(*(_placed_sets(own, groups) for own in (first, other)))
    both = replace(both, folds=folds, slices=slices, declared=declared, left_out=left_out)
    return replace(both, sets=sets, weighed=_weighed(one, two)).merged()


def _in_order(first: C, other: C) -> C:
    """The classifiers of the other in the order of the first."""
    if first.classifiers == other.classifiers:
        return other
    if set(first.classifiers) != set(other.classifiers):
        raise ValueError(
            f"counts of {listing(first.classifiers)} and of {listing(other.classifiers)} do not add up; both must be "
            "of the same classifiers"
        )
    return other.select([other.classifiers.index(name) for name in first.classifiers])


def _counted_as(own: C, other: C) -> C:
    """Counts of nothing, and of no kind yet, are of the other's kind."""
    if len(own.n) or own.how or own.units is not None:
        return own
    labels, declared = (own.labels, own.declared) if own.labels else (other.labels, other.declared)
    units = None if other.units is None else other.units[:0]
    how = replace(own, open=other.open, counted=other.counted, unit=other.unit, units=units)
    return replace(how, labels=labels, declared=declared)


def _check_alike(first: Cells, other: Cells) -> None:
    """Both were counted in the same way."""
    both = len(first.n) and len(other.n)
    for what, one, two in (
        ("by slices", bool(first.slices), bool(other.slices)),
        ("by folds", bool(first.folds), bool(other.folds)),
        ("by labels of which an item has any number", bool(first.groups), bool(other.groups)),
        ("by units that are weighed whole", first.units is not None, other.units is not None),
        ("as chunks", first.open, other.open),
    ):
        if one != two and both:
            raise ValueError(f"one of two counts is {what} and the other is not; count both alike")
    if first.how != other.how:
        raise ValueError(f"chunks were counted in two ways, {first.how} and {other.how}; count all of them alike")
    if both and first.by_item and other.by_item and _labels_of_items(first) != _labels_of_items(other):
        raise ValueError(
            Sentence("items of two counts have different numbers of labels; list all of them with {labels}")
        )


def _labels_of_items(cells: Cells) -> float:
    """How many labels there are, where items are counted: as many as each item has cells."""
    assert cells.units is not None
    return float(cells.n.sum() / cells.units.sum())


def _union(first: Sequence[Label], other: Sequence[Label], what: str) -> tuple[Label, ...]:
    """All labels in order; the order that is given where both have the same, or one has none."""
    if first == other or not first or not other:
        return tuple(first or other)
    union = sorted_labels({*first, *other})
    kinds = {type(label) for label in first}, {type(label) for label in other}
    if kinds[0].isdisjoint(kinds[1]):
        raise ValueError(
            f"the {what} of two counts are of different kinds: {listing(first, 3)} and {listing(other, 3)}; bring both "
            "to one kind before counting"
        )
    return union


def _with_groups(own: C, groups: tuple[Label, ...]) -> C:
    """With labels that it has not seen, which none of its items has and nobody predicted."""
    if own.groups == groups:
        return own
    place = _places(own.groups, groups)
    placed = replace(own, groups=groups, group=place[own.group])
    new = sorted({*range(len(groups))} - {*place.tolist()})
    if own.open or not len(own.n):
        return placed
    if len(own.part):
        raise ValueError(Sentence("the labels of two counts by part differ; list all of them with {labels}"))
    missing = len(new)
    return replace(
        placed,
        truth=np.concatenate([own.truth, np.zeros(missing, dtype=np.int64)]),
        predictions=np.concatenate([own.predictions, np.zeros((missing, len(own.classifiers)), dtype=np.int64)]),
        n=np.concatenate([own.n, np.full(missing, float(own.items))]),
        group=np.concatenate([placed.group, np.array(new, dtype=np.int64)]),
    )


def _placed_sets(own: Cells, groups: tuple[Label, ...]) -> Relevance | None:
    """Which labels come together on items; no items have none that do."""
    if not len(own.n) and groups:
        none = np.zeros(0, dtype=np.int64)
        said = np.zeros((0, len(own.classifiers)), dtype=bool)
        return Relevance(len(groups), 0.0, np.zeros(0), none, none, none == 1, said, np.zeros(0))
    return None if own.sets is None else own.sets.placed(_places(own.groups, groups), len(groups))


def _places(known: Sequence[object], among: Sequence[object]) -> IntArray:
    place = {value: k for k, value in enumerate(among)}
    return np.array([*map(place.__getitem__, known)], dtype=np.int64)


def _weighed(one: Cells, two: Cells) -> FloatArray | None:
    """What is known of weights; items without any have the weight 1."""
    if one.weighed is None and two.weighed is None:
        return None
    each = [np.stack([own.n, own.n]) if own.weighed is None else own.weighed for own in (one, two)]
    return np.concatenate(each, axis=1)
