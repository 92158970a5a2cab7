"""Priors that a user names for μ, θ or η: read from text without PyMC, made and checked with it.

A text is the name of a distribution and its numbers, `LogitNormal(0, 1.5)`, as PyMC has them. A probability takes any
distribution on [0, 1]; a TruncatedNormal need not say so. Several probabilities that add up to 1 take a `Dirichlet`,
or a `LogisticNormal(mu, sigma)`: the softmax of independent normals, which PyMC has no name for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from outperform.base.errors import check_known, need
from outperform.data.contingency import FloatArray
from outperform.mcmc.graph import has_random, in_words
from outperform.mcmc.sampling import quiet

__all__ = ["NAMES", "Given", "Made", "PriorsLike", "as_priors", "declare"]

NAMES = ("mu", "theta", "theta_positive", "theta_negative", "eta")
# Distributions, and the parameters that they take in order.
OF_ONE = {
    "Beta": ("alpha", "beta"),
    "Kumaraswamy": ("a", "b"),
    "LogitNormal": ("mu", "sigma"),
    "Triangular": ("lower", "upper", "c"),
    "TruncatedNormal": ("mu", "sigma"),
    "Uniform": ("lower", "upper"),
}
OF_SEVERAL = {"Dirichlet": ("a",), "LogisticNormal": ("mu", "sigma")}
BY_NAME = {"Beta": ("mu", "sigma", "nu"), "TruncatedNormal": ("lower", "upper", "tau")}  # only by their names
UNBOUNDED = ("Cauchy", "Exponential", "Gamma", "HalfCauchy", "HalfNormal", "Laplace", "LogNormal", "Normal", "StudentT")
OUTSIDE = (-10.0, -0.5, -1e-6, 1 + 1e-6, 1.5, 11.0)
TRIED = 200  # draws of a prior of several probabilities

PriorsLike: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Given:
    """A distribution by its name and numbers."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def read(cls, text: str) -> Given:
        """Read `Name(1, 2, key=3)`. Numbers and lists of numbers alone: nothing is run."""
        try:
            call = ast.parse(text.strip(), mode="eval").body
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                raise ValueError
            args = tuple(ast.literal_eval(arg) for arg in call.args)
            kwargs = tuple((str(word.arg), ast.literal_eval(word.value)) for word in call.keywords)
            if not all(np.isfinite(np.asarray(x, dtype=np.float64)).all() for x in (*args, *dict(kwargs).values())):
                raise ValueError
        except (SyntaxError, ValueError, TypeError):
            raise ValueError(
                f"a prior is a distribution with its numbers, such as 'Beta(2, 2)' or 'LogitNormal(0, 1)', got {text!r}"
            ) from None
        given = cls(call.func.id, args, kwargs)
        given.check()
        return given

    def check(self) -> None:
        """Refuse a name that is not known, and numbers that it does not take."""
        known = OF_ONE | OF_SEVERAL
        if self.name in UNBOUNDED:
            raise ValueError(
                f"a probability lies between 0 and 1, which {self.name} does not; take TruncatedNormal, LogitNormal or "
                "Beta"
            )
        check_known("distribution", self.name, known)
        takes = known[self.name]
        odd = [word for word, _ in self.kwargs if word not in takes + BY_NAME.get(self.name, ())]
        if len(self.args) > len(takes) or odd:
            raise ValueError(f"{self.name} takes {' and '.join(takes)}, got {self}")

    def __str__(self) -> str:
        """The distribution as it was written."""
        return f"{self.name}({', '.join([*map(str, self.args), *(f'{k}={v}' for k, v in self.kwargs)])})"

    @property
    def even(self) -> bool:
        """Whether it treats several probabilities alike."""
        return all(np.ndim(x) == 0 for x in (*self.args, *dict(self.kwargs).values()))

    @property
    def softmax(self) -> bool:
        """Whether probabilities are the softmax of what it is a distribution of."""
        return self.name == "LogisticNormal"

    def dist(self, cells: int | None) -> Any:
        """The PyMC distribution of one probability (None), or of so many that add up to 1."""
        pm = need("pymc", "mcmc")
        numbers = dict(zip((OF_ONE | OF_SEVERAL)[self.name], self.args, strict=False)) | dict(self.kwargs)
        if (cells is None) != (self.name in OF_ONE):
            fit = [*OF_ONE] if cells is None else [*OF_SEVERAL]
            raise ValueError(f"it is no distribution of {_what(cells)}; take {', '.join(fit[:-1])} or {fit[-1]}")
        if self.name == "TruncatedNormal":
            numbers = {"lower": 0.0, "upper": 1.0} | numbers
        if self.name == "Dirichlet" and np.ndim(numbers.get("a", ())) == 0:
            numbers = {"a": np.full(cells or 1, float(numbers["a"]))}
        if self.softmax:
            if any(np.size(x) not in (1, cells) for x in numbers.values()):
                raise ValueError(f"it is no distribution of {_what(cells)}")
            return pm.Normal.dist(**numbers, shape=cells)
        return getattr(pm, self.name).dist(**numbers)


