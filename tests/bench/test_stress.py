"""The simulation of worlds that differ in kind: its truths, rivals, halves and rows are what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal
from zlib import crc32

import numpy as np
import pytest
from bench.stress import page, run, small, summaries, worlds
from bench.stress.measuring import COLUMNS, measured, row_of
from bench.stress.pairs import Pair, patterns
from bench.stress.resampling import bca_interval, jackknife, percentile_interval, resampled
from bench.stress.split import TESTED, split
from bench.stress.world import Answer, Ask, Case, World, contradicted, ropes_at, verdict
from bench.stress.worlds import populations
from bench.stress.worlds.newsgroups import population
from numpy.random import Generator, default_rng
from scipy.stats import binom, bootstrap
from sklearn.metrics import f1_score, fbeta_score, precision_score, recall_score

import outperform as op
from bench import kept
from outperform.inference.baselines import items
from outperform.models.unseen import Unseen
from outperform.results.three_way import ScoreEvidence

pytestmark = pytest.mark.usefixtures("intervals_and_verdicts_alone")

TWINS = {"f1": f1_score, "precision": precision_score, "recall": recall_score}


@pytest.fixture(scope="module")
def intervals_and_verdicts_alone() -> Iterator[None]:
    """Little work on what no interval or verdict rests on: classical tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(items, "RESAMPLES", items.FEWEST_RESAMPLES)
        yield


def _drawn(rng: Generator) -> Case:
    """One normal number of mean 0.02."""
    return Case(rng.normal(0.02, 0.01), {"mean.delta": 0.02}, (0.01, 0.02))


def _known_spread(case: Case, ask: Ask) -> Sequence[Answer]:
    ends = case.data - 0.0196, case.data + 0.0196
    verdicts = tuple((rope, verdict(*ends, rope)) for rope in case.ropes)
    return [Answer("mean.delta", case.truth["mean.delta"], case.data, *ends, verdicts)]


def _refuses(case: Case, ask: Ask) -> Sequence[Answer]:
    raise ValueError("no")


NAMED = ("further", "silent", "groups of systems")  # kinds whose worlds name their half
TOY = World("toy", "toys", "a normal mean", _drawn, {"exact": _known_spread, "refusing": _refuses}, ("mean",))


def test_the_halves_are_fixed() -> None:
    halves = {world.name: world.half for world in worlds.WORLDS}
    assert len(halves) == len(worlds.WORLDS)  # names are unique
    assert all(halves[name] == "chosen" for name in TESTED)
    expected = {
        "chosen": (
            "goemotions lr-cnb all n=1000",
            "clinc svm-mnb 1/rank n=1500",
            "slices outliers",
            "weights deff=2.75",
        ),
        "held": (
            "goemotions svm-cnb all n=1000",
            "clinc svm-lr 1/rank n=5000",
            "slices alike",
            "nobody finds 40 of 50 n=3000",
        ),
    }
    for half, names in expected.items():
        assert {name: halves[name] for name in names} == dict.fromkeys(names, half)


def test_every_kind_has_worlds_of_both_halves() -> None:
    number = Counter((world.kind, world.half) for world in worlds.WORLDS)
    for kind in {world.kind for world in worlds.WORLDS}:
        assert 0 < number[kind, "chosen"] <= number[kind, "held"] + 1
        assert number[kind, "held"] <= number[kind, "chosen"] + 1 or kind in NAMED


def test_the_order_of_the_worlds_does_not_change_their_halves() -> None:
    halves = {world.name: world.half for world in worlds.WORLDS}
    undealt = [world if world.kind in NAMED else replace(world, half="") for world in reversed(worlds.WORLDS)]
    assert {world.name: world.half for world in split(undealt)} == halves


