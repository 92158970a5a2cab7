"""The answer to "is A better than B?": a value that holds its draws and can be judged anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from outperform.bayes_factor import BayesFactor, kernel_density, rope_bayes_factor
from outperform.contingency import FloatArray
from outperform.counts import Counts
from outperform.decision import FEWEST_UNITS, Decision, RopeLike, as_rope, meets, outcome, rope_remarks
from outperform.labels import Label
from outperform.models import Model
from outperform.planning.goals import Goal
from outperform.planning.judging import Judge
from outperform.planning.outlook import Outlook, Prospect
from outperform.planning.populations import Population
from outperform.planning.search import Search
from outperform.planning.worth import PairingWorth
from outperform.posterior import Rng, as_seed
from outperform.question import Asked, Question
from outperform.render.table import Table
from outperform.results.base import Judged
from outperform.results.planning import Plan, plan_for
from outperform.summary import (
    Delta,
    Interval,
    Score,
    check_mass,
    summarise_delta,
    summarise_score,
    surprises,
)  # fmt: skip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison", "Driver", "Evidence", "Rope"]

POWER = 0.8  # with which more items are to bring a verdict


@dataclass(frozen=True)
class Rope:
    """The region of practical equivalence and the posterior probability that δ lies in it."""

    low: float
    high: float
    probability: float


@dataclass(frozen=True)
class Driver:
    """One class's part in the difference of two averages: what it adds to δ, and its share of δ."""

    class_: Label
    delta: float
    sd: float
    share: float | None  # None where δ is not told from 0


