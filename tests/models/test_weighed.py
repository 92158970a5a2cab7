"""Scores of documents and of label sets as an expansion, against scores under weights of all units."""

from __future__ import annotations

from math import sqrt
from typing import Any, cast

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng
from scipy import stats

import outperform as op
from outperform.inference.question import CountQuestion
from outperform.models.expansion import CERTAIN
from outperform.models.weighed import Weighed

pytestmark = pytest.mark.usefixtures("few_draws")

CLASSES = 4
MANY, FEW = 2_000, 30  # units
DRAWS = 33_000  # under weights of all units; those of the expansion cost little
MORE = 10
ERRORS = 5  # Monte-Carlo errors
KINDS = [("documents", "micro"), ("documents", "samples"), ("label sets", "micro"), ("label sets", "samples")]
MEASURES = "f1", "precision", "jaccard"


def documents(rng: Generator, number: int) -> op.Counts:
    """Return chunks of documents of unequal sizes, which are easy or hard as a whole."""
    truth: list[list[str]] = []
    said: dict[str, list[list[str]]] = {"a": [], "b": []}
    for size in rng.geometric(0.2, number):
        true, ease = rng.integers(0, CLASSES, size), rng.beta(3, 1)
        truth.append([f"B-{x}" for x in true])
        for name, share in (("a", 1.0), ("b", 0.95)):
            found = np.where(rng.random(size) < share * ease, true, rng.integers(-1, CLASSES, size))
            said[name].append([f"B-{x}" if x >= 0 else "O" for x in found])
    return op.Counts.from_chunks(truth, said)


def label_sets(rng: Generator, number: int, *, by_item: bool) -> op.Counts:
    """Return sets of labels, some of which are empty."""
    truth = rng.random((number, CLASSES)) < 0.2
    ease = rng.beta(3, 1, (number, 1))
    said = {
        name: np.where(rng.random(truth.shape) < share * ease, truth, rng.random(truth.shape) < 0.1)
        for name, share in (("a", 1.0), ("b", 0.95))
    }
    return op.Counts.from_label_sets(truth.astype(int), {k: v.astype(int) for k, v in said.items()}, by_item=by_item)


def counts_of(kind: str, average: str, number: int) -> op.Counts:
    rng = default_rng(number)
    return documents(rng, number) if kind == "documents" else label_sets(rng, number, by_item=average == "samples")


def asked(kind: str, average: str, measure: str, number: int) -> tuple[Weighed, CountQuestion]:
    counts = counts_of(kind, average, number)
    question = CountQuestion.check(measure, average, counts, None, draws=None, rng=1)
    posterior = op.BayesianBootstrap().posterior(counts).reduced(question.average, question.measure)
    return cast(Weighed, posterior), question


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("kind", "average"), KINDS)
def test_the_influence_of_a_unit_is_the_derivative_by_its_weight(kind: str, average: str, measure: str) -> None:
    posterior, question = asked(kind, average, measure, 60)
    whole = posterior.whole
    number, step = whole.kinds, 1e-5
    up, down = (question.score(whole.weighed(number[:, None] + side * step * np.eye(len(number)))) for side in (1, -1))
    moves = whole.influence(question.score)
    assert moves is not None
    np.testing.assert_allclose(moves, (up - down) / (2 * step), rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(number @ moves, 0, atol=1e-8)  # the unit of the weights does not matter


@pytest.mark.parametrize(("kind", "average"), KINDS)
def test_quantiles_are_those_of_draws_of_all_weights(kind: str, average: str) -> None:
    posterior, question = asked(kind, average, "f1", MANY)
    drawn = posterior.expanded(question.score, draws=MORE * DRAWS, seed=SeedSequence(1))
    assert drawn is not None
    known = posterior.scores(question.score, draws=DRAWS, seed=SeedSequence(2))
    for of in ([1, -1], [1, 0], [0, 1]):
        ours, theirs = drawn @ of, known @ of
        for q in (0.025, 0.5, 0.975):
            error = sqrt((1 + 1 / MORE) * q * (1 - q) / DRAWS) / stats.norm.pdf(stats.norm.ppf(q))
            assert abs(np.quantile(ours, q) - np.quantile(theirs, q)) / theirs.std() < ERRORS * error + CERTAIN


@pytest.mark.parametrize(("kind", "average"), KINDS)
def test_few_units_are_drawn(kind: str, average: str) -> None:
    posterior, question = asked(kind, average, "f1", FEW)
    assert posterior.expanded(question.score, draws=100, seed=SeedSequence(1)) is None


@pytest.mark.parametrize(("kind", "average"), KINDS)
def test_answers_say_how_they_were_computed(kind: str, average: str) -> None:
    def signature(number: int, **settings: Any) -> str:
        r = op.compare(counts_of(kind, average, number), average=average, rng=1, **settings)
        assert isinstance(r, op.Comparison)
        return r.signature

    assert "engine:expansion" in signature(MANY)
    for other in (signature(MANY, draws=2_000), signature(MANY, engine="draws"), signature(FEW)):
        assert "expansion" not in other


@pytest.mark.parametrize(("kind", "average"), KINDS)
def test_exchanging_systems_mirrors_the_difference(kind: str, average: str) -> None:
    counts = counts_of(kind, average, MANY)
    r, swapped = (op.compare(counts.select(order), average=average, rng=1) for order in ([0, 1], [1, 0]))
    assert isinstance(r, op.Comparison)
    assert isinstance(swapped, op.Comparison)
    assert (swapped.delta.mean, swapped.delta.hdi) == (-r.delta.mean, (-r.delta.hdi[1], -r.delta.hdi[0]))
