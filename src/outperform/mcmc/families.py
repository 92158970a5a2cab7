"""The models as graphs: which chances there are, what was counted of them, and what contingency they amount to.

Written from the papers' equations and not from the exact engine, which is to be checked against them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from outperform.base.errors import need
from outperform.base.sentences import invalid
from outperform.data.contingency import Contingency, FloatArray, combine
from outperform.data.counts import Counts
from outperform.mcmc.script import Fixed, Learned, Script, Weights
from outperform.models import Paired, Unpaired
from outperform.models.binary import outcome_table
from outperform.models.priors import Dirichlet, Hierarchical, Pooled, Prior, Trend, WholePrior, default_prior

__all__ = ["Family", "ManyClasses", "PositivesOnly", "SideBySide", "TwoClasses", "family_of", "prior_of"]

Drawn = Mapping[str, FloatArray]
BETWEEN = "::"  # the name of a model and that of its variable, in PyMC
MOST_CELLS = 20_000  # outcomes; beyond, a chain takes hours


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """SIGIR'16 §3.1 and Figure 1: μ, and θ₊ and θ₋ of one classifier or of several on the same items; for every label.

    With z the outcome, 1 or 0 for each classifier,

        y ~ Bernoulli(μ)      z | y = 1 ~ θ₊      z | y = 0 ~ θ₋

    Attributes
    ----------
    table : array of shape (labels, 2, outcomes), or (2, outcomes) where there are no labels
        Items, negative first; outcomes in the papers' order 11, 10, 01, 00.
    mu, negative, positive : Weights
        Of the priors.
    """

    classifiers: tuple[str, ...]
    table: FloatArray
    mu: Weights
    negative: Weights
    positive: Weights
    labels: tuple[Any, ...] = ()

    @property
    def cells(self) -> int:
        """Number of probabilities."""
        return self.table.size + self.table[..., 0].size

    @property
    def coords(self) -> dict[str, Sequence[Any]]:
        """Labels, outcomes and classifiers, where there are several."""
        named: dict[str, Sequence[Any]] = {"label": [str(label) for label in self.labels]} if self.labels else {}
        if len(self.classifiers) > 1:
            named |= {"outcome": ["".join(map(str, z)) for z in self._outcomes], "classifier": self.classifiers}
        return named

    def write(self, script: Script) -> None:
        """μ, then what happens to positive and to negative items."""
        plates = ("label",) if self.labels else ()
        outcome = "outcome" if len(self.classifiers) > 1 else None
        items = self.table.sum(axis=-1)[..., ::-1]
        script.chances("mu", self.mu, items, plates=plates)
        for name, side, weights in (("positive", 1, self.positive), ("negative", 0, self.negative)):
            script.chances(f"theta_{name}", weights, self.table[..., side, :], plates=plates, outcome=outcome)

    def contingency(self, drawn: Drawn) -> Contingency:
        """Tp = μ θ₊ and fp = (1 − μ) θ₋, summed over the outcomes in which a classifier says yes."""
        mu, positive, negative = (drawn[name] for name in ("mu", "theta_positive", "theta_negative"))
        yes = np.array(self._outcomes, dtype=np.float64)
        single = len(self.classifiers) == 1
        found, false = (theta[..., None] if single else theta @ yes for theta in (positive, negative))
        hit, wrong = mu[..., None] * found, (1 - mu)[..., None] * false
        parts = (hit, np.broadcast_to(mu[..., None], hit.shape), hit + wrong)
        hit, support, predicted = (np.moveaxis(part, -1, 1) for part in parts)  # labels last
        return Contingency(hit, support, predicted, np.ones((len(hit), *[1] * (hit.ndim - 1))))

    @property
    def _outcomes(self) -> list[tuple[int, ...]]:
        return list(product((1, 0), repeat=len(self.classifiers)))


@dataclass(frozen=True, eq=False)
class ManyClasses:
    """ICDM'15 §III, Eqs 2–5: μ of the classes, and for items of class j the predictions θ_j of all classifiers.

    Attributes
    ----------
    table : array of shape (classes, classes to the power of the classifiers)
        Items by true class and by what the classifiers predict, the first one slowest.
    last : bool
        Whether only the last class is asked for, as of two classes.
    """

    classifiers: tuple[str, ...]
    classes: tuple[Any, ...]
    table: FloatArray
    mu: Weights
    theta: Weights
    last: bool = False

    @property
    def cells(self) -> int:
        """Number of probabilities."""
        return self.table.size + len(self.table)

    @property
    def coords(self) -> dict[str, Sequence[Any]]:
        """Classes, and predictions of all classifiers."""
        names = list(map(str, self.classes))
        predicted = [",".join(z) for z in product(names, repeat=len(self.classifiers))]
        named: dict[str, Sequence[Any]] = {"class": names, "predicted": predicted}
        return named | {"classifier": self.classifiers} if len(self.classifiers) > 1 else named

    def write(self, script: Script) -> None:
        """μ, then what happens to the items of each class."""
        script.chances("mu", self.mu, self.table.sum(axis=1), outcome="class")
        script.chances("theta", self.theta, self.table, plates=("class",), outcome="predicted")

    def contingency(self, drawn: Drawn) -> Contingency:
        """Shares of true and predicted classes, μ_j θ_jk, with the other classifiers summed over."""
        mu, number, classes = drawn["mu"], len(self.classifiers), len(self.classes)
        joint = (mu[..., None] * drawn["theta"]).reshape(len(mu), classes, *[classes] * number)
        tables = [joint.sum(axis=tuple(k + 2 for k in range(number) if k != kept)) for kept in range(number)]
        hit = np.stack([np.einsum("djj->dj", table) for table in tables], axis=1)
        predicted = np.stack([table.sum(axis=1) for table in tables], axis=1)
        support, total = mu[:, None], np.ones((len(mu), 1, 1))
        if self.last:
            return Contingency(hit[..., -1], support[..., -1], predicted[..., -1], total[..., 0])
        return Contingency(hit, support, predicted, total)


@dataclass(frozen=True, eq=False)
class PositivesOnly:
    """What is found (Goutte and Gaussier 2005, ACL'19 §2.1): θ of the cells (truth, predictions) but for 00…0.

    Attributes
    ----------
    table : array of shape (outcomes, types)
        Chunks; one column where there are no types. Outcomes are 11…1, …, 10…0, 01…1, …, 00…1: truth first.
    """

    classifiers: tuple[str, ...]
    types: tuple[Any, ...]
    table: FloatArray
    theta: Weights

    @property
    def cells(self) -> int:
        """Number of probabilities."""
        return self.table.size

    @property
    def coords(self) -> dict[str, Sequence[Any]]:
        """Outcomes, with their type."""
        kinds = [f" {kind}" for kind in self.types] or [""]
        return {"cell": ["".join(map(str, z)) + kind for z in self._outcomes for kind in kinds]}

    def write(self, script: Script) -> None:
        """Write all cells as one Dirichlet."""
        script.chances("theta", self.theta, self.table.ravel(), outcome="cell")

    def contingency(self, drawn: Drawn) -> Contingency:
        """Sum the cells."""
        outcomes = np.array(self._outcomes, dtype=np.float64)
        theta = drawn["theta"].reshape(-1, *self.table.shape)
        there, says = outcomes[:, 0], outcomes[:, 1:]
        hit = np.einsum("dot,ok->dkt", theta, says * there[:, None])
        predicted = np.einsum("dot,ok->dkt", theta, says)
        support = np.broadcast_to(np.einsum("dot,o->dt", theta, there)[:, None], hit.shape)
        total = np.ones((len(hit), 1, 1))
        if self.types:
            return Contingency(hit, support, predicted, total)
        return Contingency(hit[..., 0], support[..., 0], predicted[..., 0], total[..., 0])

    @property
    def _outcomes(self) -> list[tuple[int, ...]]:
        return list(product((1, 0), repeat=1 + len(self.classifiers)))[:-1]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Classifiers that have nothing to do with each other: a model of each, under its name."""

    families: Mapping[str, Family]

    @property
    def cells(self) -> int:
        """Number of probabilities."""
        return sum(family.cells for family in self.families.values())

    @property
    def coords(self) -> dict[str, Sequence[Any]]:
        """The coordinates of all classifiers."""
        return {dim: along for family in self.families.values() for dim, along in family.coords.items()}

    def write(self, script: Script) -> None:
        """Write the models one after the other."""
        pm = need("pymc", "mcmc")
        for name, family in self.families.items():
            with pm.Model(name=_safe(name)):
                family.write(script)

    def contingency(self, drawn: Drawn) -> Contingency:
        """The contingencies of all classifiers, side by side."""
        parts = []
        for name, family in self.families.items():
            start = f"{_safe(name)}{BETWEEN}"
            mine = {key.removeprefix(start): value for key, value in drawn.items() if key.startswith(start)}
            parts.append(family.contingency(mine))
        return combine(lambda *x: np.concatenate(x, axis=1), *parts)


# A model of counts: `cells` is the number of probabilities, `coords` names the axes of its variables, `write` writes
# it into the PyMC model that is open, and `contingency` is that of draws of shape (draws, …).
Family: TypeAlias = TwoClasses | ManyClasses | PositivesOnly | SideBySide


def _safe(name: str) -> str:
    """A name that PyMC takes: it has no slash, and is not empty."""
    return name.replace("/", "∕") or "_"


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
