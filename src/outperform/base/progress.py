"""A progress bar on standard error for long work, shown only on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar"]


@contextmanager
def bar(what: str, total: int, *, done: int = 0, show: bool = True) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances the bar by a number of steps."""
    if not show:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as shown:
        task = shown.add_task(what, total=total, completed=done)
        yield lambda more: shown.advance(task, more)
