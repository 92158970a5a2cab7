"""Expansions of scores of items and of units beside draws of all weights: error and time, in worlds of several kinds.

    python -m bench.expansion [TABLES]

Prints, for each kind of table, for how many tables an expansion is used, the error that it states, the largest distance
of its 2.5% and 97.5% quantiles of δ from those of many draws, in standard deviations and in Monte-Carlo errors, and the
processor time relative to that of the draws that are made by default without it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from time import process_time
from typing import TypeAlias, cast

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

import outperform as op
from outperform.data.contingency import FloatArray
from outperform.inference.question import CountQuestion
from outperform.measures.scorers import Scorer, area_under_roc, means, precision_of_ranking, side_by_side
from outperform.models.expansion import expand
from outperform.models.posterior import in_blocks, usual_draws
from outperform.models.weighed import Weighed
from outperform.models.weights import ItemWeights

TABLES = 10  # of each kind
CLASSES = 6  # of chunks and of labels
MANY = 100_000  # draws that are taken for the truth
EXPANDED = 2_000_000
TAIL = 0.025
ERROR = sqrt(TAIL * (1 - TAIL) / MANY) / 0.05845  # Monte-Carlo error of that quantile, in standard deviations

World: TypeAlias = tuple[Callable[[FloatArray], FloatArray], ItemWeights, Callable[[], FloatArray]]  # scores; influence


def ranked(rng: Generator, part: Callable[..., Scorer], share: float, digits: int = 12, apart: float = 0.6) -> World:
    """Two systems that rank items of two classes."""
    n = _size(rng)
    y = rng.random(n) < share
    first = rng.normal(size=n) + rng.uniform(0.3, 2.5) * y
    second = sqrt(1 - apart**2) * first + apart * rng.normal(size=n)
    return _of_items(side_by_side([[part(y, x.round(digits))] for x in (first, second)]), _items(n))


def scored(rng: Generator, draw: Callable[[Generator, int], FloatArray]) -> World:
    """Two systems whose scores have this distribution, and a part in common."""
    n = _size(rng)
    common, *alone = (draw(rng, n) for _ in range(3))
    return _of_items(means(np.stack([common + x for x in alone])), _items(n))


def clustered(rng: Generator) -> World:
    """Scores in clusters of lognormal sizes."""
    clusters = int(rng.integers(100, 700))
    kind = np.repeat(np.arange(clusters), 1 + rng.lognormal(1, 1, clusters).astype(np.int64))
    shared = rng.normal(size=(2, clusters))[:, kind]
    columns = shared + rng.normal(size=(2, len(kind)))
    return _of_items(means(columns), ItemWeights(np.ones(clusters), kind, np.ones(len(kind)), None))


def documents(rng: Generator) -> World:
    """Micro F1 of the chunks of documents, which are easy or hard as a whole."""
    truth: list[list[str]] = []
    said: dict[str, list[list[str]]] = {"a": [], "b": []}
    for size in rng.geometric(0.2, _size(rng)):
        true, ease = rng.integers(0, CLASSES, size), rng.beta(3, 1)
        truth.append(_tags(true))
        for name, share in (("a", 1.0), ("b", 0.95)):
            found = rng.random(size) < share * ease
            said[name].append(_tags(np.where(found, true, rng.integers(-1, CLASSES, size))))
    return _of_counts(op.Counts.from_chunks(truth, said), "micro")


def label_sets(rng: Generator, average: str) -> World:
    """F1 of sets of labels, some of which are empty."""
    truth = rng.random((_size(rng), CLASSES)) < 0.2
    ease = rng.beta(3, 1, (len(truth), 1))
    said = {
        name: np.where(rng.random(truth.shape) < share * ease, truth, rng.random(truth.shape) < 0.1).astype(int)
        for name, share in (("a", 1.0), ("b", 0.95))
    }
    return _of_counts(op.Counts.from_label_sets(truth.astype(int), said, by_item=average == "samples"), average)


WORLDS: dict[str, Callable[[Generator], World]] = {
    "normal scores": lambda rng: scored(rng, lambda r, n: r.normal(size=n)),
    "lognormal scores": lambda rng: scored(rng, lambda r, n: r.lognormal(size=n)),
    "scores with t₃ tails": lambda rng: scored(rng, lambda r, n: r.standard_t(3, n)),
    "ratings 1–5": lambda rng: scored(rng, lambda r, n: r.integers(1, 6, n).astype(np.float64)),
    "5% of items differ": lambda rng: scored(rng, lambda r, n: (r.random(n) < 0.05) * r.normal(size=n)),
    "clusters": clustered,
    "AUC": lambda rng: ranked(rng, area_under_roc, 0.4),
    "AUC, 5% positive": lambda rng: ranked(rng, area_under_roc, 0.05),
    "AUC, ties": lambda rng: ranked(rng, area_under_roc, 0.4, 0),
    "AUC, near copies": lambda rng: ranked(rng, area_under_roc, 0.4, apart=0.05),
    "AP": lambda rng: ranked(rng, precision_of_ranking, 0.4),
    "AP, 5% positive": lambda rng: ranked(rng, precision_of_ranking, 0.05),
    "chunks, micro": documents,
    "label sets, micro": lambda rng: label_sets(rng, "micro"),
    "label sets, samples": lambda rng: label_sets(rng, "samples"),
}


def _size(rng: Generator) -> int:
    return int(np.exp(rng.uniform(np.log(700), np.log(6_000))))


def _items(n: int) -> ItemWeights:
    return ItemWeights.alone(np.ones(n))


def _of_items(score: Scorer, weights: ItemWeights) -> World:
    def influence() -> FloatArray:
        rows = weights.rows(weights.number[:, None].copy())[:, 0]
        return weights.by_unit(score.influence(rows)).T

    return score, weights, influence


def _of_counts(counts: op.Counts, average: str) -> World:
    question = CountQuestion.check("f1", average, counts, None, draws=None, rng=0)
    posterior = op.BayesianBootstrap().posterior(counts).reduced(average, question.measure)
    whole = cast(Weighed, posterior).whole

    def influence() -> FloatArray:
        moves = whole.influence(question.score)
        assert moves is not None
        return moves

    return lambda rows: question.score(whole.weighed(rows)), ItemWeights.alone(whole.kinds), influence


def _tags(types: FloatArray) -> list[str]:
    return [f"B-{x}" if x >= 0 else "O" for x in types]


def _rows(name: str, tables: int) -> Iterator[tuple[float, ...]]:
    """Yield for each table on which an expansion is used its stated error, its distance and its relative time."""
    for k in range(tables):
        score, weights, influence = WORLDS[name](default_rng([k, *name.encode()]))
        usual = usual_draws(3 * len(weights.size), 50_000, 500)
        start = process_time()
        expansion = expand(score, influence(), weights, SeedSequence(k), usual)
        if expansion is None:
            continue
        expansion.draw(default_rng(0), 50_000)
        ours = process_time() - start
        start = process_time()
        known = in_blocks(partial(_drawn, score, weights), len(weights.size), draws=MANY, seed=SeedSequence(k))
        theirs = (process_time() - start) * usual / MANY
        ends = [np.quantile(x @ [1, -1], [TAIL, 1 - TAIL]) for x in (expansion.draw(default_rng(1), EXPANDED), known)]
        off = np.abs(ends[0] - ends[1]).max() / (known @ [1, -1]).std()
        yield expansion.error, off, ours / theirs


def _drawn(score: Callable[[FloatArray], FloatArray], weights: ItemWeights, rng: Generator, size: int) -> FloatArray:
    return score(weights.draw(rng, size))


def main() -> None:
    """Print one row for each kind of table."""
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else TABLES
    print(f"{'tables':24} used   stated error   largest distance   in MC errors   time, ratio")
    for name in WORLDS:
        rows = np.array([*_rows(name, tables)])
        if not len(rows):
            print(f"{name:24} {0:2}/{tables}", flush=True)
            continue
        stated, off, time = rows.T
        print(
            f"{name:24} {len(rows):2}/{tables} {stated.max():12.4f} {off.max():15.4f} {off.max() / ERROR:15.1f} "
            f"{np.median(time):15.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
