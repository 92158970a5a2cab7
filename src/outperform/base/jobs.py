"""Helpers for joblib: results as they arrive, quiet cancellation, and a check that tasks can be pickled."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from outperform.base.errors import need
from outperform.base.sentences import Sentence, invalid

__all__ = ["arriving", "check_sendable", "handed_out"]

T = TypeVar("T")


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
