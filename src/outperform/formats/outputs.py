"""The formats in which results are written: what writes each of them, and how names of its files end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import methodcaller
from typing import Any

from outperform.formats.table import Table

__all__ = ["OUTPUTS", "Output", "of_tables"]


@dataclass(frozen=True)
class Output:
    """A function from a result to its text, and the endings of files that are written so unless told otherwise."""

    write: Callable[[Any], str]
    endings: tuple[str, ...] = ()


def of_tables(writer: Callable[[Table], str]) -> Callable[[Any], str]:
    """Write the tables of a result, one after the other."""
    return lambda result: "\n\n".join(map(writer, result.tables()))


OUTPUTS = {
    "text": Output(methodcaller("to_text")),
    "json": Output(methodcaller("to_json"), (".json",)),
    "markdown": Output(methodcaller("to_markdown"), (".md", ".markdown")),
    "latex": Output(methodcaller("to_latex"), (".tex",)),
    "csv": Output(methodcaller("to_csv"), (".csv",)),
    "html": Output(methodcaller("to_html"), (".html", ".htm")),
}
