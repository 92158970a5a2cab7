"""The models of many classes against independent dense samplers, and properties of all of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence
from scipy import stats
from scipy.special import gammaln

import outperform as op
from outperform.base.errors import ImproperPriorError
from outperform.data.contingency import FloatArray
from outperform.inference.question import CountQuestion
from outperform.measures.of_counts import MEASURES
from outperform.models import PAIRINGS, Model
from outperform.models import posterior as posteriors
from outperform.models.eta import Known
from outperform.models.outcomes import outcome_posterior
from outperform.models.priors import Prior
from outperform.models.spread import IndependentSpread
from tests.tables import verdict

pytestmark = pytest.mark.usefixtures("few_draws")

SEED = SeedSequence(7)
DRAWS = 50_000
ERRORS = 4  # tolerances are this many Monte-Carlo errors
PRIORS: list[op.Hierarchical | op.Dirichlet] = [
    op.Hierarchical(),
    op.Hierarchical(weight=2, mu=0.5, eta=(2, 5)),
    op.Uniform(),
    op.Dirichlet(0.5, mu=2),
]
EVERY_MODEL = [kind(prior) for kind in PAIRINGS.values() for prior in (*PRIORS, "pooled")]

# Rows are true classes. One class is rare, one has no items and is never predicted.
ONE = np.array([[40, 3, 0, 0, 2], [5, 21, 0, 0, 1], [1, 0, 2, 0, 0], [0, 0, 0, 0, 0], [2, 4, 1, 0, 18]])
# One class has many items and is never predicted, so that its precision is a ratio of two small numbers.
NEVER = np.array([[60, 20, 0, 5], [10, 70, 0, 9], [20, 25, 0, 4], [6, 7, 0, 80]])
# The last axis is the second classifier's prediction.
PAIR = np.zeros((4, 4, 4), dtype=np.int64)
PAIR[0, :3, :3] = [[22, 2, 0], [3, 1, 0], [0, 1, 1]]
PAIR[1, :3, :3] = [[0, 0, 1], [1, 16, 0], [1, 0, 1]]
PAIR[2, 2, 2] = 3
TABLES = {"one": ONE, "never": NEVER, "pair": PAIR, "nothing": ONE * 0}


def counted(table: Any) -> op.Counts:
    """Return counts of a table whose first axis is the truth and whose others are the classifiers' predictions."""
    truth, *guesses = np.indices(table.shape).reshape(table.ndim, -1)
    predictions = dict(zip("ab", guesses, strict=False))
    return op.Counts.from_labels(truth, predictions, labels=range(len(table)), n=table.ravel())


def asked(measure: str, average: str, counts: op.Counts) -> CountQuestion:
    return CountQuestion.check(measure, average, counts, draws=None, rng=0)


def ours(model: Model, counts: op.Counts, measure: str, average: str, draws: int = DRAWS) -> FloatArray:
    """Return draws of shape (draws, classifiers), without reduction."""
    return model.posterior(counts).scores(asked(measure, average, counts).score, draws=draws, seed=SEED)


LOOKED_AT = (("macro", "f1"), ("macro", "precision"), ("multiclass", "mcc"))
REDUCED = (("micro", "f1"), ("micro", "npv"), ("macro", "f1"), ("macro", "jaccard"), ("multiclass", "accuracy"))


@cache
def drawn_once(
    model: Model, table: str, measures: tuple[tuple[str, str], ...] = LOOKED_AT, draws: int = DRAWS
) -> dict[tuple[str, str], FloatArray]:
    """Return draws of shape (draws, classifiers) by average and measure, from the same joint draws, not reduced."""
    counts = counted(TABLES[table]) if table != "nothing" else counted(ONE).empty()
    scores = [asked(measure, average, counts).score for average, measure in measures]
    drawn = model.posterior(counts).scores(
        lambda contingency: np.stack([score(contingency) for score in scores], axis=-1), draws=draws, seed=SEED
    )
    return {measure: drawn[..., k] for k, measure in enumerate(measures)}


def base(eta: FloatArray, classes: int) -> FloatArray:
    """ICDM'15 Eq. 5 for rows of η, one column per classifier; for a pair the product."""
    diagonal = np.eye(classes, dtype=bool)
    first, *others = (np.where(diagonal, e[:, None, None], (1 - e[:, None, None]) / (classes - 1)) for e in eta.T)
    return first[..., None] * others[0][:, :, None, :] if others else np.asarray(first)


