"""Messages that diagnose: what was found, what was expected and what to try, on the command line and in Python alike.

Each diagnosis stands beside a near case that is right and must not be refused.
"""

from __future__ import annotations

import ast
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import outperform as op
from outperform.base.errors import DataError
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

COLUMNS = ("-t", "y", "-p", "a", "b")
NAMED = ("-t", "gold", "-p", "svm", "nb")
ROWS = "1,1,0\n0,0,1\n1,1,1\n0,1,0\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, content: str | bytes) -> str:
    """Write a file and return its path."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def answered(*args: str) -> None:
    """Check that the command succeeds without a message."""
    result = run(*args)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""


# Names


@pytest.mark.parametrize(
    ("column", "meant"), [("SVM", "svm"), ("svn", "svm"), ("svm_l2", "svm"), ("glod", "gold"), ("NB ", "nb")]
)
def test_a_misspelt_column(column: str, meant: str) -> None:
    sentence = f"p.csv has no column {column!r}; did you mean {meant!r}? it has 'gold', 'svm', 'nb'"
    path = written("p.csv", f"gold,svm,nb\n{ROWS}")
    assert sentence in refused("compare", path, "-t", "gold", "-p", column, "nb")
    assert sentence in refused("compare", path, "--scores", column, "nb")
    with pytest.raises(DataError, match="did you mean"):
        op.read_counts(path, truth="gold", predictions=[column])
    with pytest.raises(ValueError, match=f"the frame has no column {column!r}; did you mean {meant!r}"):
        op.compare(pd.read_csv(path), truth="gold", predictions=[column, "nb"])


def test_names_that_look_the_same_are_told_apart_by_escapes() -> None:
    path = written("p.csv", "gold,cafe\u0301,nb\n" + ROWS.replace("1", "oui\u0301").replace("0", "non"))
    message = refused("compare", path, "-t", "gold", "-p", "café", "nb")
    assert r"p.csv has no column 'café'; did you mean 'cafe\u0301'? it has" in message
    message = refused("compare", path, "-t", "gold", "-p", "cafe\u0301", "nb", "--pos-label", "ou\u00ed")
    assert r"'ouí' is not a label; did you mean 'oui\u0301'? there are" in message
    two = written("q.csv", f"gold,cafe\u0301,café\n{ROWS}")
    message = refused("compare", two, "-t", "gold", "-p", "cafe\u0301", "café")
    assert r"two systems have names that look the same, 'cafe\u0301' and 'caf\xe9'; rename one" in message


def test_a_file_or_a_misspelt_word_in_place_of_a_command() -> None:
    path = written("p.csv", f"gold,svm,nb\n{ROWS}")
    assert f"outperform compare {path} --truth gold" in run(path).stderr
    assert "unknown command 'comapre'; did you mean 'compare'? known: bayes-test, compare, " in refused("comapre", path)


def test_decimal_commas() -> None:
    path = written("p.csv", "a;b\n" + "0,5;1\n" * 5)
    answered("compare", path, "--scores", "a", "b")
    path = written("p.csv", "a;b\n" + "1,234;1\n" * 5)  # may be 1234
    sentence = "p.csv, line 2: '1,234' in column 'a' is not a number; write decimals with a point, as in 0.5"
    assert sentence in refused("compare", path, "--scores", "a", "b")


def test_a_column_that_is_like_no_other() -> None:
    path = written("p.csv", f"gold,svm,nb\n{ROWS}")
    assert "p.csv has no column 'zebra'; it has 'gold', 'svm', 'nb'" in refused("compare", path, *NAMED[:3], "zebra")


def test_a_column_with_a_space_in_its_name() -> None:
    path = written("p.csv", "y, a, b\n1, 1, 0\n0, 0, 1\n")
    assert "has no column 'a'; did you mean ' a'?" in refused("compare", path, *COLUMNS)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("acc", "accuracy"),
        ("f1_score", "f1"),
        ("AUC", "roc_auc"),
        ("auroc", "roc_auc"),
        ("sensitivity", "recall"),
        ("PPV", "precision"),
        ("recal", "recall"),
        ("logloss", "log_loss"),
    ],
)
def test_a_misspelt_measure(name: str, meant: str) -> None:
    sentence = f"unknown measure {name!r}; did you mean {meant!r}? known: accuracy, "
    assert sentence in refused("compare", written("p.csv", f"gold,svm,nb\n{ROWS}"), *NAMED, "--measure", name)
    with pytest.raises(ValueError, match="did you mean"):
        op.compare([1, 0, 1], {"a": [1, 0, 1], "b": [1, 1, 1]}, measure=name)


@pytest.mark.parametrize("name", ["F1", "Accuracy", "MCC", "ROC_AUC"])
def test_a_measure_in_another_case_is_understood(name: str) -> None:
    path = written("p.csv", f"gold,svm,nb\n{ROWS}")
    assert run("compare", path, *NAMED, "-m", name).stdout == run("compare", path, *NAMED, "-m", name.lower()).stdout
    answered("compare", path, *NAMED, "-m", name)


# Files that are not tables


def spreadsheet() -> bytes:
    """Return the first bytes of an .xlsx file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>" * 50)
        archive.writestr("xl/workbook.xml", "<workbook/>" * 50)
    return packed.getvalue()


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("p.csv", f"y,a,b\n{ROWS}")
    return packed.getvalue()


