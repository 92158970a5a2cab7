"""Commands that answer: their result is written, and a requirement is checked against it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

import click

from outperform.base.errors import need, unknown
from outperform.base.progress import watching
from outperform.cli.framework import Variadic
from outperform.cli.options import STYLED, WRITTEN, takes
from outperform.formats.outputs import OUTPUTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from outperform.results import Comparison, Result, Rows

__all__ = ["REQUIREMENT_NOT_MET", "answers", "check_page", "write"]

REQUIREMENT_NOT_MET = 3  # exit code; 1 is a bug and 2 bad usage
PLAIN = (".txt", ".text", ".log", ".out")  # endings of text, which has many
NARROW = (
    "Text fits one screen; -v shows all rows and columns. On a narrow terminal tables drop columns: classical tests "
    "first, then BF, sd, below 0 / above, in ROPE, mean. COLUMNS sets another width."
)


def answers(*groups: Sequence[Any]) -> Callable[[Callable[..., Result]], click.Command]:
    """Make a command of a function that returns a result; `groups` are options beside its own."""

    def decorate(function: Callable[..., Result]) -> click.Command:
        @wraps(function)
        def run(require: str | None = None, **typed: Any) -> None:
            _check_requirement(require, typed.get("rope"))
            manner = Manner(**{setting.name: typed.pop(setting.name) for setting in fields(Manner)}).checked()
            with watching():
                result = function(**typed)
            manner.write(result)
            _gate(cast("Rows", result), require)

        first = len(getattr(function, "__click_params__", ()))  # options of the function itself come first in --help
        command: click.Command = click.command(cls=Variadic, epilog=NARROW)(takes(*groups, WRITTEN, STYLED)(run))
        command.params = command.params[-first:] + command.params[:-first]
        return command

    return decorate


@dataclass(frozen=True)
class Manner:
    """How a result is written, as typed: the options of the groups WRITTEN and STYLED."""

    format_: str | None = None
    output: str | None = None
    verbose: bool = False
    style: str | None = None
    columns: tuple[str, ...] = ()
    span: str | None = None
    figure: str | None = None
    badge: bool = False

    @property
    def format(self) -> str:
        """The format: the given one, that of the style, or that of the file's ending."""
        return self.format_ or ("latex" if self.style else _meant(self.output or ""))

    def checked(self) -> Manner:
        """Refuse what does not fit together, before anything is computed."""
        from outperform.formats.paper import FIGURES, Span, check_figure, check_style

        if self.format_ is None and PurePath((self.output or "").lower()).suffix.removeprefix(".") in FIGURES:
            raise ValueError(
                f"{self.output!r} ends as a figure does, and --output writes text; draw it with --figure, "
                "or say which text with --format"
            )
        if self.format_ is None and self.style is None:
            _check_ending(self.output or "")
        if self.style is not None and check_style(self.style) and self.format != "latex":
            raise ValueError(f"--style {self.style} is for LaTeX, not for {self.format}; use --format latex")
        if self.columns and self.style != "paper":
            raise ValueError("--columns goes with --style paper; add it, or leave --columns out")
        if self.span is not None and self.style != "paper" and self.figure is None:
            raise ValueError("--span goes with --style paper or --figure; add one of them, or leave --span out")
        if self.badge and self.format != "markdown":
            raise ValueError(f"--badge is for Markdown, not for {self.format}; use --format markdown")
        if self.figure is not None:
            check_figure(self.figure)
            need("matplotlib", "plot")
        Span.of(self.span or "column")
        return self

    def write(self, result: Result) -> None:
        """Write to a file, whole or not at all, or to standard output, and draw the figure."""
        from outperform.data.storing import write_whole
        from outperform.formats.paper import Span
        from outperform.render.terminal import put, show

        span = self.span or "column"
        if self.figure is not None:
            result.save_figure(self.figure, width=Span.of(span).figure)
        target = None if self.output == "-" else self.output
        if self.format == "text" and target is None:
            show(result, verbose=self.verbose)
            return
        written = self._text(result, span)
        if target is None:
            put(written, self.format)
            return
        write_whole(target, lambda draft: draft.write(f"{written}\n".encode()))

    def _text(self, result: Result, span: str) -> str:
        if self.style == "paper":
            return result.to_latex("paper", columns=self.columns, span=span)
        if self.badge:
            return result.to_markdown(badge=True)
        return result.to_text(verbose=self.verbose) if self.format == "text" else OUTPUTS[self.format].write(result)


def write(result: Result, format_: str | None, output: str | None, *, verbose: bool = False) -> None:
    """Write in a format; the default is that of the file's ending."""
    Manner(format_, output, verbose).write(result)


def _check_ending(file: str) -> None:
    """Refuse the name of a file that ends as other formats do, in which text would be written."""
    ending = PurePath(file.lower().removesuffix(".gz")).suffix
    known = [*(end for output in OUTPUTS.values() for end in output.endings), *PLAIN]
    if ending[1:].isalpha() and ending not in known:
        found = f"{file!r} ends in {ending}, a format that is not written"
        raise ValueError(f"{found}; use {', '.join(known[:-1])} or {known[-1]}, or say which with --format")


def check_page(file: str) -> None:
    """Refuse the name of a file that does not end as a page does."""
    ending, known = PurePath(file.lower()).suffix, OUTPUTS["html"].endings
    if ending[1:].isalpha() and ending not in known:
        found = f"{file!r} ends in {ending}, and a report is one HTML file"
        raise ValueError(f"{found}; use {' or '.join(known)}, or --output of another command for other formats")


def _meant(file: str) -> str:
    ending = PurePath(file.lower().removesuffix(".gz")).suffix
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
    if not failed:
        met = (
            str(rows[0]) if len(rows) == 1 else f"all {len(rows)} comparisons of {rows[0].a.name} with {rows[0].b.name}"
        )
        click.echo(f"requirement {requirement} met: {met}", file=sys.stderr)
    for slice_, row in failed:
        where = "" if row.class_ is None else f" for class {label(row.class_)}"
        where += "" if slice_ is None else f" for slice {label(slice_)}"
        open_ = "" if row.decision is None or row.decision.decided else " (unresolved)"
        click.echo(f"requirement {requirement} not met{where}{open_}: {row}", file=sys.stderr)
    if failed:
        sys.exit(REQUIREMENT_NOT_MET)
