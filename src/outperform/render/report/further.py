"""What to do next in a notebook cell, where settings are arguments of Python."""

from __future__ import annotations

from typing import Any

from outperform.base.views import View
from outperform.render.ranking import next_of
from outperform.results import BySlice, PerClass, Ranking, Result, Sensitivity, Several, views
from outperform.results.advice import after_priors, after_verdicts
from outperform.results.base import Row
from outperform.results.words import called

__all__ = ["further"]

further: View[str] = View(".report")


@further.of(Result)
def after_table(r: Result) -> str:
    """The next step of the first table."""
    return r.tables()[0].next


@further.of(Row)
def after_row(r: Row) -> str:
    """The next step of one score."""
    return views.table_of_rows[type(r)]([r], called).next


@further.of(PerClass)
def after_classes(r: PerClass[Any]) -> str:
    """The next step of verdicts on classes, or of their scores."""
    return views.table_of_rows[type(r.rows[0])](r.rows, called).next


@further.of(Several)
def after_several(r: Several) -> str:
    """The next step of rows of one kind, or else of the first part."""
    kind = type(r.parts[0])
    if issubclass(kind, Row) and all(type(part) is kind for part in r.parts):
        return views.table_of_rows[kind](r.parts, called).next
    return further(r.parts[0])


@further.of(BySlice)
def after_slices(r: BySlice) -> str:
    """The next step of verdicts on slices."""
    return after_verdicts(r.rows, r.slices, f"{r.kind}s", called)


@further.of(Sensitivity)
def after_sensitivity(r: Sensitivity) -> str:
    """The next step of one comparison under several priors."""
    return after_priors(r.rows, called, robust=r.robust)


@further.of(Ranking)
def after_ranking(r: Ranking) -> str:
    """The next step of a ranking."""
    return next_of(r, called)
