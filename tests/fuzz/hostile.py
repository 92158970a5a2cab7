"""One case a seed: a file that may be damaged in any way, and a command on it."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from random import Random
from typing import Any

from outperform.cli import main

__all__ = ["Case", "case"]

USUAL = {
    ("1", "0"): (),
    ("yes", "no"): ("--pos-label", "yes"),
    ("0", "1", "2"): ("--average", "macro"),
}  # and what goes with them
LABELS = (
    "1", "0", "yes", "no", "", " ", "NA", "nan", "ü", "≫", '"', "a,b", "=1", "\0", "-1", "1e400", "x" * 300, "\u202e",
    "u\u0308", "no\u200b", "\x1b[2J",
)  # fmt: skip
NAMES = ("gold", "a", "b", "", "a b", "gold", "select", '"q"', "id", "n", "\ufeffgold", "x" * 260, "a ", "u\u0308", "ü")
NUMBERS = (
    "0", "-1", "1e300", "nan", "inf", "1e-300", "0,01", "0,5%", "1%", "x", "", "5", "0.5", "1e30", "-0.0", "2000",
)  # fmt: skip
OPTIONS = {
    "--rope": "0.05", "--mass": "0.9", "--prior": "0.5", "--draws": "300", "--seed": "7", "--zero-division": "1",
}  # fmt: skip  # each with a value that does
WORDS = {
    "--measure": ("f1", "F1", "mcc", "roc_auc", "f_beta", "f7", ""),
    "--average": ("binary", "macro", "micro", "weighted", "per_class", "samples", "multiclass"),
    "--model": ("paired", "unpaired", "bootstrap"),
    "--require": ("better", "not-worse", "equivalent", "best"),
    "--pos-label": LABELS,
    "--beta": ("2", *NUMBERS),
    "--fdr": ("0.1", *NUMBERS),
    "--separator": (",", ";", "", "||"),
}
DAMAGE = (b"\0", b"\xff", b'"', b"\n\n", b"\r", b"\xef\xbb\xbf", b"{", b",,,,", b"\xff\xfe", b"PK\x03\x04")


@dataclass(frozen=True)
class Case:
    """The name and the content of a file, and what is asked about it."""

    name: str
    content: bytes
    command: tuple[str, ...]


def case(seed: int) -> Case:
    """The case of a seed, the same on every machine."""
    lot = Random(seed)
    names = ["gold", "a", "b"] if lot.random() < 0.93 else lot.choices(NAMES, k=lot.randint(0, 5))
    labels = lot.choice([*USUAL]) if lot.random() < 0.8 else tuple(lot.choices(LABELS, k=lot.randint(1, 6)))
    rows = [[lot.choice(labels) for _ in names] for _ in range(lot.choice((0, 3, 30, 30, 200, 200, 200)))]
    ending, content = _written(lot, names, rows)
    if lot.random() < 0.15:
        content = _damaged(lot, content)
    if lot.random() < 0.1:
        ending, content = f"{ending}.gz", gzip.compress(content, mtime=0)
    verb = lot.choice(("compare", "compare", "estimate", "rank", "count", "sensitivity", "plan"))
    with_labels = USUAL.get(labels, ()) if verb != "count" else ()
    return Case(f"p{ending}", content, (verb, *_columns(lot, verb), *with_labels, *_options(lot, verb)))


def _written(lot: Random, names: list[str], rows: list[list[str]]) -> tuple[str, bytes]:
    if lot.random() < 0.3:
        odd: Any = lot.choice((1, True, None, 1.5, [], {}, "1"))
        objects = [dict(zip(names, row, strict=True)) | ({"a": odd} if lot.random() < 0.05 else {}) for row in rows]
        return ".jsonl", "\n".join(map(json.dumps, objects)).encode()
    ending, mark = lot.choice(((".csv", ","), (".tsv", "\t"), (".txt", ",")))
    end = lot.choice(("\n", "\n", "\r\n", "\r"))
    quoted = [[_quoted(cell) if lot.random() < 0.5 else cell for cell in row] for row in rows]
    return ending, end.join(map(mark.join, [names, *quoted])).encode()


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _damaged(lot: Random, content: bytes) -> bytes:
    place, odd = lot.randrange(len(content) + 1), lot.choice(DAMAGE)
    inside = content[:place] + odd + content[place:]
    return lot.choice((content[:place], inside, odd + content, content + odd, content * 2))


def _columns(lot: Random, verb: str) -> list[str]:
    truth, *guesses = ("gold", "a", "b") if lot.random() < 0.96 else lot.choices(NAMES, k=3)
    asked = guesses[:1] if verb == "estimate" else guesses
    return ["-t", truth, *(word for guess in asked for word in ("-p", guess))]


def _options(lot: Random, verb: str) -> list[str]:
    """A few that the command has, or now and then any; most with a value that does."""
    known = {name for own in main.commands[verb].params for name in own.opts}
    known = known if lot.random() < 0.97 else {*OPTIONS, *WORDS}
    words = ["--draws", "200"] if "--draws" in known else []
    for name in _some(lot, known & {*OPTIONS}):
        words += [name, OPTIONS[name] if lot.random() < 0.6 else lot.choice(NUMBERS)]
    for name in _some(lot, known & {*WORDS}):
        words += [name, lot.choice(WORDS[name])]
    return words


def _some(lot: Random, names: set[str]) -> list[str]:
    return lot.sample(sorted(names), min(lot.choice((0, 0, 0, 1, 2)), len(names)))
