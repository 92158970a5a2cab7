"""Items: the output of each system for each item, for measures that cannot be computed from counts.

A row is (truth, one output per system) and the number of items it stands for. Labels are codes; where an item may have
any number of labels, a code stands for a set of them. Rows may be clustered
(sentences of one document, answers to one query), and may belong to strata with known shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray, adding
from outperform.data.keys import row_keys
from outperform.data.labels import IntArray, Label, against_rest, as_column, encode
from outperform.data.task import no_column

__all__ = ["Items"]

SPARSE = 8  # times as many possible numbers as rows, above which rows are sorted rather than marked in a table


@dataclass(frozen=True, eq=False)
class Items:
    """Rows of one test set on which all systems were run.

    Attributes
    ----------
    classifiers : tuple of str
        Names of the systems.
    truth : array of shape (rows,)
        Codes of labels, or numbers.
    outputs : tuple of arrays
        One per system, of shape (rows,) or (rows, classes).
    n : array of shape (rows,)
        How many items each row stands for.
    labels : tuple
        The classes that codes stand for.
    average : str
        What a score is computed for: the positive class (binary), all classes, or items.
    cluster, stratum : arrays of shape (rows,)
        Numbers of the cluster and the stratum of each row; empty without them.
    lone : int
        Number of strata with a single item or cluster; these were merged, because one unit gives no variance.
    sets : sparse array of shape (codes, labels), or None
        The labels that each code stands for; None if a code is a label.
    """

    classifiers: tuple[str, ...]
    truth: NDArray[Any]
    outputs: tuple[NDArray[Any], ...]
    n: FloatArray
    labels: tuple[Label, ...] = ()
    average: str = "items"
    cluster: IntArray = field(default_factory=no_column)
    stratum: IntArray = field(default_factory=no_column)
    lone: int = 0
    sets: Any = None

    @property
    def items(self) -> int:
        """Number of items."""
        return int(self.n.sum())

    @property
    def many(self) -> bool:
        """Whether there are more than two classes, or items may have any number of labels."""
        return len(self.labels) > 2 or self.sets is not None

    def labelled(self, codes: IntArray) -> Any:
        """Return the sparse matrix that sums rows by their labels, given the codes of the rows."""
        return adding(codes, len(self.labels)) if self.sets is None else self.sets[codes].T.tocsr()

    def against_rest(self, label: Label) -> Items:
        """Return one label against the rest, as two classes; the label comes last."""
        place = self.labels.index(label)
        held = np.arange(len(self.labels)) == place if self.sets is None else self.sets[:, [place]].toarray().ravel()
        truth, *outputs = (held[codes].astype(np.int64) for codes in (self.truth, *self.outputs))
        return replace(self, truth=truth, outputs=tuple(outputs), labels=against_rest(self.labels, label), sets=None)

    def grouped(self, cluster: Any = None, strata: Any = None) -> Items:
        """Return the items with clusters and strata, given by an id per row."""
        codes, strata_codes = self._numbered(cluster, "cluster"), self._numbered(strata, "strata")
        if not len(strata_codes):
            return replace(self, cluster=codes)
        if len(codes):
            _check_nested(codes, strata_codes)
        stratum, lone = _put_together(strata_codes, self.n, codes)
        return replace(self, cluster=codes, stratum=stratum, lone=lone)

    def _numbered(self, ids: Any, what: str) -> IntArray:
        if ids is None:
            return no_column()
        column = as_column(ids, what)
        if len(column) != len(self.n):
            raise ValueError(f"{what} has {len(column)} ids but there are {len(self.n)} items; give one for each")
        _, code = np.unique(encode({what: column})[1][0], return_inverse=True)
        held = _held(self._kinds(), self.n, code.ravel())
        rank = np.argsort(np.lexsort(held.T))  # numbered by content, so that the order of rows does not matter
        return rank[code.ravel()].astype(np.int64)

    def expanded(self) -> Items:
        """Return the items with one row per item."""
        rows = np.repeat(np.arange(len(self.n)), self.n.astype(np.int64))
        return self._only(rows, np.ones(len(rows)))

    def select(self, chosen: Sequence[int]) -> Items:
        """Return some of the systems, in this order."""
        return replace(
            self, classifiers=tuple(self.classifiers[k] for k in chosen), outputs=tuple(self.outputs[k] for k in chosen)
        )

    def merged(self) -> Items:
        """Return the items with identical rows merged, sorted."""
        rows, kind = self._sorted()
        if _all_differ(kind):
            return rows
        keys = np.stack([kind, *(column for column in (rows.cluster, rows.stratum) if len(column))])
        # First row of every run of equal rows; the slice handles a table without rows.
        begins = np.flatnonzero(np.append(True, (np.diff(keys) != 0).any(axis=0))[: len(kind)])
        return rows._only(begins, np.add.reduceat(rows.n, begins) if len(begins) else rows.n)

    def collapsed(self, codes: IntArray) -> Items:
        """Return one row, the first, for all that have equal codes, of shape (rows, columns); the order stays."""
        _, first, kind = np.unique(_dense(codes), return_index=True, return_inverse=True)
        order = np.argsort(first)
        return self._only(first[order], np.bincount(kind, self.n)[order].astype(np.float64))

    def in_order(self) -> Items:
        """Return rows sorted by their content and that of their clusters and strata, independent of the input order."""
        return self._sorted()[0]

    def _sorted(self) -> tuple[Items, IntArray]:
        """Return the sorted rows and the kind of each; clusters and strata are renumbered by first appearance."""
        kind = self._kinds()
        keys: list[NDArray[Any]] = [kind]
        for column in (self.cluster, self.stratum):
            if len(column):  # clusters with equal content stay separate
                keys += [column, *_held(kind, self.n, column)[column].T]
        order = np.lexsort(keys) if len(keys) > 1 else _order(kind)
        rows = self._only(order, self.n[order])
        rows = replace(rows, cluster=_by_appearance(rows.cluster), stratum=_by_appearance(rows.stratum))
        return rows, kind[order]

    def _kinds(self) -> IntArray:
        """Return the kind of each row, a number that is equal for equal rows and sorts by truth, then by outputs.

        Systems are sorted by content, so that their order does not matter. Outputs enter by rank, so that a change of
        unit does not matter either.
        """
        truth = _ranks(self.truth)[:, None]
        kinds = [_dense(np.hstack([truth, _ranks(x).reshape(len(x), -1)])) for x in self.outputs]

        def content(k: int) -> tuple[Any, ...]:
            every = np.zeros(len(kinds[k]), dtype=np.int64)
            return *_held(kinds[k], self.n, every).ravel().tolist(), self.classifiers[k]

        first, *others = sorted(range(len(kinds)), key=content)
        kind = kinds[first]
        for k in others:
            kind = kind if _all_differ(kind) else _dense(np.column_stack([kind, kinds[k]]))
        return kind

    def _only(self, rows: IntArray, n: FloatArray) -> Items:
        cluster, stratum = (column[rows] if len(column) else column for column in (self.cluster, self.stratum))
        outputs = tuple(output[rows] for output in self.outputs)
        return replace(self, truth=self.truth[rows], outputs=outputs, n=n, cluster=cluster, stratum=stratum)

    def interchangeable(self) -> bool:
        """Return whether exchanging the two systems only permutes the rows."""
        if len(self.outputs) != 2 or self.outputs[0].shape != self.outputs[1].shape:
            return False
        whole = self.expanded()
        mine, theirs = (_sum_of_marks(rows._unit_marks()) for rows in (whole, whole.select([1, 0])))
        return mine == theirs

    def _unit_marks(self) -> NDArray[np.uint64]:
        """Return a hash per row, or per cluster, independent of their numbering, of shape (units, 2)."""
        if not len(self.cluster):
            return self._marks()
        rows = replace(self, cluster=no_column())._marks()
        sums = np.zeros((int(self.cluster.max()) + 1, 2), dtype=np.uint64)
        np.add.at(sums, self.cluster, rows)
        return _mixed_again(sums)

    def _marks(self) -> NDArray[np.uint64]:
        """Return a hash of each row, two random sums of 64 bits, of shape (rows, 2)."""
        columns = [c for c in (self.truth, self.cluster, self.stratum) if len(c)]
        columns += [part for output in self.outputs for part in output.reshape(len(output), -1).T]
        lot = default_rng(0)
        mark = np.ones((len(self.n), 2), dtype=np.uint64)  # 0 would be lost in sums: a row of zeros has no bits
        for column in columns:
            bits = (column.astype(np.float64) + 0.0).view(np.uint64)  # adding 0.0 turns -0.0 into 0.0
            for k in range(2):
                mark[:, k] += _mixed(bits, _lot(lot))
        return _mixed_again(mark)


def _ranks(values: NDArray[Any]) -> IntArray:
    """Return the rank of each value among the distinct ones."""
    return np.unique(values, return_inverse=True)[1].ravel().astype(np.int64)


def _dense(columns: IntArray) -> IntArray:
    """Return the rank of each row among the distinct rows, compared column by column; the columns hold ranks."""
    key, most = row_keys(len(columns), columns.T)
    if most > SPARSE * len(key):
        return _ranks(key)
    seen = np.zeros(most, dtype=np.bool_)
    seen[key] = True
    place: IntArray = (np.cumsum(seen) - 1)[key]
    return place


def _all_differ(kind: IntArray) -> bool:
    """Return whether no two rows are of one kind."""
    return int(kind.max(initial=-1)) + 1 == len(kind)


def _order(kind: IntArray) -> IntArray:
    """Return the rows sorted by kind, those of one kind as they are."""
    if not _all_differ(kind):
        return np.argsort(kind, kind="stable")
    order = np.empty_like(kind)
    order[kind] = np.arange(len(kind))
    return order


def _held(kind: IntArray, n: FloatArray, code: IntArray) -> NDArray[np.uint64]:
    """Return the number of rows of each code and a hash of them, two random 64-bit sums, of shape (codes, 3).

    Rows of kind 0 add nothing to the sums, so that the number tells such codes apart.
    """
    lot, sums = default_rng(0), np.zeros((int(code.max(initial=-1)) + 1, 3), dtype=np.uint64)
    np.add.at(sums[:, 0], code, n.astype(np.uint64))
    for k in (1, 2):
        mark = _mixed(kind.astype(np.uint64), _lot(lot))
        np.add.at(sums[:, k], code, mark * n.astype(np.uint64))
    return sums


def _by_appearance(codes: IntArray) -> IntArray:
    """Return codes renumbered by first appearance."""
    _, first, place = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place.ravel()].astype(np.int64)


def _lot(rng: Generator) -> NDArray[np.uint64]:
    """Draw two odd numbers."""
    odd: NDArray[np.uint64] = rng.integers(2**63, size=2, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return odd


def _mixed_again(marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return marks that can be added up: a sum of plain ones would forget which numbers are of one row."""
    return _mixed(marks, _lot(default_rng(1)))


