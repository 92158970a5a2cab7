"""One text file, or standard input, becomes named columns: CSV, TSV or JSON lines, plain or gzip.

A reader takes lines of text and yields rows with their line numbers; `READERS` has the reader of each file ending.
Files with other endings, and standard input, are recognised by their first line.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os.path
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, ClassVar, TypeAlias

from outperform.base.errors import TOO_LONG, DataError, count, listing, unusable
from outperform.base.sentences import Sentence
from outperform.data.labels import is_missing
from outperform.io.mistaken import (
    MOST_LOOKED_AT,
    UTF_16,
    check_header,
    check_table,
    check_text,
    no_column,
    no_lines,
    numbered_where_bare,
    repeated,
)

__all__ = [
    "BLOCK", "GZIP", "NO_LABEL", "READERS", "SEPARATOR_LINE", "Columns", "EncodingError", "QuoteError", "columns_of",
    "decoded", "delimiter_of", "is_label", "is_nested", "is_stream", "is_tabbed", "no_label", "read", "read_text",
    "reading", "text_of", "too_large",
]  # fmt: skip

Reader: TypeAlias = Callable[[io.StringIO, str], Iterator[tuple[int, dict[str, Any]]]]
GZIP = b"\x1f\x8b"
MOST_BYTES = 4 * 2**30  # of unpacked text; a gzip file may claim to be far larger than it is
BLOCK = 10_000  # rows
NO_LABEL = Sentence("{leave_out}, or give them a label of their own")
REMOVE = "remove the item, or give it a label of its own"
SEPARATOR_LINE = re.compile(r"sep=([^\r\n])\r?\n", re.IGNORECASE)  # with which Excel begins a CSV file
DEEPEST = 8  # keys within keys that make a column
BYTES = 2**20  # that are read at a time where it is not known how many there are


class EncodingError(DataError):
    """Text that is not in UTF-8."""


class QuoteError(DataError):
    """A quotation mark that is part of a text and not of the notation."""


@dataclass(frozen=True)
class Columns:
    """Named columns of equal length, with the line that each row stood on."""

    source: str
    values: dict[str, list[Any]]
    lines: list[int]
    binary: ClassVar[bool] = False  # as of a source: these were text

    def column(self, name: str, remedy: str | Sentence = REMOVE) -> list[Any]:
        """One column; every row must have a value in it, or `remedy` is what to do about it."""
        if name not in self.values:
            raise no_column(name, {self.source: self.values})
        column = self.values[name]
        for line, value in zip(self.lines, column, strict=True):
            if not is_label(value):
                raise no_label(value, f"{self.source}, line {line}", name, remedy)
        return column

    def known(self, name: str) -> list[Any]:
        """One column, with None where a row has no value in it."""
        for line, value in zip(self.lines, self.values[name], strict=True):
            if isinstance(value, list | dict):
                raise no_label(value, f"{self.source}, line {line}", name, NO_LABEL)
        return [value if is_label(value) else None for value in self.values[name]]

    def label_sets(self, name: str, separator: str | None = None) -> list[Any]:
        """One column of label sets: JSON lists, or text in which a separator stands between labels."""
        sets = []
        for line, value in zip(self.lines, self.values[name], strict=True):
            if isinstance(value, str) and separator is not None:
                sets.append({label.strip() for label in value.split(separator) if label.strip()})
            elif isinstance(value, list) and all(isinstance(label, str | int) for label in value):
                sets.append(set(value))
            else:
                raise DataError(f"{self.source}, line {line}: {value!r} in column {name!r} is no set of labels")
        return sets


def is_label(value: object) -> bool:
    """Whether a value is a single label, and not missing or a list."""
    return not (value == "" or is_missing(value) or isinstance(value, list | dict))


def no_label(value: object, where: str, name: str, remedy: str | Sentence) -> DataError:
    """The error for a value that is not a label; `remedy` is the advice where it is missing."""
    if isinstance(value, list | dict):
        return DataError(f"{where}: column {name!r} holds a {type(value).__name__}; one label is expected")
    found = f"{where}: no value in column {name!r}"
    return unusable("{found}; {remedy}", found=found, remedy=remedy)


def is_stream(path: str | Path) -> bool:
    """Whether a path can be read only once: standard input ("-"), a pipe, a device."""
    return str(path) == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))


def read_text(path: str) -> tuple[str, str]:
    """The text of a file, or of standard input for "-", and what to call it."""
    source = "standard input" if path == "-" else path
    return text_of(_load(path, source), source), source


def text_of(raw: bytes | bytearray, source: str, most: int | None = None) -> str:
    """The text in some bytes, plain or gzip."""
    text = decoded(_unpacked(raw, source, most or MOST_BYTES) if raw.startswith(GZIP) else raw, source)
    if not text.strip():
        raise DataError(f"{source} is empty; a header and at least one row are expected")
    return text


def read(path: str) -> Columns:
    """Read a file, or standard input for "-"."""
    return columns_of(*read_text(path))


def columns_of(text: str, source: str, most: int | None = None) -> Columns:
    """The columns of a text of at most so many rows: the ending of its name tells the format, or else its first line.

    Rows are turned in blocks, and every text is held once, so that a large file takes less memory.
    """
    endings = [suffix for suffix in Path(source).suffixes if suffix.lower() != ".gz"]
    parse = READERS.get(endings[-1].lower() if endings else "") or _recognise(text, source)
    rows, texts = parse(io.StringIO(text, newline=""), source), parse is not read_jsonl
    columns, same = Columns(source, {}, []), dict[str, str]()
    while block := list(islice(rows, BLOCK)):
        columns.lines.extend(line for line, _ in block)
        if most is not None and len(columns.lines) > most:
            raise too_large(f"{source} has more than {most:,} rows")
        for name in columns.values or block[0][1]:
            cells = [row[name] for _, row in block]
            columns.values.setdefault(name, []).extend(map(same.setdefault, cells, cells) if texts else cells)
    if not columns.lines:
        raise DataError(f"{source} has a header but no rows")
    return columns


def too_large(found: str) -> DataError:
    """The error for a file that exceeds a limit."""
    return unusable("{found}; {in_parts}", found=found)


def read_jsonl(text: io.StringIO, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """One JSON object a line, all with the same keys; keys within keys have dots between them.

    The first line tells which columns there are within objects: where a later one lacks such a key, the value is
    missing. Other lines of the same file may so hold other notes on their items.
    """
    names: list[str] | None = None
    paths: dict[str, tuple[str, ...]] = {}  # of the columns, where there are keys within keys
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except json.JSONDecodeError as error:
            other = no_lines(line + text.read(MOST_LOOKED_AT), source, number - 1) if names is None else None
            raise other or DataError(f"{source}, line {number}: not JSON ({error.msg})") from None
        except ValueError:
            raise DataError(f"{source}, line {number}: {TOO_LONG}") from None
        except RecursionError:
            raise DataError(f"{source}, line {number}: JSON that is nested too deeply") from None
        if not isinstance(row, dict):
            raise DataError(f"{source}, line {number}: expected a JSON object, got {type(row).__name__}")
        if isinstance(row, _Repeated):
            raise row.refused(f"{source}, line {number}")
        if names is None:
            names = list(row)
            paths = _paths(row, f"{source}, line {number}") if any(isinstance(v, dict) for v in row.values()) else {}
        if set(row) != set(names):
            odd = sorted(set(row) ^ set(names))
            raise DataError(f"{source}, line {number}: its keys differ from the first line's in {listing(odd)}")
        where = f"{source}, line {number}"
        yield number, {name: _at(row, path, where) for name, path in paths.items()} if paths else row


def is_nested(line: bytes) -> bool:
    """Return whether a line is a JSON object that holds objects."""
    with suppress(ValueError, RecursionError):
        row = json.loads(line)
        return isinstance(row, dict) and any(isinstance(value, dict) for value in row.values())
    return False


def _paths(row: dict[str, Any], where: str) -> dict[str, tuple[str, ...]]:
    """The keys that lead to each value that is no object, by their names with dots between them."""
    paths: dict[str, tuple[str, ...]] = {}
    open_: list[tuple[str, ...]] = [(key,) for key in reversed(row)]
    while open_:
        path = open_.pop()
        value, name = _at(row, path, where), ".".join(path)
        if isinstance(value, dict) and value and len(path) < DEEPEST:
            open_ += [(*path, key) for key in reversed(value)]
        elif name in paths:
            raise DataError(f"{where}: there are two keys {name!r}, one of them within another key; rename one of them")
        else:
            paths[name] = path
    return paths


def _at(row: dict[str, Any], path: tuple[str, ...], where: str) -> Any:
    """The value under keys within keys; None where it is missing."""
    value: Any = row
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, _Repeated):
            raise value.refused(where)
    return value


class _Repeated(dict[str, Any]):
    """A JSON object with a repeated key, of which readers disagree on which value counts."""

    key: str

    def refused(self, where: str) -> DataError:
        """The error for the line."""
        return DataError(f"{where}: the key {self.key!r} is there twice; keep one of them")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    odd = _Repeated(found)
    odd.key = repeated(key for key, _ in pairs) or ""
    return odd


def _delimited(text: io.StringIO, source: str, usual: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read values between separators under a header, with the usual separator unless the header has another."""
    first = text.readline()
    told = SEPARATOR_LINE.fullmatch(first)
    lines = chain([first] if first and not told else [], text)
    rows = csv.reader(lines, delimiter=told[1] if told else delimiter_of(first, usual), strict=True)
    before = 1 if told else 0
    try:
        header = next(rows, None)
        if header is None:
            raise DataError(f"{source} is empty; a header and at least one row are expected")
        if not header:
            raise DataError(f"{source} has nothing on its first line; a header is expected there")
        header = numbered_where_bare(header)
        check_header(header, rows, source)
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                line = before + rows.line_num
                raise DataError(f"{source}, line {line} has {count(len(row), 'value')}; the header has {len(header)}")
            yield before + rows.line_num, dict(zip(header, row, strict=True))
    except csv.Error as error:
        found = f"{source}, line {before + rows.line_num}: {error}"
        raise QuoteError(f"{found}; a quotation mark in a text is written twice, and the text in quotes") from None


