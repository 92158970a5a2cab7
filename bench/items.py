"""Weighed items: areas under the ROC curve against a call of scikit-learn for each draw, and rankings as they grow.

The reference scores two systems of 10,000 items with `roc_auc_score` (and `average_precision_score`), weights and all;
it is timed on a hundredth of the draws and multiplied.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.random import SFC64, Generator

import outperform as op
from bench.harness import Row, at_least, at_most, megabytes, minima, missing, rate, seconds

__all__ = ["bench"]

ITEMS, DRAWS, PART = 10_000, 10_000, 100
SYSTEMS = 50


def bench() -> list[Row]:
    return [*_areas(), *_rankings()]


def _areas() -> list[Row]:
    """Whole comparisons, classical tests included, against the draws alone."""
    absent = missing("areas under curves", "sklearn")
    if absent is not None:
        return [absent]
    from sklearn.metrics import average_precision_score, roc_auc_score

    rows = []
    for name, function, wanted in (("roc_auc", roc_auc_score, 50), ("average_precision", average_precision_score, 20)):
        y, scores = _scored(2)
        ours, theirs = minima(
            partial(op.compare, y, scores, measure=name, rope=0.01, draws=DRAWS, rng=0),
            partial(_each_draw, function, y, scores),
            repeat=3,
        )
        what = f"{name} of two systems, {ITEMS:,} items, {DRAWS:,} draws: draws"
        rows.append(Row(what, DRAWS / ours, PART / theirs, rate, at_least(wanted)))
    return rows


def _each_draw(function: Callable[..., float], y: Any, scores: dict[str, Any]) -> None:
    rng = Generator(SFC64(0))
    for _ in range(PART):
        weights = rng.standard_exponential(len(y))
        for own in scores.values():
            function(y, own, sample_weight=weights)


def _rankings() -> list[Row]:
    """F1, area and mean score of 50 systems, and their time against five times that of 10 systems."""
    rows = []
    settings: dict[str, Any] = {"rope": 0.01, "draws": DRAWS, "rng": 0}
    each: dict[str, list[float]] = {"f1": [], "roc_auc": [], "mean score": []}
    for systems in (SYSTEMS // 5, SYSTEMS):
        y, scores = _scored(systems)
        labels = {name: own > 0.5 for name, own in scores.items()}
        each["f1"] += minima(partial(op.rank, y, labels, **settings), repeat=2)
        each["roc_auc"] += minima(partial(op.rank, y, scores, measure="roc_auc", **settings), repeat=2)
        each["mean score"] += minima(partial(op.rank_scores, scores, **settings), repeat=2)
    for what, (few, many) in each.items():
        label = f"rank {SYSTEMS} systems by {what}, {ITEMS:,} items, {DRAWS:,} draws"
        rows.append(Row(label, many, show=seconds, bar=at_most(60, own=True)))
        rows.append(Row(f"… against five times {SYSTEMS // 5} systems", many, 5 * few, seconds, at_most(1.5)))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [*rows, Row("memory of all of this at the peak", most, show=megabytes, bar=at_most(2_048, own=True))]


def _scored(systems: int) -> tuple[Any, dict[str, Any]]:
    """Scores that share half of their noise, each system a little better than the one before."""
    rng = Generator(SFC64(0))
    y = rng.random(ITEMS) < 0.4
    common = rng.standard_normal(ITEMS)
    each = {f"system {k}": y * (1 + 0.01 * k) + (common + rng.standard_normal(ITEMS)) / 2**0.5 for k in range(systems)}
    return y, each
