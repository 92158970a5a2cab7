"""Scores of two systems compared: one line, a page, and tables."""

from __future__ import annotations

from collections.abc import Sequence

from outperform.base.sentences import Words
from outperform.formats import escaping, numbers
from outperform.formats.table import Column, Table
from outperform.render.card import next_line
from outperform.render.layout import aligned, noted, paragraphs
from outperform.results import views
from outperform.results.card import basis, next_step, terms
from outperform.results.three_way import Shrunken, ThreeWay
from outperform.results.words import typed
from outperform.verdicts.decision import Decision

__all__ = ["digits_of", "method_of", "next_of", "rope_of", "verdict_of", "words_of"]

METHODS = {
    "correlated_t": "Bayesian correlated t-test",
    "sign": "Bayesian sign test",
    "signed_rank": "Bayesian signed-rank test",
    "hierarchical": "Bayesian hierarchical t-test",
}
MOST_SHOWN = 12  # data sets in a brief text
LONGEST = 40  # bar, in characters
SHRUNKEN = "observed: mean over folds; mean, sd: of the posterior, in which data sets are shrunk towards their mean."


@views.line.of(ThreeWay)
def three_way_line(r: ThreeWay) -> str:
    """One line: nb ≪ svm   Δaccuracy = -0.031   P(better, same, worse) = 0.1%, 2.3%, 97.6%."""
    r = escaping.shown(r)
    symbol = r.decision.symbol if r.decision else "vs"
    mean = r.observed if r.delta is None else r.delta.mean
    shares = (r.p_better, r.p_equal, r.p_worse) if r.rope else (r.p_better, r.p_worse)
    what = "better, same, worse" if r.rope else "better, worse"
    shown = ", ".join(map(numbers.percent, shares))
    return f"{r.a} {symbol} {r.b}   Δ{r.measure} = {numbers.signed(mean, digits_of(r))}   P({what}) = {shown}"


@views.text.of(ThreeWay)
def three_way_report(r: ThreeWay, width: int | None, *, verbose: bool) -> str:
    """Write a page: verdict and next step, the probabilities as bars, the mean difference, data sets, method."""
    r = escaping.shown(r)
    shown = None if verbose else MOST_SHOWN
    found = (_bars(r, width or 80), _difference(r), _upcoming(r), _estimates(r, width, shown))
    verdict = f"{verdict_of(r)}\n{next_line(next_of(r))}"
    method = "\n".join([method_of(r), r.signature if verbose else basis(r.signature), *_terms(r)])
    return paragraphs(verdict, noted(*r.notes), *found, method)


def _terms(r: ThreeWay) -> list[str]:
    """HDI and ROPE spelled out, where they occur."""
    hdi, rope = terms(r.mass)
    return [*([hdi] if r.delta else []), *([rope] if r.rope else [])]


@views.tables.of(ThreeWay)
def three_way_tables(r: ThreeWay) -> Sequence[Table]:
    """The three probabilities; and the data sets, where their differences were estimated."""
    return [three_way_table(r), *([estimates_table(r)] if r.estimates else [])]


def three_way_table(r: ThreeWay) -> Table:
    """One row: the mean difference, the three probabilities, the verdict."""
    digits = digits_of(r)
    cells = [f"{r.a} − {r.b}", numbers.signed(r.observed, digits)]
    columns = [Column("comparison", "l"), Column("observed")]
    if r.delta is not None:
        columns.append(Column(f"{100 * r.mass:g}% HDI", "c"))
        cells.append(numbers.interval(r.delta.hdi, digits, difference=True))
    columns += [Column(f"P({name})") for name in ("better", "same", "worse")] + [Column("verdict", "c")]
    cells += [*map(numbers.percent, (r.p_better, r.p_equal, r.p_worse)), r.decision.symbol if r.decision else "–"]
    caption = f"Δ{r.measure} = {r.a} − {r.b}, {rope_of(r)}, {METHODS[r.method]}"
    return Table(columns, [cells], caption, r.signature, r.notes, verdict_of(r))


def estimates_table(r: ThreeWay) -> Table:
    """One row per data set: the observed difference, and its posterior, shrunken towards the others."""
    columns = [Column("data set", "l"), Column("observed"), Column("mean"), Column("sd")]
    return Table(columns, _estimated(r, r.estimates), f"Δ{r.measure} = {r.a} − {r.b} on each data set", r.signature)


def _estimated(r: ThreeWay, estimates: Sequence[Shrunken]) -> list[list[str]]:
    """Name, observed difference, posterior mean and sd, per data set."""
    digits = digits_of(r) + 1
    return [
        [e.name, numbers.signed(e.observed, digits), numbers.signed(e.mean, digits), numbers.score(e.sd, digits)]
        for e in estimates
    ]


