"""The highest density interval of draws, and its Monte-Carlo error."""

from __future__ import annotations

from math import floor, sqrt
from typing import TypeAlias

import numpy as np

from outperform.base.limits import check_between
from outperform.data.contingency import FloatArray

__all__ = ["FEWEST", "ROUNDING", "Interval", "check_mass", "check_share", "hdi", "hdi_mid_error", "hdis", "holds"]

Interval: TypeAlias = tuple[float, float]

SLACK = 0.01  # windows this much longer than the shortest count as equally short
# Blocks of draws, over which the HDI's mid-point varies.
BLOCKS = 20
FEWEST = 2 * BLOCKS  # with fewer draws there is no verdict
LEAST_MASS = 0.5  # below it, 0.05 is more likely to be the level of a test than the mass of an interval
# Relative tolerance of a value on a border.
ROUNDING = 1e-12


def hdi(draws: FloatArray, mass: float = 0.95) -> Interval:
    """Return the highest density interval: the shortest interval that holds `mass` of the draws.

    Notes
    -----
    The length of a window is almost constant near the shortest one, so the shortest of a
    sample is chosen by noise: with 50,000 draws of a normal it varies by 0.03 sd, seven times the
    Monte-Carlo error of the mean. The middle one of all windows within 1% of the shortest varies by
    0.013 sd. Meant for one mode; with several, an interval is the wrong summary.
    """
    draws = np.asarray(draws, dtype=np.float64)
    if draws.ndim != 1 or not len(draws) or not np.isfinite(draws).all():
        raise ValueError("draws must be a sequence of finite numbers, and not empty")
    ((low, high),) = hdis(draws[None], mass)
    return float(low), float(high)


def hdis(draws: FloatArray, mass: float) -> FloatArray:
    """Return the HDI of each row of finite draws, of shape (rows, 2)."""
    n, mass = draws.shape[1], check_share(mass)
    inside = floor(mass * n)
    outside = n - inside
    if outside < inside:  # only the two tails need sorting
        parted = np.partition(draws, [outside - 1, inside], axis=1)
        low, high = np.sort(parted[:, :outside], axis=1), np.sort(parted[:, inside:], axis=1)
    else:
        ordered = np.sort(draws, axis=1)
        low, high = ordered[:, :outside], ordered[:, inside:]
    length = high - low
    short = length <= length.min(axis=1, keepdims=True) * (1 + SLACK)
    number = short.sum(axis=1)
    left, rest = np.divmod(short @ np.arange(float(outside)), number)
    # The mean of indices may lie between two windows. Both have whole numbers as weights, so that mirrored draws have
    # the mirrored interval to the last bit.
    left, rows = left.astype(np.int64), np.arange(len(draws))
    right = left + (rest > 0)
    return np.stack(
        [end[rows, left] * ((number - rest) / number) + end[rows, right] * (rest / number) for end in (low, high)],
        axis=1,
    )


def check_mass(mass: float) -> float:
    """Validate the mass of an HDI from which a verdict is read: less than half would settle almost anything."""
    if check_share(mass) < LEAST_MASS:
        raise ValueError(f"mass must be at least {LEAST_MASS:g}, got {mass!r}; did you mean {1 - mass:.12g}?")
    return float(mass)


def check_share(mass: float) -> float:
    """Validate the mass of an interval, strictly between 0 and 1."""
    return check_between(mass, "mass", ", as in 0.95")


def hdi_mid_error(draws: FloatArray, mass: float = 0.95) -> float:
    """Return the Monte-Carlo error of the HDI's mid-point, from its variation over blocks of the draws."""
    if len(draws) < FEWEST:
        return float("inf")
    blocks = np.sort(draws[: len(draws) // BLOCKS * BLOCKS].reshape(BLOCKS, -1), axis=1)
    inside = floor(mass * blocks.shape[1])
    low, high = blocks[:, : blocks.shape[1] - inside], blocks[:, inside:]
    length = high - low
    shortest = length <= length.min(axis=1, keepdims=True) * (1 + SLACK)
    middles = np.sum(shortest * (low + high), axis=1) / (2 * shortest.sum(axis=1))
    return float(np.std(middles, ddof=1)) / sqrt(BLOCKS)


def holds(interval: Interval, value: float) -> bool:
    """Return whether a value lies in an interval, up to rounding."""
    slack = ROUNDING * max(abs(value), 1.0)
    return interval[0] - slack <= value <= interval[1] + slack
