"""Populations made in six other ways, by which the spread of weighted averages was chosen, and on which it was held.

Chosen on: classes that are taken for their neighbours in a circle; systems that are nearly perfect; and one class of
85% of the items, to which half of the errors go. Nothing was chosen on the other three: labels that go together because
of hidden topics, and with them their errors; classes of equal size, of which some attract most of the errors; and
systems with thresholds of their own on the same evidence, one of which predicts half as many labels as the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from bench.stress.pairs import MEASURES, Pair
from bench.stress.world import World
from bench.stress.worlds.made import Ways, families

__all__ = ["worlds"]

ITEMS, SEED = 100_000, 77


def worlds() -> Iterator[World]:
    """Three sizes of each population, with few items per class or label."""
    ways: Ways = (
        ("ring", "classes that are taken for their neighbours", _ring, ((10, 150), (25, 400), (60, 1_000))),
        ("nearperfect", "classes, of which 4% are confused", _nearly_perfect, ((8, 120), (30, 400), (100, 1_500))),
        ("dominated", "classes, one of them 85% of the items", _dominated, ((6, 200), (20, 600), (50, 2_000))),
        ("latent", "labels of hidden topics", _latent, ((8, 120), (20, 400), (40, 1_200))),
        ("equal", "classes of equal size", _equal, ((20, 100), (60, 240), (150, 900))),
        ("tuned", "labels, by systems with other thresholds", _tuned, ((6, 100), (15, 300), (40, 1_000))),
    )
    yield from families("further", ways, MEASURES, SEED, CHOSEN)


def _ring(classes: int, rng: Generator) -> Pair:
    share = 1 / np.arange(1, classes + 1) ** 1.1
    truth = rng.choice(classes, ITEMS, p=rng.permutation(share / share.sum()))
    odds, hard, said = rng.normal(0.9, 1.1, classes), rng.normal(0, 0.8, ITEMS), []
    for ahead in (0.15, -0.15):
        right = rng.random(ITEMS) < expit(odds[truth] + hard + ahead + rng.normal(0, 0.6, ITEMS))
        said.append(np.where(right, truth, (truth + rng.choice([-2, -1, 1, 2], ITEMS)) % classes))
    return Pair(truth, said[0], said[1], classes)


def _nearly_perfect(classes: int, rng: Generator) -> Pair:
    size = rng.lognormal(0, 1, classes)
    truth = rng.choice(classes, ITEMS, p=size / size.sum())
    taken = rng.dirichlet(np.full(classes, 0.2), classes).cumsum(axis=1)
    rate, hard, said = rng.beta(1, 25, classes), rng.gamma(0.5, 2, ITEMS), []
    for times in (1.0, 1.3):
        wrong = rng.random(ITEMS) < np.minimum(rate[truth] * times * hard, 0.9)
        said.append(np.where(wrong, _lot(taken[truth], rng), truth))
    return Pair(truth, said[0], said[1], classes)


def _dominated(classes: int, rng: Generator) -> Pair:
    share = np.r_[0.85, 0.15 * rng.dirichlet(np.full(classes - 1, 0.7))]
    truth = rng.choice(classes, ITEMS, p=share)
    taken, said = rng.dirichlet(np.full(classes, 0.5)).cumsum(), []
    for level in (0.6, 0.2):
        right = rng.random(ITEMS) < expit(level + rng.normal(0, 0.5, classes))[truth] * np.where(truth == 0, 1.0, 0.7)
        other = _lot(taken, rng)
        said.append(np.where(right, truth, np.where(rng.random(ITEMS) < 0.5, 0, other)))
    return Pair(truth, said[0], said[1], classes)


def _latent(labels: int, rng: Generator) -> Pair:
    topics, load = rng.normal(0, 1, (ITEMS, 3)), rng.normal(0, 0.9, (3, labels))
    base = rng.permutation(np.linspace(-0.5, -5, labels))
    truth = rng.random((ITEMS, labels)) < expit(topics @ load + base)
    skill, said = rng.normal(0.8, 1, labels), []
    for ahead in (0.15, -0.15):
        odds = np.where(truth, skill + ahead, -3.2 + 0.3 * base) + rng.normal(0, 0.7, (ITEMS, 1))
        said.append(rng.random((ITEMS, labels)) < expit(odds))
    return Pair(truth, said[0], said[1], labels)


def _equal(classes: int, rng: Generator) -> Pair:
    truth, found = rng.integers(0, classes, ITEMS), rng.beta(2, 1.2, classes)
    attract, said = rng.gamma(0.4, 1, classes), []
    taken, common = (attract / attract.sum()).cumsum(), rng.random(ITEMS)
    for times in (1.0, 0.93):
        right = np.where(rng.random(ITEMS) < 0.6, common, rng.random(ITEMS)) < found[truth] * times
        said.append(np.where(right, truth, _lot(taken, rng)))
    return Pair(truth, said[0], said[1], classes)


def _tuned(labels: int, rng: Generator) -> Pair:
    base = rng.normal(-2.5, 1.2, labels)
    truth = rng.random((ITEMS, labels)) < expit(base + rng.normal(0, 0.6, (ITEMS, 1)))
    evidence = rng.normal(0, 1, truth.shape) + np.where(truth, rng.uniform(1, 3, labels), 0)
    strict = evidence + 0.4 * rng.normal(0, 1, truth.shape) > 2.2
    lenient = evidence + 0.4 * rng.normal(0, 1, truth.shape) > 1.2 + rng.normal(0, 0.3, labels)
    return Pair(truth, strict, lenient, labels)


def _lot(ends: Any, rng: Generator) -> Any:
    """One class for each item, from cumulative shares."""
    return np.minimum((rng.random(ITEMS)[:, None] > ends).sum(axis=1), ends.shape[-1] - 1)


CHOSEN = (_ring, _nearly_perfect, _dominated)
