"""Printed figures compared with recomputed ones, and the claims of a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi, sqrt

from outperform.formats import numbers
from outperform.results import Comparison

__all__ = ["DRAWS", "Cell", "Claim", "Held", "chain_error", "figures", "held", "settled"]

ROUNDING = 1e-9  # of sums of decimals
DRAWS = 50_000  # of the papers' Markov chains


@dataclass(frozen=True)
class Held:
    """The tolerance of a column, and the number of digits with which it is printed.

    A share is of the printed figure, of which half a unit of the last digit may always be missing.
    """

    tolerance: float
    digits: int = 3
    share: bool = False

    def __str__(self) -> str:
        """As it is written below a table: ±0.003, ±20%."""
        return f"±{100 * self.tolerance:g}%" if self.share else f"±{self.tolerance:g}"

    def allowed(self, printed: float) -> float:
        """The largest difference from a printed figure that is allowed."""
        return max(self.tolerance * abs(printed), 0.5 * 10.0**-self.digits) if self.share else self.tolerance


@dataclass(frozen=True)
class Cell:
    """One figure of a table: where it stands, as printed, as computed, and the tolerance.

    A word, such as a verdict, has to be the same. Where it is known why a cell is off, `reason` says it.
    """

    row: tuple[str, ...]
    column: str
    printed: float | str
    computed: float | str
    tolerance: float | None
    allowed: str  # the same in words
    digits: int
    within: bool
    reason: str = ""

    @classmethod
    def of(cls, row: Sequence[str], column: str, printed: float, computed: float, how: Held, reason: str = "") -> Cell:
        """Compare two figures; the reason is what may explain a difference."""
        allowed = how.allowed(printed)
        within = abs(printed - computed) <= allowed + ROUNDING
        why = "" if within else reason
        return cls(tuple(row), column, printed, computed, allowed, str(how), how.digits, within, why)

    @classmethod
    def word(cls, row: Sequence[str], column: str, printed: str, computed: str) -> Cell:
        """Compare two words."""
        return cls(tuple(row), column, printed, computed, None, "must be equal", 0, printed == computed)

    @property
    def holds(self) -> bool:
        """Whether it is within its tolerance, or known why it is not."""
        return self.within or bool(self.reason)

    def shown(self) -> tuple[str, str]:
        """As printed and as computed, marked * if outside the tolerance for a known reason, ! if without one."""
        mark = "" if self.within else "*" if self.reason else "!"
        paper, ours = (
            x if isinstance(x, str) else numbers.score(round(x, self.digits) + 0.0, self.digits)
            for x in (self.printed, self.computed)
        )
        return paper, ours + mark


@dataclass(frozen=True)
class Claim:
    """A statement of a paper about its table or figure, or about an error in it, and whether it holds."""

    text: str
    holds: bool


def held(
    row: Sequence[str],
    printed: Mapping[str, str],
    computed: Mapping[str, float],
    columns: Mapping[str, Held],
    reasons: Mapping[str, str] | None = None,
) -> list[Cell]:
    """The cells of one row, column by column."""
    known = reasons or {}
    return [
        Cell.of(row, name, float(printed[name]), computed[name], how, known.get(name, ""))
        for name, how in columns.items()
    ]


def figures(r: Comparison) -> dict[str, float]:
    """The numbers of a comparison that both papers print, by the names of their columns."""
    assert r.rope is not None
    return {
        "mean": r.delta.mean,
        "std": r.delta.sd,
        "bf_sd": r.savage_dickey_kde() or 0.0,
        "pct_below": 100 * r.delta.p_less,
        "pct_above": 100 * r.delta.p_greater,
        "pct_rope": 100 * r.rope.probability,
        "hdi_low": r.delta.hdi[0],
        "hdi_high": r.delta.hdi[1],
    }


def chain_error(factor: float, prior: float, sd: float, effective: int) -> float:
    """The Monte-Carlo error of a Bayes factor by kernel densities.

    Parameters
    ----------
    factor : float
        As printed.
    prior : float
        The density of δ at 0 before the data.
    sd : float
        Of δ after the data; the kernel is as wide as Scott's rule says.
    effective : int
        Independent draws that the chain is worth.
    """
    height, width = factor * prior, sd * DRAWS**-0.2
    return factor * sqrt(1 / (2 * sqrt(pi)) / (effective * width * height)) if height else 0.0


def settled(r: Comparison) -> bool:
    """Whether the two halves of the draws have the same mean, to four Monte-Carlo errors."""
    delta = r.draws[:, 0] - r.draws[:, 1]
    half = len(delta) // 2
    return bool(abs(delta[:half].mean() - delta[half:].mean()) < 4 * 2 * r.delta.mc_error)
