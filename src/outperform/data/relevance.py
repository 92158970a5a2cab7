"""The classes to which an item is relevant: its true classes, and those that a system predicts for it.

An item of class 3 for which one system predicts class 7 is a miss of class 3 and a false alarm of class 7; for all
other classes it is a true negative. An item with several labels is relevant to several classes. So classes share items,
and a bootstrap of items must weight each item once, for all of its classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from outperform.data.contingency import Contingency, FloatArray, adding, at_once, summed
from outperform.data.keys import alike
from outperform.data.labels import IntArray

__all__ = ["Relevance", "gammas_of_counts", "joined", "rows_of_sets", "unbiased"]

LEAST_SHAPE = 0.02  # shape of the gamma of one of two units in a stratum: small, but large enough not to underflow
MOST_CODES = 2**62  # codes of rows that fit into 64 bits


@dataclass(frozen=True, eq=False)
class Relevance:
    """Kinds of item, and a row for each class to which a kind is relevant.

    Attributes
    ----------
    classes : int
        Number of classes.
    items : float
        All items, including those that are relevant to no class.
    number : array of shape (kinds,)
        Items of each kind.
    kind, class_ : arrays of shape (rows,)
        The kind and the class of each row.
    true : array of bool, shape (rows,)
        Whether the class is a true one.
    said : array of bool, shape (rows, systems)
        Which systems predict the class.
    times : array of shape (rows,)
        How often one item of the kind has the row: a sentence may have two entities of a type.
    stratum : array of shape (kinds,), or None
        The stratum of each kind; the shares of strata are known.
    held : array of shape (kinds,), or None
        Number of items in a unit of each kind, if kinds are clusters.
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
        """Build it from sparse indicator matrices, items × labels: the truth, then each system."""
        items, labels = bits[0].shape
        rows = rows_of_sets(bits)
        return cls(labels, float(items), np.ones(items), *rows, np.ones(len(rows[0]))).merged()

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.said.shape[1])

    @property
    def one_each(self) -> bool:
        """Whether every item has exactly one label, and every system says exactly one."""
        kinds = len(self.number)
        labels = [np.bincount(self.kind, self.times * column, kinds) for column in (self.true, *self.said.T)]
        return float(self.number.sum()) == self.items and all((held == 1).all() for held in labels)

    def placed(self, place: IntArray, classes: int) -> Relevance:
        """Return the same items with classes renumbered."""
        return replace(self, classes=classes, class_=place[self.class_]).merged()

    def select(self, order: Sequence[int]) -> Relevance:
        """Return these systems, in this order."""
        if list(order) == list(range(self.systems)):
            return self
        said = self.said[:, list(order)]
        kept = self.true | said.any(axis=1)
        rows = {name: getattr(self, name)[kept] for name in ("kind", "class_", "true", "times")}
        return replace(self, said=said[kept], **rows).merged()

    def merged(self) -> Relevance:
        """Return equal kinds merged, compared by two random 64-bit sums, without kinds that are relevant to no class.

        Kinds in strata stay as they are, because each belongs to its stratum.
        """
        if self.stratum is not None:
            return self
        columns = [self.class_, self.true, *self.said.T, self.times.round(6) * 1e6]
        code = _ranked(columns)
        # A hash of each kind: wrap-around sums of two random 64-bit numbers per row.
        lot = default_rng(0).integers(2**64, size=(int(code.max(initial=0)) + 1, 2), dtype=np.uint64)
        mark = np.zeros((len(self.number), 2), dtype=np.uint64)
        np.add.at(mark, self.kind, lot[code])
        # Kinds with at least one row; the others are relevant to no class.
        held = np.zeros(len(self.number), dtype=bool)
        held[self.kind] = True
        first, same = alike(mark[held])
        number = np.bincount(same, self.number[held], len(first)).astype(np.float64)
        place = np.full(len(self.number), -1)
        place[np.flatnonzero(held)[first]] = np.arange(len(first))
        kept = place[self.kind] >= 0
        kind, held_each = place[self.kind[kept]], None if self.held is None else self.held[held][first]
        order = np.lexsort((self.class_[kept], kind))
        rows = {name: getattr(self, name)[kept][order] for name in ("class_", "true", "said", "times")}
        return replace(self, number=number, kind=kind[order], held=held_each, **rows)

    def summing(self, codes: IntArray, size: int) -> Any:
        """Return the sparse matrix that sums kinds by code and class, of shape (size × classes, kinds)."""
        from scipy.sparse import csr_array

        shape = (size * self.classes, len(self.number))
        # Row c * classes + k sums the kinds of code c for class k.
        return csr_array((self.times, (codes * self.classes + self.class_, self.kind)), shape=shape)

    def weigh(self, rng: Generator, draws: int) -> FloatArray:
        """Draw weights of the kinds, of shape (kinds, draws): the sum of one exponential weight per item.

        In strata they have the shapes of `unbiased`, and each stratum is scaled to its number of items.
        """
        if self.stratum is None:
            return gammas_of_counts(self.number, rng, draws)
        weights = rng.standard_gamma(unbiased(self.number, self.stratum)[:, None], (len(self.number), draws))
        held = np.ones(len(self.number)) if self.held is None else self.held
        by_stratum = adding(self.stratum, int(self.stratum.max()) + 1)
        drawn = summed(held[:, None] * weights, by_stratum)
        share: FloatArray = (by_stratum @ (held * self.number))[:, None] / drawn
        return weights * share[self.stratum]

    def rest(self, rng: Generator, draws: int) -> FloatArray:
        """Draw the total weight of the items that are relevant to no class."""
        held = self.number if self.held is None else self.number * self.held
        left = self.items - float(held.sum())
        return rng.standard_gamma(left, draws) if left > 0 else np.zeros(draws)

    def contingency(self, weights: FloatArray, total: FloatArray) -> Contingency:
        """Return the contingency under weights of shape (kinds, draws): (draws, systems, classes)."""
        return self._table([summed(weights, part).T for part in self._parts], total)

    def each(self, total: float = 1.0) -> Contingency:
        """Return the contingency of one item of each kind: (kinds, systems, classes)."""
        return self._table([part.T.toarray() for part in self._parts], np.full(len(self.number), total))

    def _table(self, parts: Sequence[FloatArray], total: FloatArray) -> Contingency:
        tables = np.stack(parts, axis=1)
        hit, predicted = tables[:, : self.systems], tables[:, self.systems : -1]
        return Contingency(hit, tables[:, -1:], hit + predicted, total[:, None, None])

    @cached_property
    def _parts(self) -> list[Any]:
        """Sparse matrices from kinds to classes: hits of each system, false alarms of each system, support."""
        from scipy.sparse import csr_array

        shape = (self.classes, len(self.number))

        def part(chosen: NDArray[np.bool_]) -> Any:
            return csr_array((self.times[chosen], (self.class_[chosen], self.kind[chosen])), shape=shape)

        systems = self.said.T
        return [
            *(part(predicted & self.true) for predicted in systems),
            *(part(predicted & ~self.true) for predicted in systems),
            part(self.true),
        ]


