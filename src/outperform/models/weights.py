"""Random weights of items, or of the clusters that they belong to (Rubin 1981).

What the items are like is not modelled: the weights of units, each an item or a cluster, are Dir(1, …, 1). Those of
items that are alike add up to a gamma of their number, so that they need one draw together. In strata whose shares are
known the weights of each stratum are a Dirichlet of their own, Dir(α, …, α) with α = 1 − 2/n for n units, under which
the variance of a mean is the usual unbiased one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from outperform.data.contingency import FloatArray
from outperform.data.items import Items
from outperform.data.labels import IntArray
from outperform.data.relevance import unbiased
from outperform.models.posterior import gammas_of_counts

__all__ = ["ItemWeights"]


@dataclass(frozen=True, eq=False)
class ItemWeights:
    """How many units of each kind there are, and which rows belong to them.

    Attributes
    ----------
    number : array of shape (kinds,)
        Units of the kind.
    kind : array of shape (rows,), or None
        The kind that a row belongs to; None where each row is one.
    size : array of shape (rows,)
        How often a unit of the kind holds the row.
    stratum : array of shape (kinds,), or None
        The stratum of the kind.
    alike : bool
        Whether units count alike in their stratum, however many items they hold.
    """

    number: FloatArray
    kind: IntArray | None
    size: FloatArray
    stratum: IntArray | None
    alike: bool = False

    @classmethod
    def of(cls, items: Items, *, alike: bool = False) -> ItemWeights:
        """Units are the clusters, or items where there are none.

        In strata a unit counts for the items that it holds; if clusters are alike, as queries are, for one.
        """
        stratum = items.stratum if len(items.stratum) else None
        if not len(items.cluster):
            return cls(items.n, None, np.ones(len(items.n)), stratum)
        clusters, first, kind = np.unique(items.cluster, return_index=True, return_inverse=True)
        stratum_of_unit = None if stratum is None else stratum[first]
        return cls(np.ones(len(clusters)), kind.ravel().astype(np.int64), items.n, stratum_of_unit, alike)

    @property
    def units(self) -> int:
        """How many are weighed."""
        return int(self.number.sum())

    @property
    def worth(self) -> float:
        """As many units of equal size they are worth: (Σ size)²/Σ size², Kish's number."""
        held = self.held_each
        return float((self.number @ held) ** 2 / (self.number @ held**2))

    def draw(self, rng: Generator, draws: int) -> FloatArray:
        """Weights of the rows, of shape (rows, draws), in no particular unit."""
        shape = self.number if self.stratum is None else unbiased(self.number, self.stratum)
        return self.rows(gammas_of_counts(shape, rng, draws))

    def rows(self, weight: FloatArray) -> FloatArray:
        """Weights of the rows from those of the kinds, of shape (kinds, draws), which are changed."""
        if self.stratum is not None:
            weight *= self._shares(weight)[self.stratum]
        if self.kind is None:
            return weight
        rows: FloatArray = weight[self.kind]
        if not (self.size == 1).all():
            rows *= self.size[:, None]
        return rows

    def _shares(self, weight: FloatArray) -> FloatArray:
        """What brings the weight of each stratum to its number of items, of shape (strata, draws)."""
        from scipy.sparse import csr_array

        assert self.stratum is not None
        held: Any = csr_array((self.held_each, (self.stratum, np.arange(len(self.stratum)))))
        shares: FloatArray = (held @ self.number)[:, None] / (held @ weight)
        return shares

    @property
    def held_each(self) -> FloatArray:
        """Items that one unit of each kind holds."""
        if self.kind is None or self.alike:
            return np.ones(len(self.number))
        held: FloatArray = np.bincount(self.kind, self.size, len(self.number)).astype(np.float64)
        return held
