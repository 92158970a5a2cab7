"""Measures of items: what counts cannot tell, because it is read off scores, probabilities or numbers.

A measure is prepared once for the items, which sorts or tabulates them, and gives a scorer: a function from weights of
the rows, of shape (rows, draws), to scores of shape (draws, systems). So whatever takes long is done once, and a draw
costs as much as there are rows. Any function of scikit-learn's kind, f(truth, output, sample_weight=…), works too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outperform.base.sentences import Sentence
from outperform.data.contingency import FloatArray, adding
from outperform.data.items import Items
from outperform.data.labels import IntArray, Label
from outperform.measures import outputs as read

__all__ = ["ITEM_MEASURES", "ItemMeasure", "Scorer", "find_item_measure", "mean_of"]

Scorer: TypeAlias = Callable[[FloatArray], FloatArray]
Reader: TypeAlias = Callable[[Any, Mapping[str, Any], Iterable[Label] | None, Label | None], Items]

LOWER = ("_loss", "_error", "_deviance")  # how scikit-learn ends the names of what should be low
MOST_CALLS = 2_000  # draws of a function that takes one at a time
BINS = 15  # of confidence
TINIEST = 1e-300
TINY = float(np.finfo(np.float64).eps)  # the least probability that log loss knows, as in scikit-learn


@dataclass(frozen=True)
class ItemMeasure:
    """How a measure reads its items and scores them under weights.

    Attributes
    ----------
    name : str
        What it is called.
    prepare : callable
        From Items to a scorer.
    reads : callable
        From truth, outputs by name, labels and the positive label to Items, checked.
    greater_is_better : bool
        False for losses.
    bounded : bool
        Whether scores lie between 0 and 1, and a ROPE within [-1, 1].
    merges : bool
        Whether rows that are alike may be one.
    most_draws : int or None
        More than these are made only if asked for.
    of_classes : bool
        Whether it knows no more than the rarer class does.
    by_query : bool
        Whether clusters are queries, which count alike.
    """

    name: str
    prepare: Callable[[Items], Scorer]
    reads: Reader
    greater_is_better: bool = True
    bounded: bool = True
    merges: bool = True
    most_draws: int | None = None
    of_classes: bool = False
    by_query: bool = False
    own_function: Callable[..., Any] | None = None  # a user's, which is called for each draw


ITEM_MEASURES: dict[str, ItemMeasure] = {}


def _item_measure(reads: Reader, **settings: Any) -> Callable[[Callable[[Items], Scorer]], Callable[[Items], Scorer]]:
    """Register a measure under its function's name."""

    def register(prepare: Callable[[Items], Scorer]) -> Callable[[Items], Scorer]:
        name = prepare.__name__
        ITEM_MEASURES[name] = ItemMeasure(name, prepare, reads, **settings)
        return prepare

    return register


def find_item_measure(measure: object) -> ItemMeasure | None:
    """A measure of items by name, with its number as in top_5_accuracy or ndcg@10; or a function with weights."""
    if isinstance(measure, ItemMeasure):
        return measure
    if isinstance(measure, str):
        name = measure.lower()
        if name in ITEM_MEASURES:
            return ITEM_MEASURES[name]
        for pattern, prepare, known in NUMBERED:
            if found := re.fullmatch(pattern, name):
                return replace(ITEM_MEASURES[known], name=name, prepare=partial(prepare, k=int(found[1])))
        return None
    return _wrapped(measure) if callable(measure) and _takes_weights(measure) else None


def _takes_weights(function: Callable[..., Any]) -> bool:
    from inspect import signature

    try:
        return "sample_weight" in signature(function).parameters
    except (TypeError, ValueError):
        return False


def _wrapped(function: Callable[..., Any]) -> ItemMeasure:
    """A function that is called for each draw and each system."""
    inner = function.func if isinstance(function, partial) else function
    name = str(getattr(inner, "__name__", type(inner).__name__))
    better = not name.endswith(LOWER)
    return ItemMeasure(name, partial(_called, function), read.as_given, better, bounded=False, merges=False,
                       most_draws=MOST_CALLS, own_function=function)  # fmt: skip


def _called(function: Callable[..., Any], items: Items) -> Scorer:
    def score(weights: FloatArray) -> FloatArray:
        by_draw = np.ascontiguousarray(weights.T)
        return np.array([[float(function(items.truth, x, sample_weight=w)) for x in items.outputs] for w in by_draw])

    return score


def _averages(columns: FloatArray) -> Scorer:
    """Weighted means of a column for each system; one matrix product."""

    def score(weights: FloatArray) -> FloatArray:
        means: FloatArray = _sums(columns, weights).T / weights.sum(axis=0)[:, None]
        return means

    return score


def _sums(columns: FloatArray, weights: FloatArray) -> FloatArray:
    """A matrix product, row by row: a row does not depend on the others, to the last bit.

    Nor on a library that starts threads of its own: there is one for each core already.
    """
    return np.stack([np.einsum("i,ij->j", row, weights) for row in columns])


