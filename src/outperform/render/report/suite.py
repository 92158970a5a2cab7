"""A comparison over several data sets: the overall verdict first, then a row for each data set on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from outperform.base.sentences import Words
from outperform.formats import escaping, numbers
from outperform.render.report import svg
from outperform.render.report.exhibits import scrolled
from outperform.render.report.forest import SHORT
from outperform.render.report.opening import opening
from outperform.render.three_way import digits_of, method_of, next_of, rope_of, verdict_of
from outperform.results.card import tallied
from outperform.results.three_way import OnDataSet, ThreeWay
from outperform.verdicts.decision import OUTCOMES
from outperform.verdicts.interval import Interval

__all__: list[str] = []

HEADING = "Per data set"
# On which side of the ROPE an observed difference lies, where it has no interval.
SIDES = {"better": "better, beyond the ROPE", "worse": "worse, beyond the ROPE", "equivalent": "in the ROPE"}
SHARES = ("better", "equivalent", "worse")


@opening.of(ThreeWay)
def suite(r: ThreeWay, words: Words) -> str:
    """The card, the three probabilities as one bar, and the data sets."""
    r = escaping.shown(r)
    outcome = r.decision.name if r.decision else ""
    said = f"{method_of(r)}, {rope_of(r)}."
    answer = (
        f'<section class="op-answer"><p class="op-verdict" data-verdict="{outcome}" role="status">'
        f'{escape(verdict_of(r))}</p><p class="op-next">{escape(next_of(r, words))}</p>'
        f'{_shares(r)}<p class="op-basis">{escape(said)}</p></section>'
    )
    return f"{answer}{_data_sets(r)}"


def _shares(r: ThreeWay) -> str:
    """The three probabilities, as text and as the parts of a bar."""
    names = (f"{r.a} better", "practically the same", f"{r.b} better")
    known = [
        (name, side, p)
        for name, side, p in zip(names, SHARES, (r.p_better, r.p_equal, r.p_worse), strict=True)
        if r.rope or side != "equivalent" or p
    ]
    told = "".join(f"<span>{escape(name)} <b>{escape(numbers.percent(p))}</b></span>" for name, _, p in known)
    what = "" if r.method == "correlated_t" else " of being the commonest outcome on data sets like these"
    bar = svg.stacked([(side, p) for _, side, p in known])
    return f'<div class="op-shares"><p>Probability{what}:</p><p class="op-regions">{told}</p>{bar}</div>'


def _data_sets(r: ThreeWay) -> str:
    rows = r.by_data_set()
    if not rows:
        return ""
    ends = [end for row in rows for end in (row.interval or (row.mean, row.observed))]
    axis = svg.widened([0.0, *ends, *(r.rope or ())])
    digits = digits_of(r)
    ordered = sorted(rows, key=lambda row: -row.mean)
    level = f"about {100 * r.mass:g}%" if rows[0].interval else "interval"
    names = ("data set", "difference", "mean", "observed", level, "verdict" if rows[0].interval else "observed")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    lines = "".join(_line(row, axis, r.rope, digits) for row in ordered)
    foot = f"<tr><td></td><td>{svg.scale(axis)}</td>{'<td></td>' * 4}</tr>"
    table = (
        f'<table class="op-forest op-suite"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody>'
        f'<tfoot aria-hidden="true">{foot}</tfoot></table>'
    )
    return f"<section><h2>{HEADING}</h2>{_sentence(r, rows)}{scrolled(HEADING, table)}</section>"


def _sentence(r: ThreeWay, rows: Sequence[OnDataSet]) -> str:
    """How many data sets have which outcome, and what the rows show."""
    outcomes = [row.outcome for row in rows if row.outcome]
    if rows[0].interval:
        counted = tallied(outcomes, "data sets", r.a, r.b) if outcomes else ""
        how = "The differences are shrunk towards their mean."
    else:
        number = {name: outcomes.count(name) for name in SIDES}
        counted = (
            f"Of {len(rows)} data sets, {r.a} against {r.b} as observed: better by more than the ROPE on "
            f"{number['better']}, worse on {number['worse']}, within the ROPE on {number['equivalent']}."
            if outcomes
            else ""
        )
        how = "Without a posterior for each data set, a row has no interval and no verdict."
    return f'<p class="op-tally">{escape(counted)}</p><p>{how}</p>'


def _line(row: OnDataSet, axis: Interval, rope: Interval | None, digits: int) -> str:
    if row.outcome is None:
        said = "–"
    else:
        said = f"{OUTCOMES[row.outcome][0]} {SHORT[row.outcome]}" if row.interval else SIDES[row.outcome]
    ends = row.interval or (row.mean, row.mean)
    cells = (
        svg.whisker(row.mean, ends, axis, rope),
        numbers.signed(row.mean, digits),
        numbers.signed(row.observed, digits),
        numbers.interval(ends, digits, difference=True) if row.interval else "–",
        escape(said),
    )
    name = f'<th scope="row"><bdi>{escape(escaping.label(row.name))}</bdi></th>'
    return f'<tr data-verdict="{row.outcome or ""}">{name}{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
