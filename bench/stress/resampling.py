"""Rivals that resample the items: percentile and BCa intervals of the item bootstrap.

Items that are alike are counted together, so that a resample is a row of counts and all resamples are scored at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from bench.stress.pairs import Patterns, patterns
from bench.stress.world import Answer, Ask, Case, verdict

__all__ = ["RESAMPLES", "bca", "bca_interval", "bootstrap", "jackknife", "percentile_interval", "resampled"]

FloatArray = NDArray[np.float64]
RESAMPLES = 1_000
MASS = 0.95


def bootstrap(case: Case, ask: Ask) -> Sequence[Answer]:
    """Percentile bootstrap over items."""
    found = patterns(case.data)
    drawn = resampled(found, ask)
    return _answers(case, ask, found, [percentile_interval(own) for own in drawn])


def bca(case: Case, ask: Ask) -> Sequence[Answer]:
    """Bias-corrected and accelerated bootstrap over items."""
    found = patterns(case.data)
    drawn, left_out = resampled(found, ask), jackknife(found, ask.measure)
    each = zip(_observed(found, ask.measure), drawn, left_out, strict=True)
    return _answers(case, ask, found, [bca_interval(seen, own, out, found.number) for seen, own, out in each])


def resampled(found: Patterns, ask: Ask, resamples: int = RESAMPLES) -> FloatArray:
    """Scores of A, of B and their difference on resamples, of shape (3, resamples)."""
    items, kinds = len(found.which), len(found.number)
    rows = default_rng(ask.seed).integers(0, items, (resamples, items))
    cells = found.which[rows] + kinds * np.arange(resamples)[:, None]
    counts = np.bincount(cells.ravel(), minlength=resamples * kinds).reshape(resamples, kinds)
    return found.scores(ask.measure, found.totals(counts.astype(np.float64)))


def jackknife(found: Patterns, measure: str) -> FloatArray:
    """The three scores without one item of each pattern, of shape (3, patterns)."""
    shape = (len(found.number), 5, found.pair.classes)
    without = found.totals(found.number[None]) - found.parts.toarray().reshape(shape)
    return found.scores(measure, without)


def percentile_interval(drawn: FloatArray) -> tuple[float, float]:
    """Equal tails of the resamples."""
    low, high = np.quantile(drawn, [(1 - MASS) / 2, (1 + MASS) / 2])
    return float(low), float(high)


def bca_interval(observed: float, drawn: FloatArray, left_out: FloatArray, number: FloatArray) -> tuple[float, float]:
    """BCa interval (Efron 1987) from resamples and leave-one-out values, of which each stands for `number` items."""
    below = ((drawn < observed).mean() + (drawn <= observed).mean()) / 2
    edge = 1 / (2 * len(drawn))  # no infinite correction where all resamples are on one side
    bias = ndtri(np.clip(below, edge, 1 - edge))
    apart = np.average(left_out, weights=number) - left_out
    spread = (number @ apart**2) ** 1.5
    acceleration = (number @ apart**3) / (6 * spread) if spread > 0 else 0.0
    normal = bias + ndtri(np.array([(1 - MASS) / 2, (1 + MASS) / 2]))
    low, high = np.quantile(drawn, ndtr(bias + normal / (1 - acceleration * normal)))
    return float(low), float(high)


def _observed(found: Patterns, measure: str) -> FloatArray:
    observed: FloatArray = found.scores(measure, found.totals(found.number[None]))[:, 0]
    return observed


def _answers(case: Case, ask: Ask, found: Patterns, ends: Sequence[tuple[float, float]]) -> Sequence[Answer]:
    """Answers about both scores and their difference."""
    answers = []
    for of, seen, (low, high) in zip(("a", "b", "delta"), _observed(found, ask.measure), ends, strict=True):
        ropes = case.ropes_of(ask.measure) if of == "delta" else ()
        verdicts = tuple((rope, verdict(low, high, rope)) for rope in ropes)
        quantity = f"{ask.measure}.{of}"
        answers.append(Answer(quantity, case.truth[quantity], float(seen), low, high, verdicts))
    return answers
