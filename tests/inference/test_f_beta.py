"""Closed forms of precision, recall and F_β, against other computations."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import inf, log, sqrt
from typing import Any, TypeAlias

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

import outperform as op
from outperform.inference.f_beta import FBetaPosterior, prob_greater

Shapes: TypeAlias = tuple[float, float, float]

SHAPES = [(91.0, 11.0, 21.0), (2.0, 1.5, 3.0), (7.5, 40.0, 0.5), (1.0, 1.0, 1.0), (5200.0, 310.0, 480.0)]
BETAS = [0.5, 2.0, 3.0]
SIMULATED = 200_000
QUANTILES = [0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.999]


@cache
def simulated(tp: float, fp: float, fn: float, beta: float) -> Any:
    """Draw F_β from three gammas, by its definition with counts."""
    a, b, c = np.random.default_rng(1).standard_gamma([tp, fp, fn], (SIMULATED, 3)).T
    return (1 + beta**2) * a / ((1 + beta**2) * a + beta**2 * c + b)


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("beta", [0, inf], ids=["precision", "recall"])
def test_precision_and_recall_are_betas(shapes: Shapes, beta: float) -> None:
    tp, fp, fn = shapes
    posterior, theirs = FBetaPosterior(tp, fp, fn, beta), stats.beta(tp, fn if beta else fp)
    at = theirs.ppf(QUANTILES)
    np.testing.assert_allclose(posterior.pdf(at), theirs.pdf(at), rtol=1e-11)
    np.testing.assert_allclose(posterior.logpdf(at), theirs.logpdf(at), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(posterior.cdf(at), theirs.cdf(at), rtol=1e-11)
    np.testing.assert_allclose(posterior.sf(at), theirs.sf(at), rtol=1e-11)
    np.testing.assert_allclose(posterior.ppf(QUANTILES), at, rtol=1e-11)
    assert posterior.mean == pytest.approx(theirs.mean(), rel=1e-10)
    assert posterior.sd == pytest.approx(theirs.std(), rel=1e-9)
    assert posterior.interval(0.9) == pytest.approx(tuple(theirs.interval(0.9)), rel=1e-11)


@pytest.mark.parametrize("shapes", SHAPES)
def test_f1_has_the_density_of_equation_7(shapes: Shapes) -> None:
    tp, fp, fn = shapes
    f1, a, b = FBetaPosterior(tp, fp, fn), fp + fn, tp

    def density(t: float) -> float:
        powers = a * log(2) + special.xlog1py(a - 1, -t) - (a + b) * log(2 - t) + special.xlogy(b - 1, t)
        return float(np.exp(powers - special.betaln(a, b)))

    for x in f1.ppf([0.02, 0.3, 0.7, 0.98]).tolist():
        assert f1.pdf(x) == pytest.approx(density(x), rel=1e-11)
        start = max(0.0, x - 30 * f1.sd)
        assert f1.cdf(x) == pytest.approx(integrate.quad(density, start, x, epsrel=1e-12)[0], rel=1e-9)
    ends = max(0.0, f1.mean - 12 * f1.sd), min(1.0, f1.mean + 12 * f1.sd)
    mean = integrate.quad(lambda t: t * density(t), *ends, epsrel=1e-12, limit=200)[0]
    variance = integrate.quad(lambda t: (t - mean) ** 2 * density(t), *ends, epsrel=1e-12, limit=200)[0]
    assert f1.mean == pytest.approx(mean, rel=1e-9)
    assert f1.sd == pytest.approx(sqrt(variance), rel=1e-9)


@pytest.mark.parametrize("shapes", SHAPES)
def test_f1_comes_from_a_beta_prime(shapes: Shapes) -> None:
    """F1 = 2 / (2 + X), where X is a ratio of gammas."""
    tp, fp, fn = shapes
    f1, ratio = FBetaPosterior(tp, fp, fn), stats.betaprime(fp + fn, tp)
    at = f1.ppf(QUANTILES)
    np.testing.assert_allclose(f1.cdf(at), ratio.sf(2 / at - 2), rtol=1e-10)
    np.testing.assert_allclose(f1.sf(at), ratio.cdf(2 / at - 2), rtol=1e-10)
    low, high = f1.interval(0.9)
    assert (low, high) == pytest.approx((2 / (2 + ratio.ppf(0.95)), 2 / (2 + ratio.ppf(0.05))), rel=1e-9)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("shapes", SHAPES[:3])
def test_f_beta_agrees_with_simulation(shapes: Shapes, beta: float) -> None:
    posterior, draws = FBetaPosterior(*shapes, beta), simulated(*shapes, beta)
    error = draws.std() / sqrt(SIMULATED)
    assert posterior.mean == pytest.approx(draws.mean(), abs=4 * error)
    fourth = ((draws - draws.mean()) ** 4).mean()
    assert posterior.sd**2 == pytest.approx(draws.var(), abs=4 * sqrt((fourth - draws.var() ** 2) / SIMULATED))
    for q, x in zip([0.1, 0.5, 0.9], posterior.ppf([0.1, 0.5, 0.9]), strict=True):
        assert (draws <= x).mean() == pytest.approx(q, abs=4 * sqrt(q * (1 - q) / SIMULATED))


@pytest.mark.parametrize("beta", BETAS)
def test_f_beta_agrees_with_an_integral_over_the_share_of_false_negatives(beta: float) -> None:
    tp, fp, fn = 12.0, 5.0, 3.5
    posterior, w = FBetaPosterior(tp, fp, fn, beta), beta**2 / (1 + beta**2)

    def share(s: float) -> float:
        """Return the density of FN / (FN + FP)."""
        return float(s ** (fn - 1) * (1 - s) ** (fp - 1) / special.beta(fn, fp))

    def below(s: float, x: float) -> float:
        k = w * s + (1 - w) * (1 - s)
        return float(share(s) * special.betainc(tp, fp + fn, k * x / (1 - x + k * x)))

    def density(s: float, x: float) -> float:
        k = w * s + (1 - w) * (1 - s)
        u = k * x / (1 - x + k * x)
        of_u = u ** (tp - 1) * (1 - u) ** (fp + fn - 1) / special.beta(tp, fp + fn)
        return float(share(s) * of_u * k / (1 - x + k * x) ** 2)

    for x in posterior.ppf([0.01, 0.5, 0.99]).tolist():
        assert posterior.cdf(x) == pytest.approx(integrate.quad(below, 0, 1, args=(x,), epsrel=1e-11)[0], rel=1e-9)
        assert posterior.pdf(x) == pytest.approx(integrate.quad(density, 0, 1, args=(x,), epsrel=1e-11)[0], rel=1e-9)


@given(
    tp=st.floats(0.5, 1e4),
    fp=st.floats(0.5, 1e4),
    fn=st.floats(0.5, 1e4),
    beta=st.sampled_from([0.0, 1.0, inf]),
    q=st.floats(0.001, 0.999),
)
@settings(max_examples=60)
def test_quantiles_invert_the_distribution_function(tp: float, fp: float, fn: float, beta: float, q: float) -> None:
    posterior = FBetaPosterior(tp, fp, fn, beta)
    x = posterior.ppf(q)
    spacing = float(np.spacing(x)) * float(
        posterior.pdf(x)
    )  # change of the cdf per floating-point step of the quantile
    assert posterior.cdf(x) == pytest.approx(q, rel=1e-7, abs=4 * spacing)  # as exact as scipy's quantiles
    assert posterior.cdf(x) + posterior.sf(x) == pytest.approx(1, abs=1e-8)


def test_quantiles_of_mixtures_invert_it_too() -> None:
    for beta in BETAS:
        posterior = FBetaPosterior(12, 5, 3.5, beta)
        np.testing.assert_allclose(posterior.cdf(posterior.ppf(QUANTILES)), QUANTILES, rtol=1e-10)


def test_beyond_0_and_1_there_is_nothing() -> None:
    for posterior in (FBetaPosterior(4, 2, 3), FBetaPosterior(4, 2, 3, 2.0)):
        np.testing.assert_array_equal(posterior.pdf([-1, 0, 1, 2]), 0)
        np.testing.assert_allclose(posterior.cdf([-1, 0, 1, 2]), [0, 0, 1, 1], atol=1e-14)
        np.testing.assert_allclose(posterior.sf([-1, 0, 1, 2]), [1, 1, 0, 0], atol=1e-14)
        assert posterior.pdf(0.5).shape == ()


def test_tails_are_not_differences_from_1() -> None:
    posterior, theirs = FBetaPosterior(900, 30, 40, inf), stats.beta(900, 40)
    assert posterior.sf(0.995) == pytest.approx(theirs.sf(0.995), rel=1e-9, abs=0)
    assert posterior.sf(0.995) < 1e-12
    assert posterior.cdf(0.8) == pytest.approx(theirs.cdf(0.8), rel=1e-9, abs=0)
    assert posterior.cdf(0.8) < 1e-20


@pytest.mark.parametrize(
    ("posterior", "mass"),
    [
        (FBetaPosterior(91, 11, 21), 0.95),
        (FBetaPosterior(91, 11, 21, 0), 0.5),
        (FBetaPosterior(3, 2, 9, inf), 0.9),
        (FBetaPosterior(800, 30, 25), 0.99),
    ],
)
def test_the_hdi_is_the_shortest_interval(posterior: FBetaPosterior, mass: float) -> None:
    low, high = posterior.hdi(mass)
    assert posterior.cdf(high) - posterior.cdf(low) == pytest.approx(mass, abs=1e-9)
    assert posterior.logpdf(low) == pytest.approx(float(posterior.logpdf(high)), abs=1e-5)
    tail = float(posterior.cdf(low))
    for moved in (0.9 * tail, 1.1 * tail):
        start, end = posterior.ppf([moved, moved + mass])
        assert high - low < end - start


def test_where_the_density_only_rises_the_hdi_ends_at_1() -> None:
    assert FBetaPosterior(5, 1, 1, 0).hdi(0.9) == pytest.approx((0.1 ** (1 / 5), 1), abs=1e-9)
    assert FBetaPosterior(1, 5, 1, 0).hdi(0.9) == pytest.approx((0, 1 - 0.1 ** (1 / 5)), abs=1e-9)


@given(tp=st.integers(1, 10_000), fp=st.integers(1, 10_000), fn=st.integers(1, 10_000))
@settings(max_examples=40)
def test_with_one_pseudo_count_the_mode_is_the_observed_score(tp: int, fp: int, fn: int) -> None:
    """ACL'19 Eqs 5 and 6."""
    shapes = (tp + 1, fp + 1, fn + 1)
    assert FBetaPosterior(*shapes, beta=0).mode == pytest.approx(tp / (tp + fp), abs=1e-6)
    assert FBetaPosterior(*shapes, beta=inf).mode == pytest.approx(tp / (tp + fn), abs=1e-6)


