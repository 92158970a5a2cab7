"""What unobserved units could do to a score.

Weights of the observed units ignore all others. That is overconfident if a score depends on few of them: if
two systems differ on few items, one cluster is much larger than the rest, or one item is an outlier. With φ_u what
unit u contributes to a score s, the score less that without the unit, a score under weights w is about
s + Σ φ_u (w_u − 1), and

    n_eff = (Σφ²)² / Σφ⁴

is the number of units of equal influence that it depends on. So one unobserved unit is added on either side, with the
weight of one unit and the influence of those that matter, √(Σφ²/n_eff):

    s + Σ φ_u (w_u − 1) + size · (g₊ − g₋)        g₊, g₋ ~ Exp(1)

which makes the variance 1 + 2/n_eff times as large, like that of a t distribution with n_eff degrees of freedom. If
almost nothing observed has an influence, the size tends to the range of the influences of units on one score, or to
what an outcome that was not observed would do: a system could equal another except for one item.

A difference has separate units, of its own size: each of two systems has half a unit on either side, and what one score
needs beyond that is shared. Of more systems the units are mixed: they are as correlated as the sizes of scores and of
differences say, as coordinates are found from distances, so that two differ by what they need alone.

Assumptions: units are independent, and unobserved ones are no larger than observed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeAlias
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.random import Generator, default_rng

from outperform.data.contingency import FloatArray, adding
from outperform.data.labels import IntArray
from outperform.models.weights import ItemWeights

__all__ = ["Influence", "Least", "Unseen", "kept_between"]

FEWEST_MOVED, MOST_MOVED = 300, 1_000  # units, or groups of them, whose influence is computed one by one
STEPS = 1.0, 0.1  # of a unit's weight: without it, or with less of it where the score is undefined without it
POSSIBLE = 0.5  # weight of the possible influence, in units, relative to the observed ones
BLOCK = 2**20  # numbers that are weighted at a time
STEADY = 100  # times as many units as groups: treated as no excess kurtosis at all
ROUNDING = 1e-13  # share of a score below which a difference is a rounding error
NOTHING = 1e-9  # share of the largest influence on a score that counts as none on a difference

Least: TypeAlias = FloatArray | float  # influence of one unit on each score


@dataclass(frozen=True, eq=False)
class Influence:
    """Derivatives of scores by the weight of one unit.

    Attributes
    ----------
    moves : array of shape (kinds, systems)
        Of one unit of each kind.
    number : array of shape (kinds,)
        Number of units of each kind.
    units : int
        Number of units in all.
    mixed : int
        Number of groups of units that were moved together; 0 if each was moved alone.
    """

    moves: FloatArray
    number: FloatArray
    units: int
    mixed: int = 0

    @classmethod
    def of(cls, score: Callable[[FloatArray], FloatArray], weights: ItemWeights, most: int) -> Influence:
        """Compute the influence of each kind, or of groups of kinds if there are more than `most`.

        In a group, a kind of n units is moved by √n up or down at random, so that the square of the sum is that of
        independent units: Σnφ², not (Σnφ)².
        """
        for step in STEPS:
            moves = np.concatenate(list(_differences(score, weights, most, step)))
            if np.isfinite(moves).all():
                break
        return cls._grouped(moves, weights, most)

    @classmethod
    def known(cls, moves: FloatArray, weights: ItemWeights, most: int) -> Influence:
        """Return derivatives that are known, of shape (kinds, systems), or those of the same groups."""
        if len(moves) <= most:
            return cls._grouped(moves, weights, most)
        group, moved = _groups(weights.number, most)
        return cls._grouped(adding(group, most) @ (moved[:, None] * moves), weights, most)

    @classmethod
    def _grouped(cls, moves: FloatArray, weights: ItemWeights, most: int) -> Influence:
        if len(weights.number) <= most:
            return cls(moves, weights.number, weights.units)
        return cls(moves, np.ones(most), weights.units, most)

    def size(self, of: FloatArray, possible: float) -> float:
        """Return the influence of an unobserved unit, given those of the observed ones and the largest possible one."""
        scale = float(np.abs(of).max(initial=0.0))
        if not scale:
            return possible
        square = (of / scale) ** 2
        squares, fourths = float(self.number @ square), float(self.number @ square**2)
        if self.mixed:  # sums of many are normal, whatever their terms
            fourths = max(fourths - 3 * squares**2 / self.mixed, squares**2 / (STEADY * self.mixed))
        effective = squares**2 / fourths
        return float((scale * np.sqrt(effective * squares) + POSSIBLE * possible) / (effective + POSSIBLE))

    def spread(self) -> FloatArray:
        """Return the range of the influences of units on each score; four standard deviations if they were mixed."""
        if not self.mixed:
            return np.asarray(np.ptp(self.moves, axis=0))
        deviation: FloatArray = np.sqrt((self.moves**2).sum(axis=0) / self.units)
        return 4 * deviation


@dataclass(frozen=True, eq=False)
class Unseen:
    """Sizes of the unobserved units.

    Attributes
    ----------
    alone : array of shape (systems,)
        Of a unit that moves one score.
    apart : array of shape (systems, systems)
        Of a unit that moves a difference.
    possible : array of shape (systems,)
        The largest influence of one unit on each score, by the range of those observed.
    """

    alone: FloatArray
    apart: FloatArray
    possible: FloatArray

    @classmethod
    def by(
        cls,
        score: Callable[[FloatArray], FloatArray],
        weights: ItemWeights,
        draws: int,
        *,
        least: Least = 0.0,
        unmoved: Least = 0.0,
    ) -> Unseen:
        """Compute it from scores under weights of the units, in no more time than `draws` draws take."""
        most = int(np.clip(draws // 5, FEWEST_MOVED, MOST_MOVED))
        return cls.of(Influence.of(score, weights, most), least, unmoved)

    @classmethod
    def known(cls, moves: FloatArray, weights: ItemWeights, *, least: Least = 0.0, unmoved: Least = 0.0) -> Unseen:
        """Compute it from derivatives of shape (kinds, systems), one by one for two systems."""
        most = MOST_MOVED if moves.shape[1] > 2 else len(moves)
        return cls.of(Influence.known(moves, weights, most), least, unmoved)

    @classmethod
    def of(cls, influence: Influence, least: Least = 0.0, unmoved: Least = 0.0) -> Unseen:
        """Compute it from the influence of units on each score.

        One unit has at least the influence `least`, and that of `unmoved` on a score on which no observed one has any.
        """
        moves, spread = influence.moves, influence.spread()
        spread = np.maximum(np.where(spread > 0, spread, unmoved), least)
        systems = moves.shape[1]
        alone = np.array([influence.size(moves[:, k], spread[k]) for k in range(systems)])
        apart = np.zeros((systems, systems))
        for k, j in combinations(range(systems), 2):
            size = influence.size(_apart(moves[:, k], moves[:, j]), max(spread[k], spread[j]))
            apart[k, j] = apart[j, k] = size
        return cls(alone, apart, spread)

    def select(self, systems: Sequence[int] | IntArray) -> Unseen:
        """Return the sizes of some systems, in this order."""
        return Unseen(self.alone[systems], self.apart[systems][:, systems], self.possible[systems])

    @cached_property
    def mixed(self) -> FloatArray:
        """Sizes of half a unit for each system, in all systems, of shape (systems, units)."""
        largest = max(self.alone.max(initial=0.0), self.apart.max(initial=0.0)) or 1.0
        return largest * _coordinates(self.alone / largest, self.apart / largest)

    @cached_property
    def shared(self) -> FloatArray:
        """Sizes of a unit shared by all systems: what the score of one needs beyond its differences."""
        covered = np.sqrt(0.5) * _length(self.mixed)
        return _rest(self.alone, covered)

    @cached_property
    def beyond(self) -> FloatArray:
        """Sizes of a unit that moves one of two scores as far as any unit, less what draws allow for, by pair.

        Units on which two systems differ a little say nothing about units on which they could differ as much as the
        scores of one system vary.
        """
        return _rest(np.maximum.outer(self.possible, self.possible), self.apart)

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.alone.any() or self.apart.any())

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw what the units add to the scores, of shape (draws, systems)."""
        plus, minus = rng.standard_exponential((2, draws, 1))
        more, less = rng.standard_gamma(0.5, (2, draws, self.mixed.shape[1]))
        added: FloatArray = (plus - minus) * self.shared + (more - less) @ self.mixed.T
        return added


