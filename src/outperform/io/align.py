"""Columns of one or several files become Counts; rows of several files are matched by their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from outperform.base.errors import DataError, listing, unusable
from outperform.data.counts import Counts
from outperform.data.diagnosis import spelt_alike
from outperform.data.labels import Label, as_labels, spellings
from outperform.io.files import Columns
from outperform.io.judged import as_scores
from outperform.io.mistaken import FEW, no_column, repeated
from outperform.io.sources import Source
from outperform.io.tables import holds_lists, read
from outperform.io.typed import MARKS, kind_of, unread, with_points

__all__ = [
    "ItemColumns", "aligned", "check_agree", "check_several", "file_names", "holders", "lacking", "no_number",
    "numbered", "numbers_of", "read_items", "read_test_sets", "split",
]  # fmt: skip

Given: TypeAlias = str | Path | Columns
SHOWN = 5  # ids in a message
NO_NUMBER = "give it a number, or remove the item for all systems"


@dataclass(frozen=True)
class ItemColumns:
    """Columns of items as they were read: the truth, outputs by name, and what the items belong to."""

    truth: list[Any] | None
    outputs: dict[str, list[Any]]
    cluster: list[Any] | None
    strata: list[Any] | None


def read_items(
    paths: Given | Sequence[Given],
    *,
    outputs: Sequence[str],
    truth: str | None = None,
    id: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    numbers: bool = True,
    separator: str | None = None,
) -> ItemColumns:
    """Read items row by row from one file, or from several whose rows share ids.

    Parameters
    ----------
    paths, truth, id
        As in `read_counts`; the truth may be left out where outputs are scores.
    outputs : sequence of str
        Columns of what the systems put out.
    cluster, strata : str
        Columns of what each item belongs to.
    numbers : bool
        Whether outputs are numbers (or lists of them, in JSON), and not labels.
    separator : str
        What stands between the labels of an item that may have several; in JSON they are lists.
    """
    given = [paths] if isinstance(paths, str | Path | Columns) else paths
    check_several(given, id)
    sources = aligned([table if isinstance(table, Columns) else read(str(table)) for table in given], id)
    for role, name in {"truth": truth, "cluster": cluster, "strata": strata}.items():
        if name is not None and name in outputs:
            raise DataError(f"column {name!r} cannot be both the {role} and a prediction")
    labels = [] if numbers else [name for name in (truth, *outputs) if name is not None]
    sets = separator is not None or any(holds_lists(s, name) for s in sources for name in labels if name in s.values)
    sources = [split(source, labels, separator) for source in sources] if sets else sources
    read_column = Columns.column if not numbers else scores_of if truth is None else numbers_of
    found = {name: read_column(sources[k], column) for name, column, k in holders(sources, outputs)}
    kept: dict[str | None, list[Any] | None] = {None: None}
    for name in (truth, cluster, strata):
        if name is not None:
            kept[name] = next((s for s in sources if name in s.values), sources[0]).column(name)
            for source in sources:
                check_agree(source, name, kept[name] or [])
    true = kept[truth]
    if true is not None and not sets:
        true = with_points(true) if numbers else true
        (true, *typed), _ = _typed([true, *([] if numbers else found.values())], None)
        found = found if numbers else dict(zip(found, typed, strict=True))
    return ItemColumns(true, found, kept[cluster], kept[strata])


def check_several(given: Sequence[object], id_column: str | None) -> None:
    """Check that there are files, and that several files have ids."""
    if not given:
        raise DataError("there is no file to read; name at least one")
    if len(given) > 1 and id_column is None:
        raise unusable(
            "{number} files: name the column that tells the items apart with {id}, or {use_unpaired} if they hold "
            "different items (parts of one table are named as a folder, or by a pattern in quotes)",
            number=len(given),
        )


def read_test_sets(
    paths: Sequence[str | Path], *, truth: str, predictions: Sequence[str], labels: Iterable[Label] | None = None
) -> Counts:
    """Count classifiers that were tested on different items, one file each.

    `predictions` names one column for all files, or one for each.
    """
    sources = [read(str(path)) for path in paths]
    columns = list(predictions) * len(sources) if len(predictions) == 1 else list(predictions)
    if len(columns) != len(sources):
        raise DataError(f"{len(sources)} files but {len(columns)} prediction columns; name one, or one for each")
    names = columns if len(set(columns)) == len(columns) else file_names([source.source for source in sources])
    read_columns = [s.column(name) for s, c in zip(sources, columns, strict=True) for name in (truth, c)]
    typed, wanted = _typed(read_columns, labels)
    sets = dict(zip(names, zip(typed[::2], typed[1::2], strict=True), strict=True))
    return Counts.from_test_sets(sets, labels=wanted)


def split(source: Columns, columns: Sequence[str], separator: str | None) -> Columns:
    """Return a table with these columns of labels as label sets."""
    if separator == "":
        raise DataError("the separator of labels is empty; give the character between them, as in ;")
    sets = {name: source.label_sets(name, separator) for name in columns if name in source.values}
    return Columns(source.source, source.values | sets, source.lines)


def holders(tables: Sequence[Columns | Source], columns: Sequence[str]) -> list[tuple[str, str, int]]:
    """Where columns are: what to call each, its name and the number of its table; several tables may have it."""
    twice = repeated(columns)
    if twice is not None:
        raise DataError(f"column {twice!r} is named twice; name every column once")
    found = []
    for column in columns:
        having = [k for k, table in enumerate(tables) if column in table.values]
        if not having:
            raise no_column(column, {table.source: _first(table).values for table in tables})
        names = [column] if len(having) == 1 else file_names([tables[k].source for k in having])
        found += [(name, column, k) for name, k in zip(names, having, strict=True)]
    often = Counter(name for name, _, _ in found)  # where files have several of the columns, each is a system
    return [(name if often[name] == 1 else f"{name}: {column}", column, k) for name, column, k in found]


def _first(table: Columns | Source) -> Columns | Source:
    """Return a text with the values of its first rows, by which it is seen whether it has a header."""
    return table if isinstance(table, Columns) or table.binary else read(table.name, FEW)


def file_names(paths: Sequence[str]) -> list[str]:
    """Names of files: without folders and endings, or whole paths where these are not unique."""
    short = [Path(path).name.split(".")[0] for path in paths]
    return numbered(short if len(set(short)) == len(short) else list(paths))


def numbered(names: Sequence[str]) -> list[str]:
    """Names, those that are not unique with their place."""
    return [name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names, start=1)]


def aligned(sources: Sequence[Columns], id_column: str | None) -> list[Columns]:
    """Bring every file into the order of the first one's ids, where there are ids."""
    if id_column is None:
        return list(sources)
    places = [_places(source, id_column) for source in sources]
    first = places[0]
    for source, place in zip(sources[1:], places[1:], strict=True):
        ours, theirs = sorted(first.keys() - place.keys()), sorted(place.keys() - first.keys())
        for have, lack, absent, others in ((sources[0], source, ours, theirs), (source, sources[0], theirs, ours)):
            if absent:
                raise lacking(have.source, lack.source, len(absent), absent, others)
    return [_reordered(source, [place[key] for key in first]) for source, place in zip(sources, places, strict=True)]


