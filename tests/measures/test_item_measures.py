"""Every measure of items under weights, against scikit-learn's or a plain computation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics
from sklearn.preprocessing import label_binarize

import outperform as op
from outperform.data.input import Input
from outperform.data.items import Items
from outperform.inference.item_reading import weighings
from outperform.inference.item_study import ItemStudy
from outperform.inference.question import Settings
from outperform.measures.of_items import ITEM_MEASURES, ItemMeasure, find_item_measure
from outperform.models.posterior import stream
from outperform.models.weights import ItemWeights

Array = NDArray[Any]
Oracle = Callable[[Array, Array, Array], float]
SAME: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10}
CLASSES, BINS, DEPTH = 4, 15, 6  # DEPTH is the number of items per query
SEEDS = st.integers(0, 10_000)


@dataclass(frozen=True)
class Case:
    """Data that a measure reads, a reference implementation, and whether items are grouped in queries."""

    data: Callable[[Generator], tuple[Array, ...]]
    oracle: Oracle
    queries: bool = False


def two_classes(rng: Generator) -> tuple[Array, ...]:
    """Return scores with one decimal, so that many tie."""
    truth = np.append(rng.integers(0, 2, 60), [0, 1])
    return truth, *(np.round(truth + rng.normal(0, s, 62), 1) for s in (1.0, 1.5))


def chances(rng: Generator) -> tuple[Array, ...]:
    """Return probabilities of the positive class, some of them 0, 1 or on the border of a bin."""
    truth = np.append(rng.integers(0, 2, 60), [0, 1])
    return truth, *(np.round(np.clip(0.5 + (truth - 0.5) * x + rng.normal(0, 0.3, 62), 0, 1), 1) for x in (0.6, 0.3))


def many_classes(rng: Generator) -> tuple[Array, ...]:
    truth = np.append(rng.integers(0, CLASSES, 80), np.arange(CLASSES))
    scores = (np.eye(CLASSES)[truth] * x + rng.exponential(1, (84, CLASSES)) for x in (2, 1))
    return truth, *(score / score.sum(axis=1, keepdims=True) for score in scores)


def coarse_classes(rng: Generator) -> tuple[Array, ...]:
    """Return whole numbers per class, so that most items have ties."""
    truth = np.append(rng.integers(0, CLASSES, 80), np.arange(CLASSES))
    return truth, *(rng.integers(0, 4, (84, CLASSES)) + np.eye(CLASSES)[truth] for _ in range(2))


def numbers(rng: Generator) -> tuple[Array, ...]:
    truth = rng.normal(5, 3, 70)
    return truth, *(truth + rng.normal(0, s, 70) for s in (1, 2))


def ranked(rng: Generator) -> tuple[Array, ...]:
    """Return gains of 0 to 2 and scores that tie, query by query; the first query has nothing relevant."""
    truth = rng.integers(0, 3, 20 * DEPTH).astype(float)
    truth[:DEPTH] = 0
    return truth, *(np.round(truth * x + rng.normal(0, 1, len(truth)), 0) for x in (1.0, 0.3))


def one_against_rest(score: Callable[..., float]) -> Oracle:
    return lambda y, p, w: score(label_binarize(y, classes=range(CLASSES)), p, average="macro", sample_weight=w)


def weighted(score: Callable[..., Any], **more: Any) -> Oracle:
    return lambda y, p, w: float(score(y, p, sample_weight=w, **more))


def calibration_error(truth: Array, output: Array, weights: Array) -> float:
    """By bins (k−1)/15 < confidence ≤ k/15."""
    chance = np.column_stack([1 - output, output]) if output.ndim == 1 else output
    confidence, right = chance.max(axis=1), chance.argmax(axis=1) == truth
    error = 0.0
    for k in range(1, BINS + 1):
        in_bin = ((k - 1) / BINS < confidence) & (confidence <= k / BINS)
        if weights[in_bin].sum() > 0:
            gap = np.average(confidence[in_bin], weights=weights[in_bin]) - np.average(
                right[in_bin], weights=weights[in_bin]
            )
            error += weights[in_bin].sum() / weights.sum() * abs(gap)
    return error


def reciprocal_rank(truth: Array, output: Array, weights: Array, k: int = DEPTH) -> float:
    """Go down each list; among ties, items that are not relevant come first."""
    found = []
    for gain, score in zip(truth.reshape(-1, DEPTH), output.reshape(-1, DEPTH), strict=True):
        listed = sorted(range(DEPTH), key=lambda i: (-score[i], gain[i] > 0))
        ranks = [place for place, i in enumerate(listed, start=1) if gain[i] > 0 and place <= k]
        found.append(1 / ranks[0] if ranks else 0.0)
    return float(np.average(found, weights=weights[::DEPTH]))


def discounted_gain(truth: Array, output: Array, weights: Array, k: int | None = None) -> float:
    gains, scores = truth.reshape(-1, DEPTH), output.reshape(-1, DEPTH)
    return float(metrics.ndcg_score(gains, scores, k=k, sample_weight=weights[::DEPTH]))


def several_squares(truth: Array, output: Array, weights: Array) -> float:
    return float(np.average(((output - np.eye(CLASSES)[truth]) ** 2).sum(axis=1), weights=weights))


EVERY = {"labels": range(CLASSES)}
CASES: dict[tuple[str, str], Case] = {
    ("roc_auc", "binary"): Case(two_classes, weighted(metrics.roc_auc_score)),
    ("roc_auc", "ovr"): Case(many_classes, weighted(metrics.roc_auc_score, multi_class="ovr")),
    ("roc_auc", "ovr, ties"): Case(coarse_classes, one_against_rest(metrics.roc_auc_score)),
    ("average_precision", "binary"): Case(two_classes, weighted(metrics.average_precision_score)),
    ("average_precision", "ovr, ties"): Case(coarse_classes, one_against_rest(metrics.average_precision_score)),
    ("log_loss", "binary"): Case(chances, weighted(metrics.log_loss)),
    ("log_loss", "many"): Case(many_classes, weighted(metrics.log_loss, **EVERY)),
    ("brier", "binary"): Case(chances, weighted(metrics.brier_score_loss)),
    ("brier", "many"): Case(many_classes, several_squares),
    ("ece", "binary"): Case(chances, calibration_error),
    ("ece", "many"): Case(many_classes, calibration_error),
    ("r2", ""): Case(numbers, weighted(metrics.r2_score)),
    ("mae", ""): Case(numbers, weighted(metrics.mean_absolute_error)),
    ("mse", ""): Case(numbers, weighted(metrics.mean_squared_error)),
    ("top_k_accuracy", ""): Case(many_classes, weighted(metrics.top_k_accuracy_score, k=2, **EVERY)),
    ("top_3_accuracy", ""): Case(many_classes, weighted(metrics.top_k_accuracy_score, k=3, **EVERY)),
    ("top_1_accuracy", "ties"): Case(coarse_classes, weighted(metrics.top_k_accuracy_score, k=1, **EVERY)),
    ("ndcg", ""): Case(ranked, discounted_gain, queries=True),
    ("ndcg@3", ""): Case(ranked, partial(discounted_gain, k=3), queries=True),
    ("ndcg@10", ""): Case(ranked, partial(discounted_gain, k=10), queries=True),
    ("mrr", ""): Case(ranked, reciprocal_rank, queries=True),
    ("mrr@2", ""): Case(ranked, partial(reciprocal_rank, k=2), queries=True),
}
every_case = pytest.mark.parametrize(("measure", "form"), CASES)


def found(measure: object) -> ItemMeasure:
    known = find_item_measure(measure)
    assert known is not None
    return known


def queries(rows: int) -> Array:
    return np.arange(rows) // DEPTH


def read(measure: object, case: Case, truth: Array, *outputs: Array) -> Items:
    items = found(measure).reads(truth, dict(zip("ab", outputs, strict=True)), None, None)
    return items.grouped(queries(len(truth))) if case.queries else items


def some_weights(rng: Generator, case: Case, truth: Array) -> Array:
    """Return weights, a third of them 0, except for the last items, which contain every class."""
    size = len(truth) // DEPTH if case.queries else len(truth)
    weights = rng.exponential(1, size) * (rng.random(size) > 1 / 3)
    weights[-CLASSES:] += 0.1
    return np.repeat(weights, DEPTH) if case.queries else weights


def test_every_measure_has_a_twin() -> None:
    assert {measure for measure, _ in CASES} >= set(ITEM_MEASURES)


@every_case
@settings(max_examples=4)
@given(seed=SEEDS)
def test_measures_under_weights_are_scikit_learns(measure: str, form: str, seed: int) -> None:
    case, rng = CASES[measure, form], default_rng(seed)
    truth, *outputs = case.data(rng)
    weights = np.stack([some_weights(rng, case, truth) for _ in range(3)], axis=1)
    ours = found(measure).prepare(read(measure, case, truth, *outputs))(weights)
    theirs = [[case.oracle(truth, output, w) for output in outputs] for w in weights.T]
    np.testing.assert_allclose(ours, theirs, **SAME)


def asked_of(measure: Any, case: Case, data: tuple[Array, ...], *, draws: int) -> op.Comparison:
    truth, a, b = data
    model = op.BayesianBootstrap(cluster=queries(len(truth)).tolist()) if case.queries else None
    return op.compare(truth, {"a": a, "b": b}, measure=measure, model=model, draws=draws, rng=3)


def weighed(measure: object, case: Case, data: tuple[Array, ...]) -> ItemStudy:
    truth, a, b = data
    model = op.BayesianBootstrap(cluster=queries(len(truth)).tolist()) if case.queries else None
    asked: Any = Settings(model=model, labels=None, pos_label=None, draws=None, rng=3, zero_division=0.0)
    only = weighings(Input(truth, {"a": a, "b": b}), asked | {"measure": measure})
    return only[0]


@every_case
def test_observed_scores_and_draws_are_scikit_learns(measure: str, form: str) -> None:
    """End to end: the weights of a comparison's draws are recomputed and given to the reference."""
    case = CASES[measure, form]
    data = case.data(default_rng(1))
    truth, *outputs = data
    r = asked_of(measure, case, data, draws=5)
    equal = np.ones(len(truth))
    theirs = [case.oracle(truth, output, equal) for output in outputs]
    assert [r.a.observed, r.b.observed] == pytest.approx(theirs, rel=1e-10, abs=1e-10)
    weighing = weighed(measure, case, data)
    weighing = replace(weighing, question=replace(weighing.question, draws=5))
    items, seed = weighing.items, SeedSequence(3, spawn_key=(0,))
    weights = ItemWeights.of(items).draw(stream(seed, 0), 5)
    drawn = [[case.oracle(items.truth, output, w) for output in items.outputs] for w in weights.T]
    np.testing.assert_allclose(weighing.by_weights(5, seed), drawn, **SAME)
    added = weighing.unseen.draw(stream(SeedSequence(3, spawn_key=(4,)), 0), 5)
    np.testing.assert_allclose(r.draws, weighing.moved(np.array(drawn), added), **SAME)


