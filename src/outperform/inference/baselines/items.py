"""Classical tests on items, shown next to the bootstrap: of areas under the ROC curve, of means, and by resampling.

All p-values are two-sided, for the hypothesis of equal scores. With clusters, clusters are independent, not items.
"""

from __future__ import annotations

from math import erfc, frexp, sqrt

import numpy as np
from numpy.random import SeedSequence

from outperform.data.contingency import FloatArray
from outperform.data.items import Items
from outperform.data.labels import IntArray
from outperform.inference.baselines.counts import centred, class_sign_test, class_wilcoxon, differences
from outperform.measures.scorers import Scorer
from outperform.models.posterior import in_blocks
from outperform.models.weights import ItemWeights
from outperform.verdicts.decision import FEWEST_UNITS

__all__ = ["delong", "item_tests", "paired_bootstrap", "paired_t_test", "resamples_of"]

RESAMPLES = 1_000
FEWEST_RESAMPLES = 200
MOST_NUMBERS = 50_000_000  # of all resamples together
ROUNDING = 1e-12  # share of a score below which resamples deviate as much as the data do, and differences are equal
MANY = 20  # units per kind, above which kinds are resampled at once


def item_tests(items: Items) -> dict[str, float | None]:
    """Return every test on means that the items allow, except those that resample them."""
    if items.average != "mean":
        return {}
    whole = items.expanded()
    difference = differences(*whole.outputs)
    tests = {"paired_t_test": paired_t_test(difference, whole.cluster)}
    if not len(items.cluster):
        tests |= {"sign_test": class_sign_test(difference), "wilcoxon": class_wilcoxon(difference)}
    return tests


def delong(items: Items, areas: FloatArray, moves: FloatArray) -> float | None:
    """DeLong, DeLong and Clarke-Pearson (1988): two areas under the ROC curve on the same items.

    From derivatives by the weight of an item, of shape (rows, 2): that of an item of a class of n items is 1/n of how
    far its placement, the share of the other class that it is on the right side of, is from the area.
    """
    square, variance = (moves[:, 0] - moves[:, 1]) ** 2, 0.0
    for code in (0, 1):
        rows = items.truth == code
        number = float(items.n[rows].sum())
        if number < 2:
            return None
        variance += number / (number - 1) * float(items.n[rows] @ square[rows])
    return _normal(float(areas[0] - areas[1]), variance)


def paired_t_test(difference: FloatArray, cluster: IntArray | None = None) -> float | None:
    """Student's t on the differences; with clusters on their sums, like a cluster-robust standard error.

    Differences without spread have p = 0, as in `scipy.stats`.
    """
    n, largest = len(difference), float(np.abs(difference).max(initial=0.0))
    if not largest:
        return 1.0
    # By a power of 2, which changes no digit: the square of a small enough number is 0.
    difference, error_of_rounding = np.ldexp(difference, -frexp(largest)[1]), ROUNDING
    rest = centred(difference)
    sums = rest if cluster is None or not len(cluster) else np.bincount(cluster, rest)
    units = len(sums)
    if units < 2:
        return None
    from scipy.special import stdtr

    mean, error = abs(float(difference.mean())), sqrt(units / (units - 1) * float(sums @ sums)) / n
    if error <= error_of_rounding:
        return 0.0 if mean > error_of_rounding else 1.0
    return 2 * float(stdtr(units - 1, -mean / error))


def paired_bootstrap(items: Items, scorer: Scorer, seed: SeedSequence) -> float | None:
    """Return how often resamples of items (or clusters) deviate from the observed difference as much as it does from 0.

    Efron and Tibshirani (1993, §16). None if there are too few, or so many that resampling takes too long.
    """
    weights, resamples = ItemWeights.of(items), resamples_of(items)
    if not resamples or weights.units < FEWEST_UNITS:
        return None

    def block(rng: np.random.Generator, size: int) -> FloatArray:
        times = _resampled(weights.number, rng, size)
        with np.errstate(invalid="ignore", divide="ignore"):
            return scorer(times if weights.kind is None else times[weights.kind] * weights.size[:, None])

    observed = scorer(items.n[:, None])[0]
    estimate, error = float(observed[0] - observed[1]), ROUNDING * float(np.abs(observed).max())
    if abs(estimate) <= error:
        return 1.0
    scores = in_blocks(block, max(len(items.n), weights.units), draws=resamples, seed=seed)
    scores = scores[np.isfinite(scores).all(axis=1)]  # a resample may lack a class
    moved = np.abs(scores[:, 0] - scores[:, 1] - estimate)
    return (1 + int(np.count_nonzero(moved >= abs(estimate) - error))) / (1 + len(moved))


def resamples_of(items: Items) -> int:
    """Return how often items are resampled; 0 if they are so many that it takes too long."""
    resamples = min(RESAMPLES, MOST_NUMBERS // len(items.n))
    return resamples if resamples >= FEWEST_RESAMPLES else 0


def _resampled(number: FloatArray, rng: np.random.Generator, size: int) -> FloatArray:
    """Draw how often each kind is resampled, of shape (kinds, size): by kind if they are few, else by unit."""
    kinds, units = len(number), int(number.sum())
    if kinds * MANY < units:
        return rng.multinomial(units, number / units, size).T.astype(np.float64)
    kind = np.repeat(np.arange(kinds), number.astype(np.int64))[rng.integers(units, size=(size, units))]
    # Offset by resample, so that one bincount serves all of them.
    kind += kinds * np.arange(size)[:, None]
    return np.bincount(kind.ravel(), minlength=kinds * size).reshape(size, kinds).T.astype(np.float64)


def _normal(estimate: float, variance: float) -> float:
    if estimate == 0:
        return 1.0
    return erfc(abs(estimate) / sqrt(2 * variance)) if variance > 0 else 0.0
