"""Logs of evaluation tools, in the shape that each tool gives them, and what is wrong with them."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import numpy as np
import pytest
import zstandard

import outperform as op
from outperform.data.scores import Scores
from outperform.io import read_scores

TIME = "2025-04-30T18-24-41.082644"
LATER = "2025-05-01T09-00-00.000001"


def save(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(sentence: str, kind: type[Exception] = op.DataError) -> Any:
    return pytest.raises(kind, match=re.escape(sentence))


# lm-evaluation-harness


def sample(doc_id: Any, score: Any, **more: Any) -> dict[str, Any]:
    """One line of samples_….jsonl, with all that the harness writes."""
    return {
        "doc_id": doc_id,
        "doc": {"question": f"What is {doc_id} + 1?", "subject": f"s{doc_id % 2}", "meta": {"level": doc_id // 2}},
        "target": f"#### {doc_id + 1}",
        "arguments": {"gen_args_0": {"arg_0": "Question:\u2028…", "arg_1": {"until": ["</s>"], "temperature": 0.0}}},
        "resps": [["#### 1"]],
        "filtered_resps": ["1"],
        "filter": "strict-match",
        "metrics": ["exact_match"],
        "doc_hash": f"{doc_id:064x}",
        "prompt_hash": "0" * 64,
        "target_hash": "1" * 64,
        "exact_match": score,
    } | more


def jsonl(rows: Sequence[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def harness(
    folder: Path, rows: Sequence[Any], *, task: str = "gsm8k", time: str = TIME, model: str | None = None
) -> Path:
    """A folder as the harness leaves it; the path of the samples."""
    if model is not None:
        save(folder / f"results_{time}.json", json.dumps({"results": {task: {}}, "model_name": model, "n-shot": {}}))
    return save(folder / f"samples_{task}_{time}.jsonl", jsonl(rows))


def two(tmp_path: Path, a: Sequence[Any], b: Sequence[Any]) -> list[Path]:
    return [harness(tmp_path / "a", a, model="org/model-a"), harness(tmp_path / "b", b, model="org/model-b")]


SCORES = [1.0, 0.0, 1.0, 0.5]
LINES = [sample(k, score) for k, score in enumerate(SCORES)]


def test_lm_eval(tmp_path: Path) -> None:
    scores = read_scores(two(tmp_path, LINES, [sample(k, k % 2 == 1) for k in (3, 1, 0, 2)]))
    assert isinstance(scores, Scores)
    assert scores.metric == "exact_match"
    assert scores.systems == ("org/model-a", "org/model-b")
    assert scores.ids == (0, 1, 2, 3)
    assert scores.items == 4
    assert scores.cluster is None
    np.testing.assert_array_equal(scores.values["org/model-a"], SCORES)
    np.testing.assert_array_equal(scores.values["org/model-b"], [0, 1, 0, 1])
    assert scores.values["org/model-a"].dtype == np.float64
    assert repr(scores) == "Scores(metric='exact_match', systems=['org/model-a', 'org/model-b'], items=4)"


def with_results(folder: Path, scores: Sequence[float], **said: Any) -> Path:
    """Samples, and results beside them that say more."""
    path = harness(folder, [sample(k, score) for k, score in enumerate(scores)])
    save(folder / f"results_{TIME}.json", json.dumps({"model_name": folder.name, **said}))
    return path


def test_lm_eval_says_what_is_better(tmp_path: Path) -> None:
    lower = {"higher_is_better": {"gsm8k": {"exact_match": False}}}
    small, large = [0.1, 0.2, 0.3] * 10, [0.6, 0.9, 0.7] * 10
    paths = [with_results(tmp_path / name, own, **lower) for name, own in (("small", small), ("large", large))]
    scores = read_scores(paths)
    assert scores.greater_is_better is False
    r = op.compare_scores(scores, rope=0.01, rng=0)
    assert r.decision is not None
    assert r.decision.name == "better"
    assert op.rank_scores(scores, rng=0).systems[0].name == "small"
    with refused("the logs say that a lower exact_match is better; leave greater_is_better=True out", ValueError):
        op.compare_scores(scores, greater_is_better=True)
    other = with_results(tmp_path / "other", large, higher_is_better={"gsm8k": {"exact_match": True}})
    with refused(f"{paths[0]} and {other} disagree on whether a greater exact_match is better; score both alike"):
        read_scores([paths[0], other])


def test_lm_eval_reports_the_mean_of_its_samples(tmp_path: Path) -> None:
    fine = with_results(tmp_path / "a", [1.0, 0.0], results={"gsm8k": {"exact_match,strict-match": 0.5}})
    assert read_scores(fine).items == 2
    other = with_results(tmp_path / "b", [1.0, 0.0], results={"gsm8k": {"exact_match,strict-match": 0.7}})
    with refused(f"{other}: lm-eval reports exact_match 0.7, and the mean of its samples is 0.5: it is no mean over"):
        read_scores(other)


OWN_TASKS = (
    Path(__file__).parent.parent / "files" / "logs" / "lm_eval_own_tasks"
)  # lm-eval 0.4.13, two seeds of its dummy


@pytest.mark.parametrize(
    ("task", "metric"),
    [("own_errors", "error"), ("own_errors", "distance"), ("own_errors", "acc"), ("own_parity", "acc")],
)
def test_lm_eval_itself(task: str, metric: str) -> None:
    scores = read_scores([OWN_TASKS / "one", OWN_TASKS / "two"], task=task, metric=metric)
    r = op.compare_scores(scores, rng=0)
    reported = [json.loads(next((OWN_TASKS / name).glob("results_*")).read_bytes()) for name in ("one", "two")]
    for own, said in zip((r.a, r.b), reported, strict=True):
        assert own.observed == pytest.approx(said["results"][task][f"{metric},none"], abs=1e-12)
    assert scores.greater_is_better == reported[0]["higher_is_better"][task][metric]


def test_what_lm_eval_itself_writes_and_nobody_can_compare() -> None:
    together = "'word_perplexity', 'bits_per_byte' are computed from all documents together"
    with refused(together):
        read_scores([OWN_TASKS / "one", OWN_TASKS / "two"], task="own_perplexity")
    with refused("'brier_score' is computed from all documents together"):
        read_scores([OWN_TASKS / "one", OWN_TASKS / "two"], task="own_parity", metric="brier_score")
    with refused("has answers and no scores, as lm_eval writes them with --predict_only"):
        read_scores(OWN_TASKS / "answers")


def test_a_task_that_nobody_can_compare_can_be_left_out() -> None:
    both, metrics, others = [OWN_TASKS / "one", OWN_TASKS / "two"], ["error", "acc"], ["own_errors", "own_parity"]
    with pytest.raises(
        op.DataError, match="; to leave 'own_perplexity' out, name the others with task=: 'own_errors', "
    ):
        op.read_tasks(both, metric=metrics)
    assert list(op.read_tasks(both, metric=metrics, task=others)) == others


@pytest.mark.parametrize(("cluster", "groups"), [("subject", ("s0", "s1", "s0", "s1")), ("meta.level", (0, 0, 1, 1))])
def test_lm_eval_groups(tmp_path: Path, cluster: str, groups: tuple[Any, ...]) -> None:
    scores = read_scores(two(tmp_path, LINES, LINES), cluster=cluster)
    assert scores.cluster == groups
    assert repr(scores).endswith("items=4, clusters=2)")


@pytest.mark.parametrize("metric", ["acc", "acc_norm"])
def test_lm_eval_pools_the_tasks_of_a_group(metric: str) -> None:
    folder = Path(__file__).parent.parent / "files" / "logs" / "lm_eval_group"
    runs = [folder / "s1", folder / "s2"]
    scores = read_scores(runs, metric=metric, task="toy_mmlu")
    own = [json.loads(next(run.glob("results_*.json")).read_text())["groups"]["toy_mmlu"] for run in runs]
    np.testing.assert_allclose([x.mean() for x in scores.values.values()], [o[f"{metric},none"] for o in own])
    assert len(scores.ids) == own[0]["sample_len"] == 100
    assert len(read_scores(runs, metric=metric, task="toy_rocks").ids) == 40
    with refused("the items of all tasks of a group are pooled by its name, 'toy_mmlu'; choose one with task="):
        read_scores(runs, metric=metric)


def test_each_task_of_lm_eval_itself() -> None:
    folder = Path(__file__).parent.parent / "files" / "logs" / "lm_eval_group"
    runs = [folder / "s1", folder / "s2"]
    own = [json.loads(next(run.glob("results_*.json")).read_text())["results"] for run in runs]
    tasks = op.read_tasks(runs, metric=["no such", "acc_norm"])
    assert list(tasks) == ["toy_animals", "toy_rocks"]
    rows = op.compare_tasks(tasks, rope=0.02, fdr=0.1)
    over = op.compare_datasets(tasks, method="sign", rope=0.02)
    for task in tasks:
        reported = [run[task]["acc_norm,none"] for run in own]
        assert [rows[task].a.observed, rows[task].b.observed] == pytest.approx(reported)
    means = {name: [run[task]["acc_norm,none"] for task in tasks] for name, run in zip("ab", own, strict=True)}
    assert over.summary() == op.compare_datasets(means, method="sign", rope=0.02).summary()
    assert (over.measure, rows.fdr) == ("acc_norm", 0.1)
    assert rows.to_text().startswith("Of 2 tasks, ")
    assert list(op.read_tasks(runs, task=["toy_mmlu"], metric="acc")) == ["toy_mmlu"]  # a group is pooled


@pytest.mark.parametrize("tasks", [{}, {"arc": {"new": [1.0], "old": [0.0]}}])
def test_tasks_are_scores_by_task(tasks: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match=r"^compare_tasks takes a mapping from task to Scores, such as op\.read_tasks makes$"
    ):
        op.compare_tasks(tasks)


def test_tasks_that_cannot_be_read_together(tmp_path: Path) -> None:
    a, b = (harness(tmp_path / name, LINES).parent for name in "ab")
    harness(b, LINES, task="arc")
    with refused(f"{b} has logs of 'arc', of which {a} has none; name tasks that both have with task=: 'gsm8k'"):
        op.read_tasks([a, b])
    harness(a, [line | {"filter": "loose"} for line in LINES] + LINES, task="arc")
    with refused("has more than one filter: 'loose', "):
        op.read_tasks([a, b])


def test_each_task_of_inspect(tmp_path: Path) -> None:
    for model, scores in (("new", "CCIC"), ("old", "ICII")):
        for task in ("riddles", "sums"):
            path = tmp_path / model / f"2025-04-30T18-24-41_{task}.json"
            save(path, json.dumps(header(model, task) | {"samples": [scored(k, v) for k, v in enumerate(scores)]}))
    tasks = op.read_tasks([tmp_path / "new", tmp_path / "old"])
    read = {task: scores.values["new"].tolist() for task, scores in tasks.items()}
    assert read == {"riddles": [1, 1, 0, 1], "sums": [1, 1, 0, 1]}


@pytest.mark.parametrize("lost", [False, True], ids=["tasks count equally", "a task has no log"])
def test_a_group_whose_score_is_no_mean_over_items_is_refused(tmp_path: Path, lost: bool) -> None:
    shutil.copytree(Path(__file__).parent.parent / "files" / "logs" / "lm_eval_group", tmp_path, dirs_exist_ok=True)
    for run in (tmp_path / "s1", tmp_path / "s2"):
        results = next(run.glob("results_*.json"))
        found = json.loads(results.read_text())
        if lost:
            found["group_subtasks"]["toy_mmlu"].append("toy_lost")
            found["groups"]["toy_mmlu"]["acc,none"] += 0.05
        else:
            equally = [found["results"][task]["acc,none"] for task in ("toy_animals", "toy_rocks")]
            found["groups"]["toy_mmlu"]["acc,none"] = float(np.mean(equally))
        results.write_text(json.dumps(found))
    with refused("items of 2 logs is 0.26: tasks of different size count equally, or a task has no log; choose one"):
        read_scores([tmp_path / "s1", tmp_path / "s2"], metric="acc", task="toy_mmlu")
    assert len(read_scores([tmp_path / "s1", tmp_path / "s2"], metric="acc", task="toy_rocks").ids) == 40


def test_lm_eval_folders(tmp_path: Path) -> None:
    """Folders for the systems, one folder for all of them, and names where the results are gone."""
    a = harness(tmp_path / "Org__Qwen3.5-4B", LINES)
    harness(tmp_path / "Org__Qwen3.5-7B" / "deep", LINES, time=LATER)
    harness(tmp_path / "Org__Qwen3.5-7B" / "deep", LINES, task="mmlu_anatomy", time=LATER)
    folders = [tmp_path / "Org__Qwen3.5-4B", tmp_path / "Org__Qwen3.5-7B"]
    assert read_scores(folders, task="gsm8k").systems == ("Org__Qwen3.5-4B", "Org__Qwen3.5-7B")
    assert read_scores(tmp_path, task="gsm8k").systems == ("Org__Qwen3.5-4B", "deep")
    assert read_scores(str(a)).systems == (f"samples_gsm8k_{TIME.split('.', maxsplit=1)[0]}",)
    with refused(f"{tmp_path} has logs of 2 tasks: 'gsm8k', 'mmlu_anatomy'; choose one with task="):
        read_scores(tmp_path)
    with refused(f"{folders[0]} has no log of task 'mmlu_anatomy'; its tasks are 'gsm8k'"):
        read_scores(folders, task="mmlu_anatomy")


def test_lm_eval_same_model_twice(tmp_path: Path) -> None:
    paths = [harness(tmp_path / name, LINES, model="m") for name in ("short", "long")]
    assert read_scores([path.parent for path in paths]).systems == ("short", "long")
    assert read_scores(paths).systems == tuple(map(str, paths))
    assert read_scores([paths[0], paths[0]]).systems == (f"{paths[0]} (1)", f"{paths[0]} (2)")
    with refused(f"{tmp_path} holds two logs of 'gsm8k' of 'm', {paths[1]} and {paths[0]}; name one log per system"):
        read_scores(tmp_path)


def test_lm_eval_two_runs_of_a_task(tmp_path: Path) -> None:
    first, second = (harness(tmp_path / "a", LINES, time=time) for time in (TIME, LATER))
    b = harness(tmp_path / "b", LINES)
    of_two = f"{first.parent} holds two logs of 'gsm8k', {first} and {second}; name one log per system, as with: "
    with refused(f"{of_two}outperform compare {second} {b.parent}"):
        read_scores([first.parent, b.parent])
    with refused(f"{of_two}outperform compare {b} {second}"):
        read_scores([b, first.parent])
    with refused(f"{tmp_path / 'a'} holds two logs of 'gsm8k' of '{tmp_path / 'a'}', {first} and {second}; name"):
        read_scores(tmp_path / "a")


def test_lm_eval_different_tasks(tmp_path: Path) -> None:
    a, b = harness(tmp_path / "a", LINES), harness(tmp_path / "b", LINES, task="arc")
    with refused(f"{a} is of task 'gsm8k' and {b} of task 'arc'; give logs of one task"):
        read_scores([a, b])


def test_lm_eval_renamed_files_and_gzip(tmp_path: Path) -> None:
    a = save(tmp_path / "a.jsonl", jsonl(LINES))
    b = save(tmp_path / "b.jsonl.gz", gzip.compress(jsonl(LINES).encode()))
    assert read_scores([a, b]).systems == ("a", "b")
    with refused(f"{a} has no log of task 'gsm8k'; its tasks are none"):
        read_scores([a, b], task="gsm8k")
    assert read_scores(save(tmp_path / "samples_arc.jsonl", jsonl(LINES)), task="arc").items == 4


def test_lm_eval_filters(tmp_path: Path) -> None:
    rows = LINES + [sample(k, 1.0, filter="flexible-extract") for k in range(4)]
    a, b = two(tmp_path, rows, rows)
    np.testing.assert_array_equal(read_scores([a, b], filter="strict-match").values["org/model-a"], SCORES)
    np.testing.assert_array_equal(read_scores([a, b], filter="flexible-extract").values["org/model-a"], 1.0)
    with refused(f"{a} has more than one filter: 'strict-match', 'flexible-extract'; choose one with filter="):
        read_scores([a, b])
    with refused(f"{a} has no filter 'loose'; it has 'strict-match', 'flexible-extract'"):
        read_scores([a, b], filter="loose")
    other = harness(tmp_path / "c", [sample(k, 1.0, filter="none") for k in range(4)])
    strict = harness(tmp_path / "d", LINES)
    with refused(f"{strict} is scored with filter 'strict-match' and {other} with 'none'; choose one that both have"):
        read_scores([strict, other])


def test_lm_eval_metrics(tmp_path: Path) -> None:
    """Lists are of metrics of all documents together; numbers of numpy are text in the log."""
    more = {"metrics": ["acc", "acc_norm", "bleu"], "acc": "True", "acc_norm": "0.25", "bleu": ["a", "b"]}
    a, b = two(tmp_path, [sample(k, 0, **more) for k in range(2)], [sample(k, 0, **more) for k in range(2)])
    np.testing.assert_array_equal(read_scores([a, b], metric="acc").values["org/model-b"], 1.0)
    np.testing.assert_array_equal(read_scores([a, b], metric="acc_norm").values["org/model-b"], 0.25)
    with refused(f"{a} has more than one metric: 'acc', 'acc_norm'; choose one with metric="):
        read_scores([a, b])
    with refused(f"{a} has no metric 'f1'; it has 'acc', 'acc_norm'"):
        read_scores([a, b], metric="f1")
    with refused(
        f"{a}: 'bleu' is computed from all documents together, and the mean over documents is another number; "
    ):
        read_scores([a, b], metric="bleu")
    lists = harness(tmp_path / "c", [sample(0, 0, metrics=["bleu"], bleu=[1, 2])])
    with refused(f"{lists}: 'bleu' is computed from all documents together"):
        read_scores(lists)


def test_lm_eval_logs_of_old_versions(tmp_path: Path) -> None:
    """Without filters, without a list of metrics, without hashes."""
    kept = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps")
    rows = [{key: row[key] for key in kept} | {"acc": 1.0} for row in LINES]
    scores = read_scores([save(tmp_path / f"{name}.jsonl", jsonl(rows)) for name in "ab"])
    assert (scores.metric, scores.systems) == ("acc", ("a", "b"))


def test_lm_eval_metrics_that_differ(tmp_path: Path) -> None:
    a, b = two(tmp_path, LINES, [sample(k, 0, metrics=["acc"], acc=1) for k in range(4)])
    with refused(f"{a} is scored with metric 'exact_match' and {b} with 'acc'; choose one that both have with metric="):
        read_scores([a, b])


def test_items_that_one_system_lacks(tmp_path: Path) -> None:
    a, b = two(tmp_path, LINES, LINES[:1])
    with refused(f"{a} has 3 items that {b} has not: 1, 2, 3; compare runs on the same items"):
        read_scores([a, b])
    with refused(f"{a} has 3 items that {b} has not: 1, 2, 3; compare runs on the same items"):
        read_scores([b, a])
    with refused("'0' differs from 0 only in type (text and a number): write both alike, or compare runs on the same"):
        read_scores(two(tmp_path, [{**LINES[0], "doc_id": "0"}, *LINES[1:]], LINES))
    with refused(f"{a} has 1 item that {b} has not: 3"):
        read_scores(two(tmp_path, LINES, LINES[:3]))


def test_lm_eval_documents_that_differ(tmp_path: Path) -> None:
    a, b = two(tmp_path, LINES, [*LINES[:2], *(sample(k, 1, doc_hash="f" * 64) for k in (2, 3))])
    with refused(
        f"{a} and {b} have different contents under the same id, for 2 items: 2, 3; "
        "both must have been given the same data"
    ):
        read_scores([a, b])


def test_groups_that_differ(tmp_path: Path) -> None:
    a, b = two(tmp_path, LINES, [*LINES[:3], sample(3, 1, doc={"subject": "x"})])
    with refused(f"{a} and {b} have different groups under the same id, for 1 item: 3; both must have been given"):
        read_scores([a, b], cluster="subject")


@pytest.mark.parametrize(
    ("rows", "chosen", "sentence"),
    [
        ([LINES[0], LINES[0]], {}, ": document 0 is on line 1 and again on line 2; keep one line for each document"),
        ([LINES[0], sample(1, None)], {}, ", line 2, document 1: the score is None; a finite number is expected"),
        ([sample(0, 1), sample(1, float("nan"))], {}, ", line 2, document 1: the score is nan; a finite number"),
        ([sample(0, "inf")], {}, ", line 1, document 0: the score is inf; a finite number"),
        ([sample(0, 10**400)], {}, ", line 1, document 0: the score is 1000"),
        ([sample(0, 1), sample(1, "good")], {}, ", line 2, document 1: the score is 'good'; a finite number"),
        ([LINES[0], sample(1, 0, metrics=["acc"], exact_match=0, acc=1)], {"metric": "exact_match"}, None),
        (
            [LINES[0], {k: v for k, v in sample(1, 0, metrics=["acc"], acc=1).items() if k != "exact_match"}],
            {},
            ", line 2, document 1: no 'exact_match'; there are 'acc'",
        ),
        (LINES, {"cluster": "topic"}, ", line 1: no value under 'topic', by which to group; there are 'question', 's"),
        (LINES, {"cluster": "meta.x"}, ", line 1: no value under 'meta.x', by which to group; there are 'question'"),
        (LINES, {"cluster": "meta"}, ", line 1: 'meta' holds a dict; a group is one text or number"),
        ([sample(0, 1, doc="text")], {"cluster": "x"}, ", line 1: no value under 'x', by which to group; there are n"),
        ([LINES[0], {"doc": 1}], {}, ", line 2: no sample of lm-eval; a JSON object with a number 'doc_id' is exp"),
        ([LINES[0], [1]], {}, ", line 2: no sample of lm-eval; a JSON object with a number 'doc_id' is expected"),
    ],
)
def test_lm_eval_lines_that_are_wrong(tmp_path: Path, rows: Sequence[Any], chosen: Any, sentence: str | None) -> None:
    path = harness(tmp_path, rows)
    if sentence is None:
        assert read_scores(path, **chosen).items == len(rows)
        return
    with refused(f"{path}{sentence}"):
        read_scores(path, **chosen)


def test_lm_eval_text_that_is_wrong(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", jsonl(LINES) + "{broken\n")
    with refused(f"{path}, line 5: not JSON in UTF-8 (Expecting property name"):
        read_scores(path)
    path = save(tmp_path / "deep.jsonl", "[" * 100_000)
    with refused(f"{path}, line 1: JSON that is nested too deeply"):
        read_scores(path, format="lm-eval")
    path = save(tmp_path / "other.json", json.dumps({"eval": {}, "samples": []}, indent=2))
    with refused(f"{path} begins with a JSON object that has 'eval', 'samples' and no 'doc_id'; samples of"):
        read_scores(path, format="lm-eval")
    path = save(tmp_path / "long.jsonl", jsonl(LINES) + '{"doc_id": 9, "acc": ' + "9" * 5000 + "}\n")
    with refused(f"{path}, line 5: a whole number of thousands of digits; shorten it"):
        read_scores(path)
    path = save(tmp_path / "latin.jsonl", jsonl(LINES).encode() + b"\xff\n")
    with refused(f"{path}, line 5: not UTF-8 text"):
        read_scores(path)


# Inspect AI


def scored(item: Any, value: Any, *, epoch: int = 1, scorer: str = "match", **more: Any) -> dict[str, Any]:
    """One sample of a log of Inspect, with much of what Inspect writes."""
    return {
        "id": item,
        "epoch": epoch,
        "input": f"Is it {item}?",
        "target": " Yes",
        "messages": [{"content": "No", "source": "generate", "role": "assistant"}],
        "output": {"model": "m", "choices": [], "usage": {"total_tokens": 68}},
        "scores": {scorer: {"value": value, "answer": "No", "explanation": "…", "history": []}},
        "metadata": {"family": f"f{item}", "deep": {"level": 3}},
        "store": {},
        "events": [{"event": "score", "score": {"value": "C"}, "timestamp": "2025-01-01T00:00:00+00:00"}],
        "model_usage": {},
        "attachments": {},
    } | more


def header(model: str, task: str = "popularity", **more: Any) -> dict[str, Any]:
    return {
        "version": 2,
        "status": "success",
        "eval": {"run_id": "x", "task": task, "model": model, "dataset": {"samples": 4}, "config": {"epochs": 1}},
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": 4, "completed_samples": 4, "scores": []},
        "stats": {"model_usage": {}},
    } | more


def in_json(path: Path, model: str, samples: Sequence[Any], **more: Any) -> Path:
    return save(path, json.dumps(header(model, **more) | {"samples": samples}, indent=2))


def in_eval(path: Path, model: str, samples: Sequence[Any], *, summaries: bool = True, **more: Any) -> Path:
    """A .eval archive: the journal, the samples, their summaries and the header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        start = {key: header(model, **more)[key] for key in ("version", "eval", "plan")}
        archive.writestr("_journal/start.json", json.dumps(start))
        for one in samples:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one, indent=2))
        thin = [{key: one.get(key) for key in ("id", "epoch", "input", "target", "scores", "error")} for one in samples]
        archive.writestr("_journal/summaries/1.json", json.dumps(thin))
        if summaries:
            archive.writestr("summaries.json", json.dumps(thin))
            archive.writestr("reductions.json", "[]")
        archive.writestr("header.json", json.dumps(header(model, **more)))
    return path


