"""Many data sets judged at once: by expansion where that is sure, by draws where a border is near."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import sqrt

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from outperform.base.cores import in_order, on_all_cores
from outperform.base.errors import ImproperPriorError
from outperform.base.progress import bar
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.inference.count_evidence import interchangeable
from outperform.inference.draws import DRAWS, FEWEST_DRAWS, allowance
from outperform.inference.question import CountQuestion
from outperform.inference.support import units_of
from outperform.measures.of_counts import is_smooth
from outperform.models import Model
from outperform.models.batch import Batch
from outperform.models.posterior import Posterior, child, stream
from outperform.planning.expansion import Ends, ends_of, first_order, in_parts, sample_cumulants, second_order
from outperform.planning.populations import Population
from outperform.verdicts.decision import FEWEST_UNITS
from outperform.verdicts.goals import Goal
from outperform.verdicts.interval import ROUNDING, Interval, hdi

__all__ = ["AT_ONCE_BY_DRAWS", "Judge", "Simulation", "Studies"]

AT_ONCE = 250  # studies in a block, whose numbers come from a stream of their own
AT_ONCE_BY_DRAWS = 10  # so that all cores have work soon
STAGES = (500, 2_000, 8_000)  # draws, before the usual number
NEGLIGIBLE = 1e-12  # weight of what a world does not have
MOST_WEIGHTS = 40  # of which all second derivatives are taken
TRIED, TRIED_ITEMS, TRIED_DRAWS = 8, 300, 5_000  # data sets on which a measure that is not known is tried
SUSPECT = 2 * FEWEST_UNITS  # items of a class, below which it is computed how many units the scores rest on
AS_IT_IS = 2.0  # times that error is that of the HDI of the draws themselves


@dataclass(frozen=True, eq=False)
class Judge:
    """How the verdicts on data sets of these cells are computed.

    Roughly means by few draws even where a border is near: verdicts of single studies may then be wrong, about as often
    one way as the other, so that their shares stay (an HDI's end that strays by 0.08 standard deviations is as if
    studies had 1% fewer items).
    """

    cells: Counts
    question: CountQuestion
    model: Model
    goal: Goal
    mass: float
    roughly: bool = False

    def posterior(self, counts: Counts) -> Posterior:
        """Return the posterior after these counts, as cheap as the question allows."""
        return self.model.posterior(counts).reduced(self.question.average, self.question.measure)

    @cached_property
    def batch(self) -> Batch | None:
        """Weights of many posteriors at once, where they have them and the measure is smooth."""
        batch = Batch.of(self.posterior, self.cells) if self.cells.units is None else None
        return batch if batch is None or is_smooth(self.question.measure) or self._smooth(batch) else None

    def hdis(self, n: FloatArray, seed: SeedSequence) -> tuple[FloatArray, FloatArray]:
        """Ends of the HDIs of δ of data sets of shape (data sets, kinds)."""
        low, high = np.full((2, len(n)), np.nan)
        todo = np.arange(len(n))
        if self.batch is not None:
            low, high, unsure = self._by_expansion(self.batch, n)
            todo = np.flatnonzero(unsure)
        for k in todo.tolist():
            low[k], high[k] = self._by_draws(self.cells.resized(n[k]), child(seed, k))
        few = self._too_few(n, low, high)
        low[few], high[few] = -np.inf, np.inf
        return low, high

    def _too_few(self, n: FloatArray, low: FloatArray, high: FloatArray) -> list[int]:
        """Data sets that would reach the goal, or a verdict, but rest on too few units for one."""
        rule = self.goal.rule
        if rule is None:
            return []
        reached = self.goal.reached(low, high) | rule.meets("decided", low, high)
        suspects = np.flatnonzero(reached & ((n @ self._margins).min(axis=1) < SUSPECT)).tolist()
        return [k for k in suspects if units_of(self.cells.resized(n[k]), self.question, self.model) < FEWEST_UNITS]

    @cached_property
    def _margins(self) -> FloatArray:
        """Which kinds are in all items, have a class, or are given one by a system; of shape (kinds, margins)."""
        everything = np.ones((len(self.cells.units if self.cells.units is not None else self.cells.n), 1))
        if self.cells.units is not None or self.cells.groups or self.model.learns:
            return everything
        columns = (self.cells.truth, *self.cells.predictions.T)
        return np.hstack([everything, *(np.equal.outer(column, np.unique(column)) for column in columns)])

    def deltas(self, shares: FloatArray) -> FloatArray:
        """True differences in worlds with these shares of the kinds."""
        if self.batch is not None:
            return self._difference(self.batch, (shares @ self.batch.gain).T + NEGLIGIBLE)
        by_unit = self.question.average == "samples"
        tables = (self.cells.resized(world).contingency(by_unit=by_unit) for world in shares)
        return np.array([np.subtract(*self.question.score(table)) for table in tables])

    @cached_property
    def _quantile(self) -> float:
        from scipy.special import ndtri

        quantile = float(ndtri((1 + self.mass) / 2))
        if quantile == np.inf:
            raise ValueError(f"mass {self.mass!r} is too near to 1 to plan with; take 0.999, say")
        return quantile

    @property
    def _sure(self) -> float:
        """Four times the Monte-Carlo error of an HDI's end by cumulants, in standard deviations over √draws."""
        a = self._quantile
        return 4 * sqrt(1 + a**2 / 2 + (a**2 - 3) ** 2 / 6 + (a**3 - 3 * a) ** 2 / 24)

    @property
    def _drawn_error(self) -> float:
        """Monte-Carlo error of an end of the HDI of as many draws as there may be, in units of its width."""
        return AS_IT_IS * self._sure / 4 / sqrt(self.question.draws or DRAWS) / (2 * self._quantile)

    def _difference(self, batch: Batch, weights: FloatArray) -> FloatArray:
        scored = self.question.score(batch.contingency(weights))
        return scored[:, 0] - scored[:, 1]

    def _by_expansion(self, batch: Batch, n: FloatArray) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
        """Ends by the first order, by the second where a border is near, and where draws would tell better still."""
        weights, difference = batch.weights(n), partial(self._difference, batch)
        ends = in_parts(first_order, difference, weights, self._quantile)
        low, high, unsure = ends.low, ends.high, self._unsure(ends)
        near = np.flatnonzero(unsure)
        if len(near) and len(weights) <= MOST_WEIGHTS:
            better = in_parts(second_order, difference, weights[:, near], self._quantile)
            low[near], high[near] = better.low, better.high
            unsure[near] = self._unsure(better) & (better.error > self._drawn_error * (better.high - better.low))
        return low, high, unsure

    def _smooth(self, batch: Batch) -> bool:
        """Whether the expansion agrees with draws on a few data sets: a measure of your own may have corners."""
        rng = stream(SeedSequence(0), 0)
        n = rng.multinomial(TRIED_ITEMS, self.cells.n / self.cells.n.sum(), TRIED).astype(np.float64)
        weights = batch.weights(n)
        ends = second_order(partial(self._difference, batch), weights, self._quantile)
        for alpha, low, high, error in zip(weights.T, ends.low, ends.high, ends.error, strict=True):
            delta = self._difference(batch, rng.standard_gamma(alpha[:, None], (len(alpha), TRIED_DRAWS)))
            off = np.abs(np.subtract(hdi(delta, self.mass), (low, high)))
            if not (off <= error + AS_IT_IS * self._sure * delta.std() / sqrt(TRIED_DRAWS)).all():
                return False
        return True

    def scores(self, posterior: Posterior, draws: int, seed: SeedSequence, workers: int | None = None) -> FloatArray:
        """Draw both scores, with the allowance for unobserved units."""
        drawn = posterior.scores(self.question.score, draws=draws, seed=seed, workers=workers)
        return allowance(posterior, self.question, draws, seed)(drawn)

    def _unsure(self, ends: Ends) -> NDArray[np.bool_]:
        return ~(self.goal.margin(ends.low, ends.high) > ends.error)  # nan is unsure

    def _by_draws(self, counts: Counts, seed: SeedSequence) -> Interval:
        """The HDI from the cumulants of as few draws as suffice, or else from the default number of draws."""
        try:
            posterior = self.posterior(counts)
        except ImproperPriorError:  # there is no posterior, and nothing is shown
            return -np.inf, np.inf
        most = self.question.draws or posterior.usual_draws(DRAWS, FEWEST_DRAWS)
        enough = STAGES[1] if posterior.cells <= MOST_WEIGHTS else STAGES[0]
        for draws in (*(stage for stage in STAGES if stage < most), most):
            drawn = self.scores(posterior, draws, seed, workers=1)
            delta = np.ascontiguousarray(drawn[:, 0] - drawn[:, 1])
            cumulants = sample_cumulants(delta)
            if cumulants[1] <= (ROUNDING * cumulants[0]) ** 2:  # nothing is open; but one unit tells nothing of others
                return (0.0, 0.0) if cumulants[0] == 0 else (-np.inf, np.inf)
            low, high = ends_of(cumulants, self._quantile)
            error, plain = np.sqrt(cumulants[1] / draws), hdi(delta, self.mass)
            if np.abs(np.subtract(plain, (low, high))).max() > AS_IT_IS * self._sure * error:
                continue  # no such distribution
            if (self.roughly and draws >= enough) or self.goal.margin(low, high) > self._sure * error:
                break
        else:
            return self._centred(counts, *plain)
        return self._centred(counts, float(low), float(high))

    def _centred(self, counts: Counts, low: float, high: float) -> Interval:
        """An HDI about 0 where exchanging the two leaves the counts as they are."""
        if not interchangeable(counts, self.model):
            return low, high
        half = (high - low) / 2
        return -half, half


