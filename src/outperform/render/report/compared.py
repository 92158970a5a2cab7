"""The comparisons of a result that a report shows, each with its label: a class, a prior, a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from outperform.base.views import View
from outperform.results import BySlice, Comparison, Ranking, Result, Rows, Sensitivity, Several
from outperform.results.card import measured

__all__ = ["compared"]

Named: TypeAlias = Sequence[tuple[str, Comparison]]
compared: View[Named] = View(".report")


@compared.of(Result)
def none(_: Result) -> Named:
    """No comparisons, unless the kind of result has some."""
    return ()


@compared.of(Rows)
def of_rows(r: Rows) -> Named:
    """The comparisons of all rows."""
    return [pair for row in r.all_rows() if row is not r for pair in compared(row)]


@compared.of(Comparison)
def itself(r: Comparison) -> Named:
    """The comparison itself, labelled by its class or its pair."""
    return [(f"{r.a.name} − {r.b.name}" if r.class_ is None else str(r.class_), r)]


@compared.of(BySlice)
def of_slices(r: BySlice) -> Named:
    """The comparison of each slice."""
    return [(str(value), row) for value, row in zip(r.slices, r.rows, strict=True)]


@compared.of(Sensitivity)
def of_priors(r: Sensitivity) -> Named:
    """The comparison under each prior."""
    return [(row.prior, row) for row in r]


@compared.of(Ranking)
def with_the_first(r: Ranking) -> Named:
    """The first system against each of the others."""
    first, *others = (system.name for system in r.systems)
    return [(f"{first} − {other}", r.comparison(first, other)) for other in others]


@compared.of(Several)
def of_parts(several: Several) -> Named:
    """The comparisons of all parts, labelled by what they differ in: measure, pair, class."""
    rows = [r for _, r in of_rows(several)]
    pairs = [f"{r.a.name} − {r.b.name}" for r in rows]
    classes = any(r.class_ is not None for r in rows)

    def name(r: Comparison, pair: str) -> str:
        known = [r.measure] if len({r.measure for r in rows}) > 1 else []
        known += [pair] if len(set(pairs)) > 1 else []
        known += [measured(r) if r.class_ is None else str(r.class_)] if classes else []
        return ", ".join(known) or pair

    return [(name(r, pair), r) for r, pair in zip(rows, pairs, strict=True)]
