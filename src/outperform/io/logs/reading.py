"""Logs of several systems become scores of the same items, in the same order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from pathlib import Path
from typing import TypeAlias

import numpy as np

from outperform.base.errors import DataError, UndecidedError, count, listing, unknown, unusable
from outperform.base.sentences import Parameter, Sentence, invalid
from outperform.base.system import quoted
from outperform.data.contingency import FloatArray
from outperform.data.diagnosis import spelt_alike
from outperform.data.scores import Scores
from outperform.io.align import file_names, numbered
from outperform.io.converting import CutOffError, is_cut_off
from outperform.io.files import is_stream
from outperform.io.logs.alpaca_eval import ALPACA_EVAL
from outperform.io.logs.comet import COMET
from outperform.io.logs.inspect_ai import INSPECT
from outperform.io.logs.lm_eval import LM_EVAL
from outperform.io.logs.log import Choice, Format, LogFile, Run, same
from outperform.io.logs.mt_bench import MT_BENCH
from outperform.io.logs.promptfoo import PROMPTFOO
from outperform.io.logs.table import TABLE, columns
from outperform.io.logs.trec_eval import TREC_EVAL

__all__ = [
    "FORMATS", "Found", "Wanted", "format_of", "formats_in", "formats_of", "found_in", "offered", "read_scores",
    "scores_in", "scores_sent",
]  # fmt: skip

COUNTED = "num_"  # how trec_eval begins the names of counts
Found: TypeAlias = Sequence[tuple[Path, Mapping[Path, str | None]]]  # each path given, with the task of each log in it
Wanted: TypeAlias = str | tuple[str, ...] | None  # a choice of the caller, as in `Choice`
FORMATS: dict[str, Format] = {
    "lm-eval": LM_EVAL,
    "inspect": INSPECT,
    "promptfoo": PROMPTFOO,
    "table": TABLE,
    "trec-eval": TREC_EVAL,
    "mt-bench": MT_BENCH,
    "alpaca-eval": ALPACA_EVAL,
    "comet": COMET,
}


def read_scores(
    paths: str | Path | Sequence[str | Path],
    *,
    format: str | None = None,
    metric: str | Sequence[str] | None = None,
    filter: str | None = None,
    task: str | None = None,
    cluster: str | None = None,
    id: str | None = None,
) -> Scores:
    r"""Read the scores of several systems, item by item, from logs of evaluation tools.

    Items are matched by their ids. A log that lacks an item, a score or a choice is refused; nothing is left out.

    Parameters
    ----------
    paths : path or sequence of paths
        One for each system: a log, or a folder with it. A single folder may hold the logs of all systems, and a file
        of promptfoo its providers and prompts, each of which is a system; those of MT-Bench and COMET may hold several.
    format : {"lm-eval", "inspect", "promptfoo", "table", "trec-eval", "mt-bench", "alpaca-eval", "comet"}
        Who wrote the logs: lm-evaluation-harness (``samples_*.jsonl``), Inspect AI (.eval or .json), promptfoo (.json
        or .jsonl), MLflow or W&B (tables as JSON), trec_eval -q, ir_measures -q or pytrec_eval (JSON), the judges of
        MT-Bench or AlpacaEval, or comet-score. By default they are recognised by their content.
    metric : str
        Which score, in the words of the log; of Inspect the scorer, or scorer/key. It may be left out where there is
        but one. Several columns of a single table are the systems.
    filter : str
        How answers were taken from texts, for lm-eval, as in "strict-match".
    task : str
        Which task, where a folder has several; or a group of tasks of lm-eval, whose items are pooled.
    cluster : str
        What groups the items: a key of the document (lm-eval), of the sample's metadata (Inspect), a variable or key
        of the test's metadata (promptfoo), or a column. Keys within keys have dots between them.
    id : str
        Column that tells the items apart, for tables; needed where there are several.

    Returns
    -------
    Scores
        Systems are called by their models where the logs name different ones, and else by file or folder.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from outperform.io import read_scores
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "bm25.txt")
    ...     _ = path.write_text("map 301 0.25\nmap 302 0.75\nmap all 0.5\nrunid all bm25\n")
    ...     read_scores(path, metric="map")
    Scores(metric='map', systems=['bm25'], items=2)
    """
    given, kind = format_of(paths, format)
    choices = {"filter": filter, "task": task, "cluster": cluster, "id": id}
    _check_choices(kind, [name for name, value in choices.items() if value is not None])
    metrics = [metric] if metric is None or isinstance(metric, str) else list(metric)
    found = [(path, found_in(path, FORMATS[kind])) for path in given]
    return scores_in(found, kind, task, metrics, Choice(None, filter, cluster, id))


def scores_sent(files: Sequence[LogFile], kind: str, choice: Choice) -> Scores:
    """Read logs that were sent, of one task, each of one system or more; nothing is read by their names."""
    form = FORMATS[kind]
    _check_same_task([(file.source, task) for file in files if (task := form.task(file)) is not None])
    systems = _parted(files, form)
    runs = [form.read(file, choice) for file in systems]
    _check_same_question(runs)
    names = _names([file.path for file in files], systems, form, sent=True)
    return _joined(dict(zip(names, runs, strict=True)), runs[0].metric)


def offered(open_: UndecidedError) -> list[str]:
    """Return what a log leaves to be chosen, with counts, by which nobody compares, at the end."""
    return sorted(open_.known, key=lambda name: name.startswith(COUNTED))


def scores_in(found: Found, kind: str, task: str | None, metrics: Sequence[Wanted], choice: Choice) -> Scores:
    """Read logs that were found in files and folders, of one task or of a group; several metrics are systems."""
    given, form = [path for path, _ in found], FORMATS[kind]
    systems = _systems(found, form, task)
    files = [logs[0] for logs in systems]
    if kind == "table" and len(files) > 1 and choice.id is None:
        known = columns(files[0])
        needed = f"{len(files)} tables need a column that tells the items apart; {files[0].source} has"
        sentence = Sentence("{needed} {known}; choose one with {id}", needed=needed, known=listing(known, 30))
        raise UndecidedError(sentence, "id", known)
    if len(metrics) != 1 and (kind != "table" or len(files) > 1 or len(set(metrics)) < 2):
        raise invalid("{metric} is {given}; name one, or different columns of a single table", given=listing(metrics))
    runs = [_pooled(logs, form, replace(choice, metric=metric), task) for logs in systems for metric in metrics]
    names = [str(name) for name in metrics] if len(metrics) > 1 else _names(given, files, form)
    if len(metrics) == 1:
        _check_same_question(runs)
    return _joined(dict(zip(names, runs, strict=True)), ", ".join(dict.fromkeys(run.metric for run in runs)))


def format_of(paths: str | Path | Sequence[str | Path], wanted: str | None) -> tuple[list[Path], str]:
    """The paths, and the format that was named or that the content of all files and folders shows."""
    given = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    if not given:
        raise DataError("there is no log to read; name at least one")
    if wanted is not None and wanted not in FORMATS:
        raise ValueError(unknown("format", wanted, FORMATS))
    for path in given:
        if is_stream(path):
            what = "standard input" if str(path) == "-" else f"the stream {path}"
            raise DataError(f"logs are read from files, not from {what}; write it to a file first")
        if not path.exists():
            raise DataError(f"cannot read {path}: No such file or directory")
    if wanted is not None:
        return given, wanted
    kinds = {path: _recognised(path) for path in given}
    first, kind = next(iter(kinds.items()))
    for path, other in kinds.items():
        if other != kind:
            raise DataError(f"{first} is of format {kind!r} and {path} of format {other!r}; give logs of one format")
    return given, kind


def _recognised(path: Path) -> str:
    """The one format that a file or folder is of."""
    kinds = formats_of(path)
    if len(kinds) != 1:
        what = f"may be of format {listing(kinds)}" if kinds else "is of no format that is known by its content"
        raise DataError(f"{path} {what}; say which with format=, one of {listing(FORMATS)}")
    return kinds[0]


def formats_of(path: Path) -> list[str]:
    """Return the formats that a file may be of by its content, or a folder by the names of its files."""
    if path.is_dir():
        return [kind for kind, form in FORMATS.items() if _named(path, form)]
    return formats_in(LogFile(path))


def formats_in(file: LogFile) -> list[str]:
    """Return the formats that a file may be of by its content."""
    kinds = [kind for kind, form in FORMATS.items() if form.claims(file)]
    if not kinds and is_cut_off(file.text):
        raise CutOffError(file.source)
    return kinds


def _named(folder: Path, form: Format) -> list[Path]:
    """Files in a folder and below that are logs of a format by their names."""
    return [path for path in sorted(folder.rglob("*")) if form.named(path.name) and path.is_file()]


def found_in(path: Path, form: Format) -> dict[Path, str | None]:
    """The task of each log in a file or a folder."""
    logs = _named(path, form) if path.is_dir() else [path]
    if not logs:
        kind = next(kind for kind, known in FORMATS.items() if known is form)
        raise DataError(f"{path} holds no logs that are known as {kind!r} by their names; name the files themselves")
    return {log: form.task(LogFile(log)) for log in logs}


def _check_choices(kind: str, chosen: Sequence[str]) -> None:
    """Check that the format has a use for every choice of the caller."""
    for name in chosen:
        if name not in FORMATS[kind].takes:
            known = ", ".join(f"{{{other}}}" for other in sorted(FORMATS[kind].takes))
            found = "{name} has no meaning for logs of format {kind!r}, "
            raise invalid(f"{found}which take {known}; leave it out", name=Parameter(name), kind=kind)


def _systems(found: Found, form: Format, task: str | None) -> list[list[LogFile]]:
    """The log of each system, or of a group its logs by task; a folder by itself may hold several systems."""
    chosen = [(path, _parted(_of_task(path, tasks, form, task), form)) for path, tasks in found]
    tasks = [(str(log), name) for _, logs in found for log, name in logs.items() if name is not None]
    if task is None:
        _check_same_task(tasks)
    given = [path for path, _ in found]
    return [by_task for path, logs in chosen for by_task in _by_system(path, logs, form, task, given)]


def _check_same_task(tasks: Sequence[tuple[str, str]]) -> None:
    """Check that logs, each with its task, are of one task."""
    for source, name in tasks[1:]:
        if name != tasks[0][1]:
            raise DataError(
                f"{tasks[0][0]} is of task {tasks[0][1]!r} and {source} of task {name!r}; give logs of one task"
            )


def _parted(logs: Sequence[LogFile], form: Format) -> list[LogFile]:
    """The logs, with one for each system that a file holds."""
    return [
        part
        for file in logs
        for part in [replace(file, sent=file.text, part=name) for name in form.parts(file)] or [file]
    ]


def _by_system(
    path: Path, logs: Sequence[LogFile], form: Format, wanted: str | None, given: Sequence[Path]
) -> list[list[LogFile]]:
    """The logs of each system in a path; a system has one log, or one of each task of the group that is wanted."""
    alone = len(given) == 1
    seen: dict[str, dict[str | None, LogFile]] = {}
    for file in logs:
        system = (form.system(file) or str(file.path.parent)) if alone else file.part or ""
        task = form.task(file)
        part = task if wanted in form.groups(file) else None
        first = seen.setdefault(system, {}).setdefault(part, file)
        if first is not file:
            of = "".join(f" of {name!r}" for name in (task, system) if name)
            named = [file.path, first.path] if alone else [file.path if other == path else other for other in given]
            raise unusable(
                "{found}; name one log per system{as_with:{line}}",
                found=f"{path} holds two logs{of}, {first.source} and {file.source}",
                line=f"outperform compare {quoted(map(str, named))}",
            )
    return [list(by_task.values()) for by_task in seen.values()]


def _pooled(logs: Sequence[LogFile], form: Format, choice: Choice, group: str | None) -> Run:
    """The scores of a system; the items of several tasks are told apart by their task."""
    runs = {form.task(file): form.read(file, choice) for file in logs}
    if len(runs) == 1:
        return next(iter(runs.values()))
    _check_same_question(list(runs.values()))
    _check_group(logs[0], form, str(group), list(runs.values()))
    return replace(
        next(iter(runs.values())),
        scores={(task, item): value for task, run in runs.items() for item, value in run.scores.items()},
        groups={(task, item): value for task, run in runs.items() for item, value in run.groups.items()},
        contents={(task, item): value for task, run in runs.items() for item, value in run.contents.items()},
        greater_is_better=_direction(list(runs.values())),
    )


def _check_group(file: LogFile, form: Format, group: str, runs: Sequence[Run]) -> None:
    """Check that the mean over the items of all tasks is the score of the group that the tool reports."""
    scores = [fsum(values) / len(values) for run in runs for values in run.scores.values()]
    mean, metric = fsum(scores) / len(scores), runs[0].metric
    reported = form.reported(file, group, metric, str(runs[0].filter))
    if reported is not None and not same(reported, mean):
        found = (
            f"{file.source}: {metric} of the group {group!r} is reported as {reported:.4g}, and its mean over the "
            f"items of {len(runs)} logs is {mean:.4g}: tasks of different size count equally, or a task has no log"
        )
        raise unusable("{found}; choose one task with {task}", found=found)


def _of_task(path: Path, tasks: Mapping[Path, str | None], form: Format, task: str | None) -> list[LogFile]:
    """Logs of the one task that is asked for, or that is there."""
    known = list(dict.fromkeys(name for name in tasks.values() if name is not None))
    groups: dict[str, frozenset[str]] = {}
    if len(known) > 1 and task not in known:  # the results, which hold the groups, are not read again for each task
        groups = {name: parts for log in tasks for name, parts in form.groups(LogFile(log)).items()}
    if task is not None:
        wanted = groups.get(task, frozenset({task}))
        logs = [log for log, name in tasks.items() if name and wanted & {name, name.rpartition("/")[2]}]
        if not logs:
            raise DataError(f"{path} has no log of task {task!r}; its tasks are {listing([*known, *groups], 30)}")
        return [LogFile(log) for log in logs]
    if len(known) > 1:
        found = f"{path} has logs of {len(known)} tasks: {listing(known, 30)}"
        found += f"; the items of all tasks of a group are pooled by its name, {listing(groups, 30)}" if groups else ""
        raise UndecidedError(Sentence("{found}; choose one with {task}", found=found), "task", [*groups, *known])
    return [LogFile(log) for log in tasks]


def _names(given: Sequence[Path], files: Sequence[LogFile], form: Format, *, sent: bool = False) -> list[str]:
    """Names of the systems: their models, or else their files or folders; what was sent has no folder."""
    named = [model for file in files if (model := form.system(file)) is not None]
    if len(set(named)) == len(files):
        return named
    if len(files) > len(given) and all(file.part for file in files):
        short = dict(zip(given, file_names([str(path) for path in given]), strict=True))
        return numbered([f"{short[file.path]}: {file.part}" for file in files])
    if sent:
        return file_names([file.source for file in files])
    parents = [file.path.parent for file in files]
    inside = parents if len(set(parents)) == len(files) else [file.path for file in files]
    paths = list(given) if len(given) == len(files) else inside
    folders = [path.name for path in paths if path.is_dir()]
    return folders if len(set(folders)) == len(files) else file_names([str(path) for path in paths])


def _check_same_question(runs: Sequence[Run]) -> None:
    """Check that all systems were scored in the same way."""
    first = runs[0]
    for run in runs[1:]:
        for what, mine, theirs in (("metric", first.metric, run.metric), ("filter", first.filter, run.filter)):
            if mine != theirs:
                found = f"{first.source} is scored with {what} {mine!r} and {run.source} with {theirs!r}"
                raise unusable("{found}; choose one that both have with {what}", found=found, what=Parameter(what))


def _joined(runs: Mapping[str, Run], metric: str) -> Scores:
    """Bring every system into the order of the first one's items."""
    first = next(iter(runs.values()))
    for run in runs.values():
        _check_same_items(first, run)
    groups = tuple(first.groups[item] for item in first.scores) if first.groups else None
    values = {name: _array(run, list(first.scores)) for name, run in runs.items()}
    return Scores(metric, values, tuple(first.scores), groups, greater_is_better=_direction(list(runs.values())))


