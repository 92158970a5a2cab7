"""Tables that fit a terminal: columns are dropped in the order that they state, then names are shortened."""

from __future__ import annotations

from dataclasses import replace

from outperform.formats import escaping
from outperform.formats.table import Table

__all__ = ["fitting"]

BETWEEN = 2  # blanks between columns
SHORTEST = 8  # name that is left where names must be shortened


def fitting(table: Table, width: int) -> Table:
    """Return the table without the columns that do not fit, and with a remark that names them."""
    dropped: list[str] = []
    while _taken(table) > width and (most := max(column.spare for column in table.columns)):
        dropped += [column.header for column in table.columns if column.spare == most]
        table = _without(table, most)
    if (over := _taken(table) - width) > 0 and table.columns[0].align == "l":
        room = max(_widths(table)[0] - over, SHORTEST)
        rows = [[escaping.shorten(first, room), *others] for first, *others in table.rows]
        table = replace(table, rows=rows)
    if not dropped:
        return table
    return replace(table, remarks=[*table.remarks, f"columns that do not fit in {width}: {', '.join(dropped)}."])


def _without(table: Table, spare: int) -> Table:
    kept = [k for k, column in enumerate(table.columns) if column.spare != spare]
    rows = [[row[k] for k in kept] for row in table.rows]
    return replace(table, columns=[table.columns[k] for k in kept], rows=rows, groups=())


def _taken(table: Table) -> int:
    return sum(_widths(table)) + BETWEEN * (len(table.columns) - 1)


def _widths(table: Table) -> list[int]:
    grid = [[column.header for column in table.columns], *table.rows]
    return [max(map(escaping.width, cells)) for cells in zip(*grid, strict=True)]
