"""One classifier's score, and how sure it is: a value that holds its draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any, Self, cast

from outperform.base.signature import Signature
from outperform.data.contingency import FloatArray
from outperform.data.labels import Label
from outperform.inference.question import Asked
from outperform.models import Model
from outperform.models.chains import Diagnostics, Draws, Trace
from outperform.results import views
from outperform.results.base import Row
from outperform.verdicts.summary import Interval, check_mass, summarise_score, surprises

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Estimate", "Sample"]


@dataclass(frozen=True, repr=False)
class Estimate(Row):
    """One classifier's score: as observed, and its posterior. Made by `op.estimate`."""

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
    sample: Sample | None = field(default=None, compare=False, repr=False)

    def drawn(self) -> Draws:
        """Draws of the score."""
        if self.sample is None:
            raise ValueError("this estimate was read back without its draws; estimate again for them")
        return Draws({"score": self.sample.draws}, trace=self.sample.trace)

    def with_mass(self, mass: float) -> Self:
        """The same draws with an HDI of another mass."""
        if self.sample is None:
            raise ValueError("this estimate was read back without its draws; estimate again for another mass")
        return cast(Self, self.sample.sum_up(check_mass(mass)))

    def summary(self) -> dict[str, float | None]:
        """Flat dictionary of plain numbers."""
        low, high = self.hdi
        numbers = {key: getattr(self, key) for key in ("observed", "mean", "sd", "mc_error", "mass")}
        return numbers | {"hdi_low": low, "hdi_high": high}

    def record(self) -> dict[str, Any]:
        """One flat row: what was estimated, and the numbers."""
        what = {"measure": self.measure, "average": self.average, "class": self.class_, "classifier": self.name}
        return what | {"items": self.items} | self.summary() | {"signature": self.signature}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the posterior of the score with its HDI (needs matplotlib)."""
        return views.plot(self, ax)


@dataclass(frozen=True, eq=False)
class Sample:
    """Everything random about an estimate, drawn once."""

    question: Asked
    model: Model
    name: str
    items: float
    observed: float
    draws: FloatArray
    notes: tuple[str, ...] = ()
    trace: Trace | None = None  # of Markov chains

    @cached_property
    def diagnostics(self) -> Diagnostics | None:
        """How well the chains went, where there are chains."""
        return None if self.trace is None else self.trace.diagnose(self.draws)

    def sum_up(self, mass: float) -> Estimate:
        """Mean, sd and HDI of the draws."""
        score = summarise_score(self.name, self.observed, self.draws, mass)
        sampler = self.diagnostics
        odd = () if sampler is None else sampler.remarks()
        return Estimate(
            **self.question.header(self.model, self.items, mass),
            **vars(score),
            mc_error=score.sd / sqrt(len(self.draws) if sampler is None else sampler.ess_bulk),
            mass=mass,
            sampler=sampler,
            notes=self.notes + odd + surprises((score,), mass, weighed=self.model.weighs_alone),
            sample=self,
        )
