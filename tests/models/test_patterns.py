"""The paired model of many systems: against that of pairs, a listing of all cells, and closed forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations, product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy import stats

import outperform as op
from outperform.measures.averages import averaged
from outperform.measures.of_counts import MEASURES
from outperform.models import kinds, spread
from outperform.models.patterns import PatternPosterior

ERRORS = 4  # tolerances are this many Monte-Carlo errors
DRAWS = 25_000
WEIGHTS = {"uniform": 1.0, "jeffreys": 0.5, 2.5: 2.5, 0.1: 0.1}
QUANTILES = (0.025, 0.5, 0.975)


def labelled(systems: int, items: int = 60, classes: int = 2, agree: float = 0.8, right: float = 0.8) -> op.Counts:
    """Generate systems that err together: each predicts like a common one, or at random."""
    rng = default_rng(systems)
    truth = np.arange(items) % classes
    common = np.where(rng.random(items) < right, truth, rng.integers(classes, size=items))
    said = {
        name: np.where(rng.random(items) < agree, common, rng.integers(classes, size=items))
        for name in "abcde"[:systems]
    }
    return op.Counts.from_labels(truth, said, labels=range(classes))


def drawn(counts: op.Counts, measure: str, prior: Any = "uniform", seed: int = 0, draws: int = DRAWS) -> Any:
    return op.Paired(prior).posterior(counts).scores(MEASURES[measure], draws=draws, seed=SeedSequence(seed))


def drawn_once(counts: op.Counts, measures: Sequence[str], prior: Any = "uniform", seed: int = 0) -> list[Any]:
    """Return draws of each measure, all from the same joint draws."""
    found = (
        op.Paired(prior)
        .posterior(counts)
        .scores(
            lambda contingency: np.stack([MEASURES[name](contingency) for name in measures], axis=-1),
            draws=DRAWS,
            seed=SeedSequence(seed),
        )
    )
    return [found[..., k] for k in range(len(measures))]


def same_mean(one: Any, other: Any) -> None:
    """Return means of independent columns."""
    error = np.sqrt(one.var(axis=0) / len(one) + other.var(axis=0) / len(other))
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) <= ERRORS * error).all()


def close(one: Any, other: Any) -> None:
    """Compare mean, sd and quantiles."""
    same_mean(one[:, None], other[:, None])
    middle = (one.mean() + other.mean()) / 2
    same_mean((one[:, None] - middle) ** 2, (other[:, None] - middle) ** 2)
    for point in np.quantile(other, QUANTILES):
        same_mean((one <= point)[:, None], (other <= point)[:, None])


@pytest.mark.parametrize("systems", [3, 5])
def test_every_two_are_as_if_they_were_alone(systems: int) -> None:
    counts, measures = labelled(systems), ("f1", "accuracy", "mcc")
    together = drawn_once(counts, measures)
    for i, j in combinations(range(systems), 2):
        for many, alone in zip(together, drawn_once(counts.select([i, j]), measures, seed=1), strict=True):
            close(many[:, i] - many[:, j], alone @ [1, -1])
            close(many[:, i] + many[:, j], alone @ [1, 1])


@pytest.mark.parametrize("prior", [p for p in WEIGHTS if p != "uniform"])
def test_so_they_are_under_other_priors(prior: Any) -> None:
    counts = labelled(3)
    together = drawn(counts, "f1", prior)
    for i, j in combinations(range(3), 2):
        alone = drawn(counts.select([i, j]), "f1", prior, seed=1)
        close(together[:, i] - together[:, j], alone @ [1, -1])


def test_a_pair_of_a_ranking_is_what_compare_says() -> None:
    counts = labelled(5)
    ranking = op.rank(counts, shrink=False, rng=0)
    for i, j in ((0, 1), (4, 2)):
        compared = op.compare(counts.select([i, j]), rng=1)
        close(ranking.draws[:, i] - ranking.draws[:, j], compared.draws @ [1, -1])


def aggregated(counts: op.Counts, weight: float, truth: int) -> tuple[Any, Any]:
    """Return mean and covariance of P(predicts positive) among items of one class: sums of cells of one Dirichlet."""
    cells = counts.truth == truth
    said, n = counts.predictions[cells].astype(np.float64), counts.n[cells]
    total = n.sum() + 4 * weight
    both = (said.T * n) @ said + weight * (1 + np.eye(said.shape[1]))  # a quarter of 4 w; a half on the diagonal
    mean = np.diag(both) / total
    return mean, (both / total - np.outer(mean, mean)) / (total + 1)


@pytest.mark.parametrize("prior", WEIGHTS)
@pytest.mark.parametrize("systems", [3, 5])
def test_means_and_covariances_have_a_closed_form(systems: int, prior: Any) -> None:
    counts = labelled(systems)
    for truth, found in zip((1, 0), drawn_once(counts, ("recall", "specificity"), prior), strict=True):
        mean, covariance = aggregated(counts, WEIGHTS[prior], truth)
        rest = (found if truth else 1 - found) - mean
        assert (np.abs(rest.mean(axis=0)) < ERRORS * rest.std(axis=0) / sqrt(len(rest))).all()
        products = rest[:, :, None] * rest[:, None, :]
        assert (np.abs(products.mean(axis=0) - covariance) < ERRORS * products.std(axis=0) / sqrt(len(rest))).all()


@pytest.mark.parametrize("prior", WEIGHTS)
def test_mean_accuracy_has_a_closed_form(prior: Any) -> None:
    counts, weight = labelled(4, items=31), WEIGHTS[prior]
    positive = (counts.n[counts.truth == 1].sum() + weight) / (31 + 2 * weight)
    recall, false_alarm = (aggregated(counts, weight, truth)[0] for truth in (1, 0))
    found = drawn(counts, "accuracy", prior)
    error = found.std(axis=0) / sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - positive * recall - (1 - positive) * (1 - false_alarm)) < ERRORS * error).all()


def listed(counts: op.Counts, weight: float, seed: int) -> op.Contingency:
    """Draw three systems with all eight outcomes of each class listed, each with the weight 4 w / 8."""
    rng, share = default_rng(seed), []
    outcomes = np.indices((2, 2, 2)).reshape(3, -1).T
    for truth in (0, 1):
        cells = counts.truth == truth
        cell = counts.predictions[cells] @ [4, 2, 1]
        n = np.bincount(cell, counts.n[cells], 8)
        share.append(rng.dirichlet(n + 4 * weight / 8, DRAWS) @ outcomes)
    items = np.bincount(counts.truth, counts.n, 2)
    mu = rng.beta(items[1] + weight, items[0] + weight, (DRAWS, 1))
    hit = mu * share[1]
    return op.Contingency(hit, mu, hit + (1 - mu) * share[0], np.ones((DRAWS, 1)))


@pytest.mark.parametrize(("items", "prior"), [*product((0, 9), WEIGHTS), (60, "uniform")])
def test_three_systems_agree_with_all_cells_listed(items: int, prior: Any) -> None:
    """Also for dependence between systems: products of two, of all three, and squares."""
    counts = labelled(3) if items == 60 else labelled(3, 9)
    counts = counts if items else counts.empty()
    theirs = listed(counts, WEIGHTS[prior], seed=5)
    measures = ("f1", "accuracy", "precision")
    for measure, one in zip(measures, drawn_once(counts, measures, prior), strict=True):
        other = MEASURES[measure](theirs)
        middle = (one.mean(axis=0) + other.mean(axis=0)) / 2
        same_mean(one, other)
        for power in ((1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1), (2, 0, 0), (2, 2, 0)):
            same_mean(*(((x - middle) ** power).prod(axis=1)[:, None] for x in (one, other)))


def test_three_systems_of_three_classes_agree_with_all_cells_listed() -> None:
    """With the uniform prior, whose weight per class, 3, is spread over 27 outcomes."""
    counts, rng, draws = labelled(3, 40, classes=3), default_rng(3), 20_000
    score = partial(averaged, "multiclass", MEASURES["accuracy"])
    found = op.Paired("uniform").posterior(counts).scores(score, draws=draws, seed=SeedSequence(1))
    cells = 27 * counts.truth + counts.predictions @ [9, 3, 1]
    alpha = np.bincount(cells, counts.n, 81).reshape(3, 27) + 3 / 27
    mu = rng.dirichlet(np.bincount(counts.truth, counts.n, 3) + 1, draws)
    outcomes = np.indices((3, 3, 3)).reshape(3, -1).T
    other = sum(mu[:, [j]] * (rng.dirichlet(alpha[j], draws) @ (outcomes == j)) for j in range(3))
    same_mean(found, other)
    centred = (x - found.mean(axis=0) for x in (found, other))
    same_mean(*(x[:, :1] * x for x in centred))


@pytest.mark.parametrize("systems", [3, 12])
@pytest.mark.parametrize("prior", WEIGHTS)
def test_prior_is_the_posterior_of_zero_counts(prior: Any, systems: int) -> None:
    """Each system alone has Beta(2 w, 2 w), as in a pair."""
    truth = np.array([0, 1])
    counts = op.Counts.from_labels(truth, {f"s{k}": truth for k in range(systems)}).empty()
    found = drawn(counts, "recall", prior, draws=20_000)
    weight = 2 * WEIGHTS[prior]
    assert stats.kstest(found[:, -1], stats.beta(weight, weight).cdf).pvalue > 1e-4


def test_weights_of_the_classes() -> None:
    counts = labelled(3)
    posterior = op.Paired(op.Dirichlet(1, mu=(30, 70))).posterior(counts)
    assert isinstance(posterior, PatternPosterior)
    assert posterior.weight == 4
    drawn_ = posterior.scores(lambda c: c.support / c.total, draws=20_000, seed=SeedSequence(0))[:, 0]
    assert stats.kstest(drawn_, stats.beta(30 + 30, 70 + 30).cdf).pvalue > 1e-4


def test_fractional_items_count_for_what_they_are() -> None:
    """Fractional counts, like the effective counts of a cross-validation."""
    counts = labelled(3).together(0.37)
    mean, _ = aggregated(counts, 1.0, 1)
    found = drawn(counts, "recall")
    assert (np.abs(found.mean(axis=0) - mean) < ERRORS * found.std(axis=0) / sqrt(len(found))).all()


def test_haldane_is_the_data_alone() -> None:
    counts = labelled(3)
    said = counts.n[(counts.truth == 1) & (counts.predictions[:, 0] == 1)].sum()
    found = drawn(counts, "recall", "haldane", draws=20_000)
    assert stats.kstest(found[:, 0], stats.beta(said, 30 - said).cdf).pvalue > 1e-4
    copies = op.Counts.from_labels([1, 1, 0, 0], {name: [1, 0, 0, 1] for name in "abc"})
    same = drawn(copies, "f1", "haldane", draws=500)
    np.testing.assert_array_equal(same, same[:, :1].repeat(3, axis=1))


@pytest.mark.parametrize("prior", ["haldane", op.Dirichlet(0, mu=1), op.Dirichlet(1, mu=0)])
def test_improper_priors_need_items_of_each_class(prior: Any) -> None:
    counts = op.Counts.from_labels([0, 0], {name: [0, 1] for name in "abc"}, labels=[0, 1])
    with pytest.raises(ValueError, match="no weight where there are no items of a class; use the uniform or the jeff"):
        op.Paired(prior).posterior(counts)


@pytest.mark.parametrize("name", ["positive", "negative"])
def test_weights_of_outcomes_are_of_one_or_two(name: str) -> None:
    settings: dict[str, Any] = {name: (8, 4, 4, 1)}
    prior = op.Dirichlet(1, **settings)
    sentence = r"prior positive and negative are of one or two classifiers; for more give op\.Dirichlet\(cells\)"
    with pytest.raises(ValueError, match=sentence):
        op.rank(labelled(3), model=op.Paired(prior))


def test_any_number_of_threads_gives_the_same_numbers() -> None:
    posterior = op.Paired().posterior(labelled(5))
    draw = partial(posterior.scores, MEASURES["f1"], draws=20_000, seed=SeedSequence(3))
    whole = draw(workers=1)
    for workers in (2, 5):
        np.testing.assert_array_equal(draw(workers=workers), whole)


@pytest.mark.parametrize(
    ("classes", "settings"),
    [(2, {}), (2, {"measure": "mcc", "model": "unpaired"}), (4, {"average": "macro"}), (4, {"measure": "accuracy"})],
)
def test_reordering_the_systems_reorders_the_draws(classes: int, settings: dict[str, Any]) -> None:
    counts = labelled(4, classes=classes)
    whole = op.rank(counts, **settings, draws=500, rng=0)
    for order in ((1, 2, 3, 0), (3, 1, 0, 2)):
        other = op.rank(counts.select(order), **settings, draws=500, rng=0)
        np.testing.assert_array_equal(other.draws, whole.draws[:, order])
        assert other.systems == whole.systems
        assert other.bands == whole.bands


def pooled(counts: op.Counts, seed: int, asked: Sequence[tuple[str, str]] = (("f1", "macro"),)) -> list[Any]:
    """Return draws of each measure and average, all from the same joint draws."""
    scores = [partial(averaged, average, MEASURES[name]) for name, average in asked]
    found = (
        op.Paired("pooled")
        .posterior(counts)
        .scores(
            lambda contingency: np.stack([score(contingency) for score in scores], axis=-1),
            draws=10_000,
            seed=SeedSequence(seed),
        )
    )
    return [found[..., k] for k in range(len(asked))]


# Systems that err together have few kinds of outcome, others many.
POOLS = {
    "few kinds": labelled(4, 150, classes=5, agree=0.97, right=0.9),
    "many kinds": labelled(5, 150, classes=5, agree=0.5),
    "no items": labelled(4, classes=5).empty(),
}


@pytest.mark.parametrize("name", POOLS)
def test_many_systems_of_many_classes_score_as_with_all_kinds_listed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = POOLS[name]
    seen = len(spread.pool(counts, 1.0).kinds.alpha)
    assert seen <= kinds.MOST_TURNS if name != "many kinds" else seen > kinds.MOST_TURNS
    asked = (("f1", "macro"), ("recall", "macro"), ("accuracy", "multiclass"))
    with monkeypatch.context() as patch:
        patch.setattr(spread, "MOST_LISTED", 5)
        listed_ = pooled(counts, 1, asked)
    for ours, theirs in zip(pooled(counts, 2, asked), listed_, strict=True):
        same_mean(ours, theirs)
        for turn in ([1, 0], [0, 1], [1, -1]):
            close(ours[:, :2] @ turn, theirs[:, :2] @ turn)


def test_kinds_are_drawn_alike_whether_looked_up_or_turned_at(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = labelled(3, 150, classes=5)
    (turned,) = pooled(counts, seed=1)
    monkeypatch.setattr(kinds, "MOST_TURNS", 0)
    (listed_,) = pooled(counts, seed=2)
    for k in range(3):
        close(listed_[:, k], turned[:, k])
    close(listed_[:, 0] - listed_[:, 2], turned[:, 0] - turned[:, 2])


@pytest.mark.parametrize("name", POOLS)
def test_before_the_data_each_system_is_right_half_of_the_time(name: str) -> None:
    """The part of the prior for unobserved kinds: correct and wrong are equally probable, for every system."""
    counts = POOLS[name]
    alone = spread.pool(counts, 0.0)  # without the pool
    shape = (5, 40, 500)
    fates = alone.fates(default_rng(0), shape)
    assert len(fates) == len(counts.classifiers)
    true = np.repeat(np.arange(5), shape[1] * shape[2])
    for fate in fates:
        by_draw = fate.right.mean(axis=(0, 1))
        assert abs(by_draw.mean() - 0.5) < ERRORS * by_draw.std() / sqrt(shape[2])
        assert (fate.label != true[fate.wrong]).all()
        assert len(fate.wrong) == (~fate.right).sum()


@pytest.mark.parametrize("prior", ["pooled", "uniform", "jeffreys", "haldane"])
def test_label_sets_of_two_systems_are_as_if_they_were_alone(prior: str) -> None:
    rng = default_rng(7)
    truth = rng.integers(2, size=(30, 3))
    said = {name: np.where(rng.random((30, 3)) < 0.15, 1 - truth, truth) for name in "abcde"}
    settings: dict[str, Any] = {"average": "micro", "model": op.Paired(prior), "draws": 20_000, "shrink": False}
    together = op.rank(truth, said, **settings, rng=0).draws
    alone = op.rank(truth, {name: said[name] for name in "ab"}, **settings, rng=1).draws
    for turn in ([1, 0], [0, 1], [1, -1]):
        close(together[:, :2] @ turn, alone @ turn)


def test_label_sets_take_any_number_of_systems() -> None:
    """Also with so many systems that their 2^K patterns could not be listed."""
    truth = default_rng(9).integers(2, size=(40, 3))
    said = {f"s{k:02}": np.where(default_rng(k).random((40, 3)) < 0.01 * k, 1 - truth, truth) for k in range(30)}
    for prior in ("pooled", "uniform"):
        r = op.rank(truth, said, average="micro", model=op.Paired(prior), draws=300, rng=0)
        assert r["s00"].p_best > r["s29"].p_best
        assert r["s00"].mean > 0.9


def test_chunks_of_two_systems_are_as_if_they_were_alone() -> None:
    """With λ for the true positives, false positives and false negatives of each."""
    rng = default_rng(8)
    gold = [["B-X" if there else "O"] for there in rng.random(60) < 0.5]
    said = {name: [["O"] if rng.random() < 0.2 else tags for tags in gold] for name in "abcd"}
    together, alone = (
        op.rank(op.Counts.from_chunks(gold, some, unit="chunk"), draws=20_000, shrink=False, rng=seed).draws
        for seed, some in enumerate((said, {name: said[name] for name in "ab"}))
    )
    for turn in ([1, 0], [0, 1], [1, -1]):
        close(together[:, :2] @ turn, alone @ turn)
