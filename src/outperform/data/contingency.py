"""Contingency per class (hits, support, predictions): all that a measure needs.

Binary, multi-class and multi-label results all reduce to these three numbers per class, so one
definition of a measure serves the observed table and every posterior draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

__all__ = ["Contingency", "FloatArray", "added_up", "adding", "at_once", "combine", "picked", "summed"]

FloatArray: TypeAlias = NDArray[np.float64]

# Differences of draws below this share are rounding errors of an exact 0.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Contingency:
    """Hits, support and predictions over any leading axes; with many classes, the last axis is the class.

    `hit`, `support`, `predicted` and `total` share one arbitrary unit: items for an observed
    table (which keeps zeros exact), anything convenient for a draw. It cancels in ratios.
    `tp`, `fp`, `fn` and `tn` are shares of all items, for measures that add them.

    Attributes
    ----------
    hit : array
        Items of the class that were predicted to be of the class.
    support : array
        Items of the class.
    predicted : array
        Items predicted to be of the class.
    total : array
        All items.
    zero_division : float
        The value of 0/0, as in scikit-learn.
    """

    hit: FloatArray
    support: FloatArray
    predicted: FloatArray
    total: FloatArray
    zero_division: float = 0.0

    @property
    def tp(self) -> FloatArray:
        """True positives, as a share of all items."""
        return self.hit / self.total

    @property
    def fp(self) -> FloatArray:
        """False positives, as a share of all items."""
        return self._share(self.predicted - self.hit)

    @property
    def fn(self) -> FloatArray:
        """False negatives, as a share of all items."""
        return self._share(self.support - self.hit)

    @property
    def tn(self) -> FloatArray:
        """True negatives, as a share of all items."""
        return self._share(self.total - self.support - self.predicted + self.hit)

    def both(self) -> Contingency:
        """Return both classes of a binary table, the negative first."""
        rest = (self.total - self.support - self.predicted + self.hit, self.total - self.support)
        negative = (np.maximum(rest[0], 0.0), rest[1], self.total - self.predicted)
        positive = (self.hit, self.support, self.predicted)
        hit, support, predicted = (np.stack(pair, axis=-1) for pair in zip(negative, positive, strict=True))
        return Contingency(hit, support, predicted, self.total[..., None], self.zero_division)

    def pooled(self) -> Contingency:
        """Return the sum over classes, each against the rest: the table of micro-averages."""
        total = np.broadcast_to(self.total, self.hit.shape)
        hit, support, predicted, total = (x.sum(axis=-1) for x in (self.hit, self.support, self.predicted, total))
        return Contingency(hit, support, predicted, total, self.zero_division)

    def _share(self, difference: FloatArray) -> FloatArray:
        """Return a difference as a share of all items; rounding errors become 0."""
        share = difference / self.total
        return np.where(share < ROUNDING, 0.0, share)

    def ratio(self, numerator: Any, denominator: Any, *, undefined: float | None = None) -> FloatArray:
        """Divide; a division by 0 gives `undefined`, or `zero_division` if that is None."""
        if np.all(denominator):
            quotient: FloatArray = np.divide(numerator, denominator)
            return quotient
        with np.errstate(divide="ignore", invalid="ignore"):
            instead = self.zero_division if undefined is None else undefined
            return np.where(np.equal(denominator, 0.0), instead, np.divide(numerator, denominator))


def combine(function: Callable[..., FloatArray], *tables: Contingency) -> Contingency:
    """Apply a function to the hits, the supports, the predictions and the totals of several tables."""
    return Contingency(
        hit=function(*(c.hit for c in tables)),
        support=function(*(c.support for c in tables)),
        predicted=function(*(c.predicted for c in tables)),
        total=function(*(c.total for c in tables)),
    )


def added_up(codes: NDArray[Any], n: FloatArray, size: int) -> FloatArray:
    """Return sums of n by code, of shape (size,), or (…, size) for several rows."""
    if n.ndim == 1:
        return np.bincount(codes, n, size).astype(np.float64)
    return np.stack([added_up(codes, row, size) for row in n])


def adding(codes: Any, size: int, chosen: Any = True) -> Any:
    """Return the sparse matrix that sums rows by code, restricted to those that are chosen."""
    from scipy.sparse import csr_array

    ones = np.broadcast_to(np.asarray(chosen, dtype=np.float64), codes.shape)
    matrix = csr_array((ones, (codes, np.arange(len(codes)))), shape=(size, len(codes)))
    matrix.eliminate_zeros()  # which take as long as ones
    return matrix


@singledispatch
def summed(rows: Any, matrix: Any) -> Any:
    """Return the product of a sparse matrix with rows, where the rows are: in memory or on a device."""
    return matrix @ rows


@singledispatch
def picked(places: Any, table: Any) -> Any:
    """Return columns of a table, or elements of a row, where the places are: in memory or on a device."""
    return table[..., places]


def at_once(rng: object) -> bool:
    """Return whether numbers are drawn on a device, where one call for all cells is much faster than one per cell."""
    return not isinstance(rng, Generator)
