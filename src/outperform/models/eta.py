"""η, the prior's share on the correct class: known, or learned from all classes together (ICDM'15 §III).

With the outcome probabilities integrated out, each true class's counts are Dirichlet-multinomial, so that

    log p(η | c) = log Beta(η; a, b) + Σ_cells [lnΓ(c + W m(η)) − lnΓ(W m(η))] + const

where m is the prior's spread at the cell: for each classifier η if it is correct there and (1 − η)/(M − 1)
if not, multiplied for a pair. Empty cells add nothing. One dimension per classifier: a grid suffices, and
the draws are independent. (ICDM'15 ran a Markov chain over all M² probabilities.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray

__all__ = ["Eta", "Known", "Learned", "learn", "spread_of"]

NODES = {1: 256, 2: 64}  # of the grid, by number of classifiers
NEGLIGIBLE = 20.0  # log density below the maximum that is ignored
# Refinements of the grid, and nodes of the interpolation table.
ROUNDS = 8
TABLE = 1_024


class Eta(Protocol):
    """The posterior of η."""

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw η, of shape (classifiers, draws)."""
        ...

    def strata(self, rng: Generator, number: int) -> FloatArray:
        """Draw η of one classifier from each of `number` equally probable ranges."""
        ...


@dataclass(frozen=True)
class Known:
    """A known value, the same for all classifiers."""

    value: float
    classifiers: int

    def draw(self, rng: Generator, draws: int) -> FloatArray:  # noqa: ARG002
        """Return the known value, of shape (classifiers, draws)."""
        return np.full((self.classifiers, draws), self.value)

    def strata(self, rng: Generator, number: int) -> FloatArray:  # noqa: ARG002
        """Return the known value, of shape (number,)."""
        return np.full(number, self.value)


@dataclass(frozen=True, eq=False)
class Learned:
    """Probabilities on a grid with one axis per classifier; within a cell of the grid the density is constant."""

    low: FloatArray
    high: FloatArray
    probability: FloatArray

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw η jointly, by inverting the distribution function."""
        cumulative = np.cumsum(self.probability)
        cell = np.searchsorted(cumulative, rng.random(draws) * cumulative[-1], side="right")
        place = np.stack(np.unravel_index(np.minimum(cell, len(cumulative) - 1), self.probability.shape))
        step = (self.high - self.low) / self.probability.shape
        return self.low[:, None] + (place + rng.random(place.shape)) * step[:, None]

    def strata(self, rng: Generator, number: int) -> FloatArray:
        """Draw η of one classifier from each of `number` equally probable ranges."""
        ends = np.linspace(self.low[0], self.high[0], len(self.probability) + 1)
        cumulative = np.append(0.0, np.cumsum(self.probability))
        lots = (np.arange(number) + rng.random(number)) / number * cumulative[-1]
        return np.asarray(np.interp(lots, cumulative, ends), dtype=np.float64)

    def mean(self) -> FloatArray:
        """Return the posterior means, one per classifier."""
        nodes = _nodes(self.low, self.high, self.probability.ndim)
        share = self.probability / self.probability.sum()
        return np.array([(share * x).sum() for x in np.meshgrid(*nodes, indexing="ij")])


def spread_of(right: NDArray[np.bool_], eta: FloatArray) -> FloatArray:
    """Return the prior's share of each outcome: the product of η for correct classifiers and 1 − η for others.

    `right` has the shape (outcomes, classifiers), `eta` (classifiers, draws); the result (outcomes, draws).
    """
    shares: FloatArray = np.where(right[..., None], eta, 1 - eta).prod(axis=1)
    return shares


def learn(right: NDArray[np.bool_], n: FloatArray, classes: int, weight: float, prior: tuple[float, float]) -> Learned:
    """Return the posterior of η ~ Beta(*prior) given the cells; `weight` is the total prior weight of each class.

    Parameters
    ----------
    right : array of bool, shape (cells, classifiers)
        Whether each classifier is correct in the cell.
    n : array of shape (cells,)
        Items in the cell.
    """
    classifiers = right.shape[1]
    if classifiers not in NODES:
        raise ValueError(
            f"a hierarchical prior pairs at most {max(NODES)} classifiers, got {classifiers}; use the pooled prior"
        )
    kinds = [_Kind.of(n[(right == kind).all(axis=1)], kind) for kind in product((True, False), repeat=classifiers)]
    seen = [kind for kind in kinds if len(kind.count)]
    low, high = np.zeros(classifiers), np.ones(classifiers)
    for _ in range(ROUNDS):  # narrow the grid to where the density is not negligible
        log_density = _log_density(low, high, seen, classes, weight, prior)
        matters = log_density > log_density.max() - NEGLIGIBLE
        step = (high - low) / log_density.shape
        # Per axis, the nodes at which the density matters for some value of the others.
        ends = [np.flatnonzero(matters.any(axis=tuple({*range(classifiers)} - {k}))) for k in range(classifiers)]
        first, last = (np.array([end[side] for end in ends]) for side in (0, -1))
        # Enough nodes (a third of the grid) lie where the density matters.
        if ((last - first + 1) * 3 > log_density.shape).all():
            break
        low, high = np.maximum(low + (first - 1) * step, 0.0), np.minimum(low + (last + 2) * step, 1.0)
    else:
        log_density = _log_density(low, high, seen, classes, weight, prior)
    return Learned(low, high, np.exp(log_density - log_density.max()))


@dataclass(frozen=True, eq=False)
class _Kind:
    """Cells in which the same classifiers are correct: distinct counts and how often each occurs."""

    right: tuple[bool, ...]
    count: FloatArray
    times: IntArray

    @classmethod
    def of(cls, n: FloatArray, right: tuple[bool, ...]) -> _Kind:
        return cls(right, *np.unique(n, return_counts=True))

    def log_likelihood(self, log_weight: FloatArray) -> FloatArray:
        """Return Σ lnΓ(c + w) − lnΓ(w) by log w. It is nearly linear in log w, so a fine table is interpolated."""
        from scipy.special import gammaln

        nodes = np.linspace(log_weight.min(), log_weight.max(), TABLE)
        weight = np.exp(nodes)[:, None]
        table = (gammaln(self.count + weight) - gammaln(weight)) @ self.times
        return np.interp(log_weight, nodes, table)


def _nodes(low: FloatArray, high: FloatArray, classifiers: int) -> list[FloatArray]:
    """Return the mid-points of the grid, one array per axis."""
    share = (np.arange(NODES[classifiers]) + 0.5) / NODES[classifiers]
    return [a + share * (b - a) for a, b in zip(low, high, strict=True)]


def _log_density(
    low: FloatArray, high: FloatArray, kinds: list[_Kind], classes: int, weight: float, prior: tuple[float, float]
) -> FloatArray:
    a, b = prior
    eta = np.meshgrid(*_nodes(low, high, len(low)), indexing="ij")
    log_density = sum(((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) for x in eta), np.zeros(eta[0].shape))
    for kind in kinds:
        log_weight = np.full(eta[0].shape, np.log(weight))
        for x, right in zip(eta, kind.right, strict=True):
            log_weight += np.log(x) if right else np.log1p(-x) - np.log(classes - 1)
        log_density += kind.log_likelihood(log_weight)
    return log_density
