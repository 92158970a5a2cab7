"""The papers' tables computed anew, beside what was printed: our numbers checked in one command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from outperform.datasets import printed
from outperform.errors import unknown
from outperform.planning.truths import Truth
from outperform.render.table import Column, Table
from outperform.results.base import Plain
from outperform.verbs.power import power

__all__ = ["REPRODUCTIONS", "Cell", "Reproduction", "run"]

TABLE_3 = {
    "a": Truth(0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3)),
    "b": Truth(0.5, positive=(0.3, 0.2, 0.2, 0.3), negative=(0.3, 0.2, 0.2, 0.3)),
}
TABLE_3_TOLERANCE = 0.1  # the paper does not say how many studies it simulated; about a hundred by its steps


@dataclass(frozen=True)
class Cell:
    """One number of a table: where it stands, as printed, as computed, and how far the two may be apart."""

    row: tuple[str, ...]
    column: str
    printed: float
    computed: float
    tolerance: float
    within: bool

    @classmethod
    def of(cls, row: Sequence[str], column: str, printed: float, computed: float, tolerance: float) -> Cell:
        """Hold the two against each other."""
        return cls(tuple(row), column, printed, computed, tolerance, abs(printed - computed) <= tolerance)


@dataclass(frozen=True)
class Claim:
    """What a paper says of its table, and whether it holds in ours."""

    text: str
    holds: bool


@dataclass(frozen=True)
class Reproduction(Plain):
    """A table of a paper, cell by cell."""

    name: str
    title: str
    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    claims: tuple[Claim, ...]
    signature: str

    @property
    def holds(self) -> bool:
        """Whether every cell is within its tolerance and every claim holds."""
        return all(cell.within for cell in self.cells) and all(claim.holds for claim in self.claims)

    def records(self) -> Sequence[dict[str, Any]]:
        """A flat row for each cell."""
        return [
            dict(zip(self.labels, cell.row, strict=True))
            | {name: getattr(cell, name) for name in ("column", "printed", "computed", "tolerance", "within")}
            for cell in self.cells
        ]

    def tables(self) -> Sequence[Table]:
        """Printed and computed side by side, row by row, and whether they are near enough."""
        names = list(dict.fromkeys(cell.column for cell in self.cells))
        headers = [f"{name} {kind}" for name in names for kind in ("paper", "ours")]
        rows: dict[tuple[str, ...], list[Cell]] = {}
        for cell in self.cells:
            rows.setdefault(cell.row, []).append(cell)
        lines = [
            [*row, *(f"{value:.2f}" for cell in own for value in (cell.printed, cell.computed)), _mark(own)]
            for row, own in rows.items()
        ]
        columns = [*(Column(label, "l") for label in self.labels), *map(Column, headers), Column("near", "c")]
        good = sum(cell.within for cell in self.cells)
        remarks = [f"{good} of {len(self.cells)} cells are within {self.cells[0].tolerance:g} of the paper's."]
        remarks += [f"{'Holds' if claim.holds else 'Does not hold'}: {claim.text}." for claim in self.claims]
        return [Table(columns, lines, self.title, self.signature, remarks)]


def run(name: str, seed: int = 0) -> Reproduction:
    """Compute one of the tables anew."""
    if name not in REPRODUCTIONS:
        raise ValueError(unknown("reproduction", name, REPRODUCTIONS))
    title, compute = REPRODUCTIONS[name]
    return compute(name, title, seed)


def _table_3(name: str, title: str, seed: int) -> Reproduction:
    """The power of both models, at a ROPE of ±0.05, from 2,000 studies that both look at."""
    rows = printed("sigir2016_table3")
    cells = []
    for scenario, truth in TABLE_3.items():
        own = [row for row in rows if row["scenario"] == scenario]
        sizes, goal = [int(row["items"]) for row in own], own[0]["goal"]
        curves = {
            model: power(truth, sizes, goal, model=model, rope=0.05, rng=seed, studies=2_000)
            for model in ("unpaired", "paired")
        }
        for k, row in enumerate(own):
            labels = (scenario, goal, f"{sizes[k]:,}")
            for model, curve in curves.items():
                computed = curve.points[k].reached
                cells.append(Cell.of(labels, model, float(row[model]), computed, TABLE_3_TOLERANCE))
    apart, paired = ([cell.computed for cell in cells if cell.column == model] for model in ("unpaired", "paired"))
    claim = Claim("the paired model has at least the power of the unpaired one", all(map(float.__ge__, paired, apart)))
    signature = curves["paired"].signature
    return Reproduction(name, title, ("scenario", "goal", "items"), tuple(cells), (claim,), signature)


def _mark(cells: Sequence[Cell]) -> str:
    return "yes" if all(cell.within for cell in cells) else "no"


REPRODUCTIONS: dict[str, tuple[str, Callable[[str, str, int], Reproduction]]] = {
    "sigir2016-table3": ("SIGIR'16 Table 3: the power of the paired and of the unpaired model", _table_3),
}
