"""The roles of columns, guessed from names and values.

The page shows the guess and the user corrects it; the command says what it guessed, and asks where names do not tell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, permutations
from math import isfinite, isnan, nan
from typing import Any

from outperform.data.class_scores import by_class
from outperform.data.diagnosis import is_blank, separator_of, spelt
from outperform.data.labels import is_number, sorted_labels
from outperform.io.files import Columns
from outperform.io.names import (
    CLUSTERS,
    FOLDS,
    LIKELY_TRUTHS,
    LOSSES,
    NEGATIVES,
    NUMBERS,
    POSITIVES,
    SCORED,
    TRUE_WORDS,
    TRUTHS,
    plain,
    says_id,
    says_predicted,
    words_in,
)
from outperform.io.typed import MARKS, with_points

__all__ = ["Guess", "SeenColumn", "columns_in", "guess", "ids_of", "named_id", "positive_of"]

NEGATED = re.compile(r"^(?:not|non|no)[ _-]*")  # spam is positive, and not-spam is not
OBVIOUS = ({"0", "1"}, {"-1", "1"}, {"true", "false"}, {"True", "False"})
MOST_LABELS = 500  # that a page lists
MOST_DIGITS = 300  # of a whole number that a float holds
MOSTLY = 0.5  # of many values, shared by two columns of the same classes
FEWEST_IDS = 10  # values that all differ are ids only if there are some
FEWEST_CLUSTERS = 10
ROUNDED = 0.011  # how far from 1 two probabilities add up that are rounded to two digits


@dataclass(frozen=True)
class SeenColumn:
    """A column as the page shows it.

    Attributes
    ----------
    labels : tuple of str
        In order; empty where there are too many to list.
    positive : str
        The label to take for positive: of two, where neither goes without saying, the one that says yes or the rarer.
    different : int
        Number of values.
    numbers : bool
        Whether the values are numbers, some with fractions.
    unit : bool
        Whether they are numbers from 0 to 1, as probabilities are.
    separator : str
        The character between the labels of an item that may have several.
    shares : tuple of str
        In a table with too many labels to list: the columns that have most values in common with this one.
    complement : str
        The column that holds 1 - p where this one holds p.
    """

    name: str
    labels: tuple[str, ...]
    positive: str | None
    different: int
    numbers: bool
    unit: bool = False
    separator: str | None = None
    shares: tuple[str, ...] = ()
    complement: str | None = None

    @property
    def asked(self) -> str:
        """The positive one of two labels, which may go without saying."""
        return self.positive or self.labels[1]

    @property
    def labelled(self) -> bool:
        """Whether the values may be classes."""
        return not self.numbers and bool(self.labels or self.shares)

    @property
    def whole(self) -> bool:
        """Whether the labels are whole numbers."""
        return _is_whole(self.labels)

    @property
    def truths(self) -> bool:
        """Whether the labels are true and false."""
        return {label.casefold() for label in self.labels} == {"true", "false"}


@dataclass(frozen=True)
class Guess:
    """Names of columns, by role.

    `scores` says that predictions are numbers and not labels, `measure` what they are then scored by; without a truth
    they are scores of the items, of which `lower` says that lower ones are better. `sure` is False where nothing but
    its place makes a column the truth. `aside` are scores of classes that are not used.
    """

    truth: str | None
    predictions: tuple[str, ...]
    id: str | None
    n: str | None
    scores: bool
    measure: str | None = None
    separator: str | None = None
    cluster: str | None = None
    sure: bool = True
    lower: bool = False
    aside: tuple[str, ...] = ()


def columns_in(columns: Columns) -> tuple[SeenColumn, ...]:
    """Look at every column."""
    seen = _with_complements([_column(name, values) for name, values in columns.values.items()], columns)
    repeated = [column for column in seen if column.different < len(columns.lines) and not column.numbers]
    if not any(column.different > MOST_LABELS for column in repeated):
        return seen
    values = {column.name: set(map(spelt, columns.values[column.name])) for column in repeated}
    return tuple(replace(column, shares=_shares(column.name, values)) for column in seen)


def _with_complements(seen: Sequence[SeenColumn], columns: Columns) -> tuple[SeenColumn, ...]:
    """Columns of probabilities learn which other column adds up to 1 with them in every row."""
    texts = {column.name: with_points(columns.values[column.name]) for column in seen if column.unit}
    first = {name: _number(values[0]) for name, values in texts.items()}
    found: dict[str, str] = {}
    for a, b in combinations(texts, 2):
        if abs(first[a] + first[b] - 1) > ROUNDED:  # which rules most of hundreds of columns out at once
            continue
        if all(map(_are_complements, texts[a], texts[b])):
            found |= {a: b, b: a}
    return tuple(replace(column, complement=found.get(column.name)) for column in seen)


def _are_complements(a: object, b: object) -> bool:
    one, other = _number(a), _number(b)
    return (isnan(one) and isnan(other)) or abs(one + other - 1) <= ROUNDED


def _number(value: object) -> float:
    """The number that a value of a column of numbers is; nan where it is missing."""
    return float(str(value)) if _is_label(value) and value not in MARKS else nan


def _shares(name: str, values: Mapping[str, set[str]]) -> tuple[str, ...]:
    """Return the columns that have most values of a column, or most of whose values it has."""
    mine = values.get(name, set[str]())
    others = {other: theirs for other, theirs in values.items() if other != name and mine}
    return tuple(
        other for other, theirs in others.items() if len(mine & theirs) >= MOSTLY * min(len(mine), len(theirs))
    )


def guess(
    columns: Sequence[SeenColumn],
    rows: int,
    truth: str | None = None,
    predictions: Collection[str] = (),
    *,
    numbers: bool | None = None,
) -> Guess:
    """Take names at their word, and then what predicts the labels of the truth for predictions.

    `truth` and `predictions` are the columns that the user has named, `numbers` says that predictions are such, or not.
    """
    free = [column for column in columns if column.name != truth and column.name not in predictions]
    named = {plain(column.name): column for column in reversed(free) if column.whole}
    n = next((named[name] for name in NUMBERS if name in named), None)
    ids = _ids([column for column in free if column is not n], rows)
    groups = [column for column in free if plain(column.name) in CLUSTERS and _is_clustered(column, rows)]
    repeated = [column for column in free if named_id(column) and column.different > FEWEST_IDS]  # ids of several rows
    aside = [*ids, *groups, *repeated, *(column for column in free if _is_fold(column))]
    rest = [column for column in columns if column is not n and column not in aside]
    true, sure = _truth([column for column in rest if column.name not in predictions], truth)
    found = [column for column in rest if column.name in predictions] or _predictions(rest, true, numbers)
    scores = bool(found) and all(column.numbers for column in found)
    systems = [] if predictions else _systems([column for column in rest if column.numbers], true)
    separator = true.separator if true and not scores else None
    measure = None if not scores or true is None else "mae" if true.numbers else "roc_auc"
    return Guess(
        true.name if true else None,
        tuple(column.name for column in found),
        ids[0].name if ids else None,
        n.name if n else None,
        scores,
        measure,
        separator,
        groups[0].name if groups and n is None else None,
        sure,
        scores and true is None and all(set(words_in(column.name)) & set(LOSSES) for column in found),
        tuple(column.name for system in systems for column in system.values() if column not in found),
    )


def ids_of(columns: Sequence[SeenColumn], rows: int) -> list[str]:
    """Return the names of the columns in which every row has a value of its own, those that are called ids first."""
    return [column.name for column in _ids(columns, rows)]


def _ids(columns: Sequence[SeenColumn], rows: int) -> list[SeenColumn]:
    loose = [column for column in columns if _is_id(column, rows)]
    counted = [column for column in loose if column.whole and not named_id(column)]
    loose = [column for column in loose if column not in counted or len(counted) == 1]  # else they are scores
    return sorted(loose, key=lambda column: not named_id(column))


def positive_of(often: dict[str, float]) -> str | None:
    """Return which of two labels to take for positive, by how often each occurs; None where it goes without saying."""
    if len(often) != 2 or {label.removesuffix(".0") for label in often} in OBVIOUS:
        return None
    yes = [label for label in often if spelt(label) in POSITIVES]
    yes = yes or [a for a, b in permutations(often) if spelt(b) in NEGATIVES]
    yes = yes or [a for a, b in permutations(often) if NEGATED.sub("", spelt(b)) == spelt(a)]
    return yes[0] if len(yes) == 1 else min(often, key=lambda label: often[label])


def _truth(columns: Sequence[SeenColumn], named: str | None) -> tuple[SeenColumn | None, bool]:
    """Return the column of the truth, and whether more than its place says so."""
    labelled = [column for column in columns if column.labelled]
    if named is not None:
        return next((column for column in columns if column.name == named), None), True
    numbers = [column for column in columns if column.numbers]
    for kind in (labelled, numbers if len(numbers) > 1 else []):
        if (said := _called_truth(kind)) is not None:
            return said, True
    for column in labelled:
        alike = _alike(column, labelled)
        if alike:
            others = [other for other in (column, *alike) if not says_predicted(other.name)]
            likely = [other for other in others if set(words_in(other.name)) & set(LIKELY_TRUTHS)]
            return (others[0], True) if len(others) == 1 else ((likely or others or [column])[0], False)
    if (predicted := _predicted_number(numbers)) is not None:
        return predicted
    if not numbers:
        return (labelled[0] if labelled else None), False
    two = next((column for column in labelled if len(column.labels) == 2), None)
    return two, two is None


def _predicted_number(numbers: Sequence[SeenColumn]) -> tuple[SeenColumn, bool] | None:
    """Return the number that other columns predict, by their names; names such as model_a may head scores as well."""
    said = [column for column in numbers if says_predicted(column.name)]
    others = [column for column in numbers if column not in said and not set(words_in(column.name)) & set(SCORED)]
    if len(said) < 2 or not others or all(column.unit for column in said):  # these are probabilities, or scores
        return None
    named = all("pred" in plain(column.name) for column in said)
    return (others[-1], named and len(others) == 1) if named or len(others) == 1 else None


def _called_truth(columns: Sequence[SeenColumn]) -> SeenColumn | None:
    """Return the column whose name says that it is the truth."""
    open_ = [column for column in columns if not says_predicted(column.name)]
    known = {plain(column.name): column for column in reversed(open_)}
    whole = next((known[name] for name in TRUTHS if name in known), None)
    return whole or next((column for column in open_ if set(words_in(column.name)) & set(TRUE_WORDS)), None)


def _predictions(columns: Sequence[SeenColumn], truth: SeenColumn | None, wanted: bool | None) -> list[SeenColumn]:
    """Return what predicts the truth: columns with its labels, or else numbers."""
    numbers = [column for column in columns if column.numbers and column is not truth]
    if truth is None:
        return numbers
    if truth.numbers:
        said = [column for column in numbers if says_predicted(column.name)]
        return said if len(said) > 1 and not says_predicted(truth.name) else numbers
    same = _alike(truth, [column for column in columns if column.labelled])
    said = [column for column in same if says_predicted(column.name)]
    same = said if len(said) > 1 else same
    systems = _systems(numbers, truth)
    alone = [column for column in numbers if not any(column in system.values() for system in systems)]
    enough = len(same) > 1 or (same and (said or not alone or len(truth.labels) > 2))
    if not numbers or (enough if wanted is None else not wanted):
        return same
    if systems and len(truth.labels) > 2:
        return [column for column in numbers if column not in alone]
    likely = [column for column in alone if column.unit]
    if systems:
        return [*(system[truth.asked] for system in systems), *likely]
    return likely if len(likely) > 1 else numbers


def _systems(numbers: Sequence[SeenColumn], truth: SeenColumn | None) -> list[dict[str, SeenColumn]]:
    """Return the columns of each system by class, as in lr_0, lr_1; two columns may be two systems called 0 and 1."""
    if truth is None or truth.numbers:
        return []
    found: list[dict[str, str]] = []
    for unit in (True, False):
        found += by_class([column.name for column in numbers if column.unit is unit], truth.labels)
    known = {column.name: column for column in numbers}
    systems = [{label: known[name] for label, name in system.items()} for system in found]
    if len(systems) == 1 and truth.whole and len(truth.labels) == 2:
        return [system for system in systems if all(column.complement for column in system.values())]
    return systems


def _alike(column: SeenColumn, others: Iterable[SeenColumn]) -> list[SeenColumn]:
    """Return the other columns that share a label, or most of many; case and spaces do not matter."""
    mine = _parts(column, column.separator)
    return [
        other
        for other in others
        if other is not column and (other.name in column.shares or mine & _parts(other, column.separator))
    ]


def _parts(column: SeenColumn, separator: str | None) -> set[str]:
    texts = column.labels if separator is None else (part for text in column.labels for part in text.split(separator))
    return {spelt(text.removesuffix(".0") if is_number(text) else text) for text in texts}


def _column(name: str, values: list[Any]) -> SeenColumn:
    often = {label: n for label, n in _counted(values).items() if _is_label(label)}
    few = dict(islice(often.items(), MOST_LABELS))
    texts = [str(text) for text in with_points(label for label in few if label not in MARKS)]
    numbers = all(map(is_number, texts)) and any(_is_broken(float(text)) for text in texts)
    ordered = sorted(few, key=_size) if _is_whole(list(map(str, few))) else sorted_labels(set(few))
    labels = tuple(map(str, ordered)) if len(few) == len(often) else ()
    return SeenColumn(
        name,
        labels,
        positive_of({str(label): few[label] for label in few}) if labels else None,
        len(often),
        numbers,
        numbers and all(0 <= float(text) <= 1 for text in texts),
        None if numbers else separator_of(labels),
    )


def _counted(values: list[Any]) -> Counter[Any]:
    """Number of occurrences of each label, alone or in lists."""
    try:
        return Counter(values)
    except TypeError:
        return Counter(str(label) for value in values for label in (value if isinstance(value, list) else [value]))


def _is_label(value: object) -> bool:
    return isinstance(value, str | int | float) and value == value and not is_blank(value)  # noqa: PLR0124 (NaN)


def _is_broken(number: float) -> bool:
    """Whether a number is not whole; digits that no float holds are infinite, and whole."""
    return isfinite(number) and not number.is_integer()


def _size(label: object) -> float:
    """The number that a whole number in text is; one of more digits than a float holds is infinite."""
    return float(str(label)) if len(str(label)) > MOST_DIGITS else int(str(label))


def _is_whole(texts: Collection[str]) -> bool:
    return bool(texts) and all(text.removeprefix("-").isdecimal() for text in texts)


def _is_id(column: SeenColumn, rows: int) -> bool:
    return column.different == rows and not column.numbers and (named_id(column) or rows >= FEWEST_IDS)


def _is_clustered(column: SeenColumn, rows: int) -> bool:
    """Return whether there are enough groups, of two rows or more on average; otherwise a few ids are repeated."""
    return FEWEST_CLUSTERS <= column.different <= rows / 2


def _is_fold(column: SeenColumn) -> bool:
    """Return whether a column says in which fold, split or run an item was; svm_seed1 is a run of a system."""
    return words_in(column.name)[-1:] in [[fold] for fold in FOLDS] and not column.name[-1].isdigit()


def named_id(column: SeenColumn) -> bool:
    """Return whether the name of a column says that it holds ids."""
    return says_id(column.name)
