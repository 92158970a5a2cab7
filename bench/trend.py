"""What the default comparison of averages over many classes costs, beside the pooled prior in the same run.

20 Newsgroups (20 classes, 7,532 items); 90 labels of a long tail, of which an item may have several, 3,000 items; 1,000
classes and 20,000 items. Each with the usual number of draws, prior densities and tests included. Memory must not grow
with the draws.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import default_rng

import outperform as op
from bench.harness import Row, at_most, megabytes, minima, peak

__all__ = ["bench"]


def bench() -> list[Row]:
    """All rows."""
    rows = []
    for what, counts, limit in _cases():
        trend, pooled = minima(partial(_compared, counts, "trend"), partial(_compared, counts, "pooled"), repeat=3)
        rows.append(Row(f"macro F1, {what}: trend against pooled", trend, pooled, bar=at_most(1)))
        if limit is not None:
            rows.append(Row(f"macro F1, {what}", trend, bar=at_most(limit, own=True)))
    labels = _labels()
    few, many = (peak(partial(_compared, labels, "trend", draws)) for draws in (2_000, 20_000))
    return [*rows, Row("memory at the peak, 90 labels: 20,000 draws against 2,000", many, few, megabytes, at_most(2))]


def _cases() -> list[tuple[str, op.Counts, float | None]]:
    news = op.datasets.newsgroups()
    two = {name: news.predictions[name] for name in ("nb_mult", "svm_l2")}
    return [
        ("20 classes, 7,532 items", op.Counts.from_labels(news.truth, two), None),
        ("90 labels, 3,000 items", _labels(), None),
        ("1,000 classes, 20,000 items", _classes(1_000, 20_000), 5.0),
    ]


def _compared(counts: op.Counts, prior: str, draws: int | None = None) -> object:
    return op.compare(counts, average="macro", rope=0.01, rng=0, model=op.Paired(prior), draws=draws)


def _labels(items: int = 3_000, labels: int = 90) -> op.Counts:
    """Labels from 40% of the items down to 1 in 1,000, the rare ones found less often."""
    rng = default_rng(0)
    share = np.geomspace(0.4, 0.001, labels)
    truth = rng.random((items, labels)) < share
    return op.Counts.from_label_sets(truth, {name: _found(truth, rng.random) for name in "ab"})


def _found(truth: np.ndarray[tuple[int, int], np.dtype[np.bool_]], lots: Callable[[tuple[int, ...]], object]) -> object:
    recall = np.linspace(0.9, 0.1, truth.shape[1])
    share = truth.mean(axis=0)
    return np.where(truth, np.asarray(lots(truth.shape)) < recall, np.asarray(lots(truth.shape)) < 0.1 * share)


def _classes(classes: int, items: int) -> op.Counts:
    """Classes of any size, each taken for any other where it is not found."""
    rng = default_rng(0)
    truth = rng.choice(classes, items, p=(1 / np.arange(1, classes + 1)) / (1 / np.arange(1, classes + 1)).sum())
    guess = {
        name: np.where(rng.random(items) < right, truth, rng.integers(0, classes, items))
        for name, right in (("a", 0.8), ("b", 0.78))
    }
    return op.Counts.from_labels(truth, guess, labels=range(classes))
