"""Folds of a cross-validation: their effective number of items, counting, and the classical tests on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold, RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import outperform as op
from outperform.inference.baselines.folds import (
    block_t_test,
    corrected_t_test,
    five_by_two_f_test,
    five_by_two_t_test,
    fold_tests,
    k_fold_t_test,
)
from outperform.models.folds import effective_factor
from tests.tables import FIVE, pair

X, Y = make_classification(200, n_features=8, flip_y=0.2, random_state=0)
NAMED = np.where(Y == 1, "spam", "ham")
TWO = {"lr": LogisticRegression(), "nb": GaussianNB()}
BLOCKS = [(r, k) for r in (1, 2, 3) for k in (1, 2)]


def test_the_factor_of_the_paper() -> None:
    """ACL'19 Eq. 22."""
    assert round(effective_factor(3), 8) == 0.36880211
    mean = 8 * integrate.dblquad(lambda within, between: 1 / (1 + within + 4 * between), 0.25, 0.5, 0, 0.5)[0]
    assert effective_factor(3) == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_the_factor_of_any_number_of_repetitions(m: int) -> None:
    """If all correlations are ρ, the mean of 2m estimates has a variance of (1 + (2m − 1)ρ)/2m."""
    mean = 8 * integrate.dblquad(lambda x, y: 1 / (1 + x + 2 * (m - 1) * y), 0.25, 0.5, 0, 0.5)[0]
    assert effective_factor(m) == pytest.approx(mean, rel=1e-12)
    assert effective_factor(m, rho=(1, 1)) == pytest.approx(1 / (2 * m), rel=1e-15)
    assert effective_factor(m, rho=(0, 0)) == 1
    assert effective_factor(m, rho=(0.3, 0.3)) == pytest.approx(1 / (1 + (2 * m - 1) * 0.3), rel=1e-15)


def test_the_conservative_factor_of_the_paper() -> None:
    assert effective_factor(3, rho=(1, 1)) == 1 / 6


@pytest.mark.parametrize("rho", [(0.5,), (0.5, 1.5), (-0.1, 0.5), 0.5, (float("nan"), 0)])
def test_what_are_no_correlations_is_refused(rho: Any) -> None:
    with pytest.raises(ValueError, match="rho is two correlations between 0 and 1, those within and between"):
        effective_factor(3, rho)
    with pytest.raises(ValueError, match="rho is two correlations between 0 and 1"):
        op.CrossValidated(rho=rho)


def test_what_is_no_factor_is_refused() -> None:
    for factor in (0, -1, 1.01, float("nan")):
        with pytest.raises(ValueError, match="factor is a number above 0 and at most 1, got"):
            op.CrossValidated(factor=factor)
    with pytest.raises(ValueError, match="give rho or factor, not both"):
        op.CrossValidated(rho=(1, 1), factor=0.5)


@cache
def counted(kind: str = "numbers") -> op.Counts:
    return op.cross_validate(TWO, X, Y if kind == "numbers" else NAMED, rng=0)


def by_hand(cv: Any, y: Any) -> list[dict[str, tuple[Any, Any]]]:
    """Return true and predicted labels of each test set, without the package's fitting."""
    folds = []
    for train, test in cv.split(X, y):
        fits = {name: type(e)(**e.get_params()).fit(X[train], y[train]) for name, e in TWO.items()}
        folds.append({name: (y[test], fit.predict(X[test])) for name, fit in fits.items()})
    return folds


def test_counts_by_fold_are_those_of_scikit_learn() -> None:
    cv = op.BlockCV(random_state=7)
    counts = op.cross_validate(TWO, X, Y, cv=cv)
    assert counts.classifiers == ("lr", "nb")
    assert counts.folds == tuple(BLOCKS)
    assert counts.items == 200
    assert counts.paired
    for k, fold in enumerate(by_hand(cv, Y)):
        alone = op.compare(counts.fold(k), rng=0, draws=100)
        assert [alone.a.observed, alone.b.observed] == pytest.approx([f1_score(*fold[name]) for name in TWO])


def test_the_same_seed_gives_the_same_folds() -> None:
    assert counted().same_cells(op.cross_validate(TWO, X, Y, rng=0))
    assert not counted().same_cells(op.cross_validate(TWO, X, Y, rng=1))


def test_named_labels_need_a_positive_one() -> None:
    r, s = op.compare(counted(), rng=0), op.compare(counted("names"), pos_label="spam", rng=0)
    np.testing.assert_array_equal(r.draws, s.draws)
    assert op.bayes_test(counted("names"), pos_label="spam", rng=0).hypotheses == (
        op.bayes_test(counted(), rng=0).hypotheses
    )
    with pytest.raises(ValueError, match="the labels are 'ham', 'spam': say which is positive with pos_label"):
        op.compare(counted("names"))


