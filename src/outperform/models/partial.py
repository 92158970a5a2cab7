"""Partial pooling: the weight of a pooled prior, learned from how much labels or slices differ.

A slice l comes from a pool, with proportions p_l around the pool's m, and W says how closely; or it stands alone, and
the others are uninformative about it:

    c_l ~ Mult(n_l, p_l)    p_l ~ (1 − ω) Dir(W m) + ω Dir(2/k, …, 2/k)    √ρ ~ U(0, 1)    ρ = 1/(1 + W)

for k outcomes, with ω = 1/(L + 1) for L slices: about one of them stands alone. The likelihood of a slice is that of a
Dirichlet–multinomial with a = W m, or a = 2/k alone:

    p(c_l | a) = Γ(Σa)/Γ(Σa + n_l) Π_o Γ(a_o + c_lo)/Γ(a_o)

and r_l, the probability that it stands alone given W and m, follows by Bayes' rule.

ρ is the correlation of two items of one slice, so √ρ is on the scale of the differences of slices. n items of one slice
are as informative about the mean as e_l = n_l/(1 + (n_l − 1)ρ) independent ones. So given W, with the shares of each
slice c_l/n_l and Σa = 1,

    m | W ~ Dir(a + Σ_l (1 − r_l) e_l c_l/n_l)    m̂ its mean    e = Σ_l (1 − r_l) e_l

where r and m̂ are computed alternately. W is drawn from its posterior on a grid: the likelihood at m̂ times
(1 + e)^(−(k−1)/2), the Laplace approximation of integrating out m; without it slices look more alike than they
are. Then m is drawn, and for each slice whether it stands alone.

Assumption: slices are exchangeable, except for those that stand alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray

__all__ = ["partial_spread"]

GRID = 200
TURNS = 20  # iterations for which slices stand alone, and what the others have in common
ALONE = 2.0  # weight of the prior of a slice that stands alone, as if it were the only one


def partial_spread(counts: FloatArray) -> Callable[[Generator, int], FloatArray]:
    """Return draws of each slice's prior, of shape (outcomes, slices, draws), given counts (outcomes, slices)."""
    # Mid-points of a uniform grid of √ρ.
    rho = ((np.arange(GRID) + 0.5) / GRID) ** 2
    weight = 1 / rho - 1
    items, (outcomes, slices) = counts.sum(axis=0), counts.shape
    # Effective items e_l, of shape (grid, slices).
    told = items / (1 + np.maximum(items - 1, 0) * rho[:, None])
    shares = counts / np.maximum(items, 1)
    omega = 1 / (slices + 1)
    by_itself = np.full((1, outcomes), ALONE / outcomes)
    apart = np.log(omega) + _log_likelihood(by_itself, counts)
    alone = np.zeros((GRID, slices))
    for _ in range(TURNS):
        alpha = 1 / outcomes + ((1 - alone) * told) @ shares.T
        pool = np.log1p(-omega) + _log_likelihood(weight[:, None] * alpha / alpha.sum(axis=1, keepdims=True), counts)
        either = np.logaddexp(pool, apart)
        alone = np.exp(apart - either)
    log = either.sum(axis=1) - (outcomes - 1) / 2 * np.log1p(((1 - alone) * told).sum(axis=1))
    posterior = np.exp(log - log.max())

    def draw(rng: Generator, draws: int) -> FloatArray:
        chosen = rng.choice(GRID, draws, p=posterior / posterior.sum())
        drawn = rng.standard_gamma(alpha[chosen].T)
        common = weight[chosen] * drawn / drawn.sum(axis=0)
        stands_alone = rng.random((slices, draws)) < alone[chosen].T
        spread: FloatArray = np.where(stands_alone, ALONE / outcomes, common[:, None])
        return spread

    return draw


def _log_likelihood(alpha: FloatArray, counts: FloatArray) -> FloatArray:
    """Return Dirichlet–multinomial log likelihoods of shape (rows, slices), from weights of shape (rows, outcomes)."""
    from scipy.special import gammaln

    total, items = alpha.sum(axis=1, keepdims=True), counts.sum(axis=0)
    cells = (gammaln(alpha[..., None] + counts) - gammaln(alpha[..., None])).sum(axis=1)
    like: FloatArray = gammaln(total) - gammaln(total + items) + cells
    return like
