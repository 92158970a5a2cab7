"""Posteriors by weights of units: what is counted is linear in the random weights of kinds of unit.

So a score is a function of few sums, and many draws of it need no draws of all weights: see `expansion`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.random import Generator, SeedSequence

from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import Measure, MeasureFunction
from outperform.models.expansion import VIEWS, expand
from outperform.models.posterior import Posterior, child, stream
from outperform.models.unseen import Unseen
from outperform.models.weights import ItemWeights

__all__ = ["Weighed", "by_sums"]

UNSEEN, TRIALS, EXPANDED = 2**20, 2**20 + 1, 2**20 + 2  # random streams, distinct from those of the blocks of draws
STEP = 1e-4  # of a derivative by a sum, relative to the sum


class Weighed(Posterior, Protocol):
    """A posterior by weights of units."""

    @property
    def kinds(self) -> FloatArray:
        """Number of units of each kind."""
        ...

    @property
    def whole(self) -> Weighed:
        """The same with all units, also those that matter to nothing but the total."""
        return self

    def weighed(self, weights: FloatArray) -> Contingency:
        """Return the contingency under weights of the kinds, of shape (kinds, draws)."""
        ...

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw contingencies under gamma weights of the kinds."""
        return self.weighed(rng.standard_gamma(self.kinds, (draws, len(self.kinds))).T)

    def reduced(self, average: str, measure: Measure) -> Weighed:  # noqa: ARG002
        """Return a posterior with the same distribution of this score."""
        return self

    def unseen(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> FloatArray:
        """Draw what unobserved units could add to a score."""
        seen = self if len(self.kinds) else self.whole
        weights, least = ItemWeights.alone(seen.kinds), 1 / max(self.kinds.sum(), 1)
        unseen = Unseen.by(lambda rows: measure(seen.weighed(rows)), weights, draws, least=least)
        return unseen.draw(stream(child(seed, UNSEEN), 0), draws)

    def influence(self, measure: MeasureFunction) -> FloatArray | None:  # noqa: ARG002
        """Return derivatives of scores by the weight of one unit, of shape (kinds, systems); None if unknown."""
        return None

    def expanded(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> FloatArray | None:
        """Draw scores by an expansion in the influence of units."""
        whole = self.whole
        moves = whole.influence(measure)
        if moves is None or moves.shape[1] not in VIEWS or not np.isfinite(moves).all():
            return None
        weights = ItemWeights.alone(whole.kinds)
        found = expand(lambda rows: measure(whole.weighed(rows)), moves, weights, child(seed, TRIALS))
        return None if found is None else found.draw(stream(child(seed, EXPANDED), 0), draws)


def by_sums(measure: MeasureFunction, held: Contingency, number: FloatArray) -> FloatArray:
    """Return derivatives of scores by the weight of one unit of each kind, which holds so much, of any shape.

    A score is differentiated by the few sums that it depends on, of its own system.
    """
    parts = np.broadcast_arrays(held.hit, held.support, held.predicted, held.total)
    shape = parts[0].shape[1:]
    columns = np.stack([part.reshape(len(number), shape[0], -1) for part in parts])  # (parts, kinds, systems, classes)
    sums = np.einsum("k,pksc->psc", number, columns)
    step = STEP * (1 + sums)
    moved = np.zeros((2, *np.delete(sums.shape, 1), *sums.shape))
    for part, class_ in np.ndindex(moved.shape[1:3]):
        change = step[part, :, class_]
        moved[:, part, class_] = sums
        moved[:, part, class_, part, :, class_] += np.stack([change, -change])
    tables = np.moveaxis(moved.reshape(-1, *sums.shape), 1, 0).reshape(len(parts), -1, *shape)
    with np.errstate(invalid="ignore"):
        more, less = measure(Contingency(*tables)).reshape(2, len(parts), -1, shape[0])
        slope = (more - less) / (2 * np.swapaxes(step, 1, 2))
    moves: FloatArray = np.einsum("pksc,pcs->ks", columns, slope)
    return moves
