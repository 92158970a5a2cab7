"""Items, scores of items and logs on the command line: answers, gates, formats, and errors in its own words."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from sklearn import metrics

import outperform as op
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

N = 160
RNG = default_rng(31)
GOLD = RNG.integers(0, 2, N)
A, B = (np.round(GOLD + RNG.normal(0, s, N), 3) for s in (0.7, 1.6))
CLASSES = np.array(list("xyz"))[RNG.integers(0, 3, N)]
CHANCES = {name: RNG.dirichlet([1, 1, 1], N).round(6) for name in "ab"}
COLUMNS: dict[str, Any] = {
    "id": np.arange(N),
    "gold": GOLD,
    "a": A,
    "b": B,
    "flat": np.ones(N),
    "pa": (A > 0.5).astype(int),
    "pb": (B > 0.5).astype(int),
    "named": np.where(GOLD == 1, "spam", "ham"),
    "doc": np.arange(N) // 4,
    "part": np.arange(N) // 80,
    "gap": ["nan", *A[1:]],
    "blank": ["", *A[1:]],
}
DOCUMENTS = [str(k // 4) for k in range(N)]  # as they are read
LIBRARY = re.compile(r"\bop\.|\b[a-z_]+=|pos_label|zero_division")  # words that nobody typed


def said(*args: str, stdin: str | None = None) -> str:
    """The sentence of a refusal, which has none of the library's words."""
    sentence = refused(*args, stdin=stdin).removeprefix("Error: ")
    assert not LIBRARY.search(sentence), sentence
    return sentence


