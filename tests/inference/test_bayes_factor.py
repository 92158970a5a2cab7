"""Bayes factors against SciPy's kernel density and against quadrature, near 0 and far from it."""

from __future__ import annotations

from math import sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy import integrate, stats
from scipy.special import betaln, gammaln

import outperform as op
from outperform.inference.bayes_factor import conditional_density, kernel_density, rope_bayes_factor
from outperform.inference.densities import density_at_zero
from outperform.measures.of_counts import MEASURES
from outperform.verdicts.marginal import Sampled
from tests.quadrature import Pair
from tests.tables import FIVE, pair

F1 = op.f_beta(1)

# Outcomes for which 0 lies about this many standard deviations from the mean of δ.
FAR = {
    0.5: ((200, 40, 30, 50), (100, 60, 50, 3000)),
    3: ((200, 70, 30, 50), (100, 60, 50, 3000)),
    5: ((200, 90, 25, 50), (100, 60, 50, 3000)),
    6: ((200, 98, 20, 50), (100, 60, 50, 3000)),
    7.5: ((200, 110, 15, 50), (100, 60, 50, 3000)),
}


def density(model: op.Paired | op.Unpaired, counts: op.Counts, seed: int, measure: str = "f1") -> float:
    segment = model.posterior(counts).segment(MEASURES[measure], draws=5_000, seed=SeedSequence(seed))
    assert segment is not None
    found = conditional_density(segment, MEASURES[measure])
    assert found is not None
    return found[0]


def test_kernel_density_is_scipys() -> None:
    draws = np.random.default_rng(0).normal(0.1, 0.3, 2_000)
    assert kernel_density(draws) == pytest.approx(stats.gaussian_kde(draws)(0.0)[0], rel=1e-12)
    assert kernel_density(draws, at=0.4) == pytest.approx(stats.gaussian_kde(draws)(0.4)[0], rel=1e-12)
    two = np.array([0.1, 0.5])
    assert kernel_density(two) == pytest.approx(stats.gaussian_kde(two)(0.0)[0], rel=1e-12)
    assert kernel_density(np.zeros(9)) is None
    assert kernel_density(np.zeros(2)) is None
    assert kernel_density(np.zeros(1)) is None


@pytest.mark.parametrize("n", [2, 20, 500])
def test_a_shrunken_kernel_keeps_the_mean_and_the_spread(n: int) -> None:
    """A kernel alone would add its own variance; by quadrature over the whole density."""
    draws = np.random.default_rng(n).exponential(size=n) + 0.7
    mean, spread = draws.mean(), draws.std(ddof=1)
    grid = np.linspace(mean - 12 * spread, mean + 12 * spread, 2_401)
    density = np.array([kernel_density(draws, at, shrunken=True) for at in grid], dtype=float)
    moments = [integrate.trapezoid(density * (grid - mean) ** k, grid) for k in (0, 1, 2, 3)]
    kept, skew = 1 - n**-0.4, float(((draws - mean) ** 3).mean())
    expected = [1, 0, kept * draws.var() + n**-0.4 * spread**2, kept**1.5 * skew]
    assert moments == pytest.approx(expected, rel=1e-9, abs=1e-9 * spread)


def test_the_second_opinion_finds_where_both_are_equal() -> None:
    """The closed form gives the requested difference, and the ends if it is out of reach."""
    reference = Pair(*FAR[3], nodes=5)
    for at in (0.0, 0.05, -0.3):
        share = reference.solve(at)
        inside = (share > 0) & (share < 1)
        assert (reference.f1(1)[0] - reference.f1(1)[1] > at)[share < 1].all()
        assert (reference.f1(0)[0] - reference.f1(0)[1] < at)[share > 0].all()
        a, b = reference.f1(share)
        np.testing.assert_allclose((a - b)[inside], at, atol=1e-12)
    assert reference.cdf(0.05) == pytest.approx(reference.cdf(0.0499) + reference.pdf(0.04995) * 1e-4, rel=1e-6)