@every_case
def test_scores_ignore_the_order_of_items_and_the_unit_of_weights(measure: str, form: str) -> None:
    case, rng = CASES[measure, form], default_rng(2)
    truth, *outputs = case.data(rng)
    weights = some_weights(rng, case, truth)
    items = read(measure, case, truth, *outputs)
    plain = found(measure).prepare(items)(weights[:, None])
    order = rng.permutation(len(truth))
    shuffled = found(measure).reads(truth[order], {"a": outputs[0][order], "b": outputs[1][order]}, None, None)
    shuffled = shuffled.grouped(queries(len(truth))[order]) if case.queries else shuffled
    np.testing.assert_allclose(found(measure).prepare(shuffled)(7 * weights[order, None]), plain, **SAME)


@pytest.mark.parametrize(("measure", "form"), [key for key in CASES if found(key[0]).merges])
@settings(max_examples=4)
@given(seed=SEEDS)
def test_merging_equal_rows_changes_no_score(measure: str, form: str, seed: int) -> None:
    case, rng = CASES[measure, form], default_rng(seed)
    truth, *outputs = case.data(rng)
    again = rng.integers(0, len(truth), 3 * len(truth))
    again[:CLASSES] = np.arange(len(truth) - CLASSES, len(truth))
    items = read(measure, case, truth[again], *(output[again] for output in outputs))
    merged = items.merged()
    assert len(merged.n) <= len(truth)
    assert merged.items == items.items == len(again)
    weights = rng.exponential(1, (len(items.n), 4))
    merged_weights = np.zeros((len(merged.n), 4))
    for row, weight in enumerate(weights):
        same = merged.truth == items.truth[row]
        for whole, part in zip(merged.outputs, items.outputs, strict=True):
            same &= (whole == part[row]).reshape(len(merged.n), -1).all(axis=1)
        assert same.sum() == 1
        merged_weights[same] += weight
    prepare = found(measure).prepare
    np.testing.assert_allclose(prepare(merged)(merged_weights), prepare(items)(weights), **SAME)
    np.testing.assert_allclose(prepare(merged)(merged.n[:, None]), prepare(items)(items.n[:, None]), **SAME)


