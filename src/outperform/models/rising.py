"""Rising factorials and the trigamma function of arrays, in less time than scipy takes for each."""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["log_rising", "trigamma"]

SHIFT = 6  # from where on the asymptotic series of the trigamma function is used
MOST_FACTORS = 32  # up to this many factors are multiplied instead of using log Γ; the product cannot overflow


def log_rising(base: FloatArray, steps: FloatArray) -> FloatArray:
    """Return log of base (base + 1) … (base + steps − 1), of shape (problems, classes, points).

    It is a product if steps, of shape (problems, classes), are few.
    """
    from scipy.special import gammaln

    if base.shape[-1] == 1:
        alone: FloatArray = gammaln(base + steps[..., None]) - gammaln(base)
        return alone
    shape, base, steps = base.shape, base.reshape(-1, base.shape[-1]), steps.ravel()
    order = np.argsort(-steps, kind="stable")
    base, steps = base[order], steps[order]
    most = MOST_FACTORS if (steps == np.floor(steps)).all() else 0
    many = int(np.searchsorted(-steps, -most))  # classes with more steps than that
    factor, product = base[many:].copy(), np.ones_like(base[many:])
    for step in range(int(steps[many:].max(initial=0))):
        # Classes are sorted by decreasing steps, so those that need another factor come first.
        left = int(np.searchsorted(-steps, -step)) - many
        product[:left] *= factor[:left]
        factor[:left] += 1
    rising = np.empty_like(base)
    rising[order] = np.concatenate([gammaln(base[:many] + steps[:many, None]) - gammaln(base[:many]), np.log(product)])
    return rising.reshape(shape)


def trigamma(x: FloatArray) -> FloatArray:
    """Return the trigamma function to ten digits: a tenth of the time of scipy's, which has to be right to the last."""
    shifted, rest = x + SHIFT, np.zeros_like(x)
    for step in range(SHIFT):
        rest += 1 / (x + step) ** 2  # ψ₁(x) = ψ₁(x + 1) + 1/x²
    y = 1 / shifted**2
    return rest + 1 / shifted + y / 2 + y / shifted * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
