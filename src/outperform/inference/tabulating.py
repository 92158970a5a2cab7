"""Scores of labels per item under weights, and what one unit that was not observed could do to them.

A ratio says nothing about units that are not in its denominator: if one item is positive and found, the recall is 1
whatever the weights are, and no unit has an influence on it. So units of every possible outcome are tried, whether one
was observed or not. The range of what they do to a score is that of one unit in as many as the score rests on: 1/n for
an accuracy of n items, 1/s for a recall of s positive ones, about 1/(s + q) for an F1 with q predictions.

A cluster has as many items of an outcome as those clusters that have any of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from outperform.data.contingency import Contingency, FloatArray, adding, combine, summed
from outperform.data.items import Items
from outperform.data.labels import IntArray
from outperform.inference.question import CountQuestion
from outperform.measures.scorers import Anything, Scorer, means

__all__ = ["one_more", "reach", "reach_of_items", "rests_on", "scorer_of_labels"]

MOST = 25  # classes, those with the fewest items, whose outcomes are tried
STEP = 0.1  # of a unit's weight, as little as shows the derivative


def scorer_of_labels(question: CountQuestion, items: Items) -> Scorer:
    """Return what scores labels per item, the truth and the outputs, under weights of the rows."""
    if question.average == "samples":
        return _of_items(question, items)
    tabulate = _tabulating(items)
    return Scorer(lambda weights: question.score(tabulate(weights)), source=Anything())


def _tabulating(items: Items) -> Callable[[FloatArray], Contingency]:
    return _many_classes(items) if items.many else _two_classes(items)


def _of_items(question: CountQuestion, items: Items) -> Scorer:
    """Return the mean of the scores of rows, of each by its own labels; undefined ones have no weight."""
    there, said, right = _tables(items)
    support, predicted, hit = (np.stack([table.sum(axis=0) for table in part]) for part in ([there], said, right))
    tables = Contingency(hit, support, predicted, np.full(support.shape, float(len(items.labels))))
    scores = question.measure(tables)
    if not np.isnan(scores).any():
        return means(scores)
    return Scorer(lambda weights: question.score(combine(lambda x: x * weights.T[:, None], tables)))


def _tables(items: Items) -> tuple[Any, list[Any], list[Any]]:
    """Return the sparse matrices that sum rows by true labels, by those of each system, and by those that are right."""
    there, said = items.labelled(items.truth), [items.labelled(codes) for codes in items.outputs]
    return there, said, [there.multiply(table).tocsr() for table in said]


def _two_classes(items: Items) -> Callable[[FloatArray], Contingency]:
    from scipy.sparse import csr_array

    said, true = np.stack(items.outputs).astype(np.float64), items.truth[None].astype(np.float64)
    table: Any = csr_array(np.vstack([said, said * true, true]))
    systems = len(said)

    def tabulate(weights: FloatArray) -> Contingency:
        found, total = summed(weights, table).T, weights.sum(axis=0)[:, None]
        guess, right, there = found[:, :systems], found[:, systems:-1], found[:, -1:]
        return Contingency(right, there, guess, total)

    return tabulate


def _many_classes(items: Items) -> Callable[[FloatArray], Contingency]:
    there, said, right = _tables(items)

    def tabulate(weights: FloatArray) -> Contingency:
        hit, predicted = (
            np.stack([summed(weights, table) for table in tables]).transpose(2, 0, 1) for tables in (right, said)
        )
        support, total = summed(weights, there).T[:, None], weights.sum(axis=0)[:, None, None]
        return Contingency(np.minimum(hit, np.minimum(support, predicted)), support, predicted, total)

    return tabulate


def rests_on(question: CountQuestion, moved: FloatArray, units: float) -> float:
    """Return the number of units that scores with this reach rest on: not all of them, if few are in a denominator."""
    most = float(moved.max())
    return min(units, _width(question) / most) if most else units


def reach_of_items(question: CountQuestion, items: Items) -> FloatArray:
    """Return the range of what one more unit, of items of one outcome, would do to the score of each system."""
    there, said, _ = _tables(items)
    support, held = there @ items.n, (_per_unit(items, there), _per_unit(items, *said))
    more = one_more(support, np.arange(len(support)), held, sets=items.sets is not None)
    return reach(question, _tabulating(items)(items.n[:, None]), more)


def reach(question: CountQuestion, observed: Contingency, units: Contingency) -> FloatArray:
    """Return the range of what one of these units more would do to each score, at most the width of its limits."""
    more = combine(lambda now, added: now + STEP * added, observed, units)
    moves = np.ptp(question.score(more) - question.score(observed), axis=0) / STEP
    width = _width(question)
    held: FloatArray = np.minimum(np.nan_to_num(moves, nan=width), width)
    return held


def one_more(
    support: FloatArray, among: IntArray, held: Sequence[FloatArray] = (), *, sets: bool = False
) -> Contingency:
    """Return units to try, of shape (units, 1) or (units, 1, classes).

    Of each of the rarest of some classes there is one found, one taken for another class, and another taken for it;
    of sets of labels, one with a label that is found, one with it that is missed, and one without it for which it is
    predicted. A unit has one item, or as many as units have of the true and of the predicted class.
    """
    classes = len(support)
    rare = among[np.argsort(support[among], kind="stable")[:MOST]]
    other = np.full(len(rare), -1) if sets else (rare + 1) % classes  # no class
    truth, said = np.append(rare, [rare, other]), np.append(rare, [other, rare])
    true, predicted = (np.append(each, inf) for each in held or np.ones((2, classes)))
    size = np.minimum(true[truth], predicted[said])
    there, guess = (codes[:, None, None] == np.arange(classes) for codes in (truth, said))
    parts = (size[:, None, None] * x for x in (there & guess, there, guess, np.ones_like(there)))
    return Contingency(*(x if classes > 2 or sets else x[..., 1] for x in parts))


def _width(question: CountQuestion) -> float:
    low, high = question.measure.limits
    return high - low


def _per_unit(items: Items, *tables: Any) -> FloatArray:
    """Return how many items of each class a unit has that has any, at least 1; the tables sum rows by class."""
    found = np.ones(len(items.labels))
    if not len(items.cluster):
        return found
    by_unit = adding(items.cluster, int(items.cluster.max()) + 1).T
    for table in tables:
        units = np.diff((table @ by_unit).tocsr().indptr)
        found = np.maximum(found, table @ items.n / np.maximum(units, 1))
    return found