@pytest.mark.parametrize("sd", FAR)
def test_density_at_zero_agrees_with_quadrature_at_any_distance(sd: float) -> None:
    reference = Pair(*FAR[sd], nodes=9)
    mean, spread = reference.moments(nodes=5)
    assert mean / spread == pytest.approx(sd, abs=0.6)
    found = [density(op.Paired(), pair(*FAR[sd]), seed) for seed in range(12)]
    error = np.std(found, ddof=1) / sqrt(len(found))
    assert np.std(found, ddof=1) / np.mean(found) < 0.03
    assert abs(np.mean(found) - reference.pdf(0.0)) < 4 * error + 1e-4 * reference.pdf(0.0)


# Few items in some cells, where the most probable way to be equal is far from the mean and was once missed. The
# densities are the same estimator's, with 100,000 draws and more around a point found by a slower search: they guard
# the search. That the estimator is correct so far out is shown by the closed forms below.
HARD = [
    ("markedness", op.Unpaired("flat"), ((14, 498, 15, 0), (1, 4, 7, 1)), 1.52e-14),
    ("g_mean", op.Paired("jeffreys"), ((32, 493, 2, 4), (3, 12, 34, 44)), 1.03e-58),
    ("prevalence_threshold", op.Paired("uniform"), ((75, 3, 52, 18), (12, 354, 10, 215)), 4.15e-84),
    ("f1", op.Unpaired("flat"), ((17, 138, 11, 2), (5, 3, 0, 1)), 3.84e-43),
]


@pytest.mark.parametrize(("measure", "model", "table", "reference"), HARD, ids=[h[0] for h in HARD])
def test_density_where_cells_are_nearly_empty(measure: str, model: Any, table: Any, reference: float) -> None:
    found = [density(model, pair(*table), seed, measure) for seed in range(8)]
    error = float(np.std(found)) / sqrt(len(found))
    assert error < 0.05 * reference
    assert np.mean(found) == pytest.approx(reference, abs=4 * error + 0.01 * reference)


def log_density_of_equal_recall(model: op.Paired | op.Unpaired, outcomes: tuple[int, ...], prior: float) -> float:
    """Return the log density of δ(recall) at 0, in closed form.

    Unpaired: ∫ Beta(x; a, b) Beta(x; c, d) dx. Paired: ∫ Dir(x, x, 1 − 2x; α₁₀, α₀₁, α₁₁ + α₀₀) dx.
    """
    both, a_only, b_only, none = outcomes
    if model.name == "unpaired":
        a, b = both + a_only + prior, b_only + none + prior
        c, d = both + b_only + prior, a_only + none + prior
        return float(betaln(a + c - 1, b + d - 1) - betaln(a, b) - betaln(c, d))
    a, b, rest = a_only + prior, b_only + prior, both + none + 2 * prior
    scale = gammaln(a + b + rest) - gammaln(a) - gammaln(b) - gammaln(rest)
    return float(scale + betaln(a + b - 1, rest) - (a + b - 1) * np.log(2))


NEAR_AND_FAR = [(60, 9, 7, 20), (60, 30, 4, 20), (60, 80, 2, 20), (5, 120, 0, 9), (0, 150, 1, 30)]


@pytest.mark.parametrize(
    ("outcomes", "prior"), [*((outcomes, 0.75) for outcomes in NEAR_AND_FAR), (NEAR_AND_FAR[1], 1.0)]
)
@pytest.mark.parametrize("kind", [op.Paired, op.Unpaired])
def test_density_agrees_with_the_closed_form_down_to_1e_67(kind: Any, outcomes: tuple[int, ...], prior: float) -> None:
    model = kind(prior)
    found = [density(model, pair(outcomes, (3, 4, 5, 60)), seed, "recall") for seed in range(8)]
    expected = log_density_of_equal_recall(model, outcomes, prior)
    error = float(np.std(found) / np.mean(found)) / sqrt(len(found))
    assert error < 0.03
    assert np.log(np.mean(found)) == pytest.approx(expected, abs=4 * error + 1e-4)


