"""Any name in any output of any result: it is there, harmless, and nothing else has changed."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from outperform.formats import escaping
from outperform.results import Result
from outperform.results.base import Plain
from tests.command import run
from tests.latex import read_latex
from tests.samples import RESULTS

pytestmark = pytest.mark.usefixtures("few_draws")

NAMES = {
    name: name
    for name in (
        "<script>alert(1)</script>", "</td></script><img src=x onerror=alert(1)><!--", "%", "_", "a&b", "$x$",
        "\\#{}~^\"'", "😀", "שלום", "日本語", "e\u0301", "`", "|", "**a** [b](c)", "@nobody", "=1+1",
    )
} | {
    "a\nb": "a b",
    "\x1b[31m": r"\x1b[31m",
    "\x9b31m\x07": r"\x9b31m\x07",
    "a\u202eb": r"a\u202eb",
}  # fmt: skip  # a name, and how it is shown where people read
EVERYTHING = "<b>&%_$x$\\#{}~^\"'`**a**[b](c)😀"
CONTROLS = "a\nb\x1b[31m\x07\u202e"
NAMES |= {EVERYTHING: EVERYTHING, CONTROLS: r"a b\x1b[31m\x07\u202e"}  # short enough to be shown whole
ALWAYS = (EVERYTHING, CONTROLS, "|")  # with any kind of result
EACH = 7  # kinds of results, of which one is tried with any other name in every run, and the rest with `slow`


def stand_in(name: str) -> str:
    """A plain name that comes at the same place among the classes."""
    return "A-name" if name < "M" else "Q-name"


def flat(value: Any) -> list[Any]:
    """The leaves of lists and dictionaries, keys among them."""
    if isinstance(value, dict):
        return [leaf for key, own in value.items() for leaf in (key, *flat(own))]
    return [leaf for own in value for leaf in flat(own)] if isinstance(value, list | tuple) else [value]


def of_json(result: Result) -> list[Any]:
    return flat(json.loads(result.to_json()))


def of_csv(result: Result) -> list[Any]:
    return flat(list(csv.reader(io.StringIO(result.to_csv(), newline=""), strict=True)))


def of_latex(result: Result) -> list[Any]:
    found = []
    for table in read_latex(result.to_latex()):
        needs, *table.comments = table.comments
        assert needs.startswith(r"\usepackage{booktabs}")
        found += flat(list(vars(table).values()))
    return found


def of_markdown(result: Result) -> list[Any]:
    return of_markdown_text(result.to_markdown())


def of_markdown_text(written: str) -> list[Any]:
    """Tokens of a real reader, with their texts; our own marks are the only HTML that it finds."""
    found: list[Any] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(written):
        found.append(token.type)
        for part in token.children or []:
            assert part.type in ("text", "text_special", "code_inline", "html_inline", "strong_open", "strong_close")
            if part.type == "html_inline":
                assert part.content in ("<!-- -->", "<span>", "</span>", "<sub>", "</sub>")
        found.append("".join(part.content for part in token.children or [] if part.type != "html_inline"))
    return found


def of_text(written: str) -> list[Any]:
    """Words line by line; rules and bars grow and shrink with names."""
    assert all(character.isprintable() for character in written.replace("\n", ""))
    lines = [" ".join(line.replace("█", "").split()) for line in written.splitlines()]
    return [line for line in lines if not set(line) <= set("─")]


def replaced(parts: list[Any], old: str, new: str) -> list[Any]:
    """The same with one name in place of another; signatures are one line without bars that are not theirs."""
    line = " ".join(new.replace("|", "/").split())
    return [
        part if not isinstance(part, str) else part.replace(old, line if part.startswith("outperform") else new)
        for part in parts
    ]


ACTIVE = ("script", "style", "template", "meta", "link", "base", "img", "svg", "iframe", "object", "form", "input", "a")


class Page(HTMLParser):
    """The elements of a page that do something, the text that a reader sees, and what a script reads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.active: list[str] = []
        self.seen = ""
        self.data: list[Any] = []
        self.within: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag in ACTIVE:
            self.active.append(tag)
        self.within.append("data" if ("type", "application/json") in attrs else tag)

    def handle_endtag(self, tag: str) -> None:
        self.within.pop()

    def handle_data(self, data: str) -> None:
        if self.within[-1:] == ["data"]:
            self.data += flat(json.loads(data))
        elif self.within[-1:] not in (["script"], ["style"], ["pre"]):
            self.seen += data


def of_page(page: str) -> list[Any]:
    parsed = Page(page)
    return [parsed.active, parsed.seen, parsed.data]


READERS: dict[str, Callable[[Result], list[Any]]] = {
    "json": of_json,
    "csv": of_csv,
    "latex": of_latex,
    "markdown": of_markdown,
    "text": lambda result: of_text(result.to_text()),
    "line": lambda result: of_text(repr(result)),
    "page": lambda result: of_page(result.to_html()),
    "notebook": lambda result: of_page(result._repr_html_()),
}


