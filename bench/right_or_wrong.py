"""How often 95% intervals of accuracy cover the truth: the default for many classes, in worlds that differ in kind.

    python -m bench.right_or_wrong [FILE]

FILE is a CSV of a real population (gold, then one column per system; gzipped), which is resampled with classes of
equal size and with sizes as 1/rank. Without it only the synthetic worlds are run. A world is a truth and two systems
whose accuracies are known; its data sets are samples of it.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng

import outperform as op

REPEATS = 400
SIZES = (50, 300, 2_000)
ITEMS = 200_000  # of a synthetic world
SYNTHETIC = {  # classes, accuracies of both, and how often both share what is hard
    "near-perfect": (10, (0.99, 0.985), 0.9),
    "near-copies": (10, (0.80, 0.795), 0.98),
    "poor": (50, (0.20, 0.15), 0.5),
}


class World(NamedTuple):
    """Items, how likely each is to be sampled, and whether either system is right on it."""

    name: str
    share: Any
    right: Any  # of shape (2, items)


def worlds(file: str | None) -> Iterator[World]:
    """All worlds."""
    for seed, (name, (_, accuracies, common)) in enumerate(SYNTHETIC.items()):
        rng = default_rng(seed)
        hard = rng.random(ITEMS)
        right = [np.where(rng.random(ITEMS) < common, hard, rng.random(ITEMS)) < own for own in accuracies]
        yield World(name, np.full(ITEMS, 1 / ITEMS), np.array(right))
    if file is None:
        return
    with gzip.open(file, "rt") as lines:
        header, *rows = csv.reader(lines)
    table = np.array(rows)
    _, code, size = np.unique(table[:, 0], return_inverse=True, return_counts=True)
    rank = default_rng(1).permutation(len(size))
    for kind, weight in (("equal", 1 / size[code]), ("1/rank", 1 / (1 + rank[code]) / size[code])):
        for a, b in combinations(range(1, len(header)), 2):
            both = np.array([table[:, own] == table[:, 0] for own in (a, b)])
            yield World(f"{header[a]}–{header[b]}, {kind}", weight / weight.sum(), both)


def covered(world: World, n: int, rng: Any) -> list[bool]:
    """Whether one data set's intervals hold both accuracies and their difference."""
    right = world.right[:, rng.choice(len(world.share), n, p=world.share)]
    said = np.where(right, 0, 1).T  # three classes, of which all items are of the first
    counts = op.Counts(("a", "b"), (0, 1, 2), np.zeros(n, dtype=np.int64), said, np.ones(n)).merged()
    r = op.compare(counts, measure="accuracy", draws=4_000, rng=1)
    a, b = world.right @ world.share
    pairs = ((r.a.hdi, a), (r.b.hdi, b), (r.delta.hdi, a - b))
    return [bool(low <= truth <= high) for (low, high), truth in pairs]


def main() -> None:
    """Print coverage in per cent: accuracy of both systems, and their difference."""
    rng = default_rng(20)
    for world in worlds(sys.argv[1] if len(sys.argv) > 1 else None):
        for n in SIZES:
            a, b, delta = 100 * np.mean([covered(world, n, rng) for _ in range(REPEATS)], axis=0)
            print(f"{world.name:24} n = {n:5}   {a:5.1f} {b:5.1f}   {delta:5.1f}", flush=True)


if __name__ == "__main__":
    main()