@pytest.mark.parametrize(
    ("name", "loaded"),
    [
        ("goemotions svm-lr all n=300", partial(populations.goemotions, "svm", "lr")),
        ("clinc svm-mnb equal n=500", partial(populations.clinc, "svm", "mnb")),
    ],
)
def test_the_truth_is_the_score_of_the_population(name: str, loaded: Callable[[], Pair]) -> None:
    whole = loaded()
    truth = worlds.named(name).case(0).truth
    for of, predicted in (("a", whole.a), ("b", whole.b)):
        for measure, twin in TWINS.items():
            expected = twin(whole.gold, predicted, average="macro", zero_division=0)
            assert truth[f"{measure}.{of}"] == pytest.approx(expected, abs=1e-12)
        f2 = fbeta_score(whole.gold, predicted, beta=2, average="macro", zero_division=0)
        assert truth[f"f2.{of}"] == pytest.approx(f2, abs=1e-12)
    assert truth["f1.delta"] == pytest.approx(truth["f1.a"] - truth["f1.b"], abs=1e-12)


def test_the_truth_of_unequal_classes_is_the_weighted_score_of_the_population() -> None:
    for name, whole in (
        ("clinc lr-mnb 1/rank n=500", populations.clinc("lr", "mnb")),
        ("newsgroups nb_mult-svm_l1 1/rank n=500", population("nb_mult", "svm_l1")),
    ):
        weight = populations.ranked(whole)
        expected = f1_score(whole.gold, whole.b, average="macro", sample_weight=weight)
        assert worlds.named(name).case(3).truth["f1.b"] == pytest.approx(expected, abs=1e-12)


def test_the_truth_of_frequent_labels_is_the_score_over_the_labels_of_the_sample() -> None:
    name, whole = "goemotions svm-cnb frequent n=300", populations.goemotions("svm", "cnb")
    case = worlds.named(name).case(5)
    rows = default_rng([crc32(name.encode()), 5]).choice(len(whole), 300)
    often = np.flatnonzero(whole.gold[rows].sum(axis=0) >= 20)
    assert case.data.classes == len(often) < 28
    expected = f1_score(whole.gold, whole.a, average="macro", labels=often, zero_division=0)
    assert case.truth["f1.a"] == pytest.approx(expected, abs=1e-12)


def test_data_sets_are_the_same_whenever_they_are_drawn() -> None:
    world = worlds.named("trend rising M=30 n=500")
    first, again, other = world.case(4).data, world.case(4).data, world.case(5).data
    assert (first.gold == again.gold).all()
    assert (first.b == again.b).all()
    assert (first.gold != other.gold).any()


def test_resamples_are_scored_as_by_scikit_learn() -> None:
    gold, first, second = default_rng(0).random((3, 60, 4)) < 0.4
    scores = resampled(patterns(Pair(gold, first, second, 4)), Ask("f1", 7, 0), resamples=30)
    for number, own in enumerate(default_rng(7).integers(0, 60, (30, 60))):
        a, b = (f1_score(gold[own], part[own], average="macro", zero_division=0) for part in (first, second))
        assert scores[:, number] == pytest.approx([a, b, a - b], abs=1e-12)


def test_leaving_out_patterns_is_leaving_out_items() -> None:
    gold, a, b = default_rng(1).integers(0, 3, (3, 40))
    pair = Pair(gold, a, b, 3)
    found = patterns(pair)
    left_out = jackknife(found, "recall")[:, found.which]
    for item, part in product(range(len(pair)), (0, 1)):
        rest = np.delete(np.arange(len(pair)), item)
        said = (pair.a, pair.b)[part][rest]
        expected = recall_score(pair.gold[rest], said, average="macro", labels=[0, 1, 2], zero_division=0)
        assert left_out[part, item] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_intervals_are_those_of_scipy(method: Literal["percentile", "BCa"]) -> None:
    values = default_rng(2).exponential(size=50)
    theirs = bootstrap((values,), np.mean, method=method, n_resamples=999, rng=default_rng(3))
    drawn = theirs.bootstrap_distribution
    left_out = (values.sum() - values) / 49
    ours = (
        percentile_interval(drawn)
        if method == "percentile"
        else bca_interval(values.mean(), drawn, left_out, np.ones(50))
    )
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)


