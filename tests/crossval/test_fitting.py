"""Fitting on every split: the same as by hand, resumable, and errors that say where."""

from __future__ import annotations

import os
import pickle
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from rich.console import Console
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from outperform.crossval.block_cv import BlockCV
from outperform.crossval.fitting import FoldPredictions, fit_folds
from outperform.crossval.keeping import keep, kept

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
Y = np.where(X[:, 0] + RNG.normal(size=90) > 0, "spam", "ham")
CV = BlockCV(m=3, random_state=0)
TWO = {"lr": make_pipeline(StandardScaler(), LogisticRegression()), "nb": GaussianNB()}


class Noted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Writes a line at each fit, and fails at one of them."""

    def __init__(self, notes: str = "", guess: str = "ham", fails_at: int = 0) -> None:
        self.notes = notes
        self.guess = guess
        self.fails_at = fails_at

    def fit(self, X: Any, y: Any, weight: Any = None) -> Noted:
        with open(self.notes, "a", encoding="utf-8") as out:
            out.write(f"{self.guess} {len(y)} {None if weight is None else len(weight)}\n")
        if self.fails_at and (Path(self.notes).parent / "trap").exists() and count(self.notes) == self.fails_at:
            raise OverflowError("too much")
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.guess)


class Tagger:
    """The commonest tag of each word; no estimator of scikit-learn."""

    def fit(self, sentences: Any, tags: Any) -> Tagger:
        seen: dict[str, Counter[str]] = {}
        for words, own in zip(sentences, tags, strict=True):
            for word, tag in zip(words, own, strict=True):
                seen.setdefault(word, Counter())[tag] += 1
        self.best = {word: c.most_common(1)[0][0] for word, c in seen.items()}
        return self

    def predict(self, sentences: Any) -> list[list[str]]:
        return [[self.best.get(word, "O") for word in words] for words in sentences]


class Unsendable(Exception):
    """Pickles, and cannot be unpickled."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__("no way home")


class Broken(Noted):
    def predict(self, X: Any) -> Any:
        if self.guess == "few":
            return ["ham"]
        raise Unsendable(1, 2)


def count(notes: str | Path) -> int:
    return len(Path(notes).read_text(encoding="utf-8").splitlines()) if Path(notes).exists() else 0


def equal(a: list[FoldPredictions], b: list[FoldPredictions]) -> bool:
    return len(a) == len(b) and all(
        s.fold == t.fold
        and np.array_equal(s.truth, t.truth)
        and s.predictions.keys() == t.predictions.keys()
        and all(np.array_equal(s.predictions[name], t.predictions[name]) for name in s.predictions)
        for s, t in zip(a, b, strict=True)
    )


