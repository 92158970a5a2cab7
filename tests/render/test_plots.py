"""Pictures: what is on them, at any size, on light and on dark, whatever names hold."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import outperform as op
from outperform.base.signature import Signature
from outperform.formats import numbers
from outperform.models.chains.autocorrelation import autocorrelation
from outperform.models.priors import PRIORS, default_prior
from outperform.models.rates import rate_differences, rates
from outperform.render import plots
from outperform.render.plots import words
from outperform.results import CheckedCell
from tests.later import later
from tests.tables import pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

mpl, plt = later("matplotlib"), later("matplotlib.pyplot")

NEWS = op.datasets.newsgroups()
NAMES = ("svm", "naive Bayes")
HOSTILE = [
    ("<script>", "a_b%"), ("$x^2$", "_a"), ("😀", "שלום"), ("分类器", "two\nlines"), ("", "\\frac{"),
    ("\ud800", "e\u0301"), ("x" * 10_000, "W " * 5_000),
]  # fmt: skip
LIGHT, DARK = "default", "dark_background"
COLUMN = (3.3, 2.5)  # inches, of a paper with two columns
SIZES = {"own": None, "column": COLUMN}
FEW = ((9, 3, 2, 4), (3, 4, 2, 23))
SVM = [0.84, 0.91, 0.78, 0.88, 0.69, 0.95, 0.81, 0.73]
NB = [0.80, 0.90, 0.71, 0.85, 0.70, 0.91, 0.77, 0.66]
TRUTH = op.Scenario.from_scores(0.80, 0.75, prevalence=0.3, agreement=0.9)
Draw: TypeAlias = "Callable[[Axes | None], Axes]"
Named: TypeAlias = "Callable[[str, str, Axes | None], Axes]"


@cache
def compared(a: str = NAMES[0], b: str = NAMES[1]) -> op.Comparison:
    predictions = {a: NEWS.predictions["svm_l2"], b: NEWS.predictions["nb_bern"]}
    return op.compare(NEWS.truth, predictions, pos_label=8, rope=0.05, rng=0, draws=1_000)


@cache
def alike() -> op.Comparison:
    predictions = {name: NEWS.predictions[name] for name in ("nb_mult", "svm_l2")}
    return op.compare(NEWS.truth, predictions, pos_label=8, rope=0.05, rng=0, draws=1_000)


@cache
def by_class(a: str = NAMES[0], b: str = NAMES[1]) -> Any:
    """Five classes, which are named after the first classifier."""
    labels = [f"{k} {a}" for k in range(5)]
    truth = [labels[k % 5] for k in NEWS.truth]
    rows = {name: [labels[k % 5] for k in NEWS.predictions[own]] for name, own in ((a, "svm_l2"), (b, "nb_bern"))}
    return op.compare(truth, rows, average="per_class", rope=0.05, rng=0, draws=1_000)


@cache
def counts(a: str = NAMES[0], b: str = NAMES[1], classes: int = 5) -> op.Counts:
    rows = {name: NEWS.predictions[own] % classes for name, own in ((a, "svm_l2"), (b, "nb_bern"))}
    return op.Counts.from_labels(NEWS.truth % classes, rows)


@cache
def ranked(a: str = "svm_l2", b: str = "nb_bern", *, rope: float | None = 0.01, positive: int = 8) -> op.Ranking:
    names = {"svm_l2": a, "nb_bern": b}
    systems = {names.get(name, name): own == positive for name, own in NEWS.predictions.items()}
    return op.rank(NEWS.truth == positive, systems, rope=rope, rng=0, draws=1_000)


@cache
def estimated() -> op.Estimate:
    return op.estimate(NEWS.truth, NEWS.predictions["svm_l2"], average="macro", rng=0, draws=1_000)


@cache
def bayes(a: str = "IOB2", b: str = "IOBES") -> op.BayesTest:
    totals = op.Counts.from_totals({a: (1200, 1100, 1000), b: (1200, 1090, 1010)})
    return op.bayes_test(totals, measure="f1", rope=0.01, rng=0, draws=1_000)


@cache
def power(model: str = "paired") -> op.Power:
    return op.power(TRUTH, [200, 500, 1000, 2000], "better", rope=0.01, model=model, studies=400, rng=0)


@cache
def planned() -> op.Plan:
    return op.plan(TRUTH, "better", rope=0.01, rng=0, studies=400)


@cache
def three_way(a: str = "svm", b: str = "nb") -> op.ThreeWay:
    return op.compare_datasets({a: SVM, b: NB}, method="sign", rope=0.01, measure="accuracy")


def kind(which: str) -> Named:
    return lambda a, b, ax: compared(a, b).plot(ax, kind=which)


PICTURES: dict[str, Named] = {which: kind(which) for which in plots.COMPARISON} | {
    "no rope": lambda a, b, ax: compared(a, b).with_rope(None).plot(ax),
    "wide rope": lambda a, b, ax: compared(a, b).with_rope(0.6).plot(ax),
    "per class": lambda a, b, ax: by_class(a, b).plot(ax),
    "one class": lambda a, b, ax: by_class(a, b).rows[0].plot(ax),
    "sensitivity": lambda a, b, ax: compared(a, b).sensitivity(["uniform", 2]).plot(ax),
    "ranking": lambda a, b, ax: ranked(a, b).plot(ax),
    "pairs": lambda a, b, ax: ranked(a, b).plot(ax, kind="pairs"),
    "pairs without rope": lambda a, b, ax: ranked(a, b, rope=None).plot(ax, kind="pairs"),
    "forest": lambda a, b, ax: plots.forest(every_two(ranked(a, b)), ax),
    "densities": lambda a, b, ax: bayes(a, b).plot(ax, kind="densities"),
    "three way": lambda a, b, ax: three_way(a, b).plot(ax),
    "confusion": lambda a, b, ax: plots.confusion(counts(a, b), a, ax),
    "confusion difference": lambda a, b, ax: plots.confusion_difference(counts(a, b), a, b, ax),
    "power": lambda a, b, ax: replace(power(), a=a, b=b).plot(ax),
    "plan": lambda a, b, ax: replace(planned(), a=a, b=b).plot(ax),
    "estimate": lambda _, __, ax: estimated().plot(ax),
    "two curves": lambda _, __, ax: power("unpaired").plot(power().plot(ax)),
    "20 classes": lambda a, b, ax: plots.confusion(counts(a, b, 20), a, ax),
}
VERBATIM = {"posterior", "factor", "margins", "joint", "ranking", "pairs", "forest", "densities", "three way"}
NAMELESS = {"trace", "autocorrelation", "estimate", "two curves", "20 classes", "wide rope", "plan", "no rope"}


def every_two(r: op.Ranking) -> list[op.Comparison]:
    return [r.comparison(two.a, two.b) for two in r.pairs]


def picture(name: str, a: str = NAMES[0], b: str = NAMES[1]) -> Draw:
    return lambda ax: PICTURES[name](a, b, ax)


@pytest.fixture(autouse=True)
def _no_figures() -> Iterator[None]:
    """Figures are closed, those of other files too, and nothing that is global has changed."""
    plt.close("all")
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


def drawn(draw: Draw, size: tuple[float, float] | None = None, style: str = LIGHT) -> Axes:
    """Draw it, in axes of this size in inches or in its own."""
    with plt.style.context(style):
        if size is None:
            return draw(None)
        ax = plt.subplots(figsize=size, layout="constrained")[1]
        assert draw(ax) is ax
        return ax


def png(ax: Axes, dpi: float = 100) -> bytes:
    written = io.BytesIO()
    assert ax.figure is not None
    ax.figure.savefig(written, format="png", dpi=dpi)  # type: ignore[union-attr]
    return written.getvalue()


def shown(ax: Axes) -> list[Text]:
    """All texts that are drawn."""
    ticks = []
    for axis, (low, high) in ((ax.xaxis, sorted(ax.get_xlim())), (ax.yaxis, sorted(ax.get_ylim()))):
        ticks += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    legend = ax.get_legend()
    texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts, *(legend.get_texts() if legend else []), *ticks]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def xs(line: Any) -> list[float]:
    return [float(x) for x in line.get_xdata()]


def ys(line: Any) -> list[float]:
    return [float(y) for y in line.get_ydata()]


def read(ax: Axes) -> str:
    """All that is written on a picture."""
    return "\n".join(" ".join(text.get_text().split()) for text in shown(ax))


def check_places(ax: Axes) -> None:
    """No text leaves the figure or covers another."""
    assert ax.figure is not None
    ax.figure.canvas.draw()
    texts, outer = shown(ax), ax.figure.bbox
    x0, y0, x1, y1 = np.array([text.get_window_extent().extents for text in texts]).T
    out = (x0 < outer.x0 - 1) | (y0 < outer.y0 - 1) | (x1 > outer.x1 + 1) | (y1 > outer.y1 + 1)
    assert [texts[k].get_text() for k in np.flatnonzero(out)] == []
    apart = (x1[:, None] < x0 + 2) | (y1[:, None] < y0 + 2)  # the one at the left of, or below, the other
    covered = np.argwhere(np.triu(~(apart | apart.T), 1))
    assert [(texts[i].get_text(), texts[j].get_text()) for i, j in covered] == []


def luminance(colour: Any) -> float:
    """Of WCAG 2."""
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in mpl.colors.to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: Any, other: Any) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("size", "style"), [("own", LIGHT), ("column", DARK)])
@pytest.mark.parametrize("name", PICTURES)
def test_every_picture(name: str, size: str, style: str) -> None:
    """Styles are of colours, which move nothing: the places on a dark picture are those on a light one of its size."""
    ax = drawn(picture(name), SIZES[size], style)
    check_places(ax)
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("name", ["posterior", "confusion", "20 classes"])
def test_pictures_are_written(name: str) -> None:
    assert png(drawn(picture(name))).startswith(b"\x89PNG")


def test_styles_are_of_colours() -> None:
    """So that one picture in each size tells the places on both."""
    assert all("color" in name or name == "axes.prop_cycle" for name in plt.style.library[DARK])


@pytest.mark.parametrize("name", ["posterior", "factor", "margins", "joint", "trace", "per class", "ranking"])
@pytest.mark.parametrize("face", ["#101820", "white", "#777777", "none"])
def test_any_background(name: str, face: str) -> None:
    """Axes that were made dark by hand: what is in them is read as well as can be."""
    figure, ax = plt.subplots(facecolor="white")
    ax.set_facecolor(face)
    picture(name)(ax)
    behind = "white" if face == "none" else face
    limit = 4 if face == "#777777" else 7
    inside = [text for text in ax.texts if ax.bbox.contains(*text.get_window_extent().get_points().mean(axis=0))]
    legend = ax.get_legend()
    for text in [*inside, *(legend.get_texts() if legend else [])]:
        assert contrast(text.get_color(), behind) >= limit, text.get_text()
    for line in (own for own in ax.lines if own.get_clip_on()):  # others are beside the axes
        if line.get_linestyle() == ":" or (name == "posterior" and line.get_linewidth() == 4):
            assert contrast(line.get_color(), behind) >= limit
        if line.get_marker() == "o":
            assert contrast(line.get_markeredgecolor(), behind) >= limit
    plt.close(figure)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_names_are_shown_as_they_are(number: int) -> None:
    """Every third picture; the next names have the next third."""
    a, b = HOSTILE[number]
    for title in sorted(PICTURES.keys() - NAMELESS)[number % 3 :: 3]:
        ax = drawn(picture(title, a, b), COLUMN)
        check_places(ax)
        plt.close("all")
        for name in (a, b) if title in VERBATIM and len(a) < 10 else ():
            assert " ".join(name.split()) in read(ax) or not drawable(name), title


def drawable(name: str) -> bool:
    """Whether matplotlib's own font has it all."""
    font = mpl.font_manager.get_font(mpl.font_manager.findfont("DejaVu Sans"))
    return all(ord(letter) in font.get_charmap() for letter in name)


