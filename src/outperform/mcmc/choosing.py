"""Which graph a model of these counts is: the same choice that the exact engine makes."""

from __future__ import annotations

from functools import partial, reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from outperform.contingency import FloatArray
from outperform.counts import Counts
from outperform.mcmc.families import Family, Found, ManyClasses, SideBySide, TwoClasses
from outperform.mcmc.weights import Fixed, Learned, LearnedEvenly, Mixed, Weights
from outperform.models import Paired, Unpaired
from outperform.models.binary import outcome_table
from outperform.models.kinds import pooled
from outperform.models.spread import MOST_LISTED, Together, pool
from outperform.priors import Dirichlet, Hierarchical, Pooled, Prior

__all__ = ["family_of"]

MOST_CELLS = 20_000


def family_of(model: Paired | Unpaired, counts: Counts) -> Family:
    """The graph, with its prior."""
    if counts.by_item:
        raise ValueError("counts by item are weighed whole, which is no model for a Markov chain; count the labels")
    prior = model.prior_of(counts)
    plain = counts if counts.units is None else counts.together()
    if isinstance(model, Unpaired):
        names = plain.classifiers
        return SideBySide({name: _family(plain.select([k]), prior) for k, name in enumerate(names)})
    if not plain.paired:
        raise ValueError("the classifiers were run on different items; use op.PyMC(op.Unpaired())")
    return _family(plain, prior)


def _family(counts: Counts, prior: Prior) -> Family:
    """Of classifiers on the same items."""
    systems, classes = len(counts.classifiers), len(counts.labels)
    size = max(len(counts.groups), 1) * 2 ** (systems + 1) if classes == 2 else classes ** (systems + 1)
    if size > MOST_CELLS:
        raise ValueError(
            f"the model has {size:,} outcomes, too many for a Markov chain ({MOST_CELLS:,} at most); use the exact "
            "model, or op.Unpaired()"
        )
    if isinstance(prior, Hierarchical) and systems > 2:
        raise ValueError(f"a hierarchical prior pairs at most 2 classifiers, got {systems}; use the pooled prior")
    if counts.open:
        return _found(counts, prior)
    if classes == 2 and (counts.groups or isinstance(prior, Dirichlet)):
        return _two(counts, prior)
    return _many(counts, prior)


def _two(counts: Counts, prior: Prior) -> TwoClasses:
    table = np.moveaxis(outcome_table(counts), -1, 0)
    table = table if counts.groups else table[0]
    build = partial(TwoClasses, counts.classifiers, table, labels=counts.groups)
    systems = len(counts.classifiers)
    if isinstance(prior, Dirichlet):
        if systems > 2 and (prior.positive is not None or prior.negative is not None):
            raise ValueError("prior positive and negative are of one or two classifiers; for more give op.Dirichlet(x)")
        share = 1.0 if systems <= 2 else 4 / 2**systems  # every two of many are as if they were alone
        negative, positive = (prior.weights(part, 2**systems) * share for part in ("negative", "positive"))
        return build(Fixed(prior.weights("mu", 2)), Fixed(negative), Fixed(positive))
    found = np.array(list(product((True, False), repeat=systems)))
    there = np.array([[True], [False]])
    mu_weight = prior.mu if isinstance(prior, Hierarchical) else prior.weight
    items = table.sum(axis=(0, 2))[::-1]
    return build(
        _learned(there, prior, mu_weight, items, len(table)),
        _learned(~found, prior, prior.weight, table[:, 0].sum(axis=0), len(table)),
        _learned(found, prior, prior.weight, table[:, 1].sum(axis=0), len(table)),
    )


def _learned(
    right: NDArray[np.bool_], prior: Hierarchical | Pooled, weight: float, items: FloatArray, labels: int
) -> Weights:
    """What labels share."""
    if isinstance(prior, Hierarchical):
        return Learned(right, 1, weight, prior.eta)
    outcomes = len(items)
    return Mixed(np.eye(outcomes), pooled(np.full(outcomes, 1 / outcomes), items, prior.strength * labels), weight)


def _many(counts: Counts, prior: Prior) -> ManyClasses:
    classes, systems = len(counts.labels), len(counts.classifiers)
    shape = (classes,) * (systems + 1)
    index = np.ravel_multi_index((counts.truth, *counts.predictions.T), shape)
    table = np.bincount(index, counts.n, classes ** (systems + 1)).reshape(classes, -1).astype(np.float64)
    build = partial(ManyClasses, counts.classifiers, counts.labels, table, last=classes == 2)
    if isinstance(prior, Dirichlet):
        if prior.positive is not None or prior.negative is not None:
            raise ValueError("prior positive and negative are of two classes; for more give op.Dirichlet(cells, mu=…)")
        each = prior.cells * classes / classes**systems
        return build(Fixed(prior.weights("mu", classes)), Fixed(np.full(table.shape, each)))
    truth, *predicted = np.indices(shape).reshape(systems + 1, -1)
    right = (np.stack(predicted, axis=1) == truth[:, None]).reshape(classes, -1, systems)
    if isinstance(prior, Hierarchical):
        theta = Learned(right, classes - 1, prior.weight, prior.eta)
        return build(Fixed(np.full(classes, prior.mu)), theta)
    if systems > MOST_LISTED:
        raise ValueError(f"the pooled prior of a Markov chain pairs at most {MOST_LISTED} classifiers, got {systems}")
    together = pool(counts, prior.strength)
    return build(LearnedEvenly(classes), Mixed(_spread(together, classes), together.kinds.alpha, prior.weight))


def _spread(together: Together, classes: int) -> FloatArray:
    """For every class, outcome and kind of outcome, how the kind is spread over the outcomes of the class."""
    systems = together.right.shape[1]
    by_kind = []
    for right, alike in zip(together.right, together.alike, strict=True):
        rows = []
        for own in range(classes):
            wrong = np.where(np.arange(classes) == own, 0.0, together.popularity)
            rows.append(_outcomes(own, wrong / wrong.sum(), right, bool(alike)).reshape(classes**systems))
        by_kind.append(rows)
    return np.moveaxis(np.array(by_kind), 0, -1)


def _outcomes(own: int, wrong: FloatArray, right: NDArray[np.bool_], alike: bool) -> FloatArray:
    """Probabilities of predictions, an axis for each classifier, of an item of this class."""
    sure = np.eye(len(wrong))

    def together(wrong: FloatArray) -> FloatArray:
        return np.asarray(reduce(np.multiply.outer, [sure[own] if is_right else wrong for is_right in right]))

    return np.asarray(sum(p * together(sure[k]) for k, p in enumerate(wrong)) if alike else together(wrong))


def _found(counts: Counts, prior: Prior) -> Found:
    if not isinstance(prior, Dirichlet) or prior != Dirichlet(prior.cells):
        raise ValueError(f"chunks take the uniform or the jeffreys prior or a number, got {prior}")
    negative, positive = outcome_table(counts)
    table = np.concatenate([positive, negative[:-1]])
    weight = Fixed(np.full(table.size, prior.cells / 2 ** (len(counts.classifiers) - 1)))
    return Found(counts.classifiers, counts.groups, table, weight)
