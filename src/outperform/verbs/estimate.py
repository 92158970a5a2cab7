"""`estimate`: one classifier's score, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, Unpack, overload

from numpy.random import SeedSequence

from outperform.counts import Counts
from outperform.errors import listing
from outperform.labels import Label
from outperform.measures import MeasureFunction
from outperform.models import Model, as_model
from outperform.posterior import Rng
from outperform.question import DRAWS, Question, Settings, as_counts, draw
from outperform.results import Estimate, PerClass, Sample
from outperform.summary import check_mass

__all__ = ["estimate"]


@overload
def estimate(
    truth: Any, predictions: Any = None, *, average: Literal["binary"] = ..., **settings: Unpack[Settings]
) -> Estimate: ...
@overload
def estimate(
    truth: Any, predictions: Any = None, *, average: Literal["per_class"], **settings: Unpack[Settings]
) -> PerClass[Estimate]: ...
@overload
def estimate(
    truth: Any, predictions: Any = None, *, average: str, **settings: Unpack[Settings]
) -> Estimate | PerClass[Estimate]: ...
def estimate(
    truth: Any,
    predictions: Any = None,
    *,
    measure: str | MeasureFunction = "f1",
    average: str = "binary",
    pos_label: Label | None = None,
    labels: Iterable[Label] | None = None,
    model: Model | str | None = None,
    mass: float = 0.95,
    draws: int = DRAWS,
    zero_division: float = 0.0,
    rng: Rng = None,
) -> Estimate | PerClass[Estimate]:
    """Estimate one classifier's score with its uncertainty (SIGIR'16 §3.1).

    Parameters
    ----------
    truth : sequence of labels or Counts
        The true labels; or counts of one classifier, which hold its predictions too.
    predictions : sequence of labels or mapping
        What the classifier predicted; under its name if you like.
    measure, average, pos_label, labels, model, mass, draws, zero_division, rng
        As in `compare`.

    Returns
    -------
    Estimate or PerClass
        One estimate, or one for each class.

    Examples
    --------
    >>> import outperform as op
    >>> op.estimate([1] * 30 + [0] * 70, [1] * 24 + [0] * 76, rng=0)
    classifier   f1 = 0.860   95% HDI [0.762, 0.946]

    Thirty positives leave the score open by about a tenth either way.
    """
    if predictions is not None and not isinstance(predictions, Mapping):
        predictions = {"classifier": predictions}
    counts = as_counts(truth, predictions, labels)
    if len(counts.classifiers) != 1:
        raise ValueError(
            f"estimate takes one classifier, got {len(counts.classifiers)}: {listing(counts.classifiers)}; "
            "compare takes two"
        )
    question = Question.ask(measure, average, draws=draws, rng=rng, zero_division=zero_division)
    settled, mass = as_model(model, counts), check_mass(mass)
    rows = tuple(
        _sample(counts.binary(label), replace(question, positive=label), settled).sum_up(mass)
        for label in question.classes(counts, pos_label)
    )
    return PerClass(rows) if average == "per_class" else rows[0]


def _sample(counts: Counts, question: Question, model: Model) -> Sample:
    seed = SeedSequence(question.seed, spawn_key=(0,))
    observed = float(question.measure(counts.contingency())[0])
    return Sample(question, model, counts, observed, draw(model.posterior(counts), question, seed)[:, 0].copy())
