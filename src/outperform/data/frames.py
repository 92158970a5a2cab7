"""Counting of dataframes by their own engine, of which only the counts are collected; of Arrow by its dictionaries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import absent, need
from outperform.base.sentences import invalid
from outperform.data.contingency import FloatArray
from outperform.data.labels import is_missing
from outperform.data.tally import CodedColumn, Tally, Tallying, moments

__all__ = [
    "by_column", "check_sizes", "check_whole", "column_names", "columns_of_frame", "no_frame", "tally_batches",
    "tally_frame",
]  # fmt: skip

EXACT = 2**53  # above it every floating-point number is whole


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
    """Raise an error if a column is missing, or there is another of its name."""
    for name in wanted:
        if name not in known:
            raise ValueError(absent(source, "column", name, known))
        if known.count(name) > 1:
            raise ValueError(f"{source} has several columns called {name!r}; rename all but one")


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


def tally_frame(frame: Any, columns: Sequence[str], size: str | None = None, *, whole: bool = False) -> Tally:
    """Count the rows of a frame, weighted by the column `size`; `whole` requires whole numbers in it."""
    if is_arrow(frame):
        check_columns([*columns, *_given(size)], frame.schema.names, "the table")
        return tally_batches(as_batches(frame, [*columns, *_given(size)]), columns, size, whole=whole)
    import narwhals as nw

    table, keys = _known(frame, [*columns, *_given(size)]), list(dict.fromkeys(columns))
    _check_flat(table, keys)
    prefix = "n"
    while any(str(name).lower().startswith(prefix) for name in [*keys, *_given(size)]):  # N may equal n
        prefix += "_"
    rows, total, least, there, rest, square = (f"{prefix}{k}" for k in range(6))
    counted = [nw.len().alias(rows)]
    if size is not None:
        number = nw.col(size)
        counted += [number.sum().alias(total), number.min().alias(least), number.count().alias(there)]
        near = number.clip(upper_bound=EXACT)
        more = (near - near.round()).abs().alias(rest) if whole else (number * number).alias(square)
        table = table.with_columns(more)
        counted += [nw.col(rest).max() if whole else nw.col(square).sum()]
    found = _collected(table.group_by(*keys).agg(*counted))
    if isinstance(table, nw.DataFrame) and sum(found[rows].to_list()) < len(table):
        return tally_frame(table.to_arrow(), columns, size, whole=whole)  # pandas drops Arrow nulls here
    if size is not None:
        check_sizes(found[least].to_list(), size, complete=found[there].to_list() == found[rows].to_list())
        check_whole(found[rest].to_list() if whole else (), size)
    told = [rows] if size is None else [total] if whole else [total, rows, square]
    often = [found[name].to_list() for name in told]
    return Tally.of_table([_plain(found[name]) for name in columns], often[0] if len(often) == 1 else np.array(often))


def columns_of_frame(frame: Any, columns: Sequence[str]) -> dict[str, Any]:
    """Return some columns as arrays, for data that cannot be counted."""
    if is_arrow(frame):
        check_columns(columns, frame.schema.names, "the table")
        table = (
            frame.to_table()
            if hasattr(frame, "to_table")
            else frame.read_all()
            if hasattr(frame, "read_all")
            else frame
        )
        return {name: table.column(name).to_numpy(zero_copy_only=False) for name in columns}
    found = _collected(_known(frame, columns))
    return {name: found[name].to_numpy() for name in columns}


def by_column(given: Any) -> Any:
    """Return the columns of a dataframe by name, of pandas with the ids of their rows; any other value as it is."""
    names = column_names(given)
    if names is None:
        return given
    columns = columns_of_frame(given, names)
    of_pandas = type(given).__module__.partition(".")[0] == "pandas"
    return {name: given[name] for name in names} if of_pandas else columns


def column_names(given: Any) -> list[str] | None:
    """Return the names of the columns; None of what is no dataframe."""
    if is_arrow(given):
        return list(given.schema.names)
    if isinstance(given, Mapping) or not hasattr(type(given), "columns"):
        return None
    return list(_as_narwhals(given).collect_schema().names())


def _as_narwhals(frame: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(frame)
    except nw.exceptions.DuplicateError:
        names = list(frame.columns)
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the frame has several columns called {twice!r}; rename all but one") from None
    except TypeError:
        raise no_frame(frame) from None


def no_frame(given: Any) -> TypeError:
    """Return the error for what is no dataframe where a column is named."""
    how = (
        "give it as .to_pandas()" if hasattr(given, "to_pandas") else "pandas.DataFrame(…) makes one of rows or columns"
    )
    return TypeError(
        f"truth= names a column, so a dataframe must come first, got {type(given).__name__}; {how}; any that narwhals "
        "knows will do: pandas, Polars, PyArrow, DuckDB, Dask, PySpark, Ibis"
    )


def _known(frame: Any, columns: Sequence[Any]) -> Any:
    """Return the frame with these columns."""
    import narwhals as nw

    table = _as_narwhals(frame)
    schema = table.collect_schema()
    check_columns(columns, schema.names(), "the frame")
    if unnamed := [name for name in columns if not isinstance(name, str)]:
        raise ValueError(
            f"column {unnamed[0]!r} of the frame has a name that is not text; rename the columns, as in "
            "frame.rename(columns=str)"
        )
    halves = [name for name in dict.fromkeys(columns) if str(schema[name]) == "Float16"]  # pandas does not group them
    return table.select(*dict.fromkeys(columns)).with_columns(nw.col(name).cast(nw.Float32) for name in halves)


def _check_flat(table: Any, columns: Sequence[str]) -> None:
    """Check that no column holds lists, which cannot be labels."""
    import narwhals as nw

    for name, kind in table.collect_schema().items():
        if name in columns and kind.is_nested():
            raise nested(name, str(kind))
        if name in columns and kind == nw.Object and isinstance(table, nw.DataFrame):
            odd = next((value for value in table[name] if not isinstance(value, Hashable)), None)
            if odd is not None:
                raise nested(name, type(odd).__name__)


def _collected(table: Any) -> Any:
    import narwhals as nw

    return table.collect() if isinstance(table, nw.LazyFrame) else table


def _plain(series: Any) -> list[Any]:
    """Return values as Python objects; missing values of any library become None."""
    return [None if is_missing(value) else value for value in series.to_list()]


def _given(size: str | None) -> list[str]:
    return [] if size is None else [size]
