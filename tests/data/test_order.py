"""Items or systems in another order give the same numbers to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

import outperform as op
from outperform.data import items, keys
from outperform.data.items import Items

pytestmark = pytest.mark.usefixtures("few_draws")

Array = NDArray[Any]
N = 120
RNG = default_rng(0)
Y = RNG.integers(0, 2, N)
A, B, C = (np.round(RNG.random(N) * 0.6 + share * Y, 2) for share in (0.5, 0.4, 0.3))
CLUSTER = RNG.integers(0, 30, N)
MANY = Y + 2 * (CLUSTER % 3)
SETS = [
    [{k for k in range(4) if (v * (k + 3)) % 7 < 3} for v in labels] for labels in (MANY, MANY + Y, MANY + (A > 0.7))
]
SETTINGS: dict[str, Any] = {"rope": 0.01, "draws": 500, "rng": 0}
Asked = Callable[[Array], op.Comparison | op.Ranking]


def sets(k: int, order: Array) -> list[set[int]]:
    return [SETS[k][i] for i in order]


def runs(scores: Array) -> Array:
    return np.column_stack([scores, np.clip(scores + 0.1, 0, 1)])


def mean_cube(y: Array, output: Array, sample_weight: Array) -> float:
    """Sum exactly, so that the order of the items cannot affect the last bit."""
    return fsum(sample_weight * np.abs(y - output) ** 3) / fsum(sample_weight)


ASKED: dict[str, Callable[[Array], Any]] = {
    "areas": lambda o: op.compare(Y[o], {"a": A[o], "b": B[o]}, measure="roc_auc", **SETTINGS),
    "errors": lambda o: op.compare(1.0 * Y[o], {"a": A[o], "b": B[o]}, measure="mae", **SETTINGS),
    "scores": lambda o: op.compare_scores({"a": A[o], "b": B[o]}, **SETTINGS),
    "runs": lambda o: op.compare_scores({"a": runs(A[o]), "b": runs(B[o])}, **SETTINGS),
    "clusters": lambda o: op.compare_scores({"a": A[o], "b": B[o]}, cluster=CLUSTER[o], **SETTINGS),
    "clusters in strata": lambda o: op.compare_scores(
        {"a": A[o], "b": B[o]}, cluster=[f"d{c}" for c in CLUSTER[o]], strata=CLUSTER[o] % 5, **SETTINGS
    ),
    "strata of one": lambda o: op.compare_scores(
        {"a": A[o], "b": B[o]}, strata=np.where(np.arange(N) == 7, -1, CLUSTER % 5)[o], **SETTINGS
    ),
    "labels": lambda o: op.compare(Y[o], {"a": A[o] > 0.5, "b": B[o] > 0.5}, pos_label=1, labels=[0, 1], **SETTINGS),
    "labels in clusters": lambda o: op.compare(
        Y[o], {"a": (A[o] > 0.5) * 1, "b": (B[o] > 0.5) * 1}, model=op.BayesianBootstrap(cluster=CLUSTER[o]), **SETTINGS
    ),
    "classes": lambda o: op.compare(
        MANY[o], {"a": (MANY * (A > 0.3))[o], "b": (MANY * (B > 0.3))[o]}, average="macro", **SETTINGS
    ),
    "classes in clusters": lambda o: op.compare(
        MANY[o],
        {"a": (MANY * (A > 0.3))[o], "b": (MANY * (B > 0.3))[o]},
        average="macro",
        model=op.BayesianBootstrap(cluster=CLUSTER[o]),
        **SETTINGS,
    ),
    "label sets": lambda o: op.compare(sets(0, o), {"a": sets(1, o), "b": sets(2, o)}, average="macro", **SETTINGS),
    "label sets, weighed": lambda o: op.compare(
        sets(0, o), {"a": sets(1, o), "b": sets(2, o)}, average="micro", model="bootstrap", **SETTINGS
    ),
    "queries": lambda o: op.compare(
        Y[o], {"a": A[o], "b": B[o]}, measure="ndcg", model=op.BayesianBootstrap(cluster=CLUSTER[o]), **SETTINGS
    ),
    "a function of one's own": lambda o: op.compare(
        1.0 * Y[o], {"a": A[o], "b": B[o]}, measure=mean_cube, **SETTINGS | {"draws": 50}
    ),
    "ranking": lambda o: op.rank_scores({"a": A[o], "b": B[o], "c": C[o]}, cluster=CLUSTER[o], **SETTINGS),
}


@pytest.mark.parametrize("name", ASKED)
def test_items_in_another_order(name: str) -> None:
    plain, other = ASKED[name](np.arange(N)), ASKED[name](default_rng(1).permutation(N))
    assert plain.to_dict() == other.to_dict()


@pytest.mark.parametrize("cluster", [None, CLUSTER])
def test_systems_in_another_order(cluster: Array | None) -> None:
    plain = op.compare_scores({"a": A, "b": B}, cluster=cluster, **SETTINGS)
    other = op.compare_scores({"b": B, "a": A}, cluster=cluster, **SETTINGS)
    np.testing.assert_array_equal(plain.draws, other.draws[:, ::-1])


def test_ids_of_clusters_are_names_only() -> None:
    """Clusters are resampled in the same order, whatever their names and order."""
    plain = op.compare_scores({"a": A, "b": B}, cluster=CLUSTER, **SETTINGS)
    other = op.compare_scores({"a": A, "b": B}, cluster=[f"{97 * c % 31}" for c in CLUSTER], **SETTINGS)
    np.testing.assert_array_equal(plain.draws, other.draws)


@pytest.mark.parametrize("measure", ["f1", "accuracy"])
def test_ids_of_clusters_of_labels_are_names_only(measure: str) -> None:
    """Clusters with few labels differ in nothing but in how many items of the first kind they hold."""
    two = {"a": (A > 0.5) * 1, "b": (B > 0.5) * 1}

    def asked(cluster: Any) -> Any:
        return op.compare(Y, two, measure=measure, model=op.BayesianBootstrap(cluster=cluster), **SETTINGS)

    np.testing.assert_array_equal(asked(CLUSTER).draws, asked([f"{97 * c % 31}" for c in CLUSTER]).draws)


@pytest.mark.parametrize("least", [0.0, 0.25])
def test_items_without_a_score_are_items(least: float) -> None:
    """Clusters in which A scores have one more item than those in which B does, whatever both score on it."""
    a, b = (np.tile(scores, 12) + least for scores in ([0.5, 0.0, 0.0], [0.0, 0.0, 0.5]))
    own = np.arange(12)[:, None] * 2 + [0, 0, 1]
    assert not Items(("a", "b"), np.zeros(36), (a, b), np.ones(36)).grouped(own.ravel()).interchangeable()
    assert Items(("a", "b"), np.zeros(36), (a, b), np.ones(36)).interchangeable()


def test_clusters_that_hold_the_same_stay_apart() -> None:
    score = np.array([1.0, 2, 1, 2, 5, 1, 2])
    items = Items(("a",), np.zeros(7), (score,), np.ones(7)).grouped(cluster=[0, 0, 1, 1, 2, 3, 3]).merged()
    assert len(np.unique(items.cluster)) == 4
    for code in range(4):
        assert sorted(items.outputs[0][items.cluster == code]) in ([1, 2], [5])
    assert items.n.tolist() == [1] * 7


@pytest.mark.parametrize("systems", [2, 3])
def test_numbers_do_not_depend_on_the_signs_of_axes(systems: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eigenvectors have no unique sign, and libraries on other machines choose others."""
    rng = default_rng(3)
    gold = rng.integers(0, 6, 300)
    said = {f"s{k}": np.where(rng.random(300) < 0.6 + 0.05 * k, gold, rng.integers(0, 6, 300)) for k in range(systems)}

    def found() -> tuple[float, ...]:
        if systems == 2:
            return op.compare(gold, said, average="macro", draws=500, rng=0).delta.hdi
        return tuple(system.mean for system in op.rank(gold, said, average="macro", draws=500, rng=0).systems)

    plain, eigh = found(), np.linalg.eigh

    def turned(matrix: Any) -> Any:
        values, axes = eigh(matrix)
        return values, axes * np.where(np.arange(values.shape[-1]) % 2, 1.0, -1.0)

    monkeypatch.setattr(np.linalg, "eigh", turned)
    assert found() == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("largest", [2**62, 30])
