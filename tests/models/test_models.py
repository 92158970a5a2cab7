"""The models against quadrature and against SciPy, and properties of all of them."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy import stats

import outperform as op
from outperform.measures.of_counts import MEASURES
from outperform.models import PAIRINGS, Model
from outperform.models.binary import paired_posterior
from outperform.models.posterior import as_seed, block_size, gammas, stream
from tests.quadrature import Pair, beta_rule
from tests.tables import FIVE, pair

F1 = op.f_beta(1)
SEED = SeedSequence(7)
ERRORS = 4  # tolerances are this many Monte-Carlo errors
EVERY_MODEL = [kind(prior=prior) for kind in PAIRINGS.values() for prior in ("light", "uniform", 2.5, 0.1)]


def draw(model: Model, counts: op.Counts, measure: Any = F1, draws: int = 50_000, **kwargs: Any) -> Any:
    return model.posterior(counts).scores(measure, draws=draws, seed=kwargs.pop("seed", SEED), **kwargs)


def test_the_rule_of_the_second_opinion() -> None:
    for a, b in ((1, 1), (2.5, 0.5), (1e6, 3.0)):
        x, w = beta_rule(a, b, 8)
        for power in (0, 1, 2, 5):
            assert w @ x**power == pytest.approx(stats.beta(a, b).moment(power) if power else 1.0, rel=1e-9)


@pytest.mark.parametrize("name", FIVE)
def test_paired_draws_agree_with_quadrature(name: str) -> None:
    reference = Pair(*FIVE[name])
    mean, sd = reference.moments()
    drawn = draw(op.Paired(), pair(*FIVE[name]))
    delta = drawn[:, 0] - drawn[:, 1]
    n = len(delta)
    kurtosis = stats.kurtosis(delta, fisher=False)
    assert abs(delta.mean() - mean) < ERRORS * sd / sqrt(n)
    assert abs(delta.std() - sd) < ERRORS * sd * sqrt((kurtosis - 1) / (4 * n))
    for end in op.hdi(delta):
        below = float((delta <= end).mean())
        assert abs(reference.cdf(end) - below) < ERRORS * sqrt(below * (1 - below) / n)


@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize("measure", ["recall", "specificity"])
def test_unpaired_margins_are_betas(name: str, measure: str) -> None:
    (tp, a_only, b_only, fn), (fp, a_false, b_false, tn) = FIVE[name]
    drawn = draw(op.Unpaired(), pair(*FIVE[name]), MEASURES[measure], draws=20_000)
    right, wrong = (tp + a_only, b_only + fn) if measure == "recall" else (b_false + tn, fp + a_false)
    margin = stats.beta(0.7 + right, 0.7 + wrong)
    assert stats.kstest(drawn[:, 0], margin.cdf).pvalue > 1e-4
    assert abs(np.corrcoef(drawn.T)[0, 1]) < ERRORS / sqrt(len(drawn))


def test_paired_margin_is_an_aggregated_dirichlet() -> None:
    three = op.Dirichlet(3, per_classifier=True)
    for prior, weight in (("light", 0.7), ("flat", 1), ("uniform", 2), ("jeffreys", 1), (three, 3)):
        drawn = draw(op.Paired(prior), pair(*FIVE["200 items"]), MEASURES["recall"], draws=20_000)
        assert stats.kstest(drawn[:, 0], stats.beta(weight + 38, weight + 12).cdf).pvalue > 1e-4


@pytest.mark.parametrize("others", [0, 1, 2, 5, 11])
def test_a_score_is_the_same_alone_and_in_any_company(others: int) -> None:
    """For a perfect classifier, which a prior lowers the most."""
    y = np.array([1] * 20 + [0] * 30)
    said = {"a": y} | {f"b{k}": np.roll(y, k + 1) for k in range(others)}
    counts = op.Counts.from_labels(y, said)
    for measure, right in (("recall", 20), ("specificity", 30)):
        drawn = draw(op.Paired(), counts, MEASURES[measure], draws=20_000)
        assert stats.kstest(drawn[:, 0], stats.beta(0.7 + right, 0.7).cdf).pvalue > 1e-4


def test_estimate_and_compare_say_the_same_of_a_score() -> None:
    y, a, b = np.repeat([1, 0], [40, 60]), np.repeat([1, 0], [36, 64]), np.repeat([1, 0], [30, 70])
    alone, compared = op.estimate(y, a, rng=1), op.compare(y, {"a": a, "b": b}, rng=2)
    assert isinstance(alone, op.Estimate)
    assert isinstance(compared, op.Comparison)
    assert alone.evidence is not None
    assert alone.prior == compared.prior == "light"
    n = len(compared.draws)
    assert abs(alone.mean - compared.a.mean) < ERRORS * alone.sd * sqrt(2 / n)
    assert stats.ks_2samp(alone.draws, compared.draws[:, 0]).pvalue > 1e-4


@pytest.mark.parametrize("model", EVERY_MODEL, ids=str)
class TestEveryModel:
    @pytest.mark.parametrize("rows", [FIVE["200 items"], ((0, 0, 0, 0), (3, 1, 1, 9))])
    def test_any_number_of_threads_gives_the_same_numbers(self, model: Model, rows: Any) -> None:
        counts = pair(*rows)
        draws = 3 * block_size(model.posterior(counts).cells) + 10
        whole = draw(model, counts, draws=draws, workers=1)
        for workers in (2, 5):
            np.testing.assert_array_equal(draw(model, counts, draws=draws, workers=workers), whole)

    def test_any_number_of_blocks_begins_with_the_same(self, model: Model) -> None:
        posterior = model.posterior(pair(*FIVE["20 items"]))
        whole = posterior.scores(F1, draws=20_000, seed=SEED)
        block = block_size(posterior.cells)
        for k in (1, 2, 3):
            np.testing.assert_array_equal(whole[: k * block], posterior.scores(F1, draws=k * block, seed=SEED))

    def test_posterior_is_pure(self, model: Model) -> None:
        posterior = model.posterior(pair(*FIVE["20 items"]))
        first = posterior.scores(F1, draws=50, seed=SEED)
        np.testing.assert_array_equal(posterior.scores(F1, draws=50, seed=SEED), first)

    def test_other_seed_other_numbers(self, model: Model) -> None:
        counts = pair(*FIVE["20 items"])
        assert not np.array_equal(draw(model, counts, draws=9), draw(model, counts, draws=9, seed=SeedSequence(8)))

    def test_scores_lie_where_the_measure_does(self, model: Model) -> None:
        drawn = draw(model, pair(*FIVE["20 items"]))
        assert drawn.shape == (50_000, 2)
        assert ((drawn >= 0) & (drawn <= 1)).all()

    def test_prior_is_the_posterior_of_zero_counts(self, model: Model) -> None:
        drawn = draw(model, pair(*FIVE["20 items"]).empty(), MEASURES["recall"], draws=20_000)
        assert isinstance(model.prior, op.Dirichlet)
        weight = model.prior.cells * (2 if model.name == "paired" and not model.prior.per_classifier else 1)
        assert stats.kstest(drawn[:, 0], stats.beta(weight, weight).cdf).pvalue > 1e-4

    def test_reordering_the_classifiers_reorders_the_posterior(self, model: Model) -> None:
        assert model.symmetric
        counts = pair(*FIVE["200 items"])
        one, other = draw(model, counts), draw(model, counts.select([1, 0]), seed=SeedSequence(99))
        error = one.std(axis=0) * sqrt(2 / len(one))
        assert (np.abs(one.mean(axis=0) - other.mean(axis=0)[::-1]) < ERRORS * error).all()

    def test_more_data_narrow_it(self, model: Model) -> None:
        few, many = (draw(model, pair(*np.array(FIVE["200 items"]) * k)) for k in (1, 100))
        assert (many.std(axis=0) < few.std(axis=0) / 5).all()


@pytest.mark.parametrize("kind", [op.Paired, op.Unpaired])
@pytest.mark.parametrize("prior", ["pooled", "hierarchical"])
def test_priors_of_many_classes_are_of_the_positive_one_of_two(kind: Any, prior: str) -> None:
    """With many items scores are about as observed: by hand, for 9,000 positive items and 21,000 negative ones."""
    counts = pair((6_000, 1_500, 900, 600), (300, 1_500, 600, 18_600))
    observed = {
        "recall": (7_500 / 9_000, 6_900 / 9_000),
        "precision": (7_500 / 9_300, 6_900 / 7_800),
        "specificity": (19_200 / 21_000, 20_100 / 21_000),
        "accuracy": (26_700 / 30_000, 27_000 / 30_000),
    }
    for measure, expected in observed.items():
        drawn = draw(kind(prior), counts, MEASURES[measure], draws=200)
        np.testing.assert_allclose(drawn.mean(axis=0), expected, atol=0.003)


def test_pairing_narrows_the_difference() -> None:
    counts = pair(*FIVE["7,532 items"])
    paired, unpaired = (np.diff(draw(m, counts)).std() for m in (op.Paired(), op.Unpaired()))
    assert paired < 0.9 * unpaired


def test_paired_needs_shared_items() -> None:
    counts = op.Counts.from_test_sets({"a": ([1, 0], [1, 0]), "b": ([1, 0, 0], [1, 1, 0])})
    with pytest.raises(
        ValueError, match=r"run on different items, which the paired model cannot pair; use model=op\.Unp"
    ):
        op.Paired().posterior(counts)


def test_every_hyper_parameter() -> None:
    prior = op.Dirichlet(1, mu=(30, 70), positive=(8, 4, 2, 1), negative=(1, 2, 3, 10))
    mu, negative, positive = paired_posterior(pair(*FIVE["20 items"]), prior).blocks
    assert mu.tolist() == [70 + 8, 30 + 12]
    assert positive.tolist() == [8 + 6, 4 + 3, 2 + 1, 1 + 2]
    assert negative.tolist() == [1 + 1, 2 + 1, 3 + 0, 10 + 6]
    assert not op.Paired(prior=prior).symmetric
    assert op.Paired(prior=op.Dirichlet(1, positive=(8, 4, 4, 1))).symmetric
    array = op.Dirichlet(np.float32(1), mu=np.array([30, 70]), positive=[8, 4, 2, 1], negative=np.array([1, 2, 3, 10]))  # type: ignore[arg-type]
    assert array == prior
    with pytest.raises(TypeError, match=r"prior cells must be a number, got \(1, 9, 1, 1\)"):
        op.Dirichlet((1, 9, 1, 1))  # type: ignore[arg-type]


def test_lopsided_prior_stays_with_its_classifier() -> None:
    counts = pair((5, 0, 9, 1), (0, 1, 4, 30))
    for positive in ((1, 200, 1, 1), np.array([1, 200, 1, 1])):
        r = op.compare(counts, model=op.Paired(op.Dirichlet(1, positive=positive)), rng=0)  # type: ignore[arg-type]
        assert r.delta.mean > 0.2


def test_priors_by_name_number_and_object() -> None:
    assert op.Paired("jeffreys") == op.Paired(0.5) == op.Paired(op.Jeffreys())
    assert op.Paired("uniform") == op.Paired(1) == op.Paired(op.Uniform())
    assert op.Paired("flat") == op.Paired(op.Flat())
    assert op.Paired("light") == op.Paired(op.Light())
    assert op.Paired("hierarchical") == op.Paired(op.Hierarchical())
    assert op.Paired("haldane") == op.Paired(0) == op.Paired(op.Haldane())
    names = [str(op.Paired(p).prior) for p in ("light", "flat", "uniform", 0.5, 0, 0.25, op.Dirichlet(1, mu=(2, 3)))]
    assert names == ["light", "flat", "uniform", "jeffreys", "haldane", "dirichlet(0.25)", "dirichlet(1,mu=(2.0,3.0))"]
    priors = (op.Dirichlet(2, per_classifier=True), op.Dirichlet(1, mu=3, per_classifier=True))
    assert list(map(str, priors)) == ["dirichlet(2,per_classifier)", "dirichlet(1,mu=3.0,per_classifier)"]


@pytest.mark.parametrize(
    ("prior", "error", "sentence"),
    [
        (
            "even",
            ValueError,
            "unknown prior 'even'; known: flat, haldane, hierarchical, jeffreys, light, partial, pooled, "
            "right_or_wrong, trend, uniform",
        ),
        ("unifrom", ValueError, "did you mean 'uniform'"),
        (-1, ValueError, r"prior weights are finite and not negative, got cells=-1"),
        (float("nan"), ValueError, "prior weights are finite and not negative"),
        (True, TypeError, "prior must be a name, a number"),
        ([1, 1], TypeError, r"a name, a number or a prior such as op\.Dirichlet\(\), got list"),
    ],
)
def test_bad_priors(prior: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        op.Paired(prior)


def test_prior_of_the_wrong_length() -> None:
    with pytest.raises(ValueError, match="prior positive has 3 numbers; give one, or one for each of 4"):
        op.Paired(op.Dirichlet(1, positive=(1, 1, 1))).posterior(pair(*FIVE["20 items"]))


def test_haldane_is_the_data_alone() -> None:
    drawn = draw(op.Paired("haldane"), pair((6, 3, 1, 2), (1, 1, 0, 6)), MEASURES["recall"], draws=20_000)
    assert stats.kstest(drawn[:, 0], stats.beta(9, 3).cdf).pvalue > 1e-4
    with pytest.raises(ValueError, match="no weight where there are no items of a class; use the uniform or the jeff"):
        op.Paired("haldane").posterior(pair((0, 0, 0, 0), (1, 1, 0, 6)))


@pytest.mark.parametrize("weight", [1e-3, 1e-6, 0.05])
def test_tiny_weights_do_not_underflow(weight: float) -> None:
    alpha = np.array([weight, weight, 2 * weight, 0.0])
    drawn = np.empty((4, 20_000))
    gammas(alpha, stream(SEED, 0), drawn)
    share = drawn / drawn.sum(axis=0)
    assert np.isfinite(share).all()
    error = np.sqrt(0.25 * 0.75 / share.shape[1])
    assert np.abs(share.mean(axis=1) - [0.25, 0.25, 0.5, 0]).max() < 2 * ERRORS * error


def test_moderate_weights_in_logarithms_are_the_same_distribution() -> None:
    drawn = np.empty((2, 20_000))
    gammas(np.array([0.3, 0.6]), stream(SEED, 0), drawn)
    assert stats.kstest(drawn[0] / drawn.sum(axis=0), stats.beta(0.3, 0.6).cdf).pvalue > 1e-4


def test_seeds() -> None:
    assert as_seed(3) == as_seed(np.int64(3)) == 3
    assert as_seed(0) == 0
    assert as_seed(None) != as_seed(None)
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    assert as_seed(one) == as_seed(other)
    assert as_seed(one) != as_seed(np.random.default_rng(5))
    for bad in (-1, 1.5, "x", True):
        with pytest.raises(ValueError, match="rng must be None, a whole number of at least 0 or a Generator"):
            as_seed(bad)  # type: ignore[arg-type]


def test_a_model_is_settled_for_averages_over_classes_unless_told_otherwise() -> None:
    many = op.Counts.from_labels([0, 1, 2] * 9, {"a": [0, 1, 1] * 9, "b": [0, 2, 2] * 9})
    assert op.Paired().settled(many).prior == op.Trend()
    assert op.Paired().settled(many, reads="table").prior == op.Pooled()


class TestPriorBesideTheModel:
    """`prior=` of the verbs equals a prior of the model."""

    TRUTH, ONE, OTHER = [1] * 40 + [0] * 80, [1] * 35 + [0] * 85, [1] * 28 + [0] * 14 + [1] * 4 + [0] * 74

    @pytest.mark.parametrize("prior", ["jeffreys", 2.5, op.Dirichlet(1.0, mu=(2.0, 3.0))], ids=str)
    def test_it_is_that_of_the_model(self, prior: Any) -> None:
        settings: dict[str, Any] = {"draws": 200, "rng": 0}
        given = (self.TRUTH, self.ONE, self.OTHER)
        model = op.Paired(prior)
        assert op.compare(*given, prior=prior, **settings) == op.compare(*given, model=model, **settings)
        assert op.rank(*given, prior=prior, **settings) == op.rank(*given, model=model, **settings)
        one = op.estimate(self.TRUTH, self.ONE, prior=prior, **settings)
        assert one == op.estimate(self.TRUTH, self.ONE, model=model, **settings)
        counts = op.Counts.from_labels(self.TRUTH, {"a": self.ONE, "b": self.OTHER})
        planning: dict[str, Any] = {"rope": 0.05, "studies": 40, "progress": False, "rng": 0}
        power = op.power(counts, [200], prior=prior, **planning)
        assert power == op.power(counts, [200], model=model, **planning)
        assert op.plan(counts, prior=prior, **planning) == op.plan(counts, model=model, **planning)

    def test_it_goes_with_a_model_by_its_name(self) -> None:
        r = op.compare(self.TRUTH, self.ONE, self.OTHER, model="unpaired", prior="haldane", draws=200, rng=0)
        assert (r.model, r.prior) == ("unpaired", "haldane")
        weighed = op.compare(self.TRUTH, self.ONE, self.OTHER, model="bootstrap", prior="haldane", draws=200, rng=0)
        assert (weighed.model, weighed.prior) == ("bootstrap", "haldane")

    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"prior": "jefreys"}, "unknown prior 'jefreys'; did you mean 'jeffreys'?"),
            (
                {"prior": 1, "model": op.Paired("haldane")},
                "the model has a prior already, haldane; leave prior= out",
            ),
            ({"prior": 1, "measure": "roc_auc"}, "the bootstrap takes the trend or the haldane prior, got uniform"),
            ({"prior": [1]}, "prior must be a name, a number or a prior such as op.Dirichlet(), got list"),
        ],
    )
    def test_what_it_cannot_be(self, settings: dict[str, Any], sentence: str) -> None:
        with pytest.raises((ValueError, TypeError)) as told:
            op.compare(self.TRUTH, self.ONE, self.OTHER, draws=200, rng=0, **settings)
        assert str(told.value).startswith(sentence)
