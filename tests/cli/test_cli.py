"""The command, as a user meets it: output, exit codes, sentences."""

from __future__ import annotations

import csv
import gzip
import html
import io
import json
import os
import pty
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete

import outperform as op
from outperform.cli import main
from outperform.cli.framework import OTHER_NAMES
from outperform.cli.options import ANSWER, FORMATS, QUESTION, WRITTEN
from outperform.mcmc.sampling import SAMPLERS
from outperform.measures.averages import AVERAGES
from outperform.models import MODELS
from outperform.options.options import read_rope
from outperform.verdicts.decision import as_rope
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

NEWS = str(op.datasets.newsgroups_path())
PAIR = ["--truth", "true", "--predictions", "svm_l2", "nb_bern"]
ONE = [NEWS, *PAIR, "--pos-label", "8", "--rope", "0.05"]


def test_text_begins_with_the_verdict_in_words() -> None:
    result = run("compare", *ONE)
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "svm_l2 is better than nb_bern (svm_l2 ≫ nb_bern)"
    assert any(line.endswith("HDI") for line in lines)
    assert any(line.endswith("ROPE") for line in lines)
    assert lines[1] == "Next: use svm_l2."
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) <= 24
    full = run("compare", *ONE, "-v").stdout.splitlines()
    assert full[: len(lines)] == lines
    assert full[-1].startswith("outperform:")
    assert {"Bayes factor", "Classical p-"} <= {line[:12] for line in full}


def test_text_says_when_more_data_are_needed() -> None:
    verdict, next_ = run("compare", *ONE[:-1], "0.13").stdout.splitlines()[:2]
    assert verdict == "svm_l2 is ahead, but perhaps by less than the margin; not settled (svm_l2 > nb_bern)"
    assert "more items like these would settle it with probability 0.8" in next_


def test_json_is_the_librarys() -> None:
    news = op.datasets.newsgroups()
    predictions = {name: news.predictions[name] for name in ("svm_l2", "nb_bern")}
    expected = op.compare(news.truth, predictions, pos_label=8, rope=0.05, rng=0)
    result = run("compare", *ONE, "--id", "doc_id", "--format", "json")
    assert json.loads(result.stdout) == json.loads(expected.to_json())


def test_csv_has_full_precision() -> None:
    rows = list(csv.DictReader(io.StringIO(run("compare", *ONE, "--format", "csv").stdout)))
    expected = json.loads(run("compare", *ONE, "--format", "json").stdout)
    assert float(rows[0]["delta_mean"]) == expected["delta"]["mean"]
    assert rows[0]["decision"] == "better"


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("command", ["compare", "estimate"])
def test_every_command_writes_every_format(command: str, format_: str, tmp_path: Path) -> None:
    path = write(tmp_path, "y,a,b\n" + "x,x,x\ny,y,x\nz,z,z\nz,x,y\n" * 5)
    args = [path, "-t", "y", "-p", "a", "b", "--average", "per_class", "--draws", "200"]
    result = run(command, *args, "--format", format_)
    assert result.exit_code == 0, result.output
    assert result.stdout.strip()


@pytest.fixture(scope="module")
def compared_once() -> Callable[..., Any]:
    """`compare` that makes each of the demonstration's comparisons once, however often that is shown."""
    compare, made = op.compare, dict[tuple[str, ...], Any]()

    def once(truth: Any, predictions: Any, **settings: Any) -> Any:
        pair = tuple(predictions)
        if pair not in made:
            made[pair] = compare(truth, predictions, **settings)
        return made[pair]

    return once


@pytest.fixture
def demonstrated(monkeypatch: pytest.MonkeyPatch, compared_once: Callable[..., Any]) -> Callable[..., str]:
    """What the demonstration prints."""
    monkeypatch.setattr(op, "compare", compared_once)

    def printed(format_: str) -> str:
        result = run("demo", "--format", format_)
        assert result.exit_code == 0, result.output
        return result.stdout

    return printed


@pytest.mark.parametrize("format_", FORMATS)
def test_the_demonstration_is_written_in_every_format(demonstrated: Callable[..., str], format_: str) -> None:
    assert demonstrated(format_).strip()


