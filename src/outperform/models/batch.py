"""Posteriors of many data sets at once, for models made of Dirichlet blocks.

Their weights are linear in the counts: an item adds one to a weight in each of some blocks, those of its class and of
its outcome. So one matrix gives the weights of any number of data sets, and a cell's share of all items is the product
of the proportions of the weights that it adds to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.pairing import Paired, Unpaired
from outperform.models.posterior import Posterior, gammas
from outperform.models.priors import Dirichlet
from outperform.models.tilting import Blocks

__all__ = ["Batch"]

MOST_CELLS = 2_000  # a posterior is made for each
MANY = 1_000  # items per cell, to test whether weights are linear


@dataclass(frozen=True, eq=False)
class Batch:
    """The weights without items, of shape (weights,), and what an item of each cell adds, (cells, weights)."""

    meaning: Callable[[Blocks], Contingency]
    ends: tuple[int, ...]
    prior: FloatArray
    gain: FloatArray

    @classmethod
    def of(cls, posterior_of: Callable[[Counts], Posterior], cells: Counts) -> Batch | None:
        """Return the weights as a function of these cells; None if not linear in the counts, or too many."""

        def weights(n: FloatArray) -> FloatArray:
            posterior = posterior_of(replace(cells, n=n))
            assert isinstance(posterior, DirichletPosterior)
            return np.concatenate(posterior.blocks)

        if len(cells.n) > MOST_CELLS:
            return None
        one = np.ones(len(cells.n))
        posterior = posterior_of(replace(cells, n=one))
        if not isinstance(posterior, DirichletPosterior):
            return None
        full = weights(one)
        gain = np.array([weights(one + unit) - full for unit in np.eye(len(one))])
        if not np.allclose(weights(MANY * one), full + (MANY - 1) * gain.sum(axis=0)):
            return None
        ends = tuple(np.cumsum([len(block) for block in posterior.blocks]).tolist())
        return cls(posterior.meaning, ends, np.maximum(full - gain.sum(axis=0), 0.0), gain)

    @classmethod
    def under(cls, prior: object, cells: Counts, *, paired: bool) -> Batch | None:
        """Return the weights of pseudo-counts of outcomes; for shared items those of a pair, even if unpaired."""
        if not isinstance(prior, Dirichlet):
            return None
        if cells.paired and not paired:  # an unpaired model has no weights of joint outcomes
            prior = replace(prior, positive=None, negative=None)
        model = Paired(prior) if cells.paired else Unpaired(prior)
        return cls.of(model.posterior, cells)

    def weights(self, n: FloatArray) -> FloatArray:
        """Return the weights of data sets of shape (data sets, cells); the weights come first."""
        return np.ascontiguousarray((n @ self.gain + self.prior).T)

    def contingency(self, weights: FloatArray) -> Contingency:
        """Return the contingency of weights, or of gammas of them, of shape (weights, …)."""
        return self.meaning(np.split(weights, self.ends[:-1]))

    def shares(self, weights: FloatArray) -> FloatArray:
        """Return the probability of each cell, of shape (…, cells), from weights or gammas of them."""
        shares = np.ones((weights.shape[1], len(self.gain)))
        for start, end in pairwise((0, *self.ends)):
            gain, part = self.gain[:, start:end], weights[start:end]
            touched = gain.any(axis=1)
            shares[:, touched] *= (part / part.sum(axis=0)).T @ gain[touched].T
        return shares

    def worlds(self, n: FloatArray, rng: Generator, draws: int) -> FloatArray:
        """Draw probabilities of the cells from the posterior of one data set, of shape (draws, cells)."""
        drawn = np.empty((self.gain.shape[1], draws))
        for start, end in pairwise((0, *self.ends)):
            gammas(self.weights(n[None])[start:end, 0], rng, drawn[start:end])
        return self.shares(drawn)
