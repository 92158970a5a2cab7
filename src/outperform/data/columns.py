"""Validation of columns of labels and of numbers before they are counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from outperform.base.errors import check_apart, listing, named_as
from outperform.base.limits import as_array, check_weights
from outperform.base.sentences import Parameter, invalid
from outperform.data.contingency import FloatArray
from outperform.data.diagnosis import ALIKE, ALIKE_OR_ALL, doubt, is_new, remedy
from outperform.data.labels import IntArray, Label, LabelArray, as_column, encode

__all__ = [
    "Ids", "as_names", "as_numbers", "called", "check_either", "check_mapping", "check_order",
    "check_same_rows", "check_seen", "check_sizes", "coded", "label_columns", "named",
]  # fmt: skip

GREATEST = 1e100  # the largest number whose square and sums of squares stay finite


class Ids(tuple[Label, ...]):
    """Ids that are given before the items that they belong to.

    Attributes
    ----------
    rows : pandas.Index or None
        The ids of the rows of a column of pandas, by which `check_order` compares it with the items.
    """

    rows: Any = None

    @classmethod
    def of(cls, column: Any, what: str) -> Ids:
        """Validate a column of ids."""
        ids = cls(as_column(column, what).tolist())
        ids.rows = rows_of(column)
        return ids


def rows_of(column: Any) -> Any:
    """Return the ids of the rows of a column or a dataframe of pandas; of anything else, None."""
    if isinstance(column, Ids):
        return column.rows
    of_pandas = type(column).__module__.partition(".")[0] == "pandas"
    return column.index if of_pandas and hasattr(column, "index") else None


def called(name: object) -> str:
    """Return the name of a classifier as messages show it."""
    return f"classifier {named_as(name)!r}"


def check_mapping(predictions: object) -> None:
    """Check that every classifier has a name, and no two the same."""
    if not isinstance(predictions, Mapping):
        raise TypeError(
            "predictions must give each classifier a name, as in {'svm': p1, 'nb': p2}, or come one after the other, "
            f"as in compare(y, p1, p2), got {type(predictions).__name__}"
        )
    if not predictions:
        raise ValueError("there is no classifier; give at least one as {'name': predictions}")
    if len({named_as(name) for name in predictions}) < len(predictions):
        raise ValueError(f"two classifiers have the same name: {listing(predictions)}")
    check_apart(map(named_as, predictions))


def as_names(predictions: Any, truth: str) -> dict[str, str]:
    """Return name → column of predictions; the name of a column is the default name of its classifier."""
    if isinstance(predictions, Mapping):
        names = dict(predictions)
    else:
        columns = [predictions] if isinstance(predictions, str) else list(predictions or ())
        names = dict(zip(columns, columns, strict=True))
        if len(names) < len(columns):
            raise ValueError(f"a column of predictions is named twice: {listing(columns)}; name every column once")
    check_mapping(names)
    if truth in names.values():
        raise ValueError(f"column {truth!r} cannot be both the truth and a prediction")
    return names


def named(truth: Any, predictions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the truth and all predictions under their names in messages."""
    check_mapping(predictions)
    return {"truth": truth} | {called(name): values for name, values in predictions.items()}


def label_columns(truth: Any, predictions: Mapping[str, Any]) -> dict[str, LabelArray]:
    """Return the columns of labels under their names in messages, the truth first."""
    return {what: as_column(values, what) for what, values in named(truth, predictions).items()}


def coded(
    truth: Any, predictions: Mapping[str, Any], labels: Iterable[Label] | None = None
) -> tuple[tuple[Label, ...], IntArray, IntArray]:
    """Return the classes, the true codes, and the predicted codes of shape (items, classifiers)."""
    columns = label_columns(truth, predictions)
    check_same_rows(columns, "one label and its predictions")
    known, (true, *codes) = encode(columns, labels)
    if labels is None:
        check_seen(known, true, dict(zip(predictions, codes, strict=True)))
    return known, true, np.stack(codes, axis=1)


def check_order(columns: Mapping[str, Any]) -> None:
    """Refuse columns of pandas whose rows have ids in another order, or other ids: they are taken by their position.

    Ids that only number the rows say nothing, and those that have none in common may name the rows in two ways.
    """
    indices = {what: rows for what, column in columns.items() if (rows := rows_of(column)) is not None}
    first = next(iter(indices), "")
    for what, index in indices.items():
        ids = indices[first]
        if len(index) != len(ids) or index.equals(ids) or not index.is_unique:
            continue
        shared = index.isin(ids)
        if shared.all():
            raise ValueError(
                f"{what} has the ids of {first} in another order; give it as .loc[ids], with the ids of {first}, or as "
                ".to_numpy() if its rows are in the right order as they are"
            )
        if shared.any() and not (_are_places(index) or _are_places(ids)):
            others = listing(index[~shared].tolist(), 5)
            raise ValueError(
                f"{what} has ids that {first} has not: {others}; give both the same rows, as with .loc[ids], or as "
                ".to_numpy() if its rows are in the right order as they are"
            )


def _are_places(index: Any) -> bool:
    """Whether ids of pandas are the places of the rows: 0, 1, 2 …"""
    return index.dtype.kind in "iu" and bool((np.asarray(index) == np.arange(len(index))).all())


