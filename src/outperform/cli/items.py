"""Items and scores of items, as they are named on the command line."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from outperform.base.errors import DataError
from outperform.cli.reading import OF_PRIORS, counts_of, label_of, measure_of, question_of, refuse_priors

if TYPE_CHECKING:
    from outperform.data.counts import Counts
    from outperform.io import ItemColumns
    from outperform.measures.of_counts import Measure
    from outperform.measures.of_items import ItemMeasure

__all__ = ["data_of", "read_of", "scores_of"]

NOT_OF_ITEMS = (
    "count",
    "weight",
    "separator",
    "confusion",
    "unit",
    "scheme",
    "strict",
    "untyped",
    "by",
    "drop_missing",
)
NOT_OF_SCORES = ("truth", "predictions", "labels", "pos_label", "average", "beta", *NOT_OF_ITEMS)
OF_LOGS = ("metric", "filter_", "task")


def read_of(options: dict[str, Any]) -> Counts | ItemColumns:
    """What FILES hold: counts, or items where these are weighed; a stream can be read once only."""
    from outperform.measures.of_items import ItemMeasure

    by_item = isinstance(_measure(options), ItemMeasure)  # an unknown one is refused before the files are read
    if not by_item and options["cluster"] is None and options["strata"] is None:
        return counts_of(options)
    _refuse(options, NOT_OF_ITEMS, "items that are weighed")
    if not options["truth"] or not options["predictions"]:
        raise DataError("say which columns to read with --truth and --predictions")
    return _items(options, list(options["predictions"]), numbers=by_item)


def data_of(
    options: dict[str, Any], read: Counts | ItemColumns | None = None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a verb is given: counts, or truth and outputs item by item; and the question."""
    from outperform.data.counts import Counts

    columns = read_of(options) if read is None else read
    if isinstance(columns, Counts):
        return (columns,), question_of(options, columns)
    assert columns.truth is not None
    labels = [_label(label, columns.truth) for label in options["labels"]] or None
    return (columns.truth, columns.outputs), {
        "measure": _measure(options),
        "average": options["average"],
        "labels": labels,
        "pos_label": label_of(options["pos_label"], set(columns.truth)),
        "model": _bootstrap(options, columns),
        "mass": options["mass"],
        "draws": options["draws"],
        "zero_division": options["zero_division"],
        "rng": options["seed"],
    }


def _measure(options: dict[str, Any]) -> ItemMeasure | Measure | str:
    from outperform.measures.of_items import find_item_measure

    measure = find_item_measure(options["measure"])
    if measure is not None and options["beta"] is not None:
        raise ValueError(f"--beta goes with --measure f_beta, not with {measure.name}")
    return measure or measure_of(options["measure"], options["beta"])


def scores_of(options: dict[str, Any]) -> tuple[Any, dict[str, Any]] | None:
    """Scores that are there already, in columns or in logs, and how they are compared; None for predictions."""
    logs = options["format_of_logs"]
    if not logs and not options["scores"]:
        idle = [name for name in OF_LOGS if options[name]]
        if idle:
            raise DataError(f"--{idle[0].strip('_')} goes with logs; say --from")
        if options["lower_is_better"]:
            raise DataError("--lower-is-better goes with scores (--scores or --from); measures know it themselves")
        return None
    if logs and options["scores"]:
        raise DataError("--scores names columns of a file and --from says that FILES are logs; give one of them")
    _refuse(options, NOT_OF_SCORES, "scores")
    return _logged(options) if logs else _listed(options)


def _listed(options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Columns of scores."""
    idle = [name for name in OF_LOGS if options[name]]
    if idle:
        raise DataError(f"--{idle[0].strip('_')} goes with logs; say --from")
    columns = _items(options, list(options["scores"]), numbers=True)
    return columns.outputs, _settings(options, options["measure"], columns.cluster, columns.strata)


def _logged(options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Logs, one for each system."""
    from outperform.io import read_scores

    if not options["files"]:
        raise DataError("name the logs, or folders of logs, one for each system")
    for option, hint in (("measure", "--metric chooses a score"), ("strata", "use --scores with a table")):
        if options[option]:
            raise DataError(f"--{option} does not go with logs: {hint}")
    metric = list(options["metric"])
    files = options["files"][0] if len(options["files"]) == 1 else list(options["files"])
    scores = read_scores(
        files,
        format=options["format_of_logs"],
        metric=metric[0] if len(metric) == 1 else metric or None,
        filter=options["filter_"],
        task=options["task"],
        cluster=options["cluster"],
        id=options["id_column"],
    )
    return scores, _settings(options, None, None, None)


def _settings(options: dict[str, Any], measure: str | None, cluster: Any, strata: Any) -> dict[str, Any]:
    _refuse(options, OF_PRIORS, "scores")
    return {
        "measure": measure,
        "greater_is_better": False if options["lower_is_better"] else None,
        "cluster": cluster,
        "strata": strata,
        "model": options["model"],
        "mass": options["mass"],
        "draws": options["draws"],
        "rng": options["seed"],
    }


def _items(options: dict[str, Any], outputs: list[str], *, numbers: bool) -> ItemColumns:
    from outperform.io import read_items

    if not options["files"]:
        raise DataError("name a file, or - for standard input, before options that take all words after them")
    return read_items(
        options["files"],
        outputs=outputs,
        truth=options["truth"],
        id=options["id_column"],
        cluster=options["cluster"],
        strata=options["strata"],
        numbers=numbers,
    )


def _bootstrap(options: dict[str, Any], columns: ItemColumns) -> Any:
    """The model that weighs items, with the clusters that were read."""
    from outperform.models import BayesianBootstrap

    refuse_priors(options)
    if options["model"] not in (None, "bootstrap"):
        raise ValueError(f"items are weighed, which the {options['model']} model does not; use --model bootstrap")
    return BayesianBootstrap(columns.cluster, columns.strata)


def _label(text: str, truth: list[Any]) -> Any:
    """A label as the truth has it, or of the same type."""
    found = label_of(text, set(truth))
    with suppress(ValueError):
        return type(truth[0])(found) if found == text else found
    return found


def _refuse(options: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in names:
        if options.get(name):
            option = name.removesuffix("_column").replace("_", "-")
            raise DataError(f"--{option} has no use for {what}; leave it out")
