"""Text for encodings that lack our signs: ≫ becomes >> where it cannot be written, never the ? of an undecided verdict.

Error handlers for codecs, so that it works whatever is written, and only where a sign is missing. HTML and JSON have
ways of their own to write any character.
"""

from __future__ import annotations

import codecs
import io
import json
from typing import TextIO

__all__ = ["BLOCKS", "encodable", "make_plain", "without_drawings"]

BLOCKS = " ▁▂▃▄▅▆▇█"  # of drawings
PLAIN, JSON = "outperform.plain", "outperform.json"
HANDLERS = {"html": "xmlcharrefreplace", "json": JSON}  # by format, where it is not plain
FORMS = {
    "≫": ">>", "≪": "<<", "≈": "~=", "Δ": "d", "δ": "d", "≤": "<=", "≥": ">=", "±": "+-", "−": "-", "–": "-",
    "…": "...", "×": "x", "·": "*", "½": "1/2", "√": "sqrt ", "→": "->", "²": "^2", "³": "^3", "₀": "0", "₁": "1",
    "₂": "2", "─": "-", "━": "=", "░": ":", "§": "section ", "μ": "mu", "θ": "theta", "η": "eta", "τ": "tau",
    "ρ": "rho", "σ": "sigma", "κ": "kappa", "ψ": "psi", "π": "pi", "β": "beta", "α": "alpha", "χ": "chi", "ν": "nu",
    "“": '"', "”": '"', "‘": "'", "’": "'", "█": "#",
}  # fmt: skip
FORMS |= dict.fromkeys("▏▎▍▌▋▊▉", "")  # the last of a bar, less than a character


def make_plain(stream: TextIO) -> None:
    """From now on write signs that this stream's encoding lacks in ASCII."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=PLAIN)


def encodable(text: str, format_: str, encoding: str | None) -> str:
    """Replace the characters that an encoding lacks, in the way of the format."""
    known = encoding or "utf-8"
    return text.encode(known, HANDLERS.get(format_, PLAIN)).decode(known)


def without_drawings(text: str, encoding: str | None) -> str:
    """Remove drawings that an encoding cannot show; bars beside numbers, of whole blocks, stay."""
    try:
        BLOCKS.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return "\n\n".join(part for part in text.split("\n\n") if not set(BLOCKS[1:-1]) & set(part))
    return text


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that cannot be written; those of names by their numbers.

    A longer form takes the place of blanks after it, if more than one follow, so that columns of tables stay aligned.
    """
    missing, end = _missing(error)
    known = (FORMS.get(sign, sign.encode("ascii", "backslashreplace").decode()) for sign in missing)
    plain = "".join(known)
    after = error.object[end:] if isinstance(error, UnicodeEncodeError) else ""
    longer = max(len(plain) - len(missing), 0)
    return plain, end + (longer if after.startswith(" " * (longer + 1)) else 0)


def _in_json(error: UnicodeError) -> tuple[str, int]:
    """Characters as JSON escapes them."""
    missing, end = _missing(error)
    return json.dumps(missing)[1:-1], end


def _missing(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end], error.end


codecs.register_error(PLAIN, _plainly)
codecs.register_error(JSON, _in_json)
