"""Wang and Li, Bayes Test of Precision, Recall, and F1 Measure for Comparison of Two NLP Models, ACL 2019.

Tables 2–5, Figures 1–3 and the simulation of §2.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from outperform.base.errors import DataError
from outperform.data.counts import Counts
from outperform.datasets import data_path, printed
from outperform.inference.f_beta import FBetaPosterior
from outperform.io import read_totals
from outperform.models.folds import effective_factor
from outperform.render.report import Picture
from outperform.reproduction.cells import Cell, Claim, Held, held
from outperform.reproduction.chunking import ORG, count_chunks, is_tagged, kept
from outperform.reproduction.registry import reproduction
from outperform.reproduction.result import Reproduction
from outperform.reproduction.simulated import RUNS, simulate
from outperform.results import BayesTest
from outperform.verbs.bayes_test import bayes_test

__all__ = ["figures_1_to_3", "read_org", "simulation", "table_2", "table_3", "table_4", "table_5"]

CORPUS = (
    "the English training set of CoNLL 2003, one token per line, or totals by fold, as examples/chunking/run.py --task "
    "org --totals writes them"
)
MEASURES = ("precision", "recall", "f1")
CONSERVATIVE = (1.0, 1.0)  # correlations, by which Wang et al. (2015) is a special case
ENDS = dict.fromkeys(("a_low", "a_high", "b_low", "b_high"), Held(0.01, 2))
CHANCES = dict.fromkeys(("p_h0", "p_h1"), Held(0.001))
CHUNKER = "the paper states neither the program nor the settings of its chunker"
UNPUBLISHED = f"ORG is left out because its totals were not published; --corpus takes {CORPUS}."
STEPS = 401  # of an integral over a score
LENGTH = "the length is proportional to 1/√(effective count): 0.0854 · √(0.3688 · 6) = 0.127"


def read_org(path: str, seed: int, cache: str | None, jobs: int | None) -> Counts:
    """Chunks of ORG by fold: totals as a file has them, or those of chunkers that are trained on the corpus in it."""
    if is_tagged(path):
        return count_chunks(ORG, ORG.read(path, None), seed=seed, jobs=jobs, cache=kept(cache))
    try:
        return read_totals(path, system="tag_set", where={"task": "org"})
    except DataError as error:
        raise DataError(f"{error}; give {CORPUS}") from None


@reproduction(
    "acl2019-table2", "ACL'19 Table 2: 95% credible intervals of both tag sets, in per cent", CORPUS, read=read_org
)
def table_2(seed: int, org: Counts | None) -> Reproduction:
    """Equal-tailed intervals of precision, recall and F1."""
    cells = list[Cell]()
    for task, counts in _tasks(org).items():
        for row, r in _tested(task, counts, seed):
            assert r.intervals is not None
            ends = [100 * end for interval in r.intervals for end in interval]
            cells += held((task, row["measure"]), row, dict(zip(ENDS, ends, strict=True)), ENDS, _blame(task, ENDS))
    notes = () if org else (UNPUBLISHED,)
    return Reproduction(labels=("task", "measure"), cells=tuple(cells), notes=notes, signature=r.signature)


@reproduction("acl2019-table3", "ACL'19 Table 3: the Bayes test of word segmentation, BMES against BB2B3MES")
def table_3(seed: int, _: None) -> Reproduction:
    """The finer tag set is better in all three measures."""
    return _decided("cws", _published("cws"), seed)


@reproduction("acl2019-table4", "ACL'19 Table 4: the Bayes test of named entities, IOB2 against IOBES")
def table_4(seed: int, _: None) -> Reproduction:
    """The finer tag set is probably better; unresolved."""
    return _decided("ner", _published("ner"), seed)


@reproduction(
    "acl2019-table5",
    "ACL'19 Table 5: the Bayes test of ORG entities, IOB2 against IOBES",
    CORPUS,
    needed=True,
    read=read_org,
)
def table_5(seed: int, org: Counts) -> Reproduction:
    """The finer tag set has more precision, less recall."""
    return _decided("org", org, seed)


@reproduction(
    "acl2019-figures1to3", "ACL'19 Figures 1 to 3: posteriors of precision, recall and F1", CORPUS, read=read_org
)
def figures_1_to_3(seed: int, org: Counts | None) -> Reproduction:
    """Both tag sets, beside the conservative posteriors of Wang et al. (2015)."""
    pictures, thinner, overlaps = list[Picture](), list[bool](), {}
    for number, (task, counts) in enumerate(_tasks(org).items(), start=1):
        wide = dict(zip(MEASURES, (r for _, r in _tested(task, counts, seed, CONSERVATIVE)), strict=True))
        for row, r in _tested(task, counts, seed):
            measure, other = row["measure"], wide[row["measure"]]
            thinner += [_thinner(ours, theirs) for ours, theirs in zip(_scores(r), _scores(other), strict=True)]
            overlaps[task, measure] = _overlap(*_scores(r))
            caption = f"Figure {number}, {task.upper()}: {measure}; dashed: posteriors of Wang et al. (2015)"
            pictures.append(Picture(caption, partial(_overlaid, r, other)))
    claims = [
        Claim("the posteriors are taller and thinner than those of Wang et al. (2015)", all(thinner)),
        Claim(
            "in CWS the posteriors of recall and of F1 overlap less than those of precision",
            max(overlaps["cws", "recall"], overlaps["cws", "f1"]) < overlaps["cws", "precision"],
        ),
        Claim("in NER the posteriors overlap by more than half", min(overlaps["ner", m] for m in MEASURES) > 0.5),
    ]
    if org:
        left = all(b.mean < a.mean for a, b in (_scores(r) for _, r in _tested("org", org, seed)[1:]))
        text = "in ORG the posteriors of recall and F1 of the finer tag set lie to the left of those of the other"
        claims.append(Claim(text, left))
    notes = tuple(
        f"{task.upper()}, {measure}: the posteriors overlap by {100 * x:.0f}%."
        for (task, measure), x in overlaps.items()
    )
    notes += () if org else (UNPUBLISHED,)
    return Reproduction(claims=tuple(claims), notes=notes, pictures=tuple(pictures), signature=r.signature)


@reproduction("acl2019-simulation", "ACL'19 §2.4: coverage and length of 95% intervals of F1")
def simulation(seed: int, _: None) -> Reproduction:
    """Two normal classes, 600 items, logistic regression; F1 is that of the six classifiers that were fitted."""
    paper = {"this study": (94.5, 0.0854, None), "Wang et al. (2015)": (99.6, 0.117, CONSERVATIVE)}
    found, cells, lengths = simulate(seed), list[Cell](), []
    for name, (share, length, rho) in paper.items():
        inside, mean_length = found.intervals(effective_factor(3, rho))
        noise = 100 * 3 * sqrt(2 * share / 100 * (1 - share / 100) / RUNS)
        cells.append(Cell.of((name,), "coverage (%)", share, 100 * inside, Held(round(noise, 1), 1)))
        cells.append(Cell.of((name,), "length", length, mean_length, Held(0.0005, 4), LENGTH if rho else ""))
        lengths.append(mean_length)
    root = sqrt(effective_factor(3) / effective_factor(3, CONSERVATIVE))
    claim = Claim(
        "the lengths are proportional to 1/√(effective count), to 1%", abs(lengths[1] / lengths[0] / root - 1) < 0.01
    )
    notes = (
        f"{RUNS:,} data sets; the tolerance of the coverage is three standard errors of the difference of two such "
        "simulations.",
        "The paper does not say which F1 is meant. Here it is that of the six fitted classifiers; the intervals cover "
        "the F1 of the algorithm, averaged over training sets, less often.",
    )
    return Reproduction(labels=("posterior",), cells=tuple(cells), claims=(claim,), notes=notes)


def _tasks(org: Counts | None) -> dict[str, Counts]:
    published = {task: _published(task) for task in ("cws", "ner")}
    return published if org is None else published | {"org": org}


def _published(task: str) -> Counts:
    return read_totals(str(data_path("acl2019_counts.csv")), system="tag_set", where={"task": task})


def _tested(
    task: str, counts: Counts, seed: int, rho: tuple[float, float] | None = None
) -> list[tuple[dict[str, str], BayesTest]]:
    """The paper's row of each measure, and our test of it."""
    rows = [row for row in printed("acl2019_tables") if row["task"] == task]
    return [(row, bayes_test(counts, measure=row["measure"], rho=rho, draws=1_000, rng=seed)) for row in rows]


