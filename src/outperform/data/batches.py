"""Counting of Arrow batches by their dictionaries, without a Python loop over rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import absent, need
from outperform.base.sentences import invalid
from outperform.data.contingency import FloatArray
from outperform.data.labels import is_missing
from outperform.data.tally import CodedColumn, Tally, Tallying, moments

__all__ = ["as_batches", "check_columns", "check_sizes", "check_whole", "is_arrow", "nested", "tally_batches"]


def is_arrow(frame: Any) -> bool:
    """Return whether an object is a PyArrow table, data set or stream."""
    return type(frame).__module__.partition(".")[0] == "pyarrow" and hasattr(frame, "schema")


def as_batches(frame: Any, columns: Sequence[str]) -> Any:
    """Return the batches of a table, a data set or a stream; only these columns where that saves reading."""
    if hasattr(frame, "scanner"):  # a data set
        return frame.to_batches(columns=list(dict.fromkeys(columns)))
    if hasattr(frame, "to_batches"):  # a table
        return frame.select(list(dict.fromkeys(columns))).to_batches()
    return frame if hasattr(frame, "read_next_batch") else [frame]


def tally_batches(
    batches: Iterable[Any], columns: Sequence[str], size: str | None = None, *, whole: bool = False
) -> Tally:
    """Count the rows of batches, weighted by the column `size`; `whole` requires whole numbers in it."""
    tallying = Tallying(len(columns))
    for batch in batches:
        if len(batch):
            n = None if size is None else _numbers(batch.column(size), size)
            check_whole([] if n is None or not whole else [(n % 1).max()], str(size))
            often = n if n is None or whole else moments(n)
            tallying.add([coded(batch.column(name), name) for name in columns], often)
    return tallying.tally()


def coded(array: Any, name: str) -> CodedColumn:
    """Return a column coded by its Arrow dictionary, which is built if the array has none."""
    pa = need("pyarrow", "data")
    kinds = pa.types
    while isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if kinds.is_nested(array.type):
        raise nested(name, str(array.type))
    if kinds.is_integer(array.type) and not array.null_count:
        return CodedColumn.of(np.asarray(array))
    if kinds.is_boolean(array.type) and not array.null_count:
        return CodedColumn((False, True), np.asarray(array.cast(pa.uint8())))
    if not kinds.is_dictionary(array.type):
        array = array.dictionary_encode(null_encoding="encode")
    values = [None if is_missing(value) else value for value in array.dictionary.to_pylist()]
    indices = array.indices
    if indices.null_count:
        values, indices = [*values, None], indices.cast(pa.int64()).fill_null(len(values))
    return CodedColumn(values, np.asarray(indices))


def nested(name: str, kind: str) -> ValueError:
    """Return the error for a column of lists."""
    return ValueError(
        f"column {name!r} holds a {kind}; one label in each row is expected, and label sets are given as lists of "
        "sets, not as columns of a frame"
    )


def check_columns(wanted: Iterable[str], known: Sequence[str], source: str) -> None:
    """Raise an error if a column is missing."""
    for name in wanted:
        if name not in known:
            raise ValueError(absent(source, "column", name, known))


def check_sizes(numbers: Sequence[Any] | NDArray[Any], name: str, *, complete: bool) -> None:
    """Check that sizes are present, finite and not negative; the minimum, or one per group, suffices."""
    if not complete:
        raise ValueError(f"column {name!r} has no number in some rows; every row needs one")
    wrong = [number for number in numbers if not 0 <= number < inf]
    if wrong:
        raise ValueError(f"column {name!r} holds {wrong[0]:g}; counts are finite and not negative")


def check_whole(rests: Iterable[Any], name: str) -> None:
    """Check that sizes are whole numbers, given their remainders modulo 1."""
    if any(rest > 0 for rest in rests):
        found = f"column {name!r} holds numbers of items that are not whole"
        raise invalid("{found}; give counts, not proportions, {or_weights}", found=found)


def _numbers(array: Any, name: str) -> FloatArray:
    try:
        numbers = np.asarray(array.cast("float64"))
    except ValueError:
        raise ValueError(f"column {name!r} holds {array.type}, not numbers") from None
    check_sizes(numbers[~((numbers >= 0) & (numbers < inf))], name, complete=not array.null_count)
    return numbers
