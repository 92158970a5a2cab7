"""HDI, Monte-Carlo errors, the six outcomes."""

from __future__ import annotations

import json
import re
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import outperform as op
from outperform.base.sentences import worded
from outperform.options import command
from outperform.options.options import read_rope
from outperform.verdicts.decision import (
    OUTCOMES,
    REQUIREMENTS,
    ItemsAlone,
    as_rope,
    lean_remarks,
    rope_remarks,
    unit_remarks,
)
from outperform.verdicts.interval import hdi_mid_error, holds
from outperform.verdicts.marginal import Sampled
from outperform.verdicts.rule import Rule
from outperform.verdicts.summary import Score, summarise_delta, summarise_score, surprises

CASES = json.loads((Path(__file__).parent.parent / "files" / "decision_cases.json").read_text(encoding="utf-8"))


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
    assert op.hdi(-draws, mass) == (-high, -low)
    both = op.hdi(np.concatenate([draws, -draws]), mass)
    assert both[0] == -both[1]


def test_windows_between_which_an_interval_lies_are_mirrored_too() -> None:
    for seed in range(200):
        draws = np.random.default_rng(seed).normal(size=60)
        low, high = op.hdi(draws, 0.8)
        assert op.hdi(-draws, 0.8) == (-high, -low)


@pytest.mark.parametrize("draws", [[], [[1.0]], [np.nan, 1.0], [np.inf]])
def test_hdi_refuses(draws: Any) -> None:
    with pytest.raises(ValueError, match="draws must be a sequence of finite numbers, and not empty"):
        op.hdi(draws)
    with pytest.raises(ValueError, match="mass must lie between 0 and 1"):
        op.hdi(np.ones(3), 2)


@pytest.mark.parametrize("mass", [0, 1, -0.1, 95, float("nan"), True, "0.95", [0.9], None])
def test_no_mass_of_an_hdi(mass: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"mass must lie between 0 and 1, as in 0.95, got {mass!r}")):
        op.hdi(np.ones(3), mass)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 39, 40, 41, 200])
@pytest.mark.parametrize("mass", [0.02, 0.3, 0.5, 0.51, 0.8, 0.95, 0.99])
def test_hdi_of_few_draws_is_the_middle_one_of_the_shortest_windows(size: int, mass: float) -> None:
    """Compare with a plain loop over all windows, also if several are equally short."""
    for draws in (np.random.default_rng(size).normal(size=size), np.random.default_rng(size).permutation(size) / 7.0):
        ordered, steps = sorted(draws.tolist()), int(mass * size)
        windows = [(ordered[k], ordered[k + steps]) for k in range(size - steps)]
        least = min(high - low for low, high in windows)
        short = [k for k, (low, high) in enumerate(windows) if high - low <= 1.01 * least]
        middle = sum(short) / len(short)
        ends = [np.interp(middle, np.arange(len(windows)), end) for end in zip(*windows, strict=True)]
        assert op.hdi(draws, mass) == pytest.approx(ends, rel=1e-12, abs=1e-15)


def test_hdi_of_one_draw() -> None:
    assert op.hdi(np.array([0.3])) == (0.3, 0.3)


def test_mid_error_is_the_spread_of_the_mid_point() -> None:
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=10_000) for _ in range(200)]
    spread = np.std([sum(op.hdi(x)) / 2 for x in samples])
    claimed = np.median([hdi_mid_error(x) for x in samples])
    assert claimed == pytest.approx(spread, rel=0.3)
    assert hdi_mid_error(np.zeros(10)) == float("inf")


@pytest.mark.parametrize("more", [0, 1, 19])
def test_mid_error_of_pairs_is_the_standard_error_of_their_means(more: int) -> None:
    """An HDI of two draws spans both, so its middle is their mean; an incomplete block is dropped."""
    draws = np.random.default_rng(3).exponential(size=40 + more)
    assert hdi_mid_error(draws, 0.5) == pytest.approx(stats.sem(draws[:40].reshape(20, 2).mean(axis=1)), rel=1e-12)


