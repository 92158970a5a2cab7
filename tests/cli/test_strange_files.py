"""Files that are no table of predictions, or several files of one test set: one sentence each, with what to do."""

from __future__ import annotations

import json
import random
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from outperform.io.looking import look
from tests.cli.test_guessing_cli import JSON, typed, written
from tests.cli.unprepared import labels, spam, table, three
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

COMMAND = f"{sys.executable} -c 'from outperform.cli import main; main()'"


def in_shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """What a shell makes of a line, in which `outperform` is the command that is tested."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; outperform() {{ {COMMAND} \"$@\"; }}; {line}"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "raw", "sentence"),
    [
        ("p.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "is a pointer of Git LFS"),
        ("run.txt", b"301 Q0 d1 1 9.5 bm25\n301 Q0 d2 2 8.5 bm25\n", "is a run, a ranking of documents for each query"),
        ("y.npy", b"\x93NUMPY\x01\x00v\x00", "is a file of NumPy, not text; read it in Python and give the arrays"),
        ("y.pkl", b"\x80\x04\x95\x0b\x00\x00", "is a pickle of Python, not text; read it in Python"),
        ("y.db", b"SQLite format 3\x00\x10", "is an SQLite database, not text; write the table as CSV"),
        ("y.csv", b"%PDF-1.7\n%\xe2\xe3", "is a PDF file, not text; give the table as CSV"),
        (
            "r.csv",
            b"metric,a,b\naccuracy,0.9,0.8\nF1-score,0.8,0.7\n",
            "has a row for each measure, without items; give",
        ),
        (
            "r.csv",
            b"id,success\nx,true\ny,false\n",
            "has one column of right and wrong, success; name the files of two",
        ),
        (
            "r.csv",
            table(dict(zip(["label", "rf"], [labels(["cat", "dog", "owl"]), labels([0, 1, 2])], strict=True))).encode(),
            "labels are spelt in two ways: label has cat, dog and owl, and rf has 0, 1 and 2; write them alike",
        ),
    ],
)
def test_what_is_no_table_of_predictions(name: str, raw: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(raw)
    refusal = refused(str(tmp_path / name))
    assert sentence in refusal
    assert len(refusal.splitlines()) == 1


def test_a_run_of_each_of_two_systems_is_a_run(tmp_path: Path) -> None:
    files = [written(tmp_path, f"301 Q0 d{k} 1 9.5 {k}\n", f"{k}.txt") for k in "ab"]
    assert "is a run, a ranking of documents" in refused("compare", *files)


@pytest.mark.parametrize("pattern", ["{system}_{label}", "{label} {system}"])
def test_a_column_for_each_label(pattern: str, tmp_path: Path) -> None:
    columns = {
        pattern.format(system=system, label=label): values
        for label in ("cat", "dog")
        for system, values in zip(("true", "a", "b"), three([1, 0]), strict=True)
    }
    refusal = refused(written(tmp_path, table(columns)))
    true, a, b = (pattern.format(system=system, label="cat") for system in ("true", "a", "b"))
    assert "has a column for each of 2 labels" in refusal
    line = refusal.partition("; for cat alone, run: ")[2]
    assert shlex.split(line)[-5:] == ["--truth", true, "--predictions", a, b]
    assert typed(line).exit_code == 0


def test_answers_in_sentences(tmp_path: Path) -> None:
    truth, a, b = three(["A", "B", "C", "D"])
    columns = {"gold": truth, "gpt": [f"The answer is {x}." for x in a], "llama": b}
    refusal = refused(written(tmp_path, table(columns)), "--predictions", "gpt", "llama")
    assert ": if that is the answer, take it out of the text first" in refusal


def test_tags_in_lists_are_not_taken_for_sets(tmp_path: Path) -> None:
    rng, rows = random.Random(7), []
    for _ in range(60):
        gold = [rng.choice(["O", "O", "B-PER", "B-LOC"]) for _ in range(rng.randint(4, 9))]
        bert, crf = ([tag if rng.random() < right else "O" for tag in gold] for right in (0.85, 0.75))
        rows.append({"tokens": [f"w{k}" for k in range(len(gold))], "ner_tags": gold, "bert": bert, "my crf": crf})
    path = written(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows), "ner.jsonl")
    refusal = refused(path)
    assert (
        "has the tags of a sentence in each row; a token and its tags on each line are expected, as from: " in refusal
    )
    made = in_shell(tmp_path, refusal.partition(", as from: ")[2])
    if "not found" in made.stderr:
        pytest.skip("without jq")
    assert made.returncode == 0, made.stderr
    answer = run("compare", str(tmp_path / "sentences.conll"), *JSON)
    assert json.loads(answer.stdout)["a"]["name"] == "column 2"
    assert "--predictions 2 3 --unit sentence" in answer.stderr


def test_runs_of_a_system_are_no_systems(tmp_path: Path) -> None:
    truth = spam()["gold"]
    runs = {f"{n}_seed{k}": labels(["spam", "ham"], right=0.9, seed=k) for n in ("bert", "lstm") for k in (1, 2)}
    path = written(tmp_path, table({"y": truth, **runs}))
    refusal = refused(path)
    assert "has 2 runs of each of bert and lstm; name two columns with --predictions or" in refusal
    assert "'bert': frame[['bert_seed1', 'bert_seed2']].eq(frame['y'], axis=0)" in refusal
    assert run(path, "--predictions", "bert_seed1", "lstm_seed1", *JSON).exit_code == 0


# Several files


def two(folder: Path, names: Sequence[str], columns: Sequence[dict[str, list[str]]], sign: str = ",") -> list[str]:
    """Files in a folder, which names are looked up in."""
    return [Path(written(folder, table(c, sign), name)).name for name, c in zip(names, columns, strict=True)]


@pytest.mark.parametrize(("ending", "sign"), [("csv", ","), ("tsv", "\t")])
def test_rows_in_the_same_order(ending: str, sign: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mails = spam()
    columns = [{"gold": mails["gold"], "pred": mails[name]} for name in ("svm", "nb")]
    files = two(tmp_path, [f"svm.{ending}", f"nb&1.{ending}"], columns, sign)
    refusal = refused("compare", *files, *JSON, "--draws", "500")
    assert "(--id) matches the rows of svm." in refusal
    assert ", but their true labels are the same in the same order; if their rows are the same items, run: " in refusal
    answer = in_shell(tmp_path, refusal.partition(", run: ")[2])
    assert answer.returncode == 0, answer.stderr
    whole = written(tmp_path, table({"gold": mails["gold"], "svm": mails["svm"], "nb&1": mails["nb"]}), "whole.csv")
    expected = json.loads(run("compare", whole, *JSON, "--draws", "500").stdout)
    assert json.loads(answer.stdout)["delta"] == expected["delta"]


def test_rows_in_another_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mails = spam()
    first = {"gold": mails["gold"], "pred": mails["svm"]}
    other = {"gold": mails["gold"][::-1], "pred": mails["nb"][::-1]}
    refusal = refused("compare", *two(tmp_path, ["svm.csv", "nb.csv"], [first, other]))
    assert (
        "no column of ids (--id) matches the rows of svm.csv and nb.csv; if they hold different items, run: outperform"
        in refusal
    )
    assert typed(refusal.partition(", run: ")[2]).exit_code == 0
    windows = [written(tmp_path, table(first, end="\r\n"), name) for name in ("x.csv", "y.csv")]
    assert "y.csv; if they hold different items, run: " in refused("compare", *windows)


def test_files_of_which_one_has_a_truth_and_none_has_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mails = spam()
    files = two(tmp_path, ["svm.csv", "nb.csv"], [{"gold": mails["gold"], "pred": mails["svm"]}, {"pred": mails["nb"]}])
    for named in (files, files[::-1]):
        assert (
            "and nb.csv has no column 'gold'; give all files a column of ids, or put the columns into one file"
        ) in refused("compare", *named)


def test_ids_that_are_repeated_are_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mails, ids = spam(), [f"d{k}" for k in range(120)]
    first = {"id": [*ids, "d0"], "gold": [*mails["gold"], "ham"], "pred": [*mails["svm"], "ham"]}
    files = two(tmp_path, ["svm.csv", "nb.csv"], [first, {"id": ids[::-1], "pred": mails["nb"][::-1]}])
    for named in (files, files[::-1]):
        assert "svm.csv: the id 'd0' is on line 2 and again on line 122" in refused("compare", *named)


def test_numbers_of_classes_with_and_without_a_point_are_the_same(tmp_path: Path) -> None:
    mails = spam()
    columns = {name: ["1" if label == "spam" else "0" for label in labels] for name, labels in mails.items()}
    columns["nb"] = [f"{label}.0" for label in columns["nb"]]
    answer = run("compare", written(tmp_path, table(columns)))
    assert answer.exit_code == 0
    assert "predictions svm and nb" in answer.stderr


def test_submissions_that_name_their_column_as_the_truth_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mails, ids = spam(), [f"d{k}" for k in range(120)]
    named = [{"id": ids, "label": mails[name]} for name in ("svm", "gold", "nb")]
    files = two(tmp_path, ["a.csv", "gold.csv", "b.csv"], named)
    refusal = refused(*files)
    assert (
        "all files have the columns id and label; if gold.csv holds the true labels, rename its column label: "
        in refusal
    )
    made = in_shell(tmp_path, refusal.partition("column label: ")[2].partition(", and name")[0])
    assert made.returncode == 0, made.stderr
    assert (
        "truth gold; predictions label; ids id; positive class spam" in run("gold-named.csv", "a.csv", "b.csv").stderr
    )


def test_right_and_wrong_in_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("new", "old")):
        rng = random.Random(seed)
        rows = [{"name": f"t{k}", "success": rng.random() < 0.8} for k in range(60)]
        written(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows), f"{name}.jsonl")
    refusal = refused("new.jsonl", "old.jsonl")
    assert "if success says which items a system has right, run: outperform compare new.jsonl old.jsonl " in refusal
    assert refusal.endswith(" --id name --scores success")
    assert typed(refusal.partition(", run: ")[2]).exit_code == 0


def test_files_that_need_a_command_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mails = spam()
    for name in ("svm", "nb"):
        rows = {"inst#": [*range(1, 121)], "actual": mails["gold"], "predicted": mails[name]}
        written(tmp_path, f"=== Predictions on test data ===\n\n{table(rows)}", f"{name}.csv")
    refusal = refused("svm.csv", "nb.csv")
    assert "svm.csv and nb.csv can be read after a conversion (lines above the header left out)" in refusal
    assert in_shell(tmp_path, refusal.partition("of the old after: ")[2]).returncode == 0
    assert (
        "truth actual; predictions predicted; ids inst#" in run("table-svm.csv", "table-nb.csv", "--rope", "0.1").stderr
    )


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (
            ["0.5\n0.25\n0.75\n"],
            "seems to have no header, and has one value on each line, as of one system; name the files that go with it",
        ),
        (
            ["a\nb\na\n"],
            "seems to have no header, and has one value on each line, as of one system; name the files that go with it",
        ),
        (["0.5\n0.25\n0.75\n", "0.5\n0.25\n"], "has 2 lines, which are matched in their order: give each file a line"),
        (
            ["score\n0.5\n0.25\n", "score\n0.5\n"],
            "; give all files a column of ids, or put the scores into one, a column",
        ),
    ],
)
def test_files_of_a_value_on_each_line(texts: Sequence[str], sentence: str, tmp_path: Path) -> None:
    """The first number was taken for the name of a column, in a command that could not run."""
    paths = [tmp_path / f"{k}.txt" for k in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    assert sentence in refused(*map(str, paths))


def helm(right: Sequence[int]) -> list[object]:
    """What HELM writes of each item; the last is an item that was changed to see whether the answer is the same."""

    def stats(value: float) -> list[object]:
        own = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": value, "mean": value}
        return [{"name": {"name": "num_references", "split": "test"}, "count": 1, "sum": 4, "mean": 4}, own]

    rows = [{"instance_id": f"id{k}", "train_trial_index": 0, "stats": stats(x)} for k, x in enumerate(right)]
    return [*rows, {**rows[0], "perturbation": {"name": "typos"}, "stats": stats(1 - right[0])}]


def swe_bench(right: Sequence[int]) -> dict[str, object]:
    """A report of SWE-bench, of which the last item was not submitted."""
    names = [f"django__django-{k}" for k in range(len(right))]
    known = [name for name, x in zip(names, right, strict=True) if x]
    ids = {"submitted_ids": names[:-1], "incomplete_ids": names[-1:], "resolved_ids": known, "error_ids": []}
    return {"total_instances": len(right), "resolved_instances": len(known), **ids}


@pytest.mark.parametrize(("write", "how"), [(helm, "statistics of HELM"), (swe_bench, "a report of SWE-bench")])
def test_results_by_item_of_other_tools(write: Callable[[Sequence[int]], object], how: str, tmp_path: Path) -> None:
    """They were taken for tables of JSON, without the scores in them."""
    right = {"new": [0, 1, 1, 1, 0] * 12, "old": [1, 0, 1, 0, 0] * 12}
    for name, own in right.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(write(own), indent=2))
    files = [str(tmp_path / f"{name}.json") for name in right]
    sentence = refused(*files)
    assert f"can be read after a conversion ({how})" in sentence
    assert in_shell(tmp_path, sentence.partition(" after: ")[2]).returncode == 0
    tables = [str(tmp_path / f"table-{name}.jsonl") for name in right]
    line = refused(*tables, *JSON).partition(", run: ")[2]
    answer = json.loads(typed(line).stdout)
    assert [answer[side]["observed"] for side in "ab"] == [0.6, 0.4]
    assert look(files[:1]).tables[0].values == look(tables[:1]).tables[0].values  # done here


@pytest.mark.parametrize("name", ["target", "prediction", "y_pred", "prob", "label"])
def test_submissions_without_a_truth_are_no_scores(name: str, tmp_path: Path) -> None:
    """Probabilities of two submissions were compared, as if larger ones were better."""
    paths = [tmp_path / f"sub{k}.csv" for k in (1, 2)]
    for seed, path in enumerate(paths):
        rng = random.Random(seed)
        path.write_text(f"id,{name}\n" + "".join(f"{k},{rng.random():.4f}\n" for k in range(40)))
    assert f"have {name}, which seems to be predicted, and no truth; name the file of the truth" in refused(
        *map(str, paths)
    )
    for path in paths:
        path.write_text(path.read_text().replace(name, f"{name}_score", 1))
    assert json.loads(run(*map(str, paths), *JSON).stdout)["measure"] == "score"


def test_a_solution_with_more_columns_than_the_submissions(tmp_path: Path) -> None:
    """The part of the test set that an item is in was said to be spelt otherwise than the truth."""
    rng = random.Random(0)
    truth = [rng.randint(0, 1) for _ in range(40)]
    rows = "".join(f"{k},{y},{('Public', 'Private')[k % 2]}\n" for k, y in enumerate(truth))
    (tmp_path / "solution.csv").write_text(f"id,target,Usage\n{rows}")
    for name in ("a", "b"):
        said = "".join(f"{k},{0.5 * y + rng.random() / 2:.4f}\n" for k, y in enumerate(truth))
        (tmp_path / f"{name}.csv").write_text(f"id,target\n{said}")
    files = [str(tmp_path / f"{name}.csv") for name in ("solution", "a", "b")]
    sentence = refused(*files)
    assert "all files have the columns id and target; if" in sentence
    shell = sentence.partition("rename its column target: ")[2].partition(", and name")[0]
    assert in_shell(tmp_path, shell).returncode == 0
    answer = json.loads(run(str(tmp_path / "solution-named.csv"), *files[1:], *JSON).stdout)
    assert answer["measure"] == "roc_auc"


def test_a_folder_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    """The other folder was said to have no files that could be read."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "run.eval").write_bytes(b"PK")
    said = refused(str(tmp_path / "new"), str(tmp_path / "old"))
    assert f"cannot read {tmp_path / 'old'}: No such file or directory" in said
