"""`compare_folds`: compare two systems by their scores in (repeated) cross-validation on one data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outperform.across import CorrelatedT, PairScores
from outperform.across.scores import correlation
from outperform.base.limits import check_truth_value
from outperform.base.sentences import Sentence
from outperform.results.three_way import ScoreEvidence, ThreeWay
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.interval import check_mass

__all__ = ["compare_folds"]

NO_SPREAD = (
    "All {n} differences are the same, so the uncertainty cannot be estimated and there is no verdict. The "
    "probabilities assume no uncertainty."
)


def compare_folds(
    scores: Mapping[str, Any],
    *,
    runs: int | None = None,
    rope: RopeLike | None = None,
    mass: float = 0.95,
    test_share: float | None = None,
    measure: str = "score",
    greater_is_better: bool = True,
) -> ThreeWay:
    """Compare two systems by their scores on the folds of one data set: the Bayesian correlated t-test.

    Training sets of different folds overlap, so the scores are worth less than as many independent ones. The
    posterior of the mean difference is exact.

    Parameters
    ----------
    scores : mapping from name to scores
        Two systems, and one score of each for every fold, run by run; the same folds for both.
    runs : int
        How often the cross-validation was repeated: 1 for plain ten-fold, 10 for ten times ten-fold. It is required:
        taken as one run, a hundred scores would look far more certain than they are.
    rope : float or (float, float)
        Differences that do not matter, in units of the scores. Without it there is no verdict.
    mass : float
        The probability that a verdict requires, and the mass of the HDI.
    test_share : float
        Share of the items that each fold tests; the default is one over the number of folds. For repeated hold-out
        tests, each of which is a run.
    measure : str
        Name of the measure, for the text.
    greater_is_better : bool
        False for error rates.

    Returns
    -------
    ThreeWay
        δ is the first minus the second.

    Notes
    -----
    The correlation of two folds is assumed to be the share of tested items, a rule of thumb that is not estimated
    from the scores: a single cross-validation cannot estimate it.

    References
    ----------
    Corani and Benavoli, A Bayesian approach for comparing cross-validated algorithms on multiple data sets, Machine
    Learning 100 (2015). Nadeau and Bengio, Inference for the generalization error, Machine Learning 52 (2003).

    Examples
    --------
    >>> from outperform.verbs.compare_folds import compare_folds
    >>> svm = [0.84, 0.86, 0.83, 0.85, 0.87, 0.84, 0.85, 0.86, 0.83, 0.85]
    >>> nb = [0.80, 0.81, 0.80, 0.79, 0.83, 0.80, 0.82, 0.80, 0.79, 0.81]
    >>> compare_folds({"svm": svm, "nb": nb}, runs=1, rope=0.01, measure="accuracy")
    svm ≫ nb   Δaccuracy = +0.043   P(better, same, worse) = >99.9%, <0.1%, <0.1%
    """
    if runs is None:
        needed = "say with {runs} how often the cross-validation was repeated"
        raise TypeError(Sentence(f"{needed}: 1 for plain ten-fold, 10 for ten times ten-fold"))
    pair = PairScores.of(scores, (1,), "folds")
    posterior = CorrelatedT.of(pair.differences, correlation(len(pair.first), runs, test_share), pair.size)
    evidence = ScoreEvidence(
        pair,
        None if pair.same else posterior,
        posterior.method,
        measure,
        check_truth_value(greater_is_better, "greater_is_better"),
        int(runs),
        notes=(NO_SPREAD.format(n=len(pair.first)),) if posterior.scale == 0 else (),
    )
    return evidence.judge(as_rope(rope, bounded=False), check_mass(mass))
