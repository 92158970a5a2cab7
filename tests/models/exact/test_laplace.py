"""Differences without draws where no cell is small: against quadrature of another kind, draws, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence
from scipy.special import gammaln

import outperform as op
from outperform.data.contingency import FloatArray
from outperform.measures.of_counts import resolve
from outperform.models.binary import contingency_of
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.exact import exact_scores, laplace
from outperform.models.exact.difference import Difference
from outperform.models.exact.laplace import Laplace, Surface
from outperform.models.exact.ratio import Cells, cells_of
from outperform.models.exact.separate import OneScore
from outperform.models.exact.smooth import Smooth

Blocks = tuple[Any, ...]

NEWS = (247, 42, 33, 76), (24, 69, 60, 6981)  # outcomes 11, 10, 01 and 00 of positive and of negative items
WIDE = (520, 90, 60, 130), (75, 180, 160, 2_400)
FAR = (280, 36, 32, 49), (10, 274, 15, 6_836)
FEW = (13, 10, 750, 10), (46, 39, 22, 43)
NEGATIVE = (50, 50, 50, 50)
LITTLE = (1_513, 6, 412, 5), (6, 11, 8, 5)  # the density is asked for where a cell would be negative
TABLES = {"news": NEWS, "wide": WIDE, "far": FAR}


def blocks_of(table: Any, cells: float = 0.35, mu: float = 0.7) -> Blocks:
    """Weights of μ and of the outcomes of negative and positive items, under the light prior."""
    positive, negative = (np.array(outcomes, dtype=float) for outcomes in table)
    return np.array([negative.sum() + mu, positive.sum() + mu]), negative + cells, positive + cells


def cells_in(table: Any, measure: str = "f1", **prior: float) -> Cells:
    """Independent gammas of both scores."""
    found = cells_of(blocks_of(table, **prior), contingency_of, resolve(measure))
    assert found is not None
    return found[0]


def mean_of(cells: Cells) -> float:
    """Of δ, by the scores alone."""
    first, second = (OneScore.of(cells.of(k)) for k in (0, 1))
    assert first is not None
    assert second is not None
    return first.mean - second.mean


def answered(cells: Cells) -> tuple[Smooth, float]:
    """The posterior and the density at 0, which must be there."""
    delta = Laplace.of(cells)
    assert delta is not None
    found = delta.posterior(mean_of(cells))
    assert found is not None
    posterior, at_zero = found
    assert at_zero is not None
    return posterior, at_zero


CASES = [
    *(
        (table, measure)
        for table in ("news", "wide")
        for measure in ("f1", "jaccard", "precision", "recall", "accuracy")
    ),
    *(("far", measure) for measure in ("f1", "recall")),
]


@pytest.mark.parametrize(("table", "measure"), CASES)
def test_against_a_sparse_grid_of_betas(table: str, measure: str) -> None:
    """The engine for sparse tables shares the cells with this one, but no formula, and is slow here."""
    cells = cells_in(TABLES[table], measure)
    posterior, _ = answered(cells)
    other = Difference.of(cells)
    assert other is not None
    x = posterior.mean + posterior.sd * np.linspace(-5, 5, 11)
    slow = other.density(x, 21.0, 2.0)
    assert np.abs(posterior.pdf(x) - slow).max() < 1e-5 * slow.max()


@pytest.mark.parametrize("table", TABLES)
def test_the_density_at_0_holds_far_out(table: str) -> None:
    """As a ratio, also at 12 standard deviations."""
    cells = cells_in(TABLES[table])
    other = Difference.of(cells)
    assert other is not None
    assert answered(cells)[1] == pytest.approx(float(other.density(np.zeros(1), 25.0, 2.0)[0]), rel=2e-3)


def test_moments_are_those_of_draws() -> None:
    """To four Monte-Carlo errors, with a κ that matters: the prior of μ weighs much less than that of the outcomes."""
    blocks = blocks_of(WIDE, cells=20.0, mu=1.0)
    posterior, _ = answered(cells_in(WIDE, cells=20.0, mu=1.0))
    scores = DirichletPosterior(blocks, contingency_of).scores(resolve("f1"), draws=400_000, seed=SeedSequence(1))
    drawn = scores[:, 0] - scores[:, 1]
    error = float(drawn.std()) / len(drawn) ** 0.5
    assert abs(posterior.mean - drawn.mean()) < 4 * error
    assert abs(posterior.sd - drawn.std()) < 4 * error / 2**0.5
    for place in (-0.05, 0.0, 0.02, 0.05):
        share = float((drawn < place).mean())
        allowed = max(share * (1 - share), 1e-5)
        assert abs(float(posterior.cdf(place)) - share) < 4 * (allowed / len(drawn)) ** 0.5


def test_a_small_cell_is_left_to_the_other_engine() -> None:
    """Its cube root is far from normal."""
    assert Laplace.of(cells_in(((247, 42, 2, 76), NEWS[1]))) is None
    assert Laplace.of(cells_in(NEWS)) is not None


def test_a_wrong_mean_is_noticed() -> None:
    """The mean comes from other rules, so it finds an error that two depths of one rule share."""
    cells = cells_in(NEWS)
    delta, mean = Laplace.of(cells), mean_of(cells)
    assert delta is not None
    assert delta.posterior(mean) is not None
    assert delta.posterior(mean + 1e-4 * delta.spread) is None


def test_few_items_are_not_certain() -> None:
    """Two depths disagree, or δ may be anything."""
    delta = Laplace.of(cells_in(FEW))
    assert delta is not None
    assert delta.posterior(mean_of(cells_in(FEW))) is None


def of_recall(x: FloatArray, positive: tuple[int, ...]) -> FloatArray:
    """The density of a difference of recalls: of p − q, where p, q and the rest are Dirichlet, a single integral."""
    a, b = positive[1] + 0.35, positive[2] + 0.35
    rest = positive[0] + positive[3] + 0.7
    at, weight = np.polynomial.legendre.leggauss(400)
    low, high = np.maximum(0.0, -x), (1 - x) / 2
    q = low[:, None] + np.outer(high - low, (at + 1) / 2)
    p = q + x[:, None]
    log_density = (a - 1) * np.log(p) + (b - 1) * np.log(q) + (rest - 1) * np.log1p(-p - q)
    norm = gammaln(a + b + rest) - gammaln([a, b, rest]).sum()
    return np.asarray(np.exp(log_density + norm) @ weight * (high - low) / 2)


def off(posterior: Smooth, positive: tuple[int, ...]) -> float:
    """By how much a density of a difference of recalls is wrong, in units of the largest."""
    x = posterior.mean + posterior.sd * np.linspace(-5, 5, 61)
    true = of_recall(x, positive)
    return float(np.abs(posterior.pdf(x) - true).max() / true.max())


@pytest.mark.parametrize("positive", [(30, 10, 10, 24), (60, 15, 12, 20), (100, 15, 15, 100), (1_900, 30, 22, 1_400)])
def test_few_disagreements_against_a_single_integral(positive: tuple[int, ...]) -> None:
    """The log of the density bends sharply in the middle, which a polynomial of a low degree does not follow."""
    posterior, _ = answered(cells_in((positive, NEGATIVE), "recall"))
    assert off(posterior, positive) < 1e-4


@pytest.mark.parametrize(
    ("guard", "positive"),
    [
        ("CLOSE", (13, 11, 10, 11)),
        ("ROUGH", (10, 10, 19, 34)),
        ("RIGHT", (15, 12, 10, 91)),
        ("DEPTH", (119, 10, 15, 145)),
        ("DEPTH", (172, 13, 10, 116)),
    ],
)
def test_what_is_refused_would_be_wrong(guard: str, positive: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check alone finds an error: of the depth, the polynomial, the mean, and where the density ends."""
    cells = cells_in((positive, NEGATIVE), "recall")
    delta = Laplace.of(cells)
    assert delta is not None
    assert delta.posterior(mean_of(cells)) is None
    allowed = laplace.CLOSE
    monkeypatch.setattr(laplace, guard, 1.0)
    wrong, _ = answered(cells)
    assert off(wrong, positive) > allowed


