"""Do the default intervals of many measures hold what they should? `python -m bench.measures`, `… --table` for a table.

A world is a made-up population of 200,000 items, or 20,000 queries, with the outputs of two systems; its score is the
truth, by scikit-learn. Data sets are drawn from it with replacement and compared with the defaults, except that there
are 4,000 draws. The ROPE ends at the true difference, where verdicts are most often false.

None of these worlds was used to choose a model or a constant. What is finished is kept in a CSV file, and not done
again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng
from sklearn import metrics

import outperform as op
from bench import jobs, kept

__all__ = ["FILE", "WORLDS", "World", "main", "summary"]

FILE = Path(__file__).parent.parent / "docs" / "explanation" / "measures.csv"
ITEMS, QUERIES, SETS, DRAWS = 200_000, 20_000, 400, 4_000
LEAST = 1e-4  # half-width of the ROPE of two equal systems
SMALLER_IS_BETTER = ("log_loss", "brier", "mae", "mse")


class Population(NamedTuple):
    """True values, and the outputs of two systems; a row per item or query."""

    truth: Any
    outputs: dict[str, Any]


@dataclass(frozen=True)
class World:
    """How a population is made, the measure with its true value, and how many items data sets have."""

    make: Callable[[Generator], Population]
    measure: str
    true: Callable[[Any, Any], float]
    sizes: tuple[int, ...]
    asked: Mapping[str, Any] = field(default_factory=dict)

    def compare(self, found: Population, **asked: Any) -> op.Comparison:
        """Compare the two systems on one data set."""
        if self.measure == "mean":
            return op.compare_scores(found.outputs, **asked)
        truth, outputs = found
        if self.measure in ("ndcg", "mrr"):
            asked["model"] = op.BayesianBootstrap(cluster=np.repeat(np.arange(len(truth)), truth.shape[1]))
            truth, outputs = truth.ravel(), {name: output.ravel() for name, output in outputs.items()}
        return cast(op.Comparison, op.compare(truth, outputs, measure=self.measure, **self.asked, **asked))


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def areas(positive: float, a: float, b: float, levels: bool, skewed: bool, rng: Generator) -> Population:
    """Two normal classes that the systems see so far apart, with scores in whole numbers, or to the power of e."""
    truth = (rng.random(ITEMS) < positive).astype(int)
    common, own = 0.77 * rng.standard_normal(ITEMS), 0.63 * rng.standard_normal((2, ITEMS))
    scores = {name: apart * truth + common + noise for name, apart, noise in zip("ab", (a, b), own, strict=True)}
    scores = {name: np.round(score) for name, score in scores.items()} if levels else scores
    return Population(truth, {name: np.exp(2 * score) for name, score in scores.items()} if skewed else scores)


def probabilities(a: float, b: float, spread: float, middle: float, rng: Generator) -> Population:
    """Log odds with noise, times the overconfidence of each system."""
    odds = middle + spread * rng.standard_normal(ITEMS)
    truth = (rng.random(ITEMS) < _sigmoid(odds)).astype(int)
    outputs = {name: _sigmoid(over * (odds + 0.5 * rng.standard_normal(ITEMS))) for name, over in (("a", a), ("b", b))}
    return Population(truth, outputs)


def predictions(noise: Callable[[Generator], Any], rng: Generator) -> Population:
    """Numbers with errors that the systems partly share; B's are larger and biased."""
    truth, common = 2 * rng.standard_normal(ITEMS), noise(rng)
    a, b = truth + 0.7 * common + 0.7 * noise(rng), truth + 0.7 * common + 0.75 * noise(rng) + 0.05
    return Population(truth, {"a": a, "b": b})


def rankings(documents: int, grades: int, rng: Generator) -> Population:
    """Queries with graded documents, or with few relevant ones."""
    shape = (QUERIES, documents)
    if grades > 2:
        gains = rng.integers(0, grades, shape)
    else:
        gains = (rng.random(shape) < rng.beta(0.5, 4, (QUERIES, 1))).astype(int)
    common = rng.standard_normal(shape)
    outputs = {name: apart * gains + common + rng.standard_normal(shape) for name, apart in (("a", 1), ("b", 0.9))}
    return Population(gains, outputs)


