"""A signature: everything that could change the numbers, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

__all__ = ["ITEMS", "Signature"]

ITEMS = "n"  # the part that says how many items there are; what is settled after the draws comes before it


class Signature(str):
    """A text, key:value|key:value, that knows its parts.

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
        """From its parts; a value is one line without bars."""
        clean = {key: " ".join(str(value).replace("|", "/").split()) for key, value in parts.items()}
        signature = cls("|".join(f"{key}:{value}" for key, value in clean.items()))
        signature.parts = clean
        return signature

    @classmethod
    def read(cls, text: str) -> Self:
        """From its text, as a file has it."""
        signature = cls(text)
        signature.parts = {key: value for key, _, value in (part.partition(":") for part in text.split("|"))}
        return signature

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """Its text is all that is kept."""
        return type(self).read, (str(self),)

    def but(self, **parts: object) -> Self:
        """With these parts changed, or added at the end."""
        return self.of({**self.parts, **parts})

    def without(self, *keys: str) -> Self:
        """Without these parts."""
        return self.of({key: value for key, value in self.parts.items() if key not in keys})

    def judged(self, **parts: object) -> Self:
        """With parts that say how the draws were judged; they come before the number of items."""
        items = {ITEMS: self.parts[ITEMS]} if ITEMS in self.parts else {}
        return self.of({**self.without(ITEMS).parts, **parts, **items})
