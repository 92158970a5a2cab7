"""The population of a study: kinds of item, and the probability of each, in one world or in many.

A kind is a cell of the counts, or a unit that is resampled whole. A supposed truth is one world. Results of a pilot are
many: their posterior, of which every study gets a draw of its own, so that what the pilot leaves open is left open.

- Two classes: the posterior of the model itself, of the pair where both were run on the same items.
- More classes, labels, whole units: items are like those of the pilot, with weights Dir(n) (Rubin 1981). What the pilot
  did not see does not come up.

Kinds that exclude each other make up a block, of which every item has one: all cells, or those of each label, or those
of each classifier's own test set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from outperform.data.cells import NOT_RUN
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.data.labels import IntArray
from outperform.models import Model
from outperform.models.batch import Batch

__all__ = ["Population"]

Worlds: TypeAlias = Callable[[Generator, int], FloatArray]


@dataclass(frozen=True, eq=False)
class Population:
    """Kinds of item, and worlds that say how likely they are.

    Attributes
    ----------
    cells : Counts
        A pilot's, or shares of a supposed truth.
    pilot : array of shape (kinds,)
        How many of each kind are there already.
    worlds : callable
        Draws shares of the kinds, of shape (worlds, kinds), in any unit.
    single : bool
        Whether there is one world only.
    """

    cells: Counts
    pilot: FloatArray
    worlds: Worlds
    single: bool = False

    @classmethod
    def supposed(cls, shares: Counts) -> Population:
        """One world, and no items yet."""
        return cls(shares, np.zeros(len(shares.n)), partial(_always, shares.n), single=True)

    @classmethod
    def after(cls, counts: Counts, model: Model) -> Population:
        """The worlds that a pilot leaves possible, and its items."""
        cells, _, worlds = _posterior(counts, model)
        return cls(cells, cells.number, worlds)

    @classmethod
    def like(cls, counts: Counts, model: Model, *, mean: bool) -> Population:
        """The worlds that a pilot leaves possible, or the mean of them; and no items yet."""
        cells, middle, worlds = _posterior(counts, model)
        return cls(cells, np.zeros(len(cells.number)), partial(_always, middle) if mean else worlds, single=mean)

    def grow(self, rng: Generator, shares: FloatArray, sizes: Sequence[int]) -> FloatArray:
        """New items of studies that grow to these sizes, of shape (sizes, studies, kinds): as many rows as shares."""
        block = self._blocks()
        per_item = np.bincount(block, self.cells.number) / self.cells.items
        ends = np.rint(np.outer(sizes, np.cumsum(per_item)))  # rounded so that the blocks add up to the sizes
        totals = np.maximum.accumulate(np.diff(ends, axis=1, prepend=0), axis=0)
        steps = np.diff(totals, axis=0, prepend=0).astype(np.int64)
        drawn = np.zeros((len(sizes), *shares.shape))
        for b, sizes_of_steps in enumerate(steps.T):
            kinds = np.flatnonzero(block == b)
            p = shares[:, kinds] / shares[:, kinds].sum(axis=1, keepdims=True)
            for step, more in enumerate(sizes_of_steps):
                drawn[step][:, kinds] = rng.multinomial(more, p)
        return np.cumsum(drawn, axis=0)

    def _blocks(self) -> IntArray:
        """The block of each kind."""
        c = self.cells
        if c.units is not None:
            return np.zeros(len(c.units), dtype=np.int64)
        group = (
            c.group if c.groups and not c.no_true_negatives else np.zeros(len(c.n), dtype=np.int64)
        )  # a chunk has one type
        key = np.column_stack([group, c.predictions != NOT_RUN])
        return np.unique(key, axis=0, return_inverse=True)[1].ravel()


def _always(shares: FloatArray, _: Generator, draws: int) -> FloatArray:
    """Repeat the same world."""
    return np.tile(shares, (draws, 1))


def _reweighted(number: FloatArray, rng: Generator, draws: int) -> FloatArray:
    """Draw weights of the pilot's items (Rubin 1981)."""
    return rng.standard_gamma(number, (draws, len(number)))


def _posterior(counts: Counts, model: Model) -> tuple[Counts, FloatArray, Worlds]:
    """Cells, the mean of their shares, and draws of them."""
    model.posterior(counts)  # which says what is wrong where there is none
    cells, prior = counts.listed(), model.prior
    batch = None if counts.units is not None else Batch.under(prior, cells, paired=model.pairs)
    if batch is None:
        return counts, counts.number, partial(_reweighted, counts.number)
    return cells, batch.shares(batch.weights(cells.n[None]))[0], partial(batch.worlds, cells.n)