def test_the_mode_is_where_the_density_is_highest() -> None:
    for beta in (0.5, 1, 2):
        posterior = FBetaPosterior(30, 4, 9, beta)
        around = posterior.pdf(posterior.mode + posterior.sd * np.array([-0.1, -0.01, 0.01, 0.1]))
        assert posterior.pdf(posterior.mode) > around.max()


@pytest.mark.parametrize("beta", [0, 1, inf])
def test_shapes_from_a_hundredth_to_a_million_give_finite_numbers(beta: float) -> None:
    for tp, fp, fn in product([1e-2, 1.0, 1e6], repeat=3):
        posterior = FBetaPosterior(tp, fp, fn, beta)
        low, high = posterior.interval()
        start, end = posterior.hdi()
        assert 0 <= low <= high <= 1
        assert 0 <= start <= end <= 1
        assert 0 < posterior.mean < 1
        assert 0 < posterior.sd < 0.5
        assert 0 <= posterior.mode <= 1
        assert np.isfinite(posterior.logpdf([low, 0.3, high])[1])
        assert 0 <= prob_greater(posterior, FBetaPosterior(fn, tp, fp, beta)) <= 1


@pytest.mark.parametrize("tp", [0.5, 1.0, 300.0, 1e6])
@pytest.mark.parametrize("fp", [0.5, 1.0, 300.0, 1e6])
def test_moments_of_lopsided_shapes(tp: float, fp: float) -> None:
    posterior, theirs = FBetaPosterior(tp, fp, 1, 0), stats.beta(tp, fp)
    assert posterior.mean == pytest.approx(theirs.mean(), rel=1e-8, abs=0)
    assert posterior.sd == pytest.approx(theirs.std(), rel=1e-7, abs=0)