def test_rows_are_numbered_in_their_order(monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    monkeypatch.setattr(keys, "LARGEST", largest)
    columns = default_rng(0).integers(-1, 4, (400, 4))
    distinct, known = np.unique(columns, axis=0, return_inverse=True)
    assert len(distinct) < 400
    number, most = keys.row_keys(400, [columns[:0, 0], *columns.T])
    assert number.min() >= 0
    assert number.max() < most
    assert (np.unique(number, return_inverse=True)[1] == known.ravel()).all()
    assert (items._dense(columns) == known.ravel()).all()


def test_rows_of_a_hundred_columns_are_numbered() -> None:
    columns = default_rng(1).integers(0, 2, (50, 100)).repeat(2, axis=0)
    known = np.unique(columns, axis=0, return_inverse=True)[1].ravel()
    assert (np.unique(keys.row_keys(100, columns.T)[0], return_inverse=True)[1] == known).all()


@pytest.mark.parametrize("rows", [0, 1, 2_000])
def test_equal_rows_are_found_as_numpy_finds_them(rows: int) -> None:
    marks = np.random.default_rng(3).integers(2**64, size=(40, 2), dtype=np.uint64)
    marks = marks[np.random.default_rng(4).integers(40, size=(rows, 2)), [0, 1]]
    first, kind = keys.alike(marks)
    _, theirs, place = np.unique(marks, axis=0, return_index=True, return_inverse=True)
    assert first.tolist() == theirs.tolist()
    assert kind.tolist() == place.ravel().tolist()