ANSWERS = {1: "C", 2: "I", "a/b": "P", "d": "N", "e": True, "f": 0.25, "g": 3}
SAMPLES = [scored(item, value) for item, value in ANSWERS.items()]
WRITERS: list[Callable[..., Path]] = [in_json, in_eval]


@pytest.mark.parametrize("write", WRITERS)
def test_inspect(tmp_path: Path, write: Any) -> None:
    ending = "json" if write is in_json else "eval"
    paths = [
        write(tmp_path / f"{TIME}_{name}.{ending}", f"openai/{name}", samples)
        for name, samples in (("a", SAMPLES), ("b", SAMPLES[::-1]))
    ]
    for scores in (read_scores(paths), read_scores(tmp_path), read_scores(paths, task="popularity")):
        assert scores.metric == "match"
        assert scores.systems == ("openai/a", "openai/b")
        assert scores.ids == tuple(ANSWERS)
        for values in scores.values.values():
            np.testing.assert_array_equal(values, [1, 0, 0.5, 0, 1, 0.25, 3])
    assert read_scores(paths, cluster="family").cluster == tuple(f"f{item}" for item in ANSWERS)
    assert read_scores(paths, cluster="deep.level").cluster == (3,) * 7
    with refused("sample 1: no value under 'topic', by which to group; there are 'family', 'deep'"):
        read_scores(paths, cluster="topic")


