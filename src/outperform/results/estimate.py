"""The score of one classifier with its uncertainty; holds its draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from outperform.base.signature import Signature
from outperform.data.contingency import FloatArray
from outperform.data.labels import Label
from outperform.inference.evidence import Evidence
from outperform.models.chains import Diagnostics, Draws
from outperform.results import views
from outperform.results.base import Row
from outperform.verdicts.interval import Interval, check_mass
from outperform.verdicts.summary import surprises

__all__ = ["Estimate"]


@dataclass(frozen=True, repr=False)
class Estimate(Row):
    """The score of one classifier: as observed, and its posterior. Created by `op.estimate`."""

    signature: Signature
    measure: str
    average: str
    model: str
    prior: str
    items: float
    class_: Label | None
    name: str
    observed: float | None
    mean: float
    sd: float
    mc_error: float
    hdi: Interval
    mass: float
    notes: tuple[str, ...] = ()
    sampler: Diagnostics | None = None  # of Markov chains
    evidence: Evidence | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, evidence: Evidence, mass: float) -> Self:
        """Return mean, sd and HDI of the draws of one score."""
        (score,), sampler = evidence.summaries(mass), evidence.diagnostics
        odd = () if sampler is None else sampler.remarks()
        return cls(
            **evidence.question.header(evidence.model, evidence.items, mass),
            **vars(score),
            mc_error=evidence.marginals[0].mc_error,
            mass=mass,
            sampler=sampler,
            notes=evidence.notes + odd + surprises((score,), mass, weighed=evidence.model.weighs_alone),
            evidence=evidence,
        )

    @property
    def draws(self) -> FloatArray:
        """Posterior draws of the score."""
        return self._evidence().scores[:, 0]

    def drawn(self) -> Draws:
        """Return the draws of the score."""
        return Draws({"score": self.draws}, trace=self._evidence().trace)

    def with_mass(self, mass: float) -> Self:
        """Return the same draws with an HDI of another mass."""
        return self.of(self._evidence(), check_mass(mass))

    def summary(self) -> dict[str, float | None]:
        """Return a flat dictionary of plain numbers."""
        low, high = self.hdi
        numbers = {key: getattr(self, key) for key in ("observed", "mean", "sd", "mc_error", "mass")}
        return numbers | {"hdi_low": low, "hdi_high": high}

    def record(self) -> dict[str, Any]:
        """Return one flat row: what was estimated, and the numbers."""
        what = {"measure": self.measure, "average": self.average, "class": self.class_, "classifier": self.name}
        return what | {"items": self.items} | self.summary() | {"signature": self.signature}

    def plot(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot the posterior of the score with its HDI (needs matplotlib)."""
        return views.plot(self, ax)

    def _evidence(self) -> Evidence:
        if self.evidence is None:
            raise ValueError("this estimate was read back without its draws; estimate again for them")
        return self.evidence
