"""BibTeX of this package and of the papers that it implements, from CITATION.cff.

The file is at the root of the repository, where GitHub looks for it, and inside the installed package. It is YAML; what
is read here is the part of it that the file uses: a key and a value per line, lists of these, and braces on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["bibtex", "read_citation"]

NAME = "CITATION.cff"
PACKAGE = Path(__file__).parents[1]
PLACES = (PACKAGE / NAME, PACKAGE.parents[1] / NAME)  # of a wheel, and of a checkout
ARTICLES = ("A", "An", "The")


def bibtex() -> str:
    """Return the entries of the software and of its references."""
    cited = read_citation(next(place for place in PLACES if place.exists()).read_text(encoding="utf-8"))
    return "\n".join([_software(cited), *map(_paper, cited["references"])])


def read_citation(text: str) -> dict[str, Any]:
    """Read the keys of a citation file; `references` are dictionaries, and `authors` lists of them."""
    read: dict[str, Any] = {}
    inside: list[tuple[int, Any]] = [(-1, read)]  # the dictionaries and lists that a line is in, with their indents
    for indent, item, key, value in _lines(text):
        while inside[-1][0] >= indent:
            inside.pop()
        holder = inside[-1][1]
        if item:
            holder.append(_braces(value) if not key else {key: value})
            inside.append((indent, holder[-1]))
        elif value:
            holder[key] = _braces(value)
        else:
            holder[key] = []
            inside.append((indent, holder[key]))
    return read


def _lines(text: str) -> Iterator[tuple[int, bool, str, str]]:
    """Yield indent, whether an item of a list begins, key and value."""
    for line in text.splitlines():
        if found := re.fullmatch(r"( *)(- )?(?:([\w-]+):(?: |$))?(.*)", line):
            blanks, dash, key, value = found.groups()
            yield len(blanks), bool(dash), key or "", value.strip().strip('"')


def _braces(value: str) -> Any:
    """A value, or the dictionary in braces."""
    if not value.startswith("{"):
        return value
    return dict(re.findall(r"([\w-]+): ([^,}]+)", value))


def _software(cited: dict[str, Any]) -> str:
    names = " and ".join(f"{{{author['name']}}}" for author in cited["authors"])
    fields = {
        "author": names,
        "title": cited["title"],
        "version": cited["version"],
        "url": cited.get("repository-code"),
    }
    return _entry("software", "outperform", fields)


def _paper(cited: dict[str, Any]) -> str:
    names = [f"{author['family-names']}, {author['given-names']}" for author in cited["authors"]]
    word = next(word for word in cited["title"].split() if word not in ARTICLES)
    pages = f"{cited['start']}--{cited['end']}" if "start" in cited else None
    fields = {
        "author": " and ".join(names),
        "title": cited["title"],
        "booktitle": cited["conference"]["name"],
        "year": cited["year"],
        "pages": pages,
        "doi": cited.get("doi"),
    }
    return _entry("inproceedings", f"{names[0].partition(',')[0]}{cited['year']}{word}".lower(), fields)


def _entry(kind: str, key: str, fields: dict[str, str | None]) -> str:
    lines = [f"  {name:<9} = {{{value}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"
