"""The HTML report, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import outperform as op
from outperform.base.lazy import made
from outperform.formats import escaping, numbers
from outperform.render.report.brief import LONGEST
from outperform.render.report.compared import compared
from outperform.render.report.rows import row_of, ticks
from outperform.results import Several, card_of
from outperform.results.card import tally
from outperform.results.words import called
from outperform.verdicts.rule import Rule
from tests.conftest import PATIENCE, still
from tests.samples import RESULTS

CASES = json.loads((Path(__file__).parent.parent / "files" / "decision_cases.json").read_text(encoding="utf-8"))
NEWS = op.datasets.newsgroups()
TWO = {name: NEWS.predictions[name] for name in ("svm_l2", "nb_bern")}
MODEL = "meta-llama/Llama-3.1-405B-Instruct-quantized.w4a16 (reranked, temperature 0.7)"
SERIOUS = ("serious", "critical")
ROUNDED = 0.001  # probabilities on the page
OPTION, STYLE = re.compile(r"(?<![\w-])--[a-z]+"), re.compile("<style>.*?</style>", re.DOTALL)
NASTY = "</script><script>alert(1)</script>"
STATE = """() => {
  const ends = [...document.querySelectorAll('.op-handle')].map((h) => Number(h.getAttribute('aria-valuenow')));
  const share = document.querySelector('.op-pair .op-sure').dataset.rope;
  return [ends, document.querySelector('.op-pair .op-verdict').dataset.verdict, Number(share)];
}"""


@cache
def one(rope: float | None = 0.05) -> op.Comparison:
    return op.compare(NEWS.truth, TWO, pos_label=8, rope=rope, rng=0)


@cache
def classes() -> Any:
    return op.compare(NEWS.truth, TWO, average="per_class", rope=0.05, rng=0, draws=10_000)


@cache
def macro() -> Any:
    return op.compare(NEWS.truth, TWO, average="macro", rope=0.05, rng=0, draws=2_000)


@cache
def ranking() -> op.Ranking:
    return op.rank(NEWS.truth, NEWS.predictions, measure="accuracy", rope=0.01, rng=0, draws=2_000)


@cache
def alike() -> op.Comparison:
    same = NEWS.predictions["svm_l2"]
    return op.compare(NEWS.truth, {"a": same, "b": list(same)}, pos_label=8, rope=0.01, rng=0)


@cache
def close() -> op.Comparison:
    pair = {name: NEWS.predictions[name] for name in ("svm_l1", "svm_l2")}
    return op.compare(NEWS.truth, pair, pos_label=0, rope=0.02, rng=0)


@cache
def losses() -> op.Comparison:
    rng = np.random.default_rng(0)
    a = rng.gamma(2, 20, 200)
    return op.compare_scores({"a": a, "b": a + rng.normal(3, 5, 200)}, greater_is_better=False, rope=1, rng=0)


@cache
def few() -> op.Comparison:
    rng = np.random.default_rng(0)
    a = rng.random(8)
    return op.compare_scores({"a": a, "b": a - 0.2}, rope=0.05, rng=0)


@cache
def skewed() -> op.Comparison:
    """The middle of the HDI lies above 0 and most of the posterior below."""
    a = np.random.default_rng(0).lognormal(0, 1.5, 60)
    return op.compare_scores({"a": a, "b": np.full(60, 2.59)}, rope=0.1, rng=0)


def opened(page: Any, result: Any, tmp_path: Path) -> Any:
    path = tmp_path / "report.html"
    result.to_html(path)
    page.goto(path.as_uri())
    return page


def drag(page: Any, side: int, x: float) -> None:
    """One end of the ROPE to a share of the picture's width."""
    frame = page.locator(".op-posterior").bounding_box()
    grip = page.locator(".op-handle .op-grip").nth(side).bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(frame["x"] + x * frame["width"], grip["y"] + 3, steps=3)
    page.mouse.up()


def agrees(page: Any, r: op.Comparison) -> tuple[float, float]:
    """What the page says of its ROPE is what Python says."""
    (low, high), verdict, share = page.evaluate(STATE)
    judged = r.with_rope((low, high))
    assert judged.decision is not None
    assert judged.rope is not None
    assert verdict == judged.decision.name
    assert share == pytest.approx(judged.rope.probability, abs=ROUNDED)
    card = card_of(judged)
    shown = [page.locator(f".op-pair .op-{part}").inner_text() for part in ("verdict", "sure")]
    if abs(judged.rope.probability - 0.5) > ROUNDED:  # at which the words change
        assert shown[0] == card.headline
    assert re.sub(r"within it\) = [^,]+", "", shown[1]) == re.sub(r"within it\) = [^,]+", "", card.sure)
    if judged.decision.decided:
        assert page.locator(".op-next").inner_text() == card.next
    return low, high


def test_the_picture_of_an_exact_answer_takes_no_draws() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    a, b = (np.where(rng.random(400) < right, truth, 1 - truth) for right in (0.85, 0.8))
    r = op.compare(truth, {"a": a, "b": b}, pos_label=1, rope=0.05)
    assert r.to("html")
    assert r.evidence is not None
    assert not made(r.evidence, "scores")
    drawn = op.compare(truth, {"a": a, "b": b}, pos_label=1, rope=0.05, engine="draws", draws=200_000, rng=0)
    at = np.linspace(*r.delta.hdi, 50)
    rows = [row_of("", x, called) for x in (r, drawn)]
    exact, smoothed = (np.interp(at, np.linspace(*row.axis, len(row.heights)), row.heights) for row in rows)
    assert np.abs(exact - smoothed).max() < 30  # of a thousand


