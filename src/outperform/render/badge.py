"""A badge for pull requests: the verdict as an image of shields.io.

GitHub shows no image that is part of a comment, so the image has an address. It holds the measure and the verdict, and
no names of systems or classes; where it cannot be fetched, its text is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast
from urllib.parse import quote

from outperform.formats import escaping
from outperform.results import Comparison, Result, Rows, views
from outperform.verdicts.decision import VERDICTS

__all__: list[str] = []

ADDRESS = "https://img.shields.io/badge/"
COLOURS = {"better": "0072b2", "worse": "d55e00", "equivalent": "009e73", "unresolved": "767676"}
WORDS = {"better": "better", "worse": "worse", "equivalent": "practically the same", "unresolved": "unresolved"}


@views.badge.of(Result)
def no_badge(r: Result) -> str:
    """Say which results have a badge."""
    raise ValueError(f"a badge shows the verdict on two systems, and a {type(r).__name__} has none; leave it out")


@views.badge.of(Rows)
def badge(r: Rows) -> str:
    """The verdict; of several rows, how many there are of each, in the colour of the worst."""
    rows = r.all_rows()
    if not all(isinstance(row, Comparison) and row.decision for row in rows):
        raise ValueError(
            "a badge shows the verdict on two systems, which needs a ROPE; give one, or leave the badge out"
        )
    number = Counter(_outcome(row) for row in cast("Sequence[Comparison]", rows))
    first = cast("Comparison", rows[0])
    several = len(rows) > 1
    said = ", ".join(f"{number[name]} {word}" if several else word for name, word in WORDS.items() if number[name])
    worst = next(name for name in ("worse", "unresolved", "equivalent", "better") if number[name])
    address = f"{ADDRESS}{_part(first.measure)}-{_part(said)}-{COLOURS[worst]}"
    return f"![{escaping.markdown(f'{first.measure}: {said}')}]({address})"


def _outcome(row: Comparison) -> str:
    name = row.decision.name if row.decision else ""
    return name if name in VERDICTS else "unresolved"


def _part(text: str) -> str:
    """A part of the address; shields.io reads - and _ as marks where they are not doubled."""
    return quote(escaping.one_line(text).replace("-", "--").replace("_", "__"), safe="")
