"""Tables of another shape than a column per system: they are recognised, and refused with what to do."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from outperform.base.errors import DataError
from outperform.io.class_scores import by_class
from outperform.io.files import Columns
from outperform.io.guessing import Column, Guess, named_id

__all__ = ["VOTES", "check_shape", "scores_by_class", "spelt_otherwise"]

VOTES = {"model_a", "model_b", "winner"}
SYSTEMS = ("model", "system", "classifier", "method", "clf")
FOLDS = ("fold", "split", "cv")
YES_AND_NO = (
    {"1", "0"},
    {"yes", "no"},
    {"y", "n"},
    {"true", "false"},
    {"t", "f"},
    {"positive", "negative"},
    {"pos", "neg"},
)


def check_shape(table: Columns, columns: Sequence[Column], guessed: Guess) -> None:
    """Refuse votes, lists written as text, a row per item and system, and scores of folds."""
    if set(table.values) >= VOTES:
        found = f"{table.source} holds votes on pairs of systems, which are not compared"
        raise DataError(f"{found}; give a score per item, in a column per system")
    by_name = {column.name: column for column in columns}
    truth = by_name.get(str(guessed.truth))
    if truth and len(truth.labels) > 1 and all(text.startswith("[") and text.endswith("]") for text in truth.labels):
        found = f"in {table.source} the labels in {truth.name} are lists written as text, such as {truth.labels[0]}"
        raise DataError(f"{found}; write JSON lines, or labels with a sign between them and --separator")
    _check_long(table, columns, guessed)
    once = [column.name for column in columns if column.different == len(table.lines)]  # else items have folds
    fold = next((name for name in once if name.casefold() in FOLDS), None)
    if guessed.truth is None and len(guessed.predictions) == 2 and fold is not None:
        command = ["outperform", "compare-folds", table.source, "--systems", *guessed.predictions, "--fold", fold]
        found = f"{table.source} has scores by {fold}; if each is of the test items of a fold of one cross-validation"
        raise DataError(f"{found}, run: {shlex.join([*command, '--runs', '1'])}")


def _check_long(table: Columns, columns: Sequence[Column], guessed: Guess) -> None:
    """Refuse a row per item and system."""
    system = next((column for column in columns if column.name.casefold() in SYSTEMS and len(column.labels) > 1), None)
    item = next((column for column in columns if named_id(column)), None)
    if system is None or item is None or len(guessed.predictions) != 1 or system.name in guessed.predictions:
        return
    if item.different * len(system.labels) == len(table.lines):
        index = [name for name in (item.name, guessed.truth) if name]
        pivot = f"frame.pivot(index={index!r}, columns={system.name!r}, values={guessed.predictions[0]!r})"
        raise DataError(
            f"{table.source} has a row for each item and {system.name}; a column for each is expected, as pandas "
            f"writes it: {pivot}.reset_index().to_csv('wide.csv', index=False)"
        )


def scores_by_class(columns: Sequence[Column], guessed: Guess) -> dict[str, tuple[str, ...]]:
    """Return the columns of each class, as in lr_cat, lr_dog, lr_owl, where these leave a choice; else empty.

    Of two classes, those of one system do: they are compared with nothing, and which of them is scored is to be said.
    """
    truth = next((column for column in columns if column.name == guessed.truth), None)
    if truth is None or not guessed.scores or (len(truth.labels) == 2 and not guessed.aside):
        return {}
    systems = by_class([*guessed.predictions, *guessed.aside], truth.labels)
    if not systems or (len(truth.labels) == 2 and len(systems) > 1):
        return {}
    ordered = truth.labels if len(truth.labels) > 2 else sorted(truth.labels, key=lambda label: label != truth.asked)
    return {label: tuple(system[label] for system in systems) for label in ordered}


def spelt_otherwise(columns: Sequence[Column], guessed: Guess) -> str:
    """Say which column has yes and no where the truth has 1 and 0, or the like; empty if none has."""
    said = [column for column in columns if {label.casefold() for label in column.labels} in YES_AND_NO]
    truth = next((column for column in said if column.name == guessed.truth), None)
    other = next((column for column in said if column is not truth), None)
    if truth is None or other is None:
        return ""
    return f"{truth.name} has {' and '.join(truth.labels)}, and {other.name} has {' and '.join(other.labels)}"
