"""What must hold of every case: no traceback, a documented exit code, finite JSON, one answer by both readers."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

from click.testing import Result

from tests.command import run
from tests.fuzz.hostile import Case, case

__all__ = ["broken"]

CODES = (0, 2, 3)
NOT_JSON = ("count",)  # whose file is the answer


def broken(seed: int, folder: Path) -> str | None:
    """Which of these a case breaks, if any."""
    given = case(seed)
    file = folder / given.name
    file.write_bytes(given.content)
    rows, engine = (_asked(given, file, large) for large in (2**60, -1))
    for result in (rows, engine):
        said = _wrong(result)
        if said:
            return said
    if rows.exit_code != engine.exit_code or rows.stdout != engine.stdout:
        return f"rows: {rows.exit_code} {rows.stderr[-200:]!r}; engine: {engine.exit_code} {engine.stderr[-200:]!r}"
    return None


def _asked(given: Case, file: Path, large: int) -> Result:
    verb, *options = given.command
    form = () if verb in NOT_JSON else ("--format", "json")
    with patch("outperform.io.counts.LARGE", large):
        return run(verb, str(file), *options, *form)


def _wrong(result: Result) -> str | None:
    if result.exit_code not in CODES or "Traceback" in result.output:
        return f"exit code {result.exit_code}: {result.output[-300:]!r} {result.exception!r}"
    if result.exit_code == 2 and not result.stderr.strip():
        return "refused without a sentence"
    if result.exit_code != 2 and result.stdout:
        try:
            json.loads(result.stdout, parse_constant=_refuse)
        except ValueError as error:
            return f"not finite JSON: {error}"
    return None


def _refuse(constant: str) -> None:
    raise ValueError(constant)
