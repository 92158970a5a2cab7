"""Resampling of whole units by the Bayesian bootstrap (Rubin 1981): items with labels, sentences with chunks.

Units are not modelled: their weights are Dir(1, …, 1), which for units of the same kind is a gamma
of their number. Dependence within a unit is preserved, and all classifiers share the weights of the units, so
they are paired. Assumption: units are independent, and there are enough of them to represent the population.

A score is either that of the weighted sum of all units or, for "samples", the weighted mean of the scores of units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import ImproperPriorError
from outperform.base.sentences import Sentence, invalid
from outperform.data.columns import Ids
from outperform.data.contingency import Contingency, FloatArray, combine
from outperform.data.counts import Counts
from outperform.data.labels import Label
from outperform.measures.of_counts import Measure, MeasureFunction
from outperform.models.base import Model
from outperform.models.pairing import Paired
from outperform.models.posterior import Posterior
from outperform.models.priors import Haldane, PriorLike, Trend, as_prior
from outperform.models.reads import Reads
from outperform.models.relevant import ItemBootstrap, relevance
from outperform.models.weighed import Weighed, by_sums

__all__ = ["BayesianBootstrap", "UnitsPosterior"]


@dataclass(frozen=True, eq=False)
class UnitsPosterior(Weighed):
    """The contents of one unit of each kind, and the number of units.

    Attributes
    ----------
    table : Contingency
        Of shape (kinds, classifiers) or (kinds, classifiers, classes).
    by_unit : Contingency
        Of shape (classifiers, kinds): all classes together, kinds in their place.
    number : array of shape (kinds,)
        Number of units of each kind.
    """

    table: Contingency
    by_unit: Contingency
    number: FloatArray

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return len(self.number)

    @property
    def kinds(self) -> FloatArray:
        """Number of units of each kind."""
        return self.number

    def weighed(self, weights: FloatArray) -> Contingency:
        """Return the contingency under weights of the kinds, of shape (kinds, draws)."""
        return combine(lambda x: np.tensordot(weights.T, x, axes=1), self.table)

    def reduced(self, average: str, measure: Measure) -> Weighed:  # noqa: ARG002
        """Return the posterior of scores per unit for "samples"; for "micro" units with equal sums are of one kind."""
        if average == "samples":
            return EachUnit(self.by_unit, self.number)
        return self._pooled() if average == "micro" else self

    def influence(self, measure: MeasureFunction) -> FloatArray:
        """Return derivatives by the sums over units."""
        return by_sums(measure, self.table, self.number)

    def _pooled(self) -> UnitsPosterior:
        """Return the sums over types of chunk; their total is that of all that are true or predicted."""
        hit, support, predicted = (x.sum(axis=-1) for x in (self.table.hit, self.table.support, self.table.predicted))
        rows, kind = np.unique(np.stack([hit, support, predicted], axis=1), axis=0, return_inverse=True)
        hit, support, predicted = rows.transpose(1, 0, 2)[..., None]
        table = Contingency(hit, support, predicted, support + predicted - hit)
        return replace(self, table=table, number=np.bincount(kind.ravel(), self.number).astype(np.float64))


@dataclass(frozen=True, eq=False)
class EachUnit(Weighed):
    """One unit of each kind, of shape (classifiers, kinds), and the number of units."""

    unit: Contingency
    number: FloatArray

    @property
    def cells(self) -> int:
        """Numbers per draw: a weight and its product, per kind."""
        return len(self.number) * (1 + 3 * len(self.unit.hit))

    @property
    def kinds(self) -> FloatArray:
        """Number of units of each kind."""
        return self.number

    def weighed(self, weights: FloatArray) -> Contingency:
        """Return contingencies of shape (draws, classifiers, kinds)."""
        return combine(lambda x: x * weights.T[:, None], self.unit)

    def influence(self, measure: MeasureFunction) -> FloatArray:
        """Return how far the score of a unit is from the mean, per unit."""
        alone = measure(combine(lambda x: np.moveaxis(x, -1, 0)[..., None], self.unit))
        units = self.number.sum()
        moves: FloatArray = (alone - self.number @ alone / units) / units
        return moves


@dataclass(frozen=True)
class BayesianBootstrap(Model):
    """Resample items, or whole units such as sentences, without a model of them. Always paired.

    The model for items that are dependent within a unit (chunks of one sentence, answers to one
    query), and for measures of scores, such as the area under the ROC curve.

    Parameters
    ----------
    cluster : sequence of ids
        What each item belongs to: its document, query, user, in the order of the items. Whole clusters are then
        resampled. A column of pandas whose rows have ids in another order than the truth is refused.
    strata : sequence of ids
        The stratum of each item: a part of the population whose share is known, and is correct in the data.
    prior : {"trend", "haldane"}
        Whether classes learn from each other in averages over them ("trend", see `op.Trend`) or not
        ("haldane"). The default is the former for clusters, strata and sentences, of which there are few when
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
        """Convert the ids to tuples, so that equal models compare equal."""
        for name in ("cluster", "strata"):
            ids = getattr(self, name)
            if ids is not None and not isinstance(ids, Ids):
                object.__setattr__(self, name, Ids.of(ids, name))
        if self.prior is not None:
            object.__setattr__(self, "prior", as_prior(self.prior))
            if self.prior not in (Haldane(), Trend()):
                raise ValueError(f"the bootstrap takes the trend or the haldane prior, got {self.prior}")

    def __repr__(self) -> str:
        """Return what was given; of ids only how many, which may be millions."""
        given = [f"{name}=<{len(set(x)):,} of {len(x):,} items>" for name, x in self.divided_by.items()]
        return f"BayesianBootstrap({', '.join([*given, *([] if self.prior is None else [f'prior={self.prior}'])])})"

    def settled(self, counts: Counts, *, reads: Reads = "classes") -> BayesianBootstrap:
        """Return the model with the prior that it uses: the trend for averages over types of units."""
        if self.prior is not None:
            return self
        learns = reads == "classes" and counts.units is not None and counts.groups
        return replace(self, prior=Trend() if learns else Haldane())

    @property
    def divided_by(self) -> dict[str, Any]:
        """The ids of clusters and strata that are given."""
        given = {"cluster": self.cluster, "strata": self.strata}
        return {name: ids for name, ids in given.items() if ids is not None}

    @property
    def settings(self) -> dict[str, int]:
        """The number of clusters and strata, for the signature."""
        names = {"cluster": "clusters", "strata": "strata"}
        return {names[what]: len(set(ids)) for what, ids in self.divided_by.items()}

    def posterior(self, counts: Counts) -> Posterior:
        """Return the posterior of the weights of units."""
        if self.divides_items:
            raise invalid("{cluster} and {strata} need items, which counts no longer distinguish; give the items")
        if not counts.paired:
            raise ValueError("units are resampled for all classifiers together, so the classifiers must share them")
        if isinstance(self.prior, Trend):
            return self.prior.posterior(counts)
        if counts.units is None:
            return _labels(counts) if counts.sets is None else ItemBootstrap(relevance(counts))
        number = counts.units
        if not len(number):
            raise ImproperPriorError("without units there is nothing to resample")
        table = combine(lambda x: (x.T / number).T, counts.contingency_of_kinds())
        by_unit = combine(lambda x: x / number, counts.contingency(by_unit=True))
        return UnitsPosterior(table, by_unit, number)


def _labels(counts: Counts) -> Posterior:
    """Return the posterior of labels per item, whose weights alone are the paired model with Haldane's prior."""
    try:
        return Paired(Haldane()).posterior(counts)
    except ImproperPriorError:
        nothing = "the bootstrap cannot resample a class that has no items; use {model:paired}, whose prior allows it"
        raise ImproperPriorError(Sentence(nothing)) from None


def divides_items(model: Model | str | None) -> bool:
    """Return whether items are clustered or stratified, so that counts do not suffice."""
    return isinstance(model, Model) and model.divides_items


def weighs_items(model: Model | str | None) -> bool:
    """Return whether the bootstrap is requested, by name or as an object."""
    return model == BayesianBootstrap.name or isinstance(model, BayesianBootstrap)


def weigher(model: Model | str | None, measure: str) -> BayesianBootstrap:
    """Return the bootstrap, the only model of items, for a measure of items."""
    if model is None or model == BayesianBootstrap.name:
        return BayesianBootstrap(prior=Haldane())
    if isinstance(model, BayesianBootstrap):
        return replace(model, prior=model.prior or Haldane())
    found = f"{measure} is computed from items, which only the bootstrap models"
    raise invalid("{found}: use {model:bootstrap}, or leave it out", found=found)
