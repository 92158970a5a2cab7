"""One look for all pictures: colours that colour-blind readers distinguish, on light and on dark, and placed texts."""

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

__all__ = ["RGBA", "ROPE", "VERMILION", "Colour", "Look", "clear", "ramp"]

BLUE, SKY, ORANGE = "#0072b2", "#56b4e9", "#e69f00"  # of Okabe and Ito
GREEN, VERMILION, PURPLE = "#009e73", "#d55e00", "#cc79a7"
ROPE = ORANGE
INKS = ((0.1, 0.1, 0.1), (0.95, 0.95, 0.95))  # on light and on dark backgrounds
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
    """Axes, and colours that can be seen on their background."""

    ax: Axes
    ink: Colour
    paper: Colour
    lines: tuple[str, ...]

    @classmethod
    def of(cls, ax: Axes | None, size: tuple[float, float] = SIZE) -> Look:
        """Look at the background of these axes, or of new ones of this size in inches."""
        if ax is None:
            ax = need("matplotlib.pyplot", "plot").subplots(figsize=size, layout="constrained")[1]
        assert ax is not None
        inside, around = (clear(part.get_facecolor()) for part in (ax, ax.figure))
        red, green, blue, opacity = inside if inside[3] else around
        paper = (red, green, blue) if opacity else (1.0, 1.0, 1.0)
        ink = max(INKS, key=lambda colour: _contrast(colour, paper))
        return cls(ax, ink, paper, (BLUE if ink == INKS[0] else SKY, ORANGE, GREEN, PURPLE))

    @property
    def main(self) -> str:
        """The colour of what a picture is about."""
        return self.lines[0]

    @property
    def shades(self) -> dict[str, Any]:
        """The colours of better, same, worse and open."""
        return {"better": self.main, "same": GREEN, "worse": VERMILION, "open": self.ink}

    @property
    def width(self) -> float:
        """The width of the axes in points."""
        return self.ax.get_window_extent().width * 72 / self.ax.figure.dpi

    @property
    def height(self) -> float:
        """The height of the axes in points."""
        return self.ax.get_window_extent().height * 72 / self.ax.figure.dpi

    def verdict(self, name: str) -> RGBA:
        """The colour of an outcome."""
        shade, strength = VERDICTS[name]
        return clear(self.shades[shade], strength)

    def leaning(self, p: float) -> RGBA:
        """The colour of a probability to be better, none at ½."""
        return clear(self.shades["better" if p >= 0.5 else "worse"], 1.2 * abs(p - 0.5))

    def on(self, colour: RGBA) -> Colour:
        """The ink that can be read on an area of this colour."""
        red, green, blue = (
            front * colour[3] + back * (1 - colour[3]) for front, back in zip(colour[:3], self.paper, strict=True)
        )
        return max((self.ink, self.paper), key=lambda ink: _contrast(ink, (red, green, blue)))

    def short(self, text: object, share: float) -> str:
        """Cut a text with an ellipsis where it is wider than this share of the axes."""
        return words.shortened(text, share * self.width)

    def beside(self, at: tuple[float, float], text: str, away: float, **kwargs: Any) -> None:
        """Put a small text beside a point, so many points away."""
        placed = {"textcoords": "offset points", "va": "center", "fontsize": "small", "color": self.ink}
        self.ax.annotate(text, at, (away, 0), **(placed | words.style(text) | kwargs))

    def write(self, at: tuple[float, float], text: str, **kwargs: Any) -> None:
        """Put a text into the axes."""
        self.ax.text(*at, text, **({"color": self.ink} | words.style(text) | kwargs))

    def rule(self, at: float, *, across: bool = True) -> None:
        """Draw a dotted line across the axes, or up and down."""
        draw = self.ax.axhline if across else self.ax.axvline
        draw(at, color=self.ink, linewidth=0.8, linestyle=":")

    def entitle(self, *parts: str, room: float = 1.0) -> None:
        """Set the title, in as many lines as it takes; one part is broken at spaces, several between them.

        `room` is the share of the width that the title has: less where names of rows push the axes aside.
        """
        title = words.wrapped(parts if len(parts) > 1 else parts[0].split(" "), room * self.width)
        self.ax.set_title(title, fontsize="medium", **words.style(title))

    def name(self, x: str, y: str | None = None) -> None:
        """Set the label below, and the one at the left where there is one."""
        self.ax.set_xlabel(x, **words.style(x))
        if y is not None:
            self.ax.set_ylabel(y, **words.style(y))

    def name_rows(self, names: Sequence[object]) -> float:
        """Name rows at 0, −1, … by letters that fit; return the size of the letters in points."""
        size = min(words.points("medium"), max(SMALLEST, 0.85 * self.height / len(names)))
        labels, fitted = words.fitted(names, ROOM * self.width, size)
        places = [-k for k in range(len(names))]
        self.ax.set_yticks(places, labels, fontsize=fitted, **words.style("".join(labels)))
        self.ax.set_ylim(-len(names) + 0.4, 0.6)
        self.ax.tick_params(axis="y", length=0)
        return size

    def key(self, handles: Sequence[Artist], labels: Sequence[str], **kwargs: Any) -> None:
        """Put a legend; a label may begin with an underscore, which matplotlib would hide."""
        frame: dict[str, Any] = {"facecolor": self.paper, "framealpha": 0.75, "edgecolor": "none", "fontsize": "small"}
        legend = self.ax.legend(handles, ["?"] * len(labels), **(frame | kwargs))
        for text, label in zip(legend.get_texts(), labels, strict=True):
            text.set(text=label, color=self.ink, **words.style(label))

    def share(self, lines: float) -> float:
        """Return the share of the height that so many small lines take, once titles and labels have theirs."""
        return lines * 1.3 * words.points("small") / (0.8 * self.height)

    def tidy(self, *, left: bool = False) -> Axes:
        """Remove the frame, and the numbers at the left unless they are wanted; keep the numbers below apart."""
        self.ax.spines[["right", "top"]].set_visible(False)
        if not left:
            self.ax.set_yticks([])
            self.ax.spines["left"].set_visible(False)
        if self.ax.get_xscale() == "linear":  # locators of other scales take no number of ticks
            self.ax.locator_params(axis="x", nbins=max(3, int(self.width / 50)))
        return self.ax


def clear(colour: Any, strength: float | None = None) -> RGBA:
    """A colour through which the background is seen; by default as it is."""
    mixed: RGBA = need("matplotlib.colors", "plot").to_rgba(colour, strength)
    return mixed


def ramp(high: str, low: str | None = None) -> Colormap:
    """A scale that comes out of the background, or from one colour through the background to another."""
    steps = [(0.0, clear(high, 0.0)), (1.0, clear(high, 1.0))]
    if low is not None:
        steps = [(0.0, clear(low, 1.0)), (0.5, clear(low, 0.0)), (0.5, clear(high, 0.0)), (1.0, clear(high, 1.0))]
    scale: Colormap = need("matplotlib.colors", "plot").LinearSegmentedColormap.from_list("outperform", steps)
    return scale


def _contrast(first: Colour, second: Colour) -> float:
    """The contrast ratio of two colours, 1 to 21, as defined by WCAG 2."""

    def luminance(colour: Colour) -> float:
        red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
