"""Label sets as sparse indicator matrices, with validation, and as outcome cells; also the long format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import default_rng

from outperform.base.errors import amount, listing
from outperform.base.limits import as_array
from outperform.base.sentences import invalid
from outperform.data.cells import AnyCells, extended, recoded
from outperform.data.columns import check_order, named
from outperform.data.contingency import FloatArray
from outperform.data.diagnosis import is_blank, spelt_alike, spelt_twice
from outperform.data.keys import alike
from outperform.data.labels import IntArray, Label, as_column, as_labels, is_missing, plain, sorted_labels
from outperform.data.partition import Units
from outperform.data.relevance import Relevance
from outperform.data.task import LabelSets, OneLabel

__all__ = ["are_label_sets", "are_tags", "as_indicators", "coded_sets", "count_label_sets", "labels_of_slices"]

MOST_TABLES = 62  # one bit each in an int64
PLAIN_KINDS = tuple("biufUSMm")  # of arrays, which hold no sets: truth values, numbers, texts, times


def are_label_sets(values: Any) -> bool:
    """Return whether values are sets of labels per item or an indicator matrix, and not one label per item."""
    if _is_table(values):
        return True
    if len(getattr(values, "shape", ())) == 2:
        return False
    if isinstance(values, Mapping | str) or not hasattr(values, "__len__"):
        return False
    if getattr(getattr(values, "dtype", None), "kind", "") in PLAIN_KINDS:
        return False
    try:
        few = _plain(values[:1000])  # the first items show how all are given
    except (TypeError, KeyError):
        return False
    tuples = {len(row) for row in few if isinstance(row, tuple)}  # tuples of one length are labels themselves
    return len(tuples) > 1 or any(isinstance(row, Set | list) for row in few)


def are_tags(values: Any) -> bool:
    """Return whether values are lists of tags, one per token, and not label sets: O next to B-PER."""
    if not are_label_sets(values) or _is_table(values):
        return False
    rows = [row for row in _plain(values)[:1000] if isinstance(row, list | tuple | np.ndarray)]
    seen = {str(tag) for row in rows for tag in row if isinstance(tag, str)}
    return "O" in seen and any(tag[1:2] == "-" and tag[0] in "BIESULM" for tag in seen)


def as_indicators(tables: Mapping[str, Any], labels: Sequence[Label] | None) -> tuple[tuple[Label, ...], list[Any]]:
    """Return the names of the labels and sparse matrices, items × labels, of truth and predictions.

    The keys of `tables` are their names in messages: "truth", "classifier 'nb'".
    """
    from scipy.sparse import csr_array

    tables = {what: _plain(table) for what, table in tables.items()}
    sets = {what: not _is_matrix(table, what) for what, table in tables.items()}
    if len(set(sets.values())) > 1:
        mixed = [next(what for what, is_set in sets.items() if is_set is kind) for kind in (True, False)]
        raise ValueError(f"{mixed[0]} is given as label sets and {mixed[1]} as an indicator matrix; give both alike")
    if all(sets.values()):
        known, columns = _from_sets(tables, labels)
        items = {what: len(table) for what, table in tables.items()}
        bits = [
            csr_array((np.ones(len(r), dtype=bool), (r, c)), shape=(items[w], len(known)))
            for w, (r, c) in columns.items()
        ]
    else:
        matrices = {what: _matrix(table, what) for what, table in tables.items()}
        known, bits = _column_names(tables, matrices, labels), list(matrices.values())
    _check_same_items(dict(zip(tables, bits, strict=True)), declared=labels is not None)
    return known, bits


def count_label_sets(
    kind: type[AnyCells], truth: Any, predictions: Mapping[str, Any], labels: Iterable[Label] | None, *, by_item: bool
) -> AnyCells:
    """Return the counts of outcomes per label, or with `by_item` of kinds of item."""
    columns = named(truth, predictions)
    check_order(columns)
    groups, bits = as_indicators(columns, as_labels(labels))
    place, outcome, n, units = _count_items(bits) if by_item else (*_count_outcomes(bits), None)
    true, *codes = (outcome >> np.arange(len(bits))[:, None]) & 1
    task = LabelSets(groups, place, Relevance.of_sets(bits)) if units is None else OneLabel()
    partition = None if units is None else Units(place, units)
    names, guesses = tuple(map(str, predictions)), np.stack(codes, axis=1)
    return kind(names, (False, True), true, guesses, n, task, partition).merged()


def coded_sets(
    truth: Any, predictions: Mapping[str, Any], labels: Iterable[Label] | None
) -> tuple[tuple[Label, ...], Any, list[IntArray]]:
    """Return the labels, the sparse matrix from codes of sets to labels, and codes of the truth and all predictions.

    Equal sets have one code, found by two random 64-bit sums of their labels.
    """
    from scipy.sparse import vstack

    known, bits = as_indicators(named(truth, predictions), as_labels(labels))
    every = vstack(bits).tocoo()
    lot = default_rng(0).integers(2**64, size=(len(known), 2), dtype=np.uint64)
    mark = np.zeros((every.shape[0], 2), dtype=np.uint64)
    np.add.at(mark, every.row, lot[every.col])
    first, code = alike(mark)
    return known, every.tocsr()[first].astype(np.float64), np.split(code, len(bits))


def _count_outcomes(bits: Sequence[Any]) -> tuple[IntArray, IntArray, FloatArray]:
    """Count outcomes per label: label, outcome, n. Bit k of an outcome says whether table k has the label.

    Only stored entries of the sparse matrices are visited.
    """
    items, labels = bits[0].shape
    seen, _, place, outcome = _outcomes(bits)
    table = _table(place, outcome, labels, len(seen))
    # Outcome 0 (no table has the label) is not stored in the sparse matrices: it is the rest.
    table[:, 0] = items - table[:, 1:].sum(axis=1)
    group, which = np.nonzero(table)
    return group.astype(np.int64), seen[which], table[group, which].astype(np.float64)


def _count_items(bits: Sequence[Any]) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Count kinds of item: kind, outcome, labels with that outcome in all items of the kind; and items per kind."""
    items, labels = bits[0].shape
    seen, place, _, outcome = _outcomes(bits)
    table = _table(place, outcome, items, len(seen))
    # As above, per item: the labels that no table has.
    table[:, 0] = labels - table[:, 1:].sum(axis=1)
    rows, which = np.unique(table, axis=0, return_inverse=True)
    often = np.bincount(which.ravel(), minlength=len(rows)).astype(np.float64)
    kind, which = np.nonzero(rows)
    return kind.astype(np.int64), seen[which], rows[kind, which] * often[kind], often


