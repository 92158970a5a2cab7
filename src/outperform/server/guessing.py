"""The roles of columns, guessed from names and values; the page shows the guess and the user corrects it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import Any

from outperform.data.labels import is_number, sorted_labels
from outperform.io import Columns

__all__ = ["Column", "Guess", "columns_in", "guess"]

TRUTHS = ("truth", "true", "ytrue", "gold", "label", "target", "actual", "class", "reference", "expected", "y")
IDS = ("id", "item", "doc", "document", "key", "index", "uid", "")
NUMBERS = ("n", "count", "items", "frequency", "freq")
MOST_LABELS = 500  # that a page lists
FEWEST_IDS = 10  # values that all differ are ids only if there are some


@dataclass(frozen=True)
class Column:
    """What a page shows of a column: its labels in order, and which to take for positive."""

    name: str
    labels: tuple[str, ...]  # none where there are too many
    positive: str | None  # the rarer of two, where neither goes without saying
    different: int  # values
    numbers: bool  # with fractions


@dataclass(frozen=True)
class Guess:
    """Names of columns."""

    truth: str | None
    predictions: tuple[str, ...]
    id: str | None
    n: str | None
    scores: bool  # whether predictions are numbers and not labels


def columns_in(columns: Columns) -> tuple[Column, ...]:
    """Look at every column."""
    return tuple(_column(name, values) for name, values in columns.values.items())


def guess(columns: tuple[Column, ...], rows: int) -> Guess:
    """Take names at their word, and then what predicts the labels of the truth for predictions."""
    named = {_plain(column.name): column for column in reversed(columns)}
    n = next((named[name] for name in NUMBERS if name in named), None)
    ids = [column for column in columns if column is not n and _is_id(column, rows)]
    rest = [column for column in columns if column is not n and column not in ids]
    labelled = [column for column in rest if column.labels and not column.numbers]
    known = {_plain(column.name): column for column in reversed(labelled)}
    truth = next((known[name] for name in TRUTHS if name in known), labelled[0] if labelled else None)
    same = [column for column in labelled if column is not truth and truth and set(column.labels) & set(truth.labels)]
    scores = [column for column in rest if column.numbers]
    found = same if len(same) > 1 or not scores else scores
    return Guess(
        truth.name if truth else None,
        tuple(column.name for column in found),
        ids[0].name if ids else None,
        n.name if n else None,
        bool(found) and found is scores,
    )


def _column(name: str, values: list[Any]) -> Column:
    often = {label: n for label, n in _counted(values).items() if isinstance(label, str | int | float) and label != ""}
    few = dict(islice(often.items(), MOST_LABELS))
    texts = list(map(str, few))
    numbers = bool(texts) and all(map(is_number, texts)) and any("." in text for text in texts)
    whole = all(text.removeprefix("-").isdecimal() for text in texts)
    ordered = sorted(few, key=int) if whole else sorted_labels(set(few))
    labels = tuple(map(str, ordered)) if len(few) == len(often) else ()
    obvious = set(labels) in ({"0", "1"}, {"-1", "1"})
    positive = str(min(few, key=lambda label: few[label])) if len(labels) == 2 and not obvious else None
    return Column(name, labels, positive, len(often), numbers)


def _counted(values: list[Any]) -> Counter[Any]:
    """Number of occurrences of each label, alone or in lists."""
    try:
        return Counter(values)
    except TypeError:
        return Counter(str(label) for value in values for label in (value if isinstance(value, list) else [value]))


def _is_id(column: Column, rows: int) -> bool:
    plain = _plain(column.name)
    named = plain in IDS or (plain.endswith("id") and column.name[-3:-2] in ("_", "-", " ", "."))
    return column.different == rows and not column.numbers and (named or rows >= FEWEST_IDS)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
