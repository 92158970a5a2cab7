"""The same comparison under other priors: does the verdict depend on what was assumed before the data?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outperform.formats.escaping import label
from outperform.formats.table import Table
from outperform.results.base import Listed
from outperform.results.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Sensitivity"]


@dataclass(frozen=True, repr=False)
class Sensitivity(Listed[Comparison]):
    """One comparison for each prior. Made by `Comparison.sensitivity`."""

    rows: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """One line a prior."""
        return "\n".join(f"{label(row.prior)}: {row!r}" for row in self.rows)

    @property
    def robust(self) -> bool:
        """Whether the verdict is the same under every prior; without a ROPE, whether the HDI leaves out 0 or not."""
        if self.rows[0].decision is not None:
            return len({row.decision and row.decision.name for row in self.rows}) == 1
        return len({(row.delta.hdi[0] > 0, row.delta.hdi[1] < 0) for row in self.rows}) == 1

    def compared(self) -> Sequence[tuple[str, Comparison]]:
        """Each by its prior."""
        return [(row.prior, row) for row in self.rows]

    def records(self) -> Sequence[dict[str, Any]]:
        """A flat row for each prior."""
        return [{"prior": row.prior} | row.record() for row in self.rows]

    def to_dict(self) -> list[dict[str, Any]]:
        """The documented JSON of each comparison, in a list."""
        return [row.to_dict() for row in self.rows]

    def tables(self) -> Sequence[Table]:
        """A line for each prior."""
        from outperform.render.tables import sensitivity_table

        return [sensitivity_table(self)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw δ with its HDI under each prior, the ROPE and the verdicts (needs matplotlib)."""
        from outperform.render.plots import sensitivity

        return sensitivity(self, ax)
