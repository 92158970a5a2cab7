"""Many classes: draws against dense Dirichlet rows, and what a draw costs as the classes grow.

The reference at M = 20 is what the model says, plainly: for each classifier every row of the confusion matrix as a
Dirichlet of 20 cells, by numpy. The hierarchical prior of ICDM'15, on the paper's own matrices.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

import outperform as op
from bench.harness import Row, at_least, at_most, megabytes, minima, nanoseconds, peak, rate, seconds
from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.averages import averaged
from outperform.models.posterior import Posterior

__all__ = ["bench"]

DRAWS = 50_000
F1 = op.f_beta(1)
MODEL = op.Unpaired("hierarchical")
VERDICT = "verdict on 100,000 classes, 1,000,000 items"


def bench() -> list[Row]:
    return [*_against_dense_rows(), *_growing(), *_verdict()]


def _against_dense_rows() -> list[Row]:
    """Micro and macro F1 of two classifiers, M = 20."""
    pair = {name: op.datasets.newsgroups_confusion()[name].astype(np.float64) for name in ("nb_mult", "svm_l2")}
    posterior = MODEL.posterior(op.Counts.from_confusion(pair))
    dense, ours = minima(lambda: [_dense(m) for m in pair.values()], lambda: _both(posterior), repeat=5)
    memory = peak(lambda: _both(posterior))
    return [
        Row(
            "M = 20, draws of micro and macro F1 of two, against dense rows",
            DRAWS / ours,
            DRAWS / dense,
            rate,
            at_least(3),
        ),
        Row("its memory at the peak", memory, show=megabytes, bar=at_most(300, own=True)),
    ]


def _both(posterior: Posterior) -> list[FloatArray]:
    def draw(average: str) -> FloatArray:
        def score(c: Contingency) -> FloatArray:
            return averaged(average, F1, c)

        return posterior.reduced(average, F1).scores(score, draws=DRAWS, seed=SeedSequence(0))

    return [draw("micro"), draw("macro")]


def _dense(matrix: FloatArray) -> list[FloatArray]:
    """Rows of Dir(c + ω) with ω = η on the diagonal and (1 − η)/19 elsewhere; η at its posterior mean."""
    rng, eta, classes = Generator(SFC64(0)), 0.08, len(matrix)
    omega = np.where(np.eye(classes, dtype=bool), eta, (1 - eta) / (classes - 1))
    return [rng.dirichlet(row, DRAWS) for row in matrix + omega]


def _growing() -> list[Row]:
    """Time of a draw per observed cell and classifier, as the classes grow tenfold."""
    rows, first = [], None
    for classes in (1_000, 10_000):
        counts = _sparse(classes, 10 * classes)
        posterior = op.Paired("hierarchical").posterior(counts)
        draws = 400_000 // classes
        (time,) = minima(partial(_macro, posterior, draws), repeat=3)
        each = time / draws / len(counts.n)
        what = f"M = {classes:,}, {len(counts.n):,} cells: time of a draw, by cell"
        rows.append(Row(what, each, first, show=nanoseconds, bar=at_most(2) if first else None))
        first = each
    return rows


def _macro(posterior: Posterior, draws: int) -> FloatArray:
    return posterior.scores(lambda c: averaged("macro", F1, c), draws=draws, seed=SeedSequence(0))


def _verdict() -> list[Row]:
    """The whole comparison on 100,000 classes."""
    counts = _sparse(100_000, 1_000_000)
    begin = perf_counter()
    result = op.compare(counts, average="macro", rope=0.01, rng=0)
    time = perf_counter() - begin
    memory = peak(lambda: op.compare(counts, average="macro", rope=0.01, rng=0, draws=8))
    assert result.decision is not None
    return [
        Row(
            f"{VERDICT}, {len(counts.n):,} cells: {result.decision.name}", time, show=seconds, bar=at_most(30, own=True)
        ),
        Row("its memory at the peak", memory, show=megabytes, bar=at_most(500, own=True)),
    ]


def _sparse(classes: int, items: int) -> op.Counts:
    """Classes of any size, of which each is taken for a few others only."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, items - classes)])

    def predict(accuracy: float) -> FloatArray:
        wrong = (y * 7_919 + rng.geometric(0.5, items) * 104_729) % classes
        guess: FloatArray = np.where(rng.random(items) < accuracy, y, wrong)
        return guess

    return op.Counts.from_labels(y, {"a": predict(0.85), "b": predict(0.83)}, labels=range(classes))
