"""The pairs of a ranking: the difference of two systems, and the verdicts on all pairs together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from outperform.inference.ranking import RankingEvidence
from outperform.verdicts.decision import Decision
from outperform.verdicts.interval import Interval
from outperform.verdicts.rule import UNDECIDED, Rule
from outperform.verdicts.several import Finding, Settled, settle, weakened

__all__ = ["MIRRORED", "Pair", "beside", "settle_pairs"]

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
        draws = evidence.between(i, j).values
        findings.append(Finding.of(_outcome(pair, rule), draws, pair.hdi, rule.rope, barred=barred))
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
