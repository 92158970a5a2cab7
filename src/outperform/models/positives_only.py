"""True positives, false positives and false negatives alone (Goutte and Gaussier 2005, ACL'19 §2.1).

Chunks have no true negatives: spans that are neither a chunk nor predicted as one are not counted. For one classifier

    (TP, FP, FN) ~ independent gammas of TP + λ, FP + λ, FN + λ

so that p ~ Beta(TP + λ, FP + λ), r ~ Beta(TP + λ, FN + λ) and F1 as in Eq. 7. For several on the same items the cells
are (truth, one prediction each), without the all-negative one, and λ is divided evenly among the 2^(K−1)
cells that make up one of a classifier's three; so each classifier has the same marginal as alone.

Types of chunk have separate cells, with λ each; for micro-averages all types are merged beforehand.

Assumption: chunks are independent of each other. Those of a sentence are not; see `units`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np

from outperform.base.errors import ImproperPriorError
from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.models.binary import outcome_table
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.priors import Dirichlet, Prior

__all__ = ["positives_only_posterior"]


def positives_only_posterior(tables: Sequence[Counts], prior: Prior) -> DirichletPosterior:
    """Return the posterior of classifiers that share their items (one table), or of each separately."""
    if not isinstance(prior, Dirichlet) or not prior.even:
        raise ValueError(f"chunks take the uniform, jeffreys or haldane prior or a number, got {prior}")
    blocks = tuple(_weights(counts, prior.cells) for counts in tables)
    if min(block.sum() for block in blocks) == 0:
        raise ImproperPriorError(
            "the prior has no weight where nothing is found; use the uniform or the jeffreys prior"
        )
    return DirichletPosterior(blocks, partial(_contingency, groups=len(tables[0].groups)))


def _weights(counts: Counts, cells: float) -> FloatArray:
    """Return counts plus pseudo-counts of each outcome of each type, in one row: true chunks first, then others.

    The last outcome of the others, predicted by no one, is left out.
    """
    negative, positive = outcome_table(counts)
    weights: FloatArray = np.concatenate([positive, negative[:-1]]).ravel() + cells / 2 ** (len(counts.classifiers) - 1)
    return weights


def _contingency(blocks: Sequence[FloatArray], groups: int) -> Contingency:
    """Return sums over the cells, which are ordered by outcome, then by type."""
    parts = []
    for block in blocks:
        classifiers = (len(block) // (groups or 1) + 1).bit_length() - 2
        outcomes = np.array(list(product((1.0, 0.0), repeat=classifiers + 1))[:-1])  # truth and predictions
        cells = block.reshape(len(outcomes), groups or 1, -1)
        true, predicted = outcomes[:, 0], outcomes[:, 1:].T
        hit, support, found = (
            np.einsum("ko,otd->dkt", rows, cells) for rows in (predicted * true, true[None], predicted)
        )
        parts.append((hit, np.broadcast_to(support, hit.shape), found))
    hit, support, found = (np.concatenate(x, axis=1) for x in zip(*parts, strict=True))
    total = np.ones((len(hit), 1, 1))
    if groups:
        return Contingency(hit, support, found, total)
    return Contingency(hit[..., 0], support[..., 0], found[..., 0], total[..., 0])