def test_demo_prints_the_papers_three_tables(demonstrated: Callable[..., str]) -> None:
    rows = json.loads(demonstrated("json"))
    assert len(rows) == 60
    pairs = [(rows[k]["a"]["name"], rows[k]["b"]["name"]) for k in (0, 20, 40)]
    assert pairs == [("nb_bern", "nb_mult"), ("svm_l1", "svm_l2"), ("nb_mult", "svm_l2")]
    assert [rows[k]["class"] for k in (0, 19)] == ["alt.atheism", "talk.religion.misc"]
    text = run("demo", "--verbose").stdout
    assert text.count("verdict\n") == text.count("expected number of wrong ones") == 3


def test_demo_tells_the_story_on_one_screen_and_ends_with_commands_that_work(
    demonstrated: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name)
    rows, text = json.loads(demonstrated("json")), demonstrated("text")
    lines = text.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "nb_mult is ahead, but perhaps by less than the margin; not settled" in " ".join(text.split())
    for pair in range(3):
        names = Counter(row["decision"]["name"] for row in rows[20 * pair : 20 * pair + 20])
        told = [names[name] for name in ("better", "worse", "equivalent")]
        line = next(line for line in lines if line.startswith(f"{rows[20 * pair]['a']['name']} against "))
        assert [int(word) for word in line.split()[3:]] == [*told, 20 - sum(told)]
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    example, ask, report = (shlex.split(line)[1:] for line in lines[-3:])
    assert lines[-4] == "Try:"
    Path(example[-1]).write_text(run(*example[:1]).stdout, encoding="utf-8")
    assert run(*ask).stdout.startswith("svm is better than nb")
    assert run(*report).exit_code == 0
    assert Path("report.html").is_file()


def test_estimate_takes_any_number_of_classifiers() -> None:
    args = ["estimate", NEWS, "--truth", "true", "-p", "nb_bern", "nb_mult", "svm_l2", "--pos-label", "3"]
    assert [row["name"] for row in json.loads(run(*args, "--format", "json").stdout)] == [
        "nb_bern",
        "nb_mult",
        "svm_l2",
    ]
    assert run(*args).stdout.count("HDI [") == 3


def test_output_goes_to_a_file_in_one_stroke(tmp_path: Path) -> None:
    target = tmp_path / "r.json"
    result = run("compare", *ONE, "--format", "json", "--output", str(target))
    assert result.exit_code == 0
    assert result.stdout == ""
    assert json.loads(target.read_text(encoding="utf-8"))["decision"]["name"] == "better"
    assert list(tmp_path.iterdir()) == [target]
    assert "cannot write" in refused("compare", *ONE, "-o", str(tmp_path / "no" / "r.json"))
    assert "cannot write" in refused("compare", *ONE, "-o", str(tmp_path))
    assert "cannot write ''" in refused("compare", *ONE, "-o", "")


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("r.html", "<!doctype html>"),
        ("R.HTM", "<!doctype html>"),
        ("r.json", "{"),
        ("r.md", "**"),
        ("r.tex", r"\begin{table}"),
        ("r.csv", "measure,"),
        ("r.txt", "svm_l2 is better"),
        ("r", "svm_l2 is better"),
    ],
)
def test_output_is_written_as_the_name_of_the_file_ends(tmp_path: Path, name: str, start: str) -> None:
    target = tmp_path / name
    assert run("compare", *ONE, "-o", str(target)).exit_code == 0
    assert target.read_text(encoding="utf-8").startswith(start)
    assert run("compare", *ONE, "-o", str(target), "--format", "csv").exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("measure,")


@pytest.mark.parametrize("ending", [".json", ".csv", ".html", ".txt", ""])
def test_output_that_ends_in_gz_is_compressed(tmp_path: Path, ending: str) -> None:
    plain, packed, again = (tmp_path / name for name in (f"r{ending}", f"r{ending}.gz", f"again{ending.upper()}.GZ"))
    for target in (plain, packed, again):
        assert run("compare", *ONE, "-o", str(target)).exit_code == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert packed.read_bytes() == again.read_bytes()
    assert {*tmp_path.iterdir()} == {plain, packed, again}


def test_output_leaves_what_is_no_file_as_it_is(tmp_path: Path) -> None:
    link, target, pipe = tmp_path / "link", tmp_path / "target", tmp_path / "pipe"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    assert run("compare", *ONE, "--format", "csv", "-o", str(link)).exit_code == 0
    assert link.is_symlink()
    assert target.read_text().startswith("measure,")
    assert target.stat().st_mode & 0o777 == 0o600
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text)
        assert run("compare", *ONE, "--format", "csv", "-o", str(pipe)).exit_code == 0
        assert read.result() == target.read_text()
    assert pipe.is_fifo()


