"""Coding of labels of any kind, with validation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import TOO_LONG, listing, nearest, shown
from outperform.base.limits import is_series
from outperform.base.sentences import Sentence, invalid
from outperform.data.diagnosis import SCORES, difference, is_number, twin

__all__ = [
    "IntArray", "Label", "against_rest", "as_column", "as_labels", "distinct", "encode", "is_missing", "is_number",
    "plain", "positive_label", "sorted_labels", "spellings",
]  # fmt: skip

Label: TypeAlias = Hashable
IntArray: TypeAlias = NDArray[np.int64]
LabelArray: TypeAlias = NDArray[Any]


def encode(
    columns: Mapping[str, LabelArray], labels: Iterable[Label] | None = None
) -> tuple[tuple[Label, ...], list[IntArray]]:
    """Code each column by the sorted labels of all columns, or by the labels that are given.

    The keys of `columns` are their names in messages: "truth", "classifier 'nb'".
    """
    values = list(columns.values())
    listed = as_labels(labels)
    given = None if listed is None else tuple(dict.fromkeys(map(plain, listed)))
    known = sorted_labels(set().union(*map(distinct, values))) if given is None else given
    codes = [_codes(column, known) for column in values]
    for what, column, code in zip(columns, values, codes, strict=True):
        if (code < 0).any():
            alien = plain(column[int(np.argmax(code < 0))])
            other = twin(alien, known)
            hint = "" if other is None else f"; it differs from {listing([other])} only in {difference(alien, other)}"
            raise ValueError(f"{what} holds {listing([alien])}, which is not among the labels {listing(known)}{hint}")
    return known, codes


def as_labels(labels: Any) -> list[Label] | None:
    """Validate the labels that a caller lists: any number, each of which may be a class; None where none are given."""
    if labels is None:
        return None
    if not is_series(labels):
        raise TypeError(f"labels must be a sequence of labels, as in ['ham', 'spam'], got {listing([labels])}")
    found = list(labels)
    for label in found:
        if not _is_hashable(label):
            what = f"{listing([label])}, a {type(label).__name__}"
            raise TypeError(f"labels holds {what}; a label is one value")
    _check_written(found, "labels")
    return found


def as_column(values: Any, what: str) -> LabelArray:
    """Validate one column of labels: one-dimensional, none missing, no probabilities."""
    if isinstance(values, str | bytes | Mapping | Set) or not hasattr(values, "__len__"):
        raise TypeError(f"{what} must be a sequence of labels, got {type(values).__name__}")
    if np.ma.is_masked(values):
        raise _missing(what, int(np.argmax(np.ma.getmaskarray(values))))
    column = np.asarray(values) if hasattr(values, "__array__") else _from_list(values)
    if column.ndim != 1:
        found = f"{what} has shape {column.shape}; give one label per item"
        scores = column.dtype.kind == "f" and what.startswith("classifier ")
        raise ValueError(Sentence("{found}; {hint}", found=found, hint=SCORES) if scores else found)
    if column.dtype.kind == "f":
        return _from_floats(column, what)
    if column.dtype.kind == "O":
        return _from_objects(column, what)
    return _from_times(column, what) if column.dtype.kind in "mM" else column


def positive_label(labels: Sequence[Label], pos_label: Label | None) -> Label:
    """Return the positive class; it has to be given unless the classes are 1 and 0, or 1 and -1."""
    if pos_label is not None:
        _check_written([pos_label], Sentence("{pos_label}"))
        if not _is_hashable(pos_label) or is_missing(pos_label) or pos_label not in labels:
            near = nearest(pos_label, labels)
            raise invalid(
                "{pos_label} {given} is not a label; {near}there are {known}",
                given=shown(pos_label),
                near=near,
                known=listing(labels),
            )
        return next(label for label in labels if label == pos_label)
    if len(labels) > 2:
        raise invalid(
            "there are {number} classes ({known}); set one against the rest with {pos_label}, or take "
            "{average:macro}, micro, weighted or per_class for all of them",
            number=len(labels),
            known=listing(labels, 4),
        )
    if set(labels) in ({0, 1}, {-1, 1}):
        return next(label for label in labels if label == 1)
    raise invalid("the labels are {known}: say which is positive with {pos_label}", known=listing(labels))


def spellings(label: Label) -> set[str]:
    """Return the ways to type a label as text: True also as true, 1 also as 1.0."""
    if isinstance(label, bool):
        return {str(label), str(label).lower()}
    if isinstance(label, bytes):  # as Parquet may hold text
        return {str(label), label.decode(errors="replace")}
    return {str(label), f"{label}.0"} if isinstance(label, int) else {str(label)}


def _from_list(values: Any) -> LabelArray:
    """Return a sequence as an array; NumPy alone would turn [1, 'a'] and ['a', nan] into strings."""
    items = list(values)
    if len(kinds := set(map(type, items))) == 1 and kinds <= {bool, int, float}:
        return np.asarray(items)
    column = np.empty(len(items), dtype=object)
    column[:] = items
    return column


def _from_floats(column: LabelArray, what: str) -> LabelArray:
    if np.isnan(column).any():
        raise _missing(what, int(np.argmax(np.isnan(column))))
    column = column.astype(np.result_type(column, np.float64), copy=False)  # 2**53 overflows a float16
    whole = (np.abs(column) < 2**53) & (column == np.floor(column))
    if not whole.all():
        example = float(column[int(np.argmin(whole))])
        found = f"{what} holds numbers such as {example:g} where labels are expected"
        raise invalid("{found}; {advice}", found=found, advice=_instead(what))
    return column.astype(np.int64)


def _from_times(column: LabelArray, what: str) -> LabelArray:
    """Return times of which Python's are as exact: NumPy gives those in nanoseconds as whole numbers."""
    if np.isnat(column).any():
        raise _missing(what, int(np.argmax(np.isnat(column))))
    micro = column.astype(f"{column.dtype.kind}8[us]")
    fine = np.datetime_data(column.dtype)[0] in ("ns", "ps", "fs", "as")
    return micro if fine and (micro == column).all() else column


