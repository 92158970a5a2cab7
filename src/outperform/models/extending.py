"""Many draws of scores from few joint ones: a regression on the shares of the classes.

A score y is a function of shares p of the classes (`shares`), each Beta given what was learned, and of the weights w of
the items. It is nearly linear in them, however few items a class has. With d and l its derivatives, n the numbers of
items, and m(z) the mean of p given the standard normal numbers z that choose what was learned,

    P = Σ d (p − m(z)) + Σ l (w − n)        T = Σ d (m(z) − E m)        y = y₀ + βᵀ (P, T, P²) + r

where y₀ and β are fitted by least squares and r is what is left. The distribution of the parts is known. P is a sum
over very many. It has the covariance and the third cumulants of a sum of gammas (`expansion`), one of each item and two
of each share, scaled so that every share has the variance of its Beta; with z this variance changes. T is a sum of a
few numbers that are looked up, one for each share of the tree.

So new draws are y₀ + βᵀ (P, T, P²) with new P and T, and an r of one of the joint draws. Their Monte-Carlo error is
that of r alone: if the parts explain the share R² of the variance, n joint draws are as accurate as n/(1 − R²). From
few joint draws only the slopes of a score's own parts are fitted. Those of P and T have a prior: to first order they
are 1.

Assumptions: r does not depend on the parts; its dependence in the mean is removed by the fit. Shares that have items in
common vary together as their linear parts do. How much items add to a share depends on z as it does on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations_with_replacement, permutations
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.models.expansion import TAIL, VIEWS, directions_of, fewness, skewed, spread_in_views
from outperform.models.regression import Learned
from outperform.models.shares import KINDS, Ordered

__all__ = ["Known", "Levers", "Regression", "first_draws", "known", "missing_draws", "unexplained"]

ALLOWED = 0.016  # error of the ends of a 95% HDI, in standard deviations; that of 12,500 draws is 0.024
REACH, CELLS = 6.0, 2**16  # points are looked up by cells of normal numbers, of which a point has about a hundred
PER_UNIT = CELLS / (2 * REACH)
PILOT, FEWEST, EACH = 120, 16, 100  # first joint draws: one for so many without a regression
SURE = 3  # times as many as are needed, up to as many as the pilot, because few draws hardly tell what is left
ENOUGH = 6  # draws for each part, from which on all slopes are fitted
NEAR = 0.05  # standard deviation of slopes that are 1 to first order
LEAST = 1e-6  # variance of a direction that is kept, where that of every score is 1


@dataclass(frozen=True, eq=False)
class Lever:
    """What one share of the classes adds to scores.

    Attributes
    ----------
    slopes : array of shape (classes, scores)
        What a score gains with the share, class by class.
    by_gamma : array of shape (2, classes, scores)
        What it gains with one more of the gammas that are added to successes and to failures, scaled as above.
    shapes : array of shape (2, classes)
        Mean shapes of these gammas.
    row : array of shape (normals,)
        The sum of the normal numbers that chooses a point of what was learned.
    ends : array of shape (points,)
        Where each point ends, as a quantile of a normal number.
    table : array of shape (points, 2, scores)
        What the mean shares add at each point, and their variance there.
    usual : array of shape (2, scores)
        The mean of the table.
    """

    slopes: FloatArray
    by_gamma: FloatArray
    shapes: FloatArray
    row: FloatArray
    ends: FloatArray
    table: FloatArray
    usual: FloatArray

    @classmethod
    def of(
        cls, slopes: FloatArray, row: FloatArray, learned: Learned, counts: FloatArray
    ) -> tuple[Self, FloatArray, FloatArray]:
        """Compute them from derivatives and what was learned; and what one more success and failure of the items adds.

        The latter, of shape (2, classes, scores), twice: in the mean over the points, and its root mean square.
        """
        from scipy.special import ndtri

        chance, slope = learned.probability, learned.merged(slopes)
        means, variances = learned.moments(counts)
        mean, variance = (learned.averaged(x) for x in (means, variances))
        spread, square = learned.due_to_items(counts)
        shapes = np.stack([learned.averaged(x) for x in (learned.alpha, learned.beta)])
        each = np.stack([(1 - mean)[:, None] * slopes, -mean[:, None] * slopes])
        usual, most, by_gamma = (
            each * np.sqrt(_ratio(x, (1 - mean) ** 2 * yes + mean**2 * no))[:, None]
            for x, (yes, no) in ((spread**2, counts), (square, counts), (np.maximum(variance - square, 0.0), shapes))
        )
        table = np.stack([means.T @ slope, variances.T @ learned.merged(slopes**2)], axis=1)
        ends = np.cumsum(chance)
        ends = ndtri(np.minimum(ends / ends[-1], 1.0))
        lever = cls(slopes, by_gamma, shapes, row, ends, table, np.tensordot(chance, table, axes=1))
        return lever, usual, most

    def among(self, columns: slice) -> Lever:
        """Return what it adds to three scores, of which these columns are its own, from the first on."""
        placed = [_placed(x, columns) for x in (self.slopes, self.by_gamma, self.table, self.usual)]
        slopes, by_gamma, table, usual = placed
        return Lever(slopes, by_gamma, self.shapes, self.row, self.ends, table, usual)

    def at(self, normals: FloatArray) -> FloatArray:
        """Return the rows of the table that normal numbers, of shape (normals, draws), choose."""
        found: FloatArray = self.table[np.searchsorted(self.ends, self.row @ normals).clip(max=len(self.ends) - 1)]
        return found

    def about(self, normals: FloatArray) -> FloatArray:
        """Return the same but for a cell's width, in a fraction of the time."""
        last = np.clip(np.rint((self.ends + REACH) * PER_UNIT), 0, CELLS).astype(np.int64)
        last[-1] = CELLS
        point = np.repeat(np.arange(len(last), dtype=np.int16), np.diff(last, prepend=0))
        cell = self.row @ normals
        cell += REACH
        cell *= PER_UNIT
        found: FloatArray = self.table.take(point.take(cell.astype(np.int64), mode="clip"), axis=0)
        return found


