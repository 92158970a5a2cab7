"""Goals of a study, and hypothetical scenarios of two classifiers."""

from __future__ import annotations

import re
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics

import outperform as op
from outperform.verdicts.goals import GOALS, MID_ERROR, Goal
from outperform.verdicts.rule import Rule, decide

ROPE = (-0.05, 0.02)
TABLE_3 = op.Scenario(0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3))
SKLEARN: dict[str, Any] = {
    "f1": metrics.f1_score,
    "accuracy": metrics.accuracy_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
}
hundredths = st.integers(-30, 30).map(lambda k: k / 100)
ropes = st.tuples(st.integers(-10, 0), st.integers(0, 10)).map(lambda r: (r[0] / 100, r[1] / 100))


def reached(goal: Goal, low: float, high: float) -> bool:
    return bool(goal.reached(np.array([low]), np.array([high]))[0])


@pytest.mark.parametrize(
    ("name", "regions"),
    [
        ("better", ((0.02, inf),)),
        ("worse", ((-inf, -0.05),)),
        ("equivalent", (ROPE,)),
        ("decided", ((0.02, inf), (-inf, -0.05), ROPE)),
        ("not_worse", ((-0.05, inf),)),
    ],
)
def test_each_goal_has_its_regions(name: str, regions: Any) -> None:
    assert set(Goal.of(name, ROPE).regions) == set(regions)


@pytest.mark.parametrize("greater", [True, False])
@settings(max_examples=60)
@given(start=hundredths, width=st.integers(1, 30), rope=ropes)
def test_goals_are_the_verdicts(greater: bool, start: float, width: int, rope: tuple[float, float]) -> None:
    hdi = (start, start + width / 100)
    verdict = decide(hdi, rope, greater_is_better=greater)
    names = [name for name in GOALS if name != "equivalent" or rope[0] < rope[1]]
    found = {name: reached(Goal.of(name, rope, greater_is_better=greater), *hdi) for name in names}
    assert found["decided"] == (verdict in ("better", "worse", "equivalent"))
    assert found["not_worse"] == Rule(rope, greater).meets("not_worse", *hdi)
    for name in set(names) - {"decided", "not_worse"}:
        assert found[name] == (verdict == name)
    outcome = Goal.of("decided", rope, greater_is_better=greater).outcomes(np.array([hdi[0]]), np.array([hdi[1]]))
    assert outcome is not None
    of_draws = decide(hdi, rope, mid_error=MID_ERROR * (hdi[1] - hdi[0]), greater_is_better=greater)
    assert outcome.tolist() == [of_draws]


@pytest.mark.parametrize("name", ["better", "worse"])
@pytest.mark.parametrize("rope", [(-0.05, 0.0), (0.0, 0.05), (0.0, 0.0)])
def test_an_hdi_of_no_width_is_judged_as_in_a_verdict(name: str, rope: tuple[float, float]) -> None:
    """Units that do not differ at all have a verdict: decide returns "equivalent" first."""
    verdict = decide((0.0, 0.0), rope)
    assert reached(Goal.of(name, rope), 0.0, 0.0) == (verdict == name)


def test_borders_belong_to_their_region() -> None:
    for name, low, high in (("better", 0.02, 0.3), ("worse", -0.3, -0.05), ("equivalent", *ROPE)):
        for goal in (Goal.of(name, ROPE), Goal.of("decided", ROPE)):
            assert reached(goal, low, high)
            assert not reached(goal, low - 1e-9, high + 1e-9)
    assert reached(Goal.of("not_worse", ROPE), -0.05, 0.3)
    assert not reached(Goal.of("not_worse", ROPE), -0.05 - 1e-9, 0.3)
    assert reached(Goal.precise(0.25), 0.25, 0.5)
    assert not reached(Goal.precise(0.25), 0.25, 0.5 + 1e-9)


