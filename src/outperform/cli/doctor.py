"""The command that says what is in files, what can be asked of them, and what is odd about them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from outperform.base.errors import DataError, amount, count
from outperform.base.sentences import worded
from outperform.cli.asked import Asked, Doubt, Found, joined
from outperform.cli.asking import said
from outperform.cli.framework import Grouped, paths, say
from outperform.cli.guessing import NUMBERS, found_by, usual_verb
from outperform.options import Options
from outperform.options import command as option

if TYPE_CHECKING:
    from outperform.io.files import Columns
    from outperform.io.guessing import SeenColumn
    from outperform.io.looking import Look
    from outperform.io.oddities import Oddity

__all__ = ["doctor"]

ROWS = 1_000_000  # that are looked at
SHOWN = 4  # labels of a column
SLICES = (2, 20)  # how many slices a column may have
KINDS = {"log": "logs of {}", "tagged": "tagged tokens", "confusion": "a confusion matrix", "table": "a table"}
NOT_PLANNED = ("scores", "logs", "cluster", "strata", "by", "unit")


@click.command(cls=Grouped)
@click.argument("files", nargs=-1, required=True, metavar="FILES...", shell_complete=paths)
def doctor(files: tuple[str, ...]) -> None:
    """Say what FILES contain, what can be asked of them, and what is odd about them, each with the command to run.

    \b
    outperform doctor preds.csv
    """
    from outperform.data.storing import is_counts_file
    from outperform.io.looking import look

    options = Options(files=files)
    for line in _of_counts(options) if all(map(is_counts_file, files)) else _examined(look(files, ROWS), options):
        say(line, err=False)


def _of_counts(options: Options) -> Iterator[str]:
    """What saved counts hold, and what can be asked of them."""
    from outperform.cli.reading import counts_of
    from outperform.data.task import Chunks, OneLabel
    from outperform.io.guessing import positive_of

    counts = counts_of(options)
    labels = list(map(str, counts.labels))
    asked = Asked(usual_verb(len(counts.classifiers)), options)
    if isinstance(counts.task, OneLabel) and len(labels) == 2:
        often = {label: float(counts.n[counts.truth == k].sum()) for k, label in enumerate(labels)}
        asked = asked.but(pos_label=positive_of(often))
    elif not isinstance(counts.task, Chunks):
        asked = asked.but(average="macro")
    yield f"{joined(options.files)}: saved counts of {joined(counts.classifiers)}, labels {joined(labels)}"
    yield from ("", "You can ask:")
    for question, command in _questions(asked, ()):
        yield from (*_wrapped(question, "  "), f"    {command}")


def _examined(seen: Look, options: Options) -> Iterator[str]:
    found: Any
    try:
        found = found_by(seen, None, options)
    except DataError as error:
        if seen.kind != "table":
            raise
        found = error
    asked = found.first() if isinstance(found, Doubt) else found
    roles = _roles(asked.options) if isinstance(asked, Asked) else {}
    for table in seen.tables:
        yield from _contents(table, roles)
    if not seen.tables:
        yield f"{joined(options.files)}: {KINDS[seen.kind].format(seen.format)}"
    if isinstance(asked, Asked):
        yield from _askable(seen, found, asked)
        return
    why, run, line = worded(found, option).rpartition("run: ")
    yield from ("", "Nothing can be asked yet:", *_wrapped(f"{why}run:" if run else line, "  "))
    if run:
        yield f"    {line}"


def _askable(seen: Look, found: Found, asked: Asked) -> Iterator[str]:
    """What can be asked, and what is odd."""
    if isinstance(found, Doubt):
        yield from ("", "To be decided:", *_wrapped(f"{found.offer}: this is assumed below.", "  "))
    odd = _oddities(seen, asked)
    if any(oddity.options.get("drop_missing") for oddity in odd):  # else no command below would run
        asked = asked.but(drop_missing=True)
    yield from ("", "You can ask:")
    for question, command in _questions(asked, seen.tables):
        yield from (*_wrapped(question, "  "), f"    {command}")
    if len(seen.tables) == 1:
        yield from _listed(odd, asked)


def _roles(options: Options) -> dict[str, str]:
    """The role of each column."""
    roles = dict.fromkeys(options.predictions, "predictions") | dict.fromkeys(options.scores, "scores")
    others = {"truth": "truth", "id": "ids", "n": "numbers of items", "cluster": "clusters"}
    return roles | {str(getattr(options, name)): role for name, role in others.items() if getattr(options, name)}


def _contents(table: Columns, roles: dict[str, str]) -> Iterator[str]:
    """The columns of a table, their roles and their values."""
    from outperform.formats.escaping import LINE, one_line
    from outperform.io.guessing import columns_in

    rows, columns = len(table.lines), columns_in(table)
    many = f"the first {amount(rows)} rows" if rows == ROWS else count(rows, "row")
    yield f"{table.source}: {many}, {count(len(columns), 'column')}"
    names = {column.name: one_line(column.name, LINE) or "(no name)" for column in columns}
    width = max(map(len, names.values()))
    kinds = {column.name: roles.get(column.name, "-") for column in columns}
    wide = max(map(len, kinds.values()))
    for column in columns:
        about = _about(column, table.values[column.name], rows)
        yield f"  {names[column.name]:{width}}  {kinds[column.name]:{wide}}  {about}"


def _about(column: SeenColumn, values: Sequence[Any], rows: int) -> str:
    from outperform.data.labels import is_number
    from outperform.io.typed import with_points

    if column.numbers:
        numbers = [float(text) for text in with_points(map(str, values)) if is_number(text)]
        return f"{min(numbers):g} to {max(numbers):g}"
    if column.different == rows:
        return "all different"
    members = (label for value in values for label in (value if isinstance(value, list) else [value]))
    often = Counter("(missing)" if value is None or value == "" else str(value) for value in members).most_common(SHOWN)
    shown = ", ".join(f"{' '.join(label.split())[:20]} ({amount(n)})" for label, n in often)
    more = column.different - len(often)
    return f"{shown} and {amount(more)} more" if more > 0 else shown


def _questions(asked: Asked, tables: Sequence[Columns]) -> Iterator[tuple[str, str]]:
    """Questions and their commands; the margin is an example."""
    judged, verbs = asked.but(rope=0.01), {"compare": "Which is better?", "rank": "Which is best?"}
    if asked.verb == "estimate":
        yield "How good is it?", asked.line()
        return
    yield f"{verbs[asked.verb]} (0.01: the differences that do not matter to you)", judged.line()
    if asked.verb == "compare" and asked.options.average == "macro":
        yield "Which is better at each class?", judged.but(average="per_class").line()
    for name in _slices(asked, tables):
        yield f"Which is better in each slice ({name})?", judged.but(by=(name,)).line()
    yield "All of it as one page", replace(judged, verb="report").line()
    if _is_planned(asked):
        yield "How many more items would it take?", replace(judged, verb="plan").line()


def _slices(asked: Asked, tables: Sequence[Columns]) -> list[str]:
    """Columns without a role that have a few values each."""
    from outperform.io.guessing import columns_in

    if asked.verb != "compare" or len(tables) != 1 or asked.options.given("cluster", "separator", "scores", "measure"):
        return []
    roles = _roles(asked.options)
    return [
        column.name
        for column in columns_in(tables[0])
        if column.name not in roles and SLICES[0] <= column.different <= SLICES[1] and not column.numbers
    ]


def _is_planned(asked: Asked) -> bool:
    return asked.verb == "compare" and not asked.options.given(*NOT_PLANNED) and not asked.options.by_item


def _oddities(seen: Look, asked: Asked) -> list[Oddity]:
    """What is odd about a single table."""
    from outperform.io.guessing import columns_in, guess
    from outperform.io.oddities import oddities

    if len(seen.tables) != 1:
        return []
    table, options = seen.tables[0], asked.options
    columns = columns_in(table)
    guessed = guess(columns, len(table.lines), options.truth, options.predictions or options.scores)
    if options.scores:
        guessed = replace(guessed, truth=None, scores=True, separator=None)
    elif options.measure == NUMBERS:
        guessed = replace(guessed, scores=True)  # not labels, of which some may be never predicted
    return oddities(table, columns, guessed)


def _listed(found: Sequence[Oddity], asked: Asked) -> Iterator[str]:
    """The oddities, each with its command."""
    yield from ("", *(["Odd:"] if found else _wrapped(f"Nothing odd was found ({said(asked)}).", "")))
    for oddity in found:
        command = _remedy(oddity, asked)
        yield from _wrapped(f"{oddity.found}. {oddity.advice}{':' if command else '.'}", "  ")
        if command:
            yield f"    {command}"


def _remedy(oddity: Oddity, asked: Asked) -> str:
    """The command that deals with an oddity; empty where there is none."""
    if oddity.shell:
        file = asked.options.files[0]
        return oddity.shell.format(file=shlex.quote(file), name=shlex.quote(Path(file).name))
    changed = asked.but(**oddity.options)
    if oddity.verb == "plan":
        pair = changed.options.predictions[:2]
        planned = len(pair) == 2 and _is_planned(replace(changed, verb="compare"))
        return replace(changed, verb="plan").but(predictions=pair).line() if planned else ""
    verb = usual_verb(len(changed.options.predictions)) if "predictions" in oddity.options else asked.verb
    return replace(changed, verb=oddity.verb or verb).line() if oddity.options else ""


def _wrapped(text: str, indent: str) -> list[str]:
    from outperform.render.terminal import text_width

    return fill(
        text, text_width() or 80, initial_indent=indent, subsequent_indent=indent, break_long_words=False
    ).splitlines()
