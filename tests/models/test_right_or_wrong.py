"""Accuracy and micro averages of many classes: the shares of right answers are Dirichlet, which scipy knows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import outperform as op

DRAWS = 20_000


@lru_cache
def answers() -> tuple[Any, dict[str, Any]]:
    """300 items of seven classes, and three systems that are right on 70, 60 and 60%, often together."""
    rng = np.random.default_rng(4)
    truth = rng.choice(7, 300, p=np.array([20, 8, 4, 2, 2, 1, 1]) / 38)
    hard = rng.random(300)
    said = {}
    for name, share in {"a": 0.7, "b": 0.6, "c": 0.6}.items():
        right = hard + 0.2 * rng.normal(size=300) < share
        said[name] = np.where(right, truth, (truth + 1) % 7)
    return truth, said


def pair(**settings: Any) -> Any:
    truth, said = answers()
    return op.compare(truth, {name: said[name] for name in "ab"}, draws=DRAWS, rng=0, **settings)


def outcomes() -> tuple[float, ...]:
    """Items on which both, only a, only b and neither is right."""
    truth, said = answers()
    a, b = (said[name] == truth for name in "ab")
    return tuple(float(np.sum(x)) for x in (a & b, a & ~b, b & ~a, ~a & ~b))


@pytest.mark.parametrize(
    "settings", [{"measure": "accuracy"}, {"average": "micro"}, {"measure": "jaccard", "average": "micro"}]
)
def test_each_score_is_a_beta(settings: dict[str, str]) -> None:
    r = pair(**settings)
    assert "|prior:right_or_wrong|" in r.signature
    both, only_a, only_b, _ = outcomes()
    for draws, right in zip(r.draws.T, (both + only_a, both + only_b), strict=True):
        share = draws if settings.get("measure") != "jaccard" else 2 * draws / (1 + draws)
        known = stats.beta(right + 1, 300 - right + 1)
        assert stats.kstest(share, known.cdf).pvalue > 0.001


def test_the_difference_is_that_of_two_cells() -> None:
    """A-only has the share s·φ of the items and B-only s·(1 − φ), where s and φ are independent Betas."""
    both, only_a, only_b, neither = outcomes()
    s = stats.beta(only_a + only_b + 1, both + neither + 1)
    phi = stats.beta(only_a + 0.5, only_b + 0.5)

    def below(d: float) -> float:
        return float(integrate.quad(lambda x: s.pdf(x) * phi.cdf((d / x + 1) / 2), *s.ppf([1e-12, 1 - 1e-12]))[0])

    drawn = pair(measure="accuracy").draws
    delta = drawn[:, 0] - drawn[:, 1]
    for share in (0.03, 0.3, 0.8):
        p = below(float(np.quantile(delta, share)))
        assert share == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / DRAWS))


def test_classes_do_not_matter() -> None:
    truth, said = answers()
    r = pair(measure="accuracy")
    coarse = {name: np.where(said[name] == truth, truth % 3, (truth + 1) % 3) for name in "ab"}
    other = op.compare(truth % 3, coarse, measure="accuracy", draws=DRAWS, rng=0)
    np.testing.assert_array_equal(r.draws, other.draws)


def test_more_systems_have_the_same_scores() -> None:
    truth, said = answers()
    ranking = op.rank(truth, said, measure="accuracy", draws=DRAWS, rng=0, shrink=False)
    assert "|prior:right_or_wrong|" in ranking.signature
    for name, draws in zip(ranking.evidence.names, ranking.draws.T, strict=True):
        right = np.sum(said[name] == truth)
        known = stats.beta(right + 1, 300 - right + 1)
        assert draws.mean() == pytest.approx(known.mean(), abs=4 * known.std() / np.sqrt(DRAWS))
        assert draws.std() == pytest.approx(known.std(), rel=4 / np.sqrt(2 * DRAWS))


@pytest.mark.parametrize("names", ["ab", "abc"])
def test_an_item_is_a_negative_of_all_classes_but_one(names: str) -> None:
    """A wrong answer is a false alarm of one of these six: the micro specificity is 1 − (1 − accuracy)/6."""
    truth, said = answers()
    settings: dict[str, Any] = {"draws": DRAWS, "rng": 0, "shrink": False}
    ranking = op.rank(truth, {name: said[name] for name in names}, measure="specificity", average="micro", **settings)
    for name, draws in zip(ranking.evidence.names, ranking.draws.T, strict=True):
        right = np.sum(said[name] == truth)
        assert stats.kstest(1 - 6 * (1 - draws), stats.beta(right + 1, 300 - right + 1).cdf).pvalue > 0.001


def test_an_estimate_says_the_same() -> None:
    truth, said = answers()
    r = op.estimate(truth, said["a"], measure="accuracy", draws=DRAWS, rng=0)
    right = np.sum(said["a"] == truth)
    assert stats.kstest(r.draws, stats.beta(right + 1, 300 - right + 1).cdf).pvalue > 0.001


def test_accuracy_and_micro_f1_have_the_same_bayes_factor() -> None:
    one, two = pair(measure="accuracy"), pair(average="micro")
    assert one.bayes_factor.savage_dickey == pytest.approx(two.bayes_factor.savage_dickey, rel=1e-9)


def test_a_plan_reads_the_same_scale() -> None:
    """Priors of two pseudo-items ask for about as many items; scores on another scale would ask for many more."""
    truth, said = answers()
    counts = op.Counts.from_labels(truth, {name: said[name] for name in "ab"})
    default, pooled = (
        op.plan(counts, measure="accuracy", rope=0.02, prior=prior, draws=2_000, rng=0) for prior in (None, "pooled")
    )
    assert default.items == pytest.approx(pooled.items, rel=0.5)


def test_the_default_equals_the_prior_of_that_name() -> None:
    truth, said = answers()
    counts = op.Counts.from_labels(truth, said)
    assert op.Paired().settled(counts, reads="right") == op.Paired("right_or_wrong")
    assert op.Paired().settled(counts, reads="classes") != op.Paired("right_or_wrong")


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_averages_over_classes_are_refused(average: str) -> None:
    with pytest.raises(ValueError, match="the right_or_wrong prior is for accuracy and micro averages"):
        pair(average=average, prior="right_or_wrong")


def test_two_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="the right_or_wrong prior is for items with one of many classes each"):
        op.compare([0, 1, 1], {"a": [0, 1, 0], "b": [1, 1, 1]}, prior="right_or_wrong")
