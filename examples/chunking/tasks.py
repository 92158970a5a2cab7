"""The three tasks: what is read from a corpus, what is a chunk, and which two tag sets are compared."""

from __future__ import annotations

import re
from collections import Counter

from outperform.data.chunks import encode
from outperform.io.files import read_text
from outperform.reproduction.chunking import ORG, Corpus, Task, entities

__all__ = ["TASKS", "words"]

TAGGED = re.compile(r"(.+)/[A-Za-z0-9]+")


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
    "org": ORG,
    "cws": Task(words, "BMES", ("BMES", "BB2B3MES")),
}
