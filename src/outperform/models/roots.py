"""Square roots of covariances that are the same on every machine.

Eigenvectors have no unique sign, nor a unique order if values are equal, and libraries differ in both. A root along
the axes inherits these differences, and so do draws made with it. The symmetric root is unique.
"""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["root"]


def root(matrix: FloatArray) -> FloatArray:
    """Return the symmetric root of a covariance; negative eigenvalues due to rounding become 0."""
    values, axes = np.linalg.eigh(matrix)
    found: FloatArray = (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T
    return found
