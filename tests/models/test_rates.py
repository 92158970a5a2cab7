"""Differences of confusion rates; the rates are tested with their plots."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from outperform.models.rates import RateDifferences


@pytest.mark.parametrize("mass", [0.5, 0.8, 0.95])
def test_differences_are_told_where_their_interval_excludes_zero(mass: float) -> None:
    """For normal differences of standard deviation 1, in either direction."""
    mean = np.linspace(-3, 3, 13)
    low, high = stats.norm.interval(mass, mean)
    told = RateDifferences(mean, stats.norm.cdf(mean)).told(mass)
    np.testing.assert_array_equal(told, (low > 0) | (high < 0))
    assert told[[0, -1]].all()
    assert not told.all()
