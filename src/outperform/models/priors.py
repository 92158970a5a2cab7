"""Priors, as pseudo-counts added to the outcome cells.

For many classes every prior has one form: the outcomes of an item of class j are Dirichlet with total weight W,
spread over the correct class and the others in a way that is known or learned from all classes together. A pair
of classifiers also has total weight W, so that each has the same marginal as alone, given what is learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from outperform.base.errors import unknown
from outperform.base.limits import check_pseudo_counts
from outperform.data.contingency import FloatArray
from outperform.data.counts import Counts
from outperform.models.posterior import Posterior
from outperform.models.relevant import relevance
from outperform.models.trend import TrendPosterior
from outperform.models.whole_prior import WholePrior

__all__ = [
    "PRIORS", "CellPrior", "Dirichlet", "Flat", "Haldane", "Hierarchical", "Jeffreys", "Pooled", "Prior", "PriorLike",
    "Trend", "Uniform", "WholePrior", "as_prior", "default_prior", "known_prior",
]  # fmt: skip

Weights: TypeAlias = float | tuple[float, ...]


@dataclass(frozen=True)
class Dirichlet:
    """Independent Dirichlet priors on the class proportions and on the outcomes within each class.

    Parameters
    ----------
    cells : float
        Pseudo-counts of every cell that is not set separately below.
    mu : float or (float, float)
        Of the class proportions μ, the papers' (β₊, β₋): positive, negative.
    positive, negative : float or tuple of float
        Of the outcomes of positive and of negative items, the papers' ω₊ and ω₋: one number, or one
        per outcome, in the order 1, 0 for one classifier and 11, 10, 01, 00 for a pair (the first
        digit is the first classifier, 1 means predicted positive).
    per_classifier : bool
        Whether `cells` is the weight of each outcome of one classifier, divided among the outcomes of a pair.

    Notes
    -----
    A pair has four outcomes per class, so under `cells=1` the rate of each classifier is
    Beta(2, 2) when paired and Beta(1, 1) when not: the papers' two models, exactly. With `per_classifier` it
    is Beta(1, 1) in both, and with any number of classifiers.
    """

    pools_classes = False
    keeps_units = False

    cells: float = 1.0
    mu: Weights | None = None
    positive: Weights | None = None
    negative: Weights | None = None
    per_classifier: bool = False

    def __post_init__(self) -> None:
        """Validate the weights; convert to plain numbers, so that equal priors compare equal."""
        for name in ("cells", "mu", "positive", "negative"):
            value = getattr(self, name)
            weights = np.asarray(0.0 if value is None else value)
            if weights.dtype.kind not in "iuf" or weights.ndim > (name != "cells"):
                wanted = "a number" if name == "cells" else "a number, or one for each outcome"
                raise TypeError(f"prior {name} must be {wanted}, got {value!r}")
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise ValueError(f"prior weights are finite and not negative, got {name}={value!r}")
            check_pseudo_counts(weights, f"prior {name}")
            if value is not None:
                plain = weights.astype(np.float64).tolist()
                object.__setattr__(self, name, tuple(plain) if weights.ndim else plain)

    def weights(self, part: str, size: int) -> FloatArray:
        """Return the pseudo-counts of one part, `mu`, `positive` or `negative`, spread over its cells."""
        value: Weights | None = getattr(self, part)
        cells = 2 * self.cells / size if self.per_classifier and part != "mu" else self.cells
        given = np.atleast_1d(np.asarray(cells if value is None else value, dtype=np.float64))
        if len(given) not in (1, size):
            raise ValueError(f"prior {part} has {len(given)} numbers; give one, or one for each of {size}")
        return np.full(size, given[0]) if len(given) == 1 else given

    @property
    def even(self) -> bool:
        """Whether all outcomes have the same weight."""
        return self.mu is None and self.positive is None and self.negative is None

    def __str__(self) -> str:
        """Return a short name for tables and signatures."""
        settings = [f"{k}={v}" for k in ("mu", "positive", "negative") if (v := getattr(self, k)) is not None]
        named = next((name for name, known in PRIORS.items() if known == self), None)
        settings += ["per_classifier"] * self.per_classifier
        return named or f"dirichlet({', '.join([f'{self.cells:.15g}', *settings])})".replace(" ", "")


@dataclass(frozen=True)
class Hierarchical:
    """Classes share information about how often a classifier is correct (ICDM'15 §III).

    The outcomes of class j are Dirichlet with weights W·η on the correct class and W·(1−η)/(M−1) on each
    other, and η ~ Beta(a, b) is learned from all classes.

    Parameters
    ----------
    eta : (float, float)
        The hyper-prior of η, Beta(1, 1) in the paper.
    weight : float
        W, one pseudo-count for each true class in the paper.
    mu : float
        Pseudo-counts of each class's proportion, 1 in the paper.

    Notes
    -----
    η is not the accuracy. One pseudo-count per class says little about the correct class, and much about how many of
    the others are never predicted: on 20 Newsgroups η is about 0.08 while the accuracy is 0.6 to 0.7.

    References
    ----------
    Zhang et al., A Bayesian Hierarchical Model for Comparing Average F1 Scores, ICDM 2015.
    """

    pools_classes = True  # classes learn from each other, so they are modelled together
    keeps_units = False
    even = False

    eta: tuple[float, float] = (1.0, 1.0)
    weight: float = 1.0
    mu: float = 1.0

    def __post_init__(self) -> None:
        """Validate the settings."""
        for name, size in (("eta", (2,)), ("weight", ()), ("mu", ())):
            value = getattr(self, name)
            numbers = np.asarray(value)
            if numbers.dtype.kind not in "iuf" or numbers.shape != size:
                wanted = "two numbers, those of its Beta prior" if size else "a number"
                raise TypeError(f"{name} of a hierarchical prior must be {wanted}, got {value!r}")
            if not (np.isfinite(numbers).all() and (numbers > 0).all()):
                raise ValueError(f"{name} of a hierarchical prior is finite and above 0, got {value!r}")
            check_pseudo_counts(numbers, f"{name} of a hierarchical prior")
            plain = numbers.astype(np.float64).tolist()
            object.__setattr__(self, name, tuple(plain) if size else plain)

    def __str__(self) -> str:
        """Return a short name for tables and signatures."""
        usual = Hierarchical()
        a, b = self.eta
        settings = [f"eta=({a:g},{b:g})"] if self.eta != usual.eta else []
        settings += [f"{k}={getattr(self, k):g}" for k in ("weight", "mu") if getattr(self, k) != getattr(usual, k)]
        return f"hierarchical({','.join(settings)})" if settings else "hierarchical"


@dataclass(frozen=True)
class Pooled:
    """Each class has W pseudo-items that look like the items of all classes together.

    The kinds of outcome (correct, wrong; for a pair both correct, one correct, both wrong alike or differently) have
    probabilities π ~ Dir(a + e·pooled shares) with Σa = 1 and e = `strength` items per class; wrong predictions for an
    item of one class are distributed like those of all, by all classifiers. The weight of each class's proportion is
    learned too.

    Parameters
    ----------
    weight : float
        W, pseudo-items per class.
    strength : float
        How many items per class the pool is worth in π. It should match the weight: many pseudo-items of which little
        is known make intervals wide.
    learn : bool
        Learn the weight from how much labels or slices differ: partial pooling, also called "partial". `weight` and
        `strength` then matter little. Not for classes of one table.

    Notes
    -----
    Chosen among many by the coverage of its intervals, as documented. The pool is estimated from the same
    data (empirical Bayes), and given less weight than it has, because otherwise the intervals are too narrow.
    """

    pools_classes = True
    keeps_units = False
    even = False

    weight: float = 2.0
    strength: float = 1.0
    learn: bool = False

    def __post_init__(self) -> None:
        """Validate the settings."""
        for name in ("weight", "strength"):
            value = getattr(self, name)
            if np.ndim(value) or np.asarray(value).dtype.kind not in "iuf" or not 0 < value < np.inf:
                raise ValueError(f"{name} of a pooled prior is a finite number above 0, got {value!r}")
            check_pseudo_counts(value, f"{name} of a pooled prior")

    def __str__(self) -> str:
        """Return a short name for tables and signatures."""
        if self.learn:
            return "partial"
        usual = Pooled()
        settings = [
            f"{k}={getattr(self, k):g}" for k in ("weight", "strength") if getattr(self, k) != getattr(usual, k)
        ]
        return f"pooled({','.join(settings)})" if settings else "pooled"


@dataclass(frozen=True)
class Trend(WholePrior):
    """Classes learn from each other how scores depend on the size of a class. The default for averages over classes.

    Each class has a share of hits among the items relevant to it, shrunk towards a trend over all classes, which is
    learned together with how similar classes are around it; so are the differences of two systems. See
    `outperform.models.trend`. For averages over classes and their rows: macro, weighted, per class.
    """

    keeps_units = True

    def posterior(self, counts: Counts) -> Posterior:
        """Return the posterior given these counts."""
        return TrendPosterior(relevance(counts), whole_units=counts.units is not None)

    def check(self, counts: Counts) -> None:
        """Raise an error for two classes."""
        if not counts.many:
            raise ValueError("the trend prior learns from many classes; with two classes use light or uniform")

    def __str__(self) -> str:
        """Return a short name for tables and signatures."""
        return "trend"


CellPrior: TypeAlias = Dirichlet | Hierarchical | Pooled  # pseudo-counts of outcomes
Prior: TypeAlias = CellPrior | WholePrior
PriorLike: TypeAlias = Prior | str | float


def Light() -> Dirichlet:  # noqa: N802
    """1.4 pseudo-items per class, for any number of classifiers. For two classes.

    The rates of each classifier are Beta(0.7, 0.7). The 0.7 was chosen by simulation: with more, intervals of scores of
    almost 1 end too low, and with less those of other scores are too narrow.
    """
    return Dirichlet(0.7, per_classifier=True)


def Flat() -> Dirichlet:  # noqa: N802
    """Two pseudo-items per class, for any number of classifiers: the rates of each are uniform. For two classes."""
    return Dirichlet(1.0, per_classifier=True)


def Uniform() -> Dirichlet:  # noqa: N802
    """One pseudo-count per cell: every proportion equally probable. The papers' prior for two classes."""
    return Dirichlet(1.0)


def Jeffreys() -> Dirichlet:  # noqa: N802
    """Half a pseudo-count per cell: invariant under a change of scale."""
    return Dirichlet(0.5)


def Haldane() -> Dirichlet:  # noqa: N802
    """No pseudo-counts: the data alone. Improper, so it has no Bayes factors."""
    return Dirichlet(0.0)


PRIORS: dict[str, Prior] = {
    "light": Light(),
    "flat": Flat(),
    "uniform": Uniform(),
    "jeffreys": Jeffreys(),
    "haldane": Haldane(),
    "hierarchical": Hierarchical(),
    "pooled": Pooled(),
    "trend": Trend(),
}


def as_prior(prior: PriorLike) -> Prior:
    """Return a prior given by object, by name or as a number of pseudo-counts."""
    if isinstance(prior, Prior):
        return prior
    if isinstance(prior, str):
        named = PRIORS | {"partial": Pooled(learn=True)}
        if prior not in named:
            raise ValueError(unknown("prior", prior, named))
        return named[prior]
    if np.asarray(prior).dtype.kind in "iuf" and np.ndim(prior) == 0:
        return Dirichlet(float(prior))
    raise TypeError(f"prior must be a name, a number or a prior such as op.Dirichlet(), got {type(prior).__name__}")


def known_prior(prior: object, counts: Counts) -> Prior:
    """Return a built-in prior unchanged, and the default in place of anything else."""
    return prior if isinstance(prior, Prior) else default_prior(counts)


def default_prior(counts: Counts, *, averages: bool = True) -> Prior:
    """Return the default prior, whose intervals are best calibrated.

    For two classes the light one, under which the rates of a classifier have the same prior alone and with others.
    For many the trend for averages over classes, and the pooled prior for scores of all items together. For chunks
    one pseudo-count each of true positives, false negatives and false positives.
    """
    if counts.no_true_negatives:
        return PRIORS["uniform"]
    if not counts.many:
        return PRIORS["light"]
    return PRIORS["trend" if averages else "pooled"]
