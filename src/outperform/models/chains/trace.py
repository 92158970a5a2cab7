"""The trace of a sampler, chain by chain, and its diagnostics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from outperform.data.contingency import FloatArray
from outperform.models.chains.arviz import Groups, ess, r_hat

__all__ = ["Diagnostics", "Trace"]

WORST_R_HAT = 1.01
FEWEST_EFFECTIVE = 400


@dataclass(frozen=True)
class Diagnostics:
    """Diagnostics of Markov chains.

    Attributes
    ----------
    sampler : str
        nuts, metropolis, nutpie or numpyro.
    chains, draws, tune : int
        Number of chains, of draws kept per chain, and of tuning draws discarded per chain.
    r_hat : float or None
        Largest R-hat of all variables and of the scores; None if a chain is too short or constant.
    ess_bulk, ess_tail : float
        Effective sample sizes of the scores, bulk and tail.
    divergences : int
        Number of divergent transitions of NUTS.
    wanted : int
        Number of draws requested for all chains; fewer were made if sampling was interrupted.
    seconds : float
        Time of sampling, including compilation.
    """

    sampler: str
    chains: int
    draws: int
    tune: int
    r_hat: float | None
    ess_bulk: float
    ess_tail: float
    divergences: int
    wanted: int
    seconds: float = field(default=0.0, compare=False)

    def remarks(self) -> tuple[str, ...]:
        """Return notes on what is wrong with the chains, and what to do."""
        wrong = []
        if self.r_hat is None or self.r_hat > WORST_R_HAT:
            shown = "unknown" if self.r_hat is None else f"{self.r_hat:.4g}"
            wrong.append(f"R-hat is {shown} (it should be at most {WORST_R_HAT})")
        if min(self.ess_bulk, self.ess_tail) < FEWEST_EFFECTIVE:
            least = min(self.ess_bulk, self.ess_tail)
            wrong.append(f"the effective sample size is only {least:.0f}, below {FEWEST_EFFECTIVE}")
        if self.divergences:
            wrong.append("1 step diverged" if self.divergences == 1 else f"{self.divergences:,} steps diverged")
        made = self.chains * self.draws
        short = (f"Interrupted after {made:,} of {self.wanted:,} draws.",) if made < self.wanted else ()
        if not wrong:
            return short
        return (
            *short,
            f"The chains are unreliable: {'; '.join(wrong)}. Take more draws, or another sampler or prior.",
        )


@dataclass(frozen=True, eq=False)
class Trace:
    """The draws of a sampler.

    Attributes
    ----------
    variables, stats : dict of arrays
        Of shape (chain, draw, …): the variables of the model, and the sampler's statistics of each draw.
    observed : dict of arrays
        The observed counts.
    coords, dims : dict
        Names of the axes of variables, and the labels along them.
    model : pymc.Model
        The model that was sampled.
    """

    variables: dict[str, FloatArray]
    stats: dict[str, Any]
    observed: dict[str, Any]
    coords: Mapping[str, Sequence[Any]]
    dims: Mapping[str, Sequence[str]]
    sampler: str
    tune: int
    seconds: float
    wanted: int  # draws of all chains together
    model: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the model, which PyMC cannot pickle."""
        return self.__dict__ | {"model": None}

    @property
    def shape(self) -> tuple[int, int]:
        """Number of chains, and of draws per chain."""
        first = next(iter(self.variables.values()))
        return first.shape[0], first.shape[1]

    def diagnose(self, *asked: FloatArray) -> Diagnostics:
        """Return diagnostics of the chains; `asked` are draws of the scores, with the chains concatenated."""
        chains, draws = self.shape
        wanted = [draws_of_one.reshape(self.shape) for draws_of_one in asked]
        every = [values.reshape(chains, draws, -1) for values in self.variables.values()]
        columns = [*wanted, *(values[..., k] for values in every for k in range(values.shape[-1]))]
        convergence = [r_hat(column) for column in columns]
        bulk, tail = (min(_effective(column, method) for column in wanted) for method in ("bulk", "tail"))
        return Diagnostics(
            sampler=self.sampler,
            chains=chains,
            draws=draws,
            tune=self.tune,
            r_hat=max(convergence) if np.isfinite(convergence).all() else None,
            ess_bulk=bulk,
            ess_tail=tail,
            divergences=int(np.sum(self.stats.get("diverging", 0))),
            wanted=self.wanted,
            seconds=self.seconds,
        )

    def groups(self) -> dict[str, dict[str, Any]]:
        """Return the groups of ArviZ."""
        groups: Groups = {"posterior": self.variables, "sample_stats": self.stats, "observed_data": self.observed}
        return {name: dict(variables) for name, variables in groups.items() if variables}


def _effective(chains: FloatArray, method: str) -> float:
    """Return the effective sample size; 1 for a constant or too short chain."""
    effective = ess(chains, method)
    return effective if np.isfinite(effective) else 1.0
