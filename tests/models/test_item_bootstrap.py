"""Weights of items, clusters, strata and runs: their variances, and the classical tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import erfc, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import stats
from sklearn import datasets

import outperform as op
from outperform.data.input import Input
from outperform.data.items import Items
from outperform.data.runs import Runs
from outperform.inference.baselines.counts import class_t_test
from outperform.inference.baselines.items import delong, paired_bootstrap, paired_t_test
from outperform.inference.item_reading import weighings
from outperform.measures.of_items import ITEM_MEASURES, mean_of
from outperform.models.weights import ItemWeights
from tests.later import later
from tests.tables import verdict

linear_model = later("statsmodels.regression.linear_model")

Array = NDArray[Any]
DRAWS = 20_000
ERRORS = 3  # Monte-Carlo errors
SD_ERROR = ERRORS / sqrt(2 * DRAWS)  # relative, of a standard deviation of draws
NONE: Array = np.zeros(0, dtype=np.int64)


def with_ties() -> tuple[Array, Array, Array]:
    rng = default_rng(0)
    y = rng.integers(0, 2, 400)
    a, b = (np.round(y + rng.normal(0, s, 400)) for s in (1, 1.4))
    return y, a, b


def with_imbalance() -> tuple[Array, Array, Array]:
    X, y = datasets.make_classification(900, weights=[0.9], flip_y=0.05, class_sep=0.7, random_state=3)
    best = np.argsort(-np.abs(np.corrcoef(X.T, y)[-1, :-1]))[:2]
    return y, X[:, best[0]], -X[:, best[1]]


def shipped(load: Callable[..., Any], positive: float, first: int, second: int) -> tuple[Array, Array, Array]:
    """Return two features of a data set as scores of one class, or of values above a threshold."""
    X, y = load(return_X_y=True)
    true = (y > positive) if len(np.unique(y)) > 10 else (y == positive)
    return true.astype(int), X[:, first], X[:, second]


DATA: dict[str, Callable[[], tuple[Array, Array, Array]]] = {
    "breast cancer": lambda: shipped(datasets.load_breast_cancer, 0, 1, 4),
    "diabetes": lambda: shipped(datasets.load_diabetes, 140, 2, 3),
    "one in ten": with_imbalance,
    "ties": with_ties,
}
every_set = pytest.mark.parametrize("name", ["breast cancer", "one in ten", "ties"])


@cache
def data(name: str) -> tuple[Array, Array, Array]:
    return DATA[name]()


@cache
def compared(name: str) -> op.Comparison:
    y, a, b = data(name)
    return op.compare(y, {"a": a, "b": b}, measure="roc_auc", draws=DRAWS, rng=1)


def seen(truth: Any, outputs: dict[str, Array], measure: Any, **model: Any) -> Array:
    """Return draws by the observed units."""
    asked: Any = {"labels": None, "pos_label": None, "draws": DRAWS, "rng": 1, "zero_division": 0.0}
    found = weighings(Input(truth, outputs), asked | {"measure": measure, "model": op.BayesianBootstrap(**model)})
    return found[0].by_weights(DRAWS, SeedSequence(1, spawn_key=(0,)))


def naive_delong(y: Array, a: Array, b: Array) -> tuple[Array, Array, float]:
    """From every pair of a positive and a negative item: both areas, their covariance, and the p-value."""
    wins = []
    for score in (a, b):
        apart = score[y == 1][:, None] - score[y == 0]
        wins.append((apart > 0) + 0.5 * (apart == 0))
    area = np.array([win.mean() for win in wins])
    across = [np.cov([win.mean(axis=axis) for win in wins]) / wins[0].shape[1 - axis] for axis in (1, 0)]
    covariance: Array = across[0] + across[1]
    contrast = np.array([1.0, -1.0])
    z = abs(area[0] - area[1]) / sqrt(contrast @ covariance @ contrast)
    return area, covariance, erfc(z / sqrt(2))


@every_set
def test_area_under_the_roc_curve_is_mann_whitneys_with_delongs_error(name: str) -> None:
    (y, a, b), r = data(name), compared(name)
    area, covariance, _ = naive_delong(y, a, b)
    assert len(y) >= 200
    drawn = seen(y, {"a": a, "b": b}, "roc_auc")
    for k, (score, score_of) in enumerate(((a, r.a), (b, r.b))):
        u = stats.mannwhitneyu(score[y == 1], score[y == 0]).statistic / ((y == 1).sum() * (y == 0).sum())
        assert score_of.observed == pytest.approx(u, abs=1e-12)
        assert area[k] == pytest.approx(u, abs=1e-12)
        assert abs(score_of.mean - u) < ERRORS * score_of.sd / sqrt(DRAWS)
        assert drawn[:, k].std() == pytest.approx(sqrt(covariance[k, k]), rel=0.05)
    of_difference = sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert (drawn[:, 0] - drawn[:, 1]).std() == pytest.approx(of_difference, rel=0.05)
    assert np.cov(drawn.T)[0, 1] == pytest.approx(covariance[0, 1], abs=0.05 * sqrt(np.prod(np.diag(covariance))))
    assert of_difference < 1.05 * r.delta.sd < 1.2 * of_difference  # with unobserved units


@every_set
def test_delongs_p_is_that_of_all_pairs(name: str) -> None:
    y, a, b = data(name)
    _, _, p = naive_delong(y, a, b)
    assert compared(name).frequentist["delong"] == pytest.approx(p, rel=1e-8, abs=1e-14)
    same = Items(("a", "b"), y, (a, a), np.ones(len(y)), average="binary")
    scorer = ITEM_MEASURES["roc_auc"].prepare(same)
    assert delong(same, scorer(same.n[:, None])[0], scorer.influence(same.n).T) == 1


def four_cells(n: tuple[int, int, int, int]) -> tuple[Array, Array]:
    """Return scores of 0 and 1 from how often both, the first, the second or none have a 1."""
    return np.repeat([1, 1, 0, 0], n), np.repeat([1, 0, 1, 0], n)


@pytest.mark.parametrize("n", [(120, 30, 15, 35), (300, 60, 90, 550), (150, 12, 9, 129)])
def test_right_and_wrong_by_the_bootstrap_and_by_the_dirichlet_model(n: tuple[int, int, int, int]) -> None:
    """Dir(n) and Dir(n + ½) over four cells: means differ by 2δ/(N + 2), sds by at most 1/(b + c) + 2/N of them."""
    a, b = four_cells(n)
    weighed, exact = (op.compare_scores({"a": a, "b": b}, model=m, draws=DRAWS, rng=5) for m in ("bootstrap", None))
    assert (weighed.model, exact.model) == ("bootstrap", "paired")
    for r, alpha, more in ((weighed, np.array(n), 2 / (n[1] + n[2])), (exact, np.array(n) + 0.5, 0.0)):
        _, first, second, _ = alpha / alpha.sum()
        mean = first - second
        sd = sqrt((first + second - mean**2) / (alpha.sum() + 1) * (1 + more))
        assert abs(r.delta.mean - mean) < ERRORS * sd / sqrt(DRAWS)
        assert r.delta.sd == pytest.approx(sd, rel=SD_ERROR + more / 4)
    size, apart, split = sum(n), abs(n[1] - n[2]) / sum(n), n[1] + n[2]
    noise = ERRORS * weighed.delta.sd * sqrt(2 / DRAWS)
    assert abs(weighed.delta.mean - exact.delta.mean) < 4 * apart / (size + 4) + noise
    relative = 1 / split + 2 / size + 2 * SD_ERROR
    assert weighed.delta.sd == pytest.approx(exact.delta.sd, rel=relative)
    for mine, theirs in zip(weighed.delta.hdi, exact.delta.hdi, strict=True):
        # An end lies two sd from the mean; as a 2.5% quantile of draws it varies 2.7 times as much as the mean.
        assert abs(mine - theirs) < 4 * apart / size + 2 * exact.delta.sd * relative + 2.7 * noise


def width(r: op.Comparison) -> float:
    return r.delta.hdi[1] - r.delta.hdi[0]


def repeated(values: Array, times: int = 5) -> Array:
    return np.repeat(values, times, axis=0)


@pytest.mark.parametrize("measure", ["mean", "roc_auc", "f1"])
def test_items_that_come_five_times_tell_no_more_in_clusters(measure: str) -> None:
    y, a, b = (column[:300] for column in data("breast cancer"))
    if measure == "f1":
        a, b = (np.where(default_rng(k).random(len(y)) < 0.8, y, 1 - y) for k in (0, 1))
    documents = repeated(np.arange(len(y)))

    def ask(truth: Array, first: Array, second: Array, cluster: Array | None) -> op.Comparison:
        model = op.BayesianBootstrap(cluster=None if cluster is None else cluster.tolist())
        two = {"a": first, "b": second}
        if measure == "mean":
            return op.compare_scores(two, model=model, draws=10_000, rng=2)
        return op.compare(truth, two, measure=measure, model=model, draws=10_000, rng=2)

    once = ask(y, a, b, None)
    clustered = ask(repeated(y), repeated(a), repeated(b), documents)
    ignored = ask(repeated(y), repeated(a), repeated(b), None)
    assert clustered.items == 5 * once.items
    assert clustered.delta.observed == pytest.approx(once.delta.observed)
    assert width(clustered) == pytest.approx(width(once), rel=0.05)
    assert width(once) / width(ignored) == pytest.approx(sqrt(5), rel=0.05)


def rows(n: int, **groups: Any) -> Items:
    score = default_rng(n).integers(0, 3, n).astype(float)
    return Items(("a", "b"), np.zeros(n), (score, score[::-1].copy()), np.ones(n), average="mean").grouped(**groups)


@pytest.mark.parametrize("clustered", [False, True])
def test_strata_have_their_share_in_every_draw(clustered: bool) -> None:
    stratum = np.repeat([0, 1, 2], [30, 200, 70])
    cluster = stratum * 1000 + default_rng(1).integers(0, 12, 300) if clustered else None
    items = rows(300, cluster=cluster, strata=stratum).merged()
    weights = ItemWeights.of(items).draw(default_rng(0), 500)
    shares = np.stack([weights[items.stratum == s].sum(axis=0) for s in range(3)])
    np.testing.assert_allclose(np.sort(shares, axis=0), np.repeat([[30.0], [70.0], [200.0]], 500, axis=1), rtol=1e-12)
    free = ItemWeights.of(rows(300, cluster=cluster).merged()).draw(default_rng(0), 500)
    assert free.sum(axis=0).std() > 1  # without strata nothing is fixed


def test_items_of_a_stratum_are_weighed_as_if_they_were_alone() -> None:
    items = rows(50, strata=np.repeat(["x", "y"], [10, 40]))
    share = ItemWeights.of(items).draw(default_rng(3), 4_000)[0] / 10
    assert stats.kstest(share, stats.beta(0.8, 7.2).cdf).pvalue > 1e-4


def test_the_error_of_a_stratified_mean_is_the_analytic_one() -> None:
    """Var = Σ (n_s/N)² s_s² / n_s, s_s² the unbiased variance in the stratum; plus 2/n_eff of it for unobserved units.

    A score has at least half of what the difference has for that.
    """
    rng = default_rng(4)
    stratum = np.repeat(["old", "new", "rare"], [200, 120, 40])
    level = {"old": 0.0, "new": 5.0, "rare": -3.0}
    a = np.array([level[s] for s in stratum]) + rng.normal(0, 1, 360)
    b = rng.normal(0, 2, 360)
    r = op.compare_scores({"a": a, "b": b}, strata=stratum, draws=DRAWS, rng=0)

    def variances(values: Array) -> tuple[float, float]:
        parts = [values[stratum == s] for s in level]
        variance = sum((len(part) / 360) ** 2 * part.var(ddof=1) / len(part) for part in parts)
        squares, fourths = (sum(((part - part.mean()) ** k).sum() for part in parts) for k in (2, 4))
        return variance, variance * 2 * fourths / squares**2

    _, apart = variances(a - b)
    for values, sd, least in ((a, r.a.sd, apart / 2), (b, r.b.sd, apart / 2), (a - b, r.delta.sd, apart)):
        variance, unseen = variances(values)
        assert sd == pytest.approx(sqrt(variance + max(unseen, least)), rel=SD_ERROR + unseen / variance / 4)
    assert r.a.sd < 0.5 * op.compare_scores({"a": a, "b": b}, draws=DRAWS, rng=0).a.sd


THREES = op.BayesianBootstrap([k // 3 for k in range(442)])  # clusters of three
QUESTIONS: dict[str, Callable[..., op.Comparison]] = {
    "roc_auc": lambda y, two, **more: op.compare(y, two, measure="roc_auc", **more),
    "average_precision": lambda y, two, **more: op.compare(y, two, measure="average_precision", **more),
    "clustered": lambda y, two, **more: op.compare_scores(two, cluster=np.arange(len(y)) // 3, **more),
    "stratified": lambda y, two, **more: op.compare_scores(two, strata=y, **more),
    "labels": lambda y, two, **more: op.compare(y, {k: (x > 0.02) * 1 for k, x in two.items()}, model=THREES, **more),
    "runs": lambda y, two, **more: op.compare_scores({k: np.c_[x, x[::-1], x**2] for k, x in two.items()}, **more),
}  # fmt: skip
every_question = pytest.mark.parametrize("question", QUESTIONS)


@every_question
def test_the_same_seed_gives_the_same_numbers_whatever_the_workers(question: str, monkeypatch: Any) -> None:
    y, a, b = data("diabetes")
    drawn = []
    for cores in (1, 3):
        monkeypatch.setattr("outperform.base.cores.cores", lambda cores=cores: cores)
        r = QUESTIONS[question](y, {"a": a, "b": b}, draws=10_000, rng=7)
        drawn.append((r.draws, r.frequentist))
    np.testing.assert_array_equal(drawn[0][0], drawn[1][0])
    assert drawn[0][1] == drawn[1][1]
    other = QUESTIONS[question](y, {"a": a, "b": b}, draws=10_000, rng=8)
    assert (other.draws != drawn[0][0]).any()


@every_question
def test_swapping_flips_the_sign_of_every_draw(question: str) -> None:
    y, a, b = data("diabetes")
    r, s = (QUESTIONS[question](y, two, draws=2_000, rng=7) for two in ({"a": a, "b": b}, {"b": b, "a": a}))
    np.testing.assert_array_equal(r.draws, s.draws[:, ::-1])
    assert r.frequentist == s.frequentist


@pytest.mark.parametrize("question", [name for name in QUESTIONS if name != "runs"])
def test_identical_systems_could_differ_on_one_item(question: str) -> None:
    y, a, _ = data("diabetes")
    r = QUESTIONS[question](y, {"a": a, "b": a}, rope=1e-9, draws=500, rng=0)
    assert verdict(r) == "undecided"
    low, high = r.delta.hdi
    few = (
        3 if question in ("clustered", "labels") else 10 if question == "average_precision" else 1
    )  # items that move together
    assert 0 < high - low < 10 * few / (y == 1).sum()
    assert verdict(QUESTIONS[question](y, {"a": a, "b": a}, rope=0.2, draws=500, rng=0)) == "equivalent"
    assert "a and b have the same output on all 442 items." in r.notes
    assert set(r.frequentist.values()) == (set() if question == "stratified" else {1.0})


@pytest.mark.parametrize("kind", ["scores", "roc_auc", "strata", "clusters", "identical runs", "runs"])
def test_exchangeable_systems_are_never_told_apart(kind: str) -> None:
    rng = default_rng(1)
    x, z, y = rng.random(100), rng.random(100), np.tile(rng.integers(0, 2, 100), 2)
    two: dict[str, Array] = {"a": np.append(x, z), "b": np.append(z, x)}
    groups = {"strata": y} if kind == "strata" else {"cluster": np.arange(200) // 2} if kind == "clusters" else {}
    if "runs" in kind:
        runs = rng.random((2, 100, 3))
        two = {"a": np.concatenate(runs), "b": np.concatenate(runs if kind.startswith("identical") else runs[::-1])}
    for seed in range(10):
        settings: Any = {"rope": 1e-4, "draws": 1_000, "rng": seed, **groups}
        auc = kind == "roc_auc"
        r = op.compare(y, two, measure="roc_auc", **settings) if auc else op.compare_scores(two, **settings)
        assert (verdict(r), round(r.delta.mean, 12)) == ("undecided", 0)


def test_clusters_with_equal_columns_but_other_rows_are_not_exchangeable() -> None:
    y = np.tile([1, 0], 200)
    model = op.BayesianBootstrap(cluster=np.repeat(np.arange(200), 2))
    r = op.compare(y, {"right": y, "wrong": 1 - y}, measure="accuracy", rope=0.05, model=model, rng=0)
    assert verdict(r) == "better"


@pytest.mark.parametrize("seed", range(3))
def test_the_paired_t_test_is_scipys_and_with_clusters_that_of_a_robust_error(seed: int) -> None:
    rng = default_rng(seed)
    a, b = rng.normal(0.05, 1, 300), rng.normal(0, 1, 300)
    cluster = rng.permutation(np.repeat(np.arange(40), 300 // 40 + 1)[:300])
    assert paired_t_test(a - b) == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-10)
    robust = linear_model.OLS(a - b, np.ones(300)).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
    assert paired_t_test(a - b, cluster) == pytest.approx(float(robust.pvalues[0]), rel=1e-8)
    r = op.compare_scores({"a": a, "b": b}, cluster=cluster, draws=200, rng=0)
    assert r.frequentist["paired_t_test"] == pytest.approx(float(robust.pvalues[0]), rel=1e-8)
    assert set(r.frequentist) == {"paired_t_test", "paired_bootstrap"}


def test_tests_without_clusters_are_scipys() -> None:
    rng = default_rng(3)
    a, b = np.round(rng.normal(0.2, 1, 150), 1), np.round(rng.normal(0, 1, 150), 1)  # ties and zeros
    p = op.compare_scores({"a": a, "b": b}, draws=200, rng=0).frequentist
    signs = stats.binomtest(int((a > b).sum()), int((a != b).sum()))
    assert (a == b).any()
    assert p["wilcoxon"] == pytest.approx(stats.wilcoxon(np.round(a - b, 1)).pvalue, rel=1e-8)
    assert p["sign_test"] == pytest.approx(signs.pvalue, rel=1e-8)
    assert p["paired_t_test"] == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-8)


def test_constant_and_single_differences() -> None:
    assert paired_t_test(np.zeros(5)) == 1
    for size in (0.1, 0.5):  # of which one is rounded in sums
        same = np.full(20, size)
        with pytest.warns(RuntimeWarning, match="Precision loss"):
            assert stats.ttest_1samp(np.full(20, 0.5), 0).pvalue == 0
        assert paired_t_test(same) == paired_t_test(same, np.repeat(np.arange(5), 4)) == class_t_test(same) == 0
    none = np.tile([1.0, -1.0], 5)  # in each cluster
    assert paired_t_test(none, np.repeat(np.arange(5), 2)) == 1
    assert paired_t_test(np.array([0.3])) is None
    assert paired_t_test(np.array([0.3, 0.1, 0.2]), np.zeros(3, dtype=np.int64)) is None


@pytest.mark.parametrize("unit", [1e-200, 1e-6, 1e6, 2.0**-1040])
def test_the_paired_t_test_does_not_depend_on_the_unit_of_the_scores(unit: float) -> None:
    """The squares of the smallest are 0, and of the last ones few digits are left."""
    a, b = default_rng(0).normal(size=(2, 50))
    cluster = np.repeat(np.arange(10), 5)
    assert paired_t_test((a - b) * unit) == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-6)
    assert paired_t_test((a - b) * unit, cluster) == pytest.approx(paired_t_test(a - b, cluster), rel=1e-6)


@pytest.mark.parametrize("clustered", [False, True])
def test_the_paired_bootstrap_is_the_t_test_on_many_items(clustered: bool) -> None:
    """1,000 resamples have an error of √(p(1−p)/1000)."""
    rng = default_rng(6)
    a, b = rng.normal(0, 1, 2_000) + np.repeat(rng.normal(0, 1, 400), 5), rng.normal(0, 1, 2_000)
    a += b.mean() - a.mean() + (0.08 if clustered else 0.05)  # so that p is neither near 0 nor near 1
    mean = mean_of("score")
    items = mean.reads(None, {"a": a, "b": b}, None, None).grouped(np.arange(2_000) // 5 if clustered else None)
    by_t = paired_t_test(a - b, items.cluster)
    assert by_t is not None
    assert 0.1 < by_t < 0.5
    resampled = paired_bootstrap(items, mean.prepare(items), SeedSequence(0))
    assert resampled == pytest.approx(by_t, abs=ERRORS * sqrt(by_t * (1 - by_t) / 1_000))


@pytest.mark.parametrize("items", [12, 20, 40])
def test_the_unit_of_scores_does_not_change_the_paired_bootstrap(items: int) -> None:
    """Of few grades many resamples deviate exactly as much as the data do, except for rounding errors."""
    rng = default_rng(items)
    a = rng.integers(0, 4, items).astype(float)
    b = np.clip(a + rng.choice([-1, 0, 0, 1, 1], items), 0, 3)
    found = {
        op.compare_scores({"a": a * unit + 0.3, "b": b * unit + 0.3}, draws=50, rng=0).frequentist["paired_bootstrap"]
        for unit in (1.0, 0.1, 1 / 3, 0.7)
    }
    assert len(found) == 1


def test_resamples_that_deviate_as_much_count() -> None:
    """The difference of 1 of 12 items: only resamples that have this item as often as the data do not."""
    a = np.append(np.zeros(11), 1.0)
    p = op.compare_scores({"a": a + 0.1, "b": np.full(12, 0.1)}, draws=50, rng=0).frequentist["paired_bootstrap"]
    assert p == pytest.approx(1 - stats.binom.pmf(1, 12, 1 / 12), abs=4 * 0.5 / np.sqrt(1_000))


def test_one_cluster_tells_nothing() -> None:
    r = op.compare_scores({"a": [0.5, 0.9, 0.4], "b": [0.3, 0.8, 0.1]}, cluster=["x"] * 3, rope=0.01, rng=0)
    assert verdict(r) == "undecided"
    assert r.frequentist == {"paired_t_test": None, "paired_bootstrap": None}


def simulated(rng: Any, items: int, runs: int, spread: tuple[float, ...], mean: float = 0.0, easy: Any = 0.0) -> Array:
    """Simulate x_ir = m + a_i + b_r + e_ir, with the sd of each part; `easy` is shared by the systems."""
    of_items, of_runs, rest = (rng.normal(0, s, n) for s, n in zip(spread, (items, runs, (items, runs)), strict=True))
    scores: Array = mean + (easy + of_items)[:, None] + of_runs + rest
    return scores


def test_variances_of_runs_and_of_noise_are_recovered() -> None:
    """Moments are unbiased: their means over 400 simulations are within 4 errors of σ_b² + σ_e²/I and of σ_e²/I."""
    rng, spread = default_rng(10), (1.0, 0.5, 2.0)
    found = []
    for _ in range(400):
        runs = Runs.of([simulated(rng, 40, r, spread) for r in (3, 4)], NONE)
        assert runs
        assert (runs.freedom, runs.number.tolist()) == (5, [3, 4])
        found.append((runs.spread, runs.noise))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / sqrt(400)
    assert (np.abs(mean - [0.25 + 4 / 40, 4 / 40]) < 4 * error).all()


def test_many_runs_and_items_add_up() -> None:
    """With 60 runs each τ² is almost known, and the variance of δ is that of items and runs."""
    rng = default_rng(11)
    two = {name: simulated(rng, 300, 60, (1.0, 0.6, 1.5)) for name in "ab"}
    r = op.compare_scores(two, draws=DRAWS, rng=0)
    assert r.variance is not None
    a, b = two.values()
    of_items = (a.mean(axis=1) - b.mean(axis=1)).var() / 301
    assert r.variance["items"] == pytest.approx(of_items, rel=2 * SD_ERROR)
    assert r.variance["runs"] == pytest.approx(
        a.mean(axis=0).var(ddof=1) / 60 + b.mean(axis=0).var(ddof=1) / 60, rel=0.05
    )
    whole = r.variance["items"] + 118 / 116 * r.variance["runs"]  # the mean of f/χ²_f is f/(f − 2)
    assert r.delta.sd**2 == pytest.approx(whole, rel=2 * SD_ERROR + 0.01)


def test_hdis_with_runs_cover_the_difference() -> None:
    """In 200 studies of 60 items and 3 runs, the coverage is at least 95% less 3 binomial errors.

    Means over runs alone cover far less, as the first 50 studies tell.
    """
    rng = default_rng(12)
    held, studies = np.zeros(2), np.array([200, 50])
    for seed in range(200):
        easy = rng.normal(0, 1, 60)
        two = {name: simulated(rng, 60, 3, (0.3, 0.3, 0.5), mean, easy) for name, mean in (("a", 0.2), ("b", 0.0))}
        asked = (two, {name: runs.mean(axis=1) for name, runs in two.items()})
        for k, scores in enumerate(asked[: 1 + (seed < 50)]):
            low, high = op.compare_scores(scores, draws=1_000, rng=seed).delta.hdi
            held[k] += low <= 0.2 <= high
    share, binomial = held / studies, np.sqrt(0.95 * 0.05 / studies)
    assert share[0] > 0.95 - 3 * binomial[0]
    assert share[1] < 0.95 - 5 * binomial[1]


def test_one_run_beside_three() -> None:
    """The variance of runs is estimated from the three, and applies in full to the one."""
    rng = default_rng(13)
    three, one = simulated(rng, 100, 3, (1.0, 0.5, 1.0)), simulated(rng, 100, 1, (1.0, 0.5, 1.0))
    runs = Runs.of([three, one], NONE)
    assert runs
    assert runs.freedom == 2
    assert runs.draw(default_rng(0), DRAWS).std(axis=0) == pytest.approx(
        np.sqrt([1 / 3, 1]) * runs.draw(default_rng(1), DRAWS)[:, 1].std(), rel=0.05
    )
    r = op.compare_scores({"three": three, "one": one[:, 0]}, draws=500, rng=0)
    assert r.variance is not None
    assert (
        "Runs are resampled as well as items (3 and 1): from so few runs the variation between runs is uncertain"
        in r.notes[0]
    )
    assert Runs.of([one, one], NONE) is None
    assert op.compare_scores({"a": one, "b": one[:, 0]}, draws=500, rng=0).variance is None


def test_runs_of_items_that_come_five_times_in_clusters() -> None:
    rng = default_rng(14)
    a, b = (simulated(rng, 200, 4, (1.0, 0.3, 2.0)) for _ in range(2))
    once, five = Runs.of([a, b], NONE), Runs.of([repeated(a), repeated(b)], repeated(np.arange(200)))
    assert once
    assert five
    assert (five.spread, five.noise) == pytest.approx((once.spread, once.noise))
    r, s = (op.compare_scores({"a": x, "b": z}, cluster=c, draws=DRAWS, rng=0)
            for x, z, c in ((a, b, None), (repeated(a), repeated(b), repeated(np.arange(200)))))  # fmt: skip
    assert width(s) == pytest.approx(width(r), rel=0.05)
    assert s.frequentist == {}


def test_runs_add_nothing_to_a_system_that_is_deterministic() -> None:
    rng = default_rng(0)
    level = rng.normal(0.6, 0.2, (100, 1))
    varied = level + rng.normal(0, 0.05, 3) + rng.normal(0, 0.1, (100, 3))
    runs = Runs.of((varied, np.repeat(level, 3, axis=1)), np.empty(0, dtype=np.int64))
    assert runs is not None
    assert runs.freedom == 2, "those of the system that varies"
    added = runs.draw(default_rng(1), 1_000)
    assert added[:, 0].std() > 0
    assert not added[:, 1].any()
    turned = runs.select(np.array([1, 0]))
    assert turned.varies.tolist() == [False, True]
    alone = Runs.of((level, np.repeat(level, 3, axis=1)), np.empty(0, dtype=np.int64))
    assert alone is not None
    assert alone.freedom == 2, "nothing else says how much runs differ"


def test_a_model_of_many_clusters_has_a_short_name() -> None:
    model = op.BayesianBootstrap(cluster=np.arange(3_000) // 3, strata=["a"] * 3_000, prior="haldane")
    assert repr(model) == "BayesianBootstrap(cluster=<1,000 of 3,000 items>, strata=<1 of 3,000 items>, prior=haldane)"
    assert repr(op.BayesianBootstrap()) == "BayesianBootstrap()"
