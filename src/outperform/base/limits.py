"""Upper and lower limits on inputs, with their messages; the page "Limits" in the documentation lists them.

Within these limits, sums of squares and products of gammas stay finite, and a single item still changes a sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outperform.base.errors import shown

__all__ = [
    "as_array", "check_between", "check_draws", "check_items", "check_not_tiny", "check_pseudo_counts",
    "check_truth_value", "check_weights", "is_series", "is_whole",
]  # fmt: skip

MOST_DRAWS = 10**8
MOST_ITEMS = 10**15
LEAST_PSEUDO_COUNT, MOST_PSEUDO_COUNTS = 1e-6, 1e9
LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100
LEAST_NUMBER = 1e-100  # the smallest number, as the largest of all, whose square and products of squares stay above 0


def as_array(value: Any) -> NDArray[Any]:
    """Return an array, with None where it is masked; of None if the value is ragged."""
    if np.ma.is_masked(value):
        held = np.array(np.ma.getdata(value), dtype=object)
        held[np.ma.getmaskarray(value)] = None
        return held
    try:
        return np.asarray(value)
    except ValueError:
        return np.asarray(None)


def is_series(value: object) -> bool:
    """Return whether a value is several values, and not a single one, such as a text or an array without axes."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_truth_value(value: object, name: str) -> bool:
    """Validate True or False: any other value, such as None or "no", would silently count as one of them."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_between(value: Any, name: str, example: str = "") -> float:
    """Validate a number strictly between 0 and 1."""
    if np.asarray(value).dtype.kind not in "iuf" or np.ndim(value) or not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1{example}, got {shown(value)}")
    return float(value)


@overload
def check_draws(draws: None) -> None: ...
@overload
def check_draws(draws: int) -> int: ...
def check_draws(draws: int | None) -> int | None:
    """Validate a number of draws; None stands for the default."""
    if draws is None:
        return None
    if not is_whole(draws) or draws < 1:
        raise ValueError(f"draws must be a whole number of at least 1, got {shown(draws)}")
    if draws > MOST_DRAWS:
        raise ValueError(f"draws must be at most {MOST_DRAWS:,}, got {shown(draws)}; 50,000 is typical")
    return int(draws)


def check_items(n: ArrayLike) -> None:
    """Raise an error for more items than a floating-point number can count exactly."""
    if (total := float(np.sum(n))) > MOST_ITEMS:
        raise ValueError(f"counts add up to {total:.3g} items, but at most {MOST_ITEMS:.0e} are allowed; check them")


def check_weights(weights: ArrayLike) -> None:
    """Raise an error for weights whose squares under- or overflow."""
    given = np.asarray(weights, dtype=np.float64)
    wrong = given[(given > 0) & ((given < LEAST_WEIGHT) | (given > MOST_WEIGHT))]
    if len(wrong):
        raise ValueError(
            f"weights hold or add up to {wrong[0]:.3g}, where {LEAST_WEIGHT:g} to {MOST_WEIGHT:g} are allowed; divide "
            "all of them by one number, which changes no answer"
        )


def check_pseudo_counts(weights: ArrayLike, what: str) -> None:
    """Raise an error for pseudo-counts that vanish next to any data, or that make any data vanish."""
    given = np.atleast_1d(np.asarray(weights, dtype=np.float64))
    wrong = given[(given > 0) & ((given < LEAST_PSEUDO_COUNT) | (given > MOST_PSEUDO_COUNTS))]
    if len(wrong):
        raise ValueError(
            f"{what} holds {wrong[0]:.3g}, where 0 or {LEAST_PSEUDO_COUNT:g} to {MOST_PSEUDO_COUNTS:g} pseudo-counts "
            "are allowed; 1 is typical"
        )


def check_not_tiny(*numbers: NDArray[np.float64]) -> None:
    """Refuse numbers that are all so small that their squares are 0, and their variances too."""
    most = max(float(np.abs(column).max(initial=0.0)) for column in numbers)
    if 0 < most < LEAST_NUMBER:
        raise ValueError(f"no number is larger than {most:.2g}, whose square is too small; scale them up")
