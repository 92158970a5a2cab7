"""Texts that are no tables yet, and the shell commands that make tables of them.

Each is recognised by its first characters. The command is shown, so that what was read can be read again.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from typing import Any

from outperform.base.errors import DataError
from outperform.base.system import quoted
from outperform.io.conversion import Conversion, as_lines
from outperform.io.of_tools import of_list, of_object
from outperform.io.without_items import refuse_without_items

__all__ = [
    "LIST", "QUOTES", "SPREAD", "Conversion", "CutOffError", "cells_of", "check_opening", "conversion_of", "is_cut_off",
]  # fmt: skip

SIGNS = ",;\t|"  # between columns
MOST_ABOVE = 10  # lines above a header
FEWEST_ROWS = 10  # lists of a JSON object that are columns, and not the labels of one item
RULE = re.compile(r"\|[-:| ]*")  # below the header of a Markdown table
PERCENT = re.compile(r"(?:^|[,;\t|])\d+(?:\.\d+)?%(?=[,;\t|]|$)", re.MULTILINE)
SHARE = re.compile(r"0?[.,]\d+")
PADDED = re.compile(r"([,;]) +")
WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")  # of JSON, as Python reads it
BLANKS = re.compile(r"\s*")
PAGES = ("<!doctype", "<html", "<table")
POINTER = "version https://git-lfs.github.com/spec"
RANKING = re.compile(r"\S+\s+Q0\s+\S+\s+\d+\s+\S+\s+\S+")  # of a TREC run: query, Q0, document, rank, score, name


def conversion_of(opening: str, source: str) -> Conversion | None:
    """Return the conversion that a text needs by its first characters; None where it is a table, or something else."""
    check_opening(opening, source)
    text = opening.lstrip("\ufeff")
    if text.lstrip().startswith(("{", "[")):
        refuse_without_items(_parsed(text), text, source)
        return _of_objects(text) if text.lstrip().startswith("{") else of_list(text)
    lines = text.splitlines()
    first = lines[0] if lines else ""
    if above := _lines_above(lines):
        return Conversion(f"tail -n +{above + 1} {{file}}", "lines above the header left out", _below(above))
    if len(lines) > 1 and _has_percentages(first, lines):
        _check_percentages(lines if text.endswith("\n") else lines[:-1] or lines, source)
    return next((conversion for fits, conversion in TEXTS.items() if len(lines) > 1 and fits(first, lines)), None)


class CutOffError(DataError):
    """A text is JSON that ends before it is complete."""

    def __init__(self, source: str) -> None:
        super().__init__(f"{source} ends before its JSON is complete; copy it again, or finish the run that writes it")


def is_cut_off(text: str) -> bool:
    """Return whether a text is one JSON value that ends before it is complete."""
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return False
    try:
        json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        rest = error.doc[error.pos :].strip()
        return any(word.startswith(rest) for word in WORDS) or error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False


def check_opening(opening: str, source: str) -> None:
    """Refuse what is no results: a page, what Git LFS leaves in place of a file, a ranking of documents."""
    text = opening.lstrip("\ufeff").lstrip()
    if text.lower().startswith(PAGES):
        raise DataError(f"{source} is an HTML page; save its table as CSV")
    if text.startswith(POINTER):
        raise DataError(f"{source} is a pointer of Git LFS in place of the file; fetch the file with: git lfs pull")
    if RANKING.fullmatch(text.partition("\n")[0].strip()):
        raise DataError(
            f"{source} is a run, a ranking of documents for each query; score it with trec_eval -q, and compare the "
            "outputs of two runs"
        )


def _lines_above(lines: list[str]) -> int:
    """Return how many lines are above the header: a title alone, or anything that ends with an empty line.

    The last line may be cut off. Quotes that are open at the end of a line, or rows of other lengths, tell nothing.
    """
    if not lines or lines[0].startswith(("#", "sep=")) or any(_is_table(lines, sign) for sign in SIGNS):
        return 0
    for above in range(1, min(MOST_ABOVE, len(lines) - 2) + 1):
        sign = max(SIGNS, key=lines[above].count)
        if _is_table(lines[above:], sign):
            alone = not any(any(cells_of(line, sign)[1:]) for line in lines[:above])
            return above if alone or not lines[above - 1].strip() else 0
    return 0


def _is_table(lines: list[str], sign: str) -> bool:
    """Whether names stand above rows of as many cells; empty lines and the last one do not count."""
    sizes = {len(cells_of(line, sign)) for line in lines[:-1] or lines if line.strip()}
    return any(cells_of(lines[0], sign)[1:]) and len(sizes) == 1


def cells_of(line: str, sign: str) -> list[str]:
    """Return the cells of a line."""
    return next(csv.reader([line], delimiter=sign), [])


def _below(above: int) -> Callable[[str], str]:
    return lambda text: text.split("\n", above)[above]


def _has_comments(first: str, lines: list[str]) -> bool:
    """Whether the first lines are comments, and not a header that begins with #."""
    rest = [line for line in lines if not line.startswith("#")]
    return first.startswith("#") and len(rest) > 1 and _cells(rest[0]) > 1 and _cells(first) != _cells(rest[0])


def _cells(line: str) -> int:
    return 1 + max(line.count(sign) for sign in SIGNS)


def _is_markdown(first: str, lines: list[str]) -> bool:
    return first.startswith("|") and RULE.fullmatch(lines[1].strip()) is not None