def test_it_asks_nothing_of_the_network(fresh_page: Any, tmp_path: Path) -> None:
    asked: list[str] = []
    fresh_page.on("request", lambda request: asked.append(request.url))
    opened(fresh_page, Several((one(), classes())), tmp_path)
    fresh_page.evaluate("() => new Promise((resolve) => requestIdleCallback(() => resolve()))")
    assert [url.rsplit("/", 1)[1] for url in asked] == ["report.html"]


@pytest.mark.parametrize("make", [one, close, alike, losses, few], ids=lambda make: make.__name__)
def test_margins_and_a_dragged_rope_are_judged_as_in_python(page: Any, tmp_path: Path, make: Any) -> None:
    r = make()
    opened(page, r, tmp_path)
    agrees(page, r)
    same_margins(page, r)
    page.locator(".op-symmetric").uncheck()
    seen = set()
    for k, x in enumerate(np.random.default_rng(1).uniform(0.05, 0.95, 6)):
        drag(page, k % 2, float(x))
        seen.add(agrees(page, r))
    assert len(seen) > 3


def same_margins(page: Any, r: op.Comparison) -> None:
    """The strip of margins is that of Python, by the script and without."""
    still = re.findall(r'class="op-v-(\w+)" x="([\d.]+)"', r.to_html())
    assert [name for name, _ in still] == [decision.name for _, decision in r.by_margin()]
    boxes = page.locator(".op-strip rect")
    moved = boxes.evaluate_all("all => all.map((box) => [box.getAttribute('class'), Number(box.getAttribute('x'))])")
    assert [name for name, _ in moved] == [f"op-v-{name}" for name, _ in still]
    assert [x for _, x in moved] == pytest.approx([float(x) for _, x in still], abs=0.1)


def test_a_symmetric_rope_stays_so(page: Any, tmp_path: Path) -> None:
    opened(page, one(), tmp_path)
    for side, x in ((1, 0.6), (1, 0.9), (0, 0.1)):
        drag(page, side, x)
        low, high = agrees(page, one())
        assert low == -high


def test_the_keyboard_moves_it(page: Any, tmp_path: Path) -> None:
    opened(page, one(), tmp_path)
    handle = page.locator(".op-handle").nth(1)
    handle.focus()
    for key, high in (("ArrowRight", 0.051), ("ArrowLeft", 0.05), ("PageUp", 0.06), ("End", 1.0), ("Home", 0.0)):
        page.keyboard.press(key)
        assert agrees(page, one()) == pytest.approx((-high, high))
    assert handle.get_attribute("aria-label") == "high end of the ROPE"
    page.keyboard.press("Tab")
    page.locator(".op-reset").press("Enter")
    assert agrees(page, one()) == (-0.05, 0.05)


def test_typed_ends_are_taken_as_they_are(page: Any, tmp_path: Path) -> None:
    opened(page, one(None), tmp_path)
    assert page.locator(".op-verdict").get_attribute("data-verdict") == ""
    page.locator(".op-input").nth(1).fill("0.0954321")
    assert agrees(page, one()) == (-0.0954321, 0.0954321)
    page.locator(".op-symmetric").uncheck()
    page.locator(".op-input").nth(0).fill("-0.2")
    assert agrees(page, one()) == (-0.2, 0.0954321)


def test_an_hdi_leans_only_where_most_of_the_posterior_lies(page: Any, tmp_path: Path) -> None:
    r = skewed()
    assert np.median(r.draws @ [1, -1]) < 0
    opened(page, r, tmp_path)
    for end in (0.12, 0.2):
        page.locator(".op-input").nth(1).fill(str(end))
        assert agrees(page, r) == (-end, end)
        assert page.locator(".op-verdict").get_attribute("data-verdict") == "undecided"
        assert op.decide(r.delta.hdi, (-end, end), mid_error=0.01) == "slightly_better", "by the HDI alone"


def test_what_is_typed_is_what_holds(page: Any, tmp_path: Path) -> None:
    opened(page, one(), tmp_path)
    low, high = page.locator(".op-input").all()
    high.fill("5")
    high.press("Enter")
    assert (low.input_value(), high.input_value()) == ("-1", "1")
    high.fill("")
    assert page.locator(".op-verdict").get_attribute("data-verdict") == ""
    assert low.input_value() == ""


def test_bands_are_explained(page: Any, tmp_path: Path) -> None:
    opened(page, ranking(), tmp_path)
    assert page.inner_text(".op-systems thead th") == "band"
    assert page.inner_text(".op-bands") == "Systems that share a letter (band) are not distinguishable."


def test_a_ranking_begins_with_itself(page: Any, tmp_path: Path) -> None:
    opened(page, ranking(), tmp_path)
    assert page.locator("h1").inner_text().startswith("accuracy of 4 systems")
    assert page.locator(".op-lead").inner_text().startswith("nb_mult comes first")
    assert page.locator(".op-systems tbody th").all_inner_texts() == [s.name for s in ranking().systems]
    before = "() => document.querySelector('.op-ranking').compareDocumentPosition(document.querySelector('.op-answer'))"
    assert page.evaluate(before) == 4, "the answer follows the ranking"


