"""Uploaded bytes become columns, and columns or typed tables become counts; nothing is read by a name."""

from __future__ import annotations

import io
import json
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any

from outperform.base.errors import DataError, listing
from outperform.data.counts import Counts
from outperform.data.labels import is_number
from outperform.io import Columns
from outperform.io.confusion import count_confusion
from outperform.io.files import BLOCK, too_large
from outperform.io.looking import Look, look_at

if TYPE_CHECKING:
    from outperform.options import Options
    from outperform.server.limits import Limits
    from outperform.server.request import Request

__all__ = ["check_columns", "seen_in", "typed_counts"]

PARQUET = b"PAR1"
# What the page does not read, and what to do instead.
OTHERS = {
    "log": "a log of {format}, of one system; choose the logs of two systems together",
    "table": "a table as MLflow and W&B write it, which the page does not read; save it as CSV, a column per system",
    "tagged": "a file of tags, and the page does not compare chunks; the command and Python do",
    "confusion": "a confusion matrix; paste it and that of the other classifier under Confusion tables",
}
SEVERAL = ("promptfoo", "mt-bench", "comet")  # formats of which a log may hold several systems
OUTCOMES = ((1, 1), (1, 0), (0, 1), (0, 0))  # of a pair, in the order of the papers


def seen_in(raw: bytes, name: str, limits: Limits) -> Look:
    """Look at a file as the command does: a table, or a log of several systems; others get what to do."""
    if raw.startswith(PARQUET):
        return Look("table", (_parquet(raw, name, limits),))
    seen = look_at(raw, name, limits.size, limits.rows)
    if seen.kind == "table" or seen.format in SEVERAL:
        return seen
    what = OTHERS.get(str(seen.format)) or OTHERS[seen.kind]
    raise DataError(f"{name} is {what.format(format=seen.format)}")


def typed_counts(raw: bytes, request: Request) -> Counts:
    """Count what was typed: two confusion matrices as text, or how often each outcome of a pair happened."""
    try:
        given = json.loads(raw)
        names, tables = [str(name).strip() for name in given["names"]], [str(table) for table in given["tables"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DataError('typed tables come as JSON: {"names": […], "tables": […]}') from None
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise DataError("the two classifiers need names that differ")
    return (
        _outcomes(names, tables) if request.source == "outcomes" else _confusion(names, tables, request.options.labels)
    )


def check_columns(columns: Columns, options: Options) -> Columns:
    """Check that the truth and predictions, or scores, were chosen, and each column once; return the columns."""
    if len(options.scores) == 1 or not (options.scores or (options.truth and options.predictions)):
        known = f"{columns.source} has {listing(columns.values, 30)}"
        if options.truth is not None:
            raise DataError(f"choose the column of predictions; {known}")
        raise DataError(f"choose the column of the true labels, or of scores two columns that hold numbers; {known}")
    roles = (options.truth, *options.predictions, *options.scores, options.id, options.n, options.cluster)
    chosen = [name for name in roles if name is not None]
    twice = [name for name in chosen if chosen.count(name) > 1]
    if twice:
        raise DataError(f"column {twice[0]!r} is chosen twice; choose every column once")
    return columns


def _parquet(raw: bytes, name: str, limits: Limits) -> Columns:
    if find_spec("pyarrow") is None:
        raise DataError(f"{name} is a Parquet file, which this page cannot read; save the table as CSV")
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(io.BytesIO(raw))
        _check_parquet(file.metadata, name, limits)
        values: dict[str, list[Any]] = {column: [] for column in file.schema_arrow.names}
        size = 0
        for batch in file.iter_batches(BLOCK):
            size += batch.nbytes
            _check_size(size, name, limits)
            for column, cells in batch.to_pydict().items():
                values[column] += cells
    except MemoryError:
        raise
    except (ArrowException, OSError) as error:
        raise DataError(f"{name} is a damaged Parquet file ({str(error).splitlines()[0]})") from None
    if not file.metadata.num_rows:
        raise DataError(f"{name} has a header but no rows")
    return Columns(name, values, list(range(1, file.metadata.num_rows + 1)))


def _check_parquet(about: Any, name: str, limits: Limits) -> None:
    """Refuse a file that is too large by its metadata; the number of values counts those in lists."""
    groups = [about.row_group(k) for k in range(about.num_row_groups)]
    cells = sum(group.column(k).num_values for group in groups for k in range(group.num_columns))
    if about.num_rows > limits.rows:
        raise too_large(f"{name} has more than {limits.rows:,} rows")
    if cells > limits.cells:
        raise too_large(f"{name} holds {cells:,} values, more than {limits.cells:,}")
    _check_size(sum(group.total_byte_size for group in groups), name, limits)


def _check_size(size: int, name: str, limits: Limits) -> None:
    if size > limits.size:
        raise too_large(f"{name} unpacks to more than {limits.size / 1e6:,.0f} MB")


def _outcomes(names: list[str], numbers: list[str]) -> Counts:
    """Outcomes 11, 10, 01, 00 of positive items, then of negative ones."""
    if len(numbers) != 8:
        raise DataError("type eight numbers of items: four outcomes of positive items and four of negative ones")
    said = zip(*OUTCOMES * 2, strict=True)
    predictions = {name: list(labels) for name, labels in zip(names, said, strict=True)}
    n = list(map(_size, numbers))
    if not any(n):
        raise DataError("the numbers of items add up to 0; there are no items")
    return Counts.from_labels([1] * 4 + [0] * 4, predictions, labels=[0, 1], n=n)


def _confusion(names: list[str], texts: list[str], labels: tuple[str, ...]) -> Counts:
    """Count two confusion matrices, of which both, one or none may name the classes."""
    if len(texts) != 2:
        raise DataError(f"two confusion tables are expected, got {len(texts)}")
    for name, text in zip(names, texts, strict=True):
        if not text.strip():
            raise DataError(f"the table of {name} is empty; paste its confusion matrix, one row per true class")
    tables = {name: (text, f"the table of {name}") for name, text in zip(names, texts, strict=True)}
    return count_confusion(tables, labels or None)


def _size(text: str) -> float:
    if not is_number(text) or not 0 <= float(text) < inf:
        raise DataError(f"{text!r} is not a number of items" if text.strip() else "a number of items is missing")
    return float(text)
