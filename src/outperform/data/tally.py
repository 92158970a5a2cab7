"""Tallies: how often each combination of values occurs in some columns, the result of any engine's group-by.

Values are coded as whole numbers, a row as one number, and `bincount` counts them. If there are too many
possible combinations for a dense array, those that occur are sorted instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray, added_up
from outperform.data.keys import row_keys
from outperform.data.labels import IntArray, Label

__all__ = ["CodedColumn", "Tally", "Tallying", "moments"]

BLOCK = 2**18  # rows per block, which stay in the cache
DENSE = 2**22  # most combinations for a dense array of counts
SPAN = 2**20  # largest range of whole numbers that serve as their own codes
WAITING = 2**20  # combinations that are buffered before they are merged


@dataclass(frozen=True)
class CodedColumn:
    """A column of values as codes, positions in a list of distinct values; None is a missing value."""

    values: Sequence[Any] | NDArray[Any]
    codes: NDArray[Any]
    first: int = 0  # the code of the first value

    @classmethod
    def of(cls, column: NDArray[Any]) -> CodedColumn:
        """Code an array; whole numbers in a small range are their own codes."""
        if column.dtype.kind == "b":
            return cls((False, True), column.view(np.uint8))
        if column.dtype.kind in "iu" and len(column):
            low, high = int(column.min()), int(column.max())
            if high - low < SPAN:
                return cls(range(low, high + 1), column, low)
        if column.dtype.kind in "OU":
            return cls.of_objects(column.tolist())
        values, codes = np.unique(column, return_inverse=True)
        return cls(values.tolist(), codes)

    @classmethod
    def of_objects(cls, column: Sequence[Any]) -> CodedColumn:
        """Code values of any kind."""
        place = {value: code for code, value in enumerate(dict.fromkeys(column))}
        return cls(tuple(place), np.fromiter(map(place.__getitem__, column), np.int64, len(column)))


@dataclass(frozen=True)
class Tally:
    """Distinct combinations and how often each occurs."""

    values: tuple[tuple[Label | None, ...], ...]  # per column
    codes: IntArray  # of shape (combinations, columns), positions in `values`
    n: FloatArray
    weighed: FloatArray | None = None  # of weighted rows: how many, and the sum of squared weights

    @classmethod
    def of(cls, columns: Sequence[NDArray[Any]], n: FloatArray | None = None) -> Tally:
        """Count the rows of some arrays, n times each; n may be the `moments` of weights."""
        tallying = Tallying(len(columns))
        tallying.add([CodedColumn.of(column) for column in columns], n)
        return tallying.tally()

    @classmethod
    def of_table(cls, columns: Iterable[Sequence[Any]], n: Sequence[float] | FloatArray) -> Tally:
        """Build a tally from an engine's result: a list per column, and n or the moments of weights."""
        tallying = Tallying(len(given := list(columns)))
        tallying.add([CodedColumn.of_objects(column) for column in given], np.asarray(n, dtype=np.float64))
        return tallying.tally()

    @property
    def rows(self) -> float:
        """Number of rows, or the sum of weights."""
        return float(self.n.sum())


class Tallying:
    """A tally that grows block by block; the order of the blocks does not matter."""

    def __init__(self, columns: int) -> None:
        self._places: list[dict[Any, int]] = [{} for _ in range(columns)]
        self._codes: list[IntArray] = []
        self._n: list[FloatArray] = []
        self._waiting = 0

    def add(self, columns: Sequence[CodedColumn], n: FloatArray | None = None) -> None:
        """Count more rows, n times each; n may have several rows (moments), of which the first is the number."""
        codes, often = count(columns, n)
        self._take([column.values for column in columns], codes, often)

    def join(self, tally: Tally) -> None:
        """Add another tally."""
        self._take(tally.values, tally.codes, tally.n if tally.weighed is None else np.vstack([tally.n, tally.weighed]))

    def tally(self) -> Tally:
        """Return the tally so far."""
        self._settle()
        values = tuple(tuple(place) for place in self._places)
        if not self._codes:
            return Tally(values, np.zeros((0, len(values)), dtype=np.int64), np.zeros(0))
        n = self._n[0]
        return Tally(values, self._codes[0], n) if n.ndim == 1 else Tally(values, self._codes[0], n[0], n[1:])

    def _take(self, values: Sequence[Sequence[Any] | NDArray[Any]], codes: IntArray, n: FloatArray) -> None:
        placed = np.empty_like(codes)
        for k, (place, column) in enumerate(zip(self._places, values, strict=True)):
            often = np.bincount(codes[:, k])
            seen = np.flatnonzero(often)
            often[seen] = [place.setdefault(column[code], len(place)) for code in seen.tolist()]
            placed[:, k] = often[codes[:, k]]
        self._codes.append(placed)
        self._n.append(n)
        self._waiting += n.shape[-1]
        if self._waiting > WAITING:
            self._settle()
            self._waiting = 0

    def _settle(self) -> None:
        if len(self._codes) > 1:
            every = np.concatenate(self._codes)
            columns = [
                CodedColumn(range(len(place)), codes) for place, codes in zip(self._places, every.T, strict=True)
            ]
            codes, n = count(columns, np.concatenate(self._n, axis=-1))
            self._codes, self._n = [codes], [n]


