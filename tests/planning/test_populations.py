"""Where the items of studies come from, and many data sets judged at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

import outperform as op
from outperform.data.cells import NOT_RUN
from outperform.inference.question import CountQuestion
from outperform.measures.of_counts import MEASURES, MeasureFunction, resolve
from outperform.models import BayesianBootstrap, Model, Paired, Unpaired
from outperform.models.batch import Batch
from outperform.models.dirichlet import DirichletPosterior
from outperform.planning.expansion import first_order, second_order
from outperform.planning.judging import Judge
from outperform.planning.populations import Population
from outperform.verdicts.goals import Goal
from tests.quadrature import Pair
from tests.tables import FIVE, pair

Array = NDArray[np.float64]
OUTCOMES = st.tuples(*[st.integers(0, 30)] * 4)
ODD = op.Dirichlet(1.5, mu=(2, 3), positive=(1, 2, 3, 4), negative=0.5)
ALONE = op.Dirichlet(0.7, mu=(2, 3), positive=(3, 1), negative=0.5)
PAIR = pair(*FIVE["200 items"])
Y, A, B = [1, 0] * 50, [1, 0] * 40 + [0, 0] * 10, [1, 0] * 30 + [0, 1] * 20
APART = op.Counts.from_test_sets({"a": (Y, A), "b": (Y[:60], B[:60])})
GOLD = [["B-PER", "O"], ["O", "B-LOC"], ["B-LOC", "I-LOC"], ["O", "O"]] * 10
TAGGED = {
    "a": [["B-PER", "O"], ["O", "O"], ["B-LOC", "I-LOC"], ["O", "B-PER"]] * 10,
    "b": [["O", "O"], ["O", "B-LOC"], ["B-LOC", "O"], ["O", "O"]] * 10,
}
CHUNKS = op.Counts.from_chunks(GOLD, TAGGED, unit="chunk")
SENTENCES = op.Counts.from_chunks(GOLD, TAGGED)
TOTALS = op.Counts.from_totals({"a": (120, 110, 100), "b": (120, 108, 101)})
SETS = op.Counts.from_label_sets(
    [{"x"}, {"x", "y"}, set(), {"y"}] * 5,
    {"a": [{"x"}, {"x"}, set(), {"y"}] * 5, "b": [{"x"}, {"y"}, {"y"}, set()] * 5},
)


def cells_of(counts: op.Counts) -> dict[tuple[int, ...], float]:
    group = counts.group if counts.groups else np.zeros(len(counts.n), dtype=np.int64)
    rows = np.column_stack([group, counts.truth, counts.predictions]).tolist()
    found = dict(zip(map(tuple, rows), counts.n.tolist(), strict=True))
    assert len(found) == len(counts.n)
    return found


@settings(max_examples=25)
@given(positive=OUTCOMES, negative=OUTCOMES)
def test_a_pair_has_eight_cells_zeros_too(positive: Any, negative: Any) -> None:
    if not sum(positive) + sum(negative):
        return
    counts = pair(positive, negative)
    cells = cells_of(counts.listed())
    assert set(cells) == {(0, t, x, y) for t in (0, 1) for x in (0, 1) for y in (0, 1)}
    for truth, four in ((1, positive), (0, negative)):
        assert [cells[0, truth, x, y] for x, y in ((1, 1), (1, 0), (0, 1), (0, 0))] == list(four)


@pytest.mark.parametrize(
    ("counts", "number"),
    [(APART, 4 + 4), (CHUNKS, 2 * 7), (CHUNKS.untyped().binary("all"), 7), (TOTALS, 3 + 3), (SETS, 2 * 8)],
    ids=["unpaired", "types", "one type", "totals", "labels"],
)
def test_every_possible_cell_is_listed_once(counts: op.Counts, number: int) -> None:
    listed = counts.listed()
    cells = cells_of(listed)
    assert len(cells) == number
    assert {cell: n for cell, n in cells.items() if n} == cells_of(counts)
    nobody = [cell for cell in cells if 1 not in cell[1:]]
    assert bool(nobody) is not counts.no_true_negatives
    for one, other in zip(*(astuple(c.contingency()) for c in (listed, counts)), strict=True):
        np.testing.assert_array_equal(one, other)


def astuple(c: op.Contingency) -> tuple[Array, ...]:
    return c.hit, c.support, c.predicted, c.total


def test_not_everything_can_be_listed() -> None:
    three = op.Counts.from_labels([0, 1, 2], {"a": [0, 1, 1], "b": [0, 2, 2]})
    assert three.listed() is three
    assert SENTENCES.listed() is SENTENCES


def test_resized_items() -> None:
    listed = pair(*FIVE["20 items"]).listed()
    n = np.array([0.0, 3, 1, 0, 2, 7, 0, 5])
    resized = listed.resized(n)
    assert cells_of(resized) == {cell: k for cell, k in zip(cells_of(listed), n.tolist(), strict=True) if k}


def sentences(number: Sequence[int]) -> op.Counts:
    """The first four sentences, each so often."""
    rows = np.repeat(np.arange(4), number).tolist()
    guesses = {name: [tags[k] for k in rows] for name, tags in TAGGED.items()}
    return op.Counts.from_chunks([GOLD[k] for k in rows], guesses, types=["LOC", "PER"])


def test_resized_units_are_counts_of_so_many_units() -> None:
    counted = sentences([1, 2, 3, 4])
    assert counted.units is not None
    which = counted.units.astype(int) - 1  # the number of its kind tells a sentence
    wanted = np.array([3, 0, 5, 1])
    resized = counted.resized(wanted[which].astype(float))
    assert resized.items == 9
    assert resized.merged().same_cells(sentences([3, 0, 5, 1]))


PRIORS: list[Any] = ["uniform", "jeffreys", "haldane", 2.5]
MODELS: list[tuple[Model, op.Counts]] = [
    *((Paired(prior), PAIR) for prior in (*PRIORS, ODD)),
    *((Unpaired(prior), counts) for counts in (PAIR, APART) for prior in (*PRIORS, ALONE)),
    *((Unpaired(prior), TOTALS) for prior in PRIORS),
    *((model(prior), CHUNKS) for model in (Paired, Unpaired) for prior in PRIORS),
    (BayesianBootstrap(), PAIR),
]


@pytest.mark.parametrize(("model", "cells"), MODELS, ids=str)
def test_weights_are_the_models_own(model: Model, cells: op.Counts) -> None:
    listed = cells.listed()
    batch = Batch.of(model.posterior, listed)
    assert batch is not None
    improper = isinstance(model.prior, op.Dirichlet) and model.prior.cells == 0
    n = default_rng(0).integers(1 if improper else 0, 40, (20, len(listed.n))).astype(float)
    found = batch.weights(n)
    for k, row in enumerate(n):
        posterior = model.posterior(replace(listed, n=row))
        assert isinstance(posterior, DirichletPosterior)
        np.testing.assert_allclose(found[:, k], np.concatenate(posterior.blocks), atol=1e-9)


def test_weights_of_a_pair_by_hand() -> None:
    """Beta(n₋ + 1, n₊ + 1), Dir(counts + 1) twice: SIGIR'16 §3.1.2, the negative class first."""
    positive, negative = FIVE["200 items"]
    listed = pair(positive, negative).listed()
    batch = Batch.of(Paired("uniform").posterior, listed)
    assert batch is not None
    expected = [sum(negative), sum(positive), *negative, *positive]
    np.testing.assert_allclose(batch.weights(listed.n[None])[:, 0], np.array(expected) + 1)