def test_long_names_end_in_an_ellipsis() -> None:
    ax = drawn(compared("an extraordinarily long name of a classifier", "b").plot, COLUMN)
    assert "an extra" in ax.get_title()
    assert "…" in ax.get_title()
    assert "…" in ax.get_xlabel()
    assert ax.get_xlabel().splitlines()[0].endswith("− b")


def test_shortening() -> None:
    assert words.shortened("short", 100) == "short"
    cut = words.shortened("a rather long name", 60)
    assert cut.endswith("…")
    assert "a rather long name".startswith(cut[:-1])
    assert words.width(cut) <= 60 < words.width("a rather long name")
    one = words.width("a rather lon…")
    assert words.shortened("a rather long name", one) == "a rather lon…"
    assert words.width("mm") > words.width("ll")
    assert words.line("a\x00b\ud800") == "a□b□"
    assert words.line("a\U000e0001b") == "ab", "a character that shows nothing"
    assert words.wrapped(["one", "two", "three"], words.width("one two")) == "one two\nthree"


def test_nothing_is_markup_even_with_tex() -> None:
    with mpl.rc_context({"text.usetex": True, "axes.formatter.use_mathtext": False}):
        ax = drawn(compared("$x^2$", "a_b%").plot)
        assert "$x^2$" in ax.get_title()
        for text in (ax.title, ax.xaxis.label, *ax.texts):
            assert not text.get_usetex()
            assert not text.get_parse_math()


