"""All worlds of the simulation in their order, each with its half."""

from __future__ import annotations

from bench.stress.split import split
from bench.stress.world import World
from bench.stress.worlds import (
    binary,
    clusters,
    drawn,
    exchangeable,
    few_units,
    further,
    label_sets,
    many,
    near_copies,
    newsgroups,
    nobody,
    populations,
    score_tables,
    silent,
    trends,
    units,
)

__all__ = ["WORLDS", "named"]

FAMILIES = (
    populations, newsgroups, trends, nobody, exchangeable, near_copies, binary, clusters, few_units, label_sets,
    many, drawn, units, score_tables, further, silent,
)  # fmt: skip
WORLDS: tuple[World, ...] = split(world for family in FAMILIES for world in family.worlds())


def named(name: str) -> World:
    """The world of this name."""
    for world in WORLDS:
        if world.name == name:
            return world
    raise ValueError(f"no world {name!r}; list them with --list")