@dataclass(frozen=True, eq=False)
class Made:
    """A PyMC distribution that a user made."""

    made: Any
    even = False  # for all that is known
    softmax = False

    def __post_init__(self) -> None:
        """Refuse a value that is not a PyMC distribution."""
        if not hasattr(getattr(getattr(self.made, "owner", None), "op", None), "ndim_supp"):
            raise TypeError(
                "a prior is a text such as 'Beta(2, 2)' or a PyMC distribution such as pm.Beta.dist(2, 2), "
                f"got {self.made!r}"
            )

    def __str__(self) -> str:
        """Name and numbers of the distribution."""
        return in_words(self.made)

    def dist(self, cells: int | None) -> Any:  # noqa: ARG002
        """The distribution."""
        return self.made


def as_priors(priors: PriorsLike | None) -> dict[str, Given | Made]:
    """Check the names, and read what is text."""
    if priors is None:
        return {}
    if not isinstance(priors, Mapping):
        raise TypeError(f"priors is a mapping such as {{'mu': 'LogitNormal(0, 1)'}}, got {type(priors).__name__}")
    for name in priors:
        check_known("prior of", name, NAMES)
    return {name: _as_given(prior) for name, prior in priors.items()}


def _as_given(prior: Any) -> Given | Made:
    if isinstance(prior, Given | Made):
        return prior
    return Given.read(prior) if isinstance(prior, str) else Made(prior)


def declare(name: str, prior: Given | Made, cells: int | None, plates: tuple[int, ...], dims: tuple[str, ...]) -> Any:
    """Make a variable of the model that is being written, with a prior that a user gave."""
    pm = need("pymc", "mcmc")
    try:
        dist = prior.dist(cells)
        if isinstance(prior, Given):
            _check_text(str(prior), cells, plates)
        else:
            _check(dist, cells, plates, softmax=False)
        dist = _again(dist, (*plates, cells) if prior.softmax else plates)
    except (TypeError, ValueError, AssertionError, NotImplementedError) as wrong:
        reason = str(wrong).partition("\n")[0] or type(wrong).__name__
        raise ValueError(f"the prior of {name}, {prior}, does not do: {reason}") from None
    model = pm.modelcontext(None)
    if prior.softmax:
        normal = model.register_rv(dist, f"{name}_normal", dims=dims)
        return pm.Deterministic(name, pm.math.softmax(normal, axis=-1), dims=dims)
    bare = type(dist.owner.op).__name__ == "LogitNormalRV"  # for which PyMC has no transformation of its own
    known = {"default_transform": pm.distributions.transforms.logodds} if bare else {}
    return model.register_rv(dist, name, dims=dims, **known)


@lru_cache(maxsize=256)
def _check_text(text: str, cells: int | None, plates: tuple[int, ...]) -> None:
    """Refuse the same, once for every text: unlike distributions that a user made, these have no numbers that change.

    A refusal is not kept.
    """
    given = Given.read(text)
    _check(given.dist(cells), cells, plates, softmax=given.softmax)


def _check(dist: Any, cells: int | None, plates: tuple[int, ...], *, softmax: bool) -> None:
    """Refuse a distribution that is not one of probabilities."""
    pm = need("pymc", "mcmc")
    several = dist.owner.op.ndim_supp
    batch = tuple(dist.type.shape[: dist.ndim - several])
    odd = several != (0 if cells is None or softmax else 1) or "int" in dist.dtype or batch not in ((), plates)
    if odd and not softmax:
        raise ValueError(f"it is no distribution of {_what(cells)}")
    inside = np.full(dist.type.shape, 0.5 if cells is None else 1 / cells)
    density = _density(dist)
    density(inside)  # in which PyMC says what is wrong with the numbers
    if softmax:
        return
    if cells is None:
        outside = [density(np.full_like(inside, value)) for value in OUTSIDE]
        if np.isfinite(outside).any():
            raise ValueError("it allows numbers below 0 or above 1, where a probability lies between them")
        return
    with quiet():
        drawn = pm.draw(dist, TRIED, random_seed=0)
    if drawn.shape[-1] != cells or (drawn < 0).any() or not np.allclose(drawn.sum(axis=-1), 1):
        raise ValueError(f"it is no distribution of {_what(cells)}")


def _density(dist: Any) -> Callable[[FloatArray], FloatArray]:
    """Its log density as a function, which is compiled once and with little effort: it is called a few times."""
    from pytensor import function
    from pytensor.tensor import tensor

    value = tensor(dtype="float64", shape=dist.type.shape)
    density = need("pymc", "mcmc").logp(dist, value)
    if has_random(density):
        raise ValueError("its parameters are random themselves; give numbers")
    compiled: Callable[[FloatArray], FloatArray] = function([value], density, mode="FAST_COMPILE")
    return compiled


def _again(dist: Any, plates: tuple[int | None, ...]) -> Any:
    """Copy a distribution to every plate, with new random number generators, so that several variables may use it."""
    from pymc.distributions.shape_utils import change_dist_size
    from pytensor import shared
    from pytensor.graph.replace import clone_replace
    from pytensor.graph.traversal import graph_inputs
    from pytensor.tensor.random.type import RandomType

    if plates and tuple(dist.type.shape[: len(plates)]) != plates:
        dist = change_dist_size(dist, plates)
    sources = [source for source in graph_inputs([dist]) if isinstance(source.type, RandomType)]
    return clone_replace(dist, {source: shared(np.random.default_rng()) for source in sources})


def _what(cells: int | None) -> str:
    return "one probability" if cells is None else f"{cells} probabilities that add up to 1"
