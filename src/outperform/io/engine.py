"""Large text files, and files that are joined by ids, are counted by DuckDB: one query, of which the counts come back.

Every name in a query is quoted. Columns of CSV are called by their place, so that theirs never reach the query; values
of JSON lines are grouped as JSON and read afterwards, so that 1 and "1" stay two labels.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape, has_magic
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from outperform.base.errors import TOO_LONG, DataError, count, need
from outperform.base.progress import bar
from outperform.base.system import link
from outperform.data.frames import check_sizes, check_whole
from outperform.data.labels import is_missing
from outperform.data.tally import Tally
from outperform.io.align import lacking
from outperform.io.files import NO_LABEL, is_label, no_label
from outperform.io.sources import DELIMITERS, Source, is_usual

__all__ = ["Pick", "Picked", "UnusualTextError", "tally_joined"]

MEMORY = "512MB"  # beyond which what has to be kept is written to disk
SHARE = 2_000_000  # ids that are grouped at a time
PATIENCE = 0.1  # seconds between looks at how far it is
KEY = '"outperform key"'
FEW = 1000  # ids that are compared to say in what they differ


class UnusualTextError(Exception):
    """Text that the engine would read differently than our readers, which read it then."""


@dataclass(frozen=True)
class Pick:
    """A column of one of the sources, by its number."""

    source: int
    column: str


@dataclass(frozen=True)
class Picked:
    """The columns that are counted: the truth, the classifiers, whose names are given, and the slices."""

    names: list[str]
    columns: list[Pick]
    truths: list[Pick]  # of the other tables, which must agree
    size: Pick | None  # the column that says how often a row counts
    whole: bool  # whether sizes must be whole numbers


def tally_joined(sources: Sequence[Source], picked: Picked, id: str | None, *, complete: bool, progress: bool) -> Tally:
    """Count combinations of columns of one source, or of several whose rows share ids.

    Parameters
    ----------
    sources : sequence of Source
        Tables.
    picked : Picked
        Columns that are counted.
    id : str
        Column that tells rows apart, in every source; needed for several.
    complete : bool
        Whether a row of text without a value is refused by its line.
    progress : bool
        Whether to show a bar where stderr is a terminal.
    """
    texts = [source for source in sources if not source.binary]
    picks, true, size = picked.columns, picked.columns[0], picked.size
    if not all(is_usual(file, source.format) for source in texts for file in source.files):
        raise UnusualTextError
    with _engine() as (engine, folder):
        tables = [_Table.of(number, source, engine, folder) for number, source in enumerate(sources)]
        question = _Question(engine, tables, id, progress)
        question.check_keys()
        if id is not None:
            question.check_ids()
        cells = [tables[pick.source].value(pick.column) for pick in picks]
        mine = tables[true.source].text(true.column)
        differ = [f"{tables[pick.source].text(pick.column)} IS DISTINCT FROM {mine}" for pick in picked.truths]
        often = "1" if size is None else f"CAST({tables[size.source].text(size.column)} AS DOUBLE)"
        found = question.ask(
            f"SELECT {', '.join(cells)}, {' OR '.join(differ) or 'false'}, count(*), sum({often}), min({often}), "
            f"count({often}), max({often} % 1), sum({often} * {often}) FROM {question.joined()} "
            "GROUP BY ALL ORDER BY ALL"
        )
        *columns, differs, rows, total, least, there, rest, squares = (
            zip(*found, strict=True) if found else [()] * (len(picks) + 7)
        )
        if any(differs):
            raise DataError(question.disagreement(true, picked.truths))
    if size is not None:
        check_sizes(least, size.column, complete=rows == there)
        check_whole(rest if picked.whole else (), size.column)
    values = [tables[pick.source].read(column) for pick, column in zip(picks, columns, strict=True)]
    for pick, column in zip(picks, values, strict=True):
        if any(isinstance(value, list | dict) or (complete and value is None) for value in column):
            _refuse_values(sources[pick.source], pick.column, complete=complete)
    return Tally.of_table(values, total if size is None or picked.whole else np.array([total, rows, squares]))


@dataclass(frozen=True)
class _Table:
    """A source in SQL: what is written after FROM, and how columns are written."""

    alias: str
    source: Source
    relation: str
    objects: str = ""  # the same as whole lines of JSON

    @classmethod
    def of(cls, number: int, source: Source, engine: Any, folder: Path) -> _Table:
        """Let the engine read a source; nothing is read yet."""
        files = ", ".join(_literal(_plain(file, folder)) for file in source.files)
        alias = f"t{number}"
        if source.format == "parquet":
            return cls(alias, source, f"read_parquet([{files}], union_by_name = true)")
        if source.format == "arrow":
            from pyarrow import dataset

            engine.register(alias, dataset.dataset(list(source.files), format="ipc"))
            return cls(alias, source, alias)
        if source.format == "jsonl":
            types = ", ".join(f"{_literal(name)}: 'JSON'" for name in source.columns)
            read = f"read_ndjson([{files}], columns = {{{types}}})"
            return cls(alias, source, read, f"read_ndjson_objects([{files}])")
        types = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(source.columns)))
        return cls(
            alias,
            source,
            f"read_csv([{files}], columns = {{{types}}}, auto_detect = false, header = true, quote = '\"', "
            f"escape = '\"', delim = {_literal(DELIMITERS[source.format])})",
        )

    def value(self, column: str) -> str:
        """A column in SQL, as it is counted."""
        if self.source.format in DELIMITERS:
            return f"{self.alias}.c{self.source.columns.index(column)}"
        others = [name for name in self.source.columns if name != column and name.lower() == column.lower()]
        if others and not self.source.binary:
            raise UnusualTextError
        if others:
            raise DataError(f"{self.source.name} has columns {column!r} and {others[0]!r}; rename one of them")
        return f"{self.alias}.{_name(column)}"

    def text(self, column: str) -> str:
        """A column in SQL as text, which is the same in all formats."""
        value = self.value(column)
        return f"json_extract_string({value}, '$')" if self.source.format == "jsonl" else f"CAST({value} AS VARCHAR)"

    def read(self, values: Sequence[Any]) -> list[Any]:
        """Values of a column that came back; an empty text is a missing value."""
        if self.source.format == "jsonl":
            try:
                values = [None if value is None else json.loads(value) for value in values]
            except ValueError:
                raise _explained([self], TOO_LONG) from None
        return [None if value == "" or is_missing(value) else value for value in values]


@dataclass(frozen=True)
class _Question:
    """Queries about some tables."""

    engine: Any
    tables: Sequence[_Table]
    id: str | None
    progress: bool

    def joined(self, kind: str = "JOIN") -> str:
        """The FROM clause that joins all tables by id."""
        first, *others = (self._keyed(table) for table in self.tables)
        return first + "".join(f" {kind} {other} USING ({KEY})" for other in others)

    def check_keys(self) -> None:
        """Check that all lines of JSON have the keys of the first one, each once."""
        for table in (table for table in self.tables if table.objects):
            keys, order = (
                ", ".join(map(_literal, names)) for names in (table.source.columns, sorted(table.source.columns))
            )
            odd = f"json_keys(json) IS DISTINCT FROM [{keys}] AND list_sort(json_keys(json)) IS DISTINCT FROM [{order}]"
            if self.ask(f"SELECT 1 FROM {table.objects} WHERE {odd} LIMIT 1"):
                raise _explained(self.tables, "its keys differ")

    def check_ids(self) -> None:
        """Every id is in every table, and once.

        Of two tables that is so if and only if their full join has as many rows as each of them. Joins need less
        memory than groups do, so ids are grouped only to find out which one is wrong.
        """
        first, *others = self.tables
        sizes = [self.ask(f"SELECT count(*) FROM {self._keyed(table)}")[0][0] for table in self.tables]
        if not others:
            self._check_once(first, sizes[0])
        for other, size in zip(others, sizes[1:], strict=True):
            one, two = self._keyed(first, "a"), self._keyed(other, "b")
            ((rows,),) = self.ask(f"SELECT count(*) FROM {one} FULL JOIN {two} ON a.{KEY} = b.{KEY}")
            if not rows == sizes[0] == size:
                for table, rows_of_table in ((first, sizes[0]), (other, size)):
                    self._check_once(table, rows_of_table)
                self._check_same(first, other)
                self._check_same(other, first)

    def _check_once(self, table: _Table, rows: int) -> None:
        """Check that no id is repeated, for a share of the ids at a time, so that they fit into memory."""
        ((gaps,),) = self.ask(f"SELECT count(*) FROM {self._keyed(table)} WHERE {KEY} IS NULL")
        if gaps:
            found = f"{table.source.name}: {count(gaps, 'row')} without a value in {self.id!r}"
            raise DataError(f"{found}; every row needs one")
        shares = 1 + rows // SHARE
        for share in range(shares):
            some = f"{self._keyed(table)} WHERE hash({KEY}) % {shares} = {share}"
            for key, often in self.ask(f"SELECT {KEY}, count(*) FROM {some} GROUP BY ALL HAVING count(*) > 1 LIMIT 1"):
                raise DataError(f"{table.source.name}: the id {key!r} is there {often} times; every row needs its own")

    def _check_same(self, have: _Table, lack: _Table) -> None:
        one, two = self._keyed(have), self._keyed(lack)
        missing, other = (f"{this} ANTI JOIN {that} USING ({KEY})" for this, that in ((one, two), (two, one)))
        ((number,),) = self.ask(f"SELECT count(*) FROM {missing}")
        if number:
            absent, others = (
                [str(key) for (key,) in self.ask(f"SELECT {KEY} FROM {ids} ORDER BY {KEY}::VARCHAR LIMIT {FEW}")]
                for ids in (missing, other)
            )
            raise lacking(have.source.name, lack.source.name, number, absent, others)

    def disagreement(self, first: Pick, others: Sequence[Pick]) -> str:
        """Describe an item on which two tables disagree."""
        one = self.tables[first.source]
        for pick in others:
            two = self.tables[pick.source]
            our, their = one.text(first.column), two.text(pick.column)
            where = f"{our} IS DISTINCT FROM {their} ORDER BY {KEY} LIMIT 1"
            for key, mine, theirs in self.ask(f"SELECT {KEY}, {our}, {their} FROM {self.joined()} WHERE {where}"):
                return (
                    f"{two.source.name}: {pick.column} of {key!r} is {theirs!r}, but {one.source.name} says {mine!r}; "
                    "correct one of them"
                )
        raise AssertionError

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query in a thread, so that it can be watched and interrupted."""
        import duckdb

        name = self.tables[0].source.name
        with ThreadPoolExecutor(1) as pool, bar(f"counting {name}", 100, show=self.progress) as done:
            answer = pool.submit(lambda: self.engine.execute(query).fetchall())
            try:
                shown = 0.0
                while wait([answer], PATIENCE).not_done:
                    now = max(self.engine.query_progress(), shown)
                    done(int(now) - int(shown))
                    shown = now
            except BaseException:
                self.engine.interrupt()
                raise
        try:
            return list(answer.result())
        except duckdb.Error as error:
            raise _explained(self.tables, str(error)) from None

    def _keyed(self, table: _Table, alias: str | None = None) -> str:
        relation = f"{table.relation} AS {table.alias}"
        keyed = "" if self.id is None else f"(SELECT *, NULLIF({table.text(self.id)}, '') AS {KEY} FROM {relation})"
        return f"{keyed} AS {alias or table.alias}" if keyed else relation


