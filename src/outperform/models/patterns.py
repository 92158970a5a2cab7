"""Two classes and any number of systems on the same items: the paired model of `binary`, by outcome pattern.

An outcome is what all K systems predict, one of 2^K patterns, of which few are ever seen. The prior of the patterns of
a class is Dir with weight W in all, spread evenly, where W is what the four outcomes of a pair have. Sums of cells of a
Dirichlet distribution are Dirichlet again, so for every two of the systems this is exactly the model that `binary` has
for the two alone. What was seen is drawn as one gamma per pattern, the prior's own weight as pieces of a stick.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from outperform.contingency import Contingency, FloatArray, adding
from outperform.counts import Counts
from outperform.errors import ImproperPriorError
from outperform.labels import IntArray
from outperform.models.sticks import TINY, broken_sticks, pieces
from outperform.posterior import Posterior
from outperform.priors import Dirichlet

__all__ = ["PatternPosterior", "pattern_posterior"]


@dataclass(frozen=True, eq=False)
class PatternPosterior(Posterior):
    """Patterns that were seen, and the prior's weight.

    Attributes
    ----------
    truth : array of shape (patterns,)
        0 or 1.
    predictions : array of shape (patterns, systems)
        0 or 1.
    n : array of shape (patterns,)
        Items with the pattern.
    mu : array of shape (2,)
        Weights of the negative and of the positive class.
    weight : float
        W of the patterns of a class.
    sticks : int
        Pieces of the prior's own.
    """

    truth: IntArray
    predictions: IntArray
    n: FloatArray
    mu: FloatArray
    weight: float
    sticks: int

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return len(self.n) + 2 * self.sticks * (1 + len(self.predictions.T))

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws, of shape (draws, systems)."""
        drawn = rng.standard_gamma(self.n[:, None], (len(self.n), draws))
        total = self._classes @ drawn
        said = [table @ drawn for table in self._said]
        if self.sticks:
            mass = broken_sticks(self.weight, rng, (2, self.sticks, draws))
            total = total + mass.sum(axis=1)
            for k in range(self.predictions.shape[1]):
                each = np.where(rng.integers(2, size=mass.shape, dtype=np.uint8), mass, 0.0).sum(axis=1)
                for own, more in zip(said, each, strict=True):
                    own[k] += more
        share = np.stack([rng.standard_gamma(weight, draws) for weight in self.mu])
        negative, positive = (part * s / np.maximum(t, TINY) for part, s, t in zip(said, share, total, strict=True))
        hit = np.minimum(positive, share[1])
        return Contingency(hit.T, share[1][:, None], (hit + negative).T, share.sum(axis=0)[:, None])

    @cached_property
    def _classes(self) -> Any:
        return adding(self.truth, 2)

    @cached_property
    def _said(self) -> list[Any]:
        """Where each system says positive, of negative items and of positive ones."""
        from scipy.sparse import csr_array

        return [csr_array(self.predictions.T * (self.truth == code).astype(np.float64)) for code in (0, 1)]


def pattern_posterior(counts: Counts, prior: Dirichlet) -> PatternPosterior:
    """What is believed of all systems together."""
    if prior.positive is not None or prior.negative is not None:
        raise ValueError("prior positive and negative are of one or two classifiers; for more give op.Dirichlet(cells)")
    weight = 4 * prior.cells
    items: FloatArray = np.bincount(counts.truth, counts.n, 2).astype(np.float64)
    mu = items + prior.weights("mu", 2)[::-1]
    if mu.min() == 0 or (weight == 0 and items.min() == 0):
        raise ImproperPriorError(
            "the prior has no weight where there are no items of a class; use the uniform or the jeffreys prior"
        )
    return PatternPosterior(counts.truth, counts.predictions, counts.n, mu, weight, pieces(weight))
