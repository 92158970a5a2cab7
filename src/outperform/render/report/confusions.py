"""Where two systems confuse classes differently: a bar for each pair of classes, the largest difference first."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from outperform.base.errors import amount
from outperform.data.confused import Confused
from outperform.formats import escaping, numbers
from outperform.render.report import svg
from outperform.render.report.answer import worded
from outperform.render.report.exhibits import breakable, scrolled
from outperform.results import Comparison
from outperform.results.card import NAMES

__all__ = ["confusions"]

MOST = 10  # pairs with a bar of their own
FOLDED = 40  # pairs that are listed below them; of many classes there may be thousands
HEADING = "Where they confuse classes differently"


def confusions(r: Comparison) -> str:
    """A section: a sentence, the pairs with bars, and further ones folded; nothing where errors are not known."""
    found = r.confusions()
    if not found:
        return ""
    shown, more = found[:MOST], found[MOST:]
    axis = svg.widened([0.0, *(pair.difference for pair in shown)])
    table = scrolled(HEADING, _table(r, shown, [svg.bar(pair.difference, axis, less=True) for pair in shown]))
    return f"<section><h2>{HEADING}</h2>{_sentence(r, found[0])}{table}{_folded(r, more)}</section>"


def _sentence(r: Comparison, first: Confused) -> str:
    a, b = NAMES
    truth, predicted = (escaping.label(name) for name in (first.truth, first.predicted))
    largest = f"The largest difference: {a} takes {numbers.count(first.a)} of class "
    return (
        f"<p>{worded(largest, r)}<bdi>{escape(truth)}</bdi> for class <bdi>{escape(predicted)}</bdi>, "
        f"{worded(f'{b} takes {amount(first.b)}. Blue: {a} makes fewer of these errors; orange: more.', r)}</p>"
    )


def _table(r: Comparison, pairs: Sequence[Confused], bars: Sequence[str] = ()) -> str:
    """A row for each pair: both classes, the bar, the errors of both systems, and their difference."""
    names = [breakable(escaping.label(score.name)) for score in (r.a, r.b)]
    columns = ["true → predicted", *(["difference in errors"] if bars else []), *names, "difference"]
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    drawn = [f"<td>{bar}</td>" for bar in bars] or [""] * len(pairs)
    lines = "".join(_line(pair, bar) for pair, bar in zip(pairs, drawn, strict=True))
    return f'<table class="op-confused"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'


def _line(pair: Confused, bar: str) -> str:
    truth, predicted = (breakable(escaping.label(name)) for name in (pair.truth, pair.predicted))
    sign = "+" if pair.difference > 0 else "−"
    cells = (amount(pair.a), amount(pair.b), f"{sign}{amount(abs(pair.difference))}")
    return f'<tr><th scope="row">{truth} → {predicted}</th>{bar}{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _folded(r: Comparison, pairs: Sequence[Confused]) -> str:
    """The pairs with smaller differences, without bars."""
    if not pairs:
        return ""
    listed, rest = pairs[:FOLDED], len(pairs) - FOLDED
    said = f"<p>{rest:,} more with smaller differences.</p>" if rest > 0 else ""
    table = scrolled("Smaller differences", _table(r, listed))
    return (
        f"<details><summary>{len(pairs):,} pairs of classes with smaller differences</summary>{table}{said}</details>"
    )
