"""Multi-label tasks: counting, models and errors."""

from __future__ import annotations

import json
import re
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.random import SeedSequence, default_rng
from scipy import sparse, stats
from sklearn.metrics import f1_score, jaccard_score, precision_score, recall_score

import outperform as op
from outperform.data.input import Input
from outperform.measures.of_counts import MEASURES
from outperform.models.eta import learn
from tests import command

pytestmark = pytest.mark.usefixtures("few_draws")

ERRORS = 4
ITEMS, LABELS = 300, 6
RNG = default_rng(5)
Y = RNG.random((ITEMS, LABELS)) < np.linspace(0.02, 0.5, LABELS)


def noisy(recall: float, alarm: float) -> Any:
    return np.where(Y, RNG.random(Y.shape) < recall, RNG.random(Y.shape) < alarm)


A, B = noisy(0.8, 0.03), noisy(0.7, 0.05)
TWO = {"a": A, "b": B}
COUNTS = op.Counts.from_label_sets(Y, TWO)
SEED = SeedSequence(3)


def sets(table: Any) -> list[set[int]]:
    return [set(np.flatnonzero(row).tolist()) for row in table]


def same(one: op.Counts, other: op.Counts) -> bool:
    return one.groups == other.groups and one.same_cells(other)


# Each average, and each measure of labels and of items.
@pytest.mark.parametrize(
    ("measure", "theirs", "average"),
    [
        *(("f1", f1_score, average) for average in ("micro", "macro", "weighted", "samples")),
        *(("precision", precision_score, average) for average in ("macro", "samples")),
        *(("recall", recall_score, average) for average in ("macro", "samples")),
        *(("jaccard", jaccard_score, average) for average in ("weighted", "samples")),
    ],
)
def test_observed_averages_are_scikit_learns(measure: str, theirs: Any, average: str) -> None:
    r: Any = op.compare(Y, TWO, measure=measure, average=average, rng=0, draws=10)
    for score, table in ((r.a, A), (r.b, B)):
        assert score.observed == pytest.approx(theirs(Y, table, average=average, zero_division=0))


def test_every_way_to_give_them_counts_the_same() -> None:
    ways = {
        "sparse": (sparse.csr_array(Y), {name: sparse.csr_array(t) for name, t in TWO.items()}),
        "numbers": (Y.astype(int), {name: t.astype(float) for name, t in TWO.items()}),
        "frames": (pd.DataFrame(Y), {name: pd.DataFrame(t) for name, t in TWO.items()}),
        "lists": (Y.astype(int).tolist(), {name: t.astype(int).tolist() for name, t in TWO.items()}),
        "sets": (sets(Y), {name: sets(t) for name, t in TWO.items()}),
    }
    assert COUNTS.items == ITEMS
    for name, (truth, predictions) in ways.items():
        assert same(op.Counts.from_label_sets(truth, predictions), COUNTS), name


def test_a_frame_names_the_labels() -> None:
    names = list("uvwxyz")
    frames = [pd.DataFrame(t, columns=names) for t in (Y, A)]
    counts = op.Counts.from_label_sets(frames[0], {"a": frames[1]})
    assert counts.groups == tuple(names)
    assert counts.binary("x").labels == ("not x", "x")


def test_verbs_recognise_label_sets() -> None:
    by_matrix = op.compare(Y, TWO, average="macro", rng=0, draws=500)
    by_sets = op.compare(sets(Y), {name: sets(t) for name, t in TWO.items()}, average="macro", rng=0, draws=500)
    assert by_matrix == by_sets
    assert op.estimate(Y, A, average="macro", rng=0, draws=500).items == ITEMS


@pytest.mark.parametrize("kind", [op.Paired, op.Unpaired])
@pytest.mark.parametrize("prior", ["uniform", "jeffreys"])
def test_each_label_has_the_binary_model(kind: Any, prior: str) -> None:
    model = kind(prior)
    together = model.posterior(COUNTS).scores(MEASURES["f1"], draws=20_000, seed=SEED)
    for k in (0, LABELS - 1):
        alone = model.posterior(COUNTS.binary(k)).scores(MEASURES["f1"], draws=20_000, seed=SeedSequence(9))
        for one, other in ((together[:, 0, k], alone[:, 0]), (np.diff(together[..., k])[:, 0], np.diff(alone)[:, 0])):
            assert stats.ks_2samp(one, other).pvalue > 1e-4


