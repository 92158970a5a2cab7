"""μ, the class proportions: a Dirichlet whose weight per class is known, or learned from how unequal classes are.

    μ ~ Dir(b, …, b)      log p(b | n) = Σ_j [lnΓ(n_j + b) − lnΓ(b)] + lnΓ(M b) − lnΓ(N + M b) + const

on a grid of b, with a log-uniform prior. Classes of equal size have a large b, which keeps a small class from being
estimated smaller or larger than it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray

__all__ = ["Even", "Proportions", "Weights"]

GRID = np.geomspace(1 / 16, 256, 25)


class Proportions(Protocol):
    """Gammas that are proportions when divided by their sum."""

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw gammas of shape (classes, draws)."""
        ...


@dataclass(frozen=True, eq=False)
class Weights:
    """Known weights, including the counts."""

    alpha: FloatArray

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw gammas of shape (classes, draws)."""
        return rng.standard_gamma(self.alpha[:, None], (len(self.alpha), draws))


@dataclass(frozen=True, eq=False)
class Even:
    """The same weight for every class, learned from the counts."""

    items: FloatArray
    probability: FloatArray

    @classmethod
    def learn(cls, items: FloatArray) -> Even:
        """Compute the posterior of the weight on the grid."""
        from scipy.special import gammaln

        size, times = np.unique(items, return_counts=True)
        rows = (gammaln(size + GRID[:, None]) - gammaln(GRID)[:, None]) @ times
        log_density = rows + gammaln(len(items) * GRID) - gammaln(items.sum() + len(items) * GRID)
        return cls(items, np.exp(log_density - log_density.max()))

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw b, then gammas of the classes."""
        b = rng.choice(GRID, draws, p=self.probability / self.probability.sum())
        drawn: FloatArray = rng.standard_gamma(self.items[:, None] + b)
        return drawn