def _differences(
    score: Callable[[FloatArray], FloatArray], weights: ItemWeights, most: int, step: float
) -> Iterator[FloatArray]:
    """Yield what each kind, or each group of them, contributes to the scores: with it less without it."""
    kinds = len(weights.number)
    group, moved = _groups(weights.number, most)
    groups = min(kinds, most)
    plain = score(weights.rows(weights.number[:, None].copy()))
    block = max(1, BLOCK // kinds)
    for start in range(0, groups, block):
        width = min(block, groups - start)
        table = np.repeat(weights.number[:, None], width, axis=1)
        rows = np.flatnonzero((group >= start) & (group < start + width))
        table[rows, group[rows] - start] -= step * moved[rows]
        with catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            simplefilter("ignore")  # of a user's function, about a table without the unit
            moves = plain - score(weights.rows(table))
        yield np.where(np.abs(moves) > ROUNDING * np.abs(plain), moves, 0.0) / step


def _groups(number: FloatArray, most: int) -> tuple[IntArray, FloatArray]:
    """Return the group of each kind, and by how much it is moved with its group: by 1 if each is alone."""
    kinds = len(number)
    if kinds <= most:
        return np.arange(kinds), np.ones(kinds)
    return np.arange(kinds) % most, default_rng(0).choice([-1.0, 1.0], kinds) * np.sqrt(number)


def kept_between(limits: tuple[float, float], scores: FloatArray, added: FloatArray) -> FloatArray:
    """Return the sum, clipped to the limits of the measure."""
    low, high = limits
    return np.clip(scores + added, min(low, float(scores.min())), max(high, float(scores.max())))


def _coordinates(alone: FloatArray, apart: FloatArray) -> FloatArray:
    """Return coordinates of systems whose squared distances are twice those of the sizes, from 0 twice those alone.

    If no coordinates have these distances, they are larger. Two systems are orthogonal, without rounding errors, so
    that exchanging them changes nothing else; they differ by what they share, too, and so do any two of more systems.
    """
    if len(alone) <= 2:
        two: FloatArray = np.eye(len(alone)) * apart.max(initial=0.0)
        return two
    shared = _rest(alone[:, None], np.sqrt(0.5) * apart)
    variance, axes = np.linalg.eigh(np.add.outer(alone**2, alone**2) - apart**2 - (shared - shared.T) ** 2)
    root: FloatArray = (axes * np.sqrt(np.maximum(variance, 0.0))) @ axes.T
    return root


def _rest(whole: FloatArray, part: FloatArray) -> FloatArray:
    """Return √(whole² − part²), or 0; the squares may overflow."""
    rest: FloatArray = np.sqrt(np.maximum(whole - part, 0.0)) * np.sqrt(whole + part)
    return rest


def _length(rows: FloatArray) -> FloatArray:
    """Return the length of vectors on the last axis, whose squares may overflow."""
    largest = np.abs(rows).max(axis=-1, initial=0.0, keepdims=True)
    unit = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    length: FloatArray = largest[..., 0] * np.sqrt((unit * unit).sum(axis=-1))
    return length


def _apart(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the difference, with rounding errors set to 0."""
    off = first - second
    largest = max(float(np.abs(first).max(initial=0)), float(np.abs(second).max(initial=0)))
    return np.where(np.abs(off) > NOTHING * largest, off, 0.0)
