"""Whole units are weighed, as in the Bayesian bootstrap (Rubin 1981): items with labels, sentences with chunks.

What the units are like is not modelled: their weights are Dir(1, …, 1), which for units of the same kind is a gamma
of their number. Whatever hangs together inside a unit stays together, and all classifiers weigh the same units, so
they are paired. Assumed: units are independent, and there are enough of them to stand for what was not seen.

A score is either that of all units added up by weight, or, for "samples", the weighted mean of each unit's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.base.errors import ImproperPriorError
from outperform.base.sentences import Sentence
from outperform.data.contingency import Contingency, FloatArray, combine
from outperform.data.counts import Counts
from outperform.data.labels import Label, as_column
from outperform.measures.of_counts import Measure
from outperform.models.base import Model
from outperform.models.pairing import Paired
from outperform.models.posterior import Posterior
from outperform.models.priors import Haldane, PriorLike, Trend, as_prior
from outperform.models.relevant import ItemBootstrap, relevance
from outperform.models.trend import Reads
from outperform.models.unseen import Weighed, WithUnseen

__all__ = ["BayesianBootstrap", "UnitsPosterior"]


@dataclass(frozen=True, eq=False)
class UnitsPosterior(Weighed):
    """What one unit of each kind holds, and how many of the kind there are.

    Attributes
    ----------
    table : Contingency
        Of shape (kinds, classifiers) or (kinds, classifiers, classes).
    by_unit : Contingency
        Of shape (classifiers, kinds): all classes together, kinds in their place.
    number : array of shape (kinds,)
        Units of the kind.
    """

    table: Contingency
    by_unit: Contingency
    number: FloatArray

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return len(self.number)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws of all units together."""
        return self.weighed(rng.standard_gamma(self.number, (draws, len(self.number))).T)

    @property
    def kinds(self) -> FloatArray:
        """How many units of each kind there are."""
        return self.number

    def weighed(self, weights: FloatArray) -> Contingency:
        """What kinds of these weights, of shape (kinds, draws), amount to."""
        return combine(lambda x: np.tensordot(weights.T, x, axes=1), self.table)

    def reduced(self, average: str, measure: Measure) -> Weighed:  # noqa: ARG002
        """For "samples" each kind has a score of its own."""
        return EachUnit(self.by_unit, self.number) if average == "samples" else self


