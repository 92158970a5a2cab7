"""The Bayes test: the paper's tables, its direction, its probabilities, and the command."""

from __future__ import annotations

import csv
import io
import json
from functools import cache, partial
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outperform as op
from outperform.cli.options import FORMATS
from outperform.inference.f_beta import FBetaPosterior, prob_greater
from outperform.verdicts.outlook import Outlook
from tests import command
from tests.tables import FIVE, pair

COUNTS = str(op.datasets.data_path("acl2019_counts.csv"))
NER = [COUNTS, "--system", "tag_set", "--where", "task=ner"]
BETA = {"precision": 0, "recall": inf, "f1": 1}
DRAWS = 50_000

# Wang and Li, Bayes Test of Precision, Recall, and F1 Measure for Comparison of Two Natural Language Processing Models,
# ACL 2019. Table 2: intervals in percent, of both tag sets.
TABLE_2 = {
    ("cws", "precision"): ((95.55, 95.62), (95.60, 95.67)),
    ("cws", "recall"): ((95.04, 95.11), (95.16, 95.23)),
    ("cws", "f1"): ((95.30, 95.36), (95.39, 95.44)),
    ("ner", "precision"): ((90.59, 91.30), (90.70, 91.41)),
    ("ner", "recall"): ((87.69, 88.48), (87.78, 88.57)),
    ("ner", "f1"): ((89.21, 89.77), (89.32, 89.87)),
}
# Tables 3 and 4: P(H0), P(H1) and the decision, by simulation with a million draws.
TABLES_3_AND_4 = {
    ("cws", "precision"): (0.024, 0.976, "H1"),
    ("cws", "recall"): (0.001, 0.999, "H1"),
    ("cws", "f1"): (0.001, 0.999, "H1"),
    ("ner", "precision"): (0.321, 0.679, "H1"),
    ("ner", "recall"): (0.372, 0.628, "H1"),
    ("ner", "f1"): (0.300, 0.700, "H1"),
}


@cache
def published(task: str) -> op.Counts:
    return op.read_totals(COUNTS, system="tag_set", where={"task": task})


@cache
def answer(task: str, measure: str) -> op.BayesTest:
    return op.bayes_test(published(task), measure=measure, rope=0.001, rng=0)


@pytest.mark.parametrize(("task", "measure"), TABLE_2)
def test_acl_2019_table_2(task: str, measure: str) -> None:
    intervals = answer(task, measure).intervals
    assert intervals is not None
    for interval, theirs in zip(intervals, TABLE_2[task, measure], strict=True):
        assert [100 * end for end in interval] == pytest.approx(list(theirs), abs=0.01)


@pytest.mark.parametrize(("task", "measure"), TABLES_3_AND_4)
def test_acl_2019_tables_3_and_4(task: str, measure: str) -> None:
    hypotheses = answer(task, measure).hypotheses
    p_h0, p_h1, decision = TABLES_3_AND_4[task, measure]
    assert hypotheses.p_h0 == pytest.approx(p_h0, abs=0.001)
    assert hypotheses.p_h1 == pytest.approx(p_h1, abs=0.001)
    assert hypotheses.accept == decision


def test_the_published_totals_are_those_of_the_file() -> None:
    with open(COUNTS, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["task"] == "ner"]
    counts = published("ner")
    assert counts.classifiers == ("IOB2", "IOBES")
    assert counts.folds == ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2))
    for k, fold in enumerate(counts.folds):
        in_fold = [row for row in rows if (int(row["repetition"]), int(row["fold"])) == fold]
        c = counts.fold(k).contingency()
        assert c.support.tolist() == [float(row["gold"]) for row in in_fold]
        assert c.predicted.tolist() == [float(row["predicted"]) for row in in_fold]
        assert c.hit.tolist() == [float(row["correct"]) for row in in_fold]
    assert counts.items == 11629 + 11870


def test_posteriors_are_of_effective_counts_and_one_pseudo_count() -> None:
    """Eqs 22–27."""
    r, c = answer("ner", "f1"), published("ner").together().contingency()
    assert r.posteriors is not None
    for k, posterior in enumerate(r.posteriors):
        cells = np.array([c.hit[k], c.predicted[k] - c.hit[k], c.support[k] - c.hit[k]])
        assert [posterior.tp, posterior.fp, posterior.fn] == pytest.approx(0.36880211 * cells + 1, rel=1e-7)
    assert "factor:0.36880211" in r.signature


