"""Draws the pictures of the explanations: python docs/images/draw_models.py."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

import outperform as op

HERE = Path(__file__).parent
INK, GREY, BLUE, ORANGE, GREEN = "#1a1a1a", "#d9d9d9", "#0072b2", "#e69f00", "#009e73"
RADIUS = 0.32
PRIORS = ("uniform", "jeffreys", "haldane", "hierarchical", "pooled")
SETTINGS = {"svg.hashsalt": "outperform", "mathtext.fontset": "cm", "font.size": 11}

Nodes = Mapping[str, tuple[str, float, float, str]]  # name → kind, place and text
Plates = Sequence[tuple[float, float, float, float, str]]
TWO = "beta>mu mu>n omega>theta theta>c n>c"  # edges that all models of two classes have
FILL = {"unknown": "white", "function": "white", "data": GREY}  # a known number is bare


def graph(ax: Axes, nodes: Nodes, edges: str, plates: Plates) -> None:
    """Draw a graphical model: data grey, functions dashed, a plate around what is there several times."""
    for x, y, width, height, text in plates:
        ax.add_patch(FancyBboxPatch((x, y), width, height, "round,pad=0,rounding_size=0.15", fill=False, edgecolor=INK))
        ax.text(x + 0.12, y + 0.1, text, va="bottom", fontsize=10)
    for kind, x, y, text in nodes.values():
        if kind in FILL:
            line = "--" if kind == "function" else "-"
            ax.add_patch(Circle((x, y), RADIUS, facecolor=FILL[kind], edgecolor=INK, linestyle=line, zorder=2))
        ax.text(x, y, text, ha="center", va="center", fontsize=13, zorder=3)
    for edge in edges.split():
        start, end = (np.array(nodes[name][1:3]) for name in edge.split(">"))
        step = RADIUS * (end - start) / np.hypot(*(end - start))
        arrow = {"arrowstyle": "-|>", "color": INK, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", end - step, start + step, arrowprops=arrow)


def board(width: float, height: float) -> Axes:
    """Axes in which a unit is the same everywhere, without a frame."""
    ax = plt.subplots(figsize=(0.75 * width, 0.75 * height), layout="constrained")[1]
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    ax.axis("off")
    return ax


def models() -> Axes:
    """Two classes, unpaired and paired."""
    ax = board(11.6, 5.6)
    sides = (0.4, 1.2, 2.4, 1.3, r"$\pm$")
    score: Nodes = {"psi": ("function", 3.7, 2.8, r"$\psi$"), "delta": ("function", 5.2, 2.8, r"$\delta$")}
    graph(ax, {**_two(0), **score}, f"{TWO} mu>psi theta>psi psi>delta", [(0.2, 0.6, 4.0, 3.6, "$A$, $B$"), sides])
    ax.text(2.3, 5.1, "unpaired: a model each", ha="center")
    scores: Nodes = {
        "a": ("function", 10.0, 3.6, r"$\psi_A$"),
        "b": ("function", 10.0, 2.0, r"$\psi_B$"),
        "delta": ("function", 11.2, 2.8, r"$\delta$"),
    }
    graph(ax, {**_two(6.3), **scores}, f"{TWO} mu>a mu>b theta>a theta>b a>delta b>delta", [(6.7, *sides[1:])])
    ax.text(9.0, 5.1, "paired: $c$ counts pairs of predictions", ha="center")
    return ax


def _two(x: float) -> Nodes:
    """What the models of two classes have in common, so far to the right."""
    return {
        "beta": ("known", x + 2.3, 4.6, r"$\beta$"),
        "mu": ("unknown", x + 2.3, 3.6, r"$\mu$"),
        "n": ("data", x + 0.9, 3.6, "$n$"),
        "omega": ("known", x + 2.3, 0.2, r"$\omega$"),
        "theta": ("unknown", x + 2.3, 2.0, r"$\theta$"),
        "c": ("data", x + 0.9, 2.0, "$c$"),
    }


def many_classes() -> Axes:
    """ICDM'15: many classes under the hierarchical prior."""
    ax = board(6.2, 5.2)
    nodes: Nodes = {
        "beta": ("known", 3.0, 4.8, r"$\beta$"),
        "mu": ("unknown", 3.0, 3.8, r"$\mu$"),
        "n": ("data", 1.2, 3.8, "$n$"),
        "eta": ("unknown", 2.3, 0.5, r"$\eta$"),
        "W": ("known", 3.7, 0.5, "$W$"),
        "theta": ("unknown", 3.0, 2.2, r"$\theta_j$"),
        "c": ("data", 1.2, 2.2, "$c_j$"),
        "psi": ("function", 5.2, 3.0, r"$\psi$"),
    }
    edges = "beta>mu mu>n eta>theta W>theta theta>c n>c mu>psi theta>psi"
    graph(ax, nodes, edges, [(0.5, 1.3, 3.2, 1.4, r"$j = 1 \dots M$")])
    return ax


