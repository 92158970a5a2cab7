"""Scores of many weighted units as an expansion, against scores under weights of all units."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import stats

import outperform as op
from outperform.measures.scorers import Scorer, area_under_roc, means, precision_of_ranking, side_by_side
from outperform.models.expansion import CERTAIN, expand
from outperform.models.posterior import in_blocks
from outperform.models.weights import ItemWeights

Array = NDArray[Any]
ERRORS = 4  # Monte-Carlo errors
DRAWS = 12_000


def two_systems(rng: Generator, n: int, share: float = 0.3) -> tuple[Array, Array, Array]:
    y = rng.random(n) < share
    first = rng.normal(size=n) + y
    return y, first, 0.6 * first + 0.6 * rng.normal(size=n) + 0.3 * y


def curve(part: Callable[..., Scorer], *, digits: int = 12) -> Callable[..., Scorer]:
    return lambda y, *systems: side_by_side([[part(y, x.round(digits))] for x in systems])


SCORERS: dict[str, Callable[..., Scorer]] = {
    "means": lambda _, *systems: means(np.stack(systems)),
    "skewed means": lambda _, *systems: means(np.exp(systems)),
    "roc_auc": curve(area_under_roc),
    "roc_auc, ties": curve(area_under_roc, digits=0),
    "average_precision": curve(precision_of_ranking),
    "average_precision, ties": curve(precision_of_ranking, digits=0),
}


@pytest.mark.parametrize("share", [0.2, 0.8])
@pytest.mark.parametrize("name", SCORERS)
def test_the_influence_of_a_row_is_the_derivative_by_its_weight(name: str, share: float) -> None:
    rng = default_rng(0)
    score = SCORERS[name](*two_systems(rng, 60, share))
    weights, step = rng.gamma(2, size=60), 1e-6
    up, down = (score(weights[:, None] + side * step * np.eye(60)) for side in (1, -1))
    np.testing.assert_allclose(score.influence(weights), ((up - down) / (2 * step)).T, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(score.influence(weights) @ weights, 0, atol=1e-12)  # the unit does not matter


@pytest.mark.parametrize(
    ("name", "n"), [("means", 1_500), ("skewed means", 5_000), ("roc_auc", 4_000), ("average_precision", 20_000)]
)
def test_quantiles_are_those_of_draws_of_all_weights(name: str, n: int) -> None:
    score, weights = SCORERS[name](*two_systems(default_rng(n), n)), ItemWeights.alone(np.ones(n))
    expansion = expand(score, score.influence(weights.number).T, weights, SeedSequence(1))
    assert expansion is not None
    drawn = expansion.draw(default_rng(2), 40 * DRAWS)
    draws = DRAWS if n < 10_000 else DRAWS // 6
    known = in_blocks(lambda rng, size: score(weights.draw(rng, size)), n, draws=draws, seed=SeedSequence(3))
    for of in ([1, -1], [1, 0], [0, 1]):
        ours, theirs = drawn @ of, known @ of
        for q in (0.025, 0.5, 0.975):
            density = stats.norm.pdf(stats.norm.ppf(q))
            error = sqrt(q * (1 - q) / draws) / density
            assert abs(np.quantile(ours, q) - np.quantile(theirs, q)) / theirs.std() < ERRORS * error + CERTAIN


def test_the_stated_error_is_that_of_the_fit_at_the_ends() -> None:
    """What the trials do not tell varies with the seed, most of all far from the middle."""
    x = default_rng(4).normal(size=(3, 1_000))
    moves = (x - x.mean(axis=1, keepdims=True)) / sqrt(1_000)  # sums of variance 1

    def score(rows: Array) -> Array:
        """A sum, and a product of two others, of which it tells nothing."""
        sums = moves @ rows
        return np.asarray((sums[0] + 0.04 * sums[1] * sums[2])[:, None])

    units, end = ItemWeights.alone(np.ones(1_000)), stats.norm.ppf(0.975)
    found = [expand(score, moves[:1].T, units, SeedSequence(seed)) for seed in range(200)]
    used = [expansion for expansion in found if expansion is not None]
    ends = [float(e.start[0] + e.bend[0, 0, 0] * (end**2 - 1)) for e in used]
    assert len(used) > 150
    # Two standard errors of the fit, of which a sample of so many has this error, and a little for other reasons.
    two = 2 * np.std(ends) * (1 - ERRORS / sqrt(2 * len(used)))
    assert two <= np.mean([e.error for e in used]) <= 2 * two


def near_copies(rng: Generator) -> tuple[Scorer, int]:
    y, first, _ = two_systems(rng, 2_000)
    second = first.copy()
    second[:20] += 1.0
    return SCORERS["means"](y, first, second), 2_000


def one_outlier(rng: Generator) -> tuple[Scorer, int]:
    y, first, second = two_systems(rng, 2_000)
    return SCORERS["means"](y, first, np.append(second[1:], 1e4)), 2_000


def few_positives(rng: Generator) -> tuple[Scorer, int]:
    y, first, second = two_systems(rng, 2_000, 0.01)
    return SCORERS["roc_auc"](y, first, second), 2_000


def few_items(rng: Generator) -> tuple[Scorer, int]:
    return SCORERS["means"](*two_systems(rng, 30)), 30


def constants(rng: Generator) -> tuple[Scorer, int]:
    return SCORERS["means"](None, np.ones(2_000), rng.permutation(np.ones(2_000))), 2_000


@pytest.mark.parametrize("world", [near_copies, one_outlier, few_positives, few_items, constants])
def test_there_is_no_expansion_where_it_would_be_wrong(world: Callable[[Generator], tuple[Scorer, int]]) -> None:
    score, n = world(default_rng(5))
    weights = ItemWeights.alone(np.ones(n))
    assert expand(score, score.influence(weights.number).T, weights, SeedSequence(1)) is None


def test_more_trials_are_made_only_where_they_replace_many_draws() -> None:
    score, weights = SCORERS["roc_auc"](*two_systems(default_rng(0), 1_200)), ItemWeights.alone(np.ones(1_200))
    few, many = (
        expand(score, score.influence(weights.number).T, weights, SeedSequence(1), draws) for draws in (20_000, 33_333)
    )
    assert few is None
    assert many is not None
    assert many.error <= CERTAIN
    drawn = many.draw(default_rng(2), 40 * DRAWS) @ [1, -1]
    known = in_blocks(lambda rng, size: score(weights.draw(rng, size)), 1_200, draws=DRAWS, seed=SeedSequence(3))
    theirs = known @ [1, -1]
    for q in (0.025, 0.975):
        error = sqrt(q * (1 - q) / DRAWS) / stats.norm.pdf(stats.norm.ppf(q))
        assert abs(np.quantile(drawn, q) - np.quantile(theirs, q)) / theirs.std() < ERRORS * error + CERTAIN


def test_a_tiny_difference_of_two_scores_is_not_lost() -> None:
    rng = default_rng(6)
    _, first, _ = two_systems(rng, 3_000)
    moved = 1e-9 * rng.normal(1, 1, 3_000)
    score, weights = means(np.stack([first + moved, first])), ItemWeights.alone(np.ones(3_000))
    expansion = expand(score, score.influence(weights.number).T, weights, SeedSequence(1))
    assert expansion is not None
    delta = expansion.draw(default_rng(2), 50_000) @ [1, -1]
    assert delta.std() == pytest.approx(moved.std() / sqrt(3_000), rel=ERRORS / sqrt(2 * 50_000))
    assert delta.mean() == pytest.approx(moved.mean(), abs=ERRORS * delta.std() / sqrt(50_000))


def test_clusters_are_expanded_whole() -> None:
    rng = default_rng(7)
    cluster = rng.permutation(np.repeat(np.arange(1_000), 3))
    shared = rng.normal(size=1_000)[cluster]
    two = {"a": shared + rng.normal(size=3_000), "b": 0.5 * shared + rng.normal(size=3_000)}
    ours = op.compare_scores(two, cluster=cluster, rope=0.1, rng=0)
    drawn = op.compare_scores(two, cluster=cluster, rope=0.1, rng=1, draws=20_000)
    assert "engine:expansion" in ours.signature
    assert "engine" not in drawn.signature
    assert ours.delta.sd == pytest.approx(drawn.delta.sd, rel=ERRORS / sqrt(2 * 20_000))
    assert ours.delta.mean == pytest.approx(drawn.delta.mean, abs=ERRORS * drawn.delta.sd / sqrt(20_000))


def test_exchanging_systems_or_items_changes_nothing_else() -> None:
    rng = default_rng(8)
    y, first, second = two_systems(rng, 4_000)
    order = rng.permutation(4_000)
    r = op.compare(y, {"a": first, "b": second}, measure="roc_auc", rope=0.01, rng=3)
    swapped = op.compare(y, {"b": second, "a": first}, measure="roc_auc", rope=0.01, rng=3)
    again = op.compare(y[order], {"a": first[order], "b": second[order]}, measure="roc_auc", rope=0.01, rng=3)
    assert "engine:expansion" in r.signature
    assert (swapped.delta.mean, swapped.delta.hdi) == (-r.delta.mean, (-r.delta.hdi[1], -r.delta.hdi[0]))
    assert again.delta == r.delta
    assert again.signature == r.signature
