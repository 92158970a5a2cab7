"""What the Bayes factor of a comparison needs: draws of δ before the data, and its posterior density at 0."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.random import SeedSequence

from outperform.bayes_factor import PRIOR_DRAWS, conditional_density, kernel_density
from outperform.contingency import FloatArray
from outperform.counts import Counts
from outperform.errors import ImproperPriorError
from outperform.models import Model
from outperform.posterior import Posterior
from outperform.question import Question

__all__ = ["Before", "density_at_zero", "drawn_before"]

CONDITIONAL_DRAWS = 5_000  # an error of about 1%, see bench/density.py
VANISHING = 50.0  # standard deviations from 0; even tails that fall only as exp(-z) are below 1e-21 there
FEWEST_PRIOR_DRAWS = 200
WORST = 0.1  # relative error, beyond which a kernel among the draws is better


@dataclass(frozen=True, eq=False)
class Before:
    """What is believed of δ before the data: draws, and the density at 0 where it has a closed form and is finite."""

    delta: FloatArray | None = None
    at_zero: float | None = None


def drawn_before(counts: Counts, question: Question, model: Model) -> Before:
    """Draw δ before the data: from the posterior of zero counts. Nothing where the prior is improper.

    Where the model treats both alike, half of them are drawn and half are mirror images. All classes are alike
    before the data, so where each has a comparison one stands for all.
    """
    try:
        posterior = model.posterior(counts.empty()).reduced(question.average, question.measure)
    except ImproperPriorError:
        return Before()
    seed = SeedSequence(question.seed, spawn_key=(1,))
    draws = posterior.usual_draws(PRIOR_DRAWS, FEWEST_PRIOR_DRAWS) // (2 if model.symmetric else 1)
    score = (
        (lambda c: question.parts(c)[..., 0])
        if question.average == "per_class" and question.in_parts
        else question.score
    )
    drawn = posterior.scores(score, draws=draws, seed=seed)
    delta: FloatArray = drawn[:, 0] - drawn[:, 1]
    density = posterior.density_at_zero(question.score)
    finite = density if density is not None and density < inf else None
    return Before(np.concatenate([delta, -delta]) if model.symmetric else delta, finite)


def density_at_zero(
    posterior: Posterior, question: Question, drawn: FloatArray, seed: SeedSequence
) -> tuple[bool, float | None]:
    """The posterior density of δ at 0, and whether that is only an upper bound.

    In closed form or exact in one variable where that works, else by kernel. Where 0 lies beyond all draws, the
    density falls from the nearest draw to 0, so it is at most the share of draws that may lie beyond (three in all of
    them, with probability 95%) over the distance.
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