def test_a_terminal_that_knows_no_greek() -> None:
    done = installed("compare", *ONE, PYTHONIOENCODING="latin-1")
    assert done.returncode == 0
    assert done.stdout.startswith("svm_l2 is better than nb_bern (svm_l2 >> nb_bern)")


def test_options_with_an_equals_sign_and_negative_labels(tmp_path: Path) -> None:
    path = write(tmp_path, "y,a,b\n-1,1,1\n1,1,1\n")
    result = run("compare", path, "--truth=y", "--predictions=a", "b", "--labels", "1", "-1", "--pos-label", "1")
    assert result.exit_code == 0, result.output


def test_an_option_of_many_words_that_is_given_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("gold,,b\n" + "1,1,0\n0,0,1\n" * 9)
    file, *asked = str(tmp_path / "p.csv"), "--truth", "gold", "--format", "csv"
    apart = run("compare", file, *asked, "--predictions", "", "b")
    assert apart.exit_code == 0
    assert run("compare", file, *asked, "--predictions=", "--predictions=b").stdout == apart.stdout


def test_the_users_own_words_stay() -> None:
    assert "no column 'pos_label'" in refused("compare", NEWS, "-t", "true", "-p", "pos_label", "svm_l2")


def test_truth_is_no_system() -> None:
    assert "column 'true' cannot be both the truth and a prediction" in refused(
        "compare", NEWS, "-t", "true", "-p", "true", "svm_l2"
    )


@pytest.mark.parametrize(
    ("first", "second", "rope", "requirement", "code"),
    [
        ("svm_l2", "nb_bern", "0.05", "better", 0),
        ("svm_l2", "nb_bern", "0.05", "not-worse", 0),
        ("svm_l2", "nb_bern", "0.05", "equivalent", 3),
        ("nb_bern", "svm_l2", "0.05", "not-worse", 3),
        ("svm_l2", "nb_mult", "0.05", "equivalent", 0),
        ("svm_l2", "nb_mult", "0.05", "better", 3),
        ("svm_l2", "nb_mult", "-0.05,0.001", "not-worse", 0),
    ],
)
def test_requirements(first: str, second: str, rope: str, requirement: str, code: int) -> None:
    args = [NEWS, "--truth", "true", "-p", first, second, "--pos-label", "8", "--rope", rope]
    result = run("compare", *args, "--require", requirement)
    assert result.exit_code == code
    assert (f"requirement {requirement} not met: {first} " in result.stderr) == (code == 3)
    assert (f"requirement {requirement} met: {first} " in result.stderr) == (code == 0)
    assert result.stdout


def test_an_unresolved_comparison_meets_no_requirement() -> None:
    args = [NEWS, "--truth", "true", "-p", "svm_l2", "nb_mult", "--pos-label", "8", "--rope", "0.001"]
    result = run("compare", *args, "--require", "not-worse")
    assert result.exit_code == 3
    assert result.stderr.startswith("requirement not-worse not met (unresolved): svm_l2 ")


def test_requirement_for_every_class() -> None:
    options = ["--average", "per_class", "--rope", "0.05"]
    result = run("compare", NEWS, *PAIR, *options, "--require", "not-worse")
    assert result.exit_code == 3
    failed = [
        row
        for row in json.loads(run("compare", NEWS, *PAIR, *options, "--format", "json").stdout)
        if row["delta"]["hdi"][0] < -0.05
    ]
    assert 0 < len(failed) < 20
    expected = [f"requirement not-worse not met for class {row['class']}: svm_l2 " for row in failed]
    assert [line[: len(start)] for line, start in zip(result.stderr.splitlines(), expected, strict=True)] == expected


def test_standard_input_and_gzip() -> None:
    raw = Path(NEWS).read_bytes()
    direct = run("compare", *ONE, "--format", "json").stdout
    for data in (raw, gzip.decompress(raw)):
        assert run("compare", "-", *ONE[1:], "--format", "json", stdin=data).stdout == direct


