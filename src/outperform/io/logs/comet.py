"""COMET: what comet-score prints, a line for each segment, or writes with --to_json; both may hold several systems."""

from __future__ import annotations

import re
from collections.abc import Hashable
from itertools import islice
from math import fsum
from typing import Any

from outperform.base.errors import DataError, listing
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose, number, same

__all__ = ["COMET"]

METRIC = "COMET"
SEGMENT = re.compile(r"(?P<system>.+)\tSegment (?P<segment>\d+)\tscore: (?P<score>\S+)(\tvariance: \S+)?\s*")
WHOLE = re.compile(r"(?P<system>.+)\tscore: (?P<score>\S+)\s*")
FEW = 20  # lines, of which the first ones may be of other programs
ROUNDED = 1e-4  # of the printed scores, which have four decimals


def read(file: LogFile, choice: Choice) -> Run:
    """Read the scores of the segments of one system."""
    metric = choose("metric", choice.metric, [METRIC], file.source)
    systems = _systems(file)
    system = file.part or next(iter(systems))
    scores, contents = dict[Hashable, list[float]](), dict[Hashable, str]()
    for segment, (score, source) in systems[system].items():
        scores[segment] = [number(score, f"{file.source}, {system}, segment {segment}")]
        if source is not None:
            contents[segment] = source
    _check_reported(file, system, [score for (score,) in scores.values()])
    return Run(file.source, metric, scores, contents=contents)


def _systems(file: LogFile) -> dict[str, dict[int, tuple[Any, str | None]]]:
    """The score and, where it is there, the source text of each segment, by system."""
    if file.text.lstrip().startswith("{"):
        return {str(name): _of_list(file, str(name), rows) for name, rows in file.document.items()}
    systems: dict[str, dict[int, tuple[Any, str | None]]] = {}
    for line, text in file.lines():
        if (match := SEGMENT.fullmatch(text)) is None:
            continue
        segments, segment = systems.setdefault(match["system"], {}), int(match["segment"])
        if segment in segments:
            found = f"{file.source}, line {line}: segment {segment} of {match['system']} is there again"
            raise DataError(f"{found}; give each run of comet-score a file of its own")
        segments[segment] = (_number(match["score"]), None)
    if not systems:
        raise DataError(f"{file.source} has no scores of segments; run comet-score without --quiet, or with --to_json")
    for system, segments in systems.items():
        if missing := [segment for segment in range(max(segments) + 1) if segment not in segments]:
            raise DataError(f"{file.source} has no score of segment {listing(missing, 5)} of {system}; score it again")
    return systems


def _of_list(file: LogFile, system: str, rows: object) -> dict[int, tuple[Any, str | None]]:
    """The segments in the list of a system, in their order."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) and METRIC in row for row in rows):
        raise DataError(f"{file.source}: under {system!r} a list of segments is expected, each with {METRIC!r}")
    return {segment: (row[METRIC], str(row["src"]) if "src" in row else None) for segment, row in enumerate(rows)}


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def _check_reported(file: LogFile, system: str, scores: list[float]) -> None:
    """Check that the mean of the segments is the score that is printed of the system."""
    if file.text.lstrip().startswith("{"):
        return
    said = [m for _, text in file.lines() if (m := WHOLE.fullmatch(text)) and m["system"] == system]
    mean = fsum(scores) / len(scores)
    for match in said:
        reported = _number(match["score"])
        if isinstance(reported, float) and not (same(reported, mean) or abs(reported - mean) <= ROUNDED):
            found = f"{file.source}: COMET prints {reported:.4f} of {system}, and the mean of {len(scores)} segments"
            raise DataError(f"{found} is {mean:.4f}: segments are missing; score it again")


def _claims(file: LogFile) -> bool:
    """Whether a line of a segment is among the first, or JSON has lists of segments."""
    if file.packed:
        return False
    if not file.text.lstrip().startswith("{"):
        return any(SEGMENT.fullmatch(text) or WHOLE.fullmatch(text) for _, text in islice(file.lines(), FEW))
    found = file.opening or {}
    lists = [rows for rows in found.values() if isinstance(rows, list) and rows]
    return (
        bool(found)
        and len(lists) == len(found)
        and all(isinstance(rows[0], dict) and rows[0].keys() >= {"mt", METRIC} for rows in lists)
    )


COMET = Format(
    takes=frozenset({"metric"}),
    named=lambda _: False,
    claims=_claims,
    read=read,
    system=lambda file: file.part or None,
    parts=_systems,
)
