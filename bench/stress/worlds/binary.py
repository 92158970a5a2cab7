"""One positive class at the extremes: scores near 1, and few positives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product

import numpy as np
from numpy.random import Generator

import outperform as op
from bench.stress.methods import estimated, ours
from bench.stress.resampling import bca, bootstrap
from bench.stress.synthetic import Confusions
from bench.stress.world import Case, Method, World

__all__ = ["worlds"]

RARE = 0.005
COPIED = 0.5
ALMOST = 0.999, 0.995


def worlds() -> Iterator[World]:
    """F1 of .99 and .975 of both, of almost 1, and 0.5% positives."""
    for score, items in product((0.99, 0.975), (50, 100, 300, 1_000)):
        yield World(
            f"binary f1={score} n={items}",
            "binary",
            f"half of the items positive, both with a true F1 of {score}, {items} items",
            partial(_draw, _good(score, score), items),
            _methods(),
        )
    for items in (50, 200, 1_000):
        yield World(
            f"binary f1={ALMOST[0]} and {ALMOST[1]} n={items}",
            "binary",
            f"half of the items positive, true F1 of {ALMOST[0]} and {ALMOST[1]}, {items} items",
            partial(_draw, _good(*ALMOST), items),
            _methods(),
        )
    for items in (2_000, 10_000):
        yield World(
            f"binary {RARE:.1%} positive n={items}",
            "binary",
            f"{RARE:.1%} of the items positive, recall and precision .8 of A, recall .65 of B, {items} items",
            partial(_draw, _rare(), items),
            _methods(),
        )


def _methods() -> Mapping[str, Method]:
    priors = {prior: partial(ours, model=op.Paired(prior=prior)) for prior in ("flat", "uniform", "jeffreys")}
    return {"default": ours, **priors, "estimate": estimated, "bootstrap": bootstrap, "bca": bca}


def _good(a: float, b: float) -> Confusions:
    """Each errs on 1 - score of either class, so that its precision, recall and F1 are equal to the score."""
    own = (b - COPIED * a) / (1 - COPIED)
    first, second = (np.array([[score, 1 - score], [1 - score, score]]) for score in (a, own))
    return Confusions(np.array([0.5, 0.5]), first, second, COPIED)


def _rare() -> Confusions:
    alarm = RARE * 0.8 / (1 - RARE) * 0.25  # as many as make a precision of .8
    a = np.array([[1 - alarm, alarm], [0.2, 0.8]])
    own = np.array([[1 - alarm, alarm], [0.5, 0.5]])
    return Confusions(np.array([1 - RARE, RARE]), a, own, COPIED)


def _draw(confusions: Confusions, items: int, rng: Generator) -> Case:
    return confusions.case(rng, items, "binary")
