"""What was asked, as a verb and complete options, or a doubt between several such questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from outperform.base.errors import DataError
from outperform.options import Options
from outperform.options.spelling import command_line

__all__ = ["MOST_NAMES", "Asked", "Doubt", "Found", "joined"]

MOST_NAMES = 8  # in a sentence


@dataclass(frozen=True)
class Asked:
    """A verb and its options.

    `pipe` is the command whose output is read in place of the file, and `how` says in words how it is read; `aside` are
    columns with scores of classes, which are not used.
    """

    verb: str
    options: Options
    pipe: str | None = None
    how: str = ""
    aside: tuple[str, ...] = ()

    def but(self, **changes: Any) -> Asked:
        """Return the same question with other options."""
        return replace(self, options=replace(self.options, **changes))

    def line(self, *further: str) -> str:
        """Return the command, quoted for a shell."""
        words = command_line(self.verb, ["-"] if self.pipe else self.options.files, self.options)
        whole = " ".join([words, *further])
        return f"{self.pipe} | {whole}" if self.pipe else whole


@dataclass(frozen=True)
class Doubt:
    """What is ambiguous, the question to ask, and what each answer leads to.

    `named` says that the reason does not name the choice that a ready command makes.
    """

    reason: str
    question: str
    choices: Mapping[str, Callable[[], Found]]
    named: bool = False

    def first(self) -> Asked:
        """Return the first choice that can be asked."""
        return self._first()[1]

    @property
    def offer(self) -> str:
        """The reason, and which choice the first is."""
        return f"{self.reason}; for {self._first()[0]}" if self.named else self.reason

    def _first(self) -> tuple[str, Asked]:
        refused: list[DataError] = []
        for name, choice in self.choices.items():
            try:
                found = choice()
                return name, found.first() if isinstance(found, Doubt) else found
            except DataError as error:
                refused.append(error)
        raise next(iter(refused), DataError(self.reason))  # the first choice is the likeliest


Found: TypeAlias = Asked | Doubt


def joined(names: Sequence[str]) -> str:
    """Return names as in a sentence: a, b and c, or the first of many."""
    from outperform.formats.escaping import LINE, one_line

    names = [one_line(name, LINE) or "''" for name in names]
    if len(names) > MOST_NAMES:
        return f"{', '.join(names[: MOST_NAMES - 1])} and {len(names) - MOST_NAMES + 1} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
