"""Tables on one screen: what they come to and what to do next come first, and the rest is shown on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from outperform.base.signature import Signature
from outperform.formats import writers
from outperform.formats.table import Table
from outperform.render.card import next_line
from outperform.render.layout import paragraphs
from outperform.results.card import basis

__all__ = ["LEFT_OUT", "tables_text"]

MOST_ROWS, SHOWN = 15, 12  # rows that are all shown, and how many of more are
FEWEST_SHOWN = 4  # rows of each of several tables
MOST_NOTES = 3
LEFT_OUT = "{what} left out; -v shows all (in Python to_text(verbose=True))"


def tables_text(tables: Sequence[Table], width: int | None, *, verbose: bool) -> str:
    """Tables for a terminal, each after its lead; in brief without details, with the signature in short.

    What tables share is said once: the next step, the meaning of a column, the signature.
    """
    if not verbose:
        tables = [_brief(table, len(tables)) for table in tables]
    last = tables[0].signature
    if len(tables) > 1 and all(table.signature == last for table in tables):
        tables = [replace(table, signature="") for table in tables]
    else:
        last = ""
    shown = _said_once(tables)
    return paragraphs(
        *(part for table in shown for part in (_lead(table), writers.text(table, width).strip("\n"))), last
    )


def _brief(table: Table, tables: int) -> Table:
    """The rows and columns that tell most, and the first notes."""
    most = max(SHOWN // tables, FEWEST_SHOWN)
    rows, remarks = table.rows, list(table.remarks[:MOST_NOTES])
    if len(rows) > max(MOST_ROWS // tables, FEWEST_SHOWN) and table.order:
        rows = [rows[k] for k in table.order[:most]]
        what = f"{len(table.rows) - most:,} more rows, {table.rest}, are"
        remarks.insert(0, f"{LEFT_OUT.format(what=what)}.")
    if more := len(table.remarks) - MOST_NOTES if len(table.remarks) > MOST_NOTES else 0:
        remarks.append(f"{LEFT_OUT.format(what='1 more note is' if more == 1 else f'{more} more notes are')}.")
    kept = [k for k, column in enumerate(table.columns) if not column.detail]
    return replace(
        table,
        columns=[table.columns[k] for k in kept],
        rows=[[row[k] for k in kept] for row in rows],
        groups=(),
        remarks=remarks,
        signature=basis(table.signature) if isinstance(table.signature, Signature) else "",
    )


def _said_once(tables: Sequence[Table]) -> Iterator[Table]:
    """The tables, of which only the first with a column says what it means, and only the first what to do next."""
    known, steps = set[tuple[str, str]](), set[str]()
    for table in tables:
        columns = [replace(c, means="") if (c.header, c.means) in known else c for c in table.columns]
        yield replace(table, columns=columns, next="" if table.next in steps else table.next)
        known |= {(column.header, column.means) for column in columns}
        steps.add(table.next)


def _lead(table: Table) -> str:
    """What a table comes to, and what to do next."""
    return "\n".join(filter(None, (writers.prose(table.lead), writers.prose(next_line(table.next)))))
