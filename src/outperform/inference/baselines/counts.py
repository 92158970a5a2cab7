"""Classical tests on the same counts as the Bayesian results (SIGIR'16 Tables 4–6, ICDM'15 Table III), and on ranks.

All p-values are two-sided. Those on items test whether the two are correct equally often and use correct and
wrong alone, whatever the measure. Those on classes, for averages over classes, take the two scores of each class
as a pair and weight all classes equally. An undefined test is None: on fractional counts, on a
single item. Two classifiers that agree on every item have p = 1 in every test. Those of many systems are shown next to
a ranking; Demšar (2006) on Friedman's test and Nemenyi's post-hoc test.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erfc, inf, sqrt

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts

__all__ = [
    "centred", "class_sign_test", "class_t_test", "class_wilcoxon", "classical_tests", "cochran_q", "differences",
    "friedman", "made_equal", "mcnemar", "mcnemar_corrected", "nemenyi", "sign_test", "welch_t_test",
]  # fmt: skip

MOST_EXACT = 50  # up to this many classes the rank sum is exact, above it normal
ROUNDING = 1e-13  # share of two scores below which differences of scores differ by rounding errors alone


def classical_tests(counts: Counts, by_class: FloatArray | None = None) -> dict[str, float | None]:
    """Return every test that the counts allow; paired tests need shared items.

    Given the scores of classes, of shape (2, classes), return the tests on classes instead. None of labels that are
    pooled: those of an item are not independent.
    """
    if counts.units is not None or counts.no_true_negatives:
        return {}
    if by_class is not None:
        difference = differences(*by_class[:, np.isfinite(by_class).all(axis=0)])  # a class may have an undefined score
        return {
            "class_sign_test": class_sign_test(difference),
            "class_t_test": class_t_test(difference),
            "class_wilcoxon": class_wilcoxon(difference),
        }
    if counts.groups:
        return {}
    return {name: test(counts) for name, test in TESTS.items() if counts.paired or name not in OF_SHARED_ITEMS}


def sign_test(counts: Counts) -> float | None:
    """Yang and Liu's s-test: exact, on the items on which exactly one of the two is correct."""
    a_only, b_only = _discordant(counts)
    if not (a_only.is_integer() and b_only.is_integer()):
        return None
    return _sign(a_only, b_only)


def mcnemar(counts: Counts) -> float | None:
    """McNemar's exact test; for correct and wrong it equals the sign test."""
    return sign_test(counts)


def mcnemar_corrected(counts: Counts) -> float | None:
    """McNemar's χ² with Edwards' continuity correction; for many disagreements."""
    a_only, b_only = _discordant(counts)
    if not (a_only.is_integer() and b_only.is_integer()):
        return None
    if a_only == b_only:
        return 1.0
    statistic = (abs(a_only - b_only) - 1.0) ** 2 / (a_only + b_only)
    return erfc(sqrt(statistic / 2))  # the upper tail of χ² with one degree of freedom


def welch_t_test(counts: Counts) -> float | None:
    """Yang and Liu's p-test: Welch's t on correct (1) and wrong (0), for two independent samples."""
    n, right = _right(counts)
    if (n < 2).any() or not np.array_equal(n, np.floor(n)):
        return None
    mean = right / n
    error = mean * (1 - mean) / (n - 1)  # the sample variance over n
    if mean[0] == mean[1]:
        return 1.0
    if error.sum() == 0:
        return 0.0  # always correct against never correct
    from scipy.special import stdtr

    freedom = error.sum() ** 2 / (error**2 / (n - 1)).sum()
    return 2 * float(stdtr(freedom, -abs(mean[0] - mean[1]) / sqrt(error.sum())))


def differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the differences of scores, of which those are equal that differ by rounding errors alone."""
    return made_equal(first - second, ROUNDING * np.maximum(np.abs(first), np.abs(second)))


def made_equal(difference: FloatArray, error: FloatArray | float) -> FloatArray:
    """Return differences of which those that are as large up to their errors have the size of the least, or are 0.

    Tests of ranks and signs need it: 0.3 - 0.2 and 0.2 - 0.1 are tied, and not as numbers of the computer.
    """
    none = np.abs(difference) <= error
    difference, error = np.where(none, 0.0, difference), np.where(none, 0.0, error)
    order = np.argsort(np.abs(difference), kind="stable")
    size, error = np.append(0.0, np.abs(difference)[order]), np.append(0.0, error[order])
    group = np.append(0, np.cumsum(np.diff(size) > np.maximum(error[1:], error[:-1])))
    difference[order] = np.copysign(size[np.searchsorted(group, group)][1:], difference[order])
    return difference


def centred(difference: FloatArray) -> FloatArray:
    """Return differences minus their mean, exactly 0 if all are equal; the mean of equal numbers may be rounded."""
    moved = difference - difference.flat[0]
    moved -= moved.mean()
    return moved


def class_sign_test(difference: FloatArray, *, greater: bool = False) -> float:
    """Yang and Liu's S-test: exact, on the classes in which the two scores differ.

    With `greater` it is one-sided, for the hypothesis that differences lie above 0.
    """
    return _sign(float((difference > 0).sum()), float((difference < 0).sum()), greater=greater)


def class_t_test(difference: FloatArray) -> float | None:
    """Yang and Liu's T-test: Student's t on the differences of the classes' scores."""
    if not difference.any():
        return 1.0
    if len(difference) < 2:
        return None
    n, mean, rest = len(difference), float(difference.mean()), centred(difference)
    if not rest.any():
        return 0.0  # the same difference in every class
    spread = sqrt(float(rest @ rest) / (n - 1))
    from scipy.special import stdtr

    return 2 * float(stdtr(n - 1, -abs(mean) / spread * sqrt(n)))


