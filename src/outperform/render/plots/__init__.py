"""Pictures by matplotlib: functions that take a result and axes and return the axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from outperform.base.errors import unknown
from outperform.render.plots.chains import autocorrelation, trace
from outperform.render.plots.difference import factor, margins, posterior
from outperform.render.plots.figure import figure
from outperform.render.plots.rows import check, classes, forest, ranking, sensitivity, slices
from outperform.render.plots.scores import densities, joint
from outperform.render.plots.shares import three_way
from outperform.render.plots.sizes import curve, plan
from outperform.render.plots.squares import confusion, confusion_difference, pairs
from outperform.results import (
    BayesTest,
    BySlice,
    Comparison,
    Estimate,
    PerClass,
    Plan,
    Power,
    PredictiveCheck,
    Ranking,
    Result,
    Sensitivity,
    views,
)
from outperform.results.three_way import ThreeWay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "autocorrelation",
    "check",
    "confusion",
    "confusion_difference",
    "curve",
    "densities",
    "factor",
    "figure",
    "forest",
    "joint",
    "margins",
    "pairs",
    "plan",
    "posterior",
    "ranking",
    "sensitivity",
    "three_way",
    "trace",
]

Kinds = Mapping[str, Callable[..., Any]]


def draw(r: Any, ax: Axes | None = None, *, kind: str | None = None, kinds: Kinds) -> Axes:
    """One kind of picture of a result, by its name; by default the first."""
    kind = next(iter(kinds)) if kind is None else kind
    if kind not in kinds:
        raise ValueError(unknown("kind", kind, kinds))
    drawn: Axes = kinds[kind](r, ax)
    return drawn


COMPARISON: Kinds = {
    "posterior": posterior,
    "factor": factor,
    "joint": joint,
    "margins": margins,
    "trace": trace,
    "autocorrelation": autocorrelation,
}
PICTURES: Mapping[type, Kinds] = {
    Comparison: COMPARISON,
    BayesTest: {**COMPARISON, "densities": densities},
    Estimate: {"posterior": posterior},
    PerClass: {"classes": classes},
    BySlice: {"slices": slices},
    Sensitivity: {"priors": sensitivity},
    PredictiveCheck: {"check": check},
    Ranking: {"ranking": ranking, "pairs": pairs},
    Power: {"curve": curve},
    Plan: {"plan": plan},
    ThreeWay: {"shares": three_way},
}
views.figure.of(Result)(figure)
for kind_of_result, pictures in PICTURES.items():
    views.plot.of(kind_of_result)(partial(draw, kinds=pictures))
