"""The rule that all verdicts use."""

from __future__ import annotations

from outperform.verdicts.interval import Interval
from outperform.verdicts.rule import Rule

__all__ = ["rule_for"]


def rule_for(rope: Interval, *, greater_is_better: bool = True) -> Rule:
    """Return the rule for this ROPE."""
    return Rule(rope, greater_is_better)
