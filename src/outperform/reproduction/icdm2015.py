"""Zhang et al., A Bayesian Hierarchical Model for Comparing Average F1 Scores, ICDM 2015: Tables II–IV, Figures 4–6."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from outperform.base.signature import Signature
from outperform.data.counts import Counts
from outperform.datasets import CLASSIFIERS, newsgroups_confusion, newsgroups_path, printed
from outperform.inference.count_evidence import classical
from outperform.inference.question import CountQuestion
from outperform.inference.tables import tables
from outperform.io import read_counts
from outperform.models import Unpaired, as_model
from outperform.render.report import Picture
from outperform.reproduction.cells import Cell, Claim, Held, chain_error, figures, held, settled
from outperform.reproduction.registry import reproduction
from outperform.reproduction.result import Reproduction
from outperform.reproduction.sigir2016 import PREDICTIONS
from outperform.results import Comparison
from outperform.verbs.compare_confusion import compare_confusion
from outperform.verbs.estimate import estimate
from outperform.verdicts.decision import OUTCOMES

__all__ = ["figures_4_to_6", "table_2", "table_3", "table_4"]

ROPE, MASS = 0.005, 0.95  # the paper's
ROUNDED, AVERAGES = Held(0.0005), Held(0.002)
P_VALUES = {"micro": (("sign_test", "t_test"), ROUNDED), "macro": (("class_sign_test", "class_t_test"), Held(0.01))}
COLUMNS = {
    "mean": Held(0.002),
    "std": Held(0.002),
    "mc_error": ROUNDED,
    "bf_sd": Held(0.2, share=True),
    "pct_below": Held(1, 1),
    "pct_above": Held(1, 1),
    "pct_rope": Held(1, 1),
    "hdi_low": Held(0.002),
    "hdi_high": Held(0.002),
}
KINDS = {"trace": "trace of δ", "posterior": "the posterior of δ", "factor": "the Bayes factor"}
SAID = {("nb_bern", "nb_mult"): "worse", ("svm_l1", "svm_l2"): "slightly_worse", ("nb_mult", "svm_l2"): "better"}
RUNS = "Figure 3(c) and Table II come from different runs of the SVM with L1 penalty"
AGREEING = 6  # classes of 20, of that column
FLAT = "the paper divides by the density of a flat prior at 0, not by that of its own model"
CHAIN = 7_232  # independent draws that its 50,000 are worth, measured with a chain like it


@reproduction("icdm2015-table2", "ICDM'15 Table II: F1 by class, micro and macro", PREDICTIONS)
def table_2(seed: int, corpus: str | None) -> Reproduction:
    """From the confusion matrices of Figure 3, or the averages from predictions."""
    rows = [row for row in printed("icdm2015_table2_f1") if not (corpus and row["category"].isdigit())]
    found = {name: _scores(_counted(name, corpus), seed) for name in CLASSIFIERS}
    columns, reasons = dict.fromkeys(CLASSIFIERS, AVERAGES if corpus else ROUNDED), {} if corpus else {"svm_l1": RUNS}
    cells = [
        cell
        for row in rows
        for cell in held(
            (row["category"],), row, {name: scores[row["category"]] for name, scores in found.items()}, columns, reasons
        )
    ]
    claims = () if corpus else (_one_run_of_four(cells),)
    return Reproduction(labels=("class",), cells=tuple(cells), claims=claims)


@reproduction("icdm2015-table3", "ICDM'15 Table III: frequentist tests of average F1 scores", PREDICTIONS)
def table_3(seed: int, corpus: str | None) -> Reproduction:
    """Tests on items (micro) and on classes (macro), from the predictions."""
    cells = list[Cell]()
    for row, labels in _rows():
        counts = read_counts(corpus or newsgroups_path(), truth="true", predictions=labels[:2])
        tests, signature = _tests(counts, row["average"], seed)
        names, how = P_VALUES[row["average"]]
        computed = {column: tests[name] or 0.0 for column, name in zip(P_VALUES["micro"][0], names, strict=True)}
        cells += held(labels, row, computed, dict.fromkeys(computed, how))
    note = "The tolerance is half a unit of the third decimal for micro tests and 0.01 for macro tests."
    return Reproduction(labels=("a", "b", "F1"), cells=tuple(cells), notes=(note,), signature=signature)


@reproduction("icdm2015-table4", "ICDM'15 Table IV: average F1 scores under the hierarchical model")
def table_4(seed: int, _: str | None) -> Reproduction:
    """The paper's own model, unpaired, from the confusion matrices."""
    cells, near = list[Cell](), []
    flat = {average: _flat_density(average, seed) for average in ("micro", "macro")}
    for row, labels in _rows():
        r = _compared(labels, seed)
        cells += _cells(row, labels, r)
        near.append(_explained(float(row["bf_sd"]), r, flat[row["average"]]))
    text = "all Bayes factors over the density of a flat prior are within four Monte-Carlo errors of the paper's"
    claims = (Claim(text, all(near)),)
    notes = tuple(f"A flat prior has a density of {density:.1f} at 0 ({average})." for average, density in flat.items())
    return Reproduction(labels=("a", "b", "F1"), cells=tuple(cells), claims=claims, notes=notes, signature=r.signature)


