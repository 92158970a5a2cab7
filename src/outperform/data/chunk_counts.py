"""Chunks of tagged sentences as outcome cells: who has each chunk, and the unit or fold that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outperform.base.errors import listing, unknown
from outperform.base.sentences import Sentence, invalid
from outperform.data.cells import AnyCells
from outperform.data.chunks import Chunk, extract
from outperform.data.columns import named
from outperform.data.diagnosis import spelt_alike
from outperform.data.labels import IntArray
from outperform.data.partition import Fold, Folds, Partition, Units
from outperform.data.task import Chunks, no_column

__all__ = ["Outcomes", "count_chunks", "find_chunks"]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Every true or predicted chunk: its sentence, its type, and who has it, the truth first."""

    classifiers: tuple[str, ...]
    how: str
    sentences: int
    types: tuple[str, ...]
    sentence: IntArray
    type: IntArray
    outcome: IntArray


def find_chunks(
    gold: Sequence[Sequence[str]],
    predictions: Mapping[str, Sequence[Sequence[str]]],
    scheme: str | None,
    mode: str,
    *,
    types: Iterable[str] | None,
    typed: bool,
) -> Outcomes:
    """Return every chunk that the truth or a classifier has, and who has it."""
    columns = named(gold, predictions)
    if isinstance(types, str):
        raise TypeError(Sentence("{types} is a list of types, as in [{given!r}]", given=types))
    given = None if types is None else list(map(str, types))
    if scheme is None and mode == "strict":
        raise invalid("{mode:strict} needs {scheme}: which chunks are well-formed depends on it")
    scheme = scheme or "IOBES"
    _check_sentences(columns)
    found = {what: [_chunks(tags, scheme, mode, typed=typed) for tags in rows] for what, rows in columns.items()}
    known = _known_types(found, given, typed=typed)
    rows = [
        (sentence, known.index(chunk.type), *(chunk in chunks for chunks in by_column))
        for sentence, by_column in enumerate(zip(*found.values(), strict=True))
        for chunk in sorted(set().union(*by_column))
        if chunk.type in known
    ]
    sentence, type_, *outcome = np.array(rows, dtype=np.int64).reshape(-1, 2 + len(columns)).T
    how = f"{scheme},{mode}{'' if typed else ',untyped'}"
    names = () if known == [""] else tuple(known)
    return Outcomes(tuple(map(str, predictions)), how, len(gold), names, sentence, type_, np.stack(outcome, axis=1))


def count_chunks(
    kind: type[AnyCells], found: Outcomes, unit: str | Sequence[Any], folds: Sequence[Fold] | None
) -> AnyCells:
    """Return the counts of chunks by unit of resampling, or by fold."""
    label = "chunk" if folds is not None else unit if isinstance(unit, str) else "given"
    task = Chunks(found.types, found.type if found.types else no_column(), found.how, label)
    partition: Partition | None = None
    if folds is not None:
        known = tuple(dict.fromkeys(folds))
        partition = Folds(np.array([known.index(fold) for fold in folds])[found.sentence], known)
    elif label != "chunk":
        belongs, units = _units_of(unit, found.sentences)
        partition = Units(belongs[found.sentence], np.ones(units))
    truth, predictions, n = found.outcome[:, 0], found.outcome[:, 1:], np.ones(len(found.outcome))
    return kind(found.classifiers, (False, True), truth, predictions, n, task, partition).merged()


def _known_types(found: Mapping[str, Sequence[set[Chunk]]], types: Sequence[str] | None, *, typed: bool) -> list[str]:
    """Return the types that are counted: as given, or all types of the truth, and then no classifier has another."""
    seen = {what: {chunk.type for chunks in rows for chunk in chunks} for what, rows in found.items()}
    true = sorted(seen["truth"])
    if types is not None:
        if not typed:
            raise invalid("{types} and {typed:False} exclude each other; leave one out")
        if true and seen["truth"].isdisjoint(types):
            message = "{types} must name types that the truth has ({known}), got {given}"
            raise invalid(message, known=listing(true, 8), given=listing(types))
        return list(dict.fromkeys(types))
    if not true:
        raise invalid("the truth has no chunk anywhere; add sentences that have one, or list all types with {types}")
    for what, used in seen.items():
        if alien := sorted(used - seen["truth"]):
            found_there = f"chunks of type {listing(alien, 3)}, which the truth never has ({listing(true, 6)})"
            alike = spelt_alike(alien, true) or "correct it, or "
            advice = "{alike}list every type with {types} if it is meant"
            raise invalid("{what} has {found}; " + advice, what=what, found=found_there, alike=alike)
    return true


def _units_of(unit: str | Sequence[Any], sentences: int) -> tuple[IntArray, int]:
    """Return the unit of each sentence, as a number, and the number of units."""
    if isinstance(unit, str):
        if unit != "sentence":
            raise ValueError(unknown("unit", unit, ("sentence", "chunk")))
        return np.arange(sentences), sentences
    if not hasattr(unit, "__len__"):
        raise TypeError(f'unit must be "sentence", "chunk" or say what each sentence belongs to, got {unit!r}')
    if len(unit) != sentences:
        raise ValueError(f"unit has {len(unit)} entries for {sentences} sentences; say what each belongs to")
    place = {name: k for k, name in enumerate(dict.fromkeys(unit))}
    return np.array([place[name] for name in unit], dtype=np.int64), len(place)


def _chunks(tags: Sequence[str], scheme: str, mode: str, *, typed: bool) -> set[Chunk]:
    return {chunk if typed else chunk._replace(type="") for chunk in extract(tags, scheme, mode)}


def _check_sentences(columns: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Check that all columns have the same sentences, of the same lengths."""
    gold = columns["truth"]
    for what, rows in columns.items():
        if len(rows) != len(gold):
            raise ValueError(
                f"{what} has {len(rows)} sentences but truth has {len(gold)}; give tags for every sentence"
            )
        for k, (tags, true) in enumerate(zip(rows, gold, strict=True)):
            if len(tags) != len(true):
                raise ValueError(
                    f"{what} has {len(tags)} tags in sentence {k} where truth has {len(true)}; give one for every token"
                )
