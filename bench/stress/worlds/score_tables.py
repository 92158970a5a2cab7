"""Tables of scores: a number for each item and system, few items or more, systems that are close or apart.

The true scores are drawn anew for each data set. Items are hard or easy for all systems; every system also has its own
luck. The first tables changed the model: the allowance for unobserved items is no longer shrunk with the scores. The
others were made before that was simulated again, and looked at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import nbinom

import outperform as op
from bench.stress.methods import quiet
from bench.stress.world import Answer, Ask, Case, Method, World
from bench.stress.worlds.many import of_ranking

__all__ = ["worlds"]

FloatArray = NDArray[np.float64]
Law: TypeAlias = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
COMMON = 0.5  # share of the variance that is of the item, on a normal scale
SCALES = {"close": 0.5, "apart": 2.0}  # spread of the true scores, in about the sd of an observed difference
MIDDLE, POINTS, TAIL, UNEVEN, WORTH = 0.7, 5, 0.8, 0.5, 0.01
SKIPPED, SHAPE = 0.3, 2.0  # chance to earn nothing for an item; of the negative binomial distribution
GAP, WITHIN = 2.0, 1 / 3  # distance of the groups, and the standard deviation within one


def worlds() -> Iterator[World]:
    """Right and wrong, points from 1 to 5, and times with a long tail; then counts and partial credit."""
    yield from _tables("score tables", FIRST, (5, 20), (15, 100), SCALES, _normal)
    yield from _tables("more score tables", AFTERWARDS, (3, 10), (30, 300), {"groups": 1.0}, _groups)


def _tables(
    kind: str,
    laws: Mapping[str, Law],
    systems: tuple[int, ...],
    sizes: tuple[int, ...],
    scales: Mapping[str, float],
    spread: Callable[[int, float, Generator], FloatArray],
) -> Iterator[World]:
    methods: dict[str, Method] = {"default": _rank, "unshrunk": partial(_rank, shrink=False)}
    for (law, draw), number, items, (how, scale) in product(laws.items(), systems, sizes, scales.items()):
        yield World(
            f"table {law} {number} n={items} {how}",
            kind,
            f"{number} systems with {items} scores each ({law}), true scores {scale:g} sd of a difference apart",
            partial(_table, draw, number, items, partial(spread, number, scale)),
            methods,
            ("score",),
        )


def _normal(number: int, scale: float, rng: Generator) -> FloatArray:
    return scale * rng.standard_normal(number)


def _groups(number: int, scale: float, rng: Generator) -> FloatArray:
    """Two groups: one in three systems is better than the others by about the same amount."""
    ahead: FloatArray = scale * rng.normal(GAP * (np.arange(number) % 3 == 0), WITHIN)
    return ahead


def _table(law: Law, number: int, items: int, spread: Callable[[Generator], FloatArray], rng: Generator) -> Case:
    ahead = spread(rng) / np.sqrt(items)
    common, own = rng.standard_normal((items, 1)), rng.standard_normal((items, number))
    scores, true = law(np.sqrt(COMMON) * common + np.sqrt(1 - COMMON) * own, ahead)
    names = [f"s{place}" for place in range(number)]
    return Case((dict(zip(names, scores.T, strict=True)), dict(zip(names, true.tolist(), strict=True))), {})


def _right(normal: FloatArray, ahead: FloatArray) -> tuple[FloatArray, FloatArray]:
    p = np.clip(MIDDLE + np.sqrt(MIDDLE * (1 - MIDDLE)) * ahead, 0.02, 0.98)
    return (ndtr(normal) < p).astype(np.float64), p


def _points(normal: FloatArray, ahead: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How many of four thresholds an item passes, and one point for being there."""
    level = ndtri(np.linspace(0.9, 0.3, POINTS - 1))[:, None] + ahead
    passed = (normal[None] < level[:, None]).sum(axis=0)
    return 1.0 + passed, 1.0 + ndtr(level).sum(axis=0)


def _times(normal: FloatArray, ahead: FloatArray) -> tuple[FloatArray, FloatArray]:
    true = np.exp(TAIL * ahead)
    return true * np.exp(TAIL * normal - TAIL**2 / 2), true


def _counts(normal: FloatArray, ahead: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Counts of about 3, spread more than by chance: the same negative binomial distribution but for its mean."""
    true = 3.0 * np.exp(UNEVEN * ahead)
    return np.asarray(nbinom.ppf(ndtr(normal), SHAPE, SHAPE / (SHAPE + true))), true


def _credit(normal: FloatArray, ahead: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Nothing for some items, up to 1 for the others."""
    power = np.exp(-UNEVEN * ahead)
    earned = np.maximum(ndtr(normal) - SKIPPED, 0.0) / (1 - SKIPPED)
    return earned**power, (1 - SKIPPED) / (1 + power)


FIRST = {"right": _right, "points": _points, "times": _times}
AFTERWARDS = {"counts": _counts, "credit": _credit}


def _rank(case: Case, ask: Ask, shrink: bool = True) -> Sequence[Answer]:
    scores: Mapping[str, Any]
    scores, true = case.data
    with quiet():
        ranking = op.rank_scores(scores, draws=ask.draws, shrink=shrink, rng=ask.seed)
        return of_ranking(ranking, true, ask.measure, WORTH)
