"""Tasks by joblib, if asked for: in other processes, or on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from outperform.base.errors import need
from outperform.base.jobs import arriving, check_sendable, handed_out
from outperform.base.limits import is_whole
from outperform.base.sentences import Sentence, invalid
from outperform.models.posterior import on_all_cores

__all__ = ["check_jobs", "in_order"]

T = TypeVar("T")
NOT_SENT = Sentence(
    "the measure or the model cannot be pickled, so other processes cannot simulate; leave {n_jobs} out"
)


def check_jobs(n_jobs: int | None) -> int | None:
    """Check the number of processes, as joblib counts them; None leaves it to joblib's settings."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise invalid(
            "{n_jobs} must be a whole number of processes, or -1 for as many as there are cores, got {given!r}",
            given=n_jobs,
        )
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
