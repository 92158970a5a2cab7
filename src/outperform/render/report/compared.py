"""The comparisons that a report shows of a result, each with what tells it apart: a class, a prior, a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from outperform.base.views import View
from outperform.render.text import measured
from outperform.results import BySlice, Comparison, Ranking, Result, Rows, Sensitivity, Several

__all__ = ["compared"]

Named: TypeAlias = Sequence[tuple[str, Comparison]]
compared: View[Named] = View(".report")


@compared.of(Result)
def none(_: Result) -> Named:
    """Nothing that could be judged anew."""
    return ()


@compared.of(Rows)
def of_rows(r: Rows) -> Named:
    """Those of all rows."""
    return [pair for row in r.all_rows() if row is not r for pair in compared(row)]


@compared.of(Comparison)
def itself(r: Comparison) -> Named:
    """By its class where it has one."""
    return [(f"{r.a.name} − {r.b.name}" if r.class_ is None else str(r.class_), r)]


@compared.of(BySlice)
def of_slices(r: BySlice) -> Named:
    """Each by its slice."""
    return [(str(value), row) for value, row in zip(r.slices, r.rows, strict=True)]


@compared.of(Sensitivity)
def of_priors(r: Sensitivity) -> Named:
    """Each by its prior."""
    return [(row.prior, row) for row in r]


@compared.of(Ranking)
def with_the_first(r: Ranking) -> Named:
    """The first against each of the others."""
    first, *others = (system.name for system in r.systems)
    return [(f"{first} − {other}", r.comparison(first, other)) for other in others]


@compared.of(Several)
def of_parts(several: Several) -> Named:
    """Those of all parts, by what they differ in: measure, pair, class."""
    rows = [r for _, r in of_rows(several)]
    pairs = [f"{r.a.name} − {r.b.name}" for r in rows]
    classes = any(r.class_ is not None for r in rows)

    def name(r: Comparison, pair: str) -> str:
        known = [r.measure] if len({r.measure for r in rows}) > 1 else []
        known += [pair] if len(set(pairs)) > 1 else []
        known += [measured(r) if r.class_ is None else str(r.class_)] if classes else []
        return ", ".join(known) or pair

    return [(name(r, pair), r) for r, pair in zip(rows, pairs, strict=True)]
