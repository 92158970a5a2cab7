"""Several files of one test set: what keeps them from being read together, and the command that helps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from outperform.base.errors import DataError
from outperform.io.converting import Conversion
from outperform.io.files import Columns

__all__ = ["Pasted", "in_order", "new_names", "to_convert"]

TRUTHS = ("gold", "truth", "true", "label", "reference", "target")  # in the name of the file of the truth
SIGNS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
LONGEST = 2**20  # bytes of a header


class Pasted:
    """Two tables or more side by side: their columns, and the command that writes them."""

    def __init__(self, columns: Columns, pipe: str, predictions: tuple[str, ...]) -> None:
        self.columns, self.pipe, self.predictions = columns, pipe, predictions


def in_order(tables: Sequence[Columns], truth: str, predicted: str) -> Pasted | None:
    """Return tables side by side if row by row they have the same truth, as where they hold the same items; else None.

    Only lines of text with a row each can be pasted. A truth of one class says nothing of the order.
    """
    first, names = tables[0].values, [Path(table.source).stem for table in tables]
    signs = {SIGNS.get(Path(table.source).suffix.lower()) for table in tables}
    same = truth in first and all(
        list(table.values) == list(first) and table.values[truth] == first[truth] and predicted in table.values
        for table in tables
    )
    rows = range(2, len(tables[0].lines) + 2)
    if not same or None in signs or len(signs) > 1 or len({*names, truth}) <= len(names) or len(set(first[truth])) < 2:
        return None
    if any(list(table.lines) != list(rows) for table in tables) or _is_awkward(tables, str(*signs)):
        return None
    columns: dict[str, list[object]] = {truth: first[truth]}
    header = []
    for name, table in zip(names, tables, strict=True):
        for column, values in table.values.items():
            new = name if column == predicted else truth if (column, name) == (truth, names[0]) else f"{name}-{column}"
            header.append(new)
            columns[new] = values
    (sign,) = signs
    written = str(sign).join(header).replace("/", "\\/").replace("&", "\\&")
    paste = "paste" if sign == "\t" else "paste -d,"
    files = shlex.join(table.source for table in tables)
    pipe = f"{paste} {files} | sed {shlex.quote(f'1s/.*/{written}/')}"
    return Pasted(Columns(tables[0].source, columns, tables[0].lines), pipe, tuple(names))


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
    columns = " and ".join(tables[0].values)
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
