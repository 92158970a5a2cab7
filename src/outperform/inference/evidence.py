"""Everything random about systems, drawn once; judging it is arithmetic.

For one system it yields an estimate, for two a comparison, for any number a ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from outperform.base.lazy import Lazy, made, remembered
from outperform.base.sentences import Sentence
from outperform.data.confused import Confused
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.data.labels import Label
from outperform.inference.alike import beyond_of, fragile, not_alike, unit_of
from outperform.inference.bayes_factor import BayesFactor, kernel_density, rope_bayes_factor
from outperform.inference.densities import After, Before
from outperform.inference.draws import DRAWS, class_draws
from outperform.inference.question import Question
from outperform.models import Model
from outperform.models.chains import Diagnostics, Trace
from outperform.models.exact import Exact
from outperform.models.unseen import Unseen
from outperform.verdicts.decision import FEWEST_UNITS, Decision, ItemsAlone, lean_remarks, rope_remarks
from outperform.verdicts.goals import Goal
from outperform.verdicts.interval import Interval, hdi
from outperform.verdicts.marginal import Marginal, Sampled
from outperform.verdicts.outlook import Chances, Outlook, Prospect
from outperform.verdicts.rule import EQUIVALENT, UNDECIDED
from outperform.verdicts.summary import Delta, PairingWorth, Score, summarise_delta, summarise_score, surprises

__all__ = ["Driver", "Evidence", "PairEvidence", "Rope", "SeveralEvidence"]

POWER = 0.8  # target probability of a verdict for the outlook


@dataclass(frozen=True)
class Rope:
    """The region of practical equivalence and the posterior probability that δ lies in it."""

    low: float
    high: float
    probability: float


@dataclass(frozen=True)
class Driver:
    """The contribution of one class to the difference of two averages, and its share of δ."""

    class_: Label
    delta: float
    sd: float
    share: float | None  # None if the HDI of δ contains 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """Everything random about systems, drawn once.

    Attributes
    ----------
    observed : array of shape (systems,)
        Scores on the observed items.
    scores : array of shape (draws, systems)
        Joint draws of the scores, in the order of `names`; drawn on first access if there is an exact answer.
    exact : Exact
        The posteriors of the scores without draws, if they can be had.
    """

    question: Question
    model: Model
    names: tuple[str, ...]
    items: float
    observed: FloatArray
    if TYPE_CHECKING:  # mypy does not follow a descriptor into subclasses
        scores: FloatArray
    else:
        scores: Lazy[FloatArray] = Lazy()
    exact: Exact | None = None
    notes: tuple[str, ...] = ()
    trace: Trace | None = None  # of Markov chains

    @property
    def asked_draws(self) -> tuple[FloatArray, ...]:
        """Draws of the scores, for the diagnostics of chains."""
        return tuple(self.scores.T)

    @property
    def size(self) -> int:
        """Bytes of all draws, also of those that are not made yet."""
        return self.scores.nbytes if made(self, "scores") else _bytes(len(self.names))

    @cached_property
    def diagnostics(self) -> Diagnostics | None:
        """Diagnostics of the chains, if there are chains."""
        return None if self.trace is None else self.trace.diagnose(*self.asked_draws)

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """The posterior of each score."""
        if self.exact is not None:
            return self.exact.scores
        effective = None if self.diagnostics is None else self.diagnostics.ess_bulk
        return tuple(Sampled(np.ascontiguousarray(draws), effective) for draws in self.scores.T)

    def summaries(self, mass: float) -> tuple[Score, ...]:
        """Return mean, sd and HDI of each score."""
        return tuple(
            summarise_score(name, observed, posterior, mass)
            for name, observed, posterior in zip(self.names, self.observed, self.marginals, strict=True)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class SeveralEvidence(Evidence):
    """Evidence of two systems or more, which have differences."""

    if TYPE_CHECKING:
        frequentist: dict[str, float | None]
    else:
        frequentist: Lazy[dict[str, float | None]] = Lazy()  # resampling takes longer than all else
    grows: bool = False  # whether the spread shrinks as 1/√items with more data
    units: float = inf  # number of units that the scores rest on
    effect: float = 1.0  # how many weighted rows are worth an item
    remedy: str | Sentence = ""  # what to do where there is no verdict, however many units there are
    plain: FloatArray | None = None  # scores by the item bootstrap, if classes learn from each other
    unshrunk: FloatArray | None = None  # scores before the systems of a ranking were shrunk
    unseen: Unseen | None = None  # sizes of unobserved units, if scores are means of numbers without known bounds

    @property
    def size(self) -> int:
        """Bytes of all draws, also of those that are not made yet."""
        return super().size + sum(draws.nbytes for draws in (self.plain, self.unshrunk) if draws is not None)

    @property
    def groundless(self) -> bool:
        """Whether there is no verdict on any two systems."""
        return bool(self.remedy) or self.units < FEWEST_UNITS

    @property
    def drawn(self) -> FloatArray:
        """Scores under the model, before the systems of a ranking were shrunk."""
        return self.scores if self.unshrunk is None else self.unshrunk

    @property
    def asked_draws(self) -> tuple[FloatArray, ...]:
        """Draws of the scores, for the diagnostics of chains."""
        return tuple(self.drawn.T)

    @cached_property
    def moved(self) -> FloatArray:
        """How far each mean was moved by shrinkage."""
        moved: FloatArray = self.scores.mean(axis=0) - self.drawn.mean(axis=0)
        return moved

    @remembered
    def wider_hdi(self, i: int, j: int, mass: float) -> Interval | None:
        """Return the HDI of a difference that ≈ needs within the ROPE as well; None if there is none."""
        beyond = beyond_of(self.unseen, self.names, i, j)
        wider = self.unshrunk is not None or beyond
        return hdi(self.drawn[:, i] - self.drawn[:, j] + beyond * self.unit, mass) if wider else None

    @cached_property
    def unit(self) -> FloatArray:
        """Draws of the weight of an unobserved unit on either side."""
        return unit_of(self.question, len(self.drawn))

    def made_alike(self, i: int, j: int, shrunk: Interval, rope: Interval, mass: float) -> bool:
        """Return whether two are equivalent only because of an assumption, which is no evidence that they are."""
        rule = self.question.rule(rope)
        if rule.outcome(shrunk) != EQUIVALENT:
            return False
        wider = self.wider_hdi(i, j, mass)
        return wider is not None and rule.outcome(wider) != EQUIVALENT

    def items_alone(self, i: int, j: int) -> ItemsAlone | None:
        """Return the difference of two without a prior, if classes learn from each other under it."""
        if self.plain is None:
            return None
        pair = [i, j]
        return ItemsAlone.of(self.observed[pair], self.plain[:, pair], float(self.moved[i] - self.moved[j]))

    def contradicted(self, i: int, j: int, hdi: Interval) -> bool:
        """Return whether the items alone contradict the posterior of the difference of two, with this HDI."""
        alone = self.items_alone(i, j)
        return alone is not None and alone.contradict(hdi)


@dataclass(frozen=True, eq=False, kw_only=True)
class PairEvidence(SeveralEvidence):
    """Evidence of two systems, which are compared."""

    before: Before | None = None  # the prior of δ, and its posterior density at 0; None without a prior
    after: After | None = None
    counts: Counts | None = None  # counts for planning: not folds, nor one class of several that share a prior
    exchangeable: bool = False  # swapping the two leaves the posterior unchanged
    variance: dict[str, float] | None = None  # of δ, by source
    scale: tuple[float, float] | None = None  # of unbounded scores: the largest, and their range
    if TYPE_CHECKING:
        by_class: FloatArray | None = None
    else:  # contribution of each class to each score, of shape (draws, 2, classes)
        by_class: Lazy[FloatArray | None] = Lazy(None)
    classes: tuple[Label, ...] = ()
    again: Callable[[Model], PairEvidence] | None = None  # the same under another model
    confused: Callable[[], tuple[Confused, ...]] | None = None  # classes that the two confuse differently often

    @property
    def size(self) -> int:
        """Bytes of all draws, also of those that are not made yet."""
        late = 2 * len(self.classes) * class_draws(len(self.classes)) * np.dtype(np.float64).itemsize
        by_class = late if not made(self, "by_class") else 0 if self.by_class is None else self.by_class.nbytes
        return super().size + by_class + (0 if self.before is None else _bytes(1))

    @property
    def delta(self) -> FloatArray:
        """Draws of the difference."""
        return np.ascontiguousarray(self.scores[:, 0] - self.scores[:, 1])

    @cached_property
    def difference(self) -> Marginal:
        """The posterior of the difference."""
        if self.exact is not None and self.exact.difference is not None:
            return self.exact.difference
        return Sampled(self.delta, None if self.diagnostics is None else self.diagnostics.ess_bulk)

    @property
    def asked_draws(self) -> tuple[FloatArray, ...]:
        """Draws of the scores and the difference, for the diagnostics of chains."""
        return (self.drawn[:, 0] - self.drawn[:, 1],)

    @property
    def prior_delta(self) -> FloatArray | None:
        """Prior draws of the difference; None without a proper prior."""
        return None if self.before is None else self.before.delta

    @property
    def prior_density(self) -> float | None:
        """Prior density of δ at 0, at the papers' bandwidth."""
        return None if self.before is None else self.before.kernel

    @property
    def density_at_zero(self) -> float | None:
        """Posterior density of δ at 0; None without a proper prior."""
        return None if self.after is None or self.prior_delta is None else self.after.bound_and_density[1]

    def bayes_factor(self, rope: Interval | None) -> BayesFactor:
        """Return the Bayes factors for equality."""
        if self.before is None or self.after is None or self.prior_delta is None:
            return BayesFactor(None, None)
        bound, density = self.after.bound_and_density
        factor, rope_bound = rope_bayes_factor(self.difference, Sampled(self.prior_delta), rope)
        return BayesFactor(_ratio(density, self.before.density), factor, rope_bound, "upper" if bound else None)

    def savage_dickey_kde(self) -> float | None:
        """Return the Bayes factor as in the papers: kernel densities on both sides."""
        return _ratio(kernel_density(self.delta), self.prior_density)

    def judged(self, rope: Interval | None, mass: float) -> dict[str, Any]:
        """Return the fields of a comparison: summaries and the verdict for this ROPE."""
        question, posterior = self.question, self.difference
        a, b = self.summaries(mass)
        delta = summarise_delta(self.observed, posterior, mass)
        decision = None if rope is None else self.decide(delta, rope)
        return question.header(self.model, self.items, mass, rope) | {
            "a": a,
            "b": b,
            "delta": delta,
            "rope": None if rope is None else Rope(*rope, posterior.prob(*rope)),
            "bayes_factor": partial(self.bayes_factor, rope),
            "decision": decision,
            "frequentist": partial(getattr, self, "frequentist"),
            "notes": self.notes + self._remarks((a, b, delta), rope, mass) + self._leaning(delta, rope, decision),
            "drivers": partial(self._drivers, delta),
            "outlook": partial(self._outlook, delta, rope, decision),
            "pairing": self._pairing if self.model.pairs else None,
            "variance": self.variance,
            "sampler": self.diagnostics,
            "evidence": self,
        }

    @property
    def _pairing(self) -> PairingWorth | None:
        """The worth of pairing, before the systems of a ranking were shrunk."""
        if self.exact is None:
            return PairingWorth.of(self.drawn, self.items)
        a, b = self.marginals
        return PairingWorth.of_variances(a.sd**2 + b.sd**2, self.difference.sd**2, self.items)

    def by_margin(self, delta: Delta) -> tuple[tuple[float, Decision], ...]:
        """Return the margins m from which each outcome holds under the ROPE [−m, m]; they are ends of HDIs."""
        starts = sorted({0.0, *map(abs, delta.hdi), *map(abs, self.wider_hdi(0, 1, delta.mass) or ())})
        found: list[tuple[float, Decision]] = []
        for start, end in zip(starts, [*starts[1:], 2 * starts[-1] + 1], strict=True):
            decision = self.decide(delta, (-(start + end) / 2, (start + end) / 2))
            if not found or found[-1][1] != decision:
                found.append((start, decision))
        return tuple(found)

    def decide(self, delta: Delta, rope: Interval) -> Decision:
        """Return the verdict for this ROPE."""
        rule = self.question.rule(rope)
        name = rule.of(self.difference, delta.hdi, delta.mass, exchangeable=self.exchangeable)
        a, b = self.names
        barred = self.withheld(delta.hdi) or self.made_alike(0, 1, delta.hdi, rope, delta.mass)
        return Decision.of(UNDECIDED if barred else name, a, b)

    @property
    def rows_learned(self) -> bool:
        """Whether the row learned from the rows of other classes or slices, which were drawn with it."""
        return self.model.learns and self.question.average == "per_class"

    def withheld(self, hdi: Interval) -> bool:
        """Return whether there is no verdict for any ROPE: too few units, or items that contradict the HDI."""
        return self.groundless or self.contradicted(0, 1, hdi)

    def items_alone(self, i: int = 0, j: int = 1) -> ItemsAlone | None:
        """Return the difference without a prior; None also if the two are exchangeable."""
        return None if self.exchangeable else super().items_alone(i, j)

    def _remarks(self, parts: tuple[Score, Score, Delta], rope: Interval | None, mass: float) -> tuple[str, ...]:
        """Return notes on what is easily misread."""
        odd = () if self.diagnostics is None else self.diagnostics.remarks()
        odd += () if self.unshrunk is not None else surprises(parts, mass, weighed=self.model.weighs_alone)
        alone, interval = None if rope is None else self.items_alone(), parts[2].hdi
        if alone is not None and alone.contradict(interval):
            odd += (alone.remark(interval),)
        if rope is not None and self.made_alike(0, 1, interval, rope, mass):
            odd += not_alike(self.question.rule(rope), self.names, self.unshrunk, [(0, 1)], mass)
        return odd if rope is None or self.scale is None else odd + rope_remarks(rope, *self.scale)

    def _leaning(self, delta: Delta, rope: Interval | None, decision: Decision | None) -> tuple[str, ...]:
        if rope is None or decision is None:
            return ()
        if decision.name == EQUIVALENT:
            return fragile(self.unseen, self.units, self.scale, delta.hdi, rope)
        return lean_remarks(decision.name, delta.mean, self.question.rule(rope))

    def _outlook(self, delta: Delta, rope: Interval | None, decision: Decision | None) -> Outlook | None:
        """Return about how many more items would bring a verdict, if there is none."""
        prospect = self._prospect(delta, rope, decision)
        return None if prospect is None else prospect.outlook(self._goal("decided", rope), POWER)

    def chances(
        self, delta: Delta, rope: Interval | None, decision: Decision | None, factors: Sequence[float]
    ) -> tuple[Chances, ...]:
        """Return the probability of each verdict with so many times the items; empty unless it is unresolved."""
        prospect = self._prospect(delta, rope, decision)
        if prospect is None or rope is None:
            return ()
        sizes = self.items * np.array(factors)
        names = [name for name in ("better", "equivalent", "worse") if name != EQUIVALENT or rope[0] < rope[1]]
        found = {name: prospect.assurance(self._goal(name, rope), sizes - self.items).tolist() for name in names}
        none = [0.0] * len(sizes)
        columns = (found.get(name, none) for name in ("better", EQUIVALENT, "worse"))
        return tuple(Chances(*row) for row in zip(sizes.tolist(), *columns, strict=True))

    def _goal(self, name: str, rope: Interval | None) -> Goal:
        return Goal.of(name, rope, greater_is_better=self.question.measure.greater_is_better)

    def _prospect(self, delta: Delta, rope: Interval | None, decision: Decision | None) -> Prospect | None:
        """Return what predicts the effect of more items; None with a verdict, or if more items are no remedy."""
        if rope is None or decision is None or decision.decided or not self.grows or self.withheld(delta.hdi):
            return None
        if not delta.sd or self.made_alike(0, 1, delta.hdi, rope, delta.mass):
            return None
        return Prospect(self.difference.points, delta.hdi, self.items, self.items, effect=self.effect)

    def _drivers(self, delta: Delta) -> tuple[Driver, ...]:
        """Return the contributions of the classes, which add up to δ."""
        if self.by_class is None:
            return ()
        # Sums depend on the layout in memory, which pickling may change.
        added = np.subtract(self.by_class[:, 0], self.by_class[:, 1], order="C")
        mean, sd = added.mean(axis=0), added.std(axis=0)
        told = delta.hdi[0] > 0 or delta.hdi[1] < 0
        return tuple(
            Driver(self.classes[k], float(mean[k]), float(sd[k]), float(mean[k] / delta.mean) if told else None)
            for k in np.argsort(-np.abs(mean), kind="stable")
        )


def _bytes(columns: int) -> int:
    """Return how many bytes the default number of draws takes."""
    return DRAWS * columns * np.dtype(np.float64).itemsize


def _ratio(numerator: float | None, denominator: float | None) -> float | None:
    return None if numerator is None or not denominator else numerator / denominator
