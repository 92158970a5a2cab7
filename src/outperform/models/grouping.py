"""Which of many systems are of one kind: groups of neighbours by score, drawn from their posterior.

Real systems are often no sample of one normal population: some are equally good, some stand alone, and the groups are
far apart. So systems are divided into groups. With θ the true scores, S the covariance of their draws, and n_g systems
in group g, of mean θ̄_g,

    θ_k − θ̄_g ~ N(0, τ_g²) that add up to 0,    θ̄_g ~ N(M, T²),    τ_g ~ half-Cauchy(s_g),    s_g² = tr(C_g)/(n_g − 1)

C_g is the covariance of the contrasts of the group, and s, without an index, is s_g if all systems are one group. T is
5s, 10s, 20s, … with probabilities in proportion to 1/T, so that groups are far apart, and M is flat. Each of the K
systems stands alone with prior odds of ω/K. The n that do not are groups of at least two with the probability of a
Chinese restaurant process,

    P(alone, groups) ∝ (ω/K)^{K − n} ∏ α (n_g − 1)! / (α (α + 1) … (α + n − 1))

Only divisions into neighbours are considered; all others have a smaller likelihood. Their probabilities follow from
sums over where a group begins and ends, exactly so for contrasts of equal variance, which is taken to be the mean of
their variances. These are only the probabilities of the groups: `Contrasts` moves systems within one by all of its
covariance.

References
----------
Quintana and Iglesias, Bayesian Clustering and Product Partition Models, JRSS B 65(2), 2003.
Fearnhead, Exact and Efficient Bayesian Inference for Multiple Changepoint Problems, Statistics and Computing 16, 2006.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import pi

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray

__all__ = ["ALONE", "FAR", "TOGETHER", "Groups"]

TOGETHER = 0.25  # α; more shrinks systems that are close and evenly spread, too, and tells fewer of equal ones apart
ALONE = 3.0  # ω; more improves power, less improves P(best) of close systems
MOST_ALONE = 10
FAR = 5.0  # least standard deviation of the levels of groups, in s
NODES = 64  # of the grid of τ, each with the same prior probability
MOST_DOUBLINGS = 40  # of T
LEVELS = np.arange(-4.0, 4.5, 0.5)  # M, in standard deviations of one level around the mean of all
LOWEST = -1e300  # log weight, in place of −∞
LEAST = 1e-12  # of s², below which a variance is not taken literally


@dataclass(frozen=True, eq=False)
class Groups:
    """The posterior of the groups of systems that are sorted by score.

    Attributes
    ----------
    mean : array of shape (systems,)
        Ascending.
    covariance : array of shape (systems, systems)
    """

    mean: FloatArray
    covariance: FloatArray

    @property
    def variance(self) -> float:
        """Mean variance of a contrast of all systems, s²."""
        return float((np.trace(self.covariance) - self.covariance.sum() / len(self.mean)) / (len(self.mean) - 1))

    def draw(self, rng: Generator, draws: int) -> Iterator[tuple[slice, IntArray]]:
        """Yield groups of two or more systems, and in which draws these are one."""
        for start, end, rows in self._bounds(rng, draws):
            if end - start > 1:
                yield slice(start, end), rows

    def _bounds(self, rng: Generator, draws: int) -> Iterator[tuple[int, int, IntArray]]:
        """Yield the first system of a group, the one after its last, and in which draws these are its bounds."""
        last = self._heaps[:, -1] + self._points[2][:, None] + self._log_prior
        point, alone = np.divmod(rng.choice(last.size, draws, p=_shares(last.ravel())), last.shape[1])
        ends = {(len(self.mean), int(k)): np.flatnonzero(alone == k) for k in np.unique(alone)}
        while ends:
            end, left = max(ends)  # a group ends here in these draws, and so many systems before it and in it are alone
            rows = ends.pop((end, left))
            heap = np.cumsum(_shares(_ways(self._heaps, self._ending(end), left)), axis=1)
            heap[:, -1] = 1.0
            # One search in all rows of the heap: the row of point k holds numbers from k to k + 1.
            piled = (heap + np.arange(len(heap))[:, None]).ravel()
            starts = np.searchsorted(piled, point[rows] + rng.random(len(rows))) - point[rows] * end
            for start in np.unique(starts).tolist():
                found = rows[starts == start]
                yield start, end, found
                before = start, left - (end - start == 1)
                if start:
                    ends[before] = np.concatenate([ends.get(before, found[:0]), found])

    @cached_property
    def _points(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """M less the mean of all, and T², on a grid, and the log prior probability of each of its points."""
        least = FAR * np.sqrt(self.variance)
        doublings = np.log2(max(np.ptp(self.mean) / least, 1.0)) + 2
        octave = np.arange(min(int(doublings), MOST_DOUBLINGS) + 1)
        spread, level = (x.ravel() for x in np.meshgrid(least * 2.0**octave, LEVELS, indexing="ij"))
        width = np.sqrt(spread**2 + self.variance)
        # M is flat, so a step counts by its width.
        return width * level, spread**2, np.log(width) - np.log(spread)

    @property
    def _log_prior(self) -> FloatArray:
        """Log prior weight of each number of systems that stand alone, less the factors of the groups."""
        from scipy.special import gammaln

        alone = np.arange(min(MOST_ALONE, len(self.mean)) + 1)
        found: FloatArray = alone * np.log(ALONE / len(self.mean)) - gammaln(TOGETHER + len(self.mean) - alone)
        return found

    @cached_property
    def _within(self) -> FloatArray:
        """Log evidence of the contrasts of each group with its prior, by where it starts and ends."""
        from scipy.special import gammaln

        off = self.mean - self.mean.mean()
        place = np.arange(len(off) + 1)
        size = place - place[:, None]
        first, of_squares, own = (_cumulated(x) for x in (off, off**2, np.diag(self.covariance)))
        blocks = np.pad(self.covariance.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
        corner = np.diag(blocks)
        several = size > 1
        n = np.where(several, size, 2)
        around = first - first[:, None]
        squares = np.maximum(of_squares - of_squares[:, None] - around**2 / n, 0.0)
        inner = corner + corner[:, None] - blocks - blocks.T
        variance = np.maximum((own - own[:, None] - inner / n) / (n - 1), LEAST * self.variance)
        log = np.where(several, _evidence(n - 1.0, squares, variance), 0.0)
        log += np.where(several, np.log(TOGETHER) + gammaln(np.maximum(size, 1)), 0.0)
        return np.where(size > 0, log, -np.inf)

    def _ending(self, end: int) -> FloatArray:
        """Return the log weight of the groups that end here, of shape (points, starts)."""
        level, spread, _ = self._points
        first = _cumulated(self.mean - self.mean.mean())
        size = end - np.arange(end)
        off = (first[end] - first[:end]) / size - level[:, None]
        variance = self.variance + size * spread[:, None]
        at: FloatArray = self._within[:end, end] - 0.5 * (np.log(2 * pi * variance) + size * off**2 / variance)
        return at

    @cached_property
    def _heaps(self) -> FloatArray:
        """Log summed weights of all divisions of the first systems, of shape (points, systems + 1, alone + 1)."""
        heaps = np.full((len(self._points[0]), len(self.mean) + 1, len(self._log_prior)), -np.inf)
        heaps[:, 0, 0] = 0.0
        for end in range(1, len(self.mean) + 1):
            ending = self._ending(end)
            for alone in range(heaps.shape[2]):
                heaps[:, end, alone] = _log_sum(_ways(heaps, ending, alone))
        return heaps


def _ways(heaps: FloatArray, ending: FloatArray, alone: int) -> FloatArray:
    """Return log weights by where the last group starts, of shape (points, starts), if so many systems are alone."""
    end = ending.shape[1]
    several = heaps[:, : end - 1, alone] + ending[:, :-1]
    one = heaps[:, end - 1, alone - 1] + ending[:, -1] if alone else np.full(len(heaps), -np.inf)
    return np.column_stack([several, one])


def _evidence(degrees: FloatArray, squares: FloatArray, variance: FloatArray) -> FloatArray:
    """Return the log density of contrasts with this sum of squares and variance, over τ."""
    logs = []
    for tau in np.tan(pi / 2 * (np.arange(NODES) + 0.5) / NODES):
        total = variance * (1 + tau**2)
        logs.append(-0.5 * (degrees * np.log(2 * pi * total) + squares / total))
    log: FloatArray = np.logaddexp.reduce(logs, axis=0) - np.log(NODES)
    return log


def _cumulated(values: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(values)])


def _log_sum(log: FloatArray) -> FloatArray:
    """Return the log of the sum of exponentials along the last axis; −∞ if there is nothing."""
    most = np.maximum(log.max(axis=-1), LOWEST)
    with np.errstate(divide="ignore"):
        found: FloatArray = np.log(np.exp(log - most[..., None]).sum(axis=-1)) + most
    return found


def _shares(log: FloatArray) -> FloatArray:
    """Return probabilities in proportion to exponentials, which add up to 1 along the last axis."""
    weight = np.exp(log - log.max(axis=-1, keepdims=True))
    found: FloatArray = weight / weight.sum(axis=-1, keepdims=True)
    return found