def test_axes_given_are_used_and_figures_do_not_pile_up() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    for ax in (left, right):
        assert compared().plot(ax) is ax
        assert ax.lines
    assert plt.get_fignums() == [figure.number]
    figure.canvas.draw()


def test_posterior() -> None:
    r = compared()
    assert r.decision is not None
    assert r.rope is not None
    ax = r.plot()
    assert ax.get_title() == r.decision.words
    assert ax.get_xlabel() == "Δf1 = svm − naive Bayes\n95% HDI, P(Δ > 0) > 99.9%"
    texts = {text.get_text() for text in ax.texts}
    ends = {numbers.signed(end) for end in r.delta.hdi}
    rope = f"ROPE {numbers.percent(r.rope.probability)}"
    assert texts == ends | {f"mean {numbers.signed(r.delta.mean)}", rope}
    bars = [line for line in ax.lines if line.get_linewidth() == 4]
    assert [tuple(xs(bar)) for bar in bars] == [r.delta.hdi]
    (band,) = ax.patches
    assert tuple(band.get_extents().transformed(ax.transData.inverted()).intervalx) == pytest.approx((-0.05, 0.05))


def test_the_density_is_one() -> None:
    """The area below the curve is 1, and it lies where the draws are."""
    r = compared()
    curve = max(r.plot().lines, key=lambda line: len(xs(line)))
    x, y = np.array(xs(curve)), np.array(ys(curve))
    assert float(np.diff(x) @ (y[1:] + y[:-1])) / 2 == pytest.approx(1, abs=0.01)
    middle = float((x * y).sum() / y.sum())
    assert middle == pytest.approx(r.delta.mean, abs=0.1 * r.delta.sd)


