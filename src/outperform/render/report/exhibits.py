"""Tables with pictures, which a result may show in a report in place of its tables alone."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from outperform.base.errors import need
from outperform.base.views import View
from outperform.formats import writers
from outperform.formats.escaping import one_line
from outperform.formats.table import Table
from outperform.results import Result

__all__ = ["Exhibit", "Picture", "breakable", "exhibit", "exhibits", "scrolled"]

SIZE = (6.0, 3.2)  # inches
SIGNS = re.compile(r"(?<=\w)([._/:-]+)(?=\w)")  # between the parts of a name
SETTINGS = {"svg.hashsalt": "outperform"}  # so that the same picture is the same file


@dataclass(frozen=True, eq=False)
class Picture:
    """A caption, and a function that draws into axes when the picture is asked for."""

    caption: str
    draw: Callable[[Any], object]

    def figure(self) -> Any:
        """The picture as a matplotlib figure."""
        figure = need("matplotlib.figure", "plot").Figure(figsize=SIZE, layout="constrained")
        self.draw(figure.subplots())
        return figure

    def svg(self) -> str:
        """The picture as the text of a file."""
        drawn = io.StringIO()
        with need("matplotlib", "plot").rc_context(SETTINGS):
            self.figure().savefig(drawn, format="svg", metadata={"Date": None})
        return drawn.getvalue()


@dataclass(frozen=True)
class Exhibit:
    """A table, and the pictures that belong to it."""

    table: Table
    pictures: Sequence[Picture] = ()


exhibits: View[Sequence[Exhibit]] = View()  # what a report shows of a result in place of its tables alone


@exhibits.of(Result)
def none(_: Result) -> Sequence[Exhibit]:
    """No exhibits, unless the kind of result has its own."""
    return ()


def exhibit(shown: Exhibit) -> str:
    """A section: the table under its caption, its remarks, and its pictures."""
    table = writers.html(replace(shown.table, caption="", signature="", remarks=()))
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in shown.table.remarks)
    drawn = "".join(map(_figure, shown.pictures))
    said = f"<ul>{remarks}</ul>" if remarks else ""
    caption = one_line(shown.table.caption)
    return f"<section><h2>{escape(caption)}</h2>{scrolled(caption, table)}{said}{drawn}</section>"


def breakable(name: str) -> str:
    """A name that is broken after a sign in it where it is too long for its cell, and inside a word only then."""
    parts = SIGNS.sub(r"\1<wbr>", escape(name))
    return f"<bdi>{parts}</bdi>"


def scrolled(name: str, table: str) -> str:
    """A table that may be wider than the page; the keyboard scrolls it too."""
    return f'<div class="op-scroll" tabindex="0" role="region" aria-label="{escape(name)}">{table}</div>'


def _figure(picture: Picture) -> str:
    """A picture as an image, so that no id in it meets one of another picture."""
    data = b64encode(picture.svg().encode()).decode()
    said = escape(picture.caption)
    return f'<figure><img alt="{said}" src="data:image/svg+xml;base64,{data}"><figcaption>{said}</figcaption></figure>'
