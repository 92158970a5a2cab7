"""Many comparisons on one axis: a sentence that counts their verdicts, and a row for each, which the script filters."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from outperform.formats import numbers
from outperform.formats.escaping import one_line
from outperform.render.report import svg
from outperform.render.report.exhibits import breakable, scrolled
from outperform.render.report.rows import ReportRow
from outperform.results.advice import after_verdicts
from outperform.results.card import basis, margin_of, measured, tally, terms
from outperform.verdicts.interval import Interval

__all__ = ["SHORT", "forest", "kind_of", "named", "plural", "whole"]

# Verdicts in a cell, in the order in which the script sorts them.
SHORT = {
    "better": "better",
    "slightly_better": "leans better",
    "equivalent": "practically the same",
    "undecided": "unresolved",
    "slightly_worse": "leans worse",
    "worse": "worse",
}
COLUMNS = ("difference", "mean", "HDI", "in ROPE", "verdict")
SORTED = ("class", "slice", "task")  # kinds of rows without an order of their own
ELSEWHERE = ("comparison", "prior")  # kinds of rows whose next step is not told of the rows
MANY = 6  # rows that are searched


def kind_of(rows: Sequence[ReportRow], slices: str | None = None) -> str:
    """The kind of the rows: that of slices, class, prior or comparison."""
    if slices:
        return slices
    if any(row.single for row in rows):
        return "class"
    return "prior" if all(row.label == row.r.prior for row in rows) else "comparison"


def named(row: ReportRow, kind: str) -> str:
    """A row by its kind and its label: class 8; an average over classes by its label alone."""
    return row.label if kind == "class" and not row.single else f"{kind} {row.label}"


def plural(kind: str) -> str:
    """Several of a kind: classes, slices."""
    return f"{kind}{'es' if kind.endswith('s') else 's'}"


def whole(rows: Sequence[ReportRow], kind: str, items: float) -> str:
    """The card of all rows: how many have which verdict, what to do next, the margin, and what it rests on."""
    first = rows[0].r
    what = f"{one_line(measured(first))} of each {kind}"
    said = basis(first.signature, what, numbers.count(items))
    return (
        f'<section class="op-answer op-whole">{_told(rows, kind, "op-verdict")}'
        f'<p class="op-sure op-margin">{escape(margin_of(first))}.</p><p class="op-basis">{escape(said)}.</p></section>'
    )


def forest(rows: Sequence[ReportRow], kind: str, *, led: bool = False) -> str:
    """A section: the sentence, the search, and all rows from the largest difference down.

    With `led` a card above has the sentence, and the section has what the posterior of a single comparison comes with:
    what the bars are.
    """
    axis, heading = svg.forest_axis(rows), f"Per {kind}"
    ordered = sorted(range(len(rows)), key=lambda k: _key(rows, k)) if kind in SORTED else range(len(rows))
    head = "".join(f'<th scope="col"><button type="button">{name}</button></th>' for name in (kind, *COLUMNS))
    lines = "".join(_line(k, rows[k], axis) for k in ordered)
    foot = f"<tr><td></td><td>{svg.scale(axis)}</td>{'<td></td>' * (len(COLUMNS) - 1)}</tr>"
    table = (
        f'<table class="op-forest"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody>'
        f'<tfoot aria-hidden="true">{foot}</tfoot></table>'
    )
    sentence = f'<p class="op-live" hidden>Choose a {kind} to see its posterior.</p>' if led else _told(rows, kind)
    search = _search(plural(kind)) if len(rows) > MANY else ""
    return (
        f"<section><h2>{heading}</h2>{sentence}{search}{scrolled(heading, table)}{_bars(rows) if led else ''}</section>"
    )


def _told(rows: Sequence[ReportRow], kind: str, *classes: str) -> str:
    """How many rows have which verdict, and what to do next; an average over classes is no class."""
    told = [row for row in rows if row.single] or rows
    counted = escape(one_line(tally([row.r for row in told], plural(kind))))
    return f'<p class="{" ".join(("op-tally", *classes))}" role="status">{counted}</p>{_next(told, kind)}'


def _bars(rows: Sequence[ReportRow]) -> str:
    mass = rows[0].r.delta.mass
    level = f'<span class="op-mass-said">{100 * mass:g}% HDI</span>'
    return f'<p class="op-basis">The bar is the {level}, the dot the mean. {escape(" ".join(terms(mass)))}</p>'


def _next(rows: Sequence[ReportRow], kind: str) -> str:
    """What to do next; rankings and priors say it elsewhere. The script hides it under another margin."""
    if kind in ELSEWHERE:
        return ""
    said = after_verdicts([row.r for row in rows], [row.label for row in rows], plural(kind), rows[0].words)
    return f'<p class="op-onward">{escape(one_line(said))}</p>'


def _key(rows: Sequence[ReportRow], k: int) -> tuple[bool, float]:
    """Averages come first, then the largest difference."""
    return rows[k].single and kind_of(rows) == "class", -rows[k].r.delta.mean


def _search(what: str) -> str:
    """A field to search names and a choice of verdicts; hidden unless the script runs."""
    options = "".join(f'<option value="{name}">{said}</option>' for name, said in SHORT.items())
    return (
        f'<div class="op-looking op-live" hidden><label>Search {what} <input class="op-search" type="search"></label>'
        f'<label>Verdict <select class="op-filter"><option value="">all</option>{options}</select></label>'
        '<span class="op-found" role="status"></span></div>'
    )


def _line(index: int, row: ReportRow, axis: Interval) -> str:
    r, verdict = row.r, row.r.decision
    inside = numbers.percent(r.rope.probability) if r.rope else "–"
    said = f"{verdict.symbol} {SHORT[verdict.name]}" if verdict else "–"
    cells = [
        f'<td data-value="{r.delta.mean:.6g}">{svg.whisker(r.delta.mean, r.delta.hdi, axis, r.region)}</td>',
        f'<td data-value="{r.delta.mean:.6g}">{numbers.signed(r.delta.mean, row.digits)}</td>',
        f'<td data-value="{r.delta.hdi[0]:.6g}">{numbers.interval(r.delta.hdi, row.digits, difference=True)}</td>',
        f'<td data-value="{r.rope.probability if r.rope else -1:.6g}">{escape(inside)}</td>',
        f'<td data-value="{[*SHORT].index(verdict.name) if verdict else -1}">{escape(said)}</td>',
    ]
    name = f'<th scope="row"><button type="button">{breakable(row.label)}</button></th>'
    return f'<tr data-row="{index}" data-verdict="{verdict.name if verdict else ""}">{name}{"".join(cells)}</tr>'