@pytest.mark.parametrize("at", [0.1, -0.05])
def test_density_elsewhere_than_at_0_agrees_with_quadrature(at: float) -> None:
    """δ(recall) of two unpaired systems is a difference of two Beta variables."""
    first, second = stats.beta(70, 28), stats.beta(68, 30)  # (60, 9, 7, 20), and one pseudo-item in each cell
    expected = integrate.quad(lambda x: first.pdf(x) * second.pdf(x - at), max(at, 0), 1 + min(at, 0), epsrel=1e-10)[0]
    counts, found = pair((60, 9, 7, 20), (3, 4, 5, 60)), []
    for seed in range(8):
        segment = op.Unpaired(1.0).posterior(counts).segment(MEASURES["recall"], draws=2_000, seed=SeedSequence(seed))
        assert segment is not None
        found.append(conditional_density(segment, MEASURES["recall"], at))
    densities, errors = np.array(found, dtype=float).T
    spread = float(np.std(densities, ddof=1))
    assert densities.mean() == pytest.approx(expected, abs=4 * spread / sqrt(8) + 1e-4 * expected)
    # Of eight, the sd is within a factor of 2.5 but for 1 in 1,000.
    assert np.median(errors) * expected / 2.5 < spread < np.median(errors) * expected * 2.5


def test_small_table_with_empty_cells_agrees_with_quadrature() -> None:
    table = ((73, 24, 0, 6), (0, 1, 4, 0))
    found = [density(op.Paired(), pair(*table), seed) for seed in range(12)]
    reference = Pair(*table, nodes=10).pdf(0.0)
    error = float(np.std(found)) / sqrt(len(found))
    assert np.mean(found) == pytest.approx(reference, abs=4 * error + 1e-4 * reference)


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (op.Paired(), ((0, 0, 0, 0), (44, 33, 25, 87))),
        (op.Paired(0.1), ((20, 0, 0, 9), (3, 0, 0, 70))),
    ],
    ids=["no positives", "tiny prior, identical"],
)
def test_infinite_densities_are_left_to_the_kernel(model: Any, table: Any) -> None:
    found = [op.compare(pair(*table), model=model, rng=seed).bayes_factor.savage_dickey for seed in range(6)]
    assert max(found) < 1.3 * min(found)  # type: ignore[type-var, operator]


@pytest.mark.parametrize("model", [op.Paired(), op.Unpaired("jeffreys")], ids=str)
@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_perfect_against_useless_needs_no_warning(measure: str, model: Any) -> None:
    r = op.compare(pair((0, 76, 0, 0), (0, 0, 0, 124)), measure=measure, model=model, draws=500, rng=0)
    assert r.bayes_factor.savage_dickey is not None
    if measure not in ("precision", "specificity", "prevalence_threshold"):  # these do not distinguish them
        assert r.bayes_factor.savage_dickey < 1e-9


def test_a_kernel_is_no_good_there() -> None:
    drawn = op.Paired().posterior(pair(*FAR[6])).scores(F1, draws=50_000, seed=SeedSequence(0))
    kernel = kernel_density(drawn[:, 0] - drawn[:, 1])
    assert kernel is not None
    assert abs(kernel / Pair(*FAR[6], nodes=9).pdf(0.0) - 1) > 0.5


# Few items and many; 0 is among the draws. For the unbalanced table only for recall.
MANY: list[tuple[op.Paired | op.Unpaired, str, str]] = [
    *(
        (model, name, measure)
        for model in (op.Paired(), op.Unpaired())
        for name in ("20 items", "7,532 items")
        for measure in ("f1", "recall", "specificity", "mcc", "error_rate", "markedness")
    ),
    *((model, "lopsided", "recall") for model in (op.Paired(), op.Unpaired(), op.Paired("jeffreys"))),
    *((op.Paired("jeffreys"), "200 items", measure) for measure in ("f1", "mcc")),
]


@pytest.mark.parametrize(("model", "name", "measure"), MANY, ids=str)
def test_where_draws_are_many_both_agree(model: op.Paired | op.Unpaired, name: str, measure: str) -> None:
    counts = pair(*FIVE[name])
    drawn = model.posterior(counts).scores(MEASURES[measure], draws=200_000, seed=SeedSequence(1))
    delta = drawn[:, 0] - drawn[:, 1]
    near = 0.05 * delta.std()
    share = (np.abs(delta) < near).mean()
    assert share * len(delta) > 200
    counted, error = share / (2 * near), sqrt(share * (1 - share) / len(delta)) / (2 * near)
    assert abs(density(model, counts, 2, measure) - counted) < 5 * error + 0.03 * counted


