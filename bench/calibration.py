"""How often 95% intervals hold the truth, by prior: `python -m bench.calibration`, and `… --table` for a summary.

A grid of settings: 2 to 100 classes, 100 to 10,000 items, equal and unequal classes (the largest 20 times the
smallest), confusions that go to two classes or to all, classifiers that are alike (one copies the other four times
in five) or not. For each, data sets are drawn from a known truth, and counted is how often the 95% HDI of each
classifier's macro-F1 and of their difference holds the true value. What is finished is kept in a CSV file, line by
line, and not done again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

import outperform as op
from bench import jobs, kept
from outperform.data.contingency import Contingency
from outperform.measures.averages import averaged

__all__ = ["Setting", "Truth", "coverage", "grid", "main", "summary"]

PRIORS = ("uniform", "jeffreys", "haldane", "hierarchical", "pooled")
DENSE = ("uniform", "jeffreys")  # pseudo-items in all cells: a draw costs M² and more
FILE = Path(__file__).parent.parent / "docs" / "explanation" / "calibration.csv"
REPEATS = 400
F1 = op.f_beta(1)


@dataclass(frozen=True)
class Setting:
    """One cell of the grid."""

    classes: int
    items: int
    sizes: str  # equal or unequal
    confusions: str  # sparse or dense
    classifiers: str  # alike or different

    def frequencies(self) -> NDArray[np.float64]:
        """How common each class is."""
        size = np.ones(self.classes) if self.sizes == "equal" else np.geomspace(20, 1, self.classes)
        frequencies: NDArray[np.float64] = size / size.sum()
        return frequencies

    @property
    def smallest(self) -> float:
        """Items of the smallest class, on average."""
        return float(self.items * self.frequencies().min())


class Truth:
    """Known probabilities of a setting, the same whenever it is asked for."""

    def __init__(self, setting: Setting) -> None:
        """Settle the confusions."""
        self.setting, m = setting, setting.classes
        rng = default_rng(crc32(repr((m, setting.sizes, setting.confusions)).encode()))
        recall = rng.permutation(np.linspace(0.5, 0.95, m))
        wrong = np.zeros((m, m))
        for j in range(m):
            others = rng.permutation(np.delete(np.arange(m), j))
            if setting.confusions == "sparse" and m > 2:
                wrong[j, others[:2]] = 0.7, 0.3
            else:
                wrong[j, others] = rng.gamma(1.0, size=m - 1)
        wrong /= wrong.sum(axis=1, keepdims=True)
        self.mu = setting.frequencies()
        self.a = _rows(recall, wrong)
        alike = setting.classifiers == "alike"
        own = _rows(np.clip(recall - (0.1 if alike else 0.05), 0.05, 1), wrong)
        self.copied = 0.8 if alike else 0.0
        self.own, self.b = own, self.copied * self.a + (1 - self.copied) * own

    def scores(self) -> tuple[float, float]:
        """True macro-F1 of the two."""
        first, second = (_macro_f1(self.mu, theta) for theta in (self.a, self.b))
        return first, second

    def draw(self, rng: Generator) -> op.Counts:
        """A data set."""
        y = np.sort(rng.choice(len(self.mu), self.setting.items, p=self.mu))
        a, b = (_predict(rng, y, theta) for theta in (self.a, self.own))
        b = np.where(rng.random(len(y)) < self.copied, a, b)
        return op.Counts.from_labels(y, {"a": a, "b": b}, labels=range(len(self.mu)))


def coverage(setting: Setting, prior: str, repeats: int) -> dict[str, Any]:
    """How often the intervals hold the truth, and how wide they are."""
    truth = Truth(setting)
    target = np.array([*truth.scores(), np.subtract(*truth.scores())])
    model, draws = op.Paired(prior), _draws(setting, prior)
    held, width, used = np.zeros(3), np.zeros(3), 0
    for k in range(repeats):
        counts = truth.draw(default_rng([crc32(repr(setting).encode()), k]))
        try:
            posterior = model.posterior(counts).reduced("macro", F1)
        except ValueError:  # haldane's prior where a class has no items
            continue
        drawn = posterior.scores(
            _macro if setting.classes > 2 else _macro_of_two, draws=draws, seed=SeedSequence(k), workers=1
        )
        ends = np.array([op.hdi(x) for x in (*drawn.T, drawn[:, 0] - drawn[:, 1])])
        held += (ends[:, 0] <= target) & (target <= ends[:, 1])
        width += ends[:, 1] - ends[:, 0]
        used += 1
    figures: dict[str, float] = {}
    for what, total in (("coverage", held), ("width", width)):
        for name, value in zip(("a", "b", "delta"), total / max(used, 1), strict=True):
            figures[f"{name}_{what}"] = round(float(value), 4)
    return asdict(setting) | {"smallest": round(setting.smallest, 1), "prior": prior, "data_sets": used} | figures


def grid() -> Iterator[Setting]:
    """All settings, the quick ones first. Two classes have one way to be confused."""
    ways = product(
        (2, 5, 20, 100), (100, 1_000, 10_000), ("equal", "unequal"), ("dense", "sparse"), ("alike", "different")
    )
    for way in ways:
        setting = Setting(*way)
        if setting.classes > 2 or setting.confusions == "dense":
            yield setting


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the file with what it lacks."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description=__doc__)
    parser.add_argument("--repeats", type=int, default=REPEATS, help="data sets a cell")
    jobs.option(parser)
    options = kept.asked(parser, FILE, summary, arguments)
    if options is None:
        return
    done = {tuple(row[key] for key in KEYS) for row in kept.read(options.file)}
    todo = [
        (setting, prior, options.repeats)
        for setting in grid()
        for prior in PRIORS
        if tuple(map(str, (*asdict(setting).values(), prior))) not in done
    ]
    jobs.fill(options.file, _row, todo, options.processes)


def summary(file: Path = FILE, enough: float = 5.0) -> str:
    """A Markdown table: coverage of a score and of the difference in per cent, mean and range over the settings.

    Only settings in which the smallest class has enough items on average.
    """
    rows = [row for row in kept.read(file) if float(row["smallest"]) >= enough]
    lines = ["| classes | items | settings | " + " | ".join(PRIORS) + " |", "|---:|---:|---:|" + ":---:|" * len(PRIORS)]
    for classes, items in sorted({(int(row["classes"]), int(row["items"])) for row in rows}):
        own = [row for row in rows if (int(row["classes"]), int(row["items"])) == (classes, items)]
        cells = [_cell([row for row in own if row["prior"] == prior]) for prior in PRIORS]
        settings = len({tuple(row[key] for key in KEYS[:-1]) for row in own})
        lines.append(f"| {classes} | {items:,} | {settings} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(rows: Sequence[dict[str, str]]) -> str:
    """Score and difference: 95 (93–97), 94 (92–96)."""
    both = (["a_coverage", "b_coverage"], ["delta_coverage"])
    found = [[100 * float(row[name]) for row in rows for name in names] for names in both]
    return ",<br>".join(f"{np.mean(x):.0f} ({min(x):.0f}–{max(x):.0f})" for x in found)


KEYS = ("classes", "items", "sizes", "confusions", "classifiers", "prior")


def _draws(setting: Setting, prior: str) -> int:
    """As many as time allows: the HDI of 1,000 draws holds 94.7% of a normal posterior, of 500 94.4, of 100 93.2."""
    if prior in DENSE:
        return min(1_000, 10_000 // setting.classes)
    return 1_000 if setting.classes <= 20 else 500


def _row(setting: Setting, prior: str, repeats: int) -> Iterator[dict[str, Any]]:
    yield coverage(setting, prior, repeats)


def _macro(c: Contingency) -> NDArray[np.float64]:
    return averaged("macro", F1, c)


def _macro_of_two(c: Contingency) -> NDArray[np.float64]:
    return averaged("macro", F1, c.both())


def _rows(recall: NDArray[np.float64], wrong: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.diag(recall) + (1 - recall)[:, None] * wrong


def _macro_f1(mu: NDArray[np.float64], theta: NDArray[np.float64]) -> float:
    joint = mu[:, None] * theta
    return float((2 * np.diag(joint) / (mu + joint.sum(axis=0))).mean())


def _predict(rng: Generator, y: NDArray[np.int64], theta: NDArray[np.float64]) -> NDArray[np.int64]:
    """A prediction for each item, its class's row turned into lots."""
    ends = np.cumsum(theta, axis=1)[y]
    predicted: NDArray[np.int64] = (rng.random(len(y))[:, None] >= ends).sum(axis=1)
    return predicted.clip(max=theta.shape[1] - 1)


if __name__ == "__main__":
    main()