def test_merged_rows_have_the_draws_of_their_items() -> None:
    """Weights of identical items add up to a gamma of their number."""
    case = CASES["roc_auc", "binary"]
    rng = default_rng(4)
    truth = rng.integers(0, 2, 150)
    a, b = (np.round(truth + rng.normal(0, 1, 150)) for _ in range(2))
    merged = weighed("roc_auc", case, (truth, a, b))
    assert len(merged.items.n) < 60
    whole = merged.items.expanded()
    apart = ItemStudy(merged.question, merged.model, whole, whole)
    drawn, alone = merged.draw(), default_rng(9)
    weights = ItemWeights.of(apart.items).draw(alone, 20_000)
    assert (apart.weights.number == 1).all()
    for one, other in zip(drawn.T, apart.scorer(weights).T, strict=True):
        assert stats.ks_2samp(one, other).pvalue > 1e-4


def test_rows_that_differ_anywhere_stay_apart() -> None:
    zeros = np.zeros(4)
    items = Items(("a",), np.array([0, 0, 0, 1]), (zeros,), np.ones(4))
    assert items.merged().n.tolist() == [3, 1]
    assert items.grouped(cluster=[1, 1, 2, 2]).merged().n.tolist() == [2, 1, 1]
    assert items.grouped(strata=["x", "x", "y", "y"]).merged().n.tolist() == [2, 1, 1]
    signed = Items(("a",), zeros, (np.array([0.0, -0.0, 1e-300, 0.0]),), np.ones(4))
    assert signed.merged().n.tolist() == [3, 1]
    np.testing.assert_array_equal(items.merged().expanded().truth, items.truth)


