"""Systems that differ on few items, by 1, 2 or 5 per cent: classes, two classes, scores of items, and rankings.

The ROPEs are 0.8 and 1 times the true difference, so that "equivalent" is false under the first and "better" under the
second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product

import numpy as np
from numpy.random import Generator, default_rng
from scipy.special import ndtr

import outperform as op
from bench.stress.methods import answers_of, by_ours, macro_methods, quiet
from bench.stress.synthetic import Confusions, rows_from, spread_errors
from bench.stress.world import Answer, Ask, Case, World

__all__ = ["worlds"]

CLASSES, INSIDE = 20, 0.8
NEAR, FAR = 1.5, 0.5  # distance between the scores of positives and negatives: of A, and of B where it differs
POSITIVE = 0.3


def worlds() -> Iterator[World]:
    """Four tasks, three shares of differing items, 200 and 1,000 items."""
    for share, items in product((0.01, 0.02, 0.05), (200, 1_000)):
        tail = f"{share:.0%} n={items}"
        note = f"{share:.0%} of the predictions differ, {items} items"
        few = {name: method for name, method in macro_methods(2).items() if name != "prob_conf_mat"}
        yield _world(f"copies macro {tail}", f"{CLASSES} classes, {note}", partial(_many, share, items), CLASSES)
        draw = partial(_two, share, items)
        yield World(f"copies binary {tail}", "near copies", f"one positive class, {note}", draw, few)
        draw = partial(_scores, share, items)
        yield World(
            f"copies scores {tail}",
            "near copies",
            f"mean scores, {note}",
            draw,
            {"default": _compare_scores},
            ("mean",),
        )
        draw = partial(_areas, share, items)
        yield World(
            f"copies auc {tail}", "near copies", f"areas, {note}", draw, {"default": _compare_areas}, ("roc_auc",)
        )


def _world(name: str, note: str, draw: Callable[[Generator], Case], classes: int) -> World:
    return World(name, "near copies", note, draw, macro_methods(classes))


@cache
def _confusions(classes: int, share: float) -> Confusions:
    """B is A, but for a share of items on which it predicts another class, seldom the right one."""
    rng = default_rng(classes)
    mu = np.geomspace(5, 1, classes)
    mu /= mu.sum()
    wrong = spread_errors(rng, mu)
    recall = rng.permutation(np.linspace(0.7, 0.9, classes))
    return Confusions(mu, rows_from(recall, wrong), rows_from(recall / 4, wrong), 1 - share, apart=True)


def _many(share: float, items: int, rng: Generator) -> Case:
    return _judged(_confusions(CLASSES, share).case(rng, items), "f1")


def _two(share: float, items: int, rng: Generator) -> Case:
    return _judged(_confusions(2, share).case(rng, items, "binary"), "f1")


def _scores(share: float, items: int, rng: Generator) -> Case:
    """Scores between 0 and 1, of mean 1/2, and 1/8 where B differs."""
    a = rng.beta(2, 2, items)
    b = np.where(rng.random(items) < share, rng.beta(1, 7, items), a)
    means = 0.5, (1 - share) * 0.5 + share * 0.125
    truth = {"mean.a": means[0], "mean.b": means[1], "mean.delta": means[0] - means[1]}
    return _judged(Case((a, b), truth), "mean")


def _areas(share: float, items: int, rng: Generator) -> Case:
    """Normal scores of two classes, nearer to each other where B differs; negatives of both score alike."""
    y = (rng.random(items) < POSITIVE).astype(np.int64)
    a = NEAR * y + rng.standard_normal(items)
    b = np.where(rng.random(items) < share, FAR * y + rng.standard_normal(items), a)
    near, far = (float(ndtr(distance / np.sqrt(2))) for distance in (NEAR, FAR))
    of_b = (1 - share) * near + share * far
    truth = {"roc_auc.a": near, "roc_auc.b": of_b, "roc_auc.delta": near - of_b}
    return _judged(Case((y, a, b), truth), "roc_auc")


def _judged(case: Case, measure: str) -> Case:
    apart = abs(case.truth[f"{measure}.delta"])
    return replace(case, ropes=(INSIDE * apart, apart))


def _compare_scores(case: Case, ask: Ask) -> Sequence[Answer]:
    a, b = case.data
    with quiet():
        result = op.compare_scores({"a": a, "b": b}, draws=ask.draws, rng=ask.seed)
        return answers_of(case, ask.measure, result)


def _compare_areas(case: Case, ask: Ask) -> Sequence[Answer]:
    y, a, b = case.data
    return by_ours(case, ask, y, {"a": a, "b": b}, {})
