"""A part of the simulation that is small enough for the tests: three worlds, a few data sets each, and a bar.

The bar is set so that a method with exactly 95% coverage and at most 5% false verdicts misses it with a probability
below 1 in 1,000, over all worlds and quantities together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from scipy.stats import binom

from bench.stress.split import TESTED
from bench.stress.world import Answer, Ask, contradicted
from bench.stress.worlds import named

__all__ = ["Tried", "most_missed", "passes", "tried"]

REPEATS, DRAWS = 10, 500
RISK = 1e-3  # that a nominal method misses the bar
CHECKS = 12  # three worlds, each with three intervals and the verdicts


@dataclass(frozen=True)
class Tried:
    """What a method did in one world.

    Attributes
    ----------
    world, method : str
        Their names.
    data_sets : int
        How many data sets were drawn.
    covered : mapping from str to int
        By quantity, in how many data sets the interval contains the truth; one that a method refuses does not count.
    false : int
        In how many data sets some verdict is false.
    """

    world: str
    method: str
    data_sets: int
    covered: Mapping[str, int]
    false: int

    @property
    def passes(self) -> bool:
        """Whether no interval misses the truth too often and no more verdicts are false than chance allows."""
        missed = self.data_sets - min(self.covered.values())
        return max(missed, self.false) <= most_missed(self.data_sets)


def tried(method: str, repeats: int = REPEATS, draws: int = DRAWS, worlds: Sequence[str] = TESTED) -> tuple[Tried, ...]:
    """Try a method, by name, in each world."""
    return tuple(_in_world(method, repeats, draws, name) for name in worlds)


def passes(method: str, repeats: int = REPEATS, draws: int = DRAWS, worlds: Sequence[str] = TESTED) -> bool:
    """Whether a method passes the bar in every world."""
    return all(own.passes for own in tried(method, repeats, draws, worlds))


@cache
def most_missed(data_sets: int) -> int:
    """How many data sets may have an interval that misses the truth, or a false verdict."""
    return int(binom.isf(RISK / CHECKS, data_sets, 0.05))


def _in_world(method: str, repeats: int, draws: int, name: str) -> Tried:
    world = named(name)
    measure = world.measures[0]
    covered, false = {f"{measure}.{of}": 0 for of in ("a", "b", "delta")}, 0
    for number in range(repeats):
        try:
            answers = world.methods[method](world.case(number), Ask(measure, number, draws))
        except ValueError:  # the method refuses such data
            continue
        for answer in answers:
            covered[answer.quantity] += answer.low <= answer.truth <= answer.high
        false += any(_false(answer) for answer in answers)
    return Tried(name, method, repeats, covered, false)


def _false(answer: Answer) -> bool:
    return any(contradicted(decision, answer.truth, rope) for rope, decision in answer.verdicts)
