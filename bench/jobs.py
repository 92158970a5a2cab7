"""Settings of a simulation side by side, by joblib: on the cores of this machine, or on a cluster.

A cluster is named by `joblib.parallel_config`, around the `main` of a simulation; its workers need this folder on their
path.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from joblib import Parallel, delayed

from bench import kept
from outperform.base.progress import bar

__all__ = ["fill", "option"]

Rows: TypeAlias = Callable[..., Iterable[Mapping[str, Any]]]


def option(parser: argparse.ArgumentParser) -> None:
    """How many at a time."""
    parser.add_argument("--processes", type=int, help="as joblib counts them; -1 for all cores")


def fill(file: Path, task: Rows, todo: Sequence[Iterable[Any]], processes: int | None) -> None:
    """Add the rows that a task makes of each setting, in the order of the settings and as soon as they are there."""
    parallel = Parallel(n_jobs=processes, return_as="generator")
    with bar("settings", len(todo)) as advance:
        try:
            for rows in parallel(delayed(_listed)(task, *setting) for setting in todo):
                kept.append(file, rows)
                advance(1)
        except KeyboardInterrupt:
            print(f"stopped; what is finished is in {file}", file=sys.stderr)
            raise


def _listed(task: Rows, *setting: Any) -> list[Mapping[str, Any]]:
    return list(task(*setting))
