"""Tables for the page on calibration: macro averages by kind of world and method, and the default by measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

__all__ = ["by_kind", "by_measure"]

Row: TypeAlias = dict[str, str]
METHODS = {
    "default": "default",
    "pooled": "`pooled`",
    "hierarchical": "`hierarchical`",
    "haldane": "`haldane`",
    "uniform": "`uniform`",
    "prob_conf_mat": "prob_conf_mat",
    "bootstrap": "item bootstrap",
    "bca": "BCa",
}
MACRO = {
    "goemotions": "", "clinc": "", "newsgroups": "", "trends": "", "nobody": "", "never predicted": "",
    "exchangeable": "", "near copies": "copies macro", "label noise": "", "reranked": "", "common": "",
    "drawn": "", "further": "",
}  # fmt: skip  # kinds of worlds of macro averages, and how the names of these worlds begin
POPULATIONS = ("goemotions", "clinc", "reranked", "common", "nobody", "never predicted", "drawn", "further", "silent")
MEASURES = {"f1": "F1", "f2": "F2", "precision": "precision", "recall": "recall", "weighted f1": "weighted F1"}
FEWEST = 100  # data sets that a method must accept in a world
SCORES, DELTA = ("a", "b"), ("delta",)


def by_kind(rows: Sequence[Row]) -> str:
    """A line per kind of world: coverage in per cent of the scores in F1, and of the difference, of each method."""
    lines = [f"| kind | {' | '.join(METHODS.values())} |", "|---|" + ":---:|" * len(METHODS)]
    for kind, start in MACRO.items():
        worlds = [row for row in _enough(rows) if row["kind"] == kind and row["world"].startswith(start)]
        cells = [_covered([row for row in worlds if row["method"] == method], "f1") for method in METHODS]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def by_measure(rows: Sequence[Row]) -> str:
    """A line per population, half and measure: what the default covers, its width, verdicts and false verdicts."""
    head = (
        "worlds", "half", "measure", "number", "scores", "difference", "width / oracle", "decided / oracle",
        "false at ±0.01", "false at the border",
    )  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|---|---|---|" + "---:|" * (len(head) - 3)]
    for kind, half, measure in _groups(rows):
        ours = [row for row in rows if (row["kind"], row["half"], row["method"]) == (kind, half, "default")]
        scores, apart = _of(ours, measure, SCORES), _of(ours, measure, DELTA)
        ratio = _mean([float(row["width"]) / float(row["true_sd_width"]) for row in apart])
        shares = [f"{100 * _mean(_column(apart, name)):.1f}" for name in ("decided1", "oracle1")]
        false = [f"{100 * max(_column(apart, name)):.1f}" for name in ("false1", "false2")]
        cells = [kind, half, MEASURES[measure], str(len(apart)), _range(scores), _range(apart), f"{ratio:.2f}"]
        lines.append(f"| {' | '.join([*cells, ' / '.join(shares), *false])} |")
    return "\n".join(lines)


def _groups(rows: Sequence[Row]) -> Iterator[tuple[str, str, str]]:
    found = {(row["kind"], row["half"], row["quantity"].split(".")[0]) for row in rows if row["method"] == "default"}
    for kind in POPULATIONS:
        for measure in MEASURES:
            yield from ((kind, half, measure) for half in ("chosen", "held") if (kind, half, measure) in found)


def _enough(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if int(row["data_sets"]) >= FEWEST]


def _of(rows: Sequence[Row], measure: str, parts: Sequence[str]) -> list[Row]:
    return [row for row in rows if row["quantity"] in [f"{measure}.{part}" for part in parts] and row["coverage"]]


def _column(rows: Sequence[Row], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _covered(rows: Sequence[Row], measure: str) -> str:
    """Coverage of the scores, then of the difference: the mean, and the lowest in brackets."""
    both = [_column(_of(rows, measure, parts), "coverage") for parts in (SCORES, DELTA)]
    return ",<br>".join(f"{100 * _mean(x):.0f} ({100 * min(x):.0f})" for x in both) if all(both) else "–"


def _range(rows: Sequence[Row]) -> str:
    """Coverage: the mean, the lowest and the highest."""
    x = _column(rows, "coverage")
    return f"{100 * _mean(x):.1f} ({100 * min(x):.1f}–{100 * max(x):.1f})"
