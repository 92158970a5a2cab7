"""How to report a result: a sentence for the text of a paper, and one for its appendix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from outperform.base.signature import Signature
from outperform.formats import numbers
from outperform.render.captions import brief, margin, titled
from outperform.render.tables import signature_of
from outperform.results import BySlice, Comparison, Estimate, PerClass, Ranking, Result, Several, views
from outperform.results.card import comparison_digits, lower_is_better
from outperform.verdicts.interval import Interval

__all__: list[str] = []

HDI = "{mass:g}% highest density interval (HDI)"
ROPE = "the region of practical equivalence (ROPE), {margin}"
SETTLED = {"better": "better", "worse": "worse", "equivalent": "practically the same"}


@views.reporting.of(Result)
def no_sentence(r: Result) -> tuple[str, str]:
    """Say which results have sentences for a paper."""
    raise ValueError(
        f"there are sentences for a paper about comparisons, rankings and estimates, not about a {type(r).__name__}"
    )


@views.reporting.of(Comparison)
def of_two(r: Comparison) -> tuple[str, str]:
    """The verdict, both scores, and the difference with its interval."""
    digits = comparison_digits(r)
    scores = " against ".join(numbers.score(score.observed, digits) for score in (r.a, r.b))
    hdi = numbers.interval(r.delta.hdi, digits, difference=True)
    where = _place(r)
    items = f"{numbers.count(r.items)}{' in total' if str(r.model) == 'unpaired' else ''}"
    difference = f"a difference of {numbers.signed(r.delta.observed, digits)}" if r.delta.observed is not None else ""
    text = (
        f"On {items}, {_claim(r)} in {titled(r)} ({', '.join(filter(None, [scores, difference]))}); "
        f"the {HDI.format(mass=100 * r.delta.mass)} of the difference, {hdi}, {where}."
    )
    return re.sub(r"(?<=[\[ ])-(?=\d)", "−", text), _method(r, r.delta.mass, r.region)


@views.reporting.of(PerClass, BySlice, Several)
def of_several(r: PerClass[Any] | BySlice | Several) -> tuple[str, str]:
    """How many verdicts there are of each kind; of estimates, each score."""
    rows = r.all_rows()
    if isinstance(rows[0], Estimate):
        estimates = cast("Sequence[Estimate]", rows)
        return " ".join(_estimated(row) for row in estimates), _method(estimates[0], estimates[0].mass, None)
    compared = cast("Sequence[Comparison]", rows)
    first = compared[0]
    items = sum(row.items for row in compared) if isinstance(r, BySlice) else first.items
    signature = signature_of(compared).but(n=f"{items:.15g}")
    return _counted(compared, _kind(r)), _method(first, first.delta.mass, first.region, signature)


def _kind(r: Result) -> str:
    return f"{r.kind}s" if isinstance(r, BySlice) else "classes" if isinstance(r, PerClass) else "measures"


def _counted(rows: Sequence[Comparison], what: str) -> str:
    """How many rows are better, worse, practically the same and unresolved, and how many may be wrong."""
    first = rows[0]
    where = "" if what == "measures" else f"In {titled(first)}, "
    if first.rope is None:
        better, worse = sum(row.leader is row.a for row in rows), sum(row.leader is row.b for row in rows)
        return f"{where}{_each({'better': better, 'worse': worse}, first, len(rows), what)}."
    number = Counter(row.decision.name for row in rows if row.decision)
    text = f"{where}{_each({name: number[name] for name in SETTLED}, first, len(rows), what)}."
    if (verdicts := first.verdicts) is None or not verdicts.given:
        return text
    return f"{text} The expected number of wrong verdicts is {numbers.expected(verdicts.expected_wrong)}."


def _each(found: Mapping[str, int], r: Comparison, rows: int, what: str) -> str:
    """On how many rows there is which verdict, of those that there are, and on how many there is none."""
    a, b, rest = brief(r.a.name), brief(r.b.name), rows - sum(found.values())
    if rest == rows and r.rope is None:
        return f"{a} and {b} are not distinguishable on any of {rows} {what}"
    if rest == rows:
        return f"the comparison of {a} and {b} is unresolved on all {rows} {what}"
    open_ = "they are not distinguishable" if r.rope is None else "the comparison is unresolved"
    said = {"better": f"{a} is better than {b}", "worse": f"{a} is worse than {b}"}
    of_all = f"of {rows} {what}"
    claims = [
        f"{said.get(name, f'{a} and {b} are practically the same') if not k else SETTLED[name]} on {number}"
        + ("" if k else f" {of_all}")
        for k, (name, number) in enumerate((name, number) for name, number in found.items() if number)
    ]
    return _and(claims) + (f"; on {rest} {open_}" if rest else "")


@views.reporting.of(Estimate)
def of_one(r: Estimate) -> tuple[str, str]:
    """The score with its interval."""
    return _estimated(r), _method(r, r.mass, None)


@views.reporting.of(Ranking)
def of_ranking(r: Ranking) -> tuple[str, str]:
    """The first system, and those that are not distinguishable from it."""
    first = r.systems[0]
    also = [brief(pair.b) for pair in r.pairs if pair.a == first.name and not pair.separated]
    told = "distinguishable from every other system" if r.leader else f"not distinguishable from {_and(also)}"
    text = (
        f"On {numbers.count(r.items)}, {brief(first.name)} comes first of {len(r.systems)} systems in {titled(r)} "
        f"({numbers.score(first.observed)}); it is {told} and is the best with posterior probability "
        f"{numbers.percent(first.p_best)}."
    )
    return text, _method(r, r.mass, r.rope)


def _claim(r: Comparison) -> str:
    a, b = brief(r.a.name), brief(r.b.name)
    if r.decision is None:
        above, below, p = (a, b, r.delta.p_greater) if r.delta.p_greater >= 0.5 else (b, a, r.delta.p_less)
        said = f"{below} scores lower than {above}" if lower_is_better(r) else f"{above} scores higher than {below}"
        return f"{said} with posterior probability {numbers.percent(p)}"
    claims = {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "equivalent": f"{a} and {b} are practically the same",
    }
    return claims.get(r.decision.name, f"the comparison of {a} and {b} is unresolved")


def _place(r: Comparison) -> str:
    """Where the interval lies."""
    low, high = r.delta.hdi
    if r.region is None or r.decision is None:
        return "includes 0" if low <= 0 <= high else "excludes 0"
    rope, (least, most) = ROPE.format(margin=margin(r.region)), r.region
    inside, outside = least <= low and high <= most, high <= least or low >= most
    if not inside and not outside:
        return f"crosses a boundary of {rope}"
    return f"lies {'inside' if inside else 'outside'} {rope}" + ("" if r.decision.decided else ", but gives no verdict")


def _estimated(r: Estimate) -> str:
    of_class = "" if r.class_ is None else f" for class {brief(r.class_)}"
    return (
        f"On {numbers.count(r.items)}, {brief(r.name)} has {_a(titled(r))}{of_class} of {numbers.score(r.observed)} "
        f"({HDI.format(mass=100 * r.mass)} {numbers.interval(r.hdi)})."
    )


def _method(r: Any, mass: float, rope: Interval | None, signature: Signature | None = None) -> str:
    """Software, model, prior, draws, the rule of the verdict, and the signature."""
    signed: Signature = r.signature if signature is None else signature
    parts = signed.parts
    drawn = f", {int(parts['draws']):,} posterior draws" if parts.get("draws", "").isdecimal() else ""
    seed = f", seed {parts['seed']}" if "seed" in parts else ""
    rule = f"Intervals are {100 * mass:g}% highest density intervals (HDI) of the posterior"
    if rope is not None:
        rule += (
            f"; a difference is called better or worse if its HDI lies outside {ROPE.format(margin=margin(rope))}, "
            "practically the same if it lies inside, and unresolved otherwise"
        )
    done = "estimated" if isinstance(r, Estimate) else "compared"
    model = f"{r.model} model, {r.prior} prior"
    if (str(r.model), str(r.prior)) == ("bootstrap", "haldane"):
        model = f"Bayesian bootstrap of {parts['clusters']} clusters" if "clusters" in parts else "Bayesian bootstrap"
    how = f"{model}{drawn}{seed}"
    return f"Scores were {done} with outperform {parts.get('outperform', '')} ({how}). {rule}. Signature: {signed}."


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _a(noun: str) -> str:
    """A noun with its article; abbreviations are spelt: an F1, an MCC."""
    spelt = noun[:2].isupper() or noun[1:2].isdigit()
    return f"{'an' if noun[0].lower() in ('aefhilmnorsx' if spelt else 'aeiou') else 'a'} {noun}"
