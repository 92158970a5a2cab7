"""Tables of results: the columns of SIGIR'16 Tables 4–6 for comparisons, a plain one for estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from outperform.base.sentences import Words
from outperform.base.signature import Signature
from outperform.formats import numbers
from outperform.formats.table import Column, Table
from outperform.render.card import score_rows
from outperform.render.text import TESTS as SPELT
from outperform.render.text import savage_dickey, sides, worth
from outperform.results import BayesTest, Comparison, Estimate, PredictiveCheck, Sensitivity, card_of, views
from outperform.results.advice import after_priors, after_scores, after_verdicts
from outperform.results.card import comparison_digits, measured, tally
from outperform.results.words import typed

__all__ = ["INTERVAL", "SIGNS", "remarks_of", "scores_table", "signature_of", "tests_table"]

TESTS = {"sign_test": "sign test", "t_test": "t-test", "class_sign_test": "S-test", "class_t_test": "T-test"}
P_VALUES = "p-values of classical tests of no difference"
FACTOR = "Bayes factor, above 1 for and below 1 against equal scores"
GIVEN = "of the counts in data sets that the model gives"
INTERVAL = "highest-density interval"
IN_ROPE = "probability that Δ lies in the ROPE, the differences that do not matter"
SIGNS = "≫ {a} better, ≪ {b} better, ≈ practically the same, > < ? unresolved (leaning towards {a}, {b}, neither)"


@views.tables.of(Comparison)
def comparison_tables(r: Comparison) -> Sequence[Table]:
    """A table of one row; for an average over classes also the contribution of each class."""
    return [views.table_of_rows[type(r)]([r]), *([driver_table(r)] if r.drivers else [])]


@views.table_of_rows.of(Comparison)
def comparison_table(rows: Sequence[Comparison], words: Words = typed) -> Table:
    """Classical tests, mean, sd, Bayes factor, share below and above 0, share in the ROPE, HDI, verdict."""
    first, digits = rows[0], max(map(comparison_digits, rows))
    named = Column("comparison", "l", lambda row: f"{row.a.name} − {row.b.name}")
    known = {test: name for test, name in TESTS.items() if test in first.frequentist}
    tests = [Column(name, "r", partial(_p_value, test), 6, P_VALUES, detail=True) for test, name in known.items()]
    columns = [
        named if first.class_ is None else Column("class", "l", lambda row: str(row.class_)),
        *tests,
        *_bayesian(first, digits),
    ]
    region = first.region and numbers.interval(first.region, digits, difference=True)
    caption = f"Δ{measured(first)} = {first.a.name} − {first.b.name}, {f'ROPE {region}' if region else 'no ROPE'}"
    what = "comparisons" if first.class_ is None else "classes"
    groups = [("", 1), ("frequentist", len(tests)), ("Bayesian", 6), ("", 1)] if tests else []
    remarks = [*worth(first.verdicts, rope=first.rope is not None), *remarks_of(rows)]
    names = [str(row.class_) for row in rows]
    return Table.of(
        rows,
        columns,
        caption,
        signature_of(rows),
        remarks,
        _lead(rows, what),
        groups=groups,
        next=after_verdicts(rows, names, what, words) if len(rows) > 1 else "",
        order=sorted(range(len(rows)), key=lambda k: _telling(rows[k])),
        rest="with smaller differences",
    )


def _telling(row: Comparison) -> tuple[bool, float]:
    """The key that puts verdicts for one system first, and then large differences."""
    settled = row.decision is not None and row.decision.name in ("better", "worse")
    return not settled, -abs(row.delta.mean)


def _p_value(test: str, row: Comparison) -> str:
    return numbers.p_value(row.frequentist[test])


def _bayesian(first: Comparison, digits: int) -> list[Column]:
    """Columns of the posterior of δ, and of the verdict."""
    return [
        Column("mean", "r", lambda row: numbers.signed(row.delta.mean, digits), 1, "posterior mean of Δ"),
        Column("sd", "r", lambda row: numbers.score(row.delta.sd, digits), 4, "its standard deviation", detail=True),
        Column("BF", "r", savage_dickey, 5, FACTOR, detail=True),
        Column(
            "below 0 / above", "c", sides, 3, "probabilities that Δ is below and above 0", detail=first.rope is not None
        ),
        Column("in ROPE", "r", _within, 2, IN_ROPE if first.rope else "", detail=first.rope is None),
        *_judged(first, digits),
    ]


def _within(row: Comparison) -> str:
    return numbers.percent(row.rope.probability) if row.rope else "–"


def _judged(first: Comparison, digits: int) -> list[Column]:
    """Columns of the HDI of δ and of the verdict."""
    mass, signs = f"{100 * first.delta.mass:g}%", SIGNS.format(a=first.a.name, b=first.b.name)

    def hdi(row: Comparison) -> str:
        return numbers.interval(row.delta.hdi, digits, difference=True)

    def verdict(row: Comparison) -> str:
        return row.decision.symbol if row.decision else "–"

    return [
        Column(f"{mass} HDI", "c", hdi, means=f"{INTERVAL}, the most probable {mass} of Δ"),
        Column("verdict", "c", verdict, means=signs if first.rope else "", detail=first.rope is None),
    ]


def scores_table(r: Comparison) -> Table:
    """Both scores and their difference: observed, mean, sd, HDI."""
    headers = ("observed", "mean", "sd", f"{100 * r.delta.mass:g}% HDI")
    return Table([Column("", "l"), *map(Column, headers)], score_rows(card_of(r)), f"{measured(r)} of both")


def tests_table(r: Comparison) -> Table:
    """The classical tests that apply."""
    cells = [[SPELT.get(test, test), numbers.p_value(p)] for test, p in r.frequentist.items()]
    return Table([Column("test", "l"), Column("p")], cells, "Classical tests of no difference")


def driver_table(row: Comparison) -> Table:
    """The contribution of each class to the difference of two averages, and its share of it."""
    digits = comparison_digits(row) + 1
    columns = [
        Column("class", "l", lambda d: str(d.class_)),
        Column("adds", cell=lambda d: numbers.signed(d.delta, digits)),
        Column("sd", cell=lambda d: numbers.score(d.sd, digits)),
        Column("share", cell=lambda d: "–" if d.share is None else numbers.share(d.share)),
    ]
    caption = f"What classes add to Δ{measured(row)} = {row.a.name} − {row.b.name}"
    return Table.of(row.drivers, columns, caption, row.signature)


@views.table_of_rows.of(BayesTest)
def hypotheses_table(rows: Sequence[BayesTest], words: Words = typed) -> Table:  # noqa: ARG001 (it has no next step)
    """Intervals of both, the probabilities of the hypotheses and the decision (ACL'19 Tables 2–5); and the ROPE's."""
    first, digits = rows[0], max(map(comparison_digits, rows))

    def ends(row: BayesTest, k: int) -> str:
        return numbers.interval((row.intervals or (row.a.hdi, row.b.hdi))[k], digits + 1)

    columns = [
        Column("measure", "l", measured),
        *(Column(score.name, "c", partial(ends, k=k), spare=3) for k, score in enumerate((first.a, first.b))),
        Column("P(H0)", cell=lambda row: f"{row.hypotheses.p_h0:.3f}", spare=2),
        Column("P(H1)", cell=lambda row: f"{row.hypotheses.p_h1:.3f}"),
        Column("accept", "c", lambda row: row.hypotheses.accept),
        Column("Δ", cell=lambda row: numbers.signed(row.delta.mean, digits), spare=1),
        *_judged(first, digits),
    ]
    caption = f"H0: {first.b.name} is no better than {first.a.name}; Δ = {first.a.name} − {first.b.name}"
    lead = _lead(rows, "measures") if first.rope or len(rows) == 1 else ""  # the hypotheses are judged in the table
    return Table.of(rows, columns, caption, signature_of(rows), remarks_of(rows), lead)


def _lead(rows: Sequence[Comparison], what: str) -> str:
    """The verdict in words; of several rows, how many there are of each."""
    return card_of(rows[0]).headline if len(rows) == 1 else tally(rows, what)


def remarks_of(rows: Sequence[Comparison], names: Sequence[object] = ()) -> list[str]:
    """The notes of the rows, each with the name of its row, by default the class; those of all rows once."""
    names = names or [row.class_ for row in rows]
    notes = [(*row.notes, *row.bayes_factor.notes) for row in rows]
    shared = [note for note in notes[0] if all(note in others for others in notes)]
    single = [
        note if name is None else f"{name}: {note}"
        for name, of_row in zip(names, notes, strict=True)
        for note in of_row
        if note not in shared
    ]
    return [*shared, *dict.fromkeys(single)]


@views.table_of_rows.of(Estimate)
def estimate_table(rows: Sequence[Estimate], words: Words = typed) -> Table:
    """Observed score, mean, sd, HDI."""
    first, names, mass = rows[0], {row.name for row in rows}, f"{100 * rows[0].mass:g}%"
    classifier = Column("classifier", "l", lambda row: row.name)
    columns = [
        classifier if first.class_ is None else Column("class", "l", lambda row: str(row.class_)),
        Column("observed", "r", lambda row: numbers.score(row.observed), 1, "score on these items"),
        Column("mean", "r", lambda row: numbers.score(row.mean), 0, "posterior mean"),
        Column("sd", "r", lambda row: numbers.score(row.sd), 2, "its standard deviation"),
        Column(f"{mass} HDI", "r", lambda row: numbers.interval(row.hdi), 0, f"{INTERVAL}, the most probable {mass}"),
    ]
    notes = dict.fromkeys(note for row in rows for note in row.notes)
    whose = first.name if len(names) == 1 else f"{len(names)} classifiers"
    return Table.of(
        rows,
        columns,
        f"{measured(first)} of {whose}",
        signature_of(rows),
        list(notes),
        next=after_scores(len(names), len(rows), words),
        order=sorted(range(len(rows)), key=lambda k: rows[k].mean),
        rest="with higher scores",
    )


@views.tables.of(Sensitivity)
def sensitivity_tables(s: Sensitivity) -> Sequence[Table]:
    """Mean, sd, Bayes factor, shares, HDI and verdict under each prior."""
    rows, first, names = s.rows, s.rows[0], [row.prior for row in s.rows]
    bayesian = _bayesian(first, max(map(comparison_digits, rows)))
    shown = (replace(column, detail=column.detail and column.header != "BF") for column in bayesian)
    columns = [Column("prior", "l", lambda row: row.prior), *shown]  # on which Bayes factors depend most
    same = "the verdict is the same under all priors" if s.robust else "the verdict depends on the prior"
    what = same if first.decision else same.replace("the verdict", "whether 0 is inside the HDI")
    caption, signature = f"{comparison_table(rows).caption}; {what}", first.signature.without("prior")
    remarks, further = [*s.notes, *remarks_of(rows, names)], after_priors(rows, robust=s.robust)
    return [Table.of(rows, columns, caption, signature, remarks, _lead(rows, "priors"), next=further)]


@views.line.of(PredictiveCheck)
def check_line(check: PredictiveCheck) -> str:
    """One line: how many counts are outside their intervals."""
    mass = f"{100 * check.mass:g}%"
    return (
        f"{check.when} predictive check: {_outside(check)} of {len(check.cells)} counts outside their {mass} interval"
    )


def _outside(check: PredictiveCheck) -> int:
    return sum(not cell.interval[0] <= cell.observed <= cell.interval[1] for cell in check.cells)


@views.tables.of(PredictiveCheck)
def check_tables(check: PredictiveCheck) -> Sequence[Table]:
    """Observed and replicated counts."""
    columns = [
        Column("counts", "l", lambda c: c.variable),
        Column("cell", "l", lambda c: c.cell),
        Column("observed", cell=lambda c: f"{c.observed:g}"),
        Column("mean", cell=lambda c: f"{c.mean:.1f}", means=GIVEN),
        Column(
            f"{100 * check.mass:g}% interval", cell=lambda c: f"[{c.interval[0]:g}, {c.interval[1]:g}]", means=GIVEN
        ),
        Column("p", cell=lambda c: f"{c.p:.3f}", means="share of these data sets whose count is as extreme"),
    ]
    caption = f"{check.when} predictive check: {check.draws:,} data sets that the model gives"
    expected = (1 - check.mass) * len(check.cells)
    fits = f"About {expected:.2g} of {len(check.cells)} counts are outside their interval if the model fits"
    further = f"{fits}; {_outside(check)} are. Try another model if many more are."
    return [Table.of(check.cells, columns, caption, check.signature, next=further)]


def signature_of(rows: Sequence[Comparison] | Sequence[Estimate]) -> Signature:
    """The signature; that of the first row where rows differ only in their class."""
    shared = rows[0].signature
    return shared if len(rows) == 1 else shared.without("positive")
