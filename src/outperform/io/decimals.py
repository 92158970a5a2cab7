"""Numbers that are written with decimal commas, as spreadsheets write them in many countries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

__all__ = ["DECIMAL_COMMA", "with_points"]

DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
NUMBER = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


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
