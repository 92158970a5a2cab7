"""From the arguments of a verb to a study: counts or items, with the question and the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np

from outperform.base.sentences import Sentence
from outperform.data.columns import as_names, called, check_order
from outperform.data.counted import as_counts
from outperform.data.counts import Counts
from outperform.data.frames import columns_of_frame
from outperform.inference.item_reading import reads_items, weighings
from outperform.inference.item_study import ItemStudy
from outperform.inference.question import AllSettings, CountQuestion, Question, Settings
from outperform.mcmc.engine import chosen
from outperform.models import Model

__all__ = ["Counted", "Study", "read_input"]


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts, the question about them, and the model."""

    counts: Counts
    question: CountQuestion
    model: Model


@dataclass(frozen=True, eq=False)
class Study:
    """What is to be drawn: counts, or items that are resampled (one study per class if each has a result)."""

    counted: Counted | None = None
    weighed: tuple[ItemStudy, ...] = ()

    @property
    def question(self) -> Question:
        """The question."""
        return self.weighed[0].question if self.counted is None else self.counted.question

    @property
    def slices(self) -> bool:
        """Whether each slice has its own result."""
        return self.counted is not None and bool(self.counted.counts.slices)


def read_input(
    data: Any,
    predictions: Any,
    asked: AllSettings,
    check: Callable[[Sequence[str]], None],
    *,
    others: Sequence[Any] = (),
    slices: bool = False,
) -> Study:
    """Read the arguments of a verb.

    Parameters
    ----------
    data, predictions, others
        As in `compare`.
    asked : AllSettings
        The settings. `truth` names a column of a frame, or is the truth itself if nothing came before it.
    check : callable
        Raises an error for a number of systems that the verb does not take, given their names.
    slices : bool
        Whether counts of several slices are accepted, each of which is then compared.
    """
    truth, by, average = asked.get("truth"), asked.get("by"), asked.get("average")
    if data is None:
        data, truth = truth, None
    predictions = _as_systems(predictions, others)
    if isinstance(predictions, Mapping):
        columns = {called(name): column for name, column in predictions.items()}
        check_order({"truth": data, **columns, "by": by})
    if truth is not None or by is not None:
        data, predictions = _read(data, predictions, asked, truth, by)
    weighed = weighings(data, predictions, asked, average)
    if weighed is not None:
        check(weighed[0].items.classifiers)
        return Study(weighed=weighed)
    labels = None if by is not None or truth is not None else asked["labels"]  # otherwise they are already counted
    counts = as_counts(data, predictions, labels, average)
    check(counts.classifiers)
    return Study(_counted(counts, asked, average, slices=slices))


def _counted(counts: Counts, asked: Settings, average: str | None, *, slices: bool) -> Counted:
    """Return the question and the default model; for slices those of all of them together."""
    if slices and counts.slices and average == "per_class":
        raise ValueError(
            Sentence("slices take one average at a time; give {pos_label} for one class, or {average:macro}")
        )
    whole = counts.together() if slices and counts.slices else counts
    question = CountQuestion.of_settings(asked, average, whole)
    return Counted(counts, question, chosen(asked["model"], asked["prior"], whole, average))


def _read(data: Any, predictions: Any, asked: Settings, truth: Any, by: Any) -> tuple[Any, Any]:
    """Return a frame counted, or its columns if items are resampled; slices are counted."""
    weighed = reads_items(asked)
    if weighed and by is not None:
        raise ValueError("by= is of labels that can be counted; compare the items of each slice by themselves")
    if truth is not None and weighed:
        names = as_names(predictions, truth)
        columns = columns_of_frame(data, [truth, *names.values()])
        return columns[truth], {name: columns[column] for name, column in names.items()}
    if truth is not None:
        counts = Counts.from_frame(data, truth=truth, predictions=predictions, labels=asked["labels"], by=by)
    else:
        counts = Counts.from_labels(data, predictions, labels=asked["labels"], by=by)
    return counts, None


def _as_systems(predictions: Any, others: Sequence[Any]) -> Any:
    """Return predictions by name; systems given one after the other, or in a list, are called A, B and so on.

    Names of columns stay a list of names.
    """
    listed = [predictions, *others] if others else predictions
    if not isinstance(listed, list | tuple) or all(map(np.isscalar, listed)):
        return listed
    if any(isinstance(one, Mapping) for one in listed):
        raise TypeError("give all classifiers in one mapping, as in {'svm': p1, 'nb': p2}, or none")
    if len(listed) > len(ascii_uppercase):
        raise ValueError(f"give the {len(listed)} systems names, as in {{'svm': p1, 'nb': p2}}")
    return dict(zip(ascii_uppercase, listed, strict=False))
