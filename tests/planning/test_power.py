"""How often studies reach their goal: against brute force, formulas, and what must hold whatever the numbers."""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import stats

import outperform as op
from outperform.measures.of_counts import MEASURES
from outperform.models import Model
from outperform.verdicts.decision import OUTCOMES
from outperform.verdicts.rule import decide
from tests.later import later
from tests.tables import FIVE, pair, verdict

statsmodels_power = later("statsmodels.stats.power")

Array = NDArray[np.float64]
TABLE_3A = op.Scenario(0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3))
TABLE_3B = op.Scenario(0.5, (0.3, 0.2, 0.2, 0.3), (0.3, 0.2, 0.2, 0.3))
NUMBERS: Any = (0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3))
PILOT = pair(*FIVE["200 items"])
GOLD = [["B-PER", "O"], ["O", "B-LOC"], ["B-LOC", "I-LOC"], ["B-PER", "B-LOC"]] * 25
TAGGED = {
    "a": [["B-PER", "O"], ["O", "B-LOC"], ["B-LOC", "I-LOC"], ["B-PER", "O"]] * 20
    + [["O", "O"], ["O", "B-LOC"], ["B-LOC", "O"], ["O", "O"]] * 5,
    "b": [["B-PER", "O"], ["O", "O"], ["B-LOC", "I-LOC"], ["B-PER", "O"]] * 20
    + [["B-PER", "O"], ["O", "O"], ["O", "O"], ["O", "B-LOC"]] * 5,
}
Y3 = [0, 1, 2] * 40
A3, B3 = [0, 1, 2] * 32 + [0, 1, 1] * 8, [0, 1, 2] * 18 + [0, 2, 2] * 22
THREE = op.Counts.from_labels(Y3, {"a": A3, "b": B3})


def shares(r: op.Power, k: int = 0) -> dict[str, float]:
    found = r.points[k].verdicts
    assert found is not None
    return found


def near(one: float, other: float, studies: int, others: int) -> bool:
    """Whether two shares are within 4 standard errors; one of 0 or 1 is taken for half a study."""
    variance = 0.0
    for share, n in ((one, studies), (other, others)):
        p = min(max(share, 0.5 / n), 1 - 0.5 / n)
        variance += p * (1 - p) / n
    return abs(one - other) <= 4 * sqrt(variance)


def brute_force(
    truth: op.Scenario, items: int, studies: int, model: Model, rope: tuple[float, float], **asked: Any
) -> dict[str, float]:
    """Shares of the verdicts, study by study: items by numpy, HDIs by draws of the model.

    `compare` makes the same of an HDI; it does much else, and test_populations.py holds its verdicts against these.
    """
    rng, measure = default_rng(11), MEASURES[asked.get("measure", "f1")]
    p = [*(truth.mu * x for x in truth.positive), *((1 - truth.mu) * x for x in truth.negative)]
    found = []
    for k in range(studies):
        n = rng.multinomial(items, p).tolist()
        posterior = model.posterior(pair(n[:4], n[4:]).binary(1))
        a, b = posterior.scores(measure, draws=5_000, seed=SeedSequence(k)).T
        found.append(decide(op.hdi(a - b, asked.get("mass", 0.95)), rope))
    return {name: found.count(name) / studies for name in OUTCOMES}


LOPSIDED = op.Scenario(0.2, (0.6, 0.2, 0.1, 0.1), (0.05, 0.02, 0.1, 0.83))


@pytest.mark.parametrize(
    ("truth", "items", "model", "rope", "asked", "studies"),
    [
        (TABLE_3A, 1000, op.Paired(), (-0.05, 0.05), {}, 2_000),
        (TABLE_3B, 600, op.Unpaired(), (-0.14, 0.14), {"measure": "mcc"}, 250),
        (LOPSIDED, 150, op.Paired(), (-0.1, 0.02), {"mass": 0.8}, 400),
    ],
    ids=["table 3", "unpaired mcc", "lopsided"],
)
def test_power_is_that_of_brute_force(
    truth: op.Scenario, items: int, model: Model, rope: tuple[float, float], asked: dict[str, Any], studies: int
) -> None:
    """Of 150 studies, each of which is made on its own: a share that is off by 0.2 is noticed."""
    expected = brute_force(truth, items, 150, model, rope, **asked)
    found = shares(op.power(truth, items, model=model, rope=rope, studies=studies, rng=1, **asked))
    for name in ("better", "worse", "equivalent"):
        assert near(found[name], expected[name], studies, 150), (name, found, expected)
    assert max(expected[name] for name in ("better", "worse", "equivalent")) > 0.1