TOTALS = {"a": (120, 110, 100), "b": (120, 112, 104)}


def totals(**settings: Any) -> op.BayesTest:
    return op.bayes_test(op.Counts.from_totals(TOTALS), **({"rng": 0} | settings))


def test_h1_says_that_the_second_is_better() -> None:
    r = totals(rope=0.01)
    assert r.b.observed is not None
    assert r.a.observed is not None
    assert r.b.observed > r.a.observed
    assert r.hypotheses.p_h1 > 0.5 > r.hypotheses.p_h0
    assert r.hypotheses.accept == "H1"
    assert r.delta.mean < 0
    assert r.hypotheses.p_h0 + r.hypotheses.p_h1 == pytest.approx(1, abs=1e-12)
    assert "H0: b is no better than a" in r.to_text()
    assert repr(r).endswith("accept H1")


@pytest.mark.parametrize("model", ["unpaired", "paired"])
def test_the_other_order_swaps_the_hypotheses_and_flips_the_draws(model: str) -> None:
    counts = pair(*FIVE["200 items"])
    r = op.bayes_test(counts, model=model, rope=0.01, rng=0)
    s = op.bayes_test(counts.select([1, 0]), model=model, rope=0.01, rng=0)
    assert s.hypotheses.p_h0 == pytest.approx(r.hypotheses.p_h1, abs=1e-12)
    assert s.hypotheses.p_h1 == pytest.approx(r.hypotheses.p_h0, abs=1e-12)
    assert {r.hypotheses.accept, s.hypotheses.accept} == {"H0", "H1"}
    np.testing.assert_array_equal(s.draws, r.draws[:, ::-1])
    assert s.delta.mean == pytest.approx(-r.delta.mean, abs=1e-15)


def test_classifiers_that_are_alike_are_tied_and_h0_is_accepted() -> None:
    r = op.bayes_test(op.Counts.from_totals({"a": (120, 110, 100), "b": (120, 110, 100)}), rng=0)
    assert r.hypotheses.p_h0 == r.hypotheses.p_h1 == pytest.approx(0.5, abs=1e-12)
    assert r.hypotheses.accept == "H0"
    assert r.delta.mean == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("measure", ["precision", "recall", "f1", "f0.5", "f2"])
def test_draws_agree_with_the_closed_forms(measure: str) -> None:
    r = totals(measure=measure)
    assert r.posteriors is not None
    for k, posterior in enumerate(r.posteriors):
        draws = r.draws[:, k]
        assert draws.mean() == pytest.approx(posterior.mean, abs=4 * posterior.sd / sqrt(DRAWS))
        assert draws.std() == pytest.approx(posterior.sd, rel=4 / sqrt(DRAWS))
    p = r.hypotheses.p_h1
    assert (r.draws[:, 0] < r.draws[:, 1]).mean() == pytest.approx(p, abs=4 * sqrt(p * (1 - p) / DRAWS))
    assert p == prob_greater(r.posteriors[1], r.posteriors[0])


def test_priors_are_pseudo_counts_of_all_three_cells() -> None:
    for prior, cells in (("uniform", 1), ("jeffreys", 0.5), (2.5, 2.5), ("haldane", 0)):
        posteriors = totals(prior=prior).posteriors
        assert posteriors is not None
        assert posteriors[0] == FBetaPosterior(100 + cells, 10 + cells, 20 + cells)


def test_any_beta_is_taken_by_name_or_function() -> None:
    assert totals(measure="f2").hypotheses == totals(measure=op.f_beta(2)).hypotheses
    three = totals(measure=op.f_beta(3)).posteriors
    assert three is not None
    assert three[0].beta == 3
    assert totals(measure=op.f_beta(0)).hypotheses == totals(measure="precision").hypotheses
    assert totals(measure=op.f_beta(inf)).hypotheses == totals(measure="recall").hypotheses


def test_the_test_is_exact_where_no_draw_is() -> None:
    counts = op.Counts.from_totals({"a": (5000, 5000, 4000), "b": (5000, 5000, 4400)})
    hypotheses = op.bayes_test(counts, rng=0).hypotheses
    assert 0 < hypotheses.p_h0 < 1e-12
    assert hypotheses.accept == "H1"