def test_no_weights_where_the_posterior_has_no_blocks() -> None:
    three = op.Counts.from_labels([0, 1, 2], {"a": [0, 1, 1], "b": [0, 2, 2]})
    assert Batch.of(Paired("pooled").posterior, three) is None
    assert Batch.of(Paired("pooled").posterior, pair(*FIVE["20 items"])) is None
    assert Batch.of(BayesianBootstrap().posterior, SENTENCES) is None


def products(listed: op.Counts, prior: float) -> tuple[Array, Array]:
    """Mean and variance of μ·θ for each cell of a table: those of products of independent Betas."""
    mean, variance = np.zeros((2, len(listed.n)))
    run = [tuple(row) for row in (listed.predictions != NOT_RUN).tolist()]
    for k, (truth, own) in enumerate(zip(listed.truth, run, strict=True)):
        same = np.array([other == own for other in run])
        inside = same & (listed.truth == truth)
        total, of_class, cells = listed.n[same].sum(), listed.n[inside].sum(), inside.sum()
        mu = stats.beta(of_class + prior, total - of_class + prior)
        theta = stats.beta(listed.n[k] + prior, of_class - listed.n[k] + (cells - 1) * prior)
        mean[k] = mu.mean() * theta.mean()
        variance[k] = (mu.var() + mu.mean() ** 2) * (theta.var() + theta.mean() ** 2) - mean[k] ** 2
    return mean, variance


