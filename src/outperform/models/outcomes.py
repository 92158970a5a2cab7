"""Many classes: the outcomes of the items of each true class, for any number of classes.

With μ_j the probability of class j and θ_j those of the outcomes of its items (what each classifier
predicts),

    n ~ Multinomial(N, μ)      outcomes of class j ~ Multinomial(n_j, θ_j)      θ_j ~ Dir(W m_j)

(ICDM'15 §III, Eqs 2–5, for one classifier.) The prior of μ is in `proportions`, the spread m_j in `spread`. Given what
they learn, the model is conjugate. A gamma of shape c + w is the sum of independent gammas of shapes c and w, so a draw
has two parts:

- one gamma for each observed cell, of a fixed shape;
- the prior: T_j ~ Γ(W) divided as Dir(W m_j), which is a sum of atoms (Sethuraman 1994): the pieces of a
  stick of which a share 1 − U^(1/W) of the rest is broken off each time, at places drawn from m_j. The last piece takes
  all the rest, so that the means of all cells are exact; `enough_sticks` says how many pieces are enough.

So the cost of a draw is linear in the number of observed cells and classes, never M² or M³. If there are so few
possible outcomes that listing them is cheaper, all cells are listed and there are no atoms.

Assumptions, as for two classes: items are independent, and the outcome depends on an item through its class alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator

from outperform.base.errors import ImproperPriorError, listing
from outperform.data.contingency import Contingency, FloatArray, adding, at_once, summed
from outperform.data.counts import Counts
from outperform.data.labels import IntArray
from outperform.measures.of_counts import RIGHT_OR_WRONG, Measure
from outperform.models.derived import RightPosterior
from outperform.models.eta import Eta, Known, learn
from outperform.models.posterior import Posterior
from outperform.models.priors import CellPrior, Hierarchical, Pooled
from outperform.models.proportions import Even, Proportions, Weights
from outperform.models.spread import AtomOutcome, IndependentSpread, PooledSpread, Spread, pool
from outperform.models.sticks import broken_sticks, enough_sticks

__all__ = ["OutcomePosterior", "outcome_posterior"]

FEW = 3  # items per class, below which intervals under the pooled prior are known to be too narrow
FEW_PER_CLASS = (
    "There are only {items:.4g} items for {classes} classes, each of which has {weight:g} pseudo-items under the "
    "pooled prior: intervals of scores of all classes may be too narrow."
)
MUCH = 300  # items per pseudo-item of the prior
STRATA = 4  # of η in a block of draws, each with one value of η
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class OutcomePosterior(Posterior):
    """Observed cells of all classifiers together, and the prior.

    Attributes
    ----------
    classes : int
        Number of classes M.
    truth, predictions, alpha : arrays
        The cells: true class, predictions of shape (cells, classifiers), shape of the gamma.
    weight : float
        W of the part of the prior that is drawn as atoms; 0 without one.
    sticks : int
        Atoms per class.
    spread : Spread
        The distribution of the places of the atoms.
    shares : array of shape (2, cells), or None
        Pseudo-counts that are multiplied by η and by 1 − η, in place of atoms if all cells of one classifier are
        listed. η is then drawn once per stratum of a block.
    proportions : Proportions or None
        The posterior of μ; None if each class's weight is that of its outcomes, so that all cells are one
        Dirichlet and μ needs no separate draw.
    """

    classes: int
    truth: IntArray
    predictions: IntArray
    alpha: FloatArray
    weight: float
    sticks: int
    spread: Spread
    proportions: Proportions | None
    shares: FloatArray | None = None

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        return len(self.truth) + 2 * self.sticks * self.classes

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw contingencies of shape (draws, classifiers, classes)."""
        drawn = self._gammas(rng, draws)
        total = summed(drawn, self._by_truth)
        mass, fates = self._atoms(rng, total)
        total = total + mass.sum(axis=1)
        support = total
        if self.proportions is not None:
            support = self.proportions.draw(rng, draws)
            scale = support / np.maximum(total, TINY)
            drawn *= scale[self.truth]
            mass *= scale[:, None]
        hit, predicted = (
            np.stack([summed(drawn, table) for table in tables]) for tables in (self._hits, self._predicted)
        )
        for k, fate in enumerate(fates):
            right = np.where(fate.right, mass, 0.0).sum(axis=1)
            hit[k] += right
            predicted[k] += right
            predicted[k] += fate.predicted(mass)
        for bound in (support, predicted):  # rounding may exceed these bounds
            np.minimum(hit, bound, out=hit)
        hit, predicted = (x.transpose(2, 0, 1) for x in (hit, predicted))
        return Contingency(hit, support.T[:, None], predicted, support.sum(axis=0)[:, None, None])

    def remarks(self) -> tuple[str, ...]:
        """Return a note if there are so few items that the pseudo-items of the pooled prior matter."""
        items = float(self.alpha.sum())
        if not (isinstance(self.spread, PooledSpread) and 0 < items < FEW * self.classes):
            return ()
        return (FEW_PER_CLASS.format(items=items, classes=self.classes, weight=self.weight),)

    def reduced(self, average: str, measure: Measure) -> Posterior:
        """Return a posterior of sums of cells, if the score depends on no more.

        Micro-averages and accuracy need only how often each classifier is correct; if all cells are one Dirichlet, it
        is a Beta given η. Measures that depend on s + q alone need only x_jk + x_kj (for one classifier; for
        a pair the sums of the two classifiers differ).
        """
        if average == "micro" or (average == "multiclass" and measure.multiclass in RIGHT_OR_WRONG):
            if self.proportions is None and isinstance(self.spread, IndependentSpread):
                return self._without_classes(self.spread.eta, pooled=average == "micro")
            return self._right_or_wrong()
        listed = self._listed()
        fold = self.proportions is None and average == "macro" and measure.sums and self.predictions.shape[1] == 1
        return listed._folded() if fold else listed

    def _without_classes(self, eta: Eta, *, pooled: bool) -> RightPosterior:
        """Return the posterior of correct or wrong alone, if all cells are one Dirichlet."""
        right = np.array(list(product((True, False), repeat=self.predictions.shape[1])))
        same = (self.predictions == self.truth[:, None])[:, None, :] == right
        alpha = self.alpha @ same.all(axis=-1).astype(np.float64)
        return RightPosterior(right, alpha, self.weight * self.classes, eta, self.classes if pooled else 1)

    def _listed(self) -> OutcomePosterior:
        """Return the posterior with all M² cells of one classifier and no atoms, if that is cheaper.

        Only with so many items that η hardly affects a score: then a few values of it suffice for all draws.
        """
        alone = isinstance(self.spread, IndependentSpread) and self.predictions.shape[1] == 1
        many = self.alpha.sum() >= MUCH * self.classes * self.weight
        if not (self.sticks and alone and many and self.classes**2 <= self.cells):
            return self
        truth, guess = np.divmod(np.arange(self.classes**2), self.classes)
        alpha = np.zeros(len(truth))
        alpha[self.truth * self.classes + self.predictions[:, 0]] = self.alpha
        right, wrong = truth == guess, (truth != guess) / (self.classes - 1)
        shares = self.weight * np.stack([right, wrong])
        return replace(self, truth=truth, predictions=guess[:, None], alpha=alpha, sticks=0, shares=shares)

    def _folded(self) -> OutcomePosterior:
        """Return cells (j, k) and (k, j) merged; the sum of row and column j is still s_j + q_j."""
        return self._merged(np.sort(np.column_stack([self.truth, self.predictions]), axis=1))

    def _right_or_wrong(self) -> OutcomePosterior:
        """Return the posterior with all wrong predictions of a class merged into one."""
        # Any wrong class will do: 1 for items of class 0, and 0 for all others.
        other = (self.truth == 0).astype(np.int64)[:, None]
        right = self.predictions == self.truth[:, None]
        return self._merged(np.column_stack([self.truth, np.where(right, self.truth[:, None], other)]))

    def _merged(self, cells: IntArray) -> OutcomePosterior:
        """Return the posterior with equal cells merged."""
        distinct, place = np.unique(cells, axis=0, return_inverse=True)

        def added(weights: FloatArray) -> FloatArray:
            return np.bincount(place.ravel(), weights, len(distinct)).astype(np.float64)

        shares = None if self.shares is None else np.stack([added(share) for share in self.shares])
        merged = replace(self, truth=distinct[:, 0], predictions=distinct[:, 1:], alpha=added(self.alpha))
        return replace(merged, shares=shares)

    def _gammas(self, rng: Generator, draws: int) -> FloatArray:
        """Draw gammas of the observed cells, or of all, of shape (cells, draws)."""
        if self.shares is None or not isinstance(self.spread, IndependentSpread):
            return rng.standard_gamma(self.alpha[:, None], (len(self.alpha), draws))
        if at_once(rng):  # one η per draw
            eta = self.spread.eta.draw(rng, draws)[0]
            pseudo_counts = np.einsum("ec,ed->cd", self.shares, np.stack([eta, 1 - eta]))
            by_cell: FloatArray = rng.standard_gamma(self.alpha[:, None] + pseudo_counts)
            return by_cell
        drawn = np.empty((len(self.alpha), draws))
        strata = np.array_split(drawn, min(STRATA, draws), axis=1)
        for eta, part in zip(self.spread.eta.strata(rng, len(strata)), strata, strict=True):
            alpha = self.alpha + np.array([eta, 1 - eta]) @ self.shares
            part[:] = rng.standard_gamma(alpha[:, None], part.shape)
        return drawn

    def _atoms(self, rng: Generator, beside: FloatArray) -> tuple[FloatArray, list[AtomOutcome]]:
        """Draw masses of shape (classes, sticks, draws), and the outcome of each classifier for them.

        `beside` is what the observed cells have, of shape (classes, draws).
        """
        if not self.sticks:
            return np.zeros_like(beside)[:, None], []
        shape = (self.classes, self.sticks, beside.shape[1])
        return broken_sticks(self.weight, rng, shape), self.spread.fates(rng, shape)

    @cached_property
    def _by_truth(self) -> Any:
        return adding(self.truth, self.classes)

    @cached_property
    def _hits(self) -> list[Any]:
        return [adding(self.truth, self.classes, guess == self.truth) for guess in self.predictions.T]

    @cached_property
    def _predicted(self) -> list[Any]:
        return [adding(guess, self.classes) for guess in self.predictions.T]


