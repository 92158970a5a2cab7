"""Reading of the files that are named on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outperform.base.errors import DataError, absent, listing
from outperform.options import Options, command
from outperform.options.options import OF_TAGS, measure_of, read_numbers

if TYPE_CHECKING:
    from outperform.data.counts import Counts
    from outperform.data.scores import Scores
    from outperform.io import ItemColumns
    from outperform.planning.scenarios import Scenario

__all__ = [
    "ALL", "PILOT", "SUPPOSED", "TAGGED", "counts_of", "data_of", "has_tasks", "read_of", "refuse_logs",
    "refuse_scores", "scores_of", "tasks_of", "totals_of", "world_of",
]  # fmt: skip

OF_COLUMNS = ("id", "n", "weights", "separator", "by", "drop_missing")
OF_FILES = ("truth", "id", "n", "weights", "separator", "confusion", *OF_TAGS, "labels", "drop_missing")
OF_LOGS = ("metric", "filter", "task")
ALL = "all"  # tasks
TAGGED = (".conll", ".iob", ".bio", ".tags")  # endings of tagged files
PILOT = "labels and predictions are expected; of scores, `outperform compare` says how many more items are needed"
CLUSTERED = (
    "the items are clustered by {name}, and this command takes items as independent; use `outperform compare`, which "
    "knows clusters, or name the columns with --truth and --predictions to take the items as independent"
)
SUPPOSED = ("mu", "positive", "negative", "scores", "prevalence", "agreement")


def counts_of(options: Options) -> Counts:
    """Read the files: saved counts, tagged sentences, confusion matrices, or columns."""
    from outperform.data.storing import is_counts_file
    from outperform.io import read_confusion

    files = options.files
    if not files:
        raise DataError("name a file, or - for standard input, before --predictions, which takes all words after it")
    if options.multilabel and not options.by:
        raise DataError("--multilabel goes with --by, the column of labels")
    if options.tables:
        return options.read_counts(options.tables)
    if options.confusion or options.given(*OF_TAGS) or (options.model == "unpaired" and len(files) > 1):
        options.refuse_seen("confusion matrices, tagged files and test sets that differ")
    if all(map(is_counts_file, files)):
        return _saved(options)
    if all(Path(file.removesuffix(".gz")).suffix in TAGGED for file in files) or options.given(*OF_TAGS):
        return _chunks(options)
    if options.confusion:
        if options.given("truth", "predictions", *OF_COLUMNS):
            raise DataError("a confusion matrix has no columns to choose; give the files and --labels alone")
        return read_confusion(files, labels=options.labels or None)
    return _columns(options)


def _columns(options: Options) -> Counts:
    """Read columns of labels."""
    from outperform.io import column_names, read_test_sets

    files, truth, predictions = options.files, options.truth, options.predictions
    if not truth or not predictions:
        columns = column_names(files[0])
        if {"doc_id", "resps"} <= set(columns):
            raise DataError(f"{files[0]} is a log of lm-eval, with samples; say --from lm-eval")
        missing = "--truth" if not truth else "--predictions"
        hint = "" if truth or predictions else " (and say --unit if these are tagged files)"
        raise DataError(f"say which column to read with {missing}; {files[0]} has {', '.join(columns)}{hint}")
    if options.model == "unpaired" and len(files) > 1:
        options.refuse(OF_COLUMNS, "files of different items")
        return read_test_sets(files, truth=truth, predictions=list(predictions), labels=options.labels or None)
    counts = options.read_counts(files, progress=True)
    return counts.as_labels() if options.multilabel else counts


def _saved(options: Options) -> Counts:
    """Read saved counts: parts of the data are added, classifiers with different test sets are put side by side."""
    from outperform.data.counts import Counts

    options.refuse(("predictions", "by", *OF_FILES), "counts that were saved")
    parts = [Counts.load(file) for file in options.files]
    if options.model == "unpaired" and len({part.classifiers for part in parts}) > 1:
        return Counts.side_by_side(*parts)
    return sum(parts[1:], start=parts[0])


def read_of(options: Options) -> Counts | ItemColumns:
    """Read FILES as counts, or item by item where items are resampled; a stream can be read only once."""
    by_item = options.by_item  # an unknown measure is refused before the files are read
    if not by_item and not options.given("cluster", "strata"):
        return counts_of(options)
    if not options.truth or not options.predictions:
        raise DataError("say which columns to read with --truth and --predictions")
    return _items(options, numbers=by_item)


def data_of(options: Options, read: Counts | ItemColumns | None = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The data of a verb, counts or truth and outputs item by item, and its settings."""
    from outperform.data.counts import Counts

    columns = read_of(options) if read is None else read
    if isinstance(columns, Counts):
        return (columns,), options.of_counts(columns)
    return (columns.truth, columns.outputs), options.of_items(columns)


