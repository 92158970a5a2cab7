"""How many more items, what a comparison says of them by itself, and what pairing is worth."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import stats

import outperform as op
from outperform.formats.numbers import about
from outperform.measures.of_counts import MEASURES
from outperform.models.posterior import stream
from outperform.planning.populations import Population
from outperform.verdicts.outlook import Prospect
from tests.tables import FIVE, pair, verdict

Array = NDArray[np.float64]
TABLE_3A = op.Scenario(0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3))
TABLE_3B = op.Scenario(0.5, (0.3, 0.2, 0.2, 0.3), (0.3, 0.2, 0.2, 0.3))
PILOT = pair(*FIVE["200 items"])
Z = float(stats.norm.ppf(0.975))
OPEN = {  # comparisons that are open at a ROPE of ±0.05, or of ±0.01 for the many items
    "300": (pair((60, 15, 8, 20), (10, 9, 12, 166)), 0.05),
    "600": (pair((150, 30, 30, 40), (20, 15, 15, 300)), 0.03),
    "7,532": (pair(*FIVE["7,532 items"]), 0.01),
}
rng_ = default_rng(0)
Y3 = np.arange(300) % 3
A3, B3 = (np.where(rng_.random(300) < p, Y3, rng_.integers(0, 3, 300)) for p in (0.8, 0.75))
THREE = op.Counts.from_labels(Y3, {"a": A3, "b": B3})


@pytest.mark.parametrize("power", [0.8, 0.9])
def test_a_plan_for_accuracy_has_the_items_of_the_normal_formula(power: float) -> None:
    """N = (z₀.₉₇₅ + z_power)² (p₁₀ + p₀₁ − δ²)/(δ − high)², the classical sample size of a pair."""
    truth = op.Scenario.from_scores(0.8, 0.76, prevalence=0.4, agreement=0.8, measure="accuracy")
    expected = (Z + stats.norm.ppf(power)) ** 2 * (0.2 - 0.04**2) / (0.04 - 0.01) ** 2
    r = op.plan(truth, "better", measure="accuracy", power=power, rope=0.01, rng=0)
    assert r.further == pytest.approx(expected, rel=0.12)
    assert r.interval[0] < r.further < r.interval[1]
    assert r.limit == 1
    assert r.delta == pytest.approx(0.04)


def test_a_plan_for_a_width_has_the_items_of_the_normal_formula() -> None:
    """Widths of 2·1.96 √((p₁₀ + p₀₁ − δ²)/N); estimates of which are 5% off, so that 0.8 takes 4% more than a half."""
    truth = op.Scenario.from_scores(0.8, 0.76, prevalence=0.4, agreement=0.8, measure="accuracy")
    for width in (0.04, 0.02):
        further = op.plan(truth, width=width, measure="accuracy", power=0.5, rng=0).further
        assert further == pytest.approx((2 * Z / width) ** 2 * (0.2 - 0.04**2), rel=0.03)


@pytest.mark.parametrize("width", [0.03, 0.04])
def test_a_plan_for_a_width_has_the_power_that_was_asked_for(width: float) -> None:
    truth = op.Scenario.from_scores(0.8, 0.76, prevalence=0.4, agreement=0.8, measure="accuracy")
    r = op.plan(truth, width=width, measure="accuracy", rng=0)
    sizes = [r.interval[0], r.further, r.interval[1]]
    hdis = op.power(truth, sizes, measure="accuracy", rope=0.01, studies=1_000, rng=1).hdis
    low, at, high = ((hdis[..., 1] - hdis[..., 0]) <= width).mean(axis=1)
    error = 0.4 * sqrt(1 / 1_000 + 1 / 2_000)
    assert at == pytest.approx(0.8, abs=4 * error)
    assert low - 4 * error < 0.8 < high + 4 * error


@pytest.mark.parametrize(("truth", "goal"), [(TABLE_3A, "better"), (TABLE_3B, "equivalent")], ids=["a", "b"])
def test_a_plan_has_the_power_that_was_asked_for(truth: op.Scenario, goal: str) -> None:
    """By studies that were not made for it; between the ends of its interval the power passes 0.8."""
    r = op.plan(truth, goal, power=0.8, rope=0.05, rng=0)
    low, at, high = op.power(
        truth, [r.interval[0], r.further, r.interval[1]], goal, rope=0.05, studies=4_000, rng=1
    ).points
    own = 0.4 / sqrt(2_000)  # of the plan
    assert at.reached == pytest.approx(0.8, abs=4 * sqrt(at.error**2 + own**2))
    assert low.reached - 4 * low.error < 0.8 < high.reached + 4 * high.error
    assert low.items < at.items < high.items


def test_more_power_takes_more_items() -> None:
    found = [op.plan(TABLE_3A, "better", power=power, rope=0.05, rng=0).further for power in (0.5, 0.8, 0.95)]
    assert found == sorted(set(found))
    few, many = (op.plan(TABLE_3A, "better", rope=0.05, studies=n, rng=0).interval for n in (200, 2_000))
    assert many[1] / many[0] < few[1] / few[0]


def prior_world(rng: Generator) -> Array:
    """As the flat prior has it: μ uniform, half an item for each outcome."""
    mu, positive, negative = rng.random(), *rng.dirichlet(np.full(4, 0.5), 2)
    return np.concatenate([mu * positive, (1 - mu) * negative])


def posterior_world(rng: Generator, pilot: Array) -> Array:
    """What the items of the pilot leave possible."""
    positive, negative = pilot[:4], pilot[4:]
    mu = rng.beta(positive.sum() + 1, negative.sum() + 1)
    return np.concatenate([mu * rng.dirichlet(positive + 0.5), (1 - mu) * rng.dirichlet(negative + 0.5)])


def table(n: Array) -> op.Counts:
    return pair(n[:4].tolist(), n[4:].tolist())


def drawn_hdi(n: Array, seed: int) -> tuple[float, float]:
    """The HDI of δ by draws of the model, which is what `compare` judges."""
    posterior = op.Paired("flat").posterior(table(n).binary(1))
    a, b = posterior.scores(MEASURES["f1"], draws=5_000, seed=SeedSequence(seed)).T
    return op.hdi(a - b)


def test_plans_are_honest() -> None:
    """Worlds from the prior, pilots of 150 items from the worlds: four of five that follow their plan decide.

    Fifty follow each plan, in worlds that its pilot leaves possible, which is the same as the world that it came from.
    """
    plans, followers, reached = 0, 50, 0
    for k in range(34):
        rng = default_rng([5, k])
        pilot = rng.multinomial(150, prior_world(rng)).astype(float)
        further = op.plan(table(pilot), rope=0.05, studies=250, draws=5_000, rng=k).further
        if further:
            plans += 1
            for follower in range(followers):
                study: Array = np.add(pilot, rng.multinomial(further, posterior_world(rng, pilot)))
                low, high = drawn_hdi(study, follower)
                reached += low >= 0.05 or high <= -0.05 or (low >= -0.05 and high <= 0.05)
    assert plans > 15
    own = 0.4 / sqrt(250)  # of each plan
    error = sqrt((0.16 / followers + own**2) / plans)
    assert reached / (plans * followers) == pytest.approx(0.8, abs=4 * error)


@pytest.mark.parametrize("asked", [{"width": 0.06}, {"goal": "better", "rope": 0.02}], ids=["width", "better"])
def test_the_plan_of_a_pilot_against_brute_force(asked: dict[str, Any]) -> None:
    """Worlds by numpy from the posterior of the pilot, items by numpy, the pilot's among them, HDIs by draws."""
    r = op.plan(PILOT, power=0.7, studies=600, rng=0, **asked)
    assert r.further > 10
    rng, pilot, reached, tries = default_rng(1), np.concatenate(FIVE["200 items"]).astype(float), 0, 200
    for k in range(tries):
        low, high = drawn_hdi(pilot + rng.multinomial(r.further, posterior_world(rng, pilot)), k)
        reached += high - low <= 0.06 if "width" in asked else low >= 0.02
    assert reached / tries == pytest.approx(0.7, abs=4 * sqrt(0.21 * (1 / tries + 1 / 600)))


