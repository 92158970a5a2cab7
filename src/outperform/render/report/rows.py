"""The comparisons of a report: how each is drawn, and the data from which the script redraws it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from outperform.base.sentences import Words
from outperform.formats import escaping, numbers
from outperform.render.report.answer import facts, template
from outperform.results.card import NAMES, comparison_digits, higher, measured, no_verdict
from outperform.verdicts.interval import Interval
from outperform.verdicts.marginal import Marginal

if TYPE_CHECKING:
    from outperform.inference.delta_summary import DeltaSummary
    from outperform.results import Comparison

__all__ = ["BASE", "FRAME", "TOP", "ReportRow", "place", "row_of", "ticks"]

MASSES = (0.5, 0.8, 0.9, 0.95, 0.99)  # of the HDIs that readers can choose; the script has no draws to find others
STEPS = 2**16 - 1  # of a quantile, which is sent in 16 bits
BINS = 140  # of the density
TAIL = 0.0005  # of the posterior that may lie outside the picture, on either side
FRAME = (24, 616)  # where a picture's axis begins and ends
BASE, TOP = 226, 34  # of the density


@dataclass(frozen=True, eq=False)
class ReportRow:
    """One comparison, and how it is drawn."""

    label: str
    r: Comparison
    shape: DeltaSummary
    axis: Interval  # of δ
    margin: float  # up to which margins are shown
    heights: list[int]  # of the density, in thousandths of the highest
    digits: int
    words: Words  # by which sentences name settings

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two classifiers."""
        return escaping.label(self.r.a.name), escaping.label(self.r.b.name)

    @property
    def single(self) -> bool:
        """Whether the row is about one class, and not an average over classes."""
        return self.r.class_ is not None

    @property
    def axis_title(self) -> str:
        """What is drawn: the difference in a measure, of which two."""
        return f"difference in {escaping.label(measured(self.r))} ({self.names[0]} − {self.names[1]})"

    @property
    def regions(self) -> list[tuple[str, float | None]]:
        """The posterior below, within and above the ROPE, or 0 without one: what it means, and its probability."""
        r = self.r
        below, above = NAMES[::-1] if self.shape.greater_is_better else NAMES
        shares: tuple[float, float | None, float] = (r.delta.p_less, None, r.delta.p_greater)
        if r.rope:
            less = float(self.shape.below(np.array([r.rope.low]))[0])
            shares = (less, r.rope.probability, max(1 - less - r.rope.probability, 0.0))
        return list(zip((f"{below} better", "practically the same", f"{above} better"), shares, strict=True))

    def curve(self) -> str:
        """The density as an SVG path."""
        left, right = FRAME
        step = (right - left) / len(self.heights)
        points = [
            f"{left + (k + 0.5) * step:.1f},{BASE - (BASE - TOP) * height / 1000:.1f}"
            for k, height in enumerate(self.heights)
        ]
        return f"M{left},{BASE}L{'L'.join(points)}L{right},{BASE}Z"

    def payload(self) -> dict[str, Any]:
        """The data of the script."""
        quantiles, shape, r = self.shape.quantiles, self.shape, self.r
        card = template(r, self.words)
        least, most = float(quantiles[0]), float(quantiles[-1])
        packed = np.round((quantiles - least) / ((most - least) or 1) * STEPS).astype("<u2")
        return {
            "a": self.names[0],
            "b": self.names[1],
            "label": self.label,
            "facts": facts(r),
            "measure": escaping.label(card.measure),
            "basis": f"{escaping.one_line(card.basis)}.",
            "title": self.axis_title,
            "higher": higher(r, *NAMES),
            "next": card.next,
            "reason": no_verdict(r, self.words),
            "single": self.single,
            "digits": self.digits,
            "mean": r.delta.mean,
            "less": r.delta.p_less,
            "more": r.delta.p_greater,
            "inside": r.rope and r.rope.probability,
            "axis": self.axis,
            "ticks": ticks(*self.axis, difference=True),
            "margin": self.margin,
            "marginTicks": ticks(0, self.margin),
            "heights": self.heights,
            "range": (least, most),
            "quantiles": b64encode(packed.tobytes()).decode(),
            "hdi": {f"{mass:g}": [low, high, min(error, 1e308)] for mass, (low, high, error) in shape.hdi.items()},
            "alone": shape.alone and {f"{mass:g}": ends for mass, ends in shape.alone.items()},
            "few": [f"{mass:g}" for mass, few in shape.few.items() if few],
            "exchangeable": shape.exchangeable,
            "greater": shape.greater_is_better,
            "most": shape.most,
            "withheld": r.decision.name if r.withheld and r.decision else None,
        }


def row_of(label: str, r: Comparison, words: Words) -> ReportRow:
    """Lay out one comparison."""
    shape = r.shape(sorted({*MASSES, r.delta.mass}))
    rope = r.region or (0.0, 0.0)
    assert r.evidence is not None  # of which `shape` is a summary
    posterior = r.evidence.difference
    axis = _axis(posterior, rope)
    alone = shape.alone[r.delta.mass] if shape.alone else ()
    margin = 1.15 * max(abs(end) for end in (*r.delta.hdi, *alone, *rope)) or 1e-6
    heights = _heights(posterior, axis)
    return ReportRow(escaping.label(label), r, shape, axis, margin, heights, comparison_digits(r), words)


def place(value: float, axis: Interval) -> float:
    """The horizontal position of a value."""
    left, right = FRAME
    return round(left + (value - axis[0]) / (axis[1] - axis[0]) * (right - left), 1)


def ticks(low: float, high: float, *, difference: bool = False) -> list[tuple[float, str]]:
    """Four to eight round values between two ends, and how they are written."""
    unit = 10.0 ** floor(log10(high - low))
    step = next(unit * part for part in (2, 1, 0.5, 0.25) if high - low >= 4 * unit * part)
    digits = max(0, -floor(log10(step)) + (step / unit == 0.25))
    form = numbers.signed if difference else numbers.score
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [(float(k * step), "0" if k == 0 else form(float(k * step), digits)) for k in range(first, last + 1)]


def _axis(posterior: Marginal, rope: Interval) -> Interval:
    """Nearly all of the posterior, 0 and the ROPE, with room to drag it."""
    low, high = posterior.quantile([TAIL, 1 - TAIL]).tolist()
    low, high = min(low, rope[0]), max(high, rope[1])
    room = 0.1 * (high - low) or 1e-6
    return low - room, high + room


def _heights(posterior: Marginal, axis: Interval) -> list[int]:
    """The density: shares of narrow bins, smoothed by a normal of about the width that suits so many draws."""
    edges = np.linspace(*axis, BINS + 1)
    shares = posterior.masses(edges)
    width = max(0.9 * posterior.sd * posterior.worth**-0.2 / (edges[1] - edges[0]), 0.5)
    reach = int(4 * width) + 1
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    smooth = np.convolve(shares, kernel)[reach : reach + BINS]
    return [round(1000 * height) for height in (smooth / max(float(smooth.max()), 1e-300)).tolist()]
