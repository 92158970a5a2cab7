"""Results are written, and a requirement is held against them."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

import click

from outperform.base.errors import unknown
from outperform.formats.outputs import OUTPUTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outperform.results import Comparison, Result, Rows

__all__ = ["REQUIREMENT_NOT_MET", "check_requirement", "gate", "write"]

REQUIREMENT_NOT_MET = 3


def write(result: Result, format_: str | None, output: str | None) -> None:
    """Render, to a file in one stroke or to standard output; as the file's name ends, where nobody says how."""
    from outperform.data.storing import write_whole
    from outperform.render.terminal import put, show, text_width

    format_ = format_ or _meant(PurePath(output or "").suffix.lower())
    if format_ == "text" and output is None:
        show(result)
        return
    written = result.to_text(width=text_width()) if format_ == "text" else OUTPUTS[format_].write(result)
    if output is None:
        put(written, format_)
        return
    write_whole(output, lambda draft: draft.write(f"{written}\n".encode()))


def _meant(ending: str) -> str:
    return next((name for name, output in OUTPUTS.items() if ending in output.endings), "text")


def check_requirement(requirement: str | None, rope: str | None) -> None:
    """Refuse a requirement that cannot be judged, before anything is computed."""
    from outperform.verdicts.decision import REQUIREMENTS

    if requirement is not None and requirement not in REQUIREMENTS:
        raise ValueError(unknown("requirement", requirement, REQUIREMENTS))
    if requirement is not None and rope is None:
        raise ValueError(f"--require {requirement} needs --rope, the differences that do not matter to you")


def gate(result: Rows, requirement: str | None) -> None:
    """Exit with 3 where the requirement is not met, and say by which comparison."""
    if requirement is None:
        return
    from outperform.formats.escaping import label

    rows = cast("Sequence[Comparison]", result.all_rows())
    slices: Sequence[object] = getattr(result, "slices", [None] * len(rows))
    failed = [(slice_, row) for slice_, row in zip(slices, rows, strict=True) if not row.meets(requirement)]
    for slice_, row in failed:
        where = "" if row.class_ is None else f" for class {label(row.class_)}"
        where += "" if slice_ is None else f" for slice {label(slice_)}"
        click.echo(f"requirement {requirement} not met{where}: {row}", file=sys.stderr)
    if failed:
        sys.exit(REQUIREMENT_NOT_MET)
