"""Models: from Counts to a Posterior. Pure: no randomness, no state beyond the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from outperform.counts import Counts
from outperform.errors import unknown
from outperform.models.folds import CrossValidated
from outperform.models.pairing import Paired, Unpaired
from outperform.models.units import BayesianBootstrap
from outperform.posterior import Posterior
from outperform.priors import Trend

__all__ = [
    "MODELS",
    "PAIRINGS",
    "BayesianBootstrap",
    "CrossValidated",
    "Model",
    "Paired",
    "Unpaired",
    "as_model",
    "drawing_order",
    "keeps_units",
    "learns",
    "settle",
    "weighs_alone",
]


class Model(Protocol):
    """Settings in, posterior out."""

    @property
    def name(self) -> str:
        """What tables and signatures call it."""
        ...

    @property
    def prior(self) -> object:
        """What is assumed before the data, as text and maybe more; None for what suits the number of classes."""
        ...

    @property
    def symmetric(self) -> bool:
        """Whether reordering the classifiers reorders the posterior and changes nothing else."""
        ...

    def posterior(self, counts: Counts) -> Posterior:
        """What is believed after these counts; after `counts.empty()`, the prior."""
        ...


PAIRINGS: dict[str, type[Paired] | type[Unpaired]] = {"paired": Paired, "unpaired": Unpaired}
MODELS: dict[str, Callable[[], Model]] = {**PAIRINGS, "bootstrap": BayesianBootstrap}


def as_model(model: Model | str | None, counts: Counts) -> Model:
    """Take a model by object or name; by default weigh what comes in units, and pair what can be paired.

    Folds of a cross-validation test the same items again and again, so any model of theirs is calibrated for that.
    """
    if model is None:
        model = BayesianBootstrap() if counts.units is not None else Paired() if counts.paired else Unpaired()
    elif isinstance(model, str):
        if model not in MODELS:
            raise ValueError(unknown("model", model, MODELS))
        model = MODELS[model]()
    elif isinstance(model, type) or not hasattr(model, "posterior"):
        what = f"the class itself; write {model.__name__}()" if isinstance(model, type) else type(model).__name__
        raise TypeError(f"model must be a name or have a method posterior, got {what}")
    return CrossValidated(model) if counts.folds and not isinstance(model, CrossValidated) else model


def drawing_order(model: Model, counts: Counts) -> list[int]:
    """In which order classifiers are drawn: where that changes nothing, one that is the same however they were given.

    Variables of Markov chains are shown, so there the order stays.
    """
    keep = not model.symmetric or getattr(model, "shows_variables", False)
    return list(range(len(counts.classifiers))) if keep else counts.canonical_order()


def learns(model: Model) -> bool:
    """Whether classes learn from each other under the model's prior."""
    return bool(getattr(model.prior, "shares", False))


def weighs_alone(model: Model) -> bool:
    """Whether units are weighed and nothing else is assumed."""
    return bool(getattr(model, "weighs_units", False)) and not learns(model)


def keeps_units(model: Model) -> bool:
    """Whether the posterior weighs units, which must then not be added up beforehand."""
    return isinstance(model.prior, Trend) or bool(getattr(model, "weighs_units", False))


def settle(model: Model, counts: Counts, *, averages: bool = True) -> Model:
    """The same model with the prior that it will take for these counts, so that a result can name it.

    `averages` says whether the score is an average over classes.
    """
    settled: Model = model.settled(counts, averages=averages) if hasattr(model, "settled") else model
    return settled
