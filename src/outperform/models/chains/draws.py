"""Draws of results, to be exported to ArviZ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from outperform.data.contingency import FloatArray
from outperform.models.chains.arviz import inference_data
from outperform.models.chains.trace import Trace

__all__ = ["Draws"]


@dataclass(frozen=True, eq=False)
class Draws:
    """Arrays of shape (draws, …), of the posterior and, if there is one, of the prior.

    Attributes
    ----------
    coords, dims : mapping
        Names of the axes after the first, and the labels along them.
    trace : Trace or None
        The Markov chains that the draws come from. Independent draws are split into chains of equal length, because
        ArviZ expects several.
    """

    posterior: Mapping[str, FloatArray]
    prior: Mapping[str, FloatArray] = field(default_factory=dict)
    coords: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    trace: Trace | None = None

    def to_arviz(self) -> Any:
        """Return an InferenceData (ArviZ below 1) or a DataTree, with the variables of the chains if there are any."""
        groups: dict[str, dict[str, Any]] = {} if self.trace is None else self.trace.groups()
        shape = None if self.trace is None else self.trace.shape
        asked = {name: _in_chains(draws, shape) for name, draws in self.posterior.items()}
        groups["posterior"] = groups.get("posterior", {}) | asked
        if self.prior:
            groups["prior"] = {name: _in_chains(draws) for name, draws in self.prior.items()}
        coords = {} if self.trace is None else dict(self.trace.coords)
        dims = {} if self.trace is None else dict(self.trace.dims)
        return inference_data(groups, coords | dict(self.coords), dims | dict(self.dims))


def _in_chains(draws: FloatArray, shape: tuple[int, int] | None = None) -> FloatArray:
    """Return draws with chains first; four if they divide the draws, and are no more than each has."""
    number = len(draws)
    chains = shape[0] if shape else next(k for k in (4, 2, 1) if k == 1 or (number % k == 0 and number >= k**2))
    return draws.reshape(chains, -1, *draws.shape[1:])
