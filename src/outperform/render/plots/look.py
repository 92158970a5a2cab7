"""One look for all pictures: colours that the colour-blind tell apart, on light and on dark, and how texts are put."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from outperform.base.errors import need
from outperform.render.plots import words

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

Colour: TypeAlias = tuple[float, float, float]
RGBA: TypeAlias = tuple[float, float, float, float]

__all__ = [
    "RGBA",
    "ROPE",
    "VERMILION",
    "Colour",
    "Look",
    "axes",
    "breadth",
    "clear",
    "contrast",
    "entitle",
    "few_ticks",
    "height",
    "key",
    "name_rows",
    "name_x",
    "name_y",
    "ramp",
    "share",
    "tidy",
]

BLUE, SKY, ORANGE = "#0072b2", "#56b4e9", "#e69f00"  # of Okabe and Ito
GREEN, VERMILION, PURPLE = "#009e73", "#d55e00", "#cc79a7"
ROPE = ORANGE
INKS = ((0.1, 0.1, 0.1), (0.95, 0.95, 0.95))
SMALLEST = 4.0  # letters, in points
ROOM = 0.42  # of the width, for names of rows
SIZE = (6.0, 3.2)  # inches, for a column of text
VERDICTS = {  # colour and how strong it is
    "better": ("better", 0.6),
    "slightly_better": ("better", 0.25),
    "equivalent": ("same", 0.6),
    "undecided": ("open", 0.25),
    "slightly_worse": ("worse", 0.25),
    "worse": ("worse", 0.6),
}


@dataclass(frozen=True)
class Look:
    """Colours that can be seen on the background of some axes."""

    ink: Colour
    paper: Colour
    lines: tuple[str, ...]

    @classmethod
    def of(cls, ax: Axes) -> Look:
        """Of axes as they are now."""
        to_rgba = need("matplotlib.colors", "plot").to_rgba
        own, behind = to_rgba(ax.get_facecolor()), to_rgba(ax.figure.get_facecolor())
        red, green, blue, seen = own if own[3] else behind
        paper = (red, green, blue) if seen else (1.0, 1.0, 1.0)
        ink = max(INKS, key=lambda own: contrast(own, paper))
        return cls(ink, paper, (BLUE if ink == INKS[0] else SKY, ORANGE, GREEN, PURPLE))

    @property
    def main(self) -> str:
        """Of what a picture is about."""
        return self.lines[0]

    @property
    def shades(self) -> dict[str, Any]:
        """Colours of better, same, worse and open."""
        return {"better": self.main, "same": GREEN, "worse": VERMILION, "open": self.ink}

    def verdict(self, name: str) -> RGBA:
        """The colour of an outcome."""
        shade, strength = VERDICTS[name]
        return clear(self.shades[shade], strength)

    def leaning(self, p: float) -> RGBA:
        """The colour of a probability to be better, none at ½."""
        return clear(self.shades["better" if p >= 0.5 else "worse"], 1.2 * abs(p - 0.5))

    def on(self, colour: RGBA) -> Colour:
        """What can be read on an area of this colour."""
        red, green, blue = (
            own * colour[3] + behind * (1 - colour[3]) for own, behind in zip(colour[:3], self.paper, strict=True)
        )
        return max((self.ink, self.paper), key=lambda own: contrast(own, (red, green, blue)))

    def beside(self, ax: Axes, at: tuple[float, float], text: str, away: float, **kwargs: Any) -> None:
        """Put a small text beside a point, so many points away."""
        placed = {"textcoords": "offset points", "va": "center", "fontsize": "small", "color": self.ink}
        ax.annotate(text, at, (away, 0), **(placed | words.style(text) | kwargs))

    def write(self, ax: Axes, at: tuple[float, float], text: str, **kwargs: Any) -> None:
        """Put a text into axes."""
        ax.text(*at, text, **({"color": self.ink} | words.style(text) | kwargs))


def clear(colour: Any, strength: float) -> RGBA:
    """A colour through which the background is seen."""
    mixed: RGBA = need("matplotlib.colors", "plot").to_rgba(colour, strength)
    return mixed


def ramp(high: str, low: str | None = None) -> Colormap:
    """A scale that comes out of the background, or from one colour through the background to another."""
    steps = [(0.0, clear(high, 0.0)), (1.0, clear(high, 1.0))]
    if low is not None:
        steps = [(0.0, clear(low, 1.0)), (0.5, clear(low, 0.0)), (0.5, clear(high, 0.0)), (1.0, clear(high, 1.0))]
    scale: Colormap = need("matplotlib.colors", "plot").LinearSegmentedColormap.from_list("outperform", steps)
    return scale


def contrast(first: Colour, second: Colour) -> float:
    """Of two colours, 1 to 21, as WCAG 2 has it."""

    def luminance(colour: Colour) -> float:
        red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def axes(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """The axes given, or new ones of this size in inches."""
    if ax is not None:
        return ax
    new: Axes = need("matplotlib.pyplot", "plot").subplots(figsize=size, layout="constrained")[1]
    return new


def breadth(ax: Axes) -> float:
    """Of axes, in points."""
    return ax.get_window_extent().width * 72 / ax.figure.dpi


def height(ax: Axes) -> float:
    """Of axes, in points."""
    return ax.get_window_extent().height * 72 / ax.figure.dpi


def entitle(ax: Axes, *parts: str, room: float = 1.0) -> None:
    """Set the title, in as many lines as it takes; one part is broken at spaces, several between them.

    `room` is how much of the width it has: less where names of rows push the axes aside.
    """
    title = words.wrapped(parts if len(parts) > 1 else parts[0].split(" "), room * breadth(ax))
    ax.set_title(title, fontsize="medium", **words.style(title))


def name_x(ax: Axes, text: str) -> None:
    """Set the label below."""
    ax.set_xlabel(text, **words.style(text))


def name_y(ax: Axes, text: str) -> None:
    """Set the label at the left."""
    ax.set_ylabel(text, **words.style(text))


def name_rows(ax: Axes, names: Sequence[object]) -> float:
    """Name rows at 0, −1, … by letters that fit; returns their size in points."""
    size = min(words.points("medium"), max(SMALLEST, 0.85 * height(ax) / len(names)))
    labels, own = words.fitted(names, ROOM * breadth(ax), size)
    ax.set_yticks([-k for k in range(len(names))], labels, fontsize=own, **words.style("".join(labels)))
    ax.set_ylim(-len(names) + 0.4, 0.6)
    ax.tick_params(axis="y", length=0)
    return size


def key(ax: Axes, handles: Sequence[Artist], labels: Sequence[str], **kwargs: Any) -> None:
    """Put a legend; a label may begin with an underscore."""
    look = Look.of(ax)
    frame: dict[str, Any] = {"facecolor": look.paper, "framealpha": 0.75, "edgecolor": "none", "fontsize": "small"}
    legend = ax.legend(handles, ["?"] * len(labels), **(frame | kwargs))
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set(text=label, color=look.ink, **words.style(label))


def share(ax: Axes, lines: float) -> float:
    """How much of the height of axes so many small lines take, once titles and labels have had theirs."""
    return lines * 1.3 * words.points("small") / (0.8 * height(ax))


def few_ticks(ax: Axes) -> None:
    """No more numbers below than there is room for; scales that are not linear have ways of their own."""
    if ax.get_xscale() == "linear":
        ax.locator_params(axis="x", nbins=max(3, int(breadth(ax) / 50)))


def tidy(ax: Axes, *, left: bool = False) -> Axes:
    """Without the frame; with the numbers at the left where they say something."""
    ax.spines[["right", "top"]].set_visible(False)
    if not left:
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    return ax