@pytest.mark.parametrize(
    ("ends", "rope", "name"),
    [
        ((-0.01, 0.01), 0.01, "equivalent"),
        ((0.01, 0.02), 0.01, "better"),
        ((-0.02, -0.01), 0.01, "worse"),
        ((0.0, 0.02), 0.01, "undecided"),
    ],
)
def test_verdicts_by_intervals(ends: tuple[float, float], rope: float, name: str) -> None:
    assert verdict(*ends, rope) == name


def test_a_verdict_is_false_if_the_truth_contradicts_it() -> None:
    on_border, rope = ropes_at(0.03)[1], 0.03
    assert on_border == rope
    assert contradicted("better", 0.03, rope)
    assert not contradicted("equivalent", 0.03, rope)
    assert not contradicted("better", 0.031, rope)
    assert contradicted("equivalent", -0.031, rope)
    assert contradicted("worse", -0.03, rope)
    assert not contradicted("slightly_worse", 0.5, rope)
    assert contradicted("false", 0.0, rope)


def test_figures_of_answers() -> None:
    given = [(0.03, "better"), (0.015, "equivalent"), (0.012, "slightly_better"), (-0.03, "worse")]
    answers = [
        Answer("f1.delta", 0.01, mean, mean - 0.005, mean + 0.005, ((0.005, name), (0.02, name)))
        for mean, name in given
    ]
    row = row_of(answers)
    assert row["truth"] == 0.01
    assert row["coverage"] == 0.5  # the second and the third
    assert row["width"] == pytest.approx(0.01)
    assert row["bias"] == pytest.approx(np.mean([0.02, 0.005, 0.002, -0.04]), abs=1e-5)
    spread = np.std([mean for mean, _ in given], ddof=1)
    assert row["true_sd_width"] == pytest.approx(2 * 1.96 * spread, abs=1e-4)
    assert (row["decided1"], row["false1"]) == (0.75, 0.5)  # equivalent and worse
    assert (row["decided2"], row["false2"]) == (0.75, 0.5)  # better and worse
    assert row["oracle1"] == 0  # its interval is wider than all


def test_a_known_method_has_its_known_coverage() -> None:
    (row,) = measured(TOY, "exact", "mean", range(1_000))
    assert tuple(row) == COLUMNS
    assert row["data_sets"] == 1_000
    assert binom.cdf(1_000 * row["coverage"], 1_000, 0.95) == pytest.approx(0.5, abs=0.499)
    assert row["width"] == pytest.approx(row["true_sd_width"], rel=0.1)
    assert row["decided1"] == pytest.approx(row["oracle1"], abs=0.05)
    assert 0 < row["false2"] < 0.05  # better, at the border
    assert row["false1"] == 0


def test_a_method_that_refuses_is_counted() -> None:
    (row,) = measured(TOY, "refusing", "mean", range(3))
    assert (row["data_sets"], row["failed"], row["coverage"]) == (0, 3, "")


def test_what_is_finished_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "WORLDS", (TOY,))
    file = tmp_path / "kept.csv"
    run.main(["--file", str(file), "--repeats", "3", "--methods", "exact"])
    for _ in range(2):
        run.main(["--file", str(file), "--repeats", "5"])
        kept_rows = {row["method"]: (row["data_sets"], row["failed"]) for row in kept.read(file)}
        assert kept_rows == {"exact": ("3", "0"), "refusing": ("0", "5")}
        assert len(kept.read(file)) == 2


def test_further_data_sets_are_other_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "WORLDS", (TOY,))
    bias = {}
    for first, repeats in ((0, 6), (0, 2), (2, 4)):
        file = tmp_path / f"{first}-{repeats}.csv"
        run.main(["--file", str(file), "--first", str(first), "--repeats", str(repeats), "--methods", "exact"])
        (row,) = kept.read(file)
        bias[first, repeats] = float(row["bias"])
    assert bias[0, 2] != bias[2, 4]
    run.main(["--file", str(tmp_path / "0-2.csv"), "--join", str(tmp_path / "2-4.csv")])
    (joined,), (whole,) = (kept.read(tmp_path / name) for name in ("0-2.csv", "0-6.csv"))
    assert (joined["data_sets"], joined["failed"]) == ("6", "0")
    for name in ("truth", "coverage", "width", "bias", "rope1", "decided1", "false1"):
        assert float(joined[name]) == pytest.approx(float(whole[name]), abs=2e-5)
    (one, other) = (float(kept.read(tmp_path / f"{name}.csv")[0]["true_sd_width"]) for name in ("0-6", "2-4"))
    assert 0 < float(joined["true_sd_width"]) != other != one


