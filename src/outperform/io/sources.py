"""A table that is named by a file, by a pattern of files, or by a folder of parts."""

from __future__ import annotations

import csv
import gzip
import os.path
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from glob import glob, has_magic
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from outperform.base.errors import DataError, listing
from outperform.io.files import (
    GZIP,
    READERS,
    SEPARATOR_LINE,
    decoded,
    delimiter_of,
    is_nested,
    is_tabbed,
    read,
    reading,
)
from outperform.io.mistaken import OPENING, UTF_16, check_table, check_text, repeated
from outperform.io.opening import schema_of

__all__ = ["DELIMITERS", "OTHER", "Source", "as_source", "ending_of", "is_usual"]

FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
BINARY = {b"PAR1": "parquet", b"ARRO": "arrow"}  # by how the file begins
OTHER = "other"  # text that a reader knows and an engine does not
UNFINISHED = "_temporary"  # where Spark and Hadoop write until all parts are there
BLOCK = 2**20  # bytes
COMMA = re.compile(rb",[ \t]*[}\]]")  # that is one too many in JSON
PACKED = 16  # times that text may be larger than its gzip
DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Source:
    """One table in one file or in several, all of one format."""

    name: str
    files: tuple[str, ...]
    format: str

    @property
    def source(self) -> str:
        """The name, as of columns that are read."""
        return self.name

    @property
    def values(self) -> dict[str, tuple[()]]:
        """The columns, as of columns that are read; there are no values yet."""
        return dict.fromkeys(self.columns, ())

    @property
    def binary(self) -> bool:
        """Whether columns are typed, and not text."""
        return self.format in BINARY.values()

    @cached_property
    def size(self) -> int:
        """Bytes of all files, about as many as there are unpacked."""
        return sum(Path(file).stat().st_size * (PACKED if file.lower().endswith(".gz") else 1) for file in self.files)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, which are the same in all files, and in delimited files in the same order.

        Of keys within keys of JSON, which may differ, those that all files have.
        """
        (first, header), *others = ((file, self._header(file)) for file in self.files)
        for file, names in others:
            odd = sorted(self._keys(names) ^ self._keys(header), key=str)
            if odd:
                raise DataError(
                    f"{file} and {first} differ in their columns ({listing(odd, 4)}); all parts of a table need the "
                    "same"
                )
            if names != header and self.format in DELIMITERS:
                raise DataError(f"{file} and {first} have their columns in a different order; all parts need the same")
        return tuple(name for name in header if all(name in names for _, names in others))

    def _keys(self, names: tuple[str, ...]) -> set[str]:
        return {name.partition(".")[0] for name in names} if self.format == "jsonl" else set(names)

    def _header(self, file: str) -> tuple[str, ...]:
        if self.binary:
            names = tuple(schema_of(file, self.format).names)
            if (twice := repeated(names)) is not None:
                raise DataError(f"{file} has several columns called {twice!r}; rename all but one")
            return names
        if self.format == OTHER:
            return tuple(read(file).values)
        return tuple(next(self.rows(file))[1])

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Rows of a text file with their lines, one after the other; there is at least one."""
        with opened(file) as text:
            rows = READERS[f".{self.format}"](text, file)
            first = next(rows, None)
            if first is None and self.format == "jsonl":
                raise DataError(f"{file} is empty; a header and at least one row are expected")
            if first is None:
                raise DataError(f"{file} has a header but no rows")
            yield first
            yield from rows


def as_source(path: str | Path) -> Source:
    """Find the files of a table."""
    name = str(path)
    files = _files(name)
    first = _format(files[0])
    for file in files[1:]:
        if _format(file) != first:
            raise DataError(f"{name} holds files of two formats, {files[0]} ({first}) and {file} ({_format(file)})")
    return Source(name, tuple(files), first)


@contextmanager
def opened(file: str) -> Iterator[Any]:
    """Open a text file, plain or gzip, to be read line by line; errors are reported in one sentence."""
    with _bytes(file) as data:
        check_text(start := data.peek(OPENING)[:OPENING], file)
        encoding = "utf-16" if start.startswith(UTF_16) else "utf-8-sig"
        yield TextIOWrapper(data, encoding=encoding, newline="")


