"""The harness: alternate ours and the reference, repeat, keep the minimum, print one table."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf
from time import perf_counter

__all__ = [
    "Bar", "Row", "at_least", "at_most", "exponent", "megabytes", "minima", "missing", "nanoseconds", "peak", "percent",
    "rate", "render", "seconds",
]  # fmt: skip


@dataclass(frozen=True)
class Bar:
    """What is wanted: a limit for the ratio, or for our own number."""

    limit: float
    sign: str
    own: bool

    def met(self, value: float) -> bool:
        """Whether a number is on the right side of the limit; nan never is."""
        return value <= self.limit if self.sign == "≤" else value >= self.limit


def at_most(limit: float, *, own: bool = False) -> Bar:
    return Bar(limit, "≤", own)


def at_least(limit: float, *, own: bool = False) -> Bar:
    return Bar(limit, "≥", own)


def seconds(value: float) -> str:
    """A time in a unit that suits it."""
    unit, factor = ("s", 1.0) if value >= 1 else ("ms", 1e3) if value >= 1e-3 else ("µs", 1e6)
    return f"{value * factor:.3g} {unit}"


def percent(value: float) -> str:
    """A relative error: two digits, or none where it is beyond telling."""
    return f"{100 * value:.2g}%" if value < 1 else f"{100 * value:.0f}%"


def nanoseconds(value: float) -> str:
    return f"{1e9 * value:.0f} ns"


def megabytes(value: float) -> str:
    return f"{value:,.0f} MB"


def rate(value: float) -> str:
    return f"{value:,.0f}/s"


def exponent(value: float) -> str:
    return f"{value:.0e}"


@dataclass(frozen=True)
class Row:
    """One line of the table: our number, the reference's, and what is wanted of them."""

    what: str
    ours: float | None = None
    reference: float | None = None
    show: Callable[[float], str] = seconds
    bar: Bar | None = None

    @property
    def ratio(self) -> float | None:
        """Ours over the reference."""
        return None if self.ours is None or not self.reference else self.ours / self.reference

    def cells(self) -> tuple[str, ...]:
        """The row as it is printed."""
        ours, reference = ("" if x is None else self.show(x) for x in (self.ours, self.reference))
        ratio = "" if self.ratio is None else _times(self.ratio)
        return self.what, ours, reference, ratio, self._wanted(), self._met()

    def _wanted(self) -> str:
        if self.bar is None:
            return ""
        return f"{self.bar.sign} {self.show(self.bar.limit) if self.bar.own else _times(self.bar.limit)}"

    def _met(self) -> str:
        if self.bar is None:
            return ""
        value = self.ours if self.bar.own else self.ratio
        return "yes" if value is not None and self.bar.met(value) else "no"


HEADER = ("what", "ours", "reference", "ratio", "wanted", "met")


def render(rows: Sequence[Row]) -> str:
    """Plain text, one line per row: the first column to the left, numbers to the right."""
    table = [HEADER, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(_aligned(cells, widths)).rstrip() for cells in table]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def minima(*tasks: Callable[[], object], repeat: int) -> list[float]:
    """The shortest time of each task in seconds. All are run once to warm up, then in turn."""
    for task in tasks:
        task()
    best = [inf] * len(tasks)
    for _ in range(repeat):
        for k, task in enumerate(tasks):
            begin = perf_counter()
            task()
            best[k] = min(best[k], perf_counter() - begin)
    return best


def peak(task: Callable[[], object]) -> float:
    """Megabytes that a task has in use at once."""
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def missing(what: str, *modules: str) -> Row | None:
    """A row that says what to install, where a package is not there."""
    absent = [module for module in modules if find_spec(module) is None]
    return Row(f"{what}: skipped, pip install {' '.join(absent)}") if absent else None


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.3g}×"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *rest = zip(cells, widths, strict=True)
    return [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
