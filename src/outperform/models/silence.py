"""Classes that a system has not predicted in the sample: may it never do so?

The precision of such a class is 0/0, in the sample and, if the system never predicts it, in the population too, where
it is what the measure makes of 0/0. If the class merely happened not to be predicted, its precision is like that of the
other classes. Of t_k items that belong to class k or are predicted as it, y_k are predicted:

    y_k = 0 with probability π_k, else y_k ~ Bin(t_k, p_k)    p_k ~ Beta(W m_k, W (1 − m_k))
    logit π_k = a + b x_k    logit m_k = c + d x_k    log W = v

x_k is the expected logarithm of the size of the class (`sizes`), standardised. So a class with many items that is not
predicted is probably never predicted, and the other classes tell how likely that is of one with few items. The priors:
a logistic around −3 with scale 2, so that at first one class in 21 is never predicted, but possibly most of them; c
standard logistic, v logistic around log 2, b and d standard normal. The posterior is represented by weighted points
(`regression`).

Assumptions: whether one class is never predicted depends on another one only through the parameters, and what one
system never predicts tells nothing about another system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray, picked
from outperform.data.labels import IntArray
from outperform.models.modes import TYPICAL_WEIGHT, weights
from outperform.models.regression import chosen, distinct, points_around, standardised
from outperform.models.rising import log_rising
from outperform.models.sizes import expected_log_size

__all__ = ["Silence"]

NONE = np.zeros(2)  # successes and failures that a class has of its own
MIDDLE, SCALE = -3.0, 2.0  # of the prior of a: in the middle, one class in 21 is never predicted
SIZE, STEP = 5, 1e-3  # parameters, and the step of differences
START, MOVES, SIGNS = np.array([0.0, 0.0, 0.0, 0.0, TYPICAL_WEIGHT]), STEP * np.eye(SIZE), (1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Silence:
    """How likely a system never predicts each class.

    Attributes
    ----------
    never : array of shape (distinct classes, points)
        The probability at each point of the posterior; 0 for classes that it has predicted.
    probability : array of shape (points,)
        Weights of the points; they add up to 1.
    place : array of shape (classes,)
        The distinct class of each class.
    """

    never: FloatArray
    probability: FloatArray
    place: IntArray

    @classmethod
    def of(cls, predicted: FloatArray, relevant: FloatArray) -> Self | None:
        """Learn it from the items predicted as each class, and those that are or belong to it; None if none is 0."""
        if predicted.all():
            return None
        rows, number, place = distinct([predicted, relevant, standardised(expected_log_size(relevant))])
        model = _Inflated(rows[:, 0], rows[:, 1], rows[:, 2], number)
        points, probability = points_around(model, *model.mode())
        return cls(model.never(points), probability, place)

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw which classes are predicted at all: 1 or 0, of shape (classes, draws)."""
        point = chosen(self.probability, rng.random(draws))
        never = picked(point, self.never)[self.place]
        predicted: FloatArray = (rng.random(never.shape) >= never) * 1.0
        return predicted

    @property
    def expected(self) -> FloatArray:
        """The probability that each class is never predicted."""
        found: FloatArray = (self.never @ self.probability)[self.place]
        return found


@dataclass(frozen=True, eq=False)
class _Inflated:
    """The model for distinct classes: predicted and relevant items, sizes, and how many classes there are of each."""

    predicted: FloatArray
    relevant: FloatArray
    size: FloatArray
    number: FloatArray

    def _parts(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log odds of π and the log probability of what is predicted, of shape (classes, points)."""
        covariates = np.stack([np.ones_like(self.size), self.size])
        # W does not depend on the size.
        alpha, beta = weights(np.column_stack([at[:, 2:], np.zeros(len(at))]), covariates, NONE)
        like = log_rising(alpha, self.predicted) + log_rising(beta, self.relevant - self.predicted)
        return covariates.T @ at[:, :2].T, like - log_rising(alpha + beta, self.relevant)

    def log_density(self, at: FloatArray) -> FloatArray:
        """Return the log posterior density at points of shape (points, 5), up to a constant."""
        odds, like = self._parts(at)
        silent = (self.predicted == 0)[:, None]
        each = np.where(silent, np.logaddexp(odds, like), like) - np.logaddexp(0, odds)
        a, b, c, d, v = at.T
        logistic = sum(np.logaddexp(x / 2, -x / 2) for x in ((a - MIDDLE) / SCALE, c, v - TYPICAL_WEIGHT))
        found: FloatArray = self.number @ each - 2 * logistic - (b**2 + d**2) / 2
        return found

    def never(self, at: FloatArray) -> FloatArray:
        """Return the probability that each class is never predicted, of shape (classes, points)."""
        from scipy.special import expit

        odds, like = self._parts(at)
        return np.where((self.predicted == 0)[:, None], expit(odds - like), 0.0)

    def mode(self) -> tuple[FloatArray, FloatArray]:
        """Return the mode and the Hessian there, by differences."""
        from scipy.optimize import minimize

        def downhill(at: FloatArray) -> tuple[float, FloatArray]:
            moved = self.log_density(np.vstack([at, at + MOVES, at - MOVES]))
            return -float(moved[0]), (moved[1 + SIZE :] - moved[1 : 1 + SIZE]) / (2 * STEP)

        mode = minimize(downhill, START, jac=True).x
        corners = [mode + x * MOVES[i] + y * MOVES[j] for i, j in np.ndindex(SIZE, SIZE) for x in SIGNS for y in SIGNS]
        curved = self.log_density(np.array(corners)).reshape(SIZE, SIZE, 4) @ np.outer(SIGNS, SIGNS).ravel()
        return mode, curved / (2 * STEP) ** 2
