"""How numbers are written, in one place, so that every output shows the same figure."""

from __future__ import annotations

from math import isnan

__all__ = ["bayes_factor", "count", "interval", "p_value", "percent", "score", "signed"]


def score(value: float) -> str:
    """Format a score: 0.853."""
    return "undefined" if isnan(value) else f"{value:.3f}"


def signed(value: float) -> str:
    """Format a difference: +0.098. What rounds to nothing has no sign to speak of: +0.000."""
    return "undefined" if isnan(value) else f"{round(value, 3) + 0.0:+.3f}"


def interval(ends: tuple[float, float], *, difference: bool = False) -> str:
    """Format an interval: [+0.064, +0.131]."""
    form = signed if difference else score
    return f"[{form(ends[0])}, {form(ends[1])}]"


def percent(share: float) -> str:
    """Format a probability: 92.2%; what is not quite nothing or all says so."""
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 < share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}%"


def p_value(p: float | None) -> str:
    """Format a p-value to three decimals, as the papers print it."""
    if p is None:
        return "n/a"
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def bayes_factor(value: float | None) -> str:
    """Format a Bayes factor: three digits, powers of ten where it is far from 1."""
    if value is None:
        return "n/a"
    if value == 0 or 0.001 <= value < 10_000:
        return f"{value:.3g}"
    return f"{value:.1e}"


def count(n: float) -> str:
    """Format a number of items: 7,532 items."""
    written = f"{n:,.0f}" if float(n).is_integer() else f"{n:,.1f}"
    return f"{written} item{'' if n == 1 else 's'}"
