"""The result of comparing scores of two systems: practically better, the same, or worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from outperform.across import Center, PairScores, Regions, ScorePosterior
from outperform.base.signature import Signature
from outperform.base.version import __version__
from outperform.inference.baselines.counts import class_sign_test, class_wilcoxon, made_equal
from outperform.results import views
from outperform.results.base import Plain
from outperform.verdicts.decision import Decision, RopeLike, as_rope
from outperform.verdicts.interval import ROUNDING, Interval, check_mass
from outperform.verdicts.rules import rule_for

FEW = (
    "No verdict: few data sets make the posterior overconfident, so a classical test must confirm it, and on these {n} "
    "it does not."
)

__all__ = ["OnDataSet", "ScoreEvidence", "Shares", "Shrunken", "ThreeWay", "ThreeWayDelta"]


@dataclass(frozen=True)
class Shares:
    """Probabilities that the first is practically better, practically the same and practically worse."""

    better: float
    equal: float
    worse: float


@dataclass(frozen=True)
class ThreeWayDelta:
    """The posterior of the mean difference, first minus second; `sd` is None if undefined."""

    mean: float
    sd: float | None
    hdi: Interval
    p_better: float
    p_equal: float
    p_worse: float


@dataclass(frozen=True)
class Shrunken:
    """The difference on one data set: as observed, and its posterior, shrunk towards the others."""

    name: str
    observed: float
    mean: float
    sd: float


@dataclass(frozen=True)
class OnDataSet:
    """The difference on one data set, its interval if there is one, and the outcome for the ROPE if there is one.

    The interval is that of a normal distribution with the mean and the sd of the posterior. Without an interval the
    outcome only says on which side of the ROPE the observed difference lies.
    """

    name: str
    observed: float
    mean: float
    interval: Interval | None
    outcome: str | None


@dataclass(frozen=True, repr=False)
class ThreeWay(Plain):
    """Two systems compared by scores. Created by `op.compare_folds` and `op.compare_datasets`.

    The meaning of the three probabilities depends on the method. From folds, they are of the mean difference δ. Across
    data sets, of the most frequent outcome on data sets like these: the first is better there, the same, or worse.
    `delta` is the mean difference and `next_data_set` the prediction for one more data set, if the method gives it.
    """

    signature: Signature
    measure: str
    method: str
    a: str
    b: str
    datasets: int
    folds: int  # scores per data set
    observed: float  # mean difference, first minus second
    greater_is_better: bool
    rope: Interval | None
    mass: float
    p_better: float
    p_equal: float
    p_worse: float
    mc_error: float  # of the least certain of the three; 0 if exact
    decision: Decision | None
    delta: ThreeWayDelta | None
    next_data_set: Shares | None
    estimates: tuple[Shrunken, ...] = ()
    notes: tuple[str, ...] = ()
    evidence: ScoreEvidence | None = field(default=None, compare=False, repr=False, kw_only=True)

    def by_data_set(self) -> tuple[OnDataSet, ...]:
        """Return the difference on each data set; empty for the folds of one, or if only the JSON is known."""
        rows = self.estimates or (() if self.evidence is None else self.evidence.observed())
        return tuple(map(self._on, rows))

    def _on(self, row: Shrunken) -> OnDataSet:
        from scipy.special import ndtri

        half = float(ndtri((1 + self.mass) / 2)) * row.sd
        ends, outcome = (row.mean - half, row.mean + half), None
        if self.rope:
            slack = ROUNDING * max(map(abs, (*self.rope, *ends)))  # on the border is within
            rope = (self.rope[0] - slack, self.rope[1] + slack)
            outcome = rule_for(rope, greater_is_better=self.greater_is_better).outcome(ends)
        return OnDataSet(row.name, row.observed, row.mean, ends if self.estimates else None, outcome)

    def summary(self) -> dict[str, float | None]:
        """Return a flat dictionary of plain numbers."""
        low, high = self.rope or (None, None)
        d, n = self.delta, self.next_data_set
        mean = (None,) * 4 if d is None else (d.mean, d.sd, *d.hdi)
        upcoming = (None,) * 3 if n is None else (n.better, n.equal, n.worse)
        numbers = {"observed": self.observed, "rope_low": low, "rope_high": high}
        numbers |= {name: getattr(self, name) for name in ("p_better", "p_equal", "p_worse", "mc_error")}
        numbers |= dict(zip(("mean", "sd", "hdi_low", "hdi_high"), mean, strict=True))
        return numbers | dict(zip(("next_better", "next_equal", "next_worse"), upcoming, strict=True))

    def records(self) -> Sequence[dict[str, Any]]:
        """Return one flat row."""
        what = {"measure": self.measure, "method": self.method, "a": self.a, "b": self.b, "datasets": self.datasets}
        verdict = {"decision": None if self.decision is None else self.decision.name, "signature": self.signature}
        return [what | {"folds": self.folds, "mass": self.mass} | self.summary() | verdict]

    def plot(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot the three probabilities (needs matplotlib)."""
        return views.plot(self, ax)

    def with_rope(self, rope: RopeLike | None) -> ThreeWay:
        """Return the same posterior judged by another ROPE."""
        return self._judged().judge(as_rope(rope, bounded=False), self.mass)

    def with_mass(self, mass: float) -> ThreeWay:
        """Return the same posterior with another probability that a verdict requires, and an HDI of that mass."""
        return self._judged().judge(self.rope, check_mass(mass))

    def _judged(self) -> ScoreEvidence:
        if self.evidence is None:
            raise ValueError("this was read back without its posterior; run it again to judge it by another ROPE")
        return self.evidence