def test_posterior_without_a_rope() -> None:
    r = compared().with_rope(None)
    ax = r.plot()
    assert ax.get_title() == "P(svm scores higher) > 99.9%"
    assert not ax.patches
    worse = op.compare(NEWS.truth, {"a": NEWS.predictions["nb_bern"], "b": NEWS.predictions["svm_l2"]},
                       pos_label=8, rng=0, draws=500)  # fmt: skip
    assert worse.plot().get_title().startswith("P(b scores higher)")


def test_posterior_of_one_score() -> None:
    r = estimated()
    ax = r.plot()
    assert ax.get_title() == r.name
    assert ax.get_xlabel() == "macro f1, 95% HDI"
    texts = {text.get_text() for text in ax.texts}
    assert texts == {f"mean {numbers.score(r.mean)}", *(numbers.score(end) for end in r.hdi)}


def test_what_never_varies_is_a_needle() -> None:
    same = op.compare_scores({"a": SVM * 3, "b": SVM * 3}, rope=0.01, rng=0, draws=200)
    for kind in ("posterior", "margins", "joint", "trace", "autocorrelation"):
        assert png(same.plot(kind=kind))
    assert "mean +0.000" in read(same.plot())


def test_factor() -> None:
    r = alike()
    ax = r.plot(kind="factor")
    assert ax.get_title() == f"Bayes factor for equality: {numbers.bayes_factor(r.bayes_factor.savage_dickey)}"
    evidence: Any = r.evidence
    known = [evidence.density_at_zero, evidence.prior_density]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [ys(dot)[0] for dot in dots] == known
    assert all(xs(dot) == [0] for dot in dots)
    legend = ax.get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == [f"after the data: {known[0]:.3g} at 0", f"before: {known[1]:.3g} at 0"]
    curves = [line for line in ax.lines if line.get_marker() != "o"]
    for curve, at_zero, far in zip(curves, known, (0.1, 1e-9), strict=True):
        drawn_at_zero = np.interp(0, xs(curve), ys(curve))
        assert drawn_at_zero == pytest.approx(at_zero, rel=far)
    assert known[0] / known[1] == pytest.approx(r.bayes_factor.savage_dickey)


def test_factor_of_a_far_difference() -> None:
    ax = compared().plot(kind="factor")
    low, high = ax.get_xlim()
    assert low < 0
    assert high > compared().delta.hdi[1]


def test_margins() -> None:
    r = compared()
    ax = r.plot(kind="margins")
    (_, better), (first, _), (second, same) = r.by_margin()
    title = f"svm {better.symbol} naive Bayes up to {first:.3f}, > up to {second:.3f}, then {same.symbol}"
    assert ax.get_title() == title
    curve = ax.lines[0]
    delta = np.abs(r.draws[:, 0] - r.draws[:, 1])
    for margin, p in list(zip(xs(curve), ys(curve), strict=True))[::40]:
        assert p == np.mean(delta <= margin)
    assert r.rope is not None
    assert [(*xs(line), *ys(line)) for line in ax.lines[1:]] == [(0.05, r.rope.probability)]
    assert [text.get_text() for text in ax.texts] == ["≫", ">", "≈"]
    strips = [area.get_datalim(ax.transData).intervalx.tolist() for area in ax.collections]
    assert [strip[0] for strip in strips] == pytest.approx([0, first, second])
    assert "naive Bayes up to" in drawn(lambda ax: r.plot(ax, kind="margins"), COLUMN).get_title().replace("\n", " ")


def test_joint() -> None:
    r = compared()
    ax = r.plot(kind="joint")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("f1 of naive Bayes", "f1 of svm")
    assert [text.get_text() for text in ax.texts] == [
        numbers.percent(r.delta.p_greater),
        numbers.percent(r.delta.p_less),
    ]
    (diagonal,) = ax.lines
    assert xs(diagonal) == ys(diagonal) == list(ax.get_xlim()) == list(ax.get_ylim())
    hexagons, band = sorted(ax.collections, key=lambda area: area.get_array() is None)
    beside = np.unique(np.round(np.diff(band.get_paths()[0].vertices).ravel(), 9))
    assert beside.tolist() == [-0.05, 0.05]
    inside = np.asarray(hexagons.get_array()).sum()
    assert 0.99 * len(r.draws) <= inside <= len(r.draws)
    offsets, number = np.asarray(hexagons.get_offsets()), np.asarray(hexagons.get_array())
    assert number @ offsets / number.sum() == pytest.approx([r.b.mean, r.a.mean], abs=0.005)


def test_trace_and_autocorrelation() -> None:
    r = alike()
    assert r.plot_trace().get_ylabel() == r.plot(kind="trace").get_ylabel() == "Δf1"
    ax = r.plot(kind="autocorrelation")
    delta = r.draws[:, 0] - r.draws[:, 1]
    shown = ys(ax.lines[0])
    assert shown[0] == 1
    centred = delta - delta.mean()
    assert shown[1] == pytest.approx(float(centred[:-1] @ centred[1:] / (centred @ centred)))
    assert ax.get_xlabel() == "lag, in draws of Δf1"


