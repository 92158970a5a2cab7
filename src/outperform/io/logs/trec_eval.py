"""The output of trec_eval -q: metric, query and value on each line; the query "all" is the summary.

That of ir_measures -q has the query before the metric, or is JSON lines. What pytrec_eval returns is one JSON object
that has the values by metric of each query; the scores of a run of ranx are the values by query of each metric.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from itertools import islice
from math import fsum
from typing import Any, NamedTuple

from outperform.base.errors import DataError, count, listing
from outperform.data.labels import is_number
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, number, parse, same

__all__ = ["TREC_EVAL"]

SUMMARY, NAME, QUERIES, GEOMETRIC = "all", "runid", "num_q", "gm_"
KEYS = ("measure", "query_id", "value")  # of a line of JSON, as ir_measures calls a metric, a query and a value
FEW = 5  # lines by which a file is recognised
FEWEST = 10  # queries, without which the keys under a metric may be systems
# Names that ir_measures gives to metrics; the words that name columns of other tables only with a cut-off.
MEASURES = re.compile(
    r"(([αa]\w*_)?[nN]?DCG|M?AP(_IA)?|M?RR|n?ERR(_IA)?|NERR\d+|RBP|n?NRBP|[bB][pP]ref|R[pP]rec|infAP|Set(AP|F|P|R|RelP)"
    r"|BPM|SDCG|INSQ|INST|Num(Q|Rel|Ret|RelRet))(\(.+\))?(@\d+)?"
    r"|(P(_IA)?|Precision|R|(St)?Recall|Success|Judged|IPrec)(\(.+\))?@[\d.]+"
)
# Metrics by one of which JSON is recognised, since tables may have its shape too.
KNOWN = re.compile(
    r"(gm_)?m?ap(_cut)?([_@.]\d+)?|n?dcg(_cut)?([_@.]\d+)?|recip_rank|m?rr([_@.]\d+)?|bpref|rprec|infap"
    r"|(p|precision|r|recall|success|hit|hit_rate)[_@.]\d+|iprec_at_recall_.+|11pt_avg|set_(p|recall|map|f)",
    re.IGNORECASE,
)


class Row(NamedTuple):
    """A value of a query, or of all; JSON has no lines, and the line is 0."""

    line: int
    metric: str
    query: str
    value: Any


def read(file: LogFile, choice: Choice) -> Run:
    """Read the values of one metric, per query."""
    every = list(_rows(file))
    rows = [row for row in every if row.query != SUMMARY]
    if not rows:
        raise DataError(f"{file.source} has no queries, only the summary; run trec_eval with -q")
    metric = choose("metric", choice.metric, (row.metric for row in rows), file.source)
    own: dict[str, Row] = {}
    for row in rows:
        if row.metric != metric:
            continue
        if row.query in own:
            raise DataError(
                f"{file.source}: {metric!r} of query {row.query!r} is on line {own[row.query].line} and again on line "
                f"{row.line}; give each system a file of its own"
            )
        own[row.query] = row
    short = [row.query for row in rows if row.query not in own]
    if short:
        raise DataError(f"{file.source} has no {metric!r} of {listing(dict.fromkeys(short))}; score every query")
    scores: dict[Hashable, list[float]] = {query: [_score(file, row)] for query, row in own.items()}
    _check_summary(file, metric, list(own.values()), [row for row in every if row.query == SUMMARY])
    return Run(file.source, metric, scores)


def _score(file: LogFile, row: Row) -> float:
    place = f", line {row.line}" if row.line else ""
    return number(_value(row.value), f"{file.source}{place}, query {row.query!r}")


def _check_summary(file: LogFile, metric: str, rows: Sequence[Row], summary: Iterable[Row]) -> None:
    """Check that the summary is of the queries that are there: of their number or, if it is not there, their mean.

    Of a count it is the sum, and of a metric whose name begins with gm_ the geometric mean, which is not checked.
    Where a run has no results for a query, trec_eval 9 with -c counts a 0 in the summary and prints no line of it.
    """
    said = {row.metric: row.value for row in summary}
    advice = "add a line for every query without results, usually with 0, as trec_eval 10 prints them with -q and -c"
    queries, all_ = _value(said.get(QUERIES)), _value(said.get(metric))
    if isinstance(queries, int | float):
        if queries != len(rows):
            raise DataError(f"{file.source} sums up {queries:g} queries and has lines of {len(rows)}; {advice}")
        return
    if metric.startswith(GEOMETRIC):
        return
    total = fsum(_score(file, row) for row in rows)
    mean, rounding = total / len(rows), _rounding(rows[0].value) + _rounding(said.get(metric))
    if isinstance(all_, int | float) and not (same(all_, total) or abs(all_ - mean) <= rounding or same(all_, mean)):
        raise DataError(
            f"{file.source}: {metric!r} of {SUMMARY!r} is {all_:g}, and the mean of "
            f"{count(len(rows), 'value')} is {mean:.4g}; {advice}"
        )


def _rounding(value: object) -> float:
    """The most that a printed number may be off, as 0.0001 of 0.3333; of a number in JSON nothing."""
    if not isinstance(value, str):
        return 0.0
    try:
        exponent = Decimal(value).as_tuple().exponent
    except InvalidOperation:
        return 0.0
    return 10.0**exponent if isinstance(exponent, int) and exponent < 0 else 0.0


def _value(value: object) -> object:
    """The number that a text is; any other value as it is."""
    if isinstance(value, str):
        with suppress(ValueError):
            return float(value)
    return value


def _rows(file: LogFile) -> Iterator[Row]:
    """The values of all queries, and the summary."""
    if file.text.lstrip().startswith(("{", "[")):
        yield from _of_lines_of_json(file) if _is_lines_of_json(file) else _of_json(file)
        return
    rows = [(line, *_fields(file, line, text)) for line, text in file.lines()]
    query_first = _is_query_first([(first, second) for _, first, second, _ in rows])
    for line, first, second, value in rows:
        yield Row(line, second, first, value) if query_first else Row(line, first, second, value)


def _fields(file: LogFile, line: int, text: str) -> tuple[str, str, str]:
    """The three fields of a line, between tabs or else spaces."""
    fields = text.split("\t") if text.count("\t") == 2 else text.split(maxsplit=2)
    if len(fields) != 3:
        found = f"{file.source}, line {line}: {listing([text.strip()])}"
        raise DataError(f"{found}; a metric, a query and a value are expected")
    first, second, value = (field.strip() for field in fields)
    return first, second, value


def _is_query_first(rows: Sequence[tuple[str, str]]) -> bool:
    """Whether the first fields are queries, as of ir_measures: the summary tells or, without one, names of metrics."""
    first, second = ({row[k] for row in rows} for k in (0, 1))
    if (SUMMARY in first) != (SUMMARY in second):
        return SUMMARY in first
    return _has_metric(second) and not _has_metric(first)


def _has_metric(names: Iterable[str]) -> bool:
    return any(KNOWN.fullmatch(name) or MEASURES.fullmatch(name) for name in names)


def _is_lines_of_json(file: LogFile) -> bool:
    return (file.opening or {}).keys() >= set(KEYS)


def _of_lines_of_json(file: LogFile) -> Iterator[Row]:
    """What ir_measures writes with -o jsonl."""
    for line, text in file.lines():
        found = parse(text, f"{file.source}, line {line}")
        if not isinstance(found, dict) or not found.keys() >= set(KEYS):
            raise DataError(f"{file.source}, line {line}: a JSON object with {listing(KEYS)} is expected")
        metric, query, value = (found[key] for key in KEYS)
        yield Row(line, str(metric), str(query), value)


def _of_json(file: LogFile) -> Iterator[Row]:
    """What pytrec_eval returns; one object is expected, whose values are objects that are not empty."""
    found = file.document
    metric_first = isinstance(found, dict) and _are_metrics(found)
    for query, values in found.items() if isinstance(found, dict) else [("", found)]:
        if not isinstance(values, dict) or not values:
            place = f", {query!r}" if query else ""
            raise DataError(
                f"{file.source}{place}: {listing([values])}; JSON with the values by metric of each query is expected, "
                'such as {"301": {"map": 0.25}}'
            )
        if metric_first:
            yield from (Row(0, str(query), str(item), value) for item, value in values.items())
        else:
            yield from (Row(0, str(metric), str(query), value) for metric, value in values.items())


def _system(file: LogFile) -> str | None:
    """The name of the run, in the summary."""
    rows = (text.split(maxsplit=2) for _, text in file.lines() if text.lstrip().startswith(NAME))
    names = {row[2].strip() for row in rows if len(row) == 3 and row[:2] == [NAME, SUMMARY]}
    return names.pop() if len(names) == 1 else None


def _claims(file: LogFile) -> bool:
    """Whether the lines are a metric, a query and a number, in either order, or JSON has the metrics of each query."""
    if file.packed or file.text.lstrip().startswith(("{", "[")):
        return _is_lines_of_json(file) or _claims_json(file.opening or {})
    rows = [text.split() for _, text in islice(file.lines(), FEW)]
    if not rows or not all(len(row) == 3 and (NAME in row[:2] or _is_value(row[2])) for row in rows):
        return False
    names = (name for row in rows for name in row[:2])
    return _has_metric(names) or any(SUMMARY in text.split(maxsplit=2)[:2] for _, text in file.lines())


def _claims_json(found: dict[str, Any]) -> bool:
    """Whether all values are numbers by the same names, one of which is a metric of retrieval."""
    inner = list(found.values())
    if not inner or not all(isinstance(values, dict) and values.keys() == inner[0].keys() for values in inner):
        return False
    numbers = all(type(value) in (int, float) for values in inner for value in values.values())
    return numbers and (any(KNOWN.fullmatch(name) for name in inner[0]) or _are_metrics(found))


def _are_metrics(found: dict[str, Any]) -> bool:
    """Whether the keys are metrics, each with its values by query, as ranx has them."""
    queries = min((len(values) for values in found.values() if isinstance(values, dict)), default=0)
    return queries >= FEWEST and all(KNOWN.fullmatch(name) for name in found)


def _is_value(text: str) -> bool:
    """Whether a text is a number or, as that of relstring, in quotes."""
    return is_number(text) or text.startswith("'")


TREC_EVAL = Format(takes=frozenset({"metric"}), named=lambda _: False, claims=_claims, read=read, system=_system)
