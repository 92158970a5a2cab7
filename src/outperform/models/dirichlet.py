"""Posteriors made of independent Dirichlet blocks, and how they are drawn.

A block is drawn as independent gammas that are used over their sum. The model says what contingency
a set of blocks means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import SeedSequence

from outperform.contingency import Contingency, FloatArray
from outperform.measures import MeasureFunction
from outperform.models.tilting import Blocks, tilt_to_zero
from outperform.posterior import BATCH, Segment, batch_sizes, gammas, streams

__all__ = ["DirichletPosterior"]


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

        def difference(blocks: Blocks) -> FloatArray:
            scores = measure(self.contingency(blocks))
            return scores[:, 0] - scores[:, 1]

        tilt = tilt_to_zero(self.blocks, difference)
        if tilt is None:
            return None
        block, i, j = tilt.lever(self.blocks)
        alpha, pair = self.blocks[block], [i, j]
        together = tilt.stretch[block]
        together[pair] = np.log(alpha[pair] @ np.exp(together[pair]) / alpha[pair].sum())
        (drawn,) = self._draw(draws, seed, draws)
        log_weight = np.zeros(draws)
        for weights, t, cells in zip(self.blocks, tilt.stretch, drawn, strict=True):
            total = cells.sum(axis=0)
            np.multiply(cells, np.exp(t)[:, None], out=cells)
            log_weight += weights.sum() * np.log(total / cells.sum(axis=0)) + weights @ t
        moved = drawn[block][i] + drawn[block][j]
        drawn[block][i], drawn[block][j] = 0.0, moved
        start = self.contingency(drawn)
        drawn[block][i], drawn[block][j] = moved, 0.0
        return Segment(start, self.contingency(drawn), float(alpha[i]), float(alpha[j]), log_weight)

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
