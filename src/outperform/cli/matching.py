"""How the rows of several files go together: by a column of ids, in their order, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from outperform.base.errors import DataError
from outperform.cli.asked import Asked, Doubt, Found, joined

if TYPE_CHECKING:
    from outperform.io.files import Columns
    from outperform.io.guessing import Guess, SeenColumn
    from outperform.options import Options

PROBABILITIES = ("prob", "proba", "probability", "p", "probs", "logit")

__all__ = ["check_scores", "scored_by_file", "shared_id", "without_ids"]


def shared_id(tables: Sequence[Columns]) -> str | None:
    """Return the column of ids that all tables have, with most of the same values; None if they have none."""
    from outperform.io.guessing import columns_in, guess, ids_of

    named = [ids_of(columns_in(table), len(table.lines)) for table in tables]
    first = {guess(columns_in(table), len(table.lines)).id for table in tables}
    every = [name for name in named[0] if all(name in others for others in named[1:])]
    usual = first.pop() if len(first) == 1 else None
    return max(every, key=lambda name: (_shared(tables, name), name == usual), default=usual)


def _shared(tables: Sequence[Columns], name: str) -> int:
    """Return how many values of a column all tables have."""
    return len(set.intersection(*(set(map(str, table.values[name])) for table in tables)))


def scored_by_file(
    tables: Sequence[Columns], columns: Sequence[SeenColumn], guessed: Guess, options: Options
) -> Doubt | None:
    """Files with the same columns, of which none is the truth: each has the scores of one system, in one of them."""
    from outperform.io.judged import are_judged
    from outperform.io.names import LOSSES, words_in

    labelled = _are_labels(columns, guessed)
    alone = guessed.truth is None and len(guessed.predictions) == 1
    named = guessed.sure and guessed.truth is not None
    if options.truth or options.predictions or named or labelled or alone:
        return None
    if any(table.values.keys() != tables[0].values.keys() for table in tables):
        return None
    id_ = options.id or shared_id(tables)
    names = _differing(tables, columns, id_)
    truth = next((column for column in columns if column.name == guessed.truth), None)
    agreed = truth is not None and truth.different > 1 and _agree(tables, truth.name, id_)  # as a truth does
    if not names or (guessed.scores and agreed):
        return None

    def taken(name: str) -> Found:
        lower = bool(set(words_in(name)) & set(LOSSES))
        verb = "compare" if len(tables) == 2 else "rank"
        return Asked(verb, replace(options, scores=(name,), id=id_, lower_is_better=lower or options.lower_is_better))

    first, sources = names[0], joined([table.source for table in tables])
    if are_judged(tables[0].values[first]):
        reason = f"nothing predicts {first}; if {first} says which items a system has right"
    else:
        reason = f"{sources} have the same columns, and none is called the truth; if {first} is the score of each item"
    return Doubt(reason, "Which column has the scores?", {name: partial(taken, name) for name in names})


def check_scores(tables: Sequence[Columns], guessed: Guess) -> None:
    """Refuse predictions without a truth, of which the larger are not the better: all files name them alike."""
    from outperform.io.names import LOSSES, plain, says_predicted, says_true, words_in

    for name in guessed.predictions if guessed.truth is None and len(tables) > 1 else ():
        called = set(words_in(name)) & {"score", "scores", *LOSSES}
        likely = not called and (plain(name) in PROBABILITIES or says_true(name) or says_predicted(name))
        if likely and all(name in table.values for table in tables):
            found = (
                f"{joined([table.source for table in tables])} have {name}, which seems to be predicted, and no truth"
            )
            raise DataError(f"{found}; name the file of the truth too or, if these are scores, call the column score")


def _are_labels(columns: Sequence[SeenColumn], guessed: Guess) -> bool:
    """Whether some columns predict labels of another, most of which it has: counts are no labels of other counts."""
    labels = {column.name: {*column.labels} for column in columns}
    true = labels.get(str(guessed.truth), set())
    said = [labels[name] for name in guessed.predictions if name in labels]
    return not guessed.scores and any(2 * len(mine & true) >= len(mine) for mine in said)


def _differing(tables: Sequence[Columns], columns: Sequence[SeenColumn], id_: str | None) -> list[str]:
    """Return the columns of numbers, or of right and wrong, in which the tables differ; the likeliest first."""
    from outperform.io.guessing import ids_of
    from outperform.io.judged import are_judged
    from outperform.io.names import COSTS, says_predicted, words_in

    ids = {id_, *ids_of(columns, len(tables[0].lines))}
    judged = {column.name for column in columns if are_judged(tables[0].values[column.name])}
    found = [
        column
        for column in columns
        if (column.numbers or column.whole or column.name in judged)
        and not (column.name in ids or says_predicted(column.name) or _agree(tables, column.name, id_))
    ]
    return [
        column.name
        for column in sorted(
            found,
            key=lambda c: (bool(set(words_in(c.name)) & set(COSTS)), c.name not in judged, not c.numbers),
        )
    ]


def _agree(tables: Sequence[Columns], name: str, id_: str | None) -> bool:
    """Whether all tables have the same values in a column, item by item."""
    keys = [range(len(table.lines)) if id_ is None else map(str, table.values[id_]) for table in tables]
    first, *others = (dict(zip(key, table.values[name], strict=True)) for key, table in zip(keys, tables, strict=True))
    return all(first[key] == value for other in others for key, value in other.items() if key in first)


def without_ids(ready: Asked, guessed: Guess) -> Found:
    """Several files and no ids: their rows may be the same items in the same order, or different items."""
    from outperform.io.side_by_side import in_order
    from outperform.io.tables import read

    files, unpaired = ready.options.files, "different items"
    reason = f"no column of ids (--id) matches the rows of {joined(files)}"
    choices: dict[str, Callable[[], Found]] = {unpaired: lambda: ready.but(model="unpaired")}
    tables = [read(file) for file in files]
    pasted = in_order(tables, guessed.truth, guessed.predictions[0]) if len(guessed.predictions) == 1 else None
    if pasted is None and (name := _repeated_id(tables)) is not None:
        return ready.but(id=name)  # reading says which id is repeated
    bare = [table.source for table in tables if guessed.truth is not None and guessed.truth not in table.values]
    if bare:
        lacks = f"{joined(bare)} {'has' if len(bare) == 1 else 'have'} no column {guessed.truth!r}"
        raise DataError(f"{reason}, and {lacks}; give all files a column of ids, or put the columns into one file")
    if pasted is None and guessed.truth is None:
        raise DataError(f"{reason}; give all files a column of ids, or put the scores into one, a column per system")
    if pasted is None:
        return Doubt(f"{reason}; if they hold different items", "", choices)
    paired = replace(ready, pipe=pasted.pipe, how="rows matched in order").but(tables=(pasted.columns,))
    if guessed.truth is None:
        scored = paired.but(scores=pasted.predictions)
        return Doubt(f"{reason}; if they hold the same items, in the same order", "", {"the same": lambda: scored})
    paired = paired.but(predictions=pasted.predictions)
    reason = f"{reason}, but their true labels are the same in the same order; if their rows are the same items"
    return Doubt(reason, "What are the rows?", {"the same items, in the same order": lambda: paired, **choices})


def _repeated_id(tables: Sequence[Columns]) -> str | None:
    """The column that is named as ids are in all tables, and in one of them has a few values twice."""
    from outperform.io.guessing import columns_in, named_id

    almost = [
        {column.name for column in columns_in(table) if named_id(column) and 2 * column.different > len(table.lines)}
        for table in tables
    ]
    shared = set.intersection(*almost)
    return shared.pop() if len(shared) == 1 else None
