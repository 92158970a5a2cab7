"""Draws the coverage of intervals by kind of world: python docs/images/draw_stress.py."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

HERE = Path(__file__).parent
FILE = HERE.parent / "explanation" / "stress.csv"
INK, GREY = "#1a1a1a", "#d9d9d9"
METHODS = {
    "default": ("trend (default)", "#0072b2"),
    "bootstrap": ("item bootstrap", "#e69f00"),
    "bca": ("BCa", "#cc79a7"),
    "pooled": ("pooled", "#009e73"),
    "haldane": ("haldane", "#56b4e9"),
    "hierarchical": ("hierarchical (ICDM'15)", "#d55e00"),
    "uniform": ("uniform (SIGIR'16)", "#999999"),
}
KINDS = ("goemotions", "clinc", "newsgroups", "trends", "nobody", "never predicted", "exchangeable")
Row = dict[str, str]


def coverage(ax: Axes, rows: Sequence[Row], quantities: tuple[str, ...], title: str) -> None:
    """The mean over worlds of each kind as a dot, the range as a line; a colour for each method."""
    step = 0.8 / len(METHODS)
    for place, kind in enumerate(KINDS):
        for number, (method, (_, colour)) in enumerate(METHODS.items()):
            found = [
                100 * float(row["coverage"])
                for row in rows
                if row["kind"] == kind and row["method"] == method and row["quantity"] in quantities and row["coverage"]
            ]
            if found:
                y = -place - 0.4 + (number + 0.5) * step
                ax.plot([min(found), max(found)], [y, y], color=colour, linewidth=1.5)
                ax.plot(np.mean(found), y, "o", color=colour, markersize=4.5)
    ax.axvline(95, color=INK, linewidth=0.8, zorder=0)
    ax.axvspan(93, 97, color=GREY, alpha=0.6, zorder=0, linewidth=0)
    ax.set(title=title, xlabel="coverage of 95% intervals, per cent", xlim=(-2, 102))
    ax.set_yticks([-k for k in range(len(KINDS))], KINDS)


def main() -> None:
    """Draw it."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    plt.rcParams.update({"svg.hashsalt": "outperform", "font.size": 10})
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 6.5), sharey=True, layout="constrained")
    coverage(axes[0], rows, ("f1.a", "f1.b"), "macro F1 of a system")
    coverage(axes[1], rows, ("f1.delta",), "difference of two")
    shown = {row["method"] for row in rows if row["kind"] in KINDS}
    handles = [
        plt.Line2D([], [], color=colour, marker="o", markersize=4.5, label=text)
        for method, (text, colour) in METHODS.items()
        if method in shown
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=9, frameon=False)
    plt.savefig(HERE / "stress.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
