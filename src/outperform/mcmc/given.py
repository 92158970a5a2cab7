"""Priors that a user names for μ, θ or η: read from text without PyMC, made and checked with it.

A text is the name of a distribution and its numbers, `LogitNormal(0, 1.5)`, as PyMC has them. A probability takes any
distribution on [0, 1]; a TruncatedNormal need not say so. Several probabilities that add up to 1 take a `Dirichlet`,
or a `LogisticNormal(mu, sigma)`: the softmax of independent normals, which PyMC has no name for.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from outperform.errors import need, unknown

__all__ = ["NAMES", "Given", "PriorsLike", "as_priors", "declare"]

NAMES = ("mu", "theta", "theta_positive", "theta_negative", "eta")
OF_ONE = ("Beta", "Kumaraswamy", "LogitNormal", "Triangular", "TruncatedNormal", "Uniform")
OF_SEVERAL = ("Dirichlet", "LogisticNormal")
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
            np.asarray([np.sum(np.asarray(x, dtype=np.float64)) for x in (*args, *(value for _, value in kwargs))])
        except (SyntaxError, ValueError, TypeError):
            raise ValueError(
                f"a prior is a distribution with its numbers, such as 'Beta(2, 2)' or 'LogitNormal(0, 1)', got {text!r}"
            ) from None
        if call.func.id not in OF_ONE + OF_SEVERAL:
            raise ValueError(unknown("distribution", call.func.id, OF_ONE + OF_SEVERAL))
        return cls(call.func.id, args, kwargs)

    def __str__(self) -> str:
        """As it was written."""
        return f"{self.name}({', '.join([*map(str, self.args), *(f'{k}={v}' for k, v in self.kwargs)])})"

    @property
    def even(self) -> bool:
        """Whether it treats several probabilities alike."""
        return all(np.ndim(x) == 0 for x in (*self.args, *(value for _, value in self.kwargs)))

    def dist(self, cells: int | None) -> Any:
        """The PyMC distribution of one probability (None), or of so many that add up to 1."""
        pm, args, kwargs = need("pymc", "mcmc"), self.args, dict(self.kwargs)
        if (cells is None) != (self.name in OF_ONE):
            fit = OF_ONE if cells is None else OF_SEVERAL
            raise ValueError(f"it is no distribution of {_what(cells)}; take {' or '.join(fit)}")
        if self.name == "TruncatedNormal":
            kwargs = {"lower": 0.0, "upper": 1.0} | kwargs
        if self.name == "Dirichlet" and args and np.ndim(args[0]) == 0:
            args = (np.full(cells or 1, float(args[0])),)
        if self.name == "LogisticNormal":
            return pm.Normal.dist(*args, **kwargs, shape=cells)
        return getattr(pm, self.name).dist(*args, **kwargs)


def as_priors(priors: PriorsLike | None) -> dict[str, Any]:
    """Check the names, and read what is text."""
    if priors is None:
        return {}
    if not isinstance(priors, Mapping):
        raise TypeError(f"priors is a mapping such as {{'mu': 'LogitNormal(0, 1)'}}, got {type(priors).__name__}")
    for name in priors:
        if name not in NAMES:
            raise ValueError(unknown("prior of", name, NAMES))
    return {name: Given.read(own) if isinstance(own, str) else own for name, own in priors.items()}


def declare(name: str, prior: Any, cells: int | None, plates: tuple[int, ...], dims: tuple[str, ...]) -> Any:
    """Make a variable of the model that is being written, with a prior that a user gave."""
    pm = need("pymc", "mcmc")
    softmax = isinstance(prior, Given) and prior.name == "LogisticNormal"
    try:
        dist = prior.dist(cells) if isinstance(prior, Given) else prior
        if not softmax:
            _check(dist, cells)
        dist = _again(dist, (*plates, cells) if softmax else plates)
    except (TypeError, ValueError, AssertionError) as wrong:
        reason = str(wrong).partition("\n")[0] or type(wrong).__name__
        raise ValueError(f"the prior of {name}, {prior}, does not do: {reason}") from None
    model = pm.modelcontext(None)
    if softmax:
        normal = model.register_rv(dist, f"{name}_normal", dims=dims)
        return pm.Deterministic(name, pm.math.softmax(normal, axis=-1), dims=dims)
    bare = type(dist.owner.op).__name__ == "LogitNormalRV"  # for which PyMC has no transformation of its own
    known = {"default_transform": pm.distributions.transforms.logodds} if bare else {}
    return model.register_rv(dist, name, dims=dims, **known)


def _check(dist: Any, cells: int | None) -> None:
    """Refuse what is not a distribution of probabilities."""
    pm = need("pymc", "mcmc")
    op: Any = getattr(getattr(dist, "owner", None), "op", None)
    if not hasattr(op, "ndim_supp"):
        raise TypeError("give a text such as 'Beta(2, 2)' or a PyMC distribution such as pm.Beta.dist(2, 2)")
    if op.ndim_supp != (0 if cells is None else 1) or "int" in dist.dtype:
        raise ValueError(f"it is no distribution of {_what(cells)}")
    if cells is None:
        if np.isfinite(pm.logp(dist, np.array(OUTSIDE)).eval()).any():
            raise ValueError("it allows numbers below 0 or above 1, where a probability lies between them")
        return
    drawn = pm.draw(dist, TRIED, random_seed=0)
    if drawn.shape[-1] != cells or (drawn < 0).any() or not np.allclose(drawn.sum(axis=-1), 1):
        raise ValueError(f"it is no distribution of {_what(cells)}")


def _again(dist: Any, plates: tuple[int | None, ...]) -> Any:
    """The same on every plate, with a source of random numbers of its own, so that it may serve several variables."""
    from pymc.distributions.shape_utils import change_dist_size
    from pytensor import shared
    from pytensor.tensor.random.type import RandomType

    if plates and tuple(dist.type.shape[: len(plates)]) != plates:
        dist = change_dist_size(dist, plates)
    inputs = [shared(np.random.default_rng()) if isinstance(x.type, RandomType) else x for x in dist.owner.inputs]
    return dist.owner.clone_with_new_inputs(inputs).outputs[dist.index]


def _what(cells: int | None) -> str:
    return "one probability" if cells is None else f"{cells} probabilities that add up to 1"