def test_its_json_is_a_comparisons_and_the_hypotheses() -> None:
    r = answer("ner", "f1")
    other = op.compare(published("ner"), rope=0.001, rng=0)
    data, comparison = r.to_dict(), other.to_dict()
    assert data.keys() - comparison.keys() == {"hypotheses"}
    assert comparison.keys() <= data.keys()
    assert set(data["hypotheses"]) == {"p_h0", "p_h1", "accept"}
    assert json.loads(r.to_json()) == data
    assert data["model"] == comparison["model"] == "cross-validated unpaired"
    assert data["frequentist"] == comparison["frequentist"]


def test_it_can_be_read_back() -> None:
    r = answer("ner", "recall")
    back = op.BayesTest.from_dict(json.loads(r.to_json()))
    assert back == r
    assert back.hypotheses == r.hypotheses
    assert back.intervals is None
    assert "P(H0) = 37.3%" in back.to_text()
    with pytest.raises(ValueError, match="this is not a BayesTest: it lacks 'hypotheses'"):
        op.BayesTest.from_dict(op.compare(published("ner"), rng=0, draws=500).to_dict())


def test_another_rope_or_mass_keeps_the_hypotheses() -> None:
    r = answer("ner", "f1")
    wide, narrow = r.with_rope(0.05), r.with_mass(0.5)
    for other in (wide, narrow):
        assert type(other) is op.BayesTest
        assert other.hypotheses == r.hypotheses
        assert other.posteriors == r.posteriors
    assert wide.decision is not None
    assert wide.decision.name == "equivalent"
    assert r.posteriors is not None
    assert narrow.intervals == (r.posteriors[0].interval(0.5), r.posteriors[1].interval(0.5))


def test_summaries_and_rows_have_both_probabilities() -> None:
    r = answer("ner", "f1")
    assert r.summary()["p_h0"] == r.hypotheses.p_h0
    assert r.record()["p_h1"] == r.hypotheses.p_h1
    assert r.to_frame()["p_h1"][0] == r.hypotheses.p_h1


def test_one_classifier_each_is_as_good_as_both() -> None:
    tables = [op.Counts.from_totals({name: rows}) for name, rows in TOTALS.items()]
    assert op.bayes_test(*tables, rng=0) == totals()
    y = [1, 0] * 60
    p, q = [1] * 60 + [0] * 60, [1, 0] * 50 + [0, 1] * 10
    labels = op.Counts.from_labels(y, {"p": p, "q": q})
    both = op.bayes_test(labels, rng=0)
    apart = op.bayes_test(op.Counts.from_labels(y, {"p": p}), op.Counts.from_labels(y, {"q": q}), rng=0)
    assert apart.hypotheses == both.hypotheses
    np.testing.assert_array_equal(apart.draws, both.draws)


def test_true_negatives_do_not_matter() -> None:
    positive, negative = FIVE["200 items"]
    few = op.bayes_test(pair(positive, (*negative[:3], 1)), rng=0)
    many = op.bayes_test(pair(positive, (*negative[:3], 9999)), rng=0)
    assert few.hypotheses == many.hypotheses
    np.testing.assert_array_equal(few.draws, many.draws)


def test_paired_and_unpaired_agree_about_each_one_alone() -> None:
    counts = pair(*FIVE["200 items"])
    for measure in BETA:
        paired = op.bayes_test(counts, measure=measure, model="paired", rng=0)
        unpaired = op.bayes_test(counts, measure=measure, rng=0)
        assert unpaired.posteriors is not None
        for k, posterior in enumerate(unpaired.posteriors):
            assert paired.draws[:, k].mean() == pytest.approx(posterior.mean, abs=4 * posterior.sd / sqrt(DRAWS))
            assert paired.draws[:, k].std() == pytest.approx(posterior.sd, rel=4 / sqrt(DRAWS))
            for q in (0.1, 0.5, 0.9):
                share = (paired.draws[:, k] < posterior.ppf(q)).mean()
                assert share == pytest.approx(q, abs=4 * sqrt(q * (1 - q) / DRAWS))


