"""HDI, Monte-Carlo errors, the six outcomes."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import outperform as op
from outperform.decision import OUTCOMES, REQUIREMENTS, as_rope, meets, outcome
from outperform.summary import hdi_mid_error, summarise_delta

CASES = json.loads((Path(__file__).parent / "data" / "decision_cases.json").read_text(encoding="utf-8"))


def exact_hdi(distribution: Any, mass: float) -> tuple[float, float]:
    found = optimize.minimize_scalar(
        lambda p: distribution.ppf(p + mass) - distribution.ppf(p), bounds=(0, 1 - mass), method="bounded"
    )
    return distribution.ppf(found.x), distribution.ppf(found.x + mass)


@pytest.mark.parametrize("mass", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize(
    "distribution", [stats.norm(1, 3), stats.gamma(8), stats.beta(60, 3), stats.beta(2, 2)], ids=lambda d: d.dist.name
)
def test_hdi_is_the_shortest_interval(distribution: Any, mass: float) -> None:
    draws = distribution.rvs(50_000, random_state=1)
    low, high = op.hdi(draws, mass)
    inside = ((draws >= low) & (draws <= high)).mean()
    assert abs(inside - mass) < 0.002
    exact = exact_hdi(distribution, mass)
    assert high - low == pytest.approx(exact[1] - exact[0], rel=0.02)
    assert (low, high) == pytest.approx(exact, abs=(0.05 if mass > 0.9 else 0.09) * distribution.std())


def test_hdi_of_a_density_that_falls_from_its_end() -> None:
    low, high = op.hdi(np.random.default_rng(2).exponential(size=50_000))
    assert low == pytest.approx(0, abs=0.002)
    assert high == pytest.approx(-np.log(0.05), abs=0.08)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=200), st.floats(0.01, 0.99))
def test_mirrored_draws_have_a_mirrored_interval(values: list[float], mass: float) -> None:
    draws = np.array(values)
    low, high = op.hdi(draws, mass)
    assert op.hdi(-draws, mass) == pytest.approx((-high, -low), abs=1e-12)
    both = op.hdi(np.concatenate([draws, -draws]), mass)
    assert both[0] == pytest.approx(-both[1], abs=1e-12)


@pytest.mark.parametrize("draws", [[], [[1.0]], [np.nan, 1.0], [np.inf]])
def test_hdi_refuses(draws: Any) -> None:
    with pytest.raises(ValueError, match="draws must be a sequence of finite numbers, and not empty"):
        op.hdi(draws)
    with pytest.raises(ValueError, match="mass must lie between 0 and 1"):
        op.hdi(np.ones(3), 2)


def test_hdi_of_one_draw() -> None:
    assert op.hdi(np.array([0.3])) == (0.3, 0.3)


def test_mid_error_is_the_spread_of_the_mid_point() -> None:
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=10_000) for _ in range(200)]
    spread = np.std([sum(op.hdi(x)) / 2 for x in samples])
    claimed = np.median([hdi_mid_error(x) for x in samples])
    assert claimed == pytest.approx(spread, rel=0.3)
    assert hdi_mid_error(np.zeros(10)) == float("inf")


def test_summary_of_known_draws() -> None:
    draws = np.array([-1.0, 0.0, 1.0, 2.0])
    delta = summarise_delta([0.75, 0.25], draws, 0.5)
    assert (delta.observed, delta.mean, delta.median) == (0.5, 0.5, 0.5)
    assert delta.sd == pytest.approx(draws.std(ddof=1))
    assert delta.mc_error == pytest.approx(draws.std(ddof=1) / sqrt(4))
    assert (delta.p_less, delta.p_greater) == (0.25, 0.5)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["why"])
def test_decision(case: dict[str, Any]) -> None:
    hdi, rope = tuple(case["hdi"]), tuple(case["rope"])
    name = op.decide(hdi, rope, mid_error=case["mid_error"])
    assert name == case["decision"]
    mirror = {"better": "worse", "slightly_better": "slightly_worse"}
    mirror |= {v: k for k, v in mirror.items()}
    turned = op.decide((-hdi[1], -hdi[0]), (-rope[1], -rope[0]), mid_error=case["mid_error"])
    assert turned == mirror.get(name, name)
    assert op.decide(hdi, rope, mid_error=case["mid_error"], greater_is_better=False) == mirror.get(name, name)


def test_cases_cover_all_six_outcomes() -> None:
    assert {case["decision"] for case in CASES} == set(OUTCOMES)


def test_only_open_outcomes_ask_for_more_data() -> None:
    for name in ("equivalent", "worse", "better", "slightly_worse", "slightly_better", "undecided"):
        decision = op.Decision.of(name, "x", "y")
        assert ("more data needed" in decision.text) == (name not in ("equivalent", "worse", "better"))
        assert "x" in decision.text
        assert "y" in decision.text


@pytest.mark.parametrize(
    ("hdi", "met"),
    [
        ((0.02, 0.05), {"better", "not-worse"}),
        ((-0.005, 0.005), {"not-worse", "equivalent"}),
        ((-0.005, 0.05), {"not-worse"}),
        ((-0.05, 0.05), set()),
        ((-0.05, -0.02), set()),
    ],
)
def test_requirements(hdi: tuple[float, float], met: set[str]) -> None:
    rope = (-0.01, 0.01)
    assert {r for r in REQUIREMENTS if meets(r, hdi, rope)} == met
    turned = (-hdi[1], -hdi[0])
    assert {r for r in REQUIREMENTS if meets(r, turned, rope, greater_is_better=False)} == met


def test_unknown_requirement() -> None:
    with pytest.raises(ValueError, match=r"unknown requirement 'best'; .*known: better, equivalent, not-worse"):
        meets("best", (0, 1), (0, 0))


def test_ropes() -> None:
    assert as_rope(None) is None
    assert as_rope(0.05) == (-0.05, 0.05)
    assert as_rope(0) == (0, 0)
    assert as_rope((-0.01, 0.02)) == (-0.01, 0.02)
    assert as_rope([0, 0.02]) == (0, 0.02)  # type: ignore[arg-type]
    assert as_rope(np.float32(0.5)) == (-0.5, 0.5)
    assert as_rope(np.int64(0)) == (0, 0)


@pytest.mark.parametrize(
    ("rope", "sentence"),
    [
        (-0.05, r"rope is reversed: its low end 0\.05 is above its high end -0\.05"),
        ((0.05, -0.05), "rope is reversed"),
        (5, r"rope must lie between -1 and 1, got 5; it is in units of the measure"),
        ((-2, 0), r"rope must lie between -1 and 1"),
        (float("nan"), r"rope must lie between -1 and 1"),
        ((0.01, 0.02), r"rope must hold 0, no difference at all, got \[0\.01, 0\.02\]"),
        (True, "rope must be a number or a pair"),
        ("wide", r"rope must be a number or a pair \(low, high\), got 'wide'"),
        (([0], [1, 2]), "rope must be a number or a pair"),
        ((1, 2, 3), "rope must be a number or a pair"),
    ],
)
def test_bad_ropes(rope: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        as_rope(rope)


def test_an_hdi_leans_only_where_most_of_the_draws_lie() -> None:
    """A long tail below draws the HDI's middle under 0 while most of the draws lie above."""
    rng = np.random.default_rng(0)
    draws = 0.25 - rng.standard_gamma(0.5, 20_000)
    low, high = op.hdi(draws)
    assert (low + high) / 2 < 0 < np.median(draws)
    for greater in (True, False):
        assert outcome(draws, (low, high), (-0.01, 0.01), 0.95, greater_is_better=greater) == "undecided"
    assert outcome(draws - 0.25, op.hdi(draws - 0.25), (-0.01, 0.01), 0.95) == "slightly_worse"
    assert outcome(0.25 - draws, op.hdi(0.25 - draws), (-0.01, 0.01), 0.95) == "slightly_better"
