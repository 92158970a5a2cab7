"""How probable a verdict is with more data: a row for each multiple of the items, as a bar and in numbers."""

from __future__ import annotations

from html import escape

from outperform.base.sentences import Words
from outperform.formats import escaping, numbers
from outperform.render.captions import margin
from outperform.render.report import svg
from outperform.render.report.exhibits import scrolled
from outperform.results import Comparison
from outperform.results.card import is_planned, measured
from outperform.verdicts.outlook import Chances

__all__ = ["prospects"]

FACTORS = (2, 4, 8)
HEADING = "How sure with more data"


def prospects(r: Comparison, words: Words) -> str:
    """A section that holds for the ROPE and the HDI of the result; nothing unless it is unresolved."""
    found = r.chances(FACTORS)
    if not found or r.rope is None:
        return ""
    names = [f"<bdi>{escape(escaping.label(score.name))}</bdi> better" for score in (r.a, r.b)]
    columns = ("items", "chance of a verdict", "any verdict", names[0], "practically the same", names[1])
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    lines = "".join(map(_line, (1, *FACTORS), (Chances(r.items, 0.0, 0.0, 0.0), *found)))
    table = f'<table class="op-prospects"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'
    what, rope = escape(escaping.label(measured(r))), escape(margin((r.rope.low, r.rope.high)))
    said = (
        f"<p>With {FACTORS[0]} times the items the chance of a verdict on {what}, for the margin {rope}, is about "
        f"{_percent(found[0].settled)}, with {FACTORS[-1]} times {_percent(found[-1].settled)}. Blue: "
        f"{names[0]}; green: practically the same; orange: {names[1]}; grey: still unresolved.</p>"
    )
    simulated = f" {words('simulated', '')}" if is_planned(r) else ""
    how = (
        "<p>Predicted from the posterior: the further items are like these, and the true difference is as probable as "
        f"now.{escape(simulated)}</p>"
    )
    return f'<section class="op-own"><h2>{HEADING}</h2>{said}{scrolled(HEADING, table)}{how}</section>'


def _line(factor: int, chance: Chances) -> str:
    parts = (chance.better, chance.equivalent, chance.worse)
    bar = svg.stacked(zip(("better", "equivalent", "worse"), parts, strict=True), svg.CELL)
    shares = "".join(f"<td>{_percent(share)}</td>" for share in (chance.settled, *parts))
    items = numbers.count(round(chance.items)).partition(" ")[0]
    which = "now" if factor == 1 else f"×{factor}"
    return f'<tr><th scope="row">{items} ({which})</th><td>{bar}</td>{shares}</tr>'


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
