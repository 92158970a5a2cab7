"""The signature of a result: every setting that could change its numbers, in one line; digests of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from types import CodeType
from typing import Any, Self

import numpy as np

__all__ = ["ITEMS", "Signature", "digest"]

ITEMS = "n"  # the number of items, the last part; settings of the verdict are inserted before it
LENGTH = 8
PLAIN = (type(None), bool, int, float, complex, str, bytes)  # types whose repr is complete


class Signature(str):
    """A string, key:value|key:value, with its parts as a mapping.

    Examples
    --------
    >>> from outperform.base.signature import Signature
    >>> Signature.of({"seed": 0, "n": 7532}).judged(fdr="0.05")
    'seed:0|fdr:0.05|n:7532'
    """

    __slots__ = ("parts",)
    parts: Mapping[str, str]

    @classmethod
    def of(cls, parts: Mapping[str, object]) -> Self:
        """Return the signature of these parts; line breaks and bars in values are replaced."""
        clean = {key: " ".join(str(value).replace("|", "/").split()) for key, value in parts.items()}
        signature = cls("|".join(f"{key}:{value}" for key, value in clean.items()))
        signature.parts = clean
        return signature

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse the signature of a result that was stored as text."""
        signature = cls(text)
        signature.parts = {key: value for key, _, value in (part.partition(":") for part in text.split("|"))}
        return signature

    def __reduce__(self) -> tuple[object, tuple[Mapping[str, str]]]:
        """Pickle the parts, of which the text is made again."""
        return type(self).of, (self.parts,)

    def but(self, **parts: object) -> Self:
        """Return the signature with these parts changed, or added at the end."""
        return self.of({**self.parts, **parts})

    def without(self, *keys: str) -> Self:
        """Return the signature without these parts."""
        return self.of({key: value for key, value in self.parts.items() if key not in keys})

    def judged(self, **parts: object) -> Self:
        """Return the signature with settings of the verdict, inserted before the number of items."""
        items = {ITEMS: self.parts[ITEMS]} if ITEMS in self.parts else {}
        return self.of({**self.without(ITEMS).parts, **parts, **items})


def digest(function: Callable[..., Any]) -> str | None:
    """Return a digest of what a function computes: its code, constants, defaults and closure.

    None for a callable without Python code. A function that it calls by name enters by that name alone, and an object
    of any other kind by its type.
    """
    parts = [*_parts(function, ())]
    return sha256("\n".join(parts).encode()).hexdigest()[:LENGTH] if parts else None


def _parts(value: Any, outer: tuple[int, ...]) -> Iterator[str]:
    """Yield the text of all that a function computes with; `outer` holds the ids of enclosing functions."""
    if isinstance(value, partial):
        yield from _parts(value.func, outer)
        yield _told((value.args, value.keywords), outer)
        return
    code = getattr(value, "__code__", None) or getattr(type(value).__call__, "__code__", None)
    if code is None or id(value) in outer:
        return
    yield from _of_code(code)
    closed = [_content(cell) for cell in getattr(value, "__closure__", None) or ()]
    kept = {name: attribute for name, attribute in getattr(value, "__dict__", {}).items() if not name.startswith("__")}
    yield _told((getattr(value, "__defaults__", None), closed, kept), (*outer, id(value)))


def _of_code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield from code.co_names
    for constant in code.co_consts:
        yield from _of_code(constant) if isinstance(constant, CodeType) else [_told(constant, ())]


def _told(value: Any, outer: tuple[int, ...]) -> str:
    """Return a value as text that depends neither on its address in memory nor on the order of a set."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype}{_told(value.tolist(), outer)}"
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{_told(k, outer)}:{_told(v, outer)}' for k, v in value.items()))}}}"
    if isinstance(value, set | frozenset):
        return f"{{{','.join(sorted(_told(element, outer) for element in value))}}}"
    if isinstance(value, tuple | list):
        return f"[{','.join(_told(element, outer) for element in value)}]"
    return f"{type(value).__qualname__}({' '.join(_parts(value, outer)) if callable(value) else ''})"


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a closure variable that is not assigned yet
        return None
