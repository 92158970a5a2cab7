"""Many classes: what happens to the items of each true class, for any number of classes.

With μ_j the probability of class j and θ_j those of the outcomes of its items (what each classifier
predicts),

    μ ~ Dir(β)      θ_j ~ Dir(W m_j(η))      n ~ Multinomial(N, μ)      outcomes of class j ~ Multinomial(n_j, θ_j)

(ICDM'15 §III, Eqs 2–5, for one classifier; m_j is the prior's spread, see `priors`.) Given η all of it is
conjugate. A gamma of shape c + w is the sum of independent gammas of shapes c and w, so a draw has two parts:

- one gamma for each observed cell, of a shape that is always the same;
- the prior's own: T_j ~ Γ(W) shared out as Dir(W m_j), which is a sum of atoms (Sethuraman 1994): lengths of a
  broken stick, 1 − Uˢ with s = 1/W of what is left, at places drawn from m_j. A few sticks are enough, for the
  last atom takes all that is left: means are exact whatever their number, and the second moments of the prior's
  part are exact to 0.1%.

So a draw costs as much as there are observed cells and classes, never M² or M³. Where a classifier has so few
possible outcomes that listing them is cheaper, all cells are listed and there are no atoms.

Assumed, as for two classes: items are independent, and the outcome depends on an item through its class alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import ceil, log
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from outperform.contingency import Contingency, FloatArray, combine
from outperform.counts import Counts
from outperform.errors import ImproperPriorError, listing
from outperform.labels import IntArray
from outperform.measures import Measure, MeasureFunction
from outperform.models.eta import Eta, Known, learn
from outperform.posterior import Posterior, Segment
from outperform.priors import Spread

__all__ = ["OneClass", "OutcomePosterior", "RightPosterior", "SideBySide", "outcome_posterior"]

NEGLIGIBLE = 1e-3  # of the second moment of the prior's part
FEW = 64  # draws, below which one call for all cells is quicker than one for each
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class OutcomePosterior:
    """Observed cells of all classifiers together, and the prior.

    Attributes
    ----------
    classes : int
        M.
    truth, predictions, alpha : arrays
        The cells: true class, predictions of shape (cells, classifiers), shape of the gamma.
    beta : array of shape (classes,)
        Weights of μ, counts included.
    weight : float
        W of the part of the prior that is drawn as atoms; 0 where there is none.
    eta : Eta
        What is known of η.
    whole : bool
        Whether β is each class's total weight, so that all cells are one Dirichlet and μ needs no draw of its own.
    """

    classes: int
    truth: IntArray
    predictions: IntArray
    alpha: FloatArray
    beta: FloatArray
    weight: float
    eta: Eta
    whole: bool

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return len(self.truth) + 4 * self.sticks * self.classes

    @property
    def sticks(self) -> int:
        """Atoms of the prior's part in each class; E[(what is left)²] is (W/(W+2)) to the power of their number."""
        return ceil(log(NEGLIGIBLE) / log(self.weight / (self.weight + 2))) if self.weight else 0

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws, of shape (draws, classifiers, classes)."""
        drawn = self._gammas(rng, draws)
        mass, right, place = self._atoms(rng, draws)
        total = self._by_truth @ drawn + mass.sum(axis=1)
        if self.whole:
            support = total
        else:
            support = rng.standard_gamma(self.beta[:, None], (self.classes, draws))
            scale = support / np.maximum(total, TINY)
            drawn *= scale[self.truth]
            mass *= scale[:, None]
        classifiers = range(self.predictions.shape[1])
        hit = np.stack([self._hits[k] @ drawn + (mass * right[k]).sum(axis=1) for k in classifiers])
        predicted = np.stack([self._predicted[k] @ drawn + self._land(mass, place[k]) for k in classifiers])
        return Contingency(
            hit.T.swapaxes(1, 2), support.T[:, None], predicted.T.swapaxes(1, 2), support.sum(0)[:, None, None]
        )

    def reduced(self, average: str, measure: Measure) -> Posterior:
        """Where all cells are one Dirichlet, sums of cells can be drawn in their place.

        Micro-averages and accuracy need only how often each is right: one Beta given η. Measures that read s + q
        alone need x_jk + x_kj and not the two (one classifier; of a pair the two classifiers' sums differ).
        """
        if not self.whole:
            return self
        if average == "micro" or (average == "multiclass" and measure.sums):
            return RightPosterior.of(self, pooled=average == "micro")
        return self._folded() if average == "macro" and measure.sums and self.predictions.shape[1] == 1 else self

    def _folded(self) -> OutcomePosterior:
        """Cells (j, k) and (k, j) as one; its sum of row and column j is s_j + q_j as before."""
        pair = np.sort(np.column_stack([self.truth, self.predictions]), axis=1)
        cells, place = np.unique(pair, axis=0, return_inverse=True)
        alpha: FloatArray = np.bincount(place.ravel(), self.alpha, len(cells)).astype(np.float64)
        return replace(self, truth=cells[:, 0], predictions=cells[:, 1:], alpha=alpha)

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:  # noqa: ARG002
        """No draws elsewhere: the density of a difference comes from a kernel."""
        return None

    def _gammas(self, rng: Generator, draws: int) -> FloatArray:
        """Of the observed cells, of shape (cells, draws)."""
        if draws < FEW:
            return rng.standard_gamma(self.alpha[:, None], (len(self.alpha), draws))
        drawn = np.empty((len(self.alpha), draws))
        for shape, row in zip(self.alpha, drawn, strict=True):
            rng.standard_gamma(shape, out=row)
        return drawn

    def _atoms(self, rng: Generator, draws: int) -> tuple[FloatArray, Any, Any]:
        """Masses of shape (classes, sticks, draws); by classifier, whether it is right there, and what it predicts."""
        shape = (self.classes, self.sticks, draws)
        if not self.weight:
            return (
                np.zeros((self.classes, 1, draws)),
                [False] * self.predictions.shape[1],
                [None] * self.predictions.shape[1],
            )
        left = rng.standard_exponential(shape)
        np.cumsum(left, axis=1, out=left)
        left /= -self.weight
        np.exp(left, out=left)
        left[:, -1] = 0.0
        mass = -np.diff(left, axis=1, prepend=1.0)
        mass *= np.maximum(rng.standard_gamma(self.weight, (self.classes, 1, draws)), TINY)
        own = np.arange(self.classes, dtype=np.int32)[:, None, None]
        right, place = [], []
        for eta in self.eta.draw(rng, draws):
            other = rng.integers(0, self.classes - 1, shape, dtype=np.int32)
            other += other >= own
            right.append(rng.random(shape) < eta)
            place.append(np.where(right[-1], own, other))
        return mass, right, place

    def _land(self, mass: FloatArray, place: IntArray | None) -> FloatArray | float:
        """Add the atoms up by the class that is predicted."""
        if place is None:
            return 0.0
        draws = mass.shape[-1]
        index = place.astype(np.int64) * draws + np.arange(draws)
        landed: FloatArray = np.bincount(index.ravel(), mass.ravel(), self.classes * draws).astype(np.float64)
        return landed.reshape(self.classes, draws)

    @cached_property
    def _by_truth(self) -> Any:
        return self._sums(self.truth)

    @cached_property
    def _hits(self) -> list[Any]:
        return [self._sums(self.truth, guess == self.truth) for guess in self.predictions.T]

    @cached_property
    def _predicted(self) -> list[Any]:
        return [self._sums(guess) for guess in self.predictions.T]

    def _sums(self, key: IntArray, chosen: Any = True) -> Any:
        """The matrix that adds up cells by a key."""
        from scipy.sparse import csr_array

        weights = np.broadcast_to(np.asarray(chosen, dtype=np.float64), key.shape)
        return csr_array((weights, (key, np.arange(len(key)))), shape=(self.classes, len(key)))


@dataclass(frozen=True, eq=False)
class RightPosterior:
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

    @classmethod
    def of(cls, posterior: OutcomePosterior, *, pooled: bool) -> RightPosterior:
        """Forget the classes."""
        right = np.array(list(product((True, False), repeat=posterior.predictions.shape[1])))
        same = (posterior.predictions == posterior.truth[:, None])[:, None, :] == right
        alpha = posterior.alpha @ same.all(axis=-1).astype(np.float64)
        weight = posterior.weight * posterior.classes
        return cls(right, alpha, weight, posterior.eta, posterior.classes if pooled else 1)

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return 2 * len(self.alpha)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """One class that stands for all: what is right is hit, and everything is there and predicted."""
        drawn = np.stack([rng.standard_gamma(shape, draws) for shape in self.alpha])
        if self.weight:
            eta = self.eta.draw(rng, draws)
            share = np.where(self.right[..., None], eta, 1 - eta).prod(axis=1)
            drawn += rng.standard_gamma(self.weight * share)
        whole = drawn.sum(axis=0)[:, None, None]
        hit = (drawn.T @ self.right.astype(np.float64))[..., None]
        return Contingency(hit, whole, whole, whole * self.classes)

    def reduced(self, average: str, measure: Measure) -> RightPosterior:  # noqa: ARG002
        """Itself: there is nothing to spare."""
        return self

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:  # noqa: ARG002
        """No draws elsewhere: the density of a difference comes from a kernel."""
        return None


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Classifiers that have nothing to do with each other."""

    each: tuple[Posterior, ...]

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return sum(own.cells for own in self.each)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """One after the other."""
        return combine(lambda *x: np.concatenate(x, axis=1), *(own.contingency(rng, draws) for own in self.each))

    def reduced(self, average: str, measure: Measure) -> SideBySide:
        """Each one reduced."""
        return SideBySide(tuple(own.reduced(average, measure) for own in self.each))

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:  # noqa: ARG002
        """No draws elsewhere: the density of a difference comes from a kernel."""
        return None


@dataclass(frozen=True, eq=False)
class OneClass:
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

    def reduced(self, average: str, measure: Measure) -> OneClass:  # noqa: ARG002
        """Itself: there is nothing to spare."""
        return self

    def segment(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> Segment | None:  # noqa: ARG002
        """No draws elsewhere: the density of a difference comes from a kernel."""
        return None


def outcome_posterior(counts: Counts, spread: Spread) -> OutcomePosterior:
    """What is believed of the outcomes of all classifiers together."""
    classes, classifiers = len(counts.labels), len(counts.classifiers)
    items: FloatArray = np.bincount(counts.truth, counts.n, classes).astype(np.float64)
    beta: FloatArray = items + np.asarray(spread.mu)
    if (beta == 0).any() or (not spread.weight and (items == 0).any()):
        none = [counts.labels[j] for j in np.flatnonzero(items == 0)]
        raise ImproperPriorError(
            f"the prior has no weight where a class has no items ({listing(none, 4)}); use another prior"
        )
    eta = learn(counts.predictions == counts.truth[:, None], counts.n, classes, spread)
    posterior = OutcomePosterior(
        classes=classes,
        truth=counts.truth,
        predictions=counts.predictions,
        alpha=counts.n,
        beta=beta,
        weight=spread.weight,
        eta=eta,
        whole=all(mu == spread.weight for mu in spread.mu),
    )
    if isinstance(eta, Known) and classes ** (classifiers + 1) <= len(counts.n) + posterior.sticks * classes:
        return _listed(posterior, eta.value)
    return posterior


def _listed(sparse: OutcomePosterior, eta: float) -> OutcomePosterior:
    """The same with every cell listed, the prior's weights added to the counts, and no atoms."""
    classes, classifiers = sparse.classes, sparse.predictions.shape[1]
    truth, *predictions = np.indices((classes,) * (classifiers + 1)).reshape(classifiers + 1, -1)
    alpha = np.full(len(truth), sparse.weight)
    for guess in predictions:
        alpha *= np.where(guess == truth, eta, (1 - eta) / (classes - 1))
    index = np.ravel_multi_index((sparse.truth, *sparse.predictions.T), (classes,) * (classifiers + 1))
    alpha += np.bincount(index, sparse.alpha, len(alpha))
    return replace(sparse, truth=truth, predictions=np.stack(predictions, axis=1), alpha=alpha, weight=0.0)
