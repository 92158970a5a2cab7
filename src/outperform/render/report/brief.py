"""The rows of a result in a notebook cell: the largest differences, or the first systems, on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from outperform.base.views import View
from outperform.formats import escaping, numbers
from outperform.render.report import svg
from outperform.render.report.compared import compared
from outperform.render.report.forest import SHORT
from outperform.results import Comparison, Estimate, Ranking, Result, Rows
from outperform.results.card import comparison_digits, measured
from outperform.results.three_way import ThreeWay
from outperform.verdicts.decision import OUTCOMES
from outperform.verdicts.interval import Interval

__all__ = ["LONGEST", "NARROW", "brief"]

MOST = 6  # rows, which keep a cell below 300 pixels
LONGEST = 20  # name on a card, in characters; the tables under Details have it in full
WIDE, NARROW = 24, 16  # name in a row beside a drawing; name in a narrow window, or in a sentence above rows
SIDES = {"better": "beyond the ROPE", "worse": "beyond the ROPE", "equivalent": "in the ROPE"}  # without an interval


@dataclass(frozen=True)
class _Row:
    """A name, a value with its interval, and what is said of it."""

    name: str
    at: float
    ends: Interval
    said: str
    outcome: str = ""


brief: View[str] = View(".report")


@brief.of(Result)
def differences(r: Result) -> str:
    """The comparisons with the largest differences, or else the lowest scores; nothing where there are neither."""
    pairs = compared(r)
    if len(pairs) < 2:
        return _scores([row for row in r.all_rows() if isinstance(row, Estimate)] if isinstance(r, Rows) else [])
    first = pairs[0][1]
    return _drawn([_row(name, pair) for name, pair in pairs], first.region, comparison_digits(first))


@brief.of(ThreeWay)
def data_sets(r: ThreeWay) -> str:
    """The data sets with the largest differences."""
    rows = [
        _Row(row.name, row.mean, row.interval or (row.mean, row.mean), said, row.outcome or "")
        for row in r.by_data_set()
        for said in [_words(row.outcome) if row.interval or not row.outcome else SIDES[row.outcome]]
    ]
    scales = [abs(row.at) for row in rows if row.at] or [0.001]
    return _drawn(rows, r.rope, numbers.decimals(min(max(scales), 0.1) / 10)) if rows else ""


@brief.of(Ranking)
def systems(r: Ranking) -> str:
    """The first systems, in the order of the ranking."""
    shown = r.systems[:MOST]
    digits = numbers.decimals(min((s.sd for s in shown if s.sd > 0), default=0.001))
    axis = svg.widened(end for s in shown for end in s.hdi)
    lines = [
        (s.name, svg.score_whisker(s.mean, s.hdi, axis), numbers.score(s.mean, digits), f"band {s.bands}", "")
        for s in shown
    ]
    return _table(lines, svg.scale(axis, difference=False), _left(len(r.systems), "first systems"))


def _scores(rows: Sequence[Estimate]) -> str:
    """The lowest scores, in the order of the result."""
    if not rows:
        return ""
    kept = sorted(sorted(range(len(rows)), key=lambda k: rows[k].mean)[:MOST])
    digits = numbers.decimals(min((rows[k].sd for k in kept if rows[k].sd > 0), default=0.001))
    axis = svg.widened(end for k in kept for end in rows[k].hdi)
    lines = [
        (_named(r), svg.score_whisker(r.mean, r.hdi, axis), numbers.score(r.mean, digits), numbers.interval(r.hdi), "")
        for r in (rows[k] for k in kept)
    ]
    return _table(lines, svg.scale(axis, difference=False), _left(len(rows), "lowest scores"))


def _named(r: Estimate) -> str:
    return f"{measured(r)} of {r.name if r.class_ is None else r.class_}"


def _row(name: str, r: Comparison) -> _Row:
    outcome = r.decision.name if r.decision else None
    return _Row(name, r.delta.mean, r.delta.hdi, _words(outcome), outcome or "")


def _words(outcome: str | None) -> str:
    return "–" if outcome is None else f"{OUTCOMES[outcome][0]} {SHORT[outcome]}"


def _drawn(rows: Sequence[_Row], rope: Interval | None, digits: int) -> str:
    largest = sorted(rows, key=lambda row: -abs(row.at))[:MOST]
    axis = svg.widened([0.0, *(rope or ()), *(end for row in largest for end in row.ends)])
    lines = [
        (row.name, svg.whisker(row.at, row.ends, axis, rope), numbers.signed(row.at, digits), row.said, row.outcome)
        for row in sorted(largest, key=lambda row: -row.at)
    ]
    return _table(lines, svg.scale(axis), _left(len(rows), "largest differences"))


def _left(number: int, what: str) -> str:
    return f"The {MOST} {what} of {number}." if number > MOST else ""


def _name(wide: str, narrow: str) -> str:
    """A name in two forms: a narrow window shows the shorter one."""
    if wide == narrow:
        return f"<bdi>{escape(wide)}</bdi>"
    return f'<bdi class="op-long">{escape(wide)}</bdi><bdi class="op-short">{escape(narrow)}</bdi>'


def _table(lines: Sequence[tuple[str, str, str, str, str]], scale: str, left: str) -> str:
    names = [escaping.label(name) for name, *_ in lines]
    wide, narrow = (escaping.shortened(names, longest) for longest in (WIDE, NARROW))
    body = "".join(
        f'<tr data-verdict="{outcome}"><th scope="row">{_name(wide[name], narrow[name])}</th>'
        f"<td>{drawn}</td><td>{value}</td><td>{escape(said)}</td></tr>"
        for name, (_, drawn, value, said, outcome) in zip(names, lines, strict=True)
    )
    foot = f'<tfoot aria-hidden="true"><tr><td></td><td>{scale}</td><td></td><td></td></tr></tfoot>'
    said = f'<p class="op-sure">{left}</p>' if left else ""
    return f'<table class="op-brief"><tbody>{body}</tbody>{foot}</table>{said}'
