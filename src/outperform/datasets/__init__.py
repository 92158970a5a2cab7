"""Shipped examples: the 20 Newsgroups test set, four classifiers' predictions, four confusion matrices."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from outperform.data.labels import IntArray

__all__ = [
    "CLASSIFIERS", "Newsgroups", "data_path", "example", "newsgroups", "newsgroups_confusion", "newsgroups_path",
    "printed",
]  # fmt: skip

CLASSIFIERS = ("nb_bern", "nb_mult", "svm_l1", "svm_l2")
MOTORCYCLES = 8  # the class rec.motorcycles


@dataclass(frozen=True, eq=False)
class Newsgroups:
    """7,532 test documents of 20 classes: the truth and what four classifiers predicted.

    Attributes
    ----------
    ids : tuple of str
        Names of the documents.
    truth : array
        Class of each document, 0 to 19.
    predictions : dict from name to array
        Predicted classes, by Bernoulli and multinomial naive Bayes and by linear SVMs with L1 and L2
        penalty.
    classes : tuple of str
        Names of the 20 classes.
    """

    ids: tuple[str, ...]
    truth: IntArray
    predictions: dict[str, IntArray]
    classes: tuple[str, ...]


def newsgroups_path() -> Path:
    """Path of the predictions (CSV, gzip): columns doc_id, true and one per classifier."""
    return data_path("newsgroups_predictions.csv.gz")


@cache
def newsgroups() -> Newsgroups:
    """The predictions behind SIGIR'16 Tables 4–6, refitted with scikit-learn (they give all 60 verdicts).

    Examples
    --------
    >>> import outperform as op
    >>> news = op.datasets.newsgroups()
    >>> news.classes[8], int((news.truth == 8).sum())
    ('rec.motorcycles', 398)
    """
    with gzip.open(newsgroups_path(), "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {name: np.array([int(row[name]) for row in rows]) for name in ("true", *CLASSIFIERS)}
    for column in columns.values():
        column.flags.writeable = False  # shared by all who ask
    classes = tuple(row["name"] for row in printed("newsgroups_classes"))
    predictions = {name: columns[name] for name in CLASSIFIERS}
    return Newsgroups(tuple(row["doc_id"] for row in rows), columns["true"], predictions, classes)


def example() -> str:
    """A file to try the command with, as CSV: is a post about motorcycles? The truth, an SVM and naive Bayes.

    Examples
    --------
    >>> import outperform as op
    >>> print(op.datasets.example()[:66])
    doc,gold,svm,nb
    alt.atheism/53068,no,no,no
    alt.atheism/53257,no,no
    """
    news = newsgroups()
    labels = (news.truth, news.predictions["svm_l2"], news.predictions["nb_bern"])
    said = (np.where(column == MOTORCYCLES, "yes", "no") for column in labels)
    rows = zip(news.ids, *said, strict=True)
    return "".join(f"{','.join(row)}\n" for row in [("doc", "gold", "svm", "nb"), *rows])


@cache
def newsgroups_confusion() -> dict[str, IntArray]:
    """The four confusion matrices of ICDM'15 Figure 3; rows are true classes.

    Examples
    --------
    >>> import outperform as op
    >>> op.datasets.newsgroups_confusion()["svm_l2"].shape
    (20, 20)
    """
    return {
        name: np.loadtxt(io.StringIO(_text(f"icdm2015_confusion_{name}.csv")), delimiter=",", dtype=np.int64)
        for name in CLASSIFIERS
    }


def printed(table: str) -> list[dict[str, str]]:
    """A table as the papers print it, as rows of text."""
    return list(csv.DictReader(io.StringIO(_text(f"{table}.csv"))))


def data_path(name: str) -> Path:
    """Path of a shipped file."""
    return Path(str(files("outperform.datasets"))) / "data" / name


def _text(name: str) -> str:
    return data_path(name).read_text(encoding="utf-8")
