"""Do intervals from weighed items hold what they should? `python -m bench.weighing`, and `… --table` for a summary.

Areas: two systems score items of two normal classes, `a` and `b` apart, with noise that is partly the same for both;
the true area under the ROC curve is Φ(distance/√2), and the true average precision an integral. Classes: two
classifiers of five classes, each right with a probability of its own, partly on the same items; the true macro F1
follows. The 95% HDI of the difference is set against the truth, for data sets of 100, 500 and 2,000 items. And means of
a few normal scores, of two systems that are the same.

What is finished is kept in a CSV file, and not done again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence, default_rng
from scipy.special import ndtr, ndtri

import outperform as op
from bench import jobs, kept
from outperform.data.contingency import Contingency, FloatArray
from outperform.inference.draws import draw
from outperform.inference.question import CountQuestion
from outperform.measures.of_items import ITEM_MEASURES
from outperform.measures.outputs import as_ranking
from outperform.models import Model
from outperform.models.posterior import in_blocks
from outperform.models.weights import ItemWeights

__all__ = ["AREAS", "CLASSES", "FEW", "FILE", "MEANS", "SIZES", "Areas", "Classes", "Means", "main", "summary"]

FILE = Path(__file__).parent.parent / "docs" / "explanation" / "weighing.csv"
SIZES = (100, 500, 2_000)
FEW = (2, 3, 4, 5, 8, 10, 15, 20, 50)
SETS, DRAWS = 1_000, 2_000
FEWER, MUCH = 500, 2_000  # data sets, where they have so many items


@dataclass(frozen=True)
class Areas:
    """Two normal classes, and how far apart each system sees them."""

    name: str
    positive: float
    a: float
    b: float
    shared: float = 0.6  # of the variance of the noise

    measures = ("roc_auc", "average_precision")

    def truth(self) -> dict[tuple[str, str], float]:
        """The true differences."""
        area = float(ndtr(self.a / sqrt(2)) - ndtr(self.b / sqrt(2)))
        precision = self._average_precision(self.a) - self._average_precision(self.b)
        return {("roc_auc", "bootstrap"): area, ("average_precision", "bootstrap"): precision}

    def _average_precision(self, distance: float) -> float:
        """∫ precision d(recall), by recall in steps of 1/200,000 at their middle."""
        recall = (np.arange(200_000) + 0.5) / 200_000
        false = ndtr(ndtri(recall) - distance)
        return float((self.positive * recall / (self.positive * recall + (1 - self.positive) * false)).mean())

    def intervals(self, rng: Generator, items: int, seed: int) -> dict[tuple[str, str], tuple[float, float]]:
        """HDIs of the differences on one data set."""
        y = (rng.random(items) < self.positive).astype(np.int64)
        common = sqrt(self.shared) * rng.standard_normal(items)
        own = sqrt(1 - self.shared) * rng.standard_normal((2, items))
        outputs = {"a": self.a * y + common + own[0], "b": self.b * y + common + own[1]}
        items_of = as_ranking(y, outputs, [0, 1], None)
        scorers = [ITEM_MEASURES[measure].prepare(items_of) for measure in self.measures]
        weights = ItemWeights.of(items_of)

        def block(own: Generator, size: int) -> FloatArray:
            drawn = weights.draw(own, size)
            return np.hstack([scorer(drawn) for scorer in scorers])

        scores = in_blocks(block, items, draws=DRAWS, seed=SeedSequence(seed))
        delta = scores[:, ::2] - scores[:, 1::2]
        return {(measure, "bootstrap"): op.hdi(own) for measure, own in zip(self.measures, delta.T, strict=True)}


@dataclass(frozen=True)
class Classes:
    """Five classes, and how often each classifier is right."""

    name: str
    shares: tuple[float, ...]
    a: float
    b: float
    shared: float = 0.7  # how often both are right or wrong for the same reason

    def truth(self) -> dict[tuple[str, str], float]:
        """The true difference of macro F1: wrong predictions are any other class alike."""
        mu, classes = np.array(self.shares), len(self.shares)
        each = []
        for right in (self.a, self.b):
            table = np.where(np.eye(classes, dtype=bool), right, (1 - right) / (classes - 1)) * mu[:, None]
            c = Contingency(np.diag(table), mu, table.sum(axis=0), np.ones(classes))
            each.append(float(op.f_beta(1)(c).mean()))
        return {("macro f1", model): each[0] - each[1] for model in ("bootstrap", "pooled")}

    def intervals(self, rng: Generator, items: int, seed: int) -> dict[tuple[str, str], tuple[float, float]]:
        """HDIs of the difference on one data set, by weights and by the pooled prior."""
        classes = len(self.shares)
        y = rng.choice(classes, items, p=self.shares)
        lot = rng.random(items)
        predictions = {}
        for name, right in (("a", self.a), ("b", self.b)):
            own = np.where(rng.random(items) < self.shared, lot, rng.random(items))
            wrong = (y + rng.integers(1, classes, items)) % classes
            predictions[name] = np.where(own < right, y, wrong)
        counts = op.Counts.from_labels(y, predictions, labels=range(classes))
        question = CountQuestion.check("f1", "macro", counts, draws=DRAWS, rng=seed)
        models: dict[str, Model] = {"bootstrap": op.BayesianBootstrap(), "pooled": op.Paired("pooled")}
        if len(set(y.tolist())) < classes:
            del models["bootstrap"]  # weights know nothing of a class without items
        found = {}
        for name, model in models.items():
            scores = draw(model.posterior(counts), question, SeedSequence(seed)).scores
            found["macro f1", name] = op.hdi(scores[:, 0] - scores[:, 1])
        return found


@dataclass(frozen=True)
class Means:
    """Scores of a few items, normal, of two systems that do not differ."""

    name: str

    def truth(self) -> dict[tuple[str, str], float]:
        """There is no difference."""
        return {("mean score", "bootstrap"): 0.0}

    def intervals(self, rng: Generator, items: int, seed: int) -> dict[tuple[str, str], tuple[float, float]]:
        """The HDI of the difference."""
        difference = rng.standard_normal(items)
        weights = Generator(SFC64(seed)).standard_exponential((items, DRAWS))
        return {("mean score", "bootstrap"): op.hdi(difference @ weights / weights.sum(axis=0))}


MEANS = Means("a few scores")
AREAS = tuple(
    Areas(f"{name}, {share:.0%} positive", share, a, b)
    for share, (name, a, b) in product(
        (0.5, 0.1), (("equal", 1.5, 1.5), ("apart", 1.5, 1.0), ("both near 1", 3.0, 2.6))
    )
)
CLASSES = tuple(
    Classes(f"{name}, {how}", shares, a, b)
    for (how, shares), (name, a, b) in product(
        (("even classes", (0.2,) * 5), ("uneven classes", (0.5, 0.25, 0.12, 0.08, 0.05))),
        (("equal", 0.8, 0.8), ("apart", 0.8, 0.7)),
    )
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate what is not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS, help="data sets in each setting")
    jobs.option(parser)
    options = kept.asked(parser, FILE, summary, arguments)
    if options is None:
        return
    done = {(row["world"], int(row["items"])) for row in kept.read(options.file)}
    worlds: list[Areas | Classes] = [*AREAS, *CLASSES]
    settings: list[tuple[Areas | Classes | Means, int]] = [*product(worlds, SIZES), *((MEANS, n) for n in FEW)]
    todo = [
        (world, items, min(options.sets, FEWER) if items >= MUCH else options.sets * (5 if world is MEANS else 1))
        for world, items in settings
        if (world.name, items) not in done
    ]
    jobs.fill(options.file, _rows, todo, options.processes)


def _rows(world: Areas | Classes | Means, items: int, sets: int) -> Iterator[dict[str, object]]:
    """Where the truth lies against the intervals of many data sets."""
    truth = world.truth()
    found: dict[tuple[str, str], list[tuple[float, float]]] = {key: [] for key in truth}
    for k in range(sets):
        seed = SeedSequence((crc32(world.name.encode()), items, k))
        for key, interval in world.intervals(default_rng(seed), items, k).items():
            found[key].append(interval)
    for (measure, model), intervals in found.items():
        low, high = np.array(intervals).T
        true = truth[measure, model]
        yield {
            "world": world.name,
            "items": items,
            "measure": measure,
            "model": model,
            "sets": len(low),
            "truth": f"{true:.6f}",
            "covered": int(((low <= true) & (true <= high)).sum()),
            "below": int((high < true).sum()),
            "above": int((low > true).sum()),
            "width": f"{float(np.mean(high - low)):.5f}",
        }


def summary(file: Path) -> str:
    """Coverage by measure, model and world, a column for each number of items."""
    every = kept.read(file)
    rows, few = ([row for row in every if (row["world"] == MEANS.name) == own] for own in (False, True))
    lines = [
        "| measure | model | world | " + " | ".join(f"{n:,} items" for n in SIZES) + " |",
        "|---|---|---|---|---|---|",
    ]
    for key in dict.fromkeys((row["measure"], row["model"], row["world"]) for row in rows):
        own = {int(r["items"]): r for r in rows if (r["measure"], r["model"], r["world"]) == key}
        cells = [f"{_share(own[n]):.1f}%" if n in own else "" for n in SIZES]
        lines.append(f"| {' | '.join(key)} | {' | '.join(cells)} |")
    small = [f"| items | {' | '.join(row['items'] for row in few)} |", f"|---|{'---|' * len(few)}"]
    small.append(f"| covered | {' | '.join(f'{_share(row):.1f}%' for row in few)} |")
    return "\n".join(lines) + "\n\n" + "\n".join(small)


def _share(row: dict[str, str]) -> float:
    return 100 * int(row["covered"]) / int(row["sets"])


if __name__ == "__main__":
    main()
