"""How many systems are compared, where options do not say it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from outperform.base.errors import UndecidedError
from outperform.cli.reading import has_tasks, scores_of

if TYPE_CHECKING:
    from outperform.data.counts import Counts
    from outperform.io import ItemColumns
    from outperform.options import Options

__all__ = ["systems_in"]


def systems_in(options: Options, read: Counts | ItemColumns | None) -> int:
    """Return how many systems there are in what was read, or else in logs; 0 where logs leave something to choose."""
    from outperform.data.counts import Counts

    if isinstance(read, Counts):
        return len(read.classifiers)
    if options.compared or not options.logs or has_tasks(options):
        return len(options.compared)
    with suppress(UndecidedError):
        if (scored := scores_of(options)) is not None:
            return len(scored[0].values)
    return 0
