"""Scores of several systems, item by item: what the logs of evaluations hold."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from outperform.contingency import FloatArray

__all__ = ["Scores"]


@dataclass(frozen=True, eq=False)
class Scores:
    """Per-item scores of several systems on the same items, in the same order.

    Attributes
    ----------
    metric : str
        What the scores are, in the words of the log.
    values : dict from system to array
        Scores of shape (items,), or (items, runs) where a system was run several times on each item.
    ids : tuple
        What tells the items apart.
    cluster : tuple or None
        Group that each item belongs to, where one was asked for.
    """

    metric: str
    values: dict[str, FloatArray]
    ids: tuple[Hashable, ...]
    cluster: tuple[Hashable, ...] | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order of the logs."""
        return tuple(self.values)

    @property
    def items(self) -> int:
        """How many items were scored."""
        return len(self.ids)

    def __repr__(self) -> str:
        groups = "" if self.cluster is None else f", clusters={len(set(self.cluster))}"
        return f"Scores(metric={self.metric!r}, systems={list(self.values)}, items={self.items}{groups})"
