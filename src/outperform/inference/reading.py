"""From the arguments of a verb to a study: counts or items, with the question and the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from outperform.base.sentences import invalid
from outperform.data.counts import Counts
from outperform.data.input import Input, by_name, check_no_truth, columns_of_systems
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
    settings: AllSettings,
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
    settings : AllSettings
        The settings. `truth` names a column of a frame, or is the truth itself if nothing came before it.
    check : callable
        Raises an error for a number of systems that the verb does not take, given their names.
    slices : bool
        Whether counts of several slices are accepted, each of which is then compared.
    """
    truth, average = settings.get("truth"), settings.get("average")
    if data is None:
        data, truth = truth, None
    by = settings.get("by")
    systems = columns_of_systems(data, truth, by_name(predictions, others), by)
    if not others:
        check_no_truth(data, predictions, systems)
    given = Input(data, systems, settings["labels"], truth, by)
    if reads_items(settings):
        if given.by is not None:
            raise ValueError("by= is of labels that can be counted; compare the items of each slice by themselves")
        weighed = weighings(given, settings, average)
        check(weighed[0].items.classifiers)
        return Study(weighed=weighed)
    counts = given.counts(by_item=average == "samples")
    check(counts.classifiers)
    return Study(_counted(counts, settings, average, slices=slices))


def _counted(counts: Counts, settings: Settings, average: str | None, *, slices: bool) -> Counted:
    """Return the question and the default model; for slices those of all of them together."""
    if slices and counts.slices and average == "per_class":
        raise invalid("slices take one average at a time; give {pos_label} for one class, or {average:macro}")
    whole = counts.together() if slices and counts.slices else counts
    question = CountQuestion.of_settings(settings, average, whole)
    return Counted(counts, question, chosen(settings["model"], settings["prior"], whole, average))