@pytest.mark.parametrize("prior", [1.0, 0.5, 3.0])
@pytest.mark.parametrize(
    "counts", [pair(*FIVE["20 items"]), pair(*FIVE["lopsided"]), APART], ids=["20", "lop", "apart"]
)
def test_worlds_have_the_moments_of_products_of_betas(counts: op.Counts, prior: float) -> None:
    listed, model = counts.listed(), Paired(prior) if counts.paired else Unpaired(prior)
    batch, draws = Batch.of(model.posterior, listed), 20_000
    assert batch is not None
    mean, variance = products(listed, prior)
    np.testing.assert_allclose(batch.shares(batch.weights(listed.n[None]))[0], mean, rtol=1e-9)
    worlds = batch.worlds(listed.n, default_rng(3), draws)
    assert worlds.shape == (draws, len(listed.n))
    assert (np.abs(worlds.mean(axis=0) - mean) < 5 * np.sqrt(variance / draws)).all()
    squares = (worlds - mean) ** 2
    assert (np.abs(squares.mean(axis=0) - variance) < 5 * squares.std(axis=0) / np.sqrt(draws)).all()


def test_worlds_of_what_is_found_are_dirichlet() -> None:
    listed = CHUNKS.listed()
    batch, draws = Batch.of(Paired("uniform").posterior, listed), 20_000
    assert batch is not None
    alpha = listed.n + 0.5  # λ = 1 shared out between the two cells of a pair that make up one of its own
    mean = alpha / alpha.sum()
    variance = mean * (1 - mean) / (alpha.sum() + 1)
    worlds = batch.worlds(listed.n, default_rng(4), draws)
    assert (np.abs(worlds.mean(axis=0) - mean) < 5 * np.sqrt(variance / draws)).all()
    np.testing.assert_allclose(worlds.sum(axis=1), 1)


@pytest.mark.parametrize("prior", [0.001, 0.1])
def test_worlds_of_a_class_that_was_not_seen_are_worlds(prior: float) -> None:
    """Gammas of tiny weights are 0 all together; their shares are still shares."""
    listed = pair((0, 0, 0, 0), (1, 20, 3, 50)).listed()
    batch = Batch.of(Paired(prior).posterior, listed)
    assert batch is not None
    worlds = batch.worlds(listed.n, default_rng(0), 500)
    assert np.isfinite(worlds).all()
    np.testing.assert_allclose(worlds.sum(axis=1), 1)


POPULATIONS = {
    "supposed": Population.supposed(op.Scenario(0.3, (0.5, 0.2, 0.2, 0.1), (0.1, 0.1, 0.2, 0.6)).counts()),
    "pilot": Population.after(PAIR, Paired("uniform")),
    "mean": Population.like(PAIR, Paired("uniform"), mean=True),
    "labels": Population.like(SETS, Paired("pooled"), mean=True),
    "sentences": Population.like(SENTENCES, BayesianBootstrap(), mean=True),
}
SIZES = [1, 2, 50, 51, 1000, 100_000]


