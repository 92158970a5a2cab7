from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray
from sklearn.metrics import f1_score, fbeta_score, jaccard_score, recall_score

import outperform as op

SCORES: dict[str, Callable[..., float]] = {
    "f1": f1_score,
    "f2": partial(fbeta_score, beta=2),
    "recall": recall_score,
    "jaccard": jaccard_score,
}
OWN = 2  # hits or errors with which half of the way is gone


def by_leaving_out(score: Callable[..., float], truth: NDArray[Any], said: NDArray[Any]) -> float:
    """The textbook's jackknife, with scikit-learn."""
    items, weighted = len(truth), partial(score, average="weighted", zero_division=0)
    without = [weighted(np.delete(truth, i, 0), np.delete(said, i, 0)) for i in range(items)]
    return float(items * weighted(truth, said) - (items - 1) * np.mean(without))


def answers(seed: int, items: int = 120, classes: int = 6) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Classes of very different sizes, 30% of the answers at random."""
    rng = default_rng(seed)
    share = 1 / np.arange(1, classes + 1)
    truth = rng.choice(classes, items, p=share / share.sum())
    return truth, np.where(rng.random(items) < 0.7, truth, rng.integers(0, classes, items))


@pytest.mark.parametrize("measure", SCORES)
def test_the_mean_is_that_of_the_jackknife(measure: str) -> None:
    """Up to the little that the prior keeps."""
    truth, said = answers(1)
    expected = by_leaving_out(SCORES[measure], truth, said)
    for seed in (0, 1):
        found = op.estimate(truth, {"a": said}, measure=measure, average="weighted", draws=500, rng=seed)
        hits, wrong = (truth == said).sum(), (truth != said).sum()
        errors = wrong if measure == "recall" else 2 * wrong  # of two classes
        way = hits / (hits + OWN) * errors / (errors + OWN)
        assert abs(found.mean - expected) <= (1 - way) * 1.5 * found.sd + 1e-9


def test_label_sets() -> None:
    """An item counts in several classes, and the support varies with the items: alike up to 1/n of that."""
    rng = default_rng(2)
    truth = rng.random((150, 7)) < np.linspace(0.05, 0.5, 7)
    said = np.where(rng.random(truth.shape) < 0.85, truth, rng.random(truth.shape) < 0.3)
    expected = by_leaving_out(f1_score, truth, said)
    found = op.estimate(truth.astype(int), {"a": said.astype(int)}, average="weighted", draws=500, rng=0)
    assert abs(found.mean - expected) < 0.1 * found.sd


def test_a_pair_has_the_means_that_each_has_alone() -> None:
    truth, a = answers(3)
    b = answers(3, 120)[1][::-1]
    both = op.compare(truth, {"a": a, "b": b}, average="weighted", rng=0)
    alone = [op.estimate(truth, {"a": said}, average="weighted", draws=500, rng=1) for said in (a, b)]
    # Which draws lie beyond the range of all, and are kept within it, depends on chance.
    assert [both.a.mean, both.b.mean] == pytest.approx([one.mean for one in alone], abs=0.02 * both.a.sd)
    assert sum(driver.delta for driver in both.drivers) == pytest.approx(both.delta.mean)


def test_all_right_and_all_wrong_are_left_to_the_prior() -> None:
    truth = np.arange(60) % 4
    right = op.estimate(truth, {"a": truth}, average="weighted", draws=2_000, rng=0)
    wrong = op.estimate(truth, {"a": (truth + 1) % 4}, average="weighted", draws=2_000, rng=0)
    assert right.mean < 1 - 0.2 / 60
    assert wrong.mean > 0.2 / 60
    assert right.sd > 0.2 / 60 < wrong.sd


def test_a_mean_does_not_depend_on_the_seed() -> None:
    truth, said = answers(4)
    means = [op.estimate(truth, {"a": said}, average="weighted", draws=400, rng=seed).mean for seed in range(3)]
    macro = [op.estimate(truth, {"a": said}, average="macro", draws=400, rng=seed).mean for seed in range(3)]
    assert np.ptp(means) < 0.1 * np.ptp(macro)


@pytest.mark.parametrize("measure", ["precision", "f0.5", lambda c: c.ratio(c.hit, c.predicted)])
def test_draws_stay_where_single_items_matter_too_much(measure: Any) -> None:
    """Their mean then varies with the seed."""
    truth, said = answers(4)
    means = [
        op.estimate(truth, {"a": said}, measure=measure, average="weighted", draws=400, rng=k).mean for k in range(3)
    ]
    assert np.ptp(means) > 1e-4


def test_no_class_is_needed_that_has_no_items() -> None:
    truth, said = answers(5)
    plain = op.estimate(truth, {"a": said}, average="weighted", draws=500, rng=0)
    more = op.estimate(truth, {"a": said}, average="weighted", labels=range(20), draws=500, rng=0)
    assert more.mean == pytest.approx(plain.mean, abs=0.05 * plain.sd)


def test_draws_stay_where_a_class_has_no_score() -> None:
    """Precision of a class that is never predicted, with 0/0 = nan; and no label at all."""
    truth, said = answers(6)
    never = np.where(said == 5, 0, said)
    found = op.estimate(truth, {"a": never}, measure="precision", average="weighted", zero_division=np.nan, rng=0)
    assert 0.5 < found.mean < 0.9
    assert 0 < found.sd < 0.1
    none, some = np.zeros((9, 3), dtype=int), {"a": np.eye(9, 3, dtype=int)}
    empty = op.estimate(none, some, average="weighted", labels=range(3), rng=0)
    assert np.isfinite(empty.mean)
