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
from outperform.models.extending import Known, Levers, Regression, first_draws, known, missing_draws, unexplained
from outperform.models.relevant import relevance
from outperform.models.shares import KINDS
from outperform.models.trend import Half, TrendPosterior

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


def of_counts(data: tuple[Array, dict[str, Array]], average: str = "macro") -> TrendPosterior:
    """Return the posterior of F1."""
    made = op.Counts.from_label_sets if np.ndim(data[0]) == 2 else op.Counts.from_labels
    posterior = TrendPosterior(relevance(made(*data))).reduced(average, MEASURES["f1"])
    assert isinstance(posterior, TrendPosterior)
    return posterior


def tail(seed: int, items: int = 1_200, number: int = 60) -> tuple[Array, dict[str, Array]]:
    """Classes with a long tail, some of which are found and others hardly ever."""
    rng = default_rng(seed)
    chance = 1 / np.arange(1, number + 1)
    pick = partial(rng.choice, number, p=chance / chance.sum())
    truth, good = np.concatenate([np.arange(number), pick(items - number)]), rng.beta(1, 1, number)
    return truth, {name: np.where(rng.random(items) < good[truth], truth, pick(items)) for name in "ab"}


@pytest.mark.parametrize("data", [classes(4, 900, 90), tail(4)])
def test_few_joint_draws_are_as_accurate_as_those_they_stand_for(data: tuple[Array, dict[str, Array]]) -> None:
    like, seeds, posterior = 500, range(8), of_counts(data)
    measure = partial(CONTRIBUTIONS["macro"], MEASURES["f1"])
    joint = posterior.scores(lambda c: measure(c).sum(axis=-1), draws=JOINT // 2, seed=SeedSequence(1))
    views = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -1.0]])  # both scores and their difference
    true, errors = joint @ views, []
    for seed in seeds:
        extended = posterior.extended(measure, draws=JOINT // 2, like=like, seed=SeedSequence(seed))
        assert extended is not None
        ours = extended[0] @ views
        errors.append(
            [(ours.mean(axis=0) - true.mean(axis=0)) / true.std(axis=0), ours.std(axis=0) / true.std(axis=0) - 1]
        )
    of_mean, of_sd = np.sqrt(np.square(errors).mean(axis=0))
    chance = 1 + ERRORS / sqrt(2 * len(seeds))  # how much larger than it is an error may seem in so few seeds
    assert (of_mean < chance / sqrt(like)).all()
    assert (of_sd < chance / sqrt(2 * like)).all()


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_what_a_class_adds_is_told_from_all_classes_moved_at_once(average: str) -> None:
    posterior = of_counts(classes(10), average)
    order, measure = posterior._orders[0], partial(CONTRIBUTIONS[average], MEASURES["f1"])
    total = np.full(1, posterior.items.items)
    middle = np.stack([pool.middle(order.outcomes.of(split)) for split, pool in order.pools])[..., None]

    def scores(sums: Array, shares: Array) -> Array:
        both = (posterior._contingency(triple, sums, total) for triple in order.triples(shares))
        return np.array([measure(contingency)[0, 0].sum() for contingency in both])

    steps = np.concatenate([steps for _, _, steps in order.nudged()])
    together = posterior._moves(measure, 0)
    alone, counted = np.empty_like(together), order.outcomes.counts[..., None]
    for number, class_ in np.ndindex(*steps.shape):
        step = np.zeros((len(steps), *counted.shape[1:]))
        step[number, class_] = steps[number, class_]
        further = scores(counted + step[:KINDS], middle + step[KINDS:])
        alone[number, class_] = (further - scores(counted, middle)) / steps[number, class_]
    for part in (slice(KINDS), slice(KINDS, None)):
        most = max(np.abs(alone[part]).max(), 1e-6)
        np.testing.assert_allclose(together[part], alone[part], atol=1e-3 * most)


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
    truth, systems = classes(9, items=20, number=4)  # whose weights are far from normal
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
        return 3 + 5 * c.ratio(c.hit, c.support)

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


def halves(average: str, data: tuple[Array, dict[str, Array]], draws: int) -> list[tuple[Known, Half]]:
    """Return the known parts of the scores with either system first, and joint draws."""
    posterior, measure = of_counts(data, average), partial(CONTRIBUTIONS[average], MEASURES["f1"])
    levers = [posterior._levers(measure, k) for k in range(2)]
    parts = [known(posterior.items.number, *levers[::way]) for way in (1, -1)]
    assert all(parts)
    joint = posterior._halves(measure, parts, draws, SeedSequence(5), 0)
    return [(part, half) for part, half in zip(parts, joint, strict=True) if part is not None]


def sets(seed: int, items: int = 1_500, labels: int = 20) -> tuple[Array, dict[str, Array]]:
    """Label sets with a long tail, in which labels come in pairs."""
    rng = default_rng(seed)
    truth = np.repeat(rng.random((items, labels // 2)) < np.geomspace(0.3, 0.002, labels // 2), 2, axis=1)
    return truth.astype(int), {name: (truth ^ (rng.random(truth.shape) < 0.03)).astype(int) for name in "ab"}


@pytest.mark.parametrize(("average", "data"), [("macro", classes(8)), ("macro", sets(8)), ("weighted", classes(8))])
def test_known_parts_have_the_moments_of_joint_draws(average: str, data: tuple[Array, dict[str, Array]]) -> None:
    draws = 20_000
    for part, half in halves(average, data, 2 * draws):
        spread = half.known.std(axis=0)
        real, ours = (x / np.where(spread > 0, spread, 1.0) for x in (half.known, part.draw(default_rng(6), draws)))
        assert real.shape == ours.shape
        real, ours = real[:, :6], ours[:, :6]  # the others are squares
        for power in (1, 2, 3):
            error = np.sqrt((real**power).var(axis=0) + (ours**power).var(axis=0)) / sqrt(draws)
            assert (np.abs((real**power).mean(axis=0) - (ours**power).mean(axis=0)) <= ERRORS * error).all(), power
        np.testing.assert_allclose(np.cov(ours.T), np.cov(real.T), atol=ERRORS * sqrt(2 / draws))


@pytest.mark.parametrize(("average", "data"), [("macro", classes(8)), ("macro", sets(8)), ("weighted", sets(8))])
def test_scores_are_nearly_linear_in_the_known_parts(average: str, data: tuple[Array, dict[str, Array]]) -> None:
    for _, half in halves(average, data, 1_000):
        assert unexplained(half.known, half.columns) < 0.05


def test_points_are_looked_up_as_they_are_chosen() -> None:
    (part, _), _ = halves("macro", classes(8), 100)
    normals = default_rng(0).standard_normal((len(part.levers[0].row), 20_000))
    for lever in part.levers:
        assert (lever.at(normals) != lever.about(normals)).any(axis=(1, 2)).mean() < 0.02


def test_few_items_have_no_known_part() -> None:
    number, moves = np.ones(503), np.repeat([[1.0], [1e-3]], [3, 500], axis=0) * np.ones(2)
    few, many = (Levers([], [], x, 0 * x, np.zeros((2, 2))) for x in (moves, np.where(moves > 0.5, 1e-3, moves)))
    assert known(number, few, few) is None
    assert known(number, many, many) is not None


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


def test_from_few_draws_only_the_slopes_of_own_parts_are_fitted() -> None:
    rng = default_rng(11)
    linear, tabled = rng.standard_normal((2, 20, 3))
    parts = np.column_stack([linear, tabled, linear**2 - 1])
    bend, noise = np.array([0.5, 0.0, -0.3]), 0.01 * rng.standard_normal((20, 3))
    scores = 2 + linear + tabled + bend * (linear**2 - 1) + noise
    fit = Regression.of(parts, scores)
    np.testing.assert_allclose(fit.mean, 2, atol=ERRORS * 0.01 / sqrt(10))
    expected = np.concatenate([np.eye(3), np.eye(3), np.diag(bend)])
    np.testing.assert_allclose(fit.slopes, expected, atol=ERRORS * 0.01 / sqrt(10))
    assert (fit.slopes[~np.tile(np.eye(3, dtype=bool), (3, 1))] == 0).all()
    np.testing.assert_allclose(fit.left, noise, atol=ERRORS * 0.01)
    steeper = Regression.of(parts, scores + 0.1 * tabled + 0.5 * noise[:, [1, 2, 0]])
    assert (np.diag(steeper.slopes[3:6]) > 1.01).all(), "the slopes of few draws are shrunk towards 1"
    assert (np.diag(steeper.slopes[3:6]) < 1.09).all()
    whole = Regression.of(np.tile(parts, (3, 1)), np.tile(scores, (3, 1)))
    assert whole.fitted == 10, "from more draws all slopes are"


def test_more_joint_draws_are_made_where_more_is_left() -> None:
    assert (first_draws(500), first_draws(5_000), first_draws(12_500)) == (16, 50, 120)
    rng = default_rng(12)

    def missing(drawn: int, left: float, like: int = 500) -> int:
        parts, noise = rng.standard_normal((2, drawn // 2, 9)), rng.standard_normal((2, drawn // 2, 3))
        scores = parts[..., :3] + parts[..., 3:6] + noise * sqrt(2 * left / (1 - left))
        return missing_draws(like, list(zip(parts, scores, strict=True)))

    assert missing(16, 1e-4) == 0
    assert missing(16, 0.5) == 16, "at most twice as many at a time, because few draws hardly tell what is left"
    assert missing(100, 0.05) == pytest.approx(0, abs=20)
    assert missing(100, 0.9) == 100
    assert 0 < missing(120, 0.05, 12_500) - (12_500 * 0.05 - 120) < 500, "by the score of which most is left"
    assert missing(120, 0.5) > 60
    assert missing(120, 0.999) <= 380, "never more than without known parts"
    assert missing(122, 0.5) == 0
