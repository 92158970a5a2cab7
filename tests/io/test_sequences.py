"""CoNLL column files, and what is wrong with them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from outperform.base.errors import DataError
from outperform.data.chunks import SCHEMES
from outperform.io.sequences import Sequences, check_tags, read_chunks, read_conll, same_sentences
from tests.command import refused, run

GOLD = """\
-DOCSTART- -X- -X- O

EU NNP B-ORG B-ORG
rejects VBZ O O

Peter NNP B-PER O
Blackburn NNP I-PER B-PER

-DOCSTART- -X- -X- O

1996 CD O O
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def write(content: str | bytes, name: str = "gold.conll") -> str:
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return write


EXPECTED = Sequences(
    "gold.conll",
    tokens=[["EU", "rejects"], ["Peter", "Blackburn"], ["1996"]],
    tags=[["B-ORG", "O"], ["O", "B-PER"], ["O"]],
    lines=[3, 6, 11],
    documents=[0, 0, 1],
)


@pytest.mark.parametrize(
    "content",
    [
        GOLD,
        GOLD.rstrip("\n"),
        GOLD + "\n\n",
        GOLD.replace(" ", "\t"),
        GOLD.replace(" ", "  \t"),
        GOLD.replace("\n", " \r\n"),
        gzip.compress(GOLD.encode()),
        b"\xef\xbb\xbf" + GOLD.encode(),
        GOLD.encode("utf-16"),
    ],
)
def test_every_way_of_writing_reads_the_same(write: Any, content: str | bytes) -> None:
    assert read_conll(write(content)) == EXPECTED
    assert read_conll(Path(write(content)), 3) == EXPECTED


def test_any_column_of_tags(write: Any) -> None:
    path = write(GOLD)
    assert read_conll(path, -2).tags == read_conll(path, column=2).tags == [["B-ORG", "O"], ["B-PER", "I-PER"], ["O"]]
    assert read_conll(path, 1).tags == read_conll(path, -3).tags == [["NNP", "VBZ"], ["NNP", "NNP"], ["CD"]]


def test_sentences_and_documents(write: Any) -> None:
    found = read_conll(write("\n\na O\n-DOCSTART- O\n-DOCSTART- O\nb O\nc O\n\n\nd O\n-DOCSTART- O\ne O"))
    assert found.tokens == [["a"], ["b", "c"], ["d"], ["e"]]
    assert found.lines == [3, 6, 10, 12]
    assert found.documents == [0, 1, 1, 2]
    assert read_conll(write("a O\n\nb O\n")).documents == [0, 0]


def test_only_spaces_and_tabs_separate_columns(write: Any) -> None:
    tokens = ["10\u00a0000", "\u3000", "a\u2028b", "c\x0bd"]
    found = read_conll(write("".join(f"{token}\tO\n" for token in tokens)))
    assert found.tokens == [tokens]


