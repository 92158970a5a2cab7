"""What a report shows before its comparisons: of a ranking, the ranking."""

from __future__ import annotations

from html import escape

from outperform.base.sentences import Words
from outperform.base.views import View
from outperform.formats import escaping, numbers, writers
from outperform.render.ranking import next_of
from outperform.render.report import svg
from outperform.render.report.exhibits import scrolled
from outperform.results import Ranked, Ranking, Result
from outperform.verdicts.interval import Interval

__all__ = ["opening"]

BANDS = "Systems that share a letter (band) are not distinguishable."
opening: View[str] = View()


@opening.of(Result)
def nothing(_: Result, __: Words) -> str:
    """Nothing, unless the kind of result has something of its own."""
    return ""


@opening.of(Ranking)
def ranked(r: Ranking, words: Words) -> str:
    """Who comes first, every system with its score on one axis, and every two of them."""
    systems, pairs = r.tables()[:2]
    digits = numbers.decimals(min((s.sd for s in r.systems if s.sd > 0), default=0.001))
    axis = svg.widened(end for s in r.systems for end in s.hdi)
    names = ("band", "system", escape(escaping.label(r.measure)), "mean", f"{100 * r.mass:g}% HDI", "P(best)")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    lines = "".join(_line(s, axis, digits) for s in r.systems)
    foot = f"<tr><td></td><td></td><td>{svg.scale(axis, difference=False)}</td><td></td><td></td><td></td></tr>"
    table = (
        f'<table class="op-systems"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody>'
        f'<tfoot aria-hidden="true">{foot}</tfoot></table>'
    )
    square = scrolled(pairs.caption, writers.html(pairs).partition("<small>")[0])
    return (
        f'<section class="op-ranking"><p class="op-lead">{escape(escaping.one_line(systems.lead))}.</p>'
        f"<p>{escape(escaping.one_line(next_of(r, words)))}</p>"
        f'{scrolled("Ranking", table)}<p class="op-bands">{BANDS}</p>{square}</section>'
    )


def _line(system: Ranked, axis: Interval, digits: int) -> str:
    name = f'<th scope="row"><bdi>{escape(escaping.label(system.name))}</bdi></th>'
    cells = (
        svg.score_whisker(system.mean, system.hdi, axis),
        numbers.score(system.mean, digits),
        numbers.interval(system.hdi, digits),
        escape(numbers.percent(system.p_best)),
    )
    return f"<tr><td>{system.bands}</td>{name}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
