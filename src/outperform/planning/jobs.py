"""Tasks by joblib where somebody asks for it: in other processes, or on a cluster."""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from outperform.errors import need
from outperform.posterior import is_whole, on_all_cores

__all__ = ["check_jobs", "in_order"]

T = TypeVar("T")


def check_jobs(n_jobs: int | None) -> int | None:
    """How many processes there are to be, as joblib counts them; None leaves it to joblib's settings."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be a whole number of processes, or -1 for as many as there are cores, got {n_jobs!r}"
        )
    return n_jobs


def in_order(task: Callable[[int], T], numbers: Sequence[int], n_jobs: int | None = None) -> Iterator[T]:
    """Results in order, as they come: by joblib if `n_jobs` or its `parallel_config` says so, else by threads."""
    parallel = _parallel(n_jobs)
    if parallel is None:
        yield from on_all_cores(task, numbers)
        return
    results = parallel(map(_sendable(task, parallel), numbers))
    try:
        for result in results:  # noqa: UP028 (closing must go through finally)
            yield result
    finally:
        with warnings.catch_warnings(action="ignore"):  # joblib would say that tasks were given up
            getattr(results, "close", list)()


def _parallel(n_jobs: int | None) -> Any:
    """What runs tasks; None for this process alone."""
    if n_jobs is None and sys.modules.get("joblib") is None:
        return None
    joblib = need("joblib", "sklearn")
    try:
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
    except ValueError:  # a backend that hands out all results at the end
        parallel = joblib.Parallel(n_jobs=n_jobs)
    return None if n_jobs is None and parallel.n_jobs == 1 else parallel


def _sendable(task: Callable[[int], T], parallel: Any) -> Callable[[int], Any]:
    """A task as joblib takes it; ValueError where it would have to leave this process and cannot."""
    joblib = need("joblib", "sklearn")
    wrapped = joblib.wrap_non_picklable_objects(task)
    backend, _ = joblib.parallel.get_active_backend()
    if parallel.n_jobs != 1 and not getattr(backend, "supports_sharedmem", False):
        try:
            pickle.dumps(wrapped)  # joblib would wait for ever for a cluster that never got it
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            message = "the measure or the model cannot be pickled, so other processes cannot simulate; leave n_jobs out"
            raise ValueError(f"{message}: {error}") from error
    delayed: Callable[[int], Any] = joblib.delayed(wrapped)
    return delayed