def _direction(runs: Sequence[Run]) -> bool | None:
    """Whether greater is better, where logs say it; all that do say the same."""
    said = [run for run in runs if run.greater_is_better is not None]
    for run in said[1:]:
        if run.greater_is_better != said[0].greater_is_better:
            raise DataError(
                f"{said[0].source} and {run.source} disagree on whether a greater {run.metric} is better; "
                "score both alike"
            )
    return said[0].greater_is_better if said else None


def _check_same_items(first: Run, run: Run) -> None:
    """Check that two logs hold the same items, with the same contents and groups under the same ids."""
    for have, lack in ((first, run), (run, first)):
        absent = [item for item in have.scores if item not in lack.scores]
        if absent:
            alike = spelt_alike(absent, [item for item in lack.scores if item not in have.scores])
            raise DataError(
                f"{have.source} has {count(len(absent), 'item')} that {lack.source} has not: {listing(absent, 5)}; "
                f"{alike}compare runs on the same items"
            )
    for what, mine, theirs in (("contents", first.contents, run.contents), ("groups", first.groups, run.groups)):
        differ = [item for item in mine if item in theirs and mine[item] != theirs[item]]
        if differ:
            raise DataError(
                f"{first.source} and {run.source} have different {what} under the same id, for "
                f"{count(len(differ), 'item')}: {listing(differ, 5)}; both must have been given the same data"
            )


def _array(run: Run, items: Sequence[Hashable]) -> FloatArray:
    """Scores of shape (items,), or (items, runs) where there are several runs."""
    table = np.array([run.scores[item] for item in items], dtype=np.float64)
    return table[:, 0] if table.shape[1] == 1 else table