def test_pairing_helps_where_both_are_right_on_the_same_items() -> None:
    together = pair((70, 4, 9, 17), (8, 2, 3, 100))
    apart = pair((0, 45, 50, 5), (0, 10, 11, 100))
    for counts, narrower in ((together, True), (apart, False)):
        paired, unpaired = (op.bayes_test(counts, model=model, rng=0) for model in ("paired", "unpaired"))
        assert (paired.delta.sd < 0.9 * unpaired.delta.sd) == narrower
        assert (paired.delta.sd > 1.1 * unpaired.delta.sd) == (not narrower)


def test_paired_probabilities_are_shares_of_draws() -> None:
    r = op.bayes_test(pair(*FIVE["200 items"]), model="paired", rng=0)
    assert r.posteriors is None
    assert r.intervals is None
    assert r.model == "paired"
    assert r.hypotheses.p_h1 == (r.draws[:, 1] > r.draws[:, 0]).mean()


def test_correlations_say_how_much_a_test_counts_for() -> None:
    sums = published("ner").together().contingency().hit[0]
    cases: list[tuple[dict[str, Any], float]] = [
        ({"rho": (1, 1)}, 1 / 6),
        ({"rho": (0, 0)}, 1),
        ({"rho": (0.5, 0.25)}, 1 / 2.5),
        ({"factor": 0.3}, 0.3),
        ({}, 0.36880211),
    ]
    for settings, factor in cases:
        posteriors = op.bayes_test(published("ner"), rng=0, draws=500, **settings).posteriors
        assert posteriors is not None
        assert posteriors[0].tp == pytest.approx(factor * sums + 1, rel=1e-7)


def test_the_conservative_posterior_is_wider() -> None:
    usual, conservative = (op.bayes_test(published("ner"), rng=0, rho=rho) for rho in (None, (1, 1)))
    assert conservative.delta.sd / usual.delta.sd == pytest.approx(sqrt(6 * 0.36880211), rel=0.02)
    assert abs(conservative.hypotheses.p_h1 - 0.5) < abs(usual.hypotheses.p_h1 - 0.5)


def test_paired_folds_are_calibrated_too() -> None:
    positive, negative = FIVE["200 items"]
    folds = {(r, k): pair(positive, negative) for r in (1, 2, 3) for k in (1, 2)}
    counts = op.Counts.by_fold(folds)
    r = op.bayes_test(counts, model="paired", rng=0)
    assert r.model == "cross-validated paired"
    scaled = 6 * 0.3688021094889129
    once = op.bayes_test(
        pair([scaled * n for n in positive], [scaled * n for n in negative]), model="paired", rng=0, draws=DRAWS
    )
    assert r.delta.mean == pytest.approx(once.delta.mean, abs=6 * once.delta.mc_error)
    assert r.delta.sd == pytest.approx(once.delta.sd, rel=6 / sqrt(DRAWS))


def test_one_class_of_many_is_set_against_the_rest() -> None:
    y, p, q = ["x", "y", "z"] * 30, ["x", "y", "y"] * 30, ["x", "z", "z"] * 30
    counts = op.Counts.from_labels(y, {"p": p, "q": q})
    posteriors = op.bayes_test(counts, pos_label="y", rng=0).posteriors
    assert posteriors == (FBetaPosterior(31, 31, 1), FBetaPosterior(1, 1, 31))
    with pytest.raises(ValueError, match=r"bayes_test is about one class of .* give it as pos_label"):
        op.bayes_test(counts)


def test_chunks_of_all_types_are_tested_together() -> None:
    gold = [["B-PER", "O"], ["B-LOC", "I-LOC"], ["O", "B-LOC"]] * 10
    a = [["B-PER", "O"], ["B-LOC", "O"], ["O", "B-PER"]] * 10
    b = [["O", "O"], ["B-LOC", "I-LOC"], ["O", "B-LOC"]] * 10
    for unit in ("chunk", "sentence"):
        r = op.bayes_test(op.Counts.from_chunks(gold, {"a": a, "b": b}, unit=unit), rng=0)
        assert r.posteriors == (FBetaPosterior(11, 21, 21), FBetaPosterior(21, 1, 11))


