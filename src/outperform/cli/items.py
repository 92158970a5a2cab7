"""Items and scores of items, as they are named on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outperform.base.errors import DataError
from outperform.cli.reading import counts_of
from outperform.options.options import NOT_OF_SCORES, OF_PRIORS, Options

if TYPE_CHECKING:
    from outperform.data.counts import Counts
    from outperform.io import ItemColumns

__all__ = ["data_of", "read_of", "scores_of"]

OF_LOGS = ("metric", "filter", "task")


def read_of(options: Options) -> Counts | ItemColumns:
    """What FILES hold: counts, or items where these are weighed; a stream can be read once only."""
    by_item = options.by_item  # an unknown measure is refused before the files are read
    if not by_item and not options.given("cluster", "strata"):
        return counts_of(options)
    if not options.truth or not options.predictions:
        raise DataError("say which columns to read with --truth and --predictions")
    return _items(options, numbers=by_item)


def data_of(options: Options, read: Counts | ItemColumns | None = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a verb is given: counts, or truth and outputs item by item; and the question."""
    from outperform.data.counts import Counts

    columns = read_of(options) if read is None else read
    if isinstance(columns, Counts):
        return (columns,), options.of_counts(columns)
    return (columns.truth, columns.outputs), options.of_items(columns)


def scores_of(options: Options) -> tuple[Any, dict[str, Any]] | None:
    """Scores that are there already, in columns or in logs, and how they are compared; None for predictions."""
    for name in options.given(*OF_LOGS):
        if not options.logs:
            raise DataError(f"--{name} goes with logs; say --from")
    if not options.logs and not options.scores:
        if options.lower_is_better:
            raise DataError("--lower-is-better goes with scores (--scores or --from); measures know it themselves")
        return None
    if options.logs and options.scores:
        raise DataError("--scores names columns of a file and --from says that FILES are logs; give one of them")
    options.refuse((*NOT_OF_SCORES, *OF_PRIORS), "scores")
    if options.logs:
        return _logged(options), _settings(options)
    columns = _items(options, numbers=True)
    return columns.outputs, _settings(options) | {"cluster": columns.cluster, "strata": columns.strata}


def _logged(options: Options) -> Any:
    """Logs, one for each system."""
    from outperform.io import read_scores

    files, metric = options.files, options.metric
    if not files:
        raise DataError("name the logs, or folders of logs, one for each system")
    hints = {"measure": "--metric chooses a score", "strata": "use --scores with a table"}
    for option in options.given(*hints):
        raise DataError(f"--{option} does not go with logs: {hints[option]}")
    return read_scores(
        files[0] if len(files) == 1 else list(files),
        format=options.logs,
        metric=metric[0] if len(metric) == 1 else list(metric) or None,
        filter=options.filter,
        task=options.task,
        cluster=options.cluster,
        id=options.id,
    )


def _settings(options: Options) -> dict[str, Any]:
    return {
        "measure": options.measure,
        "greater_is_better": False if options.lower_is_better else None,
        "model": options.model,
        "mass": options.mass,
        "draws": options.draws,
        "rng": options.seed,
    }


def _items(options: Options, *, numbers: bool) -> ItemColumns:
    if not options.files:
        raise DataError("name a file, or - for standard input, before options that take all words after them")
    return options.read_items(options.files, numbers=numbers)