def test_autocorrelation_by_its_definition() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(2, 20_000))
    chains = np.zeros_like(noise)
    for k in range(1, noise.shape[1]):
        chains[:, k] = 0.8 * chains[:, k - 1] + noise[:, k]
    found = autocorrelation(chains, 10)
    assert found.shape == (2, 11)
    for own, chain in zip(found, chains - chains.mean(axis=1, keepdims=True), strict=True):
        direct = [chain[: len(chain) - lag] @ chain[lag:] for lag in range(11)]
        np.testing.assert_allclose(own, np.array(direct) / direct[0], atol=1e-10)
        np.testing.assert_allclose(own, 0.8 ** np.arange(11), atol=0.05)
    assert autocorrelation(chains[:, :5], 10).shape == (2, 5)
    assert np.isnan(autocorrelation(np.ones((1, 9)), 3)).all()


def test_forest() -> None:
    rows = by_class()
    ax = rows.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == [str(row.class_) for row in rows]
    bars = [line for line in ax.lines if len(xs(line)) == 2 and line.get_linestyle() == "-"]
    assert [tuple(xs(bar)) for bar in bars] == [row.delta.hdi for row in rows]
    points = [line for line in ax.lines if line.get_marker() == "o"]
    assert [xs(point)[0] for point in points] == [row.delta.mean for row in rows]
    assert [text.get_text() for text in ax.texts] == [row.decision.symbol for row in rows]
    assert ax.get_xlabel() == "Δf1 = svm − naive Bayes, 95% HDI"
    assert len(ax.patches) == 1


def test_forest_of_estimates_and_of_pairs() -> None:
    each = op.estimate(NEWS.truth, NEWS.predictions["svm_l2"], average="per_class", rng=0, draws=200)
    ax = each.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == list(map(str, range(20)))
    assert ax.get_xlabel() == "f1, 95% HDI"
    assert not ax.texts
    r = ranked()
    ax = plots.forest([r.comparison(two.a, two.b) for two in r.pairs[:2]])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["nb_mult − svm_l2", "nb_mult − svm_l1"]
    assert ax.get_xlabel() == "Δf1, 95% HDI"


def test_ranking() -> None:
    r = ranked()
    ax = r.plot()
    names = [system.name for system in r.systems]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    assert [text.get_text() for text in ax.texts] == [*(numbers.percent(s.p_best) for s in r.systems), "P(best)"]
    points = [line for line in ax.lines if line.get_marker() == "o"]
    assert [xs(point)[0] for point in points] == [system.mean for system in r.systems]
    bars = [line for line in ax.lines if line.get_linestyle() == "-" and not line.get_clip_on()]
    several = [[names.index(name) for name in band] for band in r.bands if len(band) > 1]
    assert [[-min(band) + 0.35, -max(band) - 0.35] for band in several] == [ys(bar) for bar in bars]


def test_bands_that_leave_out_a_system_between() -> None:
    r = ranked()
    names = [system.name for system in r.systems]
    gap = replace(r, bands=((names[0], names[2], names[3]), (names[1],)))
    bars = [line for line in gap.plot().lines if line.get_linestyle() == "-" and not line.get_clip_on()]
    assert [ys(bar) for bar in bars] == [[0.35, -0.35], [-1.65, -3.35]]


def test_pairs() -> None:
    r = ranked()
    ax = r.plot(kind="pairs")
    names = [system.name for system in r.systems]
    cells = {tuple(np.round(text.get_position()).astype(int)): text.get_text() for text in ax.texts}
    mirrored = {"≪": "≫", "≫": "≪", "<": ">", ">": "<", "≈": "≈", "?": "?"}
    for two in r.pairs:
        i, j = names.index(two.a), names.index(two.b)
        assert two.decision is not None
        assert cells[j, i] == two.decision.symbol
        assert cells[i, j] == mirrored[two.decision.symbol]
    assert len(cells) == 12
    assert ax.get_title() == "verdict on row against column"
    bare = ranked(rope=None).plot(kind="pairs")
    cells = {tuple(np.round(text.get_position()).astype(int)): text.get_text() for text in bare.texts}
    two = ranked(rope=None).pairs[0]
    assert (cells[1, 0], cells[0, 1]) == (numbers.percent(two.p_greater), numbers.percent(two.p_less))


def test_curves() -> None:
    first, second = power(), power("unpaired")
    ax = second.plot(first.plot())
    curves = [line for line in ax.lines if line.get_marker() == "o"]
    for r, curve in zip((first, second), curves, strict=True):
        assert xs(curve) == [point.items for point in r.points]
        assert ys(curve) == [point.reached for point in r.points]
    assert curves[0].get_color() != curves[1].get_color()
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["better, paired", "better, unpaired"]
    assert ax.get_title() == "To show that A is better than B"
    other = op.power(TRUTH, [200, 500], "equivalent", rope=0.1, studies=50, rng=0)
    assert other.plot(ax).get_title() == ""
    ax = plt.subplots()[1]
    ax.set_xscale("log")
    assert first.plot(ax).get_xscale() == "log"


