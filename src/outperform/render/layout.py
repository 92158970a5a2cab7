"""Parts of a text for the terminal: paragraphs, notes, and lines of numbers that fit a width."""

from __future__ import annotations

from collections.abc import Sequence

from outperform.formats import escaping

__all__ = ["aligned", "noted", "paragraphs"]

NUMBER = 9  # columns of a number
SHORTEST = 8  # name that is left where names must be shortened
KEPT = ((1, 2, 3), (1, 2), (2,))  # of observed, mean and sd: sd is dropped first, then observed


def paragraphs(*parts: str) -> str:
    """Join the parts that are not empty, with a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def noted(*notes: str) -> str:
    """Notes, one per line."""
    return "\n".join(f"Note: {note}" for note in notes)


def aligned(rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Lines of a name, observed value, mean and sd below each other; what comes after these stands as it is.

    In a narrow terminal, the sd is dropped, then the observed value; then names are shortened.
    """
    name, rest = max(escaping.width(row[0]) for row in rows), rows[0][4:]
    taken = 2 + sum(3 + max(escaping.width(row[4 + k]) for row in rows) for k in range(len(rest)))
    wanted = (kept for kept in KEPT if width is None or name + taken + NUMBER * len(kept) <= width)
    kept = next(wanted, KEPT[-1])
    if width is not None:
        name = min(name, max(width - taken - NUMBER * len(kept), SHORTEST))
    return "\n".join(
        f"{escaping.padded(escaping.shorten(row[0], name), name)}  "
        + "".join(f"{row[k]:>{NUMBER}}" for k in kept)
        + "".join(f"   {more}" for more in row[4:])
        for row in rows
    )