def test_two_files_paired_and_unpaired(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(gzip.decompress(Path(NEWS).read_bytes()).decode())))
    paths = []
    for name in ("svm_l2", "nb_bern"):
        path = tmp_path / f"{name}.csv"
        path.write_text("id,gold,label\n" + "".join(f"{r['doc_id']},{r['true']},{r[name]}\n" for r in rows))
        paths.append(str(path))
    args = [
        *paths,
        "--truth",
        "gold",
        "--predictions",
        "label",
        "--pos-label",
        "8",
        "--rope",
        "0.05",
        "--format",
        "json",
    ]
    paired = json.loads(run("compare", *args, "--id", "id").stdout)
    assert paired["delta"] == json.loads(run("compare", *ONE, "--format", "json").stdout)["delta"]
    unpaired = json.loads(run("compare", *args, "--model", "unpaired").stdout)
    assert unpaired["model"] == "unpaired"
    assert unpaired["items"] == 2 * 7532
    assert unpaired["delta"]["sd"] > paired["delta"]["sd"]
    assert "2 files: name the column that tells the items apart with --id" in refused("compare", *args)


def test_every_setting_reaches_the_library() -> None:
    args = ["--measure", "f_beta", "--beta", "2", "--prior", "0.25", "--mass", "0.8", "--draws", "77", "--seed", "9"]
    found = json.loads(
        run("compare", *ONE, *args, "--model", "unpaired", "--zero-division", "1", "--format", "json").stdout
    )
    assert found["signature"].endswith(
        "|model:unpaired|prior:dirichlet(0.25)|measure:f2|average:binary|positive:8|zero_division:1|draws:77|seed:9"
        "|mass:0.8|rope:-0.05,0.05|n:7532"
    )
    assert json.loads(run("compare", *ONE, "--prior", "jeffreys", "--format", "json").stdout)["prior"] == "jeffreys"


def test_counts_and_weights(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("y,a,b,n\n1,1,0,30\n1,1,1,40\n1,0,1,10\n0,0,0,90.5\n0,1,1,5\n")
    args = ["compare", str(path), "--truth", "y", "-p", "a", "b"]
    found = json.loads(run(*args, "--weight", "n", "--format", "json").stdout)
    assert found["items"] == pytest.approx(175.5**2 / (30**2 + 40**2 + 10**2 + 90.5**2 + 5**2))
    assert "1.76 rows carry as much information as one item" in found["notes"][0]
    assert "--count holds 90.5, which is not a whole number of items" in refused(*args, "--count", "n")
    path.write_text("y,a,b,n\n1,1,0,30\n0,1,0,-3\n")
    assert "--count holds -3; counts are finite and not negative" in refused(*args, "--count", "n")


def write(tmp_path: Path, content: str | bytes) -> str:
    path = tmp_path / "p.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("y,a,b\n1,1,0\n0,,0\n", [], "p.csv, line 3: no value in column 'a'"),
        ("y,a,b\n1,1,0\n0,nan,0\n", [], "classifier 'a' has no label in 1 of 2 rows"),
        ("y,a,b\n1,1,0\n0,2,0\n", [], "classifier 'a' predicts 2, which the truth never has (0, 1)"),
        ("y,a,b\nn,y,n\ny,y,n\n", [], "the labels are 'n', 'y': say which is positive with --pos-label"),
        ("y,a,b\nn,y,n\ny,y,n\n", ["--pos-label", "z"], "--pos-label 'z' is not a label; there are 'n', 'y'"),
        ("", [], "p.csv is empty"),
        ("y,a,b\n1,1,1\n1,1,1\n", [], "the truth has a single class (1)"),
        ("y,a,c\n1,1,0\n0,0,0\n", [], "has no column 'b'; it has 'y', 'a', 'c'"),
        ("i,y,a,b\n1,1,1,0\n1,0,0,0\n", ["--id", "i"], "the id '1' is on line 2 and again on line 3"),
        (b"PK\x03\x04\0\0", [], "p.csv is a ZIP archive, not text; unpack it first"),
        ("y,a,b\n1,0.7,0\n0,0.1,0\n", [], "classifier 'a' holds numbers such as 0.7 where labels are expected"),
        (
            "y,a,b\n1,1,0\n0,0,0\n",
            ["--rope", "0.1,-0.1"],
            "rope is reversed: its low end 0.1 is above its high end -0.1",
        ),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--rope", "5"], "got 5.0; it is in units of the measure; did you mean 0.05?"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--rope", "0,01"], "--rope 0,01 was read as 0 to 1; did you mean 0.01?"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--rope", "0,5"], "--rope 0,5 was read as 0 to 5; did you mean 0.5?"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--rope", "-1,1"], "rope must lie between -1 and 1, got (-1.0, 1.0)"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--rope", "x"], "--rope takes a number, a percentage or LOW,HIGH, got 'x'"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--rope", "1,2,3"], "--rope takes a number, a percentage or LOW,HIGH, got '1,2,3'"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--mass", "1"], "mass must lie between 0 and 1, as in 0.95, got 1.0"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--draws", "0"], "draws must be a whole number of at least 1, got 0"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--seed", "-1"], "--seed must be a whole number of at least 0, got '-1'"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--measure", "f7"], "unknown measure 'f7'"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--measure", "f_beta"], "--measure f_beta needs --beta"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--beta", "2"], "--beta goes with --measure f_beta, not with f1"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--measure", ""], "unknown measure ''; known: accuracy"),
        (
            "y,a,b\n1,1,0\n0,0,0\n",
            ["--prior", "even"],
            "unknown prior 'even'; known: flat, haldane, hierarchical, jeffreys, light, partial, pooled, "
            "right_or_wrong, trend, uniform",
        ),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--prior", "-1"], "prior weights are finite and not negative"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--require", "better"], "--require better needs --rope"),
        ("y,a,b\n1,1,0\n0,0,0\n", ["--require", "best"], "unknown requirement 'best'"),
        (
            "y,a,b\n1,1,0\n0,0,0\n",
            ["--format", "pdf"],
            "'pdf' is not one of 'text', 'json', 'markdown', 'latex', 'csv'",
        ),
    ],
)
def test_bad_input_gets_its_sentence_and_exit_code_2(
    tmp_path: Path, content: str | bytes, options: list[str], sentence: str
) -> None:
    assert sentence in refused("compare", write(tmp_path, content), "--truth", "y", "-p", "a", "b", *options)


