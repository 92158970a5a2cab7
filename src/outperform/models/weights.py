"""Random weights of items, or of the clusters that they belong to (Rubin 1981).

Items are not modelled: the weights of units, each an item or a cluster, are Dir(1, …, 1). Those of
identical items add up to a gamma of their number, so that they need one draw together. In strata with known
shares the weights of each stratum are a separate Dirichlet, Dir(α, …, α) with α = 1 − 2/n for n units, for which
the variance of a mean is the unbiased one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray, summed
from outperform.data.items import Items
from outperform.data.labels import IntArray
from outperform.data.relevance import gammas_of_counts, unbiased

__all__ = ["ItemWeights"]


@dataclass(frozen=True, eq=False)
class ItemWeights:
    """The number of units of each kind, and the rows that belong to them.

    Attributes
    ----------
    number : array of shape (kinds,)
        Number of units of each kind.
    kind : array of shape (rows,), or None
        The kind of each row; None if each row is a kind.
    size : array of shape (rows,)
        How often a unit of the kind contains the row.
    stratum : array of shape (kinds,), or None
        The stratum of each kind.
    alike : bool
        Whether units in a stratum have equal weight, whatever their number of items.
    """

    number: FloatArray
    kind: IntArray | None
    size: FloatArray
    stratum: IntArray | None
    alike: bool = False

    @classmethod
    def of(cls, items: Items, *, alike: bool = False) -> ItemWeights:
        """Return the weights of clusters, or of items without clusters.

        In strata a unit counts as its number of items; with `alike` clusters, such as queries, as one.
        """
        stratum = items.stratum if len(items.stratum) else None
        if not len(items.cluster):
            return cls(items.n, None, np.ones(len(items.n)), stratum)
        clusters, first, kind = np.unique(items.cluster, return_index=True, return_inverse=True)
        stratum_of_unit = None if stratum is None else stratum[first]
        return cls(np.ones(len(clusters)), kind.ravel().astype(np.int64), items.n, stratum_of_unit, alike)

    @classmethod
    def alone(cls, number: FloatArray) -> ItemWeights:
        """Return the weights of kinds of unit, each of which is a row."""
        return cls(number, None, np.ones(len(number)), None)

    @property
    def units(self) -> int:
        """Number of units that are resampled."""
        return int(self.number.sum())

    @property
    def worth(self) -> float:
        """Effective number of units of equal size: (Σ size)²/Σ size² (Kish)."""
        held = self.held_each
        return float((self.number @ held) ** 2 / (self.number @ held**2))

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Draw weights of the rows, of shape (rows, draws), in an arbitrary unit."""
        return self.rows(gammas_of_counts(self.shapes, rng, draws))

    @property
    def shapes(self) -> FloatArray:
        """Shapes of the gammas that are the weights of the kinds."""
        return self.number if self.stratum is None else unbiased(self.number, self.stratum)

    def rows(self, weight: FloatArray) -> FloatArray:
        """Return the weights of the rows from those of the kinds, of shape (kinds, draws), which are overwritten."""
        if self.stratum is not None:
            weight *= self._shares(weight)[self.stratum]
        if self.kind is None:
            return weight
        rows: FloatArray = weight[self.kind]
        if not (self.size == 1).all():
            rows *= self.size[:, None]
        return rows

    def by_unit(self, of_rows: FloatArray) -> FloatArray:
        """Return derivatives by the weight of one unit of each kind, from those by weights of rows, (…, rows).

        Without strata, in which a weight is relative to the others.
        """
        if self.kind is None:
            return of_rows
        return np.stack([np.bincount(self.kind, row * self.size, len(self.number)) for row in of_rows])

    def _shares(self, weight: FloatArray) -> FloatArray:
        """Return the factors that scale each stratum to its number of items, of shape (strata, draws)."""
        from scipy.sparse import csr_array

        assert self.stratum is not None
        # Row s sums the kinds of stratum s, each times the items that a unit holds.
        held: Any = csr_array((self.held_each, (self.stratum, np.arange(len(self.stratum)))))
        shares: FloatArray = (held @ self.number)[:, None] / summed(weight, held)
        return shares

    @property
    def held_each(self) -> FloatArray:
        """Number of items in one unit of each kind."""
        if self.kind is None or self.alike:
            return np.ones(len(self.number))
        held: FloatArray = np.bincount(self.kind, self.size, len(self.number)).astype(np.float64)
        return held
