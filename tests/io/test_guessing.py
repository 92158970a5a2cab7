"""The roles of columns, by their names and values."""

from __future__ import annotations

from pathlib import Path

import pytest

from outperform.data.class_scores import by_class
from outperform.io import read_counts
from outperform.io.converting import conversion_of
from outperform.io.files import columns_of
from outperform.io.guessing import Guess, columns_in, guess
from outperform.io.indicators import of_one_label
from outperform.io.typed import with_points


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("doc_id,true,nb,svm", "{k},{x},{y},{x}", Guess("true", ("nb", "svm"), "doc_id", None, False)),
        ("svm,nb,Gold", "{x},{y},{x}", Guess("Gold", ("svm", "nb"), None, None, False)),
        ("a,b,c", "{x},{y},{y}", Guess("a", ("b", "c"), None, None, False, sure=False)),
        (",label,text,m1,m2", "{k},{x},word {k},{x},{y}", Guess("label", ("m1", "m2"), "", None, False)),
        ("y,split,a,b", "{x},test,{x},{y}", Guess("y", ("a", "b"), None, None, False)),
        ("y,p,q", "{x},0.{k},0.5{k}", Guess("y", ("p", "q"), None, None, True, "roc_auc")),
        ("y,a,b,n", "{x},{y},{x},{k}", Guess("y", ("a", "b"), None, "n", False)),
    ],
)
def test_guesses(header: str, row: str, expected: Guess) -> None:
    raw = "\n".join([header, *(row.format(k=k, x=k % 3, y=k % 5 % 3) for k in range(10, 40))])
    columns = columns_of(raw, "p.csv")
    assert guess(columns_in(columns), len(columns.lines)) == expected


@pytest.mark.parametrize(
    ("header", "truth", "predictions"),
    [
        ("true_cat,true_dog,a_cat,a_dog,b_cat,b_dog", "true_cat", ("a_cat", "b_cat")),
        ("cat true,dog true,cat a,dog a,cat b,dog b", "cat true", ("cat a", "cat b")),
        ("truth,pred_a,pred_b,pred_c,x_a,x_b", "truth", ("pred_a", "pred_b", "pred_c")),
    ],
)
def test_predictions_of_one_label(header: str, truth: str, predictions: tuple[str, ...]) -> None:
    rows = "\n".join(",".join(str((k * j) % 7 % 2) for j in range(1, 7)) for k in range(40))
    columns = columns_of(f"{header}\n{rows}", "p.csv")
    seen = columns_in(columns)
    guessed = of_one_label(seen, guess(seen, len(columns.lines)))
    assert (guessed.truth, guessed.predictions) == (truth, predictions)


@pytest.mark.parametrize(
    ("header", "sure"),
    [("price,pred_a,pred_b", True), ("size,price,pred_a,pred_b", False), ("price,model_a,model_b", False)],
)
def test_a_number_that_others_predict(header: str, sure: bool) -> None:
    names = header.split(",")
    rows = "\n".join(",".join(f"{100 + k + j / 10}" for j in range(1, len(names) + 1)) for k in range(40))
    columns = columns_of(f"{header}\n{rows}", "p.csv")
    guessed = guess(columns_in(columns), len(columns.lines))
    assert (guessed.truth, guessed.predictions, guessed.sure) == ("price", tuple(names[-2:]), sure)
    assert guessed.measure == "mae"


def test_scores_of_a_baseline_are_scores() -> None:
    rows = "\n".join(f"{10 + k / 3:.2f},{11 + k / 4:.2f},{12 + k / 5:.2f}" for k in range(40))
    columns = columns_of(f"baseline,model_a,model_b\n{rows}", "p.csv")
    guessed = guess(columns_in(columns), len(columns.lines))
    assert guessed.truth is None
    assert guessed.predictions == ("baseline", "model_a", "model_b")


def test_the_rarer_label_is_taken_for_positive() -> None:
    def positive(raw: str) -> str | None:
        return columns_in(columns_of(raw, "p.csv"))[0].positive

    assert positive("y\nham\nspam\nham\n") == "spam"
    assert positive("y\n0\n1\n0\n") is None  # goes without saying
    assert positive("y\na\nb\nc\n") is None


