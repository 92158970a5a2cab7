"""A report: one HTML file that asks nothing of the network.

Everything is there without a script: verdict, pictures, numbers. The script makes the ROPE the reader's own.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from outperform.base.citation import bibtex
from outperform.formats import escaping, numbers, writers
from outperform.formats.escaping import label
from outperform.render.report import svg
from outperform.render.report.compared import compared
from outperform.render.report.exhibits import exhibit, exhibits, scrolled
from outperform.render.report.rows import BASE, FRAME, TOP, ReportRow, row_of
from outperform.render.tables import scores_table, tests_table
from outperform.render.text import method
from outperform.results import Result, card_of, views
from outperform.results.card import measured
from outperform.verdicts.decision import OUTCOMES
from outperform.verdicts.interval import Interval

__all__ = ["hashed", "page", "sources"]

# The order in which the script sorts verdicts.
ORDER = ("better", "slightly_better", "equivalent", "undecided", "slightly_worse", "worse")
OPEN = "No verdict without a ROPE: the differences between {a} and {b} that do not matter to you"
HOW = (
    "Drag the ends of the band, or focus one and use the arrow keys, to say which differences do not matter to you. "
    "The verdict follows: it says where the HDI (the bar) lies against the ROPE (the band)."
)
MOST_LINES = 4  # of a result without a lead
MANY = 100  # rows of tables, which are not shown unless asked for
COLUMNS = ("difference", "mean", "HDI", "in ROPE", "verdict")
START = "mount(document.querySelector('.op'), JSON.parse(document.querySelector('.op-data').textContent));"


@views.page.of(Result)
def page(result: Result) -> str:
    """The report as a whole HTML file."""
    rows = _rows(result)
    script, style = sources()
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f'script-src {script}; style-src {style}; img-src data:">'
        f"<title>{escape(_title(result, rows))}</title><style>{_asset('report.css')}</style>"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>'
        f'<main class="op op-page">{_content(result, rows)}</main>\n{_script(rows)}'
        f"<script>{_program()}</script></body></html>\n"
    )


def sources() -> tuple[str, str]:
    """The script and the style of the file as sources of a Content-Security-Policy, which then runs no others."""
    return hashed(_program()), hashed(_asset("report.css"))


def hashed(text: str) -> str:
    """An inline script or style as a source of a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _content(result: Result, rows: Sequence[ReportRow]) -> str:
    notes = list(dict.fromkeys(note for table in result.tables() for note in table.remarks))
    parts = [f"<header><h1>{escape(_title(result, rows))}</h1></header>"]
    if rows:
        lead = result.tables()[0].lead if len(rows) > 1 else ""
        parts += [
            f'<p class="op-lead op-own">{escape(lead)}</p>' if lead else "",
            _verdict(rows),
            _controls(rows[0]),
            _pictures(rows),
            _forest(rows) if len(rows) > 1 else "",
        ]
    else:
        parts.append(f'<section class="op-answer">{_lines(result)}</section>')
    shown = exhibits(result)
    if shown:
        return "".join([*parts, *map(exhibit, shown), _sources(result, rows)])
    if notes:
        parts.append(
            f"<section><h2>Notes</h2><ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul></section>"
        )
    parts += [_numbers(result, rows), _sources(result, rows)]
    return "".join(parts)


def _lines(result: Result) -> str:
    """The lead or the first lines of a result without comparisons."""
    lead = result.tables()[0].lead
    lines = [lead] if lead else repr(result).splitlines()
    return "".join(f'<p class="op-verdict">{escape(line)}</p>' for line in lines[:MOST_LINES])


def _rows(result: Result) -> list[ReportRow]:
    return [row_of(name, r) for name, r in compared(result) if r.evidence is not None]


def _title(result: Result, rows: Sequence[ReportRow]) -> str:
    several = dict.fromkeys(row.names[1] for row in rows)
    if len(several) != 1:
        return escaping.shorten(escaping.one_line(result.tables()[0].caption), escaping.LINE)
    return f"{measured(rows[0].r)}: {rows[0].names[0]} against {next(iter(several))}"


def _verdict(rows: Sequence[ReportRow]) -> str:
    """The verdict of the first row in words; of several, how many there are of each."""
    row = rows[0]
    r, decision = row.r, row.r.decision
    symbol, words = OUTCOMES[decision.name][::2] if decision else ("", OPEN)
    said = _worded(words, row.names) + (f" ({escape(symbol)})" if symbol else "")
    share = ""
    if r.rope:
        bounds = numbers.interval((r.rope.low, r.rope.high), row.digits, difference=True)
        share = f"P(Δ in ROPE {bounds}) = {numbers.percent(r.rope.probability)}"
    name = decision.name if decision else ""
    which = f'<p class="op-which">{_kind(rows)} <bdi>{escape(row.label)}</bdi></p>' if len(rows) > 1 else ""
    tally = f'<p class="op-tally">{_tally(rows)}</p>' if len(rows) > 1 else ""
    return (
        f'<section class="op-answer">{which}<p class="op-verdict" data-verdict="{name}" role="status">{said}</p>'
        f'<p class="op-scores">{escape(row.scores)}</p><p class="op-shares">{escape(share)}</p>{tally}'
        + (f'<p class="op-own op-next">{escape(card_of(r).next)}</p>' if len(rows) == 1 else "")
        + "</section>"
    )


def _kind(rows: Sequence[ReportRow]) -> str:
    """The kind of the rows: class, prior or comparison."""
    if all(row.r.class_ is not None for row in rows):
        return "class"
    return "prior" if all(row.label == row.r.prior for row in rows) else "comparison"