@dataclass(frozen=True, eq=False)
class Levers:
    """What the shares of one system first, and of a second given it, add to the scores of both.

    Attributes
    ----------
    first, given : lists of Lever
        The shares.
    by_weight, by_shares : arrays of shape (kinds, 2)
        What one more item of each kind adds, by its weight alone and by what it adds to the shares in the mean.
    beyond : array of shape (2, 2)
        Covariance because items add more to all classes of a share at some points than at others.
    """

    first: list[Lever]
    given: list[Lever]
    by_weight: FloatArray
    by_shares: FloatArray
    beyond: FloatArray

    @classmethod
    def of(cls, order: Ordered, moves: FloatArray, summing: Any, number: FloatArray) -> Self:
        """Compute them from what one more of each outcome and of each share adds, (outcomes and shares, classes, 2).

        `summing` sums kinds, of which there are so many items, by outcome and class.
        """
        levers, added, columns = [], [], []
        for k, ((split, learned), slopes, row) in enumerate(
            zip(order.pools, moves[KINDS:], order.outcomes.root, strict=True)
        ):
            lever, *by_item = Lever.of(slopes, row, learned, order.outcomes.of(split))
            levers.append(lever)
            for score in np.flatnonzero(slopes.any(axis=0)):
                by_outcome = np.zeros((KINDS, len(slopes), 2))
                for part, outcomes in enumerate((split.yes, split.no)):
                    by_outcome[list(outcomes)] = np.stack([x[part, :, score] for x in by_item], axis=1)
                added.append(np.ascontiguousarray((summing.T @ by_outcome.reshape(-1, 2)).T))
                columns.append((k, score))
        by_shares, beyond = np.zeros((len(number), 2)), np.zeros((2, 2))
        for (share, i), (usual, most) in zip(columns, added, strict=True):
            by_shares[:, i] += usual
            for (other, j), (usual_too, most_too) in zip(columns, added, strict=True):
                if other == share:
                    beyond[i, j] += number @ (most * most_too - usual * usual_too)
        by_weight, first = summing.T @ moves[:KINDS].reshape(-1, 2), len(order.one)
        return cls(levers[:first], levers[first:], by_weight, by_shares, beyond)


