"""Counts: how often each combination of truth and predictions happened, which is all a model needs.

A long table of cells: (truth, one prediction per classifier) → n. Rows are seen once, here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from outperform.contingency import Contingency, FloatArray
from outperform.errors import listing
from outperform.labels import IntArray, Label, as_column, encode

__all__ = ["Counts"]

NOT_RUN = -1


@dataclass(frozen=True, eq=False)
class Counts:
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
        Items in the cell; fractional only for weights.

    Examples
    --------
    >>> import outperform as op
    >>> counts = op.Counts.from_labels([1, 1, 0, 0], {"a": [1, 1, 0, 0], "b": [1, 0, 0, 0]})
    >>> counts.n
    array([2., 1., 1.])
    """

    classifiers: tuple[str, ...]
    labels: tuple[Label, ...]
    truth: IntArray
    predictions: IntArray
    n: FloatArray

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        predictions: Mapping[str, Any],
        *,
        labels: Iterable[Label] | None = None,
        n: Any = None,
        weights: Any = None,
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
            Any weight of each row that is not negative, in place of `n`.
        """
        _check_mapping(predictions)
        if len({str(name) for name in predictions}) < len(predictions):
            raise ValueError(f"two classifiers have the same name: {listing(predictions)}")
        columns = {"truth": as_column(truth, "truth")}
        for name, values in predictions.items():
            columns[_called(name)] = as_column(values, _called(name))
        _check_lengths(columns)
        known, (truth_codes, *codes) = encode(columns, labels)
        if labels is None:
            _check_seen(known, truth_codes, dict(zip(predictions, codes, strict=True)))
        size = _check_sizes(n, weights, len(truth_codes))
        names = tuple(str(name) for name in predictions)
        return cls(names, known, truth_codes, np.stack(codes, axis=1), size)._merged()

    @classmethod
    def from_test_sets(
        cls, test_sets: Mapping[str, tuple[Any, Any]], *, labels: Iterable[Label] | None = None
    ) -> Counts:
        """Count classifiers that were each run on items of their own: name → (truth, predictions)."""
        _check_mapping(test_sets)
        labels = None if labels is None else list(labels)
        each = [cls.from_labels(y, {name: p}, labels=labels) for name, (y, p) in test_sets.items()]
        (first, *others), names = each, tuple(c.classifiers[0] for c in each)
        for name, other in zip(names[1:], others, strict=True):
            if set(other.labels) != set(first.labels):
                raise ValueError(
                    f"the test sets of {names[0]!r} and {name!r} have different classes "
                    f"({listing(first.labels)} against {listing(other.labels)}); "
                    "list all of them with labels="
                )
        predictions = [np.where(np.arange(len(each)) == k, c.predictions, NOT_RUN) for k, c in enumerate(each)]
        truth, n = np.concatenate([c.truth for c in each]), np.concatenate([c.n for c in each])
        return cls(names, first.labels, truth, np.concatenate(predictions), n)._merged()

    @property
    def items(self) -> float:
        """How many items there are in all (a whole number unless weighted)."""
        total = float(self.n.sum())
        return int(total) if total.is_integer() else total

    @property
    def paired(self) -> bool:
        """Whether every classifier was run on every item."""
        return bool((self.predictions != NOT_RUN).all())

    def empty(self) -> Counts:
        """The same question before any data: what a prior is the posterior of."""
        none = slice(0, 0)
        return replace(self, truth=self.truth[none], predictions=self.predictions[none], n=self.n[none])

    def binary(self, positive: Label) -> Counts:
        """One class against the rest; the positive class comes last."""
        code = self.labels.index(positive)
        others = [label for label in self.labels if label != positive]
        rest = others[0] if len(others) == 1 else f"not {positive}"
        predictions = np.where(self.predictions == NOT_RUN, NOT_RUN, (self.predictions == code).astype(np.int64))
        truth = (self.truth == code).astype(np.int64)
        return replace(self, labels=(rest, positive), truth=truth, predictions=predictions)._merged()

    def select(self, order: Sequence[int]) -> Counts:
        """Only these classifiers, in this order, on the items that any of them was run on."""
        predictions = self.predictions[:, list(order)]
        run = (predictions != NOT_RUN).any(axis=1)
        return replace(
            self,
            classifiers=tuple(self.classifiers[k] for k in order),
            truth=self.truth[run],
            predictions=predictions[run],
            n=self.n[run],
        )._merged()

    def same_cells(self, other: Counts) -> bool:
        """Whether two tables agree in everything but the classifiers' names."""
        mine, theirs = (self.truth, self.predictions, self.n), (other.truth, other.predictions, other.n)
        return all(np.array_equal(x, y) for x, y in zip(mine, theirs, strict=True))

    def canonical_order(self) -> list[int]:
        """An order of the classifiers that does not depend on the order they were given in.

        By each one's own table of outcomes, then by name. Streams of random numbers follow it, so
        that giving the classifiers in another order gives the same draws in another order.
        """

        def table(k: int) -> tuple[list[int], list[int], list[float], str]:
            own = self.select([k])
            return own.truth.tolist(), own.predictions[:, 0].tolist(), own.n.tolist(), own.classifiers[0]

        return sorted(range(len(self.classifiers)), key=table)

    def contingency(self) -> Contingency:
        """What was observed, one entry per classifier: of the positive (last) of two classes, or of each of many."""
        run = self.predictions != NOT_RUN
        total = self.n @ run.astype(np.float64)
        hit, support, predicted = (np.zeros((len(self.classifiers), len(self.labels))) for _ in range(3))
        for k, guess in enumerate(self.predictions.T):
            ran, right = run[:, k], guess == self.truth
            for table, codes, cells in ((hit, guess, right), (support, self.truth, ran), (predicted, guess, ran)):
                table[k] = np.bincount(codes[cells], self.n[cells], len(self.labels))
        if len(self.labels) == 2:
            return Contingency(hit[:, 1], support[:, 1], predicted[:, 1], total)
        return Contingency(hit, support, predicted, total[:, None])

    def _merged(self) -> Counts:
        """Equal cells added up, in sorted order, so that equal data give equal tables."""
        cells = np.column_stack([self.truth, self.predictions])
        key = np.zeros(len(cells), dtype=np.int64)
        for column in cells.T:  # compressed after each column, so the key never overflows
            key = np.unique(key * (len(self.labels) + 1) + column + 1, return_inverse=True)[1]
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        n: FloatArray = np.bincount(cell, weights=self.n, minlength=len(first)).astype(np.float64)
        keep = n > 0
        return replace(self, truth=self.truth[first][keep], predictions=self.predictions[first][keep], n=n[keep])


