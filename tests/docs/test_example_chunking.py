"""The example of two tag sets, from a corpus to the Bayes test, on small corpora that are made here."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import outperform as op
from outperform.cli import main as command
from outperform.data.chunks import Chunk, encode
from outperform.io.confusion import read_totals
from outperform.reproduction import run as reproduce
from outperform.reproduction.chunking import ORG, Chunker, attributes, is_tagged
from outperform.reproduction.chunking import entities as read_entities
from tests.command import refused

FOLDER = Path(__file__).parent.parent.parent / "examples" / "chunking"
MODULES = ("paper", "tasks", "run")
NAMES = {"PER": ["Ann", "Ann Lee", "May"], "ORG": ["Acme", "Acme Steel Works", "May Lee"], "LOC": ["Rome", "New Rome"]}
WORDS = ["the", "a", "sees", "left", "for", "with", "May", "steel", "works"]
SEGMENTS = ["我", "我们", "喜欢", "音乐", "中华人民共和国", "北京", "大学", "北京大学", "的", "学生", "图书馆"]


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    """The modules of the example, which are gone afterwards: their names are common ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        try:
            yield SimpleNamespace(**{name: import_module(name) for name in MODULES})
        finally:
            for name in MODULES:
                sys.modules.pop(name, None)


def sentence(rng: np.random.Generator) -> str:
    """Words and entities, some of them next to each other and some ambiguous, in columns."""
    rows: list[tuple[str, str]] = []
    chunks: list[Chunk] = []
    for _ in range(rng.integers(2, 5)):
        rows += [(str(word), "W") for word in rng.choice(WORDS, rng.integers(0, 3))]
        kind = str(rng.choice(list(NAMES)))
        own = str(rng.choice(NAMES[kind])).split()
        chunks.append(Chunk(len(rows), len(rows) + len(own), kind))
        rows += [(word, "NNP") for word in own]
    tags = encode(chunks, len(rows), "IOB1")
    return "".join(f"{word} {part} X {tag}\n" for (word, part), tag in zip(rows, tags, strict=True)) + "\n"


def entities(path: Path) -> Path:
    rng = np.random.default_rng(1)
    path.write_bytes(gzip.compress("".join(sentence(rng) for _ in range(40)).encode()))
    return path


def segmented(path: Path) -> Path:
    rng = np.random.default_rng(2)
    lines = ["  ".join(f"{word}/n" for word in rng.choice(SEGMENTS, 6)) for _ in range(30)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


CORPORA = {"ner": entities, "org": entities, "cws": segmented}


@pytest.mark.parametrize("task", CORPORA)
def test_numbers_are_those_of_the_written_totals(
    task: str, example: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, file = CORPORA[task](tmp_path / "corpus.gz"), tmp_path / "totals.csv"
    answers = example.run.main([str(corpus), "--task", task, "--totals", str(file)])
    printed = capsys.readouterr().out
    counts = read_totals(str(file), system="tag_set")
    assert counts.classifiers == example.tasks.TASKS[task].tag_sets
    assert counts.folds == ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2))
    assert [answer.measure for answer in answers] == ["precision", "recall", "f1"]
    for answer in answers:
        again = op.bayes_test(counts, measure=answer.measure)
        h = answer.unpaired.hypotheses
        assert (h.p_h0, h.p_h1) == pytest.approx((again.hypotheses.p_h0, again.hypotheses.p_h1), abs=1e-9)
        assert np.array(answer.unpaired.intervals) == pytest.approx(np.array(again.intervals), abs=1e-9)
        (row,) = (line for line in printed.splitlines() if line.startswith(answer.measure))
        intervals = [f"[{100 * low:.2f}, {100 * high:.2f}]" for low, high in answer.unpaired.intervals]
        chances = [example.run.shown(p) for p in (h.p_h0, h.p_h1, answer.paired.hypotheses.p_h0)]
        expected = [*intervals, *chances[:2], f"accept {h.accept}", chances[2]]
        assert row.split() == " ".join([answer.measure, *expected]).split()
    result = CliRunner().invoke(command, ["bayes-test", str(file), "--system", "tag_set", "--measure", "recall"])
    assert result.exit_code == 0, result.output
    assert "H0: {1} is no better than {0}".format(*counts.classifiers) in result.output