def lacking(have: str, lack: str, number: int, absent: Sequence[str], others: Sequence[str]) -> DataError:
    """Return the error for ids that are in one table alone; others are in the other alone, perhaps the same ones."""
    more = f" and {number - SHOWN} more" if number > SHOWN else ""
    ids = "1 id is" if number == 1 else f"{number} ids are"
    found = f"{ids} in {have} but not in {lack}: {listing(absent[:SHOWN])}{more}"
    return DataError(f"{found}; {spelt_alike(absent, others)}add them to the second or remove them from the first")


def _places(source: Columns, id_column: str) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, key in enumerate(map(_text, source.column(id_column))):
        if key in places:
            lines = source.lines[places[key]], source.lines[place]
            raise DataError(f"{source.source}: the id {key!r} is on line {lines[0]} and again on line {lines[1]}")
        places[key] = place
    return places


def _text(value: Any) -> str:
    """A value as text, which is the same in all formats."""
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _reordered(source: Columns, order: Sequence[int]) -> Columns:
    values = {name: [column[k] for k in order] for name, column in source.values.items()}
    return Columns(source.source, values, [source.lines[k] for k in order])


def check_agree(source: Columns, name: str, first: Sequence[Any]) -> None:
    """Check that a column holds the same values as that of another file."""
    for line, mine, theirs in zip(source.lines, first, source.values.get(name, first), strict=True):
        if mine != theirs and _text(mine) != _text(theirs):
            raise DataError(f"{source.source}, line {line}: {name} is {theirs!r} but another file says {mine!r}")


def scores_of(source: Columns, name: str) -> list[Any]:
    """A column of scores: numbers, or words that say whether an item is right."""
    values = {**source.values, name: list(as_scores(source.values[name]))}
    return numbers_of(Columns(source.source, values, source.lines), name)


def numbers_of(source: Columns, name: str) -> list[Any]:
    """A column of numbers, or of lists of them."""
    found = []
    lists = source.values.get(name, [])[:1]
    listed = bool(lists) and isinstance(lists[0], list)
    column = source.values[name] if listed else with_points(source.column(name, NO_NUMBER))
    for line, value in zip(source.lines, column, strict=True):
        try:
            found.append([float(x) for x in value] if isinstance(value, list) else float(value))
        except (TypeError, ValueError):
            raise no_number(source, line, name, value) from None
    return found


def no_number(source: Columns, line: int, name: str, value: object) -> DataError:
    """Return the error for a value of a column of numbers, with what to do where it is a number in another notation."""
    text = str(value).strip()
    said = NO_NUMBER if text in MARKS or not text else unread(text)
    advice = f"; {said}" if said else ""
    return DataError(f"{source.source}, line {line}: {value!r} in column {name!r} is not a number{advice}")


def _typed(
    columns: Sequence[list[Any]], labels: Iterable[Label] | None
) -> tuple[Sequence[list[Any]], list[Label] | None]:
    """Convert text that is whole numbers throughout to whole numbers, and other numbers to floats.

    All columns are converted together, so that 1 and "1" never meet; floats are refused as labels further on.
    """
    wanted = as_labels(labels)
    kind = kind_of({value for column in [*columns, wanted or []] for value in column})
    if kind is str:
        known = {written: value for column in columns for value in set(column) for written in spellings(value)}
        return columns, None if wanted is None else [known.get(str(label), label) for label in wanted]
    return [[kind(v) for v in column] for column in columns], wanted and [kind(v) for v in wanted]
