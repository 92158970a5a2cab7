"""The result of ranking: places with their uncertainty, the pairs, and which systems are not distinguishable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Self

import numpy as np

from outperform.base.cores import on_all_cores
from outperform.base.errors import listing
from outperform.base.lazy import Lazy, changed
from outperform.base.signature import Signature
from outperform.data.contingency import FloatArray
from outperform.inference.ranking import RankingEvidence
from outperform.models.chains import Diagnostics, Draws
from outperform.results import views
from outperform.results.base import SCHEMA_VERSION, Result, to_plain
from outperform.results.comparison import Comparison
from outperform.verdicts.decision import Decision, RopeLike, as_rope
from outperform.verdicts.interval import Interval, check_mass
from outperform.verdicts.rule import UNDECIDED, Rule
from outperform.verdicts.several import Finding, Settled, Verdicts, settle, weakened
from outperform.verdicts.standings import bands, letters
from outperform.verdicts.summary import Score

__all__ = ["Pair", "Ranked", "Ranking"]

MIRRORED = {
    "better": "worse",
    "worse": "better",
    "slightly_better": "slightly_worse",
    "slightly_worse": "slightly_better",
    "equivalent": "equivalent",
    "undecided": "undecided",
}  # the outcome of B against A


@dataclass(frozen=True)
class Pair:
    """Two systems: the difference of their scores, and the verdict if there is a ROPE."""

    a: str
    b: str
    mean: float
    hdi: Interval
    p_less: float
    p_greater: float
    separated: bool
    decision: Decision | None
    p_wrong: float | None = None  # that the verdict is wrong; without a ROPE, that the order of the two is reversed

    @classmethod
    def of(cls, evidence: RankingEvidence, i: int, j: int, rope: Interval | None, mass: float) -> Self:
        """Judge two systems alone: distinguishable if there is a verdict or, without a ROPE, if the HDI excludes 0."""
        posterior, (a, b) = evidence.between(i, j), (evidence.names[i], evidence.names[j])
        interval, same, decision = evidence.hdi(i, j, mass), evidence.exchangeable(i, j), None
        barred = evidence.barred(i, j, interval)
        if rope is not None:
            rule = evidence.question.rule(rope)
            barred = barred or evidence.made_alike(i, j, interval, rope, mass)
            name = UNDECIDED if barred else rule.of(posterior, interval, mass, exchangeable=same)
            decision = Decision.of(name, a, b)
            separated = name in ("better", "worse")
        else:
            told = not barred and posterior.decisive and not same
            separated = told and (interval[0] > 0 or interval[1] < 0)
        less, greater = posterior.below(0.0), posterior.above(0.0)
        return cls(a, b, posterior.mean, interval, less, greater, separated, decision)


def settle_pairs(
    evidence: RankingEvidence, pairs: Mapping[tuple[int, int], Pair], rope: Interval | None, fdr: float | None
) -> Settled:
    """Return the reliability of the verdicts on all pairs; without a ROPE, of whether they are distinguishable."""
    rule, findings = evidence.question.rule(rope or (0.0, 0.0)), []
    for (i, j), pair in pairs.items():
        barred = bool(evidence.copies[i, j]) or evidence.barred(i, j, pair.hdi)
        between = evidence.between(i, j)
        findings.append(Finding.of(_outcome(pair, rule), between, pair.hdi, rule.rope, barred=barred))
    return settle(
        findings,
        learned=evidence.learned,
        fdr=fdr,
        greater_is_better=evidence.best_is_most,
        systems=len(evidence.names),
    )


def beside(pairs: Mapping[tuple[int, int], Pair], settled: Settled) -> dict[tuple[int, int], Pair]:
    """Return the pairs judged together."""
    rows = zip(pairs.items(), settled.p_wrong, settled.given, strict=True)
    return {at: replace(pair if given or p is None else _weakened(pair), p_wrong=p) for (at, pair), p, given in rows}


def _outcome(pair: Pair, rule: Rule) -> str:
    if pair.decision is not None:
        return pair.decision.name
    return rule.outcome(pair.hdi) if pair.separated else UNDECIDED


def _weakened(pair: Pair) -> Pair:
    """Return what remains of a pair whose verdict is withheld."""
    decision = pair.decision and Decision.of(weakened(pair.decision.name), pair.a, pair.b)
    return replace(pair, separated=False, decision=decision)


@dataclass(frozen=True)
class Ranked:
    """One system: its score, its place, and its bands."""

    name: str
    observed: float | None
    mean: float
    sd: float
    hdi: Interval
    p_best: float
    rank: float
    rank_interval: Interval
    p_top: tuple[float, ...]  # probabilities to be among the best 1, 2, …
    bands: str

    @classmethod
    def of(cls, evidence: RankingEvidence, k: int, score: Score, band: str, mass: float) -> Self:
        """Return the place of one system."""
        rank, top = evidence.places.rank[:, k], tuple(evidence.places.in_top[k].tolist())
        interval = evidence.places.interval(k, mass)
        return cls(**vars(score), p_best=top[0], rank=float(rank.mean()), rank_interval=interval, p_top=top, bands=band)


@dataclass(frozen=True, repr=False, kw_only=True)
class Ranking(Result):
    """Any number of systems ranked together, the best first. Created by `op.rank`.

    Attributes
    ----------
    systems : tuple of Ranked
        In order of their expected rank.
    pairs : tuple of Pair
        All pairs of them, in the same order.
    bands : tuple of tuples of str
        Maximal groups of which no two are distinguishable: two systems are if and only if no group has both.
    """

    signature: Signature
    measure: str
    average: str
    model: str
    prior: str
    items: float
    mass: float
    rope: Interval | None
    systems: tuple[Ranked, ...]
    pairs: tuple[Pair, ...]
    bands: tuple[tuple[str, ...], ...]
    frequentist: Lazy[dict[str, float | None]] = Lazy()  # noqa: RUF009
    notes: tuple[str, ...]
    sampler: Diagnostics | None  # of Markov chains
    verdicts: Verdicts  # of all pairs; without a ROPE, of those that are distinguishable
    evidence: RankingEvidence = field(compare=False)

    @classmethod
    def of(cls, evidence: RankingEvidence, rope: Interval | None, mass: float, fdr: float | None = None) -> Self:
        """Sort the systems and judge every pair by the ROPE; `fdr` may withhold verdicts."""
        order = evidence.order
        alone = {(i, j): Pair.of(evidence, i, j, rope, mass) for i, j in combinations(order, 2)}
        settled = settle_pairs(evidence, alone, rope, fdr)
        pairs = beside(alone, settled)
        separated = np.zeros((len(order),) * 2, dtype=bool)
        for x, y in combinations(range(len(order)), 2):
            separated[x, y] = pairs[order[x], order[y]].separated
        groups = bands(separated)
        header = evidence.question.header(evidence.model, evidence.items, mass, rope)
        header.pop("class_")
        if fdr is not None:
            header["signature"] = header["signature"].judged(fdr=f"{fdr:g}")
        summaries = evidence.summaries(mass)
        return cls(
            **header,
            mass=mass,
            rope=rope,
            systems=tuple(
                Ranked.of(evidence, k, summaries[k], letters(groups, at), mass) for at, k in enumerate(order)
            ),
            pairs=tuple(pairs.values()),
            bands=tuple(tuple(evidence.names[order[k]] for k in group) for group in groups),
            frequentist=partial(getattr, evidence, "frequentist"),
            notes=evidence.notes + evidence.shrinkage_note + evidence.remarks(rope, mass),
            sampler=evidence.diagnostics,
            verdicts=settled.verdicts,
            evidence=evidence,
        )

    def __getitem__(self, name: str) -> Ranked:
        """Return one system, by its name."""
        for system in self.systems:
            if system.name == name:
                return system
        raise KeyError(f"no system {name!r}; there are {listing(system.name for system in self.systems)}")

    @property
    def leader(self) -> Ranked | None:
        """The first system if it is distinguishable from all others and better than each, else None."""
        first = self.systems[0]
        above = self.evidence.best_is_most
        ahead = [
            pair.separated and (pair.decision.name == "better" if pair.decision else (pair.hdi[0] > 0) == above)
            for pair in self.pairs
            if pair.a == first.name
        ]
        return first if all(ahead) else None

    @property
    def draws(self) -> FloatArray:
        """Joint posterior draws of the scores, of shape (draws, systems), in the order in which they were given."""
        return self.evidence.scores

    def comparison(self, a: str, b: str) -> Comparison:
        """Return the comparison of two of the systems, from the draws of the ranking."""
        alone = Comparison.of(self.evidence.pair(a, b), self.rope, self.mass)
        pair, fdr = self._by_names[frozenset((a, b))], self.verdicts.fdr
        name = "" if pair.decision is None else pair.decision.name
        return changed(
            alone,
            signature=alone.signature if fdr is None else alone.signature.judged(fdr=f"{fdr:g}"),
            decision=Decision.of(name if a == pair.a else MIRRORED[name], a, b) if name else None,
            p_wrong=None if self.rope is None else pair.p_wrong,
            verdicts=self.verdicts,
        )

    @cached_property
    def _by_names(self) -> dict[frozenset[str], Pair]:
        return {frozenset((pair.a, pair.b)): pair for pair in self.pairs}

    def drawn(self) -> Draws:
        """Return the draws of all scores."""
        evidence = self.evidence
        return Draws(
            {"score": evidence.scores}, {}, {"classifier": evidence.names}, {"score": ("classifier",)}, evidence.trace
        )

    def with_rope(self, rope: RopeLike | None) -> Self:
        """Return the same draws judged by another ROPE."""
        region = as_rope(rope, bounded=self.evidence.question.bounded, to_the_ends=True)
        return self.of(self.evidence, region, self.mass, self.verdicts.fdr)

    def with_mass(self, mass: float) -> Self:
        """Return the same draws with intervals of another mass."""
        return self.of(self.evidence, self.rope, check_mass(mass), self.verdicts.fdr)

    def records(self) -> Sequence[dict[str, Any]]:
        """Return a flat row per system."""
        rows = []
        for system in self.systems:
            (low, high), (first, last) = system.hdi, system.rank_interval
            rows.append(
                {"measure": self.measure, "average": self.average, "system": system.name, "items": self.items}
                | {key: getattr(system, key) for key in ("observed", "mean", "sd")}
                | {"hdi_low": low, "hdi_high": high, "mass": self.mass, "p_best": system.p_best, "rank": system.rank}
                | {"rank_low": first, "rank_high": last, "bands": system.bands}
                | {f"p_top_{k}": p for k, p in enumerate(system.p_top, start=1)}
                | {"signature": self.signature}
            )
        return rows

    def plot(self, ax: views.Axes | None = None, *, kind: str = "ranking") -> views.Axes:
        """Plot the ranking (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib views.Axes
            New ones by default.
        kind : {"ranking", "pairs"}
            The systems with their HDIs and bands, or the verdict on every pair.
        """
        return views.plot(self, ax, kind=kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the documented JSON: the systems, the bands, and the pairs as comparisons."""
        plain: dict[str, Any] = to_plain(self)
        pairs = list(on_all_cores(lambda pair: self.comparison(pair.a, pair.b).to_dict(), self.pairs))
        return {"schema_version": SCHEMA_VERSION} | plain | {"pairs": pairs}