def mean_of(name: str, *, greater_is_better: bool = True) -> ItemMeasure:
    """The mean of scores that are there already."""
    return ItemMeasure(name, _mean, read.as_scores, greater_is_better, bounded=False)


def _mean(items: Items) -> Scorer:
    return _averages(np.stack(items.outputs))


def _each_class(items: Items, prepare: Callable[[NDArray[np.bool_], FloatArray], Scorer]) -> Scorer:
    """The mean over classes against the rest, or the positive class alone."""
    if items.average == "binary":
        tasks = [[(items.truth == 1, output)] for output in items.outputs]
    else:
        codes = range(len(items.labels))
        tasks = [[(items.truth == c, output[:, c]) for c in codes] for output in items.outputs]
    prepared = [[prepare(*task) for task in system] for system in tasks]

    def score(weights: FloatArray) -> FloatArray:
        return np.stack([np.mean([part(weights) for part in system], axis=0) for system in prepared], axis=1)

    return score


@_item_measure(read.as_ranking, of_classes=True)
def roc_auc(items: Items) -> Scorer:
    """Area under the ROC curve: how often a positive item scores above a negative one, ties for half.

    With classes many, the mean over classes against the rest, as scikit-learn's multi_class="ovr".
    """
    return _each_class(items, _auc)


def _auc(positive: NDArray[np.bool_], output: FloatArray) -> Scorer:
    """Σ_j v_j (C[below] + C[up to]) / 2 over both sums, C the cumulative weight of the class with fewer items."""
    few = positive if 2 * positive.sum() <= len(positive) else ~positive
    mine, others = np.flatnonzero(few), np.flatnonzero(~few)
    mine = mine[np.argsort(output[mine], kind="stable")]
    others = others[np.argsort(output[others], kind="stable")]
    low, high = (np.searchsorted(output[mine], output[others], side=side) for side in ("left", "right"))
    ties = bool((low != high).any())

    def score(weights: FloatArray) -> FloatArray:
        below, other = _cumulative(weights, mine), weights[others]
        beaten = np.einsum("ij,ij->j", below[high], other)
        if ties:
            beaten = (beaten + np.einsum("ij,ij->j", below[low], other)) / 2
        share: FloatArray = beaten / (below[-1] * other.sum(axis=0))
        return share if few is not positive else 1 - share

    return score


@_item_measure(read.as_ranking, of_classes=True)
def average_precision(items: Items) -> Scorer:
    """Σ (R_k − R_{k−1}) P_k over the distinct scores from the top, as in scikit-learn.

    With classes many, the mean over classes against the rest.
    """
    return _each_class(items, _precision)


def _precision(positive: NDArray[np.bool_], output: FloatArray) -> Scorer:
    """Σ_i w_i P_i / Σ_i w_i over positive items, P_i the precision among all that score no less than item i."""
    positives, negatives = (
        rows[np.argsort(-output[rows], kind="stable")] for rows in map(np.flatnonzero, (positive, ~positive))
    )
    hits, alarms = (np.searchsorted(-output[rows], -output[positives], side="right") for rows in (positives, negatives))

    def score(weights: FloatArray) -> FloatArray:
        hit, alarm = _cumulative(weights, positives), _cumulative(weights, negatives)
        found = hit[hits]
        all_ = alarm[alarms]
        all_ += found
        np.divide(found, np.maximum(all_, TINIEST, out=all_), out=found)
        area: FloatArray = np.einsum("ij,ij->j", found, weights[positives]) / hit[-1]
        return area

    return score


def _cumulative(weights: FloatArray, rows: IntArray) -> FloatArray:
    """Sums of the weights of none, one, two … of the rows."""
    sums = np.zeros((len(rows) + 1, weights.shape[1]))
    np.take(weights, rows, axis=0, out=sums[1:], mode="clip")
    return np.cumsum(sums, axis=0, out=sums)


@_item_measure(read.as_probabilities, greater_is_better=False, bounded=False)
def log_loss(items: Items) -> Scorer:
    """The mean of −log of the probability that was given to the true class."""
    return _averages(np.stack([-np.log(np.clip(_of_truth(items, p), TINY, 1.0)) for p in items.outputs]))


@_item_measure(read.as_probabilities, greater_is_better=False)
def brier(items: Items) -> Scorer:
    """Brier's score: the mean squared error of the probability; with classes many, summed over them."""
    if items.average == "binary":
        return _averages(np.stack([(p - items.truth) ** 2 for p in items.outputs]))
    true = items.truth[:, None] == np.arange(len(items.labels))
    return _averages(np.stack([((p - true) ** 2).sum(axis=1) for p in items.outputs]))


@_item_measure(read.as_probabilities, greater_is_better=False)
def ece(items: Items) -> Scorer:
    """Expected calibration error: Σ over 15 bins of confidence of |confidence − accuracy|, by their shares.

    Confidence is the probability of the class that is predicted. Noise alone makes it more than 0, and more so in
    resamples than in the data: compare two systems by it rather than read one.
    """
    tables = []
    for p in items.outputs:
        every = np.column_stack([1 - p, p]) if items.average == "binary" else p
        confidence, right = every.max(axis=1), every.argmax(axis=1) == items.truth
        bins = np.clip(np.ceil(confidence * BINS).astype(np.int64) - 1, 0, BINS - 1)
        tables.append(adding(bins, BINS, confidence - right))

    def score(weights: FloatArray) -> FloatArray:
        gaps = np.stack([np.abs(table @ weights).sum(axis=0) for table in tables], axis=1)
        shares: FloatArray = gaps / weights.sum(axis=0)[:, None]
        return shares

    return score


