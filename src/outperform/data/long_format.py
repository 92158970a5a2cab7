"""The long format of a multi-label task: a row per item and label, which slices name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from outperform.base.errors import amount, listing
from outperform.data.cells import AnyCells, extended, recoded
from outperform.data.task import LabelSets

__all__ = ["labels_of_slices"]


def labels_of_slices(cells: AnyCells, items: int | None) -> AnyCells:
    """Return a multi-label task in which each slice is a label; rows that are missing have no label."""
    if not cells.slices:
        raise ValueError(
            "the long format needs by=, the column that names the label of each row; these counts have none"
        )
    if not set(cells.labels) <= {0, 1}:
        raise ValueError(f"in the long format the truth is 0 or 1 for each item and label; got {listing(cells.labels)}")
    rows = np.bincount(cells.part, cells.n, len(cells.slices)).astype(np.float64)
    most = rows.max() if items is None else items
    if rows.max() > most or (items is None and rows.min() < most):
        odd = int(np.argmin(rows) if items is None else np.argmax(rows))
        raise ValueError(
            f"the label {cells.slices[odd]!r} has {amount(rows[odd])} rows where there are {amount(most)} items; "
            "give a row for each item and label, or say with items= how many items there are"
        )
    every = np.arange(len(cells.slices))
    nobody = np.zeros((len(every), 1 + len(cells.classifiers)), dtype=np.int64)
    task = LabelSets(cells.slices, np.concatenate([cells.part, every]))
    plain = replace(recoded(cells, (False, True)), partition=None, declared=True, weighed=None, effect=1.0)
    return extended(plain, nobody, most - rows, task).merged()
