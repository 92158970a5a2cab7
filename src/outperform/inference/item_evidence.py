"""Evidence from items that are resampled: draws, classical tests, and notes for the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outperform.base.sentences import Sentence
from outperform.data.contingency import FloatArray
from outperform.data.items import Items
from outperform.data.runs import Runs
from outperform.formats import numbers
from outperform.inference.baselines import delong, item_tests, paired_bootstrap, resamples_of
from outperform.inference.evidence import PairEvidence
from outperform.inference.item_study import ItemStudy, scorer_of
from outperform.inference.question import Question, Stream
from outperform.measures.outputs import as_probabilities, is_certain
from outperform.models.posterior import mirror
from outperform.verdicts.decision import FEWEST_UNITS, unit_remarks

__all__ = [
    "PairTests", "alike", "biases", "copies", "few_units", "remedy", "tests_of_pairs", "weighed_evidence",
    "weighed_notes",
]  # fmt: skip

PairTests: TypeAlias = Callable[[int, int], dict[str, float | None]]

FEW_UNITS = 50
EQUAL = 0.9  # effective share of the clusters below which a note is given
LONE = "Strata with one {kind} give no variance: {lone} of them are merged into one stratum, which is conservative."
UNMOVED = "The scores are the same on every resample, which says nothing about other items: no verdict."
BIASED = (
    "Noise alone increases {measure}, by about {parts}: too much for a verdict. Brier score and log loss are unbiased."
)
VARIED = "Collect items on which the scores differ."
UNBIASED = Sentence("Compare by Brier score or log loss{measure}.")
TOLERATED = 0.25  # bias of a score, in standard deviations of a difference
ENOUGH_RUNS = 5  # degrees of freedom


def weighed_evidence(weighing: ItemStudy) -> PairEvidence:
    """Draw the evidence of a comparison."""
    items = weighing.items
    scores, variance = _draw(weighing)
    biased = biases(weighing, scores)
    level = bool(np.isclose(*weighing.observed))  # sooner known than whether the items can be exchanged
    exchangeable = level and weighing.merged is not None and weighing.merged.interchangeable()
    if exchangeable:
        mirror(scores)
    return PairEvidence(
        question=weighing.asked,
        model=weighing.model,
        names=(items.classifiers[0], items.classifiers[1]),
        items=items.items,
        observed=weighing.observed,
        scores=scores,
        frequentist=_classical(weighing),
        notes=(*weighed_notes(weighing), *biased, *alike(items.classifiers, copies(items.outputs), items.items)),
        units=weighing.units,
        remedy=remedy(weighing, biased),
        exchangeable=exchangeable,
        grows=weighing.runs is None,
        variance=variance,
        scale=None if weighing.given is None else _scale(weighing.given.outputs),
        plain=weighing.plain(),
        unseen=weighing.unseen if weighing.free else None,
    )


def _draw(weighing: ItemStudy) -> tuple[FloatArray, dict[str, float] | None]:
    """Draw the scores; with several runs return also the variance of δ due to items and to runs."""
    scores, added = weighing.draw(), weighing.draw_runs()
    if added is None:
        return scores, None
    parts = {"items": scores, "runs": added}
    return weighing.moved(scores, added), {name: float((pair[:, 0] - pair[:, 1]).var()) for name, pair in parts.items()}


def _classical(weighing: ItemStudy) -> Any:
    """Return tests on items, or a function that makes them; none with runs or strata, nor for a user's function.

    To resample the items takes longer than all else, and not everybody reads the p-values.
    """
    question, measure = weighing.question, weighing.measure
    slow = measure is not None and measure.most_draws is not None
    if slow or weighing.runs is not None or len(weighing.items.stratum):
        return dict
    tests = partial(_tests, tests_of_pairs(weighing), weighing.rows, question)
    return tests if resamples_of(weighing.rows) else tests()  # many items are not kept for them


def _tests(of_pairs: PairTests, rows: Items, question: Question) -> dict[str, float | None]:
    found, seed = None, question.seed_of(Stream.TESTS)
    if resamples_of(rows):
        found = paired_bootstrap(rows, scorer_of(question, rows), seed)
    return of_pairs(0, 1) | {"paired_bootstrap": found}


def tests_of_pairs(weighing: ItemStudy) -> PairTests:
    """Return a function that gives every test on items of two systems, except those that resample them.

    It can be pickled, which a scorer cannot.
    """
    rows = weighing.rows
    if weighing.question.measure.name == "roc_auc" and rows.average == "binary" and not len(rows.cluster):
        return partial(_delong, rows, weighing.observed, weighing.moves)
    return partial(_item_tests, rows)


def _delong(rows: Items, observed: FloatArray, moves: FloatArray, i: int, j: int) -> dict[str, float | None]:
    return {"delong": delong(rows.select([i, j]), observed[[i, j]], moves[:, [i, j]])}


def _item_tests(rows: Items, i: int, j: int) -> dict[str, float | None]:
    return item_tests(rows.select([i, j]))


def _scale(scores: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the largest score, and the range of the scores."""
    low, high = min(float(system.min()) for system in scores), max(float(system.max()) for system in scores)
    return max(-low, high), high - low