def labels(rng: Generator, classes: int = 2) -> tuple[Array, ...]:
    truth = rng.integers(0, classes, 40)
    return truth, *(np.where(rng.random(40) < p, truth, rng.integers(0, classes, 40)) for p in (0.7, 0.5))


FUNCTIONS: list[tuple[Any, Callable[[Generator], tuple[Array, ...]], bool]] = [
    (metrics.f1_score, labels, True),
    (partial(metrics.f1_score, average="macro"), partial(labels, classes=CLASSES), True),
    (partial(metrics.fbeta_score, beta=2, pos_label=0), labels, True),
    (partial(metrics.average_precision_score, pos_label=1), two_classes, True),
    (metrics.brier_score_loss, chances, False),
    (partial(metrics.mean_pinball_loss, alpha=0.2), numbers, False),
    (metrics.mean_squared_error, numbers, False),
    (metrics.d2_absolute_error_score, numbers, True),
]


@pytest.mark.parametrize(("function", "data", "greater"), FUNCTIONS)
def test_any_function_with_weights_is_a_measure(function: Any, data: Any, greater: bool) -> None:
    truth, a, b = data(default_rng(5))
    case = Case(data, lambda y, p, w: float(function(y, p, sample_weight=w)))
    assert found(function).greater_is_better is greater
    r = asked_of(function, case, (truth, a, b), draws=6)
    inner = function.func if isinstance(function, partial) else function
    assert r.measure == inner.__name__
    assert [r.a.observed, r.b.observed] == pytest.approx([function(truth, x) for x in (a, b)], rel=1e-10)
    weights = default_rng(0).exponential(1, (len(truth), 4))
    ours = found(function).prepare(read(function, case, truth, a, b))(weights)
    np.testing.assert_allclose(ours, [[case.oracle(truth, x, w) for x in (a, b)] for w in weights.T], **SAME)