@pytest.mark.parametrize("population", POPULATIONS)
def test_studies_grow_by_whole_items_to_their_sizes(population: str) -> None:
    own, rng = POPULATIONS[population], default_rng(5)
    grown = own.grow(rng, own.worlds(rng, 30), SIZES)
    assert grown.shape == (len(SIZES), 30, len(own.pilot))
    labels = len(own.cells.groups) if own.cells.groups and own.cells.units is None else 1
    np.testing.assert_array_equal(grown.sum(axis=-1), np.repeat(SIZES, 30).reshape(-1, 30) * labels)
    assert (np.diff(grown, axis=0, prepend=0) >= 0).all()
    np.testing.assert_array_equal(grown, np.rint(grown))


@pytest.mark.parametrize("population", ["supposed", "mean", "labels", "sentences"])
def test_items_come_up_as_often_as_their_world_says(population: str) -> None:
    own, rng, studies, size = POPULATIONS[population], default_rng(6), 2_000, 40
    shares = own.worlds(rng, studies)
    p = shares[0] / shares[0].sum() * (len(own.cells.groups) if population == "labels" else 1)
    n = own.grow(rng, shares, [10, size])[-1]
    assert (np.abs(n.mean(axis=0) - size * p) <= 5 * np.sqrt(size * p * (1 - p) / studies) + 1e-9).all()
    np.testing.assert_allclose(n.var(axis=0), size * p * (1 - p), rtol=0.25)


def test_test_sets_keep_their_shares() -> None:
    """One hundred and sixty items."""
    own, rng = Population.like(APART, Unpaired("uniform"), mean=True), default_rng(7)
    grown = own.grow(rng, own.worlds(rng, 20), [16, 160, 1600])
    first = own.cells.predictions[:, 0] != NOT_RUN
    np.testing.assert_array_equal(grown[..., first].sum(axis=-1), np.repeat([[10], [100], [1000]], 20, axis=1))
    np.testing.assert_array_equal(grown[..., ~first].sum(axis=-1), np.repeat([[6], [60], [600]], 20, axis=1))


def test_two_equal_test_sets_add_up_to_the_size() -> None:
    own = Population.like(op.Counts.from_test_sets({"a": (Y, A), "b": (Y, B)}), Unpaired("uniform"), mean=True)
    rng = default_rng(8)
    grown = own.grow(rng, own.worlds(rng, 3), [1, 5, 7, 101]).sum(axis=-1)
    assert grown[:, 0].tolist() == [1, 5, 7, 101]


def judge_of(counts: op.Counts, measure: str, model: Model, goal: Goal, mass: float = 0.95) -> Judge:
    question = CountQuestion.check(measure, None, counts, None, draws=None, rng=0)
    return Judge(counts.listed(), question, model.settled(counts), goal, mass)


def test_only_smooth_measures_are_expanded() -> None:
    """Informedness of one's own is as good as the built-in one; a jump or a corner is not."""
    question = CountQuestion.check("f1", None, PAIR, None, draws=None, rng=0)

    def expanded(measure: MeasureFunction) -> bool:
        asked = replace(question, measure=resolve(measure))
        return Judge(PAIR.listed(), asked, Paired("uniform"), Goal.of("decided", (-0.1, 0.1)), 0.95).batch is not None

    assert expanded(lambda c: c.ratio(c.hit, c.support) - c.ratio(c.predicted - c.hit, c.total - c.support))
    assert not expanded(lambda c: np.where(c.ratio(c.hit, c.predicted) > 0.75, c.ratio(c.hit, c.support), 0.0))
    assert not expanded(lambda c: np.abs(c.ratio(c.hit, c.support) - 0.75))


def difference_of(batch: Batch, measure: str) -> Callable[[Array], Array]:
    def difference(weights: Array) -> Array:
        scored = MEASURES[measure](batch.contingency(weights))
        return np.asarray(scored[:, 0] - scored[:, 1])

    return difference


def tables(seed: int, number: int) -> Array:
    """Outcomes of pairs on 100 to 2,000 items that are neither all alike nor all different."""
    rng = default_rng(seed)
    shares = [rng.dirichlet([6, 2, 2, 6, 2, 1, 1, 8]) for _ in range(number)]
    n = [rng.multinomial(rng.integers(100, 2000), p) for p in shares]
    return np.array(n, dtype=float)


