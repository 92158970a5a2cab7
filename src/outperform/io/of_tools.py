"""JSON that evaluation tools write in a way of their own, and the commands that make a table of items of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from outperform.io.conversion import Conversion, as_lines

__all__ = ["of_list", "of_object"]

FEWEST_KEYS = 10  # of an object that has a row for each key, and not the columns of one item
# of a log of OpenAI evals, whose judges give a score in place of right or wrong
EVENTS = (
    'jq -c \'select(.data.correct != null or (.type == "metrics" and .data.score != null)) | '
    "{id: .sample_id} + (.data | if .correct != null then {correct} else {score} end)' {file}"
)
# of the statistics that HELM writes of each item; those of changed items are left out
STATISTICS = (
    "jq -c '.[] | select(.perturbation == null) | {instance_id} + ([.stats[] | select(.name.perturbation == null) | "
    "{key: .name.name, value: .mean}] | from_entries)' {file}"
)
# of a report of SWE-bench, in which an item that was not submitted is not resolved
RESOLVED = (
    "jq -c '.resolved_ids as $right | .submitted_ids + .incomplete_ids | unique[] | . as $id | "
    "{instance_id: $id, resolved: ($right | index($id) != null)}' {file}"
)
# of EvalPlus: of the samples of a task the share that passes, which is pass@1; the tests of plus come on top
PASSED = (
    "jq -c 'def share(f): map(if f then 1 else 0 end) | add / length; .eval | to_entries[] | {task_id: .key} + "
    '(.value | {base: share(.base_status == "pass")} + if .[0].plus_status then {plus: share(.base_status == "pass" '
    'and .plus_status == "pass")} else {} end)\' {file}'
)
# of a test run of DeepEval: the score of each metric of a test case
TEST_CASES = (
    "jq -c '(.testRunData // .).testCases[] | {name, input, success} + (.metricsData | "
    "map({key: .name, value: .score}) | from_entries)' {file}"
)


def of_list(text: str) -> Conversion | None:
    """Return the conversion of a JSON list that is more than rows; the text may be cut off."""
    if all(f'"{key}"' in text for key in ("instance_id", "train_trial_index", "stats")):
        return Conversion(STATISTICS, "statistics of HELM", _statistics)
    return None


def of_object(first: dict[str, Any], text: str) -> Conversion | None:
    """Return the conversion of what a tool writes, by the first object of a text."""
    if "spec" in first and '"event_id"' in text:
        return Conversion(EVENTS, "a log of OpenAI evals", _events)
    if {"resolved_ids", "submitted_ids", "incomplete_ids"} <= first.keys():
        return Conversion(RESOLVED, "a report of SWE-bench", _resolved)
    if isinstance(first.get("eval"), dict) and '"base_status"' in text:
        return Conversion(PASSED, "results of EvalPlus", _passed)
    if '"metricsData"' in text and isinstance(_test_run(first).get("testCases"), list):
        return Conversion(TEST_CASES, "a test run of DeepEval", _test_cases)
    return _by_key(first)


def _test_run(found: dict[str, Any]) -> dict[str, Any]:
    inner = found.get("testRunData")
    return inner if isinstance(inner, dict) else found


def _by_key(first: Mapping[str, Any]) -> Conversion | None:
    """Return the conversion of an object that has an object for each item, or a value, under its id."""
    inner = list(first.values())
    if len(inner) < FEWEST_KEYS:
        return None
    if all(isinstance(value, dict) and value.keys() == inner[0].keys() for value in inner) and inner[0]:
        name = "id" if "id" not in inner[0] else "key"
        shell = f"jq -c 'to_entries[] | {{{name}: .key}} + .value' {{file}}"
        return Conversion(shell, "an object for each id", lambda text: _with_keys(text, name))
    if all(value is None or isinstance(value, str | int | float) for value in inner):
        shell = "jq -c 'to_entries[] | {id: .key, value: .value}' {file}"
        return Conversion(shell, "a value for each id", _with_values)
    return None


def _with_keys(text: str, name: str) -> str:
    return as_lines({name: key, **value} for key, value in json.loads(text).items())


def _with_values(text: str) -> str:
    return as_lines({"id": key, "value": value} for key, value in json.loads(text).items())


def _events(text: str) -> str:
    rows = []
    for event in (json.loads(line) for line in text.splitlines() if line.strip()):
        found = event.get("data")
        if not isinstance(found, dict):
            continue
        if found.get("correct") is not None:
            rows.append({"id": event.get("sample_id"), "correct": found["correct"]})
        elif event.get("type") == "metrics" and found.get("score") is not None:
            rows.append({"id": event.get("sample_id"), "score": found["score"]})
    return as_lines(rows)


def _statistics(text: str) -> str:
    rows = [row for row in json.loads(text) if row.get("perturbation") is None]
    means = [{s["name"]["name"]: s["mean"] for s in row["stats"] if not s["name"].get("perturbation")} for row in rows]
    return as_lines({"instance_id": row["instance_id"], **own} for row, own in zip(rows, means, strict=True))


def _resolved(text: str) -> str:
    report = json.loads(text)
    ids = sorted({*report["submitted_ids"], *report["incomplete_ids"]})
    return as_lines({"instance_id": name, "resolved": name in report["resolved_ids"]} for name in ids)


def _test_cases(text: str) -> str:
    return as_lines(
        {key: case.get(key) for key in ("name", "input", "success")}
        | {metric["name"]: metric.get("score") for metric in case["metricsData"]}
        for case in _test_run(json.loads(text))["testCases"]
    )


def _passed(text: str) -> str:
    return as_lines(
        {"task_id": task, "base": _share(samples, "base_status")}
        | ({"plus": _share(samples, "base_status", "plus_status")} if samples[0].get("plus_status") else {})
        for task, samples in json.loads(text)["eval"].items()
    )


def _share(samples: list[dict[str, Any]], *statuses: str) -> float:
    return sum(all(sample[status] == "pass" for status in statuses) for sample in samples) / len(samples)
