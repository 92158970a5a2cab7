"""Fit every estimator on every split and keep its predictions, in parallel, with a cache that can be resumed."""

from __future__ import annotations

import pickle
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from traceback import format_exc
from typing import Any, NamedTuple

import numpy as np

from outperform.base.cores import arriving, check_sendable, handed_out
from outperform.base.errors import need
from outperform.base.progress import bar
from outperform.crossval.block_cv import length
from outperform.crossval.keeping import MISSING, keep, kept
from outperform.data.columns import check_order
from outperform.data.labels import IntArray

__all__ = ["FoldPredictions", "fit_folds"]


class FoldPredictions(NamedTuple):
    """One test set: repetition and fold (from 1), the truth, and predictions by estimator."""

    fold: tuple[int, int]
    truth: Any
    predictions: dict[str, Any]


def fit_folds(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cv: Any,
    groups: Any = None,
    n_jobs: int | None = None,
    cache: str | Path | None = None,
    progress: bool = True,
    fit_params: Mapping[str, Any] | None = None,
) -> list[FoldPredictions]:
    """Fit a copy of each estimator on each training set and predict the test set.

    An estimator with `random_state=None` is not reproducible: give it a number.

    Parameters
    ----------
    estimators : mapping of names to estimators
        Anything with `fit` and `predict`.
    X, y : arrays, frames, sparse matrices or lists
        Items and their labels; a label may be a sequence of tags.
    cv : splitter, int, or iterable of (train, test)
        Listed once, so that all estimators see the same splits. A new repetition begins where an item is tested
        again.
    groups : one value per item, optional
        For the splitter.
    n_jobs : int, optional
        As in joblib, whose `parallel_config` is heeded.
    cache : folder, optional
        Where predictions are kept as soon as they are made, so that a run that was stopped goes on where it was.
        Other data, splits, names, parameters or fit_params are done anew; changed code of an estimator is not
        noticed, so empty the folder then. Files are JSON, which holds predictions and nothing that could be executed.
        Use a folder that all workers share.
    progress : bool
        Whether to show a bar where stderr is a terminal.
    fit_params : mapping, optional
        Further arguments of every `fit`; what has an entry for each item is cut to the training set.

    Returns
    -------
    list of FoldPredictions
        One for each split, in the order of the splits.
    """
    need("sklearn", "sklearn")
    _check_estimators(estimators)
    check_order({"X": X, "y": y, "groups": groups})
    data = _Data(*_indexable(X, y), dict(fit_params or {}))
    splits = _list_splits(cv, data, groups)
    found = _run(_list_tasks(estimators, data, splits, cache), data, n_jobs, show=progress)
    return [
        FoldPredictions(s.fold, data.take(data.y, s.test), {name: found[name, s.fold] for name in estimators})
        for s in splits
    ]


@dataclass(frozen=True, eq=False)
class _Data:
    """Items, labels and further arguments of fit."""

    X: Any
    y: Any
    params: dict[str, Any]

    @staticmethod
    def take(values: Any, rows: IntArray) -> Any:
        """Take rows of an array, frame, sparse matrix or list."""
        from sklearn.utils import _safe_indexing

        return _safe_indexing(values, rows)

    def params_for(self, rows: IntArray) -> dict[str, Any]:
        """Further arguments, cut to these rows where they have one entry for each item."""
        items = length(self.X, "X")
        return {key: self.take(v, rows) if _has_entries(v, items) else v for key, v in self.params.items()}


@dataclass(frozen=True, eq=False)
class _Split:
    """The items that are trained on and tested on, with repetition and fold."""

    fold: tuple[int, int]
    train: IntArray
    test: IntArray


@dataclass(frozen=True, eq=False)
class _Task:
    """One estimator on one split, and where its predictions are kept."""

    name: str
    estimator: Any
    split: _Split
    file: Path | None

    @property
    def key(self) -> tuple[str, tuple[int, int]]:
        return self.name, self.split.fold


@dataclass(frozen=True, eq=False)
class _Failure:
    """An error on its way from a worker, which may be another process."""

    error: Exception
    text: str

    def __reduce__(self) -> Any:
        """Replace an error that cannot be pickled by one with the same message."""
        try:
            pickle.loads(pickle.dumps(self.error))
        except Exception:
            return _Failure, (RuntimeError(f"{type(self.error).__name__}: {self.error}"), self.text)
        return _Failure, (self.error, self.text)


