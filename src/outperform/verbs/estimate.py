"""`estimate`: estimate the score of one classifier."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, starmap
from typing import Any, Literal, Unpack, overload

import numpy as np

from outperform.base.errors import listing
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.data.labels import Label
from outperform.inference.draws import answered, draw, without_draws
from outperform.inference.evidence import Evidence
from outperform.inference.item_evidence import weighed_notes
from outperform.inference.item_study import ItemStudy
from outperform.inference.question import AllSettings, CountQuestion, Settings, Stream
from outperform.inference.reading import Study, read_input
from outperform.inference.tables import tables
from outperform.models import Model
from outperform.models.posterior import Rng
from outperform.models.priors import PriorLike
from outperform.results import Estimate, PerClass
from outperform.verdicts.interval import check_mass

__all__ = ["estimate"]


@overload
def estimate(
    data: Any = None,
    predictions: Any = None,
    *,
    average: Literal["binary", "micro", "macro", "weighted", "multiclass", "samples"] | None = ...,
    **settings: Unpack[Settings],
) -> Estimate: ...
@overload
def estimate(
    data: Any = None, predictions: Any = None, *, average: Literal["per_class"], **settings: Unpack[Settings]
) -> PerClass[Estimate]: ...
@overload
def estimate(
    data: Any = None, predictions: Any = None, *, average: str | None, **settings: Unpack[Settings]
) -> Estimate | PerClass[Estimate]: ...
def estimate(
    data: Any = None,
    predictions: Any = None,
    *,
    truth: Any = None,
    measure: str | Callable[..., Any] = "f1",
    average: str | None = None,
    pos_label: Label | None = None,
    labels: Iterable[Label] | None = None,
    model: Model | str | None = None,
    prior: PriorLike | Mapping[str, Any] | None = None,
    mass: float = 0.95,
    draws: int | None = None,
    engine: str = "auto",
    zero_division: float = 0.0,
    rng: Rng = None,
    device: str | None = None,
) -> Estimate | PerClass[Estimate]:
    """Estimate the score of one classifier with its uncertainty (SIGIR'16 §3.1).

    Parameters
    ----------
    data : sequence of labels, dataframe or Counts
        The true labels; or a dataframe; or counts of one classifier, which hold its predictions too.
    predictions : sequence of labels or mapping; of a dataframe str
        What the classifier predicted; optionally by name.
    truth : str
        For a dataframe, the column of the true labels.
    measure, average, pos_label, labels, model, prior, mass, draws, engine, zero_division, rng, device
        As in `compare`.

    Returns
    -------
    Estimate or PerClass
        One estimate, or one per class.

    Examples
    --------
    >>> import outperform as op
    >>> op.estimate([1] * 30 + [0] * 70, [1] * 24 + [0] * 76, rng=0)
    classifier   f1 = 0.868   95% HDI [0.772, 0.953]

    With thirty positives the score is uncertain by about a tenth either way.
    """
    framed = data is not None and truth is not None
    if predictions is not None and not framed and not isinstance(predictions, Mapping):
        predictions = {"classifier": predictions}
    settings = AllSettings(
        truth=truth,
        average=average,
        measure=measure,
        pos_label=pos_label,
        labels=labels,
        model=model,
        prior=prior,
        draws=draws,
        engine=engine,
        zero_division=zero_division,
        rng=rng,
        device=device,
    )
    study, mass = read_input(data, predictions, settings, _check_one), check_mass(mass)
    rows = tuple(Estimate.of(evidence, mass) for evidence in _evidence(study))
    return PerClass(rows) if average == "per_class" else rows[0]


def _evidence(study: Study) -> Iterator[Evidence]:
    """Yield the evidence of each estimate."""
    if study.counted is None:
        return map(_weigh, study.weighed)
    counted = study.counted
    return chain.from_iterable(starmap(_draw, tables(counted.counts, counted.question, counted.model)))


def _check_one(names: Sequence[str]) -> None:
    if len(names) != 1:
        raise ValueError(
            f"estimate takes one classifier, got {len(names)}: {listing(names)}; compare takes two, rank any number"
        )


def _weigh(weighing: ItemStudy) -> Evidence:
    """Draw the score of items by resampling."""
    drawn, items = weighing.draw(), weighing.items
    return Evidence(
        question=weighing.asked,
        model=weighing.model,
        names=items.classifiers,
        items=items.items,
        observed=weighing.observed,
        scores=drawn,
        notes=weighed_notes(weighing),
    )


def _draw(counts: Counts, question: CountQuestion, model: Model) -> Iterator[Evidence]:
    """Draw one posterior: yield the evidence of one score, or of each class."""
    observed = counts.contingency(by_unit=question.average == "samples")
    posterior = model.posterior(counts).reduced(question.average, question.measure)
    make = partial(draw, posterior, question, question.seed_of(Stream.SCORES))
    drawn = without_draws(posterior, question) or make()
    question = answered(question, drawn)

    def collect(question: CountQuestion, observed: FloatArray, scores: Any) -> Evidence:
        return Evidence(
            question=question,
            model=model,
            names=counts.classifiers,
            items=counts.items,
            observed=observed,
            scores=scores,
            exact=drawn.exact,
            notes=drawn.remarks,
            trace=drawn.trace,
        )

    if question.average != "per_class" or drawn.by_class is None:
        yield collect(question, question.score(observed), drawn.made_by(make))
        return
    observed_by_class = question.by_class(observed)
    for k, label in enumerate(counts.classes):
        yield collect(
            replace(question, positive=label), observed_by_class[:, k], np.ascontiguousarray(drawn.by_class[..., k])
        )