def classes(number: int, skew: float, a: float, b: float, rng: Generator) -> Population:
    """Classes of sizes down to 1/skew, each with a recall of its own, of which the systems reach a share."""
    size = np.geomspace(skew, 1, number)
    size /= size.sum()
    truth = rng.choice(number, ITEMS, p=size)
    recall, lot = default_rng(number).beta(6, 2, number)[truth], rng.random(ITEMS)
    outputs = {}
    for name, reached in (("a", a), ("b", b)):
        own = np.where(rng.random(ITEMS) < 0.6, lot, rng.random(ITEMS))
        outputs[name] = np.where(own < reached * recall, truth, rng.choice(number, ITEMS, p=size))
    return Population(truth, outputs)


def label_sets(labels: int, share: float, rng: Generator) -> Population:
    """Labels that depend on each other, on items of which some are hard for a system."""
    items = ITEMS // 4
    odds = np.log(share / (1 - share)) + rng.standard_normal((items, 1)) + np.linspace(-1.5, 1.5, labels)
    truth = rng.random((items, labels)) < _sigmoid(odds)
    outputs = {}
    for name, recall in (("a", 0.75), ("b", 0.72)):
        found = _sigmoid(np.log(recall / (1 - recall)) + rng.standard_normal((items, 1)))
        outputs[name] = (rng.random((items, labels)) < np.where(truth, found, 0.03)).astype(int)
    return Population(truth.astype(int), outputs)


def scores(kind: str, rng: Generator) -> Population:
    """Scores per item: near both ends, mostly 0, counts, with heavy tails, in five steps, or 0 and 1."""

    def shared(given: Any, chance: float, own: Callable[[], Any]) -> Any:
        return np.where(rng.random(ITEMS) < chance, given, own())

    if kind == "beta":
        common = rng.beta(0.5, 0.5, ITEMS)
        found = {name: shared(common, 0.7, partial(rng.beta, a, 0.5, ITEMS)) for name, a in (("a", 0.6), ("b", 0.5))}
    elif kind == "zeros":
        some = rng.random(ITEMS) < 0.08
        found = {}
        for name, chance in (("a", 0.1), ("b", 0.08)):
            found[name] = np.where(rng.random(ITEMS) < 0.6, some, rng.random(ITEMS) < chance) * rng.random(ITEMS)
    elif kind == "poisson":
        rate = np.exp(rng.standard_normal(ITEMS))
        found = {name: rng.poisson(rate * factor).astype(float) for name, factor in (("a", 1), ("b", 1.1))}
    elif kind == "pareto":
        common = rng.pareto(3, ITEMS)
        found = {name: common + rng.pareto(3, ITEMS) * factor for name, factor in (("a", 1), ("b", 1.1))}
    elif kind == "likert":
        common = rng.standard_normal(ITEMS)
        found = {
            name: np.clip(np.round(3.4 + common + 0.8 * rng.standard_normal(ITEMS) + more), 1, 5)
            for name, more in (("a", 0.1), ("b", 0))
        }
    else:
        found = {name: (rng.random(ITEMS) < share).astype(float) for name, share in (("a", 0.9), ("b", 0.88))}
    return Population(np.zeros(ITEMS), found)


def _mean(_: Any, output: Any) -> float:
    return float(output.mean())


def _reciprocal_rank(gains: Any, output: Any) -> float:
    found = np.take_along_axis(gains, np.argsort(-output, axis=1), axis=1) > 0
    return float(np.where(found.any(axis=1), 1 / (1 + found.argmax(axis=1)), 0).mean())


NOISE: dict[str, Callable[[Generator], Any]] = {
    "normal": lambda rng: rng.standard_normal(ITEMS),
    "t3": lambda rng: rng.standard_t(3, ITEMS),
    "lognormal": lambda rng: np.exp(1.2 * rng.standard_normal(ITEMS)) - 2,
}


