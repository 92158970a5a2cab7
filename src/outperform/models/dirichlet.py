"""Posteriors made of independent Dirichlet blocks.

A block is drawn as independent gammas, to be divided by their sum. The model defines the contingency
of a set of blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log
from typing import Any, cast

import numpy as np
from numpy.random import Generator, SeedSequence

from outperform.data.contingency import Contingency, FloatArray, at_once
from outperform.measures.of_counts import MeasureFunction
from outperform.models.exact import Exact, exact_scores
from outperform.models.posterior import Posterior, Segment, gammas, stream
from outperform.models.tilting import Blocks, tilt_to_zero

__all__ = ["DirichletPosterior"]

PAIRED = 4  # outcomes of two classifiers: 11, 10, 01, 00
TRIED = 5  # draws used to find what a measure depends on


@dataclass(frozen=True, eq=False)
class DirichletPosterior(Posterior):
    """Weights of each block, and the contingency as a function of gammas of shape (cells, draws)."""

    blocks: tuple[FloatArray, ...]
    meaning: Callable[[Blocks], Contingency]

    @property
    def dirichlet_weights(self) -> tuple[FloatArray, ...]:
        """The weights of each block."""
        return self.blocks

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return sum(map(len, self.blocks))

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw joint contingencies."""
        return self.meaning(self._draw(rng, draws))

    def exact(self, measure: MeasureFunction) -> Exact | None:
        """Return the posteriors of one score, or of two and their difference, if their error is known to be small."""
        return exact_scores(self.blocks, self.meaning, measure)

    def density_at_zero(self, measure: MeasureFunction) -> float | None:
        """Return the density if the difference is that of two cells of one block: recall, specificity, accuracy.

        With weights a and b of the two cells, and r of all others, it is ∫ f(x, x, 1 − 2x) dx over the Dirichlet:
        Γ(a + b + r)/(Γ(a) Γ(b) Γ(r)) · 2^(1 − a − b) · B(a + b − 1, r), infinite unless a + b > 1.
        """
        drawn = self._draw(stream(SeedSequence(0), 0), TRIED)
        shares = [cells / cells.sum(axis=0) for cells in drawn]
        scores = measure(self.meaning([cells.copy() for cells in drawn]))
        if scores.shape[1] != 2:
            return None
        for alpha, share in zip(self.blocks, shares, strict=True):
            if len(alpha) == PAIRED and np.allclose(np.abs(scores[:, 0] - scores[:, 1]), np.abs(share[1] - share[2])):
                return _density_of_equal(alpha[1], alpha[2], alpha[0] + alpha[3])
        return None

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:
        """Draw around the most probable way for the first two classifiers to be equal.

        The gammas are scaled so that their mean lies there. With g' = g·exp(t) in a block of
        total weight A, a draw has the weight (Σg / Σg')ᴬ · exp(Σ α t): the Dirichlet density divided by
        that of the scaled draws. φ is the share of one cell in two of one block, the two that move
        the difference most; both are scaled alike, so that φ ~ Beta(α_i, α_j).
        """

        def difference(blocks: Blocks) -> FloatArray:
            scores = measure(self.meaning(blocks))
            return scores[:, 0] - scores[:, 1]

        tilt = tilt_to_zero(self.blocks, difference)
        if tilt is None:
            return None
        block, i, j = tilt.lever(self.blocks)
        alpha, pair = self.blocks[block], [i, j]
        together = tilt.stretch[block]
        together[pair] = np.log(alpha[pair] @ np.exp(together[pair]) / alpha[pair].sum())
        drawn = self._draw(stream(seed, 0), draws)
        log_weight = np.zeros(draws)
        for weights, t, cells in zip(self.blocks, tilt.stretch, drawn, strict=True):
            total = cells.sum(axis=0)
            np.multiply(cells, np.exp(t)[:, None], out=cells)
            log_weight += weights.sum() * np.log(total / cells.sum(axis=0)) + weights @ t
        moved = drawn[block][i] + drawn[block][j]
        drawn[block][i], drawn[block][j] = 0.0, moved
        start = self.meaning(drawn)
        drawn[block][i], drawn[block][j] = moved, 0.0
        return Segment(start, self.meaning(drawn), float(alpha[i]), float(alpha[j]), log_weight)

    def _draw(self, rng: Generator, draws: int) -> list[FloatArray]:
        """Draw gammas of each block, of shape (cells, draws)."""
        if at_once(rng):
            return [cast(Any, rng).gammas(alpha, draws) for alpha in self.blocks]
        space = np.empty((self.cells, draws))
        ends = np.cumsum([0, *map(len, self.blocks)])
        drawn = [space[begin:end] for begin, end in pairwise(ends)]
        for alpha, cells in zip(self.blocks, drawn, strict=True):
            gammas(alpha, rng, cells)
        return drawn


def _density_of_equal(a: float, b: float, rest: float) -> float | None:
    """Return the density at 0 of the difference of two cells of a Dirichlet; None if one of them is impossible."""
    from scipy.special import betaln, gammaln

    if min(a, b, rest) <= 0:
        return None
    if a + b <= 1:
        return inf
    constant = gammaln(a + b + rest) - gammaln(a) - gammaln(b) - gammaln(rest)
    return float(np.exp(constant - (a + b - 1) * log(2) + betaln(a + b - 1, rest)))
