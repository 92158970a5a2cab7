"""The 20 Newsgroups predictions of the package, resampled with classes of very unequal size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import combinations, product

from numpy.random import Generator

import outperform as op
from bench.stress.methods import macro_methods
from bench.stress.pairs import Pair
from bench.stress.world import Case, World
from bench.stress.worlds.populations import ranked, resample, truth_of

__all__ = ["population", "worlds"]

NAMES = ("nb_bern", "nb_mult", "svm_l1", "svm_l2")
CLASSES = 20


def worlds() -> Iterator[World]:
    """Every two of the four classifiers, class sizes 1/rank."""
    for pair, items in product(combinations(NAMES, 2), (500, 2_000)):
        name = f"{pair[0]}-{pair[1]}"
        yield World(
            f"newsgroups {name} 1/rank n={items}",
            "newsgroups",
            f"20 Newsgroups resampled, {name}, class sizes 1/rank, {items} items",
            partial(_draw, pair, items),
            macro_methods(CLASSES),
            ("f1", "weighted f1"),
        )


@cache
def population(a: str, b: str) -> Pair:
    """All test items with the predictions of two classifiers."""
    news = op.datasets.newsgroups()
    return Pair(news.truth, news.predictions[a], news.predictions[b], CLASSES)


def _draw(pair: tuple[str, str], items: int, rng: Generator) -> Case:
    whole = population(*pair)
    return Case(resample(rng, whole, items, ranked(whole)), _truth(pair))


@cache
def _truth(pair: tuple[str, str]) -> Mapping[str, float]:
    whole = population(*pair)
    return truth_of(whole, ranked(whole))
