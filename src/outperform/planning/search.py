"""How many more items: studies are simulated at sizes around a guess, and the size is read off their curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, exp, log, pi, sqrt

import numpy as np
from numpy.random import SeedSequence

from outperform.base.cores import check_jobs
from outperform.base.limits import is_whole
from outperform.base.sentences import invalid
from outperform.data.contingency import FloatArray
from outperform.inference.draws import bootstrapped
from outperform.models.posterior import child, stream
from outperform.planning.enlarging import enlarged
from outperform.planning.judging import AT_ONCE_BY_DRAWS, Judge, Simulation, Studies
from outperform.planning.populations import Population
from outperform.verdicts.decision import ItemsAlone
from outperform.verdicts.interval import Interval, hdi
from outperform.verdicts.outlook import MOST_ITEMS, Prospect

__all__ = ["Search", "SearchResult"]

STUDIES, STUDIES_BY_DRAWS, MOST_STUDIES = 2_000, 400, 1_000_000  # fewer where each study needs draws
WORLDS, WORLDS_BY_DRAWS = 10_000, 1_000  # by which it is seen whether a goal can be reached
FEWEST = 5  # studies on either side of the wanted probability
ROUGHLY = 2  # times as many where they are looked at roughly
FEWER, MORE = 8, 6  # times fewer are judged, and times more observed, where judging takes draws
PROSPECT_DRAWS = 5_000  # enough for a first guess, which studies then correct
SUPPOSED_ITEMS = 1_000  # at which a supposed truth is looked at for a first guess
AROUND = 2.0 ** np.arange(-2, 2.5, 0.5)  # sizes, in units of the guess
AROUND_BY_DRAWS = 2.0 ** np.arange(-1, 1.5, 0.5)  # fewer sizes, as each has studies of its own
STEEP = 0.15  # between two neighbours of the curve, beyond which it is looked at more closely
CLOSE = 1.01  # sizes that need not be distinguished
NEAR = 1.0  # probits, within which points of the curve count, the nearer the more
TWO_SIDED = 1.96  # the normal quantile of 95% intervals


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The number of further items, an interval for its Monte-Carlo error, and the simulated studies."""

    items: int
    interval: tuple[int, int]
    studies: Studies | None