@pytest.mark.parametrize("digits", [400, 5000])
def test_whole_numbers_of_many_digits(digits: int, tmp_path: Path) -> None:
    long, path = "9" * digits, tmp_path / "p.csv"
    path.write_text(f"gold,a,b\n1,1,0\n{long},1,1\n0,0,1\n")
    column, *_ = columns_in(columns_of(path.read_text(), "p.csv"))
    assert column.labels == ("0", "1", long)
    assert not column.numbers
    assert read_counts(path, truth="gold", predictions=["a", "b"]).labels == ("0", "1", long)


def test_labels_in_lists_are_listed() -> None:
    raw = '{"y": ["b", "a"]}\n{"y": []}\n{"y": [10, 9, {"odd": 1}]}\n'
    (column,) = columns_in(columns_of(raw, "p.jsonl"))
    assert column.labels == ("10", "9", "a", "b", "{'odd': 1}")


@pytest.mark.parametrize(
    ("header", "row", "truth", "predictions"),
    [
        ("true_label,predicted_label,other_label", "{x},{y},{x}", "true_label", ("predicted_label", "other_label")),
        ("pred_a,pred_b,sentiment", "{x},{y},{x}", "sentiment", ("pred_a", "pred_b")),
        ("label,second_label,pred_a,pred_b", "{x},{y},{x},{y}", "label", ("pred_a", "pred_b")),
        ("cv_fold,yTrue,a,b", "{y},{x},{y},{x}", "yTrue", ("a", "b")),
        ("y,age,p_a,p_b", "{x},3{y}.5,0.{k},0.5{k}", "y", ("p_a", "p_b")),
        ("target,a,b", "1{x}.5,1{y}.5,1.{k}", "target", ("a", "b")),
        ("y,a,b", "{x}.0,{y}.0,{x}.0", "y", ("a", "b")),
    ],
)
def test_names_are_taken_at_their_word(header: str, row: str, truth: str, predictions: tuple[str, ...]) -> None:
    text = "\n".join([header, *(row.format(k=k, x=k % 3, y=k % 5 % 3) for k in range(10, 40))])
    found = guess(columns_in(columns_of(text, "p.csv")), 30)
    assert (found.truth, found.predictions, found.sure) == (truth, predictions, True)


@pytest.mark.parametrize("names", ["truth,a,b", "code,old_pred,new_pred"])
def test_many_classes_are_known_by_their_names_or_by_what_they_share(names: str) -> None:
    rows = [(k * 7919 % 1500, k * 7919 % 1500, (k * 7919 + k % 3) % 1500, f"text {k % 1700}") for k in range(2000)]
    text = "\n".join([f"{names},text", *(f"c{y},c{a},c{b},{words}" for y, a, b, words in rows)])
    found = guess(columns_in(columns_of(text, "p.csv")), 2000)
    assert (found.truth, *found.predictions) == tuple(names.split(","))
    assert found.sure


def test_the_separator_of_label_sets() -> None:
    sets = ["art|law", "art", "law", "law|sport", "sport", "art|law|sport", "art|sport"]
    text = "\n".join(["true_topics,a,b", *(f"{x},{y},{x}" for x, y in zip(sets * 3, sets[::-1] * 3, strict=True))])
    assert guess(columns_in(columns_of(text, "p.csv")), 21).separator == "|"


