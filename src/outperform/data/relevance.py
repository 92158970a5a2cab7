"""Which classes an item matters to: those that it is of, and those that a system takes it for.

An item of class 3 that one system takes for class 7 is a miss of class 3 and a false alarm of class 7; to all other
classes it does not matter. An item with several labels matters to several classes in any case. So classes share items,
and whoever weighs items must weigh each of them once, for all of its classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from outperform.data.contingency import Contingency, FloatArray, adding
from outperform.data.labels import IntArray

__all__ = ["Relevance", "joined", "unbiased"]

LEAST_SHAPE = 0.02  # of a unit's gamma where a stratum has two: small, and large enough not to underflow


@dataclass(frozen=True, eq=False)
class Relevance:
    """Kinds of item, and a row for each class that a kind matters to.

    Attributes
    ----------
    classes : int
        M.
    items : float
        All items, those that matter to no class included.
    number : array of shape (kinds,)
        Items of each kind.
    kind, class_ : arrays of shape (rows,)
        Which kind matters to which class.
    true : array of bool, shape (rows,)
        Whether the class is a true one.
    said : array of bool, shape (rows, systems)
        Which systems predict the class.
    times : array of shape (rows,)
        How often one item of the kind holds the row: a sentence may have two entities of a type.
    stratum : array of shape (kinds,), or None
        The stratum of each kind, whose share of the items is known.
    held : array of shape (kinds,), or None
        Items that one of each kind holds, where kinds are clusters.
    """

    classes: int
    items: float
    number: FloatArray
    kind: IntArray
    class_: IntArray
    true: NDArray[np.bool_]
    said: NDArray[np.bool_]
    times: FloatArray
    stratum: IntArray | None = None
    held: FloatArray | None = None

    @classmethod
    def of_sets(cls, bits: Sequence[Any]) -> Relevance:
        """Of sparse indicator matrices, items × labels: the truth, then each system."""
        items, labels = bits[0].shape
        codes = sum(np.int64(2**k) * table.astype(np.int64) for k, table in enumerate(bits)).tocoo()
        row, column = codes.row.astype(np.int64), codes.col.astype(np.int64)
        flags = (codes.data[:, None] >> np.arange(len(bits))) & 1 == 1
        rows = (row, column, flags[:, 0], flags[:, 1:], np.ones(len(row)))
        return cls(labels, float(items), np.ones(items), *rows).merged()

    @property
    def systems(self) -> int:
        """How many there are."""
        return int(self.said.shape[1])

    def placed(self, place: IntArray, classes: int) -> Relevance:
        """The same with other numbers for the classes."""
        return replace(self, classes=classes, class_=place[self.class_]).merged()

    def select(self, order: Sequence[int]) -> Relevance:
        """Only these systems, in this order."""
        said = self.said[:, list(order)]
        kept = self.true | said.any(axis=1)
        rows = {name: getattr(self, name)[kept] for name in ("kind", "class_", "true", "times")}
        return replace(self, said=said[kept], **rows).merged()

    def merged(self) -> Relevance:
        """Equal kinds as one, and kinds that matter to no class left out; told apart by two random sums of 64 bits.

        Kinds in strata stay as they are, because each belongs to the share of its stratum.
        """
        if self.stratum is not None:
            return self
        columns = np.column_stack([self.class_, self.true, self.said, self.times.round(6) * 1e6]).astype(np.int64)
        _, code = np.unique(columns, axis=0, return_inverse=True)
        lot = default_rng(0).integers(2**64, size=(int(code.max(initial=0)) + 1, 2), dtype=np.uint64)
        mark = np.zeros((len(self.number), 2), dtype=np.uint64)
        np.add.at(mark, self.kind, lot[code.ravel()])
        held = np.zeros(len(self.number), dtype=bool)
        held[self.kind] = True
        _, first, same = np.unique(mark[held], axis=0, return_index=True, return_inverse=True)
        number = np.bincount(same.ravel(), self.number[held], len(first)).astype(np.float64)
        place = np.full(len(self.number), -1)
        place[np.flatnonzero(held)[first]] = np.arange(len(first))
        kept = place[self.kind] >= 0
        kind, held_each = place[self.kind[kept]], None if self.held is None else self.held[held][first]
        order = np.lexsort((self.class_[kept], kind))
        rows = {name: getattr(self, name)[kept][order] for name in ("class_", "true", "said", "times")}
        return replace(self, number=number, kind=kind[order], held=held_each, **rows)

    def summing(self, codes: IntArray, size: int) -> Any:
        """The matrix that adds up kinds by a code of their rows and by class, of shape (size × classes, kinds)."""
        from scipy.sparse import csr_array

        shape = (size * self.classes, len(self.number))
        return csr_array((self.times, (codes * self.classes + self.class_, self.kind)), shape=shape)

    def weigh(self, rng: Generator, draws: int) -> FloatArray:
        """Random weights of the kinds, of shape (kinds, draws): the sum of an exponential weight for each item.

        In strata they are spread as `unbiased` says, and scaled so that each stratum has the weight of its items.
        """
        size = (len(self.number), draws)
        if self.stratum is None:
            exponential = (self.number == 1).all()
            return rng.standard_exponential(size) if exponential else rng.standard_gamma(self.number[:, None], size)
        weights = rng.standard_gamma(unbiased(self.number, self.stratum)[:, None], size)
        held = np.ones(len(self.number)) if self.held is None else self.held
        by_stratum = adding(self.stratum, int(self.stratum.max()) + 1)
        share: FloatArray = (by_stratum @ (held * self.number))[:, None] / (by_stratum @ (held[:, None] * weights))
        return weights * share[self.stratum]

    def rest(self, rng: Generator, draws: int) -> FloatArray:
        """The weight of all items that matter to no class."""
        held = self.number if self.held is None else self.number * self.held
        left = self.items - float(held.sum())
        return rng.standard_gamma(left, draws) if left > 0 else np.zeros(draws)

    def contingency(self, weights: FloatArray, total: FloatArray) -> Contingency:
        """What kinds of these weights, of shape (kinds, draws), amount to: (draws, systems, classes)."""
        tables = np.stack([(part @ weights).T for part in self._parts], axis=1)
        hit, predicted = tables[:, : self.systems], tables[:, self.systems : -1]
        return Contingency(hit, tables[:, -1:], hit + predicted, total[:, None, None])

    @cached_property
    def _parts(self) -> list[Any]:
        """Matrices of hits and of false alarms of each system, and of what is true."""
        kinds = len(self.number)

        def part(chosen: NDArray[np.bool_]) -> Any:
            rows = adding(self.class_[chosen], self.classes) * self.times[chosen]
            return rows @ adding(self.kind[chosen], kinds).T

        systems = self.said.T
        return [
            *(part(predicted & self.true) for predicted in systems),
            *(part(predicted & ~self.true) for predicted in systems),
            part(self.true),
        ]


def joined(first: Relevance | None, other: Relevance | None) -> Relevance | None:
    """Items of both, which are of the same classes; None where one is not known."""
    if first is None or other is None:
        return None
    kind = np.concatenate([first.kind, other.kind + len(first.number)])
    class_, true, said, times, number = (
        np.concatenate([getattr(first, name), getattr(other, name)])
        for name in ("class_", "true", "said", "times", "number")
    )
    rows = (kind, class_, true, said, times)
    return Relevance(first.classes, first.items + other.items, number, *rows).merged()


def unbiased(number: FloatArray, stratum: IntArray) -> FloatArray:
    """Shapes of gammas of units in strata under which the variance of a stratum's mean is s²/n, s² unbiased.

    Dir(α, …, α) of n units gives a mean the variance Σ(x − x̄)²/(n (nα + 1)), so α = 1 − 2/n; of two units about one at
    random.
    """
    units = np.bincount(stratum, number)
    shapes: FloatArray = number * np.maximum(1 - 2 / np.maximum(units, 1), LEAST_SHAPE)[stratum]
    return shapes
