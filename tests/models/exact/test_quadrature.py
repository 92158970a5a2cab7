"""Posteriors without draws: against integrals by SciPy and mpmath, against draws, and what is not certain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy import integrate, special, stats

import outperform as op
from outperform.measures.of_counts import MEASURES, Measure, resolve
from outperform.models.binary import _side_by_side, contingency_of
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.exact import Exact, exact_scores
from outperform.models.exact.ratio import cells_of
from outperform.models.exact.rules import beta_rule, log_odds_rule, merged, sparse, sparse_size
from outperform.models.exact.separate import Apart, OneScore
from outperform.models.exact.smooth import Mirrored, Smooth
from outperform.verdicts.interval import hdi
from tests.quadrature import Pair

Table = tuple[tuple[int, ...], tuple[int, ...]]

MEDIUM: Table = ((40, 12, 7, 6), (5, 8, 6, 120))
LARGE: Table = ((4_000, 300, 200, 500), (300, 500, 600, 20_000))
SPARSE: Table = ((90, 1, 0, 9), (2, 0, 1, 900))
TINY: Table = ((3, 1, 0, 1), (0, 0, 1, 5))
DRAWS = 500_000


def paired(table: Table, cells: float = 0.35, mu: float = 0.7) -> DirichletPosterior:
    """The posterior under the light prior, or another."""
    positive, negative = (np.array(outcomes, dtype=float) for outcomes in table)
    sums = np.array([negative.sum() + mu, positive.sum() + mu])
    return DirichletPosterior((sums, negative + cells, positive + cells), contingency_of)


def unpaired(table: Table) -> DirichletPosterior:
    """The same, each classifier by itself."""
    blocks: list[Any] = []
    for said in ([0, 1], [0, 2]):  # outcomes in which the classifier says 1
        positive, negative = (
            np.array([sum(t[k] for k in said), sum(t) - sum(t[k] for k in said)]) + 1.0 for t in table
        )
        blocks += [np.array([negative.sum() - 1, positive.sum() - 1]), negative, positive]
    return DirichletPosterior(tuple(blocks), _side_by_side)


def exact(posterior: DirichletPosterior, measure: str | Measure) -> tuple[Exact, Smooth | Mirrored]:
    """The answer, which must be there, and its difference."""
    found = exact_scores(posterior.blocks, posterior.meaning, resolve(measure), patient=True)
    assert found is not None
    assert found.difference is not None
    return found, found.difference


@pytest.mark.parametrize("weights", [(12.5, 7.5, 46.0), (1.5, 0.5, 99.0), (0.5, 0.5, 4.0), (300.5, 200.5, 4_500.0)])
def test_a_difference_of_two_cells(weights: tuple[float, float, float]) -> None:
    """Recall: δ = x − y of a Dirichlet of x, y and the rest, whose distribution function is a single integral."""
    a, b, rest = weights
    outcomes = np.array([rest - 1, a, b, 1.0])
    posterior = DirichletPosterior((np.array([10.0, outcomes.sum() - 1]), np.full(4, 2.5), outcomes), contingency_of)
    _, delta = exact(posterior, "recall")
    both = stats.beta(a + b, rest)
    for x in (-0.02, 0.0, 0.01, 0.1):
        # Given the sum s of both, x/s is Beta(a, b), and δ ≤ d is x/s ≤ (1 + d/s)/2; kinks are at s = |d|.
        def below(s: float, x: float = x) -> float:
            return float(stats.beta.cdf((1 + x / s) / 2, a, b) * both.pdf(s))

        places = sorted({abs(x), float(both.mean()), *both.ppf([1e-9, 0.01, 0.99, 1 - 1e-9])})
        ends = [0.0, *(s for s in places if 0 < s < 1), 1.0]
        parts = [integrate.quad(below, *pair, limit=200)[0] for pair in pairwise(ends)]
        assert delta.cdf(x) == pytest.approx(sum(parts), abs=1e-5 if a + b == 1 else 1e-6)  # of 1 there is a peak
    total = a + b + rest
    assert delta.mean == pytest.approx((a - b) / total, abs=1e-6)
    variance = (a + b) / total / (total + 1) - (a - b) ** 2 / total**2 / (total + 1)
    assert delta.sd == pytest.approx(variance**0.5, abs=1e-6)


@pytest.mark.parametrize("table", [MEDIUM, ((400, 40, 30, 60), (50, 60, 40, 2_000)), LARGE])
def test_f1_against_a_full_grid(table: Table) -> None:
    """Where every disagreement has some items, a grid of seven Betas is nearly exact; it shares no code with this."""
    second = Pair(*table, nodes=6 if table is MEDIUM else 5)
    answer, delta = exact(paired(table), "f1")
    mean, sd = second.moments()
    assert delta.mean == pytest.approx(mean, abs=1e-5)
    assert delta.sd == pytest.approx(sd, abs=1e-5)
    if abs(mean) < 3 * sd:  # further out the grid has too few nodes
        assert answer.density_at_zero == pytest.approx(second.pdf(0.0), rel=5e-3)
    for x in mean + sd * np.array([-2.0, 0.0, 2.0]):
        assert delta.cdf(x) == pytest.approx(second.cdf(float(x)), abs=2e-4)  # the grid's own error


MEASURED = ("recall", "specificity", "accuracy", "error_rate", "f1", "jaccard")


@lru_cache(maxsize=1)
def draws_of_each(table: Table, apart: bool) -> dict[str, Any]:
    """Scores by all measures of the same draws, of which only the last are kept: they are 100 MB."""
    posterior = (unpaired if apart else paired)(table)
    each = posterior.scores(
        lambda c: np.concatenate([resolve(name)(c) for name in MEASURED], axis=-1), draws=DRAWS, seed=SeedSequence(1)
    )
    return dict(zip(MEASURED, np.split(each, len(MEASURED), axis=-1), strict=True))


@pytest.mark.parametrize("measure", MEASURED)  # one after the other, of the same draws
@pytest.mark.parametrize("apart", [False, True], ids=["paired", "unpaired"])
@pytest.mark.parametrize("table", [MEDIUM, SPARSE], ids=["medium", "sparse"])
def test_against_draws(table: Table, measure: str, apart: bool) -> None:
    """All that a comparison says is that of many draws, up to four Monte-Carlo errors."""
    answer, delta = exact((unpaired if apart else paired)(table), measure)
    drawn = draws_of_each(table, apart)[measure]
    for known, marginal in zip([*drawn.T, drawn[:, 0] - drawn[:, 1]], [*answer.scores, delta], strict=True):
        error = float(known.std()) / DRAWS**0.5
        assert abs(marginal.mean - known.mean()) < 4 * error
        assert abs(marginal.sd / known.std() - 1) < 0.01
        shares = np.array([0.025, 0.3, 0.9])
        below = np.array([float(marginal.cdf(x)) for x in np.quantile(known, shares)])
        assert (np.abs(below - shares) < 4 * (shares * (1 - shares) / DRAWS) ** 0.5).all()
        assert marginal.hdi() == pytest.approx(hdi(known), abs=0.03 * float(known.std()))
    difference = drawn[:, 0] - drawn[:, 1]
    for found, drawn_share in (
        (delta.below(0.0), np.mean(difference < 0)),
        (delta.prob(-0.01, 0.01), np.mean(np.abs(difference) < 0.01)),
    ):
        of_draws = float(drawn_share)
        assert abs(of_draws - found) < 4 * max(of_draws * (1 - of_draws) / DRAWS, 1e-12) ** 0.5


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_one_score_against_a_grid(beta: float) -> None:
    """F_β of one system: over μ and the false alarms, of the distribution function of recall."""
    blocks = (np.array([31.0, 11.0]), np.array([4.0, 28.0]), np.array([9.0, 3.0]))
    found = exact_scores(blocks, contingency_of, resolve(f"f{beta:g}"))
    assert found is not None
    (mu, mu_share), (alarm, alarm_share) = (
        ((1 + x) / 2, w / w.sum()) for x, w in (special.roots_jacobi(120, 30, 10), special.roots_jacobi(120, 27, 3))
    )
    w = beta**2 / (1 + beta**2)
    for x in (0.5, 0.75):
        losses = w + (1 - w) * ((1 - mu) / mu)[:, None] * alarm
        reached = np.minimum(losses * x / (1 - (1 - w) * x), 1)  # recall at which F_β is x
        share = mu_share @ special.betainc(9, 3, reached) @ alarm_share
        assert float(found.scores[0].cdf(x)) == pytest.approx(share, abs=1e-6)


def test_mirrored() -> None:
    """Exchanging the systems flips the difference, and the sides of 0 meet."""
    _, delta = exact(paired(MEDIUM), "f1")
    swapped: Any = tuple(tuple(t[k] for k in (0, 2, 1, 3)) for t in MEDIUM)
    _, other = exact(paired(swapped), "f1")
    assert other.mean == pytest.approx(-delta.mean, abs=1e-6)
    assert other.hdi() == pytest.approx([-end for end in delta.hdi()[::-1]], abs=1e-6)
    assert other.below(0.0) == pytest.approx(delta.above(0.0), abs=1e-6)
    assert float(delta.pdf(-1e-9)) == pytest.approx(float(delta.pdf(1e-9)), rel=1e-5)


def test_the_far_tail() -> None:
    """The density at 0 is that of the closed form, nine standard deviations out."""
    posterior = paired(((4_000, 300, 100, 500), (300, 500, 600, 20_000)))
    answer, delta = exact(posterior, "recall")
    assert abs(delta.mean) > 9 * delta.sd
    assert answer.density_at_zero == pytest.approx(posterior.density_at_zero(resolve("recall")), rel=1e-3)


def test_a_kink_is_where_both_scores_end_abruptly() -> None:
    """At 0 by the first shape of each, at 1 by the second."""
    for first, second, kink, peak in (
        ((50, 50), (40, 60), False, False),
        ((5, 50), (6, 60), True, False),
        ((50, 5), (60, 6), True, False),
        ((5, 50), (60, 6), False, False),
        ((0.4, 50), (0.5, 60), True, True),
        ((50, 0.4), (60, 0.5), True, True),
    ):
        delta = Apart(*(OneScore(a, b, np.zeros(1), np.ones(1)) for a, b in (first, second)))
        assert (delta.singular, delta.infinite) == (kink, peak)


def test_an_infinite_peak() -> None:
    """Where nothing differed, the density of the difference is infinite at 0, and nearly right all around."""
    posterior = paired(((30, 0, 0, 10), (5, 8, 6, 120)), cells=0.5)
    answer, delta = exact(posterior, "recall")
    assert answer.density_at_zero == posterior.density_at_zero(resolve("recall")) == np.inf
    assert delta.below(0.0) == pytest.approx(0.5, abs=1e-5)
    assert delta.sd == pytest.approx((1 / 42 / 43) ** 0.5, abs=1e-5)


@pytest.mark.parametrize(
    "measure", ["mcc", "kappa", "balanced_accuracy", "g_mean", "fowlkes_mallows", "markedness", "prevalence_threshold"]
)
def test_no_ratio_of_sums(measure: str) -> None:
    """Other measures are drawn."""
    posterior = paired(MEDIUM)
    assert exact_scores(posterior.blocks, posterior.meaning, resolve(measure)) is None


def test_a_measure_of_ones_own() -> None:
    """It is recognised by what it does."""
    own = resolve(lambda c: c.ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn))
    (_, mine), (_, built_in) = exact(paired(MEDIUM), own), exact(paired(MEDIUM), "f1")
    assert mine.hdi() == pytest.approx(built_in.hdi(), abs=1e-9)
    posterior = paired(MEDIUM)
    assert exact_scores(posterior.blocks, posterior.meaning, resolve(lambda c: c.tp - 5 * c.fp)) is None


def test_what_is_refused() -> None:
    """Impossible cells, a prior that weighs classes more than outcomes, and tables too small to be certain of."""
    empty = paired(((40, 12, 0, 6), (5, 8, 6, 120)), cells=0.0)
    firm = paired(MEDIUM, mu=50.0)
    for posterior in (empty, firm, paired(TINY)):
        assert exact_scores(posterior.blocks, posterior.meaning, resolve("f1"), patient=True) is None
    medium = paired(MEDIUM)  # draws take less time
    assert exact_scores(medium.blocks, medium.meaning, resolve("f1")) is None


def test_all_ratios_of_sums_are_found() -> None:
    """Of the built-in measures these, and no others."""
    posterior = paired(MEDIUM)
    ratios = {
        name for name, known in MEASURES.items() if cells_of(posterior.blocks, posterior.meaning, known) is not None
    }
    assert {
        "accuracy",
        "error_rate",
        "f0.5",
        "f1",
        "f2",
        "jaccard",
        "npv",
        "precision",
        "recall",
        "specificity",
    } <= ratios
    assert not {"mcc", "kappa", "balanced_accuracy", "g_mean", "informedness", "markedness"} & ratios


@pytest.mark.parametrize("weights", [(0.5, 0.5), (1.0, 90.0), (4_000.5, 12.5)])
def test_rules(weights: tuple[float, float]) -> None:
    """Moments of a Beta, and of the sum of two, by each rule."""
    moments = [stats.beta(*weights).moment(k) for k in (1, 2, 3, 4)]
    values, shares = beta_rule(*weights, 5)
    at, density = log_odds_rule(*weights)
    few, fewer = merged(1 / (1 + np.exp(-at)), density, 4)
    for k, moment in enumerate(moments, 1):
        assert shares @ values**k == pytest.approx(moment, rel=1e-9)
        assert density @ (1 / (1 + np.exp(-at))) ** k == pytest.approx(moment, rel=1e-7)
        assert fewer @ few**k == pytest.approx(moment, rel=1e-7)
    rules: Sequence[Any] = [lambda n: beta_rule(*weights, n), lambda n: beta_rule(2.0, 3.0, n)]
    points, both = sparse(rules, [1.0, 1.0], 5.0)
    product = both @ (points[0] ** 2 * points[1] ** 3)
    assert product == pytest.approx(moments[1] * stats.beta(2, 3).moment(3), rel=1e-9)
    assert len(both) < 6**3


def test_a_prior_is_a_marginaltoo() -> None:
    """The uniform prior of recall: δ is the difference of two of four cells of equal weight."""
    found = exact_scores(*_arguments(paired(((0, 0, 0, 0), (0, 0, 0, 0)), cells=1.0)), resolve("recall"))
    assert found is not None
    assert found.difference is not None
    assert found.difference.mean == pytest.approx(0.0, abs=1e-9)
    assert found.difference.sd == pytest.approx((2 / 4 / 5) ** 0.5, abs=1e-6)


def _arguments(posterior: DirichletPosterior) -> tuple[Any, Any]:
    return posterior.blocks, posterior.meaning


def test_a_grid_with_very_many_points_is_counted_without_making_it() -> None:
    def factor(j: int, k: int) -> int:
        return sum((-1) ** (d + e) * (2 * (j + d) + 3 * (k + e) <= 9) for d in (0, 1) for e in (0, 1))

    grids = [(j, k) for j in range(5) for k in range(4) if 2 * j + 3 * k <= 9 and factor(j, k)]
    assert sparse_size([2.0, 3.0], 9.0) == sum((j + 1) * (k + 1) for j, k in grids)
    assert sparse_size([1e-3, 2e-3, 0.1, 0.05], 17.0) > 10**9


def test_an_exact_difference_that_hardly_leans_does_not_lean() -> None:
    truth = np.repeat([1, 0], 400)
    one, other = truth.copy(), truth.copy()
    one[:20], other[20:40] = 0, 0
    other[0] = 0  # one item more
    result = op.compare(truth, {"a": one, "b": other}, measure="recall", pos_label=1, rope=0.02, rng=0)
    assert isinstance(result, op.Comparison)
    assert "engine:exact" in result.signature
    low, high = result.delta.hdi
    lean = (low + high) / 2 / result.delta.sd
    assert lean > 0.05
    assert result.decision is not None
    assert result.decision.name == "slightly_better"
    moved = result.with_rope((-0.02, 0.02 + low + high + 0.015 * result.delta.sd)).decision
    assert moved is not None
    assert moved.name == "undecided"
