"""Draws on tensors of the processor: they agree with NumPy's, repeat, and stay on the device."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

import outperform as op
from outperform.data.input import Input
from outperform.device import Device, arrays
from outperform.device.arrays import DeviceArray
from outperform.device.items import prepared, scored_on_device, weighed_scores
from outperform.device.posteriors import contributions_of, runs_on_device, scores_of
from outperform.inference.item_reading import weighings
from outperform.inference.question import AllSettings
from outperform.measures.averages import CONTRIBUTIONS, averaged
from outperform.measures.of_counts import MEASURES, resolve
from outperform.measures.scorers import Anything
from outperform.models.posterior import Posterior

pytest.importorskip("torch")

CPU = Device("cpu")
SEED, DRAWS = SeedSequence(7), 3_000
ERRORS = 4.5  # tolerances are this many Monte-Carlo errors
RNG = default_rng(0)
ITEMS = 400
TRUTH = RNG.integers(5, size=ITEMS)
TWO = {
    name: np.where(RNG.random(ITEMS) < p, TRUTH, RNG.integers(5, size=ITEMS)) for name, p in (("a", 0.8), ("b", 0.7))
}
COUNTS = op.Counts.from_labels(TRUTH, TWO)
CLASS = COUNTS.binary(2)
POSITIVE = TRUTH > 2
SCORES = {name: POSITIVE + RNG.standard_normal(ITEMS) for name in "ab"}
ROUNDED = {name: own.round() for name, own in SCORES.items()}
CHANCES = {name: 1 / (1 + np.exp(-own)) for name, own in SCORES.items()}
CLUSTERS, STRATA = np.arange(ITEMS) // 4, np.arange(ITEMS) % 3


def agree(first: Any, second: Any) -> None:
    """Assert that two samples have the same means and deviations, and so have their differences."""
    assert first.shape == second.shape
    both = [x.reshape(len(x), -1) for x in (first, second)]
    both = [np.column_stack([x, x[:, 0] - x[:, -1]]) for x in both]
    mean, sd = ([getattr(x, how)(axis=0) for x in both] for how in ("mean", "std"))
    assert (np.abs(mean[0] - mean[1]) <= ERRORS * np.hypot(*sd) / sqrt(len(first)) + 1e-12).all()
    assert np.allclose(sd[0], sd[1], rtol=ERRORS * sqrt(2.5 / len(first)), atol=1e-12)  # of a kurtosis of at most 6


def drawn(posterior: Posterior, score: Any, draws: int = DRAWS) -> Any:
    assert runs_on_device(posterior)
    found = scores_of(posterior, score, draws=draws, seed=SEED, device=CPU)
    np.testing.assert_array_equal(found, scores_of(posterior, score, draws=draws, seed=SEED, device=CPU))
    agree(posterior.scores(score, draws=draws, seed=SEED), found)
    return found


@pytest.mark.parametrize("model", [op.Paired, op.Unpaired])
@pytest.mark.parametrize("prior", ["flat", "uniform", "haldane", 0.01])
def test_two_classes(model: Any, prior: Any) -> None:
    drawn(model(prior).posterior(CLASS), resolve("f1"))


@pytest.mark.parametrize("model", [op.Paired, op.Unpaired])
@pytest.mark.parametrize("prior", ["uniform", "pooled", "hierarchical", 0.1])
@pytest.mark.parametrize(("average", "name"), [("macro", "f1"), ("micro", "f1"), ("multiclass", "mcc")])
def test_many_classes(model: Any, prior: Any, average: str, name: str) -> None:
    measure = resolve(name)
    posterior = model(prior).posterior(COUNTS).reduced(average, measure)
    drawn(posterior, lambda c: averaged(average, measure, c))


SETS = [{int(label), int(label + k) % 5} for k, label in enumerate(TRUTH)]
TREND = {
    "one system": COUNTS.select([0]),
    "two systems": COUNTS,
    "three systems": op.Counts.from_labels(TRUTH, TWO | {"c": np.roll(TRUTH, 7)}),
    "label sets": op.Counts.from_label_sets(SETS, {name: [{int(label)} for label in own] for name, own in TWO.items()}),
}


@pytest.mark.parametrize("measure", ["f1", "recall", "precision"])
@pytest.mark.parametrize("counts", TREND.values(), ids=TREND)
def test_classes_that_follow_a_trend(counts: op.Counts, measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All arrays with draws stay on the device until the scores are there."""
    posterior = op.Paired("trend").posterior(counts).reduced("macro", resolve(measure))
    monkeypatch.setattr(arrays, "_pulled", lambda _: pytest.fail("computed on a copy"))
    drawn(posterior, lambda c: averaged("macro", resolve(measure), c))