def rows_of_sets(bits: Sequence[Any]) -> tuple[IntArray, IntArray, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return a row for each class to which an item is relevant: item, class, whether it is true, which predict it."""
    # Bit k of a code says whether table k has the label; the truth is bit 0.
    codes: Any = sum(np.int64(2**k) * table.astype(np.int64) for k, table in enumerate(bits)).tocoo()
    flags = (codes.data[:, None] >> np.arange(len(bits))) & 1 == 1
    return codes.row.astype(np.int64), codes.col.astype(np.int64), flags[:, 0], flags[:, 1:]


def joined(first: Relevance | None, other: Relevance | None) -> Relevance | None:
    """Return the items of both, which have the same classes; None if one is unknown."""
    if first is None or other is None:
        return None
    kind = np.concatenate([first.kind, other.kind + len(first.number)])
    class_, true, said, times, number = (
        np.concatenate([getattr(first, name), getattr(other, name)])
        for name in ("class_", "true", "said", "times", "number")
    )
    rows = (kind, class_, true, said, times)
    return Relevance(first.classes, first.items + other.items, number, *rows).merged()


def _ranked(columns: Sequence[Any]) -> IntArray:
    """Return the rank of each row of whole numbers among the distinct ones, sorted column by column."""
    code, most = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        number = np.asarray(column).astype(np.int64)
        size = int(number.max(initial=0)) + 1
        if most * size > MOST_CODES:
            code = np.unique(code, return_inverse=True)[1]
            most = int(code.max(initial=0)) + 1
        code, most = code * size + number, most * size
    return np.unique(code, return_inverse=True)[1]


def gammas_of_counts(n: FloatArray, rng: Generator, draws: int) -> FloatArray:
    """Draw gammas of shape (rows, draws) for rows of n items; fast for leading rows of one item.

    All rows in one call: threads that call for each row would wait for each other.
    """
    if at_once(rng):
        return rng.standard_gamma(n[:, None], (len(n), draws))
    first = int(np.argmax(n != 1)) if (n != 1).any() else len(n)
    drawn = np.empty((len(n), draws))
    rng.standard_exponential(out=drawn[:first])
    rng.standard_gamma(n[first:, None], out=drawn[first:])
    return drawn


def unbiased(number: FloatArray, stratum: IntArray) -> FloatArray:
    """Return gamma shapes of units in strata for which the variance of a stratum's mean is s²/n, s² unbiased.

    Under Dir(α, …, α), the mean of n units has variance Σ(x − x̄)²/(n (nα + 1)), so α = 1 − 2/n; with two units this is
    close to choosing one at random.
    """
    units = np.bincount(stratum, number)
    shapes: FloatArray = number * np.maximum(1 - 2 / np.maximum(units, 1), LEAST_SHAPE)[stratum]
    return shapes
