"""Writers: one table in, text of one format out. Each escapes what its format needs escaped.

Tables that are too wide for a terminal lose columns in the order that they state, then names are shortened.
"""

from __future__ import annotations

import csv as stdlib_csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from outperform.formats import escaping
from outperform.formats.table import Table

__all__ = [
    "csv", "fitting", "html", "latex", "latex_cell", "latex_comments", "latex_row", "markdown", "markdown_grid",
    "markdown_notes", "prose", "text",
]  # fmt: skip

NUMBERS = re.compile(r"(?=.*\d)[-+<>\d.,%/e\[\] ]+")
# A power of ten, after LaTeX has escaped its minus sign: 1.2e$-$05.
POWER = re.compile(r"([\d.]+)e(?:\$(-)\$|\+)0*(\d+)")
WIDE = 7  # columns, above which a table is set in small print
CELL = 203  # characters, two names of the longest
BEYOND = "; XeLaTeX or LuaLaTeX and a font for what is beyond ASCII (pdfLaTeX knows accented Latin letters)"
BETWEEN = 2  # blanks between columns
SHORTEST = 8  # name that is left where names must be shortened


def text(table: Table, width: int | None = None) -> str:
    """Aligned columns for a terminal of some width; of longer names the middle is left out."""
    table = table if width is None else fitting(table, width)
    grid = [[column.header for column in table.columns], *table.rows]
    head, *rows = [[_text(cell, 2 * escaping.NAME + 3) for cell in line] for line in grid]
    widths = [max(map(escaping.width, cells)) for cells in zip(head, *rows, strict=True)]
    place = {"l": str.ljust, "r": str.rjust, "c": str.center}

    def line(cells: Sequence[str]) -> str:
        spare = [len(cell) - escaping.width(cell) for cell in cells]  # wide characters take two columns
        rooms = zip(table.columns, cells, widths, spare, strict=True)
        placed = (place[column.align](cell, width + more) for column, cell, width, more in rooms)
        return "  ".join(placed).rstrip()

    rule = "─" * (sum(widths) + 2 * len(widths) - 2)
    legend = [f"{table.legend}."] if table.legend else []
    caption, *below = map(prose, (table.caption, *legend, *(f"Note: {r}" for r in table.remarks)))
    return "\n".join(
        [caption, rule, line(head), rule, *map(line, rows), rule, *below, escaping.signature(table.signature)]
    )


def markdown(table: Table) -> str:
    """A block for a comment: what it comes to, the caption, a table, remarks, the signature in small print."""
    lead, caption = table.lead, escaping.markdown(table.caption)
    opening = [f"**{escaping.markdown(lead)}**", escaping.markdown(table.next), caption] if lead else [f"**{caption}**"]
    return "\n\n".join(filter(None, [*opening, markdown_grid(table), markdown_notes(table)]))


def markdown_notes(table: Table) -> str:
    """The remarks and the signature, in Markdown."""
    remarks = [re.sub(r"^(\d*)([-+#.)])", r"\1\\\2", escaping.markdown(remark)) for remark in table.remarks]
    signature = [f"<sub>{_code(escaping.signature(table.signature))}</sub>"] if table.signature else []
    return "\n\n".join([*remarks, *signature])


def markdown_grid(table: Table) -> str:
    """The columns and rows alone, in Markdown."""
    marks = {"l": ":---", "r": "---:", "c": ":---:"}

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(map(escaping.markdown, cells))} |"

    rule = f"|{'|'.join(marks[column.align] for column in table.columns)}|"
    return "\n".join([line([column.header for column in table.columns]), rule, *map(line, table.rows)])


def latex(table: Table) -> str:
    """A LaTeX table; needs the package booktabs."""
    columns = table.columns
    caption = re.sub(r"(?<=\[)-(?=\d)", "−", table.caption)
    body = [
        r"  \centering" + (r"\footnotesize\setlength{\tabcolsep}{3pt}" if len(columns) > WIDE else ""),
        rf"  \caption{{{escaping.latex(caption)}}}",
        rf"  \begin{{tabular}}{{{''.join(column.align for column in columns)}}}",
        r"    \toprule",
        *_latex_groups(table.groups),
        latex_row(latex_cell(column.header, "l") for column in columns),
        r"    \midrule",
        *(
            latex_row(latex_cell(cell, column.align) for column, cell in zip(columns, row, strict=True))
            for row in table.rows
        ),
        r"    \bottomrule",
        r"  \end{tabular}",
    ]
    said = latex_comments(table, body, "booktabs")
    return "\n".join([r"\begin{table}", said[0], *body, *said[1:], r"\end{table}"])


