"""`--engine`: without draws where none are needed, or always with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Forty items, of which two systems get some wrong."""
    rows = [f"{k % 2},{k % 2 if k % 7 else 1 - k % 2},{k % 2 if k % 4 else 1 - k % 2}" for k in range(40)]
    path = tmp_path / "preds.csv"
    path.write_text("\n".join(["y,a,b", *rows]), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("command", ["compare", "estimate"])
def test_engine(command: str, file: str) -> None:
    """The signature says how the numbers were computed."""
    args = [command, file, "-t", "y", "-p", "a", *(["b"] if command == "compare" else []), "-m", "recall"]
    said = {}
    for engine in ("auto", "draws"):
        result = run(*args, "--format", "json", "--engine", engine)
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        said[engine] = (found[0] if isinstance(found, list) else found)["signature"]
    assert "engine:exact" in said["auto"]
    assert "seed:" not in said["auto"]
    assert "|seed:0|" in said["draws"]
    assert "engine" not in said["draws"]


def test_unknown_engine(file: str) -> None:
    """Click names the choices."""
    result = run("compare", file, "-t", "y", "-p", "a", "b", "--engine", "magic")
    assert result.exit_code == 2
    assert "auto" in result.output
