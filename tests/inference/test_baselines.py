"""The classical tests against SciPy and statsmodels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import outperform as op
from outperform.inference.baselines.counts import (
    class_sign_test,
    class_t_test,
    class_wilcoxon,
    classical_tests,
    differences,
    mcnemar_corrected,
    sign_test,
    welch_t_test,
)
from outperform.inference.baselines.folds import fold_tests
from tests.later import later
from tests.tables import FIVE, labels_of, pair

contingency_tables = later("statsmodels.stats.contingency_tables")

Differences = np.ndarray[tuple[int], np.dtype[np.float64]]
SMALL = [name for name in FIVE if name != "a million items"]


def outcomes(name: str) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], ...]:
    truth, predictions = labels_of(pair(*FIVE[name]))
    return tuple(np.array(p) == np.array(truth) for p in predictions.values())


@pytest.mark.parametrize("name", FIVE)
def test_sign_test_is_the_exact_binomial_test(name: str) -> None:
    a, b = outcomes(name)
    a_only, b_only = int((a & ~b).sum()), int((b & ~a).sum())
    expected = stats.binomtest(a_only, a_only + b_only).pvalue
    assert sign_test(pair(*FIVE[name])) == pytest.approx(expected, rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("name", FIVE)
def test_t_test_is_scipys(name: str) -> None:
    a, b = outcomes(name)
    expected = stats.ttest_ind(a.astype(float), b.astype(float), equal_var=False).pvalue
    assert welch_t_test(pair(*FIVE[name])) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_mcnemar_is_statsmodels(name: str) -> None:
    a, b = outcomes(name)
    table = [[(a & b).sum(), (a & ~b).sum()], [(b & ~a).sum(), (~a & ~b).sum()]]
    tests = classical_tests(pair(*FIVE[name]))
    assert tests["mcnemar"] == pytest.approx(contingency_tables.mcnemar(table, exact=True).pvalue)
    if table[0][1] != table[1][0]:
        corrected = contingency_tables.mcnemar(table, exact=False, correction=True).pvalue
        assert tests["mcnemar_corrected"] == pytest.approx(corrected)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=30))
def test_identical_predictions_have_p_one(rows: list[tuple[int, int]]) -> None:
    y, p = (list(column) for column in zip(*rows, strict=True))
    counts = op.Counts.from_labels(y, {"a": p, "b": p}, labels=[0, 1])
    assert classical_tests(counts) == {"sign_test": 1.0, "t_test": 1.0, "mcnemar": 1.0, "mcnemar_corrected": 1.0}


@given(*[st.tuples(*[st.integers(0, 20)] * 4)] * 2)
def test_p_values_are_probabilities(positive: tuple[int, ...], negative: tuple[int, ...]) -> None:
    if sum(positive) + sum(negative) >= 2:
        for p in classical_tests(pair(positive, negative)).values():
            assert p is not None
            assert 0 <= p <= 1


def test_as_many_disagreements_on_both_sides() -> None:
    assert mcnemar_corrected(pair((5, 3, 3, 1), (0, 0, 0, 9))) == 1.0


def test_unpaired_items_leave_only_the_t_test() -> None:
    a, b = ([1, 1, 0, 0], [1, 0, 0, 0]), ([1, 0, 0, 0, 1], [1, 1, 1, 0, 1])
    tests = classical_tests(op.Counts.from_test_sets({"a": a, "b": b}))
    right = [np.equal(*x).astype(float) for x in (a, b)]
    assert tests == {"t_test": pytest.approx(stats.ttest_ind(*right, equal_var=False).pvalue)}


def test_not_defined() -> None:
    one = op.Counts.from_labels([1], {"a": [1], "b": [0]}, labels=[0, 1])
    assert welch_t_test(one) is None
    weighted = pair((1.5, 2.25, 1, 1), (1, 1, 1, 1))
    assert sign_test(weighted) is None
    assert welch_t_test(weighted) is None


def test_always_right_against_never_right() -> None:
    assert welch_t_test(op.Counts.from_labels([1, 1, 0], {"a": [1, 1, 0], "b": [0, 0, 1]})) == 0.0


def moved_classes(kind: str, classes: int, seed: int) -> Differences:
    """Return the differences of two scores, by class."""
    rng = np.random.default_rng(seed)
    moved = rng.normal(0.02, 0.1, classes)
    if kind == "zeros":
        moved[rng.random(classes) < 0.3] = 0.0
        moved[0] = 0.1
    return np.round(moved, 1) if kind == "ties" else moved


@pytest.mark.parametrize("kind", ["plain", "zeros", "ties"])
@pytest.mark.parametrize("classes", [3, 8, 20, 50, 51, 80])
def test_tests_on_classes_are_scipys(kind: str, classes: int) -> None:
    for seed in range(5):
        difference = moved_classes(kind, classes, seed)
        if len(np.unique(difference)) == 1:  # scipy warns; below
            continue
        moved = difference[difference != 0]
        above = int((moved > 0).sum())
        assert class_sign_test(difference) == pytest.approx(stats.binomtest(above, len(moved)).pvalue)
        assert class_t_test(difference) == pytest.approx(stats.ttest_rel(difference, np.zeros(classes)).pvalue)
        tied = len(np.unique(np.abs(moved))) < len(moved)
        if tied and 13 < len(moved) <= 50:  # scipy is exact with so many ties by all permutations alone; below
            continue
        method: Any = every_sign if tied and len(moved) <= 13 else "exact" if len(moved) <= 50 else "approx"
        twin = stats.wilcoxon(moved, method=method, correction=False).pvalue if len(moved) > 1 else 1.0
        assert class_wilcoxon(difference) == pytest.approx(twin)


every_sign = stats.PermutationMethod(n_resamples=2**13)


@pytest.mark.parametrize("n", [5, 30, 60])
def test_one_sided_tests_are_those_of_scipy(n: int) -> None:
    """Also where one difference outweighs all others, so that their mean is on the other side."""
    outlier = np.append(np.linspace(0.01, 0.1, n - 1), -50.0)
    for difference in (np.random.default_rng(n).normal(0.3, 1, n), outlier):
        for d in (difference, -difference):
            method: Any = "exact" if n <= 50 else "approx"
            ranks = stats.wilcoxon(d, alternative="greater", method=method, correction=False).pvalue
            signs = stats.binomtest(int((d > 0).sum()), n, alternative="greater").pvalue
            assert class_wilcoxon(d, greater=True) == pytest.approx(ranks)
            assert class_sign_test(d, greater=True) == pytest.approx(signs)
    none = np.zeros(n)
    assert class_wilcoxon(none, greater=True) == class_sign_test(none, greater=True) == 1.0


def test_signed_ranks_with_ties_are_exact() -> None:
    """Two classes that differ alike: either sign of either, so that one of four patterns is as extreme."""
    assert class_wilcoxon(np.array([0.2, 0.0, 0.2])) == 0.5
    difference = np.round(np.random.default_rng(3).normal(0.3, 1, 30))
    signs = np.random.default_rng(0).choice([-1, 1], (100_000, 30))
    rank = stats.rankdata(np.abs(difference)) - (difference == 0).sum()
    rank[difference == 0] = 0
    as_extreme = np.abs((signs * rank).sum(axis=1)) >= abs(float((np.sign(difference) * rank).sum()))
    assert class_wilcoxon(difference) == pytest.approx(as_extreme.mean(), abs=4 * 0.5 / np.sqrt(100_000))


@pytest.mark.parametrize("scale", [0.1, 1 / 3, 1e-7, 1e8])
@pytest.mark.parametrize("items", [12, 40, 80])
def test_the_unit_of_scores_changes_no_test(scale: float, items: int) -> None:
    """Grades of 0 to 10, and the same in tenths, whose differences are tied except for rounding errors."""
    rng = np.random.default_rng(items)
    a = rng.integers(0, 11, items).astype(np.float64)
    b = np.clip(a + rng.integers(-2, 4, items), 0, 10)
    whole, scaled = differences(a, b), differences(a * scale + 0.7, b * scale + 0.7)
    assert np.array_equal(whole, a - b)
    assert np.array_equal(np.sign(scaled), np.sign(whole))
    assert class_wilcoxon(scaled) == class_wilcoxon(whole)
    assert class_sign_test(scaled) == class_sign_test(whole)
    assert class_t_test(scaled) == pytest.approx(class_t_test(whole))


def test_differences_that_are_not_tied_stay() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 1_000))
    assert np.array_equal(differences(a, b), a - b)
    assert np.array_equal(differences(np.array([1e6, 2e-8]), np.array([1e6, 1e-8])), [0.0, 1e-8])


def test_no_difference_in_any_class() -> None:
    none = np.zeros(7)
    assert [test(none) for test in (class_sign_test, class_t_test, class_wilcoxon)] == [1.0, 1.0, 1.0]


def test_the_same_difference_in_every_class() -> None:
    assert class_t_test(np.full(4, 0.25)) == 0.0
    assert class_sign_test(np.full(4, 0.25)) == 2 / 2**4


@pytest.mark.parametrize("n", [3, 4, 7, 12])
def test_rounding_errors_are_no_spread(n: int) -> None:
    """The mean of n times 0.3 may differ from 0.3, and 0.3 - 0.2 differs from 0.2 - 0.1."""
    b = np.linspace(0.2, 0.6, n)
    for step in (0.1, 0.3):
        assert class_t_test(np.full(n, step)) == 0.0
        assert op.compare_scores({"a": b + step, "b": b}, rng=0).frequentist["paired_t_test"] == 0.0
        tests = fold_tests(tuple((1, k) for k in range(n)), np.stack([b + step, b], axis=1))
        assert tests == {"corrected_t_test": 0.0, "k_fold_t_test": 0.0}


def test_one_class() -> None:
    one = np.array([0.2])
    assert class_sign_test(one) == 1.0
    assert class_wilcoxon(one) == 1.0
    assert class_t_test(one) is None


def test_scores_of_classes_take_the_place_of_items() -> None:
    counts = op.Counts.from_labels([0, 1, 2, 2], {"a": [0, 1, 2, 1], "b": [1, 1, 2, 1]})
    by_class = np.array([[0.5, 0.7, 0.9], [0.4, 0.8, 0.3]])
    difference = differences(*by_class)
    assert classical_tests(counts, by_class) == {
        "class_sign_test": class_sign_test(difference),
        "class_t_test": class_t_test(difference),
        "class_wilcoxon": class_wilcoxon(difference),
    }
    assert set(classical_tests(counts)) == {"sign_test", "t_test", "mcnemar", "mcnemar_corrected"}


def test_resamples_without_a_score_make_no_warning() -> None:
    """R² of a resample in which all true values are equal; any warning fails a test."""
    truth = np.append(np.zeros(15), 5.0)
    systems = {"a": truth + np.linspace(0, 1, 16), "b": truth + np.linspace(1, 0, 16)}
    assert op.compare(truth, systems, measure="r2", rng=0).frequentist["paired_bootstrap"] is not None
