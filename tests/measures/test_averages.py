"""Averages over classes against scikit-learn, and the tables of ICDM'15."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import outperform as op
from outperform.inference import densities
from outperform.inference.question import CountQuestion
from outperform.measures.of_counts import MEASURES
from outperform.models.derived import RightPosterior
from outperform.models.eta import Learned

AVERAGES = ("micro", "macro", "weighted")
KERNEL_NOISE = 0.06  # relative Monte-Carlo error of a density 2.5 sd from the mean, of 50,000 draws
ERRORS = 4  # tolerances are this many Monte-Carlo errors
TWINS: dict[str, Any] = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "f2": lambda *a, **k: sk.fbeta_score(*a, beta=2, **k),
    "f0.5": lambda *a, **k: sk.fbeta_score(*a, beta=0.5, **k),
    "jaccard": sk.jaccard_score,
}
OWN_FORM: dict[str, Any] = {
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
}
OURS = sorted(name for name, m in MEASURES.items() if m.function.__module__ == "outperform.measures.of_counts")
Y, P, Q = [0, 0, 0, 1, 1, 2, 2, 2, 2], [0, 0, 1, 1, 1, 2, 2, 0, 2], [0, 1, 1, 1, 0, 2, 2, 0, 1]


def random_table(seed: int) -> tuple[list[int], Any, Any]:
    """Generate classes, truth and predictions; the last class is never predicted, the first has few items or none."""
    rng = np.random.default_rng(seed)
    classes = int(rng.integers(3, 8))
    share = rng.dirichlet(np.ones(classes))
    share[0] = 0.01
    y = rng.choice(classes, 60, p=share / share.sum())
    p = np.where(rng.random(60) < 0.6, y, rng.integers(0, classes, 60))
    p[p == classes - 1] = classes - 2
    return list(range(classes)), y, p


def observed(
    measure: str, average: str | None, y: Any, p: Any, labels: Any = None, zero_division: float = 0.0
) -> float:
    """Return the score of the observed table, by the function that scores the draws."""
    counts = op.Counts.from_labels(y, {"p": p}, labels=labels)
    question = CountQuestion.check(measure, average, counts, draws=None, rng=0, zero_division=zero_division)
    return float(question.score(counts.contingency())[0])


@pytest.mark.filterwarnings("ignore")  # scikit-learn warns of undefined scores
class TestAgainstScikitLearn:
    @pytest.mark.parametrize("average", AVERAGES)
    @pytest.mark.parametrize(
        ("name", "zero_division"),
        # scikit-learn's jaccard_score supports only 0 and 1
        [(name, value) for name in TWINS for value in (0.0, 1.0, np.nan) if name != "jaccard" or not np.isnan(value)],
    )
    def test_averages(self, name: str, zero_division: float, average: str) -> None:
        for seed in range(10):
            labels, y, p = random_table(seed)
            twin = TWINS[name](y, p, labels=labels, average=average, zero_division=zero_division)
            assert observed(name, average, y, p, labels, zero_division) == pytest.approx(twin, nan_ok=True)

    @pytest.mark.parametrize("name", OWN_FORM)
    def test_own_forms_are_the_default(self, name: str) -> None:
        for seed in range(25):
            labels, y, p = random_table(seed)
            assert observed(name, None, y, p, labels) == pytest.approx(OWN_FORM[name](y, p), abs=1e-12)

    @pytest.mark.parametrize("average", AVERAGES)
    @pytest.mark.parametrize("name", TWINS)
    def test_two_classes(self, name: str, average: str) -> None:
        rng = np.random.default_rng(0)
        for _ in range(10):
            y, p = np.array(["no", "yes"])[rng.integers(0, 2, (2, 15))]
            twin = TWINS[name](y, p, labels=["no", "yes"], average=average, zero_division=0.0)
            assert observed(name, average, y, p, ["no", "yes"]) == pytest.approx(twin)

    @pytest.mark.parametrize("name", OWN_FORM)
    def test_the_own_form_of_two_classes(self, name: str) -> None:
        y, p = np.array(["no", "yes"])[np.random.default_rng(3).integers(0, 2, (2, 15))]
        assert observed(name, "multiclass", y, p) == pytest.approx(OWN_FORM[name](y, p))

    def test_the_verbs_report_it(self) -> None:
        for average in AVERAGES:
            twin = [sk.precision_score(Y, x, average=average) for x in (P, Q)]
            one = op.estimate(Y, P, measure="precision", average=average, draws=9)
            assert isinstance(one, op.Estimate)
            assert one.observed == pytest.approx(twin[0])
            r = op.compare(Y, {"p": P, "q": Q}, measure="precision", average=average, draws=99, rng=0)
            assert isinstance(r, op.Comparison)
            assert [r.a.observed, r.b.observed] == pytest.approx(twin)


def test_no_class_with_a_score_has_weight() -> None:
    """Precision is 0/0 if nothing is predicted, and has no weight without support."""
    twin = sk.precision_score([0, 0], [1, 1], labels=[0, 1, 2], average="weighted", zero_division=np.nan)
    assert observed("precision", "weighted", [0, 0], [1, 1], [0, 1, 2], np.nan) == twin == 0.0


@pytest.mark.parametrize("name", OURS)
def test_averages_of_every_measure_are_made_of_one_against_the_rest(name: str) -> None:
    for seed in range(5):
        labels, y, p = random_table(seed)
        one_by_one = np.array([observed(name, None, y == j, p == j, [False, True]) for j in labels])
        assert observed(name, "macro", y, p, labels) == pytest.approx(one_by_one.mean())
        weights = np.bincount(y, minlength=len(labels))
        assert observed(name, "weighted", y, p, labels) == pytest.approx(np.average(one_by_one, weights=weights))
        pooled_y, pooled_p = (np.concatenate([x == j for j in labels]) for x in (y, p))
        assert observed(name, "micro", y, p, labels) == pytest.approx(observed(name, None, pooled_y, pooled_p))


@pytest.mark.parametrize("name", sorted(set(OURS) - set(OWN_FORM)))
def test_a_measure_without_a_form_for_many_classes_needs_an_average(name: str) -> None:
    with pytest.raises(ValueError, match=r"there are 3 classes \(0, 1, 2\); set one .* pos_label, or take average="):
        op.estimate(Y, P, measure=name)
    with pytest.raises(ValueError, match=f"{name} of many classes needs an average: give micro, macro, weighted or"):
        op.compare(Y, {"p": P, "q": Q}, measure=name, average="multiclass")


def test_average_and_positive_class_exclude_each_other() -> None:
    with pytest.raises(ValueError, match='pos_label and average="macro" exclude each other; leave one out'):
        op.compare(Y, {"p": P, "q": Q}, average="macro", pos_label=1)
    with pytest.raises(ValueError, match=r"unknown average 'marco'; did you mean 'macro'\?"):
        op.compare(Y, {"p": P, "q": Q}, average="marco")


def printed(average: str) -> list[dict[str, Any]]:
    """Return rows of ICDM'15 Tables III and IV."""
    rows = [row for row in op.datasets.printed("icdm2015_table4") if row["average"] == average]
    text = ("first", "second", "average", "decision")
    return [{key: value if key in text else float(value) for key, value in row.items()} for row in rows]


