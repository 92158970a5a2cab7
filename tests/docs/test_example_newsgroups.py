"""The example of four text classifiers, from raw posts to a report, on a small corpus that is made here."""

from __future__ import annotations

import codecs
import csv
import pickle
import tarfile
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_files
from sklearn.metrics import f1_score

from tests import command

ROOT = Path(__file__).parent.parent.parent
RUN: dict[str, Any] = run_path(str(ROOT / "examples" / "newsgroups" / "run.py"))
TOPICS = {"rec.autos": "engine wheel road", "sci.med": "doctor dose blood", "sci.space": "orbit moon rocket"}
COMMON = "the of and with for"
SIZES = {"train": 30, "test": 12}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Posts with a header, words of a topic among common ones, a quote and a signature, as an archive has them."""
    rng, folder = np.random.default_rng(5), tmp_path_factory.mktemp("news")
    for part, size in SIZES.items():
        for topic, words in TOPICS.items():
            home = folder / "20news" / f"20news-bydate-{part}" / topic
            home.mkdir(parents=True)
            for k in range(size):
                own = rng.choice([*words.split(), *COMMON.split() * 2], 9)
                text = f"From: x\nSubject: s\n\n> quoted\n{' '.join(own)}{' café' * (k % 2)}\n--\nsigned secret\n"
                (home / str(10_000 + k)).write_bytes(text.encode("latin-1"))
    return folder / "20news"


@pytest.fixture(scope="module")
def archive(corpus: Path) -> Path:
    path = corpus.parent / "20news-bydate.tar.gz"
    with tarfile.open(path, "w:gz") as file:
        file.add(corpus, "20news")
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The example with a few settings to search, which is quick."""
    for name, grid in (("nb_bern", (1e-14, 0.1)), ("nb_mult", (1e-3, 1.0)), ("svm_l1", (1.0, 4.0)), ("svm_l2", (2.0,))):
        own = RUN["CLASSIFIERS"][name]
        monkeypatch.setitem(RUN["CLASSIFIERS"], name, RUN["Candidate"](own.estimator, own.setting, grid, own.paper))
    return lambda *args: RUN["main"]([*map(str, args)])


def test_posts_are_read_without_headers_quotes_and_signatures(corpus: Path, archive: Path) -> None:
    train, test = RUN["read"](str(archive))
    assert RUN["read"](str(corpus)) == (train, test)
    assert (len(train.ids), len(test.ids)) == (90, 36)
    assert set(train.groups) == set(TOPICS)
    for name, text, group in zip(train.ids, train.texts, train.groups, strict=True):
        assert name.startswith(f"{group}/")
        assert ("café" in text) == (int(name[-1]) % 2 == 1)
        assert not any(word in text for word in ("Subject", "quoted", "secret"))
    assert train.ids != sorted(train.ids)


def test_posts_of_a_path_are_in_the_order_of_scikit_learns_fetcher(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folds of the search follow the order. The fetcher finds the posts in its cache, made as it makes it."""
    kept = {part: load_files(corpus / f"20news-bydate-{part}", encoding="latin1") for part in SIZES}
    (tmp_path / "20news-bydate_py3.pkz").write_bytes(codecs.encode(pickle.dumps(kept), "zlib_codec"))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    assert RUN["read"](None) == RUN["read"](str(corpus))


def test_vectors_are_counts_of_unit_length(corpus: Path) -> None:
    train, test = RUN["read"](str(corpus))
    x, z = RUN["vectors"](train, test)
    assert x.shape[1] == z.shape[1]
    np.testing.assert_allclose(x.multiply(x).sum(axis=1), 1)
    values = [np.unique(np.round(row.data / row.data.min(), 6)) for row in x[:20]]
    assert all((own % 1 == 0).all() for own in values)  # multiples of the rarest word, which TF-IDF would not leave


def test_from_posts_to_a_report(
    corpus: Path, run: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictions, report = tmp_path / "predictions.csv", tmp_path / "report.html"
    found = run(corpus, "--predictions", predictions, "--report", report)
    said = capsys.readouterr().out
    with predictions.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 36
    assert [row["doc_id"] for row in rows] == sorted(row["doc_id"] for row in rows)
    truth = [int(row["true"]) for row in rows]
    assert [sorted(TOPICS)[k] for k in truth] == [row["doc_id"].split("/")[0] for row in rows]
    for name, own in found.items():
        assert own.setting in RUN["CLASSIFIERS"][name].grid
        guesses = [int(row[name]) for row in rows]
        assert f"{f1_score(truth, guesses, average='macro'):.4f}" in said
        assert f1_score(truth, guesses, average="macro") > 0.6
    assert "nb_mult" in report.read_text(encoding="utf-8")
    assert said.count("Δmacro f1") == 3
    written = command.run("reproduce", "icdm2015-table2", "--corpus", str(predictions))
    assert written.exit_code == 3  # three groups are not twenty
    assert "8 cells" in written.stdout


def test_the_papers_settings(corpus: Path, run: Callable[..., Any]) -> None:
    found = run(corpus, "--papers-settings")
    assert {name: own.setting for name, own in found.items()} == {
        "nb_bern": 1e-14, "nb_mult": 1e-3, "svm_l1": 4.0, "svm_l2": 2.0
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nowhere", "there is no '.*nowhere'; give 20news-bydate.tar.gz or the folder that it holds"),
        ("empty", "empty has no 20news-bydate-train; give"),
        ("text.tar.gz", "text.tar.gz is no archive"),
    ],
)
def test_what_is_no_corpus(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.tar.gz").write_text("nothing", encoding="utf-8")
    with pytest.raises(SystemExit, match=said):
        RUN["main"]([str(tmp_path / name)])
