"""Writers: one table in, text of one format out. Each escapes what its format needs escaped."""

from __future__ import annotations

import csv as stdlib_csv
import io
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from outperform.render.table import Table

__all__ = ["csv", "html", "latex", "markdown", "text"]

LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "≪": r"$\ll$", "≫": r"$\gg$", "≈": r"$\approx$", "<": r"$<$", ">": r"$>$",
    "Δ": r"$\Delta$", "−": "$-$", "–": "--",
}  # fmt: skip


def text(table: Table) -> str:
    """Aligned columns for a terminal."""
    headers = [column.header for column in table.columns]
    widths = [max(map(len, cells)) for cells in zip(headers, *table.rows, strict=True)]
    place = {"l": str.ljust, "r": str.rjust, "c": str.center}

    def line(cells: Sequence[str]) -> str:
        aligned = zip(table.columns, cells, widths, strict=True)
        return "  ".join(place[column.align](cell, width) for column, cell, width in aligned).rstrip()

    rule = "─" * len(line(["x" * width for width in widths]))
    remarks = [f"Note: {remark}" for remark in table.remarks]
    return "\n".join(
        [table.caption, rule, line(headers), rule, *map(line, table.rows), rule, *remarks, table.signature]
    )


def markdown(table: Table) -> str:
    """A Markdown table, with the caption above and the signature below."""
    marks = {"l": ":---", "r": "---:", "c": ":---:"}

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(_markdown(cell) for cell in cells)} |"

    return "\n".join(
        [
            f"**{_markdown(table.caption)}**",
            "",
            line([column.header for column in table.columns]),
            f"|{'|'.join(marks[column.align] for column in table.columns)}|",
            *map(line, table.rows),
            "",
            *(f"{_markdown(remark)}\n" for remark in table.remarks),
            f"`{table.signature.replace('`', chr(39))}`",
        ]
    )


def latex(table: Table) -> str:
    """A LaTeX table; needs the package booktabs."""

    def line(cells: Sequence[str]) -> str:
        row = " & ".join(map(_latex, cells))
        return rf"  {'{}' if row.startswith('[') else ''}{row} \\"  # a bracket there would be an argument

    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_latex(table.caption)}}}",
            rf"\begin{{tabular}}{{{''.join(column.align for column in table.columns)}}}",
            r"  \toprule",
            line([column.header for column in table.columns]),
            r"  \midrule",
            *map(line, table.rows),
            r"  \bottomrule",
            r"\end{tabular}",
            *(rf"% {_one_line(said)}" for said in (*table.remarks, table.signature)),
            r"\end{table}",
        ]
    )


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
    """CSV with full precision; an empty cell where there is no number."""
    out = io.StringIO()
    writer = stdlib_csv.DictWriter(out, fieldnames=list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().rstrip("\n")


def _latex(cell: str) -> str:
    return "".join(LATEX.get(character, character) for character in _one_line(cell))


def _markdown(cell: str) -> str:
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", _one_line(cell))


def _one_line(cell: str) -> str:
    return " ".join(cell.split())
