"""Tables as JSON: {"columns": […], "data": [[…], …]}, as MLflow (eval_results_table.json) and W&B write them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from outperform.base.errors import DataError, absent, listing
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, group, number
from outperform.io.mistaken import repeated

__all__ = ["TABLE", "columns"]


@dataclass(frozen=True)
class _Table:
    """Names of the columns, and rows that are as long."""

    source: str
    columns: list[str]
    rows: list[list[Any]]

    def column(self, name: str) -> list[Any]:
        """One column."""
        if name not in self.columns:
            raise DataError(absent(self.source, "column", name, self.columns))
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


def read(file: LogFile, choice: Choice) -> Run:
    """The scores in one column; without a column of ids the items are called by their rows, from 0."""
    table = _table(file)
    ids: Sequence[Hashable] = range(len(table.rows)) if choice.id is None else _ids(table, choice.id)
    others = {choice.id, choice.cluster}
    numeric = [name for name in table.columns if name not in others and _is_numeric(table.column(name))]
    available = table.columns if choice.metric is not None else numeric
    metric = choose("metric", choice.metric, available, file.source)
    scores: dict[Hashable, list[float]] = {}
    for k, (item, value) in enumerate(zip(ids, table.column(metric), strict=True), start=1):
        where = f"{file.source}, row {k}, column {metric!r}"
        scores[item] = [number(value, where if choice.id is None else f"{where}, item {item!r}")]
    groups: dict[Hashable, Hashable] = {}
    if choice.cluster is not None:
        table.column(choice.cluster)
        for k, (item, row) in enumerate(zip(ids, table.rows, strict=True), start=1):
            fields = dict(zip(table.columns, row, strict=True))
            groups[item] = group(fields, choice.cluster, f"{file.source}, row {k}")
    return Run(file.source, metric, scores, groups)


def columns(file: LogFile) -> list[str]:
    """Names of the columns."""
    return _table(file).columns


def _table(file: LogFile) -> _Table:
    """The table, whose rows all have a value for each column."""
    document = file.document
    header = document.get("columns") if isinstance(document, dict) else None
    rows = document.get("data") if isinstance(document, dict) else None
    if not isinstance(header, list) or not isinstance(rows, list):
        raise DataError(f"{file.source} is no table; JSON with 'columns' and 'data' is expected")
    names = [str(name) for name in header]
    twice = repeated(names)
    if twice is not None:
        raise DataError(f"{file.source} has several columns called {twice!r}; rename all but one")
    for k, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != len(names):
            found = f"{len(row)} values" if isinstance(row, list) else f"a {type(row).__name__}"
            raise DataError(f"{file.source}, row {k}: {found} under {len(names)} columns; one for each is expected")
    if not rows:
        raise DataError(f"{file.source} has columns but no rows; log the table with its items")
    return _Table(file.source, names, rows)


def _ids(table: _Table, name: str) -> list[Hashable]:
    """The ids: text or numbers, each once."""
    places: dict[Hashable, int] = {}
    for k, item in enumerate(table.column(name), start=1):
        if not isinstance(item, str | int | float) or item == "" or (isinstance(item, float) and isnan(item)):
            raise DataError(
                f"{table.source}, row {k}: {listing([item])} in column {name!r} is no id; a text or number is expected"
            )
        if item in places:
            raise DataError(
                f"{table.source}: the id {item!r} is in row {places[item]} and again in row {k}; "
                "name a column in which each item has its own"
            )
        places[item] = k
    return list(places)


def _is_numeric(column: list[Any]) -> bool:
    """Whether there are numbers in it, and nothing else but gaps."""
    present = [value for value in column if value is not None]
    return bool(present) and all(isinstance(value, bool | int | float) for value in present)


TABLE = Format(
    takes=frozenset({"metric", "cluster", "id"}),
    named=lambda name: name == "eval_results_table.json" or name.endswith(".table.json"),
    claims=lambda file: {"columns", "data"} <= (file.opening or {}).keys(),
    read=read,
)
