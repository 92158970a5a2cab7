"""`estimate`: one classifier's score, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, Unpack, overload

from numpy.random import SeedSequence

from outperform.counts import Counts
from outperform.errors import listing
from outperform.labels import Label
from outperform.measures import MeasureFunction
from outperform.models import Model, as_model
from outperform.posterior import Rng
from outperform.question import Question, Settings, as_counts, draw, tables
from outperform.results import Estimate, PerClass, Sample
from outperform.summary import check_mass

__all__ = ["estimate"]


@overload
def estimate(
    truth: Any,
    predictions: Any = None,
    *,
    average: Literal["binary", "micro", "macro", "weighted", "multiclass", "samples"] | None = ...,
    **settings: Unpack[Settings],
) -> Estimate: ...
@overload
def estimate(
    truth: Any, predictions: Any = None, *, average: Literal["per_class"], **settings: Unpack[Settings]
) -> PerClass[Estimate]: ...
@overload
def estimate(
    truth: Any, predictions: Any = None, *, average: str | None, **settings: Unpack[Settings]
) -> Estimate | PerClass[Estimate]: ...
def estimate(
    truth: Any,
    predictions: Any = None,
    *,
    measure: str | MeasureFunction = "f1",
    average: str | None = None,
    pos_label: Label | None = None,
    labels: Iterable[Label] | None = None,
    model: Model | str | None = None,
    mass: float = 0.95,
    draws: int | None = None,
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
    counts = as_counts(truth, predictions, labels, average)
    if len(counts.classifiers) != 1:
        raise ValueError(
            f"estimate takes one classifier, got {len(counts.classifiers)}: {listing(counts.classifiers)}; "
            "compare takes two"
        )
    question = Question.ask(measure, average, counts, pos_label, draws=draws, rng=rng, zero_division=zero_division)
    settled, mass = as_model(model, counts), check_mass(mass)
    rows = tuple(sample.sum_up(mass) for asked in tables(counts, question, settled) for sample in _draw(*asked))
    return PerClass(rows) if question.average == "per_class" else rows[0]


def _draw(counts: Counts, question: Question, model: Model) -> Iterator[Sample]:
    """Draw one posterior: a sample of one score, or of each class."""
    observed = counts.contingency(by_unit=question.average == "samples")
    drawn = draw(model.posterior(counts), question, SeedSequence(question.seed, spawn_key=(0,)))
    question = replace(question, draws=len(drawn.scores))
    if question.average != "per_class" or drawn.parts is None:
        yield Sample(question, model, counts, float(question.score(observed)[0]), drawn.scores[:, 0].copy())
        return
    each = question.parts(observed)
    for k, label in enumerate(counts.classes):
        asked = replace(question, positive=label)
        yield Sample(asked, model, counts, float(each[0, k]), drawn.parts[:, 0, k].copy())
