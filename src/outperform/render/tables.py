"""Tables of results: the columns of SIGIR'16 Tables 4–6 for comparisons, a plain one for estimates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from outperform.base.signature import Signature
from outperform.formats import numbers
from outperform.formats.table import Column, Table
from outperform.render.card import score_rows
from outperform.render.text import TESTS as SPELT
from outperform.render.text import savage_dickey, sides, worth
from outperform.results import BayesTest, Comparison, Estimate, PredictiveCheck, Sensitivity, card_of, views
from outperform.results.card import comparison_digits, measured, tally

__all__ = ["remarks_of", "scores_table", "signature_of", "tests_table"]

TESTS = {"sign_test": "sign test", "t_test": "t-test", "class_sign_test": "S-test", "class_t_test": "T-test"}


@views.tables.of(Comparison)
def comparison_tables(r: Comparison) -> Sequence[Table]:
    """A table of one row; for an average over classes also the contribution of each class."""
    return [views.table_of_rows[type(r)]([r]), *([driver_table(r)] if r.drivers else [])]


@views.table_of_rows.of(Comparison)
def comparison_table(rows: Sequence[Comparison]) -> Table:
    """Classical tests, mean, sd, Bayes factor, share below and above 0, share in the ROPE, HDI, verdict."""
    first, digits = rows[0], max(map(comparison_digits, rows))
    named = Column("comparison", "l", lambda row: f"{row.a.name} − {row.b.name}")
    known = {test: name for test, name in TESTS.items() if test in first.frequentist}
    tests = [Column(name, cell=partial(_p_value, test), spare=6) for test, name in known.items()]
    columns = [
        named if first.class_ is None else Column("class", "l", lambda row: str(row.class_)),
        *tests,
        *_bayesian(first, digits),
    ]
    region = first.rope and numbers.interval((first.rope.low, first.rope.high), digits, difference=True)
    caption = f"Δ{measured(first)} = {first.a.name} − {first.b.name}, {f'ROPE {region}' if region else 'no ROPE'}"
    lead = _lead(rows, "comparisons" if first.class_ is None else "classes")
    groups = [("", 1), ("frequentist", len(tests)), ("Bayesian", 6), ("", 1)] if tests else []
    remarks = [*remarks_of(rows), *worth(first.verdicts)]
    return Table.of(rows, columns, caption, signature_of(rows), remarks, lead, groups=groups)


def _p_value(test: str, row: Comparison) -> str:
    return numbers.p_value(row.frequentist[test])


def _bayesian(first: Comparison, digits: int) -> list[Column]:
    """Columns of the posterior of δ, and of the verdict."""
    return [
        Column("mean", cell=lambda row: numbers.signed(row.delta.mean, digits), spare=1),
        Column("sd", cell=lambda row: numbers.score(row.delta.sd, digits), spare=4),
        Column("BF", cell=savage_dickey, spare=5),
        Column("below 0 / above", "c", sides, spare=3),
        Column("in ROPE", cell=lambda row: numbers.percent(row.rope.probability) if row.rope else "–", spare=2),
        *_judged(first, digits),
    ]


def _judged(first: Comparison, digits: int) -> list[Column]:
    """Columns of the HDI of δ and of the verdict."""
    hdi = Column(
        f"{100 * first.delta.mass:g}% HDI",
        "c",
        lambda row: numbers.interval(row.delta.hdi, digits, difference=True),
    )
    return [hdi, Column("verdict", "c", lambda row: row.decision.symbol if row.decision else "–")]


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
def hypotheses_table(rows: Sequence[BayesTest]) -> Table:
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
    return Table.of(rows, columns, caption, signature_of(rows), remarks_of(rows), _lead(rows, "measures"))


def _lead(rows: Sequence[Comparison], what: str) -> str:
    """The verdict in words; of several rows, how many there are of each."""
    return card_of(rows[0]).headline if len(rows) == 1 else tally(rows, what)


def remarks_of(rows: Sequence[Comparison]) -> list[str]:
    """The notes of the rows, each with the row's class; those of all rows once."""
    notes = [(*row.notes, *row.bayes_factor.notes) for row in rows]
    shared = [note for note in notes[0] if all(note in others for others in notes)]
    single = [
        note if row.class_ is None else f"{row.class_}: {note}"
        for row, of_row in zip(rows, notes, strict=True)
        for note in of_row
        if note not in shared
    ]
    return [*shared, *dict.fromkeys(single)]


@views.table_of_rows.of(Estimate)
def estimate_table(rows: Sequence[Estimate]) -> Table:
    """Observed score, mean, sd, HDI."""
    first, names = rows[0], {row.name for row in rows}
    classifier = Column("classifier", "l", lambda row: row.name)
    columns = [
        classifier if first.class_ is None else Column("class", "l", lambda row: str(row.class_)),
        Column("observed", cell=lambda row: numbers.score(row.observed), spare=1),
        Column("mean", cell=lambda row: numbers.score(row.mean)),
        Column("sd", cell=lambda row: numbers.score(row.sd), spare=2),
        Column(f"{100 * first.mass:g}% HDI", cell=lambda row: numbers.interval(row.hdi)),
    ]
    notes = dict.fromkeys(note for row in rows for note in row.notes)
    whose = first.name if len(names) == 1 else f"{len(names)} classifiers"
    return Table.of(rows, columns, f"{measured(first)} of {whose}", signature_of(rows), list(notes))


@views.tables.of(Sensitivity)
def sensitivity_tables(s: Sensitivity) -> Sequence[Table]:
    """Mean, sd, Bayes factor, shares, HDI and verdict under each prior."""
    rows, first = s.rows, s.rows[0]
    columns = [Column("prior", "l", lambda row: row.prior), *_bayesian(first, max(map(comparison_digits, rows)))]
    same = "the verdict is the same under all priors" if s.robust else "the verdict depends on the prior"
    what = same if first.decision else same.replace("the verdict", "whether 0 is inside the HDI")
    caption, signature = f"{comparison_table(rows).caption}; {what}", first.signature.without("prior")
    return [Table.of(rows, columns, caption, signature, [*remarks_of(rows), *s.notes], _lead(rows, "priors"))]


@views.line.of(PredictiveCheck)
def check_line(check: PredictiveCheck) -> str:
    """One line: how many counts are outside their intervals."""
    out = sum(not cell.interval[0] <= cell.observed <= cell.interval[1] for cell in check.cells)
    mass = f"{100 * check.mass:g}%"
    return f"{check.when} predictive check: {out} of {len(check.cells)} counts outside their {mass} interval"


@views.tables.of(PredictiveCheck)
def check_tables(check: PredictiveCheck) -> Sequence[Table]:
    """Observed and replicated counts."""
    columns = [
        Column("counts", "l", lambda c: c.variable),
        Column("cell", "l", lambda c: c.cell),
        Column("observed", cell=lambda c: f"{c.observed:g}"),
        Column("mean", cell=lambda c: f"{c.mean:.1f}"),
        Column(f"{100 * check.mass:g}% interval", cell=lambda c: f"[{c.interval[0]:g}, {c.interval[1]:g}]"),
        Column("p", cell=lambda c: f"{c.p:.3f}"),
    ]
    caption = f"{check.when} predictive check: {check.draws:,} data sets that the model gives"
    return [Table.of(check.cells, columns, caption, check.signature)]


def signature_of(rows: Sequence[Comparison] | Sequence[Estimate]) -> Signature:
    """The signature; that of the first row where rows differ only in their class."""
    shared = rows[0].signature
    return shared if len(rows) == 1 else shared.without("positive")
