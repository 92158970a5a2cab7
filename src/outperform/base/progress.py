"""A progress bar on standard error for long work: on a terminal where a command is run, and in notebooks.

Work that may be long or short gets its bar after a second (`watched`), if somebody watches: the command line says so
for its commands, and in a notebook somebody always does. Python elsewhere is silent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

__all__ = ["bar", "watched", "watching"]

T = TypeVar("T")

SOON = 1.0  # seconds after which a bar appears
WATCHING: ContextVar[bool] = ContextVar("watching", default=False)
ONE_AT_A_TIME = Lock()  # a terminal has room for one bar


@contextmanager
def watching() -> Iterator[None]:
    """Show the progress of long work within."""
    before = WATCHING.set(True)
    try:
        yield
    finally:
        WATCHING.reset(before)


def watched(results: Iterable[T], total: int) -> Generator[T, None, None]:
    """Yield results, with a bar once they have taken more than a second."""
    if total < 2 or not (WATCHING.get() or "ipykernel" in sys.modules):
        yield from results
        return
    begun, done, results = monotonic(), 0, iter(results)
    for result in results:
        yield result
        done += 1
        if monotonic() - begun > SOON:
            break
    with bar("computing", total, done=done, show=done < total) as advance:
        for result in results:
            yield result
            advance(1)


@contextmanager
def bar(what: str, total: int, *, done: int = 0, show: bool = True) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances the bar by a number of steps; inside another bar it is not shown."""
    if not show or not ONE_AT_A_TIME.acquire(blocking=False):
        yield lambda _: None
        return
    try:
        with _shown() as progress:
            task = progress.add_task(what, total=total, completed=done)
            yield lambda more: progress.advance(task, more)
    finally:
        ONE_AT_A_TIME.release()


def _shown() -> Any:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not (console.is_terminal or console.is_jupyter))
