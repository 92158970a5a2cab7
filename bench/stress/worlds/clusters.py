"""Items that are not drawn independently or do not count alike: clusters of unequal size, strata, and weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import log, sqrt

import numpy as np
from numpy.random import Generator, default_rng

import outperform as op
from bench.stress.methods import answers_of, by_ours, quiet
from bench.stress.pairs import Pair
from bench.stress.synthetic import Confusions
from bench.stress.world import Answer, Ask, Case, World

__all__ = ["worlds"]

NONE = {"mean.a": 0.0, "mean.b": 0.0, "mean.delta": 0.0}
SIGMA, LARGEST = 1.5, 1_000
SHARED, OWN = 0.3, 0.5  # standard deviations of a difference: by cluster or stratum, and by item
ITEMS = 200


def worlds() -> Iterator[World]:
    """Equal systems but for the weights, where A is a little better."""
    for number in (50, 100):
        yield World(
            f"clusters {number}",
            "clusters",
            f"{number} clusters of log-normal size, equal systems",
            partial(_clusters, number),
            {"default": _compare_clusters},
            ("mean",),
        )
    for size in (1, 2, 4, 10, 20):
        yield World(
            f"strata of {size}",
            "strata",
            f"{ITEMS} items in strata of {size}, equal systems",
            partial(_strata, size),
            {"default": _compare_strata},
            ("mean",),
        )
    for effect in (1.3, 2.75, 9.4):
        yield World(
            f"weights deff={effect}",
            "weights",
            f"1,000 items with log-normal weights of design effect {effect}, binary F1",
            partial(_weights, effect),
            {"default": _compare_weights},
        )


def _clusters(number: int, rng: Generator) -> Case:
    size = np.ceil(rng.lognormal(1.5, SIGMA, number)).clip(max=LARGEST).astype(np.int64)
    cluster = np.repeat(np.arange(number), size)
    apart = SHARED * rng.standard_normal(number)[cluster] + OWN * rng.standard_normal(len(cluster))
    base = rng.standard_normal(len(cluster))
    return Case((base + apart / 2, base - apart / 2, cluster), NONE)


def _compare_clusters(case: Case, ask: Ask) -> Sequence[Answer]:
    a, b, cluster = case.data
    with quiet():
        result = op.compare_scores({"a": a, "b": b}, cluster=cluster, draws=ask.draws, rng=ask.seed)
        return answers_of(case, ask.measure, result)


def _strata(size: int, rng: Generator) -> Case:
    """Differences by stratum are fixed and add up to 0."""
    strata = np.repeat(np.arange(ITEMS // size), size)
    fixed = SHARED * default_rng(size).standard_normal(ITEMS // size)
    apart = (fixed - fixed.mean())[strata] + OWN * rng.standard_normal(ITEMS)
    base = rng.standard_normal(ITEMS)
    return Case((base + apart / 2, base - apart / 2, strata), NONE)


def _compare_strata(case: Case, ask: Ask) -> Sequence[Answer]:
    a, b, strata = case.data
    with quiet():
        result = op.compare_scores({"a": a, "b": b}, strata=strata, draws=ask.draws, rng=ask.seed)
        return answers_of(case, ask.measure, result)


def _weights(effect: float, rng: Generator) -> Case:
    """The weights have nothing to do with what the systems predict and add up to the number of items."""
    a, own = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.9, 0.1], [0.24, 0.76]])
    drawn = Confusions(np.array([0.7, 0.3]), a, own, 0.5)
    case = drawn.case(rng, 1_000, "binary")
    weight = rng.lognormal(0, sqrt(log(effect)), 1_000)
    return Case((case.data, weight * 1_000 / weight.sum()), case.truth)


def _compare_weights(case: Case, ask: Ask) -> Sequence[Answer]:
    pair, weight = case.data
    assert isinstance(pair, Pair)
    counts = op.Counts.from_labels(pair.gold, {"a": pair.a, "b": pair.b}, labels=[0, 1], weights=weight)
    return by_ours(case, ask, counts, None, {"pos_label": 1})