BAD: list[tuple[dict[str, Any], str]] = [
    ({"measure": "accuracy"}, "bayes_test knows precision, recall, f1 and f_beta, not accuracy; compare takes any"),
    ({"measure": "f3"}, "unknown measure 'f3'"),
    ({"model": "bootstrap"}, "unknown model 'bootstrap'; known: paired, unpaired"),
    ({"model": "paired"}, "which the paired model cannot pair"),
    ({"prior": "pooled"}, "the Bayes test takes the uniform, jeffreys or haldane prior or a number, got pooled"),
    ({"prior": "hierarchical"}, "haldane prior or a number, got hierarchical"),
    ({"prior": "even"}, "unknown prior 'even'"),
    ({"prior": -1}, "prior weights are finite and not negative"),
    ({"rho": (1, 1)}, "rho and factor are for counts by fold; these are of one test set, leave them out"),
    ({"factor": 0.5}, "rho and factor are for counts by fold"),
    ({"mass": 2}, "mass must lie between 0 and 1"),
    ({"rope": (0.1, -0.1)}, "rope"),
    ({"draws": 0}, "draws must be a whole number of at least 1, got 0"),
]


@pytest.mark.parametrize(("settings", "sentence"), BAD)
def test_what_it_does_not_take_is_said_in_one_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        totals(**settings)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rho": (1, 1), "factor": 0.5}, "give rho or factor, not both"),
        ({"rho": (1, 2)}, "rho is two correlations between 0 and 1, those within and between repetitions"),
        ({"rho": 0.5}, "rho is two correlations between 0 and 1"),
        ({"factor": 0}, "factor is a number above 0 and at most 1, got 0"),
        ({"factor": 1.5}, r"factor is a number above 0 and at most 1, got 1\.5"),
    ],
)
def test_what_is_no_correlation_is_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.bayes_test(published("ner"), **settings)


def test_it_takes_two_classifiers() -> None:
    three = op.Counts.from_totals({**TOTALS, "c": (120, 100, 90)})
    with pytest.raises(ValueError, match="bayes_test takes two classifiers, got 3: 'a', 'b', 'c'; give counts of both"):
        op.bayes_test(three)
    with pytest.raises(ValueError, match="bayes_test takes two classifiers, got 1: 'a'"):
        op.bayes_test(three.select([0]))
    with pytest.raises(ValueError, match="two classifiers have the same name: 'a', 'a'"):
        op.bayes_test(three.select([0]), three.select([0]))


def test_both_need_the_same_folds() -> None:
    rows, folds = [(12, 11, 10)] * 4, [(1, 1), (1, 2), (2, 1), (2, 2)]
    a = op.Counts.from_totals({"a": rows}, folds=folds)
    for others, where in ((folds[:2], "2.1', '2.2"), (folds[::-1], "their order")):
        b = op.Counts.from_totals({"b": rows[: len(others)]}, folds=others)
        with pytest.raises(ValueError, match=rf"'b' and 'a' differ in their folds \(.*{where}.*\); both need all"):
            op.bayes_test(a, b)
    with pytest.raises(ValueError, match="differ in their folds"):
        op.bayes_test(a, op.Counts.from_totals({"b": (48, 44, 40)}))


def test_odd_folds_need_a_factor() -> None:
    three = [(1, 1), (1, 2), (1, 3)]
    counts = op.Counts.from_totals({name: [row] * 3 for name, row in TOTALS.items()}, folds=three)
    with pytest.raises(ValueError, match="repetition 1 has 3 folds, where the calibration is for two; cross-validate"):
        op.bayes_test(counts)
    assert op.bayes_test(counts, factor=0.5, rng=0).hypotheses.accept == "H1"


def test_nothing_found_needs_a_prior() -> None:
    with pytest.raises(ValueError, match="a count is 0 and the haldane prior adds nothing to it"):
        op.bayes_test(op.Counts.from_totals({"a": (9, 5, 5), "b": (9, 5, 4)}), prior="haldane")


run, refused = partial(command.run, "bayes-test"), partial(command.refused, "bayes-test")


def test_the_command_says_what_the_library_does() -> None:
    expected = op.bayes_test(published("ner"), measure="recall", rope=0.01, mass=0.9, rho=(1, 1), prior=0.5, rng=3)
    settings = ["--rope", "0.01", "--mass", "0.9", "--rho", "1,1", "--prior", "0.5", "--seed", "3"]
    result = run(*NER, "-m", "recall", *settings, "--format", "json")
    assert json.loads(result.stdout) == expected.to_dict()
    text = run(*NER).stdout
    assert "H0: IOBES is no better than IOB2   P(H0) = 30.0%   P(H1) = 70.0%   accept H1" in text
    assert "Equal-tailed 95% intervals: IOB2 [0.8921, 0.8977]" in text


