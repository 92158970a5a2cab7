"""Where studies are judged by draws, what is looked at in parts, and what a plan may not say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.special import ndtri
from scipy.stats import beta

import outperform as op
from outperform.data.contingency import Contingency, FloatArray
from outperform.inference.question import CountQuestion
from outperform.measures.of_counts import MEASURES, resolve
from outperform.models.batch import Batch
from outperform.models.posterior import Posterior
from outperform.planning.expansion import first_order, in_parts, second_order
from outperform.planning.judging import Judge
from outperform.planning.populations import Population
from outperform.verdicts.goals import Goal
from tests.tables import pair

TRUTH = op.Scenario.from_scores(0.75, 0.68, prevalence=0.3, agreement=0.9)
CELLS = TRUTH.counts()


def judge(measure: Any = "f1", mass: float = 0.95, **own: Any) -> Judge:
    question = CountQuestion.check(measure, None, CELLS, draws=None, rng=0)
    return Judge(CELLS, question, own.get("model", op.Paired("uniform")), Goal.of("better", (-0.05, 0.05)), mass)


def cornered(c: Contingency) -> FloatArray:
    recall = c.ratio(c.hit, c.support)
    return (recall > 0.7) * 0.5 + recall / 2


def test_a_measure_with_corners_is_drawn_whether_it_has_a_name_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MEASURES, "cornered", resolve(cornered))  # as the decorator would, until the test ends
    assert judge("cornered").batch is None
    assert judge(cornered).batch is None
    assert judge(lambda c: c.tp - 5 * c.fp).batch is not None
    assert judge(op.f_beta(3)).batch is not None


@dataclass(frozen=True)
class Discounted(op.Model):
    """At most so many items count."""

    most: float = 300.0
    name = "discounted"
    prior = op.Uniform()
    symmetric = True

    def posterior(self, counts: op.Counts) -> Posterior:
        factor = min(1.0, self.most / counts.n.sum())
        return op.Paired(self.prior).posterior(replace(counts, n=factor * counts.n))


def test_a_model_whose_weights_are_not_linear_in_the_counts_is_drawn() -> None:
    assert Batch.of(op.Paired("uniform").posterior, CELLS) is not None
    assert Batch.of(Discounted().posterior, CELLS) is None
    few, many = (
        op.power(TRUTH, 2_000, "better", rope=0.01, studies=60, rng=0, model=Discounted(m)) for m in (300, 1e9)
    )
    assert few.points[0].reached < many.points[0].reached / 2


@pytest.mark.parametrize("seed", range(4))
def test_what_is_open_is_never_called_done(seed: int) -> None:
    """The HDI's lower end all but on the border: other draws might have it beyond."""
    r = op.compare(pair((50, 20, 3, 10), (6, 4, 9, 98)), rng=seed)
    r = r.with_rope(r.delta.hdi[0] + 1e-5)
    assert r.decision is not None
    assert not r.decision.decided
    assert r.more_data(studies=50).further > 0