def data_sets() -> Axes:
    """The hierarchical comparison over data sets."""
    ax = board(7.4, 3.4)
    nodes: Nodes = {
        "mean": ("unknown", 0.7, 2.7, r"$\mu_0$"),
        "spread": ("unknown", 0.7, 1.7, r"$\sigma_0$"),
        "nu": ("unknown", 0.7, 0.7, r"$\nu$"),
        "delta": ("unknown", 2.7, 1.7, r"$\mu_i$"),
        "x": ("data", 4.6, 1.7, "$x_i$"),
        "sigma": ("unknown", 6.4, 1.7, r"$\sigma_i$"),
    }
    edges = "mean>delta spread>delta nu>delta delta>x sigma>x"
    graph(ax, nodes, edges, [(1.9, 0.75, 5.2, 1.7, r"data sets $i = 1 \dots q$")])
    return ax


def blocks() -> Axes:
    """The three ways in which BlockCV makes two halves of four blocks."""
    ax = board(9.1, 3.7)
    for row, first in enumerate(((0, 1), (0, 2), (0, 3))):
        for half in (0, 1):
            x, y = 2.1 + 3.7 * half, 2.3 - row
            for block in range(4):
                tested = (block in first) == (half == 1)
                place = (x + 0.8 * block, y)
                ax.add_patch(Rectangle(place, 0.76, 0.7, facecolor=BLUE if tested else GREY, edgecolor="none"))
                colour = "white" if tested else INK
                ax.text(place[0] + 0.38, y + 0.35, str(block + 1), ha="center", va="center", color=colour)
        ax.text(0.1, 2.65 - row, f"repetition {row + 1}", va="center")
    for half in (0, 1):
        ax.text(3.7 + 3.7 * half, 3.3, f"fold {half + 1}", ha="center")
    ax.text(5.55, 0.0, "grey: for training, blue: for testing", ha="center", va="bottom", fontsize=10)
    return ax


def decision() -> Axes:
    """How the HDI lies to the ROPE, outcome by outcome."""
    cases = {
        (0.07, 0.15): ("≫", "better"),
        (0.01, 0.09): (">", "unresolved, leans towards A"),
        (-0.07, 0.07): ("?", "unresolved, leans neither way"),
        (-0.02, 0.04): ("≈", "practically the same"),
        (-0.09, -0.01): ("<", "unresolved, leans towards B"),
        (-0.15, -0.07): ("≪", "worse"),
    }
    ax = plt.subplots(figsize=(6.4, 2.6), layout="constrained")[1]
    ax.axvspan(-0.05, 0.05, color=ORANGE, alpha=0.25, linewidth=0)
    ax.plot((0, 0), (-5.6, 0.5), color=INK, linewidth=0.8, linestyle=":")
    for row, (hdi, (symbol, text)) in enumerate(cases.items()):
        ax.plot(hdi, (-row, -row), color=BLUE, linewidth=5, solid_capstyle="butt")
        ax.text(0.18, -row, symbol, va="center_baseline", ha="center", fontsize=13)
        ax.text(0.2, -row, text, va="center_baseline", fontsize=10)
    ax.text(0, 0.55, "ROPE", ha="center", va="bottom", fontsize=10)
    ax.set(xlim=(-0.17, 0.17), ylim=(-5.6, 1.1), yticks=[], xticks=[-0.05, 0, 0.05], xlabel="δ, bars are HDIs")
    ax.spines[["left", "right", "top"]].set_visible(False)
    return ax


