"""A recomputed table or figure of a paper, and all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from outperform.base.signature import Signature
from outperform.formats.table import Column, Table
from outperform.render.report import Exhibit, Picture, exhibits
from outperform.reproduction.cells import Cell, Claim
from outperform.results.base import Plain

__all__ = ["Reproduction", "Reproductions"]

LEGEND = (
    "Upper row: the paper; lower row: recomputed. A figure outside its tolerance is marked * if the reason is known, "
    "and ! if not."
)
MANY = 6  # cells, above which it is said how many there are


@dataclass(frozen=True, repr=False, kw_only=True)
class Reproduction(Plain):
    """A table or a figure of a paper, cell by cell, and what the paper says of it."""

    name: str = ""
    title: str = ""
    labels: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    signature: Signature = field(default_factory=partial(Signature.of, {}))
    pictures: tuple[Picture, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        """One line that can be pasted into an e-mail."""
        return f"{self.name}: {', '.join(self._said())}"

    @property
    def holds(self) -> bool:
        """Whether every claim holds, and every cell is within its tolerance or known to be a slip."""
        return not self.off()

    def off(self) -> list[str]:
        """The cells outside their tolerance without a known reason, and the claims that do not hold."""
        cells = [f"{cell.column} of {' '.join(cell.row)}" for cell in self.cells if not cell.holds]
        claims = [claim.text for claim in self.claims if not claim.holds]
        return [f"{self.name}, {text}" for text in (*cells, *claims)]

    @property
    def near(self) -> int:
        """Number of cells within their tolerances."""
        return sum(cell.within for cell in self.cells)

    @property
    def known(self) -> int:
        """Number of cells that are off for a known reason."""
        return sum(bool(cell.reason) for cell in self.cells)

    def records(self) -> Sequence[dict[str, Any]]:
        """A flat row for each cell and each claim."""
        rows = [(" ".join(c.row), c.column, c.printed, c.computed, c.tolerance, c.within, c.reason) for c in self.cells]
        rows += [(c.text, "claim", "holds", _holds(c), None, c.holds, "") for c in self.claims]
        keys = ("row", "column", "printed", "computed", "tolerance", "within", "reason")
        return [{"name": self.name} | dict(zip(keys, row, strict=True)) for row in rows]

    def tables(self) -> Sequence[Table]:
        """The paper's figures and below each of them ours; of a figure without any, what the paper says of it."""
        remarks = [*self._reasons(), *self.notes]
        if not self.cells:
            rows = [[claim.text, _holds(claim)] for claim in self.claims]
            columns = [Column("claim of the paper", "l"), Column("recomputed", "l")]
            return [Table(columns, rows, self.title, self.signature, remarks)]
        remarks = [LEGEND, f"{self._said()[0]} ({self._tolerances()}).", *remarks]
        remarks += [f"{_holds(claim).capitalize()}: {claim.text}." for claim in self.claims]
        names = list(dict.fromkeys(cell.column for cell in self.cells))
        columns = [*(Column(label, "l") for label in self.labels), Column("", "l"), *map(Column, names)]
        return [Table(columns, self._lines(names), self.title, self.signature, remarks)]

    def _lines(self, names: Sequence[str]) -> list[list[str]]:
        rows: dict[tuple[str, ...], dict[str, tuple[str, str]]] = {}
        for cell in self.cells:
            rows.setdefault(cell.row, {})[cell.column] = cell.shown()
        lines = []
        for row, cells in rows.items():
            paper, ours = zip(*(cells.get(name, ("", "")) for name in names), strict=True)
            lines += [[*row, "paper", *paper], [*("" for _ in row), "ours", *ours]]
        return lines

    def _said(self) -> list[str]:
        said = []
        if self.cells:
            off = len(self.cells) - self.near - self.known
            more = f", {self.known} outside for known reasons" if self.known else ""
            more += f", {off} outside for unknown reasons" if off else ""
            said.append(f"{self.near} of {len(self.cells)} cells are within tolerance{more}")
        if self.claims:
            said.append(f"{sum(claim.holds for claim in self.claims)} of {len(self.claims)} claims hold")
        return said

    def _tolerances(self) -> str:
        """The tolerances of the columns."""
        columns = _grouped((cell.column, cell.allowed) for cell in self.cells)
        same = _grouped((" or ".join(allowed), name) for name, allowed in columns.items())
        return "; ".join(f"{', '.join(names)} {allowed}" for allowed, names in same.items())

    def _reasons(self) -> list[str]:
        """Why cells are off, and which."""
        off = [(cell.reason, f"{cell.column} of {' '.join(cell.row)}") for cell in self.cells if cell.reason]
        return [f"* {_places(places)}: {reason}." for reason, places in _grouped(off).items()]


@dataclass(frozen=True, repr=False)
class Reproductions(Plain):
    """Several reproductions, written together."""

    each: tuple[Reproduction, ...]
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """One line that can be pasted into an e-mail."""
        cells, near, known, claims, kept = (sum(column) for column in zip(*map(_counted, self.each), strict=True))
        return (
            f"{len(self.each)} tables and figures: {near} of {cells} cells are within tolerance, {known} outside for "
            f"known reasons, {cells - near - known} for unknown reasons; {kept} of {claims} claims hold"
        )

    @property
    def holds(self) -> bool:
        """Whether all reproductions hold."""
        return not self.off()

    def off(self) -> list[str]:
        """The cells and claims that do not hold."""
        return [text for one in self.each for text in one.off()]

    def records(self) -> Sequence[dict[str, Any]]:
        """A flat row for each cell and each claim."""
        return [record for one in self.each for record in one.records()]

    def tables(self) -> Sequence[Table]:
        """An overview, and then each table."""
        return [self.overview(), *(table for one in self.each for table in one.tables())]

    def overview(self) -> Table:
        """The number of cells and claims that hold, per table."""
        names = ("cells", "within", "known reason", "unknown reason", "claims", "hold")
        rows = []
        for one in self.each:
            cells, near, known, claims, kept = _counted(one)
            rows.append([one.name, *map(str, (cells, near, known, cells - near - known, claims, kept))])
        columns = [Column("", "l"), *map(Column, names)]
        return Table(columns, rows, "Three papers, table by table and figure by figure", remarks=self.left_out)


@exhibits.of(Reproduction)
def with_pictures(shown: Reproduction) -> Sequence[Exhibit]:
    """The table, and the pictures below it."""
    return [Exhibit(table, shown.pictures) for table in shown.tables()]


@exhibits.of(Reproductions)
def all_with_pictures(several: Reproductions) -> Sequence[Exhibit]:
    """An overview, and then each table."""
    return [Exhibit(several.overview()), *(shown for one in several.each for shown in with_pictures(one))]


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The different values of each key, in order."""
    groups: dict[str, dict[str, None]] = {}
    for key, value in pairs:
        groups.setdefault(key, {})[value] = None
    return {key: list(values) for key, values in groups.items()}


def _counted(one: Reproduction) -> tuple[int, int, int, int, int]:
    return len(one.cells), one.near, one.known, len(one.claims), sum(claim.holds for claim in one.claims)


def _holds(claim: Claim) -> str:
    return "holds" if claim.holds else "does not hold"


def _places(places: Sequence[str]) -> str:
    """The cells that are off; of many, the number per column."""
    if len(places) <= MANY:
        return ", ".join(places)
    columns = Counter(place.split(" of ")[0] for place in places)
    return ", ".join(f"{number} of {name}" for name, number in columns.items())
