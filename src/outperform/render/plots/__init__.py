"""Pictures by matplotlib: functions that take a result and axes and return the axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from outperform.base.errors import unknown
from outperform.render.plots.chains import autocorrelation, trace
from outperform.render.plots.difference import factor, margins, posterior
from outperform.render.plots.rows import check, forest, ranking, sensitivity
from outperform.render.plots.scores import densities, joint
from outperform.render.plots.shares import three_way
from outperform.render.plots.sizes import curve, plan
from outperform.render.plots.squares import confusion, confusion_difference, pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BAYES_TEST",
    "COMPARISON",
    "RANKING",
    "autocorrelation",
    "check",
    "confusion",
    "confusion_difference",
    "curve",
    "densities",
    "draw",
    "factor",
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
COMPARISON: Kinds = {
    "posterior": posterior,
    "factor": factor,
    "joint": joint,
    "margins": margins,
    "trace": trace,
    "autocorrelation": autocorrelation,
}
BAYES_TEST: Kinds = {**COMPARISON, "densities": densities}
RANKING: Kinds = {"ranking": ranking, "pairs": pairs}


def draw(r: Any, kinds: Kinds, kind: str, ax: Axes | None) -> Axes:
    """One kind of picture of a result, by its name."""
    if kind not in kinds:
        raise ValueError(unknown("kind", kind, kinds))
    drawn: Axes = kinds[kind](r, ax)
    return drawn
