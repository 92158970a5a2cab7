"""Measures that are ratios of sums of counts, recognised by their values, as gains and losses of independent gammas.

The models of two classes have, per table, a block for μ (negative, positive) and one of outcomes per class. The
probability of a cell is that of its class times that of its outcome. A score is a ratio of sums of these probabilities
if numbers n and m exist with Σ n p = score · Σ m p for any p. They are a null space, so a user's measure is recognised
like a built-in one. Each cell counts fully in the numerator (a gain), only in the denominator (a loss), or in neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import MeasureFunction

__all__ = ["Cells", "alike", "cells_of"]

PROBES = 3  # per unknown
SAME = 1e-9  # up to which numbers are equal
DIGITS = 11  # of a coefficient

Meaning = Callable[[Sequence[FloatArray]], Contingency]


@dataclass(frozen=True, eq=False)
class Cells:
    """Independent gammas, and what each adds to the scores.

    Attributes
    ----------
    alpha : array of shape (cells,)
        Shapes of the gammas.
    negative : array of shape (cells,)
        Whether the cell is of negative items, whose gammas are multiplied by κ.
    gain, loss : arrays of shape (systems, cells)
        A score is Σ gain g / Σ (gain + loss) g.
    parts : tuple of (float, float)
        κ = B₋/B₊ with B₋ ~ Beta of the first two numbers and B₊ of the second; nothing if κ = 1.
    """

    alpha: FloatArray
    negative: NDArray[np.bool_]
    gain: FloatArray
    loss: FloatArray
    parts: tuple[tuple[float, float], ...] = ()

    def of(self, system: int) -> Cells:
        """Return one system alone; cells that count alike are one."""
        one = replace(self, gain=self.gain[[system]], loss=self.loss[[system]]).counted()
        kinds, alpha = alike(np.vstack([one.negative, one.gain, one.loss]), one.alpha)
        return replace(one, alpha=alpha, negative=kinds[0] > 0, gain=kinds[1:2], loss=kinds[2:])

    def counted(self) -> Cells:
        """Return the cells that count; without κ if it multiplies all of them or none."""
        which = (self.gain + self.loss).any(axis=0)
        scaled = bool(self.parts) and 0 < self.negative[which].sum() < which.sum()
        return Cells(
            self.alpha[which],
            self.negative[which] & scaled,
            self.gain[:, which],
            self.loss[:, which],
            self.parts if scaled else (),
        )


def alike(kinds: FloatArray, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the different columns, those with the largest numbers first, and the sum of the shapes of each."""
    sums: dict[tuple[float, ...], float] = {}
    for kind, shape in zip(map(tuple, kinds.T.tolist()), alpha.tolist(), strict=True):
        sums[kind] = sums.get(kind, 0.0) + shape
    order = sorted(sums, reverse=True)
    return np.array(order).T, np.array([sums[kind] for kind in order])


def cells_of(blocks: Sequence[FloatArray], meaning: Meaning, measure: MeasureFunction) -> tuple[Cells, ...] | None:
    """Return the gammas of independent tables, each with all systems; None if a score is no such ratio."""
    tables = _tables(blocks)
    if tables is None or any(alpha.min() <= 0 for alpha in blocks):
        return None
    found = _coefficients(blocks, tables, meaning, measure)
    if found is None:
        return None
    gain, loss = found[0], found[1] - found[0]
    if min(gain.min(), loss.min()) < -SAME or (gain * loss).max() > SAME:
        return None
    cells, start = [], 0
    for table in tables:
        alpha = np.concatenate([blocks[k] for k in table[-2:]])
        end = start + len(alpha)
        negative = np.arange(len(alpha)) < (len(alpha) // 2 if len(table) > 1 else 0)
        parts = _parts(*(blocks[k] for k in table)) if len(table) > 1 else ()
        if parts is None:
            return None
        cells.append(Cells(alpha, negative, gain[:, start:end], loss[:, start:end], parts))
        start = end
    return tuple(cells)


def _tables(blocks: Sequence[FloatArray]) -> tuple[tuple[int, ...], ...] | None:
    """Return which blocks are of one table: μ, negative and positive items, or a block alone."""
    sizes = [len(alpha) for alpha in blocks]
    if len(sizes) == 1:
        return ((0,),)
    if len(sizes) % 3 or any(sizes[k] != 2 or sizes[k + 1] != sizes[k + 2] for k in range(0, len(sizes), 3)):
        return None
    return tuple((k, k + 1, k + 2) for k in range(0, len(sizes), 3))


def _parts(mu: FloatArray, negative: FloatArray, positive: FloatArray) -> tuple[tuple[float, float], ...] | None:
    """Return the weights of B₋ and B₊; None if μ has more weight than the outcomes."""
    more = float(negative.sum() - mu[0]), float(positive.sum() - mu[1])
    if min(more) < -SAME:
        return None
    if max(more) <= SAME:
        return ()
    return (float(mu[0]), max(more[0], 0.0)), (float(mu[1]), max(more[1], 0.0))


def _coefficients(
    blocks: Sequence[FloatArray], tables: Sequence[Sequence[int]], meaning: Meaning, measure: MeasureFunction
) -> tuple[FloatArray, FloatArray] | None:
    """Return numerators and denominators, of shape (systems, cells), by the null space of n p − score · m p."""
    known = tuple(len(alpha) for alpha in blocks), tuple(tables)
    drawn, _ = _probes(*known)
    scores = np.ascontiguousarray(measure(meaning([x.copy() for x in drawn])), dtype=np.float64)
    return _null_space(*known, len(scores.T), scores.tobytes()) if np.isfinite(scores).all() else None


@lru_cache(maxsize=32)  # the same for all tables
def _null_space(
    sizes: tuple[int, ...], tables: tuple[tuple[int, ...], ...], systems: int, probed: bytes
) -> tuple[FloatArray, FloatArray] | None:
    """Return numerators and denominators by the scores of the probes."""
    p = _probes(sizes, tables)[1]
    size, numerators, denominators = p.shape[1], [], []
    for score in np.frombuffer(probed).reshape(-1, systems).T:
        _, strength, kinds = np.linalg.svd(np.hstack([p, -score[:, None] * p]), full_matrices=False)
        if strength[-1] > SAME * strength[0] or strength[-2] < SAME * strength[0]:
            return None
        unit = kinds[-1] / kinds[-1][np.argmax(np.abs(kinds[-1]))]
        numerators.append(unit[:size])
        denominators.append(unit[size:])
    return np.round(numerators, DIGITS) + 0.0, np.round(denominators, DIGITS) + 0.0


@lru_cache
def _probes(sizes: tuple[int, ...], tables: tuple[tuple[int, ...], ...]) -> tuple[list[FloatArray], FloatArray]:
    """Return values of all blocks, and the probabilities of cells times any unit of their table, which cancels."""
    rng, cells = np.random.default_rng(0), sum(sizes[k] for table in tables for k in table[-2:])
    drawn = [rng.random((size, 2 * PROBES * cells)) + 0.1 for size in sizes]
    shares = [x / x.sum(axis=0) for x in drawn]
    p = [
        shares[k] * (shares[table[0]][place] if len(table) > 1 else 1.0) * drawn[table[0]][0]
        for table in tables
        for place, k in enumerate(table[-2:])
    ]
    return drawn, np.concatenate(p).T
