"""The three tasks: what is read from a corpus, what is a chunk, and which two tag sets are compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from chunker import Token

from outperform.chunks import encode, extract
from outperform.io.files import read_text
from outperform.io.sequences import check_tags, read_conll

__all__ = ["TASKS", "Corpus", "Task"]

TAGGED = re.compile(r"(.+)/[A-Za-z0-9]+")


@dataclass(frozen=True)
class Corpus:
    """Sentences, their true tags in the neutral scheme, and how many chunks of each kind a sentence has."""

    sentences: list[list[Token]]
    tags: list[list[str]]
    units: list[Counter[str]]

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return sum(own.total() for own in self.units)


@dataclass(frozen=True)
class Task:
    """How to read a corpus, the scheme that chunks are counted in, and the tag sets A and B."""

    read: Callable[[str, int | None], Corpus]
    neutral: str
    tag_sets: tuple[str, str]


def entities(path: str, limit: int | None = None, types: frozenset[str] | None = None) -> Corpus:
    """Words, parts of speech and entities of a file in columns; boundaries are kept and types are not.

    Parameters
    ----------
    path : str
        Word, part of speech, any other columns, and the tag in IOB1; plain or gzip.
    limit : int, optional
        Only so many sentences.
    types : set of str, optional
        Only entities of these types; others are outside.
    """
    words, speech = read_conll(path), read_conll(path, 1)
    check_tags(words, "IOB1")
    corpus = Corpus([], [], [])
    for tokens, parts, tags in list(zip(words.tokens, speech.tags, words.tags, strict=True))[:limit]:
        chunks = [c for c in extract(tags, "IOB1", "conlleval") if types is None or c.type in types]
        corpus.sentences.append(list(zip(tokens, parts, strict=True)))
        corpus.tags.append(encode([c._replace(type="") for c in chunks], len(tags), "IOB2"))
        corpus.units.append(Counter(c.type for c in chunks))
    return corpus


def organisations(path: str, limit: int | None = None) -> Corpus:
    """Entities of the type ORG."""
    return entities(path, limit, frozenset({"ORG"}))


def words(path: str, limit: int | None = None) -> Corpus:
    """Characters and words of a text that has a sentence a line and white space between words."""
    text, _ = read_text(path)
    lines = [line.split() for line in text.splitlines() if line.strip()]
    corpus = Corpus([], [], [])
    for line in lines[:limit]:
        segments = [_without_tag(token) for token in line]
        spans, end = [], 0
        for segment in segments:
            spans.append((end, end + len(segment), ""))
            end += len(segment)
        corpus.sentences.append([(character,) for character in "".join(segments)])
        corpus.tags.append(encode(spans, end, "BMES"))
        corpus.units.append(Counter(word=len(segments)))
    return corpus


def _without_tag(token: str) -> str:
    tagged = TAGGED.fullmatch(token)
    return tagged[1] if tagged else token


TASKS = {
    "ner": Task(entities, "IOB2", ("IOB2", "IOBES")),
    "org": Task(organisations, "IOB2", ("IOB2", "IOBES")),
    "cws": Task(words, "BMES", ("BMES", "BB2B3MES")),
}
