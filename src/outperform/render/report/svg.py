"""The pictures of a report as SVG: complete without a script, and named so that the script can move their parts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from outperform.formats import numbers
from outperform.render.report.rows import BASE, FRAME, TOP, ReportRow, place, ticks
from outperform.verdicts.interval import Interval

if TYPE_CHECKING:
    from outperform.results import Comparison

__all__ = [
    "CELL", "MARGINS", "MARGIN_TICK", "NARROW", "TICK", "bar", "forest_axis", "margins", "posterior", "scale",
    "score_whisker", "stacked", "whisker", "widened",
]  # fmt: skip

WIDTH = 640  # of a picture
TICK = BASE + 53  # where the numbers of the posterior's axis stand
MARGINS = (36, 116)  # top and bottom of the curve over margins
MARGIN_TICK = 166  # where the numbers of the margins' axis stand
NARROW = 24  # too narrow for a symbol
CELL = 240  # width of a row's picture


def posterior(row: ReportRow) -> str:
    """The density of δ, the HDI below it, the ROPE as a band with a handle at each end."""
    r, axis = row.r, row.axis
    low, high = (place(end, axis) for end in r.delta.hdi)
    rope = r.region or (0.0, 0.0)
    edges = [min(max(place(end, axis), FRAME[0]), FRAME[1]) for end in rope]
    handles = "".join(
        f'<g class="op-handle" transform="translate({edge:g})"><line y1="{TOP - 8}" y2="{BASE}"/>'
        f'<rect x="-22" y="{TOP - 12}" width="44" height="{BASE - TOP + 12}" class="op-reach"/>'
        f'<rect x="-7" y="{(TOP + BASE) // 2 - 22}" width="14" height="44" rx="7" class="op-grip"/></g>'
        for edge in edges
    )
    ends = "".join(
        f'<text class="op-end" x="{at:g}" y="{BASE + 26}" text-anchor="{anchor}">'
        f"{numbers.signed(end, row.digits)}</text>"
        for at, end, anchor in zip((low, high), r.delta.hdi, ("end", "start"), strict=True)
    )
    said = f"The posterior of the difference: {_said(r, row.digits)}"
    return (
        f'<svg class="op-posterior" viewBox="0 0 {WIDTH} {TICK + 8}" role="group" aria-label="{escape(said)}">'
        f'<text class="op-level" x="{FRAME[0]}" y="18">posterior density</text>'
        f'<path class="op-curve" d="{row.curve()}"/>'
        f'<g class="op-rope{"" if r.rope else " op-none"}"><rect class="op-band" x="{edges[0]:g}" y="{TOP - 8}" '
        f'width="{edges[1] - edges[0]:g}" height="{BASE - TOP + 8}"/></g>'
        f'<g class="op-zero" transform="translate({place(0, axis):g})"><line y1="{TOP - 8}" y2="{BASE + 6}"/></g>'
        f'<line class="op-axis" x1="{FRAME[0]}" x2="{FRAME[1]}" y1="{BASE}" y2="{BASE}"/>'
        f'<line class="op-bar" x1="{low:g}" x2="{high:g}" y1="{BASE}" y2="{BASE}"/>'
        f'<g class="op-mean" transform="translate({place(r.delta.mean, axis):g})"><circle cy="{BASE}" r="5"/></g>'
        f'{ends}<g class="op-ticks">{_ticks(ticks(*axis, difference=True), axis, TICK)}</g>{handles}</svg>'
    )


def margins(row: ReportRow) -> str:
    """The share of the posterior within every margin, and below it the verdict that holds there."""
    r, axis = row.r, (0.0, row.margin)
    top, bottom = MARGINS
    at = np.linspace(0, row.margin, 81)
    within = row.shape.below(at) - row.shape.below(-at)
    points = "L".join(f"{place(m, axis):g},{bottom - (bottom - top) * p:.1f}" for m, p in zip(at, within, strict=True))
    level = r.rope is not None and r.rope.low == -r.rope.high
    now = place(min(r.rope.high, row.margin), axis) if r.rope else FRAME[0]
    parts = ", ".join(f"{d.symbol} from {numbers.score(m, row.digits)}" for m, d in r.by_margin())
    said = f"How the verdict depends on the margin: {parts}"
    return (
        f'<svg class="op-margins" viewBox="0 0 {WIDTH} {MARGIN_TICK + 8}" role="img" aria-label="{escape(said)}">'
        f'<line class="op-axis" x1="{FRAME[0]}" x2="{FRAME[1]}" y1="{bottom}" y2="{bottom}"/>'
        f'<text class="op-level" x="{FRAME[0]}" y="18">P(difference within ±margin)</text>'
        f'<text class="op-level" x="{FRAME[0] - 4}" y="{top + 4}" text-anchor="end">1</text>'
        f'<text class="op-level" x="{FRAME[0] - 4}" y="{bottom + 4}" text-anchor="end">0</text>'
        f'<path class="op-within" d="M{points}"/><g class="op-strip">{_strip(row)}</g>'
        f'<g class="op-margin-ticks">{_ticks(ticks(*axis), axis, MARGIN_TICK)}</g>'
        f'<g class="op-now" transform="translate({now:g})"{"" if level else " display=none"}>'
        f'<line y1="{top - 4}" y2="{bottom + 6}"/></g></svg>'
    )


def whisker(at: float, ends: Interval, axis: Interval, region: Interval | None) -> str:
    """One row's mean, its HDI and the ROPE, on the axis that all rows share."""
    low, mean, high, zero = (_cell(value, axis) for value in (ends[0], at, ends[1], 0.0))
    rope = (_cell(region[0], axis), _cell(region[1], axis)) if region else (zero, zero)
    return (
        f'<svg class="op-cell" viewBox="0 0 {CELL} 20" aria-hidden="true">'
        f'<rect class="op-region" x="{rope[0]:g}" y="0" width="{rope[1] - rope[0]:g}" height="20"/>'
        f'<line class="op-null" x1="{zero:g}" x2="{zero:g}" y1="0" y2="20"/>'
        f'<line class="op-whisker" x1="{low:g}" x2="{high:g}" y1="10" y2="10"/>'
        f'<circle cx="{mean:g}" cy="10" r="3.5"/></svg>'
    )


