"""What whole calls cost, and how the cost grows with items, classes, systems, draws and cores.

    python -m bench.performance [FILE.csv]

Every line is one question with one size; the time is that of the fastest of several calls after a warm-up, from data in
memory to the verdict. `docs/images/draw_performance.py` draws what was written.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng

import outperform as op
from outperform.base.cores import cores

FILE = Path(__file__).parent.parent / "docs" / "performance.csv"
ENOUGH, MOST_CALLS = 2.0, 7  # seconds of calls, and calls, after which the fastest is taken


class Line(NamedTuple):
    """One measurement: what is asked, what grows, its value, and seconds by the clock and of the processor."""

    question: str
    grows: str
    size: int
    seconds: float
    processor: float
    engine: str


def labelled(items: int, classes: int, systems: int = 2) -> tuple[Any, dict[str, Any]]:
    """Items of one class each, of systems that differ in how good they are, by class."""
    rng = default_rng(items + classes)
    truth, good = rng.integers(0, classes, items), rng.beta(6, 3, classes)
    return truth, {
        f"s{k}": np.where(rng.random(items) < good[truth] - 0.01 * k, truth, rng.integers(0, classes, items))
        for k in range(systems)
    }


def scored(items: int, systems: int = 2) -> tuple[Any, dict[str, Any]]:
    """Items of two classes and scores."""
    rng = default_rng(items)
    truth = rng.random(items) < 0.3
    return truth.astype(int), {f"s{k}": truth * (1 + 0.02 * k) + rng.normal(size=items) for k in range(systems)}


def label_sets(items: int, labels: int) -> tuple[Any, dict[str, Any]]:
    """Items with any number of labels, most of them rare."""
    rng = default_rng(items)
    share = 0.3 * np.exp(-np.arange(labels) * 5.4 / labels)
    truth = rng.random((items, labels)) < share
    flips = [rng.random((items, labels)) < errors for errors in (0.02, 0.022)]
    return truth.astype(int), {name: (truth ^ flip).astype(int) for name, flip in zip("ab", flips, strict=True)}


def timed(question: str, grows: str, size: int, call: Callable[[], Any]) -> Line:
    """Call until it is clear how long it takes."""
    found = call()
    times: list[tuple[float, float]] = []
    while sum(wall for wall, _ in times) < ENOUGH and len(times) < MOST_CALLS:
        start, start_processor = perf_counter(), process_time()
        found = call()
        times.append((perf_counter() - start, process_time() - start_processor))
    parts = found.signature.parts
    how = parts.get("engine", "") or f"{int(parts['draws']):,} draws"
    return Line(question, grows, size, *min(times), how)


def measured() -> Iterator[Line]:
    """Yield every measurement."""

    def compare(question: str, grows: str, size: int, data: Any, **asked: Any) -> Line:
        return timed(question, grows, size, lambda: op.compare(*data, rope=0.01, rng=0, **asked))

    for items in (100, 1_000, 10_000, 100_000, 1_000_000):
        data = labelled(items, 2)
        for measure in ("f1", "recall", "accuracy"):
            yield compare(f"{measure}, two classes", "items", items, data, measure=measure, pos_label=1)
        yield compare("ROC AUC", "items", items, scored(items), measure="roc_auc")
    news = op.datasets.newsgroups()
    two = {name: news.predictions[name] for name in ("nb_mult", "svm_l2")}
    for average in ("macro", "micro", "weighted"):
        yield compare(f"{average} F1, newsgroups", "one", 20, (news.truth, two), average=average)
    yield compare("macro F1, 90 labels, 3,000 items", "one", 90, label_sets(3_000, 90), average="macro")
    for classes in (3, 10, 30, 100, 300, 1_000):
        yield compare("macro F1", "classes", classes, labelled(100 * classes, classes), average="macro")
    for draws in (500, 5_000, 50_000):
        yield compare(
            "macro F1, newsgroups, joint draws", "draws", draws, (news.truth, two), average="macro", draws=draws
        )
    for systems in (2, 5, 10, 20, 50):
        for question, data, asked in (
            ("ranking by F1, 10,000 items", labelled(10_000, 2, systems), {"pos_label": 1}),
            ("ranking by ROC AUC, 10,000 items", scored(10_000, systems), {"measure": "roc_auc"}),
        ):
            yield timed(question, "systems", systems, partial(op.rank, *data, rope=0.01, rng=0, **asked))
    for jobs in (1, cores()):
        os.environ["OUTPERFORM_JOBS"] = str(jobs)
        yield compare(
            "macro F1, newsgroups, 50,000 joint draws", "cores", jobs, (news.truth, two), average="macro", draws=50_000
        )
    del os.environ["OUTPERFORM_JOBS"]


def main() -> None:
    """Measure, print and write."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    with file.open("w", encoding="utf-8", newline="") as opened:
        table = csv.writer(opened)
        table.writerow(Line._fields)
        for line in measured():
            times = f"{line.seconds:9.3f} s{line.processor:9.3f} s"
            print(f"{line.question:44}{line.size:>10,} {line.grows:8}{times}  {line.engine}", flush=True)
            table.writerow([*line[:3], f"{line.seconds:.5f}", f"{line.processor:.5f}", line.engine])


if __name__ == "__main__":
    main()
