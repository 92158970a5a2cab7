"""What all log formats share: a file, the choices of the caller, and the scores read."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import isclose, isfinite
from pathlib import Path
from typing import Any, BinaryIO

from outperform.base.errors import TOO_LONG, DataError, UndecidedError, absent, listing, unusable
from outperform.base.sentences import Parameter, Sentence
from outperform.io.converting import CutOffError, is_cut_off
from outperform.io.files import read_text, reading
from outperform.io.mistaken import repeated

__all__ = ["Choice", "Format", "LogFile", "Run", "choose", "group", "mapping", "number", "parse", "preferred", "same"]

CLOSE = 1e-6  # relative, of means that are the same

ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class LogFile:
    """A file that is read once, when its content is asked for; or what was sent under the name of a file.

    Sent is a text, or the bytes of a ZIP archive, of which at most so many are unpacked. `part` is the one system that
    is meant, where the file holds several.
    """

    path: Path
    sent: str | bytes | None = field(default=None, repr=False)
    part: str | None = None
    most: int | None = None

    @property
    def source(self) -> str:
        """Name of the file in messages."""
        return str(self.path)

    @cached_property
    def packed(self) -> bool:
        """Whether it is a ZIP archive."""
        if self.sent is not None:
            return isinstance(self.sent, bytes)
        with reading(self.source), self.opened() as file:
            return file.read(len(ZIP)) == ZIP

    def opened(self) -> BinaryIO:
        """The archive, open to be read."""
        return io.BytesIO(self.sent) if isinstance(self.sent, bytes) else self.path.open("rb")

    @cached_property
    def text(self) -> str:
        """The whole text, plain or gzip."""
        return self.sent if isinstance(self.sent, str) else read_text(self.source)[0]

    @cached_property
    def document(self) -> Any:
        """The whole text as one JSON value, in which no object has a key twice."""
        return parse(self.text, self.source, hook=_once)

    @cached_property
    def opening(self) -> dict[str, Any] | None:
        """The JSON object on the first line, or else the whole file as one; None where there is none."""
        if self.packed or not self.text.lstrip().startswith("{"):
            return None
        with suppress(DataError):
            first = parse(self.text.lstrip().partition("\n")[0], self.source)
            return first if isinstance(first, dict) else None
        with suppress(DataError):
            return self.document if isinstance(self.document, dict) else None
        return None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Lines that are not blank, with their numbers."""
        for line, text in enumerate(self.text.split("\n"), start=1):
            if text.strip():
                yield line, text


@dataclass(frozen=True)
class Choice:
    """The choices of the caller; None where the log must offer only one.

    Several metrics or filters are for logs of several tasks: the first that a log has is taken.
    """

    metric: str | tuple[str, ...] | None = None
    filter: str | tuple[str, ...] | None = None
    cluster: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Run:
    """Scores of one system: for each item one, or one for each time that it was run.

    `groups` and `contents` may be empty; contents tell whether two logs mean the same by an id.
    """

    source: str
    metric: str
    scores: dict[Hashable, list[float]]
    groups: dict[Hashable, Hashable] = field(default_factory=dict)
    contents: dict[Hashable, str] = field(default_factory=dict)
    filter: str | None = None
    greater_is_better: bool | None = None  # None where the log does not say


@dataclass(frozen=True)
class Format:
    """A log format: how its files are recognised and read.

    Attributes
    ----------
    takes : set of str
        Which of the caller's choices have a meaning.
    named : callable
        Whether a file in a folder, by its name, is a log of this format.
    claims : callable
        Whether a file, by its content, is one.
    task, system : callable
        The task that a file is of, and the system; None where it does not say.
    parts : callable
        The systems in a file, where one file may hold several.
    groups : callable
        The tasks of each group of tasks that the run of a file has; their items are pooled.
    reported : callable
        The score of a group by its name, metric and filter, as the run of a file reports it; None where it does not.
    read : callable
        The scores in a file.
    """

    takes: frozenset[str]
    named: Callable[[str], bool]
    claims: Callable[[LogFile], bool]
    read: Callable[[LogFile, Choice], Run]
    task: Callable[[LogFile], str | None] = lambda _: None
    system: Callable[[LogFile], str | None] = lambda _: None
    parts: Callable[[LogFile], Iterable[str]] = lambda _: ()
    groups: Callable[[LogFile], Mapping[str, frozenset[str]]] = lambda _: {}
    reported: Callable[[LogFile, str, str, str], float | None] = lambda *_: None


def parse(text: str | bytes, where: str, *, hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """One JSON value."""
    try:
        return json.loads(text, object_pairs_hook=hook)
    except KeyError as error:
        raise DataError(f"{where}: the key {error.args[0]!r} is there twice; keep one of them") from None
    except RecursionError:
        raise DataError(f"{where}: JSON that is nested too deeply") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        if isinstance(text, str) and is_cut_off(text):
            raise CutOffError(where) from None
        raise DataError(f"{where}: not JSON in UTF-8 ({error})") from None
    except ValueError:
        raise DataError(f"{where}: {TOO_LONG}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object, or refuse a key that is there again, of which readers disagree on which value counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise KeyError(repeated(key for key, _ in pairs))
    return found


def number(value: object, where: str) -> float:
    """A score: a finite number, or true and false as 1 and 0."""
    if isinstance(value, bool | int | float):
        with suppress(OverflowError):
            if isfinite(score := float(value)):
                return score
    raise DataError(f"{where}: the score is {listing([value])}; a finite number is expected, or true or false")


def same(reported: float, mean: float) -> bool:
    """Return whether a mean is the score that a tool reports, which may be rounded."""
    return isclose(reported, mean, rel_tol=CLOSE, abs_tol=CLOSE)


def preferred(wanted: str | tuple[str, ...] | None, known: Iterable[str]) -> str | None:
    """The one that was asked for, or of several the first that is there; None where none of them is."""
    if not isinstance(wanted, tuple):
        return wanted
    there = set(known)
    return next((name for name in wanted if name in there), None)


def choose(what: str, asked: str | tuple[str, ...] | None, available: Iterable[str], source: str) -> str:
    """The one that was asked for, of several the first that is there, or the only one there is."""
    known = list(dict.fromkeys(available))
    wanted = preferred(asked, known)
    if wanted is not None and wanted not in known:
        raise DataError(absent(source, what, wanted, known))
    if wanted is not None:
        return wanted
    if not known:
        found = f"{source} has no {what} with one number for each item"
        raise unusable("{found}; name what to read with {what}", found=found, what=Parameter(what))
    if len(known) > 1:
        found = f"{source} has more than one {what}: {listing(known, 30)}"
        sentence = Sentence("{found}; choose one with {what}", found=found, what=Parameter(what))
        raise UndecidedError(sentence, what, known)
    return known[0]


def group(fields: object, name: str, where: str) -> Hashable:
    """The group that an item belongs to, under a key of its fields or a dotted path of keys."""
    value = _under(fields, name)
    if value is None:
        known = listing(fields, 30) if isinstance(fields, Mapping) else "none"
        raise DataError(f"{where}: no value under {name!r}, by which to group; there are {known}")
    if not isinstance(value, str | int | float):
        raise DataError(f"{where}: {name!r} holds a {type(value).__name__}; a group is one text or number")
    return value


def mapping(value: object) -> dict[str, Any]:
    """A JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def _under(fields: object, name: str) -> Any:
    """The value under a key, or under a path of keys with dots between them."""
    if not isinstance(fields, Mapping):
        return None
    if name in fields:
        return fields[name]
    key, _, rest = name.partition(".")
    return _under(fields.get(key), rest) if rest else None
