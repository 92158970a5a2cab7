"""What was written as text becomes what it was meant to be: whole numbers, truth values, or text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from outperform.counting import Tally
from outperform.labels import Label, spellings

__all__ = ["kind_of", "typed", "without_blanks"]

TRUTH = {"True": True, "False": False, "true": True, "false": False}


def kind_of(texts: set[Any]) -> Callable[[Any], Any]:
    """What all texts are written as: int, float, bool, or else str (and anything that has a type stays)."""
    if not all(isinstance(text, str) for text in texts):
        return str
    if texts and (texts <= {"True", "False"} or texts <= {"true", "false"}):
        return TRUTH.__getitem__
    try:
        numbers = {text: float(text) for text in texts}
    except ValueError:
        return str
    if all(str(int(number)) == text for text, number in numbers.items() if isfinite(number)):
        return float if any(not isfinite(number) for number in numbers.values()) else int
    return float if any("." in text for text in texts) else str


def typed(tally: Tally, labels: Iterable[Label] | None, by: int = 0) -> tuple[Tally, list[Label] | None]:
    """Labels of all columns together, so that 1 and "1" never meet, and slices, the last `by` columns, one by one."""
    split = len(tally.values) - by
    wanted = None if labels is None else list(labels)
    known = {value for column in tally.values[:split] for value in column if value is not None}
    kind = kind_of(known | {*(wanted or ())})
    values = [_each(kind, column) for column in tally.values[:split]]
    values += [_each(kind_of({*column} - {None}), column) for column in tally.values[split:]]
    if wanted is not None:
        spelt = {written: value for value in known for written in spellings(value)}
        wanted = [spelt.get(str(label), label) if kind is str else kind(label) for label in wanted]
    return replace(tally, values=tuple(values)), wanted


def without_blanks(tally: Tally) -> Tally:
    """An empty text is no label, as in files of text."""
    values = tuple(tuple(None if value == "" else value for value in column) for column in tally.values)
    return replace(tally, values=values)


def _each(kind: Callable[[Any], Any], column: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(column) if kind is str else tuple(None if value is None else kind(value) for value in column)
