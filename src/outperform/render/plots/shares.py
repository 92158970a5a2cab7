"""Practically better, the same, or worse: three probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outperform.formats import numbers
from outperform.render.plots import words
from outperform.render.plots.look import Look
from outperform.render.three_way import words_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results.three_way import ThreeWay

__all__ = ["three_way"]

SIZE = (6.0, 2.6)  # inches
STRONG, WEAK = 0.8, 0.35  # opacity of the answer, and of the next data set


def three_way(r: ThreeWay, ax: Axes | None = None) -> Axes:
    """Draw the probabilities of better, same and worse, and those on the next data set where they are known."""
    look = Look.of(ax, SIZE)
    ax, given = look.ax, [(r.p_better, r.p_equal, r.p_worse)]
    if r.next_data_set is not None and r.rope is not None:
        given.append((r.next_data_set.better, r.next_data_set.equal, r.next_data_set.worse))
    thick, colours = 0.8 / len(given), [look.shades[name] for name in ("better", "same", "worse")]
    for shares, first, strength in zip(given, (0.4, 0.0), (STRONG, WEAK), strict=False):
        places = [first - thick / 2 - k for k in range(3)]
        ax.barh(places, shares, thick, color=colours, alpha=strength)
        for share, place in zip(shares, places, strict=True):
            look.write((share, place), f" {numbers.percent(share)}", va="center", fontsize="small")
    a, b = (words.shortened(name, 0.5 * look.width - words.width(" better")) for name in (r.a, r.b))
    look.name_rows([f"{a} better", "the same", f"{b} better"])
    room = words.width(" >99.9%", "small") / look.width
    ax.set(xlim=(0, 1 / (1 - room)), xticks=[0, 0.5, 1], xticklabels=["0%", "50%", "100%"])
    if r.decision:
        a, b = (look.short(name, 0.5) for name in (r.a, r.b))
        look.entitle(words_of(r, r.decision, a, b), room=0.75)
    pale = ["probability", "(pale: of the next data set)"] if len(given) > 1 else ["probability"]
    look.name(words.wrapped(pale, 0.75 * look.width))
    return look.tidy(left=True)
