"""Scores that depend only on whether a prediction is right: accuracy and micro averages of items with one label each.

Which of K classifiers are right on an item is one of 2ᴷ outcomes, and such a score depends only on how many items have
each outcome. The numbers are multinomial, so the posterior of the outcomes' shares is Dirichlet: four cells for two
classifiers, whatever the number of classes. The prior has two pseudo-items in all, spread evenly over the outcomes, so
that the accuracy of each classifier has the prior Beta(1, 1) for any K, as under the flat prior for two classes.

Assumed: items are independent and come from the population that the question is about. Classes need not be alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.random import Generator

from outperform.base.sentences import invalid
from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.measures.of_counts import Measure
from outperform.models.binary import outcome_table, predicted_positive
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.patterns import pattern_posterior
from outperform.models.posterior import Posterior
from outperform.models.priors import PRIORS, Flat
from outperform.models.reads import what_is_read
from outperform.models.whole_prior import WholePrior

__all__ = ["RightOrWrong"]

FEW = 2  # classifiers, of which every outcome has a cell


@dataclass(frozen=True)
class RightOrWrong(WholePrior):
    """Two pseudo-items in all, spread evenly over which classifiers are right. For accuracy and micro averages."""

    pools_classes = False

    def posterior(self, counts: Counts) -> Posterior:
        """Return the joint posterior of all classifiers."""
        table = counts.right_or_wrong()
        if len(counts.classifiers) > FEW:
            return ManyRight(pattern_posterior(table, Flat()), len(counts.labels))
        outcomes = outcome_table(table)[1, :, 0]
        weights = outcomes + Flat().weights("positive", len(outcomes))
        return Right((weights,), partial(_contingency, len(counts.labels)))

    def check(self, counts: Counts) -> None:
        """Refuse two classes, and items with several labels."""
        if not counts.many or counts.groups:
            raise ValueError("the right_or_wrong prior is for items with one of many classes each")

    def __str__(self) -> str:
        """A short name for tables and signatures."""
        return "right_or_wrong"


@dataclass(frozen=True, eq=False)
class Right(DirichletPosterior):
    """Shares of the outcomes of one or two classifiers, in the papers' order: 11, 10, 01, 00."""

    def reduced(self, average: str, measure: Measure) -> Posterior:
        """Return the posterior for this score: a micro average counts an item once per class, accuracy once."""
        _check_right(average, measure)
        return self if average == "micro" else replace(self, meaning=partial(_contingency, 1))


@dataclass(frozen=True, eq=False)
class ManyRight(Posterior):
    """Three classifiers or more: a table of two classes in which every item is positive, and predicted if right."""

    whole: Posterior
    tables: int

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return self.whole.cells

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws."""
        c = self.whole.contingency(rng, draws)
        return _as_classes(c.hit, np.broadcast_to(c.support, c.hit.shape), self.tables)

    def reduced(self, average: str, measure: Measure) -> Posterior:
        """Return the posterior for this score: a micro average counts an item once per class, accuracy once."""
        _check_right(average, measure)
        return self if average == "micro" else replace(self, tables=1)


def _check_right(average: str, measure: Measure) -> None:
    """Refuse a score that depends on more than what is right."""
    if what_is_read(average, measure) != "right":
        advice = "for {average:{given}} leave {prior} out"
        raise invalid("the right_or_wrong prior is for accuracy and micro averages; " + advice, given=average)


PRIORS["right_or_wrong"] = RightOrWrong()  # here, because `priors` is below the models that this prior uses


def _contingency(tables: int, blocks: Sequence[FloatArray]) -> Contingency:
    hit, whole = predicted_positive(blocks[0])
    return _as_classes(hit.T, whole[:, None], tables)


def _as_classes(hit: FloatArray, whole: FloatArray, tables: int) -> Contingency:
    """Return one class that stands for all: a hit is a right answer, and every item is both true and predicted."""
    whole = whole[..., None]
    return Contingency(hit[..., None], whole, whole, whole * tables)
