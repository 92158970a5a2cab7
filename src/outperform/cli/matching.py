"""How the rows of several files go together: by a column of ids, in their order, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from outperform.base.errors import DataError
from outperform.cli.asked import Asked, Doubt, Found, joined

if TYPE_CHECKING:
    from outperform.io.files import Columns
    from outperform.io.guessing import Guess

__all__ = ["shared_id", "without_ids"]


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