@dataclass(frozen=True, eq=False)
class Known:
    """Parts of a draw whose distribution is known.

    Attributes
    ----------
    moves : array of shape (kinds, scores)
        What the weight of one more item of each kind adds, with all shares as they are.
    number : array of shape (kinds,)
        Items of each kind.
    levers : Lever
        The shares.
    root : array of shape (scores, directions)
        What makes uncorrelated numbers of variance 1 into P.
    bend : array of shape (directions, directions, directions)
        A sixth of their third cumulants.
    """

    moves: FloatArray
    number: FloatArray
    levers: Sequence[Lever]
    root: FloatArray
    bend: FloatArray

    def of(self, weights: FloatArray, shares: Sequence[FloatArray], normals: FloatArray) -> FloatArray:
        """Return P, T and P² of draws, (draws, parts), from weights, shares and normal numbers, draws last."""
        tabled, usual = self._added(lever.at(normals) for lever in self.levers)
        sums = self.moves.T @ (weights - self.number[:, None])
        for lever, share in zip(self.levers, shares, strict=True):
            sums += lever.slopes.T @ share
        return self._parts(sums.T - tabled[:, 0], tabled[:, 0] - usual[0])

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw the parts anew."""
        free = len(self.bend)
        drawn = rng.standard_normal((free + len(self.levers[0].row), draws))
        tabled, usual = self._added(lever.about(drawn[free:]) for lever in self.levers)
        wider = np.sqrt(np.divide(tabled[:, 1], usual[1], out=np.ones_like(tabled[:, 1]), where=usual[1] > 0))
        sums = (self.root @ skewed(drawn[:free], self.bend)).T * wider
        return self._parts(sums, tabled[:, 0] - usual[0])

    def _parts(self, sums: FloatArray, tabled: FloatArray) -> FloatArray:
        """Return the parts from P and T: these, and the squares of P less their means."""
        variance = (self.root**2).sum(axis=1)
        return np.concatenate([sums, tabled, sums**2 - variance], axis=1)

    def _added(self, rows: Iterator[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Return sums of rows of the tables of all shares, (draws, 2, scores), and their means, (2, scores)."""
        found = next(rows)
        for more in rows:
            found += more
        return found, reduce(np.add, (lever.usual for lever in self.levers))


def known(number: FloatArray, mine: Levers, other: Levers) -> Known | None:
    """Return the known parts of a score, of the second given it, and of the second; None if too few items matter.

    There are so many items of each kind; `mine` are the shares with that system first, `other` with the other one.
    """
    by_weight, by_shares = (
        np.concatenate([x, y[:, :1]], axis=1)
        for x, y in ((mine.by_weight, other.by_weight), (mine.by_shares, other.by_shares))
    )
    levers = [x.among(slice(0, 2)) for x in (*mine.first, *mine.given)] + [x.among(slice(2, 3)) for x in other.first]
    unit = np.concatenate([by_weight + by_shares, *(lever.by_gamma.reshape(-1, 3) for lever in levers)])
    shapes = np.concatenate([number, *(lever.shapes.ravel() for lever in levers)])
    if not np.isfinite(unit).all():
        return None
    beyond = np.zeros((3, 3))
    beyond[:2, :2], beyond[2, 2] = mine.beyond, other.beyond[0, 0]
    inverse, root = directions_of(spread_in_views(unit, shapes) + VIEWS[3] @ beyond @ VIEWS[3].T, LEAST)
    unit = inverse @ unit.T
    if not len(unit) or not TAIL * fewness((unit.T,), shapes) <= ALLOWED:
        return None
    return Known(by_weight, number, levers, root, _thirds(unit, shapes) / 3)


def _thirds(unit: FloatArray, shapes: FloatArray) -> FloatArray:
    """Return the sums of products of three directions over gammas of these shapes."""
    found = np.empty((len(unit),) * 3)
    for i, j, k in combinations_with_replacement(range(len(unit)), 3):
        # Not by BLAS, whose sums depend on the number of its threads.
        total = np.einsum("u,u->", shapes * unit[i] * unit[j], unit[k])
        for place in permutations((i, j, k)):
            found[place] = total
    return found