def _sum_of_marks(marks: NDArray[np.uint64]) -> tuple[int, ...]:
    """Return a hash of all units, whatever their order."""
    return tuple(marks.sum(axis=0, dtype=np.uint64).tolist())


def _mixed(bits: NDArray[np.uint64], lot: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return scrambled bits, so that equal sums of different rows are improbable."""
    mixed: NDArray[np.uint64] = bits * lot[0]
    mixed ^= mixed >> np.uint64(29)
    mixed *= lot[1]
    mixed ^= mixed >> np.uint64(32)
    return mixed


def _check_nested(cluster: IntArray, stratum: IntArray) -> None:
    """Raise an error if a cluster lies in several strata."""
    order = np.lexsort((stratum, cluster))
    same = (np.diff(cluster[order]) == 0) & (np.diff(stratum[order]) != 0)
    if same.any():
        raise ValueError(
            "a cluster has items of several strata; clusters are resampled whole, so each must lie in one stratum"
        )


def _put_together(stratum: IntArray, n: FloatArray, cluster: IntArray) -> tuple[IntArray, int]:
    """Return strata with those of a single unit merged, and the number of those."""
    held = np.bincount(stratum, n)
    if len(cluster):
        _, first = np.unique(cluster, return_index=True)
        held = np.bincount(stratum[first], minlength=len(held))
    lone = held == 1
    if not lone.any() or len(held) == 1:
        return stratum, 0
    place = np.arange(len(held))
    place[lone] = np.flatnonzero(lone)[0] if lone.sum() > 1 else np.argmin(np.where(lone, np.inf, held))
    _, numbered = np.unique(place, return_inverse=True)
    return numbered[stratum].astype(np.int64), int(lone.sum())
