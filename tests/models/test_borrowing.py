"""Notes on how much classes learn from each other."""

from __future__ import annotations

import numpy as np
import pytest

from outperform.models.borrowing import notes

MANY = np.full(10, 40.0)


def classes(*items: float) -> np.ndarray:
    """Return the items of ten classes, 40 where nothing is given."""
    return np.concatenate([items, MANY[len(items) :]])


@pytest.mark.parametrize(("share", "said"), [(0.049, False), (0.05, True), (0.3, True)])
def test_little_that_is_borrowed_is_not_mentioned(share: float, said: bool) -> None:
    found = notes(share, MANY, ())
    assert [f"{100 * share:.0f}% of the information" in note for note in found] == [True] * said


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_classes_without_items_are_always_mentioned(share: float) -> None:
    (note,) = notes(share, classes(0, 0, 1), ())
    assert f": {100 * share:.0f}% of the information" in note
    assert "the scores of 2 of 10 classes, which have no items" in note
    assert "which have no items" not in notes(0.3, classes(1, 1), ())[0]


@pytest.mark.parametrize(("few", "uncertain"), [(4, False), (5, True), (10, True)])
@pytest.mark.parametrize("items", [1.0, 4.0, 5.0])
def test_averages_are_uncertain_if_many_classes_have_few_items(few: int, uncertain: bool, items: float) -> None:
    """Few are fewer than five, and many more than four in ten."""
    found = notes(0.01, classes(*[items] * few), ())
    warned = uncertain and items < 5
    assert len(found) == 2 * warned
    assert [f"{10 * few}% of the classes have fewer than 5 items" in note for note in found] == [False, True][
        : len(found)
    ]


def test_a_weighted_average_is_not_advised_where_it_is_used() -> None:
    few = classes(*[1.0] * 10)
    assert notes(0.01, few, ())[1].endswith("merge classes, or use a weighted or micro average.")
    assert notes(0.01, few, (), weighted=True)[1].endswith("merge classes, or use a micro average.")


def test_classes_that_a_system_never_predicts_are_counted() -> None:
    """Only those that have items, by the system with most of them."""
    never = [np.array([0.5, 0.5, *[0.0] * 8]), np.array([0.5, 0.25, 0.25, 0.75, *[0.0] * 6])]
    (note, silent) = notes(0.01, classes(0, 2, 5), never)
    assert "which have no items" in note
    assert silent.startswith("A system never predicted 3 of 10 classes that have items")
    assert "about 1.2 of these 3 are never predicted at all" in silent
    assert not notes(0.01, MANY, [np.zeros(10), np.zeros(10)])
    assert len(notes(0.01, MANY, [np.zeros(10), never[0]])) == 1
