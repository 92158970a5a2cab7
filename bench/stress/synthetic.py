"""Classifiers of one class per item with known confusions, of which the second partly copies the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bench.stress.pairs import Pair, truth_from
from bench.stress.world import Case

__all__ = ["Confusions", "rows_from", "spread_errors"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Confusions:
    """How common classes are, and what each classifier makes of them.

    Attributes
    ----------
    mu : array of shape (classes,)
        Shares of the classes.
    a, own : arrays of shape (classes, classes)
        Probabilities of A's prediction, and of B's where it does not copy A; rows are true classes.
    copied : float
        Probability that B copies A.
    apart : bool
        Whether B's own prediction is never the one of A, so that exactly 1 - copied of the predictions differ.
    noise : float
        Probability that a true label is replaced by another one, whatever the classifiers predict.
    """

    mu: FloatArray
    a: FloatArray
    own: FloatArray
    copied: float
    apart: bool = False
    noise: float = 0.0

    @property
    def b(self) -> FloatArray:
        """Probabilities of B's predictions."""
        own = self.own
        if self.apart:  # own, given that it is not what A predicts
            ratio = self.a / (1 - self.own)
            own = self.own * (ratio.sum(axis=1, keepdims=True) - ratio)
        return self.copied * self.a + (1 - self.copied) * own

    def truth(self, average: str) -> Mapping[str, float]:
        """True scores against the labels as they are given."""
        noisy = self._noise().T * self.mu
        a, b = ((np.diag(table), table.sum(axis=1), table.sum(axis=0)) for table in (noisy @ self.a, noisy @ self.b))
        return truth_from(a, b, average)

    def draw(self, rng: Generator, items: int) -> Pair:
        """One data set."""
        y = rng.choice(len(self.mu), items, p=self.mu)
        a = _predict(rng, self.a[y])
        free = self.own[y]
        if self.apart:
            free[np.arange(items), a] = 0
            free /= free.sum(axis=1, keepdims=True)
        b = np.where(rng.random(items) < self.copied, a, _predict(rng, free))
        gold = _predict(rng, self._noise()[y]) if self.noise else y
        return Pair(gold, a, b, len(self.mu))

    def case(self, rng: Generator, items: int, average: str = "macro") -> Case:
        """One data set with the truth."""
        drawn = self.draw(rng, items)
        return Case(Pair(drawn.gold, drawn.a, drawn.b, drawn.classes, average), self.truth(average))

    def _noise(self) -> FloatArray:
        classes = len(self.mu)
        return rows_from(np.full(classes, 1 - self.noise), np.ones((classes, classes)))


def rows_from(recall: FloatArray, wrong: FloatArray) -> FloatArray:
    """Rows of a confusion matrix: the recall on the diagonal, errors in proportion to `wrong` elsewhere."""
    errors = wrong * (1 - np.eye(len(recall)))
    errors /= errors.sum(axis=1, keepdims=True)
    rows: FloatArray = np.diag(recall) + (1 - recall)[:, None] * errors
    return rows


def spread_errors(rng: Generator, mu: FloatArray) -> FloatArray:
    """Weights of errors: a few classes take most of them, frequent classes more than rare ones."""
    weights: FloatArray = rng.gamma(0.3, size=(len(mu), len(mu))) * np.sqrt(mu) + 1e-9
    return weights


def _predict(rng: Generator, rows: FloatArray) -> IntArray:
    """One class for each item from its row of probabilities."""
    ends = np.cumsum(rows, axis=1)
    drawn: IntArray = (rng.random(len(rows))[:, None] * ends[:, -1:] >= ends).sum(axis=1)
    return drawn
