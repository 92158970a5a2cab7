"""Scores of items, and resampled items, in the verbs, and the errors."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy import stats
from sklearn import metrics

import outperform as op
from outperform.base.lazy import made
from outperform.data.runs import Runs
from outperform.data.scores import Scores
from outperform.measures.of_items import ITEM_MEASURES
from tests.tables import verdict

pytestmark = pytest.mark.usefixtures("few_draws")

N = 240
RNG = default_rng(21)
Y = RNG.integers(0, 2, N)
A, B = (Y + RNG.normal(0, s, N) for s in (1.0, 1.3))
TWO = {"a": A, "b": B}
RIGHT = {"a": (RNG.random(N) < 0.8).astype(int), "b": (RNG.random(N) < 0.7).astype(int)}
LABELS = {name: (x > 0.5).astype(int) for name, x in TWO.items()}
Y3 = RNG.integers(0, 3, N)
LABELS3 = {name: np.where(RNG.random(N) < p, Y3, RNG.integers(0, 3, N)) for name, p in (("a", 0.7), ("b", 0.5))}
P3 = {name: RNG.dirichlet([1, 1, 1], N) for name in "ab"}
RUNS = {"a": RNG.normal(0.1, 1, (N, 3)), "b": RNG.normal(0, 1, (N, 4))}
DOCUMENTS = (np.arange(N) // 4).tolist()
CLUSTERED = op.BayesianBootstrap(cluster=DOCUMENTS)


def same(one: op.Comparison, other: op.Comparison) -> bool:
    return one == other and np.array_equal(one.draws, other.draws)


def test_every_way_to_give_scores_is_the_same() -> None:
    plain = op.compare_scores(TWO, cluster=DOCUMENTS, rope=0.1, draws=500, rng=0)
    items = [f"q{k}" for k in range(N)]
    order = default_rng(0).permutation(N).tolist()
    by_id = {"a": dict(zip(items, A, strict=True)), "b": {items[k]: float(B[k]) for k in order}}
    documents = {items[k]: DOCUMENTS[k] for k in order}
    ways: dict[str, op.Comparison] = {
        "lists": op.compare_scores({"a": A.tolist(), "b": B.tolist()}, cluster=DOCUMENTS, rope=0.1, draws=500, rng=0),
        "ids": op.compare_scores(by_id, cluster=documents, rope=0.1, draws=500, rng=0),
        "column": op.compare_scores({"a": A[:, None], "b": B}, cluster=DOCUMENTS, rope=0.1, draws=500, rng=0),
        "model": op.compare_scores(TWO, model=CLUSTERED, rope=0.1, draws=500, rng=0),
        "logs": op.compare_scores(Scores("score", TWO, tuple(items), tuple(DOCUMENTS)), rope=0.1, draws=500, rng=0),
    }
    for way, r in ways.items():
        assert same(r, plain), way


def test_logs_name_the_measure_and_may_be_clustered_anew() -> None:
    scores = Scores("ndcg_cut_10", TWO, tuple(range(N)), tuple(DOCUMENTS))
    r = op.compare_scores(scores, draws=200, rng=0)
    assert (r.measure, r.average, r.items) == ("ndcg_cut_10", "mean", N)
    assert "|clusters:60|" in r.signature
    assert "|clusters:2|" in op.compare_scores(scores, cluster=Y, draws=200, rng=0).signature
    assert op.compare_scores(scores, measure="nDCG", draws=200, rng=0).measure == "nDCG"


def test_strata_by_id() -> None:
    by_id = {name: dict(enumerate(scores)) for name, scores in TWO.items()}
    r = op.compare_scores(by_id, strata=dict(enumerate(Y.tolist())), draws=500, rng=0)
    assert same(r, op.compare_scores(TWO, strata=Y, draws=500, rng=0))
    assert "|strata:2|" in r.signature


def test_clusters_beside_a_model_of_strata() -> None:
    part = [k // 120 for k in range(N)]
    r = op.compare_scores(TWO, cluster=DOCUMENTS, model=op.BayesianBootstrap(strata=part), draws=500, rng=0)
    assert same(r, op.compare_scores(TWO, cluster=DOCUMENTS, strata=part, draws=500, rng=0))
    assert "|clusters:60|strata:2|" in r.signature


def test_runs_by_id_and_in_a_table() -> None:
    by_id = {name: {k: list(row) for k, row in enumerate(scores)} for name, scores in RUNS.items()}
    r, s = (op.compare_scores(scores, draws=500, rng=0) for scores in (RUNS, by_id))
    assert same(r, s)
    assert r.a.observed == pytest.approx(RUNS["a"].mean())
    assert r.variance is not None
    assert r.variance["items"] > 0
    assert r.frequentist == {}
    assert r.outlook is None


@settings(max_examples=20)
@given(scale=st.floats(0.01, 100), shift=st.floats(-50, 50), seed=st.integers(0, 1000))
def test_another_unit_of_the_score_is_another_unit_of_the_answer(scale: float, shift: float, seed: int) -> None:
    rng = default_rng(seed)
    a, b = rng.random(30), rng.random(30)
    r = op.compare_scores({"a": a, "b": b}, draws=200, rng=seed)
    s = op.compare_scores({"a": scale * a + shift, "b": scale * b + shift}, draws=200, rng=seed)
    np.testing.assert_allclose(s.draws, scale * r.draws + shift, rtol=1e-9, atol=1e-9)


def test_scores_of_0_and_1_are_counted() -> None:
    """The same draws, tests and Bayes factors as the recall of items that are all of one class."""
    counts = op.Counts.from_labels(np.ones(N, dtype=int), RIGHT, labels=[0, 1])
    exact = op.compare(counts, measure="recall", rope=0.05, rng=0)
    r = op.compare_scores(RIGHT, measure="exact_match", rope=0.05, rng=0)
    assert r.measure == "exact_match"
    assert same(replace(r, measure="recall", signature=exact.signature), exact)
    assert r.signature == exact.signature.replace("measure:recall", "measure:exact_match")
    assert r.a.observed == pytest.approx(RIGHT["a"].mean())
    assert (r.model, r.prior) == ("paired", "light")
    assert op.compare_scores({name: right.astype(bool) for name, right in RIGHT.items()}, rng=0).model == "paired"
    assert op.compare_scores(RIGHT, model=op.Unpaired("jeffreys"), rng=0).prior == "jeffreys"


@pytest.mark.parametrize("more", [{"cluster": DOCUMENTS}, {"strata": Y}, {"model": "bootstrap"}, {"model": CLUSTERED}])
def test_scores_of_0_and_1_that_hang_together_are_weighed(more: dict[str, Any]) -> None:
    r = op.compare_scores(RIGHT, rope=0.05, draws=500, rng=0, **more)
    assert (r.model, r.average) == ("bootstrap", "mean")


def test_scores_of_0_and_1_can_be_planned_with() -> None:
    few = {name: right[:60] for name, right in RIGHT.items()}
    r = op.compare_scores(few, rope=0.02, rng=0)
    assert r.outlook is not None
    assert r.outlook.items is not None
    assert "more items like these would bring a verdict" in r.to_text(verbose=True)
    plan = r.more_data(studies=200)
    assert plan.items is not None
    assert 0.2 < plan.items / r.outlook.items < 5


def test_other_scores_have_an_outlook_but_no_simulated_plan() -> None:
    r = op.compare_scores(TWO, rope=0.05, rng=0)
    assert verdict(r).startswith("slightly")
    assert r.outlook is not None
    assert "more items like these" in r.to_text()
    assert "outperform plan" not in r.to_text(verbose=True)
    with pytest.raises(
        ValueError, match=r"cannot simulate this comparison: .*scores of items.*or the estimate of outlook"
    ):
        r.more_data()


def test_losses_are_better_when_they_are_low() -> None:
    r = op.compare_scores({"a": A, "b": B + 1}, greater_is_better=False, rope=0.1, draws=500, rng=0)
    assert r.delta.mean < 0
    assert verdict(r) == "better"
    wrong = {name: 1 - right for name, right in RIGHT.items()}
    assert verdict(op.compare_scores(wrong, greater_is_better=False, rope=0.0, rng=0)) == verdict(
        op.compare_scores(RIGHT, rope=0.0, rng=0)
    )


@pytest.mark.parametrize("kind", ["runs", "clusters", "counted", "roc_auc", "per_class"])
def test_json_round_trip(kind: str) -> None:
    if kind == "per_class":
        rows = op.compare(Y3, LABELS3, average="per_class", model=CLUSTERED, rope=0.1, draws=300, rng=0)
        assert op.PerClass.from_dict(json.loads(rows.to_json()), op.Comparison) == rows
        return
    r = {
        "runs": lambda: op.compare_scores(RUNS, cluster=DOCUMENTS, rope=0.1, draws=300, rng=0),
        "clusters": lambda: op.compare_scores(TWO, cluster=DOCUMENTS, draws=300, rng=0),
        "counted": lambda: op.compare_scores(RIGHT, rope=0.1, draws=300, rng=0),
        "roc_auc": lambda: op.compare(Y, TWO, measure="roc_auc", rope=0.1, draws=300, rng=0),
    }[kind]()
    again = op.Comparison.from_dict(json.loads(r.to_json()))
    assert again == r
    assert (again.variance is not None) is (kind == "runs")
    assert r.to_dict()["variance"] == r.variance
    with pytest.raises(ValueError, match="read back without its draws"):
        again.with_rope(0.2)


def test_another_rope_and_mass() -> None:
    r = op.compare_scores(TWO, draws=500, rng=0)
    assert r.decision is None
    assert verdict(r.with_rope(20)) == "equivalent"
    assert r.with_mass(0.5).delta.hdi[0] > r.delta.hdi[0]
    assert op.compare(Y, TWO, measure="mae", rope=5, draws=200, rng=0).rope == r.with_rope(5).rope
    with pytest.raises(
        ValueError,
        match=re.escape("rope must lie between -1 and 1, got 2; it is in units of the measure; did you mean 0.02?"),
    ):
        op.compare(Y, TWO, measure="roc_auc", draws=200, rng=0).with_rope(2)


def test_signatures_hold_what_changes_the_numbers() -> None:
    model = op.BayesianBootstrap(cluster=DOCUMENTS, strata=[k // 40 for k in range(N)])
    r = op.compare(Y, TWO, measure="roc_auc", model=model, rope=0.01, draws=300, mass=0.9, rng=11)
    for part in ("model:bootstrap", "clusters:60", "strata:6", "measure:roc_auc", "average:binary", "positive:1",
                 "draws:300", "seed:11", "mass:0.9", "rope:-0.01,0.01", "n:240"):  # fmt: skip
        assert part in r.signature.split("|")
    assert "average:macro" in op.compare(Y3, P3, measure="roc_auc", draws=50, rng=0).signature


def test_a_reader_finds_what_was_done() -> None:
    text = op.compare(Y, TWO, measure="roc_auc", rope=0.02, rng=0).to_text(verbose=True)
    for part in (
        "roc_auc ",
        "observed",
        "Classical p-values: DeLong ",
        "paired bootstrap ",
        "bootstrap model",
        "240 items",
    ):
        assert part in text
    text = op.compare_scores(RUNS, measure="bleu", cluster=DOCUMENTS, rope=0.1, rng=0).to_text(verbose=True)
    for part in (
        "mean bleu",
        "Note: 60 clusters are resampled whole; they hold 240 items.",
        "Note: Runs are resampled as well as items (3 and 4).",
        "Where the variance of the difference comes from: items ",
    ):
        assert part in text
    few = op.compare_scores({"a": A[:9], "b": B[:9]}, draws=200, rng=0)
    assert few.notes[0] == "The scores rest on only 9 items: too few for a verdict."


@pytest.mark.parametrize("average", ["binary", "macro", "micro", "weighted"])
def test_labels_in_clusters_of_one_are_the_plain_bootstrap(average: str) -> None:
    truth, two = (Y, LABELS) if average == "binary" else (Y3, LABELS3)
    alone = op.BayesianBootstrap(cluster=range(N), prior="haldane")
    by_item: Any = op.compare(truth, two, average=average, model=alone, draws=5_000, rng=0)
    by_count: Any = op.compare(truth, two, average=average, model="bootstrap", draws=5_000, rng=1)
    for score, other, guess in zip((by_item.a, by_item.b), (by_count.a, by_count.b), two.values(), strict=True):
        assert score.observed == pytest.approx(metrics.f1_score(truth, guess, average=average))
        assert score.observed == pytest.approx(other.observed)
    for one, other in zip(by_item.draws.T, by_count.draws.T, strict=True):
        assert stats.ks_2samp(one, other).pvalue > 1e-4
    assert stats.ks_2samp(-np.diff(by_item.draws)[:, 0], -np.diff(by_count.draws)[:, 0]).pvalue > 1e-4


def test_each_class_in_clusters() -> None:
    rows = op.compare(Y3, LABELS3, average="per_class", model=CLUSTERED, rope=0.1, draws=2_000, rng=0)
    by_class = [metrics.f1_score(Y3, guess, average=None) for guess in LABELS3.values()]
    assert [row.class_ for row in rows] == [0, 1, 2]
    for row, a, b in zip(rows, *by_class, strict=True):
        assert (row.a.observed, row.b.observed) == (pytest.approx(a), pytest.approx(b))
        assert "clusters:60" in row.signature
    one = op.compare(Y3, LABELS3, pos_label=2, model=CLUSTERED, rope=0.1, draws=2_000, rng=0)
    np.testing.assert_array_equal(one.draws, rows[2].draws)
    mcc = op.compare(Y3, LABELS3, measure="mcc", model=CLUSTERED, draws=200, rng=0)
    assert mcc.a.observed == pytest.approx(metrics.matthews_corrcoef(Y3, LABELS3["a"]))


def test_an_estimate_is_one_side_of_a_comparison() -> None:
    """Nothing merges here, so that the same seed gives the same weights; unobserved units are redrawn."""
    for model in (None, CLUSTERED):
        r = op.compare(Y, TWO, measure="roc_auc", model=model, draws=5_000, rng=0)
        for name, score in (("a", r.a), ("b", r.b)):
            e = op.estimate(Y, {name: TWO[name]}, measure="roc_auc", model=model, draws=5_000, rng=0)
            assert e.observed == score.observed
            assert abs(e.mean - score.mean) < 3 * score.sd * np.sqrt(2 / 5_000)
            assert e.sd == pytest.approx(score.sd, rel=3 / np.sqrt(5_000))
    rows = op.estimate(Y3, LABELS3["a"], average="per_class", model=CLUSTERED, draws=200, rng=0)
    assert [row.class_ for row in rows] == [0, 1, 2]
    assert "clusters:60" in rows.signature


def test_a_difference_that_all_items_share_is_a_difference() -> None:
    """No item was observed on which they differ, which leaves about 3/n of the range of the scores."""
    r = op.compare_scores({"a": A + 1, "b": A}, rope=0.1, draws=5_000, rng=0)
    assert r.delta.hdi == pytest.approx((1, 1), abs=4 * np.ptp(A) / len(A))
    assert r.delta.hdi != pytest.approx((1, 1), abs=2 * np.ptp(A) / len(A))
    assert verdict(r) == "better"


def test_few_runs_leave_the_headline_near_what_was_observed() -> None:
    rng = default_rng(3)
    two = {"a": rng.normal(0, 1, (60, 2)) + rng.normal(0, 0.3, 2), "b": rng.normal(0, 1, 60)}
    deltas = [op.compare_scores(two, draws=50_000, rng=seed).delta for seed in range(4)]
    assert np.ptp([delta.median for delta in deltas]) < 0.01
    assert np.ptp([delta.mean for delta in deltas]) < 0.01
    assert max(delta.sd for delta in deltas) < 2 * min(delta.sd for delta in deltas)


def test_classical_tests_know_of_strata() -> None:
    stratum = np.repeat([0, 1], 200)
    a, b = 10.0 * stratum + default_rng(0).normal(0, 1, 400), np.full(400, 4.8)
    r = op.compare_scores({"a": a, "b": b}, strata=stratum, draws=2_000, rng=0)
    assert r.delta.p_greater > 0.99
    assert all(p is None or p < 0.05 for test, p in r.frequentist.items() if test.startswith("paired"))


def test_where_nothing_is_relevant_there_is_nothing_to_test() -> None:
    r = op.compare(0 * Y, TWO, measure="ndcg", model=CLUSTERED, draws=200, rng=0)
    assert r.frequentist == {"paired_bootstrap": 1.0}


def with_first(value: Any, column: Any = A) -> list[Any]:
    return [value, *list(column)[1:]]


def ranked(truth: Any, outputs: Any = TWO, *, measure: str = "roc_auc", **more: Any) -> Callable[[], Any]:
    return lambda: op.compare(truth, outputs, measure=measure, draws=50, rng=0, **more)


def scored(scores: Any, **more: Any) -> Callable[[], Any]:
    return lambda: op.compare_scores(scores, draws=50, rng=0, **more)


def in_clusters(**groups: Any) -> Callable[[], Any]:
    return lambda: op.compare(Y, LABELS, model=op.BayesianBootstrap(**groups))


COUNTS = op.Counts.from_labels(Y, LABELS)
FIVE = {name: dict.fromkeys(range(5), 1.5) for name in "ab"}
SHIFTED = {"a": FIVE["a"], "b": dict.fromkeys(range(2, 7), 1.5)}
CERTAIN = LABELS["b"]
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "nan": (ranked(Y, {"a": with_first(np.nan), "b": B}), "'a' has no finite number at 1 of 240 positions (0);"),
    "none": (scored({"a": A, "b": with_first(None)}), "classifier 'b' has no finite number at 1 of 240 positions (0)"),
    "digits": (scored({"a": A, "b": with_first(10**400)}), "classifier 'b' has no finite number at 1 of 240"),
    "masked": (scored({"a": np.ma.array(A, mask=A[0] == A), "b": B}), "'a' has no finite number at 1 of 240 positions"),
    "masked probabilities": (ranked(Y, {"a": np.ma.masked_less(A, 0.01), "b": B}), "'a' has no finite number at "),
    "infinity": (scored({"a": with_first(np.inf), "b": B}), "classifier 'a' has no finite number at 1 of 240"),
    "constant": (ranked(Y, {"a": A, "b": 0 * Y}), "'b' gives every item the score 0, which does not rank them;"),
    "one class": (ranked(0 * Y), "the truth has a single class (0); add items of the other"),
    "no cluster": (in_clusters(cluster=with_first(None, Y)), "cluster has no label at position 0 (None or NaN); drop"),
    "nan cluster": (scored(TWO, cluster=with_first(np.nan, Y)), "cluster has no label at position 0 (None or NaN);"),
    "few clusters": (scored(TWO, cluster=Y[1:]), "cluster has 239 ids but there are 240 items; give one for each"),
    "few strata": (in_clusters(strata=Y[1:]), "strata has 239 ids but there are 240 items; give one for each"),
    "no strata": (in_clusters(strata=with_first(None, Y)), "strata has no label at position 0 (None or NaN); drop"),
    "across": (scored(TWO, cluster=DOCUMENTS, strata=Y), "a cluster has items of several strata; clusters are"),
    "twice": (scored(TWO, cluster=Y, model=CLUSTERED), "cluster is given twice, to the model and as an argument"),
    "other items": (scored(SHIFTED), "2 items of classifier 'a' have no score from classifier 'b': 0, 1; both must be"),
    "another item": (scored({"a": {1: 1, 2: 1}, "b": {1: 1}}), "1 item of classifier 'a' has no score from classifier"),
    "ids for one": (scored({"a": FIVE["a"], "b": [1]}), "classifier 'b' has scores without ids where others have {id"),
    "cluster without ids": (scored(FIVE, cluster=[1] * 5), "scores go by id, so cluster must too; give it as {id: …}"),
    "cluster lacks ids": (scored(FIVE, cluster={1: 1}), "cluster lacks 4 of 5 items: 0, 2, 3, 4; give one for each"),
    "only cluster by id": (scored(TWO, cluster={1: 1}), "cluster and strata by id need scores by id; give all of them"),
    "logits": (ranked(Y, {"a": 9 * Y, "b": CERTAIN}, measure="log_loss"), "expected; turn logits into probabilities f"),
    "sums": (ranked(Y3, {"a": P3["a"], "b": 2 * P3["b"] / 3}, measure="log_loss"), "divide those of each item by thei"),
    "above 1": (ranked(Y, {"a": 1.25 * Y, "b": CERTAIN}, measure="log_loss"), "'a' holds 1.25 where probabilities bet"),
    "below 0": (ranked(Y, {"a": -0.5 * Y, "b": CERTAIN}, measure="brier"), "'a' holds -0.5 where probabilities"),
    "sum": (ranked(Y3, {"a": P3["a"], "b": 0.9 * P3["b"]}, measure="ece"), "'b' has probabilities that add up to 0.9"),
    "two columns": (ranked(Y3, {"a": P3["a"], "b": P3["b"][:, 1:]}), "'b' gives 2 numbers per item, but there are 3"),
    "one column": (ranked(Y3, measure="top_2_accuracy"), "'a' gives one number per item, but there are 3 classes (0,"),
    "words": (ranked(Y, {"a": ["x"] * N, "b": B}), "'a' holds text where numbers are expected"),
    "a word": (scored({"a": "abc", "b": B}), "classifier 'a' must be a sequence of numbers, got str"),
    "counts": (lambda: op.compare(COUNTS, measure="roc_auc"), "roc_auc is computed from items; give truth and outputs"),
    "paired": (ranked(Y, model="paired"), "roc_auc is computed from items, which only the bootstrap models"),
    "unpaired": (scored(TWO, model=op.Unpaired()), "score is computed from items, which only the bootstrap models"),
    "plan": (lambda: op.plan(COUNTS, rope=0.1, measure="roc_auc"), "roc_auc is computed from items, not from counts"),
    "power": (lambda: op.power(COUNTS, [9], rope=0.1, measure="mrr@10"), "mrr@10 is computed from items"),
    "no systems": (scored({}), "there is no classifier; give at least one"),
    "short": (ranked(Y[1:]), "classifier 'a' has 240 items but truth has 239; give one for each item"),
    "short scores": (scored({"a": A, "b": B[1:]}), "classifier 'b' has 239 items but classifier 'a' has 240; give one"),
    "average": (ranked(Y, average="macro"), 'average="macro" does not apply to roc_auc of these items; leave it out'),
    "per_class": (ranked(A, measure="mae", average="per_class"), 'average="per_class" does not apply to mae of these'),
    "rope": (ranked(Y, rope=2), "got 2; it is in units of the measure; did you mean 0.02?"),
    "infinite rope": (scored(TWO, rope=np.inf), "rope must be finite, got inf"),
    "three": (scored({**TWO, "c": A}), "compare takes two classifiers, got 3: 'a', 'b', 'c'; rank takes any number"),
    "estimate two": (lambda: op.estimate(Y, TWO, measure="roc_auc"), "estimate takes one classifier, got 2: 'a', 'b'"),
    "clustered counts": (lambda: op.compare(COUNTS, model=CLUSTERED), "cluster= and strata= need items; give truth"),
    "gain": (ranked(Y - 1, measure="ndcg", model=CLUSTERED), "truth holds the gain -1; gains are 0 for what is not"),
    "pos_label": (ranked(A, measure="mae", pos_label=1), "numbers have no labels; leave labels= and pos_label out"),
    "cube": (scored({"a": np.ones((2, 2, 2)), "b": [1, 2]}), "classifier 'a' has shape (2, 2, 2); give one number per"),
    "table": (ranked(A, P3, measure="mse"), "classifier 'a' has shape (240, 3); give one number per item"),
    "no items": (ranked([], {"a": [], "b": []}), "there are no items; give at least one"),  # a message of numpy's
    "no scores": (scored({"a": [], "b": []}), "there are no items; give at least one"),
    "quoted": (scored({"a": [str(x) for x in A], "b": B}), "'a' holds text where numbers are expected"),
    "complex": (scored({"a": A * 1j, "b": B}), "'a' holds something that is not a number; give one number per item"),
    "complex truth": (ranked(A * 1j, measure="mae"), "truth holds something that is not a number"),
    "times": (scored({"a": np.arange(N, dtype="m8[s]"), "b": B}), "'a' holds something that is not a number"),
    "ragged": (scored({"a": [[1, 2], [3]], "b": [1, 2]}), "'a' holds something that is not a number"),
    "unknown": (ranked(Y, measure="rocauc"), "unknown measure 'rocauc'; did you mean 'roc_auc'?"),  # asks for labels
    "no queries": (ranked(Y, measure="ndcg"), "model=op.BayesianBootstrap(cluster=query_ids)"),  # 0/0
    "same numbers": (ranked(np.ones(N), measure="r2"), "truth"),  # 1/0
    "empty class": (ranked(Y, P3, labels=[0, 1, 2]), "class"),  # 0/0
}  # fmt: skip


@pytest.mark.parametrize("wrong", BAD)
def test_bad_input_gets_one_sentence(wrong: str) -> None:
    ask, sentence = BAD[wrong]
    with pytest.raises((ValueError, TypeError), match=re.escape(sentence)):
        ask()


def test_an_unknown_measure_lists_those_of_items_too() -> None:
    with pytest.raises(ValueError, match="unknown measure 'recal'; did you mean 'recall'") as error:
        op.compare(Y, LABELS, measure="recal")
    assert all(name in str(error.value) for name in ITEM_MEASURES)


@pytest.mark.parametrize(
    ("scores", "rope", "remark"),
    [
        ({"a": 100 * A, "b": 100 * B}, 0.01, "but the ROPE is ±0.01: a ROPE is in units of the scores."),
        ({"a": A, "b": B}, (-50, 60), "The ROPE, [-50, 60], is wider than the difference of any two scores"),
    ],
)
def test_a_rope_in_another_unit_is_remarked_on(scores: Any, rope: Any, remark: str) -> None:
    r = op.compare_scores(scores, rope=rope, draws=200, rng=0)
    assert any(remark in note for note in r.notes)
    assert not any("units of the scores" in note for note in r.with_rope(0.1 * float(np.ptp(scores["a"]))).notes)


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_runs_that_differ_as_much_as_items_have_the_interval_of_students_t(runs: int) -> None:
    """The variance of all scores is no bound there: it contains that of the runs, and of two runs half on average."""
    rng = np.random.default_rng(0)
    scores = [rng.normal(0, 1, (1, runs)) + rng.normal(0, 0.2, (50, 1)) for _ in range(2)]
    found = Runs.of(scores, np.zeros(0, dtype=np.int64))
    assert found is not None
    added = found.draw(rng, 40_000)
    scale = np.sqrt(np.mean([system[0].var(ddof=1) for system in scores]) * 2 / runs)
    reach = np.quantile(np.abs(added[:, 0] - added[:, 1]), 0.95)
    assert reach == pytest.approx(stats.t.ppf(0.975, 2 * (runs - 1)) * scale, rel=0.1)


def test_items_are_resampled_for_a_p_value_when_it_is_read() -> None:
    result = op.compare(Y, {"a": A, "b": B}, measure="roc_auc", rope=0.05)
    unread = pickle.dumps(result)
    assert not made(result, "frequentist")
    assert str(result.with_rope(0.1))
    assert not made(result, "frequentist")
    tests = result.frequentist
    assert set(tests) == {"delong", "paired_bootstrap"}
    assert pickle.loads(unread).frequentist == tests == result.with_rope(0.1).frequentist
