"""A plan of a macro average: few studies judged that stand for many, against as many as that all judged.

Items of a few classes, two systems that are right on 70 and 66% of them, and the number of further items that bring a
verdict with probability 0.8. The straightforward way judges every study by a posterior of its own. Both numbers come
with an interval for their Monte-Carlo error; the difference is stated in units of its standard error.

    python -m bench.plan
"""

from __future__ import annotations

from time import perf_counter
from unittest.mock import patch

import numpy as np

import outperform as op
from bench.harness import Row, at_most, render
from outperform.planning import search

__all__ = ["bench"]

PILOTS = {"3 classes, 800 items": (3, 800), "20 classes, 1,000 items": (20, 1_000)}
ROPE, TWO_SIDED = 0.02, 1.96


def bench() -> list[Row]:
    rows = []
    for name, (classes, items) in PILOTS.items():
        pilot = _pilot(classes, items)
        (ours, mine), (theirs, reference) = _timed(pilot), _timed(pilot, all_judged=True)
        widths = [np.log(high / low) / (2 * TWO_SIDED) for low, high in (mine.interval, reference.interval)]
        off = abs(np.log(mine.further / reference.further)) / float(np.hypot(*widths))
        rows += [
            Row(f"plan of macro F1, {name}, against every study judged", ours, theirs, bar=at_most(0.25)),
            Row(f"its number, {mine.further:,} and {reference.further:,}, apart in s.e.", off, show="{:.1f}".format),
        ]
    return rows


def _pilot(classes: int, items: int) -> op.Counts:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, items)
    guesses = {
        name: np.where(rng.random(items) < right, truth, rng.integers(0, classes, items))
        for name, right in (("a", 0.70), ("b", 0.66))
    }
    return op.Counts.from_labels(truth, guesses)


def _timed(pilot: op.Counts, *, all_judged: bool = False) -> tuple[float, op.Plan]:
    begin = perf_counter()
    with patch.multiple(search, FEWER=1 if all_judged else search.FEWER, MORE=1 if all_judged else search.MORE):
        found = op.plan(pilot, "decided", rope=ROPE, average="macro", rng=0)
    return perf_counter() - begin, found


if __name__ == "__main__":
    print(render(bench()))
