"""Truth and predictions as given to a verb: counts, columns of a frame, labels, label sets or scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np

from outperform.base.errors import listing, shown
from outperform.base.sentences import SEEN, invalid
from outperform.data.columns import as_names, called, check_order, coded
from outperform.data.counts import Counts
from outperform.data.frames import by_column, column_names, columns_of_frame, no_frame
from outperform.data.items import Items
from outperform.data.label_sets import are_label_sets, are_tags, coded_sets
from outperform.data.labels import Label, as_column, as_labels, distinct, sorted_labels

ID = re.compile(r"(.+[ _.-])?(id|uid|uuid|index|item)", re.IGNORECASE)  # names of columns that are no systems
SYSTEMS = ("model", "system", "classifier", "method")  # what heads the names of systems

__all__ = ["Input", "by_name", "check_no_truth", "columns_of_systems"]


@dataclass(frozen=True, eq=False)
class Input:
    """The arguments of a verb that hold data.

    Attributes
    ----------
    data : sequence, mapping, dataframe or Counts
        The true labels, one sequence for all systems or one for each; a dataframe; or counts.
    predictions : mapping, sequence of str or None
        Predictions by name; of a dataframe, their columns.
    listed : sequence of labels, "seen" or None
        The classes, if they are listed.
    truth : str or None
        Of a dataframe, the column of the true labels.
    by : str, sequence or None
        The slice of each item; of a dataframe, the columns of the slices.
    """

    data: Any
    predictions: Any
    listed: Iterable[Label] | None = None
    truth: Any = None
    by: Any = None

    def __post_init__(self) -> None:
        self.check_beside({"by": self.by})

    @property
    def labels(self) -> Iterable[Label] | None:
        """The classes, if they are listed; of "seen" every label of the truth and of all systems."""
        if not (isinstance(self.listed, str) and self.listed == SEEN):
            return as_labels(self.listed)
        if isinstance(self.data, Counts):
            raise invalid("counts know their labels; give {labels:seen} where they are counted")
        given = (part.values() if isinstance(part, Mapping) else [part] for part in self.columns())
        columns = (as_column(column, "labels") for column in chain.from_iterable(given))
        return sorted_labels(set().union(*map(distinct, columns)))

    def check_beside(self, columns: Mapping[str, Any]) -> None:
        """Refuse columns of pandas beside the data whose rows have ids in another order."""
        of = {"truth" if self.truth is None else "the frame": self.data}
        predictions = self.predictions if isinstance(self.predictions, Mapping) and self.truth is None else {}
        check_order({**of, **{called(name): column for name, column in predictions.items()}, **columns})

    def columns(self) -> tuple[Any, Any]:
        """Return the truth and the predictions: of a dataframe its columns, otherwise as they were given."""
        if self.truth is None:
            return self.data, self.predictions
        names = as_names(self.predictions, self.truth)
        columns = columns_of_frame(self.data, [self.truth, *names.values()])
        return columns[self.truth], {name: columns[column] for name, column in names.items()}

    def counts(self, *, by_item: bool = False) -> Counts:
        """Return the counts; of label sets, with `by_item` those of kinds of items."""
        if self.truth is not None:
            columns: dict[str, Any] = {"truth": self.truth, "predictions": self.predictions}
            return Counts.from_frame(self.data, **columns, labels=self.labels, by=self.by)
        if self.by is not None:
            return Counts.from_labels(self.data, self.predictions, labels=self.labels, by=self.by)
        if isinstance(self.data, Counts):
            if self.predictions is not None or self.labels is not None:
                raise TypeError("counts hold predictions and labels already; leave these arguments out")
            return self.data.worth()
        self._check_labels()
        if are_label_sets(self.data):
            return Counts.from_label_sets(self.data, self.predictions, labels=self.labels, by_item=by_item)
        if not isinstance(self.data, Mapping):
            return Counts.from_labels(self.data, self.predictions, labels=self.labels)
        sets = {name: (self.data[name], said) for name, said in self.predictions.items()}
        return Counts.from_test_sets(sets, labels=self.labels)

    def rows(self, *, by_item: bool = False) -> tuple[Items, Counts]:
        """Return one row per item, in the order of the items, and their counts."""
        truth, predictions = self.columns()
        if isinstance(truth, Counts | Mapping):
            raise invalid("{cluster} and {strata} need items; give truth and predictions")
        self._check_labels()
        names = tuple(map(str, predictions))
        if are_label_sets(truth):
            labels = self.labels
            counts = Counts.from_label_sets(truth, predictions, labels=labels, by_item=by_item)
            known, sets, (true, *guesses) = coded_sets(truth, predictions, labels)
            return Items(names, true, tuple(guesses), np.ones(len(true)), known, sets=sets), counts
        known, true, codes = coded(truth, predictions, self.labels)
        counts = Counts(names, known, true, codes, np.ones(len(true)))
        return Items(names, true, tuple(codes.T), counts.n, known), counts

    def _check_labels(self) -> None:
        """Raise an error for what are no labels, and for systems without a truth."""
        truth, predictions = self.columns()
        if isinstance(truth, str | Path):
            example = f"op.read_counts({str(truth)!r}, truth='gold', predictions=['svm', 'nb'])"
            raise TypeError(f"labels are expected here, got a text; if it is the name of a file, read it: {example}")
        if predictions is None:
            raise TypeError("give the predictions too, as in {'svm': p1, 'nb': p2}, or an op.Counts alone")
        if are_tags(truth):
            raise ValueError(
                "these look like tags of sentences; count their chunks with op.Counts.from_chunks(…), "
                "or give sets if they are labels"
            )
        if not isinstance(truth, Mapping):
            return
        if any(map(are_label_sets, truth.values())):
            raise ValueError("classifiers that give label sets must share their items; give one truth for all of them")
        if not isinstance(predictions, Mapping) or set(truth) != set(predictions):
            raise ValueError("a truth for each classifier needs predictions under the same names")


def by_name(predictions: Any, others: Sequence[Any]) -> Any:
    """Return predictions by name; systems given one after the other, or in a list, are called A, B and so on.

    Names of columns stay a list of names. In a dataframe every column is a system.
    """
    if not others:
        check_systems(column_names(predictions) or ())
    listed = [predictions, *others] if others else by_column(predictions)
    if not isinstance(listed, list | tuple) or all(map(np.isscalar, listed)):
        return listed
    if any(isinstance(one, Mapping) for one in listed):
        raise TypeError("give all classifiers in one mapping, as in {'svm': p1, 'nb': p2}, or none")
    if len(listed) > len(ascii_uppercase):
        raise ValueError(f"give the {len(listed)} systems names, as in {{'svm': p1, 'nb': p2}}")
    return dict(zip(ascii_uppercase, listed, strict=False))


def check_no_truth(truth: Any, frame: Any, systems: Mapping[str, Any]) -> None:
    """Refuse a dataframe of which every column is a system where one is the truth, by its name and its labels."""
    name = getattr(truth, "name", None)
    if name is None or name not in (column_names(frame) or ()):
        return
    if np.array_equal(np.asarray(truth), np.asarray(systems[name])):
        rest = [other for other in systems if other != name]
        found = f"column {name!r} of the frame is the truth, and would be a system like every other column"
        raise ValueError(f"{found}; take those of the systems, as frame[{rest}]")


def check_systems(names: Sequence[str], truth: str | None = None) -> None:
    """Refuse a dataframe of which every column is a system where one is called as ids are: it would be compared too."""
    ids = [name for name in names if ID.fullmatch(str(name))]
    rest = [name for name in names if name not in ids]
    if not ids:
        return
    found = f"column {ids[0]!r} of the frame seems to hold ids, and would be a system like every other column"
    system = next((name for name in rest if str(name).casefold() in SYSTEMS), None)
    if system is None:
        example = (
            f"name the systems, as predictions={rest}" if truth else f"take those of the systems, as frame[{rest}]"
        )
        raise ValueError(f"{found}; {example}")
    values = next((name for name in rest if name != system), "score")
    index, reset = (ids, "") if truth is None else ([*ids, truth], f".reset_index({truth!r})")
    example = f"frame.pivot(index={index}, columns={system!r}, values={values!r}){reset}"
    raise ValueError(f"{found}; make a column for each system, as {example}")


def columns_of_systems(data: Any, truth: Any, predictions: Any, by: Any) -> Any:
    """Return predictions as they were given; of a dataframe without any, all columns but the truth and the slices."""
    if predictions is not None and (truth is not None or not _are_names(predictions)):
        return predictions
    names = column_names(data)
    if names is None:
        if isinstance(truth, str):
            raise no_frame(data)
        return predictions
    if not isinstance(truth, str | None):
        column = hasattr(truth, "__len__") and not isinstance(truth, tuple)
        given = type(truth).__name__ if column else shown(truth)
        advice = "give true labels before the frame, as in compare(y, frame)" if column else "rename the columns"
        raise TypeError(f"truth= is the name of a column of the frame, which is text, got {given}; {advice}")
    if truth is None:
        raise TypeError(
            "a dataframe needs the name of the column with the true labels, as in "
            f"truth={names[0] if names else 'gold'!r}; its columns are {listing(names)}"
        )
    beside = [truth, *([by] if isinstance(by, str) else by or ())]
    systems = [name for name in names if name not in beside]
    check_systems(systems, truth)
    return systems


def _are_names(predictions: Any) -> bool:
    listed = [predictions] if isinstance(predictions, str) else predictions
    return isinstance(listed, list | tuple) and all(isinstance(name, str) for name in listed)
