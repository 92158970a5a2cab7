"""Predictive checks: counts drawn from the prior or posterior predictive, compared with the observed ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from outperform.base.errors import check_known, need
from outperform.mcmc.sampling import quiet
from outperform.models.chains import Trace
from outperform.models.chains.arviz import inference_data, read_group

__all__ = ["WHEN", "Replicated", "replicate"]

WHEN = ("posterior", "prior")


@dataclass(frozen=True, eq=False)
class Replicated:
    """Observed counts and replicates of them, of shape (draws, …), by the name of the variable."""

    observed: dict[str, Any]
    counts: dict[str, Any]
    coords: Mapping[str, Sequence[Any]]
    dims: Mapping[str, Sequence[str]]

    def cells(self, name: str) -> list[str]:
        """Names of the cells of a variable, in order."""
        dims = self.dims.get(name, ())
        if not dims:
            return [""] * max(1, np.size(self.observed[name]))
        axes = [list(map(str, self.coords[dim])) for dim in dims]
        return [" ".join(names) for names in product(*axes)]


def replicate(trace: Trace, when: str, draws: int, seed: int) -> Replicated:
    """Draw counts from the posterior or the prior predictive distribution."""
    check_known("kind of check", when, WHEN)
    if trace.model is None:
        raise ValueError("the model did not come along when this was pickled; compare again to check it")
    if not trace.observed:
        raise ValueError("fractional counts (folds, weights) are not counts that a model could give")
    pm, model = need("pymc", "mcmc"), trace.model
    names = list(trace.observed)
    with quiet():
        if when == "prior":
            data = pm.sample_prior_predictive(draws, model=model, var_names=names, random_seed=seed)
        else:
            total = trace.shape[0] * trace.shape[1]
            chosen = np.linspace(0, total - 1, min(draws, total)).astype(np.int64)
            flat = {name: values.reshape(total, *values.shape[2:]) for name, values in trace.variables.items()}
            thinned = {name: values[chosen][None] for name, values in flat.items()}
            given = inference_data({"posterior": thinned}, trace.coords, trace.dims)
            data = pm.sample_posterior_predictive(
                given, model=model, var_names=names, random_seed=seed, progressbar=False
            )
    drawn = read_group(data, f"{when}_predictive")
    counts = {name: values.reshape(-1, *values.shape[2:]) for name, values in drawn.items()}
    return Replicated(trace.observed, counts, trace.coords, trace.dims)
