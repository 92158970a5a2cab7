"""A chunker: a conditional random field that is trained in one tagging scheme and answers in another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeAlias

import pycrfsuite
from sklearn.base import BaseEstimator

from outperform.chunks import convert

__all__ = ["Chunker", "Token", "attributes"]

Token: TypeAlias = tuple[str, ...]  # what is known of it: word and part of speech, or a character alone
BEFORE, AFTER = ("_B-2", "_B-1"), ("_B+1", "_B+2")  # what stands beyond the ends of a sentence
WINDOW = len(BEFORE) + 1 + len(AFTER)
SPANS = [(start, start + size) for size in (1, 2, 3) for start in range(WINDOW - size + 1)]


class Chunker(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
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

    def __init__(
        self,
        scheme: str = "IOB2",
        neutral: str = "IOB2",
        *,
        c2: float = 1.0,
        max_iterations: int = 200,
        min_freq: int = 1,
        dense: bool = True,
    ) -> None:
        self.scheme = scheme
        self.neutral = neutral
        self.c2 = c2
        self.max_iterations = max_iterations
        self.min_freq = min_freq
        self.dense = dense

    def fit(self, X: Sequence[Sequence[Token]], y: Sequence[Sequence[str]]) -> Self:
        """Train on sentences and their tags."""
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=self._params(), verbose=False)
        for tokens, tags in zip(X, y, strict=True):
            trainer.append(list(attributes(tokens)), convert(tags, self.neutral, self.scheme))
        with TemporaryDirectory() as folder:
            file = Path(folder) / "model"
            trainer.train(str(file))
            self.model_ = file.read_bytes()
        return self

    def predict(self, X: Sequence[Sequence[Token]]) -> list[list[str]]:
        """The likeliest tags of each sentence; what is not well-formed is read as the program conlleval does."""
        tagger = pycrfsuite.Tagger()
        tagger.open_inmemory(self.model_)
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
            for own, column in zip(names, columns, strict=True)
            for name, (start, end) in zip(own, SPANS, strict=True)
        ]
