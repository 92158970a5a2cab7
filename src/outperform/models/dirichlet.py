"""Posteriors made of independent Dirichlet blocks: how they are drawn, near the mean and far from it.

A block is drawn as independent gammas that are used over their sum. The model says what contingency
a set of blocks means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TypeAlias

import numpy as np
from numpy.random import SeedSequence

from outperform.contingency import Contingency, FloatArray
from outperform.measures import MeasureFunction
from outperform.posterior import BATCH, Segment, batch_sizes, gammas, streams

__all__ = ["DirichletPosterior"]

Blocks: TypeAlias = Sequence[FloatArray]

ITERATIONS = 100
CLOSE = 0.01  # how near to the least stretch is near enough, in squared standard deviations
LONGEST = 3.0  # step, in standard deviations
FAR = 40.0  # standard deviations, where a density is 1e-300
STEP = 1e-5


@dataclass(frozen=True, eq=False)
class DirichletPosterior:
    """Weights of each block, and the contingency that gammas of shape (cells, draws) amount to."""

    blocks: tuple[FloatArray, ...]
    contingency: Callable[[Blocks], Contingency]

    def contingencies(self, *, draws: int, seed: SeedSequence, batch: int = BATCH) -> Iterator[Contingency]:
        """Joint draws, in batches."""
        return map(self.contingency, self._draw(draws, seed, batch))

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:
        """Draw around the likeliest way for the first two classifiers to be equal.

        The gammas are stretched so that their mean lies there. With g' = g·exp(t) in a block of
        total weight A, a draw counts for (Σg / Σg')ᴬ · exp(Σ α t): the Dirichlet density over
        that of the stretched draws. φ is the share of one cell in two of one block, the two that move
        the difference most; both are stretched alike, which leaves φ ~ Beta(α_i, α_j).
        """
        found = self._balance(measure)
        if found is None:
            return None
        stretch, gradient = found
        block, i, j = self._lever(gradient)
        alpha = self.blocks[block]
        pair = [i, j]
        stretch[block][pair] = np.log(alpha[pair] @ np.exp(stretch[block][pair]) / alpha[pair].sum())
        (drawn,) = self._draw(draws, seed, draws)
        log_weight = np.zeros(draws)
        for weights, t, cells in zip(self.blocks, stretch, drawn, strict=True):
            total = cells.sum(axis=0)
            np.multiply(cells, np.exp(t)[:, None], out=cells)
            log_weight += weights.sum() * np.log(total / cells.sum(axis=0)) + weights @ t
        moved = drawn[block][i] + drawn[block][j]
        drawn[block][i], drawn[block][j] = 0.0, moved
        start = self.contingency(drawn)
        drawn[block][i], drawn[block][j] = moved, 0.0
        return Segment(start, self.contingency(drawn), float(alpha[i]), float(alpha[j]), log_weight)

    def _balance(self, measure: MeasureFunction) -> tuple[list[FloatArray], list[FloatArray]] | None:
        """Least stretch t of the mean that makes the two scores equal, and the gradient there; None if none is near.

        Least in Σ α(eᵗ − 1 − t), the divergence of the stretched gammas from the gammas: exponential
        tilting along the difference, which is made linear in the gammas anew at each step. Where the steps
        turn to and fro they are shortened.
        """
        alpha = np.concatenate(self.blocks)
        ends = np.cumsum([len(block) for block in self.blocks])[:-1]
        t = last = np.zeros(len(alpha))
        share = 1.0
        for _ in range(ITERATIONS):
            difference, gradient = self._slope(measure, alpha * np.exp(t), ends)
            size = np.sqrt(np.divide(gradient**2, alpha, out=np.zeros_like(alpha), where=alpha > 0).sum())
            if not abs(difference) < FAR * size:
                return None
            step = np.log(_least_scale(alpha, gradient * np.exp(-t), float(gradient.sum()) - difference)) - t
            length = float(alpha @ step**2)
            if abs(difference) < 1e-2 * size and length < CLOSE:
                return np.split(t, ends), np.split(gradient, ends)
            turned = float(alpha * step @ last) < 0
            share = max(share / 2, 0.02) if turned else min(1.0, 1.5 * share)
            t, last = t + share * min(1.0, LONGEST / np.sqrt(length)) * step, step
        return None

    def _slope(self, measure: MeasureFunction, point: FloatArray, ends: FloatArray) -> tuple[float, FloatArray]:
        """The difference of the two scores at a point, and its derivatives by the logarithm of each cell."""
        cells = len(point)
        factors = np.ones((cells, 2 * cells + 1))
        factors[np.arange(cells), np.arange(cells)] += STEP
        factors[np.arange(cells), cells + np.arange(cells)] -= STEP
        scores = measure(self.contingency(np.split(point[:, None] * factors, ends)))
        difference = scores[:, 0] - scores[:, 1]
        return float(difference[-1]), (difference[:cells] - difference[cells:-1]) / (2 * STEP)

    def _lever(self, gradient: Blocks) -> tuple[int, int, int]:
        """The block and the two cells whose share explains most of the variance of the difference.

        A density given all else goes with one over the mass of the two, of which E[1/mass²] is infinite where
        their weights do not add up to more than 2; so small cells count for less.
        """

        def leverage(choice: tuple[int, int, int]) -> float:
            block, i, j = choice
            a, b = self.blocks[block][[i, j]]
            move = gradient[block][i] / a - gradient[block][j] / b
            return float(move**2 * a * b / (a + b + 1) * max(1 - 2 / (a + b), 1e-6))

        usable = (
            (block, i, j)
            for block, alpha in enumerate(self.blocks)
            for i, j in combinations(np.flatnonzero(alpha > 0).tolist(), 2)
        )
        return max(usable, key=leverage)

    def _draw(self, draws: int, seed: SeedSequence, batch: int) -> Iterator[list[FloatArray]]:
        """Gammas of each block, of shape (cells, draws); the next batch overwrites them."""
        ends = np.cumsum([0, *(len(block) for block in self.blocks)])
        places = [slice(*pair) for pair in pairwise(ends)]
        generators = streams(seed, int(ends[-1]), each=2 if any(block.sum() < 1 for block in self.blocks) else 1)
        space = np.empty((len(generators), min(batch, draws)))
        for size in batch_sizes(draws, batch):
            for alpha, place in zip(self.blocks, places, strict=True):
                gammas(alpha, generators[place], space[place, :size])
            yield [space[place, :size] for place in places]


def _least_scale(alpha: FloatArray, slope: FloatArray, target: float) -> FloatArray:
    """Scales s that minimise Σ α(s − 1 − log s) under Σ slope·s = target: s = 1/(1 − λ·slope/α)."""
    e = np.divide(slope, alpha, out=np.zeros_like(alpha), where=alpha > 0)
    low = 1 / float(e.min()) if e.min() < 0 else -np.inf
    high = 1 / float(e.max()) if e.max() > 0 else np.inf
    lam = 0.0
    for _ in range(25):  # Newton's method; Σ slope·s rises with λ between the two poles
        s = 1.0 / (1.0 - lam * e)
        step = float((target - slope @ s) / (slope * e @ s**2))
        lam = min(max(lam + step, (lam + 9 * low) / 10), (lam + 9 * high) / 10)
        if abs(step) < 1e-9 * abs(lam):
            break
    return np.clip(1.0 / (1.0 - lam * e), 1e-3, 1e3)
