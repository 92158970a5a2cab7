"""Labels that depend on each other, and true labels with errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

import outperform as op
from bench.stress.methods import macro_methods, ours
from bench.stress.pairs import Pair, truth_from
from bench.stress.resampling import bootstrap
from bench.stress.synthetic import Confusions, rows_from, spread_errors
from bench.stress.world import Case, Method, World

__all__ = ["worlds"]

LABELS, TIMES, PRESENT = 4, 5, 0.3
CHANGED, LONG, FEW_LABELS, MANY_LABELS = 0.03, 0.1, 0.05, 0.8
HARD, EASY_ERROR, HARD_ERROR = 0.3, 0.05, 0.4
CLASSES, NOISE = 10, 0.05


def worlds() -> Iterator[World]:
    """Micro F1 of repeated and of dependent labels; macro F1 against labels with 5% errors."""
    items_weighed = partial(ours, model=op.BayesianBootstrap())
    methods: dict[str, Method] = {"default": ours, "weighed": items_weighed, "bootstrap": bootstrap}
    yield World(
        "labels repeated five times",
        "label sets",
        f"{LABELS} labels, each repeated {TIMES} times, micro F1, 500 items",
        partial(_sets, True, 500),
        methods,
    )
    yield World(
        "labels of hard items",
        "label sets",
        f"{LABELS * TIMES} labels, on which a system errs more often if the item is hard for it, micro F1, 500 items",
        partial(_sets, False, 500),
        methods,
    )
    yield World(
        "labels of near-copies",
        "more label sets",
        f"{LABELS * TIMES} labels, on which two systems differ on {CHANGED:.0%} of the items, micro F1, 200 items",
        partial(_near_copies, 200),
        methods,
    )
    yield World(
        "labels of long items",
        "more label sets",
        f"{LABELS * TIMES} labels, most of them of few items, micro F1, 200 items",
        partial(_long_items, 200),
        methods,
    )
    for items in (500, 2_000):
        yield World(
            f"label noise n={items}",
            "label noise",
            f"{CLASSES} classes, {NOISE:.0%} of the true labels replaced, {items} items",
            partial(_noise, items),
            macro_methods(CLASSES),
        )


def _sets(repeated: bool, items: int, rng: Generator) -> Case:
    """Two systems that are equally good, each with hard items of its own."""
    labels = LABELS if repeated else LABELS * TIMES
    gold = rng.random((items, labels)) < PRESENT
    a, b = (gold ^ (rng.random((items, labels)) < _errors(rng, items)) for _ in range(2))
    if repeated:
        gold, a, b = (np.repeat(part, TIMES, axis=1) for part in (gold, a, b))
    return Case(Pair(gold, a, b, LABELS * TIMES, "micro"), _equally_good(PRESENT))


def _near_copies(items: int, rng: Generator) -> Case:
    """Two systems that are equally good, of which one puts out anew what it says of a few items."""
    gold = rng.random((items, LABELS * TIMES)) < PRESENT
    a, other = (gold ^ (rng.random(gold.shape) < _errors(rng, items)) for _ in range(2))
    b = np.where(rng.random((items, 1)) < CHANGED, other, a)
    return Case(Pair(gold, a, b, LABELS * TIMES, "micro"), _equally_good(PRESENT))


def _long_items(items: int, rng: Generator) -> Case:
    """Items with few labels, and some with nearly all of them; two systems that are equally good."""
    present = np.where(rng.random((items, 1)) < LONG, MANY_LABELS, FEW_LABELS)
    gold = rng.random((items, LABELS * TIMES)) < present
    a, b = (gold ^ (rng.random(gold.shape) < _errors(rng, items)) for _ in range(2))
    return Case(Pair(gold, a, b, LABELS * TIMES, "micro"), _equally_good(LONG * MANY_LABELS + (1 - LONG) * FEW_LABELS))


def _equally_good(present: float) -> Mapping[str, float]:
    """Scores of two systems that err on hard and easy items, whatever the items' labels."""
    error_rate = HARD * HARD_ERROR + (1 - HARD) * EASY_ERROR
    hit, said = present * (1 - error_rate), present * (1 - error_rate) + (1 - present) * error_rate
    share = np.array([hit]), np.array([present]), np.array([said])
    return truth_from(share, share, "micro")


def _errors(rng: Generator, items: int) -> NDArray[np.float64]:
    """How often a system errs on each item."""
    return np.where(rng.random((items, 1)) < HARD, HARD_ERROR, EASY_ERROR)


@cache
def _confusions() -> Confusions:
    rng = default_rng(CLASSES)
    mu = np.geomspace(5, 1, CLASSES)
    mu /= mu.sum()
    wrong = spread_errors(rng, mu)
    recall = rng.permutation(np.linspace(0.6, 0.9, CLASSES))
    return Confusions(mu, rows_from(recall, wrong), rows_from(recall - 0.05, wrong), 0.5, noise=NOISE)


def _noise(items: int, rng: Generator) -> Case:
    return _confusions().case(rng, items)