EXCEL = "is an Excel file, not text; save the sheet as CSV"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("p.xlsx", spreadsheet(), EXCEL),
        ("p.csv", spreadsheet(), EXCEL),
        ("noname", spreadsheet(), EXCEL),
        ("p.xls", OLE, EXCEL),
        ("p.tsv", OLE, EXCEL),
        ("p.zip", archive(), "is a ZIP archive, not text; unpack it first"),
        ("p.csv", b"PAR1\x15\0", "is a Parquet file, not text; rename it so that its name ends in .parquet"),
        ("p.csv.xz", b"\xfd7zXZ\0\0", "is a compressed file, not text; unpack it first"),
        (
            "p.bin",
            b"\x93NUMPY\x01\0v\0",
            "is a file of NumPy, not text; read it in Python and give the arrays to op.com",
        ),
        (
            "p.csv",
            "\ufeffy,a,b\n".encode("utf-32-le") + ROWS.encode("utf-32-le"),
            "is text in UTF-32; save it in UTF-8",
        ),
        ("p.bin", b"\x89PNG\r\n\x1a\n\0\0", "is not text (it starts with b'\\x89PNG'); give CSV, TSV or JSON lines"),
        ("p.bin", b"\x7fELF\x01\0v\0", "is not text (it starts with b'\\x7fELF'); give CSV, TSV or JSON lines"),
    ],
)
def test_a_file_that_is_not_text(name: str, content: bytes, sentence: str) -> None:
    path = written(name, content)
    assert f"{name} {sentence}" in refused("compare", path, *COLUMNS)
    assert f"{name} {sentence}" in refused("compare", path, "--scores", "a", "b")
    assert f"{name} {sentence}" in refused("compare", path)
    with pytest.raises(DataError, match=re.escape(sentence)):
        op.read_counts(path, truth="y", predictions=["a"])


def test_a_nul_in_text_is_found_by_its_line() -> None:
    path = written("p.csv", f"y,a,b\n{ROWS}1,\0,1\n")
    assert "p.csv, line 6: a NUL byte; the file is damaged, or is not text" in refused("compare", path, *COLUMNS)


def test_text_that_begins_like_an_archive() -> None:
    answered("compare", written("p.csv", f"PK,a,b\n{ROWS}"), "-t", "PK", "-p", "a", "b")


HEADLESS = "seems to have no header: what is on its first line"