def test_plan() -> None:
    r = planned()
    ax = r.plot()
    assert ax.get_xlabel() == f"items\nabout {numbers.about(r.further)} with probability 0.8"
    lines = [(*xs(line), *ys(line)) for line in ax.lines if line.get_linestyle() == ":"]
    assert lines == [(0, 1, 0.8, 0.8), (r.further, r.further, 0, 1)]
    assert ax.get_ylabel() == "assurance"
    enough = replace(r, points=(), further=0, simulated=None)
    assert enough.plot().get_xlabel().endswith("none needed")


def test_densities() -> None:
    r = bayes()
    ax = r.plot(kind="densities")
    assert ax.get_xlabel() == f"f1\nP(IOBES > IOB2) = {numbers.percent(r.hypotheses.p_h1)}"
    assert r.plot_scores().get_xlabel() == ax.get_xlabel()
    assert r.plot(kind="joint").get_ylabel() == "f1 of IOB2"
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["IOB2", "IOBES"]


def test_three_way() -> None:
    r = three_way()
    ax = r.plot()
    given = [[r.p_better, r.p_equal, r.p_worse]]
    assert r.next_data_set is not None
    given.append([r.next_data_set.better, r.next_data_set.equal, r.next_data_set.worse])
    assert [text.get_text().strip() for text in ax.texts] == [numbers.percent(p) for row in given for p in row]
    assert [bar.get_width() for bar in ax.patches] == [p for row in given for p in row]  # type: ignore[attr-defined]
    title = f"unresolved: svm is better with probability {numbers.percent(r.p_better)}"
    assert ax.get_title().replace("\n", " ") == title
    assert [label.get_text() for label in ax.get_yticklabels()] == ["svm better", "the same", "nb better"]
    bare = r.with_rope(None).plot()
    assert bare.get_title() == ""
    assert len(bare.patches) == 3


def test_check() -> None:
    cells = (CheckedCell("n", "", 50, 48.5, (40, 57), 0.5), CheckedCell("n_positive", "11", 3, 9.5, (5, 14), 0.01))
    r = op.PredictiveCheck(Signature("signature"), "posterior", 0.95, 100, cells)
    ax = r.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["n", "n_positive 11"]
    observed = next(line for line in ax.lines if line.get_marker() == "X")
    assert xs(observed) == [50, 3]
    assert ax.get_xlabel() == "items, 95% interval of the posterior predictive"
    check_places(ax)


def confused(name: str, table: op.Counts) -> NDArray[np.float64]:
    size = len(table.labels)
    found = np.zeros((size, size))
    np.add.at(found, (table.truth, table.predictions[:, table.classifiers.index(name)]), table.n)
    return found


def test_confusion() -> None:
    table = counts()
    ax = plots.confusion(table, "svm")
    found = rates(table, "svm", default_prior(table))
    cells = {text.get_position(): text.get_text() for text in ax.texts}
    assert len(cells) == 25
    for (j, k), mean in np.ndenumerate(found.mean):
        expected = f"{mean:.2f}\n{found.low[j, k]:.2f}–{found.high[j, k]:.2f}".replace("0.", ".")
        assert cells[k, j] == expected
    assert ax.get_title() == "P(predicted | true), svm"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "true")
    many = plots.confusion(counts(classes=20), "svm")
    assert all("\n" not in text.get_text() for text in many.texts)
    assert f"{rates(counts(classes=20), 'svm', PRIORS['pooled']).mean[0, 0]:.2f}"[1:] in read(many)


def test_confusion_difference() -> None:
    table = counts()
    ax = plots.confusion_difference(table, "svm", "naive Bayes")
    found = rate_differences(table, "svm", "naive Bayes", default_prior(table))
    told = found.told()
    assert 0 < told.sum() < told.size
    cells = {text.get_position(): text.get_text() for text in ax.texts}
    for (j, k), mean in np.ndenumerate(found.mean):
        assert cells.get((k, j)) == (f"{mean:+.2f}".replace("0.", ".", 1) if told[j, k] else None)
    image = np.asarray(ax.images[0].get_array())
    assert len(np.unique(image[~told], axis=0)) == 1, "one grey"
    assert ax.get_title().replace("\n", " ") == "P(predicted | true), svm − naive Bayes"


def test_confusion_of_a_comparison() -> None:
    """The counts and the prior are those of the result."""
    r = op.compare(counts(), average="macro", model=op.Paired("jeffreys"), rng=0, draws=200)
    texts = {text.get_text() for text in plots.confusion(r, "svm").texts}
    mean = rates(counts(), "svm", PRIORS["jeffreys"]).mean[0, 0]
    assert any(text.startswith(f"{mean:.2f}"[1:]) for text in texts)
    assert plots.confusion_difference(r, "svm", "naive Bayes").texts


def test_rates_under_a_flat_prior() -> None:
    table = counts()
    found, n = rates(table, "svm", PRIORS["uniform"], 0.9), confused("svm", table)
    alpha = n + 1
    rest = alpha.sum(axis=1, keepdims=True) - alpha
    np.testing.assert_allclose(found.mean, alpha / (alpha + rest))
    np.testing.assert_allclose(found.low, stats.beta.ppf(0.05, alpha, rest))
    np.testing.assert_allclose(found.high, stats.beta.ppf(0.95, alpha, rest))