def test_mid_error_is_that_of_the_middle_of_all_short_windows() -> None:
    """Three draws per block, of which two windows of two are equally short, or one is shorter."""
    start = np.random.default_rng(4).normal(size=20)
    even, uneven = (start[:, None] + np.array(off) for off in ([2.0, 0.0, 1.0], [0.0, 5.0, 1.0]))
    assert hdi_mid_error(even.ravel(), 0.4) == pytest.approx(stats.sem(start + 1.0), rel=1e-9)
    mixed = np.where(np.arange(20)[:, None] < 5, even, uneven)
    middles = start + np.where(np.arange(20) < 5, 1.0, 0.5)
    assert hdi_mid_error(mixed.ravel(), 0.4) == pytest.approx(stats.sem(middles), rel=1e-9)
    assert hdi_mid_error(mixed.ravel()[:39], 0.4) == float("inf")


def test_summary_of_known_draws() -> None:
    draws = np.array([-1.0, 0.0, 1.0, 2.0])
    delta = summarise_delta([0.75, 0.25], Sampled(draws), 0.5)
    assert (delta.observed, delta.mean, delta.median) == (0.5, 0.5, 0.5)
    assert delta.sd == pytest.approx(draws.std(ddof=1))
    assert delta.mc_error == pytest.approx(draws.std(ddof=1) / sqrt(4))
    assert (delta.p_less, delta.p_greater) == (0.25, 0.5)
    assert (delta.hdi, delta.mass) == (op.hdi(draws, 0.5), 0.5)
    assert summarise_delta([0.75, 0.25], Sampled(draws, 2.5), 0.5).mc_error == pytest.approx(delta.sd / sqrt(2.5))
    for observed in ([np.nan, 0.25], [0.75, np.nan]):
        assert summarise_delta(observed, Sampled(draws), 0.5).observed is None
    score = summarise_score("a", 0.75, Sampled(draws), 0.5)
    assert score == Score("a", 0.75, 0.5, score.sd, op.hdi(draws, 0.5))
    assert score.sd == pytest.approx(draws.std(ddof=1))
    assert summarise_score("a", np.nan, Sampled(draws[:1]), 0.5) == Score("a", None, -1.0, 0.0, (-1.0, -1.0))


def test_an_interval_holds_its_ends_but_for_rounding() -> None:
    assert holds((0.1, 0.2), 0.1)
    assert holds((0.1, 0.2), 0.2 + 5e-13)
    assert holds((0.1, 0.2), 0.1 - 5e-13)
    assert not holds((0.1, 0.2), 0.2 + 2e-12)
    assert not holds((0.1, 0.2), 0.1 - 2e-12)
    assert holds((0.0, 1e6), 1e6 + 5e-7)
    assert not holds((0.0, 1e6), 1e6 + 2e-6)
    assert holds((-1e6, 0.0), -1e6 - 5e-7)


def test_what_lies_outside_its_hdi_is_said() -> None:
    inside, outside = Score("a", 0.5, 0.5, 0.1, (0.4, 0.6)), Score("b", 0.9, 0.5, 0.1, (0.4, 0.6))
    unknown = Score("c", None, 0.5, 0.1, (0.4, 0.6))
    for observed, notes in ((0.603, 0), (0.397, 0), (0.605, 1), (0.395, 1)):
        assert len(surprises((Score("d", observed, 0.5, 0.1, (0.4, 0.6)),), 0.95)) == notes
    delta = summarise_delta([0.9, 0.1], Sampled(np.linspace(-0.1, 0.1, 50)), 0.9)
    assert surprises((inside, unknown), 0.95) == ()
    assert surprises((outside, inside, unknown, delta), 0.9) == (
        "What was observed lies outside the 90% HDI of b and the difference: the prior outweighs the data there.",
    )
    assert surprises((outside,), 0.955, weighed=True) == (
        "What was observed lies outside the 95.5% HDI of b: uneven weights alone bias this measure.",
    )


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
        assert ("x" in decision.text) == (name != "slightly_worse")  # a lean names the side that it is to
        assert ("y" in decision.text) == (name != "slightly_better")


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
    assert {r for r in REQUIREMENTS if Rule(rope).meets(r.replace("-", "_"), *hdi)} == met
    turned = (-hdi[1], -hdi[0])
    assert {r for r in REQUIREMENTS if Rule(rope, False).meets(r.replace("-", "_"), *turned)} == met


