"""Notes on items that are resampled."""

from __future__ import annotations

import numpy as np
import pytest

from outperform.inference.item_evidence import alike, copies, few_units

NUMBERS = np.array([0.0, 1.5, np.nan])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (NUMBERS, NUMBERS.copy(), True),
        (np.array([0.0, 2.0]), np.array([-0.0, 2.0]), True),
        (np.array([0.0, 2.0]), np.array([False, 2]), True),
        (np.array([1, 2]), np.array([1.0, 2.0], dtype=np.float32), True),
        (np.array([1, 2]), np.array([1, 3]), False),
        (np.array(["a", "b"]), np.array(["a", "b"], dtype=object), True),
        (np.array(["a", "b"]), np.array(["a", "c"]), False),
        (np.array(["1", "2"]), np.array([1, 2]), False),
        (np.array([("a",), ()], dtype=object), np.array([("a",), ("b",)], dtype=object), False),
    ],
)
def test_copies_have_equal_outputs_of_whatever_type(one: np.ndarray, other: np.ndarray, same: bool) -> None:
    third = np.arange(5.0)
    np.testing.assert_array_equal(
        copies([one, third, other]), [[True, False, same], [False, True, False], [same, False, True]]
    )


def test_copies_are_named_once_per_group() -> None:
    columns = [np.array(x) for x in ([1, 2], [3, 4], [1, 2], [5, 6], [3, 4], [1, 2])]
    notes = alike("abcdef", copies(columns), 2)
    assert notes == (
        "a and c and f have the same output on all 2 items.",
        "b and e have the same output on all 2 items.",
    )
    assert not alike("ab", copies(columns[:2]), 2)
    assert alike("ab", copies([np.array([1])] * 2), 1) == ("a and b have the same output on the only item.",)


@pytest.mark.parametrize(
    ("number", "end"), [(1, "item: too few for a verdict."), (49.5, "items: the interval may be too narrow.")]
)
def test_few_units_are_counted(number: float, end: str) -> None:
    assert few_units("item", number) == (f"The scores rest on only {number:g} {end}",)
    assert not few_units("item", 50)
