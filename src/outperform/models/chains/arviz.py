"""Compatibility with both generations of ArviZ: InferenceData up to 0.23, xarray's DataTree from 1.0 on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outperform.base.errors import need
from outperform.data.contingency import FloatArray

__all__ = ["Groups", "ess", "inference_data", "r_hat", "read_group"]

FEWEST = 4  # least draws per chain for ArviZ
TAILS = (0.05, 0.95)
Groups = Mapping[str, Mapping[str, Any]]


def inference_data(groups: Groups, coords: Mapping[str, Sequence[Any]], dims: Mapping[str, Sequence[str]]) -> Any:
    """Return the data for ArviZ's plots and summaries: groups of variables, of shape (chain, draw, …)."""
    az = need("arviz", "mcmc")
    named = {
        key: {name: list(values) for name, values in given.items()}
        for key, given in (("coords", coords), ("dims", dims))
    }
    if az.__version__.startswith("0."):
        return az.from_dict(**groups, **named)
    return az.from_dict(groups, **named)


def read_group(data: Any, group: str) -> dict[str, Any]:
    """Return the variables of one group, as plain arrays; empty if there is no such group."""
    return {str(name): np.asarray(data[group][name]) for name in data[group].data_vars} if group in data else {}


def ess(chains: FloatArray, method: str = "bulk") -> float:
    """Return the effective sample size of one quantity, of shape (chain, draw), bulk or tail."""
    if not _moved(chains):
        return float("nan")
    tails = {"prob": TAILS} if method == "tail" else {}
    return float(need("arviz", "mcmc").ess(chains, method=method, **tails))


def r_hat(chains: FloatArray) -> float:
    """Return the rank-normalised split R-hat of one quantity; a single chain is split in two."""
    if len(chains) == 1:
        half = chains.shape[1] // 2
        chains = np.stack([chains[0, :half], chains[0, half : 2 * half]])
    return float(need("arviz", "mcmc").rhat(chains)) if _moved(chains) else float("nan")


def _moved(chains: FloatArray) -> bool:
    """Return whether chains are long enough for diagnostics, and none is constant."""
    return chains.shape[1] >= FEWEST and bool((np.ptp(chains, axis=1) > 0).all())