@contextmanager
def _engine() -> Iterator[tuple[Any, Path]]:
    """DuckDB in memory, with a folder for what does not fit, which is gone afterwards."""
    duckdb = need("duckdb", "data")
    with TemporaryDirectory(prefix="outperform-") as folder:
        settings = {"memory_limit": MEMORY, "temp_directory": folder, "preserve_insertion_order": "false"}
        settings |= {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        with duckdb.connect(config=settings) as engine:
            engine.execute("SET enable_progress_bar = true")  # so that it can be asked how far it is,
            engine.execute("SET enable_progress_bar_print = false")  # but shows nothing itself
            yield engine, Path(folder)


def _explained(tables: Sequence[_Table], error: str) -> Exception:
    """The error in a text file, found line by line; for other files the engine's error, in one line."""
    texts = [table.source for table in tables if not table.source.binary]
    faults = (_fault(source, file) for source in texts for file in source.files)
    reason = error.splitlines()[0].partition("Error: ")[2] or error.splitlines()[0]
    other = DataError(f"{tables[0].source.name} cannot be counted: {reason.rstrip('. ')}")
    return next(filter(None, faults), UnusualTextError() if texts else other)


def _fault(source: Source, file: str) -> DataError | None:
    try:
        deque(source.rows(file), maxlen=0)
    except DataError as found:
        return found
    return None


def _refuse_values(source: Source, column: str, *, complete: bool) -> None:
    """Say on which line of a text file there is no label."""
    for file in () if source.binary else source.files:
        for line, row in source.rows(file):
            value = row[column]
            if not is_label(value) and (complete or isinstance(value, list | dict)):
                raise no_label(value, f"{file}, line {line}", column, NO_LABEL)


def _plain(file: str, folder: Path) -> str:
    """A path that is no pattern: a link to the file where its name would be read as one, or the pattern of that name.

    The pattern does for names without a backslash, which no file has where links may not be made.
    """
    if not has_magic(file):
        return file
    short = folder / f"{len(list(folder.iterdir()))}{''.join(Path(file).suffixes[-2:])}"
    return str(short) if link(short, Path(file).resolve()) else escape(Path(file).as_posix())


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
