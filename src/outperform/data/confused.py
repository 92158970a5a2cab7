"""Where two systems confuse classes differently: errors by true and predicted class, from outcome cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outperform.data.cells import Cells
from outperform.data.labels import Label

__all__ = ["Confused", "confused"]


@dataclass(frozen=True)
class Confused:
    """How many items of one class each of two systems takes for another class."""

    truth: Label
    predicted: Label
    a: float
    b: float

    @property
    def difference(self) -> float:
        """Errors of the first minus errors of the second."""
        return self.a - self.b


def confused(counts: Cells, about: Label | None = None) -> tuple[Confused, ...]:
    """Return the pairs of classes that two systems confuse differently often, the largest difference first.

    With `about`, the pairs with that class. Empty unless there are three classes or more, one for each item, and both
    systems were run on as many items of each.
    """
    classes = len(counts.labels)
    if classes < 3 or counts.groups or len(counts.classifiers) != 2 or not len(counts.n):
        return ()
    n = counts.n * (counts.items / counts.n.sum())  # every repetition of folds tests all items
    ran = (counts.predictions >= 0).T
    first, second = (np.bincount(counts.truth[rows], n[rows], classes) for rows in ran)
    if not np.allclose(first, second):
        return ()
    codes = [counts.truth[rows] * classes + said[rows] for rows, said in zip(ran, counts.predictions.T, strict=True)]
    known, place = np.unique(np.concatenate(codes), return_inverse=True)  # no table of all classes, which may be many
    parts = zip(np.split(place, [len(codes[0])]), ran, strict=True)
    a, b = (np.bincount(at, n[rows], len(known)) for at, rows in parts)
    truth, predicted = np.divmod(known, classes)
    chosen = (truth != predicted) & ~np.isclose(a, b)
    if about is not None:
        code = counts.labels.index(about)
        chosen &= (truth == code) | (predicted == code)
    found = [
        Confused(counts.labels[truth[k]], counts.labels[predicted[k]], float(a[k]), float(b[k]))
        for k in np.flatnonzero(chosen)
    ]
    return tuple(sorted(found, key=lambda pair: (-abs(pair.difference), -pair.a - pair.b)))
