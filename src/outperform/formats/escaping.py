"""Escaping of names, which can be any text: as one harmless line, in LaTeX and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from outperform.base.signature import Signature

__all__ = [
    "LINE", "harmless", "label", "latex", "markdown", "one_line", "padded", "shorten", "shortened", "shown",
    "signature", "width",
]  # fmt: skip

T = TypeVar("T")

NAME, WORD, LINE = 60, 100, 1_000  # the longest, in characters; XeLaTeX cannot measure a line of 10,000
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # of terminals, and of direction
LONG = re.compile(rf"\S{{{LINE + 1},}}")
NARROW = re.compile("[ -\u02ff\u0370-\u0482\u2010-\u22ff─-▟]*")  # what is in our own texts
# Characters that TeX would join into another sign: -- becomes a dash.
LIGATURE = re.compile(r"([-,'`])(?=\1)|[?!](?=`)")
# Where a line may break in a long word: after punctuation and between ideographs.
PUNCTUATION = re.compile(r"(?<=[-_/.:,;=+@|)\]\u2e80-\uffef])(?=.)")
BREAK, HYPHEN = "\x01", "\x02"  # no text has them, as control characters are spelt out
LINK = re.compile(r"@(?=\w)|#(?=\d)|:(?=//)|www(?=\.)", re.IGNORECASE)  # what GitHub makes of bare text, or people
LATEX = {
    "\0": r"\mbox{}", BREAK: r"\allowbreak{}", HYPHEN: r"\-",
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}",
    '"': r"\char34{}", "“": r"\textquotedblleft{}", "”": r"\textquotedblright{}", "’": r"\textquoteright{}",
    "<": "$<$", ">": "$>$", "≪": r"$\ll$", "≫": r"$\gg$", "≈": r"$\approx$", "≤": r"$\leq$", "≥": r"$\geq$",
    "−": "$-$", "–": r"\textendash{}", "—": r"\textemdash{}", "…": r"\dots{}", "±": r"$\pm$", "×": r"$\times$",
    "·": r"$\cdot$", "²": "$^2$", "√": r"$\surd$", "→": r"$\to$", "Δ": r"$\Delta$", "α": r"$\alpha$",
    "β": r"$\beta$", "δ": r"$\delta$", "η": r"$\eta$", "θ": r"$\theta$", "κ": r"$\kappa$", "λ": r"$\lambda$",
    "μ": r"$\mu$", "ν": r"$\nu$", "π": r"$\pi$", "ρ": r"$\rho$", "σ": r"$\sigma$", "τ": r"$\tau$",
}  # fmt: skip
MARKDOWN = {character: f"\\{character}" for character in "\\`*_|<>[]~&"}
MARKDOWN |= {"\0": "<!-- -->", "$": "<span>$</span>"}  # GitHub reads mentions and formulas through any escape


def one_line(text: str, longest: int = WORD) -> str:
    r"""White space as single blanks, control characters as Python writes them (\x1b), long words shortened."""
    seen = CONTROL.sub(_spelt_out, " ".join(text.split()))
    return re.sub(rf"[^ |]{{{longest + 1},}}", lambda found: shorten(found[0], longest), seen)


def harmless(text: str) -> str:
    """A text of several lines for a terminal: its lines stay, other control characters are spelt out."""
    lines = (CONTROL.sub(_spelt_out, line) for line in text.split("\n"))
    return LONG.sub(lambda found: shorten(found[0], LINE), "\n".join(lines))


def _spelt_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def shorten(text: str, longest: int) -> str:
    """Leave out the middle of a text that is too long."""
    if len(text) <= longest:
        return text
    end = (longest - 1) // 2
    return f"{text[: longest - 1 - end]}…{text[-end:]}"


def shortened(names: Collection[str], longest: int) -> dict[str, str]:
    """Return short names that differ: without the middle, or without what all begin with; else the names themselves."""
    names = list(dict.fromkeys(names))
    begin = next((k for k, signs in enumerate(zip(*names, strict=False)) if len(set(signs)) > 1), 0)
    for cut in (names, [f"…{name[begin:]}" if begin > 1 else name for name in names]):
        short = [
            name if len(name) <= longest else shorten(part, longest) for name, part in zip(names, cut, strict=True)
        ]
        if len(set(short)) == len(names):
            return dict(zip(names, short, strict=True))
    return dict(zip(names, names, strict=True))


def signature(text: str) -> str:
    """A signature in one line; only very long parts are shortened."""
    return "|".join(shorten(part, LINE) for part in one_line(text, LINE).split("|"))


def width(text: str) -> int:
    """Width of a text in columns of a terminal."""
    if NARROW.fullmatch(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def label(name: Any) -> str:
    """A name as a terminal shows it."""
    return shorten(one_line(str(name), NAME), NAME)


def padded(text: str, columns: int) -> str:
    """Pad a text with blanks to so many columns of a terminal."""
    return text + " " * (columns - width(text))


def shown(result: T) -> T:
    """A result as a terminal shows it: every text in it one harmless line, of long names the middle left out."""
    seen: T = _shown(result, "")
    return seen


def _shown(value: Any, field: str) -> Any:
    if isinstance(value, Signature):
        return Signature.of({key: shorten(one_line(text, LINE), LINE) for key, text in value.parts.items()})
    if isinstance(value, str):
        return label(value) if field in ("a", "b", "name", "class_") else shorten(one_line(value, NAME), LINE)
    if is_dataclass(value) and not isinstance(value, type):
        held = vars(value)  # what is found only when it is read stays to be found
        texts = {f.name: _shown(held[f.name], f.name) for f in fields(value) if f.compare}
        return replace(value, **texts)
    return tuple(_shown(part, field) for part in value) if isinstance(value, tuple) else value


def latex(text: str, longest: int | None = None) -> str:
    """Escape for any LaTeX engine; what is neither ASCII nor one of our own signs stays as it is.

    With `longest`, lines may break in words that have more characters: after punctuation or, with a hyphen, elsewhere.
    """
    if longest is None:
        return _escaped(text, LIGATURE, LATEX)
    return _escaped(text, LIGATURE, LATEX, lambda line: _with_breaks(line, longest))


def _with_breaks(line: str, longest: int) -> str:
    """Mark where a line may break."""

    def parted(word: re.Match[str]) -> str:
        return BREAK.join(_hyphenated(part, longest) for part in PUNCTUATION.split(word[0]))

    return re.sub(rf"[^ ]{{{longest + 1},}}", parted, line)


def _hyphenated(word: str, longest: int) -> str:
    """Mark where a word is divided: into parts as wide as so many small letters, the last of at least three."""
    written, room = "", 0.0
    for k, letter in enumerate(word):
        size = 2.0 if letter in "MW" else 1.5 if letter.isupper() or letter in "mw%&" else 1.0
        if room + size > longest and len(word) - k >= 3:
            written, room = written + HYPHEN, 0.0
        written, room = written + letter, room + size
    return written


def markdown(text: str) -> str:
    """Escape for CommonMark and GitHub: nothing in it is a mark, a link, a mention or a formula."""
    return _escaped(text, LINK, MARKDOWN)


def _escaped(text: str, parted: re.Pattern[str], escapes: dict[str, str], marked: Callable[[str], str] = str) -> str:
    """Escape character by character; what would join with the next is parted from it."""
    line = marked(shorten(one_line(text), LINE))
    return "".join(escapes.get(character, character) for character in parted.sub("\\g<0>\0", line))