@pytest.mark.parametrize("name", GOALS)
def test_where_lower_is_better_everything_is_mirrored(name: str) -> None:
    ends = np.random.default_rng(0).uniform(-0.15, 0.15, (400, 2))
    low, high = ends.min(axis=1), ends.max(axis=1)
    one, other = Goal.of(name, ROPE), Goal.of(name, (-ROPE[1], -ROPE[0]), greater_is_better=False)
    np.testing.assert_array_equal(other.reached(-high, -low), one.reached(low, high))
    np.testing.assert_array_equal(other.open_to(-low), one.open_to(low))
    np.testing.assert_allclose(other.margin(-high, -low), one.margin(low, high), atol=1e-15)
    assert one.reached(low, high).any()


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_is_open_to_what_lies_strictly_inside_and_a_verdict_to_anything(name: str) -> None:
    goal = Goal.of(name, ROPE)
    delta = np.array([-0.2, -0.05, -0.01, 0.02, 0.2])
    expected = {
        "better": [0, 0, 0, 0, 1],
        "worse": [1, 0, 0, 0, 0],
        "equivalent": [0, 0, 1, 0, 0],
        "decided": [1, 1, 1, 1, 1],
        "not_worse": [0, 0, 1, 1, 1],
    }
    assert goal.open_to(delta).astype(int).tolist() == expected[name]
    assert goal.open_to(-0.01) == expected[name][2]


@pytest.mark.parametrize("name", GOALS)
def test_within_the_margin_nothing_changes(name: str) -> None:
    rng = np.random.default_rng(1)
    ends = rng.uniform(-0.15, 0.15, (300, 2))
    low, high = ends.min(axis=1), ends.max(axis=1)
    goal, every = Goal.of(name, ROPE), np.array(sorted({*ROPE}))
    margin = goal.margin(low, high)
    expected = np.abs(np.stack([low, high])[..., None] - every).min(axis=(0, 2))
    np.testing.assert_allclose(margin, expected, atol=1e-15)
    for _ in range(5):
        move = rng.uniform(-0.999, 0.999, (2, 300)) * margin
        np.testing.assert_array_equal(goal.reached(low + move[0], high + move[1]), goal.reached(low, high))


def test_the_margin_of_a_width() -> None:
    low, high = np.array([0.1, 0.1]), np.array([0.15, 0.3])
    np.testing.assert_allclose(Goal.precise(0.1).margin(low, high), [0.05, 0.1])
    np.testing.assert_allclose(Goal.precise(0.1, (-0.1, 0.11)).margin(low, high), [0.01, 0.01])
    assert Goal.precise(0.1).outcomes(low, high) is None


def test_not_worse_may_have_a_dash() -> None:
    assert Goal.of("not-worse", ROPE) == Goal.of("not_worse", ROPE)


