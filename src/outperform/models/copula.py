"""Reordering of independent draws of many systems, so that they are correlated as pairs of systems are.

The correlation of each system with one of them, the hub, is that of their pair: with σ the sd of a score,

    ρ = (σ_i² + σ_hub² − Var(δ)) / (2 σ_i σ_hub)

That of two others follows from these and from their correlation given the hub in the item bootstrap. So a pair with the
hub has the spread that it has alone, and the matrix is positive definite. Draws are reordered by a normal copula, which
does not change the distribution of any score.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.models.roots import root

__all__ = ["correlation", "reordered"]

TINY = 1e-300
MOST = 0.9999  # largest correlation of two systems that are not identical


def correlation(scores: FloatArray, plain: FloatArray, spread: FloatArray, hub: int) -> FloatArray:
    """Return correlations: with the hub by the variances of the differences, of others given the hub as in `plain`."""
    sd = np.maximum(scores.std(axis=0), TINY)
    with_hub = np.clip((sd**2 + sd[hub] ** 2 - spread) / (2 * sd * sd[hub]), -MOST, MOST)
    loose = np.sqrt(1 - with_hub**2)
    off = (plain - plain.mean(axis=0)) / np.maximum(plain.std(axis=0), TINY)
    slope = off.T @ off[:, hub] / len(off)
    rest = off - np.outer(off[:, hub], slope)
    rest /= np.maximum(rest.std(axis=0), 1e-9)
    partial = rest.T @ rest / len(rest)
    found: FloatArray = np.outer(with_hub, with_hub) + np.outer(loose, loose) * partial
    found[hub], found[:, hub] = with_hub, with_hub
    np.fill_diagonal(found, 1.0)
    return found


def reordered(scores: FloatArray, matrix: FloatArray, rng: Generator) -> FloatArray:
    """Return columns reordered to have the rank correlation of normal variables with this matrix."""
    normal = rng.standard_normal(scores.shape) @ root(matrix)
    place = np.argsort(np.argsort(normal, axis=0), axis=0)
    ordered: FloatArray = np.take_along_axis(np.sort(scores, axis=0), place, axis=0)
    return ordered
