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
    """Return the column of ids that all tables have; None if they have none."""
    from outperform.io.guessing import columns_in, guess

    ids = {guess(columns_in(table), len(table.lines)).id for table in tables}
    return ids.pop() if len(ids) == 1 else None


def without_ids(ready: Asked, guessed: Guess) -> Found:
    """Several files and no ids: their rows may be the same items in the same order, or different items."""
    from outperform.io.side_by_side import in_order
    from outperform.io.tables import read

    files, unpaired = ready.options.files, "different items"
    reason = f"no column of ids (--id) matches the rows of {joined(files)}"
    choices: dict[str, Callable[[], Found]] = {unpaired: lambda: ready.but(model="unpaired")}
    one = guessed.truth is not None and len(guessed.predictions) == 1
    tables = [read(file) for file in files]
    pasted = in_order(tables, str(guessed.truth), guessed.predictions[0]) if one else None
    if pasted is None and (name := _repeated_id(tables)) is not None:
        return ready.but(id=name)  # reading says which id is repeated
    bare = [table.source for table in tables if guessed.truth is not None and guessed.truth not in table.values]
    if bare:
        lacks = f"{joined(bare)} {'has' if len(bare) == 1 else 'have'} no column {guessed.truth!r}"
        raise DataError(f"{reason}, and {lacks}; give all files a column of ids, or put the columns into one file")
    if pasted is None:
        return Doubt(f"{reason}; if they hold different items", "", choices)
    paired = replace(ready, pipe=pasted.pipe, how="rows matched in order").but(
        predictions=pasted.predictions, tables=(pasted.columns,)
    )
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
