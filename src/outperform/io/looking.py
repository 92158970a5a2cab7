"""What files hold that nobody described: logs, tagged sentences, confusion matrices, or tables."""

from __future__ import annotations

import os.path
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from string import ascii_uppercase

from outperform.base.errors import DataError
from outperform.data.labels import is_number
from outperform.io.confusion import check_totals, matrix_of
from outperform.io.converting import LIST, QUOTES, Conversion, CutOffError, cells_of, conversion_of
from outperform.io.files import (
    GZIP,
    Columns,
    EncodingError,
    QuoteError,
    columns_of,
    delimiter_of,
    is_stream,
    read_text,
    text_of,
)
from outperform.io.guessing import columns_in, guess
from outperform.io.logs import ZIP, LogFile, formats_in, formats_of
from outperform.io.mistaken import OPENING, HeadlessError, is_headless, no_header, tag_columns
from outperform.io.shapes import WINNER
from outperform.io.side_by_side import of_lines, to_convert
from outperform.io.sources import FORMATS, ending_of, opened
from outperform.io.tables import read

__all__ = ["Look", "look", "look_at", "sent_log"]

ROWS = 20_000  # that are looked at
SMALL = 2**28  # bytes, up to which a file is looked at whole to see whether it is a log
# endings of files that may be logs
LOGGED = (".json", ".jsonl", ".eval", ".irm", ".trec", ".tsv", ".txt", ".log", ".out", "")
LM_EVAL_KEYS = {"resps", "filtered_resps", "arguments", "results"}
FEW_CELLS = 1000
FEW_LINES = 3


@dataclass(frozen=True)
class Look:
    """What some files hold.

    Attributes
    ----------
    kind : {"table", "log", "tagged", "confusion"}
    tables : tuple of Columns
        The first rows of each table; `whole` says that these are all rows.
    pipe : str
        The shell command that writes what was read to standard output, where the file itself cannot be read as it is;
        `how` says the same in words.
    named : bool
        Whether the columns have names of their own.
    format : str
        Of logs.
    tags : tuple of int
        Columns of tags.
    often : mapping from class to float
        How many items of each class a confusion matrix has.
    """

    kind: str
    tables: tuple[Columns, ...] = ()
    whole: bool = False
    pipe: str | None = None
    how: str = ""
    named: bool = True
    format: str | None = None
    tags: tuple[int, ...] = ()
    often: Mapping[str, float] = field(default_factory=dict)


def look(paths: Sequence[str], rows: int | None = None) -> Look:
    """Look at files that go together, by so many first rows; what cannot be read is refused as when it is read."""
    rows = rows or ROWS
    for path in paths:
        if not (is_stream(path) or os.path.exists(path)) and not set(path) & set("*?["):
            raise DataError(f"cannot read {path}: No such file or directory")
    kinds = {log_format(path) for path in paths}
    if len(kinds) == 1 and (kind := kinds.pop()) is not None:
        return Look("log", format=kind)
    openings = [_opening(path) for path in paths]
    tags = [tag_columns(text) for text in openings]
    if all(tags):
        return Look("tagged", tags=tuple(tags[0]))
    matrices = [_confusion(path, text) for path, text in zip(paths, openings, strict=True)]
    if matrices[0] and all(matrix and set(matrix) == set(matrices[0]) for matrix in matrices):
        return Look("confusion", often=matrices[0])
    if all(map(_is_bare, openings)) and (beside := of_lines(paths, [read_text(path)[0] for path in paths])):
        return Look("table", (beside.columns,), whole=True, pipe=beside.pipe, how="lines matched in their order")
    if len(paths) == 1:
        return _of(_Given.of(paths[0], openings[0], rows))
    given = [_Given.of(path, opening, rows) for path, opening in zip(paths, openings, strict=True)]
    if needed := {one.path: found for one in given if (found := _of_several(one)) is not None}:
        raise to_convert(needed)
    return Look("table", tuple(_with_header(read(path, rows), path) for path in paths))


def log_format(path: str) -> str | None:
    """Return the format of a log, or of a folder of logs; None for anything else."""
    ending = ending_of(path)
    if is_stream(path) or not os.path.exists(path):
        return None
    folder = os.path.isdir(path)
    if not folder and (ending not in LOGGED or os.path.getsize(path) > SMALL):
        return None
    try:
        kinds = formats_of(Path(path))
        return _alone(kinds) if folder else _of_log(kinds, ending, lambda: read(path, 1).values)
    except CutOffError:
        raise
    except DataError:
        return None


