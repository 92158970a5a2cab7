"""How often studies reach their goal, by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outperform.formats import numbers
from outperform.render.planning import GOALS
from outperform.render.plots import words
from outperform.render.plots.look import Look, axes, breadth, entitle, few_ticks, key, name_x, name_y, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import Plan, Power

__all__ = ["curve", "plan"]


def curve(r: Power, ax: Axes | None = None) -> Axes:
    """Draw the share of studies that reach the goal by their size, with two standard errors (SIGIR'16 Figure 5).

    Several curves may be drawn into the same axes.
    """
    ax = axes(ax)
    look, others = Look.of(ax), [line for line in ax.lines if line.get_marker() == "o"]
    items, share, error = (np.array([getattr(p, name) for p in r.points]) for name in ("items", "reached", "error"))
    colour = look.lines[len(others) % len(look.lines)]
    ax.fill_between(items, share - 2 * error, share + 2 * error, color=colour, alpha=0.25, linewidth=0)
    curves = [*others, *ax.plot(items, share, color=colour, marker="o", markersize=4, label=f"{r.goal}, {r.model}")]
    key(ax, curves, [str(line.get_label()) for line in curves], loc="lower right")
    ax.set_ylim(0, 1.02)
    a, b = (words.shortened(name, 0.4 * breadth(ax)) for name in (r.a, r.b))
    goal = f"To {GOALS[r.goal].format(a=a, b=b, width=r.width or 0.0)}"
    entitle(ax, goal if not others or ax.get_title().replace("\n", " ") == goal else "")
    name_x(ax, "more items" if r.items else "items")
    name_y(ax, "power")
    few_ticks(ax)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return tidy(ax, left=True)


def plan(r: Plan, ax: Axes | None = None) -> Axes:
    """Draw the curve, and where it passes the wanted probability."""
    ax = curve(r, ax)
    look = Look.of(ax)
    ax.axhline(r.power, color=look.ink, linewidth=0.8, linestyle=":")
    ax.axvline(r.further, color=look.ink, linewidth=0.8, linestyle=":")
    said = f"about {numbers.about(r.further)} with probability {r.power:g}" if r.further else "none needed"
    name_x(ax, f"{ax.get_xlabel()}\n{said}")
    name_y(ax, "assurance")
    return ax
