"""Classical tests of many systems on the same items or data sets, shown next to a ranking.

All test the hypothesis of equal scores. Demšar (2006) on Friedman's test and Nemenyi's post-hoc test.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts

__all__ = ["cochran_q", "friedman", "nemenyi"]


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
