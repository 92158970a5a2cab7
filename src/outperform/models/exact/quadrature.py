"""Posteriors of scores and of their difference without draws, for measures that are ratios of sums of counts.

**The model as gammas.** A Dirichlet block is independent gammas divided by their sum. In the models of two classes
μ ~ Beta(a₊, a₋) is independent of the outcomes θ₊ and θ₋, Dirichlet of total weights A₊ and A₋. Let S₊ and S₋ be the
sums of the blocks' gammas. A gamma of shape a ≤ A is one of shape A times an independent Beta(a, A − a), so

    (1−μ)/μ = κ S₋/S₊,    κ = B₋/B₊,    B₊ ~ Beta(a₊, A₊−a₊),  B₋ ~ Beta(a₋, A₋−a₋)

and a ratio of sums of counts is the same ratio of independent gammas of all cells, those of negative items times κ.
Their unit cancels.

**One score** is gain/(gain + loss), where each cell adds to one of them or to none. The gain is Γ(a)·k₁ and the loss
Γ(b)·k₂, where k₁ and k₂ are weighted means that depend on shares and κ. So

    logit score = logit U + log k₁ − log k₂,    U ~ Beta(a, b)

is a mixture of shifted log-odds of a Beta. A few Gauss nodes represent the distribution of the shift.

**The difference** of two paired scores is in `difference`; that of independent ones is one sum over their densities.

**The error is measured.** At some values the density is computed again by rules with more nodes, until two of them
agree. It must integrate to 1, and its mean must be the difference of the scores' means, which come from other rules.
Where one of these fails there is no exact answer, and the caller draws.

Assumptions are those of the models. Every weight must be positive, and that of μ at most that of the outcomes, as it is
under all named priors but haldane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Protocol

import numpy as np
from numpy.polynomial.chebyshev import chebvander

from outperform.data.contingency import FloatArray
from outperform.measures.of_counts import MeasureFunction
from outperform.models.exact.difference import Difference
from outperform.models.exact.laplace import Laplace
from outperform.models.exact.ratio import Cells, Meaning, cells_of
from outperform.models.exact.separate import AGREED, DEPTH, Apart, OneScore, close
from outperform.models.exact.smooth import TERMS, Mirrored, Smooth, Stretch, interpolated, nodes
from outperform.verdicts.interval import Interval

__all__ = ["Exact", "exact_scores"]

EDGES = np.array([2.0, 3.5, 5.0, 6.5, 8.0, 11.0, 16.0, 25.0, 40.0])  # sd from the mean at which a density may end
LOG_NODES, KINK_NODES = 44, 28  # of a polynomial through the log of a density, and on either side of a kink
ROUGH = 5e-3  # last terms of that polynomial
BASE, LEVELS = 9.0, ((13.0, 1.3), (17.0, 1.6), (21.0, 2.0))  # depths of sparse grids, and nodes of the sum in units
CORRECTED = 9  # places at which the base rule is corrected, on a stretch
BULK = 1e-5  # of the largest density, within which these lie
INSIDE = 1 - 1e-9
MOST_POINTS = 60, 130  # of a sparse grid, at the first depth and at any: beyond them draws take less time
PATIENT = 400, 400


@dataclass(frozen=True, eq=False)
class Exact:
    """Posteriors of the scores and, of two, of their difference.

    Attributes
    ----------
    density_at_zero : float or None
        The density of the difference at 0, infinite if there is a peak; None of one score.
    """

    scores: tuple[Smooth, ...]
    difference: Smooth | Mirrored | None = None
    density_at_zero: float | None = None

    def mirrored(self) -> Exact:
        """Return the same with the scores exchanged."""
        difference = None if self.difference is None else self.difference.mirrored()
        return Exact(self.scores[::-1], difference, self.density_at_zero)


class Density(Protocol):
    """The density of a difference, by rules of any depth."""

    @property
    def singular(self) -> bool:
        """Whether it has a visible kink at 0, or a peak."""

    @property
    def infinite(self) -> bool:
        """Whether the peak at 0 is infinite."""

    @property
    def powers(self) -> tuple[float, float]:
        """Powers of 1 + d and of 1 − d by which it ends at −1 and at 1."""

    @property
    def spread(self) -> float:
        """Standard deviation, roughly."""

    def points(self, level: float) -> int:
        """Return the size of a rule."""

    def density(self, d: FloatArray, level: float, finer: float = 1.0) -> FloatArray:
        """Return the density at d."""


def exact_scores(
    blocks: Sequence[FloatArray], meaning: Meaning, measure: MeasureFunction, *, patient: bool = False
) -> Exact | None:
    """Return the posteriors of one score or of two and their difference; None if they are not certain.

    Unless one is `patient`, it is also None if draws would take less time.
    """
    tables = cells_of(blocks, meaning, measure)
    if tables is None or len(tables[0].gain) > 2:
        return None
    systems = range(len(tables[0].gain))
    owners = [[table for table in tables if (table.gain[k] + table.loss[k]).any()] for k in systems]
    if any(len(parts) != 1 for parts in owners):
        return None
    cells, most = tuple(parts[0] for parts in owners), PATIENT if patient else MOST_POINTS
    dense = Laplace.of(cells[0]) if len(cells) == 2 and cells[0] is cells[1] else None
    sparse = _difference(cells, most[0]) if len(cells) == 2 and dense is None else None
    if len(cells) == 2 and dense is None and sparse is None:
        return None
    scores = _scores(cells)
    marginals = tuple(found for score in scores if (found := score.posterior()) is not None)
    if not len(marginals) == len(scores) == len(cells):
        return None
    if len(cells) == 1:
        return Exact(marginals)
    mean = scores[0].mean - scores[1].mean
    known = None if dense is None else dense.posterior(mean)
    if known is None and (other := sparse or _difference(cells, most[0])) is not None:
        known = _with_zero(other, mean, most[1])
    return None if known is None else Exact(marginals, *known)


def _with_zero(delta: Density, mean: float, most: int) -> tuple[Smooth, float] | None:
    """Return the posterior of a difference of this mean and its density at 0; None if they are not certain."""
    certain = _certain(delta, mean, most)
    if certain is None:
        return None
    difference, level = certain
    return difference, inf if delta.infinite else float(delta.density(np.zeros(1), level, LEVELS[0][1])[0])


def _scores(cells: tuple[Cells, ...]) -> list[OneScore]:
    """Return each score, of those that can be had."""
    return [score for k, table in enumerate(cells) if (score := OneScore.of(table.of(k))) is not None]


def _difference(cells: tuple[Cells, ...], most: int) -> Density | None:
    """Return the density of the difference of two scores, which are independent if no table has both.

    None if it needs too many points.
    """
    scores = [] if cells[0] is cells[1] else _scores(cells)
    delta = Difference.of(cells[0]) if cells[0] is cells[1] else Apart(*scores) if len(scores) == 2 else None
    return None if delta is None or delta.points(LEVELS[0][0]) > most else delta


def _certain(delta: Density, mean: float, most: int) -> tuple[Smooth, float] | None:
    """Return the posterior of a difference of this mean, and the depth of its rule; None if it is not certain.

    A shallow rule gives the density everywhere. How far it is off, relatively, is a smooth function, found at a few
    places by deeper rules.
    """
    low, high = _range(delta, mean)
    kinks = delta.singular and low < 0 < high
    stretches = (Stretch(low, 0.0, 1), Stretch(0.0, high, -1)) if kinks else (Stretch(low, high),)
    count = KINK_NODES if kinks else LOG_NODES
    at = np.array([stretch.number(nodes(count)) for stretch in stretches])
    base = delta.density(at.ravel(), BASE).reshape(at.shape)
    level, ratio = _deeper(delta, at, base, most) if (base > 0).all() else (None, base)
    if level is None:
        return None
    wide, transform = interpolated(count)
    logs = np.log(base * ratio) - _ends(at, delta.powers)
    every = np.array([stretch.number(nodes(TERMS)) for stretch in stretches])
    values = np.exp(logs @ wide.T + _ends(every, delta.powers)) * [stretch.slope(nodes(TERMS)) for stretch in stretches]
    found = Smooth(stretches, values)
    smooth = np.abs(logs @ transform[-3:].T).max() < ROUGH
    if not (smooth and close(found.mass, 1.0) and close(found.mean, mean)):
        return None
    return found.normalised(), level


def _ends(d: FloatArray, powers: Interval) -> FloatArray:
    """Return the log of how a density ends at −1 and at 1, which no polynomial follows."""
    return np.asarray(powers[0] * np.log1p(d) + powers[1] * np.log1p(-d))


def _range(delta: Density, mean: float) -> Interval:
    """Return between what the density is not negligible."""
    sign = 1.0 if mean >= 0 else -1.0
    edges = np.clip(abs(mean) + delta.spread * np.concatenate([-EDGES[::-1], [0.0], EDGES]), -INSIDE, INSIDE)
    this, other = np.append(0.0, edges[edges > 0]), edges[edges <= 0]
    found = np.nan_to_num(delta.density(sign * this, BASE))
    if len(other) and found[0] > found.max() * exp(-DEPTH):  # 0 is not far out
        found = np.concatenate([np.nan_to_num(delta.density(sign * other, BASE)), found])
        this = np.concatenate([other, this])
    near = np.flatnonzero(found > found.max() * exp(-DEPTH))
    ends = sign * this[[max(near[0] - 1, 0), min(near[-1] + 1, len(this) - 1)]]
    return float(ends.min()), float(ends.max())


def _deeper(delta: Density, at: FloatArray, base: FloatArray, most: int) -> tuple[float | None, FloatArray]:
    """Return a depth at which two rules agree, and the ratio of the deeper one's density to that of the base rule."""
    u, places = nodes(at.shape[1]), list[list[int]]()
    for row in base:
        bulk = np.flatnonzero(row > BULK * base.max())
        places.append(
            np.linspace(bulk[0], bulk[-1], CORRECTED).round().astype(int).tolist() if len(bulk) >= CORRECTED else []
        )
    some = [(k, j) for k, row in enumerate(places) for j in row]
    if not some:  # a peak so narrow that few nodes see it
        return None, base
    rows, columns = np.array(some).T
    few = more = base[rows, columns]
    for level, finer in LEVELS:
        if delta.points(level) > most:
            break
        few, more = more, delta.density(at[rows, columns], level, finer)
        if np.abs(few - more).max() <= AGREED * base.max():
            known = [(row, more[rows == k] / base[k, row]) for k, row in enumerate(places)]
            return level, np.array([_through(u, row, ratio) for row, ratio in known])
    return None, base


def _through(u: FloatArray, some: list[int], ratio: FloatArray) -> FloatArray:
    """Return a polynomial through the values at some nodes, constant beyond them; 1 if there are none."""
    if not some:
        return np.ones_like(u)
    series = np.linalg.solve(chebvander(u[some], CORRECTED - 1), ratio)
    return np.asarray(chebvander(np.clip(u, u[some[0]], u[some[-1]]), CORRECTED - 1) @ series)
