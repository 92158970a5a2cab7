"""A table as every writer takes it: a header, cells that are text already, what is said around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Column", "Table"]


@dataclass(frozen=True)
class Column:
    """A header and how its cells are set: "l", "r" or "c"."""

    header: str
    align: str = "r"


@dataclass(frozen=True)
class Table:
    """Rows of text under columns, with a caption above, and remarks and the signature below.

    Where it is the answer to a question, `lead` says what it comes to. `groups` are headings above the columns, and
    how many each spans.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    signature: str = ""
    remarks: Sequence[str] = ()
    lead: str = ""
    groups: Sequence[tuple[str, int]] = ()
