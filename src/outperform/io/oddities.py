"""What is odd about a table of predictions, and the options that deal with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

from outperform.base.errors import amount, listing
from outperform.base.sentences import SEEN
from outperform.data.diagnosis import SEPARATORS, difference, is_blank, spelt
from outperform.data.labels import is_missing, is_number, sorted_labels
from outperform.io.files import Columns
from outperform.io.guessing import Guess, SeenColumn, named_id
from outperform.io.mistaken import TAG
from outperform.io.typed import with_points

__all__ = ["Oddity", "oddities"]

FEW = 30  # items of a class that say little about it
ALIKE = 0.98  # share of items on which near-copies agree
MOST_SYSTEMS = 20  # of which all pairs are looked at
MOSTLY = 0.5  # share of ids that may be repeated before they are clusters
MOST_SHOWN, MOST_SPELT = 3, 5  # labels whose spellings are shown, and how many of each
MOST_LISTED = 50  # classes in a command
LINES = (".csv", ".tsv", ".txt")  # files in which a row is a line, unless a cell has a line break
SPACED = (".tsv", ".tab", ".txt")  # files that are read by their spaces or tabs
PROBABILITIES = ("prob", "proba", "probability", "p")


@dataclass(frozen=True)
class Oddity:
    """What is odd, and what to do about it: another verb, other options, or a shell command of its own."""

    found: str
    advice: str
    verb: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    shell: str = ""


def oddities(table: Columns, columns: Sequence[SeenColumn], guessed: Guess) -> list[Oddity]:
    """Return what is odd about a table whose roles are known."""
    used = [name for name in (guessed.truth, *guessed.predictions) if name is not None and name in table.values]
    gaps = [] if guessed.separator else _missing(table, used, guessed)  # an empty set of labels is no gap
    found = [*_repeated(table, columns), *gaps, *_out_of_range(table, columns, guessed.truth)]
    if guessed.truth not in table.values or guessed.scores or guessed.separator or _holds_lists(table, used):
        return found
    labels = {name: [value for value in table.values[name] if _is_label(value)] for name in used}
    often = Counter(labels[str(guessed.truth)])
    systems = [name for name in guessed.predictions if name in table.values]
    every = {label for values in labels.values() for label in values}
    found += [*_spellings(every), *_sets(every), *_tags(every, table.source)]
    found += _copies(table, str(guessed.truth), systems)
    found += _classes(often, {name: set(labels[name]) for name in systems})
    return found


def _repeated(table: Columns, columns: Sequence[SeenColumn]) -> Iterator[Oddity]:
    """Ids and rows that are there again."""
    rows = len(table.lines)
    for column in columns:
        if column.name and named_id(column) and MOSTLY * rows < column.different < rows:
            often = Counter(map(str, table.values[column.name]))
            twice = [value for value, n in often.items() if n > 1]
            found = f"In {column.name}, {_many(len(twice), 'id')} repeated, such as {listing(twice[:2])}"
            advice = "Remove the copies or, if an item has several rows, resample whole items"
            yield Oddity(found, advice, options={"cluster": column.name})
    if any(2 * column.different > rows and not column.numbers for column in columns):
        whole = Counter(zip(*(map(str, values) for values in table.values.values()), strict=True))
        if copies := rows - len(whole):
            by_line = table.source.endswith(LINES) and not any("\n" in cell for row in whole for cell in row)
            shell = "awk '!seen[$0]++' {file} > unique-{name}" if by_line else ""
            yield Oddity(f"{_many(copies, 'row')} copied exactly", "Keep one of each", shell=shell)


def _missing(table: Columns, used: Sequence[str], guessed: Guess) -> Iterator[Oddity]:
    """Gaps: rows without a label can be dropped by an option, and those without a number cannot."""
    gaps = {name: sum(not _is_label(value) for value in table.values[name]) for name in used}
    if any(gaps.values()):
        where = ", ".join(f"{name} ({amount(n)})" for name, n in gaps.items() if n)
        if guessed.scores:
            advice = "Fill them in, or remove these items for all systems: no comparison can be made before"
            yield Oddity(f"Numbers are missing in {where}", advice)
        else:
            yield Oddity(f"Labels are missing in {where}", "Drop such rows", options={"drop_missing": True})


def _out_of_range(table: Columns, columns: Sequence[SeenColumn], truth: str | None) -> Iterator[Oddity]:
    """Columns that are called probabilities, or are such but for a few values."""
    positive = next((column.positive for column in columns if column.name == truth), None)
    for column in columns:
        if not column.numbers or column.unit:
            continue
        numbers = [float(text) for text in with_points(map(str, table.values[column.name])) if is_number(text)]
        outside = [number for number in numbers if not 0 <= number <= 1]
        called = any(column.name.casefold().replace("-", "_").startswith(f"{word}_") for word in PROBABILITIES)
        if outside and (called or 10 * len(outside) < len(numbers)):
            found = f"In {column.name}, {_many(len(outside), 'value')} not between 0 and 1, such as {outside[0]:g}"
            scored = {"predictions": (column.name,), "measure": "roc_auc", "average": None, "pos_label": positive}
            advice = "Correct them, or use a measure of order, which takes any numbers"
            yield Oddity(found, advice, "estimate", scored)


def _spellings(labels: set[Any]) -> Iterator[Oddity]:
    """Labels that differ in case, spaces or type, all in one sentence."""
    written: dict[str, list[Any]] = {}
    for label in sorted_labels(labels):
        written.setdefault(spelt(label), []).append(label)
    groups = [group for group in written.values() if len(group) > 1]
    if not groups:
        return
    kinds = dict.fromkeys(difference(first, other) for first, *others in groups for other in others)
    if set(kinds) <= {"case", "spaces", "case and spaces"}:
        kinds = dict.fromkeys(word for word in ("case", "spaces") if any(word in kind for kind in kinds))
    shown = "; ".join(listing(group, MOST_SPELT) for group in groups[:MOST_SHOWN])
    more = f"; and {len(groups) - MOST_SHOWN} more" if len(groups) > MOST_SHOWN else ""
    found = f"Labels differ only in {' and '.join(kinds)}: {shown}{more}"
    yield Oddity(found, "Write them alike or, if all are meant, list all classes", options=_listed(labels))


def _sets(labels: set[Any]) -> Iterator[Oddity]:
    """Labels that join others. Few classes do not tell whether these are sets, so that nothing is guessed."""
    for label, sign in product(sorted(label for label in labels if isinstance(label, str)), SEPARATORS):
        parts = [part.strip() for part in label.split(sign)]
        if len(parts) > 1 and labels.issuperset(parts):
            advice = "If it is a set of labels and no class of its own, say what separates them"
            several = {"separator": sign, "average": "macro", "pos_label": None}
            yield Oddity(f"The label {listing([label])} joins the labels {listing(parts)}", advice, options=several)
            return


def _tags(labels: set[Any], source: str) -> Iterator[Oddity]:
    """Tags of tokens, which make chunks where they are read as a file of tags, and these have no header."""
    if all(TAG.fullmatch(str(label)) for label in labels) and (chunks := sorted(labels - {"O"})):
        found = f"Labels are tags of tokens, such as {chunks[0]}, and are compared token by token"
        shell = "tail -n +2 {file} > {name}.conll" if source.endswith(SPACED) else ""
        yield Oddity(found, "To compare chunks, name a file of tokens and tags without a header", shell=shell)


def _copies(table: Columns, truth: str, systems: Sequence[str]) -> Iterator[Oddity]:
    """Systems that predict almost the same, or all that is true."""
    rows = len(table.lines)
    items = "the only item" if rows == 1 else f"all {amount(rows)} items"
    for name in systems:
        if table.values[name] == table.values[truth]:
            advice = f"Check that it is not a copy of {truth}, or leave it out"
            yield Oddity(f"{name} is right on {items}", advice, options=_without(name, systems))
    for a, b in combinations(systems[:MOST_SYSTEMS], 2):
        same = sum(x == y for x, y in zip(table.values[a], table.values[b], strict=True))
        if same == rows:
            found = f"{a} and {b} predict the same on {items}"
            yield Oddity(found, f"Check that they are two systems, or leave {b} out", options=_without(b, systems))
        elif same >= ALIKE * rows:
            found = f"{a} and {b} differ on {amount(rows - same)} of {amount(rows)} items only"
            options = {"predictions": (a, b), "rope": 0.01}
            yield Oddity(found, "See how many items it takes to distinguish them", "plan", options)


def _without(name: str, systems: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the option that leaves a system out, where others remain."""
    others = tuple(system for system in systems if system != name)
    return {"predictions": others} if others else {}


