"""The output of trec_eval -q: metric, query and value on each line; the query "all" is the summary."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from itertools import islice

from outperform.base.errors import DataError, listing
from outperform.data.labels import is_number
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, number

__all__ = ["TREC_EVAL"]

SUMMARY, NAME = "all", "runid"
FEW = 5  # lines by which a file is recognised


def read(file: LogFile, choice: Choice) -> Run:
    """Read the values of one metric, per query."""
    rows = [row for row in _rows(file) if row[2] != SUMMARY]
    if not rows:
        raise DataError(f"{file.source} has no queries, only the summary; run trec_eval with -q")
    metric = choose("metric", choice.metric, (name for _, name, _, _ in rows), file.source)
    places: dict[str, int] = {}
    scores: dict[Hashable, list[float]] = {}
    for line, name, query, text in rows:
        if name != metric:
            continue
        if query in places:
            raise DataError(
                f"{file.source}: {metric!r} of query {query!r} is on line {places[query]} and again on line {line}; "
                "give each system a file of its own"
            )
        places[query] = line
        value: object = text
        with suppress(ValueError):
            value = float(text)
        scores[query] = [number(value, f"{file.source}, line {line}, query {query!r}")]
    return Run(file.source, metric, scores)


def _rows(file: LogFile) -> Iterator[tuple[int, str, str, str]]:
    """Line, metric, query and value."""
    for line, text in file.lines():
        fields = text.split(maxsplit=2)
        if len(fields) != 3:
            raise DataError(
                f"{file.source}, line {line}: {listing([text.strip()])}; a metric, a query and a value are expected"
            )
        yield line, fields[0], fields[1], fields[2].strip()


def _system(file: LogFile) -> str | None:
    """The name of the run, in the summary."""
    names = {value for _, metric, query, value in _rows(file) if (metric, query) == (NAME, SUMMARY)}
    return names.pop() if len(names) == 1 else None


def _claims(file: LogFile) -> bool:
    """Whether the first lines are a metric, a query and a number."""
    if file.packed or file.text.lstrip().startswith(("{", "[")):
        return False
    rows = [text.split() for _, text in islice(file.lines(), FEW)]
    return all(len(row) == 3 and not is_number(row[0]) and (row[0] == NAME or _is_value(row[2])) for row in rows)


def _is_value(text: str) -> bool:
    """Whether a text is a number or, as that of relstring, in quotes."""
    return is_number(text) or text.startswith("'")


TREC_EVAL = Format(
    takes=frozenset({"metric"}),
    named=lambda _: False,
    claims=_claims,
    read=read,
    system=_system,
)