@_item_measure(read.as_regression, bounded=False)
def r2(items: Items) -> Scorer:
    """R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)²."""
    if np.ptp(items.truth) == 0:
        raise ValueError(
            f"truth is {items.truth[0]:g} for every item, which leaves R² nothing to explain; use mae or mse"
        )
    centred = items.truth - items.truth.mean()
    moments = np.stack([centred, centred**2, *((items.truth - output) ** 2 for output in items.outputs)])

    def score(weights: FloatArray) -> FloatArray:
        mean, square, *errors = _sums(moments, weights) / weights.sum(axis=0)
        left: FloatArray = np.stack(errors, axis=1) / (square - mean**2)[:, None]
        return 1 - left

    return score


@_item_measure(read.as_regression, greater_is_better=False, bounded=False)
def mae(items: Items) -> Scorer:
    """The mean absolute error."""
    return _averages(np.stack([np.abs(items.truth - output) for output in items.outputs]))


@_item_measure(read.as_regression, greater_is_better=False, bounded=False)
def mse(items: Items) -> Scorer:
    """The mean squared error."""
    return _averages(np.stack([(items.truth - output) ** 2 for output in items.outputs]))


@_item_measure(read.as_classes)
def top_k_accuracy(items: Items, k: int = 2) -> Scorer:
    """How often the true class is among the k with the highest scores, 2 unless said; top_5_accuracy for k = 5."""
    if k >= len(items.labels):
        raise ValueError(f"among the best {k} of {len(items.labels)} classes the true one always is; take a smaller k")
    best = [np.argsort(output, axis=1, kind="stable")[:, ::-1][:, :k] for output in items.outputs]
    return _averages(np.stack([(top == items.truth[:, None]).any(axis=1).astype(np.float64) for top in best]))


@_item_measure(read.as_queries, merges=False, by_query=True)
def ndcg(items: Items, k: int | None = None) -> Scorer:
    """The mean over queries (clusters) of nDCG, gains as they are, ties averaged; say ndcg@10 for the first ten."""
    return _by_query(items, partial(_ndcg_of, k=k))


@_item_measure(read.as_queries, merges=False, by_query=True)
def mrr(items: Items, k: int | None = None) -> Scorer:
    """The mean over queries (clusters) of 1 / rank of the first relevant item; ties count against it."""
    return _by_query(items, partial(_reciprocal_rank, k=k))


def _by_query(items: Items, score_of: Callable[[FloatArray, FloatArray], float]) -> Scorer:
    """Score each query once; then its weight is that of any of its rows."""
    if not len(items.cluster):
        raise ValueError(Sentence("queries are scored one by one: say which item is whose with {query_ids}"))
    order = np.argsort(items.cluster, kind="stable")
    starts = np.flatnonzero(np.diff(items.cluster[order], prepend=-1))
    queries = np.split(order, starts[1:])
    table = np.array([[score_of(items.truth[rows], output[rows]) for rows in queries] for output in items.outputs])
    first, averages = order[starts], _averages(table)
    return lambda weights: averages(weights[first])


def _ndcg_of(gain: FloatArray, output: FloatArray, k: int | None) -> float:
    discount = 1 / np.log2(np.arange(len(gain)) + 2)
    discount[len(gain) if k is None else k :] = 0.0
    best = float(np.sort(gain)[::-1] @ discount)
    if best == 0:
        return 0.0
    _, tied = np.unique(-output, return_inverse=True)
    size = np.bincount(tied)
    per_place = np.add.reduceat(discount, np.cumsum(size) - size) / size
    return float(gain @ per_place[tied]) / best


def _reciprocal_rank(gain: FloatArray, output: FloatArray, k: int | None) -> float:
    relevant = gain > 0
    if not relevant.any():
        return 0.0
    rank = 1 + int(np.count_nonzero(output[~relevant] >= output[relevant].max()))
    return 0.0 if k is not None and rank > k else 1 / rank


def _of_truth(items: Items, probability: FloatArray) -> FloatArray:
    """The probability that the true class was given."""
    if items.average == "binary":
        return np.where(items.truth == 1, probability, 1 - probability)
    codes: IntArray = items.truth
    given: FloatArray = probability[np.arange(len(codes)), codes]
    return given


NUMBERED: tuple[tuple[str, Callable[..., Scorer], str], ...] = (
    (r"top_([1-9]\d*)_accuracy", top_k_accuracy, "top_k_accuracy"),
    (r"ndcg@([1-9]\d*)", ndcg, "ndcg"),
    (r"mrr@([1-9]\d*)", mrr, "mrr"),
)