@pytest.mark.parametrize("table", [NEWS, WIDE, FEW])
@pytest.mark.parametrize("measure", ["f1", "jaccard", "accuracy"])
def test_derivatives_are_those_of_the_functions(table: Any, measure: str) -> None:
    """By differences across a small step: of the log density along the plane, of δ, and of their gradients."""
    delta = Laplace.of(cells_in(table, measure, cells=5.0))
    assert delta is not None
    rng = np.random.default_rng(1)
    axes, step = delta._axes, 1e-4
    y = delta._origin + axes @ rng.normal(size=axes.shape[1])
    moves = step * np.vstack([axes.T, -axes.T])
    size = len(moves) // 2

    def across(values: FloatArray) -> FloatArray:
        return np.asarray((values[:size] - values[size:]) / (2 * step))

    fall, curve = delta._fall(y[None])
    _, slope, bend = delta._delta(y[None])
    d, slopes, _ = delta._delta(y + moves)
    assert across(-delta.log_density((y + moves).T)) == pytest.approx(fall[0] @ axes, abs=1e-5)
    assert across(delta._fall(y + moves)[0] @ axes) == pytest.approx(axes.T @ curve[0] @ axes, abs=1e-5)
    assert across(d) == pytest.approx(slope[0] @ axes, abs=1e-6 * delta.spread)
    assert across(slopes @ axes) == pytest.approx(axes.T @ bend[0] @ axes, abs=1e-6 * delta.spread)