@dataclass(frozen=True, eq=False)
class Studies:
    """Studies at each size: ends of HDIs of δ, of shape (sizes, studies), and how many judged ones they are worth."""

    sizes: tuple[int, ...]
    low: FloatArray
    high: FloatArray
    worth: tuple[float, ...]

    @classmethod
    def collect(cls, sizes: Sequence[int], blocks: Iterable[FloatArray], *, keep: bool = False) -> Studies:
        """Join all blocks; after an interrupt those that are finished, if there are any and `keep` is set."""
        done: list[FloatArray] = []
        try:
            done.extend(blocks)
        except KeyboardInterrupt:
            if not (keep and done):
                raise
        low, high = np.concatenate(done, axis=-1)
        return cls(tuple(sizes), low, high, (float(low.shape[-1]),) * len(sizes))


@dataclass(frozen=True, eq=False)
class Simulation:
    """Studies that grow by items of their world, beside those of the pilot, and are judged at each size.

    They come in blocks, as ends of HDIs of shape (2, sizes, studies). A block is the same whoever simulates it.
    """

    population: Population
    judge: Judge
    sizes: Sequence[int]
    studies: int
    seed: SeedSequence

    def run(self, n_jobs: int | None = None, *, show: bool = False) -> Iterator[FloatArray]:
        """Simulate all blocks, in order."""
        with bar("studies", self.studies, show=show) as advance:
            for part in in_order(self.block, range(self._blocks), n_jobs):
                yield part
                advance(part.shape[-1])

    def observed(self) -> FloatArray:
        """Return the observed differences of all studies, without judging them, of shape (sizes, studies)."""
        return np.concatenate(list(on_all_cores(self._observe, range(self._blocks))), axis=-1)

    def block(self, k: int) -> FloatArray:
        """Simulate one block."""
        n = self._items(k)
        return np.array(self.judge.hdis(n.reshape(-1, n.shape[-1]), child(self.seed, k, 0))).reshape(2, *n.shape[:2])

    def _observe(self, k: int) -> FloatArray:
        n = self._items(k)
        return self.judge.deltas(n.reshape(-1, n.shape[-1])).reshape(n.shape[:2])

    def _items(self, k: int) -> FloatArray:
        """The items of the studies of one block, of shape (sizes, studies, kinds)."""
        rng, size = stream(self.seed, k), self._at_once
        shares = self.population.worlds(rng, min(size, self.studies - k * size))
        items: FloatArray = self.population.pilot + self.population.grow(rng, shares, self.sizes)
        return items

    @property
    def _blocks(self) -> int:
        return -(-self.studies // self._at_once)

    @property
    def _at_once(self) -> int:
        return AT_ONCE if self.judge.batch is not None else AT_ONCE_BY_DRAWS
