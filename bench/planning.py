"""Is a plan honest? Worlds are drawn, pilots planned with, the plans followed, and those that reach their goal counted.

A world is drawn from the prior of the paired model, and a pilot of 200 items from the world. `op.plan` says how many
more it takes to reach a goal with probability 0.8; so many are drawn from the same world, added to the pilot and
compared. Pilots that have reached the goal already, and those that leave it out of reach, have no plan to follow. The
plan looks at the pilot alone, so whichever have one, four of five that follow it should reach the goal.

Of one fixed world that is not promised: there a pilot may mislead, and a plan is right on average over worlds only.

    python -m bench.planning decided --followed 50     one goal, a tenth of the plans
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng

import outperform as op
from bench.harness import Bar, Row, at_most, render
from outperform.data.contingency import FloatArray

__all__ = ["FOLLOWED", "bench", "follow", "main", "prior_world"]

PILOT, POWER, ROPE, WIDTH = 200, 0.8, 0.05, 0.1
FOLLOWED, FEWER = 500, 0.4  # plans for a verdict, and what share of it for other goals
MOST_TRIES = 60  # pilots, for each plan to follow
OFF = 0.05  # that the share may be off
FIXED = op.Scenario(0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3))
CELLS = FIXED.counts()  # and shares of the fixed world
World: TypeAlias = Callable[[Generator], FloatArray]
REACHED: dict[str, Callable[[op.Comparison], bool]] = {
    "decided": lambda r: r.decision is not None and r.decision.decided,
    "better": lambda r: r.decision is not None and r.decision.name == "better",
    "equivalent": lambda r: r.decision is not None and r.decision.name == "equivalent",
    "not_worse": lambda r: r.meets("not-worse"),
    "precise": lambda r: r.delta.hdi[1] - r.delta.hdi[0] <= WIDTH,
}


@dataclass
class Tally:
    """Plans that were followed, those that reached their goal, and pilots without a plan."""

    followed: int = 0
    reached: int = 0
    there: int = 0  # already
    out_of_reach: int = 0

    @property
    def share(self) -> float:
        """Of plans that reached their goal."""
        return self.reached / self.followed

    @property
    def error(self) -> float:
        """Standard error of the share."""
        return sqrt(self.share * (1 - self.share) / self.followed)

    def __str__(self) -> str:
        """The share, and what else came up."""
        skipped = f"beside {self.there:,} pilots that were there, {self.out_of_reach:,} out of reach"
        return f"{100 * self.share:.1f} ± {100 * self.error:.1f}% of {self.followed:,} ({skipped})"


def bench(followed: int = FOLLOWED, goals: Sequence[str] = tuple(REACHED)) -> list[Row]:
    rows = []
    for goal in goals:
        tally = follow(goal, prior_world, followed if goal == "decided" else round(FEWER * followed))
        rows.append(_row(f"plans for {goal}", tally, at_most(OFF, own=True)))
    if "decided" in goals:
        tally = follow("decided", lambda _: CELLS.n, round(FEWER * followed))
        rows.append(_row("plans for decided in one world, SIGIR'16 Table 3a", tally))
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.planning")
    parser.add_argument("goals", nargs="*", default=list(REACHED), metavar="goal", help=", ".join(REACHED))
    parser.add_argument("--followed", type=int, default=FOLLOWED, help="plans for a verdict; of others two fifths")
    options = parser.parse_args(arguments)
    print(render(bench(options.followed, options.goals)))


def prior_world(rng: Generator) -> FloatArray:
    """Shares of the eight cells, drawn from the uniform prior of the paired model."""
    mu, positive, negative = rng.random(), *rng.dirichlet(np.ones(4), 2)
    return np.concatenate([mu * positive, (1 - mu) * negative])


def follow(goal: str, world: World, followed: int, first: int = 0) -> Tally:
    """Draw worlds, from a number on, and follow the plans of their pilots until so many are followed."""
    tally = Tally()
    for k in range(first, first + MOST_TRIES * followed):
        if tally.followed == followed:
            break
        rng = default_rng([crc32(goal.encode()), k])
        shares = world(rng)
        pilot = replace(CELLS, n=rng.multinomial(PILOT, shares).astype(np.float64))
        further = _further(pilot, goal, k)
        if further is None:
            tally.out_of_reach += 1
        elif further == 0:
            tally.there += 1
        else:
            study = replace(CELLS, n=pilot.n + rng.multinomial(further, shares))
            tally.followed += 1
            tally.reached += REACHED[goal](op.compare(study, rope=ROPE, rng=k))
    return tally


def _further(pilot: op.Counts, goal: str, k: int) -> int | None:
    """What the plan says; None where the goal is out of reach."""
    try:
        if goal == "precise":
            return op.plan(pilot, width=WIDTH, power=POWER, progress=False, rng=k).further
        return op.plan(pilot, goal, power=POWER, rope=ROPE, progress=False, rng=k).further
    except ValueError:
        return None


def _row(what: str, tally: Tally, bar: Bar | None = None) -> Row:
    said = f"{what}: {tally} reached it, {100 * POWER:.0f}% wanted; off by"
    return Row(said, abs(tally.share - POWER), show=lambda value: f"{100 * value:.1f}%", bar=bar)


if __name__ == "__main__":
    main()
