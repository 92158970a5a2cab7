"""Rising factorials, digamma and trigamma functions of arrays, in less time than scipy takes for each."""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["digamma_trigamma", "log_rising"]

SHIFT = 6  # from where on the asymptotic series of the digamma and trigamma functions are used
MOST_FACTORS = 24  # up to this many factors are multiplied; the product cannot overflow
FAR = 8  # from where on Stirling's series is used


def log_rising(base: FloatArray, steps: FloatArray) -> FloatArray:
    """Return log of base (base + 1) … (base + steps − 1) to ten digits, of shape (classes, points).

    It is a product if steps, of shape (classes,), are few.
    """
    from scipy.special import gammaln

    rising, whole, few = np.empty_like(base), steps == np.floor(steps), steps <= MOST_FACTORS
    rows = np.flatnonzero(~few)
    if len(rows) == len(base):
        return _by_stirling(base.copy(), steps[:, None])
    if len(rows):
        rising[rows] = _by_stirling(base[rows], steps[rows, None])
    rows = np.flatnonzero(few & whole)
    rows = rows[np.argsort(-steps[rows], kind="stable")]
    if len(rows):
        rising[rows] = _by_factors(base[rows], steps[rows])
    rows = np.flatnonzero(few & ~whole)
    if len(rows):
        rising[rows] = gammaln(base[rows] + steps[rows, None]) - gammaln(base[rows])
    return rising


def _by_factors(factor: FloatArray, steps: FloatArray) -> FloatArray:
    """Return the logarithm of the product for rows sorted by decreasing steps; the first factors are overwritten."""
    product = np.ones_like(factor)
    for step in range(int(steps[0])):
        left = int(np.searchsorted(-steps, -step))  # those that need another factor
        product[:left] *= factor[:left]
        factor[:left] += 1
    return np.log(product, out=product)


def _by_stirling(low: FloatArray, steps: FloatArray) -> FloatArray:
    """Return log Γ(low + steps) − log Γ(low) for many steps; the first are overwritten."""
    rising = _log_gamma(low + steps, (-1 / 360, 1 / 12))
    ends = low + (FAR - 1)
    ends *= low
    product = ends + 6  # (low + 1) (low + 6), if FAR is 8
    for more in (10, 2, 0):
        product *= ends
        ends += more
    rising += np.log(product, out=product)  # log Γ(low) = log Γ(low + 8) − log of eight factors
    low += FAR
    rising -= _log_gamma(low, (-1 / 1680, 1 / 1260, -1 / 360, 1 / 12))
    return rising


def _log_gamma(x: FloatArray, series: tuple[float, ...]) -> FloatArray:
    """Return log Γ(x) less log √2π, by Stirling's series, the last terms first; x is overwritten."""
    once = 1 / x
    square = once * once
    found = square * series[0]
    for term in series[1:-1]:
        found += term
        found *= square
    found += series[-1]
    found *= once
    found -= x
    np.log(x, out=once)
    x -= 0.5
    once *= x
    found += once
    return found


def digamma_trigamma(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the digamma and trigamma functions to nine digits: a fraction of the time of scipy's."""
    one, two = np.zeros_like(x), np.zeros_like(x)
    for step in range(SHIFT):
        once = 1 / (x + step)
        one -= once  # ψ(x) = ψ(x + 1) − 1/x
        two += once * once  # ψ₁(x) = ψ₁(x + 1) + 1/x²
    far = x + SHIFT
    once = 1 / far
    y = once * once
    one += np.log(far) - once / 2 - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
    two += once + y / 2 + y * once * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
    return one, two
