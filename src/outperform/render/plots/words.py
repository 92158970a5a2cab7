"""Words in a picture: any name as it is, nothing in it markup, and no wider than there is room."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from unicodedata import category

from outperform.base.errors import need

__all__ = ["difference", "fitted", "line", "points", "shortened", "style", "width", "wrapped"]

LEAST = 0.7  # of the usual size, down to which letters are made smaller
LONGEST = 200  # characters that are looked at
UNKNOWN = "□"  # what no font has
SPARE = (  # fonts that have what others lack, the first being matplotlib's own
    "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Microsoft YaHei", "PingFang SC", "Hiragino Sans",
    "Malgun Gothic", "Arial Unicode MS", "Noto Emoji", "Segoe UI Symbol",
)  # fmt: skip


def line(text: object) -> str:
    """Any text in one line, at most so long, of characters that can be drawn."""
    joined = " ".join(str(text)[: 2 * LONGEST].split())
    cut = joined if len(joined) <= LONGEST else f"{joined[: LONGEST - 1]}…"
    lacking = _fonts(cut)[1]
    return "".join(_instead(letter) if letter in lacking else letter for letter in cut)


def style(text: str) -> dict[str, Any]:
    """Style of a text: no markup, in the user's font and, for characters that it lacks, in others."""
    return {"parse_math": False, "usetex": False, "fontfamily": _fonts(text)[0]}


def points(size: str | float) -> float:
    """A font size, by name or number, in points."""
    font: float = need("matplotlib.font_manager", "plot").FontProperties(size=size).get_size_in_points()
    return font


def width(text: str, size: str | float = "medium") -> float:
    """Width of a line, in points."""
    manager = need("matplotlib.font_manager", "plot")
    font = manager.get_font([_path(family) for family in _fonts(text)[0]])
    font.set_size(points(size), 72)
    font.set_text(text)
    return float(font.get_width_height()[0]) / 64


def shortened(text: object, room: float, size: str | float = "medium") -> str:
    """A name in one line, cut with an ellipsis where it is wider than so many points."""
    whole = line(text)
    if width(whole, size) <= room:
        return whole
    low, high = 0, len(whole) - 1
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width(f"{whole[:middle]}…", size) <= room else (low, middle - 1)
    return f"{whole[:low].rstrip()}…"


def difference(what: str, a: str, b: str, room: float) -> str:
    """A difference in one line of so many points: Δf1 = svm − nb."""
    what = shortened(what, 0.4 * room)
    half = (room - width(f"Δ{what} =  − ")) / 2
    return f"Δ{what} = {shortened(a, half)} − {shortened(b, half)}"


def fitted(names: Sequence[object], room: float, size: float) -> tuple[list[str], float]:
    """Names that fit into so many points, and the size for it: letters become smaller before any is cut."""
    widest = max(width(line(name), size) for name in names)
    fitting = max(min(size, size * room / widest if widest else size), min(size, LEAST * points("medium")))
    return [shortened(name, room, fitting) for name in names], fitting


def wrapped(parts: Sequence[str], room: float, size: str | float = "medium") -> str:
    """Lines of parts, so that none is wider than so many points where that can be."""
    lines = [""]
    for word in parts:
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _fonts(text: str) -> tuple[list[str], set[str]]:
    """The families that a text takes, and the characters that none of them has."""
    families = list(need("matplotlib", "plot").rcParams["font.family"])
    lacking = set(text) - {"\n"}
    for family in families:
        lacking -= _letters(_path(family))
    for family in SPARE if lacking else ():
        if _installed(family) and lacking & _letters(_path(family)):
            families.append(family)
            lacking -= _letters(_path(family))
    return families, lacking


def _instead(letter: str) -> str:
    """Replacement of a character that no font has; none for one that is invisible."""
    return "" if category(letter) in ("Cf", "Mn") else UNKNOWN


def _path(family: str) -> Any:
    manager = need("matplotlib.font_manager", "plot")
    return manager.findfont(manager.FontProperties(family=[family]))


@cache
def _installed(family: str) -> bool:
    return family in need("matplotlib.font_manager", "plot").fontManager.get_font_names()


@cache
def _letters(path: Any) -> frozenset[str]:
    """The characters that a font has."""
    return frozenset(map(chr, need("matplotlib.font_manager", "plot").get_font(path).get_charmap()))
