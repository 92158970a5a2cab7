"""Systems that were run several times on the same items: what runs add to the uncertainty, beside the items.

Write x_ir = m + a_i + b_r + e_ir for the score of item i in run r, with variances of items, of runs, and of what is
left. The mean over I items and R runs has variance σ_a²/I + σ_b²/R + σ_e²/(I R). The bootstrap of items, on means over
runs, gives the first and the last. What runs add is drawn here: with S² the variance of the run means within systems,
on f degrees of freedom, and q = σ_e²/I what noise alone makes of it,

    τ² = f S² / χ²_f        σ_b² = max(0, τ² − q)        b̄ ~ Normal(0, σ_b²/R),

given that runs differ no more than items do (σ_b² is at most the variance of all scores); without that, two or three
runs would leave the scores without a mean.

Assumed: runs are independent of each other, also those of different systems, and scatter alike in all systems (with
three runs each there is no telling otherwise).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray

__all__ = ["Runs"]

TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Runs:
    """How much run means scatter within systems, and how much of that is noise.

    Attributes
    ----------
    number : array of shape (systems,)
        Runs of each.
    freedom : int
        Degrees of freedom of the spread.
    spread, noise : float
        S² and q.
    most : float
        The most that σ_b² may be.
    """

    number: IntArray
    freedom: int
    spread: float
    noise: float
    most: float

    @classmethod
    def of(cls, scores: Sequence[FloatArray], cluster: IntArray) -> Runs | None:
        """From scores of shape (items, runs) of each system; None where every system has one run."""
        number = np.array([system.shape[1] for system in scores], dtype=np.int64)
        freedom = int((number - 1).sum())
        if freedom == 0:
            return None
        spread, noise = zip(*(_scatter(system, cluster) for system in scores), strict=True)
        most = fsum(float(system.var()) for system in scores) / len(scores)
        return cls(number, freedom, fsum(spread) / freedom, fsum(noise) / freedom, most)

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """What runs add to the scores, of shape (draws, systems)."""
        from scipy.special import chdtrc, chdtri

        least = self.freedom * self.spread / (self.most + self.noise) if self.spread else 0.0
        chi = chdtri(self.freedom, rng.random(draws) * chdtrc(self.freedom, least))
        total = self.freedom * self.spread / np.maximum(chi, TINY)
        scale = np.sqrt(np.clip(total - self.noise, 0.0, self.most))[:, None]
        added: FloatArray = rng.standard_normal((draws, len(self.number))) * scale / np.sqrt(self.number)
        return added


def _scatter(scores: FloatArray, cluster: IntArray) -> tuple[float, float]:
    """Squares of run means around their mean, and what noise makes of them; both 0 of a single run."""
    items, means = len(scores), scores.mean(axis=0)
    rest = scores - scores.mean(axis=1, keepdims=True) - means + means.mean()
    if len(cluster):
        rest = np.stack([np.bincount(cluster, run) for run in rest.T], axis=1)
    units = len(rest)
    noise = float((rest**2).sum()) * units / max(units - 1, 1) / items**2
    return float(((means - means.mean()) ** 2).sum()), noise
