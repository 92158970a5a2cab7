"""Files of tagged sequences in columns, as in the CoNLL shared tasks: one token per line, followed by its tags.

Columns are separated by spaces or tabs and sentences by blank lines. A line that starts with
-DOCSTART- is no token: it begins a document.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from outperform.base.errors import DataError, check_known, count, listing, unusable
from outperform.data.chunks import first_alien, no_tag
from outperform.data.counts import Counts
from outperform.io.files import read_text

__all__ = ["Sequences", "check_tags", "check_truths", "read_chunks", "read_conll", "same_sentences"]

DOCUMENT = "-DOCSTART-"
UNITS = ("sentence", "document", "chunk")
FIELD = re.compile(r"[^ \t\r]+")  # other white space, such as a no-break space, may be part of a token


@dataclass(frozen=True)
class Sequences:
    """The sentences of a file: their tokens and tags, the line that each starts on, and its document (from 0)."""

    source: str
    tokens: list[list[str]]
    tags: list[list[str]]
    lines: list[int]
    documents: list[int]


@dataclass(frozen=True)
class _Sentence:
    """The columns of each token, the line of the first one, and the document."""

    line: int
    document: int
    rows: list[list[str]]


def read_conll(path: str | Path, column: int = -1) -> Sequences:
    """Read the tokens (the first column) and one column of tags.

    Parameters
    ----------
    path : path
        A file in columns, plain or gzip; "-" is standard input.
    column : int
        Column of the tags, counted from 0, or from the end if negative; the last one unless told.
        Where several taggers stand side by side in one file, read it once for each.
    """
    return _column(*_read(path), column)


def _read(path: str | Path) -> tuple[str, list[_Sentence]]:
    """Return what a file is called, and its sentences."""
    text, source = read_text(str(path))
    sentences = list(_sentences(text))
    if not sentences:
        raise DataError(f"{source} has no sentences; one token a line is expected, with its tag beside it")
    _check_widths(sentences, source)
    return source, sentences


def _column(source: str, sentences: list[_Sentence], column: int) -> Sequences:
    """Return the tokens and one column of tags."""
    if type(column) is not int:
        raise TypeError(f"column must be a whole number, as in 3 or -1, got {column!r}")
    _check_column(column, sentences[0], source)
    return Sequences(
        source,
        tokens=[[row[0] for row in sentence.rows] for sentence in sentences],
        tags=[[row[column] for row in sentence.rows] for sentence in sentences],
        lines=[sentence.line for sentence in sentences],
        documents=[sentence.document for sentence in sentences],
    )


def read_chunks(
    gold: str,
    predictions: Mapping[str, str | int],
    *,
    column: int = -1,
    scheme: str | None = None,
    mode: str = "conlleval",
    types: Iterable[str] | None = None,
    typed: bool = True,
    unit: str = "sentence",
) -> Counts:
    """Count the chunks of tagged files: one of the truth and one of each tagger, or columns of one file.

    Parameters
    ----------
    gold : str
        File of the truth.
    predictions : mapping from name to file or column
        The taggers: a file each, with the tags in the last column, or a column each of the file of the truth.
    column : int
        Column of the truth, counted from 0, or from the end if negative.
    scheme, mode, types, typed
        As in `Counts.from_chunks`.
    unit : {"sentence", "document", "chunk"}
        What is resampled whole. Documents begin at -DOCSTART- in the file of the truth.
    """
    check_known("unit", unit, UNITS)
    read = _read(gold)  # once, since it may be standard input
    others = {name: read if isinstance(place, int) else _read(place) for name, place in predictions.items()}
    if column == -1 and not any(isinstance(place, int) for place in predictions.values()):
        _check_truths([read, *others.values()])
    true = _column(*read, column)
    files = {
        name: _column(*others[name], place if isinstance(place, int) else -1) for name, place in predictions.items()
    }
    same_sentences(true, *files.values())
    for sequences in (true, *files.values()):
        check_tags(sequences, scheme or "IOBES")
    tags = {name: sequences.tags for name, sequences in files.items()}
    whole = true.documents if unit == "document" else unit
    counts = Counts.from_chunks(true.tags, tags, scheme=scheme, mode=mode, types=types, typed=typed, unit=whole)
    return replace(counts, task=counts.task.by_unit(unit))


def check_truths(paths: Sequence[str | Path]) -> None:
    """Refuse files that have the true tags each, beside those of a tagger: none of them is the file of the truth."""
    _check_truths([_read(path) for path in paths])


def _check_truths(files: Sequence[tuple[str, list[_Sentence]]]) -> None:
    widths = [len(sentences[0].rows[0]) for _, sentences in files]
    if min(widths) < 3:
        return
    rows = [[row for sentence in sentences for row in sentence.rows] for _, sentences in files]
    true, *others = ([(row[0], row[-2]) for row in lines] for lines in rows)
    kinds = [{row[at].partition("-")[2] for row in rows[0]} - {""} for at in (-2, -1)]
    if kinds[0].isdisjoint(kinds[1]) or any(other != true for other in others):  # as parts of speech beside names
        return
    sources, ends = [source for source, _ in files], [str(at - 1) for at in accumulate(widths)]
    systems = shlex.join(["--truth", str(widths[0] - 2), "--predictions", *ends])
    found = f"{' and '.join(sources)} have the same tags in the column before the last, which seem to be the true ones"
    verb = "compare" if len(files) == 2 else "rank"
    line = f"paste -d ' ' {shlex.join(sources)} | outperform {verb} - --unit sentence {systems}"
    raise unusable("{found}; put them side by side, and name the columns, {run:{line}}", found=found, line=line)


def same_sentences(first: Sequences, *others: Sequences) -> None:
    """Check that all files hold the same tokens in the same sentences."""
    for other in others:
        if other.tokens != first.tokens:
            raise DataError(f"{_difference(first, other)}; both must hold the same tokens in the same sentences")


def check_tags(sequences: Sequences, scheme: str) -> None:
    """Check that all tags belong to the scheme."""
    for line, tags in zip(sequences.lines, sequences.tags, strict=True):
        position = first_alien(tags, scheme)
        if position is not None:
            raise DataError(
                f"{sequences.source}, line {line + position}: {no_tag(tags[position], scheme)}; "
                "correct it, or say which scheme the tags are in and which column they stand in"
            )


def _sentences(text: str) -> Iterator[_Sentence]:
    """Sentences end at a blank line and where a document begins; a document without any is not counted."""
    document, filled = 0, False
    rows: list[list[str]] = []
    for number, line in enumerate(f"{text}\n".split("\n"), start=1):
        row = FIELD.findall(line)
        begins = bool(row) and row[0].startswith(DOCUMENT)
        if row and not begins:
            rows.append(row)
            continue
        if rows:
            yield _Sentence(number - len(rows), document, rows)
            rows, filled = [], True
        if begins and filled:
            document, filled = document + 1, False


def _check_column(column: int, sentence: _Sentence, source: str) -> None:
    where, width = f"{source}, line {sentence.line}", len(sentence.rows[0])
    if width == 1:
        raise DataError(f"{where}: a single column; a token and its tag are expected, with a space or tab between them")
    if column in (0, -width):
        raise DataError(f"{where}: column {column} holds the tokens; name a column of tags, from 1 to {width - 1}")
    if not -width < column < width:
        raise DataError(
            f"{where}: {width} columns, so that there is no column {column}; "
            f"name one from 1 to {width - 1}, or from -1 to {1 - width} to count from the end"
        )


def _check_widths(sentences: list[_Sentence], source: str) -> None:
    """Check that every token has as many columns as the first one."""
    first = sentences[0]
    width = len(first.rows[0])
    for sentence in sentences:
        for number, row in enumerate(sentence.rows, start=sentence.line):
            if len(row) != width:
                raise DataError(
                    f"{source}, line {number}: {count(len(row), 'column')} where line {first.line} has {width}; "
                    "every token needs the same columns, and a blank line stands between sentences"
                )


def _difference(first: Sequences, other: Sequences) -> str:
    """Describe where two files differ."""
    sentence = _parting(first.tokens, other.tokens)
    if len(first.tokens) != len(other.tokens):
        holders = [file for file in (other, first) if sentence < len(file.lines)]
        places = " and ".join(f"line {file.lines[sentence]} of {file.source}" for file in holders)
        sentences = count(len(other.tokens), "sentence")
        return f"{other.source} has {sentences} where {first.source} has {len(first.tokens)}, from {places} on"
    mine, theirs = first.tokens[sentence], other.tokens[sentence]
    token = _parting(mine, theirs)
    here, there = (f"{file.source}, line {file.lines[sentence] + token}" for file in (other, first))
    if len(mine) != len(theirs):
        tokens = count(len(theirs), "token")
        return f"{here}: a sentence of {tokens} where that of {there}, has {len(mine)}"
    return f"{here}: the token {listing([theirs[token]])} where {there}, has {listing([mine[token]])}"


def _parting(mine: Sequence[object], theirs: Sequence[object]) -> int:
    """The first place at which two lists differ."""
    pairs = enumerate(zip(mine, theirs, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(len(mine), len(theirs)))
