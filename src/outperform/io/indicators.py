"""Tables with a column of yes and no for each label, as in true_cat, true_dog: they are refused with what to do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from outperform.base.errors import unusable
from outperform.io.guessing import Guess, SeenColumn
from outperform.io.names import says_true

__all__ = ["check_indicators", "of_one_label"]

Names: TypeAlias = Mapping[str, str]  # columns by label

NAMES = (re.compile(r"(?P<system>.+?)[ _.-](?P<label>.+)"), re.compile(r"(?P<label>.+)[ _.-](?P<system>.+?)"))


def check_indicators(source: str, columns: Sequence[SeenColumn]) -> None:
    """Refuse the table if the truth and two systems or more have a column each for the same labels."""
    found = _found(columns)
    if found is None:
        return
    truth, systems = found
    label, name = next(iter(truth.items()))
    words = ["outperform", "compare" if len(systems) == 2 else "rank", source, "--truth", name, "--predictions"]
    raise unusable(
        "{found}; to compare on all labels, write the labels of an item into one column per system, with a sign "
        "between them, which {separator} names; for {label} alone, {run:{line}}",
        found=f"{source} has a column for each of {len(truth)} labels ({', '.join(truth.values())})",
        label=label,
        line=shlex.join([*words, *(system[label] for system in systems)]),
    )


def of_one_label(columns: Sequence[SeenColumn], guessed: Guess) -> Guess:
    """Return the guess with the predictions of one label only, where the truth has a column for each label."""
    found = _found(columns)
    label = next((label for label, name in found[0].items() if name == guessed.truth), None) if found else None
    return replace(guessed, predictions=tuple(own[label] for own in found[1])) if found and label else guessed


def _found(columns: Sequence[SeenColumn]) -> tuple[Names, list[Names]] | None:
    """Return the columns of the truth by label, and those of each system with the same labels; two at least."""
    flags = [column.name for column in columns if 0 < len(column.labels) < 3 and not column.numbers]
    for pattern in NAMES:
        found = _by_system(flags, pattern)
        truth = next((system for system, own in found.items() if len(own) > 1 and says_true(system)), None)
        if truth is None:
            continue
        systems = [own for system, own in found.items() if system != truth and own.keys() == found[truth].keys()]
        if len(systems) > 1:
            return found[truth], systems
    return None


def _by_system(names: Iterable[str], pattern: re.Pattern[str]) -> Mapping[str, Names]:
    """Return the columns by system and label."""
    found: dict[str, dict[str, str]] = {}
    for name in names:
        if match := pattern.fullmatch(name):
            found.setdefault(match["system"], {})[match["label"]] = name
    return found
