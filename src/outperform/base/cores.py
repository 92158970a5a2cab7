"""Run work on all cores of the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["cores", "on_all_cores"]

N = TypeVar("N")
T = TypeVar("T")


def on_all_cores(task: Callable[[N], T], numbers: Iterable[N], workers: int | None = None) -> Iterator[T]:
    """Yield results in order, as they become available. Threads suffice: NumPy releases the GIL while it computes."""
    numbers = list(numbers)
    workers = min(len(numbers), workers or cores())
    if workers < 2:
        yield from map(task, numbers)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from pool.map(task, numbers)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def cores() -> int:
    """Return the number of cores that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
