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
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.inference.question import CountQuestion
from outperform.models import Model
from outperform.models.reads import what_is_read

__all__ = ["tables"]

MOST_CELLS = 1_000  # that are moved one by one; of more, weights are taken to have nothing to do with outcomes
STEP = 1e-3  # of all items
ROUNDING = 1e-9  # by which an effect of equal weights may miss 1


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


def _effect(counts: Counts, question: CountQuestion) -> float:
    by_row = question.average == "per_class" and question.positive is None  # rows of one table, each with its own
    if by_row or counts.folds or not 0 < len(counts.n) <= MOST_CELLS:
        return 1.0
    assert counts.weighed is not None
    moves = _moves(counts, question)
    parts = np.column_stack([moves, *(moves[:, [k]] - moves[:, k + 1 :] for k in range(moves.shape[1] - 1))]) ** 2
    equal, weighted = counts.n @ parts, counts.weighed[1] @ parts
    effect = float(np.divide(weighted, equal, where=equal > 0, out=np.ones(len(equal))).max(initial=1.0))
    return effect if effect > 1 + ROUNDING else 1.0  # equal weights leave whole items whole


def _moves(counts: Counts, question: CountQuestion) -> FloatArray:
    """Return the derivatives of the scores by the weight of each cell, of shape (cells, systems)."""
    plain, step = question.score(counts.contingency()), STEP * float(counts.n.sum())
    moved = [replace(counts, n=counts.n + step * cell) for cell in np.eye(len(counts.n))]
    return np.stack([question.score(table.contingency()) - plain for table in moved]) / step
