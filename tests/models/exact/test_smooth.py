"""Posteriors known by their density, against distributions of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import expit

from outperform.data.contingency import FloatArray
from outperform.models.exact.smooth import TERMS, Smooth, Stretch, nodes

MASSES = (0.5, 0.9, 0.95, 0.999)
SHARES = np.array([1e-6, 0.001, 0.02, 0.3, 0.5, 0.77, 0.99, 0.9999])


def smooth(true: Any, *stretches: Stretch, odds: bool = False) -> Smooth:
    """The series of a known density, or of that of its log-odds."""
    values = []
    for stretch in stretches:
        at = stretch.number(nodes(TERMS))
        x: FloatArray = expit(at) if odds else at
        values.append(true.pdf(x) * (x * (1 - x) if odds else 1.0) * stretch.slope(nodes(TERMS)))
    return Smooth(stretches, np.array(values), odds)


def shortest(true: Any, mass: float) -> tuple[float, float]:
    """The shortest interval, by a search over its lower tail."""
    found = optimize.minimize_scalar(
        lambda tail: true.ppf(tail + mass) - true.ppf(tail),
        bounds=(0, 1 - mass),
        method="bounded",
        options={"xatol": 1e-12},
    )
    ends = [(true.ppf(tail), true.ppf(tail + mass)) for tail in (0.0, 1 - mass, found.x)]
    return min(ends, key=lambda pair: pair[1] - pair[0])


LINE = Stretch(-0.4, 0.8)
FALLING, RISING = stats.truncexpon(4, scale=0.25), stats.powerlaw(3)
KNOWN = {
    "normal": (stats.norm(0.1, 0.05), (LINE,), False),
    "skewed": (stats.gamma(9, -0.2, 0.02), (Stretch(-0.2, 0.8),), False),
    "two sides": (stats.laplace(0, 0.05), (Stretch(-1, 0, 1), Stretch(0, 1, -1)), False),
    "falling": (FALLING, (Stretch(0, 1),), False),
    "rising": (RISING, (Stretch(0, 1),), False),
    "share": (stats.beta(31, 12), (Stretch(-3.0, 4.5),), True),
    "small share": (stats.beta(1.5, 40), (Stretch(-25, 1.5),), True),
}


@pytest.mark.parametrize("name", KNOWN)
def test_moments_and_shares_are_those_of_the_distribution(name: str) -> None:
    true, stretches, odds = KNOWN[name]
    found = smooth(true, *stretches, odds=odds)
    assert found.mass == pytest.approx(1, abs=1e-7)
    assert (found.mean, found.sd) == pytest.approx((true.mean(), true.std()), abs=1e-7)
    x = true.ppf(SHARES)
    assert found.cdf(x) == pytest.approx(SHARES, abs=1e-7)
    assert found.pdf(x[1:-1]) == pytest.approx(true.pdf(x[1:-1]), rel=1e-4)
    assert found.quantile(SHARES[1:]) == pytest.approx(x[1:], abs=1e-5 * true.std())


@pytest.mark.parametrize("mass", MASSES)
@pytest.mark.parametrize("name", KNOWN)
def test_the_hdi_is_the_shortest_interval(name: str, mass: float) -> None:
    """Where the density only falls or only rises, it begins or ends with the range."""
    true, stretches, odds = KNOWN[name]
    found = smooth(true, *stretches, odds=odds).hdi(mass)
    assert true.cdf(found[1]) - true.cdf(found[0]) == pytest.approx(mass, abs=2e-7)
    low, high = shortest(true, mass)
    assert found[1] - found[0] <= high - low + 1e-6 * true.std()
    assert found == pytest.approx((low, high), abs=2e-4 * true.std())


@pytest.mark.parametrize("mass", MASSES[:3])
@pytest.mark.parametrize("name", ["normal", "skewed", "two sides", "share", "small share"])
def test_densities_are_equal_at_the_ends_of_the_hdi(name: str, mass: float) -> None:
    """To many digits, which no search over intervals of nearly the same length would find."""
    true, stretches, odds = KNOWN[name]
    low, high = smooth(true, *stretches, odds=odds).hdi(mass)
    assert true.pdf(low) == pytest.approx(true.pdf(high), rel=1e-6)


def test_what_is_outside_has_no_density() -> None:
    true, stretches, _ = KNOWN["two sides"]
    found = smooth(true, *stretches)
    assert found.pdf([-1.5, 1.5]).tolist() == [0, 0]
    assert found.cdf([-1.5, 1.5]) == pytest.approx([0, 1], abs=1e-7)


@pytest.mark.parametrize("x", [0.0, 1e-300, -1e-18, 1e-15, -1e-12, 1e-9])
def test_the_density_at_a_kink_is_that_next_to_it(x: float) -> None:
    true, stretches, _ = KNOWN["two sides"]
    assert float(smooth(true, *stretches).pdf(x)) == pytest.approx(true.pdf(x), rel=1e-6)


def test_a_density_may_be_asked_for_at_the_ends() -> None:
    true, stretches, _ = KNOWN["falling"]
    assert smooth(true, *stretches).pdf([0.0, 1.0]) == pytest.approx(true.pdf([0.0, 1.0]), rel=1e-9)


@pytest.mark.parametrize("name", ["skewed", "falling", "rising"])
def test_a_mirrored_posterior_is_that_of_minus_the_number(name: str) -> None:
    true, stretches, _ = KNOWN[name]
    original = smooth(true, *stretches)
    found = original.mirrored()
    x = -true.ppf(SHARES[1:-1])
    assert (found.mean, found.sd) == pytest.approx((-true.mean(), true.std()), abs=1e-7)
    assert found.pdf(x) == pytest.approx(true.pdf(-x), rel=1e-4)
    assert found.cdf(x) == pytest.approx(true.sf(-x), abs=1e-7)
    assert found.sf(x) == pytest.approx(true.cdf(-x), abs=1e-7)
    assert found.quantile(SHARES[1:-1]) == pytest.approx(-true.isf(SHARES[1:-1]), abs=1e-5 * true.std())
    assert found.hdi(0.9) == (-original.hdi(0.9)[1], -original.hdi(0.9)[0])
    assert found.mid_error(0.9) == original.mid_error(0.9) == pytest.approx(true.std() / 200)
    assert found.mirrored() is original
