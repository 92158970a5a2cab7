"""Effective draws per second: ours against PyMC's Metropolis, as the papers ran it, and NumPyro's NUTS.

The model of SIGIR'16 §3.1.2 (paired, F1 of one class) and that of ICDM'15 §III (hierarchical, macro F1 of 20 classes),
each on the same counts. Our draws are independent, so every one is effective. Metropolis runs as in the papers: one
chain, no burn-in, the steps tuned all along; 50,000 draws, of the second model a tenth. NUTS makes 10,000 draws after a
warm-up of 1,000, which counts.
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
from numpy.random import SeedSequence

import outperform as op
from bench.draws import CLASS, DRAWS, delta, pair
from bench.harness import Bar, Row, at_least, at_most, minima, missing, rate
from outperform.data.contingency import FloatArray
from outperform.inference.question import CountQuestion
from outperform.measures.of_counts import MeasureFunction, resolve
from outperform.models.binary import paired_posterior

__all__ = ["bench"]

REPEAT = 40
WARM_UP = 1_000
NUTS_DRAWS = 10_000
WAY = 500  # draws that ICDM'15's chain may take to get there; it begins 20 standard deviations away


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
    """Draws of δ, or of one score, and the seconds they took."""

    drawn: FloatArray
    seconds: float


@dataclass(frozen=True)
class Rival:
    """Another sampler: what it needs, how it is run and by how much we want to be faster."""

    name: str
    modules: tuple[str, ...]
    sample: Callable[[], Chain]
    bar: Bar


def bench() -> list[Row]:
    return _paired() + _hierarchical()


def _paired() -> list[Row]:
    """SIGIR'16's model of one class of 20."""
    counts = pair().binary(CLASS)
    posterior = paired_posterior(counts, op.Uniform())
    _, negative, positive = posterior.blocks
    outcomes = Outcomes(positive - 1, negative - 1)  # the uniform prior's weights
    (time,) = minima(lambda: delta(posterior), repeat=REPEAT)
    pymc, numpyro = ("pymc", "arviz"), ("numpyro", "arviz")
    papers_way = partial(_metropolis, op.Paired(), counts, resolve("f1"))
    rivals = (
        Rival("SIGIR'16's Metropolis", pymc, papers_way, at_least(30_000)),
        Rival("NumPyro NUTS, as it is called", numpyro, partial(_nuts, outcomes), at_least(300)),
        Rival("NumPyro NUTS, its kernel compiled before", numpyro, partial(_compiled_nuts, outcomes), at_least(300)),
    )
    return [row for rival in rivals for row in _rows(rival, Chain(delta(posterior), time))]


def _hierarchical() -> list[Row]:
    """ICDM'15's model of one classifier on 20 classes, of which a comparison has two; a tenth of the paper's draws."""
    news, model = op.datasets.newsgroups(), op.Unpaired("hierarchical")
    counts = op.Counts.from_labels(news.truth, {"svm_l2": news.predictions["svm_l2"]})
    question = CountQuestion.check("f1", "macro", counts, draws=DRAWS, rng=0)
    posterior = model.posterior(counts).reduced("macro", question.measure)
    draw = partial(posterior.scores, question.score, draws=DRAWS, seed=SeedSequence(0))
    (time,) = minima(draw, repeat=3)
    papers_way = partial(_metropolis, model, counts, question.score, draws=DRAWS // 10)  # all take most of an hour
    rival = Rival("ICDM'15's Metropolis", ("pymc", "arviz"), papers_way, at_least(1_000))
    return _rows(rival, Chain(draw()[:, 0], time), "macro F1", way=WAY)


def _rows(rival: Rival, ours: Chain, of: str = "δ", *, way: int = 0) -> list[Row]:
    """Speed, and whether both tell the same; not of a chain's first draws, which are its way to the posterior."""
    gap = missing(f"ESS/s of {of}, against {rival.name}", *rival.modules)
    if gap:
        return [gap]
    with _quiet():
        import arviz

        theirs = rival.sample()
        effective = float(arviz.ess(theirs.drawn[None]))
        there = theirs.drawn[way:]
        for_mean, for_sd = float(arviz.ess(there[None])), float(arviz.ess(there[None], method="sd"))
    n, sd = len(ours.drawn), float(ours.drawn.std())
    off = abs(there.mean() - ours.drawn.mean()) / (sd * sqrt(1 / for_mean + 1 / n))
    sd_off = abs(there.std() - sd) / (sd * sqrt(0.5 / for_sd + 0.5 / n))
    what = f"ESS/s of {of}, against {rival.name} (ESS {effective:,.0f} in {theirs.seconds:.3g} s)"
    show, bar = "{:.1f}".format, at_most(4, own=True)
    return [
        Row(what, n / ours.seconds, effective / theirs.seconds, rate, rival.bar),
        Row("    the means differ by, in Monte-Carlo errors", float(off), None, show, bar),
        Row("    the sds differ by, in Monte-Carlo errors", float(sd_off), None, show, bar),
        Row(
            "    the Monte-Carlo error of the mean",
            sd / sqrt(n),
            float(theirs.drawn.std()) / sqrt(effective),
            "{:.1e}".format,
        ),
    ]


def _metropolis(
    model: op.Paired | op.Unpaired, counts: op.Counts, score: MeasureFunction, *, draws: int = DRAWS
) -> Chain:
    """The papers' way, through our own engine."""
    posterior, seed = op.PyMC(model, sampler="metropolis").posterior(counts), SeedSequence(0)
    drawn = posterior.scores(score, draws=draws, seed=seed)
    trace = posterior.trace(draws=draws, seed=seed)
    assert trace is not None
    return Chain(drawn[:, 0] - drawn[:, 1] if drawn.shape[1] == 2 else drawn[:, 0], trace.seconds)


def _f1_difference(mu: FloatArray, positive: FloatArray, negative: FloatArray) -> FloatArray:
    """δ(F1) of draws of μ, θ₊ and θ₋, written out."""
    each = []
    for other in (1, 2):
        hit = mu * (positive[:, 0] + positive[:, other])
        wrong = (1 - mu) * (negative[:, 0] + negative[:, other])
        each.append(2 * hit / (mu + hit + wrong))
    difference: FloatArray = each[0] - each[1]
    return difference


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
