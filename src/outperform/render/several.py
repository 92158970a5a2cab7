"""Results of several rows: classes, slices, priors, or whatever was asked for together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outperform.base.errors import amount
from outperform.formats import writers
from outperform.formats.escaping import label
from outperform.formats.table import Column, Table
from outperform.render.card import card_markdown
from outperform.render.layout import paragraphs
from outperform.render.screen import tables_text
from outperform.render.tables import remarks_of, signature_of
from outperform.render.text import worth
from outperform.results import BySlice, Comparison, PerClass, Result, Sensitivity, Several, card_of, views
from outperform.results.advice import after_verdicts
from outperform.results.base import Row
from outperform.results.card import tally

__all__: list[str] = []


@views.text.of(Result)
def result_text(r: Result, width: int | None, *, verbose: bool) -> str:
    """The tables after what they come to; a signature that all of them share comes once, at the end."""
    return tables_text(r.tables(), width, verbose=verbose)


@views.markdown.of(Result)
def result_markdown(r: Result) -> str:
    """The tables; a signature that all of them share comes once, at the end."""
    *others, last = r.tables()
    shared = all(table.signature == last.signature for table in others)
    tables = [replace(table, signature="") if shared else table for table in others]
    return "\n\n".join(map(writers.markdown, [*tables, last]))


@views.markdown.of(Comparison)
def comparison_markdown(r: Comparison) -> str:
    """The card, the notes, the signature, and the papers' table folded between them."""
    first, *others = r.tables()
    tables = [replace(first, lead="", remarks=(), signature=""), *(replace(t, signature="") for t in others)]
    details, terms = map(writers.markdown, tables), " ".join((card := card_of(r)).terms)
    folded = paragraphs("<details><summary>Details</summary>", *details, terms, "</details>")
    return paragraphs(card_markdown(card), folded, writers.markdown_notes(first))


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
    columns = [replace(first, header=r.kind), Column("items", spare=3), *others]
    signature = signature_of(r.rows).but(n=sum(row.items for row in r.rows))
    table = replace(table, columns=columns, rows=rows, groups=groups, signature=signature)
    remarks = [*worth(r.rows[0].verdicts, rope=r.rows[0].rope is not None), *remarks_of(r.rows, r.slices), *r.notes]
    lead, further = tally(r.rows, f"{r.kind}s"), after_verdicts(r.rows, r.slices, f"{r.kind}s")
    return [replace(table, remarks=remarks, lead=lead, next=further)]


@views.line.of(Several)
def several_lines(r: Several) -> str:
    """The lines of all parts."""
    return "\n".join(map(repr, r.parts))


@views.text.of(Several)
def several_text(r: Several, width: int | None, *, verbose: bool) -> str:
    """The texts of all parts; tables of classes share what is said once."""
    if all(isinstance(part, PerClass) for part in r.parts):
        return tables_text(r.tables(), width, verbose=verbose)
    return "\n\n".join(part.to_text(width=width, verbose=verbose) for part in r.parts)


@views.tables.of(Several)
def several_tables(r: Several) -> Sequence[Table]:
    """One table of all parts where they are rows of one kind, else a table of each."""
    kind = type(r.parts[0])
    if issubclass(kind, Row) and all(type(part) is kind for part in r.parts):
        return [views.table_of_rows[kind](r.parts)]
    return [table for part in r.parts for table in part.tables()]
