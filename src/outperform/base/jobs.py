"""What all work by joblib needs: results that are given up without noise, and tasks that can be sent at all."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Generator, Iterable
from typing import Any, TypeVar

from outperform.base.errors import need
from outperform.base.sentences import Sentence

__all__ = ["check_sendable", "handed_out"]

T = TypeVar("T")


def handed_out(results: Iterable[T]) -> Generator[T, None, None]:
    """Results as they come; who stops early ends the work as well."""
    try:
        for result in results:  # noqa: UP028 (closing must go through finally)
            yield result
    finally:
        with warnings.catch_warnings(action="ignore"):  # joblib would say that tasks were given up
            getattr(results, "close", list)()


def check_sendable(what: Any, parallel: Any, message: str | Sentence) -> None:
    """ValueError where something would have to leave this process and cannot: a cluster would be waited for in vain."""
    joblib = need("joblib", "sklearn")
    backend, _ = joblib.parallel.get_active_backend()
    if parallel.n_jobs == 1 or getattr(backend, "supports_sharedmem", False):
        return
    try:
        pickle.dumps(joblib.wrap_non_picklable_objects(what))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ValueError(Sentence("{message}: {error}", message=message, error=error)) from error
