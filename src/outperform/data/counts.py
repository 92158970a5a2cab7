"""Counts: how often each combination of truth and predictions occurred, which is all that a model needs.

Each kind of input is read and counted by a module of its own; operations on the table of cells are in `cells`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from outperform.base.errors import listing
from outperform.data.cells import Cells
from outperform.data.chunk_counts import count_chunks, find_chunks
from outperform.data.coding import count_tally, tally_labels, without_blanks
from outperform.data.columns import as_names, check_either, check_mapping, check_seen, check_sizes
from outperform.data.confusion import count_matrices, count_totals
from outperform.data.frames import tally_frame
from outperform.data.joining import added, by_fold, side_by_side
from outperform.data.label_sets import count_label_sets, labels_of_slices
from outperform.data.labels import Label, as_labels
from outperform.data.partition import Fold
from outperform.data.storing import load, save
from outperform.data.tally import Tally
from outperform.data.task import no_column

__all__ = ["Counts", "Fold"]


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Cells):
    """Outcome cells and the number of items in each.

    Attributes
    ----------
    classifiers : tuple of str
        Names, in the order of the columns of `predictions`.
    labels : tuple
        The classes; `truth` and `predictions` hold positions in it. Of two, the last is positive.
    truth : array of shape (cells,)
        The true class.
    predictions : array of shape (cells, classifiers)
        The predicted class; -1 if the classifier was not run on those items (separate test sets).
    n : array of shape (cells,)
        Items in the cell; for weighted rows the sum of weights, which `worth` converts to items.
    task : OneLabel, LabelSets or Chunks
        What was counted: one label per item, any number of labels per item (`groups`, and the `group` of each cell;
        `labels` are then False and True), or chunks, which have no true negatives.
    partition : Folds, Slices, Units or None
        What the cells are split by, and the part of each cell: folds of a cross-validation, slices that are compared
        separately, or kinds of unit that are resampled whole, where `n` adds up all units of a kind.
    declared : bool
        Whether `labels` were given, and not only observed: then a class may be absent from the truth.
    left_out : float
        Rows that were dropped because a label was missing.
    weighed : array of shape (2, cells), or None
        For weighted rows: the number of rows in the cell, and the sum of their squared weights.

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
            How many items each row stands for, if the table is already counted.
        weights : sequence of float
            Nonnegative weights of the rows, in place of `n`. The weighted rows are as informative as (Σw)²/Σw² items of
            equal weight (Kish): only ratios of weights matter, not their scale.
        by : sequence
            The slice of each item, for example its language: `compare` then gives a result per slice.
        """
        tally = tally_labels(truth, predictions, n, weights, by)
        return count_tally(cls, tally, predictions, labels, by=int(by is not None))

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
        """Count the rows of a dataframe with its own engine; only the counts are collected.

        Parameters
        ----------
        frame : dataframe
            Of pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask, PySpark, Ibis or any other that narwhals supports.
        truth : str
            Column of the true labels.
        predictions : sequence of str, or mapping from name to str
            Columns of predicted labels, one per classifier.
        labels : sequence of labels
            All classes, where the data may lack some.
        n, weights : str
            Column with the number of items, or with the weight, of each row.
        by : str or sequence of str
            Columns of the slices of the rows, for example their language: `compare` then gives a result per slice.
        missing : {"raise", "drop"}
            What to do with rows that lack a label: raise an error, or drop them and report how many.

        Examples
        --------
        >>> import polars as pl
        >>> import outperform as op
        >>> frame = pl.LazyFrame({"gold": ["a", "b", "b"], "svm": ["a", "b", "a"], "nb": ["a", "a", "a"]})
        >>> counts = op.Counts.from_frame(frame, truth="gold", predictions=["svm", "nb"])
        >>> counts.items, counts.labels
        (3, ('a', 'b'))
        """
        check_either(n, weights)
        names = as_names(predictions, truth)
        slices = [] if by is None else [by] if isinstance(by, str) else list(by)
        labels = as_labels(labels)
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
        """Return the counts of a tally with columns of the truth, of each classifier, and of slices (the last `by`).

        `whole` says that n are numbers of items, not weights.
        """
        if len(tally.n):
            check_sizes(tally.n, len(tally.n), whole=whole)
        return count_tally(cls, tally, classifiers, labels, by=by, missing=missing)

    @classmethod
    def from_test_sets(
        cls, test_sets: Mapping[str, tuple[Any, Any]], *, labels: Iterable[Label] | None = None
    ) -> Counts:
        """Count classifiers that were run on separate test sets: name → (truth, predictions)."""
        check_mapping(test_sets)
        labels = as_labels(labels)
        tables = [cls.from_labels(y, {name: p}, labels=labels).checked() for name, (y, p) in test_sets.items()]
        return cls.side_by_side(*tables)

    @classmethod
    def from_confusion(cls, matrices: Mapping[str, Any], *, labels: Iterable[Label] | None = None) -> Counts:
        """Count classifiers given as confusion matrices: name → matrix, whose rows are the true classes.

        Matrices do not say which items two classifiers share, so the comparison is unpaired.

        Examples
        --------
        >>> import outperform as op
        >>> op.Counts.from_confusion({"svm": [[50, 3], [4, 43]]}, labels=["ham", "spam"]).items
        100
        """
        return count_matrices(cls, matrices, labels)

    @classmethod
    def from_label_sets(
        cls, truth: Any, predictions: Mapping[str, Any], *, labels: Iterable[Label] | None = None, by_item: bool = False
    ) -> Counts:
        """Count a multi-label task, in which an item may have any number of labels.

        Parameters
        ----------
        truth : array, sparse array or sequence of sets
            An indicator matrix with one row per item and one column per label, or a set of labels per item.
        predictions : mapping from name to the same
            What each classifier predicted.
        labels : sequence of labels
            The labels, in the order of the columns of an indicator matrix, or where sets may lack some.
        by_item : bool
            Count kinds of items instead of labels, for average="samples".

        Examples
        --------
        >>> import outperform as op
        >>> counts = op.Counts.from_label_sets([{"cat"}, {"cat", "dog"}, set()], {"a": [{"cat"}, {"dog"}, set()]})
        >>> counts.groups, counts.items
        (('cat', 'dog'), 3)
        """
        return count_label_sets(cls, truth, predictions, labels, by_item=by_item)

    @classmethod
    def from_chunks(
        cls,
        gold: Sequence[Sequence[str]],
        predictions: Mapping[str, Sequence[Sequence[str]]],
        *,
        scheme: str | None = None,
        mode: str = "conlleval",
        types: Iterable[str] | None = None,
        typed: bool = True,
        unit: str | Sequence[Any] = "sentence",
        folds: Sequence[Fold] | None = None,
    ) -> Counts:
        """Count chunks (named entities, phrases, words) in tagged sentences.

        A chunk is correct if its boundaries and its type are. Only true or predicted chunks are counted.

        Parameters
        ----------
        gold : sequence of sequences of str
            True tags of each sentence.
        predictions : mapping from name to the same
            Predicted tags.
        scheme : str
            IOB1, IOB2, IOBES, BILOU, BMES or BB2B3MES. In mode "conlleval" the first three are read alike and need not
            be distinguished.
        mode : {"conlleval", "strict"}
            How tags that are not well-formed are read; see `outperform.data.chunks.extract`.
        types : sequence of str
            Only these types, for example ["ORG"]; the default is all types in the truth.
        typed : bool
            False to compare boundaries alone.
        unit : "sentence", "chunk" or sequence
            The unit of resampling, because chunks of one sentence are not independent; or what each sentence
            belongs to, for example its document.
        folds : sequence of (int, int)
            Repetition and fold in which each sentence was tested; chunks are then counted by fold, without units.

        Examples
        --------
        >>> import outperform as op
        >>> counts = op.Counts.from_chunks([["B-PER", "O"], ["B-LOC", "O"]], {"a": [["B-PER", "O"], ["O", "O"]]})
        >>> counts.groups, counts.items
        (('LOC', 'PER'), 2)
        """
        found = find_chunks(gold, predictions, scheme, mode, types=types, typed=typed)
        return count_chunks(cls, found, unit, folds)

    @classmethod
    def from_totals(cls, totals: Mapping[str, Any], *, folds: Sequence[Fold] = ()) -> Counts:
        """Count classifiers given as totals: how many are gold, predicted, and correct.

        Totals do not say which items two classifiers share, so the comparison is unpaired.

        Parameters
        ----------
        totals : mapping from name to (gold, predicted, correct)
            Three numbers, or a row of them per fold of a cross-validation.
        folds : sequence of (int, int)
            Repetition and fold of each row.

        Examples
        --------
        >>> import outperform as op
        >>> op.Counts.from_totals({"IOB2": (120, 110, 100), "IOBES": (120, 108, 101)}).classifiers
        ('IOB2', 'IOBES')
        """
        return count_totals(cls, totals, folds)

    @classmethod
    def side_by_side(cls, *tables: Counts) -> Counts:
        """Return classifiers that were counted separately as one unpaired table."""
        return side_by_side(tables)

    @classmethod
    def by_fold(cls, tables: Mapping[Fold, Counts]) -> Counts:
        """Return the counts of the folds of a cross-validation, (repetition, fold) → counts, as one table."""
        return by_fold(tables)

    @classmethod
    def zero(cls, classifiers: Sequence[str], *, labels: Iterable[Label] | None = None) -> Counts:
        """Return counts without items, the start of a stream.

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
        names, known = tuple(map(str, classifiers)), tuple(dict.fromkeys(as_labels(labels) or ()))
        none = np.zeros((0, len(names)), dtype=np.int64)
        return cls(names, known, no_column(), none, np.zeros(0), declared=labels is not None)

    def update(self, truth: Any, predictions: Mapping[str, Any], **more: Any) -> Counts:
        """Return counts with more items; the original is unchanged, so keep the returned counts.

        Parameters
        ----------
        truth, predictions
            As in `from_labels`, for the same classifiers.
        **more
            `n`, `weights` or `by`, as in `from_labels`.
        """
        labels = self.labels if self.declared else None
        return self + Counts.from_labels(truth, predictions, labels=labels, **more)

    def __add__(self, other: Counts) -> Counts:
        """Return the items of both, for shards, batches and days. Whole numbers add up exactly, in any order."""
        return added(self, other)

    def __radd__(self, other: object) -> Counts:
        """Support `sum`, which starts at 0."""
        return self if other == 0 else NotImplemented

    def save(self, path: str | Path) -> None:
        """Write the counts to a small file, atomically: .json, .json.gz (gzip) or .parquet (Parquet; extra data)."""
        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Counts:
        """Read and validate a file written by `save`."""
        return load(cls, path)

    def slice(self, value: Label) -> Counts:
        """Return the counts of one slice."""
        if value not in self.slices:
            raise KeyError(f"no slice {value!r}; there are {listing(self.slices)}")
        return replace(self.fold(self.slices.index(value)), declared=True, left_out=0)

    def as_labels(self, items: int | None = None) -> Counts:
        """Return counts in the long format as a multi-label task, in which each slice is a label.

        The long format has a row per item and label: the truth says whether the item has the label, and
        `by` names the label.

        Parameters
        ----------
        items : int
            Number of items, if rows in which no one has the label are omitted.

        Examples
        --------
        >>> import outperform as op
        >>> there, said, topic = [1, 0, 1, 1], [1, 0, 0, 1], ["art", "art", "law", "law"]
        >>> counts = op.Counts.from_labels(there, {"a": said}, by=topic).as_labels()
        >>> counts.groups, counts.items
        (('art', 'law'), 2)
        """
        return labels_of_slices(self, items)

    @property
    def open(self) -> bool:
        """Deprecated name of `no_true_negatives`, until 1.0."""
        warnings.warn("Counts.open is now called no_true_negatives", DeprecationWarning, stacklevel=2)
        return self.no_true_negatives

    def __repr__(self) -> str:
        """Return a summary in one line."""
        parts = [f"classifiers={list(self.classifiers)}", f"items={self.items}", f"classes={len(self.classes)}"]
        parts += [f"slices={len(self.slices)}"] if self.slices else []
        return f"Counts({', '.join([*parts, f'cells={len(self.n)}'])})"

    def checked(self) -> Counts:
        """Raise an error for what cannot be compared: no items, one class, a class that is only predicted."""
        if not self.declared:
            if not len(self.n):
                raise ValueError("there are no items; give at least one label and its predictions")
            check_seen(self.labels, self.truth, dict(zip(self.classifiers, self.predictions.T, strict=True)))
        return self
