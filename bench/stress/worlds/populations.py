"""Real populations that are resampled: GoEmotions, with label sets, and CLINC150, with 150 classes.

Items are drawn with replacement, so that the score on the whole population is the truth.

Two kinds tell a population's own trend from a fault of the method. The classes of CLINC150 with sizes as 1/rank have
ranks that were drawn once, so that their sizes go with their scores as chance had it; "reranked" draws the ranks anew
for each data set. The frequent labels of GoEmotions are those of the sample, which contains them more often than the
population does; "common" labels are frequent in the population.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bench.stress.methods import macro_methods, ours
from bench.stress.pairs import MEASURES, Pair, Parts, totals, truth_from
from bench.stress.resampling import bootstrap
from bench.stress.world import Case, World

__all__ = ["clinc", "goemotions", "ranked", "resample", "truth_of", "worlds"]

DATA = Path(__file__).parent.parent.parent / "data"
LABELS, CLASSES, ENOUGH, FEWEST, RANKS = 28, 150, 20, 300, 7


def worlds() -> Iterator[World]:
    """GoEmotions with all labels and with the frequent ones of the sample; CLINC150 with equal and 1/rank classes."""
    for pair, items in product(combinations(("svm", "lr", "cnb"), 2), (300, 1_000, 3_000)):
        name = f"{pair[0]}-{pair[1]}"
        yield World(
            f"goemotions {name} all n={items}",
            "goemotions",
            f"GoEmotions resampled, {name}, all {LABELS} labels, {items} items",
            partial(_all_labels, pair, items),
            macro_methods(LABELS, sets=True),
            MEASURES,
        )
        yield World(
            f"goemotions {name} frequent n={items}",
            "goemotions",
            f"GoEmotions resampled, {name}, the labels with at least {ENOUGH} items in the sample, {items} items",
            partial(_frequent_labels, pair, items),
            macro_methods(LABELS, sets=True),
            MEASURES,
        )
    ways = product(combinations(("svm", "lr", "mnb"), 2), (500, 1_500, 5_000), ("equal", "1/rank"))
    for pair, items, sizes in ways:
        name = f"{pair[0]}-{pair[1]}"
        yield World(
            f"clinc {name} {sizes} n={items}",
            "clinc",
            f"CLINC150 resampled, {name}, class sizes {sizes}, {items} items",
            partial(_classes, pair, items, sizes),
            macro_methods(CLASSES),
            MEASURES,
        )
    for pair, items in product(combinations(("svm", "lr", "mnb"), 2), (500, 1_500)):
        name = f"{pair[0]}-{pair[1]}"
        yield World(
            f"clinc {name} reranked n={items}",
            "reranked",
            f"CLINC150 resampled, {name}, class sizes 1/rank with other ranks in each data set, {items} items",
            partial(_reranked, pair, items),
            {"default": ours, "bootstrap": bootstrap},
            MEASURES,
        )
    for pair in combinations(("svm", "lr", "cnb"), 2):
        name = f"{pair[0]}-{pair[1]}"
        yield World(
            f"goemotions {name} common n={FEWEST}",
            "common",
            f"GoEmotions resampled, {name}, the labels with at least {ENOUGH} items on average, {FEWEST} items",
            partial(_common_labels, pair, FEWEST),
            {"default": ours, "bootstrap": bootstrap},
            MEASURES,
        )


@cache
def goemotions(a: str, b: str) -> Pair:
    """All items of GoEmotions with the label sets of two classifiers."""
    columns = _columns("goemotions_predictions.csv.gz")
    parts = []
    for name in ("gold", a, b):
        table = np.zeros((len(columns[name]), LABELS), dtype=bool)
        for row, cell in enumerate(columns[name]):
            table[row, [int(label) for label in cell.split()]] = True
        parts.append(table)
    return Pair(parts[0], parts[1], parts[2], LABELS)


@cache
def clinc(a: str, b: str) -> Pair:
    """All items of CLINC150 with the predictions of two classifiers."""
    columns = _columns("clinc_predictions.csv.gz")
    gold, first, second = (np.array(columns[name], dtype=np.int64) for name in ("gold", a, b))
    return Pair(gold, first, second, CLASSES)


def ranked(pair: Pair) -> NDArray[np.float64]:
    """Weights of the items under which classes have sizes 1/rank, ranks given at random once and for all."""
    return _by_rank(pair, default_rng(RANKS))


def _by_rank(pair: Pair, rng: Generator) -> NDArray[np.float64]:
    """Weights of the items under which classes have sizes 1/rank, with random ranks."""
    share = 1 / (1 + rng.permutation(pair.classes))
    each = (share / np.bincount(pair.gold, minlength=pair.classes))[pair.gold]
    weight: NDArray[np.float64] = each / each.sum()
    return weight


def resample(rng: Generator, pair: Pair, items: int, weight: NDArray[np.float64] | None = None) -> Pair:
    """Items drawn with replacement, by weight if there is one."""
    return pair.take(rng.choice(len(pair), items, p=weight))


def truth_of(pair: Pair, weight: NDArray[np.float64] | None = None) -> Mapping[str, float]:
    """Scores of a whole population."""
    a, b = totals(pair, np.ones(len(pair)) if weight is None else weight)
    return truth_from(a, b, pair.average)


@cache
def _shares(pair: tuple[str, str]) -> tuple[Parts, Parts]:
    whole = goemotions(*pair)
    return totals(whole, np.ones(len(whole)))


def _all_labels(pair: tuple[str, str], items: int, rng: Generator) -> Case:
    drawn = resample(rng, goemotions(*pair), items)
    return Case(drawn, _kept_truth(pair, np.ones(LABELS, dtype=bool)))


def _frequent_labels(pair: tuple[str, str], items: int, rng: Generator) -> Case:
    """The truth is the population's score over the labels that the sample has enough of, so it varies."""
    drawn = resample(rng, goemotions(*pair), items)
    often = drawn.gold.sum(axis=0) >= ENOUGH
    return Case(drawn.keep(often), _kept_truth(pair, often))


def _common_labels(pair: tuple[str, str], items: int, rng: Generator) -> Case:
    whole = goemotions(*pair)
    common = whole.gold.mean(axis=0) * items >= ENOUGH
    return Case(resample(rng, whole, items).keep(common), _kept_truth(pair, common))


def _kept_truth(pair: tuple[str, str], labels: NDArray[np.bool_]) -> Mapping[str, float]:
    a, b = ((hit[labels], gold[labels], said[labels]) for hit, gold, said in _shares(pair))
    return truth_from(a, b, "macro")


def _classes(pair: tuple[str, str], items: int, sizes: str, rng: Generator) -> Case:
    whole = clinc(*pair)
    weight = ranked(whole) if sizes == "1/rank" else None
    return Case(resample(rng, whole, items, weight), _class_truth(pair, sizes))


def _reranked(pair: tuple[str, str], items: int, rng: Generator) -> Case:
    whole = clinc(*pair)
    weight = _by_rank(whole, rng)
    return Case(resample(rng, whole, items, weight), truth_of(whole, weight))


@cache
def _class_truth(pair: tuple[str, str], sizes: str) -> Mapping[str, float]:
    whole = clinc(*pair)
    return truth_of(whole, ranked(whole) if sizes == "1/rank" else None)


@cache
def _columns(name: str) -> dict[str, list[str]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    return {column: [row[column] for row in rows] for column in rows[0]}
