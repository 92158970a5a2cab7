"""Squares: every two systems, and confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from outperform.data.counts import Counts
from outperform.models.priors import Prior, default_prior, known_prior
from outperform.models.rates import rate_differences, rates
from outperform.render.plots import words
from outperform.render.plots.look import RGBA, VERMILION, Look, clear, ramp
from outperform.render.ranking import by_pair
from outperform.verdicts.decision import OUTCOMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import Comparison, Ranking

__all__ = ["confusion", "confusion_difference", "pairs"]

SMALL, LARGE = (4.0, 3.8), (7.0, 6.6)  # inches
FEW = 8  # classes, up to which intervals are shown
SMALLEST = 4.5  # points, below which a number is left out
Cells: TypeAlias = Mapping[tuple[int, int], tuple[str, RGBA]]  # (row, column) → text and colour
NOTHING = ".00"
GREY = 0.12  # of the ink
NAMES = {symbol: name for name, (symbol, _, _) in OUTCOMES.items()}


def pairs(r: Ranking, ax: Axes | None = None) -> Axes:
    """Draw the verdict on each system against each other one; without a ROPE the probability to score higher."""
    names = [system.name for system in r.systems]
    look, cells = _sized(ax, names), {}
    for (row, column), text, p in by_pair(r):
        colour = look.verdict(NAMES[text]) if text in NAMES else look.leaning(p)
        cells[names.index(row), names.index(column)] = (text, colour)
    room = _square(look, names, cells)
    look.entitle("verdict on row against column" if r.rope else "P(row higher than column)", room=room)
    return look.ax


def confusion(source: Counts | Comparison, name: str, ax: Axes | None = None, *, mass: float = 0.95) -> Axes:
    """Draw the probability of each predicted class given the true one, with equal-tailed intervals where there is room.

    Parameters
    ----------
    source : Counts or Comparison
        Counts of a task in which every item has one class.
    name : str
        The classifier.
    ax : matplotlib Axes
        New ones by default.
    mass : float
        Mass of the intervals.
    """
    counts, prior = _counted(source)
    found, few = rates(counts, name, prior, mass), len(counts.labels) <= FEW
    look, cells = _sized(ax, counts.labels), {}
    colours = ramp(look.main)
    for place in zip(*np.nonzero(np.isfinite(found.mean)), strict=True):
        mean, low, high = (_share(array[place]) for array in (found.mean, found.low, found.high))
        text = f"{mean}\n{low}–{high}" if few else mean
        cells[place] = ("" if text == NOTHING else text, colours(found.mean[place]))
    return _entitled(look, _square(look, counts.labels, cells), name)


def confusion_difference(
    source: Counts | Comparison, a: str, b: str, ax: Axes | None = None, *, mass: float = 0.95
) -> Axes:
    """Draw the differences of these probabilities between two classifiers.

    Cells whose equal-tailed interval holds 0 are grey.

    Parameters
    ----------
    source : Counts or Comparison
        Counts of a task in which every item has one class.
    a, b : str
        Two classifiers; differences are of the first minus the second.
    ax : matplotlib Axes
        New ones by default.
    mass : float
        Mass of the intervals.
    """
    counts, prior = _counted(source)
    found = rate_differences(counts, a, b, prior)
    told = found.told(mass)
    look, cells = _sized(ax, counts.labels), {}
    colours, most = ramp(look.main, VERMILION), float(np.abs(found.mean[told]).max(initial=0.01))
    for place, mean in np.ndenumerate(found.mean):
        text = _share(mean, "+")
        shown = told[place] and text[1:] != NOTHING
        colour = colours((mean / most + 1) / 2) if told[place] else clear(look.ink, GREY)
        cells[place] = (text if shown else "", colour)
    return _entitled(look, _square(look, counts.labels, cells), a, b)


def _counted(source: Counts | Comparison) -> tuple[Counts, Prior]:
    """Return the counts and the prior that they are analysed under."""
    if isinstance(source, Counts):
        return source, default_prior(source)
    source.drawn()  # raises where there are no draws
    if source.evidence is None or source.evidence.counts is None:
        raise ValueError("this comparison does not keep counts of its items; draw those of op.Counts")
    counts = source.evidence.counts
    return counts, known_prior(source.evidence.model.prior, counts)


def _square(look: Look, names: Sequence[object], cells: Cells) -> float:
    """Name rows and columns and fill the cells; return the share of the width that the cells have."""
    number = len(names)
    size = min(words.points("medium"), 0.8 * look.width / number, 0.8 * look.height / number)
    left, fitted = words.fitted(names, 0.35 * look.width, size)
    room = min(1.0, 1.15 - max(words.width(name, fitted) for name in left) / look.width)
    across = room * look.width / number
    look.ax.set_yticks(range(number), left, fontsize=fitted, **words.style("".join(left)))
    below, fitted = words.fitted(names, 0.35 * look.height, size)
    longest = max(words.width(name, fitted) for name in below)
    turned = longest > 0.95 * across
    down = (look.height - turned * longest) / number
    look.ax.set_xticks(range(number), below, fontsize=fitted, rotation=90 * turned, **words.style("".join(below)))
    image = np.zeros((number, number, 4))
    for place, (_, colour) in cells.items():
        image[place] = colour
    look.ax.imshow(image, aspect="auto", interpolation="nearest")
    look.ax.tick_params(length=0)
    look.ax.spines[:].set_visible(False)
    _write(look, cells, (0.85 * across, 0.9 * down))
    return room


def _write(look: Look, cells: Cells, room: tuple[float, float]) -> None:
    """Write into the cells, all in one size: all lines, or the first alone, or nothing if that is not legible."""
    lines = {place: text.split("\n") for place, (text, _) in cells.items() if text}
    for number in range(max(map(len, lines.values()), default=0), 0, -1):
        shown = {line for text in lines.values() for line in text[:number]}
        widest = max(words.width(line, 10.0) for line in shown)
        size = min(words.points("medium"), 10.0 * room[0] / widest, room[1] / (1.3 * number))
        if size < SMALLEST:
            continue
        put = {"ha": "center", "va": "center", "fontsize": size, "in_layout": False}
        for (row, column), of_cell in lines.items():
            ink = look.on(cells[row, column][1])
            look.write((column, row), "\n".join(of_cell[:number]), color=ink, **put)
        return


def _entitled(look: Look, room: float, *names: str) -> Axes:
    """Label a confusion, in a share of the width."""
    look.name("predicted", "true")
    shorter = (words.shortened(name, 0.9 * room * look.width / len(names)) for name in names)
    look.entitle("P(predicted | true),", " − ".join(shorter), room=room)
    return look.ax


def _sized(ax: Axes | None, names: Sequence[object]) -> Look:
    """The axes given, or new ones as large as so many rows need."""
    return Look.of(ax, SMALL if len(names) <= FEW else LARGE)


def _share(value: float, sign: str = "") -> str:
    """A share in two digits, without the 0 before the point: .85."""
    return f"{value:{sign}.2f}".replace("0.", ".", 1)
