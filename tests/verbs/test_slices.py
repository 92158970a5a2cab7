"""Slices that learn from each other: against quadrature, and their precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import betaln

import outperform as op
from outperform.data.contingency import FloatArray
from outperform.models.multilabel import _learned, labels_posterior
from outperform.models.partial import partial_spread
from outperform.models.priors import Pooled

pytestmark = pytest.mark.usefixtures("few_draws")


def by_quadrature(hits: FloatArray, items: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Beta-binomial slices from a pool, or uniform ones alone: posterior mean and sd of each proportion, mean of √ρ.

    Over a fine grid of m and √ρ.
    """
    tau, m = (np.arange(800) + 0.5) / 800, (np.arange(400) + 0.5) / 400
    weight, omega = (1 / tau**2 - 1)[:, None, None], 1 / (len(items) + 1)
    a, b = weight * m[:, None], weight * (1 - m)[:, None]
    pool = np.log(1 - omega) + betaln(a + hits, b + items - hits) - betaln(a, b)
    alone = np.log(omega) + betaln(1 + hits, 1 + items - hits)
    either = np.logaddexp(pool, alone)
    like = either.sum(axis=-1) - 0.5 * np.log(m * (1 - m))
    posterior = np.exp(like - like.max())
    posterior /= posterior.sum()
    mean, square = np.zeros(len(items)), np.zeros(len(items))
    for one, other, share in ((a, b, np.exp(pool - either)), (1.0, 1.0, np.exp(alone - either))):
        first = (one + hits) / (one + other + items)
        second = first * (one + hits + 1) / (one + other + items + 1)
        mean += (posterior[..., None] * share * first).sum(axis=(0, 1))
        square += (posterior[..., None] * share * second).sum(axis=(0, 1))
    return mean, np.sqrt(square - mean**2), float((posterior.sum(axis=1) * tau).sum())


@pytest.mark.parametrize(
    "hits",
    [[3, 30, 55, 130, 260], [1, 40, 20, 190, 90], [5, 24, 51, 125, 249], [5, 24, 90, 125, 249]],
    ids=["alike", "apart", "the same", "one alone"],
)
def test_proportions_are_those_of_quadrature(hits: list[int]) -> None:
    items = np.array([10.0, 50, 100, 250, 500])
    counts = np.array([hits, items - hits], dtype=np.float64)
    mean, sd, tau = by_quadrature(counts[0], items)
    spread = partial_spread(counts)(default_rng(0), 40_000)
    a, b = spread + counts[..., None]
    first = a / (a + b)
    drawn = default_rng(1).beta(a, b)
    # if W and who stands alone are learned, m is fixed at its mean: that may cost 4% of the uncertainty, 5% of its sd
    assert (np.abs(first.mean(axis=1) - mean) < 4 * first.std(axis=1) / 200 + 0.04 * sd).all()
    assert drawn.std(axis=1) == pytest.approx(sd, rel=0.05)
    block = _learned(counts, np.array([[True], [False]]), Pooled(learn=True), 1.0)
    yes, no = block.draw(default_rng(2), 40_000).reshape(2, len(items), -1)  # as labels are drawn
    assert (yes / (yes + no)).std(axis=1) == pytest.approx(sd, rel=0.05)
    weight = np.ma.masked_equal(spread.sum(axis=0), 2.0).max(axis=0)  # of the slices that do not stand alone
    assert np.sqrt(1 / (1 + weight)).mean() == pytest.approx(tau, abs=0.02)


def table(seed: int = 0) -> op.Counts:
    """Three slices, the first of few items, drawn from one population."""
    rng, sizes = default_rng(seed), [60, 600, 2_000]
    by = np.repeat(["few", "some", "many"], sizes)
    truth = rng.random(len(by)) < 0.3
    a, b = (np.where(rng.random(len(by)) < p, truth, ~truth) for p in (0.95, 0.9))
    return op.Counts.from_labels(truth, {"a": a, "b": b}, by=by)


def sliced(counts: op.Counts, prior: str = "uniform") -> op.BySlice:
    found: Any = op.compare(counts, model=op.Paired(prior=prior), rng=0)
    assert isinstance(found, op.BySlice)
    return found


def test_few_items_learn_from_many() -> None:
    counts = table()
    alone, pooled = sliced(counts), sliced(counts, "partial")
    whole = op.compare(counts.together(), rng=0)
    assert pooled["few"].delta.sd < 0.6 * alone["few"].delta.sd
    assert pooled["many"].delta.sd == pytest.approx(alone["many"].delta.sd, rel=0.15)
    assert abs(pooled["few"].delta.mean - whole.delta.mean) < abs(alone["few"].delta.mean - whole.delta.mean)
    assert [row.items for row in pooled] == [60, 2_000, 600]
    assert "prior:partial" in pooled["few"].signature
    assert {row.class_ for row in pooled} == {None}


def test_a_slice_unlike_the_others_stands_alone() -> None:
    rng, by = default_rng(0), np.repeat(np.arange(12), 200)
    truth = rng.random(len(by)) < 0.5
    a, b = (np.where(rng.random(len(by)) < p, truth, ~truth) for p in (0.85, np.where(by == 5, 0.55, 0.85)))
    counts = op.Counts.from_labels(truth, {"a": a, "b": b}, by=by)
    alone, pooled = sliced(counts, "flat"), sliced(counts, "partial")
    assert pooled[5].delta.mean == pytest.approx(alone[5].delta.mean, abs=0.3 * alone[5].delta.sd)
    assert pooled[4].delta.sd < 0.6 * alone[4].delta.sd


def test_slices_are_to_the_model_what_labels_are() -> None:
    counts = table()
    grouped = counts.binary(True).as_groups()
    labels = op.compare(grouped, average="per_class", model=op.Paired(prior="partial"), rng=0)
    assert [row.delta for row in labels] == [row.delta for row in sliced(counts, "partial")]


def test_before_the_data_any_weight_goes() -> None:
    posterior = labels_posterior(table().binary(True).as_groups().empty(), Pooled(learn=True))
    drawn = posterior.contingency(default_rng(0), 2_000)
    assert np.isfinite(drawn.hit).all()
    assert drawn.support.mean() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("average", ["macro", None])
def test_where_there_is_nothing_to_learn_from(average: str | None) -> None:
    counts, rng = table(), default_rng(0)
    many = op.Counts.from_labels(rng.integers(0, 3, 90), {"a": rng.integers(0, 3, 90), "b": rng.integers(0, 3, 90)})
    with pytest.raises(ValueError, match=r"the partial prior learns from slices of one positive class \(by=\) or from"):
        op.compare(counts.together(), model=op.Paired(prior="partial"))
    with pytest.raises(ValueError, match="the partial prior learns from slices of one positive class"):
        op.compare(many, average=average or "micro", model=op.Paired(prior="partial"))


def test_slices_that_are_predictions_are_told() -> None:
    truth, svm, nb = ([*map(int, row)] * 20 for row in ("110010", "100110", "110000"))
    for by, told in ((svm, "svm"), (nb, "nb"), (truth, None), (["x", "y", "y"] * 40, None), (["x"] * 120, None)):
        r = op.compare(truth, {"svm": svm, "nb": nb}, measure="accuracy", by=by, rng=0, draws=100)
        start = f"The slices are the predictions of {told}, so they say little"
        assert [note.startswith(start) for note in r.notes] == ([True] if told else [])