def test_shrinkage_alone_makes_no_two_systems_equivalent_in_the_page(page: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth, right = rng.integers(0, 2, 400), rng.random((4, 400)) < [[0.8], [0.79], [0.78], [0.77]]
    systems = {f"s{k}": np.where(own, truth, 1 - truth) for k, own in enumerate(right)}
    ranked = op.rank(truth, systems, measure="accuracy", rope=0.01, draws=2_000, rng=0)
    r = ranked.comparison(ranked.systems[0].name, ranked.systems[1].name)
    assert r.evidence is not None
    shrunk, alone = (max(map(abs, hdi)) for hdi in (r.delta.hdi, r.evidence.wider_hdi(0, 1, 0.95) or (0, 0)))
    opened(page, ranked, tmp_path)
    same_margins(page, r)
    seen = []
    for margin in ((shrunk + alone) / 2, alone + 0.001):
        page.locator(".op-input").nth(1).fill(f"{margin:.4f}")
        page.locator(".op-input").nth(1).press("Enter")
        agrees(page, r)
        seen.append(page.locator(".op-verdict").get_attribute("data-verdict"))
    assert shrunk < alone
    assert seen == ["undecided", "equivalent"]


def test_that_lower_is_better_is_said() -> None:
    assert "lower score is better" in losses().to_html()
    assert "lower score is better" in losses().to_text()
    assert "is better" not in one().to_text().partition("\n")[2]


@pytest.mark.parametrize("span", [(-0.11, 0.22), (0, 0.0231), (-40, 959.0), (0, 1.0), (-3.3e-5, 1.2e-5), (0, 0.0099)])
def test_round_ticks_that_fit(span: tuple[float, float]) -> None:
    found = ticks(*span)
    assert 4 <= len(found) <= 9
    assert all(span[0] <= at <= span[1] for at, _ in found)
    assert [float(text) for _, text in found] == pytest.approx([at for at, _ in found], abs=1e-12)


def test_another_mass(page: Any, tmp_path: Path) -> None:
    opened(page, one(), tmp_path)
    for mass in (0.5, 0.8, 0.9, 0.99):
        page.locator(".op-mass").select_option(f"{mass:g}")
        wanted = one().with_mass(mass)
        ends = page.locator(".op-end").all_text_contents()
        assert ends == [f"{end:+.3f}" for end in wanted.delta.hdi]
        agrees(page, wanted)


def test_the_rule_in_the_page_is_that_of_python(page: Any, tmp_path: Path) -> None:
    opened(page, one(), tmp_path)
    rule = "all => all.map(([h, r, e, g]) => document.querySelector('.op').outperform.decide(h, r, e, g))"
    given = [[case["hdi"], case["rope"], case["mid_error"], case.get("greater_is_better", True)] for case in CASES]
    for case, decided in zip(CASES, page.evaluate(rule, given), strict=True):
        assert decided == case["decision"], case["why"]


def test_the_rule_in_the_page_is_that_of_python_on_a_grid(page: Any, tmp_path: Path) -> None:
    """Every HDI and every ROPE with ends on a grid, so that borders are met from either side."""
    opened(page, one(), tmp_path)
    rule = "all => all.map(([h, r, e, g]) => document.querySelector('.op').outperform.decide(h, r, e, g))"
    ends = [k / 64 for k in range(-3, 4)]
    hdis = [[low, high] for low in ends for high in ends if low <= high]
    ropes = [[low, high] for low, high in hdis if low <= 0 <= high]
    for greater, error in product((True, False), (0.0, 1 / 64)):
        given = [[hdi, rope, error, greater] for rope in ropes for hdi in hdis]
        low, high = np.array(hdis).T
        wanted = [name for a, b in ropes for name in Rule((a, b), greater).outcomes(low, high, error).tolist()]
        assert page.evaluate(rule, given) == wanted


def forest(page: Any) -> list[tuple[str, float, str]]:
    """Of each class: the name of its verdict, the share in the ROPE and the symbol."""
    lines = page.locator(".op-forest tbody tr").evaluate_all(
        """all => all.map((line) => {
          const cells = line.querySelectorAll('td');
          return [Number(line.dataset.row), line.dataset.verdict, Number(cells[3].dataset.value), cells[4].innerText];
        })"""
    )
    return [(verdict, share, said.split()[0]) for _, verdict, share, said in sorted(lines)]


def test_every_class_follows(page: Any, tmp_path: Path) -> None:
    opened(page, classes(), tmp_path)
    for rope, mass in (((-0.05, 0.05), 0.95), ((-0.02, 0.02), 0.95), ((-0.1, 0.08), 0.8), ((0.0, 0.3), 0.99)):
        page.evaluate("rope => document.querySelector('.op').outperform.setRope(rope)", list(rope))
        page.locator(".op-mass").select_option(f"{mass:g}")
        judged = classes().with_rope(rope).with_mass(mass)
        for row, (verdict, share, symbol) in zip(judged, forest(page), strict=True):
            assert (verdict, symbol) == (row.decision.name, row.decision.symbol)
            assert share == pytest.approx(row.rope.probability, abs=0.001)


def test_a_withheld_verdict_stays_withheld_until_the_reader_asks_otherwise(page: Any, tmp_path: Path) -> None:
    few = replace(classes(), fdr=1e-4).with_rope(0.05)
    assert any(row.withheld for row in few)
    opened(page, few, tmp_path)
    assert [symbol for _, _, symbol in forest(page)] == [row.decision.symbol for row in few]
    page.evaluate("document.querySelector('.op').outperform.setRope([-0.06, 0.06])")
    told = [row.decision.symbol for row in classes().with_rope(0.06)]
    assert [symbol for _, _, symbol in forest(page)] == told


def test_classes_can_be_sorted_and_looked_at(page: Any, tmp_path: Path) -> None:
    opened(page, classes(), tmp_path)
    means = {str(row.class_): row.delta.mean for row in classes()}
    head = page.locator(".op-forest thead button").nth(2)
    for order, reverse in (("ascending", False), ("descending", True)):
        head.click()
        assert head.locator("xpath=..").get_attribute("aria-sort") == order
        names = page.locator(".op-forest tbody th").all_inner_texts()
        assert names == sorted(means, key=lambda name: means[name], reverse=reverse)
    page.locator(".op-forest tbody tr[data-row='9'] button").click()
    assert page.locator(".op-which").inner_text() == "class 9"
    assert scores(page) == expected_scores(classes()[9])
    agrees(page, classes()[9])


def scores(page: Any) -> list[str]:
    """What the card says of both scores and of their difference."""
    return page.locator(".op-facts td, .op-facts tbody th, .op-facts .op-measure").all_inner_texts()  # type: ignore[no-any-return]


def expected_scores(r: op.Comparison) -> list[str]:
    both = [cell for s in (r.a, r.b) for cell in (s.name, f"{s.mean:.3f}", f"[{s.hdi[0]:.3f}, {s.hdi[1]:.3f}]")]
    moved = ["difference", f"{r.delta.mean:+.3f}", f"[{r.delta.hdi[0]:+.3f}, {r.delta.hdi[1]:+.3f}]"]
    return [card_of(r).measure, *both, *moved]


def test_classes_are_searched_and_filtered(page: Any, tmp_path: Path) -> None:
    opened(page, Several((macro(), classes())), tmp_path)
    page.locator(".op-search").fill("1")
    visible = [line.inner_text() for line in page.locator(".op-forest tbody th").all() if line.is_visible()]
    assert set(visible) == {"macro f1", *(str(k) for k in range(20) if "1" in str(k))}
    page.locator(".op-search").fill("")
    page.locator(".op-filter").select_option("better")
    better = sum(row.decision.name == "better" for row in classes())
    assert page.locator(".op-found").inner_text() == f"{better} of 20 shown"
    page.locator(".op-filter").select_option("")
    assert page.locator(".op-found").inner_text() == ""


def test_the_classes_that_drive_a_difference_have_bars(scriptless: Any, tmp_path: Path) -> None:
    page = opened(scriptless, macro(), tmp_path)
    shown = page.locator(".op-drivers tbody th").all_inner_texts()
    assert shown == [str(driver.class_) for driver in macro().drivers[:10]]
    assert page.locator(".op-drivers .op-share").count() == 10
    rest = sum(driver.delta for driver in macro().drivers[10:])
    assert f"The other 10 classes add {rest:+.4f}" in page.inner_text(".op-two")


def test_the_bars_of_each_slice_are_under_its_name(scriptless: Any, tmp_path: Path) -> None:
    truth = ["cat", "dog", "owl"] * 60
    said = {"svm": truth, "nb": [label if k % 4 else "cat" for k, label in enumerate(truth)]}
    slices = ["de", "<b>"] * 90
    page = opened(scriptless, op.compare(truth, said, by=slices, average="macro", draws=500, rng=0), tmp_path)
    headings = page.locator("h2", has_text="drives").all_inner_texts()
    assert headings == [f"What drives the difference: slice {name}" for name in ("<b>", "de")]
    assert page.get_by_role("region", name="What drives the difference: slice de").count() == 1


def test_pairs_of_classes_that_are_confused_differently_have_bars(scriptless: Any, tmp_path: Path) -> None:
    found = macro().confusions()
    for result in (macro(), Several((macro(), classes())), classes()):
        page = opened(scriptless, result, tmp_path)
        bars = page.locator(".op-confused").first.locator("tbody tr")
        shown = [line.locator("th, td").all_inner_texts() for line in bars.all()]
        assert [[line[0], *map(float, line[2:4])] for line in shown] == [
            [f"{pair.truth} → {pair.predicted}", pair.a, pair.b] for pair in found[:10]
        ]
        assert bars.locator(".op-better").count() == sum(pair.a < pair.b for pair in found[:10])
        section = page.locator("section", has=page.locator(".op-confused").first)
        assert "svm_l2 takes 36 items of class 2 for class 3, nb_bern takes 93." in section.inner_text()
        assert section.locator("summary").inner_text() == f"{len(found) - 10} pairs of classes with smaller differences"
    assert "op-confused" not in ranking().to_html().partition("</style>")[2]


def test_how_sure_more_data_would_make_is_shown_for_the_rope_of_the_report(page: Any, tmp_path: Path) -> None:
    opened(page, close(), tmp_path)
    lines = page.locator(".op-prospects tbody tr")
    shown = [line.locator("th, td").all_inner_texts() for line in lines.all()]
    assert [line[0] for line in shown] == ["7,532 (now)", "15,064 (×2)", "30,128 (×4)", "60,256 (×8)"]
    assert [line[2] for line in shown] == ["0%", *(f"{100 * chance.settled:.0f}%" for chance in close().chances())]
    drag(page, 1, 0.9)
    assert not page.locator(".op-prospects").is_visible()
    page.locator(".op-reset").click()
    assert page.locator(".op-prospects").is_visible()
    for settled in (one(), few()):  # a verdict, and too few items for any
        opened(page, settled, tmp_path)
        assert not page.locator(".op-prospects").count()


def test_parts_are_named_by_what_they_differ_in() -> None:
    assert [name for name, _ in compared(Several((macro(), classes())))][:3] == ["macro f1", "0", "1"]
    recall = op.compare(NEWS.truth, TWO, pos_label=8, measure="recall", rng=0, draws=2_000)
    assert [name for name, _ in compared(Several((one(), recall)))] == ["f1", "recall"]
    pairs = compared(Several((one(), close())))
    assert [name for name, _ in pairs] == ["svm_l2 − nb_bern", "svm_l1 − svm_l2"]


@pytest.fixture(scope="module")
def scriptless(browser: Any) -> Iterator[Any]:
    """A page that runs no script."""
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("kind", ["page", "scriptless"])
def test_the_average_is_not_tallied_as_a_class(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    page = opened(request.getfixturevalue(kind), Several((macro(), classes())), tmp_path)
    assert page.locator(".op-tally").inner_text() == tally(classes().rows, "classes")
    page = opened(request.getfixturevalue(kind), classes().with_rope(0.02), tmp_path)
    assert page.locator(".op-tally").inner_text() == tally(classes().with_rope(0.02).rows, "classes")


WORDS_IN_TWO_LINES = """cells => cells.flatMap(cell => [...cell.childNodes].filter(node => {
  if (node.nodeType !== Node.TEXT_NODE) return false;
  const range = document.createRange();
  range.selectNodeContents(node);
  return range.getClientRects().length > 1;
}).map(node => node.textContent))"""


@pytest.mark.parametrize("width", [360, 768])
def test_names_of_classes_are_broken_at_signs(fresh_page: Any, tmp_path: Path, width: int) -> None:
    names = np.array(NEWS.classes)
    truth, *two = (names[np.asarray(labels)] for labels in (NEWS.truth, *TWO.values()))
    result = op.compare(truth, dict(zip(TWO, two, strict=True)), average="per_class", rope=0.05, rng=0, draws=1_000)
    fresh_page.set_viewport_size({"width": width, "height": 900})
    page = opened(fresh_page, result, tmp_path)
    shown = page.locator(".op-forest tbody bdi")
    assert sorted(shown.all_inner_texts()) == sorted(names)
    assert shown.evaluate_all(WORDS_IN_TWO_LINES) == []


def test_what_to_do_next_goes_with_the_verdicts_of_the_classes(page: Any, tmp_path: Path) -> None:
    page = opened(page, classes(), tmp_path)
    onward = page.locator(".op-onward")
    assert onward.inner_text() == classes().tables()[0].next
    margin = page.locator(".op-input").nth(1)
    margin.fill("0.2")
    onward.wait_for(state="hidden")
    margin.fill("0.05")
    onward.wait_for(state="visible")


def test_the_card_of_all_classes_comes_first_and_a_class_opens_when_it_is_chosen(page: Any, tmp_path: Path) -> None:
    opened(page, classes(), tmp_path)
    first = classes().rows[0]
    told = ["Margin (ROPE) ±0.05.", f"f1 of each class, 7,532 items, {card_of(first).basis.partition(', ')[2]}."]
    assert page.locator(".op-whole p").all_inner_texts() == [
        tally(classes().rows, "classes"),
        classes().tables()[0].next,
        *told,
    ]
    assert page.evaluate("document.querySelector('.op-answer, .op-forest').matches('.op-whole')")
    assert not page.locator(".op-posterior").is_visible()
    assert not page.locator(".op-forest [aria-pressed=true]").count()
    assert "HDI: highest-density interval" in page.locator("section", has=page.locator(".op-forest")).inner_text()
    page.locator(".op-forest tbody tr[data-row='9'] button").click()
    assert page.locator(".op-posterior").is_visible()
    assert page.locator(".op-which").inner_text() == "class 9"
    assert page.locator(".op-forest [aria-pressed=true]").inner_text() == "9"


def test_the_card_of_all_classes_follows_the_margin(page: Any, tmp_path: Path) -> None:
    for result in (classes(), classes().with_rope(None)):
        opened(page, result, tmp_path)
        for rope in (0.1, None, 0.05):
            page.locator(".op-input").nth(1).fill("" if rope is None else str(rope))
            said = page.locator(".op-whole p").all_inner_texts()
            assert said[0] == tally(classes().with_rope(rope).rows, "classes")
            assert f"Margin (ROPE) ±{rope}." in said if rope else "No margin (ROPE)." in said
            assert page.locator(".op-onward").is_visible() == (
                rope is None or (rope == 0.05 and result.rows[0].rope is not None)
            )


def test_without_a_margin_the_report_names_its_own_field(page: Any, scriptless: Any, tmp_path: Path) -> None:
    for result, step in ((one(None), ".op-next"), (classes().with_rope(None), ".op-onward")):
        said = opened(page, result, tmp_path).locator(step).first.inner_text()
        assert said == "Choose a margin: the smallest difference that matters to you, in the field ROPE."
        plain = opened(scriptless, result, tmp_path).locator(step).first.inner_text()
        assert plain == "Choose a margin: the smallest difference that matters to you."  # there is no field


def by_half() -> op.BySlice:
    """Two slices of which one has no verdict."""
    truth = [1, 0] * 100
    said = {"svm": truth, "nb": [1 - y if k % 6 == 0 or k > 150 else y for k, y in enumerate(truth)]}
    return op.compare(truth, said, by=["old"] * 150 + ["new"] * 50, rope=0.2, draws=400, rng=0)


def of_probabilities(measure: str) -> op.Comparison:
    rng = np.random.default_rng(0)
    p = rng.random(300)
    truth = (rng.random(300) < p).astype(int)
    return op.compare(truth, {"a": p, "b": p**1.2}, measure=measure, rope=0.01, draws=400, rng=0)


@pytest.mark.parametrize("kind", RESULTS)
def test_a_report_names_no_options(kind: str) -> None:
    result = RESULTS[kind]("svm")
    assert OPTION.search(STYLE.sub("", result.to_html())) is None
    if isinstance(result, op.Comparison | op.Ranking):
        assert OPTION.search(STYLE.sub("", result.with_rope(None).to_html())) is None


def test_advice_in_a_report_names_no_options() -> None:
    slices, noisy = by_half(), of_probabilities("ece")
    for result, typed, told in (
        (slices, "the column more_items of --format csv (to_csv()", "the column more_items of the same result as CSV"),
        (noisy, "log loss (--measure brier; in Python measure=&#x27;brier&#x27;).", "log loss."),
    ):
        html = STYLE.sub("", result.to_html())
        assert typed in escape(result.to_text())
        assert told in html
        assert OPTION.search(html) is None
    assert "outperform plan" in slices.to_html()
    assert "outperform plan" not in of_probabilities("roc_auc").to_html()  # which takes labels


@pytest.mark.parametrize("kind", RESULTS)
def test_a_notebook_names_no_options_and_no_commands(kind: str) -> None:
    result = RESULTS[kind]("svm")
    open_ = [result.with_rope(None)] if isinstance(result, op.Comparison | op.Ranking) else []
    for shown in (result, *open_):
        html = STYLE.sub("", shown._repr_html_())
        assert OPTION.search(html) is None
        assert re.search(r"outperform (compare|plan|rank)|in Python", html) is None


def test_advice_in_a_notebook_names_arguments() -> None:
    truth = np.arange(300) % 3
    two = {"a": np.where(np.arange(300) % 7 == 0, 0, truth), "b": np.where(np.arange(300) % 8 == 0, 1, truth)}
    margin = "Choose a margin: the smallest difference that matters to you (rope=0.01)."
    several = op.compare(truth, two, average="per_class", rng=0, draws=400)
    for result, said in (
        (one().with_rope(None), margin),
        (several, margin),
        (one().with_rope(None).sensitivity(["uniform", "jeffreys"]), margin),
        (by_half(), "the column more_items of to_csv() says about how many"),
        (of_probabilities("ece"), "Compare by Brier score or log loss (measure=&#x27;brier&#x27;)."),
        (op.rank(truth, two, average="macro", rope=0.01, rng=0, draws=400), "or collect more items; op.plan says how"),
        (RESULTS["several estimates"]("a"), "To compare systems, use op.compare or op.rank: two HDIs that overlap"),
    ):
        assert said in result._repr_html_()


def test_without_a_script_the_answer_is_there(scriptless: Any, tmp_path: Path) -> None:
    page = opened(scriptless, classes(), tmp_path)
    first, means = classes().rows[0], [row.delta.mean for row in classes()]
    assert page.locator(".op-whole .op-verdict").inner_text() == tally(classes().rows, "classes")
    page.locator(".op-opened > summary").click()
    card = card_of(first)
    shown = [page.locator(f".op-pair .op-{part}").inner_text() for part in ("verdict", "next", "sure", "basis")]
    assert shown == [card.headline, card.next, card.sure, f"{card.basis}."]
    assert scores(page) == expected_scores(first)
    assert page.locator(".op-posterior").is_visible()
    assert not page.locator(".op-controls").is_visible()
    shown = page.locator(".op-forest tbody tr").all()
    assert [line.get_attribute("data-row") for line in shown] == [str(k) for k in np.argsort(means)[::-1]]
    assert all(line.is_visible() for line in shown)


def test_it_is_accessible(fresh_page: Any, tmp_path: Path) -> None:
    """By all rules; where it is dark only colours are others."""
    fresh_page.emulate_media(color_scheme="light")
    for result in (Several((one(), classes())), suite()):
        page = opened(fresh_page, result, tmp_path)
        page.evaluate("document.querySelectorAll('details').forEach((block) => (block.open = true))")
        for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
            page.emulate_media(color_scheme=scheme)
            still(page)
            found = Axe().run(page, options=rules | {"resultTypes": ["violations"]}).response["violations"]
            assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in SERIOUS] == []
        page.emulate_media(color_scheme="light")


def test_cells_of_a_notebook_are_accessible(fresh_page: Any) -> None:
    """With everything unfolded, also what more data would bring; rows keep their names where it is narrow."""
    open_ = op.compare(NEWS.truth, TWO, average="macro", rope=0.15, rng=0, draws=2_000)
    three = {name: NEWS.predictions[name] for name in ("svm_l2", "nb_mult", "nb_bern")}
    ranked = op.rank(NEWS.truth, three, average="micro", rope=0.01, rng=0)  # its notes scroll
    cells = "".join(r._repr_html_() for r in (open_, suite("sign"), ranked))
    assert "beyond the ROPE" in cells  # a row without an interval has no verdict
    fresh_page.set_viewport_size({"width": 360, "height": 800})
    fresh_page.set_content(f"<!doctype html><html lang=en><title>Notebook</title><main><h1>Cells</h1>{cells}</main>")
    assert min(name.bounding_box()["width"] for name in fresh_page.query_selector_all(".op-brief bdi")) > 50
    fresh_page.evaluate("document.querySelectorAll('details').forEach((block) => (block.open = true))")
    found = Axe().run(fresh_page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in SERIOUS] == []


def test_copying(page: Any, tmp_path: Path) -> None:
    opened(page, one(), tmp_path)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, text in (("LaTeX", one().to_latex()), ("BibTeX", "@inproceedings{zhang2016bayesian")):
        block = page.locator(f".op-copy[data-copy={name}]")
        block.locator("summary").click()
        block.get_by_role("button", name=f"Copy {name}").click()
        block.get_by_role("button", name="Copied").wait_for()
        assert text in page.evaluate("navigator.clipboard.readText()")
    page.context.clear_permissions()


def test_print_leaves_out_what_cannot_be_pressed(fresh_page: Any, tmp_path: Path) -> None:
    page = opened(fresh_page, one(), tmp_path)
    assert page.locator(".op-controls").is_visible()
    page.emulate_media(media="print")
    assert not page.locator(".op-controls").is_visible()
    assert page.locator(".op-verdict").is_visible()
    assert not page.locator(".op-copy[open]").count()


def test_print_unfolds_the_numbers_and_the_method(fresh_page: Any, tmp_path: Path) -> None:
    page = opened(fresh_page, one(), tmp_path)
    assert not page.locator("details[open]").count()
    page.pdf()
    assert page.locator("details[open] h2").all_inner_texts() == ["Numbers", "Method"]


def test_names_are_shown_and_do_nothing(fresh_page: Any, tmp_path: Path) -> None:
    said: list[str] = []
    fresh_page.on("dialog", lambda dialog: said.append(dialog.message))
    truth = [1, 0] * 50
    for name in (NASTY, "{b} {a}", "שלום", "😀 %_&", "x" * 10_000, "a\nb"):
        r = op.compare(truth, {name: truth, "b": [1] * 100}, rope=0.05, rng=0, draws=2_000)
        page = opened(fresh_page, r, tmp_path)
        shown = name.replace("\n", " ") if len(name) < 100 else "x" * 30 + "…" + "x" * 29
        assert page.locator(".op-verdict bdi").first.text_content() == shown
        drag(page, 1, 0.5)
        assert page.locator(".op-verdict bdi").first.text_content() == shown
        assert said == []
        assert page.locator("script").count() == 2


def test_a_notebook_keeps_its_style_and_the_card_its_own(fresh_page: Any) -> None:
    html = one()._repr_html_()
    assert "<script" not in html
    style = "<style>p { color: rgb(255, 0, 0); } table { float: right; }</style>"
    fresh_page.set_content(f"<!doctype html><body>{style}<p id=own>own</p>{html}{html}</body>")
    inside = fresh_page.locator(".op-verdict")
    assert inside.count() == 2
    assert inside.nth(0).evaluate("element => getComputedStyle(element).color") != "rgb(255, 0, 0)"
    assert fresh_page.locator("#own").evaluate("element => getComputedStyle(element).color") == "rgb(255, 0, 0)"


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_a_card_in_a_notebook_is_compact(fresh_page: Any, width: int) -> None:
    """It is at most 300 pixels high, and its verdict, scores, difference, margin and picture are all seen."""
    fresh_page.set_viewport_size({"width": width, "height": 900})
    long = dict(
        zip(("A rather long name of a system (few-shot, chain of thought, 0.7)", MODEL), TWO.values(), strict=True)
    )
    named = op.compare(NEWS.truth, long, pos_label=8, rope=0.05, rng=0)
    for r in (one(), close(), few(), one().with_rope(None), named):
        fresh_page.set_content(f"<!doctype html><body>{r._repr_html_()}</body>")
        cell = fresh_page.locator(".op-cell-output")
        assert cell.evaluate("element => element.getBoundingClientRect().height") <= 300
        assert cell.evaluate("element => element.scrollWidth <= element.clientWidth")
        answer = cell.locator(".op-answer")
        assert answer.evaluate("element => element.scrollHeight <= element.clientHeight")
        card, shown = card_of(r, words=called), answer.inner_text()
        if r is not named:
            assert fresh_page.locator(".op-verdict").inner_text() == card.headline
            assert fresh_page.locator(".op-next").inner_text() == card.next
            assert card.sure in shown
        a, b = (replace(s, name=escaping.shorten(s.name, LONGEST)) for s in (r.a, r.b))
        assert scores(fresh_page) == expected_scores(replace(r, a=a, b=b))
        assert numbers.count(r.items) in shown
        assert fresh_page.locator(".op-posterior").bounding_box()["height"] > 50
        assert fresh_page.locator(".op-bar").bounding_box()["width"] > 10
        assert all(mark.is_visible() for mark in fresh_page.locator(".op-curve, .op-mean circle").all())
        assert not fresh_page.get_by_text("highest-density interval").is_visible()
        fresh_page.locator("summary").click()
        assert fresh_page.get_by_text("highest-density interval").is_visible()
        assert all(name in fresh_page.locator("details").inner_text() for name in (r.a.name, r.b.name))


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_rows_in_a_notebook_are_compact_and_drawn(fresh_page: Any, width: int) -> None:
    """All that has rows: the largest differences or the first systems are drawn, tables are folded."""
    fresh_page.set_viewport_size({"width": width, "height": 900})
    many = op.rank(
        NEWS.truth,
        {f"{name} {k}": p for name, p in NEWS.predictions.items() for k in range(3)},
        rng=0,
        draws=500,
        measure="accuracy",
    )
    scored = op.estimate(NEWS.truth, TWO["nb_bern"], average="per_class", rng=0, draws=500)
    far = {f"{MODEL} {k}": NEWS.predictions[name] for k, name in enumerate(TWO)}
    classes_of = np.array([f"a.rather.long.name.of.class.{k}.of.twenty" for k in range(20)])
    truth = classes_of[NEWS.truth]
    named = {name: classes_of[p] for name, p in far.items()}
    long = op.compare(truth, named, average="per_class", rope=0.05, rng=0)
    for r in (classes(), Several((macro(), classes())), ranking(), many, suite(), suite("sign"), scored, long):
        html = r._repr_html_()
        assert "<script" not in html
        fresh_page.set_content(f"<!doctype html><body>{html}</body>")
        cell = fresh_page.locator(".op-cell-output")
        assert cell.evaluate("element => element.getBoundingClientRect().height") <= 300
        assert cell.evaluate("element => element.scrollWidth <= element.clientWidth")
        assert cell.locator(".op-answer").evaluate("element => element.scrollHeight <= element.clientHeight")
        names = [name.inner_text() for name in fresh_page.locator(".op-brief tbody th").all()]
        assert len(set(names)) == len(names)
        assert fresh_page.locator(".op-brief tbody tr").count() == (4 if r is ranking() else 6)
        assert all(dot.is_visible() == (width > 400) for dot in fresh_page.locator(".op-brief circle").all())
        assert not fresh_page.locator("details table").first.is_visible()
        fresh_page.locator("summary").first.click()
        assert fresh_page.locator("details table").first.is_visible()


def test_twenty_classes_stay_small() -> None:
    whole = Several((macro(), classes()))
    assert len(whole.to_html().encode()) < 150_000
    assert len(one().to_html().encode()) < 60_000


def test_the_share_in_any_rope_follows_from_the_quantiles() -> None:
    r = op.compare(NEWS.truth, TWO, pos_label=8, rope=0.05, rng=0, engine="draws")
    shape, delta = r.shape([0.95]), r.draws[:, 0] - r.draws[:, 1]
    for low, high in np.sort(np.random.default_rng(0).uniform(0, 0.25, (200, 2)), axis=1):
        share = np.diff(shape.below(np.array([low, high])))[0]
        assert share == pytest.approx(((delta >= low) & (delta <= high)).mean(), abs=0.0005)


def test_margins_agree_with_the_ropes_they_stand_for() -> None:
    for r in (one(), close(), alike(), losses(), few()):
        found = r.by_margin()
        starts = [start for start, _ in found] + [2 * found[-1][0] + 0.1]
        for (start, decision), end in zip(found, starts[1:], strict=True):
            for m in np.linspace(start, end, 7)[1:-1]:
                assert r.with_rope((-m, m)).decision == decision


@cache
def suite(method: str | None = None) -> op.ThreeWay:
    """Nine data sets: clearly better on most of them, clearly worse on the last."""
    rng = np.random.default_rng(0)
    base = rng.uniform(0.6, 0.9, (9, 1))
    better = np.linspace(0.1, -0.05, 9)[:, None]
    scores = {"svm": base + better + rng.normal(0, 0.01, (9, 10)), "nb": base + rng.normal(0, 0.01, (9, 10))}
    names = [f"set {k}" for k in range(9)]
    return op.compare_datasets(
        scores, method=method, rope=0.02, runs=None if method else 1, datasets=names, rng=0, draws=2_000
    )


def test_data_sets_have_a_row_each_below_the_verdict(scriptless: Any, tmp_path: Path) -> None:
    page = opened(scriptless, suite(), tmp_path)
    assert page.inner_text("h1") == "score: svm against nb on 9 data sets"
    assert page.locator(".op-verdict").get_attribute("data-verdict") == suite().decision.name  # type: ignore[union-attr]
    rows = suite().by_data_set()
    lines = page.locator(".op-suite tbody tr")
    assert lines.locator("th").all_inner_texts() == [row.name for row in sorted(rows, key=lambda row: -row.mean)]
    shown = {line.locator("th").inner_text(): line.get_attribute("data-verdict") for line in lines.all()}
    assert shown == {row.name: row.outcome for row in rows}
    assert {shown["set 0"], shown["set 8"]} == {"better", "worse"}
    assert page.inner_text(".op-tally").startswith("Of 9 data sets, svm against nb: better in ")
    page = opened(scriptless, suite("sign"), tmp_path)
    assert "a row has no interval and no verdict" in page.inner_text("main")
    assert "beyond the ROPE" in page.inner_text(".op-suite")


def test_what_was_read_back_is_shown_without_pictures() -> None:
    html = op.Comparison.from_dict(one().to_dict()).to_html()
    assert "svm_l2 ≫ nb_bern" in html
    assert 'class="op-posterior"' not in html


def test_every_result_has_a_page(page: Any, tmp_path: Path) -> None:
    counts = op.Counts.from_labels(NEWS.truth, TWO).binary(8)
    results = [
        op.estimate(NEWS.truth, TWO["svm_l2"], pos_label=8, rng=0),
        ranking(),
        op.power(counts, [500], "better", pos_label=8, rope=0.05, rng=0, studies=50),
        one().sensitivity(["uniform", "jeffreys"]),
        op.compare_folds({"a": [0.8, 0.82, 0.79], "b": [0.7, 0.74, 0.71]}, runs=1, rope=0.01),
    ]
    for result in results:
        opened(page, result, tmp_path)
        assert page.locator("table").count() > 0
        shown = page.locator(".op-verdict").first.inner_text()
        assert len(shown) > 10, type(result)


def test_notes_stand_below_the_answer_and_many_are_folded() -> None:
    truth, few = list("aaabbbcdefgh"), list("aabbbbcdefgg")
    written = op.compare(truth, {"x": few, "y": truth}, average="per_class", rope=0.1, draws=200, rng=0).to_html()
    notes = written.index("<h2>Notes</h2>")
    assert notes < written.index('class="op-opened"') < written.index('class="op-two"')
    assert "more</summary>" in written[notes:]
