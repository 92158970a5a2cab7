"""`labels="seen"`: every label that occurs is a class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from outperform.base.sentences import SEEN, Sentence
from outperform.data.columns import as_names
from outperform.data.counts import Counts
from outperform.data.frames import columns_of_frame
from outperform.data.labels import Label, as_column, as_labels, distinct, sorted_labels

__all__ = ["listed"]


def listed(
    labels: Iterable[Label] | None, data: Any, predictions: Any, truth: Any, others: Sequence[Any] = ()
) -> Iterable[Label] | None:
    """Return the labels that are asked for; of "seen" those of the truth and of all systems, given as to a verb."""
    if not (isinstance(labels, str) and labels == SEEN):
        return as_labels(labels)
    if data is None:
        data, truth = truth, None
    if isinstance(data, Counts):
        raise ValueError(Sentence("counts know their labels; give {labels:seen} where they are counted"))
    if truth is not None:
        columns = list(columns_of_frame(data, [truth, *as_names(predictions, truth).values()]).values())
    else:
        systems = predictions.values() if isinstance(predictions, Mapping) else [predictions]
        columns = [*(data.values() if isinstance(data, Mapping) else [data]), *systems, *others]
    return sorted_labels(set().union(*(distinct(as_column(column, "labels")) for column in columns)))