def test_inspect_without_summaries_and_in_parts(tmp_path: Path) -> None:
    plain = in_eval(tmp_path / "a.eval", "a", SAMPLES, summaries=False)
    parts = tmp_path / "b.eval"
    with zipfile.ZipFile(parts, "w") as archive:
        archive.writestr("header.json", json.dumps(header("b")))
        for one in SAMPLES:
            folder = f"samples/{one['id']}_epoch_1"
            shell = {key: value for key, value in one.items() if key not in {"metadata", "messages"}}
            archive.writestr(f"{folder}/sample.json", json.dumps(shell | {"input": "attachment://0"}))
            archive.writestr(f"{folder}/metadata.json", json.dumps(one["metadata"]))
            archive.writestr(f"{folder}/messages/0.json", json.dumps(one["messages"]))
    scores = read_scores([plain, parts], cluster="family")
    assert scores.ids == tuple(ANSWERS)
    assert scores.systems == ("a", "b")


def test_inspect_rewritten_header(tmp_path: Path) -> None:
    """What is appended to an archive stands for what it replaces."""
    path = in_eval(tmp_path / "a.eval", "a", SAMPLES, status="error")
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("header.json", json.dumps(header("a")))
    assert read_scores(path).items == 7


@pytest.mark.parametrize("write", WRITERS)
def test_inspect_epochs_are_runs(tmp_path: Path, write: Any) -> None:
    runs = [scored(item, value, epoch=epoch) for epoch, value in ((2, "I"), (1, "C"), (3, "P")) for item in "xy"]
    a = write(tmp_path / "a.eval", "a", runs)
    b = write(tmp_path / "b.eval", "b", [scored(item, "C") for item in "xy"])
    scores = read_scores([a, b], format="inspect")
    np.testing.assert_array_equal(scores.values["a"], [[1, 0, 0.5]] * 2)
    assert scores.values["b"].shape == (2,)
    short = write(tmp_path / "short.eval", "c", runs[:-1])
    with refused(f"{short}: not every sample was run in all of the epochs 1, 2, 3: 'y'; finish the run"):
        read_scores(short)
    twice = in_json(tmp_path / "twice.json", "c", [*runs, runs[0]])
    with refused(f"{twice} has a sample twice in the same epoch: 'x'; keep one"):
        read_scores(twice)


