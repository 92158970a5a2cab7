"""Columns of one or several files become Counts; rows of several files are matched by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from outperform.counts import Counts
from outperform.errors import DataError, listing
from outperform.io.files import Columns, read
from outperform.labels import Label, spellings

__all__ = ["ItemColumns", "file_names", "read_counts", "read_items", "read_test_sets"]

Source: TypeAlias = str | Path | Columns


@dataclass(frozen=True)
class _Table:
    """Aligned columns: the truth, and each classifier's predictions under its name."""

    truth: list[Any]
    predictions: dict[str, list[Any]]
    size: list[float] | None = None


def read_counts(
    paths: Source | Sequence[Source],
    *,
    truth: str,
    predictions: Sequence[str],
    id: str | None = None,
    labels: Iterable[Label] | None = None,
    n: str | None = None,
    weights: str | None = None,
    separator: str | None = None,
    by_item: bool = False,
) -> Counts:
    """Count the outcomes in one file, or in several whose rows share ids.

    Parameters
    ----------
    paths : path or sequence of paths
        CSV, TSV or JSON lines, plain or gzip; "-" is standard input. Or columns that were read already.
    truth : str
        Column of the true labels, in the first file that has it.
    predictions : sequence of str
        Columns of predicted labels, one per classifier. A column that several files have gives one
        classifier a file, called by the file's name.
    id : str
        Column that tells the items apart; needed for several files.
    labels : sequence of labels
        All classes, where the data may lack some.
    n, weights : str
        Column of the number of items, or of the weight, that each row stands for.
    separator : str
        What stands between the labels of an item that may have any number of them, as in "cat;dog".
    by_item : bool
        Count kinds of items and not labels, for average="samples".

    Examples
    --------
    >>> import outperform as op
    >>> path = op.datasets.newsgroups_path()
    >>> counts = op.read_counts(path, truth="true", predictions=["nb_mult", "svm_l2"], id="doc_id")
    >>> counts.items
    7532
    """
    sources = _read_aligned(paths, id)
    predictions = [predictions] if isinstance(predictions, str) else predictions
    if truth in predictions:
        raise DataError(f"column {truth!r} cannot be both the truth and a prediction")
    columns = [truth, *predictions]
    label_sets = separator is not None or _holds_lists(sources, columns)
    if label_sets:
        if n or weights:
            raise DataError("label sets are counted one row an item; leave n= and weights= out")
        sources = [_split(source, columns, separator) for source in sources]
    holder = next((s for s in sources if truth in s.values), sources[0])
    size = None if n is None and weights is None else _numbers(holder, str(n or weights))
    table = _Table(holder.column(truth), _predictions(sources, predictions), size)
    _check_truths_agree(sources, truth, table.truth)
    if label_sets:
        return Counts.from_label_sets(table.truth, table.predictions, labels=labels, by_item=by_item)
    (table,), wanted = _typed([table], labels)
    return Counts.from_labels(
        table.truth,
        table.predictions,
        labels=wanted,
        n=table.size if n else None,
        weights=table.size if weights else None,
    )


@dataclass(frozen=True)
class ItemColumns:
    """Columns of items as they were read: the truth, outputs by name, and what the items belong to."""

    truth: list[Any] | None
    outputs: dict[str, list[Any]]
    cluster: list[Any] | None
    strata: list[Any] | None


