"""Draws what calls cost and how it grows: python docs/images/draw_performance.py."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt

HERE = Path(__file__).parent
FILE = HERE.parent / "performance.csv"
PANELS = {
    "items": "items",
    "classes": "classes, 100 items each",
    "systems": "systems, 10,000 items",
    "draws": "joint draws",
}
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")
GREY = "#d9d9d9"


def main() -> None:
    """A panel for each thing that grows, a line for each question, on logarithmic axes."""
    plt.rcParams["svg.hashsalt"] = "outperform"
    lines: dict[str, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    with FILE.open(encoding="utf-8", newline="") as opened:
        for row in csv.DictReader(opened):
            lines[row["grows"]][row["question"]].append((int(row["size"]), float(row["seconds"])))
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.2), sharey=True, layout="constrained")
    for ax, (grows, title) in zip(axes.flat, PANELS.items(), strict=True):
        for colour, (question, points) in zip(COLOURS, lines[grows].items(), strict=False):
            ax.plot(*zip(*points, strict=True), "o-", color=colour, markersize=4, label=question.partition(", 10,")[0])
        ax.set(xscale="log", yscale="log", xlabel=title, ylim=(0.005, 20))
        ticks = sorted({size for points in lines[grows].values() for size, _ in points})
        ax.set_xticks(ticks, [f"{size:,}" for size in ticks])
        ax.minorticks_off()
        ax.grid(color=GREY, linewidth=0.6)
        ax.axhline(1, color="#1a1a1a", linewidth=0.8)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(fontsize=8, frameon=False)
    for ax in axes[:, 0]:
        ax.set_ylabel("seconds")
    figure.savefig(HERE / "performance.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