def is_usual(file: str, format: str) -> bool:
    """Whether an engine reads a text as our readers do; bytes that no text has, or has lost, are refused.

    An engine is told the usual sign between values, takes one kind of line end for all lines, passes over a byte order
    mark of CSV alone, leaves out spaces beside quotes and a last value that is empty and one too many, takes longer
    values than Python's csv, takes JSON with a comma too many, and does not know keys within keys by our names.
    """
    lines, end = 0, b""
    with _bytes(file) as data:
        if isinstance(data, gzip.GzipFile) != file.endswith(".gz"):  # by which an engine knows it
            return False
        while block := data.read(BLOCK) + data.readline(BLOCK):
            if not lines and block.startswith(UTF_16 if format in DELIMITERS else (*UTF_16, BOM_UTF8)):
                return False
            if not block.isascii() or b"\0" in block:
                decoded(block, file, lines)
            usual = DELIMITERS.get(format, "")
            first = "" if lines else block.partition(b"\n")[0].decode("utf-8-sig", errors="ignore")
            if first and (SEPARATOR_LINE.match(f"{first}\n") or delimiter_of(first, usual) != usual):
                return False
            feeds, returns = block.count(b"\n"), b"\r" in block
            end = end or (b"\r\n" if returns else b"\n")
            if returns is (end == b"\n") or (returns and not block.count(b"\r") == feeds == block.count(end)):
                return False
            if _is_odd(block if block.endswith(b"\n") else block + end, format, end):
                return False
            lines += feeds
    return True


def _is_odd(block: bytes, format: str, end: bytes) -> bool:
    """Whether some lines can be read in two ways."""
    if format == "jsonl":
        return COMMA.search(block) is not None or is_nested(block.partition(b"\n")[0])
    sign, half = DELIMITERS[format].encode(), csv.field_size_limit() // 2  # a longer line has a half without an end
    if sign + end in block or any(block.find(b"\n", at, at + half) < 0 for at in range(0, len(block) - half, half)):
        return True
    spaced = (sign + b' "', b'\n "', b'  "', b'" ' + sign, b'" \r', b'" \n', b'"  ')
    return b'"' in block and any(part in block for part in spaced)


@contextmanager
def _bytes(file: str) -> Iterator[Any]:
    try:
        with reading(file), Path(file).open("rb") as raw:
            yield gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == GZIP else raw
    except UnicodeDecodeError:
        is_usual(file, "csv")  # says on which line
        raise DataError(f"{file} is damaged: it begins as UTF-16 text and is none") from None


def _files(name: str) -> list[str]:
    """The files of a folder or a pattern, in order; or the one that is named."""
    path = Path(name)
    if os.path.isdir(name):
        if (path / UNFINISHED).exists():
            raise DataError(f"{name} is still being written, or was given up: it has a folder {UNFINISHED}")
        found = [file for file in sorted(path.rglob("*")) if file.is_file() and _is_part(file.relative_to(path))]
    elif has_magic(name) and not os.path.exists(name):
        found = [Path(file) for file in sorted(glob(name, recursive=True)) if Path(file).is_file()]
    else:
        with reading(name):
            path.stat()
        return [name]
    if not found:
        raise DataError(f"{name} has no files that could be read; name the files, or a folder of {', '.join(FORMATS)}")
    return list(map(str, found))


def _is_part(path: Path) -> bool:
    """Whether a file of a folder holds data: not those that begin with _ or ., as _SUCCESS does."""
    return not any(part.startswith(("_", ".")) for part in path.parts) and ending_of(path.name) in FORMATS


def ending_of(name: str) -> str:
    """The ending of the name of a file, in small letters, without .gz."""
    return Path(name.lower().removesuffix(".gz")).suffix


def _format(file: str) -> str:
    """The format of a file, by its ending or else by how it begins."""
    ending = ending_of(file)
    if ending in FORMATS or ending in READERS:
        return FORMATS.get(ending, OTHER)
    with reading(file), Path(file).open("rb") as raw:
        first = raw.read(4)
    if first in BINARY or first.startswith(UTF_16):
        return BINARY.get(first, "csv")
    with opened(file) as text:
        check_table(opening := text.read(OPENING), file)
    line = opening.partition("\n")[0]
    return "jsonl" if line.lstrip().startswith("{") else "tsv" if is_tabbed(line) else "csv"
