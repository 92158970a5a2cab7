"""The two halves of the worlds: defaults are chosen on one and checked on the other, which is held back.

The half of a world depends only on the seed and on the names in its kind: the names are ordered by a checksum and
dealt out in turn, so that each kind has worlds of both halves. A world may name its half itself. The worlds that the
tests run are looked at with every change, so they are dealt first, to the chosen half. A kind is closed once its
results have been looked at; further worlds belong under a new kind, because an added name may move the others of its
kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from zlib import crc32

from bench.stress.world import World

__all__ = ["HALVES", "SEED", "TESTED", "split"]

SEED = 20160717
HALVES = ("chosen", "held")
TESTED = ("goemotions svm-lr all n=1000", "clinc svm-lr 1/rank n=1500", "nobody finds 40 of 50 n=1000")


def split(worlds: Iterable[World]) -> tuple[World, ...]:
    """Set the half of each world that names none, in the given order of the worlds."""
    listed = tuple(worlds)
    place: dict[str, int] = {}
    for kind in {world.kind for world in listed if not world.half}:
        names = sorted((world.name for world in listed if world.kind == kind), key=_order)
        start = 0 if names[0] in TESTED else _lot(kind)
        place |= {name: start + number for number, name in enumerate(names)}
    return tuple(world if world.half else replace(world, half=HALVES[place[world.name] % 2]) for world in listed)


def _order(name: str) -> tuple[bool, int]:
    return name not in TESTED, _lot(name)


def _lot(name: str) -> int:
    return crc32(f"{SEED}:{name}".encode())
