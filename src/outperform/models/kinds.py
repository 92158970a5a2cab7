"""Kinds of outcome of the atoms of a prior, with probabilities learned from a pool of all classes or labels.

The kinds have probabilities π ~ Dir(a + e·pooled shares). For few systems all kinds are listed. For many there are too
many to list: those that were observed are, and the weight a, spread evenly over all, is drawn by stick-breaking, with
a random kind for each piece. A draw has one π, so all classes have the same pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray, picked
from outperform.models.sticks import broken_sticks, pieces

__all__ = ["Flags", "OutcomeKinds", "pooled"]

Flags: TypeAlias = NDArray[np.bool_]
MOST_TURNS = 24  # up to this many kinds, comparing with their boundaries is faster


@dataclass(frozen=True, eq=False)
class OutcomeKinds:
    """Weights of the kinds, and whether the last stands for any kind."""

    alpha: FloatArray
    wild: bool = False

    @classmethod
    def seen(cls, kind: Flags, n: FloatArray, most: float) -> tuple[OutcomeKinds, Flags]:
        """Return the observed kinds, rows of flags, and one that stands for any; the items weigh at most `most`.

        Returns the kinds and their flags, of shape (kinds, columns); those of the last are False.
        """
        distinct, code = np.unique(kind, axis=0, return_inverse=True)
        items = np.append(np.bincount(code.ravel(), n, len(distinct)), 0.0)
        alpha = np.append(np.zeros(len(distinct)), 1.0)
        flags = np.vstack([distinct, np.zeros((1, kind.shape[1]), dtype=bool)]).astype(bool)
        return cls(pooled(alpha, items, most), wild=True), flags

    def draw(self, rng: Generator, shape: tuple[int, int, int]) -> Callable[[Flags], Flags]:
        """Draw π and the kind of each piece; return a function from flags of the kinds to flags of the pieces."""
        return self._listed(rng, shape) if self.wild or len(self.alpha) > MOST_TURNS else self._turning(rng, shape)

    def _turning(self, rng: Generator, shape: tuple[int, int, int]) -> Callable[[Flags], Flags]:
        """With few kinds, a flag flips at each boundary between kinds that differ in it."""
        # Single precision halves the memory; its error of 1e-7 is far below Monte-Carlo error.
        ends: Any = np.cumsum(rng.dirichlet(self.alpha, shape[-1]), axis=1, dtype=np.float32)[:, :-1].T
        lot = rng.random(shape, dtype=np.float32)

        def flag(flags: Flags) -> Flags:
            found = np.full_like(lot, flags[0], dtype=bool)
            for end, turns in zip(ends, flags[1:] != flags[:-1], strict=True):
                if turns:
                    found ^= lot >= end
            return found

        return flag

    def _listed(self, rng: Generator, shape: tuple[int, int, int]) -> Callable[[Flags], Flags]:
        """With many kinds, look up the kind of each piece."""
        draws, last = shape[-1], len(self.alpha) - (1 if self.wild else 0)
        shares = rng.dirichlet(self.alpha, draws)
        if self.wild:
            stick = broken_sticks(self.alpha[-1], rng, (1, pieces(self.alpha[-1]), draws))[0].T
            shares = np.hstack([shares[:, :-1], stick * (shares[:, -1:] / stick.sum(axis=1, keepdims=True))])
        kinds = shares.shape[1]
        # One sorted line for all draws: draw k occupies [k, k + 1), so a single search serves all.
        ends = np.cumsum(shares, axis=1) + np.arange(draws)[:, None]
        kind = np.searchsorted(ends.ravel(), rng.random(shape) + np.arange(draws)) - kinds * np.arange(draws)
        kind = kind.clip(0, kinds - 1)
        wild = np.flatnonzero(kind >= last)
        # Draws are the last axis of `shape`, so a flat position modulo `draws` is the draw.
        place = (kind.ravel()[wild] - last, wild % draws)

        def flag(flags: Flags) -> Flags:
            found: Flags = picked(np.minimum(kind, len(flags) - 1), flags)
            found.ravel()[wild] = (rng.random((kinds - last, draws)) < 0.5)[place]
            return found

        return flag


def pooled(alpha: FloatArray, items: FloatArray, most: float) -> FloatArray:
    """Return Dirichlet weights after these items, which are scaled down to at most `most` in all."""
    total = float(items.sum())
    return alpha + items * (min(total, most) / total) if total else alpha
