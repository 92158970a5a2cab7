"""Several files of one test set: what keeps them from being read together, and the command that helps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from outperform.base.errors import DataError
from outperform.data.labels import is_number
from outperform.io.align import file_names
from outperform.io.converting import Conversion
from outperform.io.files import Columns

__all__ = ["Pasted", "in_order", "new_names", "of_lines", "to_convert"]

TRUTHS = ("gold", "truth", "true", "label", "reference", "target")  # in the name of the file of the truth
SIGNS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
LONGEST = 2**20  # bytes of a header


class Pasted:
    """Two tables or more side by side: their columns, and the command that writes them."""

    def __init__(self, columns: Columns, pipe: str, predictions: tuple[str, ...]) -> None:
        self.columns, self.pipe, self.predictions = columns, pipe, predictions


def in_order(tables: Sequence[Columns], truth: str | None, predicted: str) -> Pasted | None:
    """Return tables side by side if row by row they have the same truth, as where they hold the same items; else None.

    Only lines of text with a row each can be pasted. A truth of one class says nothing of the order; scores have none.
    """
    first, names = tables[0].values, [Path(table.source).stem for table in tables]
    signs = {SIGNS.get(Path(table.source).suffix.lower()) for table in tables}
    alike = all(list(table.values) == list(first) and predicted in table.values for table in tables)
    if not alike or None in signs or len(signs) > 1 or len({*names, truth}) <= len(names):
        return None
    if truth is not None and not _is_same(tables, truth):
        return None
    rows = range(2, len(tables[0].lines) + 2)
    if any(list(table.lines) != list(rows) for table in tables) or _is_awkward(tables, str(*signs)):
        return None
    columns: dict[str, list[object]] = {} if truth is None else {truth: first[truth]}
    header: list[str] = []
    for name, table in zip(names, tables, strict=True):
        for column, values in table.values.items():
            kept = column == truth and name == names[0]
            new = name if column == predicted else column if kept else f"{name}-{column}"
            header.append(new)
            columns[new] = values
    (sign,) = signs
    written = str(sign).join(header).replace("/", "\\/").replace("&", "\\&")
    paste = "paste" if sign == "\t" else "paste -d,"
    files = shlex.join(table.source for table in tables)
    pipe = f"{paste} {files} | sed {shlex.quote(f'1s/.*/{written}/')}"
    return Pasted(Columns(tables[0].source, columns, tables[0].lines), pipe, tuple(names))


def _is_same(tables: Sequence[Columns], truth: str) -> bool:
    """Whether all tables have the same truth row by row, of several classes."""
    first = tables[0].values.get(truth, [])
    return len(set(first)) > 1 and all(table.values.get(truth) == first for table in tables)


def of_lines(paths: Sequence[str], texts: Sequence[str]) -> Pasted | None:
    """Return files side by side that have nothing but a number or a label on each line, without a header; else None."""
    columns = [text.split() for text in texts]
    bare = all(map(_are_values, texts, columns)) and not any(path.endswith(".gz") or "," in path for path in paths)
    if not bare:
        return None
    if len(paths) == 1:
        found = f"{paths[0]} seems to have no header, and has one value on each line, as of one system"
        raise DataError(f"{found}; name the files that go with it")
    if len({*map(len, columns)}) > 1:
        found = " and ".join(f"{path} has {len(cells)}" for path, cells in zip(paths, columns, strict=True))
        raise DataError(f"{found} lines, which are matched in their order: give each file a line for each item")
    names, rows = file_names(paths), range(1, len(columns[0]) + 1)
    pipe = f"(echo {shlex.quote(','.join(names))}; paste -d, {shlex.join(paths)})"
    return Pasted(Columns(paths[0], dict(zip(names, columns, strict=True)), [*rows]), pipe, tuple(names))


def _are_values(text: str, cells: Sequence[str]) -> bool:
    """Whether each line is one word, and the first no name above the others: a number, or there again."""
    lines = text.splitlines()
    if len(cells) < 2 or len(lines) != len(cells) or any(sign in text for sign in ',;|{["'):
        return False
    return all(map(is_number, cells)) or (cells[0] in cells[1:] and not is_number(cells[0]))


def _is_awkward(tables: Sequence[Columns], sign: str) -> bool:
    """Whether names need quotes, or lines end as on Windows, which `paste` would leave within a line."""
    quoted = any(mark in name for table in tables for name in (*table.values, table.source) for mark in (sign, '"'))
    return quoted or any(_first_line(table.source).endswith(b"\r\n") for table in tables)


def _first_line(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return file.readline(LONGEST)


def new_names(tables: Sequence[Columns], truth: str) -> str:
    """Say what to do with files that call the truth and what is predicted by one name; empty if they do not."""
    sources = [table.source for table in tables]
    if not all(truth in table.values for table in tables):
        return ""
    named = [source for source in sources if any(word in Path(source).stem.casefold() for word in TRUTHS)]
    file = Path((named or sources)[0])
    new = file.with_name(f"{file.stem}-named{file.suffix}")
    shell = f"sed {shlex.quote(f'1s/{truth}/gold/')} {shlex.quote(str(file))} > {shlex.quote(str(new))}"
    how = f": {shell}" if file.suffix.lower() in SIGNS else ""
    columns = " and ".join(name for name in tables[0].values if all(name in table.values for table in tables))
    return (
        f"all files have the columns {columns}; if {file} holds the true labels, rename its column {truth}{how}, and "
        "name the new file in its place"
    )


def to_convert(needed: Mapping[str, Conversion]) -> DataError:
    """Say which commands make tables of several files."""
    shells = []
    for path, conversion in needed.items():
        file = Path(path.removesuffix(".gz"))
        ending = ".jsonl" if conversion.shell.startswith("jq") else file.suffix
        new = file.with_name(f"table-{file.stem}{ending}")
        shells.append(f"{conversion.pipe(path)} > {shlex.quote(str(new))}")
    how = next(iter(needed.values())).how
    return DataError(
        f"{' and '.join(needed)} can be read after a conversion ({how}), which is made here for a single file; name "
        f"the new files in place of the old after: {' && '.join(shells)}"
    )