def _is_spaced(first: str, lines: list[str]) -> bool:
    """Whether blanks stand between as many words in every line; the last line may be cut off."""
    words = {len(line.split()) for line in lines[:-1] if line.strip()}
    return not any(sign in first for sign in SIGNS) and len(words) == 1 and words.pop() > 1


def _is_padded(first: str, lines: list[str]) -> bool:
    return PADDED.search(first) is not None and '"' not in "".join(lines)


def _has_percentages(_: str, lines: list[str]) -> bool:
    return all(PERCENT.search(line) for line in lines[1:-1] or lines[1:])


def _check_percentages(lines: list[str], source: str) -> None:
    """Refuse percentages beside shares, such as 47.9% and 0.48, which the same command would put on two scales."""
    sign = max(SIGNS, key=lines[0].count)
    rows = [cells_of(line, sign) for line in lines]
    columns = {name: [*filter(None, map(str.strip, cells))] for name, *cells in zip(*rows, strict=False)}
    signs = {name: [cell.endswith("%") for cell in cells] for name, cells in columns.items()}
    shares = [name for name, cells in columns.items() if any(signs[name]) or all(map(SHARE.fullmatch, cells))]
    if odd := [name for name in shares if not all(signs[name])]:
        found = f"{source} has percentages, such as {next(c for cells in columns.values() for c in cells if '%' in c)}"
        raise DataError(f"{found}, but numbers without a percent sign in {odd[0]}; write all scores alike")


def _from_markdown(text: str) -> str:
    rows = [line.strip().strip("|") for line in text.splitlines() if not RULE.fullmatch(line.strip())]
    return "\n".join("|".join(cell.strip() for cell in row.split("|")) for row in rows if row)


TEXTS: dict[Callable[[str, list[str]], bool], Conversion] = {
    _has_comments: Conversion(
        "grep -v '^#' {file}", "comment lines left out", lambda text: re.sub(r"(?m)^#.*(?:\n|$)", "", text)
    ),
    _is_markdown: Conversion(
        "sed -e '/^|[-:| ]*$/d' -e 's/^| *//' -e 's/ *| *$//' -e 's/ *| */|/g' {file}",
        "a Markdown table",
        _from_markdown,
    ),
    _is_spaced: Conversion(
        "sed -e 's/  *$//' -e 's/  */,/g' {file}",
        "columns separated by spaces",
        lambda text: "\n".join(",".join(line.split()) for line in text.splitlines()),
    ),
    _is_padded: Conversion(
        "sed 's/\\([,;]\\)  */\\1/g' {file}", "spaces after commas left out", lambda t: PADDED.sub(r"\1", t)
    ),
    _has_percentages: Conversion("tr -d % < {file}", "percent signs left out", lambda text: text.replace("%", "")),
}


def _of_objects(text: str) -> Conversion | None:
    """Return the conversion of one JSON object that holds columns or rows."""
    first = _parsed(text) or _parsed(text.partition("\n")[0])
    if first is None:
        spread = _objects(text)
        return SPREAD if len(spread) > 1 and not any(isinstance(cell, dict) for cell in spread[0].values()) else None
    if (known := of_object(first, text)) is not None:
        return known
    rows = [key for key, value in (_parsed(text) or {}).items() if _are_rows(value)]  # and not within rows
    if len(rows) == 1:
        path = f".{rows[0]}" if rows[0].isidentifier() else f".[{json.dumps(rows[0])}]"
        return Conversion(f"jq -c {quoted([f'{path}[]'])} {{file}}", f"rows under {rows[0]}", _rows_under(rows[0]))
    lists = [value for value in first.values() if isinstance(value, list)]
    sizes = set(map(len, lists))
    if (
        len(lists) < 2
        or len(sizes) > 1
        or sizes.pop() < FEWEST_ROWS
        or any(isinstance(v, dict) for v in first.values())
    ):
        return None
    if len(lists) == len(first):
        return Conversion("jq -c 'range(first(.[]) | length) as $k | map_values(.[$k])' {file}", "columns", _by_row)
    alone = 'with_entries(select(.value | type == "array")) | range(first(.[]) | length) as $k | map_values(.[$k])'
    return Conversion(f"jq -c '{alone}' {{file}}", "columns", _by_row)


def _objects(text: str) -> list[dict[str, Any]]:
    """Return JSON objects that stand one after the other over any lines; none where there is anything else."""
    decoder, found, at = json.JSONDecoder(), list[dict[str, Any]](), 0
    text = text.strip()
    try:
        while at < len(text):
            value, end = decoder.raw_decode(text, at)
            if not isinstance(value, dict):
                return []
            found.append(value)
            at = next(BLANKS.finditer(text, end)).end()
    except (ValueError, RecursionError):
        return []
    return found


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _are_rows(value: object) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(row, dict) for row in value)


def _listed(text: str) -> list[dict[str, Any]]:
    rows = json.loads(text)
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise ValueError("not a list of objects")
    return list(rows)


def _rows_under(key: str) -> Callable[[str], str]:
    return lambda text: as_lines(json.loads(text)[key])


def _by_row(text: str) -> str:
    columns = {name: values for name, values in json.loads(text).items() if isinstance(values, list)}
    return as_lines(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


LIST = Conversion("jq -c '.[]' {file}", "a JSON list", lambda text: as_lines(_listed(text)))
SPREAD = Conversion("jq -c . {file}", "JSON objects over several lines", lambda text: as_lines(_objects(text)))
QUOTES = Conversion("tr -d '\"' < {file}", "quotation marks left out", lambda text: text.replace('"', ""))
