"""The posterior of one number: the same results by draws, by a grid and in closed form, against SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial.chebyshev import chebpts1
from scipy import stats

import outperform as op
from outperform.verdicts.marginal import Gridded, Sampled
from outperform.verdicts.rule import Rule

KNOWN: dict[str, tuple[Any, tuple[float, float]]] = {
    "normal": (stats.norm(0.1, 0.02), (-0.1, 0.3)),
    "skewed": (stats.beta(3, 40), (0.0, 0.7)),
    "heavy": (stats.beta(6, 5), (0.0, 1.0)),
}


def gridded(known: Any, ends: tuple[float, float], nodes: int = 120) -> Gridded:
    x = (ends[1] - ends[0]) / 2 * (chebpts1(nodes) + 1) + ends[0]
    return Gridded.of(x, known.pdf(x), ends)


@pytest.mark.parametrize("name", KNOWN)
def test_a_grid_knows_what_scipy_knows(name: str) -> None:
    known, ends = KNOWN[name]
    marginal = gridded(known, ends)
    assert (marginal.mean, marginal.sd, marginal.median) == pytest.approx(
        (known.mean(), known.std(), known.median()), abs=1e-9
    )
    q = np.array([1e-4, 0.025, 0.3, 0.5, 0.8, 0.999])
    np.testing.assert_allclose(marginal.quantile(q), known.ppf(q), atol=1e-9)
    x = known.ppf(q)
    np.testing.assert_allclose(marginal.cdf(x), q, atol=1e-9)
    np.testing.assert_allclose(marginal.pdf(x), known.pdf(x), rtol=1e-6)
    assert marginal.prob(x[1], x[4]) == pytest.approx(0.775, abs=1e-9)
    assert marginal.below(x[2]) + marginal.above(x[2]) == pytest.approx(1)
    assert marginal.mc_error == marginal.mid_error(0.95) == 0.0


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("mass", [0.5, 0.9, 0.95, 0.99])
def test_no_interval_of_the_mass_is_shorter(name: str, mass: float) -> None:
    known, ends = KNOWN[name]
    low, high = gridded(known, ends).hdi(mass)
    assert known.cdf(high) - known.cdf(low) == pytest.approx(mass, abs=1e-9)
    tails = np.linspace(0, 1 - mass, 100_001)[1:-1]
    shortest = (known.ppf(tails + mass) - known.ppf(tails)).min()
    assert high - low <= shortest * (1 + 1e-9)


def test_an_edge_belongs_to_the_interval() -> None:
    low, high = op.FBetaPosterior(0.5, 9, 9).hdi(0.9)
    assert low == 0
    known = stats.beta(0.5, 18)
    u = known.ppf(0.9)
    assert high == pytest.approx(u / (u + 0.5 * (1 - u)), rel=1e-9)
    assert op.FBetaPosterior(9, 0.5, 0.4, 2.0).hdi(0.9)[1] == 1


def test_draws_of_a_grid_are_its_own() -> None:
    known, ends = KNOWN["skewed"]
    drawn = gridded(known, ends).draws(20_000, np.random.default_rng(1))
    assert stats.kstest(drawn, known.cdf).pvalue > 0.001


def test_draws_and_grid_lead_to_the_same_verdict() -> None:
    known, ends = KNOWN["normal"]
    exact, sampled = gridded(known, ends), Sampled(known.rvs(50_000, random_state=2))
    error = known.std() / np.sqrt(50_000)
    assert sampled.mean == pytest.approx(exact.mean, abs=4 * error)
    assert sampled.mc_error == pytest.approx(error, rel=0.03)
    assert sampled.hdi(0.95) == pytest.approx(exact.hdi(0.95), abs=4 * 0.013 * known.std())
    for rope in ((-0.05, 0.05), (-0.2, 0.2), (0.02, 0.12), (0.09, 0.3)):
        rule = Rule(rope)
        assert rule.of(exact, exact.hdi(), 0.95) == rule.of(sampled, sampled.hdi(), 0.95)