def test_unknown_requirement() -> None:
    with pytest.raises(ValueError, match=r"unknown requirement 'best'; .*known: better, equivalent, not-worse"):
        op.compare([1, 0] * 9, [1, 0] * 9, [0, 1] * 9, rope=0.1, draws=100, rng=0).meets("best")


def test_ropes() -> None:
    assert as_rope(None) is None
    assert as_rope(0.05) == (-0.05, 0.05)
    assert as_rope(0) == (0, 0)
    assert as_rope((-0.01, 0.02)) == (-0.01, 0.02)
    assert as_rope([0, 0.02]) == (0, 0.02)  # type: ignore[arg-type]
    assert as_rope(np.float32(0.5)) == (-0.5, 0.5)
    assert as_rope(np.int64(0)) == (0, 0)
    assert str(as_rope(0)) == str(as_rope((-0.0, -0.0))) == "(0.0, 0.0)"  # no −0.0
    assert as_rope((-0.999, 0.2)) == (-0.999, 0.2)
    assert as_rope(1, to_the_ends=True) == (-1, 1)
    assert as_rope(25, bounded=False) == (-25, 25)


@pytest.mark.parametrize(
    ("rope", "sentence"),
    [
        (-0.05, r"^rope must not be negative, got -0\.05; 0\.05 stands for -0\.05 to 0\.05$"),
        ((0.05, -0.05), "rope is reversed"),
        (5, r"rope must lie between -1 and 1, got 5; it is in units of the measure"),
        ((-2, 0), r"rope must lie between -1 and 1"),
        (float("nan"), r"rope must lie between -1 and 1"),
        ((0.01, 0.02), r"rope must contain 0 \(no difference\), got \[0\.01, 0\.02\]"),
        (True, "rope must be a number or a pair"),
        ("wide", r"rope must be a number or a pair \(low, high\), got 'wide'"),
        (([0], [1, 2]), "rope must be a number or a pair"),
        ((1, 2, 3), "rope must be a number or a pair"),
    ],
)
def test_bad_ropes(rope: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        as_rope(rope)


@pytest.mark.parametrize(
    ("rope", "settings", "sentence"),
    [
        (1, {}, "rope must lie between -1 and 1, got 1; it is in units of the measure"),
        ((-1, 0.5), {}, "rope must lie between -1 and 1, got (-1, 0.5); it is in units of the measure"),
        (
            1.5,
            {"to_the_ends": True},
            "rope must lie between -1 and 1, got 1.5; it is in units of the measure; did you mean 0.015?",
        ),
        (100, {}, "rope must lie between -1 and 1, got 100; it is in units of the measure; did you mean 1?"),
        (101, {}, "rope must lie between -1 and 1, got 101; it is in units of the measure"),
        ((-5, 2), {}, "rope must lie between -1 and 1, got (-5, 2); it is in units of the measure"),
        ((-1, float("inf")), {"bounded": False}, "rope must be finite, got (-1, inf); it is in units of the measure"),
        ((float("-inf"), 1), {"bounded": False}, "rope must be finite, got (-inf, 1); it is in units of the measure"),
        ((-0.2, -0.1), {}, "rope must contain 0 (no difference), got [-0.2, -0.1]"),
    ],
)
def test_what_is_said_of_a_rope_that_is_too_wide(rope: Any, settings: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        as_rope(rope, **settings)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("wide", "--rope takes a number, a percentage or LOW,HIGH, got 'wide'"),
        ("1,2,3", "--rope takes a number, a percentage or LOW,HIGH, got '1,2,3'"),
        ("0,5%", "--rope 0,5% was read as 0 to 0.05; did you mean 0.5%? If not, write 0.0,0.05"),
        ("-0,5%", "--rope -0,5% was read as 0 to 0.05; did you mean 0.5%? If not, write 0.0,0.05"),
        ("+0,01", "--rope +0,01 was read as 0 to 1; did you mean 0.01? If not, write 0.0,1.0"),
        ("0,05", "--rope 0,05 was read as 0 to 5; did you mean 0.05? If not, write 0.0,5.0"),
    ],
)
def test_what_is_said_of_a_rope_that_cannot_be_read(typed: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"^rope=") as refused:
        read_rope(typed)
    assert worded(refused.value, command) == sentence


