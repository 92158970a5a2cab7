"""`plan`: how many more items are needed to reach a goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outperform.data.counts import Counts
from outperform.data.labels import Label
from outperform.inference.question import CountQuestion
from outperform.mcmc.engine import chosen
from outperform.measures.of_counts import MeasureFunction
from outperform.models import Model
from outperform.models.posterior import Rng
from outperform.models.priors import PriorLike
from outperform.planning.judging import Judge
from outperform.planning.populations import Population
from outperform.planning.scenarios import Scenario
from outperform.planning.search import Search
from outperform.results.planning import Plan, plan_for
from outperform.verbs.power import as_truth, one_question
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.goals import Goal
from outperform.verdicts.interval import check_mass

__all__ = ["plan"]


def plan(
    pilot: Counts | Scenario | Mapping[str, Any] | Sequence[Any],
    goal: str | None = None,
    *,
    power: float = 0.8,
    rope: RopeLike | None = None,
    width: float | None = None,
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
) -> Plan:
    """Find how many more items a study needs to reach its goal with some probability.

    The pilot's results stay part of the study. Their uncertainty is kept: every simulated study has its own true
    scenario, drawn from the pilot's posterior (assurance; O'Hagan et al. 2005).

    Parameters
    ----------
    pilot : Counts or Scenario
        Results so far; or, before there are any, a hypothetical scenario.
    goal : {"decided", "better", "worse", "equivalent", "not_worse"}
        What is to be shown about the first classifier; "decided", the default, is any verdict.
    power : float
        The target probability of reaching the goal.
    rope : float or (float, float)
        Differences that do not matter to you.
    width : float
        In place of a goal: the largest width of the HDI of the difference.
    measure, average, pos_label, model, prior, mass, draws, zero_division, rng
        As in `compare`.
    studies, n_jobs, progress
        As in `power`.

    Returns
    -------
    Plan
        The number of further items, an interval for its Monte-Carlo error, and the curve around it.

    Examples
    --------
    >>> import outperform as op
    >>> y, p, q = [1] * 40 + [0] * 60, [1] * 36 + [0] * 64, [1] * 30 + [0] * 70
    >>> op.plan(op.Counts.from_labels(y, {"p": p, "q": q}), "better", rope=0.02, rng=0)
    about 107 more items to show that p is better than q with probability 0.8
    """
    world = as_truth(pilot)
    counts = world.counts() if isinstance(world, Scenario) else world
    question = CountQuestion.check(
        measure, average, counts, pos_label, draws=draws, rng=rng, zero_division=zero_division
    )
    table, question, settled = one_question(counts, question, chosen(model, prior, counts))
    supposed = isinstance(world, Scenario)
    population = Population.supposed(table) if supposed else Population.after(table, settled)
    wanted = Goal.asked(goal, as_rope(rope), width, greater_is_better=question.measure.greater_is_better)
    judge = Judge(population.cells, question, settled, wanted, check_mass(mass))
    search = Search.of(population, judge, studies, show=progress, n_jobs=n_jobs)
    return plan_for(search, power, 0, str(world)) if supposed else plan_for(search, power, table.items)
