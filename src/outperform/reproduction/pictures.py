"""Figures of the papers, drawn by our own plots when they are asked for."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outperform.base.errors import need

__all__ = ["Picture"]

SIZE = (6.0, 3.2)  # inches
SETTINGS = {"svg.hashsalt": "outperform"}  # the same picture is the same file


@dataclass(frozen=True, eq=False)
class Picture:
    """What it shows, and what draws it into axes."""

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
