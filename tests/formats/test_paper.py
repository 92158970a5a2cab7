"""Tables, figures and sentences for a paper: what they say, and that every engine sets them without an overfull box."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import outperform as op
from outperform.formats import escaping
from outperform.formats.paper import Span, paper
from outperform.formats.table import Column, Table
from outperform.results import Result, Several
from tests.formats.test_writers import NAMES
from tests.latex import ENGINES, LatexTable, compiled, read_latex
from tests.samples import RESULTS

Y = [1] * 400 + [0] * 600
BETTER = [1] * 360 + [0] * 40 + [1] * 30 + [0] * 570
WORSE = [1] * 300 + [0] * 100 + [1] * 40 + [0] * 560
NEAR = [1] * 359 + [0] * 41 + [1] * 31 + [0] * 569
LONG = ("Llama-3.1-405B_instruct&tuned#v2_with_100%_of_the_données_é", "the_baseline_" + "x" * 80)
DRAWS = 2_000


def compared(
    a: Sequence[int] = BETTER, b: Sequence[int] = WORSE, names: Sequence[str] = ("new", "old"), **asked: Any
) -> op.Comparison:
    settings: dict[str, Any] = {"rope": 0.02, "rng": 0, "draws": DRAWS} | asked
    r = op.compare(Y, dict(zip(names, (a, b), strict=True)), **settings)
    assert isinstance(r, op.Comparison)
    return r


def classes(names: Sequence[str] = ("new", "old"), suffix: str = "", **asked: Any) -> Result:
    kinds = ["cat", "dog", "bird"]
    truth = [kinds[k % 3] + suffix for k in range(900)]
    first, second = ([kinds[(k + (k % step == 0)) % 3] + suffix for k in range(900)] for step in (20, 4))
    settings: dict[str, Any] = {"average": "per_class", "rope": 0.02, "rng": 0, "draws": DRAWS} | asked
    r: Result = op.compare(truth, dict(zip(names, (first, second), strict=True)), **settings)
    return r


def slices(names: Sequence[str] = ("new", "old"), suffix: str = "", **asked: Any) -> Result:
    frame = pd.DataFrame(
        {"gold": Y, names[0]: BETTER, names[1]: WORSE, "by": [f"{k % 2}{suffix}" for k in range(1000)]}
    )
    settings: dict[str, Any] = {"rope": 0.02, "rng": 0, "draws": DRAWS} | asked
    return op.compare(frame, truth="gold", predictions=list(names), by="by", **settings)


def ranked(names: Sequence[str] = ("new", "near", "old"), **asked: Any) -> op.Ranking:
    settings: dict[str, Any] = {"rope": 0.02, "rng": 0, "draws": DRAWS} | asked
    return op.rank(Y, dict(zip(names, (BETTER, NEAR, WORSE), strict=False)), **settings)


def read(r: Result, **asked: Any) -> LatexTable:
    (table,) = read_latex(r.to_latex("paper", **asked))
    return table


# What a table says


def test_two_systems_are_rows_and_the_better_is_bold() -> None:
    r = compared()
    table = read(r)
    new, old, difference = table.rows[1:]
    assert table.rows[0] == ["system", "F1", "95% HDI"]
    assert [row[0] for row in table.rows[1:]] == ["new", "old", "new ≫ old"]
    assert (new[1], old[1], difference[1]) == ("0.911", "0.811", "+0.101")
    assert table.bold == ["0.911"]
    assert table.rules == [r"\midrule", r"\midrule"]
    assert (table.label, table.width) == ("tab:f1-new-old", r"\columnwidth")
    assert table.caption == (
        "F1 on 1,000 items, as observed, with the 95% highest density interval (HDI). Bold: the better system, where "
        "the HDI of the difference lies outside the region of practical equivalence (ROPE), ±0.02. new against old: ≫ "
        "better."
    )
    needs, text, appendix = table.comments
    assert needs == r"\usepackage{booktabs,tabularx}"
    assert text.startswith("In the text: On 1,000 items, new is better than old in F1 (0.911 against 0.811, ")
    assert appendix.startswith("In the appendix: Scores were compared with outperform ")


def test_the_worse_comes_second() -> None:
    table = read(compared(WORSE, BETTER, ("old", "new")))
    assert table.rows[-1][0] == "old ≪ new"
    assert table.bold == ["0.911"]
    assert table.rows[2][1] == "0.911"


@pytest.mark.parametrize(
    ("asked", "place"),
    [({}, "outside the region of practical equivalence (ROPE), ±0.02"), ({"rope": None}, "above or below 0")],
)
def test_nothing_is_bold_unless_it_is_distinguishable(asked: dict[str, Any], place: str) -> None:
    table = read(compared(BETTER, NEAR, **asked))
    assert not table.bold
    assert f"No score is bold: the HDI of the difference is not {place}." in table.caption


def test_without_a_rope_the_hdi_decides_and_there_are_no_signs() -> None:
    table = read(compared(rope=None))
    assert table.bold == ["0.911"]
    assert table.rows[-1][0] == "new − old"
    assert table.caption.endswith("Bold: the better system, where the HDI of the difference lies above or below 0.")


def test_of_errors_the_lower_is_bold() -> None:
    for rope in (0.02, None):
        table = read(compared(measure="error_rate", rope=rope))
        assert table.rows[0][1] == "error rate"
        assert table.bold == ["0.070"]


def test_too_few_units_make_nothing_bold() -> None:
    scores = {"a": [0.9, 0.8, 0.9, 0.95], "b": [0.1, 0.2, 0.1, 0.12]}
    r = op.compare_scores(scores, rng=0, draws=DRAWS)
    assert r.delta.hdi[0] > 0
    assert r.leader is None
    assert not read(r).bold


def test_identical_systems_have_no_leader() -> None:
    assert compared(BETTER, BETTER, rope=None).leader is None


def test_a_comparison_that_was_read_back_has_a_table() -> None:
    r = compared()
    back = op.Comparison.from_dict(r.to_dict())
    assert back.to_latex("paper") == r.to_latex("paper")
    assert op.Comparison.from_dict(compared(rope=None).to_dict()).leader is None  # the measure's direction is not known


def test_classes_are_rows_of_both_scores() -> None:
    r = classes()
    assert isinstance(r, op.PerClass)
    table = read(r)
    assert table.rows[0] == ["class", "new", "old", "95% HDI of Δ", ""]
    assert [row[0] for row in table.rows[1:]] == ["bird", "cat", "dog"]
    assert table.bold == [row[1] for row in table.rows[1:]]
    assert table.caption.startswith("F1 per class on 900 items, as observed, with ")
    assert "Δ = new − old" in table.caption
    assert "Expected number of wrong verdicts: less than 0.01 of 3. new against old: ≫ better." in table.caption


def test_long_names_stand_in_the_caption() -> None:
    table = read(classes(LONG))
    assert table.rows[0][1:3] == ["A", "B"]
    assert f"A is {escaping.label(LONG[0])}, B is {escaping.label(LONG[1])}, Δ = A − B." in table.caption
    assert read(compared(names=LONG)).rows[-1][0] == "First ≫ second"


def test_withheld_verdicts_make_nothing_bold() -> None:
    r = classes(fdr=1e-12)
    assert isinstance(r, op.PerClass)
    withheld = [row for row in r if row.withheld]
    assert len(read(r).bold) == 3 - len(withheld)


def test_slices_are_rows() -> None:
    table = read(slices())
    assert table.rows[0][0] == "slice"
    assert len(table.rows) == 3
    assert "F1 per slice on 1,000 items" in table.caption
    assert table.comments[-1].endswith("n:\\allowbreak{}1000.")


def test_the_first_of_a_ranking_is_bold_only_if_it_is_distinguishable_from_all() -> None:
    near = ranked()
    assert near.leader is None
    table = read(near)
    assert not table.bold
    assert table.rows[0] == ["system", "F1", "95% HDI", "P(best)", ""]
    assert [row[-1] for row in table.rows[1:]] == ["a", "a", "b"]
    assert "No score is bold: no system is distinguishable from every other one." in table.caption
    alone = op.rank(Y, {"old": WORSE, "new": BETTER}, rope=0.02, rng=0, draws=DRAWS)
    assert alone.leader is not None
    assert alone.leader.name == "new"
    assert read(alone).bold == ["0.911"]
    assert read(alone.with_rope(None)).bold == ["0.911"]
    errors = op.rank(Y, {"old": WORSE, "new": BETTER}, measure="error_rate", rng=0, draws=DRAWS)
    assert read(errors).bold == ["0.070"]


def test_estimates_have_no_bold() -> None:
    parts = tuple(op.estimate(Y, {name: p}, rng=0, draws=DRAWS) for name, p in (("new", BETTER), ("old", WORSE)))
    table = read(Several(parts))
    assert [row[0] for row in table.rows] == ["system", "new", "old"]
    assert not table.bold


def test_measures_are_rows_of_several_bayes_tests() -> None:
    table = read(RESULTS["Bayes tests"]("old"))
    assert [row[0] for row in table.rows] == ["measure", "F1", "recall"]


@pytest.mark.parametrize("kind", ["sensitivity", "power", "plan", "predictive check"])
def test_other_results_are_refused(kind: str) -> None:
    r = RESULTS[kind]("a")
    with pytest.raises(ValueError, match="the style paper is for comparisons, rankings and estimates, not for a "):
        r.to_latex("paper")


def suite(names: Sequence[str] = ("new", "old"), suffix: str = "", **asked: Any) -> op.ThreeWay:
    scores = {
        name: [[0.8 - 0.1 * k + 0.01 * (fold * (k + 2) % 5) + 0.002 * s for fold in range(5)] for s in range(8)]
        for k, name in enumerate(names)
    }
    settings: dict[str, Any] = {"rope": 0.01, "runs": 1, "measure": "accuracy", "rng": 0, "draws": 500} | asked
    return op.compare_datasets(scores, datasets=[f"set {k}{suffix}" for k in range(8)], **settings)


def test_data_sets_are_rows_and_all_of_them_the_last() -> None:
    r = suite()
    table = read(r)
    assert table.rows[0] == ["data set", "Δ", "about 95% HDI of Δ", ""]
    assert [row[0] for row in table.rows[1:]] == [*(f"set {k}" for k in range(8)), "all"]
    assert {row[3] for row in table.rows[1:]} == {"≫"}
    assert table.rules == [r"\midrule", r"\midrule"]
    assert not table.bold
    assert table.caption.startswith("Accuracy on 8 data sets, Δ = new − old, as observed, with the 95% highest density")
    assert "commonest outcome on data sets like these: new better >99.9%, practically the same <0.1%" in table.caption
    text, appendix = r.how_to_report().split("\n\n")
    assert text.startswith("In the text: Over 8 data sets, in accuracy, new is better than old (mean difference +0.1")
    assert "A verdict requires a probability of 97.5%. Signature: outperform:" in appendix
    assert read(r, columns=["mean"]).rows[0] == ["data set", "mean"]
    with pytest.raises(ValueError, match="unknown column 'score'; known: difference, interval, mean, verdict"):
        r.to_latex("paper", columns=["score"])


def test_scores_of_folds_are_one_row() -> None:
    r = op.compare_folds({"new": [0.8, 0.7, 0.9], "old": [0.7, 0.72, 0.71]}, runs=1, rope=0.01)
    table = read(r)
    assert [row[0] for row in table.rows[1:]] == ["new − old"]
    assert "on 3 folds of one data set" in table.caption
    assert "A verdict requires" not in r.how_to_report()
    means = op.compare_datasets({"new": [0.8, 0.9] * 5, "old": [0.7, 0.8] * 5}, rope=0.01, rng=0, draws=500)
    assert [row[-1] for row in read(means).rows[1:]] == [*"–" * 10, "≫"]  # what was observed once is no verdict
    assert len(read(suite(rope=None)).rows[0]) == 3  # no verdicts
    assert "new is better with posterior probability" in suite(rope=None).how_to_report()


def test_a_mean_is_shown_where_what_was_observed_lies_outside_its_interval() -> None:
    r = op.estimate([1] * 6, {"a": [1] * 6}, measure="recall", rng=0, draws=DRAWS, labels=[0, 1])
    assert r.observed == 1
    shown = read(r).rows[0]
    assert ("mean" in shown) == (not r.hdi[0] <= 1 <= r.hdi[1])


# Columns and widths


def test_columns_are_chosen_in_order() -> None:
    table = read(compared(), columns=["mean", "half", "mean"])
    assert table.rows[0] == ["system", "mean", "±"]
    assert len(table.bold) == 1
    with pytest.raises(
        ValueError, match="unknown column 'means'; did you mean 'mean'\\? known: half, higher, interval"
    ):
        read(compared(), columns=["means"])


def test_half_covers_the_interval() -> None:
    r = compared()
    half = float(read(r, columns=["half"]).rows[1][1])
    assert r.a.observed is not None
    assert half == pytest.approx(max(r.a.observed - r.a.hdi[0], r.a.hdi[1] - r.a.observed), abs=5e-4)


def test_every_column_of_every_kind_can_be_written() -> None:
    many = {
        "score mean sd interval half higher rope": compared(),
        "items a a-interval b b-interval difference mean": classes(),
        "sd interval half higher rope verdict": classes(),
        "score mean sd interval half best rank group": ranked(),
    }
    for columns, r in many.items():
        table = read(r, columns=columns.split(), span="page")
        assert len(table.rows[0]) == 1 + len(columns.split())
        assert table.width == r"\textwidth"


def test_names_that_do_not_fit_above_numbers_are_in_the_caption() -> None:
    for names, heads in (
        (("resnet-50", "ViT_B/16"), ["A", "B"]),
        (("baseline", "new"), ["baseline", "new"]),
        (("GPT-4o", "claude"), ["GPT-4o", "claude"]),
    ):
        y = ["cat", "dog", "bird"] * 30
        predictions = dict(zip(names, (y[:60] + ["dog"] * 30, y[:45] + ["cat"] * 45), strict=True))
        r = op.compare(y, predictions, average="per_class", rope=0.02, rng=0, draws=DRAWS)
        table = r.to_latex("paper")
        assert f"class & {heads[0]} & {heads[1]} &" in table
        assert names[0] in table


def test_too_many_columns_are_refused() -> None:
    every = ["score", "mean", "sd", "interval", "higher", "rope"]
    with pytest.raises(
        ValueError,
        match=r'these columns take \d\.\d\d inches and there are 3\.03; choose fewer with columns=, or use span="page"',
    ):
        compared().to_latex("paper", columns=every)
    assert read(compared(), columns=every, span=5.5).width == "5.5in"
    wide = [f"{side}{part}" for side in "ab" for part in ("", "-interval")]
    with pytest.raises(ValueError, match=r"choose fewer with columns=$"):
        classes().to_latex(
            "paper",
            columns=[*wide, "items", "difference", "mean", "sd", "interval", "half", "higher", "rope"],
            span="page",
        )


@pytest.mark.parametrize("span", ["colum", "0.5", "21", "nan", "inf", ""])
def test_a_span_is_a_column_a_page_or_inches(span: str) -> None:
    with pytest.raises(ValueError, match=f"span= takes column, page or a width of 1 to 20 inches, got '{span}'"):
        compared().to_latex("paper", span=span)


def test_a_style_is_known() -> None:
    with pytest.raises(ValueError, match="unknown style 'papers'; did you mean 'paper'\\? known: full, paper"):
        compared().to_latex("papers")


# Names


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_said(name: str) -> None:
    columns = [Column("system", "l"), Column("n")]
    table = Table(columns, [[name, "-0.250"], ["b", name]], f"of {name}.", f"x:{name}", [name or "none"], label="tab:x")
    (seen,) = read_latex(paper(table, Span.of("column"), [f"In the text: {name}"]))
    assert [row[0] for row in seen.rows] == ["system", escaping.label(name), "b"]
    assert seen.rows[2][1] == name
    assert seen.caption == f"of {name}."


def test_long_words_may_break_and_short_ones_may_not() -> None:
    written = escaping.latex("a 0.05 talk.politics.misc Donaudampfschifffahrt electronics", 8)
    assert written == r"a 0.05 talk.\allowbreak{}politics.\allowbreak{}misc Donauda\-mpfschi\-fffahrt electron\-ics"
    assert escaping.latex("ab_c" * 3) == r"ab\_cab\_cab\_c"


# Engines


def hostile() -> Iterator[str]:
    """Every kind of result, with short and with long names."""
    kinds: Sequence[Callable[..., Result]] = (compared, classes, slices, ranked, suite)
    for make in kinds:
        yield make().to_latex("paper")
        yield make(rope=None).to_latex("paper")
    suffix = "_&_% #é of the Donaudampfschifffahrtsgesellschaft"
    yield compared(names=LONG).to_latex("paper")
    yield classes(LONG, suffix).to_latex("paper")
    yield slices(LONG, suffix).to_latex("paper")
    yield suite(LONG, suffix).to_latex("paper")
    yield ranked([f"{name}{suffix}" for name in ("new", "near", "old")]).to_latex("paper")
    yield ranked([name * 12 for name in ("NEWSYSTEM", "WWWMMM", "a_b-c.d")]).to_latex("paper")
    yield classes().to_latex("paper", columns=["items", "a", "a-interval", "b", "b-interval", "interval"], span="page")
    yield compared(names=LONG).to_latex("paper", columns=["score", "half", "higher"], span=3.0)


@cache
def pages() -> str:
    return "\n\\clearpage\n".join(hostile())


@pytest.mark.parametrize("options", ["twocolumn", "twocolumn,11pt"])
@pytest.mark.parametrize("engine", ENGINES)
def test_no_box_is_overfull(engine: str, options: str, tmp_path: Path) -> None:
    log = compiled(engine, pages(), tmp_path, options).with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    assert not re.findall(r"^Overfull .*", log, re.MULTILINE)
    assert not re.findall(r"^! .*|LaTeX Error", log, re.MULTILINE)


# Sentences


def test_sentences_say_how_it_was_decided() -> None:
    text, appendix = compared().how_to_report().split("\n\n")
    assert re.fullmatch(
        r"In the text: On 1,000 items, new is better than old in F1 \(0\.911 against 0\.811, a difference of \+0\.101\)"
        r"; the 95% highest density interval \(HDI\) of the difference, \[\+0\.\d+, \+0\.\d+\], lies outside the "
        r"region of practical equivalence \(ROPE\), ±0\.02\.",
        text,
    )
    assert "(paired model, light prior, 2,000 posterior draws, seed 0)" in appendix
    assert appendix.endswith(f"Signature: {compared().signature}.")


@pytest.mark.parametrize(
    ("r", "said"),
    [
        (lambda: compared(BETTER, NEAR, rope=0.1), "new and old are practically the same in F1"),
        (lambda: compared(BETTER, NEAR, rope=0.0005), "crosses a boundary of the region of practical equivalence"),
        (lambda: compared(BETTER, NEAR, rope=0.0005), "the comparison of new and old is unresolved in F1"),
        (lambda: compared(WORSE, BETTER), "new is worse than old in F1"),
        (lambda: compared(rope=None), "new scores higher than old with posterior probability >99.9% in F1"),
        (lambda: compared(BETTER, NEAR, rope=None), "includes 0."),
        (classes, "In F1, new is better than old on 3 of 3 classes. The expected"),
        (lambda: classes(rope=None), "In F1, new is better than old on 3 of 3 classes."),
        (slices, "In F1, new is better than old on "),
        (ranked, "new comes first of 3 systems in F1 (0.911); it is not distinguishable from near and is the"),
        (lambda: op.estimate(Y, {"new": BETTER}, rng=0, draws=DRAWS), "On 1,000 items, new has an F1 of 0.911 (95%"),
    ],
)  # fmt: skip
def test_sentences(r: Callable[[], Result], said: str) -> None:
    assert said in r().how_to_report()


def test_other_results_have_no_sentence() -> None:
    with pytest.raises(
        ValueError, match="there are sentences for a paper about comparisons, rankings and estimates, not"
    ):
        RESULTS["plan"]("a").how_to_report()


# Figures


@pytest.mark.parametrize("make", [compared, classes, slices, ranked])
def test_a_figure_is_as_wide_as_a_column_and_embeds_its_fonts(make: Callable[[], Result], tmp_path: Path) -> None:
    path = tmp_path / "figure.pdf"
    make().save_figure(path)
    written = path.read_bytes()
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", written)
    assert box
    assert float(box[1]) == pytest.approx(3.3 * 72)
    assert b"/Type3" not in written
    make().save_figure(tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == written


def test_figures_have_three_formats(tmp_path: Path) -> None:
    for ending, start in (("svg", b"<?xml"), ("png", b"\x89PNG")):
        compared().save_figure(tmp_path / f"a.{ending}", width=5)
        assert (tmp_path / f"a.{ending}").read_bytes().startswith(start)
    with pytest.raises(
        ValueError, match=r"a figure is written to a file that ends in \.pdf, \.svg or \.png, got 'a\.gif'"
    ):
        compared().save_figure("a.gif")
    parts = tuple(op.estimate(Y, {name: BETTER}, rng=0, draws=DRAWS) for name in "ab")
    with pytest.raises(ValueError, match="a figure shows one result, and there are several here"):
        Several(parts).save_figure(tmp_path / "a.pdf")
