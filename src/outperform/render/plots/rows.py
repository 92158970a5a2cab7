"""Intervals row by row: classes, priors, pairs of systems, systems, the cells of a check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from outperform.base.errors import need
from outperform.formats import numbers
from outperform.render.plots import words
from outperform.render.plots.look import ROPE, Look
from outperform.results.card import measured
from outperform.verdicts.interval import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import BySlice, Comparison, Estimate, PerClass, PredictiveCheck, Ranking, Sensitivity

__all__ = ["check", "classes", "forest", "ranking", "sensitivity", "slices"]

WIDTH, ROW, ABOVE = 6.0, 0.26, 1.1  # inches: of a figure, of a row, and of what is not rows
BAND = 7.0  # points, from one band to the next


def forest(
    rows: Iterable[Comparison | Estimate], ax: Axes | None = None, *, labels: Sequence[str] | None = None
) -> Axes:
    """Draw mean and HDI row by row, the first on top; of comparisons the ROPE as a band, the verdicts at the right.

    Parameters
    ----------
    rows : iterable of Comparison or Estimate
        For example the classes of a result, or `r.comparison(a, b)` of the pairs of a ranking.
    ax : matplotlib Axes
        New ones by default.
    labels : sequence of str
        Of the rows; by default their classes, or else the classifiers.
    """
    rows = list(rows)
    if not rows:
        raise ValueError("there are no rows to draw; give at least one comparison or estimate")
    look, first = Look.of(ax, _size(rows)), rows[0]
    compared = [cast("Comparison", row) for row in rows if hasattr(row, "delta")]
    if compared:
        if rope := compared[0].rope:
            look.ax.axvspan(rope.low, rope.high, color=ROPE, alpha=0.2, linewidth=0)
        look.rule(0, across=False)
    estimates: list[Any] = [row.delta for row in compared] or rows
    shown = [_label(look, row) for row in rows] if labels is None else labels
    size = _intervals(look, shown, [(one.mean, one.hdi) for one in estimates])
    for k, row in enumerate(compared):
        if row.decision:
            _beside(look, row.decision.symbol, -k, 6, size)
    pairs = {(row.a.name, row.b.name) for row in compared}
    mass = f"{100 * estimates[0].mass:g}% HDI"
    if len(pairs) == 1:
        what = words.difference(measured(first), *pairs.pop(), 0.9 * look.width)
        look.name(words.wrapped([f"{what},", mass], 0.9 * look.width))
    else:
        look.name(f"{'Δ' if compared else ''}{look.short(measured(first), 0.7)}, {mass}")
    return look.ax


def classes(r: PerClass[Any], ax: Axes | None = None) -> Axes:
    """Draw mean and HDI class by class."""
    return forest(r.rows, ax)


def slices(r: BySlice, ax: Axes | None = None) -> Axes:
    """Draw mean and HDI slice by slice."""
    return forest(r.rows, ax, labels=[str(value) for value in r.slices])


def sensitivity(s: Sensitivity, ax: Axes | None = None) -> Axes:
    """Draw δ with its HDI under each prior."""
    return forest(s.rows, ax, labels=[row.prior for row in s.rows])


def ranking(r: Ranking, ax: Axes | None = None) -> Axes:
    """Draw the systems' scores with their HDIs, the best on top; bars at the right join those not distinguishable."""
    look, names = Look.of(ax, _size(r.systems)), [system.name for system in r.systems]
    size = _intervals(look, names, [(system.mean, system.hdi) for system in r.systems])
    best = [numbers.percent(system.p_best) for system in r.systems]
    room = max(words.width(text, size) for text in (*best, "P(best)")) + 12
    for k, text in enumerate(best):
        _beside(look, text, -k, room - 6, size, ha="right")
    _beside(look, "P(best)", 0.75, room - 6, size, ha="right")
    several = [band for band in r.bands if len(band) > 1]
    step = min(BAND, 10 * BAND / max(len(several), 1))
    for place, band in enumerate(several):
        _bar(look, sorted(map(names.index, band)), room + step * (place + 0.5), 0.45 * step)
    look.name(f"{look.short(measured(r), 0.7)}, {100 * r.mass:g}% HDI")
    return look.ax


def check(r: PredictiveCheck, ax: Axes | None = None) -> Axes:
    """Draw intervals of the counts that the model predicts, and the observed counts as crosses."""
    look = Look.of(ax, _size(r.cells))
    labels = [f"{cell.variable} {cell.cell}".strip() for cell in r.cells]
    _intervals(look, labels, [(cell.mean, cell.interval) for cell in r.cells])
    places = [-k for k in range(len(r.cells))]
    seen = look.ax.plot([cell.observed for cell in r.cells], places, "X", color=look.lines[1], markersize=7)
    seen[0].set(zorder=3, clip_on=False)
    look.key(seen, ["observed"])
    look.name(f"items, {100 * r.mass:g}% interval of the {r.when} predictive")
    return look.ax


def _intervals(look: Look, labels: Sequence[str], rows: Sequence[tuple[float, Interval]]) -> float:
    """Draw means and intervals and name the rows; return the size of letters that fits."""
    size = look.name_rows(labels)
    for k, (mean, ends) in enumerate(rows):
        look.ax.plot(ends, (-k, -k), color=look.main, linewidth=min(4, 0.4 * size), solid_capstyle="butt")
        look.ax.plot([mean], [-k], color=look.ink, marker="o", markersize=min(5, 0.55 * size))
    look.tidy(left=True).spines["left"].set_visible(False)
    return size


def _size(rows: Sequence[object]) -> tuple[float, float]:
    """Size of a figure with so many rows, in inches."""
    return WIDTH, ABOVE + ROW * len(rows)


def _label(look: Look, row: Comparison | Estimate) -> str:
    if row.class_ is not None:
        return str(row.class_)
    if not hasattr(row, "delta"):
        return row.name
    compared = cast("Comparison", row)
    return " − ".join(look.short(score.name, 0.3) for score in (compared.a, compared.b))


def _beside(look: Look, text: str, row: float, away: float, size: float, ha: str = "left") -> None:
    """Write to the right of the axes, so many points away from them."""
    place = {"xycoords": look.ax.get_yaxis_transform(), "annotation_clip": False, "ha": ha}
    look.beside((1, row), text, away, color=look.ax.xaxis.label.get_color(), fontsize=size, **place)


def _bar(look: Look, places: Sequence[int], away: float, thick: float) -> None:
    """Join rows by a bar at the right of the axes; where it passes rows that do not belong to it, it is dotted."""
    offset_copy = need("matplotlib.transforms", "plot").offset_copy
    at = offset_copy(look.ax.get_yaxis_transform(), fig=look.ax.figure, x=away, units="points")
    colour = look.ax.xaxis.label.get_color()
    put: dict[str, Any] = {"color": colour, "transform": at, "clip_on": False}
    along = (1, 1.0001)  # a line of no width is left out of the layout
    look.ax.plot(along, [-places[0], -places[-1]], linewidth=0.3 * thick, linestyle=":", **put)
    for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0]):
        rows = [place for _, place in run]
        ends = (-rows[0] + 0.35, -rows[-1] - 0.35)
        look.ax.plot(along, ends, linewidth=thick, solid_capstyle="butt", **put)
