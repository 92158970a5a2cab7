"""Few judged studies that stand for many."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from outperform.planning.enlarging import enlarged

JUDGED, ALL = 20, 960
HALF = 0.04  # width of the intervals, in units of the differences' standard deviation times 0.1


@pytest.mark.parametrize("rest", [0.002, 0.01, 0.03])
def test_shares_are_right_and_err_as_much_as_they_say(rest: float) -> None:
    """With differences normal around 0.05 and ends about them, the share above 0 is known."""
    truth = stats.norm.sf(HALF - 0.05, scale=np.hypot(0.1, rest))
    shares, worths = [], []
    for seed in range(400):
        rng = default_rng(seed)
        observed = rng.normal(0.05, 0.1, ALL)
        ends = observed[:JUDGED] + np.array([[-HALF], [HALF]]) + rng.normal(0, rest, (2, JUDGED))
        predicted, worth = enlarged(ends, observed)
        assert (predicted[:, :JUDGED] == ends).all()
        shares.append((predicted[0] > 0).mean())
        worths.append(worth)
    stated = np.sqrt(truth * (1 - truth) / np.median(worths))
    assert np.mean(shares) == pytest.approx(truth, abs=4 * np.std(shares) / 20 + 0.002)
    assert 0.75 < np.std(shares) / stated < 1.25


def test_studies_that_tell_nothing_stay_as_frequent() -> None:
    rng = default_rng(1)
    observed = rng.normal(size=ALL)
    ends = observed[:JUDGED] + np.array([[-1.0], [1.0]])
    ends[:, :5] = [[-np.inf], [np.inf]]
    predicted, worth = enlarged(ends, observed)
    assert np.isinf(predicted).all(axis=0).mean() == 5 / JUDGED
    np.testing.assert_allclose(predicted[:, 5:JUDGED], ends[:, 5:])
    finite = np.isfinite(predicted[0])
    np.testing.assert_allclose(predicted[:, finite], observed[finite] + np.array([[-1.0], [1.0]]))
    assert worth == pytest.approx(ALL)


@pytest.mark.parametrize("finite", [0, 9])
def test_too_few_are_only_repeated(finite: int) -> None:
    ends = np.full((2, JUDGED), np.inf) * np.array([[-1], [1]])
    ends[:, :finite] = np.array([[-1.0], [1.0]])
    predicted, worth = enlarged(ends, default_rng(0).normal(size=ALL))
    assert (predicted == np.tile(ends, ALL // JUDGED)).all()
    assert worth == JUDGED


def test_equal_differences_are_only_repeated() -> None:
    ends = default_rng(0).normal(size=(2, JUDGED))
    predicted, worth = enlarged(ends, np.full(ALL, 0.3))
    assert (predicted == np.tile(ends, ALL // JUDGED)).all()
    assert worth == JUDGED