def weighed_notes(weighing: ItemStudy) -> tuple[str, ...]:
    """Return notes on what is resampled, and if that is unreliable."""
    items, units, worth = weighing.items, weighing.weights.units, weighing.weights.worth
    notes = []
    if len(items.cluster):
        unequal = (
            f", and carry as much information as {worth:.0f} clusters of equal size" if worth < EQUAL * units else ""
        )
        notes.append(f"{units:,} clusters are resampled whole; they hold {items.items:,} items{unequal}.")
    if items.lone:
        notes.append(LONE.format(lone=items.lone, kind="cluster" if len(items.cluster) else "item"))
    if weighing.runs is not None:
        notes.append(_of_runs(weighing.runs))
    kind = "cluster" if len(items.cluster) else "item"
    rarer = weighing.units < worth and weighing.measure is not None and weighing.measure.of_classes
    if weighing.given is not None:
        sizes = (float(np.abs(output).max()) for output in weighing.given.outputs)
        notes += unit_remarks(dict(zip(weighing.given.classifiers, sizes, strict=True)))
    if weighing.measure is not None and weighing.measure.reads is as_probabilities:
        certain = [name for name, output in zip(items.classifiers, items.outputs, strict=True) if is_certain(output)]
        notes += [f"{name} gives no probability but 0 and 1, as labels do." for name in certain]
    notes += [UNMOVED] if weighing.constant else []
    return (*notes, *weighing.remarks, *few_units(kind, weighing.units, " of the rarer class" if rarer else ""))


def biases(weighing: ItemStudy, scores: FloatArray) -> tuple[str, ...]:
    """Return a note if noise alone adds so much to scores that differences make no verdict."""
    measure, names = weighing.measure, weighing.items.classifiers
    if measure is None or measure.noise is None:
        return ()
    added = measure.noise(weighing.items)
    least = min(float((scores[:, i] - scores[:, j]).std()) for i in range(len(names)) for j in range(i))
    if added.max() <= TOLERATED * least:
        return ()
    parts = ", ".join(f"{value:.3f} for {name}" for name, value in zip(names, added.tolist(), strict=True))
    return (BIASED.format(measure=measure.name, parts=parts),)


def remedy(weighing: ItemStudy, biased: Sequence[str]) -> str | Sentence:
    """Say what to do if no number of such items makes a verdict; empty otherwise."""
    return VARIED if weighing.constant else UNBIASED if biased else ""


def few_units(kind: str, number: float, whose: str = "") -> tuple[str, ...]:
    """Return a note if few units of a kind are resampled without a prior."""
    if number >= FEW_UNITS:
        return ()
    bold = "too few for a verdict" if number < FEWEST_UNITS else "the interval may be too narrow"
    few = f"{number:.3g} {kind}{'' if number == 1 else 's'}{whose}"
    return (f"The scores rest on only {few}: {bold}.",)


def _of_runs(runs: Runs) -> str:
    number = " and ".join(map(str, runs.number)) if len(runs.number) == 2 else f"{runs.number.sum()} in all"
    told = "" if runs.freedom >= ENOUGH_RUNS else ": from so few runs the variation between runs is uncertain"
    return f"Runs are resampled as well as items ({number}){told}."


def alike(names: Sequence[str], same: NDArray[np.bool_], items: float) -> tuple[str, ...]:
    """Return notes on which systems are copies of each other."""
    groups = dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in same)
    return tuple(
        f"{' and '.join(names[k] for k in group)} have the same output on {numbers.every(items)}."
        for group in groups
        if len(group) > 1
    )


def copies(columns: Sequence[Any]) -> NDArray[np.bool_]:
    """Return whether each pair of systems has identical outputs."""
    found: dict[bytes, int] = {}
    # Comparing all pairs of many systems would take much longer.
    place = np.array([found.setdefault(_content(np.asarray(column)), len(found)) for column in columns])
    same: NDArray[np.bool_] = place[:, None] == place
    return same


def _content(column: NDArray[Any]) -> bytes:
    """Return bytes that are the same for equal columns, whatever type they have; adding 0 makes -0.0 equal to 0.0."""
    if column.dtype.kind in "biuf":
        return (column.astype(np.float64) + 0.0).tobytes()
    return repr(column.tolist()).encode()
