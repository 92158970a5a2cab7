"""A table as every writer takes it: a header, cells of text, and the texts around them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Column", "Table"]


@dataclass(frozen=True)
class Column:
    """A header, the alignment of its cells ("l", "r" or "c"), and how a cell is written of what its row shows.

    `spare` says which columns a narrow terminal does without: the highest first, those with 0 never. `means`
    explains the header below the table in a terminal, where a column with `detail` is shown only on request.
    """

    header: str
    align: str = "r"
    cell: Callable[[Any], str] = str
    spare: int = 0
    means: str = ""
    detail: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of text under columns, with a caption above, and remarks and the signature below.

    `lead` is the answer in one sentence, where the table answers a question, and `next` what to do then. `groups` are
    headings above the columns, with the number of columns that each spans. For papers: `label` is what the text refers
    to, `bold` are cells as (row, column), and `total` says that the last row stands apart. `order` has the numbers of
    the rows, the most telling first, where a terminal may leave out the last; `rest` says what those have in common.
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
    order: Sequence[int] = ()
    rest: str = ""

    @property
    def legend(self) -> str:
        """What the columns mean, in one line; those that mean the same together."""
        means = dict.fromkeys(column.means for column in self.columns if column.means)
        named = ((", ".join(c.header for c in self.columns if c.means == text), text) for text in means)
        return "; ".join(f"{headers}: {text}" for headers, text in named)

    @classmethod
    def of(cls, shown: Iterable[Any], columns: Sequence[Column], *texts: Any, **groups: Any) -> Table:
        """Write a row for each thing shown, by the columns; the other arguments are as in `Table`."""
        return cls(columns, [[column.cell(thing) for column in columns] for thing in shown], *texts, **groups)
