"""Labels that are never found: by neither system while one makes false alarms, or by one of the two."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import product

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bench.stress.methods import macro_methods
from bench.stress.pairs import Pair, truth_from
from bench.stress.synthetic import Confusions, rows_from, spread_errors
from bench.stress.world import Case, World

__all__ = ["worlds"]

COMMON, RARE, ALARMS = 0.1, 0.01, 0.01  # shares of items: with a found label, with one never found, with a false alarm
RECALL, FALLOUT = 0.75, 0.02  # of both systems on the labels that they find
SAME = 0.6  # how often both are right or wrong for the same reason
CLASSES, NEVER = 20, 6


def worlds() -> Iterator[World]:
    """Forty of 50 labels that neither finds, 20 of 60, and six classes that B never predicts."""
    for (lost, labels), items in product(((40, 50), (20, 60)), (1_000, 3_000)):
        yield World(
            f"nobody finds {lost} of {labels} n={items}",
            "nobody",
            f"{lost} of {labels} labels that neither finds, B with false alarms on them; equal scores, {items} items",
            partial(_sets, lost, labels, items),
            macro_methods(labels, sets=True),
            ("f1", "precision", "weighted f1", "weighted precision"),
        )
    for items in (500, 2_000):
        yield World(
            f"B never predicts {NEVER} of {CLASSES} n={items}",
            "never predicted",
            f"{NEVER} of {CLASSES} classes that B never predicts, {items} items",
            partial(_classes, items),
            macro_methods(CLASSES),
            ("f1", "precision", "weighted f1", "weighted precision"),
        )


def _sets(lost: int, labels: int, items: int, rng: Generator) -> Case:
    """Label sets of independent labels; the first `lost` labels are found by nobody."""
    never = np.arange(labels) < lost
    gold = rng.random((items, labels)) < np.where(never, RARE, COMMON)
    a, b = _predict(rng, gold), _predict(rng, gold)
    b = np.where(rng.random(gold.shape) < SAME, a, b)
    alarms = (rng.random(gold.shape) < ALARMS) & ~gold
    return Case(Pair(gold, a & ~never, np.where(never, alarms, b), labels), _truth(lost, labels))


def _predict(rng: Generator, gold: NDArray[np.bool_]) -> NDArray[np.bool_]:
    said: NDArray[np.bool_] = rng.random(gold.shape) < np.where(gold, RECALL, FALLOUT)
    return said


@cache
def _truth(lost: int, labels: int) -> dict[str, float]:
    never = np.arange(labels) < lost
    gold, hit = np.where(never, RARE, COMMON), np.where(never, 0.0, COMMON * RECALL)
    said = hit + np.where(never, 0.0, (1 - COMMON) * FALLOUT)
    alarms = np.where(never, (1 - RARE) * ALARMS, said)
    return dict(truth_from((hit, gold, said), (hit, gold, alarms), "macro"))


@cache
def _confusions() -> Confusions:
    """Every class has errors of its own; B takes six classes, of all sizes, for others."""
    rng = default_rng(NEVER)
    mu = np.geomspace(10, 1, CLASSES)
    mu /= mu.sum()
    wrong = spread_errors(rng, mu)
    recall = rng.permutation(np.linspace(0.55, 0.9, CLASSES))
    never = np.isin(np.arange(CLASSES), np.linspace(1, CLASSES - 1, NEVER).astype(int))
    own = rows_from(np.where(never, 0.0, recall), np.where(never, 1e-9, wrong) * ~never)
    return Confusions(mu, rows_from(recall, wrong), own, 0.0)


def _classes(items: int, rng: Generator) -> Case:
    return _confusions().case(rng, items)