def test_what_would_do_if_the_mean_were_the_truth() -> None:
    """Studies in that one world, which add to the pilot, reach the goal about as often as was asked for."""
    counts = OPEN["600"][0]
    counts = replace(counts, n=counts.n + 12 * (counts.predictions[:, 0] > counts.predictions[:, 1]) * counts.truth)
    r = op.plan(counts, "better", rope=0.001, rng=0)
    assert r.if_so is not None
    assert 0 < r.if_so < r.further
    assert f"about {about(r.if_so)} would be enough" in r.to_text()
    assert r.records()[0]["further_if_so"] == r.if_so
    model = op.Paired("flat")
    table = counts.binary(1).listed()
    shares = Population.like(table, model, mean=True).worlds(default_rng(0), 1)[0]
    reached, tries = 0, 300
    for study in range(tries):
        more = default_rng(study).multinomial(r.if_so, shares / shares.sum())
        grown = model.posterior(replace(table, n=table.n + more))
        a, b = grown.scores(MEASURES["f1"], draws=2_000, seed=SeedSequence(study)).T
        reached += op.hdi(a - b)[0] >= 0.001
    assert reached / tries == pytest.approx(0.8, abs=0.05 + 4 * sqrt(0.16 / tries))


def test_nothing_is_said_of_a_mean_that_does_not_meet_the_goal() -> None:
    assert op.plan(TABLE_3B, "equivalent", rope=0.05, rng=0).if_so is None  # no pilot
    counts, rope = OPEN["300"]
    assert op.plan(counts, "equivalent", rope=rope, power=0.2, rng=0).if_so is None


