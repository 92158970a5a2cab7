"""Worlds in which a difference hangs on few units, of other kinds than those by which the unseen unit was chosen.

In all of them the two systems are exchangeable, so that the true difference is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import outperform as op
from bench.stress.methods import answers_of, quiet
from bench.stress.world import Answer, Ask, Case, World

__all__ = ["worlds"]

Array = NDArray[Any]
Asked = Callable[[Any, Ask], op.Comparison]


def worlds() -> Iterator[World]:
    """Heavy tails, queries, clusters of 0 and 1, uneven strata, and areas of near copies."""
    for items in (25, 100):
        yield _world(
            f"t3 differences n={items}", f"{items} scores, differences of Student's t₃", partial(_heavy, items)
        )
    yield _world("30 queries", "30 scores between 0 and 1, of which a third differ", _queries)
    yield _world("60 clusters of 0 and 1", "60 clusters of Pareto size, scores of 0 and 1", _clusters)
    yield _world("uneven strata", "9 strata of 2 to 60 items, the spread of which differs", _strata)
    yield _world("errors with outliers n=100", "mean absolute error, 5% of the errors ten times as large", _errors)
    yield _world("ap copies 2% n=300", "average precision, 10% positive, 2% of 300 scores differ", _copies)


def _world(name: str, note: str, asked: Callable[[Generator], Asked]) -> World:
    return World(name, "few units", note, partial(_case, asked), {"default": _answer}, ("score",))


def _case(asked: Callable[[Generator], Asked], rng: Generator) -> Case:
    return Case(asked(rng), {"score.a": 0.0, "score.b": 0.0, "score.delta": 0.0})


def _answer(case: Case, ask: Ask) -> Sequence[Answer]:
    """The difference alone, whose truth is known."""
    with quiet():
        return answers_of(case, ask.measure, case.data(case, ask))[2:]


def _scores(a: Array, b: Array, **beside: Any) -> Asked:
    return lambda _, ask: op.compare_scores({"a": a, "b": b}, draws=ask.draws, rng=ask.seed, **beside)


def _heavy(items: int, rng: Generator) -> Asked:
    base, apart = rng.standard_normal(items), rng.standard_t(3, items)
    return _scores(base + apart / 2, base - apart / 2)


def _queries(rng: Generator) -> Asked:
    a, b = rng.beta(5, 1.5, (2, 30))
    return _scores(a, np.where(rng.random(30) < 1 / 3, b, a))


def _clusters(rng: Generator) -> Asked:
    size = np.minimum(np.ceil(1 + 3 * rng.pareto(1.5, 60)), 300).astype(np.int64)
    cluster = np.repeat(np.arange(60), size)
    right, apart = rng.beta(4, 2, 60)[cluster], 0.3 * rng.standard_normal(60)[cluster]
    a, b = (rng.random(len(cluster)) < np.clip(right + sign * apart / 2, 0, 1) for sign in (1, -1))
    return _scores(a.astype(float), b.astype(float), cluster=cluster)


def _strata(rng: Generator) -> Asked:
    strata = np.repeat(np.arange(9), [2, 2, 3, 4, 5, 8, 15, 30, 60])
    apart = rng.standard_normal(len(strata)) * np.linspace(2, 0.3, 9)[strata]
    base = rng.standard_normal(len(strata))
    return _scores(base + apart / 2, base - apart / 2, strata=strata)


def _errors(rng: Generator) -> Asked:
    shared, a, b = rng.standard_normal((3, 100)) * np.where(rng.random((3, 100)) < 0.05, 10, 1)
    outputs, truth = {"a": shared + a, "b": shared + b}, np.zeros(100)
    return lambda _, ask: op.compare(truth, outputs, measure="mae", draws=ask.draws, rng=ask.seed)


def _copies(rng: Generator) -> Asked:
    y = (np.arange(300) < 30).astype(np.int64)
    a, b = rng.standard_normal((2, 300)) + 1.5 * y
    outputs = {"a": a, "b": np.where(rng.random(300) < 0.02, b, a)}
    return lambda _, ask: op.compare(y, outputs, measure="average_precision", draws=ask.draws, rng=ask.seed)
