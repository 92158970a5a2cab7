"""The views of results; the renderers in `render` register themselves here for their type of result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outperform.base.views import View
from outperform.formats.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any  # matplotlib is imported where something is plotted

__all__ = [
    "Axes", "badge", "figure", "line", "markdown", "page", "paper", "plot", "reporting", "snippet", "table_of_rows",
    "tables", "text",
]  # fmt: skip

line: View[str] = View()  # one line, or a line per row
text: View[str] = View()  # a page for the terminal, of a given width, in brief or in full
markdown: View[str] = View()  # a comment
tables: View[Sequence[Table]] = View()  # all tables
table_of_rows: View[Table] = View()  # one table of several rows of a type
paper: View[Sequence[Table]] = View()  # tables for a paper, of the chosen columns
reporting: View[tuple[str, str]] = View()  # a sentence for the text of a paper, and one for its appendix
badge: View[str] = View()  # an image in Markdown that shows the verdict
page: View[str] = View(".report")  # an HTML file
snippet: View[str] = View(".report")  # HTML for a notebook
plot: View[Axes] = View(".plots")  # a plot on axes; of the given kind if there are several
figure: View[bytes] = View(".plots")  # a file with the plot, for a paper
