"""The experiment of ACL'19 §4: a corpus, a chunker that is trained in two tag sets, and its chunks by fold.

The chunker is a conditional random field, of python-crfsuite.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeAlias

import outperform
from outperform.base.errors import DataError, listing, need
from outperform.crossval.block_cv import BlockCV
from outperform.data.chunks import convert, encode, extract
from outperform.data.counts import Counts
from outperform.io.sequences import DOCUMENT, FIELD, check_tags, read_conll
from outperform.io.sources import opened
from outperform.verbs.cross_validate import cross_validate

__all__ = ["ORG", "Chunker", "Corpus", "Task", "Token", "attributes", "count_chunks", "entities", "is_tagged", "kept"]

Token: TypeAlias = tuple[str, ...]  # what is known of it: word and part of speech, or a character alone
BEFORE, AFTER = ("_B-2", "_B-1"), ("_B+1", "_B+2")  # what stands beyond the ends of a sentence
WINDOW = len(BEFORE) + 1 + len(AFTER)
SPANS = [(start, start + size) for size in (1, 2, 3) for start in range(WINDOW - size + 1)]
TAG = re.compile(r"O|[A-Z]-\S+")


@dataclass
class Chunker:
    """A linear-chain conditional random field over n-grams, with scikit-learn's `fit` and `predict`.

    Tags come and go in one scheme, `neutral`, whatever scheme the field is trained in. So chunks are counted alike
    for all schemes.

    Parameters
    ----------
    scheme : str
        What the field is trained in.
    neutral : str
        What `fit` is given and `predict` returns.
    c2 : float
        CRFsuite adds c2·‖w‖² to the negative log-likelihood.
    max_iterations : int
        Steps of L-BFGS at most.
    min_freq : int
        Attributes that are rarer are left out.
    dense : bool
        Whether each attribute has a weight with every tag, as in CRF++; else with those that it was seen with.
    """

    scheme: str = "IOB2"
    neutral: str = "IOB2"
    c2: float = 1.0
    max_iterations: int = 200
    min_freq: int = 1
    dense: bool = True
    model: bytes = field(default=b"", init=False, repr=False)

    def fit(self, X: Sequence[Sequence[Token]], y: Sequence[Sequence[str]]) -> Self:
        """Train on sentences and their tags."""
        trainer = need("pycrfsuite", "crf").Trainer(algorithm="lbfgs", params=self._params(), verbose=False)
        for tokens, tags in zip(X, y, strict=True):
            trainer.append(list(attributes(tokens)), convert(tags, self.neutral, self.scheme))
        with TemporaryDirectory() as folder:
            file = Path(folder) / "model"
            trainer.train(str(file))
            self.model = file.read_bytes()
        return self

    def predict(self, X: Sequence[Sequence[Token]]) -> list[list[str]]:
        """The likeliest tags of each sentence; what is not well-formed is read as the program conlleval does."""
        tagger = need("pycrfsuite", "crf").Tagger()
        tagger.open_inmemory(self.model)
        found = (tagger.tag(list(attributes(tokens))) for tokens in X)
        return [convert(tags, self.scheme, self.neutral, mode="conlleval") for tags in found]

    def _params(self) -> dict[str, Any]:
        return {
            "c1": 0.0,
            "c2": self.c2,
            "max_iterations": self.max_iterations,
            "feature.minfreq": self.min_freq,
            "feature.possible_states": self.dense,
            "feature.possible_transitions": True,
        }


def attributes(tokens: Sequence[Token]) -> Iterator[list[str]]:
    """Unigrams, bigrams and trigrams of each column within two tokens of each token.

    Examples
    --------
    >>> list(attributes([("EU",), ("rejects",)]))[0][:3]
    ['0.0.1 _B-2', '0.1.2 _B-1', '0.2.3 EU']
    """
    columns = [(*BEFORE, *column, *AFTER) for column in zip(*tokens, strict=True)]
    names = [[f"{k}.{start}.{end}" for start, end in SPANS] for k in range(len(columns))]
    for place in range(len(tokens)):
        yield [
            " ".join((name, *column[place + start : place + end]))
            for of_column, column in zip(names, columns, strict=True)
            for name, (start, end) in zip(of_column, SPANS, strict=True)
        ]


@dataclass(frozen=True)
class Corpus:
    """Sentences, their true tags in the neutral scheme, and how many chunks of each kind a sentence has."""

    sentences: list[list[Token]]
    tags: list[list[str]]
    units: list[Counter[str]]

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return sum(counter.total() for counter in self.units)


@dataclass(frozen=True)
class Task:
    """How to read a corpus, the scheme that chunks are counted in, and the tag sets A and B."""

    read: Callable[[str, int | None], Corpus]
    neutral: str
    tag_sets: tuple[str, str]


def is_tagged(path: str) -> bool:
    """Whether a file has a token a line and its tag at the end, by the first of them; plain or gzip."""
    try:
        with opened(path) as lines:
            rows = (FIELD.findall(line.rstrip("\n")) for line in lines)
            first = next((row for row in rows if row and not row[0].startswith(DOCUMENT)), [])
    except DataError:  # a folder or a binary file, which may be a table
        return False
    return len(first) > 1 and TAG.fullmatch(first[-1]) is not None


def entities(path: str, limit: int | None = None, types: frozenset[str] | None = None) -> Corpus:
    """Words, parts of speech and entities of a file in columns; boundaries are kept and types are not.

    Parameters
    ----------
    path : str
        Word, part of speech, any other columns, and the tag in IOB1 or IOB2; plain or gzip.
    limit : int, optional
        Only so many sentences.
    types : set of str, optional
        Only entities of these types; others are outside.
    """
    words, speech = read_conll(path), read_conll(path, 1)
    if speech.tags == words.tags:
        raise DataError(f"{path} has no parts of speech; give columns of the word, its part of speech and its tag")
    check_tags(words, "IOB1")
    corpus, known = Corpus([], [], []), set[str]()
    for tokens, parts, tags in list(zip(words.tokens, speech.tags, words.tags, strict=True))[:limit]:
        found = extract(tags, "IOB1", "conlleval")
        chunks = [c for c in found if types is None or c.type in types]
        known.update(c.type for c in found)
        corpus.sentences.append(list(zip(tokens, parts, strict=True)))
        corpus.tags.append(encode([c._replace(type="") for c in chunks], len(tags), "IOB2"))
        corpus.units.append(Counter(c.type for c in chunks))
    if not corpus.chunks:
        wanted = f" of the type {' or '.join(sorted(types))}" if types else ""
        raise DataError(f"{path} has no entities{wanted}; its types are {listing(sorted(known))}")
    return corpus


def _organisations(path: str, limit: int | None = None) -> Corpus:
    return entities(path, limit, frozenset({"ORG"}))


ORG = Task(_organisations, "IOB2", ("IOB2", "IOBES"))


def count_chunks(
    task: Task, corpus: Corpus, *, seed: int, jobs: int | None = None, cache: str | Path | None = None
) -> Counts:
    """Chunks of both tag sets by 3×2 block-regularised cross-validation; blocks are alike in their chunks."""
    need("pycrfsuite", "crf")
    return cross_validate(
        {name: Chunker(name, task.neutral) for name in task.tag_sets},
        corpus.sentences,
        corpus.tags,
        cv=BlockCV(m=3, units=corpus.units, random_state=seed),
        scheme=task.neutral,
        n_jobs=jobs,
        cache=cache,
    )


def kept(cache: str | None) -> Path:
    """The folder of cached fits, which is made if missing; by default one per user and version."""
    try:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(cache) if cache else Path(home, "outperform", outperform.__version__)
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # no home is a RuntimeError
        raise ValueError(f"cannot write the cache of fits ({error}); give another folder with --cache") from None
    return folder
