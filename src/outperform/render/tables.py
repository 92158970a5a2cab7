"""Tables of results: the columns of SIGIR'16 Tables 4–6 for comparisons, a plain one for estimates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from outperform.base.signature import Signature
from outperform.data.labels import Label
from outperform.formats import numbers
from outperform.formats.table import Column, Table
from outperform.render.text import TESTS as SPELT
from outperform.render.text import comparison_digits, measured, savage_dickey, verdict, worth
from outperform.results import BayesTest, Comparison, Estimate, PredictiveCheck, Sensitivity, views
from outperform.verdicts.decision import OUTCOMES

__all__ = ["scores_table", "signature_of", "tests_table"]

TESTS = {"sign_test": "sign test", "t_test": "t-test", "class_sign_test": "S-test", "class_t_test": "T-test"}
COUNTED = {
    "equivalent": "practically the same",
    "worse": "worse",
    "better": "better",
    "slightly_worse": "looks worse, more data needed",
    "slightly_better": "looks better, more data needed",
    "undecided": "open, more data needed",
}


@views.tables.of(Comparison)
def comparison_tables(r: Comparison) -> Sequence[Table]:
    """A table of one row; for an average over classes also what each class adds."""
    return [views.table_of_rows[type(r)]([r]), *([driver_table(r)] if r.drivers else [])]


@views.table_of_rows.of(Comparison)
def comparison_table(rows: Sequence[Comparison]) -> Table:
    """Classical tests, mean, sd, Bayes factor, share below and above 0, share in the ROPE, HDI, verdict."""
    first = rows[0]
    mass = f"{100 * first.delta.mass:g}% HDI"
    tests = [name for test, name in TESTS.items() if test in first.frequentist]
    columns = [
        Column("class" if first.class_ is not None else "comparison", "l"),
        *(Column(name) for name in (*tests, "mean", "sd", "BF")),
        Column("below 0 / above", "c"),
        Column("in ROPE"),
        Column(mass, "c"),
        Column("verdict", "c"),
    ]
    digits = max(map(comparison_digits, rows))
    region = first.rope and numbers.interval((first.rope.low, first.rope.high), digits, difference=True)
    caption = f"Δ{measured(first)} = {first.a.name} − {first.b.name}, {f'ROPE {region}' if region else 'no ROPE'}"
    cells = [_comparison_cells(row, digits) for row in rows]
    lead = _lead(rows, "comparisons" if first.class_ is None else "classes")
    groups = [("", 1), ("frequentist", len(tests)), ("Bayesian", 6), ("", 1)] if tests else []
    remarks = [*_remarks(rows), *worth(first.verdicts)]
    return Table(columns, cells, caption, signature_of(rows), remarks, lead, groups)


def scores_table(r: Comparison) -> Table:
    """Both scores and their difference: observed, mean, sd, HDI."""
    digits = comparison_digits(r)
    headers = ("observed", "mean", "sd", f"{100 * r.delta.mass:g}% HDI")
    cells = [
        [s.name, *(numbers.score(x, digits) for x in (s.observed, s.mean, s.sd)), numbers.interval(s.hdi, digits)]
        for s in (r.a, r.b)
    ]
    d = r.delta
    moved = [numbers.signed(x, digits) for x in (d.observed, d.mean)]
    cells.append(["difference", *moved, numbers.score(d.sd, digits), numbers.interval(d.hdi, digits, difference=True)])
    return Table([Column("", "l"), *map(Column, headers)], cells, f"{measured(r)} of both")


def tests_table(r: Comparison) -> Table:
    """The classical tests that suit."""
    cells = [[SPELT.get(test, test), numbers.p_value(p)] for test, p in r.frequentist.items()]
    return Table([Column("test", "l"), Column("p")], cells, "Classical tests of no difference")


def driver_table(row: Comparison) -> Table:
    """What each class adds to the difference of two averages, and its share of it."""
    digits = comparison_digits(row) + 1
    columns = [Column("class", "l"), Column("adds"), Column("sd"), Column("share")]
    cells = [
        [
            str(d.class_),
            numbers.signed(d.delta, digits),
            numbers.score(d.sd, digits),
            "–" if d.share is None else numbers.share(d.share),
        ]
        for d in row.drivers
    ]
    caption = f"What classes add to Δ{measured(row)} = {row.a.name} − {row.b.name}"
    return Table(columns, cells, caption, row.signature)


@views.table_of_rows.of(BayesTest)
def hypotheses_table(rows: Sequence[BayesTest]) -> Table:
    """Intervals of both, the probabilities of the hypotheses and the decision (ACL'19 Tables 2–5); and the ROPE's."""
    first = rows[0]
    digits = max(map(comparison_digits, rows))
    mass = f"{100 * first.delta.mass:g}% HDI"
    columns = [
        Column("measure", "l"),
        *(Column(score.name, "c") for score in (first.a, first.b)),
        Column("P(H0)"),
        Column("P(H1)"),
        Column("accept", "c"),
        Column("Δ"),
        Column(mass, "c"),
        Column("verdict", "c"),
    ]
    cells = []
    for row in rows:
        intervals = row.intervals or (row.a.hdi, row.b.hdi)
        h = row.hypotheses
        cells.append(
            [
                measured(row),
                *(numbers.interval(own, digits + 1) for own in intervals),
                *(f"{p:.3f}" for p in (h.p_h0, h.p_h1)),
                h.accept,
                numbers.signed(row.delta.mean, digits),
                numbers.interval(row.delta.hdi, digits, difference=True),
                row.decision.symbol if row.decision else "–",
            ]
        )
    caption = f"H0: {first.b.name} is no better than {first.a.name}; Δ = {first.a.name} − {first.b.name}"
    return Table(columns, cells, caption, signature_of(rows), _remarks(rows), _lead(rows, "measures"))


def _lead(rows: Sequence[Comparison], what: str) -> str:
    """The verdict in words; of several, how many there are of each."""
    first = rows[0]
    if len(rows) == 1:
        return verdict(first)
    names = [row.decision.name for row in rows if row.decision]
    if len(names) < len(rows) or any((row.a.name, row.b.name) != (first.a.name, first.b.name) for row in rows):
        return ""
    (most, number), *others = Counter(names).most_common()
    lead = f"{number} of {len(rows)} {what}: {first.a.name} {OUTCOMES[most][0]} {first.b.name} ({COUNTED[most]})"
    return "; ".join([lead, *(f"{n}: {OUTCOMES[name][0]} ({COUNTED[name]})" for name, n in others)])


def _remarks(rows: Sequence[Comparison], names: Sequence[Label | None] | None = None) -> list[str]:
    """The notes of the rows, each with the row's name (by default its class); those of all rows once."""
    notes = [(*row.notes, *row.bayes_factor.notes) for row in rows]
    shared = [note for note in notes[0] if all(note in others for others in notes)]
    own = [
        note if name is None else f"{name}: {note}"
        for said, name in zip(notes, names or [row.class_ for row in rows], strict=True)
        for note in said
        if note not in shared
    ]
    return [*shared, *dict.fromkeys(own)]


def _comparison_cells(row: Comparison, digits: int) -> list[str]:
    return [
        str(row.class_) if row.class_ is not None else f"{row.a.name} − {row.b.name}",
        *(numbers.p_value(row.frequentist[test]) for test in TESTS if test in row.frequentist),
        numbers.signed(row.delta.mean, digits),
        numbers.score(row.delta.sd, digits),
        savage_dickey(row),
        f"{numbers.percent(row.delta.p_less)} / {numbers.percent(row.delta.p_greater)}",
        numbers.percent(row.rope.probability) if row.rope else "–",
        numbers.interval(row.delta.hdi, digits, difference=True),
        row.decision.symbol if row.decision else "–",
    ]


@views.table_of_rows.of(Estimate)
def estimate_table(rows: Sequence[Estimate]) -> Table:
    """Observed score, mean, sd, HDI."""
    first = rows[0]
    headers = ("observed", "mean", "sd", f"{100 * first.mass:g}% HDI")
    columns = [Column("class" if first.class_ is not None else "classifier", "l"), *(Column(h) for h in headers)]
    cells = [
        [
            str(row.class_) if row.class_ is not None else row.name,
            numbers.score(row.observed),
            numbers.score(row.mean),
            numbers.score(row.sd),
            numbers.interval(row.hdi),
        ]
        for row in rows
    ]
    notes = dict.fromkeys(note for row in rows for note in row.notes)
    names = {row.name for row in rows}
    whose = first.name if len(names) == 1 else f"{len(names)} classifiers"
    return Table(columns, cells, f"{measured(first)} of {whose}", signature_of(rows), list(notes))


@views.tables.of(Sensitivity)
def sensitivity_tables(s: Sensitivity) -> Sequence[Table]:
    """Mean, sd, Bayes factor, shares, HDI and verdict under each prior."""
    rows, first = s.rows, s.rows[0]
    digits = max(map(comparison_digits, rows))
    whole = comparison_table(rows)
    tests = sum(column.header in TESTS.values() for column in whole.columns)  # no test has a prior
    columns = [Column("prior", "l"), *whole.columns[1 + tests :]]
    cells = [[row.prior, *_comparison_cells(row, digits)[1 + tests :]] for row in rows]
    same = "the verdict is the same under all priors" if s.robust else "the verdict depends on the prior"
    what = same if first.decision else same.replace("the verdict", "whether 0 is inside the HDI")
    remarks, lead = [*_remarks(rows), *s.notes], _lead(rows, "priors")
    return [Table(columns, cells, f"{whole.caption}; {what}", first.signature.without("prior"), remarks, lead)]


@views.line.of(PredictiveCheck)
def check_line(check: PredictiveCheck) -> str:
    """How many counts are outside their intervals."""
    out = sum(not cell.interval[0] <= cell.observed <= cell.interval[1] for cell in check.cells)
    mass = f"{100 * check.mass:g}%"
    return f"{check.when} predictive check: {out} of {len(check.cells)} counts outside their {mass} interval"


@views.tables.of(PredictiveCheck)
def check_tables(check: PredictiveCheck) -> Sequence[Table]:
    """Observed counts beside replicated ones."""
    headers = ("observed", "mean", f"{100 * check.mass:g}% interval", "p")
    columns = [Column("counts", "l"), Column("cell", "l"), *(Column(header) for header in headers)]
    cells = [
        [
            c.variable,
            c.cell,
            f"{c.observed:g}",
            f"{c.mean:.1f}",
            f"[{c.interval[0]:g}, {c.interval[1]:g}]",
            f"{c.p:.3f}",
        ]
        for c in check.cells
    ]
    caption = f"{check.when} predictive check: {check.draws:,} data sets that the model gives"
    return [Table(columns, cells, caption, check.signature)]


def signature_of(rows: Sequence[Comparison] | Sequence[Estimate]) -> Signature:
    """The signature; that of the first row where rows differ only in their class."""
    shared = rows[0].signature
    return shared if len(rows) == 1 else shared.without("positive")
