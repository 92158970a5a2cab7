"""Systems that do not predict some classes in the sample: because they never do, or because they rarely do.

Chosen on: labels of which one system has learned only the larger ones; and classes that both systems predict too rarely
and then rightly, so that silence says nothing. The others were held back: a half of the classes, of any size, that no
system has heard of; classes below a size that one system leaves out while the other one guesses them badly; small
classes of equal size, all of which are predicted; and labels whose threshold rises as they become rare.

The first look at those changed one prior. So there are twelve more, of which every parameter is drawn at random
(`drawn`), and how many classes each system never predicts, and how much that depends on their size. Nothing was changed
after these.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.random import Generator, default_rng
from scipy.special import expit

from bench.stress.pairs import Pair
from bench.stress.world import World
from bench.stress.worlds.drawn import Law, population
from bench.stress.worlds.made import Make, Ways, families, resampling

__all__ = ["worlds"]

ITEMS, SEED, MUTED = 100_000, 78, range(200, 212)
KIND, MEASURES = "silent", ("precision", "weighted precision", "f1")


def worlds() -> Iterator[World]:
    """Two sizes of each population, and twelve drawn ones."""
    ways: Ways = (
        ("learned", "labels, of which one system has learned the larger ones", _learned, ((30, 500), (60, 1_500))),
        ("reluctant", "classes, which are predicted rarely and then rightly", _reluctant, ((15, 300), (60, 1_000))),
        ("unheard", "classes, a half of which no system has heard of", _unheard, ((12, 300), (50, 1_000))),
        ("cut", "classes, of which one system leaves out the smaller ones", _cut, ((20, 400), (80, 1_500))),
        ("tiny", "classes of equal size, which are all predicted", _tiny, ((30, 90), (100, 400))),
        ("cautious", "labels, whose threshold rises as they become rare", _cautious, ((20, 300), (50, 1_000))),
    )
    yield from families(KIND, ways, MEASURES, SEED, CHOSEN)
    for number in MUTED:
        law = Law.of(number, default_rng(number))
        note = f"{law.classes} classes or labels, of which each system never predicts some, {law.items} items"
        name = f"muted {number} n={law.items}"
        yield resampling(name, KIND, note, partial(_muted, number), law.items, MEASURES, "held")


def _learned(labels: int, rng: Generator) -> Pair:
    base = np.linspace(-1, -6, labels)
    truth = rng.random((ITEMS, labels)) < expit(base + rng.normal(0, 0.7, (ITEMS, 1)))
    known, skill, said = rng.random(labels) < expit(3 + 0.8 * base), rng.normal(0.5, 0.8, labels), []
    for ahead, can in ((0.2, known), (0.0, np.ones(labels, dtype=bool))):
        odds = np.where(truth, skill + ahead, base - 1.5) + rng.normal(0, 0.5, (ITEMS, 1))
        said.append((rng.random((ITEMS, labels)) < expit(odds)) & can)
    return Pair(truth, said[0], said[1], labels)


def _reluctant(classes: int, rng: Generator) -> Pair:
    share = 1 / np.arange(1, classes + 1)
    truth = rng.choice(classes, ITEMS, p=share / share.sum())
    found, hard, said = expit(2 - 0.9 * np.log(np.arange(1, classes + 1))), rng.normal(0, 0.7, ITEMS), []
    for ahead in (0.3, -0.2):
        right = rng.random(ITEMS) < expit(np.log(found / (1 - found))[truth] + hard + ahead)
        other = np.where(
            rng.random(ITEMS) < 0.9, rng.integers(0, 3, ITEMS), rng.choice(classes, ITEMS, p=share / share.sum())
        )
        said.append(np.where(right, truth, other))
    return Pair(truth, said[0], said[1], classes)


def _unheard(classes: int, rng: Generator) -> Pair:
    share = rng.dirichlet(np.full(classes, 1.0))
    truth, heard = rng.choice(classes, ITEMS, p=share), np.flatnonzero(rng.permutation(classes) % 2 == 0)
    right, hard, said = rng.beta(4, 2, classes), rng.normal(0, 0.6, ITEMS), []
    for ahead in (0.2, 0.0):
        hit = rng.random(ITEMS) < expit(np.log(right / (1 - right))[truth] + ahead + hard)
        said.append(np.where(hit & np.isin(truth, heard), truth, rng.choice(heard, ITEMS)))
    return Pair(truth, said[0], said[1], classes)


def _cut(classes: int, rng: Generator) -> Pair:
    share = 1 / np.arange(1, classes + 1) ** 1.2
    share /= share.sum()
    truth, kept = rng.choice(classes, ITEMS, p=share), np.arange(int(0.6 * classes))
    right = rng.beta(3, 2, classes)
    large = rng.choice(kept, ITEMS, p=share[kept] / share[kept].sum())
    first = np.where((rng.random(ITEMS) < right[truth]) & (truth < len(kept)), truth, large)
    guess = np.where(truth < len(kept), right[truth], 0.15)
    second = np.where(rng.random(ITEMS) < guess, truth, rng.integers(0, classes, ITEMS))
    return Pair(truth, first, second, classes)


def _tiny(classes: int, rng: Generator) -> Pair:
    truth, right, said = rng.integers(0, classes, ITEMS), rng.beta(2, 2, classes), []
    for times in (1.0, 0.9):
        hit = rng.random(ITEMS) < right[truth] * times
        said.append(np.where(hit, truth, rng.integers(0, classes, ITEMS)))
    return Pair(truth, said[0], said[1], classes)


def _cautious(labels: int, rng: Generator) -> Pair:
    base = rng.normal(-3, 1.3, labels)
    truth = rng.random((ITEMS, labels)) < expit(base)
    evidence = rng.normal(0, 1, truth.shape) + np.where(truth, 1.6, 0)
    said = [evidence + 0.5 * rng.normal(0, 1, truth.shape) > 0.6 - strict * base for strict in (0.55, 0.35)]
    return Pair(truth, said[0], said[1], labels)


def _muted(number: int) -> Pair:
    _, pair = population(number)
    rng, sets = default_rng([SEED, number]), pair.gold.ndim == 2
    size = pair.gold.sum(axis=0) if sets else np.bincount(pair.gold, minlength=pair.classes)
    log_size, said = np.log(size + 1), []
    for part in (pair.a, pair.b):
        odds = rng.choice([-9.0, -2.0, -1.0, 0.5]) - rng.uniform(0, 1.5) * (log_size - log_size.mean()) / log_size.std()
        heard = rng.random(pair.classes) > expit(odds)
        if sets:
            said.append(part & heard)
            continue
        other = rng.choice(np.flatnonzero(heard), len(part), p=size[heard] / size[heard].sum())
        said.append(np.where(heard[part], part, other))
    return Pair(pair.gold, said[0], said[1], pair.classes)


CHOSEN: tuple[Make, ...] = (_learned, _reluctant)