def outcome_posterior(counts: Counts, prior: CellPrior) -> OutcomePosterior:
    """Return the joint posterior of the outcomes of all classifiers."""
    classes, classifiers = len(counts.labels), len(counts.classifiers)
    items: FloatArray = np.bincount(counts.truth, counts.n, classes).astype(np.float64)
    cells = partial(OutcomePosterior, classes, counts.truth, counts.predictions, counts.n)
    if isinstance(prior, Pooled):
        sticks = enough_sticks(prior.weight, counts)
        return cells(prior.weight, sticks, pool(counts, prior.strength), Even.learn(items))
    if isinstance(prior, Hierarchical):
        right = counts.predictions == counts.truth[:, None]
        spread = IndependentSpread(learn(right, counts.n, classes, prior.weight, prior.eta))
        whole = prior.mu == prior.weight
        sticks = enough_sticks(prior.weight, counts)
        return cells(prior.weight, sticks, spread, None if whole else Weights(items + prior.mu))
    if prior.positive is not None or prior.negative is not None:
        raise ValueError("prior positive and negative are of two classes; for more give op.Dirichlet(cells, mu=…)")
    beta = items + prior.weights("mu", classes)
    if (beta == 0).any() or (not prior.cells and (items == 0).any()):
        none = [counts.labels[j] for j in np.flatnonzero(items == 0)]
        raise ImproperPriorError(
            f"the prior has no weight where a class has no items ({listing(none, 4)}); use another prior"
        )
    weight = prior.cells * classes
    flat = cells(
        weight, enough_sticks(weight, counts), IndependentSpread(Known(1 / classes, classifiers)), Weights(beta)
    )
    # Listing every cell is cheaper than observed cells plus atoms.
    listed = classes ** (classifiers + 1) <= len(counts.n) + flat.sticks * classes
    return _flat(flat, weight / classes**classifiers) if listed else flat


def _flat(sparse: OutcomePosterior, weight: float) -> OutcomePosterior:
    """Return the posterior with every cell listed, the prior's weight added to each, and no atoms."""
    shape = (sparse.classes,) * (sparse.predictions.shape[1] + 1)
    truth, *predictions = np.indices(shape).reshape(len(shape), -1)
    index = np.ravel_multi_index((sparse.truth, *sparse.predictions.T), shape)
    alpha: FloatArray = weight + np.bincount(index, sparse.alpha, len(truth)).astype(np.float64)
    return replace(sparse, truth=truth, predictions=np.stack(predictions, axis=1), alpha=alpha, sticks=0)