@dataclass(frozen=True, eq=False)
class Search:
    """A population, a judge of data sets, how many studies to simulate, from which seed, and by how many jobs."""

    population: Population
    judge: Judge
    studies: int
    seed: SeedSequence
    show: bool
    n_jobs: int | None = None

    @classmethod
    def of(
        cls, population: Population, judge: Judge, studies: int | None, *, show: bool, n_jobs: int | None = None
    ) -> Search:
        """A search with the question's seed and the number of studies asked for, by default one that is quick."""
        if studies is None:
            studies = STUDIES if judge.batch is not None else STUDIES_BY_DRAWS
        elif not is_whole(studies) or not 1 <= studies <= MOST_STUDIES:
            raise ValueError(f"studies must be a whole number between 1 and {MOST_STUDIES:,}, got {studies!r}")
        return cls(population, judge, int(studies), SeedSequence(judge.question.seed), show, check_jobs(n_jobs))

    @cached_property
    def worlds(self) -> FloatArray:
        """True differences in the worlds that studies may live in."""
        many = WORLDS if self.judge.batch is not None else WORLDS_BY_DRAWS
        return self.judge.deltas(self.population.worlds(stream(self.seed, 0), 1 if self.population.single else many))

    def limit(self) -> float:
        """The probability of reaching the goal with endless items; ValueError where that is nothing."""
        goal, worlds = self.judge.goal, self.worlds
        limit = float(goal.open_to(worlds).mean())
        if not limit:
            where = (
                f"{worlds[0]:+.4g}, and would have to be {goal.wanted()}"
                if self.population.single
                else f"{goal.wanted()} in none of {len(worlds):,} possible worlds"
            )
            found = f"the goal {goal.name!r} can never be reached: the true difference is {where}"
            raise invalid("{found}; {goal:'decided'} shows how often each verdict comes", found=found)
        return limit

    @cached_property
    def drawn(self) -> FloatArray:
        """Draws of both scores, of shape (draws, 2), given the pilot, or a thousand items as supposed."""
        judge = self.judge
        posterior = judge.posterior(judge.cells.resized(self._start()))
        posterior = posterior.reduced(judge.question.average, judge.question.measure)
        return judge.scores(posterior, PROSPECT_DRAWS, child(self.seed, 1))

    def prospect(self) -> Prospect:
        """The outlook of these draws for more items."""
        delta = np.ascontiguousarray(self.drawn[:, 0] - self.drawn[:, 1])
        items = self.judge.cells.resized(self._start()).items
        if self.population.pilot.any():
            return Prospect(delta, hdi(delta, self.judge.mass), items, items)
        return Prospect(delta, hdi(delta, self.judge.mass), items, 0.0, self.worlds)

    def contradicted(self) -> bool:
        """Whether the items of the pilot contradict what its classes learn from each other: then it has no verdict."""
        judge = self.judge
        plain = bootstrapped(judge.cells, judge.question, judge.model) if self.population.pilot.any() else None
        if plain is None:
            return False
        alone = ItemsAlone.of(judge.question.score(judge.cells.contingency()), plain)
        return alone is not None and alone.contradict(self.prospect().hdi)

    def if_so(self, power: float) -> int | None:
        """About how many more items it would take if the pilot's mean difference were the truth.

        None without a pilot, or where such a difference does not meet the goal. Not simulated.
        """
        prospect = self.prospect()
        mean = prospect.delta.mean(keepdims=True)
        if not self.population.pilot.any() or not self.judge.goal.open_to(mean).all():
            return None
        return replace(prospect, truth=mean).further(self.judge.goal, power)

    def further(self, power: float, pilot: Interval | None = None) -> SearchResult:
        """Find how many more items reach the goal with this probability; ValueError if too many.

        The pilot's HDI may be known already.
        """
        if round(self.studies * min(power, 1 - power), 6) < FEWEST:
            raise ValueError(f"{self.studies:,} studies do not tell a probability of {power:g}; give more as studies=")
        if self.population.pilot.any():
            low, high = self.judge.hdis(self.population.pilot[None], child(self.seed, 2)) if pilot is None else pilot
            if self.judge.goal.reached(np.atleast_1d(low), np.atleast_1d(high))[0]:
                return SearchResult(0, (0, 0), None)
        guess = float(self.prospect().further(self.judge.goal, power) or MOST_ITEMS)
        around = AROUND if self.judge.batch is not None else AROUND_BY_DRAWS
        stride, moved = around[-1], 0
        for attempt in range(3, 100):
            sizes = np.unique(np.maximum(np.rint(guess * around), 1))
            studies, number = self._at(sizes, attempt)
            curve = self._curve(studies)
            move = -1 if curve[0] >= power and sizes[0] > 1 else int(curve[-1] < power)
            if move in (0, -moved):  # sizes overlap, so that turning back means that they are near
                items, interval = self._read_off(sizes, curve, power, number)
                return SearchResult(items, interval, studies)
            if sizes[-1] >= MOST_ITEMS and move > 0:
                break
            guess, moved = guess * stride**move, move
        raise ValueError(
            f"more than {MOST_ITEMS:,} further items would be needed to reach the goal {self.judge.goal.name!r} with "
            f"probability {power:g}; ask for less, or for another goal"
        )

    def simulate(self, sizes: Sequence[int], attempt: int = 3, *, keep: bool = False) -> Studies:
        """Studies that grow to these sizes; interrupted, those that are finished, if they are to be kept."""
        return Studies.collect(sizes, self._simulation(sizes, attempt).run(self.n_jobs, show=self.show), keep=keep)

    def _simulation(self, sizes: Sequence[int], attempt: int) -> Simulation:
        return Simulation(self.population, self.judge, sizes, self.studies, child(self.seed, attempt))

    def _at(self, sizes: FloatArray, attempt: int) -> tuple[Studies, float]:
        """Simulate studies of these sizes with few draws each; return them and how many judged ones they are worth.

        They grow from size to size, unless each needs draws of its own: then every size has some of them, of which few
        are judged and stand for the others.
        """
        steps, rough = sizes.astype(np.int64).tolist(), replace(self, judge=replace(self.judge, roughly=True))
        if self.judge.batch is not None:
            return rough.simulate(steps, attempt), self.studies
        wanted = ROUGHLY * self.studies / len(steps)
        number = AT_ONCE_BY_DRAWS * max(2, ceil(wanted / FEWER / AT_ONCE_BY_DRAWS))  # blocks, so that they come first
        few, many = replace(rough, studies=number), replace(rough, studies=max(number, ceil(MORE * wanted)))
        parts = []
        for k, size in enumerate(steps):
            key = 100 * attempt + k
            judged, (observed,) = few.simulate([size], key), many._simulation([size], key).observed()
            parts.append(enlarged(np.concatenate([judged.low, judged.high]), observed))
        low, high = np.stack([ends for ends, _ in parts], axis=1)
        studies = Studies(tuple(steps), low, high, tuple(worth for _, worth in parts))
        return studies, sum(studies.worth)

    def _curve(self, studies: Studies) -> FloatArray:
        curve: FloatArray = self.judge.goal.reached(studies.low, studies.high).mean(axis=1)
        return curve

    def _read_off(
        self, sizes: FloatArray, curve: FloatArray, power: float, number: float, attempt: int = 100
    ) -> tuple[int, tuple[int, int]]:
        """The size at which a curve passes the wanted probability; where it is steep, from sizes between."""
        after = _crossing(curve, power)
        before = sizes[max(after - 1, 0)]
        told_apart = sizes[after] > max(CLOSE * before, before + 1)
        if not told_apart or curve[after] - curve[max(after - 1, 0)] < STEEP:
            return _passes(sizes, curve, power, number)
        between = np.unique(np.rint(np.geomspace(before, sizes[after], len(AROUND))))
        studies, number = self._at(between, attempt)
        closer = self._curve(studies)
        if closer[-1] < power or closer[0] >= power:
            return _passes(sizes, curve, power, number)
        return self._read_off(between, closer, power, number, attempt + 1)

    def _start(self) -> FloatArray:
        """The pilot; or what is expected of a thousand items."""
        pilot = self.population.pilot
        if pilot.any():
            return pilot
        shares = self.population.worlds(stream(self.seed, 0), 1)[0]
        expected: FloatArray = SUPPOSED_ITEMS * shares / shares.sum()
        return expected