@dataclass(frozen=True)
class Comparison(Judged):
    """Two classifiers compared; δ is the first one's score minus the second one's.

    Made by `op.compare`. `with_rope` and `with_mass` give a new one from the same draws.
    """

    signature: str
    measure: str
    average: str
    model: str
    prior: str
    items: float
    class_: Label | None
    a: Score
    b: Score
    delta: Delta
    rope: Rope | None
    bayes_factor: BayesFactor
    decision: Decision | None
    frequentist: dict[str, float | None]
    notes: tuple[str, ...] = ()
    drivers: tuple[Driver, ...] = ()  # of macro and weighted averages, the class that adds most first
    outlook: Outlook | None = None  # where it is not decided: about how many more items would do
    pairing: PairingWorth | None = None  # where the two are paired
    variance: dict[str, float] | None = None  # of δ by where it comes from, where systems were run several times
    evidence: Evidence | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        """One line that can be pasted into an e-mail."""
        from outperform.render.text import line

        return line(self)

    def __str__(self) -> str:
        """The same line."""
        return repr(self)

    @property
    def draws(self) -> FloatArray:
        """Joint posterior draws of the two scores, of shape (draws, 2)."""
        return self._evidence().scores

    def with_rope(self, rope: RopeLike | None) -> Self:
        """The same draws judged by another ROPE."""
        return cast(
            Self, self._evidence().judge(as_rope(rope, bounded=self._evidence().question.bounded), self.delta.mass)
        )

    def with_mass(self, mass: float) -> Self:
        """The same draws with HDIs of another mass."""
        rope = None if self.rope is None else (self.rope.low, self.rope.high)
        return cast(Self, self._evidence().judge(rope, check_mass(mass)))

    def savage_dickey_kde(self) -> float | None:
        """The Bayes factor in the papers' way: kernel densities on both sides, no good in the tails."""
        evidence = self._evidence()
        return _ratio(kernel_density(evidence.delta), evidence.prior_density)

    def meets(self, requirement: str) -> bool:
        """Whether a gate opens: `better`, `not-worse` or `equivalent`."""
        if self.rope is None:
            raise ValueError(f"the requirement {requirement!r} needs a ROPE; give one with rope=")
        if self._evidence().units < FEWEST_UNITS:
            return False
        greater = self._evidence().question.measure.greater_is_better
        return meets(requirement, self.delta.hdi, (self.rope.low, self.rope.high), greater_is_better=greater)

    def more_data(
        self,
        goal: str | None = None,
        *,
        power: float = 0.8,
        width: float | None = None,
        studies: int | None = None,
        progress: bool = False,
        rng: Rng = None,
    ) -> Plan:
        """How many more items like these it takes; `op.plan` with this comparison as the pilot.

        Parameters
        ----------
        goal, power, width, studies, progress
            As in `op.plan`; by default a verdict with probability 0.8.
        rng : None, int or numpy Generator
            By default the seed of the comparison.
        """
        pilot, question = self._evidence(), self._evidence().question
        if self.rope is None and width is None:
            raise ValueError(
                "more data for what? Judge it by a ROPE first, r.with_rope(0.01).more_data(), or give width="
            )
        if pilot.counts is None or not isinstance(question, Question):
            raise ValueError(
                "this comparison cannot be planned with: folds are no test items, classes that share a prior are not "
                "planned one by one, and scores of items are not simulated; use op.plan with the counts of one question"
            )
        rope = None if self.rope is None else (self.rope.low, self.rope.high)
        best, seed = question.measure.greater_is_better, question.seed if rng is None else as_seed(rng)
        wanted = Goal.asked(goal, rope, width, greater_is_better=best)
        population = Population.after(pilot.counts, pilot.model)
        judge = Judge(population.cells, replace(question, seed=seed, draws=None), pilot.model, wanted, self.delta.mass)
        search = Search.of(population, judge, studies, show=progress)
        return plan_for(search, power, pilot.items, hdi=self.delta.hdi)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the posterior of δ with its HDI and the ROPE (needs matplotlib)."""
        from outperform.render.plots import posterior

        return posterior(self, ax)

    def summary(self) -> dict[str, float | None]:
        """Flat dictionary of plain numbers."""
        numbers: dict[str, float | None] = {}
        for side, score in (("a", self.a), ("b", self.b), ("delta", self.delta)):
            for key, value in asdict(score).items():
                if key == "hdi":
                    numbers[f"{side}_hdi_low"], numbers[f"{side}_hdi_high"] = value
                elif key not in ("name", "mass"):
                    numbers[f"{side}_{key}"] = value
        numbers["mass"] = self.delta.mass
        rope = self.rope
        numbers["rope_low"], numbers["rope_high"], numbers["rope_probability"] = (
            (rope.low, rope.high, rope.probability) if rope else (None, None, None)
        )
        numbers |= {f"bayes_factor_{key}": value for key, value in asdict(self.bayes_factor).items()}
        numbers["more_items"] = float(self.outlook.items) if self.outlook and self.outlook.items else None
        numbers["pairing_factor"] = None if self.pairing is None else self.pairing.factor
        return numbers | {f"p_{test}": p for test, p in self.frequentist.items()}

    def record(self) -> dict[str, Any]:
        """One flat row: what was compared, the numbers, the verdict."""
        what = {"measure": self.measure, "average": self.average, "class": self.class_}
        names = {"a": self.a.name, "b": self.b.name}
        verdict = {"decision": self.decision and self.decision.name, "signature": self.signature}
        return what | names | {"items": self.items} | self.summary() | verdict

    def to_text(self, *, width: int = 80) -> str:
        """Verdict in words, numbers, a small picture of the posterior."""
        from outperform.render.text import report

        return report(self, width)

    def tables(self) -> Sequence[Table]:
        """A table of one row; for an average over classes also what each class adds."""
        from outperform.render.tables import driver_table

        return [self.table_of([self]), *([driver_table(self)] if self.drivers else [])]

    @classmethod
    def table_of(cls, rows: Sequence[Comparison]) -> Table:
        """The columns of SIGIR'16 Tables 4–6."""
        from outperform.render.tables import comparison_table

        return comparison_table(rows)

    def _evidence(self) -> Evidence:
        if self.evidence is None:
            raise ValueError("this comparison was read back without its draws; compare again for another view")
        return self.evidence


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything random about a comparison, drawn once; a judgement of it is arithmetic."""

    question: Asked
    model: Model
    names: tuple[str, str]
    items: float
    observed: FloatArray
    scores: FloatArray
    prior_delta: FloatArray | None
    density_at_zero: float | None
    frequentist: dict[str, float | None]
    notes: tuple[str, ...]
    counts: Counts | None = None  # what can be planned with: not folds, nor one class of several that share a prior
    grows: bool = False  # whether more of the same would tell more in the way of a root
    units: float = inf  # that are weighed without a prior
    exchangeable: bool = False  # swapping the two leaves the posterior as it is
    variance: dict[str, float] | None = None  # of δ, by where it comes from
    scale: tuple[float, float] | None = None  # of scores in any unit: the largest, and how far apart they are
    parts: FloatArray | None = None  # what each class adds to each score, of shape (draws, 2, classes)
    classes: tuple[Label, ...] = ()

    @property
    def delta(self) -> FloatArray:
        """Draws of the difference."""
        return np.ascontiguousarray(self.scores[:, 0] - self.scores[:, 1])

    @property
    def prior_density(self) -> float | None:
        """Density of the prior's δ at 0, at the papers' bandwidth."""
        return None if self.prior_delta is None else kernel_density(self.prior_delta)

    def judge(self, rope: Interval | None, mass: float) -> Comparison:
        """Sum up the draws and hold the ROPE against them."""
        draws, question = self.delta, self.question
        a, b = (
            summarise_score(name, self.observed[k], np.ascontiguousarray(self.scores[:, k]), mass)
            for k, name in enumerate(self.names)
        )
        delta = summarise_delta(self.observed, draws, mass)
        decision = None if rope is None else self._decide(delta, draws, rope)
        return Comparison(
            **question.header(self.model, self.items, mass, rope),
            a=a,
            b=b,
            delta=delta,
            rope=None if rope is None else Rope(*rope, float(((draws >= rope[0]) & (draws <= rope[1])).mean())),
            bayes_factor=BayesFactor(
                savage_dickey=_ratio(self.density_at_zero, self.prior_density),
                rope=rope_bayes_factor(draws, self.prior_delta, rope),
            ),
            decision=decision,
            frequentist=self.frequentist,
            notes=self.notes + self._remarks((a, b, delta), rope, mass),
            drivers=self._drivers(delta),
            outlook=self._outlook(delta, draws, rope, decision),
            pairing=PairingWorth.of(self.scores, self.items) if getattr(self.model, "pairs", False) else None,
            variance=self.variance,
            evidence=self,
        )

    def _remarks(self, parts: tuple[Score, Score, Delta], rope: Interval | None, mass: float) -> tuple[str, ...]:
        """What is easily misread."""
        odd = surprises(parts, mass, weighed=getattr(self.model, "weighs_units", False))
        return odd if rope is None or self.scale is None else odd + rope_remarks(rope, *self.scale)

    def _outlook(
        self, delta: Delta, draws: FloatArray, rope: Interval | None, decision: Decision | None
    ) -> Outlook | None:
        """About how many more items would bring a verdict, where there is none."""
        if (
            rope is None
            or decision is None
            or decision.decided
            or not self.grows
            or self.units < FEWEST_UNITS
            or not delta.sd
        ):
            return None
        goal = Goal.of("decided", rope, greater_is_better=self.question.measure.greater_is_better)
        further = Prospect(draws, delta.hdi, self.items, self.items).further(goal, POWER)
        return Outlook("decided", POWER, further)

    def _drivers(self, delta: Delta) -> tuple[Driver, ...]:
        """Each class's part in δ; the parts add up to it."""
        if self.parts is None:
            return ()
        added = self.parts[:, 0] - self.parts[:, 1]
        mean, sd = added.mean(axis=0), added.std(axis=0)
        told = delta.hdi[0] > 0 or delta.hdi[1] < 0
        return tuple(
            Driver(self.classes[k], float(mean[k]), float(sd[k]), float(mean[k] / delta.mean) if told else None)
            for k in np.argsort(-np.abs(mean), kind="stable")
        )

    def _decide(self, delta: Delta, draws: FloatArray, rope: Interval) -> Decision:
        best = self.question.measure.greater_is_better
        same, few = self.exchangeable, self.units < FEWEST_UNITS
        name = outcome(draws, delta.hdi, rope, delta.mass, exchangeable=same, greater_is_better=best)
        return Decision.of("undecided" if few else name, *self.names)


def _ratio(numerator: float | None, denominator: float | None) -> float | None:
    return None if numerator is None or not denominator else numerator / denominator