def weights() -> Axes:
    """Three draws of the weights of 24 items, and what the weighted scores of two systems are."""
    rng = np.random.default_rng(5)
    first, second = rng.beta(4, 3, 24), rng.beta(3, 3, 24)
    ax = plt.subplots(figsize=(6.4, 2.4), layout="constrained")[1]
    for row in range(3):
        own = rng.dirichlet(np.ones(24))
        ax.bar(np.arange(24), own / own.max() * 0.75, bottom=-row, width=0.8, color=BLUE)
        ax.axhline(-row, color=INK, linewidth=0.5)
        delta = own @ (first - second)
        ax.text(
            24.2, -row + 0.1, f"δ = {own @ first:.3f} − {own @ second:.3f} = {delta:+.3f}", va="bottom", fontsize=10
        )
        ax.text(-1, -row + 0.1, f"draw {row + 1}", ha="right", va="bottom", fontsize=10)
    ax.set(xlim=(-4, 36), ylim=(-2.05, 0.95), yticks=[], xticks=[])
    ax.set_xlabel("items, the higher the heavier; the same weights for both systems", fontsize=10)
    ax.spines[:].set_visible(False)
    return ax


def coverage() -> Axes:
    """How often 95% intervals of macro-F1 hold the true score of a classifier, by prior: the calibration's settings."""
    with (HERE.parent / "explanation" / "calibration.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row["smallest"]) >= 5]
    ax = plt.subplots(figsize=(6.4, 3.0), layout="constrained")[1]
    ax.axhline(0.95, color=INK, linewidth=0.8, linestyle=":")
    for k, (classes, colour) in enumerate({2: INK, 5: ORANGE, 20: GREEN, 100: BLUE}.items()):
        held = [
            (PRIORS.index(row["prior"]) + 0.18 * (k - 1.5), float(row[f"{which}_coverage"]))
            for row in rows
            for which in "ab"
            if int(row["classes"]) == classes
        ]
        ax.plot(
            *zip(*held, strict=True),
            "o",
            color=colour,
            markersize=4,
            alpha=0.6,
            rasterized=True,
            label=f"{classes} classes",
        )
    ax.legend(loc="lower right", fontsize="small", frameon=False)
    ax.set(ylim=(-0.03, 1.03), yticks=[0, 0.5, 0.95], yticklabels=["0%", "50%", "95%"], ylabel="held the truth")
    ax.set_xticks(range(len(PRIORS)), PRIORS)
    ax.spines[["right", "top"]].set_visible(False)
    return ax


def bayes_factor() -> Axes:
    """The Savage–Dickey factor of a comparison."""
    news = op.datasets.newsgroups()
    two = {name: news.predictions[name] for name in ("nb_bern", "nb_mult")}
    return op.compare(news.truth, two, pos_label=15, rope=0.05, rng=0).plot(kind="factor")


PICTURES: tuple[Callable[[], Any], ...] = (
    models,
    many_classes,
    data_sets,
    blocks,
    decision,
    weights,
    coverage,
    bayes_factor,
)

if __name__ == "__main__":
    for picture in PICTURES:
        with plt.rc_context(SETTINGS):
            name = picture.__name__.replace("_", "-")
            picture().figure.savefig(HERE / f"{name}.svg", dpi=150, metadata={"Date": None})
            plt.close()