def reduced(reducer: str, values: dict[str, Any], scorer: str = "match") -> dict[str, Any]:
    """What Inspect writes of epochs that are reduced."""
    return {
        "scorer": scorer,
        "reducer": reducer,
        "samples": [{"value": value, "sample_id": item, "history": []} for item, value in values.items()],
    }


def of_epochs(*reducers: str) -> dict[str, Any]:
    return {"eval": header("a")["eval"] | {"config": {"epochs": 2, "epochs_reducer": list(reducers)}}}


def test_inspect_epochs_are_reduced_as_the_log_says(tmp_path: Path) -> None:
    runs = [scored(item, value, epoch=epoch) for epoch, value in ((1, "I"), (2, "C")) for item in "xy"]
    best, mode = reduced("max", {"y": 1.0, "x": "C"}), reduced("mode", {"x": "I", "y": 0})
    a = in_json(tmp_path / "a.json", "a", runs, **of_epochs("max"), reductions=[mode, best])
    for metric in (None, "match", "match (max)"):
        found = read_scores(a, format="inspect", metric=metric)
        assert found.metric == "match (max)"
        np.testing.assert_array_equal(found.values["a"], [1, 1])
    both = in_json(tmp_path / "both.json", "a", runs, **of_epochs("mode", "mean"), reductions=[mode, best])
    with refused(f"{both} has more than one metric: 'match (mode)', 'match'; choose one with metric="):
        read_scores(both, format="inspect")
    for metric in ("match", "match (mean)"):
        found = read_scores(both, format="inspect", metric=metric)
        np.testing.assert_array_equal(found.values["a"], [[0, 1]] * 2)
    np.testing.assert_array_equal(read_scores(both, metric="match (mode)").values["a"], [0, 0])
    lacks = in_json(tmp_path / "lacks.json", "a", runs, **of_epochs("pass_at_2"))
    with refused(f"{lacks} reduces the scores of epochs by 'pass_at_2' and does not hold what comes out for every"):
        read_scores(lacks, format="inspect")
    once = in_json(tmp_path / "once.json", "a", [scored(item, "C") for item in "xy"], **of_epochs("mode"))
    assert read_scores(once, format="inspect").metric == "match"


def test_inspect_reduces_as_inspect_itself_does() -> None:
    """Logs that Inspect 0.3.285 wrote; it reported 0.7 and 0.9167."""
    found = read_scores(Path(__file__).parent.parent / "files" / "logs" / "reduced_pass_at_2")
    assert found.metric == "match (pass_at_2)"
    assert [float(own.mean()) for own in found.values.values()] == pytest.approx([0.7, 11 / 12])


@pytest.mark.parametrize(
    ("value", "number"),
    [("0.5", 0.5), ("1e-1", 0.1), ("-2", -2), ("yes", 1), ("No", 0), ("TRUE", 1), ("false", 0), ("P", 0.5), ("N", 0)],
)
def test_inspect_texts_are_the_numbers_that_inspect_takes_them_for(tmp_path: Path, value: str, number: float) -> None:
    path = in_json(tmp_path / "a.json", "a", [scored(1, value), scored(2, "C")])
    assert read_scores(path).values["a"].tolist() == [number, 1]


def reported(name: str, metric: str, value: float, **more: Any) -> dict[str, Any]:
    score = {"name": name, "scorer": "match", "metrics": {metric: {"name": metric, "value": value}}, **more}
    return {"results": {"total_samples": 2, "completed_samples": 2, "scores": [score]}}


@pytest.mark.parametrize("metric", ["accuracy", "mean"])
@pytest.mark.parametrize("write", WRITERS)
def test_inspect_reports_the_mean_of_its_scores(tmp_path: Path, write: Any, metric: str) -> None:
    samples = [scored(1, 0.5), scored(2, 1)]
    assert read_scores(write(tmp_path / "a", "a", samples, **reported("match", metric, 0.75))).items == 2
    assert read_scores(write(tmp_path / "b", "b", samples, **reported("other", metric, 1))).items == 2
    path = write(tmp_path / "c", "c", samples, **reported("match", metric, 1))
    with refused(f"{path}: Inspect reports {metric} 1 of 'match', and the mean of its scores is 0.75: the task conv"):
        read_scores(path)
    with refused("in its own way; compare the numbers themselves, as scores in a table"):
        read_scores(path)  # which has no other score


@pytest.mark.parametrize("ending", ["json", "txt"])
def test_json_that_ends_too_early_is_said_to(tmp_path: Path, ending: str) -> None:
    path = in_json(tmp_path / "a.json", "a", [scored(k, "C") for k in range(9)])
    text = path.read_text()
    for size in (len(text) // 2, len(text) - 2, text.index("true") + 2 if "true" in text else len(text) - 1):
        short = save(tmp_path / f"short.{ending}", text[:size])
        for settings in ({}, {"format": "inspect"}):
            with refused(f"{short} ends before its JSON is complete; copy it again, or finish the run that writes it"):
                read_scores(short, **settings)


def test_inspect_reports_each_key_and_each_reducer(tmp_path: Path) -> None:
    samples = [scored(k, {"right": "C", "fluent": 0.25}) for k in range(2)]
    path = in_json(tmp_path / "a.json", "a", samples, **reported("fluent", "mean", 0.5))
    assert read_scores(path, metric="match/right").items == 2
    with refused("Inspect reports mean 0.5 of 'match/fluent', and the mean of its scores is 0.25"):
        read_scores(path, metric="match/fluent")
    runs = [scored(item, value, epoch=epoch) for epoch, value in ((1, "I"), (2, "C")) for item in "xy"]
    both = of_epochs("max", "mean") | {"reductions": [reduced("max", {"x": 1, "y": 1})]}
    path = in_json(tmp_path / "b.json", "b", runs, **both, **reported("match", "accuracy", 0.7, reducer="max"))
    assert read_scores(path, metric="match").items == 2
    with refused("Inspect reports accuracy 0.7 of 'match', and the mean of its scores is 1:"):
        read_scores(path, metric="match (max)")
    with refused("in its own way; choose another with metric="):
        read_scores(path, metric="match (max)")


def test_inspect_scorers(tmp_path: Path) -> None:
    values = {"grade": {"value": {"fluent": 1, "right": "C"}}, "match": {"value": "C"}}
    path = in_json(tmp_path / "a.json", "a", [scored(k, "C", scores=values) for k in range(2)])
    np.testing.assert_array_equal(read_scores(path, metric="grade/right").values["a"], [1, 1])
    with refused(f"{path} has more than one metric: 'grade/fluent', 'grade/right', 'match'; choose one with metric="):
        read_scores(path)
    with refused(
        f"{path} has no metric 'grade'; did you mean 'grade/right'? it has 'grade/fluent', 'grade/right', 'match'"
    ):
        read_scores(path, metric="grade")


def test_inspect_score_of_old_logs(tmp_path: Path) -> None:
    old = [{"id": k, "epoch": 1, "score": {"value": "C"}} for k in range(2)]
    assert read_scores(in_json(tmp_path / "a.json", "a", old)).metric == "score"


def test_inspect_names_and_tasks(tmp_path: Path) -> None:
    first = in_eval(tmp_path / f"{TIME}_x.eval", "m", SAMPLES, task="evals/gsm8k")
    second = in_eval(tmp_path / f"{LATER}_x.eval", "m", SAMPLES, task="gsm8k")
    with refused(f"{first} is of task 'evals/gsm8k' and {second} of task 'gsm8k'; give logs of one task"):
        read_scores([first, second])
    assert len(read_scores([first, second], task="gsm8k").systems) == 2
    with refused(f"{tmp_path} has logs of 2 tasks: 'evals/gsm8k', 'gsm8k'; choose one with task="):
        read_scores(tmp_path)
    with refused(f"{tmp_path} holds two logs of 'gsm8k' of 'm', {first} and {second}; name one log per system"):
        read_scores(tmp_path, task="gsm8k")


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        ([], " holds no samples; give a log that was written with its samples"),
        (
            [*SAMPLES, scored(8, "C", error={"message": "boom"}), scored(9, "C", error={"message": "boom"}, scores={})],
            ": 2 samples ended in an error: 8, 9; run them again, as with: inspect eval-retry",
        ),
        (
            [scored(8, "C", epoch=epoch, error={"message": "boom"}) for epoch in (1, 2)],
            ": 1 sample ended in an error: 8; run them again, as with: inspect eval-retry",
        ),
        (
            [*SAMPLES, scored(8, float("nan")), scored(9, None), scored(10, 1, scores=None)],
            ": 3 samples without a score of 'match': 8, 9, 10; score them, as with: inspect score",
        ),
        ([scored(8, "good")], ", sample 8: the score is 'good'; a finite number is expected, or true or false"),
        ([scored(8, [1, 2])], ", sample 8: the score is [1, 2]; a finite number is expected, or true or false"),
        ([scored(8, 1, scores=None)], " has no metric with one number for each item; name what to read with metric="),
        ([scored(None, 1)], ": sample 1 has no id and epoch; a log of Inspect is expected"),
    ],
)
def test_inspect_samples_that_are_wrong(tmp_path: Path, write: Any, samples: Sequence[Any], sentence: str) -> None:
    path = write(tmp_path / "a.eval", "a", samples)
    with refused(f"{path}{sentence}"):
        read_scores(path, format="inspect")


