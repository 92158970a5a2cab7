"""Names of arguments on the command line."""

from __future__ import annotations

from outperform.base.sentences import SHELL

__all__ = ["command"]

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


def command(name: str, value: str) -> str:
    """An option as it is typed: `--labels`, or `--average macro`."""
    if (known := COMMAND.get(f"{name}:{value}" if value else name)) is not None:
        return known
    if name in SHELL:
        return SHELL[name].format(value)
    option = COMMAND.get(name, f"--{name.replace('_', '-')}")
    return f"{option} {value}" if value else option
