"""Worlds of populations that are made, each of them once, and then resampled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from typing import TypeAlias

from numpy.random import Generator, default_rng

from bench.stress.methods import ours
from bench.stress.pairs import Pair
from bench.stress.resampling import bootstrap
from bench.stress.world import Case, World
from bench.stress.worlds.populations import resample, truth_of

__all__ = ["Make", "Ways", "families", "resampling"]

Make: TypeAlias = Callable[[int, Generator], Pair]  # of so many classes
Ways: TypeAlias = Sequence[tuple[str, str, Make, Sequence[tuple[int, int]]]]  # name, note, classes and items


def families(kind: str, ways: Ways, measures: tuple[str, ...], seed: int, chosen: Collection[Make]) -> Iterator[World]:
    """Worlds of each way to make a population, in several sizes; those of a chosen way are of the chosen half."""
    for name, note, make, sizes in ways:
        half = "chosen" if make in chosen else "held"
        for classes, items in sizes:
            own, said = f"{name} {classes} n={items}", f"{classes} {note}, {items} items"
            yield resampling(own, kind, said, partial(_seeded, make, classes, seed), items, measures, half)


def resampling(
    name: str, kind: str, note: str, make: Callable[[], Pair], items: int, measures: tuple[str, ...], half: str = ""
) -> World:
    """A world that draws so many items from a population."""
    methods = {"default": ours, "bootstrap": bootstrap}
    return World(name, kind, note, partial(_resampled, make, items), methods, measures, half)


def _seeded(make: Make, classes: int, seed: int) -> Pair:
    return make(classes, default_rng([seed, classes]))


def _resampled(make: Callable[[], Pair], items: int, rng: Generator) -> Case:
    pair, truth = _population(make)
    return Case(resample(rng, pair, items), truth)


@cache
def _population(make: Callable[[], Pair]) -> tuple[Pair, dict[str, float]]:
    pair = make()
    return pair, dict(truth_of(pair))
