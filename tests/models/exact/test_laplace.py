"""Differences without draws where no cell is small: against quadrature of another kind, draws, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence

import outperform as op
from outperform.measures.of_counts import resolve
from outperform.models.binary import contingency_of
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.exact import exact_scores, laplace
from outperform.models.exact.difference import Difference
from outperform.models.exact.laplace import Laplace
from outperform.models.exact.ratio import Cells, cells_of
from outperform.models.exact.separate import OneScore
from outperform.models.exact.smooth import Smooth

Blocks = tuple[Any, ...]

NEWS = (247, 42, 33, 76), (24, 69, 60, 6981)  # outcomes 11, 10, 01 and 00 of positive and of negative items
WIDE = (520, 90, 60, 130), (75, 180, 160, 2_400)
FAR = (280, 36, 32, 49), (10, 274, 15, 6_836)
FEW = (17, 10, 10, 17), (10, 10, 17, 18)
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
