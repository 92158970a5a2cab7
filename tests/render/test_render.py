"""Writers escape, tables line up."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import outperform as op
from outperform.formats import numbers
from outperform.formats.table import Column, Table
from outperform.formats.writers import html, latex, markdown, text
from outperform.render.density import density
from outperform.verdicts.marginal import Sampled


def test_latex_escapes() -> None:
    written = latex(Table([Column("x")], [["50% of a_b & {c} ≫ d ~ \\ ^"]], "Δ − caption"))
    assert r"50\% of a\_b \& \{c\} $\gg$ d \textasciitilde{} \textbackslash{} \textasciicircum{}" in written
    assert r"\caption{$\Delta$ $-$ caption}" in written


def test_text_table_lines_up() -> None:
    written = text(
        Table([Column("name", "l"), Column("n"), Column("mid", "c")], [["a", "1", "x"], ["bbb", "1,000", "y"]])
    )
    assert written.splitlines()[2:6] == [
        "name      n  mid",
        "────────────────",
        "a         1   x",
        "bbb   1,000   y",
    ]


def test_markdown_and_html() -> None:
    table = Table([Column("a", "l"), Column("b", "c")], [["x|y", "<z>"]], "cap", "note")
    assert markdown(table).splitlines() == [
        "**cap**", "", "| a | b |", "|:---|:---:|", r"| x\|y | \<z\> |", "", "<sub>`note`</sub>",
    ]  # fmt: skip
    assert "<td>&lt;z&gt;</td>" in html(table)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (numbers.signed(-0.00004), "-0.000"),
        (numbers.signed(-1e-17), "+0.000"),
        (numbers.signed(-0.0), "+0.000"),
        (numbers.signed(0.0984), "+0.098"),
        (numbers.percent(0), "<0.1%"),
        (numbers.percent(0.00002), "<0.1%"),
        (numbers.percent(0.99999), ">99.9%"),
        (numbers.percent(0.0005), "0.1%"),
        (numbers.percent(0.9994), "99.9%"),
        (numbers.percent(0.9995), ">99.9%"),
        (numbers.percent(1), ">99.9%"),
        (numbers.p_value(None), "n/a"),
        (numbers.p_value(1e-9), "<0.001"),
        (numbers.p_value(0.0456), "0.046"),
        (numbers.bayes_factor(None), "n/a"),
        (numbers.bayes_factor(1.2e-9), "1.2e-09"),
        (numbers.bayes_factor(12.345), "12.3"),
        (numbers.count(7532), "7,532 items"),
        (numbers.count(1), "1 item"),
        (numbers.count(2.5), "2.5 items"),
        (numbers.interval((-0.1, 0.2), difference=True), "[-0.100, +0.200]"),
    ],
)
def test_numbers(written: str, expected: str) -> None:
    assert written == expected


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("rope", [None, (-0.05, 0.05), (-1.0, 1.0), (0.0, 0.0)])
def test_density_fits_the_width(width: int, rope: Any) -> None:
    draws = np.random.default_rng(0).normal(0.02, 0.01, 5000)
    lines = density(Sampled(draws), (0.0, 0.04), rope, width=width).splitlines()
    assert len(lines) == (7 if rope is None else 8)
    assert all(len(line) <= max(width, 28) for line in lines)
    bar = next(line for line in lines if line.rstrip().endswith("HDI"))
    assert "━" in bar


def test_density_of_constant_draws() -> None:
    assert "█" in density(Sampled(np.zeros(100)), (0.0, 0.0), (-0.05, 0.05))


def test_density_marks_where_things_are() -> None:
    draws = np.random.default_rng(0).uniform(-1, 1, 50_000)
    lines = density(Sampled(draws), (-0.5, 0.5), (0.0, 0.75), width=108).splitlines()
    hdi, rope = (next(line for line in lines if label in line) for label in ("HDI", "ROPE"))
    assert hdi.index("━") == pytest.approx(26, abs=2)
    assert rope.count("░") == pytest.approx(36, abs=2)
    assert lines[-1].index("0", 8) == pytest.approx(50, abs=1)


@pytest.mark.parametrize("settings", [{}, {"draws": 1_000}], ids=["exact", "draws"])
def test_no_output_claims_certainty(settings: dict[str, Any]) -> None:
    truth = [0, 1] * 100
    r = op.compare(truth, {"right": truth, "guess": [0, 1, 1, 0] * 50}, rope=0.02, rng=0, **settings)
    sentence = "P(within it) < 0.1%, P(right scores higher) > 99.9%."
    assert sentence in r.to_text()
    assert r"P(within it) \< 0.1%, P(right scores higher) \> 99.9%." in r.to_markdown()
    for output in (r.to_html(), r._repr_html_()):
        assert "P(within it) &lt; 0.1%, P(<bdi>right</bdi> scores higher) &gt; 99.9%." in output
    for output in (str(r), r.to_text(), r.to_markdown(), r.to_latex(), r.to_html(), r._repr_html_()):
        assert not re.search(r"(?<![\d.])(0\.0|100\.0)\\?%", output)
    assert r.to_dict()["rope"]["probability"] == pytest.approx(0, abs=1e-6)  # numbers stay as they are
