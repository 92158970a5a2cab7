"""A table of any format as named columns, row by row, where rows cannot be counted by an engine."""

from __future__ import annotations

from itertools import islice

from outperform.base.errors import DataError
from outperform.io import files
from outperform.io.arrow import rows_of
from outperform.io.files import Columns
from outperform.io.opening import schema_of
from outperform.io.sources import OTHER, Source, as_source

__all__ = ["column_names", "holds_lists", "read"]


def read(path: str, most: int | None = None) -> Columns:
    """Read a file, all parts of a folder or a pattern, or standard input ("-"); or the first rows, at most so many.

    A stream is read whole, as it can be read only once.
    """
    if files.is_stream(path):
        return files.read(path)
    source = as_source(path)
    if source.binary:
        values = rows_of(source, most)
        rows = len(next(iter(values.values())))
        if not rows and most is None:
            raise DataError(f"{path} has no rows")
        return Columns(path, values, list(range(1, rows + 1))) if rows else read(path)
    if (source.format == OTHER and most is not None) or (len(source.files) == 1 and most is None):
        return files.read(source.files[0])
    if most is None:
        return _joined(source, [files.read(file) for file in source.files])
    rows_read = list(islice(source.rows(source.files[0]), most))
    values = {name: [row[name] for _, row in rows_read] for name in rows_read[0][1]}
    return Columns(path, values, [k for k, _ in rows_read])


def column_names(path: str) -> list[str]:
    """Names of the columns of a table."""
    return list(files.read(path).values if files.is_stream(path) else as_source(path).columns)


def holds_lists(table: Columns | Source, column: str) -> bool:
    """Whether a column holds lists of labels."""
    if isinstance(table, Columns):
        return any(isinstance(value, list) for value in table.values[column])
    if table.binary:
        from pyarrow import types

        return bool(types.is_nested(schema_of(table.files[0], table.format).field(column).type))
    if table.format != "jsonl":
        return False
    _, first = next(table.rows(table.files[0]))
    return isinstance(first.get(column), list)


def _joined(source: Source, parts: list[Columns]) -> Columns:
    """Join the parts; the line of a row is that in its part."""
    values = {name: [value for part in parts for value in part.values[name]] for name in source.columns}
    return Columns(source.name, values, [line for part in parts for line in part.lines])
