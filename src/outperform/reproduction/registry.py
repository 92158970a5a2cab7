"""The tables and figures by name, and how one or all of them are recomputed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from outperform.base.errors import DataError, unknown
from outperform.reproduction.result import Reproduction, Reproductions

__all__ = ["REPRODUCTIONS", "Recipe", "reproduction", "run", "run_all"]

Compute = Callable[[int, Any], Reproduction]  # of a seed and a corpus: its path, or what was read of it
Read = Callable[[str, int, str | None, int | None], Any]  # a path, a seed, where fits are kept, and how many at a time


class Recipe(NamedTuple):
    """A title, a function, what `corpus` may be, whether it is required, and how it is read and trained on."""

    title: str
    compute: Compute
    corpus: str
    needed: bool
    read: Read | None


REPRODUCTIONS: dict[str, Recipe] = {}


def reproduction(
    name: str, title: str, corpus: str = "", *, needed: bool = False, read: Read | None = None
) -> Callable[[Compute], Compute]:
    """Register a function by the name of its table or figure."""

    def register(compute: Compute) -> Compute:
        REPRODUCTIONS[name] = Recipe(title, compute, corpus, needed, read)
        return compute

    return register


def run(
    name: str, seed: int = 0, corpus: str | None = None, *, cache: str | None = None, jobs: int | None = None
) -> Reproduction:
    """Recompute a table or a figure.

    Parameters
    ----------
    name : str
        One of `REPRODUCTIONS`.
    seed : int
        Of all that is drawn.
    corpus : str, optional
        A file in place of the shipped data, or where none are shipped.
    cache : str, optional
        A folder in which fits are kept, so that a run that was stopped goes on; one below ~/.cache/outperform, unless
        told.
    jobs : int, optional
        Fits at the same time, as in joblib.
    """
    if name not in REPRODUCTIONS:
        raise ValueError(unknown("reproduction", name, [*REPRODUCTIONS, "all"]))
    title, compute, wanted, needed, read = REPRODUCTIONS[name]
    if corpus is None and needed:
        raise DataError(f"{name} needs data that are not included; with --corpus give {wanted}")
    if corpus is not None and not wanted:
        raise ValueError(f"{name} uses only the included data; omit --corpus")
    given: Any = corpus
    if read is not None and corpus is not None:
        given = read(corpus, seed, cache, jobs)
    elif cache is not None or jobs is not None:
        raise ValueError(f"{name} trains no model; omit --cache and --jobs")
    return replace(compute(seed, given), name=name, title=title)


def run_all(seed: int = 0) -> Reproductions:
    """Recompute everything that needs only the included data."""
    shipped = [name for name, recipe in REPRODUCTIONS.items() if not recipe.needed]
    left_out = [f"{name} is left out because it needs {r.corpus}." for name, r in REPRODUCTIONS.items() if r.needed]
    return Reproductions(tuple(run(name, seed) for name in shipped), tuple(left_out))
