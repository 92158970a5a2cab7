"""Run work on all cores that this process may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from math import ceil, inf
from pathlib import Path
from typing import TypeVar

from outperform.base.progress import watched
from outperform.base.system import usable_cores

__all__ = ["cores", "on_all_cores"]

N = TypeVar("N")
T = TypeVar("T")

JOBS = "OUTPERFORM_JOBS"
QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container: microseconds per period, or "max"
OLD_QUOTA = Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")  # of the first version of control groups, -1 for none
OLD_PERIOD = Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us")


def on_all_cores(task: Callable[[N], T], numbers: Iterable[N], workers: int | None = None) -> Iterator[T]:
    """Yield results in order, as they become available. Threads suffice: NumPy releases the GIL while it computes."""
    numbers = list(numbers)
    workers = min(len(numbers), workers or cores())
    if workers < 2:
        yield from watched(map(task, numbers), len(numbers))
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from watched(pool.map(task, numbers), len(numbers))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def cores() -> int:
    """Return how many cores to use: those of this process, at most its container's quota and OUTPERFORM_JOBS."""
    return int(min(usable_cores(), _quota(), _wanted()))


def _wanted() -> float:
    """Return the limit that the environment sets."""
    text = os.environ.get(JOBS, "")
    if not text:
        return inf
    if not text.isdecimal() or not int(text):
        raise ValueError(f"{JOBS} must be a whole number of at least 1, got {text!r}")
    return int(text)


def _quota() -> float:
    """Return the cores' worth of time that a container may use; without a limit, infinity."""
    try:
        if QUOTA.exists():
            quota, period = QUOTA.read_text(encoding="ascii").split()
        else:
            quota, period = (path.read_text(encoding="ascii") for path in (OLD_QUOTA, OLD_PERIOD))
        return inf if quota == "max" or int(quota) < 0 else max(1, ceil(int(quota) / int(period)))
    except (OSError, ValueError):
        return inf