def _called(name: object) -> str:
    return f"classifier {str(name)!r}"


def _check_mapping(predictions: object) -> None:
    if not isinstance(predictions, Mapping):
        raise TypeError(
            "predictions must give each classifier a name, as in {'svm': p1, 'nb': p2}, "
            f"got {type(predictions).__name__}"
        )
    if not predictions:
        raise ValueError("there is no classifier; give at least one as {'name': predictions}")


def _check_lengths(columns: Mapping[str, Any]) -> None:
    items = len(columns["truth"])
    for what, column in columns.items():
        if len(column) != items:
            raise ValueError(
                f"{what} has {len(column)} predictions but truth has {items}; give one prediction per test item"
            )
    if items == 0:
        raise ValueError("there are no items; give at least one label and its predictions")


def _check_seen(labels: Sequence[Label], truth: IntArray, predictions: Mapping[str, IntArray]) -> None:
    """Refuse a class that only a classifier knows: it is a misspelling more often than not."""
    seen = set(np.unique(truth).tolist())
    classes = listing(labels[code] for code in sorted(seen))
    for name, codes in predictions.items():
        for code in np.unique(codes).tolist():
            if code not in seen:
                raise ValueError(
                    f"{_called(name)} predicts {listing([labels[code]])}, which the truth never has "
                    f"({classes}); correct it, or list every class with labels= if it is meant"
                )
    if len(seen) == 1:
        raise ValueError(
            f"the truth has a single class ({classes}); "
            "add items of the other, or list both with labels= if that is all there is"
        )


def _check_sizes(n: Any, weights: Any, rows: int) -> FloatArray:
    if n is None and weights is None:
        return np.ones(rows)
    if n is not None and weights is not None:
        raise ValueError("give n (whole numbers of items) or weights (any numbers), not both")
    what, given = ("n", n) if weights is None else ("weights", weights)
    size = np.asarray(given, dtype=np.float64)
    if size.shape != (rows,):
        raise ValueError(f"{what} has shape {size.shape}; give one number for each of {rows} rows")
    if not (np.isfinite(size).all() and (size >= 0).all()):
        wrong = float(size[int(np.argmin(np.isfinite(size) & (size >= 0)))])
        raise ValueError(f"{what} holds {wrong:g}; counts are finite and not negative")
    if weights is None and (size != np.floor(size)).any():
        wrong = float(size[int(np.argmax(size != np.floor(size)))])
        raise ValueError(
            f"n holds {wrong:g}, which is no whole number of items; "
            "give counts and not proportions, or say weights= if fractions are meant"
        )
    if size.sum() == 0:
        raise ValueError(f"{what} adds up to 0; there are no items")
    return size