@pytest.mark.parametrize("order", [first_order, second_order])
def test_parts_make_the_whole(order: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    j = judge()
    assert j.batch is not None
    weights = j.batch.weights(default_rng(0).multinomial(300, CELLS.n, 40).astype(np.float64))
    difference = partial(j._difference, j.batch)
    whole = order(difference, weights, 1.96)
    monkeypatch.setattr("outperform.planning.expansion.MOST_NUMBERS", 3 * len(weights) ** 3)
    parts = in_parts(order, difference, weights, 1.96)
    for name in ("low", "high", "error"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12)


@pytest.mark.parametrize("mass", [0.5, 0.9, 0.99, 0.999])
def test_ends_of_longer_and_shorter_hdis(mass: float) -> None:
    """Against the exact HDI of a difference that is one Beta: recall of one classifier, of the other 0."""
    j, quantile = judge("recall", mass), float(ndtri((1 + mass) / 2))

    def one(gammas: FloatArray) -> FloatArray:
        return np.asarray(gammas[0] / gammas.sum(axis=0))

    for a, b in ((20.0, 30.0), (50.0, 50.0), (400.0, 40.0)):
        law = beta(a, b)
        grid = np.linspace(0, 1 - mass, 20_001)[1:-1]
        width = law.ppf(grid + mass) - law.ppf(grid)
        low = float(law.ppf(grid[np.argmin(width)]))
        for order in (first_order, second_order):
            ends = order(one, np.array([[a], [b]]), quantile)
            assert abs(ends.low[0] - low) < ends.error[0] + 1e-4 * law.std()
            assert abs(ends.high[0] - low - width.min()) < ends.error[0] + 1e-4 * law.std()
    assert j._sure > 4


def test_types_of_chunk_are_drawn_as_they_come() -> None:
    gold = [["B-A"]] * 60 + [["B-B"]] * 4
    counts = op.Counts.from_chunks(gold, {"a": gold, "b": [["B-A"]] * 50 + [["O"]] * 10 + gold[60:]}, unit="chunk")
    population = Population.after(counts, op.Paired("uniform"))
    rng = default_rng(0)
    grown = population.grow(rng, population.worlds(rng, 400), [640])[0]
    rare = grown[:, population.cells.group == population.cells.groups.index("B")].sum(axis=1)
    assert rare.std() > 5


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (op.Paired("haldane"), "the prior has no weight where there are no items of a class"),
        ("bootstrap", "the bootstrap cannot resample a class that has no items; use model="),
    ],
)
def test_a_pilot_that_has_no_posterior_gets_the_sentence_of_compare(model: Any, sentence: str) -> None:
    pilot = op.Counts.from_labels([0] * 50, {"p": [1] * 3 + [0] * 47, "q": [1] * 8 + [0] * 42}, labels=[0, 1])
    with pytest.raises(ValueError, match=sentence):
        op.plan(pilot, rope=0.05, model=model)
    with pytest.raises(ValueError, match=sentence):
        op.power(pilot, 100, rope=0.05, model=model)


def test_equal_tables_have_an_hdi_about_nothing() -> None:
    j = replace(judge(), goal=Goal.of("decided", (-0.05, 0.05)))
    low, high = j.hdis(np.array([[3.0, 1, 1, 2, 1, 1, 1, 3]]), SeedSequence(0))
    assert low[0] == -high[0] < 0


def test_more_of_what_cannot_be_asked() -> None:
    with pytest.raises(ValueError, match=r"100 studies do not tell a probability of 0.999; give more as studies="):
        op.plan(TRUTH, "better", rope=0.01, power=0.999, studies=100)
    with pytest.raises(ValueError, match=r"mass 0.9999999999999999 is too near to 1 to plan with"):
        op.power(TRUTH, 100, rope=0.05, mass=1 - 1e-16)
    with pytest.raises(ValueError, match="sizes are whole numbers of items between 1 and 1,000,000,000, got '100'"):
        op.power(TRUTH, "100", rope=0.05)  # type: ignore[arg-type]
    assert op.power(TRUTH, np.array(100), rope=0.05, studies=10, rng=0).points[0].items == 100


def test_a_goal_that_no_possible_world_allows() -> None:
    pilot = pair((300, 80, 3, 9), (5, 4, 70, 134))
    with pytest.raises(ValueError, match=r"is below -0.3 in none of 10,000 possible worlds"):
        op.power(pilot, 1_000, "worse", rope=0.3, at="posterior", studies=20, rng=0)


def test_signatures_tell_plans_apart() -> None:
    settings: dict[str, Any] = {"studies": 50, "rng": 0}
    plans = [op.plan(TRUTH, width=w, power=p, **settings) for w, p in ((0.1, 0.8), (0.08, 0.8), (0.1, 0.5))]
    assert len({plan.signature for plan in plans}) == 3


def test_two_test_sets_are_counted_together_and_it_is_said() -> None:
    apart = op.Counts.from_confusion({"a": [[60, 10], [5, 45]], "b": [[58, 12], [9, 41]]})
    assert "both test sets together" in op.plan(apart, width=0.1, studies=50, rng=0).to_text()
