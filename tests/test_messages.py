"""Messages that diagnose: what was found, what was expected and what to try, on the command line and in Python alike.

Each diagnosis stands beside a near case that is right and must not be refused.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import outperform as op
from outperform.errors import DataError
from tests.command import refused, run

COLUMNS = ("-t", "y", "-p", "a", "b")
NAMED = ("-t", "gold", "-p", "svm", "nb")
ROWS = "1,1,0\n0,0,1\n1,1,1\n0,1,0\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, content: str | bytes) -> str:
    """A file, by its name."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def answered(*args: str) -> None:
    """The command answers and has nothing to say besides."""
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
        ("macro_f1", "f1"),
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


# Files that are no tables


def spreadsheet() -> bytes:
    """The beginnings of an .xlsx file."""
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


EXCEL = "is an Excel file, not text; save the sheet as CSV, or read it with pandas.read_excel and give the frame to "
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
        ("p.bin", b"\x93NUMPY\x01\0v\0", "is not text (it starts with b'\\x93NUM'); give CSV, TSV or JSON lines"),
    ],
)
def test_a_file_that_is_not_text(name: str, content: bytes, sentence: str) -> None:
    path = written(name, content)
    assert f"{name} {sentence}" in refused("compare", path, *COLUMNS)
    assert f"{name} {sentence}" in refused("compare", path, "--scores", "a", "b")
    assert f"{name} {sentence}" in refused("compare", path)
    with pytest.raises(DataError, match="not text"):
        op.read_counts(path, truth="y", predictions=["a"])


def test_text_that_begins_like_an_archive() -> None:
    answered("compare", written("p.csv", f"PK,a,b\n{ROWS}"), "-t", "PK", "-p", "a", "b")


HEADLESS = "seems to have no header: what is on its first line"


@pytest.mark.parametrize(
    "content",
    [ROWS, "d1,spam,ham,maybe\n" + "".join(f"d{k},ham,spam,ham\nd{k}0,spam,maybe,ham\n" for k in range(2, 9))],
)
def test_a_table_without_a_header(content: str) -> None:
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
    assert refused("compare", *paths).endswith(f"{sentence}expected; say --unit sentence")
    assert sentence in refused("compare", paths[0], *COLUMNS)
    answered("compare", *paths, "--unit", "sentence")
    with pytest.raises(DataError, match=r"expected; use op\.read_chunks"):
        op.read_counts(paths[0], truth="y", predictions=["a"])


def test_a_table_of_tags() -> None:
    path = written("tags.txt", "y\ta\tb\nO\tO\tO\nB-PER\tB-PER\tO\nO\tB-PER\tO\n")
    answered("compare", path, *COLUMNS, "--pos-label", "B-PER")