def right(mu: Any, positive: Any, negative: Any) -> tuple[Any, Any, Any]:
    """How often both, the first alone and the second alone are right; in one world, or in many, one in each column."""
    p, n = positive, negative
    return mu * p[0] + (1 - mu) * n[3], mu * p[1] + (1 - mu) * n[2], mu * p[2] + (1 - mu) * n[1]


def normal_formula(rights: tuple[Any, Any, Any], items: int, high: float, *, paired: bool) -> Any:
    """P(better) by accuracy for many items: Φ((δ − high − 1.96 s)/s'), s of the posterior, s' of the samples."""
    both, first, second = rights
    a, b, delta = both + first, both + second, first - second
    sampled = np.sqrt((first + second - delta**2) / items)
    believed = sampled if paired else np.sqrt((a * (1 - a) + b * (1 - b)) / items)
    return stats.norm.cdf((delta - high - stats.norm.ppf(0.975) * believed) / sampled)


@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_power_by_accuracy_is_that_of_the_normal_formula(model: str) -> None:
    truth = op.Scenario.from_scores(0.8, 0.76, prevalence=0.4, agreement=0.75, measure="accuracy")
    sizes = [2_000, 5_000, 10_000]
    r = op.power(truth, sizes, "better", measure="accuracy", model=model, rope=0.01, rng=2)
    for point in r.points:
        rights = right(truth.mu, truth.positive, truth.negative)
        expected = normal_formula(rights, point.items, 0.01, paired=model == "paired")
        assert point.reached == pytest.approx(expected, abs=4 * point.error + 0.01)
    assert 0.2 < r.points[0].reached < r.points[-1].reached
    assert r.delta == pytest.approx(0.04, abs=1e-9)


def test_two_independent_samples_are_statsmodels_own() -> None:
    """Mistakes that have nothing to do with each other: as good as two test sets."""
    truth = op.Scenario(0.5, (0.6, 0.2, 0.15, 0.05), (0.05, 0.15, 0.2, 0.6))  # right 0.8 and 0.75 of the time
    items, sd = 1500, sqrt(0.8 * 0.2 + 0.75 * 0.25)
    expected = statsmodels_power.normal_power(0.05 / sd, items, alpha=0.05, alternative="two-sided")
    (point,) = op.power(truth, items, "better", measure="accuracy", model="unpaired", rope=0, rng=3).points
    assert point.reached == pytest.approx(expected, abs=4 * point.error + 0.01)


def test_worlds_drawn_from_results_are_a_mixture() -> None:
    """Of normal formulas, over worlds that scipy draws."""
    sizes, rng = [1_000, 8_000], default_rng(0)
    positive, negative = FIVE["200 items"]
    mu = stats.beta(sum(positive) + 1, sum(negative) + 1).rvs(4_000, random_state=rng)
    theta = [stats.dirichlet(np.array(four) + 1.0).rvs(4_000, random_state=rng).T for four in (positive, negative)]
    rights = right(mu, *theta)
    settings: dict[str, Any] = {"measure": "accuracy", "rope": 0.01, "rng": 4}
    open_ = op.power(PILOT, sizes, "better", at="posterior", **settings)
    for point in open_.points:
        expected = normal_formula(rights, point.items, 0.01, paired=True).mean()
        assert point.reached == pytest.approx(expected, abs=5 * point.error + 0.01)
    deltas = rights[1] - rights[2]
    assert open_.delta == pytest.approx(deltas.mean(), abs=5 * deltas.std() * sqrt(1 / 4_000 + 1 / 2_000))


