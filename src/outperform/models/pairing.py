"""The paired and the unpaired model: classifiers on shared items, or each separately.

Both describe the outcomes of items in the same way: `binary` for two classes and
`outcomes` for many.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from outperform.base.sentences import invalid
from outperform.data.counts import Counts
from outperform.models.base import Model
from outperform.models.binary import paired_posterior, unpaired_posterior
from outperform.models.derived import OneClass, SideBySide
from outperform.models.multilabel import labels_posterior
from outperform.models.outcomes import outcome_posterior
from outperform.models.patterns import pattern_posterior
from outperform.models.positives_only import positives_only_posterior
from outperform.models.posterior import Posterior
from outperform.models.priors import CellPrior, Dirichlet, Pooled, Prior, PriorLike, WholePrior, as_prior, default_prior
from outperform.models.reads import Reads
from outperform.models.right_or_wrong import RightOrWrong

__all__ = ["Paired", "Pairing", "Unpaired"]


@dataclass(frozen=True)
class Pairing(Model):
    """Base class of both: a prior, whose default depends on the number of classes."""

    prior: PriorLike | None = None

    def __post_init__(self) -> None:
        """Convert the prior from a name or number, so that equal models compare equal."""
        if self.prior is not None:
            object.__setattr__(self, "prior", as_prior(self.prior))

    def settled(self, counts: Counts, *, reads: Reads = "classes") -> Self:
        """Return the model with the prior that it uses for these counts, for averages over classes or other scores."""
        return replace(self, prior=self.prior_of(counts, reads=reads))

    def prior_of(self, counts: Counts, *, reads: Reads = "classes") -> Prior:
        """Return the prior for these counts."""
        if self.prior is not None:
            prior = as_prior(self.prior)
        elif reads == "right" and counts.many and not counts.groups and not counts.no_true_negatives:
            prior = RightOrWrong()
        else:
            prior = default_prior(counts, averages=reads == "classes")
        if isinstance(prior, Pooled) and prior.learn and not counts.groups:
            raise ValueError(
                "the partial prior learns from slices of one positive class (by=) or from label sets; "
                "these counts have neither"
            )
        if isinstance(prior, WholePrior):
            prior.check(counts)
        return prior


@dataclass(frozen=True)
class Paired(Pairing):
    """All classifiers were run on the same items, and their outcomes are modelled jointly.

    Parameters
    ----------
    prior : str, float, Dirichlet, Hierarchical, Pooled or Trend
        A name (light, flat, uniform, jeffreys, haldane, hierarchical, pooled, trend; partial for slices), a number of
        pseudo-counts, or a prior. The default is light for two classes and trend or pooled for many.

    References
    ----------
    Zhang et al., Bayesian Performance Comparison of Text Classifiers, SIGIR 2016, §3.1.2.

    Examples
    --------
    >>> import outperform as op
    >>> y, p, q = [1] * 40 + [0] * 60, [1] * 36 + [0] * 64, [1] * 30 + [0] * 70
    >>> op.compare(y, {"p": p, "q": q}, model=op.Paired(prior="jeffreys"), rope=0.01, rng=0)
    p ≫ q   Δf1 = +0.088   95% HDI [+0.014, +0.170]   P(ROPE) = 0.9%
    """

    name = "paired"
    pairs = True  # joint outcomes are modelled

    @property
    def symmetric(self) -> bool:
        """Whether the prior treats all classifiers alike."""
        if not isinstance(self.prior, Dirichlet):
            return True
        lists = (self.prior.positive, self.prior.negative)
        return all(not isinstance(w, tuple) or w[1:3] == w[2:0:-1] for w in lists)

    def posterior(self, counts: Counts) -> Posterior:
        """Return the joint posterior of all classifiers from the shared items."""
        if not counts.paired:
            found = "the classifiers were run on different items, which the paired model cannot pair"
            raise invalid("{found}; use {model:unpaired}", found=found)
        prior = self.prior_of(counts)
        return prior.posterior(counts) if isinstance(prior, WholePrior) else _of_cells(_apart(counts), prior)


@dataclass(frozen=True)
class Unpaired(Pairing):
    """Each classifier is modelled separately, on the same items or on others.

    Intervals are wider than with `Paired` on the same items, because the correlation of classifiers is ignored;
    the only choice if they were tested on different items.

    Parameters
    ----------
    prior : str, float, Dirichlet, Hierarchical, Pooled or Trend
        A name (light, flat, uniform, jeffreys, haldane, hierarchical, pooled, trend; partial for slices), a number of
        pseudo-counts, or a prior. The default is light for two classes and trend or pooled for many.

    References
    ----------
    Zhang et al., Bayesian Performance Comparison of Text Classifiers, SIGIR 2016, §3.1.1.
    """

    name = "unpaired"
    pairs = False
    symmetric = True

    def posterior(self, counts: Counts) -> Posterior:
        """Return the posterior in which each classifier depends on its own items alone."""
        prior = self.prior_of(counts)
        if isinstance(prior, WholePrior):
            return SideBySide(tuple(prior.posterior(counts.select([k])) for k in range(len(counts.classifiers))))
        counts = _apart(counts)
        tables = tuple(counts.select([k]) for k in range(len(counts.classifiers)))
        if counts.no_true_negatives:
            return positives_only_posterior(tables, prior)
        if counts.groups:
            return SideBySide(tuple(labels_posterior(table, prior) for table in tables))
        if len(counts.labels) == 2 and isinstance(prior, Dirichlet):
            return unpaired_posterior(counts, prior)
        together = SideBySide(tuple(outcome_posterior(table, prior) for table in tables))
        return OneClass(together) if len(counts.labels) == 2 else together


def _of_cells(counts: Counts, prior: CellPrior) -> Posterior:
    """Return the posterior of joint outcomes on shared items, under pseudo-counts."""
    if counts.no_true_negatives:
        return positives_only_posterior((counts,), prior)
    if len(counts.classifiers) > 2 and (counts.groups or (len(counts.labels) == 2 and isinstance(prior, Dirichlet))):
        return pattern_posterior(counts, prior)
    if counts.groups:
        return labels_posterior(counts, prior)
    if len(counts.labels) > 2:
        return outcome_posterior(counts, prior)
    if isinstance(prior, Dirichlet):
        return paired_posterior(counts, prior)
    return OneClass(outcome_posterior(counts, prior))


def _apart(counts: Counts) -> Counts:
    """Return the counts without units; counts by item are rejected, because they hold nothing to model."""
    if counts.by_item:
        raise invalid("counts by item are resampled whole; use {model:bootstrap}, or count the labels")
    return counts if counts.units is None else counts.together()
