"""The papers' tables and figures computed anew: what is held against what, and the command that does it."""

from __future__ import annotations

import csv
import io
import json
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from re import findall
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.linear_model import LogisticRegression

import outperform as op
from outperform.cli.options import FORMATS
from outperform.datasets import printed
from outperform.reproduction import (
    REPRODUCTIONS,
    Cell,
    Reproduction,
    Reproductions,
    acl2019,
    icdm2015,
    run,
    sigir2016,
)
from outperform.reproduction.cells import Held
from outperform.reproduction.registry import Recipe, reproduction
from outperform.reproduction.simulated import ITEMS, MEAN, RUNS, Simulation, logistic, simulate, true_cells
from tests import command

SHIPPED = [name for name, recipe in REPRODUCTIONS.items() if not recipe.needed]
PAPERS = {
    "sigir2016": ("table3", "table4", "table5", "table6", "figure4", "figure5", "figure6"),
    "icdm2015": ("table2", "table3", "table4", "figures4to6"),
    "acl2019": ("table2", "table3", "table4", "table5", "figures1to3", "simulation"),
}
# How many figures are printed, and of which columns some are off for a reason that is known.
CELLS: dict[str, tuple[int, set[str]]] = {
    "sigir2016-table3": (28, set()),
    "sigir2016-table4": (220, {"bf_sd"}),
    "sigir2016-table5": (220, {"sign_test", "t_test", "bf_sd"}),  # the machine with L1 penalty is another fit
    "sigir2016-table6": (220, {"bf_sd"}),
    "icdm2015-table2": (88, {"svm_l1"}),
    "icdm2015-table3": (12, set()),
    "icdm2015-table4": (60, {"bf_sd"}),
    "acl2019-table2": (24, set()),
    "acl2019-table3": (9, set()),
    "acl2019-table4": (9, set()),
    "acl2019-simulation": (4, {"length"}),
}
TOLERANCES: dict[str, dict[str, set[str]]] = {
    "sigir2016-table4": {
        "sign_test": {"±0.02"},
        "t_test": {"±0.02"},
        "mean": {"±0.003"},
        "std": {"±0.002"},
        "bf_sd": {"±20%"},
        "hdi_low": {"±0.006"},
        "hdi_high": {"±0.006"},
        "decision": {"must be equal"},
    },
    "icdm2015-table2": {"nb_bern": {"±0.0005"}},
    "icdm2015-table3": {"t_test": {"±0.0005", "±0.01"}},
    "icdm2015-table4": {"mean": {"±0.002"}, "std": {"±0.002"}, "pct_rope": {"±1"}, "hdi_low": {"±0.002"}},
    "acl2019-table2": {"a_low": {"±0.01"}},
    "acl2019-table3": {"p_h0": {"±0.001"}, "accept": {"must be equal"}},
    "sigir2016-table3": {"paired": {"±0.1"}},
}
PICTURES = {"sigir2016-figure4": 1, "sigir2016-figure5": 2, "sigir2016-figure6": 2, "icdm2015-figures4to6": 9}
PICTURES |= {"acl2019-figures1to3": 6}


@pytest.fixture(autouse=True, scope="module")
def _computed_once() -> Iterator[None]:
    """Tables and figures of one paper show the same comparisons; all depend on nothing but their arguments."""
    with pytest.MonkeyPatch.context() as patched:
        for module, name in ((sigir2016, "compared"), (sigir2016, "_curves"), (icdm2015, "_compared")):
            patched.setattr(module, name, cache(getattr(module, name)))
        patched.setattr(acl2019, "simulate", simulated_once)
        yield


@cache
def simulated_once(seed: int) -> Simulation:
    return simulate(seed)


@cache
def found(name: str) -> Reproduction:
    return run(name)


def answered(*args: str) -> str:
    result = command.run("reproduce", *args)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_all_tables_and_figures_are_there() -> None:
    assert [*REPRODUCTIONS] == [f"{paper}-{part}" for paper, parts in PAPERS.items() for part in parts]
    listed = answered().splitlines()
    assert [line.split()[0] for line in listed] == [*REPRODUCTIONS]
    assert [line.split()[0] for line in listed if line.endswith("(needs --corpus)")] == ["acl2019-table5"]


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_reproduces_the_papers(name: str) -> None:
    own = found(name)
    assert own.holds, own.off()
    number, slips = CELLS.get(name, (0, set()))
    assert len(own.cells) == number
    assert {cell.column for cell in own.cells if not cell.within} == slips
    assert bool(own.cells or own.claims)
    assert len(own.pictures) == PICTURES.get(name, 0)
    for column, allowed in TOLERANCES.get(name, {}).items():
        assert {cell.allowed for cell in own.cells if cell.column == column} == allowed


