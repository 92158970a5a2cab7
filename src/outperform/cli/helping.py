"""Help of the commands: options in groups, the common ones first, and commands by what they are for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import click

__all__ = ["Grouped", "write_commands"]

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
COMMANDS = {
    "Start": ("demo", "example", "doctor", "compare", "rank", "estimate", "report", "serve"),
    "How many items": ("plan", "power"),
    "Other questions": ("sensitivity", "compare-folds", "compare-datasets", "bayes-test", "reproduce"),
}


class Grouped(click.Command):
    """A command whose help has its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write Input, Question, Verdict, Output and Advanced, as far as the command has them."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        known = {str(option.name): option.get_help_record(ctx) for option in options}
        shown = {name: record for name, record in known.items() if record is not None}
        _write(formatter, OPTIONS, shown, REST)


def write_commands(group: click.Group, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the commands of a group by what they are for."""
    shown = {name: (name, _clause(group.commands[name].help or "")) for name in group.list_commands(ctx)}
    _write(formatter, COMMANDS, shown, "Tools")


def _clause(text: str) -> str:
    """Return the first clause, which says what a command does; click would cut a long sentence anywhere."""
    sentence = " ".join(text.partition("\n\n")[0].split())
    return f"{re.split('[.:;,]', sentence, maxsplit=1)[0]}."


def _write(
    formatter: click.HelpFormatter,
    groups: Mapping[str, Sequence[str]],
    shown: Mapping[str, tuple[str, str]],
    rest: str,
) -> None:
    """Write a section for each group, in its order, and one for what no group has."""
    taken = {name for names in groups.values() for name in names}
    every = {**groups, rest: [name for name in shown if name not in taken]}
    for title, names in every.items():
        if records := [shown[name] for name in names if name in shown]:
            with formatter.section(title):
                formatter.write_dl(records)