def matrix(name: str) -> tuple[Any, Any]:
    """Return truth and predictions for a matrix of Figure 3."""
    cells = op.datasets.newsgroups_confusion()[name]
    truth, guess = np.indices(cells.shape).reshape(2, -1)
    return np.repeat(truth, cells.ravel()), np.repeat(guess, cells.ravel())


@pytest.fixture
def few_prior_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that compute a Bayes factor without checking it."""
    monkeypatch.setattr(densities, "PRIOR_DRAWS", 1_000)


def from_matrices(first: str, second: str, average: str, prior: str, draws: int) -> op.Comparison:
    counts = op.Counts.from_test_sets({name: matrix(name) for name in (first, second)})
    r = op.compare(counts, model=op.Unpaired(prior), average=average, rope=0.005, draws=draws, rng=0)
    assert isinstance(r, op.Comparison)
    return r


@cache
def from_predictions(first: str, second: str, average: str) -> op.Comparison:
    news = op.datasets.newsgroups()
    predictions = {name: news.predictions[name] for name in (first, second)}
    r = op.compare(news.truth, predictions, average=average, rope=0.005, draws=1000, rng=0)
    assert isinstance(r, op.Comparison)
    return r


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_icdm_2015_table_4(average: str) -> None:
    rows = printed(average)
    assert len(rows) == 3
    for row in rows:
        r = from_matrices(row["first"], row["second"], average, "hierarchical", 25_000)
        assert r.rope is not None
        assert r.decision is not None
        assert r.decision.symbol == row["decision"], row
        assert r.delta.mean == pytest.approx(row["mean"], abs=0.002)
        assert r.delta.sd == pytest.approx(row["std"], abs=0.002)
        assert r.delta.hdi == pytest.approx((row["hdi_low"], row["hdi_high"]), abs=0.002)
        assert 100 * r.delta.p_less == pytest.approx(row["pct_below"], abs=1)
        assert 100 * r.delta.p_greater == pytest.approx(row["pct_above"], abs=1)
        assert 100 * r.rope.probability == pytest.approx(row["pct_rope"], abs=1)


@pytest.mark.parametrize(("average", "learned", "flat"), [("micro", 0.92, 20.0), ("macro", 0.96, 29.0)])
def test_icdm_2015_bayes_factors_are_of_a_flat_prior(average: str, learned: float, flat: float) -> None:
    """Table IV divides by the density of a flat prior, which is 20 to 30 times that of its own model."""
    own_prior = from_matrices("svm_l1", "svm_l2", average, "hierarchical", 50_000)
    flat_prior = from_matrices("svm_l1", "svm_l2", average, "uniform", 1_000)  # its posterior is not used
    hierarchical, uniform = own_prior.evidence, flat_prior.evidence
    assert hierarchical is not None
    assert uniform is not None
    assert uniform.prior_density is not None
    assert hierarchical.density_at_zero is not None
    assert hierarchical.prior_density == pytest.approx(learned, rel=0.03)
    assert uniform.prior_density == pytest.approx(flat, rel=0.03)
    row = next(row for row in printed(average) if row["first"] == "svm_l1")
    assert hierarchical.density_at_zero / uniform.prior_density == pytest.approx(
        row["bf_sd"], rel=ERRORS * KERNEL_NOISE
    )
    factor = own_prior.bayes_factor.savage_dickey
    assert factor == pytest.approx({"micro": 2.2, "macro": 6.8}[average], rel=ERRORS * KERNEL_NOISE)


@pytest.mark.parametrize(
    ("name", "mean"), [("nb_bern", 0.079), ("nb_mult", 0.086), ("svm_l1", 0.069), ("svm_l2", 0.071)]
)
def test_eta_is_not_the_accuracy(name: str, mean: float) -> None:
    truth, guess = matrix(name)
    counts = op.Counts.from_labels(truth, {name: guess})
    whole = op.Paired("hierarchical").posterior(counts).reduced("micro", MEASURES["f1"])
    assert isinstance(whole, RightPosterior)
    assert isinstance(whole.eta, Learned)
    assert whole.eta.mean() == pytest.approx([mean], abs=0.003)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_icdm_2015_table_3(average: str) -> None:
    """The L1 machine of the predictions is another fit than the paper's, and still gives the printed numbers."""
    for row in printed(average):
        tests = from_predictions(row["first"], row["second"], average).frequentist
        names, margin = (
            (("sign_test", "t_test"), 0.0006) if average == "micro" else (("class_sign_test", "class_t_test"), 0.01)
        )
        for name, column in zip(names, ("sign_test", "t_test"), strict=True):
            assert tests[name] == pytest.approx(row[column], abs=margin), row


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_drivers_add_up_to_the_difference(average: str) -> None:
    r = from_predictions("nb_bern", "nb_mult", average)
    assert [d.class_ for d in r.drivers] != sorted(range(20))
    assert {d.class_ for d in r.drivers} == set(range(20))
    assert sum(d.delta for d in r.drivers) == pytest.approx(r.delta.mean, rel=1e-9)
    size = [abs(d.delta) for d in r.drivers]
    assert size == sorted(size, reverse=True)
    assert sum(d.share or 0.0 for d in r.drivers) == pytest.approx(1)
    if average == "macro":
        assert r.drivers[0].class_ == 2  # 0.170 against 0.577, ICDM'15 Table II


