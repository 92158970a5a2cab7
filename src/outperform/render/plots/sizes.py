"""How often studies reach their goal, by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outperform.formats import numbers
from outperform.render.planning import GOALS
from outperform.render.plots.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import Plan, Power

__all__ = ["curve", "plan"]


def curve(r: Power, ax: Axes | None = None) -> Axes:
    """Draw the share of studies that reach the goal by their size, with two standard errors (SIGIR'16 Figure 5).

    Several curves may be drawn into the same axes.
    """
    look = Look.of(ax)
    ax = look.ax
    others = [line for line in ax.lines if line.get_marker() == "o"]
    items, share, error = (np.array([getattr(p, name) for p in r.points]) for name in ("items", "reached", "error"))
    colour = look.lines[len(others) % len(look.lines)]
    ax.fill_between(items, share - 2 * error, share + 2 * error, color=colour, alpha=0.25, linewidth=0)
    curves = [*others, *ax.plot(items, share, color=colour, marker="o", markersize=4, label=f"{r.goal}, {r.model}")]
    look.key(curves, [str(line.get_label()) for line in curves], loc="lower right")
    ax.set_ylim(0, 1.02)
    a, b = (look.short(name, 0.4) for name in (r.a, r.b))
    goal = f"To {GOALS[r.goal].format(a=a, b=b, width=r.width or 0.0)}"
    look.entitle(goal if not others or ax.get_title().replace("\n", " ") == goal else "")
    look.name("more items" if r.items else "items", "power")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return look.tidy(left=True)


def plan(r: Plan, ax: Axes | None = None) -> Axes:
    """Draw the curve, and where it passes the wanted probability."""
    ax = curve(r, ax)
    look = Look.of(ax)
    look.rule(r.power)
    look.rule(r.further, across=False)
    said = f"about {numbers.about(r.further)} with probability {r.power:g}" if r.further else "none needed"
    look.name(f"{ax.get_xlabel()}\n{said}", "assurance")
    return ax
