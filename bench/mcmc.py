"""Effective draws of δ(F1) per second: ours against PyMC's Metropolis and NumPyro's NUTS.

All sample the compact paired model of SIGIR'16 §3.1.2 on the same counts. Our draws are independent,
so every one is effective. Metropolis runs as in the paper (§3.3): 50,000 draws, one chain, no
burn-in. The PyMC of its day never stopped tuning the steps, so that is shown as well; without any
tuning the steps keep their first size. NUTS makes 10,000 draws after a warm-up of 1,000, which counts.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from math import sqrt
from typing import Any

import numpy as np

import outperform as op
from bench.draws import CLASS, DRAWS, delta, pair
from bench.harness import Bar, Row, at_least, at_most, minima, missing, rate
from outperform.contingency import FloatArray
from outperform.models.binary import paired_posterior

__all__ = ["bench"]

REPEAT = 40
WARM_UP = 1_000
NUTS_DRAWS = 10_000


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What was observed: items of each outcome (11, 10, 01, 00) among positives and negatives."""

    positive: FloatArray
    negative: FloatArray

    @property
    def items(self) -> int:
        """All items."""
        return int(self.positive.sum() + self.negative.sum())


@dataclass(frozen=True, eq=False)
class Chain:
    """Draws of δ and the seconds they took."""

    delta: FloatArray
    seconds: float


@dataclass(frozen=True)
class Rival:
    """Another sampler: what it needs, how it is run and by how much we want to be faster."""

    name: str
    modules: tuple[str, ...]
    sample: Callable[[Outcomes], Chain]
    bar: Bar


def bench() -> list[Row]:
    posterior = paired_posterior(pair().binary(CLASS), op.Uniform())
    _, negative, positive = posterior.blocks
    outcomes = Outcomes(positive - 1, negative - 1)  # the uniform prior's weights
    (time,) = minima(lambda: delta(posterior), repeat=REPEAT)
    ours = Chain(delta(posterior), time)
    rows: list[Row] = []
    for rival in _rivals():
        gap = missing(f"ESS/s of δ, against {rival.name}", *rival.modules)
        rows += [gap] if gap else _rows(rival, ours, outcomes)
    return rows


def _rivals() -> tuple[Rival, ...]:
    pymc, numpyro = ("pymc", "arviz"), ("numpyro", "arviz")
    return (
        Rival("PyMC Metropolis", pymc, partial(_metropolis, tune=False), at_least(30_000)),
        Rival("PyMC Metropolis, always tuned", pymc, partial(_metropolis, tune=True), at_least(30_000)),
        Rival("NumPyro NUTS, as it is called", numpyro, _nuts, at_least(300)),
        Rival("NumPyro NUTS, its kernel compiled before", numpyro, _compiled_nuts, at_least(300)),
    )


def _rows(rival: Rival, ours: Chain, outcomes: Outcomes) -> list[Row]:
    """Speed, and whether both tell the same."""
    with _quiet():
        import arviz

        theirs = rival.sample(outcomes)
        chain = theirs.delta[None]
        effective, for_sd = float(arviz.ess(chain)), float(arviz.ess(chain, method="sd"))
    n, sd = len(ours.delta), float(ours.delta.std())
    off = abs(theirs.delta.mean() - ours.delta.mean()) / (sd * sqrt(1 / effective + 1 / n))
    sd_off = abs(theirs.delta.std() - sd) / (sd * sqrt(0.5 / for_sd + 0.5 / n))
    what = f"ESS/s of δ, against {rival.name} (ESS {effective:,.0f} in {theirs.seconds:.3g} s)"
    show, bar = "{:.1f}".format, at_most(4, own=True)
    return [
        Row(what, n / ours.seconds, effective / theirs.seconds, rate, rival.bar),
        Row("    the means differ by, in Monte-Carlo errors", float(off), None, show, bar),
        Row("    the sds differ by, in Monte-Carlo errors", float(sd_off), None, show, bar),
    ]


