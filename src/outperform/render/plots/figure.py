"""A plot as a file for a paper: as wide as a column, with letters of 8 points and fonts embedded as TrueType."""

from __future__ import annotations

import io

from outperform.base.errors import need
from outperform.results import Ranking, Result, Several, views
from outperform.results.base import Listed

__all__ = ["figure"]

HEIGHT = 2.2  # inches, of a plot without rows
ABOVE, ROW = 0.9, 0.17  # inches, of a plot with rows
LOOK = {"font.size": 8.0, "pdf.fonttype": 42, "svg.hashsalt": "outperform", "savefig.dpi": 300}
UNDATED = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}  # so that the same result gives the same file


def figure(r: Result, width: float, ending: str) -> bytes:
    """Draw the plot of a result and return the file."""
    if isinstance(r, Several):
        raise ValueError("a figure shows one result, and there are several here; ask for one system or one measure")
    plt = need("matplotlib.pyplot", "plot")
    with plt.rc_context(LOOK):
        drawn, ax = plt.subplots(figsize=(width, _height(r)), layout="constrained")
        try:
            views.plot(r, ax)
            file = io.BytesIO()
            drawn.savefig(file, format=ending, metadata=UNDATED.get(ending))
        finally:
            plt.close(drawn)
    return file.getvalue()


def _height(r: Result) -> float:
    rows = len(r.rows) if isinstance(r, Listed) else len(r.systems) if isinstance(r, Ranking) else 0
    return ABOVE + ROW * rows if rows else HEIGHT
