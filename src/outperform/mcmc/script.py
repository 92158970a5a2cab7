"""Writing a model in PyMC: chances with their prior, and what was counted or seen item by item.

    μ ~ Beta(β)             n₊ ~ Binomial(N, μ)             two outcomes
    θ ~ Dir(ω)              n ~ Multinomial(N, θ)           more

in the compact form of SIGIR'16 Figure 1(b); Categorical for every item in that of Figure 1(a). Counts that are not
whole numbers (effective counts, weights) have no such distribution, but a likelihood all the same: Σ n log θ.

The weights ω of a Dirichlet prior are W·m, where the spread m over the outcomes

- is known (`Fixed`);
- or is a product over the classifiers of η where one is right, and (1 − η)/others where not (`Learned`, ICDM'15 Eq. 5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import ImproperPriorError, need
from outperform.data.contingency import FloatArray
from outperform.mcmc.given import Given, Made, declare

__all__ = ["FORMS", "Fixed", "Learned", "Script", "Weights"]

FORMS = ("counts", "items")


@dataclass(frozen=True, eq=False)
class Script:
    """The priors and the form of a model. A method call writes into the model that is open."""

    priors: Mapping[str, Given | Made]
    form: str = "counts"
    used: set[str] = field(default_factory=set)  # priors that had a variable

    def chances(
        self,
        name: str,
        weights: Weights,
        counts: FloatArray,
        *,
        plates: tuple[str, ...] = (),
        outcome: str | None = None,
    ) -> Any:
        """Probabilities of the outcomes that come last in `counts`: one number for two outcomes that have no name.

        `weights` are of their Beta or Dirichlet prior, unless the user gave another.
        """
        pm = need("pymc", "mcmc")
        prior = self._given(name)
        dims = plates if outcome is None else (*plates, outcome)
        cells = None if outcome is None else counts.shape[-1]
        if prior is not None:
            p = declare(name, prior, cells, counts.shape[:-1], dims)
        else:
            of = name.removeprefix("theta") if name.startswith("theta") else f"_{name}"
            pseudo = weights.write(self, of)
            p = pm.Beta(name, *pseudo, dims=dims) if outcome is None else pm.Dirichlet(name, pseudo, dims=dims)
        whole = pm.math.stack([p, 1 - p], axis=-1) if outcome is None else p
        self._observe(_seen(name), p, whole, counts, dims)
        return p

    def share(self, name: str, prior: tuple[float, float], classifiers: int) -> Any:
        """η, a probability of which nothing is counted; of several classifiers one for each."""
        plates, dims = ((classifiers,), ("classifier",)) if classifiers > 1 else ((), ())
        given = self._given(name)
        if given is not None:
            return declare(name, given, None, plates, dims)
        return need("pymc", "mcmc").Beta(name, *prior, dims=dims)

    def _given(self, name: str) -> Given | Made | None:
        """The prior that the user gave for it, or for its kind: theta for theta_positive."""
        for known in (name, name.partition("_")[0]):
            if known in self.priors:
                self.used.add(known)
                return self.priors[known]
        return None

    def _observe(self, name: str, p: Any, whole: Any, counts: FloatArray, dims: tuple[str, ...]) -> None:
        """Write the likelihood of the counts."""
        pm = need("pymc", "mcmc")
        if not counts.any():
            return
        if (counts != np.rint(counts)).any():
            if self.form == "items":
                raise ValueError("fractional counts are not of items; use form='counts'")
            seen = np.nonzero(counts)
            pm.Potential(name, (counts[seen] * pm.math.log(whole[seen])).sum())
        elif self.form == "items":
            place, times = np.nonzero(counts), counts[np.nonzero(counts)].astype(np.int64)
            *plate, cell = (np.repeat(axis, times) for axis in place)
            chances = whole[tuple(plate)] if plate else whole
            pm.Categorical(name, p=chances, observed=cell)
        elif counts.shape[-1] == 2 and len(dims) == counts.ndim - 1:
            total, first = (x.astype(np.int64) for x in (counts.sum(axis=-1), counts[..., 0]))
            pm.Binomial(name, n=total, p=p, observed=first, dims=dims)
        else:
            total, cells = (x.astype(np.int64) for x in (counts.sum(axis=-1), counts))
            pm.Multinomial(name, n=total, p=whole, observed=cells, dims=dims)


def _seen(name: str) -> str:
    """Name of the counts: n of mu, n_positive of theta_positive, outcomes of theta."""
    return {"mu": "n", "theta": "outcomes"}.get(name) or name.replace("theta", "n")


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


Weights: TypeAlias = Fixed | Learned
