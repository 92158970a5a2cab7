"""The signature of a result: every setting that could change its numbers, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

__all__ = ["ITEMS", "Signature"]

ITEMS = "n"  # the number of items, the last part; settings of the verdict are inserted before it


class Signature(str):
    """A string, key:value|key:value, with its parts as a mapping.

    Examples
    --------
    >>> from outperform.base.signature import Signature
    >>> Signature.of({"seed": 0, "n": 7532}).judged(fdr="0.05")
    'seed:0|fdr:0.05|n:7532'
    """

    __slots__ = ("parts",)
    parts: Mapping[str, str]

    @classmethod
    def of(cls, parts: Mapping[str, object]) -> Self:
        """Return the signature of these parts; line breaks and bars in values are replaced."""
        clean = {key: " ".join(str(value).replace("|", "/").split()) for key, value in parts.items()}
        signature = cls("|".join(f"{key}:{value}" for key, value in clean.items()))
        signature.parts = clean
        return signature

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse the signature of a result that was stored as text."""
        signature = cls(text)
        signature.parts = {key: value for key, _, value in (part.partition(":") for part in text.split("|"))}
        return signature

    def __reduce__(self) -> tuple[object, tuple[Mapping[str, str]]]:
        """Pickle the parts, of which the text is made again."""
        return type(self).of, (self.parts,)

    def but(self, **parts: object) -> Self:
        """Return the signature with these parts changed, or added at the end."""
        return self.of({**self.parts, **parts})

    def without(self, *keys: str) -> Self:
        """Return the signature without these parts."""
        return self.of({key: value for key, value in self.parts.items() if key not in keys})

    def judged(self, **parts: object) -> Self:
        """Return the signature with settings of the verdict, inserted before the number of items."""
        items = {ITEMS: self.parts[ITEMS]} if ITEMS in self.parts else {}
        return self.of({**self.without(ITEMS).parts, **parts, **items})