def moments_of_accuracy(blocks: Blocks) -> tuple[float, float]:
    """Mean and sd of the difference of accuracies: of a mean of two differences of Dirichlet variables."""
    of_mu, negative, positive = blocks
    share = of_mu / of_mu.sum()
    squares = share**2 + share * share[::-1] / (of_mu.sum() + 1)
    product = share.prod() * of_mu.sum() / (of_mu.sum() + 1)
    means, second = [], []
    for alpha, sign in ((negative, -1), (positive, 1)):
        total, one, other = alpha.sum(), alpha[1], alpha[2]
        means.append(sign * (one - other) / total)
        second.append(((one - other) ** 2 + one + other) / (total * (total + 1)))
    mean = float(share @ means)
    return mean, float(squares @ second + 2 * product * means[0] * means[1] - mean**2) ** 0.5


@pytest.mark.parametrize("cells", [0.35, 2.0, 20.0])
@pytest.mark.parametrize("positive", [(20, 12, 12, 20), (50, 12, 30, 50), (11, 16, 18, 14)])
def test_the_spread_of_accuracy_is_exact(positive: tuple[int, ...], cells: float) -> None:
    """Also if κ moves δ by nothing at the means: it multiplies what the other variables do."""
    table = positive, positive
    posterior, _ = answered(cells_in(table, "accuracy", cells=cells))
    mean, sd = moments_of_accuracy(blocks_of(table, cells=cells))
    assert posterior.mean == pytest.approx(mean, abs=2e-5 * sd)
    assert posterior.sd == pytest.approx(sd, rel=3e-5)


@pytest.mark.parametrize("along", [1.0, -1.0])
def test_the_variables_of_a_surface_are_along_it(along: float) -> None:
    """Also where its normal is an axis of the plane, in whose units the variables are."""
    delta = Laplace.of(cells_in(WIDE))
    assert delta is not None
    size = delta._axes.shape[1]
    slope = np.vstack([along * np.eye(size)[:1], np.arange(1.0, size + 1)[None]])
    curve = np.stack([np.diag(np.arange(1.0, size + 1)), np.eye(size) + 0.5])
    surface = Surface.of(delta, np.zeros(2), np.zeros((2, size)), slope, curve)
    assert surface is not None
    inverse = np.linalg.pinv(delta._axes)
    for k in range(2):
        normal, t = inverse @ surface.normal[:, k], inverse @ surface.tangent[:, k]
        assert normal == pytest.approx(slope[k] / np.linalg.norm(slope[k]))
        assert normal @ t == pytest.approx(np.zeros(size - 1), abs=1e-12)
        assert t.T @ curve[k] @ t == pytest.approx(np.eye(size - 1), abs=1e-12)


