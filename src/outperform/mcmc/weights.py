"""Weights of the Dirichlet priors: known, or learned from all classes or labels together.

A class with a spread m over its outcomes has the weights W·m, where

- m is known (`Fixed`);
- m is a product over the classifiers of η where one is right, and (1 − η)/others where not (`Learned`, ICDM'15 Eq. 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import ImproperPriorError, need
from outperform.data.contingency import FloatArray
from outperform.mcmc.script import Script

__all__ = ["Fixed", "Learned"]


@dataclass(frozen=True, eq=False)
class Fixed:
    """Pseudo-counts."""

    value: FloatArray

    def write(self, script: Script, of: str) -> Any:  # noqa: ARG002
        """The numbers."""
        if not (self.value > 0).all():
            raise ImproperPriorError(
                "a Markov chain needs a proper prior, with weights above 0; use uniform or jeffreys"
            )
        return self.value


@dataclass(frozen=True, eq=False)
class Learned:
    """W spread by η, one for each classifier.

    Attributes
    ----------
    right : array of bool, shape (…, outcomes, classifiers)
        Who is right in the outcome.
    others : int
        Classes that a wrong prediction may be of.
    weight : float
        W.
    prior : (float, float)
        Beta prior of η.
    """

    right: NDArray[np.bool_]
    others: int
    weight: float
    prior: tuple[float, float]

    def write(self, script: Script, of: str) -> Any:
        """Declare η, and spread W."""
        pm = need("pymc", "mcmc")
        eta = script.share(f"eta{of}", self.prior, self.right.shape[-1])
        chance = pm.math.where(self.right, eta, (1 - eta) / self.others)
        return self.weight * pm.math.prod(chance, axis=-1)
