"""Arguments as they are typed on the command line: one by its name, and all of a question as a command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from outperform.base.sentences import SHELL
from outperform.base.system import quoted
from outperform.options.options import Options

__all__ = ["command", "command_line"]

# Options that are called otherwise than the argument, and advice that is worded otherwise.
COMMAND = {
    "by_item:True": "outperform count --by-item",
    "in_parts": "count it in parts",
    "leave_out": "leave such rows out with --drop-missing",
    "logs": "--from",
    "missing": "--drop-missing",
    "mode:strict": "--strict",
    "n": "--count",
    "n_jobs": "--jobs",
    "or_weights": "or use --weight if fractions are meant",
    "query_ids": "--cluster",
    "read_chunks": "say --unit sentence",
    "read_logs": "say --from if it is a log",
    "sampled_unpaired": "--model unpaired",
    "to_read_scores": "with --from lm-eval",
    "typed:False": "--untyped",
    "types": "--labels",
    "unpaired": "--model unpaired",
    "use_unpaired": "use --model unpaired",
    "weights": "--weight",
}
NOT_TYPED = ("files", "tables")


def command(name: str, value: str) -> str:
    """An option as it is typed: `--labels`, or `--average macro`."""
    if (known := COMMAND.get(f"{name}:{value}" if value else name)) is not None:
        return known
    if name in SHELL:
        return SHELL[name].format(value)
    option = COMMAND.get(name, f"--{name.replace('_', '-')}")
    return f"{option} {value}" if value else option


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