def test_no_density_where_nothing_moves() -> None:
    constant = (
        op.Paired().posterior(pair(*FIVE["20 items"])).segment(lambda c: 0 * c.hit, draws=10, seed=SeedSequence(0))
    )
    assert constant is None


def test_own_measure_that_rises_and_falls_falls_back_to_the_kernel() -> None:
    r = op.compare(pair(*FIVE["200 items"]), measure=lambda c: np.sin(40 * c.tp), rng=0)
    assert r.bayes_factor.savage_dickey == r.savage_dickey_kde()


def test_where_not_even_the_kernel_reaches_there_is_a_bound_and_a_note() -> None:
    far = pair((900, 90, 0, 10), (10, 5, 5, 980))
    r = op.compare(far, measure=lambda c: 20 * c.tp + np.sin(40 * c.tp), model=op.Paired("uniform"), rng=0)
    assert r.bayes_factor.savage_dickey_bound == "upper"
    assert "the Savage–Dickey factor is an upper bound" in r.to_text(verbose=True)
    assert "Bayes factor for equality: ≤" in r.to_text(verbose=True)
    assert "| ≤" in r.to_markdown()
    factor = r.bayes_factor.savage_dickey
    assert factor is not None
    assert 0 < factor < 1e-2


def test_the_bound_is_above_the_density() -> None:
    """Beyond all draws, where the density is known: a normal of mean 6 and sd 1."""
    drawn = np.random.default_rng(0).normal(6, 1, (2_000, 1)) * [1.0, 0.0]

    class Nowhere:
        score = None

        def segment(self, *_: Any, **__: Any) -> None:
            return None

        def density_at_zero(self, *_: Any) -> None:
            return None

    for scale in (1.0, 1.2):
        bound, value = density_at_zero(Nowhere(), Nowhere(), drawn * scale, SeedSequence(0))  # type: ignore[arg-type]
        assert bound
        assert value is not None
        assert value > stats.norm(6 * scale, scale).pdf(0)


@pytest.mark.parametrize("prior", [1.0, 0.7, 3.0])
def test_the_factor_of_shares_is_in_closed_form(prior: float) -> None:
    """For recall, and for scores of 0 and 1: by quadrature over their common values, for any seed."""
    outcomes = (30, 9, 5, 6)

    def density(cells: tuple[float, ...]) -> float:
        alpha = np.array(cells) + prior
        log_constant = gammaln(alpha.sum()) - gammaln(alpha).sum()

        def at(x: float) -> float:  # both have x, and the others share the rest
            rest = betaln(alpha[0], alpha[3]) + (alpha[0] + alpha[3] - 1) * np.log1p(-2 * x)
            return float(np.exp(log_constant + (alpha[1] + alpha[2] - 2) * np.log(x) + rest))

        return float(integrate.quad(at, 0, 0.5, epsabs=0, epsrel=1e-10)[0])

    expected = density(outcomes) / density((0, 0, 0, 0))
    model = op.Paired(prior)
    a, b = np.repeat([1, 1, 0, 0], outcomes), np.repeat([1, 0, 1, 0], outcomes)
    for seed in (0, 1):
        recall = op.compare(pair(outcomes, (3, 4, 5, 60)), measure="recall", model=model, draws=100, rng=seed)
        scores = op.compare_scores({"a": a, "b": b}, model=model, draws=100, rng=seed)
        for r in (recall, scores):
            assert r.bayes_factor.savage_dickey == pytest.approx(expected, rel=1e-8)


def test_rope_bayes_factor_is_a_ratio_of_odds() -> None:
    posterior, prior = Sampled(np.array([-0.2, 0.0, 0.01, 0.02, 0.03, 0.3])), Sampled(np.linspace(-1, 1, 21))
    inside, before = 4, 1
    expected = inside / (6 - inside) / (before / (21 - before))
    factor, bound = rope_bayes_factor(posterior, prior, (-0.05, 0.05))
    assert factor == pytest.approx(expected)
    assert bound is None
    assert rope_bayes_factor(posterior, prior, None) == (None, None)
    assert rope_bayes_factor(posterior, prior, (0, 0)) == (None, None)


