"""Averages over classes of items that come in units: documents with chunks, and clusters of items."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

import outperform as op
from outperform.inference.question import CountQuestion
from outperform.models.unseen import Unseen
from outperform.planning.judging import Judge
from outperform.verdicts.goals import Goal

DRAWS = 8_000
ERRORS = 5 * sqrt(0.5 / DRAWS * 2)  # of a ratio of two standard deviations
DOCUMENTS, SIZE, CLASSES = 30, 12, 5

pytestmark = pytest.mark.usefixtures("few_draws")


def documents() -> tuple[Any, Any, Any]:
    """Return the document, the class and two predictions of each item: documents are easy or hard as a whole."""
    rng = default_rng(4)
    document = np.repeat(np.arange(DOCUMENTS), SIZE)
    truth = rng.integers(0, CLASSES, len(document))
    ease = rng.beta(2, 1, DOCUMENTS)[document]
    two = {
        name: np.where(rng.random(len(truth)) < ease, truth, (truth + rng.integers(1, CLASSES, len(truth))) % CLASSES)
        for name in "ab"
    }
    return document, truth, two


def of_items(prior: str, cluster: Any, data: tuple[Any, Any, Any]) -> op.Comparison:
    model = op.BayesianBootstrap(cluster=cluster, prior=prior)
    r = op.compare(*data[1:], model=model, average="macro", draws=DRAWS, rng=1)
    assert isinstance(r, op.Comparison)
    return r


def of_chunks(prior: str) -> op.Comparison:
    document, truth, two = documents()

    def tags(said: Any) -> list[list[str]]:
        return [[f"B-{label}" for label in said[document == k]] for k in range(DOCUMENTS)]

    counts = op.Counts.from_chunks(tags(truth), {name: tags(said) for name, said in two.items()})
    r = op.compare(counts, model=op.BayesianBootstrap(prior=prior), average="macro", draws=DRAWS, rng=2)
    assert isinstance(r, op.Comparison)
    return r


def spreads(r: op.Comparison) -> Any:
    return np.array([r.a.sd, r.b.sd, r.delta.sd])


@pytest.mark.parametrize("prior", ["trend", "haldane"])
def test_chunks_of_documents_are_items_in_clusters(prior: str) -> None:
    data = documents()
    assert spreads(of_chunks(prior)) == pytest.approx(spreads(of_items(prior, data[0], data)), rel=ERRORS)


@pytest.mark.parametrize("prior", ["trend", "haldane"])
def test_few_units_have_the_allowance_for_unobserved_ones(prior: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = documents()
    allowed = [spreads(of_chunks(prior)), spreads(of_items(prior, data[0], data))]
    monkeypatch.setattr(Unseen, "draw", lambda _, __, draws: np.zeros((draws, 2)))
    assert (allowed[0] > (1 + ERRORS) * spreads(of_chunks(prior))).all()
    assert (allowed[1] > (1 + ERRORS) * spreads(of_items(prior, data[0], data))).all()


@pytest.mark.parametrize("prior", ["trend", "haldane"])
def test_plans_draw_what_comparisons_draw(prior: str) -> None:
    r = of_chunks(prior)
    pilot = r._evidence()
    assert pilot.counts is not None
    assert isinstance(pilot.question, CountQuestion)
    wanted = Goal.asked(None, (-0.01, 0.01), None)
    judge = Judge(pilot.counts, pilot.question, pilot.model, wanted, 0.95)
    drawn = judge.scores(judge.posterior(pilot.counts), DRAWS, SeedSequence(5))
    found = np.array([*drawn.std(axis=0), (drawn[:, 0] - drawn[:, 1]).std()])
    assert found == pytest.approx(spreads(r), rel=ERRORS)


def test_items_each_in_a_cluster_of_its_own_are_items() -> None:
    data = documents()
    every = spreads(of_items("trend", np.arange(DOCUMENTS * SIZE), data))
    plain = op.compare(*data[1:], model=op.Paired(prior="trend"), average="macro", draws=DRAWS, rng=3)
    assert isinstance(plain, op.Comparison)
    assert every == pytest.approx(spreads(plain), rel=ERRORS)


def test_items_without_any_label_say_nothing_about_micro_averages() -> None:
    """The score could be anything: the next item with a label decides."""
    nothing = np.zeros((30, 2), dtype=int)
    r = op.compare(nothing, {"a": nothing, "b": nothing}, labels=["x", "y"], average="micro", rope=0.01, rng=0)
    alone = op.estimate(nothing, nothing, labels=["x", "y"], average="micro", rng=0)
    assert isinstance(r, op.Comparison)
    assert isinstance(alone, op.Estimate)
    assert r.delta.hdi == pytest.approx((-1, 1), abs=0.1)
    assert alone.hdi == pytest.approx((0, 1), abs=0.1)
    assert r.decision is not None
    assert not r.decision.decided