@pytest.mark.parametrize("name", CELLS)
def test_cells_are_as_printed_and_marked_rightly(name: str) -> None:
    for cell in found(name).cells:
        if isinstance(cell.printed, str) or isinstance(cell.computed, str):
            assert cell.within == (cell.printed == cell.computed)
            continue
        assert cell.tolerance is not None
        assert cell.within == (abs(cell.printed - cell.computed) <= cell.tolerance + 1e-9)
        assert cell.printed == pytest.approx(float(cell.shown()[0]), abs=1e-12)
        assert bool(cell.reason) == (not cell.within)


def test_sixty_decisions_are_those_of_the_printed_intervals() -> None:
    words = [
        cell for table in (4, 5, 6) for cell in found(f"sigir2016-table{table}").cells if cell.column == "decision"
    ]
    assert len(words) == 60
    assert all(cell.within for cell in words)
    assert Counter(cell.printed for cell in words)["≈"] == 18


def test_slips_are_few_and_said() -> None:
    """Of the p-values and Bayes factors of an SVM that was fitted again, of factors that a chain cannot tell, …"""
    table = found("sigir2016-table5").tables()[0]
    text = found("sigir2016-table5").to_text()
    assert sum(cell.endswith("*") for row in table.rows for cell in row) == found("sigir2016-table5").known
    assert "and differs from the paper's" in text
    factors = [cell for cell in found("sigir2016-table4").cells if cell.column == "bf_sd" and not cell.within]
    assert all(isinstance(cell.printed, float) and cell.printed <= 2 for cell in factors)
    (length,) = [cell for cell in found("acl2019-simulation").cells if not cell.within]
    assert length.row == ("Wang et al. (2015)",)
    assert length.computed == pytest.approx(0.0854 * np.sqrt(0.36880211 * 6), rel=0.01)


def test_the_overview_counts_all_cells() -> None:
    each = tuple(found(name) for name in SHIPPED)
    whole = Reproductions(each, ("one is left out.",))
    assert whole.holds
    assert len(whole.records()) == sum(len(own.cells) + len(own.claims) for own in each)
    overview = whole.tables()[0]
    assert [row[0] for row in overview.rows] == SHIPPED
    assert [int(row[1]) for row in overview.rows] == [CELLS.get(name, (0, set()))[0] for name in SHIPPED]
    assert repr(whole).startswith(f"{len(SHIPPED)} tables and figures: ")
    assert len(json.loads(whole.to_json())["each"]) == len(SHIPPED)


def test_one_page_has_every_table_and_picture(tmp_path: Path) -> None:
    """Of figures with many pictures the first three, which have all kinds; the rest shows other pairs and tasks."""
    each = tuple(replace(found(name), pictures=found(name).pictures[:3]) for name in SHIPPED)
    page = Reproductions(each).to_html(tmp_path / "all.html")
    assert (tmp_path / "all.html").read_text(encoding="utf-8") == page
    for own in each:
        assert f"<h2>{own.title.replace(chr(39), '&#x27;')}</h2>" in page
    drawn = findall(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">', page)
    assert len(drawn) == sum(min(number, 3) for number in PICTURES.values())
    for caption, data in drawn:
        assert caption
        assert ElementTree.fromstring(b64decode(data)).tag == "{http://www.w3.org/2000/svg}svg"
    assert "http://" not in page.split("<body>")[0]


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format(format_: str) -> None:
    text = answered("acl2019-table3", "--format", format_)
    assert "precision" in text
    assert "0.024" in text
    if format_ == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == 9
        assert {row["within"] for row in rows} == {"True"}
    if format_ == "json":
        data = json.loads(text)
        assert Reproduction.from_dict(data).to_dict() == data


def test_a_frame_has_cells_and_claims() -> None:
    frame = found("sigir2016-table4").to_frame("pandas")
    assert len(frame) == 222
    assert frame["within"].sum() == 220 - found("sigir2016-table4").known + 2


def changed(**figures: str) -> Callable[[str], list[dict[str, str]]]:
    """The printed tables, with other figures in the first row of Table 4 of ACL'19."""

    def table(name: str) -> list[dict[str, str]]:
        rows = printed(name)
        first = next(row for row in rows if row.get("task") == "ner")
        return [row | figures if row is first else row for row in rows]

    return table


@pytest.mark.parametrize("format_", FORMATS)
def test_a_figure_that_is_off_exits_with_3(monkeypatch: pytest.MonkeyPatch, format_: str) -> None:
    monkeypatch.setattr(acl2019, "printed", changed(p_h0="0.323"))
    result = command.run("reproduce", "acl2019-table4", "--format", format_)
    assert result.exit_code == 3
    assert result.stderr == "not reproduced: acl2019-table4, p_h0 of precision\n"
    assert result.stdout.strip()
    if format_ == "text":
        assert "0.320!" in result.stdout
        counted = "8 of 9 cells are within tolerance, 1 outside for unknown reasons"
        assert f"{counted} (p_h0, p_h1 ±0.001; accept must be equal)." in result.stdout


def test_another_decision_exits_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acl2019, "printed", changed(accept="H0"))
    result = command.run("reproduce", "acl2019-table4")
    assert result.exit_code == 3
    assert "H1!" in result.stdout


