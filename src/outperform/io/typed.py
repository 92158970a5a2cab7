"""Text becomes the type that it is written as: numbers, also with decimal commas, truth values, or text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from math import isfinite, isinf
from typing import Any

from outperform.data.labels import Label, is_number, spellings
from outperform.data.tally import Tally

__all__ = ["MARKS", "kind_of", "typed", "unread", "with_points"]

DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
NUMBER = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
PERCENTAGE = re.compile(r"[+-]?\d[\d.,]*\s*%")
SEPARATED = re.compile(r"[+-]?\d{1,3}((,\d{3})+(\.\d+)?|([.'’\s]\d{3})+(,\d+)?)")  # 1,234.5 or 1.234,5
MARKS = frozenset({"-", "–", "—", "?"})  # for a number that is missing
TRUTH = {"True": True, "False": False, "true": True, "false": False}


def unread(text: str) -> str:
    """Return what to do about a number that is written otherwise than with digits and a point; empty for other text."""
    if is_number(text):
        return ""
    if PERCENTAGE.fullmatch(text.strip()):
        return "leave percent signs out, in all columns of scores"
    separated = DECIMAL_COMMA.fullmatch(text.strip()) or SEPARATED.fullmatch(text.strip())
    return "write decimals with a point, as in 0.5, and nothing between thousands" if separated else ""


def kind_of(texts: set[Any]) -> Callable[[Any], Any]:
    """The type that all texts are written as: int, float, bool, or else str (also for values that have a type)."""
    if not all(isinstance(text, str) for text in texts):
        return str
    if texts and (texts <= {"True", "False"} or texts <= {"true", "false"}):
        return TRUTH.__getitem__
    try:
        numbers = {text: float(text) for text in texts}
    except ValueError:
        return str
    if any(isinf(number) and text.lstrip("+-").isdecimal() for text, number in numbers.items()):
        return str  # more digits than a number has
    if all(str(int(number)) == text for text, number in numbers.items() if isfinite(number)):
        return float if any(not isfinite(number) for number in numbers.values()) else int
    return float if any("." in text for text in texts) else str


def typed(
    tally: Tally, labels: Iterable[Label] | None, text: Collection[int], by: int = 0
) -> tuple[Tally, list[Label] | None]:
    """Labels of all columns of text together, so that 1 and "1" never meet, and slices, the last `by`, one by one.

    `text` numbers the columns of text. Where others hold text as well, which has its type, theirs stays as it is.
    """
    split = len(tally.values) - by
    wanted = None if labels is None else list(labels)
    texts = {value for k in text if k < split for value in tally.values[k] if value is not None}
    others = {value for k in {*range(split)} - {*text} for value in tally.values[k]}
    given = {*(wanted or ())} if len(text) == len(tally.values) else set()
    kind = str if any(isinstance(value, str) for value in others) else kind_of(texts | given)
    kinds = [kind] * split + [kind_of({*column} - {None}) for column in tally.values[split:]]
    values = [_each(kinds[k], column) if k in text else tuple(column) for k, column in enumerate(tally.values)]
    if wanted is not None:
        known = {value for column in values[:split] for value in column if value is not None}
        spelt = {written: value for value in known for written in spellings(value)}
        unseen = kind if given and kind is not str else lambda label: label
        wanted = [spelt[str(label)] if str(label) in spelt else unseen(label) for label in wanted]
    return replace(tally, values=tuple(values)), wanted


def _each(kind: Callable[[Any], Any], column: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(column) if kind is str else tuple(None if value is None else kind(value) for value in column)


def with_points(values: Iterable[Any]) -> list[Any]:
    """Return the values with decimal points where all are numbers with decimal commas; else return them as they are.

    1,234 may be 1.234 or 1234: values that could all have commas between thousands are left alone.
    """
    given = list(values)
    if not any(isinstance(value, str) and "," in value for value in given[:1000]):
        return given
    texts = [value.strip() if isinstance(value, str) else str(value) for value in given]
    if not all(map(NUMBER.fullmatch, texts)) or all(THOUSANDS.fullmatch(text) for text in texts if "," in text):
        return given
    return [text.replace(",", ".") for text in texts]
