"""What drives the difference of two averages: a bar for each class, the largest first."""

from __future__ import annotations

from html import escape

from outperform.formats import escaping, numbers
from outperform.render.report import svg
from outperform.render.report.exhibits import breakable, scrolled
from outperform.results import Comparison
from outperform.results.card import comparison_digits, measured

__all__ = ["drivers"]

MOST = 10  # classes with a bar of their own; the table of numbers has all


def drivers(r: Comparison, which: str = "") -> str:
    """A section of bars, or nothing where there are no classes to tell apart; `which` of several is in its heading."""
    if not r.drivers:
        return ""
    shown, rest = r.drivers[:MOST], r.drivers[MOST:]
    axis = svg.widened([0.0, *(driver.delta for driver in shown)])
    digits = comparison_digits(r) + 1
    shares = any(driver.share is not None for driver in shown)  # there is none of an unresolved difference
    lines = "".join(
        f'<tr><th scope="row">{breakable(escaping.label(d.class_))}</th><td>{svg.bar(d.delta, axis)}</td>'
        f"<td>{numbers.signed(d.delta, digits)}</td>{f'<td>{_share(d.share)}</td>' if shares else ''}</tr>"
        for d in shown
    )
    names = ("class", f"part of the difference in {escape(escaping.label(measured(r)))}", "adds", "share")
    head = "".join(f'<th scope="col">{name}</th>' for name in names[: None if shares else 3])
    table = f'<table class="op-drivers"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'
    others = numbers.signed(sum(driver.delta for driver in rest), digits)
    said = f"<p>The other {len(rest)} classes add {others} together.</p>" if len(rest) > 1 else ""
    heading = f"What drives the difference{f': {which}' if which else ''}"
    return f"<section><h2>{escape(heading)}</h2>{scrolled(heading, table)}{said}</section>"


def _share(share: float | None) -> str:
    return "–" if share is None else numbers.share(share)
