"""Evidence from counts: draws, classical tests, and notes for the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from outperform.base.errors import amount
from outperform.base.lazy import changed
from outperform.data.confused import confused
from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.formats import numbers
from outperform.inference.baselines import classical_tests, fold_tests
from outperform.inference.densities import After, Before
from outperform.inference.draws import Drawn, answered, bootstrapped, draw, without_draws
from outperform.inference.evidence import PairEvidence
from outperform.inference.item_evidence import few_units
from outperform.inference.question import CountQuestion, Stream
from outperform.inference.support import few_items, held, labels_alone, units_of
from outperform.inference.tables import discounted_slices, tables
from outperform.models import Model, drawing_order
from outperform.models.posterior import Posterior, mirror
from outperform.verdicts.outlook import UNEVEN

__all__ = ["classical", "evidence", "incomplete", "interchangeable", "slice_evidence"]

WEIGHTS = (
    "Weights differ: {effect:.3g} rows carry as much information as one item (the design effect). If the "
    "weights are numbers of items, pass them as counts, not as weights."
)


def slice_evidence(counts: Counts, question: CountQuestion, model: Model) -> Iterator[PairEvidence]:
    """Yield the evidence of each slice: separately, or jointly if they have one positive class and share a prior.

    Jointly, a slice is treated as a label of a multi-label task.
    """
    tables = [counts.slice(value) for value in counts.slices]
    if not (model.learns and question.positive is not None):
        for slice_counts in tables:
            yield from evidence(slice_counts, question, model)
        return
    by_slice = discounted_slices(counts, question)
    table = by_slice.as_groups()
    asked = replace(question, average="per_class", positive=None, classes=len(tables), from_one=False)
    for value, one in zip(by_slice.slices, evidence(table, asked, model), strict=True):
        yield changed(one, items=by_slice.slice(value).items)


def evidence(counts: Counts, question: CountQuestion, model: Model) -> Iterator[PairEvidence]:
    """Yield the evidence of each comparison."""
    about = question.positive if question.average == "binary" else None
    for k, row in enumerate(_evidence(counts, question, model)):
        yield changed(row, again=partial(_again, counts, question, k), confused=partial(confused, counts, about))


def _again(counts: Counts, question: CountQuestion, k: int, model: Model) -> PairEvidence:
    """Return the evidence of one comparison under another model."""
    return next(islice(evidence(counts, question, model), k, None))


def _evidence(counts: Counts, question: CountQuestion, model: Model) -> Iterator[PairEvidence]:
    before = None
    for table, asked, settled in tables(counts, question, model):
        before = before or Before(table, asked, settled)  # the same for every class
        for row in _draw(table, asked, settled, before):
            yield changed(row, effect=table.effect)


def _draw(counts: Counts, question: CountQuestion, model: Model, before: Before) -> Iterator[PairEvidence]:
    """Draw one posterior: yield the evidence of one comparison, or of each class."""
    ordered = counts.select(order := drawing_order(model, counts))
    posterior = model.posterior(ordered).reduced(question.average, question.measure)
    seed = question.seed_of(Stream.SCORES)
    exchangeable = interchangeable(ordered, model)
    make = partial(_drawn, posterior, question, seed, order, exchangeable=exchangeable)
    known = None if counts.folds else without_draws(posterior, question)
    drawn = make() if known is None else _as_given(known, order, exchangeable=exchangeable)
    observed_table = counts.contingency(by_unit=question.average == "samples")
    plain, question = bootstrapped(counts, question, model), answered(question, drawn)

    def collect(table: Counts, question: CountQuestion, observed: FloatArray, scores: Any) -> PairEvidence:
        units = units_of(table, question, model)
        return PairEvidence(
            question=question,
            model=model,
            names=(counts.classifiers[0], counts.classifiers[1]),
            items=counts.items,
            observed=observed,
            scores=scores,
            exact=drawn.exact,
            frequentist=classical(table, question, observed_table),
            notes=(*_notes(table), *labels_alone(table, question), *few_items(table, units, model), *drawn.remarks),
            before=before if drawn.exact is None else before.unseeded(),
            after=After(posterior, question, scores, seed, drawn.exact),
            units=units,
            exchangeable=exchangeable,
            classes=counts.classes,
            trace=drawn.trace,
        )

    if question.average != "per_class" or drawn.by_class is None:
        alone = collect(counts, question, question.score(observed_table), drawn.made_by(make))
        kept = None if drawn.trace or counts.folds else counts
        yield changed(alone, counts=kept, grows=not counts.folds, by_class=drawn.of_classes, plain=plain)
        return
    observed_by_class = question.by_class(observed_table)
    for k, label in enumerate(counts.classes):
        asked, class_scores = replace(question, positive=label), np.ascontiguousarray(drawn.by_class[..., k])
        row = collect(counts.binary(label), asked, observed_by_class[..., k], class_scores)
        yield row if plain is None else changed(row, plain=plain[..., k])


def _drawn(
    posterior: Posterior, question: CountQuestion, seed: SeedSequence, order: list[int], *, exchangeable: bool
) -> Drawn:
    """Draw the scores, in the order in which the classifiers were given."""
    return _as_given(draw(posterior, question, seed), order, exchangeable=exchangeable)


def interchangeable(counts: Counts, model: Model) -> bool:
    """Return whether exchanging the two leaves the posterior unchanged."""
    whole = counts.together() if counts.folds else counts
    # Cells are compared, which do not tell which labels occur together: to exchange those takes long.
    swapped = replace(whole, task=whole.task.without_sets()).select([1, 0])
    return model.symmetric and whole.same_cells(swapped)


def classical(counts: Counts, question: CountQuestion, observed: Contingency) -> dict[str, float | None]:
    """Return the tests on folds if there are folds, else on items or on classes."""
    if not counts.folds:
        return classical_tests(counts, question.class_scores(observed))
    by_fold = [question.score(counts.fold(k).contingency()) for k in range(len(counts.folds))]
    return fold_tests(counts.folds, np.array(by_fold))


def _as_given(drawn: Drawn, order: list[int], *, exchangeable: bool) -> Drawn:
    """Return columns in the order in which the classifiers were given; a permutation of two is its own inverse."""
    place = partial(_placed, order, mirrored=exchangeable and drawn.trace is None)  # a chain is not mirrored
    exact = drawn.exact if drawn.exact is None or order == [0, 1] else drawn.exact.mirrored()
    by_class = None if drawn.by_class is None else place(drawn.by_class)
    make = None if drawn.make_by_class is None else partial(place, drawn.make_by_class)
    return replace(drawn, scores=place(drawn.scores), by_class=by_class, exact=exact, make_by_class=make)


def _placed(order: list[int], drawn: FloatArray | Callable[[], FloatArray], *, mirrored: bool) -> FloatArray:
    """Return draws in this order of the classifiers, with half of them as mirror images of the others if `mirrored`."""
    array = drawn() if callable(drawn) else drawn
    if mirrored:
        mirror(array)
    return array[:, order]


def incomplete(counts: Counts) -> tuple[str, ...]:
    """Return notes on how many rows were dropped, and what weights cost."""
    rows, notes = counts.left_out, []
    if rows:
        notes.append(f"Dropped {amount(rows)} {'row' if rows == 1 else 'rows'} with missing labels.")
    if counts.effect > UNEVEN:
        notes.append(WEIGHTS.format(effect=counts.effect))
    return tuple(notes)


def _notes(counts: Counts) -> tuple[str, ...]:
    return (*_pairing_notes(counts), *incomplete(counts))


def _pairing_notes(counts: Counts) -> tuple[str, ...]:
    if not len(counts.n):
        return ("There are no items: this is the prior.",)
    if not counts.paired:
        return (
            "The two systems are not paired: their counts do not show which items they share.",
            *_other_items(counts),
        )
    few = () if counts.units is None else few_units("non-empty unit", held(counts, counts.units))
    if (counts.predictions[:, 0] != counts.predictions[:, 1]).any():
        return few
    first, second = counts.classifiers
    *others, positive = counts.labels
    scope = f" ({positive} or not)" if others == [f"not {positive}"] else ""
    return (f"{first} and {second} predicted the same on {numbers.every(counts.items)}{scope}.", *few)


def _other_items(counts: Counts) -> tuple[str, ...]:
    """Return a note if two totals are clearly not of the same items."""
    support = counts.contingency().support.sum(axis=-1) if counts.groups else counts.contingency().support
    if not counts.no_true_negatives or support[0] == support[1]:
        return ()
    return (
        f"They were not tested on the same items: {support[0]:,.0f} are there for one and {support[1]:,.0f} for the "
        "other.",
    )
