"""Square roots of covariances that are the same on every machine.

Eigenvectors have no sign of their own, nor an order where values are equal, and libraries differ in both. A root along
the axes keeps these differences, and draws that are made with it are others. The symmetric root has neither.
"""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["root"]


def root(matrix: FloatArray) -> FloatArray:
    """The symmetric root of a covariance, or of what rounding left of one."""
    values, axes = np.linalg.eigh(matrix)
    found: FloatArray = (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T
    return found
