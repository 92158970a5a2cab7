"""Running a sampler, silently: PyMC's own NUTS and Metropolis, or NUTS by nutpie or NumPyro."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from outperform.base.errors import check_known, need
from outperform.base.limits import is_whole
from outperform.data.contingency import FloatArray
from outperform.models.chains import Trace
from outperform.models.chains.arviz import read_group

__all__ = ["SAMPLERS", "Sampling", "forward", "quiet"]


@dataclass(frozen=True)
class _Usual:
    draws: int  # of all chains together
    chains: int
    tune: int
    package: str


SAMPLERS = {
    "nuts": _Usual(10_000, 4, 1_000, "pymc"),
    "metropolis": _Usual(50_000, 1, 0, "pymc"),  # the papers' configuration
    "nutpie": _Usual(10_000, 4, 1_000, "nutpie"),
    "numpyro": _Usual(10_000, 4, 1_000, "numpyro"),
}
TUNE_INTERVAL = 1_000  # PyMC 2's, which the papers used


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """The sampler, and how long it runs; None for the default."""

    sampler: str = "nuts"
    chains: int | None = None
    tune: int | None = None
    target_accept: float = 0.9
    cores: int = 1
    progress: bool = True

    def __post_init__(self) -> None:
        """Refuse what no sampler takes."""
        check_known("sampler", self.sampler, SAMPLERS)
        for name, least in (("chains", 1), ("tune", 0), ("cores", 1)):
            value = getattr(self, name)
            if value is not None and (not is_whole(value) or value < least):
                raise ValueError(f"{name} is a whole number of at least {least}, got {value!r}")
        if np.asarray(self.target_accept).dtype.kind not in "iuf" or not 0 < self.target_accept < 1:
            raise ValueError(f"target_accept lies between 0 and 1, got {self.target_accept!r}")

    @property
    def usual(self) -> _Usual:
        """The settings, with the sampler's defaults for those not given."""
        defaults = SAMPLERS[self.sampler]
        chains = defaults.chains if self.chains is None else self.chains
        return _Usual(defaults.draws, chains, defaults.tune if self.tune is None else self.tune, defaults.package)

    def run(self, model: Any, draws: int, seed: SeedSequence, dims: Mapping[str, Any]) -> Trace:
        """Draw at least so many, in chains of the same length."""
        usual = self.usual
        need(usual.package, "mcmc" if usual.package == "pymc" else usual.package)
        length = -(-draws // usual.chains)
        start = perf_counter()
        watch = _Watch(length + usual.tune)
        with quiet(), redirect_stdout(sys.stderr):  # where the progress bar goes
            try:
                data = self._sample(model, length, usual, int(seed.generate_state(1)[0]), watch)
            except ValueError:
                if watch.interrupted:  # before there was a chain
                    raise KeyboardInterrupt from None
                raise
        seconds = perf_counter() - start
        kept = "warmup_posterior" if self._throughout(usual) else "posterior"
        names = [variable.name for variable in [*model.free_RVs, *model.deterministics]]
        variables = read_group(data, kept)
        stats = read_group(data, "warmup_sample_stats" if self._throughout(usual) else "sample_stats")
        diverging = {"diverging": stats["diverging"]} if "diverging" in stats else {}
        return Trace(
            variables={name: variables[name] for name in names},
            stats=diverging,
            observed=read_group(data, "observed_data"),
            coords={dim: list(along) for dim, along in model.coords.items()},
            dims=dims,
            sampler=self.sampler,
            tune=usual.tune,
            seconds=seconds,
            wanted=length * usual.chains,
            model=model,
        )

    def _throughout(self, usual: _Usual) -> bool:
        """Metropolis that throws nothing away tunes its steps all along, as in the papers."""
        return self.sampler == "metropolis" and usual.tune == 0

    def _sample(self, model: Any, length: int, usual: _Usual, seed: int, watch: _Watch) -> Any:
        pm = need("pymc", "mcmc")
        settings: dict[str, Any] = {
            "draws": length,
            "tune": usual.tune,
            "chains": usual.chains,
            "cores": self.cores,
            "random_seed": seed,
            "progressbar": self.progress and sys.stderr.isatty(),
            "compute_convergence_checks": False,
        }
        if self.cores == 1 and usual.package == "pymc":
            settings["callback"] = watch
        with model:
            if self._throughout(usual):
                settings |= {"draws": 1, "tune": length, "discard_tuned_samples": False}
            if self.sampler == "metropolis":
                return pm.sample(**settings, step=pm.Metropolis(tune_interval=TUNE_INTERVAL))
            which = "pymc" if self.sampler == "nuts" else self.sampler
            return pm.sample(**settings, nuts_sampler=which, target_accept=self.target_accept)


class _Watch:
    """Counts the draws. PyMC takes an interrupt for the end of one chain; this ends the chains that follow at once."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.seen: dict[int, int] = {}

    @property
    def interrupted(self) -> bool:
        """Whether a chain ended before its time."""
        return any(seen < self.length for seen in self.seen.values())

    def __call__(self, trace: Any, draw: Any) -> None:  # noqa: ARG002
        """Count, one chain after the other."""
        if draw.chain not in self.seen and self.interrupted:
            raise KeyboardInterrupt
        self.seen[draw.chain] = self.seen.get(draw.chain, 0) + 1


def forward(model: Any, draws: int, seed: SeedSequence) -> dict[str, FloatArray]:
    """Independent draws of all variables before the data, of shape (draws, …), all at once.

    Variables without parents get one more dimension, that of the draws; those that depend on them follow.
    """
    pm = need("pymc", "mcmc")
    replace = need("pytensor.graph.replace", "mcmc")
    shapes = need("pymc.distributions.shape_utils", "mcmc")
    wide: dict[Any, Any] = {}
    with quiet():
        for variable in model.free_RVs:
            (depending,) = replace.vectorize_graph([variable], wide)
            free = depending.ndim == variable.ndim  # no parent has draws yet
            wide[variable] = shapes.change_dist_size(variable, (draws,), expand=True) if free else depending
        wide |= zip(model.deterministics, replace.vectorize_graph(model.deterministics, wide), strict=True)
        drawn = pm.draw(list(wide.values()), random_seed=int(seed.generate_state(1)[0]))
    return {variable.name: np.asarray(x) for variable, x in zip(wide, drawn, strict=True)}


@contextmanager
def quiet() -> Iterator[None]:
    """Silence messages and warnings of the sampler; the result has the diagnostics of its chains."""
    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logger.setLevel(level)