@pytest.mark.parametrize(
    "content",
    [ROWS, "d1,spam,ham,maybe\n" + "".join(f"d{k},ham,spam,ham\nd{k}0,spam,maybe,ham\n" for k in range(2, 9))],
)
@pytest.mark.parametrize("large", [2**60, -1], ids=["rows", "engine"])
def test_a_table_without_a_header(content: str, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outperform.io.counts.LARGE", large)
    path = written("p.csv", content)
    message = refused("compare", path, *NAMED)
    assert f"p.csv {HEADLESS}" in message
    assert "as with: (echo gold,svm,nb; cat p.csv) > named.csv" in message
    assert HEADLESS in refused("compare", path, "--scores", "svm", "nb")
    with pytest.raises(DataError, match=HEADLESS):
        op.read_counts(path, truth="gold", predictions=["svm"])


def test_a_header_whose_names_are_values_here_and_there() -> None:
    path = written("p.csv", "doc,text,spam,nb\nd1,x,spam,ham\nd2,y,ham,spam\n")
    assert "p.csv has no column 'gold'; it has 'doc', 'text', 'spam', 'nb'" in refused("compare", path, *NAMED)
    answered(
        "compare", path, "-t", "spam", "-p", "nb", "text", "--labels", *["spam", "ham", "x", "y"], "--pos-label", "spam"
    )


TAGGED = "EU NNP B-ORG\nrejects VBZ O\n, , O\nGerman JJ B-MISC\n\nPeter NNP B-PER\nBlackburn NNP I-PER\n\n"


@pytest.mark.parametrize("content", [TAGGED, TAGGED.replace(" ", "\t"), f"-DOCSTART- -X- O\n\n{TAGGED}", TAGGED * 200])
def test_a_conll_file_by_another_name(content: str) -> None:
    paths = [written(f"{name}.txt", content) for name in ("gold", "a", "b")]
    sentence = "gold.txt is a CoNLL file, with a token and its tags on each line ('EU NNP B-ORG'), where a table is "
    assert "the bootstrap model takes no prior" in refused("sensitivity", *paths)
    assert f"{sentence}expected; say --unit sentence" in refused("compare", paths[0], *COLUMNS)
    answered("compare", *paths, "--unit", "sentence")
    with pytest.raises(DataError, match=r"expected; use op\.read_chunks"):
        op.read_counts(paths[0], truth="y", predictions=["a"])


def test_a_table_of_tags() -> None:
    path = written("tags.txt", "y\ta\tb\nO\tO\tO\nB-PER\tB-PER\tO\nO\tB-PER\tO\n")
    answered("compare", path, *COLUMNS, "--pos-label", "B-PER")


# Labels


def table(*rows: str, name: str = "p.csv") -> str:
    """Write a file with each item five times."""
    return written(name, "y,a,b\n" + "".join(f"{row}\n" for row in rows) * 5)


DECLARE = "or list every class with --labels if both are meant"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (["spam,Spam,spam", "ham,ham,ham"], "it differs from 'spam' only in case: write both alike, "),
        (["spam,spam ,spam", "ham,ham,ham"], "it differs from 'spam' only in spaces: write both alike, "),
        (["spam, Spam,spam", "ham,ham,ham"], "it differs from 'spam' only in case and spaces: write both alike, "),
        (["1,True,1", "0,False,0"], "it differs from '0' only in how it is written: write both alike, "),
        (["01,1,01", "02,2,02"], "it differs from '01' only in how it is written: write both alike, "),
        (
            ["spam,spam,spam", "Spam,spam,ham", "ham,ham,ham"],
            "the truth has 'Spam', 'spam', which differ only in case; ",
        ),
        (
            ["ham,ham,ham", "ham ,ham,spam", "spam,spam,ham"],
            "the truth has 'ham', 'ham ', which differ only in spaces; ",
        ),
        (
            ["café,cafe\u0301,café", "ham,ham,ham"],
            r"it differs from 'café' only in Unicode form ('cafe\u0301' and 'caf\xe9'): write both alike, ",
        ),
        (
            ["café,café,café", "cafe\u0301,cafe\u0301,ham", "ham,ham,ham"],
            r"which differ only in Unicode form ('cafe\u0301' and 'caf\xe9'); ",
        ),
        (["ham,ham\u200b,ham", "spam,spam,ham"], r"only in Unicode form ('ham\u200b' and 'ham'): write both alike, "),
    ],
)
def test_labels_that_are_spelt_in_two_ways(rows: list[str], sentence: str) -> None:
    message = refused("compare", table(*rows), *COLUMNS, "--average", "macro")
    assert sentence in message
    assert message.endswith(DECLARE)
    columns = zip(*(row.split(",") for row in rows), strict=True)
    truth, a, b = ([*column] * 5 for column in columns)
    with pytest.raises(ValueError, match="or list every class with labels= if both are meant"):
        op.compare(truth, {"a": a, "b": b}, average="macro")