def _instead(what: str) -> Sentence:
    """Return the advice for numbers in place of labels, for the truth and for predictions."""
    if what == "truth":
        return Sentence("if numbers are predicted, use {measure:mae}, or turn them into labels first")
    return SCORES if what.startswith("classifier ") else Sentence("turn them into labels first")


def _from_objects(column: LabelArray, what: str) -> LabelArray:
    values = column.tolist()
    try:
        distinct = set(values)  # few, so a loop over them is cheap
    except TypeError:
        index = next(k for k, value in enumerate(values) if not _is_hashable(value))
        kind = type(values[index]).__name__
        raise TypeError(f"{what} holds a {kind} at position {index}, not a label") from None
    if any(map(is_missing, distinct)):
        raise _missing(what, next(k for k, value in enumerate(values) if is_missing(value)))
    _check_written(distinct, what)
    if all(isinstance(value, int | float | np.number) for value in distinct):
        numbers = np.array(values)
        return _from_floats(numbers, what) if numbers.dtype.kind == "f" else numbers
    return column


def _check_written(labels: Iterable[Label], what: str | Sentence) -> None:
    """Raise an error for a whole number that Python refuses to write as text, as every message and result does."""
    for label in labels:
        try:
            repr(label)
        except ValueError:
            raise invalid("{what} holds {found}", what=what, found=TOO_LONG) from None


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def is_missing(value: object) -> bool:
    """Return whether a value is None, nan, NaT or pandas.NA: unequal to itself, or without a truth value."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except TypeError:
        return True


def _missing(what: str, index: int) -> ValueError:
    return ValueError(
        f"{what} has no label at position {index} (None or NaN); "
        "drop such items from truth and predictions alike, or give them a label of their own"
    )


def distinct(column: LabelArray) -> set[Label]:
    """Return the labels of a column that was validated."""
    if column.dtype.kind == "O":
        return set(map(plain, set(column)))
    return set(np.unique(column).tolist())


def _codes(column: LabelArray, known: Sequence[Label]) -> IntArray:
    """Return the position of each value in `known`, -1 if it is not there."""
    place = {label: code for code, label in enumerate(known)}
    if column.dtype.kind == "O":
        return np.fromiter((place.get(plain(v), -1) for v in column), np.int64, len(column))
    values, inverse = np.unique(column, return_inverse=True)
    return np.array([place.get(v, -1) for v in values.tolist()], dtype=np.int64)[inverse]


def plain(value: Any) -> Any:
    """Return a Python scalar for a NumPy scalar, so that labels print and serialise as the user wrote them."""
    return value.item() if isinstance(value, np.generic) else value


def against_rest(labels: Iterable[Label], positive: Label) -> tuple[Label, Label]:
    """Return the two classes of one label against the rest; the positive class comes last."""
    others = [label for label in labels if label != positive]
    return others[0] if len(others) == 1 else f"not {positive}", positive


def sorted_labels(labels: set[Label]) -> tuple[Label, ...]:
    """Return labels in order; labels that cannot be compared are sorted by type and spelling."""
    try:
        return tuple(sorted(labels))  # type: ignore[type-var]
    except TypeError:
        return tuple(sorted(labels, key=lambda label: (type(label).__name__, repr(label))))
