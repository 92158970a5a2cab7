"""The result of comparing A with B, which holds its draws and can be judged by another ROPE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, cast

from outperform.base.errors import check_known
from outperform.base.lazy import Lazy, changed
from outperform.base.limits import check_draws
from outperform.base.signature import Signature
from outperform.data.confused import Confused
from outperform.data.contingency import FloatArray
from outperform.data.labels import Label
from outperform.inference.bayes_factor import BayesFactor
from outperform.inference.evidence import Driver, PairEvidence, Rope
from outperform.inference.question import CountQuestion
from outperform.mcmc import with_prior
from outperform.mcmc.checks import replicate
from outperform.measures.of_counts import Measure
from outperform.models.chains import Diagnostics, Draws
from outperform.models.posterior import Rng, as_seed
from outperform.models.priors import PRIORS
from outperform.models.reads import what_is_read
from outperform.planning.judging import Judge
from outperform.planning.populations import Population
from outperform.planning.search import Search
from outperform.results import views
from outperform.results.base import Judged, Listed
from outperform.results.check import PredictiveCheck
from outperform.results.planning import Plan, plan_for
from outperform.verdicts.decision import REQUIREMENTS, Decision, RopeLike, as_rope
from outperform.verdicts.goals import Goal
from outperform.verdicts.interval import Interval, check_mass
from outperform.verdicts.outlook import Chances, Outlook
from outperform.verdicts.rule import EQUIVALENT
from outperform.verdicts.several import Finding, Verdicts, settle, weakened
from outperform.verdicts.summary import Delta, PairingWorth, Score

if TYPE_CHECKING:
    from outperform.inference.delta_summary import DeltaSummary

__all__ = ["Comparison", "Sensitivity"]


@dataclass(frozen=True, repr=False, kw_only=True)
class Comparison(Judged):
    """Two classifiers compared; δ is the first one's score minus the second one's.

    Created by `op.compare`. `with_rope` and `with_mass` return a new one from the same draws.
    """

    signature: Signature
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
    bayes_factor: Lazy[BayesFactor] = Lazy()  # noqa: RUF009 (a descriptor, meant to be shared)
    decision: Decision | None
    frequentist: Lazy[dict[str, float | None]] = Lazy()  # noqa: RUF009
    notes: tuple[str, ...] = ()
    # Of macro and weighted averages, the class with the largest contribution first.
    drivers: Lazy[tuple[Driver, ...]] = Lazy(())  # noqa: RUF009
    # If it is undecided: about how many more items would settle it.
    outlook: Lazy[Outlook | None] = Lazy(None)  # noqa: RUF009
    pairing: PairingWorth | None = None  # if the two are paired
    variance: dict[str, float] | None = None  # of δ by source, if systems were run several times
    sampler: Diagnostics | None = None  # of Markov chains
    p_wrong: float | None = None  # probability that the verdict is wrong, if it is one of several
    verdicts: Verdicts | None = None  # of all rows, if this is one of several
    evidence: PairEvidence | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, evidence: PairEvidence, rope: Interval | None, mass: float) -> Self:
        """Summarise the draws and judge them by a ROPE."""
        return cls(**evidence.judged(rope, mass))

    @property
    def region(self) -> Interval | None:
        """The ends of the ROPE; None without one."""
        return None if self.rope is None else (self.rope.low, self.rope.high)

    @property
    def draws(self) -> FloatArray:
        """Joint posterior draws of the two scores, of shape (draws, 2)."""
        return self._evidence().scores

    def drawn(self) -> Draws:
        """Return draws of both scores and of δ; also prior draws of δ, if there is a prior."""
        evidence = self._evidence()
        prior = {} if evidence.prior_delta is None else {"delta": evidence.prior_delta}
        return Draws(
            {"score": evidence.scores, "delta": evidence.delta},
            prior,
            {"classifier": evidence.names},
            {"score": ("classifier",)},
            evidence.trace,
        )

    def with_rope(self, rope: RopeLike | None) -> Self:
        """Return the same draws judged by another ROPE."""
        evidence = self._evidence()
        return self.of(evidence, as_rope(rope, bounded=evidence.question.bounded, to_the_ends=True), self.delta.mass)

    def with_mass(self, mass: float) -> Self:
        """Return the same draws with HDIs of another mass."""
        return self.of(self._evidence(), self.region, check_mass(mass))

    def savage_dickey_kde(self) -> float | None:
        """Return the Bayes factor as in the papers: kernel densities on both sides, unreliable in the tails."""
        return self._evidence().savage_dickey_kde()

    def by_margin(self) -> tuple[tuple[float, Decision], ...]:
        """Return how the verdict depends on the margin: pairs of the margin from which it holds, and the verdict."""
        return self._evidence().by_margin(self.delta)

    def confusions(self) -> tuple[Confused, ...]:
        """Return the pairs of classes that the two confuse differently often, the largest difference first.

        Of one class against the rest, the pairs with that class. Empty unless predictions of at least three classes, or
        confusion matrices of the same items, are known.
        """
        find = self._evidence().confused
        return () if find is None else find()

    def shape(self, masses: Sequence[float]) -> DeltaSummary:
        """Return quantiles of δ and its HDIs of these masses: enough to judge it by any ROPE without the draws."""
        from outperform.inference.delta_summary import shape_of

        return shape_of(self._evidence(), masses)

    @property
    def leader(self) -> Score | None:
        """The better of the two if they are distinguishable, else None.

        They are by the verdict better or worse or, without a ROPE, by an HDI of the difference that excludes 0.
        """
        if self.decision is not None:
            return {"better": self.a, "worse": self.b}.get(self.decision.name)
        evidence, (low, high) = self.evidence, self.delta.hdi
        if evidence is None or low <= 0 <= high or evidence.exchangeable:
            return None
        if evidence.withheld((low, high)) or not evidence.difference.decisive:
            return None
        return self.a if (low > 0) == evidence.question.measure.greater_is_better else self.b

    @property
    def withheld(self) -> bool:
        """Whether this row alone would have a verdict, which `fdr=` withholds among the others."""
        return self.p_wrong is not None and self.decision is not None and not self.decision.decided

    @classmethod
    def together(cls, rows: Sequence[Any], fdr: float | None) -> tuple[Any, ...]:
        """Return the rows with the reliability of their verdicts taken together, of which `fdr` may withhold some."""
        return _together(rows, fdr)

    def meets(self, requirement: str) -> bool:
        """Return whether a requirement is met: `better`, `not-worse` or `equivalent`."""
        check_known("requirement", requirement, REQUIREMENTS)
        region = self.region
        if region is None:
            raise ValueError(f"the requirement {requirement!r} needs a ROPE; give one with rope=")
        if self._evidence().withheld(self.delta.hdi) or (self.withheld and requirement != "not-worse"):
            return False
        if requirement == EQUIVALENT and self._evidence().made_alike(0, 1, self.delta.hdi, region, self.delta.mass):
            return False
        rule = self._evidence().question.rule(region)
        return bool(rule.meets(requirement.replace("-", "_"), *self.delta.hdi))

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
        """Return how many more items like these are needed; `op.plan` with this comparison as the pilot.

        Parameters
        ----------
        goal, power, width, studies, progress
            As in `op.plan`; the default is any verdict with probability 0.8.
        rng : None, int or numpy Generator
            The default is the seed of the comparison.
        """
        pilot, question = self._evidence(), self._evidence().question
        if self.rope is None and width is None:
            raise ValueError(
                "more_data needs a goal: set a ROPE first, as in r.with_rope(0.01).more_data(), or give width="
            )
        if pilot.counts is None or not isinstance(question, CountQuestion):
            raise ValueError(
                "more_data cannot simulate this comparison: it is of folds, of one of several classes with a shared "
                "prior, of a Bayes test, of scores of items, or by Markov chains; use op.plan with the counts of "
                "items, or the estimate of outlook"
            )
        best, seed = question.measure.greater_is_better, question.seed if rng is None else as_seed(rng)
        wanted = Goal.asked(goal, self.region, width, greater_is_better=best)
        population = Population.after(pilot.counts, pilot.model)
        judge = Judge(population.cells, replace(question, seed=seed, draws=None), pilot.model, wanted, self.delta.mass)
        search = Search.of(population, judge, studies, show=progress)
        return plan_for(search, power, pilot.items, hdi=self.delta.hdi)

    def chances(self, factors: Sequence[float] = (2, 4, 8)) -> tuple[Chances, ...]:
        """Return about how probable each verdict is with so many times the items, as predicted from the posterior.

        Empty unless the comparison is unresolved and more items would help. `more_data` simulates instead, and is more
        accurate for few items.

        Parameters
        ----------
        factors : sequence of float
            Items in all, those of the comparison included, as multiples of them; each above 1.
        """
        if not all(factor > 1 for factor in factors):
            raise ValueError(f"factors must be above 1, as in (2, 4, 8), got {factors!r}")
        return self._evidence().chances(self.delta, self.region, self.decision, factors)

    def sensitivity(self, priors: Sequence[Any] | None = None) -> Sensitivity:
        """Return the same comparison under other priors.

        Parameters
        ----------
        priors : sequence
            Names, numbers of pseudo-counts, priors such as op.Dirichlet(), or mappings such as
            {"mu": "LogitNormal(0, 1)"}, which are sampled by PyMC. The default is all named ones that are suitable.
        """
        evidence = self._evidence()
        if isinstance(priors, str | Mapping) or (priors is not None and not len(priors)):
            raise TypeError(f"priors must be a list of priors, as in ['uniform', 'jeffreys', 2], got {priors!r}")
        if evidence.again is None:
            raise ValueError("this comparison cannot be repeated with another prior; compare counts of labels")
        rows, notes = [], []
        read = what_is_read(self.average, cast(Measure, evidence.question.measure))
        fits = {"trend": read == "classes", "right_or_wrong": read == "right"}
        fits |= dict.fromkeys(("light", "flat"), self.average == "binary")
        unfit = {name for name, suits in fits.items() if not suits}
        for prior in [name for name in PRIORS if name not in unfit] if priors is None else list(priors):
            model = with_prior(evidence.model, prior)
            try:
                rows.append(self.of(evidence.again(model), self.region, self.delta.mass))
            except ValueError as wrong:
                if priors is not None:
                    raise
                notes.append(f"{prior} left out: {wrong}.")
        return Sensitivity(tuple(rows), tuple(notes))

    def predictive_check(
        self, when: str = "posterior", *, mass: float = 0.95, draws: int = 2_000, rng: Rng = None
    ) -> PredictiveCheck:
        """Compare observed counts with replicates of the model; for comparisons by `op.PyMC`.

        Parameters
        ----------
        when : {"posterior", "prior"}
            Posterior or prior predictive.
        mass : float
            Of the intervals.
        draws : int
            Replicated data sets; for the posterior at most as many as there are draws.
        rng : None, int or numpy Generator
            The default is the seed of the comparison.
        """
        evidence = self._evidence()
        if evidence.trace is None:
            raise ValueError("predictive checks are of PyMC models; compare with model=op.PyMC() first")
        seed = evidence.question.seed if rng is None else as_seed(rng)
        replicated = replicate(evidence.trace, when, check_draws(draws), seed)
        return PredictiveCheck.of(replicated, when, check_mass(mass), self.signature)

    def plot_trace(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot δ draw by draw, its running mean and its posterior (SIGIR'16 Figure 4; needs matplotlib)."""
        return views.plot(self, ax, kind="trace")

    def plot(self, ax: views.Axes | None = None, *, kind: str = "posterior") -> views.Axes:
        """Plot the comparison (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib views.Axes
            New ones by default.
        kind : {"posterior", "factor", "joint", "margins", "trace", "autocorrelation"}
            The posterior of δ; its prior and posterior; the two scores against each other; how the verdict depends on
            the margin; δ draw by draw; and the autocorrelation of the draws.
        """
        return views.plot(self, ax, kind=kind)

    def summary(self) -> dict[str, float | None]:
        """Return a flat dictionary of plain numbers."""
        numbers: dict[str, float | None] = {}
        for side, score in (("a", self.a), ("b", self.b), ("delta", self.delta)):
            for key, value in asdict(score).items():
                if key == "hdi":
                    numbers[f"{side}_hdi_low"], numbers[f"{side}_hdi_high"] = value
                elif key not in ("name", "mass"):
                    numbers[f"{side}_{key}"] = value
        numbers["mass"] = self.delta.mass
        numbers["rope_low"], numbers["rope_high"] = self.region or (None, None)
        numbers["rope_probability"] = None if self.rope is None else self.rope.probability
        numbers |= {f"bayes_factor_{key}": getattr(self.bayes_factor, key) for key in ("savage_dickey", "rope")}
        numbers["more_items"] = float(self.outlook.items) if self.outlook and self.outlook.items else None
        numbers["pairing_factor"] = None if self.pairing is None else self.pairing.factor
        numbers["p_wrong"] = self.p_wrong
        return numbers | {f"p_{test}": p for test, p in self.frequentist.items()}

    def record(self) -> dict[str, Any]:
        """Return one flat row: what was compared, the numbers, the verdict."""
        what = {"measure": self.measure, "average": self.average, "class": self.class_}
        names = {"a": self.a.name, "b": self.b.name}
        verdict = {"decision": self.decision and self.decision.name, "signature": self.signature}
        return what | names | {"items": self.items} | self.summary() | verdict

    def _evidence(self) -> PairEvidence:
        if self.evidence is None:
            raise ValueError("this comparison was read back without its draws; compare again for another view")
        return self.evidence