def test_a_file_that_predictions_swallowed() -> None:
    assert "name a file, or - for standard input, before --predictions" in refused("compare", *PAIR, NEWS)


@pytest.mark.parametrize("option", ["--id", "--count", "--weight"])
def test_options_that_different_items_have_no_use_for(option: str) -> None:
    sentence = f"{option} has no use for files of different items; leave it out"
    assert sentence in refused("compare", NEWS, NEWS, *PAIR, "--model", "unpaired", option, "doc_id")


def test_booleans_of_json(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"y": true, "a": true, "b": false}\n{"y": false, "a": false, "b": false}\n')
    for written in ("true", "True", "false"):
        assert run("compare", str(path), "-t", "y", "-p", "a", "b", "--pos-label", written).exit_code == 0


def test_missing_columns_are_asked_for() -> None:
    four = f"{NEWS} has 4 systems, nb_bern, nb_mult, svm_l1 and svm_l2, and sensitivity takes two"
    for given in ([], ["-t", "true"]):
        assert four in refused("sensitivity", NEWS, *given)
    assert "compare takes two classifiers, got 3" in refused(
        "compare", NEWS, "-t", "true", "-p", "nb_bern", "nb_mult", "svm_l2"
    )


def test_lengths_that_differ_are_a_ragged_file(tmp_path: Path) -> None:
    assert "line 3 has 2 values; the header has 3" in refused(
        "compare", write(tmp_path, "y,a,b\n1,1,0\n0,0\n"), "-t", "y", "-p", "a", "b"
    )


def test_labels_option(tmp_path: Path) -> None:
    path = write(tmp_path, "y,a,b\n1,1,2\n0,0,0\n")
    args = ["compare", path, "-t", "y", "-p", "a", "b", "--pos-label", "1", "--format", "json"]
    assert "predicts 2, which the truth never has" in refused(*args)
    listed = run(*args, "--labels", "0", "1", "2")
    assert listed.exit_code == 0
    assert run(*args, "--labels", "seen").stdout == listed.stdout
    assert "take every label that occurs as a class with --labels seen" in refused(*args)
    assert "--labels seen has no use for confusion matrices" in refused(
        "compare", path, "--confusion", "--labels", "seen"
    )


def test_negative_numbers_as_labels(tmp_path: Path) -> None:
    path = write(tmp_path, "y,a,b\n-1,1,1\n1,1,-1\n")
    assert run("compare", path, "-t", "y", "-p", "a", "b", "--pos-label", "-1", "--draws", "9").exit_code == 0


def test_version_cite_and_help() -> None:
    assert run("--version").stdout == f"outperform, version {op.__version__}\n"
    assert "10.1145/2911451.2911547" in run("--cite").stdout
    assert "compare" in run("--help").stdout
    assert "outperform compare a.csv b.csv --id doc" in run("compare", "-h").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str) -> None:
    assert "_OUTPERFORM_COMPLETE" in run("completion", shell).stdout