def _of_outputs() -> Iterator[tuple[str, World]]:
    area, precision = metrics.roc_auc_score, metrics.average_precision_score
    for positive in (0.5, 0.1, 0.03):
        for name, a, b in (("equal", 1.5, 1.5), ("apart", 1.5, 1.0), ("near1", 3.0, 2.6)):
            make = partial(areas, positive, a, b, False, False)
            for measure, true in (("roc_auc", area), ("average_precision", precision)):
                sizes = (100, 500, 2_000) if positive > 0.05 else (500, 2_000)
                yield f"{measure} {name} {positive}", World(make, measure, true, sizes)
    yield "roc_auc ties", World(partial(areas, 0.3, 1.2, 1.0, True, False), "roc_auc", area, (60, 300))
    yield "ap ties", World(partial(areas, 0.3, 1.2, 1.0, True, False), "average_precision", precision, (60, 300))
    yield "ap skewed", World(partial(areas, 0.2, 1.2, 1.0, False, True), "average_precision", precision, (100, 500))
    of_probabilities = (("log_loss", metrics.log_loss), ("brier", metrics.brier_score_loss))
    for measure, true in of_probabilities:
        for name, over in (("calibrated", 0.9), ("over", 2.0), ("wild", 4.0)):
            yield f"{measure} {name}", World(partial(probabilities, 1.0, over, 1.5, 0.0), measure, true, (30, 100, 500))
        yield f"{measure} rare", World(partial(probabilities, 1.0, 1.5, 1.5, -3.0), measure, true, (100, 500))
    for name, noise in NOISE.items():
        for measure, true in (
            ("mae", metrics.mean_absolute_error), ("mse", metrics.mean_squared_error), ("r2", metrics.r2_score),
        ):  # fmt: skip
            yield f"{measure} {name}", World(partial(predictions, noise), measure, true, (30, 100, 500))
    yield "ndcg graded", World(partial(rankings, 12, 4), "ndcg", metrics.ndcg_score, (20, 60, 300))
    yield "mrr sparse", World(partial(rankings, 20, 2), "mrr", _reciprocal_rank, (20, 60, 300))
    yield "ndcg binary", World(partial(rankings, 20, 2), "ndcg", metrics.ndcg_score, (20, 60, 300))


def _of_labels() -> Iterator[tuple[str, World]]:
    by_agreement = {"mcc": metrics.matthews_corrcoef, "kappa": metrics.cohen_kappa_score}
    by_class = {"balanced_accuracy": metrics.balanced_accuracy_score, "f1": partial(metrics.f1_score, average="macro")}
    for number, skew in ((3, 10), (5, 50), (20, 100)):
        for measure, true in (by_agreement | by_class).items():
            asked = {"labels": range(number)} | ({"average": "macro"} if measure == "f1" else {})
            name = "macro f1" if measure == "f1" else measure
            make = partial(classes, number, skew, 0.98, 0.93)
            yield f"{name} M={number} skew={skew}", World(make, measure, true, (60, 300, 1_500), asked)
    for measure, true in by_agreement.items():
        yield f"{measure} binary rare", World(partial(classes, 2, 30, 0.99, 0.95), measure, true, (100, 500, 2_000))
    for kind in ("beta", "zeros", "poisson", "pareto", "likert", "winrate"):
        yield f"mean {kind}", World(partial(scores, kind), "mean", _mean, (15, 50, 200, 1_000))
    micro = partial(metrics.f1_score, average="micro")
    for labels, share in ((8, 0.1), (40, 0.03)):
        yield f"micro sets L={labels}", World(partial(label_sets, labels, share), "f1", micro, (50, 200, 1_000),
                                              {"average": "micro"})  # fmt: skip