READERS: dict[str, Reader] = {
    ".csv": partial(_delimited, usual=","),
    **dict.fromkeys((".tsv", ".tab"), partial(_delimited, usual="\t")),
    **dict.fromkeys((".jsonl", ".ndjson"), read_jsonl),
}


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Say in one sentence what keeps a file from being read."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{source} is a damaged gzip file ({error})") from None
    except OSError as error:
        raise DataError(f"cannot read {source}: {error.strerror}") from None


def _load(path: str, source: str) -> bytes | bytearray:
    with reading(source):
        if not is_stream(path):
            return Path(path).read_bytes()
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as stream:
            return _taken(stream, source, "has", MOST_BYTES)


def _unpacked(raw: bytes | bytearray, source: str, most: int) -> bytearray:
    with reading(source), gzip.open(io.BytesIO(raw)) as unpacked:
        return _taken(unpacked, source, "unpacks to", most)


def _taken(data: IO[bytes] | gzip.GzipFile, source: str, has: str, most: int) -> bytearray:
    """Read a stream, which may be endless, block by block; one large read would allocate all memory at once."""
    taken = bytearray()
    while block := data.read(BYTES):
        if not taken and not block.startswith(GZIP):
            check_text(block, source)
        taken += block
        if len(taken) > most:
            raise too_large(f"{source} {has} more than {most / 1e6:,.0f} MB")
    return taken


def decoded(raw: bytes | bytearray, source: str, lines: int = 0) -> str:
    """The text in some bytes; `lines` are those before."""
    check_text(raw, source, lines)
    try:
        return raw.decode("utf-16" if raw.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = lines + raw[: error.start].count(b"\n") + 1
        raise EncodingError(f"{source}, line {line}: not UTF-8 text; give CSV, TSV or JSON lines in UTF-8") from None


def _recognise(text: str, source: str) -> Reader:
    check_table(text, source)
    first = text.lstrip().split("\n", 1)[0]
    return READERS[".jsonl" if first.startswith("{") else ".tsv" if is_tabbed(first) else ".csv"]


def delimiter_of(header: str, usual: str) -> str:
    """The separator: the usual one of such files, or else another that the header contains."""
    return next((sign for sign in (usual, "\t", ";", ",", "|") if sign in header), usual)


def is_tabbed(header: str) -> bool:
    """Whether tabs and not commas stand between the names of columns."""
    return header.count("\t") > header.count(",")
