"""The benches of planning: exact posteriors are exact, HDIs without draws are theirs, plans are counted right."""

from __future__ import annotations

import numpy as np
import pytest
from bench.power import ENOUGH, MORE, Case, cases, exact
from numpy.random import SeedSequence, default_rng
from scipy.special import ndtri

from bench import planning, power
from outperform.data.contingency import FloatArray
from outperform.planning.expansion import first_order, second_order
from tests.quadrature import Pair

QUANTILE = float(ndtri(0.975))
GRID = list(cases(25, (500, 1_500)))  # 200 data sets


def named(case: Case) -> str:
    return f"{case.goal}-{case.model}"


def test_exact_hdis_of_pairs_are_those_of_an_independent_quadrature() -> None:
    case = GRID[0]
    for k in (0, 25):
        n = case.n[k : k + 1]
        pair = Pair(n[0, :4].tolist(), n[0, 4:].tolist(), nodes=6, prior=1.0, outcomes=1.0)
        ((low, high),), _ = exact("paired", n)
        assert pair.cdf(high) - pair.cdf(low) == pytest.approx(0.95, abs=1e-5)
        assert pair.pdf(high) / pair.pdf(low) == pytest.approx(1, abs=3e-4)


def test_exact_hdis_without_pairing_hold_their_share_of_draws() -> None:
    case = GRID[1]
    ((low, high),), (sd,) = exact("unpaired", case.n[:1])
    rng, p, q = default_rng(0), case.n[0, :4], case.n[0, 4:]

    def f1(k: int) -> FloatArray:
        mu = rng.beta(p.sum() + 1, q.sum() + 1, 400_000)
        recall, alarm = (rng.beta(t[0] + t[k] + 1, t[3 - k] + t[3] + 1, 400_000) for t in (p, q))
        return np.asarray(2 * mu * recall / (mu + mu * recall + (1 - mu) * alarm))

    delta = f1(1) - f1(2)
    assert np.mean((delta > low) & (delta < high)) == pytest.approx(0.95, abs=0.0012)
    assert sd == pytest.approx(delta.std(), rel=0.005)
    near = [np.mean(np.abs(delta - end) < 0.1 * sd) for end in (low, high)]
    assert near[0] == pytest.approx(near[1], rel=0.05)


@pytest.mark.parametrize("case", GRID, ids=named)
def test_hdis_without_draws_are_exact_ones(case: Case) -> None:
    (right, sd), batch = exact(case.model, case.n), case.judge.batch
    assert batch is not None

    def difference(weights: FloatArray) -> FloatArray:
        scored = case.judge.question.score(batch.contingency(weights))
        return np.asarray(scored[:, 0] - scored[:, 1])

    for order, error in ((first_order, 0.01), (second_order, 0.002)):
        ends = order(difference, batch.weights(case.n), QUANTILE)
        assert (np.abs(np.column_stack([ends.low, ends.high]) - right) < error * sd[:, None]).all()


@pytest.mark.parametrize("case", GRID, ids=named)
def test_the_judge_has_exact_hdis_but_for_a_few_from_draws(case: Case) -> None:
    right, sd = exact(case.model, case.n)
    off = np.abs(np.column_stack(case.judge.hdis(case.n, SeedSequence(0))) - right).max(axis=1) / sd
    assert np.count_nonzero(off > 0.01) <= 1
    assert off.max() < 0.1


@pytest.mark.parametrize("model", ENOUGH)
def test_more_nodes_change_nothing(model: str) -> None:
    n = GRID[0].n[::10]
    (few, sd), (many, _) = (exact(model, n, nodes) for nodes in (ENOUGH, MORE))
    np.testing.assert_allclose(few, many, atol=2e-4 * float(sd.min()))


def test_the_bench_says_what_was_run() -> None:
    rows = {row.what: row for row in power.bench(studies=4, part=7)}
    speed, goal, *_ = rows
    assert "112 data sets" in speed
    assert "timed on 16, scaled up" in speed
    assert "0 of 112 differ" in goal
    assert "of 16 differ" in goal


def test_plans_that_are_followed_are_counted() -> None:
    tally = planning.follow("precise", planning.prior_world, 2)
    assert tally.followed == 2
    assert 0 <= tally.reached <= 2
    assert "of 2 (beside 0 pilots" in str(tally)


def test_worlds_of_the_prior_are_those_of_the_model() -> None:
    rng = default_rng(0)
    shares = np.array([planning.prior_world(rng) for _ in range(20_000)])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(shares.mean(axis=0), 1 / 8, atol=0.003)
    np.testing.assert_allclose(shares[:, :4].sum(axis=1).var(), 1 / 12, atol=0.002)
