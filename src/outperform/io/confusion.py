"""What papers print, from CSV or TSV files: confusion matrices, with or without names, and totals per fold."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from outperform.base.errors import DataError, count, listing, unusable
from outperform.data.counts import Counts, Fold
from outperform.data.labels import Label, as_labels, is_number
from outperform.io.align import file_names
from outperform.io.files import Columns, read_text
from outperform.io.tables import read

__all__ = ["check_totals", "count_confusion", "matrix_of", "read_confusion", "read_totals"]


TOTALS = ("gold", "predicted", "correct")
SUMS = ("total", "totals", "sum", "sums", "all", "gesamt", "summe", "somme", "suma", "σ", "∑")  # of classes
CELLS = ("tp", "fp", "fn")


def read_confusion(paths: Sequence[str | Path], *, labels: Sequence[Label] | None = None) -> Counts:
    """Count classifiers of which only confusion matrices are known, one file each; rows are true classes.

    Parameters
    ----------
    paths : sequence of paths
        CSV or TSV. The classes may be named in a header, or in a header and in the first column.
    labels : sequence of labels
        The classes, where the files do not name them.
    """
    names = file_names([str(path) for path in paths])
    return count_confusion(dict(zip(names, (read_text(str(path)) for path in paths), strict=True)), labels)


def count_confusion(texts: Mapping[str, tuple[str, str]], labels: Sequence[Label] | None) -> Counts:
    """Count classifiers by the texts of their confusion matrices, each with what messages call it."""
    matrices, first, given = {}, "", as_labels(labels)
    for name, (text, source) in texts.items():
        matrices[name], header = matrix_of(text, source)
        check_totals(matrices[name], source)
        if header is not None and given is not None and list(map(str, given)) != header:
            if len(matrices[name]) == len(header) and len({*header}) == len(header) and {*header} == {*map(str, given)}:
                order = [header.index(str(label)) for label in given]
                matrices[name] = [[matrices[name][row][column] for column in order] for row in order]
                continue
            found = f"{source} names the classes {listing(header, 6)}"
            if first:
                advice = "both must be of the same classes"
                raise DataError(f"{found} and {first} {listing(given, 6)}; {advice}")
            raise unusable("{found}, but {labels} says {given}", found=found, given=listing(given, 6))
        if header is not None and given is None:
            first, given = source, [*header]
    return Counts.from_confusion(matrices, labels=given)


def matrix_of(text: str, source: str) -> tuple[list[list[float]], list[str] | None]:
    """Read the numbers, and the names of the classes where there are any: above, or above and on the left.

    A last row and column that are called total, or the like, and are the totals, are left out.
    """
    first = text.split("\n", 1)[0]
    sign = next((sign for sign in "\t;," if sign in first), None)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=sign) if sign else map(str.split, text.splitlines())
    rows = [[cell.strip() for cell in row] for row in lines if any(map(str.strip, row))]
    head = len(rows) == max(map(len, rows)) + 1 or not all(map(is_number, rows[0]))
    header, rows = (rows[0], rows[1:]) if head else (None, rows)
    for number, row in enumerate(rows, start=1 + head):
        if len(row) != len(rows[0]):
            found = f"{source}, line {number}: {count(len(row), 'value')}"
            raise DataError(f"{found} where line {1 + head} has {len(rows[0])}")
    if header is not None and rows and len(rows[0]) == len(rows) + 1:
        names, header = [row[0] for row in rows], header[-len(rows) :]
        if names != header:
            raise DataError(f"{source}: the rows are called {listing(names, 6)} and the columns {listing(header, 6)}")
        rows = [row[1:] for row in rows]
    sizes = [[_size(cell, f"{source}, line {k}") for cell in row] for k, row in enumerate(rows, start=1 + head)]
    if header is not None and header[-1].casefold() in SUMS and _has_totals(sizes):
        return [row[:-1] for row in sizes[:-1]], header[:-1]
    return sizes, header


def check_totals(rows: Sequence[Sequence[float]], source: str) -> None:
    """Refuse a matrix of two classes or more whose last row and column are totals, which would be one more class."""
    if _has_totals(rows):
        raise DataError(f"{source}: the last row and the last column are totals of the others; leave both out")


def _has_totals(rows: Sequence[Sequence[float]]) -> bool:
    *classes, totals = rows
    if len(classes) < 2 or not any(totals) or len(totals) != len(rows):
        return False
    down = all(sum(row[k] for row in classes) == total for k, total in enumerate(totals))
    return down and all(sum(row[:-1]) == row[-1] for row in rows)


def _size(cell: str, where: str) -> float:
    if not is_number(cell):
        raise DataError(f"{where}: {f'{cell!r} is not a number of items' if cell else 'a number of items is missing'}")
    return float(cell)


def read_totals(
    path: str, *, system: str, systems: Sequence[str] | None = None, where: Mapping[str, str] | None = None
) -> Counts:
    """Read totals of two systems, or of any number, which cannot be paired.

    Parameters
    ----------
    path : str
        A file with a column that names the system, and columns gold, predicted and correct, or tp, fp and fn. Columns
        repetition and fold where it is a cross-validation.
    system : str
        The column of the systems' names.
    systems : sequence of str
        Which of them, in this order; by default all.
    where : mapping from column to value
        Only rows that have this value.
    """
    columns = read(path)
    rows = _chosen(columns, dict(where or {}))
    names = [str(name) for name in columns.column(system)]
    known = list(dict.fromkeys(names[k] for k in rows))
    for name in systems or ():
        if name not in known:
            raise DataError(f"{columns.source} has no {name!r} in column {system!r}; it has {listing(known, 30)}")
    totals = {name: _by_fold(columns, [k for k in rows if names[k] == name], name) for name in systems or known}
    folds = _same_folds(columns.source, totals)
    table = {name: [by_fold[fold] for fold in folds] for name, by_fold in totals.items()}
    if folds == [None]:
        return Counts.from_totals({name: rows[0] for name, rows in table.items()})
    return Counts.from_totals(table, folds=[fold for fold in folds if fold is not None])


def _chosen(columns: Columns, where: Mapping[str, str]) -> list[int]:
    rows = list(range(len(columns.lines)))
    for name, value in where.items():
        column = columns.column(name)
        rows = [k for k in rows if str(column[k]) == value]
        if not rows:
            raise DataError(
                f"{columns.source} has no row with {value!r} in column {name!r}; "
                f"it has {listing(dict.fromkeys(map(str, column)), 30)}"
            )
    return rows


def _by_fold(columns: Columns, rows: Sequence[int], name: str) -> dict[Fold | None, tuple[float, float, float]]:
    """Totals of one system: gold, predicted, correct."""
    form = TOTALS if TOTALS[0] in columns.values else CELLS
    if form[0] not in columns.values:
        raise DataError(
            f"{columns.source} has neither columns {listing(TOTALS)} nor {listing(CELLS)}; "
            f"it has {listing(columns.values, 30)}"
        )
    found: dict[Fold | None, tuple[float, float, float]] = {}
    for k in rows:
        first, second, third = (_number(columns, column, k) for column in form)
        fold = _fold(columns, k)
        if fold in found:
            where = ", and there is no column fold" if fold is None else f" for repetition {fold[0]}, fold {fold[1]}"
            twice = f"{columns.source}, line {columns.lines[k]}: {name!r} has a second row{where}"
            raise unusable("{twice}; choose the rows by another column, as in {where:task=ner}", twice=twice)
        found[fold] = (first, second, third) if form is TOTALS else (first + third, first + second, first)
    return found


def _fold(columns: Columns, k: int) -> Fold | None:
    if "fold" not in columns.values:
        return None
    repetition = _number(columns, "repetition", k) if "repetition" in columns.values else 1
    return int(repetition), int(_number(columns, "fold", k))


def _number(columns: Columns, name: str, k: int) -> float:
    value: Any = columns.column(name)[k]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if number < 0 or not number.is_integer():
        raise DataError(
            f"{columns.source}, line {columns.lines[k]}: {value!r} in column {name!r}; a whole number is expected"
        )
    return number


def _same_folds(source: str, totals: Mapping[str, Mapping[Fold | None, Any]]) -> list[Fold | None]:
    """The folds, which every system must have."""
    (first, folds), *others = totals.items()
    for name, other in others:
        for one, two, missing in (
            (name, first, folds.keys() - other.keys()),
            (first, name, other.keys() - folds.keys()),
        ):
            fold = min((fold for fold in missing if fold is not None), default=None)
            if fold is not None:
                raise DataError(
                    f"{source} has no row of {one!r} for repetition {fold[0]}, fold {fold[1]}, where {two!r} has one; "
                    "every fold needs all systems"
                )
    return list(folds)