def test_the_tables_have_a_line_per_world_and_method() -> None:
    every = [measured(TOY, way, "mean", range(5))[0] for way in TOY.methods]
    rows = [{name: str(value) for name, value in row.items()} for row in every]
    lines = page.tables(rows).splitlines()
    assert lines[0] == "## toys"
    assert [line.split(" | ")[2] for line in lines[4:]] == ["exact, mean", "refusing, mean.none"]
    assert len({line.count("|") for line in lines[2:]}) == 1
    assert page.tables(rows) in page.text(rows)
    assert page.overview(rows) in page.text(rows)
    assert [line.split(" | ")[2] for line in page.overview(rows).splitlines()[2:]] == ["exact", "refusing"]


def test_the_page_on_calibration_shows_the_tables_of_the_file() -> None:
    shown = run.FILE.with_name("calibration.md").read_text(encoding="utf-8")
    rows = kept.read(run.FILE)
    for table in (summaries.by_kind(rows), summaries.by_measure(rows)):
        assert table in shown


def test_the_page_of_all_results_is_made_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run.PAGE.read_text(encoding="utf-8")
    monkeypatch.setattr(run, "PAGE", tmp_path / "stress.md")
    run.main(["--page"])
    assert run.PAGE.read_text(encoding="utf-8") == shown


def test_coverage_by_kind_and_by_measure() -> None:
    """Means and extremes over worlds, of a method that accepts enough data sets."""

    def row(world: str, quantity: str, coverage: float, *, data_sets: int = 400) -> dict[str, str]:
        values = {"world": world, "kind": "clinc", "half": "held", "method": "default", "quantity": quantity}
        shares = dict.fromkeys(("decided1", "oracle1", "false1", "false2"), "0.5")
        widths = {"width": "0.3", "true_sd_width": "0.2"}
        return values | shares | widths | {"coverage": str(coverage), "data_sets": str(data_sets)}

    rows = [row("one", "f1.a", 0.9), row("one", "f1.b", 0.94), row("one", "f1.delta", 1.0)]
    rows += [row("two", "f1.a", 0.98), row("two", "f1.b", 0.98), row("two", "f1.delta", 0.96)]
    ignored = [row("three", "f1.a", 0.0, data_sets=99)]
    assert "| clinc | 95 (90),<br>98 (96) | – | –" in summaries.by_kind([*rows, *ignored])
    expected = "| clinc | held | F1 | 2 | 95.0 (90.0–98.0) | 98.0 (96.0–100.0) | 1.50 | 50.0 / 50.0 | 50.0 | 50.0 |"
    assert summaries.by_measure(rows).splitlines()[2:] == [expected]


def test_tasks_of_other_measures_are_few() -> None:
    chosen = [worlds.named("goemotions svm-lr all n=300")]
    assert {measure for _, _, measure in run.tasks(chosen, (), ())} == {"f1"}
    more = run.tasks(chosen, (), ("all",))
    assert {method for _, method, measure in more if measure == "recall"} == {"default", "bootstrap"}
    assert run.tasks(chosen, ("bca",), ("recall",)) == []


@pytest.mark.parametrize("kind", sorted({world.kind for world in worlds.WORLDS}))
def test_every_kind_runs(kind: str) -> None:
    world = next(own for own in worlds.WORLDS if own.kind == kind)
    rows = measured(world, "default", world.measures[0], range(2), draws=100)
    assert all(row["data_sets"] == 2 for row in rows)
    assert any(row["coverage"] != "" or row["decided1"] != "" for row in rows)


def test_the_bar_is_seldom_missed_by_a_nominal_method() -> None:
    for data_sets in (10, 40):
        assert 12 * binom.sf(small.most_missed(data_sets), data_sets, 0.05) < 1e-3
        assert 12 * binom.sf(small.most_missed(data_sets) - 1, data_sets, 0.05) > 1e-3


