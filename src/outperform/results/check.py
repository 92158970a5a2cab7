"""Predictive check: would the model generate counts like the observed ones?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from outperform.base.signature import Signature
from outperform.mcmc.checks import Replicated
from outperform.models.chains.arviz import inference_data
from outperform.results import views
from outperform.results.base import Plain
from outperform.verdicts.interval import Interval

__all__ = ["CheckedCell", "PredictiveCheck"]


@dataclass(frozen=True)
class CheckedCell:
    """One count: as observed, and as replicated by the model.

    `p` is the two-sided probability of a count at least as extreme, with half of the probability of equality.
    """

    variable: str
    cell: str
    observed: float
    mean: float
    interval: Interval
    p: float


@dataclass(frozen=True, repr=False)
class PredictiveCheck(Plain):
    """Observed counts and those of a model. Created by `Comparison.predictive_check`."""

    signature: Signature
    when: str
    mass: float
    draws: int
    cells: tuple[CheckedCell, ...]
    replicated: Replicated | None = field(default=None, compare=False)

    @classmethod
    def of(cls, replicated: Replicated, when: str, mass: float, signature: Signature) -> Self:
        """Summarise the replicates of every cell."""
        cells = []
        tails = [(1 - mass) / 2, (1 + mass) / 2]
        for name, observed in replicated.observed.items():
            drawn = replicated.counts[name].reshape(len(replicated.counts[name]), -1)
            for label, values, seen in zip(replicated.cells(name), drawn.T, np.ravel(observed).tolist(), strict=True):
                below = float((values < seen).mean() + (values == seen).mean() / 2)
                low, high = np.quantile(values, tails, method="inverted_cdf").tolist()
                tail = 2 * min(below, 1 - below)
                cells.append(CheckedCell(name, label, float(seen), float(values.mean()), (low, high), tail))
        draws = len(next(iter(replicated.counts.values())))
        return cls(signature, when, mass, draws, tuple(cells), replicated)

    def records(self) -> Sequence[dict[str, Any]]:
        """Return a flat row per cell."""
        return [
            {"variable": c.variable, "cell": c.cell, "observed": c.observed, "mean": c.mean, "low": c.interval[0]}
            | {"high": c.interval[1], "p": c.p, "when": self.when, "signature": self.signature}
            for c in self.cells
        ]

    def plot(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot the observed counts and the intervals of the model (needs matplotlib)."""
        return views.plot(self, ax)

    def to_arviz(self) -> Any:
        """Return the replicates and the observed counts for ArviZ's predictive plots."""
        if self.replicated is None:
            raise ValueError("this check was read back without its draws; check again for them")
        counts = {name: number[None] for name, number in self.replicated.counts.items()}
        groups = {f"{self.when}_predictive": counts, "observed_data": self.replicated.observed}
        return inference_data(groups, self.replicated.coords, self.replicated.dims)
