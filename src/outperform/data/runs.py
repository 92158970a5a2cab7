"""Several runs of each system on the same items: the uncertainty that runs add to that of the items.

Write x_ir = m + a_i + b_r + e_ir for the score of item i in run r, with variances of items, runs and the residual. The
mean over I items and R runs has variance σ_a²/I + σ_b²/R + σ_e²/(I R). The bootstrap of items, on means over
runs, covers the first and the last term. The middle one is drawn here: with S² the variance of the run means within
systems, on f degrees of freedom, and q = σ_e²/I its part due to noise,

    τ² = f S² / χ²_f        σ_b² = max(0, τ² − q)        b̄ ~ Normal(0, σ_b²/R),

under the constraint that σ_b² is at most the variance of all scores, or what cuts off 1% of χ²_f if that is more;
without one, two or three runs would leave the scores without a mean. The variance alone is too tight where runs differ
as much as items do: two of them show half of it on average.

Assumptions: runs are independent, also between systems, and have the same variance in all systems that vary at all
(which three runs per system could not refute). A system whose runs are all equal is deterministic: it has no part in
the variance, and runs add nothing to its score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray

__all__ = ["Runs"]

TINY = 1e-300
RARE = 0.01  # probability of χ² that the bound of σ_b² cuts off, at most


@dataclass(frozen=True, eq=False)
class Runs:
    """The variance of run means within systems, and its part due to noise.

    Attributes
    ----------
    number : array of shape (systems,)
        Number of runs per system.
    varies : array of shape (systems,)
        Whether runs of a system may differ.
    freedom : int
        Degrees of freedom of the variance.
    spread, noise : float
        S² and q.
    most : float
        Variance of all scores, an upper bound of σ_b² where runs differ less than items.
    """

    number: IntArray
    varies: NDArray[np.bool_]
    freedom: int
    spread: float
    noise: float
    most: float

    @classmethod
    def of(cls, scores: Sequence[FloatArray], cluster: IntArray) -> Runs | None:
        """Estimate from one array of shape (items, runs) per system; None if every system has one run."""
        number = np.array([system.shape[1] for system in scores], dtype=np.int64)
        if (number == 1).all():
            return None
        equal = np.array([system.shape[1] > 1 and not np.ptp(system, axis=1).any() for system in scores])
        varies = ~equal | equal.all()
        freedom = int((number - 1)[varies].sum())
        if not freedom:  # one run of a system, and equal ones of the others: nothing says how much runs differ
            varies, freedom = np.ones(len(number), dtype=bool), int((number - 1).sum())
        spread, noise = zip(*(_scatter(system, cluster) for system in scores), strict=True)
        most = fsum(float(system.var()) for system in scores) / len(scores)
        return cls(number, varies, freedom, fsum(spread) / freedom, fsum(noise) / freedom, most)

    def select(self, order: IntArray) -> Runs:
        """Return the runs of the systems in this order."""
        return replace(self, number=self.number[order], varies=self.varies[order])

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw what runs add to the scores, of shape (draws, systems)."""
        from scipy.special import chdtrc, chdtri

        # χ²_f truncated from below, which keeps τ² at most `most` + `noise` unless that cuts off more than RARE of it;
        # drawn by inversion of its upper tail.
        least = self.freedom * self.spread / (self.most + self.noise) if self.spread else 0.0
        least = min(least, float(chdtri(self.freedom, 1 - RARE)))
        chi = chdtri(self.freedom, rng.random(draws) * chdtrc(self.freedom, least))
        total = self.freedom * self.spread / np.maximum(chi, TINY)
        scale = np.sqrt(np.maximum(total - self.noise, 0.0))[:, None]
        added: FloatArray = rng.standard_normal((draws, len(self.number))) * scale / np.sqrt(self.number) * self.varies
        return added


def _scatter(scores: FloatArray, cluster: IntArray) -> tuple[float, float]:
    """Return the sum of squares of run means, and its part due to noise; both 0 for a single run."""
    items, means = len(scores), scores.mean(axis=0)
    rest = scores - scores.mean(axis=1, keepdims=True) - means + means.mean()
    if len(cluster):
        rest = np.stack([np.bincount(cluster, run) for run in rest.T], axis=1)
    units = len(rest)
    noise = float((rest**2).sum()) * units / max(units - 1, 1) / items**2
    return float(((means - means.mean()) ** 2).sum()), noise