def verdict_of(r: ThreeWay) -> str:
    """The verdict in words and as signs; without a ROPE, the more probable side."""
    if r.decision is None:
        better, p = (r.a, r.p_better) if r.p_better >= r.p_worse else (r.b, r.p_worse)
        where = "" if r.method == "correlated_t" else " on more data sets like these"
        return (
            f"{numbers.chance(f'{better} is better{where}', p)}. No verdict: give a ROPE, the differences that "
            "do not matter to you, in units of the scores."
        )
    return f"{words_of(r, r.decision, r.a, r.b)} ({r.a} {r.decision.symbol} {r.b})"


def words_of(r: ThreeWay, decision: Decision, a: str, b: str) -> str:
    """The verdict in words; over data sets without one, the most probable of the three outcomes."""
    if decision.decided or r.datasets == 1:
        return Decision.of(decision.name, a, b).words
    outcomes = {
        f"{a} is better": r.p_better,
        f"{a} and {b} are practically the same": r.p_equal,
        f"{b} is better": r.p_worse,
    }
    likely = max(outcomes, key=outcomes.__getitem__)
    return f"unresolved: {likely} with probability {numbers.percent(outcomes[likely])}"


def next_of(r: ThreeWay, words: Words = typed) -> str:
    """Say what to do next; folds share their items, so that more of them add little."""
    further = "data sets" if r.datasets > 1 else "items"
    return next_step(r.decision, r.a, r.b, words) or f"Collect more {further} like these."


def _bars(r: ThreeWay, width: int) -> str:
    names = {f"{r.a} better": r.p_better, "practically the same": r.p_equal, f"{r.b} better": r.p_worse}
    shown = names if r.rope else {name: p for name, p in names.items() if p != r.p_equal or p == 1}
    room = max(map(escaping.width, shown))
    longest = min(max(width - room - 12, 10), LONGEST)
    lines = [
        f"{escaping.padded(name, room)}  {numbers.percent(p):>6}  {'█' * round(p * longest)}".rstrip()
        for name, p in shown.items()
    ]
    what = "" if r.method == "correlated_t" else " of being the commonest outcome on data sets like these"
    head = f"Probability{what}, {rope_of(r)}"
    error = f"\nMonte-Carlo error at most {100 * r.mc_error:.1g} points" if r.mc_error else ""
    return "\n".join([head, *lines]) + error


def _difference(r: ThreeWay) -> str:
    digits = digits_of(r)
    if r.delta is None:
        return f"Mean difference observed: Δ{r.measure} = {numbers.signed(r.observed, digits)}"
    d = r.delta
    sd = "" if d.sd is None else f", sd {numbers.score(d.sd, digits)}"
    hdi = f"{100 * r.mass:g}% HDI {numbers.interval(d.hdi, digits, difference=True)}"
    text = f"Mean difference: Δ{r.measure} = {numbers.signed(d.mean, digits)}{sd}, {hdi}"
    if r.method != "hierarchical" or r.rope is None:
        return text
    shares = ", ".join(map(numbers.percent, (d.p_better, d.p_equal, d.p_worse)))
    return f"{text}\nP(better, same, worse) of that mean over data sets: {shares}"


def _upcoming(r: ThreeWay) -> str:
    if r.next_data_set is None or r.rope is None:
        return ""
    n = r.next_data_set
    shares = ", ".join(map(numbers.percent, (n.better, n.equal, n.worse)))
    return f"P(better, same, worse) on the next data set: {shares}"


def _estimates(r: ThreeWay, width: int | None, most: int | None) -> str:
    """The data sets with the largest differences, observed and estimated."""
    if not r.estimates:
        return ""
    ordered = sorted(r.estimates, key=lambda e: -abs(e.mean))[:most]
    rest = len(r.estimates) - len(ordered)
    table = aligned([["data set", "observed", "mean", "sd"], *_estimated(r, ordered)], width)
    return "\n".join(
        [table, *([f"{rest} more, with smaller differences, are left out; -v shows all."] if rest else []), SHRUNKEN]
    )


def method_of(r: ThreeWay) -> str:
    """The method, and how many scores it has."""
    sizes = [f"{r.datasets} data sets"] if r.datasets > 1 else []
    sizes += [f"{r.folds} scores" + (" each" if r.datasets > 1 else "")] if r.folds > 1 else []
    return f"{METHODS[r.method]}, {', '.join(sizes)}"


def rope_of(r: ThreeWay) -> str:
    """The ROPE in words."""
    return "no ROPE" if r.rope is None else f"ROPE {numbers.interval(r.rope, digits_of(r), difference=True)}"


def digits_of(r: ThreeWay) -> int:
    """Decimals that show the spread of the difference and the ROPE."""
    scales = [*(r.rope or ()), *([] if r.delta is None or r.delta.sd is None else [r.delta.sd])]
    return numbers.decimals(*map(abs, scales or [r.observed]))
