"""Tables as JSON: {"columns": […], "data": [[…], …]}, as MLflow (eval_results_table.json) and W&B write them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isnan
from typing import Any

from outperform.base.errors import DataError, absent, count, listing
from outperform.io.guessing import FEWEST_IDS
from outperform.io.judged import as_scores
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, group, mapping, number
from outperform.io.mistaken import repeated
from outperform.io.names import CLUSTERS, plain, says_id, says_predicted, says_true

__all__ = ["TABLE", "columns"]


def read(file: LogFile, choice: Choice) -> Run:
    """Read the scores in one column; without a column of ids the items are called by their rows, from 0."""
    table = columns(file)
    for name in (choice.id, choice.cluster):
        if name is not None and name not in table:
            raise DataError(absent(file.source, "column", name, table))
    others = {choice.id, choice.cluster}
    free = [name for name in table if name not in others]
    numeric = [name for name in free if _is_numeric(table[name])]
    if not numeric:  # else words of right and wrong may be labels, as those of the truth are
        words = [name for name in free if _is_numeric(as_scores(table[name]))]
        numeric = [name for name in words if not (says_true(name) or says_predicted(name))] or words
    offered = _without_ids(table, numeric) if choice.metric is None else table
    metric = choose("metric", choice.metric, offered, file.source)
    rows = range(len(table[metric]))
    ids: Sequence[Hashable] = rows if choice.id is None else _ids(table[choice.id], choice.id, file.source)
    scores: dict[Hashable, list[float]] = {}
    groups: dict[Hashable, Hashable] = {}
    values = as_scores(table[metric])
    for k, item in enumerate(ids):
        where = f"{file.source}, row {k + 1}"
        item_named = "" if choice.id is None else f", item {item!r}"
        scores[item] = [number(values[k], f"{where}, column {metric!r}{item_named}")]
        if choice.cluster is not None:
            groups[item] = group({name: table[name][k] for name in table}, choice.cluster, where)
    return Run(file.source, metric, scores, groups)


def columns(file: LogFile) -> dict[str, list[Any]]:
    """Read the columns of the table, in which every row has a value for each column."""
    document = mapping(file.document) if file.text.lstrip().startswith("{") else {}
    header, rows = document.get("columns"), document.get("data")
    if not isinstance(header, list) or not isinstance(rows, list):
        expected = "JSON with 'columns' and 'data' is expected; CSV and JSON lines are read without a format of logs"
        raise DataError(f"{file.source} is no table; {expected}")
    names = [str(name) for name in header]
    twice = repeated(names)
    if twice is not None:
        raise DataError(f"{file.source} has several columns called {twice!r}; rename all but one")
    for k, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != len(names):
            found = count(len(row), "value") if isinstance(row, list) else f"a {type(row).__name__}"
            found = f"{file.source}, row {k}: {found} under {count(len(names), 'column')}"
            raise DataError(f"{found}; one for each is expected")
    if not rows:
        raise DataError(f"{file.source} has columns but no rows; log the table with its items")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _ids(column: list[Any], name: str, source: str) -> list[Hashable]:
    """Check the ids: text or numbers, each once."""
    places: dict[Hashable, int] = {}
    for k, item in enumerate(column, start=1):
        if not isinstance(item, str | int | float) or item == "" or (isinstance(item, float) and isnan(item)):
            raise DataError(
                f"{source}, row {k}: {listing([item])} in column {name!r} is no id; a text or number is expected"
            )
        if item in places:
            raise DataError(
                f"{source}: the id {item!r} is in row {places[item]} and again in row {k}; "
                "name a column in which each item has its own"
            )
        places[item] = k
    return list(places)


def _without_ids(table: dict[str, list[Any]], numeric: Sequence[str]) -> list[str]:
    """The columns of numbers that may be scores: neither ids nor clusters by their names, nor numbers of the rows."""
    unnamed = [name for name in numeric if not says_id(name) and plain(name) not in CLUSTERS]
    return [name for name in unnamed if not _are_numbers_of_rows(table[name])] or unnamed


def _are_numbers_of_rows(column: list[Any]) -> bool:
    """Whether all values are whole numbers, and differ."""
    whole = all(isinstance(value, int | float) and value % 1 == 0 for value in column)
    return whole and len(column) >= FEWEST_IDS and len({*column}) == len(column)


def _is_numeric(column: Sequence[Any]) -> bool:
    """Whether a column holds numbers, and nothing else but gaps."""
    present = [value for value in column if value is not None]
    return bool(present) and all(isinstance(value, bool | int | float) for value in present)


TABLE = Format(
    takes=frozenset({"metric", "cluster", "id"}),
    named=lambda name: name == "eval_results_table.json" or name.endswith(".table.json"),
    claims=lambda file: {"columns", "data"} <= (file.opening or {}).keys(),
    read=read,
)
