"""Partial pooling of slices; its agreement with quadrature is tested with the slices of a comparison."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng
from scipy import stats

from outperform.models.partial import ALONE, partial_spread


def test_slices_of_one_item_do_not_say_how_much_slices_differ() -> None:
    """Two items of one slice would: so √ρ keeps its prior, which is uniform."""
    counts = np.repeat(np.eye(2), [70, 30], axis=1)
    weight = partial_spread(counts)(default_rng(0), 10_000).sum(axis=0)
    common = np.ma.masked_values(weight, ALONE).max(axis=0)  # of the slices that do not stand alone
    assert stats.kstest(1 / np.sqrt(1 + common), "uniform").pvalue > 1e-4
