"""Rankings as tables: the systems with their places, and every two of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from outperform.base.sentences import Words
from outperform.formats import escaping, numbers
from outperform.formats.table import Column, Table
from outperform.inference.question import CountQuestion
from outperform.render.screen import LEFT_OUT, tables_text
from outperform.render.tables import INTERVAL, SIGNS
from outperform.render.text import p_values, worth
from outperform.results import Ranked, Ranking, views
from outperform.results.card import measured
from outperform.results.words import typed

__all__ = ["by_pair", "next_of"]

MOST_COLUMNS = 12  # systems of which a square is shown
ON_SCREEN = 6  # systems up to which it fits one screen with the table above it
TOP = 3  # ranks whose probability a table gives together
MOST_NAMED = 4  # systems after the first that a sentence names
AMONG = "Choose among {names} by other reasons, such as cost, or collect more items{plan}."
SAME = "Choose among {names} by other reasons, such as cost: the first is practically the same as the others."
MIRRORED = {"≪": "≫", "≫": "≪", "<": ">", ">": "<", "≈": "≈", "?": "?"}


@views.line.of(Ranking)
def lines(r: Ranking) -> str:
    """One line per system: its bands, its score, the probability that it is the best."""
    r = escaping.shown(r)
    band, name = (
        max(map(escaping.width, column)) for column in zip(*((s.bands, s.name) for s in r.systems), strict=True)
    )
    digits = _digits(r)
    return "\n".join(
        f"{s.bands:<{band}}  {escaping.padded(s.name, name)}   {measured(r)} = {numbers.score(s.mean, digits)}   "
        + numbers.chance("best", s.p_best)
        for s in r.systems
    )


@views.tables.of(Ranking)
def ranking_tables(r: Ranking) -> Sequence[Table]:
    """The systems, and every two of them."""
    return [systems_table(r), pairs_table(r)]


def systems_table(r: Ranking, *, tests: bool = True) -> Table:
    """Score, HDI, probability to be best and among the best three, expected rank and its interval, bands."""
    digits, mass = _digits(r), f"{100 * r.mass:g}%"
    top = min(TOP, len(r.systems) - 1)
    among = f"probability to be among the best {top}"
    top_column = Column(f"P(top {top})", "r", lambda s: numbers.percent(s.p_top[top - 1]), 3, among)
    columns = [
        Column("band", "l", lambda s: s.bands),
        Column("system", "l", lambda s: s.name),
        Column("observed", "r", lambda s: numbers.score(s.observed, digits), 4, "score on these items"),
        Column("mean", "r", lambda s: numbers.score(s.mean, digits), 0, "posterior mean"),
        Column(
            f"{mass} HDI", "c", lambda s: numbers.interval(s.hdi, digits), 0, f"{INTERVAL}, the most probable {mass}"
        ),
        Column("P(best)", "r", lambda s: numbers.percent(s.p_best), 0, "probability to be the best"),
        *([top_column] if top > 1 else []),
        Column("rank", "r", lambda s: f"{s.rank:.1f}", 1, "expected rank"),
        Column(mass, "c", _ranks, 2, "interval of the rank"),
    ]
    caption = f"{measured(r)} of {len(r.systems)} systems on {numbers.count(r.items)}; {_told(r)}"
    tested = [f"{p_values(r)}."] if tests and r.frequentist else []
    remarks = [*_bands(r), *worth(r.verdicts, rope=r.rope is not None), *r.notes, *tested]
    ranked = {"order": range(len(r.systems)), "rest": "with later ranks", "next": next_of(r)}
    return Table.of(r.systems, columns, caption, r.signature, remarks, _lead(r), **ranked)


@views.text.of(Ranking)
def ranking_text(r: Ranking, width: int | None, *, verbose: bool) -> str:
    """Both tables; every two systems in a list where a square does not fit, and of many only on request."""
    pairs = pairs_table(r)
    if width is not None and sum(escaping.width(column.header) + 2 for column in pairs.columns) > width:
        pairs = pairs_table(r, square=False)
    systems = systems_table(r, tests=verbose)
    if verbose or len(r.systems) <= ON_SCREEN:
        return tables_text([systems, pairs], width, verbose=verbose)
    left_out = LEFT_OUT.format(what=f"{pairs.caption} are")
    return tables_text([replace(systems, remarks=[f"{left_out}.", *systems.remarks])], width, verbose=verbose)


def pairs_table(r: Ranking, *, square: bool = True) -> Table:
    """A square of verdicts (or of P(row > column) without a ROPE) where there is room for one, else a list."""
    names = [s.name for s in r.systems]
    square = square and len(names) <= MOST_COLUMNS
    mine, theirs = ("row", "column") if square else ("a", "b")
    what = f"verdict on {mine} against {theirs}" if r.rope else f"P({mine} scores higher than {theirs})"
    cell = {names: text for names, text, _ in by_pair(r)}
    signs = [f"{SIGNS.format(a=f'the {mine}', b=f'the {theirs}')}."] if r.rope else []
    if square:
        columns = [Column("", "l"), *(Column(name, "c") for name in names)]
        rows = [[a, *(cell.get((a, b), "") for b in names)] for a in names]
        return Table(columns, rows, f"Every two systems: {what}", r.signature, signs)
    digits = _digits(r)
    columns = [
        Column("a", "l", lambda p: p.a),
        Column("b", "l", lambda p: p.b),
        Column("Δ", cell=lambda p: numbers.signed(p.mean, digits), spare=1),
        Column(f"{100 * r.mass:g}% HDI", "c", lambda p: numbers.interval(p.hdi, digits, difference=True)),
        Column("a, b", cell=lambda p: cell[p.a, p.b]),
    ]
    return Table.of(r.pairs, columns, f"Every two systems: {what}", r.signature, signs)


def by_pair(r: Ranking) -> Iterator[tuple[tuple[str, str], str, float]]:
    """Every ordered pair, its verdict (or the probability without a ROPE) as text, and P(the first scores higher)."""
    for pair in r.pairs:
        symbol = pair.decision and pair.decision.symbol
        for names, p, sign in (
            ((pair.a, pair.b), pair.p_greater, symbol),
            ((pair.b, pair.a), pair.p_less, symbol and MIRRORED[symbol]),
        ):
            yield names, sign or numbers.percent(p), p


def _ranks(system: Ranked) -> str:
    """The interval of a rank, or the one rank that it has."""
    return "–".join(f"{end:g}" for end in dict.fromkeys(system.rank_interval))


def _digits(r: Ranking) -> int:
    return numbers.decimals(min((s.sd for s in r.systems if s.sd > 0), default=0.001))


def _told(r: Ranking) -> str:
    if r.rope is None:
        return f"no ROPE: distinguishable where the {100 * r.mass:g}% HDI of the difference leaves out 0"
    return f"differences in the ROPE, [{r.rope[0] + 0.0:+g}, {r.rope[1]:+g}], do not matter"


def next_of(r: Ranking, words: Words = typed) -> str:
    """What to do: use the leader, or choose among those that may be as good."""
    if r.leader:
        return f"Use {r.leader.name}."
    first, also = r.systems[0].name, _as_good(r)
    others = also if len(also) < MOST_NAMED else [f"{len(also)} others"]
    advice = AMONG if len(_same(r)) < len(also) else SAME
    plan = words("plan_for_two", "") if isinstance(r.evidence.question, CountQuestion) else ""
    return advice.format(names=f"{', '.join([first, *others[:-1]])} and {others[-1]}", plan=plan) if also else ""


def _as_good(r: Ranking) -> list[str]:
    """The systems that are not distinguishable from the first."""
    return [pair.b for pair in r.pairs if pair.a == r.systems[0].name and not pair.separated]


def _same(r: Ranking) -> list[str]:
    """The systems that are practically the same as the first."""
    first = [pair for pair in r.pairs if pair.a == r.systems[0].name]
    return [pair.b for pair in first if pair.decision and pair.decision.name == "equivalent"]


def _lead(r: Ranking) -> str:
    """The first system, those that are practically the same, and those that may be as good."""
    first, also, same = r.systems[0], _as_good(r), _same(r)
    said = f"{first.name} comes first, {numbers.chance('best', first.p_best)}"
    if not also:
        return f"{said}, distinguishable from all others"
    kinds = {
        "practically the same": same,
        "not distinguishable from it": [name for name in also if name not in same],
    }
    return "; ".join([said, *(f"{what}: {', '.join(names)}" for what, names in kinds.items() if names)])


def _bands(r: Ranking) -> list[str]:
    if all(len(group) == 1 for group in r.bands):
        return ["Every two systems are distinguishable."]
    return ["Systems that share a letter are not distinguishable: there is no order among them."]
