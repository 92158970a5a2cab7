"""The difference of two scores: its posterior, its Bayes factor, and how the verdict depends on the margin."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.formats import numbers
from outperform.inference.bayes_factor import kernel_density
from outperform.render.plots import words
from outperform.render.plots.look import ROPE, Look
from outperform.render.text import savage_dickey
from outperform.results.card import card_of, comparison_digits, higher, measured
from outperform.verdicts.decision import Decision
from outperform.verdicts.interval import Interval
from outperform.verdicts.summary import Delta

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from outperform.results import Comparison, Estimate

__all__ = ["factor", "margins", "posterior"]

TAIL = 0.001  # of the draws on either side that may lie outside, so that a few do not stretch the scale
STEPS = 121  # points of a curve: each costs a pass over all draws
FAR = 4  # lengths of the HDI, beyond which a point of the scale is left out of sight


def posterior(r: Comparison | Estimate, ax: Axes | None = None) -> Axes:
    """Draw the posterior of δ or of one score: density, mean, HDI as a bar; of δ the ROPE and the shares beside 0."""
    drawn = r.drawn().posterior
    draws = drawn.get("delta", drawn["score"])
    compared = cast("Comparison", r) if "delta" in drawn else None
    estimate = cast("Estimate", r) if compared is None else compared.delta
    look, rope = Look.of(ax), None if compared is None else compared.rope
    form = (
        partial(numbers.score, digits=numbers.decimals(estimate.sd))
        if compared is None
        else partial(numbers.signed, digits=comparison_digits(compared))
    )
    room = (max(words.width(form(end), "small") for end in estimate.hdi) + 8) / look.width
    near = () if compared is None else (0.0, *((rope.low, rope.high) if rope else ()))
    ends = _limits(draws, estimate.hdi, near, room)
    peak = _bell(look, draws, ends)
    under, over = look.share(1.5), look.share(2.3)  # lines of text below the curve and above it
    whole = peak / (1 - under - over)
    look.ax.set(xlim=ends, ylim=(-under * whole, (1 - under) * whole))
    if rope:
        _band(look, (rope.low, rope.high), f"ROPE {numbers.percent(rope.probability)}")
    if compared is not None:
        look.ax.plot((0, 0), (0, peak), color=look.ink, linewidth=0.8, linestyle=":")
    _bar(look, estimate, -under * whole / 2, form)
    at = (estimate.mean, peak + look.share(0.2) * whole)
    look.write(at, f"mean {form(estimate.mean)}", ha="center", fontsize="small")
    if compared is None:
        _name_score(look, cast("Estimate", r))
    else:
        _name_difference(look, compared)
    return look.tidy()


def factor(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the prior and the posterior of δ; the ratio of their densities at 0 is the Savage–Dickey Bayes factor."""
    drawn, evidence, ratio = r.drawn(), r.evidence, r.bayes_factor.savage_dickey
    before = drawn.prior.get("delta")
    if evidence is None or before is None or ratio is None:
        raise ValueError(
            f"there is no Bayes factor to draw: this comparison ({r.model} model, {r.prior} prior) has no prior of the "
            "difference to hold its posterior against; compare counts of labels under a proper prior"
        )
    look, after = Look.of(ax), drawn.posterior["delta"]
    low, high = _limits(after, r.delta.hdi, (), 0.0)
    pad = 0.15 * (max(high, 0.0) - min(low, 0.0))
    low, high = min(low, -pad), max(high, pad)
    at = np.union1d(np.linspace(low, high, STEPS), [0.0])
    known = {"after the data": evidence.density_at_zero or 0.0, "before": evidence.prior_density or 0.0}
    curves = [[kernel_density(d, x, shrunken=d is after) or 0.0 for x in at.tolist()] for d in (after, before)]
    lines = []
    for colour, style, curve, at_zero in zip(look.lines, ("-", "--"), curves, known.values(), strict=False):
        lines += look.ax.plot(at, curve, color=colour, linestyle=style, linewidth=1.2)
        look.ax.plot([0], [at_zero], color=colour, marker="o", markersize=6, zorder=3, clip_on=False)
    top = max(*map(max, curves), *known.values())
    look.ax.set(xlim=(low, high), ylim=(0, top / (1 - look.share(3.5))))
    said = [f"{when}: {numbers.bayes_factor(at_zero)} at 0" for when, at_zero in known.items()]
    look.key(lines, said, loc="upper right")
    look.entitle(f"Bayes factor for equality: {savage_dickey(r)}")
    look.name(_subject(look, r))
    return look.tidy()


