"""Populations whose every parameter is drawn at random: sizes of classes, how well they are found, what goes together.

Sizes of classes follow 1/rankˢ. The log-odds that a class is found rise or fall with the logarithm of its size, and
vary around that; those of the second system are a little lower, and vary around those of the first. Items are of one
class, or have several labels and differ in how many; some are hard for both systems, which also share part of their
chance. Wrong predictions go to large classes and to those that a class is often taken for, and false alarms to some
labels more than to others. No model and no constant was chosen on these worlds, in either half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from scipy.special import expit

from bench.stress.pairs import MEASURES, Pair
from bench.stress.world import World
from bench.stress.worlds.made import resampling

__all__ = ["population", "worlds"]

NUMBERS, MORE = range(30, 60), range(100, 130)
POPULATION, MOST = 60_000, 0.5  # items; largest share of items with a label
LABELS = (0.0, 1.3, 3.0)  # per item, on average; 0 for exactly one class


@dataclass(frozen=True)
class Law:
    """The parameters of a population."""

    classes: int
    items: int  # of a data set
    labels: float
    steepness: float  # s
    shared: float  # of the chance of both systems
    level: float  # of the log-odds
    slope: float
    spread: float
    gap: float  # between the systems
    apart: float  # how much it varies

    @classmethod
    def of(cls, number: int, rng: Generator) -> Law:
        """Draw the parameters."""
        return cls(
            classes=int(rng.choice([15, 40, 90, 200])),
            items=int(rng.choice([300, 1_000, 3_000])),
            labels=LABELS[number % len(LABELS)],
            steepness=rng.uniform(0.5, 1.5),
            shared=rng.uniform(0.3, 0.9),
            level=rng.uniform(-0.5, 2.0),
            slope=rng.uniform(-0.3, 1.0),
            spread=rng.uniform(0.0, 1.5),
            gap=rng.uniform(0.0, 0.3),
            apart=rng.uniform(0.0, 0.6),
        )


def worlds() -> Iterator[World]:
    """Sixty populations; half of them were drawn later."""
    for number in (*NUMBERS, *MORE):
        law = Law.of(number, default_rng(number))
        what = f"about {law.labels} of {law.classes} labels each" if law.labels else f"{law.classes} classes"
        sizes, found = f"sizes 1/rank^{law.steepness:.1f}", f"slope {law.slope:.1f}, spread {law.spread:.1f}"
        note = f"{what}, {sizes}, log-odds to be found {law.level:.1f}, {found}, {law.items} items"
        kind, half = ("drawn", "") if number in NUMBERS else ("further", "held")
        yield resampling(f"drawn {number} n={law.items}", kind, note, partial(_pair, number), law.items, MEASURES, half)


def _pair(number: int) -> Pair:
    return population(number)[1]


@cache
def population(number: int) -> tuple[Law, Pair]:
    """Draw a population and its law."""
    rng = default_rng(number)
    law = Law.of(number, rng)
    size = rng.permutation(1 / np.arange(1, law.classes + 1) ** law.steepness)
    size /= size.sum()
    trained = np.log(size) - np.log(size).mean() + rng.normal(0, 0.4, law.classes)  # on other items
    a = law.level + law.slope * trained + law.spread * rng.standard_normal(law.classes)
    odds = (a, a - law.gap + law.apart * rng.standard_normal(law.classes))
    make = _label_sets if law.labels else _one_of_many
    return law, make(law, size, odds, rng)


def _lots(law: Law, rng: Generator, *shape: int) -> list[Any]:
    """Uniform numbers of two systems, which share some."""
    common = rng.random(shape)
    return [np.where(rng.random(shape) < law.shared, common, rng.random(shape)) for _ in range(2)]


def _one_of_many(law: Law, size: Any, odds: tuple[Any, Any], rng: Generator) -> Pair:
    truth, hard = rng.choice(law.classes, POPULATION, p=size), 0.8 * rng.standard_normal(POPULATION)
    taken = np.sqrt(size) * np.exp(rng.standard_normal((law.classes, law.classes)))
    np.fill_diagonal(taken, 0.0)
    ends = (taken / taken.sum(axis=1, keepdims=True)).cumsum(axis=1)
    said = []
    for own, lot, other in zip(odds, _lots(law, rng, POPULATION), _lots(law, rng, POPULATION), strict=True):
        wrong = np.minimum((other[:, None] > ends[truth]).sum(axis=1), law.classes - 1)
        said.append(np.where(lot < expit(own[truth] + hard), truth, wrong))
    return Pair(truth, said[0], said[1], law.classes)


def _label_sets(law: Law, size: Any, odds: tuple[Any, Any], rng: Generator) -> Pair:
    shape = (POPULATION, law.classes)
    share = np.minimum(size * law.labels, MOST)
    truth = rng.random(shape) < share * np.exp(0.5 * rng.standard_normal(POPULATION) - 0.125)[:, None]
    hard, alarms = 0.8 * rng.standard_normal((POPULATION, 1)), np.exp(rng.normal(-1, 0.8, law.classes))
    said = [
        np.where(truth, lot < expit(own + hard), other < np.minimum(share * expit(own) * alarms, MOST))
        for own, lot, other in zip(odds, _lots(law, rng, *shape), _lots(law, rng, *shape), strict=True)
    ]
    return Pair(truth, said[0], said[1], law.classes)
