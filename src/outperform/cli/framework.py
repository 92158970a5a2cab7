"""Additions to click: help in groups, options that take any number of values, and errors in one sentence."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outperform.base.errors import unknown
from outperform.base.sentences import worded
from outperform.options import command

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["Friendly", "Grouped", "Variadic", "paths", "say"]

OPTIONS = {
    "Input": (
        "truth", "predictions", "pos_label", "id", "scores", "logs", "metric", "task", "by", "cluster", "labels",
        "drop_missing", "system", "systems", "a", "b", "score", "dataset", "run", "fold", "runs", "where", "supposed",
        "prevalence", "agreement", "mu", "positive", "negative",
    ),
    "Question": (
        "measure", "measures", "average", "model", "goal", "sizes", "at", "power", "width", "method", "priors", "beta",
        "lower_is_better",
    ),
    "Verdict": ("rope", "require", "mass", "fdr"),
    "Output": ("output", "format_", "verbose", "seed", "help", "h"),
}  # fmt: skip
REST = "Advanced"
OTHER_NAMES = {
    "--predictions": ("--systems", "--models", "--classifiers", "--pred", "--preds", "--y-pred"),
    "--truth": ("--gold", "--target", "--label", "--y-true", "--reference"),
    "--measure": ("--metrics",),
    "--rope": ("--margin", "--threshold", "--epsilon", "--tolerance", "--delta"),
    "--mass": ("--confidence", "--ci", "--level", "--alpha", "--credibility"),
    "--by": ("--slices", "--slice", "--group", "--groups", "--groupby"),
    "--format": ("--json", "--csv", "--markdown", "--latex", "--html"),
    "--pos-label": ("--positive",),
    "--seed": ("--rng", "--random-state"),
}  # of options, in other programs
COMMANDS = {
    "Start": ("demo", "example", "doctor", "compare", "rank", "estimate", "report", "serve"),
    "How many items": ("plan", "power"),
    "Other questions": ("sensitivity", "compare-folds", "compare-datasets", "bayes-test", "reproduce"),
}


def paths(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Leave it to the shell to complete the name of a file."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(begun, type="file")]


class Grouped(click.Command):
    """A command whose help has its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write Input, Question, Verdict, Output and Advanced, as far as the command has them."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        known = {str(option.name): option.get_help_record(ctx) for option in options}
        shown = {name: record for name, record in known.items() if record is not None}
        _write(formatter, OPTIONS, shown, REST)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Name the option that other programs call as one that there is not."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            known = {name for param in self.params for name in param.opts}
            for name in known & OTHER_NAMES.keys():
                if error.option_name in OTHER_NAMES[name]:
                    said = f"No such option {error.option_name!r}. Did you mean {name!r}?"
                    raise click.UsageError(said, ctx) from error
            raise