@dataclass(frozen=True, eq=False)
class EachUnit(Weighed):
    """One unit of each kind, of shape (classifiers, kinds), and how many of the kind there are."""

    unit: Contingency
    number: FloatArray

    @property
    def cells(self) -> int:
        """Numbers that one draw takes: a weight, and what comes of it, for each kind."""
        return len(self.number) * (1 + 3 * len(self.unit.hit))

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws, of shape (draws, classifiers, kinds)."""
        return self.weighed(rng.standard_gamma(self.number, (draws, len(self.number))).T)

    @property
    def kinds(self) -> FloatArray:
        """How many units of each kind there are."""
        return self.number

    def weighed(self, weights: FloatArray) -> Contingency:
        """The same of kinds of these weights, of shape (kinds, draws)."""
        return combine(lambda x: x * weights.T[:, None], self.unit)


@dataclass(frozen=True)
class BayesianBootstrap(Model):
    """Weigh items, or whole units such as sentences; no model of what they are like. Always paired.

    The model of choice where what is counted hangs together inside a unit (chunks of one sentence, answers to one
    query), and for measures of scores, such as the area under the ROC curve.

    Parameters
    ----------
    cluster : sequence of ids
        For each item what it belongs to: its document, query, user. Clusters are then weighed, each whole.
    strata : sequence of ids
        For each item a part of the population whose share is known, and in the data as it should be.
    prior : {"trend", "haldane"}
        Whether classes learn from each other in averages over them ("trend", see `op.Trend`) or items speak for
        themselves ("haldane"). By default the former for clusters, strata and sentences, of which there are few where
        classes are many.

    References
    ----------
    Rubin, The Bayesian Bootstrap, Annals of Statistics 9(1), 1981.

    Examples
    --------
    >>> import outperform as op
    >>> gold = [["B-PER", "O"], ["O", "B-LOC"], ["B-LOC", "I-LOC"]] * 40
    >>> a = [["B-PER", "O"], ["O", "O"], ["B-LOC", "I-LOC"]] * 40
    >>> b = [["O", "O"], ["O", "B-LOC"], ["B-LOC", "O"]] * 40
    >>> counts = op.Counts.from_chunks(gold, {"a": a, "b": b})
    >>> op.compare(counts, model=op.BayesianBootstrap(), rope=0.05, rng=0).model
    'bootstrap'
    """

    cluster: Sequence[Label] | NDArray[Any] | None = None
    strata: Sequence[Label] | NDArray[Any] | None = None
    prior: PriorLike | None = None

    name = "bootstrap"
    pairs = True
    symmetric = True
    weighs_units = True

    def __post_init__(self) -> None:
        """Keep the ids as tuples, so that equal models compare equal."""
        for name in ("cluster", "strata"):
            ids = getattr(self, name)
            if ids is not None:
                column = as_column(ids, name)
                object.__setattr__(self, name, tuple(column.tolist()))
        if self.prior is not None:
            object.__setattr__(self, "prior", as_prior(self.prior))
            if self.prior not in (Haldane(), Trend()):
                raise ValueError(f"weighed items take the trend or the haldane prior, got {self.prior}")

    def settled(self, counts: Counts, *, reads: Reads = "classes") -> BayesianBootstrap:
        """The same with the prior that it takes: the trend for averages over types of what comes in units."""
        if self.prior is not None:
            return self
        learns = reads == "classes" and counts.units is not None and counts.groups
        return replace(self, prior=Trend() if learns else Haldane())

    @property
    def divides_items(self) -> bool:
        """Whether items hang together in clusters or belong to strata."""
        return self.cluster is not None or self.strata is not None

    @property
    def settings(self) -> dict[str, int]:
        """How many clusters and strata there are, for the signature."""
        given = {"clusters": self.cluster, "strata": self.strata}
        return {name: len(set(ids)) for name, ids in given.items() if ids is not None}

    def posterior(self, counts: Counts) -> Posterior:
        """Weights of the units."""
        if self.divides_items:
            raise ValueError(
                Sentence("{cluster} and {strata} are of items, which counts no longer tell apart; give the items")
            )
        if not counts.paired:
            raise ValueError("units are weighed for all classifiers at once, so they must share them")
        if isinstance(self.prior, Trend):
            return self.prior.posterior(counts)
        if counts.units is None:
            plain = counts.sets is None
            return Paired(Haldane()).posterior(counts) if plain else WithUnseen(ItemBootstrap(relevance(counts)))
        number = counts.units
        if not len(number):
            raise ImproperPriorError("without units there is nothing to weigh")
        table = combine(lambda x: (x.T / number).T, counts.contingency_of_kinds())
        by_unit = combine(lambda x: x / number, counts.contingency(by_unit=True))
        return WithUnseen(UnitsPosterior(table, by_unit, number))


def divides_items(model: Model | str | None) -> bool:
    """Whether items hang together in clusters or belong to strata, so that counts of them will not do."""
    return isinstance(model, Model) and model.divides_items


def weighs_items(model: Model | str | None) -> bool:
    """Whether it is asked for by its name or as such."""
    return model == BayesianBootstrap.name or isinstance(model, BayesianBootstrap)


def weigher(model: Model | str | None, measure: str) -> BayesianBootstrap:
    """The one model that weighs items, whatever they are scored by."""
    if model is None or model == BayesianBootstrap.name:
        return BayesianBootstrap(prior=Haldane())
    if isinstance(model, BayesianBootstrap):
        return replace(model, prior=model.prior or Haldane())
    found = f"{measure} is read off items, which are weighed"
    raise ValueError(Sentence("{found}: use {model:bootstrap}, or leave it out", found=found))
