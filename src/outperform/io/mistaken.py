"""Files that are not the expected table: recognised by how they begin, with advice on what to do instead."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from outperform.base.errors import DataError, absent, listing, nearest, unusable
from outperform.base.sentences import Sentence
from outperform.data.diagnosis import is_number
from outperform.io.converting import (
    LIST,
    SPREAD,
    Conversion,
    CutOffError,
    check_opening,
    conversion_of,
    is_cut_off,
)
from outperform.io.without_items import is_results, no_samples

__all__ = [
    "FEW", "MOST_LOOKED_AT", "OPENING", "UTF_16", "HeadlessError", "check_header", "check_table", "check_text",
    "is_headless", "no_column", "no_header", "no_lines", "numbered_where_bare", "repeated",
    "tag_columns",
]  # fmt: skip

OPENING = 4096  # characters or bytes that are looked at
FEW = 1000  # rows that are looked at
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
UTF_32 = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
EXCEL = "an Excel file", "save the sheet as CSV"
IN_PYTHON = "read it in Python and give the arrays to op.compare, or write CSV"
PACKED = "a compressed file", "unpack it first, or compress it with gzip, which is read as it is"
BINARY = {
    b"\xd0\xcf\x11\xe0": EXCEL,
    b"PK\x03\x04": ("a ZIP archive", "unpack it first, and give CSV, TSV or JSON lines"),
    b"PAR1": ("a Parquet file", "rename it so that its name ends in .parquet"),
    b"ARROW1": ("an Arrow file", "rename it so that its name ends in .arrow"),
    b"\x93NUMPY": ("a file of NumPy", IN_PYTHON),
    b"\x80\x04\x95": ("a pickle of Python", IN_PYTHON),
    b"\x80\x05\x95": ("a pickle of Python", IN_PYTHON),
    b"SQLite format 3": (
        "an SQLite database",
        "write the table as CSV: sqlite3 -csv -header FILE 'select * from TABLE'",
    ),
    b"%PDF": ("a PDF file", "give the table as CSV"),
    b"BZh": PACKED,
    b"\xfd7zXZ": PACKED,
    b"\x28\xb5\x2f\xfd": PACKED,
}  # by how the file begins
STDIN = "standard input"  # as files.read_text calls it
SHEET = b"xl/"  # the folder of sheets in the ZIP archive that an .xlsx file is
MOST_LOOKED_AT = 2**26  # characters, to say what is wrong with them
PROMPTFOO = {"Status", "Score", "Named Scores"}  # columns that are there for each provider and prompt
TAG = re.compile(r"O|[BIESLMU]-\S+")
DOCUMENT = "-DOCSTART-"


def check_text(raw: bytes | bytearray, source: str, lines: int = 0) -> None:
    """Refuse bytes that are no text, by how they begin or by a NUL; `lines` are those before."""
    first = b"" if lines else bytes(raw[:OPENING])
    for magic, known in BINARY.items():
        if first.startswith(magic):
            what, remedy = EXCEL if SHEET in first and magic.startswith(b"PK") else known
            raise DataError(f"{source} is {what}, not text; {remedy}")
    if first.startswith(UTF_32):
        raise DataError(f"{source} is text in UTF-32; save it in UTF-8")
    place = -1 if raw.startswith(UTF_16) else raw.find(b"\0")
    header = first.partition(b"\n")[0]
    if 0 <= place < len(first) and (b"\0" in header or not header.isascii()):
        raise DataError(f"{source} is not text (it starts with {first[:4]!r}); give CSV, TSV or JSON lines")
    if place >= 0:
        line = lines + raw[:place].count(b"\n") + 1
        raise DataError(f"{source}, line {line}: a NUL byte; the file is damaged, or is not text")


def check_table(text: str, source: str) -> None:
    """Refuse text that is no table: tagged tokens, results of lm-eval, a JSON list; the first lines are enough."""
    first = text[:OPENING]
    check_opening(first, source)
    if first.lstrip().startswith("["):
        raise _as_lines(f"{source} holds one JSON list", source, LIST)
    if is_results(first):
        raise no_samples(source)
    if tag_columns(text):
        rows = tokens_in(text)
        found = f"{source} is a CoNLL file, with a token and its tags on each line ({listing([' '.join(rows[0])])})"
        raise unusable("{found}, where a table is expected; {read_chunks}", found=found)


def tag_columns(text: str) -> list[int]:
    """Return the columns of tags, if the first lines of a text are tokens with tags and the last column is one."""
    rows = tokens_in(text)
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        return []
    tagged = [k for k in range(1, len(rows[0])) if all(TAG.fullmatch(row[k]) for row in rows)]
    return tagged if len(rows[0]) - 1 in tagged else []


def tokens_in(text: str) -> list[list[str]]:
    """Return the fields of the first lines that are neither blank nor the start of a document."""
    whole = text[:OPENING].splitlines()[: -1 if len(text) >= OPENING else None]
    return [fields for line in whole if (fields := line.split()) and not fields[0].startswith(DOCUMENT)]


def is_headless(header: Collection[str], cells: Iterable[str]) -> bool:
    """Return whether the first line is a row: its values are found below, or are numbers that do not count columns."""
    names = list(header)
    numbered = all(map(is_number, names)) and names != [str(k) for k in range(len(names))]
    return numbered or _recur(names, set(cells))


def no_lines(text: str, source: str, before: int = 0) -> DataError | None:
    """Say what JSON is that does not stand on one line, or at which line it is broken; `before` are the lines above.

    None if the first line says as much.
    """
    if len(text) < MOST_LOOKED_AT and is_cut_off(text):
        return CutOffError(source)
    text = text.lstrip()
    try:
        first, end = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        found = f"{source}, line {before + error.lineno}: not JSON ({error.msg})"
        return DataError(found) if error.lineno > 1 else None
    except (ValueError, RecursionError):
        return None
    if isinstance(first, list):
        return _as_lines(f"{source} holds one JSON list", source, LIST)
    return _more_lines(first, text, end, source, before) if isinstance(first, dict) else None


def _more_lines(first: dict[str, Any], text: str, end: int, source: str, before: int) -> DataError:
    """Say what is wrong with a text that begins with a JSON object, which ends at a place, and goes on after it."""
    line = before + 1 + text.count("\n", 0, end)
    if text[end:].lstrip(" \t").startswith(","):
        return DataError(f"{source}, line {line}: a comma after the object; JSON lines have nothing between objects")
    spread = "a JSON object over several lines" if line > before + 1 else "several JSON objects on one line"
    found = f"{source} holds {spread}, with {listing(first, 5)}"
    needed = conversion_of(text, source)
    if needed is None and any(isinstance(value, dict) for value in first.values()):
        sentence = "{found}, where JSON lines are expected, one object a line; {read_logs}"
        return unusable(sentence, found=found)
    return _as_lines(found, source, needed or SPREAD)


def _as_lines(found: str, source: str, needed: Conversion) -> DataError:
    """Say that JSON lines are expected, and what makes them; standard input has no name that a command could read."""
    shell = needed.filter if source == STDIN else f"{needed.pipe(source)} > rows.jsonl"
    return unusable("{found}; JSON lines are expected, one object a line{as_from:{shell}}", found=found, shell=shell)


def numbered_where_bare(header: list[str]) -> list[str]:
    """Return the names of columns, numbered if several have none: spreadsheets write empty columns beside a table."""
    bare = [k for k, name in enumerate(header, start=1) if not name.strip()]
    return header if len(bare) < 2 else [f"column{k}" if k in bare else name for k, name in enumerate(header, start=1)]


def check_header(header: Sequence[str], rows: Iterable[Sequence[str]], source: str) -> None:
    """Refuse two columns of one name; where values of the rows below are like it, there is no header."""
    twice = repeated(header)
    if twice is None:
        return
    if set(header) >= PROMPTFOO:
        found = f"{source} is the CSV of promptfoo"
        raise DataError(f"{found}; give its JSON, which is read as it is, as from: promptfoo eval -o results.json")
    if _recur(header, set(chain.from_iterable(islice(rows, FEW)))):
        raise no_header(header, source)
    raise DataError(f"{source} has several columns called {twice!r}; rename all but one")


def repeated(names: Iterable[str]) -> str | None:
    """The first name that is there again."""
    seen = set[str]()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def no_column(name: str, tables: Mapping[str, Mapping[str, Sequence[Any]]]) -> DataError:
    """Say that no table has a column: there is no header, or another name is nearest.

    `tables` holds values by column by source; where values are not at hand, none.
    """
    for source, columns in tables.items():
        if _recur(columns, set(_texts(columns))):
            return no_header(list(columns), source)
    if len(tables) == 1:
        ((source, columns),) = tables.items()
        return DataError(absent(source, "column", name, columns))
    known = dict.fromkeys(column for columns in tables.values() for column in columns)
    return DataError(f"there is no column {name!r}; {nearest(name, known)}there are {listing(known, 30)}")


def _texts(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    return (value for values in columns.values() for value in values[:FEW] if isinstance(value, str))


def _recur(header: Collection[str], cells: set[str]) -> bool:
    """Whether names of columns are values of rows as well, half of them at least."""
    return 2 * sum(name in cells for name in header) >= max(len(header), 1)


class HeadlessError(DataError):
    """A table without names above its columns."""


def no_header(header: Sequence[str], source: str) -> DataError:
    """Say that the first line of a table is a row."""
    found = f"{source} seems to have no header: what is on its first line ({listing(header, 5)}) is found below as well"
    shell = f"(echo gold,svm,nb; cat {source}) > named.csv"
    return HeadlessError(
        Sentence("{found}; put the names of the columns on top{as_with:{shell}}", found=found, shell=shell)
    )
