"""Labels as outcome cells: rows are tallied, and tallied values are coded; missing labels are rejected or dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import amount, check_apart, check_known
from outperform.base.sentences import invalid
from outperform.data.cells import AnyCells
from outperform.data.columns import (
    called,
    check_either,
    check_order,
    check_same_rows,
    check_sizes,
    label_columns,
    named,
)
from outperform.data.diagnosis import is_blank
from outperform.data.labels import Label, as_column, encode, is_missing
from outperform.data.partition import Slices
from outperform.data.tally import Tally, moments

__all__ = ["count_tally", "tally_labels", "without_blanks"]

MISSING = ("raise", "drop")


def tally_labels(truth: Any, predictions: Mapping[str, Any], n: Any, weights: Any, by: Any) -> Tally:
    """Count the rows of columns of labels, `n` times or by weight; the column of slices is the last."""
    check_order({**named(truth, predictions), "by": by, "n": n, "weights": weights})
    columns = label_columns(truth, predictions)
    if by is not None:
        columns["by"] = as_column(by, "by")
    check_either(n, weights)
    rows, often = check_same_rows(columns, "one label and its predictions"), None
    if n is not None:
        often = check_sizes(n, rows, whole=True)
    elif weights is not None:
        often = moments(check_sizes(weights, rows, whole=False))
    return Tally.of(list(columns.values()), often)


def count_tally(
    kind: type[AnyCells],
    tally: Tally,
    classifiers: Iterable[str],
    labels: Iterable[Label] | None,
    *,
    by: int = 0,
    missing: str = "raise",
) -> AnyCells:
    """Read the values of a tally as labels of the truth and of each classifier; the last `by` columns are slices."""
    names = tuple(map(str, classifiers))
    check_apart(names)
    columns = ["truth", *map(called, names)]
    complete = _complete(tally, [*columns, *["by"] * by], missing)
    if not len(complete.n):
        raise ValueError("there are no items; give at least one label and its predictions")
    split = len(columns)
    used = [np.unique(column, return_inverse=True) for column in complete.codes.T]
    values = [[complete.values[k][code] for code in seen.tolist()] for k, (seen, _) in enumerate(used)]
    known, codes = encode(
        {what: as_column(column, what) for what, column in zip(columns, values[:split], strict=True)}, labels
    )
    true, *guesses = (code[inverse] for code, (_, inverse) in zip(codes, used[:split], strict=True))
    return kind(
        names,
        known,
        true,
        np.stack(guesses, axis=1),
        complete.n,
        partition=_slices(values[split:], [inverse for _, inverse in used[split:]]) if by else None,
        declared=labels is not None,
        left_out=tally.rows - complete.rows,
        weighed=complete.weighed,
    ).merged()


def without_blanks(tally: Tally, labels: Iterable[Label] | None, by: int = 0) -> Tally:
    """Replace texts that mean a missing label by None; in the last `by` columns (slices) only the empty text does."""
    split, declared = len(tally.values) - by, frozenset(labels or ())

    def there(value: Any, column: int) -> bool:
        return not (is_missing(value) or value == "" or (column < split and is_blank(value, declared)))

    values = [tuple(value if there(value, k) else None for value in column) for k, column in enumerate(tally.values)]
    return replace(tally, values=tuple(values))


def _complete(tally: Tally, columns: Sequence[str], missing: str) -> Tally:
    """Return the rows that have a value in every column."""
    check_known("treatment of missing labels", missing, MISSING)
    gaps = np.stack([np.isin(codes, _nothing(tally, k)) for k, codes in enumerate(tally.codes.T)], axis=1)
    if not gaps.any():
        return tally
    if missing == "raise":
        worst = int(np.argmax(gaps.T @ tally.n))
        rows = float(tally.n[gaps[:, worst]].sum())
        found = f"no label in {amount(rows)} of {amount(tally.rows)} rows (empty, NaN, NA, null or None)"
        advice = "give them a label of their own, or list every class with {labels} if one of these is a class"
        raise invalid("{what} has {found}; {leave_out}, " + advice, what=columns[worst], found=found)
    kept = ~gaps.any(axis=1)
    weighed = None if tally.weighed is None else tally.weighed[:, kept]
    return replace(tally, codes=tally.codes[kept], n=tally.n[kept], weighed=weighed)


def _nothing(tally: Tally, column: int) -> list[int]:
    return [code for code, value in enumerate(tally.values[column]) if value is None]


def _slices(values: Sequence[list[Any]], inverses: Sequence[NDArray[Any]]) -> Slices:
    """Return the slice of each combination and the sorted names of the slices."""
    known, codes = zip(*(encode({"by": as_column(column, "by")}) for column in values), strict=True)
    columns = [code[0][inverse] for code, inverse in zip(codes, inverses, strict=True)]
    for labels in known:
        check_apart(labels, "slices")
    if len(columns) == 1:
        return Slices(columns[0], known[0])
    pairs, part = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    names = [", ".join(str(column[k]) for column, k in zip(known, pair, strict=True)) for pair in pairs.tolist()]
    ordered = sorted(set(names))  # sorted as in Slices.joined, so that counting in parts gives the same order
    if len(ordered) < len(names):
        raise ValueError(f"two slices would both be called {max(names, key=names.count)!r}; rename their values")
    place = {name: k for k, name in enumerate(ordered)}
    return Slices(np.array([place[name] for name in names])[part.ravel()], tuple(ordered))
