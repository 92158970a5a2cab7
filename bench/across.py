"""The same comparison by baycomp: answers in units of Monte-Carlo error, and time.

Scores of two classifiers on 54 data sets, made once; baycomp takes the second minus the first, so that its left is our
"better". Its hierarchical test needs Stan and is not run: ours is timed alone.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np

from bench.harness import Row, at_most, minima, missing
from outperform.results.three_way import ThreeWay
from outperform.verbs.compare_datasets import compare_datasets
from outperform.verbs.compare_folds import compare_folds

__all__ = ["bench", "made"]

DATA_SETS, RUNS, FOLDS = 54, 10, 10
DRAWS = 50_000
ROPE = 0.01
REPEAT = 3
MOST_ERRORS = 4.0  # that two answers may be apart
SLOWEST = 1.5  # seconds that the hierarchy may take
FASTER = 1 / 10  # of baycomp's time, for the signed-rank test


def bench() -> list[Row]:
    scores = made()
    means = {name: own.mean(axis=1) for name, own in scores.items()}
    rows = [_hierarchical(scores)]
    gap = missing("scores of folds and data sets, against baycomp", "baycomp")
    if gap:
        return [*rows, gap]
    for method in ("signed_rank", "sign"):
        rows += _against(method, means)
    return [*rows, *_folds({name: own[0] for name, own in scores.items()})]


def made(seed: int = 0) -> dict[str, Any]:
    """Accuracies of the folds of each data set, of which some are harder than others."""
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.6, 0.95, (DATA_SETS, 1))
    apart = 0.008 + 0.02 * rng.standard_t(4, (DATA_SETS, 1))
    shared = level + 0.03 * rng.normal(size=(DATA_SETS, RUNS * FOLDS))
    own = 0.02 * rng.normal(size=(2, DATA_SETS, RUNS * FOLDS))
    return {"first": shared + apart / 2 + own[0], "second": shared - apart / 2 + own[1]}


def _against(method: str, scores: dict[str, Any]) -> list[Row]:
    test = getattr(import_module("baycomp"), {"signed_rank": "SignedRankTest", "sign": "SignTest"}[method])

    def ours() -> ThreeWay:
        return compare_datasets(scores, method=method, rope=ROPE, draws=DRAWS, rng=0)

    def theirs() -> tuple[float, ...]:
        return tuple(test.probs(*scores.values(), ROPE, nsamples=DRAWS, random_state=0))

    own, other = minima(ours, theirs, repeat=REPEAT)
    bar = at_most(FASTER) if method == "signed_rank" else None
    what = f"{method.replace('_', '-')} test, {DATA_SETS} data sets, against baycomp"
    return [Row(what, own, other, bar=bar), _apart(ours(), theirs())]


def _folds(scores: dict[str, Any]) -> list[Row]:
    two_on_single = import_module("baycomp").two_on_single

    def ours() -> ThreeWay:
        return compare_folds(scores, runs=RUNS, rope=ROPE)

    def theirs() -> tuple[float, ...]:
        return tuple(two_on_single(*scores.values(), rope=ROPE, runs=RUNS))

    own, other = minima(ours, theirs, repeat=20)
    error = max(abs(p - q) for p, q in zip(_three(ours()), theirs(), strict=True))
    same = Row("its largest difference", error, show="{:.0e}".format, bar=at_most(1e-12, own=True))
    return [Row("correlated t-test, 10 × 10 folds, against baycomp", own, other), same]


def _hierarchical(scores: dict[str, Any]) -> Row:
    (time,) = minima(partial(compare_datasets, scores, runs=RUNS, rope=ROPE, draws=DRAWS, rng=0), repeat=REPEAT)
    return Row("hierarchical test, 54 data sets of 10 × 10 folds", time, bar=at_most(SLOWEST, own=True))


def _apart(ours: ThreeWay, theirs: tuple[float, ...]) -> Row:
    """The largest difference of the three probabilities, in Monte-Carlo errors of both."""
    sampled = 2 if ours.mc_error else 1
    apart = [
        abs(p - q) / sqrt(sampled * max(p * (1 - p), q * (1 - q), 1 / DRAWS) / DRAWS)
        for p, q in zip(_three(ours), theirs, strict=True)
    ]
    return Row(
        "its largest difference, in errors", max(apart), show="{:.2g}".format, bar=at_most(MOST_ERRORS, own=True)
    )


def _three(r: ThreeWay) -> tuple[float, float, float]:
    return r.p_better, r.p_equal, r.p_worse
