"""Populations drawn at random whose items come in clusters, in strata or with unequal chances; all kinds of measure.

Clusters have a log-normal number of items, classes of their own, and are easy or hard for both systems or for one.
Strata differ in the same way; each has as many items in a data set as its share of the population. With unequal
chances, items of rare classes are drawn more often than they should be, and hard ones too; their weights say so. No
constant was chosen on these worlds, in either half; that averages over classes have an allowance for unobserved
clusters is due to clusters 105 and 113.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.metrics import average_precision_score, roc_auc_score

import outperform as op
from bench.stress.methods import answers_of, by_ours, quiet
from bench.stress.pairs import Pair, score, totals
from bench.stress.world import Answer, Ask, Case, World

__all__ = ["worlds"]

FloatArray = NDArray[np.float64]
POPULATION = 60_000
SEEDS = {"clusters": range(100, 116), "strata": range(200, 212), "weights": range(300, 312)}
TASKS = ("binary", "macro", "mean", "roc_auc", "micro", "macro", "average_precision", "errors")
OF_LABELS = ("binary", "macro", "micro")
MEASURE = {"binary": "f1", "macro": "f1", "micro": "f1", "errors": "mean"}


@dataclass(frozen=True)
class Law:
    """The parameters of a population: what is asked, and how items come."""

    task: str
    how: str
    classes: int
    steepness: float  # sizes of classes are 1/rank to this power
    units: int  # clusters or strata of a data set, or items where these have weights
    size: float  # items of a cluster or a stratum, in the middle
    uneven: float  # how much the logarithm of that number varies
    topical: float  # how much the classes of units differ
    hard: float  # how much units differ for both systems
    apart: float  # how much they differ between the systems
    gap: float
    chosen: float  # how strongly chances depend on the class, and on how hard an item is

    @classmethod
    def of(cls, how: str, number: int) -> Law:
        """Draw the parameters."""
        rng = default_rng(number)
        tasks = OF_LABELS if how == "weights" else TASKS
        task = tasks[number % len(tasks)]
        units = {"clusters": [30, 60, 150, 400], "strata": [3, 10, 40], "weights": [300, 1_000, 3_000]}
        return cls(
            task=task,
            how=how,
            classes=int(rng.choice([5, 20, 60])) if task in ("macro", "micro") else 2,
            steepness=rng.uniform(0.0, 1.2),
            units=int(rng.choice(units[how])),
            size=float(rng.choice([2, 5, 12] if how == "clusters" else [4, 15, 60])),
            uneven=rng.uniform(0.0, 1.1),
            topical=rng.uniform(0.0, 1.2),
            hard=rng.uniform(0.0, 1.2),
            apart=rng.uniform(0.0, 0.6),
            gap=rng.uniform(0.0, 0.4),
            chosen=rng.uniform(0.0, 0.8),
        )


@dataclass(frozen=True, eq=False)
class Population:
    """All items, sorted by their units."""

    law: Law
    truth: NDArray[Any]
    outputs: tuple[NDArray[Any], NDArray[Any]]
    start: NDArray[np.int64]  # of each unit, and the number of items
    weight: FloatArray  # of an item, if it is drawn by its inverse

    def scores(self, weight: FloatArray) -> Mapping[str, float]:
        """True scores under weights of the items."""
        task = self.law.task
        if task in OF_LABELS:
            parts = totals(Pair(self.truth, *self.outputs, self.law.classes), weight)
            both = [float(score("f1", task, part)) for part in parts]
        elif task in ("mean", "errors"):
            both = [float(np.average(own, weights=weight)) for own in self.outputs]
        else:
            scorer = roc_auc_score if task == "roc_auc" else average_precision_score
            both = [float(scorer(self.truth, own, sample_weight=weight)) for own in self.outputs]
        name = MEASURE.get(task, task)
        return {f"{name}.a": both[0], f"{name}.b": both[1], f"{name}.delta": both[0] - both[1]}

    def case(self, rows: NDArray[np.int64], ids: NDArray[Any], truth: Mapping[str, float]) -> Case:
        """A data set of these rows, with what their clusters, strata or weights are."""
        own = Population(self.law, self.truth[rows], (self.outputs[0][rows], self.outputs[1][rows]), ids, self.weight)
        return Case(own, truth)


def worlds() -> Iterator[World]:
    """Forty populations."""
    for how, seeds in SEEDS.items():
        for number in seeds:
            law = Law.of(how, number)
            name = MEASURE.get(law.task, law.task)
            yield World(
                f"{how} {number} {law.task}",
                f"drawn {how}",
                _note(law),
                partial(DRAW[how], how, number),
                {"default": _ours},
                (name,),
            )


def _note(law: Law) -> str:
    what = f"{law.task} of {law.classes} classes" if law.task in OF_LABELS else law.task.replace("_", " ")
    if law.how == "weights":
        return f"{what}, {law.units} items with weights, chosen {law.chosen:.1f}"
    units = f"{law.units} {law.how} of about {law.size:g} items, log sd {law.uneven:.1f}"
    return f"{what}, {units}, topical {law.topical:.1f}, hard {law.hard:.1f}, apart {law.apart:.1f}"


@cache
def _population(how: str, number: int) -> Population:
    law, rng = Law.of(how, number), default_rng([number, 1])
    many = law.units if how == "strata" else max(int(POPULATION / law.size), 1)
    size = np.ceil(law.size * np.exp(law.uneven * rng.standard_normal(many)))
    if how == "strata":
        size *= np.ceil(POPULATION / size.sum())
    start = np.append(0, np.cumsum(size)).astype(np.int64)
    unit = np.repeat(np.arange(many), np.diff(start))
    common = law.hard * rng.standard_normal(many)[unit] + 0.5 * rng.standard_normal(len(unit))
    ahead = law.gap + law.apart * rng.standard_normal(many)[unit]
    if law.task in ("mean", "errors"):
        truth, outputs = np.zeros(len(unit), dtype=np.int64), _numbers(law, common, ahead, rng)
    elif law.task in OF_LABELS:
        truth = _classes(law, unit, many, rng)
        outputs = _labels(law, truth, common, ahead, rng)
    else:
        truth = _classes(law, unit, many, rng)
        own = rng.standard_normal((2, len(unit)))
        outputs = (1.2 * truth + ahead * truth + common + own[0], 1.2 * truth + common + own[1])
    often = np.bincount(truth, minlength=law.classes)[truth] / len(truth)
    weight = often**law.chosen * np.exp(0.5 * law.chosen * common)
    return Population(law, truth, outputs, start, weight)


def _classes(law: Law, unit: NDArray[np.int64], many: int, rng: Generator) -> NDArray[np.int64]:
    """Classes whose shares differ from unit to unit."""
    level = -law.steepness * np.log(np.arange(1, law.classes + 1))
    share = np.exp(level + law.topical * rng.standard_normal((many, law.classes)))
    ends = np.cumsum(share / share.sum(axis=1, keepdims=True), axis=1)
    lot = rng.random(len(unit))[:, None]
    classes: NDArray[np.int64] = np.minimum((lot > ends[unit]).sum(axis=1), law.classes - 1).astype(np.int64)
    return classes


def _labels(
    law: Law, truth: NDArray[np.int64], common: FloatArray, ahead: FloatArray, rng: Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    odds = rng.uniform(0.0, 2.0) + 0.8 * rng.standard_normal(law.classes)
    together, said = rng.random(len(truth)), []
    for more in (ahead / 2, -ahead / 2):
        lot = np.where(rng.random(len(truth)) < 0.5, together, rng.random(len(truth)))
        other = (truth + rng.integers(1, law.classes, len(truth))) % law.classes
        said.append(np.where(lot < expit(odds[truth] - common + more), truth, other))
    return said[0], said[1]


def _numbers(law: Law, common: FloatArray, ahead: FloatArray, rng: Generator) -> tuple[FloatArray, FloatArray]:
    """Scores between 0 and 1, or errors with a long tail."""
    own = rng.standard_normal((2, len(common)))
    a, b = common + own[0] + ahead / 2, common + own[1] - ahead / 2
    if law.task == "mean":
        return expit(a), expit(b)
    return np.exp(0.7 * a), np.exp(0.7 * b)


def _clusters(how: str, number: int, rng: Generator) -> Case:
    whole = _population(how, number)
    drawn = rng.integers(0, len(whole.start) - 1, whole.law.units)
    size = np.diff(whole.start)[drawn]
    ids = np.repeat(np.arange(len(drawn)), size)
    rows = np.arange(len(ids)) - np.repeat(np.cumsum(size) - size, size) + whole.start[drawn][ids]
    return whole.case(rows, ids, _truth(how, number))


def _strata(how: str, number: int, rng: Generator) -> Case:
    whole = _population(how, number)
    size = _in_sample(whole)
    ids = np.repeat(np.arange(len(size)), size)
    rows = whole.start[ids] + (rng.random(len(ids)) * np.diff(whole.start)[ids]).astype(np.int64)
    return whole.case(rows, ids, _truth(how, number))


def _weights(how: str, number: int, rng: Generator) -> Case:
    whole = _population(how, number)
    chance = 1 / whole.weight
    rows = rng.choice(len(chance), whole.law.units, p=chance / chance.sum())
    return whole.case(rows, whole.weight[rows], _truth(how, number))


def _in_sample(whole: Population) -> NDArray[np.int64]:
    """Items of each stratum in a data set."""
    size = np.diff(whole.start)
    found: NDArray[np.int64] = np.maximum(np.rint(size * whole.law.size / np.median(size)), 1).astype(np.int64)
    return found


@cache
def _truth(how: str, number: int) -> Mapping[str, float]:
    """The scores of the population, whose strata have the shares that they have in a data set."""
    whole = _population(how, number)
    size = np.diff(whole.start)
    share = _in_sample(whole) / size if how == "strata" else np.ones(len(size))
    return whole.scores(np.repeat(share, size).astype(np.float64))


DRAW = {"clusters": _clusters, "strata": _strata, "weights": _weights}


def _ours(case: Case, ask: Ask) -> Sequence[Answer]:
    data: Population = case.data
    law, two = data.law, dict(zip("ab", data.outputs, strict=True))
    units: dict[str, Any] = {"cluster": data.start} if law.how == "clusters" else {"strata": data.start}
    if law.task in ("mean", "errors"):
        with quiet():
            return answers_of(case, ask.measure, op.compare_scores(two, **units, draws=ask.draws, rng=ask.seed))
    if law.how == "weights":
        counts = op.Counts.from_labels(data.truth, two, labels=range(law.classes), weights=data.start)
        return by_ours(case, ask, counts, None, _asked(law))
    asked = {"model": op.BayesianBootstrap(**units), "labels": range(law.classes)}
    return by_ours(case, ask, data.truth, two, asked | _asked(law))


def _asked(law: Law) -> dict[str, Any]:
    if law.task in ("macro", "micro"):
        return {"average": law.task}
    return {"pos_label": 1}
