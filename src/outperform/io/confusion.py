"""Confusion matrices from CSV or TSV files: numbers alone, under a header of classes, or with names on both sides."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from outperform.base.errors import DataError, listing
from outperform.base.sentences import Sentence
from outperform.data.counts import Counts
from outperform.data.labels import Label, as_labels, is_number
from outperform.io.align import file_names
from outperform.io.files import read_text

__all__ = ["check_totals", "count_confusion", "matrix_of", "read_confusion"]


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
            found = f"{source} names the classes {listing(header, 6)}"
            if first:
                advice = "bring both into the same order of the same classes"
                raise DataError(f"{found} and {first} {listing(given, 6)}; {advice}")
            raise DataError(Sentence("{found}, but {labels} says {given}", found=found, given=listing(given, 6)))
        if header is not None and given is None:
            first, given = source, [*header]
    return Counts.from_confusion(matrices, labels=given)


def matrix_of(text: str, source: str) -> tuple[list[list[float]], list[str] | None]:
    """Read the numbers, and the names of the classes where there are any: above, or above and on the left."""
    first = text.split("\n", 1)[0]
    sign = next((sign for sign in "\t;," if sign in first), None)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=sign) if sign else map(str.split, text.splitlines())
    rows = [[cell.strip() for cell in row] for row in lines if any(map(str.strip, row))]
    head = len(rows) == max(map(len, rows)) + 1 or not all(map(is_number, rows[0]))
    header, rows = (rows[0], rows[1:]) if head else (None, rows)
    for number, row in enumerate(rows, start=1 + head):
        if len(row) != len(rows[0]):
            raise DataError(f"{source}, line {number}: {len(row)} values where line {1 + head} has {len(rows[0])}")
    if header is not None and rows and len(rows[0]) == len(rows) + 1:
        names, header = [row[0] for row in rows], header[-len(rows) :]
        if names != header:
            raise DataError(f"{source}: the rows are called {listing(names, 6)} and the columns {listing(header, 6)}")
        rows = [row[1:] for row in rows]
    return [[_size(cell, f"{source}, line {k}") for cell in row] for k, row in enumerate(rows, start=1 + head)], header


def check_totals(rows: Sequence[Sequence[float]], source: str) -> None:
    """Refuse a matrix of two classes or more whose last row and column are totals, which would be one more class."""
    *classes, totals = rows
    if len(classes) < 2 or not any(totals) or len(totals) != len(rows):
        return
    down = all(sum(row[k] for row in classes) == total for k, total in enumerate(totals))
    if down and all(sum(row[:-1]) == row[-1] for row in rows):
        raise DataError(f"{source}: the last row and the last column are totals of the others; leave both out")


def _size(cell: str, where: str) -> float:
    if not is_number(cell):
        raise DataError(f"{where}: {f'{cell!r} is not a number of items' if cell else 'a number of items is missing'}")
    return float(cell)
