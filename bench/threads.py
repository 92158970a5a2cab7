"""How much faster draws become with more cores: a comparison and a ranking on 1, 2, 4, … cores.

python -m bench.threads [DIVISOR]     so many times fewer draws, for a trial
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.random import SeedSequence, default_rng

import outperform as op
from bench.gpu import scored_items, study_of
from bench.harness import Row, minima, render
from outperform.base.cores import JOBS
from outperform.base.system import usable_cores
from outperform.measures.averages import averaged
from outperform.measures.of_counts import resolve

__all__ = ["bench"]

CLASSES, ITEMS, REPEAT = 1_000, 100_000, 2


def bench(divisor: int = 1) -> Iterator[Row]:
    """Rows of the time on some cores against that on one."""
    cores = [2**k for k in range(10) if 2**k <= usable_cores()]
    for name, task in _tasks(divisor):
        alone = 0.0
        for number in cores:
            os.environ[JOBS] = str(number)
            (time,) = minima(task, repeat=REPEAT)
            alone = alone or time
            yield Row(f"{name}, on {number}", time, alone)
    os.environ.pop(JOBS, None)


def _tasks(divisor: int) -> Iterator[tuple[str, Callable[[], object]]]:
    news, f1 = op.datasets.newsgroups(), resolve("f1")
    few = op.Counts.from_labels(news.truth, {name: news.predictions[name] for name in ("nb_mult", "svm_l2")})
    rng = default_rng(0)
    truth = rng.integers(CLASSES, size=ITEMS)
    said = {
        name: np.where(rng.random(ITEMS) < p, truth, rng.integers(CLASSES, size=ITEMS))
        for name, p in (("svm", 0.8), ("nb", 0.7))
    }
    many = op.Counts.from_labels(truth, said, labels=range(CLASSES))
    for counts, draws in ((few, 50_000 // divisor), (many, 2_000 // divisor)):
        posterior = op.Paired("pooled").posterior(counts).reduced("macro", f1)
        drawn = partial(posterior.scores, lambda c: averaged("macro", f1, c), draws=draws, seed=SeedSequence(0))
        ask = partial(
            op.compare, counts, average="macro", prior="pooled", engine="draws", draws=draws, rope=0.01, rng=0
        )
        what = f"macro F1, {len(counts.labels):,} classes, {draws:,} draws"
        yield f"{what}: draws alone", drawn
        yield f"{what}: compare", ask
    study = study_of(*scored_items(2, ITEMS))
    yield "ROC AUC, 10⁵ items: draws alone", partial(study.by_weights, 1_600 // divisor, SeedSequence(0))
    four = op.Counts.from_labels(news.truth == 8, {name: own == 8 for name, own in news.predictions.items()})
    yield "rank 4 systems by F1", partial(op.rank, four, draws=50_000 // divisor, rope=0.01, rng=0)


if __name__ == "__main__":
    print(render(list(bench(int((sys.argv[1:] or ["1"])[0])))))
