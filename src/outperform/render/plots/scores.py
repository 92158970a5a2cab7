"""The two scores: their posteriors, and one plotted against the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outperform.formats import numbers
from outperform.render.plots import words
from outperform.render.plots.look import ROPE, Look, ramp
from outperform.results.card import measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import BayesTest, Comparison

__all__ = ["densities", "joint"]

SQUARE = (4.2, 4.0)  # inches
TAIL = 0.0005  # of the draws on either side that may lie outside


def densities(r: BayesTest, ax: Axes | None = None) -> Axes:
    """Draw the posteriors of the two scores from their 0.001 to their 0.999 quantile (ACL'19 Figures 1–3)."""
    if r.posteriors is None:
        raise ValueError("paired scores have no closed form to draw; use plot() for their difference")
    look = Look.of(ax)
    ax, lines = look.ax, []
    for score, colour in zip(r.posteriors, look.lines, strict=False):
        start, end = score.ppf([0.001, 0.999]).tolist()
        at = np.linspace(start, end, 201)
        lines += ax.plot(at, score.pdf(at), color=colour)
        low, high = score.interval(r.delta.mass)
        inside = (at >= low) & (at <= high)
        ax.fill_between(at[inside], score.pdf(at[inside]), color=colour, alpha=0.25, linewidth=0)
    ax.set_ylim(0, ax.get_ylim()[1] / (1 - look.share(2)))
    a, b = (look.short(score.name, 0.3) for score in (r.a, r.b))
    look.key(lines, [a, b], loc="upper right")
    what = look.short(measured(r), 0.8)
    look.name(f"{what}\n{numbers.chance(f'{b} > {a}', r.hypotheses.p_h1)}")
    return look.tidy()


def joint(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the first score against the second, draw by draw; the ROPE is the band along the diagonal."""
    first, second = r.draws.T
    look = Look.of(ax, SQUARE)
    ax = look.ax
    low, high = np.quantile(r.draws, [TAIL, 1 - TAIL]).tolist()
    pad = 0.08 * (high - low) or 0.01
    ends = np.array([low - pad, high + pad])
    ax.hexbin(
        second, first, gridsize=40, extent=(*ends, *ends), cmap=ramp(look.main), mincnt=1, linewidths=0.2, zorder=1
    )
    if r.rope:
        ax.fill_between(ends, ends + r.rope.low, ends + r.rope.high, color=ROPE, alpha=0.25, linewidth=0, zorder=0)
    ax.plot(ends, ends, color=look.ink, linewidth=0.8, linestyle=":")
    ax.set(xlim=ends, ylim=ends, aspect="equal")
    above, below = numbers.percent(r.delta.p_greater), numbers.percent(r.delta.p_less)
    look.write((0.04, 0.96), above, transform=ax.transAxes, ha="left", va="top")
    look.write((0.96, 0.04), below, transform=ax.transAxes, ha="right", va="bottom")
    room = min(look.width, look.height)
    what = f"{words.shortened(measured(r), 0.4 * room)} of "
    look.name(*(what + words.shortened(score.name, room - words.width(what)) for score in (r.b, r.a)))
    look.tidy(left=True).set_yticks([at for at in ax.get_xticks() if ends[0] <= at <= ends[1]])
    return ax