def read_items(
    paths: Source | Sequence[Source],
    *,
    outputs: Sequence[str],
    truth: str | None = None,
    id: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    numbers: bool = True,
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
    """
    sources = _read_aligned(paths, id)
    twice = [name for name in (truth, cluster, strata) if name is not None and name in outputs]
    if twice:
        raise DataError(f"column {twice[0]!r} cannot be an output as well")
    found = _predictions(sources, outputs, numbers=numbers)
    kept: dict[str | None, list[Any] | None] = {None: None}
    for name in (truth, cluster, strata):
        if name is not None:
            kept[name] = next((s for s in sources if name in s.values), sources[0]).column(name)
            _check_truths_agree(sources, name, kept[name] or [])
    true = kept[truth]
    if true is not None:
        (table,), _ = _typed([_Table(true, {} if numbers else found)], None)
        true, found = table.truth, found if numbers else table.predictions
    return ItemColumns(true, found, kept[cluster], kept[strata])


def _read_aligned(paths: Source | Sequence[Source], id_column: str | None) -> list[Columns]:
    """Files with their rows in the same order."""
    given = [paths] if isinstance(paths, str | Path | Columns) else paths
    sources = [own if isinstance(own, Columns) else read(str(own)) for own in given]
    if not sources:
        raise DataError("there is no file to read; name at least one")
    if id_column is not None:
        return _aligned(sources, id_column)
    if len(sources) > 1:
        raise DataError(
            f"{len(sources)} files: name the column that tells the items apart with id=, "
            "or use the unpaired model if they hold different items"
        )
    return sources


def read_test_sets(
    paths: Sequence[str | Path], *, truth: str, predictions: Sequence[str], labels: Iterable[Label] | None = None
) -> Counts:
    """Count classifiers that were tested on items of their own, one file each.

    `predictions` names one column for all files, or one for each.
    """
    sources = [read(str(path)) for path in paths]
    columns = list(predictions) * len(sources) if len(predictions) == 1 else list(predictions)
    if len(columns) != len(sources):
        raise DataError(f"{len(sources)} files but {len(columns)} prediction columns; name one, or one for each")
    names = columns if len(set(columns)) == len(columns) else _names(sources)
    tables, wanted = _typed(
        [_Table(s.column(truth), {name: s.column(c)}) for s, c, name in zip(sources, columns, names, strict=True)],
        labels,
    )
    sets = {name: (table.truth, table.predictions[name]) for name, table in zip(names, tables, strict=True)}
    return Counts.from_test_sets(sets, labels=wanted)


def _predictions(sources: Sequence[Columns], columns: Sequence[str], *, numbers: bool = False) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    twice = [column for column in columns if list(columns).count(column) > 1]
    if twice:
        raise DataError(f"column {twice[0]!r} is named twice; name every column once")
    for column in columns:
        holders = [source for source in sources if column in source.values]
        if not holders:
            everything = [name for source in sources for name in source.values]
            raise DataError(f"no column {column!r}; there are {listing(dict.fromkeys(everything), 30)}")
        names = [column] if len(holders) == 1 else _names(holders)
        read_column = _numbers if numbers else Columns.column
        found.update({name: read_column(s, column) for name, s in zip(names, holders, strict=True)})
    return found


def _holds_lists(sources: Sequence[Columns], columns: Sequence[str]) -> bool:
    """Whether the labels are JSON lists."""
    held = (value for source in sources for name in columns for value in source.values.get(name, ()))
    return any(isinstance(value, list) for value in held)


def _split(source: Columns, columns: Sequence[str], separator: str | None) -> Columns:
    """The columns of labels as label sets."""
    if separator == "":
        raise DataError("the separator of labels is empty; give the character between them, as in ;")
    sets = {name: source.label_sets(name, separator) for name in columns if name in source.values}
    return Columns(source.source, source.values | sets, source.lines)


def _names(sources: Sequence[Columns]) -> list[str]:
    return file_names([source.source for source in sources])


def file_names(paths: Sequence[str]) -> list[str]:
    """What to call each file: its name without endings, or its whole path where that is not enough."""
    short = [Path(path).name.split(".")[0] for path in paths]
    names = short if len(set(short)) == len(short) else list(paths)
    return [name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names, start=1)]


def _aligned(sources: Sequence[Columns], id_column: str) -> list[Columns]:
    """Bring every file into the order of the first one's ids."""
    places = [_places(source, id_column) for source in sources]
    first = places[0]
    for source, place in zip(sources[1:], places[1:], strict=True):
        for have, lack, absent in (
            (sources[0], source, first.keys() - place.keys()),
            (source, sources[0], place.keys() - first.keys()),
        ):
            if absent:
                raise DataError(
                    f"{len(absent)} ids are in {have.source} but not in {lack.source}: "
                    f"{listing(sorted(absent, key=str), 5)}; both must hold the same items"
                )
    return [_reordered(source, [place[key] for key in first]) for source, place in zip(sources, places, strict=True)]


def _places(source: Columns, id_column: str) -> dict[Any, int]:
    places: dict[Any, int] = {}
    for place, key in enumerate(source.column(id_column)):
        if key in places:
            lines = source.lines[places[key]], source.lines[place]
            raise DataError(f"{source.source}: the id {key!r} is on line {lines[0]} and again on line {lines[1]}")
        places[key] = place
    return places


def _reordered(source: Columns, order: Sequence[int]) -> Columns:
    values = {name: [column[k] for k in order] for name, column in source.values.items()}
    return Columns(source.source, values, [source.lines[k] for k in order])


def _check_truths_agree(sources: Sequence[Columns], truth: str, first: Sequence[Any]) -> None:
    for source in sources:
        for line, mine, theirs in zip(source.lines, first, source.values.get(truth, first), strict=True):
            if mine != theirs:
                raise DataError(f"{source.source}, line {line}: {truth} is {theirs!r} but another file says {mine!r}")


def _numbers(source: Columns, name: str) -> list[Any]:
    """A column of numbers, or of lists of them."""
    numbers = []
    lists = source.values.get(name, [])[:1]
    column = source.values[name] if lists and isinstance(lists[0], list) else source.column(name)
    for line, value in zip(source.lines, column, strict=True):
        try:
            numbers.append([float(x) for x in value] if isinstance(value, list) else float(value))
        except (TypeError, ValueError):
            raise DataError(f"{source.source}, line {line}: {value!r} in column {name!r} is not a number") from None
    return numbers


def _typed(tables: Sequence[_Table], labels: Iterable[Label] | None) -> tuple[list[_Table], list[Label] | None]:
    """Text that is whole numbers throughout becomes whole numbers, and other numbers floats.

    All columns together, so that 1 and "1" never meet; floats are refused as labels further on.
    """
    wanted = None if labels is None else list(labels)
    columns = [column for t in tables for column in (t.truth, *t.predictions.values())]
    kind = _kind({value for column in [*columns, wanted or []] for value in column})
    if kind is str:
        known = {written: value for column in columns for value in set(column) for written in spellings(value)}
        return list(tables), None if wanted is None else [known.get(str(label), label) for label in wanted]
    typed = [
        _Table([kind(v) for v in t.truth], {k: [kind(v) for v in p] for k, p in t.predictions.items()}, t.size)
        for t in tables
    ]
    return typed, None if wanted is None else [kind(v) for v in wanted]


def _kind(texts: set[Any]) -> Any:
    """The type that all texts are written as: int, float, or else str (and anything JSON typed stays)."""
    if not all(isinstance(text, str) for text in texts):
        return str
    try:
        numbers = {text: float(text) for text in texts}
    except ValueError:
        return str
    if all(str(int(number)) == text for text, number in numbers.items() if isfinite(number)):
        return float if any(not isfinite(number) for number in numbers.values()) else int
    return float if any("." in text for text in texts) else str