@dataclass(frozen=True, repr=False)
class Sensitivity(Listed[Comparison]):
    """One comparison per prior. Created by `Comparison.sensitivity`."""

    rows: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()

    @property
    def robust(self) -> bool:
        """Whether the verdict is the same under every prior; without a ROPE, whether all HDIs exclude 0 or none do."""
        if self.rows[0].decision is not None:
            return len({row.decision and row.decision.name for row in self.rows}) == 1
        return len({(row.delta.hdi[0] > 0, row.delta.hdi[1] < 0) for row in self.rows}) == 1

    def records(self) -> Sequence[dict[str, Any]]:
        """Return a flat row per prior."""
        return [{"prior": row.prior} | row.record() for row in self.rows]

    def plot(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot δ with its HDI under each prior, the ROPE and the verdicts (needs matplotlib)."""
        return views.plot(self, ax)


def _together(rows: Sequence[Comparison], fdr: float | None) -> tuple[Comparison, ...]:
    """Return rows judged together; without a ROPE, or without draws, they are unchanged."""
    evidence, region = rows[0].evidence, rows[0].rope
    if evidence is None or region is None:
        return tuple(rows)
    settled = settle(
        [_finding(row) for row in rows],
        learned=evidence.rows_learned,
        fdr=fdr,
        greater_is_better=evidence.question.measure.greater_is_better,
    )
    return tuple(
        changed(
            row,
            signature=row.signature if fdr is None else row.signature.judged(fdr=f"{fdr:g}"),
            decision=row.decision if given or p is None else _withdrawn(row),
            p_wrong=p,
            verdicts=settled.verdicts,
        )
        for row, p, given in zip(rows, settled.p_wrong, settled.given, strict=True)
    )


def _withdrawn(row: Comparison) -> Decision | None:
    """Return the decision that remains of a withheld verdict: its lean."""
    return row.decision and Decision.of(weakened(row.decision.name), row.a.name, row.b.name)


def _finding(row: Comparison) -> Finding:
    evidence, rope = row.evidence, row.region
    assert evidence is not None
    assert rope is not None
    assert row.decision is not None
    barred = evidence.withheld(row.delta.hdi)
    return Finding.of(row.decision.name, evidence.difference, row.delta.hdi, rope, barred=barred)
