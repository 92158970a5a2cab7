"""What the page asks for, read from a query: a file's columns, and what `compare`, `rank` or `plan` are told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import PureWindowsPath
from typing import Any

from outperform.base.errors import unknown
from outperform.verdicts.decision import RopeLike, read_rope

__all__ = ["SOURCES", "Request"]

SOURCES = ("file", "confusion", "outcomes")
LONGEST = 100  # name of a file that messages repeat


@dataclass(frozen=True)
class Request:
    """One question.

    Attributes
    ----------
    source : {"file", "confusion", "outcomes"}
        What the data are: rows of items, two confusion matrices, or how often each outcome of a pair happened.
    name : str
        What to call the file; its ending tells the format. Nothing is ever read by this name.
    truth, predictions, id, n, separator, labels
        As in `read_counts`.
    measure, average, pos_label, rope, mass, fdr, model
        As in `compare`; the positive class as it is written.
    prior
        Of the model: a name, or a number of pseudo-counts.
    seed : int
        The `rng` of `compare`.
    goal, power, width
        As in `plan`.
    """

    source: str = "file"
    name: str = "the file"
    truth: str | None = None
    predictions: tuple[str, ...] = ()
    id: str | None = None
    n: str | None = None
    separator: str | None = None
    labels: tuple[str, ...] = ()
    measure: str = "f1"
    average: str | None = None
    pos_label: str | None = None
    rope: RopeLike | None = None
    mass: float = 0.95
    fdr: float | None = None
    model: str | None = None
    prior: str | float | None = None
    seed: int = 0
    goal: str | None = None
    power: float = 0.8
    width: float | None = None

    def __post_init__(self) -> None:
        """Refuse a source that is none."""
        if self.source not in SOURCES:
            raise ValueError(unknown("source", self.source, SOURCES))

    @classmethod
    def of(cls, query: Iterable[tuple[str, str]]) -> Request:
        """Read a query: names and texts, some of them several times; an empty text says nothing."""
        known = [field.name for field in fields(cls)]
        given: dict[str, list[str]] = {}
        for name, text in query:
            if name not in known:
                raise ValueError(unknown("setting", name, known))
            if text:
                given.setdefault(name, []).append(text)
        return cls(**{name: _value(name, texts) for name, texts in given.items()})


def _value(name: str, texts: list[str]) -> Any:
    """What is written, as what it is."""
    if name in ("predictions", "labels"):
        return tuple(texts)
    if len(texts) > 1:
        raise ValueError(f"{name} is given {len(texts)} times; give it once")
    return READ.get(name, str)(texts[0])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number; write it as in 0.95") from None


def _whole(text: str) -> int:
    if not re.fullmatch(r"\d{1,18}", text.strip()):
        raise ValueError(f"the seed must be a whole number of at least 0, got {text!r}")
    return int(text)


def _rope(text: str) -> RopeLike:
    return read_rope(text, "the ROPE")


def _prior(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _file_name(text: str) -> str:
    """The last part of a name, whichever way its parts are written."""
    return "".join(c for c in PureWindowsPath(text).name if c.isprintable())[-LONGEST:] or "the file"


READ: dict[str, Callable[[str], Any]] = {
    "name": _file_name,
    "rope": _rope,
    "mass": _number,
    "fdr": _number,
    "prior": _prior,
    "seed": _whole,
    "power": _number,
    "width": _number,
}