def as_pair(row: Array) -> op.Counts:
    return pair(row[:4].tolist(), row[4:].tolist())


@pytest.mark.parametrize("model", [Paired("uniform"), Unpaired("uniform")], ids=["paired", "unpaired"])
@pytest.mark.parametrize("measure", ["f1", "mcc", "accuracy"])
def test_hdis_by_expansion_are_those_of_many_draws(measure: str, model: Model) -> None:
    """Of 200,000 draws, whose HDI strays by less than 0.01 sd; and `error` says how far off the ends may be."""
    for row in tables(1, 3):
        counts = as_pair(row)
        judge = judge_of(counts, measure, model, Goal.of("decided", (-0.5, 0.5)))
        r = op.compare(counts, measure=measure, model=model, draws=200_000, rng=0)
        low, high = judge.hdis(judge.cells.n[None], SeedSequence(0))
        assert (low[0], high[0]) == pytest.approx(r.delta.hdi, abs=0.05 * r.delta.sd)
        assert judge.batch is not None
        weights = judge.batch.weights(judge.cells.n[None])
        for order in (first_order, second_order):
            ends = order(difference_of(judge.batch, measure), weights, float(ndtri(0.975)))
            assert (ends.low[0], ends.high[0]) == pytest.approx(r.delta.hdi, abs=ends.error[0] + 0.03 * r.delta.sd)


@pytest.mark.parametrize("table", ["200 items", "7,532 items"])
@pytest.mark.parametrize("mass", [0.95, 0.8])
def test_the_hdi_of_the_second_order_is_that_of_numerical_integration(table: str, mass: float) -> None:
    """It holds the mass, and the density is the same at both ends."""
    counts, exact = pair(*FIVE[table]), Pair(*FIVE[table], nodes=6, prior=1.0, outcomes=1.0)
    judge = judge_of(counts, "f1", Paired("uniform"), Goal.of("decided", (-0.5, 0.5)), mass)
    assert judge.batch is not None
    ends = second_order(
        difference_of(judge.batch, "f1"), judge.batch.weights(judge.cells.n[None]), float(ndtri((1 + mass) / 2))
    )
    low, high = float(ends.low[0]), float(ends.high[0])
    assert exact.cdf(high) - exact.cdf(low) == pytest.approx(mass, abs=2e-3)
    assert exact.pdf(low) == pytest.approx(exact.pdf(high), rel=0.03)


@pytest.mark.parametrize("model", [Paired("uniform"), Unpaired("uniform")], ids=["paired", "unpaired"])
def test_verdicts_are_those_of_compare(model: Model) -> None:
    """Wherever no end of the HDI is near a border, and its middle not near that of the ROPE."""
    rows, rope = tables(2, 35), (-0.08, 0.05)
    goal = Goal.of("decided", rope)
    judge = judge_of(as_pair(np.ones(8)), "f1", model, goal)
    order = [*cells_of(judge.cells)]
    where = [order.index((0, t, x, y)) for t in (1, 0) for x, y in ((1, 1), (1, 0), (0, 1), (0, 0))]
    n = np.zeros_like(rows)
    n[:, where] = rows
    low, high = judge.hdis(n, SeedSequence(0))
    names = goal.outcomes(low, high)
    assert names is not None
    told = 0
    for k, row in enumerate(rows):
        r = op.compare(as_pair(row), model=model, rope=rope, draws=20_000, rng=k)
        assert (low[k], high[k]) == pytest.approx(r.delta.hdi, abs=0.12 * r.delta.sd)
        near = min(abs(end - border) for end in r.delta.hdi for border in rope)
        if min(near, abs(sum(r.delta.hdi) - sum(rope)) / 2) > 0.1 * r.delta.sd:
            assert r.decision is not None
            assert r.decision.name == names[k]
            told += 1
    assert told > 25
    assert len(set(names.tolist())) >= 4
