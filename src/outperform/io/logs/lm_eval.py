"""lm-evaluation-harness: samples_<task>_<time>.jsonl, a line for each document and each filter.

The results of the same run, in results_<time>.json beside it, name the model, say whether greater is better, and have
the score that the harness itself reports. Where that is not the mean of the samples, the samples do not tell it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from math import fsum
from typing import Any

from outperform.base.errors import DataError, listing, unusable
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, group, mapping, number, parse, preferred, same
from outperform.io.without_items import is_results, no_samples

__all__ = ["LM_EVAL"]

NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[^_]*))?\.jsonl(?:\.gz)?")
# Keys of a sample that are no metrics.
NO_METRICS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip
TRUTHS = {"True": True, "False": False}
BYPASS = "bypass"  # the metric of answers that are not scored
# Metrics of all documents together, which old results do not list.
CORPUS = {
    "bleu", "sacrebleu", "chrf", "ter", "perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "mcc",
}  # fmt: skip


def read(file: LogFile, choice: Choice) -> Run:
    """Read the scores of one metric, after one filter."""
    if is_results(file.text):
        raise no_samples(file.source)
    rows = list(_rows(file))
    chosen = choose("filter", choice.filter, (_filter(row) for _, row in rows), file.source)
    rows = [(line, row) for line, row in rows if _filter(row) == chosen]
    metric = _metric(file, rows[0][1], preferred(choice.metric, _metrics(rows[0][1])))
    places: dict[Hashable, int] = {}
    scores: dict[Hashable, list[float]] = {}
    for line, row in rows:
        item, where = row["doc_id"], f"{file.source}, line {line}, document {row['doc_id']!r}"
        if item in places:
            raise DataError(
                f"{file.source}: document {item!r} is on line {places[item]} and again on line {line}; "
                "keep one line for each document and filter"
            )
        places[item] = line
        if metric not in row:
            raise DataError(f"{where}: no {metric!r}; there are {listing(_metrics(row), 30)}")
        scores[item] = [number(_plain(row[metric]), where)]
    groups = {
        row["doc_id"]: group(row.get("doc"), choice.cluster, f"{file.source}, line {line}")
        for line, row in rows
        if choice.cluster is not None
    }
    hashes = {row["doc_id"]: str(row["doc_hash"]) for _, row in rows if "doc_hash" in row}
    _check_reported(file, metric, chosen, [score[0] for score in scores.values()])
    said = _under(file, "higher_is_better", metric)
    greater = said if isinstance(said, bool) else None
    return Run(file.source, metric, scores, groups, hashes, chosen, greater)


def _check_reported(file: LogFile, metric: str, filter_: str, scores: Sequence[float]) -> None:
    """Check that the mean of the samples is the score that the harness reports, where it reports one."""
    reported, mean = _under(file, "results", f"{metric},{filter_}"), fsum(scores) / len(scores)
    if isinstance(reported, int | float) and not same(reported, mean):
        found = (
            f"{file.source}: lm-eval reports {metric} {reported:.4g}, and the mean of its samples is {mean:.4g}: it is "
            "no mean over documents, so that they do not tell how sure it is"
        )
        raise unusable("{found}; choose another with {metric}", found=found)


def _rows(file: LogFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Samples with their lines; each knows its document."""
    if file.opening is not None and "doc_id" not in file.opening:
        found = f"{file.source} begins with a JSON object that has {listing(file.opening, 5)} and no 'doc_id'"
        raise DataError(f"{found}; samples of lm-eval are expected, one JSON object a line")
    for line, text in file.lines():
        row = parse(text, f"{file.source}, line {line}")
        item = row.get("doc_id") if isinstance(row, dict) else None
        if not isinstance(item, int | str):
            raise DataError(
                f"{file.source}, line {line}: no sample of lm-eval; a JSON object with a number 'doc_id' is expected"
            )
        yield line, row


def _filter(row: dict[str, Any]) -> str:
    """The filter that extracted the answer; "none" is the harness's own word, and the only one in old logs."""
    return str(row.get("filter", "none"))


