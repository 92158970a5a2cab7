"""Measures of items, computed from scores, probabilities or numbers, which counts do not hold.

A measure is prepared once for the items, by sorting or tabulating them, and returns a scorer: a function from weights
of the rows, of shape (rows, draws), to scores of shape (draws, systems). The slow work is done once, and a draw is
linear in the number of rows. Any function with scikit-learn's signature f(truth, output, sample_weight=…) works too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isfinite
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outperform.base.sentences import invalid
from outperform.data.contingency import FloatArray, adding, summed
from outperform.data.items import Items
from outperform.data.labels import IntArray, Label
from outperform.measures import outputs as read
from outperform.measures.rare import told_apart
from outperform.measures.scorers import (
    Anything,
    Scorer,
    Selected,
    area_under_roc,
    means,
    precision_of_ranking,
    side_by_side,
    sums,
)

__all__ = ["ITEM_MEASURES", "ItemMeasure", "find_item_measure", "mean_of"]

Reader: TypeAlias = Callable[[Any, Mapping[str, Any], Iterable[Label] | None, Label | None], Items]

LOWER = ("_loss", "_error", "_deviance")  # endings of scikit-learn's names of losses
MOST_CALLS = 2_000  # default draws of a function that scores one draw per call
BINS = 15  # of confidence, for the calibration error
TINY = float(np.finfo(np.float64).eps)  # lower bound of a probability in log loss, as in scikit-learn


def _as_they_are(items: Items) -> Items:
    return items


@dataclass(frozen=True)
class ItemMeasure:
    """A measure of items: how it reads and scores them under weights.

    Attributes
    ----------
    name : str
        The name.
    prepare : callable
        Function from Items to a scorer.
    reads : callable
        Function from truth, outputs by name, labels and the positive label to validated Items.
    greater_is_better : bool
        False for losses.
    limits : tuple of two floats
        The least and the greatest score.
    merges : bool
        Whether identical rows may be merged.
    most_draws : int or None
        The most draws by default; None for no limit.
    of_classes : bool
        Whether its precision is limited by the rarer class.
    by_query : bool
        Whether clusters are queries, which have equal weight.
    tells_apart : callable
        Function from Items to rows of which no two count alike, or that are not far more than those.
    noise : callable or None
        Function from Items to what noise alone adds to the score of each system, if it adds anything.
    """

    name: str
    prepare: Callable[[Items], Scorer]
    reads: Reader
    greater_is_better: bool = True
    limits: tuple[float, float] = (0.0, 1.0)
    merges: bool = True
    most_draws: int | None = None
    of_classes: bool = False
    by_query: bool = False
    tells_apart: Callable[[Items], Items] = _as_they_are
    noise: Callable[[Items], FloatArray] | None = None
    own_function: Callable[..., Any] | None = None  # a user's function, called once per draw

    @property
    def bounded(self) -> bool:
        """Whether scores have two limits, and a ROPE lies in [-1, 1]."""
        return all(map(isfinite, self.limits))


ITEM_MEASURES: dict[str, ItemMeasure] = {}


def _item_measure(reads: Reader, **settings: Any) -> Callable[[Callable[[Items], Scorer]], Callable[[Items], Scorer]]:
    """Register a measure under the name of its function."""

    def register(prepare: Callable[[Items], Scorer]) -> Callable[[Items], Scorer]:
        name = prepare.__name__
        ITEM_MEASURES[name] = ItemMeasure(name, prepare, reads, **settings)
        return prepare

    return register


def find_item_measure(measure: object) -> ItemMeasure | None:
    """Return a measure of items by name, as in top_5_accuracy or ndcg@10, or wrap a function with weights."""
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
    """Return the measure of a function that is called for each draw and system."""
    inner = function.func if isinstance(function, partial) else function
    name = str(getattr(inner, "__name__", type(inner).__name__))
    better = not name.endswith(LOWER)
    return ItemMeasure(name, partial(_called, function), read.as_given, better, limits=(-inf, inf), merges=False,
                       most_draws=MOST_CALLS, own_function=function)  # fmt: skip


def _called(function: Callable[..., Any], items: Items) -> Scorer:
    def score(weights: FloatArray) -> FloatArray:
        by_draw = np.ascontiguousarray(weights.T)
        return np.array([[float(function(items.truth, x, sample_weight=w)) for x in items.outputs] for w in by_draw])

    return Scorer(score)


def mean_of(name: str, *, greater_is_better: bool = True) -> ItemMeasure:
    """Return the measure that averages given scores."""
    return ItemMeasure(name, _mean, read.as_scores, greater_is_better, limits=(-inf, inf))


def _mean(items: Items) -> Scorer:
    return means(np.stack(items.outputs))


def _over_classes(items: Items, prepare: Callable[[NDArray[np.bool_], FloatArray], Scorer]) -> Scorer:
    """Return the mean over classes, each against the rest, or the score of the positive class alone."""
    if items.average == "binary":
        tasks = [[(items.truth == 1, output)] for output in items.outputs]
    else:
        codes = range(len(items.labels))
        tasks = [[(items.truth == c, output[:, c]) for c in codes] for output in items.outputs]
    return side_by_side([[prepare(*task) for task in system] for system in tasks])


@_item_measure(read.as_ranking, of_classes=True, tells_apart=partial(told_apart, negatives_too=True))
def roc_auc(items: Items) -> Scorer:
    """Area under the ROC curve: how often a positive item scores above a negative one; a tie counts half.

    With many classes, the mean over classes against the rest, as scikit-learn's multi_class="ovr".
    """
    return _over_classes(items, area_under_roc)


@_item_measure(read.as_ranking, of_classes=True, tells_apart=partial(told_apart, negatives_too=False))
def average_precision(items: Items) -> Scorer:
    """Σ (R_k − R_{k−1}) P_k over the distinct scores from the top, as in scikit-learn.

    With many classes, the mean over classes against the rest.
    """
    return _over_classes(items, precision_of_ranking)


@_item_measure(read.as_probabilities, greater_is_better=False, limits=(0.0, inf))
def log_loss(items: Items) -> Scorer:
    """The mean of −log of the probability of the true class."""
    return means(np.stack([-np.log(np.clip(_of_truth(items, p), TINY, 1.0)) for p in items.outputs]))


@_item_measure(read.as_probabilities, greater_is_better=False, limits=(0.0, 2.0))
def brier(items: Items) -> Scorer:
    """Brier score: the mean squared error of the probability; with many classes, summed over them."""
    if items.average == "binary":
        return means(np.stack([(p - items.truth) ** 2 for p in items.outputs]))
    true = items.truth[:, None] == np.arange(len(items.labels))
    return means(np.stack([((p - true) ** 2).sum(axis=1) for p in items.outputs]))


def _gaps(items: Items) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield the bin of each item, open below and closed above, and its confidence less whether it is right."""
    for p in items.outputs:
        every = np.column_stack([1 - p, p]) if items.average == "binary" else p
        confidence, right = every.max(axis=1), every.argmax(axis=1) == items.truth
        yield np.clip(np.ceil(confidence * BINS).astype(np.int64) - 1, 0, BINS - 1), confidence - right


