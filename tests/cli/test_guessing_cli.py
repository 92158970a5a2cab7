"""The command without options: what it guesses, says, asks and refuses."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pty
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import Result

import outperform as op
from tests.cli.unprepared import UNPREPARED, Unprepared, judged, labels, promptfoo, spam, table
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

COMMAND = [sys.executable, "-c", "from outperform.cli import main; main()"]
JSON = ["--format", "json"]
GOLD = "--truth gold --predictions"


def typed(line: str) -> Result:
    """What a whole command line answers; what stands before the pipe is run by a shell."""
    before, _, rest = line.rpartition(" | outperform ")
    words = shlex.split(rest if before else line.removeprefix("outperform "))
    if not before:
        return run(*words)
    if shutil.which(shlex.split(before.strip("("))[0]) is None and not before.startswith("(echo"):
        pytest.skip(f"without {before.split()[0]}")
    return run(*words, stdin=subprocess.run(before, shell=True, capture_output=True, check=True).stdout)


def expected(case: Unprepared, files: Sequence[str]) -> str:
    """The verb and options of a command, after the files."""
    verb, _, options = case.run.partition(" ")
    return f"outperform {verb} {shlex.join(files)} {options} --format json"


def options_of(line: str) -> list[str]:
    """The verb and options of a command line, without files."""
    words = shlex.split(line.rpartition("outperform ")[2])
    return [words[0], *words[next(k for k, word in enumerate(words) if word.startswith("--")) :]]


@pytest.mark.parametrize("name", UNPREPARED)
def test_files_that_nobody_prepared(name: str, tmp_path: Path) -> None:
    case = UNPREPARED[name]
    files = list(map(str, case.write(tmp_path)))
    if case.refused:
        line = refused("compare", *files, *JSON).partition(", run: ")[2]
        assert options_of(line) == shlex.split(f"{case.run} --format json")
        answer = typed(line)
        assert answer.exit_code == 0, answer.output
        assert json.loads(answer.stdout)
        return
    result = run("compare", *files, *JSON)
    assert result.exit_code == 0, result.output
    if not case.run:
        assert result.stderr == ""
        return
    said, line = result.stderr.splitlines()
    assert said.startswith("Guessed: ")
    assert said.endswith(". The command in full:")
    assert options_of(line) == shlex.split(f"{case.run} --format json")
    again = typed(line.strip())
    assert (again.stdout, again.stderr) == (result.stdout, "")  # and nothing is guessed


@pytest.mark.parametrize(
    ("verb", "options"), [("rank", ["--rope", "0.05", "--no-shrink"]), ("estimate", []), ("rank", ["--format", "csv"])]
)
def test_other_verbs_guess_in_the_same_way(verb: str, options: list[str], tmp_path: Path) -> None:
    file = written(tmp_path, op.datasets.example())
    result = run(verb, file, *options)
    line = result.stderr.splitlines()[1].strip()
    assert line == shlex.join(
        ["outperform", verb, file, "--truth", "gold", "--predictions", "svm", "nb", "--pos-label", "yes", *options]
    )
    assert (typed(line).stdout, result.exit_code) == (result.stdout, 0)


def test_a_report_is_guessed_too(tmp_path: Path) -> None:
    file, out = written(tmp_path, op.datasets.example()), str(tmp_path / "r.html")
    line = run("report", file, "--output", out).stderr.splitlines()[1].strip()
    report = (tmp_path / "r.html").read_text()
    assert f"--pos-label yes --output {out}" in line
    assert typed(line).exit_code == 0
    assert (tmp_path / "r.html").read_text() == report


@pytest.mark.parametrize(
    "asked",
    [
        ["power", "--rope", "0.2", "--sizes", "100", "200", "--studies", "20"],
        ["sensitivity", "--rope", "0.2", "--priors", "uniform", "2"],
        ["count"],
    ],
    ids=lambda asked: asked[0],
)
def test_commands_that_take_labels_guess_them(asked: list[str], tmp_path: Path) -> None:
    columns = spam()
    path = written(tmp_path, table(columns))
    guessed = run(asked[0], path, *asked[1:])
    assert guessed.exit_code == 0, guessed.output
    said, line = guessed.stderr.splitlines()
    assert said.startswith("Guessed: truth gold; predictions svm and nb")
    again = typed(line.strip())
    assert (again.stdout, again.stderr) == (guessed.stdout, "")
    three = written(tmp_path, table(columns | {"tree": columns["nb"]}), "three.csv")
    if asked[0] != "count":
        refusal = refused(asked[0], three, *asked[1:])
        assert f"3 systems, svm, nb and tree, and {asked[0]} takes two; for svm and nb, run: " in refusal
        assert typed(refusal.partition(", run: ")[2]).exit_code == 0
    scores = written(tmp_path, table({"old": [0.5, 0.25] * 60, "new": [0.1, 0.7] * 60}), "scores.csv")
    assert "labels and predictions are expected; of scores, " in refused(asked[0], scores, *asked[1:])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<html><table></table></html>\n", "is an HTML page; save its table as CSV"),
        ("model_a,model_b,winner\nx,y,model_a\ny,x,model_b\n", "holds votes on pairs of systems"),
        ("left,right,winner\nx,y,left\ny,x,right\nx,y,tie\n", "holds votes on pairs of systems"),
        (
            "     precision    recall  f1-score   support\n\ncat   0.91  0.88  0.89  55\ndog   0.8  0.8  0.8  45\n",
            "is a classification report, with scores of classes and without items; give the true labels and",
        ),
        ('true,a,b\n"[1, 2]","[1]","[1, 2]"\n"[1]","[1]","[1]"\n', "the labels in true are lists written as text"),
        (
            "id,model,gold,said\n" + "".join(f"{k},{m},{k % 2},{k % 3 % 2}\n" for k in range(20) for m in "xy"),
            "has a row for each item and model; a column for each model is expected, as pandas writes it: python -c ",
        ),
    ],
)
def test_tables_of_another_shape(text: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in refused(written(tmp_path, text))


def test_judgements_in_a_row_per_answer(tmp_path: Path) -> None:
    rows = [{"question_id": k, "model": m, "judge": "x", "score": k % 7} for k in range(40) for m in ("new", "old")]
    refusal = refused(written(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows), "judged.jsonl"))
    assert "frame.pivot(index=['question_id'], columns='model', values='score')" in refusal


@pytest.mark.parametrize("verb", [[], ["compare"]])
def test_classes_of_several_systems_are_compared_two_at_a_time(verb: list[str], tmp_path: Path) -> None:
    columns = spam()
    file = written(tmp_path, table(columns | {"tree": columns["nb"]}))
    refusal = refused(*verb, file, "--average", "per_class")
    assert "and compare takes two; for svm and nb, run: " in refusal
    assert typed(refusal.partition(", run: ")[2]).exit_code == 0


def test_a_row_for_each_seed_and_model(tmp_path: Path) -> None:
    rows = "".join(f"{seed},{m},0.{81 + seed % 3 + len(m)}\n" for m in ("base", "bigger") for seed in range(12))
    refusal = refused(written(tmp_path, f"seed,model,accuracy\n{rows}", "seeds.csv"))
    first, _, second = refusal.partition("as pandas writes it: ")[2].partition("; then run: ")
    assert first.startswith('python -c "import pandas')
    with contextlib.chdir(tmp_path):
        exec(first.partition('"')[2].rstrip('"'), {})
        assert "scores per item base and bigger" in typed(second.strip()).stderr


def test_the_winner_of_a_match_may_be_predicted(tmp_path: Path) -> None:
    sides = ["home", "away"] * 40
    columns = {"home": ["x"] * 80, "away": ["y"] * 80, "winner": sides, "elo_pred": sides[::-1], "odds_pred": sides}
    assert "truth winner; predictions elo_pred and odds_pred" in run(written(tmp_path, table(columns))).stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "task,new,old\nARC,61.5,60.1\nMMLU,70.2,69\nGSM,40.1,44.4\n",
            "has a score for each task, and not for each item",
        ),
        (
            "model,task,score\n" + "".join(f"{m},t{k},6{k}.{len(m)}\n" for m in ("new", "older") for k in range(6)),
            "has a score for each model and task; to compare over them, run: ",
        ),
        (
            "model,task,score\n" + "".join(f"{m},t{k},6{k}.{len(m)}\n" for m in ("a", "bb", "ccc") for k in range(6)),
            "--dataset task --systems a bb",
        ),
        (
            "system,run,fold,f1\n"
            + "".join(f"{m},{r},{k},0.6{k}{r}\n" for m in ("new", "old") for r in range(2) for k in range(5)),
            "--system system --score f1 --run run --fold fold",
        ),
    ],
)
def test_mean_scores_of_tasks(text: str, sentence: str, tmp_path: Path) -> None:
    refusal = refused(written(tmp_path, text))
    assert sentence in refusal
    answer = typed(refusal.partition(", run: ")[2])
    assert answer.exit_code == 0, answer.output


def test_a_mean_score_of_a_task_may_be_missing(tmp_path: Path) -> None:
    rows = [f"{m},t{k},6{k}.1\n" for m in ("new", "older") for k in range(6)][:-1]
    refusal = refused(written(tmp_path, f"model,task,score\n{''.join(rows)}"))
    assert "has a score for each model and task; to compare over them, run: " in refusal
    assert "has no score of 'older' for data set 't5'" in typed(refusal.partition(", run: ")[2]).stderr


def test_a_leaderboard_has_a_row_for_each_system(tmp_path: Path) -> None:
    file = written(tmp_path, "model,ARC,MMLU,GSM\nnew,61.5,70.2,40.1\nold,60.1,69,44.4\n")
    refusal = refused(file)
    assert "has a row for each model; a row for each data set and a column for each model are expected" in refusal
    frame = pd.read_csv(file)
    with contextlib.chdir(tmp_path):
        frame.set_index("model").T.rename_axis("task").to_csv("tasks.csv")
        assert typed(refusal.partition("; then run: ")[2]).exit_code == 0


@pytest.mark.parametrize("corner", ["", "true \\ said", "gold"])
def test_a_confusion_matrix_with_a_corner_and_one_with_totals(corner: str, tmp_path: Path) -> None:
    matrix = written(tmp_path, f"{corner},cat,dog\ncat,50,3\ndog,4,60\n")
    assert "Guessed: confusion matrices; positive class cat." in run(matrix).stderr
    totals = written(tmp_path, f"{corner},cat,dog,sum\ncat,50,3,53\ndog,4,60,64\nsum,54,63,117\n", "totals.csv")
    assert typed(f"outperform estimate {totals} --confusion").stdout == typed(
        f"outperform estimate {matrix} --confusion"
    ).stdout.replace("preds", "totals")
    unnamed = written(tmp_path, f"{corner},cat,dog,cow\ncat,50,3,53\ndog,4,60,64\ncow,54,63,117\n")
    assert "the last row and the last column are totals of the others; leave both out" in refused(unnamed)


def test_scores_of_folds(tmp_path: Path) -> None:
    scores = {"fold": range(10), "svm": [0.8 + k / 100 for k in range(10)], "nb": [0.78 + k / 90 for k in range(10)]}
    refusal = refused(written(tmp_path, table(scores)))
    assert "has scores by fold; if each is of the test items of a fold" in refusal
    assert typed(refusal.partition(", run: ")[2]).exit_code == 0
    items = {name: [*values] * 3 for name, values in scores.items()}  # each fold has several items
    said = run(written(tmp_path, table(items))).stderr
    assert said.startswith("Guessed: scores per item svm and nb, of which higher ones are better (if not, add --lower")
    losses = {name.replace("svm", "svm_loss").replace("nb", "nb_loss"): values for name, values in items.items()}
    said = run(written(tmp_path, table(losses))).stderr
    assert said.startswith("Guessed: scores per item svm_loss and nb_loss, of which lower ones are better. The command")


def test_items_in_clusters_are_not_planned_as_independent_ones(tmp_path: Path) -> None:
    path = written(tmp_path, table({"user": [f"u{k // 4}" for k in range(120)], **spam()}))
    assert "the items are clustered by user, and this command takes" in refused("plan", path, "--rope", "0.1")


def with_probabilities(*patterns: str) -> dict[str, list[Any]]:
    """Mails and the probability of each class, in columns that are named by these patterns."""
    spam_, columns = [k % 90 / 100 + 0.05 for k in range(120)], spam()
    for pattern in patterns:
        columns |= {pattern.format("spam"): spam_, pattern.format("ham"): [round(1 - p, 2) for p in spam_]}
    return columns


@pytest.mark.parametrize("pattern", ["prob_{}", "p_{}", "{}_prob", "score_{}", "P({})", "{}"])
def test_probabilities_of_classes_are_of_one_system(pattern: str, tmp_path: Path) -> None:
    columns = with_probabilities(pattern)
    names = pattern.format("spam"), pattern.format("ham")
    one = written(tmp_path, table({name: values for name, values in columns.items() if name != "nb"}))
    assert run(one).stderr.splitlines() == [
        f"Guessed: truth gold; predictions svm; positive class spam; not used: {names[0]} and {names[1]}, scores of "
        "classes. The command in full:",
        f"  outperform estimate {one} --truth gold --predictions svm --pos-label spam",
    ]
    soft = written(tmp_path, table({name: columns[name] for name in ("gold", *names)}))
    refusal = refused(soft)
    assert f"has a score for each of 2 classes, {names[0]} and {names[1]}, of one system; for spam against" in refusal
    assert typed(refusal.partition(", run: ")[2]).exit_code == 0
    assert "To be decided:" in run("doctor", soft).stdout
    assert (
        run(soft, "--pos-label", "ham")
        .stderr.splitlines()[1]
        .endswith(f"--predictions {shlex.quote(names[1])} --measure roc_auc --pos-label ham")
    )


def test_probabilities_of_classes_of_two_systems(tmp_path: Path) -> None:
    columns = with_probabilities("a_prob_{}", "b_prob_{}")
    both = written(tmp_path, table(columns))
    assert "predictions svm and nb; positive class spam; not used: a_prob_spam, a_prob_ham, b_prob" in run(both).stderr
    soft = written(tmp_path, table({name: values for name, values in columns.items() if name not in ("svm", "nb")}))
    assert "predictions a_prob_spam and b_prob_spam; measure roc_auc; positive class spam; not" in run(soft).stderr


def test_a_label_that_is_called_predicted_goes_before_its_confidence(tmp_path: Path) -> None:
    file = written(tmp_path, table({"gold": spam()["gold"], "y_pred": spam()["svm"], "conf": [0.7, 0.8, 0.95] * 40}))
    assert "Guessed: truth gold; predictions y_pred; positive" in run(file).stderr


def test_one_system_is_not_ranked(tmp_path: Path) -> None:
    file = written(tmp_path, table({name: spam()[name] for name in ("gold", "svm")}))
    assert refused("rank", file).startswith(f"Error: {file} has one system, svm, and a comparison takes two; ")


def written(folder: Path, text: str, name: str = "p.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_what_was_guessed_is_said_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, table(spam()))
    result = run(path, "--rope", "0.2")
    assert result.stderr.splitlines() == [
        "Guessed: truth gold; predictions svm and nb; positive class spam. The command in full:",
        f"  outperform compare {path} --truth gold --predictions svm nb --pos-label spam --rope 0.2",
    ]
    assert result.stdout == run("compare", path, "--rope", "0.2").stdout
    assert "(svm" in result.stdout.splitlines()[0]


def test_names_in_a_file_do_not_steer_the_terminal(tmp_path: Path) -> None:
    """What is printed about a file is safe to read, and its command does what it says when it is copied."""
    name = "\x1b[2J\u202ex'\ny\\"
    file = tmp_path / "p.csv"
    file.write_text(f'gold,"{name}",b\n' + "1,1,0\n0,0,1\n1,1,1\n0,1,0\n" * 9, encoding="utf-8")
    guessed = run(str(file), "--format", "csv")
    shown, line = guessed.stderr.splitlines()
    assert r"predictions \x1b[2J\u202ex' y\ and b" in shown
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True).stdout.decode()
    program, *typed = words.split("\0")[:-1]
    assert (program, typed[5]) == ("outperform", name)
    assert run(*typed).stdout == guessed.stdout
    for said in (run("doctor", str(file)).stdout, refused("compare", str(file), "-t", "gold", "-p", name, "zz\x1b")):
        assert said.replace("\n", "").isprintable()
    missing = refused("compare", str(tmp_path / "\x1b(B.csv"), "-t", "gold", "-p", "a", "b")
    assert r"\x1b(B.csv: No such file" in missing


def test_options_win(tmp_path: Path) -> None:
    path = written(tmp_path, table(spam()))
    assert "Guessed: predictions gold and nb;" in run(path, "--truth", "svm").stderr
    assert "Guessed: truth gold; positive class" in run(path, "--predictions", "nb", "svm").stderr
    assert "predictions svm and nb. The command" in run(path, "--pos-label", "ham").stderr
    assert "predictions svm and nb. The command" in run(path, "--average", "per_class").stderr
    assert run(path, "--truth", "gold", "--predictions", "svm", "nb", "--pos-label", "spam").stderr == ""


def test_one_system_is_estimated_and_several_are_ranked(tmp_path: Path) -> None:
    columns = spam()
    three = written(tmp_path, table(columns | {"tree": columns["nb"]}), "three.csv")
    four = written(tmp_path, table(columns | {"tree": columns["nb"], "lang": ["de", "en"] * 60}), "four.csv")
    one = written(tmp_path, table({name: columns[name] for name in ("gold", "svm")}), "one.csv")
    assert (
        run(three)
        .stderr.splitlines()[1]
        .startswith(f"  outperform rank {three} --truth gold --predictions svm nb tree")
    )
    assert run(one).stderr.splitlines()[1].startswith(f"  outperform estimate {one} --truth gold --predictions svm ")
    assert refused("compare", three).startswith(
        f"Error: {three} has 3 systems, svm, nb and tree, and compare takes two; to rank all, run: outperform rank "
    )
    assert refused(one, "--rope", "0.01").startswith(
        f"Error: {one} has one system, svm, and a comparison takes two; to estimate its score, run: outperform "
    )
    assert "and compare takes two; for svm and nb, run: outperform compare" in refused(four, "--by", "lang")


def test_one_column_in_two_files_is_two_systems(tmp_path: Path) -> None:
    columns, ids = spam(), [str(k) for k in range(len(spam()["gold"]))]
    a, b = (
        written(tmp_path, table({"id": ids, "gold": columns["gold"], "said": columns[name]}), f"{name}.csv")
        for name in ("svm", "nb")
    )
    options = ["--truth", "gold", "--predictions", "said", "--id", "id", "--pos-label", "spam", "--rope", "0.2"]
    result = run(a, b, *options)
    assert result.stdout == run("compare", a, b, *options).stdout
    assert result.stderr == ""
    assert "a comparison takes two" in refused(a, *options[:4], "--pos-label", "spam", "--rope", "0.2")


def test_a_gate_is_for_two_systems(tmp_path: Path) -> None:
    columns = spam()
    two = written(tmp_path, table(columns), "two.csv")
    three = written(tmp_path, table(columns | {"tree": columns["nb"]}), "three.csv")
    gate = ["--rope", "0.5", "--require", "better"]
    guessed, _, line = refused(two, *gate).partition(", run: ")  # the order decides what a gate asks
    assert "the order of svm and nb was guessed; name them with --predictions, the new one first; if" in guessed
    assert typed(line).exit_code == 3
    assert refused(three, *gate).endswith(
        f"run: outperform rank {three} {GOLD} svm nb tree --pos-label spam --rope 0.5"
    )
    named = refused(three, "-t", "gold", "-p", "svm", "nb", "tree", "--pos-label", "spam", *gate)
    assert "compare takes two classifiers, got 3" in named


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    for args in (["-"], ["compare", "-"]):
        result = run(*args, *JSON, stdin=table(spam()))
        assert json.loads(result.stdout)["measure"] == "f1"
        assert "outperform compare - --truth gold" in result.stderr
    assert run("-", stdin=table({"y": labels([1, 0]), "p": [0.5, 0.25] * 60, "q": [0.1, 0.7] * 60})).exit_code == 0


def test_the_first_rows_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outperform.io.looking.ROWS", 10)
    result = run(written(tmp_path, table(spam())), *JSON)
    assert json.loads(result.stdout)["items"] == 120


MISSING = "give it a number, or remove the item for all systems"
THOUSANDS = "write decimals with a point, as in 0.5, and nothing between thousands"
PERCENT = "leave percent signs out, in all columns of scores"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "truth,a,b\n1,yes,no\n0,no,no\n",
            "labels are spelt in two ways: truth has 0 and 1, and a has no and yes; write them alike",
        ),
        ("gold,words\nyes,a\nno,b\n", "nothing predicts gold; say which column to read with --predictions; "),
        ("one,two\nx,a\ny,b\n", "nothing predicts one; say which column"),
        ("one\nx\ny\n", "has one column, one; a truth and a column per system are expected"),
        ("id,said\na,0.5\nb,0.25\n", "has one column of scores, said; a comparison takes two"),
        ("7\n8\n9\n", "seems to have no header"),
        ("", "is empty; a header and at least one row are expected"),
        ("gold,svm,nb\n", "has a header but no rows"),
        (
            'id,a,b\n1,"1,096.5","1,200"\n2,800,"2,100.5"\n',
            f"line 2: '1,096.5' in column 'a' is not a number; {THOUSANDS}",
        ),
        ("id,a,b\n1,0.5,0.7\n2,-,0.3\n3,0.1,-\n", f"line 3: '-' in column 'a' is not a number; {MISSING}"),
        ("id,a,b\n1,0.5,0.7\n2,0.2, \n3,0.1,0.4\n", f"line 3: ' ' in column 'b' is not a number; {MISSING}"),
        ("id,gold,a,b\n1,yes,?,0.3\n2,no,0.2,0.8\n", f"line 2: '?' in column 'a' is not a number; {MISSING}"),
        (
            "model,MMLU,GSM8K,HumanEval\nx,78.2,81.0,-\ny,70.1,-,45.2\nz,71.9,74.4,48.0\n",
            "has a row for each model; a row for each data set and a column for each model are expected",
        ),
        ("id;a;b\n1;1.096,5;7,5\n2;3,5;2.100,5\n", f"line 2: '1.096,5' in column 'a' is not a number; {THOUSANDS}"),
        ("id;a;b\n1;55,1 %;54,0 %\n2;70,2 %;71,3 %\n", f"line 2: '55,1 %' in column 'a' is not a number; {PERCENT}"),
        ("id,a,b\n1,55%,0.5\n2,70,0.7\n3,70%,0.6\n", f"line 2: '55%' in column 'a' is not a number; {PERCENT}"),
        (
            "id,a,b\n1,55%,0.54\n2,70%,0.71\n",
            "has percentages, such as 55%, but numbers without a percent sign in b; write all scores alike",
        ),
        (
            "id,a,b\n1,55%,54%\n2,70%,0.71\n",
            "has percentages, such as 55%, but numbers without a percent sign in b; write all scores alike",
        ),
        ("gold,svm,nb\na,b\n", "line 2 has 2 values; the header has 3"),
    ],
)  # fmt: skip
def test_nothing_to_guess(text: str, sentence: str, tmp_path: Path) -> None:
    for verb in ([], ["compare"]):
        assert sentence in refused(*verb, written(tmp_path, text))


NESTED = b'{"id": 1, "p": {"gold": 1, "a": 1}}\n' * 2


@pytest.mark.parametrize(
    ("name", "raw", "sentence"),
    [
        ("p.json", b"[1, 2]", "p.json holds one JSON list; JSON lines are expected"),
        ("p.json", b'[{"gold": 1, "a": 1}, {"gold": 0, "a', "p.json ends before its JSON is complete; copy it again"),
        ("p.jsonl", b'{"gold": 1, "a": tr', "p.jsonl ends before its JSON is complete; copy it again"),
        ("p.json", b"[]", "p.json holds one JSON list; JSON lines are expected"),
        ("p.json", b'[{"gold": 1}, {"a": 1}]', "p.json, line 2: its keys differ from the first line's in 'a', 'gold'"),
        ("p.jsonl", NESTED + b'{"id": 2}\n', "p.jsonl, line 3: its keys differ from the first line's in 'p'"),
        ("p.jsonl", NESTED + b"[1]\n", "p.jsonl, line 3: expected a JSON object, got list"),
        (
            "p.jsonl",
            NESTED + b'{"id": 2, "p": 1}\n',
            "p.jsonl, line 3: no value in column 'p.gold'; leave such rows out with --drop-missing",
        ),
        ("p.csv", b"gold,a\n\x81\x8d,\x8f\n", "p.csv, line 2: not UTF-8 text"),
        ("p.csv.gz", gzip.compress("gold,a\nsch\xf6n,x\n".encode("cp1252"), mtime=0), "line 2: not UTF-8 text"),
        ("p.csv", b"\xff\xfea", "p.csv is damaged: it begins as UTF-16 text and is none"),
        ("p.eval", b"PK\x03\x04", "p.eval is a damaged"),
    ],
)
def test_what_cannot_be_read(name: str, raw: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(raw)
    assert sentence in refused(str(tmp_path / name))


def test_one_log_of_one_system(tmp_path: Path) -> None:
    (tmp_path / "bm25.json").write_text('{"301": {"map": 0.5, "P_5": 1}, "302": {"map": 0.25, "P_5": 0}}')
    for verb in ([], ["compare"], ["doctor"]):
        assert refused(*verb, str(tmp_path / "bm25.json")).endswith("is the log of one system; name the logs of two")


def test_systems_of_one_log(tmp_path: Path) -> None:
    (path,) = map(str, promptfoo(tmp_path))
    text = Path(path).read_text()
    more = json.loads(text)
    more["results"]["results"] += [row | {"provider": "other"} for row in more["results"]["results"][::2]]
    Path(path).write_text(json.dumps(more))
    assert "has 3 systems, openai:gpt-4o, other and openai:gpt-4o-mini, and compare takes two" in refused(
        "compare", path
    )
    log = ["compare", path, "--from", "promptfoo", "--scores", "openai:gpt-4o-mini"]
    assert json.loads(run(*log, "other", "--format", "json").stdout)["a"]["name"] == "openai:gpt-4o-mini"
    assert "the log has no system 'x'; it has 'openai:gpt-4o', 'other', 'openai:gpt-4o-mini'" in refused(*log, "x")
    assert run("report", path, "-o", str(tmp_path / "r.html")).exit_code == 0
    assert "comes first" in (tmp_path / "r.html").read_text()
    Path(path).write_text(text)
    gate = ["--rope", "0.01", "--require", "better"]
    for how in ([], ["--from", "promptfoo"]):
        guessed, _, line = refused("compare", path, *how, *gate).partition("; if that is openai:gpt-4o, run: ")
        assert guessed == (
            "Error: --require asks about the first system, and the order of openai:gpt-4o and openai:gpt-4o-mini was "
            "guessed; name them with --scores, the new one first"
        )
        assert typed(line).exit_code in (0, 3)
    assert run(*log, "openai:gpt-4o", *gate).stderr.startswith(
        "requirement better not met (unresolved): openai:gpt-4o-"
    )


def test_a_gate_on_columns_of_a_logged_table(tmp_path: Path) -> None:
    path, gate = written(tmp_path, judged(), "judged.json"), ["--rope", "0.2", "--require", "better"]
    for how in ([], ["--from", "table"]):
        sentence = refused("compare", path, *how, *gate)
        assert "the order of judge/old and judge/new was guessed; name them with --metric, the new one" in sentence
    named = run("compare", path, "--from", "table", "--metric", "judge/new", "judge/old", *gate)
    assert named.stderr.startswith("requirement better not met (unresolved): judge/new > judge/old ")


def test_json_on_standard_input_that_is_no_lines() -> None:
    for text, said in (('{\n"gold": 1\n}\n', "jq -c ."), ("[1]", "jq -c '.[]'")):
        assert refused("-", stdin=text).endswith(f"one object a line, as from: {said}")


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = written(tmp_path, table(spam()))
    assert "has no column 'glod'; did you mean 'gold'?" in refused(path, "--truth", "glod")
    assert "has no column 'zebra'" in refused(path, "--predictions", "svm", "zebra")


def test_no_such_file() -> None:
    assert refused("nowhere.csv").endswith("cannot read nowhere.csv: there is no such file, and no such command")
    assert refused("compare", "nowhere.csv").endswith("cannot read nowhere.csv: No such file or directory")


def test_files_without_ids(tmp_path: Path) -> None:
    columns = spam()
    paths = [
        written(tmp_path, table({"gold": columns["gold"], "said": columns[name]}), f"{name}.csv")
        for name in ("svm", "nb")
    ]
    sentence = refused("compare", *paths)
    assert ", but their true labels are the same in the same order; if their rows are the same items, run: " in sentence
    assert " | outperform compare - --truth gold --predictions svm nb" in sentence
    assert typed(sentence.partition(", run: ")[2]).exit_code == 0


TOPICS = {"gold": list("aabbcc") * 5, "svm": list("aabbcd") * 5, "nb": list("abbbcc") * 5}


@pytest.mark.parametrize("verb", ["compare", "rank"])
def test_labels_that_are_never_true_may_be_classes(tmp_path: Path, verb: str) -> None:
    path = written(tmp_path, table(TOPICS))
    sentence = refused(verb, path, "--rope", "0.1")
    found = "svm predicts 'd', which gold never has; if every label that occurs is a class, run: outperform "
    assert sentence.startswith(f"Error: {found}{verb} {path} ")
    line = sentence.partition(", run: ")[2]
    assert "--labels seen" in line
    assert typed(f"{line} --seed 0").exit_code == 0


@pytest.mark.parametrize(
    ("label", "said"),
    [("C", "differs from 'c' only in case"), ("", "no value in column 'svm'"), ("(b)", "it contains 'b'")],
)
def test_labels_that_are_odd_are_no_classes(tmp_path: Path, label: str, said: str) -> None:
    """A spelling, a gap and an answer within a text are refused as elsewhere."""
    columns = TOPICS | {"svm": [label, *TOPICS["nb"][1:]], "gold": ["a", *TOPICS["gold"][1:]]}
    sentence = refused("compare", written(tmp_path, table(columns)))
    assert said in sentence
    assert "every label that occurs is a class" not in sentence


def test_two_columns_of_right_and_wrong(tmp_path: Path) -> None:
    path = written(tmp_path, table({"old": labels([1, 0], right=0.9), "new": labels([1, 0], right=0.8, seed=4)}))
    assert refused(path).endswith(
        "does not say which column is the truth; if old and new are scores per item, run: "
        f"outperform compare {path} --scores old new"
    )


def test_a_menu_on_a_terminal(tmp_path: Path) -> None:
    columns = spam()
    path = written(tmp_path, table({"first": columns["svm"], "second": columns["gold"], "third": columns["nb"]}))
    screen, terminal = pty.openpty()
    process = subprocess.Popen([*COMMAND, path, "--draws", "500"], stdin=terminal, stdout=terminal, stderr=terminal)
    os.write(screen, b"2\n")
    process.wait(timeout=600)
    os.close(terminal)
    shown = b""
    while True:
        try:
            block = os.read(screen, 65536)
        except OSError:
            break
        if not block:
            break
        shown += block
    text = shown.decode()
    assert process.returncode == 0, text
    assert "Which column is the truth?" in text
    assert "  2  second" in text
    assert "--truth second --predictions first third" in text


def test_the_library_takes_what_the_command_guesses() -> None:
    y, a, b = labels([1, 0]), labels([1, 0], right=0.9), labels([1, 0], right=0.8, seed=4)
    assert op.compare(y, a, b, rng=0) == op.compare(y, [a, b], rng=0) == op.compare(y, {"A": a, "B": b}, rng=0)


def test_the_example_is_a_file_to_try_it_with(tmp_path: Path) -> None:
    printed = run("example")
    assert (printed.exit_code, printed.stderr, printed.stdout) == (0, "", op.datasets.example())
    result = run(written(tmp_path, printed.stdout), "--rope", "0.05")
    assert result.stdout.splitlines()[0] == "svm is better than nb (svm ≫ nb)"


def test_the_error_is_that_of_the_first_choice(tmp_path: Path) -> None:
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    for path in (new, old):
        rows = [[k, f"q{k}", None if (k, path) == (3, new) else k % 2] for k in range(12)]
        path.write_text(json.dumps({"columns": ["id", "question", "right"], "data": rows}))
    assert f"{new}, row 4, column 'right', item 3: the score is None; a finite number" in refused(str(new), str(old))