def test_inspect_inputs_that_differ(tmp_path: Path) -> None:
    a = in_json(tmp_path / "a.json", "a", SAMPLES)
    b = in_eval(
        tmp_path / "b.eval",
        "b",
        [scored(k, v, input="other" if k == 2 else f"Is\nit  {k}?") for k, v in ANSWERS.items()],
    )
    with refused(f"{a} and {b} have different contents under the same id, for 1 item: 2; both must have been given"):
        read_scores([a, b])


def test_inspect_runs_that_did_not_end(tmp_path: Path) -> None:
    path = in_eval(tmp_path / "a.eval", "a", SAMPLES, status="cancelled")
    with refused(f"{path} is of a run whose status is 'cancelled', so that samples may be missing; finish it first"):
        read_scores(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {"task": "t", "model": "m"}}))
    with refused(f"{path} is of a run whose status is 'started', so that samples may be missing"):
        read_scores(path)


def test_inspect_files_that_are_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = in_eval(tmp_path / "a.eval", "a", SAMPLES)
    whole = path.read_bytes()
    cut = save(tmp_path / "cut.eval", whole[:-40])
    with refused(f"{cut} is a damaged .eval log (File is not a zip file); copy it again"):
        read_scores(cut)
    place = whole.index(b"header.json") + len("header.json")
    bent = save(tmp_path / "bent.eval", whole[: place + 3] + b"\xff\xff\xff" + whole[place + 6 :])
    with pytest.raises(op.DataError, match=r"bent\.eval is a damaged \.eval log \(.*\); copy it again"):
        read_scores(bent)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    with refused(f"{tmp_path / 'other.zip'} is no log of Inspect; one has 'eval', with the task and the model"):
        read_scores(tmp_path / "other.zip")
    with refused(f"{save(tmp_path / 'list.json', '[]')} is no log of Inspect; one has 'eval'"):
        read_scores(tmp_path / "list.json", format="inspect")
    monkeypatch.setattr("outperform.io.logs.inspect_ai.MOST_BYTES", 2000)
    with refused(f"{path} unpacks to more than 0 GiB; leave cluster= out, for which all of the samples are read"):
        read_scores(path, cluster="family")