def test_beyond_all_draws_the_factor_of_the_rope_is_a_bound() -> None:
    """For a normal posterior the exact probability is known, and lies on the stated side."""
    prior = np.linspace(-1, 1, 2_001)
    for mean, bound in ((0.6, "upper"), (0.0, "lower")):
        draws = np.random.default_rng(0).normal(mean, 0.01, 20_000)
        found, which = rope_bayes_factor(Sampled(draws), Sampled(prior), (-0.1, 0.1))
        exact = stats.norm(mean, 0.01)
        share = exact.cdf(0.1) - exact.cdf(-0.1)
        assert found is not None
        assert which == bound
        before = np.mean(np.abs(prior) <= 0.1)
        true = share / max(exact.sf(0.1) + exact.cdf(-0.1), 1e-300) / (before / (1 - before))
        assert (found > true) == (bound == "upper")
    r = op.compare(pair(*FIVE["200 items"]), rope=0.9, rng=0)
    assert r.bayes_factor.rope_bound == "lower"
    assert "≥" in r.to_text(verbose=True)


@pytest.mark.parametrize(
    ("inside", "outside", "before", "beyond", "factor", "bound"),
    [
        (4, 8, 5, 20, 4 / 8 / (5 / 20), None),
        (0, 8, 5, 20, 3 / 8 / (5 / 20), "upper"),
        (4, 0, 5, 20, 4 / 3 / (5 / 20), "lower"),
        (4, 8, 0, 20, 4 / 8 / (3 / 20), "lower"),
        (4, 8, 5, 0, 4 / 8 / (5 / 3), "upper"),
        (1, 8, 1, 20, 1 / 8 / (1 / 20), None),
    ],
)
def test_odds_of_which_one_side_was_never_drawn(
    inside: int, outside: int, before: int, beyond: int, factor: float, bound: str | None
) -> None:
    """Draws exactly at the ends of the ROPE lie within it."""
    rope = (-0.1, 0.2)
    posterior, prior = (
        Sampled(np.concatenate([np.resize(rope, within), np.resize([-0.11, 0.21], without)]))
        for within, without in ((inside, outside), (before, beyond))
    )
    found, which = rope_bayes_factor(posterior, prior, rope)
    assert found == pytest.approx(factor, rel=1e-12)
    assert which == bound


def test_improper_priors_have_no_bayes_factors() -> None:
    r = op.compare(pair(*FIVE["200 items"]), model=op.Paired("haldane"), rope=0.05, rng=0)
    assert r.bayes_factor.savage_dickey is None
    assert r.bayes_factor.rope is None
    assert r.savage_dickey_kde() is None


def test_prior_density_at_the_papers_bandwidth() -> None:
    """Another program's 50,000 draws at Scott's bandwidth gave 2.18; half of ours are mirror images."""
    found = []
    for seed in range(8):
        evidence = op.compare(pair(*FIVE["20 items"]), model=op.Paired("uniform"), rng=seed, draws=10).evidence
        assert evidence is not None
        found.append(evidence.prior_density)
    assert np.mean(np.array(found, dtype=float)) == pytest.approx(2.18, abs=0.04)


def test_what_no_draw_shows_is_bounded_as_it_is_said() -> None:
    """For an event as probable as the bound, n draws show nothing in at most 5% of all cases."""
    n = 1_000
    factor, bound = rope_bayes_factor(Sampled(np.full(n, 0.5)), Sampled(np.repeat([0.0, 0.5], n // 2)), (-0.01, 0.01))
    assert bound == "upper"
    assert factor is not None
    assert 0.04 < stats.binom.pmf(0, n, factor) <= 0.05  # the prior odds are 1, so it is the odds of the ROPE


def test_a_density_beyond_all_draws_is_bounded_as_it_is_said() -> None:
    """It is at most the share that n draws would miss in 5% of all cases, over the distance to the nearest draw."""
    n, nearest = 1_000, 0.25
    delta = np.linspace(nearest, 1.25, n)
    posterior: Any = SimpleNamespace(density_at_zero=lambda _: None, segment=lambda *_, **__: None)
    question: Any = SimpleNamespace(score=None)
    bounded, density = density_at_zero(posterior, question, np.stack([delta, 0 * delta], axis=1), SeedSequence(0))
    assert bounded
    assert density is not None
    assert 0.04 < stats.binom.pmf(0, n, density * nearest) <= 0.05
