"""Confusion matrices as arrays, frames and files, and the errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import sparse
from sklearn.metrics import confusion_matrix

import outperform as op
from outperform.cli import main
from outperform.io import read_confusion

pytestmark = pytest.mark.usefixtures("few_draws")

A = np.array([[30, 3, 2], [4, 25, 6], [0, 2, 9]])
B = np.array([[28, 5, 2], [4, 24, 7], [1, 0, 10]])
NAMES = ["x", "y", "z"]


def counts(**settings: Any) -> op.Counts:
    return op.Counts.from_confusion({"a": A, "b": B}, **settings)


def test_a_matrix_is_counted_cell_by_cell() -> None:
    table = counts(labels=NAMES)
    assert table.items == A.sum() + B.sum()
    assert not table.paired
    c = table.contingency()
    np.testing.assert_array_equal(c.hit, [np.diag(A), np.diag(B)])
    np.testing.assert_array_equal(c.support, [A.sum(axis=1), B.sum(axis=1)])
    np.testing.assert_array_equal(c.predicted, [A.sum(axis=0), B.sum(axis=0)])


def test_every_kind_of_matrix_counts_the_same() -> None:
    frames = {name: pd.DataFrame(m, index=NAMES, columns=NAMES) for name, m in (("a", A), ("b", B))}
    assert op.Counts.from_confusion(frames).labels == tuple(NAMES)
    for way in (frames, {"a": A.tolist(), "b": B.tolist()}, {"a": sparse.csr_array(A), "b": sparse.coo_array(B)}):
        assert op.Counts.from_confusion(way).same_cells(counts())


def test_it_says_why_it_is_not_paired() -> None:
    r = op.compare_confusion(A, B, average="macro", rope=0.01, rng=0)
    assert isinstance(r, op.Comparison)
    assert r.model == "unpaired"
    assert r.notes[0] == "The two systems are not paired: their counts do not show which items they share."
    with pytest.raises(ValueError, match="which the paired model cannot pair"):
        op.compare_confusion(A, B, average="macro", model="paired")


def test_names_labels_and_settings_are_passed_on() -> None:
    r = op.compare_confusion(A, B, names=("svm", "nb"), labels=NAMES, average="per_class", rope=0.01, rng=0)
    assert [row.class_ for row in r.all_rows()] == NAMES
    assert r.all_rows()[0].record()["a"] == "svm"
    with pytest.raises(ValueError, match="the two need names that differ"):
        op.compare_confusion(A, B, names=("m", "m"))


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (A[:2], {}, "classifier 'b' is 2 × 3; a confusion matrix is square, with a row and a column for each class"),
    (A[0], {}, "classifier 'b' is 3; a confusion matrix is square"),
    ([[1, 2], [3]], {}, "classifier 'b' must be a square table of numbers, with a row for each true class"),
    ([["1", "x"], ["2", "3"]], {}, "must be a square table of numbers"),
    (A / A.sum(), {}, "which is not a number of items; give counts, not shares or rates"),
    (A - 1, {}, "classifier 'b' holds -1; counts are finite and not negative"),
    (np.where(A == 9, np.nan, A), {}, "classifier 'b' holds nan; counts are finite and not negative"),
    (A * [[1], [0], [1]], {}, r"classifier 'b' has no items of class 1 \(its row is all 0\); merge the class with"),
    ([[3, 1, 0], [1, 3, 0], [0, 0, 0]], {}, "has no items of class 2 .* leave the class out of the matrix"),
    (A[:2, :2], {}, "classifier 'a' has 3 classes and classifier 'b' has 2; they must be the same"),
    (A, {"labels": ["x", "y"]}, "classifier 'a' has 3 classes but 2 labels"),
    (A, {"labels": ["x", "y", "x"]}, "has two classes of the same name"),
    (np.array([[7]]), {}, "classifier 'b' has a single class"),
    (pd.DataFrame(A, index=NAMES, columns=["x", "z", "y"]), {}, "the rows of classifier 'b' are called 'x', 'y'"),
    (pd.DataFrame(A, index=NAMES, columns=NAMES), {"labels": ["p", "q", "r"]}, "but labels= says 'p', 'q', 'r'"),
    (pd.DataFrame(A, index=["p", "q", "r"], columns=["p", "q", "r"]), {}, "bring both matrices into the same order"),
]  # fmt: skip


@pytest.mark.parametrize(("matrix", "settings", "sentence"), BAD)
def test_what_is_no_confusion_matrix_gets_one_sentence(matrix: Any, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.compare_confusion(A, matrix, average="macro", **settings)


def test_a_class_that_is_never_predicted_is_fine() -> None:
    never = np.array([[30, 5, 0], [4, 31, 0], [6, 5, 0]])
    r = op.compare_confusion(never, A, average="macro", rope=0.01, rng=0)
    assert isinstance(r, op.Comparison)
    assert r.a.observed == pytest.approx(np.mean([2 * 30 / (35 + 40), 2 * 31 / (35 + 41), 0]))


LAYOUTS = {
    "numbers alone": "30,3,2\n4,25,6\n0,2,9\n",
    "under a header": "x,y,z\n30,3,2\n4,25,6\n0,2,9\n",
    "names on both sides": "true,x,y,z\nx,30,3,2\ny,4,25,6\nz,0,2,9\n",
    "with tabs": "\tx\ty\tz\nx\t30\t3\t2\ny\t4\t25\t6\nz\t0\t2\t9\n",
    "numbered classes": "0,1,2\n30,3,2\n4,25,6\n0,2,9\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_of_any_layout(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(LAYOUTS[layout], encoding="utf-8")
    read = read_confusion([path])
    assert read.classifiers == ("a",)
    assert read.same_cells(op.Counts.from_confusion({"a": A}))
    assert read.labels == {"numbers alone": (0, 1, 2), "numbered classes": ("0", "1", "2")}.get(layout, tuple(NAMES))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,2\n3\n", r"a\.csv, line 2: 1 value where line 1 has 2"),
        ("true,x,y\nx,1,2\nz,3,4\n", "the rows are called 'x', 'z' and the columns 'x', 'y'"),
        ("1,2\n3,x\n", "line 2: 'x' is not a number of items"),
        ("1,2,3\n4,5,6\n", "is 2 × 3; a confusion matrix is square"),
        ("", "is empty"),
    ],
)
def test_bad_files_get_one_sentence_and_exit_code_2(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(main, ["compare", str(path), str(path), "--confusion", "--average", "macro"])
    assert result.exit_code == 2
    with pytest.raises(ValueError, match=sentence):
        read_confusion([path, path])


NAMED = ",cat,dog,owl\ncat,5,1,0\ndog,2,7,1\nowl,0,3,9\n"
TURNED = ",owl,cat,dog\nowl,9,0,3\ncat,0,5,1\ndog,1,2,7\n"


@pytest.mark.parametrize("labels", [None, ["dog", "owl", "cat"]])
def test_named_classes_may_be_in_another_order(tmp_path: Path, labels: list[str] | None) -> None:
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, text in zip(files, (NAMED, TURNED), strict=True):
        path.write_text(text, encoding="utf-8")
    counts = read_confusion(files, labels=labels)
    assert counts.labels == (("cat", "dog", "owl") if labels is None else tuple(labels))
    frame = pd.DataFrame([[5, 1, 0], [2, 7, 1], [0, 3, 9]], index=["cat", "dog", "owl"], columns=["cat", "dog", "owl"])
    same = frame.loc[list(counts.labels), list(counts.labels)].to_numpy()
    assert counts.same_cells(op.Counts.from_confusion({"a": same, "b": same}))
    files[1].write_text(TURNED.replace("owl", "emu"), encoding="utf-8")
    with pytest.raises(op.DataError, match=r"names the classes 'emu', 'cat', 'dog'"):
        read_confusion(files, labels=labels)


def test_the_command(tmp_path: Path) -> None:
    for name, matrix in (("a", A), ("b", B)):
        np.savetxt(tmp_path / f"{name}.csv", matrix, delimiter=",", fmt="%d")
    files = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    result = CliRunner().invoke(main, ["compare", *files, "--confusion", "--average", "macro", "--rope", "0.01"])
    assert result.exit_code == 0, result.output
    assert "The two systems are not paired" in result.output
    assert "macro f1" in result.output
    result = CliRunner().invoke(main, ["compare", *files, "--confusion", "--truth", "x"])
    assert result.exit_code == 2
    assert "give the files and --labels alone" in result.output
    assert CliRunner().invoke(main, ["estimate", files[0], "--confusion", "--measure", "mcc"]).exit_code == 0


def test_names_and_labels_are_plain_and_differ() -> None:
    r = op.compare_confusion(A, B, labels=np.arange(3), average="per_class", draws=100, rng=0)
    assert [type(row.class_) for row in r.all_rows()] == [int, int, int]
    with pytest.raises(ValueError, match="two classifiers have the same name"):
        op.Counts.from_confusion({1: A, "1": B})  # type: ignore[dict-item]


def test_what_two_confuse_differently_is_the_difference_of_their_matrices() -> None:
    """From predictions, from matrices, and from folds that test every item twice."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 6, 400)
    a, b = (np.where(rng.random(400) < share, rng.integers(0, 6, 400), truth) for share in (0.3, 0.5))
    first, second = confusion_matrix(truth, a), confusion_matrix(truth, b)
    given: dict[str, Any] = {"average": "macro", "rng": 0, "draws": 500}
    once = op.Counts.from_labels(truth, {"a": a, "b": b})
    halves = [op.Counts.from_labels(truth[k::2], {"a": a[k::2], "b": b[k::2]}) for k in range(2)]
    twice = op.Counts.by_fold({(r, k): halves[k] for r in range(2) for k in range(2)})
    results: list[Any] = [op.compare(once, **given), op.compare_confusion(first, second, **given)]
    results.append(op.compare(twice, model=op.CrossValidated(), **given))
    for r in results:
        found = r.confusions()
        size = [abs(pair.difference) for pair in found]
        assert size == sorted(size, reverse=True)
        apart = (first != second) & ~np.eye(6, dtype=bool)
        assert {(pair.truth, pair.predicted) for pair in found} == {*map(tuple, np.argwhere(apart).tolist())}
        for pair in found:
            assert (pair.a, pair.b) == (first[pair.truth, pair.predicted], second[pair.truth, pair.predicted])
    of_one = op.compare(once, pos_label=3, rng=0).confusions()
    assert {*of_one} == {pair for pair in results[0].confusions() if 3 in (pair.truth, pair.predicted)}


def test_errors_that_are_not_known_are_not_shown() -> None:
    """Two classes have no pairs to choose from, and matrices of other items cannot be subtracted."""
    two: Any = op.compare([1, 0] * 9, {"a": [1, 0] * 9, "b": [1] * 18}, rng=0, draws=500)
    other: Any = op.compare_confusion(A, 2 * B, average="macro", rng=0, draws=500)
    scores = op.compare_scores({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.1, 0.4]}, rng=0, draws=500)
    assert [r.confusions() for r in (two, other, scores)] == [(), (), ()]