def sent_log(file: LogFile) -> str | None:
    """Return the format of a log that was sent, by the same rules."""
    ending = ending_of(file.source)
    return _of_log(formats_in(file), ending, lambda: file.opening or ()) if ending in LOGGED else None


def _of_log(kinds: Sequence[str], ending: str, keys: Callable[[], Iterable[str]]) -> str | None:
    """Return the one format that a log may be of: one of Inspect has its endings, and one of lm-eval its keys."""
    if kinds == ["inspect"] and ending not in (".eval", ".json"):
        return None
    if kinds == ["lm-eval"] and LM_EVAL_KEYS.isdisjoint(key.partition(".")[0] for key in keys()):
        return None
    return _alone(kinds)


def _alone(kinds: Sequence[str]) -> str | None:
    return kinds[0] if len(kinds) == 1 else None


def _opening(path: str) -> str:
    """Return the first characters of a text file; empty for anything else."""
    if is_stream(path) or not os.path.isfile(path) or FORMATS.get(Path(path).suffix.lower()) in ("parquet", "arrow"):
        return ""
    with suppress(DataError), opened(path) as text:
        return str(text.read(OPENING))
    return ""


def _is_bare(opening: str) -> bool:
    """Whether the first lines have one word each."""
    lines = opening.splitlines()[:FEW_LINES]
    return len(lines) > 1 and all(len(line.split()) == 1 for line in lines)


def _confusion(path: str, text: str) -> dict[str, float]:
    """Return the classes of a confusion matrix and how many items each has; empty for anything else.

    A matrix has the same names above and on the left, or none and nothing but whole numbers.
    """
    if not text or len(text) >= OPENING or text.lstrip().startswith(("{", "[")):
        return {}
    try:
        rows, header = matrix_of(text, path)
    except (DataError, ValueError):
        return {}
    first = text.lstrip("\ufeff").partition("\n")[0]
    names = len(header or ())  # below a corner, and before what heads the totals
    beside = header is not None and any(first.count(sign) in (names, names + 1) for sign in ",;\t")
    square = (
        len(rows) > 1
        and len(rows) == len(rows[0])
        and all(cell >= 0 and cell.is_integer() for row in rows for cell in row)
    )
    if not square or not (header is None or beside):
        return {}
    check_totals(rows, path)
    return dict(zip(header or map(str, range(len(rows))), map(sum, rows), strict=True))


@dataclass(frozen=True)
class _Given:
    """A table that is looked at: a file, or bytes that were sent. What it holds is read when asked for."""

    path: str
    opening: str  # the first characters; empty if it is no text
    columns: Callable[[], Columns]  # the first rows
    text: Callable[[], tuple[str, str]]  # all of it, and what to call it
    raw: Callable[[], bytes]
    most: int | None = None  # rows, of bytes that were sent

    @classmethod
    def of(cls, path: str, opening: str, rows: int) -> _Given:
        """Look at a file."""
        return cls(path, opening, partial(read, path, rows), partial(read_text, path), Path(path).read_bytes)

    @property
    def stream(self) -> bool:
        return self.most is None and is_stream(self.path)


def look_at(raw: bytes, name: str, size: int, rows: int) -> Look:
    """Look at bytes that were sent, of at most this size and so many rows, as at a file of this name."""
    if raw.startswith(ZIP) and ending_of(name) == ".eval":
        return Look("log", format="inspect")
    decoded = cache(partial(text_of, raw, name, size))
    given = _Given(name, "", lambda: columns_of(decoded(), name, rows), lambda: (decoded(), name), lambda: raw, rows)
    try:
        opening = decoded()[:OPENING]
    except EncodingError:
        return _of(given)
    if kind := sent_log(LogFile(Path(name), decoded())):
        return Look("log", format=kind)
    if tags := tag_columns(opening):
        return Look("tagged", tags=tuple(tags))
    if matrix := _confusion(name, opening):
        return Look("confusion", often=matrix)
    return _of(replace(given, opening=opening))


