"""A shell command that makes a table of a text, with the same done in Python."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Conversion", "as_lines", "in_python"]


@dataclass(frozen=True)
class Conversion:
    """The shell command that writes the table of a file, with {file} in it; in words; and the same done here."""

    shell: str
    how: str
    convert: Callable[[str], str]

    def pipe(self, path: str) -> str:
        """Return the command for a file, which is unpacked first if it ends in .gz."""
        if path.lower().endswith(".gz"):
            return f"gzip -dc {shlex.quote(path)} | {self.filter}"
        return self.shell.replace("{file}", shlex.quote(path))

    @property
    def filter(self) -> str:
        """The command for standard input."""
        return self.shell.replace(" < {file}", "").replace(" {file}", "")


def as_lines(rows: Iterable[Any]) -> str:
    """Return rows as JSON lines."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def in_python(source: str, change: str) -> str:
    """Return the shell command that changes the frame of a file with pandas."""
    reader = {".jsonl": "read_json({}, lines=True)", ".ndjson": "read_json({}, lines=True)"} | {
        ".parquet": "read_parquet({})"
    }
    read = reader.get(Path(source).suffix.lower(), "read_csv({}, sep=None, engine='python')").format(repr(source))
    code = f"import pandas; frame = pandas.{read}; {change}"
    return f"python -c {shlex.quote(code)}" if set(code) & set('"$`\\!') else f'python -c "{code}"'
