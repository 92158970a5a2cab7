"""Words that say whether a system is right on an item, such as correct and incorrect: they are scores of 1 and 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outperform.data.diagnosis import is_blank
from outperform.io.names import RIGHT, words_in
from outperform.io.typed import MARKS

__all__ = ["are_judged", "as_scores", "said_right", "says_right"]

PLAIN = ({"correct": 1.0, "incorrect": 0.0}, {"right": 1.0, "wrong": 0.0}, {"pass": 1.0, "fail": 0.0},
         {"passed": 1.0, "failed": 0.0}, {"c": 1.0, "i": 0.0})  # fmt: skip
WORDS = (*PLAIN, {"true": 1.0, "false": 0.0}, {"yes": 1.0, "no": 0.0})  # which may be labels as well
DIGITS = ({"1": 1.0, "0": 0.0}, {"1.0": 1.0, "0.0": 0.0})


def as_scores(column: Sequence[Any]) -> Sequence[Any]:
    """Return a column with 1 and 0 for words that say right and wrong; of other values, as it is."""
    first = next((value for value in column if _is_given(value)), None)
    if not isinstance(first, str):
        return column
    written = {value for value in column if _is_given(value)}
    words = _words_of(written, WORDS)
    return column if words is None else [words[_word(value)] if value in written else value for value in column]


def are_judged(column: Sequence[Any]) -> bool:
    """Return whether a column says of each item whether it is right, as it may also if it holds labels."""
    return _words_of(set(map(str, column)), (*WORDS, *DIGITS)) is not None


def said_right(columns: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Return the columns that say by name and by values of each item whether it is right."""
    named = [name for name in columns if {*words_in(name)} & {*RIGHT}]
    return tuple(name for name in named if are_judged(columns[name]))


def says_right(labels: Sequence[str]) -> bool:
    """Return whether labels are words that say right and wrong, and hardly anything else."""
    return _words_of({*labels}, PLAIN) is not None


def _words_of(written: set[Any], known: Sequence[dict[str, float]]) -> dict[str, float] | None:
    """Return the pair of words that all values are."""
    texts = {_word(value) for value in written if isinstance(value, str)}
    return next((words for words in known if texts <= words.keys() and len(texts) == len(written) > 0), None)


def _word(value: str) -> str:
    return value.strip().casefold()


def _is_given(value: object) -> bool:
    return not (value is None or is_blank(value) or (isinstance(value, str) and value.strip() in MARKS))
