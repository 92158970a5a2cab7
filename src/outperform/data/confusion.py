"""What papers print, as outcome cells: confusion matrices, and totals of gold, predicted and correct items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from outperform.base.errors import listing
from outperform.base.limits import as_array
from outperform.base.sentences import invalid
from outperform.data.cells import AnyCells, Cells
from outperform.data.columns import called, check_mapping
from outperform.data.contingency import FloatArray
from outperform.data.joining import side_by_side
from outperform.data.labels import IntArray, Label, as_labels, plain
from outperform.data.partition import Fold, Folds
from outperform.data.task import Chunks

__all__ = ["count_matrices", "count_totals"]


def count_matrices(kind: type[AnyCells], matrices: Mapping[str, Any], labels: Iterable[Label] | None) -> AnyCells:
    """Return the counts of classifiers given as confusion matrices of the same classes."""
    check_mapping(matrices)
    given = as_labels(labels)
    tables = [_counted(kind, str(name), matrix, given) for name, matrix in matrices.items()]
    for table in tables[1:]:
        _check_same_labels(tables[0], table)
    return side_by_side(tables)


def _counted(kind: type[AnyCells], name: str, matrix: Any, labels: Sequence[Label] | None) -> AnyCells:
    """Read a matrix given as an array, a SciPy sparse array, nested lists or a dataframe that names its classes."""
    what = called(name)
    named = _names(matrix, what)
    if labels is not None and named is not None and list(named) != list(labels):
        found = f"the classes of {what} are {listing(named)}"
        raise invalid("{found}, but {labels} says {given}", found=found, given=listing(labels))
    shape, truth, predicted, n = _cells(matrix, what)
    names = list(map(plain, labels if labels is not None else named if named is not None else range(shape[0])))
    if len(names) != shape[0]:
        raise ValueError(f"{what} has {shape[0]} classes but {len(names)} labels")
    if len(set(names)) < len(names):
        raise ValueError(f"{what} has two classes of the same name; name each once")
    _check_counts(n, what)
    keep = n > 0
    empty = np.setdiff1d(np.arange(shape[0]), truth[keep])
    if len(empty):
        predicted_too = np.isin(predicted[keep], empty).any()
        advice = "merge the class with another" if predicted_too else "leave the class out of the matrix"
        raise ValueError(
            f"{what} has no items of class {listing([names[k] for k in empty], 4)} (its row is all 0); "
            f"{advice}, or add items of it"
        )
    return kind((name,), tuple(names), truth[keep], predicted[keep, None], n[keep])


def _check_same_labels(first: Cells, other: Cells) -> None:
    """Check that two matrices have the same classes in the same order."""
    one, two = called(first.classifiers[0]), called(other.classifiers[0])
    if len(other.labels) != len(first.labels):
        raise ValueError(
            f"{one} has {len(first.labels)} classes and {two} has {len(other.labels)}; they must be the same"
        )
    if other.labels != first.labels:
        raise ValueError(
            f"the classes of {one} are {listing(first.labels, 6)} and those of {two} are {listing(other.labels, 6)}; "
            "bring both matrices into the same order of the same classes"
        )


def _names(matrix: Any, what: str) -> tuple[Label, ...] | None:
    """Return the names of the classes of a dataframe; None for other matrices."""
    if not (hasattr(matrix, "index") and hasattr(matrix, "columns")):
        return None
    rows, columns = tuple(matrix.index), tuple(matrix.columns)
    if rows != columns:
        raise ValueError(f"the rows of {what} are called {listing(rows, 6)} and its columns {listing(columns, 6)}")
    return rows


def _cells(matrix: Any, what: str) -> tuple[tuple[int, ...], IntArray, IntArray, FloatArray]:
    """Return shape, rows, columns and values of all cells, or of the stored cells of a sparse array."""
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        shape, row, column, values = sparse.shape, sparse.row, sparse.col, sparse.data
    else:
        dense = as_array(matrix)
        if dense.dtype.kind not in "biuf":
            raise ValueError(f"{what} must be a square table of numbers, with a row for each true class")
        shape, values = dense.shape, dense.ravel()
        row, column = np.divmod(np.arange(dense.size), shape[-1] if shape else 1)
    _check_shape(shape, what)
    return shape, row.astype(np.int64), column.astype(np.int64), values.astype(np.float64)


def _check_shape(shape: tuple[int, ...], what: str) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        size = " × ".join(map(str, shape)) or "a single number"
        raise ValueError(f"{what} is {size}; a confusion matrix is square, with a row and a column for each class")
    if shape[0] < 2:
        raise ValueError(f"{what} has a single class; a confusion matrix has two or more")


def _check_counts(n: FloatArray, what: str) -> None:
    if not np.isfinite(n).all() or (n < 0).any():
        wrong = float(n[int(np.argmin(np.isfinite(n) & (n >= 0)))])
        raise ValueError(f"{what} holds {wrong:g}; counts are finite and not negative")
    if (n != np.floor(n)).any():
        wrong = float(n[int(np.argmax(n != np.floor(n)))])
        raise ValueError(f"{what} holds {wrong:g}, which is not a number of items; give counts, not shares or rates")


def count_totals(kind: type[AnyCells], totals: Mapping[str, Any], folds: Sequence[Fold]) -> AnyCells:
    """Return the counts of classifiers given as totals, per fold where there are folds."""
    check_mapping(totals)
    folds = _check_folds(folds)
    tables = []
    for name, rows in totals.items():
        cells = _check_totals(rows, called(name), folds)
        truth, guess = (np.tile(column, len(cells)) for column in ([1, 0, 1], [1, 1, 0]))
        partition = Folds(np.repeat(np.arange(len(cells)), 3), folds) if folds else None
        counted = kind((str(name),), (False, True), truth, guess[:, None], cells.ravel(), Chunks(), partition)
        tables.append(counted.merged())
    return side_by_side(tables)


def _check_folds(folds: Any) -> tuple[Fold, ...]:
    """Validate (repetition, fold) pairs, each given once."""
    table = np.asarray(folds)
    if len(table) and (table.ndim != 2 or table.shape[1] != 2 or table.dtype.kind not in "iu"):
        raise ValueError(f"folds holds {folds[0]!r}; give (repetition, fold) for each row, as in (1, 2)")
    known = [(int(repetition), int(fold)) for repetition, fold in table.tolist()]
    for k, (repetition, fold) in enumerate(known):
        if known.index((repetition, fold)) < k:
            raise ValueError(f"repetition {repetition}, fold {fold} comes twice; give every fold once")
    return tuple(known)


def _check_totals(rows: Any, what: str, folds: Sequence[Fold]) -> FloatArray:
    """Return true positives, false positives and false negatives, from rows of gold, predicted and correct."""
    try:
        table = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} has totals that are not numbers; give gold, predicted and correct") from None
    if table.ndim == 1 and not len(folds):
        table = table[None]
    if table.ndim != 2 or table.shape[1] != 3 or len(table) != (len(folds) or 1):
        wanted = f"one row for each of {len(folds)} folds" if len(folds) else "three numbers"
        raise ValueError(f"{what} has totals of shape {np.shape(rows)}; give {wanted}: gold, predicted, correct")
    for k, (gold, predicted, correct) in enumerate(table.tolist()):
        where = f"{what}, repetition {folds[k][0]}, fold {folds[k][1]}" if len(folds) else what
        if not (np.isfinite(table[k]).all() and (table[k] >= 0).all() and (table[k] == np.floor(table[k])).all()):
            raise ValueError(f"{where} holds {gold:g}, {predicted:g}, {correct:g}; counts are whole and not negative")
        for name, total in (("predicted", predicted), ("gold", gold)):
            if correct > total:
                raise ValueError(
                    f"{where} has {correct:g} correct of {total:g} {name}; no more can be correct than there are"
                )
    if table.sum() == 0:
        raise ValueError(f"{what} has nothing gold and nothing predicted; there is nothing to compare")
    gold_, predicted_, correct_ = table.T
    return np.column_stack([correct_, predicted_ - correct_, gold_ - correct_])