@pytest.mark.parametrize(("more", "known"), [(200, True), (320, False)])
def test_the_density_at_0_is_not_asked_for_very_far_out(more: int, known: bool) -> None:
    """At 14 standard deviations it is, at 19 it is not."""
    positive = (500, 20 + more, 20, 500)
    cells = cells_in((positive, NEGATIVE), "recall")
    delta = Laplace.of(cells)
    assert delta is not None
    found = delta.posterior(mean_of(cells))
    assert found is not None
    true = float(of_recall(np.zeros(1), positive)[0])
    assert found[1] == (pytest.approx(true, rel=2e-3) if known else None)


def test_kappa_is_taken_at_its_mean() -> None:
    """Under a prior of many items κ is far from 1, and δ at the means of all variables is nearly its mean."""
    table = (20, 12, 14, 20), (200, 60, 30, 200)
    cells = cells_in(table, "accuracy", cells=20.0)
    delta = Laplace.of(cells)
    assert delta is not None
    mean, sd = moments_of_accuracy(blocks_of(table, cells=20.0))
    assert delta.centre == pytest.approx(mean, abs=0.02 * sd)
    assert delta.spread == pytest.approx(sd, rel=0.05)
    posterior, _ = answered(cells)
    assert posterior.mean == pytest.approx(mean, abs=2e-5 * sd)
    assert posterior.sd == pytest.approx(sd, rel=3e-5)


@pytest.mark.parametrize("items", [1e4, 1e6, 1e8, 1e9])
def test_the_spread_of_accuracy_is_exact_for_any_number_of_items(items: float) -> None:
    """No sum of logarithms is as large as the number of items, of which rounding would be left."""
    table = [np.array(share) * items for share in ((0.2, 0.05, 0.1, 0.2), (0.1, 0.12, 0.05, 0.18))]
    cells = cells_in(table, "accuracy")
    delta = Laplace.of(cells)
    assert delta is not None
    found = delta.posterior(mean_of(cells))
    assert found is not None
    mean, sd = moments_of_accuracy(blocks_of(table))
    assert found[0].mean == pytest.approx(mean, abs=2e-5 * sd)
    assert found[0].sd == pytest.approx(sd, rel=2e-5)


def test_a_score_that_all_systems_share_has_no_density() -> None:
    """Their difference is 0: all that counts is how many items are positive."""
    cells = cells_of(blocks_of(WIDE), contingency_of, lambda c: c.support / c.total + 0 * c.hit)
    assert cells is not None
    assert cells[0].gain.shape == (2, 8)
    assert Laplace.of(cells[0]) is None


def test_points_without_a_density_give_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """A logarithm of a negative number is not certain."""
    monkeypatch.setattr(laplace, "SMALLEST", 1.0)
    cells = cells_in(LITTLE, "precision")
    delta = Laplace.of(cells)
    assert delta is not None
    assert delta.posterior(mean_of(cells)) is None


def test_a_default_comparison_of_many_disagreements_has_no_draws() -> None:
    """Hundreds of disagreements on either side, as in newsgroups."""
    for table in TABLES.values():
        found = exact_scores(blocks_of(table), contingency_of, resolve("f1"))
        assert found is not None
        assert found.difference is not None
        assert found.difference.mean == pytest.approx(mean_of(cells_in(table)), abs=1e-6)


def test_exchanging_two_systems_flips_every_number() -> None:
    """To the last bit, as with draws."""
    news = op.datasets.newsgroups()
    names = ["svm_l2", "nb_mult"]
    one, other = (
        op.compare(news.truth, {name: news.predictions[name] for name in order}, pos_label=8, rope=0.05)
        for order in (names, names[::-1])
    )
    assert one.signature.parts["engine"] == "exact"
    assert one.delta.mean == -other.delta.mean
    assert one.delta.sd == other.delta.sd
    assert one.delta.hdi == tuple(-end for end in other.delta.hdi[::-1])
    assert one.delta.p_less == other.delta.p_greater
