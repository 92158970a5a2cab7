"""How many more items: studies are simulated at sizes around a guess, and the size is read off their curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, log, sqrt

import numpy as np
from numpy.random import SeedSequence

from outperform.contingency import FloatArray
from outperform.planning.judging import Judge, Studies, simulate
from outperform.planning.outlook import MOST_ITEMS, Prospect
from outperform.planning.populations import Population
from outperform.posterior import is_whole, scores, stream
from outperform.summary import hdi

__all__ = ["Found", "Search"]

STUDIES, STUDIES_BY_DRAWS = 2_000, 400
ROUGHLY = 2  # times as many where they are looked at roughly
PROSPECT_DRAWS = 5_000
SUPPOSED_ITEMS = 1_000  # at which a supposed truth is looked at for a first guess
AROUND = 2.0 ** np.arange(-2, 2.5, 0.5)  # sizes, in units of the guess
AROUND_BY_DRAWS = 2.0 ** np.arange(-1, 1.5, 0.5)
STRIDE = 8.0  # of the guess, where the sizes around it miss
NEAR = 1.0  # probits, within which points of the curve count, the nearer the more
TWO_SIDED = 1.96


@dataclass(frozen=True, eq=False)
class Found:
    """So many more items, between so few and so many but for Monte-Carlo error, and the studies that say so."""

    items: int
    interval: tuple[int, int]
    studies: Studies | None


@dataclass(frozen=True, eq=False)
class Search:
    """A population, a judge of data sets, how many studies to simulate, and from which seed."""

    population: Population
    judge: Judge
    studies: int
    seed: SeedSequence
    show: bool

    @classmethod
    def of(cls, population: Population, judge: Judge, studies: int | None, *, show: bool) -> Search:
        """From the question's own seed; with as many studies as asked for, or as take a moment."""
        if studies is None:
            studies = STUDIES if judge.batch is not None else STUDIES_BY_DRAWS
        elif not is_whole(studies) or studies < 1:
            raise ValueError(f"studies must be a whole number of at least 1, got {studies!r}")
        return cls(population, judge, int(studies), SeedSequence(judge.question.seed), show)

    @cached_property
    def worlds(self) -> FloatArray:
        """True differences in the worlds that studies may live in."""
        return self.judge.deltas(self.population.worlds(stream(self.seed, 0), self.studies))

    def limit(self) -> float:
        """The probability of reaching the goal with endless items; ValueError where that is nothing."""
        goal, worlds = self.judge.goal, self.worlds
        limit = float(goal.open_to(worlds).mean())
        if not limit:
            raise ValueError(
                f"the goal {goal.name!r} can never be reached: the true difference is {worlds.mean():+.4g}, and would "
                f"have to be {goal.wanted()}; goal='decided' shows how often each verdict comes"
            )
        return limit

    def scores(self) -> FloatArray:
        """Draws of both scores, of shape (draws, 2), given the pilot, or a thousand items as supposed."""
        judge = self.judge
        posterior = judge.model.posterior(judge.cells.resized(self._start()))
        posterior = posterior.reduced(judge.question.average, judge.question.measure)
        return scores(posterior, judge.question.score, draws=PROSPECT_DRAWS, seed=self._seed(1))

    def prospect(self, drawn: FloatArray) -> Prospect:
        """What those draws say of more items."""
        delta = np.ascontiguousarray(drawn[:, 0] - drawn[:, 1])
        items = self.judge.cells.resized(self._start()).items
        if self.population.pilot.any():
            return Prospect(delta, hdi(delta, self.judge.mass), items, items)
        return Prospect(delta, hdi(delta, self.judge.mass), items, 0.0, self.worlds)

    def further(self, power: float) -> Found:
        """How many more items it takes to reach the goal with this probability; ValueError for too many."""
        if self.population.pilot.any():
            low, high = self.judge.hdis(self.population.pilot[None], self._seed(2))
            if self.judge.goal.reached(low, high)[0]:
                return Found(0, (0, 0), None)
        guess = float(self.prospect(self.scores()).further(self.judge.goal, power) or MOST_ITEMS)
        for attempt in range(3, 40):
            studies, number = self._around(guess, attempt)
            curve, sizes = self.judge.goal.reached(studies.low, studies.high).mean(axis=1), np.array(studies.sizes)
            if curve[0] >= power and sizes[0] > 1:
                guess /= STRIDE
            elif curve[-1] >= power:
                items, interval = _read_off(sizes.astype(np.float64), curve, power, number)
                return Found(items, interval, studies)
            elif sizes[-1] >= MOST_ITEMS:
                break
            else:
                guess *= STRIDE
        raise ValueError(
            f"more than {MOST_ITEMS:,} further items would be needed to reach the goal {self.judge.goal.name!r} with "
            f"probability {power:g}; ask for less, or for another goal"
        )

    def simulate(self, sizes: Sequence[int], attempt: int = 3, *, keep: bool = False) -> Studies:
        """Studies that grow to these sizes; interrupted, those that are finished, if they are to be kept."""
        blocks = simulate(self.population, self.judge, sizes, self.studies, self._seed(attempt), show=self.show)
        return Studies.collect(sizes, blocks, keep=keep)

    def _around(self, guess: float, attempt: int) -> tuple[Studies, int]:
        """Studies of sizes around a guess, and how many there are in all.

        They grow from size to size, unless each needs draws of its own: then every size has some of them, roughly.
        """
        around = AROUND if self.judge.batch is not None else AROUND_BY_DRAWS
        sizes = np.unique(np.maximum(np.rint(guess * around), 1)).astype(np.int64).tolist()
        if self.judge.batch is not None:
            return self.simulate(sizes, attempt), self.studies
        rough = replace(self.judge, roughly=True)
        few = replace(self, judge=rough, studies=-(-ROUGHLY * self.studies // len(sizes)))
        parts = [few.simulate([size], 100 * attempt + k) for k, size in enumerate(sizes)]
        low, high = (np.concatenate([getattr(part, end) for part in parts]) for end in ("low", "high"))
        return Studies(tuple(sizes), low, high), low.size

    def _seed(self, key: int) -> SeedSequence:
        return SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, key))

    def _start(self) -> FloatArray:
        """The pilot; or what is expected of a thousand items."""
        pilot = self.population.pilot
        if pilot.any():
            return pilot
        shares = self.population.worlds(stream(self.seed, 0), 1)[0]
        expected: FloatArray = SUPPOSED_ITEMS * shares / shares.sum()
        return expected