@pytest.fixture(scope="module")
def by_hand() -> list[FoldPredictions]:
    found = []
    for k, (train, test) in enumerate(CV.split(X, Y)):
        own = {name: clone(e).fit(X[train], Y[train]).predict(X[test]) for name, e in TWO.items()}
        found.append(FoldPredictions((k // 2 + 1, k % 2 + 1), Y[test], own))
    return found


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("cached", [False, True])
def test_it_is_the_same_as_by_hand(
    n_jobs: int | None, cached: bool, by_hand: list[FoldPredictions], tmp_path: Path
) -> None:
    cache = tmp_path / "not" / "there" if cached else None
    for _ in range(2):
        assert equal(fit_folds(TWO, X, Y, cv=CV, n_jobs=n_jobs, cache=cache), by_hand)
    if cache:
        assert len(list(cache.iterdir())) == 12
    assert not hasattr(TWO["nb"], "classes_")


KINDS: dict[str, Any] = {
    "lists": lambda x, y: (x.tolist(), y.tolist()),
    "pandas": lambda x, y: (pd.DataFrame(x, index=range(7, 97)), pd.Series(y, index=range(7, 97))),
    "categories": lambda x, y: (x, pd.Series(y, dtype="category")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_data_of_any_kind(kind: str, by_hand: list[FoldPredictions], tmp_path: Path) -> None:
    data = KINDS[kind](X, Y)
    for _ in range(2):
        assert equal(fit_folds(TWO, *data, cv=CV, cache=tmp_path), by_hand)
    assert len(list(tmp_path.iterdir())) == 12


def test_polars_frames(by_hand: list[FoldPredictions]) -> None:
    frame = pl.DataFrame(X, schema=list("abcd"))
    assert equal(fit_folds(TWO, frame, Y, cv=CV), by_hand)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.coo_matrix])
def test_sparse_matrices(form: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    dense = rng.poisson(0.5, size=(80, 30))
    y = rng.integers(3, size=80)
    own = {"nb": MultinomialNB()}
    expected = fit_folds(own, dense, y, cv=CV)
    for _ in range(2):
        assert equal(fit_folds(own, form(dense), y, cv=CV, cache=tmp_path), expected)
    assert len(list(tmp_path.iterdir())) == 6


@pytest.mark.parametrize("cv", [CV, KFold(3), 3])
def test_sentences_and_their_tags(cv: Any, tmp_path: Path) -> None:
    sentences = [list("abcdefg")[: k % 7 + 1] for k in range(40)]
    tags = [[word.upper() if k % 5 else "O" for word in words] for k, words in enumerate(sentences)]
    found = fit_folds({"tagger": Tagger()}, sentences, tags, cv=cv, cache=tmp_path, n_jobs=2)
    assert sum(len(f.truth) for f in found) == 40 * found[-1].fold[0]
    for f in found:
        assert isinstance(f.truth, list)
        assert [len(t) for t in f.truth] == [len(p) for p in f.predictions["tagger"]]
    again = fit_folds({"tagger": Tagger()}, sentences, tags, cv=cv, cache=tmp_path)
    assert [f.predictions for f in again] == [f.predictions for f in found]


def test_repetitions_and_folds() -> None:
    def folds(cv: Any) -> list[tuple[int, int]]:
        return [f.fold for f in fit_folds({"nb": GaussianNB()}, X, Y, cv=cv)]

    assert folds(KFold(4)) == folds(4) == [(1, 1), (1, 2), (1, 3), (1, 4)]
    repeated = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    assert folds(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)) == repeated
    assert folds(CV) == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]
    assert folds(iter(list(KFold(3).split(X)) * 2)) == repeated
    mask = np.arange(90) < 50
    assert folds([(mask, ~mask), (~mask, mask)]) == [(1, 1), (1, 2)]


def test_a_number_of_folds_is_stratified_as_in_scikit_learn() -> None:
    own = [f.truth for f in fit_folds({"nb": GaussianNB()}, X, Y, cv=3)]
    for truth, (_, test) in zip(own, StratifiedKFold(3).split(X, Y), strict=True):
        np.testing.assert_array_equal(truth, Y[test])


def test_groups_go_to_the_splitter() -> None:
    groups = np.arange(90) % 9
    found = fit_folds({"nb": GaussianNB()}, X, groups, cv=GroupKFold(3), groups=groups)
    assert sorted(len(set(f.truth)) for f in found) == [3, 3, 3]
    assert all(len(set(f.truth)) < 9 for f in fit_folds({"nb": GaussianNB()}, X, groups, cv=CV, groups=groups))


def test_what_is_finished_is_not_done_again(tmp_path: Path) -> None:
    notes, cache = tmp_path / "notes", tmp_path / "cache"

    def fits(own: Any = None, x: Any = X, y: Any = Y, cv: Any = CV, **settings: Any) -> int:
        before = count(notes)
        fit_folds(own or {"a": Noted(str(notes))}, x, y, cv=cv, cache=cache, **settings)
        return count(notes) - before

    assert fits() == 6
    assert fits() == 0
    assert fits(n_jobs=2) == 0
    assert fits({"b": Noted(str(notes))}) == 6, "by another name it is another"
    assert fits({"a": Noted(str(notes)), "b": Noted(str(notes)), "c": Noted(str(notes), guess="spam")}) == 6
    assert fits(x=X + 1e-9) == 6
    assert fits(y=Y[::-1].copy()) == 6
    assert fits(cv=BlockCV(random_state=1)) == 6
    assert fits(fit_params={"weight": np.ones(90)}) == 6
    assert fits({"a": Noted(str(notes)).fit(X, Y)}, fit_params={"weight": np.ones(90)}) == 0, "only parameters matter"
    damaged = sorted(cache.iterdir())[:3]
    damaged[0].write_bytes(b"")
    damaged[1].write_bytes(damaged[1].read_bytes()[:-5])
    os.truncate(damaged[2], 10)
    assert (
        fits({"a": Noted(str(notes)), "b": Noted(str(notes)), "c": Noted(str(notes), guess="spam")})
        + fits(x=X + 1e-9)
        + fits(y=Y[::-1].copy())
        + fits(cv=BlockCV(random_state=1))
        + fits(fit_params={"weight": np.ones(90)})
    ) == 3
    assert all(file.suffix == ".json" for file in cache.iterdir())


def test_a_run_that_fails_goes_on_where_it_was(tmp_path: Path) -> None:
    notes, cache, trap = tmp_path / "notes", tmp_path / "cache", tmp_path / "trap"
    own = {"a": Noted(str(notes), fails_at=5), "b": Noted(str(notes), guess="spam", fails_at=5)}
    trap.touch()
    with pytest.raises(ValueError, match=r"estimator 'a' failed in repetition 2, fold 1: OverflowError: too much") as e:
        fit_folds(own, X, Y, cv=CV, cache=cache)
    assert isinstance(e.value.__cause__, OverflowError)
    assert count(notes) == 5
    trap.unlink()
    found = fit_folds(own, X, Y, cv=CV, cache=cache)
    assert count(notes) == 5 + 12 - 4
    assert equal(found, fit_folds(own, X, Y, cv=CV))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_come_home(n_jobs: int, tmp_path: Path) -> None:
    own = {"a": GaussianNB(), "b": Broken(str(tmp_path / "notes"))}
    with pytest.raises(ValueError, match=r"estimator 'b' failed in repetition \d, fold \d: .*no way home") as e:
        fit_folds(own, X, Y, cv=CV, n_jobs=n_jobs)
    assert isinstance(e.value.__cause__, Unsendable if n_jobs == 1 else RuntimeError)
    if n_jobs == 2:
        assert "raise Unsendable" in e.value.__cause__.__notes__[0]


def test_predictions_of_another_number_are_refused(tmp_path: Path) -> None:
    own = {"a": GaussianNB(), "b": Broken(str(tmp_path / "notes"), guess="few")}
    with pytest.raises(ValueError, match="ValueError: it made 1 predictions for 45 items"):
        fit_folds(own, X, Y, cv=CV)


def test_a_backend_that_hands_out_everything_at_the_end(by_hand: list[FoldPredictions]) -> None:
    for backend in ("multiprocessing", "threading"):
        with joblib.parallel_config(backend, n_jobs=2):
            assert equal(fit_folds(TWO, X, Y, cv=CV), by_hand)


def test_further_arguments_of_fit_are_cut_to_the_training_set(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    fit_folds({"a": Noted(str(notes))}, X, Y, cv=KFold(3), fit_params={"weight": np.ones(90)})
    fit_folds({"a": Noted(str(notes))}, X, Y, cv=KFold(3), fit_params={"weight": [1, 2]})
    assert notes.read_text(encoding="utf-8").splitlines() == ["ham 60 60"] * 3 + ["ham 60 2"] * 3


class Trap:
    """Leaves a trace where it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.trace),)


def test_a_pickle_in_the_cache_is_never_executed(by_hand: list[FoldPredictions], tmp_path: Path) -> None:
    cache, trace = tmp_path / "cache", tmp_path / "trace"
    fit_folds(TWO, X, Y, cv=CV, cache=cache)
    content = pickle.dumps(Trap(trace))
    for k, file in enumerate(sorted(cache.iterdir())):
        file.write_bytes((sha256(content).digest() if k % 2 else b"") + content)  # as files of the cache once were
    assert equal(fit_folds(TWO, X, Y, cv=CV, cache=cache), by_hand)
    assert not trace.exists()


class Parrot:
    """Predicts what it was told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def fit(self, X: Any, y: Any) -> Parrot:
        return self

    def predict(self, X: Any) -> Any:
        return self.answer


ANSWERS: dict[str, Any] = {
    "text": np.array(["ham", "spam"]),
    "objects": np.array(["ham", 1], dtype=object),
    "narrow": np.array([0.1, np.nan], dtype=np.float32),
    "truth values": np.array([True, False]),
    "indicators": np.eye(2, dtype=np.int8),
    "label sets": [{"a", "b"}, frozenset[str]()],
    "pairs": [("a", 1), ("b", None)],
    "scalars": [np.int64(3), np.str_("x")],
    "lists of objects": np.fromiter([["O"], ["B-PER"]], dtype=object, count=2),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_the_cache_gives_back_what_was_predicted(kind: str, tmp_path: Path) -> None:
    answer = ANSWERS[kind]
    keep(tmp_path / "p.json", answer)
    found = kept(tmp_path / "p.json")
    assert type(found) is type(answer)
    if isinstance(answer, np.ndarray):
        assert found.dtype == answer.dtype
        np.testing.assert_array_equal(found, answer)
    else:
        assert found == answer
        assert list(map(type, found)) == [type(x.item() if isinstance(x, np.generic) else x) for x in answer]


def test_sparse_predictions_and_series_are_kept(tmp_path: Path) -> None:
    keep(tmp_path / "s.json", sparse.lil_matrix(np.eye(3)))
    np.testing.assert_array_equal(kept(tmp_path / "s.json").toarray(), np.eye(3))
    keep(tmp_path / "p.json", pd.Series(["a", "b"], index=[7, 8]))
    assert kept(tmp_path / "p.json").tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "text", ["5", "null", '["ham"]', "{}", '{"set": 3}', '{"array": [1], "dtype": "<M8[s]"}', "[" * 9**5]
)
def test_another_content_of_the_cache_is_fitted_again(text: str, tmp_path: Path) -> None:
    def fitted() -> Any:
        return fit_folds({"p": Parrot(["x", "y"])}, [[0]] * 4, [0] * 4, cv=[([0, 1], [2, 3])], cache=tmp_path)

    assert fitted()[0].predictions == {"p": ["x", "y"]}
    (file,) = tmp_path.iterdir()
    file.write_text(text)
    assert fitted()[0].predictions == {"p": ["x", "y"]}


def test_predictions_that_cannot_be_kept_get_one_sentence(tmp_path: Path) -> None:
    own = {"p": Parrot(pd.DataFrame({"a": [1, 0]}))}
    with pytest.raises(ValueError, match="the cache cannot keep predictions that hold a DataFrame; leave cache= out"):
        fit_folds(own, [[0]] * 4, [0] * 4, cv=[([0, 1], [2, 3])], cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


class Impatient(Noted):
    def fit(self, X: Any, y: Any, weight: Any = None) -> Impatient:
        if count(self.notes) == 3:
            raise KeyboardInterrupt
        super().fit(X, y, weight)
        return self


@pytest.mark.parametrize("terminal", [False, True])
def test_stopping_keeps_what_is_finished_and_says_so(
    terminal: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, cache = tmp_path / "notes", tmp_path / "cache"
    monkeypatch.setattr(Console, "is_terminal", terminal)
    with pytest.raises(KeyboardInterrupt):
        fit_folds({"a": Impatient(str(notes))}, X, Y, cv=CV, cache=cache)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("stopped; 3 of 6 fits are kept in" in " ".join(err.split())) is terminal
    assert bool(err) is terminal
    assert len(list(cache.iterdir())) == 3


def test_no_bar_where_none_is_wanted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "is_terminal", True)
    fit_folds(TWO, X, Y, cv=2, progress=False)
    assert capsys.readouterr().err.strip() == ""
    fit_folds(TWO, X, Y, cv=2)
    assert "fits" in capsys.readouterr().err


NB = {"nb": GaussianNB()}
BAD: list[tuple[Any, dict[str, Any], str]] = [
    ([GaussianNB()], {}, "estimators must be a mapping of names to estimators, got list; give {'nb': …, 'svm': …}"),
    ({}, {}, "estimators must be a mapping of names to estimators, got none"),
    ({1: GaussianNB()}, {}, "estimators must have names, got 1; give a string for each"),
    ({"nb": GaussianNB}, {}, r"estimator 'nb' is the class GaussianNB; give GaussianNB\(\)"),
    ({"s": StandardScaler()}, {}, "estimator 's' is a StandardScaler without predict; give a classifier"),
    ({"s": "nb"}, {}, "estimator 's' is a str without fit and predict; give a classifier"),
    (NB, {"y": Y[:5]}, "y has 5 items but X has 90; give one label for each item"),
    (NB, {"X": pd.DataFrame(X), "y": pd.Series(Y)[::-1]}, "y has the ids of X in another order; give it as"),
    (NB, {"cv": []}, "cv gives no splits; give a splitter"),
    (NB, {"cv": [([0, 1, 2], [2, 3])]}, r"split 1 trains and tests on the same items \(1, such as 2\)"),
    (NB, {"cv": [([0, 1], [2]), ([0, 1], [])]}, "split 2 has 2 items to train on and 0 to test on"),
    (NB, {"cv": [([0, 1], [90])]}, r"split 1 must be a pair \(train, test\) of positions of the 90 items"),
    (NB, {"cv": [([0, 1], [-1])]}, "split 1 must be a pair"),
    (NB, {"cv": [([0, 1], ["a"])]}, "split 1 must be a pair"),
    (NB, {"cv": [[0, 1, 2]]}, "split 1 must be a pair"),
    (NB, {"cv": "five"}, r"cv must be a splitter, a number of folds, or pairs of \(train, test\), got 'five'"),
    (NB, {"cv": None}, "cv must be a splitter, .* got None"),
]  # fmt: skip


@pytest.mark.parametrize(("estimators", "given", "sentence"), BAD)
def test_what_cannot_be_fitted_gets_one_sentence(estimators: Any, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        fit_folds(estimators, **{"X": X, "y": Y, "cv": CV, **given})


def test_what_cannot_be_cached_gets_one_sentence(tmp_path: Path) -> None:
    own = {"f": make_pipeline(FunctionTransformer(lambda x: x), GaussianNB())}
    with pytest.raises(ValueError, match="estimator 'f' cannot be pickled, so the cache cannot tell"):
        fit_folds(own, X, Y, cv=CV, cache=tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"cache must be a folder, but .* is a file; give another name"):
        fit_folds(NB, X, Y, cv=CV, cache=tmp_path / "file")


def test_scikit_learn_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"sklearn is not installed; run: pip install 'outperform\[sklearn\]'"):
        fit_folds(NB, X, Y, cv=CV)
