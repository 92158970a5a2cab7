"""The classical tests beside the Bayesian columns, on the same counts (SIGIR'16 Tables 4–6).

All are two-sided p-values for "the two are right equally often"; all look at right and wrong alone,
whatever the measure. A test that is not defined is None: on fractional counts, on a single item. Two
classifiers that agree on every item have p = 1, in every test.
"""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np

from outperform.contingency import FloatArray
from outperform.counts import Counts

__all__ = ["classical_tests", "mcnemar", "mcnemar_corrected", "sign_test", "welch_t_test"]


def classical_tests(counts: Counts) -> dict[str, float | None]:
    """Every test that the counts allow: the paired ones only where items are shared."""
    tests: dict[str, float | None] = {}
    if counts.paired:
        tests["sign_test"] = sign_test(counts)
    tests["t_test"] = welch_t_test(counts)
    if counts.paired:
        tests["mcnemar"] = mcnemar(counts)
        tests["mcnemar_corrected"] = mcnemar_corrected(counts)
    return tests


def sign_test(counts: Counts) -> float | None:
    """Yang and Liu's s-test: exact, on the items where exactly one of the two is right."""
    a_only, b_only = _discordant(counts)
    n = a_only + b_only
    if not (a_only.is_integer() and b_only.is_integer()):
        return None
    if n == 0:
        return 1.0
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(a_only, b_only), int(n), 0.5)))


def mcnemar(counts: Counts) -> float | None:
    """McNemar's exact test; for right and wrong it is the sign test under its other name."""
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
    """Yang and Liu's p-test: Welch's t on right (1) and wrong (0), the two taken as independent samples."""
    n, right = _right(counts)
    if (n < 2).any() or not np.array_equal(n, np.floor(n)):
        return None
    mean = right / n
    error = mean * (1 - mean) / (n - 1)  # the sample variance over n
    if mean[0] == mean[1]:
        return 1.0
    if error.sum() == 0:
        return 0.0  # always right against never right
    from scipy.special import stdtr

    freedom = error.sum() ** 2 / (error**2 / (n - 1)).sum()
    return 2 * float(stdtr(freedom, -abs(mean[0] - mean[1]) / sqrt(error.sum())))


def _right(counts: Counts) -> tuple[FloatArray, FloatArray]:
    """Items that each classifier was run on, and of them those it got right."""
    right = counts.predictions == counts.truth[:, None]
    run = counts.predictions >= 0
    return counts.n @ run.astype(np.float64), counts.n @ right.astype(np.float64)


def _discordant(counts: Counts) -> tuple[float, float]:
    """Items that only the first got right, and that only the second did."""
    first, second = (counts.predictions == counts.truth[:, None]).T
    return float(counts.n[first & ~second].sum()), float(counts.n[second & ~first].sum())
