"""Four text classifiers on 20 Newsgroups from raw text: the experiment of SIGIR'16 §4.2 and ICDM'15 §IV.

    python examples/newsgroups/run.py [20news-bydate.tar.gz] --predictions predictions.csv --report report.html

A grid search finds their settings, they are tested on the test posts, and compared.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tarfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import fetch_20newsgroups
from sklearn.datasets._twenty_newsgroups import (
    strip_newsgroup_footer,
    strip_newsgroup_header,
    strip_newsgroup_quoting,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import outperform as op
from outperform.base.errors import DataError
from outperform.datasets import printed

__all__ = ["CLASSIFIERS", "Candidate", "Fitted", "Posts", "compare", "main", "read", "search", "table", "vectors"]

SHUFFLED = (0, 12)  # seeds by which scikit-learn shuffles posts, as it loads them and before it makes vectors of them
REMOVED = ("headers", "footers", "quotes")
FOLDS = 5
ALPHA = [10.0**k for k in range(-16, 1)]
C = [2.0**k for k in range(-3, 5)]
PAIRS = (("nb_bern", "nb_mult"), ("svm_l1", "svm_l2"), ("nb_mult", "svm_l2"))
ROPE = 0.005
ROW = "{:<9}{:<15}{:<15}{:>8}{:>10}{:>7}{:>10}{:>7}{:>9}"
HEADER = ("", "setting", "paper", "cv", "micro F1", "paper", "macro F1", "paper", "seconds")
WANTED = "give 20news-bydate.tar.gz or the folder that it holds"


@dataclass(frozen=True)
class Posts:
    """Texts, their groups, and what they are called: alt.atheism/53068."""

    ids: list[str]
    texts: list[str]
    groups: list[str]


@dataclass(frozen=True)
class Candidate:
    """A classifier, which of its settings is searched for and where, and what the papers found."""

    estimator: BaseEstimator
    setting: str
    grid: Sequence[float]
    paper: float


CLASSIFIERS = {
    "nb_bern": Candidate(BernoulliNB(), "alpha", ALPHA, 1e-14),
    "nb_mult": Candidate(MultinomialNB(), "alpha", ALPHA, 1e-3),
    "svm_l1": Candidate(LinearSVC(penalty="l1", dual=False, random_state=0), "C", C, 4.0),
    "svm_l2": Candidate(LinearSVC(random_state=0), "C", C, 2.0),
}


@dataclass(frozen=True)
class Fitted:
    """The setting that did best on the training posts, its score there, and what it predicts of the test posts."""

    setting: float
    score: float
    predicted: list[str]
    seconds: float


def main(arguments: Sequence[str] | None = None) -> dict[str, Fitted]:
    """Run the experiment, print the tables, and write predictions and report if asked to."""
    given = _parse(arguments)
    try:
        train, test = read(given.corpus)
    except DataError as error:
        sys.exit(str(error))
    _say(f"{len(train.ids)} training posts, {len(test.ids)} test posts, {len(set(train.groups))} groups")
    x, z = vectors(train, test)
    found = {}
    for name, candidate in CLASSIFIERS.items():
        grid = [candidate.paper] if given.papers_settings else candidate.grid
        found[name] = search(candidate, grid, x, train.groups, z)
        _say(f"{name}: {candidate.setting} = {found[name].setting:g}")
    _say("", *table(found, test.groups), "")
    predictions = {name: own.predicted for name, own in found.items()}
    if given.predictions:
        _write(given.predictions, test, predictions)
    _say(*map(str, compare(test.groups, predictions)))
    if given.report:
        op.rank(test.groups, predictions, measure="f1", average="macro", rope=ROPE, rng=0).to_html(given.report)
    return found


def read(path: str | None) -> tuple[Posts, Posts]:
    """The training and the test posts without headers, signatures and quotes, in the order that scikit-learn has them.

    Parameters
    ----------
    path : str, optional
        20news-bydate.tar.gz, or the folder that it holds; by default scikit-learn fetches it.
    """
    if path is None:
        return _fetched("train"), _fetched("test")
    if not Path(path).exists():
        raise DataError(f"there is no {path!r}; {WANTED}")
    files = dict(_folder(Path(path)) if Path(path).is_dir() else _archive(path))
    return _shuffled(path, files, "train"), _shuffled(path, files, "test")


def vectors(train: Posts, test: Posts) -> tuple[Any, Any]:
    """Counts of the words of the training posts, scaled to unit length, as scikit-learn's ready-made vectors are."""
    counter = CountVectorizer()
    counts = counter.fit_transform(train.texts), counter.transform(test.texts)
    x, z = (normalize(own.astype(np.float64)) for own in counts)
    return x, z


