"""Verdicts in words, ROPEs as they are given, and what is said where a verdict would mislead."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval, holds
from outperform.verdicts.interval import hdi as interval_of
from outperform.verdicts.rule import Rule

__all__ = [
    "FEWEST_UNITS",
    "OUTCOMES",
    "REQUIREMENTS",
    "Decision",
    "ItemsAlone",
    "RopeLike",
    "as_rope",
    "lean_remarks",
    "rope_remarks",
]

RopeLike: TypeAlias = float | np.floating | np.integer | Interval

MORE = "more data needed"
OUTCOMES: dict[str, tuple[str, str, str]] = {
    "equivalent": ("≈", "~", "{a} and {b} are practically the same"),
    "worse": ("≪", "<<", "{a} is worse than {b}"),
    "better": ("≫", ">>", "{a} is better than {b}"),
    "slightly_worse": ("<", "<", "{a} looks worse than {b}, but not surely: " + MORE),
    "slightly_better": (">", ">", "{a} looks better than {b}, but not surely: " + MORE),
    "undecided": ("?", "?", "it is open which of {a} and {b} is better: " + MORE),
}
FEWEST_UNITS = 10  # weighed without a prior: with fewer, 12% and more of equal systems would be told apart
PERCENT = 100.0  # up to which a ROPE that is too large may have been meant as a percentage
MUCH = 1.5  # scores above this are no proportions
LITTLE = 1e-3  # of the largest score: a ROPE this narrow is likely meant for another unit
VERDICTS = ("equivalent", "worse", "better")
REQUIREMENTS = ("better", "not-worse", "equivalent")


@dataclass(frozen=True)
class Decision:
    """One of six outcomes, said of the first classifier: as a name, as a symbol and in words."""

    name: str
    symbol: str
    ascii: str
    text: str

    @property
    def decided(self) -> bool:
        """Whether it is a verdict: better, worse or equivalent."""
        return self.name in VERDICTS

    @classmethod
    def of(cls, name: str, a: str, b: str) -> Decision:
        """Word an outcome for two classifiers."""
        symbol, plain, words = OUTCOMES[name]
        return cls(name, symbol, plain, words.format(a=a, b=b))


@dataclass(frozen=True)
class ItemsAlone:
    """The difference as the items have it without a prior: what was observed, and the item bootstrap.

    Attributes
    ----------
    observed, mean : float
        Observed difference, and mean over resamples of the items.
    hdi : (float, float)
        Of the resamples.
    moved : float
        How far the posterior was moved because systems are drawn together, which is no matter of the items.
    """

    observed: float
    mean: float
    hdi: Interval
    moved: float = 0.0

    @classmethod
    def of(cls, observed: FloatArray, resampled: FloatArray, moved: float = 0.0) -> ItemsAlone | None:
        """From the observed scores of two and their resamples, of shape (draws, 2); None where one is not defined."""
        difference = float(observed[0] - observed[1])
        if not isfinite(difference):
            return None
        draws = np.ascontiguousarray(resampled[:, 0] - resampled[:, 1])
        return cls(difference, float(draws.mean()), interval_of(draws), moved)

    def contradict(self, hdi: Interval) -> bool:
        """Whether the items point elsewhere than a posterior with this HDI.

        They do if the observed difference lies outside it, or if the resamples have the other sign than all of it.
        """
        other_side = (hdi[0] > 0 > self.mean) or (hdi[1] < 0 < self.mean)
        return other_side or not holds(hdi, self.observed + self.moved)

    def remark(self, hdi: Interval) -> str:
        """Why there is no verdict."""
        low, high = self.hdi
        return (
            f"No verdict: the HDI [{hdi[0]:+.3f}, {hdi[1]:+.3f}] rests on what classes learn from each other, and the "
            f"items alone point elsewhere (observed {self.observed:+.3f}, item bootstrap {self.mean:+.3f} "
            f"[{low:+.3f}, {high:+.3f}])."
        )


def as_rope(rope: RopeLike | None, *, bounded: bool = True, to_the_ends: bool = False) -> Interval | None:
    """Take a ROPE as a half-width or as (low, high); it is absolute, holds 0 and lies between -1 and 1.

    Unless it is of scores that may have any size (`bounded=False`). One that reaches ±1 makes all scores the same; only
    a result that is there may be judged by it (`to_the_ends=True`).
    """
    if rope is None:
        return None
    try:
        ends = np.asarray(rope)
    except ValueError:  # ragged
        ends = np.asarray(None)
    if ends.dtype.kind not in "iuf" or ends.shape not in ((), (2,)):
        raise ValueError(f"rope must be a number or a pair (low, high), got {rope!r}")
    low, high = (-float(ends), float(ends)) if ends.ndim == 0 else (float(ends[0]), float(ends[1]))
    wide = max(-low, high)
    within = wide <= 1 if to_the_ends else wide < 1
    if not (isfinite(low) and isfinite(high)) or (bounded and not within):
        wanted = "lie between -1 and 1" if bounded else "be finite"
        raise ValueError(f"rope must {wanted}, got {rope!r}; it is in units of the measure{_percent(low, high)}")
    if low > high and ends.ndim == 0:
        raise ValueError(f"rope must not be negative, got {rope!r}; {low:g} stands for {high:g} to {low:g}")
    if low > high:
        raise ValueError(f"rope is reversed: its low end {low:g} is above its high end {high:g}")
    if not low <= 0 <= high:
        raise ValueError(f"rope must hold 0, no difference at all, got [{low:g}, {high:g}]")
    return low + 0.0, high + 0.0  # no −0


def _percent(low: float, high: float) -> str:
    """Ask for a share, where a percentage was given."""
    return f"; did you mean {high / 100:g}?" if low == -high and 1 < high <= PERCENT else ""


def lean_remarks(name: str, mean: float, rule: Rule) -> tuple[str, ...]:
    """Warn where "looks better" or "looks worse" holds of the middle of an uneven ROPE and not of 0."""
    middle = (rule.rope[0] + rule.rope[1]) / 2
    above = (name == "slightly_better") == rule.greater_is_better
    if not name.startswith("slightly") or not middle or (mean > 0) == above:
        return ()
    side = "above" if above else "below"
    return (
        f"The HDI lies {side} the middle of the ROPE, {middle:+g}, which is what the verdict goes by; not so of 0.",
    )


def rope_remarks(rope: Interval, size: float, spread: float) -> tuple[str, ...]:
    """Warn of a ROPE that is likely in another unit than scores of this size, which differ by no more than `spread`."""
    if not any(rope):
        return ()
    wide = max(-rope[0], rope[1])
    shown = f"±{wide:g}" if rope[0] == -rope[1] else f"[{rope[0]:g}, {rope[1]:g}]"
    if size > MUCH and wide < LITTLE * size:
        return (f"Scores go up to {size:.3g} while the ROPE is {shown}: a ROPE is in units of the scores.",)
    if wide > spread > 0:
        return (f"No two scores are as far apart as the ROPE, {shown}, is wide: a ROPE is in units of the scores.",)
    return ()
