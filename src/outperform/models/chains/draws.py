"""Draws of what was asked for, on their way to ArviZ."""

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
    """Arrays of shape (draws, …), after the data and, where there is a prior, before them.

    Attributes
    ----------
    coords, dims : mapping
        What the axes after the first are called, and what is along them.
    trace : Trace or None
        The Markov chains that the draws come from. Independent draws are cut into chains of equal length, as ArviZ
        looks at several.
    """

    posterior: Mapping[str, FloatArray]
    prior: Mapping[str, FloatArray] = field(default_factory=dict)
    coords: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    trace: Trace | None = None

    def to_arviz(self) -> Any:
        """An InferenceData (ArviZ below 1) or a DataTree, with the chains' own variables where there are chains."""
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
    """With chains first; four where they divide the draws, and are no more than each has."""
    number = len(draws)
    chains = shape[0] if shape else next(k for k in (4, 2, 1) if k == 1 or (number % k == 0 and number >= k**2))
    return draws.reshape(chains, -1, *draws.shape[1:])
