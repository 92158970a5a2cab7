"""Two classes and any number of systems on the same items: the paired model of `binary`, by outcome pattern.

An outcome is what all K systems predict, one of 2^K patterns, of which few are ever observed. The prior of the patterns
of a class is Dir with total weight W, spread evenly, where W is that of the four outcomes of a pair. Sums of cells of a
Dirichlet distribution are Dirichlet again, so for any two of the systems this is exactly the model that `binary` has
for the two alone. Observed patterns are drawn as one gamma each, the prior's weight by stick-breaking.

In a multi-label task, each label has its own patterns. Under the pooled prior the pieces of
all labels have kinds with the same probabilities, as in `multilabel`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from outperform.base.errors import ImproperPriorError
from outperform.data.contingency import Contingency, FloatArray, adding, summed
from outperform.data.counts import Counts
from outperform.data.labels import IntArray
from outperform.data.relevance import gammas_of_counts
from outperform.models.kinds import Flags, OutcomeKinds, pooled
from outperform.models.posterior import Posterior
from outperform.models.priors import CellPrior, Dirichlet, Hierarchical, Pooled
from outperform.models.sticks import TINY, broken_sticks, pieces

__all__ = ["PatternPosterior", "pattern_posterior"]

Says: TypeAlias = Callable[[Generator, tuple[int, int, int]], list[Flags]]  # predictions of each system for the pieces


@dataclass(frozen=True, eq=False)
class PatternPosterior(Posterior):
    """Observed patterns, and the prior's weight.

    Attributes
    ----------
    labels : int
        Number of tables, each with a negative and a positive class; one without labels.
    table : array of shape (patterns,)
        2 × label + class of each pattern: even numbers are negative.
    predictions : array of shape (patterns, systems)
        Predictions, 0 or 1.
    n : array of shape (patterns,)
        Items with the pattern.
    mu : callable
        Draws gammas of all classes, of shape (2 × labels, draws), whose shares in their table are μ.
    weight : float
        W of the patterns of a class.
    says : tuple of callables
        Draw the predictions for the prior's pieces, in negative and in positive classes.
    groups : bool
        Whether the tables are labels, which are then the last axis.
    """

    labels: int
    table: IntArray
    predictions: IntArray
    n: FloatArray
    mu: Callable[[Generator, int], FloatArray]
    weight: float
    says: tuple[Says, Says]
    groups: bool

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return len(self.n) + 2 * self.labels * pieces(self.weight) * (1 + len(self.predictions.T))

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw contingencies of shape (draws, systems), or (draws, systems, labels)."""
        drawn = gammas_of_counts(self.n, rng, draws)
        total = summed(drawn, self._tables)
        said = summed(drawn, self._said).reshape(-1, 2 * self.labels, draws)
        for side, says in enumerate(self.says if self.weight else ()):
            mass = broken_sticks(self.weight, rng, (self.labels, pieces(self.weight), draws))
            total[side::2] += mass.sum(axis=1)
            for table, yes in zip(said, says(rng, mass.shape), strict=True):
                table[side::2] += np.where(yes, mass, 0.0).sum(axis=1)
        share = self.mu(rng, draws)
        # Even rows are negative classes, odd rows positive ones; both are scaled to their share of the items.
        said *= share / np.maximum(total, TINY)
        support, every = share[1::2], share[::2] + share[1::2]
        hit = np.minimum(said[:, 1::2], support)
        parts = (hit, np.broadcast_to(support, hit.shape), hit + said[:, ::2], np.broadcast_to(every, hit.shape))
        hit, support, predicted, every = (np.moveaxis(part, -1, 0) for part in parts)
        if not self.groups:
            return Contingency(hit[..., 0], support[..., 0], predicted[..., 0], every[..., 0])
        return Contingency(hit / every, support / every, predicted / every, np.ones((draws, 1, 1)))

    @cached_property
    def _tables(self) -> Any:
        return adding(self.table, 2 * self.labels)

    @cached_property
    def _said(self) -> Any:
        """Sparse matrix that sums the positive predictions of each system by class and table."""
        from scipy.sparse import vstack

        return vstack(
            [adding(self.table, 2 * self.labels, predicted == 1) for predicted in self.predictions.T], format="csr"
        )


def pattern_posterior(counts: Counts, prior: CellPrior) -> PatternPosterior:
    """Return the joint posterior of all systems."""
    labels, systems = len(counts.groups) or 1, len(counts.classifiers)
    table = 2 * (counts.group if counts.groups else 0) + counts.truth
    items: FloatArray = np.bincount(table, counts.n, 2 * labels).astype(np.float64)
    if isinstance(prior, Hierarchical):
        raise ValueError(f"a hierarchical prior pairs at most 2 classifiers, got {systems}; use the pooled prior")
    if isinstance(prior, Pooled):
        weight, mu = prior.weight, partial(_pooled_mu, items, prior)
        draw_says = [_pooled_says(counts, prior, side) for side in (0, 1)]
    else:
        mu = partial(_known_mu, _weights(items, prior))
        weight = float(prior.weights("positive", 4).sum())
        draw_says = [partial(_evenly, systems)] * 2
    # Patterns of one item first: gammas_of_counts draws those as exponentials, which is faster.
    order = np.argsort(counts.n != 1, kind="stable")
    rows = (table[order], counts.predictions[order], counts.n[order])
    return PatternPosterior(labels, *rows, mu, weight, (draw_says[0], draw_says[1]), bool(counts.groups))


def _weights(items: FloatArray, prior: Dirichlet) -> FloatArray:
    """Return the weights of the classes of all tables, including the prior's."""
    if prior.positive is not None or prior.negative is not None:
        raise ValueError("prior positive and negative are of one or two classifiers; for more give op.Dirichlet(cells)")
    mu: FloatArray = (items.reshape(-1, 2) + prior.weights("mu", 2)[::-1]).ravel()
    if mu.min() == 0 or (prior.cells == 0 and items.min() == 0):
        raise ImproperPriorError(
            "the prior has no weight where there are no items of a class; use the uniform or the jeffreys prior"
        )
    return mu


def _known_mu(weights: FloatArray, rng: Generator, draws: int) -> FloatArray:
    return rng.standard_gamma(weights[:, None], (len(weights), draws))


def _pooled_mu(items: FloatArray, prior: Pooled, rng: Generator, draws: int) -> FloatArray:
    """Draw how frequent labels are, each shrunk towards all of them."""
    by_label = items.reshape(-1, 2)
    shares = rng.dirichlet(pooled(np.full(2, 0.5), by_label.sum(axis=0), prior.strength * len(by_label)), draws).T
    pseudo_counts = prior.weight * np.tile(shares, (len(by_label), 1))
    return rng.standard_gamma(items[:, None], (len(items), draws)) + rng.standard_gamma(pseudo_counts)


def _evenly(systems: int, rng: Generator, shape: tuple[int, int, int]) -> list[Flags]:
    """Draw predictions that are positive with probability ½, independently per system."""
    return [rng.integers(2, size=shape, dtype=np.uint8).astype(bool) for _ in range(systems)]


def _pooled_says(counts: Counts, prior: Pooled, side: int) -> Says:
    """Return a sampler of patterns as frequent as in all labels together."""
    cells = counts.truth == side
    most = prior.strength * (len(counts.groups) or 1)
    kinds, flags = OutcomeKinds.seen(counts.predictions[cells] == 1, counts.n[cells], most)

    def says(rng: Generator, shape: tuple[int, int, int]) -> list[Flags]:
        flag = kinds.draw(rng, shape)
        return [flag(column) for column in flags.T]

    return says