def class_wilcoxon(difference: FloatArray, *, greater: bool = False) -> float:
    """Wilcoxon's signed-rank test on the nonzero differences; one-sided with `greater`, as the sign test.

    Exact for few differences, also with ties, else normal with the correction for ties. (As in `scipy.stats`, whose
    import takes longer than everything else here together.)
    """
    moved = difference[difference != 0]
    n = len(moved)
    if n == 0:
        return 1.0
    _, inverse, times = np.unique(np.abs(moved), return_inverse=True, return_counts=True)
    # Twice the mid-ranks, which are whole: ties share the mean of their ranks.
    rank = (2 * np.cumsum(times) - times + 1)[inverse]
    above = int(rank[moved > 0].sum())
    below = n * (n + 1) - above
    smaller = below if greater else min(above, below)
    sides = 1 if greater else 2
    if n <= MOST_EXACT:
        # ways[w] is the number of sign patterns with rank sum w; each rank is added or not.
        ways = np.ones(1)
        for each in rank:
            ways = np.append(ways, np.zeros(each)) + np.append(np.zeros(each), ways)
        return min(1.0, sides * float(ways[: smaller + 1].sum() / 2.0**n))
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((times.astype(np.float64) ** 3 - times).sum()) / 48
    return sides / 2 * erfc((n * (n + 1) - smaller * 2) / 4 / sqrt(2 * variance))


def _sign(above: float, below: float, *, greater: bool = False) -> float:
    """Return the binomial p-value with probability ½: two-sided, or for more above than below."""
    if above + below == 0:
        return 1.0
    from scipy.special import bdtr

    p = float(bdtr(below if greater else min(above, below), int(above + below), 0.5))
    return p if greater else min(1.0, 2 * p)


def _right(counts: Counts) -> tuple[FloatArray, FloatArray]:
    """Return the number of items each classifier was run on, and of those it got right."""
    right = counts.predictions == counts.truth[:, None]
    run = counts.predictions >= 0
    return counts.n @ run.astype(np.float64), counts.n @ right.astype(np.float64)


TESTS: dict[str, Callable[[Counts], float | None]] = {
    "sign_test": sign_test,
    "t_test": welch_t_test,
    "mcnemar": mcnemar,
    "mcnemar_corrected": mcnemar_corrected,
}
OF_SHARED_ITEMS = {"sign_test", "mcnemar", "mcnemar_corrected"}


def _discordant(counts: Counts) -> tuple[float, float]:
    """Return the number of items that only the first got right, and that only the second did."""
    first, second = (counts.predictions == counts.truth[:, None]).T
    return float(counts.n[first & ~second].sum()), float(counts.n[second & ~first].sum())


def cochran_q(counts: Counts) -> float | None:
    """Cochran's Q on correct and wrong; for two systems McNemar's χ², without correction."""
    if not counts.paired or (counts.n != np.floor(counts.n)).any():
        return None
    from scipy.special import chdtrc

    right = (counts.predictions == counts.truth[:, None]).astype(np.float64)
    systems = right.shape[1]
    by_system, by_item = counts.n @ right, right.sum(axis=1)
    room = systems * by_system.sum() - float(counts.n @ by_item**2)
    if room == 0:
        return 1.0  # on every item all are correct, or all are wrong
    q = (systems - 1) * (systems * float(by_system @ by_system) - by_system.sum() ** 2) / room
    return float(chdtrc(systems - 1, q))


def friedman(scores: FloatArray) -> float | None:
    """Friedman's test on scores of shape (items, systems); None for fewer than three systems."""
    if scores.shape[1] < 3:
        return None
    if (scores == scores[:, :1]).all():
        return 1.0
    from scipy.stats import friedmanchisquare

    return float(friedmanchisquare(*scores.T).pvalue)


def nemenyi(scores: FloatArray, i: int, j: int) -> float:
    """Nemenyi's post-hoc test of two of the systems, from the difference of their mean ranks."""
    from scipy.stats import rankdata, studentized_range

    items, systems = scores.shape
    rank = rankdata(scores, axis=1).mean(axis=0)
    q = abs(float(rank[i] - rank[j])) / sqrt(systems * (systems + 1) / (6 * items))
    return float(studentized_range.sf(q * sqrt(2), systems, inf))