@pytest.mark.parametrize(
    ("truth", "predicted", "sentence"),
    [
        ([1, 0], ["1", "0"], r"it differs from 0 only in type \(text and a number\): write both alike"),
        (["1", "0"], [1, 0], r"it differs from '0' only in type \(a number and text\): write both alike"),
        (["true", "false"], [True, False], r"it differs from 'false' only in type \(a truth value and text\)"),
        ([1, "1"], [1, 1], r"the truth has 1, '1', which differ only in type \(a number and text\)"),
    ],
)
def test_labels_that_differ_in_type(truth: list[object], predicted: list[object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.compare(truth * 4, {"a": predicted * 4, "b": truth * 4}, average="macro")
    frame = pd.DataFrame({"y": truth * 4, "a": predicted * 4})
    with pytest.raises(ValueError, match=sentence):
        op.estimate(frame, truth="y", predictions="a", average="macro")
    rows = "".join(json.dumps({"y": y, "a": a, "b": y}) + "\n" for y, a in zip(truth, predicted, strict=True))
    assert "only in type" in refused("compare", written("p.jsonl", rows * 4), *COLUMNS, "--average", "macro")


def test_labels_that_are_bytes() -> None:
    rows: dict[str, Any] = {"y": [b"no", b"yes"] * 4, "a": [b"no", b"yes"] * 4, "b": [b"no"] * 8}
    with pytest.raises(ValueError, match=r"it differs from b'no' only in type \(text and bytes\): write both alike"):
        op.compare(rows["y"], {"a": ["no", "yes"] * 4, "b": rows["b"]}, pos_label=b"yes")
    pd.DataFrame(rows).to_parquet("p.parquet")
    answered("compare", "p.parquet", *COLUMNS, "--pos-label", "yes")


def test_labels_that_are_equal_whatever_their_type() -> None:
    once = op.compare([1, 0, 1, 0] * 4, {"a": [1, 0, 0, 0] * 4, "b": [1, 1, 1, 0] * 4}, rng=0)
    as_truths = {"a": [True, False, False, False] * 4, "b": [1.0, 1.0, 1.0, 0.0] * 4}
    assert op.compare([1, 0, 1, 0] * 4, as_truths, rng=0) == once
    answered("compare", table("1,1.0,1", "0,0.0,0", "1,0.0,1"), *COLUMNS)
    answered("compare", table("1.0,1.0,1.0", "0.0,0.0,0.0", "1.0,0.0,0.0"), *COLUMNS)


def test_classes_that_differ_in_case_and_are_declared() -> None:
    path = table("us,us,US", "US,US,US", "us,US,us")
    assert "differ only in case" in refused("compare", path, *COLUMNS, "--average", "macro")
    answered("compare", path, *COLUMNS, "--average", "macro", "--labels", "us", "US")
    op.compare(["us", "US"] * 5, {"a": ["us"] * 10, "b": ["US"] * 10}, average="macro", labels=["us", "US"], rng=0)


@pytest.mark.parametrize(
    ("truth", "predicted", "sentence"),
    [
        ([["us", "uk"], ["us"]], [["US"], ["us"]], "'US' differs from 'us' only in case: write both alike, or list "),
        ([["us", "uk"], ["us"]], [["us "], ["us"]], "'us ' differs from 'us' only in spaces: write both alike, or "),
        ([["us", "UK"], ["uk"]], [["us"], ["uk"]], "the truth has 'UK', 'uk', which differ only in case; write them "),
        ([["us", "us "], ["uk"]], [["us"], ["uk"]], "the truth has 'us', 'us ', which differ only in spaces; write "),
        ([[1, 2], ["1"]], [[1], ["1"]], "the truth has 1, '1', which differ only in type (a number and text); "),
        ([[1, 2], [1]], [["1"], [1]], "'1' differs from 1 only in type (text and a number): write both alike, or "),
    ],
)
def test_labels_within_sets_that_are_spelt_in_two_ways(
    truth: list[list[object]], predicted: list[list[object]], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        op.Counts.from_label_sets(as_sets(truth), {"a": as_sets(predicted)})
    rows = "".join(json.dumps({"y": y, "a": a, "b": y}) + "\n" for y, a in zip(truth, predicted, strict=True))
    path = written("p.jsonl", rows * 4)
    assert sentence in refused("compare", path, *COLUMNS, "--average", "macro")
    seen = {label for row in (*truth, *predicted) for label in row}
    op.Counts.from_label_sets(as_sets(truth), {"a": as_sets(predicted)}, labels=seen)  # declared, so accepted


def as_sets(rows: list[list[object]]) -> list[set[object]]:
    return [set(row) for row in rows]


def test_labels_between_separators_that_are_spelt_in_two_ways() -> None:
    asked = (*COLUMNS, "--separator", ";", "--average", "macro")
    path = table("us;UK,us,us; UK", "uk,us;uk,uk", "us,us,us")  # spaces beside a separator are no part of a label
    assert "the truth has 'UK', 'uk', which differ only in case; write them alike, " in refused("compare", path, *asked)
    answered("compare", path, *asked, "--labels", "us", "uk", "UK")
    answered("compare", table("us;UK,us,us; UK", "UK,us;UK,UK", "us,,us"), *asked)


def test_a_label_or_positive_class_that_is_nearly_one() -> None:
    path = table("spam,spam,spam", "ham,ham,ham")
    assert "--pos-label 'Spam' is not a label; did you mean 'spam'?" in refused(
        "compare", path, *COLUMNS, "--pos-label", "Spam"
    )
    sentence = "truth holds 'spam', which is not among the labels 'Spam', 'Ham'; it differs from 'Spam' only in case"
    assert sentence in refused("compare", path, *COLUMNS, "--labels", "Spam", "Ham", "--pos-label", "Spam")


def test_test_sets_whose_classes_are_spelt_in_two_ways() -> None:
    paths = [written(f"{k}.csv", f"y,p\n{k},{k}\n{k}2,{k}2\n") for k in ("x", "X")]
    message = refused("compare", *paths, "-t", "y", "-p", "p", "--model", "unpaired", "--average", "macro")
    assert message.endswith("'X' differs from 'x' only in case: write both alike, or list all of them with --labels")
    other = written("z.csv", "y,p\nz,z\nz2,z2\n")
    message = refused("compare", paths[0], other, "-t", "y", "-p", "p", "--model", "unpaired", "--average", "macro")
    assert message.endswith("have different classes ('x', 'x2' against 'z', 'z2'); list all of them with --labels")


SCORES = "if they are probabilities or scores, use --measure roc_auc, or turn them into labels, as in p >= 0.5"


@pytest.mark.parametrize("classes", [("1", "0"), ("spam", "ham")])
def test_probabilities_where_labels_are_expected(classes: tuple[str, str]) -> None:
    rows = [f"{classes[k % 2]},0.{k}7,0.{9 - k}3" for k in range(10)]
    path = table(*rows)
    assert refused("compare", path, *COLUMNS, "--pos-label", classes[0]).endswith(SCORES)
    answered("compare", path, *COLUMNS, "--pos-label", classes[0], "--measure", "roc_auc")
    truth, a = [row.split(",")[0] for row in rows], [float(row.split(",")[1]) for row in rows]
    with pytest.raises(
        ValueError, match=r'holds numbers such as 0\.07 .* use measure="roc_auc", or turn them into labels'
    ):
        op.compare(truth, {"a": a, "b": a}, pos_label=classes[0])
    with pytest.raises(ValueError, match=r'has shape \(10, 2\); give one label per item; .* use measure="roc_auc"'):
        op.compare(truth, {"a": np.array([a, a]).T, "b": np.array([a, a]).T}, pos_label=classes[0])


def test_numbers_that_are_predicted() -> None:
    path = table("1.5,1.25,1.75", "0.25,0.5,0.75", "-2.5,-2.25,-3.5")
    assert "truth holds numbers such as 1.5 where labels are expected; if numbers are predicted, use --measure mae" in (
        refused("compare", path, *COLUMNS)
    )
    answered("compare", path, *COLUMNS, "--measure", "mae")
    answered("compare", path, "--scores", "a", "b")


MISSING = "has no label in 5 of 15 rows (empty, NaN, NA, null or None); leave such rows out with --drop-missing, "


@pytest.mark.parametrize("text", ["NaN", "nan", "NA", "N/A", "null", "None", " "])
@pytest.mark.parametrize("column", [0, 1])
def test_a_missing_label_is_the_same_everywhere(text: str, column: int) -> None:
    gap = ["spam", "ham", "ham"]
    gap[column] = text
    rows = ["spam,spam,ham", "ham,ham,ham", ",".join(gap)]
    path, whole = table(*rows), table(*rows[:2], name="whole.csv")
    message = refused("compare", path, *COLUMNS, "--pos-label", "spam")
    assert MISSING in message
    assert message.endswith("or list every class with --labels if one of these is a class")
    dropped = op.read_counts(path, truth="y", predictions=["a", "b"], missing="drop")
    assert dropped.left_out == 5
    assert dropped.same_cells(op.read_counts(whole, truth="y", predictions=["a", "b"]))
    frame = pd.read_csv(path, keep_default_na=False)
    assert op.Counts.from_frame(frame, truth="y", predictions=["a", "b"], missing="drop").same_cells(dropped)
    jsonl = written("p.jsonl", frame.to_json(orient="records", lines=True))
    assert op.read_counts(jsonl, truth="y", predictions=["a", "b"], missing="drop").same_cells(dropped)
    sentence = 'leave such rows out with missing="drop" of op.Counts.from_frame or op.read_counts, give them a label'
    with pytest.raises(ValueError, match=sentence):  # it has no missing= itself
        op.compare(frame, truth="y", predictions=["a", "b"], pos_label="spam")
    with pytest.raises(ValueError, match="reads as a missing label"):
        op.compare(frame["y"].tolist(), {name: frame[name].tolist() for name in "ab"}, pos_label="spam")


def test_an_empty_cell_names_the_option_and_the_line() -> None:
    path = table("spam,spam,ham", "ham,ham,ham", "spam,,ham")
    sentence = "p.csv, line 4: no value in column 'a'; leave such rows out with --drop-missing, "
    assert sentence in refused("compare", path, *COLUMNS, "--pos-label", "spam")
    answered("compare", path, *COLUMNS, "--pos-label", "spam", "--drop-missing")
    message = refused("compare", path, "-t", "y", "-p", "a", "b", "--measure", "mae")
    assert "no value in column 'a'" in message
    assert "--drop-missing" not in message  # items that are resampled do not take it


def test_numbers_stay_numbers_beside_a_gap() -> None:
    answered("compare", table("1,1,0", "0,0,0", "1,NA,1"), *COLUMNS, "--drop-missing")


def test_classes_that_are_called_like_gaps() -> None:
    path = table("NA,NA,EU", "EU,EU,EU", "None,NA,None")
    assert "leave such rows out with --drop-missing" in refused("compare", path, *COLUMNS, "--average", "macro")
    declared = ("--average", "macro", "--labels", "NA", "EU", "None")
    answered("compare", path, *COLUMNS, *declared)
    counts = op.read_counts(path, truth="y", predictions=["a", "b"], labels=["NA", "EU", "None"], missing="drop")
    assert counts.left_out == 0
    answered(
        "compare", table("none,none,favor", "favor,favor,favor", "none,favor,none"), *COLUMNS, "--pos-label", "none"
    )
    lists = op.compare(
        ["NA", "EU"] * 5, {"a": ["NA"] * 10, "b": ["EU"] * 10}, labels=["NA", "EU"], average="macro", rng=0
    )
    assert lists.items == 10


def test_slices_may_be_called_like_gaps() -> None:
    path = written("p.csv", "y,a,b,region\n" + "1,1,0,NA\n0,0,0,NA\n1,1,1,EU\n0,1,0,EU\n" * 5)
    counts = op.read_counts(path, truth="y", predictions=["a", "b"], by="region")
    assert counts.slices == ("EU", "NA")


COMBINED = ["art", "art;law", "art;sport", "law", "law;sport", "art;law;sport", "sport"]


@pytest.mark.parametrize("sign", [";", "|", ", "])
def test_label_sets_without_a_separator(sign: str) -> None:
    classes = [label.replace(";", sign) for label in COMBINED]
    rows = [json.dumps({"y": y, "a": a, "b": y}) for y, a in zip(classes, classes[1:] + classes[:1], strict=True)]
    path = written("p.jsonl", "\n".join(rows * 3) + "\n")
    sentence = f"if these are sets of labels, split them with --separator {sign.strip()!r}, or list every class with "
    assert sentence in refused("compare", path, *COLUMNS, "--average", "macro")
    answered("compare", path, *COLUMNS, "--average", "macro", "--separator", sign.strip())
    answered("compare", path, *COLUMNS, "--average", "macro", "--labels", *classes)
    with pytest.raises(ValueError, match="if these are sets of labels, split them with separator="):
        op.compare(classes * 3, {"a": classes * 3, "b": classes * 3}, average="macro")


@pytest.mark.parametrize(
    "classes",
    [
        ["a;b", "c"],
        ["sport|tennis", "sport|golf", "art|film", "art|music", "sport", "art"],  # paths
        ["red;small", "red;large", "blue;small", "blue;large", "green;small", "green;large"],  # pairs
        ["good", "very good", "bad", "very bad", "not good", "not bad"],  # words
        ["Washington, DC", "Portland, OR", "Portland, ME", "Boston", "Austin, TX"],
        ["1;2", "x", "y", "z", "w"],
    ],
)
def test_classes_with_signs_in_their_names(classes: list[str]) -> None:
    truth = classes * 5
    op.compare(truth, {"a": truth[::-1], "b": truth}, average="macro", rng=0, draws=50)


# Logs of lm-eval


def samples(**metrics: object) -> list[str]:
    """Write logs of two systems, whose metrics are functions of the document's number, or constant."""
    values = [
        {name: value(k) if callable(value) else value for name, value in metrics.items()} | {"doc_id": k, "doc": {}}
        for k in range(20)
    ]
    lines = "".join(json.dumps(row | {"filter": "none", "target": "x"}) + "\n" for row in values)
    return [written(f"{name}/samples_task_{TIME}.jsonl", lines) for name in "ab"]


TIME = "2026-01-01T00-00-00.000000"
LOGS = ("--from", "lm-eval")


@pytest.mark.parametrize("indent", [None, 2])
def test_results_in_place_of_samples(indent: int | None) -> None:
    text = json.dumps({"results": {"task": {"acc,none": 0.5}}, "configs": {}, "model_name": "m"}, indent=indent)
    paths = [written(f"{name}/results_{TIME}.json", text) for name in "ab"]
    sentence = (
        f"{paths[0]} holds the results of lm-eval, a score per task, where scores per item are expected; give the "
    )
    remedy = "samples_*.jsonl of the same run, which lm_eval writes with --log_samples, with --from lm-eval"
    for args in ((*paths, *LOGS), paths, (paths[0], *COLUMNS)):
        assert refused("compare", *args).endswith(sentence + remedy)
    with pytest.raises(DataError, match=r"writes with --log_samples, to op\.read_scores"):
        op.read_scores(paths)


def test_samples_without_saying_so() -> None:
    paths = samples(acc=lambda k: k % 2, resps=[["x"]])
    assert refused("estimate", *paths).endswith(f"{paths[0]} is a log of lm-eval, with samples; say --from lm-eval")
    answered("compare", *paths, "--from", "lm-eval", "--metric", "acc")


def test_a_table_with_a_column_called_results() -> None:
    answered(
        "compare",
        written("p.txt", '{"results": 1, "a": 1, "b": 0}\n{"results": 0, "a": 0, "b": 0}\n' * 5),
        "-t",
        "results",
        "-p",
        "a",
        "b",
    )


CORPUS = "is computed from all documents together, and the mean over documents is another number; "


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bleu", ["a", "b"]),
        ("ter", ["a", "b"]),
        ("word_perplexity", [-12.5, 7]),
        ("perplexity", lambda k: -1.5 * k),
        ("chrf", lambda k: k / 20),
        ("mcc", [0, 1]),
    ],
)
def test_a_metric_of_the_corpus(name: str, value: object) -> None:
    both = samples(acc=lambda k: k % 2, **{name: value})
    sentence = f"'{name}' {CORPUS}choose another with --metric: 'acc'"
    assert refused("compare", *both, *LOGS, "--metric", name).endswith(sentence)
    assert "acc" in run("compare", *both, *LOGS).stdout
    assert f"'{name}' {CORPUS}score the documents by another metric" in refused(
        "compare", *samples(**{name: value}), *LOGS
    )
    with pytest.raises(DataError, match=r"choose another with metric=: 'acc'"):
        op.read_scores(samples(acc=1, **{name: value}), metric=name)


def test_a_metric_that_is_the_mean_over_documents() -> None:
    paths = samples(bleu=lambda k: k / 19, bleu_max=1.0)
    for name in "ab":
        written(f"{name}/results_{TIME}.json", json.dumps({"results": {"task": {"bleu,none": 0.5}}}))
    answered("compare", *paths, *LOGS, "--metric", "bleu")
    answered("compare", *paths, *LOGS, "--metric", "bleu_max")


@pytest.mark.parametrize("scores", [{"metrics": ["bypass"], "bypass": None}, {"bypass": 999}, {"metrics": []}, {}])
def test_answers_without_scores(scores: dict[str, object]) -> None:
    sentence = (
        "has answers and no scores, as lm_eval writes them with --predict_only (metric 'bypass'); run lm_eval again "
    )
    for options in ((), ("--metric", "acc"), ("--metric", "bypass")):
        assert sentence in refused("compare", *samples(**scores), *LOGS, *options)
    with pytest.raises(DataError, match="without --predict_only"):
        op.read_scores(samples(**scores))


# Words


NAMED_ARGUMENT = re.compile(r"\b(?:pos_label|labels|average|rope|fdr|measure|model|id|task|metric|separator|types)=")
SOURCE = Path(op.__file__).parent


@pytest.mark.parametrize(
    "folder", ["data", "exact", "inference", "io", "models", "measures", "planning", "verbs", "verdicts"]
)
def test_messages_name_arguments_by_placeholders(folder: str) -> None:
    """Arguments are placeholders, so that the command and the page can use their own names."""
    for path in (SOURCE / folder).rglob("*.py"):
        raised = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Raise)]
        texts = [part.value for node in raised for part in ast.walk(node) if isinstance(part, ast.Constant)]
        named = [text for text in texts if isinstance(text, str) and NAMED_ARGUMENT.search(text)]
        known = ("functools.partial", "op.f_beta", "{where:task=ner}")
        assert [text for text in named if not any(word in text for word in known)] == [], path
