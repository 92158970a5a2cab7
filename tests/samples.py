"""One result of every kind, with a name of one's choice wherever there can be one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import outperform as op
from outperform.base.signature import Signature
from outperform.results import CheckedCell, Result, Several
from tests.tables import pair

__all__ = ["RESULTS"]

Y, A, B, C = ([*map(int, row)] * 20 for row in ("110010", "100110", "110000", "110011"))
FAR = pair((60, 25, 5, 10), (10, 5, 5, 280))


def _compared(name: str) -> op.Comparison:
    return op.compare(Y, {name: A, "b": B}, rope=0.05, rng=0, draws=200)


def _labelled(name: str, average: str) -> Result:
    """The name is one of three classes."""
    first, second, truth = ([name if x else "MN"[k % 2] for k, x in enumerate(row)] for row in (A, B, Y))
    return op.compare(truth, {"a": first, "b": second}, average=average, rope=0.05, rng=0, draws=200)


def _positive(name: str) -> Result:
    first, second, truth = ([name if x else "M" for x in row] for row in (A, B, Y))
    return op.compare(truth, {"a": first, "b": second}, pos_label=name, rope=0.05, rng=0, draws=200)


def _bayes(name: str, measure: str = "f1") -> op.BayesTest:
    counts = op.Counts.from_totals({name: (1200, 1100, 1000), "new": (1200, 1090, 1010)})
    return op.bayes_test(counts, measure=measure, rope=0.02, rng=0, draws=200)


@cache
def _power() -> op.Power:
    return op.power(FAR, [50, 100], rope=0.05, studies=50, progress=False, rng=0)


@cache
def _plan() -> op.Plan:
    return op.compare(FAR, rope=0.05, rng=0).more_data("better", studies=50)


@cache
def _data_sets() -> op.ThreeWay:
    scores = {"a": [[0.81, 0.83, 0.8], [0.7, 0.72, 0.75]], "b": [[0.8, 0.8, 0.79], [0.71, 0.7, 0.7]]}
    return op.compare_datasets(scores, runs=1, rope=0.01, datasets=["first", "second"], draws=500, rng=0)


def _data_set(name: str) -> Result:
    first, second = _data_sets().estimates
    return replace(_data_sets(), measure=name, estimates=(replace(first, name=name), second))


def _check(name: str) -> Result:
    cells = (CheckedCell(name, "11", 3.0, 2.5, (1.0, 5.0), 0.6), CheckedCell("n", name, 4.0, 2.5, (1.0, 5.0), 0.4))
    return op.PredictiveCheck(Signature.of({"outperform": name}), "posterior", 0.95, 20, cells)


RESULTS: dict[str, Callable[[str], Result]] = {
    "comparison": _compared,
    "comparison without a ROPE": lambda name: _compared(name).with_rope(None),
    "positive class": _positive,
    "macro average": lambda name: _labelled(name, "macro"),
    "per class": lambda name: _labelled(name, "per_class"),
    "estimate": lambda name: op.estimate(Y, {name: A}, rng=0, draws=200),
    "several estimates": lambda name: Several(tuple(op.estimate(Y, {n: A}, rng=0, draws=200) for n in (name, "b"))),
    "ranking": lambda name: op.rank(Y, {"b": B, name: A, "c": C}, rope=0.05, rng=0, draws=200),
    "sensitivity": lambda name: _compared(name).sensitivity(["uniform", "jeffreys"]),
    "priors": lambda name: op.Sensitivity((replace(_compared("a"), prior=name, model=name), _compared("a"))),
    "Bayes test": _bayes,
    "Bayes tests": lambda name: Several((_bayes(name), _bayes(name, "recall"))),
    "power": lambda name: replace(_power(), a=name),
    "plan": lambda name: replace(_plan(), a=name),
    "folds": lambda name: op.compare_folds({name: [0.8, 0.7, 0.9], "b": [0.7, 0.72, 0.71]}, runs=1, rope=0.01),
    "data sets": _data_set,
    "predictive check": _check,
}