def _metric(file: LogFile, row: dict[str, Any], wanted: str | None) -> str:
    """The metric that is read: one of documents, and not of all of them together."""
    known = _metrics(row)
    if not known or BYPASS in known:
        raise DataError(
            f"{file.source} has answers and no scores, as lm_eval writes them with --predict_only (metric "
            f"{BYPASS!r}); run lm_eval again without --predict_only"
        )
    corpus = [name for name in known if _is_of_corpus(file, row, name)]
    usable = [name for name in known if name not in corpus and (name == wanted or _is_number(row[name]))]
    if wanted in corpus or (corpus and not usable):
        named = [wanted] if wanted in corpus else corpus
        verb = "is" if len(named) == 1 else "are"
        found = (
            f"{file.source}: {listing(named)} {verb} computed from all documents together, and the mean over documents "
            "is another number"
        )
        advice = "choose another with {metric}: {usable}" if usable else "score the documents by another metric"
        raise unusable("{found}; " + advice, found=found, usable=listing(usable))
    return choose("metric", wanted, usable, file.source)


def _is_number(value: object) -> bool:
    return isinstance(_plain(value), bool | int | float)


def _is_of_corpus(file: LogFile, row: dict[str, Any], metric: str) -> bool:
    """Whether a metric is of all documents together: a list for each, or known by its name where no results tell."""
    if isinstance(row[metric], list):
        return True
    return metric.lower() in CORPUS and not isinstance(_under(file, "results", f"{metric},{_filter(row)}"), int | float)


def _metrics(row: dict[str, Any]) -> list[str]:
    """Metrics that the sample has a value for."""
    listed = row.get("metrics")
    keys = listed if isinstance(listed, list) else [key for key in row if key not in NO_METRICS]
    return [key for key in keys if isinstance(key, str) and key in row]


def _plain(value: object) -> object:
    """A value as it was before the harness wrote it: numbers of numpy become text."""
    if isinstance(value, str):
        with suppress(ValueError):
            return TRUTHS[value] if value in TRUTHS else float(value)
    return value


def _task(file: LogFile) -> str | None:
    """The task in the name of the file."""
    match = NAME.fullmatch(file.path.name)
    return match["task"] if match else None


def _results(file: LogFile) -> dict[str, Any]:
    """The results of the same run; empty where they are not there."""
    match = NAME.fullmatch(file.path.name)
    if match is None or match["time"] is None or file.sent is not None:  # what was sent stands in no folder
        return {}
    beside = [path for path in file.path.parent.glob("*.json") if path.name.endswith(f"_{match['time']}.json")]
    return mapping(LogFile(beside[0]).document if len(beside) == 1 else None)


def _under(file: LogFile, part: str, key: str) -> Any:
    """An entry of the results about the task, in one of their sections."""
    return mapping(mapping(_results(file).get(part)).get(str(_task(file)))).get(key)


def _groups(file: LogFile) -> dict[str, frozenset[str]]:
    """The tasks of each group, from the results of the same run; a group may hold groups."""
    known = {name: parts for name, parts in mapping(_results(file).get("group_subtasks")).items() if parts}

    def tasks(name: str, above: frozenset[str] = frozenset()) -> frozenset[str]:
        if name not in known:
            return frozenset({name})
        below = above | {name}  # a group that holds itself would never end
        return frozenset().union(*(tasks(part, below) for part in known[name] if part not in below))

    return {name: tasks(name) for name in known}


def _reported(file: LogFile, group: str, metric: str, filter_: str) -> float | None:
    """The score of a group, from the results of the same run."""
    found = mapping(mapping(_results(file).get("groups")).get(group)).get(f"{metric},{filter_}")
    return float(found) if isinstance(found, int | float) else None


def _system(file: LogFile) -> str | None:
    """The model, from the results of the same run; a name that its arguments do not hold is a random one."""
    results = _results(file)
    model, arguments = results.get("model_name"), mapping(results.get("config")).get("model_args")
    if not isinstance(model, str) or (arguments is not None and model not in str(arguments)):
        return None
    return model or None


LM_EVAL = Format(
    takes=frozenset({"metric", "filter", "task", "cluster"}),
    named=lambda name: NAME.fullmatch(name) is not None,
    claims=lambda file: not file.packed and ("doc_id" in (file.opening or ()) or is_results(file.text)),
    read=read,
    task=_task,
    system=_system,
    groups=_groups,
    reported=_reported,
)
