"""The verdict card: the answer of a comparison as facts and sentences, the same wherever it is shown.

Renderers lay it out and escape it; nothing here knows a surface.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from outperform.base.sentences import Sentence, Words
from outperform.base.signature import Signature
from outperform.formats import numbers
from outperform.inference.evidence import PairEvidence, Rope
from outperform.measures.of_counts import MEASURES
from outperform.results.comparison import Comparison
from outperform.results.estimate import Estimate
from outperform.results.planning import Power
from outperform.results.ranking import Ranking
from outperform.results.words import in_words, typed
from outperform.verdicts.decision import FEWEST_UNITS, Decision
from outperform.verdicts.decision import OUTCOMES as VERDICTS
from outperform.verdicts.interval import FEWEST, holds
from outperform.verdicts.outlook import Outlook, at_a_border
from outperform.verdicts.summary import Delta, Score

__all__ = [
    "NAMES", "Card", "basis", "card_of", "comparison_digits", "higher", "is_planned", "margin_of", "measured",
    "next_step", "no_verdict", "tallied", "tally", "terms", "wordings",
]  # fmt: skip

CHOOSE = "Choose a margin: the smallest difference that matters to you"
MARGIN = Sentence(f"{CHOOSE}{{rope}}.")
SAME = "Choose by other reasons, such as cost or speed."
ITEMS_OF_CLASSES = Sentence("Collect more items of the rare classes, or compare by the items alone{model}.")
AMONG_OTHERS = "Collect more items: judged alone it has a verdict, which fdr withholds."
ANY_MARGIN = Sentence("Collect more data, or choose another margin{plan}.")
NO_VERDICT = "{higher}; no verdict without a margin (ROPE)"
PROBABLY_SAME = "{a} and {b} are probably practically the same; not settled"
AHEAD = "{} is ahead, but perhaps by less than the margin; not settled"
LEADERS = {"slightly_better": 0, "slightly_worse": 1}  # which of the two an unresolved comparison leans towards
NAMES = ("{a}", "{b}")  # of the two systems, where a text is a template
ROWS_LIKE_THESE = "rows like these, with weights that differ as much,"
UNKNOWN = "Collect more data; how many cannot be computed from these data."
OUTCOMES = (("better", "better in {n}"), ("worse", "worse in {n}"), ("equivalent", "practically the same in {n}"))
AHEAD_IN = (("better", "ahead in {n}"), ("worse", "behind in {n}"))
WITHOUT_VERDICTS = ("not distinguishable", "No verdict without a margin (ROPE).")
LEANS = (("slightly_better", "{n} leaning towards {a}"), ("slightly_worse", "{n} leaning towards {b}"))
SETTINGS = {
    "model": "{} model",
    "method": "method {}",
    "prior": "{} prior",
    "engine": "without draws",
    "draws": "{:,} draws",
    "seed": "seed {}",
    "outperform": "outperform {}",
}  # parts of a signature that a short line has


@dataclass(frozen=True)
class Card:
    """The answer of a comparison of two systems.

    Attributes
    ----------
    verdict, symbol, outcome : str
        The verdict in words, as in "svm ≫ nb", and by its name; the last two are empty without a ROPE.
    next : str
        What to do next, in one sentence.
    measure : str
        What is compared: "macro f1", "f1 of class yes".
    a, b, delta : Score, Score, Delta
        Both scores and their difference, as in the result.
    rope : Rope, optional
        The ROPE and its posterior probability.
    items : float
        Number of items.
    sure : str
        The margin, and how probable it is that the difference lies within it and that one of the two scores higher,
        or lower if that is better.
    basis : str
        Items, model, prior, draws, seed and version.
    digits : int
        Decimals that show the spread of the difference and the ROPE.
    """

    verdict: str
    symbol: str
    outcome: str
    next: str
    measure: str
    a: Score
    b: Score
    delta: Delta
    rope: Rope | None
    items: float
    sure: str
    basis: str
    digits: int

    @property
    def headline(self) -> str:
        """The verdict in words, and as signs."""
        return f"{self.verdict} ({self.symbol})" if self.symbol else self.verdict

    @property
    def terms(self) -> tuple[str, str]:
        """HDI and ROPE spelled out."""
        return terms(self.delta.mass)


def terms(mass: float) -> tuple[str, str]:
    """Return HDI and ROPE spelled out."""
    hdi = f"HDI: highest-density interval, the most probable {100 * mass:g}% of the posterior."
    return hdi, "ROPE: region of practical equivalence, the differences that do not matter."


def card_of(r: Comparison, names: tuple[str, str] | None = None, words: Words = typed) -> Card:
    """Return the card of a comparison; its sentences may call the two systems, and settings, by other names."""
    a, b = names or (r.a.name, r.b.name)
    return Card(
        verdict=_verdict(r, a, b),
        symbol=f"{a} {r.decision.symbol} {b}" if r.decision else "",
        outcome=r.decision.name if r.decision else "",
        next=next_step(r.decision, a, b, words) or _unresolved(r, words),
        measure=_measure(r),
        a=r.a,
        b=r.b,
        delta=r.delta,
        rope=r.rope,
        items=r.items,
        sure=_sure(r, a, b),
        basis=_basis(r),
        digits=comparison_digits(r),
    )


def next_step(decision: Decision | None, a: str, b: str, words: Words = typed) -> str:
    """Say what to do after a verdict, or without a margin; empty if the comparison is unresolved."""
    if decision is None:
        return MARGIN.worded(words)
    return {"better": f"Use {a}.", "worse": f"Use {b}.", "equivalent": SAME}.get(decision.name, "")


def wordings(words: Words = typed) -> dict[str, tuple[str, str]]:
    """Return the verdict and the next step of each outcome, as templates of `NAMES`.

    Besides, of "probably_same" and of leanings whose leader is "ahead" whatever the margin. They hold for any margin;
    how many more items one takes is not known for all of them.
    """
    decisions, further = [Decision.of(name, *NAMES) for name in VERDICTS], ANY_MARGIN.worded(words)
    said = {d.name: (d.words, next_step(d, *NAMES) or further) for d in decisions}
    ahead = {f"{name}_ahead": (AHEAD.format(NAMES[leader]), further) for name, leader in LEADERS.items()}
    return said | ahead | {"probably_same": (PROBABLY_SAME, further)}


def is_planned(r: Comparison) -> bool:
    """Whether more items like these can be simulated, as they can of labels."""
    return r.model != "bootstrap" if r.evidence is None else r.evidence.counts is not None


def no_verdict(r: Comparison, words: Words = typed) -> str:
    """Say what would lift the reason for which there is no verdict, whatever the margin; empty if there is none."""
    return _withheld(r.evidence, r.delta, words) if r.evidence else ""


def tally(rows: Sequence[Comparison], what: str) -> str:
    """Count the verdicts of several rows: Of 20 classes, a against b: better in 6; 14 unresolved (9 leaning to a).

    Without a ROPE, count the rows in which one of the two is distinguishably better.
    """
    outcomes = [row.decision.name for row in rows if row.decision]
    pairs = {(row.a.name, row.b.name) for row in rows}
    if len(pairs) > 1 or 0 < len(outcomes) < len(rows):
        return ""
    if outcomes:
        return tallied(outcomes, what, *pairs.pop())
    return "" if any(row.evidence is None for row in rows) else _leading(rows, what)


def tallied(outcomes: Sequence[str], what: str, a: str, b: str) -> str:
    """Count the outcomes of comparisons of two systems on several classes, slices or data sets."""
    number = Counter(outcomes)

    def said(kinds: Sequence[tuple[str, str]]) -> str:
        return ", ".join(words.format(n=number[name], a=a, b=b) for name, words in kinds if number[name])

    unresolved = sum(number[name] for name in ("slightly_better", "slightly_worse", "undecided"))
    leaning = f" ({leans})" if (leans := said(LEANS)) else ""
    parts = [said(OUTCOMES), f"{unresolved} unresolved{leaning}" if unresolved else ""]
    return f"Of {len(outcomes)} {what}, {a} against {b}: {'; '.join(filter(None, parts))}."


def _leading(rows: Sequence[Comparison], what: str) -> str:
    """Count the rows in which one of the two systems is distinguishably better, where there are no verdicts."""
    a, b = rows[0].a.name, rows[0].b.name
    number = {"better": sum(row.leader is row.a for row in rows), "worse": sum(row.leader is row.b for row in rows)}
    open_, without = len(rows) - sum(number.values()), WITHOUT_VERDICTS
    parts = [words.format(n=number[name]) for name, words in AHEAD_IN if number[name]]
    counted = "; ".join(filter(None, [", ".join(parts), f"{open_} {without[0]}" if open_ else ""]))
    return f"Of {len(rows)} {what}, {a} against {b}: {counted}. {without[1]}"


def basis(signature: Signature, *first: str) -> str:
    """Return a short form of a signature: model, prior, draws, seed and version."""
    parts = signature.parts
    known = [
        words.format(int(parts[key]) if key == "draws" else parts[key])
        for key, words in SETTINGS.items()
        if key in parts and (key != "draws" or parts[key].isdigit()) and (key != "engine" or parts[key] == "exact")
    ]
    return ", ".join([*first, *known])


def measured(r: Comparison | Estimate | Power | Ranking) -> str:
    """Return the name of the measure, with its average where there is one: macro f1."""
    return r.measure if r.average in ("binary", "multiclass", "per_class", "items") else f"{r.average} {r.measure}"


def comparison_digits(r: Comparison) -> int:
    """Return the decimals that show the spread of the difference and the ROPE."""
    return numbers.decimals(r.delta.sd, *((-r.rope.low, r.rope.high) if r.rope else ()))


def higher(r: Comparison, a: str, b: str) -> str:
    """Say how probable it is that the system that probably scores higher does; or lower, if that is better."""
    above, below, p = (a, b, r.delta.p_greater) if r.delta.p_greater >= 0.5 else (b, a, r.delta.p_less)
    return numbers.chance(f"{below} scores lower" if lower_is_better(r) else f"{above} scores higher", p)


def lower_is_better(r: Comparison) -> bool:
    """Whether the measure is an error rate or a cost; False if that is not known, as for a result read back."""
    return r.evidence is not None and not r.evidence.question.measure.greater_is_better


def _verdict(r: Comparison, a: str, b: str) -> str:
    """Return the verdict in words, or that there is none without a ROPE."""
    if r.decision is None:
        return NO_VERDICT.format(higher=higher(r, a, b))
    open_ = not r.decision.decided and not r.withheld and not (r.evidence and r.evidence.withheld(r.delta.hdi))
    if open_ and r.rope and r.rope.probability > 0.5:
        return PROBABLY_SAME.format(a=a, b=b)
    if open_ and r.decision.name in LEADERS and not holds(r.delta.hdi, 0.0):
        return AHEAD.format((a, b)[LEADERS[r.decision.name]])
    return Decision.of(r.decision.name, a, b).words


def margin_of(r: Comparison) -> str:
    """Return the margin of a comparison in words: Margin (ROPE) ±0.05."""
    if r.rope is None:
        return "No margin (ROPE)"
    low, high, digits = r.rope.low, r.rope.high, comparison_digits(r)
    return f"Margin (ROPE) {f'±{high:g}' if low == -high else numbers.interval((low, high), digits, difference=True)}"


def _sure(r: Comparison, a: str, b: str) -> str:
    if r.rope is None:
        return f"{margin_of(r)}. {higher(r, a, b)}."
    return f"{margin_of(r)}: {numbers.chance('within it', r.rope.probability)}, {higher(r, a, b)}."


def _measure(r: Comparison) -> str:
    known = r.evidence.question.details if r.evidence else r.signature.parts
    if r.class_ is not None:
        return f"{measured(r)} of class {r.class_}"
    positive, of_counts = str(known.get("positive")), MEASURES.get(r.measure)
    of_all = of_counts is not None and of_counts.multiclass is not None  # as accuracy, the same for either class
    scores = of_counts is None and positive == "1"  # per item, 0 or 1
    return measured(r) if of_all or scores or positive in ("None", "True") else f"{measured(r)} of class {positive}"


def _basis(r: Comparison) -> str:
    return basis(r.signature, numbers.count(r.items), *([f"lower {r.measure} is better"] if lower_is_better(r) else []))


def _unresolved(r: Comparison, words: Words) -> str:
    """Say what would settle an unresolved comparison."""
    evidence = r.evidence
    if r.withheld:
        return AMONG_OTHERS
    if evidence is not None and (reason := _withheld(evidence, r.delta, words)):
        return reason
    if r.outlook is None or r.rope is None:
        return UNKNOWN
    border = at_a_border(r.delta.mean, r.delta.hdi, (r.rope.low, r.rope.high), r.items)
    return _more(r.outlook, border=border)


def _withheld(evidence: PairEvidence, delta: Delta, words: Words) -> str:
    """Say what would lift the reason for which there is no verdict, whatever the ROPE."""
    if evidence.remedy:
        return in_words(evidence.remedy, words)
    if evidence.units < FEWEST_UNITS:
        enough = f"a verdict takes at least {FEWEST_UNITS} independent items or clusters that the scores rest on"
        return f"Collect more: {enough}; there are {evidence.units:.2g}."
    if evidence.contradicted(0, 1, delta.hdi):
        return ITEMS_OF_CLASSES.worded(words)
    return "" if evidence.difference.decisive else f"Make more draws: a verdict takes at least {FEWEST}."


def _more(outlook: Outlook, *, border: bool) -> str:
    """Say about how many more items would settle it, never as a promise."""
    if outlook.items is None:
        at = "the difference lies close to a border of the margin" if border else "the margin is too narrow for them"
        return f"Even ten million more items would hardly settle it: {at}. Choose another margin."
    collect, like = (outlook.items, "items like these") if outlook.rows is None else (outlook.rows, ROWS_LIKE_THESE)
    number = f"About {numbers.roughly(collect)} more {like} would settle it with probability"
    unless = ", unless the true difference lies at the border of the margin, as it seems to" if border else ""
    return f"{number} {outlook.power:g}{unless}."
