"""The distribution of the prior's pseudo-items: per class, which classifiers are correct, and what others predict.

Two ways to distribute the weight W of a class over its outcomes:

- per classifier (`IndependentSpread`): correct with probability η, else any other class alike. For a pair it
  is the product. Flat Dirichlet priors have η = 1/M; ICDM'15 learns η.
- as in the pool of all classes (`PooledSpread`): the kinds of outcome (both correct, one correct, both wrong alike …)
  have probabilities π ~ Dir(a + e·pooled shares), and a wrong prediction is one that is often wrong elsewhere.

In both, the marginal of one classifier is the same alone and with others, given η, or given the pool (whose popularity
of wrong predictions is counted over all classifiers).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.data.labels import IntArray
from outperform.models.eta import Eta
from outperform.models.kinds import Flags, OutcomeKinds, pooled

__all__ = ["AtomOutcome", "IndependentSpread", "PooledSpread", "Spread", "kinds_of_outcome", "pool"]


MOST_LISTED = 3  # up to this many systems, all kinds are listed


class AtomOutcome(NamedTuple):
    """The outcome of one classifier for the atoms, an array of shape (classes, sticks, draws).

    `right` says where it is correct; `wrong` lists the other flat positions, `label` its predictions there.
    """

    right: NDArray[np.bool_]
    wrong: IntArray
    label: IntArray

    def predicted(self, mass: FloatArray) -> FloatArray:
        """Return the masses of wrong predictions by predicted class, of shape (classes, draws)."""
        classes, _, draws = mass.shape
        # Flat positions in (classes, draws): the predicted class, and the draw, which is the last axis.
        place = self.label * draws + self.wrong % draws
        sums: FloatArray = np.bincount(place, mass.ravel()[self.wrong], classes * draws).astype(np.float64, copy=False)
        return sums.reshape(classes, draws)


class Spread(Protocol):
    """A distribution of the prior's pseudo-items."""

    def fates(self, rng: Generator, shape: tuple[int, int, int]) -> list[AtomOutcome]:
        """Draw the outcomes of atoms, one per classifier."""
        ...


@dataclass(frozen=True, eq=False)
class IndependentSpread:
    """Each classifier is correct with probability η, independently; wrong predictions are uniform."""

    eta: Eta

    def fates(self, rng: Generator, shape: tuple[int, int, int]) -> list[AtomOutcome]:
        """Draw η, then the outcomes."""
        classes, sticks, draws = shape
        fates = []
        for eta in self.eta.draw(rng, draws):
            right = rng.random(shape, dtype=np.float32) < eta
            wrong = np.flatnonzero(~right)
            label = rng.integers(0, classes - 1, len(wrong))
            label += label >= wrong // (sticks * draws)
            fates.append(AtomOutcome(right, wrong, label))
        return fates


@dataclass(frozen=True, eq=False)
class PooledSpread:
    """Kinds of outcome as in the pool of all classes.

    Attributes
    ----------
    kinds : OutcomeKinds
        The kinds and their probabilities.
    right : array of bool, shape (kinds, classifiers)
        Which classifiers are correct.
    alike : array of bool, shape (kinds,)
        Whether all wrong classifiers predict the same.
    popularity : array of shape (classes,)
        How often a class is predicted wrongly, in any unit.
    """

    kinds: OutcomeKinds
    right: Flags
    alike: Flags
    popularity: FloatArray

    def fates(self, rng: Generator, shape: tuple[int, int, int]) -> list[AtomOutcome]:
        """Draw π, the kind of each atom, and wrong predictions."""
        _, sticks, draws = shape
        flag = self.kinds.draw(rng, shape)
        alike = np.flatnonzero(flag(self.alike))
        common = self._wrong_labels(rng, alike // (sticks * draws))
        fates = []
        for column in self.right.T:
            right = flag(column)
            wrong = np.flatnonzero(~right)
            label = self._wrong_labels(rng, wrong // (sticks * draws))
            mine = ~right.ravel()[alike]  # wrong there, like all others that are wrong
            label[np.searchsorted(wrong, alike[mine])] = common[mine]
            fates.append(AtomOutcome(right, wrong, label))
        return fates

    def _wrong_labels(self, rng: Generator, true: IntArray) -> IntArray:
        """Draw any class but the true one by popularity: the true one is cut out of the cumulative line."""
        ends, guide = self._line
        own_share = self.popularity[true]
        lot = rng.random(len(true)) * (ends[-1] - own_share)
        lot += np.where(lot >= ends[true] - own_share, own_share, 0.0)
        label = guide[(lot * (len(guide) / ends[-1])).astype(np.int64).clip(max=len(guide) - 1)]
        late = np.flatnonzero(ends[label] <= lot)
        while len(late):  # the guide is a step or two behind
            label[late] = np.minimum(label[late] + 1, len(ends) - 1)
            late = late[(ends[label[late]] <= lot[late]) & (label[late] < len(ends) - 1)]
        return np.where(label == true, (true + 1) % len(ends), label)  # rounding at the cut

    @cached_property
    def _line(self) -> tuple[FloatArray, IntArray]:
        """Return the cumulative popularity, and the class at each of evenly spaced points, to start the search."""
        ends = np.cumsum(self.popularity)
        # A guide table with four entries per class replaces a binary search per draw.
        parts = np.arange(4 * len(ends)) * (ends[-1] / (4 * len(ends)))
        return ends, np.searchsorted(ends, parts, side="right").astype(np.int64)


def kinds_of_outcome(classifiers: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], FloatArray]:
    """Return who is correct in each kind, whether the wrong ones predict the same, and weights that add up to 1.

    Each pattern of right and wrong has the same weight, so that a classifier alone has Beta(½, ½).
    """
    right, alike, weight = [], [], []
    for pattern in product((True, False), repeat=classifiers):
        several = classifiers - sum(pattern) > 1
        for same in (True, False) if several else (False,):
            right.append(pattern)
            alike.append(same)
            weight.append((0.5 if several else 1.0) / 2**classifiers)
    return np.array(right), np.array(alike), np.array(weight)


def pool(counts: Counts, strength: float) -> PooledSpread:
    """Return the pool of all classes, weighted as `strength` items per class."""
    classes, classifiers = len(counts.labels), len(counts.classifiers)
    hit = counts.predictions == counts.truth[:, None]
    first_wrong = counts.predictions[np.arange(len(hit)), np.argmin(hit, axis=1)]
    same = (hit | (counts.predictions == first_wrong[:, None])).all(axis=1) & ((~hit).sum(axis=1) > 1)
    if classifiers > MOST_LISTED:
        kinds, flags = OutcomeKinds.seen(np.column_stack([hit, same]), counts.n, strength * classes)
        right, alike = flags[:, :-1], flags[:, -1]
    else:
        right, alike, alpha = kinds_of_outcome(classifiers)
        who = zip(right, alike, strict=True)
        items = np.array([counts.n[(hit == right).all(axis=1) & (same == one)].sum() for right, one in who])
        kinds = OutcomeKinds(pooled(alpha, items, strength * classes))
    wrong = [
        np.bincount(guess[~h], counts.n[~h], classes) for guess, h in zip(counts.predictions.T, hit.T, strict=True)
    ]
    return PooledSpread(kinds, right, alike, np.sum(wrong, axis=0) / classifiers + 0.5)