def _noise_of_ece(items: Items) -> FloatArray:
    """Return Σ √(2/π) s_b over the bins whose gap is less than 2 of its standard deviations s_b: E|noise| of each."""
    found = []
    for bins, gap in _gaps(items):
        number, first, second = (np.bincount(bins, items.n * gap**k, BINS) for k in range(3))
        deviation = np.sqrt(np.maximum(second - first**2 / np.maximum(number, 1), 0.0))
        found.append(np.sqrt(2 / np.pi) * deviation[np.abs(first) < 2 * deviation].sum() / items.n.sum())
    return np.array(found)


@_item_measure(read.as_probabilities, greater_is_better=False, noise=_noise_of_ece)
def ece(items: Items) -> Scorer:
    """Expected calibration error: Σ over 15 bins of confidence of |confidence − accuracy|, weighted by their shares.

    Confidence is the probability of the predicted class. Noise alone makes it positive, more so in resamples than in
    the data, and most for a system that is well calibrated.
    """
    # Row b sums weight × (confidence − correct) over the items in bin b.
    tables = [adding(bins, BINS, gap) for bins, gap in _gaps(items)]

    def score(weights: FloatArray) -> FloatArray:
        gaps = np.stack([np.abs(summed(weights, table)).sum(axis=0) for table in tables], axis=1)
        shares: FloatArray = gaps / weights.sum(axis=0)[:, None]
        return shares

    return Scorer(score, source=Anything())


