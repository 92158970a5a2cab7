"""The GitHub Action: its step runs as written, with a `gh` that notes what it was asked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.docs.test_public import ROOT
from tests.formats.test_writers import write_predictions

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXAMPLE = yaml.safe_load((ROOT / "examples" / "gate" / "action.yml").read_text(encoding="utf-8"))
COMPARE = ACTION["runs"]["steps"][-1]
OPTIONS = "preds.csv --truth gold --predictions new old --draws 2000"
PROGRAMS = {
    "outperform": f'exec "{sys.executable}" -m outperform "$@"\n',
    "python": f'exec "{sys.executable}" "$@"\n',
    "gh": 'printf "%s\\n" "$*" >> asked\nexit "${ANSWER:-0}"\n',
}
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="without bash")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with predictions of a better model, and the programs of a runner."""
    (tmp_path / "bin").mkdir()
    for name, script in PROGRAMS.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
        program.chmod(0o755)
    write_predictions(tmp_path / "preds.csv", better=True)
    return tmp_path


def acted(folder: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    """Run the last step as GitHub does."""
    given = {"OPTIONS": OPTIONS, "ROPE": "0.02", "REQUIRE": "not-worse", "COMMENT": "true", "BADGE": "true", "PR": "7"}
    files = {"RUNNER_TEMP": str(folder), "GITHUB_OUTPUT": "out", "GITHUB_STEP_SUMMARY": "summary"}
    path = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "GITHUB_REPOSITORY": "someone/else"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", COMPARE["run"]],
        cwd=folder,
        env=os.environ | path | files | given | changed,
        capture_output=True,
        check=False,
        text=True,
    )


def text(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8") if (folder / name).exists() else ""


@needs_bash
def test_it_posts_the_verdict_and_passes(folder: Path) -> None:
    done = acted(folder)
    assert done.returncode == 0, done.stderr
    comment = folder / "outperform.md"
    first, _, lead, *_ = comment.read_text(encoding="utf-8").splitlines()
    assert first == "![f1: better](https://img.shields.io/badge/f1-better-0072b2)"
    assert "new is better than old" in lead
    assert text(folder, "out") == f"code=0\ncomment={comment}\n"
    assert text(folder, "summary") == comment.read_text(encoding="utf-8")
    assert text(folder, "asked") == (
        f"pr comment 7 --repo someone/else --edit-last --create-if-none --body-file {comment}\n"
    )


@needs_bash
def test_it_posts_the_reason_and_fails(folder: Path) -> None:
    write_predictions(folder / "preds.csv", better=False)
    done = acted(folder, ANSWER="1")
    assert done.returncode == 3
    assert "requirement not-worse not met" in done.stderr
    assert done.stdout == "::warning::the comment could not be posted\n"
    assert "new is worse than old" in text(folder, "summary")
    assert text(folder, "out").startswith("code=3\n")


@needs_bash
def test_bad_options_fail_without_a_comment(folder: Path) -> None:
    done = acted(folder, OPTIONS="nothing.csv --truth gold --predictions new old")
    assert done.returncode == 2
    assert text(folder, "out") == "code=2\n"
    assert not text(folder, "asked")
    assert not text(folder, "summary")


@needs_bash
def test_a_comment_is_not_posted_unless_asked(folder: Path) -> None:
    for changed in ({"COMMENT": "false"}, {"PR": ""}):
        assert acted(folder, REQUIRE="", BADGE="false", **changed).returncode == 0
    assert not text(folder, "asked")
    assert "new is better than old" in text(folder, "outperform.md").splitlines()[0]


@needs_bash
def test_inputs_are_not_run_by_the_shell(folder: Path) -> None:
    done = acted(
        folder,
        OPTIONS="'$(touch hacked).csv' --truth gold `touch hacked` --predictions new old",
        ROPE="$(touch hacked)",
    )
    assert done.returncode == 2
    assert not (folder / "hacked").exists()
    assert "${{" not in COMPARE["run"]


def test_every_input_is_described_and_the_example_gives_the_required_ones() -> None:
    inputs: dict[str, Any] = ACTION["inputs"]
    assert all(one["description"] for one in inputs.values())
    given = EXAMPLE["jobs"]["gate"]["steps"][-1]["with"]
    assert {name for name, one in inputs.items() if one.get("required")} <= set(given) <= set(inputs)
    used = " ".join(str(step) for step in ACTION["runs"]["steps"])
    assert all(f"inputs.{name}" in used for name in inputs)
