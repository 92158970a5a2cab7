"""The exact engine: posteriors of scores and of their difference without draws, as series."""

from __future__ import annotations

from outperform.models.exact.quadrature import Exact, exact_scores

__all__ = ["Exact", "exact_scores"]
