"""Priors that are not pseudo-counts."""

from __future__ import annotations

from abc import ABC, abstractmethod

from outperform.data.counts import Counts
from outperform.models.posterior import Posterior

__all__ = ["WholePrior"]


class WholePrior(ABC):
    """A prior that is not a set of pseudo-counts: it computes the posterior of systems on shared items itself.

    Subclasses are frozen and listed in `PRIORS` under a name; their `str` goes in
    tables and signatures, with every setting that changes the numbers.
    """

    pools_classes = True  # whether classes learn from each other, so that they are modelled together
    keeps_units = False  # whether units that are resampled whole must not be merged beforehand
    even = False

    @abstractmethod
    def posterior(self, counts: Counts) -> Posterior:
        """Return the posterior given these counts."""

    def check(self, counts: Counts) -> None:  # noqa: B027
        """Raise an error for unsuitable counts."""