def _decided(task: str, counts: Counts, seed: int) -> Reproduction:
    """P(H0), P(H1) and the decision, measure by measure."""
    cells = list[Cell]()
    for row, r in _tested(task, counts, seed):
        computed, labels = {"p_h0": r.hypotheses.p_h0, "p_h1": r.hypotheses.p_h1}, (row["measure"],)
        cells += held(labels, row, computed, CHANCES, _blame(task, CHANCES))
        cells.append(Cell.word(labels, "accept", row["accept"], r.hypotheses.accept))
    return Reproduction(labels=("measure",), cells=tuple(cells), signature=r.signature)


def _blame(task: str, columns: Mapping[str, Held]) -> dict[str, str]:
    return dict.fromkeys(columns, CHUNKER) if task == "org" else {}


def _scores(r: BayesTest) -> tuple[FBetaPosterior, FBetaPosterior]:
    assert r.posteriors is not None
    return r.posteriors


def _thinner(ours: FBetaPosterior, other: FBetaPosterior) -> bool:
    return ours.sd < other.sd and float(ours.pdf(ours.mode)) > float(other.pdf(other.mode))


def _overlap(a: FBetaPosterior, b: FBetaPosterior) -> float:
    """The area below both densities."""
    ends = [end for posterior in (a, b) for end in posterior.ppf([1e-6, 1 - 1e-6]).tolist()]
    at = np.linspace(min(ends), max(ends), STEPS)
    return float(np.minimum(a.pdf(at), b.pdf(at)).sum() * (at[1] - at[0]))


def _overlaid(r: BayesTest, other: BayesTest, ax: Any) -> None:
    """Draw two posteriors, and dashed those of another calibration."""
    other.plot(ax, kind="densities")
    for line in ax.lines:
        line.set_linestyle("--")
    for area in list(ax.collections):
        area.remove()
    ax.autoscale(axis="y")
    r.plot(ax, kind="densities")
