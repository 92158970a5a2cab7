"""Block-regularised m×2 cross-validation: halves of the data that overlap equally and are alike in their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import KW_ONLY, dataclass
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.random import Generator, RandomState, default_rng
from numpy.typing import NDArray

from outperform.base.errors import need
from outperform.base.limits import is_whole
from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray

__all__ = ["BlockCV", "length", "orthogonal_array"]

ORDERS = (4, 8, 12, 16, 20, 24, 32)  # Hadamard matrices that doubling and Paley's first construction give
MOST = ORDERS[-1] - 1
TRIES, CANDIDATES = 200, 100  # exchanges that are tried, and items of a block that are looked at for one
KINDS = 1000  # classes of which groups are balanced one by one; rarer ones count as one class


@dataclass(frozen=True, eq=False, repr=False)
class BlockCV:
    """Block-regularised m×2 cross-validation, a splitter for scikit-learn.

    The items are dealt to 4, 8, 12 … equal blocks. In each of m repetitions one half of the blocks is trained on and
    the other tested on, and then the reverse; an orthogonal array says which. So every training set has half of the
    items, any two of different repetitions share a quarter of all items (give or take what does not divide), and
    every item is tested m times. That makes estimates vary less than with m random halvings.

    Blocks are alike in their labels: those of a class differ by at most one item between blocks, and so do the
    sizes of the blocks. The items of a class that has fewer items than there are blocks go to different blocks, and
    some training sets may lack it.

    Parameters
    ----------
    m : int
        Repetitions, 1 to 31; there are 2m splits. Up to 3 need 4 blocks, up to 7 need 8, up to 11 need 12, up to
        15 need 16, up to 19 need 20, up to 23 need 24, and more need 32.
    units : array, nested lists, mapping, or one mapping per item, optional
        Items × kinds of unit, such as entities of each type in a sentence. The number of units of each kind is made
        as equal between blocks as it can be while sizes differ by at most one item. `y` is then not looked at.
    random_state : int, Generator, RandomState, optional
        With an int every call of `split` gives the same splits.

    Notes
    -----
    What is balanced depends on `y` where there are no units. One label per item: classes. An array of whole numbers
    with a column for each label: as units. Numbers with fractions and sequences of tags: equal sizes only.

    With groups, a group is never divided. Sizes and labels are then as equal as whole groups were found to allow.

    References
    ----------
    Wang & Li (2019), Bayes test of precision, recall, and F1 measure for comparison of two natural language
    processing models, ACL, section 2.2. Wang et al. (2017), Block-regularized m×2 cross-validated estimator of the
    generalization error, Neural Computation 29(2).

    Examples
    --------
    >>> cv = BlockCV(m=3, random_state=0)
    >>> y = ["ham"] * 8 + ["spam"] * 4
    >>> [(len(train), len(test)) for train, test in cv.split(y, y)]
    [(6, 6), (6, 6), (6, 6), (6, 6), (6, 6), (6, 6)]
    """

    m: int = 3
    _: KW_ONLY
    units: Any = None
    random_state: Any = None

    def __post_init__(self) -> None:
        if not _is_count(self.m) or not 1 <= self.m <= MOST:
            raise ValueError(f"m must be a whole number from 1 to {MOST}, got {self.m!r}")
        _check_random_state(self.random_state)

    def __repr__(self) -> str:
        values = {"m": self.m, "random_state": self.random_state, "units": self.units}
        shown = (f"{name}={' '.join(shortened(value).split())}" for name, value in values.items())
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return next(order for order in ORDERS if order > self.m)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Positions of training and test items: repetition 1 fold 1, repetition 1 fold 2, repetition 2 fold 1 …

        Parameters
        ----------
        X : array, frame, sparse matrix or list
            The items; only their number matters.
        y : labels, optional
            What is balanced where there are no units.
        groups : one value per item, optional
            Items of one group are never trained on and tested on in the same split.
        """
        return _halves(self._block_of_each(length(X, "X"), y, groups), orthogonal_array(self.m))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Two for each repetition."""
        return 2 * int(self.m)

    def get_metadata_routing(self) -> Any:
        """Ask scikit-learn for `groups` where metadata are routed."""
        request = need("sklearn.utils.metadata_routing", "sklearn").MetadataRequest(owner=type(self).__name__)
        request.split.add_request(param="groups", alias=True)
        return request

    def _block_of_each(self, items: int, y: Any, groups: Any) -> IntArray:
        """The block of each item."""
        self._check_enough(items, "items")
        for what, values in (("y", y), ("groups", groups)):
            if values is not None and length(values, what) != items:
                raise ValueError(f"{what} has {length(values, what)} items but X has {items}; give one for each item")
        units = _units_of(y) if self.units is None else _as_units(self.units, items)
        classes = _classes_of(y) if units is None else None
        if classes is None:
            classes = np.zeros(items, dtype=np.int64)
        rng = _generator(self.random_state)
        names = rng.permutation(self.blocks)  # no block is special
        if groups is not None:
            group = _groups(groups)
            self._check_enough(int(group.max()) + 1, "groups")
            return names[_deal_groups(_sums(group, classes, units), self.blocks, rng)][group]
        if units is not None:
            return names[_deal_units(_scaled(units), self.blocks, rng)]
        return names[_deal_classes(classes, self.blocks, rng)]

    def _check_enough(self, n: int, what: str) -> None:
        if n < self.blocks:
            advice = "; give more, or a smaller m" if self.blocks > ORDERS[0] else "; give more"
            raise ValueError(
                f"BlockCV(m={self.m}) makes {self.blocks} blocks and needs at least {self.blocks} {what}, "
                f"got {n}{advice}"
            )


def length(values: Any, what: str) -> int:
    """Number of items of an array, a sparse matrix, a frame or a list."""
    shape = getattr(values, "shape", None)
    if shape:
        return int(shape[0])
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise TypeError(f"{what} must hold one entry for each item, got {type(values).__name__}; give an array or list")
    return len(values)


def orthogonal_array(m: int) -> NDArray[np.bool_]:
    """Blocks × repetitions: whether a block is in the first half. Any two columns have each pair equally often."""
    order = next(order for order in ORDERS if order > m)
    return _hadamard(order)[:, 1 : m + 1] > 0


def _hadamard(order: int) -> IntArray:
    """Rows of +1 and -1, orthogonal to each other; the first column is +1 throughout."""
    if order == 1:
        return np.ones((1, 1), dtype=np.int64)
    q = order - 1
    if q % 4 == 3 and all(q % k for k in range(2, q)):  # Paley's first, of a prime
        number = np.arange(q)
        squares = np.unique(number[1:] ** 2 % q)
        residue = np.where(np.isin(number, squares), 1, -1)
        residue[0] = 0
        matrix = np.ones((order, order), dtype=np.int64)
        matrix[1:, 1:] = -residue[(number[:, None] - number) % q] - np.eye(q, dtype=np.int64)
        return matrix
    half = _hadamard(order // 2)  # Sylvester's doubling
    return np.block([[half, half], [half, -half]])


def _halves(block: IntArray, array: NDArray[np.bool_]) -> Iterator[tuple[IntArray, IntArray]]:
    for first in array.T:
        within = first[block]
        one, other = np.flatnonzero(within), np.flatnonzero(~within)
        yield one, other
        yield other, one


def _deal_classes(classes: IntArray, blocks: int, rng: Generator) -> IntArray:
    """The shuffled items of each class in turn; the turn goes on from class to class."""
    order = rng.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    block = np.empty(len(classes), dtype=np.int64)
    block[order] = np.arange(len(classes)) % blocks
    return block


def _deal_units(table: FloatArray, blocks: int, rng: Generator) -> IntArray:
    """As many items at a time as there are blocks, one to each, so that the sums are most alike; largest first."""
    from scipy.optimize import linear_sum_assignment

    order, sums = _largest_first(table, rng), np.zeros((blocks, table.shape[1]))
    block = np.empty(len(table), dtype=np.int64)
    for start in range(0, len(table), blocks):
        rows = order[start : start + blocks]
        who, where = linear_sum_assignment(table[rows] @ sums.T)  # least sum of squares of the sums
        block[rows[who]] = where
        sums[where] += table[rows[who]]
    return _exchanged(table, block, sums, rng, moves=False)


def _deal_groups(table: FloatArray, blocks: int, rng: Generator) -> IntArray:
    """One group at a time to where it makes the sums most alike; largest first, so none of the blocks stays empty."""
    block, sums = np.empty(len(table), dtype=np.int64), np.zeros((blocks, table.shape[1]))
    for row in _largest_first(table, rng):
        block[row] = where = int(np.argmin(sums @ table[row]))
        sums[where] += table[row]
    return _exchanged(table, block, sums, rng, moves=True)


def _exchanged(table: FloatArray, block: IntArray, sums: FloatArray, rng: Generator, *, moves: bool) -> IntArray:
    """Swap rows of two blocks at random where that makes the sums more alike; or move one, a swap for nothing."""
    nothing = len(table)
    table = np.vstack([table, np.zeros(table.shape[1])])
    extra = [nothing] if moves else []
    for _ in range(TRIES):
        a, b = rng.choice(len(sums), 2, replace=False)
        mine, other = (
            np.concatenate([rng.permutation(np.flatnonzero(block == k))[:CANDIDATES], extra]).astype(np.int64)
            for k in (a, b)
        )
        x, y, gap = table[mine], table[other], sums[a] - sums[b]
        change = ((x * (x - gap)).sum(axis=1)[:, None] + (y * (y + gap)).sum(axis=1)) - 2 * np.einsum("ik,jk->ij", x, y)
        i, j = divmod(int(change.argmin()), len(other))
        if change[i, j] > -1e-12:
            continue
        sums[a] += y[j] - x[i]
        sums[b] += x[i] - y[j]
        for row, to in ((mine[i], b), (other[j], a)):
            if row != nothing:
                block[row] = to
    return block


def _largest_first(table: FloatArray, rng: Generator) -> IntArray:
    order = rng.permutation(len(table))
    return order[np.argsort(-(table[order] ** 2).sum(axis=1), kind="stable")]


def _scaled(table: FloatArray) -> FloatArray:
    """Columns of length 1, so that a rare kind counts as much as a common one."""
    norm = np.sqrt((table**2).sum(axis=0))
    scaled: FloatArray = table / np.where(norm > 0, norm, 1)
    return scaled


def _sums(group: IntArray, classes: IntArray, units: FloatArray | None) -> FloatArray:
    """Groups × (items, then items of each class or units of each kind); items weigh as much as all kinds together."""
    groups = int(group.max()) + 1
    sizes = np.bincount(group, minlength=groups)[:, None]
    if units is None:
        often = np.bincount(classes)
        rank = np.argsort(np.argsort(-often, kind="stable"))
        classes, kinds = np.minimum(rank, KINDS - 1)[classes], min(len(often), KINDS)
        table = np.bincount(group * kinds + classes, minlength=groups * kinds).reshape(groups, kinds).astype(float)
    else:
        table = np.zeros((groups, units.shape[1]))
        np.add.at(table, group, units)
    return np.hstack([_scaled(sizes.astype(float)) * np.sqrt(max(table.shape[1], 1)), _scaled(table)])


def _classes_of(y: Any) -> IntArray | None:
    """A code for each label; None where y is not one label per item, or is numbers with fractions."""
    if y is None or len(getattr(y, "shape", (0,))) > 2 or hasattr(y, "tocoo"):
        return None
    column = _column(y)
    if column.ndim != 1 or (column.dtype.kind == "f" and not _whole(column)):
        return None
    if column.dtype.kind == "O" and any(_is_many(value) or _is_fraction(value) for value in column):
        return None
    return _codes(column)


def _units_of(y: Any) -> FloatArray | None:
    """An indicator matrix, or any whole numbers in columns; sequences of tags are none."""
    if len(getattr(y, "shape", ())) != 2 or y.shape[1] == 1:
        return None
    table = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if table.dtype.kind not in "biuf" or not _whole(table):
        return None
    table = table.astype(np.float64)
    least: FloatArray = table - table.min(axis=0)
    return least


def _as_units(units: Any, items: int) -> FloatArray:
    """Items × kinds of unit, all finite and not negative."""
    length(units, "units")
    try:
        table = np.asarray(_rows(units), dtype=np.float64)
    except (AttributeError, TypeError, ValueError):
        table = np.empty((0, 0, 0))
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise ValueError("units must be a table of numbers with a row for each item and a column for each kind of unit")
    if len(table) != items:
        raise ValueError(f"units has {len(table)} items but X has {items}; give one row for each item")
    fine = np.isfinite(table) & (table >= 0)
    if not fine.all():
        wrong = float(table.ravel()[int(np.argmin(fine))])
        raise ValueError(f"units holds {wrong:g}; give numbers of units, finite and not negative")
    return table


def _rows(units: Any) -> Any:
    """Rows of numbers, of a sparse table, of columns by their names, or of a mapping for each item."""
    if hasattr(units, "toarray"):
        return units.toarray()
    if isinstance(units, Mapping):
        return np.asarray(list(units.values())).T
    if len(getattr(units, "shape", (0,))) > 1 or not any(isinstance(row, Mapping) for row in units):
        return units
    kinds = list(dict.fromkeys(kind for row in units for kind in row))
    return np.array([[row.get(kind, 0) for kind in kinds] for row in units]).reshape(len(units), len(kinds))


def _groups(values: Any) -> IntArray:
    try:
        return _codes(_column(values))
    except TypeError:
        raise ValueError("groups must hold one value for each item, such as a number or a name") from None


def _column(values: Any) -> NDArray[Any]:
    """An array of one value per item; lists among the values stay lists, and a single column is taken out."""
    plain = not hasattr(values, "__array__")
    column = np.fromiter(values, dtype=object, count=len(values)) if plain else np.asarray(values)
    return column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column


def _codes(column: NDArray[Any]) -> IntArray:
    """Whole numbers from 0 in the order in which values first come."""
    place: dict[Any, int] = {}
    return np.fromiter((place.setdefault(v, len(place)) for v in column.tolist()), np.int64, len(column))


def _whole(numbers: NDArray[Any]) -> bool:
    return numbers.dtype.kind in "biu" or bool(np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all())


def _is_many(value: object) -> bool:
    return isinstance(value, Sequence | Set | Mapping | np.ndarray) and not isinstance(value, str | bytes)


def _is_count(value: Any) -> bool:
    return is_whole(value) and int(value) >= 0


def _is_fraction(value: object) -> bool:
    return isinstance(value, float | np.floating) and not float(value).is_integer()


def _generator(state: Any) -> Generator:
    if isinstance(state, RandomState):
        return default_rng(state.randint(2**32, size=4, dtype=np.uint32))
    return default_rng(state)


def _check_random_state(state: Any) -> None:
    if not (state is None or _is_count(state) or isinstance(state, Generator | RandomState)):
        raise ValueError(
            f"random_state must be None, a whole number from 0, a Generator or a RandomState, got {state!r}"
        )
