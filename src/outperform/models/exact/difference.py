"""The density of the difference δ of two paired scores that are ratios of sums of independent gammas.

δ rises with some cells, those that count for the first score or against the second (sum P); it falls with their mirror
images (sum N); and it is 0 without both (all others, sum M). Given the shares within P, N and M, and κ, each score is a
ratio of sums that are linear in P, N and M, so δ = d > 0 is a quadratic in p = P/M for any r = N/M. At p = 0 δ is at
most 0, and at p = ∞ it is 1: there is exactly one root for every r > 0. So

    f(d) = E ∫ p^(a−1) r^b / (1 + p + r)^(a+b+c) / B(a, b, c) · dp/dd · d log r

with a, b and c the shapes of P, N and M, and p the root, has no borders and no kinks. The integral over log r is a
trapezoid sum between ends that depend on d, and E a sparse grid of Gauss rules for the shares and κ. For d < 0 the
scores change places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import ceil, exp, lgamma, sqrt

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.models.exact.ratio import Cells, alike
from outperform.models.exact.rules import Rule, beta_rule, kappa_rule, log_odds_ends, sparse, sparse_size, window

__all__ = ["Difference"]

KINK = 16.0  # sum of shapes below which a kink is visible
UNMOVED = 1e-7  # sd, by a variable that takes one node
NEGLIGIBLE = 16.0  # e-folds below the peak where the integrand ends
FEWEST_NODES, STEP = 16, 0.55  # of log r
FAR = np.linspace(-9, 9, 9)  # sd from the middle, where the range of log r is found
NEAR = np.geomspace(1e-6, 0.1, 5)  # of the largest of these
AWAY = (-2.5, 0.0, 2.5)  # sd of P against N at which variables are moved
GENEROUS, FEW_POINTS = 2.0, 8  # as many, where the grid has few points
AT_ONCE = 8_192  # terms in one sweep of memory


@dataclass(frozen=True, eq=False)
class Group:
    """Cells whose sum is one gamma.

    Attributes
    ----------
    alpha, negative : arrays of shape (cells,)
        Shapes, and whether κ multiplies the cell.
    forms : array of shape (4, cells)
        What a cell adds to the numerators of both scores, and to their denominators.
    """

    alpha: FloatArray
    negative: NDArray[np.bool_]
    forms: FloatArray

    @classmethod
    def of(cls, cells: Cells, forms: FloatArray, which: NDArray[np.bool_]) -> Group:
        """Return some of the cells; those that count alike are one."""
        kinds, alpha = alike(np.vstack([forms, cells.negative])[:, which], cells.alpha[which])
        return cls(alpha, kinds[-1] > 0, kinds[:-1])

    @cached_property
    def total(self) -> float:
        """Shape of the sum."""
        return float(self.alpha.sum())

    @property
    def splits(self) -> list[tuple[float, float]]:
        """Weights of the first cell against the rest, of the second against the rest after it, and so on."""
        return [(float(self.alpha[k]), float(self.alpha[k + 1 :].sum())) for k in range(len(self.alpha) - 1)]

    def sums(self, splits: FloatArray, kappa: FloatArray) -> FloatArray:
        """Return the four sums per unit of the group, of shape (4, points)."""
        left, cells = np.ones(len(kappa)), []
        for split in splits:
            cells.append(left * split)
            left = left * (1 - split)
        shares = np.array([*cells, left])
        return np.asarray(self.forms @ np.where(self.negative[:, None], shares * kappa, shares))


@dataclass(frozen=True, eq=False)
class Difference:
    """The density of δ."""

    groups: tuple[Group, Group, Group]  # P, N and M
    parts: tuple[tuple[float, float], ...]  # of κ

    @classmethod
    def of(cls, cells: Cells) -> Difference | None:
        """Sort the cells; None if δ does not behave as described above."""
        cells = cells.counted()
        first, second = np.sign(cells.gain) - np.sign(cells.loss)
        raising, lowering = (first >= 0) & (second <= 0), (first <= 0) & (second >= 0)
        rest = ~raising & ~lowering
        same = (cells.gain[0] == cells.gain[1]) & (cells.loss[0] == cells.loss[1])
        if not (raising.any() and lowering.any() and rest.any() and same[rest].all()):
            return None
        above, below = cells.gain, cells.gain + cells.loss
        if (below[0] == below[1]).all():  # only the difference of the numerators matters
            above = np.array([above[0] - above[1], np.zeros(len(above[0]))])
        forms = np.vstack([above, below])
        up, down, others = (Group.of(cells, forms, which) for which in (raising, lowering, rest))
        return cls((up, down, others), cells.parts)

    @property
    def singular(self) -> bool:
        """Whether the density has a visible kink at 0, or a peak."""
        return self.groups[0].total + self.groups[1].total < KINK

    @property
    def infinite(self) -> bool:
        """Whether the peak at 0 is infinite: there, p + r has the power a + b − 1."""
        return self.groups[0].total + self.groups[1].total <= 1

    @property
    def powers(self) -> tuple[float, float]:
        """Powers of 1 + d and of 1 − d by which the density ends at −1 and at 1: only N is left, or only P."""
        up, down, rest = (group.total for group in self.groups)
        return up + rest - 1, down + rest - 1

    def points(self, level: float) -> int:
        """Return the size of the sparse grid."""
        return sparse_size(self._rates.tolist(), level)

    def density(self, d: FloatArray, level: float, finer: float = 1.0) -> FloatArray:
        """Return the density at d.

        Parameters
        ----------
        level : float
            Depth of the sparse grid.
        finer : float
            Number of values of log r, in units of the usual one.
        """
        weight, sums = self._grid(level)
        found = np.empty(len(d))
        for below in (False, True):
            which = (d < 0) == below
            if which.any():
                side = self._sides[below]
                found[which] = side.density(np.abs(d[which]), _swapped(sums) if below else sums, weight, finer)
        return found

    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        """The density above 0, and that of −δ above 0."""
        (up, down, rest), (_, centre, spread) = (g.total for g in self.groups), self._moves
        reach = spread * FAR
        above = _Side(up, down, rest, self._middle, centre + reach)
        return above, _Side(down, up, rest, _swapped(self._middle), reach - centre)

    @cached_property
    def _middle(self) -> list[FloatArray]:
        """The sums at the means of all shares and of κ."""
        return self._sums(np.array([rule(1)[0] for rule in self._rules]).reshape(-1, 1))

    @cached_property
    def _grid(self) -> Callable[[float], tuple[FloatArray, list[FloatArray]]]:
        """Weights and sums of the sparse grid of each depth."""

        @cache
        def grid(level: float) -> tuple[FloatArray, list[FloatArray]]:
            points, weight = sparse(self._rules, self._rates.tolist(), level)
            return weight, self._sums(points)

        return grid

    @cached_property
    def _rules(self) -> list[Callable[[int], Rule]]:
        found: list[Callable[[int], Rule]] = [cache(_beta(*split)) for group in self.groups for split in group.splits]
        return [*found, cache(kappa_rule(self.parts))] if self.parts else found

    def _sums(self, points: FloatArray) -> list[FloatArray]:
        """Return the four sums of P, N and M per unit, each of shape (4, points)."""
        kappa = np.exp(points[-1]) if self.parts else np.ones(points.shape[1])
        found, start = [], 0
        for group in self.groups:
            end = start + len(group.alpha) - 1
            found.append(group.sums(points[start:end], kappa))
            start = end
        return found

    @property
    def spread(self) -> float:
        """Standard deviation of δ, roughly."""
        return self._moves[2]

    @property
    def _rates(self) -> FloatArray:
        """How fast the error of each variable falls with its nodes: as (c²/(1 + c²))ⁿ, for a normal density."""
        return np.asarray(np.log1p(1 / self._moves[0] ** 2))

    @cached_property
    def _moves(self) -> tuple[FloatArray, float, float]:
        """How far an sd of each variable moves δ, in units of P and N together, at most; mean and sd of δ."""
        size = len(self._rules)
        means, spreads = np.array([_moments(rule(2)) for rule in self._rules]).reshape(-1, 2).T
        moved = means[:, None] + np.hstack([np.diag(spreads), -np.diag(spreads), np.zeros((size, 4))])
        sums, (a, b, c) = self._sums(moved), (g.total for g in self.groups)
        up, down = np.ones(2 * size + 4), np.ones(2 * size + 4)
        up[-4:-2], down[-2:] = np.exp([1 / sqrt(a), -1 / sqrt(a)]), np.exp([1 / sqrt(b), -1 / sqrt(b)])
        most, spread, centre = np.full(size, UNMOVED), 0.0, 0.0
        for z in AWAY:
            total = up * a * exp(z / sqrt(a)) * sums[0] + down * b * exp(-z / sqrt(b)) * sums[1] + c * sums[2]
            delta = total[0] / total[2] - total[1] / total[3]
            moves, unit = delta[:size] - delta[size:-4], np.hypot(delta[-4] - delta[-3], delta[-2] - delta[-1])
            most = np.maximum(most, np.abs(moves) / unit)
            spread = max(spread, sqrt(float(unit**2 + moves @ moves)) / 2)
            centre = centre if z else float(delta[-4:].mean())
        return most, centre, spread


@dataclass(frozen=True, eq=False)
class _Side:
    """The density of δ above 0: shapes of P, N and M, their sums at the middle of all rules, and d at which to look."""

    a: float
    b: float
    c: float
    middle: list[FloatArray]
    reach: FloatArray

    def density(self, d: FloatArray, sums: list[FloatArray], weight: FloatArray, finer: float) -> FloatArray:
        """Return the density at d > 0, given sums at the points of a rule, and their weights."""
        anchors, lows, highs = self._ends
        low, high = np.interp(d, anchors, lows), np.interp(d, anchors, highs)
        finer *= GENEROUS if len(weight) < FEW_POINTS else 1.0
        nodes = ceil(finer * max(FEWEST_NODES, float((high - low).max()) / STEP))
        at = np.linspace(low, high, nodes, axis=1)
        size = max(1, AT_ONCE // (nodes * len(weight)))
        parts = (slice(k, k + size) for k in range(0, len(d), size))
        found = [self._terms(d[k], at[k], sums).sum(axis=1) @ weight for k in parts]
        return np.asarray((high - low) / (nodes - 1) * np.concatenate(found))

    @cached_property
    def _ends(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Some d, and the values of log r between which the integrand is not negligible there."""
        inside = self.reach[(self.reach > 0) & (self.reach < 1)]
        unit = float(inside.max(initial=0.5))
        d = np.unique(np.concatenate([inside, unit * NEAR, [(1 + unit) / 2, 1 - (1 - unit) / 50]]))
        ends = log_odds_ends(self.b, self.c, 3 * NEGLIGIBLE)

        def log_terms(at: FloatArray) -> FloatArray:
            log_density, slope = self._parts(d, at, self.middle)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(log_density + np.log(slope))[..., 0]

        low, high = window(log_terms, ends, len(d), NEGLIGIBLE)
        return d, low, high

    def _terms(self, d: FloatArray, at: FloatArray, sums: list[FloatArray]) -> FloatArray:
        """Return the integrand at log r, of shape (values, nodes, points)."""
        log_density, slope = self._parts(d, at, sums)
        slope *= np.exp(log_density, out=log_density)
        return slope

    def _parts(self, d: FloatArray, at: FloatArray, sums: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Return the log of the density of p and r, and dp/dd."""
        (a1, e1, b1, f1), (an, en, bn, fn), (am, em, bm, fm) = sums
        a, total = self.a, self.a + self.b + self.c
        r, d = np.exp(at)[..., None], d[:, None, None]
        # The quadratic q₂p² + q₁p + q₀ = 0. Without P and N it is 0 at d = 0, so q₀ has no constant of its own.
        q0 = (an * fn - en * bn - d * (bn * fn)) * r
        q0 += am * fn + an * fm - em * bn - en * bm - d * (bm * fn + bn * fm)
        q0 *= r
        q0 -= d * (bm * fm)
        q1 = (an * f1 + a1 * fn - en * b1 - e1 * bn - d * (bn * f1 + b1 * fn)) * r
        q1 += am * f1 + a1 * fm - em * b1 - e1 * bm - d * (bm * f1 + b1 * fm)
        q2 = a1 * f1 - e1 * b1 - d * (b1 * f1)
        root = q1 * q1
        root -= 4 * q2 * q0
        np.sqrt(np.maximum(root, 0.0, out=root), out=root)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = -2 * q0
            p /= q1 + root
            if q1.min() <= 0:
                p = np.where(q1 > 0, p, (root - q1) / (2 * q2))
            slope = bn * r + bm + b1 * p
            slope *= fn * r + fm + f1 * p
            slope /= root
            log_density = np.log(p)
            log_density *= a - 1
            p += 1 + r
            np.log(p, out=p)
        p *= total
        log_density -= p
        log_density += self.b * at[..., None] + (lgamma(total) - lgamma(a) - lgamma(self.b) - lgamma(self.c))
        return log_density, slope


def _swapped(sums: list[FloatArray]) -> list[FloatArray]:
    """Return the sums for −δ: the scores change places, and cells that raise δ with those that lower it."""
    up, down, rest = (x[[1, 0, 3, 2]] for x in sums)
    return [down, up, rest]


def _beta(a: float, b: float) -> Callable[[int], Rule]:
    return lambda nodes: beta_rule(a, b, nodes)


def _moments(rule: Rule) -> tuple[float, float]:
    values, weights = rule
    mean = float(weights @ values)
    return mean, sqrt(float(weights @ (values - mean) ** 2))