@cache
def harmless(kind: str, name: str) -> dict[str, list[Any]]:
    result = RESULTS[kind](name)
    return {format_: read(result) for format_, read in READERS.items()}


def kinds_and_names() -> Iterator[Any]:
    """All of them; in every run each kind with all signs that have a meaning somewhere, and with some names more."""
    for (k, kind), (n, name) in product(enumerate(RESULTS), enumerate(NAMES)):
        marks = () if name in ALWAYS or (k + n) % EACH == 0 else pytest.mark.slow
        yield pytest.param(kind, name, marks=marks, id=f"{kind}-{name.encode('unicode_escape').decode()}")


@pytest.mark.parametrize(("kind", "name"), list(kinds_and_names()))
def test_names_are_there_and_nothing_else_changes(kind: str, name: str) -> None:
    hostile, instead, shown = RESULTS[kind](name), stand_in(name), NAMES[name]
    expected = harmless(kind, instead)
    for format_ in ("json", "csv"):
        assert READERS[format_](hostile) == replaced(expected[format_], instead, name), format_
    for format_ in ("latex", "markdown", "text", "line"):
        assert READERS[format_](hostile) == replaced(expected[format_], instead, shown), format_
    for format_ in ("page", "notebook"):
        active, seen, data = READERS[format_](hostile)
        assert active == expected[format_][0]
        assert name != shown or (name in seen and data == replaced(expected[format_][2], instead, name))
    if isinstance(hostile, Plain):
        assert type(hostile).from_dict(json.loads(hostile.to_json())) == hostile


@pytest.mark.parametrize("name", ["x" * 9_999 + "y", "x y " * 2_500 + "z"], ids=["one word", "many"])
@pytest.mark.parametrize("kind", RESULTS)
def test_long_names_leave_everything_usable(kind: str, name: str) -> None:
    r, expected = RESULTS[kind](name), harmless(kind, "Q-name")
    for format_ in ("json", "csv"):
        assert READERS[format_](r) == replaced(expected[format_], "Q-name", name)
    latex, markdown = of_latex(r), of_markdown(r)
    assert (len(latex), len(markdown)) == (len(expected["latex"]), len(expected["markdown"]))
    assert max(len(part) for part in latex if isinstance(part, str) and not part.startswith("outperform")) <= 1_000
    assert len(r.to_markdown()) < 20_000
    for table in read_latex(r.to_latex()):
        assert max(len(cell) for row in table.rows for cell in row) <= 203
    assert "…" in r.to_markdown()
    assert len(of_text(r.to_text())) == len(expected["text"])
    assert max(map(len, (*r.to_text().splitlines(), *repr(r).splitlines()))) <= 1_500


@pytest.mark.parametrize("name", ["<script>", "a_b%|`", "$x$", "😀", "a\nb", '"a", =1', "\x1b[31m"])
def test_columns_of_files(name: str, tmp_path: Path) -> None:
    file = tmp_path / "preds.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([["gold", name, "b"], *([[1, 1, 0], [0, 0, 0], [1, 0, 1], [1, 1, 1]] * 5)])
    ask = ("compare", str(file), "--truth", "gold", "--predictions", name, "b", "--rope", "0.1", "--draws", "200")
    written = {}
    for format_ in ("json", "csv", "latex", "markdown"):
        assert run(*ask, "--format", format_, "--output", str(tmp_path / "out")).exit_code == 0
        written[format_] = (tmp_path / "out").read_bytes().decode()
    assert json.loads(written["json"])["a"]["name"] == name
    assert [row["a"] for row in csv.DictReader(io.StringIO(written["csv"], newline=""))] == [name]
    shown = NAMES.get(name, name)
    (table,) = read_latex(written["latex"])
    assert table.caption.startswith(f"Δf1 = {shown} − b")
    assert f"Δf1 = {shown} − b, ROPE [-0.100, +0.100]" in of_markdown_text(written["markdown"])


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("kind", RESULTS)
def test_print_writes_signs_that_standard_output_has(kind: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result, written = RESULTS[kind]("é≫"), io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    sys.stdout.write(str(result))  # as print does
    sys.stdout.flush()
    shown = written.getvalue().decode(encoding)
    assert shown.count("?") == repr(result).count("?")
    assert shown == repr(result) or encoding != "utf-8"


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["svm", "nb"], ["svm", "nb"]),
        (["a rather long name", "b"], ["a ra…ame", "b"]),
        ([f"long.name.{k}.of.twenty" for k in (1, 29)], ["…1.o…nty", "…29.…nty"]),
        ([f"{'x' * 9}{k}{'y' * 9}" for k in (1, 2)], ["…1yy…yyy", "…2yy…yyy"]),
        (["axxxxxxxxxbyyyyyyyyy", "axxxxxxxxxcyyyyyyyyy", "d"], ["axxxxxxxxxbyyyyyyyyy", "axxxxxxxxxcyyyyyyyyy", "d"]),
    ],
)
def test_shortened_names_differ(names: list[str], short: list[str]) -> None:
    assert list(escaping.shortened(names, 8).items()) == list(zip(names, short, strict=True))
