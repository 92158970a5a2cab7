"""How many items weighted rows are worth, against moving one cell after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import outperform as op
from outperform.data.contingency import FloatArray
from outperform.inference import tables
from outperform.inference.question import CountQuestion
from outperform.measures.of_counts import MEASURES as REGISTERED

MEASURES = ("f1", "mcc", "kappa", "accuracy", "balanced_accuracy", "specificity", "markedness", "g_mean", "npv")
AVERAGES = ("macro", "micro", "weighted", "multiclass")


def weighted(classes: int, *, paired: bool) -> op.Counts:
    """Return weighted counts of three systems, or of two that were run on different items."""
    rng = default_rng(classes)

    def some(items: int, names: Sequence[str]) -> op.Counts:
        truth = rng.integers(classes, size=items)
        guess = {name: np.where(rng.random(items) < 0.7, truth, rng.integers(classes, size=items)) for name in names}
        return op.Counts.from_labels(truth, guess, weights=rng.random(items), labels=range(classes))

    return some(150, "abc") if paired else op.Counts.side_by_side(some(100, "a"), some(130, "b"))


def one_by_one(counts: op.Counts, question: CountQuestion) -> FloatArray:
    """Return derivatives of the scores by the weight of each cell, of which a little is added."""
    plain, step = question.score(counts.contingency()), 1e-7 * float(counts.n.sum())
    moved = [replace(counts, n=counts.n + step * cell) for cell in np.eye(len(counts.n))]
    return np.stack([question.score(table.contingency()) - plain for table in moved]) / step


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("measure", MEASURES)
def test_what_each_cell_moves(measure: str, classes: int, paired: bool) -> None:
    counts = weighted(classes, paired=paired)
    for average in AVERAGES if classes > 2 else [None]:
        if average == "multiclass" and REGISTERED[measure].multiclass is None:
            continue
        asked: dict[str, Any] = {"pos_label": 1} if average is None else {}
        question = CountQuestion.check(measure, average, counts, draws=None, rng=0, **asked)
        table = counts if average else counts.binary(1)
        expected = one_by_one(table, question)
        assert np.allclose(tables._moves(table, question), expected, atol=1e-4 * np.abs(expected).max())


def test_weights_that_go_with_outcomes_cost_more_also_with_many_cells() -> None:
    """Rows on which systems differ are rare and weigh more: 1,000 cells and more had been worth what Kish says."""
    rng = default_rng(3)
    truth = rng.integers(60, size=20_000)
    guess = {name: np.where(rng.random(20_000) < 0.6, truth, rng.integers(60, size=20_000)) for name in "ab"}
    kept = (guess["a"] == guess["b"]) | (rng.random(20_000) < 0.1)
    truth, guess = truth[kept], {name: said[kept] for name, said in guess.items()}
    weights = np.where(guess["a"] == guess["b"], 1.0, 10.0)
    counts = op.Counts.from_labels(truth, guess, weights=weights)
    assert len(counts.n) > 1_000
    gain = (guess["a"] == truth) * 1.0 - (guess["b"] == truth)  # what an item adds to the difference
    off = gain - (weights @ gain) / weights.sum()
    variance = (weights**2 @ off**2) / weights.sum() ** 2  # of the weighted mean, by its influence
    plain = (weights @ off**2) / weights.sum()  # of one item
    r = op.compare(counts, measure="accuracy", rng=0)
    assert r.items == pytest.approx(plain / variance, rel=0.01)
    assert r.items < 0.8 * weights.sum() ** 2 / (weights**2).sum()


def of_rare_rows(items: int) -> tuple[Any, dict[str, Any], Any, Any]:
    """Return truth, predictions and weights of rows; those on which the systems differ are rare, and the slices."""
    rng = default_rng(5)
    truth = rng.integers(4, size=items)
    guess = {name: np.where(rng.random(items) < 0.6, truth, rng.integers(4, size=items)) for name in "ab"}
    kept = (guess["a"] == guess["b"]) | (rng.random(items) < 0.06)
    weights = np.where(guess["a"] == guess["b"], 1.0, 1 / 0.06)[kept]
    return truth[kept], {name: said[kept] for name, said in guess.items()}, weights, rng.integers(2, size=kept.sum())


def test_classes_that_learn_from_each_other_have_weights_worth_as_much_as_each_alone() -> None:
    """They had been worth what Kish says: differences of classes were covered in 51%."""
    truth, guess, weights, _ = of_rare_rows(3_000)
    counts = op.Counts.from_labels(truth, guess, weights=weights)
    alone = [row.items for row in op.compare(counts, average="per_class", draws=200, rng=0)]
    together = [row.items for row in op.compare(counts, average="per_class", prior="trend", draws=200, rng=0)]
    assert together == pytest.approx([np.median(alone)] * 4, rel=1e-3)
    assert together[0] < 0.8 * weights.sum() ** 2 / (weights**2).sum()


def test_slices_that_learn_from_each_other_have_weights_worth_as_much_as_each_alone() -> None:
    """They had been worth what Kish says: differences of slices were covered in 44%."""
    truth, guess, weights, by = of_rare_rows(3_000)
    said = {name: own == 0 for name, own in guess.items()}
    counts = op.Counts.from_labels(truth == 0, said, weights=weights, by=by)
    found = [op.compare(counts, prior=prior, draws=200, rng=0) for prior in ("light", "partial")]
    for row, own in zip(*found, strict=True):
        assert row.items == pytest.approx(own.items)
        assert row.items < 0.8 * weights[by == 0].sum() ** 2 / (weights[by == 0] ** 2).sum()