def test_the_command_turns_the_question_round() -> None:
    orders = [("IOB2", "IOBES"), ("IOBES", "IOB2")]
    rows = [json.loads(run(*NER, "--a", a, "--b", b, "--format", "json").stdout) for a, b in orders]
    assert rows[0]["hypotheses"]["p_h0"] == pytest.approx(rows[1]["hypotheses"]["p_h1"], abs=1e-12)
    assert rows[1]["a"]["name"] == "IOBES"


@pytest.mark.parametrize("format_", FORMATS)
def test_several_measures_are_written_in_every_format(format_: str) -> None:
    result = run(*NER, "-m", "precision", "-m", "recall", "-m", "f1", "--format", format_)
    assert result.exit_code == 0, result.output
    out = result.stdout
    if format_ == "json":
        assert [row["measure"] for row in json.loads(out)] == ["precision", "recall", "f1"]
    elif format_ == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert [float(row["p_h0"]) for row in rows] == pytest.approx([0.321, 0.372, 0.300], abs=0.001)
    elif format_ == "text":
        assert out.count("accept H1") == 3
    else:  # one table
        head, cell = ("<th>{}</th>", "<td>{}</td>") if format_ == "html" else ("{}", "{}")  # a page has LaTeX too
        assert out.count(head.format("P(H0)")) == 1
        assert [out.count(cell.format(p)) for p in ("0.320", "0.373", "0.300")] == [1, 1, 1]


def test_a_requirement_that_is_not_met_exits_with_3() -> None:
    result = run(*NER, "--rope", "0.01", "--require", "better")
    assert result.exit_code == 3
    assert result.stderr.startswith("requirement better not met: IOB2 ≈ IOBES")
    assert run(*NER, "--rope", "0.01", "--require", "equivalent").exit_code == 0
    assert "needs --rope" in refused(*NER, "--require", "better")


def test_cells_serve_as_well_as_totals(tmp_path: Path) -> None:
    cells, gold = tmp_path / "cells.csv", tmp_path / "gold.csv"
    cells.write_text("model,tp,fp,fn\na,100,10,20\nb,104,8,16\n", encoding="utf-8")
    gold.write_text("model,gold,predicted,correct\na,120,110,100\nb,120,112,104\n", encoding="utf-8")
    out = [run(str(file), "--system", "model", "--format", "json").stdout for file in (cells, gold)]
    assert out[0] == out[1]
    assert json.loads(out[0]) == totals().to_dict()
    beta = run(str(cells), "--system", "model", "-m", "f_beta", "--beta", "3", "--format", "json").stdout
    assert json.loads(beta)["measure"] == "f3"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--system", "tags"], "has no column 'tags'; did you mean 'task'? it has 'task', 'tag_set', 'repetition'"),
        (["--system", "tag_set"], "name two systems with --a and --b; there are 'BMES', 'BB2B3MES', 'IOB2', 'IOBES'"),
        (["--system", "tag_set", "--a", "IOB2"], "name both systems, with --a and --b, or neither"),
        (["--system", "tag_set", "--a", "IOB2", "--b", "IOB"], "has no 'IOB' in column 'tag_set'; it has 'BMES'"),
        (["--system", "tag_set", "--a", "IOB2", "--b", "IOB2"], "--a and --b are both 'IOB2'; name two systems"),
        (["--system", "task"], "line 8: 'cws' has a second row for repetition 1, fold 1; choose the rows by another"),
        (["--system", "tag_set", "--where", "task"], "--where takes COLUMN=VALUE, got 'task'"),
        (["--system", "tag_set", "--where", "task=x"], "has no row with 'x' in column 'task'; it has 'cws', 'ner'"),
        (["--system", "tag_set", "--where", "x=ner"], "has no column 'x'"),
        ([*NER[1:], "-m", "accuracy"], "precision, recall, f1 and f_beta, not accuracy"),
        ([*NER[1:], "--rho", "1"], "--rho takes 2 numbers with commas between them, got '1'"),
        ([*NER[1:], "--rho", "1,1", "--factor", "0.5"], "factor, not both"),
        ([*NER[1:], "--beta", "2"], "--beta goes with --measure f_beta, not with f1"),
        ([*NER[1:], "-m", "f_beta"], "--measure f_beta needs --beta, a number of at least 0"),
    ],
)
def test_bad_usage_gets_one_sentence_and_exit_code_2(args: list[str], sentence: str) -> None:
    assert sentence in refused(COUNTS, *args)


