"""`cross_validate`: fit and test scikit-learn estimators on the folds of a cross-validation, and count the outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from outperform.base.sentences import invalid
from outperform.crossval.block_cv import BlockCV
from outperform.crossval.fitting import fit_folds
from outperform.data.chunks import extract
from outperform.data.counts import Counts
from outperform.data.label_sets import are_label_sets, are_tags, as_indicators
from outperform.data.labels import Label, as_column, as_labels, encode
from outperform.models.posterior import Rng, as_seed

__all__ = ["cross_validate"]


def cross_validate(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    labels: Iterable[Label] | None = None,
    scheme: str | None = None,
    mode: str = "conlleval",
    n_jobs: int | None = None,
    cache: str | Path | None = None,
    progress: bool = True,
    fit_params: Mapping[str, Any] | None = None,
    rng: Rng = None,
) -> Counts:
    """Fit each estimator on each training set, predict the test set, and count the outcomes by fold.

    The counts are for `compare`, `bayes_test` and `estimate`. All estimators are tested on the same items, so
    they can be paired.

    Parameters
    ----------
    estimators : mapping from name to estimator
        Anything with `fit` and `predict`, as in scikit-learn.
    X, y : arrays, frames or sequences
        Items and their true labels; also label sets (an indicator matrix) and, with `scheme`, tags of sentences.
    cv : splitter
        The default is 3×2 block-regularised cross-validation, `BlockCV()`; any splitter of scikit-learn works.
    groups : sequence
        Groups of items that must stay in one fold.
    labels : sequence of labels
        All classes, if the data may lack some.
    scheme, mode
        For tags of sentences, as in `Counts.from_chunks`; chunks are then counted.
    n_jobs : int
        Number of parallel fits, by joblib; a cluster is used through `joblib.parallel_config`.
    cache : path
        A folder for finished fits, so that an interrupted run resumes.
    progress : bool
        Whether to show a progress bar, on a terminal.
    fit_params : mapping
        Further arguments of `fit`.
    rng : None, int or numpy Generator
        Seed of the default splitter.

    Returns
    -------
    Counts
        By fold.

    Examples
    --------
    >>> import outperform as op
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(600, random_state=0)
    >>> counts = op.cross_validate({"lr": LogisticRegression(), "nb": GaussianNB()}, X, y, rng=0)
    >>> len(counts.folds), counts.items
    (6, 600)
    >>> op.bayes_test(counts, measure="f1", rng=0).hypotheses.accept
    'H0'
    """
    if scheme is None and are_tags(y):
        raise invalid('y looks like tags of sentences; say their {scheme}, as in "IOB2", and chunks are counted')
    known = _classes(y, as_labels(labels), scheme, mode)  # mistakes are found before the fits
    cv = BlockCV(random_state=as_seed(rng)) if cv is None else cv
    tested = fit_folds(
        estimators, X, y, cv=cv, groups=groups, n_jobs=n_jobs, cache=cache, progress=progress, fit_params=fit_params
    )
    if scheme is not None:
        gold = [tags for fold in tested for tags in fold.truth]
        tags = {name: [tags for fold in tested for tags in fold.predictions[name]] for name in estimators}
        folds = [fold.fold for fold in tested for _ in fold.truth]
        types = None if labels is None else map(str, known)
        return Counts.from_chunks(gold, tags, scheme=scheme, mode=mode, types=types, folds=folds)
    count = Counts.from_label_sets if are_label_sets(y) else Counts.from_labels
    return Counts.by_fold({fold: count(truth, predictions, labels=known) for fold, truth, predictions in tested})


def _classes(y: Any, labels: list[Label] | None, scheme: str | None, mode: str) -> Sequence[Label]:
    """Return all classes, labels or types, because a fold may lack some."""
    if scheme is not None:
        found = sorted({chunk.type for tags in y for chunk in extract(tags, scheme, mode)})
        return found if labels is None else labels
    if are_label_sets(y):
        return as_indicators({"truth": y}, labels)[0]
    return encode({"truth": as_column(y, "truth")}, labels)[0]
