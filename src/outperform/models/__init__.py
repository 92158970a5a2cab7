"""Models: functions from Counts to a Posterior, without randomness or state beyond their settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from outperform.base.errors import unknown
from outperform.data.counts import Counts
from outperform.models.base import Model
from outperform.models.folds import CrossValidated
from outperform.models.pairing import Paired, Unpaired
from outperform.models.units import BayesianBootstrap

__all__ = [
    "MODELS", "PAIRINGS", "BayesianBootstrap", "CrossValidated", "Model", "Paired", "Unpaired", "as_model",
    "drawing_order",
]  # fmt: skip


PAIRINGS: dict[str, type[Paired] | type[Unpaired]] = {"paired": Paired, "unpaired": Unpaired}
MODELS: dict[str, Callable[[], Model]] = {
    **PAIRINGS,
    "bootstrap": BayesianBootstrap,
}


def as_model(model: Any, counts: Counts, average: str | None = None) -> Model:
    """Return a model given by object or name; the default resamples whole units if there are any, and pairs if it can.

    Labels of one item are dependent, so for micro averages over labels whole items are resampled. Folds of a
    cross-validation test the same items repeatedly, so every model of folds is calibrated for that.
    """
    if model is None:
        whole = counts.units is not None or (counts.sets is not None and average == "micro")
        model = BayesianBootstrap() if whole else Paired() if counts.paired else Unpaired()
    elif isinstance(model, str):
        if model not in MODELS:
            raise ValueError(unknown("model", model, MODELS))
        model = MODELS[model]()
    elif not isinstance(model, Model):
        what = f"the class itself; write {model.__name__}()" if isinstance(model, type) else type(model).__name__
        raise TypeError(f"model must be a name or an op.Model such as op.Paired(), got {what}")
    taken: Model = CrossValidated(model) if counts.folds and not isinstance(model, CrossValidated) else model
    return taken


def drawing_order(model: Model, counts: Counts) -> list[int]:
    """Return the order in which classifiers are drawn; for a symmetric model it does not depend on the input order.

    If the model shows variables of Markov chains, the order is kept.
    """
    keep = not model.symmetric or model.shows_variables
    return list(range(len(counts.classifiers))) if keep else counts.canonical_order()
