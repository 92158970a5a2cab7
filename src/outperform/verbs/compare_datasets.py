"""`compare_datasets`: compare two systems by their scores on several data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outperform.across import HierarchicalT, PairScores, Sign, SignedRank
from outperform.across.scores import correlation, named
from outperform.base.errors import check_known, count, listing
from outperform.base.limits import check_draws, check_truth_value
from outperform.base.sentences import invalid
from outperform.data.scores import Scores
from outperform.models.posterior import Rng, as_seed
from outperform.results.three_way import ScoreEvidence, Shrunken, ThreeWay
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.interval import ROUNDING, check_mass

__all__ = ["compare_datasets"]

STRENGTHS = {"sign": 1.0, "signed_rank": 0.5, "hierarchical": 0.0}  # of the prior, in data sets
PLACES = ("rope", "better", "worse")
MANY = 10  # scores per data set above which they are probably of several runs
ONE_RUN = "{n} scores per data set are treated as {n} folds of one run; give runs if the cross-validation was repeated."
NO_SPREAD = "{sets} the same difference on every fold; each is assumed to vary like the one that varies least."


def compare_datasets(
    scores: Mapping[str, Any],
    *,
    method: str | None = None,
    rope: RopeLike | None = None,
    runs: int | None = None,
    test_share: float | None = None,
    prior_strength: float | None = None,
    prior_place: str = "rope",
    datasets: Sequence[str] | None = None,
    draws: int = 50_000,
    mass: float = 0.95,
    measure: str = "score",
    greater_is_better: bool | None = None,
    rng: Rng = None,
) -> ThreeWay:
    """Compare two systems by their scores on several data sets.

    The three probabilities are of the most frequent outcome on data sets like these: the first is practically better
    there, the same, or worse.

    Parameters
    ----------
    scores : mapping from name to scores
        Two systems, and for each one score per data set, or a row of scores per data set, one for every fold. The
        output of `op.read_tasks` is accepted too: tasks are data sets, and their scores means over items.
    method : {"signed_rank", "sign", "hierarchical"}
        The default is signed_rank for one score per data set, hierarchical for rows. Signs use only which of the
        two is better; ranks also the size of differences; the hierarchy also the uncertainty of each. Rows are
        averaged for the first two.
    rope : float or (float, float)
        Differences that do not matter, in units of the scores. Without it there is no verdict.
    runs, test_share
        For rows: how often the cross-validation was repeated, and the share of items that a fold tests, as in
        `compare_folds`.
    prior_strength : float
        How many data sets the prior is worth: 1 for signs, 0.5 for ranks by default. The hierarchy has its own.
    prior_place : {"rope", "better", "worse"}
        Outcome on the prior's data sets: the two are the same, or the first is better or worse.
    datasets : sequence of str
        Names of the data sets, for the estimates of the hierarchy.
    draws : int
        Draws from the posterior. Signs need none.
    mass : float
        Mass of the HDI. A verdict requires a probability of (1 + mass)/2, which is that on one side of an HDI's end,
        and an exact test over data sets that agrees.
    measure, greater_is_better
        As in `compare_folds`; for the output of `op.read_tasks` the metric and the direction that the logs say.
    rng : None, int or Generator
        The same seed gives the same numbers.

    Returns
    -------
    ThreeWay
        δ is the first minus the second.

    Notes
    -----
    The data sets are assumed to be a sample of those of interest. If they were chosen because a system does well on
    them, the answer is about data sets chosen in this way.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon and Ruggeri, A Bayesian Wilcoxon signed-rank test based on the Dirichlet
    process, ICML 2014. Benavoli, Corani, Demšar and Zaffalon, Time for a change, JMLR 18 (2017). Corani, Benavoli,
    Demšar, Mangili and Zaffalon, Statistical comparison of classifiers through Bayesian hierarchical modelling, Machine
    Learning 106 (2017).

    Examples
    --------
    >>> from outperform.verbs.compare_datasets import compare_datasets
    >>> svm = [0.84, 0.91, 0.78, 0.88, 0.69, 0.95, 0.81, 0.73]
    >>> nb = [0.80, 0.90, 0.71, 0.85, 0.70, 0.91, 0.77, 0.66]
    >>> compare_datasets({"svm": svm, "nb": nb}, method="sign", rope=0.01, measure="accuracy")
    svm ? nb   Δaccuracy = +0.036   P(better, same, worse) = 85.5%, 14.5%, <0.1%
    """
    if _are_tasks(scores):
        greater_is_better = _direction(scores, greater_is_better)
        measure = ", ".join(dict.fromkeys(task.metric for task in scores.values())) if measure == "score" else measure
        scores, datasets = _means(scores), list(scores) if datasets is None else datasets
    greater_is_better = greater_is_better is None or check_truth_value(greater_is_better, "greater_is_better")
    pair = PairScores.of(scores, (1, 2), "data sets")
    method = method or ("hierarchical" if pair.rows else "signed_rank")
    check_known("method", method, STRENGTHS)
    if not pair.rows and not (runs is None and test_share is None):
        raise ValueError("runs and test_share are for rows of scores, one for every fold; leave them out")
    names, asked = named(datasets, len(pair.first)), (check_draws(draws), as_seed(rng))
    told: dict[str, Any] = {"posterior": None}
    if method == "hierarchical":
        if prior_strength is not None or prior_place != "rope":
            raise ValueError("the hierarchical method has its own priors; leave prior_strength and prior_place out")
        rho = _correlation(pair, runs, test_share)
        told |= {"notes": _remarks(pair, runs)}
        told |= {} if pair.same else _hierarchy(pair, rho, names, *asked)
    else:
        prior = _prior(method, prior_strength, prior_place, greater_is_better)
        pair = pair.means() if pair.rows else pair
        told["posterior"] = _signs_or_ranks(pair, method, prior, *asked)
    evidence = ScoreEvidence(
        scores=pair,
        method=method,
        measure=measure,
        greater_is_better=greater_is_better,
        runs=int(runs or 1),
        datasets=names,
        **told,
    )
    return evidence.judge(as_rope(rope, bounded=False), check_mass(mass))


def _signs_or_ranks(
    pair: PairScores, method: str, prior: tuple[float, str], draws: int, seed: int
) -> Sign | SignedRank | None:
    """Return the posterior; None where the two are the same on all data sets."""
    if pair.same:
        return None
    given = (pair.differences, pair.size, *prior)
    return Sign(*given) if method == "sign" else SignedRank(*given, draws, seed)


def _correlation(pair: PairScores, runs: int | None, test_share: float | None) -> float:
    """Return ρ of the folds, if the hierarchy can be fitted to the rows."""
    if not pair.rows:
        raise ValueError("the hierarchical method needs a row of scores for each data set, one for every fold")
    if pair.first.shape[1] < 3:
        raise ValueError(
            f"the hierarchical method needs at least 3 scores of each data set, got {pair.first.shape[1]}; "
            "give more folds, or use signed_rank"
        )
    if not pair.same and not (pair.differences.std(axis=1) > ROUNDING * pair.size).any():
        raise ValueError(
            "the two differ by the same on every fold of each data set, so the folds do not determine the spread; "
            "use signed_rank"
        )
    return correlation(pair.first.shape[1], 1 if runs is None else runs, test_share)


def _remarks(pair: PairScores, runs: int | None) -> tuple[str, ...]:
    notes, n = [], pair.first.shape[1]
    still = int((pair.differences.std(axis=1) <= ROUNDING * pair.size).sum())
    if runs is None and n > MANY:
        notes.append(ONE_RUN.format(n=n))
    if still and not pair.same:
        notes.append(NO_SPREAD.format(sets=f"{count(still, 'data set')} {'has' if still == 1 else 'have'}"))
    return tuple(notes)


def _hierarchy(pair: PairScores, rho: float, names: Sequence[str], draws: int, seed: int) -> dict[str, Any]:
    """Return the posterior, and its estimates for each data set."""
    posterior = HierarchicalT.of(pair.differences, rho, draws=draws, seed=seed)
    observed = pair.differences.mean(axis=1)
    rows = zip(names, observed.tolist(), posterior.means.tolist(), posterior.sds.tolist(), strict=True)
    return {"posterior": posterior, "estimates": tuple(Shrunken(*row) for row in rows)}


def _are_tasks(scores: object) -> bool:
    """Return whether scores are those of items, by task."""
    return isinstance(scores, Mapping) and {*map(type, scores.values())} == {Scores}


def _means(tasks: Mapping[str, Scores]) -> dict[str, list[float]]:
    """Return the mean score of each system on each task."""
    systems = next(iter(tasks.values())).systems
    for name, task in tasks.items():
        if task.systems != systems:
            raise ValueError(
                f"task {name!r} is of {listing(task.systems)}, others of {listing(systems)}; give the same"
            )
    return {name: [float(task.values[name].mean()) for task in tasks.values()] for name in systems}


def _direction(tasks: Mapping[str, Scores], wanted: bool | None) -> bool:
    """Return whether greater is better, which must be so on all tasks or on none."""
    ways = {name: task.direction(wanted) for name, task in tasks.items()}
    lower = [name for name, greater in ways.items() if not greater]
    if lower and len(lower) < len(ways):
        found = f"lower is better on {listing(lower)} and greater on the others"
        raise invalid("{found}; compare them apart, with {task}", found=found)
    return not lower


def _prior(method: str, strength: float | None, place: str, greater_is_better: bool) -> tuple[float, str]:
    """Return how many data sets the prior is worth, and their side of the ROPE."""
    check_known("prior_place", place, PLACES)
    strength = STRENGTHS[method] if strength is None else strength
    if np.asarray(strength).dtype.kind not in "iuf" or np.ndim(strength) or not 0 <= strength < np.inf:
        raise ValueError(f"prior_strength must be a number of at least 0, got {strength!r}")
    side = "rope" if place == "rope" else "above" if (place == "better") == greater_is_better else "below"
    return float(strength), side
