"""How many independent units the scores of counts rest on: below ten there is no verdict, whatever the prior.

A prior that adds little, or nothing, leaves two items as certain as two hundred, and one that adds more has intervals
whose coverage nobody measured on so few. So the floor is the same for all models of counts.
"""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray, added_up
from outperform.data.counts import Counts
from outperform.inference.item_evidence import few_units
from outperform.inference.question import CountQuestion
from outperform.inference.tabulating import one_more, reach, rests_on
from outperform.models import Model
from outperform.verdicts.decision import FEWEST_UNITS

__all__ = ["few_items", "held", "labels_alone", "units_of"]

ALONE = (
    "Every item has exactly one label, and {measure} counts each of the {labels} labels of an item as right or wrong; "
    "for the {measure} of items, give one column of labels in place of a set or a column for each label."
)

TOO_FEW = "The scores rest on too few items for a verdict ({units:.3g}; {fewest} are needed)."


def units_of(counts: Counts, question: CountQuestion, model: Model) -> float:
    """Return the number of units that the scores rest on: all items, those in a denominator, or units with anything.

    Classes that learn from each other have scores without any item of their own, so there all items count.
    """
    if counts.folds:
        counts = counts.together(model.worth)
    if counts.units is not None:
        return held(counts, counts.units)
    if counts.groups or not counts.items or (model.learns and not model.weighs_units):
        return counts.items
    systems = [counts] if counts.paired else [counts.select([k]) for k in range(len(counts.classifiers))]
    return min(_rests_on(system, question) for system in systems)


def _rests_on(counts: Counts, question: CountQuestion) -> float:
    observed = counts.contingency()
    support = added_up(counts.truth, counts.n, len(counts.labels))
    # One of many classes that nobody has is left to the prior; of two, a score may be about nothing else.
    among = np.flatnonzero(support + observed.predicted.sum(axis=0)) if counts.many else np.arange(2)
    return rests_on(question, reach(question, observed, one_more(support, among)), float(counts.n.sum()))


def held(counts: Counts, units: FloatArray) -> float:
    """Return the number of nonempty units."""
    return float(units[np.unique(counts.part)].sum())


def labels_alone(counts: Counts, question: CountQuestion) -> tuple[str, ...]:
    """Return a note if labels are counted one by one that exclude each other, as in one-hot columns."""
    if counts.sets is None or question.measure.multiclass is None or question.positive is not None:
        return ()
    if question.average == "per_class" or counts.sets.classes < 3 or not counts.sets.one_each:
        return ()
    return (ALONE.format(measure=question.measure.name, labels=counts.sets.classes),)


def few_items(counts: Counts, units: float, model: Model) -> tuple[str, ...]:
    """Return a note if scores rest on too few items, or on few that are resampled without a prior."""
    if not counts.items:
        return ()
    if not model.weighs_units:
        return (TOO_FEW.format(units=units, fewest=FEWEST_UNITS),) if units < FEWEST_UNITS else ()
    if counts.units is not None:
        return ()
    return few_units("item", units)