@pytest.mark.parametrize(
    ("content", "column", "sentence"),
    [
        (
            "a b c O\n\na b c O\na b c O\n\nx y c O\na b O\n",
            -1,
            "^gold.conll, line 7: 3 columns where line 1 has 4; every token needs the same columns, and a blank line",
        ),
        ("-DOCSTART-\n\na O\nb\n", -1, "^gold.conll, line 4: 1 column where line 3 has 2; "),
        ("\na\nb\n", -1, "^gold.conll, line 2: a single column; a token and its tag are expected, with a space or tab"),
        (
            GOLD,
            4,
            "^gold.conll, line 3: 4 columns, so that there is no column 4; name one from 1 to 3, or from -1 to -3",
        ),
        (GOLD, -5, "^gold.conll, line 3: 4 columns, so that there is no column -5; "),
        (GOLD, 0, "^gold.conll, line 3: column 0 holds the tokens; name a column of tags, from 1 to 3$"),
        (GOLD, -4, "^gold.conll, line 3: column -4 holds the tokens"),
        ("-DOCSTART- O\n\n", -1, "^gold.conll has no sentences; one token a line is expected, with its tag beside it$"),
        ("\n \n", -1, "^gold.conll is empty"),
        (b"\x00\x01", -1, "^gold.conll is not text"),
    ],
)
def test_bad_files_get_one_sentence(write: Any, content: str | bytes, column: int, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_conll(write(content), column)


@pytest.mark.parametrize("column", ["ner", 1.0, True, None])
def test_a_column_is_a_number(write: Any, column: Any) -> None:
    with pytest.raises(TypeError, match=r"^column must be a whole number, as in 3 or -1, got "):
        read_conll(write(GOLD), column)


def test_files_with_the_same_sentences(write: Any) -> None:
    gold = read_conll(write(GOLD))
    bare = read_conll(write("EU O\nrejects O\n\nPeter O\nBlackburn O\n\n1996 O", "bare.conll"))
    same_sentences(gold)
    same_sentences(gold, gold, bare)
    same_sentences(bare, gold)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            "EU O\nrejects O\n\nPeter O\nBlackburn O\n",
            "a.conll has 2 sentences where gold.conll has 3, from line 11 of gold.conll on; "
            "both must hold the same tokens in the same sentences",
        ),
        (
            "EU O\nrejects O\nPeter O\nBlackburn O\n",
            "a.conll has 1 sentence where gold.conll has 3, from line 1 of a.conll and line 3 of gold.conll on; ",
        ),
        (
            "EU O\nrejects O\n\nPeter O\nBlackburn O\n\n1996 O\n\n. O\n",
            "a.conll has 4 sentences where gold.conll has 3, from line 9 of a.conll on; ",
        ),
        (
            "EU O\nrejects O\n\nPeter O\n\n1996 O\n",
            "a.conll, line 5: a sentence of 1 token where that of gold.conll, line 7, has 2; ",
        ),
        (
            "EU O\nrejects O\n\nPeter O\nBlack O\nburn O\n\n1996 O\n",
            "a.conll, line 5: a sentence of 3 tokens where that of gold.conll, line 7, has 2; ",
        ),
        (
            "EU O\nrejects O\n\nPeter O\nBlackbird O\n\n1996 O\n",
            "a.conll, line 5: the token 'Blackbird' where gold.conll, line 7, has 'Blackburn'; ",
        ),
    ],
)
def test_files_that_differ_get_one_sentence(write: Any, content: str, sentence: str) -> None:
    gold, other = read_conll(write(GOLD)), read_conll(write(content, "a.conll"))
    with pytest.raises(DataError) as error:
        same_sentences(gold, gold, other)
    assert str(error.value).startswith(sentence)


def test_tags_are_checked_against_the_scheme(write: Any) -> None:
    gold = read_conll(write(GOLD))
    for scheme in SCHEMES:
        check_tags(gold, scheme)
    check_tags(read_conll(write(GOLD), -2), "BILOU")
    with pytest.raises(
        DataError, match=r"^gold.conll, line 7: 'I-PER' is not a tag of BMES \(B, M, E, S, O\); correct it, "
    ):
        check_tags(read_conll("gold.conll", -2), "BMES")
    with pytest.raises(
        DataError, match=r"^gold.conll, line 3: 'NNP' is not a tag of IOB2 .* which column they stand in$"
    ):
        check_tags(read_conll("gold.conll", 1), "IOB2")
    with pytest.raises(ValueError, match=r"^unknown scheme 'IOB'"):
        check_tags(gold, "IOB")


def beside(folder: Path, tags: dict[str, list[str]]) -> list[str]:
    """Files with a token, its true tag, and the tag of one tagger on each line, as conlleval takes them."""
    words, true = ["Kim", "saw", "Rome"], ["B-PER", "O", "B-LOC"]
    for name, said in tags.items():
        rows = zip(words, true, said, strict=True)
        (folder / name).write_text("".join(f"{word} {gold} {tag}\n" for word, gold, tag in rows) * 20)
    return [str(folder / name) for name in tags]


@pytest.mark.parametrize("ending", ["txt", "conll"])
def test_files_with_true_tags_each_are_put_side_by_side(ending: str, tmp_path: Path) -> None:
    """The tags of the first tagger were taken for the truth."""
    tags = {"a": ["B-PER", "O", "B-LOC"], "b": ["B-PER", "O", "O"], "c": ["O", "O", "O"]}
    files = beside(tmp_path, {f"{name}.{ending}": said for name, said in tags.items()})
    assert "run: paste -d ' ' " in refused(*files)
    with pytest.raises(DataError, match=r"outperform rank - --unit sentence --truth 1 --predictions 2 5 8"):
        read_chunks(files[0], {"b": files[1], "c": files[2]})
    lines = [Path(file).read_text().splitlines() for file in files[:2]]
    pasted = "".join(f"{' '.join(pair)}\n" for pair in zip(*lines, strict=True))
    typed = ["compare", "-", "--unit", "sentence", "--truth", "1", "--predictions", "2", "5"]
    answer = json.loads(run(*typed, "--format", "json", stdin=pasted).stdout)
    assert [answer[name]["observed"] for name in "ab"] == [1, pytest.approx(2 / 3)]
    parts = beside(tmp_path, {"d.txt": ["B-NP", "B-VP", "B-NP"], "e.txt": ["B-NP", "B-VP", "O"]})
    assert read_chunks(parts[0], {"e": parts[1]}).items  # of another kind than the tags before them