def write_commands(group: click.Group, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the commands of a group by what they are for."""
    shown = {name: (name, _clause(group.commands[name].help or "")) for name in group.list_commands(ctx)}
    _write(formatter, COMMANDS, shown, "Tools")


def _clause(text: str) -> str:
    """Return the first clause, which says what a command does; click would cut a long sentence anywhere."""
    sentence = " ".join(text.partition("\n\n")[0].split())
    return f"{re.split('[.:;,]', sentence, maxsplit=1)[0]}."


def _write(
    formatter: click.HelpFormatter, groups: Mapping[str, Sequence[str]], shown: Mapping[str, tuple[str, str]], rest: str
) -> None:
    """Write a section for each group, in its order, and one for what no group has."""
    taken = {name for names in groups.values() for name in names}
    every = {**groups, rest: [name for name in shown if name not in taken]}
    for title, names in every.items():
        if records := [shown[name] for name in names if name in shown]:
            with formatter.section(title):
                formatter.write_dl(records)


# Options that take all words up to the next option.
VARIADIC = (
    "--predictions", "-p", "--labels", "--sizes", "-n", "--scores", "--metric", "--filter", "--task", "--priors",
    "--columns",
)  # fmt: skip


class Variadic(Grouped):
    """A command whose `--predictions a b`, `--labels x y` and `--sizes 1 2` take any number of values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, which is what click understands."""
        return super().parse_args(ctx, _spread(args))


def _spread(args: Sequence[str]) -> list[str]:
    spread: list[str] = []
    current, waiting = "", False
    for arg in args:
        option, given, value = arg.partition("=")
        if option in VARIADIC:
            current, waiting = option, not given
            spread += [option, value] if given else [option]
        elif current and (waiting or not _is_option(arg)):
            spread += [arg] if waiting else [current, arg]
            waiting = False
        else:
            current = ""
            spread.append(arg)
    return spread


def _is_option(arg: str) -> bool:
    """Whether a word is an option: it begins with a dash and is neither standard input nor a negative number."""
    return arg.startswith("-") and arg != "-" and not arg[1:].replace(".", "", 1).isdigit()


def say(text: str, *, err: bool = True) -> None:
    """Print text that may hold names from files, which do not get to steer the terminal."""
    from outperform.formats.escaping import harmless

    click.echo(harmless(text), err=err)


class Friendly(click.Group):
    """Turns every error into one sentence and an exit code: 2, or 1 where it is a bug.

    A file in place of a command is for the command `guessing`.
    """

    guessing: click.Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for."""
        write_commands(self, ctx, formatter)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line; what goes wrong before there is a command, as in --help, gets a sentence too."""
        _replace_closed_streams()
        try:
            # A pattern is one table on Windows too, where click would make many files of it.
            return super().main(*args, **{"windows_expand_args": False, **extra})
        except Exception as error:
            refused = _refused(error)
            with suppress(OSError):  # of standard error
                refused.show()
            sys.exit(refused.exit_code)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete commands, and where none begins so, the names of files."""
        found = super().shell_complete(ctx, incomplete)
        return found or ([] if incomplete.startswith("-") else paths(ctx, self.params[0], incomplete))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; a file in its place is for the one that guesses. Else name the nearest."""
        name = args[0]
        if self.get_command(ctx, name) is None and (name == "-" or not name.startswith("-")):
            if name == "-" or os.path.exists(name):
                return "compare", self.guessing, args  # whose options it has
            if Path(name).suffix or {os.sep, os.altsep} & set(name):
                raise click.UsageError(f"cannot read {name}: there is no such file, and no such command")
            raise click.UsageError(unknown("command", name, self.list_commands(ctx)))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a traceback is a bug, a mistake in the input is not."""
        from outperform.formats.plain import make_plain

        for stream in (sys.stdout, sys.stderr):
            make_plain(stream)
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except BrokenPipeError:
            from outperform.render.terminal import print_no_more

            print_no_more()
            return None
        except Exception as error:
            raise _refused(error) from error


def _replace_closed_streams() -> None:
    """Open something in place of streams that were closed (`>&-`), so that no other file gets their numbers.

    Standard input is then empty, and standard output refuses what is written, as it can only be read.
    """
    for name, mode in (("stdin", "r"), ("stdout", "r"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (open as long as the command runs)


def _refused(error: Exception) -> click.ClickException:
    """The message and the exit code for an error."""
    from outperform.formats.escaping import harmless

    refused = _worded(error)
    return type(refused)(harmless(refused.message))


def _worded(error: Exception) -> click.ClickException:
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        return click.UsageError(
            "there is not enough memory; allow more, make fewer --draws, or count the files in parts (outperform count)"
        )
    if isinstance(error, io.UnsupportedOperation):
        return click.UsageError("standard output is closed; leave it open, or name a file with --output")
    if isinstance(error, OSError):
        what = "write the result" if error.filename is None else f"use {error.filename!r}"
        return click.UsageError(f"cannot {what}: {error.strerror or error}")
    if isinstance(error, ArithmeticError):
        return click.UsageError(f"a number is too large or too small ({error}); check those in options and files")
    if isinstance(error, ValueError | TypeError | ImportError):
        return click.UsageError(worded(error, command))
    if sys.flags.dev_mode:
        raise error
    return click.ClickException(
        f"this is a bug ({type(error).__name__}: {error}); please report it, with the traceback that PYTHONDEVMODE=1 "
        "shows"
    )
