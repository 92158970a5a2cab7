"""The command line as tests call it."""

from __future__ import annotations

from inspect import signature
from typing import Any

from click.testing import CliRunner, Result

from outperform.cli import main

__all__ = ["refused", "run"]

APART: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}  # click 8.1


def run(*args: str, stdin: str | bytes | None = None) -> Result:
    """What a command answers."""
    return CliRunner(**APART).invoke(main, args, input=stdin, prog_name="outperform")


def refused(*args: str, stdin: str | bytes | None = None) -> str:
    """The one sentence that a command refuses with: exit code 2, nothing on standard output, no traceback."""
    result = run(*args, stdin=stdin)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]