def _list_tasks(
    estimators: Mapping[str, Any], data: _Data, splits: Sequence[_Split], cache: str | Path | None
) -> list[_Task]:
    """Every estimator on every split; with a cache, named by a hash of all that matters, each part hashed once."""
    from sklearn.base import clone

    files: dict[Any, Path] = {}
    if cache is not None:
        folder, what = _folder(cache), [_hash(_settled(data.X), "X"), _hash(_settled(data.y), "y")]
        what += [_hash((key, _settled(value)), f"fit_params[{key!r}]") for key, value in sorted(data.params.items())]
        fitted = {name: _hash((name, clone(e, safe=False)), f"estimator {name!r}") for name, e in estimators.items()}
        for split in splits:
            where = _hash((split.train, split.test), "the split")
            for name, digest in fitted.items():
                files[name, split.fold] = folder / f"{_hash((*what, digest, where), 'the fit')}.json"
    return [
        _Task(name, clone(estimators[name], safe=False), split, files.get((name, split.fold)))
        for split in splits
        for name in estimators
    ]


def _folder(cache: str | Path) -> Path:
    folder = Path(cache).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ValueError(f"cache must be a folder, but {cache} is a file; give another name") from None
    return folder


def _run(tasks: Sequence[_Task], data: _Data, n_jobs: int | None, *, show: bool) -> dict[Any, Any]:
    """Predictions by estimator and fold; only what no file holds is fitted."""
    found = {task.key: predictions for task in tasks if (predictions := _read(task)) is not MISSING}
    todo = [task for task in tasks if task.key not in found]
    with (
        bar("fits", len(tasks), done=len(found), show=show) as advance,
        closing(_outcomes(todo, data, n_jobs)) as outcomes,
    ):
        try:
            for key, outcome in outcomes:
                _raise_if_failed(key, outcome)
                found[key] = outcome
                advance(1)
        except KeyboardInterrupt:
            _say_what_is_kept(tasks, len(found))
            raise
    return found


def _say_what_is_kept(tasks: Sequence[_Task], number: int) -> None:
    """On a terminal, where finished fits are found again."""
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal and tasks[0].file is not None:
        message = f"stopped; {number} of {len(tasks)} fits are kept in {tasks[0].file.parent}"
        console.print(message, highlight=False, markup=False, soft_wrap=True)


def _outcomes(todo: Sequence[_Task], data: _Data, n_jobs: int | None) -> Generator[tuple[Any, Any], None, None]:
    """Keys and predictions as they come."""
    from sklearn.utils.parallel import Parallel, delayed  # joblib's, with the settings of scikit-learn

    parallel = arriving(Parallel, n_jobs, ordered=False)
    for name, estimator in {task.key[0]: task.estimator for task in todo}.items():
        check_sendable(estimator, parallel, f"estimator {name!r} cannot be pickled, so other processes cannot fit it")
    yield from handed_out(parallel(delayed(_fit)(task, data) for task in todo))


def _fit(task: _Task, data: _Data) -> tuple[Any, Any]:
    """Fit, predict and keep, in a worker."""
    train, test = task.split.train, task.split.test
    try:
        task.estimator.fit(data.take(data.X, train), data.take(data.y, train), **data.params_for(train))
        predictions = task.estimator.predict(data.take(data.X, test))
        if length(predictions, "the prediction") != len(test):
            raise ValueError(f"it made {length(predictions, '')} predictions for {len(test)} items")
        if task.file is not None:
            keep(task.file, predictions)
    except Exception as error:
        return task.key, _Failure(error, format_exc())
    return task.key, predictions


def _raise_if_failed(key: tuple[str, tuple[int, int]], outcome: Any) -> None:
    if not isinstance(outcome, _Failure):
        return
    name, (repetition, fold) = key
    error = outcome.error
    if error.__traceback__ is None:  # it came from another process
        error.add_note(outcome.text)
    message = f"estimator {name!r} failed in repetition {repetition}, fold {fold}: {type(error).__name__}: {error}"
    raise ValueError(message) from error


def _read(task: _Task) -> Any:
    """The predictions that were kept, if there is one for every item of the test set."""
    found = MISSING if task.file is None else kept(task.file)
    whole = hasattr(found, "__len__") and length(found, "the prediction") == len(task.split.test)
    return found if whole else MISSING


def _hash(value: Any, what: str) -> str:
    try:
        return str(need("joblib", "sklearn").hash(value, coerce_mmap=True))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        message = f"{what} cannot be pickled, so the cache cannot tell whether it changed; leave cache= out: {error}"
        raise ValueError(message) from error


