"""Priors: what is assumed before the data, as pseudo-counts added to the outcome cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from outperform.contingency import FloatArray
from outperform.errors import unknown

__all__ = ["PRIORS", "Dirichlet", "Haldane", "Jeffreys", "PriorLike", "Uniform", "as_prior"]

Weights: TypeAlias = float | tuple[float, ...]


@dataclass(frozen=True)
class Dirichlet:
    """Independent Dirichlet priors on the class proportions and on the outcomes within each class.

    Parameters
    ----------
    cells : float
        Pseudo-counts of every cell that is not set on its own below.
    mu : float or (float, float)
        Of the class proportions μ, the papers' (β₊, β₋): positive, negative.
    positive, negative : float or tuple of float
        Of the outcomes of positive and of negative items, the papers' ω₊ and ω₋: one number, or one
        per outcome, in the order 1, 0 for one classifier and 11, 10, 01, 00 for a pair (the first
        digit is the first classifier, 1 means predicted positive).

    Notes
    -----
    A pair has four outcomes per class, so under `cells=1` each classifier's own rate is
    Beta(2, 2) when paired and Beta(1, 1) when not: the papers' two models, exactly.
    """

    cells: float = 1.0
    mu: Weights | None = None
    positive: Weights | None = None
    negative: Weights | None = None

    def __post_init__(self) -> None:
        """Refuse weights that no Dirichlet has; keep plain numbers, so that equal priors compare equal."""
        for name in ("cells", "mu", "positive", "negative"):
            value = getattr(self, name)
            weights = np.asarray(0.0 if value is None else value)
            if weights.dtype.kind not in "iuf" or weights.ndim > (name != "cells"):
                wanted = "a number" if name == "cells" else "a number, or one for each outcome"
                raise TypeError(f"prior {name} must be {wanted}, got {value!r}")
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise ValueError(f"prior weights are finite and not negative, got {name}={value!r}")
            if value is not None:
                plain = weights.astype(np.float64).tolist()
                object.__setattr__(self, name, tuple(plain) if weights.ndim else plain)

    def weights(self, part: str, size: int) -> FloatArray:
        """Pseudo-counts of one part, `mu`, `positive` or `negative`, spread over its cells."""
        value: Weights | None = getattr(self, part)
        given = np.atleast_1d(np.asarray(self.cells if value is None else value, dtype=np.float64))
        if len(given) not in (1, size):
            raise ValueError(f"prior {part} has {len(given)} numbers; give one, or one for each of {size}")
        return np.full(size, given[0]) if len(given) == 1 else given

    def __str__(self) -> str:
        """A short name for tables and signatures."""
        own = [f"{k}={v}" for k in ("mu", "positive", "negative") if (v := getattr(self, k)) is not None]
        if own:
            return f"dirichlet({', '.join([f'{self.cells:.15g}', *own])})".replace(" ", "")
        names = {weight: name for name, weight in PRIORS.items()}
        return names.get(self.cells, f"dirichlet({self.cells:.15g})")


PRIORS: dict[str, float] = {"uniform": 1.0, "jeffreys": 0.5, "haldane": 0.0}
PriorLike: TypeAlias = Dirichlet | str | float


def Uniform() -> Dirichlet:  # noqa: N802
    """One pseudo-count per cell: every proportion equally likely. The papers' prior."""
    return Dirichlet(PRIORS["uniform"])


def Jeffreys() -> Dirichlet:  # noqa: N802
    """Half a pseudo-count per cell: invariant under a change of scale."""
    return Dirichlet(PRIORS["jeffreys"])


def Haldane() -> Dirichlet:  # noqa: N802
    """No pseudo-counts: the data alone. Improper, so it has no Bayes factors."""
    return Dirichlet(PRIORS["haldane"])


def as_prior(prior: PriorLike) -> Dirichlet:
    """Take a prior by object, by name or as a number of pseudo-counts."""
    if isinstance(prior, Dirichlet):
        return prior
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise ValueError(unknown("prior", prior, PRIORS))
        return Dirichlet(PRIORS[prior])
    if np.asarray(prior).dtype.kind in "iuf" and np.ndim(prior) == 0:
        return Dirichlet(float(prior))
    raise TypeError(f"prior must be a name, a number or an op.Dirichlet, got {type(prior).__name__}")
