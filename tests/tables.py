"""Tables of outcomes that several tests use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import outperform as op

# Outcomes of positive and of negative items: 11, 10, 01, 00 (first classifier, second classifier).
FIVE = {
    "20 items": ((6, 3, 1, 2), (1, 1, 0, 6)),
    "200 items": ((30, 8, 3, 9), (5, 4, 7, 134)),
    "7,532 items": ((241, 39, 48, 70), (64, 43, 32, 6995)),
    "lopsided": ((50, 3, 0, 5), (1, 40, 5, 900)),
    "a million items": ((90_000, 11_000, 10_000, 9_000), (20_000, 9_000, 8_000, 843_000)),
}


def pair(positive: Sequence[float], negative: Sequence[float], names: tuple[str, str] = ("a", "b")) -> op.Counts:
    """Counts of a pair of classifiers from the outcomes of positive and of negative items."""
    truth = [1] * 4 + [0] * 4
    first, second = [1, 1, 0, 0] * 2, [1, 0, 1, 0] * 2
    n = [*positive, *negative]
    counts = op.Counts.from_labels(truth, {names[0]: first, names[1]: second}, labels=[0, 1], weights=n)
    return replace(counts, weighed=None)  # they are items


def labels_of(counts: op.Counts) -> tuple[list[int], dict[str, list[int]]]:
    """Row by row what the counts hold (whole numbers of items)."""
    repeat = counts.n.astype(int)
    truth = np.repeat(counts.truth, repeat).tolist()
    predictions = np.repeat(counts.predictions, repeat, axis=0)
    return truth, {name: predictions[:, k].tolist() for k, name in enumerate(counts.classifiers)}


def verdict(r: op.Comparison) -> str:
    """The name of the outcome; there must be one."""
    assert r.decision is not None
    return r.decision.name