def scale(axis: Interval, *, difference: bool = True) -> str:
    """The numbers of the axis that all rows share: two or three, so that they have room in a narrow column."""
    marks = ticks(*axis, difference=difference)
    kept = [at for at in marks if CELL * 0.08 < _cell(at[0], axis) < CELL * 0.92][:: max(len(marks) // 2, 1)]
    texts = "".join(f'<text x="{_cell(at, axis):g}" y="20">{text}</text>' for at, text in kept)
    lines = "".join(f'<path d="M{_cell(at, axis):g},0v5"/>' for at, _ in kept)
    return f'<svg class="op-cell op-scale" viewBox="0 0 {CELL} 24" aria-hidden="true">{lines}{texts}</svg>'


def score_whisker(mean: float, hdi: Interval, axis: Interval) -> str:
    """A score and its HDI on the axis that all scores share."""
    low, middle, high = (_cell(value, axis) for value in (hdi[0], mean, hdi[1]))
    return (
        f'<svg class="op-cell" viewBox="0 0 {CELL} 20" aria-hidden="true">'
        f'<line class="op-whisker" x1="{low:g}" x2="{high:g}" y1="10" y2="10"/>'
        f'<circle cx="{middle:g}" cy="10" r="4"/></svg>'
    )


def bar(value: float, axis: Interval, *, less: bool = False) -> str:
    """A bar from 0 to a value, on the axis that all bars share; with `less`, a value below 0 is the better one."""
    zero, end = _cell(0.0, axis), _cell(value, axis)
    side = "better" if (value > 0) != less else "worse"
    return (
        f'<svg class="op-cell" viewBox="0 0 {CELL} 20" aria-hidden="true">'
        f'<rect class="op-share op-{side}" x="{min(zero, end):g}" y="3" width="{abs(end - zero):.1f}" height="14"/>'
        f'<line class="op-null" x1="{zero:g}" x2="{zero:g}" y1="0" y2="20"/></svg>'
    )


def stacked(shares: Iterable[tuple[str, float]], whole: int = WIDTH) -> str:
    """Shares of a whole as the parts of one bar: better, equivalent, worse, and what is left."""
    drawn, start = [], 0.0
    for side, share in shares:
        width = whole * min(share, 1 - start)
        drawn.append(f'<rect class="op-share op-{side}" x="{whole * start:.1f}" width="{width:.1f}" height="20"/>')
        start = min(start + share, 1.0)
    left = f'<rect class="op-left" width="{whole}" height="20"/>'
    name = "op-stacked" if whole == WIDTH else "op-cell"
    return f'<svg class="{name}" viewBox="0 0 {whole} 20" aria-hidden="true">{left}{"".join(drawn)}</svg>'


def widened(ends: Iterable[float]) -> Interval:
    """From the least to the largest of some values, and some room on either side."""
    low, high = min(found := list(ends)), max(found)
    room = 0.06 * (high - low) or 1e-6
    return low - room, high + room


def forest_axis(rows: Iterable[ReportRow]) -> Interval:
    """From the lowest to the highest end of all rows, 0 and the ROPE."""
    ends = [0.0]
    for row in rows:
        widest = row.shape.hdi[max(row.shape.hdi)]
        ends += [*widest[:2], *(row.r.region or ())]
    return widened(ends)


def _cell(value: float, axis: Interval) -> float:
    return round((value - axis[0]) / (axis[1] - axis[0]) * CELL, 1)


def _strip(row: ReportRow) -> str:
    """A box for each verdict, as wide as the margins under which it holds."""
    axis, bottom = (0.0, row.margin), MARGINS[1]
    found = row.r.by_margin()
    ends = [start for start, _ in found[1:]] + [row.margin]
    drawn = []
    for (start, decision), end in zip(found, ends, strict=True):
        if start >= row.margin:
            break
        left, right = place(start, axis), place(min(end, row.margin), axis)
        symbol = escape(decision.symbol) if right - left > NARROW else ""
        drawn.append(
            f'<rect class="op-v-{decision.name}" x="{left:g}" y="{bottom + 6}" width="{right - left:.1f}" height="20"/>'
            f'<text class="op-symbol" x="{(left + right) / 2:g}" y="{bottom + 20}">{symbol}</text>'
        )
    return "".join(drawn)


def _ticks(marks: Iterable[tuple[float, str]], axis: Interval, y: float) -> str:
    return "".join(f'<text x="{place(at, axis):g}" y="{y:g}">{text}</text>' for at, text in marks)


def _said(r: Comparison, digits: int) -> str:
    bounds = numbers.interval(r.delta.hdi, digits, difference=True)
    return f"mean {numbers.signed(r.delta.mean, digits)}, {100 * r.delta.mass:g}% HDI {bounds}"