def scores_of(options: Options) -> tuple[Any, dict[str, Any]] | None:
    """Scores in columns or in logs, and the settings of their comparison; None for predictions."""
    if not options.logs:
        refuse_logs(options)
    if not options.logs and not options.scores:
        if options.lower_is_better:
            raise DataError("--lower-is-better goes with scores (--scores or --from); measures know it themselves")
        return None
    if options.logs == "table" and options.scores:
        raise DataError("--scores names columns of a file and --from says that FILES are logs; give one of them")
    settings = options.of_scores()
    if options.logs:
        return _logged(options), settings
    columns = _items(options, numbers=True)
    return columns.outputs, settings | {"cluster": columns.cluster, "strata": columns.strata}


def refuse_logs(options: Options) -> None:
    """Refuse options about logs, where files are none."""
    for name in options.given(*OF_LOGS):
        other = "; the score of predictions is --measure" if name == "metric" else ""
        raise DataError(f"--{name} goes with logs; say --from{other}")


def refuse_scores(options: Options) -> None:
    """Refuse scores and clusters where labels of independent items are expected."""
    if options.given("scores", "logs") or options.by_item:
        raise DataError(PILOT)
    if options.cluster:
        raise DataError(CLUSTERED.format(name=options.cluster))


def _logged(options: Options) -> Any:
    """Read logs, one per system."""
    from outperform.io import read_scores

    files, metric = options.files, options.metric
    if not files:
        raise DataError("name the logs, or folders of logs, one for each system")
    hints = {"measure": "--metric chooses a score", "strata": "use --scores with a table"}
    for option in options.given(*hints):
        raise DataError(f"--{option} does not go with logs: {hints[option]}")
    if has_tasks(options):
        return {task: _chosen(scores, options.scores) for task, scores in tasks_of(options).items()}
    if len(options.filter) > 1:
        raise DataError("--filter names several, which is for several tasks; name one, or say --task all")
    scores = read_scores(
        files[0] if len(files) == 1 else list(files),
        format=options.logs,
        metric=metric[0] if len(metric) == 1 else list(metric) or None,
        filter=options.filter[0] if options.filter else None,
        task=options.task[0] if options.task else None,
        **options.pick("cluster", "id"),
    )
    return _chosen(scores, options.scores)


def _chosen(scores: Scores, systems: Sequence[str]) -> Scores:
    """Return the scores of the systems that are named, in this order; all where none is."""
    for name in systems:
        if name not in scores.values:
            raise DataError(absent("the log", "system", name, scores.values))
    return replace(scores, values={name: scores.values[name] for name in systems}) if systems else scores


def has_tasks(options: Options) -> bool:
    """Whether several tasks of logs are asked for."""
    return options.task == (ALL,) or len(options.task) > 1


def tasks_of(options: Options) -> dict[str, Scores]:
    """Read logs of several tasks, one path per system."""
    from outperform.io import read_tasks

    return read_tasks(
        options.files[0] if len(options.files) == 1 else list(options.files),
        format=options.logs,
        task=None if options.task == (ALL,) else options.task,
        **options.pick("metric", "filter", "cluster"),
    )


def _items(options: Options, *, numbers: bool) -> ItemColumns:
    if not options.files:
        raise DataError("name a file, or - for standard input, before options that take all words after them")
    return options.read_items(options.tables or options.files, numbers=numbers)


