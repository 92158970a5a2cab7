"""The methods that compare two classifiers: the package with its default and by name of the prior, and its rivals."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

import outperform as op
from bench.stress.pairs import WEIGHTED, Pair
from bench.stress.resampling import bca, bootstrap
from bench.stress.world import Answer, Ask, Case, Method, verdict
from outperform.inference.draws import DRAWS

__all__ = ["EXTRA", "answers_of", "by_ours", "estimated", "macro_methods", "ours", "quiet"]

PRIORS = ("pooled", "hierarchical", "haldane", "uniform")
DENSE = {"uniform": 60, "hierarchical": 60, "prob_conf_mat": 30}  # the most classes that a method is tried with
EXTRA = ("default", "bootstrap")  # asked about every measure of a world, the others about the first only


def macro_methods(classes: int, *, sets: bool = False) -> Mapping[str, Method]:
    """All methods that suit so many classes, or labels of which an item may have any number."""
    every: dict[str, Method] = {"default": ours}
    every |= {prior: partial(ours, model=op.Paired(prior=prior)) for prior in PRIORS}
    every |= {"bootstrap": bootstrap, "bca": bca}
    if not sets and find_spec("prob_conf_mat"):
        every["prob_conf_mat"] = prob_conf_mat
    return {name: method for name, method in every.items() if classes <= DENSE.get(name, classes)}


def ours(case: Case, ask: Ask, model: Any = None) -> Sequence[Answer]:
    """Compare the two by the package, by its default model or another."""
    pair: Pair = case.data
    average = "weighted" if ask.measure.startswith(WEIGHTED) else pair.average
    own: dict[str, Any] = {"labels": range(pair.classes), "average": average, "model": model}
    if pair.average == "binary":
        own["pos_label"] = 1
    return by_ours(case, ask, pair.gold, {"a": pair.a, "b": pair.b}, own)


def by_ours(case: Case, ask: Ask, data: Any, predictions: Any, settings: Mapping[str, Any]) -> Sequence[Answer]:
    """Ask `op.compare` with these settings."""
    with quiet():
        result = op.compare(
            data,
            predictions,
            measure=_measure(ask.measure),
            draws=ask.draws,
            rng=ask.seed,
            device=ask.device,
            **dict(settings),
        )
        assert isinstance(result, op.Comparison)
        return answers_of(case, ask.measure, result)


def answers_of(case: Case, measure: str, result: op.Comparison) -> Sequence[Answer]:
    """Answers about both scores and their difference, with the verdicts of the package."""
    answers = []
    for of, found in (("a", result.a), ("b", result.b), ("delta", result.delta)):
        verdicts = []
        for rope in case.ropes_of(measure) if of == "delta" else ():
            decision = result.with_rope(rope).decision
            verdicts.append((rope, "undecided" if decision is None else decision.name))
        quantity = f"{measure}.{of}"
        answers.append(Answer(quantity, case.truth[quantity], found.mean, *found.hdi, tuple(verdicts)))
    return answers


def estimated(case: Case, ask: Ask) -> Sequence[Answer]:
    """Estimate the first score alone, by `op.estimate`."""
    pair: Pair = case.data
    with quiet():
        result = op.estimate(
            pair.gold, pair.a, pos_label=1, labels=[0, 1], measure=ask.measure, draws=ask.draws, rng=ask.seed
        )
    assert isinstance(result, op.Estimate)
    quantity = f"{ask.measure}.a"
    return [Answer(quantity, case.truth[quantity], result.mean, *result.hdi)]


def prob_conf_mat(case: Case, ask: Ask) -> Sequence[Answer]:
    """Compare two confusion matrices by prob_conf_mat, unpaired, under its flat prior; HDIs of its draws."""
    peer, pair = import_module("prob_conf_mat"), case.data
    metric, answers = f"{ask.measure}@macro", []
    with quiet():
        study = peer.Study(seed=ask.seed, num_samples=ask.draws or DRAWS, ci_probability=0.95)
        for name, predicted in (("a", pair.a), ("b", pair.b)):
            table = _confusion(pair, predicted)
            if not all(map(sum, table)):
                raise ValueError("prob_conf_mat refuses a class without items")
            study.add_experiment(f"{name}/{name}", table, prevalence_prior=1.0, confusion_prior=1.0)
        study.add_metric(metric)
        drawn = [
            study.get_metric_samples(metric=metric, experiment_name=name, sampling_method="posterior").values.ravel()
            for name in ("a/a", "b/b")
        ]
        both = study.get_pairwise_comparison(
            metric=metric, experiment_a="a/a", experiment_b="b/b", min_sig_diff=case.ropes_of(ask.measure)[0]
        )
    for of, values in zip(("a", "b", "delta"), (*drawn, both.diff_dist), strict=True):
        low, high = op.hdi(values)
        ropes = case.ropes_of(ask.measure) if of == "delta" else ()
        verdicts = tuple((rope, verdict(low, high, rope)) for rope in ropes)
        quantity = f"{ask.measure}.{of}"
        answers.append(Answer(quantity, case.truth[quantity], float(values.mean()), low, high, verdicts))
    return answers


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings: a class without items is part of the trial."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _measure(name: str) -> Any:
    return {"f2": op.f_beta(2)}.get(name, name.removeprefix(WEIGHTED))


def _confusion(pair: Pair, predicted: NDArray[Any]) -> NDArray[np.int64]:
    cells = np.bincount(pair.gold * pair.classes + predicted, minlength=pair.classes**2)
    return cells.reshape(pair.classes, pair.classes).astype(np.int64)