@pytest.mark.parametrize("prior", ["pooled", "hierarchical", "uniform", "jeffreys"])
def test_rates_are_the_models_recall(prior: str) -> None:
    """On the diagonal is the recall of each class, which the model draws."""
    table = counts(classes=20).select([0])
    found = rates(table, "svm", PRIORS[prior])
    np.testing.assert_allclose(found.mean.sum(axis=1), 1)
    settings: dict[str, Any] = {"measure": "recall", "model": op.Unpaired(prior), "rng": 0, "draws": 4_000}
    macro: Any = op.estimate(table, average="macro", **settings)
    assert found.mean.diagonal().mean() == pytest.approx(macro.mean, abs=5 * macro.mc_error)
    if PRIORS[prior].pools_classes:  # else each class against the rest has another prior
        for k, own in enumerate(op.estimate(table, average="per_class", **settings)):
            assert found.mean[k, k] == pytest.approx(own.mean, abs=5 * own.mc_error)
            assert found.high[k, k] - found.low[k, k] == pytest.approx(own.hdi[1] - own.hdi[0], rel=0.1)


def test_rates_without_a_prior_and_without_items() -> None:
    table = op.Counts.from_labels(["x", "x", "y"], {"a": ["x", "x", "y"]}, labels=["x", "y", "z"])
    found = rates(table, "a", PRIORS["haldane"])
    np.testing.assert_array_equal(np.isnan(found.mean), [[False] * 3, [False] * 3, [True] * 3])
    np.testing.assert_allclose(found.mean[:2], [[1, 0, 0], [0, 1, 0]], atol=1e-8)
    assert png(plots.confusion(op.compare(table_of_two(), average="macro", model="bootstrap", rng=0, draws=99), "a"))


def table_of_two() -> op.Counts:
    return op.Counts.from_labels(list("xxyyz") * 9, {"a": list("xxyyz") * 9, "b": list("xyyxz") * 9})


def differences(table: op.Counts) -> NDArray[np.float64]:
    """P(the first takes j for k more often) by drawing all outcomes of both, of flat weight 1 a class in all."""
    rng, size = np.random.default_rng(0), len(table.labels)
    found = np.zeros((size, size))
    for j in range(size):
        alpha = np.full((size, size), 1 / size)
        own = table.truth == j
        np.add.at(alpha, tuple(table.predictions[own].T), table.n[own])
        drawn = rng.dirichlet(alpha.ravel(), 40_000).reshape(-1, size, size)
        found[j] = (drawn.sum(axis=2) > drawn.sum(axis=1)).mean(axis=0)
    return found


def test_differences_of_paired_rates() -> None:
    table = counts()
    found = rate_differences(table, "svm", "naive Bayes", PRIORS["uniform"])
    expected = differences(table)
    error = np.sqrt(np.maximum(expected * (1 - expected), 1e-4) / 40_000)
    assert (np.abs(found.p_greater - expected) < 5 * error).all()
    mean = rates(table, "svm", PRIORS["uniform"]).mean - rates(table, "naive Bayes", PRIORS["uniform"]).mean
    np.testing.assert_allclose(found.mean, mean)
    swapped = rate_differences(table, "naive Bayes", "svm", PRIORS["uniform"])
    np.testing.assert_allclose(swapped.p_greater, 1 - found.p_greater, atol=1e-12)
    assert found.told(0.5).sum() >= found.told(0.95).sum() >= found.told(0.999).sum()


def test_differences_of_rates_on_other_items() -> None:
    table = op.Counts.from_test_sets(
        {"a": (list("xxxyyy") * 8, list("xxyyyx") * 8), "b": (list("xxxxyy") * 5, list("xyxyyx") * 5)}
    )
    found = rate_differences(table, "a", "b", PRIORS["uniform"])
    rng, one = np.random.default_rng(0), table.labels.index("x")
    drawn = rng.beta(16 + 1, 8 + 1, 400_000), rng.beta(10 + 1, 10 + 1, 400_000)
    assert found.p_greater[one, one] == pytest.approx(float((drawn[0] > drawn[1]).mean()), abs=0.004)
    assert png(plots.confusion_difference(table, "a", "b"))


def unmodelled() -> op.Comparison:
    return op.compare(pair(*FEW), model="bootstrap", rng=0, draws=200)