def test_a_trend_in_several_blocks_and_by_class(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = op.Paired("trend").posterior(COUNTS).reduced("macro", resolve("f1"))
    monkeypatch.setattr("outperform.device.rng.MOST_NUMBERS", {"cpu": 400 * posterior.cells})
    by_class: Any = partial(CONTRIBUTIONS["macro"], resolve("f1"))
    total, some = contributions_of(posterior, by_class, draws=DRAWS, few=100, seed=SEED, device=CPU)
    agree(posterior.scores(by_class, draws=DRAWS, seed=SEED).sum(axis=-1), total)
    assert some is not None
    assert some.shape == (100, 2, 5)
    np.testing.assert_allclose(some.sum(axis=-1), total[::30])


@pytest.mark.parametrize("counts", TREND.values(), ids=TREND)
def test_a_weighted_average_has_the_mean_of_the_jackknife(counts: op.Counts) -> None:
    posterior = op.Paired("trend").posterior(counts).reduced("weighted", resolve("f1"))
    drawn(posterior, lambda c: averaged("weighted", resolve("f1"), c))
    by_class: Any = partial(CONTRIBUTIONS["weighted"], resolve("f1"))
    total, some = contributions_of(posterior, by_class, draws=DRAWS, few=100, seed=SEED, device=CPU)
    host = posterior.scores(by_class, draws=DRAWS, seed=SEED)
    host = host if host.ndim == 2 else host.sum(axis=-1)
    agree(host, total)
    assert host.mean(axis=0) == pytest.approx(total.mean(axis=0), abs=1e-4)
    if some is not None:
        np.testing.assert_allclose(some.sum(axis=-1), total[:: -(-DRAWS // 100)])


def test_a_weighted_average_of_unpaired_systems_has_the_mean_that_each_has_alone() -> None:
    posterior = op.Unpaired("trend").posterior(COUNTS).reduced("weighted", resolve("f1"))
    by_class: Any = partial(CONTRIBUTIONS["weighted"], resolve("f1"))
    total, some = contributions_of(posterior, by_class, draws=DRAWS, few=100, seed=SEED, device=CPU)
    host = posterior.scores(by_class, draws=DRAWS, seed=SEED).sum(axis=-1)
    agree(host, total)
    assert host.mean(axis=0) == pytest.approx(total.mean(axis=0), abs=1e-4)
    assert some is not None
    assert some.sum(axis=-1).mean(axis=0) == pytest.approx(total.mean(axis=0), abs=1e-3)


def test_tiny_weights_do_not_underflow() -> None:
    """Where gammas of all cells are 0 in 64 bits, as they are at weights of 1e-6, the score would be 0/0."""
    posterior = op.Paired(1e-6).posterior(CLASS.empty())
    found = scores_of(posterior, resolve("accuracy"), draws=DRAWS, seed=SEED, device=CPU)
    assert np.isfinite(found).all()
    assert abs(found[:, 0].mean() - 0.5) < ERRORS * 0.5 / sqrt(DRAWS)


@pytest.mark.parametrize("name", [*MEASURES, "own"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_measures_stay_on_the_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the same contingencies they give the same numbers, and none of them is computed on a copy."""
    monkeypatch.setattr(arrays, "_pulled", lambda _: pytest.fail("computed on a copy"))
    measure = MEASURES.get(name, resolve(lambda c: c.tp - 5 * c.fp))
    c = op.Paired("uniform").posterior(CLASS).contingency(default_rng(1), 50)
    parts = (DeviceArray(CPU.tensor(part)) for part in (c.hit, c.support, c.predicted, c.total))
    found: Any = measure(op.Contingency(*parts))  # type: ignore[arg-type]
    assert isinstance(found, DeviceArray)
    np.testing.assert_allclose(np.asarray(found), measure(c), rtol=1e-12, atol=1e-15)


def test_a_function_that_is_not_known_there_is_computed_on_a_copy() -> None:
    """As right, and slower."""

    def turned(c: Any) -> Any:
        return np.arctan2(c.tp, c.fp + 1.0)

    drawn(op.Paired("uniform").posterior(CLASS), resolve(turned))


def test_blocks_do_not_depend_on_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = op.Paired("uniform").posterior(CLASS)
    monkeypatch.setattr("outperform.device.rng.MOST_NUMBERS", {"cpu": 100 * posterior.cells})
    draw = partial(scores_of, posterior, resolve("f1"), seed=SEED, device=CPU)
    np.testing.assert_array_equal(draw(draws=350)[:200], draw(draws=200))


def test_many_systems_and_label_sets() -> None:
    four = TWO | {"c": TWO["a"][::-1], "d": TRUTH}
    for counts, model, average in (
        (op.Counts.from_labels(TRUTH, four).binary(2), op.Paired("flat"), "binary"),
        (op.Counts.from_labels(TRUTH, four), op.Paired("pooled"), "macro"),
        (TREND["label sets"], op.Paired("pooled"), "macro"),
        (TREND["label sets"], op.BayesianBootstrap(prior="haldane"), "micro"),
    ):
        posterior = model.posterior(counts).reduced(average, resolve("f1"))
        score: Any = resolve("f1") if average == "binary" else lambda c, how=average: averaged(how, resolve("f1"), c)
        drawn(posterior, score)


WEIGHED: dict[str, tuple[Any, Any, str, Any]] = {
    "auc": (POSITIVE, SCORES, "roc_auc", None),
    "auc with ties": (POSITIVE, ROUNDED, "roc_auc", None),
    "auc of clusters": (POSITIVE, SCORES, "roc_auc", op.BayesianBootstrap(cluster=CLUSTERS)),
    "auc in strata": (POSITIVE, ROUNDED, "roc_auc", op.BayesianBootstrap(strata=STRATA)),
    "average precision with ties": (POSITIVE, ROUNDED, "average_precision", None),
    "brier": (POSITIVE, CHANCES, "brier", None),
    "ece": (POSITIVE, CHANCES, "ece", None),
    "r2": (SCORES["a"], {"c": SCORES["b"], "d": CHANCES["a"]}, "r2", None),
    "ndcg": (POSITIVE * 1, SCORES, "ndcg@3", op.BayesianBootstrap(cluster=CLUSTERS)),
    "f1 of clusters": (TRUTH, TWO, "accuracy", op.BayesianBootstrap(cluster=CLUSTERS, prior="haldane")),
}


@pytest.mark.parametrize("name", WEIGHED)
def test_items(name: str) -> None:
    truth, outputs, measure, model = WEIGHED[name]
    asked = AllSettings(measure=measure, model=model, labels=None, pos_label=None, zero_division=0.0, prior=None)
    asked |= {"draws": None, "rng": 0}
    found = weighings(Input(truth, outputs), asked)
    study = found[0]
    assert scored_on_device(study.scorer)
    weights = study.weights.draw(default_rng(3), 20)
    tensor = CPU.tensor(weights)
    if isinstance(study.scorer.source, Anything):
        same: Any = np.asarray(study.scorer(DeviceArray(tensor)))  # type: ignore[arg-type]
    else:
        same = prepared(study.scorer.source, CPU)(tensor.T.contiguous()).numpy()
    np.testing.assert_allclose(same, study.scorer(weights), rtol=1e-11)
    draw = partial(weighed_scores, study.scorer, study.weights, draws=DRAWS, seed=SEED, device=CPU)
    np.testing.assert_array_equal(draw(), draw())
    agree(study.by_weights(DRAWS, SEED), draw())


def test_areas_in_single_precision_cost_less_than_the_monte_carlo_error() -> None:
    """Of 200,000 items, 10,000 draws of whose area leave an error of a hundredth of a standard deviation."""
    rng = default_rng(5)
    truth = rng.random(200_000) < 0.3
    asked = AllSettings(measure="roc_auc", model=None, labels=None, pos_label=None, zero_division=0.0, prior=None)
    found = weighings(Input(truth, {"a": truth + rng.standard_normal(len(truth))}), asked | {"draws": None, "rng": 0})
    area = prepared(found[0].scorer.source, CPU)
    weights = CPU.tensor(rng.standard_exponential((20, len(truth)), dtype=np.float32))
    double = area(weights.double()).numpy()
    assert np.abs(area(weights).numpy() - double).max() < 1e-7 < double.std() / sqrt(10_000)
