"""Limits of a request; `--limit` sets the size of a file, and the other limits grow with it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]

USUAL = 64_000_000  # bytes


@dataclass(frozen=True)
class Limits:
    """Limits of what is read and computed for one request; beyond them it is refused with a sentence.

    Attributes
    ----------
    size : int
        Bytes of a file, both as it is sent and unpacked.
    """

    size: int = USUAL

    @property
    def rows(self) -> int:
        """Rows of a file."""
        return int(2_000_000 * self._share)

    @property
    def cells(self) -> int:
        """Values in all columns of a Parquet file, which takes hardly any bytes for those that repeat."""
        return 16 * self.rows

    @property
    def memory(self) -> int:
        """Bytes that a process takes while it computes."""
        return int(2_000_000_000 * self._share)

    @property
    def seconds(self) -> float:
        """Time for reading and computing."""
        return 60 * self._share

    @property
    def arriving(self) -> int:
        """Bytes of all files together that are arriving or waiting for their turn."""
        return 4 * self.size

    @property
    def _share(self) -> float:
        return max(1.0, self.size / USUAL)