def test_the_default_model_counts_each_test_by_the_factor() -> None:
    r = op.compare(counted(), rope=0.01, rng=0)
    assert r.model == "cross-validated paired"
    assert "factor:0.36880211" in r.signature
    assert r.items == 200
    assert "200 items" in r.to_text()
    c = counted().together(effective_factor(3))
    same = op.compare(c, rope=0.01, rng=0)
    np.testing.assert_array_equal(r.draws, same.draws)
    conservative = op.compare(counted(), model=op.CrossValidated(rho=(1, 1)), rng=0)
    assert conservative.delta.sd > 1.3 * r.delta.sd
    assert "factor:0.16666667" in conservative.signature


def test_any_model_is_calibrated() -> None:
    for model, name in (("unpaired", "unpaired"), (op.Unpaired(), "unpaired"), ("bootstrap", "bootstrap")):
        assert op.compare(counted(), model=model, rng=0, draws=200).model == f"cross-validated {name}"
    explicit = op.compare(counted(), model=op.CrossValidated(op.Unpaired("jeffreys")), rng=0)
    assert explicit.prior == "jeffreys"
    np.testing.assert_array_equal(explicit.draws, op.compare(counted(), model=op.Unpaired("jeffreys"), rng=0).draws)


def test_on_one_test_set_it_is_the_model_itself() -> None:
    counts = pair(*FIVE["200 items"])
    r, s = op.compare(counts, model=op.CrossValidated(), rng=0), op.compare(counts, rng=0)
    np.testing.assert_array_equal(r.draws, s.draws)


def test_ten_folds_need_to_be_told_what_they_are_worth() -> None:
    counts = op.cross_validate(TWO, X, Y, cv=KFold(10, shuffle=True, random_state=1))
    assert len(counts.folds) == 10
    with pytest.raises(ValueError, match="repetition 1 has 10 folds, where the calibration is for two; cross-validate"):
        op.compare(counts)
    with pytest.raises(ValueError, match="repetition 1 has 10 folds"):
        op.bayes_test(counts)
    r = op.compare(counts, model=op.CrossValidated(op.Paired(), factor=1.0), rope=0.01, rng=0)
    assert "|factor:1|" in r.signature
    np.testing.assert_array_equal(r.draws, op.compare(counts.together(), rope=0.01, rng=0).draws)
    whole, half = (op.compare(counts, model=op.CrossValidated(op.Unpaired(), factor=x), rng=0) for x in (1.0, 0.5))
    assert half.delta.sd / whole.delta.sd == pytest.approx(sqrt(2), rel=0.05)


def test_one_classifier_is_estimated_from_folds() -> None:
    r = op.estimate(counted().select([0]), rng=0)
    assert r.name == "lr"
    assert r.items == 200
    c = counted().select([0]).together().contingency()
    assert r.observed == pytest.approx(2 * c.hit[0] / (c.support[0] + c.predicted[0]))
    alone = op.estimate(op.cross_validate({"lr": LogisticRegression()}, X, Y, rng=0), rng=0)
    assert (alone.observed, alone.mean) == (r.observed, r.mean)


def test_many_classes_are_averaged() -> None:
    X3, y3 = make_classification(150, n_classes=3, n_informative=5, random_state=0)
    cv = op.BlockCV(random_state=0)
    counts = op.cross_validate({"lr": LogisticRegression(), "knn": KNeighborsClassifier()}, X3, y3, cv=cv)
    assert counts.labels == (0, 1, 2)
    model = op.Paired("uniform")
    r = op.compare(counts, average="macro", model=model, rope=0.01, rng=0, draws=2000)
    assert [driver.class_ for driver in sorted(r.drivers, key=lambda d: str(d.class_))] == [0, 1, 2]
    fits = [KNeighborsClassifier().fit(X3[i], y3[i]).predict(X3[j]) for i, j in cv.split(X3, y3)]
    truth = [y3[test] for _, test in cv.split(X3, y3)]
    assert r.b.observed == pytest.approx(f1_score(np.concatenate(truth), np.concatenate(fits), average="macro"))
    by_class = op.compare(counts, average="per_class", model=model, rng=0, draws=500)
    assert [row.class_ for row in by_class] == [0, 1, 2]
    assert {row.model for row in by_class} == {"cross-validated paired"}


