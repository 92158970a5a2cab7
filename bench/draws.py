"""How long the draws of δ(F1) and a whole comparison take, against nothing but their gammas.

The gammas are the part that cannot be saved. The pair is multinomial naive Bayes and the SVM with
L2 penalty on 20 Newsgroups, class 8 (rec.motorcycles) against the rest.
"""

from __future__ import annotations

import numpy as np
from numpy.random import SFC64, Generator, SeedSequence

import outperform as op
from bench.harness import Row, at_most, minima
from outperform.data.contingency import FloatArray
from outperform.measures.of_counts import resolve
from outperform.models.binary import paired_posterior
from outperform.models.dirichlet import DirichletPosterior

__all__ = ["CLASS", "DRAWS", "bench", "delta", "pair"]

CLASS = 8
DRAWS = 50_000
REPEAT = 100


def bench() -> list[Row]:
    counts = pair()
    posterior = paired_posterior(counts.binary(CLASS), op.Uniform())
    raw, drawn, alone, whole, verdict = minima(
        lambda: _gammas(posterior.blocks),
        lambda: delta(posterior),
        lambda: delta(posterior, workers=1),
        lambda: op.compare(counts, pos_label=CLASS, rope=0.05, rng=0).bayes_factor,
        lambda: op.compare(counts, pos_label=CLASS, rope=0.05, rng=0),
        repeat=REPEAT,
    )
    return [
        Row("50,000 draws of δ(F1), against raw gammas", drawn, raw, bar=at_most(1.2)),
        Row("the same on one core", alone, raw),
        Row("compare() with HDI and Bayes factors, against raw gammas", whole, raw, bar=at_most(3)),
        Row("compare() until the verdict, against the same with Bayes factors", verdict, whole, bar=at_most(0.75)),
    ]


def pair() -> op.Counts:
    """Counts of the two classifiers, all 20 classes."""
    news = op.datasets.newsgroups()
    return op.Counts.from_labels(news.truth, {name: news.predictions[name] for name in ("nb_mult", "svm_l2")})


def delta(posterior: DirichletPosterior, workers: int | None = None) -> FloatArray:
    """Draws of δ(F1)."""
    drawn = posterior.scores(resolve("f1"), draws=DRAWS, seed=SeedSequence(0), workers=workers)
    difference: FloatArray = drawn[:, 0] - drawn[:, 1]
    return difference


def _gammas(blocks: tuple[FloatArray, ...]) -> list[FloatArray]:
    """The gammas that the draws are made of, each cell from a stream of its own."""
    return [
        Generator(SFC64(SeedSequence(0, spawn_key=(k,)))).standard_gamma(alpha, DRAWS)
        for k, alpha in enumerate(np.concatenate(blocks))
    ]
