"""Scores of each item: whole items are weighed, as in the Bayesian bootstrap (Rubin 1981).

An item that may have any number of labels has a score of its own (how many of its labels are found, how many of
those predicted are right), and "samples" is the mean over items. What the items are like is not modelled: the
weights of the items are Dir(1, …, 1), which for items of the same kind is a gamma of their number. All classifiers
weigh the same items, so they are paired.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from outperform.contingency import Contingency, FloatArray, combine
from outperform.counts import Counts
from outperform.errors import ImproperPriorError
from outperform.posterior import Posterior
from outperform.priors import Haldane, Prior

__all__ = ["ItemsPosterior", "items_posterior"]


@dataclass(frozen=True, eq=False)
class ItemsPosterior(Posterior):
    """One item of each kind, of shape (classifiers, kinds), and how many of the kind there are."""

    item: Contingency
    number: FloatArray

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return len(self.number)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws, of shape (draws, classifiers, kinds)."""
        weight = rng.standard_gamma(self.number, (draws, len(self.number)))[:, None]
        return combine(lambda x: x * weight, self.item)


def items_posterior(counts: Counts, prior: Prior) -> ItemsPosterior:
    """Weigh the items. There is nothing for a prior to say."""
    if prior != Haldane():
        raise ValueError(f'average="samples" weighs whole items and takes the haldane prior alone, got {prior}')
    observed = counts.contingency()
    number: FloatArray = observed.total[0] / len(counts.groups)
    if not len(number):
        raise ImproperPriorError("without items there is nothing to weigh")
    return ItemsPosterior(combine(lambda x: x / number, observed), np.asarray(number))