@dataclass(frozen=True, eq=False)
class ScoreEvidence:
    """What a verdict is based on: the scores, and the posterior of their differences."""

    scores: PairScores
    posterior: ScorePosterior | None  # None if the two are the same throughout
    method: str
    measure: str
    greater_is_better: bool
    runs: int
    datasets: tuple[str, ...] = ()
    estimates: tuple[Shrunken, ...] = ()
    notes: tuple[str, ...] = ()

    def judge(self, rope: Interval | None, mass: float) -> ThreeWay:
        """Judge the posterior by a ROPE."""
        certain = Regions(0.0, 1.0, 0.0)
        p = self.posterior
        regions = certain if p is None else p.regions(rope)
        center = Center(0.0, 0.0, (0.0, 0.0), certain) if p is None else p.center(rope, mass)
        upcoming = None if p is None else p.next_data_set(rope)
        shares, (a, b) = self._shares(regions), self.scores.names
        count = len(self.datasets)
        outcome = None if rope is None else self._outcome(shares, center, rope, mass)
        sure = max(shares.better, shares.equal, shares.worse) >= (1 + mass) / 2
        few = (FEW.format(n=count),) if count and sure and outcome == "undecided" else ()
        return ThreeWay(
            signature=self._signature(rope, mass),
            measure=self.measure,
            method=self.method,
            a=a,
            b=b,
            datasets=count or 1,
            folds=self.scores.first.size // (count or 1),
            observed=float(self.scores.differences.mean()),
            greater_is_better=self.greater_is_better,
            rope=rope,
            mass=mass,
            p_better=shares.better,
            p_equal=shares.equal,
            p_worse=shares.worse,
            mc_error=regions.error,
            decision=None if outcome is None else Decision.of(outcome, a, b),
            delta=None if center is None else self._delta(center),
            next_data_set=None if upcoming is None else self._shares(upcoming),
            estimates=self.estimates,
            notes=(*self.scores.remarks(rope), *self.notes, *few),
            evidence=self,
        )

    def observed(self) -> tuple[Shrunken, ...]:
        """Return the difference on each data set as it was observed, without a spread."""
        differences = self.scores.differences
        means = differences if differences.ndim == 1 else differences.mean(axis=1)
        rows = zip(self.datasets, means.tolist(), strict=True) if self.datasets else ()
        return tuple(Shrunken(name, mean, mean, 0.0) for name, mean in rows)

    def _outcome(self, shares: Shares, center: Center | None, rope: Interval, mass: float) -> str:
        """Decide on folds by the HDI, as in every comparison; over data sets if one of the three is probable enough.

        The threshold is the probability on one side of an HDI's end. Few data sets make a posterior overconfident, so
        an exact test of the same question must agree.
        """
        if self.datasets:
            enough = (1 + mass) / 2
            outcomes = {"better": shares.better, "equivalent": shares.equal, "worse": shares.worse}
            name = next((name for name, p in outcomes.items() if p >= enough), "undecided")
            return name if name != "undecided" and self._p_value(name, rope) <= 1 - enough else "undecided"
        if center is None or center.hdi[0] == center.hdi[1]:
            return "undecided"  # all folds agree, which says nothing about the spread
        rounding = ROUNDING * self.scores.size
        return rule_for(rope, greater_is_better=self.greater_is_better).outcome(center.hdi, rounding)

    def _p_value(self, name: str, rope: Interval) -> float:
        """Return the one-sided p-value of the data sets for a verdict, by signs or by signed ranks."""
        given = self.scores.differences
        x = given if given.ndim == 1 else given.mean(axis=1)
        low, high = rope
        if not self.greater_is_better:
            x, low, high = -x, -high, -low
        apart = {"better": [x], "worse": [-x], "equivalent": [x - low, high - x]}[name]
        test, error = class_sign_test if self.method == "sign" else class_wilcoxon, ROUNDING * self.scores.size
        return max(test(made_equal(distance, error), greater=True) for distance in apart)

    def _shares(self, r: Regions) -> Shares:
        better, worse = (r.above, r.below) if self.greater_is_better else (r.below, r.above)
        return Shares(better, r.within, worse)

    def _delta(self, center: Center) -> ThreeWayDelta:
        p = self._shares(center.regions)
        return ThreeWayDelta(center.mean, center.sd, center.hdi, p.better, p.equal, p.worse)

    def _signature(self, rope: Interval | None, mass: float) -> Signature:
        """Return everything that could change the numbers, in one line."""
        parts = {
            "outperform": __version__,
            "method": self.method,
            **({} if self.posterior is None else self.posterior.settings),
            "measure": self.measure,
            "better": "greater" if self.greater_is_better else "smaller",
            "mass": mass,
            "rope": "none" if rope is None else f"{rope[0]},{rope[1]}",
            "datasets": len(self.datasets) or 1,
            "folds": self.scores.first.size // (len(self.datasets) or 1),
            "runs": self.runs,
        }
        return Signature.of(parts)
