"""Columns of scores that their names tell apart: what says which items are right, and several measures of a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from outperform.base.errors import DataError
from outperform.cli.asked import Doubt, Found, joined

if TYPE_CHECKING:
    from outperform.io.files import Columns
    from outperform.io.guessing import Guess
    from outperform.options import Options

__all__ = ["of_measures", "of_right"]

FEWEST_PERCENT, HUNDRED = 2, 100  # between which half of the scores are, or more, that are percentages


def of_right(table: Columns, options: Options, guessed: Guess, taken: Callable[[Guess], Found]) -> Doubt | None:
    """Offer columns of right and wrong as scores of a system each, where nothing else predicts the truth."""
    from outperform.io.judged import said_right

    right = said_right(table.values)
    if options.truth or options.predictions or len(guessed.predictions) > 1 or len(right) < 2:
        return None
    scores = replace(guessed, truth=None, predictions=right, scores=True, measure=None)
    reason = f"{table.source} has {joined(right)}; if each says which items a system has right"
    return Doubt(reason, "", {"scores": lambda: taken(scores)})


def of_measures(table: Columns, options: Options, guessed: Guess, taken: Callable[[Guess], Found]) -> Doubt | None:
    """Refuse scores by several measures, which are no systems; of several systems offer each measure."""
    from outperform.io.names import LOSSES

    if guessed.truth is None and not options.predictions:
        _check_scales(table, guessed.predictions)
    measures = _by_measure(guessed.predictions)
    if guessed.truth is not None or options.predictions or len(measures) < 2:
        return None
    choices = {
        measure: partial(taken, replace(guessed, predictions=names, lower=measure in LOSSES))
        for measure, names in measures.items()
        if len(names) > 1
    }
    found = f"{table.source} has scores by several measures, {joined(guessed.predictions)}"
    if not choices:
        raise DataError(
            f"{found}, as of one system; name the file of the other system too or, if each is a system, name them with "
            "--scores"
        )
    return Doubt(found, "Which measure?", choices, named=True)


def _check_scales(table: Columns, names: Sequence[str]) -> None:
    """Refuse percentages beside shares, as 47.9 beside 0.48, of which one system would win by its notation."""
    from outperform.data.labels import is_number
    from outperform.io.typed import with_points

    most: dict[str, tuple[float, float]] = {}
    for name in names:
        numbers = sorted(float(text) for text in with_points(map(str, table.values[name])) if is_number(text))
        if numbers and numbers[0] >= 0:
            most[name] = (numbers[len(numbers) // 2], numbers[-1])
    shares = [name for name, (_, top) in most.items() if top <= 1]
    percentages = [name for name, (middle, top) in most.items() if middle > FEWEST_PERCENT and top <= HUNDRED]
    if shares and percentages:
        found = f"{table.source} has scores from 0 to 1 in {shares[0]} and scores up to {most[percentages[0]][1]:g} in"
        raise DataError(f"{found} {percentages[0]}, which seem to be percentages; write all scores alike")


def _by_measure(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns of each measure by its name; empty if a column is of none."""
    from outperform.io.names import MEASURED, words_in

    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        measure = " ".join(word for word in words_in(name) if word in MEASURED)
        if not measure:
            return {}
        found[measure] = (*found.get(measure, ()), name)
    return found