def test_default_holds_where_pooled_and_bootstrap_fail() -> None:
    assert not small.passes("bootstrap", worlds=TESTED[1:2])
    assert not small.passes("pooled", worlds=TESTED[2:])
    for name in reversed(TESTED):
        (own,) = small.tried("default", worlds=[name])
        assert own.passes, own


WEIGHED = {"strata of 2": 60, "clusters 50": 200, "copies auc 2% n=200": 100}  # worlds, and data sets of each


def _missed(world: str, data_sets: int) -> int:
    """Data sets in which the default's interval of the difference misses the truth."""
    chosen = worlds.named(world)
    (row,) = (
        row
        for row in measured(chosen, "default", chosen.measures[0], range(data_sets), 500)
        if row["quantity"].endswith("delta")
    )
    return round((1 - float(row["coverage"])) * data_sets)


@pytest.mark.parametrize("world", WEIGHED)
def test_weighed_items_cover_what_they_should(world: str) -> None:
    assert _missed(world, WEIGHED[world]) <= small.most_missed(WEIGHED[world])


@pytest.mark.parametrize(
    ("world", "taken"), [("strata of 2", "strata"), ("clusters 50", "unseen"), ("copies auc 2% n=200", "unseen")]
)
def test_without_a_mend_weighed_items_do_not(world: str, taken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if taken == "strata":
        monkeypatch.setattr("outperform.models.weights.unbiased", lambda number, stratum: number)
    else:
        monkeypatch.setattr(Unseen, "draw", lambda unseen, _, draws: np.zeros((draws, len(unseen.alone))))
    assert _missed(world, WEIGHED[world]) > small.most_missed(WEIGHED[world])


@pytest.mark.parametrize("mended", [True, False])
def test_few_data_sets_tell_equal_systems_apart_only_without_the_mend(
    mended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not mended:
        monkeypatch.setattr(ScoreEvidence, "_p_value", lambda *_: 0.0)
    world, false = worlds.named("3 data sets"), 0
    for number in range(100):
        (answer,) = world.methods["default"](world.case(number), Ask("score", number, 500))
        false += any(contradicted(decision, 0.0, rope) for rope, decision in answer.verdicts)
    assert (false <= small.most_missed(100)) == mended


def test_of_equal_slices_fdr_leaves_no_verdict_and_the_wrong_ones_are_expected() -> None:
    """Twelve studies of 20 slices without a difference; each verdict ≪ or ≫ is wrong."""
    world, stated, wrong, left = worlds.named("slices equal"), 0.0, 0.0, 0
    for number in range(12):
        answers = {own.quantity: own for own in world.methods["default"](world.case(number), Ask("f1", number, 500))}
        stated += answers["f1.wrong 0.01"].mean
        wrong += answers["f1.wrong 0.01"].truth
        left += answers["f1.any_row fdr"].verdicts[0][1] != "undecided"
    assert wrong >= 2
    assert left == 0
    assert stated == pytest.approx(wrong, rel=0.5)


def test_the_list_of_verdicts_is_measured_against_the_truth() -> None:
    world = worlds.named("classes outliers")
    case = world.case(0)
    pair, delta = case.data
    assert delta.shape == (20,)
    assert (delta[:2] > 0.2).all()
    assert np.abs(delta[2:]).max() < 0.03
    answers = {own.quantity: own for own in world.methods["default"](case, Ask("f1", 0, 500))}
    rows = op.compare(pair.gold, {"a": pair.a, "b": pair.b}, average="per_class", rope=0.01, draws=500, rng=0)
    called = [row.decision.name for row in rows if row.decision]
    assert answers["f1.chance 0.01"].truth == called.count("better") + called.count("worse")
    assert answers["f1.wrong 0.01"].truth == sum(map(contradicted, called, delta.tolist(), [0.01] * 20))
    assert rows.rows[0].verdicts is not None
    assert answers["f1.wrong 0.01"].mean == rows.rows[0].verdicts.expected_wrong
