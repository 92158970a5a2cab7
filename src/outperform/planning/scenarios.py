"""Two classifiers as one supposes them to be: the probabilities of the model, or scores that they are to have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from outperform.base.limits import as_array
from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.measures.of_counts import Measure, MeasureFunction, resolve

__all__ = ["Scenario"]


@dataclass(frozen=True)
class Scenario:
    """A state of the world: how common positive items are, and how likely the outcomes of a pair (SIGIR'16 §4.1).

    Parameters
    ----------
    mu : float
        Probability of a positive item.
    positive, negative : four floats
        Probabilities of the outcomes 11, 10, 01 and 00 of positive and of negative items; the first digit is the first
        classifier, 1 means predicted positive. Each four add up to 1.

    Examples
    --------
    >>> import outperform as op
    >>> truth = op.Scenario(0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
    >>> truth.scores("f1")
    (0.6, 0.5)
    """

    mu: float
    positive: Sequence[float]
    negative: Sequence[float]

    def __post_init__(self) -> None:
        """Refuse what cannot be; keep plain numbers."""
        object.__setattr__(self, "mu", _probability("mu", self.mu))
        for name in ("positive", "negative"):
            given = as_array(getattr(self, name))
            if given.dtype.kind not in "iuf" or given.shape != (4,):
                raise ValueError(f"{name} is four probabilities, of 11, 10, 01 and 00, got {getattr(self, name)!r}")
            numbers = tuple(_probability(name, value) for value in given.tolist())
            if abs(sum(numbers) - 1) > 1e-6:
                raise ValueError(f"the probabilities of {name} must add up to 1, they add up to {sum(numbers):g}")
            object.__setattr__(self, name, numbers)

    @classmethod
    def from_scores(
        cls,
        a: float,
        b: float,
        *,
        prevalence: float,
        agreement: float | None = None,
        measure: str | MeasureFunction = "f1",
    ) -> Scenario:
        """Two classifiers with these scores, which both predict as many positives as there are.

        Parameters
        ----------
        a, b : float
            Scores of the first and of the second.
        prevalence : float
            Share of positive items.
        agreement : float
            Share of items on which both predict the same; by default what follows if their mistakes have nothing to do
            with each other. It decides how much pairing is worth.
        measure : str or callable
            Of the scores: anything that falls as mistakes become more.

        Examples
        --------
        >>> import outperform as op
        >>> truth = op.Scenario.from_scores(0.80, 0.75, prevalence=0.3, agreement=0.9)
        >>> truth.agreement
        0.9
        """
        mu, asked = _probability("prevalence", prevalence), resolve(measure)
        if not 0 < mu < 1:
            raise ValueError(f"prevalence must lie between 0 and 1, or there is nothing to tell apart, got {mu:g}")
        errors = [_mistakes(asked, mu, name, score) for name, score in (("a", a), ("b", b))]
        recall = [1 - e / mu for e in errors]
        alarm = [e / (1 - mu) for e in errors]
        loose, tight = (_joint(recall, alarm, share) for share in (_least, min))
        if agreement is None:
            return cls(mu, *_joint(recall, alarm, lambda p, q: p * q))
        wanted = _probability("agreement", agreement)
        least, most = (cls(mu, *tables).agreement for tables in (loose, tight))
        if not least - 1e-9 <= wanted <= most + 1e-9:
            raise ValueError(
                f"agreement {wanted:g} is impossible: with {asked.name} {a:g} and {b:g} at a prevalence of {mu:g} the "
                f"two agree on between {least:.3f} and {most:.3f} of the items"
            )
        t = min(max((wanted - least) / (most - least), 0.0), 1.0) if most > least else 1.0
        positive, negative = (
            tuple((1 - t) * x + t * y for x, y in zip(one, other, strict=True))
            for one, other in zip(loose, tight, strict=True)
        )
        return cls(mu, positive, negative)

    @property
    def agreement(self) -> float:
        """Share of items on which both predict the same."""
        same = [p[0] + p[3] for p in (self.positive, self.negative)]
        return float(round(self.mu * same[0] + (1 - self.mu) * same[1], 12))

    def scores(self, measure: str | MeasureFunction = "f1") -> tuple[float, float]:
        """The scores of both classifiers in the limit of many items."""
        a, b = resolve(measure)(self.counts().contingency()).tolist()
        return float(round(a, 12)), float(round(b, 12))

    def counts(self) -> Counts:
        """Shares of all cells, as counts of one item."""
        cells = np.array(list(product((1, 0), repeat=3)))
        n = np.concatenate([self.mu * np.array(self.positive), (1 - self.mu) * np.array(self.negative)])
        return Counts(("A", "B"), (0, 1), cells[:, 0], cells[:, 1:], n)

    def __str__(self) -> str:
        """A short name for signatures."""
        positive, negative = (",".join(f"{p:g}" for p in four) for four in (self.positive, self.negative))
        return f"mu={self.mu:g};positive={positive};negative={negative}"


def _probability(name: str, value: Any) -> float:
    number = as_array(value)
    if number.dtype.kind not in "iuf" or number.ndim or not 0 <= number <= 1:
        raise ValueError(f"{name} must be a probability between 0 and 1, got {value!r}")
    return float(number)


def _mistakes(measure: Measure, mu: float, name: str, score: Any) -> float:
    """False positives, as a share of all items and as many as false negatives, that lead to a score."""

    def scored(e: float) -> float:
        hit, support = np.array([mu - e]), np.array([mu])
        return float(measure(Contingency(hit, support, support, np.ones(1)))[0])

    most = min(mu, 1 - mu)
    best, worst = scored(0.0), scored(most)
    if as_array(score).dtype.kind not in "iuf" or np.ndim(score) or not np.isfinite(score):
        raise ValueError(f"the score {name} must be a number, got {score!r}")
    if not min(best, worst) - 1e-12 <= score <= max(best, worst) + 1e-12:
        raise ValueError(
            f"{measure.name} {score:g} of {name} is out of reach at a prevalence of {mu:g}: a classifier that predicts "
            f"as many positives as there are scores between {min(best, worst):.3f} and {max(best, worst):.3f}; "
            "give mu, positive and negative for any other"
        )
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (scored(middle) - score) * (best - worst) > 0 else (low, middle)
    return (low + high) / 2


def _least(p: float, q: float) -> float:
    """The least probability that two events with these probabilities occur together."""
    return max(0.0, p + q - 1)


def _joint(recall: list[float], alarm: list[float], both: Callable[[float, float], float]) -> Any:
    """Outcomes 11, 10, 01, 00 of positive and of negative items, given how often both predict positive."""
    tables = []
    for p, q in (recall, alarm):
        together = both(p, q)
        cells: FloatArray = np.array([together, p - together, q - together, 1 - p - q + together])
        cells = np.clip(cells, 0.0, 1.0)
        tables.append(tuple((cells / cells.sum()).tolist()))
    return tables
