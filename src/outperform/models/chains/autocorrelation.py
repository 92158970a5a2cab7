"""How much a draw of a Markov chain still knows of those before it."""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["autocorrelation"]


def autocorrelation(chains: FloatArray, lags: int) -> FloatArray:
    """Autocorrelation of each chain at lags 0 to `lags`, of shape (chain, lags + 1), by Fourier transform.

    At most as many lags as there are draws to look back at; nan for a chain that never moved.
    """
    draws = chains.shape[1]
    moved = chains - chains.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(moved, 2 * draws)) ** 2  # twice as long, so that the end does not meet the beginning
    products = np.fft.irfft(power, 2 * draws)[:, : min(lags + 1, draws)]
    still = np.ptp(chains, axis=1, keepdims=True) == 0
    return np.divide(products, products[:, :1], out=np.full_like(products, np.nan), where=~still)
