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
from outperform.models.jackknife import Jackknife

SCORES: dict[str, Callable[..., float]] = {
    "f1": f1_score,
    "f0.5": partial(fbeta_score, beta=0.5),
    "f2": partial(fbeta_score, beta=2),
    "recall": recall_score,
    "jaccard": jaccard_score,
}
LITTLE = 0.1  # β with which a hit adds 101 to the score of its class
OWN = 2  # hits or errors with which half of the way is gone


def by_leaving_out(score: Callable[..., float], truth: NDArray[Any], said: NDArray[Any]) -> tuple[float, float]:
    """The textbook's jackknife, with scikit-learn: the estimate and its standard deviation."""
    items, weighted = len(truth), partial(score, average="weighted", zero_division=0)
    without = np.array([weighted(np.delete(truth, i, 0), np.delete(said, i, 0)) for i in range(items)])
    estimate = items * weighted(truth, said) - (items - 1) * without.mean()
    return float(estimate), float(np.sqrt((items - 1) * without.var()))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Jackknife]:
    """The jackknifes by which draws are moved."""
    used: list[Jackknife] = []
    moved = Jackknife.moved

    def noted(self: Jackknife, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        used.append(self)
        return moved(self, scores)

    monkeypatch.setattr(Jackknife, "moved", noted)
    return used


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
    expected, _ = by_leaving_out(SCORES[measure], truth, said)
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
    expected, _ = by_leaving_out(f1_score, truth, said)
    found = op.estimate(truth.astype(int), {"a": said.astype(int)}, average="weighted", draws=500, rng=0)
    assert abs(found.mean - expected) < 0.1 * found.sd


@pytest.mark.parametrize("measure", SCORES)
def test_the_spread_is_that_of_the_jackknife(measure: str, seen: list[Jackknife]) -> None:
    truth, said = answers(7, 150, 50)
    _, expected = by_leaving_out(SCORES[measure], truth, said)
    op.estimate(truth, {"a": said}, measure=measure, average="weighted", labels=range(50), draws=100, rng=0)
    assert seen[0].sd == pytest.approx([expected], rel=0.005)


def test_the_spread_in_strata(seen: list[Jackknife]) -> None:
    """Their shares are known: where one item is left out, the others of its stratum stand for it."""
    truth, said = answers(8, 300)
    stratum, variance = truth // 2, 0.0
    for items in (np.flatnonzero(stratum == k) for k in range(3)):
        without = []
        for i in items:
            weight = np.ones(len(truth))
            weight[items] = len(items) / (len(items) - 1)
            weight[i] = 0
            without.append(f1_score(truth, said, average="weighted", sample_weight=weight))
        variance += (len(items) - 1) * float(np.var(without))
    model = op.BayesianBootstrap(strata=stratum, prior="trend")
    op.estimate(truth, {"a": said}, average="weighted", model=model, draws=100, rng=0)
    assert seen[0].sd == pytest.approx([np.sqrt(variance)], rel=0.01)


def test_draws_are_spread_to_that_of_the_jackknife_and_never_less() -> None:
    """By 50% at most, and within the range of the measure."""
    drawn = default_rng(0).normal(0.5, 0.1, (10_000, 4))
    sd, mean = drawn.std(axis=0), drawn.mean(axis=0)
    jackknife = Jackknife(np.add(mean, [0, 0, 0, 0.3]), sd * [0.5, 1.2, 3, 1], np.ones(4), np.zeros(4), np.full(4, 0.9))
    found = jackknife.moved(drawn)
    np.testing.assert_allclose(found[:, 0], drawn[:, 0])
    np.testing.assert_allclose(found.max(axis=0)[1:], np.maximum(drawn.max(axis=0), 0.9)[1:])
    by_class = jackknife.moved(drawn[..., None] * [0.2, 0.3, 0.5]).sum(axis=-1)
    np.testing.assert_allclose(by_class.mean(axis=0), mean + sd * [0, 0, 0, 1.5])
    np.testing.assert_allclose(by_class.std(axis=0), sd * [1, 1.2, 1.5, 1])


def test_a_pair_has_the_means_that_each_has_alone() -> None:
    truth, a = answers(3)
    b = answers(3, 120)[1][::-1]
    both = op.compare(truth, {"a": a, "b": b}, average="weighted", rng=0)
    alone = [op.estimate(truth, {"a": said}, average="weighted", draws=500, rng=1) for said in (a, b)]
    # Which draws lie beyond the range of all, and are kept within it, depends on chance.
    assert [both.a.mean, both.b.mean] == pytest.approx([one.mean for one in alone], abs=0.02 * both.a.sd)
    assert sum(driver.delta for driver in both.drivers) == pytest.approx(both.delta.mean)


def test_unpaired_systems_are_placed_as_each_is_alone() -> None:
    truth, a = answers(9)
    b = np.where(np.arange(len(truth)) % 9, a, 0)
    both = op.compare(truth, {"a": a, "b": b}, average="weighted", model=op.Unpaired(), rng=0)
    for found, said in ((both.a, a), (both.b, b)):
        alone = op.estimate(truth, {"a": said}, average="weighted", draws=20_000, rng=1)
        assert found.mean == pytest.approx(alone.mean, abs=0.02 * alone.sd)
        assert found.sd == pytest.approx(alone.sd, rel=0.01)  # mostly that of the jackknife
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


@pytest.mark.parametrize("measure", ["precision", op.f_beta(LITTLE), lambda c: c.ratio(c.hit, c.predicted)])
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
