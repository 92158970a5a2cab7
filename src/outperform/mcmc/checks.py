"""Predictive checks: counts that the model would give, before or after the data, beside those that were observed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from outperform.chains import Trace
from outperform.chains.arviz import inference_data, read_group
from outperform.errors import need, unknown
from outperform.mcmc.sampling import quiet

__all__ = ["WHEN", "Replicated", "replicate"]

WHEN = ("posterior", "prior")


@dataclass(frozen=True, eq=False)
class Replicated:
    """Observed counts and replicates of them, of shape (draws, …), by the name of the variable."""

    observed: dict[str, Any]
    counts: dict[str, Any]
    cells: dict[str, list[str]]  # what each cell of a variable is called


def replicate(trace: Trace, when: str, draws: int, seed: int) -> Replicated:
    """Draw counts from what is believed after the data, or before them."""
    if when not in WHEN:
        raise ValueError(unknown("kind of check", when, WHEN))
    if not trace.observed:
        raise ValueError("fractional counts (folds, weights) are not counts that a model could give")
    pm, model = need("pymc", "mcmc"), trace.model
    names = list(trace.observed)
    with quiet():
        if when == "prior":
            data = pm.sample_prior_predictive(draws, model=model, var_names=names, random_seed=seed)
        else:
            chains, length = trace.shape
            step = max(1, chains * length // draws)
            thinned = {name: own[:, ::step] for name, own in trace.variables.items()}
            given = inference_data({"posterior": thinned}, trace.coords, trace.dims)
            data = pm.sample_posterior_predictive(
                given, model=model, var_names=names, random_seed=seed, progressbar=False
            )
    drawn = read_group(data, f"{when}_predictive")
    counts = {name: own.reshape(-1, *own.shape[2:]) for name, own in drawn.items()}
    return Replicated(trace.observed, counts, {name: _cells(trace, name) for name in names})


def _cells(trace: Trace, name: str) -> list[str]:
    """Names of the cells of a variable, in order."""
    dims = trace.dims.get(name, ())
    if not dims:
        return [""] * max(1, np.size(trace.observed[name]))
    axes = [list(map(str, trace.coords[dim])) for dim in dims]
    return [" ".join(own) for own in np.array(np.meshgrid(*axes, indexing="ij")).reshape(len(axes), -1).T.tolist()]