def _read_off(sizes: FloatArray, curve: FloatArray, power: float, studies: int) -> tuple[int, tuple[int, int]]:
    """The size at which a curve passes a level, and an interval for its Monte-Carlo error.

    The curve is smoothed by a straight line in log size and probits through the points near the level. Its error is
    that of one point from so many studies: points of studies that grow err as one, others share the studies out.
    """
    from scipy.special import ndtri

    inside = np.clip(curve, 0.5 / studies, 1 - 0.5 / studies)
    probits, goal = ndtri(inside), float(ndtri(power))
    first = int(np.argmax(curve >= power))
    near = (np.abs(probits - goal) <= NEAR) | np.isin(np.arange(len(curve)), (first - 1, first))
    if near.sum() < 2:  # one item is enough
        return int(sizes[first]), (int(sizes[0]), int(sizes[first]))
    weight = 1 / (0.1 + np.abs(probits[near] - goal))
    slope, level = np.polyfit(np.log(sizes[near]), probits[near], 1, w=weight)
    slope = max(float(slope), 1e-6)
    error = sqrt(power * (1 - power) / studies) / (exp(-(goal**2) / 2) / sqrt(2 * np.pi)) / slope
    at = min(max((goal - float(level)) / slope, log(sizes[0])), log(sizes[-1]))
    low, high = (min(exp(at + side * TWO_SIDED * error), float(MOST_ITEMS) * STRIDE) for side in (-1, 1))
    return int(np.ceil(exp(at))), (int(low), int(np.ceil(high)))