def test_the_world_in_the_middle_of_results() -> None:
    """Means of the posterior, cell by cell: (n₊ + 0.7)/(N + 1.4)·(n + 0.35)/(n₊ + 1.4)."""
    positive, negative = FIVE["200 items"]
    mu = (sum(positive) + 0.7) / (sum(positive) + sum(negative) + 1.4)
    middle = op.Scenario(mu, *([(x + 0.35) / (sum(four) + 1.4) for x in four] for four in (positive, negative)))
    mean, supposed = (op.power(world, [1_000, 5_000], rope=0.05, rng=5) for world in (PILOT, middle))
    assert mean.delta == pytest.approx(supposed.delta, abs=1e-9)
    for one, other in zip(mean.points, supposed.points, strict=True):
        assert near(one.reached, other.reached, 2_000, 2_000)
    open_ = op.power(PILOT, [1_000, 5_000], rope=0.05, at="posterior", rng=5)
    assert open_.points[1].reached < mean.points[1].reached - 0.1


def test_errors_shares_and_outcomes_are_of_one_piece() -> None:
    r = op.power(TABLE_3A, [900, 300, 900], "better", rope=0.05, studies=300, rng=0)
    assert [p.items for p in r.points] == [300, 900]
    assert r.outcomes.shape == r.reached.shape == (2, 300)
    assert r.hdis.shape == (2, 300, 2)
    np.testing.assert_array_equal(r.reached, r.outcomes == "better")
    for point, reached, names, hdis in zip(r.points, r.reached, r.outcomes, r.hdis, strict=True):
        assert point.reached == reached.mean()
        assert point.error == pytest.approx(sqrt(point.reached * (1 - point.reached) / 300))
        assert point.verdicts == {name: (names == name).mean() for name in OUTCOMES}
        assert sum(point.verdicts.values()) == pytest.approx(1)
        plain = np.array([decide(tuple(hdi), (-0.05, 0.05)) for hdi in hdis.tolist()])
        assert set(names[names != plain]) <= {"undecided"}  # about the middle, where draws do not tell the side
        assert (names != plain).mean() < 0.02
    assert r.delta == pytest.approx(np.subtract(*TABLE_3A.scores()))


def test_numbers_and_mappings_are_truths() -> None:
    settings: dict[str, Any] = {"rope": 0.05, "studies": 50, "draws": 1_000, "rng": 0}
    expected = op.power(TABLE_3A, 100, **settings)
    named = {"mu": 0.5, "positive": NUMBERS[1], "negative": NUMBERS[2]}
    for given in (NUMBERS, list(NUMBERS), named):
        assert op.power(given, [100], **settings) == expected