def world_of(options: Options, supposed: Mapping[str, Any]) -> Scenario | Counts:
    """The supposed scenario, from values in the order of `SUPPOSED`, or the results in the files."""
    from outperform.planning.scenarios import Scenario

    given = [name for name in supposed if supposed[name] is not None]
    typed = ", ".join(f"--{name}" for name in given)
    if options.files and given == ["scores"]:
        raise DataError(
            "--scores supposes two scores, in place of files; of scores in files, `outperform compare` says how many "
            "more items are needed"
        )
    if options.files and given:
        raise DataError(f"give files or what is supposed, not both; got files and {typed}")
    if options.files or options.predictions:
        return counts_of(options)
    idle = options.given(*OF_FILES, *(("average", "pos_label") if supposed["scores"] else ()))
    if given and idle:
        raise DataError(f"{command(idle[0], '')} has no use where two classes are supposed; leave it out")
    if "scores" in given and not {"mu", "positive", "negative"} & set(given):
        if supposed["prevalence"] is None:
            raise DataError("--scores needs --prevalence, the share of positive items")
        a, b = read_numbers(supposed["scores"], "scores", 2)
        shares = {name: supposed[name] for name in ("prevalence", "agreement")}
        return Scenario.from_scores(a, b, measure=measure_of(options.measure, options.beta), **shares)
    if given != ["mu", "positive", "negative"]:
        raise DataError(
            "name files of results, or suppose: --mu, --positive and --negative, or --scores and --prevalence"
            + (f"; got {typed}" if given else "")
        )
    positive, negative = (read_numbers(supposed[name], name, 4) for name in ("positive", "negative"))
    return Scenario(supposed["mu"], positive, negative)


def totals_of(options: Options) -> Counts:
    """Read totals of two systems."""
    from outperform.io import read_totals

    names = [name for name in (options.a, options.b) if name is not None]
    if len(names) == 1:
        raise ValueError("name both systems, with --a and --b, or neither if the file has just two")
    for part in options.where:
        if "=" not in part:
            raise ValueError(f"--where takes COLUMN=VALUE, got {part!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"--a and --b are both {names[0]!r}; name two systems")
    rows = dict(part.partition("=")[::2] for part in options.where)
    counts = read_totals(options.file, system=str(options.system), systems=names or None, where=rows)
    if len(counts.classifiers) != 2:
        raise ValueError(f"name two systems with --a and --b; there are {listing(counts.classifiers)}")
    return counts


def _chunks(options: Options) -> Counts:
    """Read tagged files: the truth, then the taggers, called by the names of their files."""
    from outperform.io import read_chunks

    options.refuse((*OF_COLUMNS, "confusion"), "tagged files")
    column, taggers = _taggers(options.files, options.truth, options.predictions)
    return read_chunks(
        options.files[0],
        taggers,
        column=column,
        scheme=options.scheme and options.scheme.upper(),
        mode="strict" if options.strict else "conlleval",
        types=options.labels or None,
        typed=not options.untyped,
        unit=options.unit or "sentence",
    )


def _taggers(
    files: Sequence[str], truth: str | None, predictions: Sequence[str]
) -> tuple[int, Mapping[str, str | int]]:
    """The column of the truth, and the taggers: one file each, or columns of the one file."""
    columns = [truth or "-1", *predictions]
    if len(set(columns)) < len(columns):
        raise DataError("a column is named twice; the truth and every tagger need one of their own")
    if any(not column.removeprefix("-").isdigit() for column in columns):
        raise DataError("columns of a tagged file are numbers, counted from 0 or, if negative, from the end")
    if predictions and len(files) == 1:
        return int(columns[0]), {f"column {column}": int(column) for column in predictions}
    if predictions or len(files) < 2:
        raise DataError(
            "name the file of the true tags first, then those of the taggers; or one file, "
            "and its columns with --truth and --predictions"
        )
    if len(set(files)) < len(files):
        raise DataError("a file is named twice; the truth and every tagger need one of their own")
    names = [Path(file.removesuffix(".gz")).stem for file in files[1:]]
    return int(columns[0]), dict(zip(names if len(set(names)) == len(names) else files[1:], files[1:], strict=True))
