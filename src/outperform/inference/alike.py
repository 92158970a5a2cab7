"""Pairs of systems that only an assumption makes practically the same.

Shrinkage assumes that systems are alike. The weights of items assume that no other item has a larger difference: two
systems that differ a little on every item would be the same by a narrower ROPE than two that put out the same. So ≈
needs a second HDI within the ROPE: before shrinkage, and with a unit on either side on which two systems differ as
much as the scores of one vary, the rule of three.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from outperform.base.errors import listing
from outperform.data.contingency import FloatArray
from outperform.formats import numbers
from outperform.inference.question import Question, Stream
from outperform.models.posterior import stream
from outperform.models.unseen import Unseen
from outperform.verdicts.interval import Interval, hdi
from outperform.verdicts.rule import EQUIVALENT, Rule

__all__ = ["beyond_of", "fragile", "not_alike", "unit_of"]

SHRUNK = (
    "Not called practically the same, because without shrinkage the HDI of their difference leaves the ROPE: {pairs}."
)
UNSEEN = (
    "Not called practically the same, because the HDI of their difference leaves the ROPE if it allows for unobserved "
    "items on which they differ as much as the scores of one system vary: {pairs}."
)
FRAGILE = (
    "≈ assumes no other items with far larger differences: it would be wrong if {share} of all items, a share of which "
    "one in 20 samples like this has none, differed by {size} or more, all in one direction."
)
MISSED = 0.05  # of the samples have no item of a kind that is as frequent as this note says
FAR = 4.0  # times the range of the scores: larger differences are not mentioned, nor those above 1 of proportions


def fragile(
    unseen: Unseen | None, units: float, scale: tuple[float, float] | None, ends: Interval, rope: Interval
) -> tuple[str, ...]:
    """Return a note on ≈ of means of numbers if items that the sample of so many units may lack could make it wrong."""
    if unseen is None:
        return ()
    share = -np.expm1(np.log(MISSED) / units)
    size = min(ends[0] - rope[0], rope[1] - ends[1]) / share
    proportions = scale is not None and scale[0] <= 1
    if size > (1.0 if proportions else FAR * float(unseen.possible.max()) * units):
        return ()
    return (FRAGILE.format(share=numbers.percent(share), size=f"{size:.2g}"),)


def beyond_of(unseen: Unseen | None, names: Sequence[str], i: int, j: int) -> float:
    """Return the size of the unit that ≈ allows for; its sign is by name, so that the input order does not matter."""
    size = 0.0 if unseen is None else float(unseen.beyond[i, j])
    return size if names[i] <= names[j] else -size


def unit_of(question: Question, draws: int) -> FloatArray:
    """Draw the weight of an unobserved unit on either side."""
    plus, minus = stream(question.seed_of(Stream.BEYOND), 0).standard_exponential((2, draws))
    return np.asarray(plus - minus)


def not_alike(
    rule: Rule, names: Sequence[str], unshrunk: FloatArray | None, pairs: Iterable[tuple[int, int]], mass: float
) -> tuple[str, ...]:
    """Return notes on pairs that only an assumption makes equivalent, by assumption."""
    by_reason: dict[str, list[str]] = {SHRUNK: [], UNSEEN: []}
    for i, j in pairs:
        shrunk = unshrunk is not None and rule.outcome(hdi(unshrunk[:, i] - unshrunk[:, j], mass)) != EQUIVALENT
        by_reason[SHRUNK if shrunk else UNSEEN].append(f"{names[i]} and {names[j]}")
    return tuple(reason.format(pairs=listing(found, 4)) for reason, found in by_reason.items() if found)
