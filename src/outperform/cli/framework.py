"""What click does not do by itself: options that take any number of values, and errors in one sentence."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from outperform.errors import reworded

__all__ = ["Friendly", "Variadic"]

# What the library calls its arguments, and what the command calls them.
SPOKEN = {
    "pos_label=": "--pos-label",
    "pos_label": "--pos-label",
    "labels=": "--labels",
    "id=": "--id",
    "use the unpaired model": "use --model unpaired",
    "use model=op.Unpaired()": "use --model unpaired",
    'missing="drop"': "--drop-missing",
    "leave n=, weights=, by= and missing= out": "leave --count, --weight, --by and --drop-missing out",
    "n= (whole": "--count (whole",
    "weights= (any": "--weight (any",
    "n_jobs": "--jobs",
    "say weights=": "use --weight",
    "average=": "--average",
    "use the paired model": "use --model paired",
    "zero_division=": "--zero-division ",
    "rng must be None, a": "--seed must be a",
    "use model=op.BayesianBootstrap()": "use --model bootstrap",
    "with model=op.BayesianBootstrap(cluster=query_ids)": "with --cluster",
    "metric=": "--metric",
    "filter=": "--filter",
    "task=": "--task",
    "cluster=": "--cluster",
    "strata=": "--strata",
    "types=": "--labels",
    'mode="strict"': "--strict",
    "scheme=": "--scheme",
    "factor=": "--factor",
    "rope=": "--rope",
    "leave greater_is_better=False out": "leave --lower-is-better out",
    "fdr=": "--fdr",
    "as by= or": "as --by or",
    "less than power=": "less than --power ",
    "goal=": "--goal ",
    "width=": "--width ",
    "use op.PyMC(op.Unpaired())": "use --model unpaired",
    ", or op.Unpaired()": ", or --model unpaired",
    "use op.read_chunks": "say --unit sentence",
    "to op.read_scores": "with --from lm-eval",
    'measure="roc_auc"': "--measure roc_auc",
    'measure="mae"': "--measure mae",
    "separator=": "--separator ",
}
VARIADIC = ("--predictions", "-p", "--labels", "--sizes", "-n", "--scores", "--metric", "--priors")


class Variadic(click.Command):
    """A command whose `--predictions a b`, `--labels x y` and `--sizes 1 2` take any number of values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, which is what click understands."""
        return super().parse_args(ctx, _spread(args))


def _spread(args: Sequence[str]) -> list[str]:
    spread: list[str] = []
    current, waiting = "", False
    for arg in args:
        option, _, value = arg.partition("=")
        if option in VARIADIC:
            current, waiting = option, not value
            spread += [option, value] if value else [option]
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


class Friendly(click.Group):
    """Turns the library's errors into one sentence and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a traceback is a bug, a mistake in the input is not."""
        from outperform.render.plain import make_plain

        for stream in (sys.stdout, sys.stderr):
            make_plain(stream)
        try:
            return super().invoke(ctx)
        except (ValueError, TypeError, ImportError) as error:
            raise click.UsageError(reworded(str(error), SPOKEN, "--average")) from error
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise click.UsageError(f"cannot write the result: {error.strerror}") from error
