"""Other tools and outperform on the same data: recomputes what the page "Comparison with other tools" shows.

    python examples/versus/run.py [TOOL …]

Tools that are not installed are left out; pip knows them by the names below, evalsuite as evalsuite-python.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from typing import Any

import numpy as np

import outperform as op

__all__ = ["TOOLS", "Both", "installed", "main"]

SVM = [0.8367, 0.9079, 0.7824, 0.8807, 0.6868, 0.9495, 0.8098, 0.7273, 0.8619, 0.8969, 0.7691, 0.8301]
NB = [0.7994, 0.9007, 0.7119, 0.8537, 0.6983, 0.9112, 0.7716, 0.6583, 0.8560, 0.8738, 0.7884, 0.7985]
TREE = [0.7851, 0.8772, 0.7305, 0.8402, 0.6719, 0.9235, 0.7604, 0.6702, 0.8333, 0.8561, 0.7502, 0.7921]


@dataclass(frozen=True)
class Both:
    """What another tool says, and what we say."""

    theirs: object
    ours: object

    def __str__(self) -> str:
        return f"theirs:\n{self.theirs}\n\nours:\n{self.ours}\n"


def mcnemar() -> Both:
    """Motorcycles or not, two classifiers on the same posts: are they right equally often?"""
    y, two = motorcycles()
    tools = import_module("mlxtend.evaluate")
    table = tools.mcnemar_table(y, *two.values())
    chi2, p = tools.mcnemar(table)
    _, same = tools.mcnemar(tools.mcnemar_table(y, two["svm_l2"], two["svm_l2"]))
    theirs = f"{table.tolist()}\nchi2 = {chi2:.4f}, p = {p:.4f}\nidentical predictions: p = {same:.4f}"
    return Both(theirs, op.compare(y, two, rope=0.05, rng=0).frequentist)


def statsmodels() -> Both:
    """The same, exactly."""
    y, two = motorcycles()
    right = [predicted == y for predicted in two.values()]
    table = [[int(np.sum((right[0] == i) & (right[1] == j))) for j in (True, False)] for i in (True, False)]
    theirs = import_module("statsmodels.stats.contingency_tables").mcnemar(table, exact=True)
    return Both(theirs, op.compare(y, two, rope=0.05, rng=0).frequentist["mcnemar"])


def prob_conf_mat() -> Both:
    """F1 of motorcycles from two confusion matrices; differences of up to 0.05 do not matter."""
    y, two = motorcycles()
    study = import_module("prob_conf_mat").Study(seed=0, num_samples=10_000, ci_probability=0.95)
    for name, predicted in two.items():
        study.add_experiment(f"{name}/test", matrix(y, predicted), prevalence_prior=1.0, confusion_prior=1.0)
    study.add_metric("f1")
    a, b = (f"{name}/test" for name in two)
    report = study.report_pairwise_comparison(
        metric="f1", class_label=1, experiment_a=a, experiment_b=b, min_sig_diff=0.05
    )
    ours = [op.compare(y, two, model=model, rope=0.05, rng=0) for model in ("unpaired", "paired")]
    return Both(report, "\n".join(map(str, ours)))


def credible() -> Both:
    """F1 of one classifier, with an interval: the observed score, its mode, the ends."""
    y, two = motorcycles()
    found = import_module("credible.metrics").f1_score(y, two["nb_mult"], 0.95, rng=np.random.default_rng(0))
    return Both(tuple(round(float(x), 4) for x in found), op.estimate(y, two["nb_mult"], rng=0))


def confidenceinterval() -> Both:
    """Macro-averaged F1 of one classifier over 20 classes, with an interval."""
    news = op.datasets.newsgroups()
    score = import_module("confidenceinterval").f1_score
    given = (news.truth, news.predictions["svm_l2"])
    theirs = {
        "delta method": score(*given, average="macro", confidence_level=0.95),
        "bootstrap": score(
            *given, average="macro", confidence_level=0.95, method="bootstrap_percentile", n_resamples=1000,
            random_state=np.random.default_rng(0),
        ),
    }  # fmt: skip
    text = "\n".join(f"{how}: {value:.3f} ({low:.3f}, {high:.3f})" for how, (value, (low, high)) in theirs.items())
    return Both(text, op.estimate(*given, average="macro", draws=10_000, rng=0))


def evalsuite() -> Both:
    """F1 of motorcycles, two classifiers on the same posts."""
    y, two = motorcycles()
    found = import_module("evalsuite").compare(y, two, metrics=["f1"], random_state=0)
    (test,) = found.to_dict()["tests"]
    interval = f"ci_low {test['ci_low']:.4f}, ci_high {test['ci_high']:.4f}"
    return Both(f"{found}\nin the JSON: {interval}", op.compare(y, two, rope=0.05, rng=0))


def evalconfidence() -> Both:
    """Right or wrong on each of 7,532 items: accuracies, and what pairing is worth."""
    news, pandas, tool = op.datasets.newsgroups(), import_module("pandas"), import_module("evalconfidence")
    right = {name: (news.predictions[name] == news.truth).astype(int) for name in ("nb_mult", "svm_l2")}
    frames = [pandas.DataFrame({"item_id": news.ids, "model_id": name, "correct": own}) for name, own in right.items()]
    r = op.compare_scores(right, measure="accuracy", rope=0.01, rng=0)
    pairing = "" if r.pairing is None else f"pairing is worth {r.pairing.factor:.1f} times as many items"
    return Both(tool.compare(*map(tool.from_dataframe, frames)), f"{r}\n{pairing}")


def ranx() -> Both:
    """Two searches, 60 queries of 40 documents, nDCG at 10."""
    tool, rng = import_module("ranx"), np.random.default_rng(0)
    gain = rng.binomial(2, 0.15, (60, 40))
    runs = {name: gain + spread * rng.normal(size=gain.shape) for name, spread in {"bert": 1.6, "bm25": 2.0}.items()}
    names = [f"d{d:02}" for d in range(40)]
    qrels = tool.Qrels({f"q{q:02}": dict(zip(names, map(int, own), strict=True)) for q, own in enumerate(gain)})
    given = [
        tool.Run({f"q{q:02}": dict(zip(names, own.tolist(), strict=True)) for q, own in enumerate(scores)}, name=name)
        for name, scores in runs.items()
    ]
    report = tool.compare(qrels=qrels, runs=given, metrics=["ndcg@10"], stat_test="student", max_p=0.05)
    each = {run.name: tool.evaluate(qrels, run, "ndcg@10", return_mean=False) for run in given}
    return Both(report, op.compare_scores(each, measure="ndcg@10", rope=0.01, rng=0))


def deepsig() -> Both:
    """Two systems, five runs each, 200 items: the scores of the runs, and the scores of all items."""
    rng = np.random.default_rng(1)
    hard = rng.normal(size=(200, 1))
    runs = {
        name: 0.6 + gain + rng.normal(0, 0.01, 5) + 0.1 * hard + 0.05 * rng.normal(size=(200, 5))
        for name, gain in {"new": 0.02, "old": 0.0}.items()
    }
    means = [own.mean(axis=0).round(4).tolist() for own in runs.values()]
    aso = import_module("deepsig").aso
    eps, one = (aso(*scores, seed=0, show_progress=False) for scores in (means, [own[:1] for own in means]))
    theirs = f"{means}\neps_min = {eps:.4f}\none run each: eps_min = {one:.4f}"
    ours = [op.compare_scores(own, rope=0.005, rng=0) for own in (runs, {name: x[:, :1] for name, x in runs.items()})]
    return Both(theirs, "\n".join(map(str, ours)))


def baycomp() -> Both:
    """One score on each of twelve data sets; 0.01 does not matter. baycomp takes the second minus the first."""
    tool = import_module("baycomp")
    theirs = tool.two_on_multiple(np.array(NB), np.array(SVM), rope=0.01, random_state=0)
    return Both(
        tuple(round(float(p), 3) for p in theirs), op.compare_datasets({"svm": SVM, "nb": NB}, rope=0.01, rng=0)
    )


def autorank() -> Both:
    """Three systems on twelve data sets."""
    scores = {"svm": SVM, "nb": NB, "tree": TREE}
    tool, printed = import_module("autorank"), StringIO()
    with redirect_stdout(printed):
        tool.create_report(tool.autorank(import_module("pandas").DataFrame(scores), alpha=0.05, verbose=False))
    return Both(printed.getvalue(), op.rank_scores(scores, rope=0.01, rng=0))


def motorcycles() -> tuple[Any, dict[str, Any]]:
    """Is a post about motorcycles, and what two classifiers say."""
    news = op.datasets.newsgroups()
    return (news.truth == 8).astype(int), {
        name: (news.predictions[name] == 8).astype(int) for name in ("nb_mult", "svm_l2")
    }


def matrix(y: Any, predicted: Any) -> Any:
    """A confusion matrix; rows are true classes."""
    return np.array([[int(np.sum((y == i) & (predicted == j))) for j in (0, 1)] for i in (0, 1)])


TOOLS: dict[str, Callable[[], Both]] = {
    "mlxtend": mcnemar,
    "statsmodels": statsmodels,
    "prob_conf_mat": prob_conf_mat,
    "credible": credible,
    "confidenceinterval": confidenceinterval,
    "evalsuite": evalsuite,
    "evalconfidence": evalconfidence,
    "ranx": ranx,
    "deepsig": deepsig,
    "baycomp": baycomp,
    "autorank": autorank,
}


def installed(name: str) -> bool:
    """Whether a tool is there."""
    return find_spec(name) is not None


def main(arguments: Sequence[str]) -> None:
    """Print both sides of the tools that are named, or of all."""
    unknown = set(arguments) - set(TOOLS)
    if unknown:
        sys.exit(f"unknown tools: {', '.join(sorted(unknown))}; there are {', '.join(TOOLS)}")
    for name in arguments or TOOLS:
        if not installed(name):
            sys.stdout.write(f"== {name}: not installed\n\n")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs
            sys.stdout.write(f"== {name}: {TOOLS[name].__doc__}\n\n{TOOLS[name]()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
