"""Whole comparisons on a GPU, against the same by NumPy on all cores of the same machine.

    python -m bench.gpu [DEVICE] [NAME…]     cuda by default; cpu for a trial of the code, on small data

Times are the shortest of five after a warm-up, of two where one takes more than five seconds. NumPy is run once after a
warm-up, and where that would take minutes with few draws and with twice as many, from which the time of all is
extrapolated. The data are made up, and counted beforehand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

import outperform as op
from bench.harness import Row, at_most, minima, missing, render
from bench.power import MODELS, ROPE, SIZES, STUDIES, TRUTHS
from outperform.data.input import Input
from outperform.device import as_device
from outperform.device.items import weighed_scores
from outperform.inference.item_reading import weighings
from outperform.inference.item_study import ItemStudy
from outperform.inference.question import AllSettings

__all__ = ["BENCHES", "bench", "main", "scored_items", "study_of"]

REPEAT, SLOW = 5, 5.0  # seconds, above which twice is enough
SMALL = 100  # times less data for a trial
FEW = 100  # draws by NumPy, where all take too long


def bench(device: str = "cuda", names: tuple[str, ...] = ()) -> list[Row]:
    absent = missing("GPU", "torch")
    if absent is not None:
        return [absent]
    size = 1 if device != "cpu" else SMALL
    rows: list[Row] = []
    for name in names or tuple(BENCHES):
        for row in BENCHES[name](device, size):
            print(render([row]).splitlines()[-1], file=sys.stderr, flush=True)
            rows.append(row)
    return rows


def main(arguments: list[str]) -> None:
    device, *names = arguments or ["cuda"]
    print(render(bench(device, tuple(names))))


def _row(what: str, ask: Callable[..., object], device: str, wanted: float, *, draws: int, few: int | None = 0) -> Row:
    """Time a question on the device, and by NumPy: with all draws, extrapolated from `few`, or not at all for None."""
    once = partial(ask, draws=draws, device=device)
    warm = _timed(once)
    ours = min(_timed(once) for _ in range(2 if warm > SLOW else REPEAT))
    if few is None:
        return Row(what, ours, bar=at_most(wanted, own=True))
    _, theirs = (_timed(partial(ask, draws=few or draws, device=None)) for _ in range(2))
    if few:
        more = _timed(partial(ask, draws=2 * few, device=None)) - theirs
        theirs += more * (draws - few) / few
        what = f"{what} (NumPy from {few} and {2 * few})"
    return Row(what, ours, theirs, bar=at_most(wanted, own=True))


def _timed(task: Callable[[], object]) -> float:
    begin = perf_counter()
    task()
    return perf_counter() - begin


def _macro(device: str, size: int) -> Iterator[Row]:
    """The data set of the papers."""
    news = op.datasets.newsgroups()
    counts = op.Counts.from_labels(news.truth, {name: news.predictions[name] for name in ("nb_mult", "svm_l2")})
    for prior in ("pooled", "hierarchical", "trend"):
        ask = partial(op.compare, counts, average="macro", prior=prior, rope=0.01, rng=0)
        what = f"compare macro F1, 20 classes, {len(counts.n):,} cells, prior {prior}, 50,000 draws"
        yield _row(what, ask, device, 0.010, draws=50_000 // size)


def _classes(device: str, size: int) -> Iterator[Row]:
    """A thousand classes, about a hundred thousand cells."""
    rng, classes, items = Generator(SFC64(0)), 1_000, 230_000 // size
    truth = rng.integers(classes, size=items)
    two = {name: np.where(rng.random(items) < p, truth, rng.integers(classes, size=items)) for name, p in PAIR}
    counts = op.Counts.from_labels(truth, two, labels=range(classes))
    ask = partial(op.compare, counts, average="macro", prior="pooled", rope=0.01, rng=0)
    what = f"compare macro F1, 1,000 classes, {len(counts.n):,} cells, prior pooled, 50,000 draws"
    yield _row(what, ask, device, 0.5, draws=50_000 // size, few=500)


PAIR = (("svm", 0.8), ("nb", 0.7))


def _areas(device: str, size: int) -> Iterator[Row]:
    """The draws alone, and the whole comparison, of which sorting and merging the items is the larger part."""
    truth, scores = scored_items(2, 1_000_000 // size)
    study = study_of(truth, scores)
    what = "ROC AUC, 10⁶ items, 10,000 draws, two systems"
    yield _row(f"{what}: draws alone", partial(_draw, study), device, 1.2, draws=10_000 // size, few=20)
    ask = partial(op.compare, truth, scores, measure="roc_auc", rope=0.01, rng=0)
    yield _row(f"{what}: compare", ask, device, 1.2, draws=10_000 // size, few=FEW)


def _rank(device: str, size: int) -> Iterator[Row]:
    systems, items = 100 if size == 1 else 10, 100_000 // size
    truth, scores = scored_items(systems, items)
    said = {name: own > 0.5 for name, own in scores.items()}
    what = f"{systems} systems, 10⁵ items, 10,000 draws"
    draws = 10_000 // size
    yield _row(
        f"ROC AUC, {what}: draws alone", partial(_draw, study_of(truth, scores)), device, 3.0, draws=draws, few=20
    )
    for name, ask in (
        ("ROC AUC", partial(op.rank, truth, scores, measure="roc_auc", rope=0.01, rng=0)),
        ("F1", partial(op.rank, truth, said, rope=0.01, rng=0)),
        ("mean score", partial(op.rank_scores, scores, rope=0.01, rng=0)),
    ):
        yield _row(f"rank by {name}, {what}", ask, device, 3.0, draws=draws, few=FEW)


def _labels(device: str, size: int) -> Iterator[Row]:
    """A million labels of a million items, about ten per item, skewed: as on the page on size."""
    rng, labels = Generator(SFC64(0)), 1_000_000 // size
    label = (labels * rng.random(10 * labels) ** 3).astype(np.int64)
    truth = rng.random(len(label)) < 0.6
    two = {name: rng.random(len(label)) < np.where(truth, p, 0.6) for name, p in PAIR}
    there = truth | two["svm"] | two["nb"]
    long = op.Counts.from_labels(truth[there], {name: said[there] for name, said in two.items()}, by=label[there])
    counts = long.as_labels(items=max(labels, int(np.bincount(label).max())))
    for average in ("micro", "macro"):
        ask = partial(op.compare, counts, average=average, prior="pooled", rope=0.01, rng=0)
        what = f"compare {average} F1, 10⁶ labels, {len(counts.n):,} cells, prior pooled, 500 draws"
        yield _row(what, ask, device, 10.0, draws=500, few=0 if size > 1 else None)


def _power(_: str, size: int) -> Iterator[Row]:
    """SIGIR'16 Table 3: 28 cells of 1,000 studies. Planning expands instead of drawing, by NumPy alone."""

    def grid() -> None:
        for (goal, truth), model in product(TRUTHS.items(), MODELS.values()):
            op.power(truth, SIZES, goal, rope=ROPE, model=model, studies=STUDIES // size, progress=False, rng=0)

    (ours,) = minima(grid, repeat=REPEAT)
    yield Row("SIGIR'16 Table 3, 28,000 data sets, by NumPy", ours, bar=at_most(0.1, own=True))


def scored_items(systems: int, items: int) -> tuple[Any, dict[str, Any]]:
    """Scores that share half of their noise, each system a little better than the one before."""
    rng = Generator(SFC64(0))
    truth = rng.random(items) < 0.4
    common = rng.standard_normal(items)
    each = {
        f"system {k}": truth * (1 + 0.01 * k) + (common + rng.standard_normal(items)) / 2**0.5 for k in range(systems)
    }
    return truth, each


def study_of(truth: Any, scores: dict[str, Any]) -> ItemStudy:
    settings = AllSettings(measure="roc_auc", model=None, prior=None, labels=None, pos_label=None, zero_division=0.0)
    found = weighings(Input(truth, scores), settings | {"draws": None, "rng": 0})
    return found[0]


def _draw(study: ItemStudy, draws: int, device: str | None) -> None:
    chosen = as_device(device)
    if chosen is None:
        study.by_weights(draws, SeedSequence(0))
    else:
        weighed_scores(study.scorer, study.weights, draws=draws, seed=SeedSequence(0), device=chosen)


BENCHES: dict[str, Callable[[str, int], Iterator[Row]]] = {
    "macro": _macro,
    "classes": _classes,
    "areas": _areas,
    "rank": _rank,
    "labels": _labels,
    "power": _power,
}

if __name__ == "__main__":
    main(sys.argv[1:])