@pytest.mark.parametrize(
    ("name", "rope", "width", "sentence"),
    [
        ("beter", ROPE, None, "unknown goal 'beter'; did you mean 'better'"),
        ("decided", None, None, "the goal 'decided' needs a ROPE"),
        (None, None, None, "the goal 'decided' needs a ROPE"),
        ("equivalent", (0.0, 0.0), None, "nothing can be equivalent within a ROPE of width 0"),
        ("better", ROPE, 0.1, "give a goal or a width, not both"),
        (None, None, "wide", "width must be a number between 0 and 2, .* got 'wide'"),
        (None, None, 0, "width must be a number between 0 and 2"),
        (None, None, 2, "width must be a number between 0 and 2"),
        (None, None, -0.1, "width must be a number between 0 and 2"),
        (None, None, nan, "width must be a number between 0 and 2"),
        (None, None, True, "width must be a number between 0 and 2"),
        (None, None, [0.1], "width must be a number between 0 and 2"),
    ],
)
def test_bad_goals(name: Any, rope: Any, width: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Goal.asked(name, rope, width)


def expanded(truth: op.Scenario, items: int = 10_000) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return labels and both predictions of `items` items, without the package."""
    shares = [*(truth.mu * p for p in truth.positive), *((1 - truth.mu) * p for p in truth.negative)]
    n = np.rint(items * np.array(shares)).astype(int)
    columns = [1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0] * 2, [1, 0, 1, 0] * 2
    y, a, b = (np.repeat(column, n) for column in columns)
    return y, a, b


@pytest.mark.parametrize("measure", SKLEARN)
@pytest.mark.parametrize(
    "truth",
    [
        TABLE_3,
        op.Scenario(0.3, (0.55, 0.2, 0.15, 0.1), (0.04, 0.06, 0.1, 0.8)),
        op.Scenario(0.75, (1, 0, 0, 0), (0, 0, 1, 0)),
    ],
    ids=["table 3", "rare", "extreme"],
)
def test_scores_are_scikit_learns(truth: op.Scenario, measure: str) -> None:
    y, a, b = expanded(truth)
    assert truth.scores(measure) == pytest.approx([SKLEARN[measure](y, guess) for guess in (a, b)], abs=1e-9)
    assert truth.agreement == pytest.approx((a == b).mean(), abs=1e-9)


def test_a_truth_keeps_plain_numbers() -> None:
    truth = op.Scenario(np.float32(0.5), np.array([0.25] * 4), [1, 0, 0, 0])  # type: ignore[arg-type]
    assert (truth.mu, truth.positive, truth.negative) == (0.5, (0.25,) * 4, (1.0, 0.0, 0.0, 0.0))
    assert truth == op.Scenario(0.5, (0.25, 0.25, 0.25, 0.25), (1, 0, 0, 0))
    assert truth.counts().n.sum() == pytest.approx(1)


@pytest.mark.parametrize("measure", ["f1", "accuracy", "precision", "recall", "mcc"])
@pytest.mark.parametrize("prevalence", [0.02, 0.3, 0.5, 0.6])
def test_from_scores_has_these_scores(measure: str, prevalence: float) -> None:
    """Also by scikit-learn, with the shares as weights; as many positives are predicted as there are."""
    a, b = (0.97, 0.96) if measure == "accuracy" and prevalence < 0.1 else (0.85, 0.7)
    truth = op.Scenario.from_scores(a, b, prevalence=prevalence, measure=measure)
    assert truth.scores(measure) == pytest.approx((a, b), abs=1e-6)
    cells = truth.counts()
    for k, target in enumerate((a, b)):
        guess = cells.predictions[:, k]
        assert SKLEARN[measure](cells.truth, guess, sample_weight=cells.n) == pytest.approx(target, abs=1e-6)
        assert cells.n @ guess == pytest.approx(prevalence)
    recalls = [(truth.positive[0] + truth.positive[k]) for k in (1, 2)]
    assert truth.positive[0] == pytest.approx(recalls[0] * recalls[1])  # independent mistakes


@settings(max_examples=50)
@given(
    a=st.floats(0.5, 1),
    b=st.floats(0.5, 1),
    prevalence=st.floats(0.01, 0.6),
    share=st.floats(0, 1),
    measure=st.sampled_from(["f1", "recall", "mcc"]),
)
def test_any_possible_agreement_is_met(a: float, b: float, prevalence: float, share: float, measure: str) -> None:
    """Two events of probabilities p and q occur together with at least p + q − 1 and at most the smaller (Fréchet)."""
    alone = op.Scenario.from_scores(a, b, prevalence=prevalence, measure=measure)
    least, most = agreements(alone)
    wanted = min(least + share * (most - least), 1.0)
    truth = op.Scenario.from_scores(a, b, prevalence=prevalence, measure=measure, agreement=wanted)
    assert truth.agreement == pytest.approx(wanted, abs=1e-9)
    assert truth.scores(measure) == pytest.approx((a, b), abs=1e-6)
    assert least - 1e-9 <= alone.agreement <= most + 1e-9


def agreements(truth: op.Scenario) -> tuple[float, float]:
    """Return the least and the largest agreement of two systems with these rates."""
    least = most = 0.0
    for weight, (both, first, second, _) in ((truth.mu, truth.positive), (1 - truth.mu, truth.negative)):
        p, q = both + first, both + second
        least += weight * (1 - p - q + 2 * max(0.0, p + q - 1))
        most += weight * (1 - p - q + 2 * min(p, q))
    return least, most


def test_an_impossible_agreement_is_told_the_range() -> None:
    with pytest.raises(ValueError, match=r"agreement 0\.5 is impossible") as caught:
        op.Scenario.from_scores(0.9, 0.8, prevalence=0.3, agreement=0.5)
    said = re.search(r"between ([\d.]+) and ([\d.]+) of the items", str(caught.value))
    assert said is not None
    expected = agreements(op.Scenario.from_scores(0.9, 0.8, prevalence=0.3))
    assert [float(x) for x in said.groups()] == pytest.approx(expected, abs=5e-4)
    with pytest.raises(ValueError, match="agreement 1 is impossible"):
        op.Scenario.from_scores(0.9, 0.8, prevalence=0.3, agreement=1)


def test_a_score_out_of_reach_is_told_the_range() -> None:
    """With nine positives in ten, at most a tenth of the items can be false positives: F1 ≥ 1 − 1/9."""
    with pytest.raises(ValueError, match=r"f1 0\.3 of a is out of reach at a prevalence of 0\.9: .* 0\.889 and 1\.000"):
        op.Scenario.from_scores(0.3, 0.95, prevalence=0.9)
    assert op.Scenario.from_scores(0.89, 0.95, prevalence=0.9).scores() == pytest.approx((0.89, 0.95))


@pytest.mark.parametrize("measure", ["error_rate", "f2", "jaccard"])
def test_any_measure_that_moves_with_mistakes_will_do(measure: str) -> None:
    truth = op.Scenario.from_scores(0.2, 0.3, prevalence=0.5, measure=measure)
    assert truth.scores(measure) == pytest.approx((0.2, 0.3), abs=1e-6)


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({"a": nan}, "the score a must be a number, got nan"),
        ({"b": "0.7"}, "the score b must be a number, got '0.7'"),
        ({"b": [0.7]}, r"the score b must be a number, got \[0.7\]"),
        ({"a": 1.5}, r"f1 1\.5 of a is out of reach"),
        ({"b": -0.1}, r"f1 -0\.1 of b is out of reach"),
        ({"prevalence": 0}, "prevalence must lie between 0 and 1"),
        ({"prevalence": 1}, "prevalence must lie between 0 and 1"),
        ({"prevalence": 1.5}, "prevalence must be a probability between 0 and 1, got 1.5"),
        ({"prevalence": nan}, "prevalence must be a probability between 0 and 1, got nan"),
        ({"agreement": -0.1}, "agreement must be a probability between 0 and 1, got -0.1"),
        ({"agreement": "much"}, "agreement must be a probability between 0 and 1, got 'much'"),
        ({"measure": "f7"}, "unknown measure 'f7'"),
    ],
)
def test_impossible_scores(given_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.Scenario.from_scores(**({"a": 0.8, "b": 0.75, "prevalence": 0.3} | given_))


FOUR = (0.25,) * 4


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ((1.2, FOUR, FOUR), "mu must be a probability between 0 and 1, got 1.2"),
        ((-0.1, FOUR, FOUR), "mu must be a probability between 0 and 1, got -0.1"),
        ((nan, FOUR, FOUR), "mu must be a probability between 0 and 1, got nan"),
        (("0.5", FOUR, FOUR), "mu must be a probability between 0 and 1, got '0.5'"),
        (([0.5], FOUR, FOUR), "mu must be a probability between 0 and 1"),
        ((0.5, (0.5, 0.7, -0.2, 0.0), FOUR), "positive must be a probability between 0 and 1, got -0.2"),
        ((0.5, (0.5, 0.2, 0.2, 0.2), FOUR), r"the probabilities of positive must add up to 1, they add up to 1\.1"),
        ((0.5, FOUR, (0.1, 0.1, 0.1, 0.1)), r"the probabilities of negative must add up to 1, they add up to 0\.4"),
        ((0.5, (0.5, 0.25, 0.25), FOUR), "positive is four probabilities, of 11, 10, 01 and 00"),
        ((0.5, FOUR, ("0.25",) * 4), "negative is four probabilities, of 11, 10, 01 and 00"),
        ((0.5, FOUR, 0.25), "negative is four probabilities"),
        ((0.5, FOUR, None), "negative is four probabilities"),
        ((0.5, (0.25, (0.25,), 0.25, 0.25), FOUR), "positive is four probabilities"),
        (([0.5, [0.5]], FOUR, FOUR), "mu must be a probability"),
    ],
)
def test_impossible_truths(numbers: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.Scenario(*numbers)


def test_rounded_probabilities_may_miss_1_by_rounding() -> None:
    thirds = (0.3333333, 0.3333333, 0.3333334, 0.0)
    assert op.Scenario(0.5, thirds, FOUR).positive == thirds
