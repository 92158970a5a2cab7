"""The command that gives the same answer as the page."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

from outperform.server.request import Request

__all__ = ["command_of"]

SPOKEN = {"n": "count", "pos_label": "pos-label"}  # options that are called otherwise
OF_PLANS = ("goal", "power", "width")


def command_of(asked: Request, verb: str) -> str:
    """A line for a terminal, in the folder of the file; nothing for tables that were typed."""
    if asked.source != "file":
        return ""
    words = ["outperform", "rank" if verb == "compare" and len(asked.predictions) > 2 else verb, asked.name]
    for field in fields(asked):
        value = getattr(asked, field.name)
        if value == field.default or field.name in ("source", "name") or (field.name in OF_PLANS and verb != "plan"):
            continue
        option = f"--{SPOKEN.get(field.name, field.name)}"
        words += [option, *value] if field.name in ("predictions", "labels") else _option(option, value)
    return shlex.join(words)


def _option(option: str, value: Any) -> list[str]:
    """An option and its value, in one word where the value would look like an option."""
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return [f"{option}={text}"] if text.startswith("-") else [option, text]