WORLDS = dict([*_of_outputs(), *_of_labels()])


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate what is not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS, help="data sets in each setting")
    jobs.option(parser)
    options = kept.asked(parser, FILE, summary, arguments)
    if options is None:
        return
    done = {(row["world"], int(row["items"])) for row in kept.read(options.file)}
    todo = [(name, items, options.sets) for name, world in WORLDS.items() for items in world.sizes]
    jobs.fill(options.file, _rows, [setting for setting in todo if setting[:2] not in done], options.processes)


def _rows(name: str, items: int, sets: int) -> Iterator[dict[str, object]]:
    """How the intervals and verdicts of many data sets lie against the truth."""
    world = WORLDS[name]
    whole = world.make(default_rng(crc32(name.encode())))
    a, b = (float(world.true(whole.truth, output)) for output in whole.outputs.values())
    border = max(abs(a - b), LEAST)
    better = "better" if (a > b) != (world.measure in SMALLER_IS_BETTER) else "worse"
    found = []
    for k in range(sets):
        rows = default_rng((crc32(name.encode()), items, k)).integers(len(whole.truth), size=items)
        drawn = Population(whole.truth[rows], {name: output[rows] for name, output in whole.outputs.items()})
        try:
            r = world.compare(drawn, rope=border, draws=DRAWS, rng=k)
        except ValueError:  # a class is missing, and the measure needs all of them
            continue
        narrow = (r.with_rope(border / 3) if a != b else r).decision
        inside = (x.hdi[0] <= true <= x.hdi[1] for x, true in ((r.a, a), (r.b, b), (r.delta, a - b)))
        found.append(
            (
                *inside,
                r.delta.hdi[1] - r.delta.hdi[0],
                r.delta.mean,
                r.decision is not None and r.decision.decided,
                narrow is not None and narrow.name in ("better", "worse"),
                narrow is not None and narrow.decided and narrow.name != better,
            )
        )
    of_a, of_b, of_delta, width, mean, false, decided, wrong = np.array(found, dtype=np.float64).T
    numbers = {
        "truth_a": a,
        "truth_b": b,
        "covered_a": of_a.mean(),
        "covered_b": of_b.mean(),
        "covered": of_delta.mean(),
        "width": width.mean(),
        "spread": 3.92 * mean.std(),
        "bias": mean.mean() - (a - b),
        "false": false.mean(),
        "decided": decided.mean(),
        "wrong": wrong.mean(),
    }
    yield {"world": name, "items": items, "sets": len(found)} | {key: f"{x:.5g}" for key, x in numbers.items()}


GROUPS = {
    "ROC AUC": ("roc_auc",),
    "average precision": ("average_precision", "ap"),
    "log loss, Brier score": ("log_loss", "brier"),
    "MAE": ("mae",),
    "MSE, R²: normal errors": ("mse normal", "r2 normal"),
    "MSE, R²: heavy tails": ("mse", "r2"),
    "nDCG, MRR": ("ndcg", "mrr"),
    "MCC, κ": ("mcc", "kappa"),
    "macro F1, balanced accuracy": ("macro", "balanced"),
    "micro F1 of label sets": ("micro",),
    "means of scores": ("mean",),
}


def summary(file: Path) -> str:
    """Coverage by group of measures: the mean over settings and the range, and the largest share of false verdicts."""
    lines = [
        "| measure | settings | scores | difference | width / spread | false at the border |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    rest = kept.read(file)
    for group, starts in GROUPS.items():
        rows = [row for row in rest if row["world"].startswith(starts)]
        rest = [row for row in rest if row not in rows]
        each = {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key != "world"}
        cells = [_range(np.concatenate([each["covered_a"], each["covered_b"]])), _range(each["covered"])]
        ratio = (each["width"] / each["spread"]).mean()
        lines.append(f"| {group} | {len(rows)} | {' | '.join(cells)} | {ratio:.2f} | {100 * each['false'].max():.1f} |")
    return "\n".join(lines)


def _range(shares: Any) -> str:
    return f"{100 * shares.mean():.1f} ({100 * shares.min():.1f}–{100 * shares.max():.1f})"


if __name__ == "__main__":
    main()
