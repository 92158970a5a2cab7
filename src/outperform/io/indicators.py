"""Tables with a column of yes and no for each label, as in true_cat, true_dog: they are refused with what to do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from outperform.base.errors import unusable
from outperform.io.guessing import SeenColumn
from outperform.io.names import says_true

__all__ = ["check_indicators"]

NAMES = (re.compile(r"(?P<system>.+?)[ _.-](?P<label>.+)"), re.compile(r"(?P<label>.+)[ _.-](?P<system>.+?)"))


def check_indicators(source: str, columns: Sequence[SeenColumn]) -> None:
    """Refuse the table if the truth and two systems or more have a column each for the same labels."""
    flags = [column.name for column in columns if 0 < len(column.labels) < 3 and not column.numbers]
    for pattern in NAMES:
        found = _by_system(flags, pattern)
        truth = next((system for system, own in found.items() if len(own) > 1 and says_true(system)), None)
        if truth is None:
            continue
        systems = [system for system, own in found.items() if system != truth and own.keys() == found[truth].keys()]
        if len(systems) < 2:
            continue
        label, name = next(iter(found[truth].items()))
        verb = "compare" if len(systems) == 2 else "rank"
        words = ["outperform", verb, source, "--truth", name, "--predictions", *(found[s][label] for s in systems)]
        raise unusable(
            "{found}; to compare on all labels, write the labels of an item into one column per system, with a sign "
            "between them, which {separator} names; for {label} alone, {run:{line}}",
            found=f"{source} has a column for each of {len(found[truth])} labels ({', '.join(found[truth].values())})",
            label=label,
            line=shlex.join(words),
        )


def _by_system(names: Iterable[str], pattern: re.Pattern[str]) -> Mapping[str, Mapping[str, str]]:
    """Return the columns by system and label."""
    found: dict[str, dict[str, str]] = {}
    for name in names:
        if match := pattern.fullmatch(name):
            found.setdefault(match["system"], {})[match["label"]] = name
    return found