def margins(r: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the probability that |δ| is at most a margin, and below it the verdict under that margin."""
    sizes, steps = np.sort(np.abs(r.drawn().posterior["delta"])), r.by_margin()
    look = Look.of(ax)
    ax, furthest = look.ax, max(map(abs, r.delta.hdi))
    end = 1.3 * furthest or 1.0
    at = np.linspace(0, end, 2 * STEPS)
    ax.plot(at, np.searchsorted(sizes, at, side="right") / len(sizes), color=look.main)
    starts = [start for start, _ in steps]
    for start, stop, (_, decision) in zip(starts, [*starts[1:], end], steps, strict=True):
        ax.fill_between([start, stop], -0.17, -0.05, color=look.verdict(decision.name), linewidth=0)
        if (stop - start) / end * look.width > words.width(decision.symbol) + 4:
            look.write(((start + stop) / 2, -0.11), decision.symbol, ha="center", va="center_baseline")
    if r.rope and r.rope.low == -r.rope.high and r.rope.high <= end:
        dot = ax.plot([r.rope.high], [r.rope.probability], color=look.ink, marker="o", markersize=5, linestyle="")
        early = np.searchsorted(sizes, end / 2) > len(sizes) / 2  # the curve is high up soon, so there is room below it
        place = {"loc": "lower right", "bbox_to_anchor": (1, 0.2)} if early else {"loc": "upper left"}
        look.key(dot, [f"ROPE ±{r.rope.high:g}: {numbers.percent(r.rope.probability)}"], **place)
    ax.set(xlim=(0, end), ylim=(-0.2, 1.03), yticks=[0, 0.5, 1])
    look.entitle(*_steps(look, r, steps))
    look.name(f"margin m, in units of {look.short(measured(r), 0.5)}", "P(|Δ| ≤ m)")
    return look.tidy(left=True)


def _limits(draws: FloatArray, hdi: Interval, near: tuple[float, ...], room: float) -> Interval:
    """Limits that hold nearly all draws, points not too far from them, and beside the HDI room for its numbers."""
    low, high = (float(q) for q in np.quantile(draws, [TAIL, 1 - TAIL]))
    reach = FAR * (hdi[1] - hdi[0])
    for point in near:
        if low - reach <= point <= high + reach:
            low, high = min(low, point), max(high, point)
    low, high = (low, high) if high > low else (low - 0.01, high + 0.01)
    for _ in range(20):  # what one side takes makes the scale longer for the other
        low, high = min(low, hdi[0] - room * (high - low)), max(high, hdi[1] + room * (high - low))
    pad = 0.02 * (high - low)
    return low - pad, high + pad


def _bell(look: Look, draws: FloatArray, ends: Interval) -> float:
    """Draw a smoothed density and return its height; draws that are all the same are a needle."""
    at = np.linspace(*ends, STEPS)
    heights = [kernel_density(draws, x, shrunken=True) for x in at.tolist()]
    density = np.array([0.0 if height is None else height for height in heights])
    if not density.any():
        look.ax.plot([draws[0]] * 2, [0, 1], color=look.main)
        return 1.0
    look.ax.fill_between(at, density, color=look.main, alpha=0.3, linewidth=0)
    look.ax.plot(at, density, color=look.main, linewidth=1.2)
    return float(density.max())


def _bar(look: Look, estimate: Delta | Estimate, at: float, form: Callable[[float], str]) -> None:
    """Draw the HDI as a bar with its ends beside it, and the mean as a dot on it."""
    look.ax.plot(estimate.hdi, (at, at), color=look.ink, linewidth=4, solid_capstyle="butt")
    look.ax.plot([estimate.mean], [at], color=look.paper, marker="o", markersize=5, markeredgecolor=look.ink)
    for end, away, side in zip(estimate.hdi, (-4, 4), ("right", "left"), strict=True):
        look.beside((end, at), form(end), away, ha=side)


def _band(look: Look, rope: Interval, label: str) -> None:
    """Draw the ROPE as a band, its label over the visible part; the limits of the axes are set already."""
    look.ax.axvspan(*rope, color=ROPE, alpha=0.2, linewidth=0)
    low, high = look.ax.get_xlim()
    middle = (np.clip(rope[0], low, high) + np.clip(rope[1], low, high)) / 2
    beside = words.width(label, "small") / 2 * (high - low) / look.width
    at = float(np.clip(middle, low + beside, high - beside))
    look.write((at, 0.98), label, transform=look.ax.get_xaxis_transform(), ha="center", va="top", fontsize="small")


def _subject(look: Look, r: Comparison) -> str:
    """Label of the axis: Δf1 = svm − nb."""
    return words.difference(_measured(r), r.a.name, r.b.name, 1.1 * look.width)


def _measured(r: Comparison | Estimate) -> str:
    """Name of the measure, with the class where the result is about one."""
    return measured(r) if r.class_ is None else f"{measured(r)} of {r.class_}"


def _name_score(look: Look, r: Estimate) -> None:
    look.entitle(look.short(r.name, 1))
    look.name(f"{look.short(_measured(r), 1)}, {100 * r.mass:g}% HDI")


def _name_difference(look: Look, r: Comparison) -> None:
    a, b = (look.short(score.name, 0.6) for score in (r.a, r.b))
    if r.decision:
        look.entitle(card_of(r, (a, b)).verdict)
    else:
        look.entitle(higher(r, a, b))
    mass = f"{100 * r.delta.mass:g}% HDI"
    look.name(f"{_subject(look, r)}\n{mass}, {numbers.chance('Δ > 0', r.delta.p_greater)}")


def _steps(look: Look, r: Comparison, steps: tuple[tuple[float, Decision], ...]) -> list[str]:
    """Say up to which margin which verdict holds: svm ≫ nb up to 0.095, > up to 0.181, then ≈."""
    (_, first), *later = steps
    digits = comparison_digits(r)
    room = (look.width - words.width(f" {first.symbol} ")) / 2
    a, b = (words.shortened(score.name, room) for score in (r.a, r.b))
    before = ["", *(f"{decision.symbol} " for _, decision in later)]
    said = [f"{symbol}up to {numbers.score(end, digits)}," for symbol, (end, _) in zip(before, later, strict=False)]
    return [f"{a} {first.symbol} {b}", *said, f"then {before[-1]}".rstrip() if later else "whatever the margin"]
