"""Columns of one or several files become Counts: small text files row by row, others by an engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from outperform.base.errors import DataError, unusable
from outperform.base.sentences import SEEN
from outperform.data.coding import without_blanks
from outperform.data.columns import check_sizes
from outperform.data.counts import Counts
from outperform.data.labels import Label, as_labels, sorted_labels
from outperform.data.tally import Tally, moments
from outperform.io.align import aligned, check_agree, check_several, holders, numbers_of, split
from outperform.io.arrow import tally_source
from outperform.io.engine import Pick, Picked, UnusualTextError, tally_joined
from outperform.io.files import NO_LABEL, Columns, is_stream
from outperform.io.sources import OTHER, Source, as_source
from outperform.io.tables import holds_lists, read
from outperform.io.typed import typed

__all__ = ["read_counts"]

Table: TypeAlias = Columns | Source
Given: TypeAlias = str | Path | Columns
LARGE = 2**24  # bytes of text, from which on an engine is faster than it takes to start


def read_counts(
    paths: Given | Sequence[Given],
    *,
    truth: str,
    predictions: Sequence[str],
    id: str | None = None,
    labels: Iterable[Label] | None = None,
    n: str | None = None,
    weights: str | None = None,
    by: str | Sequence[str] | None = None,
    missing: str = "raise",
    separator: str | None = None,
    by_item: bool = False,
    progress: bool = False,
) -> Counts:
    """Count the outcomes in one file, or in several whose rows share ids.

    Parameters
    ----------
    paths : path or sequence of paths
        CSV, TSV or JSON lines, plain or gzip; Parquet, Arrow or Feather (extra data); "-" is standard input. A folder,
        or a pattern such as ``day-*.parquet``, is one table in parts. Or columns that were read already.
    truth : str
        Column of the true labels, in the first file that has it.
    predictions : sequence of str
        Columns of predicted labels, one per classifier. A column that several files have gives one
        classifier a file, called by the file's name.
    id : str
        Column that tells the items apart; needed for several files.
    labels : sequence of labels or "seen"
        All classes, where the data may lack some; or every label that occurs, as in `compare`.
    n, weights : str
        Column of the number of items, or of the weight, that each row stands for.
    by : str or sequence of str
        Columns of the slices that rows belong to; `compare` then answers for each.
    missing : {"raise", "drop"}
        What is done about rows without a label somewhere: they are refused, or left out and reported.
    separator : str
        What stands between the labels of an item that may have any number of them, as in "cat;dog".
    by_item : bool
        Count kinds of items and not labels, for average="samples".
    progress : bool
        Whether to show a bar where stderr is a terminal.

    Examples
    --------
    >>> import outperform as op
    >>> path = op.datasets.newsgroups_path()
    >>> counts = op.read_counts(path, truth="true", predictions=["nb_mult", "svm_l2"], id="doc_id")
    >>> counts.items
    7532
    """
    given = [paths] if isinstance(paths, str | Path | Columns) else list(paths)
    predictions = [predictions] if isinstance(predictions, str) else list(predictions)
    slices = [] if by is None else [by] if isinstance(by, str) else list(by)
    if n is not None and weights is not None:
        raise unusable("give {n} (whole numbers of items) or {weights} (any numbers), not both")
    check_several(given, id)
    tables = _opened(given)
    picked = _picked(tables, truth, predictions, slices, n or weights, whole=n is not None)
    if separator is not None or any(holds_lists(tables[pick.source], pick.column) for pick in picked.columns):
        if n or weights or slices or missing != "raise":
            raise unusable("label sets are counted one row an item; leave {n}, {weights}, {by} and {missing} out")
        sets = aligned([split(_rows(table), [truth, *predictions], separator) for table in tables], id)
        true, *guesses = _columns(sets, picked, missing)
        guessed = dict(zip(picked.names, guesses, strict=True))
        if isinstance(labels, str) and labels == SEEN:
            labels = sorted_labels({label for column in (true, *guesses) for row in column for label in row})
        return Counts.from_label_sets(true, guessed, labels=labels, by_item=by_item)
    sources = [table for table in tables if isinstance(table, Source)]
    try:
        tally = _by_engine(sources, picked, id, complete=missing != "drop", progress=progress) if sources else None
    except UnusualTextError:
        tally = None
    if tally is None:
        tally = _by_rows(aligned([_rows(table) for table in tables], id), picked, missing)
    text = [k for k, pick in enumerate(picked.columns) if not tables[pick.source].binary]
    seen = isinstance(labels, str) and labels == SEEN
    labels = None if seen else as_labels(labels)
    tally, labels = typed(without_blanks(tally, labels, len(slices)), labels, text, len(slices))
    whole = n is not None
    counts = Counts.from_tally(tally, picked.names, labels=labels, whole=whole, by=len(slices), missing=missing)
    return replace(counts, declared=True) if seen else counts


def _picked(
    tables: Sequence[Table],
    truth: str,
    predictions: Sequence[str],
    slices: Sequence[str],
    size: str | None,
    *,
    whole: bool,
) -> Picked:
    """Find the columns that are counted: the truth, the classifiers, the slices."""
    if truth in predictions:
        raise DataError(f"column {truth!r} cannot be both the truth and a prediction")
    true, *truths = _picks(tables, truth)
    found = holders(tables, predictions)
    columns = [true, *(Pick(k, column) for _, column, k in found)]
    columns += [_picks(tables, column)[0] for column in slices]
    often = None if size is None else _picks(tables, size)[0]
    return Picked([name for name, _, _ in found], columns, truths, often, whole)


def _by_engine(sources: Sequence[Source], picked: Picked, id: str | None, *, complete: bool, progress: bool) -> Tally:
    """Batch by batch where columns are stored as such, else by DuckDB."""
    if len(sources) == 1 and sources[0].binary and id is None:
        columns = [pick.column for pick in picked.columns]
        size = None if picked.size is None else picked.size.column
        return tally_source(sources[0], columns, size, whole=picked.whole, progress=progress)
    return tally_joined(sources, picked, id, complete=complete, progress=progress)


def _by_rows(tables: Sequence[Columns], picked: Picked, missing: str) -> Tally:
    columns = _columns(tables, picked, missing)
    for pick in picked.truths:
        check_agree(tables[pick.source], pick.column, columns[0])
    if picked.size is None:
        return Tally.of_table(columns, [1.0] * len(columns[0]))
    often = numbers_of(tables[picked.size.source], picked.size.column)
    check_sizes(often, len(often), whole=picked.whole)
    return Tally.of_table(columns, often if picked.whole else moments(np.asarray(often, dtype=np.float64)))


def _columns(tables: Sequence[Columns], picked: Picked, missing: str) -> list[list[Any]]:
    """Read columns row by row; a row without a value is refused with its line, unless such rows are dropped."""
    if missing != "drop":
        return [tables[pick.source].column(pick.column, NO_LABEL) for pick in picked.columns]
    return [tables[pick.source].known(pick.column) for pick in picked.columns]


def _picks(tables: Sequence[Table], column: str) -> list[Pick]:
    """The tables that hold a column; at least one."""
    return [Pick(k, column) for _, _, k in holders(tables, [column])]


def _opened(given: Sequence[Given]) -> list[Table]:
    """Tables, all to be counted by an engine, or all read: where they are small and text, or not all are files."""
    tables = [table if isinstance(table, Columns) or is_stream(table) else as_source(table) for table in given]
    sources = [table for table in tables if isinstance(table, Source)]
    if len(sources) == len(tables) and _is_large(sources):
        return [*sources]
    return [_rows(table) for table in tables]


def _is_large(sources: Sequence[Source]) -> bool:
    """Whether to use an engine: files are columnar, or there is much text and DuckDB is installed.

    DuckDB does not find the end of a header with line breaks in it.
    """
    if any(source.format == OTHER for source in sources):
        return False
    if any(source.binary for source in sources):
        return True
    large = sum(source.size for source in sources) > LARGE and find_spec("duckdb") is not None
    return large and not any(sign in name for source in sources for name in source.columns for sign in "\r\n")


def _rows(table: Table | str | Path) -> Columns:
    if isinstance(table, Columns):
        return table
    return read(table.name if isinstance(table, Source) else str(table))
