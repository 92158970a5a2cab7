"""The same comparison under other priors: rows, verdicts, tables, plots and errors."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import outperform as op
from outperform.base.errors import ImproperPriorError
from outperform.inference.evidence import PairEvidence
from outperform.models import Model
from outperform.results import Sensitivity
from tests.later import later
from tests.mcmc.test_mcmc import CLASSES, COUNTS, FOLDED, SETS, THREE, evidence_of, refusal
from tests.tables import FIVE, pair

plt = later("matplotlib.pyplot")

pytestmark = pytest.mark.usefixtures("few_draws")  # prior draws, which no test checks

NAMED = ["light", "flat", "uniform", "jeffreys", "haldane", "hierarchical", "pooled"]
SETTINGS: dict[str, Any] = {"rope": 0.05, "draws": 500, "rng": 0}


def compared(counts: op.Counts = COUNTS, **settings: Any) -> Any:
    return op.compare(counts, **SETTINGS | settings)


def priors_of(s: Sensitivity) -> list[str]:
    return [row.prior for row in s]


def again(r: op.Comparison) -> tuple[op.Comparison, list[Any]]:
    """A comparison that only records the models under which it would be drawn again."""
    models: list[Any] = []
    evidence = evidence_of(r)

    def ask(model: Model) -> PairEvidence:
        models.append(model)
        return evidence

    return replace(r, evidence=replace(evidence, again=ask)), models


def test_rows_are_comparisons_with_that_prior() -> None:
    given: list[Any] = ["uniform", "jeffreys", 2, 0.1, op.Dirichlet(3, mu=(1, 9)), "pooled", op.Hierarchical(weight=3)]
    s = compared().sensitivity(given)
    assert len(s) == len(given)
    for row, prior in zip(s, given, strict=True):
        expected = compared(model=op.Paired(prior))
        assert row == expected
        np.testing.assert_array_equal(row.draws, expected.draws)
    assert priors_of(s)[:4] == ["uniform", "jeffreys", "dirichlet(2)", "dirichlet(0.1)"]


@pytest.mark.parametrize("model", [op.Unpaired(), op.Paired("jeffreys")], ids=str)
def test_the_model_stays(model: Any) -> None:
    s = compared(model=model).sensitivity(["uniform", 3])
    for row, prior in zip(s, ("uniform", 3), strict=True):
        assert row == compared(model=replace(model, prior=prior))


def test_the_question_stays() -> None:
    asked: dict[str, Any] = {
        "measure": "mcc",
        "rope": (-0.1, 0.2),
        "mass": 0.8,
        "rng": 7,
        "draws": 300,
        "zero_division": 1.0,
    }
    (row,) = compared(**asked).sensitivity(["jeffreys"])
    assert row == compared(**asked, model=op.Paired("jeffreys"))
    (seen,) = compared().with_rope(0.2).with_mass(0.5).sensitivity(["jeffreys"])
    assert seen == compared(model=op.Paired("jeffreys"), rope=0.2, mass=0.5)
    (without,) = compared(rope=None).sensitivity(["jeffreys"])
    assert without.decision is None


def test_all_named_priors_by_default() -> None:
    s = compared().sensitivity()
    assert priors_of(s) == NAMED
    assert s.notes == ()
    assert s.rows[0] == compared()


def test_an_improper_prior_is_left_out_with_a_note() -> None:
    counts = pair((0, 0, 0, 0), (3, 2, 1, 9))
    with pytest.raises(ImproperPriorError):
        compared(counts, model=op.Paired("haldane"))
    s = compared(counts).sensitivity()
    assert "haldane" not in priors_of(s)
    (note,) = s.notes
    assert note.startswith("haldane left out: ")
    assert note.endswith(".")
    assert not note.endswith("..")
    assert note in s.to_text()
    with pytest.raises(ImproperPriorError):
        compared(counts).sensitivity(["uniform", "haldane"])


def test_chunks_leave_out_what_does_not_suit_them() -> None:
    totals = op.Counts.from_totals({"IOB2": (1200, 1100, 1000), "IOBES": (1200, 1090, 1010)})
    s = op.compare(totals, rng=0, draws=300).sensitivity()
    assert priors_of(s) == NAMED[:5]
    assert [note.partition(" left out: ")[0] for note in s.notes] == ["hierarchical", "pooled"]


def test_a_bayes_test_stays_one() -> None:
    totals = op.Counts.from_totals({"IOB2": (1200, 1100, 1000), "IOBES": (1200, 1090, 1010)})
    r = op.bayes_test(totals, rng=0, draws=300)
    for row, prior in zip(r.sensitivity(["uniform", "jeffreys"]), ("uniform", "jeffreys"), strict=True):
        assert row == op.bayes_test(totals, prior=prior, rng=0, draws=300)


def test_averages_over_classes() -> None:
    r = op.compare(THREE, average="macro", **SETTINGS)
    s = r.sensitivity()
    assert priors_of(s) == [*NAMED[2:], "trend"]
    assert [row.average for row in s] == ["macro"] * 6
    assert s.rows[5] == r, "trend is the default"
    for row in s:
        assert row == op.compare(THREE, average="macro", model=op.Paired(row.prior), **SETTINGS)
        assert [driver.class_ for driver in sorted(row.drivers, key=lambda d: str(d.class_))] == ["x", "y", "z"]
    labels = op.compare(SETS, average="macro", **SETTINGS).sensitivity(["uniform", "hierarchical"])
    assert priors_of(labels) == ["uniform", "hierarchical"]


@pytest.mark.parametrize("model", [None, op.Paired("uniform"), op.Paired("hierarchical")], ids=str)
def test_classes_one_by_one(model: Any) -> None:
    """Whether classes learn from each other under one prior, the other or both."""
    rows = op.compare(THREE, average="per_class", model=model, **SETTINGS)
    expected = {
        prior: op.compare(THREE, average="per_class", model=op.Paired(prior), **SETTINGS)
        for prior in ("uniform", "hierarchical")
    }
    for label in "xyz":
        s = rows[label].sensitivity(["uniform", "hierarchical"])
        alone = tuple(expected[prior][label].with_mass(0.95) for prior in ("uniform", "hierarchical"))
        assert s.rows == alone  # without what the rows of other classes add
        assert {row.class_ for row in s} == {label}


def test_folds_are_compared_again() -> None:
    r = op.compare(FOLDED, **SETTINGS)
    given: list[Any] = ["uniform", 3]
    for row, prior in zip(r.sensitivity(given), given, strict=True):
        assert row == op.compare(FOLDED, model=op.CrossValidated(op.Paired(prior)), **SETTINGS)


def test_whether_the_verdict_depends_on_the_prior() -> None:
    sure = compared(pair(*FIVE["7,532 items"]), rope=0.2).sensitivity()
    assert sure.robust
    assert "the verdict is the same under all priors" in sure.to_text()
    s = compared().sensitivity(["uniform", 1e6])
    assert [row.decision and row.decision.name for row in s] == ["slightly_better", "equivalent"]
    assert not s.robust
    assert "the verdict depends on the prior" in s.to_text()
    assert compared().sensitivity(["uniform"]).robust


def test_without_a_rope_it_is_whether_0_is_inside() -> None:
    same = compared(rope=None).sensitivity(["uniform", 1e6])
    assert same.robust
    assert "no ROPE; whether 0 is inside the HDI is the same under all priors" in same.to_text()
    few = compared(pair((9, 9, 1, 1), (1, 1, 1, 20)), rope=None)
    other = few.sensitivity(["haldane", 1e5])
    assert [row.delta.hdi[0] > 0 for row in other] == [True, False]
    assert not other.robust
    assert "whether 0 is inside the HDI depends on the prior" in other.to_text()


def test_tables() -> None:
    s = compared().sensitivity(["uniform", "jeffreys"])
    lines = s.to_text().splitlines()
    assert lines[0] == "Of 2 priors, a against b: 2 unresolved (2 leaning towards a)."
    assert lines[1].startswith("Next: ")
    assert lines[3].startswith("Δf1 = a − b, ROPE [-0.050, +0.050]; the verdict is the same")
    assert lines[5].split("  ")[0] == "prior"
    assert [line.split()[0] for line in lines[7:9]] == ["uniform", "jeffreys"]
    (table,) = s.tables()
    assert [column.header for column in table.columns] == [
        "prior", "mean", "sd", "BF", "below 0 / above", "in ROPE", "95% HDI", "verdict",
    ]  # fmt: skip
    assert "prior:" not in table.signature
    assert "|model:paired|measure:f1|" in table.signature
    rows = [line for line in s.to_markdown().splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert rows[2].startswith("| uniform | +0.")
    body = s.to_latex().split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert [line.split(" & ")[0].strip() for line in body] == ["uniform", "jeffreys"]
    assert s._repr_html_().partition("<details>")[2].count("<td>") == 2 * len(table.columns)
    assert repr(s).splitlines()[1].startswith("jeffreys: a > b   Δf1 = ")


def test_rows_as_data() -> None:
    s = compared().sensitivity()
    written = list(csv.DictReader(io.StringIO(s.to_csv())))
    assert [row["prior"] for row in written] == NAMED
    assert [float(row["delta_mean"]) for row in written] == [row.delta.mean for row in s]
    plain = json.loads(s.to_json())
    assert [op.Comparison.from_dict(row) for row in plain] == list(s)
    frame = s.to_frame("pandas")
    assert list(frame["prior"]) == NAMED
    assert list(frame["decision"]) == [row.decision and row.decision.name for row in s]
    assert "holds no draws" in refusal(s.to_arviz)


def test_priors_of_variables_are_sampled() -> None:
    r, models = again(compared())
    beta = {"mu": "Beta(2, 2)"}
    r.sensitivity(["jeffreys", beta, {"mu": "LogitNormal(0, 1)", "theta": "Dirichlet(2)"}])
    assert models[0] == op.Paired("jeffreys")
    assert models[1].model == op.Paired("light")
    assert isinstance(models[1], op.PyMC)
    assert str(models[1].prior) == "light, mu~Beta(2, 2)"
    assert str(models[2].prior) == "light, mu~LogitNormal(0, 1), theta~Dirichlet(2)"
    apart, others = again(compared(model=op.Unpaired("jeffreys")))
    apart.sensitivity([beta])
    assert others == [op.PyMC(op.Unpaired("jeffreys"), priors=beta)]
    folds, calibrated = again(op.compare(FOLDED, **SETTINGS))
    folds.sensitivity([beta, 2])
    assert isinstance(calibrated[0], op.CrossValidated)
    assert str(calibrated[0].prior) == "light, mu~Beta(2, 2)"
    assert calibrated[1].model == op.Paired(2)


def test_the_picture() -> None:
    s = compared().sensitivity()
    ax = s.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == NAMED
    assert ax.get_xlabel() == "Δf1 = a − b, 95% HDI"
    bars = [line for line in ax.lines if len(np.asarray(line.get_xdata())) == 2 and line.get_linestyle() == "-"]
    assert [tuple(np.asarray(bar.get_xdata()).tolist()) for bar in bars] == [row.delta.hdi for row in s]
    heights = [float(np.asarray(bar.get_ydata())[0]) for bar in bars]
    assert heights == sorted(heights, reverse=True), "the first on top"
    assert heights == list(ax.get_yticks())
    points = [line for line in ax.lines if line.get_marker() == "o"]
    assert [float(np.asarray(point.get_xdata())[0]) for point in points] == [row.delta.mean for row in s]
    assert [text.get_text() for text in ax.texts] == [row.decision.symbol for row in s if row.decision]
    assert len(ax.patches) == 1, "the ROPE"
    figure, axes = plt.subplots()
    bare = compared(rope=None).sensitivity(["uniform", 2]).plot(axes)
    assert bare is axes
    assert len(axes.patches) == len(axes.texts) == 0
    plt.close(figure)
    plt.close("all")


def test_what_has_no_prior() -> None:
    bootstrap = compared(model="bootstrap")
    nothing = "the bootstrap model takes no prior, so there is nothing to be sensitive to"
    assert refusal(bootstrap.sensitivity) == nothing
    assert refusal(lambda: bootstrap.sensitivity(["uniform"])) == nothing
    assert "BayesianBootstrap" in refusal(lambda: bootstrap.sensitivity([{"mu": "Beta(1, 1)"}]))
    rng = default_rng(0)
    y = rng.integers(0, 2, 60)
    items = op.compare(y, {"a": rng.random(60), "b": rng.random(60)}, measure="roc_auc", rng=0, draws=90)
    scores = op.compare_scores({"a": rng.random(60), "b": rng.random(60)}, rng=0, draws=90)
    ranked = op.rank(CLASSES, {"a": CLASSES, "b": CLASSES[::-1]}, average="macro", rng=0, draws=90)
    for r in (items, scores, ranked.comparison("a", "b")):
        assert refusal(r.sensitivity).startswith("this comparison cannot be repeated with another prior")
    back = op.Comparison.from_dict(compared().to_dict())
    assert "this comparison was read back without its draws" in refusal(back.sensitivity)


BAD: list[tuple[Any, str]] = [
    (
        ["unifrom"],
        "unknown prior 'unifrom'; did you mean 'uniform'? known: flat, haldane, hierarchical, jeffreys, light, partial",
    ),
    ([-1], "prior weights are finite and not negative"),
    ([None], "prior must be a name, a number or a prior such as op.Dirichlet(), got NoneType"),
    ([{"nu": "Beta(1, 1)"}], "unknown prior of 'nu'; "),
    ([{"mu": "Normal(0, 1)"}], "a probability lies between 0 and 1, which Normal does not"),
    ([{"eta": "Beta(1, 1)"}], "this model has no eta to give a prior to"),
    ([op.Dirichlet(1, positive=(1, 2, 3))], "prior positive has 3 numbers; give one, or one for each of 4"),
]


@pytest.mark.parametrize(("priors", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_priors(priors: Sequence[Any], sentence: str) -> None:
    assert sentence in refusal(lambda: compared().sensitivity(priors))


@pytest.mark.parametrize("priors", [[], "uniform", "jeffreys"])
def test_priors_are_a_list_that_is_not_empty(priors: Any) -> None:
    sentence = refusal(lambda: compared().sensitivity(priors))
    assert "unknown prior" not in sentence
    assert "prior" in sentence
