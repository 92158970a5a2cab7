"""What a result brings of its own to a report: tables, and pictures that are drawn already."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from outperform.base.views import View
from outperform.formats import writers
from outperform.formats.escaping import one_line
from outperform.formats.table import Table
from outperform.results import Result

__all__ = ["Drawing", "Exhibit", "exhibit", "exhibits", "scrolled"]


@dataclass(frozen=True)
class Drawing:
    """A picture as SVG, and what it shows."""

    caption: str
    svg: str


@dataclass(frozen=True)
class Exhibit:
    """A table, and the pictures that belong to it."""

    table: Table
    drawings: Sequence[Drawing] = ()


exhibits: View[Sequence[Exhibit]] = View()  # what a report shows of a result in place of its tables alone


@exhibits.of(Result)
def none(_: Result) -> Sequence[Exhibit]:
    """A result brings nothing of its own, unless its kind is registered too."""
    return ()


def exhibit(own: Exhibit) -> str:
    """A section: the table under its caption, what is said of it, and its pictures."""
    table = writers.html(replace(own.table, caption="", signature="", remarks=()))
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in own.table.remarks)
    drawn = "".join(map(_figure, own.drawings))
    said = f"<ul>{remarks}</ul>" if remarks else ""
    caption = one_line(own.table.caption)
    return f"<section><h2>{escape(caption)}</h2>{scrolled(caption, table)}{said}{drawn}</section>"


def scrolled(name: str, table: str) -> str:
    """A table that may be wider than the page; the keyboard scrolls it too."""
    return f'<div class="op-scroll" tabindex="0" role="region" aria-label="{escape(name)}">{table}</div>'


def _figure(own: Drawing) -> str:
    """A picture of its own, so that no name in it meets one of another."""
    data = b64encode(own.svg.encode()).decode()
    said = escape(own.caption)
    return f'<figure><img alt="{said}" src="data:image/svg+xml;base64,{data}"><figcaption>{said}</figcaption></figure>'
