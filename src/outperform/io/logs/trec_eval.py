"""The output of trec_eval -q: metric, query and value on each line; the query "all" is the summary.

Or what pytrec_eval returns, as JSON: an object that has the values by metric of each query.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from outperform.base.errors import DataError, listing
from outperform.data.labels import is_number
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, number

__all__ = ["TREC_EVAL"]

SUMMARY, NAME = "all", "runid"
FEW = 5  # lines by which a file is recognised
# Metrics by one of which JSON is recognised, since tables may have its shape too.
KNOWN = re.compile(
    r"(gm_)?m?ap(_cut)?([_@.]\d+)?|n?dcg(_cut)?([_@.]\d+)?|recip_rank|m?rr([_@.]\d+)?|bpref|rprec|infap"
    r"|(p|precision|r|recall|success|hit|hit_rate)[_@.]\d+|iprec_at_recall_.+|11pt_avg|set_(p|recall|map|f)",
    re.IGNORECASE,
)


def read(file: LogFile, choice: Choice) -> Run:
    """Read the values of one metric, per query."""
    rows = [row for row in _rows(file) if row[2] != SUMMARY]
    if not rows:
        raise DataError(f"{file.source} has no queries, only the summary; run trec_eval with -q")
    metric = choose("metric", choice.metric, (name for _, name, _, _ in rows), file.source)
    places: dict[str, int] = {}
    scores: dict[Hashable, list[float]] = {}
    for line, name, query, value in rows:
        if name != metric:
            continue
        if query in places:
            raise DataError(
                f"{file.source}: {metric!r} of query {query!r} is on line {places[query]} and again on line {line}; "
                "give each system a file of its own"
            )
        places[query] = line
        place = f", line {line}" if line else ""
        scores[query] = [number(_value(value), f"{file.source}{place}, query {query!r}")]
    short = [query for _, _, query, _ in rows if query not in scores]
    if short:
        raise DataError(f"{file.source} has no {metric!r} of {listing(dict.fromkeys(short))}; score every query")
    return Run(file.source, metric, scores)


def _value(value: object) -> object:
    """The number that a text is; any other value as it is."""
    if isinstance(value, str):
        with suppress(ValueError):
            return float(value)
    return value


def _rows(file: LogFile) -> Iterator[tuple[int, str, str, Any]]:
    """Line, metric, query and value; JSON has no lines, and the line is 0."""
    if file.text.lstrip().startswith(("{", "[")):
        yield from _of_json(file)
        return
    for line, text in file.lines():
        fields = text.split(maxsplit=2)
        if len(fields) != 3:
            raise DataError(
                f"{file.source}, line {line}: {listing([text.strip()])}; a metric, a query and a value are expected"
            )
        yield line, fields[0], fields[1], fields[2].strip()


def _of_json(file: LogFile) -> Iterator[tuple[int, str, str, Any]]:
    """What pytrec_eval returns; one object is expected, whose values are objects that are not empty."""
    found = file.document
    for query, values in found.items() if isinstance(found, dict) else [("", found)]:
        if not isinstance(values, dict) or not values:
            place = f", {query!r}" if query else ""
            raise DataError(
                f"{file.source}{place}: {listing([values])}; JSON with the values by metric of each query is expected, "
                'such as {"301": {"map": 0.25}}'
            )
        yield from ((0, str(metric), str(query), value) for metric, value in values.items())


def _system(file: LogFile) -> str | None:
    """The name of the run, in the summary."""
    names = {value for _, metric, query, value in _rows(file) if (metric, query) == (NAME, SUMMARY)}
    return names.pop() if len(names) == 1 else None


def _claims(file: LogFile) -> bool:
    """Whether the first lines are a metric, a query and a number, or JSON has the metrics of each query."""
    if file.packed or file.text.lstrip().startswith(("{", "[")):
        return _claims_json(file.opening or {})
    rows = [text.split() for _, text in islice(file.lines(), FEW)]
    return all(len(row) == 3 and not is_number(row[0]) and (row[0] == NAME or _is_value(row[2])) for row in rows)


def _claims_json(found: dict[str, Any]) -> bool:
    """Whether all values are numbers by the same names, one of which is a metric of retrieval."""
    inner = list(found.values())
    if not inner or not all(isinstance(values, dict) and values.keys() == inner[0].keys() for values in inner):
        return False
    numbers = all(type(value) in (int, float) for values in inner for value in values.values())
    return numbers and any(KNOWN.fullmatch(name) for name in inner[0])


def _is_value(text: str) -> bool:
    """Whether a text is a number or, as that of relstring, in quotes."""
    return is_number(text) or text.startswith("'")


TREC_EVAL = Format(takes=frozenset({"metric"}), named=lambda _: False, claims=_claims, read=read, system=_system)
