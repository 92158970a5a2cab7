"""One whole number per row of several columns, by which rows are sorted and equal ones found."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from outperform.data.labels import IntArray

__all__ = ["alike", "row_keys"]

LARGEST = 2**62


def row_keys(rows: int, columns: Iterable[IntArray]) -> tuple[IntArray, int]:
    """Return a number per row, below the one that is returned as well; columns that are absent are empty.

    Numbers are equal where rows are, and sorted as rows are, by the first column first. Where they would not fit into
    64 bits, those of the columns so far are replaced by their ranks.
    """
    key, most = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        if len(column):
            low = int(column.min())
            size = int(column.max()) - low + 1
            if most * size > LARGEST:
                seen, key = np.unique(key, return_inverse=True)
                most = len(seen)
            key, most = key * size + (column - low), most * size
    return key, most


def alike(marks: NDArray[np.uint64]) -> tuple[IntArray, IntArray]:
    """Return the first of each kind of equal rows, of shape (rows, columns) and sorted, and the kind of each row.

    A fraction of the time that `np.unique` takes for rows.
    """
    order = np.lexsort(marks.T[::-1])
    ordered = marks[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    kind = np.empty(len(order), dtype=np.int64)
    kind[order] = np.cumsum(new) - 1
    return order[new], kind
