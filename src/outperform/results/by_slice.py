"""One comparison per slice of the items: languages, segments, days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from outperform.base.errors import listing
from outperform.data.labels import Label
from outperform.results import views
from outperform.results.base import Listed
from outperform.results.comparison import Comparison
from outperform.verdicts.decision import RopeLike

__all__ = ["BySlice"]


@dataclass(frozen=True, repr=False)
class BySlice(Listed[Comparison]):
    """The same two systems compared in each slice. Created by `op.compare(…, by=…)` and `op.compare_tasks`."""

    slices: tuple[Label, ...]
    rows: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()
    fdr: float | None = field(default=None, compare=False)  # largest expected share of wrong verdicts
    kind: str = field(default="slice", compare=False)  # what texts call a slice

    def judged(self, rows: Sequence[Comparison]) -> BySlice:
        """Return the same slices with other rows, judged together."""
        return replace(self, rows=Comparison.together(rows, self.fdr))

    def __getitem__(self, value: Label) -> Comparison:
        """Return the comparison in one slice."""
        if value not in self.slices:
            raise KeyError(f"no slice {value!r}; there are {listing(self.slices)}")
        return self.rows[self.slices.index(value)]

    def records(self) -> Sequence[dict[str, Any]]:
        """Return a flat row per slice."""
        return [{"slice": value} | row.record() for value, row in self._pairs()]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the documented JSON of each comparison with its slice, in a list."""
        return [{"slice": value} | row.to_dict() for value, row in self._pairs()]

    def with_rope(self, rope: RopeLike | None) -> BySlice:
        """Return the same draws judged by another ROPE."""
        return self.judged([row.with_rope(rope) for row in self.rows])

    def with_mass(self, mass: float) -> BySlice:
        """Return the same draws with HDIs of another mass."""
        return self.judged([row.with_mass(mass) for row in self.rows])

    def plot(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot mean and HDI by slice, with the ROPE and the verdicts (needs matplotlib)."""
        return views.plot(self, ax)

    def _pairs(self) -> Iterator[tuple[Label, Comparison]]:
        return zip(self.slices, self.rows, strict=True)