def test_a_pilot_that_is_there_needs_no_more() -> None:
    pilot = pair((300, 80, 3, 9), (5, 4, 70, 134))
    assert verdict(op.compare(pilot, rope=0.05, rng=0)) == "better"
    r = op.plan(pilot, "better", rope=0.05, rng=0)
    assert (r.further, r.interval, r.points) == (0, (0, 0), ())
    assert "No more items are needed" in r.to_text()
    assert op.Plan.from_dict(json.loads(r.to_json())) == r


def test_one_unit_tells_nothing_of_others() -> None:
    alone = op.Counts.from_chunks([["B-X", "B-X"]], {"a": [["B-X", "B-X"]], "b": [["B-X", "O"]]})
    assert verdict(op.compare(alone, rope=0.02, rng=0)) == "undecided"


def test_a_goal_that_is_unlikely_names_its_probability() -> None:
    """P(δ < −0.05), by draws of the comparison."""
    draws = op.compare(PILOT, rng=0).draws
    expected = (draws[:, 0] - draws[:, 1] > 0.1).mean()
    with pytest.raises(ValueError, match=r"'better' is out of reach: .* above \+0\.1 with probability") as caught:
        op.plan(PILOT, "better", rope=0.1, rng=0)
    said = re.search(r"with probability (\d\.\d+) ", str(caught.value))
    assert said is not None
    assert float(said.group(1)) == pytest.approx(expected, abs=0.005 + 4 * sqrt(0.25 / 2_000))
    assert op.plan(PILOT, "better", rope=0.1, power=0.2, rng=0).limit == pytest.approx(expected, abs=0.045)


def test_what_can_never_be_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'equivalent' .* between -0\.05 and \+0\.05"):
        op.plan(TABLE_3A, "equivalent", rope=0.05, rng=0)


def test_too_many_items() -> None:
    with pytest.raises(
        ValueError, match="more than 10,000,000 further items would be needed to reach the goal 'better'"
    ):
        op.plan(TABLE_3A, "better", rope=0.0999, studies=100, rng=0)


@cache
def for_a_width(by_draws: bool) -> op.Plan:
    settings: dict[str, Any] = {"width": 0.05, "rng": 0, "draws": 500}
    if by_draws:
        return op.plan(THREE, average="macro", model=op.Paired("pooled"), power=0.5, studies=20, **settings)
    return op.plan(PILOT, studies=60, **settings)


@pytest.mark.parametrize(("off", "by_draws"), [(1 / 30, False), (30, False), (3, True)])
def test_a_bad_first_guess_does_not_matter(monkeypatch: pytest.MonkeyPatch, off: float, by_draws: bool) -> None:
    found = for_a_width(by_draws)
    monkeypatch.setattr(Prospect, "further", lambda *_: round(off * found.further))
    again = for_a_width.__wrapped__(by_draws)
    assert max(again.interval[0], found.interval[0]) <= min(again.interval[1], found.interval[1])
    assert again.further == pytest.approx(found.further, rel=0.5)


