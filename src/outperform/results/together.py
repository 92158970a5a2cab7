"""Comparisons beside each other: what their verdicts are worth, and which of them are withheld."""

from __future__ import annotations

from collections.abc import Sequence

from outperform.results.comparison import Comparison
from outperform.results.lazy import changed
from outperform.verdicts.decision import Decision
from outperform.verdicts.several import Finding, settle, signed, weakened

__all__ = ["together"]


def together(rows: Sequence[Comparison], fdr: float | None) -> tuple[Comparison, ...]:
    """Judge rows beside each other; without a ROPE, or without draws, there is nothing to judge."""
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
            signature=signed(row.signature, fdr),
            decision=row.decision if given or p is None else _withdrawn(row),
            p_wrong=p,
            verdicts=settled.verdicts,
        )
        for row, p, given in zip(rows, settled.p_wrong, settled.given, strict=True)
    )


def _withdrawn(row: Comparison) -> Decision | None:
    """What is left of a withheld verdict: its lean."""
    return row.decision and Decision.of(weakened(row.decision.name), row.a.name, row.b.name)


def _finding(row: Comparison) -> Finding:
    own, rope = row.evidence, row.rope
    assert own is not None
    assert rope is not None
    assert row.decision is not None
    barred = own.withheld(row.delta.hdi)
    return Finding.of(row.decision.name, own.delta, row.delta.hdi, (rope.low, rope.high), barred=barred)
