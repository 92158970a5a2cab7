"""`PyMC`: any model of ours with any prior, by Markov chains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence

from outperform.base.errors import check_known, need
from outperform.data.contingency import Contingency, FloatArray
from outperform.data.counts import Counts
from outperform.mcmc.families import Family, family_of, prior_of
from outperform.mcmc.given import NAMES, Given, Made, PriorsLike, as_priors
from outperform.mcmc.sampling import Sampling, forward
from outperform.mcmc.script import FORMS, Script
from outperform.measures.of_counts import MeasureFunction
from outperform.models import BayesianBootstrap, CrossValidated, Model, Paired, Unpaired, as_model
from outperform.models.chains import Trace
from outperform.models.posterior import Posterior
from outperform.models.priors import Prior, PriorLike, as_prior
from outperform.models.reads import Reads

__all__ = ["GivenPrior", "PyMC", "build", "check_once", "chosen", "with_prior"]

INDEPENDENT = 10_000  # draws before the data, at most
MOST_NUMBERS = 20_000_000  # of a contingency's cells at a time


def build(model: Any, counts: Counts, priors: PriorsLike | None = None, *, form: str = "counts") -> Any:
    """Write a model as a PyMC model.

    Parameters
    ----------
    model : Paired, Unpaired, CrossValidated or str
        The model; its prior is that of the variables that `priors` does not name.
    counts : Counts
        What was observed.
    priors : mapping
        Priors of mu, theta (or theta_positive, theta_negative) and eta: texts such as "LogitNormal(0, 1)", or PyMC
        distributions such as pm.Beta.dist(2, 2).
    form : {"counts", "items"}
        The compact model of counts, or the one that has every item (SIGIR'16 Figure 1).

    Returns
    -------
    pymc.Model

    Examples
    --------
    >>> import outperform as op
    >>> counts = op.Counts.from_labels([1, 1, 0, 0], {"a": [1, 1, 0, 0], "b": [1, 0, 0, 0]})
    >>> model = op.mcmc.build(op.Paired(), counts, priors={"mu": "TruncatedNormal(0.8, 0.1)"})  # doctest: +SKIP
    """
    if not isinstance(counts, Counts):
        raise TypeError(f"counts must be op.Counts, as made by op.Counts.from_labels, got {type(counts).__name__}")
    check_known("form", form, FORMS)
    model = as_model(model, counts)
    if isinstance(model, CrossValidated):
        settled = model.settled(counts)
        model, counts = settled.model, counts.together(settled.factor or 1.0) if counts.folds else counts
    if isinstance(model, PyMC):
        priors, model = {**model.given, **as_priors(priors)}, model.model
    return _write(family_of(_pairing(model), counts), as_priors(priors), form)


def _pairing(model: Any) -> Paired | Unpaired:
    if not isinstance(model, Paired | Unpaired):
        raise TypeError(f"PyMC takes op.Paired() or op.Unpaired(), with any prior, got {model!r}")
    return model


def _write(family: Family, priors: Mapping[str, Given | Made], form: str = "counts") -> Any:
    pm = need("pymc", "mcmc")
    script = Script(priors, form)
    with pm.Model(coords=family.coords) as written:
        family.write(script)
    idle = [name for name in priors if name not in script.used]
    if idle:
        known = {name.rpartition("::")[2] for name in written.named_vars} & set(NAMES)
        if idle[0] == "theta" and {"theta_positive", "theta_negative"} <= set(priors):
            raise ValueError("the prior of theta is overruled by theta_positive and theta_negative; leave it out")
        raise ValueError(f"this model has no {idle[0]} to give a prior to; it has {', '.join(sorted(known))}")
    return written


def chosen(model: Any, prior: PriorLike | PriorsLike | None, counts: Counts, average: str | None = None) -> Model:
    """The model by object or name, or the default for the counts; with the prior given by prior=."""
    if prior is None:
        return as_model(model, counts, average)
    check_once(model)
    if model is None:
        model = Paired() if counts.paired else Unpaired()
    taken = as_model(model, counts, average)
    if isinstance(taken, BayesianBootstrap) and not isinstance(prior, Mapping):
        return replace(taken, prior=prior)
    changed: Model = with_prior(taken, prior)
    return changed


def check_once(model: Any) -> None:
    """Refuse a model that has a prior where prior= is given too."""
    if isinstance(model, Model) and model.prior is not None:
        raise ValueError(f"the model has a prior already, {model.prior}; leave prior= out")


def with_prior(model: Any, prior: PriorLike | PriorsLike) -> Any:
    """Replace the prior of a model: by a name, a number, a prior of ours, or priors for PyMC such as {"mu": …}."""
    if isinstance(model, CrossValidated):
        return replace(model, model=with_prior(model.model, prior))
    if isinstance(prior, Mapping):
        return replace(model, priors=prior) if isinstance(model, PyMC) else PyMC(_pairing(model), priors=prior)
    if isinstance(model, PyMC):
        return replace(model, model=replace(model.model, prior=as_prior(prior)))
    if not isinstance(model, Paired | Unpaired):
        raise ValueError(f"the {model.name} model takes no prior, so there is nothing to be sensitive to")
    return replace(model, prior=as_prior(prior))


@dataclass(frozen=True)
class GivenPrior:
    """A prior of ours, but for the variables that have another."""

    usual: Prior | None
    given: Mapping[str, Given | Made]

    @property
    def pools_classes(self) -> bool:
        """Whether classes learn from each other."""
        return self.usual is not None and self.usual.pools_classes

    def __str__(self) -> str:
        """A short name for tables and signatures."""
        named = [f"{name}~{prior}" for name, prior in self.given.items()]
        return ", ".join(["default" if self.usual is None else str(self.usual), *named])


@dataclass(frozen=True)
class PyMC(Sampling, Model):
    """A model of ours sampled by PyMC, with any prior. For its own sake use the model itself: that is exact.

    Parameters
    ----------
    model : Paired or Unpaired
        Paired by default.
    sampler : {"nuts", "metropolis", "nutpie", "numpyro"}
        NUTS by default. "metropolis" makes 50,000 draws in one chain, throws none away and tunes its steps all along,
        as in the papers.
    priors : mapping
        Priors of mu, theta (or theta_positive, theta_negative) and eta: texts such as "LogitNormal(0, 1)" and
        "TruncatedNormal(0.8, 0.1)", or PyMC distributions such as pm.Beta.dist(2, 2). What is not named keeps the
        model's own prior.
    chains, tune : int
        Chains, and draws of each that are thrown away first; 4 and 1,000 by default.
    target_accept : float
        Of NUTS: how careful its steps are.
    cores : int
        Chains that run at a time.
    progress : bool
        Whether to show a bar where stderr is a terminal.

    Notes
    -----
    The number of draws, of all chains together, is that of the verb (`draws=`): 10,000 by default, for "metropolis"
    50,000. A seed gives the same numbers again with the same versions of PyMC and the sampler.

    References
    ----------
    Zhang et al., Bayesian Performance Comparison of Text Classifiers, SIGIR 2016, §3.1 and §3.3.

    Examples
    --------
    >>> import outperform as op
    >>> model = op.PyMC(op.Paired(), priors={"mu": "LogitNormal(0, 1)"})
    >>> model.sampler, str(model.prior)
    ('nuts', 'default, mu~LogitNormal(0, 1)')
    """

    model: Paired | Unpaired = field(default_factory=Paired)
    priors: PriorsLike | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse models that PyMC cannot sample."""
        if isinstance(self.model, CrossValidated):
            raise TypeError("write op.CrossValidated(op.PyMC(op.Paired())), the other way round")
        _pairing(self.model)
        object.__setattr__(self, "priors", as_priors(self.priors))
        super().__post_init__()

    @property
    def shows_variables(self) -> bool:
        """Results have the variables of the model, so classifiers stay in their order."""
        return True

    @property
    def given(self) -> dict[str, Given | Made]:
        """Priors that are not the model's own."""
        return as_priors(self.priors)

    @property
    def name(self) -> str:
        """Name of the model in tables and signatures."""
        return f"pymc {self.model.name}"

    @property
    def prior(self) -> GivenPrior | Prior | None:
        """The prior."""
        usual = None if self.model.prior is None else as_prior(self.model.prior)
        return GivenPrior(usual, self.given) if self.given else usual

    @property
    def symmetric(self) -> bool:
        """Whether the model treats all classifiers alike: a prior that a user gave may not."""
        given = [prior for name, prior in self.given.items() if name.startswith("theta")]
        return self.model.symmetric and all(prior.even for prior in given)

    @property
    def pairs(self) -> bool:
        """Whether the model pairs the classifiers."""
        return self.model.pairs

    @property
    def learns(self) -> bool:
        """Whether classes learn from each other under the prior, given or not."""
        return self.prior is not None and self.prior.pools_classes

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the sampler, for the signature."""
        usual = self.usual
        sampler = {"sampler": self.sampler, "chains": usual.chains, "tune": usual.tune}
        careful = {} if self.sampler == "metropolis" else {"target_accept": self.target_accept}
        return {"pymc": need("pymc", "mcmc").__version__} | sampler | careful

    def settled(self, counts: Counts, *, reads: Reads = "classes") -> PyMC:  # noqa: ARG002
        """The model with the prior that it takes for these counts."""
        return replace(self, model=replace(self.model, prior=prior_of(self.model, counts)))

    def posterior(self, counts: Counts) -> ChainPosterior:
        """The posterior given these counts; nothing is sampled yet."""
        family = family_of(self.model, counts)
        return ChainPosterior(family, _write(family, self.given), self, empty=not counts.n.any())


@dataclass(frozen=True, eq=False)
class ChainPosterior(Posterior):
    """A PyMC model, and how it is sampled: by chains after the data, forward before them."""

    family: Family
    model: Any
    sampling: Sampling
    empty: bool
    traces: dict[Any, Trace] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """PyMC's graph stays behind when this is pickled; the chains are there, and no more are sampled."""
        return vars(self) | {"model": None}

    @property
    def cells(self) -> int:
        """Random numbers that one draw takes."""
        return self.family.cells

    def usual_draws(self, wanted: int, fewest: int) -> int:
        """The sampler's default number of draws; draws from the prior are independent, and fewer are enough."""
        if self.empty:
            return super().usual_draws(min(wanted, INDEPENDENT), fewest)
        return self.sampling.usual.draws

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Joint draws, from new chains."""
        return self._contingency(self._drawn(draws, SeedSequence(int(rng.integers(2**63)))), slice(draws))

    def scores(
        self,
        measure: MeasureFunction,
        *,
        draws: int,
        seed: SeedSequence,
        workers: int | None = None,  # noqa: ARG002
    ) -> FloatArray:
        """Evaluate a measure on the draws, the chains one after the other."""
        drawn = self._drawn(draws, seed)
        number = len(next(iter(drawn.values())))
        step = max(1, MOST_NUMBERS // self.cells)
        parts = (slice(start, min(start + step, number)) for start in range(0, number, step))
        return np.concatenate([measure(self._contingency(drawn, part)) for part in parts])

    def trace(self, *, draws: int, seed: SeedSequence) -> Trace | None:
        """The chains, which are sampled once."""
        if self.empty:
            return None
        key = (draws, seed.entropy, seed.spawn_key)
        if key not in self.traces:
            dims = {name: dims for name, dims in self.model.named_vars_to_dims.items() if dims}
            self.traces[key] = self.sampling.run(self.model, draws, seed, dims)
        return self.traces[key]

    def _drawn(self, draws: int, seed: SeedSequence) -> dict[str, FloatArray]:
        """Draws of all variables, of shape (draws, …)."""
        trace = self.trace(draws=draws, seed=seed)
        if trace is None:
            return forward(self.model, draws, seed)
        return {name: values.reshape(-1, *values.shape[2:]) for name, values in trace.variables.items()}

    def _contingency(self, drawn: Mapping[str, FloatArray], part: slice) -> Contingency:
        return self.family.contingency({name: values[part] for name, values in drawn.items()})
