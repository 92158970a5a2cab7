"""ArviZ of both generations: InferenceData up to 0.23, xarray's DataTree from 1.0 on. Nothing else knows which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outperform.base.errors import need
from outperform.data.contingency import FloatArray

__all__ = ["Groups", "ess", "inference_data", "r_hat", "read_group"]

FEWEST = 4  # draws that ArviZ wants of each chain
TAILS = (0.05, 0.95)
Groups = Mapping[str, Mapping[str, Any]]


def inference_data(groups: Groups, coords: Mapping[str, Sequence[Any]], dims: Mapping[str, Sequence[str]]) -> Any:
    """What ArviZ's plots and summaries take: groups of variables, of shape (chain, draw, …)."""
    az = need("arviz", "mcmc")
    named = {
        key: {name: list(values) for name, values in given.items()}
        for key, given in (("coords", coords), ("dims", dims))
    }
    if az.__version__.startswith("0."):
        return az.from_dict(**groups, **named)
    return az.from_dict(groups, **named)


def read_group(data: Any, group: str) -> dict[str, Any]:
    """Variables of one group, as plain arrays; none where there is no such group."""
    return {str(name): np.asarray(data[group][name]) for name in data[group].data_vars} if group in data else {}


def ess(chains: FloatArray, method: str = "bulk") -> float:
    """Effective number of draws of one quantity, of shape (chain, draw), in the middle (bulk) or the tails (tail)."""
    if not _moved(chains):
        return float("nan")
    tails = {"prob": TAILS} if method == "tail" else {}
    return float(need("arviz", "mcmc").ess(chains, method=method, **tails))


def r_hat(chains: FloatArray) -> float:
    """Rank-normalised split R-hat of one quantity; a single chain is cut in two."""
    if len(chains) == 1:
        half = chains.shape[1] // 2
        chains = np.stack([chains[0, :half], chains[0, half : 2 * half]])
    return float(need("arviz", "mcmc").rhat(chains)) if _moved(chains) else float("nan")


def _moved(chains: FloatArray) -> bool:
    """Whether chains are long enough to tell, and each went anywhere."""
    return chains.shape[1] >= FEWEST and bool((np.ptp(chains, axis=1) > 0).all())
