"""Trees of shares: the outcomes of a class's items for one system, and for a second one given the first.

For class k only the items matter that belong to it or are predicted as it. For one system each of them is a hit, a miss
or a false alarm, and every measure without true negatives is a function of the three shares. Each share is learned
by all classes together (`regression`):

    hits among all relevant items   with a linear or curved trend in the size of the class (`sizes`)
    misses among the errors         with a linear one

A class without items may be smaller than any other by orders of magnitude, and no item says how the trend goes on down
there. So it may change, in all these classes alike, by an unknown amount for each unit of the gap.

Measures that depend only on true items (recall) or only on predicted items (precision) have a tree with one share.

Given the hits, misses and false alarms of the first system, those of the second follow from four more shares: of the
hits those that it hits too, of the misses those that it hits, of the false alarms those that it shares, and its other
false alarms relative to all items relevant to the first. Their trends depend on the number of trials (as log(1 + t),
which hardly extrapolates: trials are few where the first makes few errors, not only where the class is small) and on
the observed odds of the first in the class: where the first is good, so is the second.

What classes learn about a share is discounted by how much shared items inflate the variance of the pooled
share, and what they learn about two shares is correlated as the pooled shares are: a hit of only one system is often
a false alarm of the other in another class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import islice
from typing import Self, TypeAlias

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.models.regression import Learned, Shares, learn, standardised
from outperform.models.roots import root
from outperform.models.silence import Silence
from outperform.models.sizes import expected_log_size, gap

__all__ = [
    "ALARM",
    "FORMS",
    "HIT",
    "KINDS",
    "MISS",
    "SWAPPED",
    "UNSEEN",
    "Gamma",
    "Ordered",
    "Outcomes",
    "Sums",
    "Triple",
    "added",
    "predicted",
]

# The outcome of an item for a class, in bits: 4 if true, 2 if the first predicts it, 1 if the second does.
HIT, MISS, ALARM = (7, 6), (5, 4), (3, 2)  # for the first system
BOTH, ONLY_FIRST, ONLY_SECOND, NEITHER = 7, 6, 5, 4  # of true items
SAME_ALARM, FIRST_ALARM, SECOND_ALARM = 3, 2, 1
KINDS = 8
SWAPPED = (0, 2, 1, 3, 4, 6, 5, 7)  # the same outcomes with the second system first

SLOPE, BEND = 1.0, 0.5  # prior scales of the trend of a score
UNKNOWN = 0.15  # prior scale of how much a trend changes below the smallest classes that have items
GIVEN_SLOPE, GIVEN_ODDS = 0.35, 0.5  # prior scales of the second system's shares
STEP, LEAST_MOVED = 1e-4, 1e-3  # of a derivative, relative to what is moved, which counts as no less for a share
MOST_MOVED = 16_384  # classes × numbers that are moved at a time
TINY, ROUNDING = 1e-300, 1e-9
UNSEEN = 1e-9  # weight of a class without items, so that its ratios stay defined

Triple: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
Sums: TypeAlias = Sequence[FloatArray] | FloatArray  # of weights, one of shape (classes, draws) for each outcome
Gamma: TypeAlias = Callable[[FloatArray], FloatArray]  # gammas of these shapes


@dataclass(frozen=True)
class Split:
    """Outcomes whose share is learned, and the other outcomes that it is relative to.

    `own` are the successes and failures that all classes together have of their own. Of a system's hits there is no
    success, because many systems never find some classes; an error is a miss of one class and a false alarm of another.
    """

    yes: tuple[int, ...]
    no: tuple[int, ...]
    own: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class Form:
    """A tree: shares of one system, shares of a second given the first, and the hits, misses and alarms they give.

    `moved` is how far mean and spread of the second are moved from those of its shares to those of its own tree.
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
        (Split(HIT, MISS + ALARM, own=(0.0, 2.0)), Split(MISS, ALARM)),
        (KEPT, MENDED, SHARED, NEW),
        _all_first,
        _all_second,
        moved=1.0,
    ),
    "true": Form((Split(HIT, MISS, own=(0.0, 1.0)),), (KEPT, MENDED), _true_first, _true_second),
    "predicted": Form(
        (Split(HIT, ALARM, own=(0.0, 1.0)),),
        (KEPT, SHARED, Split((ONLY_SECOND, SECOND_ALARM), HIT + ALARM), Split((ONLY_SECOND,), (SECOND_ALARM,))),
        _predicted_first,
        _predicted_second,
    ),
}


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Counts of each outcome for one system, and another given it.

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

    def of(self, split: Split) -> FloatArray:
        """Return the successes and the failures of each class, of shape (2, classes)."""
        return np.stack([self._sum(split.yes), self._sum(split.no)])

    @property
    def one(self) -> list[Shares]:
        """The shares of the first; that of its hits has a curved trend."""
        return [self._trend(split, curved=k == 0) for k, split in enumerate(self.form.one)]

    @property
    def given(self) -> list[Shares]:
        """The shares of the second, which depend on how good the first is in the class."""
        hit = self.form.one[0]
        # Half an item on either side keeps the log odds finite.
        odds = standardised(np.log((self._sum(hit.yes) + 0.5) / (self._sum(hit.no) + 0.5)))
        return [
            self._of(split, (standardised(np.log1p(self._trials(split))), GIVEN_SLOPE), (odds, GIVEN_ODDS))
            for split in self.form.given
        ]

    @property
    def silence(self) -> Silence | None:
        """Which classes the first may never predict, if scores depend on what it predicts; None if it predicts all."""
        if self.form is not FORMS["predicted"] or not self.counts.any():
            return None
        return Silence.of(self._sum(HIT + ALARM), self._sum(HIT + MISS + ALARM))

    @cached_property
    def root(self) -> FloatArray:
        """A square root of the correlation of the pooled shares, which is due to items that affect both."""
        residual = np.stack([self._residual(split) for split in self.form.one + self.form.given])
        moments = residual @ self.shared @ residual.T
        alone = residual**2 @ self.counts.sum(axis=1)
        fixed = np.diag(moments) <= ROUNDING * alone  # e.g. misses are half of all errors if each item has one class
        sd = np.where(fixed, np.inf, np.sqrt(np.maximum(np.diag(moments), TINY)))
        correlation = moments / np.outer(sd, sd)
        np.fill_diagonal(correlation, 1.0)
        return root(correlation)

    def _sum(self, outcomes: tuple[int, ...]) -> FloatArray:
        total: FloatArray = self.counts[list(outcomes)].sum(axis=0)
        return total

    def _trials(self, split: Split) -> FloatArray:
        return self._sum(split.yes + split.no)

    def _trend(self, split: Split, *, curved: bool) -> Shares:
        """Return a share with a trend in the size of the class."""
        trials = self._trials(split)
        x = standardised(expected_log_size(trials))
        terms = [(x, SLOPE)]
        if curved:
            # The second Hermite polynomial: uncorrelated with x and of variance 1 if x is normal.
            terms.append(((x**2 - (x**2).mean()) / np.sqrt(2), BEND))
        if (trials == 0).any() and trials.any():
            terms.append((gap(trials), UNKNOWN))
        return self._of(split, *terms)

    def _of(self, split: Split, *terms: tuple[FloatArray, float]) -> Shares:
        """Return a share with these covariates and prior scales of their slopes."""
        covariates, scales = zip(*terms, strict=True)
        trials = self._trials(split)
        return Shares(self._sum(split.yes), trials, covariates, scales, self._discount(split), split.own)

    def _residual(self, split: Split) -> FloatArray:
        """Return what an item of each outcome adds to the pooled share, relative to its mean."""
        total = self.counts.sum(axis=1)
        yes, no = (float(total[list(part)].sum()) for part in (split.yes, split.no))
        share = (yes + 0.5) / (yes + no + 1)
        residual = np.zeros(KINDS)
        residual[list(split.yes)], residual[list(split.no)] = 1 - share, -share
        return residual

    def _discount(self, split: Split) -> float:
        """Return the variance of the pooled share relative to that with independent trials."""
        residual = self._residual(split)
        alone = float(self.counts.sum(axis=1) @ residual**2)
        return max(1.0, float(residual @ self.shared @ residual) / alone) if alone else 1.0


