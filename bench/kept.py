"""Simulations that take long: rows of a CSV file are kept as they are finished, and not made again."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["append", "asked", "read"]


def append(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, under a header if the file is new."""
    fresh = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerows(rows)


def read(file: Path) -> list[dict[str, str]]:
    """All rows; none if there is no file."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def asked(
    parser: argparse.ArgumentParser, file: Path, summary: Callable[[Path], str], arguments: Sequence[str] | None
) -> argparse.Namespace | None:
    """What a simulation was told, besides its own options; nothing more to do where only a summary is wanted."""
    parser.add_argument("--file", type=Path, default=file, help="where results are kept")
    parser.add_argument("--table", action="store_true", help="print a summary of the file and stop")
    options = parser.parse_args(arguments)
    if options.table:
        print(summary(options.file))
        return None
    return options