def test_other_data_can_be_planned_with() -> None:
    assert 20 < for_a_width(by_draws=True).further < 10_000
    gold, guess = [["B-X", "O"], ["O", "B-X"]] * 30, {"a": [["B-X", "O"], ["O", "B-X"]] * 27 + [["O", "O"]] * 6}
    chunks = op.Counts.from_chunks(gold, guess | {"b": [["B-X", "O"], ["O", "O"], ["O", "B-X"]] * 20})
    assert op.plan(chunks, width=0.1, power=0.5, studies=20, draws=200, rng=0).further > 0
    apart = op.Counts.from_confusion({"a": [[60, 10], [5, 45]], "b": [[58, 12], [9, 41]]})
    r = op.plan(apart, width=0.1, pos_label=1, studies=100, rng=0)
    assert r.pairing is None
    assert r.model == "unpaired"


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"power": 0}, ValueError, r"power must lie between 0 and 1, as in 0\.8, got 0"),
        ({"power": 1}, ValueError, "power must lie between 0 and 1"),
        ({"power": 80}, ValueError, "power must lie between 0 and 1"),
        ({"power": float("nan")}, ValueError, "power must lie between 0 and 1"),
        ({"power": "much"}, ValueError, "power must lie between 0 and 1"),
        ({"rope": None}, ValueError, "the goal 'decided' needs a ROPE"),
        ({"goal": "better", "width": 0.1}, ValueError, "give a goal or a width, not both"),
        ({"width": 0}, ValueError, "width must be a number between 0 and 2"),
        ({"goal": "best"}, ValueError, "unknown goal 'best'"),
        ({"studies": 0}, ValueError, "studies must be a whole number between 1 and 1,000,000"),
        ({"average": "per_class"}, ValueError, "leave it out, and give one as pos_label$"),
        ({"pilot": [1, 0, 1]}, ValueError, "positive is four probabilities"),
        ({"pilot": "preds.csv"}, TypeError, "give the truth as .* got str"),
        ({"pilot": op.Counts.by_fold({(1, 1): PILOT, (1, 2): PILOT})}, ValueError, "not test items to plan with"),
    ],
)
def test_bad_settings(given: dict[str, Any], error: type[Exception], sentence: str) -> None:
    settings: dict[str, Any] = {"pilot": PILOT, "rope": 0.05, "studies": 10}
    with pytest.raises(error, match=sentence):
        op.plan(**settings | given)


@pytest.mark.parametrize(
    "settings", [{}, {"measure": "mcc", "mass": 0.9}, {"model": "unpaired", "pos_label": 0}], ids=str
)
def test_more_data_is_the_plan_of_the_comparison(settings: dict[str, Any]) -> None:
    """Whose own number of draws is not that of the studies."""
    settings = {"rope": 0.05, "rng": 3, **settings}
    r = op.compare(PILOT, draws=500, **settings)
    assert r.more_data() == op.plan(PILOT, **settings)
    assert r.more_data("better", power=0.05, studies=300, rng=4) == op.plan(
        PILOT, "better", power=0.05, studies=300, **settings | {"rng": 4}
    )
    assert r.with_rope(None).more_data(width=0.1, studies=100) == op.plan(
        PILOT, width=0.1, studies=100, **settings | {"rope": None}
    )


def test_more_data_of_one_class_of_several() -> None:
    uniform, pooled = (
        op.compare(THREE, average="per_class", rope=0.02, model=m, rng=0, draws=500)
        for m in (op.Paired("uniform"), op.Paired("pooled"))
    )
    expected = op.plan(THREE, pos_label=1, rope=0.02, model=op.Paired("uniform"), rng=0, draws=500)
    assert uniform[1].more_data().points == expected.points
    with pytest.raises(ValueError, match="it is of folds, of one of several classes with a shared prior"):
        pooled[1].more_data()
    assert uniform[1].outlook is not None
    assert pooled[1].outlook is None


def test_more_data_that_cannot_be() -> None:
    r = op.compare(PILOT, rng=0)
    with pytest.raises(ValueError, match=r"set a ROPE first, as in r.with_rope\(0.01\).more_data\(\), or give width="):
        r.more_data()
    with pytest.raises(ValueError, match="read back without its draws"):
        op.Comparison.from_dict(r.to_dict()).more_data(width=0.1)
    folds = op.compare(op.Counts.by_fold({(1, 1): PILOT, (1, 2): PILOT}), rope=0.05, rng=0)
    with pytest.raises(ValueError, match="it is of folds"):
        folds.more_data()
    assert folds.outlook is None


def test_an_outlook_is_for_what_is_open() -> None:
    r = op.compare(PILOT, rope=0.05, rng=0)
    assert r.outlook is not None
    assert (r.outlook.goal, r.outlook.power) == ("decided", 0.8)
    assert "more items like these would settle it with probability 0.8" in r.to_text()
    assert "would bring a verdict with probability 0.8 (`outperform plan`" in r.to_text(verbose=True)
    assert r.summary()["more_items"] == r.outlook.items
    for other in (r.with_rope(None), r.with_rope(0.5)):
        assert other.outlook is None
        assert "more items like these" not in other.to_text()
    assert op.compare(PILOT, rope=0.0001, rng=0).outlook is not None
    assert r.with_mass(0.5).outlook != r.outlook


