"""Results are shown by renderers that they do not import."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import outperform as op
from outperform.base.views import View
from outperform.formats.outputs import OUTPUTS
from outperform.results import views

SHOW = """
import pickle, sys
r = pickle.load(open(sys.argv[1], "rb"))
assert not any(name.startswith("outperform.render") for name in sys.modules)
print(repr(r))
print(len(r.tables()), len(r.to_html()))
"""


def compared() -> op.Comparison:
    truth, one, other = [1, 1, 0, 0] * 6, [1, 1, 0, 1] * 6, [1, 0, 0, 1] * 6
    return op.compare(truth, one, other, pos_label=1, rope=0.05, draws=500, rng=0)


def test_what_another_process_reads_back_is_shown_there(tmp_path: Path) -> None:
    r, file = compared(), tmp_path / "r.pickle"
    file.write_bytes(pickle.dumps(r))
    shown = subprocess.run([sys.executable, "-c", SHOW, file], capture_output=True, text=True, check=True).stdout
    assert shown == f"{r!r}\n{len(r.tables())} {len(r.to_html())}\n"


def test_the_nearest_kind_that_is_registered_shows_a_value() -> None:
    said: View[str] = View()
    said.of(object)(lambda value: f"something, {value}")
    said.of(int, float)(lambda value, unit="": f"{value:.1f}{unit}")
    assert said("x") == "something, x"
    assert said(2) == "2.0"
    assert said(True, unit="%") == "1.0%"  # a bool is an int
    assert said[float](2.5) == "2.5"


def test_a_result_of_ones_own_is_shown_by_renderers_of_ones_own() -> None:
    class Own(op.Comparison):
        pass

    known = dict(views.line._known)
    try:
        views.line.of(Own)(lambda r: f"{r.a.name} and {r.b.name}")
        comparison = Own(**{name: getattr(compared(), name) for name in op.Comparison.__dataclass_fields__})
        assert repr(comparison) == "A and B"
        assert comparison.to_text() == compared().to_text()
    finally:
        views.line._known = known


def test_every_format_has_its_name() -> None:
    r = compared()
    known = {"text": r.to_text(), "json": r.to_json(), "markdown": r.to_markdown(), "latex": r.to_latex()}
    known |= {"csv": r.to_csv(), "html": r.to_html()}
    assert known == {name: r.to(name) for name in OUTPUTS}
    with pytest.raises(ValueError, match="unknown format 'latx'; did you mean 'latex'"):
        r.to("latx")


def test_a_kind_without_a_renderer_is_named() -> None:
    with pytest.raises(TypeError, match="no renderer is registered for complex"):
        View[str]()(1j)
