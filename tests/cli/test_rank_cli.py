"""The command `rank` as a user meets it, and how rankings are written."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import outperform as op
from outperform.cli.options import FORMATS
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

NEWS = str(op.datasets.newsgroups_path())
FOUR = ("nb_bern", "nb_mult", "svm_l1", "svm_l2")
ONE = [NEWS, "--truth", "true", "--predictions", *FOUR, "--pos-label", "8", "--draws", "2000"]
RNG = default_rng(3)
TRUTH = RNG.integers(2, size=60)
COLUMNS: dict[str, Any] = (
    {"doc": [f"d{k // 3}" for k in range(60)], "gold": TRUTH}
    | {
        name: np.where(RNG.random(60) < flipped, 1 - TRUTH, TRUTH)
        for name, flipped in zip("abc", (0.1, 0.2, 0.4), strict=True)
    }
    | {
        f"p{name}": np.clip(TRUTH / 2 + 0.25 + RNG.normal(0, sd, 60), 0, 1)
        for name, sd in zip("abc", (0.2, 0.4, 1.0), strict=True)
    }
    | {f"s{name}": RNG.normal(mean, 1, 60) for name, mean in zip("abc", (0.0, 0.5, 1.0), strict=True)}
)
LABELS = ["--truth", "gold", "--predictions", "a", "b", "c"]
CHANCES = ["--truth", "gold", "--predictions", "pa", "pb", "pc"]
SCORES = ["--scores", "sa", "sb", "sc"]


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "systems.csv"
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        writer.writerows(zip(*COLUMNS.values(), strict=True))
    return str(file)


def some(*names: str) -> dict[str, Any]:
    return {name: COLUMNS[name] for name in names}


def told(*args: str) -> Any:
    result = run("rank", *args, "--format", "json")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("asked", [LABELS, CHANCES, SCORES], ids=["labels", "chances", "scores"])
def test_every_format(path: str, asked: list[str], format_: str) -> None:
    measure = ["--measure", "roc_auc"] if asked is CHANCES else []
    result = run("rank", path, *asked, *measure, "--rope", "0.01", "--draws", "500", "-v", "--format", format_)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    for name in asked[-3:]:
        assert name in result.stdout
    assert "outperform:" in result.stdout


def test_text_of_newsgroups() -> None:
    result = run("rank", *ONE, "--rope", "0.01")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "nb_mult comes first, P(best) = 47.5%; not distinguishable from it: svm_l2, svm_l1"
    assert lines[1].startswith(
        "Next: choose among nb_mult, svm_l2 and svm_l1 by other reasons, such as cost, or collect "
    )
    assert lines[3] == "f1 of 4 systems on 7,532 items; differences in the ROPE, [-0.01, +0.01], do not matter"
    body = [line.split()[:3] for line in lines if line.split()[:1] in (["a"], ["b"])]
    assert body == [
        ["a", "nb_mult", "0.741"],
        ["a", "svm_l2", "0.735"],
        ["a", "svm_l1", "0.721"],
        ["b", "nb_bern", "0.596"],
    ]
    assert "Note: Systems that share a letter are not distinguishable: there is no order among them." in lines
    assert not any("Cochran" in line for line in lines)
    full = run("rank", *ONE, "--rope", "0.01", "-v").stdout.splitlines()
    assert "Note: Classical p-values: Cochran's Q <0.001." in full
    assert "no ROPE: distinguishable where the 95% HDI of the difference leaves out 0" in run("rank", *ONE).stdout


def test_json_is_the_librarys() -> None:
    news = op.datasets.newsgroups()
    predictions = {name: news.predictions[name] for name in FOUR}
    expected = op.rank(news.truth, predictions, pos_label=8, rope=0.01, draws=2_000, rng=0)
    assert told(*ONE, "--rope", "0.01") == json.loads(expected.to_json())


def test_csv_has_full_precision(path: str) -> None:
    args = [path, *LABELS, "--draws", "500"]
    rows = list(csv.DictReader(io.StringIO(run("rank", *args, "--format", "csv").stdout)))
    for row, system in zip(rows, told(*args)["systems"], strict=True):
        assert (row["system"], float(row["mean"]), float(row["p_best"])) == (
            system["name"], system["mean"], system["p_best"],
        )  # fmt: skip


def test_scores(path: str) -> None:
    expected = op.rank_scores(some("sa", "sb", "sc"), rope=0.1, draws=500, rng=5)
    args = [path, *SCORES, "--draws", "500", "--seed", "5", "--rope", "0.1"]
    assert told(*args) == json.loads(expected.to_json())
    assert [s["name"] for s in told(*args)["systems"]] == ["sc", "sb", "sa"]
    assert [s["name"] for s in told(*args, "--lower-is-better")["systems"]] == ["sa", "sb", "sc"]
    assert told(*args, "--measure", "ndcg")["measure"] == "ndcg"


@pytest.mark.parametrize("asked", [LABELS, SCORES], ids=["labels", "scores"])
def test_systems_are_not_drawn_together_where_that_is_not_wanted(path: str, asked: list[str]) -> None:
    columns = some(*asked[-3:])
    verb = op.rank_scores if asked is SCORES else partial(op.rank, TRUTH)
    for option, shrink in (([], True), (["--no-shrink"], False)):
        expected = verb(columns, shrink=shrink, draws=500, rng=0)
        found = told(path, *asked, "--draws", "500", *option)
        assert found == json.loads(expected.to_json())
        assert f"|shrink:{'yes' if shrink else 'no'}|" in found["signature"]


def test_clusters(path: str) -> None:
    cluster = ["--cluster", "doc", "--draws", "500"]
    expected = op.rank_scores(some("sa", "sb", "sc"), cluster=COLUMNS["doc"], draws=500, rng=0)
    found = told(path, *SCORES, *cluster)
    assert found == json.loads(expected.to_json())
    assert "20 clusters are resampled whole; they hold 60 items." in found["notes"]
    model = op.BayesianBootstrap(COLUMNS["doc"])
    labels = op.rank(TRUTH, some("a", "b", "c"), measure="accuracy", model=model, draws=500, rng=0)
    assert told(path, *LABELS, *cluster, "--measure", "accuracy") == json.loads(labels.to_json())


def test_areas(path: str) -> None:
    expected = op.rank(TRUTH, some("pa", "pb", "pc"), measure="roc_auc", mass=0.8, draws=500, rng=0)
    found = told(path, *CHANCES, "--measure", "roc_auc", "--mass", "0.8", "--draws", "500")
    assert found == json.loads(expected.to_json())
    assert found["model"] == "bootstrap"
    losses = told(path, *CHANCES, "--measure", "brier", "--draws", "500")["systems"]
    assert [s["mean"] for s in losses] == sorted(s["mean"] for s in losses)


def test_models_and_priors(path: str) -> None:
    args = [path, *LABELS, "--draws", "500"]
    assert told(*args, "--model", "unpaired", "--prior", "hierarchical")["prior"].startswith("hierarchical")
    assert told(*args, "--prior", "jeffreys")["model"] == "paired"


def test_output_goes_to_a_file(path: str, tmp_path: Path) -> None:
    target = tmp_path / "r.tex"
    result = run("rank", path, *LABELS, "--draws", "500", "--format", "latex", "-o", str(target))
    assert (result.exit_code, result.stdout) == (0, "")
    assert target.read_text(encoding="utf-8").count(r"\begin{table}") == 2


def test_help_shows_how() -> None:
    text = run("rank", "--help").stdout
    assert "outperform rank preds.csv --truth gold --predictions svm nb tree" in text
    assert "--require" not in text


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([*LABELS[:-2]], "Error: rank takes two systems or more, got 1: 'a'"),
        (["--scores", "sa"], "Error: rank takes two systems or more, got 1: 'sa'"),
        ([*LABELS, "zz"], "systems.csv has no column 'zz'; it has 'doc', 'gold', 'a', "),
        (["--scores", "sa", "zz"], "systems.csv has no column 'zz'; it has 'doc', 'gold', 'a', "),
        (["--scores", "sa", "doc"], "systems.csv, line 2: 'd0' in column 'doc' is not a number"),
        ([*LABELS, "--average", "per_class"], "give --pos-label for one class, or --average macro"),
        ([*LABELS, "--prior", "hierarchical"], "Error: a hierarchical prior pairs at most 2 classifiers, got 3"),
        ([*LABELS, "--rope", "x"], "Error: --rope takes a number, a percentage or LOW,HIGH, got 'x'"),
        ([*LABELS, "--rope", "0.2,0.1"], "Error: rope is reversed: its low end 0.2 is above its high end 0.1"),
        ([*LABELS, "--mass", "2"], "Error: mass must lie between 0 and 1, as in 0.95, got 2.0"),
        ([*LABELS, "--measure", "accuracyy"], "Error: unknown measure 'accuracyy'; did you mean 'accuracy'?"),
        ([*LABELS, "--require", "better"], "Error: No such option '--require'."),
        ([*CHANCES, "--measure", "roc_auc", "--model", "paired"], "use --model bootstrap"),
        ([*SCORES, "--truth", "gold"], "Error: --truth has no use for scores; leave it out"),
        ([*SCORES, "--prior", "uniform"], "Error: --prior has no use for scores; leave it out"),
        ([*SCORES, "--cluster", "zz"], "systems.csv has no column 'zz'; it has 'doc', 'gold', 'a', "),
        (
            [*LABELS, "--lower-is-better"],
            "Error: --lower-is-better goes with scores (--scores or --from); measures know it",
        ),
    ],
)
def test_refusals_are_in_the_words_of_the_command(path: str, args: list[str], sentence: str) -> None:
    assert sentence in refused("rank", path, *args)


@pytest.mark.parametrize("asked", [LABELS, SCORES], ids=["predictions", "scores"])
def test_a_column_that_is_named_twice_is_not_dropped_in_silence(path: str, asked: list[str]) -> None:
    assert f"{asked[-1]!r}" in refused("rank", path, *asked, asked[-1])


def test_without_a_file() -> None:
    assert "name a file, or - for standard input, before --predictions" in refused("rank")
    assert "no such file" in refused("rank", "nowhere.csv", *LABELS).lower()


def test_a_square_for_twelve_and_a_list_for_more() -> None:
    many = {f"s{k:02}": np.where(default_rng(k).random(60) < 0.03 * k, 1 - TRUTH, TRUTH) for k in range(13)}
    for rope, last in ((None, "P(row scores higher than column)"), (0.05, "verdict on row against column")):
        twelve = op.rank(TRUTH, {name: many[name] for name in tuple(many)[:12]}, rope=rope, draws=200, rng=0)
        rows = [len(table.rows) for table in twelve.tables()]
        assert rows == [12, 12]
        assert f"Every two systems: {last}" in twelve.to_text(verbose=True)
        assert f"Every two systems: {last} are left out; -v shows all" in twelve.to_text()
        listed = op.rank(TRUTH, many, rope=rope, draws=200, rng=0)
        assert [len(table.rows) for table in listed.tables()] == [13, 78]
        assert [row[:2] for row in listed.tables()[1].rows] == [[p.a, p.b] for p in listed.pairs]
    assert {row[-1] for row in listed.tables()[1].rows} <= set("≪<≈>≫?")
    assert listed.to_text(verbose=True).count("s07") == 13  # its row and those of its pairs


def test_the_square_is_its_own_mirror() -> None:
    r = op.rank(TRUTH, some("a", "b", "c"), rope=0.05, draws=300, shrink=False, rng=0)
    cells = [row[1:] for row in r.tables()[1].rows]
    mirror = str.maketrans("≪<>≫", "≫><≪")
    assert all(cells[i][j] == cells[j][i].translate(mirror) for i in range(3) for j in range(3))
    assert len({cell for row in cells for cell in row}) > 3


def test_names_are_escaped() -> None:
    r = op.rank(TRUTH, {"a_b": COLUMNS["a"], "c&<b>": COLUMNS["b"]}, rope=0.02, draws=100, rng=0)
    assert r"a\_b" in r.to_latex()
    assert r"c\&$<$b$>$" in r.to_latex()
    assert r"a\_b" in r.to_markdown()
    assert "<td>c&amp;&lt;b&gt;</td>" in r._repr_html_()
    assert "<b>" not in r._repr_html_()


def test_a_leader_is_to_be_used() -> None:
    result = run(
        "rank", NEWS, "--truth", "true", "--predictions", "nb_mult", "nb_bern", "--pos-label", "8", "--rope", "0.001"
    )
    assert result.stdout.splitlines()[1] == "Next: use nb_mult."


@pytest.mark.parametrize("form", ["confusion", "saved", "table", "logs"])
def test_report_of_three_systems(form: str, tmp_path: Path) -> None:
    if form in ("confusion", "saved"):
        files = [str(tmp_path / f"{name}.csv") for name in "abc"]
        for k, file in enumerate(files):
            Path(file).write_text(f"x,ham,spam\nham,{40 - k},{k}\nspam,{3 * k},30\n")
        args = [*files, "--confusion", "--pos-label", "spam"]
        if form == "saved":
            assert run("count", *files, "--confusion", "-o", str(tmp_path / "counts.json")).exit_code == 0
            args = [str(tmp_path / "counts.json"), "--pos-label", "spam"]
    elif form == "table":
        rows = [[k, k % 2, k % 3 > 0, k % 5 > 0] for k in range(60)]
        (tmp_path / "t.json").write_text(json.dumps({"columns": ["id", "a", "b", "c"], "data": rows}))
        args = [str(tmp_path / "t.json"), "--from", "table", "--metric", "a", "b", "c"]
    else:
        for k, name in enumerate("abc", start=2):
            (tmp_path / name).mkdir()
            lines = [json.dumps({"doc_id": item, "resps": [], "acc": item % k > 0}) for item in range(60)]
            (tmp_path / name / "samples_task_2025-04-30T18-24-41.jsonl").write_text("\n".join(lines))
        args = [str(tmp_path), "--from", "lm-eval"]
    page = tmp_path / "page.html"
    assert run("report", *args, "-o", str(page)).exit_code == 0
    assert "comes first" in page.read_text(encoding="utf-8")