def test_a_lean_that_0_does_not_bear_out_is_remarked_on() -> None:
    """By a ROPE from −0.01 to 0.03 a mean of 0.005 is below the middle, though above 0."""
    rope = (-0.01, 0.03)
    (said,) = lean_remarks("slightly_worse", 0.005, Rule(rope))
    assert said == "The lean is relative to the middle of the ROPE, +0.01: the HDI lies below it, but not below 0."
    (said,) = lean_remarks("slightly_better", -0.005, Rule((-0.03, 0.01)))
    assert said == "The lean is relative to the middle of the ROPE, -0.01: the HDI lies above it, but not above 0."
    assert lean_remarks("slightly_better", 0.005, Rule(rope, False)) == lean_remarks(
        "slightly_worse", 0.005, Rule(rope)
    )
    assert lean_remarks("slightly_better", 0.015, Rule(rope)) == ()
    assert lean_remarks("slightly_worse", -0.005, Rule(rope)) == ()
    assert lean_remarks("slightly_worse", 0.005, Rule((-0.02, 0.02))) == ()
    assert lean_remarks("undecided", 0.005, Rule(rope)) == ()
    assert lean_remarks("slightly_worse", 0.0, Rule(rope)) == ()


def test_a_rope_in_another_unit_is_remarked_on() -> None:
    small = "The scores reach {}, but the ROPE is {}: a ROPE is in units of the scores."
    large = "The ROPE, {}, is wider than the difference of any two scores: a ROPE is in units of the scores."
    assert rope_remarks((-0.01, 0.01), 87.25, 20.0) == (small.format("87.2", "±0.01"),)
    assert rope_remarks((-0.01, 0.02), 87.25, 20.0) == (small.format("87.2", "[-0.01, 0.02]"),)
    assert rope_remarks((-0.5, 0.01), 87.25, 20.0) == ()
    assert rope_remarks((-0.001, 0.001), 1.4, 1.0) == ()  # of proportions, any ROPE is plausible
    assert rope_remarks((-0.001, 0.001), 1.6, 1.0) == (small.format("1.6", "±0.001"),)
    assert rope_remarks((-0.002, 0.002), 1.6, 1.0) == ()
    assert rope_remarks((-0.3, 0.1), 1.0, 0.2) == (large.format("[-0.3, 0.1]"),)
    assert rope_remarks((-0.2, 0.2), 1.0, 0.2) == ()
    assert rope_remarks((-0.2, 0.2), 1.0, 0.0) == ()  # all scores are the same
    assert rope_remarks((0.0, 0.0), 87.25, 20.0) == ()


def test_percentages_beside_shares_are_remarked_on() -> None:
    said = "The scores of a reach 87.3 and those of b 0.88: if some are percentages and others are not, the difference "
    assert unit_remarks({"a": 87.3, "c": 70.0, "b": 0.88}) == (f"{said}means nothing.",)
    for sizes in (
        {"a": 87.3, "b": 60.0},
        {"a": 0.9, "b": 0.01},
        {"a": 1.5, "b": 0.9},
        {"a": 300.0, "b": 0.9},
        {"a": 0.0},
    ):
        assert unit_remarks(sizes) == ()
    shares, percentages = np.arange(40) / 50, 100 * np.arange(40) / 50
    for rope in (None, 0.05):
        for r in (
            op.compare_scores({"a": percentages, "b": shares}, rope=rope, draws=200, rng=0),
            op.rank_scores({"a": percentages, "b": shares, "c": shares}, rope=rope, draws=200, rng=0),
            op.compare_datasets({"a": percentages, "b": shares}, rope=rope, draws=200, rng=0),
        ):
            assert any(note.startswith("The scores of a reach 78 and those of b 0.78: if some") for note in r.notes)


