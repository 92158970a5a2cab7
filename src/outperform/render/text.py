"""A comparison or an estimate in words: one line for a reader in a hurry, a page for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from outperform.formats import escaping, numbers
from outperform.models.chains import Diagnostics
from outperform.render.density import density
from outperform.results import BayesTest, Comparison, Estimate, Power, Ranking, views
from outperform.verdicts.several import Verdicts

__all__ = [
    "aligned",
    "comparison_digits",
    "measured",
    "method",
    "more_data",
    "noted",
    "p_values",
    "paragraphs",
    "savage_dickey",
    "score_rows",
    "sides",
    "worth",
]

TESTS = {
    "sign_test": "sign",
    "t_test": "t",
    "mcnemar": "McNemar",
    "mcnemar_corrected": "McNemar corrected",
    "class_sign_test": "sign over classes",
    "class_t_test": "t over classes",
    "class_wilcoxon": "Wilcoxon over classes",
    "corrected_t_test": "corrected t over folds",
    "five_by_two_t_test": "5×2 cv t",
    "five_by_two_f_test": "5×2 cv F",
    "block_t_test": "t over blocks",
    "k_fold_t_test": "t over folds",
    "delong": "DeLong",
    "paired_t_test": "paired t",
    "wilcoxon": "Wilcoxon",
    "paired_bootstrap": "paired bootstrap",
    "cochran_q": "Cochran's Q",
    "friedman": "Friedman",
    "nemenyi": "Nemenyi",
}
MOST_DRIVERS = 5  # classes in a text; the table has all
Measured: TypeAlias = Comparison | Estimate | Power | Ranking


@views.line.of(Comparison)
def line(r: Comparison) -> str:
    """One line: svm ≫ nb   Δf1 = +0.098   95% HDI [+0.064, +0.131]   P(ROPE) = 0.2%."""
    r = escaping.shown(r)
    symbol = r.decision.symbol if r.decision else "vs"
    last = (
        f"P(ROPE) = {numbers.percent(r.rope.probability)}"
        if r.rope
        else f"P(Δ > 0) = {numbers.percent(r.delta.p_greater)}"
    )
    digits = comparison_digits(r)
    return (
        f"{r.a.name} {symbol} {r.b.name}   Δ{measured(r)} = {numbers.signed(r.delta.mean, digits)}   "
        f"{100 * r.delta.mass:g}% HDI {numbers.interval(r.delta.hdi, digits, difference=True)}   {last}"
    )


@views.line.of(BayesTest)
def bayes_line(r: BayesTest) -> str:
    """The line of the comparison, and the hypothesis that is accepted."""
    return f"{line(r)}   P(H1) = {numbers.percent(r.hypotheses.p_h1)}, accept {r.hypotheses.accept}"


def measured(r: Measured) -> str:
    """Name of the measure, with its average where there is one: macro f1."""
    return r.measure if r.average in ("binary", "multiclass", "per_class", "items") else f"{r.average} {r.measure}"


def comparison_digits(r: Comparison) -> int:
    """Decimals that show the spread of the difference and the ROPE."""
    return numbers.decimals(r.delta.sd, *((-r.rope.low, r.rope.high) if r.rope else ()))


@views.text.of(Comparison)
def report(r: Comparison, width: int) -> str:
    """Write a page: the verdict first, then the numbers, the picture, the tests, the signature."""
    r = escaping.shown(r)
    tested = hypotheses(r) if isinstance(r, BayesTest) else ""
    parts = [verdict(r), more_data(r), noted(*r.notes, *r.bayes_factor.notes), tested, _scores(r), _evidence(r)]
    if r.evidence is not None:
        rope = None if r.rope is None else (r.rope.low, r.rope.high)
        parts.append(density(r.evidence.delta, r.delta.hdi, rope, width=min(width, 100)))
    parts += [_drivers(r), _variance(r), p_values(r), method(r), chains(r.sampler, r.delta.mc_error), r.signature]
    return paragraphs(*parts)


def paragraphs(*parts: str) -> str:
    """Join the parts that are not empty, with a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def noted(*notes: str) -> str:
    """Notes, one per line."""
    return "\n".join(f"Note: {note}" for note in notes)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Lines of a name and numbers below each other; what comes after three numbers stands as it is."""
    width = max(escaping.width(row[0]) for row in rows)
    return "\n".join(
        f"{escaping.padded(name, width)}  {o:>9}{m:>9}{sd:>9}{''.join(f'   {more}' for more in rest)}"
        for name, o, m, sd, *rest in rows
    )


def verdict(r: Comparison) -> str:
    """Say the verdict in words, or that there is none without a ROPE."""
    if r.decision:
        return f"{r.decision.text} ({r.a.name} {r.decision.symbol} {r.b.name})"
    better, p = (r.a.name, r.delta.p_greater) if r.delta.p_greater >= 0.5 else (r.b.name, r.delta.p_less)
    return (
        f"P({better} scores higher) = {numbers.percent(p)}. No verdict: give a ROPE, "
        "the differences that do not matter to you (0.01 for ±0.01)."
    )


def more_data(r: Comparison) -> str:
    """Say about how many more items would bring a verdict, where there is none."""
    if r.outlook is None:
        return ""
    number = "More than ten million" if r.outlook.items is None else f"About {numbers.about(r.outlook.items)}"
    can = r.model != "bootstrap" if r.evidence is None else r.evidence.counts is not None
    simulated = " (`outperform plan` and more_data() simulate it)" if can else ""
    return f"{number} more items like these would bring a verdict with probability {r.outlook.power:g}{simulated}."


def worth(v: Verdicts | None) -> list[str]:
    """Say how many of several verdicts are expected to be wrong, and how many chance alone would give."""
    if v is None or v.rows < 2:
        return []
    number = f"{v.given:,} verdict{'' if v.given == 1 else 's'} on {v.rows:,} comparisons"
    wrong = f"; expected number of wrong ones: {numbers.expected(v.expected_wrong)}" if v.given else ""
    most = f"{'' if v.by_chance < 0.005 else 'up to '}{numbers.expected(v.by_chance)}"
    chance = f"If no two differed, chance alone would give {most} verdicts ≪ or ≫"
    if v.fdr is None:
        return [f"{number}{wrong}. {chance}."]
    held = f"{v.withheld:,} withheld, so that the expected share of wrong ones is at most {v.fdr:g}"
    return [f"{number}{wrong}; {held}. {chance} without fdr."]


def hypotheses(r: BayesTest) -> str:
    """Say how likely the two hypotheses are, and the equal-tailed intervals of the paper."""
    r = escaping.shown(r)
    h = r.hypotheses
    lines = [
        f"H0: {r.b.name} is no better than {r.a.name}   P(H0) = {numbers.percent(h.p_h0)}   "
        f"P(H1) = {numbers.percent(h.p_h1)}   accept {h.accept}"
    ]
    if r.intervals:
        digits = comparison_digits(r) + 1
        shown = (f"{s.name} {numbers.interval(ends, digits)}" for s, ends in zip((r.a, r.b), r.intervals, strict=True))
        lines.append(f"Equal-tailed {100 * r.delta.mass:g}% intervals: {', '.join(shown)}")
    return "\n".join(lines)


def score_rows(r: Comparison) -> list[list[str]]:
    """Name, observed value, mean, sd and HDI of both scores and of their difference."""
    digits, d = comparison_digits(r), r.delta
    rows = [
        [s.name, *(numbers.score(x, digits) for x in (s.observed, s.mean, s.sd)), numbers.interval(s.hdi, digits)]
        for s in (r.a, r.b)
    ]
    moved = [numbers.signed(x, digits) for x in (d.observed, d.mean)]
    rows.append(["difference", *moved, numbers.score(d.sd, digits), numbers.interval(d.hdi, digits, difference=True)])
    return rows


def sides(r: Comparison) -> str:
    """The shares of the posterior below and above 0: 2.5% / 97.5%."""
    return f"{numbers.percent(r.delta.p_less)} / {numbers.percent(r.delta.p_greater)}"


def _scores(r: Comparison) -> str:
    label = measured(r) if r.class_ is None else f"{measured(r)} of {r.class_}"
    return aligned([[label, "observed", "mean", "sd", f"{100 * r.delta.mass:g}% HDI"], *score_rows(r)])


BOUNDS = {"upper": "≤", "lower": "≥"}


def savage_dickey(r: Comparison) -> str:
    """Write the Bayes factor for equality, as ≤ where it is an upper bound."""
    factor = r.bayes_factor
    return f"{BOUNDS.get(factor.savage_dickey_bound or '', '')}{numbers.bayes_factor(factor.savage_dickey)}"


def _evidence(r: Comparison) -> str:
    share = f"P(Δ < 0) = {numbers.percent(r.delta.p_less)}   P(Δ > 0) = {numbers.percent(r.delta.p_greater)}"
    if r.rope:
        bounds = numbers.interval((r.rope.low, r.rope.high), comparison_digits(r), difference=True)
        share += f"   P(Δ in ROPE {bounds}) = {numbers.percent(r.rope.probability)}"
    factor = r.bayes_factor
    if factor.savage_dickey is None and factor.rope is None:
        return share  # there is no prior
    return (
        f"{share}\nBayes factor for equality: {savage_dickey(r)} (Savage–Dickey), "
        f"{BOUNDS.get(factor.rope_bound or '', '')}{numbers.bayes_factor(factor.rope)} (ROPE)"
    )


def _drivers(r: Comparison) -> str:
    """The classes that contribute most to the difference, and their shares of it."""
    if not r.drivers:
        return ""
    digits = comparison_digits(r) + 1
    shown = [
        f"{d.class_} {numbers.signed(d.delta, digits)}" + ("" if d.share is None else f" ({numbers.share(d.share)})")
        for d in r.drivers[:MOST_DRIVERS]
    ]
    rest = len(r.drivers) - len(shown)
    return f"What classes add to it: {', '.join(shown)}" + (f", {rest} more" if rest else "")


def _variance(r: Comparison) -> str:
    """The sources of the variance of the difference."""
    whole = 0.0 if r.variance is None else sum(r.variance.values())
    if r.variance is None or whole == 0:
        return ""
    shares = ", ".join(f"{source} {numbers.percent(part / whole)}" for source, part in r.variance.items())
    return f"Where the variance of the difference comes from: {shares}"


def p_values(r: Comparison | Ranking) -> str:
    """The p-values of the classical tests; empty where there are none."""
    shown = [f"{TESTS.get(test, test)} {numbers.p_value(p)}" for test, p in r.frequentist.items()]
    return f"Classical p-values: {', '.join(shown)}" if shown else ""


def method(r: Comparison) -> str:
    """Say which model and prior, of how many items, and what pairing is worth."""
    method = f"{r.model} model, {r.prior} prior, {numbers.count(r.items)}"
    if r.evidence is not None and not r.evidence.question.measure.greater_is_better:
        method += f"; of {r.measure} lower is better"
    if r.pairing is None:
        return method
    factor = f"{r.pairing.factor:.2g}"
    more = f"{numbers.about(r.pairing.items)} items ({factor} times as many)" if factor != "1" else "as many items"
    return f"{method}; an unpaired comparison would need about {more} for the same precision"


def chains(sampler: Diagnostics | None, mc_error: float) -> str:
    """Say how the Markov chains went."""
    if sampler is None:
        return ""
    number = "1 chain" if sampler.chains == 1 else f"{sampler.chains} chains"
    r_hat = "unknown" if sampler.r_hat is None else f"{sampler.r_hat:.3f}"
    tuned = f" after {sampler.tune:,} to tune" if sampler.tune else ""
    return (
        f"{sampler.sampler}: {number} of {sampler.draws:,} draws{tuned}; R-hat {r_hat}, "
        f"effective draws {sampler.ess_bulk:,.0f} (in the tails {sampler.ess_tail:,.0f}), divergences "
        f"{sampler.divergences:,}, Monte-Carlo error {mc_error:.2g}"
    )


@views.line.of(Estimate)
def estimate_line(r: Estimate) -> str:
    """One line: svm   f1 = 0.853   95% HDI [0.834, 0.873]."""
    r = escaping.shown(r)
    return f"{r.name}   {measured(r)} = {numbers.score(r.mean)}   {100 * r.mass:g}% HDI {numbers.interval(r.hdi)}"


@views.text.of(Estimate)
def estimate_report(r: Estimate, width: int) -> str:
    """Write a page: the line, the observed score, the picture, the signature."""
    r = escaping.shown(r)
    parts = [
        estimate_line(r),
        noted(*r.notes),
        f"observed {numbers.score(r.observed)}, sd {numbers.score(r.sd)}, {r.prior} prior, {numbers.count(r.items)}",
    ]
    if r.evidence is not None:
        parts.append(density(r.evidence.scores[:, 0], r.hdi, None, width=min(width, 100)))
    return paragraphs(*parts, chains(r.sampler, r.mc_error), r.signature)
