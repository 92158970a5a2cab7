"""A report: one HTML file that asks nothing of the network.

Everything is there without a script: verdict, pictures, numbers. The script makes the ROPE the reader's own.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from outperform.base.citation import bibtex
from outperform.base.sentences import Words
from outperform.formats import escaping, numbers, writers
from outperform.formats.escaping import label
from outperform.render.report import svg
from outperform.render.report.answer import card_html, worded
from outperform.render.report.compared import compared
from outperform.render.report.confusions import confusions
from outperform.render.report.drivers import drivers
from outperform.render.report.exhibits import exhibit, exhibits, scrolled
from outperform.render.report.forest import SHORT, forest, kind_of, named, plural, whole
from outperform.render.report.opening import opening
from outperform.render.report.prospects import prospects
from outperform.render.report.rows import BASE, FRAME, TOP, ReportRow, row_of
from outperform.render.tables import scores_table, tests_table
from outperform.render.text import method
from outperform.results import BySlice, Result, card_of, views
from outperform.results.card import (
    AHEAD_IN,
    CHOOSE,
    LEANS,
    NO_VERDICT,
    WITHOUT_VERDICTS,
    is_planned,
    measured,
    wordings,
)
from outperform.results.card import OUTCOMES as TALLIED
from outperform.results.three_way import ThreeWay
from outperform.results.words import reported
from outperform.verdicts.decision import OUTCOMES

__all__ = ["hashed", "page", "sources"]

MOST = 4  # notes that are not folded

HOW = (
    "Drag the ends of the band (the ROPE), or focus one and use the arrow keys, to say which differences do not matter "
    "to you. The verdict follows: it says where the HDI lies against the ROPE."
)
MOST_LINES = 4  # of a result without a lead
SCRIPTS = ("rule.js", "forest.js", "report.js")
START = "mount(document.querySelector('.op'), JSON.parse(document.querySelector('.op-data').textContent));"


@views.page.of(Result)
def page(result: Result, words: Words = reported) -> str:
    """The report as a whole HTML file; `words` are those by which its sentences name settings."""
    rows = [row_of(name, r, words) for name, r in compared(result) if r.evidence is not None]
    script, style = sources()
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f'script-src {script}; style-src {style}; img-src data:">'
        f"<title>{escape(_title(result, rows))}</title><style>{_asset('report.css')}</style>"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>'
        f'<main class="op op-page">{_content(result, rows, words)}</main>\n{_script(result, rows, words)}'
        f"<script>{_program()}</script></body></html>\n"
    )


def sources() -> tuple[str, str]:
    """The script and the style of the file as sources of a Content-Security-Policy, which then runs no others."""
    return hashed(_program()), hashed(_asset("report.css"))


def hashed(text: str) -> str:
    """An inline script or style as a source of a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _content(result: Result, rows: Sequence[ReportRow], words: Words) -> str:
    first = opening(result, words)
    elsewhere = tuple({note for row in rows for note in row.r.bayes_factor.notes})  # below the numbers
    remarks = dict.fromkeys(note for table in result.tables() for note in table.remarks)
    notes = [note for note in remarks if escape(note) not in first and not note.endswith(elsewhere)]
    parts = [f"<header><h1>{escape(_title(result, rows))}</h1></header>", first]
    if rows:
        answer, *further = _compared(result, rows)
        parts += [answer, _noted(notes), *further]
    elif not first:
        parts.append(f'<section class="op-answer">{_lines(result)}</section>')
    shown = exhibits(result)
    if shown:
        return "".join([*parts, *map(exhibit, shown), _sources(result, rows)])
    said = "" if rows else _noted(notes)
    return "".join([*parts, said, _numbers(result, rows), _sources(result, rows)])


def _noted(notes: Sequence[str]) -> str:
    """What qualifies the answer, which stands right below it; of many notes, such as those of classes, the first."""
    first, more = ("".join(f"<li>{escape(note)}</li>" for note in some) for some in (notes[:MOST], notes[MOST:]))
    folded = f"<details><summary>{len(notes) - MOST} more</summary><ul>{more}</ul></details>" if more else ""
    return f"<section><h2>Notes</h2><ul>{first}</ul>{folded}</section>" if first else ""