def test_hierarchical_labels_share_their_rates() -> None:
    """Given η, the recall of a label is Beta(η + found, 1 − η + missed); η by the same grid, the rest by quadrature."""
    counts = op.Counts.from_label_sets(Y, {"a": A})
    drawn = op.Paired("hierarchical").posterior(counts).scores(MEASURES["recall"], draws=20_000, seed=SEED)[:, 0]
    found, missed = (Y & A).sum(axis=0).astype(float), (Y & ~A).sum(axis=0).astype(float)
    cells = np.concatenate([found, missed])
    right = np.repeat([True, False], LABELS)[:, None]
    eta = learn(right[cells > 0], cells[cells > 0], 2, 1.0, (1.0, 1.0))
    nodes = eta.low[0] + (np.arange(256) + 0.5) / 256 * (eta.high[0] - eta.low[0])
    weight = eta.probability / eta.probability.sum()
    for k in (0, 3):
        at = np.quantile(drawn[:, k], np.linspace(0.02, 0.98, 25))
        margin = stats.beta.cdf(at[:, None], nodes + found[k], 1 - nodes + missed[k]) @ weight
        below = (drawn[:, k] <= at[:, None]).mean(axis=1)
        assert (np.abs(below - margin) < ERRORS * np.sqrt(margin * (1 - margin) / len(drawn))).all()


def test_pooled_labels_look_like_all_labels() -> None:
    """A plain second sampler: π ~ Dir(½ + pooled shares of as many items as labels), then a Beta per label."""
    counts = op.Counts.from_label_sets(Y, {"a": A})
    drawn = op.Paired("pooled").posterior(counts).scores(MEASURES["recall"], draws=40_000, seed=SEED)[:, 0]
    found, missed = (Y & A).sum(axis=0), (Y & ~A).sum(axis=0)
    share = found.sum() / (found + missed).sum()
    rng = default_rng(8)
    eta = rng.beta(0.5 + LABELS * share, 0.5 + LABELS * (1 - share), 40_000)
    for k in (0, 4):
        plain = rng.beta(found[k] + 2 * eta, missed[k] + 2 * (1 - eta))
        assert stats.ks_2samp(drawn[:, k], plain).pvalue > 1e-4


@pytest.mark.parametrize("prior", ["uniform", "hierarchical", "pooled"])
def test_pairing_and_margins(prior: str) -> None:
    paired, unpaired = (
        op.compare(COUNTS, average="macro", model=kind(prior), rng=0, draws=20_000) for kind in (op.Paired, op.Unpaired)
    )
    assert paired.delta.sd < 1.01 * unpaired.delta.sd
    if prior == "pooled":
        for one, other in ((paired.a, unpaired.a), (paired.b, unpaired.b)):
            assert abs(one.mean - other.mean) < ERRORS * one.sd * sqrt(2 / 20_000) + 2e-3


def test_swapping_flips_the_sign() -> None:
    r, s = op.compare(COUNTS, average="macro", rng=0), op.compare(COUNTS.select([1, 0]), average="macro", rng=0)
    np.testing.assert_array_equal(r.draws, s.draws[:, ::-1])


def test_identical_label_sets_are_never_told_apart() -> None:
    for seed in range(10):
        r = op.compare(Y, {"a": A, "b": A}, average="micro", rope=0.001, rng=seed, draws=2_000)
        assert r.decision is not None
        assert r.decision.name in ("equivalent", "undecided")


