"""What the command calls the arguments of the library."""

from __future__ import annotations

__all__ = ["command"]

# Options that are called otherwise than the argument, and advice that is worded otherwise.
COMMAND = {
    "logs": "--from",
    "n": "--count",
    "n_jobs": "--jobs",
    "weights": "--weight",
}


def command(name: str, value: str) -> str:
    """An option as it is typed: `--labels`, or `--average macro`."""
    if (known := COMMAND.get(f"{name}:{value}" if value else name)) is not None:
        return known
    option = COMMAND.get(name, f"--{name.replace('_', '-')}")
    return f"{option} {value}" if value else option
