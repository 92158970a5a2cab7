"""Posteriors made of others, or of less than others: right or wrong alone, side by side, one class of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.data.contingency import Contingency, FloatArray, combine
from outperform.measures.of_counts import Measure
from outperform.models.eta import Eta, spread_of
from outperform.models.posterior import Posterior

__all__ = ["OneClass", "RightPosterior", "SideBySide"]


@dataclass(frozen=True, eq=False)
class RightPosterior(Posterior):
    """Which classifiers are right, of all items whatever their class: Dirichlet, of 2 cells a Beta, given η.

    Attributes
    ----------
    right : array of bool, shape (outcomes, classifiers)
        Which classifiers are right.
    alpha : array of shape (outcomes,)
        Items of which that is so.
    weight : float
        W of all classes together.
    classes : int
        How many tables, each of all items, are pooled.
    """

    right: NDArray[np.bool_]
    alpha: FloatArray
    weight: float
    eta: Eta
    classes: int

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return 2 * len(self.alpha)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """One class that stands for all: what is right is hit, and everything is there and predicted."""
        drawn = np.stack([rng.standard_gamma(shape, draws) for shape in self.alpha])
        if self.weight:
            drawn += rng.standard_gamma(self.weight * spread_of(self.right, self.eta.draw(rng, draws)))
        whole = drawn.sum(axis=0)[:, None, None]
        hit = (drawn.T @ self.right.astype(np.float64))[..., None]
        return Contingency(hit, whole, whole, whole * self.classes)


@dataclass(frozen=True, eq=False)
class SideBySide(Posterior):
    """Classifiers that have nothing to do with each other."""

    posteriors: tuple[Posterior, ...]

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return sum(posterior.cells for posterior in self.posteriors)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """One after the other."""
        return combine(
            lambda *x: np.concatenate(x, axis=1), *(posterior.contingency(rng, draws) for posterior in self.posteriors)
        )

    def remarks(self) -> tuple[str, ...]:
        """Of each one, said once."""
        return tuple(dict.fromkeys(remark for posterior in self.posteriors for remark in posterior.remarks()))

    def reduced(self, average: str, measure: Measure) -> SideBySide:
        """Each one reduced."""
        return SideBySide(tuple(posterior.reduced(average, measure) for posterior in self.posteriors))


@dataclass(frozen=True, eq=False)
class OneClass(Posterior):
    """The last class alone, for a measure of one positive class."""

    whole: Posterior

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return self.whole.cells

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draws of all classes, of which one is kept."""
        c = self.whole.contingency(rng, draws)
        return Contingency(c.hit[..., -1], c.support[..., -1], c.predicted[..., -1], c.total[..., 0])