def search(candidate: Candidate, grid: Sequence[float], x: Any, groups: Sequence[str], z: Any) -> Fitted:
    """The setting of the highest macro F1 in a 5-fold cross-validation, fitted to all training posts."""
    start = perf_counter()
    settings = {candidate.setting: list(grid)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of large C, which are not the best
        best = GridSearchCV(candidate.estimator, settings, scoring="f1_macro", cv=FOLDS).fit(x, groups)
    setting, predicted = best.best_params_[candidate.setting], best.predict(z).tolist()
    return Fitted(setting, float(best.best_score_), predicted, perf_counter() - start)


def table(found: Mapping[str, Fitted], truth: Sequence[str]) -> Iterator[str]:
    """Lines of a table: settings and average F1 scores, beside those of ICDM'15 (§IV-B and Table II)."""
    paper = {row["category"]: row for row in printed("icdm2015_table2_f1")}
    yield ROW.format(*HEADER)
    for name, own in found.items():
        micro, macro = (f"{f1_score(truth, own.predicted, average=average):.4f}" for average in ("micro", "macro"))
        settings = (f"{CLASSIFIERS[name].setting} = {x:g}" for x in (own.setting, CLASSIFIERS[name].paper))
        averages = micro, paper["miF1"][name], macro, paper["maF1"][name]
        yield ROW.format(name, *settings, f"{own.score:.4f}", *averages, f"{own.seconds:.0f}")


def compare(truth: Sequence[str], predictions: Mapping[str, Sequence[str]]) -> Iterator[op.Comparison]:
    """The papers' three pairs by macro F1, paired, as predictions allow and matrices do not."""
    for pair in PAIRS:
        r = op.compare(truth, {name: predictions[name] for name in pair}, average="macro", rope=ROPE, rng=0)
        assert isinstance(r, op.Comparison)
        yield r


def _fetched(part: str) -> Posts:
    found = fetch_20newsgroups(subset=part, remove=REMOVED, random_state=SHUFFLED[1])
    ids = ["/".join(Path(name).parts[-2:]) for name in found.filenames]
    return Posts(ids, list(found.data), [found.target_names[k] for k in found.target])


def _archive(path: str) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None:
                    yield member.name, file.read()
    except tarfile.TarError as error:
        raise DataError(f"{path} is no archive ({error}); {WANTED}") from None


def _folder(path: Path) -> Iterator[tuple[str, bytes]]:
    for file in path.rglob("*"):
        if file.is_file():
            yield file.as_posix(), file.read_bytes()


def _shuffled(path: str, files: Mapping[str, bytes], part: str) -> Posts:
    """Those of one part, 20news-bydate-train/alt.atheism/49960 and so on."""
    wanted = f"20news-bydate-{part}"
    own = {"/".join(parts[-2:]): name for name in files if wanted in (parts := PurePosixPath(name).parts)}
    if not own:
        raise DataError(f"{path} has no {wanted}; {WANTED}")
    ids = sorted(own, key=lambda name: name.split("/"))
    for seed in SHUFFLED:
        order = np.arange(len(ids))
        np.random.RandomState(seed).shuffle(order)
        ids = [ids[k] for k in order]
    texts = [_stripped(files[own[name]].decode("latin-1")) for name in ids]
    return Posts(ids, texts, [name.split("/")[0] for name in ids])


def _stripped(text: str) -> str:
    stripped: str = strip_newsgroup_quoting(strip_newsgroup_footer(strip_newsgroup_header(text)))
    return stripped


def _write(path: str, test: Posts, predictions: Mapping[str, Sequence[str]]) -> None:
    """A line for each test post: its name, its group and the four predictions, groups by number as in the papers."""
    number = {name: k for k, name in enumerate(sorted(set(test.groups)))}
    columns = [test.groups, *predictions.values()]
    rows = [(name, *(number[own[k]] for own in columns)) for k, name in enumerate(test.ids)]
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("doc_id", "true", *predictions), *sorted(rows)])


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare four text classifiers on 20 Newsgroups.")
    parser.add_argument("corpus", nargs="?", help="20news-bydate.tar.gz or its folder; by default it is fetched")
    parser.add_argument("--papers-settings", action="store_true", help="take the settings that the papers found")
    parser.add_argument("--predictions", metavar="FILE", help="write the predictions as CSV")
    parser.add_argument("--report", metavar="FILE", help="write a report as HTML")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
