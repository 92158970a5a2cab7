"""What units that were not seen could do to a score.

Weights of the units that were seen know nothing of others. That is too sure where a score hangs on few of them: where
two systems differ on few items, where one cluster is much larger than the rest, where one item is far off. With φ_u the
derivative of a score by the weight of unit u, a score under weights w is about s + Σ φ_u (w_u − 1), and

    n_eff = (Σφ²)² / Σφ⁴

is how many units of equal influence it hangs on. So one unit is added on either side that was not seen, with the
weight of one unit and the influence of those that matter, √(Σφ²/n_eff):

    s + Σ φ_u (w_u − 1) + size · (g₊ − g₋)        g₊, g₋ ~ Exp(1)

which makes the variance 1 + 2/n_eff times as large, as that of a t distribution with n_eff degrees of freedom is. Where
nearly nothing was seen to matter, the size tends to how far apart the influences of units on one score are: a system
could be as good as another but for one item.

A difference has units of its own: each system is given half a unit on either side, of the size that its difference to
the system that is most like it needs, and what one score needs beyond that is shared by all systems.

Assumed: units are independent, and what was not seen is no larger than what was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import Measure, MeasureFunction
from outperform.models.posterior import Posterior, stream
from outperform.models.weights import ItemWeights

__all__ = ["Influence", "Unseen", "Weighed", "WithUnseen", "kept_between"]

FEWEST_MOVED, MOST_MOVED = 300, 1_000  # units, or groups of them, whose influence is found one by one
STEP = 0.1  # of a unit's weight, by which a derivative is taken
POSSIBLE = 0.5  # units that what is possible counts for beside what was seen
BLOCK = 2**20  # numbers that are weighed at a time
STEADY = 100  # times as many units as groups: what is taken for no excess at all
UNSEEN = 2**20  # the stream that is drawn from, beside those of the blocks of draws
NOTHING = 1e-9  # of the largest influence on a score, below which there is none on a difference


@dataclass(frozen=True, eq=False)
class Influence:
    """Derivatives of scores by the weight of one unit.

    Attributes
    ----------
    moves : array of shape (kinds, systems)
        Of one unit of each kind.
    number : array of shape (kinds,)
        Units of the kind.
    units : int
        How many there are in all.
    mixed : int
        In how many groups units were put, to be moved together; 0 where each was moved by itself.
    """

    moves: FloatArray
    number: FloatArray
    units: int
    mixed: int = 0

    @classmethod
    def of(cls, score: Callable[[FloatArray], FloatArray], weights: ItemWeights, most: int) -> Influence:
        """Move the weight of each kind a little, or of groups of kinds where there are more than `most`.

        A kind of n units is then moved by √n up or down at random, so that a group adds up to what so many units with
        other places would: Σnφ², not (Σnφ)².
        """
        kinds = len(weights.number)
        groups = min(kinds, most)
        group = np.arange(kinds) % groups
        moved = np.ones(kinds)
        if kinds > most:
            moved = default_rng(0).choice([-1.0, 1.0], kinds) * np.sqrt(weights.number)
        plain = score(weights.rows(weights.number[:, None].copy()))
        moves = []
        block = max(1, BLOCK // kinds)
        for start in range(0, groups, block):
            width = min(block, groups - start)
            table = np.repeat(weights.number[:, None], width, axis=1)
            rows = np.flatnonzero((group >= start) & (group < start + width))
            table[rows, group[rows] - start] -= STEP * moved[rows]
            moves.append((plain - score(weights.rows(table))) / STEP)
        number = np.ones(groups) if kinds > most else weights.number
        return cls(np.concatenate(moves), number, weights.units, groups if kinds > most else 0)

    def size(self, of: FloatArray, possible: float) -> float:
        """The influence of a unit that was not seen, given those of all that were and how large it can be."""
        squares, fourths = float(self.number @ of**2), float(self.number @ of**4)
        if self.mixed:  # sums of many are normal, whatever their parts are like
            fourths = max(fourths - 3 * squares**2 / self.mixed, squares**2 / (STEADY * self.mixed))
        if not fourths:
            return possible
        effective = squares**2 / fourths
        return float((np.sqrt(effective * squares) + POSSIBLE * possible) / (effective + POSSIBLE))

    def spread(self) -> FloatArray:
        """How far apart the influences of units on each score are; four standard deviations where they were mixed."""
        if not self.mixed:
            return np.asarray(np.ptp(self.moves, axis=0))
        deviation: FloatArray = np.sqrt((self.moves**2).sum(axis=0) / self.units)
        return 4 * deviation


@dataclass(frozen=True, eq=False)
class Unseen:
    """Sizes of the units that were not seen, of shape (systems,): those that all systems share, and one's own."""

    shared: FloatArray
    individual: FloatArray

    @classmethod
    def by(cls, score: Callable[[FloatArray], FloatArray], weights: ItemWeights, draws: int, least: float) -> Unseen:
        """From scores by weights of the units; looking for it takes no longer than so many draws."""
        most = int(np.clip(draws // 5, FEWEST_MOVED, MOST_MOVED))
        return cls.of(Influence.of(score, weights, most), least)

    @classmethod
    def of(cls, influence: Influence, least: float) -> Unseen:
        """From the influence of units on each score; one unit can do `least` at least."""
        moves, spread = influence.moves, np.maximum(influence.spread(), least)
        systems = moves.shape[1]
        alone = np.array([influence.size(moves[:, k], spread[k]) for k in range(systems)])
        individual = np.zeros(systems)
        for k in range(systems):
            individual[k] = min(
                (
                    influence.size(_apart(moves[:, k], moves[:, j]), max(spread[k], spread[j]))
                    for j in range(systems)
                    if j != k
                ),
                default=0.0,
            )
        return cls(np.sqrt(np.maximum(alone**2 - individual**2 / 2, 0.0)), individual)

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """What they add to the scores, of shape (draws, systems)."""
        plus, minus = rng.standard_exponential((2, draws, 1))
        more, less = rng.standard_gamma(0.5, (2, draws, len(self.individual)))
        added: FloatArray = (plus - minus) * self.shared + (more - less) * self.individual
        return added


class Weighed(Posterior, Protocol):
    """A posterior by weights of units."""

    @property
    def kinds(self) -> FloatArray:
        """How many units of each kind there are."""
        ...

    def weighed(self, weights: FloatArray) -> Contingency:
        """What kinds of these weights, of shape (kinds, draws), amount to."""
        ...

    def reduced(self, average: str, measure: Measure) -> Weighed:  # noqa: ARG002
        """One whose scores of this kind are distributed alike."""
        return self


@dataclass(frozen=True, eq=False)
class WithUnseen(Posterior):
    """A posterior by weights of units, whose scores have room for units that were not seen.

    What classes add to a score, and scores of each class, stay without.
    """

    seen: Weighed
    bounded: bool = True

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return self.seen.cells

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws by the units that were seen."""
        return self.seen.contingency(rng, draws)

    def reduced(self, average: str, measure: Measure) -> WithUnseen:
        """The same for scores of this kind."""
        return replace(self, seen=self.seen.reduced(average, measure), bounded=measure.bounded)

    def scores(
        self, measure: MeasureFunction, *, draws: int, seed: SeedSequence, workers: int | None = None
    ) -> FloatArray:
        """Scores by the units that were seen, and what others could add."""
        scores = self.seen.scores(measure, draws=draws, seed=seed, workers=workers)
        if scores.ndim > 2:
            return scores
        weights = ItemWeights(self.seen.kinds, None, np.ones(len(self.seen.kinds)), None)
        least = 1 / weights.units if self.bounded else 0.0
        unseen = Unseen.by(lambda rows: measure(self.seen.weighed(rows)), weights, draws, least)
        rng = stream(SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, UNSEEN)), 0)
        return kept_between((-1.0, 1.0) if self.bounded else None, scores, unseen.draw(rng, draws))


def kept_between(limits: tuple[float, float] | None, scores: FloatArray, added: FloatArray) -> FloatArray:
    """Scores with something added, kept between the limits that the measure has."""
    if limits is None:
        return scores + added
    low, high = limits
    return np.clip(scores + added, min(low, float(scores.min())), max(high, float(scores.max())))


def _apart(first: FloatArray, second: FloatArray) -> FloatArray:
    """Their difference, without what is left of rounding."""
    off = first - second
    largest = max(float(np.abs(first).max(initial=0)), float(np.abs(second).max(initial=0)))
    return np.where(np.abs(off) > NOTHING * largest, off, 0.0)
