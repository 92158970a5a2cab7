"""Commands that answer: their result is written, and a requirement is checked against it."""

from __future__ import annotations

import sys
from functools import wraps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

import click

from outperform.base.errors import unknown
from outperform.cli.framework import Variadic
from outperform.cli.options import WRITTEN, takes
from outperform.formats.outputs import OUTPUTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outperform.results import Comparison, Result, Rows

__all__ = ["REQUIREMENT_NOT_MET", "answers", "write"]

REQUIREMENT_NOT_MET = 3  # exit code; 1 is a bug and 2 bad usage
NARROW = (
    "On a narrow terminal tables drop columns: classical tests first, then BF, sd, below 0 / above, in ROPE, mean. "
    "COLUMNS sets another width."
)


def answers(*groups: Sequence[Any]) -> Callable[[Callable[..., Result]], click.Command]:
    """Make a command of a function that returns a result; `groups` are options beside its own."""

    def decorate(function: Callable[..., Result]) -> click.Command:
        @wraps(function)
        def run(
            format_: str | None, output: str | None, verbose: bool, require: str | None = None, **typed: Any
        ) -> None:
            _check_requirement(require, typed.get("rope"))
            result = function(**typed)
            write(result, format_, output, verbose=verbose)
            _gate(cast("Rows", result), require)

        first = len(getattr(function, "__click_params__", ()))  # options of the function itself come first in --help
        command: click.Command = click.command(cls=Variadic, epilog=NARROW)(takes(*groups, WRITTEN)(run))
        command.params = command.params[-first:] + command.params[:-first]
        return command

    return decorate


def write(result: Result, format_: str | None, output: str | None, *, verbose: bool = False) -> None:
    """Write to a file, whole or not at all, or to standard output; the default format is that of the file's ending."""
    from outperform.data.storing import write_whole
    from outperform.render.terminal import put, show

    format_ = format_ or _meant(PurePath(output or "").suffix.lower())
    if format_ == "text" and output is None:
        show(result, verbose=verbose)
        return
    written = result.to_text(verbose=verbose) if format_ == "text" else OUTPUTS[format_].write(result)
    if output is None:
        put(written, format_)
        return
    write_whole(output, lambda draft: draft.write(f"{written}\n".encode()))


def _meant(ending: str) -> str:
    return next((name for name, output in OUTPUTS.items() if ending in output.endings), "text")


def _check_requirement(requirement: str | None, rope: str | None) -> None:
    """Refuse a requirement that cannot be checked, before anything is computed."""
    from outperform.verdicts.decision import REQUIREMENTS

    if requirement is not None and requirement not in REQUIREMENTS:
        raise ValueError(unknown("requirement", requirement, REQUIREMENTS))
    if requirement is not None and rope is None:
        raise ValueError(f"--require {requirement} needs --rope, the differences that do not matter to you")


def _gate(result: Rows, requirement: str | None) -> None:
    """Exit with code 3 where the requirement is not met, and say by which comparison."""
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