def first_draws(like: int) -> int:
    """Return how many joint draws tell how many are needed to be as accurate as so many."""
    return min(PILOT, max(like // EACH, FEWEST))


def missing_draws(like: int, halves: Sequence[tuple[FloatArray, FloatArray]]) -> int:
    """Return how many draws are missing to be as accurate as so many joint ones, from parts and scores of both halves.

    At most as many as there are; none once there are more than tell how many are needed.
    """
    drawn = sum(len(parts) for parts, _ in halves)
    if drawn > PILOT:
        return 0
    left = [unexplained(*half) for half in halves]
    # Few draws hardly tell which half leaves more.
    need = like * float(np.mean(left) if drawn < PILOT else np.max(left))
    most = 2 * drawn if drawn < PILOT else like
    return max(0, min(like, most, ceil(max(need, min(SURE * need, PILOT)))) - drawn)


def _placed(values: FloatArray, columns: slice) -> FloatArray:
    """Return values whose last axis has three places, in which the first are put."""
    placed = np.zeros((*values.shape[:-1], 3))
    placed[..., columns] = values[..., : columns.stop - columns.start]
    return placed


def _ratio(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return x/y, and 0 where y is 0."""
    return np.divide(x, y, out=np.zeros_like(x), where=y > 0)


@dataclass(frozen=True, eq=False)
class Regression:
    """Scores regressed on the known parts of their draws.

    Attributes
    ----------
    mean : array of shape (scores,)
        Means of the scores.
    slopes : array of shape (parts, scores)
        What a unit of each part adds.
    left : array of shape (draws, scores)
        What is left of the joint draws.
    fitted : int
        Numbers that were fitted for each score.
    """

    mean: FloatArray
    slopes: FloatArray
    left: FloatArray
    fitted: int

    @classmethod
    def of(cls, parts: FloatArray, scores: FloatArray) -> Regression:
        """Fit scores of shape (draws, scores) to parts of shape (draws, parts) by least squares.

        From few draws only the slopes of a score's own parts are fitted: to first order those of P and T are 1.
        """
        if len(parts) < ENOUGH * parts.shape[1]:
            return cls._near_one(parts, scores)
        terms = np.column_stack([np.ones(len(parts)), parts])
        fit = np.asarray(np.linalg.lstsq(terms, scores, rcond=None)[0], np.float64)
        return cls(fit[0], fit[1:], scores - terms @ fit, len(fit))

    @classmethod
    def _near_one(cls, parts: FloatArray, scores: FloatArray) -> Regression:
        """Fit a mean and three slopes for each score; those of P and T have a normal prior around 1."""
        size = scores.shape[1]
        slopes = np.concatenate([np.eye(size), np.eye(size), np.zeros((size, size))])
        rest, off = scores - parts @ slopes, parts - parts.mean(axis=0)
        for k, left in enumerate(rest.T):
            prior = np.diag([left.std() / NEAR, left.std() / NEAR, 0.0])
            terms = np.vstack([off[:, k::size], prior])
            slopes[k::size, k] += np.linalg.lstsq(terms, np.append(left - left.mean(), np.zeros(3)), rcond=None)[0]
        rest = scores - parts @ slopes
        return cls(rest.mean(axis=0), slopes, rest - rest.mean(axis=0), 4)

    def draw(self, known: Known, rng: Generator, draws: int) -> FloatArray:
        """Draw scores, of shape (draws, scores)."""
        which = rng.integers(len(self.left), size=draws)
        return self.mean + known.draw(rng, draws) @ self.slopes + self.left[which]


def unexplained(parts: FloatArray, scores: FloatArray) -> float:
    """Return the largest share of a variance that the known parts leave, of a score or the first two's difference."""
    views = VIEWS[scores.shape[1]]
    fit = Regression.of(parts, scores)
    seen, left = (x @ np.vstack([np.eye(len(views)), views[:1]]).T for x in (scores, fit.left))
    variance = seen.var(axis=0)
    varies = variance > 0
    share = (left.var(axis=0)[varies] / variance[varies]).max(initial=0.0)
    return float(share * len(parts) / max(len(parts) - fit.fitted, 1))  # the fit makes less of what is left
