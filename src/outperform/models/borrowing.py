"""Notes on how much of the scores of classes is based on other classes, and if that is too much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outperform.data.contingency import FloatArray

__all__ = ["notes"]

FEW, MANY_FEW = 5, 0.4  # items of a class, and the share of such classes above which averages are uncertain
WORTH_SAYING = 0.05  # share borrowed from other classes that is reported

UNPREDICTED = (
    "A system never predicted {silent} of {classes} classes that have items in these data, so their observed score is "
    "0/0. It is estimated that about {never} of these {silent} are never predicted at all and that the others are like "
    "other classes. The interval allows for both; more items of these classes would narrow it."
)


def notes(share: float, true: FloatArray, never: Sequence[FloatArray], *, weighted: bool = False) -> tuple[str, ...]:
    """Return the notes.

    Parameters
    ----------
    share : float
        Share of the information on a class that comes from other classes.
    true : array of shape (classes,)
        Items of each class.
    never : arrays of shape (classes,)
        The probability that a system never predicts a class; 0 if it did. None if scores depend on more than that.
    weighted : bool
        Whether classes are weighted by their items already.
    """
    silent = [part[(true > 0) & (part > 0)] for part in never]
    most = max(silent, key=len, default=np.zeros(0))
    said = {"silent": len(most), "classes": len(true), "never": f"{most.sum():.1f}".removesuffix(".0")}
    return (*_borrowed(share, true, weighted), *((UNPREDICTED.format(**said),) if len(most) else ()))


def _borrowed(share: float, true: FloatArray, weighted: bool) -> tuple[str, ...]:
    absent, few = int((true == 0).sum()), float((true < FEW).mean())
    borrowed = (
        f"Classes learn from each other: {100 * share:.0f}% of the information on a class comes from the other classes"
    )
    guessed = (
        f"; the scores of {absent} of {len(true)} classes, which have no items, are estimated from the other classes "
        "only"
        if absent
        else ""
    )
    if few <= MANY_FEW:
        return (f"{borrowed}{guessed}.",) if share >= WORTH_SAYING or absent else ()
    return (
        f"{borrowed}{guessed}.",
        f"{100 * few:.0f}% of the classes have fewer than {FEW} items: the interval of an average over all classes may "
        "be too narrow. Collect more items of these classes, merge classes, or use a "
        f"{'micro' if weighted else 'weighted or micro'} average.",
    )
