"""The commands that compare two systems by their scores: on the folds of one data set, or on several data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from outperform.base.errors import DataError, listing
from outperform.cli.options import ANSWER, WRITTEN, takes
from outperform.cli.writing import write
from outperform.options import Options

if TYPE_CHECKING:
    from outperform.io.files import Columns

__all__ = ["compare_datasets", "compare_folds"]

DRAWS = 50_000
SCORES = (
    click.argument("file"),
    click.option("--systems", nargs=2, metavar="A B", help="The two: columns of scores, or names in --system."),
    click.option("--system", metavar="COLUMN", help="Column that names the system of each row (with --score)."),
    click.option("--score", metavar="COLUMN", help="Column of the scores, where --system names whose they are."),
    click.option("--run", metavar="COLUMN", help="Column of the runs of a repeated cross-validation."),
    click.option("--fold", metavar="COLUMN", help="Column of the folds."),
    click.option("--runs", type=int, metavar="N", help="How often the cross-validation was run, without --run."),
    click.option("--test-share", type=float, metavar="X", help="Share of items that a fold tests (1/folds)."),
    click.option("--measure", "-m", default="score", metavar="NAME", help="What the scores are of, for the text."),
    click.option("--lower-is-better", is_flag=True, help="The scores are errors."),
    click.option("--rope", metavar="X|LOW,HIGH", help="Differences that do not matter, in units of the scores."),
)


@click.command("compare-folds")
@takes(SCORES)
@takes(ANSWER)
@takes(WRITTEN)
def compare_folds(format_: str | None, output: str | None, **options: Any) -> None:
    """Compare two systems by their scores on the folds of one data set (Bayesian correlated t-test).

    FILE has a row for each fold and a column for each system; or a row for each fold and system, with --system and
    --score.

    \b
    outperform compare-folds scores.csv --systems svm nb --runs 10 --rope 0.01
    outperform compare-folds scores.csv --systems svm nb --run run --fold fold --rope 0.01
    outperform compare-folds long.csv --system model --score accuracy --fold fold --runs 1 --rope 0.01
    """
    from outperform.verbs.compare_folds import compare_folds as compare

    asked = _asked(options)
    table = _read(options, None)
    runs = options["runs"] if options["run"] is None else len({key.run for key in table.keys})
    scores = {name: list(own.values()) for name, own in table.scores.items()}
    result = compare(scores, runs=runs, test_share=options["test_share"], **_judged(asked))
    write(result, format_, output)


@click.command("compare-datasets")
@takes(SCORES)
@click.option("--dataset", required=True, metavar="COLUMN", help="Column that names the data sets.")
@click.option(
    "--method",
    type=click.Choice(["signed_rank", "sign", "hierarchical"]),
    help="By default signed_rank, or hierarchical for scores by fold.",
)
@click.option("--prior-strength", type=float, metavar="X", help="How many data sets the prior counts for.")
@click.option(
    "--prior-place",
    type=click.Choice(["rope", "better", "worse"]),
    default="rope",
    help="Where the prior's data sets are (rope).",
)
@takes(ANSWER)
@takes(WRITTEN)
def compare_datasets(format_: str | None, output: str | None, **options: Any) -> None:
    """Compare two systems by their scores on several data sets.

    FILE has a row for each data set, or for each fold of each with --fold, and a column for each system; or a row for
    each system too, with --system and --score.

    \b
    outperform compare-datasets means.csv --systems svm nb --dataset name --rope 0.01
    outperform compare-datasets folds.csv --systems svm nb --dataset name --run run --fold fold --rope 0.01
    outperform compare-datasets long.csv --system model --score accuracy --dataset name --method sign
    """
    from outperform.verbs.compare_datasets import compare_datasets as compare

    asked = _asked(options)
    table = _read(options, options["dataset"])
    datasets = list(dict.fromkeys(key.dataset for key in table.keys))
    runs = options["runs"] if options["run"] is None else len({key.run for key in table.keys})
    result = compare(
        {name: _rows(table, own, datasets, options["fold"] or options["run"]) for name, own in table.scores.items()},
        method=options["method"],
        runs=runs,
        test_share=options["test_share"],
        prior_strength=options["prior_strength"],
        prior_place=options["prior_place"],
        datasets=datasets,
        draws=DRAWS if asked.draws is None else asked.draws,
        rng=asked.seed,
        **_judged(asked),
    )
    write(result, format_, output)


@dataclass(frozen=True)
class Key:
    """What a score is of."""

    dataset: str = ""
    run: str = ""
    fold: str = ""

    def __str__(self) -> str:
        parts = {"data set": self.dataset, "run": self.run, "fold": self.fold}
        return ", ".join(f"{name} {value!r}" for name, value in parts.items() if value) or "the same row"


@dataclass(frozen=True)
class ScoreTable:
    """Scores of two systems, by what they are of."""

    source: str
    scores: dict[str, dict[Key, float]]

    @property
    def keys(self) -> list[Key]:
        """What there are scores of, in the order of the file."""
        return list(next(iter(self.scores.values())))


def _read(options: dict[str, Any], dataset: str | None) -> ScoreTable:
    """Read a file in either form; both systems have a score of the same things."""
    from outperform.io import read

    if options["run"] is not None and options["runs"] is not None:
        raise DataError("--run tells how many runs there are; leave --runs out")
    if (options["system"] is None) != (options["score"] is None):
        raise DataError("--system and --score go together, the columns of names and of scores")
    columns = read(options["file"])
    marks = [columns.column(name) if name else None for name in (dataset, options["run"], options["fold"])]
    numbered = dataset is None and options["fold"] is None  # rows without a mark are folds in order
    keys = [Key(*(str(m[k]) if m else "" for m in marks)) for k in range(len(columns.lines))]
    systems, whose = _systems(columns, options["systems"], options["system"])
    values = {name: columns.column(options["score"] or name) for name in systems}
    scores: dict[str, dict[Key, float]] = {name: {} for name in systems}
    for k, key in enumerate(keys):
        for name in systems if whose is None else [whose[k]]:
            if name not in scores:
                continue
            own = Key(key.dataset, key.run, str(len(scores[name]) + 1)) if numbered else key
            if own in scores[name]:
                raise DataError(
                    f"{columns.source}, line {columns.lines[k]}: {name!r} has a second score of {own}; name the column "
                    "that tells them apart with --fold or --run"
                )
            scores[name][own] = _number(values[name][k], columns, options["score"] or name, k)
    return _matched(ScoreTable(columns.source, scores))


def _systems(columns: Columns, chosen: Sequence[str], column: str | None) -> tuple[list[str], list[str] | None]:
    """The two systems, and whose each row is where a column says it."""
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


def _matched(table: ScoreTable) -> ScoreTable:
    """The second system's scores in the order of the first one's; none may be missing."""
    if len(table.scores) < 2:
        raise DataError(f"--systems names {listing(table.scores)} twice; name two systems")
    (a, first), (b, second) = table.scores.items()
    for name, missing in ((b, first.keys() - second.keys()), (a, second.keys() - first.keys())):
        if missing:
            least = min(missing, key=str)
            raise DataError(f"{table.source} has no score of {name!r} for {least}; every one needs both systems")
    return ScoreTable(table.source, {a: first, b: {key: second[key] for key in first}})


def _rows(table: ScoreTable, own: dict[Key, float], datasets: Sequence[str], by_fold: str | None) -> list[Any]:
    """One score a data set, or a row of as many scores each."""
    rows: dict[str, list[float]] = {name: [] for name in datasets}
    for key, score in own.items():
        rows[key.dataset].append(score)
    if by_fold is None:
        return [row[0] for row in rows.values()]
    first = len(rows[datasets[0]])
    for name, row in rows.items():
        if len(row) != first:
            raise DataError(
                f"{table.source} has {len(row)} scores of data set {name!r} and {first} of {datasets[0]!r}; every data "
                "set needs as many folds"
            )
    return list(rows.values())


def _number(value: Any, columns: Columns, name: str, k: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise DataError(
            f"{columns.source}, line {columns.lines[k]}: {value!r} in column {name!r}; a number is expected"
        ) from None


def _asked(options: dict[str, Any]) -> Options:
    """The options that other commands have as well."""
    return Options.of({name: options[name] for name in ("rope", "mass", "draws", "seed", "measure", "lower_is_better")})


def _judged(asked: Options) -> dict[str, Any]:
    """What both verbs take alike."""
    return {
        "rope": asked.rope,
        "mass": asked.mass,
        "measure": asked.measure,
        "greater_is_better": not asked.lower_is_better,
    }
