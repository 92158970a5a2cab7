"""Autocorrelation of Markov chains."""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["autocorrelation"]


def autocorrelation(chains: FloatArray, lags: int) -> FloatArray:
    """Return the autocorrelation of each chain at lags 0 to `lags`, of shape (chain, lags + 1), by Fourier transform.

    There are fewer lags than draws; nan for a constant chain.
    """
    draws = chains.shape[1]
    moved = chains - chains.mean(axis=1, keepdims=True)
    power = np.abs(np.fft.rfft(moved, 2 * draws)) ** 2  # zero-padded to twice the length, against wrap-around
    products = np.fft.irfft(power, 2 * draws)[:, : min(lags + 1, draws)]
    still = np.ptp(chains, axis=1, keepdims=True) == 0
    return np.divide(products, products[:, :1], out=np.full_like(products, np.nan), where=~still)