def test_completion_completes() -> None:
    environment = {
        **os.environ,
        "_OUTPERFORM_COMPLETE": "bash_complete",
        "COMP_WORDS": "outperform com",
        "COMP_CWORD": "1",
    }
    code = "from outperform.cli import main; main(prog_name='outperform')"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    commands = ["compare", "compare-datasets", "compare-folds", "completion"]
    assert done.stdout.split() == [f"plain,{command}" for command in commands]


def test_choices_written_out_are_the_librarys() -> None:
    @main.command("scratch")
    def scratch() -> None: ...

    for option in (*QUESTION, *ANSWER, *WRITTEN):
        option(scratch)
    choices = {p.name: list(p.type.choices) for p in scratch.params if hasattr(p.type, "choices")}
    del main.commands["scratch"]
    known = {"average": list(AVERAGES), "model": list(MODELS), "sampler": list(SAMPLERS), "format_": list(FORMATS)}
    assert choices == known


def installed(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    code = "from outperform.cli import main; main(prog_name='outperform')"
    return subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        encoding=environment.get("PYTHONIOENCODING", "utf-8"),
        check=False,
        env={**os.environ, **environment},
    )


def test_help_is_light() -> None:
    code = (
        "import sys; from outperform.cli import main\n"
        "try: main(['compare', '--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'scipy', 'rich', 'narwhals'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def terminal(command: list[str], **environment: str) -> str:
    """What a command prints when it stands before a terminal."""
    chunks: list[bytes] = []
    parent, child = pty.openpty()
    with subprocess.Popen(
        command, stdout=child, env={**os.environ, "TERM": "xterm-256color", **environment}
    ) as process:
        os.close(child)
        while True:
            try:
                chunk = os.read(parent, 65536)
            except OSError:
                break
            if not chunk:
                break
            chunks.append(chunk)
        process.wait()
    return b"".join(chunks).decode()


def test_colour_on_a_terminal_unless_told_not_to() -> None:
    code = "from outperform.cli import main; main(prog_name='outperform')"
    command = [sys.executable, "-c", code, "compare", *ONE]
    environment: dict[str, Any] = {"NO_COLOR": ""}
    assert "\x1b[" in terminal(command, **environment)
    plain, undecided = (terminal(own, NO_COLOR="1", COLUMNS="60") for own in (command, command[:-2]))  # without a ROPE
    assert "\x1b[3" not in plain
    assert "svm_l2 ≫ nb_bern" in plain
    for narrow in (plain, undecided):
        assert max(len(line) for line in narrow.splitlines() if not line.startswith("outperform:")) <= 60


@pytest.mark.parametrize(
    ("typed", "rope"), [("1%", (-0.01, 0.01)), ("-1%, 2%", (-0.01, 0.02)), ("0,0.05", (0.0, 0.05)), ("0", (0.0, 0.0))]
)
def test_ropes_as_they_are_typed(typed: str, rope: tuple[float, float]) -> None:
    assert as_rope(read_rope(typed)) == rope


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What a real process prints in each format, by the encoding of its standard output."""
    file = tmp_path_factory.mktemp("signs") / "p.csv"
    rows = ["1,1,0"] * 40 + ["1,1,1"] * 40 + ["0,0,0"] * 40
    file.write_text("\n".join(["y,a,b", *rows]) + "\n", encoding="utf-8")
    command = ["compare", str(file), "-t", "y", "-p", "a", "b", "--rope", "0.01", "--draws", "2000", "--format"]
    code = (
        "import sys; from outperform.cli import main\n"
        "for encoding in ('ascii', 'cp1252', 'utf-8'):\n"
        "    sys.stdout.reconfigure(encoding=encoding, errors='strict')\n"
        f"    for name in {list(FORMATS)}: main([*sys.argv[1:], name], standalone_mode=False); print(end='<end>')"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, check=True)
    assert done.stderr == b""
    parts = iter(done.stdout.split(b"<end>"))
    encodings = ("ascii", "cp1252", "utf-8")
    return {encoding: [next(parts).decode(encoding) for _ in FORMATS] for encoding in encodings}


def test_a_real_process(printed: dict[str, list[str]]) -> None:
    assert "| ≫ |" in printed["utf-8"][list(FORMATS).index("markdown")]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("format_", FORMATS)
def test_outputs_that_lack_our_signs_get_others(printed: dict[str, list[str]], encoding: str, format_: str) -> None:
    """≫ and ≈ never become ?, which stands for undecided; JSON and HTML mean the same character as ever."""
    plain, signs = (printed[name][list(FORMATS).index(format_)] for name in (encoding, "utf-8"))
    assert plain.count("?") == signs.count("?")
    if format_ == "json":
        assert json.loads(plain) == json.loads(signs)
    elif format_ == "html":
        assert html.unescape(plain) == html.unescape(signs)
    elif "≫" in signs:
        assert signs.count("≫") == plain.count(">>")
    assert "█" not in plain


GROUPS = ["Input", "Question", "Verdict", "Output", "Advanced"]
EVERY = sorted(main.commands)


@pytest.mark.parametrize("command", EVERY)
def test_help_is_in_groups_with_examples(command: str) -> None:
    shown = run(command, "--help").stdout.splitlines()
    titles = [line[:-1] for line in shown if line.endswith(":") and not line.startswith(" ")]
    assert [title for title in GROUPS if title in titles] == titles
    assert any(line.startswith(("  outperform ", '  eval "$(outperform')) for line in shown)
    listed = shown[shown.index(f"{titles[0]}:") :]
    options = [line.split()[0].rstrip(",") for line in listed if line.startswith("  -")]
    known = [param for param in main.commands[command].params if isinstance(param, click.Option)]
    assert len(options) == len(set(options)) == len(known) + 1


def test_common_options_come_first() -> None:
    shown = run("compare", "--help").stdout.splitlines()
    first = {title: shown[shown.index(f"{title}:") + 1].split()[:2] for title in GROUPS}
    assert first == {
        "Input": ["-t,", "--truth"],
        "Question": ["-m,", "--measure"],
        "Verdict": ["--rope", "X|LOW,HIGH"],
        "Output": ["-o,", "--output"],
        "Advanced": ["--count", "NAME"],
    }
    assert "classical tests first" in " ".join(" ".join(shown).split())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["compare", "p.csv", "--truth"], ["gold", "svm", "nb"]),
        (["compare", "p.csv", "--by"], ["gold", "svm", "nb"]),
        (["compare", "none.csv", "--truth"], []),
        (["compare", "p.csv", "--average"], list(AVERAGES)),
    ],
)
def test_columns_and_averages_are_completed(
    words: list[str], expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("gold,svm,nb\n1,1,0\n")
    assert completed(words, "") == expected


def completed(words: list[str], begun: str) -> list[str]:
    shell = ShellComplete(main, {}, "outperform", "_OUTPERFORM_COMPLETE")
    return [item.value for item in shell.get_completions(words, begun)]


@pytest.mark.parametrize(
    "words", [[], ["compare"], ["doctor"], ["compare-datasets"], ["bayes-test"], ["compare", "-o"]]
)
def test_files_are_completed_by_the_shell(words: list[str]) -> None:
    shell = ShellComplete(main, {}, "outperform", "_OUTPERFORM_COMPLETE")
    assert [(item.value, item.type) for item in shell.get_completions(words, "pre")] == [("pre", "file")]


def test_measures_are_completed() -> None:
    assert completed(["compare", "p.csv", "--measure"], "prec") == ["precision"]
    assert "roc_auc" in completed(["rank", "--measure"], "")


CASES: dict[str, list[str]] = {
    "one": ["compare", *ONE],
    "verbose": ["compare", *ONE, "-v"],
    "no margin": ["compare", *ONE[:-2]],
    "classes": ["compare", NEWS, *PAIR, "--average", "per_class", "--rope", "0.05"],
    "average": ["compare", NEWS, *PAIR, "--average", "macro", "--rope", "0.01"],
    "rank": ["rank", NEWS, "-t", "true", "-p", "nb_bern", "nb_mult", "svm_l1", "svm_l2", "--pos-label", "8"],
    "estimate": ["estimate", NEWS, *PAIR, "--average", "per_class"],
    "power": ["power", NEWS, *PAIR, "--pos-label", "8", "--rope", "0.05", "-n", "500", "1000", "--studies", "50"],
    "plan": ["plan", NEWS, *PAIR, "--pos-label", "8", "--rope", "0.13", "--studies", "50"],
    "sensitivity": ["sensitivity", NEWS, *PAIR, "--pos-label", "8", "--rope", "0.01"],
    "demo": ["demo"],
}
LEGENDS = {
    "classes": "≫ svm_l2 better, ≪ nb_bern better, ≈ practically the same",
    "rank": "P(best): probability to be the best",
    "estimate": "mean: posterior mean; sd: its standard deviation",
    "sensitivity": "BF: Bayes factor, above 1 for and below 1 against equal scores",
}


@cache
def shown(case: str, width: int) -> list[str]:
    """The lines on a terminal, for all who look at them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(width))
        return run(*CASES[case]).stdout.splitlines()


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("case", CASES)
def test_no_line_is_wider_than_the_terminal(case: str, width: int, request: pytest.FixtureRequest) -> None:
    if case == "demo":
        request.getfixturevalue("demonstrated")
    signed = [line for line in shown(case, width) if not line.startswith("outperform:")]
    assert max(map(len, signed)) <= max(width, 80 if case == "demo" else 0)