def _tally(rows: Sequence[ReportRow]) -> str:
    told = [row for row in rows if row.single] or rows
    names = [row.r.decision.name for row in told if row.r.decision]
    return escape("   ".join(f"{OUTCOMES[name][0]} {names.count(name)}" for name in ORDER if name in names))


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


def _pictures(rows: Sequence[ReportRow]) -> str:
    row = rows[0]
    mass = f'<span class="op-mass-said">{100 * row.r.delta.mass:g}% HDI</span>'
    return (
        f"<figure>{svg.posterior(row)}<figcaption>Posterior of the difference: the bar is its {mass}, the dot its "
        "mean. "
        f'<span class="op-live" hidden>{escape(HOW)}</span></figcaption></figure>'
        f"<figure>{svg.margins(row)}<figcaption>How the verdict depends on the margin: the share of the "
        "posterior within ±margin (curve), and the verdict there (boxes).</figcaption></figure>"
    )


def _forest(rows: Sequence[ReportRow]) -> str:
    """All rows on one axis; the script sorts them and shows the chosen one above."""
    axis = svg.forest_axis(rows)
    head = "".join(f'<th scope="col"><button type="button">{name}</button></th>' for name in (_kind(rows), *COLUMNS))
    lines = "".join(_line(k, row, axis) for k, row in enumerate(rows))
    table = f'<table class="op-forest"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'
    heading = f"Per {_kind(rows)}"
    return f"<section><h2>{heading}</h2>{scrolled(heading, table)}</section>"


def _line(index: int, row: ReportRow, axis: Interval) -> str:
    r = row.r
    verdict, symbol = r.decision, r.decision.symbol if r.decision else "–"
    inside = numbers.percent(r.rope.probability) if r.rope else "–"
    cells = [
        f'<td data-value="{r.delta.mean:.6g}">{svg.whisker(r, axis)}</td>',
        f'<td data-value="{r.delta.mean:.6g}">{numbers.signed(r.delta.mean, row.digits)}</td>',
        f'<td data-value="{r.delta.hdi[0]:.6g}">{numbers.interval(r.delta.hdi, row.digits, difference=True)}</td>',
        f'<td data-value="{r.rope.probability if r.rope else -1:.6g}">{escape(inside)}</td>',
        f'<td data-value="{ORDER.index(verdict.name) if verdict else -1}">{escape(symbol)}</td>',
    ]
    name = f'<th scope="row"><button type="button"><bdi>{escape(row.label)}</bdi></button></th>'
    return f'<tr data-row="{index}" data-verdict="{verdict.name if verdict else ""}">{name}{"".join(cells)}</tr>'


def _numbers(result: Result, rows: Sequence[ReportRow]) -> str:
    """Every number in tables: the scores and the classical tests of a single comparison, and the papers' table."""
    tables = [replace(table, signature="", remarks=()) for table in result.tables()]
    if len(rows) == 1:
        tables = [scores_table(rows[0].r), tests_table(rows[0].r), *tables]
    shown = "".join(scrolled(label(table.caption), writers.html(table)) for table in tables if table.rows)
    shut = len(rows) > 1 and (_kind(rows) == "class" or sum(len(table.rows) for table in tables) > MANY)
    details = f"<details{'' if shut else ' open'}><summary><h2>Numbers</h2></summary>{shown}</details>"
    return f"<section>{details}</section>"


def _sources(result: Result, rows: Sequence[ReportRow]) -> str:
    """The method, the signatures, and sources to paste into a paper."""
    said = [method(rows[0].r), *card_of(rows[0].r).terms] if rows else []
    how = "".join(f"<p>{escape(text)}</p>" for text in said)
    signatures = dict.fromkeys(table.signature for table in result.tables())
    written = "".join(f"<p><code>{escape(signature)}</code></p>" for signature in signatures)
    texts = (("LaTeX", result.to_latex()), ("BibTeX", bibtex()))
    copies = "".join(
        f'<details class="op-copy" data-copy="{name}"><summary>{name}</summary>'
        f'<pre tabindex="0">{escape(text)}</pre></details>'
        for name, text in texts
    )
    return f'<section class="op-method"><h2>Method</h2>{how}{written}{copies}</section>'


def _script(rows: Sequence[ReportRow]) -> str:
    """The data of the script; no text in it can end the element."""
    data: dict[str, Any] = {"rows": [row.payload() for row in rows]}
    if rows:
        r = rows[0].r
        data |= {
            "rope": [r.rope.low, r.rope.high] if r.rope else None,
            "mass": f"{r.delta.mass:g}",
            "words": {name: [symbol, words] for name, (symbol, _, words) in OUTCOMES.items()},
            "open": OPEN,
            "order": ORDER,
            "frame": FRAME,
            "density": (TOP, BASE),
            "tick": svg.TICK,
            "margins": svg.MARGINS,
            "marginTick": svg.MARGIN_TICK,
            "forest": svg.forest_axis(rows),
        }
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json" class="op-data">{safe}</script>'


def _worded(template: str, names: tuple[str, str]) -> str:
    """Words with names in them, each isolated, so that one written right to left leaves the rest alone."""
    isolated = dict(zip(("{a}", "{b}"), (f"<bdi>{escape(name)}</bdi>" for name in names), strict=True))
    return "".join(isolated.get(part, escape(part)) for part in re.split(r"(\{[ab]\})", template))


def _program() -> str:
    return f"{{{_asset('report.js')}{START}}}"


def _asset(name: str) -> str:
    return files("outperform.render.report").joinpath("assets", name).read_text(encoding="utf-8")
