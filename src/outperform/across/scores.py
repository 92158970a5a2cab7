"""Scores of two systems, checked once; errors are reported in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outperform.base.errors import check_apart, listing, named_as
from outperform.base.limits import as_array, check_between, check_not_tiny, is_series, is_whole
from outperform.data.columns import check_order
from outperform.data.contingency import FloatArray
from outperform.data.frames import by_column
from outperform.verdicts.decision import rope_remarks, unit_remarks
from outperform.verdicts.interval import Interval

__all__ = ["PairScores", "correlation", "named"]

MOST_SCORE = 1e100  # its square, and sums of squares, stay finite


@dataclass(frozen=True, eq=False)
class PairScores:
    """Scores of two systems, of the same shape: (folds,), (data sets,) or (data sets, folds)."""

    names: tuple[str, str]
    first: FloatArray
    second: FloatArray

    @classmethod
    def of(cls, scores: object, dimensions: Sequence[int], what: str) -> PairScores:
        """Take them as they are given: {name: scores} for two systems, or a dataframe with a column for each."""
        scores = by_column(scores)
        if not isinstance(scores, Mapping):
            raise TypeError(
                f"scores must give two systems their names, as in {{'svm': s1, 'nb': s2}}, got {type(scores).__name__}"
            )
        if len(scores) != 2:
            raise ValueError(
                f"scores must be of two systems, got {len(scores)} ({listing(scores)}); compare them two by two"
            )
        names = [named_as(name) for name in scores]
        if len(set(names)) < 2:
            raise ValueError(f"the two systems need names that differ, got {listing(scores)}")
        check_apart(names)
        check_order({repr(name): given for name, given in zip(names, scores.values(), strict=True)})
        first, second = (_numbers(name, given, dimensions) for name, given in zip(names, scores.values(), strict=True))
        if first.shape != second.shape:
            sizes = " and ".join(f"{name!r} has {_size(x)}" for name, x in zip(names, (first, second), strict=True))
            raise ValueError(f"the two need as many scores each, pair by pair: {sizes}")
        check_not_tiny(first, second)
        if len(first) < 2:
            raise ValueError(
                f"at least 2 {what} are needed, got {len(first)}; one difference tells nothing of its spread"
            )
        return cls((names[0], names[1]), first, second)

    @property
    def differences(self) -> FloatArray:
        """First minus second; what is only rounding is 0."""
        difference = self.first - self.second
        difference[np.abs(difference) < 1e-12 * self.size] = 0.0
        return difference

    @property
    def size(self) -> float:
        """The largest score."""
        return float(max(np.abs(self.first).max(), np.abs(self.second).max()))

    @property
    def rows(self) -> bool:
        """Whether there is a row of scores for each data set."""
        return self.first.ndim == 2

    @property
    def same(self) -> bool:
        """Whether the two never differ."""
        return not self.differences.any()

    def means(self) -> PairScores:
        """One score a data set: the mean over its folds."""
        return PairScores(self.names, self.first.mean(axis=1), self.second.mean(axis=1))

    def remarks(self, rope: Interval | None) -> tuple[str, ...]:
        """Warnings about a ROPE in another unit than the scores, and about scores that are all the same."""
        sizes = dict(zip(self.names, (float(np.abs(x).max()) for x in (self.first, self.second)), strict=True))
        same = ("The two have the same scores throughout.",) if self.same else unit_remarks(sizes)
        if rope is None:
            return same
        return same + rope_remarks(rope, self.size, float(np.ptp([self.first, self.second])))


def correlation(scores: int, runs: int, test_share: float | None) -> float:
    """ρ between the differences of any two folds: the share of items that a fold tests."""
    if not is_whole(runs) or runs < 1:
        raise ValueError(
            f"runs must be a whole number of at least 1, how often the cross-validation was run, got {runs!r}"
        )
    if scores % runs:
        raise ValueError(
            f"{scores} scores do not make {runs} runs of as many folds; give one score for each fold of each run"
        )
    if test_share is None:
        if scores == runs:
            raise ValueError(
                f"{runs} runs leave one score a run; for repeated hold-out tests give test_share, the share of items "
                "that each one tests, else fewer runs"
            )
        return runs / scores
    return check_between(test_share, "test_share", ", as in 0.1 for ten folds")


def named(datasets: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Names of data sets; numbers from 1 where there are none."""
    if datasets is None:
        return tuple(str(k + 1) for k in range(count))
    if not is_series(datasets):
        raise TypeError(f"datasets must be a sequence of names, one for each of {count} data sets, got {datasets!r}")
    names = tuple(str(name) for name in datasets)
    if len(names) != count:
        raise ValueError(f"datasets must name each of {count} data sets, got {len(names)} names")
    if len(set(names)) < count:
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two data sets are called {twice!r}; give each a name of its own")
    return names


def _numbers(name: str, given: Any, dimensions: Sequence[int]) -> FloatArray:
    table = as_array(given)
    if table.dtype.kind not in "iuf":
        raise ValueError(f"scores of {name!r} must be numbers, as many for each data set, got {listing([given])}")
    if table.ndim not in dimensions:
        wanted = " or ".join("one row for each data set" if d == 2 else "one sequence" for d in dimensions)
        raise ValueError(f"scores of {name!r} must be {wanted}, got shape {table.shape}")
    numbers = table.astype(np.float64)
    if not np.isfinite(numbers).all():
        where = tuple(int(k) + 1 for k in np.argwhere(~np.isfinite(numbers))[0])
        place = f"place {where[0]}" if len(where) == 1 else f"data set {where[0]}, fold {where[1]}"
        raise ValueError(
            f"scores of {name!r} hold {numbers[tuple(k - 1 for k in where)]:g} at {place}; leave that pair out, or "
            "find out why it has no score"
        )
    if (most := float(np.abs(numbers).max(initial=0))) > MOST_SCORE:
        raise ValueError(
            f"scores of {name!r} hold a number as large as {most:.2g}, whose square is too large; scale them down"
        )
    return numbers


def _size(table: FloatArray) -> str:
    return f"{len(table)} scores" if table.ndim == 1 else f"{table.shape[0]} data sets of {table.shape[1]} scores"