def latex_comments(table: Table, body: Iterable[str], packages: str, sentences: Iterable[str] = ()) -> list[str]:
    """Comments of a LaTeX table: the packages that it needs, sentences, the remarks and the signature."""
    needs = rf"\usepackage{{{packages}}}" + ("" if "".join(body).isascii() else BEYOND)
    said = (needs, *sentences, *map(escaping.one_line, table.remarks), escaping.signature(table.signature))
    return [f"  % {text}" for text in said if text]


def html(table: Table) -> str:
    """An HTML table for notebooks."""

    def cells(tag: str, row: Sequence[str]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)}</tr>"

    head = cells("th", [column.header for column in table.columns])
    body = "".join(cells("td", row) for row in table.rows)
    remarks = "".join(f"<p>{escape(remark)}</p>" for remark in table.remarks)
    return (
        f"<table><caption>{escape(table.caption)}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"
        f"{remarks}<small><code>{escape(table.signature)}</code></small>"
    )


def csv(records: Sequence[dict[str, Any]]) -> str:
    """CSV with full precision; an empty cell where there is no number. Names stay as they are."""
    columns = list(dict.fromkeys(key for record in records for key in record))

    def line(cells: Sequence[Any]) -> str:
        out = io.StringIO()
        stdlib_csv.writer(out, lineterminator="\r\n").writerow(cells)  # either character of it is quoted in cells
        return out.getvalue().removesuffix("\r\n")

    return "\n".join([line(columns), *(line([record.get(key) for key in columns]) for record in records)])


def prose(text: str) -> str:
    """A sentence as one harmless line for a terminal."""
    return _text(text, escaping.LINE)


def _text(text: str, longest: int) -> str:
    return escaping.shorten(escaping.one_line(text, escaping.NAME), longest)


def _code(text: str) -> str:
    """A code span, between more backticks than there are in the text."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"


def _latex_groups(groups: Sequence[tuple[str, int]]) -> list[str]:
    """Headers above the columns that they span, and rules below them."""
    cells, rules, start = [], [], 1
    for name, span in groups:
        cells += [rf"\multicolumn{{{span}}}{{c}}{{{escaping.latex(name)}}}"] if name else [""] * span
        rules += [rf"\cmidrule(lr){{{start}-{start + span - 1}}}"] if name else []
        start += span
    return [latex_row(cells), f"    {' '.join(rules)}"] if groups else []


def latex_row(cells: Iterable[str]) -> str:
    """A row of escaped cells."""
    row = " & ".join(cells)
    return rf"    {'{}' if row.startswith(('[', '*')) else ''}{row} \\"  # those there would be arguments


def latex_cell(cell: str, align: str) -> str:
    """Numbers with minus signs and powers of ten; names, which stand at the left, as they are."""
    if align == "l" or not NUMBERS.fullmatch(cell):
        return escaping.latex(escaping.shorten(cell, CELL))
    return POWER.sub(r"$\1\\times10^{\2\3}$", escaping.latex(cell.replace("-", "−")))


def fitting(table: Table, width: int) -> Table:
    """Return the table without the columns that do not fit, and with a remark that names them."""
    dropped: list[str] = []
    while _taken(table) > width and (most := max(column.spare for column in table.columns)):
        dropped += [column.header for column in table.columns if column.spare == most]
        table = _without(table, most)
    if (over := _taken(table) - width) > 0 and table.columns[0].align == "l":
        room = max(_widths(table)[0] - over, SHORTEST)
        rows = [[escaping.shorten(first, room), *others] for first, *others in table.rows]
        table = replace(table, rows=rows)
    if not dropped:
        return table
    return replace(table, remarks=[*table.remarks, f"columns that do not fit in {width}: {', '.join(dropped)}."])


def _without(table: Table, spare: int) -> Table:
    kept = [k for k, column in enumerate(table.columns) if column.spare != spare]
    rows = [[row[k] for k in kept] for row in table.rows]
    return replace(table, columns=[table.columns[k] for k in kept], rows=rows, groups=())


def _taken(table: Table) -> int:
    return sum(_widths(table)) + BETWEEN * (len(table.columns) - 1)


def _widths(table: Table) -> list[int]:
    grid = [[column.header for column in table.columns], *table.rows]
    return [max(map(escaping.width, cells)) for cells in zip(*grid, strict=True)]