SETS = op.Counts.from_label_sets([{"p"}, {"q"}] * 9, {"a": [{"p"}, set()] * 9, "b": [{"q"}, {"q"}] * 9})
FOLDS = op.Counts.by_fold({(1, k): pair(*FEW) for k in (1, 2)})
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: compared().plot(kind="posterier"), "unknown kind 'posterier'; did you mean 'posterior'? known: auto"),
    (lambda: ranked().plot(kind="matrix"), "unknown kind 'matrix'; known: pairs, ranking"),
    (lambda: compared().plot(kind="densities"), "unknown kind 'densities'"),
    (lambda: bayes().plot(kind="scores"), "densities"),
    (lambda: op.compare(FOLDS).plot(kind="nothing"), "unknown kind"),
    (lambda: unmodelled().plot(kind="factor"), "there is no Bayes factor to draw: this comparison (bootstrap model"),
    (lambda: ranked().comparison("svm_l2", "nb_bern").plot(kind="factor"), "has no prior of the difference"),
    (lambda: op.bayes_test(pair(*FEW), model="paired", rng=0, draws=99).plot_scores(), "no closed form"),
    (lambda: plots.forest([]), "there are no rows to draw"),
    (lambda: plots.confusion(counts(), "nobody"), "no classifier 'nobody'; there are 'svm', 'naive Bayes'"),
    (lambda: plots.confusion(SETS, "a"), "a confusion matrix needs one true and one predicted class"),
    (lambda: plots.confusion(FOLDS, "a"), "folds test the same items repeatedly"),
    (lambda: plots.confusion(ranked().comparison("svm_l2", "nb_bern"), "svm_l2"), "does not keep counts of its items"),
]


@pytest.mark.parametrize(("ask", "sentence"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_drawn(ask: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        ask()
    assert not plt.get_fignums()


@pytest.mark.parametrize("kind", plots.COMPARISON)
def test_results_read_back_have_no_draws(kind: str) -> None:
    back = op.Comparison.from_dict(compared().to_dict())
    with pytest.raises(ValueError, match="this comparison was read back without its draws"):
        back.plot(kind=kind)
    with pytest.raises(ValueError, match="this estimate was read back without its draws"):
        op.Estimate.from_dict(estimated().to_dict()).plot()
    with pytest.raises(ValueError, match="this comparison was read back without its draws"):
        plots.confusion(back, "svm")
    assert not plt.get_fignums()


def test_what_needs_no_draws_is_drawn_without() -> None:
    rows: Any = op.PerClass.from_dict(by_class().to_dict(), op.Comparison)
    assert read(rows.plot()) == read(by_class().plot())
    assert read(op.Power.from_dict(power().to_dict()).plot()) == read(power().plot())
    assert read(op.ThreeWay.from_dict(three_way().to_dict()).plot()) == read(three_way().plot())


def test_many_systems() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    systems = {f"system {k}": np.where(rng.random(400) < 0.7 + 0.01 * k, truth, 1 - truth) for k in range(25)}
    r = op.rank(truth, systems, measure="accuracy", rope=0.01, rng=0, draws=200)
    for which in ("ranking", "pairs"):
        check_places(r.plot(kind=which))


IMAGES = Path(__file__).parent.parent / "images"
BLOCK = 12  # pixels, over which a picture is averaged
TOLERANCE = 6.0  # of 255, for another version of matplotlib
SNAPSHOTS: dict[str, tuple[Draw, Draw]] = {  # a picture, and one that is not it
    "posterior": (lambda ax: compared().plot(ax), lambda ax: alike().plot(ax)),
    "factor": (lambda ax: alike().plot(ax, kind="factor"), lambda ax: compared().plot(ax, kind="factor")),
    "forest": (lambda ax: by_class().plot(ax), lambda ax: by_class("naive Bayes", "svm").plot(ax)),
    "margins": (lambda ax: compared().plot(ax, kind="margins"), lambda ax: alike().plot(ax, kind="margins")),
    "ranking": (lambda ax: ranked().plot(ax), lambda ax: ranked(positive=12).plot(ax)),
    "power": (lambda ax: power().plot(ax), lambda ax: power("unpaired").plot(ax)),
}


def snapshot(draw: Draw) -> bytes:
    return png(drawn(draw, (4.8, 2.6)), 60)


def blurred(picture: Any) -> NDArray[np.float64]:
    """Means over blocks, so that a letter more or less to the left makes little difference."""
    pixels = 255 * np.asarray(plt.imread(picture, format="png"))[..., :3]
    rows, columns = (size // BLOCK * BLOCK for size in pixels.shape[:2])
    blocks = pixels[:rows, :columns].reshape(rows // BLOCK, BLOCK, columns // BLOCK, BLOCK, 3)
    return np.asarray(blocks.mean(axis=(1, 3)), dtype=np.float64)


def distance(one: Any, other: Any) -> float:
    """Root mean square of the difference of two blurred pictures, of 255."""
    return float(np.sqrt(np.mean((blurred(one) - blurred(other)) ** 2)))


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_snapshots(name: str) -> None:
    """A picture is the one that was looked at; and another is not."""
    saved, (right, wrong) = IMAGES / f"{name}.png", SNAPSHOTS[name]
    assert saved.stat().st_size <= 25_000
    assert distance(saved, io.BytesIO(snapshot(right))) <= TOLERANCE
    assert distance(saved, io.BytesIO(snapshot(wrong))) > TOLERANCE


if __name__ == "__main__":  # python -m tests.render.test_plots: take them anew, and look at them
    IMAGES.mkdir(exist_ok=True)
    for title, (own, _) in SNAPSHOTS.items():
        (IMAGES / f"{title}.png").write_bytes(snapshot(own))
