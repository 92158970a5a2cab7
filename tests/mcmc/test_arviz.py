"""Results as ArviZ has them: groups, names, shapes and values, of exact draws; chains are in test_chains.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import outperform as op
from outperform.base.errors import need
from outperform.results import Result
from tests.later import later
from tests.mcmc.test_mcmc import (
    CLASSES,
    COUNTS,
    evidence_of,
    refusal,
)
from tests.tables import pair

plt = later("matplotlib.pyplot")

pytestmark = pytest.mark.usefixtures("few_draws")

TOTALS = op.Counts.from_totals({"IOB2": (1200, 1100, 1000), "IOBES": (1200, 1090, 1010)})
TWO = {"a": list("xyxxyzxy") * 9, "b": list("xxzxyzxz") * 9}


def compared(**settings: Any) -> op.Comparison:
    return op.compare(COUNTS, **{"rng": 0, "draws": 1_000} | settings)


def groups(data: Any) -> set[str]:
    """Names of the groups, in either generation of ArviZ."""
    return set(data.children) if hasattr(data, "children") else set(data.groups())


def names(data: Any, group: str = "posterior") -> set[str]:
    return {str(name) for name in data[group].data_vars}


def values(data: Any, name: str, group: str = "posterior") -> Any:
    return np.asarray(data[group][name])


def dims(data: Any, name: str, group: str = "posterior") -> tuple[str, ...]:
    return tuple(map(str, data[group][name].dims))


def along(data: Any, dim: str) -> list[str]:
    return [str(x) for x in np.asarray(data["posterior"][dim])]


def test_a_comparison() -> None:
    r = compared()
    data = r.to_arviz()
    assert groups(data) == {"posterior", "prior"}
    assert names(data) == {"score", "delta"}
    assert names(data, "prior") == {"delta"}
    assert dims(data, "score") == ("chain", "draw", "classifier")
    assert dims(data, "delta") == dims(data, "delta", "prior") == ("chain", "draw")
    assert along(data, "classifier") == ["a", "b"]
    assert values(data, "score").shape == (4, 250, 2)
    np.testing.assert_array_equal(values(data, "score").reshape(-1, 2), r.draws)
    np.testing.assert_array_equal(values(data, "delta").ravel(), r.draws[:, 0] - r.draws[:, 1])
    np.testing.assert_array_equal(values(data, "delta", "prior").ravel(), evidence_of(r).prior_delta)
    assert values(data, "delta", "prior").shape[0] == 4


@pytest.mark.parametrize(("draws", "shape"), [(1_002, (2, 501)), (1_001, (1, 1_001)), (8_000, (4, 2_000))])
def test_chains_are_of_equal_length(draws: int, shape: tuple[int, int]) -> None:
    data = compared(draws=draws).to_arviz()
    assert values(data, "delta").shape == shape
    assert values(data, "score").shape == (*shape, 2)


@pytest.mark.parametrize("draws", [1, 2, 4, 8])
def test_few_draws(draws: int) -> None:
    assert values(compared(draws=draws).to_arviz(), "delta").size == draws


def test_the_summary_of_arviz_is_ours() -> None:
    r = compared(draws=4_000)
    table = need("arviz", "mcmc").summary(r.to_arviz(), var_names=["delta", "score"])
    assert list(table.index) == ["delta", "score[a]", "score[b]"]
    numbers = [(r.delta.mean, r.delta.sd), (r.a.mean, r.a.sd), (r.b.mean, r.b.sd)]
    for row, (mean, sd) in zip(table.index, numbers, strict=True):
        assert float(table.loc[row, "mean"]) == pytest.approx(mean, abs=0.0011)
        assert float(table.loc[row, "sd"]) == pytest.approx(sd, abs=0.0011)


def test_a_prior_that_there_is_not() -> None:
    improper = compared(model=op.Paired("haldane")).to_arviz()
    assert groups(improper) == {"posterior"}
    weighed = op.compare([1, 0] * 30, {"a": range(60), "b": range(60, 0, -1)}, measure="roc_auc", rng=0, draws=400)
    assert groups(weighed.to_arviz()) == {"posterior"}
    rng = default_rng(0)
    scores = op.compare_scores({"a": rng.random(40), "b": rng.random(40)}, rng=0, draws=400)
    np.testing.assert_array_equal(values(scores.to_arviz(), "score").reshape(-1, 2), scores.draws)


def test_a_bayes_test() -> None:
    r = op.bayes_test(TOTALS, rng=0, draws=400)
    data = r.to_arviz()
    assert names(data) == {"score", "delta"}
    assert along(data, "classifier") == ["IOB2", "IOBES"]
    np.testing.assert_array_equal(values(data, "score").reshape(-1, 2), r.draws)


def test_an_estimate() -> None:
    r = op.estimate(COUNTS.select([0]), rng=0, draws=1_000)
    data = r.to_arviz()
    assert groups(data) == {"posterior"}
    assert names(data) == {"score"}
    assert values(data, "score").shape == (4, 250)
    assert r.evidence is not None
    np.testing.assert_array_equal(values(data, "score").ravel(), r.draws)
    assert values(data, "score").mean() == pytest.approx(r.mean)


def test_classes_one_by_one() -> None:
    rows = op.compare(CLASSES, TWO, average="per_class", rng=0, draws=400, model=op.Paired("uniform"))
    data = rows.to_arviz()
    assert groups(data) == {"posterior", "prior"}
    assert dims(data, "score") == ("chain", "draw", "classifier", "class")
    assert dims(data, "delta") == ("chain", "draw", "class")
    assert along(data, "class") == ["x", "y", "z"]
    assert along(data, "classifier") == ["a", "b"]
    assert values(data, "score").shape == (4, 100, 2, 3)
    for k, row in enumerate(rows):
        np.testing.assert_array_equal(values(data, "score")[..., k].reshape(-1, 2), row.draws)
        assert values(data, "delta")[..., k].mean() == pytest.approx(row.delta.mean)
    each = op.estimate(CLASSES, TWO["a"], average="per_class", rng=0, draws=400)
    scores = each.to_arviz()
    assert dims(scores, "score") == ("chain", "draw", "class")
    for k, one in enumerate(each):
        assert one.evidence is not None
        np.testing.assert_array_equal(values(scores, "score")[..., k].ravel(), one.draws)


def test_classes_called_by_numbers() -> None:
    rows = op.compare(COUNTS, average="per_class", rng=0, draws=400)
    assert along(rows.to_arviz(), "class") == ["0", "1"]


def test_a_ranking() -> None:
    r = op.rank(CLASSES, TWO | {"c": CLASSES}, average="macro", rng=0, draws=400)
    data = r.to_arviz()
    assert groups(data) == {"posterior"}
    assert dims(data, "score") == ("chain", "draw", "classifier")
    assert along(data, "classifier") == ["a", "b", "c"]
    np.testing.assert_array_equal(values(data, "score").reshape(-1, 3), r.draws)


def test_classifiers_may_be_called_anything() -> None:
    """Models of language are called org/model, which a tree of groups takes for a path."""
    counts = pair((30, 8, 3, 9), (5, 4, 7, 134), ("org/big", "a b::ü"))
    assert along(op.compare(counts, rng=0, draws=400).to_arviz(), "classifier") == ["org/big", "a b::ü"]
    model = op.PyMC(op.Unpaired(), sampler="metropolis")
    r = op.estimate(counts.select([0]), model=model, draws=40, rng=0)
    own = names(r.to_arviz())
    assert "score" in own
    assert len(own) == 4


def power() -> op.Power:
    return op.power(COUNTS, 100, rope=0.1, studies=10, rng=0, progress=False)


def plan() -> op.Plan:
    return op.plan(COUNTS, width=0.5, studies=100, rng=0, progress=False)


def three_way() -> op.ThreeWay:
    return op.compare_folds({"a": [0.8, 0.7, 0.9], "b": [0.7, 0.6, 0.9]}, runs=1)


@pytest.mark.parametrize("make", [power, plan, three_way])
def test_results_without_draws_of_a_posterior(make: Any) -> None:
    r: Result = make()
    assert refusal(r.to_arviz) == f"a {type(r).__name__} holds no draws of a posterior"


def test_results_that_were_read_back() -> None:
    test = op.BayesTest.from_dict(op.bayes_test(TOTALS, rng=0, draws=9).to_dict())
    assert "this comparison was read back without its draws" in refusal(test.to_arviz)


def test_the_trace_of_exact_draws() -> None:
    r = compared(rope=0.05)
    ax = r.plot_trace()
    drawn, running, zero = ax.lines
    np.testing.assert_array_equal(np.asarray(drawn.get_ydata()), r.draws[:, 0] - r.draws[:, 1])
    assert float(np.asarray(running.get_ydata())[-1]) == pytest.approx(r.delta.mean)
    assert np.asarray(zero.get_ydata()).tolist() == [0, 0]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("draw", "Δf1", "")
    assert len(ax.patches) == 1, "the ROPE"
    figure, own = plt.subplots()
    assert r.with_rope(None).plot_trace(own) is own
    assert len(own.patches) == 0
    plt.close(figure)
    plt.close("all")
