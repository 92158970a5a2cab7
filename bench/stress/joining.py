"""Rows of the same worlds over further data sets, which were measured into another file, joined to those of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

__all__ = ["joined"]

Row = Mapping[str, str]
SAME = ("world", "method", "quantity")
MEANS = (
    "truth", "coverage", "width", "bias", "rope1", "decided1", "false1", "oracle1", "rope2", "decided2", "false2",
    "oracle2",
)  # fmt: skip
SPREAD = "true_sd_width"


def joined(rows: Sequence[Row], more: Sequence[Row]) -> list[dict[str, str]]:
    """Return the rows with those of other data sets added; seconds stay, since machines differ."""
    further = {tuple(row[name] for name in SAME): row for row in more}
    return [_both(row, further.get(tuple(row[name] for name in SAME))) for row in rows]


def _both(row: Row, more: Row | None) -> dict[str, str]:
    if more is None:
        return dict(row)
    numbers = [int(part["data_sets"]) for part in (row, more)]

    def mean(name: str, power: int = 1) -> str:
        if not (row[name] and more[name]):
            return row[name]
        values = [float(part[name]) ** power for part in (row, more)]
        whole = sum(number * value for number, value in zip(numbers, values, strict=True)) / sum(numbers)
        return str(round(sqrt(whole) if power == 2 else whole, 5))

    added = {name: str(int(row[name]) + int(more[name])) for name in ("data_sets", "failed")}
    return {**row, **added, **{name: mean(name) for name in MEANS}, SPREAD: mean(SPREAD, 2)}
