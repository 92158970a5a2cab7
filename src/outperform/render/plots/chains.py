"""Draws in the order in which they came, and how much each knows of those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.models.chains.autocorrelation import autocorrelation as correlation
from outperform.render.plots import words
from outperform.render.plots.look import (
    ROPE,
    Look,
    axes,
    breadth,
    entitle,
    few_ticks,
    height,
    key,
    name_x,
    name_y,
    tidy,
)
from outperform.render.text import measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import Comparison

__all__ = ["autocorrelation", "trace"]

LAGS = 50


def trace(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw δ draw by draw, chains one above the other in colour, with the running mean of all (SIGIR'16 Figure 4)."""
    chains = _chains(r)
    ax = axes(ax)
    look, together = Look.of(ax), chains.mean(axis=0)
    for k, chain in enumerate(chains):
        ax.plot(chain, color=look.lines[k % len(look.lines)], linewidth=0.3, alpha=0.6, rasterized=True)
    running = np.cumsum(together) / np.arange(1, len(together) + 1)
    mean = ax.plot(running, color=look.ink, linewidth=1.2)
    ax.axhline(0, color=look.ink, linewidth=0.8, linestyle=":")
    if r.rope:
        ax.axhspan(r.rope.low, r.rope.high, color=ROPE, alpha=0.2, linewidth=0)
    ax.set_xlim(0, len(together))
    name_x(ax, "draw" if len(chains) == 1 else f"draw of each of {len(chains)} chains")
    name_y(ax, words.shortened(f"Δ{measured(r)}", height(ax)))
    key(ax, mean, ["running mean"], loc="upper right")
    _diagnose(ax, r)
    few_ticks(ax)
    return tidy(ax, left=True)


def autocorrelation(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the autocorrelation of δ by lag, a line a chain; between the dotted lines it is none to speak of."""
    chains = _chains(r)
    ax = axes(ax)
    look = Look.of(ax)
    for k, own in enumerate(correlation(chains, LAGS)):
        colour = look.lines[k % len(look.lines)]
        ax.plot(own, color=colour, linewidth=1, marker="o", markersize=3)
    for side in (-2, 0, 2):
        ax.axhline(side / chains.shape[1] ** 0.5, color=look.ink, linewidth=0.8, linestyle=":" if side else "-")
    name_x(ax, f"lag, in draws of {words.shortened(f'Δ{measured(r)}', 0.5 * breadth(ax))}")
    name_y(ax, "autocorrelation")
    _diagnose(ax, r)
    few_ticks(ax)
    return tidy(ax, left=True)


def _chains(r: Comparison) -> FloatArray:
    """Draws of δ, of shape (chain, draw); exact ones are one chain."""
    return r.drawn().posterior["delta"].reshape(1 if r.sampler is None else r.sampler.chains, -1)


def _diagnose(ax: Axes, r: Comparison) -> None:
    if r.sampler is not None:
        shown = "unknown" if r.sampler.r_hat is None else f"{r.sampler.r_hat:.3f}"
        entitle(ax, f"R-hat {shown}, effective draws {r.sampler.ess_bulk:,.0f}")
