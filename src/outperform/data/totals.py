"""Totals of gold, predicted and correct items, as outcome cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outperform.data.cells import AnyCells
from outperform.data.columns import called, check_mapping
from outperform.data.contingency import FloatArray
from outperform.data.joining import side_by_side
from outperform.data.partition import Fold, Folds
from outperform.data.task import Chunks

__all__ = ["count_totals"]


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
