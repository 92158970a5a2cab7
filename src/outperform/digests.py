"""A few characters that tell one function from another, for signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from types import CodeType
from typing import Any

__all__ = ["digest"]

LENGTH = 8


def digest(function: Callable[..., Any]) -> str | None:
    """Of what a function computes: its code, its constants, its defaults and what it closes over.

    None for what has no code in Python. Functions that it calls are told by their names alone.
    """
    parts = [*_parts(function)]
    return sha256("\n".join(parts).encode()).hexdigest()[:LENGTH] if parts else None


def _parts(function: Any) -> Iterator[str]:
    if isinstance(function, partial):
        yield from _parts(function.func)
        yield from (_told(value) for value in (*function.args, *sorted(function.keywords.items())))
        return
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    if code is None:
        return
    yield from _of_code(code)
    yield from (_told(value) for value in getattr(function, "__defaults__", None) or ())
    yield from (_told(cell.cell_contents) for cell in getattr(function, "__closure__", None) or ())
    yield from (_told(item) for item in sorted(vars(function).items()) if not item[0].startswith("__"))


def _of_code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant)
        else:
            yield repr(constant)


def _told(value: Any) -> str:
    """A value, or a function by its own digest."""
    return f"{digest(value)}" if callable(value) else repr(value)
