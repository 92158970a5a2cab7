"""What to do after several verdicts or scores: the next step that a table comes with."""

from __future__ import annotations

from collections.abc import Sequence

from outperform.base.sentences import Sentence, Words
from outperform.results.card import MARGIN, card_of, next_step
from outperform.results.comparison import Comparison
from outperform.results.words import typed

__all__ = ["after_priors", "after_scores", "after_verdicts"]

MOST_NAMED = 3  # classes in a sentence
MORE_ITEMS = Sentence("collect more items; {more_items} says about how many")
EITHER = "Choose by the {what} that matter to you: {a} is better at {better}, {b} at {worse}."
ONE = "Use {winner} if the {what} where it is better matter most; to settle the others, {more}."
OPEN = "To settle the unresolved {what}, {more}."
NOWHERE_WORSE = "Use {winner}: it is better or practically the same in all {what}."
OVERLAP = Sentence(
    "To compare systems, use {compare_or_rank}: two HDIs that overlap do not say that the scores are equal."
)
LOWEST = "Look at the classes with the lowest scores first; where the HDI is wide, collect more items of the class."
DEPENDS = "State the prior with the verdict, or collect more items: the more items, the less the prior matters."


def after_verdicts(rows: Sequence[Comparison], names: Sequence[object], what: str, words: Words = typed) -> str:
    """Say what to do after the verdicts on several classes or slices, which are named in the same order."""
    a, b = rows[0].a.name, rows[0].b.name
    if any((row.a.name, row.b.name) != (a, b) for row in rows):
        return ""
    decisions = [row.decision for row in rows if row.decision]
    if len(decisions) < len(rows):
        return MARGIN.worded(words)
    if len({decision.name for decision in decisions}) == 1 and (said := next_step(decisions[0], a, b, words)):
        return said
    at = {
        outcome: _named([name for name, decision in zip(names, decisions, strict=True) if decision.name == outcome])
        for outcome in ("better", "worse")
    }
    if at["better"] and at["worse"]:
        return EITHER.format(what=what, a=a, b=b, **at)
    said = ONE if any(at.values()) else OPEN
    if all(decision.decided for decision in decisions):
        said = NOWHERE_WORSE
    return said.format(winner=a if at["better"] else b, what=what, more=MORE_ITEMS.worded(words))


def after_priors(rows: Sequence[Comparison], words: Words = typed, *, robust: bool) -> str:
    """Say what to do after one comparison under several priors."""
    return card_of(rows[0], words=words).next if robust or rows[0].decision is None else DEPENDS


def after_scores(systems: int, classes: int, words: Words = typed) -> str:
    """Say what to do after the scores of so many systems in so many classes; nothing after a single score."""
    return OVERLAP.worded(words) if systems > 1 else LOWEST if classes > 1 else ""


def _named(names: Sequence[object]) -> str:
    """Names as in a sentence, or the first of many."""
    shown = [str(name) for name in names[:MOST_NAMED]] or [""]
    shown += [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
