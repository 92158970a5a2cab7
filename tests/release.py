"""Whether everything names the version of a tag: `python tests/release.py v0.2.0`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["differing"]

ROOT = Path(__file__).parent.parent
PLACES = {
    "src/outperform/base/version.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "packaging/conda/meta.yaml": r'^{% set version = "(.+)" %}$',
    "CHANGELOG.md": r"^## (?!Unreleased)(\S+)",
}


def differing(tag: str) -> list[str]:
    """The places that name another version than the tag, and a changelog whose changes are unreleased."""
    wanted = tag.removeprefix("v")
    named = {place: _first(pattern, (ROOT / place).read_text(encoding="utf-8")) for place, pattern in PLACES.items()}
    return [f"{place} names {version}, and the tag {tag}" for place, version in named.items() if version != wanted]


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else "nothing"


if __name__ == "__main__":
    problems = differing(sys.argv[1])
    sys.exit("\n".join(problems) if problems else 0)
