"""The commands that compare two systems by their scores: on the folds of one data set, or on several data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from outperform.base.errors import DataError, UndecidedError, listing
from outperform.cli.framework import paths
from outperform.cli.options import ANSWER, LOGS
from outperform.cli.reading import ALL, refuse_logs, tasks_of
from outperform.cli.writing import answers
from outperform.options import Options

if TYPE_CHECKING:
    from outperform.data.scores import Scores as TaskScores
    from outperform.io.files import Columns
    from outperform.results import Result

__all__ = ["compare_datasets", "compare_folds"]

DRAWS = 50_000  # the default of compare_datasets
SCORES = (
    click.option("--systems", nargs=2, metavar="A B", help="The two: columns of scores, or names in --system."),
    click.option("--system", metavar="COLUMN", help="Column that names the system of each row (with --score)."),
    click.option("--score", metavar="COLUMN", help="Column of the scores (with --system)."),
    click.option("--run", metavar="COLUMN", help="Column of the runs of a repeated cross-validation."),
    click.option("--fold", metavar="COLUMN", help="Column of the folds."),
    click.option("--runs", type=int, metavar="N", help="How often the cross-validation was run, without --run."),
    click.option("--test-share", type=float, metavar="X", help="Share of items that a fold tests (1/folds)."),
    click.option("--measure", "-m", default="score", metavar="NAME", help="What the scores are of, for the text."),
    click.option("--lower-is-better", is_flag=True, help="The scores are errors."),
    click.option("--rope", metavar="X|LOW,HIGH", help="Differences that do not matter, in units of the scores."),
)


@answers((click.argument("file", shell_complete=paths),), SCORES, ANSWER)
def compare_folds(**typed: Any) -> Result:
    """Compare two systems by their scores on the folds of one data set (Bayesian correlated t-test).

    FILE has a row for each fold and a column for each system; or a row for each fold and system, with --system and
    --score.

    \b
    outperform compare-folds scores.csv --systems svm nb --runs 10 --rope 0.01
    outperform compare-folds scores.csv --systems svm nb --run run --fold fold --rope 0.01
    outperform compare-folds long.csv --system model --score accuracy --fold fold --runs 1 --rope 0.01
    """
    from outperform.verbs.compare_folds import compare_folds as compare

    options = Options.of(typed)
    scores = _read(options)
    return compare({name: list(by_key.values()) for name, by_key in scores.items()}, **_judged(options, scores))


@answers(
    (click.argument("files", nargs=-1, required=True, metavar="FILE|LOGS...", shell_complete=paths),),
    SCORES,
    LOGS,
    ANSWER,
)
@click.option("--dataset", metavar="COLUMN", help="Column that names the data sets.")
@click.option(
    "--method",
    type=click.Choice(["signed_rank", "sign", "hierarchical"]),
    help="By default signed_rank, or hierarchical for scores by fold.",
)
@click.option("--prior-strength", type=float, metavar="X", help="How many data sets the prior counts for.")
@click.option(
    "--prior-place", type=click.Choice(["rope", "better", "worse"]), help="Where the prior's data sets are (rope)."
)
def compare_datasets(**typed: Any) -> Result:
    """Compare two systems by their scores on several data sets.

    FILE has a row for each data set, or for each fold of each with --fold, and a column for each system; or a row for
    each system too, with --system and --score. LOGS are logs or folders of logs, one per system: each task is a data
    set, and its score the mean over its items.

    \b
    outperform compare-datasets means.csv --systems svm nb --dataset name --rope 0.01
    outperform compare-datasets folds.csv --systems svm nb --dataset name --run run --fold fold --rope 0.01
    outperform compare-datasets long.csv --system model --score accuracy --dataset name --method sign
    outperform compare-datasets runs/new runs/old --rope 0.01
    """
    from outperform.io.looking import log_format
    from outperform.verbs.compare_datasets import compare_datasets as compare

    options = Options.of(typed)
    settings = options.pick("method", "prior_strength", "rng")
    settings |= {"draws": options.draws or DRAWS, "prior_place": options.prior_place or "rope"}
    if options.logs or all(map(log_format, options.files)):
        return compare(_tasks(options), **settings, **_of_logs(options))
    refuse_logs(options)
    if len(options.files) > 1:
        raise DataError(f"one file with the scores of two systems is expected, got {listing(options.files)}")
    if options.dataset is None:
        raise DataError("say which column names the data sets with --dataset")
    options = replace(options, file=options.files[0])
    scores = _read(options)
    rows = {name: _rows(by_key, options) for name, by_key in scores.items()}
    return compare(
        {name: list(by_set.values()) for name, by_set in rows.items()},
        datasets=list(next(iter(rows.values()))),
        **settings,
        **_judged(options, scores),
    )


def _tasks(options: Options) -> dict[str, TaskScores]:
    """Read the tasks of logs; where they leave something to choose, the user is asked."""
    from outperform.cli.asking import chosen
    from outperform.io.looking import log_format

    logs = options.logs or log_format(options.files[0])
    options = replace(options, logs=logs, task=options.task or (ALL,), measure=None)
    options.refuse(("dataset", "system", "systems", "score", "run", "fold", "runs", "test_share"), "logs")
    try:
        return tasks_of(options)
    except UndecidedError:
        return tasks_of(chosen(options))


def _of_logs(options: Options) -> dict[str, Any]:
    """Settings of logs, which say themselves what the scores are of and whether greater is better."""
    return options.pick("rope", "mass", "measure") | {"greater_is_better": False if options.lower_is_better else None}


@dataclass(frozen=True)
class Key:
    """The data set, run and fold of a score."""

    dataset: str = ""
    run: str = ""
    fold: str = ""

    def __str__(self) -> str:
        parts = {"data set": self.dataset, "run": self.run, "fold": self.fold}
        return ", ".join(f"{name} {value!r}" for name, value in parts.items() if value) or "the same row"


Scores: TypeAlias = Mapping[str, Mapping[Key, float]]


def _read(options: Options) -> Scores:
    """Read a file in either form; both systems have scores of the same data sets, runs and folds."""
    from outperform.io import read
    from outperform.io.align import numbers_of

    if options.run is not None and options.runs is not None:
        raise DataError("--run tells how many runs there are; leave --runs out")
    if (options.system is None) != (options.score is None):
        raise DataError("--system and --score go together, the columns of names and of scores")
    columns = read(options.file)
    marks = [columns.column(name) if name else None for name in (options.dataset, options.run, options.fold)]
    numbered = options.dataset is None and options.fold is None  # rows without a mark are folds in order
    keys = [Key(*(str(m[k]) if m else "" for m in marks)) for k in range(len(columns.lines))]
    systems, whose = _systems(columns, options.systems, options.system)
    values = {name: numbers_of(columns, options.score or name) for name in systems}
    scores: dict[str, dict[Key, float]] = {name: {} for name in systems}
    for k, key in enumerate(keys):
        for name in systems if whose is None else [whose[k]]:
            if name not in scores:
                continue
            place = Key(key.dataset, key.run, str(len(scores[name]) + 1)) if numbered else key
            if place in scores[name]:
                raise DataError(
                    f"{columns.source}, line {columns.lines[k]}: {name!r} has a second score of {place}; name the "
                    "column that tells them apart with --fold or --run"
                )
            scores[name][place] = values[name][k]
    return _matched(columns.source, scores)


def _systems(columns: Columns, chosen: Sequence[str] | None, column: str | None) -> tuple[list[str], list[str] | None]:
    """The two systems, and the system of each row where a column names it."""
    if column is None:
        if not chosen:
            raise DataError(
                "name two columns of scores with --systems, or the column of names with --system; "
                f"{columns.source} has {listing(columns.values, 30)}"
            )
        return list(chosen), None
    whose = [str(name) for name in columns.column(column)]
    known = list(dict.fromkeys(whose))
    for name in chosen or ():
        if name not in known:
            raise DataError(f"{columns.source} has no {name!r} in column {column!r}; it has {listing(known, 30)}")
    if not chosen and len(known) != 2:
        raise DataError(f"name two systems with --systems; {columns.source} has {listing(known, 30)}")
    return list(chosen or known), whose


def _matched(source: str, scores: Scores) -> Scores:
    """The second system's scores in the order of the first one's; none may be missing."""
    if len(scores) < 2:
        raise DataError(f"--systems names {listing(scores)} twice; name two systems")
    (a, first), (b, second) = scores.items()
    for name, missing in ((b, first.keys() - second.keys()), (a, second.keys() - first.keys())):
        if missing:
            least = min(missing, key=str)
            raise DataError(f"{source} has no score of {name!r} for {least}; every one needs both systems")
    return {a: first, b: {key: second[key] for key in first}}


def _rows(by_key: Mapping[Key, float], options: Options) -> dict[str, Any]:
    """One score per data set, or with folds one row of scores per data set."""
    rows: dict[str, list[float]] = {}
    for key, score in by_key.items():
        rows.setdefault(key.dataset, []).append(score)
    if not (options.fold or options.run):
        return {name: row[0] for name, row in rows.items()}
    first = next(iter(rows))
    for name, row in rows.items():
        if len(row) != len(rows[first]):
            found = f"{options.file} has {len(row)} scores of data set {name!r} and {len(rows[first])} of {first!r}"
            raise DataError(f"{found}; every data set needs as many folds")
    return rows


def _judged(options: Options, scores: Scores) -> dict[str, Any]:
    """Settings that both verbs take."""
    runs = options.runs if options.run is None else len({key.run for by_key in scores.values() for key in by_key})
    settings = options.pick("test_share", "rope", "mass", "measure")
    return settings | {"runs": runs, "greater_is_better": not options.lower_is_better}
