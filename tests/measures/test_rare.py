"""Rankings of a rare class, against scikit-learn with a weight per item and against a bootstrap of all items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics

import outperform as op
from outperform.data.input import Input
from outperform.inference.item_reading import weighings
from outperform.inference.item_study import ItemStudy

Array = NDArray[Any]
SCORES = {"roc_auc": metrics.roc_auc_score, "average_precision": metrics.average_precision_score}


def data(items: int, rare: int, *, ties: bool = False, swapped: bool = False) -> tuple[Array, dict[str, Array]]:
    """Items of which few are positive, or few are negative; with ties, scores are rounded."""
    rng = default_rng(items + rare)
    truth = (rng.permutation(items) < rare).astype(int)
    sign = -1 if swapped else 1
    scores = {name: sign * (truth * gap + rng.normal(size=items)) for name, gap in (("a", 1.0), ("b", 1.3))}
    return truth ^ swapped, {name: np.round(score, 1) if ties else score for name, score in scores.items()}


def study(measure: str, truth: Array, outputs: dict[str, Array], **asked: Any) -> ItemStudy:
    settings: Any = {"model": None, "labels": None, "pos_label": 1, "draws": 4_000, "rng": 0, "zero_division": 0}
    found = weighings(Input(truth, outputs), settings | {"measure": measure} | asked)
    return found[0]


@pytest.mark.parametrize(
    ("measure", "swapped", "ties"),
    [("roc_auc", False, False), ("roc_auc", True, False), ("roc_auc", False, True), ("average_precision", False, True)],
)
def test_rows_have_the_scores_of_all_their_items(measure: str, swapped: bool, ties: bool) -> None:
    truth, outputs = data(3_000, 12, swapped=swapped, ties=ties)
    found = study(measure, truth, outputs)
    kinds = len(found.rows.n)
    assert kinds < 500
    assert found.rows.n.sum() == len(truth)
    # The row of an item: the same rare items are below it and no higher, or it is a rare item itself.
    rare = truth != swapped
    kind: dict[Any, float] = {}
    weights = default_rng(1).exponential(size=len(truth))

    def place(is_rare: bool, *scores: float) -> tuple[Any, ...]:
        if is_rare:
            return scores
        below = [
            ((outputs[name][rare] < x).sum(), (outputs[name][rare] <= x).sum())
            for name, x in zip("ab", scores, strict=True)
        ]
        return (-1, *below)

    rows = list(zip(rare.tolist(), outputs["a"].tolist(), outputs["b"].tolist(), weights.tolist(), strict=True))
    for is_rare, a, b, weight in rows:
        key = place(is_rare, a, b)
        kind[key] = kind.get(key, 0.0) + weight
    assert len(kind) == kinds
    of_rows = zip((found.rows.truth != swapped).tolist(), *(x.tolist() for x in found.rows.outputs), strict=True)
    summed = np.array([kind[place(*row)] for row in of_rows])
    expected = [SCORES[measure](truth, outputs[name], sample_weight=weights) for name in "ab"]
    assert found.scorer(summed[:, None])[0] == pytest.approx(expected, abs=1e-12)


def test_draws_are_those_of_all_items() -> None:
    truth, outputs = data(1_000, 9)
    found = study("roc_auc", truth, outputs)
    assert len(found.rows.n) < 200
    drawn, rng = found.by_weights(4_000, np.random.SeedSequence(1)), default_rng(2)
    wins = [outputs[name][truth == 1][:, None] > outputs[name][truth == 0] for name in "ab"]
    positive, negative = (rng.dirichlet(np.ones(n), 4_000) for n in (9, 991))
    plain = np.stack([np.einsum("dp,pn,dn->d", positive, win, negative, optimize=True) for win in wins], axis=1)
    for one, other in ((drawn, plain), (drawn @ [[1], [-1]], plain @ [[1], [-1]])):
        for mine, theirs in zip(one.T, other.T, strict=True):
            assert stats.ks_2samp(mine, theirs).pvalue > 1e-4
    assert np.cov(drawn.T) == pytest.approx(np.cov(plain.T), abs=0.1 * plain.var(axis=0).max())


def test_verdicts_of_a_rare_class_do_not_depend_on_the_order() -> None:
    truth, outputs = data(2_000, 15)
    order = default_rng(3).permutation(len(truth))
    one = op.compare(truth, outputs, measure="roc_auc", rope=0.01, rng=0)
    other = op.compare(truth[order], {k: outputs[k][order] for k in "ab"}, measure="roc_auc", rope=0.01, rng=0)
    turned = op.compare(truth, {k: outputs[k] for k in "ba"}, measure="roc_auc", rope=0.01, rng=0)
    assert one.delta == other.delta
    assert one.delta.hdi == pytest.approx((-turned.delta.hdi[1], -turned.delta.hdi[0]), abs=1e-12)


@pytest.mark.parametrize("asked", [{}, {"model": op.BayesianBootstrap(cluster=np.arange(1_000) // 2)}])
def test_other_items_stay_as_they_are(asked: dict[str, Any]) -> None:
    truth, outputs = data(1_000, 9 if asked else 200)
    found = study("roc_auc", truth, outputs, **asked)
    assert found.rows is found.items
    negative = study("average_precision", *data(1_000, 9, swapped=True))
    assert negative.rows is negative.items


def test_systems_that_rank_alike_are_no_copies() -> None:
    truth, outputs = data(1_000, 9)
    r = op.compare(truth, {"a": outputs["a"], "b": np.exp(outputs["a"])}, measure="roc_auc", rope=0.01, draws=60, rng=0)
    assert not any("put out the same" in note for note in r.notes)
