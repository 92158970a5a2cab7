"""Run work on all cores that this process may use, by threads, or by joblib in other processes or on a cluster."""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from math import ceil, inf
from pathlib import Path
from typing import Any, TypeVar

from outperform.base.errors import need
from outperform.base.limits import is_whole
from outperform.base.progress import watched
from outperform.base.sentences import Sentence, invalid
from outperform.base.system import usable_cores

__all__ = ["arriving", "check_jobs", "check_sendable", "cores", "handed_out", "in_order", "on_all_cores"]

N = TypeVar("N")
T = TypeVar("T")

JOBS = "OUTPERFORM_JOBS"
QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container: microseconds per period, or "max"
OLD_QUOTA = Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")  # of the first version of control groups, -1 for none
OLD_PERIOD = Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
NOT_SENT = Sentence(
    "the measure or the model cannot be pickled, so other processes cannot simulate; leave {n_jobs} out"
)


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


def arriving(parallel: Callable[..., Any], n_jobs: int | None, *, ordered: bool) -> Any:
    """Return the joblib object, of this class, that yields results as they arrive, or as soon as its backend can."""
    try:
        return parallel(n_jobs=n_jobs, return_as="generator" if ordered else "generator_unordered")
    except ValueError:  # a backend that returns all results at the end
        return parallel(n_jobs=n_jobs)


def handed_out(results: Iterable[T]) -> Generator[T, None, None]:
    """Yield results as they arrive; closing the generator cancels the remaining tasks."""
    try:
        for result in results:  # noqa: UP028 (closing must go through finally)
            yield result
    finally:
        with warnings.catch_warnings(action="ignore"):  # joblib warns about cancelled tasks
            getattr(results, "close", list)()


def check_sendable(what: Any, parallel: Any, message: str | Sentence) -> None:
    """Raise a ValueError if a task cannot be pickled for another process, because a cluster would hang."""
    joblib = need("joblib", "sklearn")
    backend, _ = joblib.parallel.get_active_backend()
    if parallel.n_jobs == 1 or getattr(backend, "supports_sharedmem", False):
        return
    try:
        pickle.dumps(joblib.wrap_non_picklable_objects(what))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise invalid("{message}: {error}", message=message, error=error) from error


def check_jobs(n_jobs: int | None) -> int | None:
    """Check the number of processes, as joblib counts them; None leaves it to joblib's settings."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        found = "{n_jobs} must be a whole number of processes, or -1 for as many as there are cores, got {given!r}"
        raise invalid(found, given=n_jobs)
    return n_jobs


def in_order(task: Callable[[int], T], numbers: Sequence[int], n_jobs: int | None = None) -> Iterator[T]:
    """Results in order, as they come: by joblib if `n_jobs` or its `parallel_config` says so, else by threads."""
    parallel = _parallel(n_jobs)
    if parallel is None:
        yield from on_all_cores(task, numbers)
        return
    joblib = need("joblib", "sklearn")
    check_sendable(task, parallel, NOT_SENT)
    yield from handed_out(parallel(map(joblib.delayed(joblib.wrap_non_picklable_objects(task)), numbers)))


def _parallel(n_jobs: int | None) -> Any:
    """The joblib object that runs tasks; None for this process alone."""
    if n_jobs is None and sys.modules.get("joblib") is None:
        return None
    parallel = arriving(need("joblib", "sklearn").Parallel, n_jobs, ordered=True)
    return None if n_jobs is None and parallel.n_jobs == 1 else parallel