def packed(path: Path, files: dict[str, str]) -> Path:
    """An archive packed with zstd: what it stores is packed already, and the headers say so afterwards."""
    plain = {name: text.encode() for name, text in files.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in plain.items():
            archive.writestr(name, zstandard.ZstdCompressor().compress(data))
        places = [(info.header_offset, name) for name, info in archive.NameToInfo.items()]
    data_ = bytearray(path.read_bytes())
    listed = data_.index(b"PK\x01\x02")
    for place, name in places:
        for start, shift in ((place, 0), (listed, 2)):  # the header of the file, and its line in the list of all
            struct.pack_into("<H", data_, start + 8 + shift, 93)
            struct.pack_into("<I", data_, start + 14 + shift, zlib.crc32(plain[name]))
            struct.pack_into("<I", data_, start + 22 + shift, len(plain[name]))
        listed = data_.find(b"PK\x01\x02", listed + 4)
    path.write_bytes(data_)
    return path


def test_inspect_zstd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = in_eval(tmp_path / "plain.eval", "a", SAMPLES)
    with zipfile.ZipFile(plain) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    path = packed(tmp_path / "a.eval", files)
    assert read_scores(path).values["a"].tolist() == read_scores(plain).values["a"].tolist()
    bent = bytearray(path.read_bytes())
    bent[bent.index(b"header.json") + len("header.json") + 20] ^= 0xFF
    with pytest.raises(op.DataError, match=r"bent\.eval is a damaged \.eval log \(.*\); copy it again"):
        read_scores(save(tmp_path / "bent.eval", bytes(bent)))
    if hasattr(zipfile, "ZIP_ZSTANDARD"):
        return  # this Python needs nothing else
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with refused(
        f"{path} is packed with zstd; run: pip install 'outperform[logs]', "
        f"or convert it with: inspect log convert {path} --to json --output-dir json"
    ):
        read_scores(path)


@pytest.mark.parametrize(
    ("arguments", "names"), [("", ("new", "old")), ("pretrained=zf6j6l8z,dtype=auto", ("zf6j6l8z", "b"))]
)
def test_random_names_of_lm_eval_are_no_names(tmp_path: Path, arguments: str, names: tuple[str, str]) -> None:
    """Systems were called by the random name that lm-eval makes up where the arguments of a model have none."""
    for name, model in (("new", "zf6j6l8z"), ("old", "b" if arguments else "nps2sorb")):
        (tmp_path / name).mkdir()
        rows = "".join(f'{{"doc_id": {k}, "resps": [], "acc": {k % 2}}}\n' for k in range(4))
        (tmp_path / name / "samples_t_2025-04-30T18-24-41.1.jsonl").write_text(rows)
        config = {"model": "dummy", "model_args": arguments.replace("zf6j6l8z", model)}
        results = json.dumps({"model_name": model, "config": config})
        (tmp_path / name / "results_2025-04-30T18-24-41.1.json").write_text(results)
    assert read_scores([tmp_path / "new", tmp_path / "old"]).systems == names


# tables of MLflow and W&B

COLUMNS = ["inputs", "ground_truth", "outputs", "latency", "topic", "correctness/v1/score", "correctness/v1/why"]
ROWS: list[list[Any]] = [
    ["q1", "t1", "o1", 0.5, "x", 4, "…"],
    ["q2", "t2", "o2", 0.25, "y", 5, "…"],
    ["q3", "t3", "o3", 0.75, "x", 1, "…"],
]


def table(path: Path, rows: Any = ROWS, columns: Any = COLUMNS, **more: Any) -> Path:
    return save(path, json.dumps({"columns": columns, "data": rows, **more}))


def test_tables(tmp_path: Path) -> None:
    a = table(tmp_path / "a" / "eval_results_table.json")
    wandb = {"_type": "table", "ncols": 7, "nrows": 3, "column_types": {"wb_type": "typedDict", "params": {}}}
    b = table(tmp_path / "b" / "media" / "preds_0_abc.table.json", ROWS[::-1], **wandb)
    for paths in ([a, b], [tmp_path / "a", tmp_path / "b"]):
        scores = read_scores(paths, metric="correctness/v1/score", id="inputs", cluster="topic")
        assert scores.ids == ("q1", "q2", "q3")
        assert scores.cluster == ("x", "y", "x")
        for values in scores.values.values():
            np.testing.assert_array_equal(values, [4, 5, 1])
    assert scores.systems == ("a", "b")
    assert read_scores(tmp_path, metric="latency", id="inputs").systems == ("a", "media")
    with refused(f"2 tables need a column that tells the items apart; {a} has 'inputs', 'ground_truth'"):
        read_scores([a, b], metric="latency")


def test_one_table(tmp_path: Path) -> None:
    path = table(tmp_path / "t.json")
    scores = read_scores(path, metric="latency")
    assert (scores.ids, scores.systems) == ((0, 1, 2), ("t",))
    both = read_scores(path, metric=["latency", "correctness/v1/score"], id="inputs")
    assert both.systems == ("latency", "correctness/v1/score")
    assert both.metric == "latency, correctness/v1/score"
    np.testing.assert_array_equal(both.values["latency"], [0.5, 0.25, 0.75])
    with refused(f"{path} has more than one metric: 'latency', 'correctness/v1/score'; choose one with metric="):
        read_scores(path)
    for metrics in ([], ["latency", "latency"]):
        with refused("name one, or different columns of a single table", ValueError):
            read_scores(path, metric=metrics)


@pytest.mark.parametrize("name", ["id", "example_id", "qid", "number"])
def test_ids_in_a_table_are_no_scores(tmp_path: Path, name: str) -> None:
    rows = [[k, k % 2 == 0, None if k == 3 else k / 10] for k in range(12)]
    path = table(tmp_path / "t.json", rows, [name, "right", "late"])
    with refused(f"{path} has more than one metric: 'right', 'late'; choose one with metric="):
        read_scores(path)
    assert read_scores(path, metric=name).values["t"].tolist() == list(range(12))
    only = table(tmp_path / "only.json", [row[:1] for row in rows], [name])
    if name == "number":
        assert read_scores(only).metric == "number"
    else:
        with refused(f"{only} has no metric with one number for each item; name what to read with metric="):
            read_scores(only)


@pytest.mark.parametrize(
    "words", [("no", "yes"), ("False", "true"), ("incorrect", "Correct"), ("I", "C"), ("FAIL", "PASS")]
)
def test_words_of_right_and_wrong_in_a_table(tmp_path: Path, words: tuple[str, str]) -> None:
    """They were refused, and the columns were said to have no metric."""
    right = [1, 0, 1, 1]
    rows = [[f"q{k}", words[r], words[1]] for k, r in enumerate(right)]
    path = table(tmp_path / "t.json", rows, ["question", "verdict", "answered"])
    assert read_scores(path, metric=["verdict", "answered"]).values["verdict"].tolist() == right
    with refused("has more than one metric: 'verdict', 'answered'"):
        read_scores(path)
    more = table(tmp_path / "more.json", [[*row, 0.5] for row in rows], ["question", "verdict", "answered", "judge"])
    assert read_scores([path, more], metric="verdict", id="question").values["more"].tolist() == right
    with refused("; a finite number is expected, or true or false"):
        read_scores(
            table(tmp_path / "odd.json", [*rows, ["q9", "maybe", words[0]]], ["q", "a", "b"]), metric=["a", "b"]
        )


def test_csv_in_place_of_a_logged_table(tmp_path: Path) -> None:
    path = save(tmp_path / "t.csv", "id,score\n1,0.5\n")
    with refused(
        f"{path} is no table; JSON with 'columns' and 'data' is expected; CSV and JSON lines are read without"
    ):
        read_scores(path, format="table")


@pytest.mark.parametrize(
    ("content", "chosen", "sentence"),
    [
        ({}, {"metric": "accuracy"}, " has no metric 'accuracy'; it has 'inputs', 'ground_truth', 'outputs', 'lat"),
        ({}, {"metric": "latency", "id": "qid"}, " has no column 'qid'; it has 'inputs', 'ground_truth'"),
        ({}, {"metric": "latency", "cluster": "qid"}, " has no column 'qid'; it has 'inputs', 'ground_truth'"),
        ({}, {"metric": "outputs"}, ", row 1, column 'outputs': the score is 'o1'; a finite number is expected"),
        (
            {"rows": [ROWS[0], [*ROWS[1][:5], None, ""]]},
            {"metric": "correctness/v1/score", "id": "inputs"},
            ", row 2, column 'correctness/v1/score', item 'q2': the score is None; a finite number is expected",
        ),
        ({"rows": [ROWS[0], ROWS[0]]}, {"metric": "latency", "id": "inputs"}, ": the id 'q1' is in row 1 and again in"),
        ({"rows": [[None, *ROWS[0][1:]]]}, {"metric": "latency", "id": "inputs"}, ", row 1: None in column 'inputs' i"),
        ({"rows": [ROWS[0][:3]]}, {}, ", row 1: 3 values under 7 columns; one for each is expected"),
        ({"rows": [{"a": 1}]}, {}, ", row 1: a dict under 7 columns; one for each is expected"),
        ({"rows": []}, {}, " has columns but no rows; log the table with its items"),
        ({"columns": [*COLUMNS[:6], "topic"]}, {}, " has several columns called 'topic'; rename all but one"),
        ({"rows": "text"}, {}, " is no table; JSON with 'columns' and 'data' is expected"),
    ],
)
def test_tables_that_are_wrong(tmp_path: Path, content: Any, chosen: Any, sentence: str) -> None:
    path = table(tmp_path / "t.json", **content)
    with refused(f"{path}{sentence}"):
        read_scores(path, **chosen)


# promptfoo


def outcome(test: int, provider: str = "gpt", right: bool = True, prompt: str = "{{q}}", **more: Any) -> dict[str, Any]:
    """One result, as promptfoo writes it."""
    return {
        "testIdx": test,
        "promptIdx": 0,
        "provider": {"id": provider, "label": ""},
        "prompt": {"raw": f"q{test}", "label": prompt},
        "testCase": {"vars": {"q": f"q{test}"}, "assert": [{"type": "is-json"}], "metadata": {"topic": "t"}},
        "vars": {"q": f"q{test}", "sessionId": f"{provider}-{test}"},
        "response": {"output": "x"},
        "success": right,
        "score": float(right),
        "namedScores": {},
        "failureReason": 0 if right else 1,
        "error": None if right else "Expected output to equal x",
    } | more


def foo(path: Path, results: Any, **more: Any) -> Path:
    """What promptfoo eval -o writes."""
    document = {"evalId": "eval-1", "results": {"version": 3, "results": results, "stats": {}}, "config": {}, **more}
    return save(path, json.dumps(document, indent=2))


def of_test(k: int, q: str, check: str = "x") -> dict[str, Any]:
    """The test of a result."""
    return {"testIdx": k, "testCase": {"vars": {"q": q}, "assert": [{"type": "equals", "value": check}]}}


def test_promptfoo(tmp_path: Path) -> None:
    results = [outcome(k, name, right) for name, right in (("gpt", True), ("mini", False)) for k in (1, 0)]
    results[0] |= {"success": False, "score": 0.0}
    path = foo(tmp_path / "out.json", results)
    scores = read_scores(path)
    assert (scores.metric, scores.systems, scores.ids) == ("success", ("gpt", "mini"), ('{"q": "q0"}', '{"q": "q1"}'))
    np.testing.assert_array_equal(scores.values["gpt"], [1, 0])
    assert read_scores(path, metric="score", cluster="topic").cluster == ("t", "t")
    assert read_scores(path, cluster="q").cluster == ("q0", "q1")
    lines = save(tmp_path / "out.jsonl", "".join(f"{json.dumps(row)}\n" for row in results))
    np.testing.assert_array_equal(read_scores(lines).values["gpt"], [1, 0])
    with refused(f"{path} has no metric 'scroe'; did you mean 'score'? it has 'success', 'score'"):
        read_scores(path, metric="scroe")
    with refused("task= has no meaning for logs of format 'promptfoo', which take cluster=, metric=", ValueError):
        read_scores(path, task="x")


def test_promptfoo_itself() -> None:
    """Passes are those that promptfoo 0.121 counts, of four tests that were run twice with two prompts."""
    path = Path(__file__).parent.parent / "files" / "logs" / "promptfoo.json"
    scores = read_scores(path, metric="success")
    told = json.loads(path.read_text(encoding="utf-8"))["results"]["prompts"]
    assert len(scores.ids) == 4
    assert list(scores.values) == ["plain", "with Paris"]
    for prompt in told:
        values = scores.values[prompt["label"]]
        assert values.shape == (4, 2)
        assert values.sum() == prompt["metrics"]["testPassCount"]
        assert values.size - values.sum() == prompt["metrics"]["testFailCount"]


def test_promptfoo_metrics(tmp_path: Path) -> None:
    more: dict[str, Any] = {"score": 0.5, "namedScores": {"tone": 0.25}}
    path = foo(tmp_path / "out.json", [outcome(0, **more), outcome(1, **more)])
    with refused(f"{path} has more than one metric: 'success', 'score', 'tone'; choose one with metric="):
        read_scores(path)
    for metric, value in (("success", 1), ("score", 0.5), ("tone", 0.25)):
        np.testing.assert_array_equal(read_scores(path, metric=metric).values["gpt"], [value] * 2)


def test_promptfoo_metric_of_some_tests(tmp_path: Path) -> None:
    path = foo(tmp_path / "out.json", [outcome(0), outcome(1, namedScores={"tone": 0.25}), outcome(2)])
    with refused(f"{path} has 'tone' in 1 of 3 results; choose one that all have: 'success', 'score'"):
        read_scores(path, metric="tone")


def graded(test: int, value: float, weights: list[float], *, old: bool = False) -> dict[str, Any]:
    """A result whose named score is given by several assertions, by their mean or, in old versions, by their sum."""
    parts = [{"assertion": {"metric": "{{m}}"}, "metadata": {"renderedMetric": "tone"}} for _ in weights]
    grading = {"componentResults": parts} | ({} if old else {"namedScoreWeights": {"tone": sum(weights)}})
    return outcome(test, namedScores={"tone": value * (len(weights) if old else 1)}, gradingResult=grading)


@pytest.mark.parametrize("old", [False, True])
def test_promptfoo_metric_of_several_assertions(tmp_path: Path, old: bool) -> None:
    even = [graded(0, 0.5, [1, 1], old=old), graded(1, 1.0, [1, 1], old=old)]
    scores = read_scores(foo(tmp_path / "even.json", even), metric="tone")
    np.testing.assert_array_equal(scores.values["gpt"], [0.5, 1])
    path = foo(tmp_path / "odd.json", [graded(0, 0.5, [1, 1], old=old), graded(1, 1.0, [1], old=old)])
    with refused(f"{path}: promptfoo reports 0.6667 of 'tone', and its mean over tests is 0.75: tests count by the"):
        read_scores(path, metric="tone")


def test_promptfoo_weights_of_assertions(tmp_path: Path) -> None:
    path = foo(tmp_path / "out.json", [graded(0, 0.5, [3]), graded(1, 1.0, [1])])
    with refused(f"{path}: promptfoo reports 0.625 of 'tone', and its mean over tests is 0.75"):
        read_scores(path, metric="tone")
    none = foo(tmp_path / "none.json", [graded(0, 0.0, [0]), graded(1, 0.0, [0])])
    np.testing.assert_array_equal(read_scores(none, metric="tone").values["gpt"], [0, 0])


LONG = "You are a helpful assistant and answer in one word: {{q}}"


@pytest.mark.parametrize(
    ("systems", "names"),
    [
        ([("gpt", "p"), ("mini", "p")], ("gpt", "mini")),
        ([("gpt", "brief"), ("gpt", LONG)], ("brief", "prompt 2")),
        ([("gpt", "a"), ("gpt", "b"), ("mini", "a")], ("gpt / a", "gpt / b", "mini / a")),
    ],
)
def test_promptfoo_systems(tmp_path: Path, systems: Any, names: Any) -> None:
    rows = [outcome(k, name, prompt=prompt) for k in range(2) for name, prompt in systems]
    assert read_scores(foo(tmp_path / "out.json", rows)).systems == names


def test_promptfoo_files(tmp_path: Path) -> None:
    one, two = (foo(tmp_path / f"{name}.json", [outcome(0), outcome(1)]) for name in ("before", "after"))
    assert read_scores([one, two]).systems == ("before", "after")
    both = foo(tmp_path / "both.json", [outcome(k, name) for k in range(2) for name in ("gpt", "mini")])
    assert read_scores([one, both]).systems == ("before: gpt", "both: gpt", "both: mini")
    assert len(read_scores([both, both]).systems) == 4
    old = {"provider": "gpt", "success": True, "score": 1, "vars": {"q": 1}}
    path = save(tmp_path / "old.json", json.dumps({"results": {"version": 2, "results": [old]}}))
    assert read_scores(path).systems == ("gpt",)


def test_promptfoo_repeated_and_equal_tests(tmp_path: Path) -> None:
    thrice = [outcome(k, right=k < 4) | of_test(k, f"q{k // 3}") for k in range(6)]
    scores = read_scores(foo(tmp_path / "out.json", thrice))
    np.testing.assert_array_equal(scores.values["gpt"], [[1, 1, 1], [1, 0, 0]])
    with refused(': most tests were run 3 times, and others not: \'{"q": "q2"}\'; finish the run'):
        read_scores(foo(tmp_path / "out.json", [*thrice, outcome(7) | of_test(7, "q2")]))
    equal = [outcome(k) | of_test(k, q, check) for k, (q, check) in enumerate(zip("aabbc", "xyxxx", strict=True))]
    a, b, c = ('{"q": "a"}', '{"q": "b"}', '{"q": "c"}')
    assert read_scores(foo(tmp_path / "out.json", equal)).ids == (a, f"{a} #2", b, f"{b} #2", c)
    changed = foo(tmp_path / "new.json", [*equal[:-1], outcome(4) | of_test(4, "c", "y")])
    with refused("have different contents under the same id, for 1 item"):
        read_scores([tmp_path / "out.json", changed])


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        (None, " is no output of promptfoo; JSON with the results of all tests is expected, as from: promptfoo eval"),
        ([1], " is no output of promptfoo; JSON with the results of all tests is expected"),
        ([], " holds no results; run promptfoo eval with at least one test"),
        ([outcome(0, failureReason=2), outcome(1)], ": 1 test ended in an error and not in an answer: "),
        ([outcome(0), outcome(0)], " has several results of test 0 for the same provider and prompt; give prompts"),
        ([outcome(0, score=None, success=None)], ", test 0, 'success': the score is None; a finite number is expected"),
        ([outcome(0), outcome(0, "b"), outcome(1)], " (gpt) has 1 item that "),
    ],
)
def test_promptfoo_results_that_are_wrong(tmp_path: Path, results: Any, sentence: str) -> None:
    path = foo(tmp_path / "out.json", results)
    with refused(f"{path}{sentence}"):
        read_scores(path, format="promptfoo", metric="success" if results else None)


