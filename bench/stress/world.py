"""The types of the simulation: worlds, the data sets drawn from them, and what a method answers.

A world is a known truth from which data sets can be drawn. A method is asked about one measure on one data set and
gives answers, each about one quantity: an interval, verdicts, or both. Data set r of a world is the same for every
method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any, TypeAlias
from zlib import crc32

from numpy.random import Generator, default_rng

__all__ = ["FALSE", "Answer", "Ask", "Case", "Method", "World", "contradicted", "decided", "ropes_at", "verdict"]

SLACK = 1e-12  # rounding of a truth that lies on the border of the ROPE
SMALL, LARGE, LEAST = 0.01, 0.05, 0.005  # half-widths of ROPEs, and the least difference that makes a border
FALSE = "false"  # a verdict that the method found to be wrong by itself, such as one about many pairs
VERDICTS = ("better", "worse", "equivalent", "right", FALSE)


@dataclass(frozen=True)
class Answer:
    """What a method says about one quantity of one data set, beside the truth.

    Attributes
    ----------
    quantity : str
        The measure and what it is of: "f1.a", "f1.b", "f1.delta".
    truth : float
        The true value.
    mean, low, high : float
        Point estimate and 95% interval; nan where there is none.
    verdicts : tuple of (float, str)
        For each ROPE its half-width and the name of the decision.
    """

    quantity: str
    truth: float
    mean: float = nan
    low: float = nan
    high: float = nan
    verdicts: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Ask:
    """What a method is asked: the measure, the seed, how many draws (None for its own number), and where it draws."""

    measure: str
    seed: int
    draws: int | None
    device: str | None = None


@dataclass(frozen=True)
class Case:
    """One data set with the true value of each quantity.

    Attributes
    ----------
    data : object
        Whatever the methods of the world take.
    truth : mapping from str to float
        True values by quantity.
    ropes : tuple of float
        Half-widths of the ROPEs; empty for those that `ropes_at` gives.
    """

    data: Any
    truth: Mapping[str, float]
    ropes: tuple[float, ...] = ()

    def ropes_of(self, measure: str) -> tuple[float, ...]:
        """Half-widths of the ROPEs by which the difference in this measure is judged."""
        return self.ropes or ropes_at(self.truth[f"{measure}.delta"])


Method: TypeAlias = Callable[[Case, Ask], Sequence[Answer]]


@dataclass(frozen=True)
class World:
    """A known truth, and what is asked of it.

    Attributes
    ----------
    name, kind, note : str
        A unique name, the family, and one sentence that says what it is.
    draw : callable
        Makes a data set from a generator.
    methods : mapping from str to Method
        The methods that are tried, by name.
    measures : tuple of str
        The measures that may be asked for; the first is the default.
    half : str
        "chosen" or "held": whether defaults may be chosen by looking at this world. Empty to be dealt by `split`.
    """

    name: str
    kind: str
    note: str
    draw: Callable[[Generator], Case] = field(repr=False)
    methods: Mapping[str, Method] = field(repr=False)
    measures: tuple[str, ...] = ("f1",)
    half: str = ""

    def case(self, number: int) -> Case:
        """Data set `number` of this world, the same whenever it is drawn."""
        return self.draw(default_rng([crc32(self.name.encode()), number]))


def ropes_at(delta: float) -> tuple[float, float]:
    """Half-widths of two ROPEs: ±0.01, and one with the true difference on its border (±0.05 if that is near 0)."""
    return SMALL, abs(delta) if abs(delta) >= LEAST else LARGE


def verdict(low: float, high: float, rope: float) -> str:
    """Decide by an interval, borders inclusive."""
    if -rope <= low and high <= rope:
        return "equivalent"
    if low >= rope:
        return "better"
    return "worse" if high <= -rope else "undecided"


def decided(decision: str) -> bool:
    """Whether a decision is a verdict."""
    return decision in VERDICTS


def contradicted(decision: str, truth: float, rope: float) -> bool:
    """Whether the truth contradicts a decision under the ROPE [-rope, rope]."""
    if decision == "better":
        return truth <= rope + SLACK
    if decision == "worse":
        return truth >= -rope - SLACK
    if decision == "equivalent":
        return abs(truth) > rope + SLACK
    return decision == FALSE