def _crossing(curve: FloatArray, level: float) -> int:
    """The first point from which on a curve stays at or above a level; the last, where it does not get there."""
    below = np.flatnonzero(curve < level)
    return min(int(below[-1]) + 1, len(curve) - 1) if len(below) else 0


def _passes(sizes: FloatArray, curve: FloatArray, power: float, studies: float) -> tuple[int, tuple[int, int]]:
    """The size at which a curve passes a level, and an interval for its Monte-Carlo error.

    The curve is smoothed by a straight line in log size and probits through the points near the level. Its error is
    that of one point from so many studies: points of studies that grow err as one, others share the studies out.
    """
    from scipy.special import ndtri

    at, goal = _crossing(curve, power), float(ndtri(power))
    probits = ndtri(np.clip(curve, 0.5 / studies, 1 - 0.5 / studies))
    near = (np.abs(probits - goal) <= NEAR) | np.isin(np.arange(len(curve)), (at - 1, at))
    told = near & (curve > 0) & (curve < 1)  # others only say on which side they are
    near = told if told.sum() > 1 else near
    weight = 1 / (0.1 + np.abs(probits[near] - goal))
    slope, level = np.polyfit(np.log(sizes[near]), probits[near], 1, w=weight) if near.sum() > 1 else (0.0, 0.0)
    if slope <= 0:  # flat, so that any size around might do
        return int(sizes[at]), (int(sizes[0]), MOST_ITEMS if at else int(sizes[at]))
    middle = min(max((goal - level) / slope, log(sizes[0])), log(sizes[-1]))
    error = TWO_SIDED * sqrt(power * (1 - power) / studies) / (exp(-(goal**2) / 2) / sqrt(2 * pi)) / slope
    low, high = exp(middle - error), exp(max(min(middle + error, log(MOST_ITEMS)), middle))
    return ceil(exp(middle)), (int(low), ceil(high))