@pytest.mark.parametrize("width", [60, 120])
def test_data_sets_fit_the_terminal_and_are_explained(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"{'set' * 9}{k},{f},{0.8 + k * f % 7 / 50},{0.78 + k * f % 5 / 40}\n" for k in range(14) for f in range(5)]
    path = write(tmp_path, "name,fold,svm,nb\n" + "".join(rows))
    monkeypatch.setenv("COLUMNS", str(width))
    asked = ["compare-datasets", path, "--systems", "svm", "nb", "--dataset", "name", "--fold", "fold", "--runs", "1"]
    lines = run(*asked, "--rope", "0.01", "--draws", "200").stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) <= 40 or width == 60
    for said in ("Next: ", "observed: mean over folds", "HDI: ", "ROPE: "):
        assert sum(line.startswith(said) for line in lines) == 1


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("demo", "verbose")])
def test_an_answer_fits_one_screen_and_says_what_to_do(case: str) -> None:
    lines = shown(case, 80)
    assert len(lines) <= 40
    assert sum(line.startswith("Next: ") for line in lines) == 1
    assert " ".join(lines).count(LEGENDS.get(case, lines[0])) == 1


def test_rows_that_are_left_out_come_on_request() -> None:
    brief, whole = (run(*CASES["classes"], *more).stdout for more in ([], ["-v"]))
    assert "8 more rows, with smaller differences, are left out; -v shows all" in brief
    signs = ("≫", "≪", "≈", ">", "<")
    rows = [[line.split()[0] for line in text.splitlines() if line.endswith(signs)] for text in (brief, whole)]
    told = ["2", "4", "6", "8", "9", "11"]  # which have a verdict for one of the two, and come first
    assert sorted(rows[0][:6], key=int) == told
    assert len(rows[0]) == 12
    assert rows[1] == [str(k) for k in range(20)]
    assert "p-values of classical tests" in whole
    assert "Bayes factor" not in brief