def test_pooled_labels_have_no_test_because_those_of_an_item_are_not_independent() -> None:
    """Equal systems that get whole items wrong had p < 0.05 in 28% of data sets."""
    three = {**TWO, "c": noisy(0.6, 0.05)}
    assert op.compare(COUNTS, average="micro", rng=0, draws=50).frequentist == {}
    assert op.rank(Y, three, average="micro", rng=0, draws=50).frequentist == {}
    assert op.rank(Y, three, average="macro", rng=0, draws=50).frequentist == {}
    alone = op.compare(Y[:, 5], {name: said[:, 5] for name, said in TWO.items()}, rng=0, draws=50)
    for one in (op.compare(COUNTS, average="per_class", rng=0, draws=50)[5], op.compare(COUNTS, pos_label=5, rng=0)):
        assert one.frequentist == alone.frequentist
        assert set(one.frequentist) == {"sign_test", "t_test", "mcnemar", "mcnemar_corrected"}


def test_per_label_and_one_label() -> None:
    rows = op.compare(COUNTS, average="per_class", rope=0.05, rng=0)
    assert [row.class_ for row in rows] == list(range(LABELS))
    assert op.compare(COUNTS, pos_label=3, rope=0.05, rng=0).delta == rows[3].delta


def test_drivers_are_labels() -> None:
    r = op.compare(COUNTS, average="macro", rng=0)
    assert sum(d.delta for d in r.drivers) == pytest.approx(r.delta.mean)
    assert {d.class_ for d in r.drivers} == set(range(LABELS))


BAD: list[tuple[Any, Any, type[Exception], str]] = [
    ([[1, 0, 1], [1, 0]], [[1, 0, 1], [1, 0, 0]], ValueError, "truth has 2 values in row 1 and 3 in row 0"),
    ([[1, 0], [0, 1]], [[1, 0], [0, 1]], ValueError, r"may be an indicator matrix or label sets; give np\.array\(…\)"),
    (Y, A[:10], ValueError, "classifier 'a' has 10 items but truth has 300; give one row per test item"),
    (Y, A[:, :3], ValueError, "classifier 'a' has 3 columns for 6 labels; give one column per label"),
    (Y, A * 0.3, ValueError, "holds 0.3; an indicator matrix holds 0 and 1: turn probabilities into labels"),
    (Y, np.where(A, np.nan, 0), ValueError, "holds nan; an indicator matrix holds 0 and 1"),
    (Y, -A.astype(int), ValueError, "holds -1; an indicator matrix holds 0 and 1"),
    ([{"x"}, {"y"}], [{"x"}, {"z"}], ValueError, "classifier 'a' has the label 'z', which is not in the truth"),
    ([{"x"}, {"y"}], np.eye(2), ValueError, "truth is given as label sets and classifier 'a' as an indicator matrix"),
    ([{"x"}, "y"], [{"x"}, {"y"}], TypeError, "truth holds 'y' at position 1; give a set of labels for each item"),
    ([set(), set()], [set(), set()], ValueError, "the truth has no label anywhere"),
    (np.zeros((0, 3)), np.zeros((0, 3)), ValueError, "there are no items"),
    (Y, np.ma.masked_array(A, mask=A), ValueError, "classifier 'a' holds nan; an indicator matrix holds 0 and 1"),
    (np.where(Y, 1, np.array(pd.NA)), A, ValueError, "truth holds <NA>; an indicator matrix holds 0 and 1"),
]  # fmt: skip