def test_chances_are_never_shown_as_certain(example: Any) -> None:
    assert list(map(example.run.shown, (0, 0.0006, 0.25, 1))) == ["<0.001", "0.001", "0.250", ">0.999"]


def test_a_second_run_fits_nothing_anew(example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, cache = entities(tmp_path / "corpus.gz"), tmp_path / "cache"
    given = [str(corpus), "--task", "org", "--cache", str(cache)]
    first = example.run.main(given)
    assert len(list(cache.iterdir())) == 12

    def fit(*_: Any) -> None:
        raise AssertionError("fitted anew")

    monkeypatch.setattr(Chunker, "fit", fit)
    assert [answer.found for answer in example.run.main(given)] == [answer.found for answer in first]
    with pytest.raises(ValueError, match="fitted anew"):
        example.run.main([*given, "--seed", "1"])


@pytest.mark.parametrize(("scheme", "neutral"), [("IOB2", "IOB2"), ("IOBES", "IOB2"), ("BB2B3MES", "BMES")])
def test_chunkers_answer_in_the_neutral_scheme(scheme: str, neutral: str) -> None:
    tokens = [[(word,) for word in words.split()] for words in ("Ann Lee saw Rome", "saw New Rome in May", "saw May")]
    spans = [[(0, 2, "")], [(1, 5, "")], []]
    tags = [encode(own, len(words), neutral) for own, words in zip(spans, tokens, strict=True)]
    chunker = Chunker(scheme, neutral, c2=1e-4).fit(tokens, tags)
    assert chunker.predict(tokens) == tags


def test_attributes_are_ngrams_of_each_column_in_the_window() -> None:
    first, *_ = attributes([("EU", "NNP"), ("rejects", "VBZ"), ("it", "PRP"), (".", ".")])
    assert len(first) == len(set(first)) == 2 * (5 + 4 + 3)
    grams = [attribute.split(" ")[1:] for attribute in first]
    assert grams[:5] == [["_B-2"], ["_B-1"], ["EU"], ["rejects"], ["it"]]
    assert grams[12:17] == [["_B-2"], ["_B-1"], ["NNP"], ["VBZ"], ["PRP"]]
    assert ["EU", "rejects", "it"] in grams
    assert ["."] not in grams


def test_types_are_dropped_and_others_are_outside(tmp_path: Path) -> None:
    file = tmp_path / "corpus"
    file.write_text("EU NNP I-ORG\nUN NNP B-ORG\nRome NNP I-LOC\nsays VBZ O\n\nhe PRP O\n")
    everything = read_entities(str(file))
    assert everything.tags == [["B", "B", "B", "O"], ["O"]]
    assert everything.units == [{"ORG": 2, "LOC": 1}, {}]
    assert everything.sentences[0][0] == ("EU", "NNP")
    assert ORG.read(str(file), None).tags == [["B", "B", "O", "O"], ["O"]]
    assert read_entities(str(file), 1).chunks == 3


def test_words_are_read_with_and_without_tags(example: Any, tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("我们/r  喜欢/v 1/2/m /\n\n图书馆 的\n", encoding="utf-8")
    corpus = example.tasks.words(str(file))
    assert ["".join(c for (c,) in own) for own in corpus.sentences] == ["我们喜欢1/2/", "图书馆的"]
    assert [" ".join(tags) for tags in corpus.tags] == ["B E B E B M E S", "B M E S"]
    assert corpus.chunks == 6


def test_a_file_that_cannot_be_read_is_told(example: Any, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="cannot read"):
        example.run.main([str(tmp_path / "none"), "--task", "ner"])


PARTS = {"acl2019-table2": 12, "acl2019-table5": 9, "acl2019-figures1to3": 0}  # and how many of its cells are of ORG


def test_the_command_trains_on_a_raw_corpus_as_the_example_does(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, file, cache = entities(tmp_path / "corpus"), tmp_path / "totals.csv", str(tmp_path / "cache")
    example.run.main([str(corpus), "--task", "org", "--totals", str(file), "--seed", "3"])
    first = reproduce("acl2019-table5", 3, str(corpus), cache=cache)
    assert len(list(Path(cache).iterdir())) == 12

    def fit(*_: Any) -> None:
        raise AssertionError("fitted anew")

    monkeypatch.setattr(Chunker, "fit", fit)
    for name, cells in PARTS.items():
        ours, theirs = reproduce(name, 3, str(corpus), cache=cache), reproduce(name, 3, str(file))
        assert (ours.claims, ours.notes, len(ours.pictures)) == (theirs.claims, theirs.notes, len(theirs.pictures))
        pairs = [(a, b) for a, b in zip(ours.cells, theirs.cells, strict=True) if "org" in a.row or name[-1] == "5"]
        assert len(pairs) == cells
        for a, b in pairs:
            assert (a.row, a.column, a.printed) == (b.row, b.column, b.printed)
            assert a.computed == (b.computed if isinstance(b.computed, str) else pytest.approx(b.computed, abs=1e-9))
    assert first.cells == reproduce("acl2019-table5", 3, str(corpus), cache=cache).cells


def test_fits_are_kept_below_the_folder_of_the_user_and_a_stopped_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    given = ["reproduce", "acl2019-table5", "--corpus", str(entities(tmp_path / "corpus.gz"))]
    fit, fits = Chunker.fit, list[str]()

    def stopping(own: Chunker, *data: Any) -> Chunker:
        if len(fits) == 5:
            raise KeyboardInterrupt
        fits.append(own.scheme)
        return fit(own, *data)

    with monkeypatch.context() as patch:
        patch.setattr(Chunker, "fit", stopping)
        stopped = CliRunner().invoke(command, given)
    assert (stopped.exit_code, stopped.stdout) == (1, "")
    assert "Traceback" not in stopped.stderr
    assert len(list((tmp_path / "home" / "outperform" / op.__version__).iterdir())) == 5

    def counting(own: Chunker, *data: Any) -> Chunker:
        fits.append(own.scheme)
        return fit(own, *data)

    monkeypatch.setattr(Chunker, "fit", counting)
    again = CliRunner().invoke(command, given)
    assert again.exit_code in (0, 3), again.output  # a small corpus may decide otherwise than the paper
    assert "ACL'19 Table 5" in again.stdout
    assert sorted(fits) == ["IOB2"] * 6 + ["IOBES"] * 6


@pytest.mark.parametrize(
    ("text", "tagged"),
    [
        ("EU NNP I-NP I-ORG\n", True),
        ("-DOCSTART- -X- O O\n\nEU\tNNP\tO\r\n", True),
        ("\ufeffEU NNP B-ORG\n", True),
        ("task,tag_set,repetition,fold,gold,predicted,correct\norg,IOB2,1,1,3,2,1\n", False),
        ("task\ttag_set\tfold\tgold\tpredicted\tcorrect\n", False),
        ('{"task": "org", "tag_set": "IOB2"}\n', False),
        ("O\n", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_corpus_is_known_by_its_first_token(text: str, tagged: bool, packed: bool, tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert is_tagged(str(file)) == tagged


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Rome NNP I-LOC\nsays VBZ O\n", "has no entities of the type ORG; its types are 'LOC'"),
        ("EU I-ORG\nsays O\n", "has no parts of speech; give columns of the word, its part of speech and its tag"),
        ("EU NNP S-ORG\nsays VBZ O\n", "line 1: 'S-ORG' is not a tag of IOB1"),
        ("EU rejects it.\n", "; give the English training set of CoNLL 2003, one token per line, or totals by fold"),
        ("", "; give the English training set of CoNLL 2003, one token per line, or totals by fold"),
    ],
)
def test_other_files_are_refused_in_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "eng.train"
    file.write_text(text, encoding="utf-8")
    assert said in refused("reproduce", "acl2019-table5", "--corpus", str(file), "--cache", str(tmp_path / "fits"))
    assert not (tmp_path / "fits").exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    corpus = str(entities(tmp_path / "corpus.gz"))
    said = refused("reproduce", "acl2019-table5", "--corpus", corpus, "--cache", corpus)
    assert said.startswith("Error: cannot write the cache of fits (")
    assert said.endswith("; give another folder with --cache")


def test_what_is_not_installed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    corpus = str(entities(tmp_path / "corpus.gz"))
    said = refused("reproduce", "acl2019-table5", "--corpus", corpus, "--cache", str(tmp_path / "fits"))
    assert said == "Error: pycrfsuite is not installed; run: pip install 'outperform[crf]'"