def _compared(result: Result, rows: Sequence[ReportRow]) -> list[str]:
    """The card and the posterior of one comparison; of several a card of all, unless an average leads them."""
    first, several = rows[0], len(rows) > 1
    kind = kind_of(rows, result.kind if isinstance(result, BySlice) else None)
    same = not isinstance(result, BySlice) and len({row.names for row in rows}) == 1  # rows of the same items
    driven = [row for row in rows if row.r.drivers]
    bars = "".join(drivers(row.r, named(row, kind) if len(driven) > 1 else "") for row in driven)
    shared = f"{bars}{confusions(first.r) if same else ''}"
    if several and (isinstance(result, BySlice) or all(row.single for row in rows)):
        items = sum(row.r.items for row in rows) if isinstance(result, BySlice) else first.r.items
        chosen = (
            f'<details class="op-opened"><summary><h2 class="op-which">{escape(named(first, kind))}</h2></summary>'
            f"{_pair(first)}{_margins(first)}</details>"
        )
        above = [whole(rows, kind, items), _controls(first), forest(rows, kind, led=True)]
        return [*above, chosen, f'<div class="op-two">{shared}</div>']
    which = f'<p class="op-which">{escape(named(first, kind))}</p>' if several else ""
    below = [prospects(first.r, first.words), forest(rows, kind) if several else ""]
    return [_pair(first, which, _controls(first)), *below, f'<div class="op-two">{shared}{_margins(first)}</div>']


def _pair(row: ReportRow, which: str = "", controls: str = "") -> str:
    """The card of a comparison beside its posterior."""
    answer = f'<section class="op-answer">{which}{card_html(row.r, row.words, basis=True)}</section>'
    return f'<div class="op-pair">{answer}<div>{_posterior(row)}{controls}</div></div>'


def _lines(result: Result) -> str:
    """The lead or the first lines of a result without comparisons."""
    lead = result.tables()[0].lead
    lines = [lead] if lead else repr(result).splitlines()
    return "".join(f'<p class="op-verdict">{escape(line)}</p>' for line in lines[:MOST_LINES])


def _title(result: Result, rows: Sequence[ReportRow]) -> str:
    if isinstance(result, ThreeWay):
        where = f"{result.datasets} data sets" if result.datasets > 1 else f"{result.folds} folds"
        return f"{label(result.measure)}: {label(result.a)} against {label(result.b)} on {where}"
    several = dict.fromkeys(row.names[1] for row in rows)
    if len(several) != 1:
        return escaping.shorten(escaping.one_line(result.tables()[0].caption), escaping.LINE)
    return f"{measured(rows[0].r)}: {rows[0].names[0]} against {next(iter(several))}"


def _controls(row: ReportRow) -> str:
    """The settings of the reader; hidden unless the script runs."""
    masses = "".join(
        f'<option value="{mass:g}"{" selected" if mass == row.r.delta.mass else ""}>{100 * mass:g}%</option>'
        for mass in row.shape.hdi
    )
    ends = "".join(
        f'<label>{name} <input class="op-input" type="number" step="any" inputmode="decimal"></label>'
        for name in ("ROPE from", "to")
    )
    return (
        f'<section class="op-controls op-live" hidden aria-label="ROPE and HDI">{ends}'
        '<label><input class="op-symmetric" type="checkbox"> symmetric</label>'
        f'<label>HDI <select class="op-mass">{masses}</select></label>'
        '<button class="op-reset" type="button">Reset</button></section>'
    )