@pytest.mark.parametrize(("truth", "prediction", "error", "sentence"), BAD)
def test_bad_label_sets_get_one_sentence(truth: Any, prediction: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        op.compare(truth, {"a": prediction, "b": prediction}, average="macro")


def test_an_average_is_needed() -> None:
    with pytest.raises(
        ValueError, match="an item may have any of 6 labels: give average= as micro, macro, weighted, samples or"
    ):
        op.compare(Y, TWO)
    with pytest.raises(ValueError, match="an item may have any of 6 labels"):
        op.compare(Y, TWO, measure="accuracy")


def test_haldane_needs_every_label_somewhere() -> None:
    with pytest.raises(
        ValueError, match="no weight where a label is never or always there; use the uniform or the jef"
    ):
        op.compare([{1}, {2}, {1}], {"a": [{1}, {2}, set()], "b": [{1}, {2}, {1}]}, labels=[1, 2, 3], average="macro",
                   model=op.Paired("haldane"))  # fmt: skip


def test_files_with_a_separator_and_json_lists(tmp_path: Path) -> None:
    csv = tmp_path / "p.csv"
    csv.write_text("gold,a\ncat; dog,cat\n,dog\ndog,dog\n", encoding="utf-8")
    jsonl = tmp_path / "p.jsonl"
    jsonl.write_text(
        '{"gold": ["cat", "dog"], "a": ["cat"]}\n{"gold": [], "a": ["dog"]}\n{"gold": ["dog"], "a": ["dog"]}\n',
        encoding="utf-8",
    )
    first = op.read_counts(csv, truth="gold", predictions=["a"], separator=";")
    second = op.read_counts(jsonl, truth="gold", predictions=["a"])
    assert first.groups == ("cat", "dog")
    assert same(first, second)
    with pytest.raises(op.DataError, match="the separator of labels is empty"):
        op.read_counts(csv, truth="gold", predictions=["a"], separator="")
    with pytest.raises(
        op.DataError, match="label sets are counted one row an item; leave n, weights, by= and missing= out"
    ):
        op.read_counts(csv, truth="gold", predictions=["a"], separator=";", n="a")


def test_columns_of_sets_lists_and_tuples() -> None:
    rows = [sorted(labels) for labels in sets(Y)]
    ways: dict[str, Any] = {
        "series of sets": pd.Series(sets(Y)),
        "object array": np.array([*sets(Y), None], dtype=object)[:-1],
        "polars lists": pl.Series(rows),
        "arrow lists": pa.array(rows),
        "tuples": [tuple(row) for row in rows],
    }
    for name, truth in ways.items():
        assert same(Input(truth, {"a": ways[name], "b": sets(B)}).counts().select([1]), COUNTS.select([1])), name
    frame = pl.DataFrame(Y.astype(int))
    by_frame, by_array = (Input(y, {"a": A}, frame.columns).counts() for y in (frame, Y))
    assert same(by_frame, by_array)


def test_one_truth_for_all() -> None:
    with pytest.raises(ValueError, match="that give label sets must share their items; give one truth for all of them"):
        op.compare({"a": Y, "b": Y}, TWO, average="macro")


def test_tuples_of_one_length_are_labels() -> None:
    y = [("a", 1), ("b", 2), ("a", 1), ("b", 2)]
    assert op.Counts.from_labels(y, {"p": y}).labels == (("a", 1), ("b", 2))
    assert Input(y, {"p": y}).counts().groups == ()


def test_samples_are_a_bayesian_bootstrap_of_items() -> None:
    r = op.compare(Y, TWO, measure="jaccard", average="samples", rng=0, draws=20_000)
    by_item = [jaccard_score(Y.T, table.T, average=None, zero_division=0) for table in (A, B)]
    weights = default_rng(6).dirichlet(np.ones(ITEMS), 20_000)
    for ours, score in zip(r.draws.T, by_item, strict=True):
        assert stats.ks_2samp(ours, weights @ score).pvalue > 1e-4
    assert stats.ks_2samp(r.draws[:, 0] - r.draws[:, 1], weights @ (by_item[0] - by_item[1])).pvalue > 1e-4
    assert (r.prior, r.items, r.bayes_factor.savage_dickey, r.frequentist) == ("haldane", ITEMS, None, {})
    swapped = op.compare(Y, {"b": B, "a": A}, measure="jaccard", average="samples", rng=0, draws=20_000)
    np.testing.assert_array_equal(swapped.draws, r.draws[:, ::-1])
    assert "jaccard" in r.to_text()


@pytest.mark.parametrize("model", [op.Paired("uniform"), op.Unpaired("uniform")], ids=str)
def test_counts_by_item_are_no_cells(model: Any) -> None:
    sentence = r"^counts by item are resampled whole; use model=op\.BayesianBootstrap\(\), or count the labels$"
    with pytest.raises(ValueError, match=sentence):
        model.posterior(op.Counts.from_label_sets(Y, TWO, by_item=True))


def test_samples_need_items() -> None:
    with pytest.raises(
        ValueError, match='average="samples" is for items that may have any number of labels; give label'
    ):
        op.compare(COUNTS, average="samples")
    with pytest.raises(ValueError, match='average="samples" is for items that may have any number of labels'):
        op.compare([1, 0, 1], {"a": [1, 0, 0], "b": [1, 0, 1]}, average="samples")
    with pytest.raises(ValueError, match='counts by item support only average="samples"'):
        op.compare(op.Counts.from_label_sets(Y, TWO, by_item=True), average="macro")
    with pytest.raises(
        ValueError, match=r"average=\"samples\" resamples whole items; use model=op.BayesianBootstrap\(\)"
    ):
        op.compare(Y, TWO, average="samples", model=op.Paired("uniform"))


def test_numbers_of_numpy_and_odd_tables_become_plain() -> None:
    counts = op.Counts.from_label_sets([{np.int64(1)}, {np.int64(2)}], {"a": [{1}, {2}]})
    assert [type(label) for label in counts.groups] == [int, int]
    objects = pd.DataFrame(Y.astype(int)).astype("Int64")
    assert same(op.Counts.from_label_sets(objects, TWO), COUNTS)
    for kind in (sparse.lil_array, sparse.dok_array):
        assert same(op.Counts.from_label_sets(kind(Y), TWO), COUNTS)


@pytest.mark.parametrize(
    ("truth", "error", "sentence"),
    [
        ([{None}, {"a"}], ValueError, "has no label at position"),
        ([{0.7}, {0.3}], ValueError, "numbers such as 0.7 where labels are expected"),
        (np.ones((3, 1)), ValueError, r"truth has shape \(3, 1\); give one label per item"),
    ],
)
def test_what_is_no_label_is_none_in_a_set_either(truth: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        op.compare(truth, {"a": truth, "b": truth}, average="macro")


def test_bold_answers_from_few_items_say_so() -> None:
    three = [{"a"}, {"b"}, {"a", "b"}]
    r = op.compare(three, {"x": three, "y": three}, average="samples", rope=0.01, rng=0)
    assert any(note == "The scores rest on only 3 non-empty units: too few for a verdict." for note in r.notes)
    with pytest.raises(ValueError, match="resamples whole items"):
        op.compare(Y, TWO, average="samples", model="unpaired")
    with pytest.raises(ValueError, match="counts by item do not distinguish labels"):
        op.Counts.from_label_sets(Y, TWO, by_item=True).binary(0)


def resampled_f1(weights: Any, truth: Any, said: Any, average: str) -> Any:
    """Return F1 under each row of weights of items, computed by hand."""
    hit, both = weights @ (truth & said), weights @ (truth.astype(int) + said)
    if average == "micro":
        return 2 * hit.sum(axis=1) / both.sum(axis=1)
    return np.average(2 * hit / both, axis=1, weights=weights @ truth if average == "weighted" else None)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
def test_the_bootstrap_weighs_items_and_not_labels(average: str) -> None:
    """Labels that are repeated five times add no information; their sampling error is that of the plain bootstrap."""
    rng = np.random.default_rng(0)
    gold = rng.random((300, 4)) < 0.4
    a, b = (np.where(rng.random(gold.shape) < right, gold, ~gold) for right in (0.85, 0.8))
    found = []
    for times in (1, 5):
        y, one, two = (np.repeat(table, times, axis=1) for table in (gold, a, b))
        r = op.compare(y, {"a": one, "b": two}, average=average, model="bootstrap", draws=10_000, rng=0)
        assert isinstance(r, op.Comparison)
        found.append(r.delta)
    once, five = found
    assert five.sd == pytest.approx(once.sd, rel=0.03)
    whole = resampled_f1(np.ones((1, 300)), gold, a, average)
    assert whole == pytest.approx(f1_score(gold, a, average=average))
    weights = rng.multinomial(300, np.full(300, 1 / 300), 2_000)
    one, two = (resampled_f1(weights, gold, x, average) for x in (a, b))
    assert once.sd == pytest.approx(np.std(one - two), rel=4 / np.sqrt(2 * 2_000))


def test_micro_averages_weigh_whole_items() -> None:
    """Labels that are repeated five times add no information, on the command line too."""
    rng = default_rng(7)
    gold = rng.random((200, 4)) < 0.3
    a, b = (gold ^ (rng.random(gold.shape) < p) for p in (0.1, 0.15))
    once, five = (
        op.compare(np.tile(gold, k), {"a": np.tile(a, k), "b": np.tile(b, k)}, average="micro", draws=10_000, rng=0)
        for k in (1, 5)
    )
    assert (once.model, five.model) == ("bootstrap", "bootstrap")
    assert five.delta.sd == pytest.approx(once.delta.sd, rel=0.03)
    ranked = op.rank(gold, {"a": a, "b": b, "c": gold}, average="micro", rng=0)
    alone = op.estimate(gold, {"a": a}, average="micro", draws=10_000, rng=0)
    assert (ranked.model, alone.model) == ("bootstrap", "bootstrap")
    assert alone.sd == pytest.approx(once.a.sd, rel=0.03)
    named = op.compare(gold, {"a": a, "b": b}, average="micro", model=op.Paired(prior="pooled"), rng=0)
    assert named.model == "paired"


def test_the_command_weighs_items_for_micro_averages_too(tmp_path: Path) -> None:
    rng = default_rng(8)
    gold = rng.random((60, 3)) < 0.4
    a, b = (gold ^ (rng.random(gold.shape) < p) for p in (0.1, 0.2))

    def text(row: Any) -> str:
        return " ".join(map(str, np.flatnonzero(row)))

    lines = [",".join(map(text, row)) for row in zip(gold, a, b, strict=True)]
    file = tmp_path / "sets.csv"
    file.write_text("\n".join(["gold,a,b", *lines]) + "\n", encoding="utf-8")
    options = ["--truth", "gold", "--predictions", "a", "b", "--separator", " ", "--average", "micro", "--seed", "0"]
    found = json.loads(command.run("compare", str(file), *options, "--format", "json").stdout)
    expected = op.compare(gold, {"a": a, "b": b}, average="micro", rng=0)
    assert found["model"] == "bootstrap"
    assert found["delta"]["mean"] == pytest.approx(expected.delta.mean, abs=1e-12)


def test_few_label_sets_that_differ_leave_room_for_others() -> None:
    rng = default_rng(9)
    gold = rng.random((100, 5)) < 0.3
    a = gold ^ (rng.random(gold.shape) < 0.1)
    b = a.copy()
    b[0, 0] ^= True
    near = op.compare(gold, {"a": a, "b": b}, average="micro", rope=0.005, rng=0)
    assert near.decision is not None
    assert near.decision.name != "equivalent"
    assert near.delta.hdi[0] < 0 < near.delta.hdi[1]


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_whole_items_are_weighed_by_default_for_micro_averages_of_labels_alone(average: str) -> None:
    sets = op.compare(Y, TWO, average=average, draws=100, rng=0)
    assert isinstance(sets, op.Comparison)
    assert sets.model == ("bootstrap" if average == "micro" else "paired")
    truth = np.arange(60) % 3
    classes = op.compare(truth, {"a": np.roll(truth, 1), "b": truth}, average=average, draws=100, rng=0)
    assert isinstance(classes, op.Comparison)
    assert classes.model == "paired"


@pytest.mark.parametrize("blank", ["NA", "nan", "", "None"])
def test_what_reads_as_no_label_is_refused_unless_it_is_declared(blank: str) -> None:
    truth, said = [{"x"}, {"x", blank}, {"y"}] * 4, [{"x"}, {"y"}, {"y"}] * 4
    told = (
        f"the truth has the label '{blank}', which reads as no label; leave it out of its set, or list every label "
        "with labels= if it is one"
    )
    with pytest.raises(ValueError, match=re.escape(told)):
        op.Counts.from_label_sets(truth, {"a": said})
    with pytest.raises(ValueError, match="it reads as no label: leave it out of its set, or list every label with"):
        op.Counts.from_label_sets(said, {"a": truth})
    assert op.Counts.from_label_sets(truth, {"a": said}, labels=["x", "y", blank]).groups == ("x", "y", blank)
