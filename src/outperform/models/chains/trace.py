"""A trace: what a sampler drew, chain by chain, and how far it can be trusted."""

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
    """How well Markov chains went.

    Attributes
    ----------
    sampler : str
        nuts, metropolis, nutpie or numpyro.
    chains, draws, tune : int
        Chains, draws of each that are kept, and draws of each that were thrown away before.
    r_hat : float or None
        Largest R-hat of all variables and of what was asked for; None where a chain is too short to tell, or stuck.
    ess_bulk, ess_tail : float
        Effective draws of what was asked for, in the middle and in the tails.
    divergences : int
        Steps of NUTS that went astray.
    wanted : int
        Draws of all chains together that were asked for; fewer were made where sampling was interrupted.
    seconds : float
        That sampling took, compilation and all.
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
        """What is wrong with the chains, and what to do."""
        wrong = []
        if self.r_hat is None or self.r_hat > WORST_R_HAT:
            shown = "unknown" if self.r_hat is None else f"{self.r_hat:.4g}"
            wrong.append(f"R-hat is {shown} where {WORST_R_HAT} is the most that is good")
        if min(self.ess_bulk, self.ess_tail) < FEWEST_EFFECTIVE:
            least = min(self.ess_bulk, self.ess_tail)
            wrong.append(f"the draws are worth only {least:.0f} independent ones, where {FEWEST_EFFECTIVE} are wanted")
        if self.divergences:
            wrong.append("1 step diverged" if self.divergences == 1 else f"{self.divergences:,} steps diverged")
        made = self.chains * self.draws
        short = (f"Interrupted after {made:,} of {self.wanted:,} draws.",) if made < self.wanted else ()
        if not wrong:
            return short
        return (
            *short,
            f"The chains are not to be trusted: {'; '.join(wrong)}. Take more draws, or another sampler or prior.",
        )


@dataclass(frozen=True, eq=False)
class Trace:
    """What a sampler drew.

    Attributes
    ----------
    variables, stats : dict of arrays
        Of shape (chain, draw, …): the model's variables, and what the sampler says of each draw.
    observed : dict of arrays
        The counts that the model was given.
    coords, dims : dict
        What the axes of variables are called, and what is along them.
    model : pymc.Model
        That was sampled.
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
        """Without the model, which PyMC cannot pickle."""
        return self.__dict__ | {"model": None}

    @property
    def shape(self) -> tuple[int, int]:
        """Chains, and draws of each."""
        first = next(iter(self.variables.values()))
        return first.shape[0], first.shape[1]

    def diagnose(self, *asked: FloatArray) -> Diagnostics:
        """How well the chains went; draws of what was asked for have the chains one after the other."""
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
        """As ArviZ has it."""
        groups: Groups = {"posterior": self.variables, "sample_stats": self.stats, "observed_data": self.observed}
        return {name: dict(variables) for name, variables in groups.items() if variables}


def _effective(chains: FloatArray, method: str) -> float:
    """Effective draws; a chain that never moved, or hardly began, is worth one."""
    effective = ess(chains, method)
    return effective if np.isfinite(effective) else 1.0
