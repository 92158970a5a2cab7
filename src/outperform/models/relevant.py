"""Conversion of counts of any task to items that are relevant to classes: classes, label sets, types of chunk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.data.items import Items
from outperform.data.labels import IntArray
from outperform.data.relevance import Relevance, rows_of_sets
from outperform.measures.of_counts import Measure, MeasureFunction
from outperform.models.derived import SideBySide
from outperform.models.posterior import Posterior
from outperform.models.weighed import Weighed, by_sums

__all__ = ["ItemBootstrap", "item_bootstrap", "relevance", "relevance_of_items"]

Flags: TypeAlias = NDArray[np.bool_]


def relevance(counts: Counts) -> Relevance:
    """Return kinds of item and the classes that each is relevant to.

    Items with several labels are kinds if the counts know them; otherwise each label is treated as if it had separate
    items. A unit that is resampled whole, such as a sentence with its chunks, is one item.
    """
    if counts.sets is not None:
        return counts.sets
    if counts.groups:
        return _of_groups(counts)
    return _of_classes(counts)


def _of_classes(counts: Counts) -> Relevance:
    """Return the relevance of items with one true and one predicted class: a cell is a kind."""
    kind, class_, true, said = _rows(counts.truth, counts.predictions)
    items, ones = float(counts.n.sum()), np.ones(len(kind))
    return Relevance(len(counts.labels), items, counts.n, kind, class_, true, said, ones)


def relevance_of_items(items: Items) -> Relevance:
    """Return the relevance of items with labels, by cluster if there are clusters, and in their strata."""
    if items.sets is None:
        row, class_, true, said = _rows(items.truth, np.stack(items.outputs, axis=1).astype(np.int64))
    else:
        row, class_, true, said = rows_of_sets([items.sets[codes] for codes in (items.truth, *items.outputs)])
    rest = (class_, true, said)
    stratum = items.stratum if len(items.stratum) else None
    total, classes = float(items.n.sum()), len(items.labels)
    if not len(items.cluster):
        return Relevance(classes, total, items.n, row, *rest, np.ones(len(row)), stratum)
    clusters, first, cluster = np.unique(items.cluster, return_index=True, return_inverse=True)
    cluster = cluster.ravel().astype(np.int64)
    held = np.bincount(cluster, items.n, len(clusters)).astype(np.float64)
    stratum_of_unit = None if stratum is None else stratum[first]
    return Relevance(classes, total, np.ones(len(clusters)), cluster[row], *rest, items.n[row], stratum_of_unit, held)


def _rows(truth: IntArray, predictions: IntArray) -> tuple[IntArray, IntArray, Flags, Flags]:
    """Return the rows of kinds with one class: kind, class, whether it is true, and which systems predict it."""
    every = np.tile(np.arange(len(truth)), predictions.shape[1] + 1)
    code = np.concatenate([truth, *predictions.T]).astype(np.int64)
    low = int(code.min(initial=0))
    size = int(code.max(initial=0)) - low + 1
    # One number per row, which sorts as the pair does and many times as fast.
    number = np.sort(every * size + code - low)
    kind, class_ = np.divmod(number[np.diff(number, prepend=-1) > 0], size)
    class_ += low
    return kind, class_, class_ == truth[kind], class_[:, None] == predictions[kind]


def _of_groups(counts: Counts) -> Relevance:
    """Return the relevance of a table per label, or type of chunk; by unit if there are units."""
    true, said = counts.truth == 1, counts.predictions == 1
    kept = true | said.any(axis=1)
    rows = (counts.group[kept].astype(np.int64), true[kept], said[kept])
    items = float(counts.items)
    if counts.units is None:
        number = counts.n[kept]
        return Relevance(len(counts.groups), items, number, np.arange(len(number)), *rows, np.ones(len(number)))
    times = counts.n[kept] / counts.units[counts.part[kept]]
    return Relevance(len(counts.groups), items, counts.units, counts.part[kept], *rows, times)


def item_bootstrap(counts: Counts) -> Posterior:
    """Return the item bootstrap of many classes, without a prior; per system if they are not paired."""
    if counts.paired:
        return ItemBootstrap(relevance(counts))
    tables = (counts.select([k]) for k in range(len(counts.classifiers)))
    return SideBySide(tuple(ItemBootstrap(relevance(table)) for table in tables))


@dataclass(frozen=True, eq=False)
class ItemBootstrap(Weighed):
    """The items without a prior: each has an exponential weight, the same for all classes (Rubin 1981).

    Attributes
    ----------
    items : Relevance
        Kinds of item.
    tables : int
        Number of classes whose tables were added up, for micro averages; 1 otherwise.
    """

    items: Relevance
    tables: int = 1

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return len(self.items.number) + 3 * self.items.classes * self.items.systems

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw contingencies of shape (draws, systems, classes)."""
        weights = self.items.weigh(rng, draws)
        return self._table(weights, self.items.rest(rng, draws))

    def reduced(self, average: str, measure: Measure) -> ItemBootstrap:  # noqa: ARG002
        """Return the items without their classes for micro averages: those with equal sums are of one kind."""
        if average != "micro":
            return self
        classes = self.items.classes
        return ItemBootstrap(self.items.placed(np.zeros(classes, dtype=np.int64), 1), classes)

    @property
    def kinds(self) -> FloatArray:
        """Number of items of each kind."""
        return self.items.number

    @property
    def whole(self) -> ItemBootstrap:
        """The same with the items that are relevant to no class, as a kind."""
        rest = self.items.items - float(self.kinds.sum())
        return replace(self, items=replace(self.items, number=np.append(self.kinds, rest))) if rest > 0 else self

    def influence(self, measure: MeasureFunction) -> FloatArray | None:
        """Return derivatives by the sums over items, for few classes."""
        held = self.items.each(self.tables) if self.items.classes == 1 else None
        return None if held is None else by_sums(measure, held, self.kinds)

    def weighed(self, weights: FloatArray) -> Contingency:
        """Return the contingency under weights of the kinds, of shape (kinds, draws)."""
        return self._table(weights, self.items.items - float(self.kinds.sum()))

    def _table(self, weights: FloatArray, rest: FloatArray | float) -> Contingency:
        return self.items.contingency(weights, self.tables * (weights.sum(axis=0) + rest))
