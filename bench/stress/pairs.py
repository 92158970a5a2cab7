"""Two systems on the same items, and their scores from weights of the items.

The scores are written independently of the package, as functions of three totals per label: hits, true and predicted
items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

__all__ = ["MEASURES", "WEIGHTED", "Pair", "Parts", "Patterns", "patterns", "score", "totals", "truth_from"]

FloatArray: TypeAlias = NDArray[np.float64]
Parts: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]  # hits, true and predicted items of each label
BETAS = {"f1": 1.0, "f2": 2.0}
WEIGHTED = "weighted "  # before the name of a measure: the average in which classes count as their true items
MEASURES = ("f1", "precision", "recall", "f2", "weighted f1", "weighted precision")


@dataclass(frozen=True, eq=False)
class Pair:
    """True and predicted labels of two systems.

    Attributes
    ----------
    gold, a, b : array
        Class numbers of shape (items,), or for label sets booleans of shape (items, labels).
    classes : int
        How many labels are declared.
    average : str
        "macro", "micro" or, of class 1 of two, "binary".
    """

    gold: NDArray[Any]
    a: NDArray[Any]
    b: NDArray[Any]
    classes: int
    average: str = "macro"

    def __len__(self) -> int:
        """Number of items."""
        return len(self.gold)

    def take(self, rows: NDArray[np.int64]) -> Pair:
        """The items in these rows."""
        return Pair(self.gold[rows], self.a[rows], self.b[rows], self.classes, self.average)

    def keep(self, labels: NDArray[Any]) -> Pair:
        """The same label sets with these labels only."""
        gold, a, b = (part[:, labels] for part in (self.gold, self.a, self.b))
        return Pair(gold, a, b, gold.shape[1], self.average)


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct items of a pair, and which of them each item is.

    Attributes
    ----------
    which : array of shape (items,)
        The pattern of each item.
    number : array of shape (patterns,)
        How many items have each pattern.
    parts : sparse array of shape (patterns, 5 * labels)
        True, predicted by A, hit by A, predicted by B and hit by B, 0 or 1 for each label.
    pair : Pair
        Where they come from.
    """

    which: NDArray[np.int64]
    number: FloatArray
    parts: Any
    pair: Pair

    def totals(self, weights: FloatArray) -> FloatArray:
        """Weighted totals of shape (sets of weights, 5, labels) from weights of shape (sets, patterns)."""
        summed = np.asarray((self.parts.T @ weights.T).T)
        return summed.reshape(len(weights), 5, self.pair.classes)

    def scores(self, measure: str, totals: FloatArray) -> FloatArray:
        """Scores of A and B and their difference, of shape (3, sets), from totals of shape (sets, 5, labels)."""
        gold, said_a, hit_a, said_b, hit_b = np.moveaxis(totals, -2, 0)
        a = score(measure, self.pair.average, (hit_a, gold, said_a))
        b = score(measure, self.pair.average, (hit_b, gold, said_b))
        return np.stack([a, b, a - b])


def patterns(pair: Pair) -> Patterns:
    """Find the distinct items."""
    if pair.gold.ndim == 1:
        code = (pair.gold.astype(np.int64) * pair.classes + pair.a) * pair.classes + pair.b
    else:
        packed = np.packbits(np.hstack([pair.gold, pair.a, pair.b]).astype(bool), axis=1)
        code = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which, number = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
    own = pair.take(first)
    gold, a, b = (_indicators(part, pair.classes) for part in (own.gold, own.a, own.b))
    parts = hstack([gold, a, gold * a, b, gold * b], format="csr")
    return Patterns(which.ravel().astype(np.int64), number.astype(np.float64), parts, pair)


def _indicators(part: NDArray[Any], classes: int) -> Any:
    """A sparse array of items and labels."""
    if part.ndim == 2:
        return csr_array(part.astype(np.float64))
    items = len(part)
    return csr_array((np.ones(items), (np.arange(items), part)), shape=(items, classes))


def score(measure: str, average: str, parts: Parts) -> FloatArray:
    """One score from hits, true and predicted items of each label (on the last axis); 0/0 is 0."""
    if measure.startswith(WEIGHTED):
        alone = _per_label(measure.removeprefix(WEIGHTED), *parts)
        weighted: FloatArray = (alone * parts[1]).sum(axis=-1) / parts[1].sum(axis=-1)
        return weighted
    if average == "binary":
        parts = (parts[0][..., 1:2], parts[1][..., 1:2], parts[2][..., 1:2])
    if average == "micro":
        hit, gold, said = (part.sum(axis=-1, keepdims=True) for part in parts)
    else:
        hit, gold, said = parts
    each: FloatArray = _per_label(measure, hit, gold, said).mean(axis=-1)
    return each


def _per_label(measure: str, hit: FloatArray, gold: FloatArray, said: FloatArray) -> FloatArray:
    if measure == "precision":
        above, below = hit, said
    elif measure == "recall":
        above, below = hit, gold
    else:
        square = BETAS[measure] ** 2
        above, below = (1 + square) * hit, square * gold + said
    return np.divide(above, below, out=np.zeros_like(below), where=below > 0)


def totals(pair: Pair, weight: FloatArray) -> tuple[Parts, Parts]:
    """Hits, true and predicted items of each label under weights of the items, for A and for B."""
    found = patterns(pair)
    summed = np.bincount(found.which, weight).astype(np.float64)
    gold, said_a, hit_a, said_b, hit_b = found.totals(summed[None])[0]
    return (hit_a, gold, said_a), (hit_b, gold, said_b)


def truth_from(a: Parts, b: Parts, average: str, measures: tuple[str, ...] = MEASURES) -> Mapping[str, float]:
    """True values by quantity, from hits, true and predicted shares of each label."""
    truth: dict[str, float] = {}
    for measure in measures:
        of_a, of_b = (float(score(measure, average, parts)) for parts in (a, b))
        truth |= {f"{measure}.a": of_a, f"{measure}.b": of_b, f"{measure}.delta": of_a - of_b}
    return truth