def test_a_function_is_called_for_fewer_draws() -> None:
    case = Case(two_classes, weighted(metrics.roc_auc_score))
    data = two_classes(default_rng(0))
    assert weighed(metrics.average_precision_score, case, data).draws == 2_000
    assert weighed("average_precision", case, data).draws == 50_000
    r = asked_of(metrics.average_precision_score, case, data, draws=60)
    assert len(r.draws) == 60
    assert r.frequentist == {}


def test_a_function_and_the_measure_of_its_name_agree() -> None:
    """The same seed gives the same weights, because these items do not merge."""
    truth, a, b = CASES["roc_auc", "binary"].data(default_rng(6))
    a, b = (x + default_rng(k).normal(0, 1e-3, len(x)) for k, x in enumerate((a, b)))
    case = CASES["roc_auc", "binary"]
    ours, theirs = (weighed(m, case, (truth, a, b)) for m in ("roc_auc", metrics.roc_auc_score))
    np.testing.assert_allclose(ours.by_weights(40, SeedSequence(3)), theirs.by_weights(40, SeedSequence(3)), **SAME)


def test_names_of_labels_reach_a_function_as_they_are() -> None:
    truth, a, b = (np.where(x == 1, "spam", "ham") for x in labels(default_rng(7)))
    spam = partial(metrics.f1_score, pos_label="spam")
    r = op.compare(truth, {"a": a, "b": b}, measure=spam, draws=20, rng=0)
    assert r.a.observed == pytest.approx(metrics.f1_score(truth, a, pos_label="spam"))


@pytest.mark.parametrize("measure", ["brier", metrics.brier_score_loss, "log_loss", "mae", metrics.mean_absolute_error])
def test_the_lower_loss_is_better(measure: Any) -> None:
    rng = default_rng(8)
    truth = rng.integers(0, 2, 80)
    good, bad = (np.clip(np.abs(truth - rng.beta(1, x, 80)), 0.01, 0.99) for x in (12, 2))
    r = op.compare(truth, {"good": good, "bad": bad}, measure=measure, rope=0.01, draws=100, rng=0)
    assert r.delta.hdi[1] < -0.01
    assert r.decision is not None
    assert r.decision.name == "better"
    assert r.meets("better")
    assert not op.compare(truth, {"b": bad, "g": good}, measure=measure, rope=0.01, draws=100, rng=0).meets("not-worse")


def test_numbers_in_names_are_read() -> None:
    assert found("top_5_accuracy").name == "top_5_accuracy"
    assert found("ndcg@10").name == "ndcg@10"
    for unknown in ("top_0_accuracy", "ndcg@", "ndcg@0", "top_-1_accuracy", "auc@5", "f1"):
        assert find_item_measure(unknown) is None
    assert find_item_measure(lambda c: c.tp) is None  # a function of a Contingency


def test_classes_by_name_are_ranked_in_order() -> None:
    truth, a, _ = many_classes(default_rng(9))
    named = np.array(list("dcba"))[truth]  # the first class is sorted last
    r = op.estimate(named, a[:, ::-1], measure="roc_auc", draws=100, rng=0)
    assert r.average == "macro"
    assert r.observed == pytest.approx(metrics.roc_auc_score(truth, a, multi_class="ovr"), rel=1e-10)
    one = op.estimate(named, a[:, ::-1], measure="roc_auc", pos_label="d", draws=100, rng=0)
    assert one.average == "binary"
    assert one.observed == pytest.approx(metrics.roc_auc_score(truth == 0, a[:, 0]), rel=1e-10)


@pytest.mark.parametrize(("positive", "decided"), [(3, False), (60, True)])
def test_an_area_knows_no_more_than_the_rarer_class(positive: int, decided: bool) -> None:
    """If one system ranks all positive items first, three of them are not informative, however many are negative."""
    truth = np.arange(300) < positive
    lot = np.random.default_rng(0).random(300)
    systems = {"a": np.where(truth, 2 + lot, lot), "b": lot}
    compared = op.compare(truth, systems, measure="roc_auc", rope=0.01, draws=5_000, rng=0)
    assert isinstance(compared, op.Comparison)
    assert compared.decision is not None
    assert compared.decision.decided == decided
    ranked = op.rank(truth, systems, measure="roc_auc", rope=0.01, draws=5_000, rng=0)
    assert isinstance(ranked, op.Ranking)
    assert bool(ranked.verdicts.given) == decided
    assert bool(ranked.verdicts.by_chance) == decided  # a row without a verdict has none by chance either


