"""Uploaded bytes become columns, and columns or typed tables become counts; nothing is read by a name."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outperform.base.errors import DataError, UndecidedError, listing
from outperform.base.sentences import worded
from outperform.base.system import quoted
from outperform.data.counts import Counts
from outperform.data.labels import is_number
from outperform.io import Columns
from outperform.io.confusion import count_confusion
from outperform.io.files import BLOCK, text_of, too_large
from outperform.io.logs import ZIP, Choice, LogFile, scores_sent
from outperform.io.looking import Look, look_at, sent_log
from outperform.options import command as spelt

if TYPE_CHECKING:
    from outperform.data.scores import Scores
    from outperform.options import Options
    from outperform.server.limits import Limits
    from outperform.server.request import Request

__all__ = ["check_columns", "logs_of", "table_of", "typed_counts"]

PARQUET = b"PAR1"
# What the page does not read, and the files of the command that does.
OTHERS = {
    "log": ("a log of {format}, of one system; choose the logs of two systems together, or run", "{name} OTHER-LOG"),
    "promptfoo": ("a log of promptfoo, which the page does not read; run", "{name}"),
    "table": ("a table of scores as MLflow and W&B write it, which the page does not read; run", "{name}"),
    "tagged": ("a file of tags, which the page does not read; run", "{name} TAGS-OF-A TAGS-OF-B"),
    "confusion": ("a confusion matrix; paste it under Confusion tables, or run", "{name} MATRIX-OF-THE-OTHER"),
}
OUTCOMES = ((1, 1), (1, 0), (0, 1), (0, 0))  # of a pair, in the order of the papers


def table_of(raw: bytes, name: str, limits: Limits) -> Look:
    """Read a table, which is guessed as the command guesses it; what is no table is refused with the command to run."""
    if raw.startswith(PARQUET):
        return Look("table", (_parquet(raw, name, limits),))
    seen = look_at(raw, name, limits.size, limits.rows)
    if seen.kind == "table":
        return seen
    what, command = OTHERS.get(str(seen.format)) or OTHERS[seen.kind]
    found = f"{name} is {what.format(format=seen.format)}"
    raise DataError(f"{found}: outperform compare {command.format(name=shlex.quote(name))}")


def logs_of(raw: bytes, parts: Sequence[tuple[str, int]], limits: Limits) -> tuple[str, Scores]:
    """Read the logs of several systems, one after the other: their format, and the scores of all systems."""
    command = f"run: {quoted(['outperform', 'compare', *(name for name, _ in parts)])}"
    if sum(size for _, size in parts) != len(raw):
        raise DataError("the files did not arrive whole; choose them again")
    files, start, left = list[LogFile](), 0, limits.size
    for name, size in parts:
        piece = raw[start : start + size]
        if piece.startswith(ZIP):
            raise DataError(f"{name} is packed, which the page does not read; {command}")
        text = text_of(piece, name, left)
        if text.count("\n") > limits.rows:
            raise too_large(f"{name} has more than {limits.rows:,} rows")
        files.append(LogFile(Path(name), text))
        start, left = start + size, max(left - len(text), 1)
    return _scored(files, command)


def _scored(files: Sequence[LogFile], command: str) -> tuple[str, Scores]:
    """Read logs of one format; what they offer several of is refused with a command that chooses the first."""
    kinds = {file.source: sent_log(file) for file in files}
    kind = next(iter(kinds.values()))
    if len(set(kinds.values())) > 1:
        known = ", ".join(f"{name} ({own or 'a table'})" for name, own in kinds.items())
        raise DataError(f"choose logs of one format; these are {known}")
    if kind is None or kind == "table":
        raise DataError(f"the page takes one table, or the logs of several systems; {command}")
    try:
        return kind, scores_sent(files, kind, Choice())
    except UndecidedError as open_:
        found, chosen = worded(open_, spelt).rpartition("; choose one")[0], _first(files, kind, open_)
    words = [word for what, value in chosen.items() for word in (spelt(what, ""), value)]
    further = quoted(["--from", kind, *words])
    raise DataError(f"{found}; for {' and '.join(chosen.values())}, {command} {further}")


def _first(files: Sequence[LogFile], kind: str, open_: UndecidedError) -> dict[str, str]:
    """The first metric and the first filter of logs that have several."""
    chosen = {open_.what: open_.known[0]}
    try:
        scores_sent(files, kind, Choice(**chosen))
    except UndecidedError as further:
        chosen[further.what] = further.known[0]
    return chosen


def typed_counts(raw: bytes, asked: Request) -> Counts:
    """Count what was typed: two confusion matrices as text, or how often each outcome of a pair happened."""
    try:
        given = json.loads(raw)
        names, tables = [str(name).strip() for name in given["names"]], [str(table) for table in given["tables"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DataError('typed tables come as JSON: {"names": […], "tables": […]}') from None
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise DataError("the two classifiers need names that differ")
    return _outcomes(names, tables) if asked.source == "outcomes" else _confusion(names, tables, asked.options.labels)


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
        raise DataError(f"{name} is a Parquet file, which needs pyarrow: pip install pyarrow, or give CSV")
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
