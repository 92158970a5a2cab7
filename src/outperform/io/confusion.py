"""Confusion matrices from CSV or TSV files: numbers alone, under a header of classes, or with names on both sides."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from outperform.counts import Counts
from outperform.errors import DataError, listing
from outperform.io.align import file_names
from outperform.io.files import read_text
from outperform.labels import Label

__all__ = ["read_confusion"]


def read_confusion(paths: Sequence[str | Path], *, labels: Sequence[Label] | None = None) -> Counts:
    """Count classifiers of which only confusion matrices are known, one file each; rows are true classes.

    Parameters
    ----------
    paths : sequence of paths
        CSV or TSV. The classes may be named in a header, or in a header and in the first column.
    labels : sequence of labels
        The classes, where the files do not name them.
    """
    tables = [_table(str(path)) for path in paths]
    names = file_names([str(path) for path in paths])
    for path, (_, own) in zip(paths, tables, strict=True):
        if labels is not None and own is not None and list(map(str, labels)) != own:
            raise DataError(f"{path} names the classes {listing(own, 6)}, but labels= says {listing(labels, 6)}")
    given = labels if labels is not None else next((own for _, own in tables if own is not None), None)
    for path, (_, own) in zip(paths, tables, strict=True):
        if own is not None and labels is None and own != given:
            raise DataError(
                f"{path} names the classes {listing(own, 6)} and {paths[0]} {listing(given or (), 6)}; "
                "bring both into the same order of the same classes"
            )
    matrices = {name: matrix for name, (matrix, _) in zip(names, tables, strict=True)}
    return Counts.from_confusion(matrices, labels=given)


def _table(path: str) -> tuple[Any, list[str] | None]:
    """The numbers, and the names of the classes where there are any."""
    text, source = read_text(path)
    delimiter = "\t" if text.split("\n", 1)[0].count("\t") else ","
    rows = [
        [cell.strip() for cell in row] for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row
    ]
    width = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise DataError(f"{source}, line {number}: {len(row)} values where the first line has {width}")
    header: list[str] | None = None
    if len(rows) == width + 1 or not all(map(_is_number, rows[0])):
        header, rows = rows[0], rows[1:]
    if header is not None and len(rows) == width - 1:
        names, header = [row[0] for row in rows], header[1:]
        if names != header:
            raise DataError(f"{source}: the rows are called {listing(names, 6)} and the columns {listing(header, 6)}")
        rows = [row[1:] for row in rows]
    for number, row in enumerate(rows, start=1 if header is None else 2):
        for cell in row:
            if not _is_number(cell):
                raise DataError(f"{source}, line {number}: {cell!r} is not a number of items")
    return np.array([[float(cell) for cell in row] for row in rows]), header


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
