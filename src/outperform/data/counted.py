"""Conversion of labels, label sets or counts, as given to a verb, to Counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from outperform.data.counts import Counts
from outperform.data.label_sets import are_label_sets, are_tags
from outperform.data.labels import Label

__all__ = ["as_counts"]


def as_counts(
    truth: Any, predictions: Any, labels: Iterable[Label] | None = None, average: str | None = None
) -> Counts:
    """Return Counts unchanged, or count labels or label sets of one test set, or of a test set per classifier."""
    if isinstance(truth, Counts):
        if predictions is not None or labels is not None:
            raise TypeError("counts hold predictions and labels already; leave these arguments out")
        return truth.worth()
    if isinstance(truth, str | Path):
        example = f"op.read_counts({str(truth)!r}, truth='gold', predictions=['svm', 'nb'])"
        raise TypeError(f"labels are expected here, got a text; if it is the name of a file, read it: {example}")
    if predictions is None:
        raise TypeError("give the predictions too, as in {'svm': p1, 'nb': p2}, or an op.Counts alone")
    if are_label_sets(truth):
        if are_tags(truth):
            raise ValueError(
                "these look like tags of sentences; count their chunks with op.Counts.from_chunks(…), "
                "or give sets if they are labels"
            )
        return Counts.from_label_sets(truth, predictions, labels=labels, by_item=average == "samples")
    if not isinstance(truth, Mapping):
        return Counts.from_labels(truth, predictions, labels=labels)
    if any(map(are_label_sets, truth.values())):
        raise ValueError("classifiers that give label sets must share their items; give one truth for all of them")
    if not isinstance(predictions, Mapping) or set(truth) != set(predictions):
        raise ValueError("a truth for each classifier needs predictions under the same names")
    return Counts.from_test_sets({name: (truth[name], predictions[name]) for name in predictions}, labels=labels)
