"""Goals of a study: the HDI lies in one of some regions, or is narrow enough.

    better       above the ROPE            not_worse    above the ROPE's lower end
    worse        below it                  decided      above, below or within it
    equivalent   within it                 precise      no wider than a width

Borders belong to their region, as in a verdict. If lower is better, the first two are swapped, and not_worse lies
below the upper end.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import check_known
from outperform.base.sentences import invalid
from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval
from outperform.verdicts.rule import Rule
from outperform.verdicts.rules import rule_for

__all__ = ["GOALS", "Goal"]

MID_ERROR = 0.002  # Monte-Carlo error of the HDI's mid-point with 50,000 draws, in units of the HDI's width
GOALS = ("better", "worse", "equivalent", "decided", "not_worse")


@dataclass(frozen=True)
class Goal:
    """A name, the regions of which one has to contain the HDI, and the largest width of the HDI."""

    name: str
    rope: Interval | None
    regions: tuple[Interval, ...]
    width: float = inf
    greater_is_better: bool = True

    @classmethod
    def of(cls, name: str, rope: Interval | None, *, greater_is_better: bool = True) -> Goal:
        """Return a goal by its name; `not-worse` is accepted for `not_worse`."""
        name = str(name).replace("-", "_")
        check_known("goal", name, GOALS)
        if rope is None:
            found = f"the goal {name!r} needs a ROPE, the differences that do not matter to you"
            raise invalid("{found}; give {rope}", found=found)
        if name == "equivalent" and rope[0] == rope[1]:
            raise invalid("nothing can be equivalent within a ROPE of width 0; give a wider one with {rope}")
        regions = rule_for(rope, greater_is_better=greater_is_better).regions(name)
        return cls(name, rope, regions, greater_is_better=greater_is_better)

    @classmethod
    def asked(
        cls, name: str | None, rope: Interval | None, width: float | None, *, greater_is_better: bool = True
    ) -> Goal:
        """Return a goal by its name (default: decided), or the goal of a width."""
        if width is None:
            return cls.of("decided" if name is None else name, rope, greater_is_better=greater_is_better)
        if name is not None:
            raise invalid(
                "give a goal or a width, not both; got {goal:{name!r}} and {width:{given!r}}", name=name, given=width
            )
        return cls.precise(width, rope, greater_is_better=greater_is_better)

    @classmethod
    def precise(cls, width: float, rope: Interval | None = None, *, greater_is_better: bool = True) -> Goal:
        """Return the goal of an HDI no wider than this, wherever it lies."""
        if np.ndim(width) or np.asarray(width).dtype.kind not in "iuf" or not 0 < width < 2:
            raise ValueError(f"width must be a number between 0 and 2, as in 0.04 for ±0.02, got {width!r}")
        return cls("precise", rope, ((-inf, inf),), float(width), greater_is_better)

    def reached(self, low: FloatArray, high: FloatArray) -> NDArray[np.bool_]:
        """Return whether HDIs with these ends reach the goal."""
        narrow: NDArray[np.bool_] = high - low <= self.width
        return narrow if self.rule is None or self.name == "precise" else narrow & self.rule.meets(self.name, low, high)

    def open_to(self, delta: Any) -> NDArray[np.bool_]:
        """Return whether the goal can be reached for these true differences, given unlimited data.

        On a border the probability of a verdict does not tend to 0 or 1.
        """
        delta = np.asarray(delta)
        if self.name in ("decided", "precise"):
            return np.ones(delta.shape, dtype=np.bool_)
        inside: NDArray[np.bool_] = np.logical_or.reduce(
            [(delta > start) & (delta < end) for start, end in self.regions]
        )
        return inside

    def wanted(self) -> str:
        """Return where the true difference must lie for the goal to be reachable."""

        def said(region: Interval) -> str:
            start, end = region
            if start == -inf:
                return f"below {end:+g}"
            return f"above {start:+g}" if end == inf else f"between {start:+g} and {end:+g}"

        return " or ".join(map(said, self.regions))

    def margin(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the distance of the ends from where the goal, or the verdict, would change."""
        borders = {end for region in self.regions for end in region if abs(end) < inf} | set(self.rope or ())
        near: FloatArray = np.full(np.shape(low), inf)
        for border in borders:
            near = np.minimum(near, np.minimum(np.abs(low - border), np.abs(high - border)))
        return near if self.width == inf else np.minimum(near, np.abs(high - low - self.width))

    def outcomes(self, low: FloatArray, high: FloatArray) -> NDArray[np.str_] | None:
        """Return the outcomes of HDIs with these ends; None without a ROPE."""
        return None if self.rule is None else self.rule.outcomes(low, high, MID_ERROR * (high - low))

    @property
    def rule(self) -> Rule | None:
        """The rule by which HDIs are judged; None without a ROPE."""
        return None if self.rope is None else rule_for(self.rope, greater_is_better=self.greater_is_better)
