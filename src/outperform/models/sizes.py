"""The size of a class, as far as its number of items tells it.

The number of items t_k of a class is a noisy measure of its size λ_k, most of all where it is 0 or 1:

    t_k ~ Poisson(λ_k)    λ_k ~ Gamma(shape r, mean of all t)    log r ~ N(0, 1)

Given t_k, the size has the distribution Gamma(t_k + r, …), and its logarithm the mean ψ(t_k + r), up to a constant. A
trend in the size of classes is a trend in this mean (regression calibration: Carroll, Ruppert, Stefanski and
Crainiceanu, Measurement Error in Nonlinear Models, 2006, ch. 4). r is small where sizes differ by orders of magnitude:
then a class without items is much smaller than one with a single item, whereas t + 1 would only double.
"""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["expected_log_size", "gap"]

SHAPES = np.exp(np.linspace(np.log(0.05), np.log(20.0), 61))


def expected_log_size(items: FloatArray) -> FloatArray:
    """Return what is expected of the logarithm of the size of each class, up to a constant."""
    from scipy.special import digamma

    found: FloatArray = digamma(items + _shape(items))
    return found


def gap(items: FloatArray) -> FloatArray:
    """Return how much smaller classes without items are than those with one, ψ(1 + r) − ψ(r); 0 for all others."""
    return np.where(items == 0, 1 / _shape(items), 0.0)


def _shape(items: FloatArray) -> float:
    """Return r: the exponential of the posterior mean of its logarithm."""
    from scipy.special import gammaln

    t, number = np.unique(items, return_counts=True)
    mean, r = float(items.mean()), SHAPES[:, None]
    if mean == 0:
        return 1.0
    log_terms = gammaln(t + r) - gammaln(r) + r * np.log(r / (r + mean)) + t * np.log(mean / (r + mean))
    log_density = log_terms @ number - np.log(SHAPES) ** 2 / 2
    density = np.exp(log_density - log_density.max())
    return float(np.exp(density @ np.log(SHAPES) / density.sum()))