def test_columns_are_dropped_in_their_order_and_never_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(*CASES["classes"], "-v").stdout
    monkeypatch.setenv("COLUMNS", "60")
    narrow = run(*CASES["classes"], "-v").stdout
    heads = [next(line for line in text.splitlines() if line.startswith("class ")) for text in (whole, narrow)]
    assert "sign test" in heads[0]
    assert " ".join(heads[1].split()) == "class mean in ROPE 95% HDI verdict"
    assert "columns that do not fit in 60: sign test, t-test, BF, sd, below 0 / above." in " ".join(narrow.split())
    rows = [line.split() for line in narrow.splitlines() if line.endswith(("≫", "≪", "≈", ">", "<"))]
    assert [row[0] for row in rows] == [str(k) for k in range(20)]


def test_long_names_are_shortened_on_a_narrow_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = "a" * 50, "b" * 50
    path = write(tmp_path, f"y,{first},{second}\n" + "1,1,0\n0,0,0\n1,1,1\n" * 20)
    monkeypatch.setenv("COLUMNS", "60")
    shown = run("compare", path, "-t", "y", "-p", first, second, "--rope", "0.01").stdout.splitlines()
    rows = [line for line in shown if line.endswith("]")]
    assert len(rows) == 3
    assert max(map(len, rows)) <= 60


@pytest.mark.parametrize("meant", OTHER_NAMES)
def test_names_that_options_have_elsewhere_are_told(meant: str) -> None:
    options = {name for param in main.commands["compare"].params for name in param.opts}
    assert meant in options
    for other in OTHER_NAMES[meant]:
        assert other not in options
        assert refused("compare", "any.csv", other, "x") == f"Error: No such option {other!r}. Did you mean {meant!r}?"
