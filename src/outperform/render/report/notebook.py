"""A result in a notebook cell: the verdict card with its picture, everything else folded; without a script."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files

from outperform.formats import escaping, writers
from outperform.formats.table import Table
from outperform.render.report import svg
from outperform.render.report.answer import card_html
from outperform.render.report.brief import LONGEST, NARROW, brief
from outperform.render.report.compared import compared
from outperform.render.report.exhibits import scrolled
from outperform.render.report.further import further
from outperform.render.report.rows import ReportRow, row_of
from outperform.results import Comparison, Ranking, Result, card_of, views
from outperform.results.three_way import ThreeWay
from outperform.results.words import called

__all__ = ["comparison_snippet", "snippet"]

MOST_LINES = 4  # of a result without a lead
MOST_LEADS = 2  # of several tables: an average, and its classes


@views.snippet.of(Comparison)
def comparison_snippet(r: Comparison) -> str:
    """The card beside the posterior, the notes, and the papers' table folded."""
    card, short = card_of(r), _short(r)
    long = max(len(name) for name in (r.a.name, r.b.name, card.measure)) > LONGEST
    picture = "" if r.evidence is None else _picture(row_of("", short, called), brief=long)
    said = card_html(short, called, longest=LONGEST if long else None)
    answer = f'<div class="op-answer op-pair"><div>{said}</div>{picture}</div>'
    terms = "".join(f"<p>{escape(text)}</p>" for text in (escaping.one_line(card.basis), *card.terms))
    return _cell(answer, _notes(escaping.shown(r).notes), _folded(r.tables(), terms, r.signature))


@views.snippet.of(Result)
def snippet(r: Result) -> str:
    """What a result comes to with its rows on one axis, all tables folded; or its first table, if it has no rows."""
    first, *others = tables = r.tables()
    leads = [table.lead for table in tables if table.lead][:MOST_LEADS]
    rows, lines = brief(r), repr(r).splitlines()[:MOST_LINES]
    verdict = leads[:1] or (
        [first.caption] if rows and len(lines) > 1 else [line.replace("   ", ", ") for line in lines]
    )
    names = _names(r)
    said = "".join(f'<p class="op-verdict">{escape(_shortened(line, names))}</p>' for line in verdict)
    said += "".join(f"<p>{escape(_shortened(line, names))}</p>" for line in (*leads[1:], further(r)) if line)
    answer = f'<div class="op-answer">{said}{rows}</div>'
    notes = _notes(first.remarks)
    if rows:
        return _cell(answer, _folded(tables, notes, first.signature))
    return _cell(answer, _table(first), notes, _folded(others, "", first.signature))


def _names(r: Result) -> dict[str, str]:
    """Long names of systems, and of classes, slices or tasks, by their short forms in a sentence."""
    if isinstance(r, Ranking):
        groups = [[system.name for system in r.systems]]
    elif isinstance(r, ThreeWay):
        groups = [[r.a, r.b]]
    else:
        pairs = compared(r)
        groups = [[name for name, _ in pairs], [score.name for _, pair in pairs for score in (pair.a, pair.b)]]
    short = [escaping.shortened(list(map(escaping.one_line, names)), NARROW) for names in groups]
    return {name: said for group in short for name, said in group.items() if said != name}


def _shortened(text: str, short: Mapping[str, str]) -> str:
    """A sentence in one line, its long names shortened."""
    longest_first = sorted(short, key=len, reverse=True)
    line = escaping.one_line(text)
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: short[found[0]], line) if short else line


def _short(r: Comparison) -> Comparison:
    """The comparison with names that leave room for the rest."""
    names = [escaping.label(s.name) for s in (r.a, r.b)]
    if names[0] == names[1]:
        return r
    short = escaping.shortened(names, LONGEST)
    a, b = (replace(s, name=short[name]) for s, name in zip((r.a, r.b), names, strict=True))
    return replace(r, a=a, b=b)


def _picture(row: ReportRow, *, brief: bool) -> str:
    title = "difference (first − second)" if brief else row.axis_title
    return f'<figure>{svg.posterior(row)}<p class="op-axis-title">{escape(title)}</p></figure>'


def _cell(*parts: str) -> str:
    """The parts under their style, of which nothing reaches beyond them."""
    style = "".join(
        files("outperform.render.report").joinpath("assets", name).read_text(encoding="utf-8")
        for name in ("report.css", "notebook.css")
    )
    return f'<div class="op op-cell-output"><style>{style}</style>{"".join(parts)}</div>'


def _notes(notes: Sequence[str]) -> str:
    said = "".join(f"<li>{escape(escaping.one_line(note))}</li>" for note in notes)
    return f'<ul class="op-notes" tabindex="0" aria-label="Notes">{said}</ul>' if said else ""


def _folded(tables: Sequence[Table], terms: str, signature: str) -> str:
    shown = "".join(map(_table, tables))
    signed = f"<p><code>{escape(signature)}</code></p>"
    return f"<details><summary>Details</summary>{terms}{shown}{signed}</details>"


def _table(table: Table) -> str:
    return scrolled(escaping.label(table.caption), writers.html(replace(table, remarks=(), signature="")))