@reproduction("icdm2015-figures4to6", "ICDM'15 Figures 4 to 6: macro F1 of three pairs")
def figures_4_to_6(seed: int, _: str | None) -> Reproduction:
    """Trace, posterior and Bayes factor of each pair."""
    claims, pictures = list[Claim](), list[Picture]()
    for number, labels in enumerate((about for _, about in _rows() if about[2] == "macro"), start=4):
        r, (a, b, _) = _compared(labels, seed), labels
        said = SAID[a, b]
        claims.append(Claim(OUTCOMES[said][2].format(a=a, b=b), r.decision is not None and r.decision.name == said))
        halves = f"the two halves of the draws, {a} against {b}, have the same mean, to four Monte-Carlo errors"
        claims.append(Claim(halves, settled(r)))
        pictures += [
            Picture(f"Figure {number}({letter}): {text}, {a} against {b}", partial(r.plot, kind=kind))
            for letter, (kind, text) in zip("abc", KINDS.items(), strict=True)
        ]
    return Reproduction(
        claims=tuple(claims),
        notes=("Our draws are independent; no chain has to converge.",),
        pictures=tuple(pictures),
        signature=r.signature,
    )


def _rows() -> Iterator[tuple[dict[str, str], tuple[str, str, str]]]:
    """The rows of Tables III and IV, each with its pair and average."""
    for row in printed("icdm2015_table4"):
        yield row | {"mc_error": "0.000"}, (row["first"], row["second"], row["average"])


def _tests(counts: Counts, average: str, seed: int) -> tuple[dict[str, float | None], Signature]:
    """The classical tests that `compare` gives, and its signature, without a draw: they need none."""
    question = CountQuestion.check("f1", average, counts, draws=1_000, rng=seed)
    table, asked, model = next(tables(counts, question, as_model(None, counts, average)))
    return classical(table, asked, table.contingency()), asked.signature(model, table.items, MASS)


def _counted(name: str, corpus: str | None) -> Counts:
    """The confusion counts of a classifier."""
    if corpus is None:
        return Counts.from_confusion({name: newsgroups_confusion()[name]})
    return read_counts(corpus, truth="true", predictions=[name])


def _scores(counts: Counts, seed: int) -> dict[str, float]:
    """Observed F1 by class, and its averages."""
    settings: dict[str, Any] = {"draws": 1_000, "rng": seed}
    classes = estimate(counts, average="per_class", **settings)
    micro, macro = (estimate(counts, average=average, **settings) for average in ("micro", "macro"))
    rows = [*classes.all_rows(), micro, macro]
    names = [*(str(k) for k in range(len(rows) - 2)), "miF1", "maF1"]
    return {name: float(row.observed) for name, row in zip(names, rows, strict=True)}


def _one_run_of_four(cells: Sequence[Cell]) -> Claim:
    """Whether the matrices of all classifiers but one give the table."""
    agreeing = Counter(cell.column for cell in cells if cell.within and cell.row[0].isdigit())
    expected = dict.fromkeys(CLASSIFIERS, 20) | {"svm_l1": AGREEING}
    text = (
        f"{AGREEING} of 20 classes of the SVM with L1 penalty agree with its confusion matrix, all of the other three"
    )
    return Claim(text, dict(agreeing) == expected)


def _compared(
    labels: tuple[str, str, str], seed: int, prior: str = "hierarchical", draws: int | None = None
) -> Comparison:
    a, b, average = labels
    matrices = newsgroups_confusion()
    r = compare_confusion(
        matrices[a], matrices[b], names=(a, b), average=average, model=Unpaired(prior), rope=ROPE, draws=draws, rng=seed
    )
    assert isinstance(r, Comparison)
    return r


def _cells(row: Mapping[str, str], labels: tuple[str, str, str], r: Comparison) -> list[Cell]:
    assert r.decision is not None
    computed = figures(r) | {"mc_error": r.delta.mc_error}
    decision = Cell.word(labels, "decision", row["decision"], r.decision.symbol)
    return [*held(labels, row, computed, COLUMNS, {"bf_sd": FLAT}), decision]


def _flat_density(average: str, seed: int) -> float:
    """The prior density of δ at 0 under a flat prior."""
    r = _compared(("svm_l1", "svm_l2", average), seed, "uniform", 1_000)
    assert r.evidence is not None
    return r.evidence.prior_density or 0.0


def _explained(factor: float, r: Comparison, flat: float) -> bool:
    """Whether a printed factor is that over the density of a flat prior."""
    assert r.evidence is not None
    allowed = max(4 * chain_error(factor, flat, r.delta.sd, CHAIN), ROUNDED.tolerance)
    return abs((r.evidence.density_at_zero or 0.0) / flat - factor) <= allowed
