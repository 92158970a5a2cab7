"""The largest of everything, and the sentence for what lies beyond; the page "Limits" lists all of them.

Between these bounds sums of squares and products of gammas stay finite, and one item more or less still counts.
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["check_draws", "check_items", "check_pseudo_counts", "check_weights", "is_whole"]

MOST_DRAWS = 10**8
MOST_ITEMS = 10**15
LEAST_PSEUDO_COUNT, MOST_PSEUDO_COUNTS = 1e-6, 1e9
LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100


def is_whole(value: object) -> bool:
    """Whether something is a whole number; True and False are not meant as one."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


@overload
def check_draws(draws: None) -> None: ...
@overload
def check_draws(draws: int) -> int: ...
def check_draws(draws: int | None) -> int | None:
    """A number of draws that fit in memory, or None for the usual one."""
    if draws is None:
        return None
    if not is_whole(draws) or draws < 1:
        raise ValueError(f"draws must be a whole number of at least 1, got {draws!r}")
    if draws > MOST_DRAWS:
        raise ValueError(f"draws must be at most {MOST_DRAWS:,}, got {draws:.3g}; 50,000 are usual")
    return int(draws)


def check_items(n: ArrayLike) -> None:
    """Refuse more items than a floating-point number can count one by one."""
    if (total := float(np.sum(n))) > MOST_ITEMS:
        raise ValueError(f"counts add up to {total:.3g} items, where at most {MOST_ITEMS:.0e} are taken; check them")


def check_weights(weights: ArrayLike) -> None:
    """Refuse weights whose squares are lost."""
    given = np.asarray(weights, dtype=np.float64)
    wrong = given[(given > 0) & ((given < LEAST_WEIGHT) | (given > MOST_WEIGHT))]
    if len(wrong):
        raise ValueError(
            f"weights hold or add up to {wrong[0]:.3g}, where {LEAST_WEIGHT:g} to {MOST_WEIGHT:g} are taken; divide "
            "all of them by one number, which changes no answer"
        )


def check_pseudo_counts(weights: ArrayLike, what: str) -> None:
    """Refuse a prior that is lost beside any data, or that any data are lost beside."""
    given = np.atleast_1d(np.asarray(weights, dtype=np.float64))
    wrong = given[(given > 0) & ((given < LEAST_PSEUDO_COUNT) | (given > MOST_PSEUDO_COUNTS))]
    if len(wrong):
        raise ValueError(
            f"{what} holds {wrong[0]:.3g}, where 0 or {LEAST_PSEUDO_COUNT:g} to {MOST_PSEUDO_COUNTS:g} pseudo-counts "
            "are taken; 1 is the usual number"
        )