def moments(weights: FloatArray) -> FloatArray:
    """Return the rows to be summed for weights: the weights, ones, and squares."""
    with np.errstate(over="ignore"):  # weights so large are refused once they are counted
        return np.stack([weights, np.ones(len(weights)), weights**2])


def count(columns: Sequence[CodedColumn], n: FloatArray | None) -> tuple[IntArray, FloatArray]:
    """Return the codes of the combinations that occur, from 0 in each column, and how often."""
    sizes = [len(column.values) for column in columns]
    rows, cells = len(columns[0].codes), prod(sizes)
    blocks = [slice(start, start + BLOCK) for start in range(0, max(rows, 1), BLOCK)]
    if cells <= DENSE:
        kind = np.min_scalar_type(cells)
        seen = np.zeros(cells, dtype=np.int64)
        total = np.zeros(cells if n is None else (*n.shape[:-1], cells))
        for block in blocks:
            block_keys = _keys(columns, sizes, block, kind)
            seen += np.bincount(block_keys, minlength=cells)
            if n is not None:
                total += added_up(block_keys, n[..., block], cells)
        keys = np.flatnonzero(seen)
        total = seen.astype(np.float64) if n is None else total
        return _codes(keys, sizes), total[..., keys]
    if cells >= 2**63:
        return _sorted(columns, n)
    counted = [
        _found(_keys(columns, sizes, block, np.dtype(np.int64)), None if n is None else n[..., block])
        for block in blocks
    ]
    keys, total = _found(*(np.concatenate(part, axis=-1) for part in zip(*counted, strict=True)))
    return _codes(keys, sizes), total.astype(np.float64)


def _codes(keys: IntArray, sizes: Sequence[int]) -> IntArray:
    """Return the codes, a column each, that `_keys` made one number of; NumPy does so for 64 columns at most."""
    codes = np.empty((len(keys), len(sizes)), dtype=np.int64)
    rest = keys.astype(np.int64)
    for k in reversed(range(len(sizes))):
        rest, codes[:, k] = np.divmod(rest, sizes[k])
    return codes


def _found(keys: NDArray[Any], n: NDArray[Any] | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return distinct keys and how often they occur; without n, the inverse index is not needed."""
    if n is None:
        return np.unique(keys, return_counts=True)
    seen, inverse = np.unique(keys, return_inverse=True)
    return seen, added_up(inverse, n, len(seen))


def _keys(columns: Sequence[CodedColumn], sizes: Sequence[int], block: slice, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return one number per row of a block."""
    key: NDArray[Any] | None = None
    for column, size in zip(columns, sizes, strict=True):
        codes = column.codes[block]
        code = (codes if column.first == 0 else _from_first(codes, column.first)).astype(kind, copy=False)
        key = code if key is None else key * kind.type(size) + code
    assert key is not None
    return key


def _sorted(columns: Sequence[CodedColumn], n: FloatArray | None) -> tuple[IntArray, FloatArray]:
    """Count by sorting rows, if the number of combinations exceeds 64 bits."""
    rows = np.stack([_from_first(column.codes, column.first).astype(np.int64) for column in columns])
    _, first, inverse = np.unique(row_keys(rows.shape[1], rows)[0], return_index=True, return_inverse=True)
    often = np.ones(len(inverse)) if n is None else n
    return rows[:, first].T, added_up(inverse, often, len(first))


def _from_first(codes: NDArray[Any], first: int) -> NDArray[Any]:
    """Return codes from 0, as 64 bits: fewer may not hold the difference, and NumPy 1 keeps the array's type.

    Unsigned codes stay unsigned, as they may exceed a signed type.
    """
    kind = np.uint64 if codes.dtype == np.uint64 else np.int64
    return codes.astype(kind) - kind(first)
