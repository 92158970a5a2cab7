"""Metadata that depends on where the repository is: its addresses, and the README with absolute links.

An index shows the README without the files beside it. The address comes from OUTPERFORM_REPOSITORY, which the release
workflow sets to the repository that it runs in; without one, links become plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = "OUTPERFORM_REPOSITORY"
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")


class Addresses(MetadataHookInterface):
    """Sets `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the fields that pyproject.toml calls dynamic."""
        base, tag = os.environ.get(REPOSITORY, "").rstrip("/"), f"v{version(Path(self.root))}"
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_absolute_links(text, base, tag)}
        metadata["urls"] = addresses(base, tag)


def version(root: Path) -> str:
    """Return the version that the package has."""
    text = (root / "src" / "outperform" / "base" / "version.py").read_text(encoding="utf-8")
    (found,) = re.findall(r'__version__ = "([^"]+)"', text)
    return str(found)


def addresses(base: str, tag: str) -> dict[str, str]:
    """Return the addresses that an index shows beside the README."""
    if not base:
        return {}
    return {
        "Homepage": base,
        "Documentation": f"{base}/tree/{tag}/docs",
        "Source": base,
        "Issues": f"{base}/issues",
        "Changelog": f"{base}/blob/{tag}/CHANGELOG.md",
    }


def with_absolute_links(text: str, base: str, tag: str) -> str:
    """Return a text whose links and images work anywhere; without a base, links as text and no images."""

    def absolute(found: re.Match[str]) -> str:
        image, words, path = found.groups()
        if not base:
            return "" if image else words
        return f"{image}[{words}]({base}/{'raw' if image else 'blob'}/{tag}/{path})"

    return LINK.sub(absolute, text)