def test_same_seed_same_numbers_on_any_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two blocks of studies, of which some come near a border and are drawn."""
    settings: dict[str, Any] = {"rope": 0.05, "studies": 300, "draws": 2_000, "rng": 7}
    first = op.power(PILOT, [150, 800], at="posterior", **settings)
    for cores in (1, 3):
        monkeypatch.setattr("outperform.base.cores.cores", lambda cores=cores: cores)
        again = op.power(PILOT, [150, 800], at="posterior", **settings)
        assert again == first
        np.testing.assert_array_equal(again.hdis, first.hdis)
    assert op.power(PILOT, [150, 800], at="posterior", **settings | {"rng": 8}) != first
    more = op.power(PILOT, [150, 400, 800], at="posterior", **settings)
    for one, other in ((0, 0), (1, 2)):
        assert near(first.points[one].reached, more.points[other].reached, 300, 300)


def test_verdicts_of_one_seed_share_out_the_decided() -> None:
    settings: dict[str, Any] = {"rope": 0.05, "at": "posterior", "studies": 250, "draws": 2_000, "rng": 9}
    goals = ("better", "worse", "equivalent", "decided", "not_worse")
    better, worse, same, decided, fine = (op.power(PILOT, [500, 2_000], goal, **settings) for goal in goals)
    np.testing.assert_array_equal(better.reached | worse.reached | same.reached, decided.reached)
    assert (better.reached.sum() + worse.reached.sum() + same.reached.sum()) == decided.reached.sum()
    assert (fine.reached >= (better.reached | same.reached)).all()
    assert same.reached.any()
    assert better.points[1].verdicts == decided.points[1].verdicts


@pytest.mark.parametrize(("truth", "goal"), [(TABLE_3A, "better"), (TABLE_3B, "equivalent")], ids=["a", "b"])
def test_pairing_has_more_power(truth: op.Scenario, goal: str) -> None:
    paired, apart = (
        op.power(truth, [500, 1500, 3000], goal, model=m, rope=0.05, rng=0) for m in ("paired", "unpaired")
    )
    assert (paired.reached.mean(axis=1) >= apart.reached.mean(axis=1)).all()
    assert paired.points[1].reached > apart.points[1].reached + 0.02


def test_where_lower_is_better_the_same_one_is() -> None:
    settings: dict[str, Any] = {"goal": "better", "rope": (-0.02, 0.05), "studies": 300, "rng": 1}
    right = op.power(TABLE_3A, [500], measure="accuracy", **settings)
    wrong = op.power(TABLE_3A, [500], measure="error_rate", **settings | {"rope": (-0.05, 0.02)})
    np.testing.assert_allclose(wrong.hdis, -right.hdis[..., ::-1], atol=1e-12)
    np.testing.assert_array_equal(wrong.outcomes, right.outcomes)
    assert 0 < right.points[0].reached == wrong.points[0].reached


def test_a_wider_interval_takes_more_items() -> None:
    narrow, wide = (op.power(TABLE_3A, 1000, "better", mass=mass, rope=0.05, rng=0) for mass in (0.8, 0.99))
    assert narrow.points[0].reached > wide.points[0].reached + 0.1


def test_many_classes_against_brute_force() -> None:
    settings: dict[str, Any] = {"average": "macro", "rope": 0.05, "model": op.Paired("haldane"), "draws": 1_000}
    (point,) = op.power(THREE, 100, studies=100, rng=0, **settings).points
    rng, reached = default_rng(3), 0
    for k in range(60):
        n = rng.multinomial(100, THREE.n / THREE.n.sum())
        cells = {name: np.repeat(THREE.predictions[:, j], n) for j, name in enumerate("ab")}
        r = op.compare(np.repeat(THREE.truth, n), cells, labels=[0, 1, 2], rng=k, **settings)
        reached += r.decision is not None and r.decision.decided
    assert near(point.reached, reached / 60, 100, 60)
    assert 6 < reached < 54


def test_sentences_against_brute_force() -> None:
    counts = op.Counts.from_chunks(GOLD, TAGGED)
    (point,) = op.power(counts, 60, rope=0.02, draws=2_000, studies=80, rng=0).points
    rng, reached = default_rng(4), 0
    for k in range(60):
        rows = rng.integers(0, len(GOLD), 60)
        tags = {name: [own[i] for i in rows] for name, own in TAGGED.items()}
        again = op.Counts.from_chunks([GOLD[i] for i in rows], tags, types=["LOC", "PER"])
        r = op.compare(again, rope=0.02, draws=2_000, rng=k)
        reached += r.decision is not None and r.decision.decided
    assert near(point.reached, reached / 60, 80, 60)
    assert 0 < reached < 60


@pytest.mark.parametrize(
    ("counts", "average"),
    [
        (op.Counts.from_chunks(GOLD, TAGGED, unit="chunk"), "micro"),
        (op.Counts.from_chunks(GOLD, TAGGED, unit="chunk"), "macro"),
        (op.Counts.from_totals({"a": (120, 110, 80), "b": (120, 108, 101)}), None),
        (THREE, "macro"),
        (op.Counts.from_test_sets({"a": (Y3[:90], A3[:90]), "b": (Y3, B3)}), "macro"),
    ],
    ids=["chunks", "types", "totals", "classes", "test sets"],
)
def test_the_truth_is_that_of_the_results(counts: op.Counts, average: Any) -> None:
    """Whatever is counted: close to what was observed, and with many items nearly always found."""
    observed = op.compare(
        counts, average=average, model="unpaired" if not counts.paired else None, rng=0
    ).delta.observed
    assert observed is not None
    goal = "better" if observed > 0 else "worse"
    r = op.power(counts, [30, 20_000], goal, average=average, rope=0.005, studies=8, draws=500, rng=0)
    assert r.delta == pytest.approx(observed, abs=0.03)
    assert r.points[0].reached < r.points[1].reached
    assert r.points[1].reached > 0.9


@pytest.mark.parametrize("average", ["macro", "micro", "samples"])
def test_labels_of_which_items_have_any_number(average: str) -> None:
    y = [{"x"}, {"x", "y"}, set(), {"y"}] * 10
    a, b = [{"x"}, {"x"}, set(), {"y"}] * 10, [{"x"}, {"y"}, {"y"}, set()] * 10
    counts = op.Counts.from_label_sets(y, {"a": a, "b": b}, by_item=average == "samples")
    r = op.power(counts, [10, 400], "better", average=average, rope=0.05, studies=8, draws=500, rng=0)
    compared = op.compare(counts, average=average, rng=0, draws=500)
    assert isinstance(compared, op.Comparison)
    observed = compared.delta.observed
    assert r.delta == pytest.approx(observed, abs=1e-9)
    assert r.points[0].reached < 1 == r.points[1].reached
    assert shares(r, 1)["better"] == 1


@pytest.mark.parametrize(
    ("goal", "where"),
    [
        ("equivalent", r"is \+0\.1, and would have to be between -0\.05 and \+0\.05"),
        ("worse", r"is \+0\.1, and would have to be below -0\.05"),
    ],
)
def test_a_goal_that_is_never_met_is_refused(goal: str, where: str) -> None:
    with pytest.raises(ValueError, match=f"the goal '{goal}' can never be reached: the true difference {where}"):
        op.power(TABLE_3A, 100, goal, rope=0.05)


def test_nothing_is_better_by_less_than_what_matters() -> None:
    sentence = r"'better' can never be reached: the true difference is \+0\.1, and would have to be above \+0\.2"
    with pytest.raises(ValueError, match=sentence):
        op.power(TABLE_3A, 100, "better", rope=0.2)
    with pytest.raises(ValueError, match=r"is \+0\.1, and would have to be above \+0\.1"):
        op.power(TABLE_3A, 100, "better", rope=TABLE_3A.scores()[0] - TABLE_3A.scores()[1])


@pytest.mark.parametrize("size", [0, -5, 1.5, "a", "100", True, None, nan, 10**10])
def test_bad_sizes(size: Any) -> None:
    for sizes in (size, [100, size]):
        with pytest.raises(ValueError, match="sizes are whole numbers of items between 1 and 1,000,000,000, got"):
            op.power(TABLE_3A, sizes, rope=0.05, studies=1)


@pytest.mark.parametrize("sizes", [[100.0], [[100]], np.array([[1, 2]]), [100, [100]]])
def test_sizes_of_the_wrong_shape(sizes: Any) -> None:
    with pytest.raises(ValueError, match="sizes are whole numbers of items"):
        op.power(TABLE_3A, sizes, rope=0.05, studies=1)


def test_sizes_of_any_kind() -> None:
    settings: dict[str, Any] = {"rope": 0.05, "studies": 10, "draws": 500, "rng": 0}
    expected = op.power(TABLE_3A, [10, 20], **settings)
    for sizes in (np.array([20, 10]), range(10, 30, 10), (10, 20), {10, 20}, (n for n in (10, 20))):
        assert op.power(TABLE_3A, sizes, **settings) == expected


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"sizes": []}, ValueError, "there are no sizes; give at least one number of items"),
        ({"studies": 0}, ValueError, "studies must be a whole number between 1 and 1,000,000, got 0"),
        ({"studies": 2.5}, ValueError, r"studies must be a whole number between 1 and 1,000,000, got 2\.5"),
        ({"studies": "x"}, ValueError, "studies must be a whole number between 1 and 1,000,000, got 'x'"),
        ({"at": "median"}, ValueError, "unknown at 'median'; did you mean 'mean'"),
        ({"model": "pared"}, ValueError, "unknown model 'pared'; did you mean 'paired'"),
        ({"measure": "f7"}, ValueError, "unknown measure 'f7'"),
        ({"mass": 1}, ValueError, "mass must lie between 0 and 1"),
        ({"draws": 0}, ValueError, "draws must be a whole number of at least 1, got 0"),
        ({"rope": None}, ValueError, "the goal 'decided' needs a ROPE"),
        ({"rope": 2}, ValueError, "rope must lie between"),
        ({"goal": "beter"}, ValueError, "unknown goal 'beter'; did you mean 'better'"),
        ({"average": "per_class"}, ValueError, "leave it out, and give one as pos_label$"),
        ({"average": "samples"}, ValueError, 'average="samples" is for items'),
        ({"truth": 0.5}, TypeError, r"give the truth as op\.Scenario\(…\), .* got float"),
        ({"truth": NUMBERS[:2]}, TypeError, "give the truth as .* got tuple"),
        ({"truth": None}, TypeError, "give the truth as .* got NoneType"),
        ({"truth": {"mu": 0.5, "positive": NUMBERS[1]}}, ValueError, "a truth has mu, positive and negative, got 'mu'"),
        ({"truth": dict(zip(("mu", "plus", "minus"), NUMBERS, strict=True))}, ValueError, "got 'mu', 'plus', 'minus'"),
        ({"truth": (1.5, *NUMBERS[1:])}, ValueError, "mu must be a probability between 0 and 1, got 1.5"),
        ({"truth": op.Counts.from_labels([0, 1], {"a": [0, 1]})}, ValueError, "planning takes two classifiers, got 1"),
        (
            {"truth": op.Counts.from_labels([0, 1], {"a": [0, 1], "b": [0, 1], "c": [0, 1]})},
            ValueError,
            "planning takes two classifiers, got 3: 'a', 'b', 'c'",
        ),
        ({"truth": op.Counts.by_fold({(1, 1): PILOT, (1, 2): PILOT})}, ValueError, "not test items to plan with"),
    ],
)
def test_bad_settings(given: dict[str, Any], error: type[Exception], sentence: str) -> None:
    settings: dict[str, Any] = {"truth": TABLE_3A, "sizes": 10, "rope": 0.05, "studies": 1}
    with pytest.raises(error, match=sentence):
        op.power(**settings | given)


@pytest.mark.parametrize("mu", [1.0, 0.0])
def test_a_world_of_one_class_has_its_true_difference(mu: float) -> None:
    """By recall, or by specificity: 0.8 against 0.4."""
    truth = op.Scenario(mu, (0.3, 0.5, 0.1, 0.1), (0.1, 0.1, 0.5, 0.3))
    measure = "recall" if mu else "specificity"
    assert np.subtract(*truth.scores(measure)) == pytest.approx(0.4)
    r = op.power(truth, 300, "better", measure=measure, rope=0.05, studies=50, rng=0)
    assert r.delta == pytest.approx(0.4)
    assert r.points[0].reached == 1


def test_a_measure_that_does_not_tell_the_two_apart() -> None:
    """As `compare` has it: δ is 0 whatever comes, which is equivalent."""
    settings: dict[str, Any] = {"measure": lambda c: c.support / c.total, "rope": 0.05, "rng": 0}
    assert verdict(op.compare(PILOT, draws=100, **settings)) == "equivalent"
    r = op.power(TABLE_3A, 50, studies=20, **settings)
    assert shares(r)["equivalent"] == 1


def test_a_study_that_has_no_posterior_shows_nothing() -> None:
    """Few items, none of them positive, and no prior."""
    sentence = "the prior has no weight where there are no items of a class"
    with pytest.raises(ValueError, match=sentence):
        op.compare(pair((0, 0, 0, 0), (1, 0, 1, 1)), model=op.Paired("haldane"))
    r = op.power(TABLE_3A, 3, model=op.Paired("haldane"), rope=0.05, studies=400, draws=500, rng=0)
    without = np.isinf(r.hdis).all(axis=-1)
    of_one_class = 2 * 0.5**3  # at least; there are also draws that are all the same
    assert without.mean() > of_one_class - 4 * np.sqrt(of_one_class * (1 - of_one_class) / 400)
    assert set(r.outcomes[without]) == {"undecided"}
    assert not r.reached[without].any()


def test_the_prior_of_an_unpaired_model_may_have_a_weight_for_each_outcome() -> None:
    model = op.Unpaired(op.Dirichlet(positive=(3, 1), negative=(1, 3)))
    assert op.compare(PILOT, model=model, rng=0, draws=100).model == "unpaired"
    r = op.power(PILOT, 500, model=model, rope=0.05, studies=50, rng=0)
    assert sum(shares(r).values()) == pytest.approx(1)


def test_a_goal_is_reached_where_the_verdict_says_so() -> None:
    """Few sentences often hold no difference at all, and their HDI has no width."""
    tags = {"a": [["B-X"]] * 100, "b": [["B-X"]] * 90 + [["O"]] * 10}
    counts = op.Counts.from_chunks([["B-X"]] * 100, tags)
    r = op.power(counts, 5, "better", rope=(-0.05, 0), studies=40, draws=500, rng=0)
    np.testing.assert_array_equal(r.reached, r.outcomes == "better")
