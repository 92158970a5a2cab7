"""Every measure against scikit-learn, or against its definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

import outperform as op
from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import MEASURES, Measure, resolve

pytestmark = pytest.mark.usefixtures("few_draws")

Labels = Any
Y = [1, 1, 0, 0]


def specificity(y: Labels, p: Labels) -> float:
    return float(sk.recall_score(y, p, pos_label=0, zero_division=0.0))


def npv(y: Labels, p: Labels) -> float:
    return float(sk.precision_score(y, p, pos_label=0, zero_division=0.0))


def recall(y: Labels, p: Labels) -> float:
    return float(sk.recall_score(y, p, zero_division=0.0))


def precision(y: Labels, p: Labels) -> float:
    return float(sk.precision_score(y, p, zero_division=0.0))


def kappa(y: Labels, p: Labels) -> float:
    value = float(sk.cohen_kappa_score(y, p))
    return 0.0 if np.isnan(value) else value


def prevalence_threshold(y: Labels, p: Labels) -> float:
    tpr, fpr = recall(y, p), 1 - sk.recall_score(y, p, pos_label=0, zero_division=1.0)
    return float(np.sqrt(fpr) / (np.sqrt(tpr) + np.sqrt(fpr))) if tpr + fpr > 0 else 0.0


# scikit-learn if it has the measure; otherwise the definition in terms of its scores.
TWINS: dict[str, Callable[[Labels, Labels], float]] = {
    "f1": lambda y, p: sk.f1_score(y, p, zero_division=0.0),
    "f2": lambda y, p: sk.fbeta_score(y, p, beta=2, zero_division=0.0),
    "f0.5": lambda y, p: sk.fbeta_score(y, p, beta=0.5, zero_division=0.0),
    "precision": precision,
    "recall": recall,
    "specificity": specificity,
    "npv": npv,
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "balanced_accuracy": lambda y, p: (
        sk.balanced_accuracy_score(y, p) if len(set(y)) == 2 else (recall(y, p) + specificity(y, p)) / 2
    ),
    "informedness": lambda y, p: recall(y, p) + specificity(y, p) - 1,
    "markedness": lambda y, p: precision(y, p) + npv(y, p) - 1,
    "mcc": sk.matthews_corrcoef,
    "kappa": kappa,
    "jaccard": lambda y, p: sk.jaccard_score(y, p, zero_division=0.0),
    "g_mean": lambda y, p: np.sqrt(recall(y, p) * specificity(y, p)),
    "fowlkes_mallows": lambda y, p: np.sqrt(precision(y, p) * recall(y, p)),
    "prevalence_threshold": prevalence_threshold,
}


def observed(measure: Any, y: Labels, p: Labels, zero_division: float = 0.0) -> float:
    counts = op.Counts.from_labels(y, {"p": p}, labels=[0, 1])
    return float(resolve(measure, zero_division)(counts.contingency())[0])


def test_every_measure_has_a_twin() -> None:
    ours = {
        name
        for name, m in MEASURES.items()
        if m.function.__module__ == "outperform.measures.of_counts" or m.beta is not None
    }
    assert set(TWINS) == ours


def tables() -> Iterator[tuple[Labels, Labels]]:
    """Return labels and predictions: each cell of the table empty or not, in every combination, and random ones."""
    for there in product((0, 1), repeat=4):
        n = np.multiply(there, (2, 3, 1, 4))
        if n.any():
            yield np.repeat([1, 1, 0, 0], n), np.repeat([1, 0, 1, 0], n)
    rng = np.random.default_rng(0)
    for _ in range(5):
        yield rng.integers(0, 2, 12), rng.integers(0, 2, 12)


@pytest.mark.filterwarnings("ignore")  # scikit-learn warns of undefined scores
@pytest.mark.parametrize("name", TWINS)
def test_measure_equals_its_twin(name: str) -> None:
    for y, p in tables():
        assert observed(name, y, p) == pytest.approx(TWINS[name](y, p), abs=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("beta", [0, 0.1, 0.5, 1, 2, 10])
def test_f_beta_equals_scikit_learn(beta: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        y, p = rng.integers(0, 2, (2, 30))
        assert observed(op.f_beta(beta), y, p) == pytest.approx(sk.fbeta_score(y, p, beta=beta))


def test_f_beta_of_infinity_is_recall() -> None:
    y, p = [1, 1, 1, 0, 0], [1, 0, 0, 1, 0]
    assert observed(op.f_beta(1e200), y, p) == observed("recall", y, p)


@pytest.mark.parametrize("beta", [-1, float("nan")])
def test_f_beta_refuses(beta: float) -> None:
    with pytest.raises(ValueError, match="beta must be a number of at least 0"):
        op.f_beta(beta)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
@pytest.mark.parametrize("y_p", [([1, 1], [0, 0]), ([0, 0], [1, 1]), ([0, 0], [0, 0])])
def test_zero_division_is_scikit_learns(name: str, zero_division: float, y_p: tuple[list[int], list[int]]) -> None:
    if name == "jaccard" and np.isnan(zero_division):
        assert np.isnan(observed(name, [0, 0], [0, 0], zero_division))  # scikit-learn supports only 0 and 1 here
        return
    twin = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score, "jaccard": sk.jaccard_score}
    expected = twin[name](*y_p, zero_division=zero_division)
    np.testing.assert_equal(observed(name, *y_p, zero_division=zero_division), expected)


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
def test_zero_division_holds_for_measures_of_the_whole_table_too(zero_division: float) -> None:
    one = [1, 1, 1, 1]  # all agree on one of three classes, where chance leaves nothing: κ is 0/0
    r = op.compare(one, {"a": one, "b": [1, 1, 2, 1]}, labels=[0, 1, 2], measure="kappa", average="multiclass",
                   zero_division=zero_division, draws=100, rng=0)  # fmt: skip
    assert isinstance(r, op.Comparison)
    assert (r.a.observed, r.b.observed) == (zero_division, 0.0)


def test_correlations_without_variance_are_0_as_in_scikit_learn() -> None:
    y, p = [1, 0, 1, 0], [1, 1, 1, 1]
    for zero_division in (0.0, 1.0, np.nan):
        assert observed("mcc", y, p, zero_division) == sk.matthews_corrcoef(y, p) == 0.0


def test_what_is_only_rounding_is_zero() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        weights = rng.uniform(0, 3, 9)
        counts = op.Counts.from_labels([1, 0, 1] * 3, {"p": [1] * 9}, labels=[0, 1], weights=weights)
        assert resolve("npv")(counts.contingency())[0] == 0.0
    r = op.estimate([1] * 30 + [0] * 70, [1] * 100, labels=[0, 1], measure="npv", model=op.Paired("haldane"), rng=0)
    assert (r.mean, r.hdi) == (0.0, (0.0, 0.0))


def test_measures_of_the_truth_alone_and_of_yes_and_no() -> None:
    r = op.compare([1, 1, 0, 0], {"a": [1, 0, 0, 1], "b": [1, 1, 0, 0]}, measure=lambda c: c.support / c.total, rng=0)
    assert r.delta.sd == 0
    assert op.estimate([1, 0], [1, 0], measure=lambda c: np.asarray(c.tp > 0.1), rng=0).observed == 1.0
    with pytest.raises(TypeError, match=r"f_beta needs its β, as in measure=op\.f_beta\(2\)"):
        op.estimate([1, 0], [1, 0], measure=op.f_beta)


def test_large_counts_do_not_overflow() -> None:
    n = [9e9, 1e9, 2e9, 8e9]
    counts = op.Counts.from_labels([1, 1, 0, 0], {"p": [1, 0, 1, 0]}, n=n)
    small = op.Counts.from_labels([1, 1, 0, 0], {"p": [1, 0, 1, 0]}, n=[9, 1, 2, 8])
    for m in MEASURES.values():
        assert m(counts.contingency())[0] == pytest.approx(m(small.contingency())[0], rel=1e-12)


def test_own_function_sees_shares_of_all_items() -> None:
    y, p = [1, 1, 0, 0, 0], [1, 0, 1, 0, 0]
    r = op.estimate(y, p, measure=lambda c: c.tp - 5 * c.fp, rng=0)
    assert r.observed == pytest.approx(1 / 5 - 5 / 5)
    assert r.mean == pytest.approx(r.observed, abs=0.6)  # the same unit as the draws, shrunk by the prior
    assert r.measure == "<lambda>"


def test_own_measure_by_name() -> None:
    @op.measure(greater_is_better=False)
    def wasted(c: op.Contingency) -> Any:
        return c.fp

    try:
        r = op.compare([1, 1, 0, 0] * 50, {"a": [1, 1, 1, 0] * 50, "b": [1, 1, 0, 0] * 50}, measure="wasted", rope=0.01)
        assert r.delta.mean > 0
        assert r.decision is not None
        assert r.decision.name == "worse"
        by_function = op.compare([1, 1, 0, 0] * 50, {"a": [1, 1, 1, 0] * 50, "b": Y * 50}, measure=wasted, rope=0.01)
        assert by_function.decision is not None
        assert by_function.decision.name == "worse"
    finally:
        del MEASURES["wasted"]


def test_unknown_measure_lists_the_known() -> None:
    with pytest.raises(ValueError, match=r"unknown measure 'recal'; did you mean 'recall'\? known: accuracy, .*spec"):
        resolve("recal")
    with pytest.raises(TypeError, match="measure must be a name or a function of a Contingency, got int"):
        resolve(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"zero_division must be 0, 1 or nan, got 0\.5"):
        resolve("f1", zero_division=0.5)


def test_names_of_built_in_measures_are_taken() -> None:
    def function(c: Contingency) -> FloatArray:
        return c.hit

    for name in ("f1", "accuracy", "roc_auc", "top_5_accuracy"):
        function.__name__ = name
        with pytest.raises(ValueError, match=f"^{name} is a measure of outperform; give your function another name$"):
            op.measure(function)
    assert resolve("f1")(op.Counts.from_labels([1, 0], {"a": [1, 1]}).contingency())[0] == pytest.approx(2 / 3)


def test_own_measures_may_be_defined_anew() -> None:
    for value in (0.25, 0.75):

        @op.measure
        def cell_of_a_notebook(c: Contingency, value: float = value) -> FloatArray:
            return np.full(c.hit.shape, value)

        assert observed("cell_of_a_notebook", [1, 0], [1, 0]) == value
    del MEASURES["cell_of_a_notebook"]


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda c: c.hit.astype(np.complex128), "complex128"),
        (lambda c: np.full(c.hit.shape, "good"), "<U4"),
        (lambda c: np.full(c.hit.shape, None), "object"),
    ],
)
def test_own_functions_give_real_numbers(function: Any, kind: str) -> None:
    function.__name__ = "own"
    with pytest.raises(TypeError, match=f"^measure 'own' must give real numbers, got an array of {kind}$"):
        observed(function, [1, 0], [1, 0])
    whole = op.Counts.from_labels([0, 1, 2], {"a": [0, 1, 2], "b": [0, 1, 1]})
    with pytest.raises(TypeError, match=r"^measure 'own' must give real numbers"):
        op.compare(whole, measure=Measure("own", lambda c: c.hit, multiclass=lambda c: function(c)[..., 0]))


def test_own_function_that_returns_nonsense_is_told_so() -> None:
    y, p = [1, 0, 1, 0], [1, 0, 0, 0]
    with pytest.raises(TypeError, match="must give one number per classifier and draw"):
        op.estimate(y, p, measure=lambda c: c.tp.sum(axis=0))
    with pytest.raises(ValueError, match=r"is not finite on some draws; .* divide with c\.ratio"):
        op.estimate(y, p, measure=lambda c: c.tp + np.inf)


@pytest.mark.parametrize(
    ("given", "name", "average"),
    [("f1_macro", "f1", "macro"), ("Micro-Recall", "recall", "micro"), ("weighted_sensitivity", "recall", "weighted")],
)
def test_an_average_in_the_name_of_a_measure_is_told_apart(given: str, name: str, average: str) -> None:
    said = f'unknown measure {given!r}; say measure="{name}" and average="{average}"'
    with pytest.raises(ValueError, match=f"^{said}$"):
        resolve(given)


@pytest.mark.parametrize(("given", "known"), [("pr_auc", "average_precision"), ("neg_mean_squared_error", "mse")])
def test_names_that_measures_have_elsewhere(given: str, known: str) -> None:
    with pytest.raises(ValueError, match=f"unknown measure '{given}'; did you mean '{known}'"):
        op.compare([0, 1], {"a": [0, 1], "b": [1, 1]}, measure=given)


@pytest.mark.parametrize(
    "function",
    [
        lambda c: c.hit - 0.2 * (c.predicted - c.hit),
        lambda c: (c.hit + 1) / (c.support + 2),
        lambda c: np.log1p(c.hit),
    ],
)
@pytest.mark.parametrize("average", [None, "macro", "per_class"])
def test_a_function_that_changes_with_the_unit_of_items_is_refused(function: Any, average: str | None) -> None:
    """Draws have another unit than the observed table, and gave verdicts on scores that had nothing to do with it."""
    many: dict[str, Any] = {} if average is None else {"average": average}
    y: Any = Y * 5 if average is None else list("aabc") * 5
    guess = {"a": y[1:] + y[:1], "b": y[2:] + y[:2]}
    verbs: list[Any] = [op.compare] if average == "per_class" else [op.compare, op.rank]
    for ask in verbs:
        with pytest.raises(ValueError, match="changes with the unit of hit"):
            ask(y, guess, measure=function, rng=0, **many)
    with pytest.raises(ValueError, match="changes with the unit of hit"):
        op.estimate(y, guess["a"], measure=function, rng=0, **many)


def test_shares_and_ratios_have_no_unit() -> None:
    functions: list[Any] = [
        lambda c: c.tp - 0.2 * c.fp,
        lambda c: c.hit / c.total,
        lambda c: c.hit / (c.support + 1e-9),
    ]
    for function in functions:
        r = op.compare(Y * 5, {"a": Y * 5, "b": [1, 0, 0, 0] * 5}, measure=function, rng=0)
        assert r.a.observed is not None
        assert r.a.hdi[0] <= r.a.observed <= r.a.hdi[1] + 0.02
