"""The posterior of one number: the same answers by draws and in closed form, held against scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import outperform as op
from outperform.data.contingency import FloatArray
from outperform.verdicts import marginal
from outperform.verdicts.interval import hdi, hdi_mid_error
from outperform.verdicts.marginal import Continuous, Sampled
from outperform.verdicts.rule import Rule


class Known(Continuous):
    """A distribution of scipy."""

    def __init__(self, known: Any) -> None:
        self.known = known

    @property
    def mean(self) -> float:
        return float(self.known.mean())

    @property
    def sd(self) -> float:
        return float(self.known.std())

    def pdf(self, x: Any) -> FloatArray:
        return np.asarray(self.known.pdf(x))

    def cdf(self, x: Any) -> FloatArray:
        return np.asarray(self.known.cdf(x))

    def quantile(self, q: Any) -> FloatArray:
        return np.asarray(self.known.ppf(q))


KNOWN = {"normal": Known(stats.norm(0.1, 0.02)), "skewed": Known(stats.beta(3, 40)), "wide": Known(stats.beta(6, 5))}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("mass", [0.5, 0.9, 0.95, 0.99])
def test_no_interval_of_the_mass_is_shorter(name: str, mass: float) -> None:
    known = KNOWN[name]
    low, high = known.hdi(mass)
    assert known.prob(low, high) == pytest.approx(mass, abs=1e-9)
    tails = np.linspace(0, 1 - mass, 100_001)[1:-1]
    assert high - low <= (known.quantile(tails + mass) - known.quantile(tails)).min() * (1 + 1e-9)


@pytest.mark.parametrize("name", KNOWN)
def test_equal_tails(name: str) -> None:
    known = KNOWN[name]
    assert known.interval(0.9) == pytest.approx(known.known.interval(0.9), rel=1e-12)


def test_an_edge_belongs_to_the_interval() -> None:
    low, high = op.FBetaPosterior(0.5, 9, 9).hdi(0.9)
    assert low == 0
    u = stats.beta(0.5, 18).ppf(0.9)
    assert high == pytest.approx(u / (u + 0.5 * (1 - u)), rel=1e-9)
    assert op.FBetaPosterior(9, 0.5, 0.4, 2.0).hdi(0.9)[1] == 1


def test_an_exact_posterior_has_no_error() -> None:
    marginal = KNOWN["skewed"]
    assert marginal.mc_error == marginal.mid_error(0.95) == 0.0
    assert marginal.below(0.1) + marginal.above(0.1) == pytest.approx(1)
    assert marginal.median == pytest.approx(stats.beta(3, 40).median())
    assert marginal.points.mean() == pytest.approx(stats.beta(3, 40).mean(), rel=1e-3)
    assert marginal.counted(0.1, 1.0) == pytest.approx((1e6 * marginal.above(0.1), 1e6 * marginal.below(0.1)))
    assert marginal.counted(0.0, 1.0) == (1e6, 0)
    assert stats.kstest(marginal.draws(20_000, np.random.default_rng(1)), marginal.known.cdf).pvalue > 0.001


def test_draws_and_a_density_lead_to_the_same_verdict() -> None:
    exact = KNOWN["normal"]
    sampled = Sampled(exact.known.rvs(50_000, random_state=2))
    error = exact.sd / np.sqrt(50_000)
    assert sampled.mean == pytest.approx(exact.mean, abs=4 * error)
    assert sampled.mc_error == pytest.approx(error, rel=0.03)
    assert sampled.hdi(0.95) == pytest.approx(exact.hdi(0.95), abs=4 * 0.013 * exact.sd)
    np.testing.assert_allclose(sampled.quantile([0.1, 0.5]), exact.quantile([0.1, 0.5]), atol=6 * error)
    for rope in ((-0.05, 0.05), (-0.2, 0.2), (0.02, 0.12), (0.09, 0.3)):
        rule = Rule(rope)
        assert rule.of(exact, exact.hdi(), 0.95) == rule.of(sampled, sampled.hdi(), 0.95)


def test_the_same_draws_are_searched_once_for_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are judged by one ROPE after the other, and the interval stays."""
    draws = np.random.default_rng(0).normal(size=2_000)
    posterior, searched = Sampled(draws), list[float]()

    def search(values: FloatArray, mass: float) -> tuple[float, float]:
        searched.append(mass)
        return hdi(values, mass)

    monkeypatch.setattr(marginal, "hdi", search)
    for mass in (0.95, 0.8, 0.95, 0.8):
        assert posterior.hdi(mass) == hdi(draws, mass)
        assert posterior.mid_error(mass) == hdi_mid_error(draws, mass)
    assert searched == [0.95, 0.8]
