"""The result of the Bayes test: a comparison, and the probabilities of its two hypotheses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from outperform.inference.evidence import PairEvidence
from outperform.results import views
from outperform.results.comparison import Comparison
from outperform.verdicts.interval import Interval

__all__ = ["BayesEvidence", "BayesTest", "Hypotheses"]


@dataclass(frozen=True)
class Hypotheses:
    """H0: the second is no better than the first, ν_B − ν_A ≤ 0. H1: it is better. The more probable is accepted."""

    p_h0: float
    p_h1: float
    accept: str

    @classmethod
    def of(cls, p_h0: float, p_h1: float) -> Hypotheses:
        """Accept H0 if it is at least as probable (ACL'19 Algorithm 1)."""
        return cls(p_h0, p_h1, "H0" if p_h0 >= p_h1 else "H1")


@dataclass(frozen=True, repr=False)
class BayesTest(Comparison):
    """Two classifiers compared by the Bayes test; created by `op.bayes_test`.

    Everything a `Comparison` has, the probabilities of the hypotheses, and, unless the two are paired, the posterior of
    each score in closed form.
    """

    hypotheses: Hypotheses = field(kw_only=True)
    posteriors: tuple[Any, Any] | None = field(
        default=None, compare=False, repr=False, kw_only=True
    )  # two FBetaPosteriors

    @property
    def intervals(self) -> tuple[Interval, Interval] | None:
        """Equal-tailed intervals of the two scores (ACL'19 Eqs 28–30)."""
        if self.posteriors is None:
            return None
        a, b = self.posteriors
        return a.interval(self.delta.mass), b.interval(self.delta.mass)

    def summary(self) -> dict[str, float | None]:
        """Return a flat dictionary of plain numbers."""
        return super().summary() | {"p_h0": self.hypotheses.p_h0, "p_h1": self.hypotheses.p_h1}

    def plot(self, ax: views.Axes | None = None, *, kind: str = "posterior") -> views.Axes:
        """Plot a kind of a comparison, or "densities", the two scores (needs matplotlib)."""
        return views.plot(self, ax, kind=kind)

    def plot_scores(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot the posteriors of the two scores (needs matplotlib)."""
        return views.plot(self, ax, kind="densities")


@dataclass(frozen=True, eq=False)
class BayesEvidence(PairEvidence):
    """Evidence of a comparison, and of the hypotheses."""

    hypotheses: Hypotheses = field(kw_only=True)
    posteriors: tuple[Any, Any] | None = field(kw_only=True)

    def judged(self, rope: Interval | None, mass: float) -> dict[str, Any]:
        """Return the fields of a Bayes test: summaries and the verdict for this ROPE."""
        found = super().judged(rope, mass)
        if self.posteriors is not None:  # exact values replace those from draws
            found["delta"] = replace(found["delta"], p_less=self.hypotheses.p_h1, p_greater=self.hypotheses.p_h0)
        return found | {"hypotheses": self.hypotheses, "posteriors": self.posteriors}
