"""The command that asks a question, as it is typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from outperform.base.system import quoted
from outperform.options.options import Options
from outperform.options.spelling import command

__all__ = ["command_line"]

NOT_TYPED = ("files", "tables")


def command_line(verb: str, files: Sequence[str], options: Options, names: Iterable[str] | None = None) -> str:
    """Return the command, quoted for a shell; `names` are the options that it may have, in order."""
    known = [option.name for option in fields(Options) if option.name not in NOT_TYPED]
    words = ["outperform", *([verb] if verb else []), *files]
    for name in options.given(*(known if names is None else names)):
        words += _words(command(name, ""), getattr(options, name), spread=name != "by")
    return quoted(words)


def _words(option: str, value: Any, *, spread: bool) -> list[str]:
    """Return an option and its value, in one word where the value would look like an option."""
    if value is True:
        return [option]
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        if spread and not any(text.startswith("-") for text in value):
            return [option, *value]
        return [word for text in value for word in _words(option, text, spread=False)]
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return [f"{option}={text}"] if text.startswith("-") else [option, text]
