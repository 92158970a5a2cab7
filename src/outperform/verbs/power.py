"""`power`: how often studies of some size reach their goal, before any item is labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outperform.base.errors import check_known, listing
from outperform.base.limits import is_whole
from outperform.base.sentences import invalid
from outperform.data.counts import Counts
from outperform.data.labels import Label
from outperform.inference.question import CountQuestion
from outperform.inference.tables import tables
from outperform.mcmc.engine import chosen
from outperform.measures.of_counts import MeasureFunction
from outperform.models import Model
from outperform.models.posterior import Rng
from outperform.models.priors import PriorLike
from outperform.planning.judging import Judge
from outperform.planning.populations import Population
from outperform.planning.scenarios import Scenario
from outperform.planning.search import Search
from outperform.results.planning import Power, settings
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.goals import Goal
from outperform.verdicts.interval import check_mass

__all__ = ["as_truth", "one_question", "power"]

MOST_STUDIED = 10**9  # items per study
AT = ("mean", "posterior")


def power(
    truth: Scenario | Counts | Mapping[str, Any] | Sequence[Any],
    sizes: int | Iterable[int],
    goal: str = "decided",
    *,
    rope: RopeLike | None = None,
    at: str = "mean",
    measure: str | MeasureFunction = "f1",
    average: str | None = None,
    pos_label: Label | None = None,
    model: Model | str | None = None,
    prior: PriorLike | None = None,
    mass: float = 0.95,
    studies: int | None = None,
    draws: int | None = None,
    zero_division: float = 0.0,
    n_jobs: int | None = None,
    progress: bool = True,
    rng: Rng = None,
) -> Power:
    """Simulate studies of some sizes and count how many reach their goal (SIGIR'16 §4.1).

    Parameters
    ----------
    truth : Scenario, (mu, positive, negative), mapping or Counts
        The hypothetical scenario; or results that it resembles.
    sizes : int or sequence of int
        Numbers of items of the studies. A study grows from size to size.
    goal : {"decided", "better", "worse", "equivalent", "not_worse"}
        What is to be shown about the first classifier; "decided" is any verdict: better, worse or equivalent.
    rope : float or (float, float)
        Differences that do not matter to you.
    at : {"mean", "posterior"}
        If results are given: whether the scenario is the mean of their posterior, or drawn from it for every study.
    measure, average, pos_label, model, prior, mass, draws, zero_division, rng
        As in `compare`.
    studies : int
        Number of simulated studies: 2,000, or 400 if each needs its own draws (more than two classes).
    n_jobs : int
        Number of processes, by joblib, whose `parallel_config` is respected: with the backend of a cluster its
        workers are used. By default threads of this process are used. The numbers are the same.
    progress : bool
        Whether to show a progress bar if stderr is a terminal. If interrupted, finished studies count.

    Returns
    -------
    Power
        The curve with its Monte-Carlo errors, and the outcome of every study.

    Examples
    --------
    >>> import outperform as op
    >>> truth = op.Scenario(0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
    >>> op.power(truth, [500, 2000], "better", rope=0.05, rng=0)
    power to show that A is better than B: 0.31 at 500, 0.81 at 2,000 items
    """
    world = as_truth(truth)
    counts = world.counts() if isinstance(world, Scenario) else world
    check_known("at", at, AT)
    question = CountQuestion.check(
        measure, average, counts, pos_label, draws=draws, rng=rng, zero_division=zero_division
    )
    table, question, settled = one_question(counts, question, chosen(model, prior, counts))
    supposed = isinstance(world, Scenario)
    population = Population.supposed(table) if supposed else Population.like(table, settled, mean=at == "mean")
    wanted = Goal.of(goal, as_rope(rope), greater_is_better=question.measure.greater_is_better)
    judge = Judge(population.cells, question, settled, wanted, check_mass(mass))
    search = Search.of(population, judge, studies, show=progress, n_jobs=n_jobs)
    steps = _sizes(sizes)
    search.limit()
    done = search.simulate(steps, keep=True)
    finished = done.low.shape[1]
    short = (f"Interrupted after {finished:,} of {search.studies:,} studies.",) if finished < search.studies else ()
    search = replace(search, studies=finished)
    described = str(world) if isinstance(world, Scenario) else f"{at} of {counts.items:g} items"
    header = settings(search, 0, described, done)
    return Power(**header | {"notes": header["notes"] + short})


def as_truth(truth: Any) -> Scenario | Counts:
    """Return a scenario given as an object, as numbers, or by results."""
    if isinstance(truth, Mapping):
        extra = [key for key in truth if key not in ("mu", "positive", "negative")]
        if extra or len(truth) < 3:
            raise ValueError(f"a truth has mu, positive and negative, got {listing(truth)}")
        return Scenario(**truth)
    if isinstance(truth, tuple | list) and len(truth) == 3:
        return Scenario(*truth)
    if not isinstance(truth, Scenario | Counts):
        raise TypeError(
            "give the truth as op.Scenario(…), as numbers (mu, positive, negative), or as an op.Counts of results, "
            f"got {type(truth).__name__}"
        )
    return truth if isinstance(truth, Scenario) else truth.worth()


def one_question(counts: Counts, question: CountQuestion, model: Model) -> tuple[Counts, CountQuestion, Model]:
    """Return the one table that is planned with, its question and its model; raise an error if that is impossible."""
    if len(counts.classifiers) != 2:
        raise ValueError(
            f"planning takes two classifiers, got {len(counts.classifiers)}: {listing(counts.classifiers)}"
        )
    if counts.folds:
        raise ValueError("folds of a cross-validation are not test items to plan with; give counts of one test set")
    if model.shows_variables:
        raise ValueError(
            "planning draws thousands of posteriors, for which Markov chains are too slow; use the exact model"
        )
    if question.average == "per_class":
        raise invalid("{average:per_class} asks about every class; leave it out, and give one as {pos_label}")
    return next(tables(counts, question, model))


def _sizes(sizes: Any) -> list[int]:
    if isinstance(sizes, np.ndarray):
        sizes = sizes.tolist()
    given: list[Any] = [sizes] if isinstance(sizes, str) or not isinstance(sizes, Iterable) else list(sizes)
    if not given:
        raise ValueError("there are no sizes; give at least one number of items")
    for size in given:
        if not is_whole(size) or not 1 <= size <= MOST_STUDIED:
            raise ValueError(f"sizes are whole numbers of items between 1 and {MOST_STUDIED:,}, got {size!r}")
    return sorted({int(size) for size in given})