def test_a_small_beta_is_precision_and_a_large_one_recall() -> None:
    at = np.linspace(0.05, 0.95, 7)
    for limit, near in ((0, 1e-6), (inf, 1e6), (inf, 1e200)):
        exact, close = FBetaPosterior(12, 5, 3, limit), FBetaPosterior(12, 5, 3, near)
        np.testing.assert_allclose(close.cdf(at), exact.cdf(at), rtol=1e-9)
        assert close.mean == pytest.approx(exact.mean, rel=1e-9)
    between = [FBetaPosterior(12, 5, 1, beta).mean for beta in (0, 0.5, 1, 2, inf)]
    assert between == sorted(between)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 1, 1), r"tp is a finite number above 0 \(counts and the prior's\), got 0"),
        ((1, inf, 1), r"fp is a finite number above 0 .*, got inf"),
        ((1, 1, -2.5), r"fn is a finite number above 0 .*, got -2\.5"),
        ((np.nan, 1, 1), r"tp is a finite number above 0 .*, got nan"),
        ((1, 1, 1, -1), "beta must be a number of at least 0, got -1"),
        ((1, 1, 1, np.nan), "beta must be a number of at least 0, got nan"),
    ],
)
def test_what_is_no_posterior_is_refused(arguments: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FBetaPosterior(*arguments)


def test_masses_lie_between_0_and_1() -> None:
    for ask in (FBetaPosterior(3, 2, 1).interval, FBetaPosterior(3, 2, 1).hdi):
        with pytest.raises(ValueError, match=r"mass must lie between 0 and 1, as in 0\.95, got 1"):
            ask(1)


def odds(posterior: FBetaPosterior) -> tuple[Any, Any, Any]:
    """Return the shapes of the Beta behind it, and the shift of its log-odds."""
    rest = {0: posterior.fp, inf: posterior.fn}.get(posterior.beta, posterior.fp + posterior.fn)
    return mp.mpf(posterior.tp), mp.mpf(rest), mp.log(mp.mpf(1) / 2) if posterior.beta == 1 else mp.mpf(0)


def reference(x: FBetaPosterior, y: FBetaPosterior) -> Any:
    """Return P(x > y) to 30 digits: the density of x's log-odds times P(y below), by the trapezoid rule.

    The log of the integrand bends by at most a quarter of all counts, which says how fine the steps must be.
    """
    (a, s, shift), (b, t, other) = odds(x), odds(y)
    scale = mp.log(mp.beta(a, s))

    def density(at: Any) -> Any:
        return mp.exp(a * (at + shift) - (a + s) * mp.log1p(mp.exp(at + shift)) - scale)

    def below(at: Any) -> Any:
        return mp.betainc(b, t, 0, 1 / (1 + mp.exp(-at - other)), regularized=True)

    step = 1 / mp.sqrt(a + s + b + t)
    middle, total = mp.log(a / s) - shift, mp.mpf(0)
    for side in (1, -1):
        at, rows, most = middle + (step if side < 0 else 0) * side, 0, mp.mpf(0)
        while True:
            weight = density(at)
            if weight < mp.mpf(10) ** -45:
                break
            value = weight * below(at)
            most, total, at, rows = max(most, value), total + value, at + side * step, rows + 1
            if rows > 4 and value < most * mp.mpf(10) ** -16 and value < total * mp.mpf(10) ** -16:
                break
    return step * total


# The lower one first; the smallest probabilities are 1e-13 and less.
CASES: list[tuple[float, Shapes, Shapes]] = [
    (1, (91, 11, 21), (91, 11, 21)),
    (1, (91, 11, 21), (96, 9, 17)),
    (0, (2, 1.5, 3), (4, 2, 1)),
    (inf, (31, 5, 6), (80, 3, 4)),
    (1, (1, 1, 1), (3, 1, 1)),
    (1, (200, 60, 80), (200, 20, 30)),
    (1, (20, 30, 40), (200, 10, 12)),
    (0, (40, 30, 20), (900, 5, 8)),
    (inf, (300, 1, 120), (330, 1, 40)),
    (1, (15, 25, 20), (400, 15, 12)),
]


@pytest.mark.parametrize(("beta", "low", "high"), CASES)
def test_probabilities_agree_with_high_precision_quadrature(beta: float, low: Shapes, high: Shapes) -> None:
    x, y = FBetaPosterior(*low, beta), FBetaPosterior(*high, beta)
    with mp.workdps(30):
        expected = float(reference(x, y))
    assert 0 < expected < 0.5 + 1e-9
    assert prob_greater(x, y) == pytest.approx(expected, rel=1e-9, abs=0)
    assert prob_greater(x, y) == pytest.approx(expected, rel=0, abs=1e-10)
    assert prob_greater(y, x) == pytest.approx(1 - expected, rel=0, abs=1e-10)


def test_some_of_these_cases_are_deep_in_the_tail() -> None:
    small = [prob_greater(FBetaPosterior(*low, beta), FBetaPosterior(*high, beta)) for beta, low, high in CASES]
    assert sum(p < 1e-12 for p in small) >= 2


@pytest.mark.parametrize("k", [2, 5, 12])
def test_probabilities_of_whole_shapes_have_a_closed_form(k: int) -> None:
    """P(Beta(1, k) > Beta(k, 1)) = k·B(k, k + 1)."""
    low, high = FBetaPosterior(1, k, 1, 0), FBetaPosterior(k, 1, 1, 0)
    assert prob_greater(low, high) == pytest.approx(k * special.beta(k, k + 1), rel=1e-9, abs=0)


SHAPE = st.floats(0.5, 5000)


@given(x=st.tuples(SHAPE, SHAPE, SHAPE), y=st.tuples(SHAPE, SHAPE, SHAPE), beta=st.sampled_from([0.0, 1.0, inf]))
@settings(max_examples=80)
def test_one_of_the_two_is_greater(x: Shapes, y: Shapes, beta: float) -> None:
    first, second = FBetaPosterior(*x, beta), FBetaPosterior(*y, beta)
    assert prob_greater(first, second) + prob_greater(second, first) == pytest.approx(1, abs=1e-10)
    assert prob_greater(first, first) == pytest.approx(0.5, abs=1e-10)


@pytest.mark.parametrize("beta", BETAS)
def test_probabilities_of_f_beta_agree_with_simulation(beta: float) -> None:
    x, y = (12.0, 5.0, 3.5), (14.0, 3.0, 8.0)
    rng = np.random.default_rng(2)
    gammas = rng.standard_gamma(x, (SIMULATED, 3)), rng.standard_gamma(y, (SIMULATED, 3))
    first, second = ((1 + beta**2) * g[:, 0] / (g @ [1 + beta**2, 1, beta**2]) for g in gammas)
    p = prob_greater(FBetaPosterior(*x, beta), FBetaPosterior(*y, beta))
    assert p == pytest.approx((first > second).mean(), abs=4 * sqrt(p * (1 - p) / SIMULATED))


def test_it_is_the_distribution_of_the_models_draws() -> None:
    """Compare with one classifier's posterior under the uniform prior, from counts of positives."""
    counts = op.Counts.from_totals({"a": (120, 110, 100)})
    for measure, beta in (("precision", 0), ("recall", inf), ("f1", 1), ("f2", 2.0)):
        posterior, r = FBetaPosterior(101, 11, 21, beta), op.estimate(counts, measure=measure, rng=0)
        assert r.mean == pytest.approx(posterior.mean, abs=4 * posterior.sd / sqrt(50_000))
        assert r.sd == pytest.approx(posterior.sd, rel=4 / sqrt(50_000))
        assert r.hdi == pytest.approx(posterior.interval(), abs=0.5 * posterior.sd)
