"""Averages of a measure over classes: micro, macro, weighted, or a measure of the whole table.

With ψ a measure and j a class,

    micro       ψ(Σ_j h_j, Σ_j s_j, Σ_j q_j)
    macro       Σ_j ψ_j / M
    weighted    Σ_j s_j ψ_j / Σ_j s_j
    multiclass  a form that reads all classes at once: accuracy, MCC, κ, balanced accuracy
    samples     Σ_i ψ_i / N over items i of a multi-label task: h_i of the item's labels are found, …

Macro and weighted scores are sums of contributions of the classes, so a difference of two of them can be
attributed to classes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from outperform.base.errors import listing
from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import MEASURES, Measure

__all__ = ["AVERAGES", "CONTRIBUTIONS", "averaged"]


def macro(measure: Measure, c: Contingency) -> FloatArray:
    """Return the contribution of each class to the unweighted mean over classes."""
    return _share(measure(c), np.broadcast_to(c.total, c.hit.shape))


def weighted(measure: Measure, c: Contingency) -> FloatArray:
    """Return the contribution of each class to the mean over classes weighted by support."""
    return _share(measure(c), np.broadcast_to(c.support, c.hit.shape))


def micro(measure: Measure, c: Contingency) -> FloatArray:
    """Return the score of the pooled items of all classes."""
    return measure(c.pooled())


def multiclass(measure: Measure, c: Contingency) -> FloatArray:
    """Return the score by the measure's form for the whole table."""
    if measure.multiclass is None:
        have = listing(sorted(name for name, m in MEASURES.items() if m.multiclass))
        raise ValueError(
            f"{measure.name} of many classes needs an average: give micro, macro, weighted or per_class "
            f"(measures that need none: {have})"
        )
    return measure.of_all_classes(c)


def samples(measure: Measure, c: Contingency) -> FloatArray:
    """Return the mean of the scores of items; the last axis is the item, and the total is its weight."""
    mean: FloatArray = macro(measure, c).sum(axis=-1)
    return mean


CONTRIBUTIONS: dict[str, Callable[[Measure, Contingency], FloatArray]] = {"macro": macro, "weighted": weighted}
POOLED: dict[str, Callable[[Measure, Contingency], FloatArray]] = {
    "micro": micro,
    "multiclass": multiclass,
    "samples": samples,
}
AVERAGES = ("binary", *POOLED, *CONTRIBUTIONS, "per_class")


def averaged(average: str, measure: Measure, c: Contingency) -> FloatArray:
    """Return one score from all classes, without the class axis."""
    if average in CONTRIBUTIONS:
        total: FloatArray = CONTRIBUTIONS[average](measure, c).sum(axis=-1)
        return total
    return POOLED[average](measure, c)


def _share(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Return scores times their share of the weight; undefined scores (nan) get no weight, as in scikit-learn."""
    defined = ~np.isnan(scores)
    if not defined.all():
        scores, weights = np.where(defined, scores, 0.0), np.where(defined, weights, 0.0)
    total = weights.sum(axis=-1, keepdims=True)
    if not total.all():  # if no class has any weight, all weigh the same
        weights, total = np.where(total > 0, weights, 1.0), np.where(total > 0, total, weights.shape[-1])
    shared: FloatArray = scores * (weights / total)
    return shared