@pytest.mark.parametrize("name", OPEN)
def test_an_outlook_is_about_what_the_plan_says(name: str) -> None:
    counts, rope = OPEN[name]
    r = op.compare(counts, rope=rope, rng=0)
    assert r.outlook is not None
    assert r.outlook.items is not None
    further = r.more_data().further
    assert 1 / 1.5 < r.outlook.items / further < 1.5


def test_what_a_comparison_says_of_more_data_is_written_and_read() -> None:
    r = op.compare(PILOT, rope=0.05, rng=0)
    data = json.loads(r.to_json())
    assert r.outlook is not None
    assert r.pairing is not None
    assert data["outlook"] == {"goal": "decided", "power": 0.8, "items": r.outlook.items, "rows": None}
    assert data["pairing"] == {"factor": r.pairing.factor, "items": r.pairing.items}
    assert op.Comparison.from_dict(data) == r
    old = {key: value for key, value in data.items() if key not in ("outlook", "pairing")}
    assert op.Comparison.from_dict(old) == replace(r, outlook=None, pairing=None)


@pytest.mark.parametrize("name", OPEN)
def test_swapping_the_two_changes_nothing(name: str) -> None:
    counts, rope = OPEN[name]
    one = op.compare(counts, rope=(-rope, rope / 2), rng=0)
    other = op.compare(counts.select([1, 0]), rope=(-rope / 2, rope), rng=0)
    assert one.outlook == other.outlook
    assert one.pairing is not None
    assert other.pairing is not None
    assert other.pairing.factor == pytest.approx(one.pairing.factor, rel=1e-9)


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("measure", ["f1", "accuracy"])
def test_pairing_is_worth_the_ratio_of_the_variances(name: str, measure: str) -> None:
    """Of the two models; a variance of 50,000 draws has a relative error of √(2/50,000)."""
    counts, _ = OPEN[name]
    paired, apart = (op.compare(counts, model=m, measure=measure, rng=0) for m in ("paired", "unpaired"))
    assert paired.pairing is not None
    expected = (apart.delta.sd / paired.delta.sd) ** 2
    assert paired.pairing.factor == pytest.approx(expected, rel=0.03 + 4 * sqrt(4 / 50_000))
    assert paired.pairing.items == pytest.approx(counts.items * paired.pairing.factor)
    assert paired.pairing.factor > 1.1
    assert apart.pairing is None
    assert "an unpaired comparison would need" in paired.to_text(verbose=True)
    assert "an unpaired comparison would need" not in apart.to_text(verbose=True)


def test_a_plan_says_what_pairing_is_worth() -> None:
    r = op.plan(PILOT, rope=0.05, rng=0)
    compared = op.compare(PILOT, rng=0).pairing
    assert r.pairing is not None
    assert compared is not None
    assert r.pairing.factor == pytest.approx(compared.factor, rel=4 * sqrt(4 / 5_000))
    assert r.pairing.items == pytest.approx(r.pairing.factor * (200 + r.further))
    assert "Pairing is worth" in r.to_text()
    assert "Pairing" not in replace(r, pairing=replace(r.pairing, factor=1.01)).to_text()
    assert op.plan(PILOT, rope=0.05, model="unpaired", studies=50, rng=0).pairing is None


def test_a_pilot_at_the_boundary_may_need_more_than_the_plan() -> None:
    r = op.plan(PILOT, rope=0.05, studies=50, rng=0)
    more = replace(r, if_so=10 * r.further).to_text()
    assert "were the truth, about" in more
    assert "would be needed. That difference is close to the boundary of the ROPE" in more
    assert "would be enough. The others allow for the uncertainty of the pilot." in replace(r, if_so=1).to_text()


def test_what_is_written_can_be_read() -> None:
    settings: dict[str, Any] = {"rope": 0.05, "studies": 100, "rng": 0}
    power, plan = op.power(TABLE_3A, [100, 900], "better", **settings), op.plan(PILOT, **settings)
    assert op.Power.from_dict(json.loads(power.to_json())) == power
    again = op.Plan.from_dict(json.loads(plan.to_json()))
    assert again == plan
    assert (again.to_text(), str(again)) == (plan.to_text(), str(plan))
    assert [row["reached"] for row in power.records()] == [p.reached for p in power.points]
    for part in ("goal:better", "truth:mu=0.5;positive=0.3,0.3,0.2,0.2", "studies:100", "seed:0", "rope:-0.05,0.05"):
        assert part in power.signature
    assert plan.to_dict()["items"] == 200
    assert plan.to_frame()["further"].tolist() == [plan.further]
    with pytest.raises(ValueError, match="read back without its studies"):
        _ = again.outcomes


