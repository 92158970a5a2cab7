"""Chains of draws: the trace, and the autocorrelation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.models.chains.autocorrelation import autocorrelation as correlation
from outperform.render.plots import words
from outperform.render.plots.look import ROPE, Look
from outperform.results.card import measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import Comparison

__all__ = ["autocorrelation", "trace"]

LAGS = 50  # beyond which the autocorrelation of a usable chain is noise


def trace(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw δ draw by draw, chains one above the other in colour, with the running mean of all (SIGIR'16 Figure 4)."""
    chains = _chains(r)
    look, together = Look.of(ax), chains.mean(axis=0)
    for k, chain in enumerate(chains):
        look.ax.plot(chain, color=look.lines[k % len(look.lines)], linewidth=0.3, alpha=0.6, rasterized=True)
    running = np.cumsum(together) / np.arange(1, len(together) + 1)
    mean = look.ax.plot(running, color=look.ink, linewidth=1.2)
    look.rule(0)
    if r.rope:
        look.ax.axhspan(r.rope.low, r.rope.high, color=ROPE, alpha=0.2, linewidth=0)
    look.ax.set_xlim(0, len(together))
    what = "draw" if len(chains) == 1 else f"draw of each of {len(chains)} chains"
    look.name(what, words.shortened(f"Δ{measured(r)}", look.height))
    look.key(mean, ["running mean"], loc="upper right")
    _diagnose(look, r)
    return look.tidy(left=True)


def autocorrelation(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the autocorrelation of δ by lag, one line per chain; between the dotted lines it is negligible."""
    chains = _chains(r)
    look = Look.of(ax)
    for k, by_lag in enumerate(correlation(chains, LAGS)):
        look.ax.plot(by_lag, color=look.lines[k % len(look.lines)], linewidth=1, marker="o", markersize=3)
    for side in (-2, 0, 2):
        look.ax.axhline(side / chains.shape[1] ** 0.5, color=look.ink, linewidth=0.8, linestyle=":" if side else "-")
    look.name(f"lag, in draws of {look.short(f'Δ{measured(r)}', 0.5)}", "autocorrelation")
    _diagnose(look, r)
    return look.tidy(left=True)


def _chains(r: Comparison) -> FloatArray:
    """Draws of δ, of shape (chain, draw); exact ones are one chain."""
    return r.drawn().posterior["delta"].reshape(1 if r.sampler is None else r.sampler.chains, -1)


def _diagnose(look: Look, r: Comparison) -> None:
    if r.sampler is not None:
        shown = "unknown" if r.sampler.r_hat is None else f"{r.sampler.r_hat:.3f}"
        look.entitle(f"R-hat {shown}, effective draws {r.sampler.ess_bulk:,.0f}")
