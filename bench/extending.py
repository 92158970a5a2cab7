"""Macro averages of two systems: the default, which regresses few joint draws, beside joint draws alone.

    python -m bench.extending [SEED]

Prints, for each kind of table, processor time relative to 12,500 joint draws, and the distances of the mean and of the
ends of the HDI of δ from those of 100,000 joint draws, in standard deviations, for both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator, default_rng

import outperform as op

USUAL, MANY = 12_500, 100_000  # joint draws
QUESTIONS = (("f1", "macro"), ("recall", "macro"), ("precision", "macro"), ("f1", "weighted"))

Data: TypeAlias = tuple[Any, Mapping[str, Any]]


def one_class(rng: Generator, items: int, size: Any, good: Any, less: float = 0.03, differ: float = 1.0) -> Data:
    """Items of one class each, with a recall of each class; the second system is worse, or nearly a copy."""
    share = size / np.sum(size)
    truth = rng.choice(len(share), items, p=share)

    def predicted(less: float) -> Any:
        right = rng.random(items) < np.clip(good[truth] - less, 0, 1)
        return np.where(right, truth, rng.choice(len(share), items, p=share))

    first, second = predicted(0.0), predicted(less)
    return truth, {"a": first, "b": np.where(rng.random(items) < differ, second, first)}


def label_sets(rng: Generator, labels: int, items: int, errors: float) -> Data:
    """Items with any number of labels, most of them rare."""
    share = 0.3 * np.exp(-np.arange(labels) * 0.06)
    truth = rng.random((items, labels)) < share
    flips = [rng.random((items, labels)) < errors * more * (0.3 + share) for more in (1.0, 1.1)]
    return truth.astype(int), {name: (truth ^ flip).astype(int) for name, flip in zip("ab", flips, strict=True)}


def newsgroups(rng: Generator, items: int, first: int) -> Data:
    """Two of the four classifiers of newsgroups, on some of the documents."""
    news, chosen = op.datasets.newsgroups(), rng.choice(7_532, items, replace=False)
    names = list(news.predictions)[first : first + 2]
    return news.truth[chosen], {name: news.predictions[name][chosen] for name in names}


WORLDS: dict[str, Callable[[Generator], Data]] = {
    "newsgroups": lambda rng: newsgroups(rng, 7_532, 0),
    "newsgroups, others": lambda rng: newsgroups(rng, 7_532, 2),
    "newsgroups, 600 items": lambda rng: newsgroups(rng, 600, 1),
    "equal classes": lambda rng: one_class(rng, 5_000, np.ones(20), np.full(20, 0.75)),
    "varied classes": lambda rng: one_class(rng, 5_000, np.ones(20), rng.beta(6, 3, 20)),
    "long tail": lambda rng: one_class(rng, 1_500, 1 / np.arange(1, 29), rng.beta(3, 3, 28)),
    "recall falls with size": lambda rng: one_class(rng, 2_000, 1 / np.arange(1, 41), np.linspace(0.9, 0.1, 40)),
    "near-copies": lambda rng: one_class(rng, 3_000, np.ones(20), rng.beta(6, 3, 20), differ=0.05),
    "label sets": lambda rng: label_sets(rng, 60, 1_500, 0.05),
}


def compared(data: Data, measure: str, average: str, draws: int | None) -> tuple[op.Comparison, float]:
    """Compare two systems, with the processor time that it takes."""
    start = process_time()
    result = op.compare(*data, measure=measure, average=average, draws=draws, rng=0 if draws is None else draws)
    assert isinstance(result, op.Comparison)
    return result, process_time() - start


def main() -> None:
    """Print a line for each table and question."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    print(
        f"{'table':24}{'question':18}{'time, ratio':>12}{'mean':>8}{'ends':>8}{'mean':>10}{'ends':>8} of 12,500 draws"
    )
    for world, make in WORLDS.items():
        data = make(default_rng(seed))
        compared(data, *QUESTIONS[0], None)  # a warm-up
        for measure, average in QUESTIONS:
            (ours, time), (usual, usual_time), (many, _) = (
                compared(data, measure, average, draws) for draws in (None, USUAL, MANY)
            )
            if "expansion" not in ours.signature:
                print(f"{world:24}{measure + ' ' + average:18}   joint draws")
                continue
            far = [
                (
                    abs(x.delta.mean - many.delta.mean) / many.delta.sd,
                    np.abs(np.subtract(x.delta.hdi, many.delta.hdi)).max() / many.delta.sd,
                )
                for x in (ours, usual)
            ]
            shown = "".join(f"{mean:8.3f}{ends:8.3f}  " for mean, ends in far)
            print(f"{world:24}{measure + ' ' + average:18}{time / usual_time:12.2f}{shown}", flush=True)


if __name__ == "__main__":
    main()
