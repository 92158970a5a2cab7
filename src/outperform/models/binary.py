"""Two classes: the paired and the unpaired model of SIGIR'16 §3.1, drawn directly.

With μ the probability of a positive item and θ₊, θ₋ the probabilities of the outcomes of positive
and of negative items,

    μ ~ Beta(β₊, β₋)        n₊ ~ Bin(N, μ)
    θ₊ ~ Dir(ω₊)            outcomes of positive items ~ Multinomial(n₊, θ₊)
    θ₋ ~ Dir(ω₋)            outcomes of negative items ~ Multinomial(n₋, θ₋)

An outcome is what the classifiers predicted: 1 or 0 for one classifier (§3.1), 11, 10, 01 or 00
for a pair (§3.1.2, Table 2). All of it is conjugate: the posterior adds the counts to the weights,
so the papers' Markov chains are not needed and draws are independent.

Assumptions: items are independent and come from the population of interest, and the outcome
depends on the item through its true class alone. Clustered items (sentences of one document) make
the intervals too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from outperform.base.errors import ImproperPriorError
from outperform.base.sentences import invalid
from outperform.data.contingency import Contingency, FloatArray, combine
from outperform.data.counts import Counts
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.priors import Dirichlet

__all__ = ["contingency_of", "outcome_table", "paired_posterior", "predicted_positive", "unpaired_posterior"]

MOST_CLASSIFIERS = 10  # 2¹⁰ outcomes per class


def paired_posterior(counts: Counts, prior: Dirichlet) -> DirichletPosterior:
    """Return the posterior of the joint outcomes (the compact model of Figure 1b)."""
    return DirichletPosterior(_blocks(counts, prior), contingency_of)


def unpaired_posterior(counts: Counts, prior: Dirichlet) -> DirichletPosterior:
    """Return the posterior in which each classifier is modelled on the items that it was run on."""
    tables = (counts.select([k]) for k in range(len(counts.classifiers)))
    blocks = tuple(block for table in tables for block in _blocks(table, prior))
    return DirichletPosterior(blocks, _side_by_side)


def contingency_of(blocks: Sequence[FloatArray]) -> Contingency:
    """Return tp = N·μ·θ₊ and fp = N·(1−μ)·θ₋ (SIGIR'16 §3.1) from gammas of μ, θ₋ and θ₊.

    Gammas divided by their sum would be μ and θ. Everything is multiplied by the three sums instead: a
    measure does not depend on the unit, and no division is needed.
    """
    mu, negative, positive = blocks
    predicted, sum_negative = predicted_positive(negative)
    hit, sum_positive = predicted_positive(positive)
    to_positive, to_negative = mu[1] * sum_negative, mu[0] * sum_positive
    hit *= to_positive
    predicted *= to_negative
    predicted += hit
    support = to_positive * sum_positive
    to_negative *= sum_negative
    to_negative += support
    return Contingency(hit.T, support[:, None], predicted.T, to_negative[:, None])


def predicted_positive(table: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return, per classifier, the sum over outcomes in which it predicts positive, and the sum over all.

    Row by row, which is twice as fast as NumPy's sum over a short axis.
    """
    classifiers = len(table).bit_length() - 1
    cube = table.reshape(*[2] * classifiers, -1)
    sums = np.empty_like(table, shape=(classifiers, table.shape[1]))
    for k, row in enumerate(sums):
        first, *rest = cube[(slice(None),) * k + (0,)].reshape(-1, len(row))
        np.add(first, reduce(np.add, rest) if rest else 0.0, out=row)
    return sums, reduce(np.add, table[len(table) // 2 :], sums[0])


def _side_by_side(blocks: Sequence[FloatArray]) -> Contingency:
    """Return the contingencies of classifiers with three blocks each."""
    by_system = [contingency_of(blocks[k : k + 3]) for k in range(0, len(blocks), 3)]
    return combine(lambda *parts: np.hstack(parts), *by_system)


def outcome_table(counts: Counts) -> FloatArray:
    """Return items by truth, outcome and label, of shape (2, outcomes, labels); one label without groups.

    Outcome 0 is 11…1 and the last is 00…0, the papers' order.
    """
    if len(counts.classifiers) > MOST_CLASSIFIERS:
        raise invalid(
            "at most {most} classifiers can be paired in this way, got {number}; resample whole sentences "
            "({unit:'sentence'}), or use {model:unpaired}",
            most=MOST_CLASSIFIERS,
            number=len(counts.classifiers),
        )
    outcomes, labels = 2 ** len(counts.classifiers), len(counts.groups) or 1
    index = outcomes - 1 - counts.predictions @ (2 ** np.arange(len(counts.classifiers))[::-1])
    key = (counts.truth * outcomes + index) * labels + (counts.group if counts.groups else 0)
    table: FloatArray = np.bincount(key, counts.n, 2 * outcomes * labels).astype(np.float64)
    return table.reshape(2, outcomes, labels)


def _blocks(counts: Counts, prior: Dirichlet) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the weights of μ (negative, positive), θ₋ and θ₊: counts plus pseudo-counts."""
    observed = outcome_table(counts)[..., 0]
    outcomes = observed.shape[1]
    mu = observed.sum(axis=1) + prior.weights("mu", 2)[::-1]
    negative = observed[0] + prior.weights("negative", outcomes)
    positive = observed[1] + prior.weights("positive", outcomes)
    if min(mu.min(), negative.sum(), positive.sum()) == 0:
        raise ImproperPriorError(
            "the prior has no weight where there are no items of a class; use the uniform or the jeffreys prior"
        )
    return mu, negative, positive