def eta_grid(table: Any, weight: float, hyper: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Return nodes of shape (nodes, classifiers) and their probabilities: the marginal likelihood of every cell."""
    classifiers = table.ndim - 1
    side = (np.arange(2000 if classifiers == 1 else 100) + 0.5) / (2000 if classifiers == 1 else 100)
    nodes = np.stack(np.meshgrid(*[side] * classifiers, indexing="ij"), axis=-1).reshape(-1, classifiers)
    prior = weight * base(nodes, len(table))
    log_p = stats.beta(*hyper).logpdf(nodes).sum(axis=1)
    log_p += (gammaln(table + prior) - gammaln(prior)).reshape(len(nodes), -1).sum(axis=1)
    p = np.exp(log_p - log_p.max())
    return nodes, p / p.sum()


def dense(rng: Generator, table: Any, prior: Prior, draws: int = DRAWS) -> list[FloatArray]:
    """Draw joint proportions of truth and prediction, of shape (draws, classes, classes), by classifier."""
    classes = len(table)
    if isinstance(prior, op.Hierarchical):
        weight, beta = prior.weight, np.full(classes, prior.mu)
        nodes, p = eta_grid(table, weight, prior.eta)
        step = nodes[0, 0] * 2  # the first node is half a step from 0
        eta = nodes[rng.choice(len(nodes), draws, p=p)] + rng.uniform(-step / 2, step / 2, (draws, nodes.shape[1]))
    else:
        assert isinstance(prior, op.Dirichlet)
        weight, beta = prior.cells * classes, prior.weights("mu", classes)
        eta = np.full((draws, table.ndim - 1), 1 / classes)
    cells = rng.standard_gamma(table + weight * base(eta, classes)).reshape(draws, classes, -1)
    cells /= cells.sum(axis=-1, keepdims=True)
    mu = rng.dirichlet(beta + table.reshape(classes, -1).sum(axis=1), draws)
    joint = (cells * mu[..., None]).reshape(draws, *table.shape)
    return [joint] if table.ndim == 2 else [joint.sum(axis=3), joint.sum(axis=2)]


def by_hand(measure: str, joint: FloatArray) -> FloatArray:
    """Return the three measures that are compared, of shape (draws,)."""
    h, s, q = np.diagonal(joint, axis1=1, axis2=2), joint.sum(axis=2), joint.sum(axis=1)
    if measure == "mcc":
        excess = h.sum(axis=1) - (s * q).sum(axis=1)
        return np.asarray(excess / np.sqrt((1 - (s**2).sum(axis=1)) * (1 - (q**2).sum(axis=1))))
    return np.asarray((h / {"f1": (s + q) / 2, "precision": q}[measure]).mean(axis=1))


@cache
def dense_draws(table: str, prior: Prior) -> list[FloatArray]:
    return dense(np.random.default_rng(1), TABLES[table], prior)


def dense_scores(table: str, prior: Prior, measure: str) -> FloatArray:
    return np.stack([by_hand(measure, joint) for joint in dense_draws(table, prior)], axis=1)


def assert_alike(mine: FloatArray, theirs: FloatArray, at: tuple[float, ...] | None = None) -> None:
    """Compare mean, sd and the probabilities of both ends of the HDI (or of other places), within Monte-Carlo error."""
    share = 1 / len(mine) + 1 / len(theirs)
    sd, kurtosis = float(theirs.std()), float(stats.kurtosis(theirs, fisher=False))
    assert abs(mine.mean() - theirs.mean()) < ERRORS * sd * sqrt(share)
    assert abs(mine.std() - sd) < ERRORS * sd * sqrt((kurtosis - 1) / 4 * share)
    for place in op.hdi(mine) if at is None else at:
        below, below_theirs = float((mine <= place).mean()), float((theirs <= place).mean())
        pooled = (below + below_theirs) / 2
        assert abs(below - below_theirs) <= ERRORS * sqrt(pooled * (1 - pooled) * share)


def test_the_second_opinion() -> None:
    """Recalls are Betas if η is known; if it is learned, its prior is recovered."""
    (joint,) = dense(np.random.default_rng(0), ONE, op.Uniform(), 20_000)
    recall = joint[:, 0, 0] / joint[:, 0].sum(axis=1)
    assert stats.kstest(recall, stats.beta(1 + 40, 4 + 5).cdf).pvalue > 1e-4
    nodes, p = eta_grid(ONE * 0, 1.0, (2, 5))
    assert p @ nodes[:, 0] == pytest.approx(2 / 7, abs=1e-6)


@pytest.mark.parametrize(("average", "measure"), LOOKED_AT)
@pytest.mark.parametrize("prior", PRIORS, ids=str)
class TestAgainstDenseDraws:
    @pytest.mark.parametrize("table", ["one", "never"])
    def test_one_classifier(self, table: str, prior: Prior, average: str, measure: str) -> None:
        mine = drawn_once(op.Unpaired(prior), table)[average, measure]
        assert_alike(mine[:, 0], dense_scores(table, prior, measure)[:, 0])

    def test_a_pair(self, prior: Prior, average: str, measure: str) -> None:
        mine, theirs = drawn_once(op.Paired(prior), "pair")[average, measure], dense_scores("pair", prior, measure)
        assert_alike(mine[:, 0], theirs[:, 0])
        assert_alike(mine[:, 1], theirs[:, 1])
        assert_alike(mine @ [1, -1], theirs @ [1, -1])

    def test_no_items_give_the_prior(self, prior: Prior, average: str, measure: str) -> None:
        mine, theirs = drawn_once(op.Unpaired(prior), "nothing"), dense_scores("nothing", prior, measure)
        assert_alike(mine[average, measure][:, 0], theirs[:, 0], at=(0.05, 0.1, 0.2, 0.3, 0.5, 0.7))


@pytest.mark.parametrize("prior", ["pooled", op.Hierarchical(), op.Hierarchical(weight=2, mu=0.5), 0.3], ids=str)
@pytest.mark.parametrize(("average", "measure"), REDUCED)
@pytest.mark.parametrize("table", ["one", "pair"])
def test_reduced_posteriors_give_the_same_scores(prior: Any, average: str, measure: str, table: str) -> None:
    counts = counted(TABLES[table])
    whole = op.Paired(prior).posterior(counts)
    question = asked(measure, average, counts)
    cheap = whole.reduced(average, MEASURES[measure])
    if average != "macro" or (prior == op.Hierarchical() and table == "one"):
        assert cheap.cells < whole.cells
    long = drawn_once(op.Paired(prior), table, REDUCED, 20_000)[average, measure]
    short = cheap.scores(question.score, draws=20_000, seed=SeedSequence(1))
    for k in range(long.shape[1]):
        assert stats.ks_2samp(long[:, k], short[:, k]).pvalue > 1e-4
    if long.shape[1] == 2:
        assert_alike(short @ [1, -1], long @ [1, -1])


def test_micro_f1_is_a_mixture_of_betas() -> None:
    nodes, p = eta_grid(ONE, 1.0, (1.0, 1.0))
    eta, right, items, classes = nodes[:, 0], np.trace(ONE), ONE.sum(), len(ONE)

    def cdf(x: Any) -> Any:
        given = stats.beta(right + classes * eta, items - right + classes * (1 - eta))
        return p @ np.array([given.cdf(point) for point in np.atleast_1d(x)]).T

    at = np.linspace(0.5, 0.98, 200)
    tabled = cdf(at)
    drawn = op.estimate(counted(ONE), average="micro", model=op.Paired("hierarchical"), draws=20_000, rng=0).draws
    inside = drawn[(drawn > at[0]) & (drawn < at[-1])]
    assert len(inside) > 19_900
    assert stats.kstest(inside, lambda x: np.interp(x, at, tabled)).pvalue > 1e-4


@pytest.mark.parametrize("prior", [op.Uniform(), op.Dirichlet(0.3, mu=1.5)], ids=str)
def test_pairing_leaves_each_ones_own_posterior_where_eta_is_known(prior: Prior) -> None:
    paired, unpaired = (drawn_once(kind(prior), "pair") for kind in PAIRINGS.values())
    for score in (("macro", "f1"), ("macro", "precision")):
        assert_alike(paired[score][:, 0], unpaired[score][:, 0])
        assert_alike(paired[score][:, 1], unpaired[score][:, 1])


def test_pairing_on_newsgroups() -> None:
    """η is learned from the cells of the pair, which changes each marginal posterior a little."""
    news = op.datasets.newsgroups()
    counts = op.Counts.from_labels(news.truth, {name: news.predictions[name] for name in ("nb_bern", "svm_l2")})
    paired, unpaired = (ours(kind("hierarchical"), counts, "f1", "macro", 10_000) for kind in (op.Paired, op.Unpaired))
    error = paired.std(axis=0).max() * sqrt(2 / len(paired))
    assert np.abs(paired.mean(axis=0) - unpaired.mean(axis=0)).max() < 3e-4 + ERRORS * error
    assert 0.74 < np.diff(paired).std() / np.diff(unpaired).std() < 0.80


@pytest.mark.parametrize("model", EVERY_MODEL, ids=lambda m: f"{m.name}-{m.prior}")
class TestEveryModel:
    def test_any_number_of_threads_gives_the_same_numbers(self, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        """Three whole blocks, made small, and an incomplete one."""
        monkeypatch.setattr(posteriors, "MOST_DRAWS", 300)
        counts = counted(PAIR)
        posterior, score = model.posterior(counts), asked("f1", "macro", counts).score
        assert posteriors.block_size(posterior.cells) == 300
        draws = 3 * 300 + 10
        whole = posterior.scores(score, draws=draws, seed=SEED, workers=1)
        for workers in (2, 5):
            np.testing.assert_array_equal(posterior.scores(score, draws=draws, seed=SEED, workers=workers), whole)
        again = posterior.scores(score, draws=draws, seed=SeedSequence(8))
        assert not np.array_equal(again, whole)

    def test_scores_lie_where_the_measure_does(self, model: Model) -> None:
        for average in ("macro", "weighted", "micro"):
            drawn = ours(model, counted(PAIR), "f1", average, 2_000)
            assert drawn.shape == (2_000, 2)
            assert ((drawn > 0) & (drawn < 1)).all()

    def test_the_other_order_flips_the_difference(self, model: Model) -> None:
        counts = counted(PAIR)
        kwargs: Any = {"measure": "kappa", "average": "macro", "model": model, "draws": 500, "rng": 3}
        one, other = op.compare(counts, **kwargs), op.compare(counts.select([1, 0]), **kwargs)
        np.testing.assert_array_equal(one.draws, other.draws[:, ::-1])
        assert one.delta.hdi == pytest.approx([-end for end in other.delta.hdi[::-1]], rel=1e-12)

    def test_more_data_narrow_it(self, model: Model) -> None:
        few, many = (ours(model, counted(PAIR * k), "f1", "weighted", 2_000) for k in (1, 100))
        assert (many.std(axis=0) < few.std(axis=0) / 5).all()


@pytest.mark.parametrize("model", [op.Paired(), op.Unpaired(), op.Paired("hierarchical"), op.Unpaired(1)], ids=str)
def test_the_same_predictions_are_never_told_apart(model: Model) -> None:
    table = ONE[:3, :3]
    truth, guess = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
    counts = op.Counts.from_labels(truth, {"a": guess, "b": guess})
    for seed in range(4):
        r = op.compare(counts, average="macro", model=model, rope=0.001, draws=100, rng=seed)
        assert verdict(r) in ("equivalent", "undecided")
        assert r.evidence is not None
        assert r.evidence.exchangeable
        assert abs(r.delta.mean) < 1e-15


@pytest.mark.parametrize("prior", [op.Hierarchical(), op.Hierarchical(weight=2, mu=0.5)], ids=str)
def test_classes_one_by_one_make_up_the_macro_average(prior: Prior) -> None:
    counts, model = counted(PAIR), op.Paired(prior)
    macro = op.compare(counts, average="macro", model=model, draws=3_000, rng=1)
    rows = op.compare(counts, average="per_class", model=model, draws=3_000, rng=1)
    assert [row.class_ for row in rows] == [0, 1, 2, 3]
    np.testing.assert_allclose(np.mean([row.draws for row in rows], axis=0), macro.draws, rtol=1e-12)
    assert np.mean([row.a.observed for row in rows]) == pytest.approx(macro.a.observed)
    flipped = op.compare(counts.select([1, 0]), average="per_class", model=model, draws=3_000, rng=1)
    for row, other in zip(rows, flipped, strict=True):
        np.testing.assert_array_equal(row.draws, other.draws[:, ::-1])


@pytest.mark.parametrize("kind", PAIRINGS.values())
def test_no_weight_and_no_items(kind: Any) -> None:
    with pytest.raises(ImproperPriorError, match=r"no weight where a class has no items \(3\); use another prior"):
        kind("haldane").posterior(counted(PAIR))


def test_haldane_is_the_data_alone() -> None:
    table = PAIR[:3, :3, :3]
    r = op.compare(counted(table), average="micro", model=op.Paired("haldane"), draws=20_000, rng=0)
    right = int(np.trace(table.sum(axis=2)))
    assert stats.kstest(r.draws[:, 0], stats.beta(right, table.sum() - right).cdf).pvalue > 1e-4
    assert r.bayes_factor.savage_dickey is None


@pytest.mark.parametrize(
    ("settings", "error", "sentence"),
    [
        ({"weight": 0}, ValueError, "weight of a hierarchical prior is finite and above 0, got 0"),
        ({"weight": -1.0}, ValueError, "weight of a hierarchical prior is finite and above 0"),
        ({"mu": float("nan")}, ValueError, "mu of a hierarchical prior is finite and above 0"),
        ({"eta": (0, 1)}, ValueError, "eta of a hierarchical prior is finite and above 0"),
        ({"mu": None}, TypeError, "mu of a hierarchical prior must be a number, got None"),
        ({"weight": True}, TypeError, "weight of a hierarchical prior must be a number, got True"),
        ({"weight": [1, 2]}, TypeError, "weight of a hierarchical prior must be a number"),
        ({"eta": 0.5}, TypeError, "eta of a hierarchical prior must be two numbers, those of its Beta prior, got 0.5"),
    ],
    ids=str,
)
def test_bad_hierarchical_priors(settings: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        op.Hierarchical(**settings)


@pytest.mark.parametrize(
    "settings", [{"weight": 0}, {"strength": -1}, {"weight": "x"}, {"strength": [1]}, {"weight": np.inf}], ids=str
)
def test_bad_pooled_priors(settings: Any) -> None:
    with pytest.raises(ValueError, match="of a pooled prior is a finite number above 0, got"):
        op.Pooled(**settings)


def test_hierarchical_priors_by_name() -> None:
    assert op.Paired("hierarchical") == op.Paired(op.Hierarchical())
    names = [str(p) for p in (op.Hierarchical(), op.Hierarchical(weight=2, mu=0.5), op.Hierarchical(eta=(2, 5)))]
    assert names == ["hierarchical", "hierarchical(weight=2,mu=0.5)", "hierarchical(eta=(2,5))"]


def test_a_prior_of_two_classes_has_no_form_for_more() -> None:
    with pytest.raises(ValueError, match="prior positive and negative are of two classes; for more give"):
        op.Paired(op.Dirichlet(1, positive=(1, 2, 2, 1))).posterior(counted(PAIR))


def test_the_error_of_the_mean_is_what_it_says() -> None:
    """Draws are independent, so means of other seeds differ by the stated Monte-Carlo error."""
    y, p = [0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 1]
    for model in (op.Paired("hierarchical"), op.Paired("pooled"), op.Paired("uniform")):
        estimates = [op.estimate(y, p, average="macro", model=model, draws=500, rng=seed) for seed in range(40)]
        spread, said = np.std([r.mean for r in estimates], ddof=1), estimates[0].mc_error
        assert abs(spread / said - 1) < ERRORS / sqrt(2 * 39)


def test_classes_that_are_drawn_together_have_their_own_tests_and_notes() -> None:
    y, a, b = list("xyzxyzxyz"), list("xyzxyyxyz"), list("xyzxyzxzz")
    apart, together = (
        op.compare(y, {"a": a, "b": b}, average="per_class", model=op.Paired(prior), draws=200, rng=0)
        for prior in ("uniform", "pooled")
    )
    for one, other in zip(apart, together, strict=True):
        assert one.frequentist == other.frequentist
        assert [n for n in one.notes if "predicted the same" in n] == [
            n for n in other.notes if "predicted the same" in n
        ]


@pytest.mark.parametrize("draws", [3, 4000])
def test_cells_that_are_all_listed_have_what_the_prior_adds(draws: int) -> None:
    counts = op.Counts.from_labels(range(4), {"a": range(4)}, n=[5000] * 4)
    listed = outcome_posterior(counts, op.Hierarchical(weight=6))._listed()
    assert listed.shares is not None
    listed = replace(listed, spread=IndependentSpread(Known(0.6, 1)))
    drawn = listed._gammas(np.random.default_rng(1), draws)
    assert (drawn > 0).all()
    shape = np.where(np.eye(4).ravel() == 1, 5000 + 6 * 0.6, 6 * 0.4 / 3)  # the variance of a gamma is its shape
    assert (abs(drawn.mean(axis=1) - shape) < 4 * np.sqrt(shape / draws)).all()


def test_an_odd_number_of_mirrored_draws() -> None:
    y = list("xyzxyzxxy")
    rows = op.compare(y, {"a": y, "b": y}, average="per_class", model=op.Paired("pooled"), draws=1, rng=0)
    assert len({row.a.mean for row in rows}) == 3


def test_two_classes_without_a_positive_one() -> None:
    y, p = ["cat", "dog", "cat", "dog"], ["cat", "dog", "dog", "dog"]
    for measure in ("accuracy", "mcc", "kappa", "balanced_accuracy"):
        whole, one = (op.estimate(y, p, measure=measure, pos_label=label, rng=0) for label in (None, "dog"))
        assert whole.observed == pytest.approx(one.observed)
        assert whole.mean == pytest.approx(one.mean)
    with pytest.raises(ValueError, match="say which is positive with pos_label"):
        op.estimate(y, p)
