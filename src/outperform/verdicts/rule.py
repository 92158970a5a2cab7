"""The decision rule: the HDI of the difference against the ROPE (SIGIR'16 §3.2.2, ICDM'15 §III-B).

Every verdict is decided here: of comparisons, pairs of a ranking, folds, requirements, and simulated studies. The
script of the report implements the same rule, for ROPEs that its reader drags.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval
from outperform.verdicts.marginal import Marginal

__all__ = ["EQUIVALENT", "UNDECIDED", "Rule", "decide"]

UNDECIDED, EQUIVALENT = "undecided", "equivalent"
Ends: TypeAlias = float | FloatArray


@dataclass(frozen=True)
class Rule:
    """Intervals of δ, first minus second, against a ROPE; borders are inclusive.

    Attributes
    ----------
    rope : (float, float)
        The ROPE.
    greater_is_better : bool
        False for error rates, where a positive difference means that the first is worse.
    """

    rope: Interval
    greater_is_better: bool = True

    def verdicts(self, low: Ends, high: Ends) -> Mapping[str, NDArray[np.bool_]]:
        """Return, per verdict, which HDIs with these ends have it; without a verdict, more data are needed."""
        start, end = self.rope
        within = np.asarray((low >= start) & (high <= end))
        below, above = ~within & (high <= start), ~within & (low >= end)
        better, worse = (above, below) if self.greater_is_better else (below, above)
        return {"equivalent": within, "worse": worse, "better": better}

    def outcomes(self, low: Ends, high: Ends, mid_error: Ends = 0.0) -> NDArray[np.str_]:
        """Return the outcomes of HDIs with these ends: a verdict, or the side of the ROPE's middle that they lean to.

        An HDI leans to no side if its mid-point is nearer to the ROPE's than twice `mid_error`, its Monte-Carlo error.
        """
        apart, known = self._apart(low, high), self.verdicts(low, high)
        open_ = np.isnan(apart) | (np.abs(apart) / 2 <= mid_error)
        return np.select([*known.values(), open_, apart > 0], [*known, UNDECIDED, "slightly_better"], "slightly_worse")

    def outcome(self, hdi: Interval, mid_error: float = 0.0) -> str:
        """Return the outcome of one HDI; as `outcomes`, in a tenth of the time."""
        for name, holds in self.verdicts(*hdi).items():
            if holds:
                return name
        apart = float(self._apart(*hdi))
        if not abs(apart) / 2 > mid_error:
            return UNDECIDED
        return "slightly_better" if apart > 0 else "slightly_worse"

    def _apart(self, low: Ends, high: Ends) -> FloatArray:
        """Return how far the mid-points of HDIs are from the ROPE's, on the side where the first is better."""
        with np.errstate(invalid="ignore"):  # an HDI with infinite ends has no mid-point
            apart: FloatArray = (np.asarray(low) + high) / 2 - (self.rope[0] + self.rope[1]) / 2
        return apart if self.greater_is_better else -apart

    def of(self, posterior: Marginal, hdi: Interval, mass: float, *, exchangeable: bool = False) -> str:
        """Return the outcome of the posterior of a difference; undecided if it has too few draws.

        The Monte-Carlo error of the mid-point takes longer to compute than all the rest,
        so it is computed only if it matters. An HDI leans to a side only if most of the probability lies there too.
        If the two systems are exchangeable, it leans to no side.
        """
        if not posterior.decisive:
            return UNDECIDED
        name = self.outcome(hdi)
        if exchangeable:
            return name if name == EQUIVALENT else UNDECIDED
        if not name.startswith("slightly"):
            return name
        above = posterior.above((self.rope[0] + self.rope[1]) / 2) > 0.5
        if above != ((name == "slightly_better") == self.greater_is_better):
            return UNDECIDED
        return self.outcome(hdi, posterior.mid_error(mass))

    def meets(self, goal: str, low: Ends, high: Ends) -> NDArray[np.bool_]:
        """Return whether HDIs with these ends meet a goal: a verdict by its name, `decided` (any), or `not_worse`.

        Not worse means above the ROPE's lower end, or below its upper one if lower is better.
        """
        known = self.verdicts(low, high)
        if goal == "decided":
            return known["equivalent"] | known["worse"] | known["better"]
        if goal == "not_worse":
            return np.asarray(low >= self.rope[0] if self.greater_is_better else high <= self.rope[1])
        return known[goal]

    def regions(self, goal: str) -> tuple[Interval, ...]:
        """Return the regions in which an HDI meets the goal; a ROPE of width 0 contains no HDI."""
        low, high = self.rope
        above, below, within = (high, inf), (-inf, low), (low, high)
        better, worse = (above, below) if self.greater_is_better else (below, above)
        return {
            "better": (better,),
            "worse": (worse,),
            "equivalent": (within,),
            "decided": (better, worse, within) if low < high else (better, worse),
            "not_worse": ((low, inf) if self.greater_is_better else (-inf, high),),
        }[goal]


def decide(hdi: Interval, rope: Interval, *, mid_error: float = 0.0, greater_is_better: bool = True) -> str:
    """Return the outcome for an HDI and a ROPE, borders inclusive, in the papers' order.

    Parameters
    ----------
    hdi, rope : (float, float)
        Intervals of the difference, first minus second.
    mid_error : float
        Monte-Carlo error of the HDI's mid-point. If the two mid-points are equal, or nearer than
        twice this error, the draws do not resolve the side and the outcome is undecided.
    greater_is_better : bool
        False for error rates, where a positive difference means that the first is worse.

    Examples
    --------
    >>> import outperform as op
    >>> op.decide((0.06, 0.13), (-0.05, 0.05))
    'better'
    >>> op.decide((0.06, 0.13), (-0.05, 0.05), greater_is_better=False)
    'worse'
    """
    return Rule(rope, greater_is_better).outcome(hdi, mid_error)