@pytest.mark.parametrize(
    ("truth", "settings", "sentence"),
    [
        ([0, 1, 2, 0], {"labels": [0, 1]}, "truth holds 2, which is not among the labels 0, 1"),
        ([0, 1, None, 0], {}, "truth has no label at position 2 .*"),
        (
            [0, 1, 2, 0],
            {},
            r"there are 3 classes \(0, 1, 2\); give a score for each of them, or set one against the rest .*",
        ),
    ],
)
def test_truths_that_one_number_an_item_cannot_be_judged_by(truth: Any, settings: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        op.compare(truth, {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.3, 0.2, 0.1, 0.5]}, measure="roc_auc", **settings)


@pytest.mark.parametrize("n", [300, 3_000])
def test_noise_adds_to_the_calibration_error_what_is_said(n: int) -> None:
    """Of perfect probabilities, of which the error is all noise: by simulation."""
    found, said = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        p = rng.beta(2, 2, n)
        y = (rng.random(n) < p).astype(int)
        r = op.compare(y, {"a": p, "b": np.clip(1.3 * p - 0.15, 0, 1)}, measure="ece", rope=0.2, draws=200, rng=0)
        (note,) = (note for note in r.notes if note.startswith("Noise alone increases ece, by about "))
        found.append(float(r.a.observed or 0))
        said.append(float(note.split()[6]))
        assert r.decision is not None
        assert r.decision.name not in ("better", "worse", "equivalent")
    # Without bins that happen to be beyond 2 standard deviations, one in twenty, it is a little less.
    assert 0.8 * np.mean(found) < np.mean(said) < 1.05 * np.mean(found)
    ranked = op.rank(y, {"a": p, "b": 1 - p, "c": p**2}, measure="ece", rope=0.01, draws=200, rng=0)
    assert not any(pair.separated for pair in ranked.pairs)


def test_numbers_whose_squares_are_0_are_refused_where_squares_matter() -> None:
    """Means of them had no spread, so that their rankings were not shrunk, and every mean squared error was 0."""
    a, b, c = default_rng(0).normal(size=(3, 30))
    for unit in (1e-170, 1e-300):
        small = {"a": a * unit, "b": b * unit, "c": c * unit}
        two = {name: small[name] for name in "ab"}
        with pytest.raises(ValueError, match="whose square is too small; scale them up"):
            op.rank_scores(small, rng=0)
        with pytest.raises(ValueError, match="whose square is too small; scale them up"):
            op.compare(c * unit, two, measure="mse", rng=0)
        likelihoods = {"a": np.exp(a) * unit, "b": np.exp(b) * unit}  # which rank items
        ranked = op.compare(c > 0, likelihoods, measure="roc_auc", draws=50, rng=0)
        assert ranked.delta == op.compare(c > 0, {"a": a, "b": b}, measure="roc_auc", draws=50, rng=0).delta
        assert op.compare_scores({"a": a, "b": b * unit}, draws=50, rng=0).delta.sd > 0


@pytest.mark.parametrize("prefix", ["", "prob_"])
@pytest.mark.parametrize("classes", [("bird", "cat", "dog"), (0, 1, 2), ("no", "yes")])
def test_columns_that_name_the_classes_are_in_their_order(classes: tuple[Any, ...], prefix: str) -> None:
    """Scores of another class were taken for those of the first, and a log loss of 0.58 was 2.17."""
    y = np.array(classes)[default_rng(0).integers(0, len(classes), 60)]
    p = default_rng(1).dirichlet(np.ones(len(classes)), size=60)
    names = [f"{prefix}{label}" if prefix else label for label in classes]
    frame = pd.DataFrame(p, columns=names)
    asked: dict[str, Any] = {"measure": "log_loss", "pos_label": "yes" if "yes" in classes else None}
    plain = op.estimate(y, p, draws=50, rng=0, **asked)
    assert op.estimate(y, frame, draws=50, rng=0, **asked).observed == plain.observed
    with pytest.raises(ValueError, match=r"the columns of classifier .* are expected, in the order of the classes"):
        op.estimate(y, {"a": frame[names[::-1]]}, draws=50, rng=0, **asked)
