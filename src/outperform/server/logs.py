"""Logs that were sent, plain or packed, become scores of several systems; nothing is read by a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from outperform.base.errors import DataError, UndecidedError, listing
from outperform.base.sentences import Parameter, invalid
from outperform.data.scores import Scores
from outperform.io.files import text_of, too_large
from outperform.io.logs import ZIP, Choice, LogFile, offered, scores_sent, unpacked_size
from outperform.io.looking import sent_log

if TYPE_CHECKING:
    from outperform.options import Options
    from outperform.server.limits import Limits

__all__ = ["Logs", "logs_of"]


@dataclass(frozen=True)
class Logs:
    """The scores in logs.

    Attributes
    ----------
    kind : str
        The format.
    scores : Scores
        Of all systems.
    files : int
        Number of files; each may hold several systems.
    choice : Choice
        The metric and the filter, where the logs have several of them.
    known : mapping from "metric" and "filter" to names
        What there is to choose from.
    """

    kind: str
    scores: Scores
    files: int
    choice: Choice = field(default_factory=Choice)
    known: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def how(self) -> str:
        """What was read, in words."""
        systems = len(self.scores.systems)
        inside = "a log" if self.files == 1 else f"{self.files} logs"
        what = f"{systems} logs" if self.files == systems else f"{systems} systems in {inside}"
        return f"{what} of {self.kind}, scored by {self.scores.metric}"


def logs_of(
    raw: bytes, parts: Sequence[tuple[str, int]], limits: Limits, options: Options, *, guessed: bool = False
) -> Logs:
    """Read logs that were sent one after the other.

    Where they have several metrics or filters, one must be chosen; with `guessed` the first is taken in place of one
    that was not chosen, or that is not there.
    """
    files = _files(raw, parts, limits)
    kind = _kind(files)
    wanted = _wanted(options)
    if guessed:
        found = _guessed(files, kind, wanted)
    else:
        found = Logs(kind, scores_sent(files, kind, Choice(**wanted)), len(files))
    if found.scores.items > limits.rows:
        raise too_large(f"{files[0].source} has more than {limits.rows:,} items")
    return found


def _wanted(options: Options) -> dict[str, str]:
    """The metric and the filter that are chosen."""
    chosen: dict[str, tuple[str, ...]] = {"metric": options.metric, "filter": options.filter}
    for name, values in chosen.items():
        if len(values) > 1:
            raise invalid("{name} names {known}; name one", name=Parameter(name), known=listing(values))
    return {name: values[0] for name, values in chosen.items() if values}


def _files(raw: bytes, parts: Sequence[tuple[str, int]], limits: Limits) -> list[LogFile]:
    """The files, which together may unpack to as much as one file."""
    if sum(size for _, size in parts) != len(raw):
        raise DataError("the files did not arrive whole; choose them again")
    files, start, left = list[LogFile](), 0, limits.size
    for name, size in parts:
        piece = raw[start : start + size]
        file = LogFile(Path(name), piece if piece.startswith(ZIP) else text_of(piece, name, left), most=left)
        taken = unpacked_size(file) if file.packed else len(file.text)
        if file.packed and taken > left:
            raise too_large(f"{name} unpacks to more than {left / 1e6:,.3g} MB")
        if not file.packed and file.text.count("\n") > limits.rows:
            raise too_large(f"{name} has more than {limits.rows:,} rows")
        files.append(file)
        start, left = start + size, max(left - taken, 1)
    return files


def _kind(files: Sequence[LogFile]) -> str:
    """The one format of all files."""
    kinds = {file.source: sent_log(file) for file in files}
    kind = next(iter(kinds.values()))
    if len(set(kinds.values())) > 1:
        known = ", ".join(f"{name} ({kind or 'a table'})" for name, kind in kinds.items())
        raise DataError(f"choose logs of one format; these are {known}")
    if kind is None or kind == "table":
        advice = "join the tables into one, with a column per system"
        raise DataError(f"the page takes one table, or the logs of several systems; {advice}")
    return kind


def _guessed(files: Sequence[LogFile], kind: str, wanted: Mapping[str, str]) -> Logs:
    """Read logs by what is wanted and there, or else by the first that is there; and keep what there is."""
    choice, known = Choice(), dict[str, list[str]]()
    while True:
        try:
            return Logs(kind, scores_sent(files, kind, choice), len(files), choice, known)
        except UndecidedError as open_:
            names = known[open_.what] = offered(open_)
            chosen = wanted[open_.what] if wanted.get(open_.what) in names else names[0]
            choice = replace(choice, **{open_.what: chosen})
