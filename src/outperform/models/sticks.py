"""Stick-breaking: the weight of a Dirichlet prior as a sum of atoms (Sethuraman 1994).

Dir(W m), with m the spread over any number of outcomes, is the distribution of Σ_s p_s at places drawn from m, where
p_s are the pieces of a stick of which a share 1 − U^(1/W) of the rest is broken off each time. So the cost of a draw
depends on the number of pieces, not of outcomes.
"""

from __future__ import annotations

from math import ceil, log

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts

__all__ = ["broken_sticks", "enough_sticks", "pieces"]

NEGLIGIBLE = 1e-4  # second moment of the rest of a class's stick
MANY = 1_000  # above this many classes, errors of single ones average out
NEGLIGIBLE_OF_MANY = 5e-2
NEGLIGIBLE_BESIDE = 1e-3  # of the variance of a class's score
FEWEST = 10  # with fewer pieces, all would too often be of one kind
TINY = 1e-300


def broken_sticks(weight: float, rng: Generator, shape: tuple[int, int, int]) -> FloatArray:
    """Draw the pieces of sticks of length Γ(W), of shape (classes, pieces, draws); the last takes the rest.

    The rest of a stick after s pieces is exp(−E/W), E the sum of s exponentials.
    """
    classes, _, draws = shape
    # In place and in single precision: this array is the largest of a draw.
    left = rng.standard_exponential(shape, dtype=np.float32)
    np.cumsum(left, axis=1, out=left)
    left *= np.float32(-1 / weight)
    np.exp(left, out=left)
    left[:, -1] = 0.0
    mass = np.empty_like(left, dtype=np.float64)
    np.subtract(left[:, :-1], left[:, 1:], out=mass[:, 1:])
    np.subtract(1.0, left[:, 0], out=mass[:, 0])
    mass *= np.maximum(rng.standard_gamma(weight, (classes, 1, draws)), TINY)
    return mass


def enough_sticks(weight: float, counts: Counts) -> int:
    """Return the number of atoms for which the second moment of the rest, (W/(W+2))ˢ, is negligible.

    It matters most for a class that is rare or rarely predicted, whose score consists of little else; with n items the
    prior adds W²/n to the variance.
    """
    if not weight:
        return 0
    c = counts.contingency()
    smallest = min(float(c.support.min(initial=np.inf)), float(c.predicted.min(initial=np.inf)))
    least = NEGLIGIBLE if len(counts.labels) <= MANY else NEGLIGIBLE_OF_MANY
    left = max(least, min(NEGLIGIBLE_BESIDE * smallest / weight**2, 0.5))
    return max(1, ceil(log(left) / log(weight / (weight + 2))))


def pieces(weight: float) -> int:
    """Return the number of pieces after which the second moment of the rest is negligible."""
    return max(FEWEST, ceil(log(NEGLIGIBLE) / log(weight / (weight + 2)))) if weight else 0