def test_why_there_is_no_verdict_is_said_in_numbers() -> None:
    resampled = np.stack([np.linspace(0.5, 0.7, 101), np.full(101, 0.625)], axis=1)
    alone = ItemsAlone.of(np.array([0.7, 0.65]), resampled)
    assert alone is not None
    low, high = op.hdi(resampled[:, 0] - 0.625)
    assert (alone.observed, alone.mean, *alone.hdi) == pytest.approx((0.05, -0.025, low, high))
    assert alone.moved == 0
    assert alone.remark((0.1, 0.25)) == (
        "No verdict: the HDI [+0.100, +0.250] depends on what classes learn from each other, and the items alone "
        f"contradict it (observed +0.050, item bootstrap -0.025 [{low:+.3f}, {high:+.3f}])."
    )
    for observed in ([np.nan, 0.65], [0.7, np.nan]):
        assert ItemsAlone.of(np.array(observed), resampled) is None


def test_few_draws_and_systems_that_are_the_same_have_no_side() -> None:
    draws, rope = np.linspace(0.02, 0.06, 40), (-0.01, 0.01)
    assert Rule(rope).of(Sampled(draws), (0.02, 0.06), 0.95) == "better"
    assert Rule(rope, False).of(Sampled(draws), (0.02, 0.06), 0.95) == "worse"
    assert Rule(rope).of(Sampled(draws[:39]), (0.02, 0.06), 0.95) == "undecided"
    assert Rule(rope).of(Sampled(draws), (0.02, 0.06), 0.95, exchangeable=True) == "undecided"
    assert Rule(rope).of(Sampled(draws / 10), (0.002, 0.006), 0.95, exchangeable=True) == "equivalent"


def test_an_hdi_leans_by_the_middle_of_the_rope() -> None:
    """If as many draws lie above the middle as below there is no side, nor if few blocks of them differ."""
    draws = np.tile([-0.03, 0.05], 400) + np.tile(np.linspace(0, 1e-4, 20), 40)
    hdi = op.hdi(draws)
    assert Rule((-0.04, 0.02)).of(Sampled(draws), hdi, 0.95) == "undecided"  # half and half
    most = np.concatenate([draws, np.full(20, 0.05)])
    assert Rule((-0.04, 0.02)).of(Sampled(most), hdi, 0.95) == "slightly_better"  # middles +0.01 and −0.01
    assert Rule((-0.04, 0.02), False).of(Sampled(most), hdi, 0.95) == "slightly_worse"
    assert (
        Rule((-0.02, 0.06)).of(Sampled(most), hdi, 0.95) == "undecided"
    )  # the HDI lies below the middle, most draws above


def test_an_hdi_leans_only_where_most_of_the_draws_lie() -> None:
    """A long lower tail moves the HDI's middle below 0 while most draws lie above."""
    rng = np.random.default_rng(0)
    draws = 0.25 - rng.standard_gamma(0.5, 20_000)
    low, high = op.hdi(draws)
    assert (low + high) / 2 < 0 < np.median(draws)
    for greater in (True, False):
        assert Rule((-0.01, 0.01), greater).of(Sampled(draws), (low, high), 0.95) == "undecided"
    assert Rule((-0.01, 0.01)).of(Sampled(draws - 0.25), op.hdi(draws - 0.25), 0.95) == "slightly_worse"
    assert Rule((-0.01, 0.01)).of(Sampled(0.25 - draws), op.hdi(0.25 - draws), 0.95) == "slightly_better"
