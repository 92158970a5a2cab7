"""AlpacaEval: annotations.json, a list of judgments of two answers each, that of a baseline and that of the system.

The preference is 1 where the answer of the baseline is the better one and 2 where that of the system is, or any number
between. What AlpacaEval reports as the win rate is its mean less 1, as a percentage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

from outperform.base.errors import DataError, count, listing
from outperform.io.logs.log import Choice, Format, LogFile, Run, choose

__all__ = ["ALPACA_EVAL"]

KEYS = {"instruction", "generator_1", "generator_2", "preference"}
WIN_RATE, TIE = "win_rate", 1.5
OLD_TIE = 0  # as old versions write it
OPENING = 2**16  # characters in which the first judgment ends


def read(file: LogFile, choice: Choice) -> Run:
    """Read the share of the preference that one system has, by instruction."""
    metric = choose("metric", choice.metric, [WIN_RATE], file.source)
    rows = _rows(file)
    system = file.part or str(rows[0]["generator_2"])
    scores: dict[Hashable, list[float]] = {}
    contents: dict[Hashable, str] = {}
    without, often = list[str](), Counter[str]()
    for row in rows:
        if str(row["generator_2"]) != system:
            continue
        text = str(row["instruction"])
        often[text] += 1
        item = text if often[text] == 1 else f"{text} #{often[text]}"
        preference = TIE if row["preference"] == OLD_TIE else row["preference"]
        if isinstance(preference, bool) or not isinstance(preference, int | float) or not 1 <= preference <= 2:
            without.append(item)
            continue
        scores[item] = [preference - 1.0]
        contents[item] = f"{row['generator_1']}, judged by {row.get('annotator')}"
    if without:
        found = f"{file.source} has {count(len(without), 'instruction')} without a preference from 1 to 2"
        raise DataError(f"{found}: {listing(without, 3)}; annotate again, or leave these out for all systems")
    return Run(file.source, metric, scores, contents=contents)


def _rows(file: LogFile) -> list[dict[str, Any]]:
    found = file.document
    rows = found if isinstance(found, list) else []
    if not rows or not all(isinstance(row, dict) and row.keys() >= KEYS for row in rows):
        raise DataError(
            f"{file.source} is no annotations.json of AlpacaEval; a list of {listing(sorted(KEYS))} is expected"
        )
    return rows


def _claims(file: LogFile) -> bool:
    """Whether a list begins with a judgment."""
    if file.packed or not file.text.lstrip().startswith("["):
        return False
    opening = file.text[:OPENING]
    if not all(f'"{key}"' in opening for key in KEYS):
        return False
    with suppress(DataError):
        return bool(_rows(file))
    return False


ALPACA_EVAL = Format(
    takes=frozenset({"metric"}),
    named=lambda name: name == "annotations.json",
    claims=_claims,
    read=read,
    system=lambda file: file.part or None,
    parts=lambda file: dict.fromkeys(str(row["generator_2"]) for row in _rows(file)),
)
