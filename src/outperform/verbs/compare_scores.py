"""`compare_scores`: compare two systems by given scores of items, of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outperform.data.input import by_name
from outperform.data.scores import Scores
from outperform.inference.item_evidence import weighed_evidence
from outperform.inference.item_reading import read_scores, weigh_scores
from outperform.inference.item_study import ItemStudy
from outperform.measures.of_items import mean_of
from outperform.models import Model
from outperform.models.posterior import Rng
from outperform.results import BySlice, Comparison
from outperform.verbs.compare import check_two, compare
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.interval import check_mass
from outperform.verdicts.several import check_fdr

__all__ = ["compare_scores", "compare_tasks"]


def compare_scores(
    scores: Any,
    *others: Any,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    cluster: Any = None,
    strata: Any = None,
    rope: RopeLike | None = None,
    model: Model | str | None = None,
    mass: float = 0.95,
    draws: int | None = None,
    rng: Rng = None,
    device: str | None = None,
) -> Comparison:
    """Compare two systems by the mean of a score per item: correct or wrong, nDCG of a query, BLEU.

    Parameters
    ----------
    scores : mapping from name to scores, dataframe, sequence or Scores
        Two systems on the same items. The scores of a system are a sequence; or {id: score}, and the two are matched
        by id; or, if it was run several times, a table with a row per item and a column per run. In a dataframe
        every column is a system. The output of `op.read_scores` is accepted too.
    *others : sequences
        The scores of the second, if systems are given one after the other: `compare_scores(a, b)`. They are called A
        and B.
    measure : str
        Name of the score.
    greater_is_better : bool
        False for losses; the default is the direction in the logs, or else True.
    cluster : sequence of ids or mapping
        What each item belongs to, if items are clustered: its document, its user. Whole clusters are resampled.
    strata : sequence of ids or mapping
        The stratum of each item, a part of the population whose share is known.
    rope : float or (float, float)
        Differences that do not matter to you, in units of the score.
    model : Paired, Unpaired, BayesianBootstrap or str
        The default is the bootstrap of items or clusters; if all scores are 0 or 1, and items are not clustered
        and were run once, the exact model of correct and wrong.
    mass, draws, rng, device
        As in `compare`.

    Notes
    -----
    With several runs there are two sources of randomness: the items of the test set, and the runs. The
    result's `variance` says how much of the variance of δ comes from each.

    Examples
    --------
    >>> import outperform as op
    >>> bm25, bert = [0.5, 0.2, 0.9, 0.4] * 30, [0.6, 0.2, 0.8, 0.7] * 30
    >>> op.compare_scores({"bert": bert, "bm25": bm25}, measure="ndcg", rope=0.01, rng=0)
    bert ≫ bm25   Δmean ndcg = +0.075   95% HDI [+0.048, +0.102]   P(ROPE) < 0.1%
    """
    given = read_scores(by_name(scores, others), cluster, strata, model)
    mean = mean_of(measure or given.metric, greater_is_better=given.direction(greater_is_better))
    study = weigh_scores(given, mean, model, draws=draws, rng=rng, device=device)
    if not isinstance(study, ItemStudy):
        counts, share = study
        return compare(counts, measure=share, rope=rope, model=model, mass=mass, draws=draws, rng=rng, device=device)
    check_two(given.systems)
    region, mass = as_rope(rope, bounded=False), check_mass(mass)
    return Comparison.of(weighed_evidence(study), region, mass)


def compare_tasks(tasks: Mapping[str, Scores], *, fdr: float | None = None, **settings: Any) -> BySlice:
    """Compare two systems on each of several tasks by the mean of a score per item.

    Parameters
    ----------
    tasks : mapping from task to Scores
        The output of `op.read_tasks`.
    fdr : float
        Give only as many verdicts as are wrong in a share `fdr` at most.
    **settings
        As in `compare_scores`, for all tasks.

    Notes
    -----
    Each row is about more items of its task. Over all tasks, as a sample of tasks like these, `op.compare_datasets`
    takes the same mapping.

    Examples
    --------
    >>> import numpy as np
    >>> import outperform as op
    >>> right, half = np.ones(40), np.tile([1.0, 0.0], 20)
    >>> new, old = {"new": right, "old": half}, {"new": half, "old": half}
    >>> tasks = {"arc": op.Scores("acc", new), "gsm": op.Scores("acc", old)}
    >>> op.compare_tasks(tasks, rope=0.05)["arc"].decision.name
    'better'
    """
    if not tasks or not all(isinstance(scores, Scores) for scores in tasks.values()):
        raise ValueError("compare_tasks takes a mapping from task to Scores, such as op.read_tasks makes")
    metrics = dict.fromkeys(scores.metric for scores in tasks.values())
    settings["measure"] = settings.get("measure") or ", ".join(metrics)  # of all rows, whose table has one caption
    rows = [compare_scores(scores, **settings) for scores in tasks.values()]
    return BySlice(tuple(tasks), tuple(rows), fdr=check_fdr(fdr), kind="task").judged(rows)
