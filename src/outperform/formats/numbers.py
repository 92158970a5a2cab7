"""Formats of numbers, in one place, so that every output shows the same figure."""

from __future__ import annotations

from math import floor, log10

__all__ = [
    "about", "bayes_factor", "chance", "count", "decimals", "expected", "interval", "p_value", "percent", "roughly",
    "score", "share", "signed",
]  # fmt: skip

ROUNDING = 1e-12  # differences below are errors of floating-point sums
LARGE = 1e7  # number, from which powers of ten are written


def decimals(*scales: float) -> int:
    """Number of decimals that shows differences of these sizes: three, or more where they are small."""
    smallest = min((scale for scale in scales if scale > 1e-9), default=1.0)  # below is rounding
    return max(3, -floor(log10(smallest)))


def score(value: float | None, digits: int = 3, sign: str = "") -> str:
    """Format a score: 0.853."""
    if value is None:
        return "undefined"
    return f"{value:{sign}.{digits}f}" if abs(value) < LARGE else f"{value:{sign}.6g}"


def signed(value: float | None, digits: int = 3) -> str:
    """Format a difference: +0.098. What rounds to nothing keeps its sign, -0.000, unless it is nothing but rounding."""
    return score(0.0 if value is not None and abs(value) < ROUNDING else value, digits, "+")


def interval(ends: tuple[float, float], digits: int = 3, *, difference: bool = False) -> str:
    """Format an interval: [+0.064, +0.131]."""
    form = signed if difference else score
    return f"[{form(ends[0], digits)}, {form(ends[1], digits)}]"


def percent(share: float) -> str:
    """Format a probability: 92.2%. What rounds to 0.0% or 100.0% is a bound, since no number of draws is a proof."""
    if share < 0.0005:
        return "<0.1%"
    if share >= 0.9995:
        return ">99.9%"
    return f"{100 * share:.1f}%"


def chance(event: str, share: float) -> str:
    """State the probability of an event: P(ROPE) = 92.2%, and P(ROPE) < 0.1% where it is a bound."""
    shown = percent(share)
    return f"P({event}) {shown[0]} {shown[1:]}" if shown[0] in "<>" else f"P({event}) = {shown}"


def share(part: float) -> str:
    """Format a share that may be negative or above 1: 48%."""
    return f"{round(100 * part) + 0:.0f}%"


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


def every(n: float) -> str:
    """Say that something holds for each of a number of items: all 7,532 items, or the only item."""
    return "the only item" if n == 1 else f"all {count(n)}"


def expected(number: float) -> str:
    """An expected number: 0.21, 3.4, 56."""
    if number < 0.005:
        return "less than 0.01" if number > 0 else "0"
    return f"{number:.2f}" if number < 1 else f"{number:.1f}" if number < 10 else f"{number:,.0f}"


def about(items: float) -> str:
    """A number of items to two digits, or three where the first is 1: about 2,400 for 2,410, 15,200 for 15,231."""
    digits = 2 if f"{items:e}"[0] != "1" else 3
    unit = 10 ** max(floor(log10(max(items, 1))) + 1 - digits, 0)
    return f"{round(items / unit) * unit:,}"


def roughly(items: float) -> str:
    """A number of items to two digits: 15,000 for 15,231."""
    return f"{float(f'{items:.2g}'):,.0f}"