def test_items_with_any_number_of_labels_are_counted_by_label() -> None:
    Xm, ym = make_multilabel_classification(80, n_features=6, n_classes=3, random_state=0)
    estimators = {"one": KNeighborsClassifier(1), "nine": KNeighborsClassifier(9)}
    counts = op.cross_validate(estimators, Xm, ym, rng=0)
    assert counts.groups == (0, 1, 2)
    assert counts.items == 80
    for average in ("macro", "micro", "weighted"):
        assert op.compare(counts, average=average, rng=0, draws=500).model == "cross-validated paired"


def pairs(sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return every word with its tag."""
    return list(zip(chain(*sentences), chain(*tags), strict=True))


class Tagger:
    """A tagger that memorises the tag of each word, except for words of some length."""

    def __init__(self, forgets: int) -> None:
        self.forgets = forgets

    def fit(self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> Tagger:
        self.known = dict(pairs(sentences, tags))
        return self

    def predict(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        return [["O" if len(w) == self.forgets else self.known.get(w, "O") for w in words] for words in sentences]


TAGS = {"EU": "B-ORG", "rejects": "O", "German": "B-MISC", "call": "O", "Rome": "B-LOC"}


def test_tags_are_counted_as_chunks() -> None:
    rng = np.random.default_rng(0)
    words = list(TAGS)
    sentences = [[words[i] for i in rng.integers(0, 5, 6)] for _ in range(60)]
    tags = [[TAGS[word] for word in sentence] for sentence in sentences]
    counts = op.cross_validate({"two": Tagger(2), "four": Tagger(4)}, sentences, tags, scheme="IOB2", rng=0)
    assert counts.groups == ("LOC", "MISC", "ORG")
    assert counts.no_true_negatives
    chunks = sum(tag != "O" for row in tags for tag in row)
    assert counts.items == chunks
    r = op.bayes_test(counts, measure="recall", rng=0)
    kept = [sum(tag != "O" and len(word) != size for word, tag in pairs(sentences, tags)) for size in (2, 4)]
    assert [r.a.observed, r.b.observed] == pytest.approx([kept[0] / chunks, kept[1] / chunks])
    only = op.cross_validate({"two": Tagger(2)}, sentences, tags, scheme="IOB2", labels=["ORG"], rng=0)
    assert only.groups == ("ORG",)
    assert op.estimate(only, measure="recall", average="micro", rng=0, draws=500).observed == 0


def test_folds_are_put_together_only_if_they_fit() -> None:
    y, p, q = [1, 0, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]
    first = op.Counts.from_labels(y, {"p": p, "q": q})
    with pytest.raises(ValueError, match="repetition 1, fold 2 has the classifiers 'p' where the first has 'p', 'q'"):
        op.Counts.by_fold({(1, 1): first, (1, 2): op.Counts.from_labels(y, {"p": p})})
    other = op.Counts.from_labels([1, 2] * 2, {"p": [1, 2] * 2, "q": [1, 1] * 2})
    with pytest.raises(
        ValueError, match=r"has the classes 1, 2 where the first has 0, 1; list all of them with labels="
    ):
        op.Counts.by_fold({(1, 1): first, (1, 2): other})


# Differences of two classifiers' scores, by repetition and fold.
D52 = np.random.default_rng(1).normal(0.02, 0.03, (5, 2))
D32 = np.random.default_rng(2).normal(0.01, 0.02, (3, 2))
D10 = np.random.default_rng(3).normal(0.02, 0.03, (1, 10))


def two_sided(statistic: float, freedom: int) -> float:
    return float(2 * stats.t.sf(abs(statistic), freedom))


def test_the_five_by_two_tests() -> None:
    """Dietterich 1998 and Alpaydin 1999, written out."""
    variances = [(a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2 for a, b in D52]
    t = D52[0, 0] / sqrt(sum(variances) / 5)
    assert five_by_two_t_test(D52) == pytest.approx(two_sided(t, 5), rel=1e-9)
    f = (D52**2).sum() / (2 * sum(variances))
    assert five_by_two_f_test(D52) == pytest.approx(float(stats.f.sf(f, 10, 5)), rel=1e-9)


def test_the_k_fold_test_is_a_paired_t_test() -> None:
    scores = np.random.default_rng(4).normal(0.8, 0.05, (2, 10))
    expected = stats.ttest_rel(scores[0], scores[1]).pvalue
    assert k_fold_t_test((scores[0] - scores[1])[None]) == pytest.approx(expected, rel=1e-9)
    assert k_fold_t_test(D10) == pytest.approx(stats.ttest_1samp(D10[0], 0).pvalue, rel=1e-9)


@pytest.mark.parametrize("d", [D10, D32, D52, np.random.default_rng(5).normal(0.02, 0.03, (4, 5))])
def test_the_corrected_test_is_nadeau_and_bengios(d: NDArray[np.float64]) -> None:
    folds = d.shape[1]
    test, train = 1 / folds, 1 - 1 / folds
    t = d.mean() / sqrt((1 / d.size + test / train) * d.var(ddof=1))
    assert corrected_t_test(d) == pytest.approx(two_sided(t, d.size - 1), rel=1e-9)


def test_the_test_on_blocks_takes_the_folds_for_half_correlated() -> None:
    """Var[mean] from E[S²] = σ²(1 − ρ) and Var[mean] = σ²(1 + (2m − 1)ρ)/2m with ρ = ½."""
    variance = D32.var(ddof=1) / (1 - 0.5) * (1 + 5 * 0.5) / 6
    assert block_t_test(D32) == pytest.approx(two_sided(D32.mean() / sqrt(variance), 5), rel=1e-9)


@pytest.mark.parametrize("test", [corrected_t_test, block_t_test, five_by_two_t_test, five_by_two_f_test])
def test_no_difference_has_a_p_value_of_1_and_a_constant_one_of_0(test: Any) -> None:
    assert test(np.zeros((5, 2))) == 1
    assert test(np.full((5, 2), 0.25)) == 0
    assert test(-D52) == test(D52)


DESIGNS: dict[str, tuple[int, int, set[str]]] = {
    "5×2": (5, 2, {"corrected_t_test", "block_t_test", "five_by_two_t_test", "five_by_two_f_test"}),
    "3×2": (3, 2, {"corrected_t_test", "block_t_test"}),
    "10-fold": (1, 10, {"corrected_t_test", "k_fold_t_test"}),
    "2×5": (2, 5, {"corrected_t_test"}),
    "1×2": (1, 2, {"corrected_t_test"}),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_each_design_has_its_tests(design: str) -> None:
    repetitions, folds, names = DESIGNS[design]
    where = tuple((r, k) for r in range(1, repetitions + 1) for k in range(1, folds + 1))
    scores = np.random.default_rng(0).normal(0.8, 0.05, (len(where), 2))
    tests = fold_tests(where, scores)
    assert set(tests) == names
    assert all(p is not None and 0 < p < 1 for p in tests.values())
    shuffled = np.random.default_rng(1).permutation(len(where))
    if "five_by_two_t_test" not in names:  # it uses the first fold alone
        other = fold_tests(tuple(where[k] for k in shuffled), scores[shuffled])
        assert other == pytest.approx(tests, rel=1e-9)


def test_folds_that_are_lopsided_or_undefined_have_none() -> None:
    assert fold_tests(((1, 1), (1, 2), (2, 1)), np.random.default_rng(0).normal(size=(3, 2))) == {}
    assert fold_tests(((1, 1), (1, 2)), np.array([[0.5, np.nan], [0.5, 0.4]])) == {}
    assert fold_tests(((1, 1),), np.array([[0.5, 0.4]])) == {}


def test_a_comparison_tests_its_folds() -> None:
    r = op.compare(counted(), rng=0, draws=500)
    by_fold = [op.compare(counted().fold(k), rng=0, draws=100) for k in range(6)]
    d = np.array([[result.delta.observed for result in by_fold]], dtype=float).reshape(3, 2)
    assert r.frequentist == pytest.approx({"corrected_t_test": corrected_t_test(d), "block_t_test": block_t_test(d)})
    assert "Classical p-values: corrected t over folds" in r.to_text(verbose=True)


def test_classifiers_that_are_alike_are_not_told_apart() -> None:
    same = {name: DummyClassifier(strategy="stratified", random_state=0) for name in ("one", "two")}
    r = op.compare(op.cross_validate(same, X, Y, cv=op.BlockCV(5, random_state=0)), rope=0.01, rng=0)
    assert set(r.frequentist.values()) == {1.0}
    assert r.delta.mean == pytest.approx(0, abs=1e-15)
    assert "one and two predicted the same on all 200 items." in r.notes


def test_repeated_folds_are_numbered_by_repetition() -> None:
    counts = op.cross_validate(TWO, X, Y, cv=RepeatedKFold(n_splits=3, n_repeats=2, random_state=0))
    assert counts.folds == tuple((r, k) for r in (1, 2) for k in (1, 2, 3))
    assert counts.items == 200
    with pytest.raises(ValueError, match="repetition 1 has 3 folds"):
        op.compare(counts)