def test_a_claim_that_does_not_hold_exits_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sigir2016, "MOST_ERROR", 1e-6)
    result = command.run("reproduce", "sigir2016-figure4")
    assert result.exit_code == 3
    assert "does not hold" in result.stdout
    assert result.stderr.startswith("not reproduced: sigir2016-figure4, no mean has a Monte-Carlo error")


def test_a_reason_is_given_only_where_a_cell_is_off() -> None:
    how = Held(0.01, 2)
    near, off = (Cell.of(("a",), "x", 0.30, y, how, "it is known") for y in (0.31, 0.32))
    assert (near.within, near.reason, near.holds) == (True, "", True)
    assert (off.within, off.reason, off.holds) == (False, "it is known", True)
    assert not Cell.of(("a",), "x", 0.30, 0.32, how).holds
    assert (near.shown(), off.shown()) == (("0.30", "0.31"), ("0.30", "0.32*"))


@pytest.mark.parametrize(("printed_", "allowed"), [(5.0, 1.0), (0.003, 0.0006), (0.0, 0.0005), (-2.0, 0.4)])
def test_a_share_of_the_figure_or_its_rounding(printed_: float, allowed: float) -> None:
    assert Held(0.2, share=True).allowed(printed_) == pytest.approx(allowed)


def totals(folder: Path, task: str, recall: int) -> str:
    """Six folds in which the second tag set predicts fewer chunks and finds so many more of them."""
    path = folder / "totals.csv"
    lines = ["task,tag_set,repetition,fold,gold,predicted,correct"]
    for system, predicted, correct in (("IOB2", 2200, 2030), ("IOBES", 2170, 2030 + recall)):
        lines += [f"{task},{system},{r},{k},3160,{predicted},{correct}" for r in (1, 2, 3) for k in (1, 2)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_table_5_takes_totals(tmp_path: Path) -> None:
    result = command.run("reproduce", "acl2019-table5", "--corpus", totals(tmp_path, "org", -15))
    assert result.exit_code == 0, result.output
    assert "neither the program nor the settings" in result.stdout
    own = run("acl2019-table5", corpus=totals(tmp_path, "org", -15))
    assert [cell.computed for cell in own.cells if cell.column == "accept"] == ["H1", "H0", "H0"]
    assert command.run("reproduce", "acl2019-table5", "--corpus", totals(tmp_path, "org", 40)).exit_code == 3


def test_totals_of_org_add_a_task_to_table_2_and_the_figures(tmp_path: Path) -> None:
    path = totals(tmp_path, "org", -15)
    own = run("acl2019-table2", corpus=path)
    assert len(own.cells) == 36
    assert {cell.row[0] for cell in own.cells if not cell.within} == {"org"}
    assert own.holds
    drawn = run("acl2019-figures1to3", corpus=path)
    assert len(drawn.pictures) == 9
    assert drawn.holds
    assert not run("acl2019-figures1to3", corpus=totals(tmp_path, "org", 40)).holds


def test_predictions_of_ones_own() -> None:
    path = str(op.datasets.newsgroups_path())
    own = run("icdm2015-table2", corpus=path)
    assert {cell.row[0] for cell in own.cells} == {"miF1", "maF1"}
    assert len(own.cells) == 8
    assert {cell.allowed for cell in own.cells} == {"±0.002"}
    assert own.holds
    assert run("sigir2016-figure6", corpus=path).to_dict() == found("sigir2016-figure6").to_dict()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["acl2019-table5"], "acl2019-table5 needs data that are not included; with --corpus give the English"),
        (["acl2019-table3", "--cache", "fits"], "acl2019-table3 trains no model; omit --cache and --jobs"),
        (["acl2019-table2", "--jobs", "2"], "acl2019-table2 trains no model; omit --cache and --jobs"),
        (["all", "--jobs", "2"], "--jobs needs the name of one table or figure instead of all"),
        (["sigir2016-table3", "--corpus", "x.csv"], "sigir2016-table3 uses only the included data; omit --corpus"),
        (["all", "--corpus", "x.csv"], "--corpus needs the name of one table or figure instead of all"),
        (["sigir2016-table7"], "unknown reproduction 'sigir2016-table7'; did you mean 'sigir2016-table"),
        (["acl2019-table5", "--corpus", "nowhere.csv"], "nowhere.csv"),
        (["sigir2016-table4", "--corpus", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_refusals(arguments: list[str], said: str) -> None:
    assert said in command.refused("reproduce", *arguments)


def test_predictions_of_other_classes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "three.csv"
    path.write_text("true,nb_bern,nb_mult\n0,0,1\n1,1,1\n2,2,2\n", encoding="utf-8")
    said = command.refused("reproduce", "sigir2016-table4", "--corpus", str(path))
    assert said.endswith("three.csv must have the classes 0 to 19; it has 0, 1, 2")


def test_all_leaves_out_what_needs_a_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*REPRODUCTIONS]:
        if not name.startswith("acl2019-table"):
            monkeypatch.delitem(REPRODUCTIONS, name)
    text = answered("all")
    assert "acl2019-table5 is left out because it needs the English training set of CoNLL 2003" in text
    for name in ("acl2019-table2", "acl2019-table3", "acl2019-table4"):
        assert REPRODUCTIONS[name].title in text


def test_one_decorator_adds_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    own: dict[str, Recipe] = {}
    monkeypatch.setattr("outperform.reproduction.registry.REPRODUCTIONS", own)

    @reproduction("x-table1", "X Table 1")
    def table(seed: int, _: str | None) -> Reproduction:
        return Reproduction(labels=("a",), cells=(Cell.of(("b",), "c", 1.0, float(seed), Held(0.5)),))

    assert [*own] == ["x-table1"]
    assert run("x-table1", 1).holds
    assert not run("x-table1", 2).holds
    assert run("x-table1", 1).tables()[0].caption == "X Table 1"


def test_the_simulated_regression_is_scikit_learns() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, (4, 300))
    x = rng.standard_normal((4, 300, 2)) + y[..., None] * MEAN
    weights = logistic(x, y)
    for own, items, labels in zip(weights, x, y, strict=True):
        other = LogisticRegression(C=np.inf, tol=1e-10).fit(items, labels)
        np.testing.assert_allclose(own, [*other.intercept_, *other.coef_[0]], rtol=1e-4)
    many = rng.standard_normal((400_000, 2))
    for own, (tp, fp, fn) in zip(weights, true_cells(weights), strict=True):
        hit, false = (((many + mean) @ own[1:] + own[0] > 0).mean() for mean in (MEAN, 0 * MEAN))
        assert [tp, fp, fn] == pytest.approx([hit / 2, false / 2, (1 - hit) / 2], abs=4 * 0.25 / np.sqrt(400_000))


def test_the_simulated_sums_are_of_six_folds() -> None:
    own = simulated_once(0)
    assert own.sums.shape == (RUNS, 3)
    positive = own.sums[:, 0] + own.sums[:, 2]
    assert (positive % 3 == 0).all()  # each positive item is tested in three repetitions
    assert positive.mean() == pytest.approx(3 * ITEMS / 2, abs=4 * 3 * np.sqrt(ITEMS / 4 / RUNS))
    best = 2 * (hit := ndtr(np.sqrt(0.5) / 2)) / (2 * hit + 2 * (1 - hit))  # of the best linear rule
    assert own.truth.mean() == pytest.approx(best, abs=0.01)


def test_a_picture_is_the_same_file_every_time() -> None:
    (picture, _) = found("sigir2016-figure6").pictures
    assert picture.svg() == picture.svg()
