"""From a score for each class to one score: micro, macro, weighted, or a measure of the whole table.

With ψ a measure and j a class,

    micro       ψ(Σ_j h_j, Σ_j s_j, Σ_j q_j)
    macro       Σ_j ψ_j / M
    weighted    Σ_j s_j ψ_j / Σ_j s_j
    multiclass  a form of its own that reads all classes at once: accuracy, MCC, κ, balanced accuracy
    samples     Σ_i ψ_i / N, i an item that may have any number of labels: h_i of its labels are found, …

Macro and weighted scores are sums of what each class contributes, so a difference of two of them can be
shared out among the classes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from outperform.base.errors import listing
from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import MEASURES, Measure

__all__ = ["AVERAGES", "CONTRIBUTIONS", "averaged"]


def macro(measure: Measure, c: Contingency) -> FloatArray:
    """What each class adds to the plain mean over classes."""
    return _share(measure(c), np.broadcast_to(c.total, c.hit.shape))


def weighted(measure: Measure, c: Contingency) -> FloatArray:
    """What each class adds to the mean over classes by their support."""
    return _share(measure(c), np.broadcast_to(c.support, c.hit.shape))


def micro(measure: Measure, c: Contingency) -> FloatArray:
    """The score of all classes' items pooled."""
    return measure(c.pooled())


def multiclass(measure: Measure, c: Contingency) -> FloatArray:
    """The measure's own form for many classes."""
    if measure.multiclass is None:
        have = listing(sorted(name for name, m in MEASURES.items() if m.multiclass))
        raise ValueError(
            f"{measure.name} of many classes needs an average: give micro, macro, weighted or per_class "
            f"(without one go {have})"
        )
    return measure.of_all_classes(c)


def samples(measure: Measure, c: Contingency) -> FloatArray:
    """The mean over items, each with a score of its own; items come last, and total says how much each counts."""
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
    """One score from all classes; the class axis is gone."""
    if average in CONTRIBUTIONS:
        total: FloatArray = CONTRIBUTIONS[average](measure, c).sum(axis=-1)
        return total
    return POOLED[average](measure, c)


def _share(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Scores by their share of the weight; classes without a score (0/0 left open) have none, as in scikit-learn."""
    defined = ~np.isnan(scores)
    if not defined.all():
        scores, weights = np.where(defined, scores, 0.0), np.where(defined, weights, 0.0)
    total = weights.sum(axis=-1, keepdims=True)
    if not total.all():  # no class has any weight: all count alike
        weights, total = np.where(total > 0, weights, 1.0), np.where(total > 0, total, weights.shape[-1])
    shared: FloatArray = scores * (weights / total)
    return shared
