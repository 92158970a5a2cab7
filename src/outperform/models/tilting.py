"""Exponential tilting of Dirichlet blocks, to draw where two scores are equal.

Draws of a posterior rarely reach a difference of 0 that lies six standard deviations away. So the
gammas behind them are scaled, each cell by a factor exp(t), until their mean gives equal scores, by
the smallest scaling that does so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["Blocks", "Tilt", "tilt_to_zero"]

Blocks: TypeAlias = Sequence[FloatArray]
Slope: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]

FAR = 60.0  # standard deviations beyond which a long search is not worthwhile
STEP = 1e-5  # of the numerical derivatives
LONGEST = 7.0  # largest log scale, a factor of a thousand
DECIMALS = 6  # of t: any value near the optimum will do, and the last digits depend on the number of threads


@dataclass(frozen=True, eq=False)
class Tilt:
    """Log scales, and derivatives of the difference by the logarithm of each cell, by block."""

    stretch: list[FloatArray]
    gradient: list[FloatArray]

    def lever(self, blocks: Blocks) -> tuple[int, int, int]:
        """Return the block and the two cells whose share explains most of the variance of the difference.

        The conditional density is inversely proportional to the mass of the two, of which E[1/mass²] is infinite
        unless their weights add up to more than 2; so small cells are penalised.
        """

        def leverage(choice: tuple[int, int, int]) -> float:
            block, i, j = choice
            a, b = blocks[block][[i, j]]
            move = self.gradient[block][i] / a - self.gradient[block][j] / b
            return float(move**2 * a * b / (a + b + 1) * max(1 - 2 / (a + b), 1e-6))

        usable = (
            (block, i, j)
            for block, alpha in enumerate(blocks)
            for i, j in combinations(np.flatnonzero(alpha > 0).tolist(), 2)
        )
        return max(usable, key=leverage)


def tilt_to_zero(blocks: Blocks, difference: Callable[[Blocks], FloatArray]) -> Tilt | None:
    """Return the smallest scaling that makes the difference 0; None if none is found.

    Smallest in Σ α(eᵗ − 1 − t), the divergence of the scaled gammas from the gammas. A few steps of
    exponential tilting along the difference find it if 0 is not too far; otherwise they may oscillate,
    and a general search takes over.
    """
    alpha = np.concatenate(blocks)
    ends = np.cumsum([len(block) for block in blocks])[:-1].tolist()

    def slope(t: FloatArray) -> tuple[float, FloatArray]:
        return _slope(lambda cells: difference(np.split(cells, ends)), alpha * np.exp(t))

    value, gradient = slope(np.zeros(len(alpha)))
    unit = float(np.sqrt(np.divide(gradient**2, alpha, out=np.zeros_like(alpha), where=alpha > 0).sum()))
    if not unit > 0:
        return None
    t = _quick(alpha, slope, unit)
    if t is None and abs(value) < FAR * unit:
        t = _thorough(alpha, slope, unit)
    if t is None:
        return None
    t = np.round(t, DECIMALS)
    return Tilt(np.split(t, ends), np.split(slope(t)[1], ends))


def _quick(alpha: FloatArray, slope: Slope, unit: float) -> FloatArray | None:
    """Linearise the difference in the gammas at each step."""
    t = np.zeros(len(alpha))
    for _ in range(12):
        value, gradient = slope(t)
        step = np.log(_least_scale(alpha, gradient * np.exp(-t), float(gradient.sum()) - value)) - t
        if abs(value) < 1e-2 * unit and float(alpha @ step**2) < 1e-2:
            return t
        t = t + step
    return None


def _thorough(alpha: FloatArray, slope: Slope, unit: float) -> FloatArray | None:
    """Minimise by sequential quadratic programming; imported only if needed."""
    from scipy.optimize import minimize

    def divergence(t: FloatArray) -> float:
        return float(alpha @ (np.expm1(t) - t))

    def its_slope(t: FloatArray) -> FloatArray:
        return alpha * np.expm1(t)

    equal: Any = {"type": "eq", "fun": lambda t: slope(t)[0] / unit, "jac": lambda t: slope(t)[1] / unit}
    start, bounds = np.zeros(len(alpha)), [(-LONGEST, LONGEST)] * len(alpha)
    found = minimize(
        divergence, start, jac=its_slope, method="SLSQP", bounds=bounds, constraints=equal, options={"maxiter": 200}
    )
    return np.asarray(found.x) if abs(slope(found.x)[0]) < 1e-2 * unit else None


def _slope(difference: Callable[[FloatArray], FloatArray], point: FloatArray) -> tuple[float, FloatArray]:
    """Return the difference at a point, and its derivatives by the logarithm of each cell."""
    cells = np.arange(len(point))
    # Columns: each cell up, each cell down, and the point itself; one call scores all of them.
    factors = np.ones((len(cells), 2 * len(cells) + 1))
    factors[cells, cells] += STEP
    factors[cells, len(cells) + cells] -= STEP
    values = difference(point[:, None] * factors)
    return float(values[-1]), (values[: len(cells)] - values[len(cells) : -1]) / (2 * STEP)


def _least_scale(alpha: FloatArray, slope: FloatArray, target: float) -> FloatArray:
    """Return the scales s that minimise Σ α(s − 1 − log s) under Σ slope·s = target: s = 1/(1 − λ·slope/α)."""
    e = np.divide(slope, alpha, out=np.zeros_like(alpha), where=alpha > 0)
    low = 1 / float(e.min()) if e.min() < 0 else -np.inf
    high = 1 / float(e.max()) if e.max() > 0 else np.inf
    lam = 0.0
    for _ in range(25):  # Newton's method; Σ slope·s increases with λ between the two poles
        s = 1.0 / (1.0 - lam * e)
        step = float((target - slope @ s) / (slope * e @ s**2))
        # At most nine tenths of the way to a pole, where s is infinite.
        lam = min(max(lam + step, (lam + 9 * low) / 10), (lam + 9 * high) / 10)
        if abs(step) < 1e-9 * abs(lam):
            break
    return np.clip(1.0 / (1.0 - lam * e), np.exp(-LONGEST), np.exp(LONGEST))
