"""No text in a report lies on another or is cut, whatever the names and the width of the screen."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outperform as op
from outperform.formats.escaping import NAME
from outperform.results import Several
from tests.conftest import still

WIDTHS = (360, 768, 1440)
LONGEST = [
    "W" * NAME,
    "i" * NAME,
    "word " * (NAME // 5),
    "under_score_" * (NAME // 12),
    "a-b/c.d:" * (NAME // 8),
    "漢字" * (NAME // 2),
    "Ünïcödé" * (NAME // 7),
    "שלום " * (NAME // 5),
    "😀" * (NAME // 2),
    "x" * (NAME // 2) + " " + "y" * (NAME // 2 - 1),
]
# Texts that lie on each other, and texts beyond the page; what scrolls is taken as far as it is in sight.
OVERLAPS = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (!node.textContent.trim() || !parent.checkVisibility({ visibilityProperty: true })) continue;
    if (parent.closest("script, style, option, details:not([open]) > :not(summary)")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const svg = parent.namespaceURI.endsWith("svg");
    const pane = parent.closest(".op-scroll")?.getBoundingClientRect();
    for (const box of svg ? [parent.getBoundingClientRect()] : range.getClientRects()) {
      const [left, right] = [Math.max(box.left, pane?.left ?? -Infinity), Math.min(box.right, pane?.right ?? Infinity)];
      const { top, bottom } = box;
      if (right - left > 1) found.push({ left, right, top, bottom, node, said: node.textContent.trim() });
    }
  }
  const wrong = [];
  for (const [k, a] of found.entries()) {
    if (a.left < -1 || a.right > document.documentElement.clientWidth + 1) wrong.push(["beyond the page", a.said]);
    for (const b of found.slice(k + 1)) {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const lines = Math.min(a.bottom - a.top, b.bottom - b.top);
      if (a.node !== b.node && wide > 1.5 && high > 0.25 * lines) wrong.push([a.said, b.said]);
    }
  }
  const scrolls = document.documentElement.scrollWidth > document.documentElement.clientWidth + 1;
  return scrolls ? [...wrong, ["the page scrolls sideways", ""]] : wrong;
}"""


# Words of headers, and intervals, that go over two lines.
BROKEN = """() => {
  const wrong = [];
  const cells = [...document.querySelectorAll("thead th, .op-facts td")].filter((cell) => cell.checkVisibility());
  for (const cell of cells) {
    const node = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
    for (const word of node?.data.matchAll(cell.tagName === "TD" ? /.+/g : /\\w+/g) ?? []) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) wrong.push(word[0]);
    }
  }
  return wrong;
}"""


@cache
def data() -> tuple[Any, dict[str, Any]]:
    """Ten classes and ten systems with the longest names; each system is right more often than the next."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, 600)
    wrong = [np.where(rng.random(600) < 0.1 + 0.05 * k, rng.integers(0, 10, 600), truth) for k in range(10)]
    names = np.array(LONGEST, dtype=object)
    return names[truth], {name: names[labels] for name, labels in zip(LONGEST, wrong, strict=True)}


def classes(a: int, b: int) -> Several:
    truth, systems = data()
    two = {LONGEST[k]: systems[LONGEST[k]] for k in (a, b)}
    given: dict[str, Any] = {"rope": 0.02, "rng": 0, "draws": 2_000}
    macro = op.compare(truth, two, average="macro", **given)
    return Several((macro, op.compare(truth, two, average="per_class", **given)))


def ranking() -> op.Ranking:
    truth, systems = data()
    return op.rank(truth, systems, measure="accuracy", rope=0.02, rng=0, draws=2_000)


def slices() -> Any:
    truth, systems = data()
    two = {name: systems[name] for name in LONGEST[3:5]}
    by = np.array(LONGEST, dtype=object)[np.arange(600) % 10]
    return op.compare(truth, two, measure="accuracy", rope=0.02, rng=0, draws=2_000, by=by)


def suite() -> op.ThreeWay:
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(0.8 + 0.02 * k, 0.03, (10, 5)) for k, name in enumerate(LONGEST[:2])}
    return op.compare_datasets(scores, rope=0.01, runs=1, datasets=LONGEST, rng=0, draws=500)


def unresolved() -> op.Comparison:
    """With all that a report of one comparison may have: drivers, confusions and what more data would bring."""
    truth, systems = data()
    two = {name: systems[name] for name in LONGEST[:2]}
    return op.compare(truth, two, average="macro", rope=0.05, rng=0, draws=2_000)


RESULTS = [*(lambda k=k: classes(k, k + 1) for k in range(0, 10, 2)), ranking, slices, suite, unresolved]


@pytest.mark.parametrize(
    "make", RESULTS, ids=["W i", "words", "signs", "rtl", "emoji", "ranking", "slices", "suite", "unresolved"]
)
def test_no_text_lies_on_another(fresh_page: Any, tmp_path: Path, make: Any) -> None:
    path = tmp_path / "report.html"
    make().to_html(path)
    for width in WIDTHS:
        fresh_page.set_viewport_size({"width": width, "height": 900})
        fresh_page.goto(path.as_uri())
        still(fresh_page)
        assert fresh_page.evaluate(OVERLAPS) == [], width


def test_short_words_and_intervals_stay_on_a_line(fresh_page: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 20, 2_000)
    svm, nb = (np.where(rng.random(2_000) < wrong, rng.integers(0, 20, 2_000), truth) for wrong in (0.1, 0.2))
    two = {"svm_l2": svm, "nb_bern": nb}
    op.compare(truth, two, measure="f1", pos_label=3, rope=0.05, rng=0, draws=2_000).to_html(tmp_path / "report.html")
    for width in (314, 360, 768):  # 314 is what the page leaves of 360
        fresh_page.set_viewport_size({"width": width, "height": 900})
        fresh_page.goto((tmp_path / "report.html").as_uri())
        still(fresh_page)
        assert fresh_page.evaluate(BROKEN) == [], width


def test_no_text_lies_on_another_in_print(fresh_page: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result = unresolved()
    assert result.chances()
    assert result.confusions()
    result.to_html(path)
    fresh_page.set_viewport_size({"width": 718, "height": 900})  # A4 with the browser's margins
    fresh_page.goto(path.as_uri())
    fresh_page.emulate_media(media="print")
    still(fresh_page)
    assert fresh_page.evaluate(OVERLAPS) == []


def test_names_in_the_card_stay_on_a_line_beside_the_form_of_the_page(fresh_page: Any, tmp_path: Path) -> None:
    """The word "difference" went over two lines, with space left beside it."""
    y = np.arange(200) % 2
    two = {"gpt4_correct": y, "claude_correct": np.where(np.arange(200) % 9, y, 1 - y)}
    op.compare(y, two, rope=0.05, rng=0, draws=2_000).to_html(tmp_path / "report.html")
    fresh_page.set_viewport_size({"width": 480, "height": 900})
    fresh_page.goto((tmp_path / "report.html").as_uri())
    still(fresh_page)
    heights = "() => [...document.querySelectorAll('.op-facts tbody th')].map((cell) => cell.offsetHeight)"
    first, *others = fresh_page.evaluate(heights)
    assert first < 32
    assert others == pytest.approx([first] * len(others), abs=2)
