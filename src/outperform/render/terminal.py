"""Text on a terminal, in colour where it shows colours, and as plain text everywhere else."""

from __future__ import annotations

import os
import shutil
import sys
from textwrap import fill
from typing import TYPE_CHECKING

from outperform.formats.plain import encodable, without_drawings

if TYPE_CHECKING:
    from outperform.results import Result

__all__ = ["print_no_more", "put", "show", "text_width", "wrapped"]

NARROWEST = 40

COLOURS = {  # of verdicts as in pictures and reports: blue is better, red is worse, green is the same, the rest is open
    r"≫": "bold blue",
    r"≪": "bold red",
    r"≈": "bold green",
    r"(?<!Δ )(?<= )[<>?](?= )": "bold",
    r"[▁▂▃▄▅▆▇█▏▎▍▌▋▊▉]+": "blue",
    r"━+": "bold",
    r"░+": "yellow",
    r"(?m)^outperform:.*$": "dim",
}


def text_width() -> int | None:
    """Width in characters of the terminal, or as COLUMNS sets it; None if there is neither."""
    if not (sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()):
        return None
    return max(shutil.get_terminal_size((80, 24)).columns, NARROWEST)


def wrapped(text: str, width: int) -> str:
    """Break long lines of prose between words, and of probabilities between them.

    Tables, drawings and signatures, which hold no sentence, stay whole.
    """
    return "\n".join(_broken(line, width) for line in text.splitlines())


def _broken(line: str, width: int) -> str:
    if len(line) <= width or "|" in line:
        return line
    if "   P(" in line and line.startswith(("H0", "P(")):
        return line.replace("   ", "\n")
    return line if "  " in line else fill(line, width, break_long_words=False, break_on_hyphens=False)


def put(text: str, format_: str = "text") -> None:
    """Print a text of some format to standard output, whatever characters that has, as far as it is read."""
    try:
        print(encodable(text, format_, sys.stdout.encoding), flush=True)
    except BrokenPipeError:  # what is asked beyond the text, as of a gate, is still answered
        print_no_more()


def print_no_more() -> None:
    """Discard what is written to standard output from now on, as nobody reads it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show(result: Result, *, verbose: bool = False) -> None:
    """Print a result's text to standard output."""
    width = text_width()
    text = without_drawings(result.to_text(width=width, verbose=verbose), sys.stdout.encoding)
    text = text if width is None else wrapped(text, width)
    if not sys.stdout.isatty():
        put(text)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console()
    styled = Text(text)
    if not console.no_color:  # as NO_COLOR asks
        for pattern, style in COLOURS.items():
            styled.highlight_regex(pattern, style)
    console.print(styled, soft_wrap=True)
