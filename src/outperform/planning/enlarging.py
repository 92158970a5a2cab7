"""Few judged studies that stand for many, of which only the observed difference is computed.

Where each study needs a posterior of its own, judging it takes far longer than observing its difference d, of which the
ends of the HDI of δ are nearly a linear function:

    end = level + slope · d + rest

with R² between 0.90 and 0.9998 for pilots of 3, 8 and 20 classes. Level, slope and rests come from the judged studies,
and the ends of the others are predicted from their d, with the rest of one of the judged ones. A share of these studies
errs as much as one of 1 / ((1 − R²)/judged + R²/all) judged studies.
"""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["enlarged"]

FEWEST = 10  # judged studies with finite ends, below which no line is fitted


def enlarged(ends: FloatArray, observed: FloatArray) -> tuple[FloatArray, float]:
    """Return the ends of all studies, and how many judged ones they are worth.

    Parameters
    ----------
    ends : array of shape (2, judged)
        Infinite where a study tells nothing; then as many of the others do not either.
    observed : array of shape (studies,)
        The differences, those of the judged studies first.
    """
    judged, alike = ends.shape[1], np.arange(len(observed)) % ends.shape[1]
    finite = np.isfinite(ends).all(axis=0)
    off = observed - observed[:judged][finite].mean() if finite.any() else np.zeros_like(observed)
    x, y = off[:judged][finite], ends[:, finite]
    told = finite.sum() >= FEWEST and x.std() > 0
    slope = (y - y.mean(axis=1, keepdims=True)) @ x / (x @ x) if told else np.zeros(2)
    predicted = ends[:, alike] + slope[:, None] * (off - off[alike])
    if not told:
        return predicted, float(judged)
    rest = y - slope[:, None] * x
    unexplained = float(np.max(rest.var(axis=1) / np.maximum(y.var(axis=1), np.finfo(float).tiny)))
    return predicted, 1 / (unexplained / judged + (1 - unexplained) / len(observed))
