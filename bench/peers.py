"""The same comparison by prob_conf_mat, on the same matrices: time and memory.

Macro-F1 of two confusion matrices under the flat prior, 10,000 draws; and ours under its default prior.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import outperform as op
from bench.harness import Row, megabytes, missing, peak

__all__ = ["bench"]

DRAWS = 10_000
SIZES = (20, 100, 200)
ITEMS = 10_000


def bench() -> list[Row]:
    gap = missing("macro-F1 of two confusion matrices, against prob_conf_mat", "prob_conf_mat")
    return [gap] if gap else [row for classes in SIZES for row in _rows(classes)]


def _rows(classes: int) -> list[Row]:
    rng = np.random.default_rng(classes)
    a, b = (_matrix(rng, classes) for _ in range(2))
    tasks: dict[str, Callable[[], object]] = {
        "flat prior": lambda: _ours(a, b, op.Unpaired("uniform")),
        "default prior": lambda: _ours(a, b, op.Unpaired()),
    }
    theirs = _cost(lambda: _theirs(a, b))
    rows = []
    for name, task in tasks.items():
        ours = _cost(task)
        what = f"M = {classes}, compare two matrices, {name}, against prob_conf_mat"
        rows += [Row(what, ours[0], theirs[0]), Row("its memory at the peak", ours[1], theirs[1], show=megabytes)]
    return rows


def _matrix(rng: np.random.Generator, classes: int) -> Any:
    """Right seven times in ten, wrong in a few ways, every class at least once."""
    share = 0.7 * np.eye(classes) + 0.3 * rng.dirichlet(np.full(classes, 0.05), classes)
    return np.eye(classes, dtype=int) + rng.multinomial(ITEMS, (share / classes).ravel()).reshape(classes, classes)


def _ours(a: Any, b: Any, model: op.Unpaired) -> object:
    return op.compare_confusion(a, b, average="macro", model=model, rope=0.01, draws=DRAWS, rng=0)


def _theirs(a: Any, b: Any) -> object:
    from prob_conf_mat import Study

    study = Study(seed=0, num_samples=DRAWS, ci_probability=0.95)
    for name, matrix in (("a/a", a), ("b/b", b)):
        study.add_experiment(name, matrix, prevalence_prior=1.0, confusion_prior=1.0)
    study.add_metric("f1@macro")
    result: object = study.get_pairwise_comparison(
        metric="f1@macro", experiment_a="a/a", experiment_b="b/b", min_sig_diff=0.01
    )
    return result


def _cost(task: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and megabytes in use at once, each in a run of its own."""
    begin = perf_counter()
    task()
    return perf_counter() - begin, peak(task)
