"""Counts: how often each combination of truth and predictions happened, which is all a model needs.

Rows are seen once, here, on the way in; what the table of cells can do is in `cells`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from outperform.base.errors import amount, listing
from outperform.data.adding import added
from outperform.data.cells import Fold
from outperform.data.coding import Labelled, labelled, without_blanks
from outperform.data.columns import (
    as_names,
    called,
    check_lengths,
    check_mapping,
    check_seen,
    check_sizes,
)
from outperform.data.frames import tally_frame
from outperform.data.labels import Label, as_column
from outperform.data.other_tasks import OtherTasks
from outperform.data.storing import load, save
from outperform.data.tally import Tally, moments

__all__ = ["Counts", "Fold"]


@dataclass(frozen=True, eq=False, repr=False)
class Counts(OtherTasks):
    """Outcome cells and how many items fell into each.

    Attributes
    ----------
    classifiers : tuple of str
        Names, in the order of the columns of `predictions`.
    labels : tuple
        The classes; `truth` and `predictions` hold positions in it. Of two, the last is positive.
    truth : array of shape (cells,)
        The true class.
    predictions : array of shape (cells, classifiers)
        The predicted class; -1 where a classifier was not run on those items (separate test sets).
    n : array of shape (cells,)
        Items in the cell; of rows with weights, their sum, which `worth` makes into items.
    groups : tuple
        Where items may have any number of labels, all of these; `labels` are then False and True.
    group : array of shape (cells,)
        The label that the cell is about, a position in `groups`.
    open : bool
        Whether only what is there or predicted is counted (chunks): then there are no true negatives.
    counted : str
        How chunks were counted: scheme and mode.
    unit : str
        What of them is weighed whole: chunk, sentence, document, or what was given.
    folds : tuple of (int, int)
        Of a cross-validation, all repetitions and folds.
    units : array
        Where whole units are weighed (items that have labels, sentences that have chunks), how many there are of each
        kind; None elsewhere.
    part : array of shape (cells,)
        The fold, a position in `folds`; the slice, a position in `slices`; or the kind of unit, a position in `units`,
        and `n` is of all of its units.
    slices : tuple
        What the items are told apart by, for example languages, where each slice is compared by itself.
    declared : bool
        Whether `labels` were listed, and not only seen: then a class that the truth never has is meant.
    left_out : float
        Rows that were left out, as they had no label somewhere.
    weighed : array of shape (2, cells), or None
        Where `n` adds up weights: how many rows there are in the cell, and their squared weights, added up.

    Examples
    --------
    >>> import outperform as op
    >>> counts = op.Counts.from_labels([1, 1, 0, 0], {"a": [1, 1, 0, 0], "b": [1, 0, 0, 0]})
    >>> counts.n
    array([2., 1., 1.])
    """

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        predictions: Mapping[str, Any],
        *,
        labels: Iterable[Label] | None = None,
        n: Any = None,
        weights: Any = None,
        by: Any = None,
    ) -> Counts:
        """Count the items of one test set, on which every classifier was run.

        Parameters
        ----------
        truth : sequence of labels
            The true labels.
        predictions : mapping from name to sequence of labels
            What each classifier predicted.
        labels : sequence of labels
            All classes, where the data may lack some.
        n : sequence of int
            How many items each row stands for, in a table that was counted already.
        weights : sequence of float
            Any weight of each row that is not negative, in place of `n`. What is told is as much as (Σw)²/Σw² items of
            equal weight would (Kish): only how weights relate to each other matters, not their size.
        by : sequence
            The slice that each item belongs to, for example its language: `compare` then answers for each.
        """
        check_mapping(predictions)
        columns = {"truth": as_column(truth, "truth")}
        columns |= {called(name): as_column(values, called(name)) for name, values in predictions.items()}
        slices = {} if by is None else {"by": as_column(by, "by")}
        check_lengths(columns | slices)
        size = None if n is None and weights is None else check_sizes(n, weights, len(columns["truth"]))
        often = size if size is None or weights is None else moments(size)
        tally = Tally.of([*columns.values(), *slices.values()], often)
        return cls._labelled(predictions, labelled(tally, list(columns), labels, by=len(slices)), labels)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        truth: str,
        predictions: Sequence[str] | Mapping[str, str],
        labels: Iterable[Label] | None = None,
        n: str | None = None,
        weights: str | None = None,
        by: str | Sequence[str] | None = None,
        missing: str = "raise",
    ) -> Counts:
        """Count the rows of a dataframe, by its own engine: only the counts leave it.

        Parameters
        ----------
        frame : dataframe
            Of pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask, PySpark, Ibis or what else narwhals knows.
        truth : str
            Column of the true labels.
        predictions : sequence of str, or mapping from name to str
            Columns of predicted labels, one for each classifier.
        labels : sequence of labels
            All classes, where the data may lack some.
        n, weights : str
            Column of the number of items, or of the weight, that each row stands for.
        by : str or sequence of str
            Columns of the slices that rows belong to, for example their language: `compare` then answers for each.
        missing : {"raise", "drop"}
            What is done about rows without a label somewhere: they are refused, or left out and reported.

        Examples
        --------
        >>> import polars as pl
        >>> import outperform as op
        >>> frame = pl.LazyFrame({"gold": ["a", "b", "b"], "svm": ["a", "b", "a"], "nb": ["a", "a", "a"]})
        >>> counts = op.Counts.from_frame(frame, truth="gold", predictions=["svm", "nb"])
        >>> counts.items, counts.labels
        (3, ('a', 'b'))
        """
        if n is not None and weights is not None:
            raise ValueError("give n (whole numbers of items) or weights (any numbers), not both")
        names = as_names(predictions, truth)
        slices = [] if by is None else [by] if isinstance(by, str) else list(by)
        labels = None if labels is None else list(labels)
        tally = tally_frame(frame, [truth, *names.values(), *slices], n or weights, whole=n is not None)
        tally = without_blanks(tally, labels, len(slices))
        return cls.from_tally(tally, list(names), labels=labels, whole=n is not None, by=len(slices), missing=missing)

    @classmethod
    def from_tally(
        cls,
        tally: Tally,
        classifiers: Sequence[str],
        *,
        labels: Iterable[Label] | None = None,
        whole: bool = False,
        by: int = 0,
        missing: str = "raise",
    ) -> Counts:
        """Count what an engine counted: columns of the truth, of each classifier, and of slices, the last `by`.

        `whole` says that numbers of items were added up, and not weights.
        """
        if len(tally.n):
            check_sizes(tally.n if whole else None, None if whole else tally.n, len(tally.n))
        columns = ["truth", *map(called, classifiers)]
        return cls._labelled(classifiers, labelled(tally, columns, labels, by=by, missing=missing), labels)

    @classmethod
    def _labelled(cls, classifiers: Iterable[str], found: Labelled, labels: Iterable[Label] | None) -> Counts:
        return cls(
            tuple(map(str, classifiers)),
            found.labels,
            found.codes[:, 0],
            found.codes[:, 1:],
            found.n,
            slices=found.slices,
            part=found.part,
            weighed=found.weighed,
            left_out=found.left_out,
            declared=labels is not None,
        ).merged()

    @classmethod
    def from_test_sets(
        cls, test_sets: Mapping[str, tuple[Any, Any]], *, labels: Iterable[Label] | None = None
    ) -> Counts:
        """Count classifiers that were each run on items of their own: name → (truth, predictions)."""
        check_mapping(test_sets)
        labels = None if labels is None else list(labels)
        each = [cls.from_labels(y, {name: p}, labels=labels).checked() for name, (y, p) in test_sets.items()]
        return cls.side_by_side(*each)

    @classmethod
    def zero(cls, classifiers: Sequence[str], *, labels: Iterable[Label] | None = None) -> Counts:
        """No items yet: what counts of a stream begin with.

        Examples
        --------
        >>> import outperform as op
        >>> counts = op.Counts.zero(["svm", "nb"])
        >>> for truth, svm, nb in (([1, 0], [1, 0], [0, 0]), ([1, 1], [1, 0], [1, 1])):
        ...     counts = counts.update(truth, {"svm": svm, "nb": nb})
        >>> counts.items
        4
        """
        check_mapping(dict.fromkeys(classifiers))
        none = np.zeros(0, dtype=np.int64)
        known = () if labels is None else tuple(dict.fromkeys(labels))
        table = none.reshape(0, len(classifiers))
        return cls(tuple(map(str, classifiers)), known, none, table, np.zeros(0), declared=labels is not None)

    def update(self, truth: Any, predictions: Mapping[str, Any], **more: Any) -> Counts:
        """Counts with more items; these stay as they are, so keep what is returned.

        Parameters
        ----------
        truth, predictions
            As in `from_labels`, of the same classifiers.
        **more
            `n`, `weights` or `by`, as in `from_labels`.
        """
        labels = self.labels if self.declared else None
        return self + Counts.from_labels(truth, predictions, labels=labels, **more)

    def __add__(self, other: Counts) -> Counts:
        """Items of both, for shards, batches and days. Whole numbers of items add up exactly, in any order."""
        return added(self, other)

    def __radd__(self, other: object) -> Counts:
        """So that `sum` works, which begins with 0."""
        return self if other == 0 else NotImplemented

    def save(self, path: str | Path) -> None:
        """Write them to a small file, all of it or none: JSON, or Parquet if the name ends so (extra data)."""
        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Counts:
        """Read what `save` wrote; everything in it is checked."""
        return load(cls, path)

    def slice(self, value: Label) -> Counts:
        """The counts of one slice."""
        if value not in self.slices:
            raise KeyError(f"no slice {value!r}; there are {listing(self.slices)}")
        return replace(self.fold(self.slices.index(value)), declared=True, left_out=0)

    def as_labels(self, items: int | None = None) -> Counts:
        """Each slice as a label of a task in which an item may have any number of them.

        That is the long format, a row for each item and label: the truth says whether the item has it, and
        `by` which label it is.

        Parameters
        ----------
        items : int
            How many items there are, where rows are left out in which nobody has the label.

        Examples
        --------
        >>> import outperform as op
        >>> there, said, topic = [1, 0, 1, 1], [1, 0, 0, 1], ["art", "art", "law", "law"]
        >>> counts = op.Counts.from_labels(there, {"a": said}, by=topic).as_labels()
        >>> counts.groups, counts.items
        (('art', 'law'), 2)
        """
        if not self.slices:
            raise ValueError("labels in the long format are told by by=, the column of labels; there is none here")
        if not set(self.labels) <= {0, 1}:
            raise ValueError(
                f"in the long format the truth is 0 or 1 for each item and label; got {listing(self.labels)}"
            )
        code = np.array([label == 1 for label in self.labels], dtype=np.int64)
        rows = np.bincount(self.part, self.n, len(self.slices))
        most = rows.max() if items is None else items
        if rows.max() > most or (items is None and rows.min() < most):
            odd = int(np.argmin(rows) if items is None else np.argmax(rows))
            raise ValueError(
                f"the label {self.slices[odd]!r} has {amount(rows[odd])} rows where there are {amount(most)} items; "
                "give a row for each item and label, or say with items= how many items there are"
            )
        rest = Counts.zero(self.classifiers, labels=(False, True))
        every = np.arange(len(self.slices))
        nobody = np.zeros((len(every), len(self.classifiers)), dtype=np.int64)
        return replace(
            rest,
            truth=np.concatenate([code[self.truth], nobody[:, 0]]),
            predictions=np.concatenate([code[self.predictions], nobody]),
            n=np.concatenate([self.n, most - rows]),
            groups=self.slices,
            group=np.concatenate([self.part, every]),
            left_out=self.left_out,
        ).merged()

    def __repr__(self) -> str:
        """What was counted, in one line."""
        parts = [f"classifiers={list(self.classifiers)}", f"items={self.items}", f"classes={len(self.classes)}"]
        parts += [f"slices={len(self.slices)}"] if self.slices else []
        return f"Counts({', '.join([*parts, f'cells={len(self.n)}'])})"

    def checked(self) -> Counts:
        """Refuse what cannot be compared: no items, a single class, a class that only a classifier knows."""
        if not self.declared:
            if not len(self.n):
                raise ValueError("there are no items; give at least one label and its predictions")
            check_seen(self.labels, self.truth, dict(zip(self.classifiers, self.predictions.T, strict=True)))
        return self