def check_seen(labels: Sequence[Label], truth: IntArray, predictions: Mapping[str, IntArray]) -> None:
    """Raise an error for classes that are probably mistakes: predicted but never true, or doubtful by `doubt`."""
    seen = set(np.unique(truth).tolist())
    true = [labels[code] for code in sorted(seen)]
    classes = listing(true)
    for name, codes in predictions.items():
        predicted = set(np.unique(codes[codes >= 0]).tolist())  # negative codes mean "not run"
        if alien := sorted(predicted - seen):
            found = f"{called(name)} predicts {listing([labels[alien[0]]])}, which the truth never has ({classes})"
            two = len(predicted) == len(seen) == 2  # 0 and 1 where the truth has -1 and 1, or no and yes
            renamed = two and all(is_new(labels[code], true) for code in alien)
            alike = ALIKE if predicted.isdisjoint(seen) else ALIKE_OR_ALL
            advice = alike if renamed else remedy(labels[alien[0]], true)
            raise invalid("{found}; {advice}", found=found, advice=advice)
    if len(seen) == 1:
        found = f"the truth has a single class ({classes}); add items of the other"
        raise invalid("{found}, or list both with {labels} if that is all there is", found=found)
    if sentence := doubt(true):
        raise ValueError(sentence)


def check_either(n: object, weights: object) -> None:
    """Check that rows do not have both numbers of items and weights."""
    if n is not None and weights is not None:
        raise invalid("give {n} (whole numbers of items) or {weights} (any numbers), not both")


def check_sizes(given: Any, rows: int, *, whole: bool) -> FloatArray:
    """Validate the number of items, or unless `whole` the weight, of each row."""
    what = "n" if whole else "weights"
    if (size := _real(given)) is None:
        found = listing([given])
        raise invalid("{what} must be numbers, one for each row, got {found}", what=Parameter(what), found=found)
    if size.shape != (rows,):
        raise ValueError(f"{what} has shape {size.shape}; give one number for each of {rows} rows")
    if not (np.isfinite(size).all() and (size >= 0).all()):
        wrong = float(size[int(np.argmin(np.isfinite(size) & (size >= 0)))])
        raise invalid("{what} holds {wrong:g}; counts are finite and not negative", what=Parameter(what), wrong=wrong)
    if whole and (size != np.floor(size)).any():
        wrong = float(size[int(np.argmax(size != np.floor(size)))])
        advice = "give counts, not proportions, {or_weights}"
        raise invalid("{n} holds {wrong:g}, which is not a whole number of items; " + advice, wrong=wrong)
    if not whole:
        check_weights(size)
    if size.sum() == 0:
        raise invalid("{what} adds up to 0; there are no items", what=Parameter(what))
    return size


def as_numbers(values: Any, what: str, *, dimensions: int = 2) -> FloatArray:
    """Validate a column of finite numbers, or a matrix with a row per item."""
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        raise TypeError(f"{what} must be a sequence of numbers, got {type(values).__name__}")
    given = as_array(values)
    if given.dtype.kind in "OUS" and any(isinstance(value, str | bytes) for value in given.ravel()):
        raise ValueError(f"{what} holds text where numbers are expected; turn it into numbers first")
    if given.shape == () or (numbers := _real(given)) is None:
        raise ValueError(f"{what} holds something that is not a number; give one number per item")
    if not len(numbers):
        return numbers
    if not 1 <= numbers.ndim <= dimensions:
        wanted = "one number per item" + (", or a row of them" if dimensions > 1 else "")
        raise ValueError(f"{what} has shape {numbers.shape}; give {wanted}")
    wrong = ~np.isfinite(numbers.reshape(len(numbers), -1)).all(axis=1)
    if wrong.any():
        at = np.flatnonzero(wrong)
        raise ValueError(
            f"{what} has no finite number at {len(at)} of {len(numbers)} positions ({listing(at.tolist(), 5)}); "
            "correct them, or drop these items for all systems alike"
        )
    most = float(np.abs(numbers).max())
    if most > GREATEST:
        raise ValueError(f"{what} holds a number as large as {most:.2g}, whose square is too large; scale them down")
    return numbers


def _real(values: Any) -> FloatArray | None:
    """Return real numbers as an array; None if they are complex, times, text, ragged or anything else."""
    given = as_array(values)
    try:
        return given.astype(np.float64) if given.dtype.kind in "biufO" else None
    except (TypeError, ValueError):
        return None
    except OverflowError:
        return np.array(np.vectorize(_as_float, otypes=[np.float64])(given))


def _as_float(value: Any) -> float:
    """Return a number as a float; infinity for a whole number that is larger than any float."""
    try:
        return float(value)
    except OverflowError:
        return np.inf


def check_same_rows(columns: Mapping[str, Any], least: str = "one") -> int:
    """Check that all columns have the same number of rows, and at least one; return it."""
    sizes = {what: len(column) for what, column in columns.items()}
    (first, rows), *others = sizes.items()
    for what, size in others:
        if size != rows:
            raise ValueError(f"{what} has {size} items but {first} has {rows}; give one for each item")
    if rows == 0:
        raise ValueError(f"there are no items; give at least {least}")
    return rows