def test_drivers_have_no_share_of_what_is_not_there() -> None:
    r = op.compare(Y, {"p": P, "q": [1, 0, 0, 1, 1, 2, 0, 2, 2]}, average="macro", draws=1000, rng=0)
    assert r.delta.hdi[0] < 0 < r.delta.hdi[1]
    assert [d.share for d in r.drivers] == [None] * 3
    assert from_predictions("nb_bern", "nb_mult", "micro").drivers == ()


@pytest.mark.usefixtures("few_prior_draws")
@pytest.mark.parametrize("average", [*AVERAGES, "multiclass"])
def test_plain_values_and_back(average: str) -> None:
    measure = "mcc" if average == "multiclass" else "f1"
    r = op.compare(Y, {"p": P, "q": Q}, measure=measure, average=average, rope=0.01, draws=500, rng=0)
    assert isinstance(r, op.Comparison)
    back = op.Comparison.from_dict(r.to_dict())
    assert back == r
    assert back.drivers == r.drivers
    assert (len(r.drivers) == 3) == (average in ("macro", "weighted"))


def test_classes_without_a_score_leave_the_tests_on_classes_defined() -> None:
    y, p, q = [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 0]
    r = op.compare(y, {"p": p, "q": q}, labels=[0, 1, 2], average="macro", zero_division=np.nan, draws=100, rng=0)
    without = op.compare(y, {"p": p, "q": q}, labels=[0, 1], average="macro", draws=100, rng=0)
    assert r.frequentist == without.frequentist
    assert '"class_t_test"' in r.to_json()
