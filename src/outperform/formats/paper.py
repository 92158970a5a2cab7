"""Tables for papers: LaTeX that fits its column, whatever the names in it.

Names are broken into lines in the room that the numbers leave (tabularx). The width of numbers is known beforehand,
from the widths of characters in Computer Modern: letters are made as small as they must be, and too many columns are
refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from outperform.base.errors import check_known
from outperform.base.sentences import Sentence, invalid
from outperform.formats import escaping
from outperform.formats.table import Table
from outperform.formats.writers import latex_cell, latex_comments, latex_row

__all__ = ["SPANS", "Span", "check_figure", "check_style", "ems", "paper"]

STYLES = ("full", "paper")  # of LaTeX
FIGURES = ("pdf", "svg", "png")

POINTS = 72.27  # per inch, in TeX
SIZES = {r"\small": 10.0, r"\footnotesize": 9.0, r"\scriptsize": 8.0}  # in points, where the text has 11
NAMES = 56.0  # points that names have at least
WORD, WORD_OF_CAPTION = 8, 18  # characters after which a word may be broken, in names and in a caption
GAP = 6.0  # points between two columns
EM = {  # widths of characters, as shares of the size of the letters
    **dict.fromkeys(".,:;'|!", 0.28), **dict.fromkeys("[]", 0.28), **dict.fromkeys("() ", 0.39),
    **dict.fromkeys("+-−±<>≈≤≥", 0.78), "%": 0.83, "≫": 1.0, "≪": 1.0, "m": 0.84, **dict.fromkeys("MW@", 1.03),
}  # fmt: skip
DIGIT, CAPITAL, OTHER = 0.5, 0.75, 0.53
BOLD = 1.15  # times as wide


@dataclass(frozen=True)
class Span:
    """What a table or a figure extends over: the environment, and the width in TeX and in inches.

    Of templates that differ, `inches` is that of the narrowest and `figure` a usual one.
    """

    environment: str
    length: str
    inches: float
    figure: float

    @classmethod
    def of(cls, text: str | float) -> Span:
        """Read "column", "page" or a width in inches."""
        if text in SPANS:
            return SPANS[str(text)]
        try:
            inches = float(text)
        except ValueError:
            inches = 0.0
        if not isfinite(inches) or not 1 <= inches <= 20:
            raise invalid("{span} takes column, page or a width of 1 to 20 inches, got {text!r}", text=text)
        return cls("table", f"{inches:g}in", inches, inches)


# The narrowest of the usual templates have 7.7 and 16 cm.
SPANS = {"column": Span("table", r"\columnwidth", 3.03, 3.3), "page": Span("table*", r"\textwidth", 6.3, 7.0)}


def check_style(style: str) -> str:
    """Validate the style of LaTeX tables."""
    check_known("style", style, STYLES)
    return style


def check_figure(path: str | Path) -> str:
    """Return the format of a figure, by the ending of its file."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FIGURES:
        raise ValueError(f"a figure is written to a file that ends in .pdf, .svg or .png, got {str(path)!r}")
    return ending


def paper(table: Table, span: Span, sentences: Sequence[str] = ()) -> str:
    """A LaTeX table that fits its column; sentences, remarks and the signature are comments below it."""
    columns = table.columns
    names, *others = columns
    aligned = "".join(column.align for column in others)
    body = [
        rf"\begin{{{span.environment}}}[t]",
        rf"  \centering\sloppy{_size(table, span)}\setlength{{\tabcolsep}}{{{GAP / 2:g}pt}}"
        r"\setlength{\belowcaptionskip}{4pt}",
        rf"  \caption{{{escaping.latex(table.caption, WORD_OF_CAPTION)}}}",
        rf"  \label{{{table.label}}}",
        rf"  \begin{{tabularx}}{{{span.length}}}{{@{{}}>{{\raggedright\arraybackslash}}X{aligned}@{{}}}}",
        r"    \toprule",
        latex_row([escaping.latex(names.header), *(escaping.latex(column.header) for column in others)]),
        r"    \midrule",
        *(row for k in range(len(table.rows)) for row in _rows(table, k)),
        r"    \bottomrule",
        r"  \end{tabularx}",
    ]
    said = (escaping.latex(sentence, WORD_OF_CAPTION) for sentence in sentences)
    comments = latex_comments(table, body, "booktabs,tabularx", said)
    return "\n".join([body[0], comments[0], *body[1:], *comments[1:], rf"\end{{{span.environment}}}"])


def _rows(table: Table, k: int) -> list[str]:
    """One row; a rule above it where it is the last and stands apart."""
    name, *others = table.rows[k]
    cells = [escaping.latex(escaping.label(name), WORD)]
    for place, (column, cell) in enumerate(zip(table.columns[1:], others, strict=True), start=1):
        written = latex_cell(cell, column.align)
        cells.append(rf"\textbf{{{written}}}" if (k, place) in table.bold else written)
    rule = [r"    \midrule"] if table.total and k == len(table.rows) - 1 else []
    return [*rule, latex_row(cells)]


def _size(table: Table, span: Span) -> str:
    """The largest letters with which numbers leave room for names."""
    width = sum(_widest(table, k) for k in range(1, len(table.columns)))
    gaps = GAP * (len(table.columns) - 1)
    for command, points in SIZES.items():
        if width * points + gaps + NAMES <= POINTS * span.inches:
            return command
    needed = (width * min(SIZES.values()) + gaps + NAMES) / POINTS
    wider = "" if span == SPANS["page"] else Sentence(", or use {span:page}")
    said = "these columns take {needed:.2f} inches and there are {inches:g}; choose fewer with {columns}{wider}"
    raise invalid(said, needed=needed, inches=span.inches, wider=wider)


def _widest(table: Table, k: int) -> float:
    """Width of a column of numbers, in the size of the letters."""
    cells = (ems(row[k]) * (BOLD if (at, k) in table.bold else 1) for at, row in enumerate(table.rows))
    return max(ems(table.columns[k].header), *cells)


def ems(text: str) -> float:
    """Return the width of a text, in the size of the letters."""
    return sum(map(_em, text))


def _em(character: str) -> float:
    if character in EM:
        return EM[character]
    return DIGIT if character.isdigit() else CAPITAL if character.isupper() else OTHER if character.isascii() else 1.0
