"""Many draws from few joint ones, against as many joint draws."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray

import outperform as op
from outperform.measures.averages import CONTRIBUTIONS, macro
from outperform.measures.of_counts import MEASURES
from outperform.models.extending import Regression, Tallied, known, unexplained
from outperform.models.relevant import relevance
from outperform.models.shares import KINDS
from outperform.models.trend import TrendPosterior

Array = NDArray[Any]
ERRORS = 4  # Monte-Carlo errors
JOINT, LIKE = 40_000, 12_500  # draws of the reference, and those that the default is as accurate as
END = sqrt(0.025 * 0.975) / 0.05845  # standard error of an end of a 95% interval, times √draws, in standard deviations


def classes(seed: int, items: int = 2_000, number: int = 12) -> tuple[Array, dict[str, Array]]:
    """Two systems whose recall differs from class to class."""
    rng = default_rng(seed)
    truth, good = rng.integers(0, number, items), rng.beta(5, 3, number)

    def predicted(less: float) -> Array:
        right = rng.random(items) < good[truth] - less
        return np.where(right, truth, rng.integers(0, number, items))

    return truth, {"a": predicted(0.0), "b": predicted(0.05)}


@pytest.mark.parametrize(
    ("average", "measure"),
    [
        ("macro", "f1"), ("weighted", "recall"), ("macro", "precision"),
        *(pytest.param(*both, marks=pytest.mark.slow) for both in
          (("weighted", "f1"), ("macro", "recall"), ("weighted", "precision"))),
    ],
)  # fmt: skip
def test_scores_and_their_difference_are_those_of_joint_draws(average: str, measure: str) -> None:
    data = classes(1)
    ours, joint = (op.compare(*data, measure=measure, average=average, draws=draws, rng=2) for draws in (None, JOINT))
    assert isinstance(ours, op.Comparison)
    assert isinstance(joint, op.Comparison)
    assert "engine:expansion" in ours.signature
    assert "engine" not in joint.signature
    error = sqrt(1 / LIKE + 1 / JOINT)
    for found, true in ((ours.delta, joint.delta), (ours.a, joint.a), (ours.b, joint.b)):
        assert abs(found.mean - true.mean) < ERRORS * error * true.sd
        assert abs(found.sd / true.sd - 1) < ERRORS * error
        # An HDI of draws varies more than an interval between two quantiles, because its place is free.
        np.testing.assert_allclose(found.hdi, true.hdi, atol=2 * ERRORS * END * error * true.sd, rtol=0)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_what_a_class_adds_is_told_from_all_classes_moved_at_once(average: str) -> None:
    truth, systems = classes(10)
    counts = op.Counts.from_labels(truth, systems)
    posterior = TrendPosterior(relevance(counts)).reduced(average, MEASURES["f1"])
    assert isinstance(posterior, TrendPosterior)
    order, measure = posterior._orders[0], partial(CONTRIBUTIONS[average], MEASURES["f1"])
    total = np.full(1, posterior.items.items)

    def score(sums: Array) -> float:
        at_mean = order.first(lambda shapes: shapes, sums, np.full((len(order.one), 1), 0.5))
        contingency = posterior._contingency(at_mean, sums, total)
        return float(measure(contingency)[0, 0].sum())

    sums, triples, steps = order.nudged(given=False)
    moved = posterior._of_themselves(
        measure, posterior._contingency(triples[0], sums, np.repeat(total, sums.shape[-1]))
    )
    together = (moved[:-1] - moved[-1])[:KINDS] / steps[:KINDS]
    alone, counted = np.empty_like(together), order.outcomes.counts[..., None]
    for outcome, class_ in np.ndindex(*alone.shape):
        step = np.zeros_like(counted)
        step[outcome, class_] = steps[outcome, class_]
        alone[outcome, class_] = (score(counted + step) - score(counted)) / steps[outcome, class_]
    np.testing.assert_allclose(together, alone, atol=1e-3 * np.abs(alone).max())


def test_which_system_is_first_does_not_matter() -> None:
    truth, systems = classes(3)
    one = op.compare(truth, systems, average="macro", rng=0)
    other = op.compare(truth, {"b": systems["b"], "a": systems["a"]}, average="macro", rng=0)
    assert other.delta.hdi == (-one.delta.hdi[1], -one.delta.hdi[0])
    assert other.a.mean == one.b.mean


def test_the_number_of_cores_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    means = []
    for jobs in ("1", "3"):
        monkeypatch.setenv("OUTPERFORM_JOBS", jobs)
        means.append(op.compare(*classes(4), average="macro", rng=0).delta.mean)
    assert means[0] == means[1]


def test_strata_and_few_items_are_drawn_jointly() -> None:
    truth, systems = classes(9, items=60)  # whose scores follow no regression
    few = op.compare(truth, systems, average="macro", rng=0)
    assert "engine" not in few.signature
    items = relevance(op.Counts.from_labels(*classes(6)))
    f1 = partial(macro, MEASURES["f1"])
    for stratum in (None, np.arange(len(items.number)) % 4):
        extending = TrendPosterior(replace(items, stratum=stratum)).extending
        extended = extending and extending.extended(f1, draws=100, like=100, seed=SeedSequence(0))
        assert (extended is None) == (stratum is not None)


def test_scores_stay_within_their_limits() -> None:
    rng = default_rng(7)
    truth = rng.integers(0, 4, 20_000)
    systems = {
        name: np.where(rng.random(20_000) < share, 3 - truth, truth) for name, share in (("a", 4e-3), ("b", 5e-3))
    }
    result = op.compare(truth, systems, average="macro", rng=0)
    assert "engine:expansion" in result.signature
    assert result.draws.max() <= 1


def test_a_function_of_the_user_has_no_limits() -> None:
    def gain(c: op.Contingency) -> Array:
        return 3 + 5 * c.ratio(c.tp, c.support)

    ours, joint = (
        op.compare(*classes(10), measure=gain, average="macro", draws=draws, rng=0) for draws in (None, 4_000)
    )
    assert isinstance(ours, op.Comparison)
    assert isinstance(joint, op.Comparison)
    assert "engine:expansion" in ours.signature
    assert abs(ours.delta.mean - joint.delta.mean) < ERRORS * sqrt(1 / 4_000 + 1 / LIKE) * joint.delta.sd
    assert ours.a.mean > 3


def test_a_measure_that_is_not_finite_is_refused() -> None:
    def odds(c: op.Contingency) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(c.tp > 0, np.inf, 1.0)

    with pytest.raises(ValueError, match="measure 'odds' is not finite on some draws"):
        op.compare(*classes(10), measure=odds, average="macro", rng=0)


def test_three_items_have_scores_within_the_limits() -> None:
    truth, systems = ["a", "b", "c"], {"one": ["a", "b", "c"], "two": ["b", "a", "a"]}
    for average in ("macro", "weighted"):
        result = op.compare(truth, systems, average=average, rng=0)
        assert isinstance(result, op.Comparison)
        assert result.draws.min() >= 0
        assert result.draws.max() <= 1


def test_known_parts_have_the_moments_of_sums_of_weights() -> None:
    rng = default_rng(8)
    number, draws = rng.integers(1, 9, 100).astype(np.float64), 100_000
    moves = rng.exponential(size=(100, 3)) ** 2 * [1.0, -0.4, 0.2]
    shapes, by_gammas = rng.random((2, 50)) + 0.5, rng.normal(size=(2, 50, 3))
    parts = known([moves, by_gammas], [number, shapes], 2)
    assert parts is not None
    tally = Tallied(rng.standard_gamma, parts.units[1])
    for shape in shapes:
        tally(np.repeat(shape[:, None], draws, axis=1))
    real = parts.of(rng.standard_gamma(number[:, None], (100, draws)), rng.standard_normal((2, draws)), [tally])
    ours = parts.draw(rng, draws)
    assert real.shape == ours.shape
    for power in (1, 2, 3):
        spread = np.sqrt((real**power).var(axis=0) + (ours**power).var(axis=0)) / sqrt(draws)
        assert (np.abs((real**power).mean(axis=0) - (ours**power).mean(axis=0)) < ERRORS * spread).all()
    np.testing.assert_allclose(np.cov(ours.T), np.eye(ours.shape[1]), atol=ERRORS * 3 / sqrt(draws))


def test_few_items_have_no_known_part() -> None:
    moves = np.concatenate([np.ones((3, 1)), np.full((500, 1), 1e-3)])
    assert known([moves, np.zeros((1, 2, 1))], [np.ones(503), np.ones((1, 2))], 0) is None


def test_what_is_left_is_what_the_parts_do_not_explain() -> None:
    rng = default_rng(9)
    parts, noise = rng.standard_normal((20_000, 4)), rng.standard_normal((20_000, 2))
    scores = 0.5 + parts @ rng.standard_normal((4, 2)) + noise
    fit = Regression.of(parts, scores)
    np.testing.assert_allclose(fit.mean, 0.5, atol=ERRORS / sqrt(20_000))
    shares = np.array([*noise.T, noise[:, 0] - noise[:, 1]]).var(axis=1)
    wholes = np.array([*scores.T, scores[:, 0] - scores[:, 1]]).var(axis=1)
    assert abs(unexplained(parts, scores) - (shares / wholes).max()) < 0.01
    assert unexplained(parts, np.full((20_000, 2), 0.5)) == 0, "scores that do not vary leave nothing"
