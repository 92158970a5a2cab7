"""`compare_scores`: two systems by scores of items that are there already, of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outperform.data.scores import Scores
from outperform.inference.item_evidence import weighed_evidence
from outperform.inference.item_study import ItemStudy, weigh_scores
from outperform.measures.of_items import mean_of
from outperform.models import Model
from outperform.models.posterior import Rng
from outperform.results import Comparison
from outperform.verbs.compare import check_two, compare
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.interval import check_mass

__all__ = ["compare_scores"]


def compare_scores(
    scores: Mapping[str, Any] | Scores,
    *,
    measure: str | None = None,
    greater_is_better: bool | None = None,
    cluster: Any = None,
    strata: Any = None,
    rope: RopeLike | None = None,
    model: Model | str | None = None,
    mass: float = 0.95,
    draws: int | None = None,
    rng: Rng = None,
) -> Comparison:
    """Compare two systems by the mean of a score that each item has: right or wrong, nDCG of a query, BLEU.

    Parameters
    ----------
    scores : mapping from name to scores, or Scores
        Two systems on the same items. The scores of a system are a sequence; or {id: score}, and the two are matched
        by id; or, where it was run several times, a table with a row for each item and a column for each run. What
        `op.read_scores` gives will do as well.
    measure : str
        What to call the score.
    greater_is_better : bool
        False for losses; by default what logs say, or else True.
    cluster : sequence of ids or mapping
        For each item what it belongs to, if items hang together: its document, its user. Clusters are weighed whole.
    strata : sequence of ids or mapping
        For each item a part of the population whose share is known.
    rope : float or (float, float)
        Differences that do not matter to you, in units of the score.
    model : Paired, Unpaired, BayesianBootstrap or str
        By default the bootstrap of items or clusters; where all scores are 0 or 1, and items do not hang together
        and were run once, the exact model of right and wrong.
    mass, draws, rng
        As in `compare`.

    Notes
    -----
    With several runs there are two sources of chance: which items are in the test set, and which runs were made. The
    result's `variance` says how much of the variance of δ comes from each.

    Examples
    --------
    >>> import outperform as op
    >>> bm25, bert = [0.5, 0.2, 0.9, 0.4] * 30, [0.6, 0.2, 0.8, 0.7] * 30
    >>> op.compare_scores({"bert": bert, "bm25": bm25}, measure="ndcg", rope=0.01, rng=0)
    bert ≫ bm25   Δmean ndcg = +0.075   95% HDI [+0.048, +0.102]   P(ROPE) = 0.0%
    """
    given = Scores.of(scores, cluster, strata)
    mean = mean_of(measure or given.metric, greater_is_better=given.direction(greater_is_better))
    study = weigh_scores(given, mean, model, draws=draws, rng=rng)
    if not isinstance(study, ItemStudy):
        counts, share = study
        return compare(counts, measure=share, rope=rope, model=model, mass=mass, draws=draws, rng=rng)
    check_two(given.systems)
    region, mass = as_rope(rope, bounded=False), check_mass(mass)
    return Comparison.of(weighed_evidence(study), region, mass)
