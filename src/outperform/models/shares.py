"""Trees of shares: what a class's items are to one system, and to a second one given the first.

Of class k only the items matter that are of it or are taken for it. To one system each of them is a hit, a miss or a
false alarm, and every measure that does without true negatives is a function of the three shares. Each share is learned
by all classes together (`regression`):

    hits among all that matters     with a trend in the number of items that is straight or bent
    misses among the errors

Measures that read only what is true (recall) or only what is predicted (precision) have a tree with one share.

Given the first system's hits, misses and false alarms, the second's follow from four more shares: of the hits those
that it hits too, of the misses those that it hits, of the false alarms those that it raises too, and its own false
alarms beside all that matters to the first. Their trends depend on the number of trials and on the first's observed
odds in the class: where the first is good, so is the second.

What classes learn of a share is discounted by how much their sharing of items inflates the variance of the pooled
share, and what they learn of two shares is correlated as the pooled shares are: a hit that only one system has is often
a false alarm of the other in another class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.models.regression import Learned, learn, standardised
from outperform.models.roots import root

__all__ = ["ALARM", "FORMS", "HIT", "KINDS", "MISS", "UNSEEN", "Ordered", "Triple"]

# What an item is to a class: bits of "true", "the first says so", "the second says so".
HIT, MISS, ALARM = (7, 6), (5, 4), (3, 2)  # to the first
BOTH, ONLY_FIRST, ONLY_SECOND, NEITHER = 7, 6, 5, 4  # of what is true
SAME_ALARM, FIRST_ALARM, SECOND_ALARM = 3, 2, 1
KINDS = 8

SLOPE, BEND = 1.0, 0.5  # prior scales of a score's trend
GIVEN_SLOPE, GIVEN_ODDS = 0.35, 0.5  # and of the second system's shares
TINY, ROUNDING = 1e-300, 1e-9
UNSEEN = 1e-9  # weight of a class without items, so that its ratios stay defined

Triple: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True)
class Split:
    """Outcomes of which a share is learned, and the others that it is a share among."""

    yes: tuple[int, ...]
    no: tuple[int, ...]


@dataclass(frozen=True)
class Form:
    """A tree: shares of one system, shares of a second given the first, and the hits, misses and alarms they make.

    `moved` says how far the second's mean is moved from where its shares put it to where its own tree does.
    """

    one: tuple[Split, ...]
    given: tuple[Split, ...]
    first: Callable[..., Triple]
    second: Callable[..., Triple]
    moved: float = 0.5


def _all_first(hit: FloatArray, missed: FloatArray) -> Triple:
    return hit, (1 - hit) * missed, (1 - hit) * (1 - missed)


def _all_second(first: Triple, *shares: FloatArray) -> Triple:
    (hit, miss, alarm), (kept, mended, shared, new) = first, shares
    hits, misses = hit * kept + miss * mended, hit * (1 - kept) + miss * (1 - mended)
    return hits, misses, alarm * shared + (hit + miss + alarm) * _odds(new)


def _true_first(hit: FloatArray) -> Triple:
    return hit, 1 - hit, np.zeros_like(hit)


def _true_second(first: Triple, kept: FloatArray, mended: FloatArray) -> Triple:
    hit, miss, none = first
    return hit * kept + miss * mended, hit * (1 - kept) + miss * (1 - mended), none


def _predicted_first(hit: FloatArray) -> Triple:
    return hit, np.zeros_like(hit), 1 - hit


def _predicted_second(first: Triple, *shares: FloatArray) -> Triple:
    (hit, none, alarm), (kept, shared, new, right) = first, shares
    odds = _odds(new)
    return hit * kept + odds * right, none, alarm * shared + odds * (1 - right)


def _odds(share: FloatArray) -> FloatArray:
    return share / np.maximum(1 - share, UNSEEN)


KEPT, MENDED = Split((BOTH,), (ONLY_FIRST,)), Split((ONLY_SECOND,), (NEITHER,))
SHARED, NEW = Split((SAME_ALARM,), (FIRST_ALARM,)), Split((SECOND_ALARM,), HIT + MISS + ALARM)
FORMS = {
    "all": Form(
        (Split(HIT, MISS + ALARM), Split(MISS, ALARM)), (KEPT, MENDED, SHARED, NEW), _all_first, _all_second, moved=1.0
    ),
    "true": Form((Split(HIT, MISS),), (KEPT, MENDED), _true_first, _true_second),
    "predicted": Form(
        (Split(HIT, ALARM),),
        (KEPT, SHARED, Split((ONLY_SECOND, SECOND_ALARM), HIT + ALARM), Split((ONLY_SECOND,), (SECOND_ALARM,))),
        _predicted_first,
        _predicted_second,
    ),
}


@dataclass(frozen=True, eq=False)
class Ordered:
    """One system, and another given it: what was counted of each outcome, and what the classes learn from it.

    Attributes
    ----------
    form : Form
        The tree.
    counts : array of shape (outcomes, classes)
        Items.
    shared : array of shape (outcomes, outcomes)
        Σ over items of how many of its classes have one outcome times how many have the other.
    """

    form: Form
    counts: FloatArray
    shared: FloatArray

    @cached_property
    def one(self) -> tuple[Learned, ...]:
        """The shares of the first; that of its hits has a trend that may bend."""
        hit, *others = self.form.one
        x = self._size(hit)
        bent = (x**2 - (x**2).mean()) / np.sqrt(2)
        return self._learn(hit, [x, bent], [SLOPE, BEND]), *(
            self._learn(split, [self._size(split)], [SLOPE]) for split in others
        )

    @cached_property
    def given(self) -> tuple[Learned, ...]:
        """The shares of the second, which depend on how good the first is in the class."""
        hit = self.form.one[0]
        odds = np.log((self._sum(hit.yes) + 0.5) / (self._sum(hit.no) + 0.5))
        return tuple(
            self._learn(split, [self._size(split), standardised(odds)], [GIVEN_SLOPE, GIVEN_ODDS])
            for split in self.form.given
        )

    def first(self, rng: Generator, sums: FloatArray, lots: FloatArray) -> Triple:
        """Hits, misses and false alarms of the first, from sums of weights of shape (outcomes, classes, draws)."""
        return self.form.first(*_shares(self.form.one, self.one, lots, rng, sums))

    def second(self, rng: Generator, sums: FloatArray, lots: FloatArray, first: Triple) -> Triple:
        """Those of the second, in units of what matters to the first."""
        return self.form.second(first, *_shares(self.form.given, self.given, lots[len(self.one) :], rng, sums))

    def lots(self, rng: Generator, draws: int) -> FloatArray:
        """Correlated lots for what is learned of each share, of shape (shares, draws)."""
        from scipy.special import ndtr

        lots: FloatArray = ndtr(self._root @ rng.standard_normal((len(self._root), draws)))
        return lots

    @cached_property
    def _root(self) -> FloatArray:
        """A square root of the correlation of the pooled shares: items that decide both make them move together."""
        residual = np.stack([self._residual(split) for split in self.form.one + self.form.given])
        moments = residual @ self.shared @ residual.T
        alone = residual**2 @ self.counts.sum(axis=1)
        fixed = np.diag(moments) <= ROUNDING * alone  # as misses are half of all errors where each item has one class
        sd = np.where(fixed, np.inf, np.sqrt(np.maximum(np.diag(moments), TINY)))
        correlation = moments / np.outer(sd, sd)
        np.fill_diagonal(correlation, 1.0)
        return root(correlation)

    def _sum(self, outcomes: tuple[int, ...]) -> FloatArray:
        total: FloatArray = self.counts[list(outcomes)].sum(axis=0)
        return total

    def _size(self, split: Split) -> FloatArray:
        return standardised(np.log1p(self._sum(split.yes + split.no)))

    def _learn(self, split: Split, covariates: list[FloatArray], scales: list[float]) -> Learned:
        trials = self._sum(split.yes + split.no)
        return learn(self._sum(split.yes), trials, covariates, scales, self._discount(split))

    def _residual(self, split: Split) -> FloatArray:
        """What an item of each outcome adds to the pooled share, over its mean."""
        total = self.counts.sum(axis=1)
        yes, no = (float(total[list(part)].sum()) for part in (split.yes, split.no))
        share = (yes + 0.5) / (yes + no + 1)
        residual = np.zeros(KINDS)
        residual[list(split.yes)], residual[list(split.no)] = 1 - share, -share
        return residual

    def _discount(self, split: Split) -> float:
        """How much more the pooled share varies than if all its trials were items of their own."""
        residual = self._residual(split)
        alone = float(self.counts.sum(axis=1) @ residual**2)
        return max(1.0, float(residual @ self.shared @ residual) / alone) if alone else 1.0


def _shares(
    splits: Sequence[Split], learned: Sequence[Learned], lots: FloatArray, rng: Generator, sums: FloatArray
) -> list[FloatArray]:
    """Draws of shares, each of shape (classes, draws)."""
    drawn = []
    for split, pool, lot in zip(splits, learned, lots, strict=False):
        alpha, beta = pool.draw(lot)
        yes = sums[list(split.yes)].sum(axis=0) + rng.standard_gamma(alpha)
        no = sums[list(split.no)].sum(axis=0) + rng.standard_gamma(beta)
        drawn.append(yes / np.maximum(yes + no, TINY))
    return drawn
