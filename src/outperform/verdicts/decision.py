"""Texts of verdicts, validation of ROPEs, and notes that qualify a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

import numpy as np

from outperform.base.errors import shown
from outperform.base.limits import as_array
from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval, holds
from outperform.verdicts.interval import hdi as interval_of
from outperform.verdicts.rule import Rule

__all__ = [
    "FEWEST_UNITS", "OUTCOMES", "REQUIREMENTS", "Decision", "ItemsAlone", "RopeLike", "as_rope", "lean_remarks",
    "rope_remarks", "unit_remarks",
]  # fmt: skip

RopeLike: TypeAlias = float | np.floating | np.integer | Interval

MORE = "more data needed"
OUTCOMES: dict[str, tuple[str, str, str]] = {
    "equivalent": ("≈", "~", "{a} and {b} are practically the same"),
    "worse": ("≪", "<<", "{a} is worse than {b}"),
    "better": ("≫", ">>", "{a} is better than {b}"),
    "slightly_worse": ("<", "<", "unresolved, leans towards {b}: " + MORE),
    "slightly_better": (">", ">", "unresolved, leans towards {a}: " + MORE),
    "undecided": ("?", "?", "unresolved, leans towards neither {a} nor {b}: " + MORE),
}
FEWEST_UNITS = 10  # with fewer, and without a prior, 12% or more of comparisons of equal systems would get a verdict
PERCENT = 100.0  # a ROPE up to this may have been meant as a percentage
PERCENTAGES = 20  # times as large as shares are the percentages beside them
MUCH = 1.5  # scores above this are not proportions
LITTLE = 1e-3  # of the largest score: a ROPE narrower than this is probably in another unit
VERDICTS = ("equivalent", "worse", "better")
REQUIREMENTS = ("better", "not-worse", "equivalent")


@dataclass(frozen=True)
class Decision:
    """One of six outcomes for the first classifier against the second: a name, symbols and a text."""

    name: str
    symbol: str
    ascii: str
    text: str

    @property
    def decided(self) -> bool:
        """Whether it is a verdict: better, worse or equivalent."""
        return self.name in VERDICTS

    @property
    def words(self) -> str:
        """The text without what follows from it: unresolved, leans towards svm."""
        return self.text.removesuffix(f": {MORE}")

    @classmethod
    def of(cls, name: str, a: str, b: str) -> Decision:
        """Return an outcome worded for two classifiers."""
        symbol, plain, words = OUTCOMES[name]
        return cls(name, symbol, plain, words.format(a=a, b=b))


@dataclass(frozen=True)
class ItemsAlone:
    """The difference estimated from the items without a prior: as observed, and by the item bootstrap.

    Attributes
    ----------
    observed, mean : float
        Observed difference, and mean over resamples of the items.
    hdi : (float, float)
        HDI of the resamples.
    moved : float
        How far the posterior was moved by shrinkage across systems, which the items do not see.
    """

    observed: float
    mean: float
    hdi: Interval
    moved: float = 0.0

    @classmethod
    def of(cls, observed: FloatArray, resampled: FloatArray, moved: float = 0.0) -> ItemsAlone | None:
        """Estimate from the observed scores of two systems and resamples of shape (draws, 2); None if undefined."""
        difference = float(observed[0] - observed[1])
        if not isfinite(difference):
            return None
        draws = np.ascontiguousarray(resampled[:, 0] - resampled[:, 1])
        return cls(difference, float(draws.mean()), interval_of(draws), moved)

    def contradict(self, hdi: Interval) -> bool:
        """Return whether the items contradict a posterior with this HDI.

        They do if the observed difference lies outside it, or if the mean of the resamples has the opposite sign.
        """
        other_side = (hdi[0] > 0 > self.mean) or (hdi[1] < 0 < self.mean)
        return other_side or not holds(hdi, self.observed + self.moved)

    def remark(self, hdi: Interval) -> str:
        """Return the note that says why there is no verdict."""
        low, high = self.hdi
        return (
            f"No verdict: the HDI [{hdi[0]:+.3f}, {hdi[1]:+.3f}] depends on what classes learn from each other, and "
            f"the items alone contradict it (observed {self.observed:+.3f}, item bootstrap {self.mean:+.3f} "
            f"[{low:+.3f}, {high:+.3f}])."
        )


def as_rope(rope: RopeLike | None, *, bounded: bool = True, to_the_ends: bool = False) -> Interval | None:
    """Validate a ROPE given as a half-width or as (low, high); it is absolute, contains 0 and lies between -1 and 1.

    With `bounded=False`, scores may have any size. A ROPE that reaches ±1 makes all scores equivalent; only
    an existing result may be judged by it (`to_the_ends=True`).
    """
    if rope is None:
        return None
    ends = as_array(rope)
    if ends.dtype.kind not in "iuf" or ends.shape not in ((), (2,)):
        raise ValueError(f"rope must be a number or a pair (low, high), got {shown(rope)}")
    low, high = (-float(ends), float(ends)) if ends.ndim == 0 else (float(ends[0]), float(ends[1]))
    wide = max(-low, high)
    within = wide <= 1 if to_the_ends else wide < 1
    if not (isfinite(low) and isfinite(high)) or (bounded and not within):
        wanted = "lie between -1 and 1" if bounded else "be finite"
        raise ValueError(f"rope must {wanted}, got {shown(rope)}; it is in units of the measure{_percent(low, high)}")
    if low > high and ends.ndim == 0:
        raise ValueError(f"rope must not be negative, got {rope!r}; {low:g} stands for {high:g} to {low:g}")
    if low > high:
        raise ValueError(f"rope is reversed: its low end {low:g} is above its high end {high:g}")
    if not low <= 0 <= high:
        raise ValueError(f"rope must contain 0 (no difference), got [{low:g}, {high:g}]")
    return low + 0.0, high + 0.0  # turns −0.0 into 0.0


def _percent(low: float, high: float) -> str:
    """Return a question whether a percentage was meant as a share."""
    return f"; did you mean {high / 100:g}?" if low == -high and 1 < high <= PERCENT else ""


def lean_remarks(name: str, mean: float, rule: Rule) -> tuple[str, ...]:
    """Return a note if the side of an asymmetric ROPE's middle differs from the side of 0."""
    middle = (rule.rope[0] + rule.rope[1]) / 2
    above = (name == "slightly_better") == rule.greater_is_better
    if not name.startswith("slightly") or not middle or (mean > 0) == above:
        return ()
    side = "above" if above else "below"
    return (f"The lean is relative to the middle of the ROPE, {middle:+g}: the HDI lies {side} it, but not {side} 0.",)


def unit_remarks(sizes: Mapping[str, float]) -> tuple[str, ...]:
    """Return a note if some scores are probably percentages and others shares, given the largest of each system."""
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if not (0 < sizes[least] <= 1 < sizes[most] <= PERCENT and sizes[most] > PERCENTAGES * sizes[least]):
        return ()
    found = f"The scores of {most} reach {sizes[most]:.3g} and those of {least} {sizes[least]:.3g}"
    return (f"{found}: if some are percentages and others are not, the difference means nothing.",)


def rope_remarks(rope: Interval, size: float, spread: float) -> tuple[str, ...]:
    """Return a note if the ROPE is probably in another unit than the scores, whose size and range are given."""
    if not any(rope):
        return ()
    wide = max(-rope[0], rope[1])
    shown = f"±{wide:g}" if rope[0] == -rope[1] else f"[{rope[0]:g}, {rope[1]:g}]"
    if size > MUCH and wide < LITTLE * size:
        return (f"The scores reach {size:.3g}, but the ROPE is {shown}: a ROPE is in units of the scores.",)
    if wide > spread > 0:
        return (
            f"The ROPE, {shown}, is wider than the difference of any two scores: a ROPE is in units of the scores.",
        )
    return ()