def _of(given: _Given) -> Look:
    """Look at one table; where it needs a command before it can be read, that command is part of the answer."""
    path = given.path
    if (needed := _conversion(given)) is not None:
        return _by(given, needed)
    try:
        seen = given.columns()
    except EncodingError:
        return _converted(given, f"iconv -f cp1252 -t utf-8 {shlex.quote(path)}", "Windows-1252 text", _windows)
    except HeadlessError:
        return _headless(given)
    except DataError as error:
        if (needed := _second_reading(given, error)) is None:
            raise
        return _by(given, needed)
    if not given.stream and _is_headless(seen, path):
        return _headless(given)
    return Look("table", (seen,), whole=given.stream or given.most is not None)


def _is_headless(seen: Columns, path: str) -> bool:
    """Whether the first line of a table is a row."""
    if Path(path).suffix.lower() in (".jsonl", ".parquet") or any(WINNER in name.casefold() for name in seen.values):
        return False
    cells = (cell for values in seen.values.values() for cell in values[:FEW_CELLS] if isinstance(cell, str))
    named = (column.numbers and not is_number(column.name) for column in columns_in(seen))  # names above numbers
    return is_headless(seen.values, cells) and not any(named)


def _with_header(table: Columns, path: str) -> Columns:
    """Check that the first line of a table has names."""
    if not is_stream(path) and _is_headless(table, path):
        raise no_header(list(table.values), table.source)
    return table


def _second_reading(given: _Given, error: DataError) -> Conversion | None:
    """Return the conversion that helps where a table could not be read; between tabs, quotation marks mean nothing."""
    if isinstance(error, QuoteError):
        tabbed = "\t" in given.opening.partition("\n")[0] and not given.path.endswith(".gz")
        return QUOTES if tabbed else None
    return LIST if given.opening.lstrip("\ufeff").lstrip().startswith("[") else None


def _conversion(given: _Given) -> Conversion | None:
    """Return what makes a table of a file; a JSON object is looked at whole, and a compressed file is not converted."""
    text = given.opening
    if given.path.endswith(".gz") or not text:
        return None
    first, more, _ = text.strip("\ufeff \t\r\n").partition("\n")
    long = len(text) >= OPENING and first.startswith("{") and not (more and first.rstrip().endswith("}"))
    small = given.most is not None or os.path.getsize(given.path) <= SMALL
    return conversion_of(given.text()[0] if long and small else text, given.path)


def _of_several(given: _Given) -> Conversion | None:
    """Return what makes a table of one of several files, which are all named where one cannot be read as it is."""
    return _conversion(given) or (LIST if given.opening.lstrip("\ufeff").lstrip().startswith("[") else None)


def _by(given: _Given, needed: Conversion) -> Look:
    return _converted(given, needed.pipe(given.path), needed.how, lambda given: needed.convert(given.text()[0]))


def _converted(given: _Given, pipe: str, how: str, convert: Callable[[_Given], str]) -> Look:
    """Read what a command would write."""
    try:
        text = convert(given)
    except (ValueError, OSError, RecursionError):  # it is refused, or read as it is
        return Look("table", (given.columns(),), whole=given.stream or given.most is not None)
    return Look("table", (columns_of(text, given.path, given.most),), whole=True, pipe=pipe, how=how)


def _windows(given: _Given) -> str:
    raw = given.raw()
    if raw.startswith(GZIP):
        raise ValueError("compressed")
    return raw.decode("cp1252")


def _headless(given: _Given) -> Look:
    """Read a table without a header under names that are made up: truth, A, B, …; others are numbered."""
    text, source = given.text()
    first = text.partition("\n")[0]
    sign = delimiter_of(first, ",")
    numbered = [f"column{k}" for k, _ in enumerate(cells_of(first, sign), start=1)]
    columns = columns_of(f"{sign.join(numbered)}\n{text}", source, given.most)
    guessed = guess(columns_in(columns), len(columns.lines))
    if not guessed.predictions:
        raise no_header(cells_of(first, sign), source)
    systems = dict(zip(guessed.predictions, ascii_uppercase, strict=False))
    names = {name: "truth" if name == guessed.truth else systems.get(name, name) for name in numbered}
    header = sign.join(names.values())
    quoted = shlex.quote(given.path) if given.path != "-" else "-"
    named = Columns(source, {names[name]: values for name, values in columns.values.items()}, columns.lines)
    echo = "echo {}" if sign != "\t" else "printf {}"  # in which a tab can be seen
    header = header if sign != "\t" else "\\t".join(names.values()) + "\\n"
    pipe = f"({echo.format(shlex.quote(header))}; cat {quoted})"
    return Look("table", (named,), whole=True, pipe=pipe, how="no header", named=False)
