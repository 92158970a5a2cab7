"""Errors and their messages: one sentence that says what was expected, what was found and what to do.

ValueError and TypeError are for arguments; `DataError` is for files and names the place in the file.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from importlib import import_module
from typing import Any

from outperform.base.sentences import Sentence

__all__ = [
    "TOO_LONG", "DataError", "ImproperPriorError", "OutperformWarning", "UndecidedError", "absent", "amount",
    "check_apart", "check_known", "count", "listing", "named_as", "nearest", "need", "seen_as", "shown", "unknown",
    "unusable",
]  # fmt: skip


# Python reads and writes no whole number of more digits than `sys.get_int_max_str_digits`, 4,300 by default.
UNWRITTEN = "a whole number of thousands of digits"
TOO_LONG = f"{UNWRITTEN}; shorten it, or put it in quotes if it is a name"
LONGEST = 60  # characters of a value in a message


class DataError(ValueError):
    """A file does not hold what it should; the message names the file and the line."""


class UndecidedError(DataError):
    """A log offers several of what the caller must choose: `what` is the choice, `known` are the alternatives."""

    def __init__(self, message: object, what: str, known: Iterable[str]) -> None:
        super().__init__(message)
        self.what, self.known = what, tuple(known)


class ImproperPriorError(ValueError):
    """An improper prior together with these data has no proper posterior."""


class OutperformWarning(UserWarning):
    """A result is correct but easily misread. Mistakes are errors, never warnings."""


def unusable(template: str, /, **values: object) -> DataError:
    """Return the error for a file, or for options that do not suit it; arguments are as in `Sentence`."""
    return DataError(Sentence(template, **values))


def shown(value: object) -> str:
    """Return a value as it is written in Python, shortened, so that a message stays one sentence; a date as itself."""
    if isinstance(value, date):
        return str(value)
    try:
        text = " ".join(line.strip() for line in repr(value).split("\n"))  # of an array several lines
    except ValueError:
        return UNWRITTEN
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}…"


def seen_as(text: str) -> str:
    """Return a text by what is seen of it: accents in one Unicode form, without characters of no width."""
    if text.isascii():
        return text
    import unicodedata

    composed = unicodedata.normalize("NFC", text)
    if composed.isprintable():
        return composed
    return "".join(sign for sign in composed if unicodedata.category(sign) != "Cf")


def check_apart(names: Iterable[object], what: str = "systems") -> None:
    """Check that no two names look the same in a sentence, where spaces are single and some signs have no width."""
    first: dict[str, object] = {}
    for name in names:
        seen = " ".join(seen_as(str(name)).split())
        if seen in first:
            found = f"two {what} have names that look the same, {first[seen]!a} and {name!a}"
            raise ValueError(f"{found}; rename one")
        first[seen] = name


def named_as(name: object) -> str:
    """Return the name of a system as text."""
    try:
        return str(name)
    except ValueError:
        raise ValueError(f"the name of a system is {UNWRITTEN}; shorten it") from None


def listing(values: Iterable[object], limit: int = 8) -> str:
    """Return values as text, `'a', 'b' and 12 more`."""
    texts = list(map(shown, values))
    if not texts:
        return "none"
    more = len(texts) - limit
    return ", ".join(texts) if more <= 0 else f"{', '.join(texts[:limit])} and {more} more"


def amount(number: float) -> str:
    """Return a number of rows or items as text: 12,000,000."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,g}"


def count(n: int, thing: str) -> str:
    """Return a number of things in words."""
    return f"{amount(n)} {thing}{'' if n == 1 else 's'}"


def unknown(kind: str, name: object, known: Collection[str], others: Mapping[str, str] | None = None) -> str:
    """Return a message: unknown name, the nearest, all known ones. `others` maps alternative names to known ones."""
    return f"unknown {kind} {shown(name)}; {nearest(name, known, others)}known: {', '.join(sorted(known))}"


def check_known(kind: str, name: object, known: Collection[str]) -> None:
    """Raise an error for a name that is not among the known ones."""
    if name not in known:
        raise ValueError(unknown(kind, name, known))


def absent(source: str, kind: str, name: object, known: Collection[object]) -> str:
    """Return a message: a file or frame lacks a column, the nearest, and all that it has."""
    return f"{source} has no {kind} {shown(name)}; {nearest(name, known)}it has {listing(known, 30)}"


def nearest(name: object, known: Iterable[object], others: Mapping[str, str] | None = None) -> str:
    """Return "did you mean …?" with the nearest known name, ignoring case; empty if none is near.

    A name that looks the same is written with escapes, which show the difference.

    A name that contains another one, or is contained in it, is near: `acc` and `accuracy`, `f1_score` and `f1`.
    """
    from difflib import get_close_matches

    typed = seen_as(name if isinstance(name, str) else shown(name))
    wanted = typed.strip().casefold()
    plain = {seen_as(str(candidate)).strip().casefold(): candidate for candidate in known}
    parts = [
        candidate
        for candidate in plain
        if len(wanted) > 1 < len(candidate) and (wanted in candidate or candidate in wanted)
    ]
    near = get_close_matches(wanted, plain, n=1) or sorted(parts, key=len)[:1]
    found = (others or {}).get(wanted) or (plain[near[0]] if near else None)
    if found is None:
        return ""
    written = str(found) if isinstance(found, date) else repr(found)
    alike = isinstance(found, str) and not found.isascii() and seen_as(found) == typed
    return f"did you mean {ascii(found) if alike else written}? "


def need(package: str, extra: str) -> Any:
    """Import an optional package and silence its warnings, or say which extra installs it."""
    if package in sys.modules and sys.modules[package] is not None:
        return sys.modules[package]
    try:
        with warnings.catch_warnings(action="ignore"):
            return import_module(package)
    except ImportError:
        message = f"{package} is not installed; run: pip install 'outperform[{extra}]'"
        raise ImportError(message) from None
