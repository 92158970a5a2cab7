"""A comparison or an estimate in words: one line for a reader in a hurry, a page for the terminal."""

from __future__ import annotations

from outperform.formats import escaping, numbers
from outperform.models.chains import Diagnostics
from outperform.render.card import card_text
from outperform.render.density import density
from outperform.render.layout import noted, paragraphs
from outperform.results import BayesTest, Comparison, Estimate, Ranking, card_of, views
from outperform.results.card import basis, comparison_digits, is_planned, lower_is_better, measured
from outperform.verdicts.several import Verdicts

__all__ = [
    "method",
    "more_data",
    "p_values",
    "savage_dickey",
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


@views.line.of(Comparison)
def line(r: Comparison) -> str:
    """One line: svm ≫ nb   Δf1 = +0.098   95% HDI [+0.064, +0.131]   P(ROPE) = 0.2%."""
    r = escaping.shown(r)
    symbol = r.decision.symbol if r.decision else "vs"
    last = numbers.chance("ROPE", r.rope.probability) if r.rope else numbers.chance("Δ > 0", r.delta.p_greater)
    digits = comparison_digits(r)
    return (
        f"{r.a.name} {symbol} {r.b.name}   Δ{measured(r)} = {numbers.signed(r.delta.mean, digits)}   "
        f"{100 * r.delta.mass:g}% HDI {numbers.interval(r.delta.hdi, digits, difference=True)}   {last}"
    )


@views.line.of(BayesTest)
def bayes_line(r: BayesTest) -> str:
    """The line of the comparison, and the hypothesis that is accepted."""
    return f"{line(r)}   {numbers.chance('H1', r.hypotheses.p_h1)}, accept {r.hypotheses.accept}"


@views.text.of(Comparison)
def report(r: Comparison, width: int | None, *, verbose: bool) -> str:
    """Write the card, the notes, the picture and the method; `verbose` adds Bayes factors, tests and the signature."""
    r = escaping.shown(r)
    (verdict, *facts), tested = card_text(card := card_of(r), width), hypotheses(r) if isinstance(r, BayesTest) else ""
    parts = [verdict, noted(*r.notes, *(r.bayes_factor.notes if verbose else ())), tested, *facts]
    if r.evidence is not None:
        parts.append(density(r.evidence.difference, r.delta.hdi, r.region, width=min(width or 80, 100)))
    return paragraphs(
        *parts, chains(r.sampler, r.delta.mc_error), "\n".join((card.basis, *card.terms)), _rest(r) if verbose else ""
    )


def _rest(r: Comparison) -> str:
    """What a reader in a hurry does without."""
    return paragraphs(more_data(r), _evidence(r), _drivers(r), _variance(r), p_values(r), method(r), r.signature)


def more_data(r: Comparison) -> str:
    """Say about how many more items would bring a verdict, where there is none."""
    if r.outlook is None:
        return ""
    number = "More than ten million" if r.outlook.items is None else f"About {numbers.about(r.outlook.items)}"
    rows = "" if r.outlook.rows is None else f" ({numbers.about(r.outlook.rows)} rows with weights that differ as much)"
    simulated = " (`outperform plan` and more_data() simulate it)" if is_planned(r) else ""
    return (
        f"{number} more items like these{rows} would bring a verdict with probability {r.outlook.power:g}{simulated}."
    )


def worth(v: Verdicts | None, *, rope: bool = True) -> list[str]:
    """Say how many of several verdicts are expected to be wrong, and how many chance alone would give.

    Without a ROPE there are no verdicts, but pairs that are distinguishable.
    """
    if v is None or v.rows < 2:
        return []
    number = f"{v.given:,} verdict{'' if v.given == 1 else 's'} on {v.rows:,} comparisons"
    wrong = f"; expected number of wrong ones: {numbers.expected(v.expected_wrong)}" if v.given else ""
    most = f"{'' if v.by_chance < 0.005 else 'up to '}{numbers.expected(v.by_chance)}"
    if not rope and v.fdr is None:
        number = f"{v.given:,} of {v.rows:,} comparisons {'is' if v.given == 1 else 'are'} distinguishable"
        return [f"{number}{wrong}. If no two differed, chance alone would make {most} of them distinguishable."]
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
        f"H0: {r.b.name} is no better than {r.a.name}   {numbers.chance('H0', h.p_h0)}   "
        f"{numbers.chance('H1', h.p_h1)}   accept {h.accept}"
    ]
    if r.intervals:
        digits = comparison_digits(r) + 1
        shown = (f"{s.name} {numbers.interval(ends, digits)}" for s, ends in zip((r.a, r.b), r.intervals, strict=True))
        lines.append(f"Equal-tailed {100 * r.delta.mass:g}% intervals: {', '.join(shown)}")
    return "\n".join(lines)


def sides(r: Comparison) -> str:
    """The shares of the posterior below and above 0: 2.5% / 97.5%."""
    return f"{numbers.percent(r.delta.p_less)} / {numbers.percent(r.delta.p_greater)}"


BOUNDS = {"upper": "≤", "lower": "≥"}


def savage_dickey(r: Comparison) -> str:
    """Write the Bayes factor for equality, as ≤ where it is an upper bound."""
    factor = r.bayes_factor
    return f"{BOUNDS.get(factor.savage_dickey_bound or '', '')}{numbers.bayes_factor(factor.savage_dickey)}"


def _evidence(r: Comparison) -> str:
    share = f"{numbers.chance('Δ < 0', r.delta.p_less)}   {numbers.chance('Δ > 0', r.delta.p_greater)}"
    if r.rope:
        bounds = numbers.interval((r.rope.low, r.rope.high), comparison_digits(r), difference=True)
        share += f"   {numbers.chance(f'Δ in ROPE {bounds}', r.rope.probability)}"
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
    if lower_is_better(r):
        method += f"; lower {r.measure} is better"
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
def estimate_report(r: Estimate, width: int | None, *, verbose: bool) -> str:
    """Write a page: the line, the observed score, the picture, the method or the signature."""
    r = escaping.shown(r)
    parts = [
        estimate_line(r),
        noted(*r.notes),
        f"observed {numbers.score(r.observed)}, sd {numbers.score(r.sd)}, {r.prior} prior, {numbers.count(r.items)}",
    ]
    if r.evidence is not None:
        parts.append(density(r.evidence.marginals[0], r.hdi, None, width=min(width or 80, 100), difference=False))
    last = r.signature if verbose else basis(r.signature)
    return paragraphs(*parts, chains(r.sampler, r.mc_error), last)