def _posterior(row: ReportRow) -> str:
    mass = f'<span class="op-mass-said">{100 * row.r.delta.mass:g}% HDI</span>'
    terms = escape(" ".join(card_of(row.r).terms))
    shares = "".join(
        f'<span class="op-region-{side}"{"" if share is not None else " hidden"}>{worded(text, row.r)} '
        f"<b>{escape(numbers.percent(share or 0.0))}</b></span>"
        for side, (text, share) in zip(("below", "within", "above"), row.regions, strict=True)
    )
    return (
        f'<figure class="op-large"><p class="op-regions">{shares}</p>{svg.posterior(row)}'
        f'<p class="op-axis-title">{escape(row.axis_title)}</p><figcaption>The bar is the {mass}, the dot the '
        f'mean. {terms} <span class="op-live" hidden>{escape(HOW)}</span></figcaption></figure>'
    )


def _margins(row: ReportRow) -> str:
    return (
        f"<section><h2>How the verdict depends on the margin</h2><figure>{svg.margins(row)}"
        '<p class="op-axis-title">margin: the ROPE reaches from −margin to +margin</p><figcaption>The share of the '
        "posterior within ±margin (curve), and the verdict there (boxes).</figcaption></figure></section>"
    )


def _numbers(result: Result, rows: Sequence[ReportRow]) -> str:
    """Every number in tables: the scores and the classical tests of a single comparison, and the papers' table."""
    tables = [replace(table, signature="", remarks=()) for table in result.tables()]
    if len(rows) == 1:
        tables = [scores_table(rows[0].r), tests_table(rows[0].r), *tables]
    shown = "".join(scrolled(label(table.caption), writers.html(table)) for table in tables if table.rows)
    return f"<section><details><summary><h2>Numbers</h2></summary>{shown}</details></section>"


def _sources(result: Result, rows: Sequence[ReportRow]) -> str:
    """The method, the signatures, and sources to paste into a paper."""
    how = f"<p>{escape(method(rows[0].r))}</p>" if rows else ""
    signatures = dict.fromkeys(table.signature for table in result.tables())
    written = "".join(f"<p><code>{escape(signature)}</code></p>" for signature in signatures)
    texts = (("LaTeX", result.to_latex()), ("BibTeX", bibtex()))
    copies = "".join(
        f'<details class="op-copy" data-copy="{name}"><summary>{name}</summary>'
        f'<pre tabindex="0">{escape(text)}</pre></details>'
        for name, text in texts
    )
    folded = f"<details><summary><h2>Method</h2></summary>{how}{written}</details>"
    return f'<section class="op-method">{folded}{copies}</section>'


def _script(result: Result, rows: Sequence[ReportRow], words: Words) -> str:
    """The data of the script; no text in it can end the element."""
    kind = kind_of(rows, result.kind if isinstance(result, BySlice) else None)
    data: dict[str, Any] = {"rows": [row.payload() | {"which": named(row, kind)} for row in rows]}
    if rows:
        r = rows[0].r
        data |= {
            "rope": r.region,
            "mass": f"{r.delta.mass:g}",
            "words": wordings(words if is_planned(r) else _unplanned),
            "symbols": {name: symbol for name, (symbol, *_) in OUTCOMES.items()},
            "short": SHORT,
            "tally": {"settled": TALLIED, "leaning": LEANS, "ahead": AHEAD_IN, "what": plural(kind)},
            "without": WITHOUT_VERDICTS,
            "open": (NO_VERDICT, f"{CHOOSE}, in the field ROPE."),  # with the script there is such a field
            "frame": FRAME,
            "density": (TOP, BASE),
            "tick": svg.TICK,
            "margins": svg.MARGINS,
            "marginTick": svg.MARGIN_TICK,
            "narrow": svg.NARROW,
            "cell": svg.CELL,
            "forest": svg.forest_axis(rows),
        }
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json" class="op-data">{safe}</script>'


def _unplanned(name: str, value: str) -> str:
    """The words of a report whose items cannot be simulated."""
    return "" if name == "plan" else reported(name, value)


def _program() -> str:
    """The script without indents and lines of comment, which every report would carry."""
    lines = (line.strip() for name in SCRIPTS for line in _asset(name).splitlines())
    return f"{{{chr(10).join(line for line in lines if line and not line.startswith('//'))}\n{START}}}"


def _asset(name: str) -> str:
    return files("outperform.render.report").joinpath("assets", name).read_text(encoding="utf-8")
