"""Counts as items that matter to classes, whatever the task: classes, label sets, types of chunk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from outperform.contingency import Contingency
from outperform.counts import Counts
from outperform.models.derived import SideBySide
from outperform.posterior import Posterior
from outperform.relevance import Relevance

__all__ = ["ItemBootstrap", "item_bootstrap", "relevance"]


def relevance(counts: Counts) -> Relevance:
    """Kinds of item and the classes that each matters to.

    Items with several labels are kinds of their own where counts know them; else each label is as if it had items of
    its own. What is weighed whole, such as a sentence with its chunks, is one item.
    """
    if counts.sets is not None:
        return counts.sets
    if counts.groups:
        return _of_groups(counts)
    return _of_classes(counts)


def _of_classes(counts: Counts) -> Relevance:
    """One true class and one predicted class for each item: a cell is a kind."""
    kinds, systems = len(counts.n), len(counts.classifiers)
    every = np.arange(kinds)
    rows = np.column_stack([np.tile(every, systems + 1), np.concatenate([counts.truth, *counts.predictions.T])])
    rows = np.unique(rows, axis=0)
    kind, class_ = rows.T
    true = class_ == counts.truth[kind]
    said = class_[:, None] == counts.predictions[kind]
    items, ones = float(counts.n.sum()), np.ones(len(kind))
    return Relevance(len(counts.labels), items, counts.n, kind, class_, true, said, ones)


def _of_groups(counts: Counts) -> Relevance:
    """A table for each label, or type of chunk; by unit where there are units."""
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
    """What the items of many classes say without a prior; of each system by itself where they are not paired."""
    if counts.paired:
        return ItemBootstrap(relevance(counts))
    each = (counts.select([k]) for k in range(len(counts.classifiers)))
    return SideBySide(tuple(ItemBootstrap(relevance(own)) for own in each))


@dataclass(frozen=True, eq=False)
class ItemBootstrap(Posterior):
    """The items alone, without a prior: each has an exponential weight, the same for all classes (Rubin 1981)."""

    items: Relevance

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return len(self.items.number) + 3 * self.items.classes * self.items.systems

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws, of shape (draws, systems, classes)."""
        weights = self.items.weigh(rng, draws)
        return self.items.contingency(weights, weights.sum(axis=0) + self.items.rest(rng, draws))
