"""A table that mixes tasks or partitions, or whose columns do not match, cannot be built."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import outperform as op
from outperform.data.partition import Folds, Slices, Units
from outperform.data.task import Chunks, LabelSets, OneLabel

COUNTS = op.Counts.from_labels([1, 1, 0, 0], {"a": [1, 0, 1, 0]})
CODES = np.array([0, 1, 0, 1])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"truth": np.array([0, 1])}, "truth must hold a position among 2 for each of 4 cells"),
        ({"truth": CODES + 1}, "truth must hold a position among 2 for each of 4 cells"),
        ({"predictions": CODES}, "predictions must have 1 columns and a row for each of 4 cells"),
        ({"predictions": CODES[:, None] + 1}, "predictions must hold positions from -1 to 1"),
        ({"task": LabelSets(("x",), CODES)}, "group must hold a position among 1 for each of 4 cells"),
        ({"task": Chunks(("x", "y"), CODES[:2])}, "group must hold a position among 2 for each of 4 cells"),
        ({"task": LabelSets(("x", "y"), CODES), "labels": (0, 1, 2)}, "labels must be two"),
        ({"task": Chunks(), "labels": (0, 1, 2)}, "labels must be two"),
        ({"partition": Slices(CODES, ("de",))}, "partition must hold a position among 1 for each of 4 cells"),
        ({"partition": Folds(CODES[:3], ((0, 0), (0, 1)))}, "partition must hold a position among 2 for each of 4"),
        ({"partition": Units(CODES, np.ones(2)), "labels": (0, 1, 2)}, "labels must be two"),
    ],
)
def test_columns_that_do_not_fit(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(COUNTS, **wrong)


def test_one_label_has_no_groups() -> None:
    with pytest.raises(TypeError):
        OneLabel(("x",), CODES)  # type: ignore[call-arg]


def test_a_table_has_one_partition() -> None:
    slices = replace(COUNTS, partition=Slices(CODES, ("de", "en")))
    assert (slices.slices, slices.folds, slices.units) == (("de", "en"), (), None)
    folds = replace(slices, partition=Folds(CODES, ((0, 0), (0, 1))))
    assert (folds.slices, folds.folds, folds.units) == ((), ((0, 0), (0, 1)), None)


def test_slices_side_by_side_are_joined_by_name() -> None:
    one = op.Counts.from_labels([1, 0], {"a": [1, 0]}, by=["de", "en"])
    two = op.Counts.from_labels([1, 0], {"b": [1, 1]}, by=["en", "fr"])
    both = op.Counts.side_by_side(one, two)
    assert both.slices == ("de", "en", "fr")
    assert [both.slice(value).items for value in both.slices] == [1, 2, 1]
    with pytest.raises(ValueError, match="one of two counts is by slices and the other is not"):
        op.Counts.side_by_side(one, two.together())


def test_the_old_name_warns() -> None:
    with pytest.warns(DeprecationWarning, match="no_true_negatives"):
        assert COUNTS.open is False
