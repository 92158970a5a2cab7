"""Pictures by matplotlib: functions that take a result and axes and return the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outperform.errors import need
from outperform.render import numbers
from outperform.render.text import measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import BayesTest, Comparison, Power, Sensitivity

__all__ = ["curve", "densities", "posterior", "sensitivity", "trace"]

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "#555555"  # Okabe–Ito: safe for the colour-blind


def posterior(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the posterior of δ: density, HDI as a bar, ROPE as a band, the share on each side of 0."""
    if ax is None:
        ax = _axes()
    ax.hist(r.draws[:, 0] - r.draws[:, 1], bins=80, density=True, color=BLUE, alpha=0.55, linewidth=0)
    if r.rope:
        ax.axvspan(r.rope.low, r.rope.high, color=ORANGE, alpha=0.2, linewidth=0)
        ax.text(
            (r.rope.low + r.rope.high) / 2,
            0.97,
            f"ROPE: {numbers.percent(r.rope.probability)}",
            transform=ax.get_xaxis_transform(),
            horizontalalignment="center",
            verticalalignment="top",
            bbox={"facecolor": ax.get_facecolor(), "alpha": 0.8, "linewidth": 0, "pad": 2},
        )
    ax.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
    ax.plot(r.delta.hdi, (0, 0), color="black", linewidth=4, solid_capstyle="butt", clip_on=False)
    for end, side in zip(r.delta.hdi, ("right", "left"), strict=True):
        away = -4 if side == "right" else 4
        ax.annotate(numbers.signed(end), (end, 0), (away, 8), textcoords="offset points", ha=side)
    shares = f"{numbers.percent(r.delta.p_less)} < 0 < {numbers.percent(r.delta.p_greater)}"
    ax.set_xlabel(f"Δ{measured(r)} = {r.a.name} − {r.b.name}     {shares}")
    ax.set_title(r.decision.text if r.decision else f"mean {numbers.signed(r.delta.mean)}", fontsize="medium")
    ax.set_yticks([])
    ax.spines[["left", "right", "top"]].set_visible(False)
    return ax


def densities(r: BayesTest, ax: Axes | None = None) -> Axes:
    """Draw the posteriors of the two scores from their 0.001 to their 0.999 quantile (ACL'19 Figures 1–3)."""
    if r.posteriors is None:
        raise ValueError("paired scores have no closed form to draw; use plot() for their difference")
    if ax is None:
        ax = _axes()
    for score, own, colour in zip((r.a, r.b), r.posteriors, (BLUE, ORANGE), strict=True):
        start, end = own.ppf([0.001, 0.999]).tolist()
        at = np.linspace(start, end, 201)
        ax.plot(at, own.pdf(at), color=colour, label=score.name)
        low, high = own.interval(r.delta.mass)
        inside = (at >= low) & (at <= high)
        ax.fill_between(at[inside], own.pdf(at[inside]), color=colour, alpha=0.2, linewidth=0)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(f"{measured(r)}     P({r.b.name} > {r.a.name}) = {numbers.percent(r.hypotheses.p_h1)}")
    ax.legend(frameon=False)
    ax.set_yticks([])
    ax.spines[["left", "right", "top"]].set_visible(False)
    return ax


def trace(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw δ draw by draw, chains one above the other in colour, with the running mean of all (SIGIR'16 Figure 4)."""
    if ax is None:
        ax = _axes()
    drawn = r.draws[:, 0] - r.draws[:, 1]
    number = 1 if r.sampler is None else r.sampler.chains
    for k, chain in enumerate(drawn.reshape(number, -1)):
        ax.plot(chain, color=(BLUE, ORANGE, GREEN, GREY)[k % 4], linewidth=0.3, alpha=0.6, rasterized=True)
    together = drawn.reshape(number, -1).mean(axis=0)
    ax.plot(np.cumsum(together) / np.arange(1, len(together) + 1), color="black", linewidth=1.2, label="running mean")
    ax.axhline(0, color=GREY, linewidth=0.8, linestyle=":")
    if r.rope:
        ax.axhspan(r.rope.low, r.rope.high, color=ORANGE, alpha=0.15, linewidth=0)
    ax.set_xlim(0, len(together))
    ax.set_xlabel("draw" if number == 1 else f"draw of each of {number} chains")
    ax.set_ylabel(f"Δ{measured(r)}")
    ax.legend(frameon=False, loc="upper right")
    if r.sampler is not None:
        shown = "unknown" if r.sampler.r_hat is None else f"{r.sampler.r_hat:.3f}"
        ax.set_title(f"R-hat {shown}, effective draws {r.sampler.ess_bulk:,.0f}", fontsize="medium")
    ax.spines[["right", "top"]].set_visible(False)
    return ax


def sensitivity(s: Sensitivity, ax: Axes | None = None) -> Axes:
    """Draw δ with its HDI under each prior, the first on top; the ROPE as a band, the verdicts at the right."""
    if ax is None:
        ax = _axes()
    first = s.rows[0]
    if first.rope:
        ax.axvspan(first.rope.low, first.rope.high, color=ORANGE, alpha=0.2, linewidth=0)
    ax.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
    for k, row in enumerate(s.rows):
        ax.plot(row.delta.hdi, (-k, -k), color=BLUE, linewidth=3, solid_capstyle="butt")
        ax.plot([row.delta.mean], [-k], marker="o", color="black", markersize=5)
        if row.decision:
            ax.annotate(
                row.decision.symbol, (1.02, -k), xycoords=ax.get_yaxis_transform(), va="center", annotation_clip=False
            )
    ax.set_yticks([-k for k in range(len(s.rows))], [row.prior for row in s.rows])
    ax.set_ylim(-len(s.rows) + 0.4, 0.6)
    ax.set_xlabel(f"Δ{measured(first)} = {first.a.name} − {first.b.name}, {100 * first.delta.mass:g}% HDI")
    ax.spines[["left", "right", "top"]].set_visible(False)
    return ax


def curve(r: Power, ax: Axes | None = None) -> Axes:
    """Draw the share of studies that reach the goal by their size, with two standard errors (SIGIR'16 Figure 5)."""
    if ax is None:
        ax = _axes()
    items, share, error = (np.array([getattr(p, name) for p in r.points]) for name in ("items", "reached", "error"))
    colour = (BLUE, ORANGE, GREEN)[len(ax.lines) % 3]  # another for every curve in one picture
    ax.fill_between(items, share - 2 * error, share + 2 * error, color=colour, alpha=0.2, linewidth=0)
    ax.plot(items, share, color=colour, marker="o", markersize=4, label=r.model)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("more items" if r.items else "items")
    ax.set_ylabel(f"P({r.goal})")
    ax.spines[["right", "top"]].set_visible(False)
    return ax


def _axes() -> Axes:
    """New axes, of a size that suits a column of text."""
    axes: Axes = need("matplotlib.pyplot", "plot").subplots(figsize=(6, 3.2), layout="constrained")[1]
    return axes