# trec_eval


def trec(path: Path, values: dict[str, Sequence[Any]], run: str | None = "bm25") -> Path:
    """What trec_eval -q prints, with the width of its columns."""
    queries = range(301, 301 + len(next(iter(values.values()))))
    rows = [(name, str(query), own[k]) for k, query in enumerate(queries) for name, own in values.items()]
    rows += [("runid", "all", run)] if run else []
    numbers = {name: list(map(float, own)) for name, own in values.items() if name != "relstring"}
    rows += [("num_q", "all", len(queries)), *((name, "all", fmean(own)) for name, own in numbers.items())]
    return save(path, "".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in rows))


def test_trec_eval(tmp_path: Path) -> None:
    more: dict[str, Sequence[Any]] = {"num_ret": [1000, 10], "relstring": ["'0011000'", "'0000'"]}
    a = trec(tmp_path / "a.eval", {**more, "map": ["0.0324", "0.2723"], "ndcg_cut_10": ["0.1518", "0.3633"]})
    b = trec(tmp_path / "b.txt", {"map": [0.5, 0.25], "ndcg_cut_10": [1, 0]}, "bert")
    scores = read_scores([a, b], metric="ndcg_cut_10")
    assert scores.systems == ("bm25", "bert")
    assert scores.ids == ("301", "302")
    np.testing.assert_array_equal(scores.values["bm25"], [0.1518, 0.3633])
    with refused(f"{a} has more than one metric: 'num_ret', 'relstring', 'map', 'ndcg_cut_10'; choose one with metric"):
        read_scores([a, b])
    with refused(f"{a}, line 2, query '301': the score is \"'0011000'\"; a finite number is expected"):
        read_scores(a, metric="relstring")
    with refused(f"{b} has no metric 'P_5'; it has 'map', 'ndcg_cut_10'"):
        read_scores(b, metric="P_5")
    assert read_scores(trec(tmp_path / "c.txt", {"map": [1, 0]}, None)).systems == ("c",)


def test_trec_eval_files_that_are_wrong(tmp_path: Path) -> None:
    path = trec(tmp_path / "a.txt", {"map": [1, 0]})
    text = path.read_text(encoding="utf-8")
    twice = save(tmp_path / "twice.txt", text + text)
    with refused(f"{twice}: 'map' of query '301' is on line 1 and again on line 6; give each system a file of its own"):
        read_scores(twice)
    odd = save(tmp_path / "odd.txt", text + "map 303\n")
    with refused(f"{odd}, line 6: 'map 303'; a metric, a query and a value are expected"):
        read_scores(odd)
    short = save(tmp_path / "short.txt", "runid all x\nmap all 0.5\n")
    with refused(f"{short} has no queries, only the summary; run trec_eval with -q"):
        read_scores(short)
    with refused(f"{path} has 1 item that", op.DataError):
        read_scores([path, trec(tmp_path / "b.txt", {"map": [1]}, "b")])


# ir_measures 0.4.3 with --by_query, for a run that has no results for query 304.
IR_MEASURES = (
    "301\tAP\t0.8333\n301\tnDCG@10\t0.7602\n302\tAP\t0.5000\n302\tnDCG@10\t0.6131\n"
    "303\tAP\t0.0000\n303\tnDCG@10\t0.0000\n304\tAP\t0.0000\n304\tnDCG@10\t0.0000\n"
)
IR_SUMMARY = "all\tAP\t0.3333\nall\tnDCG@10\t0.3433\n"


def as_lines_of_json(text: str) -> str:
    rows = (line.split("\t") for line in text.splitlines())
    return jsonl([{"query_id": query, "measure": name, "value": float(value)} for query, name, value in rows])


