"""What a name stands for: a file, a pattern of files, or a folder of parts, which are one table together."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from glob import glob, has_magic
from io import TextIOWrapper
from pathlib import Path
from typing import Any, cast

from outperform.errors import DataError, listing
from outperform.io.arrow import schema_of
from outperform.io.files import GZIP, READERS, is_tabbed, read, read_jsonl
from outperform.io.mistaken import OPENING, UTF_16, check_header, check_table, check_text

__all__ = ["DELIMITERS", "OTHER", "Source", "as_source", "check_not_cut", "opened"]

FORMATS = {
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
BINARY = {b"PAR1": "parquet", b"ARRO": "arrow"}  # by how the file begins
OTHER = "other"  # text that a reader knows and an engine does not
UNFINISHED = "_temporary"  # where Spark and Hadoop write until all parts are there
BLOCK = 2**20  # bytes
PACKED = 16  # times that text may be larger than its gzip
DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Source:
    """One table in one file or in several, all of one format."""

    name: str
    files: tuple[str, ...]
    format: str

    @property
    def binary(self) -> bool:
        """Whether columns have types of their own, and are not text."""
        return self.format in BINARY.values()

    @cached_property
    def size(self) -> int:
        """Bytes of all files, about as many as there are unpacked."""
        return sum(Path(file).stat().st_size * (PACKED if file.lower().endswith(".gz") else 1) for file in self.files)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns; all files have the same, and in files without names of their own in one order."""
        (first, header), *others = ((file, self._header(file)) for file in self.files)
        for file, own in others:
            odd = sorted(set(own) ^ set(header), key=str)
            if odd:
                raise DataError(
                    f"{file} and {first} differ in their columns ({listing(odd, 4)}); all parts of a table need the "
                    "same"
                )
            if own != header and self.format in DELIMITERS:
                raise DataError(f"{file} and {first} have their columns in a different order; all parts need the same")
        return header

    def _header(self, file: str) -> tuple[str, ...]:
        if self.binary:
            return tuple(schema_of(file, self.format).names)
        if self.format == OTHER:
            return tuple(read(file).values)
        with opened(file) as text:
            if self.format == "jsonl":
                header = list(next(read_jsonl(text, file), (0, {}))[1])
            else:
                rows = csv.reader(text, delimiter=DELIMITERS[self.format])
                check_header(header := next(rows, []), rows, file)
        if not header:
            raise DataError(f"{file} is empty; a header and at least one row are expected")
        return tuple(header)


def as_source(path: str | Path) -> Source:
    """Find the files that a name stands for."""
    name = str(path)
    files = _files(name)
    first = _format(files[0])
    for file in files[1:]:
        if _format(file) != first:
            raise DataError(f"{name} holds files of two formats, {files[0]} ({first}) and {file} ({_format(file)})")
    return Source(name, tuple(files), first)


@contextmanager
def opened(file: str) -> Iterator[Any]:
    """A text file, plain or gzip, to be read line by line; what is wrong with it is said in one sentence."""
    with _bytes(file) as data:
        yield TextIOWrapper(data, encoding="utf-8-sig", newline="")


def check_not_cut(file: str) -> None:
    """Nothing was cut off a gzip file: an engine would count what is left."""
    with _bytes(file) as data:
        while isinstance(data, gzip.GzipFile) and data.read(BLOCK):
            pass


@contextmanager
def _bytes(file: str) -> Iterator[Any]:
    try:
        with Path(file).open("rb") as raw:
            packed = (first := raw.read(OPENING)).startswith(GZIP)
        check_text(b"" if packed else first, file)
        with cast(Any, gzip.open(file) if packed else Path(file).open("rb")) as data:
            yield data
    except UnicodeDecodeError:
        raise DataError(f"{file} is not UTF-8 text; give CSV, TSV or JSON lines in UTF-8") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{file} is a damaged gzip file ({error})") from None
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}") from None


def _files(name: str) -> list[str]:
    """The files of a folder or a pattern, in order; or the one that is named."""
    path = Path(name)
    if path.is_dir():
        if (path / UNFINISHED).exists():
            raise DataError(f"{name} is still being written, or was given up: it has a folder {UNFINISHED}")
        found = [file for file in sorted(path.rglob("*")) if file.is_file() and _is_part(file.relative_to(path))]
    elif has_magic(name) and not path.exists():
        found = [Path(file) for file in sorted(glob(name, recursive=True)) if Path(file).is_file()]
    elif path.exists():
        return [name]
    else:
        raise DataError(f"cannot read {name}: No such file or directory")
    if not found:
        raise DataError(f"{name} has no files that could be read; expected are {', '.join(FORMATS)}")
    return list(map(str, found))


def _is_part(path: Path) -> bool:
    """Whether a file of a folder holds data: not those that begin with _ or ., as _SUCCESS does."""
    return not any(part.startswith(("_", ".")) for part in path.parts) and _ending(path.name) in FORMATS


def _ending(name: str) -> str:
    return Path(name.lower().removesuffix(".gz")).suffix


def _format(file: str) -> str:
    """By the ending, or else by how the file begins."""
    ending = _ending(file)
    if ending in FORMATS or ending in READERS:
        return FORMATS.get(ending, OTHER)
    try:
        with Path(file).open("rb") as raw:
            first = raw.read(4)
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}") from None
    if first in BINARY or first.startswith(UTF_16):
        return BINARY.get(first, "csv")
    with opened(file) as text:
        check_table(opening := text.read(OPENING), file)
    line = opening.partition("\n")[0]
    return "jsonl" if line.lstrip().startswith("{") else "tsv" if is_tabbed(line) else "csv"
