"""The graph of a model for these counts: the same choice that the exact engine makes."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

from outperform.base.sentences import invalid
from outperform.data.counts import Counts
from outperform.mcmc.families import Family, ManyClasses, PositivesOnly, SideBySide, TwoClasses
from outperform.mcmc.script import Fixed, Learned
from outperform.models import Paired, Unpaired
from outperform.models.binary import outcome_table
from outperform.models.priors import Dirichlet, Hierarchical, Pooled, Prior, Trend, WholePrior, default_prior

__all__ = ["family_of", "prior_of"]

MOST_CELLS = 20_000  # outcomes; beyond, a chain takes hours


def family_of(model: Paired | Unpaired, counts: Counts) -> Family:
    """The graph, with its prior."""
    if counts.by_item:
        raise ValueError("counts by item are resampled whole, for which there is no Markov chain; count the labels")
    prior = prior_of(model, counts)
    plain = counts if counts.units is None else counts.together()
    if isinstance(model, Unpaired):
        names = plain.classifiers
        return SideBySide({name: _family(plain.select([k]), prior) for k, name in enumerate(names)})
    if not plain.paired:
        raise invalid("the classifiers were run on different items; use {sampled_unpaired}")
    return _family(plain, prior)


def prior_of(model: Paired | Unpaired, counts: Counts) -> Prior:
    """The prior that the model takes; the hierarchical one where none is given and there are many classes.

    The exact models' own choice there is the trend, whose items have weights that all classes share: no graph has that.
    """
    if model.prior is not None or not isinstance(default_prior(counts), Trend):
        return model.prior_of(counts)
    return Hierarchical() if len(counts.classifiers) <= 2 or isinstance(model, Unpaired) else Dirichlet(1.0)


def _family(counts: Counts, prior: Prior) -> Family:
    """The graph of classifiers on the same items."""
    if isinstance(prior, Pooled):
        raise ValueError("the pooled prior is read off the data, which no graph can say; use hierarchical or uniform")
    if isinstance(prior, WholePrior):
        raise ValueError(
            "the trend prior weighs items for all classes at once, which no graph can say; use hierarchical"
        )
    systems, classes = len(counts.classifiers), len(counts.labels)
    size = max(len(counts.groups), 1) * 2 ** (systems + 1) if classes == 2 else classes ** (systems + 1)
    if size > MOST_CELLS:
        found = f"the model has {size:,} outcomes, too many for a Markov chain ({MOST_CELLS:,} at most)"
        raise invalid("{found}; use the exact model, or {unpaired}", found=found)
    if isinstance(prior, Hierarchical) and systems > 2:
        raise ValueError(f"a hierarchical prior pairs at most 2 classifiers, got {systems}; use the uniform prior")
    if counts.no_true_negatives:
        return _found(counts, prior)
    if classes == 2 and (counts.groups or isinstance(prior, Dirichlet)):
        return _two(counts, prior)
    return _many(counts, prior)


def _two(counts: Counts, prior: Dirichlet | Hierarchical) -> TwoClasses:
    table = np.moveaxis(outcome_table(counts), -1, 0)
    table = table if counts.groups else table[0]
    build = partial(TwoClasses, counts.classifiers, table, labels=counts.groups)
    systems = len(counts.classifiers)
    if isinstance(prior, Dirichlet):
        if systems > 2 and (prior.positive is not None or prior.negative is not None):
            raise ValueError("prior positive and negative are of one or two classifiers; for more give op.Dirichlet(x)")
        size = 2 ** min(systems, 2)  # every two of many are as if they were alone
        share = size / 2**systems  # pseudo-counts of a pair, spread over the outcomes of all systems
        negative, positive = (
            np.repeat(prior.weights(part, size), 2**systems // size) * share for part in ("negative", "positive")
        )
        return build(Fixed(prior.weights("mu", 2)), Fixed(negative), Fixed(positive))
    found = np.array(list(product((True, False), repeat=systems)))
    there = np.array([[True], [False]])
    learned = partial(Learned, others=1, prior=prior.eta)
    return build(
        learned(there, weight=prior.mu), learned(~found, weight=prior.weight), learned(found, weight=prior.weight)
    )


def _many(counts: Counts, prior: Dirichlet | Hierarchical) -> ManyClasses:
    classes, systems = len(counts.labels), len(counts.classifiers)
    shape = (classes,) * (systems + 1)
    index = np.ravel_multi_index((counts.truth, *counts.predictions.T), shape)
    table = np.bincount(index, counts.n, classes ** (systems + 1)).reshape(classes, -1).astype(np.float64)
    build = partial(ManyClasses, counts.classifiers, counts.labels, table, last=classes == 2)
    if isinstance(prior, Dirichlet):
        if prior.positive is not None or prior.negative is not None:
            raise ValueError("prior positive and negative are of two classes; for more give op.Dirichlet(cells, mu=…)")
        per_cell = prior.cells * classes / classes**systems
        return build(Fixed(prior.weights("mu", classes)), Fixed(np.full(table.shape, per_cell)))
    truth, *predicted = np.indices(shape).reshape(systems + 1, -1)
    right = (np.stack(predicted, axis=1) == truth[:, None]).reshape(classes, -1, systems)
    return build(Fixed(np.full(classes, prior.mu)), Learned(right, classes - 1, prior.weight, prior.eta))


def _found(counts: Counts, prior: Dirichlet | Hierarchical) -> PositivesOnly:
    if not isinstance(prior, Dirichlet) or not prior.even:
        raise ValueError(f"chunks take the uniform or the jeffreys prior or a number, got {prior}")
    negative, positive = outcome_table(counts)
    table = np.concatenate([positive, negative[:-1]])
    weight = Fixed(np.full(table.size, prior.cells / 2 ** (len(counts.classifiers) - 1)))
    return PositivesOnly(counts.classifiers, counts.groups, table, weight)
