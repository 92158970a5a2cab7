"""Options for a paper and for a pull request: what they write, and what they refuse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import outperform as op
from tests.command import refused, run
from tests.latex import read_latex
from tests.samples import RESULTS

pytestmark = pytest.mark.usefixtures("few_draws")


@pytest.fixture(autouse=True)
def preds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, and a folder to write to."""
    monkeypatch.chdir(tmp_path)
    Path("preds.csv").write_text(op.datasets.example(), encoding="utf-8")


ASKED = ["compare", "preds.csv", "-t", "gold", "-p", "svm", "nb", "--pos-label", "yes", "--rope", "0.05"]


def test_a_table_and_a_figure_for_a_paper() -> None:
    done = run(*ASKED, "--style", "paper", "--columns", "score", "half", "--figure", "f.pdf", "-o", "t.tex")
    assert done.exit_code == 0, done.output
    (table,) = read_latex(Path("t.tex").read_text(encoding="utf-8"))
    assert table.rows[0] == ["system", "F1", "±"]
    assert Path("f.pdf").read_bytes().startswith(b"%PDF")


def test_the_style_is_latex_on_standard_output_too() -> None:
    written = run(*ASKED, "--style", "paper", "--span", "page").stdout
    assert read_latex(written)[0].width == r"\textwidth"
    full = run(*ASKED, "--style", "full").stdout
    assert full == run(*ASKED, "--format", "latex").stdout


def test_a_figure_as_wide_as_is_said() -> None:
    assert run(*ASKED, "--figure", "f.pdf", "--span", "5").exit_code == 0
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ", Path("f.pdf").read_bytes())
    assert box
    assert float(box[1]) == 360


def test_guesses_repeat_the_options() -> None:
    done = run("preds.csv", "--rope", "0.05", "--style", "paper", "--columns", "score", "half", "--span", "3.03")
    assert done.stderr.splitlines()[-1].endswith("--rope 0.05 --style paper --columns score half --span 3.03")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--style", "papr"], "unknown style 'papr'; did you mean 'paper'? known: full, paper"),
        (["--style", "paper", "--format", "json"], "--style paper is for LaTeX, not for json; use --format latex"),
        (["--columns", "score"], "--columns goes with --style paper; add it, or leave --columns out"),
        (["--span", "page"], "--span goes with --style paper or --figure; add one of them, or leave --span out"),
        (
            ["--style", "paper", "--span", "wide"],
            "--span takes column, page or a width of 1 to 20 inches, got 'wide'",
        ),
        (
            ["--style", "paper", "--columns", "scor"],
            "unknown column 'scor'; did you mean 'score'? known: half, higher, ",
        ),
        (
            ["--style", "paper", "--columns", "score", "mean", "sd", "interval", "higher", "rope"],
            "inches and there are 3.03; choose fewer with --columns, or use --span page",
        ),
        (["-o", "f.PDF"], "'f.PDF' ends as a figure does, and --output writes text; draw it with --figure, "),
        (
            ["-o", "c.docx"],
            "'c.docx' ends in .docx, a format that is not written; use .json, .md, .markdown, .tex, .csv",
        ),
        (["-o", "c.xlsx.gz"], "ends in .xlsx, a format that is not written"),
        (["--figure", "f.doc"], "a figure is written to a file that ends in .pdf, .svg or .png, got 'f.doc'"),
        (["--badge"], "--badge is for Markdown, not for text; use --format markdown"),
    ],
)
def test_refusals(options: list[str], said: str) -> None:
    assert said in refused(*ASKED, *options)


def test_results_without_such_a_table_are_refused() -> None:
    sizes = ["power", "--scores", "0.8,0.7", "--prevalence", "0.3", "--agreement", "0.8", "--rope", "0.01", "-n", "100"]
    said = "the style paper is for comparisons, rankings and estimates, not for a Power; leave it out"
    assert said in refused(*sizes, "--studies", "20", "--style", "paper")


# Badges


def test_a_badge_shows_the_verdict_and_no_names() -> None:
    first, *_ = run(*ASKED, "--format", "markdown", "--badge").stdout.splitlines()
    assert first == "![f1: better](https://img.shields.io/badge/f1-better-0072b2)"
    page = MarkdownIt("commonmark").render(first)
    assert page == '<p><img src="https://img.shields.io/badge/f1-better-0072b2" alt="f1: better" /></p>\n'


def test_a_badge_counts_and_has_the_colour_of_the_worst() -> None:
    first = RESULTS["per class"]("a").to_markdown(badge=True).splitlines()[0]
    assert first.startswith("![f1: 1 better, 1 worse, 1 unresolved](")
    assert first.endswith("/badge/f1-1%20better%2C%201%20worse%2C%201%20unresolved-d55e00)")


def test_marks_in_a_badge_are_doubled() -> None:
    r = op.compare([1, 0] * 50, {"a": [1, 0] * 50, "b": [0, 1] * 50}, measure="balanced_accuracy", rope=0.1, rng=0)
    assert "/badge/balanced__accuracy-better-0072b2)" in r.to_markdown(badge=True)
    assert r.to_markdown(badge=True).endswith(r.to_markdown())


def test_a_badge_needs_a_verdict() -> None:
    said = "a badge shows the verdict on two systems, which needs a ROPE; give one, or leave the badge out"
    assert said in refused(*ASKED[:-2], "--format", "markdown", "--badge")
    with pytest.raises(
        ValueError, match="a badge shows the verdict on two systems, and a Ranking has none; leave it out"
    ):
        RESULTS["ranking"]("a").to_markdown(badge=True)
