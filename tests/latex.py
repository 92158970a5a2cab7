"""LaTeX in tests: a strict reader, which refuses what it does not know and gives the texts back, and the engines."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import category

__all__ = ["ENGINES", "LatexTable", "compiled", "read_latex"]

ENGINES = [engine for engine in ("pdflatex", "xelatex", "lualatex", "tectonic") if shutil.which(engine)]
PAPER = re.compile(r"\{(\\columnwidth|\\textwidth|[\d.]+in)\}\{@\{\}>\{\\raggedright\\arraybackslash\}X([lrc]+)@\{\}\}")
SIZES = (r"\small", r"\footnotesize", r"\scriptsize")

TOKEN = re.compile(r"(?P<comment>%[^\n]*)|(?P<command>\\(?:[A-Za-z]+|.))|(?P<space>\s+)|(?P<other>.)", re.DOTALL)
ESCAPED = dict(zip((r"\&", r"\%", r"\$", r"\#", r"\_", r"\{", r"\}"), "&%$#_{}", strict=True))
NAMED = {
    r"\textbackslash": "\\", r"\textasciitilde": "~", r"\textasciicircum": "^", r"\textbar": "|",
    r"\textquotedblleft": "“", r"\textquotedblright": "”", r"\textquoteright": "’",
    r"\textendash": "–", r"\textemdash": "—", r"\dots": "…", r"\mbox": "", r"\allowbreak": "",
}  # fmt: skip
MATH = {
    r"\ll": "≪", r"\gg": "≫", r"\approx": "≈", r"\leq": "≤", r"\geq": "≥", r"\pm": "±", r"\times": "×",
    r"\cdot": "·", r"\surd": "√", r"\to": "→", r"\Delta": "Δ", r"\alpha": "α", r"\beta": "β", r"\delta": "δ",
    r"\eta": "η", r"\theta": "θ", r"\kappa": "κ", r"\lambda": "λ", r"\mu": "μ", r"\nu": "ν", r"\pi": "π",
    r"\rho": "ρ", r"\sigma": "σ", r"\tau": "τ", "-": "−", "<": "<", ">": ">",
}  # fmt: skip
SPECIAL = set('\\{}$&#^_~%"|<>')
LIGATURES = ("--", "''", "``", ",,", "?`", "!`")


@dataclass
class LatexTable:
    """What a reader sees: caption, headers above groups of columns with their spans, rows with the header first."""

    caption: str = ""
    columns: str = ""
    groups: list[tuple[str, int]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)
    label: str = ""
    width: str = ""


def compiled(engine: str, tables: str, directory: Path, options: str = "") -> Path:
    """The PDF of a paper with these tables, beside its log; any complaint of the engine fails."""
    paper = directory / "paper.tex"
    packages = "\\usepackage{booktabs,tabularx}"
    body = f"\\documentclass[{options}]{{article}}\n{packages}\n\\begin{{document}}\n{tables}\n\\end{{document}}\n"
    paper.write_text(body, encoding="utf-8")
    settings = (
        ["--outdir", ".", "--keep-logs"] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    )
    done = subprocess.run([engine, *settings, paper.name], cwd=directory, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    return paper.with_suffix(".pdf")


def read_latex(source: str) -> list[LatexTable]:
    """Every table of a text that consists of tables; AssertionError where it is not what it should be."""
    reader = _Reader(source)
    found = []
    while reader.peek():
        found.append(reader.table())
    return found


class _Reader:
    def __init__(self, source: str) -> None:
        self.tokens = [(match.lastgroup or "", match[0]) for match in TOKEN.finditer(source)]
        self.at = 0
        self.comments: list[str] = []
        self.bold: list[str] = []

    def peek(self) -> str:
        """The next token that is neither blank nor a comment, or nothing."""
        while self.at < len(self.tokens) and self.tokens[self.at][0] in ("space", "comment"):
            kind, text = self.tokens[self.at]
            if kind == "comment":
                self.comments.append(text[1:].strip())
            self.at += 1
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, wanted: str) -> None:
        """Exactly these characters, without a blank before or between."""
        for match in TOKEN.finditer(wanted):
            assert self.at < len(self.tokens), f"the end instead of {wanted}"
            assert self.tokens[self.at][1] == match[0], f"{self.tokens[self.at][1]} instead of {wanted}"
            self.at += 1

    def next(self, *wanted: str) -> str:
        """One of these commands, after blanks."""
        found = self.peek()
        assert found in wanted, f"{found!r} instead of {wanted}"
        self.at += 1
        return found

    def table(self) -> LatexTable:
        own = LatexTable()
        self.comments, self.bold = own.comments, own.bold
        self.next(r"\begin")
        environment = self.environment("{table}", "{table*}")
        if self.tokens[self.at][1] == "[":
            self.take("[t]")
        while (command := self.next(r"\centering", r"\caption", r"\label", r"\begin", r"\end")) != r"\end":
            if command == r"\centering" and self.tokens[self.at][1] == r"\footnotesize":
                self.take(r"\footnotesize\setlength{\tabcolsep}{3pt}")
            elif command == r"\centering" and self.tokens[self.at][1] == r"\sloppy":
                self.take(r"\sloppy")
                self.next(*SIZES)
                self.take(r"\setlength{\tabcolsep}{3pt}\setlength{\belowcaptionskip}{4pt}")
            elif command == r"\caption":
                own.caption = self.group()
            elif command == r"\label":
                own.label = self.group()
                assert re.fullmatch(r"tab:[a-z0-9-]+", own.label)
            elif command == r"\begin":
                self.tabular(own, self.environment("{tabular}", "{tabularx}"))
        self.take(environment)
        return own

    def environment(self, *known: str) -> str:
        """One of these names, in braces."""
        rest = "".join(token for _, token in self.tokens[self.at : self.at + 12])
        (found,) = (name for name in known if rest.startswith(name))
        self.take(found)
        return found

    def tabular(self, own: LatexTable, environment: str) -> None:
        if environment == "{tabularx}":
            end = next(k for k in range(self.at, len(self.tokens)) if "\n" in self.tokens[k][1])
            found = PAPER.fullmatch("".join(token for _, token in self.tokens[self.at : end]))
            assert found, "not the columns of a paper"
            self.at, own.width, own.columns = end, found[1], f"l{found[2]}"
        else:
            own.columns = self.group()
        assert set(own.columns) <= set("lrc")
        self.next(r"\toprule")
        while (start := self.peek()) not in (r"\bottomrule", ""):
            if start in (r"\midrule", r"\cmidrule"):
                self.at += 1
                own.rules.append(start + (self.raw("(lr){", "}") if start == r"\cmidrule" else ""))
                continue
            assert start not in ("[", "*"), f"{start} would be an argument"
            row, spans = self.row()
            assert sum(spans) == len(own.columns), f"{row} does not fill {own.columns}"
            if max(spans) > 1:
                own.groups = list(zip(row, spans, strict=True))
            else:
                own.rows.append(row)
        self.next(r"\bottomrule")
        self.next(r"\end")
        self.take(environment)

    def raw(self, opening: str, closing: str) -> str:
        """Digits and dashes between marks."""
        self.take(opening)
        text = ""
        while self.tokens[self.at][1] != closing:
            text += self.tokens[self.at][1]
            self.at += 1
        self.take(closing)
        assert re.fullmatch(r"\d+(-\d+)?", text), text
        return text

    def row(self) -> tuple[list[str], list[int]]:
        cells, spans = [], []
        while True:
            span = 1
            if self.peek() == r"\multicolumn":
                self.at += 1
                span = int(self.raw("{", "}"))
                self.take("{c}")
                cells.append(self.group())
                self.peek()
            else:
                cells.append(self.inline("&", r"\\"))
            spans.append(span)
            if self.next("&", r"\\") == r"\\":
                return cells, spans

    def group(self) -> str:
        self.take("{")
        text = self.inline("}")
        self.take("}")
        return text

    def inline(self, *ends: str) -> str:
        """Text up to one of these; it must be escaped through and through."""
        text = joined = ""  # what stands side by side
        while True:
            assert self.at < len(self.tokens), f"the end instead of {ends}"
            kind, token = self.tokens[self.at]
            if token in ends:
                return text if ends == ("}",) else text.strip()
            self.at += 1
            if kind == "space" or (kind == "other" and token not in SPECIAL):
                assert category(token[0]) != "Cc" or token.isspace(), f"{token!r} in a text"
                joined += token
                assert not joined.endswith(LIGATURES), f"{joined[-2:]} would join"
                text += " " if kind == "space" else token
            else:
                text, joined = text + self.special(token), ""

    def special(self, token: str) -> str:
        if token in ESCAPED:
            return ESCAPED[token]
        if token == "{":
            self.take("}")
            return ""
        if token == r"\char":
            self.take("34{}")
            return '"'
        if token == r"\-":
            return ""
        if token == r"\textbf":
            self.bold.append(self.group())
            return self.bold[-1]
        if token in NAMED:
            self.take("{}")
            return NAMED[token]
        assert token == "$", f"{token!r} in a text"
        return self.math()

    def math(self) -> str:
        text = ""
        while (token := self.tokens[self.at][1]) != "$":
            self.at += 1
            text += "^" if token == "^" else MATH.get(token, token)
            assert token in MATH or token in "^{}" or re.fullmatch(r"[\d.]", token), f"{token!r} in a formula"
        self.at += 1
        assert text.count("{") == text.count("}")
        return "²" if text == "^2" else text
