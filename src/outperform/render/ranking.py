"""Rankings as tables: the systems with their places, and every two of them."""

from __future__ import annotations

from collections.abc import Sequence

from outperform.formats import escaping, numbers
from outperform.formats.table import Column, Table
from outperform.render.text import TESTS, measured, worth
from outperform.results import Ranking, views

__all__ = ["MIRRORED"]

MOST_COLUMNS = 12  # systems of which a square is shown
TOP = 3


@views.line.of(Ranking)
def lines(r: Ranking) -> str:
    """A line for each system: its bands, its score, how likely it is to be the best."""
    r = escaping.shown(r)
    band, name = (
        max(map(escaping.width, column)) for column in zip(*((s.bands, s.name) for s in r.systems), strict=True)
    )
    digits = _digits(r)
    return "\n".join(
        f"{s.bands:<{band}}  {escaping.padded(s.name, name)}   {measured(r)} = {numbers.score(s.mean, digits)}   "
        f"P(best) = {numbers.percent(s.p_best)}"
        for s in r.systems
    )


@views.tables.of(Ranking)
def ranking_tables(r: Ranking) -> Sequence[Table]:
    """The systems, and every two of them."""
    return [systems_table(r), pairs_table(r)]


def systems_table(r: Ranking) -> Table:
    """Score, HDI, probability to be best and among the best three, expected rank and its interval, bands."""
    digits = _digits(r)
    top = min(TOP, len(r.systems) - 1)
    columns = [
        Column("band", "l"),
        Column("system", "l"),
        Column("observed"),
        Column("mean"),
        Column(f"{100 * r.mass:g}% HDI", "c"),
        Column("P(best)"),
        *([Column(f"P(top {top})")] if top > 1 else []),
        Column("rank"),
        Column(f"{100 * r.mass:g}%", "c"),
    ]
    rows = [
        [
            s.bands,
            s.name,
            numbers.score(s.observed, digits),
            numbers.score(s.mean, digits),
            numbers.interval(s.hdi, digits),
            numbers.percent(s.p_best),
            *([numbers.percent(s.p_top[top - 1])] if top > 1 else []),
            f"{s.rank:.1f}",
            "–".join(f"{end:g}" for end in dict.fromkeys(s.rank_interval)),
        ]
        for s in r.systems
    ]
    caption = f"{measured(r)} of {len(r.systems)} systems on {numbers.count(r.items)}; {_told(r)}"
    return Table(columns, rows, caption, r.signature, [*_bands(r), *_tests(r), *r.notes, *worth(r.verdicts)], _lead(r))


def pairs_table(r: Ranking) -> Table:
    """A square of verdicts (or of P(row > column) without a ROPE) where there is room for one, else a list."""
    names = [s.name for s in r.systems]
    mine, theirs = ("row", "column") if len(names) <= MOST_COLUMNS else ("a", "b")
    what = f"verdict on {mine} against {theirs}" if r.rope else f"P({mine} scores higher than {theirs})"
    cell = {}
    for pair in r.pairs:
        if pair.decision is not None:
            cell[pair.a, pair.b], cell[pair.b, pair.a] = pair.decision.symbol, MIRRORED[pair.decision.symbol]
        else:
            cell[pair.a, pair.b] = numbers.percent(pair.p_greater)
            cell[pair.b, pair.a] = numbers.percent(pair.p_less)
    if len(names) <= MOST_COLUMNS:
        columns = [Column("", "l"), *(Column(name, "c") for name in names)]
        rows = [[a, *("" if a == b else cell[a, b] for b in names)] for a in names]
        return Table(columns, rows, f"Every two systems: {what}", r.signature)
    columns = [Column("a", "l"), Column("b", "l"), Column("Δ"), Column(f"{100 * r.mass:g}% HDI", "c"), Column("a, b")]
    digits = _digits(r)
    rows = [
        [p.a, p.b, numbers.signed(p.mean, digits), numbers.interval(p.hdi, digits, difference=True), cell[p.a, p.b]]
        for p in r.pairs
    ]
    return Table(columns, rows, f"Every two systems: {what}", r.signature)


MIRRORED = {"≪": "≫", "≫": "≪", "<": ">", ">": "<", "≈": "≈", "?": "?"}


def _digits(r: Ranking) -> int:
    return numbers.decimals(min((s.sd for s in r.systems if s.sd > 0), default=0.001))


def _told(r: Ranking) -> str:
    if r.rope is None:
        return f"no ROPE: told apart where the {100 * r.mass:g}% HDI of the difference leaves out 0"
    return f"ROPE [{r.rope[0] + 0.0:+g}, {r.rope[1]:+g}]"


def _lead(r: Ranking) -> str:
    """The first, and those that it is not told apart from."""
    first = r.systems[0]
    also = [pair.b for pair in r.pairs if pair.a == first.name and not pair.separated]
    said = f"{first.name} comes first, P(best) = {numbers.percent(first.p_best)}"
    return f"{said}; not told apart from it: {', '.join(also)}" if also else f"{said}, told apart from all others"


def _bands(r: Ranking) -> list[str]:
    if all(len(group) == 1 for group in r.bands):
        return ["Every two systems are told apart."]
    return ["Systems that share a letter are not told apart: there is no order among them."]


def _tests(r: Ranking) -> list[str]:
    shown = [f"{TESTS.get(test, test)} {numbers.p_value(p)}" for test, p in r.frequentist.items()]
    return [f"Classical p-values: {', '.join(shown)}."] if shown else []