def test_clusters_and_repeated_ids() -> None:
    def cluster(ids: list[int]) -> str | None:
        rows = [f"u{k},{k % 3 / 7},{k % 5 / 7}" for k in ids]
        return guess(columns_in(columns_of("\n".join(["user,a,b", *rows]), "p.csv")), len(rows)).cluster

    assert cluster([k // 4 for k in range(80)]) == "user"
    assert cluster([k // 40 for k in range(80)]) is None  # too few
    assert cluster([*range(79), 5]) is None  # one is repeated


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("yes", "no", "yes"), "yes"),
        (("negative", "positive", "positive"), "positive"),
        (("Not spam", "Spam", "Spam"), "Spam"),
        (("non-toxic", "toxic", "toxic"), "toxic"),
        (("ham", "spam", "spam"), "spam"),
        (("OK", "defect", "defect"), "defect"),
        (("normal", "north", "north"), "normal"),
        (("True", "False"), None),
        (("1.0", "0.0"), None),
        (("a", "b", "c"), None),
    ],
)
def test_the_label_that_says_yes_is_positive(labels: tuple[str, ...], expected: str | None) -> None:
    (column,) = columns_in(columns_of("\n".join(["y", *labels]), "p.csv"))
    assert column.positive == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["0,5", "1"], ["0.5", "1"]),
        (["-1,25", "3,0e2"], ["-1.25", "3.0e2"]),
        (["1,234", "2,500"], ["1,234", "2,500"]),  # may be 1234
        (["0,123", "1,234"], ["0.123", "1.234"]),
        (["0,5", "x"], ["0,5", "x"]),
        ([0.5, None], [0.5, None]),
    ],
)
def test_decimal_commas(values: list[object], expected: list[object]) -> None:
    assert with_points(values) == expected


@pytest.mark.parametrize(
    "text",
    [
        "y;p;q\n1;0,5;0,6\n0;0,2;0,3\n0;0,1;0,4\n",
        ",label\n0,a\n1,b\n2,a\n",
        "text,y\nwell, a\noh, b\n",
        "sep=;\ny;a\n1;0\n0;0\n",
        "y,a\n0,1\n1,1,2\n1,0\n",
    ],
)
def test_a_header_is_no_title(text: str) -> None:
    found = conversion_of(text, "p.csv")
    assert found is None or "header" not in found.how


@pytest.mark.parametrize(
    ("names", "classes", "systems"),
    [
        ("prob_cat,prob_dog", "cat,dog", [["prob_cat", "prob_dog"]]),
        ("dog_prob,cat_prob", "cat,dog", [["dog_prob", "cat_prob"]]),
        ("P(y=cat),P(y=dog)", "cat,dog", [["P(y=cat)", "P(y=dog)"]]),
        ("Cat,Dog", "cat,dog", [["Cat", "Dog"]]),
        ("prob_spam,prob_not_spam", "not spam,spam", [["prob_spam", "prob_not_spam"]]),
        ("a_p_0,a_p_1,b_p_0,b_p_1", "0,1", [["a_p_0", "a_p_1"], ["b_p_0", "b_p_1"]]),
        ("a_a,a_b,b_a,b_b", "a,b", [["a_a", "a_b"], ["b_a", "b_b"]]),
        ("p_cat,p_dog,p_emu", "cat,dog", [["p_cat", "p_dog", "p_emu"]]),  # no emu was tested
        ("p_cat,q_dog", "cat,dog", []),
        ("p_cat,p_dog", "cat,dog,owl", []),
        ("p_cat", "cat", []),
        ("p_c,p_c++", "c,c++", []),
    ],
)
def test_columns_of_classes_are_of_one_system(names: str, classes: str, systems: list[list[str]]) -> None:
    assert [list(found.values()) for found in by_class(names.split(","), classes.split(","))] == systems


def test_two_numbered_columns_are_of_one_system_if_they_add_up_to_one() -> None:
    def predictions(second: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        rows = [f"{k % 2},0.{k},{second.format(rest=100 - k, k=99 - k // 2)}" for k in range(10, 40)]
        found = guess(columns_in(columns_of("\n".join(["y,m_0,m_1", *rows]), "p.csv")), 30)
        return found.predictions, found.aside

    assert predictions("0.{rest}") == (("m_1",), ("m_0",))
    gaps = "".join(
        f'{{"y": {k % 2}, "m_0": {p}, "m_1": {q}}}\n' for k, (p, q) in enumerate([("null", "null"), (0.25, 0.75)] * 9)
    )
    assert guess(columns_in(columns_of(gaps, "p.jsonl")), 18).aside == ("m_0",)
    assert predictions("0.{k}") == (("m_0", "m_1"), ())
