"""Chunks from tags: equal to seqeval's in every scheme that it has, and round trips in all schemes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval import scheme as seqeval
from seqeval.metrics.sequence_labeling import get_entities

from outperform.data.chunks import MODES, SCHEMES, Chunk, convert, encode, extract

PREFIXES = {name: [p for p in scheme.prefixes if p != "O"] for name, scheme in SCHEMES.items()}
TYPES = [["X"], ["X", "Y"], ["X", "Y", "Z-1"], [""], ["", "X"]]


def sequences(scheme: str, n: int = 4_000) -> Iterator[list[str]]:
    """Generate random tags: some well-formed, some with a few tags changed, some arbitrary."""
    rng = random.Random(f"{scheme} 1")
    for k in range(n):
        types = rng.choice(TYPES)
        every = ["O", *(f"{p}-{t}" if t else p for p, t in product(PREFIXES[scheme], types))]
        length = rng.randint(0, 12)
        if k % 3 == 0:
            yield rng.choices(every, k=length)
            continue
        tags = encode(spans(rng, length, types), length, scheme)
        for place in rng.sample(range(length), min(length, rng.randint(1, 3) if k % 3 == 1 else 0)):
            tags[place] = rng.choice(every)
        yield tags


def spans(rng: random.Random, length: int, types: list[str]) -> list[Chunk]:
    cuts = sorted(rng.sample(range(length + 1), min(length + 1, rng.randint(0, 8))))
    return [Chunk(start, end, rng.choice(types)) for start, end in pairwise(cuts) if rng.random() < 0.7]


def type_of(name: str) -> str:
    return "" if name == "_" else name


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BILOU"])
def test_strict_is_seqeval_strict(scheme: str) -> None:
    tags = list(sequences(scheme))
    theirs = seqeval.Entities(tags, getattr(seqeval, scheme)).entities
    for sequence, entities in zip(tags, theirs, strict=True):
        assert extract(sequence, scheme) == [Chunk(e.start, e.end, type_of(e.tag)) for e in entities], sequence
    assert sum(map(len, theirs)) > len(tags)


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES"])
def test_conlleval_is_seqeval_lenient(scheme: str) -> None:
    for tags in sequences(scheme):
        theirs = [Chunk(start, end + 1, type_of(name)) for name, start, end in get_entities(tags)]
        assert extract(tags, scheme, "conlleval") == theirs, tags


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("scheme", "names"), [("BILOU", {"I": "I", "L": "E", "U": "S"}), ("BMES", {"M": "I", "E": "E", "S": "S"})]
)
def test_the_same_scheme_with_other_letters(scheme: str, names: dict[str, str], mode: str) -> None:
    for tags in sequences(scheme, 3000):
        renamed = [names.get(tag[0], tag[0]) + tag[1:] for tag in tags]
        assert extract(tags, scheme, mode) == extract(renamed, "IOBES", mode)


def test_words_in_conlleval_mode_are_bmes() -> None:
    for tags in sequences("BB2B3MES", 3000):
        renamed = [tag.replace("B2", "M").replace("B3", "M") for tag in tags]
        assert extract(tags, "BB2B3MES", "conlleval") == extract(renamed, "BMES", "conlleval")


@pytest.mark.parametrize(
    ("scheme", "tags", "spans"),
    [
        ("IOB1", "I I B I O", [(0, 2), (2, 4)]),
        ("IOB1", "B O", []),
        ("IOB1", "O B I", [(2, 3)]),
        ("IOB1", "O B B", [(2, 3)]),
        ("IOB1", "I-X B-X B-Y", [(0, 1)]),
        ("IOB1", "I-X B-Y I-Y", [(0, 1), (2, 3)]),
        ("IOB2", "B-X I-Y I-X", [(0, 1)]),
        ("IOB2", "O I I B", [(3, 4)]),
        ("IOBES", "B I O S", [(3, 4)]),
        ("IOBES", "B-X E-Y B-X E-X I-X", [(2, 4)]),
        ("BB2B3MES", "S B E B B2 E B B2 B3 E", [(0, 1), (1, 3), (3, 6), (6, 10)]),
        ("BB2B3MES", "B B2 B3 M M M E", [(0, 7)]),
        ("BB2B3MES", "B M E B B2 M E B B3 E", []),
        ("BB2B3MES", "B-X B2-Y E-X B2 E S", [(5, 6)]),
        ("BB2B3MES", "B B2 B3 B3 E B B2 B3", []),
    ],
)
def test_what_is_well_formed(scheme: str, tags: str, spans: list[tuple[int, int]]) -> None:
    assert [(chunk.start, chunk.end) for chunk in extract(tags.split(), scheme)] == spans


def test_words_of_every_length_have_the_tags_of_zhao() -> None:
    words = ["S", "B E", "B B2 E", "B B2 B3 E", "B B2 B3 M E", "B B2 B3 M M E"]
    for length, tags in enumerate(words, start=1):
        assert encode([Chunk(0, length, "")], length, "BB2B3MES") == tags.split()
    assert encode([Chunk(0, 4, ""), Chunk(4, 5, "")], 5, "BMES") == list("BMMES")


PIECES = st.tuples(st.integers(0, 1), st.integers(1, 6), st.sampled_from(["", "X", "Y-"]))  # gap, size and type


@st.composite
def chunked(draw: st.DrawFn) -> tuple[list[Chunk], int]:
    """Generate chunks, many of them adjacent, and the number of tokens."""
    chunks, length = [], 0
    for gap, size, kind in draw(st.lists(PIECES, max_size=12)):
        length += gap + size
        chunks.append(Chunk(length - size, length, kind))
    return chunks, length + draw(st.integers(0, 2))


@given(chunked(), st.randoms())
def test_there_and_back(case: tuple[list[Chunk], int], rng: random.Random) -> None:
    chunks, length = case
    shuffled = rng.sample(chunks, len(chunks))
    for source, mode in product(SCHEMES, MODES):
        tags = encode(shuffled, length, source)
        assert len(tags) == length
        assert extract(tags, source, mode) == chunks
        for target in SCHEMES:
            assert convert(tags, source, target, mode) == encode(chunks, length, target)


def test_sequences_of_any_kind() -> None:
    expected = [Chunk(0, 2, "X")]
    tags = ["B-X", "I-X", "O"]
    kinds: list[Any] = [tuple(tags), np.array(tags), np.array(tags, dtype=object)]
    for kind in kinds:
        chunks = extract(kind)
        assert chunks == expected
        assert type(chunks[0].type) is str
    assert extract([]) == []
    assert encode([], 2) == ["O", "O"]


WRONG: list[tuple[Any, dict[str, str], str]] = [
    (["O", "B-X", "I-X", "X-PER"], {}, r"^'X-PER' at position 3 is not a tag of IOB2 \(B, I, O\); correct it, or say "
     r"which scheme= the tags are in$"),
    (["S-X"], {"scheme": "BILOU"}, r"^'S-X' at position 0 is not a tag of BILOU \(B, I, L, O, U\)"),
    (["B4"], {"scheme": "BB2B3MES"}, r"^'B4' at position 0 is not a tag of BB2B3MES \(B, B2, B3, M, E, S, O\)"),
    ([""], {}, "^'' at position 0 is not a tag"),
    (["O", None], {}, "^None at position 1 is not a tag"),
    ([["O"]], {}, r"^\['O'\] at position 0 is not a tag"),
    (["BX"], {}, "^'BX' at position 0 is not a tag"),
    (["B-"], {}, "^'B-' at position 0 is not a tag"),
    (["O-X"], {}, "^'O-X' at position 0 is not a tag"),
    (["b-X"], {}, "^'b-X' at position 0 is not a tag"),
    (["O"], {"scheme": "IOBE"}, "^unknown scheme 'IOBE'; did you mean 'IOBES'\\? known: BB2B3MES, BILOU, BMES, IOB1"),
    (["O"], {"mode": "strikt"}, "^unknown mode 'strikt'; did you mean 'strict'\\? known: conlleval, strict$"),
]  # fmt: skip


@pytest.mark.parametrize(("tags", "settings", "sentence"), WRONG)
def test_what_is_no_tag_gets_one_sentence(tags: Any, settings: dict[str, str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        extract(tags, **settings)


def test_text_is_no_sequence_of_tags() -> None:
    with pytest.raises(TypeError, match="tags must be a sequence of tags, got str; give a list"):
        extract("BIO")


@pytest.mark.parametrize(
    ("chunks", "sentence"),
    [
        ([(0, 2, "X"), (1, 3, "Y")], r"^Chunk\(start=0, .* and Chunk\(start=1, .* overlap; a token is part of one"),
        ([(1, 3, "X"), (1, 3, "Y")], "overlap"),
        ([(2, 5, "X")], r"^Chunk\(start=2, end=5, type='X'\) is not a span of 4 tokens; its start is 0 or more"),
        ([(-1, 2, "X")], "is not a span of 4 tokens"),
        ([(2, 2, "X")], "is not a span of 4 tokens"),
    ],
)
def test_what_cannot_be_tagged_gets_one_sentence(chunks: list[tuple[int, int, str]], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        encode(chunks, 4)
    with pytest.raises(ValueError, match=r"^unknown scheme"):
        encode(chunks, 4, "BIO")
