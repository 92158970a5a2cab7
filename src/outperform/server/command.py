"""The command that gives the same answer as the page."""

from __future__ import annotations

import shlex
from typing import Any

from outperform.options import command
from outperform.server.request import LISTS, SETTINGS, Request

__all__ = ["command_of"]

OF_PLANS = ("goal", "power", "width")


def command_of(asked: Request, verb: str) -> str:
    """A line for a terminal, in the folder of the file; nothing for tables that were typed."""
    if asked.source != "file":
        return ""
    options = asked.options
    words = ["outperform", "rank" if verb == "compare" and len(options.predictions) > 2 else verb, asked.name]
    for name in options.given(*(name for name in SETTINGS if name not in OF_PLANS or verb == "plan")):
        option, value = command(name, ""), getattr(options, name)
        words += [option, *value] if name in LISTS else _option(option, value)
    return shlex.join(words)


def _option(option: str, value: Any) -> list[str]:
    """An option and its value, in one word where the value would look like an option."""
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return [f"{option}={text}"] if text.startswith("-") else [option, text]
