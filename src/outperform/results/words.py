"""How sentences about results name a setting.

By option and argument where both may be typed, by argument in a notebook, and in words in a report.
"""

from __future__ import annotations

from outperform.base.sentences import Sentence, Words, python

__all__ = ["called", "in_words", "reported", "typed"]

TYPED = {
    "compare_or_rank": "outperform compare or rank",
    "measure": " (--measure brier; in Python measure='brier')",
    "model": " (--model bootstrap; in Python model=op.BayesianBootstrap())",
    "more_items": "the column more_items of --format csv (to_csv() in Python)",
    "plan": "; outperform plan says how many items a margin takes",
    "plan_for_two": "; outperform plan says how many",
    "rope": " (--rope 0.01; in Python rope=0.01)",
}
CALLED = {
    "compare_or_rank": "op.compare or op.rank",
    "measure": " (measure='brier')",
    "model": " (model=op.BayesianBootstrap())",
    "more_items": "the column more_items of to_csv()",
    "plan": "; op.plan says how many items a margin takes",
    "plan_for_two": "; op.plan says how many",
    "rope": " (rope=0.01)",
}
REPORTED = {
    "measure": "",
    "model": " (the bootstrap model)",
    "more_items": "the column more_items of the same result as CSV",
    "plan": TYPED["plan"],
    "plan_for_two": TYPED["plan_for_two"],
    "rope": "",
    "simulated": "outperform plan and r.more_data() simulate it, which takes longer.",
}


def typed(name: str, value: str) -> str:
    """Name a setting for someone who may be at a terminal or in Python."""
    return TYPED.get(name) or python(name, value)


def called(name: str, value: str) -> str:
    """Name a setting for someone in a notebook, who has no options but arguments."""
    return CALLED.get(name) or python(name, value)


def reported(name: str, value: str) -> str:
    """Name a setting for the readers of a report, which no option changes."""
    return REPORTED[name] if name in REPORTED else python(name, value)


def in_words(text: str | Sentence, words: Words) -> str:
    """Return a sentence with these words for settings."""
    return text.worded(words) if isinstance(text, Sentence) else text
