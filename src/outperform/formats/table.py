"""A table as every writer takes it: a header, cells of text, and the texts around them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Column", "Table"]


@dataclass(frozen=True)
class Column:
    """A header, the alignment of its cells ("l", "r" or "c"), and how a cell is written of what its row shows.

    `spare` says which columns a narrow terminal does without: the highest first, those with 0 never.
    """

    header: str
    align: str = "r"
    cell: Callable[[Any], str] = str
    spare: int = 0


@dataclass(frozen=True)
class Table:
    """Rows of text under columns, with a caption above, and remarks and the signature below.

    `lead` is the answer in one sentence, where the table answers a question, and `next` what to do then. `groups` are
    headings above the columns, with the number of columns that each spans. For papers: `label` is what the text refers
    to, `bold` are cells as (row, column), and `total` says that the last row stands apart.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    signature: str = ""
    remarks: Sequence[str] = ()
    lead: str = ""
    groups: Sequence[tuple[str, int]] = ()
    label: str = ""
    bold: Collection[tuple[int, int]] = ()
    total: bool = False
    next: str = ""

    @classmethod
    def of(cls, shown: Iterable[Any], columns: Sequence[Column], *texts: Any, **groups: Any) -> Table:
        """Write a row for each thing shown, by the columns; the other arguments are as in `Table`."""
        return cls(columns, [[column.cell(thing) for column in columns] for thing in shown], *texts, **groups)
