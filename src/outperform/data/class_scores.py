"""Columns that hold a score for each class of the truth, as in prob_cat, prob_dog: together they are of one system."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

__all__ = ["by_class"]

WORD = re.compile(r"[^\W_]+")

Words: TypeAlias = tuple[str, ...]
Around: TypeAlias = tuple[Words, Words]  # what stands before and after a class in a name


def by_class(names: Sequence[str], classes: Sequence[str]) -> list[dict[str, str]]:
    """Return the columns of each system by class: their names differ only in the class, and every class has one.

    Case and the signs between words do not matter. Columns of further classes, which the truth lacks, come last.
    """
    spelt = {_words(label): label for label in classes}
    if len(spelt) < max(len(classes), 2):
        return []
    found: dict[Around, dict[str, str]] = {}
    for name in names:
        for around, inside in _readings(_words(name)):
            if inside in spelt:
                found.setdefault(around, {}).setdefault(spelt[inside], name)
    whole: dict[Around, dict[str, str]] = {}
    for around in sorted((around for around in found if len(found[around]) == len(classes)), key=lambda a: len(a[1])):
        if not _members(whole) & set(found[around].values()):  # as in a_b of classes a and b: the class is the last
            whole[around] = found[around]
    for name in names:
        for around, inside in _readings(_words(name)):
            if around in whole and any(around) and name not in _members(whole):
                whole[around][" ".join(inside)] = name
    first = {name: place for place, name in enumerate(names)}
    return sorted(whole.values(), key=lambda columns: min(first[name] for name in columns.values()))


def _words(text: str) -> Words:
    return tuple(WORD.findall(text.casefold()))


def _readings(words: Words) -> Iterator[tuple[Around, Words]]:
    """Every part of a name that may be a class, and what is around it."""
    for start, end in combinations(range(len(words) + 1), 2):
        yield (words[:start], words[end:]), words[start:end]


def _members(systems: dict[Around, dict[str, str]]) -> set[str]:
    return {name for columns in systems.values() for name in columns.values()}
