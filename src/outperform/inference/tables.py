"""The tables of which posteriors are drawn, with as many items as weighted rows are worth for the question.

Weighted rows tell as much as (Σw)²/Σw² items of equal weight (Kish) if weights have nothing to do with outcomes. If
rows of large weight are those on which systems differ, they tell less. With φ_c the derivative of a score, or of a
difference of two, by the weight of cell c, its variance is Σ_c φ_c² Σ_{i in c} w_i², and that of n items of equal
weight Σ_c φ_c² n_c. Their ratio, in the unit in which weights add up to Kish's number, says how many times too large
that number is. The largest ratio is used for all that is asked, but none below 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from outperform.base.sentences import invalid
from outperform.data.cells import NOT_RUN
from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.inference.question import CountQuestion
from outperform.models import Model
from outperform.models.reads import what_is_read

__all__ = ["discounted_slices", "tables"]

MOST_NUMBERS = 2**21  # that are moved at a time
STEP = 1e-6  # of all items
ROUNDING = 1e-6  # by which an effect of equal weights may miss 1


def tables(counts: Counts, question: CountQuestion, model: Model) -> Iterator[tuple[Counts, CountQuestion, Model]]:
    """Yield the tables of which posteriors are drawn, each with its question and its model, the prior settled.

    One, or one per class against the rest, unless classes learn from each other and are drawn jointly. The
    micro-average of chunks is the score of all, whatever their type.
    """
    if question.average == "samples" and not model.weighs_units:
        raise invalid("{average:samples} resamples whole items; use {model:bootstrap}, or leave it out")
    if counts.units is not None and not counts.by_item and not model.keeps_units:
        counts = counts.together()
        question = replace(question, counted=counts.how)
    if question.average == "micro" and counts.no_true_negatives:
        counts = counts.untyped()
    if question.average == "per_class" and not model.learns:
        for label in counts.classes:
            asked = replace(question, positive=label)
            table = _discounted(counts.binary(label), asked)
            yield table, asked, model.settled(table)
        return
    table = _discounted(counts if question.positive is None else counts.binary(question.positive), question)
    yield table, question, model.settled(table, reads=what_is_read(question.average, question.measure))


def _discounted(counts: Counts, question: CountQuestion) -> Counts:
    """Return weighted rows as items, as many as they are worth for this question."""
    if counts.weighed is None:
        return counts
    effect = _effect(counts, question)
    return replace(counts, n=counts.n / effect, weighed=None, effect=counts.effect * effect)


def discounted_slices(counts: Counts, question: CountQuestion) -> Counts:
    """Return the slices as a table of one class against the rest, with as many items as each is worth by itself."""
    table = counts.binary(question.positive)
    if table.weighed is None:
        return table
    effects = np.array([_effect(table.slice(value), question) for value in table.slices])
    n = table.n / effects[table.part]
    return replace(table, n=n, weighed=None, effect=counts.effect * float(table.n.sum() / n.sum()))


def _effect(counts: Counts, question: CountQuestion) -> float:
    if counts.folds or counts.groups or not len(counts.n):
        return 1.0
    if question.average == "per_class" and question.positive is None:
        # Rows of one table: the median of what is right for each, as those of few items vary by chance.
        one_by_one = ((counts.binary(label), replace(question, positive=label)) for label in counts.classes)
        return float(np.median([_effect(table, asked) for table, asked in one_by_one]))
    assert counts.weighed is not None
    moves = _moves(counts, question)
    parts = np.column_stack([moves, *(moves[:, [k]] - moves[:, k + 1 :] for k in range(moves.shape[1] - 1))]) ** 2
    equal, weighted = counts.n @ parts, counts.weighed[1] @ parts
    effect = float(np.divide(weighted, equal, where=equal > 0, out=np.ones(len(equal))).max(initial=1.0))
    return effect if effect > 1 + ROUNDING else 1.0  # equal weights leave whole items whole


def _moves(counts: Counts, question: CountQuestion) -> FloatArray:
    """Return the derivatives of the scores by the weight of each cell, of shape (cells, systems).

    A cell in which a system is wrong adds a miss of one class and a false alarm of another to it, to first order.
    """
    hits, misses, alarms, other = _nudged(counts, question)
    truth, guesses = counts.truth[:, None], counts.predictions
    system = np.arange(guesses.shape[1])
    if counts.many:
        wrong = misses[truth, system] + alarms[guesses, system] - other
        moves = np.where(guesses == truth, hits[truth, system], wrong)
    else:  # the tables are of the positive class alone
        kinds = np.concatenate([other[None], alarms, misses, hits])
        moves = kinds[2 * truth + guesses, system]
    return np.where(guesses == NOT_RUN, 0.0, moves)


def _nudged(counts: Counts, question: CountQuestion) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return derivatives by a hit, a miss and a false alarm of each class, and by an item that is none of these.

    Of shape (classes, systems), and (systems,).
    """
    table = counts.contingency()
    plain, step = question.score(table), STEP * float(counts.n.sum())
    classes = len(counts.classes) if counts.many else 1
    some = max(1, MOST_NUMBERS // (classes * len(counts.classifiers)))

    def moved(kind: tuple[int, int, int], units: FloatArray) -> FloatArray:
        parts = (x + k * units for x, k in zip((table.hit, table.support, table.predicted), kind, strict=True))
        total = np.broadcast_to(table.total, table.hit.shape) + step
        hit, support, predicted, total = np.broadcast_arrays(*parts, total)
        derivatives: FloatArray = (question.score(Contingency(hit, support, predicted, total)) - plain) / step
        return derivatives

    def by_class(kind: tuple[int, int, int]) -> FloatArray:
        if not counts.many:
            return moved(kind, np.full((1, 1), step))
        units = (step * np.eye(classes)[start : start + some, None] for start in range(0, classes, some))
        return np.concatenate([moved(kind, unit) for unit in units])

    return by_class((1, 1, 1)), by_class((0, 1, 0)), by_class((0, 0, 1)), moved((0, 0, 0), np.zeros(1))
