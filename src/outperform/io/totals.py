"""Files of totals: gold, predicted and correct items, per system and fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outperform.base.errors import DataError, listing
from outperform.base.sentences import Sentence
from outperform.data.counts import Counts, Fold
from outperform.io.files import Columns
from outperform.io.tables import read

__all__ = ["read_totals"]

TOTALS = ("gold", "predicted", "correct")
CELLS = ("tp", "fp", "fn")


def read_totals(
    path: str, *, system: str, systems: Sequence[str] | None = None, where: Mapping[str, str] | None = None
) -> Counts:
    """Read totals of two systems, or of any number, which cannot be paired.

    Parameters
    ----------
    path : str
        A file with a column that names the system, and columns gold, predicted and correct, or tp, fp and fn. Columns
        repetition and fold where it is a cross-validation.
    system : str
        The column of the systems' names.
    systems : sequence of str
        Which of them, in this order; by default all.
    where : mapping from column to value
        Only rows that have this value.
    """
    columns = read(path)
    rows = _chosen(columns, dict(where or {}))
    names = [str(name) for name in columns.column(system)]
    known = list(dict.fromkeys(names[k] for k in rows))
    for name in systems or ():
        if name not in known:
            raise DataError(f"{columns.source} has no {name!r} in column {system!r}; it has {listing(known, 30)}")
    totals = {name: _by_fold(columns, [k for k in rows if names[k] == name], name) for name in systems or known}
    folds = _same_folds(columns.source, totals)
    table = {name: [by_fold[fold] for fold in folds] for name, by_fold in totals.items()}
    if folds == [None]:
        return Counts.from_totals({name: rows[0] for name, rows in table.items()})
    return Counts.from_totals(table, folds=[fold for fold in folds if fold is not None])


def _chosen(columns: Columns, where: Mapping[str, str]) -> list[int]:
    rows = list(range(len(columns.lines)))
    for name, value in where.items():
        column = columns.column(name)
        rows = [k for k in rows if str(column[k]) == value]
        if not rows:
            raise DataError(
                f"{columns.source} has no row with {value!r} in column {name!r}; "
                f"it has {listing(dict.fromkeys(map(str, column)), 30)}"
            )
    return rows


def _by_fold(columns: Columns, rows: Sequence[int], name: str) -> dict[Fold | None, tuple[float, float, float]]:
    """Totals of one system: gold, predicted, correct."""
    form = TOTALS if TOTALS[0] in columns.values else CELLS
    if form[0] not in columns.values:
        raise DataError(
            f"{columns.source} has neither columns {listing(TOTALS)} nor {listing(CELLS)}; "
            f"it has {listing(columns.values, 30)}"
        )
    found: dict[Fold | None, tuple[float, float, float]] = {}
    for k in rows:
        first, second, third = (_number(columns, column, k) for column in form)
        fold = _fold(columns, k)
        if fold in found:
            where = ", and there is no column fold" if fold is None else f" for repetition {fold[0]}, fold {fold[1]}"
            twice = f"{columns.source}, line {columns.lines[k]}: {name!r} has a second row{where}"
            raise DataError(Sentence("{twice}; choose the rows by another column, as in {where:task=ner}", twice=twice))
        found[fold] = (first, second, third) if form is TOTALS else (first + third, first + second, first)
    return found


def _fold(columns: Columns, k: int) -> Fold | None:
    if "fold" not in columns.values:
        return None
    repetition = _number(columns, "repetition", k) if "repetition" in columns.values else 1
    return int(repetition), int(_number(columns, "fold", k))


def _number(columns: Columns, name: str, k: int) -> float:
    value: Any = columns.column(name)[k]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if number < 0 or not number.is_integer():
        raise DataError(
            f"{columns.source}, line {columns.lines[k]}: {value!r} in column {name!r}; a whole number is expected"
        )
    return number


def _same_folds(source: str, totals: Mapping[str, Mapping[Fold | None, Any]]) -> list[Fold | None]:
    """The folds, which every system must have."""
    (first, folds), *others = totals.items()
    for name, other in others:
        for one, two, missing in (
            (name, first, folds.keys() - other.keys()),
            (first, name, other.keys() - folds.keys()),
        ):
            fold = min((fold for fold in missing if fold is not None), default=None)
            if fold is not None:
                raise DataError(
                    f"{source} has no row of {one!r} for repetition {fold[0]}, fold {fold[1]}, where {two!r} has one; "
                    "every fold needs all systems"
                )
    return list(folds)
