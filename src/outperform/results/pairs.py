"""The pairs of a ranking: the difference of two systems, and the verdicts on all pairs beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from outperform.data.contingency import FloatArray
from outperform.formats import numbers
from outperform.models.shrinkage import pulled
from outperform.verdicts.decision import Decision
from outperform.verdicts.rule import UNDECIDED, Rule
from outperform.verdicts.several import Finding, Settled, weakened
from outperform.verdicts.summary import Interval

__all__ = ["MIRRORED", "Pair", "beside", "findings_of", "shrinkage_note"]

LEAST_PULL = 0.01  # share of the differences, from which on it is said that systems are drawn together

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
    """Two systems: the difference of their scores, and the verdict where there is a ROPE."""

    a: str
    b: str
    mean: float
    hdi: Interval
    p_less: float
    p_greater: float
    separated: bool
    decision: Decision | None
    p_wrong: float | None = None  # that the verdict is wrong; without a ROPE, that the two are in the other order


def findings_of(
    pairs: Mapping[tuple[int, int], Pair],
    scores: FloatArray,
    rule: Rule,
    barred: Sequence[bool],
) -> list[Finding]:
    """The pairs as their own draws have them; without a ROPE, whether they are told apart."""
    findings = []
    for ((i, j), pair), out in zip(pairs.items(), barred, strict=True):
        findings.append(Finding.of(_outcome(pair, rule), scores[:, i] - scores[:, j], pair.hdi, rule.rope, barred=out))
    return findings


def beside(pairs: Mapping[tuple[int, int], Pair], settled: Settled) -> dict[tuple[int, int], Pair]:
    """The pairs judged beside each other."""
    rows = zip(pairs.items(), settled.p_wrong, settled.given, strict=True)
    return {at: replace(pair if given or p is None else _weakened(pair), p_wrong=p) for (at, pair), p, given in rows}


def _outcome(pair: Pair, rule: Rule) -> str:
    if pair.decision is not None:
        return pair.decision.name
    return rule.outcome(pair.hdi) if pair.separated else UNDECIDED


def _weakened(pair: Pair) -> Pair:
    """What is left of a pair whose verdict is withheld."""
    decision = pair.decision and Decision.of(weakened(pair.decision.name), pair.a, pair.b)
    return replace(pair, separated=False, decision=decision)


def shrinkage_note(names: Sequence[str], first: int, before: FloatArray, after: FloatArray) -> tuple[str, ...]:
    """How much systems are drawn together, and what that makes of the first; nothing where it is little."""
    share = pulled(before, after)
    if share < LEAST_PULL:
        return ()
    digits = numbers.decimals(float(after[:, first].std()) or 0.001)
    alone, together = (numbers.score(float(x[:, first].mean()), digits) for x in (before, after))
    return (
        "Systems are drawn towards each other as far as they are alike, which makes differences "
        f"{numbers.share(share)} smaller on average: the mean of {names[first]} is {together}, without that "
        f"{alone}, because the best of {len(names)} is partly lucky.",
    )