def without(lines: str) -> str:
    rows = Path(COUNTS).read_text(encoding="utf-8").splitlines()
    return "\n".join(row for row in rows if lines not in row)


def replaced(old: str, new: str) -> str:
    text = Path(COUNTS).read_text(encoding="utf-8")
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (without("ner,IOBES,3,2"), "has no row of 'IOBES' for repetition 3, fold 2, where 'IOB2' has one"),
        (without("ner,IOB2,1,1"), "has no row of 'IOB2' for repetition 1, fold 1, where 'IOBES' has one"),
        (without(",3,2,"), "repetition 3 has 1 fold"),
        (replaced("10447", "11482"), "repetition 3, fold 2 has 11482 correct of 11481 predicted; no more can be"),
        (replaced("11815,11481,10447", "10000,11481,10447"), "has 10447 correct of 10000 gold; no more can be"),
        (replaced("10447", "x"), "line 25: 'x' in column 'correct'; a whole number is expected"),
        (replaced("10447", "-3"), "line 25: '-3' in column 'correct'; a whole number is expected"),
        (replaced("10447", "1.5"), "line 25: '1.5' in column 'correct'; a whole number is expected"),
        (replaced("10447", ""), "line 25: no value in column 'correct'"),
        (replaced("predicted,correct", "predicted,right"), "has no column 'correct'; it has 'task'"),
        (replaced("gold,predicted", "there,predicted"), "has neither columns 'gold', 'predicted', 'correct' nor 'tp'"),
        (replaced("repetition,fold", "repetition,part"), "line 15: 'IOB2' has a second row, and there is no column"),
        ("", "is empty"),
    ],
)
def test_bad_files_get_one_sentence_and_exit_code_2(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "counts.csv"
    file.write_text(text, encoding="utf-8")
    assert sentence in refused(str(file), *NER[1:])


def test_all_tested_items_are_stated_and_planned_with() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(2_000) < 0.1).astype(int)
    systems = {name: np.where(rng.random(2_000) < right, truth, 0) for name, right in (("a", 0.8), ("b", 0.77))}
    counts = op.Counts.from_labels(truth, systems)
    for model in ("unpaired", "paired"):
        r = op.bayes_test(counts, model=model, rope=0.05, rng=0)
        twin = op.compare(counts, model=model, prior="uniform", rope=0.05, rng=0)
        assert r.items == r.with_rope(0.03).items == 2_000
        assert {row.items for row in r.sensitivity()} == {2_000}
        assert "n:2000" in r.signature
        assert isinstance(twin, op.Comparison)
        assert isinstance(r.outlook, Outlook)
        assert isinstance(twin.outlook, Outlook)
        assert r.outlook.items == pytest.approx(twin.outlook.items, rel=0.2)
        with pytest.raises(ValueError, match=r"cannot simulate this comparison: it is of folds, .*, of a Bayes test"):
            r.more_data()


def test_only_ratios_of_weights_matter() -> None:
    """Rows are worth the items that they are in a comparison, whatever the unit of their weights."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    both = {name: np.where(rng.random(400) < share, truth, 1 - truth) for name, share in (("a", 0.9), ("b", 0.85))}
    weights = rng.choice([1.0, 9.0], 400, p=[0.8, 0.2])
    tests = [
        op.bayes_test(op.Counts.from_labels(truth, both, weights=weights * unit), pos_label=1, rng=0)
        for unit in (0.01, 1.0, 100.0)
    ]
    assert [r.items for r in tests] == [pytest.approx(weights.sum() ** 2 / (weights**2).sum())] * 3
    assert [r.hypotheses.p_h1 for r in tests] == [pytest.approx(tests[0].hypotheses.p_h1)] * 3