def table(columns: dict[str, Any], rows: Sequence[int] = range(N)) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(columns)
    writer.writerows([column[k] for column in columns.values()] for k in rows)
    return written.getvalue()


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of all columns, in the current directory."""
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text(table(COLUMNS), encoding="utf-8")
    return "items.csv"


def predicted(file: str, *columns: str, truth: str = "gold") -> tuple[str, ...]:
    return file, "--truth", truth, "--predictions", *(columns or ("a", "b"))


def answer(*args: str) -> Any:
    result = run(*args, "--format", "json", "--draws", "400")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def like(r: Any) -> Any:
    """What a result is as JSON, read back."""
    return json.loads(r.to_json())


def test_roc_auc(items: str) -> None:
    found = answer("compare", *predicted(items), "--measure", "roc_auc", "--rope", "0.05")
    assert found == like(op.compare(GOLD, {"a": A, "b": B}, measure="roc_auc", rope=0.05, draws=400, rng=0))
    assert found["a"]["observed"] == pytest.approx(metrics.roc_auc_score(GOLD, A))
    assert set(found["frequentist"]) == {"delong", "paired_bootstrap"}
    named = answer("compare", *predicted(items, truth="named"), "--measure", "roc_auc", "--pos-label", "spam")
    assert named["delta"]["observed"] == pytest.approx(found["delta"]["observed"])


def test_clusters_and_strata_of_items(items: str) -> None:
    model = op.BayesianBootstrap(DOCUMENTS, strata=[str(k // 80) for k in range(N)])
    found = answer("compare", *predicted(items), "-m", "average_precision", "--cluster", "doc", "--strata", "part")
    assert found == like(op.compare(GOLD, {"a": A, "b": B}, measure="average_precision", model=model, draws=400, rng=0))
    assert "|clusters:40|strata:2|" in found["signature"]


@pytest.mark.parametrize("measure", ["f1", "mcc"])
def test_labels_in_clusters(items: str, measure: str) -> None:
    found = answer("compare", *predicted(items, "pa", "pb"), "--measure", measure, "--cluster", "doc")
    model = op.BayesianBootstrap(cluster=DOCUMENTS)
    two = {name: COLUMNS[name] for name in ("pa", "pb")}
    assert found["delta"] == like(op.compare(GOLD, two, measure=measure, model=model, draws=400, rng=0))["delta"]
    rows = answer("compare", *predicted(items, "pa", "pb"), "--cluster", "doc", "--average", "per_class")
    assert [row["class"] for row in rows] == [0, 1]


@pytest.mark.parametrize("measure", ["roc_auc", "log_loss", "top_2_accuracy"])
def test_lists_of_numbers_are_of_many_classes(tmp_path: Path, measure: str) -> None:
    rows = [{"gold": str(CLASSES[k])} | {name: own[k].tolist() for name, own in CHANCES.items()} for k in range(N)]
    file = tmp_path / "chances.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = answer("compare", *predicted(str(file)), "--measure", measure)
    assert found == like(op.compare(CLASSES, CHANCES, measure=measure, draws=400, rng=0))


def test_queries(items: str) -> None:
    found = answer("compare", *predicted(items), "--measure", "ndcg@3", "--cluster", "doc")
    gains, scores = GOLD.reshape(-1, 4), A.reshape(-1, 4)
    assert found["a"]["observed"] == pytest.approx(metrics.ndcg_score(gains, scores, k=3))
    assert found["measure"] == "ndcg@3"


def test_estimates_of_each_system(items: str) -> None:
    rows = answer("estimate", *predicted(items), "--measure", "roc_auc", "--cluster", "doc")
    assert [row["name"] for row in rows] == ["a", "b"]
    assert [row["observed"] for row in rows] == pytest.approx([metrics.roc_auc_score(GOLD, x) for x in (A, B)])
    one = answer("estimate", *predicted(items, "a"), "--measure", "mae", "--strata", "part")
    assert one["observed"] == pytest.approx(np.abs(GOLD - A).mean())
    assert "|strata:2|" in one["signature"]


def test_columns_of_scores(items: str) -> None:
    found = answer("compare", items, "--scores", "a", "b", "--cluster", "doc", "--rope", "0.1", "--measure", "bleu")
    given: Any = {"measure": "bleu", "cluster": DOCUMENTS, "rope": 0.1, "draws": 400, "rng": 0}
    assert found == like(op.compare_scores({"a": A, "b": B}, **given))
    counted = answer("compare", items, "--scores", "pa", "pb")
    assert (counted["model"], counted["measure"]) == ("paired", "score")
    assert answer("compare", items, "--scores", "pa", "pb", "--model", "bootstrap")["model"] == "bootstrap"
    assert answer("compare", items, "--scores", "a", "b", "--strata", "part")["signature"].count("|strata:2|") == 1


def test_files_of_scores_are_matched_by_id(tmp_path: Path) -> None:
    for name, own, rows in (("one", A, range(N)), ("two", B, range(N - 1, -1, -1))):
        (tmp_path / f"{name}.csv").write_text(table({"id": range(N), "score": own}, rows), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("one.csv", "two.csv")]
    found = answer("compare", *files, "--id", "id", "--scores", "score")
    assert found == like(op.compare_scores({"one": A, "two": B}, draws=400, rng=0))
    (tmp_path / "two.csv").write_text(table({"id": range(N), "score": B}, range(2, N)), encoding="utf-8")
    assert said("compare", *files, "--id", "id", "--scores", "score") == (
        f"2 ids are in {files[0]} but not in {files[1]}: '0', '1'; add them to the second or remove them from the first"
    )
    assert said("compare", *files, "--scores", "score").startswith(
        "2 files: name the column that tells the items apart"
    )


def test_standard_input() -> None:
    result = run("compare", "-", "--scores", "a", "b", "--draws", "200", stdin=table(COLUMNS))
    assert result.exit_code == 0
    assert "mean score" in result.stdout


def test_the_gate(items: str) -> None:
    ask = ("compare", *predicted(items), "--measure", "roc_auc", "--draws", "2000")
    assert run(*ask, "--rope", "0.01", "--require", "better").exit_code == 0
    failed = run(
        "compare", *predicted(items, "b", "a"), "--measure", "roc_auc", "--rope", "0.01", "--require", "better"
    )
    assert failed.exit_code == 3
    assert failed.stderr.startswith("requirement better not met: b ≪ a   Δroc_auc = -")
    assert run("compare", items, "--scores", "b", "a", "--rope", "9", "--require", "equivalent").exit_code == 0
    lower = ("compare", items, "--scores", "flat", "a", "--rope", "0.1", "--draws", "2000")
    assert run(*lower, "--require", "better").exit_code == 0
    assert run(*lower, "--require", "better", "--lower-is-better").exit_code == 3
    assert said(*ask, "--require", "better") == (
        "--require better needs --rope, the differences that do not matter to you"
    )


FORMATS = {
    "csv": ["delta_mean", "p_delong", "p_paired_bootstrap", "slightly_better", "|measure:roc_auc|"],
    "markdown": ["would settle it", r"Δroc\_auc = a − b, ROPE", "| a − b |", "|measure:roc_auc|"],
    "latex": [r"\begin{tabular}", r"$\Delta$roc\_auc = a $-$ b", "% outperform:", r"\bottomrule"],
    "json": ['"schema_version": 1', '"delong": ', '"variance": null', '"outlook": {'],
    "text": [
        "a is ahead, but perhaps by less than the margin; not settled (a > b)",
        "DeLong",
        "paired bootstrap",
        "160 items, bootstrap model, haldane prior",
    ],
}


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format(items: str, format_: str) -> None:
    result = run("compare", *predicted(items), "--measure", "roc_auc", "--rope", "0.15", "-v", "--format", format_)
    assert result.exit_code == 0
    for part in FORMATS[format_]:
        assert part in result.stdout
    scores = run("compare", items, "--scores", "a", "b", "--cluster", "doc", "-v", "--format", format_)
    assert scores.exit_code == 0
    assert "clusters:40" in scores.stdout


def logged(folder: Path, name: str, chance: float, **more: Any) -> str:
    """A folder as lm-evaluation-harness leaves it: two filters, two metrics, in a run of one task."""
    rng, task = default_rng(int(100 * chance)), more.get("task", "gsm8k")
    rows = [
        {"doc_id": k, "doc": {"topic": f"t{k % 30}"}, "target": "1", "arguments": {}, "resps": [["1"]],
         "filtered_resps": ["1"], "filter": filter_, "metrics": ["exact_match", "f1"],
         "exact_match": float(rng.random() < chance), "f1": float(rng.random() ** (1 / (4 * chance)))}
        for k in range(120) for filter_ in ("strict-match", "flexible-extract")
    ]  # fmt: skip
    own = folder / name
    own.mkdir(exist_ok=True)
    (own / "results_2025-04-30T18-24-41.082644.json").write_text(json.dumps({"model_name": f"org/{name}"}))
    (own / f"samples_{task}_2025-04-30T18-24-41.082644.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return str(own)


@pytest.fixture
def logs(tmp_path: Path) -> tuple[str, str]:
    return logged(tmp_path, "big", 0.9), logged(tmp_path, "small", 0.5)


STRICT = ("--from", "lm-eval", "--filter", "strict-match")


def test_logs(logs: tuple[str, str]) -> None:
    found = answer("compare", *logs, *STRICT, "--metric", "exact_match", "--rope", "0.02")
    scores = op.read_scores(list(logs), metric="exact_match", filter="strict-match")
    assert found == like(op.compare_scores(scores, rope=0.02, draws=400, rng=0))
    assert (found["a"]["name"], found["model"], found["measure"]) == ("org/big", "paired", "exact_match")
    f1 = answer("compare", *logs, *STRICT, "--metric", "f1", "--cluster", "topic")
    assert (f1["model"], f1["measure"]) == ("bootstrap", "f1")
    assert "|clusters:30|" in f1["signature"]
    one_folder = answer("compare", str(Path(logs[0]).parent), *STRICT, "--metric", "f1", "--cluster", "topic")
    assert one_folder == f1


def test_logs_are_a_gate(logs: tuple[str, str]) -> None:
    ask = (*STRICT, "--metric", "exact_match", "--rope", "0.02", "--require", "better")
    assert run("compare", *logs, *ask).exit_code == 0
    assert run("compare", *logs[::-1], *ask).exit_code == 3
    assert run("compare", *logs, *ask, "--lower-is-better").exit_code == 3
    both = ("compare", str(Path(logs[0]).parent), *ask)  # in the order of their names
    guessed, _, line = said(*both).partition(", run: outperform ")
    assert "the order of org/big and org/small was guessed; name them with --scores, the new one first; if" in guessed
    assert run(*line.split()).exit_code == 0
    assert run(*both, "--scores", "org/small", "org/big").exit_code == 3


def test_logs_that_leave_something_open(logs: tuple[str, str]) -> None:
    named = ["compare", *logs, "--from", "lm-eval"]
    filters = said(*named, "--metric", "f1")
    assert "has more than one filter: 'strict-match', 'flexible-extract'; for strict-match, run: " in filters
    assert filters.endswith(f"outperform {' '.join(named)} --metric f1 --filter strict-match")
    metrics = said(*named, "--filter", "strict-match")
    assert metrics.endswith(f"run: outperform {' '.join(named)} --metric exact_match --filter strict-match")
    for sentence in (filters, metrics):
        assert run(*sentence.partition("run: outperform ")[2].split(), "--draws", "200").exit_code == 0
    assert said("compare", *logs, *STRICT, "--metric", "acc").endswith(
        "has no metric 'acc'; it has 'exact_match', 'f1'"
    )
    logged(Path(logs[0]).parent, "big", 0.3, task="arc")
    many = said("compare", *logs, *STRICT, "--metric", "f1")
    assert many.startswith(f"{logs[0]} has logs of 2 tasks: 'arc', 'gsm8k'; for gsm8k, run: outperform compare ")
    assert many.endswith(" --task gsm8k")  # the one that both have
    logged(Path(logs[1]).parent, "small", 0.1, task="arc")
    assert answer("compare", *logs, *STRICT, "--metric", "f1", "--task", "gsm8k")["items"] == 120
    assert said("compare", *logs, *STRICT, "--metric", "f1", "--task", "mmlu").startswith(
        f"{logs[0]} has no log of task 'mmlu'; its tasks are"
    )


def test_logs_of_several_tasks(logs: tuple[str, str]) -> None:
    for name, chance in (("big", 0.7), ("small", 0.6)):
        logged(Path(logs[0]).parent, name, chance, task="arc")
    every = said("compare", *logs, *STRICT, "--rope", "0.01")
    ask = (*logs, "--from", "lm-eval", "--metric", "exact_match", "--filter", "strict-match", "--task", "all")
    assert every.endswith(f"; for all tasks, run: outperform compare {' '.join(ask)} --rope 0.01")
    rows = answer("compare", *ask, "--rope", "0.01")
    assert [(row["slice"], row["decision"]["name"]) for row in rows] == [
        ("arc", "slightly_better"),
        ("gsm8k", "better"),
    ]
    assert rows == answer("compare", *ask[:-1], "arc", "gsm8k", "--rope", "0.01")
    assert run("compare", *ask, "--rope", "0.01", "--require", "better").exit_code == 3
    over = answer("compare-datasets", *logs, *ask[4:-2], "--rope", "0.01")  # the format is recognised
    assert over["observed"] == pytest.approx(np.mean([row["delta"]["observed"] for row in rows]))
    choice = said("compare-datasets", *logs, "--rope", "0.01")
    ready = f"compare-datasets {' '.join(ask)} --rope 0.01"
    assert choice.endswith(f"for strict-match, run: outperform {ready}")
    assert run(*ready.split(), "--draws", "200").exit_code == 0
    assert said("rank", *ask).startswith("several tasks are compared two systems at a time; choose one task with")
    assert said("compare-datasets", *ask, "--fold", "k") == "--fold has no use for logs; leave it out"


AUC = "--truth gold --predictions a b --measure roc_auc "
SCORES = "--scores a b "
BAD = {
    AUC + "--model paired": "items are resampled, which the paired model does not; use --model bootstrap",
    AUC + "--prior uniform": "the bootstrap takes no prior; leave --prior out",
    AUC + "--average macro": "--average macro does not apply to roc_auc of these items; leave it out",
    AUC + "--count id": "--count has no use for items that are resampled; repeat each row as often as it says",
    "--truth gold --predictions a b --cluster doc --weight id": "--weight has no use for items that are resampled",
    AUC + "--confusion": "--confusion has no use for items that are resampled; leave it out",
    AUC + "--rope 2": "rope must lie between -1 and 1, got 2.0; it is in units of the measure; did you mean 0.02?",
    AUC + "--pos-label 7": "--pos-label '7' is not a label; there are 0, 1",
    AUC + "--cluster user": "items.csv has no column 'user'; it has 'id', 'gold', 'a', 'b', ",
    AUC + "--cluster doc --strata id": "a cluster has items of several strata; clusters are resampled whole",
    AUC + "--lower-is-better": "--lower-is-better goes with scores (--scores or --from); measures know it themselves",
    AUC + "--require fine --rope 1": "unknown requirement 'fine'; known: better, equivalent, not-worse",
    "--truth gold --predictions a b --measure auroc": "unknown measure 'auroc'; did you mean 'roc_auc'? known: ",
    "--truth gold --predictions a --measure roc_auc": "compare takes two classifiers, got 1: 'a'; rank takes any numb",
    "--truth gold --predictions a flat --measure roc_auc": "classifier 'flat' gives every item the score 1, which does",
    "--truth gold --predictions a gap --measure roc_auc": "classifier 'gap' has no finite number at 1 of 160 position",
    "--truth gold --predictions a blank --measure mae": "items.csv, line 2: no value in column 'blank'; ",
    "--truth gold --predictions a named --measure mae": "in column 'named' is not a number",
    "--truth gold --predictions gold a --measure mae": "column 'gold' cannot be both the truth and a prediction",
    "--truth named --predictions a b --measure mae": "truth holds text where numbers are expected",
    "--truth named --predictions a b --measure roc_auc": "the labels are 'ham', 'spam': say which is positive with --p",
    "--truth flat --predictions a b --measure roc_auc": "the truth has a single class (1); add items of the other",
    "--truth gold --predictions a b --measure log_loss": "where probabilities between 0 and 1 are expected",
    "--truth gold --predictions a b --measure mae --pos-label 1": "numbers have no labels; leave --labels and --pos-l",
    "--truth gold --predictions a b --measure top_2_accuracy": "gives one number per item, but there are 2 classes (0,",
    "--truth gold --predictions a b --cluster doc": "holds numbers such as ",
    SCORES + "--truth gold": "--truth has no use for scores; leave it out",
    SCORES + "--average macro": "--average has no use for scores; leave it out",
    SCORES + "--beta 2": "--beta has no use for scores; leave it out",
    SCORES + "--metric acc": "--metric goes with logs; say --from",
    SCORES + "--filter none": "--filter goes with logs; say --from",
    SCORES + "--from table": "--scores names columns of a file and --from says that FILES are logs; give one of them",
    SCORES + "--prior uniform": "--prior has no use for scores; leave it out",
    SCORES + "--model unpaired": "score is computed from items, which only the bootstrap models: use --model bootstrap",
    "--scores a": "compare takes two classifiers, got 1: 'a'; rank takes any number",
    "--scores a named": "in column 'named' is not a number",
    "--scores a c": "items.csv has no column 'c'; it has 'id', 'gold', 'a', 'b', ",
    "--from lm-eval --strata part": "--strata does not go with logs: use --scores with a table",
    "--from lm-eval --truth gold": "--truth has no use for scores; leave it out",
    AUC + "--beta 2": "--beta goes with --measure f_beta, not with roc_auc",  # dropped without a word
    "--from lm-eval --measure roc_auc": "--measure does not go with logs: --metric chooses a score",
    "--truth gold --predictions a b --measure ndcg": "with --cluster",  # "not finite on some draws"
}  # fmt: skip


@pytest.mark.parametrize("options", BAD)
def test_bad_input_gets_one_sentence_in_the_words_of_the_command(items: str, options: str) -> None:
    assert BAD[options] in said("compare", items, *options.split())


def test_metric_without_logs_does_not_send_to_scores(items: str) -> None:
    sentence = said("compare", items, "--metric", "acc")
    assert sentence.startswith("--metric goes with logs")
    assert "--scores" not in sentence


def test_files_that_are_missing() -> None:
    for options in ("--measure roc_auc --truth gold --predictions a b", "--scores a b"):
        assert said("compare", *options.split()).startswith("name a file, or - for standard input, before options")
    assert said("compare", "--from", "lm-eval") == "name the logs, or folders of logs, one for each system"
    assert said("compare", "nowhere", "--from", "lm-eval") == "cannot read nowhere: No such file or directory"


@pytest.mark.parametrize("columns", ["pa pb", "a b"])
@pytest.mark.parametrize("verb", ["plan", "power"])
def test_measures_of_items_are_not_planned_with(items: str, verb: str, columns: str) -> None:
    sizes = ("--sizes", "100") if verb == "power" else ()
    asked = ("--measure", "roc_auc", "--rope", "0.1", *sizes)
    sentence = said(verb, *predicted(items, *columns.split()), *asked)
    assert sentence.startswith("roc_auc is computed from items, not from counts")