def _classes(often: Counter[Any], predicted: Mapping[str, set[Any]]) -> Iterator[Oddity]:
    """Classes with few items, classes that a system never predicts, and predictions that are never true."""
    few = [label for label, n in often.items() if n < FEW]
    if few:
        shown = ", ".join(f"{label} ({often[label]})" for label in few[:5]) + (", …" if len(few) > 5 else "")
        found = f"Some classes have fewer than {FEW} items: {shown}"
        yield Oddity(found, "See how many more items it takes", "plan", {"rope": 0.01})
    for name, labels in predicted.items():
        known = set(map(spelt, labels))
        if never := [label for label in often if spelt(label) not in known]:
            found = f"{name} never predicts {listing(never, 5)}"
            options = {"predictions": (name,), "average": "per_class", "pos_label": None}
            yield Oddity(found, "Look at its score for each class", "estimate", options)
        true = set(map(spelt, often))
        if alien := [label for label in sorted_labels(labels - often.keys()) if spelt(label) not in true]:
            found = f"{name} predicts {listing(alien, 5)}, which the truth never has"
            yield Oddity(found, "Correct it or, if it is meant, take all that occur", options={"labels": (SEEN,)})


def _listed(labels: set[Any]) -> dict[str, Any]:
    """Return the option that lists all classes, where they fit a command."""
    return {"labels": tuple(map(str, sorted_labels(labels)))} if len(labels) <= MOST_LISTED else {}


def _many(number: int, thing: str) -> str:
    """Return "1 row is" or "3 rows are"."""
    return f"1 {thing} is" if number == 1 else f"{amount(number)} {thing}s are"


def _is_label(value: object) -> bool:
    return not is_missing(value) and not is_blank(value)


def _holds_lists(table: Columns, used: Sequence[str]) -> bool:
    return any(isinstance(value, list) for name in used for value in table.values[name][:100])
