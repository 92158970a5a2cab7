"""Which prior a function of the whole table has: that of averages if the sizes of classes do not matter to it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import outperform as op
from outperform.data.contingency import FloatArray
from outperform.measures.of_counts import MEASURES, Measure
from outperform.models.reads import what_is_read


def recall(c: op.Contingency) -> FloatArray:
    return c.ratio(c.hit, c.support)


def jaccard(c: op.Contingency) -> FloatArray:
    return c.ratio(c.hit, c.support + c.predicted - c.hit)


OF_CLASSES: dict[str, Callable[[op.Contingency], FloatArray]] = {
    "mean": lambda c: jaccard(c).mean(axis=-1),
    "least": lambda c: recall(c).min(axis=-1),
    "median": lambda c: np.median(jaccard(c), axis=-1),
    "second": lambda c: np.sort(recall(c), axis=-1)[..., 1],
    "geometric": lambda c: recall(c).prod(axis=-1) ** (1 / c.hit.shape[-1]),
}
OF_ITEMS: dict[str, Callable[[op.Contingency], FloatArray]] = {
    "accuracy": lambda c: c.hit.sum(axis=-1) / c.total[..., 0],
    "errors": lambda c: 1 - c.hit.sum(axis=-1) / c.total[..., 0],
    "weighted": lambda c: (c.support * jaccard(c)).sum(axis=-1) / c.support.sum(axis=-1),
    "imbalance": lambda c: ((c.predicted - c.support) ** 2).sum(axis=-1) / c.total[..., 0] ** 2,
}


@pytest.mark.parametrize("name", [*OF_CLASSES, *OF_ITEMS])
def test_own_functions(name: str) -> None:
    form = (OF_CLASSES | OF_ITEMS)[name]
    expected = "classes" if name in OF_CLASSES else "table"
    assert what_is_read("multiclass", Measure(name, recall, multiclass=form)) == expected


def test_built_in_measures() -> None:
    found = {name: what_is_read("multiclass", m) for name, m in MEASURES.items() if m.multiclass and not m.own_function}
    right = {"accuracy": "right", "error_rate": "right"}
    assert found == right | {"balanced_accuracy": "classes", "mcc": "table", "kappa": "table"}