@pytest.mark.parametrize(
    "text",
    [IR_MEASURES + IR_SUMMARY, IR_MEASURES, as_lines_of_json(IR_MEASURES)],
    ids=["with the summary", "without", "JSON lines"],
)
@pytest.mark.parametrize("prefix", ["", "q"], ids=["numbers", "words"])
def test_ir_measures_has_the_query_first(tmp_path: Path, text: str, prefix: str) -> None:
    path = save(tmp_path / "bm25.tsv", re.sub(r"\b30", f"{prefix}30", text))
    scores = read_scores(path, metric="nDCG@10")
    assert scores.ids == tuple(f"{prefix}{query}" for query in (301, 302, 303, 304))
    np.testing.assert_array_equal(scores.values["bm25"], [0.7602, 0.6131, 0, 0])
    with refused(f"{path} has more than one metric: 'AP', 'nDCG@10'; choose one with metric="):
        read_scores(path)


@pytest.mark.parametrize(
    "name", ["AP(rel=2)@5", "nDCG(dcg='exp-log2')@10", "P(rel=2,judged_only=True)@5", "alpha_nDCG@10", "RBP(p=0.8)"]
)
def test_measures_of_ir_measures_are_known_by_their_names(tmp_path: Path, name: str) -> None:
    path = save(tmp_path / "run.txt", f"q1\t{name}\t0.25\nq2\t{name}\t0.75\n")
    assert read_scores(path).metric == name


def test_ir_measures_lines_that_are_wrong(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jsonl", as_lines_of_json(IR_MEASURES) + '{"query_id": "305"}\n')
    with refused(f"{path}, line 9: a JSON object with 'measure', 'query_id', 'value' is expected"):
        read_scores(path)


@pytest.mark.parametrize("text", ["spam\tham\t0.9\nham\tham\t0.8\n", "1\tspam\t0.9\n"])
def test_text_that_is_no_output_of_trec_eval(tmp_path: Path, text: str) -> None:
    path = save(tmp_path / "a.txt", text)
    with refused(f"{path} is of no format that is known by its content"):
        read_scores(path)


# trec_eval 9.0.8 with -q and -c, for a run without results for one of four queries; version 10 prints a line of it.
COMPLETE = {"map": {"301": "0.8333", "302": "0.5000", "303": "0.0000", "all": "0.3333"}, "num_q": {"all": "4"}}


@pytest.mark.parametrize(
    ("without", "sentence"),
    [
        ("", " sums up 4 queries and has lines of 3; add a line for every query without results, usually with 0, as"),
        ("num_q", ": 'map' of 'all' is 0.3333, and the mean of 3 values is 0.4444; add a line for every query"),
    ],
)
def test_summaries_of_queries_that_have_no_lines(tmp_path: Path, without: str, sentence: str) -> None:
    rows = [(name, *row) for name, own in COMPLETE.items() if name != without for row in own.items()]
    path = save(tmp_path / "a.txt", "".join("\t".join(row) + "\n" for row in rows))
    with refused(f"{path}{sentence}"):
        read_scores(path)
    path = save(tmp_path / "b.txt", "".join("\t".join(row) + "\n" for row in [("map", "304", "0.0000"), *rows]))
    assert read_scores(path).items == 4


def test_a_count_is_summed_up(tmp_path: Path) -> None:
    path = save(tmp_path / "a.txt", "num_ret 301 3\nnum_ret 302 2\nnum_ret all 5\n")
    assert read_scores(path).values["a"].tolist() == [3, 2]


@pytest.mark.parametrize("summary", ["gm_map all 0.2000\n", "gm_map all 0.2000\nnum_q all 2\n"])
def test_a_geometric_mean_is_no_mean(tmp_path: Path, summary: str) -> None:
    path = save(tmp_path / "a.txt", f"gm_map 301 0.1000\ngm_map 302 0.4000\n{summary}")
    assert read_scores(path).values["a"].tolist() == [0.1, 0.4]


def pytrec(path: Path, values: Any) -> Path:
    return save(path, json.dumps(values, indent=1))


def test_pytrec_eval(tmp_path: Path) -> None:
    a = pytrec(tmp_path / "bm25.json", {"301": {"map": 0.25, "P_5": 1.0}, "302": {"map": 0, "P_5": 0.2}})
    b = save(tmp_path / "bert.json", '{"302": {"map": 0.5, "P_5": 0}, "301": {"map": 0.75, "P_5": 1}}')
    scores = read_scores([a, b], metric="map")
    assert (scores.systems, scores.ids) == (("bm25", "bert"), ("301", "302"))
    np.testing.assert_array_equal(scores.values["bert"], [0.75, 0.5])
    with refused(f"{a} has more than one metric: 'map', 'P_5'; choose one with metric"):
        read_scores([a, b])


def test_a_query_that_is_there_twice(tmp_path: Path) -> None:
    path = save(tmp_path / "a.json", '{"301": {"map": 0.25}, "302": {"map": 1}, "301": {"map": 0.5}}')
    with refused(f"{path}: the key '301' is there twice; keep one of them"):
        read_scores(path, format="trec-eval")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1], ": [1]; JSON with the values by metric of each query is expected, such as"),
        ({"301": 0.5}, ", '301': 0.5; JSON with the values by metric of each query is expected, such as"),
        ({"301": {"map": 1}, "302": {}}, ", '302': {}; JSON with the values by metric of each query is expected"),
        ({"301": {"map": "x"}}, ", query '301': the score is 'x'; a finite number is expected"),
        ({"301": {"map": 1}, "302": {"P_5": 1}}, " has no 'map' of '302'; score every query"),
        ({"all": {"map": 1}}, " has no queries, only the summary"),
    ],
)
def test_pytrec_eval_values_that_are_wrong(tmp_path: Path, values: Any, sentence: str) -> None:
    path = pytrec(tmp_path / "a.json", values)
    with refused(f"{path}{sentence}"):
        read_scores(path, format="trec-eval", metric="map")


@pytest.mark.parametrize(
    "values",
    [
        {"svm": {"0": 1, "1": 0}, "nb": {"0": 1, "1": 1}},  # a frame of pandas
        {"0": {"gold": 1, "svm": 0}, "1": {"gold": 1, "svm": 1}},
        {"spam": {"precision": 1.0, "recall": 0.5}, "ham": {"precision": 1.0, "recall": 0.5}},  # of scikit-learn
        {"301": {"d1": 1.5, "d2": 1}, "302": {"d3": 1}},  # a run
        {"301": {"map": 0.5}, "302": {"map": "x"}},
        {},
    ],
)
def test_json_that_is_not_of_pytrec_eval(tmp_path: Path, values: Any) -> None:
    path = pytrec(tmp_path / "a.json", values)
    with refused(f"{path} is of no format that is known by its content"):
        read_scores(path)


# all formats


def test_what_a_format_does_not_take(tmp_path: Path) -> None:
    path = trec(tmp_path / "a.txt", {"map": [1, 0]})
    for name in ("cluster", "filter", "task", "id"):
        with refused(
            f"{name}= has no meaning for logs of format 'trec-eval', which take metric=; leave it", ValueError
        ):
            read_scores(path, **cast(Any, {name: "x"}))
    with refused(
        "id= has no meaning for logs of format 'lm-eval', which take cluster=, filter=, metric=, task=", ValueError
    ):
        read_scores(harness(tmp_path, LINES), id="doc_id")
    with refused("metric= is 'map', 'P_5'; name one, or different columns of a single table", ValueError):
        read_scores(path, metric=["map", "P_5"])


def test_recognition(tmp_path: Path) -> None:
    lines, output = harness(tmp_path / "a", LINES), trec(tmp_path / "b.txt", {"map": [1]})
    with refused(f"{lines} is of format 'lm-eval' and {output} of format 'trec-eval'; give logs of one format"):
        read_scores([lines, output])
    formats = "say which with format=, one of 'lm-eval', 'inspect', 'promptfoo', 'table', 'trec-eval'"
    for text in ("a,b\n1,2\n", "{}", "{broken", "[1]", '"text"'):
        other = save(tmp_path / "other", text)
        with refused(f"{other} is of no format that is known by its content; {formats}"):
            read_scores(other)
    in_json(tmp_path / "a" / f"{TIME}_x.json", "m", SAMPLES)
    with refused(f"{tmp_path / 'a'} may be of format 'lm-eval', 'inspect'; {formats}"):
        read_scores(tmp_path / "a")
    with refused(f"{tmp_path} holds no logs that are known as 'trec-eval' by their names; name the files themselves"):
        read_scores(tmp_path, format="trec-eval")
    with refused("unknown format 'lmeval'; did you mean 'lm-eval'? known: alpaca-eval, comet, inspect, ", ValueError):
        read_scores(lines, format="lmeval")


def test_files_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = harness(tmp_path, LINES)

    def forbidden(*args: Any, **kwargs: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with refused(f"cannot read {path}: Permission denied"):
        read_scores(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with refused("there is no log to read; name at least one"):
        read_scores([])
    with refused(f"cannot read {tmp_path / 'none'}: No such file or directory"):
        read_scores(tmp_path / "none", format="table")
    with refused("logs are read from files, not from standard input; write it to a file first"):
        read_scores("-")
    with refused("is a Parquet file, not text"):
        read_scores(save(tmp_path / "a", b"PAR1\0\0"))
