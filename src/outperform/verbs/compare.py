"""`compare`: two classifiers, one question, one call."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, Unpack, overload

import numpy as np
from numpy.random import SeedSequence

from outperform.baselines import classical_tests
from outperform.bayes_factor import PRIOR_DRAWS, conditional_density, kernel_density
from outperform.contingency import FloatArray
from outperform.counts import Counts
from outperform.decision import RopeLike, as_rope
from outperform.errors import ImproperPriorError, OutperformWarning, listing
from outperform.labels import Label
from outperform.measures import Measure, MeasureFunction
from outperform.models import Model, as_model
from outperform.posterior import Posterior, Rng, scores
from outperform.question import DRAWS, Question, Settings, as_counts, draw
from outperform.render import numbers
from outperform.results import Comparison, Evidence, PerClass
from outperform.summary import check_mass

__all__ = ["compare"]

CONDITIONAL_DRAWS = 5_000  # an error of about 1%, see bench/density.py
VANISHING = 50.0  # standard deviations from 0; even tails that fall only as exp(-z) are below 1e-21 there
WORST = 0.1  # relative error, beyond which a kernel among the draws is better


class ComparisonSettings(Settings, total=False):
    """What `compare` takes besides."""

    rope: RopeLike | None


@overload
def compare(
    truth: Any,
    predictions: Mapping[str, Any] | None = None,
    *,
    average: Literal["binary"] = ...,
    **settings: Unpack[ComparisonSettings],
) -> Comparison: ...
@overload
def compare(
    truth: Any,
    predictions: Mapping[str, Any] | None = None,
    *,
    average: Literal["per_class"],
    **settings: Unpack[ComparisonSettings],
) -> PerClass[Comparison]: ...
@overload
def compare(
    truth: Any, predictions: Mapping[str, Any] | None = None, *, average: str, **settings: Unpack[ComparisonSettings]
) -> Comparison | PerClass[Comparison]: ...
def compare(
    truth: Any,
    predictions: Mapping[str, Any] | None = None,
    *,
    measure: str | MeasureFunction = "f1",
    average: str = "binary",
    rope: RopeLike | None = None,
    pos_label: Label | None = None,
    labels: Iterable[Label] | None = None,
    model: Model | str | None = None,
    mass: float = 0.95,
    draws: int = DRAWS,
    zero_division: float = 0.0,
    rng: Rng = None,
) -> Comparison | PerClass[Comparison]:
    """Compare two classifiers: is the first really better, worse, the same, or do we not know?

    Parameters
    ----------
    truth : sequence of labels, mapping or Counts
        The true labels; or, where the two were tested on different items, {name: true labels}; or
        counts, which hold the predictions too.
    predictions : mapping from name to sequence of labels
        Two classifiers. δ is the first one's score minus the second one's.
    measure : str or callable
        A name, or any function of a Contingency.
    average : {"binary", "per_class"}
        One positive class; or every class against the rest, one comparison each.
    rope : float or (float, float)
        Differences that do not matter to you, in units of the measure: 0.01 means ±0.01. Without it
        there is no verdict.
    pos_label : label
        The positive class; 1 where the labels are 0 and 1.
    labels : sequence of labels
        All classes, where the data may lack some.
    model : Paired, Unpaired or str
        Paired by default where both were run on the same items.
    mass : float
        Of the HDI.
    draws : int
        From the posterior, independent of each other.
    zero_division : {0, 1, nan}
        The value of 0/0, as in scikit-learn.
    rng : None, int or numpy Generator
        The same seed gives the same numbers.

    Returns
    -------
    Comparison or PerClass
        One comparison, or one for each class.

    Notes
    -----
    Giving the classifiers in the other order with the same seed flips the sign of every draw of δ
    and changes nothing else. If exchanging them would leave the counts as they are, the posterior of δ
    is symmetric about 0, and so are its draws; the verdict is then "equivalent" or "undecided".

    Examples
    --------
    >>> import outperform as op
    >>> news = op.datasets.newsgroups()
    >>> y, svm, nb = (x == 8 for x in (news.truth, news.predictions["svm_l2"], news.predictions["nb_bern"]))
    >>> op.compare(y, {"svm": svm, "nb": nb}, rope=0.05, rng=0)
    svm ≫ nb   Δf1 = +0.138   95% HDI [+0.095, +0.181]   P(ROPE) = 0.0%

    The whole interval lies above +0.05: the SVM is better by more than would not matter.
    """
    counts = as_counts(truth, predictions, labels)
    if len(counts.classifiers) != 2:
        raise ValueError(f"compare takes two classifiers, got {len(counts.classifiers)}: {listing(counts.classifiers)}")
    question = Question.ask(measure, average, draws=draws, rng=rng, zero_division=zero_division)
    settled, region, mass = as_model(model, counts), as_rope(rope), check_mass(mass)
    tables = {label: counts.binary(label) for label in question.classes(counts, pos_label)}
    observed = {label: question.measure(table.contingency()) for label, table in tables.items()}
    prior_delta = _prior_delta(settled, counts, question)
    rows = []
    for label, table in tables.items():
        asked = replace(question, positive=label)
        rows.append(_evidence(table, asked, settled, observed[label], prior_delta).judge(region, mass))
    return PerClass(tuple(rows)) if average == "per_class" else rows[0]


def _evidence(
    counts: Counts, question: Question, model: Model, observed: FloatArray, prior_delta: FloatArray | None
) -> Evidence:
    """Draw everything that a judgement needs."""
    order = counts.canonical_order() if model.symmetric else [0, 1]
    ordered = counts.select(order)
    posterior = model.posterior(ordered)
    seed = SeedSequence(question.seed, spawn_key=(0,))
    drawn = draw(posterior, question, seed)
    exchangeable = model.symmetric and ordered.same_cells(ordered.select([1, 0]))
    if exchangeable:
        _mirror(drawn)
    drawn = drawn[:, order]  # an order of two is its own inverse
    return Evidence(
        question=question,
        model=model,
        names=(counts.classifiers[0], counts.classifiers[1]),
        items=counts.items,
        observed=observed,
        scores=drawn,
        prior_delta=prior_delta,
        density_at_zero=None if prior_delta is None else _density_at_zero(posterior, question.measure, drawn, seed),
        frequentist=classical_tests(counts),
        notes=_notes(counts),
        exchangeable=exchangeable,
    )


def _prior_delta(model: Model, counts: Counts, question: Question) -> FloatArray | None:
    """Draws of δ before the data: the posterior of zero counts. None where the prior is improper.

    Where the model treats both alike, half of them are drawn and half are mirror images.
    """
    empty = counts.binary(counts.labels[-1]).empty()
    try:
        posterior = model.posterior(empty)
    except ImproperPriorError:
        return None
    seed = SeedSequence(question.seed, spawn_key=(1,))
    draws = PRIOR_DRAWS // 2 if model.symmetric else PRIOR_DRAWS
    drawn = scores(posterior, question.measure, draws=draws, seed=seed)
    delta: FloatArray = drawn[:, 0] - drawn[:, 1]
    return np.concatenate([delta, -delta]) if model.symmetric else delta


def _density_at_zero(posterior: Posterior, measure: Measure, drawn: FloatArray, seed: SeedSequence) -> float | None:
    """The posterior density of δ at 0: exact in one variable, or by kernel where that does not work."""
    delta = drawn[:, 0] - drawn[:, 1]
    among = delta.min() <= 0 <= delta.max()
    segment = posterior.segment(measure, draws=CONDITIONAL_DRAWS, seed=seed)
    exact = None if segment is None else conditional_density(segment, measure)
    if exact is not None and (exact[1] < WORST or not among):
        return exact[0]
    if among:
        return kernel_density(delta)
    if abs(delta.mean()) > VANISHING * delta.std():
        return 0.0
    message = "δ = 0 lies outside the draws, where its density cannot be estimated for this measure"
    warnings.warn(message, OutperformWarning, stacklevel=4)
    return None


def _mirror(drawn: FloatArray) -> None:
    """Make the second half of the draws the mirror image of the first, in place."""
    half = len(drawn) // 2
    drawn[len(drawn) - half :] = drawn[:half, ::-1]
    if len(drawn) % 2:
        drawn[half] = drawn[half].mean()


def _notes(counts: Counts) -> tuple[str, ...]:
    if not counts.paired:
        return ("The two were tested on different items, so they are not paired.",)
    if (counts.predictions[:, 0] != counts.predictions[:, 1]).any():
        return ()
    first, second = counts.classifiers
    rest, positive = counts.labels
    scope = f" ({positive} or not)" if rest == f"not {positive}" else ""
    return (f"{first} and {second} predicted the same on all {numbers.count(counts.items)}{scope}.",)
