"""Power and plans in words, as tables, and as a curve of bars for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from outperform.formats import escaping, numbers, writers
from outperform.formats.table import Column, Table
from outperform.formats.writers import fitting
from outperform.render.card import next_line
from outperform.render.layout import noted, paragraphs
from outperform.results import Plan, Power, views
from outperform.results.card import basis, measured
from outperform.verdicts.decision import OUTCOMES

__all__ = ["GOALS"]

GOALS = {
    "better": "show that {a} is better than {b}",
    "worse": "show that {a} is worse than {b}",
    "equivalent": "show that {a} and {b} are practically the same",
    "decided": "decide between {a} and {b}",
    "not_worse": "show that {a} is not worse than {b}",
    "precise": "bring the HDI of {a} − {b} to a width of {width:g}",
}
VERDICTS = ("worse", "slightly_worse", "undecided", "slightly_better", "better", "equivalent")
EIGHTHS = " ▏▎▍▌▋▊▉"
MOST_SHOWN = 30  # sizes in a line
WORTH_SAYING = 1.05  # times as many items
SHORTEST, LONGEST = 10, 40  # bar, in characters
ENOUGH = 0.8  # power that studies are usually planned for, and the default of plan
COMPARE = "Compare them (outperform compare)."
SHARE = "share of {studies:,} simulated studies that reach the goal"


@views.line.of(Power)
def power_line(r: Power) -> str:
    """One line: power to show that A is better than B: 0.28 at 500, 0.52 at 1,000 items."""
    r = escaping.shown(r)
    shown = [f"{p.reached:.2f} at {p.items:,}" for p in r.points[:MOST_SHOWN]]
    return f"power to {_goal(r)}: {', '.join(shown)} items"


@views.line.of(Plan)
def plan_line(r: Plan) -> str:
    """One line: about 1,200 more items to decide between A and B with probability 0.8."""
    r = escaping.shown(r)
    if not r.further:
        return f"no more items needed to {_goal(r)}"
    return f"about {numbers.about(r.further)} {_more(r)} to {_goal(r)} with probability {r.power:g}"


@views.text.of(Power)
def power_report(r: Power, width: int | None, *, verbose: bool) -> str:
    """Write the settings and the next step, the curve, the method or the signature."""
    r = escaping.shown(r)
    last = r.signature if verbose else basis(r.signature)
    first = f"{_settings(r)}\n{next_line(_enough(r))}"
    return paragraphs(first, _curve(r, "power", width), noted(*r.notes), last)


def _enough(r: Power) -> str:
    """The smallest of the sizes that do, or how to find one."""
    enough = [p for p in r.points if p.reached >= ENOUGH]
    if enough:
        return f"Collect {enough[0].items:,} {_more(r)}, of these sizes the first with a power of {ENOUGH} or more."
    return f"Try larger sizes: none of these has a power of {ENOUGH}; outperform plan searches for the number."


@views.text.of(Plan)
def plan_report(r: Plan, width: int | None, *, verbose: bool) -> str:
    """Write how many more items are needed and why, the curve, the method or the signature."""
    r = escaping.shown(r)
    if r.further:
        low, high = map(numbers.about, r.interval)
        like = f", if they are like the {r.items:,.0f} items of the pilot" if r.items else ""
        first = (
            f"About {numbers.about(r.further)} {_more(r)} ({low} to {high}) {_goal(r)} with probability "
            f"{r.power:g}{like}."
        )
    else:
        first = f"No more items are needed to {_goal(r)}: the {r.items:,.0f} items of the pilot are enough."
    further = f"Collect {numbers.about(r.further)} {_more(r)}, then compare all of them together."
    parts = [f"{first}\n{next_line(further if r.further else COMPARE)}"]
    if r.limit < 1 and r.further:
        parts.append(f"With unlimited items that probability would be {numbers.percent(r.limit)}.")
    if r.if_so is not None:
        fewer = r.if_so <= r.further
        why = (
            "The others allow for the uncertainty of the pilot."
            if fewer
            else "That difference is close to the boundary of the ROPE; other possible differences need fewer items."
        )
        so = f"about {numbers.about(r.if_so)} would {'be enough' if fewer else 'be needed'}"
        parts.append(f"If the pilot's mean difference were the truth, {so}. {why}")
    if r.pairing and r.pairing.factor >= WORTH_SAYING:
        parts.append(
            f"Pairing is worth {r.pairing.factor:.2g} times as many items: for the precision of these "
            f"{numbers.about(r.items + r.further)} items an unpaired comparison would need about "
            f"{numbers.about(r.pairing.items)}."
        )
    curve = _curve(r, "assurance", width) if r.points else ""
    return paragraphs(*parts, curve, noted(*r.notes), r.signature if verbose else basis(r.signature))


@views.tables.of(Power)
def power_tables(r: Power) -> Sequence[Table]:
    """A table with one line per size."""
    return [power_table(r)]


@views.tables.of(Plan)
def plan_tables(r: Plan) -> Sequence[Table]:
    """The plan, and the curve around it."""
    return [plan_table(r), *([power_table(r, name="assurance")] if r.points else [])]


def power_table(r: Power, *, name: str = "power") -> Table:
    """Size by size: the share of studies that reach the goal, its error, and the shares of the verdicts."""
    verdicts = VERDICTS if r.rope else ()
    shares = f"shares of the verdicts, from {r.a} worse to {r.a} better, and practically the same"
    columns = [
        Column(_more(r)),
        Column(name, means=SHARE.format(studies=r.studies)),
        Column("s.e.", spare=1, means="its standard error"),
        *(Column(OUTCOMES[verdict][0], spare=2, means=shares) for verdict in verdicts),
    ]
    rows = [
        [f"{p.items:,}", f"{p.reached:.3f}", f"{p.error:.3f}"]
        + [f"{p.verdicts[verdict]:.3f}" for verdict in verdicts if p.verdicts]
        for p in r.points
    ]
    return Table(columns, rows, _settings(r), r.signature, r.notes)


def plan_table(r: Plan) -> Table:
    """The number of further items, and the settings that it depends on."""
    names = ("goal", "probability", "pilot", "more items", "95% interval", "with unlimited items")
    low, high = r.interval
    row = [r.goal, f"{r.power:g}", f"{r.items:,.0f}", f"{r.further:,}", f"{low:,} to {high:,}", f"{r.limit:.3f}"]
    lead = plan_line(r)
    columns = [Column(name) for name in names]
    return Table(columns, [row], _settings(r), r.signature, r.notes, lead[0].upper() + lead[1:])


def _curve(r: Power, name: str, width: int | None) -> str:
    """The table with a bar per size, without caption and signature."""
    table = power_table(r, name=name)
    table = table if width is None else fitting(table, width - SHORTEST - 2)
    grid = [[column.header for column in table.columns], *table.rows]
    taken = sum(max(map(len, cells)) + 2 for cells in zip(*grid, strict=True))
    bars = [_bar(p.reached, min(max((width or 80) - taken, SHORTEST), LONGEST)) for p in r.points]
    rows = [[*row, bar] for row, bar in zip(table.rows, bars, strict=True)]
    return writers.text(Table([*table.columns, Column("", "l")], rows)).strip("\n")


def _bar(share: float, room: int) -> str:
    """A bar of eighths of a character."""
    whole, rest = divmod(round(share * room * 8), 8)
    return "█" * whole + EIGHTHS[rest].strip()


def _settings(r: Power) -> str:
    """The goal, the difference and the settings, in one sentence."""
    terms = [f"{r.model} model", f"{r.prior} prior", f"{100 * r.mass:g}% HDI"]
    if r.rope:
        digits = numbers.decimals(-r.rope[0], r.rope[1])
        terms.append(f"ROPE {numbers.interval(r.rope, digits, difference=True)}")
    kind = "true" if r.truth.startswith("mu=") else "mean"
    difference = f"{kind} Δ{measured(r)} {numbers.signed(r.delta)}"
    return f"To {_goal(r)} ({difference}, {', '.join(terms)}, {r.studies:,} studies)"


def _more(r: Power) -> str:
    return "more items" if r.items else "items"


def _goal(r: Power) -> str:
    return GOALS[r.goal].format(a=r.a, b=r.b, width=r.width or 0.0)
