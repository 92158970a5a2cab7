"""Systems that were run several times on the same items: what runs add to the uncertainty, beside the items.

Write x_ir = m + a_i + b_r + e_ir for the score of item i in run r, with variances of items, of runs, and of what is
left. The mean over I items and R runs has variance σ_a²/I + σ_b²/R + σ_e²/(I R). The bootstrap of items, on means over
runs, gives the first and the last. What runs add is drawn here: with S² the variance of the run means within systems,
on f degrees of freedom, and q = σ_e²/I what noise alone makes of it,

    τ² = f S² / χ²_f        σ_b² = max(0, τ² − q)        b̄ ~ Normal(0, σ_b²/R).

Assumed: runs are independent of each other, also those of different systems, and scatter alike in all systems (with
three runs each there is no telling otherwise).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from outperform.contingency import FloatArray
from outperform.labels import IntArray

__all__ = ["Runs"]


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
    """

    number: IntArray
    freedom: int
    spread: float
    noise: float

    @classmethod
    def of(cls, scores: Sequence[FloatArray], cluster: IntArray) -> Runs | None:
        """From scores of shape (items, runs) of each system; None where every system has one run."""
        number = np.array([own.shape[1] for own in scores], dtype=np.int64)
        freedom = int((number - 1).sum())
        if freedom == 0:
            return None
        spread = noise = 0.0
        for own in scores:
            if own.shape[1] < 2:
                continue
            means = own.mean(axis=0)
            spread += float(((means - means.mean()) ** 2).sum()) / freedom
            rest = own - own.mean(axis=1, keepdims=True) - means + means.mean()
            if len(cluster):
                rest = np.stack([np.bincount(cluster, run) for run in rest.T], axis=1)
            units = len(rest)
            noise += float((rest**2).sum()) * units / max(units - 1, 1) / len(own) ** 2 / freedom
        return cls(number, freedom, spread, noise)

    @property
    def variance(self) -> FloatArray:
        """What runs add to the variance of each system's score, at the estimated σ_b²."""
        added: FloatArray = max(0.0, self.spread - self.noise) / self.number
        return added

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """What runs add to the scores, of shape (draws, systems)."""
        total = self.freedom * self.spread / rng.chisquare(self.freedom, draws)
        scale = np.sqrt(np.maximum(total - self.noise, 0.0))[:, None]
        added: FloatArray = rng.standard_normal((draws, len(self.number))) * scale / np.sqrt(self.number)
        return added
