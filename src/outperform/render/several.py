"""Results of several rows: classes, slices, priors, or whatever was asked for together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outperform.base.errors import amount
from outperform.formats import writers
from outperform.formats.escaping import label
from outperform.formats.table import Column, Table
from outperform.render.tables import signature_of
from outperform.results import BySlice, PerClass, Result, Sensitivity, Several, views
from outperform.results.base import Row

__all__: list[str] = []


@views.text.of(Result)
def result_text(r: Result, width: int) -> str:  # noqa: ARG001
    """The tables, as wide as they need to be; a signature that all of them share comes once, at the end."""
    tables = r.tables()
    if len(tables) == 1 or len({table.signature for table in tables}) > 1:
        return "\n\n".join(map(writers.text, tables))
    plain = [writers.text(replace(table, signature="")).rstrip() for table in tables]
    return "\n\n".join([*plain, tables[0].signature])


@views.tables.of(Row)
def row_tables(r: Row) -> Sequence[Table]:
    """A table of one row."""
    return [views.table_of_rows[type(r)]([r])]


@views.line.of(PerClass, BySlice, Sensitivity)
def row_lines(r: PerClass[Any] | BySlice | Sensitivity) -> str:
    """One line per class, slice or prior."""
    if isinstance(r, BySlice):
        names = [*r.slices]
    else:
        names = [row.prior if isinstance(r, Sensitivity) else row.class_ for row in r.rows]
    return "\n".join(f"{label(name)}: {row!r}" for name, row in zip(names, r.rows, strict=True))


@views.tables.of(PerClass)
def class_tables(r: PerClass[Any]) -> Sequence[Table]:
    """One table, a line per class."""
    return [views.table_of_rows[type(r.rows[0])](r.rows)]


@views.tables.of(BySlice)
def slice_tables(r: BySlice) -> Sequence[Table]:
    """One table, a line per slice."""
    table = views.table_of_rows[type(r.rows[0])](r.rows)
    first, *others = table.columns
    shown = zip(r.slices, r.rows, table.rows, strict=True)
    rows = [[str(value), amount(row.items), *cells[1:]] for value, row, cells in shown]
    groups = [("", 2), *table.groups[1:]] if table.groups else ()
    columns = [replace(first, header="slice"), Column("items"), *others]
    signature = signature_of(r.rows).but(n=sum(row.items for row in r.rows))
    remarks = [*table.remarks, *r.notes]
    return [replace(table, columns=columns, rows=rows, groups=groups, remarks=remarks, signature=signature)]


@views.line.of(Several)
def several_lines(r: Several) -> str:
    """The lines of all parts."""
    return "\n".join(map(repr, r.parts))


@views.text.of(Several)
def several_text(r: Several, width: int) -> str:
    """The texts of all parts."""
    return "\n\n".join(part.to_text(width=width) for part in r.parts)


@views.tables.of(Several)
def several_tables(r: Several) -> Sequence[Table]:
    """One table of all parts where they are rows of one kind, else a table of each."""
    kind = type(r.parts[0])
    if issubclass(kind, Row) and all(type(part) is kind for part in r.parts):
        return [views.table_of_rows[kind](r.parts)]
    return [table for part in r.parts for table in part.tables()]
