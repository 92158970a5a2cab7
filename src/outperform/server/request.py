"""A request of the page, read from a query: which data, and the options of the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PureWindowsPath
from typing import Any

from outperform.base.errors import check_known
from outperform.base.sentences import Parameter, invalid
from outperform.options import Options
from outperform.options.spelling import command_line

__all__ = ["SETTINGS", "SOURCES", "Request"]

SOURCES = ("file", "confusion", "outcomes")
LISTS = ("predictions", "scores", "labels", "metric", "filter", "name", "size")
FLAGS = ("lower_is_better",)
# The options that the page has; it reads no files by name, and the others would take too long.
SETTINGS = (
    "truth", "predictions", "scores", "metric", "filter", "lower_is_better", "id", "cluster", "n", "separator",
    "labels", "measure", "average", "pos_label", "rope", "mass", "fdr", "model", "prior", "seed", "goal", "power",
    "width",
)  # fmt: skip
OF_PLANS = ("goal", "power", "width")
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
    options : Options
        Those in `SETTINGS`.
    parts : tuple of (str, int)
        The names and the bytes of several files, which were sent one after the other; empty for one.
    """

    source: str = "file"
    name: str = "the file"
    options: Options = field(default_factory=Options)
    parts: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        """Refuse a source that is none."""
        check_known("source", self.source, SOURCES)

    @classmethod
    def of(cls, query: Iterable[tuple[str, str]]) -> Request:
        """Read a query: names and texts, some of them several times; an empty text says nothing."""
        known = ("source", "name", "size", *SETTINGS)
        given: dict[str, list[str]] = {}
        for name, text in query:
            check_known("setting", name, known)
            if text:
                given.setdefault(name, []).append(text)
        for name, texts in given.items():
            if len(texts) > 1 and name not in LISTS:
                raise invalid("{name} is given {times} times; give it once", name=Parameter(name), times=len(texts))
        typed: dict[str, Any] = {name: tuple(texts) if name in LISTS else texts[0] for name, texts in given.items()}
        typed |= {name: _flag(name, typed[name]) for name in FLAGS if name in typed}
        source, sizes = str(typed.pop("source", "file")), typed.pop("size", ())
        names = [_file_name(name) for name in typed.pop("name", ())] or [_file_name("")]
        parts = tuple(zip(names, map(_bytes, sizes), strict=True)) if len(names) == len(sizes) > 1 else ()
        if len(names) > 1 and not parts:
            raise ValueError(f"each of {len(names)} files needs its size; {len(sizes)} are given")
        return cls(source, ", ".join(names), Options.of(typed), parts)

    def command(self, verb: str, pipe: str | None = None) -> str:
        """The command that gives the same answer, in the folder of the file; `pipe` writes what it reads."""
        options = self.options
        names = [name for name in SETTINGS if name not in OF_PLANS or verb == "plan"]
        verb = "rank" if verb == "compare" and len(options.compared) > 2 else verb
        line = command_line(verb, ["-" if pipe else self.name], options, names)
        return f"{pipe} | {line}" if pipe else line

    def of_logs(self, verb: str, kind: str, systems: Sequence[str]) -> str:
        """The command for logs: one file per system in the order that is asked for, or files and names of systems."""
        chosen, given = self.options.scores, [name for name, _ in self.parts] or [self.name]
        alone = len(systems) == len(given)
        files = [dict(zip(systems, given, strict=True))[name] for name in chosen] if alone else given
        if len(set(files)) < len(files):
            return ""
        options = replace(self.options, scores=() if alone else chosen, id=None, logs=kind)
        verb = "rank" if verb == "compare" and len(chosen) > 2 else verb
        return command_line(verb, files, options, ["logs", *SETTINGS])


def _flag(name: str, text: str) -> bool:
    if text != "yes":
        raise invalid("{name} is yes or left out, got {text!r}", name=Parameter(name), text=text)
    return True


def _bytes(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"a size is a number of bytes, got {text!r}")
    return int(text)


def _file_name(text: str) -> str:
    """The last part of a name, whichever way its parts are written."""
    return "".join(c for c in PureWindowsPath(text).name if c.isprintable())[-LONGEST:] or "the file"
