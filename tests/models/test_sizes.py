"""The expected logarithm of a class's size, against simulated sizes and against numerical integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from outperform.models.sizes import expected_log_size, gap

CLASSES = 4_000


@pytest.mark.parametrize("shape", [0.3, 1.0, 4.0])
def test_it_is_the_mean_logarithm_of_sizes_that_gave_as_many_items(shape: float) -> None:
    """Up to a constant; within four standard errors of the simulated means."""
    rng = np.random.default_rng(int(10 * shape))
    size = rng.gamma(shape, 3 / shape, CLASSES)
    items = rng.poisson(size).astype(np.float64)
    found = expected_log_size(items)
    groups = [np.flatnonzero(items == t) for t in range(4)]
    gaps = [np.log(size[group]).mean() - found[group].mean() for group in groups]
    errors = [np.log(size[group]).std() / np.sqrt(len(group)) for group in groups]
    off = np.diff(gaps) / np.hypot(errors[:-1], errors[1:])
    assert np.abs(off).max() < 4


def test_it_agrees_with_numerical_integration() -> None:
    """Of log λ over the posterior of λ given 0 and 2 items, under the shape that was learned."""
    items = np.array([0.0, 0, 0, 0, 1, 1, 2, 5, 9, 40])
    found = expected_log_size(items)

    def by_integration(shape: float, t: float) -> float:
        posterior = stats.loggamma(t + shape)  # of log λ, in a unit that is the same for all t
        value, _ = integrate.quad(lambda y: y * posterior.pdf(y), -200, 20, limit=500)
        return float(value)

    shapes = np.exp(np.linspace(np.log(0.05), np.log(20), 400))
    mean = items.mean()
    density = np.array([stats.nbinom(r, r / (r + mean)).pmf(items).prod() * stats.norm.pdf(np.log(r)) for r in shapes])
    shape = float(np.exp(density @ np.log(shapes) / density.sum()))
    assert found[6] - found[0] == pytest.approx(by_integration(shape, 2) - by_integration(shape, 0), rel=1e-3)


def test_a_class_without_items_is_far_from_others_where_sizes_differ_widely() -> None:
    equal, tailed = np.array([9.0, 10, 11, 8, 12, 10, 0]), np.array([400.0, 60, 9, 2, 1, 0, 0, 0, 0])
    assert np.ptp(expected_log_size(equal)[[0, -1]]) < np.log1p(9)
    assert np.ptp(expected_log_size(tailed)[[4, -1]]) > np.log1p(1)


def test_the_gap_is_that_between_no_item_and_one() -> None:
    items = np.array([0.0, 0, 0, 0, 1, 1, 2, 5, 9, 40])
    size = expected_log_size(items)
    np.testing.assert_allclose(gap(items), np.where(items == 0, size[4] - size[0], 0.0), rtol=1e-12)


def test_without_items_all_are_alike() -> None:
    assert np.ptp(expected_log_size(np.zeros(5))) == 0
