"""Posteriors built from other posteriors: correct or wrong alone, side by side, one class of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from outperform.data.contingency import Contingency, FloatArray, combine
from outperform.measures.of_counts import Measure, MeasureFunction
from outperform.models.eta import Eta, spread_of
from outperform.models.posterior import Posterior

__all__ = ["OneClass", "RightPosterior", "SideBySide"]


@dataclass(frozen=True, eq=False)
class RightPosterior(Posterior):
    """Which classifiers are correct, over items of all classes: a Dirichlet, or a Beta for one classifier, given η.

    Attributes
    ----------
    right : array of bool, shape (outcomes, classifiers)
        Which classifiers are correct.
    alpha : array of shape (outcomes,)
        Items with that outcome.
    weight : float
        W of all classes together.
    classes : int
        Number of tables that are pooled, each of all items.
    """

    right: NDArray[np.bool_]
    alpha: FloatArray
    weight: float
    eta: Eta
    classes: int

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return 2 * len(self.alpha)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw one class that stands for all: correct items are hits, and every item is true and predicted."""
        drawn = np.stack([rng.standard_gamma(shape, draws) for shape in self.alpha])
        if self.weight:
            drawn += rng.standard_gamma(self.weight * spread_of(self.right, self.eta.draw(rng, draws)))
        whole = drawn.sum(axis=0)[:, None, None]
        hit = (drawn.T @ self.right.astype(np.float64))[..., None]
        return Contingency(hit, whole, whole, whole * self.classes)


@dataclass(frozen=True, eq=False)
class SideBySide(Posterior):
    """Independent classifiers."""

    posteriors: tuple[Posterior, ...]

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return sum(posterior.cells for posterior in self.posteriors)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw the classifiers in turn."""
        return combine(
            lambda *x: np.concatenate(x, axis=1), *(posterior.contingency(rng, draws) for posterior in self.posteriors)
        )

    def scores(
        self, measure: MeasureFunction, *, draws: int, seed: SeedSequence, workers: int | None = None
    ) -> FloatArray:
        """Evaluate a measure on draws of each classifier, with the mean and the spread that it has alone."""
        return self.placed(measure, super().scores(measure, draws=draws, seed=seed, workers=workers))

    def placed(self, measure: MeasureFunction, scores: FloatArray) -> FloatArray:
        """Place the draws of each classifier."""
        alone = [posterior.placed(measure, scores[:, [k]]) for k, posterior in enumerate(self.posteriors)]
        return np.concatenate(alone, axis=1)

    def remarks(self) -> tuple[str, ...]:
        """Return the remarks of all classifiers, without duplicates."""
        return tuple(dict.fromkeys(remark for posterior in self.posteriors for remark in posterior.remarks()))

    def reduced(self, average: str, measure: Measure) -> SideBySide:
        """Return the posterior with each classifier reduced."""
        return SideBySide(tuple(posterior.reduced(average, measure) for posterior in self.posteriors))


@dataclass(frozen=True, eq=False)
class OneClass(Posterior):
    """The last class alone, for a measure of one positive class."""

    whole: Posterior

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return self.whole.cells

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw all classes and keep the last."""
        c = self.whole.contingency(rng, draws)
        return Contingency(c.hit[..., -1], c.support[..., -1], c.predicted[..., -1], c.total[..., 0])