def _outcomes(bits: Sequence[Any]) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the distinct outcomes, the first of them 0, and the item, the label and the outcome of each entry.

    Bit k of an outcome belongs to table k; entries that are 0 in all tables are not listed.
    """
    if len(bits) > MOST_TABLES:
        raise ValueError(f"at most {MOST_TABLES - 1} systems of label sets can be counted at once, got {len(bits) - 1}")
    total: Any = sum(np.int64(2**k) * table.astype(np.int64) for k, table in enumerate(bits)).tocoo()
    seen, outcome = np.unique(np.append(0, total.data.astype(np.int64)), return_inverse=True)
    return seen, total.row.astype(np.int64), total.col.astype(np.int64), outcome.ravel()[1:].astype(np.int64)


def _table(place: IntArray, outcome: IntArray, places: int, outcomes: int) -> IntArray:
    """Return how often each outcome occurs in each place."""
    counted = np.bincount(place * outcomes + outcome, minlength=places * outcomes)
    return counted.reshape(places, outcomes).astype(np.int64)


def _is_table(values: Any) -> bool:
    """Return whether values have rows and columns: an array, a sparse array, a dataframe."""
    return hasattr(values, "tocoo") or (len(getattr(values, "shape", ())) == 2 and values.shape[1] > 1)


def _plain(table: Any) -> Any:
    """Return a column of an array or dataframe library as a list."""
    for way in ("to_list", "to_pylist", "tolist"):
        if hasattr(table, way) and not _is_table(table):
            return getattr(table, way)()
    return table


def _is_matrix(table: Any, what: str) -> bool:
    """Return whether a table is an indicator matrix; nested lists are one if a row repeats an entry."""
    if _is_table(table):
        return True
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise ValueError(f"{what} must be an indicator matrix or hold a set of labels for each item")
    for index, row in enumerate(table):
        if isinstance(row, str) or not isinstance(row, Iterable):
            raise TypeError(f"{what} holds {row!r} at position {index}; give a set of labels for each item")
    lists = [row for row in table if isinstance(row, list)]
    if not lists or not {value for row in lists for value in row} <= {0, 1}:
        return False
    if any(len(set(row)) < len(row) for row in lists):
        return True
    raise ValueError(
        f"{what} is a list of lists of 0 and 1, which may be an indicator matrix or label sets; "
        "give np.array(…) for the one or sets for the other"
    )


def _from_sets(
    tables: Mapping[str, Any], labels: Sequence[Label] | None
) -> tuple[tuple[Label, ...], dict[str, tuple[IntArray, IntArray]]]:
    for what, table in tables.items():
        twice = next((row for row in table if isinstance(row, list) and len(set(row)) < len(row)), None)
        if twice is not None:
            raise ValueError(
                f"{what} holds {listing(twice, 6)}, in which a label comes twice; give each label once "
                "(tags of sentences go to op.Counts.from_chunks)"
            )
    tables = {what: [set(map(plain, row)) for row in table] for what, table in tables.items()}
    found = {what: set().union(*table) for what, table in tables.items()}
    for what, used in found.items():
        as_column(list(used), what)  # raises an error for what is not a label
    known = tuple(dict.fromkeys(map(plain, labels))) if labels is not None else sorted_labels(found["truth"])
    place = {label: k for k, label in enumerate(known)}
    for what, used in found.items():
        alien = sorted_labels(used - place.keys())
        if alien:
            where = "the labels" if labels is not None else "the truth, which has"
            wrong = f"{what} has the label {listing(alien, 3)}, which is not in {where} {listing(known, 6)}"
            blank = "it reads as no label: leave it out of its set, or " if any(map(is_blank, alien)) else ""
            advice = blank or spelt_alike(alien, place) or "correct it, or "
            raise invalid("{wrong}; {advice}list every label with {labels} if it is meant", wrong=wrong, advice=advice)
    if labels is None:
        _check_known(known)
    columns = {}
    for what, table in tables.items():
        pairs = [(index, place[label]) for index, row in enumerate(table) for label in row]
        row, column = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        columns[what] = (row, column)
    return known, columns


def _check_known(known: Sequence[Label]) -> None:
    """Raise an error for labels of the truth that are probably missing, or spelt in two ways."""
    blank = next((label for label in known if is_blank(label)), None)
    if blank is not None:
        raise invalid(
            "the truth has the label {blank}, which reads as no label; leave it out of its set, or list every "
            "label with {labels} if it is one",
            blank=listing([blank]),
        )
    if sentence := spelt_twice(known):
        raise ValueError(sentence)


def _matrix(table: Any, what: str) -> Any:
    from scipy.sparse import csr_array

    if not hasattr(table, "tocoo"):
        widths = {len(row) for row in table} if not hasattr(table, "shape") else set()
        if len(widths) > 1:
            first = len(table[0])
            index = next(k for k, row in enumerate(table) if len(row) != first)
            raise ValueError(
                f"{what} has {len(table[index])} values in row {index} and {first} in row 0; give one per label"
            )
        table = as_array(table)
        if table.dtype.kind not in "biuf":
            with suppress(TypeError, ValueError):
                table = table.astype(np.float64)  # frames may hold numbers as objects
    else:
        table = table.tocoo()
    values = np.asarray(table.data if hasattr(table, "tocoo") else table)
    if values.dtype.kind not in "biuf" or not ((values == 0) | (values == 1)).all():
        values = np.unique(values) if values.dtype.kind in "biuf" else values.ravel()
        wrong = next(v for v in values.tolist() if is_missing(v) or v not in (0, 1))
        shown = f"{wrong:g}" if isinstance(wrong, float) else repr(wrong)
        raise ValueError(
            f"{what} holds {shown}; an indicator matrix holds 0 and 1: turn probabilities into labels first, "
            "for example P >= 0.5"
        )
    return csr_array(table if hasattr(table, "tocoo") else table != 0, dtype=bool)


def _column_names(
    tables: Mapping[str, Any], matrices: Mapping[str, Any], labels: Sequence[Label] | None
) -> tuple[Label, ...]:
    """Return the names of the labels: as given, as in a dataframe, or numbered; all tables must agree."""
    known: tuple[Label, ...] | None = None if labels is None else tuple(labels)
    for what, table in tables.items():
        names = tuple(table.columns) if hasattr(table, "columns") else None
        if known is None:
            known = names
        elif names is not None and names != known:
            raise ValueError(f"the columns of {what} are {listing(names, 6)}, where {listing(known, 6)} are expected")
    known = tuple(map(plain, range(matrices["truth"].shape[1]) if known is None else known))
    if len(set(known)) < len(known):
        raise ValueError(f"two labels have the same name: {listing(known, 6)}; name each once")
    for what, matrix in matrices.items():
        if matrix.shape[1] != len(known):
            raise ValueError(f"{what} has {matrix.shape[1]} columns for {len(known)} labels; give one column per label")
    return known


def _check_same_items(bits: Mapping[str, Any], *, declared: bool) -> None:
    items = bits["truth"].shape[0]
    for what, table in bits.items():
        if table.shape[0] != items:
            raise ValueError(f"{what} has {table.shape[0]} items but truth has {items}; give one row per test item")
    if items == 0:
        raise ValueError("there are no items; give at least one row of labels and its predictions")
    if bits["truth"].nnz == 0 and not declared:
        raise invalid(
            "the truth has no label anywhere; add items that have one, or list all labels with {labels} if these "
            "are a part of them"
        )


def labels_of_slices(cells: AnyCells, items: int | None) -> AnyCells:
    """Return a multi-label task in which each slice is a label; rows that are missing have no label."""
    if not cells.slices:
        raise ValueError(
            "the long format needs by=, the column that names the label of each row; these counts have none"
        )
    if not set(cells.labels) <= {0, 1}:
        raise ValueError(f"in the long format the truth is 0 or 1 for each item and label; got {listing(cells.labels)}")
    rows = np.bincount(cells.part, cells.n, len(cells.slices)).astype(np.float64)
    most = rows.max() if items is None else items
    if rows.max() > most or (items is None and rows.min() < most):
        odd = int(np.argmin(rows) if items is None else np.argmax(rows))
        raise ValueError(
            f"the label {cells.slices[odd]!r} has {amount(rows[odd])} rows where there are {amount(most)} items; "
            "give a row for each item and label, or say with items= how many items there are"
        )
    every = np.arange(len(cells.slices))
    nobody = np.zeros((len(every), 1 + len(cells.classifiers)), dtype=np.int64)
    task = LabelSets(cells.slices, np.concatenate([cells.part, every]))
    plain = replace(recoded(cells, (False, True)), partition=None, declared=True, weighed=None, effect=1.0)
    return extended(plain, nobody, most - rows, task).merged()
