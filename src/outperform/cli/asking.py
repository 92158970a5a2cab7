"""Options that were not typed are guessed and said; where files are ambiguous, the user is asked.

On a terminal a doubt becomes a menu. Elsewhere it is refused, with the command of the first choice ready to be run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.core import ParameterSource

from outperform.base.errors import DataError
from outperform.base.system import quoted
from outperform.cli.asked import Asked, Doubt, Found, joined
from outperform.cli.framework import say
from outperform.cli.guessing import found_in, found_in_logs, usual_verb
from outperform.cli.reading import TAGGED
from outperform.options import Options, command
from outperform.options.options import OF_TAGS

__all__ = ["chosen", "completed", "said"]

SAID = ("scores", "logs", "confusion", *OF_TAGS)  # options that say how files are read
WRITTEN = (
    "format_", "output", "style", "columns", "span", "figure", "badge", "require", "no_shrink", "sizes", "at", "priors",
    "by_item", "verbose",
)  # fmt: skip
LOWER, HIGHER = "lower ones are better", "higher ones are better (if not, add --lower-is-better)"
NAMED = {
    " ": "spaces",
    "\t": "tabs",
    ";": "semicolons",
    ",": "commas",
    "|": "vertical bars",
}  # separators that cannot be seen
MOST_CHOICES = 9  # of a menu


def completed(verb: str | None, options: Options) -> Asked:
    """Return what is asked: what was typed, and what was not is guessed and said on standard error."""
    verb = "compare" if "--require" in _written("compare") else verb  # a gate is for two systems
    if "--require" in _written("compare") and _is_unordered(options):
        return _decided(found_in_logs(str(options.logs), verb, options), options)
    one = verb is None and len(options.predictions) == 1  # of which several files may make several systems
    if not one and not _is_open(options):
        return Asked(verb or usual_verb(_systems(options)), options)
    return _decided(found_in(options.files, verb, options), options)


def _systems(options: Options) -> int:
    """How many systems are asked about, of which saved counts have names."""
    from outperform.cli.reading import counts_of
    from outperform.data.storing import is_counts_file

    if options.compared or not options.files or not all(map(is_counts_file, options.files)):
        return len(options.compared or "ab")
    return len(counts_of(options).classifiers)


def chosen(options: Options) -> Options:
    """Return the options of logs that leave something to choose, which the user is asked."""
    verb = click.get_current_context().info_name
    return _decided(found_in_logs(str(options.logs), verb, options), options).options


def _decided(found: Found, options: Options) -> Asked:
    """Ask where there is a doubt, and say what was not typed."""
    while isinstance(found, Doubt):
        found = _settled(found)
    if "--require" in _written("compare"):
        _check_order(found, options)
    if guessed := said(found, options):
        say(_fitting(f"Guessed: {guessed}. The command in full:"))
        say(f"  {found.line(*_written(found.verb).values())}")
    return found


def _check_order(found: Asked, typed: Options) -> None:
    """Refuse a gate whose systems were guessed: their order decides what it asks."""
    in_table = ("metric",) if found.options.logs == "table" else ()  # whose columns are the systems
    for role in ("predictions", "scores", *in_table):
        names = getattr(found.options, role)
        if len(names) > 1 and names != getattr(typed, role):
            line = found.line(*_written(found.verb).values())
            raise DataError(
                f"--require asks about the first system, and the order of {joined(names)} was guessed; name them with "
                f"--{role}, the new one first; if that is {names[0]}, run: {line}"
            )


def _fitting(text: str) -> str:
    """Break a sentence between words on a terminal."""
    from outperform.render.terminal import text_width, wrapped

    width = text_width()
    return wrapped(text, width) if width and sys.stderr.isatty() else text


def said(asked: Asked, typed: Options | None = None) -> str:
    """Return what an answer rests on, in words, without what was typed."""
    options = asked.options
    parts = {
        "logs": f"logs of {options.logs}",
        "confusion": "confusion matrices",
        "unit": f"tagged tokens (each {options.unit} is resampled whole)",
        "task": f"task {joined(options.task)}",
        "filter": f"filter {joined(options.filter)}",
        "metric": f"metric {joined(options.metric)}",
        "truth": f"truth {options.truth}",
        "predictions": f"predictions {joined(options.predictions)}",
        "scores": f"scores per item {joined(options.scores)}, of which {LOWER if options.lower_is_better else HIGHER}",
        "separator": f"labels separated by {NAMED.get(str(options.separator), options.separator)}",
        "id": f"ids {options.id}",
        "n": f"numbers of items {options.n}",
        "cluster": f"clusters {options.cluster}",
        "measure": f"measure {options.measure}",
        "pos_label": f"positive class {options.pos_label}",
        "average": f"average {options.average}",
    }
    known = [] if typed is None else typed.given(*parts)
    guessed = [parts[name] for name in options.given(*parts) if name not in known]
    aside = f"not used: {joined(asked.aside)}, scores of classes" if asked.aside and guessed else ""
    return "; ".join(filter(None, [asked.how, *guessed, aside]))


def _is_open(options: Options) -> bool:
    """Whether options leave out how files are to be read."""
    from outperform.data.storing import is_counts_file

    files = options.files
    if not files or (options.truth and options.predictions) or options.given(*SAID):
        return False
    tagged = len(files) > 1 and all(Path(file.removesuffix(".gz")).suffix in TAGGED for file in files)
    return not tagged and not all(map(is_counts_file, files))


def _is_unordered(options: Options) -> bool:
    """Whether the systems are those of one log or folder, and nobody named them in an order."""
    return bool(options.logs) and len(options.files) == 1 and not options.scores and len(options.metric) < 2


def _settled(doubt: Doubt) -> Found:
    """Ask which is meant on a terminal; refuse with a command elsewhere."""
    if len(doubt.choices) < 2 or not (sys.stdin.isatty() and sys.stdout.isatty()):
        ready = doubt.first()
        raise DataError(f"{doubt.offer}, run: {ready.line(*_written(ready.verb).values())}")
    names = list(doubt.choices)[:MOST_CHOICES]
    say(doubt.question)
    for number, name in enumerate(names, start=1):
        say(f"  {number}  {name}")
    chosen = click.prompt("Number", type=click.IntRange(1, len(names)), default=1, err=True)
    return doubt.choices[names[chosen - 1]]()


def _written(verb: str) -> dict[str, str]:
    """Return the options that were typed and that the command itself reads; only compare has a gate."""
    context = click.get_current_context(silent=True)
    typed = [] if context is None else [name for name in WRITTEN if _is_typed(context, name)]
    given = {command(name.rstrip("_"), ""): context.params[name] for name in typed if context}
    return {
        option: option
        if value is True
        else f"{option} {quoted([value] if isinstance(value, str) else map(str, value))}"
        for option, value in given.items()
        if option != "--require" or verb == "compare"
    }


def _is_typed(context: click.Context, name: str) -> bool:
    """Whether an option was typed, and is not at its default."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE
