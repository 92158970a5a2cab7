"""The page that compares other tools: if one is installed, it prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "explanation" / "versus.md").read_text(encoding="utf-8")
RUN: dict[str, Any] = run_path(str(ROOT / "examples" / "versus" / "run.py"))


def shown(tool: str) -> list[str]:
    """Return the lines that the page says a tool prints: text blocks that name it, or that stand below its name."""
    lines = []
    for heading, section in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL):
        for block in re.findall(r"^```text\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
            if tool == next((name for name in RUN["TOOLS"] if name in block), heading):
                lines += [line.strip() for line in block.splitlines() if not line.startswith((">>>", "...", "…"))]
    return lines


def test_every_tool_is_shown() -> None:
    assert all(map(shown, RUN["TOOLS"]))


@pytest.mark.parametrize("tool", [tool for tool in RUN["TOOLS"] if RUN["installed"](tool)])
def test_tools_say_what_the_page_says(tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    RUN["main"]([tool])
    printed = capsys.readouterr().out
    assert [line for line in shown(tool) if line not in printed] == []


def test_tools_that_are_unknown_or_missing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="unknown tools: nonsense; there are mlxtend, statsmodels"):
        RUN["main"](["nonsense"])
    monkeypatch.setitem(RUN["main"].__globals__, "installed", lambda name: False)
    RUN["main"](["ranx"])
    assert capsys.readouterr().out == "== ranx: not installed\n\n"