def _f1_difference(mu: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """δ(F1) of draws of μ, θ₊ and θ₋, written out."""
    each = []
    for other in (1, 2):
        hit = mu * (positive[:, 0] + positive[:, other])
        wrong = (1 - mu) * (negative[:, 0] + negative[:, other])
        each.append(2 * hit / (mu + hit + wrong))
    difference: FloatArray = each[0] - each[1]
    return difference


def _metropolis(outcomes: Outcomes, *, tune: bool) -> Chain:
    """PyMC's Metropolis: 50,000 draws, one chain, none thrown away."""
    import pymc as pm

    with pm.Model():
        mu = pm.Beta("mu", 1, 1)
        pm.Binomial("n", outcomes.items, mu, observed=outcomes.positive.sum())
        for name, cells in (("positive", outcomes.positive), ("negative", outcomes.negative)):
            theta = pm.Dirichlet(name, np.ones(4))
            pm.Multinomial(f"{name}_cells", int(cells.sum()), theta, observed=cells)
        run = pm.sample(
            draws=1 if tune else DRAWS,
            tune=DRAWS if tune else 0,
            step=pm.Metropolis(),
            chains=1,
            cores=1,
            random_seed=0,
            progressbar=False,
            discard_tuned_samples=False,
            compute_convergence_checks=False,
        )
    drawn = run["warmup_posterior" if tune else "posterior"]
    mu, positive, negative = (drawn[name].to_numpy()[0] for name in ("mu", "positive", "negative"))
    return Chain(_f1_difference(mu, positive, negative), float(run["posterior"].attrs["sampling_time"]))


def _nuts(outcomes: Outcomes) -> Chain:
    """NumPyro's NUTS as one calls it, the second and third time; `MCMC.run` compiles at every call."""
    import jax
    from numpyro.infer import MCMC, NUTS

    kernel = NUTS(partial(_numpyro_model, outcomes))
    run = MCMC(kernel, num_warmup=WARM_UP, num_samples=NUTS_DRAWS, progress_bar=False)
    keys = iter(map(jax.random.PRNGKey, count()))

    def sample() -> None:
        run.run(next(keys))
        jax.block_until_ready(run.get_samples())

    (seconds,) = minima(sample, repeat=2)
    return Chain(_of_numpyro(run.get_samples()), seconds)


def _compiled_nuts(outcomes: Outcomes) -> Chain:
    """NumPyro's NUTS with no compilation in the time: a scan of its kernel, compiled before."""
    import jax
    from numpyro.infer import NUTS

    kernel = NUTS(partial(_numpyro_model, outcomes))
    start = kernel.init(jax.random.PRNGKey(0), WARM_UP, None, (), {})

    def step(state: Any, _: None) -> tuple[Any, Any]:
        state = kernel.sample(state, (), {})
        return state, state.z

    advance = jax.jit(lambda state, steps: jax.lax.scan(step, state, steps))
    warm_up, steps = (jax.numpy.zeros(n) for n in (WARM_UP, NUTS_DRAWS))

    def sample() -> Any:
        state, _ = advance(start, warm_up)
        return jax.block_until_ready(advance(state, steps)[1])

    (seconds,) = minima(sample, repeat=30)
    return Chain(_of_numpyro(jax.vmap(kernel.postprocess_fn((), {}))(sample())), seconds)


def _of_numpyro(drawn: dict[str, Any]) -> FloatArray:
    """δ of what NumPyro drew."""
    parts = (np.asarray(drawn[name], dtype=np.float64) for name in ("mu", "positive", "negative"))
    return _f1_difference(*parts)


def _numpyro_model(outcomes: Outcomes) -> None:
    import numpyro
    from numpyro import distributions as dist

    mu = numpyro.sample("mu", dist.Beta(1.0, 1.0))
    numpyro.sample("n", dist.Binomial(outcomes.items, mu), obs=outcomes.positive.sum())
    for name, cells in (("positive", outcomes.positive), ("negative", outcomes.negative)):
        theta = numpyro.sample(name, dist.Dirichlet(np.ones(4)))
        numpyro.sample(f"{name}_cells", dist.Multinomial(int(cells.sum()), theta), obs=cells)


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings and no messages of other packages, for a while."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.disable(logging.NOTSET)
