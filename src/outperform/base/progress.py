"""A bar on standard error for long work, where that is a terminal and somebody may be waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar"]


@contextmanager
def bar(what: str, total: int, *, done: int = 0, show: bool = True) -> Iterator[Callable[[int], None]]:
    """Give a function that says that so many more are done."""
    if not show:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as shown:
        task = shown.add_task(what, total=total, completed=done)
        yield lambda more: shown.advance(task, more)
