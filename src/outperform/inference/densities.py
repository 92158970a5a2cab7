"""The density of δ at 0 before and after the data, and prior draws of δ: the parts of a Bayes factor.

They take about as long as the rest of a comparison, so they are computed on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import inf

import numpy as np
from numpy.random import SeedSequence

from outperform.base.errors import ImproperPriorError
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.inference.bayes_factor import PRIOR_DRAWS, conditional_density, kernel_density
from outperform.inference.question import CountQuestion, Stream
from outperform.models import Model
from outperform.models.exact import Exact
from outperform.models.posterior import Posterior

__all__ = ["After", "Before", "density_at_zero"]

CONDITIONAL_DRAWS = 5_000  # an error of about 1%, see bench/density.py
VANISHING = 50.0  # standard deviations from 0; even tails that fall only as exp(-z) are below 1e-21 there
FEWEST_PRIOR_DRAWS = 200
KEPT = 8  # priors, of some 400 kB each
WORST = 0.1  # relative error above which a kernel estimate from the draws is better


@dataclass(frozen=True, eq=False)
class Before:
    """The prior of δ: the posterior of zero counts. There is nothing to draw if the prior is improper.

    All classes have the same prior, so for comparisons per class one of them represents all.
    """

    counts: Counts
    question: CountQuestion
    model: Model

    def unseeded(self) -> Before:
        """Return the same with a fixed seed, for an answer without draws, which has none."""
        return replace(self, question=replace(self.question, seed=0))

    @cached_property
    def _drawn(self) -> _Prior | None:
        question = self.question
        try:
            posterior = self.model.posterior(self.counts.empty()).reduced(question.average, question.measure)
        except ImproperPriorError:
            return None
        draws = posterior.usual_draws(PRIOR_DRAWS, FEWEST_PRIOR_DRAWS)
        asked = _Asked(posterior, question, draws, self.model.symmetric, self.model.name, _bytes(posterior))
        known = asked.weights and question.device is None and question.measure.own_function is None
        return _kept(asked) if known else _prior(asked)

    @property
    def delta(self) -> FloatArray | None:
        """Draws; None if the prior is improper."""
        return None if self._drawn is None else self._drawn.delta

    @property
    def kernel(self) -> float | None:
        """The density at 0 at the papers' bandwidth."""
        return None if self._drawn is None else self._drawn.kernel

    @property
    def density(self) -> float | None:
        """The density at 0: in closed form if that is finite, else by kernel."""
        closed = None if self._drawn is None else self._drawn.closed
        return closed if closed and closed < inf else self.kernel


@dataclass(frozen=True, eq=False)
class _Prior:
    """Prior draws of δ, half of them mirror images if the model is symmetric, and the density at 0 in closed form."""

    delta: FloatArray
    closed: float | None

    @cached_property
    def kernel(self) -> float | None:
        """The density at 0 at the papers' bandwidth."""
        return kernel_density(self.delta)


@dataclass(frozen=True)
class _Asked:
    """What is drawn; all but the posterior tells whether it has been drawn already."""

    posterior: Posterior = field(compare=False)
    question: CountQuestion
    draws: int
    symmetric: bool
    model: str
    weights: tuple[bytes, ...]


def _bytes(posterior: Posterior) -> tuple[bytes, ...]:
    return tuple(block.tobytes() for block in posterior.dirichlet_weights)


def _prior(asked: _Asked) -> _Prior:
    """Draw δ before the data."""
    posterior, question = asked.posterior, asked.question
    one_class = question.average == "per_class" and question.scores_classes
    score = (lambda c: question.by_class(c)[..., 0]) if one_class else question.score
    draws = asked.draws // (2 if asked.symmetric else 1)
    drawn = posterior.scores(score, draws=draws, seed=question.seed_of(Stream.PRIOR))
    delta: FloatArray = drawn[:, 0] - drawn[:, 1]
    both = np.concatenate([delta, -delta]) if asked.symmetric else delta
    both.flags.writeable = False
    return _Prior(both, posterior.density_at_zero(question.score))


# The prior of two classes does not depend on the data, and the next comparison has the same.
_kept = lru_cache(maxsize=KEPT)(_prior)


@dataclass(frozen=True, eq=False)
class After:
    """The posterior density of δ at 0."""

    posterior: Posterior
    question: CountQuestion
    scores: FloatArray | Callable[[], FloatArray]
    seed: SeedSequence
    exact: Exact | None = None

    @cached_property
    def bound_and_density(self) -> tuple[bool, float | None]:
        """Whether the density is only an upper bound, and the density."""
        known = None if self.exact is None else self.exact.density_at_zero
        if known is not None and known < inf:
            return False, known
        scores = self.scores() if callable(self.scores) else self.scores
        return density_at_zero(self.posterior, self.question, scores, self.seed)


def density_at_zero(
    posterior: Posterior, question: CountQuestion, drawn: FloatArray, seed: SeedSequence
) -> tuple[bool, float | None]:
    """Return whether it is only an upper bound, and the posterior density of δ at 0.

    In closed form, or exact in one variable, if possible, else by kernel. If 0 lies beyond all draws, the
    density decreases from the nearest draw to 0, so it is at most the share of draws that may lie beyond (three in all,
    with probability 95%) divided by the distance.
    """
    closed = posterior.density_at_zero(question.score)
    if closed is not None and closed < inf:
        return False, closed
    delta = drawn[:, 0] - drawn[:, 1]
    among = delta.min() <= 0 <= delta.max()
    segment = posterior.segment(question.score, draws=CONDITIONAL_DRAWS, seed=seed)
    exact = None if segment is None else conditional_density(segment, question.score)
    if exact is not None and (exact[1] < WORST or not among):
        return False, exact[0]
    if among:
        return False, kernel_density(delta, shrunken=segment is None)
    if abs(delta.mean()) > VANISHING * delta.std():
        return False, 0.0
    return True, 3 / (len(delta) * float(np.abs(delta).min()))
