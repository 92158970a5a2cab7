"""A posterior drawn with characters: the density, its HDI below it, the ROPE below that."""

from __future__ import annotations

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.formats.plain import BLOCKS
from outperform.verdicts.interval import Interval
from outperform.verdicts.marginal import Marginal

__all__ = ["density"]

HEIGHT = 5  # lines of a drawing, of eight levels each
TAIL = 0.001  # of the probability on either side that may lie outside


def density(
    posterior: Marginal, hdi: Interval, rope: Interval | None, *, width: int = 80, difference: bool = True
) -> str:
    """Draw it; every line is at most `width` characters wide."""
    columns = max(width - 8, 20)
    low, high = _range(posterior, hdi, rope)
    edges = np.linspace(low, high, columns + 1)
    smooth = np.convolve(posterior.masses(edges), [0.25, 0.5, 0.25], mode="same")  # counts of draws are noisy
    filled = np.round(smooth / smooth.max() * HEIGHT * 8).astype(int)
    levels = np.clip(filled - 8 * np.arange(HEIGHT)[::-1, None], 0, 8).tolist()
    lines = ["".join(BLOCKS[level] for level in row).rstrip() for row in levels]
    lines.append(_bar(hdi, edges, "━", "HDI"))
    if rope is not None:
        lines.append(_bar(rope, edges, "░", "ROPE"))
    return "\n".join([*lines, _axis(edges, "+" if difference else "")])


def _range(posterior: Marginal, hdi: Interval, rope: Interval | None) -> Interval:
    """Nearly all of it, and the ROPE where it does not dwarf them."""
    low, high = (float(q) for q in posterior.quantile([TAIL, 1 - TAIL]))
    room = 4 * (hdi[1] - hdi[0]) or 1e-6
    for end in rope or ():
        if low - room < end < high + room:
            low, high = min(low, end), max(high, end)
    pad = 0.02 * (high - low) or 1e-6
    return low - pad, high + pad


def _bar(ends: Interval, edges: FloatArray, mark: str, label: str) -> str:
    """Mark the columns whose middle lies between the ends (at least one, if it is in sight)."""
    middle = (edges[:-1] + edges[1:]) / 2
    inside = (middle >= ends[0]) & (middle <= ends[1])
    if not inside.any() and edges[0] <= ends[0] <= edges[-1]:
        inside[int(np.argmin(np.abs(middle - ends[0])))] = True
    return "".join(mark if column else " " for column in inside) + f" {label}"


def _axis(edges: FloatArray, sign: str) -> str:
    """Write the two ends, and 0 where it is in between."""
    columns = len(edges) - 1
    left, right = (f"{edge:{sign}.3f}" for edge in (edges[0], edges[-1]))
    axis = list(left + " " * (columns - len(left) - len(right)) + right)
    if edges[0] < 0 < edges[-1]:
        zero = int(np.searchsorted(edges, 0.0)) - 1
        if len(left) < zero < columns - len(right) - 1:
            axis[zero] = "0"
    return "".join(axis)