def _settled(values: Any) -> Any:
    """Sparse matrices without what they remember about themselves."""
    if not hasattr(values, "tocsr"):
        return values
    rows = values.tocsr()
    return "sparse", rows.shape, rows.data, rows.indices, rows.indptr


def _has_entries(value: Any, items: int) -> bool:
    if isinstance(value, str | bytes | Mapping) or not (hasattr(value, "__len__") or hasattr(value, "shape")):
        return False
    return length(value, "") == items


def _indexable(X: Any, y: Any) -> tuple[Any, Any]:
    from sklearn.utils import indexable

    if length(X, "X") != length(y, "y"):
        raise ValueError(f"y has {length(y, 'y')} items but X has {length(X, 'X')}; give one label for each item")
    own_x, own_y = indexable(X, y)
    return own_x, own_y


def _check_estimators(estimators: Any) -> None:
    if not isinstance(estimators, Mapping) or not estimators:
        what = "none" if isinstance(estimators, Mapping) else type(estimators).__name__
        raise ValueError(f"estimators must be a mapping of names to estimators, got {what}; give {{'nb': …, 'svm': …}}")
    for name, estimator in estimators.items():
        if not isinstance(name, str):
            raise ValueError(f"estimators must have names, got {name!r}; give a string for each")
        if isinstance(estimator, type):
            raise ValueError(f"estimator {name!r} is the class {estimator.__name__}; give {estimator.__name__}()")
        lacking = [way for way in ("fit", "predict") if not hasattr(estimator, way)]
        if lacking:
            kind = type(estimator).__name__
            raise ValueError(f"estimator {name!r} is a {kind} without {' and '.join(lacking)}; give a classifier")


def _list_splits(cv: Any, data: _Data, groups: Any) -> list[_Split]:
    """All splits, checked, with their repetitions and folds."""
    items = length(data.X, "X")
    pairs = [_pair(pair, k, items) for k, pair in enumerate(_pairs(cv, data, groups), start=1)]
    if not pairs:
        raise ValueError("cv gives no splits; give a splitter, a number of folds, or pairs of (train, test)")
    folds = _number([test for _, test in pairs], items)
    return [_Split(fold, *pair) for fold, pair in zip(folds, pairs, strict=True)]


def _pairs(cv: Any, data: _Data, groups: Any) -> Iterable[Any]:
    """The splits of a splitter, or of scikit-learn's default splitter for a number of folds."""
    from sklearn.model_selection import check_cv

    if hasattr(cv, "split") and not isinstance(cv, str):
        pairs: Iterable[Any] = cv.split(data.X, data.y, groups)
        return pairs
    if isinstance(cv, int | np.integer):
        try:
            splitter = check_cv(cv, data.y, classifier=True)
        except ValueError:
            splitter = check_cv(cv, data.y, classifier=False)  # sequences of tags are no classes
        return _pairs(splitter, data, groups)
    if isinstance(cv, str) or not isinstance(cv, Iterable):
        raise ValueError(f"cv must be a splitter, a number of folds, or pairs of (train, test), got {cv!r}")
    return cv


def _pair(pair: Iterable[Any], k: int, items: int) -> tuple[IntArray, IntArray]:
    """One split as positions."""
    try:
        train, test = (_positions(side, items) for side in pair)
    except (TypeError, ValueError):
        raise ValueError(f"split {k} must be a pair (train, test) of positions of the {items} items") from None
    if not (len(train) and len(test)):
        raise ValueError(f"split {k} has {len(train)} items to train on and {len(test)} to test on; give both some")
    both = np.intersect1d(train, test)
    if len(both):
        raise ValueError(
            f"split {k} trains and tests on the same items ({len(both)}, such as {both[0]}); "
            "give splits that do not overlap"
        )
    return train, test


def _positions(side: Any, items: int) -> IntArray:
    rows = np.asarray(side)
    if rows.dtype.kind == "b" and rows.shape == (items,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu") or (rows < 0).any() or (rows >= items).any():
        raise ValueError
    return rows.astype(np.int64)


def _number(tests: Sequence[IntArray], items: int) -> list[tuple[int, int]]:
    """Repetition and fold of each test set, from 1."""
    folds, tested = [(1, 0)], np.zeros(items, dtype=bool)
    for test in tests:
        repetition, fold = folds[-1]
        if tested[test].any():
            repetition, fold, tested = repetition + 1, 0, np.zeros(items, dtype=bool)
        tested[test] = True
        folds.append((repetition, fold + 1))
    return folds[1:]
