"""What a score is made of: scores of classes, right and wrong answers alone, or the whole table."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from outperform.data.contingency import Contingency
from outperform.measures.of_counts import RIGHT_OR_WRONG, Measure, MeasureFunction

__all__ = ["Reads", "averages_classes", "items_read", "what_is_read"]

Reads: TypeAlias = Literal["classes", "right", "table"]


def averages_classes(average: str, measure: Measure) -> bool:
    """Return whether a score is a mean over classes: by its average, or like the mean recall of all classes."""
    if average != "multiclass":
        return average in ("macro", "weighted", "per_class")
    return measure.multiclass is not None and items_read(measure.of_all_classes) == "true"


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
