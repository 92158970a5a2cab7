"""Multi-label tasks: a binary model for each label (ICDM'15 §V, SIGIR'16 §5).

Each label has its own table, as in `binary`: μ, θ₊ and θ₋, the labels independent of each other given the
prior. Under a Dirichlet prior that is all. Under the others the labels share information about three things: how
frequent a label is, the outcomes where it is present, and those where it is absent;

    μ_l ~ Dir(W m_μ)    θ₊_l ~ Dir(W m₊)    θ₋_l ~ Dir(W m₋)

Hierarchical: m is the product over the classifiers of η if correct and 1 − η if not, η learned as in `eta`.
Pooled: m ~ Dir(a + e·pooled shares), as in `spread`; W is learned too on request, as in `partial`.

Also assumed: labels are independent. Intervals of averages over many labels are too narrow if the labels of an item
are dependent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.base.errors import ImproperPriorError
from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.models.binary import contingency_of, outcome_table
from outperform.models.eta import learn, spread_of
from outperform.models.kinds import pooled
from outperform.models.partial import partial_spread
from outperform.models.posterior import Posterior
from outperform.models.priors import CellPrior, Dirichlet, Hierarchical, Pooled

__all__ = ["LabelsPosterior", "labels_posterior"]

TINY = 1e-300


Shares: TypeAlias = Callable[[Generator, int], FloatArray]


@dataclass(frozen=True, eq=False)
class Block:
    """One Dirichlet per label: weights of shape (outcomes, labels), and the spread of the prior's W if it is learned.

    `shares` draws the spread, of shape (outcomes, labels, draws), or with one label if it is the same for all.
    """

    alpha: FloatArray
    weight: float = 0.0
    shares: Shares | None = None

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw gammas of shape (outcomes, labels × draws)."""
        outcomes, labels = self.alpha.shape
        drawn = rng.standard_gamma(self.alpha[..., None], (outcomes, labels, draws))
        if self.shares is not None:
            drawn += rng.standard_gamma(self.weight * self.shares(rng, draws), drawn.shape)
        return drawn.reshape(outcomes, -1)


@dataclass(frozen=True, eq=False)
class LabelsPosterior(Posterior):
    """Blocks μ, θ₋ and θ₊ of every label."""

    blocks: tuple[Block, Block, Block]

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return sum(block.alpha.size * (2 if block.shares else 1) for block in self.blocks)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw contingencies of shape (draws, classifiers, labels); every label has the same total, 1."""
        c = contingency_of([block.draw(rng, draws) for block in self.blocks])
        labels = self.blocks[0].alpha.shape[1]

        def by_label(x: FloatArray) -> FloatArray:
            return (x / np.maximum(c.total, TINY)).reshape(labels, draws, -1).transpose(1, 2, 0)

        return Contingency(by_label(c.hit), by_label(c.support), by_label(c.predicted), np.ones((draws, 1, 1)))


def labels_posterior(counts: Counts, prior: CellPrior) -> LabelsPosterior:
    """Return the joint posterior of all classifiers, per label."""
    table = outcome_table(counts)
    items = table.sum(axis=1)
    if isinstance(prior, Dirichlet):
        return LabelsPosterior((Block(items + _mu(prior)), *_known(table, prior)))
    found = np.array(list(product((True, False), repeat=len(counts.classifiers))))
    there = np.array([[False], [True]])
    mu_weight = prior.mu if isinstance(prior, Hierarchical) else prior.weight
    mu = _learned(items, there, prior, mu_weight)
    return LabelsPosterior(
        (mu, _learned(table[0], ~found, prior, prior.weight), _learned(table[1], found, prior, prior.weight))
    )


def _learned(counts: FloatArray, right: NDArray[np.bool_], prior: Hierarchical | Pooled, weight: float) -> Block:
    """Return a block whose prior spread is learned from all labels."""
    if isinstance(prior, Pooled) and prior.learn:
        return Block(counts, 1.0, partial_spread(counts))
    if isinstance(prior, Pooled):
        outcomes, labels = counts.shape
        alpha = pooled(np.full(outcomes, 1 / outcomes), counts.sum(axis=1), prior.strength * labels)
        return Block(counts, weight, lambda rng, draws: rng.dirichlet(alpha, draws).T[:, None])
    outcome, label = np.nonzero(counts)
    learned = learn(right[outcome], counts[outcome, label], 2, weight, prior.eta)
    return Block(counts, weight, lambda rng, draws: spread_of(right, learned.draw(rng, draws))[:, None])


def _mu(prior: Dirichlet) -> FloatArray:
    return prior.weights("mu", 2)[::-1, None]


def _known(table: FloatArray, prior: Dirichlet) -> tuple[Block, Block]:
    """Return blocks θ₋ and θ₊ with the same pseudo-counts for every label."""
    outcomes = table.shape[1]
    negative, positive = (
        part + prior.weights(name, outcomes)[:, None]
        for part, name in zip(table, ("negative", "positive"), strict=True)
    )
    if min(negative.sum(axis=0).min(), positive.sum(axis=0).min()) == 0:
        raise ImproperPriorError(
            "the prior has no weight where a label is never or always there; use the uniform or the jeffreys prior"
        )
    return Block(negative), Block(positive)