@_item_measure(read.as_regression, limits=(-inf, 1.0))
def r2(items: Items) -> Scorer:
    """R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)²."""
    if np.ptp(items.truth) == 0:
        raise ValueError(
            f"truth is {items.truth[0]:g} for every item, which leaves R² nothing to explain; use mae or mse"
        )
    # Centred, because the variance as a difference of moments cancels badly otherwise.
    centred = items.truth - items.truth.mean()
    moments = np.stack([centred, centred**2, *((items.truth - output) ** 2 for output in items.outputs)])

    def score(weights: FloatArray) -> FloatArray:
        mean, square, *errors = sums(moments, weights) / weights.sum(axis=0)
        left: FloatArray = np.stack(errors, axis=1) / (square - mean**2)[:, None]
        return 1 - left

    return Scorer(score, source=Anything())


@_item_measure(read.as_regression, greater_is_better=False, limits=(0.0, inf))
def mae(items: Items) -> Scorer:
    """The mean absolute error."""
    return means(np.stack([np.abs(items.truth - output) for output in items.outputs]))


@_item_measure(read.as_regression, greater_is_better=False, limits=(0.0, inf))
def mse(items: Items) -> Scorer:
    """The mean squared error."""
    return means(np.stack([(items.truth - output) ** 2 for output in items.outputs]))


@_item_measure(read.as_classes)
def top_k_accuracy(items: Items, k: int = 2) -> Scorer:
    """How often the true class is among the k with the highest scores; k is 2 by default, 5 in top_5_accuracy."""
    if k >= len(items.labels):
        raise ValueError(
            f"the true class is always among the best {k} of {len(items.labels)} classes; choose a smaller k"
        )
    best = [np.argsort(output, axis=1, kind="stable")[:, ::-1][:, :k] for output in items.outputs]
    return means(np.stack([(top == items.truth[:, None]).any(axis=1).astype(np.float64) for top in best]))


@_item_measure(read.as_queries, merges=False, by_query=True)
def ndcg(items: Items, k: int | None = None) -> Scorer:
    """Mean nDCG over queries (clusters), with linear gains and ties averaged; ndcg@10 for the first ten."""
    return _by_query(items, partial(_ndcg_of, k=k))


@_item_measure(read.as_queries, merges=False, by_query=True)
def mrr(items: Items, k: int | None = None) -> Scorer:
    """Mean over queries (clusters) of 1 / rank of the first relevant item; ties count against it."""
    return _by_query(items, partial(_reciprocal_rank, k=k))


def _by_query(items: Items, score_of: Callable[[FloatArray, FloatArray], float]) -> Scorer:
    """Score each query once; its weight is that of any of its rows."""
    if not len(items.cluster):
        raise invalid("queries are scored separately: give the query of each item with {query_ids}")
    order = np.argsort(items.cluster, kind="stable")
    starts = np.flatnonzero(np.diff(items.cluster[order], prepend=-1))
    queries = np.split(order, starts[1:])
    table = np.array([[score_of(items.truth[rows], output[rows]) for rows in queries] for output in items.outputs])
    first, averages = order[starts], means(table)
    return Scorer(lambda weights: averages(weights[first]), source=Selected(first, averages.source))


def _ndcg_of(gain: FloatArray, output: FloatArray, k: int | None) -> float:
    discount = 1 / np.log2(np.arange(len(gain)) + 2)
    discount[len(gain) if k is None else k :] = 0.0
    best = float(np.sort(gain)[::-1] @ discount)
    if best == 0:
        return 0.0
    _, tied = np.unique(-output, return_inverse=True)
    size = np.bincount(tied)
    # Tied items share the mean discount of their places; reduceat sums the places of each tie.
    per_place = np.add.reduceat(discount, np.cumsum(size) - size) / size
    return float(gain @ per_place[tied]) / best


def _reciprocal_rank(gain: FloatArray, output: FloatArray, k: int | None) -> float:
    relevant = gain > 0
    if not relevant.any():
        return 0.0
    rank = 1 + int(np.count_nonzero(output[~relevant] >= output[relevant].max()))
    return 0.0 if k is not None and rank > k else 1 / rank


def _of_truth(items: Items, probability: FloatArray) -> FloatArray:
    """Return the probability of the true class."""
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
