"""How alike labels or slices are, learned from how much they differ: the weight of a pooled prior.

Each slice l has proportions p_l around those of all, m, and W says how closely:

    c_l ~ Mult(n_l, p_l)    p_l ~ Dir(W m)    √ρ ~ U(0, 1)    ρ = 1/(1 + W)

    p(c | W, m) = Π_l Γ(W)/Γ(W + n_l) Π_o Γ(W m_o + c_lo)/Γ(W m_o)

ρ is the correlation of two items of one slice, so √ρ is on the scale of how far apart slices are. n items of one slice
tell as much of the mean as e_l = n_l/(1 + (n_l − 1)ρ) that do not hang together. So given W, with the shares of each
slice c_l/n_l and Σa = 1,

    m | W ~ Dir(a + Σ_l e_l c_l/n_l)    m̂ its mean    e = Σ_l e_l

W is drawn from its posterior on a grid: the likelihood at m̂ times (1 + e)^(−(k−1)/2) for k outcomes, which is what m
integrated out leaves of it (Laplace); without that slices look more alike than they are.

Assumed: that slices are exchangeable. One that is known to be different belongs into a comparison of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from outperform.contingency import FloatArray

__all__ = ["partial_spread"]

GRID = 200


def partial_spread(counts: FloatArray) -> Callable[[Generator, int], FloatArray]:
    """Draws of W m, of shape (outcomes, draws), from counts of shape (outcomes, slices)."""
    from scipy.special import gammaln

    rho = ((np.arange(GRID) + 0.5) / GRID) ** 2
    weight = 1 / rho - 1
    items, outcomes = counts.sum(axis=0), len(counts)
    told = items / (1 + np.maximum(items - 1, 0) * rho[:, None])
    alpha = 1 / outcomes + told @ (counts / np.maximum(items, 1)).T
    prior = (weight[:, None] * alpha / alpha.sum(axis=1, keepdims=True))[..., None]
    like = gammaln(weight[:, None]) - gammaln(weight[:, None] + items)
    like += (gammaln(prior + counts) - gammaln(prior)).sum(axis=1)
    log = like.sum(axis=1) - (outcomes - 1) / 2 * np.log1p(told.sum(axis=1))
    posterior = np.exp(log - log.max())

    def draw(rng: Generator, draws: int) -> FloatArray:
        chosen = rng.choice(GRID, draws, p=posterior / posterior.sum())
        drawn = rng.standard_gamma(alpha[chosen].T)
        spread: FloatArray = weight[chosen] * drawn / drawn.sum(axis=0)
        return spread

    return draw
