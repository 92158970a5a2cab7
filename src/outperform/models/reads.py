"""What a score is made of: scores of classes, right and wrong answers alone, or the whole table."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import RIGHT_OR_WRONG, Measure, MeasureFunction

__all__ = ["Reads", "averages_classes", "items_read", "what_is_read"]

Reads: TypeAlias = Literal["classes", "right", "table"]

LARGER = np.array([1.0, 30.0, 0.2, 7.0, 500.0])  # times, each class by itself


def averages_classes(average: str, measure: Measure) -> bool:
    """Return whether a score is a mean over classes, or like one: the sizes of classes do not matter."""
    if average != "multiclass":
        return average in ("macro", "weighted", "per_class")
    return measure.multiclass is not None and _same_for_all_sizes(measure.of_all_classes)


def what_is_read(average: str, measure: Measure) -> Reads:
    """Return what a score depends on: scores of classes, right and wrong alone, or the whole table."""
    if averages_classes(average, measure):
        return "classes"
    right = average == "micro" or (average == "multiclass" and measure.multiclass in RIGHT_OR_WRONG)
    return "right" if right else "table"


def items_read(function: MeasureFunction) -> str:
    """Return whether a measure depends only on true items, only on predicted items, or on all: tried on two tables."""
    hit, support, predicted, total = np.array([[[2.0, 3.0]], [[5.0, 7.0]], [[4.0, 11.0]], [[23.0, 23.0]]])
    c = Contingency(hit, support, predicted, total)
    shifted = {
        "true": replace(c, predicted=c.predicted + 1.5, total=c.total + 9.0),
        "predicted": replace(c, support=c.support + 1.5, total=c.total + 9.0),
    }
    plain = function(c)
    return next((form for form, other in shifted.items() if np.allclose(function(other), plain)), "all")


def _same_for_all_sizes(form: MeasureFunction) -> bool:
    """Return whether a form for many classes is about the same if classes grow or shrink, each by itself.

    Then it is made of scores of classes, whatever it makes of them: their mean, the least, the median. Accuracy, MCC, κ
    and weighted means change. Tried on one table.
    """
    hit, support, predicted = np.array([[20, 35, 6, 50, 9], [40, 39, 30, 60, 10], [30, 50, 8, 90, 12]], dtype=float)

    def scored(times: FloatArray | float) -> FloatArray:
        h, s, q = (np.atleast_2d(x * times) for x in (hit, support, predicted))
        return form(Contingency(h, s, q, s.sum(axis=-1, keepdims=True)))

    return bool(np.allclose(scored(1.0), scored(LARGER), atol=0.0))
