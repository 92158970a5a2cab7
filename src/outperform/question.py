"""What is asked of the counts, checked once: measure, averaging, draws, seed, mass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.random import SeedSequence

import outperform
from outperform.contingency import FloatArray
from outperform.counts import Counts
from outperform.errors import unknown
from outperform.labels import Label, positive_label
from outperform.measures import Measure, MeasureFunction, resolve
from outperform.models import Model
from outperform.posterior import Posterior, Rng, as_seed, is_whole, scores
from outperform.summary import Interval

__all__ = ["AVERAGES", "DRAWS", "Question", "Settings", "as_counts", "draw"]

AVERAGES = ("binary", "per_class")
DRAWS = 50_000  # the papers'


class Settings(TypedDict, total=False):
    """The keywords that both verbs take, for their signatures."""

    measure: str | MeasureFunction
    pos_label: Label | None
    labels: Iterable[Label] | None
    model: Model | str | None
    mass: float
    draws: int
    zero_division: float
    rng: Rng


@dataclass(frozen=True)
class Question:
    """Everything but the data, the model and the ROPE."""

    measure: Measure
    average: str
    draws: int
    seed: int
    positive: Label | None = None

    @classmethod
    def ask(
        cls,
        measure: str | MeasureFunction,
        average: str,
        *,
        draws: int,
        rng: Rng,
        zero_division: float = 0.0,
    ) -> Question:
        """Check the settings."""
        if average not in AVERAGES:
            raise ValueError(unknown("average", average, AVERAGES))
        if not is_whole(draws) or draws < 1:
            raise ValueError(f"draws must be a whole number of at least 1, got {draws!r}")
        return cls(resolve(measure, zero_division), average, int(draws), as_seed(rng))

    @property
    def class_(self) -> Label | None:
        """The class that the answer is about, where there is an answer for each."""
        return self.positive if self.average == "per_class" else None

    def classes(self, counts: Counts, pos_label: Label | None) -> Iterable[Label]:
        """The classes to set against the rest: the positive one, or every one."""
        if self.average == "binary":
            return [positive_label(counts.labels, pos_label)]
        if pos_label is not None:
            raise ValueError('pos_label and average="per_class" exclude each other; leave one out')
        return counts.labels

    def header(self, model: Model, items: float, mass: float, rope: Interval | None = None) -> dict[str, Any]:
        """What every result says about how it was made."""
        return {
            "signature": self.signature(model, items, mass, rope),
            "measure": self.measure.name,
            "average": self.average,
            "model": model.name,
            "prior": str(model.prior),
            "items": items,
            "class_": self.class_,
        }

    def signature(self, model: Model, items: float, mass: float, rope: Interval | None = None) -> str:
        """Everything that could change the numbers, in one line."""
        parts = {
            "outperform": outperform.__version__,
            "numpy": np.__version__,
            "model": model.name,
            "prior": model.prior,
            "measure": self.measure.name,
            "average": self.average,
            "positive": self.positive,
            "zero_division": f"{self.measure.zero_division:g}",
            "draws": self.draws,
            "seed": self.seed,
            "mass": mass,
            "rope": "none" if rope is None else f"{rope[0]},{rope[1]}",
            "n": items,
        }
        return "|".join(f"{key}:{' '.join(str(value).replace('|', '/').split())}" for key, value in parts.items())


def as_counts(truth: Any, predictions: Any, labels: Iterable[Label] | None = None) -> Counts:
    """Take Counts as they are, labels of one test set, or a truth for each classifier."""
    if isinstance(truth, Counts):
        if predictions is not None or labels is not None:
            raise TypeError("counts hold predictions and labels already; leave these arguments out")
        return truth
    if predictions is None:
        raise TypeError("give the predictions too, as in {'svm': p1, 'nb': p2}, or an op.Counts alone")
    if not isinstance(truth, Mapping):
        return Counts.from_labels(truth, predictions, labels=labels)
    if not isinstance(predictions, Mapping) or set(truth) != set(predictions):
        raise ValueError("a truth for each classifier needs predictions under the same names")
    return Counts.from_test_sets({name: (truth[name], predictions[name]) for name in predictions}, labels=labels)


def draw(posterior: Posterior, question: Question, seed: SeedSequence) -> FloatArray:
    """Joint draws of the scores, of shape (draws, classifiers)."""
    drawn = scores(posterior, question.measure, draws=question.draws, seed=seed)
    if not np.isfinite(drawn).all():
        raise ValueError(
            f"measure {question.measure.name!r} is not finite on some draws; "
            "take zero_division=0 or 1, and divide with c.ratio(x, y) in a measure of your own"
        )
    return drawn
