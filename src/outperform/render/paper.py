"""Tables for a paper: systems as rows, or classes and slices, with a caption that explains every mark.

Bold is the better system where the two are distinguishable: by the verdict or, without a ROPE, by an HDI of the
difference that excludes 0; of several systems the first, if it is distinguishable from all others. Otherwise no score
is bold, and the caption says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

from outperform.base.errors import amount, unknown
from outperform.formats import numbers
from outperform.formats.paper import ems
from outperform.formats.table import Column, Table
from outperform.render.captions import brief, capital, explained, intervals, joined, label_of, margin, marks, titled
from outperform.render.tables import remarks_of, signature_of
from outperform.results import BySlice, Comparison, Estimate, PerClass, Ranking, Result, Several, views
from outperform.results.card import comparison_digits
from outperform.results.ranking import Ranked
from outperform.verdicts.interval import holds
from outperform.verdicts.summary import Delta, Score

__all__: list[str] = []

Shown: TypeAlias = Score | Delta | Ranked | Estimate
Known: TypeAlias = Mapping[str, Column]

SHORT = 9.0  # width of two names that fit above numbers in a column, in the size of the letters
NOTHING = "–"


@views.paper.of(Result)
def no_paper(r: Result, columns: Sequence[str]) -> Sequence[Table]:  # noqa: ARG001
    """Say which results have a table for a paper."""
    raise ValueError(
        f"the style paper is for comparisons, rankings and estimates, not for a {type(r).__name__}; leave it out"
    )


@views.paper.of(Comparison)
def of_two(r: Comparison, columns: Sequence[str]) -> Sequence[Table]:
    """A row for each of the two systems, and one for their difference."""
    shown, higher = (r.a, r.b, r.delta), {r.a.name: r.delta.p_greater, r.b.name: r.delta.p_less}
    known = _of_scores(titled(r), r.delta.mass, comparison_digits(r)) | {
        "higher": Column("P(higher)", cell=lambda s: "" if isinstance(s, Delta) else numbers.percent(higher[s.name])),
        "rope": Column("in ROPE", cell=lambda s: _in_rope(r) if isinstance(s, Delta) else ""),
    }
    keys = _keys(columns, known, ("score", "interval"), shown)
    name = Column("system", "l", lambda s: _difference(r) if isinstance(s, Delta) else s.name)
    bold = [(k, place) for k in range(2) if shown[k] is r.leader for place in _places(keys, "score", "mean")]
    of_class = "" if r.class_ is None else f" of class {brief(r.class_)}"
    what = f"{capital(titled(r))}{of_class} on {numbers.count(r.items)}, {intervals(r.delta.mass, keys)}"
    texts = joined(what, *explained([r]), marks([r], _pair(r))), r.signature, remarks_of([r])
    label = label_of(titled(r), r.a.name, r.b.name)
    return [Table.of(shown, [name, *map(known.__getitem__, keys)], *texts, label=label, bold=bold, total=True)]


@views.paper.of(PerClass)
def per_class(r: PerClass[Any], columns: Sequence[str]) -> Sequence[Table]:
    """A row per class."""
    if isinstance(r.rows[0], Estimate):
        return [_of_estimates(r.rows, columns)]
    return [_of_rows(r.rows, [row.class_ for row in r.rows], "class", columns)]


@views.paper.of(BySlice)
def by_slice(r: BySlice, columns: Sequence[str]) -> Sequence[Table]:
    """A row per slice."""
    return [_of_rows(r.rows, r.slices, r.kind, columns)]


@views.paper.of(Several)
def of_several(r: Several, columns: Sequence[str]) -> Sequence[Table]:
    """One table of estimates, or of comparisons by measure; else the tables of all parts."""
    if all(isinstance(part, Estimate) for part in r.parts):
        return [_of_estimates(cast("Sequence[Estimate]", r.parts), columns)]
    if all(isinstance(part, Comparison) for part in r.parts):
        rows = cast("Sequence[Comparison]", r.parts)
        return [_of_rows(rows, [titled(row) for row in rows], "measure", columns)]
    return [table for part in r.parts for table in views.paper(part, columns)]


@views.paper.of(Estimate)
def of_one(r: Estimate, columns: Sequence[str]) -> Sequence[Table]:
    """A table of one row."""
    return [_of_estimates([r], columns)]


@views.paper.of(Ranking)
def of_ranking(r: Ranking, columns: Sequence[str]) -> Sequence[Table]:
    """A row per system, the best first, with letters for those that are not distinguishable."""
    known = _of_scores(titled(r), r.mass, numbers.decimals(*(system.sd for system in r.systems))) | {
        "best": Column("P(best)", cell=lambda s: numbers.percent(s.p_best)),
        "rank": Column("rank", cell=lambda s: f"{s.rank:.1f}"),
        "group": Column("", "l", lambda s: s.bands),
    }
    keys = _keys(columns, known, ("score", "interval", "best", "group"), r.systems)
    bold = [(0, place) for place in _places(keys, "score", "mean")] if r.leader else []
    told = "Bold: distinguishable from every other system"
    region = f"outside the region of practical equivalence (ROPE), {margin(r.rope)}" if r.rope else "above or below 0"
    caption = joined(
        f"{capital(titled(r))} of {len(r.systems)} systems on {numbers.count(r.items)}, {intervals(r.mass, keys)}",
        f"Two systems are distinguishable if the HDI of their difference lies {region}",
        "Systems that share a letter are not distinguishable" if "group" in keys else "",
        told if bold else "No score is bold: no system is distinguishable from every other one",
        "P(best): posterior probability of the best score" if "best" in keys else "",
    )
    chosen = [Column("system", "l", lambda s: s.name), *map(known.__getitem__, keys)]
    label = label_of(titled(r), "ranking")
    return [Table.of(r.systems, chosen, caption, r.signature, r.notes, label=label, bold=bold)]


def _of_rows(rows: Sequence[Comparison], names: Sequence[object], what: str, columns: Sequence[str]) -> Table:
    """A row per class, slice or measure: both scores, their difference, the verdict."""
    first = rows[0]
    heads = _heads(first)
    known = _of_pairs(first.delta.mass, max(map(comparison_digits, rows)), heads)
    usual = ("a", "b", "interval", "verdict") if first.rope else ("a", "b", "interval")
    keys = _keys(columns, known, usual, [row.delta for row in rows])
    leaders = ["" if row.leader is None else "a" if row.leader is row.a else "b" for row in rows]
    bold = [(k, place) for k, side in enumerate(leaders) for place in _places(keys, side)]
    a, b = brief(first.a.name), brief(first.b.name)
    said = f"Δ = {a} − {b}" if heads == (first.a.name, first.b.name) else f"A is {a}, B is {b}, Δ = A − B"
    title = "scores" if what == "measure" else titled(first)
    items = sum(row.items for row in rows) if what not in ("class", "measure") else first.items
    caption = joined(
        f"{capital(title)} per {what} on {numbers.count(items)}, {intervals(first.delta.mass, keys)}; {said}",
        *explained(rows),
        marks(rows, heads) if "verdict" in keys else "",
    )
    labels = iter([*names])
    chosen = [Column(what, "l", lambda _: str(next(labels))), *map(known.__getitem__, keys)]
    label = label_of(title, what, first.a.name, first.b.name)
    signature = signature_of(rows).but(n=f"{items:.15g}")
    return Table.of(rows, chosen, caption, signature, remarks_of(rows), label=label, bold=bold)


def _of_estimates(rows: Sequence[Estimate], columns: Sequence[str]) -> Table:
    """A row per system, or per class of one system."""
    first = rows[0]
    known = _of_scores(titled(first), first.mass, numbers.decimals(*(row.sd for row in rows)))
    known = known | {"items": Column("items", cell=lambda row: amount(row.items))}
    keys = _keys(columns, known, ("score", "interval"), rows)
    by_class = first.class_ is not None
    name = Column("class", "l", lambda row: str(row.class_)) if by_class else Column("system", "l", lambda s: s.name)
    whose = f" of {brief(first.name)} per class" if by_class else ""
    caption = joined(f"{capital(titled(first))}{whose} on {numbers.count(first.items)}, {intervals(first.mass, keys)}")
    notes = list(dict.fromkeys(note for row in rows for note in row.notes))
    label = label_of(titled(first), *dict.fromkeys(row.name for row in rows))
    return Table.of(rows, [name, *map(known.__getitem__, keys)], caption, signature_of(rows), notes, label=label)


def _of_scores(title: str, mass: float, digits: int) -> dict[str, Column]:
    """Columns of a score or a difference, by name."""

    def written(shown: Shown, value: float | None) -> str:
        form = numbers.signed if isinstance(shown, Delta) else numbers.score
        return NOTHING if value is None else form(value, digits)

    def half(shown: Shown) -> str:
        """Return the larger of the distances to the ends, so that the interval is covered."""
        middle = shown.mean if shown.observed is None else shown.observed
        return numbers.score(max(middle - shown.hdi[0], shown.hdi[1] - middle), digits)

    return {
        "score": Column(title, cell=lambda s: written(s, s.observed)),
        "mean": Column("mean", cell=lambda s: written(s, s.mean)),
        "sd": Column("sd", cell=lambda s: numbers.score(s.sd, digits)),
        "interval": Column(
            f"{100 * mass:g}% HDI", "c", lambda s: numbers.interval(s.hdi, digits, difference=isinstance(s, Delta))
        ),
        "half": Column("±", cell=half),
    }


def _of_pairs(mass: float, digits: int, heads: tuple[str, str]) -> dict[str, Column]:
    """Columns of a comparison that is one of several, by name."""
    scores, deltas = (_of_scores(title, mass, digits) for title in ("", "Δ"))
    sides = {side: replace(_part(scores["score"], side), header=head) for side, head in zip("ab", heads, strict=True)}
    sides |= {f"{side}-interval": _part(scores["interval"], side) for side in "ab"}
    of_delta = {"difference" if key == "score" else key: _part(column, "delta") for key, column in deltas.items()}
    of_delta["interval"] = replace(of_delta["interval"], header=f"{of_delta['interval'].header} of Δ")
    return {
        "items": Column("items", cell=lambda row: amount(row.items)),
        **sides,
        **of_delta,
        "higher": Column("P(Δ > 0)", cell=lambda row: numbers.percent(row.delta.p_greater)),
        "rope": Column("in ROPE", cell=_in_rope),
        "verdict": Column("", "c", lambda row: row.decision.symbol if row.decision else NOTHING),
    }


def _part(column: Column, name: str) -> Column:
    """Return the same column of a part of what is shown."""
    return replace(column, cell=lambda row: column.cell(getattr(row, name)))


def _keys(chosen: Sequence[str], known: Known, usual: Sequence[str], shown: Sequence[Shown]) -> list[str]:
    """Return the columns: those chosen, or the default ones.

    By default the posterior mean is shown where a score that was observed lies outside its interval.
    """
    for key in chosen:
        if key not in known:
            raise ValueError(unknown("column", key, known))
    odd = any(one.observed is not None and not holds(one.hdi, one.observed) for one in shown)
    at = usual.index("interval")
    return list(dict.fromkeys(chosen)) or [*usual[:at], *["mean"] * odd, *usual[at:]]


def _places(keys: Sequence[str], *wanted: str) -> list[int]:
    """Return where these columns are, after the names."""
    return [place for place, key in enumerate(keys, start=1) if key in wanted]


def _heads(r: Comparison) -> tuple[str, str]:
    """Return the names of the two, or A and B where these are too long to stand above numbers."""
    names = r.a.name, r.b.name
    return names if sum(map(ems, names)) <= SHORT else ("A", "B")


def _difference(r: Comparison) -> str:
    """Return the name of the row of the difference, with the verdict."""
    symbol = r.decision.symbol if r.decision else "−"
    return f" {symbol} ".join(_pair(r))


def _pair(r: Comparison) -> tuple[str, str]:
    """Return the names of the two where they are short."""
    names = r.a.name, r.b.name
    return names if _heads(r) == names else ("First", "second")


def _in_rope(r: Comparison) -> str:
    return numbers.percent(r.rope.probability) if r.rope else NOTHING