@dataclass(frozen=True, eq=False)
class Ordered:
    """What the classes learn from the outcomes of one system, and of another given it.

    `one` are the shares of the first, `given` those of the second given the first: none unless they were asked for.
    `silence` is about classes that the first did not predict, if scores depend on what it predicts.
    """

    outcomes: Outcomes
    one: tuple[Learned, ...]
    given: tuple[Learned, ...]
    silence: Silence | None

    @classmethod
    def learn(cls, systems: Sequence[Outcomes], importance: FloatArray | None, *, given: bool) -> list[Self]:
        """Learn the shares of all systems at once; for the importance of classes see `learn` of `regression`."""
        asked = [(x.one, x.given if given else []) for x in systems]
        learned = iter(learn([share for one, other in asked for share in (*one, *other)], importance))
        return [
            cls(x, tuple(islice(learned, len(one))), tuple(islice(learned, len(other))), x.silence)
            for x, (one, other) in zip(systems, asked, strict=True)
        ]

    def drawn(self, gamma: Gamma, sums: Sums, lots: FloatArray, *, given: bool = False) -> list[FloatArray]:
        """Draw the shares of the first, or of the second given it, from sums of weights by outcome."""
        form = self.outcomes.form
        if given:
            return _shares(form.given, self.given, lots[len(self.one) :], gamma, sums)
        return _shares(form.one, self.one, lots, gamma, sums)

    def triples(self, shares: Sequence[FloatArray] | FloatArray) -> list[Triple]:
        """Return hits, misses and alarms of the first; and of the second, in the same units, given its shares."""
        form, one = self.outcomes.form, len(self.one)
        first = form.first(*shares[:one])
        return [first, form.second(first, *shares[one:])] if len(shares) > one else [first]

    def predicts(self, rng: Generator, draws: int) -> FloatArray | None:
        """Draw which classes the first predicts at all: 1 or 0, of shape (classes, draws); None if it predicts all."""
        return None if self.silence is None else self.silence.draw(rng, draws)

    @property
    def pools(self) -> list[tuple[Split, Learned]]:
        """The shares of the first, then of the second given it, and what was learned of them."""
        form = self.outcomes.form
        return [*zip((*form.one, *form.given), (*self.one, *self.given), strict=True)]

    def nudged(self) -> Iterator[tuple[FloatArray, list[Triple], FloatArray]]:
        """Yield what derivatives are made of: sums, hits, misses and alarms with one number moved, and the steps.

        All is at its middle in the last column. In each other column one outcome or share is moved, in all classes: as
        many at a time as fit into a cache.
        """
        middle = np.stack([pool.middle(self.outcomes.of(split)) for split, pool in self.pools])
        inwards = np.where(middle < 0.5, STEP, -STEP) * np.maximum(np.minimum(middle, 1 - middle), LEAST_MOVED)
        at, steps = np.concatenate([self.outcomes.counts, middle]), STEP * (1 + self.outcomes.counts)
        steps = np.concatenate([steps, inwards])
        each = min(max(1, MOST_MOVED // at.shape[1]), len(at))
        moved = np.repeat(at[..., None], each + 1, axis=2)
        for first in range(0, len(at), each):
            rows = np.arange(first, min(first + each, len(at)))
            moved[rows, :, rows - first] += steps[rows]
            yield moved[:KINDS], self.triples(moved[KINDS:]), steps[rows]
            moved[rows, :, rows - first] = at[rows]

    def lots(self, normal: FloatArray) -> FloatArray:
        """Return correlated uniform numbers for the shares from independent normal ones, of shape (shares, draws)."""
        from scipy.special import ndtr

        lots: FloatArray = ndtr(self.outcomes.root @ normal)
        return lots


def added(sums: Sums, outcomes: tuple[int, ...]) -> FloatArray:
    """Return the sum over outcomes."""
    return reduce(np.add, (sums[outcome] for outcome in outcomes))


def predicted(triple: Triple, predicts: FloatArray | None) -> Triple:
    """Return the hits, misses and false alarms without those of classes that are not predicted at all."""
    if predicts is None:
        return triple
    hit, miss, alarm = triple
    return hit * predicts, miss, alarm * predicts


def _shares(
    splits: Sequence[Split], learned: Sequence[Learned], lots: FloatArray, gamma: Gamma, sums: Sums
) -> list[FloatArray]:
    """Draw shares, each of shape (classes, draws)."""
    drawn = []
    for split, pool, lot in zip(splits, learned, lots, strict=False):
        alpha, beta = pool.draw(lot)
        yes = added(sums, split.yes) + gamma(alpha)
        no = added(sums, split.no) + gamma(beta)
        drawn.append(yes / np.maximum(yes + no, TINY))
    return drawn