@pytest.mark.parametrize("cores", [1, 3])
def test_interrupted_power_gives_what_is_finished(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    def stop(at: int) -> None:
        def stopped(seed: Any, k: int) -> Generator:
            if k == at:
                raise KeyboardInterrupt
            return stream(seed, k)

        monkeypatch.setattr("outperform.planning.judging.stream", stopped)

    settings: dict[str, Any] = {"rope": 0.05, "studies": 700, "rng": 0}
    whole = op.power(TABLE_3A, 300, **settings)
    monkeypatch.setattr("outperform.base.cores.cores", lambda: cores)
    stop(1)
    r = op.power(TABLE_3A, 300, **settings)
    assert 0 < r.studies < 700
    assert r.notes == (f"Interrupted after {r.studies} of 700 studies.",)
    assert r.notes[0] in r.to_text()
    np.testing.assert_array_equal(r.hdis, whole.hdis[:, : r.studies])
    assert r.points[0].error == pytest.approx(sqrt(r.points[0].reached * (1 - r.points[0].reached) / r.studies))
    with pytest.raises(KeyboardInterrupt):  # a plan is found or it is not
        op.plan(PILOT, **settings)
    stop(0)
    with pytest.raises(KeyboardInterrupt):
        op.power(TABLE_3A, 300, **settings)


@pytest.mark.parametrize("name", OPEN)
def test_the_chance_of_each_verdict_is_about_that_of_simulated_studies(name: str) -> None:
    """The prediction has about the power that `plan` finds by simulating, at the sizes of its curve."""
    counts, rope = OPEN[name]
    r = op.compare(counts, rope=rope, rng=0)
    plan = r.more_data(power=0.5, rng=0)
    assert plan.points
    for point in plan.points:
        chance = r.chances([1 + point.items / counts.items])[0]
        assert chance.settled == pytest.approx(point.reached, abs=0.08)
        assert point.verdicts is not None
        for side in ("better", "equivalent", "worse"):
            assert getattr(chance, side) == pytest.approx(point.verdicts[side], abs=0.08)


def test_there_are_no_chances_of_what_is_settled() -> None:
    r = op.compare(PILOT, rope=0.05, rng=0)
    assert [chance.items for chance in r.chances((3, 5))] == [3 * PILOT.items, 5 * PILOT.items]
    assert r.with_rope(0.5).chances() == r.with_rope(None).chances() == ()
    assert all(chance.equivalent == 0 for chance in r.with_rope(0).chances())
    with pytest.raises(ValueError, match=r"factors must be above 1, as in \(2, 4, 8\), got \(1, 2\)"):
        r.chances((1, 2))


@pytest.mark.parametrize("unit", [0.01, 100.0])
def test_only_ratios_of_weights_matter(unit: float) -> None:
    """A pilot of weighted rows is worth the items that it is in a comparison, whatever the unit of the weights."""
    rng = default_rng(3)
    truth = rng.integers(0, 2, 400)
    both = {name: np.where(rng.random(400) < share, truth, 1 - truth) for name, share in (("a", 0.9), ("b", 0.85))}
    weights = rng.choice([1.0, 9.0], 400, p=[0.8, 0.2])
    one, other = (op.Counts.from_labels(truth, both, weights=weights * scale) for scale in (1.0, unit))
    r = op.compare(one, rope=0.05, pos_label=1, rng=0)
    plans = [op.plan(counts, rope=0.05, pos_label=1, rng=0) for counts in (one, other)]
    assert [plan.items for plan in plans] == [pytest.approx(r.items)] * 2
    assert plans[0].further == pytest.approx(plans[1].further, rel=0.01)
    assert plans[0].further == r.more_data().further
    (note,) = plans[0].notes
    rows = 400 / r.items * plans[0].further
    assert f"so {about(plans[0].further)} more items are about {about(rows)} more rows" in note
    curves = [op.power(counts, 1_000, rope=0.05, at="posterior", pos_label=1, rng=0) for counts in (one, other)]
    assert curves[0].points[0].reached == pytest.approx(curves[1].points[0].reached, abs=0.005)
