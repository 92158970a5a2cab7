"""Counts: how often each combination of truth and predictions happened, which is all a model needs.

A long table of cells: (group, truth, one prediction per classifier) → n. Rows are seen once, here. A group is a
label of a task in which an item may have any number of labels; other tasks have no groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.contingency import Contingency, FloatArray
from outperform.errors import listing
from outperform.indicators import as_indicators, count_items, count_outcomes, merge_items
from outperform.labels import IntArray, Label, as_column, encode
from outperform.matrices import as_confusion, check_same_labels

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
    groups : tuple
        Where items may have any number of labels, all of these; `labels` are then False and True.
    group : array of shape (cells,)
        The label that the cell is about, a position in `groups`.
    by_item : bool
        Whether `group` is a kind of item in place of a label, and `n` how many labels of its items have the outcome:
        for scores of each item.

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
    groups: tuple[Label, ...] = ()
    group: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    by_item: bool = False

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

    @classmethod
    def from_confusion(cls, matrices: Mapping[str, Any], *, labels: Iterable[Label] | None = None) -> Counts:
        """Count classifiers of which only confusion matrices are known: name → matrix, rows are true classes.

        Matrices do not tell which items two classifiers share, so they cannot be paired.

        Examples
        --------
        >>> import outperform as op
        >>> op.Counts.from_confusion({"svm": [[50, 3], [4, 43]]}, labels=["ham", "spam"]).items
        100
        """
        _check_mapping(matrices)
        given = None if labels is None else list(labels)
        read = [as_confusion(matrix, _called(name), given) for name, matrix in matrices.items()]
        known = check_same_labels(list(map(_called, matrices)), [confusion.labels for confusion in read])
        predictions = [np.full((len(c.n), len(read)), NOT_RUN) for c in read]
        for k, (table, confusion) in enumerate(zip(predictions, read, strict=True)):
            table[:, k] = confusion.predicted
        truth, n = np.concatenate([c.truth for c in read]), np.concatenate([c.n for c in read])
        return cls(tuple(map(str, matrices)), known, truth, np.concatenate(predictions), n)._merged()

    @classmethod
    def from_label_sets(
        cls,
        truth: Any,
        predictions: Mapping[str, Any],
        *,
        labels: Iterable[Label] | None = None,
        by_item: bool = False,
    ) -> Counts:
        """Count a task in which an item may have any number of labels.

        Parameters
        ----------
        truth : array, sparse array or sequence of sets
            An indicator matrix with one row per item and one column per label, or a set of labels for each item.
        predictions : mapping from name to the same
            What each classifier predicted.
        labels : sequence of labels
            The labels, in the order of the columns of an indicator matrix, or where sets may lack some.
        by_item : bool
            Count kinds of items and not labels, for average="samples".

        Examples
        --------
        >>> import outperform as op
        >>> counts = op.Counts.from_label_sets([{"cat"}, {"cat", "dog"}, set()], {"a": [{"cat"}, {"dog"}, set()]})
        >>> counts.groups, counts.items
        (('cat', 'dog'), 3)
        """
        _check_mapping(predictions)
        tables = {"truth": truth} | {_called(name): table for name, table in predictions.items()}
        groups, bits = as_indicators(tables, None if labels is None else list(labels))
        group, outcome, n = (count_items if by_item else count_outcomes)(bits)
        truth_bits, *codes = (outcome >> np.arange(len(bits))[:, None]) & 1
        names, code = tuple(map(str, predictions)), np.stack(codes, axis=1)
        return cls(names, (False, True), truth_bits, code, n, groups, group, by_item)._merged()

    @property
    def classes(self) -> tuple[Label, ...]:
        """What averages are taken over: the classes, or the labels where an item may have any number of them."""
        return self.groups or self.labels

    @property
    def many(self) -> bool:
        """Whether there are more than two classes, or labels of which an item may have any number."""
        return bool(self.groups) or len(self.labels) > 2

    @property
    def items(self) -> float:
        """How many items there are in all (a whole number unless weighted)."""
        total = float(self.n.sum()) / (len(self.groups) or 1)
        return int(total) if total.is_integer() else total

    @property
    def paired(self) -> bool:
        """Whether every classifier was run on every item."""
        return bool((self.predictions != NOT_RUN).all())

    def empty(self) -> Counts:
        """The same question before any data: what a prior is the posterior of."""
        return self._only(np.zeros(len(self.n), dtype=bool))

    def binary(self, positive: Label) -> Counts:
        """One class against the rest; the positive class comes last."""
        if self.by_item:
            raise ValueError("counts by item do not tell labels apart; count the labels for one of them")
        if self.groups:
            own = replace(self._only(self.group == self.groups.index(positive)), groups=(), group=self.group[:0])
            return replace(own, labels=(f"not {positive}", positive))
        code = self.labels.index(positive)
        others = [label for label in self.labels if label != positive]
        rest = others[0] if len(others) == 1 else f"not {positive}"
        predictions = np.where(self.predictions == NOT_RUN, NOT_RUN, (self.predictions == code).astype(np.int64))
        truth = (self.truth == code).astype(np.int64)
        return replace(self, labels=(rest, positive), truth=truth, predictions=predictions)._merged()

    def select(self, order: Sequence[int]) -> Counts:
        """Only these classifiers, in this order, on the items that any of them was run on."""
        chosen = replace(
            self, classifiers=tuple(self.classifiers[k] for k in order), predictions=self.predictions[:, list(order)]
        )
        return chosen._only((chosen.predictions != NOT_RUN).any(axis=1))._merged()

    def same_cells(self, other: Counts) -> bool:
        """Whether two tables agree in everything but the classifiers' names."""
        columns = ("group", "truth", "predictions", "n")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in columns)

    def canonical_order(self) -> list[int]:
        """An order of the classifiers that does not depend on the order they were given in.

        By each one's own table of outcomes, then by name. Streams of random numbers follow it, so
        that giving the classifiers in another order gives the same draws in another order.
        """

        def table(k: int) -> tuple[list[float], ...]:
            own = self.select([k])
            return tuple(x.tolist() for x in (own.group, own.truth, own.predictions[:, 0], own.n))

        return sorted(range(len(self.classifiers)), key=lambda k: (table(k), self.classifiers[k]))

    def contingency(self) -> Contingency:
        """What was observed, one entry per classifier: of the positive (last) of two classes, or of each of many."""
        classes = int(self.group.max(initial=-1)) + 1 if self.by_item else len(self.classes)
        run = self.predictions != NOT_RUN
        total = self.n @ run.astype(np.float64)
        hit, support, predicted = (np.zeros((len(self.classifiers), classes)) for _ in range(3))
        for k, guess in enumerate(self.predictions.T):
            ran, right = run[:, k], guess == self.truth
            if self.groups:  # a label counts where it is there
                true, guessed = self.truth == 1, guess == 1
                parts = (
                    (hit, self.group, true & guessed),
                    (support, self.group, true),
                    (predicted, self.group, guessed),
                )
            else:
                parts = ((hit, guess, right), (support, self.truth, ran), (predicted, guess, ran))
            for table, codes, cells in parts:
                table[k] = np.bincount(codes[cells], self.n[cells], classes)
        if self.groups:
            return Contingency(
                hit, support, predicted, np.bincount(self.group, self.n, classes)[None].astype(np.float64)
            )
        if self.many:
            return Contingency(hit, support, predicted, total[:, None])
        return Contingency(hit[:, 1], support[:, 1], predicted[:, 1], total)

    def _only(self, chosen: NDArray[np.bool_]) -> Counts:
        """Some of the cells."""
        group = self.group[chosen] if self.groups else self.group
        return replace(
            self, truth=self.truth[chosen], predictions=self.predictions[chosen], n=self.n[chosen], group=group
        )

    def _merged_items(self) -> Counts:
        """Equal kinds of item added up."""
        bits = np.column_stack([self.truth, self.predictions])
        place = np.arange(bits.shape[1])
        group, outcome, n = merge_items(self.group, bits @ (1 << place), self.n, len(self.groups), 2 ** len(place))
        bits = (outcome[:, None] >> place) & 1
        return replace(self, truth=bits[:, 0], predictions=bits[:, 1:], n=n, group=group)

    def _merged(self) -> Counts:
        """Equal cells added up, in sorted order, so that equal data give equal tables."""
        if self.by_item:
            return self._merged_items()
        columns = [self.truth, *self.predictions.T]
        key = self.group if self.groups else np.zeros(len(self.n), dtype=np.int64)
        for column in columns:  # compressed after each column, so the key never overflows
            key = np.unique(key * (len(self.labels) + 1) + column + 1, return_inverse=True)[1]
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        n: FloatArray = np.bincount(cell, weights=self.n, minlength=len(first)).astype(np.float64)
        group = self.group[first] if self.groups else self.group
        merged = replace(self, truth=self.truth[first], predictions=self.predictions[first], n=n, group=group)
        return merged if (n > 0).all() else merged._only(n > 0)


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
    if len({str(name) for name in predictions}) < len(predictions):
        raise ValueError(f"two classifiers have the same name: {listing(predictions)}")


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
