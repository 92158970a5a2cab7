"""The rule that verdicts go by: where the HDI lies against the ROPE (SIGIR'16 §3.2.2, ICDM'15 §III-B).

Every verdict is read off here: of comparisons, pairs of a ranking, folds, gates, and the studies of a plan. The script
of the report has the same rule, for ROPEs that its reader drags.
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

__all__ = ["UNDECIDED", "Rule", "decide"]

UNDECIDED = "undecided"
Ends: TypeAlias = float | FloatArray


@dataclass(frozen=True)
class Rule:
    """Intervals of δ, first minus second, against a region in which differences do not matter; borders inclusive.

    Attributes
    ----------
    rope : (float, float)
        The region.
    greater_is_better : bool
        False for error rates, where a positive difference speaks against the first.
    """

    rope: Interval
    greater_is_better: bool = True

    def verdicts(self, low: Ends, high: Ends) -> Mapping[str, NDArray[np.bool_]]:
        """Which HDIs with these ends give which verdict; where none does, more data are needed."""
        start, end = self.rope
        within = np.asarray((low >= start) & (high <= end))
        below, above = ~within & (high <= start), ~within & (low >= end)
        better, worse = (above, below) if self.greater_is_better else (below, above)
        return {"equivalent": within, "worse": worse, "better": better}

    def outcomes(self, low: Ends, high: Ends, mid_error: Ends = 0.0) -> NDArray[np.str_]:
        """Name the outcomes of HDIs with these ends: a verdict, or the side of the ROPE's middle that they lean to.

        Those whose middle is nearer to it than twice `mid_error`, its Monte-Carlo error, lean to neither side.
        """
        with np.errstate(invalid="ignore"):  # an HDI without ends has no middle
            apart = (np.asarray(low) + high) / 2 - (self.rope[0] + self.rope[1]) / 2
        apart = apart if self.greater_is_better else -apart
        known = self.verdicts(low, high)
        open_ = np.isnan(apart) | (np.abs(apart) / 2 <= mid_error)
        return np.select([*known.values(), open_, apart > 0], [*known, UNDECIDED, "slightly_better"], "slightly_worse")

    def outcome(self, hdi: Interval, mid_error: float = 0.0) -> str:
        """Name the outcome of one HDI."""
        return str(self.outcomes(*hdi, mid_error))

    def of(self, posterior: Marginal, hdi: Interval, mass: float, *, exchangeable: bool = False) -> str:
        """Name the outcome that the posterior of a difference amounts to: undecided where it has too few draws.

        Telling from Monte-Carlo noise on which side of the ROPE's middle the HDI lies takes longer than all the rest,
        so it is done only where it matters. An HDI leans to a side only if most of the probability lies there too.
        Where the two systems are exchangeable there are no sides.
        """
        if not posterior.decisive:
            return UNDECIDED
        name = self.outcome(hdi)
        if exchangeable:
            return name if name == "equivalent" else UNDECIDED
        if not name.startswith("slightly"):
            return name
        above = posterior.above((self.rope[0] + self.rope[1]) / 2) > 0.5
        if above != ((name == "slightly_better") == self.greater_is_better):
            return UNDECIDED
        return self.outcome(hdi, posterior.mid_error(mass))

    def meets(self, goal: str, low: Ends, high: Ends) -> NDArray[np.bool_]:
        """Whether HDIs with these ends do: a verdict by its name, `decided` (any), or `not_worse`.

        Not worse is what stays above the ROPE's lower end, or below its upper one where lower is better.
        """
        known = self.verdicts(low, high)
        if goal == "decided":
            return known["equivalent"] | known["worse"] | known["better"]
        if goal == "not_worse":
            return np.asarray(low >= self.rope[0] if self.greater_is_better else high <= self.rope[1])
        return known[goal]

    def regions(self, goal: str) -> tuple[Interval, ...]:
        """Between which ends an HDI meets the goal; a ROPE of no width has nothing within."""
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
    """Name the outcome for an HDI and a ROPE, borders inclusive, in the papers' order.

    Parameters
    ----------
    hdi, rope : (float, float)
        Intervals of the difference, first minus second.
    mid_error : float
        Monte-Carlo error of the HDI's mid-point. Where the two mid-points are equal, or nearer than
        twice this error, the draws do not tell the side and the outcome is undecided.
    greater_is_better : bool
        False for error rates, where a positive difference speaks against the first.

    Examples
    --------
    >>> import outperform as op
    >>> op.decide((0.06, 0.13), (-0.05, 0.05))
    'better'
    >>> op.decide((0.06, 0.13), (-0.05, 0.05), greater_is_better=False)
    'worse'
    """
    return Rule(rope, greater_is_better).outcome(hdi, mid_error)
